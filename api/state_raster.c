/* SPDX-License-Identifier: MIT */
/*
 * Defaults of all raw state, capabilities (glEnable), and the setters of transformation and
 * rasterisation: viewport, depth range, scissor, culling, line width, polygon offset, sample
 * coverage. A setter checks, stores, marks dirty; values that stay the same mark nothing.
 */
#include <string.h>

#include "api/entry.h"
#include "api/state.h"

#define STENCIL_DEFAULT                                                                            \
    { GL_ALWAYS, 0, ~0u, ~0u, GL_KEEP, GL_KEEP, GL_KEEP }

/*
 * SPEC: ES 2.0.25 tables 6.2 to 6.24. Viewport and scissor sizes are set when first made current.
 */
static const struct es_state state_defaults = {
    .dither = true,
    .depth_range = {0.0f, 1.0f},
        .clip_origin = GL_LOWER_LEFT_EXT,
        .clip_depth = GL_NEGATIVE_ONE_TO_ONE_EXT,
    .cull_mode = GL_BACK,
    .front_face = GL_CCW,
    .line_width = 1.0f,
    .sample_coverage = 1.0f,
    .depth_func = GL_LESS,
    .depth_mask = true,
    .color_mask = {true, true, true, true},
    .stencil = {STENCIL_DEFAULT, STENCIL_DEFAULT},
    .blend_equation = {GL_FUNC_ADD, GL_FUNC_ADD},
    .blend_src = {GL_ONE, GL_ONE},
    .blend_dst = {GL_ZERO, GL_ZERO},
    .clear_depth = 1.0f,
    .pack_alignment = 4,
    .unpack_alignment = 4,
    .hint_mipmap = GL_DONT_CARE,
    .hint_derivatives = GL_DONT_CARE,
};

void es_state_init(struct es_state *state) {
    *state = state_defaults;
}

float es_clamp01(float value) {
    return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f; /* NaN gives 0 */
}

/* ---- capabilities ---------------------------------------------------------------------------- */

bool *es_state_capability(struct es_state *state, GLenum cap, uint32_t *dirty) {
    *dirty = ES_DIRTY_FRAGMENT;
    switch (cap) {
    case GL_BLEND: return &state->blend;
    case GL_DEPTH_TEST: return &state->depth_test;
    case GL_DITHER: return &state->dither;
    case GL_STENCIL_TEST: return &state->stencil_test;
    case GL_SAMPLE_ALPHA_TO_COVERAGE: return &state->sample_alpha_to_coverage;
    case GL_SAMPLE_COVERAGE: return &state->sample_coverage_on;
    default: break;
    }
    *dirty = ES_DIRTY_RASTER;
    switch (cap) {
    case GL_CULL_FACE: return &state->cull_face;
    case GL_POLYGON_OFFSET_FILL: return &state->polygon_offset_fill;
    case GL_SCISSOR_TEST: return &state->scissor_test;
    default: break;
    }
    *dirty = 0;
    switch (cap) {
    case GL_DEBUG_OUTPUT_KHR: return &state->debug_output;
    case GL_DEBUG_OUTPUT_SYNCHRONOUS_KHR: return &state->debug_synchronous;
    default: return NULL;
    }
}

static void raster_set_capability(struct es_context *ctx, GLenum cap, bool value) {
    uint32_t dirty;
    bool *place = es_state_capability(&ctx->state, cap, &dirty);
    if (!place) {
        es_set_error(ctx, GL_INVALID_ENUM, "capability 0x%04x", cap);
        return;
    }
    if (*place != value) {
        *place = value;
        ctx->dirty |= dirty;
    }
}

void es_enable(struct es_context *ctx, GLenum cap) {
    raster_set_capability(ctx, cap, true);
}

void es_disable(struct es_context *ctx, GLenum cap) {
    raster_set_capability(ctx, cap, false);
}

GLboolean es_is_enabled(struct es_context *ctx, GLenum cap) {
    uint32_t dirty;
    const bool *place = es_state_capability(&ctx->state, cap, &dirty);
    if (!place) {
        es_set_error(ctx, GL_INVALID_ENUM, "capability 0x%04x", cap);
        return GL_FALSE;
    }
    return *place ? GL_TRUE : GL_FALSE;
}

/* ---- transformation and rasterisation -------------------------------------------------------- */

static void raster_set_rect(struct es_context *ctx, GLint *rect, GLint x, GLint y, GLsizei w,
                            GLsizei h) {
    const GLint value[4] = {x, y, w, h};
    if (memcmp(rect, value, sizeof value) != 0) {
        memcpy(rect, value, sizeof value);
        ctx->dirty |= ES_DIRTY_RASTER;
    }
}

