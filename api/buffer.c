/* SPDX-License-Identifier: MIT */
/*
 * Buffer objects: names, binding, data, mapping (OES_mapbuffer, EXT_map_buffer_range). Data lies in
 * plain memory that draws read during the call, so writes need no synchronisation with pending
 * scenes.
 */
#include <stdlib.h>
#include <string.h>

#include "api/entry.h"
#include "api/state.h"

struct es_buffer *es_buffer_ref(struct es_buffer *buffer) {
    if (buffer) {
        buffer->refs++;
    }
    return buffer;
}

void es_buffer_unref(struct es_buffer *buffer) {
    if (buffer && --buffer->refs == 0) {
        free(buffer->data);
        free(buffer->label);
        free(buffer);
    }
}

void es_buffer_bind(struct es_buffer **slot, struct es_buffer *buffer) {
    es_buffer_ref(buffer);
    es_buffer_unref(*slot);
    *slot = buffer;
}

/* The binding point of a target; GL_INVALID_ENUM and NULL for a bad one. */
static struct es_buffer **buffer_slot(struct es_context *ctx, GLenum target) {
    switch (target) {
    case GL_ARRAY_BUFFER: return &ctx->array_buffer;
    case GL_ELEMENT_ARRAY_BUFFER: return &ctx->vao->elements;
    default: es_set_error(ctx, GL_INVALID_ENUM, "target 0x%04x", target); return NULL;
    }
}

/* The buffer bound to a target, with the errors of calls that need one. */
static struct es_buffer *buffer_bound(struct es_context *ctx, GLenum target) {
    struct es_buffer **slot = buffer_slot(ctx, target);
    if (slot && !*slot) {
        es_set_error(ctx, GL_INVALID_OPERATION, "no buffer is bound");
    }
    return slot ? *slot : NULL;
}

static void buffer_end_mapping(struct es_context *ctx, struct es_buffer *buffer) {
    if (buffer->mapped) {
        buffer->mapped = false;
        buffer->map_access = 0;
        buffer->map_offset = buffer->map_length = 0;
        ctx->share->mapped_buffers--;
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

void es_gen_buffers(struct es_context *ctx, GLsizei n, GLuint *buffers) {
    if (n < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "negative count %d", n);
    } else if (!es_names_generate(&ctx->share->buffers, n, buffers)) {
        es_out_of_memory(ctx);
    }
}

void es_delete_buffers(struct es_context *ctx, GLsizei n, const GLuint *buffers) {
    if (n < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "negative count %d", n);
        return;
    }
    for (GLsizei i = 0; i < n; i++) {
        struct es_buffer *buffer = es_names_find(&ctx->share->buffers, buffers[i]);
        es_names_remove(&ctx->share->buffers, buffers[i]);
        if (!buffer) {
            continue;
        }
        buffer_end_mapping(ctx, buffer);
        if (ctx->array_buffer == buffer) {
            es_buffer_bind(&ctx->array_buffer, NULL);
        }
        if (ctx->vao->elements == buffer) {
            es_buffer_bind(&ctx->vao->elements, NULL);
        }
        for (unsigned a = 0; a < ES_MAX_ATTRIBS; a++) {
            struct es_vertex_attrib *attrib = &ctx->vao->attribs[a];
            if (attrib->buffer == buffer) {
                es_buffer_bind(&attrib->buffer, NULL);
                attrib->pointer = NULL;
                ctx->dirty |= ES_DIRTY_ATTRIBS;
            }
        }
        es_buffer_unref(buffer);
    }
}

GLboolean es_is_buffer(struct es_context *ctx, GLuint buffer) {
    return es_names_find(&ctx->share->buffers, buffer) != NULL;
}

void es_bind_buffer(struct es_context *ctx, GLenum target, GLuint name) {
    struct es_buffer **slot = buffer_slot(ctx, target);
    if (!slot) {
        return;
    }
    struct es_buffer *buffer = NULL;
    if (name) {
        if (*slot && (*slot)->name == name && es_names_find(&ctx->share->buffers, name) == *slot) {
            return;
        }
        buffer = es_names_find(&ctx->share->buffers, name);
        if (!buffer) {
            buffer = calloc(1, sizeof *buffer);
            if (!buffer || !es_names_set(&ctx->share->buffers, name, buffer)) {
                free(buffer);
                es_out_of_memory(ctx);
                return;
            }
            buffer->name = name;
            buffer->refs = 1;
            buffer->usage = GL_STATIC_DRAW;
        }
    }
    es_buffer_bind(slot, buffer);
}

/* ---- data ------------------------------------------------------------------------------------ */

