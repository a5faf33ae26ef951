/* SPDX-License-Identifier: MIT */
/*
 * What AVX2 and AVX-512 do in halves of 128 bits, in the same words: fours and quads of a vector to and from memory, and
 * bytes picked by a table (vh). The backend has simd_four, the 128 bits number g of a vector.
 */
#ifndef VM_BASE_SIMD_X86_H
#define VM_BASE_SIMD_X86_H

#if !defined(SIMD_N) || SIMD_N < 8
#error "the backends simd_avx2.h and simd_avx512.h include this file"
#endif

SIMD_FN void vi_store_four(void *p, vi v, int g) { _mm_storeu_si128((__m128i *)p, simd_four(v, g)); }
SIMD_FN void vi_store_four_u16(void *p, vi v, int g) {
    __m128i four = simd_four(v, g);
    _mm_storel_epi64((__m128i *)p, _mm_packus_epi32(four, four));
}

SIMD_FN __m128i simd_quad(const void *p0, const void *p1) {
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)p0), _mm_loadl_epi64((const __m128i *)p1));
}
SIMD_FN __m128i simd_quad_u16(const void *p0, const void *p1) {
    int32_t a, b;
    memcpy(&a, p0, sizeof a);
    memcpy(&b, p1, sizeof b);
    return _mm_cvtepu16_epi32(_mm_unpacklo_epi32(_mm_cvtsi32_si128(a), _mm_cvtsi32_si128(b)));
}
SIMD_FN void simd_put_quad(void *p0, void *p1, __m128i v) {
    _mm_storeh_pi((__m64 *)p1, _mm_castsi128_ps(v));
    _mm_storel_epi64((__m128i *)p0, v);
}
SIMD_FN void vi_store_quad(void *p0, void *p1, vi v, int g) { simd_put_quad(p0, p1, simd_four(v, g)); }
SIMD_FN void vi_store_quad_u16(void *p0, void *p1, vi v, int g) {
    __m128i half = _mm_packus_epi32(simd_four(v, g), simd_four(v, g));
    int32_t low = _mm_cvtsi128_si32(half), high = _mm_extract_epi32(half, 1);
    memcpy(p1, &high, sizeof high);
    memcpy(p0, &low, sizeof low);
}
/* Where p1 is p0, the bits of its lanes must be 0. */
SIMD_FN void vi_blend_quad(void *p0, void *p1, vi v, int g, const int32_t *mask) {
    __m128i bits = _mm_load_si128((const __m128i *)(const void *)mask);
    __m128i old = simd_quad(p0, p1);
    simd_put_quad(p0, p1, _mm_or_si128(_mm_and_si128(bits, simd_four(v, g)), _mm_andnot_si128(bits, old)));
}

#define SIMD_PICKS 1
typedef __m128i vh;
SIMD_FN vh vh_load(const void *p) { return _mm_loadu_si128((const __m128i *)p); }
SIMD_FN vh vh_set1(uint32_t n) { return _mm_set1_epi8((char)n); }
SIMD_FN vh vh_add(vh a, vh b) { return _mm_add_epi8(a, b); }
SIMD_FN vh vh_nibbles(uint64_t m) {
    const __m128i v = _mm_cvtsi64_si128((int64_t)m), low = _mm_set1_epi8(15);
    return _mm_unpacklo_epi8(_mm_and_si128(v, low), _mm_and_si128(_mm_srli_epi64(v, 4), low));
}
SIMD_FN uint32_t vh_some(vh v) { return ~(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_setzero_si128())) & 0xFFFFu; }
SIMD_FN vh vh_pick(vh v, vh k) { return _mm_shuffle_epi8(v, k); }
SIMD_FN vh vh_load2(const void *lo, const void *hi) {
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)lo), _mm_loadl_epi64((const __m128i *)hi));
}
SIMD_FN void vh_store2(void *lo, void *hi, vh v) {
    _mm_storel_epi64((__m128i *)lo, v);
    _mm_storeh_pi((__m64 *)hi, _mm_castsi128_ps(v));
}
SIMD_FN uint32_t simd_pick_bytes(uint32_t v, uint32_t which, uint32_t numbers) {
#if defined(__BMI2__)
    (void)numbers;
    return _pext_u32(v, which);
#else
    (void)which;
    const __m128i k = _mm_cvtsi32_si128((int32_t)numbers);
    return (uint32_t)_mm_cvtsi128_si32(_mm_shuffle_epi8(_mm_cvtsi32_si128((int32_t)v), k));
#endif
}

#endif
