/* SPDX-License-Identifier: MIT */
/*
 * Accuracy of the VM's mathematics against double precision (glibc's double functions, far below one
 * unit of a float): LG2, EX2, SIN, COS as math_tmpl.h has them, and tan, asin, acos, atan, pow as
 * mathconst.h tells the compiler to expand them, written here from VM operations only. The scalar
 * backend is measured; tests/simd proves that the others give the same bits. Every float takes part
 * when VLGL_SWEEP=1 (minutes), else each STRIDE-th.
 */
#define SIMD_ISA_SCALAR 1
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/harness/check.h"
#include "vm/base/math_tmpl.h"

static uint32_t sweep_stride(uint32_t ordinary) {
    const char *full = getenv("VLGL_SWEEP");
    return full ? (uint32_t)strtoul(full, NULL, 10) : ordinary;
}

/* Distance of 'got' from the real value in units of the last place of a float of that size. */
static double ulps(float got, double want) {
    if ((double)got == want || (isnan(got) && isnan(want))) {
        return 0.0;
    }
    if (isnan(got) || isnan(want)) {
        return 1e30;
    }
    if (isinf(got)) {       /* overflow is right when the real value rounds to infinity or nearly */
        return fabs(want) > 3.4028e38 && (got > 0.0f) == (want > 0.0) ? 0.0 : 1e30;
    }
    int e;
    frexp(want, &e);
    e = e < -125 ? -125 : e;
    return fabs((double)got - want) / ldexp(1.0, e - 24);
}

struct worst {
    double ulp, absolute;
    float at;
};
static void note(struct worst *w, float x, float got, double want) {
    double u = ulps(got, want), a = fabs((double)got - want);
    if (u > w->ulp) {
        w->ulp = u;
        w->at = x;
    }
    if (a > w->absolute) {
        w->absolute = a;
    }
}

/* Calls 'fn' on the floats with bits first..last, both signs, and returns the worst error. */
static struct worst sweep(float (*fn)(float), double (*real)(double), float first, float last,
                          uint32_t stride, bool negative) {
    struct worst w = {0.0, 0.0, 0.0f};
    for (uint64_t u = bits_from_float(first); u <= bits_from_float(last); u += stride) {
        float x = bits_to_float((uint32_t)u);
        note(&w, x, fn(x), real((double)x));
        if (negative) {
            note(&w, -x, fn(-x), real(-(double)x));
        }
    }
    return w;
}

/* ---- the compiler's sequences, VM operations only ---------------------------------------------- */

static const float asin_coefs[MATH_ASIN_COUNT] = MATH_ASIN_COEFS;
static const float atan_coefs[MATH_ATAN_COUNT] = MATH_ATAN_COEFS;

static float horner(const float *c, int n, float z) {
    float p = c[n - 1];
    for (int i = n - 2; i >= 0; i--) {
        p = vf_madd(p, z, c[i]);
    }
    return p;
}
static float seq_tan(float x) { return vf_div(math_sin(x), math_cos(x)); }
static float seq_asin(float x) {
    float a = vf_abs(x);
    bool big = a > 0.5f;
    float zb = (1.0f - a) * 0.5f, z = big ? zb : x * x;
    float s = big ? vf_sqrt(zb) : x;
    float p = vf_madd(z * horner(asin_coefs, MATH_ASIN_COUNT, z), s, s);
    float h = MATH_PI_2 - (p + p);
    return big ? (x < 0.0f ? -h : h) : p;
}
static float seq_acos(float x) {
    float a = vf_abs(x);
    bool big = a > 0.5f;
    float zb = (1.0f - a) * 0.5f, z = big ? zb : x * x;
    float s = big ? vf_sqrt(zb) : x;
    float p = vf_madd(z * horner(asin_coefs, MATH_ASIN_COUNT, z), s, s);
    float d = p + p;
    return big ? (x < 0.0f ? MATH_PI - d : d) : MATH_PI_2 - p;
}
static float seq_atan(float x) {
    bool big = vf_abs(x) > 1.0f;
    float t = big ? math_rcp(x) : x, z = t * t;
    float p = vf_madd(z * horner(atan_coefs, MATH_ATAN_COUNT, z), t, t);
    return big ? (x < 0.0f ? -MATH_PI_2 : MATH_PI_2) - p : p;
}
static float seq_atan2(float y, float x) {
    float ax = vf_abs(x), ay = vf_abs(y);
    bool swap = ay > ax;
    float lo = vf_min(ax, ay), hi = vf_max(vf_max(ax, ay), MATH_FLT_MIN);
    float t = vf_div(lo, hi), z = t * t;
    float p = vf_madd(z * horner(atan_coefs, MATH_ATAN_COUNT, z), t, t);
    float r = swap ? MATH_PI_2 - p : p;
    r = x < 0.0f ? MATH_PI - r : r;
    return y < 0.0f ? -r : r;
}
static float seq_pow(float x, float y) { return math_exp2(y * math_log2(x)); }

