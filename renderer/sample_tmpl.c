/* SPDX-License-Identifier: MIT */
/*
 * Sampling kernels, compiled once for each ISA: coordinates of all lanes to texel indices and weights,
 * and the fetch of four-byte texels. texture.h states the arithmetic.
 */
#include "renderer/texture.h"
#include "vm/base/simd.h"

/* NaN and below 0 give 0, above 1 gives 1. */
static inline vf clamp01(vf v) { return vf_min(vf_max(v, vf_zero()), vf_set1(1.0f)); }

static inline vf wrap_repeat(vf v) { return clamp01(vf_sub(v, vf_floor(v))); }
static inline vf wrap_clamp(vf v) { return clamp01(v); }
static inline vf wrap_mirror(vf v) {
    vf nearest = vf_rint(vf_mul(v, vf_set1(0.5f)));
    return clamp01(vf_abs(vf_sub(v, vf_mul(nearest, vf_set1(2.0f)))));
}

static inline vi clamp_index(vi i, vi last) { return vi_min(vi_max(i, vi_zero()), last); }

#define AXIS_NEAREST(name, wrap, bring)                                                            \
    static void name(const float *coord, int32_t size, struct rn_axis *out) {                      \
        vf scale = vf_set1((float)size * 256.0f);                                                  \
        vi last = vi_set1(size - 1), whole = vi_set1(size);                                        \
        for (int i = 0; i < VM_LANES; i += SIMD_N) {                                               \
            vi u = vi_from_vf_rint_fast(vf_mul(wrap(vf_load(coord + i)), scale));                  \
            vi index = vi_sar(u, 8);                                                               \
            vi_store(out->i0 + i, bring(index, last, whole));                                      \
        }                                                                                          \
        simd_leave();                                                                              \
    }
#define AXIS_LINEAR(name, wrap, bring)                                                             \
    static void name(const float *coord, int32_t size, struct rn_axis *out) {                      \
        vf scale = vf_set1((float)size * 256.0f);                                                  \
        vi last = vi_set1(size - 1), whole = vi_set1(size);                                        \
        for (int i = 0; i < VM_LANES; i += SIMD_N) {                                               \
            vi u = vi_from_vf_rint_fast(vf_mul(wrap(vf_load(coord + i)), scale));                  \
            u = vi_sub(u, vi_set1(128));                                                           \
            vi index = vi_sar(u, 8);                                                               \
            vi_store(out->f + i, vi_and(u, vi_set1(255)));                                         \
            vi_store(out->i0 + i, bring(index, last, whole));                                      \
            vi_store(out->i1 + i, bring(vi_add(index, vi_set1(1)), last, whole));                  \
        }                                                                                          \
        simd_leave();                                                                              \
    }

static inline vi bring_clamp(vi i, vi last, vi whole) {
    (void)whole;
    return clamp_index(i, last);
}
/* -1 becomes the last texel, 'whole' the first. */
static inline vi bring_turn(vi i, vi last, vi whole) {
    i = vi_sel(vi_lt(i, vi_zero()), last, i);
    return vi_sel(vi_lt(i, whole), i, vi_zero());
}

AXIS_NEAREST(nearest_repeat, wrap_repeat, bring_turn)
AXIS_NEAREST(nearest_clamp, wrap_clamp, bring_clamp)
AXIS_NEAREST(nearest_mirror, wrap_mirror, bring_clamp)
AXIS_LINEAR(linear_repeat, wrap_repeat, bring_turn)
AXIS_LINEAR(linear_clamp, wrap_clamp, bring_clamp)
AXIS_LINEAR(linear_mirror, wrap_mirror, bring_clamp)

/* Bits of the mask for lanes lane .. lane + SIMD_N - 1. */
static inline uint32_t mask_at(const struct vliw_mask *mask, int lane) {
    return (uint32_t)(mask->w[lane / 64] >> (lane % 64)) & (uint32_t)((1ull << SIMD_N) - 1u);
}

static inline void put(float *out, uint32_t bits, vf v) {
    if (bits == (uint32_t)((1ull << SIMD_N) - 1u)) {
        vf_store(out, v);
    } else {
        vm_storemask_f(out, vm_from_bits(bits), v);
    }
}

