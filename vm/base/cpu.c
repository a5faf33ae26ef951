/* SPDX-License-Identifier: MIT */
/* CPU detection and the SIMD ceiling. In: CPU, build flags VLGL_HAS_*, environment. Out: a level. */
#include "vm/base/cpu.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[CPU_SIMD_COUNT] = {"scalar", "sse", "avx2", "avx512", "neon"};

/*
 * The one piece of process-wide state: 0 = the ceiling has not been asked for, else level + 1. It
 * cannot live in an object because it is chosen before any object exists, and it never changes
 * outside tests.
 */
static atomic_int ceiling_plus_one;

unsigned cpu_simd_available(void) {
    unsigned available = 1u << CPU_SIMD_SCALAR;
#if defined(__x86_64__)
#if defined(VLGL_HAS_SSE)
    available |= 1u << CPU_SIMD_SSE;
#endif
    /* The builtin asks CPUID and XGETBV, so the operating system's support is included. */
#if defined(VLGL_HAS_AVX2)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {      /* FMA: kernel_f64_tmpl.c only */
        available |= 1u << CPU_SIMD_AVX2;
    }
#endif
#if defined(VLGL_HAS_AVX512)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("bmi2")) {
        available |= 1u << CPU_SIMD_AVX512;
    }
#endif
#elif defined(__aarch64__)
#if defined(VLGL_HAS_NEON)
    available |= 1u << CPU_SIMD_NEON;
#endif
#endif
    return available;
}

/* The level sse as on processors without SSE4.1. */
#define PLAIN_SSE "sse2"

bool cpu_rounds(void) {
#if defined(__x86_64__)
    const char *text = getenv("VLGL_SIMD");
    return __builtin_cpu_supports("sse4.1") && (text == NULL || strcmp(text, PLAIN_SSE) != 0);
#else
    return false;
#endif
}

/* Level named by VLGL_SIMD; -1 when unset, -2 when it names none. */
static int environment_level(const char **value) {
    const char *text = getenv("VLGL_SIMD");
    *value = text;
    if (text == NULL || text[0] == '\0') {
        return -1;
    }
    if (strcmp(text, PLAIN_SSE) == 0) {
        return CPU_SIMD_SSE;
    }
    for (int i = 0; i < CPU_SIMD_COUNT; i++) {
        if (strcmp(text, names[i]) == 0) {
            return i;
        }
    }
    return -2;
}

enum cpu_simd cpu_simd_level(void) {
    int ceiling = atomic_load_explicit(&ceiling_plus_one, memory_order_relaxed) - 1;
    if (ceiling < 0) {
        const char *value;
        int level = environment_level(&value);
        ceiling = level >= 0 ? level : CPU_SIMD_COUNT - 1;
        atomic_store_explicit(&ceiling_plus_one, ceiling + 1, memory_order_relaxed);
    }
    unsigned available = cpu_simd_available();
    int level = ceiling;
    while (level > 0 && !(available >> level & 1u)) {
        level--;
    }
    return (enum cpu_simd)level;
}

const char *cpu_simd_name(enum cpu_simd level) {
    return (unsigned)level < CPU_SIMD_COUNT ? names[level] : NULL;
}

enum cpu_simd cpu_simd_limit(enum cpu_simd ceiling) {
    int level = (unsigned)ceiling < CPU_SIMD_COUNT ? (int)ceiling : CPU_SIMD_COUNT - 1;
    atomic_store_explicit(&ceiling_plus_one, level + 1, memory_order_relaxed);
    return cpu_simd_level();
}

const char *cpu_simd_environment_error(void) {
    static _Thread_local char message[160];
    const char *value;
    if (environment_level(&value) != -2) {
        return NULL;
    }
    snprintf(message, sizeof message, "VLGL_SIMD=%.60s is no SIMD level: use scalar, sse, avx2, avx512 or neon", value);
    return message;
}
