/* SPDX-License-Identifier: MIT */
/*
 * Coverage, depth and interpolation kernels: every SIMD level against the scalar one, and the scalar one
 * against plain formulas (exact integers, doubles) written here a second time.
 */
#include "renderer/tile.h"
#include "tests/harness/check.h"
#include "tests/harness/depth.h"

#include <stdlib.h>

static bool have(enum vliw_simd level) {
    const bool usable = vliw_simd_limit(level) == level;
    vliw_simd_limit(VLIW_SIMD_COUNT - 1);
    return usable;
}

/* ---- coverage --------------------------------------------------------------------------------------------- */

struct points {
    int32_t x[3], y[3];
    int32_t owned[3];
};

static int32_t coordinate(int32_t base, uint32_t reach) {
    return base + (int32_t)check_random_below(2 * reach + 1) - (int32_t)reach;
}

/* Edge k of a counter-clockwise triangle, as setup_tri.c makes it. */
static void edge_set(struct rn_prim *prim, struct points *p, int k) {
    const int n = (k + 1) % 3;
    const int32_t a = p->y[k] - p->y[n], b = p->x[n] - p->x[k];
    p->owned[k] = a > 0 || (a == 0 && b > 0);
    const int64_t c = (int64_t)a * (128 - p->x[k]) + (int64_t)b * (128 - p->y[k]) - !p->owned[k];
    prim->e[k].a = a;
    prim->e[k].b = b;
    prim->e[k].c = c >> 8;
    prim->edge_low[k] = (uint8_t)(c & 255);
}

/* A triangle around the tile, counter-clockwise. */
static bool random_triangle(struct points *p, struct rn_prim *prim, int32_t x, int32_t y) {
    static const uint32_t reaches[] = {600, 2048, 20000, 400000, 4100000};
    const uint32_t reach = reaches[check_random_below(5)];
    const bool round_values = check_random_below(4) == 0;
    const int32_t limit = RN_GUARD * RN_SUBPIXEL;
    for (int k = 0; k < 3; k++) {
        p->x[k] = coordinate((x + 32) * 256, reach);
        p->y[k] = coordinate((y + 32) * 256, reach);
        if (round_values) {
            p->x[k] &= ~127;
            p->y[k] &= ~127;
        }
        p->x[k] = p->x[k] < -limit ? -limit : (p->x[k] > limit ? limit : p->x[k]);
        p->y[k] = p->y[k] < -limit ? -limit : (p->y[k] > limit ? limit : p->y[k]);
    }
    const int64_t area =
        (int64_t)(p->x[1] - p->x[0]) * (p->y[2] - p->y[0]) - (int64_t)(p->x[2] - p->x[0]) * (p->y[1] - p->y[0]);
    if (area == 0) {
        return false;
    }
    if (area < 0) {
        const int32_t tx = p->x[1], ty = p->y[1];
        p->x[1] = p->x[2];
        p->y[1] = p->y[2];
        p->x[2] = tx;
        p->y[2] = ty;
    }
    for (int k = 0; k < 3; k++) {
        edge_set(prim, p, k);
    }
    return true;
}

/* Straight from the geometry, at one point in sub-pixels. */
static bool inside(const struct points *p, int64_t px, int64_t py) {
    for (int k = 0; k < 3; k++) {
        const int n = (k + 1) % 3;
        const int64_t e = (int64_t)(p->y[k] - p->y[n]) * (px - p->x[k]) + (int64_t)(p->x[n] - p->x[k]) * (py - p->y[k]);
        if (e < 0 || (e == 0 && !p->owned[k])) {
            return false;
        }
    }
    return true;
}

static void random_box(struct rn_prim *prim, int32_t x, int32_t y) {
    struct rn_rect box = {x > 10 ? x - 10 : 0, y > 10 ? y - 10 : 0, x + 100, y + 100};
    if (check_random_below(2)) {
        box.x0 = x + (int32_t)check_random_below(64);
        box.y0 = y + (int32_t)check_random_below(64);
        box.x1 = box.x0 + 1 + (int32_t)check_random_below(70);
        box.y1 = box.y0 + 1 + (int32_t)check_random_below(70);
    }
    rn_prim_set_box(prim, box);
}

static struct rn_frag_draw whole_range = {.depth_hi = 1.0f};

