/* SPDX-License-Identifier: MIT */
/*
 * vlgl sim --warps: schedulers compared on the programs of samples and of recordings. A table for one machine, then
 * sweeps over warps, latency and misses in flight; CSV of every run, and curves.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/pixfont.h"
#include "cli.h"
#include "sim_cli.h"
#include "sim_workload.h"

#define LEAST 48u   /* warps of a program that counts */
#define MOST 1500u
#define SCHEDULERS 8u
#define POINTS 7u
#define SWEEPS 3

struct sweep {
    const char *axis;
    size_t field; /* of the configuration */
    unsigned count;
    uint32_t value[POINTS];
    double ipc[SCHEDULERS][POINTS];  /* mean of used slots over the workloads */
    double gain[SCHEDULERS][POINTS]; /* geometric mean of clocks of lrr / clocks */
};

struct compare {
    const struct sim_options *options;
    struct sim_workloads workloads;
    const struct sim_scheduler *scheduler[SCHEDULERS];
    unsigned count, lrr, gto, memory_first;
    struct sim_warp_config config;
    FILE *csv;
    bool failed;
};

static void csv_row(struct compare *c, const struct sim_workload *w, const struct sim_warp_config *config, unsigned s,
                    const struct sim_warp_result *r) {
    if (c->csv == NULL) {
        return;
    }
    fprintf(c->csv, "%s,%s,%s,%u,%u,%u,%u,%u,%llu,%llu,%llu,%.4f,%.4f,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%.3f,%.3f\n", w->name,
            w->stage == VLIW_STAGE_VERTEX ? "vertex" : "fragment", c->scheduler[s]->name, (unsigned)config->cores,
            (unsigned)config->warps, (unsigned)config->latency, (unsigned)config->outstanding, (unsigned)config->blocking, (unsigned long long)r->clocks,
            (unsigned long long)r->slots, (unsigned long long)r->issued, (double)r->issued / (double)r->slots,
            (double)r->instructions / (double)r->clocks, (unsigned long long)r->stall[SIM_STALL_DATA], (unsigned long long)r->stall[SIM_STALL_PIPE],
            (unsigned long long)r->stall[SIM_STALL_SCHEDULER], (unsigned long long)r->stall[SIM_STALL_EMPTY],
            (unsigned long long)r->hits, (unsigned long long)r->merged, (unsigned long long)r->misses, r->memory_queue,
            r->compute_queue);
}

static bool run(struct compare *c, const struct sim_workload *w, const struct sim_warp_config *config,
                struct sim_warp_result *r) {
    for (unsigned s = 0; s < c->count; s++) {
        if (!sim_warp_run(w->trace, config, c->scheduler[s], &r[s])) {
            app_error("out of memory");
            c->failed = true;
            return false;
        }
        csv_row(c, w, config, s, &r[s]);
    }
    return true;
}

/* ---- One machine ---- */

struct sums {
    double log_gain[SCHEDULERS]; /* of lrr's clocks over the scheduler's */
    double log_gain_gto[SCHEDULERS];
    double stall[SCHEDULERS][SIM_STALLS], issued[SCHEDULERS], slots[SCHEDULERS];
    double queue[SCHEDULERS][2];
    double hits, lines;
    unsigned count;
};

static void add(const struct compare *c, const struct sim_warp_result *r, struct sums *sum) {
    for (unsigned s = 0; s < c->count; s++) {
        sum->log_gain[s] += log((double)r[c->lrr].clocks / (double)r[s].clocks);
        sum->log_gain_gto[s] += log((double)r[c->gto].clocks / (double)r[s].clocks);
        for (unsigned k = 0; k < SIM_STALLS; k++) {
            sum->stall[s][k] += (double)r[s].stall[k] / (double)r[s].slots;
        }
        sum->issued[s] += (double)r[s].issued / (double)r[s].slots;
        sum->queue[s][0] += r[s].memory_queue;
        sum->queue[s][1] += r[s].compute_queue;
    }
    sum->hits += (double)(r[c->lrr].hits + r[c->lrr].merged);
    sum->lines += (double)(r[c->lrr].hits + r[c->lrr].merged + r[c->lrr].misses);
    sum->count++;
}

