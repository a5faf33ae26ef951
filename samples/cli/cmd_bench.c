/* SPDX-License-Identifier: MIT */
/*
 * vlgl bench: the command line becomes rows (workload x precision x threads, or the steps of a
 * curve), bench_run measures them, and the files are written. samples/bench.md is its page.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../bench/bench.h"
#include "cli.h"

#define BENCH_MAX_THREADS 8 /* entries of --threads */
#define BENCH_MAX_ROUNDS 99

enum { WANT_MEDIUMP = 1, WANT_HIGHP = 2 };

struct bench_options {
    const char **names; /* NAME or NAME:SCALE */
    size_t name_count;
    const char *json;
    const char *plot;
    const char *peer;
    const char *library;
    const char *curve;
    bool list;
    int frames;
    int rounds;
    int width;
    int height;
    int precisions;
    int threads[BENCH_MAX_THREADS];
    int thread_count;
};

/* How cost grows: a workload and the sizes that it is run with. */
static const struct {
    const char *name;
    const char *workload;
    bool is_size; /* the picture's sides, instead of the workload's scale */
    int steps[9];
} curves[] = {
    {"triangles", "mesh", false, {1000, 3000, 10000, 30000, 100000, 300000, 1000000}},
    {"pixels", "fill", true, {64, 128, 256, 512, 1024, 2048, 4096}},
    {"draws", "draws_uniform", false, {10, 100, 500, 1000, 2000, 5000, 10000, 20000}},
    {"texture", "tex_bilinear", false, {16, 64, 128, 256, 512, 1024, 2048, 4096}},
    {"shader", "dot4", false, {1, 4, 16, 64, 128, 256, 512, 1024}},
};

#define CURVE_COUNT (sizeof curves / sizeof curves[0])

static const char usage_text[] =
    "usage: vlgl bench [NAME[:SCALE]...] [options]\n"
    "\n"
    "Runs workloads (all, or those named; a name's beginning with * stands for several), each in\n"
    "a process of its own, and prints how fast they are. Rows that have a scale take another.\n"
    "\n"
    "  --list              list the workloads\n"
    "  --peer DIR | mesa   compare with the libEGL.so.1 and libGLESv2.so.2 in DIR, or with the\n"
    "                      system's Mesa llvmpipe, tuned; in turn, ratio = first / peer\n"
    "  --peer single | copies   compare with the same library with one thread: alone, or as many\n"
    "                      processes at once as --threads says, which is what the machine can give\n"
    "  --library DIR | mesa  measure this one instead of the one that vlgl finds\n"
    "  --threads N[,N...]  threads of the renderers; each number gives its own rows\n"
    "  --precision mediump | highp | both   default of fragment shaders (both)\n"
    "  --size WxH          size of the picture (1024x1024)\n"
    "  --frames N          frames a process (as many as fit in a quarter of a second)\n"
    "  --rounds N          processes a row and library (1; 3 with --peer)\n"
    "  --curve KIND        how cost grows: triangles pixels draws texture shader\n"
    "  --json FILE         all figures\n"
    "  --plot FILE.png     the ratios as a chart; needs --peer\n"
    "\n"
    "examples:\n"
    "  vlgl bench fill blend* --threads 1,2\n"
    "  vlgl bench --peer mesa --plot ratios.png --json ratios.json\n";

/* ---- options ---- */

static bool parse_threads(const char *text, struct bench_options *options) {
    options->thread_count = 0;
    while (*text != '\0') {
        char number[8];
        size_t length = strcspn(text, ",");
        if (length == 0 || length >= sizeof number || options->thread_count == BENCH_MAX_THREADS) {
            return false;
        }
        memcpy(number, text, length);
        number[length] = '\0';
        if (!app_parse_int(number, 1, 256, &options->threads[options->thread_count++])) {
            return false;
        }
        text += length;
        if (*text == ',' && *++text == '\0') {
            return false;
        }
    }
    return options->thread_count > 0;
}

