/* SPDX-License-Identifier: MIT */
/* Sixteen lanes with AVX-512 F, DQ, BW, VL, without FMA. Every operation gives the bits of simd_scalar.h. */
#ifndef VM_BASE_SIMD_AVX512_H
#define VM_BASE_SIMD_AVX512_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#include "vm/base/bits.h"

#define SIMD_N 16
#define SIMD_FN static inline __attribute__((always_inline))

typedef __m512 vf;
typedef __m512i vi;
typedef __mmask16 vm;
typedef __m512d vd;

SIMD_FN vf vf_load(const float *p) { return _mm512_load_ps(p); }
SIMD_FN vf vf_loadu(const float *p) { return _mm512_loadu_ps(p); }
SIMD_FN void vf_store(float *p, vf v) { _mm512_store_ps(p, v); }
SIMD_FN void vf_storeu(float *p, vf v) { _mm512_storeu_ps(p, v); }
SIMD_FN vi vi_load(const int32_t *p) { return _mm512_load_si512(p); }
SIMD_FN vi vi_loadu(const int32_t *p) { return _mm512_loadu_si512(p); }
SIMD_FN void vi_store(int32_t *p, vi v) { _mm512_store_si512(p, v); }
SIMD_FN void vi_storeu(int32_t *p, vi v) { _mm512_storeu_si512(p, v); }
SIMD_FN vf vf_set1(float x) { return _mm512_set1_ps(x); }
SIMD_FN vi vi_set1(int32_t x) { return _mm512_set1_epi32(x); }
SIMD_FN vd vd_set1(double x) { return _mm512_set1_pd(x); }
SIMD_FN vf vf_zero(void) { return _mm512_setzero_ps(); }
SIMD_FN vi vi_zero(void) { return _mm512_setzero_si512(); }
SIMD_FN vf vf_iota(void) {
    return _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
SIMD_FN vi vi_iota(void) {
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
SIMD_FN vf vf_gather(const float *base, vi index) { return _mm512_i32gather_ps(index, base, 4); }
SIMD_FN vi vi_gather(const int32_t *base, vi index) { return _mm512_i32gather_epi32(index, base, 4); }
SIMD_FN vi vi_gather_bytes(const void *base, vi byte_offset) {
    return _mm512_i32gather_epi32(byte_offset, (const int *)base, 1);
}
/* Eight pairs of 64 bits a gather: lanes 0 1 4 5 .., then 2 3 6 7 .., so that a shuffle within blocks of four puts them
 * in order. */
SIMD_FN void vi_gather_squares(const void *p0, const void *p1, vi index, vi v[4]) {
    __m512i i = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), index);
    __m256i lo = _mm512_castsi512_si256(i), hi = _mm512_extracti64x4_epi64(i, 1);
    __m512 a = _mm512_castsi512_ps(_mm512_i32gather_epi64(lo, p0, 4));
    __m512 b = _mm512_castsi512_ps(_mm512_i32gather_epi64(hi, p0, 4));
    v[0] = _mm512_castps_si512(_mm512_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0)));
    v[1] = _mm512_castps_si512(_mm512_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1)));
    a = _mm512_castsi512_ps(_mm512_i32gather_epi64(lo, p1, 4));
    b = _mm512_castsi512_ps(_mm512_i32gather_epi64(hi, p1, 4));
    v[2] = _mm512_castps_si512(_mm512_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0)));
    v[3] = _mm512_castps_si512(_mm512_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1)));
}

SIMD_FN vi vf_as_vi(vf a) { return _mm512_castps_si512(a); }
SIMD_FN vf vi_as_vf(vi a) { return _mm512_castsi512_ps(a); }

