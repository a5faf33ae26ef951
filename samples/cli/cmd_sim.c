/* SPDX-License-Identifier: MIT */
/* vlgl sim: the command line of the cycle-accurate VL-IW processor. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "sim_cli.h"

static const char usage_text[] =
    "usage: vlgl sim FILE... [options]      cost of shaders, assembler text or containers\n"
    "       vlgl sim SAMPLE... [options]    a frame of a sample, shader by shader\n"
    "       vlgl sim --paper [-o FILE.png]  the papers' figures, measured, beside the papers'\n"
    "       vlgl sim --warps [SAMPLE|FILE.warps...]  schedulers of a machine of many warps, compared\n"
    "\n"
    "Runs code on a model of the processor that VL-IW was designed for: 8 threads in turn, 8 stages,\n"
    "two phases; right to the clock (vm/model/README.md). FILE is GLSL ES text (.vert .vs .frag .fs\n"
    ".glsl), assembler text (.s) or a container (.vlb), with made-up inputs; a sample's shaders run\n"
    "with the frame's own, and their values must be the renderer's.\n"
    "\n"
    "  --threads N      hardware threads in use, 1 to 8 (8); quads need 4 or 8\n"
    "  --latency N      clocks from execute 3 to the answer of memory and textures (0)\n"
    "  --outstanding N  requests in flight (0: any number)\n"
    "  --budget N       instructions that a thread may execute (2^26)\n"
    "  --stage STAGE    vertex or fragment, whatever the file's name says\n"
    "  --diagram N      print the first N clocks of the pipeline, 1 to 512\n"
    "  --size WxH       of a sample's frame (320x240)\n"
    "  -o FILE.png      the pipeline diagram of a FILE, the chart, or the curves\n"
    "\n"
    "With --warps: frames of 160x120 of all samples unless some are named, or what another program\n"
    "wrote under VLGL_WARPS=FILE. The machine, and what a scheduler is, are in vm/model/README.md.\n"
    "  --cores N --slots N     cores (2), warps that a core holds (8)\n"
    "  --latency N --hit N     clocks of a miss (400) and of a hit (16)\n"
    "  --interval N            clocks between two lines from memory, for all cores (4)\n"
    "  --outstanding N         misses of a core in flight (32)\n"
    "  --cache BYTES --ways N  of a core (8192, 4)\n"
    "  --blocking              a warp waits at its load, not at the first use of the answer\n"
    "  --memory-first          the memory-first policy takes part (KR 10-2210765: patented)\n"
    "  --threshold N --wait N  its two thresholds, in clocks (64, 256)\n"
    "  --recency N             its recency bits (0: computation by warp id)\n"
    "  --buffers N             its buffers by type, entries each (0: as many as warps)\n"
    "  --csv FILE              every run as a row\n"
    "\n"
    "examples: vlgl sim my.frag --latency 40\n"
    "          vlgl sim loop.s --threads 1 --diagram 64 -o loop.png\n"
    "          vlgl sim phong\n"
    "          vlgl sim --warps --memory-first --csv runs.csv -o curves.png\n"
    "          VLGL_WARPS=my.warps ./my_program && vlgl sim --warps my.warps\n";

/* A whole number of an option. 'warps': the option belongs to --warps, or not. */
static const struct {
    const char *name;
    int low, high;
    size_t offset;
    bool warps;
} numbers[] = {
#define PLAIN(field) offsetof(struct sim_options, field), false
#define WARPS(field) offsetof(struct sim_options, machine.field), true
    {"--threads", 1, 8, PLAIN(threads)},
    {"--latency", 0, 1000000, PLAIN(latency)},
    {"--outstanding", 0, 4096, PLAIN(outstanding)},
    {"--budget", 1, 1 << 30, PLAIN(budget)},
    {"--diagram", 1, (int)SIM_DIAGRAM_CLOCKS, PLAIN(clocks)},
    {"--cores", 1, 64, WARPS(cores)},
    {"--slots", 1, 64, WARPS(warps)},
    {"--latency", 1, 100000, WARPS(latency)},
    {"--hit", 0, 100000, WARPS(hit_latency)},
    {"--interval", 0, 1000, WARPS(interval)},
    {"--outstanding", 1, 1024, WARPS(outstanding)},
    {"--cache", 64, 1 << 24, WARPS(cache_bytes)},
    {"--ways", 1, 64, WARPS(ways)},
    {"--threshold", 0, 100000, WARPS(long_latency)},
    {"--wait", 0, 1000000, WARPS(long_wait)},
    {"--recency", 0, 64, WARPS(recency)},
#undef PLAIN
#undef WARPS
};

