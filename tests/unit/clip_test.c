/* SPDX-License-Identifier: MIT */
/*
 * Clipping: what is inside stays untouched, what is cut lies on the plane, shared edges give the
 * same bits from both sides, attributes follow in clip space, and nothing that floats can hold
 * breaks it.
 */
#include <math.h>

#include "tests/unit/front_stage.h"
#include "vm/base/bits.h"

static bool begin(int32_t size, uint32_t coefs) {
    return begin_at(0, 0, size, coefs);
}

static void place(int32_t slot, float x, float y, float z, float w) {
    struct rn_slots *s = &worker->slots;
    s->x[slot] = x;
    s->y[slot] = y;
    s->z[slot] = z;
    s->w[slot] = w;
    for (uint32_t c = 0; c < program.coef_count; c++) {
        *rn_slot_varying(worker, slot, c) = 0.0f;
    }
}

static uint32_t project(uint32_t count) {
    uint32_t all, any;
    draw.kernels->project(&draw.viewport, &worker->slots, 0, count, &all, &any);
    return any;
}

/* Distance to clip plane 0..5 relative to the vertex's size; >= 0 inside. */
static double distance(int plane, int32_t i) {
    const struct rn_slots *s = &worker->slots;
    const double x = (double)s->x[i], y = (double)s->y[i], z = (double)s->z[i], w = (double)s->w[i];
    const double *g = draw.viewport.guard;
    const double d[6] = {z + w, w - z, x - g[0] * w, g[1] * w - x, y - g[2] * w, g[3] * w - y};
    const double big = fabs(x) + fabs(y) + fabs(z) + fabs(w) * (1 + fabs(g[1]) + fabs(g[3]));
    return big > 0 ? d[plane] / big : 0;
}

TEST(inside_polygons_keep_their_slots) {
    CHECK(begin(64, 4));
    place(0, -1, -1, 0, 1);
    place(1, 1, -1, 1, 1);
    place(2, 0, 1, -1, 1); /* on the near plane: inside */
    CHECK_EQ_INT(project(3), 0);
    int32_t poly[RN_CLIP_POLY] = {0, 1, 2};
    CHECK_EQ_INT(rn_clip(worker, poly, 3), 3);
    CHECK(poly[0] == 0 && poly[1] == 1 && poly[2] == 2);
}

TEST(codes_tell_what_is_outside) {
    CHECK(begin(64, 0));
    const float inf = INFINITY;
    static const struct {
        float v[4];
        uint32_t code;
    } cases[] = {
        {{0, 0, -2, 1}, RN_CODE_NEAR},
        {{0, 0, 2, 1}, RN_CODE_FAR},
        {{0, 0, 0, -1},
         RN_CODE_NEAR | RN_CODE_FAR | RN_CODE_RIGHT | RN_CODE_LEFT | RN_CODE_BELOW | RN_CODE_ABOVE},
        {{-2, 3, 0, 1}, RN_CODE_LEFT | RN_CODE_ABOVE},
        {{2, -3, 0, 1}, RN_CODE_RIGHT | RN_CODE_BELOW},
        {{600, 0, 0, 1}, RN_CODE_RIGHT | RN_CODE_GUARD},
        {{1, 0, 0, 0}, RN_CODE_RIGHT | RN_CODE_GUARD},
        {{0, 0, 0, 0}, RN_CODE_GUARD},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        place(0, cases[i].v[0], cases[i].v[1], cases[i].v[2], cases[i].v[3]);
        CHECK_EQ_INT(project(1), cases[i].code);
    }
    for (int c = 0; c < 4; c++) {
        const float bad[3] = {inf, -inf, NAN};
        for (int k = 0; k < 3; k++) {
            float v[4] = {0, 0, 0, 1};
            v[c] = bad[k];
            place(0, v[0], v[1], v[2], v[3]);
            CHECK(project(1) & RN_CODE_BAD);
        }
    }
}

