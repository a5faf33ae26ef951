/* SPDX-License-Identifier: MIT */
/*
 * Labels of objects (KHR_debug). A program's label also names its shaders in messages of the
 * renderer.
 */
#include <stdlib.h>
#include <string.h>

#include "api/entry.h"
#include "api/state.h"

/* Where the label of an object lives; NULL and an error if there is no such object. */
static char **label_place(struct es_context *ctx, GLenum identifier, GLuint name) {
    char **place = NULL;
    struct es_buffer *buffer;
    struct es_texture *texture;
    struct es_renderbuffer *renderbuffer;
    struct es_framebuffer *framebuffer;
    struct es_vao *vao;
    struct es_shader_base *base;
    switch (identifier) {
    case GL_BUFFER_KHR:
        buffer = es_names_find(&ctx->share->buffers, name);
        place = buffer ? &buffer->label : NULL;
        break;
    case GL_SHADER_KHR:
    case GL_PROGRAM_KHR:
        base = es_names_find(&ctx->share->programs, name);
        if (base &&
            base->kind == (identifier == GL_SHADER_KHR ? ES_KIND_SHADER : ES_KIND_PROGRAM)) {
            place = &base->label;
        }
        break;
    case GL_VERTEX_ARRAY_KHR:
        vao = es_names_find(&ctx->vaos, name);
        place = vao ? &vao->label : NULL;
        break;
    case GL_QUERY_KHR: place = es_query_label(ctx, name); break;
    case GL_TEXTURE:
        texture = es_names_find(&ctx->share->textures, name);
        place = texture ? &texture->label : NULL;
        break;
    case GL_RENDERBUFFER:
        renderbuffer = es_names_find(&ctx->share->renderbuffers, name);
        place = renderbuffer ? &renderbuffer->label : NULL;
        break;
    case GL_FRAMEBUFFER:
        framebuffer = es_names_find(&ctx->framebuffers, name);
        place = framebuffer ? &framebuffer->label : NULL;
        break;
    default: es_set_error(ctx, GL_INVALID_ENUM, "identifier 0x%04x", identifier); return NULL;
    }
    if (!place) {
        es_set_error(ctx, GL_INVALID_VALUE, "no object %u of kind 0x%04x", name, identifier);
    }
    return place;
}

void es_object_label(struct es_context *ctx, GLenum identifier, GLuint name, GLsizei length,
                     const GLchar *label) {
    char **place = label_place(ctx, identifier, name);
    if (!place) {
        return;
    }
    size_t n = !label ? 0 : length < 0 ? strlen(label) : (size_t)length;
    if (n >= ES_MAX_LABEL) {
        es_set_error(ctx, GL_INVALID_VALUE, "label of %zu characters", n);
        return;
    }
    char *copy = NULL;
    if (n) {
        copy = malloc(n + 1);
        if (!copy) {
            es_out_of_memory(ctx);
            return;
        }
        memcpy(copy, label, n);
        copy[n] = '\0';
    }
    free(*place);
    *place = copy;
}

void es_get_object_label(struct es_context *ctx, GLenum identifier, GLuint name, GLsizei bufSize,
                         GLsizei *length, GLchar *label) {
    if (bufSize < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "buffer size %d", bufSize);
        return;
    }
    char **place = label_place(ctx, identifier, name);
    if (!place) {
        return;
    }
    es_copy_string(*place, bufSize, length, label);
    if (!label && length) {
        *length = *place ? (GLsizei)strlen(*place) : 0;
    }
}

/* Pointers name sync objects, which ES 2.0 does not have. */
void es_object_ptr_label(struct es_context *ctx, const void *ptr, GLsizei length,
                         const GLchar *label) {
    (void)length;
    (void)label;
    es_set_error(ctx, GL_INVALID_VALUE, "%p is no sync object", ptr);
}

void es_get_object_ptr_label(struct es_context *ctx, const void *ptr, GLsizei bufSize,
                             GLsizei *length, GLchar *label) {
    (void)bufSize;
    (void)length;
    (void)label;
    es_set_error(ctx, GL_INVALID_VALUE, "%p is no sync object", ptr);
}
