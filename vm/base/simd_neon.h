/* SPDX-License-Identifier: MIT */
/* Four lanes with AArch64 Advanced SIMD. Every operation gives the bits of simd_scalar.h. */
#ifndef VM_BASE_SIMD_NEON_H
#define VM_BASE_SIMD_NEON_H

#include <arm_neon.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "vm/base/bits.h"

#define SIMD_N 4
#define SIMD_FN static inline __attribute__((always_inline))

typedef float32x4_t vf;
typedef int32x4_t vi;
typedef uint32x4_t vm;    /* all-ones or zero a lane */
typedef float64x2_t vd;

SIMD_FN vf vf_load(const float *p) { return vld1q_f32(p); }
SIMD_FN vf vf_loadu(const float *p) { return vld1q_f32(p); }
SIMD_FN void vf_store(float *p, vf v) { vst1q_f32(p, v); }
SIMD_FN void vf_storeu(float *p, vf v) { vst1q_f32(p, v); }
SIMD_FN vi vi_load(const int32_t *p) { return vld1q_s32(p); }
SIMD_FN vi vi_loadu(const int32_t *p) { return vld1q_s32(p); }
SIMD_FN void vi_store(int32_t *p, vi v) { vst1q_s32(p, v); }
SIMD_FN void vi_storeu(int32_t *p, vi v) { vst1q_s32(p, v); }
SIMD_FN vf vf_set1(float x) { return vdupq_n_f32(x); }
SIMD_FN vi vi_set1(int32_t x) { return vdupq_n_s32(x); }
SIMD_FN vd vd_set1(double x) { return vdupq_n_f64(x); }
SIMD_FN vf vf_zero(void) { return vdupq_n_f32(0.0f); }
SIMD_FN vi vi_zero(void) { return vdupq_n_s32(0); }
SIMD_FN vf vf_iota(void) {
    static const float lanes[4] = {0.0f, 1.0f, 2.0f, 3.0f};
    return vld1q_f32(lanes);
}
SIMD_FN vi vi_iota(void) {
    static const int32_t lanes[4] = {0, 1, 2, 3};
    return vld1q_s32(lanes);
}
SIMD_FN vf vf_gather(const float *base, vi i) {
    float lanes[4] = {base[vgetq_lane_s32(i, 0)], base[vgetq_lane_s32(i, 1)],
                      base[vgetq_lane_s32(i, 2)], base[vgetq_lane_s32(i, 3)]};
    return vld1q_f32(lanes);
}
SIMD_FN vi vi_gather(const int32_t *base, vi i) {
    int32_t lanes[4] = {base[vgetq_lane_s32(i, 0)], base[vgetq_lane_s32(i, 1)],
                        base[vgetq_lane_s32(i, 2)], base[vgetq_lane_s32(i, 3)]};
    return vld1q_s32(lanes);
}
SIMD_FN vi vi_gather_bytes(const void *base, vi byte_offset) {
    int32_t offsets[4], lanes[4];
    vst1q_s32(offsets, byte_offset);
    for (int k = 0; k < 4; k++) {
        memcpy(&lanes[k], (const char *)base + offsets[k], sizeof lanes[k]);
    }
    return vld1q_s32(lanes);
}
/* Two words at p0 in the low half, two at p1 in the high one. */
SIMD_FN vi simd_two_pairs(const char *p0, const char *p1) {
    int32_t lanes[4];
    memcpy(lanes, p0, 8);
    memcpy(lanes + 2, p1, 8);
    return vld1q_s32(lanes);
}
SIMD_FN void vi_gather_squares(const void *p0, const void *p1, vi index, vi v[4]) {
    const char *rows[2] = {(const char *)p0, (const char *)p1};
    int32_t i[4];
    vst1q_s32(i, index);
    for (int k = 0; k < 2; k++) {
        vi ab = simd_two_pairs(rows[k] + 4 * (size_t)i[0], rows[k] + 4 * (size_t)i[1]);
        vi cd = simd_two_pairs(rows[k] + 4 * (size_t)i[2], rows[k] + 4 * (size_t)i[3]);
        v[2 * k] = vuzp1q_s32(ab, cd);
        v[2 * k + 1] = vuzp2q_s32(ab, cd);
    }
}

SIMD_FN vi vf_as_vi(vf a) { return vreinterpretq_s32_f32(a); }
SIMD_FN vf vi_as_vf(vi a) { return vreinterpretq_f32_s32(a); }

