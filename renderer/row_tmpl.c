/* SPDX-License-Identifier: MIT */
/*
 * Kernels of rows, once for each ISA: planes of 64 pixels side by side, by the formula of interp_tmpl.c, and stores of
 * 64 words. A vector of which some lanes are not covered is stored lane by lane: what lies beside it may be
 * another thread's.
 */
#include "renderer/blend_tmpl.h"
#include "renderer/rows.h"

enum { ROW = 64 };
#define LANE_BITS (SIMD_N == 1 ? 1u : (uint32_t)((UINT64_C(1) << SIMD_N) - 1u))

SIMD_FN vf row_value(const struct rn_plane *p, vf dx, vf dy) {
    return vf_madd(vf_set1(p->ay), dy, vf_madd(vf_set1(p->ax), dx, vf_set1(p->a0)));
}

static void row_planes(const struct rn_interp_list *list, const struct rn_prim *prim, float dx, float dy) {
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
        float *dst = list->dst[c];
        vf x = first;
        for (int i = 0; i < ROW; i += SIMD_N, x = vf_add(x, step)) {
            const vf value = row_value(plane, x, y);
            vf_store(dst + i, prim->perspective ? vf_mul(value, vf_load(w + i)) : value);
        }
    }
    simd_leave();
}

/* The word of a pixel that holds 'old' now. */
SIMD_FN vi new_word(const struct rn_color_op *op, vi word, vi old, const int f, const int kind) {
    const vi bits = vi_set1((int32_t)op->word_mask);
    word = kind == RN_BLEND_FAST_COUNT ? word : blend_bytes(word, old, kind);
    word = f ? vi_or(word, vi_set1((int32_t)0xFF000000)) : word;
    return op->all ? word : vi_or(vi_and(word, bits), vi_andnot(bits, old));
}

/* f: 0 RGBA8, 1 RGBX8; kind RN_BLEND_FAST_COUNT: no blending. */
SIMD_FN void row_write(const struct rn_color_op *op, const float *words, uint8_t *pixels, uint64_t mask, const int f,
                       const int kind) {
    for (int i = 0; i < ROW; i += SIMD_N, pixels += SIMD_N * 4) {
        const uint32_t bits = (uint32_t)(mask >> i) & LANE_BITS;
        const vi word = vf_as_vi(vf_load(words + i));
        if (bits == LANE_BITS) {
            int32_t *p = (int32_t *)(void *)pixels;
            const vi old = kind == RN_BLEND_FAST_COUNT && op->all ? word : vi_loadu(p);
            vi_storeu(p, new_word(op, word, old, f, kind));
        } else if (bits) {
            int32_t some[SIMD_N] BITS_ALIGN(64) = {0};
            for (uint32_t left = bits; left; left &= left - 1) {
                memcpy(&some[bits_ctz32(left)], pixels + 4 * bits_ctz32(left), 4);
            }
            vi_store(some, new_word(op, word, vi_load(some), f, kind));
            for (uint32_t left = bits; left; left &= left - 1) {
                memcpy(pixels + 4 * bits_ctz32(left), &some[bits_ctz32(left)], 4);
            }
        }
    }
    simd_leave();
}

#define ROW_FN(name, f, kind)                                                                                          \
    static void name(const struct rn_color_op *op, const float *words, uint8_t *pixels, uint64_t mask) {               \
        row_write(op, words, pixels, mask, f, kind);                                                                   \
    }
ROW_FN(row_rgba8, 0, RN_BLEND_FAST_COUNT)
ROW_FN(row_rgbx8, 1, RN_BLEND_FAST_COUNT)
ROW_FN(row_over_rgba8, 0, RN_BLEND_FAST_OVER)
ROW_FN(row_over_rgbx8, 1, RN_BLEND_FAST_OVER)
ROW_FN(row_premultiplied_rgba8, 0, RN_BLEND_FAST_PREMULTIPLIED)
ROW_FN(row_premultiplied_rgbx8, 1, RN_BLEND_FAST_PREMULTIPLIED)
ROW_FN(row_add_rgba8, 0, RN_BLEND_FAST_ADD)
ROW_FN(row_add_rgbx8, 1, RN_BLEND_FAST_ADD)
ROW_FN(row_add_alpha_rgba8, 0, RN_BLEND_FAST_ADD_ALPHA)
ROW_FN(row_add_alpha_rgbx8, 1, RN_BLEND_FAST_ADD_ALPHA)

extern const struct rn_row_ops SIMD_NAME(rn_row);
const struct rn_row_ops SIMD_NAME(rn_row) = {
    row_planes,
    {row_rgba8, row_rgbx8},
    {{row_over_rgba8, row_premultiplied_rgba8, row_add_rgba8, row_add_alpha_rgba8},
     {row_over_rgbx8, row_premultiplied_rgbx8, row_add_rgbx8, row_add_alpha_rgbx8}}};
