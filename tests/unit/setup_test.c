/* SPDX-License-Identifier: MIT */
/*
 * Set-up and binning of triangles, lines and points, checked against brute force in exact integers:
 * shared edges, fill rule, diamond exit, boxes, planes, bins; and the kernels of every ISA against
 * the scalar ones.
 */
#include <math.h>
#include <stdlib.h>

#include "tests/unit/front_stage.h"
#include "vm/base/bits.h"

#define SIZE 192 /* framebuffer of most tests: three tiles */

/* Of points, each with a size of its own, too. */
static bool begin(int32_t size, uint32_t coefs) {
    const bool ok = begin_at(0, 0, size, coefs);
    program.point_size_output = 0;
    return ok;
}

/* A slot straight in 24.8 window coordinates. */
static void place(int32_t slot, int32_t fx, int32_t fy, float w) {
    struct rn_slots *s = &worker->slots;
    s->spot[slot].x = fx;
    s->spot[slot].y = fy;
    s->w[slot] = w;
    s->spot[slot].iw = 1.0f / w;
    s->z[slot] = 0.0f;
    s->spot[slot].code = 0;
    s->size[slot] = 1.0f;
    for (uint32_t c = 0; c < program.coef_count; c++) {
        *rn_slot_varying(worker, slot, c) = 0.0f;
    }
}

static bool set_triangle(int32_t i0, int32_t i1, int32_t i2) {
    const int32_t poly[3] = {i0, i1, i2};
    return rn_setup_polygon(worker, poly, 3);
}

static bool covers(const struct rn_prim *p, int32_t x, int32_t y) {
    if (x < p->box.x0 || x >= p->box.x1 || y < p->box.y0 || y >= p->box.y1) {
        return false;
    }
    if (p->mask) { /* a small triangle, without edges */
        const int32_t column = x - (p->box.x0 & ~1), row = y - (p->box.y0 & ~1);
        return column < 8 && row < 8 && (p->mask >> (8 * row + column) & 1) != 0;
    }
    if (p->kind == RN_PRIM_TRIANGLE) {
        for (int k = 0; k < 3; k++) {
            if ((int64_t)p->e[k].a * x + (int64_t)p->e[k].b * y + p->e[k].c < 0) {
                return false;
            }
        }
    } else if (p->kind == RN_PRIM_LINE) {
        const int32_t major = p->major_x ? x : y, minor = p->major_x ? y : x;
        const int64_t f = (p->minor0 + p->minor_step * major) >> 32;
        return minor >= f && minor <= f + p->width - 1;
    }
    return true;
}

/* Times that a pixel is covered by all primitives of the chunk. */
static void count_coverage(uint8_t *times, int32_t size) {
    memset(times, 0, (size_t)size * (size_t)size);
    const struct rn_prim *p;
    for (uint32_t n = 0; (p = prim_at(n)) != NULL; n++) {
        for (int32_t y = p->box.y0; y < p->box.y1; y++) {
            for (int32_t x = p->box.x0; x < p->box.x1; x++) {
                times[y * size + x] = (uint8_t)(times[y * size + x] + covers(p, x, y));
            }
        }
    }
}

static uint32_t pixels_of_chunk(int32_t size, uint8_t *times) {
    uint32_t n = 0;
    count_coverage(times, size);
    for (int32_t i = 0; i < size * size; i++) {
        n += times[i];
    }
    return n;
}

static bool all_are(const uint8_t *times, int32_t size, int32_t lo, int32_t hi, uint8_t want) {
    for (int32_t y = lo; y < hi; y++) {
        for (int32_t x = lo; x < hi; x++) {
            if (times[y * size + x] != want) {
                return false;
            }
        }
    }
    return true;
}

TEST(fan_around_an_off_grid_centre_covers_each_pixel_once) {
    uint8_t times[64 * 64];
    CHECK(begin(64, 0));
    for (uint32_t round = 0; round < 40; round++) {
        chunk_begin();
        const int32_t spokes = 37;
        place(0, 32 * 256 + (int32_t)check_random_below(2000) - 1000,
              32 * 256 + (int32_t)check_random_below(2000) - 1000, 1);
        for (int32_t k = 0; k < spokes; k++) {
            const double angle = 6.283185307179586 * k / spokes;
            place(1 + k, (int32_t)(8192 + 30000 * cos(angle)), (int32_t)(8192 + 30000 * sin(angle)),
                  1);
        }
        for (int32_t k = 0; k < spokes; k++) {
            const int32_t a = 1 + k, b = 1 + (k + 1) % spokes;
            CHECK(check_random_below(2) ? set_triangle(0, a, b) : set_triangle(b, a, 0));
        }
        count_coverage(times, 64);
        CHECK(all_are(times, 64, 0, 64, 1));
    }
}

