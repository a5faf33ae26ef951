/* SPDX-License-Identifier: MIT */
/*
 * Fetch kernels of two-dimensional float, half float, decoded sRGB and depth textures, compiled once for each
 * ISA. Channels are mixed in float one after the other; texture.h states the arithmetic.
 */
#include "renderer/format.h"
#include "renderer/sample_tmpl.h"

/* Byte offsets of the texels of a vector of lanes and the weights of the second ones. NEAREST uses offset[0] only. */
struct corners {
    vi offset[4];         /* bit 0: second along s, bit 1: second along t */
    vi fx, fy;
};

SIMD_FN vi byte_row(vi row, vi pitch) { return vi_shl(vi_mul_small(row, pitch), 6); }

SIMD_FN struct corners corners_of(const struct plane *plane, int i, vi bytes, const bool linear) {
    struct corners k;
    if (!linear) {
        vi x = vi_mul_small(nearest_index(&plane->axis[0], wrapped_at(&plane->axis[0], i)), bytes);
        vi y = nearest_index(&plane->axis[1], wrapped_at(&plane->axis[1], i));
        k.offset[0] = vi_add(byte_row(y, plane->pitch), x);
        k.fx = k.fy = vi_zero();
        return k;
    }
    struct pair x = linear_pair(&plane->axis[0], wrapped_at(&plane->axis[0], i));
    struct pair y = linear_pair(&plane->axis[1], wrapped_at(&plane->axis[1], i));
    vi x0 = vi_mul_small(x.i0, bytes), x1 = vi_mul_small(x.i1, bytes);
    vi row0 = byte_row(y.i0, plane->pitch), row1 = byte_row(y.i1, plane->pitch);
    k.offset[0] = vi_add(row0, x0);
    k.offset[1] = vi_add(row0, x1);
    k.offset[2] = vi_add(row1, x0);
    k.offset[3] = vi_add(row1, x1);
    k.fx = x.f;
    k.fy = y.f;
    return k;
}

/* a * (1 - f) + b * f */
SIMD_FN vf lerp(vf a, vf b, vf f) { return vf_add(vf_mul(a, vf_sub(vf_set1(1.0f), f)), vf_mul(b, f)); }

SIMD_FN vf weight_of(vi f) { return vf_mul(vf_from_vi(f), vf_set1(1.0f / 256.0f)); }

/* ---- channels of a texel -------------------------------------------------------------------------------------- */

/* binary16 bits to float, exact: the exponent is off by 112 after the shift, which a product with 2^112 sets right
 * for denormals and zeros too. Exponent 31 (rare) is infinity, or a NaN whatever its payload. */
SIMD_FN vf from_half(vi h) {
    vi magnitude = vi_and(h, vi_set1(0x7FFF)), sign = vi_shl(vi_and(h, vi_set1(0x8000)), 16);
    vi bits = vf_as_vi(vf_mul(vi_as_vf(vi_shl(magnitude, 13)), vi_as_vf(vi_set1(0x77800000))));
    bits = vi_or(bits, sign);
    vm special = vi_gt(magnitude, vi_set1(0x7BFF));
    if (vm_any(special)) {
        bits = vi_sel(special, vi_or(sign, vi_set1(0x7F800000)), bits);
        bits = vi_sel(vi_gt(magnitude, vi_set1(0x7C00)), vi_set1(0x7FC00000), bits);
    }
    return vi_as_vf(bits);
}

enum source { SOURCE_HALF, SOURCE_FLOAT, SOURCE_SRGB };

/* Stored channel 'c' of the texel at 'offset'. */
SIMD_FN vf load_channel(const enum source source, const void *base, vi offset, int c) {
    if (source == SOURCE_HALF) {
        return from_half(gather_small(base, vi_add(offset, vi_set1(2 * c)), 2));
    }
    if (source == SOURCE_FLOAT) {
        return vi_as_vf(vi_gather_bytes(base, vi_add(offset, vi_set1(4 * c))));
    }
    vi byte = vi_and(vi_shr(vi_gather_bytes(base, offset), 8 * c), vi_set1(255));
    return c == 3 ? vf_mul(vf_from_vi(byte), vf_set1(1.0f / 255.0f)) : vf_gather(rn_srgb_decode, byte);
}

