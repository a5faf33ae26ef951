/* SPDX-License-Identifier: MIT */
/*
 * Operations on doubles, compiled once for each ISA. In: a CALL micro-operation (typed.h) whose operands are
 * pairs of words in slots or constants. Out: words in slots. A NaN that arises here is 7ff8000000000000.
 */
#include "vm/exec/typed_tmpl.h"

#include <string.h>

#include "vm/base/bits.h"

/* NaNs are rare: loops only note that there was one, and then all results are looked at again. */
SIMD_FN vd canon(vd v) { return vd_sel(vd_unord(v, v), vd_set1(soft_double(0x7FF8000000000000ull)), v); }
static __attribute__((noinline)) void canon_rows(char *low, char *high, unsigned vectors) {
    for (unsigned i = 0; i < vectors; i++) {
        const vi lo = typed_load(low, i), hi = typed_load(high, i);
        const vd x = canon(vd_a_from_words(lo, hi)), y = canon(vd_b_from_words(lo, hi));
        vi_store(typed_row(low, i), vi_low_words(x, y));
        vi_store(typed_row(high, i), vi_high_words(x, y));
    }
}
/* A vector whose low words are 1.0f. */
SIMD_FN vd low_one(void) { return vd_set1(soft_double(0x3F800000u)); }

SIMD_FN vd x_ADD(vd a, vd b) { return vd_add(a, b); }
SIMD_FN vd x_MUL(vd a, vd b) { return vd_mul(a, b); }
SIMD_FN vd x_DIV(vd a, vd b) { return vd_div(a, b); }
SIMD_FN vd x_MIN(vd a, vd b) { return vd_min(a, b); }
SIMD_FN vd x_MAX(vd a, vd b) { return vd_max(a, b); }
SIMD_FN vd x_MAD(vd a, vd b, vd c) { return vd_add(vd_mul(a, b), c); }
SIMD_FN vd x_FMA(vd a, vd b, vd c) { return vd_fma(a, b, c); }
SIMD_FN vd x_SQRT(vd a) { return vd_sqrt(a); }
SIMD_FN vd x_RCP(vd a) { return vd_div(vd_set1(1.0), a); }
SIMD_FN vd x_RSQ(vd a) { return vd_div(vd_set1(1.0), vd_sqrt(a)); }
SIMD_FN vd x_FLR(vd a) { return vd_floor(a); }
SIMD_FN vd x_FRC(vd a) { return vd_sub(a, vd_floor(a)); }
SIMD_FN vd x_TRUNC(vd a) { return vd_trunc(a); }
SIMD_FN vd x_CEIL(vd a) { return vd_ceil(a); }
SIMD_FN vd x_ROUND(vd a) { return vd_rint(a); }
SIMD_FN vd x_SSG(vd a) {
    vd zero = vd_set1(0.0), negative = vd_sel(vd_lt(a, zero), vd_set1(-1.0), zero);
    return vd_sel(vd_lt(zero, a), vd_set1(1.0), negative);
}
SIMD_FN vd x_SLT(vd a, vd b) { return vd_sel(vd_lt(a, b), low_one(), vd_set1(0.0)); }
SIMD_FN vd x_SGE(vd a, vd b) { return vd_sel(vd_le(b, a), low_one(), vd_set1(0.0)); }
SIMD_FN vd x_SEQ(vd a, vd b) { return vd_sel(vd_eq(a, b), low_one(), vd_set1(0.0)); }
SIMD_FN vd x_SNE(vd a, vd b) { return vd_sel(vd_eq(a, b), vd_set1(0.0), low_one()); }

