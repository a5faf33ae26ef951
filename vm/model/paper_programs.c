/* SPDX-License-Identifier: MIT */
/*
 * The papers' throughput figures: whole distributed programs, driver code included, run over many elements on all eight
 * threads with memory that answers in time, as the papers assume. Rates are elements over clocks at 100 MHz.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/model/paper.h"

#define MEGAHERTZ 100.0
#define VERTICES 2000u
#define SPANS 400u
#define SPAN_PIXELS 64u

/* Position r4 (w = 1), normal r5; c0..c3 matrix, c4 light in object space, c5 diffuse, c6 ambient colour. */
static const char light_text[] =
    ".stage vertex\n.in attrib 0 r4\n.in attrib 1 r5.xyz\n.out position r0\n.out varying 0 r7\n.globals 7\n"
    "MUL r6.xyz r5 - c4\n"
    "MUL r0 c0 -r4.x | ADD r6.x r6.y\n"
    "MUL r1 c1 -r4.y | ADDs r6.x r6.z\n"
    "MUL r2 c2 -r4.z | ADD r0 r1\n"
    "MUL r7 c5 -r6.x | ADD r0 r2\n"
    "ADD r0 c3\n"
    "RCP r3.w r0.w | ADD r7 c6\n"
    "MUL r0 r3.w\n"
    "END\n";

/* The same with a normal matrix c8..c10, a normal that is normalised, and the light in eye space. */
static const char full_text[] =
    ".stage vertex\n.in attrib 0 r4\n.in attrib 1 r5.xyz\n.out position r0\n.out varying 0 r9\n.globals 11\n"
    "MUL r6.xyz c8 -r5.x\n"
    "MUL r7.xyz c9 -r5.y\n"
    "MUL r8.xyz c10 -r5.z | ADD r6.xyz r7\n"
    "MUL r0 c0 -r4.x | ADD r6.xyz r8\n"
    "MUL r7.xyz r6 - r6 | ADD r0 c3\n"
    "MUL r8.xyz r6 - c4 | ADD r7.x r7.y\n"
    "MUL r1 c1 -r4.y | ADD r7.x r7.z\n"
    "MUL r2 c2 -r4.z | ADD r0 r1\n"
    "RSQ r7.w r7.x | ADD r8.x r8.y\n"
    "ADD r8.x r8.z\n"
    "MULs r8.x r7.w | ADD r0 r2\n"
    "MUL r9 c5 -r8.x | RCP r3.w r0.w\n"
    "MUL r0 r3.w | ADD r9 c6\n"
    "END\n";

/* A bare transform: what the 2009 paper's 16.6 M vertices/s are, at 6 instructions. */
static const char transform_text[] =
    ".stage vertex\n.in attrib 0 r4\n.out position r0\n.globals 4\n"
    "MUL r0 c0 -r4.x\nMUL r1 c1 -r4.y\nMUL r2 c2 -r4.z | ADD r0 r1\nMUL r3 c3 -r4.w | ADD r0 r2\nADD r0 r3\nEND\n";

static const float globals[11][4] = {
    {0.5f, 0.0f, 0.25f, 0.0f}, {0.0f, 0.75f, 0.0f, 0.125f}, {0.25f, 0.0f, 1.0f, 1.0f}, {0.5f, -0.5f, 2.0f, 4.0f},
    {0.5f, 0.5f, 0.25f, 0.0f}, {0.75f, 0.5f, 0.25f, 1.0f},  {0.125f, 0.125f, 0.25f, 0.0f}, {0, 0, 0, 0},
    {1.0f, 0.25f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.25f, 0.0f},   {0.25f, 0.0f, 1.0f, 0.0f}};

static float random_value(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 20) / 2048.0f - 1.0f;
}

/* ---- What the programs must compute, in their order of operations ---- */

static void transform(const float v[4], float w, float r[4]) {
    for (unsigned c = 0; c < 4; c++) {
        r[c] = globals[0][c] * v[0] + globals[1][c] * v[1];
    }
    for (unsigned c = 0; c < 4; c++) {
        r[c] = r[c] + globals[2][c] * v[2];
        r[c] = r[c] + (w == 1.0f ? globals[3][c] : globals[3][c] * w);
    }
}

