/* SPDX-License-Identifier: MIT */
/*
 * Coverage of a triangle in a tile, once for each ISA (rast.c calls it). All blocks of a row are asked at
 * once where an edge is outermost and innermost: outside one edge drops a block, inside all makes it a
 * full one; what is left is tested pixel by pixel, against the edges that cross it only. A box of at most
 * 2x2 blocks goes straight to the pixels, which is the quickest way for small triangles.
 *
 * Everything is exact in 32 bits: limits.h bounds the values of an edge that crosses the tile.
 */
#include "renderer/rast_tmpl.h"

/* Vectors of a block row of 8 pixels (or 8 blocks); with 16 lanes one vector is two rows. */
#define ROW_VECTORS (SIMD_N >= 8 ? 1 : 8 / SIMD_N)
#define VECTOR_ROWS (SIMD_N > 8 ? SIMD_N / 8 : 1)

static const int32_t lane_x[16] BITS_ALIGN(64) = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
static const int32_t lane_y[16] BITS_ALIGN(64) = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};

/* a * x + b * y of the lanes of vector h of a row, scaled by 2^shift. */
SIMD_FN vi lane_offsets(int32_t a, int32_t b, int h, int shift) {
    vi v = vi_mul(vi_loadu(lane_x + h * SIMD_N), vi_set1(a));
    if (VECTOR_ROWS > 1) {
        v = vi_add(v, vi_mul(vi_load(lane_y), vi_set1(b)));
    }
    return vi_shl(v, shift);
}

struct block_edges {
    vi offset[3][ROW_VECTORS];
    int32_t origin[3], b[3];
};

/* Rows y0..y1 of a block against n edges; bits of other rows are undefined. */
SIMD_FN uint64_t block_rows(const struct block_edges *e, const int n, int32_t y0, int32_t y1) {
    uint64_t outside = 0;
    const int32_t first = y0 & ~(VECTOR_ROWS - 1);
    vi at[3][ROW_VECTORS], step[3];
    BITS_UNROLL
    for (int k = 0; k < n; k++) {
        step[k] = vi_set1(e->b[k] * VECTOR_ROWS);
        BITS_UNROLL
        for (int h = 0; h < ROW_VECTORS; h++) {
            at[k][h] = vi_add(e->offset[k][h], vi_set1(e->origin[k] + e->b[k] * first));
        }
    }
    for (int32_t y = first; y <= y1; y += VECTOR_ROWS) {
        BITS_UNROLL
        for (int h = 0; h < ROW_VECTORS; h++) {
            vi sign = at[0][h];
            at[0][h] = vi_add(at[0][h], step[0]);
            BITS_UNROLL
            for (int k = 1; k < n; k++) {
                sign = vi_or(sign, at[k][h]);
                at[k][h] = vi_add(at[k][h], step[k]);
            }
            outside |= (uint64_t)vm_bits(vm_from_vi(sign)) << (8 * y + h * SIMD_N);
        }
    }
    return ~outside;
}

/* Mask of one block against those of the edges whose bit is set in 'crossing'. */
static uint64_t block_mask(const struct rn_rast_tri *tri, vi (*const offset)[ROW_VECTORS], uint32_t crossing,
                           int32_t bx, int32_t by) {
    const int32_t x0 = tri->x0 > 8 * bx ? tri->x0 - 8 * bx : 0, x1 = tri->x1 < 8 * bx + 7 ? tri->x1 - 8 * bx : 7;
    const int32_t y0 = tri->y0 > 8 * by ? tri->y0 - 8 * by : 0, y1 = tri->y1 < 8 * by + 7 ? tri->y1 - 8 * by : 7;
    struct block_edges e;
    int n = 0;
    for (uint32_t k = 0; k < tri->edges; k++) {
        if (crossing >> k & 1) {
            for (int h = 0; h < ROW_VECTORS; h++) {
                e.offset[n][h] = offset[k][h];
            }
            e.origin[n] = tri->c[k] + tri->a[k] * 8 * bx + tri->b[k] * 8 * by;
            e.b[n] = tri->b[k];
            n++;
        }
    }
    const uint64_t columns = (0xFFu << x0 & 0xFFu >> (7 - x1)) * UINT64_C(0x0101010101010101);
    uint64_t mask = columns & UINT64_MAX << 8 * y0 & UINT64_MAX >> 8 * (7 - y1);
    switch (n) {
    case 1: mask &= block_rows(&e, 1, y0, y1); break;
    case 2: mask &= block_rows(&e, 2, y0, y1); break;
    case 3: mask &= block_rows(&e, 3, y0, y1); break;
    default: break;
    }
    return mask;
}

