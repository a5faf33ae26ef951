/* SPDX-License-Identifier: MIT */
/*
 * Framebuffer objects: names, attachments, queries. Completeness and the images behind a
 * framebuffer are in fbostatus.c. Framebuffers belong to one context; what is attached is shared.
 */
#include <stdlib.h>
#include <string.h>

#include "api/entry.h"
#include "api/state.h"

static void framebuffer_changed(struct es_context *ctx, struct es_framebuffer *framebuffer) {
    framebuffer->checked = false;
    ctx->dirty |= ES_DIRTY_FRAMEBUFFER;
}

void es_attachment_clear(struct es_attachment *attachment) {
    es_texture_unref(attachment->texture);
    es_renderbuffer_unref(attachment->renderbuffer);
    rn_image_unref(attachment->multisample);
    *attachment = (struct es_attachment){.type = GL_NONE};
}

void es_framebuffer_destroy(struct es_framebuffer *framebuffer) {
    for (unsigned i = 0; i < ES_ATTACH_COUNT; i++) {
        es_attachment_clear(&framebuffer->attachments[i]);
    }
    free(framebuffer->label);
    free(framebuffer);
}

/* ---- names ----------------------------------------------------------------------------------- */

void es_gen_framebuffers(struct es_context *ctx, GLsizei n, GLuint *framebuffers) {
    if (n < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "negative count %d", n);
    } else if (!es_names_generate(&ctx->framebuffers, n, framebuffers)) {
        es_out_of_memory(ctx);
    }
}

void es_bind_framebuffer(struct es_context *ctx, GLenum target, GLuint name) {
    if (target != GL_FRAMEBUFFER) {
        es_set_error(ctx, GL_INVALID_ENUM, "target 0x%04x", target);
        return;
    }
    struct es_framebuffer *framebuffer = &ctx->default_framebuffer;
    if (name) {
        framebuffer = es_names_find(&ctx->framebuffers, name);
        if (!framebuffer) {
            framebuffer = calloc(1, sizeof *framebuffer);
            if (!framebuffer || !es_names_set(&ctx->framebuffers, name, framebuffer)) {
                free(framebuffer);
                es_out_of_memory(ctx);
                return;
            }
            framebuffer->name = name;
            framebuffer->draw_buffers[0] = GL_COLOR_ATTACHMENT0;
        }
    }
    if (ctx->framebuffer != framebuffer) {
        es_msaa_resolve(ctx, ctx->framebuffer);
        ctx->framebuffer = framebuffer;
        ctx->dirty |= ES_DIRTY_FRAMEBUFFER;
    }
}

void es_delete_framebuffers(struct es_context *ctx, GLsizei n, const GLuint *framebuffers) {
    if (n < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "negative count %d", n);
        return;
    }
    for (GLsizei i = 0; i < n; i++) {
        struct es_framebuffer *framebuffer = es_names_find(&ctx->framebuffers, framebuffers[i]);
        es_names_remove(&ctx->framebuffers, framebuffers[i]);
        if (!framebuffer) {
            continue;
        }
        if (ctx->framebuffer == framebuffer) {
            es_msaa_resolve(ctx, framebuffer);
            ctx->framebuffer = &ctx->default_framebuffer;
        }
        ctx->dirty |= ES_DIRTY_FRAMEBUFFER;
        es_framebuffer_destroy(framebuffer);
    }
}

GLboolean es_is_framebuffer(struct es_context *ctx, GLuint framebuffer) {
    return es_names_find(&ctx->framebuffers, framebuffer) != NULL;
}

/* ---- attachments ----------------------------------------------------------------------------- */

