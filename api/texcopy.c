/* SPDX-License-Identifier: MIT */
/*
 * Images from the framebuffer (glCopyTexImage, glCopyTexSubImage) and glGenerateMipmap. What lies
 * outside the framebuffer leaves the texture untouched (of a new image: zero).
 */
#include "api/entry.h"
#include "api/teximage.h"

enum { CHANNEL_R = 1, CHANNEL_G = 2, CHANNEL_B = 4, CHANNEL_A = 8 };

/* Channels that a base format takes from the framebuffer; 0 if it cannot be copied to. */
static unsigned texcopy_channels(GLenum format) {
    switch (format) {
    case GL_ALPHA: return CHANNEL_A;
    case GL_LUMINANCE:
    case GL_RED_EXT: return CHANNEL_R;
    case GL_RG_EXT: return CHANNEL_R | CHANNEL_G;
    case GL_LUMINANCE_ALPHA: return CHANNEL_R | CHANNEL_A;
    case GL_RGB: return CHANNEL_R | CHANNEL_G | CHANNEL_B;
    case GL_RGBA:
    case GL_BGRA_EXT: return CHANNEL_R | CHANNEL_G | CHANNEL_B | CHANNEL_A;
    default: return 0;
    }
}

/* The framebuffer must be complete, have colour and the channels that the format takes. */
static bool texcopy_check_source(struct es_context *ctx, GLenum format) {
    if (!es_framebuffer_require(ctx)) {
        return false;
    }
    enum rn_format source = es_framebuffer_read_format(ctx);
    if (source == RN_FORMAT_NONE) {
        es_set_error(ctx, GL_INVALID_OPERATION, "the framebuffer has no colour to copy");
        return false;
    }
    const struct rn_format_info *info = rn_format_info(source);
    unsigned need = texcopy_channels(format);
    for (unsigned i = 0; i < 4; i++) {
        if ((need & (1u << i)) && !info->bits[i]) {
            es_set_error(ctx, GL_INVALID_OPERATION, "format 0x%04x needs a channel that %s lacks",
                         format, info->name);
            return false;
        }
    }
    if (!need) {
        es_set_error(ctx, GL_INVALID_OPERATION, "format 0x%04x cannot be copied to", format);
        return false;
    }
    return true;
}

/* Copies the part of a framebuffer rectangle that exists into a level at (dst_x, dst_y, dst_z). */
static void texcopy_pixels(struct es_context *ctx, struct rn_image *dst, GLint dst_x, GLint dst_y,
                           GLint dst_z, GLint x, GLint y, GLsizei width, GLsizei height) {
    uint32_t slice;
    struct rn_image *src = es_framebuffer_read_image(ctx, &slice);
    if (!src) {
        return;
    }
    int64_t x0 = x > 0 ? x : 0;
    int64_t y0 = y > 0 ? y : 0;
    int64_t x1 = (int64_t)x + width;
    int64_t y1 = (int64_t)y + height;
    x1 = x1 > (int64_t)src->width ? (int64_t)src->width : x1;
    y1 = y1 > (int64_t)src->height ? (int64_t)src->height : y1;
    if (x1 > x0 && y1 > y0) {
        struct rn_box box = {(int32_t)x0,         (int32_t)y0,         (int32_t)slice,
                             (uint32_t)(x1 - x0), (uint32_t)(y1 - y0), 1};
        rn_image_copy(dst, dst_x + (int32_t)(x0 - x), dst_y + (int32_t)(y0 - y), dst_z, src, &box);
    }
}

