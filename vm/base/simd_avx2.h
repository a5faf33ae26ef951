/* SPDX-License-Identifier: MIT */
/* Eight lanes with AVX2, without FMA. Every operation gives the bits of simd_scalar.h. */
#ifndef VM_BASE_SIMD_AVX2_H
#define VM_BASE_SIMD_AVX2_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#include "vm/base/bits.h"

#define SIMD_N 8
#define SIMD_FN static inline __attribute__((always_inline))

typedef __m256 vf;
typedef __m256i vi;
typedef __m256 vm;        /* all-ones or zero a lane */
typedef __m256d vd;

SIMD_FN vf vf_load(const float *p) { return _mm256_load_ps(p); }
SIMD_FN vf vf_loadu(const float *p) { return _mm256_loadu_ps(p); }
SIMD_FN void vf_store(float *p, vf v) { _mm256_store_ps(p, v); }
SIMD_FN void vf_storeu(float *p, vf v) { _mm256_storeu_ps(p, v); }
SIMD_FN vi vi_load(const int32_t *p) { return _mm256_load_si256((const __m256i *)(const void *)p); }
SIMD_FN vi vi_loadu(const int32_t *p) { return _mm256_loadu_si256((const __m256i *)(const void *)p); }
SIMD_FN void vi_store(int32_t *p, vi v) { _mm256_store_si256((__m256i *)(void *)p, v); }
SIMD_FN void vi_storeu(int32_t *p, vi v) { _mm256_storeu_si256((__m256i *)(void *)p, v); }
SIMD_FN vf vf_set1(float x) { return _mm256_set1_ps(x); }
SIMD_FN vi vi_set1(int32_t x) { return _mm256_set1_epi32(x); }
SIMD_FN vd vd_set1(double x) { return _mm256_set1_pd(x); }
SIMD_FN vf vf_zero(void) { return _mm256_setzero_ps(); }
SIMD_FN vi vi_zero(void) { return _mm256_setzero_si256(); }
SIMD_FN vf vf_iota(void) { return _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7); }
SIMD_FN vi vi_iota(void) { return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7); }
SIMD_FN vf vf_gather(const float *base, vi index) { return _mm256_i32gather_ps(base, index, 4); }
SIMD_FN vi vi_gather(const int32_t *base, vi index) { return _mm256_i32gather_epi32(base, index, 4); }
SIMD_FN vi vi_gather_bytes(const void *base, vi byte_offset) {
    return _mm256_i32gather_epi32((const int *)base, byte_offset, 1);
}
/* Four pairs of 64 bits a gather: lanes 0 1 4 5, then 2 3 6 7, so that a shuffle within halves puts them in order. */
SIMD_FN void vi_gather_squares(const void *p0, const void *p1, vi index, vi v[4]) {
    __m256i i = _mm256_permute4x64_epi64(index, _MM_SHUFFLE(3, 1, 2, 0));
    __m128i lo = _mm256_castsi256_si128(i), hi = _mm256_extracti128_si256(i, 1);
    __m256 a = _mm256_castsi256_ps(_mm256_i32gather_epi64((const long long *)p0, lo, 4));
    __m256 b = _mm256_castsi256_ps(_mm256_i32gather_epi64((const long long *)p0, hi, 4));
    v[0] = _mm256_castps_si256(_mm256_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0)));
    v[1] = _mm256_castps_si256(_mm256_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1)));
    a = _mm256_castsi256_ps(_mm256_i32gather_epi64((const long long *)p1, lo, 4));
    b = _mm256_castsi256_ps(_mm256_i32gather_epi64((const long long *)p1, hi, 4));
    v[2] = _mm256_castps_si256(_mm256_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0)));
    v[3] = _mm256_castps_si256(_mm256_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1)));
}

SIMD_FN vi vf_as_vi(vf a) { return _mm256_castps_si256(a); }
SIMD_FN vf vi_as_vf(vi a) { return _mm256_castsi256_ps(a); }

