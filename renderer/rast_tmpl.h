/* SPDX-License-Identifier: MIT */
/*
 * Rows of a small triangle (included by templates only): within sixteen pixels each way all three edges are asked at
 * every pixel of a row at once, which is quicker than to ask first which of them matter.
 */
#ifndef RENDERER_RAST_TMPL_H
#define RENDERER_RAST_TMPL_H

#include "vm/base/simd.h"

#include <string.h>

#include "renderer/tile.h"

#define ROWS_VECTORS (16 / SIMD_N)

/* Bits lo..hi of sixteen. */
SIMD_FN uint32_t rows_columns(int32_t lo, int32_t hi) {
    return 0xFFFFu << lo & 0xFFFFu >> (15 - hi);
}

/* Pixels of rows y0..y1 (of 0..15), bit x each; the others are 0. Values and box of 'tri' are relative to pixel (0, 0). */
SIMD_FN void rows_of(const struct rn_rast_tri *tri, uint16_t rows[16]) {
    static const int32_t lane_number[16] BITS_ALIGN(64) = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const uint32_t columns = rows_columns(tri->x0, tri->x1);
    vi at[3][ROWS_VECTORS], step[3];
    BITS_UNROLL
    for (int k = 0; k < 3; k++) {
        step[k] = vi_set1(tri->b[k]);
        const vi a = vi_set1(tri->a[k]), first = vi_set1(tri->c[k] + tri->b[k] * tri->y0);
        BITS_UNROLL
        for (int h = 0; h < ROWS_VECTORS; h++) {
            at[k][h] = vi_add(vi_mul(vi_load(lane_number + h * SIMD_N), a), first);
        }
    }
    memset(rows, 0, 16 * sizeof *rows);
    for (int32_t y = tri->y0; y <= tri->y1; y++) {
        uint32_t outside = 0;
        BITS_UNROLL
        for (int h = 0; h < ROWS_VECTORS; h++) {
            outside |= vm_bits(vm_from_vi(vi_or(vi_or(at[0][h], at[1][h]), at[2][h]))) << h * SIMD_N;
            BITS_UNROLL
            for (int k = 0; k < 3; k++) {
                at[k][h] = vi_add(at[k][h], step[k]);
            }
        }
        rows[y] = (uint16_t)(columns & ~outside);
    }
}

/* Four rows' low (shift 0) or high (shift 8) bytes side by side. */
SIMD_FN uint64_t rows_bytes(const uint16_t rows[4], unsigned shift) {
    uint64_t v = rn_four_rows(rows);
    v = v >> shift & UINT64_C(0x00FF00FF00FF00FF);
    v = (v | v >> 8) & UINT64_C(0x0000FFFF0000FFFF);
    return (v | v >> 16) & UINT64_C(0xFFFFFFFF);
}

/* Eight rows' low or high bytes as a window. */
SIMD_FN uint64_t rows_window(const uint16_t rows[8], unsigned shift) {
    return rows_bytes(rows, shift) | rows_bytes(rows + 4, shift) << 32;
}

#endif