/* Vertices of a grid, many of them on sample centres, edges and each other's rows. */
TEST(mesh_of_awkward_vertices_covers_each_pixel_once) {
    enum { CELLS = 9, STEP = 8 * 256 };
    uint8_t times[SIZE * SIZE];
    CHECK(begin(SIZE, 0));
    for (uint32_t round = 0; round < 60; round++) {
        chunk_begin();
        for (int32_t y = 0; y <= CELLS; y++) {
            for (int32_t x = 0; x <= CELLS; x++) {
                static const int32_t moves[] = {0, 128, -128, 256, 384, 1, -1, 127, 129, 600, -300};
                const bool inner = x > 0 && x < CELLS && y > 0 && y < CELLS;
                const int32_t dx = inner ? moves[check_random_below(11)] : 0,
                              dy = inner ? moves[check_random_below(11)] : 0;
                place(y * (CELLS + 1) + x, 50 * 256 + x * STEP + dx, 50 * 256 + y * STEP + dy, 1);
            }
        }
        for (int32_t y = 0; y < CELLS; y++) {
            for (int32_t x = 0; x < CELLS; x++) {
                const int32_t a = y * (CELLS + 1) + x, b = a + 1, c = a + CELLS + 1, d = c + 1;
                CHECK(check_random_below(2) ? set_triangle(a, b, d) && set_triangle(a, d, c)
                                            : set_triangle(a, b, c) && set_triangle(c, b, d));
            }
        }
        count_coverage(times, SIZE);
        CHECK(all_are(times, SIZE, 50, 50 + CELLS * 8, 1));
        uint32_t outside = 0;
        for (int32_t i = 0; i < SIZE * SIZE; i++) {
            const int32_t x = i % SIZE, y = i / SIZE;
            outside += times[i] && (x < 50 || y < 50 || x >= 50 + CELLS * 8 || y >= 50 + CELLS * 8);
        }
        CHECK_EQ_INT(outside, 0);
    }
}

static int32_t random_fixed(int32_t low, int32_t high) {
    const int32_t v = low + (int32_t)check_random_below((uint32_t)(high - low));
    return check_random_below(4) ? v : v & ~127;
}

TEST(edges_agree_with_exact_arithmetic) {
    CHECK(begin(SIZE, 0));
    for (uint32_t round = 0; round < 400; round++) {
        chunk_begin();
        int32_t x[3], y[3];
        for (int k = 0; k < 3; k++) {
            const bool far = check_random_below(4) == 0;
            x[k] = far ? random_fixed(-RN_GUARD * 256, RN_GUARD * 256)
                       : random_fixed(-6000, SIZE * 256 + 6000);
            y[k] = far ? random_fixed(-RN_GUARD * 256, RN_GUARD * 256)
                       : random_fixed(-6000, SIZE * 256 + 6000);
            place(k, x[k], y[k], 1);
        }
        CHECK(set_triangle(0, 1, 2));
        const struct rn_prim *p = prim_at(0);
        const int64_t area =
            (int64_t)(x[1] - x[0]) * (y[2] - y[0]) - (int64_t)(x[2] - x[0]) * (y[1] - y[0]);
        uint32_t wrong = 0;
        for (int32_t py = 0; py < SIZE; py++) {
            for (int32_t px = 0; px < SIZE; px++) {
                bool in = area != 0;
                for (int k = 0; k < 3; k++) {
                    const int i = k, j = (k + 1) % 3;
                    int64_t a = y[i] - y[j], b = x[j] - x[i];
                    int64_t e = a * (px * 256 + 128 - x[i]) + b * (py * 256 + 128 - y[i]);
                    if (area < 0) {
                        a = -a, b = -b, e = -e;
                    }
                    in = in && (e > 0 || (e == 0 && (a > 0 || (a == 0 && b > 0))));
                }
                wrong += in != (p && covers(p, px, py));
            }
        }
        CHECK_EQ_INT(wrong, 0);
        if (p) {
            CHECK_EQ_INT(p->front_facing, area > 0);
            for (int k = 0; k < 3 && !p->mask; k++) { /* the fraction of c for other sample positions */
                const int64_t c = p->e[k].c * 256 + p->edge_low[k];
                const int64_t at = ((int64_t)p->e[k].a * 5 + (int64_t)p->e[k].b * 7) * 256 + c;
                CHECK((at >= 0) ==
                      ((int64_t)p->e[k].a * 5 + (int64_t)p->e[k].b * 7 + p->e[k].c >= 0));
            }
        }
    }
}