SIMD_FN vf simd_sign_bit(void) { return _mm256_castsi256_ps(_mm256_set1_epi32(INT32_MIN)); }
SIMD_FN vf vf_add(vf a, vf b) { return _mm256_add_ps(a, b); }
SIMD_FN vf vf_sub(vf a, vf b) { return _mm256_sub_ps(a, b); }
SIMD_FN vf vf_mul(vf a, vf b) { return _mm256_mul_ps(a, b); }
SIMD_FN vf vf_div(vf a, vf b) { return _mm256_div_ps(a, b); }
SIMD_FN vf vf_sqrt(vf a) { return _mm256_sqrt_ps(a); }
SIMD_FN vf vf_neg(vf a) { return _mm256_xor_ps(a, simd_sign_bit()); }
SIMD_FN vf vf_abs(vf a) { return _mm256_andnot_ps(simd_sign_bit(), a); }
SIMD_FN vf vf_min(vf a, vf b) { return _mm256_min_ps(a, b); }
SIMD_FN vf vf_max(vf a, vf b) { return _mm256_max_ps(a, b); }
SIMD_FN vf vf_madd(vf a, vf b, vf c) { return _mm256_add_ps(_mm256_mul_ps(a, b), c); }
SIMD_FN vf vf_floor(vf a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
SIMD_FN vf vf_ceil(vf a) { return _mm256_round_ps(a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC); }
SIMD_FN vf vf_trunc(vf a) { return _mm256_round_ps(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
SIMD_FN vf vf_rint(vf a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }

SIMD_FN vd vd_add(vd a, vd b) { return _mm256_add_pd(a, b); }
SIMD_FN vd vd_sub(vd a, vd b) { return _mm256_sub_pd(a, b); }
SIMD_FN vd vd_mul(vd a, vd b) { return _mm256_mul_pd(a, b); }
SIMD_FN vd vd_div(vd a, vd b) { return _mm256_div_pd(a, b); }
SIMD_FN vd vd_min(vd a, vd b) { return _mm256_min_pd(a, b); }
SIMD_FN vd vd_max(vd a, vd b) { return _mm256_max_pd(a, b); }
SIMD_FN vd vd_floor(vd a) { return _mm256_round_pd(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }

SIMD_FN vi vi_from_vf_fast(vf a) { return _mm256_cvttps_epi32(a); }
SIMD_FN vi vi_from_vf_rint_fast(vf a) { return _mm256_cvtps_epi32(a); }
/* The conversion gives INT32_MIN for all it cannot represent: flip it for large values, clear NaNs. */
SIMD_FN vi vi_from_vf_trunc(vf a) {
    __m256 large = _mm256_cmp_ps(a, _mm256_set1_ps(2147483648.0f), _CMP_GE_OQ);
    __m256i r = _mm256_xor_si256(_mm256_cvttps_epi32(a), _mm256_castps_si256(large));
    return _mm256_and_si256(r, _mm256_castps_si256(_mm256_cmp_ps(a, a, _CMP_ORD_Q)));
}
SIMD_FN vf vf_from_vi(vi a) { return _mm256_cvtepi32_ps(a); }
SIMD_FN vd vd_lo_from_vf(vf a) { return _mm256_cvtps_pd(_mm256_castps256_ps128(a)); }
SIMD_FN vd vd_hi_from_vf(vf a) { return _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1)); }
SIMD_FN vd vd_lo_from_vi(vi a) { return _mm256_cvtepi32_pd(_mm256_castsi256_si128(a)); }
SIMD_FN vd vd_hi_from_vi(vi a) { return _mm256_cvtepi32_pd(_mm256_extracti128_si256(a, 1)); }
SIMD_FN vf vf_from_vd(vd lo, vd hi) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(lo)), _mm256_cvtpd_ps(hi), 1);
}
SIMD_FN vi vi_from_vd_rint(vd lo, vd hi) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm256_cvtpd_epi32(lo)),
                                   _mm256_cvtpd_epi32(hi), 1);
}
SIMD_FN vi vi_from_vd_whole(vd lo, vd hi) {
    const __m256 a = _mm256_castsi256_ps(_mm256_srli_epi64(_mm256_castpd_si256(lo), 20));
    const __m256 b = _mm256_castsi256_ps(_mm256_srli_epi64(_mm256_castpd_si256(hi), 20));
    return _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88)), 0xD8);
}