static bool parse_number(const char *option, const char *text, struct sim_options *o, bool *known) {
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (numbers[i].warps == o->warps && strcmp(option, numbers[i].name) == 0) {
            int value;
            *known = true;
            if (!app_parse_int(text, numbers[i].low, numbers[i].high, &value)) {
                app_error("sim: %s takes a whole number from %d to %d, not '%s'", option, numbers[i].low, numbers[i].high, text);
                return false;
            }
            memcpy((char *)o + numbers[i].offset, &value, sizeof value);
            return true;
        }
    }
    return true;
}

static bool parse_value(const char *option, const char *text, struct sim_options *o) {
    bool known = false;
    bool good = parse_number(option, text, o, &known);
    if (known) {
        return good;
    }
    if (strcmp(option, "--buffers") == 0 && o->warps) {
        int value;
        if (!app_parse_int(text, 0, 64, &value)) {
            app_error("sim: --buffers takes a whole number from 0 to 64, not '%s'", text);
            return false;
        }
        o->machine.memory_buffer = o->machine.compute_buffer = (uint32_t)value;
        return true;
    }
    if (strcmp(option, "--size") == 0) {
        if (!app_parse_size(text, &o->width, &o->height)) {
            app_error("sim: --size takes WxH, not '%s'", text);
            return false;
        }
        return true;
    }
    if (strcmp(option, "--stage") == 0) {
        o->stage = text;
        if (strcmp(text, "vertex") != 0 && strcmp(text, "fragment") != 0) {
            app_error("sim: --stage is vertex or fragment, not '%s'", text);
            return false;
        }
        return true;
    }
    if (strcmp(option, "-o") == 0 || (strcmp(option, "--csv") == 0 && o->warps)) {
        *(option[1] == 'o' ? &o->output : &o->csv) = text;
        return true;
    }
    app_error("sim: not understood: %s", option);
    return false;
}

static bool parse_options(int argc, char **argv, struct sim_options *o) {
    for (int i = 1; i < argc; i++) {
        o->warps = o->warps || strcmp(argv[i], "--warps") == 0;
    }
    if (o->warps) {
        o->width = 160;
        o->height = 120;
    }
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--paper") == 0) {
            o->paper = true;
        } else if (strcmp(argv[i], "--warps") == 0) {
            continue;
        } else if (strcmp(argv[i], "--memory-first") == 0 && o->warps) {
            o->memory_first = true;
        } else if (strcmp(argv[i], "--blocking") == 0 && o->warps) {
            o->machine.blocking = true;
        } else if (argv[i][0] != '-') {
            o->names[o->name_count++] = argv[i];
        } else if (i + 1 == argc) {
            app_error("sim: not understood, or lacking a value: %s", argv[i]);
            return false;
        } else if (!parse_value(argv[i], argv[i + 1], o)) {
            return false;
        } else {
            i++;
        }
    }
    if (o->warps) {
        if (o->paper) {
            app_error("sim: --paper or --warps, not both");
        }
        return !o->paper;
    }
    if (o->paper ? o->name_count > 0 : o->name_count == 0) {
        app_error(o->paper ? "sim: --paper takes no file" : "sim: no file and no sample given");
        return false;
    }
    if (o->output != NULL && o->name_count > 1) {
        app_error("sim: -o takes the picture of one file, not of %zu", o->name_count);
        return false;
    }
    return true;
}

int cmd_sim(int argc, char **argv) {
    struct sim_options o = {.threads = (int)SIM_THREADS, .width = 320, .height = 240};
    if (cli_wants_help(argc, argv)) {
        fputs(usage_text, stdout);
        return CLI_OK;
    }
    sim_warp_defaults(&o.machine);
    o.names = app_alloc((size_t)argc * sizeof o.names[0]);
    int status = CLI_OK;
    if (!parse_options(argc, argv, &o)) {
        status = CLI_USAGE;
    } else if (o.paper) {
        status = sim_run_paper(&o);
    } else if (o.warps) {
        status = sim_run_warps(&o);
    }
    for (size_t i = 0; status != CLI_USAGE && !o.warps && i < o.name_count; i++) {
        bool sample = cli_find_sample(o.names[i]) != NULL;
        int one = sample ? sim_run_sample(&o, o.names[i]) : sim_run_code(&o, o.names[i]);
        status = one != CLI_OK ? one : status;
    }
    free(o.names);
    return status;
}
