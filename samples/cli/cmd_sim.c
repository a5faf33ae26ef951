/* SPDX-License-Identifier: MIT */
/* vlgl sim: the command line of the cycle-accurate VL-IW processor. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "sim_cli.h"

static const char usage_text[] =
    "usage: vlgl sim FILE... [options]      cost of shaders, assembler text or containers\n"
    "       vlgl sim SAMPLE... [options]    a frame of a sample, shader by shader\n"
    "       vlgl sim --paper [-o FILE.png]  the papers' figures, measured, beside the papers'\n"
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
    "  -o FILE.png      the pipeline diagram of a FILE, or the chart\n"
    "\n"
    "examples: vlgl sim my.frag --latency 40\n"
    "          vlgl sim loop.s --threads 1 --diagram 64 -o loop.png\n"
    "          vlgl sim phong\n";

static bool parse_value(const char *option, const char *text, struct sim_options *o) {
    static const struct {
        const char *name;
        int low, high;
        size_t offset;
    } rows[] = {
        {"--threads", 1, 8, offsetof(struct sim_options, threads)},
        {"--latency", 0, 1000000, offsetof(struct sim_options, latency)},
        {"--outstanding", 0, 4096, offsetof(struct sim_options, outstanding)},
        {"--budget", 1, 1 << 30, offsetof(struct sim_options, budget)},
        {"--diagram", 1, (int)SIM_DIAGRAM_CLOCKS, offsetof(struct sim_options, clocks)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(option, rows[i].name) == 0) {
            int value;
            if (!app_parse_int(text, rows[i].low, rows[i].high, &value)) {
                app_error("sim: %s takes a whole number from %d to %d, not '%s'", option, rows[i].low, rows[i].high, text);
                return false;
            }
            memcpy((char *)o + rows[i].offset, &value, sizeof value);
            return true;
        }
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
    if (strcmp(option, "-o") == 0) {
        o->output = text;
        return true;
    }
    app_error("sim: not understood: %s", option);
    return false;
}

static bool parse_options(int argc, char **argv, struct sim_options *o) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--paper") == 0) {
            o->paper = true;
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
    o.names = app_alloc((size_t)argc * sizeof o.names[0]);
    int status = CLI_OK;
    if (!parse_options(argc, argv, &o)) {
        status = CLI_USAGE;
    } else if (o.paper) {
        status = sim_run_paper(&o);
    }
    for (size_t i = 0; status != CLI_USAGE && i < o.name_count; i++) {
        bool sample = cli_find_sample(o.names[i]) != NULL;
        int one = sample ? sim_run_sample(&o, o.names[i]) : sim_run_code(&o, o.names[i]);
        status = one != CLI_OK ? one : status;
    }
    free(o.names);
    return status;
}