SIMD_FN vf vf_add(vf a, vf b) { return _mm512_add_ps(a, b); }
SIMD_FN vf vf_sub(vf a, vf b) { return _mm512_sub_ps(a, b); }
SIMD_FN vf vf_mul(vf a, vf b) { return _mm512_mul_ps(a, b); }
SIMD_FN vf vf_div(vf a, vf b) { return _mm512_div_ps(a, b); }
SIMD_FN vf vf_sqrt(vf a) { return _mm512_sqrt_ps(a); }
SIMD_FN vf vf_neg(vf a) {
    return _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(a), _mm512_set1_epi32(INT32_MIN)));
}
SIMD_FN vf vf_abs(vf a) {
    return _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(a), _mm512_set1_epi32(INT32_MAX)));
}
SIMD_FN vf vf_min(vf a, vf b) { return _mm512_min_ps(a, b); }
SIMD_FN vf vf_max(vf a, vf b) { return _mm512_max_ps(a, b); }
SIMD_FN vf vf_madd(vf a, vf b, vf c) { return _mm512_add_ps(_mm512_mul_ps(a, b), c); }
SIMD_FN vf vf_floor(vf a) { return _mm512_roundscale_ps(a, 9); }     /* 8 = no exceptions, + mode */
SIMD_FN vf vf_ceil(vf a) { return _mm512_roundscale_ps(a, 10); }
SIMD_FN vf vf_trunc(vf a) { return _mm512_roundscale_ps(a, 11); }
SIMD_FN vf vf_rint(vf a) { return _mm512_roundscale_ps(a, 8); }

SIMD_FN vd vd_add(vd a, vd b) { return _mm512_add_pd(a, b); }
SIMD_FN vd vd_sub(vd a, vd b) { return _mm512_sub_pd(a, b); }
SIMD_FN vd vd_mul(vd a, vd b) { return _mm512_mul_pd(a, b); }
SIMD_FN vd vd_div(vd a, vd b) { return _mm512_div_pd(a, b); }
SIMD_FN vd vd_min(vd a, vd b) { return _mm512_min_pd(a, b); }
SIMD_FN vd vd_max(vd a, vd b) { return _mm512_max_pd(a, b); }
SIMD_FN vd vd_floor(vd a) { return _mm512_roundscale_pd(a, 9); }

SIMD_FN vm vf_lt(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
SIMD_FN vm vf_le(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
SIMD_FN vm vf_gt(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ); }
SIMD_FN vm vf_ge(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ); }
SIMD_FN vm vf_eq(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
SIMD_FN vm vf_ne(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_NEQ_UQ); }
SIMD_FN vm vf_unord(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q); }
SIMD_FN vm vi_eq(vi a, vi b) { return _mm512_cmpeq_epi32_mask(a, b); }
SIMD_FN vm vi_lt(vi a, vi b) { return _mm512_cmplt_epi32_mask(a, b); }
SIMD_FN vm vi_gt(vi a, vi b) { return _mm512_cmpgt_epi32_mask(a, b); }

SIMD_FN vm vm_and(vm a, vm b) { return (vm)(a & b); }
SIMD_FN vm vm_or(vm a, vm b) { return (vm)(a | b); }
SIMD_FN vm vm_xor(vm a, vm b) { return (vm)(a ^ b); }
SIMD_FN vm vm_true(void) { return (vm)0xFFFFu; }
SIMD_FN vm vm_false(void) { return (vm)0u; }
SIMD_FN vm vm_not(vm a) { return (vm)(a ^ 0xFFFFu); }
SIMD_FN vm vm_andnot(vm a, vm b) { return (vm)(~(unsigned)a & b); }
SIMD_FN vf vf_sel(vm m, vf a, vf b) { return _mm512_mask_blend_ps(m, b, a); }
SIMD_FN vi vi_sel(vm m, vi a, vi b) { return _mm512_mask_blend_epi32(m, b, a); }
SIMD_FN vf vf_mask01(vm m) { return _mm512_maskz_mov_ps(m, _mm512_set1_ps(1.0f)); }
SIMD_FN vi vi_from_vm(vm m) { return _mm512_movm_epi32(m); }
SIMD_FN vm vm_from_vi(vi v) { return _mm512_movepi32_mask(v); }
SIMD_FN bool vm_any(vm m) { return m != 0; }
SIMD_FN bool vm_all(vm m) { return m == 0xFFFFu; }
SIMD_FN uint32_t vm_bits(vm m) { return m; }
SIMD_FN uint64_t vm_bits4(vm a, vm b, vm c, vm d) {
    return (uint64_t)a | (uint64_t)b << 16 | (uint64_t)c << 32 | (uint64_t)d << 48;      /* kunpck: port 5 again */
}
SIMD_FN vm vm_load(const int32_t *p) { return _mm512_movepi32_mask(_mm512_load_si512(p)); }
SIMD_FN vm vm_from_bits(uint32_t bits) { return (vm)bits; }
SIMD_FN void vm_storemask_f(float *p, vm m, vf v) { _mm512_mask_storeu_ps(p, m, v); }