TEST(cut_vertices_lie_on_the_plane_and_attributes_follow) {
    CHECK(begin(64, 3));
    for (uint32_t round = 0; round < 500; round++) {
        for (int32_t k = 0; k < 3; k++) {
            place(k, (float)check_random_below(400) / 100 - 2,
                  (float)check_random_below(400) / 100 - 2,
                  (float)check_random_below(600) / 100 - 3,
                  (float)check_random_below(300) / 100 - 1);
            const struct rn_slots *s = &worker->slots;
            /* linear in clip space */
            *rn_slot_varying(worker, k, 0) = s->x[k] + 2 * s->y[k];
            *rn_slot_varying(worker, k, 1) = s->z[k] - s->w[k];
            *rn_slot_varying(worker, k, 2) = 7;
        }
        project(3);
        int32_t poly[RN_CLIP_POLY] = {0, 1, 2};
        const uint32_t n = rn_clip(worker, poly, 3);
        CHECK(n == 0 || (n >= 3 && n <= 9));
        for (uint32_t i = 0; i < n; i++) {
            const struct rn_slots *s = &worker->slots;
            const float a[3] = {*rn_slot_varying(worker, poly[i], 0),
                                *rn_slot_varying(worker, poly[i], 1),
                                *rn_slot_varying(worker, poly[i], 2)};
            for (int plane = 0; plane < 6; plane++) {
                CHECK(distance(plane, poly[i]) >= -1e-6);
            }
            CHECK(fabsf(a[0] - (s->x[poly[i]] + 2 * s->y[poly[i]])) < 1e-4f);
            CHECK(fabsf(a[1] - (s->z[poly[i]] - s->w[poly[i]])) < 1e-4f);
            CHECK(a[2] == 7);
        }
    }
}

/* A quad from behind the eye to the distance, as in perspective: a varying carries the distance. */
TEST(ground_plane_through_the_eye) {
    CHECK(begin(64, 1));
    const float near = 0.1f, far = 100.0f;
    static const float corner[4][2] = {{-10, 5}, {10, 5}, {10, -50}, {-10, -50}};
    for (int32_t k = 0; k < 4; k++) {
        const float z = corner[k][1];
        place(k, corner[k][0], -1.0f,
              (far + near) / (near - far) * z + 2 * far * near / (near - far), -z);
        *rn_slot_varying(worker, k, 0) = -z; /* distance before the eye */
    }
    CHECK(project(4) & RN_CODE_NEAR);
    static const int32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    for (int t = 0; t < 2; t++) {
        int32_t poly[RN_CLIP_POLY] = {triangles[t][0], triangles[t][1], triangles[t][2]};
        const uint32_t n = rn_clip(worker, poly, 3);
        CHECK(n >= 3);
        for (uint32_t i = 0; i < n; i++) {
            CHECK(worker->slots.w[poly[i]] > near * 0.999f);
            CHECK(fabsf(*rn_slot_varying(worker, poly[i], 0) - worker->slots.w[poly[i]]) < 1e-4f);
            CHECK(worker->slots.spot[poly[i]].y < 32 * 256); /* nothing above the horizon */
        }
        CHECK(rn_setup_polygon(worker, poly, n));
    }
    /* The two halves meet without a gap: each pixel below the horizon edge in the middle column
     * once. */
    uint32_t gaps = 0;
    for (int32_t y = 0; y < 31; y++) {
        uint32_t times = 0;
        const struct rn_prim *p;
        for (uint32_t i = 0; (p = prim_at(i)) != NULL; i++) {
            bool in = p->box.x0 <= 32 && p->box.x1 > 32 && p->box.y0 <= y && p->box.y1 > y;
            if (p->mask) { /* a small triangle, without edges */
                const int32_t column = 32 - (p->box.x0 & ~1), row = y - (p->box.y0 & ~1);
                in = in && (p->mask >> (8 * row + column) & 1) != 0;
            }
            for (int k = 0; k < 3 && !p->mask; k++) {
                in = in && (int64_t)p->e[k].a * 32 + (int64_t)p->e[k].b * y + p->e[k].c >= 0;
            }
            if (in) {
                const double dx = 32.5 - (double)rn_prim_ox(p), dy = y + 0.5 - (double)rn_prim_oy(p);
                const double iw =
                    (double)p->iw.a0 + (double)p->iw.ax * dx + (double)p->iw.ay * dy;
                const double v = ((double)p->coef[0].a0 + (double)p->coef[0].ax * dx +
                                  (double)p->coef[0].ay * dy) /
                                 iw;
                const double distance = -32.0 / (y + 0.5 - 32.0); /* y_ndc = -1 / distance */
                CHECK(fabs(v - distance) < 0.5 / 255 * 50);
            }
            times += in;
        }
        gaps += times != 1;
    }
    CHECK_EQ_INT(gaps, 0);
}

