/* SPDX-License-Identifier: MIT */
/*
 * Which SIMD level to use: what the CPU has, what this build contains, and the ceiling that the
 * environment variable VLGL_SIMD or a test sets. Levels are the numbers of enum vliw_simd (vliw.h,
 * which this layer cannot include; vm/exec/dispatch.c asserts that they agree).
 */
#ifndef VM_BASE_CPU_H
#define VM_BASE_CPU_H

#include <stdbool.h>

enum cpu_simd { CPU_SIMD_SCALAR, CPU_SIMD_SSE, CPU_SIMD_AVX2, CPU_SIMD_AVX512, CPU_SIMD_NEON, CPU_SIMD_COUNT };

/* Bit (1u << level) for each level that this CPU, its operating system and this build can run. */
unsigned cpu_simd_available(void);

/* Best available level that is not above the ceiling. */
enum cpu_simd cpu_simd_level(void);

/* "scalar", "sse", "avx2", "avx512", "neon"; NULL for other numbers. */
const char *cpu_simd_name(enum cpu_simd level);

/*
 * Kernels of level sse may round by SSE4.1's instruction, where the processor has it: the same bits, sooner. Not with
 * VLGL_SIMD=sse2, which is sse otherwise (for tests).
 */
bool cpu_rounds(void);

/* Sets the ceiling (for tests; overrides VLGL_SIMD) and returns the level that results. */
enum cpu_simd cpu_simd_limit(enum cpu_simd ceiling);

/*
 * NULL when VLGL_SIMD is unset or names a level, else a message that quotes it. A bad value sets no
 * ceiling; commands refuse to run. The text belongs to the calling thread until its next call.
 */
const char *cpu_simd_environment_error(void);

#endif
