/* SPDX-License-Identifier: MIT */
/*
 * The front's kernels: projection of vertices with clip codes, rejection of triangles, plane
 * equations. Compiled once for each ISA; all give the same bits, because each lane does the same
 * IEEE operations.
 */
#include <string.h>

#include "renderer/internal.h"
#include "vm/base/simd.h"
#include "vm/base/simd_lines.h"

/* Lanes of a mask as an integer code. */
SIMD_FN vi code_if(vm m, int32_t code) {
    return vi_and(vi_from_vm(m), vi_set1(code));
}

#if SIMD_N > 1
/* Spots of the slots in i[]. */
SIMD_FN void load_spots(const struct rn_spot *spot, const int32_t *i, vi v[4]) {
    BITS_UNROLL
    for (int r = 0; r < 4; r++) {
        const uint8_t *p[SIMD_N / 4];
        BITS_UNROLL
        for (int g = 0; g < SIMD_N / 4; g++) {
            p[g] = (const uint8_t *)(spot + i[4 * g + r]);
        }
        v[r] = vi_load_fours(p);
    }
    vi_transpose4(v);
}

/* Four words of each lane to its primitive. */
SIMD_FN void store_fours(struct rn_prim *const *prim, size_t offset, vi v[4]) {
    vi_transpose4(v);
    BITS_UNROLL
    for (int r = 0; r < 4; r++) {
        BITS_UNROLL
        for (int g = 0; g < SIMD_N / 4; g++) {
            vi_store_four((uint8_t *)prim[4 * g + r] + offset, v[r], g);
        }
    }
}

SIMD_FN void store_spots(struct rn_spot *spot, vi v[4]) {
    vi_transpose4(v);
    BITS_UNROLL
    for (int r = 0; r < 4; r++) {
        BITS_UNROLL
        for (int g = 0; g < SIMD_N / 4; g++) {
            vi_store_four(spot + 4 * g + r, v[r], g);
        }
    }
}
#else
SIMD_FN void load_spots(const struct rn_spot *spot, const int32_t *i, vi v[4]) {
    memcpy(v, spot + *i, sizeof *spot);
}
SIMD_FN void store_fours(struct rn_prim *const *prim, size_t offset, vi v[4]) {
    memcpy((uint8_t *)prim[0] + offset, v, 4 * sizeof v[0]);
}
SIMD_FN void store_spots(struct rn_spot *spot, vi v[4]) {
    memcpy(spot, v, sizeof *spot);
}
#endif

static void project(const struct rn_viewport *vp, const struct rn_slots *s, uint32_t first,
                    uint32_t count, uint32_t *codes_and, uint32_t *codes_or) {
    const vf half_x = vf_set1(vp->half_x), half_y = vf_set1(vp->half_y);
    const vf centre_x = vf_set1(vp->centre_x), centre_y = vf_set1(vp->centre_y);
    const vf guard = vf_set1((float)RN_GUARD), scale = vf_set1((float)RN_SUBPIXEL);
    const vf limit = vf_set1((float)RN_GUARD * RN_SUBPIXEL), low = vf_neg(limit);
    vi all = vi_set1(-1), any = vi_zero();
    for (uint32_t i = 0; i < count; i += SIMD_N) {
        const uint32_t k = first + i;
        const vf x = vf_loadu(s->x + k), y = vf_loadu(s->y + k), z = vf_loadu(s->z + k),
                 w = vf_loadu(s->w + k);
        const vf nw = vf_neg(w);
        /* x - x is 0 for finite x and NaN otherwise. */
        const vf zero =
            vf_add(vf_add(vf_sub(x, x), vf_sub(y, y)), vf_add(vf_sub(z, z), vf_sub(w, w)));
        const vf wx = vf_add(vf_mul(vf_div(x, w), half_x), centre_x);
        const vf wy = vf_add(vf_mul(vf_div(y, w), half_y), centre_y);
        const vm inside = vm_and(vf_le(vf_abs(wx), guard), vf_le(vf_abs(wy), guard));
        const vf near = vp->zero_to_one ? vf_zero() : nw;
        vi code = vi_or(code_if(vf_lt(z, near), RN_CODE_NEAR), code_if(vf_gt(z, w), RN_CODE_FAR));
        code = vi_or(
            code, vi_or(code_if(vf_lt(x, nw), RN_CODE_LEFT), code_if(vf_gt(x, w), RN_CODE_RIGHT)));
        code = vi_or(
            code, vi_or(code_if(vf_lt(y, nw), RN_CODE_BELOW), code_if(vf_gt(y, w), RN_CODE_ABOVE)));
        code = vi_or(code, code_if(vm_not(inside), RN_CODE_GUARD));
        code = vi_or(code, code_if(vf_ne(zero, zero), RN_CODE_BAD));
        /* The bounds make the conversion defined for every lane; NaN takes a bound. */
        vi spot[4] = {vi_from_vf_rint_fast(vf_max(vf_min(vf_mul(wx, scale), limit), low)),
                      vi_from_vf_rint_fast(vf_max(vf_min(vf_mul(wy, scale), limit), low)), code,
                      vf_as_vi(vf_div(vf_set1(1.0f), w))};
        store_spots(s->spot + k, spot);
        const vi beyond =
            vi_from_vm(vi_gt(vi_add(vi_iota(), vi_set1((int32_t)i + 1)), vi_set1((int32_t)count)));
        all = vi_and(all, vi_or(code, beyond));
        any = vi_or(any, vi_andnot(beyond, code));
    }
    int32_t lanes[2][SIMD_N];
    vi_storeu(lanes[0], all);
    vi_storeu(lanes[1], any);
    uint32_t a = 0xFFFFFFFFu, o = 0;
    for (int i = 0; i < SIMD_N; i++) {
        a &= (uint32_t)lanes[0][i];
        o |= (uint32_t)lanes[1][i];
    }
    *codes_and = a;
    *codes_or = o;
    simd_leave();
}

