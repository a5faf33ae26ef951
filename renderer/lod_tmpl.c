/* SPDX-License-Identifier: MIT */
/*
 * Level of detail, level choice, cube faces and anisotropic footprints of a batch, compiled once for each
 * ISA. Coordinates or derivatives go in; lambda in 1/256, keys, faces and masks come out. texture.h states
 * the arithmetic. SPEC: ES 2.0.25 sections 3.7.5 to 3.7.8, EXT_texture_filter_anisotropic.
 */
#include <string.h>

#include "renderer/texture.h"
#include "vm/base/simd.h"

/* ---- lambda --------------------------------------------------------------------------------------------------- */

/* log2 of a positive normal float, error below 1e-6. The polynomial is a least squares fit of
 * log2(1 + x) / x on Chebyshev points of [0,1]. */
SIMD_FN vf log2_fast(vf v) {
    vi bits = vf_as_vi(v);
    vf x = vf_sub(vi_as_vf(vi_or(vi_and(bits, vi_set1(0x007FFFFF)), vi_set1(0x3F800000))), vf_set1(1.0f));
    vf p = vf_set1(0.014865403f);
    p = vf_madd(p, x, vf_set1(-0.077314414f));
    p = vf_madd(p, x, vf_set1(0.19133031f));
    p = vf_madd(p, x, vf_set1(-0.3239718f));
    p = vf_madd(p, x, vf_set1(0.4729156f));
    p = vf_madd(p, x, vf_set1(-0.72048783f));
    p = vf_madd(p, x, vf_set1(1.4426627f));
    return vf_add(vf_from_vi(vi_sub(vi_shr(bits, 23), vi_set1(127))), vf_mul(p, x));
}

/* log2(sqrt(rho2)); -100 for what is not above 1e-30, NaN included. */
SIMD_FN vf lambda_of(vf rho2) {
    vf lambda = vf_mul(vf_set1(0.5f), log2_fast(vf_min(rho2, vf_set1(1e30f))));
    return vf_sel(vf_gt(rho2, vf_set1(1e-30f)), lambda, vf_set1(-100.0f));
}

SIMD_FN vi to_fixed(vf lambda) {
    const float limit = 32.0f * 256.0f;
    vf v = vf_max(vf_mul(lambda, vf_set1(256.0f)), vf_set1(-limit));
    return vi_from_vf_rint_fast(vf_min(v, vf_set1(limit)));
}

/* ---- derivatives ---------------------------------------------------------------------------------------------- */

/* Differences from lane 0 of a quad to its lanes 1 and 2, in all four lanes. */
#if SIMD_N == 1
enum { QUAD_STEP = 4 };
SIMD_FN vf step_x(const float *v, int i) { return v[(i & ~3) + 1] - v[i & ~3]; }
SIMD_FN vf step_y(const float *v, int i) { return v[(i & ~3) + 2] - v[i & ~3]; }
#else
enum { QUAD_STEP = SIMD_N };
SIMD_FN vf step_x(const float *v, int i) { return vf_quad_first(vf_quad_ddx(vf_load(v + i))); }
SIMD_FN vf step_y(const float *v, int i) { return vf_quad_first(vf_quad_ddy(vf_load(v + i))); }
#endif

/* Sizes of the base level as floats. */
struct base {
    vf width, height, depth;
    bool volume;
};
SIMD_FN struct base base_of(const struct rn_view *view) {
    const struct rn_level *l = &view->level[0][0];
    struct base b = {vf_set1((float)l->width), vf_set1((float)l->height), vf_set1((float)l->depth),
                     view->desc.type == RN_TEXTURE_3D};
    return b;
}

SIMD_FN vf length2(const struct base *b, vf ds, vf dt, vf dr) {
    vf u = vf_mul(ds, b->width), v = vf_mul(dt, b->height);
    vf sum = vf_add(vf_mul(u, u), vf_mul(v, v));
    if (b->volume) {
        vf w = vf_mul(dr, b->depth);
        sum = vf_add(sum, vf_mul(w, w));
    }
    return sum;
}

SIMD_FN vf flat_gradient_rho2(const struct base *b, const struct vliw_tex_request *r, int i) {
    vf rx = vf_zero(), ry = vf_zero();
    if (b->volume) {
        rx = vf_load(r->ddx[2] + i);
        ry = vf_load(r->ddy[2] + i);
    }
    vf x2 = length2(b, vf_load(r->ddx[0] + i), vf_load(r->ddx[1] + i), rx);
    return vf_max(x2, length2(b, vf_load(r->ddy[0] + i), vf_load(r->ddy[1] + i), ry));
}

