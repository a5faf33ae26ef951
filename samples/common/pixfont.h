/* SPDX-License-Identifier: MIT */
/*
 * Text and rectangles in a picture: a bitmap font of small letters, digits and some signs, five
 * pixels wide and nine high with two for descenders. For charts.
 */
#ifndef SAMPLES_PIXFONT_H
#define SAMPLES_PIXFONT_H

#include "image.h"

#define PIXFONT_ADVANCE 6 /* from one character to the next, before scaling */
#define PIXFONT_HEIGHT 9

/*
 * Draws text with its upper left corner at (x, y), each of the font's pixels scale x scale pixels
 * large. Capitals look like small letters, characters that the font lacks like a box. What is
 * outside the picture is cut off.
 */
void pixfont_text(struct image *img, int x, int y, int scale, const char *text,
                  const uint8_t color[3]);

/* Fills a rectangle, cut off at the picture's edges. */
void pixfont_rect(struct image *img, int x, int y, int width, int height, const uint8_t color[3]);

#endif
