/* SPDX-License-Identifier: MIT */
/*
 * view.h: per-pixel figures of the window's pixels while a view is on (vlgl.h, vlglViewBegin): how often
 * a pixel was shaded, what that cost. Filled by the renderer's recorder.
 */
#ifndef API_VIEW_H
#define API_VIEW_H

#include <stdint.h>

#include "renderer/renderer.h"

struct es_view;

/* For a picture of this size; kind is enum vlgl_view. NULL when memory is out. */
struct es_view *es_view_create(int kind, uint32_t width, uint32_t height);
void es_view_destroy(struct es_view *view);
/* The draw whose fragments come next, to be called between flushes. */
void es_view_begin_draw(struct es_view *view, const struct rn_draw_state *state);
const struct rn_recorder *es_view_recorder(struct es_view *view);
/* Copies the figures, rows from the bottom, width * height values. */
void es_view_read(const struct es_view *view, uint32_t *values);
int es_view_kind(const struct es_view *view);
uint32_t es_view_width(const struct es_view *view);
uint32_t es_view_height(const struct es_view *view);

#endif
