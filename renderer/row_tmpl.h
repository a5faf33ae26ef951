/* SPDX-License-Identifier: MIT */
/* What the kernels of rows share (included by templates only): planes, and texels that follow each other. */
#ifndef RENDERER_ROW_TMPL_H
#define RENDERER_ROW_TMPL_H

#include "renderer/rows.h"
#include "vm/base/simd.h"

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

#endif