SIMD_FN vm vf_lt(vf a, vf b) { return vcltq_f32(a, b); }
SIMD_FN vm vf_le(vf a, vf b) { return vcleq_f32(a, b); }
SIMD_FN vm vf_gt(vf a, vf b) { return vcgtq_f32(a, b); }
SIMD_FN vm vf_ge(vf a, vf b) { return vcgeq_f32(a, b); }
SIMD_FN vm vf_eq(vf a, vf b) { return vceqq_f32(a, b); }
SIMD_FN vm vf_ne(vf a, vf b) { return vmvnq_u32(vceqq_f32(a, b)); }
SIMD_FN vm vf_unord(vf a, vf b) { return vmvnq_u32(vandq_u32(vceqq_f32(a, a), vceqq_f32(b, b))); }
SIMD_FN vm vi_eq(vi a, vi b) { return vceqq_s32(a, b); }
SIMD_FN vm vi_lt(vi a, vi b) { return vcltq_s32(a, b); }
SIMD_FN vm vi_gt(vi a, vi b) { return vcgtq_s32(a, b); }

SIMD_FN vm vm_and(vm a, vm b) { return vandq_u32(a, b); }
SIMD_FN vm vm_or(vm a, vm b) { return vorrq_u32(a, b); }
SIMD_FN vm vm_xor(vm a, vm b) { return veorq_u32(a, b); }
SIMD_FN vm vm_true(void) { return vdupq_n_u32(0xFFFFFFFFu); }
SIMD_FN vm vm_false(void) { return vdupq_n_u32(0u); }
SIMD_FN vm vm_not(vm a) { return vmvnq_u32(a); }
SIMD_FN vm vm_andnot(vm a, vm b) { return vbicq_u32(b, a); }
SIMD_FN vf vf_sel(vm m, vf a, vf b) { return vbslq_f32(m, a, b); }
SIMD_FN vi vi_sel(vm m, vi a, vi b) { return vbslq_s32(m, a, b); }
SIMD_FN vf vf_mask01(vm m) {
    return vreinterpretq_f32_u32(vandq_u32(m, vreinterpretq_u32_f32(vdupq_n_f32(1.0f))));
}
SIMD_FN vi vi_from_vm(vm m) { return vreinterpretq_s32_u32(m); }
SIMD_FN vm vm_from_vi(vi v) { return vcltzq_s32(v); }
SIMD_FN bool vm_any(vm m) { return vmaxvq_u32(m) != 0; }
SIMD_FN bool vm_all(vm m) { return vminvq_u32(m) != 0; }
SIMD_FN uint32_t vm_bits(vm m) {
    static const uint32_t lane[4] = {1u, 2u, 4u, 8u};
    return vaddvq_u32(vandq_u32(m, vld1q_u32(lane)));
}
SIMD_FN uint64_t vm_bits4(vm a, vm b, vm c, vm d) {
    static const uint8_t weight[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint16x8_t lo = vcombine_u16(vmovn_u32(a), vmovn_u32(b)), hi = vcombine_u16(vmovn_u32(c), vmovn_u32(d));
    uint8x16_t bits = vandq_u8(vcombine_u8(vmovn_u16(lo), vmovn_u16(hi)), vld1q_u8(weight));
    return (uint64_t)vaddv_u8(vget_low_u8(bits)) | (uint64_t)vaddv_u8(vget_high_u8(bits)) << 8;
}
SIMD_FN vm vm_load(const int32_t *p) { return vreinterpretq_u32_s32(vld1q_s32(p)); }
SIMD_FN vm vm_from_bits(uint32_t bits) {
    static const uint32_t lane[4] = {1u, 2u, 4u, 8u};
    return vtstq_u32(vdupq_n_u32(bits), vld1q_u32(lane));
}
SIMD_FN void vm_storemask_f(float *p, vm m, vf v) { vst1q_f32(p, vbslq_f32(m, v, vld1q_f32(p))); }

SIMD_FN vf vf_add(vf a, vf b) { return vaddq_f32(a, b); }
SIMD_FN vf vf_sub(vf a, vf b) { return vsubq_f32(a, b); }
SIMD_FN vf vf_mul(vf a, vf b) { return vmulq_f32(a, b); }
SIMD_FN vf vf_div(vf a, vf b) { return vdivq_f32(a, b); }
SIMD_FN vf vf_sqrt(vf a) { return vsqrtq_f32(a); }
SIMD_FN vf vf_neg(vf a) { return vnegq_f32(a); }
SIMD_FN vf vf_abs(vf a) { return vabsq_f32(a); }
/* FMIN and FMAX treat NaN and zeros of both signs otherwise than our definition: compare and select. */
SIMD_FN vf vf_min(vf a, vf b) { return vbslq_f32(vcltq_f32(a, b), a, b); }
SIMD_FN vf vf_max(vf a, vf b) { return vbslq_f32(vcgtq_f32(a, b), a, b); }
SIMD_FN vf vf_madd(vf a, vf b, vf c) { return vaddq_f32(vmulq_f32(a, b), c); }
SIMD_FN vf vf_floor(vf a) { return vrndmq_f32(a); }
SIMD_FN vf vf_ceil(vf a) { return vrndpq_f32(a); }
SIMD_FN vf vf_trunc(vf a) { return vrndq_f32(a); }
SIMD_FN vf vf_rint(vf a) { return vrndnq_f32(a); }

SIMD_FN vd vd_add(vd a, vd b) { return vaddq_f64(a, b); }
SIMD_FN vd vd_sub(vd a, vd b) { return vsubq_f64(a, b); }
SIMD_FN vd vd_mul(vd a, vd b) { return vmulq_f64(a, b); }
SIMD_FN vd vd_div(vd a, vd b) { return vdivq_f64(a, b); }
SIMD_FN vd vd_min(vd a, vd b) { return vbslq_f64(vcltq_f64(a, b), a, b); }
SIMD_FN vd vd_max(vd a, vd b) { return vbslq_f64(vcgtq_f64(a, b), a, b); }
SIMD_FN vd vd_floor(vd a) { return vrndmq_f64(a); }

/* FCVTZS saturates and gives 0 for NaN: exactly our definition. */
SIMD_FN vi vi_from_vf_trunc(vf a) { return vcvtq_s32_f32(a); }
SIMD_FN vi vi_from_vf_fast(vf a) { return vcvtq_s32_f32(a); }
SIMD_FN vi vi_from_vf_rint_fast(vf a) { return vcvtnq_s32_f32(a); }
SIMD_FN vf vf_from_vi(vi a) { return vcvtq_f32_s32(a); }
SIMD_FN vd vd_lo_from_vf(vf a) { return vcvt_f64_f32(vget_low_f32(a)); }
SIMD_FN vd vd_hi_from_vf(vf a) { return vcvt_high_f64_f32(a); }
SIMD_FN vd vd_lo_from_vi(vi a) { return vcvtq_f64_s64(vmovl_s32(vget_low_s32(a))); }
SIMD_FN vd vd_hi_from_vi(vi a) { return vcvtq_f64_s64(vmovl_high_s32(a)); }
SIMD_FN vf vf_from_vd(vd lo, vd hi) { return vcvt_high_f32_f64(vcvt_f32_f64(lo), hi); }
SIMD_FN vi vi_from_vd_rint(vd lo, vd hi) {
    return vcombine_s32(vmovn_s64(vcvtnq_s64_f64(lo)), vmovn_s64(vcvtnq_s64_f64(hi)));
}
SIMD_FN vi vi_from_vd_whole(vd lo, vd hi) {
    return vreinterpretq_s32_u32(vcombine_u32(vshrn_n_u64(vreinterpretq_u64_f64(lo), 20),
                                              vshrn_n_u64(vreinterpretq_u64_f64(hi), 20)));
}

SIMD_FN vi vi_add(vi a, vi b) { return vaddq_s32(a, b); }
SIMD_FN vi vi_sub(vi a, vi b) { return vsubq_s32(a, b); }
SIMD_FN vi vi_mul16(vi a, vi b) {
    return vreinterpretq_s32_s16(vmulq_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b)));
}
SIMD_FN vi vi_mul(vi a, vi b) { return vmulq_s32(a, b); }
SIMD_FN vi vi_mul_small(vi a, vi b) { return vmulq_s32(a, b); }
SIMD_FN vi vi_and(vi a, vi b) { return vandq_s32(a, b); }
SIMD_FN vi vi_or(vi a, vi b) { return vorrq_s32(a, b); }
SIMD_FN vi vi_xor(vi a, vi b) { return veorq_s32(a, b); }
SIMD_FN vi vi_andnot(vi a, vi b) { return vbicq_s32(b, a); }
SIMD_FN vi vi_shl(vi v, int n) { return vshlq_s32(v, vdupq_n_s32(n)); }
SIMD_FN vi vi_shr(vi v, int n) {
    return vreinterpretq_s32_u32(vshlq_u32(vreinterpretq_u32_s32(v), vdupq_n_s32(-n)));
}
SIMD_FN vi vi_sar(vi v, int n) { return vshlq_s32(v, vdupq_n_s32(-n)); }
/* USHL takes the low byte of the count, so counts are clamped to -32..32, which give 0. */
SIMD_FN vi vi_shlv(vi v, vi n) {
    int32x4_t c = vmaxq_s32(vminq_s32(n, vdupq_n_s32(32)), vdupq_n_s32(-32));
    return vreinterpretq_s32_u32(vshlq_u32(vreinterpretq_u32_s32(v), c));
}
SIMD_FN vi vi_min(vi a, vi b) { return vminq_s32(a, b); }
SIMD_FN vi vi_max(vi a, vi b) { return vmaxq_s32(a, b); }

