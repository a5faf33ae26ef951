/* SPDX-License-Identifier: MIT */
/*
 * Small triangles, once for each ISA: commands whose pixels set-up has found (rn_prim.mask) are tested against the
 * depth and their quads put into the batch in one loop, without what larger primitives must ask. The depth of eight
 * columns is that of depth_tmpl.h; triangles within 4x4 pixels take whole vectors of four rows.
 */
#include "renderer/depth_tmpl.h"
#include "renderer/quads_tmpl.h"

/* The triangle's plane in steps, as rn_depth_plane_set; that of an unclamped one has no more than that. */
SIMD_FN struct rn_depth_plane plane_of(const struct rn_small *s, const bool unclamped) {
    const struct rn_prim *prim = s->prim;
    return (struct rn_depth_plane){.z0 = prim->z0 * s->steps,
                                   .zx = prim->zx * s->steps,
                                   .zy = prim->zy * s->steps,
                                   .offset = unclamped ? 0.0 : prim->z_offset + RN_DEPTH_HALF,
                                   .lo = s->lo,
                                   .hi = s->hi};
}

#define VECTOR_BITS ((uint32_t)((UINT64_C(1) << SIMD_N) - 1u))

/* Rows of eight, six of them if those behind have nothing. Rows that are not there stand for the last that is, which is
 * stored after them. */
SIMD_FN uint64_t depth8(const struct rn_small *s, const struct rn_depth_plane *p, uint64_t mask, const bool d24,
                        const int cls, const bool unclamped) {
    const size_t bytes = d24 ? 4 : 2;
    const uint32_t rows = mask >> 48 ? 8 : 6;
    const bool cut = rows > s->rows;
    double dy = (double)s->dy;
    uint64_t passed = 0;
    struct columns c;
    columns_set(&c, p, s->dx);
    for (uint32_t y = 0; y < rows; y += VECTOR_ROWS, dy += VECTOR_ROWS) {
        const uint32_t row = (uint32_t)(mask >> 8 * y) & (VECTOR_ROWS > 1 ? 0xFFFFu : 0xFFu);
        if (SIMD_N < 16 && !row) {
            continue;
        }
        uint8_t *p0 = s->pixels + y * s->stride, *p1 = p0 + (VECTOR_ROWS - 1) * s->stride;
        if (BITS_UNLIKELY(cut)) {
            const uint32_t last = s->rows - 1;
            p0 = s->pixels + (y < last ? y : last) * s->stride;
            p1 = s->pixels + (y + VECTOR_ROWS - 1 < last ? y + VECTOR_ROWS - 1 : last) * s->stride;
        }
        BITS_UNROLL
        for (int h = 0; h < ROW_VECTORS; h++) {
            const uint32_t lanes = row >> h * SIMD_N & VECTOR_BITS;
            const size_t beside = (size_t)h * SIMD_N * bytes;
            const vi z = row_depth(&c, p, h, dy, unclamped), d = depth_load(p0 + beside, p1 + beside, d24);
            const vm pass = vm_and(compare(z, d, cls, s->func), vm_from_bits(lanes));
            const uint32_t bits = vm_bits(pass);
            passed |= (uint64_t)bits << (8 * y + (unsigned)h * SIMD_N);
            if (s->write && (SIMD_N == 16 || bits)) {
                const vi v = vi_sel(pass, z, d);
                depth_store(p0 + beside, p1 + beside, false, VECTOR_ROWS > 1, d24, v);
                depth_store(p0 + beside, p1 + beside, true, false, d24, v);
            }
        }
    }
    return passed;
}

#if SIMD_N == 1
SIMD_FN uint32_t depth4(const struct rn_small *s, const struct rn_depth_plane *p, uint32_t mask, const bool d24,
                        const int cls, const bool unclamped) {
    return quads4_mask(depth8(s, p, quads4_window(mask), d24, cls, unclamped));
}
#else

#define ROWS4 (SIMD_N / 4) /* rows of four in a vector */

static const float column4[16] BITS_ALIGN(64) = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
static const float row4[16] BITS_ALIGN(64) = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};

