/* SPDX-License-Identifier: MIT */
/*
 * Four lanes with SSE2 only (the amd64 baseline): no blend, no rounding instruction, no 32-bit
 * multiply; those are written out. Every operation gives the bits of simd_scalar.h.
 */
#ifndef VM_BASE_SIMD_SSE_H
#define VM_BASE_SIMD_SSE_H

#include <emmintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "vm/base/bits.h"

#define SIMD_N 4
#define SIMD_FN static inline __attribute__((always_inline))

typedef __m128 vf;
typedef __m128i vi;
typedef __m128 vm;        /* all-ones or zero a lane */
typedef __m128d vd;

SIMD_FN vf vf_load(const float *p) { return _mm_load_ps(p); }
SIMD_FN vf vf_loadu(const float *p) { return _mm_loadu_ps(p); }
SIMD_FN void vf_store(float *p, vf v) { _mm_store_ps(p, v); }
SIMD_FN void vf_storeu(float *p, vf v) { _mm_storeu_ps(p, v); }
SIMD_FN vi vi_load(const int32_t *p) { return _mm_load_si128((const __m128i *)(const void *)p); }
SIMD_FN vi vi_loadu(const int32_t *p) { return _mm_loadu_si128((const __m128i *)(const void *)p); }
SIMD_FN void vi_store(int32_t *p, vi v) { _mm_store_si128((__m128i *)(void *)p, v); }
SIMD_FN void vi_storeu(int32_t *p, vi v) { _mm_storeu_si128((__m128i *)(void *)p, v); }
SIMD_FN vf vf_set1(float x) { return _mm_set1_ps(x); }
SIMD_FN vi vi_set1(int32_t x) { return _mm_set1_epi32(x); }
SIMD_FN vd vd_set1(double x) { return _mm_set1_pd(x); }
SIMD_FN vf vf_zero(void) { return _mm_setzero_ps(); }
SIMD_FN vi vi_zero(void) { return _mm_setzero_si128(); }
SIMD_FN vf vf_iota(void) { return _mm_setr_ps(0.0f, 1.0f, 2.0f, 3.0f); }
SIMD_FN vi vi_iota(void) { return _mm_setr_epi32(0, 1, 2, 3); }

SIMD_FN vi vf_as_vi(vf a) { return _mm_castps_si128(a); }
SIMD_FN vf vi_as_vf(vi a) { return _mm_castsi128_ps(a); }

/* Lane k of an integer vector; k constant. */
#define SIMD_LANE(v, k) _mm_cvtsi128_si32(_mm_shuffle_epi32(v, (k) * 0x55))

SIMD_FN int32_t simd_load32(const void *p) {
    int32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
SIMD_FN vi vi_gather_bytes(const void *base, vi o) {
    const char *p = (const char *)base;
    __m128i a = _mm_cvtsi32_si128(simd_load32(p + _mm_cvtsi128_si32(o)));
    __m128i b = _mm_cvtsi32_si128(simd_load32(p + SIMD_LANE(o, 1)));
    __m128i c = _mm_cvtsi32_si128(simd_load32(p + SIMD_LANE(o, 2)));
    __m128i d = _mm_cvtsi32_si128(simd_load32(p + SIMD_LANE(o, 3)));
    return _mm_unpacklo_epi64(_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d));
}
/* Two words at p0 in the low half, two at p1 in the high one. */
SIMD_FN __m128 simd_two_pairs(const char *p0, const char *p1) {
    const __m128 lo = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)p0));
    return _mm_loadh_pi(lo, (const __m64 *)(const void *)p1);
}
/* Indices are not negative, so two at a time come as halves of a 64-bit word. */
SIMD_FN void vi_gather_squares(const void *p0, const void *p1, vi i, vi v[4]) {
#if defined(__x86_64__)
    const uint64_t lo = (uint64_t)_mm_cvtsi128_si64(i), hi = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(i, i));
    const size_t a = (uint32_t)lo, b = lo >> 32, c = (uint32_t)hi, d = hi >> 32;
