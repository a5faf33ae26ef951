/* SPDX-License-Identifier: MIT */
/*
 * Comparison of two RGBA8 pictures of one size: exact, with a tolerance per
 * channel, and with a tolerance of one pixel in place. Used by the tests and by
 * the command line.
 */
#ifndef SAMPLES_IMGDIFF_H
#define SAMPLES_IMGDIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "image.h"

struct imgdiff_result {
    uint64_t pixel_count;
    uint64_t differing_count; /* pixels with any difference in any channel */
    uint64_t beyond_count;    /* pixels with a channel off by more than the tolerance */
    /*
     * Of those, pixels of `actual` for which no pixel of `expected` at distance at
     * most 1 (the 3x3 neighbourhood) is within the tolerance either: not an edge that
     * moved by a pixel but a wrong colour.
     */
    uint64_t stray_count;
    int max_difference; /* the largest difference of any channel, 0 to 255 */
    double psnr_db;     /* over all four channels; infinite when equal */
    int32_t first_x;    /* first pixel beyond the tolerance, in row order from the top; */
    int32_t first_y;    /* -1, -1 if there is none */
};

/* True when size and every byte agree. */
bool imgdiff_equal(const struct image *expected, const struct image *actual);

/*
 * Fills *result. `tolerance` is the largest difference per channel that counts as
 * equal. False, with a message, when the sizes differ.
 */
bool imgdiff_compare(const struct image *expected, const struct image *actual, int tolerance,
                     struct imgdiff_result *result, struct image_error *err);

/* beyond_count as a share of all pixels, 0 to 1. */
double imgdiff_share(const struct imgdiff_result *result);

/*
 * Makes the picture expected | actual | difference, opaque, the difference of each
 * channel times eight (alpha's is added to all three). False, with a message, when
 * the sizes differ or the picture would be too large. The caller frees *out.
 */
bool imgdiff_picture(const struct image *expected, const struct image *actual, struct image *out,
                     struct image_error *err);

#endif
