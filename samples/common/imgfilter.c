/* SPDX-License-Identifier: MIT */
/* The loops of the filters: each step is over a whole row, so that the compiler makes vectors of it. */
#include "imgfilter.h"

#include <stdlib.h>
#include <string.h>

void imgfilter_pad(float *padded, int width, int radius) {
    for (int i = 1; i <= radius; i++) {
        padded[-i] = padded[0];
        padded[width - 1 + i] = padded[width - 1];
    }
}

/* Two weights at a time: half as many passes over the row. Blocks keep `out` in the cache. */
#define BLOCK 512

static void add_pair(float *restrict out, const float *restrict left, const float *restrict right,
                     float weight, bool odd, int count) {
    if (odd) {
        for (int x = 0; x < count; x++) {
            out[x] += weight * (right[x] - left[x]);
        }
    } else {
        for (int x = 0; x < count; x++) {
            out[x] += weight * (right[x] + left[x]);
        }
    }
}

static void set_middle(float *restrict out, const float *restrict from, float weight, int count) {
    for (int x = 0; x < count; x++) {
        out[x] = weight * from[x];
    }
}

void imgfilter_row(const struct imgfilter_kernel *kernel, const float *padded, int width,
                   float *out) {
    for (int at = 0; at < width; at += BLOCK) {
        int count = width - at < BLOCK ? width - at : BLOCK;
        set_middle(out + at, padded + at, kernel->odd ? 0.0f : kernel->weights[0], count);
        for (int i = 1; i <= kernel->radius; i++) {
            add_pair(out + at, padded + at - i, padded + at + i, kernel->weights[i], kernel->odd,
                     count);
        }
    }
}

bool imgfilter_ring_init(struct imgfilter_ring *ring, int width, int height) {
    ring->width = width;
    ring->height = height;
    ring->rows = calloc((size_t)width * (size_t)height, sizeof ring->rows[0]);
    return ring->rows != NULL;
}

void imgfilter_ring_free(struct imgfilter_ring *ring) {
    free(ring->rows);
    memset(ring, 0, sizeof *ring);
}

float *imgfilter_ring_row(const struct imgfilter_ring *ring, int y) {
    return ring->rows + (size_t)(y % ring->height) * (size_t)ring->width;
}

void imgfilter_column(const struct imgfilter_kernel *kernel, const struct imgfilter_ring *ring,
                      int y, int last, float *out) {
    for (int at = 0; at < ring->width; at += BLOCK) {
        int count = ring->width - at < BLOCK ? ring->width - at : BLOCK;
        set_middle(out + at, imgfilter_ring_row(ring, y) + at,
                   kernel->odd ? 0.0f : kernel->weights[0], count);
        for (int i = 1; i <= kernel->radius; i++) {
            const int above = y - i > 0 ? y - i : 0;
            const int below = y + i < last ? y + i : last;
            add_pair(out + at, imgfilter_ring_row(ring, above) + at,
                     imgfilter_ring_row(ring, below) + at, kernel->weights[i], kernel->odd, count);
        }
    }
}
