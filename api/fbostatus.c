/* SPDX-License-Identifier: MIT */
/*
 * Completeness of framebuffers and the images behind them (ES 2.0.25 4.4.5). A status is kept until
 * an attachment changes or any image of the share group does. The default framebuffer takes its
 * images from the current surfaces; without surfaces it is GL_FRAMEBUFFER_UNDEFINED_OES.
 */
#include <string.h>

#include "api/entry.h"
#include "api/state.h"

struct rn_image *es_attachment_image(const struct es_attachment *a, unsigned point,
                                     uint32_t *slice) {
    struct rn_image *image = NULL;
    struct rn_image *stencil = NULL;
    *slice = 0;
    if (a->texture) {
        const struct es_level *level = es_texture_level(a->texture, a->face, a->level);
        if (!level->defined || level->compressed || a->layer >= level->depth) {
            return NULL;
        }
        image = level->image;
        stencil = level->stencil;
        *slice = a->layer;
    } else if (a->renderbuffer) {
        image = a->renderbuffer->image;
        stencil = a->renderbuffer->stencil;
    }
    if (point == ES_ATTACH_STENCIL && stencil) {
        image = stencil;
    }
    return image;
}

/* Does an image's format fit the attachment point? */
static bool fbo_is_renderable(const struct rn_image *image, unsigned point) {
    const struct rn_format_info *info = rn_format_info((enum rn_format)image->format);
    if (!(info->flags & RN_FMT_RENDER)) {
        return false;
    }
    switch (point) {
    case ES_ATTACH_DEPTH: return info->kind == RN_KIND_DEPTH;
    case ES_ATTACH_STENCIL: return info->kind == RN_KIND_STENCIL;
    default: return info->kind != RN_KIND_DEPTH && info->kind != RN_KIND_STENCIL;
    }
}

/*
 * Red and red-green textures of 32-bit floats: EXT_texture_rg leaves open whether they are renderable, so
 * they are a combination that is not supported rather than an attachment that is wrong.
 */
static bool fbo_is_unsupported(const struct rn_image *image, unsigned point) {
    return point < ES_MAX_COLORS && (image->format == RN_FORMAT_R32F || image->format == RN_FORMAT_RG32F);
}

/* Every byte is set: derive.c compares targets with memcmp. */
static void fbo_init_target(struct rn_framebuffer *target) {
    memset(target, 0, sizeof *target);
    target->samples = 1;
}

static GLenum fbo_check(struct es_framebuffer *framebuffer) {
    struct rn_framebuffer *target = &framebuffer->target;
    fbo_init_target(target);
    framebuffer->has_multisample = false;
    bool any = false;
    bool unsupported = false;
    for (unsigned i = 0; i < ES_ATTACH_COUNT; i++) {
        struct es_attachment *a = &framebuffer->attachments[i];
        if (a->type == GL_NONE) {
            continue;
        }
        uint32_t slice;
        struct rn_image *image = es_attachment_image(a, i, &slice);
        if (!image || (!fbo_is_renderable(image, i) && !fbo_is_unsupported(image, i))) {
            return GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT;
        }
        unsupported = unsupported || fbo_is_unsupported(image, i);
        if (any && (image->width != target->width || image->height != target->height)) {
            return GL_FRAMEBUFFER_INCOMPLETE_DIMENSIONS;
        }
        if (a->texture && a->samples && !unsupported) {
            image = es_msaa_image(a, image);
            if (!image) {
                return GL_FRAMEBUFFER_UNSUPPORTED;
            }
            framebuffer->has_multisample = true;
        }
        if (any && image->samples != target->samples) {
            return GL_FRAMEBUFFER_INCOMPLETE_MULTISAMPLE_EXT;
        }
        any = true;
        target->samples = image->samples;
        target->width = image->width;
        target->height = image->height;
        struct rn_attachment *place = i == ES_ATTACH_DEPTH     ? &target->depth
                                      : i == ES_ATTACH_STENCIL ? &target->stencil
                                                               : &target->color[i];
        place->image = image;
        place->slice = slice;
        if (i < ES_MAX_COLORS) {
            target->color_count = (uint8_t)(i + 1);
        }
    }
    if (unsupported) {
        return GL_FRAMEBUFFER_UNSUPPORTED;
    }
    return any ? GL_FRAMEBUFFER_COMPLETE : GL_FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT;
}