TEST(rast_coverage) {
    static const struct rn_sample_offset one = {0, 0};
    uint64_t pixels = 0;
    for (int i = 0; i < 4000; i++) {
        const int32_t x = (int32_t)check_random_below(128) * 64, y = (int32_t)check_random_below(128) * 64;
        const unsigned sample = check_random_below(8);
        const struct rn_sample_offset *at = sample < 4 ? &rn_sample_offsets(4)[sample] : &one;
        struct rn_prim prim;
        struct points p;
        memset(&prim, 0, sizeof prim);
        if (!random_triangle(&p, &prim, x, y)) {
            continue;
        }
        random_box(&prim, x, y);
        uint64_t expect[64] = {0};
        for (int32_t py = 0; py < 64; py++) {
            for (int32_t px = 0; px < 64; px++) {
                const bool in_box =
                    x + px >= prim.box.x0 && x + px < prim.box.x1 && y + py >= prim.box.y0 && y + py < prim.box.y1;
                if (in_box && inside(&p, (x + px) * 256 + 128 + at->x, (y + py) * 256 + 128 + at->y)) {
                    expect[py / 8 * 8 + px / 8] |= UINT64_C(1) << (py % 8 * 8 + px % 8);
                    pixels++;
                }
            }
        }
        for (enum vliw_simd level = VLIW_SIMD_SCALAR; level < VLIW_SIMD_COUNT; level++) {
            if (!have(level)) {
                continue;
            }
            struct rn_cover cover;
            rn_rast_prim(rn_rast_ops_for(level), &prim, false, x, y, at, &cover);
            for (int b = 0; b < 64; b++) {
                const uint64_t got = cover.touched >> b & 1 ? cover.mask[b] : 0;
                check_count();
                if (got != expect[b]) {
                    check_failf(__FILE__, __LINE__, "%s: triangle %d block %d: %016llx, not %016llx",
                                vliw_simd_name(level), i, b, (unsigned long long)got, (unsigned long long)expect[b]);
                    return;
                }
            }
        }
    }
    CHECK(pixels > 100000);
}

/* A small triangle somewhere about the tile, with a box that may be cut. */
static bool small_triangle(struct points *p, struct rn_prim *prim, int32_t x, int32_t y) {
    const int32_t mx = x + (int32_t)check_random_below(80) - 8, my = y + (int32_t)check_random_below(80) - 8;
    const uint32_t reach = 100u << check_random_below(6);
    if (!random_triangle(p, prim, x, y)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        p->x[k] = coordinate(mx * 256, reach);
        p->y[k] = coordinate(my * 256, reach);
    }
    if ((int64_t)(p->x[1] - p->x[0]) * (p->y[2] - p->y[0]) <= (int64_t)(p->x[2] - p->x[0]) * (p->y[1] - p->y[0])) {
        return false;
    }
    struct rn_rect box = {INT32_MAX, INT32_MAX, 0, 0};
    for (int k = 0; k < 3; k++) {
        edge_set(prim, p, k);
        const int32_t px = p->x[k] >> 8, py = p->y[k] >> 8;
        box.x0 = px < box.x0 ? px : box.x0;
        box.y0 = py < box.y0 ? py : box.y0;
        box.x1 = px + 1 > box.x1 ? px + 1 : box.x1;
        box.y1 = py + 1 > box.y1 ? py + 1 : box.y1;
    }
    box.x0 = box.x0 > 0 ? box.x0 : 0;
    box.y0 = box.y0 > 0 ? box.y0 : 0;
    box.x1 = box.x1 > box.x0 ? box.x1 : box.x0;
    box.y1 = box.y1 > box.y0 ? box.y1 : box.y0;
    if (check_random_below(4) == 0) {
        box.x1 -= (box.x1 - box.x0) / 3;
        box.y0 += (box.y1 - box.y0) / 3;
    }
    rn_prim_set_box(prim, box);
    return true;
}

