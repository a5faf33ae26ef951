/* SPDX-License-Identifier: MIT */
/* Immutable textures (EXT_texture_storage). */
#include "api/entry.h"
#include "api/teximage.h"

static uint32_t texstorage_level_size(GLsizei size, unsigned level) {
    uint32_t shifted = (uint32_t)size >> level;
    return shifted ? shifted : 1;
}

static void texstorage_define(struct es_context *ctx, GLenum target, unsigned dims, GLsizei levels,
                              GLenum internal_format, GLsizei width, GLsizei height,
                              GLsizei depth) {
    if ((dims == 3) != (target == GL_TEXTURE_3D_OES)) {
        es_set_error(ctx, GL_INVALID_ENUM, "target 0x%04x", target);
        return;
    }
    struct es_texture *texture = es_texture_bound(ctx, target);
    if (!texture) {
        return;
    }
    const struct es_sized_format *sized = es_sized_find(internal_format, ES_SIZED_TEXTURE);
    const struct es_texformat *format =
        sized ? es_texformat_find(sized->format, sized->type) : NULL;
    if (!format) {
        es_set_error(ctx, GL_INVALID_ENUM, "internal format 0x%04x", internal_format);
        return;
    }
    uint32_t max = es_teximage_max_size(texture->index);
    if (levels < 1 || width < 1 || height < 1 || depth < 1 || (uint32_t)width > max ||
        (uint32_t)height > max || (uint32_t)depth > max ||
        (texture->index == ES_TEX_CUBE && width != height)) {
        es_set_error(ctx, GL_INVALID_VALUE, "%d levels of %d x %d x %d", levels, width, height,
                     depth);
        return;
    }
    GLsizei largest = width > height ? width : height;
    largest = depth > largest ? depth : largest;
    GLsizei full = 1;
    while ((largest >> full) > 0) {
        full++;
    }
    if (levels > full) {
        es_set_error(ctx, GL_INVALID_OPERATION, "%d levels, at most %d for this size", levels,
                     full);
        return;
    }
    if (texture->name == 0 || texture->immutable) {
        es_set_error(ctx, GL_INVALID_OPERATION,
                     texture->name ? "the texture is immutable already"
                                   : "texture 0 cannot be immutable");
        return;
    }
    bool depth_format =
        sized->format == GL_DEPTH_COMPONENT || sized->format == GL_DEPTH_STENCIL_OES;
    if (depth_format && texture->index != ES_TEX_2D) {
        es_set_error(ctx, GL_INVALID_OPERATION, "depth textures are two-dimensional");
        return;
    }
    es_teximage_orphan(ctx, texture);
    for (unsigned face = 0; face < texture->faces; face++) {
        for (unsigned l = 0; l < RN_MAX_LEVELS; l++) {
            if (l >= (unsigned)levels) {
                es_level_clear(es_texture_level(texture, face, l));
                continue;
            }
            uint32_t d = texture->index == ES_TEX_3D ? texstorage_level_size(depth, l) : 1;
            if (!es_teximage_allocate(ctx, texture, face, l, format,
                                      texstorage_level_size(width, l),
                                      texstorage_level_size(height, l), d)) {
                return;
            }
        }
    }
    texture->immutable = true;
    texture->immutable_levels = (uint8_t)levels;
    es_texture_changed(ctx->share, texture);
}

void es_tex_storage_2d(struct es_context *ctx, GLenum target, GLsizei levels, GLenum internalformat,
                       GLsizei width, GLsizei height) {
    texstorage_define(ctx, target, 2, levels, internalformat, width, height, 1);
}

void es_tex_storage_3d(struct es_context *ctx, GLenum target, GLsizei levels, GLenum internalformat,
                       GLsizei width, GLsizei height, GLsizei depth) {
    texstorage_define(ctx, target, 3, levels, internalformat, width, height, depth);
}