SIMD_FN vi depth_at(const struct rn_depth_plane *p, vf dx, vf dy, const bool unclamped) {
    const vd z0 = vd_set1(p->z0), zx = vd_set1(p->zx), zy = vd_set1(p->zy);
    const vd c0 = vd_add(z0, vd_mul(zx, vd_lo_from_vf(dx)));
    const vd c1 = SIMD_N > 4 ? c0 : vd_add(z0, vd_mul(zx, vd_hi_from_vf(dx))); /* halves are whole rows, or one is not */
    const vd t0 = vd_add(c0, vd_mul(zy, vd_lo_from_vf(dy)));
    const vd t1 = vd_add(c1, vd_mul(zy, vd_hi_from_vf(dy)));
    if (unclamped) {
        const vd whole = vd_set1(RN_DEPTH_WHOLE);
        return vi_from_vd_whole(vd_add(t0, whole), vd_add(t1, whole));
    }
    return vi_from_vd_rint(quantise_half(t0, p), quantise_half(t1, p));
}

/* Rows of four: the low halves of a window's first four rows, four bits a row. Rows that are not there stand for the
 * last that is, which is stored after them. */
SIMD_FN uint32_t depth4(const struct rn_small *s, const struct rn_depth_plane *p, uint32_t mask, const bool d24,
                        const int cls, const bool unclamped) {
    uint32_t passed = 0;
    BITS_UNROLL
    for (uint32_t y = 0; y < 4; y += ROWS4) {
        const uint32_t lanes = mask >> 4 * y & VECTOR_BITS;
        if (ROWS4 < 4 && !lanes) {
            continue;
        }
        uint8_t *row[ROWS4];
        BITS_UNROLL
        for (uint32_t g = 0; g < ROWS4; g++) {
            row[g] = s->pixels + (y + g) * s->stride;
        }
        if (BITS_UNLIKELY(s->rows < 4)) {
            for (uint32_t g = 0; g < ROWS4; g++) {
                row[g] = s->pixels + (y + g < s->rows ? y + g : s->rows - 1) * s->stride;
            }
        }
        const uint8_t *const *from = (const uint8_t *const *)row;
        const vf dx = vf_add(vf_load(column4), vf_set1(s->dx));
        const vf dy = vf_add(vf_load(row4), vf_set1(s->dy + (float)(int32_t)y));
        const vi z = depth_at(p, dx, dy, unclamped), d = d24 ? vi_load_fours(from) : vi_load_fours_u16(from);
        const vm pass = vm_and(compare(z, d, cls, s->func), vm_from_bits(lanes));
        const uint32_t bits = vm_bits(pass);
        passed |= bits << 4 * y;
        if (s->write && bits) {
            const vi v = vi_sel(pass, z, d);
            BITS_UNROLL
            for (int g = ROWS4 - 1; g >= 0; g--) {
                if (d24) {
                    vi_store_four(row[g], v, g);
                } else {
                    vi_store_four_u16(row[g], v, g);
                }
            }
        }
    }
    return passed;
}

#endif

SIMD_FN uint64_t test8(const struct rn_small *s, uint64_t mask, const bool d24, const int cls) {
    if (BITS_LIKELY(s->prim->unclamped)) {
        const struct rn_depth_plane plane = plane_of(s, true);
        return depth8(s, &plane, mask, d24, cls, true);
    }
    const struct rn_depth_plane plane = plane_of(s, false);
    return depth8(s, &plane, mask, d24, cls, false);
}

SIMD_FN uint32_t test4(const struct rn_small *s, uint32_t mask, const bool d24, const int cls) {
    if (BITS_LIKELY(s->prim->unclamped)) {
        const struct rn_depth_plane plane = plane_of(s, true);
        return depth4(s, &plane, mask, d24, cls, true);
    }
    const struct rn_depth_plane plane = plane_of(s, false);
    return depth4(s, &plane, mask, d24, cls, false);
}

/* Which function the loop is made for; NONE: no test. */
enum { NONE = -1 };