#else
    const size_t a = (uint32_t)_mm_cvtsi128_si32(i), b = (uint32_t)SIMD_LANE(i, 1);
    const size_t c = (uint32_t)SIMD_LANE(i, 2), d = (uint32_t)SIMD_LANE(i, 3);
#endif
    const char *q0 = (const char *)p0, *q1 = (const char *)p1;
    __m128 ab = simd_two_pairs(q0 + 4 * a, q0 + 4 * b), cd = simd_two_pairs(q0 + 4 * c, q0 + 4 * d);
    v[0] = _mm_castps_si128(_mm_shuffle_ps(ab, cd, _MM_SHUFFLE(2, 0, 2, 0)));
    v[1] = _mm_castps_si128(_mm_shuffle_ps(ab, cd, _MM_SHUFFLE(3, 1, 3, 1)));
    ab = simd_two_pairs(q1 + 4 * a, q1 + 4 * b);
    cd = simd_two_pairs(q1 + 4 * c, q1 + 4 * d);
    v[2] = _mm_castps_si128(_mm_shuffle_ps(ab, cd, _MM_SHUFFLE(2, 0, 2, 0)));
    v[3] = _mm_castps_si128(_mm_shuffle_ps(ab, cd, _MM_SHUFFLE(3, 1, 3, 1)));
}
SIMD_FN vi vi_gather(const int32_t *base, vi i) {
    __m128i a = _mm_cvtsi32_si128(base[_mm_cvtsi128_si32(i)]);
    __m128i b = _mm_cvtsi32_si128(base[SIMD_LANE(i, 1)]);
    __m128i c = _mm_cvtsi32_si128(base[SIMD_LANE(i, 2)]);
    __m128i d = _mm_cvtsi32_si128(base[SIMD_LANE(i, 3)]);
    return _mm_unpacklo_epi64(_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d));
}
SIMD_FN vf vf_gather(const float *base, vi i) {
    __m128 a = _mm_load_ss(base + _mm_cvtsi128_si32(i));
    __m128 b = _mm_load_ss(base + SIMD_LANE(i, 1));
    __m128 c = _mm_load_ss(base + SIMD_LANE(i, 2));
    __m128 d = _mm_load_ss(base + SIMD_LANE(i, 3));
    return _mm_movelh_ps(_mm_unpacklo_ps(a, b), _mm_unpacklo_ps(c, d));
}

SIMD_FN vf simd_sign_bit(void) { return _mm_castsi128_ps(_mm_set1_epi32(INT32_MIN)); }
SIMD_FN vf vf_add(vf a, vf b) { return _mm_add_ps(a, b); }
SIMD_FN vf vf_sub(vf a, vf b) { return _mm_sub_ps(a, b); }
SIMD_FN vf vf_mul(vf a, vf b) { return _mm_mul_ps(a, b); }
SIMD_FN vf vf_div(vf a, vf b) { return _mm_div_ps(a, b); }
SIMD_FN vf vf_sqrt(vf a) { return _mm_sqrt_ps(a); }
SIMD_FN vf vf_neg(vf a) { return _mm_xor_ps(a, simd_sign_bit()); }
SIMD_FN vf vf_abs(vf a) { return _mm_andnot_ps(simd_sign_bit(), a); }
SIMD_FN vf vf_min(vf a, vf b) { return _mm_min_ps(a, b); }
SIMD_FN vf vf_max(vf a, vf b) { return _mm_max_ps(a, b); }
SIMD_FN vf vf_madd(vf a, vf b, vf c) { return _mm_add_ps(_mm_mul_ps(a, b), c); }

