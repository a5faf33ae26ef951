/* SPDX-License-Identifier: MIT */
/*
 * glTexImage and glTexSubImage, two- and three-dimensional: checks in the order of ES 2.0.25 3.7.1
 * and 3.7.2, storage, and upload through the pixel store. A redefined level gets fresh storage, so
 * that a pending scene keeps what it samples and nothing has to be flushed.
 */
#include "api/teximage.h"

#include <string.h>

#include "api/entry.h"
#include "renderer/transfer.h"

uint32_t es_teximage_max_size(unsigned index) {
    return index == ES_TEX_3D ? RN_MAX_3D_SIZE : RN_MAX_SIZE;
}

uint32_t es_teximage_max_level(unsigned index) {
    uint32_t level = 0;
    while ((es_teximage_max_size(index) >> level) > 1) {
        level++;
    }
    return level;
}

/* ---- checks ---------------------------------------------------------------------------------- */

bool es_teximage_check_size(struct es_context *ctx, const struct es_texture *texture, GLint level,
                            GLsizei width, GLsizei height, GLsizei depth, GLint border) {
    if (level < 0 || (uint32_t)level > es_teximage_max_level(texture->index)) {
        es_set_error(ctx, GL_INVALID_VALUE, "level %d", level);
        return false;
    }
    uint32_t max = es_teximage_max_size(texture->index) >> level;
    if (width < 0 || height < 0 || depth < 0 || (uint32_t)width > max || (uint32_t)height > max ||
        (texture->index == ES_TEX_3D && (uint32_t)depth > max)) {
        es_set_error(ctx, GL_INVALID_VALUE, "size %d x %d x %d at level %d", width, height, depth,
                     level);
        return false;
    }
    if (texture->index == ES_TEX_CUBE && width != height) {
        es_set_error(ctx, GL_INVALID_VALUE, "cube face of %d x %d", width, height);
        return false;
    }
    if (border != 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "border %d", border);
        return false;
    }
    if (texture->immutable) {
        es_set_error(ctx, GL_INVALID_OPERATION, "the texture is immutable");
        return false;
    }
    return true;
}

struct es_level *es_teximage_check_region(struct es_context *ctx, const struct es_texture *texture,
                                          unsigned face, GLint number, const struct es_region *r) {
    if (number < 0 || (uint32_t)number > es_teximage_max_level(texture->index)) {
        es_set_error(ctx, GL_INVALID_VALUE, "level %d", number);
        return NULL;
    }
    if (r->x < 0 || r->y < 0 || r->z < 0 || r->width < 0 || r->height < 0 || r->depth < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "negative offset or size");
        return NULL;
    }
    struct es_level *level = es_texture_level(texture, face, (unsigned)number);
    if (!level->defined) {
        es_set_error(ctx, GL_INVALID_OPERATION, "level %d is not defined", number);
        return NULL;
    }
    if ((uint64_t)r->x + (uint64_t)r->width > level->width ||
        (uint64_t)r->y + (uint64_t)r->height > level->height ||
        (uint64_t)r->z + (uint64_t)r->depth > level->depth) {
        es_set_error(ctx, GL_INVALID_VALUE, "region leaves the level of %u x %u x %u", level->width,
                     level->height, level->depth);
        return NULL;
    }
    return level;
}

bool es_teximage_check_blocks(struct es_context *ctx, const struct es_level *level,
                              const struct es_region *r) {
    if (!level->compressed) {
        return true;
    }
    bool whole = r->x % 4 == 0 && r->y % 4 == 0 &&
                 (r->width % 4 == 0 || (uint32_t)(r->x + r->width) == level->width) &&
                 (r->height % 4 == 0 || (uint32_t)(r->y + r->height) == level->height);
    if (!es_compressed_find(level->compressed)->partial || !whole) {
        es_set_error(ctx, GL_INVALID_OPERATION,
                     "offset %d %d, size %d x %d of a level of format 0x%04x", r->x, r->y, r->width,
                     r->height, level->compressed);
        return false;
    }
    return true;
}

static void teximage_enum_error(struct es_context *ctx, GLenum format, GLenum type) {
    const struct es_enum_check checks[] = {{"format", format, es_texformat_is_format(format)}, {"type", type, false}};
    es_set_enum_error(ctx, checks);
}

/* Format and type of an upload; NULL and an error if they are unknown or do not go together. */
static const struct es_texformat *teximage_check_format(struct es_context *ctx, GLenum format,
                                                        GLenum type) {
    if (!es_texformat_is_format(format) || !es_texformat_is_type(type)) {
        teximage_enum_error(ctx, format, type);
        return NULL;
    }
    const struct es_texformat *row = es_texformat_find(format, type);
    if (!row) {
        es_set_error(ctx, GL_INVALID_OPERATION, "format 0x%04x with type 0x%04x", format, type);
    }
    return row;
}

static bool teximage_is_depth(GLenum format) {
    return format == GL_DEPTH_COMPONENT || format == GL_DEPTH_STENCIL_OES;
}