static float scalar_exp2(float x) { return math_exp2(x); }
static float scalar_log2(float x) { return math_log2(x); }
static float scalar_sin(float x) { return math_sin(x); }
static float scalar_cos(float x) { return math_cos(x); }
static double real_rsq(double x) { return 1.0 / sqrt(x); }
static float scalar_rsq(float x) { return math_rsq(x); }

#define REPORT(name, w) \
    printf("    %-24s max %.3f ulp at %.9g, max abs %.3g\n", name, (w).ulp, (double)(w).at, (w).absolute)

TEST(exp2_accuracy) {
    struct worst w = sweep(scalar_exp2, exp2, 0.0f, 127.99999f, sweep_stride(211), false);
    REPORT("exp2 x >= 0", w);
    CHECK(w.ulp <= 4.0);
    struct worst n = sweep(scalar_exp2, exp2, -0.0f, -126.0f, sweep_stride(211), false);
    REPORT("exp2 x < 0", n);
    CHECK(n.ulp <= 4.0);
    CHECK(math_exp2(0.0f) == 1.0f && math_exp2(-126.0f) == MATH_FLT_MIN);
    CHECK(math_exp2(128.0f) == INFINITY && math_exp2(3e38f) == INFINITY && math_exp2(INFINITY) == INFINITY);
    CHECK(math_exp2(-126.00001f) == 0.0f && math_exp2(-3e38f) == 0.0f && math_exp2(-INFINITY) == 0.0f);
    CHECK(isnan(math_exp2(NAN)) && isnan(math_exp2(bits_to_float(0xFF812345u))));
    for (int i = -126; i < 128; i++) {
        CHECK(math_exp2((float)i) == ldexpf(1.0f, i));
    }
}
TEST(log2_accuracy) {
    struct worst w = sweep(scalar_log2, log2, bits_to_float(1u), FLT_MAX, sweep_stride(211), false);
    REPORT("log2", w);
    CHECK(w.ulp <= 4.0);
    struct worst one = sweep(scalar_log2, log2, 0.7f, 1.45f, sweep_stride(3), false);
    REPORT("log2 near 1", one);
    CHECK(one.ulp <= 4.0);
    CHECK(math_log2(0.0f) == -INFINITY && math_log2(-0.0f) == -INFINITY);
    CHECK(math_log2(INFINITY) == INFINITY && isnan(math_log2(NAN)));
    CHECK(isnan(math_log2(-1.0f)) && isnan(math_log2(-INFINITY)) && isnan(math_log2(-FLT_MIN / 4.0f)));
    for (int i = -149; i < 128; i++) {
        CHECK(math_log2(ldexpf(1.0f, i)) == (float)i);
    }
}
TEST(sin_cos_accuracy) {
    struct worst s = sweep(scalar_sin, sin, 0.0f, 3.14159274f, sweep_stride(211), true);
    struct worst c = sweep(scalar_cos, cos, 0.0f, 3.14159274f, sweep_stride(211), true);
    REPORT("sin |x| <= pi", s);
    REPORT("cos |x| <= pi", c);
    CHECK(s.ulp <= 4.0 && c.ulp <= 4.0);
    s = sweep(scalar_sin, sin, 3.0f, 8192.0f, sweep_stride(13), true);
    c = sweep(scalar_cos, cos, 3.0f, 8192.0f, sweep_stride(13), true);
    REPORT("sin |x| <= 8192", s);
    REPORT("cos |x| <= 8192", c);
    CHECK(s.absolute <= 2e-7 && c.absolute <= 2e-7);
    /* near multiples of pi / 2, where relative accuracy is hard */
    struct worst z = {0.0, 0.0, 0.0f}, zc = z;
    for (int k = -2; k <= 2; k++) {
        uint32_t u = bits_from_float((float)k * 1.57079637f);
        for (int i = -200000; i <= 200000; i++) {
            float x = bits_to_float(u + (uint32_t)i);
            if (fabsf(x) <= 3.14159274f) {
                note(&z, x, math_sin(x), sin((double)x));
                note(&zc, x, math_cos(x), cos((double)x));
            }
        }
    }
    REPORT("sin near k pi/2", z);
    REPORT("cos near k pi/2", zc);
    CHECK(z.ulp <= 4.0 && zc.ulp <= 4.0);
    CHECK(math_sin(0.0f) == 0.0f && math_cos(0.0f) == 1.0f && math_sin(-0.0f) == 0.0f);
    CHECK(isnan(math_sin(INFINITY)) && isnan(math_cos(-INFINITY)) && isnan(math_sin(NAN)));
}
TEST(sin_cos_bounded) {
    uint32_t outside = 0;
    for (uint64_t u = 0; u < 0x7F800000u; u += sweep_stride(61)) {
        float x = bits_to_float((uint32_t)u), s = math_sin(x), c = math_cos(x);
        outside += !(s >= -1.0f && s <= 1.0f) + !(c >= -1.0f && c <= 1.0f);
        s = math_sin(-x);
        c = math_cos(-x);
        outside += !(s >= -1.0f && s <= 1.0f) + !(c >= -1.0f && c <= 1.0f);
    }
    CHECK_EQ_INT(outside, 0);
}
TEST(tan_accuracy) {
    struct worst w = sweep(seq_tan, tan, 0.0f, 3.14159274f, sweep_stride(101), true);
    struct worst n = sweep(seq_tan, tan, 0.5f, 3.14159274f, sweep_stride(5), true);
    REPORT("tan |x| <= pi", w);
    REPORT("tan 0.5..pi", n);
    CHECK(w.ulp <= 4.0 && n.ulp <= 4.0);
}
TEST(asin_acos_accuracy) {
    struct worst s = sweep(seq_asin, asin, 0.0f, 1.0f, sweep_stride(97), true);
    struct worst c = sweep(seq_acos, acos, 0.0f, 1.0f, sweep_stride(97), true);
    REPORT("asin", s);
    REPORT("acos", c);
    CHECK(s.ulp <= 4.0 && c.ulp <= 4.0);
    s = sweep(seq_asin, asin, 0.25f, 1.0f, sweep_stride(3), true);
    c = sweep(seq_acos, acos, 0.25f, 1.0f, sweep_stride(3), true);
    REPORT("asin 0.25..1", s);
    REPORT("acos 0.25..1", c);
    CHECK(s.ulp <= 4.0 && c.ulp <= 4.0);
    CHECK(isnan(seq_asin(1.5f)) && isnan(seq_acos(-2.0f)) && isnan(seq_asin(NAN)));
}
TEST(atan_accuracy) {
    struct worst w = sweep(seq_atan, atan, 0.0f, FLT_MAX, sweep_stride(97), true);
    struct worst n = sweep(seq_atan, atan, 0.1f, 8.0f, sweep_stride(5), true);
    REPORT("atan", w);
    REPORT("atan 0.1..8", n);
    CHECK(w.ulp <= 4.0 && n.ulp <= 4.0);
    CHECK(seq_atan(INFINITY) == MATH_PI_2 && seq_atan(-INFINITY) == -MATH_PI_2 && isnan(seq_atan(NAN)));
    struct worst two = {0.0, 0.0, 0.0f};
    check_seed(7);
    for (int i = 0; i < 2000000; i++) {
        float y = (float)(int32_t)check_random() * 0x1p-28f, x = (float)(int32_t)check_random() * 0x1p-28f;
        note(&two, y, seq_atan2(y, x), atan2((double)y, (double)x));
    }
    REPORT("atan(y, x)", two);
    CHECK(two.ulp <= 4.0);
    CHECK(seq_atan2(0.0f, 0.0f) == 0.0f && seq_atan2(0.0f, -1.0f) == MATH_PI);
}