void es_buffer_data(struct es_context *ctx, GLenum target, GLsizeiptr size, const void *data,
                    GLenum usage) {
    struct es_buffer **slot = buffer_slot(ctx, target);
    if (!slot) {
        return;
    }
    if (usage != GL_STREAM_DRAW && usage != GL_STATIC_DRAW && usage != GL_DYNAMIC_DRAW) {
        es_set_error(ctx, GL_INVALID_ENUM, "usage 0x%04x", usage);
        return;
    }
    if (size < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "negative size");
        return;
    }
    struct es_buffer *buffer = *slot;
    if (!buffer) {
        es_set_error(ctx, GL_INVALID_OPERATION, "no buffer is bound");
        return;
    }
    if ((size_t)size != buffer->size || !buffer->data) {
        uint8_t *fresh = data ? malloc((size_t)size + 16) : calloc((size_t)size + 16, 1);
        if (!fresh) {
            es_out_of_memory(ctx);
            return;
        }
        if (data) {
            memcpy(fresh, data, (size_t)size); /* first: the data may lie in the mapping that ends here */
        }
        free(buffer->data);
        buffer->data = fresh;
        buffer->size = (size_t)size;
        ctx->share->buffer_version++;
    } else if (data) {
        memmove(buffer->data, data, (size_t)size);
    } else {
        memset(buffer->data, 0, (size_t)size);
    }
    buffer_end_mapping(ctx, buffer);
    buffer->usage = usage;
}

void es_buffer_sub_data(struct es_context *ctx, GLenum target, GLintptr offset, GLsizeiptr size,
                        const void *data) {
    struct es_buffer **slot = buffer_slot(ctx, target);
    if (!slot) {
        return;
    }
    if (offset < 0 || size < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "negative offset or size");
        return;
    }
    struct es_buffer *buffer = *slot;
    if (!buffer || buffer->mapped) {
        es_set_error(ctx, GL_INVALID_OPERATION,
                     buffer ? "the buffer is mapped" : "no buffer is bound");
        return;
    }
    if ((size_t)offset > buffer->size || (size_t)size > buffer->size - (size_t)offset) {
        es_set_error(ctx, GL_INVALID_VALUE, "range ends beyond the buffer of %zu bytes",
                     buffer->size);
        return;
    }
    if (size && data) {
        memcpy(buffer->data + offset, data, (size_t)size);
    }
}

void es_get_buffer_parameteriv(struct es_context *ctx, GLenum target, GLenum pname, GLint *params) {
    struct es_buffer **slot = buffer_slot(ctx, target);
    if (!slot) {
        return;
    }
    if (pname != GL_BUFFER_SIZE && pname != GL_BUFFER_USAGE && pname != GL_BUFFER_ACCESS_OES &&
        pname != GL_BUFFER_MAPPED_OES) {
        es_set_error(ctx, GL_INVALID_ENUM, "parameter 0x%04x", pname);
        return;
    }
    const struct es_buffer *buffer = buffer_bound(ctx, target);
    if (!buffer) {
        return;
    }
    switch (pname) {
    case GL_BUFFER_SIZE:
        *params = buffer->size > INT32_MAX ? INT32_MAX : (GLint)buffer->size;
        break;
    case GL_BUFFER_USAGE: *params = (GLint)buffer->usage; break;
    case GL_BUFFER_ACCESS_OES: *params = GL_WRITE_ONLY_OES; break;
    default: *params = buffer->mapped; break;
    }
}

/* ---- mapping --------------------------------------------------------------------------------- */

static void *buffer_begin_mapping(struct es_context *ctx, struct es_buffer *buffer, size_t offset,
                                  size_t length, GLbitfield access) {
    buffer->mapped = true;
    buffer->map_access = access;
    buffer->map_offset = offset;
    buffer->map_length = length;
    ctx->share->mapped_buffers++;
    return buffer->data + offset;
}

void *es_map_buffer(struct es_context *ctx, GLenum target, GLenum access) {
    if (!buffer_slot(ctx, target)) {
        return NULL;
    }
    if (access != GL_WRITE_ONLY_OES) {
        es_set_error(ctx, GL_INVALID_ENUM, "access 0x%04x", access);
        return NULL;
    }
    struct es_buffer *buffer = buffer_bound(ctx, target);
    if (!buffer) {
        return NULL;
    }
    if (buffer->mapped) {
        es_set_error(ctx, GL_INVALID_OPERATION, "the buffer is mapped already");
        return NULL;
    }
    if (!buffer->data) {
        es_set_error(ctx, GL_OUT_OF_MEMORY, "the buffer has no storage");
        return NULL;
    }
    return buffer_begin_mapping(ctx, buffer, 0, buffer->size, GL_MAP_WRITE_BIT_EXT);
}

