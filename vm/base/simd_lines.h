/* SPDX-License-Identifier: MIT */
/*
 * Stores of records by whole lines, for kernels that make many records at once (front_tmpl.c). Group g of a vector is
 * its lanes 4g..4g+3, as for vi_store_four.
 *   simd_store_lines(p, a, b, c, d)   to p[g], unaligned: group g of a, then of b, c and d, 64 bytes
 * Only where SIMD_LINES is 1 (AVX2, AVX-512).
 */
#ifndef VM_BASE_SIMD_LINES_H
#define VM_BASE_SIMD_LINES_H

#include "vm/base/simd.h"

#if defined(SIMD_ISA_AVX512)
#define SIMD_LINES 1

SIMD_FN __m512i simd_blocks(vi a, vi b, const int odd) {
    return odd ? _mm512_shuffle_i32x4(a, b, 0xDD) : _mm512_shuffle_i32x4(a, b, 0x88);
}
SIMD_FN void simd_store_lines(uint8_t *const *p, vi a, vi b, vi c, vi d) {
    const __m512i ab = _mm512_shuffle_i32x4(a, b, 0x44), AB = _mm512_shuffle_i32x4(a, b, 0xEE);
    const __m512i cd = _mm512_shuffle_i32x4(c, d, 0x44), CD = _mm512_shuffle_i32x4(c, d, 0xEE);
    _mm512_storeu_si512(p[0], simd_blocks(ab, cd, 0));
    _mm512_storeu_si512(p[1], simd_blocks(ab, cd, 1));
    _mm512_storeu_si512(p[2], simd_blocks(AB, CD, 0));
    _mm512_storeu_si512(p[3], simd_blocks(AB, CD, 1));
}

#elif defined(SIMD_ISA_AVX2)
#define SIMD_LINES 1

SIMD_FN void simd_store_lines(uint8_t *const *p, vi a, vi b, vi c, vi d) {
    _mm256_storeu_si256((__m256i *)(void *)p[0], _mm256_permute2x128_si256(a, b, 0x20));
    _mm256_storeu_si256((__m256i *)(void *)(p[0] + 32), _mm256_permute2x128_si256(c, d, 0x20));
    _mm256_storeu_si256((__m256i *)(void *)p[1], _mm256_permute2x128_si256(a, b, 0x31));
    _mm256_storeu_si256((__m256i *)(void *)(p[1] + 32), _mm256_permute2x128_si256(c, d, 0x31));
}

#else
#define SIMD_LINES 0
#endif

#endif