/* Sign of (x1 - x0)(y2 - y0) - (x2 - x0)(y1 - y0): exact, the products fit 47 bits of a double. */
SIMD_FN vf area_sign(vi x10, vi y20, vi x20, vi y10) {
    const vd lo = vd_sub(vd_mul(vd_lo_from_vi(x10), vd_lo_from_vi(y20)),
                         vd_mul(vd_lo_from_vi(x20), vd_lo_from_vi(y10)));
    const vd hi = vd_sub(vd_mul(vd_hi_from_vi(x10), vd_hi_from_vi(y20)),
                         vd_mul(vd_hi_from_vi(x20), vd_hi_from_vi(y10)));
    return vf_from_vd(lo, hi);
}

/*
 * Small triangles mostly miss every sample: of those less than three pixels wide and high, with a
 * box of at most 2x2 pixels at px0, py0 (w x h), tells which cover none. Edges and fill rule as in
 * setup_tri.c; all values fit int32 with room.
 */
SIMD_FN vm misses_all(const vi x[3], const vi y[3], vm clockwise, vi px0, vi py0, vi w, vi h) {
    const vi one = vi_set1(1), turn = vi_from_vm(clockwise);
    const vi sx = vi_add(vi_shl(px0, RN_SUBPIXEL_BITS), vi_set1(RN_SUBPIXEL / 2));
    const vi sy = vi_add(vi_shl(py0, RN_SUBPIXEL_BITS), vi_set1(RN_SUBPIXEL / 2));
    vi out00 = vi_zero(), out10, out01, out11; /* sign bit: outside */
    out10 = vi_from_vm(vi_lt(w, vi_set1(2)));
    out01 = vi_from_vm(vi_lt(h, vi_set1(2)));
    out11 = vi_or(out10, out01);
    BITS_UNROLL
    for (int k = 0; k < 3; k++) {
        const int n = k == 2 ? 0 : k + 1;
        const vi a = vi_sub(vi_xor(vi_sub(y[k], y[n]), turn), turn),
                 b = vi_sub(vi_xor(vi_sub(x[n], x[k]), turn), turn);
        const vm owned =
            vm_or(vi_gt(a, vi_zero()), vm_and(vi_eq(a, vi_zero()), vi_gt(b, vi_zero())));
        const vi e = vi_sub(vi_add(vi_mul(a, vi_sub(sx, x[k])), vi_mul(b, vi_sub(sy, y[k]))),
                            vi_sel(owned, vi_zero(), one));
        const vi ax = vi_shl(a, RN_SUBPIXEL_BITS), by = vi_shl(b, RN_SUBPIXEL_BITS),
                 ex = vi_add(e, ax);
        out00 = vi_or(out00, e);
        out10 = vi_or(out10, ex);
        out01 = vi_or(out01, vi_add(e, by));
        out11 = vi_or(out11, vi_add(ex, by));
    }
    const vi all = vi_and(vi_and(out00, out10), vi_and(out01, out11));
    const vm small = vm_and(vi_lt(w, vi_set1(3)), vi_lt(h, vi_set1(3)));
    return vm_and(vm_from_vi(all), small);
}

/* Whether a triangle spans less than three pixels. */
SIMD_FN vm is_small(vi lo_x, vi hi_x, vi lo_y, vi hi_y) {
    const vi limit = vi_set1(3 * RN_SUBPIXEL);
    return vm_and(vi_lt(vi_sub(hi_x, lo_x), limit), vi_lt(vi_sub(hi_y, lo_y), limit));
}

/* Verdicts of triangles k .. k + SIMD_N - 1, into words that begin anew every 64. */
SIMD_FN void store_verdicts(struct rn_verdicts *v, uint32_t k, uint32_t count, uint32_t kept,
                            uint32_t cut) {
    const uint32_t lanes = (1u << (count - k < SIMD_N ? count - k : SIMD_N)) - 1;
    const unsigned at = k & 63;
    uint64_t *keep = v->keep + (k >> 6), *clip = v->clip + (k >> 6);
    *keep = (at ? *keep : 0) | (uint64_t)(kept & lanes) << at;
    *clip = (at ? *clip : 0) | (uint64_t)(kept & cut & lanes) << at;
}

