/* SPDX-License-Identifier: MIT */
/* Chooses the kernel of a SIMD level, and the public functions about levels. */
#include "vm/exec/exec.h"

#include <stddef.h>

_Static_assert((int)VLIW_SIMD_SCALAR == (int)CPU_SIMD_SCALAR && (int)VLIW_SIMD_SSE == (int)CPU_SIMD_SSE &&
               (int)VLIW_SIMD_AVX2 == (int)CPU_SIMD_AVX2 && (int)VLIW_SIMD_AVX512 == (int)CPU_SIMD_AVX512 &&
               (int)VLIW_SIMD_NEON == (int)CPU_SIMD_NEON && (int)VLIW_SIMD_COUNT == (int)CPU_SIMD_COUNT,
               "vliw.h and cpu.h number the levels alike");

extern const struct vm_kernel vm_kernel_scalar;
#if defined(VLGL_HAS_SSE)
extern const struct vm_kernel vm_kernel_sse;
#endif
#if defined(VLGL_HAS_AVX2)
extern const struct vm_kernel vm_kernel_avx2;
#endif
#if defined(VLGL_HAS_AVX512)
extern const struct vm_kernel vm_kernel_avx512;
#endif
#if defined(VLGL_HAS_NEON)
extern const struct vm_kernel vm_kernel_neon;
#endif

const struct vm_kernel *vm_kernel_get(enum cpu_simd level) {
    switch (level) {
#if defined(VLGL_HAS_SSE)
    case CPU_SIMD_SSE: return &vm_kernel_sse;
#endif
#if defined(VLGL_HAS_AVX2)
    case CPU_SIMD_AVX2: return &vm_kernel_avx2;
#endif
#if defined(VLGL_HAS_AVX512)
    case CPU_SIMD_AVX512: return &vm_kernel_avx512;
#endif
#if defined(VLGL_HAS_NEON)
    case CPU_SIMD_NEON: return &vm_kernel_neon;
#endif
    default: return &vm_kernel_scalar;
    }
}

enum vliw_simd vliw_simd_level(void) { return (enum vliw_simd)cpu_simd_level(); }

const char *vliw_simd_name(enum vliw_simd level) { return cpu_simd_name((enum cpu_simd)level); }

enum vliw_simd vliw_simd_limit(enum vliw_simd ceiling) {
    return (enum vliw_simd)cpu_simd_limit((enum cpu_simd)ceiling);
}

const char *vliw_simd_environment_error(void) { return cpu_simd_environment_error(); }
