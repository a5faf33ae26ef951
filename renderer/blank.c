/* SPDX-License-Identifier: MIT */
/*
 * Blank tiles to pixels: what a clear left unwritten (blank.h) is written when somebody reads or changes
 * part of it. Everybody who touches an image's data outside of a tile's run comes here first.
 */
#include "renderer/blank.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "renderer/format.h"

struct rn_blank *rn_blank_create(const struct rn_image *image) {
    const struct rn_format_info *info = rn_format_info((enum rn_format)image->format);
    if (!(info->flags & RN_FMT_RENDER) || info->bytes > RN_BLANK_BYTES || image->depth != 1) {
        return NULL;
    }
    const uint32_t tiles_x = (image->width + RN_TILE - 1) >> RN_TILE_SHIFT;
    const uint32_t tiles_y = (image->height + RN_TILE - 1) >> RN_TILE_SHIFT;
    struct rn_blank *blank = calloc(1, sizeof *blank + (size_t)tiles_x * tiles_y * sizeof blank->tile[0]);
    if (blank) {
        atomic_flag_clear(&blank->settling);
        blank->tiles_x = tiles_x;
        blank->tiles_y = tiles_y;
    }
    return blank;
}

void rn_blank_row(uint8_t *row, const uint8_t *pixel, unsigned bytes, uint32_t count) {
    memcpy(row, pixel, bytes);
    size_t done = bytes, all = (size_t)bytes * count;
    while (done < all) {
        const size_t more = done < all - done ? done : all - done;
        memcpy(row + done, row, more);
        done += more;
    }
}

bool rn_blank_take(struct rn_blank_tile *tile) {
    uint8_t state = atomic_load_explicit(&tile->state, memory_order_acquire);
    while (state != RN_BLANK_NOT) {
        if (state == RN_BLANK_BUSY) { /* another context reads the image */
            sched_yield();
            state = atomic_load_explicit(&tile->state, memory_order_acquire);
        } else if (atomic_compare_exchange_weak(&tile->state, &state, RN_BLANK_NOT)) {
            return true;
        }
    }
    return false;
}

void rn_blank_give(struct rn_blank *blank, struct rn_blank_tile *tile, bool owed) {
    if (!owed) {
        atomic_fetch_add(&blank->count, 1); /* first: who finds none must be right */
    }
    atomic_store_explicit(&tile->state, RN_BLANK_SET, memory_order_release);
}

void rn_blank_owed(struct rn_blank *blank) {
    atomic_fetch_sub(&blank->count, 1);
}

void rn_blank_write(const struct rn_blank_tile *tile, const struct rn_image *image, uint32_t tile_x, uint32_t tile_y) {
    const unsigned bytes = rn_format_info((enum rn_format)image->format)->bytes;
    const uint32_t x = tile_x << RN_TILE_SHIFT, y = tile_y << RN_TILE_SHIFT;
    const uint32_t width = image->width - x < RN_TILE ? image->width - x : RN_TILE;
    const uint32_t height = image->height - y < RN_TILE ? image->height - y : RN_TILE;
    uint8_t row[RN_TILE * RN_BLANK_BYTES] = {0};
    rn_blank_row(row, tile->pixel, bytes, width);
    for (unsigned s = 0; s < image->samples; s++) {
        uint8_t *p = image->data + s * image->slice_bytes + (size_t)y * image->row_bytes + (size_t)x * bytes;
        for (uint32_t i = 0; i < height; i++, p += image->row_bytes) {
            memcpy(p, row, (size_t)width * bytes);
        }
    }
}

/* One at a time, because a second reader must not go on before the first has written. */
static void lock(struct rn_blank *blank) {
    while (atomic_flag_test_and_set_explicit(&blank->settling, memory_order_acquire)) {
        sched_yield();
    }
}

static void unlock(struct rn_blank *blank) {
    atomic_flag_clear_explicit(&blank->settling, memory_order_release);
}

static void settle(struct rn_blank *blank, const struct rn_image *image, uint32_t x, uint32_t y) {
    struct rn_blank_tile *tile = &blank->tile[(size_t)y * blank->tiles_x + x];
    uint8_t state = RN_BLANK_SET;
    if (atomic_compare_exchange_strong(&tile->state, &state, RN_BLANK_BUSY)) {
        rn_blank_write(tile, image, x, y);
        atomic_store(&tile->state, RN_BLANK_NOT);
        atomic_fetch_sub(&blank->count, 1);
    }
}

void rn_image_settle(const struct rn_image *image, const struct rn_box *box) {
    struct rn_blank *blank = image->blank;
    if (!blank || !atomic_load_explicit(&blank->count, memory_order_acquire)) {
        return;
    }
    if (box && (!box->width || !box->height)) {
        return;
    }
    lock(blank);
    const uint32_t x0 = box ? (uint32_t)box->x >> RN_TILE_SHIFT : 0;
    const uint32_t y0 = box ? (uint32_t)box->y >> RN_TILE_SHIFT : 0;
    const uint32_t x1 = box ? ((uint32_t)box->x + box->width - 1) >> RN_TILE_SHIFT : blank->tiles_x - 1;
    const uint32_t y1 = box ? ((uint32_t)box->y + box->height - 1) >> RN_TILE_SHIFT : blank->tiles_y - 1;
    for (uint32_t y = y0; y <= y1; y++) {
        for (uint32_t x = x0; x <= x1; x++) {
            settle(blank, image, x, y);
        }
    }
    unlock(blank);
}

void rn_blank_drop(struct rn_image *image) {
    struct rn_blank *blank = image->blank;
    if (!blank || !atomic_load_explicit(&blank->count, memory_order_acquire)) {
        return;
    }
    lock(blank);
    for (size_t i = 0; i < (size_t)blank->tiles_x * blank->tiles_y; i++) {
        if (rn_blank_take(&blank->tile[i])) {
            rn_blank_owed(blank);
        }
    }
    unlock(blank);
}