static float saturate(float v) { return v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f; }

/* Position and colour of the vertex, within rounding: the programs add in other orders. */
static void expected(const float *record, bool full, float out[8]) {
    float n[3] = {record[4], record[5], record[6]}, scale = 1.0f, d = 0.0f;
    transform(record, 1.0f, out);
    float w = out[3];
    for (unsigned c = 0; c < 4; c++) {
        out[c] = out[c] / w;
    }
    if (full) {
        float m[3], length = 0.0f;
        for (unsigned c = 0; c < 3; c++) {
            m[c] = globals[8][c] * n[0] + globals[9][c] * n[1] + globals[10][c] * n[2];
            length += m[c] * m[c];
        }
        memcpy(n, m, sizeof n);
        scale = 1.0f / __builtin_sqrtf(length);
    }
    for (unsigned c = 0; c < 3; c++) {
        d += n[c] * globals[4][c];
    }
    d = saturate(d * scale);
    for (unsigned c = 0; c < 4; c++) {
        out[4 + c] = globals[5][c] * d + globals[6][c];
    }
}

static bool near(float a, float b) {
    float d = a - b, size = a < 0.0f ? -a : a;
    return (d < 0.0f ? -d : d) <= 1e-4f * (1.0f + size);
}

/* ---- Vertices ---- */

struct rate {
    double user, driver, slots, rate, latency;        /* instructions; clocks an element; M elements/s; clocks */
    uint32_t words;
    struct sim_baseline other[SIM_MACHINES];          /* user code */
};

/* The user code on the other machines; it is straight-line. */
static bool run_others(const struct vliw_program *program, const struct sim_baseline_config *config, struct rate *rate,
                       struct vliw_error *error) {
    uint32_t way[64];
    size_t n = 0;
    struct sim_core *core = sim_core_create(program, NULL, error);
    for (uint32_t i = 0; core != NULL && i < program->info.instructions && n < 64; i++) {
        way[n++] = core->insts[i].pc;
    }
    bool ok = core != NULL;
    for (unsigned m = 0; ok && m < SIM_MACHINES; m++) {
        ok = sim_baseline_run(core, m, config, way, n, &rate->other[m]) ? true : paper_fail(error, "vertex", "out of memory");
    }
    sim_core_destroy(core);
    return ok;
}

static bool run_vertices(const char *name, const char *text, unsigned lit, const struct sim_baseline_config *config_other,
                         struct rate *rate, struct vliw_error *error) {
    struct vliw_program *program = paper_program(text, error);
    struct sim_distributed d;
    struct sim_config config = {.latency = 0};
    struct sim_result result;
    uint32_t seed = 12345;
    bool ok = program != NULL && sim_distribute(program, VERTICES, 8, &d, error);
    if (!ok) {
        vliw_program_destroy(program);
        return false;
    }
    uint32_t *words = calloc(sim_distributed_memory(&d), 4);
    float *records = malloc((size_t)VERTICES * d.stride * 4);
    ok = words != NULL && records != NULL ? true : paper_fail(error, name, "out of memory");
    if (ok) {
        for (uint32_t i = 0; i < VERTICES * d.stride; i++) {
            records[i] = random_value(&seed);
        }
        for (uint32_t v = 0; v < VERTICES; v++) {
            records[v * d.stride + 3] = 1.0f;
        }
        memcpy(words, records, (size_t)VERTICES * d.stride * 4);
        struct vliw_memory memory = {words, sim_distributed_memory(&d)};
        ok = sim_distributed_run(&d, &config, (const uint32_t *)(const void *)globals, 11, &memory, NULL, NULL, &result, error);
        ok = ok && (result.status == VLIW_OK && sim_distributed_done(&d, words) ? true : paper_fail(error, name, "no end"));
    }
    for (uint32_t v = 0; ok && v < VERTICES; v++) {
        float want[8], got[8];
        expected(records + (size_t)v * d.stride, lit == 2, want);
        memcpy(got, words + (size_t)v * d.stride + program->info.input_count * 4, (lit ? 8 : 4) * sizeof got[0]);
        for (unsigned c = 0; c < (lit ? 8u : 4u); c++) {
            float w = lit == 0 && c < 4 ? 0.0f : want[c];
            if (lit == 0) {
                float r[4];
                transform(records + (size_t)v * d.stride, 1.0f, r);
                w = r[c];
            }
            ok = ok && (near(w, got[c]) ? true : paper_fail(error, name, "a wrong value"));
        }
    }
    if (ok) {
        rate->user = program->info.instructions - 1;              /* its END becomes a branch, or nothing */
        rate->slots = (double)result.clocks / VERTICES;
        rate->driver = rate->slots - rate->user;
        rate->rate = MEGAHERTZ * VERTICES / (double)result.clocks;
        rate->latency = 8.0 * rate->slots;
        rate->words = program->info.units - 1;
        ok = run_others(program, config_other, rate, error);
    }
    free(words);
    free(records);
    sim_distributed_destroy(&d);
    vliw_program_destroy(program);
    return ok;
}