static void print_row(const struct compare *c, const struct sim_workload *w, const struct sim_warp_result *r) {
    unsigned best = 0;
    for (unsigned s = 1; s < c->count; s++) {
        best = r[s].clocks < r[best].clocks ? s : best;
    }
    const struct sim_warp_result *l = &r[c->lrr];
    double lines = (double)(l->hits + l->merged + l->misses);
    printf("  %-28s %5llu %8llu %6llu %5.1f", w->name, (unsigned long long)w->size.warps,
           (unsigned long long)w->size.instructions, (unsigned long long)w->size.reads,
           lines > 0 ? 100.0 * (double)(l->hits + l->merged) / lines : 100.0);
    for (unsigned s = 0; s < c->count; s++) {
        printf(" %9llu %5.3f%c", (unsigned long long)r[s].clocks, (double)r[s].issued / (double)r[s].slots, s == best ? '*' : ' ');
    }
    putchar('\n');
}

static void print_sums(const struct compare *c, const struct sums *sum) {
    printf("\n  means over %u programs; speed: geometric mean of clocks, lrr's over the scheduler's, and gto's\n", sum->count);
    printf("  %-13s %9s %9s %7s", "", "over lrr", "over gto", "used");
    for (unsigned k = 0; k < SIM_STALLS; k++) {
        printf(" %9s", sim_stall_name(k));
    }
    printf("  memory queue  compute queue\n");
    for (unsigned s = 0; s < c->count; s++) {
        printf("  %-13s %+8.1f%% %+8.1f%% %6.1f%%", c->scheduler[s]->name, 100.0 * (exp(sum->log_gain[s] / sum->count) - 1.0),
               100.0 * (exp(sum->log_gain_gto[s] / sum->count) - 1.0), 100.0 * sum->issued[s] / sum->count);
        for (unsigned k = 0; k < SIM_STALLS; k++) {
            printf(" %8.1f%%", 100.0 * sum->stall[s][k] / sum->count);
        }
        printf("  %12.2f  %13.2f\n", sum->queue[s][0] / sum->count, sum->queue[s][1] / sum->count);
    }
}

/* Where memory-first is ahead of and behind another scheduler. */
static void print_wins(const struct compare *c, const double *gain, unsigned other) {
    unsigned wins = 0, losses = 0;
    size_t best = 0, worst = 0;
    for (size_t i = 0; i < c->workloads.count; i++) {
        wins += gain[i] > 0.005;
        losses += gain[i] < -0.005;
        best = gain[i] > gain[best] ? i : best;
        worst = gain[i] < gain[worst] ? i : worst;
    }
    printf("  memory-first against %-9s: ahead in %u, behind in %u of %zu; best %s %+.1f%%, worst %s %+.1f%%\n",
           c->scheduler[other]->name, wins, losses, c->workloads.count, c->workloads.at[best].name, 100.0 * gain[best],
           c->workloads.at[worst].name, 100.0 * gain[worst]);
}

/* Programs that never touch memory cost the same under every scheduler: they are named and left out. */
static void drop_plain(struct compare *c) {
    size_t kept = 0;
    unsigned plain = 0;
    for (size_t i = 0; i < c->workloads.count; i++) {
        if (c->workloads.at[i].size.reads > 0) {
            c->workloads.at[kept++] = c->workloads.at[i];
        } else {
            plain++;
            sim_trace_destroy(c->workloads.at[i].trace);
        }
    }
    c->workloads.count = kept;
    if (plain > 0) {
        printf("%u programs that read no memory run alike under all schedulers and are left out\n", plain);
    }
}