void es_viewport(struct es_context *ctx, GLint x, GLint y, GLsizei width, GLsizei height) {
    if (width < 0 || height < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "negative size %d x %d", width, height);
        return;
    }
    width = width > RN_MAX_SIZE ? RN_MAX_SIZE : width;
    height = height > RN_MAX_SIZE ? RN_MAX_SIZE : height;
    raster_set_rect(ctx, ctx->state.viewport, x, y, width, height);
}

void es_scissor(struct es_context *ctx, GLint x, GLint y, GLsizei width, GLsizei height) {
    if (width < 0 || height < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "negative size %d x %d", width, height);
        return;
    }
    raster_set_rect(ctx, ctx->state.scissor, x, y, width, height);
}

static void raster_set_float(struct es_context *ctx, GLfloat *place, GLfloat value) {
    if (memcmp(place, &value, sizeof value) != 0) {
        *place = value;
        ctx->dirty |= ES_DIRTY_RASTER;
    }
}

void es_clip_control(struct es_context *ctx, GLenum origin, GLenum depth) {
    if ((origin != GL_LOWER_LEFT_EXT && origin != GL_UPPER_LEFT_EXT) ||
        (depth != GL_NEGATIVE_ONE_TO_ONE_EXT && depth != GL_ZERO_TO_ONE_EXT)) {
        const struct es_enum_check checks[] = {
            {"origin", origin, origin == GL_LOWER_LEFT_EXT || origin == GL_UPPER_LEFT_EXT}, {"depth", depth, false}};
        es_set_enum_error(ctx, checks);
        return;
    }
    ctx->state.clip_origin = origin;
    ctx->state.clip_depth = depth;
    ctx->dirty |= ES_DIRTY_RASTER;
}

void es_depth_rangef(struct es_context *ctx, GLfloat n, GLfloat f) {
    raster_set_float(ctx, &ctx->state.depth_range[0], es_clamp01(n));
    raster_set_float(ctx, &ctx->state.depth_range[1], es_clamp01(f));
}

void es_cull_face(struct es_context *ctx, GLenum mode) {
    if (mode != GL_FRONT && mode != GL_BACK && mode != GL_FRONT_AND_BACK) {
        es_set_error(ctx, GL_INVALID_ENUM, "mode 0x%04x", mode);
        return;
    }
    if (ctx->state.cull_mode != mode) {
        ctx->state.cull_mode = mode;
        ctx->dirty |= ES_DIRTY_RASTER;
    }
}

void es_front_face(struct es_context *ctx, GLenum mode) {
    if (mode != GL_CW && mode != GL_CCW) {
        es_set_error(ctx, GL_INVALID_ENUM, "mode 0x%04x", mode);
        return;
    }
    if (ctx->state.front_face != mode) {
        ctx->state.front_face = mode;
        ctx->dirty |= ES_DIRTY_RASTER;
    }
}

void es_line_width(struct es_context *ctx, GLfloat width) {
    if (!(width > 0.0f)) {
        es_set_error(ctx, GL_INVALID_VALUE, "width %g is not positive", (double)width);
        return;
    }
    raster_set_float(ctx, &ctx->state.line_width, width);
}

void es_polygon_offset(struct es_context *ctx, GLfloat factor, GLfloat units) {
    raster_set_float(ctx, &ctx->state.offset_factor, factor);
    raster_set_float(ctx, &ctx->state.offset_units, units);
}

void es_sample_coverage(struct es_context *ctx, GLfloat value, GLboolean invert) {
    ctx->state.sample_coverage = es_clamp01(value);
    ctx->state.sample_coverage_invert = invert != GL_FALSE;
    ctx->dirty |= ES_DIRTY_FRAGMENT;
}

void es_hint(struct es_context *ctx, GLenum target, GLenum mode) {
    GLenum *place = target == GL_GENERATE_MIPMAP_HINT ? &ctx->state.hint_mipmap
                    : target == GL_FRAGMENT_SHADER_DERIVATIVE_HINT_OES
                        ? &ctx->state.hint_derivatives
                        : NULL;
    if (!place || (mode != GL_FASTEST && mode != GL_NICEST && mode != GL_DONT_CARE)) {
        const struct es_enum_check checks[] = {{"target", target, place != NULL}, {"mode", mode, false}};
        es_set_enum_error(ctx, checks);
        return;
    }
    *place = mode;
}