/* The default framebuffer's target from the draw surface. */
static GLenum fbo_check_default(struct es_context *ctx) {
    struct es_framebuffer *framebuffer = &ctx->default_framebuffer;
    const struct es_surface *surface = ctx->draw_surface;
    struct rn_framebuffer *target = &framebuffer->target;
    if (surface && target->color_count == 1 && target->width == surface->width && target->height == surface->height &&
        target->samples == surface->samples && target->color[0].image == surface->color &&
        target->depth.image == surface->depth && target->stencil.image == surface->stencil) {
        return GL_FRAMEBUFFER_COMPLETE; /* asked at every draw */
    }
    fbo_init_target(target);
    if (!surface) {
        return GL_FRAMEBUFFER_UNDEFINED_OES;
    }
    target->width = surface->width;
    target->height = surface->height;
    target->samples = surface->samples;
    target->color_count = 1;
    target->color[0].image = surface->color;
    target->depth.image = surface->depth;
    target->stencil.image = surface->stencil;
    return GL_FRAMEBUFFER_COMPLETE;
}

GLenum es_framebuffer_status(struct es_context *ctx, struct es_framebuffer *framebuffer) {
    if (framebuffer == &ctx->default_framebuffer) {
        return fbo_check_default(ctx);
    }
    if (!framebuffer->checked || framebuffer->image_version != ctx->share->image_version) {
        framebuffer->status = fbo_check(framebuffer);
        framebuffer->checked = true;
        framebuffer->image_version = ctx->share->image_version;
    }
    return framebuffer->status;
}

GLenum es_check_framebuffer_status(struct es_context *ctx, GLenum target) {
    if (target != GL_FRAMEBUFFER) {
        es_set_error(ctx, GL_INVALID_ENUM, "target 0x%04x", target);
        return 0;
    }
    return es_framebuffer_status(ctx, ctx->framebuffer);
}

bool es_framebuffer_require(struct es_context *ctx) {
    GLenum status = es_framebuffer_status(ctx, ctx->framebuffer);
    if (status != GL_FRAMEBUFFER_COMPLETE) {
        es_set_error(ctx, GL_INVALID_FRAMEBUFFER_OPERATION, "framebuffer %u has status 0x%04x",
                     ctx->framebuffer->name, status);
        return false;
    }
    return true;
}

const struct rn_framebuffer *es_framebuffer_target(struct es_context *ctx) {
    return &ctx->framebuffer->target;
}

/* ---- reading --------------------------------------------------------------------------------- */

static const struct es_surface *fbo_read_surface(const struct es_context *ctx) {
    return ctx->framebuffer == &ctx->default_framebuffer ? ctx->read_surface : NULL;
}

enum rn_format es_framebuffer_read_format(struct es_context *ctx) {
    const struct es_surface *surface = fbo_read_surface(ctx);
    if (surface) {
        return (enum rn_format)surface->color->format;
    }
    uint32_t slice;
    const struct rn_image *image =
        ctx->framebuffer == &ctx->default_framebuffer
            ? NULL
            : es_attachment_image(&ctx->framebuffer->attachments[0], 0, &slice);
    return image ? (enum rn_format)image->format : RN_FORMAT_NONE;
}

struct rn_image *es_framebuffer_read_image(struct es_context *ctx, uint32_t *slice) {
    *slice = 0;
    if (ctx->framebuffer != &ctx->default_framebuffer) {
        struct es_attachment *a = &ctx->framebuffer->attachments[0];
        es_msaa_resolve(ctx, ctx->framebuffer);
        if (a->renderbuffer && a->renderbuffer->samples && a->renderbuffer->image) {
            return es_renderbuffer_resolved(ctx, a->renderbuffer);
        }
        return es_attachment_image(a, 0, slice);
    }
    if (!ctx->read_surface) {
        return NULL;
    }
    struct rn_image *image = es_surface_pixels(ctx, ctx->read_surface);
    if (!image) {
        es_out_of_memory(ctx);
    }
    return image;
}

/* ---- facts for glGet ------------------------------------------------------------------------- */

GLint es_framebuffer_bits(struct es_context *ctx, unsigned channel) {
    if (es_framebuffer_status(ctx, ctx->framebuffer) != GL_FRAMEBUFFER_COMPLETE) {
        return 0;
    }
    const struct rn_framebuffer *target = es_framebuffer_target(ctx);
    const struct rn_image *image = channel < 4    ? target->color[0].image
                                   : channel == 4 ? target->depth.image
                                                  : target->stencil.image;
    if (!image) {
        return 0;
    }
    return rn_format_info((enum rn_format)image->format)->bits[channel < 4 ? channel : 0];
}

GLint es_framebuffer_samples(struct es_context *ctx) {
    if (es_framebuffer_status(ctx, ctx->framebuffer) != GL_FRAMEBUFFER_COMPLETE) {
        return 0;
    }
    return es_framebuffer_target(ctx)->samples > 1 ? es_framebuffer_target(ctx)->samples : 0;
}