static void words_nearest(const struct rn_level *level, const struct rn_axis *s, const struct rn_axis *t,
                          uint32_t or_mask, const struct vliw_mask *mask, float *const out[4]) {
    const int32_t *base = (const int32_t *)(const void *)level->data;
    vi pitch = vi_set1((int32_t)(level->row_bytes / 4)), force = vi_set1((int32_t)or_mask);
    vf scale = vf_set1(1.0f / 255.0f);
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        uint32_t bits = mask_at(mask, i);
        if (!bits) {
            continue;
        }
        vi index = vi_add(vi_mul(vi_load(t->i0 + i), pitch), vi_load(s->i0 + i));
        vi texel = vi_or(vi_gather(base, index), force);
        put(out[0] + i, bits, vf_mul(vf_from_vi(vi_unpack_u8(texel, 0)), scale));
        put(out[1] + i, bits, vf_mul(vf_from_vi(vi_unpack_u8(texel, 1)), scale));
        put(out[2] + i, bits, vf_mul(vf_from_vi(vi_unpack_u8(texel, 2)), scale));
        put(out[3] + i, bits, vf_mul(vf_from_vi(vi_unpack_u8(texel, 3)), scale));
    }
    simd_leave();
}

/*
 * Two channels ride in one word: (texel & 00FF00FF) times a weight of at most 256 stays within 16 bits, so
 * the mix along s is exact in 16-bit halves; along t the sums stay below 2^24 and are exact in float.
 */
static inline vi mix_halves(vi a, vi b, vi w0, vi w1) { return vi_add(vi_mul16(a, w0), vi_mul16(b, w1)); }

static inline vf mix_rows(vi top, vi bottom, vf w0, vf w1, vf scale) {
    return vf_mul(vf_add(vf_mul(vf_from_vi(top), w0), vf_mul(vf_from_vi(bottom), w1)), scale);
}

static void words_linear(const struct rn_level *level, const struct rn_axis *s, const struct rn_axis *t,
                         uint32_t or_mask, const struct vliw_mask *mask, float *const out[4]) {
    const int32_t *base = (const int32_t *)(const void *)level->data;
    vi pitch = vi_set1((int32_t)(level->row_bytes / 4)), force = vi_set1((int32_t)or_mask);
    vi even = vi_set1(0x00FF00FF), low = vi_set1(0xFFFF), full = vi_set1(256);
    vf scale = vf_set1(1.0f / (255.0f * 65536.0f));
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        uint32_t bits = mask_at(mask, i);
        if (!bits) {
            continue;
        }
        vi x0 = vi_load(s->i0 + i), x1 = vi_load(s->i1 + i), fx = vi_load(s->f + i), fy = vi_load(t->f + i);
        vi row0 = vi_mul(vi_load(t->i0 + i), pitch), row1 = vi_mul(vi_load(t->i1 + i), pitch);
        vi t00 = vi_or(vi_gather(base, vi_add(row0, x0)), force), t10 = vi_or(vi_gather(base, vi_add(row0, x1)), force);
        vi t01 = vi_or(vi_gather(base, vi_add(row1, x0)), force), t11 = vi_or(vi_gather(base, vi_add(row1, x1)), force);
        vi gx = vi_sub(full, fx);
        vi w1 = vi_or(fx, vi_shl(fx, 16)), w0 = vi_or(gx, vi_shl(gx, 16));
        vf h1 = vf_from_vi(fy), h0 = vf_from_vi(vi_sub(full, fy));
        vi rb0 = mix_halves(vi_and(t00, even), vi_and(t10, even), w0, w1);
        vi rb1 = mix_halves(vi_and(t01, even), vi_and(t11, even), w0, w1);
        vi ga0 = mix_halves(vi_and(vi_shr(t00, 8), even), vi_and(vi_shr(t10, 8), even), w0, w1);
        vi ga1 = mix_halves(vi_and(vi_shr(t01, 8), even), vi_and(vi_shr(t11, 8), even), w0, w1);
        put(out[0] + i, bits, mix_rows(vi_and(rb0, low), vi_and(rb1, low), h0, h1, scale));
        put(out[1] + i, bits, mix_rows(vi_and(ga0, low), vi_and(ga1, low), h0, h1, scale));
        put(out[2] + i, bits, mix_rows(vi_shr(rb0, 16), vi_shr(rb1, 16), h0, h1, scale));
        put(out[3] + i, bits, mix_rows(vi_shr(ga0, 16), vi_shr(ga1, 16), h0, h1, scale));
    }
    simd_leave();
}

const struct rn_sample_kernels SIMD_NAME(rn_sample) = {
    {{nearest_repeat, nearest_clamp, nearest_mirror}, {linear_repeat, linear_clamp, linear_mirror}},
    {words_nearest, words_linear}};
