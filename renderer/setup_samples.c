/* SPDX-License-Identifier: MIT */
/*
 * Lines and points on targets with samples (ES 2.0.25 3.3.1, 3.4.4): a sample is covered if it lies in
 * the line's rectangle (as long as the segment, as wide as the line) or in the point's square. Both
 * are handed on as the two triangles of a four-cornered polygon, which share a diagonal: by the fill
 * rule each sample belongs to one of them. Corners are 24.8, so the edges are exact. The planes are
 * those of the line or point, equal in both halves.
 */
#include <math.h>
#include <string.h>

#include "renderer/internal.h"

/* Halves go up; |v| is far below 2^31. */
static int32_t nearest(double v) {
    const double up = v + 0.5;
    const int32_t i = (int32_t)up;
    return (double)i > up ? i - 1 : i;
}

/* The edge from corner a to corner b with the inside to its left; setup_tri.c has the derivation. */
static void set_edge(struct rn_prim *prim, unsigned index, const int32_t *a, const int32_t *b) {
    const int32_t ea = a[1] - b[1], eb = b[0] - a[0];
    const bool owned = ea > 0 || (ea == 0 && eb > 0);
    const int64_t c = (int64_t)ea * (RN_SUBPIXEL / 2 - a[0]) + (int64_t)eb * (RN_SUBPIXEL / 2 - a[1]) - (owned ? 0 : 1);
    prim->e[index].a = ea;
    prim->e[index].b = eb;
    prim->e[index].c = c >> RN_SUBPIXEL_BITS;
    prim->edge_low[index] = (uint8_t)(c & (RN_SUBPIXEL - 1));
}

/* Pixels that can have a sample inside. */
static struct rn_rect corner_box(const int32_t corners[4][2]) {
    struct rn_rect box = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
    for (unsigned i = 0; i < 4; i++) {
        const int32_t x = corners[i][0] >> RN_SUBPIXEL_BITS, y = corners[i][1] >> RN_SUBPIXEL_BITS;
        box.x0 = x < box.x0 ? x : box.x0;
        box.y0 = y < box.y0 ? y : box.y0;
        box.x1 = x + 1 > box.x1 ? x + 1 : box.x1;
        box.y1 = y + 1 > box.y1 ? y + 1 : box.y1;
    }
    return box;
}

/* 'first' is a primitive with planes and everything else set but kind, box and edges; corners in ccw order. */
static bool push_polygon(struct rn_front_worker *worker, struct rn_prim *first, const int32_t corners[4][2]) {
    const struct rn_rect box = rn_rect_intersect(corner_box(corners), worker->draw->cull.box);
    if (rn_rect_empty(box)) {
        worker->chunk->culled++;
        return true;
    }
    struct rn_prim *second = rn_prim_new(worker);
    if (!second) {
        return false;
    }
    first->kind = RN_PRIM_TRIANGLE;
    rn_prim_set_box(first, box);
    memcpy(second, first, worker->draw->prim_bytes);
    set_edge(first, 0, corners[0], corners[1]);
    set_edge(first, 1, corners[1], corners[2]);
    set_edge(first, 2, corners[2], corners[0]);
    set_edge(second, 0, corners[0], corners[2]);
    set_edge(second, 1, corners[2], corners[3]);
    set_edge(second, 2, corners[3], corners[0]);
    return rn_bin_prim(worker, first) && rn_bin_prim(worker, second);
}

bool rn_setup_line_samples(struct rn_front_worker *worker, int32_t i0, int32_t i1) {
    const struct rn_slots *s = &worker->slots;
    const int32_t ax = s->spot[i0].x, ay = s->spot[i0].y, bx = s->spot[i1].x, by = s->spot[i1].y;
    const double dx = (double)(bx - ax), dy = (double)(by - ay);
    if (dx == 0.0 && dy == 0.0) {
        worker->chunk->culled++;
        return true;
    }
    struct rn_prim *prim = rn_prim_new(worker);
    if (!prim) {
        return false;
    }
    const double half = (double)worker->draw->line_width_fixed * 0.5 / sqrt(dx * dx + dy * dy);
    const int32_t nx = nearest(-dy * half), ny = nearest(dx * half);
    const int32_t corners[4][2] = {{ax - nx, ay - ny}, {bx - nx, by - ny}, {bx + nx, by + ny}, {ax + nx, ay + ny}};
    prim->front_facing = true;
    rn_line_planes(worker, i0, i1, prim);
    return push_polygon(worker, prim, corners);
}

bool rn_setup_point_samples(struct rn_front_worker *worker, int32_t slot, int32_t size, struct rn_prim *prim) {
    const int32_t x = worker->slots.spot[slot].x, y = worker->slots.spot[slot].y;
    const int32_t x0 = (2 * x - size) >> 1, y0 = (2 * y - size) >> 1, x1 = x0 + size, y1 = y0 + size;
    const int32_t corners[4][2] = {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}};
    return push_polygon(worker, prim, corners);
}
