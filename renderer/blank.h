/* SPDX-License-Identifier: MIT */
/*
 * blank.h: tiles that a clear has left unwritten. A clear of a whole tile only notes its pixel; the tile
 * is *blank* until something other than another clear wants its bytes. Most tiles of most clears are
 * then drawn over while they are in the cache, and stencil and depth that nobody uses are never written.
 *
 * Tiles are those of the renderer, 64x64 pixels with all samples, of images of one slice. Who runs a tile
 * (tile.c) takes its entry and gives it back, so that another context that settles meanwhile, though what
 * it reads is undefined then, neither draws over new pixels nor forgets a clear.
 */
#ifndef RENDERER_BLANK_H
#define RENDERER_BLANK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "renderer/limits.h"
#include "renderer/renderer.h"

#define RN_BLANK_BYTES 8                               /* pixels larger than this are never blank */

enum {
    RN_BLANK_NOT,
    RN_BLANK_SET,                                      /* all pixels are 'pixel', whatever the memory says */
    RN_BLANK_BUSY                                      /* they are being written */
};
struct rn_blank_tile {
    uint8_t pixel[RN_BLANK_BYTES];
    _Atomic(uint8_t) state;
};
struct rn_blank {
    atomic_flag settling;
    atomic_uint count;                                 /* of blank tiles, or more */
    uint32_t tiles_x, tiles_y;
    struct rn_blank_tile tile[];
};

/* What an image can be blank with; NULL: it never is (or memory is out). */
struct rn_blank *rn_blank_create(const struct rn_image *image);

/* Repeats a pixel of 'bytes' over 'count' pixels. */
void rn_blank_row(uint8_t *row, const uint8_t *pixel, unsigned bytes, uint32_t count);
/* A tile's owner: whether it is blank; if so it is taken, until its pixels are written or it is given back. Then one of
 * blank->count is owed: the next give pays it, or rn_blank_owed. So a tile that stays blank leaves alone what all threads write. */
bool rn_blank_take(struct rn_blank_tile *tile);
void rn_blank_give(struct rn_blank *blank, struct rn_blank_tile *tile, bool owed);
void rn_blank_owed(struct rn_blank *blank);
/* Writes the pixels of a tile that is the caller's, all samples. */
void rn_blank_write(const struct rn_blank_tile *tile, const struct rn_image *image, uint32_t tile_x, uint32_t tile_y);
/* The image is about to be overwritten whole. */
void rn_blank_drop(struct rn_image *image);

#endif
