/* SPDX-License-Identifier: MIT */
/* The table, which grows row by row, its summary, and the JSON file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

/* Three significant digits or so, in at most eight characters. */
static const char *figure(char out[24], double value) {
    int digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.9995 ? 2 : 3;
    snprintf(out, 24, "%.*f", digits, value);
    return out;
}

void bench_print_head(const struct bench_report *report) {
    const char *threads = report->row_count > 0 && report->rows[0].task.threads > 0 ? " thr" : "";
    if (report->side_count == 2) {
        printf("%-24s%s %-8s %9.9s %9.9s %6s %6s %8s %8s\n", "workload", threads, "unit",
               report->sides[0].label, report->sides[1].label, "ratio", "cpu", "ms", "ms");
    } else {
        printf("%-24s%s %-8s %9s  %9s %8s %8s %8s\n", "workload", threads, "unit", "rate",
               "ms/frame", "Mvert/s", "Mtri/s", "Mpix/s");
    }
    fflush(stdout);
}

/* The rate of a count that the row may lack. */
static const char *side_figure(char out[24], const struct bench_row *row, enum bench_unit unit) {
    double count = row->last[0].counts.of[unit];
    if (count <= 0.0) {
        return "-";
    }
    return figure(out, count / row->ms[0] * 1e-3);
}

/* Memory belongs to the start-up row. */
static void print_memory(const struct bench_report *report, const struct bench_row *row) {
    static const char *const names[2] = {"  peak memory", "  shared objects mapped"};
    for (int k = 0; k < 2; k++) {
        char text[2][24] = {"", ""};
        double mb[2] = {0.0, 0.0};
        for (int side = 0; side < report->side_count; side++) {
            mb[side] = k == 0 ? row->last[side].peak_mb : row->last[side].mapped_mb;
            figure(text[side], mb[side]);
        }
        printf("%-24s%s %-8s %9s", names[k], row->task.threads > 0 ? "    " : "", "MB", text[0]);
        if (report->side_count == 2) {
            printf(" %9s %6.2f", text[1], mb[0] > 0.0 ? mb[1] / mb[0] : 0.0);
        }
        putchar('\n');
    }
}

void bench_print_row(const struct bench_report *report, const struct bench_row *row) {
    char text[5][24];
    char threads[16] = "";
    if (row->task.threads > 0) {
        snprintf(threads, sizeof threads, " %3d", row->task.threads);
    }
    printf("%-24s%s %-8s", row->name, threads, bench_unit_name(row->task.entry->unit));
    if (row->is_skipped) {
        printf(" skipped by %s: %s\n", row->skip_side, row->last[0].note);
    } else if (!row->is_done) {
        printf(" failed\n");
    } else if (report->side_count == 2) {
        printf(" %9s %9s %6.2f %6.2f %8s %8s%s\n", figure(text[0], bench_rate(row, 0)),
               figure(text[1], bench_rate(row, 1)), row->ratio, row->cpu_ratio,
               figure(text[2], row->ms[0]), figure(text[3], row->ms[1]),
               row->differs ? "  PICTURES DIFFER" : "");
    } else {
        printf(" %9s  %9s %8s %8s %8s\n", figure(text[0], bench_rate(row, 0)),
               figure(text[1], row->ms[0]), side_figure(text[2], row, BENCH_VERTICES),
               side_figure(text[3], row, BENCH_TRIANGLES), side_figure(text[4], row, BENCH_PIXELS));
    }
    if (row->is_done && (row->task.entry->flags & BENCH_FRESH) != 0) {
        print_memory(report, row);
    }
    fflush(stdout);
}

/* Calls f for each number of threads that rows have, once. */
static bool first_of_threads(const struct bench_report *report, size_t row) {
    for (size_t i = 0; i < row; i++) {
        if (report->rows[i].task.threads == report->rows[row].task.threads) {
            return false;
        }
    }
    return true;
}

static void print_means(const struct bench_report *report, int threads) {
    static const char *const kinds[] = {"time", "processor time"};
    char label[32] = "";
    if (threads > 0) {
        snprintf(label, sizeof label, ", %d thread%s", threads, threads == 1 ? "" : "s");
    }
    for (int kind = 0; kind < 2; kind++) {
        int count[3];
        double all = bench_geometric_mean(report, threads, -1, kind, &count[0]);
        double high = bench_geometric_mean(report, threads, BENCH_HIGHP, kind, &count[1]);
        double medium = bench_geometric_mean(report, threads, BENCH_MEDIUMP, kind, &count[2]);
        if (count[0] == 0) {
            continue;
        }
        printf("geometric mean of %d throughput rows%s, by %s: %.2f", count[0], label, kinds[kind],
               all);
        if (count[1] < count[0] && count[2] < count[0]) {
            printf(" (with shaders in highp only: %.2f, in mediump only: %.2f)", high, medium);
        }
        putchar('\n');
    }
}

void bench_print_summary(const struct bench_report *report) {
    for (int side = 0; side < report->side_count; side++) {
        const char *renderer = "(no row was measured)";
        for (size_t i = 0; i < report->row_count; i++) {
            renderer = report->rows[i].is_done ? report->rows[i].last[side].renderer : renderer;
        }
        printf("%s: %s\n", report->sides[side].label, renderer);
    }
    for (size_t i = 0; report->side_count == 2 && i < report->row_count; i++) {
        int threads = report->rows[i].task.threads;
        if (first_of_threads(report, i)) {
            print_means(report, threads);
        }
    }
}