SIMD_FN vf channel_value(const enum source source, const void *base, const struct corners *k, int c,
                         const bool linear) {
    vf a = load_channel(source, base, k->offset[0], c);
    if (!linear) {
        return a;
    }
    vf fx = weight_of(k->fx), b = load_channel(source, base, k->offset[1], c);
    vf d = load_channel(source, base, k->offset[2], c), e = load_channel(source, base, k->offset[3], c);
    return lerp(lerp(a, b, fx), lerp(d, e, fx), weight_of(k->fy));
}

SIMD_FN void float_pass(const struct rn_fetch *pass, const enum source source, const bool linear) {
    struct plane plane = plane_of(pass, pass->level, 1);
    struct sink sink = sink_of(pass);
    struct vliw_mask mask = pass->mask;
    uint8_t place[4];
    memcpy(place, pass->view->place, sizeof place);
    vi bytes = vi_set1(pass->view->channels * pass->view->channel_bytes);
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        uint32_t bits = mask_at(&mask, i);
        if (!bits) {
            continue;
        }
        struct corners k = corners_of(&plane, i, bytes, linear);
        vf blend = blend_factor(&sink, i), v = vf_zero();
        for (int c = 0; c < 4; c++) {
            if (place[c] >= RN_PLACE_ZERO) {
                v = place[c] == RN_PLACE_ZERO ? vf_zero() : vf_set1(1.0f);
            } else if (c == 0 || place[c] != place[c - 1]) { /* luminance is read once */
                v = channel_value(source, plane.base, &k, place[c], linear);
            }
            put(&sink, c, i, bits, blend, v);
        }
    }
    simd_leave();
}

static void float_fetch(const struct rn_fetch *pass, const bool linear) {
    if (pass->view->channel_bytes == 2) {
        float_pass(pass, SOURCE_HALF, linear);
    } else {
        float_pass(pass, SOURCE_FLOAT, linear);
    }
}
static void float_nearest(const struct rn_fetch *pass) { float_fetch(pass, false); }
static void float_linear(const struct rn_fetch *pass) { float_fetch(pass, true); }
static void srgb_nearest(const struct rn_fetch *pass) { float_pass(pass, SOURCE_SRGB, false); }
static void srgb_linear(const struct rn_fetch *pass) { float_pass(pass, SOURCE_SRGB, true); }

/* ---- depth ---------------------------------------------------------------------------------------------------- */

SIMD_FN vi load_depth(const void *base, vi offset, bool wide) {
    return wide ? vi_gather_bytes(base, offset) : vi_and(gather_small(base, offset, 2), vi_set1(0xFFFF));
}

/* 0..max to 0..1: both are exact in float, so the one division rounds as one in double and then to float does. */
SIMD_FN vf depth_value(vi word, vf max) { return vf_div(vf_from_vi(word), max); }

SIMD_FN vf passes(uint8_t func, vf reference, vf depth) {
    vm m;
    switch (func) {
    case RN_NEVER: m = vm_false(); break;
    case RN_LESS: m = vf_lt(reference, depth); break;
    case RN_EQUAL: m = vf_eq(reference, depth); break;
    case RN_LEQUAL: m = vf_le(reference, depth); break;
    case RN_GREATER: m = vf_gt(reference, depth); break;
    case RN_NOTEQUAL: m = vf_ne(reference, depth); break;
    case RN_GEQUAL: m = vf_ge(reference, depth); break;
    default: m = vm_true(); break;
    }
    return vf_mask01(m);
}

/* Integer weights: exact in float while the values are 0 or 1. */
SIMD_FN vf share(const vf v[4], vi fx, vi fy) {
    vi full = vi_set1(256);
    vf x1 = vf_from_vi(fx), x0 = vf_from_vi(vi_sub(full, fx)), y1 = vf_from_vi(fy), y0 = vf_from_vi(vi_sub(full, fy));
    vf top = vf_add(vf_mul(v[0], x0), vf_mul(v[1], x1)), bottom = vf_add(vf_mul(v[2], x0), vf_mul(v[3], x1));
    return vf_mul(vf_add(vf_mul(top, y0), vf_mul(bottom, y1)), vf_set1(1.0f / 65536.0f));
}

