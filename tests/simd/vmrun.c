/* SPDX-License-Identifier: MIT */
/* See vmrun.h. */
#include "tests/simd/vmrun.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/check.h"
#include "vm/base/bits.h"
#include "vm/base/cpu.h"
#include "vm/model/sim.h"

static bool lane_on(const struct vliw_mask *m, unsigned lane) { return m->w[lane / 64] >> lane % 64 & 1u; }

unsigned vmrun_levels(enum vliw_simd *levels) {
    unsigned available = cpu_simd_available(), n = 0;
    for (unsigned i = 0; i < VLIW_SIMD_COUNT; i++) {
        if (available >> i & 1u) {
            levels[n++] = (enum vliw_simd)i;
        }
    }
    return n;
}

void vmrun_report_missing(void) {
#if defined(__x86_64__)
    static const enum vliw_simd wanted[] = {VLIW_SIMD_SSE, VLIW_SIMD_AVX2, VLIW_SIMD_AVX512};
    unsigned available = cpu_simd_available();
    for (unsigned i = 0; i < 3; i++) {
        if (!(available >> wanted[i] & 1u)) {
            printf("    skipped: no %s\n", vliw_simd_name(wanted[i]));
        }
    }
#endif
}

struct vliw_mask vmrun_mask(bool quads) {
    struct vliw_mask m;
    unsigned style = check_random_below(6);
    for (;;) {
        uint64_t any = 0;
        for (int i = 0; i < VM_MASK_WORDS; i++) {
            uint64_t w = (uint64_t)check_random() << 32 | check_random();
            if (style == 0) {
                w = ~0ull;
            } else if (style == 1) {
                w &= (uint64_t)check_random() << 32 | check_random();
                w &= (uint64_t)check_random() << 32 | check_random();
            } else if (style == 2) {
                w = i == 0 ? (1ull << (1 + check_random_below(63))) - 1 : 0;
            } else if (style == 3) {
                w = i == (int)check_random_below(VM_MASK_WORDS) ? 15ull << 4 * check_random_below(16) : 0;
            }
            if (quads) {
                w |= w >> 1;
                w |= w >> 2;
                w = (w & 0x1111111111111111ull) * 15;
            }
            m.w[i] = w;
            any |= w;
        }
        if (any != 0) {
            return m;
        }
    }
}

void vmrun_sample(void *context, const struct vliw_tex_request *q) {
    (void)context;
    for (unsigned lane = 0; lane < VM_LANES; lane++) {
        if (!lane_on(&q->mask, lane)) {
            for (unsigned c = 0; c < 4; c++) {
                q->result[c][lane] = -777.0f;
            }
            continue;
        }
        unsigned quad = lane & ~3u;
        float s = q->coord[0][lane], t = q->coord[1][lane], lod = 0.0f, extra = 0.0f;
        if (q->kind == VLIW_TEX_IMPLICIT || q->kind == VLIW_TEX_BIAS) {
            lod = (q->coord[0][quad + 1] - q->coord[0][quad]) + (q->coord[1][quad + 2] - q->coord[1][quad]) +
                  (q->coord[0][quad + 3] - q->coord[1][quad + 3]);
        }
        if (q->kind == VLIW_TEX_GRAD) {
            lod = q->ddx[0][lane] + 3.0f * q->ddy[0][lane] + 5.0f * q->ddx[1][lane] + 7.0f * q->ddy[1][lane];
            extra = q->ddx[2] != NULL ? q->ddx[2][lane] - q->ddy[2][lane] : 0.0f;
        }
        if (q->lod != NULL) {
            lod += q->lod[lane];
        }
        q->result[0][lane] = s * 0.5f + (float)q->sampler;
        q->result[1][lane] = t * 0.25f - (float)q->kind;
        q->result[2][lane] = lod;
        q->result[3][lane] = (q->coord[2] != NULL ? q->coord[2][lane] : 2.0f) + (q->reference != NULL ? q->reference[lane] * 3.0f : 1.0f) + extra;
    }
}

