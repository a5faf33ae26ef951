/* SPDX-License-Identifier: MIT */
/*
 * The special functions of the VM, written on simd.h alone: the same bits on every backend. Included
 * by kernel templates (kernel_tmpl.c) and tests. Coefficients and fits: vm/base/mathconst.h; accuracy:
 * tests/unit/math_test.c. No table, no estimate instruction, no libm.
 *
 * Ideas measured and dropped: exp2 degree 5 (7 ulp), log2 degree 8 (2.2 ulp: pow would miss 2^-16 near
 * x = 1), Newton steps for 1/sqrt (no faster than the exact instructions), cos as sin(x + pi/2).
 */
#ifndef VM_BASE_MATH_TMPL_H
#define VM_BASE_MATH_TMPL_H

#include "vm/base/mathconst.h"
#include "vm/base/simd.h"

SIMD_FN vf math_rcp(vf x) { return vf_div(vf_set1(1.0f), x); }
SIMD_FN vf math_rsq(vf x) { return vf_div(vf_set1(1.0f), vf_sqrt(x)); }

/*
 * 2^x: n = x rounded, 2^f by polynomial, n added to the exponent. From 128 on infinity; below -126
 * zero, so denormal results do not occur. A NaN converts to an integer whose low nine bits are zero
 * on every ISA, so it leaves the exponent alone and stays a NaN.
 */
SIMD_FN vf math_exp2(vf x) {
    vf c = vf_min(vf_set1(128.0f), x);
    vi n = vi_from_vf_rint_fast(c);
    vf f = vf_sub(c, vf_from_vi(n));
    vf p = vf_madd(vf_set1(MATH_EXP2_C5), f, vf_set1(MATH_EXP2_C4));
    p = vf_madd(p, f, vf_set1(MATH_EXP2_C3));
    p = vf_madd(p, f, vf_set1(MATH_EXP2_C2));
    p = vf_madd(p, f, vf_set1(MATH_EXP2_C1));
    p = vf_madd(p, f, vf_set1(MATH_EXP2_C0));
    p = vf_madd(p, f, vf_set1(1.0f));
    vf r = vi_as_vf(vi_add(vf_as_vi(p), vi_shl(n, 23)));
    return vf_sel(vf_lt(x, vf_set1(-126.0f)), vf_zero(), r);
}

/* log2 of positive normal numbers: exponent + polynomial of the mantissa in sqrt(0.5) .. sqrt(2). */
SIMD_FN vf math_log2_normal(vf x) {
    vi i = vi_sub(vf_as_vi(x), vi_set1(0x3F3504F3));
    vf e = vf_from_vi(vi_sar(i, 23));
    vf m = vi_as_vf(vi_add(vi_and(i, vi_set1(0x007FFFFF)), vi_set1(0x3F3504F3)));
    vf t = vf_sub(m, vf_set1(1.0f));
    vf q = vf_madd(vf_set1(MATH_LOG2_C8), t, vf_set1(MATH_LOG2_C7));
    q = vf_madd(q, t, vf_set1(MATH_LOG2_C6));
    q = vf_madd(q, t, vf_set1(MATH_LOG2_C5));
    q = vf_madd(q, t, vf_set1(MATH_LOG2_C4));
    q = vf_madd(q, t, vf_set1(MATH_LOG2_C3));
    q = vf_madd(q, t, vf_set1(MATH_LOG2_C2));
    q = vf_madd(q, t, vf_set1(MATH_LOG2_C1));
    q = vf_madd(q, t, vf_set1(MATH_LOG2_C0));
    return vf_add(vf_madd(q, t, t), e);
}

/*
 * 0 gives -inf, negative numbers NaN, infinity itself, NaN a NaN; denormals are scaled up. Zero is common
 * (dark highlights), so the second evaluation that denormals need is a branch of its own.
 */