/* ---- cubes ---------------------------------------------------------------------------------------------------- */

/* The major axes of directions and their signs. Mostly a vector of lanes agrees: 'alike' is its axis, else -1. */
enum { ALL_LANES = (1 << SIMD_N) - 1 };
struct major {
    vm x, y;           /* neither: z */
    vm negative;
    int alike;
    bool below;        /* all negative, if alike */
};
SIMD_FN struct major major_of(vf x, vf y, vf z) {
    vf ax = vf_abs(x), ay = vf_abs(y), az = vf_abs(z);
    struct major m;
    m.x = vm_and(vf_ge(ax, ay), vf_ge(ax, az));
    m.y = vm_andnot(m.x, vf_ge(ay, az));
    int on_x = (int)vm_bits(m.x), on_y = (int)vm_bits(m.y);
    m.alike = on_x == ALL_LANES ? 0 : on_y == ALL_LANES ? 1 : !(on_x | on_y) ? 2 : -1;
    vf along = m.alike == 0 ? x : m.alike == 1 ? y : m.alike == 2 ? z : vf_sel(m.x, x, vf_sel(m.y, y, z));
    m.negative = vf_lt(along, vf_zero());
    int minus = (int)vm_bits(m.negative);
    m.below = minus == ALL_LANES;
    m.alike = m.below || !minus ? m.alike : -1;
    return m;
}

/* A vector seen from a face: the two components in the face, without the table's signs, and the one along it. */
struct in_face {
    vf s, t, along;
};
SIMD_FN struct in_face turn_to(const struct major *m, vf x, vf y, vf z) {
    struct in_face f;
    if (m->alike >= 0) {
        f.s = m->alike == 0 ? z : x;
        f.t = m->alike == 1 ? z : y;
        f.along = m->alike == 0 ? x : m->alike == 1 ? y : z;
        f.along = m->below ? vf_neg(f.along) : f.along;
        return f;
    }
    vf along = vf_sel(m->x, x, vf_sel(m->y, y, z));
    f.s = vf_sel(m->x, z, x);
    f.t = vf_sel(m->y, z, y);
    f.along = vf_sel(m->negative, vf_neg(along), along);
    return f;
}

SIMD_FN vf square_sum(vf u, vf v) { return vf_add(vf_mul(u, u), vf_mul(v, v)); }

/* Square of the step in texels that gradient 'g' means at a place s, t (s = sc / ma) on a face; 'shrink' is
 * texels / ma. */
SIMD_FN vf cube_step2(const struct major *m, vf s, vf t, vf shrink, const vf g[3]) {
    struct in_face f = turn_to(m, g[0], g[1], g[2]);
    vf u = vf_mul(vf_sub(f.s, vf_mul(s, f.along)), shrink), v = vf_mul(vf_sub(f.t, vf_mul(t, f.along)), shrink);
    return square_sum(u, v);
}

/*
 * rho^2 of each lane at its own direction on its own face, so that helper lanes beyond an edge of the face
 * cannot spoil it; the gradients are the given ones or the quad's differences.
 */
SIMD_FN vf cube_rho2(const struct base *b, const struct vliw_tex_request *r, int i) {
    vf x = vf_load(r->coord[0] + i), y = vf_load(r->coord[1] + i), z = vf_load(r->coord[2] + i);
    struct major m = major_of(x, y, z);
    struct in_face d = turn_to(&m, x, y, z);
    vf inverse = vf_div(vf_set1(1.0f), d.along), s = vf_mul(d.s, inverse), t = vf_mul(d.t, inverse);
    vf shrink = vf_mul(inverse, vf_mul(vf_set1(0.5f), b->width)), gx[3], gy[3];
    for (int c = 0; c < 3; c++) {
        bool given = r->kind == VLIW_TEX_GRAD;
        gx[c] = given ? vf_load(r->ddx[c] + i) : step_x(r->coord[c], i);
        gy[c] = given ? vf_load(r->ddy[c] + i) : step_y(r->coord[c], i);
    }
    return vf_max(cube_step2(&m, s, t, shrink, gx), cube_step2(&m, s, t, shrink, gy));
}