/* Index of an attachment point, -1 and GL_INVALID_ENUM for a bad one. */
static int framebuffer_point(struct es_context *ctx, GLenum attachment) {
    if (attachment >= GL_COLOR_ATTACHMENT0 && attachment < GL_COLOR_ATTACHMENT0 + ES_MAX_COLORS) {
        return (int)(attachment - GL_COLOR_ATTACHMENT0);
    }
    if (attachment == GL_DEPTH_ATTACHMENT) {
        return ES_ATTACH_DEPTH;
    }
    if (attachment == GL_STENCIL_ATTACHMENT) {
        return ES_ATTACH_STENCIL;
    }
    es_set_error(ctx, GL_INVALID_ENUM, "attachment point 0x%04x", attachment);
    return -1;
}

static bool framebuffer_is_user(struct es_context *ctx) {
    if (ctx->framebuffer == &ctx->default_framebuffer) {
        es_set_error(ctx, GL_INVALID_OPERATION, "the default framebuffer is bound");
        return false;
    }
    return true;
}

static void framebuffer_attach(struct es_context *ctx, int point,
                               const struct es_attachment *value) {
    struct es_attachment *slot = &ctx->framebuffer->attachments[point];
    struct es_attachment fresh = *value;
    es_texture_ref(fresh.texture);
    es_renderbuffer_ref(fresh.renderbuffer);
    es_msaa_resolve(ctx, ctx->framebuffer);
    es_attachment_clear(slot);
    *slot = fresh;
    framebuffer_changed(ctx, ctx->framebuffer);
}

void es_framebuffer_renderbuffer(struct es_context *ctx, GLenum target, GLenum attachment,
                                 GLenum renderbuffertarget, GLuint name) {
    if (target != GL_FRAMEBUFFER || (renderbuffertarget != GL_RENDERBUFFER && name)) {
        const struct es_enum_check checks[] = {{"target", target, target == GL_FRAMEBUFFER},
                                               {"renderbuffer target", renderbuffertarget, false}};
        es_set_enum_error(ctx, checks);
        return;
    }
    int point = framebuffer_point(ctx, attachment);
    if (point < 0) {
        return;
    }
    struct es_renderbuffer *renderbuffer = NULL;
    if (name) {
        renderbuffer = es_names_find(&ctx->share->renderbuffers, name);
        if (!renderbuffer) {
            es_set_error(ctx, GL_INVALID_OPERATION, "%u is no renderbuffer", name);
            return;
        }
    }
    if (framebuffer_is_user(ctx)) {
        framebuffer_attach(ctx, point,
                           &(struct es_attachment){.type = renderbuffer ? GL_RENDERBUFFER : GL_NONE,
                                                   .renderbuffer = renderbuffer});
    }
}

static void framebuffer_texture(struct es_context *ctx, unsigned dims, GLenum target,
                                GLenum attachment, GLenum textarget, GLuint name, GLint level,
                                GLint z_offset, GLsizei samples) {
    if (target != GL_FRAMEBUFFER) {
        es_set_error(ctx, GL_INVALID_ENUM, "target 0x%04x", target);
        return;
    }
    int point = framebuffer_point(ctx, attachment);
    if (point < 0) {
        return;
    }
    struct es_attachment value = {.type = GL_NONE};
    if (name) {
        unsigned face;
        if (!es_texture_image_target(ctx, textarget, dims, &face)) {
            return;
        }
        struct es_texture *texture = es_names_find(&ctx->share->textures, name);
        bool cube = dims == 2 && textarget != GL_TEXTURE_2D;
        if (!texture || texture->target != (cube ? (GLenum)GL_TEXTURE_CUBE_MAP : textarget)) {
            es_set_error(ctx, GL_INVALID_OPERATION, "%u is no texture with target 0x%04x", name,
                         textarget);
            return;
        }
        GLint max_level = dims == 3 ? 9 : RN_MAX_LEVELS - 1;
        if (level < 0 || level > max_level || z_offset < 0 || z_offset >= RN_MAX_3D_SIZE) {
            es_set_error(ctx, GL_INVALID_VALUE, "level %d, layer %d", level, z_offset);
            return;
        }
        value = (struct es_attachment){.type = GL_TEXTURE,
                                       .texture = texture,
                                       .face = (uint8_t)face,
                                       .level = (uint8_t)level,
                                       .layer = (uint32_t)z_offset};
        int count = es_msaa_samples(ctx, samples);
        if (count < 0) {
            return;
        }
        value.samples = (uint8_t)count;
        value.stale = true;
    }
    if (framebuffer_is_user(ctx)) {
        framebuffer_attach(ctx, point, &value);
    }
}