TEST(culling_goes_by_the_sign_of_the_area) {
    CHECK(begin(SIZE, 0));
    for (unsigned mode = 0; mode < 8;
         mode++) { /* bits: cull positive, cull negative, front is clockwise */
        draw.cull.positive = mode & 1;
        draw.cull.negative = mode >> 1 & 1;
        draw.front_cw = mode >> 2 & 1;
        place(0, 1000, 1000, 1);
        place(1, 20000, 1000, 1);
        place(2, 1000, 20000, 1);
        chunk_begin();
        CHECK(set_triangle(0, 1, 2)); /* counter-clockwise */
        CHECK_EQ_INT(prim_at(0) != NULL, !draw.cull.positive);
        CHECK(!prim_at(0) || prim_at(0)->front_facing == !draw.front_cw);
        chunk_begin();
        CHECK(set_triangle(0, 2, 1));
        CHECK_EQ_INT(prim_at(0) != NULL, !draw.cull.negative);
        CHECK(!prim_at(0) || prim_at(0)->front_facing == draw.front_cw);
        chunk_begin();
        CHECK(set_triangle(0, 1, 1) && !prim_at(0));
        CHECK_EQ_INT(chunk.culled, 1);
    }
}

static double plane_at(const struct rn_prim *p, const struct rn_plane *plane, double x, double y) {
    return (double)plane->a0 + (double)plane->ax * (x - (double)rn_prim_ox(p)) +
           (double)plane->ay * (y - (double)rn_prim_oy(p));
}

TEST(planes_give_the_vertices_back) {
    CHECK(begin(SIZE, 6));
    for (uint32_t round = 0; round < 200; round++) {
        chunk_begin();
        const bool perspective = round & 1;
        for (int32_t k = 0; k < 3; k++) {
            place(k, random_fixed(0, SIZE * 256), random_fixed(0, SIZE * 256),
                  perspective ? 1.0f + (float)check_random_below(1000) / 100.0f : 2.0f);
            worker->slots.z[k] =
                worker->slots.w[k] * ((float)check_random_below(1000) / 500.0f - 1.0f);
            for (uint32_t c = 0; c < 6; c++) {
                *rn_slot_varying(worker, k, c) =
                    c == 5 ? 0.75f : (float)check_random_below(2000) / 100.0f - 10.0f;
            }
        }
        const struct rn_slots *s = &worker->slots;
        const double area = (double)(s->spot[1].x - s->spot[0].x) * (s->spot[2].y - s->spot[0].y) -
                            (double)(s->spot[2].x - s->spot[0].x) * (s->spot[1].y - s->spot[0].y);
        CHECK(set_triangle(0, 1, 2));
        const struct rn_prim *p = prim_at(0);
        if (!p || fabs(area) < 4e6) {
            continue; /* slivers extrapolate steeply */
        }
        CHECK_EQ_INT(p->perspective, !(s->w[0] == s->w[1] && s->w[1] == s->w[2]));
        CHECK(fabs((double)rn_prim_ox(p) - s->spot[0].x / 256.0) <= 0.5 &&
              fabs((double)rn_prim_oy(p) - s->spot[0].y / 256.0) <= 0.5);
        for (int32_t k = 0; k < 3; k++) {
            const double x = s->spot[k].x / 256.0, y = s->spot[k].y / 256.0, iw = plane_at(p, &p->iw, x, y);
            CHECK(fabs(iw - 1.0 / (double)s->w[k]) < 1e-5);
            for (uint32_t c = 0; c < 6; c++) {
                const double v = plane_at(p, &p->coef[c], x, y) / (p->perspective ? iw : 1.0);
                CHECK(fabs(v - (double)*rn_slot_varying(worker, k, c)) < 2e-3);
            }
            const double z = (double)s->z[k] / (double)s->w[k] * 0.5 + 0.5;
            const double depth = p->z0 + p->zx * (x - (double)rn_prim_ox(p)) + p->zy * (y - (double)rn_prim_oy(p));
            CHECK(fabs(depth - z) < 1e-10);
        }
        CHECK(p->perspective ||
              (p->coef[5].a0 == 0.75f && p->coef[5].ax == 0.0f && p->coef[5].ay == 0.0f));
    }
}