/* Operand k of vector i: words 2k and 2k + 1. */
#define PAIR_VALUE(lo, hi, x, y) \
    vi w##lo = typed_load(a##lo, i), w##hi = typed_load(a##hi, i); \
    vd x = vd_a_from_words(w##lo, w##hi), y = vd_b_from_words(w##lo, w##hi);
#define PAIR_STORE(x, y) \
    vi_store(typed_row(out0, i), vi_low_words(x, y)); \
    vi_store(typed_row(out1, i), vi_high_words(x, y));
/* 'keeps': results are operands or numbers, bits and all. */
#define PAIR_NOTE(keeps, x, y) nans = (keeps) ? nans : vdm_or(nans, vd_unord(x, y));
#define PAIR_CANON(keeps) \
    if (!(keeps) && BITS_UNLIKELY(vdm_any(nans))) { \
        canon_rows(out0, out1, vectors); \
    }
#define EACH_VECTOR for (unsigned i = 0; i < vectors; i++)

#define PAIR1(n, keeps) \
    TYPED_FN(f_##n) { \
        TYPED_ARG(0) TYPED_ARG(1) TYPED_OUT(0) TYPED_OUT(1) \
        vdm nans = vd_unord(vd_set1(0.0), vd_set1(0.0)); \
        EACH_VECTOR { \
            PAIR_VALUE(0, 1, ax, ay) \
            vd x = x_##n(ax), y = x_##n(ay); \
            PAIR_NOTE(keeps, x, y) \
            PAIR_STORE(x, y) \
        } \
        PAIR_CANON(keeps) \
    }
#define PAIR2(n, keeps) \
    TYPED_FN(f_##n) { \
        TYPED_ARG(0) TYPED_ARG(1) TYPED_ARG(2) TYPED_ARG(3) TYPED_OUT(0) TYPED_OUT(1) \
        vdm nans = vd_unord(vd_set1(0.0), vd_set1(0.0)); \
        EACH_VECTOR { \
            PAIR_VALUE(0, 1, ax, ay) PAIR_VALUE(2, 3, bx, by) \
            vd x = x_##n(ax, bx), y = x_##n(ay, by); \
            PAIR_NOTE(keeps, x, y) \
            PAIR_STORE(x, y) \
        } \
        PAIR_CANON(keeps) \
    }
#define PAIR3(n) \
    TYPED_FN(f_##n) { \
        TYPED_ARG(0) TYPED_ARG(1) TYPED_ARG(2) TYPED_ARG(3) TYPED_ARG(4) TYPED_ARG(5) TYPED_OUT(0) TYPED_OUT(1) \
        vdm nans = vd_unord(vd_set1(0.0), vd_set1(0.0)); \
        EACH_VECTOR { \
            PAIR_VALUE(0, 1, ax, ay) PAIR_VALUE(2, 3, bx, by) PAIR_VALUE(4, 5, cx, cy) \
            vd x = x_##n(ax, bx, cx), y = x_##n(ay, by, cy); \
            PAIR_NOTE(false, x, y) \
            PAIR_STORE(x, y) \
        } \
        PAIR_CANON(false) \
    }
#define COMPARE(n) \
    TYPED_FN(f_##n) { \
        TYPED_ARG(0) TYPED_ARG(1) TYPED_ARG(2) TYPED_ARG(3) TYPED_OUT(0) \
        EACH_VECTOR { \
            PAIR_VALUE(0, 1, ax, ay) PAIR_VALUE(2, 3, bx, by) \
            vi_store(typed_row(out0, i), vi_low_words(x_##n(ax, bx), x_##n(ay, by))); \
        } \
    }

PAIR2(ADD, false) PAIR2(MUL, false) PAIR2(DIV, false) PAIR2(MIN, true) PAIR2(MAX, true)
PAIR3(MAD) PAIR3(FMA)
PAIR1(SQRT, false) PAIR1(RCP, false) PAIR1(RSQ, false) PAIR1(FLR, false) PAIR1(FRC, false)
PAIR1(TRUNC, false) PAIR1(CEIL, false) PAIR1(ROUND, false) PAIR1(SSG, true)
COMPARE(SLT) COMPARE(SGE) COMPARE(SEQ) COMPARE(SNE)

TYPED_FN(f_F2D) {
    TYPED_ARG(0) TYPED_OUT(0) TYPED_OUT(1)
    EACH_VECTOR {
        vf v = vi_as_vf(typed_load(a0, i));
        vd x = canon(vd_a_from_vf(v)), y = canon(vd_b_from_vf(v));
        PAIR_STORE(x, y)
    }
}
TYPED_FN(f_D2F) {
    TYPED_ARG(0) TYPED_ARG(1) TYPED_OUT(0)
    EACH_VECTOR {
        PAIR_VALUE(0, 1, x, y)
        vf v = vf_from_vd_ab(x, y);
        v = vf_sel(vf_unord(v, v), vi_as_vf(vi_set1(0x7FC00000)), v);
        vi_store(typed_row(out0, i), vf_as_vi(v));
    }
}

/* ---- One lane at a time: rare or not in every instruction set ---- */

static double lane_double(const char *lo, const char *hi, unsigned lane) {
    return soft_double((uint64_t)typed_lane(hi, lane) << 32 | typed_lane(lo, lane));
}
static void put_double(char *lo, char *hi, unsigned lane, double v) {
    uint64_t bits = v != v ? 0x7FF8000000000000ull : soft_bits(v);
    *typed_out(lo, lane) = (uint32_t)bits;
    *typed_out(hi, lane) = (uint32_t)(bits >> 32);
}
#define EACH_LANE for (unsigned lane = 0; lane < vectors * SIMD_N; lane++)

/* x = +-m * 2^e, 1 <= m < 2. Zeros give themselves and 0, infinities and NaN themselves and their absolute value. */
static double split(double x, double *exponent) {
    uint64_t u = soft_bits(x), sign = u & 1ull << 63, magnitude = u & ~(1ull << 63);
    int e;
    if (magnitude == 0 || magnitude >= 2047ull << 52) {
        *exponent = magnitude == 0 ? 0.0 : soft_double(magnitude);
        return x;
    }
    uint64_t m = soft_split(x, &e);
    *exponent = e + 52;
    return soft_double(sign | (m & 0xFFFFFFFFFFFFFull) | 1023ull << 52);
}

/* Steps of 2^1023 and 2^-969 leave room for one rounding at the end. */
static double scale(double x, double by) {
    int n = by != by ? 0 : by >= 3000.0 ? 3000 : by <= -3000.0 ? -3000 : (int)by;
    for (int k = 0; k < 2 && n > 1023; k++, n -= 1023) {
        x *= 0x1p1023;
    }
    for (int k = 0; k < 2 && n < -1022; k++, n += 969) {
        x *= 0x1p-969;
    }
    n = n > 1023 ? 1023 : n < -1022 ? -1022 : n;
    return x * soft_double((uint64_t)(n + 1023) << 52);
}

TYPED_FN(f_MAN) {
    double e;
    TYPED_ARG(0) TYPED_ARG(1) TYPED_OUT(0) TYPED_OUT(1)
    EACH_LANE { put_double(out0, out1, lane, split(lane_double(a0, a1, lane), &e)); }
}
TYPED_FN(f_EXP) {
    double e;
    TYPED_ARG(0) TYPED_ARG(1) TYPED_OUT(0) TYPED_OUT(1)
    EACH_LANE {
        split(lane_double(a0, a1, lane), &e);
        put_double(out0, out1, lane, e);
    }
}
TYPED_FN(f_LDEXP) {
    TYPED_ARG(0) TYPED_ARG(1) TYPED_ARG(2) TYPED_ARG(3) TYPED_OUT(0) TYPED_OUT(1)
    EACH_LANE { put_double(out0, out1, lane, scale(lane_double(a0, a1, lane), lane_double(a2, a3, lane))); }
}
TYPED_FN(f_I2D) {
    TYPED_ARG(0) TYPED_OUT(0) TYPED_OUT(1)
    EACH_LANE { put_double(out0, out1, lane, (double)(int32_t)typed_lane(a0, lane)); }
}
TYPED_FN(f_U2D) {
    TYPED_ARG(0) TYPED_OUT(0) TYPED_OUT(1)
    EACH_LANE { put_double(out0, out1, lane, (double)typed_lane(a0, lane)); }
}
TYPED_FN(f_D2I) {
    TYPED_ARG(0) TYPED_ARG(1) TYPED_OUT(0)
    EACH_LANE {
        double x = lane_double(a0, a1, lane);
        int32_t v = x >= 2147483648.0 ? INT32_MAX : x < -2147483648.0 ? INT32_MIN : x == x ? (int32_t)x : 0;
        *typed_out(out0, lane) = (uint32_t)v;
    }
}
TYPED_FN(f_D2U) {
    TYPED_ARG(0) TYPED_ARG(1) TYPED_OUT(0)
    EACH_LANE {
        double x = lane_double(a0, a1, lane);
        *typed_out(out0, lane) = x >= 4294967296.0 ? UINT32_MAX : x > 0.0 ? (uint32_t)x : 0;
    }
}

/* Rows without a function are other micro-operations (decode_typed.c). */
extern const vm_typed_fn SIMD_NAME(vm_f64_functions)[ISA_TYPED_COUNT];
const vm_typed_fn SIMD_NAME(vm_f64_functions)[ISA_TYPED_COUNT] = {
    [ISA_TYPED_D_ADD] = f_ADD, [ISA_TYPED_D_MUL] = f_MUL, [ISA_TYPED_D_MIN] = f_MIN, [ISA_TYPED_D_MAX] = f_MAX,
    [ISA_TYPED_D_RCP] = f_RCP, [ISA_TYPED_D_RSQ] = f_RSQ, [ISA_TYPED_D_MAN] = f_MAN, [ISA_TYPED_D_EXP] = f_EXP,
    [ISA_TYPED_D_FLR] = f_FLR, [ISA_TYPED_D_FRC] = f_FRC, [ISA_TYPED_D_FMA] = f_FMA, [ISA_TYPED_D_MAD] = f_MAD,
    [ISA_TYPED_D_DIV] = f_DIV, [ISA_TYPED_D_SQRT] = f_SQRT, [ISA_TYPED_D_SSG] = f_SSG, [ISA_TYPED_D_TRUNC] = f_TRUNC,
    [ISA_TYPED_D_CEIL] = f_CEIL, [ISA_TYPED_D_ROUND] = f_ROUND, [ISA_TYPED_D_LDEXP] = f_LDEXP,
    [ISA_TYPED_D_SLT] = f_SLT, [ISA_TYPED_D_SGE] = f_SGE, [ISA_TYPED_D_SEQ] = f_SEQ, [ISA_TYPED_D_SNE] = f_SNE,
    [ISA_TYPED_F2D] = f_F2D, [ISA_TYPED_I2D] = f_I2D, [ISA_TYPED_U2D] = f_U2D, [ISA_TYPED_D2F] = f_D2F,
    [ISA_TYPED_D2I] = f_D2I, [ISA_TYPED_D2U] = f_D2U,
};
