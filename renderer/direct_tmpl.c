/* SPDX-License-Identifier: MIT */
/*
 * Texels of narrow programs in direct form, once for each ISA: a row of 64 pixels from planes to words, by the same
 * formulas as interpolation and the nearest filter. In pictures that stand upright the columns are found once a
 * tile; where they follow each other, texels are used where they lie.
 */
#include "renderer/row_tmpl.h"

#include "renderer/sample_tmpl.h"

enum { ROWS_AHEAD = 4 };

/*
 * A plane whose slope is 0 gives the same value all along (but for the sign of a zero, which wraps to the same texel),
 * so columns are those of any row. Vectors that rows will ask for are read whole, so all of their columns must follow.
 */
static void direct_begin(struct rn_direct_row *r, uint64_t columns) {
    r->upright = r->follows = !r->prim->perspective && r->s->ay == 0.0f && r->t->ax == 0.0f && columns;
    r->origin = 0;
    if (!r->upright) {
        return;
    }
    const struct axis s = axis_of(NULL, r->view->level[0][0].width, r->view->desc.wrap[0]);
    const vf step = vf_set1((float)SIMD_N), y = vf_zero();
    const int start = (int)bits_ctz64(columns) & -SIMD_N;
    vf x = vf_add(vf_set1(r->dx), vf_iota());
    vi next = vi_iota();
    for (int i = 0; i < ROW; i += SIMD_N, x = vf_add(x, step), next = vi_add(next, vi_set1(SIMD_N))) {
        const vi column = nearest_index(&s, wrapped(row_value(r->s, x, y), s.wrap));
        vi_store(r->column + i, column);
        if (i == start) {
            r->origin = r->column[i] - i;
            next = vi_add(vi_set1(r->origin + i), vi_iota());
        }
        if ((uint32_t)(columns >> i) & LANE_BITS) {
            r->follows = r->follows && vm_all(vi_eq(column, next));
        }
    }
    simd_leave();
}

SIMD_FN vi row_at(const struct rn_direct_row *r, const struct axis *t, vf x, vf y, vf w) {
    const vf v = row_value(r->t, x, y);
    return nearest_index(t, wrapped(r->prim->perspective ? vf_mul(v, w) : v, t->wrap));
}

/* Asks for the row that will be wanted soon: rows of a picture lie far apart, which no hardware foresees. */
SIMD_FN void fetch_ahead(const struct rn_direct_row *r, const int32_t *base, int32_t first) {
    const intptr_t there = (intptr_t)first + steps_ahead(first, r->trail, ROWS_AHEAD);
    for (int i = 0; i < ROW; i += 16) {
        BITS_PREFETCH((const void *)((uintptr_t)base + (uintptr_t)(there + i) * 4));
    }
}

/* Texels of one row of the texture. The pointer may lie before them where the first columns are not asked for. */
SIMD_FN const int32_t *upright_row(struct rn_direct_row *r, const struct axis *t, const int32_t *base, vi pitch,
                                   uint64_t mask) {
    const vi row = row_at(r, t, vf_set1(r->dx), vf_set1(r->dy), vf_zero());
    const int32_t first = first_of(vi_shl(vi_mul_small(row, pitch), 4));
    if (r->follows) {
        fetch_ahead(r, base, first + r->origin);
        return (const int32_t *)((uintptr_t)base + (uintptr_t)((intptr_t)first + r->origin) * 4);
    }
    const int32_t *line = base + first;
    for (int i = 0; i < ROW; i += SIMD_N) {
        if (!((uint32_t)(mask >> i) & LANE_BITS)) {
            continue;
        }
        if (SIMD_N > 4) {
            vi_store(r->texels + i, vi_gather(line, vi_load(r->column + i)));
        } else {
            for (int k = i; k < i + SIMD_N; k++) {
                r->texels[k] = line[r->column[k]];
            }
        }
    }
    return r->texels;
}

static const int32_t *direct_fetch(struct rn_direct_row *r, uint64_t mask) {
    const struct rn_level *level = &r->view->level[0][0];
    const struct axis s = axis_of(NULL, level->width, r->view->desc.wrap[0]);
    const struct axis t = axis_of(NULL, level->height, r->view->desc.wrap[1]);
    const int32_t *base = (const int32_t *)(const void *)level->data;
    const vi pitch = vi_set1((int32_t)(level->row_bytes / 64));
    if (r->upright) {
        const int32_t *words = upright_row(r, &t, base, pitch, mask);
        simd_leave();
        return words;
    }
    const vf y = vf_set1(r->dy), step = vf_set1((float)SIMD_N);
    vf x = vf_add(vf_set1(r->dx), vf_iota()), w = vf_zero();
    int32_t ahead = 0;
    bool started = false;
    for (int i = 0; i < ROW; i += SIMD_N, x = vf_add(x, step)) {
        if (!((uint32_t)(mask >> i) & LANE_BITS)) {
            continue;
        }
        vf u = row_value(r->s, x, y);
        if (r->prim->perspective) {
            w = vf_div(vf_set1(1.0f), row_value(&r->prim->iw, x, y));
            u = vf_mul(u, w);
        }
        const vi column = nearest_index(&s, wrapped(u, s.wrap)), row = row_at(r, &t, x, y, w);
        const vi offset = vi_add(vi_shl(vi_mul_small(row, pitch), 4), column);
        const int32_t first = first_of(offset);
        if (!started) {
            ahead = steps_ahead(first, r->trail, ROWS_AHEAD);
            started = true;
        }
        vi_store(r->texels + i, load_words(base, offset, first, ahead));
    }
    simd_leave();
    return r->texels;
}

extern const struct rn_direct_ops SIMD_NAME(rn_direct);
const struct rn_direct_ops SIMD_NAME(rn_direct) = {direct_begin, direct_fetch};