TEST(polygon_offset_counts_in_steps_of_the_target) {
    CHECK(begin(SIZE, 0));
    place(0, 0, 0, 1);
    place(1, 64 * 256, 0, 1);
    place(2, 0, 64 * 256, 1);
    worker->slots.z[1] = 0.5f; /* window depth rises by 0.25 in 64 pixels */
    draw.offset_units = -3.0;
    CHECK(set_triangle(0, 1, 2));
    CHECK(prim_at(0) && rn_prim_z_offset(prim_at(0)) == -3.0);
    chunk_begin();
    draw.offset_factor = 2.0;
    CHECK(set_triangle(0, 1, 2));
    CHECK(prim_at(0) && fabs(rn_prim_z_offset(prim_at(0)) - (2.0 * 0.25 / 64.0 * 65535.0 - 3.0)) < 1e-9);
    chunk_begin();
    draw.offset_factor = (double)NAN;
    CHECK(set_triangle(0, 1, 2));
    CHECK(prim_at(0) && rn_prim_z_offset(prim_at(0)) < -1e9);
}

/* Verdict k, of 0: dropped, 1: kept, 2: clipped. */
enum { DROPPED, KEPT, CLIPPED };
static int verdict_of(const struct rn_verdicts *v, uint32_t k) {
    return (int)((v->keep[k / 64] >> (k % 64) & 1) + (v->clip[k / 64] >> (k % 64) & 1));
}

/* Verdicts of the culling kernel against the coverage of every pixel, mostly on tiny triangles. */
TEST(culling_drops_just_what_covers_no_pixel) {
    enum { N = 240, W = 40 };
    uint8_t times[W * W];
    uint32_t all, any, dropped = 0, idle = 0;
    for (uint32_t round = 0; round < 60; round++) {
        CHECK(begin(W, 0));
        const int32_t reach = 40 << check_random_below(6); /* sub-pixels */
        for (int32_t k = 0; k < 3 * N; k++) {
            place(k, 0, 0, 1);
        }
        draw.kernels->project(&draw.viewport, &worker->slots, 0, 3 * N, &all, &any);
        for (int32_t k = 0; k < N; k++) {
            const int32_t x = random_fixed(-300, W * 256 + 300),
                          y = random_fixed(-300, W * 256 + 300);
            for (int32_t c = 0; c < 3; c++) {
                const int32_t step = check_random_below(3) ? 1 : 128;
                worker->slots.spot[3 * k + c].x = x + (random_fixed(-reach, reach) & -step);
                worker->slots.spot[3 * k + c].y = y + (random_fixed(-reach, reach) & -step);
                worker->prim[c][k] = 3 * k + c;
            }
        }
        struct rn_cull cull = draw.cull;
        cull.spot = worker->slots.spot;
        draw.kernels->cull(&cull, worker->prim, N, &worker->verdicts);
        const struct rn_verdicts verdicts = worker->verdicts;
        for (int32_t k = 0; k < N; k++) {
            chunk_begin();
            CHECK(set_triangle(3 * k, 3 * k + 1, 3 * k + 2));
            const uint32_t pixels = pixels_of_chunk(W, times);
            const int verdict = verdict_of(&verdicts, (uint32_t)k);
            CHECK(verdict == (pixels ? KEPT : verdict) && verdict != CLIPPED);
            const struct rn_prim *p = prim_at(0);
            const bool tiny =
                p && p->box.x1 - p->box.x0 <= 2 && p->box.y1 - p->box.y0 <= 2 && reach < 384;
            CHECK(verdict == DROPPED || pixels || !tiny);
            dropped += verdict == DROPPED;
            idle += !pixels && verdict == KEPT;
        }
    }
    CHECK(dropped > 1000 && idle < dropped / 2);
}

/* ---- points -------------------------------------------------------------------------- */

TEST(points_cover_size_by_size_pixels) {
    uint8_t times[SIZE * SIZE];
    CHECK(begin(SIZE, 0));
    for (int32_t size = 1; size <= 24; size++) {
        for (int32_t shift = 0; shift < 256; shift += 17) {
            chunk_begin();
            place(0, 90 * 256 + shift, 90 * 256 + 255 - shift, 1);
            worker->slots.size[0] = (float)size;
            CHECK(rn_setup_point(worker, 0));
            CHECK_EQ_INT(pixels_of_chunk(SIZE, times), size * size);
        }
    }
}

