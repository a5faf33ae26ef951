/* SPDX-License-Identifier: MIT */
/*
 * Quads to pixels: blocks of coverage are tested, their quads are packed into a batch with those of other
 * primitives of the same frag_draw, and a full batch is interpolated, run and written. Fragments of one
 * pixel are written in primitive order: where order matters a batch is cut into runs without two quads at
 * one place, which are written one after the other, or (framebuffer fetch, late writes after early
 * tests) ends before a quad would come twice.
 */
#include "renderer/tile.h"

#include <stdio.h>
#include <string.h>

_Static_assert(VM_QUADS <= 255, "run_first holds quad numbers in bytes");

uint8_t rn_sample_coverage(float value) {
    /* The samples of 0..4 parts, chosen to lie apart. */
    static const uint8_t sets[5] = {0, 1, 9, 11, 15};
    const float v = value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
    return sets[(unsigned)(v * 4.0f + 0.5f)];
}

/* ---- binding ------------------------------------------------------------------------------------------------ */

static const float *output_of(struct rn_tile_worker *w, int index, unsigned comp) {
    const float *p = index >= 0 ? vliw_batch_output(w->batch, (uint32_t)index, comp) : NULL;
    return p ? p : w->scratch.zero;
}

static float *input_of(struct rn_tile_worker *w, int index, unsigned comp) {
    return index >= 0 ? vliw_batch_input(w->batch, (uint32_t)index, comp) : NULL;
}

static void bind_registers(struct rn_tile_worker *w) {
    const struct rn_program *program = w->draw->program;
    const struct rn_frag_kernel *k = w->kernel;
    struct rn_interp_list *in = &w->inputs;
    in->count = 0;
    for (uint32_t i = 0; i < program->coef_count; i++) {
        float *dst = vliw_batch_input(w->batch, program->coefs[i].io, program->coefs[i].comp);
        if (dst) {
            in->coef[in->count] = (uint16_t)i;
            in->dst[in->count++] = dst;
        }
    }
    for (unsigned c = 0; c < 4; c++) {
        in->coord[c] = input_of(w, program->frag_coord_input, c);
        for (unsigned i = 0; i < RN_MAX_COLORS; i++) {
            w->last_frag[i][c] = input_of(w, program->last_frag_input[i], c);
        }
        for (uint32_t i = 0; i < k->color_count; i++) {
            w->outputs[i][c] = output_of(w, program->color_output[k->attachment[i]], c);
        }
    }
    in->front_facing = input_of(w, program->front_facing_input, 0);
    w->depth_output = program->depth_output >= 0 ? output_of(w, program->depth_output, 0) : NULL;
    w->alpha = output_of(w, program->color_output[0], 3);
}

void rn_shade_begin(struct rn_tile_worker *w, const struct rn_frag_draw *draw) {
    rn_shade_flush(w);
    if (w->stopped) {
        return;
    }
    w->draw = draw;
    w->kernel = draw->kernel;
    w->outputs_valid = false;
    w->plane_prim = NULL;
    if (!w->kernel->shade) {
        return;
    }
    const struct vliw_program *program = draw->program->stage[VLIW_STAGE_FRAGMENT];
    if (w->bound != program) {
        const enum vliw_status status = vliw_batch_bind(w->batch, program);
        if (status != VLIW_OK) {
            w->bound = NULL;
            rn_tile_fault(w, status, vliw_status_text(status));
            return;
        }
        w->bound = program;
    }
    w->sample.views = draw->views;
    bind_registers(w);
}

/* ---- running --------------------------------------------------------------------------------------------------- */

static void report(struct rn_tile_worker *w, enum vliw_status status, uint32_t unit) {
    const struct vliw_program *program = w->draw->program->stage[VLIW_STAGE_FRAGMENT];
    const char *name = w->draw->program->info[VLIW_STAGE_FRAGMENT]->name;
    const uint32_t line = vliw_program_line(program, unit);
    char place[24] = "", message[sizeof(((struct rn_fault *)0)->message)];
    if (line) {
        snprintf(place, sizeof place, ", line %u", (unsigned)line);
    }
    snprintf(message, sizeof message, "fragment shader%s%.80s%s: %.80s", name && name[0] ? " " : "", name ? name : "",
             place, vliw_status_text(status));
    rn_tile_fault(w, status, message);
}