/* Table 3.21. */
static void cube(const struct vliw_tex_request *r, float *s, float *t, int32_t *face) {
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        vf x = vf_load(r->coord[0] + i), y = vf_load(r->coord[1] + i), z = vf_load(r->coord[2] + i);
        struct major m = major_of(x, y, z);
        struct in_face f = turn_to(&m, x, y, z);
        /* sc: z on -X, -z on +X, x on Y, x on +Z, -x on -Z; tc: -y, but on Y z or -z */
        vf sc, tc;
        if (m.alike >= 0) {
            sc = m.alike != 1 && (m.alike == 0) != m.below ? vf_neg(f.s) : f.s;
            tc = m.alike != 1 || m.below ? vf_neg(f.t) : f.t;
        } else {
            sc = vf_sel(vm_andnot(m.y, vm_xor(m.x, m.negative)), vf_neg(f.s), f.s);
            tc = vf_sel(vm_or(vm_not(m.y), m.negative), vf_neg(f.t), f.t);
        }
        vm bad = vm_or(vm_not(vf_gt(f.along, vf_zero())), vf_unord(sc, tc));
        vf half = vf_set1(0.5f), one = vf_set1(1.0f);
        vf fs = vf_mul(vf_add(vf_div(sc, f.along), one), half), ft = vf_mul(vf_add(vf_div(tc, f.along), one), half);
        vi number = vi_set1(2 * m.alike + m.below);
        if (m.alike < 0) {
            number = vi_sel(m.x, vi_zero(), vi_sel(m.y, vi_set1(2), vi_set1(4)));
            number = vi_sub(number, vi_from_vm(m.negative));
        }
        if (vm_any(bad)) {
            fs = vf_sel(bad, half, fs);
            ft = vf_sel(bad, half, ft);
            number = vi_sel(bad, vi_zero(), number);
        }
        vf_store(s + i, fs);
        vf_store(t + i, ft);
        vi_store(face + i, number);
    }
    simd_leave();
}

/* ---- level of detail of a batch ------------------------------------------------------------------------------- */

#if SIMD_N > 1
/* Lanes 0, 1 and 2 of SIMD_N quads from lane i on; quad 4 * g + r of these is lane g + SIMD_N / 4 * r of the vectors. */
SIMD_FN void quad_corners(const float *coord, int i, vf lane[3]) {
    vi v[4];
    BITS_UNROLL
    for (int r = 0; r < 4; r++) {
        v[r] = vf_as_vi(vf_load(coord + i + r * SIMD_N));
    }
    vi_transpose4(v);
    for (int k = 0; k < 3; k++) {
        lane[k] = vi_as_vf(v[k]);
    }
}
SIMD_FN vf quad_rho2(const struct base *b, const float *const coord[3], int i) {
    vf s[3], t[3], r[3] = {vf_zero(), vf_zero(), vf_zero()};
    quad_corners(coord[0], i, s);
    quad_corners(coord[1], i, t);
    if (b->volume) {
        quad_corners(coord[2], i, r);
    }
    vf x2 = length2(b, vf_sub(s[1], s[0]), vf_sub(t[1], t[0]), vf_sub(r[1], r[0]));
    return vf_max(x2, length2(b, vf_sub(s[2], s[0]), vf_sub(t[2], t[0]), vf_sub(r[2], r[0])));
}
#else
SIMD_FN vf quad_rho2(const struct base *b, const float *const coord[3], int i) {
    const float *s = coord[0] + i, *t = coord[1] + i, *r = b->volume ? coord[2] + i : s;
    return vf_max(length2(b, s[1] - s[0], t[1] - t[0], r[1] - r[0]), length2(b, s[2] - s[0], t[2] - t[0], r[2] - r[0]));
}
SIMD_FN vi vi_deal4(vi v) { return v; }
#endif

/* lambda of each quad; not for cubes. */
SIMD_FN void quad_lambdas(const struct rn_view *view, const struct vliw_tex_request *r, float *lambda) {
    struct base b = base_of(view);
    for (int q = 0; q < VM_QUADS; q += SIMD_N) {
        vi bits = vf_as_vi(lambda_of(quad_rho2(&b, r->coord, 4 * q)));
        vf_store(lambda + q, vi_as_vf(vi_deal4(bits)));
    }
}

static void quads(const struct rn_view *view, const struct vliw_tex_request *r, int32_t *fx) {
    _Alignas(64) float lambda[VM_QUADS];
    quad_lambdas(view, r, lambda);
    for (int q = 0; q < VM_QUADS; q += SIMD_N) {
        vi_store(fx + q, to_fixed(vf_load(lambda + q)));
    }
    simd_leave();
}