/* ---- storage --------------------------------------------------------------------------------- */

void es_teximage_orphan(struct es_context *ctx, struct es_texture *texture) {
    es_texture_release_surface(ctx->share, texture);
    texture->egl_sibling = false;
}

bool es_teximage_allocate(struct es_context *ctx, struct es_texture *texture, unsigned face,
                          unsigned number, const struct es_texformat *format, uint32_t width,
                          uint32_t height, uint32_t depth) {
    struct es_level fresh = {
        .defined = true, .format = format, .width = width, .height = height, .depth = depth};
    if (width && height && depth) {
        fresh.image = rn_image_create((enum rn_format)format->storage, width, height, depth, 1);
        if (format->stencil && fresh.image) {
            fresh.stencil = rn_image_create(RN_FORMAT_S8, width, height, depth, 1);
        }
        if (!fresh.image || (format->stencil && !fresh.stencil)) {
            rn_image_unref(fresh.image);
            es_out_of_memory(ctx);
            return false;
        }
    }
    struct es_level *level = es_texture_level(texture, face, number);
    es_level_clear(level);
    *level = fresh;
    es_texture_changed(ctx->share, texture);
    return true;
}

bool es_teximage_make_writable(struct es_context *ctx, struct es_texture *texture,
                               struct es_level *level) {
    if (level->shared) {
        /* Siblings must see the write: never replaced by a copy. */
        return es_run_pending(ctx);
    }
    struct rn_image *before[2] = {level->image, level->stencil};
    bool ok = rn_image_make_writable(ctx->renderer, &level->image) &&
              (!level->stencil || rn_image_make_writable(ctx->renderer, &level->stencil));
    if (level->image != before[0] || level->stencil != before[1]) {
        es_texture_changed(ctx->share, texture);
    }
    if (!ok) {
        es_out_of_memory(ctx);
    }
    es_check_fault(ctx);
    return ok && !ctx->lost;
}

/* Uploads client pixels into a region of a level, which is writable. */
static void teximage_upload(struct es_context *ctx, struct es_level *level,
                            const struct es_region *region, const struct es_texformat *client,
                            const void *pixels) {
    const struct es_state *s = &ctx->state;
    enum rn_layout layout = (enum rn_layout)client->layout;
    size_t stride =
        es_row_stride(layout, (uint32_t)region->width, s->unpack_row_length, s->unpack_alignment);
    const uint8_t *first = (const uint8_t *)pixels + (size_t)s->unpack_skip_rows * stride +
                           (size_t)s->unpack_skip_pixels * rn_layout_bytes(layout);
    struct rn_box box = {region->x,
                         region->y,
                         region->z,
                         (uint32_t)region->width,
                         (uint32_t)region->height,
                         (uint32_t)region->depth};
    rn_transfer_write(ctx->renderer, level->image, &box, layout, first, stride,
                      stride * (size_t)region->height);
    if (level->stencil && layout == RN_LAYOUT_DS_U24_8) {
        rn_image_write(level->stencil, &box, layout, first, stride,
                       stride * (size_t)region->height);
    }
}

/*
 * True if the level's own storage can take a whole new image at once: same shape, in no pending
 * scene.
 */
static bool teximage_can_reuse(const struct es_level *level, const struct es_texformat *format,
                               uint32_t width, uint32_t height, uint32_t depth) {
    return level->defined && !level->shared && !level->stencil && level->format == format &&
           level->image && !level->compressed && level->width == width && level->height == height &&
           level->depth == depth &&
           __atomic_load_n(&level->image->scene_uses, __ATOMIC_ACQUIRE) == 0;
}

/* ---- entry points ---------------------------------------------------------------------------- */

struct teximage_call {
    unsigned dims;
    GLenum target;
    GLint level;
    GLenum internal_format;
    GLint border;
    struct es_region region;
    GLenum format, type;
    const void *pixels;
};

/*
 * OES_required_internalformat, table 3.4: client types that a sized format takes beside its own. The
 * texture is then stored as the client has it, which is more than the format promises.
 */
static bool teximage_sized_fits(const struct es_sized_format *sized, GLenum format, GLenum type) {
    if (sized->format != format) {
        return false;
    }
    switch (sized->sized) {
    case GL_RGBA4:
    case GL_RGB5_A1:
    case GL_RGB565: return type == sized->type || type == GL_UNSIGNED_BYTE;
    case GL_DEPTH_COMPONENT16: return type == sized->type || type == GL_UNSIGNED_INT;
    default: return type == sized->type;
    }
}