static void cull(const struct rn_cull *c, int32_t *const i[3], uint32_t count,
                 struct rn_verdicts *verdicts) {
    const vi clip = vi_set1(RN_CODE_CLIP), outside = vi_set1(RN_CODE_OUTSIDE),
             bad = vi_set1(RN_CODE_BAD);
    const vi lo = vi_set1(c->lo), hi = vi_set1(c->hi), zero = vi_zero(), one = vi_set1(1);
    const vi bx0 = vi_set1(c->box.x0), bx1 = vi_set1(c->box.x1), by0 = vi_set1(c->box.y0),
             by1 = vi_set1(c->box.y1);
    const vm positive = vm_from_bits(c->positive ? 0xFFFFu : 0),
             negative = vm_from_bits(c->negative ? 0xFFFFu : 0);
    const vm centres = vm_from_bits(c->hi ? 0xFFFFu : 0); /* one sample, the pixel's centre */
    for (uint32_t k = 0; k < count; k += SIMD_N) {
        vi s0[4], s1[4], s2[4];
        load_spots(c->spot, i[0] + k, s0);
        load_spots(c->spot, i[1] + k, s1);
        load_spots(c->spot, i[2] + k, s2);
        const vi all = vi_and(vi_and(s0[2], s1[2]), s2[2]), any = vi_or(vi_or(s0[2], s1[2]), s2[2]);
        vm drop = vm_not(vm_and(vi_eq(vi_and(all, outside), zero), vi_eq(vi_and(any, bad), zero)));
        if (vm_all(drop)) {
            store_verdicts(verdicts, k, count, 0, 0);
            continue;
        }
        const vm clipped = vm_not(vi_eq(vi_and(any, clip), zero));
        const vi x[3] = {s0[0], s1[0], s2[0]}, y[3] = {s0[1], s1[1], s2[1]};
        const vf area = area_sign(vi_sub(x[1], x[0]), vi_sub(y[2], y[0]), vi_sub(x[2], x[0]),
                                  vi_sub(y[1], y[0]));
        const vm clockwise = vf_lt(area, vf_zero());
        vm gone = vm_or(vm_and(vf_gt(area, vf_zero()), positive), vm_and(clockwise, negative));
        gone = vm_or(gone, vf_eq(area, vf_zero()));
        const vi lo_x = vi_min(vi_min(x[0], x[1]), x[2]), hi_x = vi_max(vi_max(x[0], x[1]), x[2]);
        const vi lo_y = vi_min(vi_min(y[0], y[1]), y[2]), hi_y = vi_max(vi_max(y[0], y[1]), y[2]);
        const vi px0 = vi_max(vi_sar(vi_add(lo_x, lo), RN_SUBPIXEL_BITS), bx0);
        const vi px1 = vi_min(vi_add(vi_sar(vi_sub(hi_x, hi), RN_SUBPIXEL_BITS), one), bx1);
        const vi py0 = vi_max(vi_sar(vi_add(lo_y, lo), RN_SUBPIXEL_BITS), by0);
        const vi py1 = vi_min(vi_add(vi_sar(vi_sub(hi_y, hi), RN_SUBPIXEL_BITS), one), by1);
        gone = vm_or(gone, vm_not(vm_and(vi_lt(px0, px1), vi_lt(py0, py1))));
        const vm small = vm_andnot(gone, vm_and(is_small(lo_x, hi_x, lo_y, hi_y), centres));
        if (vm_any(small)) {
            gone = vm_or(gone, vm_and(small, misses_all(x, y, clockwise, px0, py0, vi_sub(px1, px0),
                                                        vi_sub(py1, py0))));
        }
        drop = vm_or(drop, vm_andnot(clipped, gone));
        store_verdicts(verdicts, k, count, ~vm_bits(drop), vm_bits(clipped));
    }
    simd_leave();
}

/* ---- set-up of triangles; the meaning of each step stands in setup_tri.c ------------- */

/* Doubles of all lanes. */
struct pair {
    vd lo, hi;
};
SIMD_FN struct pair pair_vi(vi v) {
    return (struct pair){vd_lo_from_vi(v), vd_hi_from_vi(v)};
}
SIMD_FN struct pair pair_vf(vf v) {
    return (struct pair){vd_lo_from_vf(v), vd_hi_from_vf(v)};
}
SIMD_FN struct pair pair_set(double v) {
    return (struct pair){vd_set1(v), vd_set1(v)};
}
SIMD_FN struct pair add(struct pair a, struct pair b) {
    return (struct pair){vd_add(a.lo, b.lo), vd_add(a.hi, b.hi)};
}
SIMD_FN struct pair sub(struct pair a, struct pair b) {
    return (struct pair){vd_sub(a.lo, b.lo), vd_sub(a.hi, b.hi)};
}
SIMD_FN struct pair mul(struct pair a, struct pair b) {
    return (struct pair){vd_mul(a.lo, b.lo), vd_mul(a.hi, b.hi)};
}
SIMD_FN struct pair quotient(struct pair a, struct pair b) {
    return (struct pair){vd_div(a.lo, b.lo), vd_div(a.hi, b.hi)};
}
SIMD_FN struct pair most(struct pair a, struct pair b) {
    return (struct pair){vd_max(a.lo, b.lo), vd_max(a.hi, b.hi)};
}
SIMD_FN struct pair magnitude(struct pair a) {
    return most(a, sub(pair_set(0.0), a));
}
SIMD_FN struct pair floors(struct pair a) {
    return (struct pair){vd_floor(a.lo), vd_floor(a.hi)};
}
SIMD_FN vf narrow(struct pair a) {
    return vf_from_vd(a.lo, a.hi);
}
SIMD_FN void store(double *p, struct pair a) {
    memcpy(p, &a.lo, sizeof a.lo);
    if (SIMD_N > 1) { /* else lo is all there is */
        memcpy(p + SIMD_N / 2, &a.hi, sizeof a.hi);
    }
}

SIMD_FN struct pair load(const double *p) {
    struct pair a = pair_set(0.0);
    memcpy(&a.lo, p, sizeof a.lo);
    if (SIMD_N > 1) {
        memcpy(&a.hi, p + SIMD_N / 2, sizeof a.hi);
    }
    return a;
}

