/* SPDX-License-Identifier: MIT */
/* Kernels of rows, once for each ISA: planes of 64 pixels side by side, and stores of 64 words. */
#include "renderer/row_tmpl.h"

#include "renderer/blend_tmpl.h"

/* Of a plane, by the formula of row_value. Where it does not rise along the row and is not 0, one value is all. */
SIMD_FN void row_plane(const struct rn_plane *plane, vf first, vf y, const float *w, float *dst) {
    const vf ax = vf_set1(plane->ax), a0 = vf_set1(plane->a0), up = vf_mul(vf_set1(plane->ay), y);
    if (plane->ax == 0.0f && plane->a0 != 0.0f && !w) {
        const vf value = vf_add(up, a0);
        BITS_UNROLL
        for (int i = 0; i < ROW; i += SIMD_N) {
            vf_store(dst + i, value);
        }
        return;
    }
    vf x = first;
    for (int i = 0; i < ROW; i += SIMD_N, x = vf_add(x, vf_set1((float)SIMD_N))) {
        const vf value = vf_add(up, vf_madd(ax, x, a0));
        vf_store(dst + i, w ? vf_mul(value, vf_load(w + i)) : value);
    }
}

static void row_planes(const struct rn_interp_list *list, const struct rn_prim *prim, float dx, float dy, uint32_t lane) {
    const vf y = vf_set1(dy), step = vf_set1((float)SIMD_N);
    const vf first = vf_add(vf_set1(dx), vf_iota());
    float w[ROW] BITS_ALIGN(64);
    if (prim->perspective) {
        vf x = first;
        for (int i = 0; i < ROW; i += SIMD_N, x = vf_add(x, step)) {
            vf_store(w + i, vf_div(vf_set1(1.0f), row_value(&prim->iw, x, y)));
        }
        for (uint32_t c = 0; c < list->count; c++) {
            row_plane(&prim->coef[list->coef[c]], first, y, w, list->dst[c] + lane);
        }
    } else {
        for (uint32_t c = 0; c < list->count; c++) {
            row_plane(&prim->coef[list->coef[c]], first, y, NULL, list->dst[c] + lane);
        }
    }
    simd_leave();
}

/* Pixels of 'bits' to a vector in memory and back. What lies beside them may be another thread's. */
SIMD_FN void load_some(int32_t *to, const int32_t *from, uint32_t bits) {
    for (uint32_t left = bits; left; left &= left - 1) {
        to[bits_ctz32(left)] = from[bits_ctz32(left)];
    }
}

/* The word of a pixel that holds 'old' now. f: 0 RGBA8, 1 RGBX8; kind RN_BLEND_FAST_COUNT: no blending. */
SIMD_FN vi new_word(const struct rn_color_op *op, vi word, vi old, const int f, const int kind) {
    const vi bits = vi_set1((int32_t)op->word_mask);
    word = kind == RN_BLEND_FAST_COUNT ? word : blend_bytes(word, old, kind);
    word = f ? vi_or(word, vi_set1((int32_t)0xFF000000)) : word;
    return op->all ? word : vi_or(vi_and(word, bits), vi_andnot(bits, old));
}

SIMD_FN void row_write(const struct rn_row_words *row, uint8_t *pixels, uint64_t mask, const int f, const int kind) {
    const vi before = vi_set1((int32_t)row->before), after = vi_set1((int32_t)row->after);
    const vi factor = vi_set1((int32_t)row->factor);
    const bool scales = row->factor != UINT32_MAX, reads = kind != RN_BLEND_FAST_COUNT || !row->op->all;
    int32_t *to = (int32_t *)(void *)pixels, some[SIMD_N] BITS_ALIGN(64);
    vi_store(some, vi_zero());
    for (int i = 0; i < ROW; i += SIMD_N) {
        const uint32_t bits = (uint32_t)(mask >> i) & LANE_BITS;
        int32_t *p = to + i;
        if (bits != LANE_BITS) {
            if (!bits) {
                continue;
            }
            load_some(some, p, bits);
            p = some;
        }
        vi word = vi_or(vi_loadu(row->words + i), before);
        if (scales) {
            word = vb_mul(word, factor);
        }
        word = vi_or(word, after);
        vi_storeu(p, new_word(row->op, word, reads ? vi_loadu(p) : word, f, kind));
        if (bits != LANE_BITS) {
            load_some(to + i, some, bits);
        }
    }
    simd_leave();
}

#define ROW_FN(name, f, kind)                                                                                          \
    static void row_##name(const struct rn_row_words *row, uint8_t *pixels, uint64_t mask) {                           \
        row_write(row, pixels, mask, f, kind);                                                                         \
    }
#define ROW_BOTH(name, kind) ROW_FN(name##rgba8, 0, kind) ROW_FN(name##rgbx8, 1, kind)
ROW_BOTH(, RN_BLEND_FAST_COUNT)
ROW_BOTH(over_, RN_BLEND_FAST_OVER)
ROW_BOTH(premultiplied_, RN_BLEND_FAST_PREMULTIPLIED)
ROW_BOTH(add_, RN_BLEND_FAST_ADD)
ROW_BOTH(add_alpha_, RN_BLEND_FAST_ADD_ALPHA)

extern const struct rn_row_ops SIMD_NAME(rn_row);
const struct rn_row_ops SIMD_NAME(rn_row) = {
    row_planes,
    {{row_over_rgba8, row_premultiplied_rgba8, row_add_rgba8, row_add_alpha_rgba8, row_rgba8},
     {row_over_rgbx8, row_premultiplied_rgbx8, row_add_rgbx8, row_add_alpha_rgbx8, row_rgbx8}}};
