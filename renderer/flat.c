/* SPDX-License-Identifier: MIT */
/*
 * Flat primitives: all that the program reads of one is the same at each pixel, so one quad stands for it. What passes
 * the tests waits as windows with masks; the program runs over the quads of many primitives at once, and each window is
 * filled (or blended) with the colour of its own, in the order in which they came. In: windows from collect.c. Out:
 * pixels, the same bits as by quads.
 */
#include "renderer/tile.h"

#include <string.h>

/* How often the way of a tile's draw changes from quads to flat primitives: a batch that is not full is the price. */
#define TURNS_MOST 4

bool rn_flat_kernel(const struct rn_frag_kernel *k, const struct rn_program *program) {
    const uint32_t flags = program->info[VLIW_STAGE_FRAGMENT]->flags;
    bool fits = !k->constant && !k->special && !k->late && k->samples == 1 && k->color_count > 0 && program->coef_count > 0;
    for (uint32_t i = 0; i < k->color_count; i++) {
        fits = fits && (k->color[i].fillable || k->color[i].window);
    }
    /* Each lane executes the same instructions, so they can be counted as if all quads had run. */
    return fits && !(flags & (VLIW_USES_DISCARD | VLIW_USES_TEXTURE | VLIW_USES_MEMORY | VLIW_HAS_BRANCHES)) &&
           program->frag_coord_input < 0 && program->front_facing_input < 0 && program->depth_output < 0;
}

/* Whether (a0 + ax * dx) + ay * dy is a0 to the bit, wherever: not if a0 is -0 or not a number. */
static inline bool plane_is_flat(const struct rn_plane *plane) {
    const uint32_t a0 = bits_from_float(plane->a0), slopes = bits_from_float(plane->ax) | bits_from_float(plane->ay);
    return slopes << 1 == 0 && a0 != 0x80000000u && (a0 & 0x7FFFFFFFu) <= 0x7F800000u;
}

static inline bool prim_is_flat(const struct rn_interp_list *inputs, const struct rn_prim *prim) {
    bool flat = !prim->perspective;
    for (uint32_t i = 0; i < inputs->count && flat; i++) {
        flat = plane_is_flat(&prim->coef[inputs->coef[i]]);
    }
    return flat;
}

void rn_flat_enter(struct rn_tile_worker *w, const struct rn_prim *prim, bool wanted) {
    bool flat = wanted && prim_is_flat(&w->inputs, prim);
    if (flat && (w->quads || w->windows)) {
        flat = w->flats.turns < TURNS_MOST;
        w->flats.turns += flat;
    }
    if (flat ? w->quads || w->windows : w->flats.count > 0) {
        rn_shade_flush(w);
    }
    w->flat = flat;
}

void rn_flat_window(struct rn_tile_worker *w, const struct rn_prim *prim, uint32_t x, uint32_t y, uint64_t mask) {
    struct rn_flats *f = &w->flats;
    if (f->windows == RN_FLAT_WINDOWS || (f->count == VM_QUADS && f->prim != prim)) {
        rn_shade_flats(w);
        if (w->stopped) {
            return;
        }
    }
    if (f->count == 0 || f->prim != prim) {
        const struct rn_interp_list *in = &w->inputs;
        const uint32_t lane = 4 * f->count++;
        f->prim = prim;
        for (uint32_t i = 0; i < in->count; i++) {
            const float v = prim->coef[in->coef[i]].a0, quad[4] = {v, v, v, v};
            memcpy(in->dst[i] + lane, quad, sizeof quad);
        }
    }
    f->window[f->windows++] = (struct rn_fill_window){mask, (uint8_t)x, (uint8_t)y, (uint8_t)(f->count - 1)};
}

/* ---- colours --------------------------------------------------------------------------------------------------- */

/* Pixels of an attachment made by its format's own kernel: a surface of two rows, two pixels a primitive. */
struct flat_pixels {
    uint8_t row[2][VM_QUADS * 2 * 8] BITS_ALIGN(64);
};

