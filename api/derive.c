/* SPDX-License-Identifier: MIT */
/*
 * From raw state to the draw snapshot. A list of blocks, each headed by the dirty bits it depends
 * on and naming what it produces; the only writer of ctx->draw and ctx->target. It clears the bits
 * at the end, sets none and is idempotent. draw.serial changes only if something did; textures,
 * programs and framebuffers of the share group are watched by version numbers, so another context's
 * change is seen.
 */
#include <string.h>

#include "api/state.h"
#include "vm/base/bits.h"

enum rn_compare es_derive_compare(GLenum func) {
    return (enum rn_compare)(func - GL_NEVER); /* both count NEVER, LESS, EQUAL ... ALWAYS */
}

static uint8_t derive_blend_factor(GLenum factor) {
    switch (factor) {
    case GL_ZERO: return RN_ZERO;
    case GL_ONE: return RN_ONE;
    case GL_SRC_COLOR: return RN_SRC_COLOR;
    case GL_ONE_MINUS_SRC_COLOR: return RN_ONE_MINUS_SRC_COLOR;
    case GL_DST_COLOR: return RN_DST_COLOR;
    case GL_ONE_MINUS_DST_COLOR: return RN_ONE_MINUS_DST_COLOR;
    case GL_SRC_ALPHA: return RN_SRC_ALPHA;
    case GL_ONE_MINUS_SRC_ALPHA: return RN_ONE_MINUS_SRC_ALPHA;
    case GL_DST_ALPHA: return RN_DST_ALPHA;
    case GL_ONE_MINUS_DST_ALPHA: return RN_ONE_MINUS_DST_ALPHA;
    case GL_CONSTANT_COLOR: return RN_CONSTANT_COLOR;
    case GL_ONE_MINUS_CONSTANT_COLOR: return RN_ONE_MINUS_CONSTANT_COLOR;
    case GL_CONSTANT_ALPHA: return RN_CONSTANT_ALPHA;
    case GL_ONE_MINUS_CONSTANT_ALPHA: return RN_ONE_MINUS_CONSTANT_ALPHA;
    default: return RN_SRC_ALPHA_SATURATE;
    }
}

static uint8_t derive_blend_op(GLenum equation) {
    switch (equation) {
    case GL_FUNC_ADD: return RN_BLEND_ADD;
    case GL_FUNC_SUBTRACT: return RN_BLEND_SUBTRACT;
    case GL_FUNC_REVERSE_SUBTRACT: return RN_BLEND_REVERSE_SUBTRACT;
    case GL_MIN_EXT: return RN_BLEND_MIN;
    default: return RN_BLEND_MAX;
    }
}

static uint8_t derive_stencil_op(GLenum op) {
    switch (op) {
    case GL_KEEP: return RN_STENCIL_KEEP;
    case GL_ZERO: return RN_STENCIL_ZERO;
    case GL_REPLACE: return RN_STENCIL_REPLACE;
    case GL_INCR: return RN_STENCIL_INCR;
    case GL_DECR: return RN_STENCIL_DECR;
    case GL_INVERT: return RN_STENCIL_INVERT;
    case GL_INCR_WRAP: return RN_STENCIL_INCR_WRAP;
    default: return RN_STENCIL_DECR_WRAP;
    }
}

/* ---- FRAMEBUFFER: target --------------------------------------------------------------------- */

/* True if the target changed. */
static bool derive_target(struct es_context *ctx, bool images_changed) {
    const struct rn_framebuffer *now = es_framebuffer_target(ctx);
    bool changed = images_changed || memcmp(&ctx->target, now, sizeof *now) != 0;
    if (changed) {
        memcpy(&ctx->target, now, sizeof *now);
    }
    ctx->draw.framebuffer = &ctx->target;
    return changed;
}

void es_derive_target(struct es_context *ctx) {
    /* The dirty bit stays: es_derive has more to make of it. */
    if (derive_target(ctx, false)) {
        ctx->dirty |= ES_DIRTY_FRAMEBUFFER;
        ctx->draw.serial = es_context_serial(ctx);
    }
}

struct rn_rect es_derive_scissor(const struct es_context *ctx, uint32_t width, uint32_t height) {
    struct rn_rect rect = {0, 0, (int32_t)width, (int32_t)height};
    if (ctx->state.scissor_test) {
        const GLint *s = ctx->state.scissor;
        int64_t x1 = (int64_t)s[0] + s[2];
        int64_t y1 = (int64_t)s[1] + s[3];
        rect.x0 = s[0] > 0 ? s[0] : 0;
        rect.y0 = s[1] > 0 ? s[1] : 0;
        rect.x1 = x1 < (int64_t)width ? (int32_t)x1 : (int32_t)width;
        rect.y1 = y1 < (int64_t)height ? (int32_t)y1 : (int32_t)height;
        if (rect.x0 >= rect.x1 || rect.y0 >= rect.y1) {
            rect = (struct rn_rect){0, 0, 0, 0};
        }
    }
    return rect;
}

