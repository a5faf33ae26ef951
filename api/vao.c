/* SPDX-License-Identifier: MIT */
/*
 * Vertex array objects (OES_vertex_array_object). They belong to one context; name 0 is its default
 * one.
 */
#include <stdlib.h>

#include "api/entry.h"
#include "api/state.h"

void es_vao_init(struct es_vao *vao, GLuint name) {
    *vao = (struct es_vao){.name = name};
    for (unsigned i = 0; i < ES_MAX_ATTRIBS; i++) {
        vao->attribs[i].size = 4;
        vao->attribs[i].type = GL_FLOAT;
    }
}

void es_vao_fini(struct es_vao *vao) {
    for (unsigned i = 0; i < ES_MAX_ATTRIBS; i++) {
        es_buffer_unref(vao->attribs[i].buffer);
    }
    es_buffer_unref(vao->elements);
    free(vao->label);
}

static void vao_bind(struct es_context *ctx, struct es_vao *vao) {
    if (ctx->vao != vao) {
        ctx->vao = vao;
        ctx->dirty |= ES_DIRTY_ATTRIBS;
    }
}

void es_gen_vertex_arrays(struct es_context *ctx, GLsizei n, GLuint *arrays) {
    if (n < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "negative count %d", n);
    } else if (!es_names_generate(&ctx->vaos, n, arrays)) {
        es_out_of_memory(ctx);
    }
}

void es_bind_vertex_array(struct es_context *ctx, GLuint array) {
    struct es_vao *vao = &ctx->default_vao;
    if (array) {
        vao = es_names_find(&ctx->vaos, array);
        if (!vao) {
            if (!es_names_is_used(&ctx->vaos, array)) {
                es_set_error(ctx, GL_INVALID_OPERATION, "%u is no name from glGenVertexArrays",
                             array);
                return;
            }
            vao = malloc(sizeof *vao);
            if (!vao || !es_names_set(&ctx->vaos, array, vao)) {
                free(vao);
                es_out_of_memory(ctx);
                return;
            }
            es_vao_init(vao, array);
        }
    }
    vao_bind(ctx, vao);
}

void es_delete_vertex_arrays(struct es_context *ctx, GLsizei n, const GLuint *arrays) {
    if (n < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "negative count %d", n);
        return;
    }
    for (GLsizei i = 0; i < n; i++) {
        struct es_vao *vao = es_names_find(&ctx->vaos, arrays[i]);
        es_names_remove(&ctx->vaos, arrays[i]);
        if (vao) {
            if (ctx->vao == vao) {
                vao_bind(ctx, &ctx->default_vao);
            }
            es_vao_fini(vao);
            free(vao);
        }
    }
}

GLboolean es_is_vertex_array(struct es_context *ctx, GLuint array) {
    return es_names_find(&ctx->vaos, array) != NULL;
}