/* Sets the bits of blocks that an edge's values at their outermost and innermost pixel decide. */
static void classify(const struct rn_rast_tri *tri, uint32_t k, int32_t by0, int32_t by1, uint64_t *rejected,
                     uint64_t *accepted) {
    const int32_t a = tri->a[k], b = tri->b[k];
    const int32_t reach_up = 7 * ((a > 0 ? a : 0) + (b > 0 ? b : 0));
    const int32_t reach_down = 7 * ((a < 0 ? a : 0) + (b < 0 ? b : 0));
    vi at[ROW_VECTORS];
    const int32_t first = by0 & ~(VECTOR_ROWS - 1);
    for (int h = 0; h < ROW_VECTORS; h++) {
        at[h] = vi_add(lane_offsets(a, b, h, 3), vi_set1(tri->c[k] + b * 8 * first));
    }
    uint64_t out = 0, in = 0;
    for (int32_t by = first; by <= by1; by += VECTOR_ROWS) {
        for (int h = 0; h < ROW_VECTORS; h++) {
            const int shift = 8 * by + h * SIMD_N;
            out |= (uint64_t)vm_bits(vm_from_vi(vi_add(at[h], vi_set1(reach_up)))) << shift;
            in |= (uint64_t)vm_bits(vm_not(vm_from_vi(vi_add(at[h], vi_set1(reach_down))))) << shift;
            at[h] = vi_add(at[h], vi_set1(b * 8 * VECTOR_ROWS));
        }
    }
    *rejected |= out;
    *accepted = in;
}

static void rast_triangle(const struct rn_rast_tri *tri, struct rn_cover *cover) {
    const int32_t bx0 = tri->x0 >> 3, bx1 = tri->x1 >> 3, by0 = tri->y0 >> 3, by1 = tri->y1 >> 3;
    vi offset[3][ROW_VECTORS];
    for (uint32_t k = 0; k < tri->edges; k++) {
        for (int h = 0; h < ROW_VECTORS; h++) {
            offset[k][h] = lane_offsets(tri->a[k], tri->b[k], h, 0);
        }
    }
    uint64_t touched = 0;
    if (bx1 - bx0 <= 1 && by1 - by0 <= 1) {
        for (int32_t by = by0; by <= by1; by++) {
            for (int32_t bx = bx0; bx <= bx1; bx++) {
                const uint64_t mask = block_mask(tri, offset, 7, bx, by);
                const int32_t block = by * RN_BLOCKS + bx;
                cover->mask[block] = mask;
                touched |= (uint64_t)(mask != 0) << block;
            }
        }
        cover->touched = touched;
        simd_leave();
        return;
    }
    /* Blocks of the box, and those that lie in it whole. */
    const uint64_t rows = UINT64_MAX << 8 * by0 & UINT64_MAX >> 8 * (7 - by1);
    const uint64_t candidates = (0xFFu << bx0 & 0xFFu >> (7 - bx1)) * UINT64_C(0x0101010101010101) & rows;
    const int32_t ix0 = (tri->x0 + 7) >> 3, ix1 = (tri->x1 + 1) >> 3, iy0 = (tri->y0 + 7) >> 3,
                  iy1 = (tri->y1 + 1) >> 3;
    uint64_t whole = 0;
    if (ix0 < ix1 && iy0 < iy1) {
        whole = (0xFFu << ix0 & 0xFFu >> (8 - ix1)) * UINT64_C(0x0101010101010101) & UINT64_MAX << 8 * iy0 &
                UINT64_MAX >> 8 * (8 - iy1);
    }
    uint64_t rejected = 0, accepted[3] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
    for (uint32_t k = 0; k < tri->edges; k++) {
        classify(tri, k, by0, by1, &rejected, &accepted[k]);
    }
    const uint64_t left = candidates & ~rejected;
    const uint64_t full = left & whole & accepted[0] & accepted[1] & accepted[2];
    touched = full;
    for (uint64_t bits = full; bits; bits &= bits - 1) {
        cover->mask[bits_ctz64(bits)] = UINT64_MAX;
    }
    for (uint64_t bits = left & ~full; bits; bits &= bits - 1) {
        const uint32_t block = bits_ctz64(bits);
        const uint32_t inside = (uint32_t)(accepted[0] >> block & 1) | (uint32_t)(accepted[1] >> block & 1) << 1 |
                                (uint32_t)(accepted[2] >> block & 1) << 2;
        const uint64_t mask = block_mask(tri, offset, ~inside & 7u, (int32_t)(block & 7), (int32_t)(block >> 3));
        cover->mask[block] = mask;
        touched |= (uint64_t)(mask != 0) << block;
    }
    cover->touched = touched;
    simd_leave();
}

