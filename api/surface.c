/* SPDX-License-Identifier: MIT */
/*
 * Surfaces (storage of default framebuffers) and pbuffers bound as textures. EGL owns surfaces; the
 * images in them are reference counted, so a pending scene may outlive a surface.
 */
#include "api/context.h"

#include <stdlib.h>

#include "api/state.h"

bool es_surface_init(struct es_surface *surface, enum rn_format color, enum rn_format depth,
                     bool stencil, unsigned samples, uint32_t width, uint32_t height) {
    *surface = (struct es_surface){
        .width = width, .height = height, .samples = (uint8_t)samples, .serial = 1};
    surface->color = rn_image_create(color, width, height, 1, samples);
    bool ok = surface->color != NULL;
    if (ok && depth != RN_FORMAT_NONE) {
        surface->depth = rn_image_create(depth, width, height, 1, samples);
        ok = surface->depth != NULL;
    }
    if (ok && stencil) {
        surface->stencil = rn_image_create(RN_FORMAT_S8, width, height, 1, samples);
        ok = surface->stencil != NULL;
    }
    if (!ok) {
        es_surface_fini(surface);
    }
    return ok;
}

/* The colours of 'old' in their place in the new, larger or smaller, surface. */
static bool surface_keep(struct es_context *ctx, struct es_surface *fresh, struct es_surface *old) {
    const uint32_t width = fresh->width < old->width ? fresh->width : old->width;
    const uint32_t height = fresh->height < old->height ? fresh->height : old->height;
    struct rn_image *from = es_surface_pixels(ctx, old);
    const struct rn_box box = {0, 0, 0, width, height, 1};
    if (!from) {
        return false;
    }
    if (fresh->samples <= 1) {
        rn_image_copy(fresh->color, 0, 0, 0, from, &box);
        return true;
    }
    fresh->resolved =
        rn_image_create((enum rn_format)from->format, fresh->width, fresh->height, 1, 1);
    if (!fresh->resolved) {
        return false;
    }
    rn_image_copy(fresh->resolved, 0, 0, 0, from, &box);
    rn_image_broadcast(ctx->renderer, fresh->color, fresh->resolved);
    return true;
}

bool es_surface_resize(struct es_context *ctx, struct es_surface *surface, uint32_t width,
                       uint32_t height) {
    struct es_surface fresh;
    enum rn_format depth = surface->depth ? (enum rn_format)surface->depth->format : RN_FORMAT_NONE;
    if (!es_run_pending(ctx) ||
        !es_surface_init(&fresh, (enum rn_format)surface->color->format, depth,
                         surface->stencil != NULL, surface->samples, width, height)) {
        return false;
    }
    if (!surface_keep(ctx, &fresh, surface)) {
        es_surface_fini(&fresh);
        return false;
    }
    fresh.serial = surface->serial + 1;
    es_surface_fini(surface);
    *surface = fresh;
    ctx->dirty |= ES_DIRTY_FRAMEBUFFER | ES_DIRTY_RASTER;
    return true;
}

void es_surface_fini(struct es_surface *surface) {
    es_release_tex_image(surface);
    rn_image_unref(surface->color);
    rn_image_unref(surface->depth);
    rn_image_unref(surface->stencil);
    rn_image_unref(surface->resolved);
    uint32_t serial = surface->serial + 1;
    *surface = (struct es_surface){.serial = serial};
}

void es_flush_surface(struct es_context *ctx, struct es_surface *surface) {
    (void)surface;
    if (ctx) {
        es_run_pending(ctx);
    }
}

struct rn_image *es_surface_pixels(struct es_context *ctx, struct es_surface *surface) {
    es_flush_surface(ctx, surface);
    if (!surface->color || surface->samples <= 1 || !ctx) {
        return surface->color;
    }
    if (!surface->resolved) {
        surface->resolved = rn_image_create((enum rn_format)surface->color->format, surface->width,
                                            surface->height, 1, 1);
    }
    if (surface->resolved) {
        struct rn_box box = {0, 0, 0, surface->width, surface->height, 1};
        rn_image_resolve(ctx->renderer, surface->resolved, surface->color, &box);
    }
    return surface->resolved;
}

/* ---- pbuffers as textures -------------------------------------------------------------------- */

/* The texformat row that a surface's pixels look like as a texture. */
static const struct es_texformat *surface_texformat(const struct es_surface *surface) {
    switch (surface->color->format) {
    case RN_FORMAT_RGB565: return es_texformat_find(GL_RGB, GL_UNSIGNED_SHORT_5_6_5);
    case RN_FORMAT_RGBX8: return es_texformat_find(GL_RGB, GL_UNSIGNED_BYTE);
    case RN_FORMAT_RGBA4: return es_texformat_find(GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4);
    case RN_FORMAT_RGB5A1: return es_texformat_find(GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1);
    default: return es_texformat_find(GL_RGBA, GL_UNSIGNED_BYTE);
    }
}

enum es_bind_result es_bind_tex_image(struct es_context *ctx, struct es_surface *surface) {
    if (!ctx || ctx->lost) {
        return ES_BIND_BAD_MATCH;
    }
    if (surface->texture) {
        return ES_BIND_BAD_ACCESS;
    }
    struct rn_image *image = es_surface_pixels(ctx, surface);
    if (!image) {
        return ES_BIND_BAD_MATCH;
    }
    es_lock(ctx);
    struct es_texture *texture = ctx->textures[ctx->state.active_unit][ES_TEX_2D];
    enum es_bind_result result = ES_BIND_BAD_MATCH;
    if (!texture->immutable) {
        es_texture_release_surface(ctx->share, texture);
        struct es_level *level = es_texture_level(texture, 0, 0);
        es_level_clear(level);
        *level = (struct es_level){.defined = true,
                                   .format = surface_texformat(surface),
                                   .width = surface->width,
                                   .height = surface->height,
                                   .depth = 1,
                                   .image = rn_image_ref(image),
                                   .shared = true};
        texture->surface = surface;
        surface->texture = es_texture_ref(texture);
        surface->texture_share = ctx->share;
        es_texture_changed(ctx->share, texture);
        result = ES_BIND_OK;
    }
    es_unlock(ctx);
    return result;
}

void es_release_tex_image(struct es_surface *surface) {
    struct es_share *share = surface->texture_share;
    if (!share) {
        return;
    }
    pthread_mutex_lock(&share->mutex);
    if (surface->texture) {
        es_texture_release_surface(share, surface->texture);
    }
    pthread_mutex_unlock(&share->mutex);
}

/* With the group's mutex held. */
void es_texture_release_surface(struct es_share *share, struct es_texture *texture) {
    struct es_surface *surface = texture->surface;
    if (!surface) {
        return;
    }
    texture->surface = NULL;
    surface->texture = NULL;
    surface->texture_share = NULL;
    es_level_clear(es_texture_level(texture, 0, 0));
    es_texture_changed(share, texture);
    es_texture_unref(texture);
}
