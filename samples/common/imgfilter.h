/* SPDX-License-Identifier: MIT */
/*
 * Separable filters over planes of floats, one row at a time: rows go in filtered along x, a ring
 * keeps as many as the filter is high, rows come out filtered along y. Sums are made in a fixed
 * order, so results are the same on every machine.
 */
#ifndef SAMPLES_IMGFILTER_H
#define SAMPLES_IMGFILTER_H

#include <stdbool.h>
#include <stdint.h>

#define IMGFILTER_MAX_RADIUS 255

/* Weights from -radius to radius; even (w[-i] = w[i]) or odd (w[-i] = -w[i]). */
struct imgfilter_kernel {
    int radius;
    bool odd;
    float weights[IMGFILTER_MAX_RADIUS + 1]; /* of 0 to radius */
};

/*
 * Filters a row along x. `padded` has `radius` values more at both sides of the row (replicated, or
 * whatever the caller takes for the border) and points at the row's first value.
 */
void imgfilter_row(const struct imgfilter_kernel *kernel, const float *padded, int width,
                   float *out);

/* Copies a row's ends outwards: `padded` as above, `radius` values at both sides. */
void imgfilter_pad(float *padded, int width, int radius);

/* Rows of one plane, filtered along x, by row number modulo `height`. */
struct imgfilter_ring {
    float *rows; /* height * width; owned */
    int width;
    int height;
};

/* False without memory. */
bool imgfilter_ring_init(struct imgfilter_ring *ring, int width, int height);
void imgfilter_ring_free(struct imgfilter_ring *ring);
float *imgfilter_ring_row(const struct imgfilter_ring *ring, int y);

/*
 * Filters along y around row `y` of a picture of `last` + 1 rows; rows beyond the first and the last
 * are those again. The ring must hold the rows y - radius to y + radius that exist.
 */
void imgfilter_column(const struct imgfilter_kernel *kernel, const struct imgfilter_ring *ring,
                      int y, int last, float *out);

/* x to the power p for x >= 0, relative error below 1e-5 for results of ordinary size; 0 of 0. */
static inline float imgfilter_pow(float x, float p) {
    union {
        float f;
        uint32_t u;
    } bits, power;
    bits.f = x > 1e-30f ? x : 1e-30f;
    int32_t exponent = (int32_t)(bits.u - 0x3f3504f3u) >> 23; /* mantissa from sqrt(1/2) to sqrt(2) */
    bits.u -= (uint32_t)exponent << 23;
    float s = (bits.f - 1.0f) / (bits.f + 1.0f);
    float q = s * s;
    float series = ((((q * 0.11111111f + 0.14285715f) * q + 0.2f) * q + 0.33333334f) * q + 1.0f) * s;
    float y = ((float)exponent + series * 2.8853901f) * p;
    y = y > -126.0f ? y : -126.0f;
    y = y < 126.0f ? y : 126.0f;
    int32_t whole = (int32_t)(y + 126.5f) - 126;
    float f = (y - (float)whole) * 0.69314718f;
    float e = f * 0.00019841270f + 0.0013888889f;
    e = e * f + 0.0083333333f;
    e = e * f + 0.041666667f;
    e = e * f + 0.16666667f;
    e = e * f + 0.5f;
    e = e * f + 1.0f;
    e = e * f + 1.0f;
    power.u = (uint32_t)(whole + 127) << 23;
    return x > 1e-30f ? e * power.f : 0.0f;
}

#endif