static void others(struct sim_paper_row *row, const struct rate *rate, bool words) {
    for (unsigned m = 0; row != NULL && m < SIM_MACHINES; m++) {
        row->other[m] = words ? (double)rate->other[m].bits / 32.0 : (double)rate->other[m].cycles;
    }
}

static bool vertices(struct sim_paper *paper, struct vliw_error *error) {
    struct rate light, full, bare;
    if (!run_vertices("vertex program", light_text, 1, &paper->baseline, &light, error) ||
        !run_vertices("vertex program, full", full_text, 2, &paper->baseline, &full, error) ||
        !run_vertices("bare transform", transform_text, 0, &paper->baseline, &bare, error)) {
        return false;
    }
    const char *const form = "directional light + 4x4 + divide by w", *const all = "and normal matrix, normalise, ambient";
    others(paper_put(paper, "vertex, user code", form, "words", light.words, NULL, -1, NULL), &light, true);
    others(paper_put(paper, "vertex, user code", form, "cycles", light.user, "17", 17, "both phases busy; light in object space"),
           &light, false);
    others(paper_put(paper, "vertex, user code", all, "words", full.words, NULL, -1, NULL), &full, true);
    others(paper_put(paper, "vertex, user code", all, "cycles", full.user, "17", 17, "more work than the paper's in fewer cycles"),
           &full, false);
    paper_put(paper, "vertex, driver code", "2 loads, 2 stores, index, bound", "cycles", light.driver, "14", 14,
        "address and bound in one instruction, the next index beside the branch, offsets in LD and ST");
    paper_put(paper, "vertex, in all", form, "cycles", light.slots, "31", 31, "or better, the issue says");
    paper_put(paper, "vertex, in all", all, "cycles", full.slots, "31", 31, NULL);
    paper_put(paper, "vertex rate at 100 MHz", form, "M/s", light.rate, "3.2", 3.2, "100 / cycles in all");
    paper_put(paper, "vertex rate at 100 MHz", all, "M/s", full.rate, "3.2", 3.2, NULL);
    paper_put(paper, "vertex latency", form, "clocks", light.latency, "31 x 8", 248, "one thread issues in every 8th clock");
    paper_put(paper, "bare transform rate", "4x4 alone, no driver", "M/s", MEGAHERTZ / bare.user, "16.6", 16.6,
        "the 2009 paper: 100 MHz over 6 instructions");
    return paper_put(paper, "bare transform rate", "with driver", "M/s", bare.rate, NULL, -1, NULL) != NULL
               ? true : paper_fail(error, "table", "too many rows");
}

/* ---- Pixels ---- */

/*
 * Element: a span of 64 pixels with colour (x, y, z) and depth (w) in r4, their steps in r5, and the address of its
 * first pixel in r6.x. A pixel takes two instructions: compare its depth beside the load of the next one's; store it
 * under that predicate beside the step to the next.
 */