/* The same for depths in double: sums of 40 bits are exact, the division rounds. */
SIMD_FN vd mean_depth(vd a, vd b, vd c, vd d, vd fx, vd fy, vd max) {
    vd full = vd_set1(256.0), gx = vd_sub(full, fx), gy = vd_sub(full, fy);
    vd top = vd_add(vd_mul(a, gx), vd_mul(b, fx)), bottom = vd_add(vd_mul(c, gx), vd_mul(d, fx));
    return vd_div(vd_mul(vd_add(vd_mul(top, gy), vd_mul(bottom, fy)), vd_set1(1.0 / 65536.0)), max);
}
SIMD_FN vf mix_depth(const vi w[4], vi fx, vi fy, vd max) {
    vd lo = mean_depth(vd_lo_from_vi(w[0]), vd_lo_from_vi(w[1]), vd_lo_from_vi(w[2]), vd_lo_from_vi(w[3]),
                       vd_lo_from_vi(fx), vd_lo_from_vi(fy), max);
    vd hi = mean_depth(vd_hi_from_vi(w[0]), vd_hi_from_vi(w[1]), vd_hi_from_vi(w[2]), vd_hi_from_vi(w[3]),
                       vd_hi_from_vi(fx), vd_hi_from_vi(fy), max);
    return vf_from_vd(lo, hi);
}

SIMD_FN void depth_pass(const struct rn_fetch *pass, const bool compared, const bool linear) {
    struct plane plane = plane_of(pass, pass->level, 1);
    struct sink sink = sink_of(pass);
    struct vliw_mask mask = pass->mask;
    const float *reference = pass->reference;
    bool wide = pass->view->channel_bytes == 4;
    uint8_t func = pass->view->desc.compare_func;
    vi bytes = vi_set1(wide ? 4 : 2);
    vf max = vf_set1(wide ? 16777215.0f : 65535.0f);
    vd wide_max = vd_set1(wide ? 16777215.0 : 65535.0);
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        uint32_t bits = mask_at(&mask, i);
        if (!bits) {
            continue;
        }
        struct corners k = corners_of(&plane, i, bytes, linear);
        vf ref = compared ? vf_min(vf_max(vf_load(reference + i), vf_zero()), vf_set1(1.0f)) : vf_zero();
        vi w[4];
        vf v[4], value;
        for (int t = 0; t < (linear ? 4 : 1); t++) {
            w[t] = load_depth(plane.base, k.offset[t], wide);
            v[t] = depth_value(w[t], max);
            v[t] = compared ? passes(func, ref, v[t]) : v[t];
        }
        value = !linear ? v[0] : compared ? share(v, k.fx, k.fy) : mix_depth(w, k.fx, k.fy, wide_max);
        vf blend = blend_factor(&sink, i);
        put(&sink, 0, i, bits, blend, value);
        put(&sink, 1, i, bits, blend, value);
        put(&sink, 2, i, bits, blend, value);
        put(&sink, 3, i, bits, blend, vf_set1(1.0f));
    }
    simd_leave();
}

static void depth_nearest(const struct rn_fetch *pass) { depth_pass(pass, false, false); }
static void depth_linear(const struct rn_fetch *pass) { depth_pass(pass, false, true); }
static void shadow_nearest(const struct rn_fetch *pass) { depth_pass(pass, true, false); }
static void shadow_linear(const struct rn_fetch *pass) { depth_pass(pass, true, true); }

const struct rn_sample_float_kernels SIMD_NAME(rn_sample_float) = {{{float_nearest, float_linear},
                                                                    {srgb_nearest, srgb_linear},
                                                                    {depth_nearest, depth_linear},
                                                                    {shadow_nearest, shadow_linear}}};