SIMD_FN vm vf_lt(vf a, vf b) { return _mm_cmplt_ps(a, b); }
SIMD_FN vm vf_le(vf a, vf b) { return _mm_cmple_ps(a, b); }
SIMD_FN vm vf_gt(vf a, vf b) { return _mm_cmpgt_ps(a, b); }
SIMD_FN vm vf_ge(vf a, vf b) { return _mm_cmpge_ps(a, b); }
SIMD_FN vm vf_eq(vf a, vf b) { return _mm_cmpeq_ps(a, b); }
SIMD_FN vm vf_ne(vf a, vf b) { return _mm_cmpneq_ps(a, b); }
SIMD_FN vm vf_unord(vf a, vf b) { return _mm_cmpunord_ps(a, b); }
SIMD_FN vm vi_eq(vi a, vi b) { return _mm_castsi128_ps(_mm_cmpeq_epi32(a, b)); }
SIMD_FN vm vi_lt(vi a, vi b) { return _mm_castsi128_ps(_mm_cmplt_epi32(a, b)); }
SIMD_FN vm vi_gt(vi a, vi b) { return _mm_castsi128_ps(_mm_cmpgt_epi32(a, b)); }

SIMD_FN vm vm_and(vm a, vm b) { return _mm_and_ps(a, b); }
SIMD_FN vm vm_or(vm a, vm b) { return _mm_or_ps(a, b); }
SIMD_FN vm vm_xor(vm a, vm b) { return _mm_xor_ps(a, b); }
SIMD_FN vm vm_true(void) { return _mm_castsi128_ps(_mm_set1_epi32(-1)); }
SIMD_FN vm vm_false(void) { return _mm_setzero_ps(); }
SIMD_FN vm vm_not(vm a) { return _mm_xor_ps(a, vm_true()); }
SIMD_FN vm vm_andnot(vm a, vm b) { return _mm_andnot_ps(a, b); }
SIMD_FN vf vf_sel(vm m, vf a, vf b) { return _mm_or_ps(_mm_and_ps(m, a), _mm_andnot_ps(m, b)); }
SIMD_FN vi vi_sel(vm m, vi a, vi b) {
    __m128i k = _mm_castps_si128(m);
    return _mm_or_si128(_mm_and_si128(k, a), _mm_andnot_si128(k, b));
}
SIMD_FN vf vf_mask01(vm m) { return _mm_and_ps(m, _mm_set1_ps(1.0f)); }
SIMD_FN vi vi_from_vm(vm m) { return _mm_castps_si128(m); }
SIMD_FN vm vm_from_vi(vi v) { return _mm_castsi128_ps(_mm_srai_epi32(v, 31)); }
SIMD_FN bool vm_any(vm m) { return _mm_movemask_ps(m) != 0; }
SIMD_FN bool vm_all(vm m) { return _mm_movemask_ps(m) == 15; }
SIMD_FN uint32_t vm_bits(vm m) { return (uint32_t)_mm_movemask_ps(m); }
SIMD_FN uint64_t vm_bits4(vm a, vm b, vm c, vm d) {
    __m128i lo = _mm_packs_epi32(_mm_castps_si128(a), _mm_castps_si128(b));
    __m128i hi = _mm_packs_epi32(_mm_castps_si128(c), _mm_castps_si128(d));
    return (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_packs_epi16(lo, hi));
}
SIMD_FN vm vm_load(const int32_t *p) { return _mm_load_ps((const float *)(const void *)p); }
SIMD_FN vm vm_from_bits(uint32_t bits) {
    __m128i lane = _mm_setr_epi32(1, 2, 4, 8);
    return vi_eq(_mm_and_si128(_mm_set1_epi32((int32_t)bits), lane), lane);
}
SIMD_FN void vm_storemask_f(float *p, vm m, vf v) { vf_storeu(p, vf_sel(m, v, vf_loadu(p))); }