/* ---- RASTER | FRAMEBUFFER: viewport, depth range, scissor, culling, offset, line width ------- */

static void derive_raster(struct es_context *ctx) {
    const struct es_state *s = &ctx->state;
    struct rn_draw_state *d = &ctx->draw;
    memcpy(d->viewport, s->viewport, sizeof d->viewport);
    d->depth_near = s->depth_range[0];
    d->depth_far = s->depth_range[1];
    d->scissor = es_derive_scissor(ctx, ctx->target.width, ctx->target.height);
    d->cull = !s->cull_face ? 0 : s->cull_mode == GL_FRONT ? 1 : s->cull_mode == GL_BACK ? 2 : 3;
    /* EXT_clip_control: a turned window turns every face, so faces keep their sides. */
    d->upper_left = s->clip_origin == GL_UPPER_LEFT_EXT;
    d->zero_to_one = s->clip_depth == GL_ZERO_TO_ONE_EXT;
    d->front_cw = (s->front_face == GL_CW) != d->upper_left;
    d->polygon_offset =
        s->polygon_offset_fill && (s->offset_factor != 0.0f || s->offset_units != 0.0f);
    d->offset_factor = d->polygon_offset ? s->offset_factor : 0.0f;
    d->offset_units = d->polygon_offset ? s->offset_units : 0.0f;
    d->line_width = s->line_width < 1.0f                ? 1.0f
                    : s->line_width > RN_MAX_LINE_WIDTH ? RN_MAX_LINE_WIDTH
                                                        : s->line_width;
}

/* ---- FRAGMENT | FRAMEBUFFER: fragment operations, canonical ---------------------------------- */

static void derive_stencil(const struct es_stencil_state *s, struct rn_stencil_side *out) {
    out->func = (uint8_t)es_derive_compare(s->func);
    out->fail = derive_stencil_op(s->fail);
    out->depth_fail = derive_stencil_op(s->depth_fail);
    out->pass = derive_stencil_op(s->pass);
    out->ref = (uint8_t)(s->ref < 0 ? 0 : s->ref > 255 ? 255 : s->ref);
    out->read_mask = (uint8_t)s->value_mask;
    out->write_mask = (uint8_t)s->write_mask;
}

static bool derive_is_constant(uint8_t factor) {
    return factor >= RN_CONSTANT_COLOR && factor <= RN_ONE_MINUS_CONSTANT_ALPHA;
}

static void derive_blend(const struct es_state *s, struct rn_fragment_state *f) {
    f->blend = true;
    f->blend_op_rgb = derive_blend_op(s->blend_equation[0]);
    f->blend_op_alpha = derive_blend_op(s->blend_equation[1]);
    /* Minimum and maximum ignore the factors. */
    if (f->blend_op_rgb < RN_BLEND_MIN) {
        f->src_rgb = derive_blend_factor(s->blend_src[0]);
        f->dst_rgb = derive_blend_factor(s->blend_dst[0]);
    }
    if (f->blend_op_alpha < RN_BLEND_MIN) {
        f->src_alpha = derive_blend_factor(s->blend_src[1]);
        f->dst_alpha = derive_blend_factor(s->blend_dst[1]);
    }
    if (derive_is_constant(f->src_rgb) || derive_is_constant(f->dst_rgb) ||
        derive_is_constant(f->src_alpha) || derive_is_constant(f->dst_alpha)) {
        memcpy(f->blend_color, s->blend_color, sizeof f->blend_color);
    }
}

static void derive_fragment(struct es_context *ctx, struct rn_fragment_state *f) {
    const struct es_state *s = &ctx->state;
    memset(f, 0, sizeof *f);
    if (s->depth_test && ctx->target.depth.image) {
        f->depth_test = true;
        f->depth_write = s->depth_mask;
        f->depth_func = (uint8_t)es_derive_compare(s->depth_func);
    }
    if (s->stencil_test && ctx->target.stencil.image) {
        f->stencil_test = true;
        derive_stencil(&s->stencil[0], &f->stencil[0]);
        derive_stencil(&s->stencil[1], &f->stencil[1]);
    }
    if (s->blend) {
        derive_blend(s, f);
    }
    for (unsigned i = 0; i < 4; i++) {
        f->color_mask |= (uint8_t)(s->color_mask[i] << i);
    }
    f->dither = s->dither;
    f->count_passed = ctx->query != NULL;
    if (ctx->target.samples > 1) {
        f->alpha_to_coverage = s->sample_alpha_to_coverage;
        if (s->sample_coverage_on) {
            f->sample_coverage = true;
            f->sample_coverage_invert = s->sample_coverage_invert;
            f->sample_coverage_value = s->sample_coverage;
        }
    }
    for (unsigned i = 0; i < ctx->target.color_count; i++) {
        if (ctx->framebuffer->draw_buffers[i] != GL_NONE && ctx->target.color[i].image) {
            f->draw_buffers |= (uint8_t)(1u << i);
        }
    }
}

