/* SPDX-License-Identifier: MIT */
/*
 * SSIM, structural similarity (Wang et al., "Image Quality Assessment: From Error Visibility to
 * Structural Similarity", 2004): means, variances and covariance under a Gaussian window of 11x11
 * and deviation 1.5, K1 = 0.01, K2 = 0.03. Here it is the mean over all pixels of red, green and
 * blue, and of alpha where a picture has any. At the picture's border the window is cut off and its
 * weights are scaled to sum to one, so pictures of any size have an SSIM.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "imgdiff.h"
#include "imgfilter.h"

#define RADIUS 5
#define DEVIATION 1.5
#define MIDDLE 128

enum moment { MEAN_A, MEAN_B, SQUARE_A, SQUARE_B, PRODUCT, MOMENT_COUNT };

struct ssim_state {
    struct imgfilter_kernel kernel;
    struct imgfilter_ring rings[MOMENT_COUNT];
    float *padded;
    float *moments;  /* of a finished row */
    float *share_x;  /* 1 / weight of the window inside the picture, along x */
};

static double window_share(int at, int count) {
    double inside = 0.0;
    double all = 0.0;
    for (int i = -RADIUS; i <= RADIUS; i++) {
        double weight = exp(-0.5 * i * i / (DEVIATION * DEVIATION));
        all += weight;
        inside += at + i >= 0 && at + i < count ? weight : 0.0;
    }
    return all / inside;
}

static bool ssim_init(struct ssim_state *state, int width) {
    double sum = 0.0;
    bool ok = true;
    memset(state, 0, sizeof *state);
    state->kernel.radius = RADIUS;
    for (int i = -RADIUS; i <= RADIUS; i++) {
        sum += exp(-0.5 * i * i / (DEVIATION * DEVIATION));
    }
    for (int i = 0; i <= RADIUS; i++) {
        state->kernel.weights[i] = (float)(exp(-0.5 * i * i / (DEVIATION * DEVIATION)) / sum);
    }
    for (int m = 0; m < MOMENT_COUNT; m++) {
        /* One row of zeros more: what lies above and below the picture. */
        ok = imgfilter_ring_init(&state->rings[m], width, 2 * RADIUS + 1) && ok;
    }
    state->padded = calloc((size_t)width + 2 * RADIUS, sizeof(float));
    state->moments = malloc((size_t)width * MOMENT_COUNT * sizeof(float));
    state->share_x = malloc((size_t)width * sizeof(float));
    ok = ok && state->padded != NULL && state->moments != NULL && state->share_x != NULL;
    for (int x = 0; ok && x < width; x++) {
        state->share_x[x] = (float)window_share(x, width);
    }
    return ok;
}

static void ssim_free(struct ssim_state *state) {
    for (int m = 0; m < MOMENT_COUNT; m++) {
        imgfilter_ring_free(&state->rings[m]);
    }
    free(state->padded);
    free(state->moments);
    free(state->share_x);
}

/* Row y of one channel along x into the rings; rows outside the picture are zeros. */
static void push_row(struct ssim_state *state, const struct image *a, const struct image *b,
                     int channel, int y) {
    const int width = a->width;
    float *padded = state->padded + RADIUS; /* its ends stay 0 */
    const size_t at = (size_t)y * (size_t)width * 4 + (size_t)channel;
    for (int m = 0; m < MOMENT_COUNT; m++) {
        float *row = imgfilter_ring_row(&state->rings[m], y + RADIUS);
        if (y < 0 || y >= a->height) {
            memset(row, 0, (size_t)width * sizeof row[0]);
            continue;
        }
        const uint8_t *pa = a->pixels + at;
        const uint8_t *pb = b->pixels + at;
        for (int x = 0; x < width; x++) {
            /* About zero, squares keep more of their small bits. */
            int va = pa[x * 4] - MIDDLE;
            int vb = pb[x * 4] - MIDDLE;
            int value = m == MEAN_A ? va : m == MEAN_B ? vb : m == SQUARE_A ? va * va
                        : m == SQUARE_B ? vb * vb : va * vb;
            padded[x] = (float)value;
        }
        imgfilter_row(&state->kernel, padded, width, row);
    }
}

/* Sum of SSIM over row y, whose neighbours are in the rings. */
static double finish_row(struct ssim_state *state, int y, int height) {
    const float c1 = (0.01f * 255.0f) * (0.01f * 255.0f);
    const float c2 = (0.03f * 255.0f) * (0.03f * 255.0f);
    const int width = state->rings[0].width;
    const float share_y = (float)window_share(y, height);
    float *out = state->moments;
    for (int m = 0; m < MOMENT_COUNT; m++) {
        imgfilter_column(&state->kernel, &state->rings[m], y + RADIUS, height + 2 * RADIUS - 1,
                         out + m * width);
    }
    const float *restrict mean_a = out, *restrict mean_b = out + width;
    const float *restrict square_a = out + 2 * width, *restrict square_b = out + 3 * width;
    float *restrict product = out + 4 * width;
    for (int x = 0; x < width; x++) {
        float share = share_y * state->share_x[x];
        float ma = mean_a[x] * share;
        float mb = mean_b[x] * share;
        float va = square_a[x] * share - ma * ma;
        float vb = square_b[x] * share - mb * mb;
        float cov = product[x] * share - ma * mb;
        ma += (float)MIDDLE;
        mb += (float)MIDDLE;
        product[x] = ((2.0f * ma * mb + c1) * (2.0f * cov + c2)) /
                     ((ma * ma + mb * mb + c1) * (va + vb + c2));
    }
    double sum = 0.0;
    for (int x = 0; x < width; x++) {
        sum += (double)product[x];
    }
    return sum;
}

bool imgdiff_ssim(const struct image *expected, const struct image *actual, double *ssim,
                  struct image_error *err) {
    struct ssim_state state;
    *ssim = 0.0;
    if (expected->width != actual->width || expected->height != actual->height) {
        snprintf(err->text, sizeof err->text, "sizes differ: %dx%d and %dx%d", (int)expected->width,
                 (int)expected->height, (int)actual->width, (int)actual->height);
        return false;
    }
    bool ok = ssim_init(&state, expected->width);
    const size_t count = (size_t)expected->width * (size_t)expected->height;
    const int channels = imgdiff_opaque(expected) && imgdiff_opaque(actual) ? 3 : 4;
    double sum = 0.0;
    for (int c = 0; ok && c < channels; c++) {
        int pushed = -RADIUS;
        for (int y = 0; y < expected->height; y++) {
            for (; pushed <= y + RADIUS; pushed++) {
                push_row(&state, expected, actual, c, pushed);
            }
            sum += finish_row(&state, y, expected->height);
        }
    }
    ssim_free(&state);
    if (!ok) {
        snprintf(err->text, sizeof err->text, "no memory to compare pictures of %dx%d",
                 (int)expected->width, (int)expected->height);
        return false;
    }
    *ssim = sum / ((double)count * channels);
    return true;
}
