/* SPDX-License-Identifier: MIT */
/*
 * KHR_debug messages: the log, the callback, filters and groups; EXT_debug_marker, whose markers
 * become messages. State is allocated when first needed: a context that never debugs pays one NULL
 * test.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/entry.h"
#include "api/state.h"

#define SOURCES      6 /* GL_DEBUG_SOURCE_API_KHR .. OTHER */
#define TYPES        9 /* GL_DEBUG_TYPE_ERROR .. OTHER, MARKER, PUSH, POP */
#define SEVERITIES   4 /* HIGH, MEDIUM, LOW, NOTIFICATION */
#define MAX_ID_RULES 64

struct debug_message {
    GLenum source, type, severity;
    GLuint id;
    char *text;
};

struct debug_rule { /* of single ids */
    GLenum source, type;
    GLuint id;
    bool enabled;
};

struct debug_filter {
    bool enabled[SOURCES][TYPES][SEVERITIES];
    struct debug_rule rules[MAX_ID_RULES];
    unsigned rule_count;
};

struct debug_group {
    struct debug_filter filter; /* to restore at pop */
    struct debug_message message;
};

struct es_debug {
    GLDEBUGPROCKHR callback;
    const void *user;
    struct debug_filter filter;
    struct debug_message log[ES_DEBUG_MAX_LOGGED];
    unsigned first, count; /* ring */
    struct debug_group *groups[ES_DEBUG_MAX_GROUPS];
    unsigned depth; /* groups pushed */
};

/* ---- enums to indices ------------------------------------------------------------------------ */

static int debug_source_index(GLenum source) {
    return source >= GL_DEBUG_SOURCE_API_KHR && source <= GL_DEBUG_SOURCE_OTHER_KHR
               ? (int)(source - GL_DEBUG_SOURCE_API_KHR)
               : -1;
}

static int debug_type_index(GLenum type) {
    if (type >= GL_DEBUG_TYPE_ERROR_KHR && type <= GL_DEBUG_TYPE_OTHER_KHR) {
        return (int)(type - GL_DEBUG_TYPE_ERROR_KHR);
    }
    if (type >= GL_DEBUG_TYPE_MARKER_KHR && type <= GL_DEBUG_TYPE_POP_GROUP_KHR) {
        return (int)(type - GL_DEBUG_TYPE_MARKER_KHR) + 6;
    }
    return -1;
}

static int debug_severity_index(GLenum severity) {
    switch (severity) {
    case GL_DEBUG_SEVERITY_HIGH_KHR: return 0;
    case GL_DEBUG_SEVERITY_MEDIUM_KHR: return 1;
    case GL_DEBUG_SEVERITY_LOW_KHR: return 2;
    case GL_DEBUG_SEVERITY_NOTIFICATION_KHR: return 3;
    default: return -1;
    }
}

/* ---- state ----------------------------------------------------------------------------------- */

static struct es_debug *debug_state(struct es_context *ctx) {
    if (!ctx->debug) {
        ctx->debug = calloc(1, sizeof *ctx->debug);
        if (ctx->debug) {
            for (unsigned s = 0; s < SOURCES; s++) {
                for (unsigned t = 0; t < TYPES; t++) {
                    for (unsigned v = 0; v < SEVERITIES; v++) {
                        ctx->debug->filter.enabled[s][t][v] = v != 2; /* all but low */
                    }
                }
            }
        }
    }
    return ctx->debug;
}

void es_debug_fini(struct es_context *ctx) {
    struct es_debug *d = ctx->debug;
    if (!d) {
        return;
    }
    for (unsigned i = 0; i < d->count; i++) {
        free(d->log[(d->first + i) % ES_DEBUG_MAX_LOGGED].text);
    }
    for (unsigned i = 0; i < d->depth; i++) {
        free(d->groups[i]->message.text);
        free(d->groups[i]);
    }
    free(d);
    ctx->debug = NULL;
}