SIMD_FN vi vi_add(vi a, vi b) { return _mm256_add_epi32(a, b); }
SIMD_FN vi vi_sub(vi a, vi b) { return _mm256_sub_epi32(a, b); }
SIMD_FN vi vi_mul16(vi a, vi b) { return _mm256_mullo_epi16(a, b); }
SIMD_FN vi vi_mul(vi a, vi b) { return _mm256_mullo_epi32(a, b); }
SIMD_FN vi vi_mul_small(vi a, vi b) { return _mm256_madd_epi16(a, b); }
SIMD_FN vi vi_and(vi a, vi b) { return _mm256_and_si256(a, b); }
SIMD_FN vi vi_or(vi a, vi b) { return _mm256_or_si256(a, b); }
SIMD_FN vi vi_xor(vi a, vi b) { return _mm256_xor_si256(a, b); }
SIMD_FN vi vi_andnot(vi a, vi b) { return _mm256_andnot_si256(a, b); }
SIMD_FN vi vi_shl(vi v, int n) { return _mm256_slli_epi32(v, n); }
SIMD_FN vi vi_shr(vi v, int n) { return _mm256_srli_epi32(v, n); }
SIMD_FN vi vi_sar(vi v, int n) { return _mm256_srai_epi32(v, n); }
/* The instructions give 0 for counts outside 0..31, so at most one side is not zero (both are v at 0). */
SIMD_FN vi vi_shlv(vi v, vi n) {
    __m256i right = _mm256_srlv_epi32(v, _mm256_sub_epi32(_mm256_setzero_si256(), n));
    return _mm256_or_si256(_mm256_sllv_epi32(v, n), right);
}
SIMD_FN vi vi_min(vi a, vi b) { return _mm256_min_epi32(a, b); }
SIMD_FN vi vi_max(vi a, vi b) { return _mm256_max_epi32(a, b); }

SIMD_FN vm vf_lt(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
SIMD_FN vm vf_le(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_LE_OQ); }
SIMD_FN vm vf_gt(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_GT_OQ); }
SIMD_FN vm vf_ge(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_GE_OQ); }
SIMD_FN vm vf_eq(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_EQ_OQ); }
SIMD_FN vm vf_ne(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_NEQ_UQ); }
SIMD_FN vm vf_unord(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_UNORD_Q); }
SIMD_FN vm vi_eq(vi a, vi b) { return _mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b)); }
SIMD_FN vm vi_lt(vi a, vi b) { return _mm256_castsi256_ps(_mm256_cmpgt_epi32(b, a)); }
SIMD_FN vm vi_gt(vi a, vi b) { return _mm256_castsi256_ps(_mm256_cmpgt_epi32(a, b)); }

SIMD_FN vm vm_and(vm a, vm b) { return _mm256_and_ps(a, b); }
SIMD_FN vm vm_or(vm a, vm b) { return _mm256_or_ps(a, b); }
SIMD_FN vm vm_xor(vm a, vm b) { return _mm256_xor_ps(a, b); }
SIMD_FN vm vm_true(void) { return _mm256_castsi256_ps(_mm256_set1_epi32(-1)); }
SIMD_FN vm vm_false(void) { return _mm256_setzero_ps(); }
SIMD_FN vm vm_not(vm a) { return _mm256_xor_ps(a, vm_true()); }
SIMD_FN vm vm_andnot(vm a, vm b) { return _mm256_andnot_ps(a, b); }
SIMD_FN vf vf_sel(vm m, vf a, vf b) { return _mm256_blendv_ps(b, a, m); }
SIMD_FN vi vi_sel(vm m, vi a, vi b) {
    return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(b), _mm256_castsi256_ps(a), m));
}
SIMD_FN vf vf_mask01(vm m) { return _mm256_and_ps(m, _mm256_set1_ps(1.0f)); }
SIMD_FN vi vi_from_vm(vm m) { return _mm256_castps_si256(m); }
SIMD_FN vm vm_from_vi(vi v) { return _mm256_castsi256_ps(_mm256_srai_epi32(v, 31)); }
SIMD_FN bool vm_any(vm m) { return _mm256_movemask_ps(m) != 0; }
SIMD_FN bool vm_all(vm m) { return _mm256_movemask_ps(m) == 255; }
SIMD_FN uint32_t vm_bits(vm m) { return (uint32_t)_mm256_movemask_ps(m); }
/* Packing works within 128-bit halves; the permutation puts groups of four lanes in order. */
SIMD_FN uint64_t vm_bits4(vm a, vm b, vm c, vm d) {
    __m256i lo = _mm256_packs_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b));
    __m256i hi = _mm256_packs_epi32(_mm256_castps_si256(c), _mm256_castps_si256(d));
    __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(lo, hi), order);
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(bytes);
}
/* The empty asm hides the load from gcc 12, which would compare it with 0 before every blend. */
SIMD_FN vm vm_load(const int32_t *p) {
    __m256 m = _mm256_load_ps((const float *)(const void *)p);
    __asm__("" : "+x"(m));
    return m;
}
SIMD_FN vm vm_from_bits(uint32_t bits) {
    __m256i lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return vi_eq(_mm256_and_si256(_mm256_set1_epi32((int32_t)bits), lane), lane);
}
/* Lanes outside the mask are not touched, be they there or not. */
SIMD_FN void vm_storemask_f(float *p, vm m, vf v) { _mm256_maskstore_ps(p, _mm256_castps_si256(m), v); }