/* Copies within one image (a level copied into itself) go through a second image. */
static void texcopy_into_level(struct es_context *ctx, struct es_texture *texture,
                               struct es_level *level, const struct es_region *r, GLint x,
                               GLint y) {
    if (!r->width || !r->height || !es_run_pending(ctx) ||
        !es_teximage_make_writable(ctx, texture, level)) {
        return;
    }
    uint32_t slice;
    struct rn_image *src = es_framebuffer_read_image(ctx, &slice);
    if (src != level->image) {
        texcopy_pixels(ctx, level->image, r->x, r->y, r->z, x, y, r->width, r->height);
        return;
    }
    struct rn_image *copy =
        rn_image_create((enum rn_format)src->format, (uint32_t)r->width, (uint32_t)r->height, 1, 1);
    if (!copy) {
        es_out_of_memory(ctx);
        return;
    }
    struct rn_box box = {r->x, r->y, r->z, (uint32_t)r->width, (uint32_t)r->height, 1};
    rn_image_copy(copy, 0, 0, 0, level->image, &box);
    texcopy_pixels(ctx, copy, 0, 0, 0, x, y, r->width, r->height);
    box = (struct rn_box){0, 0, 0, (uint32_t)r->width, (uint32_t)r->height, 1};
    rn_image_copy(level->image, r->x, r->y, r->z, copy, &box);
    rn_image_unref(copy);
}

void es_copy_tex_image_2d(struct es_context *ctx, GLenum target, GLint level, GLenum internalformat,
                          GLint x, GLint y, GLsizei width, GLsizei height, GLint border) {
    unsigned face;
    struct es_texture *texture = es_texture_image_target(ctx, target, 2, &face);
    if (!texture) {
        return;
    }
    const struct es_compressed_format *compressed = es_compressed_find(internalformat);
    if (compressed && compressed->partial) {
        internalformat = compressed->base;
    }
    const struct es_sized_format *sized = es_sized_find(internalformat, ES_SIZED_TEXIMAGE);
    if (sized && texcopy_channels(sized->format)) {
        internalformat = sized->format; /* OES_required_internalformat */
    }
    if (!texcopy_channels(internalformat)) {
        es_set_error(
            ctx, es_texformat_is_format(internalformat) ? GL_INVALID_OPERATION : GL_INVALID_ENUM,
            "internal format 0x%04x", internalformat);
        return;
    }
    if (!es_teximage_check_size(ctx, texture, level, width, height, 1, border) ||
        !texcopy_check_source(ctx, internalformat)) {
        return;
    }
    /* Half-float framebuffers give half-float textures; everything else 8 bits a channel. */
    const struct rn_format_info *info = rn_format_info(es_framebuffer_read_format(ctx));
    bool is_float = info->kind == RN_KIND_FLOAT && internalformat != GL_BGRA_EXT && !compressed;
    const struct es_texformat *format =
        es_texformat_find(internalformat, is_float ? GL_HALF_FLOAT_OES : GL_UNSIGNED_BYTE);
    if (!es_run_pending(ctx)) {
        return;
    }
    /* The source may be this very level, which is about to be replaced. */
    uint32_t slice;
    struct rn_image *src = es_framebuffer_read_image(ctx, &slice);
    struct rn_image *fresh = NULL;
    if (width && height) {
        fresh = src ? rn_image_create((enum rn_format)format->storage, (uint32_t)width,
                                      (uint32_t)height, 1, 1)
                    : NULL;
        if (!fresh) {
            es_out_of_memory(ctx);
            return;
        }
        texcopy_pixels(ctx, fresh, 0, 0, 0, x, y, width, height);
    }
    es_teximage_orphan(ctx, texture);
    struct es_level *l = es_texture_level(texture, face, (unsigned)level);
    es_level_clear(l);
    *l = (struct es_level){.defined = true,
                           .format = format,
                           .compressed = compressed ? compressed->format : 0,
                           .width = (uint32_t)width,
                           .height = (uint32_t)height,
                           .depth = 1,
                           .image = fresh};
    es_texture_changed(ctx->share, texture);
}

