/* SPDX-License-Identifier: MIT */
/*
 * report.h: what the library tells about its own work when VLGL_PROFILE, VLGL_TRACE or VLGL_WARPS asks,
 * or a view is on (vlgl.h). A context without any of these has no report: one NULL test a draw is all it pays.
 */
#ifndef API_REPORT_H
#define API_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "renderer/renderer.h"

struct es_context;
struct es_program;
struct es_report;

typedef enum vliw_status (*es_draw_fn)(struct es_context *ctx, const struct rn_draw_call *call);

/* Gives the context a report if the environment asks for one. False when memory is out. */
bool es_report_open(struct es_context *ctx);
/* Writes what there is and frees the context's report. */
void es_report_close(struct es_context *ctx);

/* A draw and a clear under the report's eyes: run to the end at once, which changes no pixel. */
enum vliw_status es_report_draw(struct es_context *ctx, const struct rn_draw_call *call, es_draw_fn draw);
enum vliw_status es_report_clear(struct es_context *ctx, const struct rn_clear *clear);
/* A program was linked. */
void es_report_link(struct es_context *ctx, const struct es_program *program);
/* A frame has ended (eglSwapBuffers, glFinish): counted if anything was drawn since the last end. */
void es_report_frame(struct es_context *ctx);

#endif