SIMD_FN vf vf_quad_first(vf v) { return _mm256_permute_ps(v, 0); }
SIMD_FN vf vf_quad_ddx(vf v) {
    return _mm256_sub_ps(_mm256_permute_ps(v, _MM_SHUFFLE(3, 3, 1, 1)),
                         _mm256_permute_ps(v, _MM_SHUFFLE(2, 2, 0, 0)));
}
SIMD_FN vf vf_quad_ddy(vf v) {
    return _mm256_sub_ps(_mm256_permute_ps(v, _MM_SHUFFLE(3, 2, 3, 2)),
                         _mm256_permute_ps(v, _MM_SHUFFLE(1, 0, 1, 0)));
}
/* Pairs of halves side by side multiply and add; within halves of 128 bits the lanes end up in order. */
SIMD_FN void vi_madd_halves(vi a, vi b, vi w, vi *low, vi *high) {
    vi p = _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), _mm256_unpacklo_epi32(w, w));
    vi q = _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), _mm256_unpackhi_epi32(w, w));
    vf pf = vi_as_vf(p), qf = vi_as_vf(q);
    *low = vf_as_vi(_mm256_shuffle_ps(pf, qf, _MM_SHUFFLE(2, 0, 2, 0)));
    *high = vf_as_vi(_mm256_shuffle_ps(pf, qf, _MM_SHUFFLE(3, 1, 3, 1)));
}
SIMD_FN vi vi_hidden(vi v) {
    __asm__("" : "+x"(v));
    return v;
}
SIMD_FN vi vi_low_byte_twice(vi v) {
    const __m128i bytes = _mm_setr_epi8(0, -1, 0, -1, 4, -1, 4, -1, 8, -1, 8, -1, 12, -1, 12, -1);
    return _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(bytes));
}
SIMD_FN vi vi_odd_bytes(vi v) { return _mm256_srli_epi16(v, 8); }
SIMD_FN vi vi_unpack_u8(vi v, int k) {
    return _mm256_and_si256(_mm256_srli_epi32(v, 8 * k), _mm256_set1_epi32(255));
}
SIMD_FN vi vi_pack_rgba8(vi r, vi g, vi b, vi a) {
    return _mm256_or_si256(_mm256_or_si256(r, _mm256_slli_epi32(g, 8)),
                           _mm256_or_si256(_mm256_slli_epi32(b, 16), _mm256_slli_epi32(a, 24)));
}

SIMD_FN vi vi_load_rows(const void *p0, const void *p1) {
    (void)p1;
    return _mm256_loadu_si256((const __m256i *)p0);
}
SIMD_FN vi vi_load_rows_u16(const void *p0, const void *p1) {
    (void)p1;
    return _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p0));
}
SIMD_FN void vi_store_row_lo(void *p, vi v) { _mm256_storeu_si256((__m256i *)p, v); }
SIMD_FN void vi_store_row_hi(void *p, vi v) {
    (void)p;
    (void)v;
}
SIMD_FN void vi_store_row_lo_u16(void *p, vi v) {
    _mm_storeu_si128((__m128i *)p,
                     _mm_packus_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1)));
}
SIMD_FN void vi_store_row_hi_u16(void *p, vi v) {
    (void)p;
    (void)v;
}