/* Runs the bound program over the first 'quads' quads. False after a fault. */
static bool run_program(struct rn_tile_worker *w, uint32_t quads, struct vliw_run *run) {
    memset(run, 0, sizeof *run);
    for (uint32_t i = 0; i < VM_MASK_WORDS; i++) {
        const uint32_t lanes = quads * 4 > i * 64 ? quads * 4 - i * 64 : 0;
        run->active.w[i] = lanes >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << lanes) - 1;
    }
    run->constants = w->draw->constants;
    run->sample = rn_sample;
    run->sample_context = &w->sample;
    run->budget = w->run->scene->budget;
    const enum vliw_status status = vliw_batch_run(w->batch, run);
    if (status != VLIW_OK) {
        report(w, status, run->fault_unit);
        return false;
    }
    return true;
}

/* gl_FragCoord.x, y and z. z is the depth before it is quantised, as a float. */
static void frag_coord(struct rn_tile_worker *w, uint32_t quads) {
    float *const *coord = w->inputs.coord;
    for (uint32_t q = 0; q < quads; q++) {
        const struct rn_prim *prim = w->prim[q];
        const double steps = w->kernel->depth_steps;
        const double offset = steps > 0.0 ? prim->z_offset / steps : 0.0;
        const double lo = (double)prim->depth_lo, hi = (double)prim->depth_hi;
        for (unsigned i = 0; i < 4; i++) {
            if (coord[0]) {
                coord[0][4 * q + i] = (float)(w->x + w->qx[q] + (int32_t)(i & 1)) + 0.5f;
            }
            if (coord[1]) {
                coord[1][4 * q + i] = (float)(w->y + w->qy[q] + (int32_t)(i >> 1)) + 0.5f;
            }
            if (coord[2]) {
                const double dx = (double)(w->dx[q] + (float)(i & 1)), dy = (double)(w->dy[q] + (float)(i >> 1));
                double z = (prim->z0 + prim->zx * dx) + prim->zy * dy + offset;
                z = z > lo ? z : lo;
                coord[2][4 * q + i] = (float)(z < hi ? z : hi);
            }
        }
    }
}

/* Framebuffer fetch: the colour of sample 0, of pixels that the quads cover. */
static void fetch_colors(struct rn_tile_worker *w, uint32_t quads) {
    uint8_t any[VM_QUADS];
    for (uint32_t q = 0; q < quads; q++) {
        any[q] = w->mask[0][q];
        for (unsigned s = 1; s < w->kernel->samples; s++) {
            any[q] |= w->mask[s][q];
        }
    }
    for (unsigned i = 0; i < RN_MAX_COLORS; i++) {
        float *const *dst = w->last_frag[i];
        if (w->color[i].pixels && (dst[0] || dst[1] || dst[2] || dst[3])) {
            rn_fragop_fetch((enum rn_format)w->color[i].format, w->color[i].pixels, w->color[i].stride, quads, w->qx,
                            w->qy, any, dst);
            continue;
        }
        for (unsigned c = 0; c < 4; c++) {
            if (dst[c]) {
                memset(dst[c], 0, VM_LANES * sizeof(float));
            }
        }
    }
}

static void fill_inputs(struct rn_tile_worker *w, uint32_t quads) {
    for (uint32_t i = 0; i < RN_QUAD_SLACK; i++) {
        w->prim[quads + i] = w->prim[quads - 1];
        w->dx[quads + i] = w->dx[quads - 1];
        w->dy[quads + i] = w->dy[quads - 1];
    }
    if (w->inputs.count || w->inputs.coord[3]) {
        const struct rn_interp_job job = {&w->inputs, quads, w->single, w->prim, w->dx, w->dy};
        w->kernel->interp->planes(&job);
    }
    if (w->inputs.coord[0] || w->inputs.coord[1] || w->inputs.coord[2]) {
        frag_coord(w, quads);
    }
    if (w->inputs.front_facing) {
        for (uint32_t q = 0; q < quads; q++) {
            for (unsigned i = 0; i < 4; i++) {
                w->inputs.front_facing[4 * q + i] = w->prim[q]->front_facing ? 1.0f : 0.0f;
            }
        }
    }
    if (w->kernel->fetches) {
        fetch_colors(w, quads);
    }
}