/* The windows of small triangles hold the pixels that the general way finds, each once. */
TEST(rast_small_windows) {
    unsigned taken = 0, several = 0;
    for (int i = 0; i < 6000; i++) {
        const int32_t x = (int32_t)(1 + check_random_below(100)) * 64, y = (int32_t)(1 + check_random_below(100)) * 64;
        const unsigned samples = check_random_below(4) ? 1 : 4;
        const int32_t right = check_random_below(3) ? 64 : 8 + 2 * (int32_t)check_random_below(29);
        struct rn_prim prim;
        struct points p;
        memset(&prim, 0, sizeof prim);
        if (!small_triangle(&p, &prim, x, y)) {
            continue;
        }
        prim.box.x1 = prim.box.x1 < x + right ? prim.box.x1 : (uint16_t)(x + right);
        prim.box.x0 = prim.box.x0 < prim.box.x1 ? prim.box.x0 : prim.box.x1;
        for (enum vliw_simd level = VLIW_SIMD_SCALAR; level < VLIW_SIMD_COUNT; level++) {
            struct rn_windows windows;
            if (!have(level) ||
                !rn_rast_small(rn_rast_ops_for(level), &prim, x, y, right, samples, &windows)) {
                continue;
            }
            taken++;
            several += windows.columns + windows.rows > 2;
            for (unsigned s = 0; s < samples; s++) {
                struct rn_cover cover;
                uint64_t got[64] = {0};
                bool twice = false, beyond = false;
                rn_rast_prim(rn_rast_ops_for(level), &prim, false, x, y, &rn_sample_offsets(samples)[s], &cover);
                for (uint32_t k = 0; k < RN_WINDOWS; k++) {
                    const uint32_t wx = windows.x[k & 1], wy = windows.y[k >> 1];
                    const bool there = (k & 1) < windows.columns && (k >> 1) < windows.rows;
                    for (uint64_t m = there ? windows.mask[s][k] : 0; m; m &= m - 1) {
                        const uint32_t px = wx + bits_ctz64(m) % 8, py = wy + bits_ctz64(m) / 8;
                        const uint64_t bit = UINT64_C(1) << (py % 8 * 8 + px % 8);
                        twice = twice || (got[py / 8 * 8 + px / 8] & bit);
                        got[py / 8 * 8 + px / 8] |= bit;
                    }
                    beyond = beyond || (there && (wx + 8 > (uint32_t)right || wy + 8 > 64 || (wx | wy) & 1));
                }
                bool same = !twice && !beyond;
                for (int b = 0; b < 64; b++) {
                    same = same && got[b] == (cover.touched >> b & 1 ? cover.mask[b] : 0);
                }
                check_count();
                if (!same) {
                    check_failf(__FILE__, __LINE__, "%s: triangle %d sample %u: %s", vliw_simd_name(level), i, s,
                                twice ? "a pixel twice" : beyond ? "a window beyond the tile" : "other pixels");
                    return;
                }
            }
        }
    }
    CHECK(taken > 2000 && several > 500);
}

TEST(rast_shared_edges) {
    /* A fan around an off-grid centre hits every pixel of the tile exactly once. */
    static const struct rn_sample_offset one = {0, 0};
    for (int round = 0; round < 50; round++) {
        const int n = 8 + (int)check_random_below(36); /* fewer would cut the tile's corners */
        int32_t px[44], py[44], hits[64 * 64] = {0};
        const int32_t cx = 8192 + (int32_t)check_random_below(1000) - 500,
                      cy = 8192 + (int32_t)check_random_below(1000) - 500;
        for (int k = 0; k < n; k++) { /* around a square far outside */
            const int32_t t = k * 8 * 20000 / n, side = t / 40000, along = t % 40000 - 20000;
            px[k] = 8192 + (side == 0 ? along : side == 1 ? 20000 : side == 2 ? -along : -20000);
            py[k] = 8192 + (side == 0 ? -20000 : side == 1 ? along : side == 2 ? 20000 : -along);
        }
        for (int k = 0; k < n; k++) {
            struct points p = {{cx, px[k], px[(k + 1) % n]}, {cy, py[k], py[(k + 1) % n]}, {0}};
            struct rn_prim prim;
            memset(&prim, 0, sizeof prim);
            for (int e = 0; e < 3; e++) {
                const int m = (e + 1) % 3;
                const int32_t a = p.y[e] - p.y[m], b = p.x[m] - p.x[e];
                const int64_t c =
                    (int64_t)a * (128 - p.x[e]) + (int64_t)b * (128 - p.y[e]) - !(a > 0 || (a == 0 && b > 0));
                prim.e[e] = (struct rn_edge){a, b, c >> 8};
            }
            prim.box = (struct rn_box16){0, 0, 64, 64};
            struct rn_cover cover;
            rn_rast_prim(rn_rast_ops_for(vliw_simd_level()), &prim, false, 0, 0, &one, &cover);
            for (int i = 0; i < 64 * 64; i++) {
                const int b = i / 512 * 8 + i % 64 / 8;
                hits[i] += (int)(cover.touched >> b & 1 ? cover.mask[b] >> (i / 64 % 8 * 8 + i % 8) & 1 : 0);
            }
        }
        int wrong = 0;
        for (int i = 0; i < 64 * 64; i++) {
            wrong += hits[i] != 1;
        }
        CHECK_EQ_INT(wrong, 0);
    }
}