static bool table(struct compare *c) {
    struct sums sum = {.count = 0};
    struct sim_warp_result r[SCHEDULERS];
    double *gain = app_alloc(SCHEDULERS * c->workloads.count * sizeof gain[0] + sizeof gain[0]);
    const struct sim_warp_config *m = &c->config;
    printf("%u cores of %u warps of 8 threads; cache %u bytes, %u ways, hit %u, miss %u clocks, a line each %u; %u misses in "
           "flight; warps wait at %s\n\n",
           (unsigned)m->cores, (unsigned)m->warps, (unsigned)m->cache_bytes, (unsigned)m->ways, (unsigned)m->hit_latency,
           (unsigned)m->latency, (unsigned)m->interval, (unsigned)m->outstanding, m->blocking ? "their loads" : "the first use");
    printf("  %-28s %5s %8s %6s %5s", "program", "warps", "instrs", "reads", "hit%");
    for (unsigned s = 0; s < c->count; s++) {
        printf(" %9s %5s ", c->scheduler[s]->name, "used");
    }
    putchar('\n');
    for (size_t i = 0; i < c->workloads.count; i++) {
        if (!run(c, &c->workloads.at[i], m, r)) {
            break;
        }
        print_row(c, &c->workloads.at[i], r);
        add(c, r, &sum);
        for (unsigned s = 0; c->memory_first < c->count && s < c->count; s++) {
            gain[s * c->workloads.count + i] = (double)r[s].clocks / (double)r[c->memory_first].clocks - 1.0;
        }
    }
    if (!c->failed) {
        print_sums(c, &sum);
        for (unsigned s = 0; c->memory_first < c->count && s < c->count; s++) {
            if (s != c->memory_first) {
                print_wins(c, gain + s * c->workloads.count, s);
            }
        }
        if (c->memory_first < c->count) {
            printf("  the companion paper (GPGPU kernels on a simulated GPU): +12.7%% over lrr, +5.6%% over gto on average\n");
        }
    }
    free(gain);
    return !c->failed;
}

/* ---- Sweeps ---- */

static bool run_sweep(struct compare *c, struct sweep *w) {
    for (unsigned p = 0; p < w->count; p++) {
        struct sim_warp_config config = c->config;
        memcpy((char *)&config + w->field, &w->value[p], sizeof w->value[p]);
        for (unsigned s = 0; s < c->count; s++) {
            w->ipc[s][p] = w->gain[s][p] = 0.0;
        }
        for (size_t i = 0; i < c->workloads.count; i++) {
            struct sim_warp_result r[SCHEDULERS];
            if (!run(c, &c->workloads.at[i], &config, r)) {
                return false;
            }
            for (unsigned s = 0; s < c->count; s++) {
                w->ipc[s][p] += (double)r[s].issued / (double)r[s].slots / (double)c->workloads.count;
                w->gain[s][p] += log((double)r[c->lrr].clocks / (double)r[s].clocks) / (double)c->workloads.count;
            }
        }
    }
    return true;
}

static void print_sweep(const struct compare *c, const struct sweep *w) {
    printf("\n  over %s: used slots (speed over lrr)\n  %-13s", w->axis, "");
    for (unsigned p = 0; p < w->count; p++) {
        printf(" %15u", (unsigned)w->value[p]);
    }
    putchar('\n');
    for (unsigned s = 0; s < c->count; s++) {
        printf("  %-13s", c->scheduler[s]->name);
        for (unsigned p = 0; p < w->count; p++) {
            printf("  %5.3f (%+5.1f%%)", w->ipc[s][p], 100.0 * (exp(w->gain[s][p]) - 1.0));
        }
        putchar('\n');
    }
}

/* ---- Curves ---- */

#define PANEL_W 520
#define PANEL_H 300
#define MARGIN 70

static void dot_line(struct image *img, int x0, int y0, int x1, int y1, const uint8_t color[3]) {
    int steps = abs(x1 - x0) > abs(y1 - y0) ? abs(x1 - x0) : abs(y1 - y0);
    for (int i = 0; i <= steps; i++) {
        int x = x0 + (steps > 0 ? (x1 - x0) * i / steps : 0);
        int y = y0 + (steps > 0 ? (y1 - y0) * i / steps : 0);
        pixfont_rect(img, x - 1, y - 1, 3, 3, color);
    }
}

