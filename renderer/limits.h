/* SPDX-License-Identifier: MIT */
/*
 * Constants of the rasterisation contract. Changing one changes pixels; the asserts prove that no edge
 * value inside a tile can overflow 32 bits.
 *
 * Window coordinates are 24.8 fixed point. Clipping keeps every vertex within RN_GUARD pixels of the
 * window origin, so a coordinate needs 15 + 8 bits and an edge delta 24 bits. Edge functions are kept
 * divided by 256 (they are only asked at pixel centres, where every term but the constant is a multiple
 * of 256 sub-pixel units; the constant is floored), so a step of one pixel changes them by one delta, and inside a tile that the
 * edge crosses they stay below 2 * 64 * 2^23 in magnitude.
 */
#ifndef RENDERER_LIMITS_H
#define RENDERER_LIMITS_H

#include <stdint.h>

#include "renderer/renderer.h"

#define RN_TILE 64                       /* pixels, square, aligned to multiples of 64 in the window */
#define RN_TILE_SHIFT 6
#define RN_SUBPIXEL (1 << RN_SUBPIXEL_BITS)
#define RN_GUARD 16384                   /* pixels: |window x|, |window y| of any vertex after clipping */
#define RN_MAX_COEFS (RN_MAX_VARYINGS * 4 + 2)  /* interpolated components of a fragment program + point coord */

_Static_assert(RN_GUARD >= 2 * RN_MAX_SIZE, "a viewport at either end must lie inside the guard band");
_Static_assert(2ll * RN_GUARD * RN_SUBPIXEL * RN_TILE * 2 <= INT32_MAX / 1, "edge values in a tile fit int32");
_Static_assert(1 << RN_TILE_SHIFT == RN_TILE, "tile shift");

#endif
