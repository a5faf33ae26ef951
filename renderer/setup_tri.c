/* SPDX-License-Identifier: MIT */
/*
 * Triangle set-up: three slots become edge functions, planes and a pixel box (contract:
 * renderer/README.md, ES 2.0.25 3.5). The arithmetic is the kernel 'setup' of front_tmpl.c, many
 * triangles at once; here the results become primitives. Window coordinates are 24.8 integers, y
 * up.
 *
 * The vertices are put in counter-clockwise order, so the area is positive and the inside of an
 * edge A -> B is to its left: E(P) = a (Px - Ax) + b (Py - Ay), a = Ay - By, b = Bx - Ax, E > 0
 * inside. A sample with E = 0 belongs to the triangle if the edge is a left one (going down: a > 0)
 * or a horizontal bottom one (going right: a = 0, b > 0). That is the top-left rule with rows
 * counted from row 0 of the image; with y up the "top" edge is the one with the lower y. Reversing
 * an edge negates a and b, so of two triangles on an edge exactly one owns it.
 *
 * At pixel centre (256 x + 128, 256 y + 128) with C = a (128 - Ax) + b (128 - Ay) - (owned ? 0 :
 * 1): inside <=> 256 (a x + b y) + C >= 0 <=> a x + b y + floor(C / 256) >= 0, which is what the
 * tiles test. All of this fits the 53 bits of a double, in which the kernel computes it.
 */
#include "renderer/internal.h"

/* Polygon offset (ES 2.0.25 3.5.2) in steps of the target's integer. */
static double depth_offset(const struct rn_front_draw *draw, double slope) {
    const double offset = slope * draw->offset_factor * draw->depth_steps + draw->offset_units;
    const double most =
        1e12; /* beyond any depth; keeps integers and sums finite, NaN becomes -most */
    return offset > -most ? (offset < most ? offset : most) : -most;
}

/* The usual triangle of a fine mesh goes straight to its bin. */
static inline bool bin(struct rn_front_worker *worker, struct rn_prim *prim) {
    const struct rn_box16 box = prim->box;
    const uint32_t x0 = (uint32_t)box.x0 >> RN_TILE_SHIFT, x1 = (box.x1 - 1u) >> RN_TILE_SHIFT;
    const uint32_t y0 = (uint32_t)box.y0 >> RN_TILE_SHIFT, y1 = (box.y1 - 1u) >> RN_TILE_SHIFT;
    if (!prim->mask || ((x0 ^ x1) | (y0 ^ y1))) {
        return rn_bin_prim(worker, prim);
    }
    worker->chunk->binned++;
    return rn_bin_put(worker, y0 * worker->draw->tiles_x + x0, (rn_cmd)prim | RN_CMD_PRIM_SMALL);
}

bool rn_setup_triangles(struct rn_front_worker *worker, struct rn_setup *setup, uint32_t count) {
    const struct rn_front_draw *draw = worker->draw;
    const bool offset = draw->offset_factor != 0.0 || draw->offset_units != 0.0;
    struct rn_prim *prim[RN_SETUP_LANES];
    for (uint32_t k = count; k < RN_SETUP_LANES; k++) { /* whole vectors are read and written */
        setup->i[0][k] = setup->i[1][k] = setup->i[2][k] = setup->i[0][0];
        prim[k] = (struct rn_prim *)(void *)worker->spare;
    }
    if (!rn_prims_new(worker, count, prim)) {
        return false;
    }
    draw->kernels->setup(&worker->slots, &draw->viewport, &draw->cull, draw->front_cw, count, setup,
                         prim);
    draw->kernels->planes(setup, worker->varyings, draw->coefs, count, prim);
    for (uint32_t k = 0; k < count; k++) {
        struct rn_prim *p = prim[k];
        if (setup->empty >> k & 1) {
            worker->chunk->culled++;
            continue;
        }
        p->z0 = setup->z0[k];
        p->zx = setup->zx[k];
        p->zy = setup->zy[k];
        p->draw = setup->draw[k];
        p->unclamped = p->unclamped && !offset;
        if (!p->unclamped) {
            p->z_offset = offset ? depth_offset(draw, setup->slope[k]) : 0.0;
        }
        if (!bin(worker, p)) {
            return false;
        }
    }
    return true;
}

static int64_t area_of(const struct rn_slots *s, int32_t i0, int32_t i1, int32_t i2) {
    return (int64_t)(s->spot[i1].x - s->spot[i0].x) * (s->spot[i2].y - s->spot[i0].y) -
           (int64_t)(s->spot[i2].x - s->spot[i0].x) * (s->spot[i1].y - s->spot[i0].y);
}

/*
 * A clipped polygon faces as a whole: the sign of its own area decides culling and gl_FrontFacing,
 * and parts of the fan that rounding turned over, which can only be slivers, are left out.
 */
bool rn_setup_polygon(struct rn_front_worker *worker, const int32_t *poly, uint32_t count) {
    const struct rn_front_draw *draw = worker->draw;
    const struct rn_slots *s = &worker->slots;
    int64_t area = 0;
    for (uint32_t k = 1; k + 1 < count; k++) {
        area += area_of(s, poly[0], poly[k], poly[k + 1]);
    }
    if (area == 0 || (area > 0 ? draw->cull.positive : draw->cull.negative)) {
        worker->chunk->culled++;
        return true;
    }
    struct rn_setup setup;
    uint32_t parts = 0;
    for (uint32_t k = 1; k + 1 < count && parts < RN_SETUP_LANES; k++) {
        const int64_t part = area_of(s, poly[0], poly[k], poly[k + 1]);
        if (area > 0 ? part > 0 : part < 0) {
            setup.draw[parts] = worker->frags ? worker->frag : draw->frag;
            setup.i[0][parts] = poly[0];
            setup.i[1][parts] = poly[k];
            setup.i[2][parts++] = poly[k + 1];
        }
    }
    return parts == 0 || rn_setup_triangles(worker, &setup, parts);
}
