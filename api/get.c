/* SPDX-License-Identifier: MIT */
/*
 * glGetBooleanv, glGetFloatv, glGetIntegerv from get.def with the conversions of ES 2.0.25 6.1.2,
 * and glGetString.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/entry.h"
#include "api/state.h"

#define GET_MAX 16

enum get_kind { GET_BOOL, GET_INT, GET_UNSIGNED, GET_FLOAT, GET_NORMALIZED };

struct get_result {
    enum get_kind kind;
    unsigned count;
    GLint ints[GET_MAX];
    double floats[4];
};

GLint es_round_to_int(double value) {
    if (!(value == value)) {
        return 0;
    }
    if (value >= 2147483647.0) {
        return INT32_MAX;
    }
    if (value <= -2147483648.0) {
        return INT32_MIN;
    }
    return (GLint)(value < 0.0 ? value - 0.5 : value + 0.5);
}

/* Names that need a call; false if pname is none of them. */
static bool get_special(struct es_context *ctx, GLenum pname, struct get_result *r) {
    r->kind = GET_INT;
    r->count = 1;
    GLenum format;
    GLenum type;
    switch (pname) {
    case GL_IMPLEMENTATION_COLOR_READ_FORMAT:
    case GL_IMPLEMENTATION_COLOR_READ_TYPE:
        es_read_format(ctx, &format, &type);
        r->ints[0] = (GLint)(pname == GL_IMPLEMENTATION_COLOR_READ_FORMAT ? format : type);
        return true;
    case GL_NUM_COMPRESSED_TEXTURE_FORMATS:
        r->ints[0] = (GLint)es_compressed_count();
        return true;
    case GL_COMPRESSED_TEXTURE_FORMATS:
        r->count = es_compressed_count();
        for (unsigned i = 0; i < r->count; i++) {
            r->ints[i] = (GLint)es_compressed_name(i);
        }
        return true;
    case GL_SHADER_BINARY_FORMATS:
        r->count = 0;
        return true;
    default:
        return false;
    }
}

static bool get_table(struct es_context *ctx, GLenum pname, struct get_result *r) {
    const struct es_state *s = &ctx->state;
#define ES_GET_INTS(n, ...)                           \
    {                                                 \
        const GLint values[] = {__VA_ARGS__};         \
        memcpy(r->ints, values, sizeof values);       \
        r->count = n;                                 \
        return true;                                  \
    }
#define ES_GET_FLOATS(n, ...)                         \
    {                                                 \
        const GLfloat values[] = {__VA_ARGS__};       \
        for (unsigned i = 0; i < n; i++) {            \
            r->floats[i] = (double)values[i];         \
        }                                             \
        r->count = n;                                 \
        return true;                                  \
    }
#define ES_GET_B(pname, n, ...) case pname: r->kind = GET_BOOL; ES_GET_INTS(n, __VA_ARGS__)
#define ES_GET_I(pname, n, ...) case pname: r->kind = GET_INT; ES_GET_INTS(n, __VA_ARGS__)
#define ES_GET_U(pname, n, ...) case pname: r->kind = GET_UNSIGNED; ES_GET_INTS(n, __VA_ARGS__)
#define ES_GET_F(pname, n, ...) case pname: r->kind = GET_FLOAT; ES_GET_FLOATS(n, __VA_ARGS__)
#define ES_GET_N(pname, n, ...) case pname: r->kind = GET_NORMALIZED; ES_GET_FLOATS(n, __VA_ARGS__)
    switch (pname) {
#include "api/get.def"
    default:
        return false;
    }
}

static bool get_value(struct es_context *ctx, GLenum pname, struct get_result *r) {
    if (get_special(ctx, pname, r) || get_table(ctx, pname, r)) {
        return true;
    }
    es_set_error(ctx, GL_INVALID_ENUM, "parameter 0x%04x", pname);
    return false;
}

static bool get_is_float(const struct get_result *r) {
    return r->kind == GET_FLOAT || r->kind == GET_NORMALIZED;
}

void es_get_booleanv(struct es_context *ctx, GLenum pname, GLboolean *data) {
    struct get_result r;
    if (get_value(ctx, pname, &r)) {
        for (unsigned i = 0; i < r.count; i++) {
            data[i] = (get_is_float(&r) ? r.floats[i] != 0.0 : r.ints[i] != 0) ? GL_TRUE : GL_FALSE;
        }
    }
}

void es_get_floatv(struct es_context *ctx, GLenum pname, GLfloat *data) {
    struct get_result r;
    if (get_value(ctx, pname, &r)) {
        for (unsigned i = 0; i < r.count; i++) {
            data[i] = get_is_float(&r)              ? (GLfloat)r.floats[i]
                      : r.kind == GET_UNSIGNED ? (GLfloat)(GLuint)r.ints[i]
                                               : (GLfloat)r.ints[i];
        }
    }
}

/* 1.0 gives the largest, -1.0 the smallest integer; outside values are clamped. */
static GLint get_normalized(double value) {
    return es_round_to_int((4294967295.0 * value - 1.0) / 2.0);
}

void es_get_integerv(struct es_context *ctx, GLenum pname, GLint *data) {
    struct get_result r;
    if (get_value(ctx, pname, &r)) {
        for (unsigned i = 0; i < r.count; i++) {
            data[i] = r.kind == GET_NORMALIZED ? get_normalized(r.floats[i])
                      : r.kind == GET_FLOAT    ? es_round_to_int(r.floats[i])
                                               : r.ints[i];
        }
    }
}

void es_get_pointerv(struct es_context *ctx, GLenum pname, void **params) {
    if (!es_debug_pointer(ctx, pname, params)) {
        es_set_error(ctx, GL_INVALID_ENUM, "parameter 0x%04x", pname);
    }
}

/* ---- strings --------------------------------------------------------------------------------- */

const char *es_extension_string(struct es_context *ctx) {
    (void)ctx;
    /* One literal, made from the table; the leading space is skipped. */
    static const char list[] =
#define ES_EXT(name, bits) " " #name
#include "api/ext.def"
#undef ES_EXT
        ;
    return list + 1;
}

const GLubyte *es_get_string(struct es_context *ctx, GLenum name) {
    const char *text = NULL;
    switch (name) {
    case GL_VENDOR: text = "vlgl"; break;
    case GL_RENDERER: text = ctx->renderer_name; break;
    case GL_VERSION: text = "OpenGL ES 2.0 vlgl-0.1"; break;
    case GL_SHADING_LANGUAGE_VERSION: text = "OpenGL ES GLSL ES 1.00 vlgl-0.1"; break;
    case GL_EXTENSIONS: text = es_extension_string(ctx); break;
    default: es_set_error(ctx, GL_INVALID_ENUM, "string 0x%04x", name);
    }
    return (const GLubyte *)text;
}
