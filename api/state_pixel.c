/* SPDX-License-Identifier: MIT */
/*
 * Setters of fragment operations (depth, stencil, blend, masks, clear values) and of the pixel
 * store.
 */
#include <string.h>

#include "api/entry.h"
#include "api/state.h"

/* ---- depth ----------------------------------------------------------------------------------- */

static bool pixel_is_compare(GLenum func) {
    return func >= GL_NEVER && func <= GL_ALWAYS;
}

void es_depth_func(struct es_context *ctx, GLenum func) {
    if (!pixel_is_compare(func)) {
        es_set_error(ctx, GL_INVALID_ENUM, "function 0x%04x", func);
        return;
    }
    if (ctx->state.depth_func != func) {
        ctx->state.depth_func = func;
        ctx->dirty |= ES_DIRTY_FRAGMENT;
    }
}

void es_depth_mask(struct es_context *ctx, GLboolean flag) {
    bool value = flag != GL_FALSE;
    if (ctx->state.depth_mask != value) {
        ctx->state.depth_mask = value;
        ctx->dirty |= ES_DIRTY_FRAGMENT;
    }
}

/* ---- stencil --------------------------------------------------------------------------------- */

/* First and last side (0 front, 1 back) that a face means; false for a bad face. */
static bool pixel_sides(struct es_context *ctx, GLenum face, unsigned *first, unsigned *last) {
    if (face != GL_FRONT && face != GL_BACK && face != GL_FRONT_AND_BACK) {
        es_set_error(ctx, GL_INVALID_ENUM, "face 0x%04x", face);
        return false;
    }
    *first = face == GL_BACK ? 1 : 0;
    *last = face == GL_FRONT ? 0 : 1;
    return true;
}

void es_stencil_func_separate(struct es_context *ctx, GLenum face, GLenum func, GLint ref,
                              GLuint mask) {
    unsigned first;
    unsigned last;
    if (!pixel_sides(ctx, face, &first, &last)) {
        return;
    }
    if (!pixel_is_compare(func)) {
        es_set_error(ctx, GL_INVALID_ENUM, "function 0x%04x", func);
        return;
    }
    for (unsigned i = first; i <= last; i++) {
        ctx->state.stencil[i].func = func;
        ctx->state.stencil[i].ref = ref;
        ctx->state.stencil[i].value_mask = mask;
    }
    ctx->dirty |= ES_DIRTY_FRAGMENT;
}

void es_stencil_func(struct es_context *ctx, GLenum func, GLint ref, GLuint mask) {
    es_stencil_func_separate(ctx, GL_FRONT_AND_BACK, func, ref, mask);
}

void es_stencil_mask_separate(struct es_context *ctx, GLenum face, GLuint mask) {
    unsigned first;
    unsigned last;
    if (!pixel_sides(ctx, face, &first, &last)) {
        return;
    }
    for (unsigned i = first; i <= last; i++) {
        ctx->state.stencil[i].write_mask = mask;
    }
    ctx->dirty |= ES_DIRTY_FRAGMENT;
}

void es_stencil_mask(struct es_context *ctx, GLuint mask) {
    es_stencil_mask_separate(ctx, GL_FRONT_AND_BACK, mask);
}

static bool pixel_is_stencil_op(GLenum op) {
    switch (op) {
    case GL_KEEP:
    case GL_ZERO:
    case GL_REPLACE:
    case GL_INCR:
    case GL_DECR:
    case GL_INVERT:
    case GL_INCR_WRAP:
    case GL_DECR_WRAP: return true;
    default: return false;
    }
}

void es_stencil_op_separate(struct es_context *ctx, GLenum face, GLenum sfail, GLenum dpfail,
                            GLenum dppass) {
    unsigned first;
    unsigned last;
    if (!pixel_sides(ctx, face, &first, &last)) {
        return;
    }
    if (!pixel_is_stencil_op(sfail) || !pixel_is_stencil_op(dpfail) ||
        !pixel_is_stencil_op(dppass)) {
        const struct es_enum_check checks[] = {
            {"operation where stencil fails", sfail, pixel_is_stencil_op(sfail)},
            {"operation where depth fails", dpfail, pixel_is_stencil_op(dpfail)},
            {"operation where both pass", dppass, false}};
        es_set_enum_error(ctx, checks);
        return;
    }
    for (unsigned i = first; i <= last; i++) {
        ctx->state.stencil[i].fail = sfail;
        ctx->state.stencil[i].depth_fail = dpfail;
        ctx->state.stencil[i].pass = dppass;
    }
    ctx->dirty |= ES_DIRTY_FRAGMENT;
}

void es_stencil_op(struct es_context *ctx, GLenum fail, GLenum zfail, GLenum zpass) {
    es_stencil_op_separate(ctx, GL_FRONT_AND_BACK, fail, zfail, zpass);
}

/* ---- blending -------------------------------------------------------------------------------- */

static bool pixel_is_blend_equation(GLenum mode) {
    return mode == GL_FUNC_ADD || mode == GL_FUNC_SUBTRACT || mode == GL_FUNC_REVERSE_SUBTRACT ||
           mode == GL_MIN_EXT || mode == GL_MAX_EXT;
}

