/* SPDX-License-Identifier: MIT */
/*
 * Doubles for every backend (simd.h lists the operations). Two vectors, a and b, hold the lanes of a vf;
 * which of them a lane is in is the backend's business, the same for all functions that make or take such
 * a pair, and not that of vd_lo_from_vf and vd_hi_from_vf.
 */
#ifndef VM_BASE_SIMD_DOUBLE_H
#define VM_BASE_SIMD_DOUBLE_H

#if !defined(SIMD_N)
#error "simd.h includes this file behind a backend"
#endif

#include "vm/base/softfma.h"

#if defined(SIMD_ISA_SCALAR)

typedef bool vdm;
SIMD_FN vdm vdm_or(vdm a, vdm b) { return a || b; }
SIMD_FN bool vdm_any(vdm m) { return m; }
SIMD_FN vd vd_a_from_words(vi lo, vi hi) { return soft_double((uint64_t)(uint32_t)hi << 32 | (uint32_t)lo); }
SIMD_FN vd vd_b_from_words(vi lo, vi hi) {
    (void)lo;
    (void)hi;
    return 0.0;
}
SIMD_FN vi vi_low_words(vd a, vd b) {
    (void)b;
    return (int32_t)(uint32_t)soft_bits(a);
}
SIMD_FN vi vi_high_words(vd a, vd b) {
    (void)b;
    return (int32_t)(uint32_t)(soft_bits(a) >> 32);
}
SIMD_FN vd vd_a_from_vf(vf v) { return (double)v; }
SIMD_FN vd vd_b_from_vf(vf v) {
    (void)v;
    return 0.0;
}
SIMD_FN vf vf_from_vd_ab(vd a, vd b) {
    (void)b;
    return (float)a;
}
SIMD_FN vd vd_sqrt(vd a) { return __builtin_sqrt(a); }
SIMD_FN vd vd_abs(vd a) { return soft_double(soft_bits(a) & ~(1ull << 63)); }
SIMD_FN vd vd_copysign(vd a, vd sign) {
    return soft_double((soft_bits(a) & ~(1ull << 63)) | (soft_bits(sign) & 1ull << 63));
}
SIMD_FN vdm vd_lt(vd a, vd b) { return a < b; }
SIMD_FN vdm vd_le(vd a, vd b) { return a <= b; }
SIMD_FN vdm vd_eq(vd a, vd b) { return a == b; }
SIMD_FN vdm vd_unord(vd a, vd b) { return a != a || b != b; }
SIMD_FN vd vd_sel(vdm m, vd a, vd b) { return m ? a : b; }
SIMD_FN vd vd_fma(vd a, vd b, vd c) { return soft_fma(a, b, c); }

#elif defined(SIMD_ISA_SSE)