void es_framebuffer_texture_2d(struct es_context *ctx, GLenum target, GLenum attachment,
                               GLenum textarget, GLuint texture, GLint level) {
    framebuffer_texture(ctx, 2, target, attachment, textarget, texture, level, 0, 0);
}

void es_framebuffer_texture_3d(struct es_context *ctx, GLenum target, GLenum attachment,
                               GLenum textarget, GLuint texture, GLint level, GLint zoffset) {
    framebuffer_texture(ctx, 3, target, attachment, textarget, texture, level, zoffset, 0);
}

/* EXT_multisampled_render_to_texture: only the first colour attachment. */
void es_framebuffer_texture_2d_multisample(struct es_context *ctx, GLenum target, GLenum attachment,
                                           GLenum textarget, GLuint texture, GLint level,
                                           GLsizei samples) {
    if (attachment != GL_COLOR_ATTACHMENT0) {
        es_set_error(ctx, GL_INVALID_ENUM, "attachment point 0x%04x", attachment);
        return;
    }
    framebuffer_texture(ctx, 2, target, attachment, textarget, texture, level, 0, samples);
}

void es_framebuffer_detach_texture(struct es_context *ctx, struct es_texture *texture) {
    for (unsigned i = 0; i < ES_ATTACH_COUNT; i++) {
        if (ctx->framebuffer->attachments[i].texture == texture) {
            es_msaa_resolve(ctx, ctx->framebuffer);
            es_attachment_clear(&ctx->framebuffer->attachments[i]);
            framebuffer_changed(ctx, ctx->framebuffer);
        }
    }
}

void es_framebuffer_detach_renderbuffer(struct es_context *ctx,
                                        struct es_renderbuffer *renderbuffer) {
    for (unsigned i = 0; i < ES_ATTACH_COUNT; i++) {
        if (ctx->framebuffer->attachments[i].renderbuffer == renderbuffer) {
            es_attachment_clear(&ctx->framebuffer->attachments[i]);
            framebuffer_changed(ctx, ctx->framebuffer);
        }
    }
}

/* ---- queries --------------------------------------------------------------------------------- */

/* Queries whose answer depends on the image. False if pname is none of them. */
static bool framebuffer_image_parameter(const struct es_attachment *a, unsigned point, GLenum pname,
                                        GLint *params) {
    uint32_t slice;
    const struct rn_image *image = es_attachment_image(a, point, &slice);
    uint8_t kind =
        image ? rn_format_info((enum rn_format)image->format)->kind : (uint8_t)RN_KIND_UNORM;
    if (pname == GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING_EXT) {
        *params = kind == RN_KIND_SRGB ? GL_SRGB_EXT : GL_LINEAR;
        return true;
    }
    if (pname == GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE_EXT) {
        *params = kind == RN_KIND_FLOAT ? GL_FLOAT : GL_UNSIGNED_NORMALIZED_EXT;
        return true;
    }
    return false;
}