SIMD_FN vi vi_from_vf_fast(vf a) { return _mm512_cvttps_epi32(a); }
SIMD_FN vi vi_from_vf_rint_fast(vf a) { return _mm512_cvtps_epi32(a); }
/* The conversion gives INT32_MIN for all it cannot represent: replace it for large values, clear NaNs. */
SIMD_FN vi vi_from_vf_trunc(vf a) {
    __m512i r = _mm512_maskz_cvttps_epi32(_mm512_cmp_ps_mask(a, a, _CMP_ORD_Q), a);
    __mmask16 large = _mm512_cmp_ps_mask(a, _mm512_set1_ps(2147483648.0f), _CMP_GE_OQ);
    return _mm512_mask_mov_epi32(r, large, _mm512_set1_epi32(INT32_MAX));
}
SIMD_FN vf vf_from_vi(vi a) { return _mm512_cvtepi32_ps(a); }
SIMD_FN vd vd_lo_from_vf(vf a) { return _mm512_cvtps_pd(_mm512_castps512_ps256(a)); }
SIMD_FN vd vd_hi_from_vf(vf a) { return _mm512_cvtps_pd(_mm512_extractf32x8_ps(a, 1)); }
SIMD_FN vd vd_lo_from_vi(vi a) { return _mm512_cvtepi32_pd(_mm512_castsi512_si256(a)); }
SIMD_FN vd vd_hi_from_vi(vi a) { return _mm512_cvtepi32_pd(_mm512_extracti32x8_epi32(a, 1)); }
SIMD_FN vf vf_from_vd(vd lo, vd hi) {
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(lo)), _mm512_cvtpd_ps(hi), 1);
}
SIMD_FN vi vi_from_vd_rint(vd lo, vd hi) {
    return _mm512_inserti32x8(_mm512_castsi256_si512(_mm512_cvtpd_epi32(lo)),
                              _mm512_cvtpd_epi32(hi), 1);
}
SIMD_FN vi vi_from_vd_whole(vd lo, vd hi) {
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_epi32(_mm512_srli_epi64(_mm512_castpd_si512(lo), 20), even,
                                     _mm512_srli_epi64(_mm512_castpd_si512(hi), 20));
}

