/* SPDX-License-Identifier: MIT */
/* Kernels of rows, once for each ISA: planes of 64 pixels side by side, and stores of 64 words. */
#include "renderer/row_tmpl.h"

static void row_planes(const struct rn_interp_list *list, const struct rn_prim *prim, float dx, float dy, uint32_t lane) {
    const vf y = vf_set1(dy), step = vf_set1((float)SIMD_N);
    const vf first = vf_add(vf_set1(dx), vf_iota());
    float w[ROW] BITS_ALIGN(64);
    if (prim->perspective) {
        vf x = first;
        for (int i = 0; i < ROW; i += SIMD_N, x = vf_add(x, step)) {
            vf_store(w + i, vf_div(vf_set1(1.0f), row_value(&prim->iw, x, y)));
        }
    }
    for (uint32_t c = 0; c < list->count; c++) {
        const struct rn_plane *plane = &prim->coef[list->coef[c]];
        float *dst = list->dst[c] + lane;
        vf x = first;
        for (int i = 0; i < ROW; i += SIMD_N, x = vf_add(x, step)) {
            const vf value = row_value(plane, x, y);
            vf_store(dst + i, prim->perspective ? vf_mul(value, vf_load(w + i)) : value);
        }
    }
    simd_leave();
}

SIMD_FN void row_write(const struct rn_color_op *op, const float *words, uint8_t *pixels, uint64_t mask, const int f,
                       const int kind) {
    for (int i = 0; i < ROW; i += SIMD_N, pixels += SIMD_N * 4) {
        const uint32_t bits = (uint32_t)(mask >> i) & LANE_BITS;
        if (bits) {
            put_pixels(op, vf_as_vi(vf_load(words + i)), pixels, bits, f, kind);
        }
    }
    simd_leave();
}

#define ROW_FN(name, f, kind)                                                                                          \
    static void row_##name(const struct rn_color_op *op, const float *words, uint8_t *pixels, uint64_t mask) {         \
        row_write(op, words, pixels, mask, f, kind);                                                                   \
    }
ROW_FUNCTIONS(ROW_FN)

extern const struct rn_row_ops SIMD_NAME(rn_row);
const struct rn_row_ops SIMD_NAME(rn_row) = {row_planes, ROW_TABLE(row_)};
