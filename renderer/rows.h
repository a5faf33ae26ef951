/* SPDX-License-Identifier: MIT */
/*
 * Rows: narrow programs that ask nothing of the quad run over the rows of a tile, 64 pixels a batch, when a large
 * primitive covers them. Interpolation, texels and the stores then go through memory in order.
 */
#ifndef RENDERER_ROWS_H
#define RENDERER_ROWS_H

#include "renderer/tile.h"

struct rn_row_ops {
    /* The list's components of a row: dx of its first pixel, dy of all. */
    void (*planes)(const struct rn_interp_list *list, const struct rn_prim *prim, float dx, float dy);
    rn_row_fn store[2], blend[2][RN_BLEND_FAST_COUNT];   /* RGBA8, RGBX8 */
};
const struct rn_row_ops *rn_row_ops_for(enum vliw_simd level);

/* The row function of an attachment whose write_bytes is set. */
rn_row_fn rn_row_fn_of(const struct rn_row_ops *ops, const struct rn_color_op *op);

/* Whether a primitive of this kernel, with that box in the tile, goes by rows. */
static inline bool rn_rows_wanted(const struct rn_tile_worker *w, const struct rn_prim *prim, bool full) {
    const int32_t x0 = prim->box.x0 > w->x ? prim->box.x0 : w->x;
    const int32_t x1 = prim->box.x1 < w->x + w->width ? prim->box.x1 : w->x + w->width;
    return w->kernel->rows && (full || x1 - x0 >= 32);
}
/* Runs and writes the primitive's pixels in the tile; quads that were collected before it come first. */
void rn_rows_prim(struct rn_tile_worker *w, const struct rn_prim *prim, bool full);

#endif