TEST(point_beside_the_viewport_is_cut_by_it) {
    uint8_t times[64 * 64];
    uint32_t all, any;
    CHECK(begin(64, 0));
    struct rn_slots *s = &worker->slots;
    for (int k = 0; k < VM_LANES; k++) {
        s->x[k] = -1.1f, s->y[k] = 0, s->z[k] = 0, s->w[k] = 1;
        s->size[k] = 24;
    }
    draw.kernels->project(&draw.viewport, s, 0, 1, &all, &any);
    CHECK(rn_setup_point(worker, 0));
    CHECK_EQ_INT(pixels_of_chunk(64, times), 9 * 24);
    chunk_begin();
    s->size[0] = NAN; /* counts as 1 */
    s->x[0] = 0;
    draw.kernels->project(&draw.viewport, s, 0, 1, &all, &any);
    CHECK(rn_setup_point(worker, 0));
    CHECK_EQ_INT(pixels_of_chunk(64, times), 1);
    chunk_begin();
    s->z[0] = 1.5f; /* beyond far */
    draw.kernels->project(&draw.viewport, s, 0, 1, &all, &any);
    CHECK(rn_setup_point(worker, 0));
    CHECK_EQ_INT(pixels_of_chunk(64, times), 0);
}

TEST(point_coord_runs_to_the_right_and_down) {
    CHECK(begin(64, 3));
    program.coefs[0].vs_output = 0xFF;
    program.coefs[1].vs_output = 0xFF;
    program.coefs[1].comp = 1;
    place(0, 20 * 256, 30 * 256, 1);
    worker->slots.size[0] = 8;
    *rn_slot_varying(worker, 0, 2) = 5.0f;
    CHECK(rn_setup_point(worker, 0));
    const struct rn_prim *p = prim_at(0);
    CHECK(p && p->box.x0 == 16 && p->box.x1 == 24 && p->box.y0 == 26 && p->box.y1 == 34);
    CHECK(p && plane_at(p, &p->coef[0], 16.5, 30.5) == 0.0625 &&
          plane_at(p, &p->coef[0], 23.5, 30.5) == 0.9375);
    CHECK(p && plane_at(p, &p->coef[1], 16.5, 26.5) == 0.9375 &&
          plane_at(p, &p->coef[1], 16.5, 33.5) == 0.0625);
    CHECK(p && plane_at(p, &p->coef[2], 16.5, 26.5) == 5.0);
}

/* ---- lines --------------------------------------------------------------------------- */

/* The segment a + t (b - a), 0 <= t <= 1, in units of 2^-20 sub-pixel against the open diamond |x|
 * + |y| < h around the origin: clips it by the four half planes with rationals kept as pairs. */
static bool meets_diamond(int64_t ax, int64_t ay, int64_t bx, int64_t by, int64_t h) {
    double t0 = 0, t1 = 1;
    for (int k = 0; k < 4; k++) {
        const int64_t sx = k & 1 ? 1 : -1, sy = k & 2 ? 1 : -1;
        const int64_t da = h - sx * ax - sy * ay, db = h - sx * bx - sy * by; /* > 0 inside */
        if (da <= 0 && db <= 0) {
            return false;
        }
        if (da <= 0 || db <= 0) {
            const double t = (double)da / (double)(da - db);
            if (da <= 0) {
                t0 = t > t0 ? t : t0;
            } else {
                t1 = t < t1 ? t : t1;
            }
        }
    }
    return t0 < t1;
}

static bool line_pixel(const int32_t *v, int32_t px, int32_t py) {
    const int64_t unit = INT64_C(1) << 20, e = 1 << 10,
                  h = 128 * unit; /* e = 2^-10, e^2 = 2^-20 sub-pixel */
    const int64_t cx = (px * 256 + 128) * unit, cy = (py * 256 + 128) * unit;
    const int64_t ax = v[0] * unit - e - cx, ay = v[1] * unit - 1 - cy;
    const int64_t bx = v[2] * unit - e - cx, by = v[3] * unit - 1 - cy;
    return meets_diamond(ax, ay, bx, by, h) && !(llabs(bx) + llabs(by) < h);
}

TEST(lines_follow_the_diamond_exit_rule) {
    enum { W = 20 };
    CHECK(begin(W, 0));
    for (uint32_t round = 0; round < 4000; round++) {
        int32_t v[4];
        for (int k = 0; k < 4; k++) {
            v[k] = random_fixed(0, W * 256);
            if (round % 4 == 3) { /* short ones, where the two ends share pixels */
                v[k] = k < 2 ? v[k] : v[k - 2] + (int32_t)check_random_below(600) - 300;
            }
        }
        if (round % 8 == 0) {
            v[3] = v[1];
        }
        chunk_begin();
        place(0, v[0], v[1], 1);
        place(1, v[2], v[3], 1);
        CHECK(rn_setup_line(worker, 0, 1));
        const struct rn_prim *p = prim_at(0);
        /* A line of two pixels a column can only be an exact diagonal; the rule then leaves one to
         * each. */
        uint32_t wrong = 0;
        for (int32_t y = 0; y < W; y++) {
            for (int32_t x = 0; x < W; x++) {
                wrong += line_pixel(v, x, y) != (p && covers(p, x, y));
            }
        }
        if (wrong) {
            check_failf(__FILE__, __LINE__, "line %d,%d to %d,%d: %u pixels differ", (int)v[0],
                        (int)v[1], (int)v[2], (int)v[3], (unsigned)wrong);
        }
        check_count();
    }
}