/* One panel: used slots from 0 to 1, or speed over lrr, over the sweep's values. */
static void panel(struct image *img, const struct compare *c, const struct sweep *w, int left, int top, bool gain) {
    char text[64];
    double low = 0.0, high = 1.0, step = 0.2;
    for (unsigned s = 0; gain && s < c->count; s++) {
        for (unsigned p = 0; p < w->count; p++) {
            double v = 100.0 * (exp(w->gain[s][p]) - 1.0);
            low = fmin(low, v);
            high = fmax(high, v);
        }
    }
    if (gain) { /* at most seven lines, at round figures, 0 among them */
        static const double steps[] = {1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0};
        unsigned k = 0;
        low = fmax(low, -60.0);
        while (k < 6 && ceil(high / steps[k]) - floor(low / steps[k]) > 6.0) {
            k++;
        }
        step = steps[k];
        low = floor(low / step) * step;
        high = ceil(high / step) * step;
    }
    pixfont_text(img, left, top - 30, SIM_TEXT, gain ? "speed over lrr, %" : "share of issue slots used", sim_ink);
    const int lines = (int)lround((high - low) / step);
    for (int i = 0; i <= lines; i++) {
        const double value = low + step * i;
        const int y = top + PANEL_H - PANEL_H * i / lines;
        pixfont_rect(img, left, y, PANEL_W, 1, gain && fabs(value) < step / 2 ? sim_ink : sim_faint);
        snprintf(text, sizeof text, gain ? "%.0f" : "%.1f", value);
        pixfont_text(img, left - 10 - (int)strlen(text) * SIM_CHAR, y - 7, SIM_TEXT, text, sim_ink);
    }
    for (unsigned p = 0; p < w->count; p++) {
        int x = left + PANEL_W * (int)p / (int)(w->count - 1);
        pixfont_rect(img, x, top, 1, PANEL_H, sim_faint);
        snprintf(text, sizeof text, "%u", (unsigned)w->value[p]);
        pixfont_text(img, x - (int)strlen(text) * 6, top + PANEL_H + 8, SIM_TEXT, text, sim_ink);
    }
    pixfont_text(img, left + PANEL_W / 2 - (int)strlen(w->axis) * 6, top + PANEL_H + 30, SIM_TEXT, w->axis, sim_ink);
    for (unsigned s = 0; s < c->count; s++) {
        int last_x = 0, last_y = 0;
        for (unsigned p = 0; p < w->count; p++) {
            double v = gain ? 100.0 * (exp(w->gain[s][p]) - 1.0) : w->ipc[s][p];
            v = fmin(fmax(v, low), high);
            int x = left + PANEL_W * (int)p / (int)(w->count - 1);
            int y = top + PANEL_H - (int)lround((v - low) / (high - low) * PANEL_H);
            pixfont_rect(img, x - 4, y - 4, 9, 9, sim_color(s));
            if (p > 0) {
                dot_line(img, last_x, last_y, x, y, sim_color(s));
            }
            last_x = x;
            last_y = y;
        }
    }
}

static bool write_curves(const struct compare *c, const struct sweep *sweeps) {
    char text[160];
    struct image img = app_image(SWEEPS * (PANEL_W + 2 * MARGIN), 2 * (PANEL_H + 2 * MARGIN) + 60);
    pixfont_rect(&img, 0, 0, img.width, img.height, sim_paper_color);
    snprintf(text, sizeof text, "warp schedulers, mean of %zu programs", c->workloads.count);
    pixfont_text(&img, 16, 12, SIM_TEXT, text, sim_ink);
    int x = 16;
    for (unsigned s = 0; s < c->count; s++) {
        pixfont_rect(&img, x, 40, 18, 14, sim_color(s));
        pixfont_text(&img, x + 24, 40, SIM_TEXT, c->scheduler[s]->name, sim_ink);
        x += 24 + (int)strlen(c->scheduler[s]->name) * SIM_CHAR + 24;
    }
    for (unsigned row = 0; row < 2; row++) {
        int top = 60 + MARGIN + (int)row * (PANEL_H + 2 * MARGIN);
        for (int i = 0; i < SWEEPS; i++) {
            panel(&img, c, &sweeps[i], MARGIN + i * (PANEL_W + 2 * MARGIN), top, row == 1);
        }
    }
    return sim_write_picture(c->options->output, &img);
}