SIMD_FN vf math_log2(vf x) {
    vf r = math_log2_normal(x);
    vm normal = vi_lt(vi_sub(vf_as_vi(x), vi_set1((int32_t)0x80800000)), vi_set1((int32_t)0xFF000000));
    if (BITS_LIKELY(vm_all(normal))) {
        return r;
    }
    vf inf = vi_as_vf(vi_set1(0x7F800000)), nan = vi_as_vf(vi_set1(0x7FC00000));
    vm positive = vf_gt(x, vf_zero());
    if (BITS_UNLIKELY(vm_any(vm_andnot(normal, vm_and(positive, vf_lt(x, inf)))))) {
        vf small = vf_sub(math_log2_normal(vf_mul(x, vf_set1(8388608.0f))), vf_set1(23.0f));
        r = vf_sel(vf_lt(x, vf_set1(MATH_FLT_MIN)), small, r);
    }
    r = vf_sel(positive, vf_sel(vf_eq(x, inf), inf, r), nan);
    return vf_sel(vf_eq(x, vf_zero()), vf_neg(inf), r);
}

/*
 * Both polynomials of the quadrant, one of them taken. The quadrant is rounded by adding 1.5 * 2^23
 * (its low bits are then those of the sum); far beyond 8192 the number is meaningless but the same
 * everywhere, and the clamp keeps the result within [-1, 1]. Infinity gives inf - inf = NaN; the
 * clamp's operand order keeps NaNs.
 */
SIMD_FN vf math_sincos(vf x, int quadrant) {
    vf magic = vf_set1(12582912.0f);
    vf t = vf_madd(x, vf_set1(MATH_2_PI), magic);
    vf n = vf_sub(t, magic);
    vf r = vf_sub(x, vf_mul(n, vf_set1(MATH_PI_2_HIGH)));
    r = vf_sub(r, vf_mul(n, vf_set1(MATH_PI_2_MID)));
    r = vf_sub(r, vf_mul(n, vf_set1(MATH_PI_2_LOW)));
    r = vf_min(vf_set1(0.7865f), vf_max(vf_set1(-0.7865f), r));
    vf z = vf_mul(r, r);
    vf s = vf_madd(vf_set1(MATH_SIN_C2), z, vf_set1(MATH_SIN_C1));
    s = vf_madd(s, z, vf_set1(MATH_SIN_C0));
    s = vf_madd(vf_mul(s, z), r, r);
    vf c = vf_madd(vf_set1(MATH_COS_C2), z, vf_set1(MATH_COS_C1));
    c = vf_madd(c, z, vf_set1(MATH_COS_C0));
    c = vf_madd(c, z, vf_set1(-0.5f));
    c = vf_madd(c, z, vf_set1(1.0f));
    vi q = vf_as_vi(t);
    if (quadrant) {
        q = vi_add(q, vi_set1(quadrant));
    }
    vf v = vf_sel(vm_from_vi(vi_shl(q, 31)), c, s);
    return vi_as_vf(vi_xor(vf_as_vi(v), vi_shl(vi_and(q, vi_set1(2)), 30)));
}
SIMD_FN vf math_sin(vf x) { return math_sincos(x, 0); }
SIMD_FN vf math_cos(vf x) { return math_sincos(x, 1); }

/* Mantissa in +-[1, 2): x = MAN(x) * 2^EXP(x). Zeros, infinities and NaNs are their own mantissa. */
SIMD_FN vf math_man(vf x) {
    vf a = vf_abs(x);
    vf n = vf_sel(vf_lt(a, vf_set1(MATH_FLT_MIN)), vf_mul(x, vf_set1(8388608.0f)), x);
    vi bits = vi_or(vi_and(vf_as_vi(n), vi_set1((int32_t)0x807FFFFF)), vi_set1(0x3F800000));
    vm finite = vm_and(vf_gt(a, vf_zero()), vf_lt(a, vi_as_vf(vi_set1(0x7F800000))));
    return vf_sel(finite, vi_as_vf(bits), x);
}
/* Exponent as a float: 0 for zeros, infinity for infinities, NaN for NaNs. */
SIMD_FN vf math_exp(vf x) {
    vf a = vf_abs(x);
    vm tiny = vf_lt(a, vf_set1(MATH_FLT_MIN));
    vf n = vf_sel(tiny, vf_mul(a, vf_set1(8388608.0f)), a);
    vf e = vf_from_vi(vi_sub(vi_shr(vf_as_vi(n), 23), vi_set1(127)));
    e = vf_sel(tiny, vf_sub(e, vf_set1(23.0f)), e);
    vm finite = vm_and(vf_gt(a, vf_zero()), vf_lt(a, vi_as_vf(vi_set1(0x7F800000))));
    return vf_sel(finite, e, a);
}

#endif
