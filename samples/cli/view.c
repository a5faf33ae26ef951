/* SPDX-License-Identifier: MIT */
/* Figures to colors: a scale from the smallest to the largest value, drawn under the map with its numbers. */
#include "view.h"

#include <stdio.h>
#include <string.h>

#include "../common/imgdiff.h"
#include "../common/pixfont.h"

#define FOOT 46
#define NO_DEPTH 16777215u

/* Numbers as in api/vlgl.h. */
static const struct {
    const char *name;
    int number;
    const char *title;
    uint32_t full; /* the scale ends here, 0: at the largest value */
} views[] = {
    {"overdraw", 1, "fragments shaded a pixel", 0},
    {"cycles", 2, "vl-iw instructions a pixel", 0},
    {"depth", 3, "depth (grey: nothing was drawn)", 0},
    {"mip", 4, "level of the last texture read (grey: none)", 0},
    {"batches", 5, "fragments in the batch that shaded the pixel", VLGL_BATCH},
    {"tiles", 6, "microseconds a tile of 64x64", 0},
    {"texture-reads", 7, "texture reads a pixel", 0},
};

static const uint8_t paper[3] = {32, 33, 38};
static const uint8_t ink[3] = {226, 228, 234};
static const uint8_t nothing[3] = {70, 72, 78};

int view_number(const char *name) {
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
        if (strcmp(name, views[i].name) == 0) {
            return views[i].number;
        }
    }
    return 0;
}

/* Figures that mean "nothing here". */
static bool is_nothing(int view, uint32_t value) {
    return view == 3 ? value == NO_DEPTH : (view == 4 || view == 5) && value == 0;
}

/* A figure as the legend says it. */
static double shown(int view, double value) {
    return view == 3 ? value / (double)NO_DEPTH : view == 4 ? (value - 1.0) / 256.0 : value;
}

struct scale {
    uint32_t low;
    uint32_t high;
    double mean;
};

static struct scale find_scale(int view, const uint32_t *figures, size_t count) {
    struct scale scale = {UINT32_MAX, 0, 0.0};
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_nothing(view, figures[i])) {
            scale.low = figures[i] < scale.low ? figures[i] : scale.low;
            scale.high = figures[i] > scale.high ? figures[i] : scale.high;
            scale.mean += (double)figures[i];
            used++;
        }
    }
    scale.mean = used > 0 ? scale.mean / (double)used : 0.0;
    if (view == 4 && used > 0) {
        scale.low = 1; /* level 0 */
    } else if (view == 4) {
        scale.low = scale.high = 1;
        scale.mean = 1.0;
    } else if (view != 3 || used == 0) {
        scale.low = 0;
    }
    if (views[view - 1].full > 0) {
        scale.high = views[view - 1].full;
    }
    return scale;
}

static void color_of(int view, const struct scale *scale, uint32_t value, uint8_t color[3]) {
    const uint32_t span = scale->high > scale->low ? scale->high - scale->low : 1;
    if (is_nothing(view, value)) {
        memcpy(color, nothing, 3);
        return;
    }
    const uint32_t above = value > scale->low ? value - scale->low : 0;
    imgdiff_heat((float)((double)above / (double)span), color);
}

/* Text that begins at x, or ends there, or is centred. */
static void label(struct image *img, int x, int y, double align, const char *text) {
    pixfont_text(img, x - (int)(align * (double)strlen(text) * PIXFONT_ADVANCE), y, 1, text, ink);
}

static void draw_legend(struct image *img, int view, const struct scale *scale, int top) {
    const int left = 8;
    const int right = img->width - 9;
    char text[64];
    label(img, left, top + 4, 0.0, views[view - 1].title);
    for (int x = left; x <= right; x++) {
        uint8_t color[3];
        imgdiff_heat((float)(x - left) / (float)(right > left ? right - left : 1), color);
        pixfont_rect(img, x, top + 17, 1, 12, color);
    }
    snprintf(text, sizeof text, "%.4g", shown(view, (double)scale->low));
    label(img, left, top + 33, 0.0, text);
    snprintf(text, sizeof text, "%.4g", shown(view, (double)scale->high));
    label(img, right + 1, top + 33, 1.0, text);
    snprintf(text, sizeof text, "mean %.4g", shown(view, scale->mean));
    if (img->width > 160) {
        label(img, img->width / 2, top + 33, 0.5, text);
    }
}

bool view_picture(int view, const uint32_t *figures, const struct image *picture, struct image *out,
                  struct image_error *err) {
    const int width = picture->width;
    const int height = picture->height;
    const struct scale scale = find_scale(view, figures, (size_t)width * (size_t)height);
    if (!image_alloc(out, width, height + FOOT, err)) {
        return false;
    }
    pixfont_rect(out, 0, height, width, FOOT, paper);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            const uint32_t value = figures[(size_t)(height - 1 - y) * (size_t)width + (size_t)x];
            uint8_t *p = out->pixels + 4 * ((size_t)y * (size_t)width + (size_t)x);
            color_of(view, &scale, value, p);
            p[3] = 255;
        }
    }
    draw_legend(out, view, &scale, height);
    return true;
}
