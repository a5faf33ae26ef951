/* SPDX-License-Identifier: MIT */
/* The picture of a comparison for people: four panels with their names, and the map's scale. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "imgdiff.h"
#include "pixfont.h"

#define PANELS 4
#define GAP 4
#define TITLE 16
#define FOOT 22
#define GAIN 8

static const uint8_t paper[3] = {32, 33, 38};
static const uint8_t ink[3] = {226, 228, 234};

void imgdiff_heat(float value, uint8_t color[3]) {
    static const uint8_t stops[6][3] = {{0, 0, 4},      {66, 16, 104},  {147, 38, 103},
                                        {221, 81, 58},  {252, 165, 10}, {252, 255, 200}};
    float at = (value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f) * 5.0f;
    int low = at < 5.0f ? (int)at : 4;
    float share = at - (float)low;
    for (int c = 0; c < 3; c++) {
        float mixed = (float)stops[low][c] + share * (float)(stops[low + 1][c] - stops[low][c]);
        color[c] = (uint8_t)(mixed + 0.5f);
    }
}

/* A pixel as it looks on grey squares. */
static void put_over_squares(const uint8_t *from, int x, int y, uint8_t *out) {
    int ground = ((x ^ y) & 8) != 0 ? 150 : 190;
    for (int c = 0; c < 3; c++) {
        out[c] = (uint8_t)((from[c] * from[3] + ground * (255 - from[3]) + 127) / 255);
    }
    out[3] = 255;
}

static void put_difference(const uint8_t *a, const uint8_t *b, uint8_t *out) {
    int alpha = abs((int)a[3] - (int)b[3]);
    for (int c = 0; c < 3; c++) {
        int d = (abs((int)a[c] - (int)b[c]) + alpha) * GAIN;
        out[c] = (uint8_t)(d > 255 ? 255 : d);
    }
    out[3] = 255;
}

static void draw_scale(struct image *img, int x, int y, int width) {
    pixfont_text(img, x, y + 2, 1, "0", ink);
    int from = x + 10;
    int to = x + width - 10;
    for (int at = from; at < to; at++) {
        uint8_t color[3];
        imgdiff_heat((float)(at - from) / (float)(to - from - 1 > 0 ? to - from - 1 : 1), color);
        pixfont_rect(img, at, y, 1, 12, color);
    }
    pixfont_text(img, to + 4, y + 2, 1, "1", ink);
}

bool imgdiff_sheet(const struct image *expected, const struct image *actual, double ppd,
                   struct image *out, struct image_error *err) {
    static const char *const titles[PANELS] = {"a", "b", "difference x8", "flip"};
    const int width = expected->width;
    const int height = expected->height;
    struct imgdiff_flip_result flip;
    memset(out, 0, sizeof *out);
    float *map = malloc((size_t)width * (size_t)height * sizeof map[0]);
    if (map == NULL) {
        snprintf(err->text, sizeof err->text, "no memory for a picture of the difference");
        return false;
    }
    bool ok = imgdiff_flip(expected, actual, ppd, map, &flip, err) &&
              image_alloc(out, width * PANELS + GAP * (PANELS + 1), height + TITLE + FOOT, err);
    if (ok) {
        pixfont_rect(out, 0, 0, out->width, out->height, paper);
        for (int p = 0; p < PANELS; p++) {
            const int left = GAP + p * (width + GAP);
            pixfont_text(out, left, 4, 1, titles[p], ink);
            for (int y = 0; y < height; y++) {
                for (int x = 0; x < width; x++) {
                    const size_t at = (size_t)y * (size_t)width + (size_t)x;
                    uint8_t *to = out->pixels +
                                  4 * ((size_t)(TITLE + y) * (size_t)out->width + (size_t)(left + x));
                    if (p == 2) {
                        put_difference(expected->pixels + at * 4, actual->pixels + at * 4, to);
                    } else if (p == 3) {
                        imgdiff_heat(map[at], to);
                        to[3] = 255;
                    } else {
                        put_over_squares((p == 0 ? expected : actual)->pixels + at * 4, x, y, to);
                    }
                }
            }
        }
        const int last = GAP + 3 * (width + GAP);
        draw_scale(out, last, TITLE + height + 5, width < 200 ? width : 200);
    }
    free(map);
    return ok;
}
