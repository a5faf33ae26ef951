/* SPDX-License-Identifier: MIT */
/*
 * The front's kernels: projection of vertices with clip codes, rejection of triangles, plane
 * equations. Compiled once for each ISA; all give the same bits, because each lane does the same
 * IEEE operations.
 */
#include <string.h>

#include "renderer/internal.h"
#include "vm/base/simd.h"

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

/* Four words of each lane to where to[] says, NULL: nowhere. */
SIMD_FN void store_fours(void *const *to, vi v[4]) {
    vi_transpose4(v);
    BITS_UNROLL
    for (int r = 0; r < 4; r++) {
        BITS_UNROLL
        for (int g = 0; g < SIMD_N / 4; g++) {
            if (to[4 * g + r]) {
                vi_store_four(to[4 * g + r], v[r], g);
            }
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
SIMD_FN void store_fours(void *const *to, vi v[4]) {
    if (to[0]) {
        memcpy(to[0], v, 4 * sizeof v[0]);
    }
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

static void cull(const struct rn_cull *c, int32_t *const i[3], uint32_t count, uint8_t *verdict) {
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
            memset(verdict + k, RN_VERDICT_DROP, SIMD_N);
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
        const uint32_t dropped = vm_bits(drop), cut = vm_bits(clipped);
        for (uint32_t j = 0; j < SIMD_N; j++) { /* DROP 0, KEEP 1, CLIP 2 */
            verdict[k + j] = (uint8_t)((1u + (cut >> j & 1u)) & ((dropped >> j & 1u) - 1u));
        }
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

/* Edge from (x0, y0) to (x1, y1): a, b, and the constant with the fill rule, cut in c and its low
 * bits. */
SIMD_FN void setup_edge(struct rn_setup *s, uint32_t k, int edge, vi x0, vi y0, vi x1, vi y1) {
    const vi a = vi_sub(y0, y1), b = vi_sub(x1, x0), half = vi_set1(RN_SUBPIXEL / 2);
    const vm owned = vm_or(vi_gt(a, vi_zero()), vm_and(vi_eq(a, vi_zero()), vi_gt(b, vi_zero())));
    const struct pair rule = pair_vi(vi_sel(owned, vi_zero(), vi_set1(1)));
    const struct pair c = sub(
        add(mul(pair_vi(a), pair_vi(vi_sub(half, x0))), mul(pair_vi(b), pair_vi(vi_sub(half, y0)))),
        rule);
    const struct pair cut = mul(c, pair_set(1.0 / RN_SUBPIXEL));
    const struct pair whole = {vd_floor(cut.lo), vd_floor(cut.hi)};
    const struct pair low = sub(c, mul(whole, pair_set((double)RN_SUBPIXEL)));
    vi_storeu(s->a[edge] + k, a);
    vi_storeu(s->b[edge] + k, b);
    vi_storeu(s->low[edge] + k, vi_from_vd_rint(low.lo, low.hi));
    store(s->c[edge] + k, whole);
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
    vi_storeu(s->px + k, px);
    vi_storeu(s->py + k, py);
    for (int j = 0; j < 4; j++) {
        store(s->k[j] + k, g->k[j]);
    }
    store(s->off_x + k, g->off_x);
    store(s->off_y + k, g->off_y);
}

/* Window depth: plane and steepest gradient. */
SIMD_FN void setup_depth(struct rn_setup *s, uint32_t k, const struct rn_viewport *vp,
                         const struct slope *g, const vf z[3], const vf w[3]) {
    struct pair d[3], z0, zx, zy;
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
}

/* 1 / w, a plane of the window whether or not the varyings need it. */
SIMD_FN void setup_weights(struct rn_setup *s, uint32_t k, const struct slope *g, const vf iw[3],
                           vm perspective) {
    struct pair p[3], a0, ax, ay;
    for (int j = 0; j < 3; j++) {
        p[j] = pair_vf(iw[j]);
        vf_storeu(s->weight[j] + k, vf_sel(perspective, iw[j], vf_set1(1.0f)));
    }
    setup_plane(g, p, &a0, &ax, &ay);
    vf_storeu(s->iw_plane[0] + k, narrow(a0));
    vf_storeu(s->iw_plane[1] + k, narrow(ax));
    vf_storeu(s->iw_plane[2] + k, narrow(ay));
}

/* Pixels whose samples can be inside, cut by the draw's box. */
SIMD_FN void setup_box(struct rn_setup *s, uint32_t k, const struct rn_cull *c, const vi x[3],
                       const vi y[3]) {
    const vi lo = vi_set1(c->lo), hi = vi_set1(c->hi), one = vi_set1(1);
    const vi x0 = vi_max(vi_sar(vi_add(vi_min(vi_min(x[0], x[1]), x[2]), lo), RN_SUBPIXEL_BITS),
                         vi_set1(c->box.x0));
    const vi y0 = vi_max(vi_sar(vi_add(vi_min(vi_min(y[0], y[1]), y[2]), lo), RN_SUBPIXEL_BITS),
                         vi_set1(c->box.y0));
    const vi x1 =
        vi_min(vi_add(vi_sar(vi_sub(vi_max(vi_max(x[0], x[1]), x[2]), hi), RN_SUBPIXEL_BITS), one),
               vi_set1(c->box.x1));
    const vi y1 =
        vi_min(vi_add(vi_sar(vi_sub(vi_max(vi_max(y[0], y[1]), y[2]), hi), RN_SUBPIXEL_BITS), one),
               vi_set1(c->box.y1));
    vi_storeu(s->box[0] + k, x0);
    vi_storeu(s->box[1] + k, y0);
    vi_storeu(s->box[2] + k, x1);
    vi_storeu(s->box[3] + k, y1);
}

static void setup(const struct rn_slots *slots, const struct rn_viewport *vp,
                  const struct rn_cull *c, uint32_t count, struct rn_setup *s) {
    s->clockwise = s->perspective = 0;
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
        const vm perspective = vm_not(vm_and(vf_eq(w[0], w[1]), vf_eq(w[1], w[2])));
        s->clockwise |= vm_bits(turn) << k;
        s->perspective |= vm_bits(perspective) << k;
        struct slope g;
        setup_box(s, k, c, x, y);
        setup_slope(s, k, x, y, &g);
        setup_depth(s, k, vp, &g, z, w);
        setup_weights(s, k, &g, iw, perspective);
        setup_edge(s, k, 0, x[0], y[0], x[1], y[1]);
        setup_edge(s, k, 1, x[1], y[1], x[2], y[2]);
        setup_edge(s, k, 2, x[2], y[2], x[0], y[0]);
    }
    simd_leave();
}

static void planes(const struct rn_setup *s, const float *varyings, uint32_t components,
                   uint32_t count, struct rn_prim *const *prim) {
    for (uint32_t k = 0; k < count; k += SIMD_N) {
        struct pair weight[3];
        struct slope g;
        vi i[3];
        for (int j = 0; j < 3; j++) {
            i[j] = vi_loadu(s->i[j] + k);
            weight[j] = pair_vf(vf_loadu(s->weight[j] + k));
        }
        for (int j = 0; j < 4; j++) {
            g.k[j] = load(s->k[j] + k);
        }
        g.off_x = load(s->off_x + k);
        g.off_y = load(s->off_y + k);
        for (uint32_t c = 0; c < components; c++) {
            const float *value = varyings + (size_t)c * RN_SLOT_ARRAY;
            struct pair p[3], a0, ax, ay;
            for (int j = 0; j < 3; j++) {
                p[j] = mul(pair_vf(vf_gather(value, i[j])), weight[j]);
            }
            setup_plane(&g, p, &a0, &ax, &ay);
            vi plane[4] = {vf_as_vi(narrow(a0)), vf_as_vi(narrow(ax)), vf_as_vi(narrow(ay)),
                           vi_zero()};
            void *to[SIMD_N];
            BITS_UNROLL
            for (uint32_t j = 0; j < SIMD_N; j++) {
                to[j] = k + j < count && prim[k + j] ? &prim[k + j]->coef[c] : NULL;
            }
            store_fours(to, plane);
        }
    }
    simd_leave();
}

const struct rn_front_kernels SIMD_NAME(rn_front) = {project, cull, setup, planes};
