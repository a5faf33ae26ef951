/* SPDX-License-Identifier: MIT */
/*
 * Clears of the part of a tile that a rectangle covers. The clear colour is encoded as a fragment's would
 * be, without dither; depth is quantised by the one depth rule; channels and stencil bits outside the
 * masks keep their value.
 */
#include "renderer/tile.h"

#include <string.h>

#include "renderer/format.h"

/* Repeats a pixel of 'bytes' over 'count' pixels. */
static void pattern_fill(uint8_t *row, const uint8_t *pixel, unsigned bytes, uint32_t count) {
    memcpy(row, pixel, bytes);
    size_t done = bytes, all = (size_t)bytes * count;
    while (done < all) {
        const size_t more = done < all - done ? done : all - done;
        memcpy(row + done, row, more);
        done += more;
    }
}

/* A masked pixel: the channels of 'op' from rgba, the others from what is there. */
static void clear_channels(const struct rn_color_op *op, uint8_t *p, const float rgba[4]) {
    float v[1][4];
    rn_unpack_row((enum rn_format)op->format, p, 1, v);
    for (unsigned c = 0; c < 4; c++) {
        v[0][c] = op->channels >> c & 1 ? rgba[c] : v[0][c];
    }
    rn_pack_row((enum rn_format)op->format, p, 1, (const float(*)[4])v);
}

/* box: in the tile, exclusive ends. */
static void clear_color(const struct rn_target *target, unsigned samples, const struct rn_color_op *op,
                        const float rgba[4], const struct rn_rect *box) {
    uint8_t row[RN_TILE * 8] = {0}, pixel[1][16];
    const uint32_t count = (uint32_t)(box->x1 - box->x0);
    float v[1][4];
    memcpy(v, rgba, sizeof v);
    rn_pack_row((enum rn_format)op->format, pixel, 1, (const float(*)[4])v);
    pattern_fill(row, pixel[0], op->bytes, count);
    for (unsigned s = 0; s < samples; s++) {
        for (int32_t y = box->y0; y < box->y1; y++) {
            uint8_t *p =
                target->pixels + s * target->sample_stride + (size_t)y * target->stride + (size_t)box->x0 * op->bytes;
            if (op->all) {
                memcpy(p, row, (size_t)count * op->bytes);
                continue;
            }
            for (uint32_t x = 0; x < count; x++) {
                clear_channels(op, p + (size_t)x * op->bytes, rgba);
            }
        }
    }
}

static void clear_depth(struct rn_tile_worker *w, unsigned samples, uint32_t value, const struct rn_rect *box) {
    const struct rn_target *t = &w->depth;
    uint8_t row[RN_TILE * 4], pixel[4];
    const uint16_t v16 = (uint16_t)value;
    memcpy(pixel, t->bytes == 4 ? (const void *)&value : (const void *)&v16, t->bytes);
    pattern_fill(row, pixel, t->bytes, (uint32_t)(box->x1 - box->x0));
    for (unsigned s = 0; s < samples; s++) {
        for (int32_t y = box->y0; y < box->y1; y++) {
            memcpy(t->pixels + s * t->sample_stride + (size_t)y * t->stride + (size_t)box->x0 * t->bytes, row,
                   (size_t)(box->x1 - box->x0) * t->bytes);
        }
    }
    const bool whole = box->x0 == 0 && box->y0 == 0 && box->x1 >= w->width && box->y1 >= w->height;
    for (unsigned b = 0; b < RN_TILE_BLOCKS; b++) {
        w->z_max[b] = whole || value > w->z_max[b] ? value : w->z_max[b];
        w->z_min[b] = whole || value < w->z_min[b] ? value : w->z_min[b];
    }
    w->z_max_known = w->z_max_known || whole;
    w->z_min_known = w->z_min_known || whole;
}

static void clear_stencil(const struct rn_target *t, unsigned samples, unsigned value, unsigned mask,
                          const struct rn_rect *box) {
    for (unsigned s = 0; s < samples; s++) {
        for (int32_t y = box->y0; y < box->y1; y++) {
            uint8_t *p = t->pixels + s * t->sample_stride + (size_t)y * t->stride + box->x0;
            if (mask == 255) {
                memset(p, (int)value, (size_t)(box->x1 - box->x0));
                continue;
            }
            for (int32_t x = 0; x < box->x1 - box->x0; x++) {
                p[x] = (uint8_t)((p[x] & ~mask) | (value & mask));
            }
        }
    }
}

void rn_tile_clear(struct rn_tile_worker *w, const struct rn_clear *clear) {
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
    struct rn_fragment_state state;
    memset(&state, 0, sizeof state);
    state.color_mask = clear->color_mask;
    for (unsigned i = 0; i < RN_MAX_COLORS; i++) {
        if (w->color[i].pixels && (clear->color_buffers >> i & 1) && clear->color_mask) {
            struct rn_color_op op;
            rn_color_op_set(&op, rn_fragop_ops_for(VLIW_SIMD_SCALAR), (enum rn_format)w->color[i].format, &state);
            if (op.channels) {
                clear_color(&w->color[i], samples, &op, clear->color, &box);
            }
        }
    }
    if (clear->depth && w->depth.pixels) {
        const double steps = w->depth.bytes == 4 ? 16777215.0 : 65535.0;
        clear_depth(w, samples, rn_depth_quantise((double)clear->depth_value, steps), &box);
    }
    if (clear->stencil && clear->stencil_mask && w->stencil.pixels) {
        clear_stencil(&w->stencil, samples, clear->stencil_value, clear->stencil_mask, &box);
    }
}