struct vliw_image *vmrun_assemble(const char *text) {
    struct vliw_error error;
    struct vliw_image *plain = NULL;
    if (vliw_assemble(text, strlen(text), &plain, &error) != VLIW_OK) {
        check_failf(__FILE__, __LINE__, "%d:%d: %s", (int)error.line, (int)error.column, error.message);
        return NULL;
    }
    struct vliw_image_desc d;
    vliw_image_describe(plain, &d);
    struct vliw_io io[64];
    uint32_t count = d.gprs != 0 && d.gprs < 64 ? d.gprs : 8;
    bool own = d.output_count > 0;
    for (uint32_t i = 0; i < count; i++) {
        io[i] = (struct vliw_io){.semantic = VLIW_SEM_GENERIC, .index = (uint8_t)i, .mask = 15, .reg = (uint16_t)i};
    }
    if (!own) {
        d.outputs = io;
        d.output_count = count;
    }
    struct vliw_image *image = vliw_image_create(&d);
    vliw_image_destroy(plain);
    return image;
}

/* ---- One comparison ---- */

struct data {
    uint32_t *inputs;          /* [input][comp][lane] bits */
    float *globals;
    uint32_t *memory, *ref_memory;
    uint32_t *gpr;             /* reference: per quad [reg][comp][lane] */
    struct vliw_mask live;
    uint64_t instructions;
    uint32_t fault_unit;
    unsigned quads;            /* run by the reference */
};

static float random_value(bool plain) {
    return plain ? (float)((int)check_random_below(41) - 20) * 0.25f : check_random_float();
}

static void fill(struct vmrun *r, const struct vliw_info *info, struct data *d) {
    d->inputs = calloc((size_t)info->input_count * 4 * VM_LANES + 1, 4);
    d->globals = calloc((size_t)info->globals * 4 + 4, 4);
    d->memory = calloc(r->memory_words + 1, 4);
    d->ref_memory = calloc(r->memory_words + 1, 4);
    d->gpr = calloc((size_t)VM_QUADS * (info->gprs + 1) * 16, 4);
    for (size_t i = 0; i < (size_t)info->input_count * 4 * VM_LANES; i++) {
        d->inputs[i] = bits_from_float(random_value(r->plain));
    }
    for (uint32_t i = 0; i < info->globals * 4; i++) {
        d->globals[i] = random_value(r->plain);
    }
    for (uint32_t i = 0; i < r->memory_words; i++) {
        d->memory[i] = d->ref_memory[i] = bits_from_float((float)check_random_below(64));
    }
}

static bool same(uint32_t a, uint32_t b) {
    bool nan_a = (a & 0x7FFFFFFFu) > 0x7F800000u, nan_b = (b & 0x7FFFFFFFu) > 0x7F800000u;
    return a == b || (nan_a && nan_b);
}

/*
 * The cycle-accurate model on the same quad: all registers, memory, and how it ended. 'after' and 'run' are the
 * reference's results, 'before' and 'words' what it started from. The latency is another one each time.
 */
static void check_model(struct vmrun *r, const struct vliw_program *p, uint32_t *before, const uint32_t *after,
                        uint32_t *words, const struct data *d, const struct vliw_run *run, enum vliw_status want) {
    static const uint32_t latencies[5] = {0, 2, 3, 11, 40};
    const struct vliw_info *info = vliw_program_info(p);
    struct vliw_run again = {.active = run->active, .sample = vmrun_sample, .budget = r->budget};
    struct vliw_memory memory = {words, r->memory_words};
    struct sim_config config = {.latency = latencies[r->models % 5], .outstanding = r->models % 3};
    struct sim_result result;
    again.memory = r->memory_words != 0 ? &memory : NULL;
    enum vliw_status status = sim_quad_run(p, before, (const uint32_t *)(const void *)d->globals, info->globals, &again,
                                           &config, &result);
    r->models++;
    if (status != want || (status != VLIW_OK && again.fault_unit != run->fault_unit)) {
        snprintf(r->message, sizeof r->message, "model: status %d at %u, not %d at %u (%s)", (int)status,
                 (unsigned)again.fault_unit, (int)want, (unsigned)run->fault_unit, result.note ? result.note : "");
        return;
    }
    if (status != VLIW_OK) {
        return;
    }
    if (again.live.w[0] != run->live.w[0] || again.instructions != run->instructions) {
        snprintf(r->message, sizeof r->message, "model: live %llx, %llu instructions, not %llx, %llu",
                 (unsigned long long)again.live.w[0], (unsigned long long)again.instructions,
                 (unsigned long long)run->live.w[0], (unsigned long long)run->instructions);
        return;
    }
    for (uint32_t i = 0; i < info->gprs * 16; i++) {
        if (!same(before[i], after[i])) {
            snprintf(r->message, sizeof r->message, "model: r%u.%c of lane %u is %08x, not %08x", (unsigned)(i / 16),
                     "xyzw"[i / 4 % 4], (unsigned)(i % 4), (unsigned)before[i], (unsigned)after[i]);
            return;
        }
    }
    if (memcmp(words, d->ref_memory, r->memory_words * 4u) != 0) {
        snprintf(r->message, sizeof r->message, "model: memory differs");
    }
}

