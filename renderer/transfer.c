/* SPDX-License-Identifier: MIT */
/*
 * Large copies between images and client memory on all threads: bands of rows, each of which image.c copies
 * as it would copy the whole. One thread cannot keep the memory busy. In: boxes that the API has checked.
 */
#include "renderer/transfer.h"

#include "renderer/blank.h"
#include "renderer/internal.h"

enum {
    BAND_BYTES = 256 << 10,     /* about; some tens of microseconds */
    LEAST_BANDS = 4             /* for less it does not pay to wake a thread */
};

struct transfer {
    struct rn_image *to;          /* NULL: read */
    const struct rn_image *from;
    const struct rn_box *box;
    enum rn_layout layout;
    const uint8_t *source;
    uint8_t *target;
    size_t stride;                /* of a row of the client's */
    uint32_t rows;                /* of a band */
};

static void copy_band(void *context, unsigned worker, uint32_t index) {
    const struct transfer *t = context;
    const uint32_t first = index * t->rows, left = t->box->height - first;
    struct rn_box band = *t->box;
    (void)worker;
    band.y += (int32_t)first;
    band.height = left < t->rows ? left : t->rows;
    if (t->to) {
        rn_image_write(t->to, &band, t->layout, t->source + first * t->stride, t->stride, 0);
    } else {
        rn_image_read(t->from, &band, t->layout, t->target + first * t->stride, t->stride);
    }
}

/* False: nothing was done, one thread may do it as well. */
static bool copied_in_bands(struct rn_context *context, struct transfer *t) {
    const size_t row = (size_t)t->box->width * rn_layout_bytes(t->layout);
    struct rn_pool *pool = context->device->pool;
    if (t->box->depth != 1 || rn_pool_threads(pool) < 2 || row * t->box->height < (size_t)LEAST_BANDS * BAND_BYTES) {
        return false;
    }
    t->rows = row < BAND_BYTES ? (uint32_t)(BAND_BYTES / row) : 1;
    return rn_pool_try_run(pool, copy_band, t, (t->box->height + t->rows - 1) / t->rows);
}

void rn_transfer_write(struct rn_context *context, struct rn_image *image, const struct rn_box *box,
                       enum rn_layout layout, const void *pixels, size_t row_stride, size_t slice_stride) {
    struct transfer t = {.to = image, .box = box, .layout = layout, .source = pixels, .stride = row_stride};
    if (box->width == image->width && box->height == image->height && image->samples == 1) {
        rn_blank_drop(image); /* which no band could */
    }
    if (!copied_in_bands(context, &t)) {
        rn_image_write(image, box, layout, pixels, row_stride, slice_stride);
    }
}

void rn_transfer_read(struct rn_context *context, const struct rn_image *image, const struct rn_box *box,
                      enum rn_layout layout, void *pixels, size_t row_stride) {
    struct transfer t = {.from = image, .box = box, .layout = layout, .target = pixels, .stride = row_stride};
    if (!copied_in_bands(context, &t)) {
        rn_image_read(image, box, layout, pixels, row_stride);
    }
}