SIMD_FN vi vi_add(vi a, vi b) { return _mm512_add_epi32(a, b); }
SIMD_FN vi vi_sub(vi a, vi b) { return _mm512_sub_epi32(a, b); }
SIMD_FN vi vi_mul16(vi a, vi b) { return _mm512_mullo_epi16(a, b); }
SIMD_FN vi vi_mul(vi a, vi b) { return _mm512_mullo_epi32(a, b); }
SIMD_FN vi vi_mul_small(vi a, vi b) { return _mm512_madd_epi16(a, b); }
SIMD_FN vi vi_and(vi a, vi b) { return _mm512_and_si512(a, b); }
SIMD_FN vi vi_or(vi a, vi b) { return _mm512_or_si512(a, b); }
SIMD_FN vi vi_xor(vi a, vi b) { return _mm512_xor_si512(a, b); }
SIMD_FN vi vi_andnot(vi a, vi b) { return _mm512_andnot_si512(a, b); }
SIMD_FN vi vi_shl(vi v, int n) { return _mm512_sllv_epi32(v, _mm512_set1_epi32(n)); }
SIMD_FN vi vi_shr(vi v, int n) { return _mm512_srlv_epi32(v, _mm512_set1_epi32(n)); }
SIMD_FN vi vi_sar(vi v, int n) { return _mm512_srav_epi32(v, _mm512_set1_epi32(n)); }
/* The instructions give 0 for counts outside 0..31, so at most one side is not zero (both are v at 0). */
SIMD_FN vi vi_shlv(vi v, vi n) {
    __m512i right = _mm512_srlv_epi32(v, _mm512_sub_epi32(_mm512_setzero_si512(), n));
    return _mm512_or_si512(_mm512_sllv_epi32(v, n), right);
}
SIMD_FN vi vi_min(vi a, vi b) { return _mm512_min_epi32(a, b); }
SIMD_FN vi vi_max(vi a, vi b) { return _mm512_max_epi32(a, b); }

SIMD_FN vf vf_quad_first(vf v) { return _mm512_permute_ps(v, 0); }
SIMD_FN vf vf_quad_ddx(vf v) {
    return _mm512_sub_ps(_mm512_permute_ps(v, _MM_SHUFFLE(3, 3, 1, 1)),
                         _mm512_permute_ps(v, _MM_SHUFFLE(2, 2, 0, 0)));
}
SIMD_FN vf vf_quad_ddy(vf v) {
    return _mm512_sub_ps(_mm512_permute_ps(v, _MM_SHUFFLE(3, 2, 3, 2)),
                         _mm512_permute_ps(v, _MM_SHUFFLE(1, 0, 1, 0)));
}
SIMD_FN void vi_madd_halves(vi a, vi b, vi w, vi *low, vi *high) {
    const __mmask32 upper = 0xAAAAAAAAu;
    *low = _mm512_madd_epi16(_mm512_mask_blend_epi16(upper, a, _mm512_slli_epi32(b, 16)), w);
    *high = _mm512_madd_epi16(_mm512_mask_blend_epi16(upper, _mm512_srli_epi32(a, 16), b), w);
}
SIMD_FN vi vi_hidden(vi v) {
    __asm__("" : "+v"(v));
    return v;
}
SIMD_FN vi vi_low_byte_twice(vi v) {
    const __m128i bytes = _mm_setr_epi8(0, -1, 0, -1, 4, -1, 4, -1, 8, -1, 8, -1, 12, -1, 12, -1);
    return _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(bytes));
}
SIMD_FN vi vi_odd_bytes(vi v) { return _mm512_srli_epi16(v, 8); }
SIMD_FN vi vi_unpack_u8(vi v, int k) { return vi_and(vi_shr(v, 8 * k), vi_set1(255)); }
SIMD_FN vi vi_pack_rgba8(vi r, vi g, vi b, vi a) {
    return vi_or(vi_or(r, vi_shl(g, 8)), vi_or(vi_shl(b, 16), vi_shl(a, 24)));
}

SIMD_FN vi vi_load_rows(const void *p0, const void *p1) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)p0)),
                              _mm256_loadu_si256((const __m256i *)p1), 1);
}
SIMD_FN vi vi_load_rows_u16(const void *p0, const void *p1) {
    __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)p0)),
                                           _mm_loadu_si128((const __m128i *)p1), 1);
    return _mm512_cvtepu16_epi32(both);
}
SIMD_FN void vi_store_row_lo(void *p, vi v) { _mm256_storeu_si256((__m256i *)p, _mm512_castsi512_si256(v)); }
SIMD_FN void vi_store_row_hi(void *p, vi v) {
    _mm256_storeu_si256((__m256i *)p, _mm512_extracti64x4_epi64(v, 1));
}
SIMD_FN void vi_store_row_lo_u16(void *p, vi v) {
    _mm_storeu_si128((__m128i *)p, _mm256_castsi256_si128(_mm512_cvtepi32_epi16(v)));
}
SIMD_FN void vi_store_row_hi_u16(void *p, vi v) {
    _mm_storeu_si128((__m128i *)p, _mm256_extracti128_si256(_mm512_cvtepi32_epi16(v), 1));
}

