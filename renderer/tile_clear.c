/* SPDX-License-Identifier: MIT */
/*
 * Clears: encoded once a command, then of the part of a tile that the rectangle covers. The clear colour
 * is encoded as a fragment's would be, without dither; depth is quantised by the one depth rule; channels
 * and stencil bits outside the masks keep their value. A whole tile is not written but noted as blank
 * (blank.h).
 */
#include "renderer/tile.h"

#include <string.h>

#include "renderer/format.h"

void rn_clear_encode(struct rn_clear_cmd *cmd, const struct rn_framebuffer *fb) {
    const struct rn_clear *clear = &cmd->clear;
    memset(cmd->color, 0, sizeof cmd->color);
    cmd->depth = 0;
    for (unsigned i = 0; i < fb->color_count && i < RN_MAX_COLORS; i++) {
        if (!fb->color[i].image || !(clear->color_buffers >> i & 1)) {
            continue;
        }
        const enum rn_format format = (enum rn_format)fb->color[i].image->format;
        const struct rn_format_info *info = rn_format_info(format);
        unsigned has = 0;
        for (unsigned c = 0; c < 4; c++) {
            has |= info->bits[c] ? 1u << c : 0u;
        }
        cmd->color[i].channels = (uint8_t)(has & clear->color_mask);
        cmd->color[i].all = cmd->color[i].channels == has;
        if (cmd->color[i].all) {
            rn_pack_row(format, cmd->color[i].pixel, 1, &clear->color);
        }
    }
    if (clear->depth && fb->depth.image) {
        const unsigned bytes = rn_format_info((enum rn_format)fb->depth.image->format)->bytes;
        cmd->depth = rn_depth_quantise((double)clear->depth_value, bytes == 4 ? 16777215.0 : 65535.0);
    }
}

/* A masked pixel: some channels from rgba, the others from what is there. */
static void clear_channels(enum rn_format format, unsigned channels, uint8_t *p, const float rgba[4]) {
    float v[1][4];
    rn_unpack_row(format, p, 1, v);
    for (unsigned c = 0; c < 4; c++) {
        v[0][c] = channels >> c & 1 ? rgba[c] : v[0][c];
    }
    rn_pack_row(format, p, 1, (const float(*)[4])v);
}

/* ---- blank targets ------------------------------------------------------------------------------------------ */

static struct rn_target *target_of(struct rn_tile_worker *w, unsigned bit) {
    return bit == RN_TARGET_DEPTH ? &w->depth : bit == RN_TARGET_STENCIL ? &w->stencil : &w->color[bits_ctz32(bit)];
}

void rn_tile_settle(struct rn_tile_worker *w, unsigned targets) {
    targets &= w->blank;
    w->blank &= (uint8_t)~targets;
    for (; targets; targets &= targets - 1) {
        const struct rn_target *t = target_of(w, targets & (0u - targets));
        rn_blank_write(t->blank, t->image, (uint32_t)w->x >> RN_TILE_SHIFT, (uint32_t)w->y >> RN_TILE_SHIFT);
    }
}

void rn_tile_give_blank(struct rn_tile_worker *w) {
    unsigned owed = w->owed;
    for (; w->blank; w->blank &= (uint8_t)(w->blank - 1)) {
        const unsigned bit = w->blank & (0u - w->blank);
        const struct rn_target *t = target_of(w, bit);
        rn_blank_give(t->image->blank, t->blank, owed & bit);
        owed &= ~bit;
    }
    for (; owed; owed &= owed - 1) {
        rn_blank_owed(target_of(w, owed & (0u - owed))->image->blank);
    }
}

/* Whether pixels of the tile, but not of the image, lie beyond width x height. */
static bool image_goes_on(const struct rn_tile_worker *w, const struct rn_target *t, int32_t width, int32_t height) {
    const int32_t x = (int32_t)t->image->width - w->x, y = (int32_t)t->image->height - w->y;
    return width < (x < RN_TILE ? x : RN_TILE) || height < (y < RN_TILE ? y : RN_TILE);
}

void rn_tile_overwrite(struct rn_tile_worker *w, unsigned targets) {
    for (targets &= w->blank; targets; targets &= targets - 1) {
        const unsigned bit = targets & (0u - targets);
        const struct rn_target *t = target_of(w, bit);
        if (image_goes_on(w, t, w->width, w->height)) {
            rn_tile_settle(w, bit);
            continue;
        }
        w->blank &= (uint8_t)~bit;
    }
}

/* Makes a target blank if the box is all of it; else what is blank is settled, and false. */
static bool make_blank(struct rn_tile_worker *w, unsigned bit, const uint8_t *pixel, const struct rn_rect *box) {
    const struct rn_target *t = target_of(w, bit);
    if (!t->blank || box->x0 || box->y0 || image_goes_on(w, t, box->x1, box->y1)) {
        rn_tile_settle(w, bit);
        return false;
    }
    memcpy(t->blank->pixel, pixel, RN_BLANK_BYTES);
    w->blank |= (uint8_t)bit;
    return true;
}

