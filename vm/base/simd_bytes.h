/* SPDX-License-Identifier: MIT */
/*
 * Four normalised bytes a lane for every backend (simd.h lists the operations). A product of two channels is
 * divided by 255 and rounded: with t = n + 128 that is (t + t / 256) / 256 in integers, exact for n up to
 * 255 * 255, and no tie can occur. 16-bit halves hold the products.
 */
#ifndef VM_BASE_SIMD_BYTES_H
#define VM_BASE_SIMD_BYTES_H

#if !defined(SIMD_N)
#error "simd.h includes this file behind a backend"
#endif

#if defined(SIMD_ISA_SCALAR)

SIMD_FN uint32_t simd_by_255(uint32_t n) { return (n + 128u + ((n + 128u) >> 8)) >> 8; }
#define SIMD_EACH_BYTE(expression) \
    uint32_t out = 0; \
    for (unsigned k = 0; k < 32; k += 8) { \
        const uint32_t x = (uint32_t)a >> k & 255u, y = (uint32_t)b >> k & 255u; \
        out |= (expression) << k; \
    } \
    return (int32_t)out
SIMD_FN vi vb_add(vi a, vi b) { SIMD_EACH_BYTE(x + y < 255u ? x + y : 255u); }
SIMD_FN vi vb_min(vi a, vi b) { SIMD_EACH_BYTE(x < y ? x : y); }
SIMD_FN vi vb_max(vi a, vi b) { SIMD_EACH_BYTE(x > y ? x : y); }
SIMD_FN vi vb_mul(vi a, vi b) { SIMD_EACH_BYTE(simd_by_255(x * y)); }
SIMD_FN vi vb_lerp(vi s, vi b, vi a) {
    uint32_t out = 0;
    for (unsigned k = 0; k < 32; k += 8) {
        const uint32_t f = (uint32_t)s >> k & 255u, x = (uint32_t)a >> k & 255u, y = (uint32_t)b >> k & 255u;
        out |= simd_by_255(f * y + (255u - f) * x) << k;
    }
    return (int32_t)out;
}
SIMD_FN vi vb_alpha(vi v) { return (int32_t)(((uint32_t)v >> 24) * 0x01010101u); }
SIMD_FN vi vb_over(vi b, vi a) { return vb_lerp(vb_alpha(b), b, a); }
#undef SIMD_EACH_BYTE

#elif defined(SIMD_ISA_NEON)

SIMD_FN uint8x16_t simd_u8(vi v) { return vreinterpretq_u8_s32(v); }
SIMD_FN vi simd_from_u8(uint8x16_t v) { return vreinterpretq_s32_u8(v); }
SIMD_FN vi vb_add(vi a, vi b) { return simd_from_u8(vqaddq_u8(simd_u8(a), simd_u8(b))); }
SIMD_FN vi vb_min(vi a, vi b) { return simd_from_u8(vminq_u8(simd_u8(a), simd_u8(b))); }
SIMD_FN vi vb_max(vi a, vi b) { return simd_from_u8(vmaxq_u8(simd_u8(a), simd_u8(b))); }
SIMD_FN vi simd_by_255(uint16x8_t lo, uint16x8_t hi) {
    return simd_from_u8(vcombine_u8(vraddhn_u16(lo, vrshrq_n_u16(lo, 8)), vraddhn_u16(hi, vrshrq_n_u16(hi, 8))));
}
SIMD_FN vi vb_mul(vi a, vi b) {
    uint8x16_t x = simd_u8(a), y = simd_u8(b);
    return simd_by_255(vmull_u8(vget_low_u8(x), vget_low_u8(y)), vmull_high_u8(x, y));
}
SIMD_FN vi vb_lerp(vi s, vi b, vi a) {
    uint8x16_t f = simd_u8(s), x = simd_u8(a), y = simd_u8(b), g = vmvnq_u8(f);
    uint16x8_t lo = vmlal_u8(vmull_u8(vget_low_u8(f), vget_low_u8(y)), vget_low_u8(g), vget_low_u8(x));
    return simd_by_255(lo, vmlal_high_u8(vmull_high_u8(f, y), g, x));
}
SIMD_FN vi vb_alpha(vi v) { return vmulq_n_s32(vi_shr(v, 24), 0x01010101); }
SIMD_FN vi vb_over(vi b, vi a) { return vb_lerp(vb_alpha(b), b, a); }

#else

#if defined(SIMD_ISA_SSE)
#define SIMD_B(op) _mm_##op
#elif defined(SIMD_ISA_AVX2)
#define SIMD_B(op) _mm256_##op
#else
#define SIMD_B(op) _mm512_##op
#endif

SIMD_FN vi vb_add(vi a, vi b) { return SIMD_B(adds_epu8)(a, b); }
SIMD_FN vi vb_min(vi a, vi b) { return SIMD_B(min_epu8)(a, b); }
SIMD_FN vi vb_max(vi a, vi b) { return SIMD_B(max_epu8)(a, b); }
/* Even and odd bytes in halves of their own. */
SIMD_FN vi simd_even(vi v) { return vi_and(v, vi_set1(0x00FF00FF)); }
SIMD_FN vi simd_odd(vi v) { return SIMD_B(srli_epi16)(v, 8); }
/* Halves divided by 255: t * 257 / 65536 is (t + t / 256) / 256. */
SIMD_FN vi simd_by_255(vi even, vi odd) {
    const vi half = vi_set1(0x00800080), k = vi_set1(0x01010101);
    even = SIMD_B(mulhi_epu16)(SIMD_B(add_epi16)(even, half), k);
    odd = SIMD_B(mulhi_epu16)(SIMD_B(add_epi16)(odd, half), k);
    return vi_or(even, SIMD_B(slli_epi16)(odd, 8));
}
SIMD_FN vi vb_mul(vi a, vi b) {
    return simd_by_255(SIMD_B(mullo_epi16)(simd_even(a), simd_even(b)),
                       SIMD_B(mullo_epi16)(simd_odd(a), simd_odd(b)));
}
SIMD_FN vi vb_lerp(vi s, vi b, vi a) {
    vi g = vi_xor(s, vi_set1(-1));
    vi even = SIMD_B(add_epi16)(SIMD_B(mullo_epi16)(simd_even(s), simd_even(b)),
                                SIMD_B(mullo_epi16)(simd_even(g), simd_even(a)));
    vi odd = SIMD_B(add_epi16)(SIMD_B(mullo_epi16)(simd_odd(s), simd_odd(b)),
                               SIMD_B(mullo_epi16)(simd_odd(g), simd_odd(a)));
    return simd_by_255(even, odd);
}
SIMD_FN vi vb_alpha(vi v) {
    vi a = vi_shr(v, 24);
    a = vi_or(a, vi_shl(a, 8));
    return vi_or(a, vi_shl(a, 16));
}
/* vb_lerp by the alpha of b: a factor for two channels is one for all. */
SIMD_FN vi vb_over(vi b, vi a) {
    vi s = vi_shr(b, 24);
    s = vi_or(s, vi_shl(s, 16));
    const vi g = vi_xor(s, vi_set1(0x00FF00FF));
    const vi even = SIMD_B(add_epi16)(SIMD_B(mullo_epi16)(s, simd_even(b)), SIMD_B(mullo_epi16)(g, simd_even(a)));
    const vi odd = SIMD_B(add_epi16)(SIMD_B(mullo_epi16)(s, simd_odd(b)), SIMD_B(mullo_epi16)(g, simd_odd(a)));
    return simd_by_255(even, odd);
}
#undef SIMD_B

#endif

#endif