SIMD_FN vf vf_quad_first(vf v) { return vdupq_laneq_f32(v, 0); }
SIMD_FN vf vf_quad_ddx(vf v) { return vsubq_f32(vtrn2q_f32(v, v), vtrn1q_f32(v, v)); }
SIMD_FN vf vf_quad_ddy(vf v) {
    float32x4_t upper = vcombine_f32(vget_high_f32(v), vget_high_f32(v));
    float32x4_t lower = vcombine_f32(vget_low_f32(v), vget_low_f32(v));
    return vsubq_f32(upper, lower);
}
SIMD_FN vi simd_low_half(vi v) { return vi_sar(vi_shl(v, 16), 16); }
SIMD_FN void vi_madd_halves(vi a, vi b, vi w, vi *low, vi *high) {
    vi wa = simd_low_half(w), wb = vi_sar(w, 16);
    *low = vaddq_s32(vmulq_s32(simd_low_half(a), wa), vmulq_s32(simd_low_half(b), wb));
    *high = vaddq_s32(vmulq_s32(vi_sar(a, 16), wa), vmulq_s32(vi_sar(b, 16), wb));
}
SIMD_FN vi vi_hidden(vi v) {
    __asm__("" : "+w"(v));
    return v;
}
SIMD_FN vi vi_low_byte_twice(vi v) { return vi_mul(vandq_s32(v, vdupq_n_s32(255)), vdupq_n_s32(0x00010001)); }
SIMD_FN vi vi_odd_bytes(vi v) { return vreinterpretq_s32_u16(vshrq_n_u16(vreinterpretq_u16_s32(v), 8)); }
SIMD_FN vi vi_unpack_u8(vi v, int k) { return vandq_s32(vi_shr(v, 8 * k), vdupq_n_s32(255)); }
SIMD_FN vi vi_pack_rgba8(vi r, vi g, vi b, vi a) {
    return vorrq_s32(vorrq_s32(r, vi_shl(g, 8)), vorrq_s32(vi_shl(b, 16), vi_shl(a, 24)));
}