/* The two words of a 64-bit integer, from whole numbers below 2^62. */
SIMD_FN void words_of(struct pair v, vi *low, vi *high) {
    const struct pair h = floors(mul(v, pair_set(1.0 / 4294967296.0)));
    const struct pair l = sub(sub(v, mul(h, pair_set(4294967296.0))), pair_set(2147483648.0));
    *low = vi_xor(vi_from_vd_rint(l.lo, l.hi), vi_set1(INT32_MIN));
    *high = vi_from_vd_rint(h.lo, h.hi);
}

/* An edge of each lane: a, b, and the constant with the fill rule, its low bits cut off: low. */
struct edge {
    vi a, b, low;
    vi word[2]; /* of the constant, low word first */
};
SIMD_FN struct edge edge_between(vi x0, vi y0, vi x1, vi y1) {
    return (struct edge){.a = vi_sub(y0, y1), .b = vi_sub(x1, x0)};
}
/* 1 where the edge does not own its points. */
SIMD_FN vi edge_rule(const struct edge *e) {
    const vm owned =
        vm_or(vi_gt(e->a, vi_zero()), vm_and(vi_eq(e->a, vi_zero()), vi_gt(e->b, vi_zero())));
    return vi_sel(owned, vi_zero(), vi_set1(1));
}
SIMD_FN void edge_constant(struct edge *e, vi x0, vi y0) {
    const vi half = vi_set1(RN_SUBPIXEL / 2);
    const struct pair c = sub(add(mul(pair_vi(e->a), pair_vi(vi_sub(half, x0))),
                                  mul(pair_vi(e->b), pair_vi(vi_sub(half, y0)))),
                              pair_vi(edge_rule(e)));
    const struct pair whole = floors(mul(c, pair_set(1.0 / RN_SUBPIXEL)));
    const struct pair low = sub(c, mul(whole, pair_set((double)RN_SUBPIXEL)));
    e->low = vi_from_vd_rint(low.lo, low.hi);
    words_of(whole, &e->word[0], &e->word[1]);
}
/* The same where it fits 32 bits. */
SIMD_FN void edge_constant_small(struct edge *e, vi x0, vi y0) {
    const vi half = vi_set1(RN_SUBPIXEL / 2);
    const vi c = vi_sub(vi_add(vi_mul(e->a, vi_sub(half, x0)), vi_mul(e->b, vi_sub(half, y0))),
                        edge_rule(e));
    e->low = vi_and(c, vi_set1(RN_SUBPIXEL - 1));
    e->word[0] = vi_sar(c, RN_SUBPIXEL_BITS);
    e->word[1] = vi_sar(c, 31);
}
SIMD_FN vi larger(vi a, vi b) { /* of a and |b| */
    return vi_max(a, vi_max(b, vi_sub(vi_zero(), b)));
}
/* Whether each edge constant fits 32 bits: twice the longest edge times the farthest vertex. */
SIMD_FN bool edges_are_small(const struct edge e[3], const vi x[3], const vi y[3]) {
    vi size = vi_zero(), far = vi_zero();
    BITS_UNROLL
    for (int j = 0; j < 3; j++) {
        size = larger(larger(size, e[j].a), e[j].b);
        far = larger(larger(far, x[j]), y[j]);
    }
    const vf most = vf_mul(vf_from_vi(size), vf_from_vi(vi_add(far, vi_set1(RN_SUBPIXEL))));
    return vm_all(vf_lt(most, vf_set1(1.0e9f)));
}

/* What the planes of a triangle have in common. */
struct slope {
    struct pair k[4], off_x, off_y;
};
SIMD_FN void setup_plane(const struct slope *g, const struct pair p[3], struct pair *a0,
                         struct pair *ax, struct pair *ay) {
    const struct pair d1 = sub(p[1], p[0]), d2 = sub(p[2], p[0]);
    *ax = sub(mul(d1, g->k[0]), mul(d2, g->k[1]));
    *ay = sub(mul(d2, g->k[2]), mul(d1, g->k[3]));
    *a0 = add(p[0], add(mul(*ax, g->off_x), mul(*ay, g->off_y)));
}

SIMD_FN void setup_slope(struct rn_setup *s, uint32_t k, const vi x[3], const vi y[3],
                         struct slope *g) {
    const struct pair x10 = pair_vi(vi_sub(x[1], x[0])), x20 = pair_vi(vi_sub(x[2], x[0]));
    const struct pair y10 = pair_vi(vi_sub(y[1], y[0])), y20 = pair_vi(vi_sub(y[2], y[0]));
    const struct pair area = sub(mul(x10, y20), mul(x20, y10));
    const struct pair scale = quotient(pair_set((double)RN_SUBPIXEL), area);
    const vi px = vi_sar(x[0], RN_SUBPIXEL_BITS), py = vi_sar(y[0], RN_SUBPIXEL_BITS),
             half = vi_set1(RN_SUBPIXEL / 2);
    g->k[0] = mul(y20, scale);
    g->k[1] = mul(y10, scale);
    g->k[2] = mul(x10, scale);
    g->k[3] = mul(x20, scale);
    g->off_x = mul(pair_vi(vi_sub(vi_add(vi_shl(px, RN_SUBPIXEL_BITS), half), x[0])),
                   pair_set(1.0 / RN_SUBPIXEL));
    g->off_y = mul(pair_vi(vi_sub(vi_add(vi_shl(py, RN_SUBPIXEL_BITS), half), y[0])),
                   pair_set(1.0 / RN_SUBPIXEL));
    BITS_UNROLL
    for (int j = 0; j < 4; j++) {
        store(s->k[j] + k, g->k[j]);
    }
    store(s->off_x + k, g->off_x);
    store(s->off_y + k, g->off_y);
}

