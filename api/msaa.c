/* SPDX-License-Identifier: MIT */
/*
 * EXT_multisampled_render_to_texture. A texture attached with samples is drawn to through a
 * multisampled image of the attachment. The texels take the samples' averages when somebody may
 * look: at reads of the framebuffer, when another one is bound, when the attachment goes, at a
 * flush. After that the samples are undefined by the extension; here the next drawing starts from
 * the texels, whoever wrote them.
 */
#include "api/entry.h"
#include "api/teximage.h"

int es_msaa_samples(struct es_context *ctx, GLsizei samples) {
    if (samples < 0 || samples > ES_MAX_SAMPLES) {
        es_set_error(ctx, GL_INVALID_VALUE, "%d samples", samples);
        return -1;
    }
    return samples ? ES_MAX_SAMPLES : 0;
}

struct rn_image *es_msaa_image(struct es_attachment *a, struct rn_image *image) {
    struct rn_image *own = a->multisample;
    if (!own || own->format != image->format || own->width != image->width ||
        own->height != image->height) {
        rn_image_unref(own);
        a->multisample = rn_image_create((enum rn_format)image->format, image->width, image->height,
                                         1, ES_MAX_SAMPLES);
        a->stale = true;
        a->unresolved = false;
    }
    return a->multisample;
}

bool es_msaa_begin(struct es_context *ctx, struct es_framebuffer *framebuffer) {
    for (unsigned i = 0; i < ES_MAX_COLORS; i++) {
        struct es_attachment *a = &framebuffer->attachments[i];
        if (!a->multisample) {
            continue;
        }
        if (a->stale) {
            if (!es_run_pending(ctx)) {
                return false;
            }
            rn_image_broadcast(ctx->renderer, a->multisample,
                               es_texture_level(a->texture, a->face, a->level)->image);
            a->stale = false;
        }
        a->unresolved = true;
    }
    return true;
}

void es_msaa_resolve(struct es_context *ctx, struct es_framebuffer *framebuffer) {
    for (unsigned i = 0; i < ES_MAX_COLORS && framebuffer->has_multisample; i++) {
        struct es_attachment *a = &framebuffer->attachments[i];
        if (!a->multisample || !a->unresolved) {
            continue;
        }
        struct es_level *level = es_texture_level(a->texture, a->face, a->level);
        const struct rn_image *image = level->image;
        bool fits = image && image->format == a->multisample->format &&
                    image->width == a->multisample->width &&
                    image->height == a->multisample->height;
        if (fits && es_run_pending(ctx) && es_teximage_make_writable(ctx, a->texture, level)) {
            struct rn_box box = {0, 0, 0, level->width, level->height, 1};
            rn_image_resolve(ctx->renderer, level->image, a->multisample, &box);
        }
        a->unresolved = false;
        a->stale = true;
    }
}