SIMD_FN vi vi_load_rows(const void *p0, const void *p1) {
    (void)p1;
    return vreinterpretq_s32_u8(vld1q_u8((const uint8_t *)p0));
}
SIMD_FN vi vi_load_rows_u16(const void *p0, const void *p1) {
    (void)p1;
    return vreinterpretq_s32_u32(vmovl_u16(vreinterpret_u16_u8(vld1_u8((const uint8_t *)p0))));
}
SIMD_FN vi vi_load_u8(const void *p) {
    uint32_t four;
    memcpy(&four, p, sizeof four);
    uint16x8_t v = vmovl_u8(vreinterpret_u8_u32(vdup_n_u32(four)));
    return vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(v)));
}
SIMD_FN vf vf_spread_u8(const uint8_t *p) { return vdupq_n_f32((float)*p); }
#define SIMD_LANE_STORES 0
#define SIMD_TABLES 0
#define SIMD_PICKS 0
SIMD_FN void vi_store_row_lo(void *p, vi v) { vst1q_u8((uint8_t *)p, vreinterpretq_u8_s32(v)); }
SIMD_FN void vi_store_row_hi(void *p, vi v) {
    (void)p;
    (void)v;
}
SIMD_FN void vi_store_row_lo_u16(void *p, vi v) {
    vst1_u8((uint8_t *)p, vreinterpret_u8_u16(vmovn_u32(vreinterpretq_u32_s32(v))));
}
SIMD_FN void vi_store_row_hi_u16(void *p, vi v) {
    (void)p;
    (void)v;
}

