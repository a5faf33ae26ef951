/* SPDX-License-Identifier: MIT */
/*
 * Coefficients of every approximation of the project, and the formulas that the compiler expands for
 * the functions that are no VL-IW operation. vm/base/math_tmpl.h (LG2, EX2, SIN, COS), the reference
 * interpreter and vm/codegen's builtin expansion include this file, so all use the same numbers;
 * tests/unit/math_test.c measures them against double precision. Minimax fits of our own: Remez
 * exchange in 40 digits with relative weight, or sollya's fpminimax, coefficients constrained to
 * float.
 *
 * Every formula is to be evaluated exactly as written, one rounding an operation, no contraction.
 * sel(c, a, b) is c ? a : b, madd(a, b, c) is a * b rounded, + c rounded. Polynomials are in Horner
 * form: P(z) = C0 + z*(C1 + z*(C2 + ...)) as madd(madd(..., z, C1), z, C0).
 *
 * The formulas below use only VM operations (MUL, ADD, MAD, DIV, SQRT, RCP, comparisons, ABS).
 *
 *   tan(x)   SIN(x) / COS(x), with the exact division (XOP DIV)
 *
 *   asin(x)  a = |x|; big = a > 0.5; zb = (1 - a) * 0.5; z = sel(big, zb, x * x)
 *            s = sel(big, sqrt(zb), x); p = madd(z * ASIN(z), s, s)
 *            h = PI_2 - (p + p); sel(big, sel(x < 0, -h, h), p)           NaN for a > 1
 *
 *   acos(x)  a, big, zb, z, s, p as for asin; d = p + p
 *            sel(big, sel(x < 0, PI - d, d), PI_2 - p)                    NaN for a > 1
 *
 *   atan(x)  big = |x| > 1; t = sel(big, 1 / x, x); z = t * t; p = madd(z * ATAN(z), t, t)
 *            sel(big, sel(x < 0, -PI_2, PI_2) - p, p)
 *
 *   atan(y, x)  ax = |x|; ay = |y|; swap = ay > ax; lo = min(ax, ay); hi = max(max(ax, ay), FLT_MIN)
 *            t = lo / hi; z = t * t; p = madd(z * ATAN(z), t, t)
 *            r = sel(swap, PI_2 - p, p); r = sel(x < 0, PI - r, r); sel(y < 0, -r, r)
 *            (0, 0) gives 0; min and max are MIN and MAX of the ISA
 *
 *   pow(x, y)  EX2(y * LG2(x)); exp(x)  EX2(x * LOG2_E);  log(x)  LG2(x) * LN_2
 */
#ifndef VM_BASE_MATHCONST_H
#define VM_BASE_MATHCONST_H

#define MATH_PI 3.14159274101257324e+00f
#define MATH_PI_2 1.57079637050628662e+00f
#define MATH_LOG2_E 1.44269502162933350e+00f
#define MATH_LN_2 6.93147182464599609e-01f
#define MATH_FLT_MIN 1.17549435082228751e-38f

/* asin(s) = s + s * z * ASIN(z), z = s * s <= 0.25; 2^-27.6 relative. */
#define MATH_ASIN_COUNT 5
#define MATH_ASIN_COEFS \
    {0x1.5555c8p-3f, 0x1.330204p-4f, 0x1.747bbap-5f, 0x1.8c3e2ap-6f, 0x1.595c8cp-5f}

/* atan(t) = t + t * z * ATAN(z), z = t * t <= 1; 2^-25.8 relative. */
#define MATH_ATAN_COUNT 8
#define MATH_ATAN_COEFS \
    {-0x1.5554dcp-2f, 0x1.9978ecp-3f, -0x1.230a9cp-3f, 0x1.b4df40p-4f, \
     -0x1.3552c4p-4f, 0x1.61f4e6p-5f, -0x1.0c2182p-6f, 0x1.7ebde6p-9f}

/* 2^f = 1 + f * EXP2(f), |f| <= 0.5; 2^-28.0 relative. */
#define MATH_EXP2_C0 0.693147182464599609375f
#define MATH_EXP2_C1 0.240226447582244873046875f
#define MATH_EXP2_C2 5.55035881698131561279296875e-2f
#define MATH_EXP2_C3 9.61883366107940673828125e-3f
#define MATH_EXP2_C4 1.339130220003426074981689453125e-3f
#define MATH_EXP2_C5 1.52412845636717975139617919921875e-4f

/* log2(1 + t) = t + t * LOG2(t), sqrt(0.5) <= 1 + t <= sqrt(2); 2^-24.8 relative. */
#define MATH_LOG2_C0 0.4426949918270111083984375f
#define MATH_LOG2_C1 -0.721347332000732421875f
#define MATH_LOG2_C2 0.4809116423130035400390625f
#define MATH_LOG2_C3 -0.360705196857452392578125f
#define MATH_LOG2_C4 0.2878949940204620361328125f
#define MATH_LOG2_C5 -0.2389053404331207275390625f
#define MATH_LOG2_C6 0.21584282815456390380859375f
#define MATH_LOG2_C7 -0.20755641162395477294921875f
#define MATH_LOG2_C8 0.1258858144283294677734375f

/* sin(r) = r + r * z * SIN(z), cos(r) = 1 + z * (-0.5 + z * COS(z)), z = r * r, |r| <= pi / 4. */
#define MATH_SIN_C0 -0x1.555546p-3f
#define MATH_SIN_C1 0x1.110776p-7f
#define MATH_SIN_C2 -0x1.9952f6p-13f
#define MATH_COS_C0 0x1.55554ap-5f
#define MATH_COS_C1 -0x1.6c0c28p-10f
#define MATH_COS_C2 0x1.99e80cp-16f

/* pi / 2 in three parts: multiples of the first two are exact up to 2^13. */
#define MATH_2_PI 6.36619746685028076e-01f
#define MATH_PI_2_HIGH 1.5703125f
#define MATH_PI_2_MID 4.837512969970703125e-4f
#define MATH_PI_2_LOW 7.549790126404332113452255725860595703125e-8f

#endif