/* Columns x0..x1 and rows y0..y1 of a window. */
SIMD_FN uint64_t rectangle(int32_t x0, int32_t y0, int32_t x1, int32_t y1) {
    const uint64_t columns = (0xFFu << x0 & 0xFFu >> (7 - x1)) * UINT64_C(0x0101010101010101);
    return columns & UINT64_MAX << 8 * y0 & UINT64_MAX >> 8 * (7 - y1);
}

SIMD_FN void edge_set(struct block_edges *e, int n, const struct rn_rast_tri *tri, int k) {
    BITS_UNROLL
    for (int h = 0; h < ROW_VECTORS; h++) {
        e->offset[n][h] = lane_offsets(tri->a[k], tri->b[k], h, 0);
    }
    e->origin[n] = tri->c[k];
    e->b[n] = tri->b[k];
}

/* One window: against all edges, which is quicker than to ask which of them matter. */
SIMD_FN uint64_t one_window(const struct rn_rast_tri *tri) {
    struct block_edges e;
    BITS_UNROLL
    for (int k = 0; k < 3; k++) {
        edge_set(&e, k, tri, k);
    }
    return block_rows(&e, 3, tri->y0, tri->y1) & rectangle(tri->x0, tri->y0, tri->x1, tri->y1);
}

/* Several: the rows of all at once. Later columns and rows of windows may begin before the eighth pixel; what two have
 * is the first one's. */
static void rast_windows(const struct rn_rast_tri *tri, const struct rn_windows *windows, uint64_t mask[RN_WINDOWS]) {
    if (windows->columns + windows->rows == 2) {
        mask[0] = one_window(tri);
        simd_leave();
        return;
    }
    uint16_t rows[16];
    rows_of(tri, rows);
    const uint32_t right = 8 - (windows->x[1] - windows->x[0]), up = 8 * (8 - (windows->y[1] - windows->y[0]));
    mask[0] = rows_window(rows, 0);
    mask[1] = windows->columns > 1 ? rows_window(rows, 8) << right : 0;
    mask[2] = windows->rows > 1 ? rows_window(rows + 8, 0) << up : 0;
    mask[3] = windows->columns + windows->rows == 4 ? rows_window(rows + 8, 8) << right << up : 0;
    simd_leave();
}

extern const struct rn_rast_ops SIMD_NAME(rn_rast);
const struct rn_rast_ops SIMD_NAME(rn_rast) = {rast_triangle, rast_windows};