/* |a| + 2^23 - 2^23 with a's sign, for |a| < 2^23. */
SIMD_FN vf simd_rint_small(vf a) {
    vf big = _mm_set1_ps(8388608.0f), sign = _mm_and_ps(a, simd_sign_bit());
    return _mm_or_ps(_mm_sub_ps(_mm_add_ps(vf_abs(a), big), big), sign);
}
SIMD_FN vm simd_is_small(vf a) { return _mm_cmplt_ps(vf_abs(a), _mm_set1_ps(8388608.0f)); }
SIMD_FN vf vf_rint(vf a) { return vf_sel(simd_is_small(a), simd_rint_small(a), a); }
/* Truncation by conversion: exact below 2^23; the sign comes back for results of zero. */
SIMD_FN vf simd_trunc_small(vf a) { return _mm_cvtepi32_ps(_mm_cvttps_epi32(a)); }
SIMD_FN vf vf_trunc(vf a) {
    vf r = _mm_or_ps(simd_trunc_small(a), _mm_and_ps(a, simd_sign_bit()));
    return vf_sel(simd_is_small(a), r, a);
}
SIMD_FN vf vf_floor(vf a) {
    vf r = simd_trunc_small(a);
    r = _mm_sub_ps(r, _mm_and_ps(_mm_cmpgt_ps(r, a), _mm_set1_ps(1.0f)));
    r = _mm_or_ps(r, _mm_and_ps(a, simd_sign_bit()));
    return vf_sel(simd_is_small(a), r, a);
}
/* The same by SSE4.1, for code that runs only where cpu_rounds says so; not an intrinsic, which the compiler would refuse. */
#if defined(__GNUC__)
#define SIMD_FLOOR_SSE41 1
SIMD_FN vf simd_floor_sse41(vf a) {
    vf r;
    __asm__("roundps $9, %1, %0" : "=x"(r) : "x"(a));
    return r;
}
#endif
SIMD_FN vf vf_ceil(vf a) {
    vf r = simd_trunc_small(a);
    r = _mm_add_ps(r, _mm_and_ps(_mm_cmplt_ps(r, a), _mm_set1_ps(1.0f)));
    r = _mm_or_ps(r, _mm_and_ps(a, simd_sign_bit()));
    return vf_sel(simd_is_small(a), r, a);
}

SIMD_FN vd vd_add(vd a, vd b) { return _mm_add_pd(a, b); }
SIMD_FN vd vd_sub(vd a, vd b) { return _mm_sub_pd(a, b); }
SIMD_FN vd vd_mul(vd a, vd b) { return _mm_mul_pd(a, b); }
SIMD_FN vd vd_div(vd a, vd b) { return _mm_div_pd(a, b); }
SIMD_FN vd vd_min(vd a, vd b) { return _mm_min_pd(a, b); }
SIMD_FN vd vd_max(vd a, vd b) { return _mm_max_pd(a, b); }
SIMD_FN vd vd_floor(vd a) {
    __m128d sign = _mm_castsi128_pd(_mm_set_epi32(INT32_MIN, 0, INT32_MIN, 0));
    __m128d big = _mm_set1_pd(4503599627370496.0), m = _mm_andnot_pd(sign, a);
    __m128d s = _mm_and_pd(a, sign);
    __m128d r = _mm_or_pd(_mm_sub_pd(_mm_add_pd(m, big), big), s);
    r = _mm_or_pd(_mm_sub_pd(r, _mm_and_pd(_mm_cmpgt_pd(r, a), _mm_set1_pd(1.0))), s);
    __m128d small = _mm_cmplt_pd(m, big);
    return _mm_or_pd(_mm_and_pd(small, r), _mm_andnot_pd(small, a));
}

