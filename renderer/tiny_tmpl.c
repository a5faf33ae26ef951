/* SPDX-License-Identifier: MIT */
/*
 * Depth test and write of tiny triangles, once for each ISA: the 16 pixels in one go, without the fixed costs of
 * blocks. The same depth formula as depth_tmpl.c.
 */
#include "vm/base/simd.h"

#include "renderer/tile.h"

/* The triangle's plane in steps, as rn_depth_plane_set. */
SIMD_FN struct rn_depth_plane plane_of(const struct rn_tiny *t) {
    const struct rn_prim *prim = t->prim;
    return (struct rn_depth_plane){.z0 = prim->z0 * t->steps,
                                   .zx = prim->zx * t->steps,
                                   .zy = prim->zy * t->steps,
                                   .offset = prim->z_offset + RN_DEPTH_HALF,
                                   .lo = t->lo,
                                   .hi = t->hi};
}

#if SIMD_N == 1

SIMD_FN bool outcome_passes(unsigned func, uint32_t z, uint32_t old) {
    return (func & (z < old ? RN_LESS : (z == old ? RN_EQUAL : RN_GREATER))) != 0;
}

static uint32_t tiny(const struct rn_tiny *t, uint32_t mask) {
    const struct rn_depth_plane plane = plane_of(t), *p = &plane;
    uint32_t passed = 0;
    for (; mask; mask &= mask - 1) {
        const uint32_t at = bits_ctz32(mask), x = (at >> 1 & 2) + (at & 1), y = (at >> 2 & 2) + (at >> 1 & 1);
        uint8_t *pixel = t->pixels + y * t->stride + x * (t->d24 ? 4u : 2u);
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
        passed |= 1u << at;
    }
    return passed;
}

#else

#define GROUPS      (SIMD_N / 4) /* quads in a vector */
#define VECTOR_BITS ((1u << SIMD_N) - 1u)

/* Places of the pixels, quad after quad. */
static const float lane_x[16] BITS_ALIGN(64) = {0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3};
static const float lane_y[16] BITS_ALIGN(64) = {0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3};

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

/* The quads from 'quad' on. A row that the surface does not have stands for the one above it and has no
 * lanes; it is stored first (vi_store_quad). */
SIMD_FN uint32_t depth_quads(const struct rn_tiny *t, const struct rn_depth_plane *plane, uint32_t quad, uint32_t bits) {
    uint8_t *p0[GROUPS], *p1[GROUPS];
    const uint32_t bytes = t->d24 ? 8 : 4;
    BITS_UNROLL
    for (uint32_t g = 0; g < GROUPS; g++) {
        const uint32_t q = quad + (bits >> 4 * g & 15u ? g : bits_ctz32(bits) / 4);
        p0[g] = t->pixels + (q & 2) * t->stride + (q & 1) * bytes;
        p1[g] = (q & 2) + 1 < t->rows ? p0[g] + t->stride : p0[g];
    }
    const vf dx = vf_add(vf_load(lane_x + (GROUPS < 4 ? 4 * quad : 0)), vf_set1(t->dx));
    const vf dy = vf_add(vf_load(lane_y + (GROUPS < 4 ? 4 * quad : 0)), vf_set1(t->dy));
    const uint8_t *const *from0 = (const uint8_t *const *)p0, *const *from1 = (const uint8_t *const *)p1;
    const vi z = depth_at(plane, dx, dy), d = t->d24 ? vi_load_quads(from0, from1) : vi_load_quads_u16(from0, from1);
    const vm pass = vm_and(compare(z, d, t->func), vm_from_bits(bits));
    const uint32_t passed = vm_bits(pass);
    if (t->write && passed) {
        const vi v = vi_sel(pass, z, d);
        BITS_UNROLL
        for (int g = 0; g < GROUPS; g++) {
            if (passed >> 4 * g & 15u) {
                if (t->d24) {
                    vi_store_quad(p0[g], p1[g], v, g);
                } else {
                    vi_store_quad_u16(p0[g], p1[g], v, g);
                }
            }
        }
    }
    return passed;
}

static uint32_t tiny(const struct rn_tiny *t, uint32_t mask) {
    const struct rn_depth_plane plane = plane_of(t);
    uint32_t passed = 0;
    BITS_UNROLL
    for (uint32_t quad = 0; quad < 4; quad += GROUPS) {
        const uint32_t bits = mask >> 4 * quad & VECTOR_BITS;
        if (bits) {
            passed |= depth_quads(t, &plane, quad, bits) << 4 * quad;
        }
    }
    simd_leave();
    return passed;
}

#endif

extern const struct rn_tiny_ops SIMD_NAME(rn_tiny);
const struct rn_tiny_ops SIMD_NAME(rn_tiny) = {tiny};
