/* SPDX-License-Identifier: MIT */
/*
 * Counts and measures over two pictures. All counts are exact integers; the squared
 * error is summed as an integer too, so PSNR does not depend on the order of pixels.
 */
#include "imgdiff.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMGDIFF_GAIN 8

static bool same_size(const struct image *a, const struct image *b, struct image_error *err) {
    if (a->width == b->width && a->height == b->height) {
        return true;
    }
    snprintf(err->text, sizeof err->text, "sizes differ: %dx%d expected, %dx%d given",
             (int)a->width, (int)a->height, (int)b->width, (int)b->height);
    return false;
}

static const uint8_t *pixel_at(const struct image *img, int32_t x, int32_t y) {
    return img->pixels + ((size_t)y * (size_t)img->width + (size_t)x) * 4;
}

/* The largest channel difference of two pixels. */
static int pixel_distance(const uint8_t *a, const uint8_t *b) {
    int largest = 0;
    for (int c = 0; c < 4; c++) {
        int d = abs((int)a[c] - (int)b[c]);
        largest = d > largest ? d : largest;
    }
    return largest;
}

static bool has_near_match(const struct image *expected, const uint8_t *pixel, int32_t x, int32_t y,
                           int tolerance) {
    for (int32_t ny = y - 1; ny <= y + 1; ny++) {
        for (int32_t nx = x - 1; nx <= x + 1; nx++) {
            if (nx >= 0 && ny >= 0 && nx < expected->width && ny < expected->height &&
                pixel_distance(pixel_at(expected, nx, ny), pixel) <= tolerance) {
                return true;
            }
        }
    }
    return false;
}

bool imgdiff_equal(const struct image *expected, const struct image *actual) {
    return expected->width == actual->width && expected->height == actual->height &&
           memcmp(expected->pixels, actual->pixels,
                  (size_t)expected->width * (size_t)expected->height * 4) == 0;
}

bool imgdiff_compare(const struct image *expected, const struct image *actual, int tolerance,
                     struct imgdiff_result *result, struct image_error *err) {
    memset(result, 0, sizeof *result);
    result->first_x = -1;
    result->first_y = -1;
    if (!same_size(expected, actual, err)) {
        return false;
    }
    uint64_t squared_error = 0;
    for (int32_t y = 0; y < actual->height; y++) {
        for (int32_t x = 0; x < actual->width; x++) {
            const uint8_t *e = pixel_at(expected, x, y);
            const uint8_t *a = pixel_at(actual, x, y);
            int distance = pixel_distance(e, a);
            if (distance == 0) {
                continue;
            }
            for (int c = 0; c < 4; c++) {
                int d = (int)e[c] - (int)a[c];
                squared_error += (uint64_t)(d * d);
            }
            result->differing_count++;
            if (distance > result->max_difference) {
                result->max_difference = distance;
            }
            if (distance <= tolerance) {
                continue;
            }
            if (result->beyond_count == 0) {
                result->first_x = x;
                result->first_y = y;
            }
            result->beyond_count++;
            result->stray_count += !has_near_match(expected, a, x, y, tolerance);
        }
    }
    result->pixel_count = (uint64_t)actual->width * (uint64_t)actual->height;
    result->psnr_db = (double)INFINITY;
    if (squared_error > 0) {
        double mean = (double)squared_error / ((double)result->pixel_count * 4.0);
        result->psnr_db = 10.0 * log10(255.0 * 255.0 / mean);
    }
    return true;
}

double imgdiff_share(const struct imgdiff_result *result) {
    return result->pixel_count == 0 ? 0.0
                                    : (double)result->beyond_count / (double)result->pixel_count;
}

bool imgdiff_picture(const struct image *expected, const struct image *actual, struct image *out,
                     struct image_error *err) {
    memset(out, 0, sizeof *out);
    if (!same_size(expected, actual, err) ||
        !image_alloc(out, expected->width * 3, expected->height, err)) {
        return false;
    }
    for (int32_t y = 0; y < expected->height; y++) {
        uint8_t *row = out->pixels + (size_t)y * (size_t)out->width * 4;
        for (int32_t x = 0; x < expected->width; x++) {
            const uint8_t *e = pixel_at(expected, x, y);
            const uint8_t *a = pixel_at(actual, x, y);
            uint8_t *left = row + (size_t)x * 4;
            uint8_t *middle = left + (size_t)expected->width * 4;
            uint8_t *right = middle + (size_t)expected->width * 4;
            memcpy(left, e, 3);
            memcpy(middle, a, 3);
            int alpha = abs((int)e[3] - (int)a[3]);
            for (int c = 0; c < 3; c++) {
                int d = (abs((int)e[c] - (int)a[c]) + alpha) * IMGDIFF_GAIN;
                right[c] = (uint8_t)(d > 255 ? 255 : d);
            }
            left[3] = middle[3] = right[3] = 255;
        }
    }
    return true;
}