static void run_reference(struct vmrun *r, const struct vliw_program *p, struct data *d) {
    const struct vliw_info *info = vliw_program_info(p);
    memset(&d->live, 0, sizeof d->live);
    r->status = VLIW_OK;
    for (unsigned q = 0; q < VM_QUADS; q++) {
        struct vliw_run run = {.sample = vmrun_sample, .budget = r->budget};
        run.active.w[0] = r->active.w[q / 16] >> 4 * (q % 16) & 15u;
        if (run.active.w[0] == 0) {
            continue;
        }
        struct vliw_memory memory = {d->ref_memory, r->memory_words};
        run.memory = r->memory_words != 0 ? &memory : NULL;
        uint32_t *gpr = d->gpr + (size_t)q * (info->gprs + 1) * 16;
        for (uint32_t i = 0; i < info->input_count; i++) {
            for (unsigned c = 0; c < 4; c++) {
                for (unsigned lane = 0; (info->inputs[i].mask >> c & 1u) && lane < 4; lane++) {
                    gpr[(info->inputs[i].reg * 4u + c) * 4 + lane] = d->inputs[(i * 4 + c) * VM_LANES + q * 4 + lane];
                }
            }
        }
        uint32_t *before = malloc((size_t)(info->gprs + 1) * 64), *words = malloc((r->memory_words + 1) * 4);
        memcpy(before, gpr, (size_t)(info->gprs + 1) * 64);
        memcpy(words, d->ref_memory, (r->memory_words + 1) * 4);
        enum vliw_status status = vliw_ref_run(p, gpr, (const uint32_t *)(const void *)d->globals, info->globals, &run);
        if (d->quads++ < 2 && r->message[0] == '\0') {
            check_model(r, p, before, gpr, words, d, &run, status);
        }
        free(before);
        free(words);
        d->live.w[q / 16] |= run.live.w[0] << 4 * (q % 16);
        d->instructions += run.instructions;
        if (status != VLIW_OK && r->status == VLIW_OK) {      /* the run's fault is the lowest quad's */
            d->fault_unit = run.fault_unit;
            r->status = status;
        }
    }
}

static bool compare_outputs(struct vmrun *r, const struct vliw_program *p, const struct vliw_batch *batch,
                            const struct data *d, const char *name) {
    const struct vliw_info *info = vliw_program_info(p);
    for (uint32_t i = 0; i < info->output_count * 4; i++) {
        const float *out = vliw_batch_output(batch, i / 4, i % 4);
        if (!(info->outputs[i / 4].mask >> i % 4 & 1u)) {
            continue;
        }
        for (unsigned lane = 0; lane < VM_LANES; lane++) {
            if (!lane_on(&d->live, lane)) {
                continue;
            }
            const uint32_t *gpr = d->gpr + (size_t)(lane / 4) * (info->gprs + 1) * 16;
            uint32_t want = gpr[(info->outputs[i / 4].reg * 4u + i % 4) * 4 + lane % 4], got;
            memcpy(&got, &out[lane], 4);
            if (!same(got, want)) {
                snprintf(r->message, sizeof r->message, "%s: lane %u r%u.%c is %08x (%g), not %08x (%g)", name, lane,
                         (unsigned)info->outputs[i / 4].reg, "xyzw"[i % 4], (unsigned)got, (double)bits_to_float(got),
                         (unsigned)want, (double)bits_to_float(want));
                return false;
            }
        }
    }
    return true;
}