static char *span_text(bool depth) {
    size_t size = 200 * SPAN_PIXELS + 1000, n = 0;
    char *text = malloc(size);
    if (text == NULL) {
        return NULL;
    }
    n += (size_t)snprintf(text + n, size - n, ".stage vertex\n.in attrib 0 r4\n.in attrib 1 r5\n.in attrib 2 r6.x\n.gprs 10\n");
    n += (size_t)snprintf(text + n, size - n, depth ? "MOV r6.z r6 MOVz #64 | MOV r6.y r6.x LD r7.w [r6.x]\n" : "");
    /* r6.x: address for loads, r6.y for stores; each moves on by 64 words after 16 pixels */
    for (unsigned k = 0; k < SPAN_PIXELS; k++) {
        if (!depth) {
            n += (size_t)snprintf(text + n, size - n, "ADD r4 r5 | ST r4 [r6.x+%u]\n", k % 16);
            if (k % 16 == 15 && k + 1 < SPAN_PIXELS) {
                n += (size_t)snprintf(text + n, size - n, "ADD r6.x r6 - #64\n");
            }
            continue;
        }
        const char *move = k % 16 == 14 && k + 2 < SPAN_PIXELS ? "ADD r6.x r6.z " : k % 16 == 0 && k > 0 ? "ADD r6.y r6.z " : "";
        if (k + 1 < SPAN_PIXELS) {
            n += (size_t)snprintf(text + n, size - n, "CMP r8.w r4 - r7 | %sLD r7.w [r6.x+%u]\n", move, (k + 1) % 16);
        } else {
            n += (size_t)snprintf(text + n, size - n, "CMP r8.w r4 - r7\n");
        }
        n += (size_t)snprintf(text + n, size - n, "PRED N r8.w(0) ADD r4 r5 | ST r4 [r6.y+%u]\n", k % 16);
    }
    snprintf(text + n, size - n, "END\n");
    return text;
}

/* The pixels that must come out of a span. */
static bool span_right(const float *start, const float *step, const float *before, const float *pixels, bool depth) {
    float v[4];
    memcpy(v, start, sizeof v);
    for (unsigned k = 0; k < SPAN_PIXELS; k++) {
        bool writes = !depth || v[3] < before[4 * k + 3];
        if (memcmp(pixels + 4 * k, writes ? v : before + 4 * k, sizeof v) != 0) {
            return false;
        }
        for (unsigned c = 0; c < 4; c++) {
            v[c] = v[c] + step[c];
        }
    }
    return true;
}

static bool run_spans(bool depth, double *slots, double *rate, double *user, struct vliw_error *error) {
    char *text = span_text(depth);
    struct vliw_program *program = text != NULL ? paper_program(text, error) : NULL;
    struct sim_distributed d;
    struct sim_config config = {.latency = 0};
    struct sim_result result;
    uint32_t seed = 99;
    free(text);
    bool ok = program != NULL && sim_distribute(program, SPANS, 8, &d, error);
    if (!ok) {
        vliw_program_destroy(program);
        return false;
    }
    size_t base = sim_distributed_memory(&d), total = base + (size_t)SPANS * SPAN_PIXELS * 4;
    uint32_t *words = calloc(total, 4);
    float *before = malloc(total * 4);
    ok = words != NULL && before != NULL ? true : paper_fail(error, "raster", "out of memory");
    for (size_t i = 0; ok && i < total; i++) {
        before[i] = random_value(&seed);
    }
    for (uint32_t s = 0; ok && s < SPANS; s++) {
        before[s * d.stride + 8] = (float)(base + (size_t)s * SPAN_PIXELS * 4);
        for (unsigned c = 4; c < 8; c++) {
            before[s * d.stride + c] *= 0.03125f;
        }
    }
    if (ok) {
        memset(before + (size_t)SPANS * d.stride, 0, 32);         /* the driver's words */
        memcpy(words, before, total * 4);
        struct vliw_memory memory = {words, total};
        ok = sim_distributed_run(&d, &config, NULL, 0, &memory, NULL, NULL, &result, error);
        ok = ok && (result.status == VLIW_OK && sim_distributed_done(&d, words) ? true : paper_fail(error, "raster", "no end"));
    }
    for (uint32_t s = 0; ok && s < SPANS; s++) {
        size_t at = base + (size_t)s * SPAN_PIXELS * 4;
        ok = span_right(before + (size_t)s * d.stride, before + (size_t)s * d.stride + 4, before + at,
                        (const float *)(const void *)(words + at), depth)
                 ? true : paper_fail(error, "raster", "a wrong pixel");
    }
    if (ok) {
        *slots = (double)result.clocks / SPANS / SPAN_PIXELS;
        *rate = MEGAHERTZ * SPANS * SPAN_PIXELS / (double)result.clocks;
        *user = (double)(program->info.instructions - 1) / SPAN_PIXELS;
    }
    free(words);
    free(before);
    sim_distributed_destroy(&d);
    vliw_program_destroy(program);
    return ok;
}

