/* SPDX-License-Identifier: MIT */
/*
 * Runs rows: for each, rounds of one child a side in turn (A B A B ...), then medians, the ratio
 * round by round, and whether both sides drew the same picture.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* Largest difference of the means of an 8x8 part, in 1/255; mediump may be 16-bit elsewhere. */
#define PICTURE_TOLERANCE 4
#define PICTURE_TOLERANCE_MEDIUMP 24

static const struct {
    const char *name;
    double divisor; /* of counts a second */
} units[BENCH_UNIT_COUNT] = {
    [BENCH_PIXELS] = {"Mpix/s", 1e6},  [BENCH_VERTICES] = {"Mvert/s", 1e6},
    [BENCH_TRIANGLES] = {"Mtri/s", 1e6}, [BENCH_DRAWS] = {"kdraw/s", 1e3},
    [BENCH_FLOPS] = {"GFLOP/s", 1e9},  [BENCH_BYTES] = {"MB/s", 1e6},
    [BENCH_TIME] = {"ms", 1.0},
};

const char *bench_unit_name(enum bench_unit unit) {
    return units[unit].name;
}

double bench_rate(const struct bench_row *row, int side) {
    enum bench_unit unit = row->task.entry->unit;
    if (unit == BENCH_TIME) {
        return row->ms[side];
    }
    return row->last[side].counts.of[unit] / (row->ms[side] * 1e-3) / units[unit].divisor;
}

static bool pictures_differ(const struct bench_row *row) {
    const int tolerance =
        row->task.precision == BENCH_MEDIUMP ? PICTURE_TOLERANCE_MEDIUMP : PICTURE_TOLERANCE;
    if ((row->task.entry->flags & BENCH_COARSE) != 0 && row->task.precision == BENCH_MEDIUMP) {
        return false;
    }
    for (int i = 0; i < BENCH_THUMB_BYTES; i++) {
        if (abs((int)row->last[0].thumb[i] - (int)row->last[1].thumb[i]) > tolerance) {
            return true;
        }
    }
    return false;
}

/* The median over rounds of how much more time the second side takes. */
static double median_ratio(const struct bench_sample *samples, size_t rounds, bool by_cpu,
                           double *values) {
    for (size_t i = 0; i < rounds; i++) {
        const struct bench_sample *pair = &samples[i * 2];
        values[i] = by_cpu ? pair[1].cpu_ms / pair[0].cpu_ms : pair[1].ms / pair[0].ms;
    }
    return bench_median(values, rounds);
}

/* A row's figures from its samples, samples[round * 2 + side]. */
static void evaluate(const struct bench_report *report, struct bench_row *row,
                     const struct bench_sample *samples) {
    const size_t rounds = (size_t)report->rounds;
    double *values = app_alloc(rounds * sizeof values[0]);
    for (int side = 0; side < report->side_count; side++) {
        row->last[side] = samples[(rounds - 1) * 2 + (size_t)side];
        row->min_ms[side] = row->last[side].min_ms;
        for (size_t i = 0; i < rounds; i++) {
            const struct bench_sample *sample = &samples[i * 2 + (size_t)side];
            values[i] = sample->ms;
            row->min_ms[side] = fmin(row->min_ms[side], sample->min_ms);
        }
        row->ms[side] = bench_median(values, rounds);
        for (size_t i = 0; i < rounds; i++) {
            values[i] = samples[i * 2 + (size_t)side].cpu_ms;
        }
        row->cpu_ms[side] = bench_median(values, rounds);
    }
    if (report->side_count == 2) {
        row->ratio = median_ratio(samples, rounds, false, values);
        row->cpu_ratio = median_ratio(samples, rounds, true, values);
        row->differs = pictures_differ(row);
    }
    row->is_done = true;
    free(values);
}

static bool run_row(const struct bench_report *report, struct bench_row *row) {
    struct bench_sample *samples = app_alloc((size_t)report->rounds * 2 * sizeof samples[0]);
    bool ok = true;
    for (int round = 0; ok && !row->is_skipped && round < report->rounds; round++) {
        for (int side = 0; ok && !row->is_skipped && side < report->side_count; side++) {
            struct bench_sample *sample = &samples[round * 2 + side];
            ok = bench_spawn(&report->sides[side], &row->task, sample);
            if (ok && sample->is_skipped) {
                row->is_skipped = true;
                row->skip_side = report->sides[side].label;
                row->last[0] = *sample;
            }
        }
    }
    if (ok && !row->is_skipped) {
        evaluate(report, row, samples);
    }
    free(samples);
    return ok;
}

bool bench_run(struct bench_report *report) {
    bool ok = true;
    bench_print_head(report);
    for (size_t i = 0; i < report->row_count; i++) {
        ok = run_row(report, &report->rows[i]) && ok;
        bench_print_row(report, &report->rows[i]);
        ok = ok && !report->rows[i].differs;
    }
    bench_print_summary(report);
    return ok;
}

double bench_geometric_mean(const struct bench_report *report, int threads, int precision,
                            bool by_cpu, int *count) {
    double sum = 0.0;
    *count = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct bench_row *row = &report->rows[i];
        const unsigned flags = row->task.entry->flags;
        bool wanted = row->is_done && (flags & BENCH_RATE) != 0 && row->task.threads == threads;
        if (wanted && (flags & BENCH_PRECISION) != 0 && precision >= 0) {
            wanted = (int)row->task.precision == precision;
        }
        if (wanted) {
            sum += log(by_cpu ? row->cpu_ratio : row->ratio);
            (*count)++;
        }
    }
    return *count > 0 ? exp(sum / *count) : 0.0;
}
