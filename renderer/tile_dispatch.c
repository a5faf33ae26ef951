/* SPDX-License-Identifier: MIT */
/* The tile side's kernel tables by SIMD level; a level that this build lacks gets the scalar one. */
#include "renderer/tile.h"

extern const struct rn_rast_ops rn_rast_scalar, rn_rast_sse, rn_rast_avx2, rn_rast_avx512, rn_rast_neon;
extern const struct rn_depth_ops rn_depth_scalar, rn_depth_sse, rn_depth_avx2, rn_depth_avx512, rn_depth_neon;
extern const struct rn_interp_ops rn_interp_scalar, rn_interp_sse, rn_interp_avx2, rn_interp_avx512, rn_interp_neon;
extern const struct rn_tiny_ops rn_tiny_scalar, rn_tiny_sse, rn_tiny_avx2, rn_tiny_avx512, rn_tiny_neon;
extern const struct rn_fragop_ops rn_fragop_scalar, rn_fragop_sse, rn_fragop_avx2, rn_fragop_avx512, rn_fragop_neon;

#ifdef VLGL_HAS_SSE
#define CASE_SSE(name) case VLIW_SIMD_SSE: return &name##_sse;
#else
#define CASE_SSE(name)
#endif
#ifdef VLGL_HAS_AVX2
#define CASE_AVX2(name) case VLIW_SIMD_AVX2: return &name##_avx2;
#else
#define CASE_AVX2(name)
#endif
#ifdef VLGL_HAS_AVX512
#define CASE_AVX512(name) case VLIW_SIMD_AVX512: return &name##_avx512;
#else
#define CASE_AVX512(name)
#endif
#ifdef VLGL_HAS_NEON
#define CASE_NEON(name) case VLIW_SIMD_NEON: return &name##_neon;
#else
#define CASE_NEON(name)
#endif

#define DISPATCH(name)                                                                             \
    const struct name##_ops *name##_ops_for(enum vliw_simd level) {                                \
        switch (level) {                                                                           \
            CASE_SSE(name)                                                                         \
            CASE_AVX2(name)                                                                        \
            CASE_AVX512(name)                                                                      \
            CASE_NEON(name)                                                                        \
        default:                                                                                   \
            return &name##_scalar;                                                                 \
        }                                                                                          \
    }

DISPATCH(rn_rast)
DISPATCH(rn_depth)
DISPATCH(rn_tiny)
DISPATCH(rn_interp)
DISPATCH(rn_fragop)
