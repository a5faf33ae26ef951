/* SPDX-License-Identifier: MIT */
/*
 * Triangle set-up: three slots become edge functions, planes and a pixel box (contract: renderer/README.md,
 * ES 2.0.25 3.5). Window coordinates are 24.8 integers, y up.
 *
 * The vertices are put in counter-clockwise order, so the area is positive and the inside of an edge
 * A -> B is to its left: E(P) = a (Px - Ax) + b (Py - Ay), a = Ay - By, b = Bx - Ax, E > 0 inside. A sample
 * with E = 0 belongs to the triangle if the edge is a left one (going down: a > 0) or a horizontal bottom
 * one (going right: a = 0, b > 0). That is the top-left rule with rows counted from row 0 of the image;
 * with y up the "top" edge is the one with the lower y. Reversing an edge negates a and b, so of two
 * triangles on an edge exactly one owns it.
 *
 * At pixel centre (256 x + 128, 256 y + 128) with C = a (128 - Ax) + b (128 - Ay) - (owned ? 0 : 1):
 * inside <=> 256 (a x + b y) + C >= 0 <=> a x + b y + floor(C / 256) >= 0, which is what the tiles test.
 */
#include "renderer/internal.h"

struct tri {
    int32_t i[3];                 /* slots, counter-clockwise */
    int32_t x[3], y[3];
    int64_t area;                 /* twice the area in sub-pixels squared, > 0 */
    bool front;
    struct rn_rect box;
};

static int64_t edge_area(const struct rn_slots *s, int32_t i0, int32_t i1, int32_t i2) {
    return (int64_t)(s->fx[i1] - s->fx[i0]) * (s->fy[i2] - s->fy[i0]) -
           (int64_t)(s->fx[i2] - s->fx[i0]) * (s->fy[i1] - s->fy[i0]);
}

static void edge_set(const struct tri *t, unsigned from, unsigned to, struct rn_edge *e, uint8_t *low) {
    const int32_t a = t->y[from] - t->y[to], b = t->x[to] - t->x[from];
    const bool owned = a > 0 || (a == 0 && b > 0);
    const int64_t c = (int64_t)a * (RN_SUBPIXEL / 2 - t->x[from]) + (int64_t)b * (RN_SUBPIXEL / 2 - t->y[from]) -
                      (owned ? 0 : 1);
    e->a = a;
    e->b = b;
    e->c = c >> RN_SUBPIXEL_BITS; /* floor: all our compilers shift arithmetically */
    *low = (uint8_t)(c & (RN_SUBPIXEL - 1));
}

/* Pixels whose samples can be inside, cut by the draw's box. */
static struct rn_rect tri_box(const struct rn_cull *cull, const struct tri *t) {
    int32_t x0 = t->x[0], x1 = t->x[0], y0 = t->y[0], y1 = t->y[0];
    for (unsigned k = 1; k < 3; k++) {
        x0 = t->x[k] < x0 ? t->x[k] : x0;
        x1 = t->x[k] > x1 ? t->x[k] : x1;
        y0 = t->y[k] < y0 ? t->y[k] : y0;
        y1 = t->y[k] > y1 ? t->y[k] : y1;
    }
    const struct rn_rect box = {(x0 + cull->lo) >> RN_SUBPIXEL_BITS, (y0 + cull->lo) >> RN_SUBPIXEL_BITS,
                                ((x1 - cull->hi) >> RN_SUBPIXEL_BITS) + 1, ((y1 - cull->hi) >> RN_SUBPIXEL_BITS) + 1};
    return rn_rect_intersect(box, cull->box);
}

/* Factors of the plane equations; ox, oy is the centre of the pixel that holds the first vertex. */
static void gradient_set(const struct rn_slots *s, const struct tri *t, struct rn_prim *prim, struct rn_gradient *g) {
    const double scale = (double)RN_SUBPIXEL / (double)t->area;
    g->k[0] = (double)(t->y[2] - t->y[0]) * scale;
    g->k[1] = (double)(t->y[1] - t->y[0]) * scale;
    g->k[2] = (double)(t->x[1] - t->x[0]) * scale;
    g->k[3] = (double)(t->x[2] - t->x[0]) * scale;
    const int32_t px = t->x[0] >> RN_SUBPIXEL_BITS, py = t->y[0] >> RN_SUBPIXEL_BITS;
    prim->ox = (float)px + 0.5f;
    prim->oy = (float)py + 0.5f;
    g->off_x = (double)(px * RN_SUBPIXEL + RN_SUBPIXEL / 2 - t->x[0]) / RN_SUBPIXEL;
    g->off_y = (double)(py * RN_SUBPIXEL + RN_SUBPIXEL / 2 - t->y[0]) / RN_SUBPIXEL;
    const float w0 = s->w[t->i[0]], w1 = s->w[t->i[1]], w2 = s->w[t->i[2]];
    g->perspective = !(w0 == w1 && w1 == w2);
    for (unsigned k = 0; k < 3; k++) {
        g->iw[k] = (double)s->iw[t->i[k]];
    }
}

