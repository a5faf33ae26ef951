/* SPDX-License-Identifier: MIT */
/* Vertex attributes: current values, array pointers, enables, divisors, queries. */
#include <string.h>

#include "api/entry.h"
#include "api/state.h"

static bool attrib_check(struct es_context *ctx, GLuint index) {
    if (index >= ES_MAX_ATTRIBS) {
        es_set_error(ctx, GL_INVALID_VALUE, "attribute %u", index);
        return false;
    }
    return true;
}

/* ---- current values -------------------------------------------------------------------------- */

void es_vertex_attrib_4f(struct es_context *ctx, GLuint index, GLfloat x, GLfloat y, GLfloat z,
                         GLfloat w) {
    if (!attrib_check(ctx, index)) {
        return;
    }
    const GLfloat value[4] = {x, y, z, w};
    if (memcmp(ctx->current_attrib[index], value, sizeof value) != 0) {
        memcpy(ctx->current_attrib[index], value, sizeof value);
        ctx->dirty |= ES_DIRTY_ATTRIBS;
    }
}

void es_vertex_attrib_1f(struct es_context *ctx, GLuint index, GLfloat x) {
    es_vertex_attrib_4f(ctx, index, x, 0.0f, 0.0f, 1.0f);
}

void es_vertex_attrib_2f(struct es_context *ctx, GLuint index, GLfloat x, GLfloat y) {
    es_vertex_attrib_4f(ctx, index, x, y, 0.0f, 1.0f);
}

void es_vertex_attrib_3f(struct es_context *ctx, GLuint index, GLfloat x, GLfloat y, GLfloat z) {
    es_vertex_attrib_4f(ctx, index, x, y, z, 1.0f);
}

void es_vertex_attrib_1fv(struct es_context *ctx, GLuint index, const GLfloat *v) {
    es_vertex_attrib_4f(ctx, index, v[0], 0.0f, 0.0f, 1.0f);
}

void es_vertex_attrib_2fv(struct es_context *ctx, GLuint index, const GLfloat *v) {
    es_vertex_attrib_4f(ctx, index, v[0], v[1], 0.0f, 1.0f);
}

void es_vertex_attrib_3fv(struct es_context *ctx, GLuint index, const GLfloat *v) {
    es_vertex_attrib_4f(ctx, index, v[0], v[1], v[2], 1.0f);
}

void es_vertex_attrib_4fv(struct es_context *ctx, GLuint index, const GLfloat *v) {
    es_vertex_attrib_4f(ctx, index, v[0], v[1], v[2], v[3]);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static bool attrib_is_type(GLenum type) {
    switch (type) {
    case GL_BYTE:
    case GL_UNSIGNED_BYTE:
    case GL_SHORT:
    case GL_UNSIGNED_SHORT:
    case GL_FIXED:
    case GL_FLOAT:
    case GL_HALF_FLOAT_OES: return true;
    default: return false;
    }
}

void es_vertex_attrib_pointer(struct es_context *ctx, GLuint index, GLint size, GLenum type,
                              GLboolean normalized, GLsizei stride, const void *pointer) {
    if (!attrib_check(ctx, index)) {
        return;
    }
    if (!attrib_is_type(type)) {
        es_set_error(ctx, GL_INVALID_ENUM, "type 0x%04x", type);
        return;
    }
    if (size < 1 || size > 4) {
        es_set_error(ctx, GL_INVALID_VALUE, "size %d", size);
        return;
    }
    if (stride < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "stride %d", stride);
        return;
    }
    if (ctx->vao != &ctx->default_vao && !ctx->array_buffer && pointer) {
        es_set_error(ctx, GL_INVALID_OPERATION, "client memory in a vertex array object");
        return;
    }
    struct es_vertex_attrib *a = &ctx->vao->attribs[index];
    a->size = (uint8_t)size;
    a->type = type;
    a->normalized = normalized != GL_FALSE;
    a->stride = stride;
    a->pointer = pointer;
    if (a->buffer != ctx->array_buffer) {
        es_buffer_bind(&a->buffer, ctx->array_buffer);
    }
    ctx->dirty |= ES_DIRTY_ATTRIBS;
}