SIMD_FN __m128i simd_four(vi v, int g) {
    return g == 0   ? _mm512_castsi512_si128(v)
           : g == 1 ? _mm512_extracti32x4_epi32(v, 1)
           : g == 2 ? _mm512_extracti32x4_epi32(v, 2)
                    : _mm512_extracti32x4_epi32(v, 3);
}
SIMD_FN vi vi_load_fours(const uint8_t *const *p) {
    __m128i a = _mm_loadu_si128((const __m128i *)(const void *)p[0]);
    __m128i c = _mm_loadu_si128((const __m128i *)(const void *)p[2]);
    __m256i lo = _mm256_inserti128_si256(_mm256_castsi128_si256(a), _mm_loadu_si128((const __m128i *)(const void *)p[1]), 1);
    __m256i hi = _mm256_inserti128_si256(_mm256_castsi128_si256(c), _mm_loadu_si128((const __m128i *)(const void *)p[3]), 1);
    return _mm512_inserti64x4(_mm512_castsi256_si512(lo), hi, 1);
}
SIMD_FN vi vi_load_fours_u16(const uint8_t *const *p) {
    __m128i a = _mm_loadl_epi64((const __m128i *)(const void *)p[0]);
    __m128i c = _mm_loadl_epi64((const __m128i *)(const void *)p[2]);
    __m128i lo = _mm_unpacklo_epi64(a, _mm_loadl_epi64((const __m128i *)(const void *)p[1]));
    __m128i hi = _mm_unpacklo_epi64(c, _mm_loadl_epi64((const __m128i *)(const void *)p[3]));
    return _mm512_cvtepu16_epi32(_mm256_inserti128_si256(_mm256_castsi128_si256(lo), hi, 1));
}
#include "vm/base/simd_x86.h"

