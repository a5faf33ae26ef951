/* SPDX-License-Identifier: MIT */
/*
 * Point set-up (ES 2.0.25 3.3): a square of the clamped point size around the window position,
 * covering the pixels whose centres lie in [c - s/2, c + s/2) on both axes, so an integer size
 * covers exactly that many columns and rows wherever the point lies. Centre and size are 24.8.
 * Varyings and depth are those of the vertex; gl_PointCoord is a plane, s to the right and t
 * downwards. On targets with samples each sample is asked for itself (setup_samples.c).
 */
#include <stddef.h>
#include <string.h>

#include "renderer/internal.h"

/* First pixel whose centre is not below (2 c - s) / 2, in doubled sub-pixels: ceil((2 c - s - 256)
 * / 512). */
static int32_t first_pixel(int32_t doubled) {
    const int32_t unit = 2 * RN_SUBPIXEL;
    return (doubled - RN_SUBPIXEL + unit - 1) >> (RN_SUBPIXEL_BITS + 1);
}

static int32_t fixed_size(const struct rn_front_worker *worker, int32_t slot) {
    if (worker->draw->program->point_size_output < 0) {
        return RN_SUBPIXEL;
    }
    float size = worker->slots.size[slot];
    size = size > 1.0f ? size : 1.0f; /* NaN becomes 1 */
    size = size < RN_MAX_POINT_SIZE ? size : RN_MAX_POINT_SIZE;
    return (int32_t)(size * (float)RN_SUBPIXEL + 0.5f);
}

/* All of the box, if it is small. */
static uint64_t square_mask(const struct rn_prim *prim) {
    if (!rn_prim_is_small(prim)) {
        return 0;
    }
    const int32_t x = prim->box.x0 & 1, y = prim->box.y0 & 1;
    const int32_t width = prim->box.x1 - prim->box.x0, height = prim->box.y1 - prim->box.y0;
    const uint64_t columns = (0xFFu >> (8 - width) << x) * UINT64_C(0x0101010101010101);
    return columns & UINT64_MAX >> 8 * (8 - height) << 8 * y;
}

/* As struct rn_prim has it; setup_depth of front_tmpl.c asks triangles the same. */
static bool is_unclamped(const struct rn_viewport *vp, double z) {
    const float depth = (float)z;
    return depth > vp->depth_lo + RN_DEPTH_MARGIN && depth < vp->depth_hi - RN_DEPTH_MARGIN;
}

bool rn_setup_point(struct rn_front_worker *worker, int32_t slot) {
    const struct rn_front_draw *draw = worker->draw;
    const struct rn_slots *s = &worker->slots;
    const int32_t size = fixed_size(worker, slot), x = s->spot[slot].x, y = s->spot[slot].y;
    const struct rn_rect square = {first_pixel(2 * x - size), first_pixel(2 * y - size),
                                   first_pixel(2 * x + size), first_pixel(2 * y + size)};
    const struct rn_rect box = rn_rect_intersect(square, draw->cull.box);
    const bool no_centre = rn_rect_empty(box) && draw->samples == 1;
    if ((s->spot[slot].code & (RN_CODE_CLIP | RN_CODE_BAD)) || no_centre) {
        worker->chunk->culled++;
        return true;
    }
    struct rn_prim *prim;
    if (!rn_prims_new(worker, 1, &prim)) {
        return false;
    }
    memset(prim, 0, offsetof(struct rn_prim, e));
    prim->draw = draw->frag;
    prim->kind = RN_PRIM_RECT;
    prim->front_facing = true;
    rn_prim_set_box(prim, box);
    prim->px = (int16_t)(x >> RN_SUBPIXEL_BITS);
    prim->py = (int16_t)(y >> RN_SUBPIXEL_BITS);
    prim->z0 = (double)s->z[slot] / (double)s->w[slot] * draw->viewport.depth_half +
               draw->viewport.depth_centre;
    prim->mask = draw->samples == 1 ? square_mask(prim) : 0;
    prim->unclamped = is_unclamped(&draw->viewport, prim->z0);
    if (!prim->mask || !prim->unclamped) { /* nobody looks at the second line of the cache else */
        memset(prim->e, 0, offsetof(struct rn_prim, iw) - offsetof(struct rn_prim, e));
    }
    prim->iw = (struct rn_plane){s->spot[slot].iw, 0.0f, 0.0f, 0.0f};
    const struct rn_program *program = draw->program;
    const double off_x = (double)rn_prim_ox(prim) - (double)x / RN_SUBPIXEL,
                 off_y = (double)rn_prim_oy(prim) - (double)y / RN_SUBPIXEL;
    const double step = (double)RN_SUBPIXEL / (double)size;
    for (uint32_t c = 0; c < program->coef_count; c++) {
        struct rn_plane *plane = &prim->coef[c];
        plane->a0 = *rn_slot_varying(worker, slot, c);
        plane->ax = plane->ay = 0.0f;
        if (program->coefs[c].vs_output == 0xFF && program->coefs[c].comp == 0) {
            plane->a0 = (float)(0.5 + off_x * step);
            plane->ax = (float)step;
        } else if (program->coefs[c].vs_output == 0xFF && program->coefs[c].comp == 1) {
            plane->a0 = (float)(0.5 - off_y * step);
            plane->ay = (float)-step;
        }
    }
    if (draw->samples > 1) {
        return rn_setup_point_samples(worker, slot, size, prim);
    }
    return rn_bin_prim(worker, prim);
}
