/* SPDX-License-Identifier: MIT */
/*
 * The only place that sets a GL error. The first error wins until glGetError reads it (ES 2.0.25
 * 2.5); the reason for the person goes to stderr under VLGL_DEBUG=errors and to KHR_debug.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/entry.h"
#include "api/state.h"

/* VLGL_DEBUG is a list of words separated by commas. */
bool es_debug_flag(const char *word) {
    const char *list = getenv("VLGL_DEBUG");
    size_t length = strlen(word);
    while (list && *list) {
        const char *end = strchr(list, ',');
        size_t n = end ? (size_t)(end - list) : strlen(list);
        if (n == length && strncmp(list, word, n) == 0) {
            return true;
        }
        list = end ? end + 1 : NULL;
    }
    return false;
}

static const char *error_name(GLenum error) {
    switch (error) {
    case GL_INVALID_ENUM: return "GL_INVALID_ENUM";
    case GL_INVALID_VALUE: return "GL_INVALID_VALUE";
    case GL_INVALID_OPERATION: return "GL_INVALID_OPERATION";
    case GL_INVALID_FRAMEBUFFER_OPERATION: return "GL_INVALID_FRAMEBUFFER_OPERATION";
    case GL_OUT_OF_MEMORY: return "GL_OUT_OF_MEMORY";
    case GL_CONTEXT_LOST_KHR: return "GL_CONTEXT_LOST";
    case GL_STACK_OVERFLOW_KHR: return "GL_STACK_OVERFLOW";
    case GL_STACK_UNDERFLOW_KHR: return "GL_STACK_UNDERFLOW";
    default: return "error";
    }
}

void es_set_error(struct es_context *ctx, GLenum error, const char *reason, ...) {
    if (ctx->error == GL_NO_ERROR) {
        ctx->error = error;
    }
    bool print = es_debug_flag("errors");
    if (!print && !ctx->state.debug_output) {
        return;
    }
    char text[400];
    int n =
        snprintf(text, sizeof text, "%s in %s: ", error_name(error), ctx->call ? ctx->call : "EGL");
    if (n < 0 || (size_t)n >= sizeof text) {
        n = 0;
    }
    va_list args;
    va_start(args, reason);
    vsnprintf(text + n, sizeof text - (size_t)n, reason, args);
    va_end(args);
    if (print) {
        fprintf(stderr, "vlgl: %s\n", text);
    }
    es_debug_error(ctx, error, text);
}

void es_set_enum_error(struct es_context *ctx, const struct es_enum_check *checks) {
    while (checks->legal) {
        checks++;
    }
    es_set_error(ctx, GL_INVALID_ENUM, "%s 0x%04x", checks->name, checks->value);
}

void es_out_of_memory(struct es_context *ctx) {
    es_set_error(ctx, GL_OUT_OF_MEMORY, "out of memory");
}

GLenum es_get_error(struct es_context *ctx) {
    if (ctx->lost) {
        /* EXT_robustness: CONTEXT_LOST once; earlier errors went with the context. */
        bool first = !ctx->lost_reported;
        ctx->lost_reported = true;
        return first ? GL_CONTEXT_LOST_KHR : GL_NO_ERROR;
    }
    GLenum error = ctx->error;
    ctx->error = GL_NO_ERROR;
    return error;
}

GLenum es_get_graphics_reset_status(struct es_context *ctx) {
    if (!ctx->lost || !ctx->desc.lose_on_reset || ctx->reset_reported) {
        return GL_NO_ERROR;
    }
    /* Once: the reset is over when it is reported, as nothing else shares the processor's state. */
    ctx->reset_reported = true;
    return GL_GUILTY_CONTEXT_RESET_EXT;
}
