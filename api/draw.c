/* SPDX-License-Identifier: MIT */
/*
 * Drawing and clearing: the errors of a draw in the order of the specification (ES 2.0.25 2.8),
 * then derive, then the renderer. A texture that is sampled while it is attached to the target is
 * replaced for this one draw by a snapshot of its values before the draw.
 */
#include <string.h>

#include "api/entry.h"
#include "api/state.h"

/* ---- checks ---------------------------------------------------------------------------------- */

static bool draw_check_mapped(struct es_context *ctx, bool elements) {
    bool mapped = elements && ctx->vao->elements && ctx->vao->elements->mapped;
    for (unsigned i = 0; i < ES_MAX_ATTRIBS; i++) {
        const struct es_vertex_attrib *a = &ctx->vao->attribs[i];
        mapped = mapped || (a->enabled && a->buffer && a->buffer->mapped);
    }
    if (mapped) {
        es_set_error(ctx, GL_INVALID_OPERATION, "a buffer of the draw is mapped");
    }
    return !mapped;
}

/*
 * Checks common to all draws, after those of parameters. False: an error, or nothing to draw with.
 */
static bool draw_check(struct es_context *ctx, bool elements) {
    if (!es_framebuffer_require(ctx)) {
        return false;
    }
    if (ctx->share->mapped_buffers && !draw_check_mapped(ctx, elements)) {
        return false;
    }
    if (!ctx->program || !ctx->program->exec) {
        return false; /* undefined by the specification: nothing is drawn */
    }
    if (ctx->program->exec->sampler_conflict) {
        es_set_error(ctx, GL_INVALID_OPERATION, "samplers of different types use one texture unit");
        return false;
    }
    return true;
}

/* ---- feedback -------------------------------------------------------------------------------- */

static bool draw_is_target(const struct es_context *ctx, const struct rn_image *image) {
    const struct rn_framebuffer *t = &ctx->target;
    bool is = t->depth.image == image || t->stencil.image == image;
    for (unsigned i = 0; i < t->color_count; i++) {
        is = is || rn_image_overlaps(t->color[i].image, image);
    }
    return is;
}

static struct rn_image *draw_copy_image(const struct rn_image *image) {
    struct rn_image *copy = rn_image_create((enum rn_format)image->format, image->width,
                                            image->height, image->depth, 1);
    for (uint32_t z = 0; copy && z < image->depth; z++) {
        struct rn_box box = {0, 0, (int32_t)z, image->width, image->height, 1};
        rn_image_copy(copy, 0, 0, (int32_t)z, image, &box);
    }
    return copy;
}

/*
 * A view of a texture in which attached images are copies; NULL when memory is out. All drawing has
 * run.
 */
static struct rn_view *draw_snapshot(const struct es_context *ctx,
                                     const struct es_texture *texture) {
    struct rn_view_desc desc;
    if (!es_texture_describe(texture, &desc)) {
        return NULL;
    }
    struct rn_image *copies[6 * RN_MAX_LEVELS];
    unsigned copy_count = 0;
    bool ok = true;
    for (unsigned face = 0; face < texture->faces; face++) {
        for (unsigned l = 0; ok && l < desc.levels; l++) {
            if (draw_is_target(ctx, desc.images[face][l])) {
                struct rn_image *copy = draw_copy_image(desc.images[face][l]);
                ok = copy != NULL;
                copies[copy_count++] = copy;
                desc.images[face][l] = copy;
            }
        }
    }
    struct rn_view *view = ok ? rn_view_create(&desc) : NULL;
    for (unsigned i = 0; i < copy_count; i++) {
        rn_image_unref(copies[i]);
    }
    return view;
}

static enum vliw_status draw_with_feedback(struct es_context *ctx,
                                           const struct rn_draw_call *call) {
    if (!es_run_pending(ctx)) {
        return VLIW_OK;
    }
    const struct es_exec *exec = ctx->program->exec;
    struct rn_draw_state state = ctx->draw;
    enum vliw_status status = VLIW_OK;
    state.serial = es_next_serial();
    for (unsigned s = 0; s < 2; s++) {
        for (unsigned i = 0; i < ES_MAX_STAGE_SAMPLERS; i++) {
            if (ctx->feedback[s] & (1u << i)) {
                state.views[s][i] = draw_snapshot(
                    ctx, ctx->textures[exec->sampler_unit[s][i]][exec->sampler_type[s][i]]);
                if (!state.views[s][i]) {
                    status = VLIW_ERR_MEMORY;
                }
            }
        }
    }
    if (status == VLIW_OK) {
        status = rn_draw(ctx->renderer, &state, call);
    }
    for (unsigned s = 0; s < 2; s++) {
        for (unsigned i = 0; i < ES_MAX_STAGE_SAMPLERS; i++) {
            if (ctx->feedback[s] & (1u << i)) {
                rn_view_unref(state.views[s][i]);
            }
        }
    }
    return status;
}

