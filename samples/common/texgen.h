/* SPDX-License-Identifier: MIT */
/*
 * Procedural textures, computed with the samples' own arithmetic. All tile in both
 * directions; all are smooth at the scale of a few texels, so that two GL libraries
 * which choose mip levels slightly differently still draw nearly the same colours.
 */
#ifndef SAMPLES_TEXGEN_H
#define SAMPLES_TEXGEN_H

#include "image.h"
#include "mat4.h"

/* Smooth noise in [0, 1] that repeats every `period` units in both directions. */
float texgen_noise(float x, float y, int period, uint32_t seed);
/* Octaves of the above, each twice as fine and half as strong; in [0, 1]. */
float texgen_fbm(float x, float y, int period, int octaves, uint32_t seed);

/* Writes a pixel; colours are 0 to 1 and clamped. */
void texgen_put(struct image *img, int x, int y, struct vec3 color, float alpha);

/* Tiles with soft edges, cells x cells (an even number) in two colours. */
struct image texgen_tiles(int size, int cells, struct vec3 a, struct vec3 b);
/* A wooden crate: planks, a frame, two diagonals of grain. */
struct image texgen_crate(int size);

/* The height of a brick wall, 0 to 1, at (u, v) in [0, 1): 4 x 8 bricks with rounded edges. */
float texgen_brick_height(float u, float v);
/* Colours of the same wall, and its normals as RGB (n * 0.5 + 0.5, z outwards). */
struct image texgen_brick_color(int size);
struct image texgen_brick_normal(int size, float strength);

#endif