/* Window depth: plane and steepest gradient. Returns where all vertices are well within the range, and so every
 * covered pixel: the plane's rounding is far below the margin, as triangles are small where it is asked. */
SIMD_FN vm setup_depth(struct rn_setup *s, uint32_t k, const struct rn_viewport *vp,
                       const struct slope *g, const vf z[3], const vf w[3]) {
    const vf margin = vf_set1(RN_DEPTH_MARGIN);
    struct pair d[3], z0, zx, zy;
    BITS_UNROLL
    for (int j = 0; j < 3; j++) {
        d[j] = add(mul(quotient(pair_vf(z[j]), pair_vf(w[j])), pair_set(vp->depth_half)),
                   pair_set(vp->depth_centre));
    }
    setup_plane(g, d, &z0, &zx, &zy);
    const struct pair mx = magnitude(zx), my = magnitude(zy);
    store(s->z0 + k, z0);
    store(s->zx + k, zx);
    store(s->zy + k, zy);
    store(s->slope + k, most(mx, my));
    const vf near0 = narrow(d[0]), near1 = narrow(d[1]), near2 = narrow(d[2]);
    const vf low = vf_min(vf_min(near0, near1), near2), high = vf_max(vf_max(near0, near1), near2);
    return vm_and(vf_gt(low, vf_add(vf_set1(vp->depth_lo), margin)),
                  vf_lt(high, vf_sub(vf_set1(vp->depth_hi), margin)));
}

/* 1 / w, a plane of the window whether or not the varyings need it. */
SIMD_FN void setup_weights(struct rn_setup *s, uint32_t k, const struct slope *g, const vf iw[3],
                           vm perspective) {
    struct pair p[3], a0, ax, ay;
    BITS_UNROLL
    for (int j = 0; j < 3; j++) {
        p[j] = pair_vf(iw[j]);
        vf_storeu(s->weight[j] + k, vf_sel(perspective, iw[j], vf_set1(1.0f)));
    }
    setup_plane(g, p, &a0, &ax, &ay);
    vf_storeu(s->iw[0] + k, narrow(a0));
    vf_storeu(s->iw[1] + k, narrow(ax));
    vf_storeu(s->iw[2] + k, narrow(ay));
}

/* The least and the greatest coordinates of a triangle: x0 y0 x1 y1. */
SIMD_FN void bounds_of(const vi x[3], const vi y[3], vi bounds[4]) {
    bounds[0] = vi_min(vi_min(x[0], x[1]), x[2]);
    bounds[1] = vi_min(vi_min(y[0], y[1]), y[2]);
    bounds[2] = vi_max(vi_max(x[0], x[1]), x[2]);
    bounds[3] = vi_max(vi_max(y[0], y[1]), y[2]);
}

/* Pixels whose samples can be inside, cut by the draw's box: x0 y0 x1 y1. */
SIMD_FN void setup_box(const struct rn_cull *c, const vi bounds[4], vi box[4]) {
    const vi lo = vi_set1(c->lo), hi = vi_set1(c->hi), one = vi_set1(1);
    box[0] = vi_max(vi_sar(vi_add(bounds[0], lo), RN_SUBPIXEL_BITS), vi_set1(c->box.x0));
    box[1] = vi_max(vi_sar(vi_add(bounds[1], lo), RN_SUBPIXEL_BITS), vi_set1(c->box.y0));
    box[2] = vi_min(vi_add(vi_sar(vi_sub(bounds[2], hi), RN_SUBPIXEL_BITS), one), vi_set1(c->box.x1));
    box[3] = vi_min(vi_add(vi_sar(vi_sub(bounds[3], hi), RN_SUBPIXEL_BITS), one), vi_set1(c->box.y1));
}

/* Triangles whose box fits 8x8 pixels from an even one on and whose edges are short: less than 32 pixels, for
 * planes of longer slivers, cut by the draw's box, round by more than the margin of setup_depth. */
SIMD_FN vm is_mask_size(const struct edge e[3], const vi box[4], vi px, vi py) {
    const vi off = vi_set1(32 << RN_SUBPIXEL_BITS);
    vi wide = vi_zero();
    BITS_UNROLL
    for (int j = 0; j < 3; j++) {
        wide = vi_or(wide, vi_or(vi_add(e[j].a, off), vi_add(e[j].b, off)));
    }
    const vm close = vi_eq(vi_shr(wide, 6 + RN_SUBPIXEL_BITS), vi_zero());
    return vm_and(close, vm_and(vi_lt(vi_sub(box[2], px), vi_set1(9)),
                                vi_lt(vi_sub(box[3], py), vi_set1(9))));
}

/* Bits lo .. hi - 1 of a byte, lo 0 or 1, hi 1 .. 8: 2^hi by way of a float's exponent, which all ISAs can. */
SIMD_FN vi bits_between(vi lo, vi hi) {
    const vi power = vi_shl(vi_add(vi_and(hi, vi_set1(15)), vi_set1(127)), 23);
    return vi_sub(vi_sub(vi_from_vf_fast(vi_as_vf(power)), vi_set1(1)), lo);
}

