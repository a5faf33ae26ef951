/* SPDX-License-Identifier: MIT */
/*
 * A batch of quads to pixels: collect.c packs quads of any primitives of one frag_draw, here they are
 * interpolated, run and written. Fragments of one pixel are written in primitive order: the batch is a
 * sequence of runs without two quads at one place, written one after the other.
 */
#include "renderer/flat.h"
#include "renderer/narrow.h"
#include "renderer/sample_bytes.h"
#include "renderer/tap.h"
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
    const struct rn_narrow_code *narrow = w->draw->narrow;
    const int frag_coord = narrow ? narrow->frag_coord_input : program->frag_coord_input;
    const int front_facing = narrow ? narrow->front_facing_input : program->front_facing_input;
    const int8_t *color_output = narrow ? narrow->color_output : program->color_output;
    struct rn_interp_list *in = &w->inputs;
    in->count = 0;
    for (uint32_t i = 0; i < program->coef_count; i++) {
        float *dst = input_of(w, narrow ? narrow->input[i] : program->coefs[i].io, program->coefs[i].comp);
        if (dst) {
            in->coef[in->count] = (uint16_t)i;
            in->dst[in->count++] = dst;
        }
    }
    for (unsigned c = 0; c < 4; c++) {
        in->coord[c] = input_of(w, frag_coord, c);
        for (unsigned i = 0; i < RN_MAX_COLORS; i++) {
            w->last_frag[i][c] = input_of(w, narrow ? -1 : program->last_frag_input[i], c);
        }
        for (uint32_t i = 0; i < k->color_count; i++) {
            w->outputs[i][c] = output_of(w, color_output[k->attachment[i]], c);
        }
    }
    in->front_facing = input_of(w, front_facing, 0);
    w->by_quad = in->coord[0] || in->coord[1] || in->coord[2] || in->front_facing || k->late;
    w->depth_output = program->depth_output >= 0 ? output_of(w, program->depth_output, 0) : NULL;
    w->alpha = output_of(w, narrow ? -1 : program->color_output[0], 3);
}

void rn_shade_begin(struct rn_tile_worker *w, const struct rn_frag_draw *draw) {
    rn_shade_flush(w);
    if (w->stopped) {
        return;
    }
    w->draw = draw;
    w->kernel = draw->kernel;
    w->outputs_valid = w->flat = false;
    w->flats.turns = 0;
    if (!w->kernel->shade) {
        return;
    }
    const struct vliw_program *program = rn_frag_code(draw);
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
    const struct vliw_program *program = rn_frag_code(w->draw);
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

static enum vliw_status run_tapped(const struct rn_tile_worker *w, const struct vliw_tap *tap, struct vliw_run *run) {
    struct vliw_tap_batch shown = {.lanes = 0};
    return rn_tap_run(tap, w->batch, w->bound, run, &shown);
}

bool rn_shade_run(struct rn_tile_worker *w, struct vliw_run *run) {
    run->constants = w->draw->constants;
    run->sample = rn_sample;
    run->sample_bytes = rn_sample_words;
    run->sample_context = &w->sample;
    run->budget = w->run->scene->budget;
    const struct vliw_tap *tap = w->run->scene->tap;
    const enum vliw_status status = BITS_LIKELY(!tap) ? vliw_batch_run(w->batch, run) : run_tapped(w, tap, run);
    if (status != VLIW_OK) {
        report(w, status, run->fault_unit);
        return false;
    }
    return true;
}

bool rn_shade_program(struct rn_tile_worker *w, uint32_t quads, struct vliw_run *run) {
    rn_run_clear(run);
    for (uint32_t i = 0; i < VM_MASK_WORDS; i++) {
        const uint32_t lanes = quads * 4 > i * 64 ? quads * 4 - i * 64 : 0;
        run->active.w[i] = lanes >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << lanes) - 1;
    }
    return rn_shade_run(w, run);
}