SIMD_FN uint32_t loop(struct rn_tile_worker *w, const rn_cmd *cmds, uint32_t count, const bool d24, const int cls) {
    const struct rn_frag_kernel *k = w->kernel;
    const bool constant = k->fill || k->blend_windows;
    struct rn_small small;
    if (cls != NONE) {
        rn_depth_plane_set(&w->plane, (const struct rn_prim *)(cmds[0] & ~(rn_cmd)3), k->depth_steps);
        small.func = k->depth_func;
        small.write = k->depth_write;
        small.stride = w->depth.stride;
        small.steps = k->depth_steps;
        small.lo = w->plane.lo;
        small.hi = w->plane.hi;
        if (k->depth_write) {
            rn_depth_bounds_loosen(w);
        }
    }
    uint32_t i = 0;
    for (; i < count && (cmds[i] & 3) == RN_CMD_PRIM_SMALL; i++) {
        const struct rn_prim *prim = (const struct rn_prim *)(cmds[i] & ~(rn_cmd)3);
        if (i + 4 < count) {
            rn_prim_prefetch(cmds[i + 4]);
        }
        if (prim->draw != w->draw) {
            break;
        }
        uint32_t x, y;
        uint64_t mask = rn_small_window(w, prim, &x, &y);
        if (cls != NONE) {
            small.prim = prim;
            small.pixels = w->depth.pixels + y * small.stride + x * (d24 ? 4u : 2u);
            small.rows = (uint32_t)w->height - y;
            small.dx = (float)(w->x - prim->px + (int32_t)x);
            small.dy = (float)(w->y - prim->py + (int32_t)y);
        }
        const bool four = quads4_fit(mask);
        uint32_t mask4 = four ? quads4_mask(mask) : 0;
        if (cls != NONE && four) {
            mask4 = test4(&small, mask4, d24, cls);
        } else if (cls != NONE) {
            mask = test8(&small, mask, d24, cls);
        }
        if (!(four ? mask4 : mask) || !k->shade) {
            continue;
        }
        if (constant) {
            simd_leave();
            rn_collect_constant(w, x, y, four ? quads4_window(mask4) : mask);
        } else {
            rn_batch_enter(w, prim);
            const uint32_t q = w->quads;
            uint8_t *qx = w->qx + q, *qy = w->qy + q, *lanes = w->mask[0] + q;
            const uint32_t all =
                q + (four ? quads4_append(mask4, x, y, qx, qy, lanes) : quads_append(mask, x, y, qx, qy, lanes));
            w->quads = all;
            if (all >= VM_QUADS) {
                simd_leave();
                rn_batch_full(w, prim, all, UINT64_MAX);
            }
        }
        if (w->stopped) {
            return i;
        }
    }
    w->pending = UINT64_MAX; /* anywhere: where triangles are small, whole windows are rare */
    simd_leave();
    return i;
}

static uint32_t run(struct rn_tile_worker *w, const rn_cmd *cmds, uint32_t count) {
    const struct rn_frag_kernel *k = w->kernel;
    if (w->windows) { /* that wait: quads are put anywhere */
        rn_shade_windows(w);
        if (w->stopped) {
            return 1;
        }
    }
    if (!k->depth_test) {
        return loop(w, cmds, count, false, NONE);
    }
    if (!k->depth_24) {
        return loop(w, cmds, count, false, RN_DEPTH_ANY);
    }
    switch (k->depth_func) {
    case RN_LESS: return loop(w, cmds, count, true, RN_DEPTH_LESS);
    case RN_LEQUAL: return loop(w, cmds, count, true, RN_DEPTH_LEQUAL);
    default: return loop(w, cmds, count, true, RN_DEPTH_ANY);
    }
}

static uint64_t depth(const struct rn_small *small, uint64_t mask) {
    uint64_t passed;
    if (quads4_fit(mask)) {
        const uint32_t m = quads4_mask(mask);
        passed = quads4_window(small->d24 ? test4(small, m, true, RN_DEPTH_ANY) : test4(small, m, false, RN_DEPTH_ANY));
    } else {
        passed = small->d24 ? test8(small, mask, true, RN_DEPTH_ANY) : test8(small, mask, false, RN_DEPTH_ANY);
    }
    simd_leave();
    return passed;
}

extern const struct rn_small_ops SIMD_NAME(rn_small);
const struct rn_small_ops SIMD_NAME(rn_small) = {depth, run};