TEST(rast_lines_and_rects) {
    static const struct rn_sample_offset one = {0, 0};
    struct rn_prim prim;
    struct rn_cover cover;
    memset(&prim, 0, sizeof prim);
    prim.kind = RN_PRIM_RECT;
    prim.box = (struct rn_box16){60, 70, 75, 200};
    rn_rast_prim(rn_rast_ops_for(VLIW_SIMD_SCALAR), &prim, false, 64, 64, &one, &cover);
    int count = 0;
    for (int b = 0; b < 64; b++) {
        count += (int)bits_popcount64(cover.touched >> b & 1 ? cover.mask[b] : 0);
    }
    CHECK_EQ_INT(count, 11 * 58);
    prim.kind = RN_PRIM_LINE;
    prim.width = 1;
    prim.major_x = true;
    prim.minor0 = (INT64_C(10) << 32) + (INT64_C(1) << 31);
    prim.minor_step = INT64_C(1) << 31;
    prim.box = (struct rn_box16){3, 0, 40, 64};
    rn_rast_prim(rn_rast_ops_for(VLIW_SIMD_SCALAR), &prim, false, 0, 0, &one, &cover);
    count = 0;
    for (int m = 3; m < 40; m++) {
        const int n = (21 + m) / 2, b = n / 8 * 8 + m / 8;
        count += (int)(cover.touched >> b & 1 ? cover.mask[b] >> (n % 8 * 8 + m % 8) & 1 : 0);
    }
    CHECK_EQ_INT(count, 37);
}

/* ---- depth -------------------------------------------------------------------------------------------------- */

static double random_slope(void) {
    static const double sizes[] = {0.0, 1e-6, 1e-3, 0.1, 10.0, 1e9};
    return sizes[check_random_below(6)] * ((double)check_random() / 2147483648.0 - 1.0);
}

