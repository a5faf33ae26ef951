/* SPDX-License-Identifier: MIT */
/*
 * The samples' own mathematics: only + - * / and square roots, in a fixed order, so
 * that a sample sends the same bits to GL on every machine and C library. Angles are
 * in radians. Build with -ffp-contract=off.
 */
#ifndef SAMPLES_SMATH_H
#define SAMPLES_SMATH_H

#include <float.h>
#include <stdint.h>

#if defined(__FAST_MATH__)
#error "samples need exact arithmetic: build without -ffast-math"
#endif
#if FLT_EVAL_METHOD != 0
#error "samples need arithmetic without excess precision (FLT_EVAL_METHOD 0)"
#endif

#define SM_PI 3.14159265358979323846f

/* Correct to one unit in the last place of a float for |x| up to 2^20; 0 for NaN and inf. */
float sm_sin(float x);
float sm_cos(float x);
float sm_tan(float x);
/* The root rounded correctly, as IEEE 754 defines it; 0 for negative input. */
float sm_sqrt(float x);
float sm_floor(float x);
/* e to the power x, relative error below 1e-6; clamped to |x| <= 80. */
float sm_exp(float x);

static inline float sm_min(float a, float b) {
    return a < b ? a : b;
}

static inline float sm_max(float a, float b) {
    return a > b ? a : b;
}

static inline float sm_clamp(float x, float low, float high) {
    return sm_min(sm_max(x, low), high);
}

static inline float sm_mix(float a, float b, float t) {
    return a + (b - a) * t;
}

/* 0 below `low`, 1 above `high`, a smooth cubic between. */
float sm_smoothstep(float low, float high, float x);

/* A well-mixed 32-bit hash of an integer, and a number in [0, 1) made from one. */
uint32_t sm_hash(uint32_t x);
float sm_random(uint32_t seed);

#endif
