/* SPDX-License-Identifier: MIT */
/*
 * The kernels of both papers on four machines. Each is assembled, run on the core with all eight threads, its result
 * compared with the same sum done here in small whole numbers, and then scheduled for the other machines. Cycles are
 * issue slots of one thread: with eight threads that is what it costs the core.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/model/paper.h"

enum setup { SETUP_DOT, SETUP_MATRIX, SETUP_BRANCH, SETUP_CALL };

struct kernel {
    const char *name, *form, *text;
    uint8_t setup;               /* enum setup */
    uint8_t size;                /* of the matrix */
    bool w1;                     /* the vector's w counts as 1 */
    uint8_t result;              /* register */
    const char *words[3];        /* the papers' words: 128-bit, 64-bit, VL-IW; NULL = not given */
    double words_value[3];       /* the same as numbers for the chart, < 0 = none */
    const char *cycles;          /* the papers' instructions or cycles */
    double cycles_value;
    const char *why;
};

/* r0..r3 columns or operands, r4 the vector, c0..c3 columns; the program ends with END at the label 'done'. */
static const struct kernel kernels[] = {
    {"DOT4", "one operand consumed", "MUL A B\nADD A.xy A.zw\nADD A.x A.y\nEND\n", SETUP_DOT, 4, false, 0,
     {"12", "6", "3"}, {12, 6, 3}, NULL, -1, NULL},
    {"DOT4", "both operands kept", "MUL C A - B\nADD C.xy C.zw\nADD C.x C.y\nEND\n", SETUP_DOT, 4, false, 2,
     {NULL, NULL, NULL}, {-1, -1, -1}, NULL, -1, NULL},
    {"matrix 4x4", "in registers, consumed",
     "MUL r0 r4.x\nMUL r1 r4.y\nMUL r2 r4.z | ADD r0 r1\nMUL r3 r4.w | ADD r0 r2\nADD r0 r3\nEND\n", SETUP_MATRIX, 4,
     false, 0, {"24", "18", "9"}, {24, 18, 9}, "6 (from 10)", 6,
     "the papers' listings are lost: 9 words are those of the w = 1 form below; 24 and 18 are 6 instructions and 9 operations, "
     "here 7 of either"},
    {"matrix 4x4", "columns in globals, w = 1",
     "MUL r0 c0 -r4.x\nMUL r1 c1 -r4.y | ADD r0 c3\nMUL r2 c2 -r4.z | ADD r0 r1\nADD r0 r2\nEND\n", SETUP_MATRIX, 4, true, 0,
     {"24", "18", "9"}, {24, 18, 9}, "6 (from 10)", 6,
     "the addition of a column runs beside the next product; the 64-bit machine's 18 words are 9 operations, 6 are enough"},
    {"matrix 4x4", "columns in globals, general",
     "MUL r0 c0 -r4.x\nMUL r1 c1 -r4.y\nMUL r2 c2 -r4.z | ADD r0 r1\nMUL r3 c3 -r4.w | ADD r0 r2\nADD r0 r3\nEND\n",
     SETUP_MATRIX, 4, false, 0, {NULL, NULL, NULL}, {-1, -1, -1}, "6 (from 10)", 6, "the vector is kept: a unit more a column"},
    {"matrix 3x3", "in registers, consumed",
     "MUL r0.xyz r4.x\nMUL r1.xyz r4.y\nMUL r2.xyz r4.z | ADD r0.xyz r1\nADD r0.xyz r2\nEND\n", SETUP_MATRIX, 3, false, 0,
     {NULL, NULL, NULL}, {-1, -1, -1}, "5 (from 8)", 5, "the paper adds the rows' products one component at a time"},
    {"matrix 3x3", "columns in globals",
     "MUL r0.xyz c0 -r4.x\nMUL r1.xyz c1 -r4.y\nMUL r2.xyz c2 -r4.z | ADD r0.xyz r1\nADD r0.xyz r2\nEND\n", SETUP_MATRIX, 3,
     false, 0, {NULL, NULL, NULL}, {-1, -1, -1}, "5 (from 8)", 5, "as above"},
    {"indirect branch", "if (A.x < 0) goto B.x + 4", "PRED N A.x ADDR B.x | BL D 4\nEND\nEND\n", SETUP_BRANCH, 0, false, 0,
     {"8 or 4", "4", "3 or 4"}, {8, 4, 3}, "1", 1,
     "of the chart 8, 4, 4 are left for this group; P1 Fig. 11 shows 3 units"},
    {"call, return", "nested two deep: 2 + 2", "CALL one\nEND\none: CALL two\nRETURN\ntwo: RETURN\n", SETUP_CALL, 0, false, 0,
     {"4 each", "6 a call", "3 each"}, {16, -1, 12}, "1 each", 4,
     "4, 6, 3 of the chart are one call; a return is two operations elsewhere"},
};

bool paper_fail(struct vliw_error *error, const char *name, const char *text) {
    *error = (struct vliw_error){.status = VLIW_ERR_ARGUMENT, .word = -1, .slot = -1, .rule = -1, .line = -1, .column = -1};
    snprintf(error->message, sizeof error->message, "%.80s: %.120s", name, text);
    return false;
}

struct vliw_program *paper_program(const char *text, struct vliw_error *error) {
    struct vliw_image *image = NULL;
    struct vliw_program *program = NULL;
    if (vliw_assemble(text, strlen(text), &image, error) == VLIW_OK) {
        vliw_program_create(image, &program, error);
    }
    vliw_image_destroy(image);
    return program;
}

struct trace {
    uint32_t unit[256];
    size_t count;
};

/* ---- Values ---- */

static void set(struct sim_core *core, unsigned thread, uint32_t reg, const float v[4]) {
    memcpy(sim_core_reg(core, thread, reg), v, 16);
}

