/* SPDX-License-Identifier: MIT */
/*
 * Blending of words of four bytes (included by templates behind simd.h). fast_channel of fragop_tmpl.c rounds
 * (s * a + d * (255 - a)) / 255 and its like, computed in floats; these are multiples of 1/255 and lie at least 1/510 from
 * a half, so bytes give the same. tests/unit/narrow_test.c tries all of them.
 */
#ifndef RENDERER_BLEND_TMPL_H
#define RENDERER_BLEND_TMPL_H

#include "renderer/tile.h"
#include "vm/base/simd.h"

/* 's' over 'd', kind one of RN_BLEND_FAST_*. */
SIMD_FN vi blend_bytes(vi s, vi d, const int kind) {
    switch (kind) {
    case RN_BLEND_FAST_OVER: return vb_over(s, d);
    case RN_BLEND_FAST_PREMULTIPLIED: return vb_add(s, vb_mul(d, vi_xor(vb_alpha(s), vi_set1(-1))));
    case RN_BLEND_FAST_ADD: return vb_add(s, d);
    default: return vb_add(vb_mul(s, vb_alpha(s)), d);
    }
}

#endif