/* gl_FragCoord.x, y and z. z is the depth before it is quantised, as a float. */
static void frag_coord(struct rn_tile_worker *w, uint32_t quads) {
    float *const *coord = w->inputs.coord;
    for (uint32_t q = 0; q < quads; q++) {
        const struct rn_prim *prim = w->prim[q];
        const double steps = w->kernel->depth_steps;
        const double offset = steps > 0.0 ? rn_prim_z_offset(prim) / steps : 0.0;
        const double lo = (double)prim->draw->depth_lo, hi = (double)prim->draw->depth_hi;
        for (unsigned i = 0; i < 4; i++) {
            if (coord[0]) {
                coord[0][4 * q + i] = (float)(w->x + w->qx[q] + (int32_t)(i & 1)) + 0.5f;
            }
            if (coord[1]) {
                coord[1][4 * q + i] = (float)(w->y + w->qy[q] + (int32_t)(i >> 1)) + 0.5f;
            }
            if (coord[2]) {
                const double dx = (double)(w->x - prim->px + w->qx[q] + (int32_t)(i & 1));
                const double dy = (double)(w->y - prim->py + w->qy[q] + (int32_t)(i >> 1));
                double z = (prim->z0 + prim->zx * dx) + prim->zy * dy + offset;
                z = z > lo ? z : lo;
                coord[2][4 * q + i] = (float)(z < hi ? z : hi);
            }
        }
    }
}

static inline uint32_t count_lanes(const uint8_t *mask) {
    uint32_t n = 0;
    for (uint32_t q = 0; q < VM_QUADS; q += 8) {
        uint64_t word;
        memcpy(&word, mask + q, sizeof word);
        n += bits_popcount64(word);
    }
    return n;
}

/* Lanes that any sample covers; entries behind the last quad are 0. */
static inline const uint8_t *any_sample(struct rn_tile_worker *w, uint32_t quads, uint8_t *any) {
    if (quads < VM_QUADS) {
        for (unsigned s = 0; s < w->kernel->samples; s++) {
            memset(w->mask[s] + quads, 0, VM_QUADS - quads);
        }
    }
    if (w->kernel->samples == 1) {
        return w->mask[0];
    }
    for (uint32_t q = 0; q < VM_QUADS; q++) {
        any[q] = w->mask[0][q] | w->mask[1][q] | w->mask[2][q] | w->mask[3][q];
    }
    return any;
}