static enum vliw_status draw_plain(struct es_context *ctx, const struct rn_draw_call *call) {
    return rn_draw(ctx->renderer, &ctx->draw, call);
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void draw_submit(struct es_context *ctx, const struct rn_draw_call *call) {
    es_derive(ctx);
    if (ctx->draw.scissor.x0 >= ctx->draw.scissor.x1 ||
        ctx->draw.scissor.y0 >= ctx->draw.scissor.y1 || !ctx->draw.viewport[2] ||
        !ctx->draw.viewport[3]) {
        return; /* no pixel can be touched */
    }
    if (ctx->framebuffer->has_multisample && !es_msaa_begin(ctx, ctx->framebuffer)) {
        return;
    }
    const es_draw_fn draw =
        ctx->feedback[0] || ctx->feedback[1] ? draw_with_feedback : draw_plain;
    enum vliw_status status = ctx->report ? es_report_draw(ctx, call, draw) : draw(ctx, call);
    if (status == VLIW_ERR_MEMORY) {
        es_out_of_memory(ctx);
    }
    es_check_fault(ctx);
}

static bool draw_check_mode(struct es_context *ctx, GLenum mode) {
    if (mode > GL_TRIANGLE_FAN) {
        es_set_error(ctx, GL_INVALID_ENUM, "mode 0x%04x", mode);
        return false;
    }
    return true;
}

static void draw_arrays(struct es_context *ctx, GLenum mode, GLint first, GLsizei count,
                        GLsizei instances) {
    if (!draw_check_mode(ctx, mode)) {
        return;
    }
    if (first < 0 || count < 0 || instances < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "%s %d",
                     first < 0   ? "first"
                     : count < 0 ? "count"
                                 : "instance count",
                     first < 0   ? first
                     : count < 0 ? count
                                 : instances);
        return;
    }
    if (!draw_check(ctx, false) || !count || !instances) {
        return;
    }
    draw_submit(ctx, &(struct rn_draw_call){.mode = (uint8_t)mode,
                                            .first = (uint32_t)first,
                                            .count = (uint32_t)count,
                                            .instances = (uint32_t)instances});
}

static void draw_elements(struct es_context *ctx, GLenum mode, GLsizei count, GLenum type,
                          const void *indices, GLsizei instances) {
    static const uint8_t nothing[16];
    if (!draw_check_mode(ctx, mode)) {
        return;
    }
    unsigned bytes = type == GL_UNSIGNED_BYTE    ? 1
                     : type == GL_UNSIGNED_SHORT ? 2
                     : type == GL_UNSIGNED_INT   ? 4
                                                 : 0;
    if (!bytes) {
        es_set_error(ctx, GL_INVALID_ENUM, "index type 0x%04x", type);
        return;
    }
    if (count < 0 || instances < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "%s %d", count < 0 ? "count" : "instance count",
                     count < 0 ? count : instances);
        return;
    }
    if (!draw_check(ctx, true) || !count || !instances) {
        return;
    }
    struct rn_draw_call call = {.mode = (uint8_t)mode,
                                .index_bytes = (uint8_t)bytes,
                                .count = (uint32_t)count,
                                .instances = (uint32_t)instances,
                                .indices = indices,
                                .indices_size = SIZE_MAX};
    const struct es_buffer *buffer = ctx->vao->elements;
    if (buffer) {
        size_t offset = (size_t)(uintptr_t)indices;
        bool inside = buffer->data && offset < buffer->size;
        call.indices = inside ? buffer->data + offset : nothing;
        call.indices_size = inside ? buffer->size - offset : 0;
    } else if (!indices) {
        return; /* a null pointer has no indices to read */
    }
    draw_submit(ctx, &call);
}

