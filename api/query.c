/* SPDX-License-Identifier: MIT */
/*
 * EXT_occlusion_query_boolean. Query objects belong to one context. While one is active, draws ask the
 * renderer to count what passes (rn_fragment_state.count_passed); its result is whether that counter
 * grew. Drawing of a query is run when its result is wanted, or before another query begins, because
 * there is one counter.
 */
#include <stdlib.h>

#include "api/entry.h"
#include "api/state.h"

struct es_query {
    GLuint name;
    GLenum target;
    uint64_t before; /* the counter at its beginning */
    bool pending;    /* drawing of it may not have run yet */
    bool passed;
    char *label;
};

static bool is_target(GLenum target) {
    return target == GL_ANY_SAMPLES_PASSED_EXT || target == GL_ANY_SAMPLES_PASSED_CONSERVATIVE_EXT;
}

static uint64_t passed_samples(struct es_context *ctx) {
    uint64_t counters[RN_COUNTER_COUNT];
    rn_context_counters(ctx->renderer, counters);
    es_check_fault(ctx);
    return counters[RN_COUNTER_SAMPLES_PASSED];
}

/* Runs what the last query waits for. */
static void query_settle(struct es_context *ctx) {
    struct es_query *query = ctx->pending_query;
    if (query) {
        query->passed = passed_samples(ctx) > query->before;
        query->pending = false;
        ctx->pending_query = NULL;
    }
}

void es_gen_queries(struct es_context *ctx, GLsizei n, GLuint *ids) {
    if (n < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "negative count %d", n);
    } else if (!es_names_generate(&ctx->queries, n, ids)) {
        es_out_of_memory(ctx);
    }
}

/* An active query ends with its name. */
static void query_destroy(struct es_context *ctx, struct es_query *query) {
    if (ctx->query == query) {
        ctx->query = NULL;
        ctx->dirty |= ES_DIRTY_FRAGMENT;
    }
    if (ctx->pending_query == query) {
        query_settle(ctx);
    }
    free(query->label);
    free(query);
}

char **es_query_label(struct es_context *ctx, GLuint name) {
    struct es_query *query = es_names_find(&ctx->queries, name);
    return query ? &query->label : NULL;
}

void es_delete_queries(struct es_context *ctx, GLsizei n, const GLuint *ids) {
    if (n < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "negative count %d", n);
        return;
    }
    for (GLsizei i = 0; i < n; i++) {
        struct es_query *query = es_names_find(&ctx->queries, ids[i]);
        es_names_remove(&ctx->queries, ids[i]);
        if (query) {
            query_destroy(ctx, query);
        }
    }
}

void es_queries_fini(struct es_context *ctx) {
    uint32_t i = 0;
    struct es_query *query;
    while ((query = es_names_next(&ctx->queries, &i)) != NULL) {
        free(query->label);
        free(query);
    }
    es_names_fini(&ctx->queries);
}

GLboolean es_is_query(struct es_context *ctx, GLuint id) {
    return es_names_find(&ctx->queries, id) != NULL;
}

void es_begin_query(struct es_context *ctx, GLenum target, GLuint id) {
    if (!is_target(target)) {
        es_set_error(ctx, GL_INVALID_ENUM, "target 0x%04x", target);
        return;
    }
    if (ctx->query || !id || !es_names_is_used(&ctx->queries, id)) {
        es_set_error(ctx, GL_INVALID_OPERATION,
                     ctx->query ? "a query is active" : "%u is no name from glGenQueries", id);
        return;
    }
    struct es_query *query = es_names_find(&ctx->queries, id);
    if (query && query->target != target) {
        es_set_error(ctx, GL_INVALID_OPERATION, "query %u has another target", id);
        return;
    }
    if (!query) {
        query = calloc(1, sizeof *query);
        if (!query || !es_names_set(&ctx->queries, id, query)) {
            free(query);
            es_out_of_memory(ctx);
            return;
        }
        query->name = id;
        query->target = target;
    }
    query_settle(ctx);
    query->before = passed_samples(ctx);
    query->pending = true;
    ctx->pending_query = query;
    ctx->query = query;
    ctx->dirty |= ES_DIRTY_FRAGMENT;
}

void es_end_query(struct es_context *ctx, GLenum target) {
    if (!is_target(target)) {
        es_set_error(ctx, GL_INVALID_ENUM, "target 0x%04x", target);
        return;
    }
    if (!ctx->query || ctx->query->target != target) {
        es_set_error(ctx, GL_INVALID_OPERATION, "no query of target 0x%04x is active", target);
        return;
    }
    ctx->query = NULL;
    ctx->dirty |= ES_DIRTY_FRAGMENT;
}

void es_get_queryiv(struct es_context *ctx, GLenum target, GLenum pname, GLint *params) {
    if (!is_target(target) || pname != GL_CURRENT_QUERY_EXT) {
        const struct es_enum_check checks[] = {{"target", target, is_target(target)}, {"parameter", pname, false}};
        es_set_enum_error(ctx, checks);
        return;
    }
    *params = ctx->query && ctx->query->target == target ? (GLint)ctx->query->name : 0;
}

void es_get_query_objectuiv(struct es_context *ctx, GLuint id, GLenum pname, GLuint *params) {
    struct es_query *query = es_names_find(&ctx->queries, id);
    if (!query || query == ctx->query) {
        es_set_error(ctx, GL_INVALID_OPERATION, query ? "query %u is active" : "%u is no query",
                     id);
        return;
    }
    switch (pname) {
    case GL_QUERY_RESULT_EXT:
        if (query->pending) {
            query_settle(ctx);
        }
        *params = query->passed ? GL_TRUE : GL_FALSE;
        break;
    case GL_QUERY_RESULT_AVAILABLE_EXT: /* asking for it makes it so: nothing else would */
        if (query->pending) {
            query_settle(ctx);
        }
        *params = GL_TRUE;
        break;
    default: es_set_error(ctx, GL_INVALID_ENUM, "parameter 0x%04x", pname);
    }
}
