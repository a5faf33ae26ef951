/* SPDX-License-Identifier: MIT */
/*
 * trace.h: why a pixel is as it is: each draw that reached it, what the tests decided, and the shader step
 * by step (VLGL_TRACE). report.c writes the text.
 */
#ifndef API_TRACE_H
#define API_TRACE_H

#include "api/environment.h"
#include "api/report.h"
#include "vm/base/str.h"

struct es_program;
struct es_trace;

/* NULL when memory is out. */
struct es_trace *es_trace_create(const struct es_trace_at *at);
void es_trace_destroy(struct es_trace *trace);

/* A program was linked: keeps the text of its shaders, which the client may take away. */
void es_trace_link(struct es_trace *trace, const struct es_program *program);
/* The draw itself, done by 'draw', and all that is to be told of it. */
enum vliw_status es_trace_draw(struct es_trace *trace, struct es_context *ctx, uint32_t frame,
                               const struct rn_draw_call *call, es_draw_fn draw);
enum vliw_status es_trace_clear(struct es_trace *trace, struct es_context *ctx, uint32_t frame,
                                const struct rn_clear *clear);
/* What was seen, as JSON; false if the frame never came. */
bool es_trace_text(const struct es_trace *trace, struct str *out);

#endif