static bool debug_is_enabled(const struct debug_filter *f, GLenum source, GLenum type, GLuint id,
                             GLenum severity) {
    for (unsigned i = f->rule_count; i-- > 0;) {
        const struct debug_rule *rule = &f->rules[i];
        if (rule->id == id && rule->source == source && rule->type == type) {
            return rule->enabled;
        }
    }
    return f->enabled[debug_source_index(source)][debug_type_index(type)]
                     [debug_severity_index(severity)];
}

/* Delivers a message to the callback or the log. */
static void debug_emit(struct es_context *ctx, GLenum source, GLenum type, GLuint id,
                       GLenum severity, const char *text, size_t length) {
    struct es_debug *d = ctx->state.debug_output ? debug_state(ctx) : NULL;
    if (!d || !debug_is_enabled(&d->filter, source, type, id, severity)) {
        return;
    }
    if (d->callback) {
        char message[ES_DEBUG_MAX_LENGTH]; /* terminated, which a client's text of a given length need not be */
        length = length < sizeof message ? length : sizeof message - 1;
        memcpy(message, text, length);
        message[length] = '\0';
        d->callback(source, type, id, severity, (GLsizei)length, message, d->user);
        return;
    }
    if (d->count == ES_DEBUG_MAX_LOGGED) {
        return; /* SPEC: KHR_debug: a full log drops new messages */
    }
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
        d->log[(d->first + d->count++) % ES_DEBUG_MAX_LOGGED] =
            (struct debug_message){source, type, severity, id, copy};
    }
}

void es_debug_error(struct es_context *ctx, GLenum error, const char *text) {
    debug_emit(ctx, GL_DEBUG_SOURCE_API_KHR, GL_DEBUG_TYPE_ERROR_KHR, error,
               GL_DEBUG_SEVERITY_HIGH_KHR, text, strlen(text));
}

void es_debug_lost(struct es_context *ctx, const char *text) {
    if (es_debug_flag("errors")) {
        fprintf(stderr, "vlgl: context lost: %s\n", text);
    }
    if (ctx->state.debug_output) {
        debug_emit(ctx, GL_DEBUG_SOURCE_API_KHR, GL_DEBUG_TYPE_ERROR_KHR, GL_CONTEXT_LOST_KHR,
                   GL_DEBUG_SEVERITY_HIGH_KHR, text, strlen(text));
    }
}

GLint es_debug_group_depth(const struct es_context *ctx) {
    return ctx->debug ? (GLint)ctx->debug->depth + 1 : 1;
}

GLint es_debug_logged(const struct es_context *ctx) {
    return ctx->debug ? (GLint)ctx->debug->count : 0;
}

GLint es_debug_next_length(const struct es_context *ctx) {
    const struct es_debug *d = ctx->debug;
    return d && d->count ? (GLint)strlen(d->log[d->first].text) + 1 : 0;
}

