/* SPDX-License-Identifier: MIT */
/*
 * Homogeneous clipping (Sutherland-Hodgman, in clip space) of the few primitives whose codes ask
 * for it. Planes in the order of the contract: near z >= -w (or 0), far z <= w, then the guard band's
 * left, right, bottom, top (constants of rn_viewport). A vertex on a plane is inside.
 *
 * A new vertex is in + t * (out - in) with t = d_in / (d_in - d_out), always from the inside vertex
 * to the outside one, in double, rounded once to float; so the two primitives of a shared edge make
 * the same bits. Varyings are interpolated with the same t, in clip space, before any division.
 *
 * New vertices take the spare slots behind the chunk's own and are projected by the same kernel as
 * these; vertices that survive keep their slots, hence their exact window coordinates.
 */
#include "renderer/internal.h"

#define CLIP_PLANES 6

static double clip_distance(const struct rn_front_worker *worker, unsigned plane, int32_t slot) {
    const struct rn_slots *s = &worker->slots;
    const double *guard = worker->draw->viewport.guard;
    const double x = (double)s->x[slot], y = (double)s->y[slot], z = (double)s->z[slot],
                 w = (double)s->w[slot];
    switch (plane) {
    case 0: return worker->draw->viewport.zero_to_one ? z : z + w;
    case 1: return w - z;
    case 2: return x - guard[0] * w;
    case 3: return guard[1] * w - x;
    case 4: return y - guard[2] * w;
    default: return guard[3] * w - y;
    }
}

static float clip_mix(float in, float out, double t) {
    return (float)((double)in + t * ((double)out - (double)in));
}

/* Makes slot 'to' the point where the edge from inside to outside meets the plane. */
static void clip_edge(struct rn_front_worker *worker, int32_t in, int32_t out, double d_in,
                      double d_out, int32_t to) {
    struct rn_slots *s = &worker->slots;
    const double t = d_in / (d_in - d_out);
    s->x[to] = clip_mix(s->x[in], s->x[out], t);
    s->y[to] = clip_mix(s->y[in], s->y[out], t);
    s->z[to] = clip_mix(s->z[in], s->z[out], t);
    s->w[to] = clip_mix(s->w[in], s->w[out], t);
    for (uint32_t c = 0; c < worker->draw->coefs; c++) {
        *rn_slot_varying(worker, to, c) =
            clip_mix(*rn_slot_varying(worker, in, c), *rn_slot_varying(worker, out, c), t);
    }
}

/* One plane; returns the new vertex count. count 2 is a line, more a closed polygon. */
static uint32_t clip_plane(struct rn_front_worker *worker, unsigned plane, int32_t *poly,
                           uint32_t count, uint32_t *made) {
    double d[RN_CLIP_POLY];
    bool any_out = false;
    for (uint32_t i = 0; i < count; i++) {
        d[i] = clip_distance(worker, plane, poly[i]);
        any_out = any_out || !(d[i] >= 0.0);
    }
    if (!any_out) {
        return count;
    }
    int32_t kept[RN_CLIP_POLY];
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t j = i + 1 == count ? 0 : i + 1;
        const bool in_i = d[i] >= 0.0, in_j = d[j] >= 0.0;
        if (in_i && n < RN_CLIP_POLY) {
            kept[n++] = poly[i];
        }
        const bool edge = count > 2 || i == 0; /* a line has one edge */
        if (edge && in_i != in_j && n < RN_CLIP_POLY && *made < RN_CLIP_SLOTS) {
            const int32_t to = RN_SLOTS + (int32_t)(*made)++;
            if (in_i) {
                clip_edge(worker, poly[i], poly[j], d[i], d[j], to);
            } else {
                clip_edge(worker, poly[j], poly[i], d[j], d[i], to);
            }
            kept[n++] = to;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        poly[i] = kept[i];
    }
    return n;
}

uint32_t rn_clip(struct rn_front_worker *worker, int32_t *poly, uint32_t count) {
    const uint32_t least = count == 2 ? 2 : 3;
    uint32_t made = 0;
    for (unsigned plane = 0; plane < CLIP_PLANES; plane++) {
        count = clip_plane(worker, plane, poly, count, &made);
        if (count < least) {
            return 0;
        }
    }
    if (made) {
        uint32_t all, any;
        worker->draw->kernels->project(&worker->draw->viewport, &worker->slots, RN_SLOTS, made,
                                       &all, &any);
    }
    /* w = 0 is left only by a vertex in the eye point, which has no window position. */
    for (uint32_t i = 0; i < count; i++) {
        if (!(worker->slots.w[poly[i]] > 0.0f) || (worker->slots.spot[poly[i]].code & RN_CODE_BAD)) {
            return 0;
        }
    }
    return count;
}