/* Those that lie within 11x11 pixels around the window from (px, py) on, as all do that nothing cuts: there edge
 * values fit 16 bits, because none is more than twice the area of a triangle. */
SIMD_FN vm is_near(const vi bounds[4], vi px, vi py) {
    const vi x = vi_shl(px, RN_SUBPIXEL_BITS), y = vi_shl(py, RN_SUBPIXEL_BITS), one = vi_set1(RN_SUBPIXEL);
    const vi low = vi_or(vi_add(vi_sub(bounds[0], x), one), vi_add(vi_sub(bounds[1], y), one));
    const vi high = vi_max(vi_sub(bounds[2], x), vi_sub(bounds[3], y));
    return vm_andnot(vm_from_vi(low), vi_lt(high, vi_set1(10 * RN_SUBPIXEL)));
}

/* Takes pixels outside the box out of the mask. */
SIMD_FN void mask_box(const vi box[4], vi px, vi py, const int words, vi mask[2]) {
    vi columns = bits_between(vi_sub(box[0], px), vi_sub(box[2], px));
    const vi rows = bits_between(vi_sub(box[1], py), vi_sub(box[3], py));
    columns = vi_or(columns, vi_shl(columns, 8));
    columns = vi_or(columns, vi_shl(columns, 16));
    BITS_UNROLL
    for (int w = 0; w < words; w++) { /* each bit of four to a byte of its own, which then is full or empty */
        const vi four = vi_and(vi_shr(rows, 4 * w), vi_set1(15)), two = vi_or(four, vi_shl(four, 7));
        const vi each = vi_and(vi_or(two, vi_shl(two, 14)), vi_set1(0x01010101));
        mask[w] = vi_and(mask[w], vi_and(vi_sub(vi_shl(each, 8), each), columns));
    }
}

/* Edge values at (px, py). */
SIMD_FN void edge_values(const struct edge e[3], vi px, vi py, vi value[3]) {
    BITS_UNROLL
    for (int j = 0; j < 3; j++) {
        value[j] = vi_add(vi_add(vi_mul(e[j].a, px), vi_mul(e[j].b, py)), e[j].word[0]);
    }
}

/* Their pixels: rows 0..3 and 4..7. */
SIMD_FN void mask_words(const struct edge e[3], vi px, vi py, vi word[2]) {
    const vi top = vi_set1(INT32_MIN);
    vi row[3];
    edge_values(e, px, py, row);
    for (int w = 0; w < 2; w++) {
        vi mask = vi_zero();
        for (int y = 0; y < 4; y++) {
            vi at[3] = {row[0], row[1], row[2]};
            BITS_UNROLL
            for (int x = 0; x < 8; x++) {
                const vi out = vi_or(vi_or(at[0], at[1]), at[2]);
                mask = vi_or(vi_shr(mask, 1), vi_andnot(out, top));
                BITS_UNROLL
                for (int j = 0; j < 3; j++) {
                    at[j] = vi_add(at[j], e[j].a);
                }
            }
            BITS_UNROLL
            for (int j = 0; j < 3; j++) {
                row[j] = vi_add(row[j], e[j].b);
            }
        }
        word[w] = mask;
    }
}

/*
 * The same for triangles that are near, two rows at once: a word holds the values of rows y and y + 2, each of 16 bits
 * plus 2^15, so that no sum of one reaches into the other; the top bits of all three edges are set inside. Only size x
 * size pixels are looked at (4 or 8).
 */
SIMD_FN void mask_words_near(const struct edge e[3], vi px, vi py, const int size, vi word[2]) {
    const vi tops = vi_set1((int32_t)0x80008000u);
    vi row[3], a[3], b[3];
    edge_values(e, px, py, row);
    BITS_UNROLL
    for (int j = 0; j < 3; j++) {
        a[j] = vi_add(vi_shl(e[j].a, 16), e[j].a);
        b[j] = vi_add(vi_shl(e[j].b, 16), e[j].b);
        row[j] = vi_add(vi_add(vi_shl(row[j], 16), row[j]), vi_add(vi_shl(e[j].b, 17), tops));
    }
    word[1] = vi_zero();
    BITS_UNROLL
    for (int w = 0; w < size / 4; w++) {
        vi mask = vi_zero();
        BITS_UNROLL
        for (int y = 0; y < 2; y++) {
            vi at[3] = {row[0], row[1], row[2]};
            BITS_UNROLL
            for (int x = 0; x < size; x++) {
                const vi in = vi_and(vi_and(at[0], at[1]), at[2]);
                mask = vi_or(vi_shr(mask, 1), vi_and(in, tops));
                BITS_UNROLL
                for (int j = 0; j < 3; j++) {
                    at[j] = vi_add(at[j], a[j]);
                }
            }
            mask = size == 4 ? vi_shr(mask, 4) : mask;
            BITS_UNROLL
            for (int j = 0; j < 3; j++) {
                row[j] = vi_add(row[j], y ? vi_add(vi_shl(b[j], 1), b[j]) : b[j]);
            }
        }
        word[w] = mask;
    }
}

/* The primitives' words; the layout is that of struct rn_prim on little-endian machines, which all
 * with vectors are. */
struct words {
    vi box[4], origin_x, origin_y, mask[2];
    vm front, perspective, unclamped;
    bool edges; /* some need them */
    struct edge edge[3];
};

