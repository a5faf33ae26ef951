/* SPDX-License-Identifier: MIT */
/*
 * Triangles of at most 4x4 pixels, once for each ISA: coverage, depth test and depth write of the 16 pixels
 * in one go, without the fixed costs of blocks. The same integers and the same depth formula as rast_tmpl.c
 * and depth_tmpl.c; edges modulo 2^32, which is exact for the short edges that come here (rast.c).
 */
#include "vm/base/simd.h"

#include "renderer/tile.h"

#if SIMD_N == 1

SIMD_FN bool outcome_passes(unsigned func, uint32_t z, uint32_t old) {
    return (func & (z < old ? RN_LESS : (z == old ? RN_EQUAL : RN_GREATER))) != 0;
}

static uint32_t tiny(const struct rn_tiny *t) {
    const struct rn_depth_plane *p = t->plane;
    uint32_t mask = 0;
    for (uint32_t bits = t->box; bits; bits &= bits - 1) {
        const uint32_t at = bits_ctz32(bits), x = at & 3, y = at >> 2;
        uint32_t sign = 0;
        for (unsigned k = 0; k < 3; k++) {
            const struct rn_edge *e = &t->edges[k];
            sign |= (uint32_t)e->c + (uint32_t)e->a * (uint32_t)(t->x + (int32_t)x) +
                    (uint32_t)e->b * (uint32_t)(t->y + (int32_t)y);
        }
        if (sign >> 31) {
            continue;
        }
        if (t->depth) {
            uint8_t *pixel = t->depth + y * t->stride + x * (t->d24 ? 4u : 2u);
            const double dx = (double)(t->dx + (float)x), dy = (double)(t->dy + (float)y);
            double z = (p->z0 + p->zx * dx) + p->zy * dy;
            z = ((z + RN_DEPTH_GRID) - RN_DEPTH_GRID) + p->offset;
            z = vd_min(vd_max(z, p->lo), p->hi);
            const uint32_t value = (uint32_t)vi_from_vd_rint(z, 0.0);
            uint32_t old = 0;
            uint16_t short_value = (uint16_t)value, short_old;
            if (t->d24) {
                memcpy(&old, pixel, sizeof old);
            } else {
                memcpy(&short_old, pixel, sizeof short_old);
                old = short_old;
            }
            if (!outcome_passes(t->func, value, old)) {
                continue;
            }
            if (t->write) {
                memcpy(pixel, t->d24 ? (const void *)&value : (const void *)&short_value, t->d24 ? 4 : 2);
            }
        }
        mask |= 1u << at;
    }
    return mask;
}

#else

#define GROUPS      (SIMD_N / 4) /* rows of four pixels in a vector */
#define VECTOR_BITS ((1u << SIMD_N) - 1u)

static const int32_t lane_x[16] BITS_ALIGN(64) = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
static const int32_t lane_y[16] BITS_ALIGN(64) = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};

SIMD_FN vi edge_at(const struct rn_edge *e, vi x, vi y) {
    const vi ax = vi_mul(vi_set1(e->a), x), by = vi_mul(vi_set1(e->b), y);
    return vi_add(vi_add(ax, by), vi_set1((int32_t)(uint32_t)(uint64_t)e->c));
}

SIMD_FN vd quantise_half(vd z, const struct rn_depth_plane *p) {
    const vd grid = vd_set1(RN_DEPTH_GRID);
    z = vd_add(vd_sub(vd_add(z, grid), grid), vd_set1(p->offset));
    return vd_min(vd_max(z, vd_set1(p->lo)), vd_set1(p->hi));
}

SIMD_FN vi depth_at(const struct rn_depth_plane *p, vf dx, vf dy) {
    const vd z0 = vd_set1(p->z0), zx = vd_set1(p->zx), zy = vd_set1(p->zy);
    const vd lo = vd_add(vd_add(z0, vd_mul(zx, vd_lo_from_vf(dx))), vd_mul(zy, vd_lo_from_vf(dy)));
    const vd hi = vd_add(vd_add(z0, vd_mul(zx, vd_hi_from_vf(dx))), vd_mul(zy, vd_hi_from_vf(dy)));
    return vi_from_vd_rint(quantise_half(lo, p), quantise_half(hi, p));
}

SIMD_FN vm compare(vi z, vi d, unsigned func) {
    if (func == RN_LESS) {
        return vi_lt(z, d);
    }
    vm pass = func & RN_LESS ? vi_lt(z, d) : vm_false();
    pass = func & RN_EQUAL ? vm_or(pass, vi_eq(z, d)) : pass;
    return func & RN_GREATER ? vm_or(pass, vi_gt(z, d)) : pass;
}

/* Depth of the rows from 'row' on; rows without a lane in 'bits' are not touched. */
SIMD_FN uint32_t depth_rows(const struct rn_tiny *t, int row, vf dx, vf dy, uint32_t bits) {
    const uint8_t *from[GROUPS];
    uint8_t *to[GROUPS], *some = t->depth + (size_t)(row + (int)bits_ctz32(bits) / 4) * t->stride;
    BITS_UNROLL
    for (int g = 0; g < GROUPS; g++) {
        to[g] = bits >> 4 * g & 15u ? t->depth + (size_t)(row + g) * t->stride : some;
        from[g] = to[g];
    }
    const vi z = depth_at(t->plane, dx, dy), d = t->d24 ? vi_load_fours(from) : vi_load_fours_u16(from);
    const vm pass = vm_and(compare(z, d, t->func), vm_from_bits(bits));
    const uint32_t passed = vm_bits(pass);
    if (t->write && passed) {
        const vi v = vi_sel(pass, z, d);
        BITS_UNROLL
        for (int g = 0; g < GROUPS; g++) {
            if (passed >> 4 * g & 15u) {
                if (t->d24) {
                    vi_store_four(to[g], v, g);
                } else {
                    vi_store_four_u16(to[g], v, g);
                }
            }
        }
    }
    return passed;
}

static uint32_t tiny(const struct rn_tiny *t) {
    const vi x = vi_add(vi_load(lane_x), vi_set1(t->x));
    const vf dx = vf_add(vf_from_vi(vi_load(lane_x)), vf_set1(t->dx));
    uint32_t mask = 0;
    BITS_UNROLL
    for (int row = 0; row < 4; row += GROUPS) {
        const uint32_t box = t->box >> 4 * row & VECTOR_BITS;
        if (!box) {
            continue;
        }
        const vi ly = vi_load(lane_y + (GROUPS < 4 ? 4 * row : 0)), y = vi_add(ly, vi_set1(t->y));
        const vi sign =
            vi_or(vi_or(edge_at(&t->edges[0], x, y), edge_at(&t->edges[1], x, y)), edge_at(&t->edges[2], x, y));
        uint32_t bits = ~vm_bits(vm_from_vi(sign)) & box;
        if (bits && t->depth) {
            bits = depth_rows(t, row, dx, vf_add(vf_from_vi(ly), vf_set1(t->dy)), bits);
        }
        mask |= bits << 4 * row;
    }
    simd_leave();
    return mask;
}

#endif

extern const struct rn_tiny_ops SIMD_NAME(rn_tiny);
const struct rn_tiny_ops SIMD_NAME(rn_tiny) = {tiny};