/* ---- clears --------------------------------------------------------------------------------------------------- */

/* One pixel over a box in the tile, exclusive ends. */
static void fill_box(const struct rn_target *t, unsigned samples, const uint8_t *pixel, const struct rn_rect *box) {
    uint8_t row[RN_TILE * 8] = {0};
    const uint32_t count = (uint32_t)(box->x1 - box->x0);
    rn_blank_row(row, pixel, t->bytes, count);
    for (unsigned s = 0; s < samples; s++) {
        for (int32_t y = box->y0; y < box->y1; y++) {
            memcpy(t->pixels + s * t->sample_stride + (size_t)y * t->stride + (size_t)box->x0 * t->bytes, row,
                   (size_t)count * t->bytes);
        }
    }
}

static void clear_color(struct rn_tile_worker *w, unsigned index, unsigned samples, const struct rn_clear_cmd *cmd,
                        const struct rn_rect *box) {
    const struct rn_target *t = &w->color[index];
    if (cmd->color[index].all) {
        if (!make_blank(w, 1u << index, cmd->color[index].pixel, box)) {
            fill_box(t, samples, cmd->color[index].pixel, box);
        }
        return;
    }
    rn_tile_settle(w, 1u << index);
    for (unsigned s = 0; s < samples; s++) {
        for (int32_t y = box->y0; y < box->y1; y++) {
            for (int32_t x = box->x0; x < box->x1; x++) {
                clear_channels((enum rn_format)t->format, cmd->color[index].channels,
                               t->pixels + s * t->sample_stride + (size_t)y * t->stride + (size_t)x * t->bytes,
                               cmd->clear.color);
            }
        }
    }
}

static void clear_depth(struct rn_tile_worker *w, unsigned samples, uint32_t value, const struct rn_rect *box) {
    const struct rn_target *t = &w->depth;
    uint8_t pixel[RN_BLANK_BYTES] = {0};
    const uint16_t v16 = (uint16_t)value;
    memcpy(pixel, t->bytes == 4 ? (const void *)&value : (const void *)&v16, t->bytes);
    if (!make_blank(w, RN_TARGET_DEPTH, pixel, box)) {
        fill_box(t, samples, pixel, box);
    }
    if (box->x0 == 0 && box->y0 == 0 && box->x1 >= w->width && box->y1 >= w->height) {
        rn_depth_bounds_set(w, value);
        return;
    }
    for (unsigned b = 0; b < RN_TILE_BLOCKS; b++) {
        w->z_max[b] = value > w->z_max[b] ? value : w->z_max[b];
        w->z_min[b] = value < w->z_min[b] ? value : w->z_min[b];
    }
}

static void clear_stencil(struct rn_tile_worker *w, unsigned samples, unsigned value, unsigned mask,
                          const struct rn_rect *box) {
    const struct rn_target *t = &w->stencil;
    const uint8_t pixel[RN_BLANK_BYTES] = {(uint8_t)value};
    if (mask == 255) {
        if (!make_blank(w, RN_TARGET_STENCIL, pixel, box)) {
            fill_box(t, samples, pixel, box);
        }
        return;
    }
    rn_tile_settle(w, RN_TARGET_STENCIL);
    for (unsigned s = 0; s < samples; s++) {
        for (int32_t y = box->y0; y < box->y1; y++) {
            uint8_t *p = t->pixels + s * t->sample_stride + (size_t)y * t->stride;
            for (int32_t x = box->x0; x < box->x1; x++) {
                p[x] = (uint8_t)((p[x] & ~mask) | (value & mask));
            }
        }
    }
}

void rn_tile_clear(struct rn_tile_worker *w, const struct rn_clear_cmd *cmd) {
    const struct rn_clear *clear = &cmd->clear;
    const struct rn_framebuffer *fb = &w->run->scene->fb;
    const unsigned samples = fb->samples == 4 ? 4 : 1;
    struct rn_rect box = {clear->rect.x0 - w->x, clear->rect.y0 - w->y, clear->rect.x1 - w->x, clear->rect.y1 - w->y};
    box.x0 = box.x0 > 0 ? box.x0 : 0;
    box.y0 = box.y0 > 0 ? box.y0 : 0;
    box.x1 = box.x1 < w->width ? box.x1 : w->width;
    box.y1 = box.y1 < w->height ? box.y1 : w->height;
    if (box.x0 >= box.x1 || box.y0 >= box.y1) {
        return;
    }
    for (unsigned i = 0; i < RN_MAX_COLORS; i++) {
        if (w->color[i].pixels && cmd->color[i].channels) {
            clear_color(w, i, samples, cmd, &box);
        }
    }
    if (clear->depth && w->depth.pixels) {
        clear_depth(w, samples, cmd->depth, &box);
    }
    if (clear->stencil && clear->stencil_mask && w->stencil.pixels) {
        clear_stencil(w, samples, clear->stencil_value, clear->stencil_mask, &box);
    }
}