typedef __m128d vdm;
SIMD_FN vdm vdm_or(vdm a, vdm b) { return _mm_or_pd(a, b); }
SIMD_FN bool vdm_any(vdm m) { return _mm_movemask_pd(m) != 0; }
SIMD_FN vd vd_a_from_words(vi lo, vi hi) { return _mm_castsi128_pd(_mm_unpacklo_epi32(lo, hi)); }
SIMD_FN vd vd_b_from_words(vi lo, vi hi) { return _mm_castsi128_pd(_mm_unpackhi_epi32(lo, hi)); }
SIMD_FN vi vi_low_words(vd a, vd b) {
    return _mm_castps_si128(_mm_shuffle_ps(_mm_castpd_ps(a), _mm_castpd_ps(b), _MM_SHUFFLE(2, 0, 2, 0)));
}
SIMD_FN vi vi_high_words(vd a, vd b) {
    return _mm_castps_si128(_mm_shuffle_ps(_mm_castpd_ps(a), _mm_castpd_ps(b), _MM_SHUFFLE(3, 1, 3, 1)));
}
SIMD_FN vd vd_a_from_vf(vf v) { return vd_lo_from_vf(v); }
SIMD_FN vd vd_b_from_vf(vf v) { return vd_hi_from_vf(v); }
SIMD_FN vf vf_from_vd_ab(vd a, vd b) { return vf_from_vd(a, b); }
SIMD_FN vd vd_sqrt(vd a) { return _mm_sqrt_pd(a); }
SIMD_FN vd vd_abs(vd a) { return _mm_andnot_pd(_mm_set1_pd(-0.0), a); }
SIMD_FN vd vd_copysign(vd a, vd sign) { return _mm_or_pd(vd_abs(a), _mm_and_pd(_mm_set1_pd(-0.0), sign)); }
SIMD_FN vdm vd_lt(vd a, vd b) { return _mm_cmplt_pd(a, b); }
SIMD_FN vdm vd_le(vd a, vd b) { return _mm_cmple_pd(a, b); }
SIMD_FN vdm vd_eq(vd a, vd b) { return _mm_cmpeq_pd(a, b); }
SIMD_FN vdm vd_unord(vd a, vd b) { return _mm_cmpunord_pd(a, b); }
SIMD_FN vd vd_sel(vdm m, vd a, vd b) { return _mm_or_pd(_mm_and_pd(m, a), _mm_andnot_pd(m, b)); }
SIMD_FN vd vd_fma(vd a, vd b, vd c) {
    double x[2], y[2], z[2];
    _mm_storeu_pd(x, a);
    _mm_storeu_pd(y, b);
    _mm_storeu_pd(z, c);
    return _mm_setr_pd(soft_fma(x[0], y[0], z[0]), soft_fma(x[1], y[1], z[1]));
}

#elif defined(SIMD_ISA_AVX2)

