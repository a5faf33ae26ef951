/* SPDX-License-Identifier: MIT */
/*
 * Prototypes of the implementations of all GL entry points, made from entry.def. Each gets the
 * current context, never NULL and not lost; with the share group's mutex held if its row says
 * SHARED or FLUSHED.
 */
#ifndef API_ENTRY_H
#define API_ENTRY_H

#ifndef GL_GLEXT_PROTOTYPES
#define GL_GLEXT_PROTOTYPES 1
#endif
#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>
#include <stdint.h>

struct es_context;

#define VLGL_PROTOTYPES 1
#include "api/vlgl.h" /* vlglGetCounters */

#define ES_LIST(...)                         __VA_ARGS__
#define ES_V(name, impl, lock, params, args) void es_##impl(struct es_context *ctx, ES_LIST params);
#define ES_R(ret, name, impl, lock, params, args)                                                  \
    ret es_##impl(struct es_context *ctx, ES_LIST params);
#define ES_V0(name, impl, lock)      void es_##impl(struct es_context *ctx);
#define ES_R0(ret, name, impl, lock) ret es_##impl(struct es_context *ctx);
#include "api/entry.def"
#undef ES_V
#undef ES_R
#undef ES_V0
#undef ES_R0

#endif