static bool run_backend(struct vmrun *r, enum vliw_simd level, const struct data *d) {
    struct vliw_program *p = NULL;
    struct vliw_error error;
    vliw_simd_limit(level);
    if (vliw_program_create(r->image, &p, &error) != VLIW_OK) {
        snprintf(r->message, sizeof r->message, "%s", error.message);
        return false;
    }
    const struct vliw_info *info = vliw_program_info(p);
    struct vliw_batch *batch = vliw_batch_create();
    float *constants = calloc(vliw_program_constants(p), sizeof *constants);
    uint32_t *words = malloc((r->memory_words + 1) * 4);
    memcpy(words, d->memory, r->memory_words * 4u);
    struct vliw_memory memory = {words, r->memory_words};
    bool good = vliw_batch_bind(batch, p) == VLIW_OK;
    vliw_program_prepare(p, d->globals, info->globals, constants);
    for (uint32_t i = 0; i < info->input_count * 4; i++) {
        float *in = vliw_batch_input(batch, i / 4, i % 4);
        if (in != NULL) {
            memcpy(in, d->inputs + (size_t)i * VM_LANES, VM_LANES * 4);
        }
    }
    struct vliw_run run = {.active = r->active, .constants = constants, .sample = vmrun_sample, .budget = r->budget,
                           .memory = r->memory_words != 0 ? &memory : NULL};
    enum vliw_status status = vliw_batch_run(batch, &run);
    const char *name = vliw_simd_name(level);
    if (status != r->status) {
        snprintf(r->message, sizeof r->message, "%s: status %d, not %d", name, (int)status, (int)r->status);
        good = false;
    } else if (status != VLIW_OK) {
        if (run.fault_unit != d->fault_unit) {
            snprintf(r->message, sizeof r->message, "%s: fault at %u, not %u", name, (unsigned)run.fault_unit, (unsigned)d->fault_unit);
            good = false;
        }
    } else if (memcmp(&run.live, &d->live, sizeof run.live) != 0) {
        snprintf(r->message, sizeof r->message, "%s: live lanes %016llx, not %016llx", name, (unsigned long long)run.live.w[0],
                 (unsigned long long)d->live.w[0]);
        good = false;
    } else if (run.instructions != d->instructions) {
        snprintf(r->message, sizeof r->message, "%s: %llu instructions, not %llu", name, (unsigned long long)run.instructions,
                 (unsigned long long)d->instructions);
        good = false;
    } else if (memcmp(words, d->ref_memory, r->memory_words * 4u) != 0) {
        snprintf(r->message, sizeof r->message, "%s: memory differs", name);
        good = false;
    } else {
        good = good && compare_outputs(r, p, batch, d, name);
    }
    free(words);
    free(constants);
    vliw_batch_destroy(batch);
    vliw_program_destroy(p);
    return good;
}

bool vmrun_compare(struct vmrun *r) {
    struct data d;
    struct vliw_program *p = NULL;
    struct vliw_error error;
    memset(&d, 0, sizeof d);
    r->message[0] = '\0';
    r->backends = 0;
    vliw_simd_limit(VLIW_SIMD_SCALAR);
    if (vliw_program_create(r->image, &p, &error) != VLIW_OK) {
        snprintf(r->message, sizeof r->message, "%s", error.message);
        return false;
    }
    fill(r, vliw_program_info(p), &d);
    run_reference(r, p, &d);
    enum vliw_simd levels[VLIW_SIMD_COUNT];
    unsigned n = vmrun_levels(levels);
    bool good = r->message[0] == '\0';
    for (unsigned i = 0; i < n && good; i++) {
        good = run_backend(r, levels[i], &d);
        r->backends++;
    }
    vliw_simd_limit((enum vliw_simd)(VLIW_SIMD_COUNT - 1));
    vliw_program_destroy(p);
    free(d.inputs);
    free(d.globals);
    free(d.memory);
    free(d.ref_memory);
    free(d.gpr);
    return good;
}