TEST(depth_block) {
    for (int i = 0; i < 20000; i++) {
        const bool d24 = check_random_below(2) != 0, write = check_random_below(2) != 0;
        const double steps = d24 ? 16777215.0 : 65535.0;
        const unsigned func = check_random_below(8), bytes = d24 ? 4 : 2;
        const unsigned cls = func == RN_LESS ? RN_DEPTH_LESS : (func == RN_LEQUAL ? RN_DEPTH_LEQUAL : RN_DEPTH_ANY);
        struct rn_prim prim;
        memset(&prim, 0, sizeof prim);
        prim.z0 = (double)check_random() / 4294967295.0;
        prim.zx = random_slope();
        prim.zy = random_slope();
        prim.draw = &whole_range;
        prim.z_offset = check_random_below(3) ? 0.0 : (double)(int32_t)check_random_below(9) - 4.0;
        struct rn_depth_plane plane = {0};
        rn_depth_plane_set(&plane, &prim, steps);
        uint8_t start[8 * 64] BITS_ALIGN(64), expect[8 * 64];
        for (int p = 0; p < 64; p++) {
            const uint32_t v = check_random_below(3) ? rn_depth_quantise(prim.z0, steps) + check_random_below(3) - 1
                                                     : check_random_below((uint32_t)steps + 1);
            store_depth(start + p / 8 * 64 + p % 8 * bytes, d24, v > (uint32_t)steps ? 0 : v);
        }
        memcpy(expect, start, sizeof expect);
        uint64_t mask = (uint64_t)check_random() << 32 | check_random(), passed = 0;
        mask &= check_random_below(2) ? (uint64_t)check_random() << 32 | check_random() : UINT64_MAX;
        mask = check_random_below(4) ? mask : UINT64_MAX;
        const float dx = (float)(int32_t)check_random_below(200) - 100.0f,
                    dy = (float)(int32_t)check_random_below(200) - 100.0f;
        for (int p = 0; p < 64; p++) {
            if (!(mask >> p & 1)) {
                continue;
            }
            const double px = (double)dx + p % 8, py = (double)dy + p / 8;
            const volatile double tx = prim.zx * steps * px, ty = prim.zy * steps * py; /* no contraction */
            double z = ((prim.z0 * steps + tx) + ty);
            z = (z + 6442450944.0) - 6442450944.0 + (prim.z_offset + 1.0 / 2097152.0);
            z = z > 0.0 ? z : 0.0;
            const uint32_t q = z < steps ? (uint32_t)(z + 0.5) : (uint32_t)steps;
            const uint32_t old = load_depth(start + p / 8 * 64 + p % 8 * bytes, d24);
            const bool pass = func == RN_NEVER      ? false
                              : func == RN_LESS     ? q < old
                              : func == RN_EQUAL    ? q == old
                              : func == RN_LEQUAL   ? q <= old
                              : func == RN_GREATER  ? q > old
                              : func == RN_NOTEQUAL ? q != old
                              : func == RN_GEQUAL   ? q >= old
                                                    : true;
            if (pass) {
                passed |= UINT64_C(1) << p;
                if (write) {
                    store_depth(expect + p / 8 * 64 + p % 8 * bytes, d24, q);
                }
            }
        }
        for (enum vliw_simd level = VLIW_SIMD_SCALAR; level < VLIW_SIMD_COUNT; level++) {
            if (!have(level)) {
                continue;
            }
            uint8_t memory[8 * 64] BITS_ALIGN(64);
            memcpy(memory, start, sizeof memory);
            int32_t z[64];
            const struct rn_depth_block block = {&plane, memory, 64, dx, dy, z};
            const uint64_t got = rn_depth_ops_for(level)->test[d24][cls][write](&block, mask, func);
            check_count();
            if (got != passed || memcmp(memory, expect, sizeof memory) != 0) {
                check_failf(__FILE__, __LINE__, "%s: block %d func %u: passed %016llx, not %016llx",
                            vliw_simd_name(level), i, func, (unsigned long long)got, (unsigned long long)passed);
                return;
            }
            int32_t again[64];
            const struct rn_depth_block values = {&plane, NULL, 0, dx, dy, again};
            rn_depth_ops_for(level)->values(&values, mask);
            for (int p = 0; p < 64; p++) {
                if ((mask >> p & 1) && again[p] != z[p]) {
                    check_failf(__FILE__, __LINE__, "%s: values differ from test", vliw_simd_name(level));
                    return;
                }
            }
        }
    }
}

TEST(depth_offset_is_whole_steps) {
    /* One unit is one step for any depth, ties included. */
    for (int i = 0; i < 20000; i++) {
        const double steps = check_random_below(2) ? 65535.0 : 16777215.0;
        struct rn_prim prim;
        memset(&prim, 0, sizeof prim);
        prim.z0 = check_random_below(4) ? (double)check_random() / 4294967295.0
                                        : 0.5 / steps * (double)check_random_below(131070);
        prim.draw = &whole_range;
        uint32_t z[2];
        for (int k = 0; k < 2; k++) {
            struct rn_depth_plane plane = {0};
            int32_t values[64];
            prim.z_offset = k ? -1.0 : 0.0;
            rn_depth_plane_set(&plane, &prim, steps);
            const struct rn_depth_block block = {&plane, NULL, 0, 0.0f, 0.0f, values};
            rn_depth_ops_for(VLIW_SIMD_SCALAR)->values(&block, 1);
            z[k] = (uint32_t)values[0];
        }
        CHECK_EQ_INT(z[0], rn_depth_quantise(prim.z0, steps));
        CHECK_EQ_INT(z[1], z[0] ? z[0] - 1 : 0);
    }
    CHECK_EQ_INT(rn_depth_quantise(0.0, 65535.0), 0);
    CHECK_EQ_INT(rn_depth_quantise(1.0, 65535.0), 65535);
    CHECK_EQ_INT(rn_depth_quantise(1.0, 16777215.0), 16777215);
    CHECK_EQ_INT(rn_depth_quantise(0.5, 65535.0), 32768);
    CHECK_EQ_INT(rn_depth_quantise((double)bits_to_float(0x7FC00000u), 65535.0), 0);
    CHECK_EQ_INT(rn_depth_quantise(7.0, 65535.0), 65535);
}

/* ---- small triangles --------------------------------------------------------------------------------------------- */

