/* SPDX-License-Identifier: MIT */
/* Bit and byte helpers; the only place for compiler builtins outside simd_*.h. */
#ifndef VM_BASE_BITS_H
#define VM_BASE_BITS_H

#include <stdint.h>
#include <string.h>

#if defined(__FAST_MATH__)
#error "vlgl must not be built with -ffast-math: its results are defined bit by bit"
#endif
#include <float.h>
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0
#error "vlgl needs FLT_EVAL_METHOD 0 (on x86-32 build with -msse2 -mfpmath=sse)"
#endif

#define BITS_LIKELY(x) __builtin_expect(!!(x), 1)
#define BITS_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define BITS_ALIGN(n) __attribute__((aligned(n)))
/* What different threads write lies at least so far apart: lines of 64 bytes, which many processors ask for in pairs. */
#define BITS_APART 128
#define BITS_PREFETCH(p) __builtin_prefetch(p)
#if defined(__x86_64__)
/* What __builtin_prefetch(p, 1) is only where the target is said to have it; processors without it do nothing. */
#define BITS_PREFETCH_WRITE(p) __asm__ volatile("prefetchw %0" : : "m"(*(const char *)(p)))
#else
#define BITS_PREFETCH_WRITE(p) __builtin_prefetch((p), 1)
#endif
/* In a loop that waits for another thread's store. */
#if defined(__x86_64__) || defined(__i386__)
#define BITS_PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define BITS_PAUSE() __asm__ volatile("yield" ::: "memory")
#else
#define BITS_PAUSE() ((void)0)
#endif
/* Before a loop of a small constant count: unrolled whole even at -O2, so that arrays become registers. */
#if defined(__OPTIMIZE_SIZE__)
#define BITS_UNROLL
#elif defined(__clang__)
#define BITS_UNROLL _Pragma("clang loop unroll(full)")
#else
#define BITS_UNROLL _Pragma("GCC unroll 16")
#endif

/* n when the float is n/255, as a quotient or as n times the float nearest to 1/255; -1 if it is neither. */
static inline int bits_byte_of(float value) {
    if (!(value >= 0.0f && value <= 1.0f)) {
        return -1;
    }
    const int n = (int)(value * 255.0f + 0.5f);
    return value == (float)n / 255.0f || value == (float)n * (1.0f / 255.0f) ? n : -1;
}

static inline unsigned bits_ctz64(uint64_t v) { return (unsigned)__builtin_ctzll(v); }   /* v != 0 */
static inline unsigned bits_ctz32(uint32_t v) { return (unsigned)__builtin_ctz(v); }     /* v != 0 */
static inline unsigned bits_clz32(uint32_t v) { return (unsigned)__builtin_clz(v); }     /* v != 0 */
/* Without an instruction for it the builtin is a library call. */
static inline unsigned bits_popcount64(uint64_t v) {
#if defined(__POPCNT__) || defined(__aarch64__)
    return (unsigned)__builtin_popcountll(v);
#else
    v -= v >> 1 & UINT64_C(0x5555555555555555);
    v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
    v = (v + (v >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (unsigned)(v * UINT64_C(0x0101010101010101) >> 56);
#endif
}
static inline unsigned bits_popcount32(uint32_t v) { return bits_popcount64(v); }

static inline uint32_t bits_from_float(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}
static inline float bits_to_float(uint32_t u) {
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}
static inline uint32_t bits_get(uint32_t word, unsigned shift, unsigned count) {
    return (word >> shift) & ((1u << count) - 1u);
}
static inline void bits_store_le32(uint8_t *p, uint32_t v) {
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
    p[2] = (uint8_t)(v >> 16);
    p[3] = (uint8_t)(v >> 24);
}
static inline uint32_t bits_load_le32(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint64_t bits_load_le64(const uint8_t *p) {
    return (uint64_t)bits_load_le32(p) | (uint64_t)bits_load_le32(p + 4) << 32;
}
static inline void bits_store_le64(uint8_t *p, uint64_t v) {
    bits_store_le32(p, (uint32_t)v);
    bits_store_le32(p + 4, (uint32_t)(v >> 32));
}
static inline uint32_t bits_align_up(uint32_t v, uint32_t to) { return (v + to - 1u) & ~(to - 1u); }

#endif
