/* SPDX-License-Identifier: MIT */
/* Compressed images: ETC1 and S3TC, decoded at upload into images of 8 bits a channel. */
#include <stdlib.h>

#include "api/dxt.h"
#include "api/entry.h"
#include "api/teximage.h"

static size_t compressed_size(const struct es_compressed_format *format, GLsizei width,
                              GLsizei height) {
    return (((size_t)width + 3) / 4) * (((size_t)height + 3) / 4) * format->block_bytes;
}

/* Decodes blocks into a box of an image, one row of blocks at a time. False when memory is out. */
static bool compressed_write(struct rn_image *image, const struct es_compressed_format *format,
                             const struct rn_box *box, const uint8_t *data) {
    if (format->format == GL_ETC1_RGB8_OES) {
        rn_image_write_etc1(image, data);
        return true;
    }
    uint32_t blocks = (box->width + 3) / 4;
    size_t stride = (size_t)blocks * 16;
    uint8_t *rows = malloc(stride * 4);
    if (!rows) {
        return false;
    }
    for (uint32_t y = 0; y < box->height; y += 4) {
        for (uint32_t b = 0; b < blocks; b++) {
            uint8_t pixels[16][4];
            es_dxt_decode_block(format->format, data, pixels);
            data += format->block_bytes;
            for (unsigned i = 0; i < 16; i++) {
                uint8_t *place = rows + (i / 4) * stride + (b * 4 + i % 4) * 4;
                for (unsigned c = 0; c < 4; c++) {
                    place[c] = pixels[i][c];
                }
            }
        }
        uint32_t height = box->height - y < 4 ? box->height - y : 4;
        struct rn_box part = {box->x, box->y + (int32_t)y, box->z, box->width, height, 1};
        rn_image_write(image, &part, RN_LAYOUT_RGBA_U8, rows, stride, 0);
    }
    free(rows);
    return true;
}

void es_compressed_tex_image_2d(struct es_context *ctx, GLenum target, GLint level,
                                GLenum internalformat, GLsizei width, GLsizei height, GLint border,
                                GLsizei imageSize, const void *data) {
    unsigned face;
    struct es_texture *texture = es_texture_image_target(ctx, target, 2, &face);
    if (!texture) {
        return;
    }
    const struct es_compressed_format *compressed = es_compressed_find(internalformat);
    if (!compressed) {
        es_set_error(ctx, GL_INVALID_ENUM, "internal format 0x%04x", internalformat);
        return;
    }
    if (!es_teximage_check_size(ctx, texture, level, width, height, 1, border)) {
        return;
    }
    size_t expected = compressed_size(compressed, width, height);
    if (imageSize < 0 || (size_t)imageSize != expected) {
        es_set_error(ctx, GL_INVALID_VALUE, "image size %d, expected %zu", imageSize, expected);
        return;
    }
    es_teximage_orphan(ctx, texture);
    const struct es_texformat *format = es_texformat_find(compressed->base, GL_UNSIGNED_BYTE);
    if (!es_teximage_allocate(ctx, texture, face, (unsigned)level, format, (uint32_t)width,
                              (uint32_t)height, 1)) {
        return;
    }
    struct es_level *l = es_texture_level(texture, face, (unsigned)level);
    l->compressed = internalformat;
    const struct rn_box box = {0, 0, 0, l->width, l->height, 1};
    if (l->image && data && !compressed_write(l->image, compressed, &box, data)) {
        es_out_of_memory(ctx);
    }
}

void es_compressed_tex_sub_image_2d(struct es_context *ctx, GLenum target, GLint level,
                                    GLint xoffset, GLint yoffset, GLsizei width, GLsizei height,
                                    GLenum format, GLsizei imageSize, const void *data) {
    unsigned face;
    struct es_texture *texture = es_texture_image_target(ctx, target, 2, &face);
    if (!texture) {
        return;
    }
    const struct es_compressed_format *compressed = es_compressed_find(format);
    if (!compressed) {
        es_set_error(ctx, GL_INVALID_ENUM, "format 0x%04x", format);
        return;
    }
    const struct es_region region = {xoffset, yoffset, 0, width, height, 1};
    struct es_level *l = es_teximage_check_region(ctx, texture, face, level, &region);
    if (!l) {
        return;
    }
    if (imageSize < 0 || (size_t)imageSize != compressed_size(compressed, width, height)) {
        es_set_error(ctx, GL_INVALID_VALUE, "image size %d", imageSize);
        return;
    }
    if (l->compressed != format) {
        es_set_error(ctx, GL_INVALID_OPERATION, "format 0x%04x for a level of format 0x%04x",
                     format, l->compressed ? l->compressed : l->format->format);
        return;
    }
    if (!es_teximage_check_blocks(ctx, l, &region)) {
        return;
    }
    if (!width || !height || !data || !es_teximage_make_writable(ctx, texture, l)) {
        return;
    }
    const struct rn_box box = {xoffset, yoffset, 0, (uint32_t)width, (uint32_t)height, 1};
    if (!compressed_write(l->image, compressed, &box, data)) {
        es_out_of_memory(ctx);
    }
}

/* No compressed format of ours has three-dimensional images. */
void es_compressed_tex_image_3d(struct es_context *ctx, GLenum target, GLint level,
                                GLenum internalformat, GLsizei width, GLsizei height, GLsizei depth,
                                GLint border, GLsizei imageSize, const void *data) {
    (void)imageSize;
    (void)data;
    unsigned face;
    struct es_texture *texture = es_texture_image_target(ctx, target, 3, &face);
    if (!texture) {
        return;
    }
    if (!es_compressed_find(internalformat)) {
        es_set_error(ctx, GL_INVALID_ENUM, "internal format 0x%04x", internalformat);
        return;
    }
    if (es_teximage_check_size(ctx, texture, level, width, height, depth, border)) {
        es_set_error(ctx, GL_INVALID_OPERATION, "format 0x%04x has no 3D images", internalformat);
    }
}

void es_compressed_tex_sub_image_3d(struct es_context *ctx, GLenum target, GLint level,
                                    GLint xoffset, GLint yoffset, GLint zoffset, GLsizei width,
                                    GLsizei height, GLsizei depth, GLenum format, GLsizei imageSize,
                                    const void *data) {
    (void)imageSize;
    (void)data;
    unsigned face;
    struct es_texture *texture = es_texture_image_target(ctx, target, 3, &face);
    if (!texture) {
        return;
    }
    if (!es_compressed_find(format)) {
        es_set_error(ctx, GL_INVALID_ENUM, "format 0x%04x", format);
        return;
    }
    const struct es_region region = {xoffset, yoffset, zoffset, width, height, depth};
    if (es_teximage_check_region(ctx, texture, face, level, &region)) {
        es_set_error(ctx, GL_INVALID_OPERATION, "format 0x%04x has no 3D images", format);
    }
}