/* ---- JSON ---- */

static void json_string(FILE *to, const char *text) {
    putc('"', to);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(to, "\\%c", c);
        } else if (c < 0x20 || c >= 0x7f) {
            fprintf(to, "\\u%04x", c); /* names are ASCII; other bytes are taken as Latin-1 */
        } else {
            putc(c, to);
        }
    }
    putc('"', to);
}

static void json_side(FILE *to, const struct bench_row *row, int side) {
    static const struct {
        const char *key;
        enum bench_unit unit;
        double divisor;
    } rates[] = {{"Mvertices_per_s", BENCH_VERTICES, 1e6},
                 {"Mtriangles_per_s", BENCH_TRIANGLES, 1e6},
                 {"Mpixels_per_s", BENCH_PIXELS, 1e6},
                 {"kdraws_per_s", BENCH_DRAWS, 1e3},
                 {"GFLOP_per_s", BENCH_FLOPS, 1e9},
                 {"MB_per_s", BENCH_BYTES, 1e6}};
    const struct bench_sample *sample = &row->last[side];
    fprintf(to, "{\"ms\": %.6g, \"least_ms\": %.6g, \"cpu_ms\": %.6g, \"frames\": %d",
            row->ms[side], row->min_ms[side], row->cpu_ms[side], sample->frames);
    fprintf(to, ", \"hash\": \"%s\", \"peak_MB\": %.6g, \"mapped_MB\": %.6g", sample->hash,
            sample->peak_mb, sample->mapped_mb);
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        double count = sample->counts.of[rates[i].unit];
        if (count > 0.0) {
            fprintf(to, ", \"%s\": %.6g", rates[i].key,
                    count / (row->ms[side] * 1e-3) / rates[i].divisor);
        }
    }
    fputs("}", to);
}

static void json_row(FILE *to, const struct bench_report *report, const struct bench_row *row) {
    fputs("    {\"name\": ", to);
    json_string(to, row->name);
    fprintf(to, ", \"unit\": \"%s\", \"scale\": %d, \"width\": %d, \"height\": %d, \"threads\": %d",
            bench_unit_name(row->task.entry->unit), row->task.scale, row->task.width,
            row->task.height, row->task.threads);
    if ((row->task.entry->flags & BENCH_PRECISION) != 0) {
        fprintf(to, ", \"precision\": \"%s\"",
                row->task.precision == BENCH_MEDIUMP ? "mediump" : "highp");
    }
    if (row->is_skipped) {
        fputs(", \"skipped\": ", to);
        json_string(to, row->last[0].note);
    } else if (!row->is_done) {
        fputs(", \"failed\": true", to);
    } else {
        for (int side = 0; side < report->side_count; side++) {
            fprintf(to, ",\n     \"%s\": ", side == 0 ? "a" : "b");
            json_side(to, row, side);
        }
        if (report->side_count == 2) {
            fprintf(to, ",\n     \"ratio\": %.6g, \"cpu_ratio\": %.6g, \"pictures_differ\": %s",
                    row->ratio, row->cpu_ratio, row->differs ? "true" : "false");
        }
    }
    fputs("}", to);
}

static void json_report(FILE *to, const struct bench_report *report) {
    char date[32] = "";
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) != NULL) {
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts);
    }
    fprintf(to, "{\n  \"date\": \"%s\",\n  \"command\": ", date);
    json_string(to, report->command);
    fprintf(to, ",\n  \"rounds\": %d,\n  \"sides\": [", report->rounds);
    for (int side = 0; side < report->side_count; side++) {
        const char *renderer = "";
        for (size_t i = 0; i < report->row_count; i++) {
            renderer = report->rows[i].is_done ? report->rows[i].last[side].renderer : renderer;
        }
        fputs(side > 0 ? ", {\"label\": " : "{\"label\": ", to);
        json_string(to, report->sides[side].label);
        fputs(", \"renderer\": ", to);
        json_string(to, renderer);
        fputs("}", to);
    }
    fputs("],\n  \"rows\": [\n", to);
    for (size_t i = 0; i < report->row_count; i++) {
        json_row(to, report, &report->rows[i]);
        fputs(i + 1 < report->row_count ? ",\n" : "\n", to);
    }
    fputs("  ]", to);
    int count = 0;
    for (size_t i = 0; report->side_count == 2 && i < report->row_count; i++) {
        int threads = report->rows[i].task.threads;
        if (first_of_threads(report, i)) {
            double mean = bench_geometric_mean(report, threads, -1, false, &count);
            double cpu_mean = bench_geometric_mean(report, threads, -1, true, &count);
            fprintf(to, ",\n  \"geometric_mean_%d\": %.6g, \"cpu_geometric_mean_%d\": %.6g",
                    threads, mean, threads, cpu_mean);
        }
    }
    fputs("\n}\n", to);
}

bool bench_write_json(const struct bench_report *report, const char *path) {
    char *text = NULL;
    size_t size = 0;
    struct image_error err;
    FILE *to = open_memstream(&text, &size);
    if (to == NULL) {
        app_error("out of memory");
        return false;
    }
    json_report(to, report);
    bool ok = fclose(to) == 0;
    if (!ok) {
        app_error("out of memory");
    } else if (!image_write_file(path, text, size, &err)) {
        app_error("%s", err.text);
        ok = false;
    }
    free(text);
    return ok;
}
