/* SPDX-License-Identifier: MIT */
/* Renderbuffers: names, storage, queries. A packed depth-stencil renderbuffer holds two images. */
#include <stdlib.h>

#include "api/entry.h"
#include "api/state.h"

struct es_renderbuffer *es_renderbuffer_ref(struct es_renderbuffer *renderbuffer) {
    if (renderbuffer) {
        renderbuffer->refs++;
    }
    return renderbuffer;
}

void es_renderbuffer_unref(struct es_renderbuffer *renderbuffer) {
    if (renderbuffer && --renderbuffer->refs == 0) {
        rn_image_unref(renderbuffer->image);
        rn_image_unref(renderbuffer->stencil);
        rn_image_unref(renderbuffer->resolved);
        free(renderbuffer->label);
        free(renderbuffer);
    }
}

void es_gen_renderbuffers(struct es_context *ctx, GLsizei n, GLuint *renderbuffers) {
    if (n < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "negative count %d", n);
    } else if (!es_names_generate(&ctx->share->renderbuffers, n, renderbuffers)) {
        es_out_of_memory(ctx);
    }
}

static void renderbuffer_bind(struct es_context *ctx, struct es_renderbuffer *renderbuffer) {
    es_renderbuffer_ref(renderbuffer);
    es_renderbuffer_unref(ctx->renderbuffer);
    ctx->renderbuffer = renderbuffer;
}

void es_bind_renderbuffer(struct es_context *ctx, GLenum target, GLuint name) {
    if (target != GL_RENDERBUFFER) {
        es_set_error(ctx, GL_INVALID_ENUM, "target 0x%04x", target);
        return;
    }
    struct es_renderbuffer *renderbuffer = NULL;
    if (name) {
        renderbuffer = es_names_find(&ctx->share->renderbuffers, name);
        if (!renderbuffer) {
            renderbuffer = calloc(1, sizeof *renderbuffer);
            if (!renderbuffer || !es_names_set(&ctx->share->renderbuffers, name, renderbuffer)) {
                free(renderbuffer);
                es_out_of_memory(ctx);
                return;
            }
            renderbuffer->name = name;
            renderbuffer->refs = 1;
            renderbuffer->internal_format = GL_RGBA4;
        }
    }
    renderbuffer_bind(ctx, renderbuffer);
}

void es_delete_renderbuffers(struct es_context *ctx, GLsizei n, const GLuint *renderbuffers) {
    if (n < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "negative count %d", n);
        return;
    }
    for (GLsizei i = 0; i < n; i++) {
        struct es_renderbuffer *renderbuffer =
            es_names_find(&ctx->share->renderbuffers, renderbuffers[i]);
        es_names_remove(&ctx->share->renderbuffers, renderbuffers[i]);
        if (!renderbuffer) {
            continue;
        }
        if (ctx->renderbuffer == renderbuffer) {
            renderbuffer_bind(ctx, NULL);
        }
        es_framebuffer_detach_renderbuffer(ctx, renderbuffer);
        es_renderbuffer_unref(renderbuffer);
    }
}

GLboolean es_is_renderbuffer(struct es_context *ctx, GLuint renderbuffer) {
    return es_names_find(&ctx->share->renderbuffers, renderbuffer) != NULL;
}

static void renderbuffer_define(struct es_context *ctx, GLenum target, GLsizei samples,
                                GLenum internalformat, GLsizei width, GLsizei height) {
    if (target != GL_RENDERBUFFER) {
        es_set_error(ctx, GL_INVALID_ENUM, "target 0x%04x", target);
        return;
    }
    const struct es_sized_format *format = es_sized_find(internalformat, ES_SIZED_RENDERBUFFER);
    if (!format) {
        es_set_error(ctx, GL_INVALID_ENUM, "internal format 0x%04x", internalformat);
        return;
    }
    if (width < 0 || height < 0 || width > RN_MAX_SIZE || height > RN_MAX_SIZE) {
        es_set_error(ctx, GL_INVALID_VALUE, "size %d x %d", width, height);
        return;
    }
    struct es_renderbuffer *renderbuffer = ctx->renderbuffer;
    if (!renderbuffer) {
        es_set_error(ctx, GL_INVALID_OPERATION, "no renderbuffer is bound");
        return;
    }
    int count = es_msaa_samples(ctx, samples);
    if (count < 0) {
        return;
    }
    struct rn_image *image = NULL;
    struct rn_image *stencil = NULL;
    unsigned planes = count ? (unsigned)count : 1;
    if (width && height) {
        image = rn_image_create((enum rn_format)format->storage, (uint32_t)width, (uint32_t)height,
                                1, planes);
        if (format->stencil && image) {
            stencil = rn_image_create(RN_FORMAT_S8, (uint32_t)width, (uint32_t)height, 1, planes);
        }
        if (!image || (format->stencil && !stencil)) {
            rn_image_unref(image);
            es_out_of_memory(ctx);
            return;
        }
    }
    rn_image_unref(renderbuffer->image);
    rn_image_unref(renderbuffer->stencil);
    rn_image_unref(renderbuffer->resolved);
    renderbuffer->image = image;
    renderbuffer->stencil = stencil;
    renderbuffer->resolved = NULL;
    renderbuffer->samples = (uint8_t)count;
    renderbuffer->internal_format = internalformat;
    renderbuffer->width = (uint32_t)width;
    renderbuffer->height = (uint32_t)height;
    renderbuffer->shared = renderbuffer->egl_sibling = false;
    ctx->share->image_version++;
    ctx->dirty |= ES_DIRTY_FRAMEBUFFER;
}