static unsigned live_lanes(const struct vliw_mask *live, uint32_t quad) {
    return (unsigned)(live->w[quad / 16] >> quad % 16 * 4) & 15u;
}

/* Takes killed lanes out of the masks and counts. */
static void apply_live(struct rn_tile_worker *w, uint32_t quads, const struct vliw_mask *live) {
    uint64_t covered = 0, left = 0;
    for (uint32_t q = 0; q < quads; q++) {
        const unsigned lanes = live ? live_lanes(live, q) : 15u;
        unsigned any = 0;
        for (unsigned s = 0; s < w->kernel->samples; s++) {
            any |= w->mask[s][q];
            w->mask[s][q] &= (uint8_t)lanes;
        }
        covered += bits_popcount32(any);
        left += bits_popcount32(any & lanes);
    }
    w->counters[RN_COUNTER_FRAGMENTS] += covered;
    w->counters[RN_COUNTER_FRAGMENTS_KILLED] += covered - left;
}

static void apply_alpha(struct rn_tile_worker *w, uint32_t quads) {
    for (uint32_t q = 0; q < quads; q++) {
        for (unsigned i = 0; i < 4; i++) {
            const unsigned set = rn_sample_coverage(w->alpha[4 * q + i]);
            for (unsigned s = 0; s < w->kernel->samples; s++) {
                if (!(set >> s & 1)) {
                    w->mask[s][q] &= (uint8_t)~(1u << i);
                }
            }
        }
    }
}

static void write_colors(struct rn_tile_worker *w, uint32_t quads) {
    const struct rn_frag_kernel *k = w->kernel;
    for (uint32_t i = 0; i < k->color_count; i++) {
        const struct rn_target *target = &w->color[k->attachment[i]];
        struct rn_write_job job;
        job.op = &k->color[i];
        memcpy(job.src, w->outputs[i], sizeof job.src);
        job.qx = w->qx;
        job.qy = w->qy;
        job.stride = target->stride;
        job.scratch = &w->scratch;
        for (unsigned s = 0; s < k->samples; s++) {
            job.mask = w->mask[s];
            job.pixels = target->pixels + s * target->sample_stride;
            for (uint32_t r = 0; r < w->runs; r++) {
                job.first = w->run_first[r];
                job.count = (r + 1 < w->runs ? w->run_first[r + 1] : quads) - job.first;
                k->color[i].write(&job);
            }
        }
    }
}

/* Runs a constant program once for all. */
static bool run_constant(struct rn_tile_worker *w) {
    struct vliw_run run;
    if (!run_program(w, VM_QUADS, &run)) {
        return false;
    }
    w->instructions_lane = run.instructions / VM_LANES;
    w->outputs_valid = true;
    return true;
}

bool rn_shade_constant(struct rn_tile_worker *w) {
    if (w->outputs_valid) {
        return true;
    }
    if (!run_constant(w)) {
        return false;
    }
    /* Every format's own kernel makes the pixels, in a surface of one quad. */
    for (uint32_t i = 0; i < w->kernel->color_count; i++) {
        static const uint8_t zero[VM_QUADS] = {0}, all[VM_QUADS] = {15};
        const unsigned bytes = w->kernel->color[i].bytes;
        uint8_t quad[2 * 16];
        struct rn_write_job job;
        job.op = &w->kernel->color[i];
        memcpy(job.src, w->outputs[i], sizeof job.src);
        job.first = 0;
        job.count = 1;
        job.qx = job.qy = zero;
        job.mask = all;
        job.pixels = quad;
        job.stride = 16;
        job.scratch = &w->scratch;
        memset(quad, 0, sizeof quad);
        job.op->write(&job);
        for (unsigned x = 0; x < RN_TILE; x++) {
            memcpy(w->fill[i] + x * bytes, quad, bytes);
        }
    }
    return true;
}

