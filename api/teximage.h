/* SPDX-License-Identifier: MIT */
/*
 * What teximage.c, texcopy.c and texstorage.c share: checks of image calls and storage of levels.
 */
#ifndef API_TEXIMAGE_H
#define API_TEXIMAGE_H

#include "api/state.h"

/* Largest size and level of a texture target. */
uint32_t es_teximage_max_size(unsigned index);
uint32_t es_teximage_max_level(unsigned index);

struct es_region {
    GLint x, y, z;
    GLsizei width, height, depth;
};

/*
 * Errors of level, size and border common to all calls that define an image. False if one was set.
 */
bool es_teximage_check_size(struct es_context *ctx, const struct es_texture *texture, GLint level,
                            GLsizei width, GLsizei height, GLsizei depth, GLint border);
/*
 * Errors of level number and rectangle common to calls that write part of an image; the level, or
 * NULL.
 */
struct es_level *es_teximage_check_region(struct es_context *ctx, const struct es_texture *texture,
                                          unsigned face, GLint level,
                                          const struct es_region *region);

/*
 * Pixel calls on compressed levels (EXT_texture_compression_s3tc): whole blocks of 4 x 4, up to the
 * level's edge, and not for ETC1. True for levels that are not compressed; else sets the error.
 */
bool es_teximage_check_blocks(struct es_context *ctx, const struct es_level *level,
                              const struct es_region *region);

/*
 * Gives a level new storage (zeroed) of a format; the old image stays with whoever still uses it.
 * False and GL_OUT_OF_MEMORY, nothing changed, when memory is out.
 */
bool es_teximage_allocate(struct es_context *ctx, struct es_texture *texture, unsigned face,
                          unsigned level, const struct es_texformat *format, uint32_t width,
                          uint32_t height, uint32_t depth);
/*
 * Makes a level's image (and stencil) writable now. False when memory is out or the context was
 * lost.
 */
bool es_teximage_make_writable(struct es_context *ctx, struct es_texture *texture,
                               struct es_level *level);
/* Stops the sharing of storage with EGL images and pbuffers before a texture is redefined. */
void es_teximage_orphan(struct es_context *ctx, struct es_texture *texture);

#endif