SIMD_FN vi vi_from_vf_fast(vf a) { return _mm_cvttps_epi32(a); }
SIMD_FN vi vi_from_vf_rint_fast(vf a) { return _mm_cvtps_epi32(a); }
/* The conversion gives INT32_MIN for all it cannot represent: flip it for large values, clear NaNs. */
SIMD_FN vi vi_from_vf_trunc(vf a) {
    __m128i r = _mm_cvttps_epi32(a);
    r = _mm_xor_si128(r, _mm_castps_si128(_mm_cmpge_ps(a, _mm_set1_ps(2147483648.0f))));
    return _mm_and_si128(r, _mm_castps_si128(_mm_cmpord_ps(a, a)));
}
SIMD_FN vf vf_from_vi(vi a) { return _mm_cvtepi32_ps(a); }
SIMD_FN vd vd_lo_from_vf(vf a) { return _mm_cvtps_pd(a); }
SIMD_FN vd vd_hi_from_vf(vf a) { return _mm_cvtps_pd(_mm_movehl_ps(a, a)); }
SIMD_FN vd vd_lo_from_vi(vi a) { return _mm_cvtepi32_pd(a); }
SIMD_FN vd vd_hi_from_vi(vi a) { return _mm_cvtepi32_pd(_mm_unpackhi_epi64(a, a)); }
SIMD_FN vf vf_from_vd(vd lo, vd hi) { return _mm_movelh_ps(_mm_cvtpd_ps(lo), _mm_cvtpd_ps(hi)); }
SIMD_FN vi vi_from_vd_rint(vd lo, vd hi) {
    return _mm_unpacklo_epi64(_mm_cvtpd_epi32(lo), _mm_cvtpd_epi32(hi));
}
SIMD_FN vi vi_from_vd_whole(vd lo, vd hi) {
    const __m128 a = _mm_castsi128_ps(_mm_srli_epi64(_mm_castpd_si128(lo), 20));
    const __m128 b = _mm_castsi128_ps(_mm_srli_epi64(_mm_castpd_si128(hi), 20));
    return _mm_castps_si128(_mm_shuffle_ps(a, b, 0x88));
}

SIMD_FN vi vi_add(vi a, vi b) { return _mm_add_epi32(a, b); }
SIMD_FN vi vi_sub(vi a, vi b) { return _mm_sub_epi32(a, b); }
SIMD_FN vi vi_mul16(vi a, vi b) { return _mm_mullo_epi16(a, b); }
SIMD_FN vi vi_mul_small(vi a, vi b) { return _mm_madd_epi16(a, b); }
SIMD_FN vi vi_mul(vi a, vi b) {
    __m128i even = _mm_mul_epu32(a, b);
    __m128i odd = _mm_mul_epu32(_mm_srli_epi64(a, 32), _mm_srli_epi64(b, 32));
    return _mm_unpacklo_epi32(_mm_shuffle_epi32(even, _MM_SHUFFLE(0, 0, 2, 0)),
                              _mm_shuffle_epi32(odd, _MM_SHUFFLE(0, 0, 2, 0)));
}
SIMD_FN vi vi_and(vi a, vi b) { return _mm_and_si128(a, b); }
SIMD_FN vi vi_or(vi a, vi b) { return _mm_or_si128(a, b); }
SIMD_FN vi vi_xor(vi a, vi b) { return _mm_xor_si128(a, b); }
SIMD_FN vi vi_andnot(vi a, vi b) { return _mm_andnot_si128(a, b); }
SIMD_FN vi vi_shl(vi v, int n) { return _mm_slli_epi32(v, n); }
SIMD_FN vi vi_shr(vi v, int n) { return _mm_srli_epi32(v, n); }
SIMD_FN vi vi_sar(vi v, int n) { return _mm_srai_epi32(v, n); }
/* SSE2 has no per-lane counts: four scalar shifts (a rare operation). */
SIMD_FN vi vi_shlv(vi v, vi n) {
    int32_t a[4], c[4];
    vi_storeu(a, v);
    vi_storeu(c, n);
    for (int i = 0; i < 4; i++) {
        uint32_t u = (uint32_t)a[i];
        uint32_t left = c[i] >= 0 && c[i] <= 31 ? u << (c[i] & 31) : 0u;
        a[i] = (int32_t)(c[i] < 0 && c[i] >= -31 ? u >> (-c[i] & 31) : left);
    }
    return vi_loadu(a);
}
SIMD_FN vi vi_min(vi a, vi b) { return vi_sel(vi_lt(a, b), a, b); }
SIMD_FN vi vi_max(vi a, vi b) { return vi_sel(vi_gt(a, b), a, b); }