void es_draw_arrays(struct es_context *ctx, GLenum mode, GLint first, GLsizei count) {
    draw_arrays(ctx, mode, first, count, 1);
}

void es_draw_elements(struct es_context *ctx, GLenum mode, GLsizei count, GLenum type,
                      const void *indices) {
    draw_elements(ctx, mode, count, type, indices, 1);
}

void es_draw_arrays_instanced(struct es_context *ctx, GLenum mode, GLint start, GLsizei count,
                              GLsizei primcount) {
    draw_arrays(ctx, mode, start, count, primcount);
}

void es_draw_elements_instanced(struct es_context *ctx, GLenum mode, GLsizei count, GLenum type,
                                const void *indices, GLsizei primcount) {
    draw_elements(ctx, mode, count, type, indices, primcount);
}

/* ANGLE_instanced_arrays alone asks for an enabled array of divisor 0. */
static bool draw_check_angle(struct es_context *ctx) {
    bool any = false;
    bool per_vertex = false;
    for (unsigned i = 0; i < ES_MAX_ATTRIBS; i++) {
        const struct es_vertex_attrib *a = &ctx->vao->attribs[i];
        any = any || a->enabled;
        per_vertex = per_vertex || (a->enabled && a->divisor == 0);
    }
    if (any && !per_vertex) {
        es_set_error(ctx, GL_INVALID_OPERATION, "no enabled array has divisor 0");
        return false;
    }
    return true;
}

void es_draw_arrays_instanced_angle(struct es_context *ctx, GLenum mode, GLint first, GLsizei count,
                                    GLsizei primcount) {
    if (draw_check_angle(ctx)) {
        draw_arrays(ctx, mode, first, count, primcount);
    }
}

void es_draw_elements_instanced_angle(struct es_context *ctx, GLenum mode, GLsizei count,
                                      GLenum type, const void *indices, GLsizei primcount) {
    if (draw_check_angle(ctx)) {
        draw_elements(ctx, mode, count, type, indices, primcount);
    }
}

/* ---- clearing -------------------------------------------------------------------------------- */

void es_clear(struct es_context *ctx, GLbitfield mask) {
    const struct es_state *s = &ctx->state;
    if (mask & ~(GLbitfield)(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT)) {
        es_set_error(ctx, GL_INVALID_VALUE, "mask 0x%x", mask);
        return;
    }
    if (!es_framebuffer_require(ctx)) {
        return;
    }
    es_derive_target(ctx);
    struct rn_clear clear = {.framebuffer = &ctx->target,
                             .rect = es_derive_scissor(ctx, ctx->target.width, ctx->target.height)};
    if (clear.rect.x0 >= clear.rect.x1 || clear.rect.y0 >= clear.rect.y1) {
        return;
    }
    if (mask & GL_COLOR_BUFFER_BIT) {
        for (unsigned i = 0; i < 4; i++) {
            clear.color_mask |= (uint8_t)(s->color_mask[i] << i);
        }
        for (unsigned i = 0; i < ctx->target.color_count; i++) {
            if (ctx->framebuffer->draw_buffers[i] != GL_NONE && ctx->target.color[i].image) {
                clear.color_buffers |= (uint8_t)(1u << i);
            }
        }
        memcpy(clear.color, s->clear_color, sizeof clear.color);
        if (!clear.color_buffers) {
            clear.color_mask = 0;
        }
    }
    if ((mask & GL_DEPTH_BUFFER_BIT) && s->depth_mask && ctx->target.depth.image) {
        clear.depth = true;
        clear.depth_value = s->clear_depth;
    }
    if ((mask & GL_STENCIL_BUFFER_BIT) && (uint8_t)s->stencil[0].write_mask &&
        ctx->target.stencil.image) {
        clear.stencil = true;
        clear.stencil_value = (uint8_t)s->clear_stencil;
        clear.stencil_mask = (uint8_t)s->stencil[0].write_mask;
    }
    if (!clear.color_mask && !clear.depth && !clear.stencil) {
        return;
    }
    if (ctx->framebuffer->has_multisample && !es_msaa_begin(ctx, ctx->framebuffer)) {
        return;
    }
    enum vliw_status status =
        ctx->report ? es_report_clear(ctx, &clear) : rn_clear(ctx->renderer, &clear);
    if (status == VLIW_ERR_MEMORY) {
        es_out_of_memory(ctx);
    }
    es_check_fault(ctx);
}
