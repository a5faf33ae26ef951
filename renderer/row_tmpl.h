/* SPDX-License-Identifier: MIT */
/* What the kernels of rows share (included by templates only): planes, texels that follow each other, stores. */
#ifndef RENDERER_ROW_TMPL_H
#define RENDERER_ROW_TMPL_H

#include <string.h>

#include "renderer/blend_tmpl.h"
#include "renderer/rows.h"

enum { ROW = 64 };
#define LANE_BITS (SIMD_N == 1 ? 1u : (uint32_t)((UINT64_C(1) << SIMD_N) - 1u))

/* The formula of interp_tmpl.c. */
SIMD_FN vf row_value(const struct rn_plane *p, vf dx, vf dy) {
    return vf_madd(vf_set1(p->ay), dy, vf_madd(vf_set1(p->ax), dx, vf_set1(p->a0)));
}

SIMD_FN int32_t first_of(vi offset) {
    int32_t all[SIMD_N] BITS_ALIGN(64);
    vi_store(all, offset);
    return all[0];
}

/*
 * Words at offsets that often follow each other, as pixels of an upright picture do. Then 'ahead' leads to texels
 * that will be wanted soon: rows of a picture lie far apart, which no hardware foresees.
 */
SIMD_FN vi load_words(const int32_t *base, vi offset, int32_t first, int32_t ahead) {
    if (SIMD_N > 1 && vm_all(vi_eq(offset, vi_add(vi_set1(first), vi_iota())))) {
        BITS_PREFETCH((const void *)((uintptr_t)base + (uintptr_t)(((intptr_t)first + (intptr_t)ahead) * 4)));
        return vi_loadu(base + first);
    }
    return vi_gather(base, offset);
}

/* Words that one step back were at *trail: 'steps' such steps from here. */
SIMD_FN int32_t steps_ahead(int32_t first, int32_t *trail, uint32_t steps) {
    const int32_t ahead = (int32_t)(((uint32_t)first - (uint32_t)*trail) * steps);
    *trail = first;
    return ahead;
}

/* The word of a pixel that holds 'old' now. f: 0 RGBA8, 1 RGBX8; kind RN_BLEND_FAST_COUNT: no blending. */
SIMD_FN vi new_word(const struct rn_color_op *op, vi word, vi old, const int f, const int kind) {
    const vi bits = vi_set1((int32_t)op->word_mask);
    word = kind == RN_BLEND_FAST_COUNT ? word : blend_bytes(word, old, kind);
    word = f ? vi_or(word, vi_set1((int32_t)0xFF000000)) : word;
    return op->all ? word : vi_or(vi_and(word, bits), vi_andnot(bits, old));
}

/* A vector of words to pixels, those of 'bits' (not 0). What lies beside them may be another thread's. */
SIMD_FN void put_pixels(const struct rn_color_op *op, vi word, uint8_t *pixels, uint32_t bits, const int f,
                        const int kind) {
    if (bits == LANE_BITS) {
        int32_t *p = (int32_t *)(void *)pixels;
        const vi old = kind == RN_BLEND_FAST_COUNT && op->all ? word : vi_loadu(p);
        vi_storeu(p, new_word(op, word, old, f, kind));
        return;
    }
    int32_t some[SIMD_N] BITS_ALIGN(64) = {0};
    for (uint32_t left = bits; left; left &= left - 1) {
        memcpy(&some[bits_ctz32(left)], pixels + 4 * bits_ctz32(left), 4);
    }
    vi_store(some, new_word(op, word, vi_load(some), f, kind));
    for (uint32_t left = bits; left; left &= left - 1) {
        memcpy(pixels + 4 * bits_ctz32(left), &some[bits_ctz32(left)], 4);
    }
}

/* Functions of a kind for both formats and each way to blend. */
#define ROW_FUNCTIONS(X)                                                                                               \
    X(rgba8, 0, RN_BLEND_FAST_COUNT) X(rgbx8, 1, RN_BLEND_FAST_COUNT) X(over_rgba8, 0, RN_BLEND_FAST_OVER)             \
    X(over_rgbx8, 1, RN_BLEND_FAST_OVER) X(premultiplied_rgba8, 0, RN_BLEND_FAST_PREMULTIPLIED)                        \
    X(premultiplied_rgbx8, 1, RN_BLEND_FAST_PREMULTIPLIED) X(add_rgba8, 0, RN_BLEND_FAST_ADD)                          \
    X(add_rgbx8, 1, RN_BLEND_FAST_ADD) X(add_alpha_rgba8, 0, RN_BLEND_FAST_ADD_ALPHA)                                  \
    X(add_alpha_rgbx8, 1, RN_BLEND_FAST_ADD_ALPHA)
#define ROW_TABLE(prefix)                                                                                              \
    {{prefix##over_rgba8, prefix##premultiplied_rgba8, prefix##add_rgba8, prefix##add_alpha_rgba8, prefix##rgba8},     \
     {prefix##over_rgbx8, prefix##premultiplied_rgbx8, prefix##add_rgbx8, prefix##add_alpha_rgbx8, prefix##rgbx8}}

#endif