TEST(small_depth_is_that_of_a_block) {
    unsigned passed = 0, unclamped = 0;
    for (int i = 0; i < 20000; i++) {
        struct rn_prim prim;
        memset(&prim, 0, sizeof prim);
        const bool within = check_random_below(2) != 0;
        prim.z0 = within ? 0.1 + (double)check_random() / 6e9 : (double)check_random() / 4294967295.0;
        prim.zx = random_slope() / 1e6;
        prim.zy = random_slope() / 1e6;
        prim.draw = &whole_range;
        const bool d24 = check_random_below(2) != 0, write = check_random_below(2) != 0;
        const double steps = d24 ? 16777215.0 : 65535.0;
        const unsigned func = check_random_below(8), bytes = d24 ? 4 : 2;
        const unsigned cls = func == RN_LESS ? RN_DEPTH_LESS : (func == RN_LEQUAL ? RN_DEPTH_LEQUAL : RN_DEPTH_ANY);
        const float dx = (float)(int32_t)check_random_below(60), dy = (float)(int32_t)check_random_below(60);
        prim.unclamped = true;
        for (int corner = 0; corner < 4; corner++) {
            const double z = prim.z0 + prim.zx * ((double)dx + 7 * (corner & 1)) + prim.zy * ((double)dy + 7 * (corner >> 1));
            prim.unclamped = prim.unclamped && z > 1e-6 && z < 1.0 - 1e-6;
        }
        unclamped += prim.unclamped;
        if (within && check_random_below(2)) { /* ties: halves go up */
            prim.z0 = (double)(2 * check_random_below(30000) + 20001) / (2.0 * steps);
            prim.zx = prim.zy = 0.0;
        }
        struct rn_depth_plane plane = {0};
        rn_depth_plane_set(&plane, &prim, steps);
        uint8_t start[8 * 64] BITS_ALIGN(64), expect[8 * 64] BITS_ALIGN(64);
        for (int q = 0; q < 64; q++) {
            const uint32_t v =
                check_random_below(2) ? rn_depth_quantise(prim.z0, steps) : check_random_below((uint32_t)steps);
            memcpy(start + q / 8 * 64 + q % 8 * (int)bytes, &v, bytes);
        }
        memcpy(expect, start, sizeof expect);
        const bool four = check_random_below(2) != 0;
        const uint64_t any = (uint64_t)check_random() << 32 | check_random();
        const uint64_t some = four ? any & UINT64_C(0x0F0F0F0F) : any >> check_random_below(60);
        uint32_t rows = 1; /* the tile may end behind the last */
        while (rows < 8 && some >> 8 * rows) {
            rows++;
        }
        const struct rn_depth_block block = {&plane, expect, 64, dx, dy, NULL};
        const uint64_t mask = rn_depth_ops_for(VLIW_SIMD_SCALAR)->test[d24][cls][write](&block, some, func);
        passed += mask != 0;
        for (enum vliw_simd level = VLIW_SIMD_SCALAR; level < VLIW_SIMD_COUNT; level++) {
            if (!have(level)) {
                continue;
            }
            uint8_t memory[8 * 64] BITS_ALIGN(64);
            memcpy(memory, start, sizeof memory);
            const struct rn_small small = {func, d24, write, 64, steps, plane.lo, plane.hi, &prim, memory, rows, dx, dy};
            const uint64_t got = some ? rn_small_ops_for(level)->depth(&small, some) : 0;
            check_count();
            if (got != mask || memcmp(memory, expect, sizeof memory) != 0) {
                check_failf(__FILE__, __LINE__, "%s: triangle %d: %llx, not %llx", vliw_simd_name(level), i,
                            (unsigned long long)got, (unsigned long long)mask);
                return;
            }
        }
    }
    CHECK(passed > 5000 && unclamped > 3000);
}

/* ---- interpolation ----------------------------------------------------------------------------------------------- */

#define COEFS 5

static float small_random(void) {
    return (float)(int32_t)(check_random() >> 8) / 8388608.0f - 1.0f;
}

