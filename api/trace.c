/* SPDX-License-Identifier: MIT */
#include "api/trace.h"
#include <stdlib.h>
struct es_trace { struct es_trace_at at; };
struct es_trace *es_trace_create(const struct es_trace_at *at) { struct es_trace *t = calloc(1, sizeof *t); if (t) t->at = *at; return t; }
void es_trace_destroy(struct es_trace *trace) { free(trace); }
enum vliw_status es_trace_draw(struct es_trace *trace, struct es_context *ctx, uint32_t frame,
                               const struct rn_draw_call *call, es_draw_fn draw) { (void)trace; (void)frame; return draw(ctx, call); }
enum vliw_status es_trace_clear(struct es_trace *trace, struct es_context *ctx, uint32_t frame,
                                const struct rn_clear *clear) { (void)trace; (void)frame; (void)ctx; (void)clear; return VLIW_OK; }
bool es_trace_text(const struct es_trace *trace, struct str *out) { (void)trace; (void)out; return false; }