bool es_debug_pointer(const struct es_context *ctx, GLenum pname, void **value) {
    if (pname == GL_DEBUG_CALLBACK_FUNCTION_KHR) {
        GLDEBUGPROCKHR callback = ctx->debug ? ctx->debug->callback : NULL;
        memcpy(value, &callback, sizeof *value);
        return true;
    }
    if (pname == GL_DEBUG_CALLBACK_USER_PARAM_KHR) {
        const void *user = ctx->debug ? ctx->debug->user : NULL;
        memcpy(value, &user, sizeof *value);
        return true;
    }
    return false;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Length of a client's text, -1 and GL_INVALID_VALUE if too long. */
static int debug_length(struct es_context *ctx, GLsizei length, const GLchar *text) {
    size_t n = length < 0 ? strlen(text) : (size_t)length;
    if (n >= ES_DEBUG_MAX_LENGTH) {
        es_set_error(ctx, GL_INVALID_VALUE, "message of %zu characters", n);
        return -1;
    }
    return (int)n;
}

void es_debug_message_insert(struct es_context *ctx, GLenum source, GLenum type, GLuint id,
                             GLenum severity, GLsizei length, const GLchar *buf) {
    if ((source != GL_DEBUG_SOURCE_APPLICATION_KHR && source != GL_DEBUG_SOURCE_THIRD_PARTY_KHR) ||
        debug_type_index(type) < 0 || debug_severity_index(severity) < 0) {
        const struct es_enum_check checks[] = {
            {"source", source, source == GL_DEBUG_SOURCE_APPLICATION_KHR || source == GL_DEBUG_SOURCE_THIRD_PARTY_KHR},
            {"type", type, debug_type_index(type) >= 0},
            {"severity", severity, false}};
        es_set_enum_error(ctx, checks);
        return;
    }
    int n = debug_length(ctx, length, buf);
    if (n >= 0) {
        debug_emit(ctx, source, type, id, severity, buf, (size_t)n);
    }
}

void es_debug_message_callback(struct es_context *ctx, GLDEBUGPROCKHR callback,
                               const void *userParam) {
    struct es_debug *d = debug_state(ctx);
    if (!d) {
        es_out_of_memory(ctx);
        return;
    }
    d->callback = callback;
    d->user = userParam;
}

GLuint es_get_debug_message_log(struct es_context *ctx, GLuint count, GLsizei bufSize,
                                GLenum *sources, GLenum *types, GLuint *ids, GLenum *severities,
                                GLsizei *lengths, GLchar *messageLog) {
    if (bufSize < 0 && messageLog) {
        es_set_error(ctx, GL_INVALID_VALUE, "buffer size %d", bufSize);
        return 0;
    }
    struct es_debug *d = ctx->debug;
    GLuint n = 0;
    size_t used = 0;
    while (d && n < count && d->count) {
        struct debug_message *m = &d->log[d->first];
        size_t length = strlen(m->text) + 1;
        if (messageLog && used + length > (size_t)bufSize) {
            break;
        }
        if (messageLog) {
            memcpy(messageLog + used, m->text, length);
            used += length;
        }
        if (sources) {
            sources[n] = m->source;
        }
        if (types) {
            types[n] = m->type;
        }
        if (ids) {
            ids[n] = m->id;
        }
        if (severities) {
            severities[n] = m->severity;
        }
        if (lengths) {
            lengths[n] = (GLsizei)length;
        }
        free(m->text);
        d->first = (d->first + 1) % ES_DEBUG_MAX_LOGGED;
        d->count--;
        n++;
    }
    return n;
}

/* ---- filters --------------------------------------------------------------------------------- */

static void debug_control_ids(struct es_context *ctx, struct debug_filter *f, GLenum source,
                              GLenum type, GLsizei count, const GLuint *ids, bool enabled) {
    for (GLsizei i = 0; i < count; i++) {
        unsigned r = 0;
        while (r < f->rule_count && (f->rules[r].id != ids[i] || f->rules[r].source != source ||
                                     f->rules[r].type != type)) {
            r++;
        }
        if (r == MAX_ID_RULES) {
            es_set_error(ctx, GL_OUT_OF_MEMORY, "more than %d message ids are filtered",
                         MAX_ID_RULES);
            return;
        }
        f->rules[r] = (struct debug_rule){source, type, ids[i], enabled};
        f->rule_count = r == f->rule_count ? r + 1 : f->rule_count;
    }
}

void es_debug_message_control(struct es_context *ctx, GLenum source, GLenum type, GLenum severity,
                              GLsizei count, const GLuint *ids, GLboolean enabled) {
    int si = debug_source_index(source);
    int ti = debug_type_index(type);
    int vi = debug_severity_index(severity);
    if ((si < 0 && source != GL_DONT_CARE) || (ti < 0 && type != GL_DONT_CARE) ||
        (vi < 0 && severity != GL_DONT_CARE)) {
        const struct es_enum_check checks[] = {{"source", source, si >= 0 || source == GL_DONT_CARE},
                                               {"type", type, ti >= 0 || type == GL_DONT_CARE},
                                               {"severity", severity, false}};
        es_set_enum_error(ctx, checks);
        return;
    }
    if (count < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "negative count %d", count);
        return;
    }
    if (count > 0 && (si < 0 || ti < 0 || vi >= 0)) {
        es_set_error(ctx, GL_INVALID_OPERATION, "ids need a source and a type and no severity");
        return;
    }
    struct es_debug *d = debug_state(ctx);
    if (!d) {
        es_out_of_memory(ctx);
        return;
    }
    if (count > 0) {
        debug_control_ids(ctx, &d->filter, source, type, count, ids, enabled != GL_FALSE);
        return;
    }
    for (int s = 0; s < SOURCES; s++) {
        for (int t = 0; t < TYPES; t++) {
            for (int v = 0; v < SEVERITIES; v++) {
                if ((si < 0 || s == si) && (ti < 0 || t == ti) && (vi < 0 || v == vi)) {
                    d->filter.enabled[s][t][v] = enabled != GL_FALSE;
                }
            }
        }
    }
}

