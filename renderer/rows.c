/* SPDX-License-Identifier: MIT */
/*
 * A primitive by rows: coverage of the tile, a mask of 64 pixels a row; then planes, program and stores of each row. Only
 * programs that no lane's neighbours see come here (narrow.c), one sample, without depth and stencil.
 */
#include "renderer/rows.h"

#include <string.h>

#include "renderer/dispatch.h"

extern const struct rn_row_ops rn_row_scalar, rn_row_sse, rn_row_avx2, rn_row_avx512, rn_row_neon;
RN_DISPATCH(rn_row_ops, rn_row, rn_row_ops_for)

rn_row_fn rn_row_fn_of(const struct rn_row_ops *ops, const struct rn_color_op *op) {
    const unsigned slot = op->format == RN_FORMAT_RGBX8;
    return op->blend ? ops->blend[slot][op->fast] : ops->store[slot];
}

/* Pixels of a row that the primitive covers. */
static uint64_t row_mask(const struct rn_cover *cover, uint32_t y) {
    const uint32_t first = y / RN_BLOCK * RN_BLOCKS;
    uint64_t mask = 0;
    for (uint32_t b = 0; b < RN_BLOCKS; b++) {
        if (cover->touched >> (first + b) & 1) {
            mask |= (cover->mask[first + b] >> y % RN_BLOCK * RN_BLOCK & 0xFFu) << b * RN_BLOCK;
        }
    }
    return mask;
}

static uint32_t quads_of_rows(uint64_t rows) {
    return bits_popcount64((rows | rows >> 1) & UINT64_C(0x5555555555555555));
}

/* False: a fault. */
static bool run_row(struct rn_tile_worker *w, const struct rn_prim *prim, uint32_t y, uint64_t mask) {
    const struct rn_frag_kernel *k = w->kernel;
    struct vliw_run run;
    memset(&run, 0, sizeof run);
    run.active.w[0] = UINT64_MAX;
    k->rows->planes(&w->inputs, prim, w->rel_x, w->rel_y + (float)y);
    w->counters[RN_COUNTER_BATCHES]++;
    if (!rn_shade_run(w, &run)) {
        return false;
    }
    w->counters[RN_COUNTER_FS_INSTRUCTIONS] += run.instructions;
    w->counters[RN_COUNTER_FRAGMENTS] += bits_popcount64(mask);
    if (w->draw->program->discards) {
        w->counters[RN_COUNTER_FRAGMENTS_KILLED] += bits_popcount64(mask & ~run.live.w[0]);
        mask &= run.live.w[0];
    }
    for (uint32_t i = 0; i < k->color_count && mask; i++) {
        const struct rn_target *t = &w->color[k->attachment[i]];
        k->row[i](&k->color[i], w->outputs[i][0], t->pixels + y * t->stride, mask);
    }
    return true;
}

void rn_rows_prim(struct rn_tile_worker *w, const struct rn_prim *prim, bool full) {
    const uint64_t inside = UINT64_MAX >> (64 - w->width);
    rn_shade_flush(w);
    if (w->stopped) {
        return;
    }
    if (!full) {
        rn_rast_prim(w->kernel->rast, prim, false, w->x, w->y, rn_sample_offsets(1), &w->cover[0]);
    }
    if (w->inputs.front_facing) {
        for (uint32_t i = 0; i < 64; i++) {
            w->inputs.front_facing[i] = prim->front_facing ? 1.0f : 0.0f;
        }
    }
    uint64_t above = 0;
    for (uint32_t y = 0; y < (uint32_t)w->height; y++) {
        const uint64_t mask = full ? inside : row_mask(&w->cover[0], y) & inside;
        if (mask && !run_row(w, prim, y, mask)) {
            return;
        }
        if (y % 2 || y + 1 == (uint32_t)w->height) {
            w->counters[RN_COUNTER_QUADS] += quads_of_rows(mask | above);
        }
        above = y % 2 ? 0 : mask;
    }
}