/*
 * A bare pixel: what the 2009 paper's 33.3 M pixels/s are, at 3 instructions. Colour and depth in r4, their steps in r5,
 * what stands in memory in r7, the pixel's address in r6.x. Each of the core's threads shades one.
 */
static const char pixel_text[] =
    ".in generic 0 r4\n.in generic 1 r5\n.in generic 2 r6.x\n.in generic 3 r7\n"
    "CMP r8.w r4 - r7\n"
    "PRED N r8.w(0) | ST r4 [r6.x]\n"
    "ADD r4 r5\n"
    "END\n";

static bool run_pixels(double *rate, struct vliw_error *error) {
    static const float step[4] = {0.5f, 0.25f, 0.125f, 0.0625f};
    struct vliw_program *program = paper_program(pixel_text, error);
    struct sim_core *core = program != NULL ? sim_core_create(program, NULL, error) : NULL;
    float input[16][VM_LANES], words[SIM_THREADS * 4] = {0}, color[SIM_THREADS][4];
    const float *inputs[16];
    struct vliw_memory memory = {(uint32_t *)(void *)words, SIM_THREADS * 4};
    struct vliw_mask live;
    struct sim_batch batch = {.inputs = inputs, .live = &live};
    struct sim_result result;
    uint32_t seed = 7;
    batch.active.w[0] = (1u << SIM_THREADS) - 1;
    for (unsigned i = 0; i < 16; i++) {
        inputs[i] = input[i];
        for (unsigned lane = 0; lane < VM_LANES; lane++) {
            input[i][lane] = i == 8 ? 4.0f * (float)lane : i / 4 == 1 ? step[i % 4] : random_value(&seed);
        }
    }
    for (unsigned t = 0; t < SIM_THREADS; t++) {
        for (unsigned c = 0; c < 4; c++) {
            color[t][c] = input[3][t] < input[15][t] ? input[c][t] : 0.0f;
        }
    }
    bool ok = core != NULL;
    if (ok) {
        sim_core_attach(core, &memory, NULL, NULL);
        sim_batch_run(core, &batch, &result);
        ok = result.status == VLIW_OK && memcmp(words, color, sizeof color) == 0 ? true : paper_fail(error, "pixel", "a wrong value");
    }
    if (ok) { /* without END, which is the driver's */
        *rate = MEGAHERTZ * SIM_THREADS / (double)(result.use[SIM_ISSUE] + result.use[SIM_PORT] - SIM_THREADS);
    }
    sim_core_destroy(core);
    vliw_program_destroy(program);
    return ok;
}

static bool pixels(struct sim_paper *paper, struct vliw_error *error) {
    double slots[2], rate[2], user[2], bare;
    if (!run_spans(true, &slots[0], &rate[0], &user[0], error) || !run_spans(false, &slots[1], &rate[1], &user[1], error) ||
        !run_pixels(&bare, error)) {
        return false;
    }
    const char *const tested = "spans of 64: depth test, colour and depth", *const plain = "spans of 64: colour only";
    paper_put(paper, "raster", tested, "cycles", slots[0], "2.27", MEGAHERTZ / 44.0,
        "100 MHz / 44 M: no driver loop a pixel can be that short, so elements must be spans of pixels");
    paper_put(paper, "raster rate at 100 MHz", tested, "M/s", rate[0], "44", 44,
        "two instructions a pixel: compare | load next depth, step | predicated store");
    paper_put(paper, "raster rate at 100 MHz", plain, "M/s", rate[1], "44", 44, "one instruction a pixel: step | store");
    return paper_put(paper, "raster rate at 100 MHz", "a bare pixel, no driver", "M/s", bare, "33.3", 33.3,
                     "the 2009 paper: 100 MHz over 3; compare, predicated store, step") != NULL
               ? true : paper_fail(error, "table", "too many rows");
}

bool paper_programs(struct sim_paper *paper, struct vliw_error *error) {
    return vertices(paper, error) && pixels(paper, error);
}