SIMD_FN vf vf_quad_first(vf v) { return _mm_shuffle_ps(v, v, 0); }
SIMD_FN vf vf_quad_ddx(vf v) {
    return _mm_sub_ps(_mm_shuffle_ps(v, v, _MM_SHUFFLE(3, 3, 1, 1)),
                      _mm_shuffle_ps(v, v, _MM_SHUFFLE(2, 2, 0, 0)));
}
SIMD_FN vf vf_quad_ddy(vf v) {
    return _mm_sub_ps(_mm_movehl_ps(v, v), _mm_movelh_ps(v, v));
}
/* Pairs of halves side by side multiply and add; within halves of 128 bits the lanes end up in order. */
SIMD_FN void vi_madd_halves(vi a, vi b, vi w, vi *low, vi *high) {
    vi p = _mm_madd_epi16(_mm_unpacklo_epi16(a, b), _mm_unpacklo_epi32(w, w));
    vi q = _mm_madd_epi16(_mm_unpackhi_epi16(a, b), _mm_unpackhi_epi32(w, w));
    vf pf = vi_as_vf(p), qf = vi_as_vf(q);
    *low = vf_as_vi(_mm_shuffle_ps(pf, qf, _MM_SHUFFLE(2, 0, 2, 0)));
    *high = vf_as_vi(_mm_shuffle_ps(pf, qf, _MM_SHUFFLE(3, 1, 3, 1)));
}
SIMD_FN vi vi_hidden(vi v) {
    __asm__("" : "+x"(v));
    return v;
}
SIMD_FN vi vi_low_byte_twice(vi v) {
    __m128i b = _mm_and_si128(v, _mm_set1_epi32(255));
    return _mm_or_si128(b, _mm_slli_epi32(b, 16));
}
SIMD_FN vi vi_odd_bytes(vi v) { return _mm_srli_epi16(v, 8); }
SIMD_FN vi vi_unpack_u8(vi v, int k) {
    return _mm_and_si128(_mm_srli_epi32(v, 8 * k), _mm_set1_epi32(255));
}
SIMD_FN vi vi_pack_rgba8(vi r, vi g, vi b, vi a) {
    return _mm_or_si128(_mm_or_si128(r, _mm_slli_epi32(g, 8)),
                        _mm_or_si128(_mm_slli_epi32(b, 16), _mm_slli_epi32(a, 24)));
}