SIMD_FN vi simd_fours(__m128i a, __m128i b, __m128i c, __m128i d) {
    __m256i lo = _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1);
    __m256i hi = _mm256_inserti128_si256(_mm256_castsi128_si256(c), d, 1);
    return _mm512_inserti64x4(_mm512_castsi256_si512(lo), hi, 1);
}
SIMD_FN vi vi_load_quads(const uint8_t *const *p0, const uint8_t *const *p1) {
    return simd_fours(simd_quad(p0[0], p1[0]), simd_quad(p0[1], p1[1]), simd_quad(p0[2], p1[2]), simd_quad(p0[3], p1[3]));
}
SIMD_FN vi vi_load_quads_u16(const uint8_t *const *p0, const uint8_t *const *p1) {
    return simd_fours(simd_quad_u16(p0[0], p1[0]), simd_quad_u16(p0[1], p1[1]), simd_quad_u16(p0[2], p1[2]),
                      simd_quad_u16(p0[3], p1[3]));
}
#define SIMD_LANE_STORES 1
SIMD_FN void vi_put_quad(void *p0, void *p1, vi v, int g, uint32_t lanes) {
    const __m128i four = simd_four(v, g);
    _mm_mask_storeu_epi32(p0, (__mmask8)(lanes & 3u), four);
    _mm_mask_storeu_epi32(p1, (__mmask8)(lanes >> 2), _mm_unpackhi_epi64(four, four));
}
SIMD_FN vi vi_load_block(const void *p0, const void *p1) {
    __m512i pairs = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    return _mm512_permutexvar_epi64(pairs, vi_load_rows(p0, p1));
}
SIMD_FN void vi_store_block(void *p0, void *p1, vi v) {
    __m512i rows = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), v);
    vi_store_row_hi(p1, rows);
    vi_store_row_lo(p0, rows);
}
SIMD_FN vf vf_spread(const float *p) {
    __m512 four = _mm512_castps128_ps512(_mm_loadu_ps(p));
    return _mm512_permutexvar_ps(_mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3), four);
}
SIMD_FN vi vi_load_u8(const void *p) { return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p)); }
SIMD_FN vf vf_spread_u8(const uint8_t *p) {
    int32_t four;
    memcpy(&four, p, sizeof four);
    const __m512i place = _mm512_setr_epi32(~0xFF, ~0xFF, ~0xFF, ~0xFF, ~0xFE, ~0xFE, ~0xFE, ~0xFE, ~0xFD, ~0xFD, ~0xFD,
                                            ~0xFD, ~0xFC, ~0xFC, ~0xFC, ~0xFC);
    return _mm512_cvtepi32_ps(_mm512_shuffle_epi8(_mm512_set1_epi32(four), place));
}
#define vf_quad_pick(v, k) _mm512_permute_ps(v, (k) * 0x55)
SIMD_FN vi vi_deal4(vi v) {
    return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), v);
}
SIMD_FN void vi_transpose4(vi v[4]) {
    __m512i ab = _mm512_unpacklo_epi32(v[0], v[1]), AB = _mm512_unpackhi_epi32(v[0], v[1]);
    __m512i cd = _mm512_unpacklo_epi32(v[2], v[3]), CD = _mm512_unpackhi_epi32(v[2], v[3]);
    v[0] = _mm512_unpacklo_epi64(ab, cd);
    v[1] = _mm512_unpackhi_epi64(ab, cd);
    v[2] = _mm512_unpacklo_epi64(AB, CD);
    v[3] = _mm512_unpackhi_epi64(AB, CD);
}
#define SIMD_TABLES 1
SIMD_FN vi vi_pick16(vi v, vi index) { return _mm512_permutexvar_epi32(index, v); }
SIMD_FN vf vf_pick32(vf a, vf b, vi index) { return _mm512_permutex2var_ps(a, index, b); }
/* Bits that are set in words below 2^16. */
SIMD_FN vi vi_popcount16(vi v) {
    const __m512i count = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i low = _mm512_set1_epi32(0x0F0F);
    const __m512i each = _mm512_add_epi8(_mm512_shuffle_epi8(count, _mm512_and_si512(v, low)),
                                         _mm512_shuffle_epi8(count, _mm512_and_si512(_mm512_srli_epi32(v, 4), low)));
    return _mm512_maddubs_epi16(each, _mm512_set1_epi32(0x0101));
}
SIMD_FN void vi_load3(const int32_t *p, vi *a, vi *b, vi *c) {
    __m512i v0 = vi_loadu(p), v1 = vi_loadu(p + 16), v2 = vi_loadu(p + 32), third = vi_iota();
    __m512i at = _mm512_add_epi32(third, _mm512_add_epi32(third, third));      /* of 0..31, then of v2 */
    __m512i one = _mm512_set1_epi32(1), at_b = _mm512_add_epi32(at, one), at_c = _mm512_add_epi32(at_b, one);
    *a = _mm512_mask_permutexvar_epi32(_mm512_permutex2var_epi32(v0, at, v1), 0xF800, at, v2);
    *b = _mm512_mask_permutexvar_epi32(_mm512_permutex2var_epi32(v0, at_b, v1), 0xF800, at_b, v2);
    *c = _mm512_mask_permutexvar_epi32(_mm512_permutex2var_epi32(v0, at_c, v1), 0xFC00, at_c, v2);
}

/* SSE code that runs after dirty upper halves is up to four times slower (performance.md A.6). */
SIMD_FN void simd_leave(void) { _mm256_zeroupper(); }

#endif