/* A given level: LINEAR magnification reaches up to 0.5 where the minification filter is NEAREST in its level. */
SIMD_FN vf given_lambda(const struct rn_view *view, vf lambda) {
    const struct rn_view_desc *d = &view->desc;
    bool reaches = d->mag_filter == RN_FILTER_LINEAR && d->min_filter == RN_FILTER_NEAREST && d->mip != RN_MIP_NONE;
    return reaches ? vf_sel(vf_le(lambda, vf_set1(0.5f)), vf_zero(), lambda) : lambda;
}

static void lanes(const struct rn_view *view, const struct vliw_tex_request *r, int32_t *fx) {
    _Alignas(64) float spread[VM_LANES], of_quad[VM_QUADS];
    struct base b = base_of(view);
    bool is_cube = view->desc.type == RN_TEXTURE_CUBE;
    if (r->kind == VLIW_TEX_BIAS && !is_cube) {
        quad_lambdas(view, r, of_quad);
        for (int i = 0; i < VM_LANES; i++) {
            spread[i] = of_quad[i / 4];
        }
    }
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        vf lambda;
        if (r->kind == VLIW_TEX_LOD) {
            lambda = given_lambda(view, vf_load(r->lod + i));
        } else if (is_cube) {
            lambda = lambda_of(cube_rho2(&b, r, i));
        } else if (r->kind == VLIW_TEX_GRAD) {
            lambda = lambda_of(flat_gradient_rho2(&b, r, i));
        } else {
            lambda = vf_load(spread + i);
        }
        if (r->kind == VLIW_TEX_BIAS) {
            lambda = vf_add(lambda, vf_load(r->lod + i));
        }
        vi_store(fx + i, to_fixed(lambda));
    }
    simd_leave();
}

/* ---- anisotropy ----------------------------------------------------------------------------------------------- */

static int aniso(const struct rn_view *view, const struct vliw_tex_request *r, int32_t *fx, struct rn_aniso *out) {
    struct base b = base_of(view);
    bool given = r->kind == VLIW_TEX_GRAD;
    vf limit = vf_floor(vf_set1(view->desc.max_anisotropy)), one = vf_set1(1.0f);
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        vf sx = given ? vf_load(r->ddx[0] + i) : step_x(r->coord[0], i);
        vf tx = given ? vf_load(r->ddx[1] + i) : step_x(r->coord[1], i);
        vf sy = given ? vf_load(r->ddy[0] + i) : step_y(r->coord[0], i);
        vf ty = given ? vf_load(r->ddy[1] + i) : step_y(r->coord[1], i);
        vf x2 = length2(&b, sx, tx, vf_zero()), y2 = length2(&b, sy, ty, vf_zero());
        vm x_longer = vf_gt(x2, y2);
        vf major2 = vf_sel(x_longer, x2, y2), minor2 = vf_sel(x_longer, y2, x2);
        /* operand orders matter: a NaN ratio gives way to the length, a NaN length to 1 */
        vf n = vf_min(vf_sqrt(vf_div(major2, minor2)), vf_sqrt(major2));
        n = vf_max(vf_min(limit, vf_ceil(n)), one);
        vf lambda = lambda_of(vf_div(major2, vf_mul(n, n)));
        lambda = r->kind == VLIW_TEX_BIAS ? vf_add(lambda, vf_load(r->lod + i)) : lambda;
        vi_store(fx + i, to_fixed(lambda));
        vi_store(out->count + i, vi_from_vf_fast(n));
        vm several = vf_gt(n, one); /* one sample stays where it is, however long the step */
        vf_store(out->ds + i, vf_sel(several, vf_sel(x_longer, sx, sy), vf_zero()));
        vf_store(out->dt + i, vf_sel(several, vf_sel(x_longer, tx, ty), vf_zero()));
    }
    simd_leave();
    int most = 1;
    for (int i = 0; i < VM_LANES; i++) {
        bool on = (r->mask.w[i / 64] >> (i % 64)) & 1u;
        most = on && out->count[i] > most ? out->count[i] : most;
    }
    return most;
}