void es_get_framebuffer_attachment_parameteriv(struct es_context *ctx, GLenum target,
                                               GLenum attachment, GLenum pname, GLint *params) {
    if (target != GL_FRAMEBUFFER) {
        es_set_error(ctx, GL_INVALID_ENUM, "target 0x%04x", target);
        return;
    }
    int point = framebuffer_point(ctx, attachment);
    if (point < 0 || !framebuffer_is_user(ctx)) {
        return;
    }
    const struct es_attachment *a = &ctx->framebuffer->attachments[point];
    if (pname == GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE) {
        *params = (GLint)a->type;
        return;
    }
    if (a->type != GL_NONE) {
        if (pname == GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME) {
            *params = (GLint)(a->texture ? a->texture->name : a->renderbuffer->name);
            return;
        }
        if (framebuffer_image_parameter(a, (unsigned)point, pname, params)) {
            return;
        }
    }
    if (a->texture) {
        switch (pname) {
        case GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL: *params = a->level; return;
        case GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_CUBE_MAP_FACE:
            *params = a->texture->faces > 1 ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + a->face : 0;
            return;
        case GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_SAMPLES_EXT: *params = a->samples; return;
        case GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_3D_ZOFFSET_OES: *params = (GLint)a->layer; return;
        default: break;
        }
    }
    es_set_error(ctx, GL_INVALID_ENUM, "parameter 0x%04x", pname);
}

/* ---- draw buffers, discard ------------------------------------------------------------------- */

void es_draw_buffers(struct es_context *ctx, GLsizei n, const GLenum *bufs) {
    if (n < 0 || n > ES_MAX_COLORS) {
        es_set_error(ctx, GL_INVALID_VALUE, "%d buffers", n);
        return;
    }
    bool user = ctx->framebuffer != &ctx->default_framebuffer;
    for (GLsizei i = 0; i < n; i++) {
        bool attachment =
            bufs[i] >= GL_COLOR_ATTACHMENT0 && bufs[i] < GL_COLOR_ATTACHMENT0 + ES_MAX_COLORS;
        if (bufs[i] != GL_NONE && bufs[i] != GL_BACK && !attachment) {
            es_set_error(ctx, GL_INVALID_ENUM, "buffer 0x%04x", bufs[i]);
            return;
        }
        bool fits = user ? bufs[i] == GL_COLOR_ATTACHMENT0 + (GLenum)i : bufs[i] == GL_BACK;
        if (bufs[i] != GL_NONE && !fits) {
            es_set_error(ctx, GL_INVALID_OPERATION, "buffer 0x%04x at place %d", bufs[i], i);
            return;
        }
    }
    if (!user && n != 1) {
        es_set_error(ctx, GL_INVALID_OPERATION, "%d buffers for the default framebuffer", n);
        return;
    }
    for (GLsizei i = 0; i < ES_MAX_COLORS; i++) {
        ctx->framebuffer->draw_buffers[i] = i < n ? bufs[i] : GL_NONE;
    }
    ctx->dirty |= ES_DIRTY_FRAMEBUFFER;
}

void es_discard_framebuffer(struct es_context *ctx, GLenum target, GLsizei n,
                            const GLenum *attachments) {
    if (target != GL_FRAMEBUFFER) {
        es_set_error(ctx, GL_INVALID_ENUM, "target 0x%04x", target);
        return;
    }
    if (n < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "negative count %d", n);
        return;
    }
    bool user = ctx->framebuffer != &ctx->default_framebuffer;
    uint8_t colors = 0;
    bool depth = false;
    bool stencil = false;
    for (GLsizei i = 0; i < n; i++) {
        GLenum a = attachments[i];
        if (a == (user ? GL_DEPTH_ATTACHMENT : GL_DEPTH_EXT)) {
            depth = true;
        } else if (a == (user ? GL_STENCIL_ATTACHMENT : GL_STENCIL_EXT)) {
            stencil = true;
        } else if (!user && a == GL_COLOR_EXT) {
            colors |= 1;
        } else if (user && a >= GL_COLOR_ATTACHMENT0 && a < GL_COLOR_ATTACHMENT0 + ES_MAX_COLORS) {
            colors |= (uint8_t)(1u << (a - GL_COLOR_ATTACHMENT0));
        } else {
            es_set_error(ctx, GL_INVALID_ENUM, "attachment 0x%04x", a);
            return;
        }
    }
    if (es_framebuffer_status(ctx, ctx->framebuffer) == GL_FRAMEBUFFER_COMPLETE) {
        es_derive_target(ctx);
        rn_invalidate(ctx->renderer, &ctx->target, colors, depth, stencil);
    }
}
