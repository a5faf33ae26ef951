/* SPDX-License-Identifier: MIT */
/*
 * blank.h: tiles that a clear has left unwritten. A clear of a whole tile only notes its pixel; the tile
 * is *blank* until something other than another clear wants its bytes. Most tiles of most clears are
 * then drawn over while they are in the cache, and stencil and depth that nobody uses are never written.
 *
 * Tiles are those of the renderer, 64x64 pixels with all samples, of images of one slice. The owner of a
 * tile (tile.c, or whoever may write the image: renderer.h) may change its entry; an image is shared
 * between contexts by their own synchronisation, but two of them may read it, hence settle, at a time.
 */
#ifndef RENDERER_BLANK_H
#define RENDERER_BLANK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "renderer/limits.h"
#include "renderer/renderer.h"

#define RN_BLANK_BYTES 8                               /* pixels larger than this are never blank */

struct rn_blank_tile {
    uint8_t pixel[RN_BLANK_BYTES];
    atomic_bool set;                                   /* all pixels are 'pixel', whatever the memory says */
};
struct rn_blank {
    atomic_flag settling;
    atomic_bool any;                                   /* false: no tile is blank */
    uint32_t tiles_x, tiles_y;
    struct rn_blank_tile tile[];
};

/* What an image can be blank with; NULL: it never is (or memory is out). */
struct rn_blank *rn_blank_create(const struct rn_image *image);

/* Repeats a pixel of 'bytes' over 'count' pixels. */
void rn_blank_row(uint8_t *row, const uint8_t *pixel, unsigned bytes, uint32_t count);
/* Writes a blank tile's pixels, width x height at 'pixels' and the same for each sample; it is not blank
 * afterwards. */
void rn_blank_write(struct rn_blank_tile *tile, const struct rn_image *image, uint32_t tile_x, uint32_t tile_y);
/* The image is about to be overwritten whole. */
void rn_blank_drop(struct rn_image *image);

#endif