static void attrib_enable(struct es_context *ctx, GLuint index, bool on) {
    if (!attrib_check(ctx, index)) {
        return;
    }
    struct es_vertex_attrib *a = &ctx->vao->attribs[index];
    if (a->enabled != on) {
        a->enabled = on;
        ctx->vao->enabled ^= 1u << index;
        ctx->dirty |= ES_DIRTY_ATTRIBS;
    }
}

void es_enable_vertex_attrib_array(struct es_context *ctx, GLuint index) {
    attrib_enable(ctx, index, true);
}

void es_disable_vertex_attrib_array(struct es_context *ctx, GLuint index) {
    attrib_enable(ctx, index, false);
}

void es_vertex_attrib_divisor(struct es_context *ctx, GLuint index, GLuint divisor) {
    if (attrib_check(ctx, index)) {
        ctx->vao->attribs[index].divisor = divisor;
        ctx->dirty |= ES_DIRTY_ATTRIBS;
    }
}

/* ---- queries --------------------------------------------------------------------------------- */

/* An integer parameter of an array; false if pname is none of them. */
static bool attrib_parameter(const struct es_vertex_attrib *a, GLenum pname, GLint *value) {
    switch (pname) {
    case GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING:
        *value = a->buffer ? (GLint)a->buffer->name : 0;
        return true;
    case GL_VERTEX_ATTRIB_ARRAY_ENABLED: *value = a->enabled; return true;
    case GL_VERTEX_ATTRIB_ARRAY_SIZE: *value = a->size; return true;
    case GL_VERTEX_ATTRIB_ARRAY_STRIDE: *value = a->stride; return true;
    case GL_VERTEX_ATTRIB_ARRAY_TYPE: *value = (GLint)a->type; return true;
    case GL_VERTEX_ATTRIB_ARRAY_NORMALIZED: *value = a->normalized; return true;
    case GL_VERTEX_ATTRIB_ARRAY_DIVISOR_EXT: *value = (GLint)a->divisor; return true;
    default: return false;
    }
}

void es_get_vertex_attribfv(struct es_context *ctx, GLuint index, GLenum pname, GLfloat *params) {
    if (!attrib_check(ctx, index)) {
        return;
    }
    GLint value;
    if (pname == GL_CURRENT_VERTEX_ATTRIB) {
        memcpy(params, ctx->current_attrib[index], 4 * sizeof *params);
    } else if (attrib_parameter(&ctx->vao->attribs[index], pname, &value)) {
        *params = (GLfloat)value;
    } else {
        es_set_error(ctx, GL_INVALID_ENUM, "parameter 0x%04x", pname);
    }
}

void es_get_vertex_attribiv(struct es_context *ctx, GLuint index, GLenum pname, GLint *params) {
    if (!attrib_check(ctx, index)) {
        return;
    }
    if (pname == GL_CURRENT_VERTEX_ATTRIB) {
        for (unsigned i = 0; i < 4; i++) {
            params[i] = es_round_to_int((double)ctx->current_attrib[index][i]);
        }
    } else if (!attrib_parameter(&ctx->vao->attribs[index], pname, params)) {
        es_set_error(ctx, GL_INVALID_ENUM, "parameter 0x%04x", pname);
    }
}

void es_get_vertex_attrib_pointerv(struct es_context *ctx, GLuint index, GLenum pname,
                                   void **pointer) {
    if (!attrib_check(ctx, index)) {
        return;
    }
    if (pname != GL_VERTEX_ATTRIB_ARRAY_POINTER) {
        es_set_error(ctx, GL_INVALID_ENUM, "parameter 0x%04x", pname);
        return;
    }
    const void *value = ctx->vao->attribs[index].pointer;
    memcpy(pointer, &value, sizeof value);
}