SIMD_FN vi vi_load_fours(const uint8_t *const *p) {
    __m128i lo = _mm_loadu_si128((const __m128i *)(const void *)p[0]);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(lo), _mm_loadu_si128((const __m128i *)(const void *)p[1]), 1);
}
SIMD_FN vi vi_load_fours_u16(const uint8_t *const *p) {
    __m128i lo = _mm_loadl_epi64((const __m128i *)(const void *)p[0]);
    return _mm256_cvtepu16_epi32(_mm_unpacklo_epi64(lo, _mm_loadl_epi64((const __m128i *)(const void *)p[1])));
}
SIMD_FN __m128i simd_four(vi v, int g) { return g ? _mm256_extracti128_si256(v, 1) : _mm256_castsi256_si128(v); }
#include "vm/base/simd_x86.h"
SIMD_FN vi vi_load_quads(const uint8_t *const *p0, const uint8_t *const *p1) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(simd_quad(p0[0], p1[0])), simd_quad(p0[1], p1[1]), 1);
}
SIMD_FN vi vi_load_quads_u16(const uint8_t *const *p0, const uint8_t *const *p1) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(simd_quad_u16(p0[0], p1[0])), simd_quad_u16(p0[1], p1[1]), 1);
}
SIMD_FN vi vi_load_block(const void *p0, const void *p1) {
    __m256i rows = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)p0)),
                                           _mm_loadu_si128((const __m128i *)p1), 1);
    return _mm256_permute4x64_epi64(rows, _MM_SHUFFLE(3, 1, 2, 0));
}
SIMD_FN void vi_store_block(void *p0, void *p1, vi v) {
    __m256i rows = _mm256_permute4x64_epi64(v, _MM_SHUFFLE(3, 1, 2, 0));
    _mm_storeu_si128((__m128i *)p1, _mm256_extracti128_si256(rows, 1));
    _mm_storeu_si128((__m128i *)p0, _mm256_castsi256_si128(rows));
}
SIMD_FN vf vf_spread(const float *p) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_set1_ps(p[0])), _mm_set1_ps(p[1]), 1);
}
SIMD_FN vi vi_load_u8(const void *p) { return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)p)); }
SIMD_FN vf vf_spread_u8(const uint8_t *p) {
    int16_t two;
    memcpy(&two, p, sizeof two);
    const __m256i place = _mm256_setr_epi32(~0xFF, ~0xFF, ~0xFF, ~0xFF, ~0xFE, ~0xFE, ~0xFE, ~0xFE);
    return _mm256_cvtepi32_ps(_mm256_shuffle_epi8(_mm256_set1_epi16(two), place));
}
#define SIMD_LANE_STORES 0
#define SIMD_TABLES 0
#define vf_quad_pick(v, k) _mm256_permute_ps(v, (k) * 0x55)
SIMD_FN vi vi_deal4(vi v) { return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)); }
SIMD_FN void vi_transpose4(vi v[4]) {
    __m256i ab = _mm256_unpacklo_epi32(v[0], v[1]), AB = _mm256_unpackhi_epi32(v[0], v[1]);
    __m256i cd = _mm256_unpacklo_epi32(v[2], v[3]), CD = _mm256_unpackhi_epi32(v[2], v[3]);
    v[0] = _mm256_unpacklo_epi64(ab, cd);
    v[1] = _mm256_unpackhi_epi64(ab, cd);
    v[2] = _mm256_unpacklo_epi64(AB, CD);
    v[3] = _mm256_unpackhi_epi64(AB, CD);
}
/* Each word is taken in its own column from one of the three vectors, then put in order. */
SIMD_FN void vi_load3(const int32_t *p, vi *a, vi *b, vi *c) {
    __m256i v0 = vi_loadu(p), v1 = vi_loadu(p + 8), v2 = vi_loadu(p + 16);
    __m256i pa = _mm256_blend_epi32(_mm256_blend_epi32(v0, v1, 0x92), v2, 0x24);
    __m256i pb = _mm256_blend_epi32(_mm256_blend_epi32(v0, v1, 0x24), v2, 0x49);
    __m256i pc = _mm256_blend_epi32(_mm256_blend_epi32(v0, v1, 0x49), v2, 0x92);
    *a = _mm256_permutevar8x32_epi32(pa, _mm256_setr_epi32(0, 3, 6, 1, 4, 7, 2, 5));
    *b = _mm256_permutevar8x32_epi32(pb, _mm256_setr_epi32(1, 4, 7, 2, 5, 0, 3, 6));
    *c = _mm256_permutevar8x32_epi32(pc, _mm256_setr_epi32(2, 5, 0, 3, 6, 1, 4, 7));
}

/* SSE code that runs after dirty upper halves is up to four times slower (performance.md A.6). */
SIMD_FN void simd_leave(void) { _mm256_zeroupper(); }

#endif