SIMD_FN vi vi_load_rows(const void *p0, const void *p1) {
    (void)p1;
    return _mm_loadu_si128((const __m128i *)p0);
}
SIMD_FN vi vi_load_rows_u16(const void *p0, const void *p1) {
    (void)p1;
    return _mm_unpacklo_epi16(_mm_loadl_epi64((const __m128i *)p0), _mm_setzero_si128());
}
SIMD_FN vi vi_load_u8(const void *p) {
    int32_t four;
    memcpy(&four, p, sizeof four);
    __m128i v = _mm_unpacklo_epi8(_mm_cvtsi32_si128(four), _mm_setzero_si128());
    return _mm_unpacklo_epi16(v, _mm_setzero_si128());
}
SIMD_FN vf vf_spread_u8(const uint8_t *p) { return _mm_set1_ps((float)*p); }
#define SIMD_LANE_STORES 0
#define SIMD_TABLES 0
#define SIMD_PICKS 0
SIMD_FN void vi_store_row_lo(void *p, vi v) { _mm_storeu_si128((__m128i *)p, v); }
SIMD_FN void vi_store_row_hi(void *p, vi v) {
    (void)p;
    (void)v;
}
/* Packing saturates signed values: the sign of the low half is spread first. */
SIMD_FN void vi_store_row_lo_u16(void *p, vi v) {
    __m128i half = _mm_srai_epi32(_mm_slli_epi32(v, 16), 16);
    _mm_storel_epi64((__m128i *)p, _mm_packs_epi32(half, half));
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
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)p0), _mm_loadl_epi64((const __m128i *)p1));
}
SIMD_FN vi simd_quad_u16(const void *p0, const void *p1) {
    __m128i pairs = _mm_unpacklo_epi32(_mm_cvtsi32_si128(simd_load32(p0)), _mm_cvtsi32_si128(simd_load32(p1)));
    return _mm_unpacklo_epi16(pairs, _mm_setzero_si128());
}
SIMD_FN void simd_put_quad(void *p0, void *p1, __m128i v) {
    _mm_storeh_pi((__m64 *)p1, _mm_castsi128_ps(v));
    _mm_storel_epi64((__m128i *)p0, v);
}
SIMD_FN void simd_put_quad_u16(void *p0, void *p1, __m128i v) {
    __m128i half = _mm_srai_epi32(_mm_slli_epi32(v, 16), 16);
    half = _mm_packs_epi32(half, half);
    int32_t low = _mm_cvtsi128_si32(half), high = SIMD_LANE(half, 1);
    memcpy(p1, &high, sizeof high);
    memcpy(p0, &low, sizeof low);
}
SIMD_FN vi vi_load_quads(const uint8_t *const *p0, const uint8_t *const *p1) { return simd_quad(p0[0], p1[0]); }
SIMD_FN vi vi_load_quads_u16(const uint8_t *const *p0, const uint8_t *const *p1) { return simd_quad_u16(p0[0], p1[0]); }
SIMD_FN void vi_store_quad(void *p0, void *p1, vi v, int g) {
    (void)g;
    simd_put_quad(p0, p1, v);
}
SIMD_FN void vi_store_quad_u16(void *p0, void *p1, vi v, int g) {
    (void)g;
    simd_put_quad_u16(p0, p1, v);
}
/* Where p1 is p0, the bits of its lanes must be 0. */
SIMD_FN void vi_blend_quad(void *p0, void *p1, vi v, int g, const int32_t *mask) {
    (void)g;
    __m128i bits = _mm_load_si128((const __m128i *)(const void *)mask);
    __m128i old = simd_quad(p0, p1);
    simd_put_quad(p0, p1, _mm_or_si128(_mm_and_si128(bits, v), _mm_andnot_si128(bits, old)));
}
SIMD_FN vi vi_load_block(const void *p0, const void *p1) { return simd_quad(p0, p1); }
SIMD_FN void vi_store_block(void *p0, void *p1, vi v) { simd_put_quad(p0, p1, v); }
SIMD_FN vf vf_spread(const float *p) { return _mm_set1_ps(p[0]); }
#define vf_quad_pick(v, k) _mm_shuffle_ps(v, v, (k) * 0x55)
SIMD_FN vi vi_deal4(vi v) { return v; }
SIMD_FN void vi_transpose4(vi v[4]) {
    __m128i ab = _mm_unpacklo_epi32(v[0], v[1]), AB = _mm_unpackhi_epi32(v[0], v[1]);
    __m128i cd = _mm_unpacklo_epi32(v[2], v[3]), CD = _mm_unpackhi_epi32(v[2], v[3]);
    v[0] = _mm_unpacklo_epi64(ab, cd);
    v[1] = _mm_unpackhi_epi64(ab, cd);
    v[2] = _mm_unpacklo_epi64(AB, CD);
    v[3] = _mm_unpackhi_epi64(AB, CD);
}
#define simd_pick(v, w, mask) \
    _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(v), _mm_castsi128_ps(w), mask))
SIMD_FN void vi_load3(const int32_t *p, vi *a, vi *b, vi *c) {
    __m128i v0 = vi_loadu(p), v1 = vi_loadu(p + 4), v2 = vi_loadu(p + 8);
    *a = simd_pick(v0, simd_pick(v1, v2, _MM_SHUFFLE(1, 1, 2, 2)), _MM_SHUFFLE(2, 0, 3, 0));
    *b = simd_pick(simd_pick(v0, v1, _MM_SHUFFLE(0, 0, 1, 1)), simd_pick(v1, v2, _MM_SHUFFLE(2, 2, 3, 3)),
                   _MM_SHUFFLE(2, 0, 2, 0));
    *c = simd_pick(simd_pick(v0, v1, _MM_SHUFFLE(1, 1, 2, 2)), v2, _MM_SHUFFLE(3, 0, 2, 0));
}

SIMD_FN void simd_leave(void) { }

#endif