void rn_shade_flush(struct rn_tile_worker *w) {
    const uint32_t quads = w->quads;
    if (!quads) {
        return;
    }
    const struct rn_frag_kernel *k = w->kernel;
    struct vliw_run run;
    bool killed = false;
    w->quads = 0;
    w->run_serial++;
    w->counters[RN_COUNTER_QUADS] += quads;
    if (k->constant) {
        if (!w->outputs_valid && !run_constant(w)) {
            return;
        }
        w->counters[RN_COUNTER_FS_INSTRUCTIONS] += w->instructions_lane * quads * 4;
    } else {
        fill_inputs(w, quads);
        w->counters[RN_COUNTER_BATCHES]++;
        if (!run_program(w, quads, &run)) {
            return;
        }
        w->counters[RN_COUNTER_FS_INSTRUCTIONS] += run.instructions;
        killed = w->draw->program->discards;
    }
    apply_live(w, quads, killed ? &run.live : NULL);
    if (k->alpha_to_coverage) {
        apply_alpha(w, quads);
    }
    if (k->late) {
        for (unsigned s = 0; s < k->samples; s++) {
            rn_late_quads(w, quads, s);
        }
    }
    write_colors(w, quads);
}

/* ---- collecting ----------------------------------------------------------------------------------------------- */

#define QUAD_BITS UINT64_C(0x0055005500550055)

/* The quads of a block mask, as the bit of each one's first pixel. */
static inline uint64_t quads_of(uint64_t mask) {
    mask |= mask >> 1;
    return (mask | mask >> 8) & QUAD_BITS;
}

/* Place of a quad in w->stamp, from its position in the tile. */
static inline uint32_t stamp_of(uint32_t x, uint32_t y) { return y / 2 * (RN_TILE / 2) + x / 2; }

static bool block_pending(const struct rn_tile_worker *w, uint32_t x, uint32_t y, uint64_t mask) {
    for (uint64_t bits = quads_of(mask); bits; bits &= bits - 1) {
        const uint32_t at = bits_ctz64(bits);
        if (w->stamp[stamp_of(x + (at & 7), y + (at >> 3))] == w->run_serial) {
            return true;
        }
    }
    return false;
}

static inline unsigned quad_lanes(uint64_t mask, uint32_t at) {
    return (unsigned)((mask >> at & 3) | (mask >> (at + 8) & 3) << 2);
}

static void copy_quad_depth(struct rn_tile_worker *w, uint32_t quad, uint32_t at) {
    for (unsigned s = 0; s < w->kernel->samples; s++) {
        const int32_t *z = w->block_z[s] + at;
        int32_t *to = w->z[s] + 4 * quad;
        to[0] = z[0];
        to[1] = z[1];
        to[2] = z[8];
        to[3] = z[9];
    }
}

static void collect(struct rn_tile_worker *w, const struct rn_prim *prim, uint32_t x, uint32_t y,
                    const uint64_t *mask, uint64_t any) {
    const struct rn_frag_kernel *k = w->kernel;
    const float dx = (float)(w->x + (int32_t)x) + 0.5f - prim->ox, dy = (float)(w->y + (int32_t)y) + 0.5f - prim->oy;
    for (uint64_t bits = quads_of(any); bits; bits &= bits - 1) {
        const uint32_t at = bits_ctz64(bits), at_x = at & 7, at_y = at >> 3, q = w->quads;
        if (q == 0) {
            w->single = true;
            w->runs = 1;
            w->run_first[0] = 0;
        }
        if (k->track != RN_TRACK_NONE) {
            uint32_t *stamp = &w->stamp[stamp_of(x + at_x, y + at_y)];
            if (*stamp == w->run_serial && k->track == RN_TRACK_RUNS) {
                w->run_first[w->runs++] = (uint8_t)q;
                w->run_serial++;
            }
            *stamp = w->run_serial;
        }
        w->prim[q] = prim;
        w->single = w->single && prim == w->prim[0];
        w->qx[q] = (uint8_t)(x + at_x);
        w->qy[q] = (uint8_t)(y + at_y);
        w->dx[q] = dx + (float)at_x;
        w->dy[q] = dy + (float)at_y;
        for (unsigned s = 0; s < k->samples; s++) {
            w->mask[s][q] = (uint8_t)quad_lanes(mask[s], at);
        }
        if (k->late && k->depth_test) {
            copy_quad_depth(w, q, at);
        }
        w->quads = q + 1;
        if (w->quads == VM_QUADS) {
            rn_shade_flush(w);
            if (w->stopped) {
                return;
            }
        }
    }
}

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

