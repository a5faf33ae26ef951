/* SPDX-License-Identifier: MIT */
/*
 * Comparison of two pictures of one size: exact, with a tolerance per channel, with a
 * tolerance of one pixel in place (imgdiff.c); by structure (imgdiff_ssim.c), as a person
 * sees it (imgdiff_flip.c), and as a picture (imgdiff_sheet.c). Used by the tests and by
 * the command line. All numbers are the same on every machine.
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

/* True if every pixel's alpha is 255. */
bool imgdiff_opaque(const struct image *img);

/* What imgdiff_count fills: as imgdiff_result, for pictures of 8 or 16 bits a channel. */
struct imgdiff_counts {
    uint64_t pixel_count;
    uint64_t differing_count;
    uint64_t beyond_count;
    double max_difference; /* in steps of 8 bits, 0 to 255, whatever the depth */
    double psnr_db; /* over red, green and blue, and over alpha unless both are opaque */
    int32_t first_x;
    int32_t first_y;
};

/*
 * Counts as imgdiff_compare does, without strays, fast. Either both pictures have 16 bits or
 * none: `deep` are their values, as many as there are bytes in the pictures, or NULL. The
 * tolerance is in steps of 8 bits. The sizes must agree.
 */
void imgdiff_count(const struct image *expected, const struct image *actual,
                   const uint16_t *const deep[2], int tolerance, struct imgdiff_counts *counts);

/* Mean SSIM, 1 for equal pictures. False, with a message, for sizes that differ or no memory. */
bool imgdiff_ssim(const struct image *expected, const struct image *actual, double *ssim,
                  struct image_error *err);

/* A screen of 3840 pixels, 0.7 m wide, seen from 0.7 m. */
#define IMGDIFF_DEFAULT_PPD 67.0206
#define IMGDIFF_MAX_PPD 500

struct imgdiff_flip_result {
    double mean; /* 0 for equal pictures, to 1 */
    double largest;
};

/*
 * FLIP at `ppd` pixels per degree of the viewer's eye. `map` receives the error of each pixel (width *
 * height values, rows from the top) or is NULL. False, with a message, for sizes that differ or no memory.
 */
bool imgdiff_flip(const struct image *expected, const struct image *actual, double ppd, float *map,
                  struct imgdiff_flip_result *result, struct image_error *err);

/*
 * Makes the picture expected | actual | difference, opaque, the difference of each
 * channel times eight (alpha's is added to all three). False, with a message, when
 * the sizes differ or the picture would be too large. The caller frees *out.
 */
bool imgdiff_picture(const struct image *expected, const struct image *actual, struct image *out,
                     struct image_error *err);

/*
 * Makes the picture for people: expected | actual | amplified difference | FLIP's map, each under
 * its name, on a checkerboard where it lets light through, and the scale of the map. False, with a
 * message, when the sizes differ or the picture would be too large. The caller frees *out.
 */
bool imgdiff_sheet(const struct image *expected, const struct image *actual, double ppd,
                   struct image *out, struct image_error *err);

/* The color of a value from 0 to 1 on the scale of maps: black, violet, orange, pale yellow. */
void imgdiff_heat(float value, uint8_t color[3]);

#endif