#if SIMD_N > 1
_Static_assert(offsetof(struct rn_prim, box) == 0 && offsetof(struct rn_prim, kind) == 8 &&
                   offsetof(struct rn_prim, width) == 12 && offsetof(struct rn_prim, px) == 16 &&
                   offsetof(struct rn_prim, unclamped) == 20 && offsetof(struct rn_prim, mask) == 24,
               "store_prims writes these as words");
SIMD_FN void store_prims(struct rn_prim *const *prim, const struct words *w) {
    const vi half = vi_set1(0xFFFF);
    vi head[4] = {vi_or(w->box[0], vi_shl(w->box[1], 16)),
                  vi_or(vi_and(w->box[2], half), vi_shl(w->box[3], 16)),
                  vi_or(code_if(w->front, 1 << 8), code_if(w->perspective, 1 << 16)),
                  vi_or(vi_shl(w->edge[0].low, 8),
                        vi_or(vi_shl(w->edge[1].low, 16), vi_shl(w->edge[2].low, 24)))};
    vi origin[4] = {vi_or(vi_and(w->origin_x, half), vi_shl(w->origin_y, 16)),
                    code_if(w->unclamped, 1), w->mask[0], w->mask[1]};
    store_fours(prim, 0, head);
    store_fours(prim, offsetof(struct rn_prim, px), origin);
    if (w->edges) {
        BITS_UNROLL
        for (int j = 0; j < 3; j++) {
            vi edge[4] = {w->edge[j].a, w->edge[j].b, w->edge[j].word[0], w->edge[j].word[1]};
            store_fours(prim, offsetof(struct rn_prim, e) + (size_t)j * sizeof(struct rn_edge),
                        edge);
        }
    }
}
#else
SIMD_FN void store_prims(struct rn_prim *const *prim, const struct words *w) {
    struct rn_prim *p = prim[0];
    memset(p, 0, offsetof(struct rn_prim, iw));
    p->box = (struct rn_box16){(uint16_t)w->box[0], (uint16_t)w->box[1], (uint16_t)w->box[2],
                               (uint16_t)w->box[3]};
    p->front_facing = w->front != 0;
    p->perspective = w->perspective != 0;
    p->px = (int16_t)w->origin_x;
    p->py = (int16_t)w->origin_y;
    p->unclamped = w->unclamped != 0;
    p->mask = (uint64_t)(uint32_t)w->mask[1] << 32 | (uint32_t)w->mask[0];
    for (int j = 0; j < 3; j++) {
        p->edge_low[j] = (uint8_t)w->edge[j].low;
        const uint64_t c = (uint64_t)(uint32_t)w->edge[j].word[1] << 32 | (uint32_t)w->edge[j].word[0];
        p->e[j] = (struct rn_edge){w->edge[j].a, w->edge[j].b, (int64_t)c};
    }
}
#endif

static void setup(const struct rn_slots *slots, const struct rn_viewport *vp,
                  const struct rn_cull *c, bool front_cw, uint32_t count, struct rn_setup *s,
                  struct rn_prim *const *prim) {
    const vm centres = vm_from_bits(c->hi ? 0xFFFFu : 0); /* one sample, the pixel's centre */
    s->empty = 0;
    for (uint32_t k = 0; k < count; k += SIMD_N) {
        vi i[3] = {vi_loadu(s->i[0] + k), vi_loadu(s->i[1] + k), vi_loadu(s->i[2] + k)};
        vi s0[4], s1[4], s2[4];
        load_spots(slots->spot, s->i[0] + k, s0);
        load_spots(slots->spot, s->i[1] + k, s1);
        load_spots(slots->spot, s->i[2] + k, s2);
        const vf area = area_sign(vi_sub(s1[0], s0[0]), vi_sub(s2[1], s0[1]),
                                  vi_sub(s2[0], s0[0]), vi_sub(s1[1], s0[1]));
        const vm turn = vf_lt(area, vf_zero());
        const vi x[3] = {s0[0], vi_sel(turn, s2[0], s1[0]), vi_sel(turn, s1[0], s2[0])};
        const vi y[3] = {s0[1], vi_sel(turn, s2[1], s1[1]), vi_sel(turn, s1[1], s2[1])};
        const vf iw[3] = {vi_as_vf(s0[3]), vi_as_vf(vi_sel(turn, s2[3], s1[3])),
                          vi_as_vf(vi_sel(turn, s1[3], s2[3]))};
        const vi i1 = vi_sel(turn, i[2], i[1]);
        i[2] = vi_sel(turn, i[1], i[2]);
        i[1] = i1;
        vi_storeu(s->i[1] + k, i[1]);
        vi_storeu(s->i[2] + k, i[2]);
        const vf w[3] = {vf_gather(slots->w, i[0]), vf_gather(slots->w, i[1]),
                         vf_gather(slots->w, i[2])};
        const vf z[3] = {vf_gather(slots->z, i[0]), vf_gather(slots->z, i[1]),
                         vf_gather(slots->z, i[2])};
        struct slope g;
        struct words out;
        out.perspective = vm_not(vm_and(vf_eq(w[0], w[1]), vf_eq(w[1], w[2])));
        out.front = front_cw ? turn : vm_not(turn);
        out.origin_x = vi_sar(x[0], RN_SUBPIXEL_BITS);
        out.origin_y = vi_sar(y[0], RN_SUBPIXEL_BITS);
        vi bounds[4];
        bounds_of(x, y, bounds);
        setup_box(c, bounds, out.box);
        setup_slope(s, k, x, y, &g);
        out.unclamped = setup_depth(s, k, vp, &g, z, w);
        setup_weights(s, k, &g, iw, out.perspective);
        BITS_UNROLL
        for (int j = 0; j < 3; j++) {
            const int n = j == 2 ? 0 : j + 1;
            out.edge[j] = edge_between(x[j], y[j], x[n], y[n]);
        }
        if (edges_are_small(out.edge, x, y)) {
            BITS_UNROLL
            for (int j = 0; j < 3; j++) {
                edge_constant_small(&out.edge[j], x[j], y[j]);
            }
        } else {
            BITS_UNROLL
            for (int j = 0; j < 3; j++) {
                edge_constant(&out.edge[j], x[j], y[j]);
            }
        }
        const vi px = vi_and(out.box[0], vi_set1(~1)), py = vi_and(out.box[1], vi_set1(~1));
        const vm small = vm_and(centres, is_mask_size(out.edge, out.box, px, py));
        vm empty = vm_not(vm_and(vi_lt(out.box[0], out.box[2]), vi_lt(out.box[1], out.box[3])));
        out.mask[0] = out.mask[1] = vi_zero();
        out.edges = !vm_all(small);
        if (vm_any(small)) {
            const vm large = vm_or(vi_gt(vi_sub(out.box[2], px), vi_set1(4)), vi_gt(vi_sub(out.box[3], py), vi_set1(4)));
            if (vm_any(vm_andnot(is_near(bounds, px, py), small))) {
                mask_words(out.edge, px, py, out.mask);
                mask_box(out.box, px, py, 2, out.mask);
            } else if (vm_any(vm_and(small, large))) {
                mask_words_near(out.edge, px, py, 8, out.mask);
                mask_box(out.box, px, py, 2, out.mask);
            } else {
                mask_words_near(out.edge, px, py, 4, out.mask);
                mask_box(out.box, px, py, 1, out.mask);
            }
            out.mask[0] = vi_and(vi_from_vm(small), out.mask[0]);
            out.mask[1] = vi_and(vi_from_vm(small), out.mask[1]);
            empty = vm_or(empty, vm_and(small, vi_eq(vi_or(out.mask[0], out.mask[1]), vi_zero())));
        }
        s->empty |= vm_bits(empty) << k;
        store_prims(prim + k, &out);
    }
    simd_leave();
}