/* ---- PROGRAM: program, globals --------------------------------------------------------------- */

static bool derive_program(struct es_context *ctx, const struct es_exec *exec) {
    struct rn_draw_state *d = &ctx->draw;
    if (ctx->seen_exec == exec->serial) {
        return false;
    }
    ctx->seen_exec = exec->serial;
    d->program = exec->program;
    for (unsigned s = 0; s < 2; s++) {
        d->globals[s] = exec->globals[s];
        d->global_count[s] = exec->global_count[s];
    }
    return true;
}

/* Every draw: uniforms belong to the program, which other contexts may set too. */
static void derive_globals(struct es_context *ctx, struct es_exec *exec) {
    if (exec->depth_range[0] >= 0 || exec->depth_range[1] >= 0 || exec->depth_range[2] >= 0) {
        es_exec_set_depth_range(exec, ctx->state.depth_range[0], ctx->state.depth_range[1]);
    }
    for (unsigned s = 0; s < 2; s++) {
        if (exec->globals_dirty[s]) {
            exec->globals_dirty[s] = false;
            exec->globals_serial[s] = es_context_serial(ctx);
        }
        ctx->draw.globals_serial[s] = exec->globals_serial[s];
    }
}

/* ---- TEXTURES | PROGRAM | FRAMEBUFFER: views, feedback --------------------------------------- */

static bool derive_is_attached(const struct rn_framebuffer *target, const struct rn_image *image) {
    for (unsigned i = 0; i < target->color_count; i++) {
        if (rn_image_overlaps(target->color[i].image, image)) {
            return true;
        }
    }
    return target->depth.image == image || target->stencil.image == image;
}

/* Can the target hold an image that some texture shares? */
static bool derive_target_has_textures(const struct es_context *ctx) {
    if (ctx->framebuffer == &ctx->default_framebuffer) {
        return ctx->draw_surface && ctx->draw_surface->texture;
    }
    for (unsigned i = 0; i < ES_ATTACH_COUNT; i++) {
        const struct es_attachment *a = &ctx->framebuffer->attachments[i];
        if (a->texture || (a->renderbuffer && a->renderbuffer->shared)) {
            return true;
        }
    }
    return false;
}

static bool derive_is_feedback(const struct es_context *ctx, const struct es_texture *texture) {
    struct rn_view_desc desc;
    if (!es_texture_describe(texture, &desc)) {
        return false;
    }
    for (unsigned face = 0; face < texture->faces; face++) {
        for (unsigned l = 0; l < desc.levels; l++) {
            if (derive_is_attached(&ctx->target, desc.images[face][l])) {
                return true;
            }
        }
    }
    return false;
}

static bool derive_textures(struct es_context *ctx, const struct es_exec *exec) {
    bool changed = false;
    bool look = derive_target_has_textures(ctx);
    for (unsigned s = 0; s < 2; s++) {
        const unsigned used = exec->sampler_count[s], before = ctx->seen_samplers[s];
        ctx->feedback[s] = 0;
        ctx->seen_samplers[s] = used;
        for (unsigned i = 0; i < used || i < before; i++) { /* nothing is behind them */
            struct rn_view *view = NULL;
            uint64_t serial = 0;
            if (i < used) {
                struct es_texture *texture =
                    ctx->textures[exec->sampler_unit[s][i]][exec->sampler_type[s][i]];
                view = es_texture_view(texture);
                serial = texture->view_serial;
                if (view && look && derive_is_feedback(ctx, texture)) {
                    ctx->feedback[s] |= 1u << i;
                }
            }
            changed = changed || ctx->seen_views[s][i] != serial;
            ctx->seen_views[s][i] = serial;
            ctx->draw.views[s][i] = view;
        }
    }
    return changed;
}

/* ---- ATTRIBS | PROGRAM: attribs -------------------------------------------------------------- */

static uint8_t derive_attrib_type(GLenum type, unsigned *bytes) {
    switch (type) {
    case GL_BYTE: *bytes = 1; return RN_ATTRIB_S8;
    case GL_UNSIGNED_BYTE: *bytes = 1; return RN_ATTRIB_U8;
    case GL_SHORT: *bytes = 2; return RN_ATTRIB_S16;
    case GL_UNSIGNED_SHORT: *bytes = 2; return RN_ATTRIB_U16;
    case GL_HALF_FLOAT_OES: *bytes = 2; return RN_ATTRIB_F16;
    case GL_FIXED: *bytes = 4; return RN_ATTRIB_FIXED;
    default: *bytes = 4; return RN_ATTRIB_F32;
    }
}

