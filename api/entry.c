/* SPDX-License-Identifier: MIT */
/*
 * The exported GL functions and the table of their addresses, both made from entry.def. A call
 * finds the current context of its thread, notes its name for messages, takes the share group's
 * mutex if its row says so and runs the implementation. Without a context, and on a lost one,
 * nothing happens and the result is 0 (EXT_robustness).
 */
#include "api/entry.h"

#include <string.h>

#include "api/state.h"

#define ES_LIST_ARGS(...) __VA_ARGS__

/* What surrounds a call, by the row's lock column. */
#define ES_ENTER_LOCAL(ctx) (!(ctx)->lost)
#define ES_LEAVE_LOCAL(ctx) (void)0
#define ES_ENTER_ALWAYS(ctx) true
#define ES_LEAVE_ALWAYS(ctx) (void)0
#define ES_ENTER_SHARED(ctx) (!(ctx)->lost && (es_lock(ctx), true))
#define ES_LEAVE_SHARED(ctx) es_unlock(ctx)
#define ES_ENTER_FLUSHED(ctx) (!(ctx)->lost && es_run_pending(ctx) && (es_lock(ctx), true))
#define ES_LEAVE_FLUSHED(ctx) es_unlock(ctx)

#define ES_BODY_V(name, lock, statement)                     \
    struct es_context *ctx = es_get_current();            \
    if (ctx && ES_ENTER_##lock(ctx)) {                    \
        ctx->call = #name;                                \
        statement;                                        \
        ES_LEAVE_##lock(ctx);                             \
    }
#define ES_BODY_R(ret, name, lock, expression)            \
    struct es_context *ctx = es_get_current();            \
    ret result = (ret)0;                                  \
    if (ctx && ES_ENTER_##lock(ctx)) {                    \
        ctx->call = #name;                                \
        result = expression;                              \
        ES_LEAVE_##lock(ctx);                             \
    }                                                     \
    return result;

#define ES_V(name, impl, lock, params, args)                                                    \
    ES_PUBLIC void name(ES_LIST_ARGS params) {                                                  \
        ES_BODY_V(name, lock, es_##impl(ctx, ES_LIST_ARGS args))                                \
    }                                                                                           \
    ES_EXPORT(name);
#define ES_R(ret, name, impl, lock, params, args)                                               \
    ES_PUBLIC ret name(ES_LIST_ARGS params) {                                                   \
        ES_BODY_R(ret, name, lock, es_##impl(ctx, ES_LIST_ARGS args))                           \
    }                                                                                           \
    ES_EXPORT(name);
#define ES_V0(name, impl, lock)                                                                 \
    ES_PUBLIC void name(void) {                                                                 \
        ES_BODY_V(name, lock, es_##impl(ctx))                                                   \
    }                                                                                           \
    ES_EXPORT(name);
#define ES_R0(ret, name, impl, lock)                                                            \
    ES_PUBLIC ret name(void) {                                                                  \
        ES_BODY_R(ret, name, lock, es_##impl(ctx))                                              \
    }                                                                                           \
    ES_EXPORT(name);
#include "api/entry.def"
#undef ES_V
#undef ES_R
#undef ES_V0
#undef ES_R0

struct es_entry_row {
    const char *name;
    es_proc_fn address;
};

static const struct es_entry_row entry_rows[] = {
#define ES_V(name, impl, lock, params, args) {#name, (es_proc_fn)name},
#define ES_R(ret, name, impl, lock, params, args) {#name, (es_proc_fn)name},
#define ES_V0(name, impl, lock) {#name, (es_proc_fn)name},
#define ES_R0(ret, name, impl, lock) {#name, (es_proc_fn)name},
#include "api/entry.def"
#undef ES_V
#undef ES_R
#undef ES_V0
#undef ES_R0
};

/* A linear search: clients ask for a few hundred names, once. */
es_proc_fn es_get_proc_address(const char *name) {
    if (!name) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof entry_rows / sizeof entry_rows[0]; i++) {
        if (strcmp(entry_rows[i].name, name) == 0) {
            return entry_rows[i].address;
        }
    }
    return NULL;
}