SIMD_FN vi vi_load_fours(const uint8_t *const *p) { return vi_load_rows(p[0], p[0]); }
SIMD_FN vi vi_load_fours_u16(const uint8_t *const *p) { return vi_load_rows_u16(p[0], p[0]); }
SIMD_FN void vi_store_four(void *p, vi v, int g) {
    (void)g;
    vi_store_row_lo(p, v);
}
SIMD_FN void vi_store_four_u16(void *p, vi v, int g) {
    (void)g;
    vi_store_row_lo_u16(p, v);
}

SIMD_FN vi simd_quad(const void *p0, const void *p1) {
    return vreinterpretq_s32_u8(vcombine_u8(vld1_u8((const uint8_t *)p0), vld1_u8((const uint8_t *)p1)));
}
SIMD_FN void simd_put_quad(void *p0, void *p1, vi v) {
    vst1_u8((uint8_t *)p1, vget_high_u8(vreinterpretq_u8_s32(v)));
    vst1_u8((uint8_t *)p0, vget_low_u8(vreinterpretq_u8_s32(v)));
}
SIMD_FN vi vi_load_quads(const uint8_t *const *p0, const uint8_t *const *p1) { return simd_quad(p0[0], p1[0]); }
SIMD_FN vi vi_load_quads_u16(const uint8_t *const *p0, const uint8_t *const *p1) {
    uint16_t four[4];
    memcpy(four, p0[0], 4);
    memcpy(four + 2, p1[0], 4);
    return vreinterpretq_s32_u32(vmovl_u16(vld1_u16(four)));
}
SIMD_FN void vi_store_quad(void *p0, void *p1, vi v, int g) {
    (void)g;
    simd_put_quad(p0, p1, v);
}
SIMD_FN void vi_store_quad_u16(void *p0, void *p1, vi v, int g) {
    uint16_t four[4];
    (void)g;
    vst1_u16(four, vmovn_u32(vreinterpretq_u32_s32(v)));
    memcpy(p1, four + 2, 4);
    memcpy(p0, four, 4);
}
/* Where p1 is p0, the bits of its lanes must be 0. */
SIMD_FN void vi_blend_quad(void *p0, void *p1, vi v, int g, const int32_t *mask) {
    (void)g;
    simd_put_quad(p0, p1, vbslq_s32(vreinterpretq_u32_s32(vld1q_s32(mask)), v, simd_quad(p0, p1)));
}
SIMD_FN vi vi_load_block(const void *p0, const void *p1) { return simd_quad(p0, p1); }
SIMD_FN void vi_store_block(void *p0, void *p1, vi v) { simd_put_quad(p0, p1, v); }
SIMD_FN vf vf_spread(const float *p) { return vdupq_n_f32(p[0]); }
#define vf_quad_pick(v, k) vdupq_laneq_f32(v, k)
SIMD_FN vi vi_deal4(vi v) { return v; }
SIMD_FN void vi_transpose4(vi v[4]) {
    int64x2_t ab = vreinterpretq_s64_s32(vzip1q_s32(v[0], v[1])), AB = vreinterpretq_s64_s32(vzip2q_s32(v[0], v[1]));
    int64x2_t cd = vreinterpretq_s64_s32(vzip1q_s32(v[2], v[3])), CD = vreinterpretq_s64_s32(vzip2q_s32(v[2], v[3]));
    v[0] = vreinterpretq_s32_s64(vzip1q_s64(ab, cd));
    v[1] = vreinterpretq_s32_s64(vzip2q_s64(ab, cd));
    v[2] = vreinterpretq_s32_s64(vzip1q_s64(AB, CD));
    v[3] = vreinterpretq_s32_s64(vzip2q_s64(AB, CD));
}
SIMD_FN void vi_load3(const int32_t *p, vi *a, vi *b, vi *c) {
    int32x4x3_t v = vld3q_s32(p);
    *a = v.val[0];
    *b = v.val[1];
    *c = v.val[2];
}

SIMD_FN void simd_leave(void) { }

#endif