void es_renderbuffer_storage(struct es_context *ctx, GLenum target, GLenum internalformat,
                             GLsizei width, GLsizei height) {
    renderbuffer_define(ctx, target, 0, internalformat, width, height);
}

void es_renderbuffer_storage_multisample(struct es_context *ctx, GLenum target, GLsizei samples,
                                         GLenum internalformat, GLsizei width, GLsizei height) {
    renderbuffer_define(ctx, target, samples, internalformat, width, height);
}

struct rn_image *es_renderbuffer_resolved(struct es_context *ctx,
                                          struct es_renderbuffer *renderbuffer) {
    struct rn_image *image = renderbuffer->image;
    if (!renderbuffer->resolved) {
        renderbuffer->resolved =
            rn_image_create((enum rn_format)image->format, image->width, image->height, 1, 1);
    }
    if (!renderbuffer->resolved) {
        es_out_of_memory(ctx);
        return NULL;
    }
    struct rn_box box = {0, 0, 0, image->width, image->height, 1};
    rn_image_resolve(ctx->renderer, renderbuffer->resolved, image, &box);
    return renderbuffer->resolved;
}

/* Bits of a channel: 0..3 colour, 4 depth, 5 stencil. */
static GLint renderbuffer_bits(const struct es_renderbuffer *renderbuffer, unsigned channel) {
    if (!renderbuffer->image) {
        return 0;
    }
    const struct rn_format_info *info = rn_format_info((enum rn_format)renderbuffer->image->format);
    switch (info->kind) {
    case RN_KIND_DEPTH:
        return channel == 4 ? info->bits[0] : channel == 5 && renderbuffer->stencil ? 8 : 0;
    case RN_KIND_STENCIL: return channel == 5 ? info->bits[0] : 0;
    default: return channel < 4 ? info->bits[channel] : 0;
    }
}

void es_get_renderbuffer_parameteriv(struct es_context *ctx, GLenum target, GLenum pname,
                                     GLint *params) {
    if (target != GL_RENDERBUFFER) {
        es_set_error(ctx, GL_INVALID_ENUM, "target 0x%04x", target);
        return;
    }
    if ((pname < GL_RENDERBUFFER_WIDTH || pname > GL_RENDERBUFFER_INTERNAL_FORMAT) &&
        (pname < GL_RENDERBUFFER_RED_SIZE || pname > GL_RENDERBUFFER_STENCIL_SIZE) &&
        pname != GL_RENDERBUFFER_SAMPLES_EXT) {
        es_set_error(ctx, GL_INVALID_ENUM, "parameter 0x%04x", pname);
        return;
    }
    const struct es_renderbuffer *renderbuffer = ctx->renderbuffer;
    if (!renderbuffer) {
        es_set_error(ctx, GL_INVALID_OPERATION, "no renderbuffer is bound");
        return;
    }
    switch (pname) {
    case GL_RENDERBUFFER_WIDTH: *params = (GLint)renderbuffer->width; break;
    case GL_RENDERBUFFER_HEIGHT: *params = (GLint)renderbuffer->height; break;
    case GL_RENDERBUFFER_INTERNAL_FORMAT: *params = (GLint)renderbuffer->internal_format; break;
    case GL_RENDERBUFFER_SAMPLES_EXT: *params = renderbuffer->samples; break;
    case GL_RENDERBUFFER_RED_SIZE: *params = renderbuffer_bits(renderbuffer, 0); break;
    case GL_RENDERBUFFER_GREEN_SIZE: *params = renderbuffer_bits(renderbuffer, 1); break;
    case GL_RENDERBUFFER_BLUE_SIZE: *params = renderbuffer_bits(renderbuffer, 2); break;
    case GL_RENDERBUFFER_ALPHA_SIZE: *params = renderbuffer_bits(renderbuffer, 3); break;
    case GL_RENDERBUFFER_DEPTH_SIZE: *params = renderbuffer_bits(renderbuffer, 4); break;
    default: *params = renderbuffer_bits(renderbuffer, 5); break;
    }
}