static void make_pixels(struct rn_tile_worker *w, uint32_t color, uint32_t count, struct flat_pixels *pixels) {
    const struct rn_color_op *op = &w->kernel->color[color];
    uint8_t qx[VM_QUADS + RN_QUAD_SLACK], qy[VM_QUADS + RN_QUAD_SLACK] = {0}, mask[VM_QUADS + RN_QUAD_SLACK] = {0};
    struct rn_write_job job = {.op = op,
                               .first = 0,
                               .count = count,
                               .qx = qx,
                               .qy = qy,
                               .mask = mask,
                               .pixels = pixels->row[0],
                               .stride = sizeof pixels->row[0],
                               .scratch = &w->scratch};
    for (uint32_t q = 0; q < VM_QUADS; q++) {
        qx[q] = (uint8_t)(2 * q);
    }
    memset(mask, 15, count);
    memcpy(job.src, w->outputs[color], sizeof job.src);
    op->write(&job);
}

/* One window of a format of any size, row by row. */
static void fill_any(const struct rn_target *t, const struct rn_fill_window *window, const uint8_t *pixel) {
    uint8_t *p = t->pixels + window->y * t->stride + window->x * (size_t)t->bytes;
    for (uint64_t mask = window->mask; mask; mask >>= 8, p += t->stride) {
        for (unsigned bits = mask & 0xFFu; bits; bits &= bits - 1) {
            memcpy(p + bits_ctz32(bits) * (size_t)t->bytes, pixel, t->bytes);
        }
    }
}

static void blend_window(struct rn_tile_worker *w, uint32_t color, const struct rn_fill_window *window) {
    const struct rn_color_op *op = &w->kernel->color[color];
    const struct rn_target *t = &w->color[w->kernel->attachment[color]];
    const uint32_t lane = 4u * window->prim;
    float rgba[4];
    for (unsigned c = 0; c < 4; c++) {
        rgba[c] = w->outputs[color][c][lane];
    }
    op->window(op, rgba, t->pixels + window->y * t->stride + window->x * (size_t)t->bytes, t->stride, window->mask);
}

/* All windows into one attachment. */
static void write_color(struct rn_tile_worker *w, uint32_t color, uint32_t count, uint32_t windows) {
    const struct rn_color_op *op = &w->kernel->color[color];
    const struct rn_target *t = &w->color[w->kernel->attachment[color]];
    const struct rn_fill_window *window = w->flats.window;
    struct flat_pixels pixels;
    if (!op->fillable) {
        for (uint32_t i = 0; i < windows; i++) {
            blend_window(w, color, &window[i]);
        }
        return;
    }
    make_pixels(w, color, count, &pixels);
    if (op->fill) {
        op->fill(t->pixels, t->stride, (const uint32_t *)(const void *)pixels.row[0], window, windows);
        return;
    }
    for (uint32_t i = 0; i < windows; i++) {
        fill_any(t, &window[i], pixels.row[0] + window[i].prim * 2u * t->bytes);
    }
}

static void count_windows(struct rn_tile_worker *w, uint32_t windows, uint64_t instructions) {
    const uint64_t first = UINT64_C(0x0055005500550055);
    uint64_t fragments = 0, quads = 0;
    for (uint32_t i = 0; i < windows; i++) {
        const uint64_t mask = w->flats.window[i].mask, pairs = mask | mask >> 1;
        fragments += bits_popcount64(mask);
        quads += bits_popcount64((pairs | pairs >> 8) & first);
    }
    w->counters[RN_COUNTER_FRAGMENTS] += fragments;
    w->counters[RN_COUNTER_QUADS] += quads;
    w->counters[RN_COUNTER_FS_INSTRUCTIONS] += instructions * quads * 4;
    w->counters[RN_COUNTER_BATCHES]++;
}

void rn_shade_flats(struct rn_tile_worker *w) {
    const uint32_t count = w->flats.count, windows = w->flats.windows;
    struct vliw_run run;
    if (!count) {
        return;
    }
    w->flats.count = w->flats.windows = 0;
    if (!rn_shade_program(w, count, &run)) {
        return;
    }
    count_windows(w, windows, run.instructions / (4 * count));
    for (uint32_t i = 0; i < w->kernel->color_count; i++) {
        write_color(w, i, count, windows);
    }
}