TEST(half_open_line_and_closed_loop) {
    uint8_t times[64 * 64];
    CHECK(begin(64, 0));
    place(0, 4 * 256 + 128, 8 * 256 + 128, 1);
    place(1, 10 * 256 + 128, 8 * 256 + 128, 1);
    CHECK(rn_setup_line(worker, 0, 1));
    CHECK_EQ_INT(pixels_of_chunk(64, times), 6);
    for (int32_t x = 0; x < 16; x++) {
        CHECK_EQ_INT(times[8 * 64 + x], x >= 4 && x <= 9);
    }
    for (int turn = 0; turn < 2; turn++) {
        chunk_begin();
        static const int32_t corner[4][2] = {{10, 10}, {42, 10}, {42, 42}, {10, 42}};
        for (int32_t k = 0; k < 4; k++) {
            place(k, corner[k][0] * 256 + 128, corner[k][1] * 256 + 128, 1);
        }
        for (int32_t k = 0; k < 4; k++) {
            CHECK(turn ? rn_setup_line(worker, (k + 1) % 4, k)
                       : rn_setup_line(worker, k, (k + 1) % 4));
        }
        CHECK_EQ_INT(pixels_of_chunk(64, times), 128);
        uint32_t twice = 0;
        for (int32_t i = 0; i < 64 * 64; i++) {
            twice += times[i] > 1;
        }
        CHECK_EQ_INT(twice, 0);
    }
}

TEST(wide_lines_replicate_the_root_pixel) {
    uint8_t times[64 * 64];
    CHECK(begin(64, 1));
    for (int32_t width = 1; width <= 7; width++) {
        chunk_begin();
        draw.line_width = width;
        place(0, 10 * 256, 20 * 256 + 100, 1);
        place(1, 40 * 256, 31 * 256 + 90, 1);
        *rn_slot_varying(worker, 1, 0) = 30.0f;
        CHECK(rn_setup_line(worker, 0, 1));
        CHECK_EQ_INT(pixels_of_chunk(64, times), 30 * width);
        const struct rn_prim *root = prim_at(0);
        for (int32_t k = 1; k < width; k++) {
            const struct rn_prim *copy = prim_at((uint32_t)k);
            CHECK(root && copy && rn_prim_oy(copy) == rn_prim_oy(root) + (float)k && rn_prim_ox(copy) == rn_prim_ox(root));
            CHECK(root && copy && memcmp(copy->coef, root->coef, sizeof(struct rn_plane)) == 0);
            CHECK(root && copy && copy->minor0 - root->minor0 == (int64_t)k << 32);
        }
    }
}

/* ---- bins ---------------------------------------------------------------------------- */

TEST(bins_hold_just_the_tiles_that_a_primitive_touches) {
    CHECK(begin(SIZE, 0));
    draw.width = SIZE - 10; /* the last tiles are partial */
    draw.cull.box.x1 = SIZE - 10;
    const struct rn_bin *bins = worker->own;
    uint32_t fulls = 0;
    for (uint32_t round = 0; round < 600; round++) {
        chunk_begin();
        const uint32_t kind = round % 3;
        const int32_t reach = check_random_below(2) ? 100000 : 6000;
        for (int32_t k = 0; k < 3; k++) {
            place(k, random_fixed(-reach, SIZE * 256 + reach),
                  random_fixed(-reach, SIZE * 256 + reach), 1);
        }
        worker->slots.size[0] = 200;
        CHECK(kind == 0   ? set_triangle(0, 1, 2)
              : kind == 1 ? rn_setup_line(worker, 0, 1)
                          : rn_setup_point(worker, 0));
        if (!chunk.binned) {
            continue;
        }
        const struct rn_prim *p = (const struct rn_prim *)(const void *)(worker->prim_next - draw.prim_bytes);
        for (int32_t t = 0; t < 9; t++) {
            uint32_t pixels = 0, inside = 0;
            for (int32_t i = 0; i < 64 * 64; i++) {
                const int32_t x = t % 3 * 64 + i % 64, y = t / 3 * 64 + i / 64;
                if (x < SIZE - 10) {
                    pixels++;
                    inside += covers(p, x, y);
                }
            }
            const struct rn_bin_block *block = bins[t].head;
            const bool full = block && (block->cmds[0] & 3) == RN_CMD_PRIM_FULL;
            CHECK(!inside ||
                  (block && block->count == 1 && (block->cmds[0] & ~(rn_cmd)3) == (rn_cmd)p));
            CHECK(!full || (kind != 1 && inside == pixels));
            CHECK(full || kind == 1 || inside < 64 * 64); /* whole tiles are always found out */
            if (kind != 0 && block && !inside) {          /* exact for points and lines */
                check_failf(__FILE__, __LINE__, "kind %u: tile %d holds it for nothing",
                            (unsigned)kind, (int)t);
            }
            fulls += full;
        }
    }
    CHECK(fulls > 50);
}