static bool parse_precision(const char *text, struct bench_options *options) {
    options->precisions = strcmp(text, "mediump") == 0 ? WANT_MEDIUMP
                          : strcmp(text, "highp") == 0 ? WANT_HIGHP
                          : strcmp(text, "both") == 0  ? WANT_MEDIUMP | WANT_HIGHP
                                                       : 0;
    return options->precisions != 0;
}

static int find_curve(const char *name) {
    for (size_t i = 0; i < CURVE_COUNT; i++) {
        if (strcmp(curves[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* 1 taken, 0 no such option, -1 the value is bad. */
static int set_value(struct bench_options *options, const char *word, const char *value) {
    const char **texts[] = {&options->json, &options->plot, &options->peer, &options->library};
    static const char *const names[] = {"--json", "--plot", "--peer", "--library"};
    bool good = value != NULL && value[0] != '\0';
    bool known = false;
    for (size_t i = 0; i < 4; i++) {
        if (strcmp(word, names[i]) == 0) {
            *texts[i] = value;
            known = true;
        }
    }
    if (known) {
        /* any text will do */
    } else if (strcmp(word, "--threads") == 0) {
        good = good && parse_threads(value, options);
    } else if (strcmp(word, "--precision") == 0) {
        good = good && parse_precision(value, options);
    } else if (strcmp(word, "--size") == 0) {
        good = good && app_parse_size(value, &options->width, &options->height);
    } else if (strcmp(word, "--frames") == 0) {
        good = good && app_parse_int(value, 1, 500, &options->frames);
    } else if (strcmp(word, "--rounds") == 0) {
        good = good && app_parse_int(value, 1, BENCH_MAX_ROUNDS, &options->rounds);
    } else if (strcmp(word, "--curve") == 0) {
        options->curve = value;
        good = good && find_curve(value) >= 0;
    } else {
        return 0;
    }
    if (!good && value == NULL) {
        app_error("bench: %s needs a value", word);
    } else if (!good) {
        app_error("bench: %s does not take '%s'", word, value);
    }
    return good ? 1 : -1;
}

static bool parse_options(int argc, char **argv, struct bench_options *options) {
    options->names = app_alloc((size_t)argc * sizeof options->names[0]);
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') {
            options->names[options->name_count++] = argv[i];
        } else if (strcmp(argv[i], "--list") == 0) {
            options->list = true;
        } else {
            int taken = set_value(options, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
            if (taken == 0) {
                app_error("bench: no option '%s'", argv[i]);
            }
            if (taken != 1) {
                return false;
            }
            i++;
        }
    }
    if (options->plot != NULL && options->peer == NULL) {
        app_error("bench: --plot needs --peer: it draws ratios");
        return false;
    }
    if (options->curve != NULL && options->name_count > 0) {
        app_error("bench: --curve brings its own workload, '%s' cannot be added",
                  options->names[0]);
        return false;
    }
    return true;
}

/* ---- sides ---- */

/* Where the system keeps its libEGL.so.1. NULL if in none of the usual places. */
static const char *find_system_folder(void) {
    static const char *const folders[] = {
        "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib/s390x-linux-gnu",
        "/usr/lib64",                "/usr/lib",
    };
    char path[128];
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        snprintf(path, sizeof path, "%s/libEGL.so.1", folders[i]);
        if (access(path, R_OK) == 0) {
            return folders[i];
        }
    }
    return NULL;
}

static bool set_side(struct bench_side *side, const char *where, const char *label) {
    char path[4200];
    side->is_mesa = strcmp(where, "mesa") == 0;
    side->folder = side->is_mesa ? find_system_folder() : where;
    if (side->folder == NULL) {
        app_error("bench: no libEGL.so.1 in the system's folders; name one");
        return false;
    }
    static const char *const files[] = {"libEGL.so.1", "libGLESv2.so.2"};
    for (size_t i = 0; i < 2; i++) {
        int length = snprintf(path, sizeof path, "%s/%s", side->folder, files[i]);
        if (length < 0 || (size_t)length >= sizeof path || access(path, R_OK) != 0) {
            app_error("bench: %s has no %s", side->folder, files[i]);
            return false;
        }
    }
    snprintf(side->label, sizeof side->label, "%s", side->is_mesa ? "llvmpipe" : label);
    return true;
}

/* The first side's library again. */
static bool set_threads_side(const struct bench_options *options, struct bench_report *report,
                             enum bench_as as) {
    struct bench_side *side = &report->sides[1];
    if (options->thread_count == 0) {
        app_error("bench: --peer %s needs --threads", options->peer);
        return false;
    }
    *side = report->sides[0];
    side->as = as;
    snprintf(side->label, sizeof side->label, "%s", options->peer);
    return true;
}

static bool set_sides(const struct bench_options *options, struct bench_report *report) {
    const char *peer = options->peer;
    snprintf(report->sides[0].label, sizeof report->sides[0].label, "vlgl");
    report->side_count = peer != NULL ? 2 : 1;
    if (options->library != NULL && !set_side(&report->sides[0], options->library, "library")) {
        return false;
    }
    if (peer != NULL && strcmp(peer, "single") == 0) {
        return set_threads_side(options, report, BENCH_AS_SINGLE);
    }
    if (peer != NULL && strcmp(peer, "copies") == 0) {
        return set_threads_side(options, report, BENCH_AS_COPIES);
    }
    return peer == NULL || set_side(&report->sides[1], peer, "peer");
}

/* ---- rows ---- */

static void add_row(struct bench_report *report, const struct bench_options *options,
                    const struct bench_entry *entry, int scale, int threads,
                    enum bench_precision precision) {
    struct bench_row *row = &report->rows[report->row_count++];
    const bool has_precision = (entry->flags & BENCH_PRECISION) != 0;
    struct bench_task task = {.entry = entry,
                              .precision = precision,
                              .scale = scale,
                              .width = options->width,
                              .height = options->height,
                              .frames = options->frames,
                              .threads = threads};
    row->task = task;
    const char *suffix = !has_precision ? "" : precision == BENCH_HIGHP ? ".highp" : ".mediump";
    if (scale != entry->scale) {
        snprintf(row->name, sizeof row->name, "%s:%d%s", entry->name, scale, suffix);
    } else {
        snprintf(row->name, sizeof row->name, "%s%s", entry->name, suffix);
    }
}

/* Rows of an entry for one number of threads. */
static void add_rows(struct bench_report *report, const struct bench_options *options,
                     const struct bench_entry *entry, int scale, int threads) {
    if ((entry->flags & BENCH_PRECISION) == 0) {
        add_row(report, options, entry, scale, threads, BENCH_HIGHP);
        return;
    }
    if (options->precisions & WANT_MEDIUMP) {
        add_row(report, options, entry, scale, threads, BENCH_MEDIUMP);
    }
    if (options->precisions & WANT_HIGHP) {
        add_row(report, options, entry, scale, threads, BENCH_HIGHP);
    }
}

/* Adds what a word names. False after a message. */
static bool add_named(struct bench_report *report, const struct bench_options *options,
                      const char *word, int threads) {
    size_t length = strcspn(word, ":*");
    int scale = 0;
    if (word[length] == '*' && word[length + 1] == '\0') {
        size_t before = report->row_count;
        for (size_t i = 0; i < bench_entry_count; i++) {
            if (strncmp(bench_entries[i].name, word, length) == 0) {
                add_rows(report, options, &bench_entries[i], bench_entries[i].scale, threads);
            }
        }
        if (report->row_count == before) {
            app_error("bench: no workload begins like '%s'", word);
        }
        return report->row_count > before;
    }
    const struct bench_entry *entry = bench_find(word, length);
    if (entry == NULL) {
        app_error("bench: '%s' is no workload; 'vlgl bench --list' shows them", word);
        return false;
    }
    if (word[length] == '\0') {
        scale = entry->scale;
    } else if (entry->scale == 0) {
        app_error("bench: %s has no scale", entry->name);
        return false;
    } else if (!app_parse_int(word + length + 1, 1, 4000000, &scale)) {
        app_error("bench: '%s' is no scale from 1 to 4000000", word + length + 1);
        return false;
    }
    add_rows(report, options, entry, scale, threads);
    return true;
}

static void add_curve(struct bench_report *report, struct bench_options *options, int threads) {
    int which = find_curve(options->curve);
    const struct bench_entry *entry =
        bench_find(curves[which].workload, strlen(curves[which].workload));
    for (int i = 0; i < 9 && curves[which].steps[i] > 0; i++) {
        int step = curves[which].steps[i];
        if (!curves[which].is_size) {
            add_rows(report, options, entry, step, threads);
            continue;
        }
        options->width = step;
        options->height = step;
        add_rows(report, options, entry, entry->scale, threads);
        struct bench_row *row = &report->rows[report->row_count - 1];
        snprintf(row->name, sizeof row->name, "%s %dx%d", entry->name, step, step);
    }
}

static bool make_rows(struct bench_report *report, struct bench_options *options) {
    const size_t kinds = options->thread_count > 0 ? (size_t)options->thread_count : 1;
    const size_t most = (options->name_count + 1) * bench_entry_count * 2 * kinds;
    bool ok = true;
    report->rows = app_alloc(most * sizeof report->rows[0]);
    for (size_t k = 0; ok && k < kinds; k++) {
        int threads = options->thread_count > 0 ? options->threads[k] : 0;
        if (options->curve != NULL) {
            add_curve(report, options, threads);
            continue;
        }
        for (size_t i = 0; options->name_count == 0 && i < bench_entry_count; i++) {
            add_rows(report, options, &bench_entries[i], bench_entries[i].scale, threads);
        }
        for (size_t i = 0; ok && i < options->name_count; i++) {
            ok = add_named(report, options, options->names[i], threads);
        }
    }
    return ok;
}

/* ---- the command ---- */

static int print_list(void) {
    for (size_t i = 0; i < bench_entry_count; i++) {
        const struct bench_entry *entry = &bench_entries[i];
        char scale[16] = "";
        if (entry->scale > 0) {
            snprintf(scale, sizeof scale, ":%d", entry->scale);
        }
        printf("%-16s%-8s %-8s %s%s\n", entry->name, scale, bench_unit_name(entry->unit),
               entry->summary, entry->flags & BENCH_PRECISION ? " (mediump, highp)" : "");
    }
    return CLI_OK;
}

static void join_command(int argc, char **argv, char *out, size_t size) {
    size_t used = (size_t)snprintf(out, size, "vlgl");
    for (int i = 0; i < argc && used < size; i++) {
        used += (size_t)snprintf(out + used, size - used, " %s", argv[i]);
    }
}

static int measure(int argc, char **argv, struct bench_options *options) {
    struct bench_report report;
    memset(&report, 0, sizeof report);
    report.rounds = options->rounds > 0 ? options->rounds : options->peer != NULL ? 3 : 1;
    join_command(argc, argv, report.command, sizeof report.command);
    int status = set_sides(options, &report) ? CLI_OK : CLI_FAILED;
    if (status == CLI_OK && !make_rows(&report, options)) {
        status = CLI_USAGE;
    }
    if (status == CLI_OK) {
        bool ok = bench_run(&report);
        ok = (options->json == NULL || bench_write_json(&report, options->json)) && ok;
        ok = (options->plot == NULL || bench_write_plot(&report, options->plot)) && ok;
        status = ok ? CLI_OK : CLI_FAILED;
    }
    free(report.rows);
    return status;
}

int cmd_bench(int argc, char **argv) {
    struct bench_options options = {.width = BENCH_DEFAULT_SIDE,
                                    .height = BENCH_DEFAULT_SIDE,
                                    .precisions = WANT_MEDIUMP | WANT_HIGHP};
    if (argc > 1 && strcmp(argv[1], BENCH_CHILD_WORD) == 0) {
        return bench_child_main(argc - 2, argv + 2);
    }
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(usage_text, stdout);
            return CLI_OK;
        }
    }
    int status;
    if (!parse_options(argc, argv, &options)) {
        status = CLI_USAGE;
    } else if (options.list) {
        status = print_list();
    } else {
        status = measure(argc, argv, &options);
    }
    free(options.names);
    return status;
}