void *es_map_buffer_range(struct es_context *ctx, GLenum target, GLintptr offset, GLsizeiptr length,
                          GLbitfield access) {
    const GLbitfield all = GL_MAP_READ_BIT_EXT | GL_MAP_WRITE_BIT_EXT |
                           GL_MAP_INVALIDATE_RANGE_BIT_EXT | GL_MAP_INVALIDATE_BUFFER_BIT_EXT |
                           GL_MAP_FLUSH_EXPLICIT_BIT_EXT | GL_MAP_UNSYNCHRONIZED_BIT_EXT;
    const GLbitfield no_read = GL_MAP_INVALIDATE_RANGE_BIT_EXT | GL_MAP_INVALIDATE_BUFFER_BIT_EXT |
                               GL_MAP_UNSYNCHRONIZED_BIT_EXT;
    struct es_buffer **slot = buffer_slot(ctx, target);
    if (!slot) {
        return NULL;
    }
    if (offset < 0 || length < 0 || (access & ~all)) {
        if (access & ~all) {
            es_set_error(ctx, GL_INVALID_VALUE, "unknown access bits 0x%x", access & ~all);
        } else {
            es_set_error(ctx, GL_INVALID_VALUE, "negative %s", offset < 0 ? "offset" : "length");
        }
        return NULL;
    }
    struct es_buffer *buffer = buffer_bound(ctx, target);
    if (!buffer) {
        return NULL;
    }
    if ((size_t)offset > buffer->size || (size_t)length > buffer->size - (size_t)offset) {
        es_set_error(ctx, GL_INVALID_VALUE, "range ends beyond the buffer of %zu bytes",
                     buffer->size);
        return NULL;
    }
    if (buffer->mapped || length == 0) {
        es_set_error(ctx, GL_INVALID_OPERATION, buffer->mapped ? "the buffer is mapped already" : "length 0");
        return NULL;
    }
    if (!(access & (GL_MAP_READ_BIT_EXT | GL_MAP_WRITE_BIT_EXT)) ||
        ((access & GL_MAP_READ_BIT_EXT) && (access & no_read)) ||
        ((access & GL_MAP_FLUSH_EXPLICIT_BIT_EXT) && !(access & GL_MAP_WRITE_BIT_EXT))) {
        es_set_error(ctx, GL_INVALID_OPERATION, "access 0x%x contradicts itself, or neither reads nor writes", access);
        return NULL;
    }
    return buffer_begin_mapping(ctx, buffer, (size_t)offset, (size_t)length, access);
}

void es_flush_mapped_buffer_range(struct es_context *ctx, GLenum target, GLintptr offset,
                                  GLsizeiptr length) {
    struct es_buffer **slot = buffer_slot(ctx, target);
    if (!slot) {
        return;
    }
    if (offset < 0 || length < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "negative %s", offset < 0 ? "offset" : "length");
        return;
    }
    struct es_buffer *buffer = buffer_bound(ctx, target);
    if (!buffer) {
        return;
    }
    if (!buffer->mapped || !(buffer->map_access & GL_MAP_FLUSH_EXPLICIT_BIT_EXT)) {
        es_set_error(ctx, GL_INVALID_OPERATION, "the buffer is not mapped for explicit flushes");
        return;
    }
    if ((size_t)offset > buffer->map_length ||
        (size_t)length > buffer->map_length - (size_t)offset) {
        es_set_error(ctx, GL_INVALID_VALUE, "range ends beyond the mapping of %zu bytes",
                     buffer->map_length);
    }
}

GLboolean es_unmap_buffer(struct es_context *ctx, GLenum target) {
    struct es_buffer *buffer = buffer_bound(ctx, target);
    if (!buffer) {
        return GL_FALSE;
    }
    if (!buffer->mapped) {
        es_set_error(ctx, GL_INVALID_OPERATION, "the buffer is not mapped");
        return GL_FALSE;
    }
    buffer_end_mapping(ctx, buffer);
    return GL_TRUE;
}

void es_get_buffer_pointerv(struct es_context *ctx, GLenum target, GLenum pname, void **params) {
    if (!buffer_slot(ctx, target)) {
        return;
    }
    if (pname != GL_BUFFER_MAP_POINTER_OES) {
        es_set_error(ctx, GL_INVALID_ENUM, "parameter 0x%04x", pname);
        return;
    }
    const struct es_buffer *buffer = buffer_bound(ctx, target);
    if (buffer) {
        *params = buffer->mapped ? buffer->data + buffer->map_offset : NULL;
    }
}
