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

bool imgdiff_opaque(const struct image *img) {
    const size_t count = (size_t)img->width * (size_t)img->height;
    uint8_t all = 255;
    for (size_t i = 0; i < count; i++) {
        all &= img->pixels[i * 4 + 3];
    }
    return all == 255;
}

/* ---- fast counts ---- */

#define COUNT_BLOCK 256 /* pixels at a time: 1024 squares of 16 bits fit a sum of 64 with ease */

struct count_block {
    uint32_t largest;
    uint32_t differing;
    uint32_t beyond;
    uint64_t squares;
};

/* Loops without a branch, which compilers turn into vectors. */
static void count_bytes(const uint8_t *restrict a, const uint8_t *restrict b, int pixels,
                        int tolerance, struct count_block *block) {
    uint8_t distance[COUNT_BLOCK * 4];
    uint8_t beyond[COUNT_BLOCK * 4];
    uint8_t largest = 0;
    uint32_t squares = 0;
    const uint8_t limit = (uint8_t)tolerance;
    for (int i = 0; i < pixels * 4; i++) {
        uint8_t d = (uint8_t)(a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]);
        distance[i] = d;
        beyond[i] = d > limit ? 255 : 0;
        largest = d > largest ? d : largest;
    }
    for (int i = 0; i < pixels * 4; i++) {
        squares += (uint32_t)((int16_t)distance[i] * (int16_t)distance[i]);
    }
    uint32_t differing_count = 0;
    uint32_t beyond_count = 0;
    for (int i = 0; i < pixels; i++) {
        uint32_t d;
        uint32_t e;
        memcpy(&d, distance + i * 4, 4);
        memcpy(&e, beyond + i * 4, 4);
        differing_count += d != 0;
        beyond_count += e != 0;
    }
    block->largest = largest;
    block->differing = differing_count;
    block->beyond = beyond_count;
    block->squares = squares;
}

static void count_deep(const uint16_t *a, const uint16_t *b, int pixels, int tolerance,
                       struct count_block *block) {
    memset(block, 0, sizeof *block);
    for (int i = 0; i < pixels; i++) {
        uint32_t most = 0;
        for (int c = 0; c < 4; c++) {
            uint32_t d = (uint32_t)abs((int)a[i * 4 + c] - (int)b[i * 4 + c]);
            most = d > most ? d : most;
            block->squares += (uint64_t)d * d;
        }
        block->differing += most != 0;
        block->beyond += most > (uint32_t)tolerance;
        block->largest = most > block->largest ? most : block->largest;
    }
}

void imgdiff_count(const struct image *expected, const struct image *actual,
                   const uint16_t *const deep[2], int tolerance, struct imgdiff_counts *counts) {
    const uint64_t total = (uint64_t)expected->width * (uint64_t)expected->height;
    const int steps = deep[0] != NULL ? 257 : 1; /* 16-bit steps in one of 8 bits */
    uint64_t squares = 0;
    uint32_t largest = 0;
    memset(counts, 0, sizeof *counts);
    counts->pixel_count = total;
    counts->first_x = counts->first_y = -1;
    for (uint64_t at = 0; at < total; at += COUNT_BLOCK) {
        const int pixels = total - at < COUNT_BLOCK ? (int)(total - at) : COUNT_BLOCK;
        struct count_block block;
        if (deep[0] != NULL) {
            count_deep(deep[0] + at * 4, deep[1] + at * 4, pixels, tolerance * 257, &block);
        } else {
            const uint8_t *a = expected->pixels + at * 4;
            const uint8_t *b = actual->pixels + at * 4;
            if (memcmp(a, b, (size_t)pixels * 4) == 0) {
                continue;
            }
            count_bytes(a, b, pixels, tolerance, &block);
        }
        squares += block.squares;
        counts->differing_count += block.differing;
        largest = block.largest > largest ? block.largest : largest;
        for (int i = 0; counts->beyond_count == 0 && block.beyond > 0 && i < pixels; i++) {
            struct count_block one;
            if (deep[0] != NULL) {
                count_deep(deep[0] + (at + (uint64_t)i) * 4, deep[1] + (at + (uint64_t)i) * 4, 1,
                           tolerance * 257, &one);
            } else {
                count_bytes(expected->pixels + (at + (uint64_t)i) * 4,
                            actual->pixels + (at + (uint64_t)i) * 4, 1, tolerance, &one);
            }
            if (one.beyond > 0) {
                counts->first_x = (int32_t)((at + (uint64_t)i) % (uint64_t)expected->width);
                counts->first_y = (int32_t)((at + (uint64_t)i) / (uint64_t)expected->width);
                break;
            }
        }
        counts->beyond_count += block.beyond;
    }
    const double white = 255.0 * steps;
    const double channels = imgdiff_opaque(expected) && imgdiff_opaque(actual) ? 3.0 : 4.0;
    counts->max_difference = (double)largest / steps;
    counts->psnr_db = squares == 0
                          ? (double)INFINITY
                          : 10.0 * log10(white * white / ((double)squares / ((double)total * channels)));
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