static void teximage_define(struct es_context *ctx, const struct teximage_call *call) {
    unsigned face;
    struct es_texture *texture = es_texture_image_target(ctx, call->target, call->dims, &face);
    if (!texture) {
        return;
    }
    if (!es_texformat_is_format(call->format) || !es_texformat_is_type(call->type)) {
        teximage_enum_error(ctx, call->format, call->type);
        return;
    }
    const struct es_sized_format *sized = es_sized_find(call->internal_format, ES_SIZED_TEXIMAGE);
    const struct es_compressed_format *compressed =
        call->dims == 2 ? es_compressed_find(call->internal_format) : NULL;
    if (!sized && !(compressed && compressed->partial) &&
        !es_texformat_is_format(call->internal_format)) {
        es_set_error(ctx, GL_INVALID_VALUE, "internal format 0x%04x", call->internal_format);
        return;
    }
    const struct es_region *r = &call->region;
    if (!es_teximage_check_size(ctx, texture, call->level, r->width, r->height, r->depth,
                                call->border)) {
        return;
    }
    bool fits = sized        ? teximage_sized_fits(sized, call->format, call->type)
                : compressed ? call->format == GL_RGB || call->format == GL_RGBA
                             : call->internal_format == call->format;
    if (!fits) {
        es_set_error(ctx, GL_INVALID_OPERATION, "internal format 0x%04x is not format 0x%04x",
                     call->internal_format, call->format);
        return;
    }
    const struct es_texformat *format = teximage_check_format(ctx, call->format, call->type);
    if (!format) {
        return;
    }
    if (teximage_is_depth(call->format) && texture->index != ES_TEX_2D) {
        es_set_error(ctx, GL_INVALID_OPERATION, "depth textures are two-dimensional");
        return;
    }
    const struct es_texformat *client = format;
    if (compressed) {
        format = es_texformat_find(compressed->base, GL_UNSIGNED_BYTE);
    }
    es_teximage_orphan(ctx, texture);
    struct es_level *level = es_texture_level(texture, face, (unsigned)call->level);
    bool reuse = call->pixels && !compressed && teximage_can_reuse(level, format, (uint32_t)r->width,
                                                    (uint32_t)r->height, (uint32_t)r->depth);
    if (!reuse &&
        !es_teximage_allocate(ctx, texture, face, (unsigned)call->level, format, (uint32_t)r->width,
                              (uint32_t)r->height, (uint32_t)r->depth)) {
        return;
    }
    level->compressed = compressed ? compressed->format : 0;
    if (call->pixels && level->image) {
        teximage_upload(ctx, level, r, client, call->pixels);
    }
}

void es_tex_image_2d(struct es_context *ctx, GLenum target, GLint level, GLint internalformat,
                     GLsizei width, GLsizei height, GLint border, GLenum format, GLenum type,
                     const void *pixels) {
    const struct teximage_call call = {
        2,      target, level, (GLenum)internalformat, border, {0, 0, 0, width, height, 1},
        format, type,   pixels};
    teximage_define(ctx, &call);
}

void es_tex_image_3d(struct es_context *ctx, GLenum target, GLint level, GLenum internalformat,
                     GLsizei width, GLsizei height, GLsizei depth, GLint border, GLenum format,
                     GLenum type, const void *pixels) {
    const struct teximage_call call = {
        3,      target, level, internalformat, border, {0, 0, 0, width, height, depth},
        format, type,   pixels};
    teximage_define(ctx, &call);
}

static void teximage_update(struct es_context *ctx, const struct teximage_call *call) {
    unsigned face;
    struct es_texture *texture = es_texture_image_target(ctx, call->target, call->dims, &face);
    if (!texture) {
        return;
    }
    const struct es_texformat *client = teximage_check_format(ctx, call->format, call->type);
    if (!client) {
        return;
    }
    struct es_level *level =
        es_teximage_check_region(ctx, texture, face, call->level, &call->region);
    if (!level) {
        return;
    }
    bool fits = level->compressed ? call->format == GL_RGB || call->format == GL_RGBA
                                  : level->format->format == call->format;
    if (!fits) {
        es_set_error(ctx, GL_INVALID_OPERATION, "format 0x%04x for a level of format 0x%04x",
                     call->format, level->format->format);
        return;
    }
    if (!es_teximage_check_blocks(ctx, level, &call->region)) {
        return;
    }
    const struct es_region *r = &call->region;
    if (!call->pixels || !r->width || !r->height || !r->depth) {
        return;
    }
    if (es_teximage_make_writable(ctx, texture, level)) {
        teximage_upload(ctx, level, r, client, call->pixels);
    }
}

void es_tex_sub_image_2d(struct es_context *ctx, GLenum target, GLint level, GLint xoffset,
                         GLint yoffset, GLsizei width, GLsizei height, GLenum format, GLenum type,
                         const void *pixels) {
    const struct teximage_call call = {
        2, target, level, 0, 0, {xoffset, yoffset, 0, width, height, 1}, format, type, pixels};
    teximage_update(ctx, &call);
}

void es_tex_sub_image_3d(struct es_context *ctx, GLenum target, GLint level, GLint xoffset,
                         GLint yoffset, GLint zoffset, GLsizei width, GLsizei height, GLsizei depth,
                         GLenum format, GLenum type, const void *pixels) {
    const struct teximage_call call = {
        3,      target, level, 0, 0, {xoffset, yoffset, zoffset, width, height, depth},
        format, type,   pixels};
    teximage_update(ctx, &call);
}
