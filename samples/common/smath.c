/* SPDX-License-Identifier: MIT */
/*
 * Sine and cosine: the angle is reduced by multiples of pi/2 in double precision
 * (two-part constant), then a Taylor polynomial on [-pi/4, pi/4] whose remainder is
 * far below a float's last place. Everything else follows from these.
 */
#include "smath.h"

#include <math.h>

/* pi/2 as a 33-bit head, whose small multiples are exact, and the rest. */
#define HALF_PI_HEAD 1.57079632673412561417e+00
#define HALF_PI_TAIL 6.07710050650619224932e-11
#define TWO_OVER_PI 6.36619772367581382433e-01
#define REDUCTION_LIMIT 1.0e9

static double sine_poly(double x) {
    double s = x * x;
    double p = -1.0 / 1307674368000.0;
    p = p * s + 1.0 / 6227020800.0;
    p = p * s - 1.0 / 39916800.0;
    p = p * s + 1.0 / 362880.0;
    p = p * s - 1.0 / 5040.0;
    p = p * s + 1.0 / 120.0;
    p = p * s - 1.0 / 6.0;
    return x + x * s * p;
}

static double cosine_poly(double x) {
    double s = x * x;
    double p = 1.0 / 20922789888000.0;
    p = p * s - 1.0 / 87178291200.0;
    p = p * s + 1.0 / 479001600.0;
    p = p * s - 1.0 / 3628800.0;
    p = p * s + 1.0 / 40320.0;
    p = p * s - 1.0 / 720.0;
    p = p * s + 1.0 / 24.0;
    p = p * s - 0.5;
    return 1.0 + s * p;
}

/* Splits x into a quadrant (0 to 3) and a rest in about [-pi/4, pi/4]. */
static unsigned reduce_angle(float x, double *rest) {
    double wide = (double)x;
    if (!(wide > -REDUCTION_LIMIT && wide < REDUCTION_LIMIT)) {
        *rest = 0.0;
        return 0;
    }
    double turns = wide * TWO_OVER_PI;
    int64_t n = (int64_t)(turns + (turns < 0.0 ? -0.5 : 0.5));
    double count = (double)n;
    *rest = (wide - count * HALF_PI_HEAD) - count * HALF_PI_TAIL;
    return (unsigned)((uint64_t)n & 3);
}

static double sine_of_quadrant(unsigned quadrant, double rest) {
    double value = (quadrant & 1) != 0 ? cosine_poly(rest) : sine_poly(rest);
    return (quadrant & 2) != 0 ? -value : value;
}

float sm_sin(float x) {
    double rest;
    unsigned quadrant = reduce_angle(x, &rest);
    return (float)sine_of_quadrant(quadrant, rest);
}

float sm_cos(float x) {
    double rest;
    unsigned quadrant = reduce_angle(x, &rest);
    return (float)sine_of_quadrant((quadrant + 1) & 3, rest);
}

float sm_tan(float x) {
    double rest;
    unsigned quadrant = reduce_angle(x, &rest);
    return (float)(sine_of_quadrant(quadrant, rest) / sine_of_quadrant((quadrant + 1) & 3, rest));
}

float sm_sqrt(float x) {
    return x > 0.0f ? sqrtf(x) : 0.0f;
}

float sm_floor(float x) {
    if (!(x > -8388608.0f && x < 8388608.0f)) {
        return x; /* already whole, or no number */
    }
    float whole = (float)(int32_t)x;
    return whole > x ? whole - 1.0f : whole;
}

float sm_exp(float x) {
    /* exp(x) = exp(x / 1024)^1024: a short series, then ten squarings. */
    double y = (double)sm_clamp(x, -80.0f, 80.0f) / 1024.0;
    double p = 1.0 + y * (1.0 + y * (0.5 + y * (1.0 / 6.0 + y * (1.0 / 24.0 + y / 120.0))));
    for (int i = 0; i < 10; i++) {
        p = p * p;
    }
    return (float)p;
}

float sm_smoothstep(float low, float high, float x) {
    float t = sm_clamp((x - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

uint32_t sm_hash(uint32_t x) {
    x += 0x9e3779b9u;
    x = (x ^ (x >> 16)) * 0x21f0aaadu;
    x = (x ^ (x >> 15)) * 0x735a2d97u;
    return x ^ (x >> 15);
}

float sm_random(uint32_t seed) {
    return (float)(sm_hash(seed) >> 8) * (1.0f / 16777216.0f);
}