/* Framebuffer fetch: the colour of a sample, of pixels that the quads cover. */
static void fetch_colors(struct rn_tile_worker *w, uint32_t quads, unsigned sample) {
    uint8_t buffer[VM_QUADS];
    const uint8_t *any = any_sample(w, quads, buffer);
    for (unsigned i = 0; i < RN_MAX_COLORS; i++) {
        float *const *dst = w->last_frag[i];
        if (w->color[i].pixels && (dst[0] || dst[1] || dst[2] || dst[3])) {
            rn_fragop_fetch((enum rn_format)w->color[i].format, w->color[i].pixels + sample * w->color[i].sample_stride,
                            w->color[i].stride, quads, w->qx,
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

static void fill_inputs(struct rn_tile_worker *w, uint32_t quads, unsigned sample) {
    if (w->inputs.count || w->inputs.coord[3]) {
        const struct rn_interp_job job = {&w->inputs, quads, w->segments, w->segment, w->qx, w->qy, w->x, w->y};
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
    if (w->kernel->special & RN_SPECIAL_BEFORE) {
        if (w->kernel->fetches) {
            fetch_colors(w, quads, sample);
        }
        if (w->kernel->special & RN_SPECIAL_RECORD) {
            rn_record_before(w, quads);
        }
    }
}

static unsigned live_lanes(const struct vliw_mask *live, uint32_t quad) {
    return (unsigned)(live->w[quad / 16] >> quad % 16 * 4) & 15u;
}

/* Takes killed lanes out of the masks (live: NULL if none can be) and counts. */
static void apply_live(struct rn_tile_worker *w, uint32_t quads, const struct vliw_mask *live) {
    uint8_t any[VM_QUADS];
    const uint32_t covered = count_lanes(any_sample(w, quads, any));
    w->counters[RN_COUNTER_FRAGMENTS] += covered;
    if (!live) {
        return;
    }
    for (uint32_t q = 0; q < quads; q++) {
        const unsigned lanes = live_lanes(live, q);
        for (unsigned s = 0; s < w->kernel->samples; s++) {
            w->mask[s][q] &= (uint8_t)lanes;
        }
    }
    w->counters[RN_COUNTER_FRAGMENTS_KILLED] += covered - count_lanes(any_sample(w, quads, any));
}

static void apply_alpha(struct rn_tile_worker *w, uint32_t quads) {
    for (uint32_t q = 0; q < quads; q++) {
        for (unsigned i = 0; i < 4; i++) {
            const unsigned set = rn_sample_coverage(w->alpha[4 * q + i]);
            for (unsigned s = 0; s < w->kernel->samples; s++) {
                if (!(set >> s & 1)) {
                    w->mask[s][q] &= (uint8_t) ~(1u << i);
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
    if (!rn_shade_program(w, VM_QUADS, &run)) {
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
    if (!w->kernel->fill) {
        return true;
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

static void count_passed(struct rn_tile_worker *w, uint32_t quads) {
    for (unsigned s = 0; s < w->kernel->samples; s++) {
        for (uint32_t q = 0; q < quads; q++) {
            w->counters[RN_COUNTER_SAMPLES_PASSED] += bits_popcount64(w->mask[s][q]);
        }
    }
}

/* The primitive of each quad, for what asks quad by quad. */
static void spread_prims(struct rn_tile_worker *w, uint32_t quads) {
    for (uint32_t s = 0, q = 0; s < w->segments; s++) {
        const uint32_t end = s + 1 < w->segments ? w->segment[s + 1].first : quads;
        for (; q < end; q++) {
            w->prim[q] = w->segment[s].prim;
        }
    }
}

/* Runs the batch as the masks have it; framebuffer fetch reads one sample. False: a fault. */
static bool shade_batch(struct rn_tile_worker *w, uint32_t quads, unsigned sample) {
    const struct rn_frag_kernel *k = w->kernel;
    struct vliw_run run;
    bool killed = false;
    w->counters[RN_COUNTER_QUADS] += quads;
    if (w->by_quad) {
        spread_prims(w, quads);
    }
    if (k->constant) {
        if (!w->outputs_valid && !run_constant(w)) {
            return false;
        }
        w->counters[RN_COUNTER_FS_INSTRUCTIONS] += w->instructions_lane * quads * 4;
    } else {
        fill_inputs(w, quads, sample);
        w->counters[RN_COUNTER_BATCHES]++;
        if (!rn_shade_program(w, quads, &run)) {
            return false;
        }
        w->counters[RN_COUNTER_FS_INSTRUCTIONS] += run.instructions;
        killed = w->draw->program->discards;
    }
    apply_live(w, quads, killed ? &run.live : NULL);
    if (k->special & RN_SPECIAL_AFTER) {
        if (k->special & RN_SPECIAL_RECORD) {
            rn_record_after(w, quads, &run);
        }
        if (k->alpha_to_coverage) {
            apply_alpha(w, quads);
        }
        for (unsigned s = 0; k->late && s < k->samples; s++) {
            rn_late_quads(w, quads, s);
        }
        if (k->counts) {
            count_passed(w, quads);
        }
    }
    write_colors(w, quads);
    return true;
}

/* Framebuffer fetch with samples: the program runs once for each sample, on the pixels it covers. */
static void shade_samples(struct rn_tile_worker *w, uint32_t quads) {
    const unsigned samples = w->kernel->samples;
    uint8_t covered[RN_MAX_SAMPLES][VM_QUADS];
    for (unsigned s = 0; s < samples; s++) {
        memcpy(covered[s], w->mask[s], quads);
    }
    for (unsigned sample = 0; sample < samples && !w->stopped; sample++) {
        for (unsigned s = 0; s < samples; s++) {
            memset(w->mask[s], 0, quads);
        }
        memcpy(w->mask[sample], covered[sample], quads);
        if (!shade_batch(w, quads, sample)) {
            return;
        }
    }
}

void rn_shade_quads(struct rn_tile_worker *w) {
    const uint32_t quads = w->quads;
    if (!quads) {
        return;
    }
    w->quads = 0;
    w->run_serial++;
    if (w->kernel->fetches && w->kernel->samples > 1) {
        shade_samples(w, quads);
    } else {
        shade_batch(w, quads, 0);
    }
}

void rn_shade_flush(struct rn_tile_worker *w) {
    rn_shade_flats(w);
    rn_shade_windows(w);
    rn_shade_quads(w);
}

/* ---- whole windows ------------------------------------------------------------------------------------------- */

#define WINDOW_QUADS 16
#define WINDOW_LANES (4 * WINDOW_QUADS)

static const uint8_t window_x[WINDOW_QUADS] = {0, 2, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6};
static const uint8_t window_y[WINDOW_QUADS] = {0, 0, 0, 0, 2, 2, 2, 2, 4, 4, 4, 4, 6, 6, 6, 6};
_Static_assert(VM_MASK_WORDS == RN_BATCH_WINDOWS && WINDOW_LANES == 64, "a window is a word of a mask");

/* Not all lanes of window 'at' of the batch are to be written, or its format has no way for whole ones. */
static void write_lanes(struct rn_tile_worker *w, uint32_t color, uint32_t at, const struct vliw_mask *live) {
    const struct rn_target *target = &w->color[w->kernel->attachment[color]];
    uint8_t qx[VM_QUADS] = {0}, qy[VM_QUADS] = {0}, mask[VM_QUADS] = {0};
    struct rn_write_job job = {.op = &w->kernel->color[color],
                               .first = at * WINDOW_QUADS,
                               .count = WINDOW_QUADS,
                               .qx = qx,
                               .qy = qy,
                               .mask = mask,
                               .pixels = target->pixels,
                               .stride = target->stride,
                               .scratch = &w->scratch};
    for (uint32_t i = 0, q = job.first; i < WINDOW_QUADS; i++, q++) {
        qx[q] = (uint8_t)(w->window[at].x + window_x[i]);
        qy[q] = (uint8_t)(w->window[at].y + window_y[i]);
        mask[q] = (uint8_t)live_lanes(live, q);
    }
    memcpy(job.src, w->outputs[color], sizeof job.src);
    job.op->write(&job);
}

/* Writes window 'at' of the batch, all of whose pixels that are alive. */
static void write_window(struct rn_tile_worker *w, uint32_t at, const struct vliw_mask *live) {
    const struct rn_frag_kernel *k = w->kernel;
    for (uint32_t i = 0; i < k->color_count; i++) {
        if (live->w[at] != UINT64_MAX || !k->color[i].block) {
            write_lanes(w, i, at, live);
            continue;
        }
        const struct rn_target *target = &w->color[k->attachment[i]];
        const float *src[4];
        for (unsigned c = 0; c < 4; c++) {
            src[c] = w->outputs[i][c] + at * WINDOW_LANES;
        }
        k->color[i].block(src, target->pixels + w->window[at].y * target->stride +
                                   w->window[at].x * (size_t)target->bytes, target->stride);
    }
}

void rn_shade_windows(struct rn_tile_worker *w) {
    const uint32_t windows = w->windows;
    struct vliw_run run;
    if (!windows) {
        return;
    }
    w->windows = 0;
    for (uint32_t i = 0; i < windows && (w->inputs.count || w->inputs.coord[3]); i++) {
        const struct rn_whole_window *at = &w->window[i];
        w->kernel->interp->window(&w->inputs, at->prim, w->x + (int32_t)at->x, w->y + (int32_t)at->y,
                                  i * WINDOW_LANES);
    }
    w->counters[RN_COUNTER_BATCHES]++;
    w->counters[RN_COUNTER_QUADS] += windows * WINDOW_QUADS;
    if (!rn_shade_program(w, windows * WINDOW_QUADS, &run)) {
        return;
    }
    w->counters[RN_COUNTER_FS_INSTRUCTIONS] += run.instructions;
    for (uint32_t i = 0; i < windows; i++) {
        w->counters[RN_COUNTER_FRAGMENTS] += WINDOW_LANES;
        w->counters[RN_COUNTER_FRAGMENTS_KILLED] += WINDOW_LANES - bits_popcount64(run.live.w[i]);
        write_window(w, i, &run.live);
    }
}

void rn_shade_window(struct rn_tile_worker *w, const struct rn_prim *prim, uint32_t x, uint32_t y, uint64_t blocks) {
    if (w->windows && (w->window_blocks & blocks)) {
        rn_shade_windows(w);
        if (w->stopped) {
            return;
        }
    }
    w->window[w->windows++] = (struct rn_whole_window){prim, x, y};
    w->window_blocks = w->windows > 1 ? w->window_blocks | blocks : blocks;
    if (w->windows == RN_BATCH_WINDOWS) {
        rn_shade_windows(w);
    }
}