typedef __m256d vdm;
SIMD_FN vdm vdm_or(vdm a, vdm b) { return _mm256_or_pd(a, b); }
SIMD_FN bool vdm_any(vdm m) { return _mm256_movemask_pd(m) != 0; }
SIMD_FN vd vd_a_from_words(vi lo, vi hi) { return _mm256_castsi256_pd(_mm256_unpacklo_epi32(lo, hi)); }
SIMD_FN vd vd_b_from_words(vi lo, vi hi) { return _mm256_castsi256_pd(_mm256_unpackhi_epi32(lo, hi)); }
SIMD_FN vi vi_low_words(vd a, vd b) {
    return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castpd_ps(a), _mm256_castpd_ps(b), _MM_SHUFFLE(2, 0, 2, 0)));
}
SIMD_FN vi vi_high_words(vd a, vd b) {
    return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castpd_ps(a), _mm256_castpd_ps(b), _MM_SHUFFLE(3, 1, 3, 1)));
}
/* Unpacking works within 128-bit halves: a has lanes 0, 1, 4, 5. */
SIMD_FN __m256 simd_word_order(vf v) {
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(v), _MM_SHUFFLE(3, 1, 2, 0)));
}
SIMD_FN vd vd_a_from_vf(vf v) { return vd_lo_from_vf(simd_word_order(v)); }
SIMD_FN vd vd_b_from_vf(vf v) { return vd_hi_from_vf(simd_word_order(v)); }
SIMD_FN vf vf_from_vd_ab(vd a, vd b) { return simd_word_order(vf_from_vd(a, b)); }
SIMD_FN vd vd_sqrt(vd a) { return _mm256_sqrt_pd(a); }
SIMD_FN vd vd_abs(vd a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
SIMD_FN vdm vd_lt(vd a, vd b) { return _mm256_cmp_pd(a, b, _CMP_LT_OQ); }
SIMD_FN vdm vd_le(vd a, vd b) { return _mm256_cmp_pd(a, b, _CMP_LE_OQ); }
SIMD_FN vdm vd_eq(vd a, vd b) { return _mm256_cmp_pd(a, b, _CMP_EQ_OQ); }
SIMD_FN vdm vd_unord(vd a, vd b) { return _mm256_cmp_pd(a, b, _CMP_UNORD_Q); }
SIMD_FN vd vd_sel(vdm m, vd a, vd b) { return _mm256_blendv_pd(b, a, m); }
SIMD_FN vd vd_trunc(vd a) { return _mm256_round_pd(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
SIMD_FN vd vd_ceil(vd a) { return _mm256_round_pd(a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC); }
SIMD_FN vd vd_rint(vd a) { return _mm256_round_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
#define SIMD_HAS_VD_ROUND 1
#if defined(__FMA__)
SIMD_FN vd vd_fma(vd a, vd b, vd c) { return _mm256_fmadd_pd(a, b, c); }
#else
SIMD_FN vd vd_fma(vd a, vd b, vd c) {
    double x[4], y[4], z[4];
    _mm256_storeu_pd(x, a);
    _mm256_storeu_pd(y, b);
    _mm256_storeu_pd(z, c);
    for (int i = 0; i < 4; i++) {
        x[i] = soft_fma(x[i], y[i], z[i]);
    }
    return _mm256_loadu_pd(x);
}
#endif

#elif defined(SIMD_ISA_AVX512)

typedef __mmask8 vdm;
SIMD_FN vdm vdm_or(vdm a, vdm b) { return (vdm)(a | b); }
SIMD_FN bool vdm_any(vdm m) { return m != 0; }
SIMD_FN vd vd_a_from_words(vi lo, vi hi) { return _mm512_castsi512_pd(_mm512_unpacklo_epi32(lo, hi)); }
SIMD_FN vd vd_b_from_words(vi lo, vi hi) { return _mm512_castsi512_pd(_mm512_unpackhi_epi32(lo, hi)); }
SIMD_FN vi vi_low_words(vd a, vd b) {
    return _mm512_castps_si512(_mm512_shuffle_ps(_mm512_castpd_ps(a), _mm512_castpd_ps(b), _MM_SHUFFLE(2, 0, 2, 0)));
}
SIMD_FN vi vi_high_words(vd a, vd b) {
    return _mm512_castps_si512(_mm512_shuffle_ps(_mm512_castpd_ps(a), _mm512_castpd_ps(b), _MM_SHUFFLE(3, 1, 3, 1)));
}
/* Unpacking works within 128-bit quarters: a has lanes 0, 1, 4, 5, 8, 9, 12, 13. */
SIMD_FN vd vd_a_from_vf(vf v) {
    __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    return vd_lo_from_vf(_mm512_castsi512_ps(_mm512_permutexvar_epi64(order, _mm512_castps_si512(v))));
}
SIMD_FN vd vd_b_from_vf(vf v) {
    __m512i order = _mm512_setr_epi64(1, 3, 5, 7, 0, 2, 4, 6);
    return vd_lo_from_vf(_mm512_castsi512_ps(_mm512_permutexvar_epi64(order, _mm512_castps_si512(v))));
}
SIMD_FN vf vf_from_vd_ab(vd a, vd b) {
    __m512i order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    return _mm512_castsi512_ps(_mm512_permutexvar_epi64(order, _mm512_castps_si512(vf_from_vd(a, b))));
}
SIMD_FN vd vd_sqrt(vd a) { return _mm512_sqrt_pd(a); }
SIMD_FN vd vd_abs(vd a) { return _mm512_andnot_pd(_mm512_set1_pd(-0.0), a); }
SIMD_FN vdm vd_lt(vd a, vd b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
SIMD_FN vdm vd_le(vd a, vd b) { return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ); }
SIMD_FN vdm vd_eq(vd a, vd b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
SIMD_FN vdm vd_unord(vd a, vd b) { return _mm512_cmp_pd_mask(a, b, _CMP_UNORD_Q); }
SIMD_FN vd vd_sel(vdm m, vd a, vd b) { return _mm512_mask_blend_pd(m, b, a); }
SIMD_FN vd vd_trunc(vd a) { return _mm512_roundscale_pd(a, 11); }
SIMD_FN vd vd_ceil(vd a) { return _mm512_roundscale_pd(a, 10); }
SIMD_FN vd vd_rint(vd a) { return _mm512_roundscale_pd(a, 8); }
#define SIMD_HAS_VD_ROUND 1
SIMD_FN vd vd_fma(vd a, vd b, vd c) { return _mm512_fmadd_pd(a, b, c); }

#else

typedef uint64x2_t vdm;
SIMD_FN vdm vdm_or(vdm a, vdm b) { return vorrq_u64(a, b); }
SIMD_FN bool vdm_any(vdm m) { return vmaxvq_u32(vreinterpretq_u32_u64(m)) != 0; }
SIMD_FN vd vd_a_from_words(vi lo, vi hi) { return vreinterpretq_f64_s32(vzip1q_s32(lo, hi)); }
SIMD_FN vd vd_b_from_words(vi lo, vi hi) { return vreinterpretq_f64_s32(vzip2q_s32(lo, hi)); }
SIMD_FN vi vi_low_words(vd a, vd b) { return vuzp1q_s32(vreinterpretq_s32_f64(a), vreinterpretq_s32_f64(b)); }
SIMD_FN vi vi_high_words(vd a, vd b) { return vuzp2q_s32(vreinterpretq_s32_f64(a), vreinterpretq_s32_f64(b)); }
SIMD_FN vd vd_a_from_vf(vf v) { return vd_lo_from_vf(v); }
SIMD_FN vd vd_b_from_vf(vf v) { return vd_hi_from_vf(v); }
SIMD_FN vf vf_from_vd_ab(vd a, vd b) { return vf_from_vd(a, b); }
SIMD_FN vd vd_sqrt(vd a) { return vsqrtq_f64(a); }
SIMD_FN vd vd_abs(vd a) { return vabsq_f64(a); }
SIMD_FN vdm vd_lt(vd a, vd b) { return vcltq_f64(a, b); }
SIMD_FN vdm vd_le(vd a, vd b) { return vcleq_f64(a, b); }
SIMD_FN vdm vd_eq(vd a, vd b) { return vceqq_f64(a, b); }
SIMD_FN vdm vd_unord(vd a, vd b) {
    uint64x2_t ordered = vandq_u64(vceqq_f64(a, a), vceqq_f64(b, b));
    return veorq_u64(ordered, vdupq_n_u64(~(uint64_t)0));
}
SIMD_FN vd vd_sel(vdm m, vd a, vd b) { return vbslq_f64(m, a, b); }
SIMD_FN vd vd_trunc(vd a) { return vrndq_f64(a); }
SIMD_FN vd vd_ceil(vd a) { return vrndpq_f64(a); }
SIMD_FN vd vd_rint(vd a) { return vrndnq_f64(a); }
#define SIMD_HAS_VD_ROUND 1
SIMD_FN vd vd_fma(vd a, vd b, vd c) { return vfmaq_f64(c, a, b); }

#endif

#if !defined(SIMD_HAS_VD_ROUND)
/* Adding and taking away 2^52 rounds to an integer; from 2^52 on every double is one. */
SIMD_FN vd vd_rint(vd a) {
    vd big = vd_set1(4503599627370496.0), m = vd_abs(a);
    vd r = vd_copysign(vd_sub(vd_add(m, big), big), a);
    return vd_sel(vd_lt(m, big), r, a);
}
SIMD_FN vd vd_trunc(vd a) {
    vd m = vd_abs(a), r = vd_rint(m);
    return vd_copysign(vd_sel(vd_lt(m, r), vd_sub(r, vd_set1(1.0)), r), a);
}
SIMD_FN vd vd_ceil(vd a) {
    vd r = vd_rint(a);
    return vd_sel(vd_lt(r, a), vd_copysign(vd_add(r, vd_set1(1.0)), a), r);
}
#endif

#endif