TEST(interp_planes) {
    const size_t bytes = rn_prim_bytes(COEFS);
    struct rn_prim *prims[3];
    for (int k = 0; k < 3; k++) {
        prims[k] = aligned_alloc(64, bytes);
        memset(prims[k], 0, bytes);
    }
    for (int i = 0; i < 2000; i++) {
        const bool single = check_random_below(2) != 0;
        const uint32_t quads = 1 + check_random_below(VM_QUADS);
        for (int k = 0; k < 3; k++) {
            float *planes[COEFS + 1] = {&prims[k]->iw.a0};
            for (int c = 0; c < COEFS; c++) {
                planes[c + 1] = &prims[k]->coef[c].a0;
            }
            for (int c = 0; c < (COEFS + 1) * 3; c++) {
                planes[c / 3][c % 3] = small_random();
            }
            prims[k]->perspective = check_random_below(2) != 0;
        }
        const struct rn_prim *prim[VM_QUADS + RN_QUAD_SLACK];
        struct rn_segment segment[VM_QUADS];
        uint8_t qx[VM_QUADS + RN_QUAD_SLACK], qy[VM_QUADS + RN_QUAD_SLACK];
        const int32_t x = (int32_t)check_random_below(3000), y = (int32_t)check_random_below(3000);
        const uint32_t change = 1 + check_random_below(6); /* of primitives: seldom or at each quad */
        uint32_t segments = 0;
        for (int k = 0; k < 3; k++) {
            prims[k]->px = (int16_t)check_random_below(3000);
            prims[k]->py = (int16_t)check_random_below(3000);
        }
        for (uint32_t q = 0; q < VM_QUADS + RN_QUAD_SLACK; q++) {
            const bool same = q > 0 && (single || q >= quads || check_random_below(change));
            prim[q] = same ? prim[q - 1] : prims[check_random_below(3)];
            qx[q] = (uint8_t)(2 * check_random_below(32));
            qy[q] = (uint8_t)(2 * check_random_below(32));
            if (!same) {
                segment[segments++] = (struct rn_segment){prim[q], q};
            }
        }
        for (enum vliw_simd level = VLIW_SIMD_SCALAR; level < VLIW_SIMD_COUNT; level++) {
            if (!have(level)) {
                continue;
            }
            float out[COEFS][VM_LANES] BITS_ALIGN(64), inverse[VM_LANES] BITS_ALIGN(64);
            struct rn_interp_list list;
            memset(&list, 0, sizeof list);
            list.count = COEFS - 1; /* one left out, in another order */
            for (uint16_t c = 0; c < COEFS - 1; c++) {
                list.coef[c] = (uint16_t)(COEFS - 1 - c);
                list.dst[c] = out[COEFS - 1 - c];
            }
            list.coord[3] = check_random_below(2) ? inverse : NULL;
            const struct rn_interp_job job = {&list, quads, segments, segment, qx, qy, x, y};
            rn_interp_ops_for(level)->planes(&job);
            for (uint32_t lane = 0; lane < quads * 4; lane++) {
                const struct rn_prim *p = prim[lane / 4];
                const float at_x = (float)(x - p->px + qx[lane / 4] + (int32_t)(lane & 1));
                const float at_y = (float)(y - p->py + qy[lane / 4] + (int32_t)(lane >> 1 & 1));
                const volatile float wx = p->iw.ax * at_x, wy = p->iw.ay * at_y;
                const float iw = (p->iw.a0 + wx) + wy, w = p->perspective ? 1.0f / iw : 1.0f;
                CHECK(!list.coord[3] || bits_from_float(inverse[lane]) == bits_from_float(iw));
                for (int c = 1; c < COEFS; c++) {
                    const volatile float cx = p->coef[c].ax * at_x, cy = p->coef[c].ay * at_y;
                    const float v = ((p->coef[c].a0 + cx) + cy) * w;
                    check_count();
                    if (bits_from_float(out[c][lane]) != bits_from_float(v) && v == v) {
                        check_failf(__FILE__, __LINE__, "%s: lane %u component %d: %a, not %a", vliw_simd_name(level),
                                    (unsigned)lane, c, (double)out[c][lane], (double)v);
                        return;
                    }
                }
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        free(prims[k]);
    }
}

/* The quads of a window, one after the other. */
TEST(quads_append_levels) {
    for (int i = 0; i < 20000; i++) {
        uint64_t mask = (uint64_t)check_random() << 32 | check_random();
        mask &= check_random_below(2) ? (uint64_t)check_random() << 32 | check_random() : UINT64_MAX;
        mask &= check_random_below(4) ? UINT64_MAX : UINT64_C(0xFF00000000FF0F) << check_random_below(8);
        mask = i == 0 ? 0 : i == 1 ? UINT64_MAX : mask;
        const uint32_t x = 2 * check_random_below(29), y = 2 * check_random_below(29);
        uint8_t want[3][16];
        uint32_t count = 0;
        for (uint32_t q = 0; q < 16; q++) {
            const uint32_t at = q / 4 * 16 + q % 4 * 2, lanes = mask >> at & 3u, upper = mask >> (at + 8) & 3u;
            if (lanes | upper) {
                want[0][count] = (uint8_t)(x + q % 4 * 2);
                want[1][count] = (uint8_t)(y + q / 4 * 2);
                want[2][count++] = (uint8_t)(lanes | upper << 2);
            }
        }
        for (enum vliw_simd level = VLIW_SIMD_SCALAR; level < VLIW_SIMD_COUNT; level++) {
            if (!have(level)) {
                continue;
            }
            uint8_t got[3][16 + 1];
            memset(got, 0xA5, sizeof got);
            const uint32_t n = rn_quads_ops_for(level)->append(mask, x, y, got[0], got[1], got[2]);
            bool same = n == count;
            for (uint32_t k = 0; k < 3; k++) {
                same = same && memcmp(got[k], want[k], count) == 0 && got[k][16] == 0xA5;
            }
            check_count();
            if (!same) {
                check_failf(__FILE__, __LINE__, "%s: mask %016llx: %u quads, not %u", vliw_simd_name(level),
                            (unsigned long long)mask, (unsigned)n, (unsigned)count);
                return;
            }
        }
    }
}

/* A window's inputs are those of its quads. */
TEST(interp_window_levels) {
    struct rn_prim *prim = calloc(1, sizeof *prim + 2 * sizeof prim->coef[0]);
    CHECK(prim != NULL);
    if (!prim) {
        return;
    }
    for (int i = 0; i < 500; i++) {
        float *planes[3] = {&prim->iw.a0, &prim->coef[0].a0, &prim->coef[1].a0};
        for (int c = 0; c < 9; c++) {
            planes[c / 3][c % 3] = small_random();
        }
        prim->perspective = check_random_below(2) != 0;
        prim->px = (int16_t)check_random_below(3000);
        prim->py = (int16_t)check_random_below(3000);
        const int32_t x = (int32_t)check_random_below(46) * 64, y = (int32_t)check_random_below(46) * 64;
        const uint32_t wx = 2 * check_random_below(29), wy = 2 * check_random_below(29);
        uint8_t qx[VM_QUADS + RN_QUAD_SLACK], qy[VM_QUADS + RN_QUAD_SLACK];
        for (uint32_t q = 0; q < VM_QUADS + RN_QUAD_SLACK; q++) {
            qx[q] = (uint8_t)(wx + q % 4 * 2);
            qy[q] = (uint8_t)(wy + q % 16 / 4 * 2);
        }
        float want[3][VM_LANES] BITS_ALIGN(64), got[3][VM_LANES] BITS_ALIGN(64);
        struct rn_interp_list list;
        memset(&list, 0, sizeof list);
        list.count = 2;
        list.coef[0] = 1;
        const bool asked = check_random_below(2) != 0;
        const uint32_t lane = 64 * check_random_below(RN_BATCH_WINDOWS);
        for (enum vliw_simd level = VLIW_SIMD_SCALAR; level < VLIW_SIMD_COUNT; level++) {
            if (!have(level)) {
                continue;
            }
            const struct rn_segment all = {prim, 0};
            memset(want, 0, sizeof want);
            memset(got, 0, sizeof got);
            for (int k = 0; k < 2; k++) {
                float(*out)[VM_LANES] = k ? got : want;
                list.dst[0] = out[0];
                list.dst[1] = out[1];
                list.coord[3] = asked ? out[2] : NULL;
                if (k) {
                    rn_interp_ops_for(level)->window(&list, prim, x + (int32_t)wx, y + (int32_t)wy, lane);
                } else {
                    const struct rn_interp_job job = {&list, 16, 1, &all, qx, qy, x, y};
                    rn_interp_ops_for(level)->planes(&job);
                }
            }
            check_count();
            bool same = true;
            for (int c = 0; c < 3; c++) {
                same &= memcmp(want[c], got[c] + lane, 64 * sizeof(float)) == 0;
            }
            if (!same) {
                check_failf(__FILE__, __LINE__, "%s: case %d", vliw_simd_name(level), i);
                break;
            }
        }
    }
    free(prim);
}