void es_blend_equation_separate(struct es_context *ctx, GLenum modeRGB, GLenum modeAlpha) {
    if (!pixel_is_blend_equation(modeRGB) || !pixel_is_blend_equation(modeAlpha)) {
        const struct es_enum_check checks[] = {{"RGB equation", modeRGB, pixel_is_blend_equation(modeRGB)},
                                               {"alpha equation", modeAlpha, false}};
        es_set_enum_error(ctx, checks);
        return;
    }
    ctx->state.blend_equation[0] = modeRGB;
    ctx->state.blend_equation[1] = modeAlpha;
    ctx->dirty |= ES_DIRTY_FRAGMENT;
}

void es_blend_equation(struct es_context *ctx, GLenum mode) {
    es_blend_equation_separate(ctx, mode, mode);
}

static bool pixel_is_factor(GLenum factor, bool source) {
    switch (factor) {
    case GL_ZERO:
    case GL_ONE:
    case GL_SRC_COLOR:
    case GL_ONE_MINUS_SRC_COLOR:
    case GL_DST_COLOR:
    case GL_ONE_MINUS_DST_COLOR:
    case GL_SRC_ALPHA:
    case GL_ONE_MINUS_SRC_ALPHA:
    case GL_DST_ALPHA:
    case GL_ONE_MINUS_DST_ALPHA:
    case GL_CONSTANT_COLOR:
    case GL_ONE_MINUS_CONSTANT_COLOR:
    case GL_CONSTANT_ALPHA:
    case GL_ONE_MINUS_CONSTANT_ALPHA: return true;
    case GL_SRC_ALPHA_SATURATE: return source;
    default: return false;
    }
}

void es_blend_func_separate(struct es_context *ctx, GLenum sfactorRGB, GLenum dfactorRGB,
                            GLenum sfactorAlpha, GLenum dfactorAlpha) {
    if (!pixel_is_factor(sfactorRGB, true) || !pixel_is_factor(dfactorRGB, false) ||
        !pixel_is_factor(sfactorAlpha, true) || !pixel_is_factor(dfactorAlpha, false)) {
        const struct es_enum_check checks[] = {
            {"source RGB factor", sfactorRGB, pixel_is_factor(sfactorRGB, true)},
            {"destination RGB factor", dfactorRGB, pixel_is_factor(dfactorRGB, false)},
            {"source alpha factor", sfactorAlpha, pixel_is_factor(sfactorAlpha, true)},
            {"destination alpha factor", dfactorAlpha, false}};
        es_set_enum_error(ctx, checks);
        return;
    }
    ctx->state.blend_src[0] = sfactorRGB;
    ctx->state.blend_dst[0] = dfactorRGB;
    ctx->state.blend_src[1] = sfactorAlpha;
    ctx->state.blend_dst[1] = dfactorAlpha;
    ctx->dirty |= ES_DIRTY_FRAGMENT;
}

void es_blend_func(struct es_context *ctx, GLenum sfactor, GLenum dfactor) {
    es_blend_func_separate(ctx, sfactor, dfactor, sfactor, dfactor);
}

/* EXT_color_buffer_half_float: not clamped here; the renderer clamps for fixed-point targets. */
void es_blend_color(struct es_context *ctx, GLfloat red, GLfloat green, GLfloat blue,
                    GLfloat alpha) {
    const GLfloat color[4] = {red, green, blue, alpha};
    memcpy(ctx->state.blend_color, color, sizeof color);
    ctx->dirty |= ES_DIRTY_FRAGMENT;
}

void es_color_mask(struct es_context *ctx, GLboolean red, GLboolean green, GLboolean blue,
                   GLboolean alpha) {
    const GLboolean mask[4] = {red, green, blue, alpha};
    for (unsigned i = 0; i < 4; i++) {
        ctx->state.color_mask[i] = mask[i] != GL_FALSE;
    }
    ctx->dirty |= ES_DIRTY_FRAGMENT;
}

/* ---- clear values and pixel store ------------------------------------------------------------ */

void es_clear_color(struct es_context *ctx, GLfloat red, GLfloat green, GLfloat blue,
                    GLfloat alpha) {
    const GLfloat color[4] = {red, green, blue, alpha};
    memcpy(ctx->state.clear_color, color, sizeof color);
}

void es_clear_depthf(struct es_context *ctx, GLfloat d) {
    ctx->state.clear_depth = es_clamp01(d);
}

void es_clear_stencil(struct es_context *ctx, GLint s) {
    ctx->state.clear_stencil = s;
}

void es_pixel_storei(struct es_context *ctx, GLenum pname, GLint param) {
    struct es_state *s = &ctx->state;
    switch (pname) {
    case GL_PACK_ALIGNMENT:
    case GL_UNPACK_ALIGNMENT:
        if (param != 1 && param != 2 && param != 4 && param != 8) {
            es_set_error(ctx, GL_INVALID_VALUE, "alignment %d", param);
            return;
        }
        *(pname == GL_PACK_ALIGNMENT ? &s->pack_alignment : &s->unpack_alignment) = param;
        return;
    case GL_UNPACK_ROW_LENGTH_EXT:
    case GL_UNPACK_SKIP_ROWS_EXT:
    case GL_UNPACK_SKIP_PIXELS_EXT:
        if (param < 0) {
            es_set_error(ctx, GL_INVALID_VALUE, "negative value %d", param);
            return;
        }
        *(pname == GL_UNPACK_ROW_LENGTH_EXT  ? &s->unpack_row_length
          : pname == GL_UNPACK_SKIP_ROWS_EXT ? &s->unpack_skip_rows
                                             : &s->unpack_skip_pixels) = param;
        return;
    default: es_set_error(ctx, GL_INVALID_ENUM, "parameter 0x%04x", pname);
    }
}
