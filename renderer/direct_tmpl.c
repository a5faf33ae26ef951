/* SPDX-License-Identifier: MIT */
/*
 * Narrow programs in direct form, once for each ISA: a row of pixels from planes to the surface in one go, by the
 * same formulas as interpolation, nearest filter and stores. 16, 32 or 64 channels a host vector.
 */
#include "renderer/row_tmpl.h"

#include "renderer/sample_tmpl.h"

enum { ROWS_AHEAD = 4 };

SIMD_FN void direct_row(const struct rn_direct_row *r, uint8_t *pixels, uint64_t mask, const int f, const int kind) {
    const struct rn_level *level = &r->view->level[0][0];
    const struct axis s = axis_of(NULL, level->width, r->view->desc.wrap[0]);
    const struct axis t = axis_of(NULL, level->height, r->view->desc.wrap[1]);
    const int32_t *base = (const int32_t *)(const void *)level->data;
    const vi pitch = vi_set1((int32_t)(level->row_bytes / 64)), factor = vi_set1((int32_t)r->factor);
    const vi before = vi_set1((int32_t)r->ones_before), after = vi_set1((int32_t)r->ones);
    const vf y = vf_set1(r->dy), step = vf_set1((float)SIMD_N);
    const bool perspective = r->prim->perspective, scales = r->factor != UINT32_MAX;
    vf x = vf_add(vf_set1(r->dx), vf_iota());
    int32_t ahead = 0;
    bool started = false;
    for (int i = 0; i < ROW; i += SIMD_N, x = vf_add(x, step), pixels += SIMD_N * 4) {
        const uint32_t bits = (uint32_t)(mask >> i) & LANE_BITS;
        if (!bits) {
            continue;
        }
        vf u = row_value(r->s, x, y), v = row_value(r->t, x, y);
        if (perspective) {
            const vf w = vf_div(vf_set1(1.0f), row_value(&r->prim->iw, x, y));
            u = vf_mul(u, w);
            v = vf_mul(v, w);
        }
        const vi column = nearest_index(&s, wrapped(u, s.wrap)), row = nearest_index(&t, wrapped(v, t.wrap));
        const vi offset = vi_add(vi_shl(vi_mul_small(row, pitch), 4), column);
        const int32_t first = first_of(offset);
        if (!started) {
            ahead = steps_ahead(first, r->trail, ROWS_AHEAD);
            started = true;
        }
        vi word = vi_or(load_words(base, offset, first, ahead), before);
        if (scales) {
            word = vb_mul(word, factor);
        }
        put_pixels(r->op, vi_or(word, after), pixels, bits, f, kind);
    }
    simd_leave();
}

#define DIRECT_FN(name, f, kind)                                                                                       \
    static void direct_##name(const struct rn_direct_row *r, uint8_t *pixels, uint64_t mask) {                         \
        direct_row(r, pixels, mask, f, kind);                                                                          \
    }
ROW_FUNCTIONS(DIRECT_FN)

extern const struct rn_direct_ops SIMD_NAME(rn_direct);
const struct rn_direct_ops SIMD_NAME(rn_direct) = {ROW_TABLE(direct_)};