static float element(unsigned row, unsigned column) { return (float)((row * 5 + column * 3) % 7) - 2.0f; }
static float coordinate(unsigned thread, unsigned c) { return (float)((thread * 3 + c * 2) % 5) + 1.0f; }

static void prepare(const struct kernel *k, struct sim_core *core) {
    float globals[4][4];
    for (unsigned col = 0; col < 4; col++) {
        for (unsigned row = 0; row < 4; row++) {
            globals[col][row] = element(row, col);
        }
    }
    sim_core_globals(core, (const uint32_t *)(const void *)globals, 4);
    for (unsigned t = 0; t < SIM_THREADS; t++) {
        float v[4], w[4];
        for (unsigned c = 0; c < 4; c++) {
            v[c] = coordinate(t, c);
            w[c] = coordinate(t + 1, c);
        }
        v[3] = k->w1 ? 1.0f : v[3];
        if (k->setup == SETUP_DOT) {
            set(core, t, 0, v);
            set(core, t, 1, w);
        } else if (k->setup == SETUP_MATRIX) {
            for (unsigned col = 0; col < 4; col++) {
                set(core, t, col, globals[col]);
            }
            set(core, t, 4, v);
        } else if (k->setup == SETUP_BRANCH) {
            set(core, t, 0, (const float[4]){-1.0f, 0, 0, 0});
        }
    }
}

/* Are the registers right, and did thread 0 go the way that it should? */
static bool right(const struct kernel *k, struct sim_core *core, const struct trace *trace) {
    bool good = true;
    if (k->setup == SETUP_BRANCH) {
        return trace->count == 2 && trace->unit[1] == 4;
    }
    if (k->setup == SETUP_CALL) {
        return trace->count == 5 && trace->unit[4] == 3;
    }
    for (unsigned t = 0; t < SIM_THREADS; t++) {
        float got[4], want;
        memcpy(got, sim_core_reg(core, t, k->result), 16);
        if (k->setup == SETUP_DOT) {
            want = 0.0f;
            for (unsigned c = 0; c < 4; c++) {
                want += coordinate(t, c) * coordinate(t + 1, c);
            }
            good = good && got[0] == want;
        } else if (k->setup == SETUP_MATRIX) {
            for (unsigned row = 0; row < k->size; row++) {
                want = 0.0f;
                for (unsigned col = 0; col < k->size; col++) {
                    want += element(row, col) * (k->w1 && col == 3 ? 1.0f : coordinate(t, col));
                }
                good = good && got[row] == want;
            }
        }
    }
    return good;
}

/* ---- Running ---- */

static void note(void *observer, uint64_t clock, unsigned thread, unsigned stage, uint32_t unit, bool ghost) {
    struct trace *t = observer;
    (void)clock;
    if (thread == 0 && stage == SIM_FETCH && !ghost && t->count < 256) {
        t->unit[t->count++] = unit;
    }
}

static bool ends(const struct core_inst *in) { return in->process == CORE_BRANCH && in->process_op == ISA_BRC_END; }

/* The kernel's own words and issue slots, END left out. */
static void measure(const struct sim_core *core, const struct trace *trace, double *words, double *slots) {
    *words = *slots = 0;
    for (uint32_t i = 0; i < core->program->info.instructions; i++) {
        const struct core_inst *in = &core->insts[i];
        *words += ends(in) ? 0 : in->next - in->pc;
    }
    for (size_t i = 0; i < trace->count; i++) {
        const struct core_inst *in = &core->insts[core->inst_at[trace->unit[i]]];
        *slots += ends(in) ? 0 : in->slots;
    }
}

static bool one(struct sim_paper *paper, const struct kernel *k, struct vliw_error *error) {
    struct trace trace = {.count = 0};
    struct sim_config config = {.observe = note, .observer = &trace};
    struct sim_result result;
    struct vliw_program *program = paper_program(k->text, error);
    struct sim_core *core = program != NULL ? sim_core_create(program, &config, error) : NULL;
    bool ok = core != NULL;
    if (ok) {
        prepare(k, core);
        sim_core_run(core, &result);
        ok = result.status == VLIW_OK && right(k, core, &trace) ? true : paper_fail(error, k->name, "a wrong value");
    }
    if (ok) {
        double words, slots;
        measure(core, &trace, &words, &slots);
        struct sim_paper_row *w = paper_row(paper, k->name, k->form, "words");
        struct sim_paper_row *c = paper_row(paper, k->name, k->form, "cycles");
        ok = w != NULL && c != NULL ? true : paper_fail(error, k->name, "too many rows");
        if (ok) {
            w->ours = words;
            c->ours = slots;
            w->paper = k->words[2];
            w->paper_value = k->words_value[2];
            c->paper = k->cycles;
            c->paper_value = k->cycles_value;
            w->why = k->why;
        }
        for (unsigned m = 0; ok && m < SIM_MACHINES; m++) {
            struct sim_baseline b;
            if (!sim_baseline_run(core, m, &paper->baseline, trace.unit, trace.count, &b)) {
                ok = paper_fail(error, k->name, "out of memory");
                break;
            }
            w->other[m] = (double)b.bits / 32.0;
            c->other[m] = (double)b.cycles;
            w->paper_other[m] = m < 2 ? k->words[m] : NULL;
            w->paper_other_value[m] = m < 2 ? k->words_value[m] : -1;
        }
    }
    sim_core_destroy(core);
    vliw_program_destroy(program);
    return ok;
}

bool paper_kernels(struct sim_paper *paper, struct vliw_error *error) {
    for (unsigned i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        if (!one(paper, &kernels[i], error)) {
            return false;
        }
    }
    return true;
}