/* Both triangles of an edge, in every order of their vertices, cut it in the same bits. */
TEST(shared_edges_are_cut_alike) {
    CHECK(begin(64, 2));
    uint32_t compared = 0;
    for (uint32_t round = 0; round < 500; round++) {
        const float far = round & 1 ? 3.0f : 3e5f;
        for (int32_t k = 0; k < 4; k++) {
            const float range = (float)check_random_below(1000) / 500 - 1;
            place(k, range * far, ((float)check_random_below(1000) / 500 - 1) * far,
                  (float)check_random_below(600) / 100 - 3,
                  (float)check_random_below(300) / 100 + 0.1f);
            *rn_slot_varying(worker, k, 0) = range * 17;
            *rn_slot_varying(worker, k, 1) = (float)k;
        }
        project(4);
        float made[2][RN_CLIP_POLY][6];
        uint32_t count[2];
        for (int side = 0; side < 2; side++) { /* edge 0-1, third vertex 2 or 3 */
            static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                            {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
            const int *o = order[check_random_below(6)];
            const int32_t corner[3] = {0, 1, 2 + side};
            int32_t poly[RN_CLIP_POLY] = {corner[o[0]], corner[o[1]], corner[o[2]]};
            count[side] = rn_clip(worker, poly, 3);
            for (uint32_t i = 0; i < count[side]; i++) {
                const struct rn_slots *s = &worker->slots;
                float *m = made[side][i];
                m[0] = s->x[poly[i]], m[1] = s->y[poly[i]], m[2] = s->z[poly[i]],
                m[3] = s->w[poly[i]];
                m[4] = *rn_slot_varying(worker, poly[i], 0);
                m[5] = *rn_slot_varying(worker, poly[i], 1);
            }
        }
        /* New vertices on the edge 0-1 have attribute 1 between 0 and 1, made of those two only if
         * it equals the position's own parameter; compare those by looking for the same bits. */
        const struct rn_slots *s = &worker->slots;
        for (uint32_t i = 0; i < count[0]; i++) {
            const float *m = made[0][i];
            const double t = (double)m[5];
            const double ex =
                (double)s->x[0] + t * ((double)s->x[1] - (double)s->x[0]) - (double)m[0];
            const double ew =
                (double)s->w[0] + t * ((double)s->w[1] - (double)s->w[0]) - (double)m[3];
            const double ez =
                (double)s->z[0] + t * ((double)s->z[1] - (double)s->z[0]) - (double)m[2];
            const bool on_edge = t > 0 && t < 1 && fabs(ex) < 1e-6 * (double)far &&
                                 fabs(ew) < 1e-6 && fabs(ez) < 1e-6;
            if (!on_edge || count[1] == 0) {
                continue;
            }
            bool found = false;
            for (uint32_t j = 0; j < count[1] && !found; j++) {
                found = memcmp(made[1][j], m, sizeof made[1][j]) == 0;
            }
            CHECK(found);
            compared++;
        }
    }
    CHECK(compared > 100);
}

TEST(lines_are_cut_at_both_ends) {
    CHECK(begin(64, 1));
    place(0, -41000.0f, -40000.0f, -1000000.0f, 1.0f);
    place(1, 41000.0f, 40000.0f, 1000000.0f, 1.0f);
    *rn_slot_varying(worker, 1, 0) = 1;
    project(2);
    int32_t ends[RN_CLIP_POLY] = {0, 1};
    CHECK_EQ_INT(rn_clip(worker, ends, 2), 2);
    for (int k = 0; k < 2; k++) {
        const struct rn_slots *s = &worker->slots;
        CHECK(fabsf(fabsf(s->z[ends[k]]) - 1.0f) < 0.07f && fabsf(s->x[ends[k]]) < 0.05f);
        CHECK(fabsf(*rn_slot_varying(worker, ends[k], 0) - 0.5f) < 1e-4f);
    }
    place(0, 0, 0, 2, 1);
    place(1, 0.5f, 0, 3, 1);
    project(2);
    ends[0] = 0, ends[1] = 1;
    CHECK_EQ_INT(rn_clip(worker, ends, 2), 0);
}

TEST(a_vertex_in_the_eye_drops_the_primitive) {
    CHECK(begin(64, 0));
    place(0, 0, 0, 0, 0);
    place(1, 1, 0, 0, 1);
    place(2, 0, 1, 0, 1);
    project(3);
    int32_t poly[RN_CLIP_POLY] = {0, 1, 2};
    CHECK_EQ_INT(rn_clip(worker, poly, 3), 0);
}

/* Anything finite: the result lies in the guard band, set-up survives it, boxes stay inside. */
TEST(no_position_breaks_clipping_or_setup) {
    uint32_t kept = 0, pushed = 0;
    for (uint32_t round = 0; round < 20000; round++) {
        if (round % 100 == 0) {
            CHECK(begin_at((int32_t)check_random_below(100) - 50,
                           (int32_t)check_random_below(100) - 50,
                           1 + (int32_t)check_random_below(300), 5));
            draw.depth_steps = 16777215.0;
            draw.offset_factor = 1.5;
            draw.line_width = 1 + (int32_t)check_random_below(5);
        }
        chunk_begin();
        for (int32_t k = 0; k < 3; k++) {
            float v[4];
            for (int c = 0; c < 4; c++) {
                v[c] = check_random_below(3) ? (float)check_random_below(4000) / 1000 - 2
                                             : check_random_float();
            }
            place(k, v[0], v[1], v[2], v[3]);
            for (uint32_t c = 0; c < 5; c++) {
                *rn_slot_varying(worker, k, c) = check_random_float();
            }
        }
        const uint32_t any = project(3);
        if (any & RN_CODE_BAD) {
            continue;
        }
        int32_t poly[RN_CLIP_POLY] = {0, 1, 2};
        const uint32_t line = round & 1, n = rn_clip(worker, poly, line ? 2 : 3);
        kept += n > 0;
        for (uint32_t i = 0; i < n; i++) {
            const struct rn_spot *spot = &worker->slots.spot[poly[i]];
            const int32_t fx = spot->x, fy = spot->y;
            CHECK(fx >= -RN_GUARD * 256 && fx <= RN_GUARD * 256 && fy >= -RN_GUARD * 256 &&
                  fy <= RN_GUARD * 256);
        }
        if (n) {
            CHECK(line ? rn_setup_line(worker, poly[0], poly[1])
                       : rn_setup_polygon(worker, poly, n));
        }
        const struct rn_prim *p;
        for (uint32_t i = 0; (p = prim_at(i)) != NULL; i++) {
            const struct rn_rect *r = &draw.cull.box;
            pushed++;
            CHECK(p->box.x0 >= r->x0 && p->box.y0 >= r->y0 && p->box.x1 <= r->x1 &&
                  p->box.y1 <= r->y1);
            CHECK(p->box.x0 < p->box.x1 && p->box.y0 < p->box.y1);
            CHECK(rn_prim_z_offset(p) == rn_prim_z_offset(p));
        }
    }
    CHECK(kept > 1000 && pushed > 300);
}