/* ---- kernels of every ISA ------------------------------------------------------------ */

static bool same_float(float a, float b) {
    return bits_from_float(a) == bits_from_float(b) || (a != a && b != b);
}

/* Every array of a set-up is lanes of four or eight bytes; lanes of no area hold NaNs. */
static void compare_setups(const struct rn_setup *a, const struct rn_setup *b,
                           const struct rn_slots *s, uint32_t count, struct rn_prim *const *p,
                           struct rn_prim *const *q) {
    for (uint32_t k = 0; k < count; k++) {
        const int32_t i0 = a->i[0][k], i1 = a->i[1][k], i2 = a->i[2][k];
        const int64_t area = (int64_t)(s->spot[i1].x - s->spot[i0].x) * (s->spot[i2].y - s->spot[i0].y) -
                             (int64_t)(s->spot[i2].x - s->spot[i0].x) * (s->spot[i1].y - s->spot[i0].y);
        CHECK(area >= 0);
        if (area == 0) {
            continue;
        }
#define SAME(field) CHECK(memcmp(&a->field[k], &b->field[k], sizeof a->field[k]) == 0)
        for (int j = 0; j < 4; j++) {
            SAME(k[j]);
        }
        for (int j = 0; j < 3; j++) {
            SAME(i[j]);
            SAME(weight[j]);
            SAME(iw[j]);
        }
        SAME(off_x);
        SAME(off_y);
        SAME(z0);
        SAME(zx);
        SAME(zy);
        SAME(slope);
#undef SAME
        CHECK((a->empty >> k & 1) == (b->empty >> k & 1));
        CHECK(memcmp(p[k], q[k], offsetof(struct rn_prim, z0)) == 0);
        CHECK(p[k]->mask || memcmp(p[k]->e, q[k]->e, sizeof p[k]->e) == 0);
    }
}

/* Planes of 13 components. */
static void check_planes(const struct rn_front_kernels *k, const struct rn_setup *setup,
                         uint32_t slots, uint32_t lanes) {
    static _Alignas(16) uint8_t memory[2][RN_SETUP_LANES][(sizeof(struct rn_prim) + 13 * 16 + 63) / 64 * 64];
    const struct rn_front_kernels *kernels[2] = {&rn_front_scalar, k};
    for (uint32_t c = 0; c < 13; c++) {
        for (uint32_t i = 0; i < slots; i++) {
            *rn_slot_varying(worker, (int32_t)i, c) = check_random_float();
        }
    }
    memset(memory, 0, sizeof memory);
    for (unsigned side = 0; side < 2; side++) {
        struct rn_prim *prim[RN_SETUP_LANES];
        for (uint32_t i = 0; i < RN_SETUP_LANES; i++) {
            prim[i] = (struct rn_prim *)(void *)memory[side][i];
        }
        kernels[side]->planes(setup, worker->varyings, 13, lanes, prim);
    }
    for (uint32_t i = 0; i < lanes; i++) { /* whole vectors are written */
        const struct rn_prim *a = (const struct rn_prim *)(const void *)memory[0][i],
                             *b = (const struct rn_prim *)(const void *)memory[1][i];
        CHECK(memcmp(&a->iw, &b->iw, sizeof a->iw) == 0);
        for (uint32_t c = 0; c < 13; c++) {
            CHECK(same_float(a->coef[c].a0, b->coef[c].a0) &&
                  same_float(a->coef[c].ax, b->coef[c].ax) &&
                  same_float(a->coef[c].ay, b->coef[c].ay));
        }
    }
}