/* pow over results in [2^-126, 2^127]: for every base the exponents that reach far. */
static double pow_error(float x, float y) {
    double want = pow((double)x, (double)y);
    if (want < 0x1p-126 || want > 0x1p127) {
        return want < 0x1p-127 ? (double)seq_pow(x, y) : 0.0;
    }
    return fabs((double)seq_pow(x, y) - want) / want;
}
TEST(pow_accuracy) {
    double worst = 0.0;
    float wx = 0.0f, wy = 0.0f;
    check_seed(11);
    for (uint64_t u = bits_from_float(0x1p-30f); u < bits_from_float(0x1p30f); u += sweep_stride(211)) {
        float x = bits_to_float((uint32_t)u);
        double lg = log2((double)x);
        for (int k = 0; k < 3 && lg != 0.0; k++) {
            double target = k == 0 ? 126.9 : k == 1 ? -125.9 : (double)(int32_t)check_random() * 0x1p-31 * 126.0;
            float y = (float)(target / lg);
            double e = pow_error(x, y);
            if (e > worst) {
                worst = e;
                wx = x;
                wy = y;
            }
        }
    }
    for (uint32_t u = bits_from_float(0.98f); u < bits_from_float(1.02f); u += 3) {      /* hardest near 1 */
        float x = bits_to_float(u);
        double lg = log2((double)x);
        for (int k = 0; k < 2 && lg != 0.0; k++) {
            float y = (float)((k ? 126.97 : -125.97) / lg);
            double e = pow_error(x, y);
            if (e > worst) {
                worst = e;
                wx = x;
                wy = y;
            }
        }
    }
    printf("    pow                      max relative 2^%.2f at pow(%.9g, %.9g)\n", log2(worst), (double)wx, (double)wy);
    CHECK(worst <= 0x1p-16);
    CHECK(seq_pow(0.0f, 2.0f) == 0.0f && seq_pow(2.0f, -200.0f) == 0.0f && seq_pow(2.0f, 10.0f) == 1024.0f);
}
TEST(rsq_accuracy) {
    struct worst w = sweep(scalar_rsq, real_rsq, FLT_MIN, FLT_MAX, sweep_stride(1009), false);
    REPORT("1/sqrt", w);
    CHECK(w.ulp <= 2.0);
    CHECK(math_rsq(0.0f) == INFINITY && math_rsq(INFINITY) == 0.0f && isnan(math_rsq(-1.0f)));
}
TEST(mantissa_exponent) {
    check_seed(3);
    for (int i = 0; i < 200000; i++) {
        float x = check_random_float(), m = math_man(x), e = math_exp(x);
        if (x == 0.0f) {
            CHECK(m == 0.0f && e == 0.0f);
        } else if (isnan(x)) {
            CHECK(isnan(m) && isnan(e));
        } else if (isinf(x)) {
            CHECK(m == x && e == INFINITY);
        } else {
            CHECK(fabsf(m) >= 1.0f && fabsf(m) < 2.0f && ldexp((double)m, (int)e) == (double)x);
        }
    }
}
