/* SPDX-License-Identifier: MIT */
/*
 * Pixel conversions that the texture side, the tile side and readback share: half floats, sRGB, and rows
 * of any format or layout to and from four floats a pixel. Nothing here depends on libm or the locale.
 *
 * The one formula for normalised values: decoding is c * (1.0f / max) with the reciprocal rounded once
 * (max gives exactly 1), encoding clamps to [0,1] (NaN gives 0) and rounds v * max to nearest even.
 */
#ifndef RENDERER_FORMAT_H
#define RENDERER_FORMAT_H

#include <stdint.h>

#include "renderer/renderer.h"
#include "vm/base/bits.h"

extern const float rn_srgb_decode[256];

/* Nearest sRGB code of a linear value; clamps, NaN gives 0. */
uint8_t rn_srgb_encode(float linear);

/* binary16: to float exact; from float to nearest even, overflow to infinity, NaN to 0x7E00. */
float rn_half_to_float(uint16_t half);
uint16_t rn_float_to_half(float value);

/* Rounds a float of magnitude below 2^22 to the nearest integer, ties to even. */
static inline int32_t rn_round_even(float v) {
    float biased = v + 12582912.0f; /* 1.5 * 2^23: the sum's low bits are the integer */
    return (int32_t)(bits_from_float(biased) & 0x007FFFFFu) - 0x00400000;
}

/* v clamped to [0,1] and scaled to 0..max, max <= 65535. */
static inline uint32_t rn_unorm_encode(float v, uint32_t max) {
    float c = v > 0.0f ? v : 0.0f;
    c = c < 1.0f ? c : 1.0f;
    return (uint32_t)rn_round_even(c * (float)max);
}

/* Colour formats: 'count' pixels from storage to RGBA floats (missing colours 0, missing alpha 1; luminance in
 * r, g and b; sRGB decoded) and back (luminance takes r). */
void rn_unpack_row(enum rn_format format, const void *pixels, uint32_t count, float (*rgba)[4]);
void rn_pack_row(enum rn_format format, void *pixels, uint32_t count, const float (*rgba)[4]);

/* The same for client layouts of colours. */
void rn_layout_unpack_row(enum rn_layout layout, const void *pixels, uint32_t count, float (*rgba)[4]);
void rn_layout_pack_row(enum rn_layout layout, void *pixels, uint32_t count, const float (*rgba)[4]);

#endif
