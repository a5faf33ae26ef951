/* SPDX-License-Identifier: MIT */
/* The tile side's kernel tables by SIMD level. */
#include "renderer/dispatch.h"
#include "renderer/tile.h"

extern const struct rn_rast_ops rn_rast_scalar, rn_rast_sse, rn_rast_avx2, rn_rast_avx512, rn_rast_neon;
extern const struct rn_depth_ops rn_depth_scalar, rn_depth_sse, rn_depth_avx2, rn_depth_avx512, rn_depth_neon;
extern const struct rn_quads_ops rn_quads_scalar, rn_quads_sse, rn_quads_avx2, rn_quads_avx512, rn_quads_neon;
extern const struct rn_interp_ops rn_interp_scalar, rn_interp_sse, rn_interp_avx2, rn_interp_avx512, rn_interp_neon;
extern const struct rn_small_ops rn_small_scalar, rn_small_sse, rn_small_avx2, rn_small_avx512, rn_small_neon;
extern const struct rn_flat_ops rn_flat_scalar, rn_flat_sse, rn_flat_avx2, rn_flat_avx512, rn_flat_neon;
extern const struct rn_fragop_ops rn_fragop_scalar, rn_fragop_sse, rn_fragop_avx2, rn_fragop_avx512, rn_fragop_neon;

RN_DISPATCH(rn_rast_ops, rn_rast, rn_rast_ops_for)
RN_DISPATCH(rn_depth_ops, rn_depth, rn_depth_ops_for)
RN_DISPATCH(rn_small_ops, rn_small, rn_small_ops_for)
RN_DISPATCH(rn_quads_ops, rn_quads, rn_quads_ops_for)
RN_DISPATCH(rn_interp_ops, rn_interp, rn_interp_ops_for)
RN_DISPATCH(rn_flat_ops, rn_flat, rn_flat_ops_for)
RN_DISPATCH(rn_fragop_ops, rn_fragop, rn_fragop_ops_for)