static void texcopy_sub(struct es_context *ctx, GLenum target, unsigned dims, GLint level,
                        const struct es_region *region, GLint x, GLint y) {
    unsigned face;
    struct es_texture *texture = es_texture_image_target(ctx, target, dims, &face);
    if (!texture) {
        return;
    }
    struct es_level *l = es_teximage_check_region(ctx, texture, face, level, region);
    if (!l) {
        return;
    }
    if (!es_teximage_check_blocks(ctx, l, region)) {
        return;
    }
    if (texcopy_check_source(ctx, l->format->format)) {
        texcopy_into_level(ctx, texture, l, region, x, y);
    }
}

void es_copy_tex_sub_image_2d(struct es_context *ctx, GLenum target, GLint level, GLint xoffset,
                              GLint yoffset, GLint x, GLint y, GLsizei width, GLsizei height) {
    const struct es_region region = {xoffset, yoffset, 0, width, height, 1};
    texcopy_sub(ctx, target, 2, level, &region, x, y);
}

void es_copy_tex_sub_image_3d(struct es_context *ctx, GLenum target, GLint level, GLint xoffset,
                              GLint yoffset, GLint zoffset, GLint x, GLint y, GLsizei width,
                              GLsizei height) {
    const struct es_region region = {xoffset, yoffset, zoffset, width, height, 1};
    texcopy_sub(ctx, target, 3, level, &region, x, y);
}

/* ---- mipmaps --------------------------------------------------------------------------------- */

static uint32_t texcopy_half(uint32_t size) {
    return size > 1 ? size / 2 : 1;
}

/* SPEC: ES 2.0.25 3.7.11 and the extensions that bring depth, sRGB and compressed formats. */
static bool texcopy_check_mipmap(struct es_context *ctx, const struct es_texture *texture) {
    const struct es_level *base = es_texture_level(texture, 0, 0);
    for (unsigned face = 0; face < texture->faces; face++) {
        const struct es_level *level = es_texture_level(texture, face, 0);
        if (!level->defined || !level->image || level->format != base->format ||
            level->width != base->width || level->height != base->height ||
            (texture->faces > 1 && level->width != level->height)) {
            es_set_error(ctx, GL_INVALID_OPERATION,
                         "level 0 is not defined, or the cube is not complete");
            return false;
        }
        if (level->compressed) {
            es_set_error(ctx, GL_INVALID_OPERATION, "level 0 is compressed");
            return false;
        }
    }
    const struct rn_format_info *info = rn_format_info((enum rn_format)base->image->format);
    if (info->kind == RN_KIND_DEPTH || info->kind == RN_KIND_SRGB) {
        es_set_error(ctx, GL_INVALID_OPERATION, "no mipmaps are generated for %s", info->name);
        return false;
    }
    return true;
}

void es_generate_mipmap(struct es_context *ctx, GLenum target) {
    struct es_texture *texture = es_texture_bound(ctx, target);
    if (!texture || !texcopy_check_mipmap(ctx, texture) || !es_run_pending(ctx)) {
        return;
    }
    const struct es_level *base = es_texture_level(texture, 0, 0);
    uint32_t w = base->width;
    uint32_t h = base->height;
    uint32_t d = base->depth;
    for (unsigned level = 1; w > 1 || h > 1 || d > 1; level++) {
        if ((texture->immutable && level >= texture->immutable_levels) ||
            (GLint)level > texture->max_level) {
            break;
        }
        w = texcopy_half(w);
        h = texcopy_half(h);
        d = texcopy_half(d);
        for (unsigned face = 0; face < texture->faces; face++) {
            struct es_level *l = es_texture_level(texture, face, level);
            bool fits = l->defined && l->image && l->format == base->format && l->width == w &&
                        l->height == h && l->depth == d && !l->compressed;
            if (!(fits ? es_teximage_make_writable(ctx, texture, l)
                       : es_teximage_allocate(ctx, texture, face, level, base->format, w, h, d))) {
                return;
            }
            rn_image_downsample(l->image, es_texture_level(texture, face, level - 1)->image);
        }
    }
    es_texture_changed(ctx->share, texture);
}
