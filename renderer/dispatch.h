/* SPDX-License-Identifier: MIT */
/*
 * The kernel table of a SIMD level, from those that a template exports once for each ISA;
 * a level that this build lacks gets the scalar one.
 */
#ifndef RENDERER_DISPATCH_H
#define RENDERER_DISPATCH_H

#include "vm/include/vliw.h"

#ifdef VLGL_HAS_SSE
#define RN_CASE_SSE(name) case VLIW_SIMD_SSE: return &name##_sse;
#else
#define RN_CASE_SSE(name)
#endif
#ifdef VLGL_HAS_AVX2
#define RN_CASE_AVX2(name) case VLIW_SIMD_AVX2: return &name##_avx2;
#else
#define RN_CASE_AVX2(name)
#endif
#ifdef VLGL_HAS_AVX512
#define RN_CASE_AVX512(name) case VLIW_SIMD_AVX512: return &name##_avx512;
#else
#define RN_CASE_AVX512(name)
#endif
#ifdef VLGL_HAS_NEON
#define RN_CASE_NEON(name) case VLIW_SIMD_NEON: return &name##_neon;
#else
#define RN_CASE_NEON(name)
#endif

/* Defines function(level) for the tables name_scalar, name_sse ... of a type. */
#define RN_DISPATCH(type, name, function)                                                          \
    const struct type *function(enum vliw_simd level) {                                            \
        switch (level) {                                                                           \
            RN_CASE_SSE(name)                                                                      \
            RN_CASE_AVX2(name)                                                                     \
            RN_CASE_AVX512(name)                                                                   \
            RN_CASE_NEON(name)                                                                     \
        default:                                                                                   \
            return &name##_scalar;                                                                 \
        }                                                                                          \
    }

#endif