TEST(kernels_of_all_isas_agree) {
    enum { N = 96 };
    const enum vliw_simd best = vliw_simd_level();
    static const enum vliw_simd levels[] = {VLIW_SIMD_SSE, VLIW_SIMD_AVX2, VLIW_SIMD_AVX512,
                                            VLIW_SIMD_NEON};
    uint32_t compared = 0;
    for (unsigned l = 0; l < 4; l++) {
        const struct rn_front_kernels *k = rn_front_kernels_for(levels[l]);
        if (k == &rn_front_scalar || (best != VLIW_SIMD_NEON && levels[l] > best)) {
            continue;
        }
        compared++;
        for (uint32_t round = 0; round < 300; round++) {
            CHECK(begin(SIZE, 13));
            struct rn_slots *s = &worker->slots;
            const uint32_t n = 1 + check_random_below(N - 1);
            for (uint32_t i = 0; i < N; i++) {
                const bool tame = check_random_below(2);
                s->w[i] = tame ? 1.0f + (float)check_random_below(100) : check_random_float();
                s->x[i] = tame ? (float)check_random_below(200) - 100.0f : check_random_float();
                s->y[i] = tame ? (float)check_random_below(200) - 100.0f : check_random_float();
                s->z[i] = tame ? 0.5f : check_random_float();
            }
            static struct rn_spot spot[N];
            uint32_t all[2], any[2];
            rn_front_scalar.project(&draw.viewport, s, 0, n, &all[0], &any[0]);
            memcpy(spot, s->spot, sizeof spot);
            k->project(&draw.viewport, s, 0, n, &all[1], &any[1]);
            CHECK(all[0] == all[1] && any[0] == any[1]);
            for (uint32_t i = 0; i < n; i++) {
                CHECK(spot[i].x == s->spot[i].x && spot[i].y == s->spot[i].y &&
                      spot[i].code == s->spot[i].code && same_float(spot[i].iw, s->spot[i].iw));
                CHECK(abs(spot[i].x) <= RN_GUARD * 256 && abs(spot[i].y) <= RN_GUARD * 256);
            }
            struct rn_cull cull = draw.cull;
            cull.spot = s->spot;
            cull.positive = check_random_below(4) == 0;
            cull.negative = check_random_below(4) == 0;
            for (uint32_t i = 0; i < N; i++) {
                for (int c = 0; c < 3; c++) {
                    worker->prim[c][i] = (int32_t)check_random_below(n);
                }
            }
            static struct rn_verdicts verdicts[2];
            rn_front_scalar.cull(&cull, worker->prim, n, &verdicts[0]);
            k->cull(&cull, worker->prim, n, &verdicts[1]);
            for (uint32_t i = 0; i < (n + 63) / 64; i++) {
                CHECK(verdicts[0].keep[i] == verdicts[1].keep[i] && verdicts[0].clip[i] == verdicts[1].clip[i]);
                CHECK((verdicts[0].clip[i] & ~verdicts[0].keep[i]) == 0);
            }
            for (uint32_t i = 0; i < N; i++) { /* set-up gets finite vertices before the eye */
                s->w[i] = 0.5f + (float)check_random_below(1000) / 64;
                s->z[i] = ((float)check_random_below(2000) / 1000 - 1) * s->w[i];
                s->spot[i].x = random_fixed(-20000, 70000);
                s->spot[i].y = random_fixed(-20000, 70000);
                s->spot[i].iw = 1.0f / s->w[i];
            }
            static struct rn_setup setup[2];
            const uint32_t lanes_used = 1 + check_random_below(RN_SETUP_LANES);
            memset(setup, 0, sizeof setup);
            for (int i = 0; i < 3 * RN_SETUP_LANES; i++) {
                const int32_t slot = (int32_t)check_random_below(n);
                setup[0].i[i / RN_SETUP_LANES][i % RN_SETUP_LANES] = slot;
                setup[1].i[i / RN_SETUP_LANES][i % RN_SETUP_LANES] = slot;
            }
            struct rn_prim *prims[2][RN_SETUP_LANES];
            CHECK(rn_prims_new(worker, RN_SETUP_LANES, prims[0]) &&
                  rn_prims_new(worker, RN_SETUP_LANES, prims[1]));
            const bool front_cw = check_random_below(2);
            rn_front_scalar.setup(s, &draw.viewport, &cull, front_cw, lanes_used, &setup[0], prims[0]);
            k->setup(s, &draw.viewport, &cull, front_cw, lanes_used, &setup[1], prims[1]);
            compare_setups(&setup[0], &setup[1], s, lanes_used, prims[0], prims[1]);
            check_planes(k, &setup[0], n, lanes_used);
        }
    }
    if (!compared) {
        SKIP("only the scalar kernels run here");
    }
}
