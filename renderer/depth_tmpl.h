/* SPDX-License-Identifier: MIT */
/* The depth of rows of eight pixels (included by templates only): the formula at struct rn_depth_block, loads,
 * comparisons, stores. */
#ifndef RENDERER_DEPTH_TMPL_H
#define RENDERER_DEPTH_TMPL_H

#include "vm/base/simd.h"

#include "renderer/tile.h"

#define ROW_VECTORS (SIMD_N >= 8 ? 1 : 8 / SIMD_N)
#define VECTOR_ROWS (SIMD_N > 8 ? SIMD_N / 8 : 1)

/* Four lanes or more: x of a row's pixels. */
static const float column[16] BITS_ALIGN(64) = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};

/* z0 + zx * dx of vector h of a row. */
struct columns {
    vd lo[ROW_VECTORS], hi[ROW_VECTORS];
};

SIMD_FN void columns_set(struct columns *c, const struct rn_depth_plane *p, float left) {
    const vd z0 = vd_set1(p->z0), zx = vd_set1(p->zx);
    BITS_UNROLL
    for (int h = 0; h < ROW_VECTORS; h++) {
        const vf dx = vf_add(vf_set1(left), vf_loadu(column + h * SIMD_N));
        c->lo[h] = vd_add(z0, vd_mul(zx, vd_lo_from_vf(dx)));
        c->hi[h] = VECTOR_ROWS > 1 ? c->lo[h] : vd_add(z0, vd_mul(zx, vd_hi_from_vf(dx)));
    }
}

SIMD_FN vd quantise_half(vd z, const struct rn_depth_plane *p) {
    const vd grid = vd_set1(RN_DEPTH_GRID);
    z = vd_add(vd_sub(vd_add(z, grid), grid), vd_set1(p->offset));
    return vd_min(vd_max(z, vd_set1(p->lo)), vd_set1(p->hi)); /* NaN becomes lo */
}

/* The same of planes whose values are known to be within the range, without an offset (rn_prim.unclamped): rounded to
 * the grid as 2^32 + t + 0.5, whose whole part is the integer, halves gone up. */
#define RN_DEPTH_WHOLE 4294967296.5

/* Depth of the pixels of vector h of the row at dy (and the next with 16 lanes). dy is exact in float. */
SIMD_FN vi row_depth(const struct columns *c, const struct rn_depth_plane *p, int h, double dy, const bool unclamped) {
    const vd lo = vd_set1(p->zy * dy);
    const vd hi = VECTOR_ROWS > 1 ? vd_set1(p->zy * (dy + 1.0)) : lo;
    const vd t0 = vd_add(c->lo[h], lo), t1 = vd_add(c->hi[h], hi);
    if (unclamped) {
        const vd whole = vd_set1(RN_DEPTH_WHOLE);
        return vi_from_vd_whole(vd_add(t0, whole), vd_add(t1, whole));
    }
    return vi_from_vd_rint(quantise_half(t0, p), quantise_half(t1, p));
}

/* With 16 lanes two rows, of which one without coverage reads as the other. */
SIMD_FN vi depth_load(const uint8_t *p0, const uint8_t *p1, const bool d24) {
    return d24 ? vi_load_rows(p0, p1) : vi_load_rows_u16(p0, p1);
}

SIMD_FN void depth_store(uint8_t *p0, uint8_t *p1, bool row0, bool row1, const bool d24, vi v) {
    if (row0 && d24) {
        vi_store_row_lo(p0, v);
    } else if (row0) {
        vi_store_row_lo_u16(p0, v);
    }
    if (row1 && d24) {
        vi_store_row_hi(p1, v);
    } else if (row1) {
        vi_store_row_hi_u16(p1, v);
    }
}

SIMD_FN vm compare(vi z, vi d, const int cls, unsigned func) {
    if (cls == RN_DEPTH_LESS) {
        return vi_lt(z, d);
    }
    if (cls == RN_DEPTH_LEQUAL) {
        return vm_not(vi_gt(z, d));
    }
    /* The number of a function is the set of outcomes it takes: 1 less, 2 equal, 4 greater. */
    vm pass = func & RN_LESS ? vi_lt(z, d) : vm_false();
    pass = func & RN_EQUAL ? vm_or(pass, vi_eq(z, d)) : pass;
    return func & RN_GREATER ? vm_or(pass, vi_gt(z, d)) : pass;
}

#endif