static void derive_attrib(const struct es_vertex_attrib *a, struct rn_attrib *out) {
    static const uint8_t nothing[16]; /* stands for a buffer without storage: size 0, never read */
    unsigned bytes;
    out->type = derive_attrib_type(a->type, &bytes);
    out->components = a->size;
    out->normalized = a->normalized;
    out->divisor = a->divisor;
    out->stride = a->stride ? (uint32_t)a->stride : bytes * a->size;
    if (!a->buffer) {
        out->data = a->pointer;
        out->size = SIZE_MAX;
        return;
    }
    size_t offset = (size_t)(uintptr_t)a->pointer;
    out->data = nothing;
    out->size = 0;
    if (a->buffer->data && offset < a->buffer->size) {
        out->data = a->buffer->data + offset;
        out->size = a->buffer->size - offset;
    }
}

/* Attributes that the program does not read are not looked at by anybody. */
static bool derive_attribs(struct es_context *ctx, const struct es_exec *exec) {
    bool changed = false;
    for (uint32_t left = exec->attrib_mask; left; left &= left - 1) {
        const unsigned i = bits_ctz32(left);
        struct rn_attrib now;
        memset(&now, 0, sizeof now); /* compared with its padding */
        memcpy(now.value, ctx->current_attrib[i], sizeof now.value);
        if (ctx->vao->attribs[i].enabled) {
            derive_attrib(&ctx->vao->attribs[i], &now);
        }
        if (memcmp(&ctx->draw.attribs[i], &now, sizeof now) != 0) {
            memcpy(&ctx->draw.attribs[i], &now, sizeof now);
            changed = true;
        }
    }
    return changed;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Dirty bits that changes by other contexts (or the window system) mean. */
static uint32_t derive_watch(struct es_context *ctx, bool *images_changed) {
    const struct es_share *share = ctx->share;
    uint32_t dirty = 0;
    *images_changed = ctx->seen_image_version != share->image_version;
    if (*images_changed) {
        dirty |= ES_DIRTY_TEXTURES | ES_DIRTY_FRAMEBUFFER;
    }
    if (ctx->seen_buffer_version != share->buffer_version) {
        dirty |= ES_DIRTY_ATTRIBS;
    }
    if (ctx->seen_program_version != share->program_version) {
        dirty |= ES_DIRTY_PROGRAM;
    }
    if (ctx->framebuffer == &ctx->default_framebuffer &&
        memcmp(&ctx->target, &ctx->framebuffer->target, sizeof ctx->target) != 0) {
        dirty |= ES_DIRTY_FRAMEBUFFER; /* a surface was resized */
    }
    ctx->seen_image_version = share->image_version;
    ctx->seen_buffer_version = share->buffer_version;
    ctx->seen_program_version = share->program_version;
    return dirty;
}

void es_derive(struct es_context *ctx) {
    struct es_exec *exec = ctx->program->exec;
    bool images_changed;
    uint32_t dirty = ctx->dirty | derive_watch(ctx, &images_changed);
    bool changed = false;
    if (dirty & ES_DIRTY_FRAMEBUFFER) {
        changed |= derive_target(ctx, images_changed);
    }
    if (dirty & (ES_DIRTY_RASTER | ES_DIRTY_FRAMEBUFFER)) {
        derive_raster(ctx);
        changed |= (dirty & ES_DIRTY_RASTER) != 0;
    }
    if (dirty & (ES_DIRTY_FRAGMENT | ES_DIRTY_FRAMEBUFFER)) {
        struct rn_fragment_state fragment;
        derive_fragment(ctx, &fragment);
        if (memcmp(&ctx->draw.fragment, &fragment, sizeof fragment) != 0) {
            memcpy(&ctx->draw.fragment, &fragment, sizeof fragment);
            changed = true;
        }
    }
    const bool other_program = (dirty & ES_DIRTY_PROGRAM) && derive_program(ctx, exec);
    changed |= other_program;
    if (dirty & (ES_DIRTY_TEXTURES | ES_DIRTY_PROGRAM | ES_DIRTY_FRAMEBUFFER)) {
        changed |= derive_textures(ctx, exec);
    }
    if (dirty & (ES_DIRTY_ATTRIBS | ES_DIRTY_PROGRAM)) {
        if (derive_attribs(ctx, exec) || other_program) {
            ctx->draw.attribs_serial = es_context_serial(ctx);
        }
    }
    derive_globals(ctx, exec);
    if (changed) {
        ctx->draw.serial = es_context_serial(ctx);
    }
    ctx->dirty = 0;
}
