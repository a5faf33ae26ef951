/* SPDX-License-Identifier: MIT */
/*
 * Flat primitives: all that the program reads of one is the same at each pixel, so one quad stands for it. What passes
 * the tests waits as windows with masks; the program runs over the quads of many primitives at once, and each window is
 * filled (or blended) with the colour of its own, in the order in which they came. In: windows from collect.c. Out:
 * pixels, the same bits as by quads.
 */
#include "renderer/flat.h"

#include <string.h>

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

void rn_flat_enter(struct rn_tile_worker *w, const struct rn_prim *prim, bool wanted) {
    bool flat = wanted && rn_prim_is_flat(&w->inputs, prim);
    if (flat && (w->quads || w->windows)) {
        flat = w->flats.turns < RN_FLAT_TURNS;
        w->flats.turns += flat;
    }
    if (flat ? w->quads || w->windows : w->flats.count > 0) {
        rn_shade_flush(w);
    }
    w->flat = flat;
}

void rn_flat_window(struct rn_tile_worker *w, const struct rn_prim *prim, uint32_t x, uint32_t y, uint64_t mask) {
    if (!rn_flat_room(w, prim)) {
        return;
    }
    struct rn_fill_window *window = &w->flats.window[w->flats.windows];
    for (uint32_t r = 0; r < 8; r++) {
        window->rows[r] = mask >> 8 * r & 0xFFu;
        window->rows[8 + r] = 0;
    }
    window->x = (uint8_t)x;
    window->y = (uint8_t)y;
    window->height = RN_BLOCK;
    rn_flat_put(w, prim);
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
    for (uint32_t r = 0; r < window->height; r++, p += t->stride) {
        for (uint32_t bits = window->rows[r]; bits; bits &= bits - 1) {
            memcpy(p + bits_ctz32(bits) * (size_t)t->bytes, pixel, t->bytes);
        }
    }
}

/* 8x8 pixels at a time. */
static void blend_window(struct rn_tile_worker *w, uint32_t color, const struct rn_fill_window *window) {
    const struct rn_color_op *op = &w->kernel->color[color];
    const struct rn_target *t = &w->color[w->kernel->attachment[color]];
    const uint32_t lane = 4u * window->prim;
    float rgba[4];
    for (unsigned c = 0; c < 4; c++) {
        rgba[c] = w->outputs[color][c][lane];
    }
    for (uint32_t r = 0; r < window->height; r += RN_BLOCK) {
        uint8_t *p = t->pixels + (window->y + r) * t->stride + window->x * (size_t)t->bytes;
        uint64_t mask[2] = {0, 0};
        for (uint32_t i = 0; i < RN_BLOCK; i++) {
            mask[0] |= (uint64_t)(window->rows[r + i] & 0xFFu) << 8 * i;
            mask[1] |= (uint64_t)(window->rows[r + i] >> 8) << 8 * i;
        }
        for (unsigned side = 0; side < 2; side++) {
            if (mask[side]) {
                op->window(op, rgba, p + side * RN_BLOCK * t->bytes, t->stride, mask[side]);
            }
        }
    }
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
        fill_any(t, &window[i], pixels.row[0] + window[i].prim * (2u * t->bytes));
    }
}

void rn_shade_flats(struct rn_tile_worker *w) {
    const uint32_t count = w->flats.count, windows = w->flats.windows;
    struct vliw_run run;
    uint64_t pixels, quads;
    if (!count) {
        return;
    }
    w->flats.count = w->flats.windows = 0;
    if (!rn_shade_program(w, count, &run)) {
        return;
    }
    w->kernel->flat_count(w->flats.window, windows, &pixels, &quads);
    w->counters[RN_COUNTER_FRAGMENTS] += pixels;
    w->counters[RN_COUNTER_QUADS] += quads;
    w->counters[RN_COUNTER_FS_INSTRUCTIONS] += run.instructions / count * quads;
    w->counters[RN_COUNTER_BATCHES]++;
    for (uint32_t i = 0; i < w->kernel->color_count; i++) {
        write_color(w, i, count, windows);
    }
}
