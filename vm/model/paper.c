/* SPDX-License-Identifier: MIT */
/* The papers' tables: rows, and the figures that concern the machine itself rather than a kernel. */
#include "vm/model/paper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sim_paper_row *paper_row(struct sim_paper *paper, const char *name, const char *form, const char *unit) {
    if (paper->count == SIM_PAPER_ROWS) {
        return NULL;
    }
    struct sim_paper_row *row = &paper->row[paper->count++];
    *row = (struct sim_paper_row){.name = name, .form = form, .unit = unit, .ours = -1, .paper_value = -1};
    for (unsigned m = 0; m < SIM_MACHINES; m++) {
        row->other[m] = row->paper_other_value[m] = -1;
    }
    return row;
}

struct sim_paper_row *paper_put(struct sim_paper *paper, const char *name, const char *form, const char *unit, double ours,
                                const char *text, double value, const char *why) {
    struct sim_paper_row *row = paper_row(paper, name, form, unit);
    if (row != NULL) {
        row->ours = ours;
        row->paper = text;
        row->paper_value = value;
        row->why = why;
    }
    return row;
}

/* Row 'unit' of a kernel, NULL if there is none. */
static const struct sim_paper_row *find(const struct sim_paper *paper, const char *name, const char *form, const char *unit) {
    for (unsigned i = 0; i < paper->count; i++) {
        const struct sim_paper_row *r = &paper->row[i];
        if (strcmp(r->name, name) == 0 && strcmp(r->unit, unit) == 0 && (form == NULL || strcmp(r->form, form) == 0)) {
            return r;
        }
    }
    return NULL;
}

/* What watching a core shows of its pipeline. */
struct watch {
    uint64_t fetch[SIM_THREADS];
    uint64_t distance;           /* clocks between two fetches of a thread */
    bool even;                   /* the distance never changed */
    unsigned stages;
};

static void look(void *observer, uint64_t clock, unsigned thread, unsigned stage, uint32_t unit, bool ghost) {
    struct watch *w = observer;
    (void)ghost;
    if (stage == SIM_FETCH) {
        uint64_t d = clock - w->fetch[thread];
        if (unit != 0) {
            w->even = w->even && (w->distance == 0 || w->distance == d);
            w->distance = d;
        }
        w->fetch[thread] = clock;
    }
    if (thread == 0 && unit == 0 && stage != SIM_WRITE1) {
        w->stages++;
    }
}

/* Pipeline: counted by watching a program that keeps all threads, both phases and both read clocks busy. */
static bool pipeline(struct sim_paper *paper, struct vliw_error *error) {
    struct watch w = {.even = true};
    struct sim_config config = {.observe = look, .observer = &w};
    struct sim_result result;
    struct vliw_program *program =
        paper_program("MUL r0 r1 - r2 | ADD r3 r4 - r5\nMUL r6 r0 - r3 | ADD r1 r0 - r3\nMUL r2 r6 - r1 | ADD r3 r6 - r1\nEND\n",
                      error);
    struct sim_core *core = program != NULL ? sim_core_create(program, &config, error) : NULL;
    bool ok = core != NULL;
    if (ok) {
        sim_core_run(core, &result);
        ok = result.status == VLIW_OK && w.even ? true : paper_fail(error, "pipeline", "ports or hazards");
    }
    if (ok) {
        uint64_t slots = result.use[SIM_ISSUE];
        paper_put(paper, "pipeline stages", "fetch .. write back", "", w.stages, "8", 8, NULL);
        paper_put(paper, "threads", "round robin", "", (double)w.distance, "8", 8, "clocks from one issue of a thread to its next");
        paper_put(paper, "issue rate", "all threads, 4 sources and 2 results each", "per clock",
            (double)slots / (double)(result.clocks - 7), "1", 1, "no hazard stalls: ports were counted in every clock");
    }
    sim_core_destroy(core);
    vliw_program_destroy(program);
    return ok;
}

/* The fixed format of P1 Fig. 2, field by field. */
static void fixed_format(struct sim_paper *paper) {
    static const unsigned bits[9][2] = {{6, 2}, {5, 2}, {4, 2}, {5, 4}, {8, 4}, {1, 2}, {1, 4}, {3, 2}, {4, 2}};
    unsigned sum = 0;
    for (unsigned i = 0; i < 9; i++) {
        sum += bits[i][0] * bits[i][1];
    }
    paper_put(paper, "fixed format", "fields of P1 Fig. 2", "bits", sum, "102 (text: 109)", 102,
        "operation, destination, mask, sources, swizzles, predicate, negate, constant, indirect");
}

bool paper_machine(struct sim_paper *paper, struct vliw_error *error) {
    const struct sim_paper_row *dot = find(paper, "DOT4", NULL, "words"), *dot_cycles = find(paper, "DOT4", NULL, "cycles");
    const struct sim_paper_row *matrix = find(paper, "matrix 4x4", "columns in globals, w = 1", "words");
    double most = 0.0;
    if (dot == NULL || dot_cycles == NULL || matrix == NULL) {
        return paper_fail(error, "table", "rows are missing");
    }
    for (unsigned i = 0; i < paper->count; i++) {
        const struct sim_paper_row *r = &paper->row[i];
        if (strcmp(r->unit, "cycles") == 0 && r->other[SIM_VLIW128] > 0 && r->ours > 0 && strstr(r->name, "branch") == NULL &&
            strstr(r->name, "call") == NULL) {
            most = r->other[SIM_VLIW128] / r->ours > most ? r->other[SIM_VLIW128] / r->ours : most;
        }
    }
    paper_put(paper, "code size, DOT4", "of the 128-bit VLIW's", "%", 100.0 * dot->ours / dot->other[SIM_VLIW128], "25", 25, NULL);
    paper_put(paper, "code size, matrix 4x4", "of the 128-bit VLIW's, w = 1", "%", 100.0 * matrix->ours / matrix->other[SIM_VLIW128],
        "37.5", 37.5, "our schedule for the 128-bit machine is tighter than the paper's 6 instructions");
    paper_put(paper, "speed, most", "128-bit VLIW's cycles / ours, arithmetic", "x", most, "up to 2", 2,
        "three execute stages, forwarded: a dependent operation waits 3 cycles");
    fixed_format(paper);
    return pipeline(paper, error);
}

struct sim_paper *sim_paper_run(struct vliw_error *error) {
    struct sim_paper *paper = calloc(1, sizeof *paper);
    if (paper == NULL) {
        *error = (struct vliw_error){.status = VLIW_ERR_MEMORY};
        snprintf(error->message, sizeof error->message, "out of memory");
        return NULL;
    }
    paper->baseline = (struct sim_baseline_config){.latency = 3, .load_latency = 3, .penalty = 4};
    if (!paper_kernels(paper, error) || !paper_programs(paper, error) || !paper_machine(paper, error)) {
        free(paper);
        return NULL;
    }
    return paper;
}

void sim_paper_destroy(struct sim_paper *paper) { free(paper); }