static struct vliw_mask aniso_place(const struct vliw_tex_request *r, const struct rn_aniso *a, int k, float *s,
                                    float *t) {
    struct vliw_mask mask;
    memset(&mask, 0, sizeof mask);
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        vi count = vi_load(a->count + i);
        vf where = vf_sub(vf_div(vf_set1((float)k + 0.5f), vf_from_vi(count)), vf_set1(0.5f));
        vf_store(s + i, vf_add(vf_load(r->coord[0] + i), vf_mul(vf_load(a->ds + i), where)));
        vf_store(t + i, vf_add(vf_load(r->coord[1] + i), vf_mul(vf_load(a->dt + i), where)));
        mask.w[i / 64] |= (uint64_t)vm_bits(vi_gt(count, vi_set1(k))) << (i % 64);
    }
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        mask.w[i] &= r->mask.w[i];
    }
    simd_leave();
    return mask;
}

SIMD_FN uint32_t mask_at(const struct vliw_mask *mask, int lane) {
    return (uint32_t)(mask->w[lane / 64] >> (lane % 64)) & (uint32_t)((1ull << SIMD_N) - 1u);
}

static void aniso_add(const struct vliw_mask *mask, int k, float (*part)[VM_LANES], float (*sum)[VM_LANES]) {
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        vm m = vm_from_bits(mask_at(mask, i));
        for (int c = 0; c < 4; c++) {
            vf old = vf_load(&sum[c][i]), more = vf_load(&part[c][i]);
            vf_store(&sum[c][i], vf_sel(m, k == 0 ? more : vf_add(old, more), old));
        }
    }
    simd_leave();
}

static void aniso_mean(const struct vliw_mask *mask, const struct rn_aniso *a, float (*sum)[VM_LANES],
                       float *const *out) {
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        vm m = vm_from_bits(mask_at(mask, i));
        vf count = vf_from_vi(vi_load(a->count + i));
        for (int c = 0; c < 4; c++) {
            vm_storemask_f(out[c] + i, m, vf_div(vf_load(&sum[c][i]), count));
        }
    }
    simd_leave();
}

/* ---- choice of levels ----------------------------------------------------------------------------------------- */

struct choice {
    vi key, weight;
};

SIMD_FN struct choice choice_of(const struct rn_view_desc *d, vi lambda) {
    vi last = vi_set1(d->levels - 1), level = vi_zero();
    struct choice c = {vi_zero(), vi_zero()};
    if (d->mip == RN_MIP_NEAREST) { /* ceil(lambda + 1/2) - 1 */
        level = vi_sub(vi_sar(vi_add(lambda, vi_set1(383)), 8), vi_set1(1));
        level = vi_min(vi_max(level, vi_zero()), last);
    } else if (d->mip == RN_MIP_LINEAR) {
        level = vi_min(vi_max(vi_sar(lambda, 8), vi_zero()), last);
        c.weight = vi_and(vi_and(lambda, vi_set1(255)), vi_from_vm(vi_lt(level, last)));
    }
    vi small = vi_or(level, vi_set1(d->min_filter << 8));
    if (d->mip == RN_MIP_LINEAR) {
        small = vi_or(small, vi_and(vi_from_vm(vi_lt(level, last)), vi_set1(RN_KEY_PAIR)));
    }
    c.key = vi_sel(vi_gt(lambda, vi_zero()), small, vi_set1(d->mag_filter << 8));
    return c;
}

static void choose(const struct rn_view *view, const int32_t *fx, int32_t *key, int32_t *weight) {
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        struct choice c = choice_of(&view->desc, vi_load(fx + i));
        vi_store(key + i, c.key);
        vi_store(weight + i, c.weight);
    }
    simd_leave();
}

static int32_t common(const struct rn_view *view, const int32_t *fx, int count) {
    _Alignas(64) int32_t key[SIMD_N];
    vi first = choice_of(&view->desc, vi_set1(fx[0])).key, other = vi_zero();
    for (int i = 0; i < count; i += SIMD_N) {
        other = vi_or(other, vi_xor(first, choice_of(&view->desc, vi_load(fx + i)).key));
    }
    vi_store(key, first);
    bool all = vm_all(vi_eq(other, vi_zero()));
    simd_leave();
    return all ? key[0] : -1;
}

static struct vliw_mask match(const int32_t *values, int32_t value, const struct vliw_mask *among) {
    struct vliw_mask mask;
    memset(&mask, 0, sizeof mask);
    vi wanted = vi_set1(value);
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        mask.w[i / 64] |= (uint64_t)vm_bits(vi_eq(vi_load(values + i), wanted)) << (i % 64);
    }
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        mask.w[i] &= among->w[i];
    }
    simd_leave();
    return mask;
}

const struct rn_lod_kernels SIMD_NAME(rn_lod) = {quads, lanes,  aniso, aniso_place, aniso_add,
                                                 aniso_mean, cube, choose, common, match};