/* Planes of a record from 'offset' on that fill a line of the cache. */
SIMD_FN void store_line(struct rn_prim *const *prim, size_t offset, vi line[4][4]) {
#if SIMD_LINES
    BITS_UNROLL
    for (int c = 0; c < 4; c++) {
        vi_transpose4(line[c]);
    }
    BITS_UNROLL
    for (int r = 0; r < 4; r++) {
        uint8_t *p[SIMD_N / 4];
        BITS_UNROLL
        for (int g = 0; g < SIMD_N / 4; g++) {
            p[g] = (uint8_t *)prim[4 * g + r] + offset;
        }
        simd_store_lines(p, line[0][r], line[1][r], line[2][r], line[3][r]);
    }
#else
    BITS_UNROLL
    for (int c = 0; c < 4; c++) {
        store_fours(prim, offset + (size_t)c * sizeof(struct rn_plane), line[c]);
    }
#endif
}

static void planes(const struct rn_setup *s, const float *varyings, uint32_t components,
                   uint32_t count, struct rn_prim *const *prim) {
    for (uint32_t k = 0; k < count; k += SIMD_N) {
        struct pair weight[3];
        struct slope g;
        vi i[3];
        BITS_UNROLL
        for (int j = 0; j < 3; j++) {
            i[j] = vi_loadu(s->i[j] + k);
            weight[j] = pair_vf(vf_loadu(s->weight[j] + k));
        }
        BITS_UNROLL
        for (int j = 0; j < 4; j++) {
            g.k[j] = load(s->k[j] + k);
        }
        g.off_x = load(s->off_x + k);
        g.off_y = load(s->off_y + k);
        for (uint32_t first = 0; first <= components; first += 4) { /* plane 0 is iw, then the components */
            vi line[4][4];
            BITS_UNROLL
            for (uint32_t c = 0; c < 4; c++) {
                line[c][0] = line[c][1] = line[c][2] = line[c][3] = vi_zero();
                if (first + c == 0) {
                    line[c][0] = vi_loadu((const int32_t *)s->iw[0] + k);
                    line[c][1] = vi_loadu((const int32_t *)s->iw[1] + k);
                    line[c][2] = vi_loadu((const int32_t *)s->iw[2] + k);
                } else if (first + c <= components) {
                    const float *value = varyings + (size_t)(first + c - 1) * RN_SLOT_ARRAY;
                    struct pair p[3], a0, ax, ay;
                    BITS_UNROLL
                    for (int j = 0; j < 3; j++) {
                        p[j] = mul(pair_vf(vf_gather(value, i[j])), weight[j]);
                    }
                    setup_plane(&g, p, &a0, &ax, &ay);
                    line[c][0] = vf_as_vi(narrow(a0));
                    line[c][1] = vf_as_vi(narrow(ax));
                    line[c][2] = vf_as_vi(narrow(ay));
                }
            }
            store_line(prim + k, offsetof(struct rn_prim, iw) + first * sizeof(struct rn_plane), line);
        }
    }
    simd_leave();
}

const struct rn_front_kernels SIMD_NAME(rn_front) = {project, cull, setup, planes};