/* ---- groups ---------------------------------------------------------------------------------- */

void es_push_debug_group(struct es_context *ctx, GLenum source, GLuint id, GLsizei length,
                         const GLchar *message) {
    if (source != GL_DEBUG_SOURCE_APPLICATION_KHR && source != GL_DEBUG_SOURCE_THIRD_PARTY_KHR) {
        es_set_error(ctx, GL_INVALID_ENUM, "source 0x%04x", source);
        return;
    }
    int n = debug_length(ctx, length, message);
    if (n < 0) {
        return;
    }
    struct es_debug *d = debug_state(ctx);
    if (d && d->depth + 1 >= ES_DEBUG_MAX_GROUPS) {
        es_set_error(ctx, GL_STACK_OVERFLOW_KHR, "%u groups", d->depth);
        return;
    }
    struct debug_group *group = d ? malloc(sizeof *group) : NULL;
    char *text = group ? malloc((size_t)n + 1) : NULL;
    if (!text) {
        free(group);
        es_out_of_memory(ctx);
        return;
    }
    memcpy(text, message, (size_t)n);
    text[n] = '\0';
    debug_emit(ctx, source, GL_DEBUG_TYPE_PUSH_GROUP_KHR, id, GL_DEBUG_SEVERITY_NOTIFICATION_KHR,
               text, (size_t)n);
    group->filter = d->filter;
    group->message = (struct debug_message){source, GL_DEBUG_TYPE_POP_GROUP_KHR,
                                            GL_DEBUG_SEVERITY_NOTIFICATION_KHR, id, text};
    d->groups[d->depth++] = group;
}

void es_pop_debug_group(struct es_context *ctx) {
    struct es_debug *d = ctx->debug;
    if (!d || !d->depth) {
        es_set_error(ctx, GL_STACK_UNDERFLOW_KHR, "no group to pop");
        return;
    }
    struct debug_group *group = d->groups[--d->depth];
    d->filter = group->filter;
    debug_emit(ctx, group->message.source, GL_DEBUG_TYPE_POP_GROUP_KHR, group->message.id,
               GL_DEBUG_SEVERITY_NOTIFICATION_KHR, group->message.text,
               strlen(group->message.text));
    free(group->message.text);
    free(group);
}

/* ---- EXT_debug_marker: a length of 0 means a terminated string ------------------------------- */

static void debug_marker(struct es_context *ctx, GLenum type, GLsizei length,
                         const GLchar *marker) {
    if (marker && ctx->state.debug_output) {
        size_t n = length > 0 ? (size_t)length : strlen(marker);
        n = n < ES_DEBUG_MAX_LENGTH ? n : ES_DEBUG_MAX_LENGTH - 1;
        debug_emit(ctx, GL_DEBUG_SOURCE_APPLICATION_KHR, type, 0,
                   GL_DEBUG_SEVERITY_NOTIFICATION_KHR, marker, n);
    }
}

void es_insert_event_marker(struct es_context *ctx, GLsizei length, const GLchar *marker) {
    debug_marker(ctx, GL_DEBUG_TYPE_MARKER_KHR, length, marker);
}

void es_push_group_marker(struct es_context *ctx, GLsizei length, const GLchar *marker) {
    debug_marker(ctx, GL_DEBUG_TYPE_PUSH_GROUP_KHR, length, marker);
}

void es_pop_group_marker(struct es_context *ctx) {
    debug_marker(ctx, GL_DEBUG_TYPE_POP_GROUP_KHR, 0, "");
}
