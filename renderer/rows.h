/* SPDX-License-Identifier: MIT */
/*
 * Rows: narrow programs that ask nothing of the quad run over the rows of a tile, 64 pixels at a time, when a large
 * primitive covers them. Interpolation, texels and the stores then go through memory in order. Programs in direct form
 * (narrow.c) need no processor at all.
 */
#ifndef RENDERER_ROWS_H
#define RENDERER_ROWS_H

#include "renderer/texture.h"
#include "renderer/tile.h"
#include "vm/base/bits.h"

/* Tables: RGBA8, RGBX8; blending by RN_BLEND_FAST_*, or none (RN_BLEND_FAST_COUNT). */
struct rn_row_ops {
    /* The list's components of a row, from 'lane' on: dx of its first pixel, dy of all. */
    void (*planes)(const struct rn_interp_list *list, const struct rn_prim *prim, float dx, float dy, uint32_t lane);
    rn_row_fn write[2][RN_BLEND_FAST_COUNT + 1];
};
const struct rn_row_ops *rn_row_ops_for(enum vliw_simd level);

/* Rows of a program in direct form. */
struct rn_direct_row {
    const struct rn_view *view;
    const struct rn_prim *prim;
    const struct rn_plane *s, *t;                      /* coordinates */
    float dx, dy;                                      /* of the row's first pixel */
    int32_t *trail;                                    /* the first texel of the row before, for prefetching */
    bool upright;                                      /* a column of pixels is one of texels, ... */
    bool follows;                                      /* ... and they follow each other as pixels do, ... */
    int32_t origin;                                    /* ... from this one on */
    int32_t column[64] BITS_ALIGN(64);                 /* upright: of texels */
    int32_t texels[64] BITS_ALIGN(64);                 /* of a row, where they are not used as they lie */
};
struct rn_direct_ops {
    /* Before the first row; 'dx' is set, 'columns' are all that rows will ask for. */
    void (*begin)(struct rn_direct_row *r, uint64_t columns);
    /* Texels of the row at 'dy'; those that 'mask' does not ask for may be anything, but can be read by whole vectors. */
    const int32_t *(*fetch)(struct rn_direct_row *r, uint64_t mask);
};
const struct rn_direct_ops *rn_direct_ops_for(enum vliw_simd level);

/* Index into the tables for an attachment whose write_bytes is set. */
static inline unsigned rn_row_kind(const struct rn_color_op *op) {
    return op->blend ? op->fast : RN_BLEND_FAST_COUNT;
}

/* Whether a primitive of this kernel, with that box in the tile, goes by rows. */
static inline bool rn_rows_wanted(const struct rn_tile_worker *w, const struct rn_prim *prim, bool full) {
    const int32_t x0 = prim->box.x0 > w->x ? prim->box.x0 : w->x;
    const int32_t x1 = prim->box.x1 < w->x + w->width ? prim->box.x1 : w->x + w->width;
    return w->kernel->rows && (full || x1 - x0 >= 32);
}
/* Runs and writes the primitive's pixels in the tile; quads that were collected before it come first. */
void rn_rows_prim(struct rn_tile_worker *w, const struct rn_prim *prim, bool full);

#endif