/* ---- The mode ---- */

/* The named samples and recordings, or all samples. */
static void gather(struct compare *c) {
    const struct sim_options *o = c->options;
    const size_t count = o->name_count > 0 ? o->name_count : cli_sample_count;
    for (size_t i = 0; i < count && !c->failed; i++) {
        const struct sample *s = o->name_count > 0 ? cli_find_sample(o->names[i]) : cli_samples[i];
        c->failed = s != NULL ? !sim_capture(&c->workloads, s, o->width, o->height, LEAST, MOST)
                              : !sim_recording(&c->workloads, o->names[i], LEAST);
    }
}

static void choose(struct compare *c) {
    unsigned all;
    const struct sim_scheduler *table_of = sim_schedulers(&all);
    c->memory_first = SCHEDULERS;
    for (unsigned i = 0; i < all && c->count < SCHEDULERS; i++) {
        if (table_of[i].patented && !c->options->memory_first) {
            continue;
        }
        c->lrr = strcmp(table_of[i].name, "lrr") == 0 ? c->count : c->lrr;
        c->gto = strcmp(table_of[i].name, "gto") == 0 ? c->count : c->gto;
        c->memory_first = strcmp(table_of[i].name, "memory-first") == 0 ? c->count : c->memory_first;
        c->scheduler[c->count++] = &table_of[i];
    }
}

int sim_run_warps(const struct sim_options *options) {
    struct sweep sweeps[SWEEPS] = {
        {.axis = "warps a core", .field = offsetof(struct sim_warp_config, warps), .count = 6, .value = {2, 4, 8, 16, 32, 64}},
        {.axis = "miss latency, clocks", .field = offsetof(struct sim_warp_config, latency), .count = 6,
         .value = {25, 50, 100, 200, 400, 800}},
        {.axis = "misses in flight of a core", .field = offsetof(struct sim_warp_config, outstanding), .count = 6,
         .value = {8, 16, 32, 64, 128, 256}},
    };
    struct compare *c = app_alloc(sizeof *c);
    char temporary[600];
    c->options = options;
    c->config = options->machine;
    const char *fault = sim_warp_config_fault(&c->config);
    if (fault != NULL) {
        app_error("sim --warps: %s", fault);
        free(c);
        return CLI_FAILED;
    }
    choose(c);
    gather(c);
    drop_plain(c);
    if (!c->failed && c->workloads.count == 0) {
        app_error("sim --warps: no program runs %u warps and reads memory", LEAST);
        c->failed = true;
    }
    if (!c->failed && options->csv != NULL) {
        snprintf(temporary, sizeof temporary, "%.580s.part", options->csv);
        c->csv = fopen(temporary, "w");
        if (c->csv == NULL) {
            app_error("%s: cannot be written", options->csv);
            c->failed = true;
        } else {
            fputs("program,stage,scheduler,cores,warps,latency,outstanding,blocking,clocks,slots,issued,used,ipc,data,pipe,scheduler_stall,"
                  "empty,hits,merged,misses,memory_queue,compute_queue\n", c->csv);
        }
    }
    bool ok = !c->failed && table(c);
    for (unsigned i = 0; ok && i < SWEEPS; i++) {
        ok = run_sweep(c, &sweeps[i]);
        if (ok) {
            print_sweep(c, &sweeps[i]);
        }
    }
    ok = ok && (options->output == NULL || write_curves(c, sweeps));
    if (c->csv != NULL) {
        bool whole = fclose(c->csv) == 0 && ok && rename(temporary, options->csv) == 0;
        if (!whole) {
            remove(temporary);
            if (ok) {
                app_error("%s: cannot be written", options->csv);
            }
        }
        ok = ok && whole;
    }
    sim_workloads_free(&c->workloads);
    free(c);
    return ok ? CLI_OK : CLI_FAILED;
}