static void count_filled(struct rn_tile_worker *w, uint64_t pixels, uint64_t quads) {
    w->counters[RN_COUNTER_FRAGMENTS] += pixels;
    w->counters[RN_COUNTER_QUADS] += quads;
    w->counters[RN_COUNTER_FS_INSTRUCTIONS] += w->instructions_lane * quads * 4;
}

static void fill_block(struct rn_tile_worker *w, uint32_t x, uint32_t y, const uint64_t *mask, uint64_t any) {
    const struct rn_frag_kernel *k = w->kernel;
    if (!rn_shade_constant(w)) {
        return;
    }
    for (uint32_t i = 0; i < k->color_count; i++) {
        const struct rn_target *t = &w->color[k->attachment[i]];
        const size_t bytes = k->color[i].bytes;
        for (unsigned s = 0; s < k->samples; s++) {
            uint8_t *p = t->pixels + s * t->sample_stride + y * t->stride + x * bytes;
            for (uint64_t left = mask[s]; left; left >>= 8, p += t->stride) {
                const unsigned row = left & 0xFFu;
                if (row == 0xFFu) {
                    memcpy(p, w->fill[i], 8 * bytes);
                    continue;
                }
                for (unsigned bits = row; bits; bits &= bits - 1) {
                    memcpy(p + bits_ctz32(bits) * bytes, w->fill[i], bytes);
                }
            }
        }
    }
    count_filled(w, bits_popcount64(any), bits_popcount64(quads_of(any)));
}

bool rn_shade_fill_tile(struct rn_tile_worker *w) {
    const struct rn_frag_kernel *k = w->kernel;
    if (!k->fill || k->tests || k->samples > 1) {
        return false;
    }
    if (!rn_shade_constant(w)) {
        return true;
    }
    const uint32_t width = (uint32_t)w->width, height = (uint32_t)w->height;
    for (uint32_t i = 0; i < k->color_count; i++) {
        const struct rn_target *t = &w->color[k->attachment[i]];
        for (uint32_t y = 0; y < height; y++) {
            memcpy(t->pixels + y * t->stride, w->fill[i], width * (size_t)k->color[i].bytes);
        }
    }
    count_filled(w, (uint64_t)width * height, (uint64_t)((width + 1) / 2) * ((height + 1) / 2));
    return true;
}

void rn_shade_block(struct rn_tile_worker *w, const struct rn_prim *prim, uint32_t block, const uint64_t *mask) {
    const struct rn_frag_kernel *k = w->kernel;
    const uint32_t x = block % RN_BLOCKS * RN_BLOCK, y = block / RN_BLOCKS * RN_BLOCK;
    uint64_t m[RN_MAX_SAMPLES], any = 0;
    for (unsigned s = 0; s < k->samples; s++) {
        m[s] = k->sample_mask >> s & 1 ? mask[s] : 0;
        any |= m[s];
    }
    if (k->track == RN_TRACK_FLUSH && w->quads && block_pending(w, x, y, any)) {
        rn_shade_flush(w);
        if (w->stopped) {
            return;
        }
    }
    if (k->tests && !k->late_test) {
        any = 0;
        for (unsigned s = 0; s < k->samples; s++) {
            m[s] = m[s] ? rn_test_block(w, prim, block, s, m[s]) : 0;
            any |= m[s];
        }
    } else if (k->late && k->depth_test) {
        for (unsigned s = 0; s < k->samples; s++) {
            rn_depth_values(w, prim, block, s, m[s]);
        }
    }
    if (!any || !k->shade) {
        return;
    }
    if (k->late && k->depth_write) {
        rn_depth_written_late(w, block);
    }
    if (k->fill && !k->late) {
        fill_block(w, x, y, m, any);
    } else {
        collect(w, prim, x, y, m, any);
    }
}
