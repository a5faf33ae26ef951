/* SPDX-License-Identifier: MIT */
/*
 * The special functions once more, one float at a time, for the reference interpreter: the sequences of
 * ISA.md section 6 and mathconst.h written without simd.h, so that a mistake in a SIMD backend or kernel
 * cannot hide in both places. Bits on purpose equal to base/math_tmpl.h's.
 */
#ifndef VM_EXEC_REF_MATH_H
#define VM_EXEC_REF_MATH_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/base/bits.h"
#include "vm/base/mathconst.h"

#define REF_INF 0x7F800000u
#define REF_NAN 0x7FC00000u

static inline bool ref_is_nan(float x) { return x != x; }
static inline float ref_abs(float x) { return bits_to_float(bits_from_float(x) & 0x7FFFFFFFu); }

/* Integral part towards zero by clearing fraction bits. */
static inline float ref_trunc(float x) {
    uint32_t u = bits_from_float(x), e = u >> 23 & 255u;
    if (e >= 150) {
        return x;
    }
    return bits_to_float(e < 127 ? u & 0x80000000u : u & ~(0x7FFFFFu >> (e - 127)));
}
static inline float ref_floor(float x) {
    float t = ref_trunc(x);
    if (!(x < t)) {
        return t;
    }
    return t - 1.0f;
}
static inline float ref_ceil(float x) {
    float t = ref_trunc(x);
    if (!(x > t)) {
        return t;
    }
    return t < 0.0f || bits_from_float(t) >> 31 ? bits_to_float(bits_from_float(t + 1.0f) | 0x80000000u) : t + 1.0f;
}
/* Nearest, ties to even. */
static inline float ref_round(float x) {
    float t = ref_trunc(x), rest = ref_abs(x - t), one = bits_from_float(x) >> 31 ? -1.0f : 1.0f;
    if (!(ref_abs(x) < 8388608.0f)) {
        return x;
    }
    bool odd = (int32_t)t & 1;
    return rest > 0.5f || (rest == 0.5f && odd) ? t + one : t;
}
static inline int32_t ref_to_int(float x) {
    if (ref_is_nan(x)) {
        return 0;
    }
    return x >= 0x1p31f ? INT32_MAX : x <= -0x1p31f ? INT32_MIN : (int32_t)x;
}

static inline float ref_exp2(float x) {
    if (ref_is_nan(x)) {
        return x;
    }
    if (x < -126.0f) {
        return 0.0f;
    }
    if (x >= 128.0f) {
        return bits_to_float(REF_INF);
    }
    float n = ref_round(x), f = x - n;
    static const float c[7] = {1.0f, MATH_EXP2_C0, MATH_EXP2_C1, MATH_EXP2_C2, MATH_EXP2_C3,
                               MATH_EXP2_C4, MATH_EXP2_C5};
    float p = c[6];
    for (int i = 5; i >= 0; i--) {
        p = p * f;
        p = p + c[i];
    }
    return bits_to_float(bits_from_float(p) + ((uint32_t)(int32_t)n << 23));
}

static inline float ref_log2(float x) {
    if (ref_is_nan(x) || x < 0.0f) {
        return bits_to_float(REF_NAN);
    }
    if (x == 0.0f || bits_from_float(x) == REF_INF) {
        return bits_to_float(x == 0.0f ? REF_INF | 0x80000000u : REF_INF);
    }
    float back = 0.0f;
    if (x < MATH_FLT_MIN) {
        x = x * 0x1p23f;
        back = 23.0f;
    }
    uint32_t u = bits_from_float(x);
    int32_t e = (int32_t)(u >> 23) - 127;
    uint32_t m = u & 0x7FFFFFu;
    if (m >= 0x3504F3u) {      /* mantissa at or above sqrt(2): take half of it */
        e++;
        m |= 126u << 23;
    } else {
        m |= 127u << 23;
    }
    static const float c[9] = {MATH_LOG2_C0, MATH_LOG2_C1, MATH_LOG2_C2, MATH_LOG2_C3, MATH_LOG2_C4,
                               MATH_LOG2_C5, MATH_LOG2_C6, MATH_LOG2_C7, MATH_LOG2_C8};
    float t = bits_to_float(m) - 1.0f, q = c[8];
    for (int i = 7; i >= 0; i--) {
        q = q * t;
        q = q + c[i];
    }
    q = q * t;
    float r = (q + t) + (float)e;
    return back != 0.0f ? r - back : r;
}

/* quadrant 0: sine, 1: cosine. */
static inline float ref_sincos(float x, uint32_t quadrant) {
    if (ref_is_nan(x) || ref_abs(x) > 3.4028235e38f) {
        return bits_to_float(REF_NAN);
    }
    float t = x * MATH_2_PI;
    t = t + 12582912.0f;
    float n = t - 12582912.0f, p = n * MATH_PI_2_HIGH, r = x - p;
    p = n * MATH_PI_2_MID;
    r = r - p;
    p = n * MATH_PI_2_LOW;
    r = r - p;
    r = r < -0.7865f ? -0.7865f : r > 0.7865f ? 0.7865f : r;
    float z = r * r, v;
    quadrant += bits_from_float(t);
    if (quadrant & 1u) {
        v = MATH_COS_C2 * z;
        v = v + MATH_COS_C1;
        v = v * z;
        v = v + MATH_COS_C0;
        v = v * z;
        v = v - 0.5f;
        v = v * z;
        v = v + 1.0f;
    } else {
        v = MATH_SIN_C2 * z;
        v = v + MATH_SIN_C1;
        v = v * z;
        v = v + MATH_SIN_C0;
        v = v * z;
        v = v * r;
        v = v + r;
    }
    return quadrant & 2u ? bits_to_float(bits_from_float(v) ^ 0x80000000u) : v;
}

static inline float ref_mantissa(float x) {
    uint32_t u = bits_from_float(x);
    if (x == 0.0f || (u & REF_INF) == REF_INF) {
        return x;
    }
    if ((u & REF_INF) == 0) {
        u = bits_from_float(x * 0x1p23f);
    }
    return bits_to_float((u & 0x807FFFFFu) | 127u << 23);
}
static inline float ref_exponent(float x) {
    uint32_t u = bits_from_float(x);
    if (x == 0.0f) {
        return 0.0f;
    }
    if ((u & REF_INF) == REF_INF) {
        return ref_abs(x);
    }
    int32_t back = 0;
    if ((u & REF_INF) == 0) {
        u = bits_from_float(x * 0x1p23f);
        back = 23;
    }
    return (float)((int32_t)(u >> 23 & 255u) - 127 - back);
}

#endif
