/* SPDX-License-Identifier: MIT */
/*
 * The meaning of every arithmetic micro-operation as a function on SIMD vectors: the kernels apply
 * them to the register file, prepare.c (with the scalar backend) to constant expressions. Same
 * functions, so a uniform expression has the same bits wherever it is computed.
 */
#ifndef VM_EXEC_MICROOP_EXPR_H
#define VM_EXEC_MICROOP_EXPR_H

/* A file that is no kernel gets the scalar functions. */
#if !defined(SIMD_ISA_SCALAR) && !defined(SIMD_ISA_SSE) && !defined(SIMD_ISA_AVX2) && !defined(SIMD_ISA_AVX512) && \
    !defined(SIMD_ISA_NEON)
#define SIMD_ISA_SCALAR 1
#endif

#include "vm/base/math_tmpl.h"

SIMD_FN vf e_ADD(vf a, vf b) { return vf_add(a, b); }
SIMD_FN vf e_MUL(vf a, vf b) { return vf_mul(a, b); }
SIMD_FN vf e_NML(vf a, vf b) { return vf_neg(vf_mul(a, b)); }
SIMD_FN vf e_SUB(vf a, vf b) { return vf_sub(a, b); }
SIMD_FN vf e_MIN(vf a, vf b) { return vf_min(a, b); }
SIMD_FN vf e_MAX(vf a, vf b) { return vf_max(a, b); }
SIMD_FN vf e_SLT(vf a, vf b) { return vf_mask01(vf_lt(a, b)); }
SIMD_FN vf e_SGE(vf a, vf b) { return vf_mask01(vf_ge(a, b)); }
SIMD_FN vf e_DIV(vf a, vf b) { return vf_div(a, b); }
SIMD_FN vf e_SEQ(vf a, vf b) { return vf_mask01(vf_eq(a, b)); }
SIMD_FN vf e_SNE(vf a, vf b) { return vf_mask01(vf_ne(a, b)); }
SIMD_FN vf e_AND(vf a, vf b) { return vi_as_vf(vi_and(vf_as_vi(a), vf_as_vi(b))); }
SIMD_FN vf e_OR(vf a, vf b) { return vi_as_vf(vi_or(vf_as_vi(a), vf_as_vi(b))); }
SIMD_FN vf e_XOR(vf a, vf b) { return vi_as_vf(vi_xor(vf_as_vi(a), vf_as_vi(b))); }
SIMD_FN vf e_SHF(vf a, vf b) { return vi_as_vf(vi_shlv(vf_as_vi(b), vf_as_vi(a))); }
SIMD_FN vf e_CMP(vf a, vf b) {
    vf order = vf_sub(vf_mask01(vf_gt(a, b)), vf_mask01(vf_lt(a, b)));
    return vf_sel(vf_unord(a, b), vi_as_vf(vi_set1(0x7FC00000)), order);
}
SIMD_FN vf e_BADD(vf a, vf b) { return vi_as_vf(vb_add(vf_as_vi(a), vf_as_vi(b))); }
SIMD_FN vf e_BMUL(vf a, vf b) { return vi_as_vf(vb_mul(vf_as_vi(a), vf_as_vi(b))); }
SIMD_FN vf e_BMIN(vf a, vf b) { return vi_as_vf(vb_min(vf_as_vi(a), vf_as_vi(b))); }
SIMD_FN vf e_BMAX(vf a, vf b) { return vi_as_vf(vb_max(vf_as_vi(a), vf_as_vi(b))); }
SIMD_FN vf e_BLERP(vf a, vf b, vf c) { return vi_as_vf(vb_lerp(vf_as_vi(a), vf_as_vi(b), vf_as_vi(c))); }
SIMD_FN vf e_BALPHA(vf a) { return vi_as_vf(vb_alpha(vf_as_vi(a))); }
SIMD_FN vf e_MAD(vf a, vf b, vf c) { return vf_madd(a, b, c); }
SIMD_FN vf e_MSB(vf a, vf b, vf c) { return vf_sub(vf_mul(a, b), c); }
SIMD_FN vf e_NMA(vf a, vf b, vf c) { return vf_sub(c, vf_mul(a, b)); }
SIMD_FN vf e_SELNZ(vf a, vf b, vf c) { return vf_sel(vf_ne(a, vf_zero()), b, c); }
SIMD_FN vf e_SELN(vf a, vf b, vf c) { return vf_sel(vf_lt(a, vf_zero()), b, c); }
SIMD_FN vf e_SELGE(vf a, vf b, vf c) { return vf_sel(vf_ge(a, vf_zero()), b, c); }
SIMD_FN vf e_SELP(vf a, vf b, vf c) { return vf_sel(vf_gt(a, vf_zero()), b, c); }
SIMD_FN vf e_SELLE(vf a, vf b, vf c) { return vf_sel(vf_le(a, vf_zero()), b, c); }
SIMD_FN vf e_FRCM(vf a, vf b) {
    vf p = vf_mul(a, b);
    return vf_sub(p, vf_floor(p));
}
SIMD_FN vf e_MIX(vf a, vf b, vf c) { return vf_add(vf_mul(a, vf_sub(vf_set1(1.0f), c)), vf_mul(b, c)); }
SIMD_FN vf e_SUMP(vf a, vf b, vf c) { return vf_mul(vf_add(a, c), vf_add(b, c)); }
SIMD_FN vf e_CUBIC(vf a, vf b, vf c) { return vf_mul(vf_mul(a, a), vf_sub(c, vf_mul(a, b))); }
SIMD_FN vf e_NEG(vf a) { return vf_neg(a); }
SIMD_FN vf e_ABS(vf a) { return vf_abs(a); }
SIMD_FN vf e_SAT(vf a) { return vf_min(vf_max(a, vf_zero()), vf_set1(1.0f)); }
SIMD_FN vf e_FLR(vf a) { return vf_floor(a); }
SIMD_FN vf e_FRC(vf a) { return vf_sub(a, vf_floor(a)); }
SIMD_FN vf e_TRUNC(vf a) { return vf_trunc(a); }
SIMD_FN vf e_CEIL(vf a) { return vf_ceil(a); }
SIMD_FN vf e_ROUND(vf a) { return vf_rint(a); }
SIMD_FN vf e_SSG(vf a) {
    return vf_sub(vf_mask01(vf_gt(a, vf_zero())), vf_mask01(vf_lt(a, vf_zero())));
}
SIMD_FN vf e_SQRT(vf a) { return vf_sqrt(a); }
SIMD_FN vf e_RCP(vf a) { return math_rcp(a); }
SIMD_FN vf e_RSQ(vf a) { return math_rsq(a); }
SIMD_FN vf e_LG2(vf a) { return math_log2(a); }
SIMD_FN vf e_EX2(vf a) { return math_exp2(a); }
SIMD_FN vf e_SIN(vf a) { return math_sin(a); }
SIMD_FN vf e_COS(vf a) { return math_cos(a); }
SIMD_FN vf e_MAN(vf a) { return math_man(a); }
SIMD_FN vf e_EXP(vf a) { return math_exp(a); }
SIMD_FN vf e_CONV(vf a) { return vi_as_vf(vi_from_vf_trunc(a)); }
SIMD_FN vf e_CANON(vf a) { return vf_sel(vf_unord(a, a), vi_as_vf(vi_set1(0x7FC00000)), a); }
SIMD_FN vf e_ISZ(vf a) { return vf_mask01(vi_eq(vf_as_vi(a), vi_zero())); }
SIMD_FN vf e_ISN(vf a) { return vf_mask01(vi_lt(vf_as_vi(a), vi_zero())); }
SIMD_FN vf e_ISP(vf a) { return vf_mask01(vi_gt(vf_as_vi(a), vi_zero())); }

#endif