/* The plane of window depth, polygon offset (ES 2.0.25 3.5.2) and bounds for hierarchical z. */
static void depth_set(const struct rn_front_draw *draw, const struct rn_slots *s, const struct tri *t,
                      const struct rn_gradient *g, struct rn_prim *prim) {
    double z[3];
    for (unsigned k = 0; k < 3; k++) {
        z[k] = (double)s->z[t->i[k]] / (double)s->w[t->i[k]] * draw->viewport.depth_half + draw->viewport.depth_centre;
    }
    const double d1 = z[1] - z[0], d2 = z[2] - z[0];
    prim->zx = d1 * g->k[0] - d2 * g->k[1];
    prim->zy = d2 * g->k[2] - d1 * g->k[3];
    prim->z0 = z[0] + (prim->zx * g->off_x + prim->zy * g->off_y);
    const double mx = prim->zx < 0.0 ? -prim->zx : prim->zx, my = prim->zy < 0.0 ? -prim->zy : prim->zy;
    if (draw->offset_factor != 0.0 || draw->offset_units != 0.0) {
        const double m = mx > my ? mx : my;
        const double offset = m * draw->offset_factor * draw->depth_steps + draw->offset_units;
        const double most = 1e12; /* beyond any depth; keeps integers and sums finite, NaN becomes -most */
        prim->z_offset = offset > -most ? (offset < most ? offset : most) : -most;
    }
    /* One step of 24 bits, and the rounding of a steep plane over the box, on either side. */
    const double width = (double)(prim->box.x1 - prim->box.x0 + 1), height = (double)(prim->box.y1 - prim->box.y0 + 1);
    const double slack = 5.9604644775390625e-8 + (mx * width + my * height) * 8.8817841970012523e-16;
    const double z01 = z[0] < z[1] ? z[0] : z[1], z10 = z[0] < z[1] ? z[1] : z[0];
    prim->z_min = (float)((z01 < z[2] ? z01 : z[2]) - slack);
    prim->z_max = (float)((z10 > z[2] ? z10 : z[2]) + slack);
}

/* Fills and pushes a triangle whose order, facing and box are known. */
static bool tri_emit(struct rn_front_worker *worker, const struct tri *t) {
    const struct rn_front_draw *draw = worker->draw;
    struct rn_prim *prim = rn_prim_new(worker);
    if (!prim) {
        return false;
    }
    prim->kind = RN_PRIM_TRIANGLE;
    prim->front_facing = t->front;
    prim->box = t->box;
    edge_set(t, 0, 1, &prim->e[0], &prim->edge_low[0]);
    edge_set(t, 1, 2, &prim->e[1], &prim->edge_low[1]);
    edge_set(t, 2, 0, &prim->e[2], &prim->edge_low[2]);
    struct rn_gradient g;
    gradient_set(&worker->slots, t, prim, &g);
    depth_set(draw, &worker->slots, t, &g, prim);
    prim->perspective = g.perspective;
    draw->kernels->planes(&g, rn_slot_record(worker, t->i[0]), rn_slot_record(worker, t->i[1]),
                          rn_slot_record(worker, t->i[2]), draw->program->coef_count, prim->coef);
    /* 1 / w is a plane in the window whether or not the varyings need it. */
    const double d1 = g.iw[1] - g.iw[0], d2 = g.iw[2] - g.iw[0];
    const double ax = d1 * g.k[0] - d2 * g.k[1], ay = d2 * g.k[2] - d1 * g.k[3];
    prim->iw.ax = (float)ax;
    prim->iw.ay = (float)ay;
    prim->iw.a0 = (float)(g.iw[0] + (ax * g.off_x + ay * g.off_y));
    return rn_prim_push(worker, prim);
}

/* Loads three slots in counter-clockwise order. */
static void tri_load(const struct rn_slots *s, int32_t i0, int32_t i1, int32_t i2, int64_t area, struct tri *t) {
    t->i[0] = i0;
    t->i[1] = area > 0 ? i1 : i2;
    t->i[2] = area > 0 ? i2 : i1;
    t->area = area > 0 ? area : -area;
    for (unsigned k = 0; k < 3; k++) {
        t->x[k] = s->fx[t->i[k]];
        t->y[k] = s->fy[t->i[k]];
    }
}

/* Gives the triangle its box; false if that has no pixel. */
static bool tri_place(struct rn_front_worker *worker, struct tri *t) {
    t->box = tri_box(&worker->draw->cull, t);
    return !rn_rect_empty(t->box);
}

bool rn_setup_triangle(struct rn_front_worker *worker, int32_t i0, int32_t i1, int32_t i2) {
    const int64_t area = edge_area(&worker->slots, i0, i1, i2);
    const struct rn_front_draw *draw = worker->draw;
    struct tri t;
    if (area == 0 || (area > 0 ? draw->cull.positive : draw->cull.negative)) {
        worker->chunk->culled++;
        return true;
    }
    tri_load(&worker->slots, i0, i1, i2, area, &t);
    t.front = (area > 0) != draw->front_cw;
    if (!tri_place(worker, &t)) {
        worker->chunk->culled++;
        return true;
    }
    return tri_emit(worker, &t);
}

/*
 * A clipped polygon faces as a whole: the sign of its own area decides culling and gl_FrontFacing, and
 * parts of the fan that rounding turned over, which can only be slivers, are left out.
 */
bool rn_setup_polygon(struct rn_front_worker *worker, const int32_t *poly, uint32_t count) {
    const struct rn_front_draw *draw = worker->draw;
    const struct rn_slots *s = &worker->slots;
    int64_t area = 0;
    for (uint32_t k = 1; k + 1 < count; k++) {
        area += edge_area(s, poly[0], poly[k], poly[k + 1]);
    }
    if (area == 0 || (area > 0 ? draw->cull.positive : draw->cull.negative)) {
        worker->chunk->culled++;
        return true;
    }
    for (uint32_t k = 1; k + 1 < count; k++) {
        const int64_t part = edge_area(s, poly[0], poly[k], poly[k + 1]);
        if (area > 0 ? part <= 0 : part >= 0) {
            continue;
        }
        struct tri t;
        tri_load(s, poly[0], poly[k], poly[k + 1], part, &t);
        t.front = (area > 0) != draw->front_cw;
        if (tri_place(worker, &t) && !tri_emit(worker, &t)) {
            return false;
        }
    }
    return true;
}
