/* SPDX-License-Identifier: MIT */
/*
 * Coverage of a primitive in one tile, for one sample position: 64-bit block masks. Triangles are handed
 * to the kernel with edge values relative to the tile in 32 bits; lines and rectangles are done here.
 *
 * Edges are asked at pixel centres only, so scene.h keeps them divided by 256. A sample at (sx, sy)
 * sub-pixels from the centre has the exact value (a x + b y + c) * 256 + low + a sx + b sy; it is not
 * negative exactly when a x + b y + c + floor((low + a sx + b sy) / 256) is not. So a sample is an edge with
 * another constant, and all arithmetic stays exact.
 */
#include "renderer/tile.h"

#include <string.h>

/* Positions with one sample in each row and column of a 4x4 grid, in 1/256 pixel. */
static const struct rn_sample_offset offsets_1[1] = {{0, 0}};
static const struct rn_sample_offset offsets_4[4] = {{-32, -96}, {96, -32}, {-96, 32}, {32, 96}};

const struct rn_sample_offset *rn_sample_offsets(unsigned samples) {
    return samples == 4 ? offsets_4 : offsets_1;
}

/* Columns x0..x1 and rows y0..y1 of one block as a mask. */
static uint64_t block_rect(int32_t x0, int32_t y0, int32_t x1, int32_t y1) {
    const uint64_t columns = (0xFFu << x0 & 0xFFu >> (7 - x1)) * UINT64_C(0x0101010101010101);
    return columns & UINT64_MAX << 8 * y0 & UINT64_MAX >> 8 * (7 - y1);
}

static int32_t clamp7(int32_t v) {
    return v < 0 ? 0 : (v > 7 ? 7 : v);
}

/* Inclusive bounds within the tile. */
static void cover_rect(struct rn_cover *cover, int32_t x0, int32_t y0, int32_t x1, int32_t y1) {
    for (int32_t by = y0 >> 3; by <= y1 >> 3; by++) {
        for (int32_t bx = x0 >> 3; bx <= x1 >> 3; bx++) {
            const uint32_t block = (uint32_t)(by * RN_BLOCKS + bx);
            cover->touched |= UINT64_C(1) << block;
            cover->mask[block] =
                block_rect(clamp7(x0 - 8 * bx), clamp7(y0 - 8 * by), clamp7(x1 - 8 * bx), clamp7(y1 - 8 * by));
        }
    }
}

static void cover_pixel(struct rn_cover *cover, int32_t x, int32_t y) {
    const uint32_t block = (uint32_t)((y >> 3) * RN_BLOCKS + (x >> 3));
    const uint64_t bit = UINT64_C(1) << ((y & 7) * 8 + (x & 7));
    if (!(cover->touched >> block & 1)) {
        cover->touched |= UINT64_C(1) << block;
        cover->mask[block] = 0;
    }
    cover->mask[block] |= bit;
}

static void cover_line(struct rn_cover *cover, const struct rn_prim *prim, const struct rn_rect *box, int32_t x,
                       int32_t y) {
    const bool mx = prim->major_x;
    const int32_t m0 = mx ? box->x0 : box->y0, m1 = mx ? box->x1 : box->y1;
    const int32_t n0 = mx ? box->y0 : box->x0, n1 = mx ? box->y1 : box->x1;
    int64_t minor = prim->minor0 + prim->minor_step * m0;
    for (int32_t m = m0; m < m1; m++, minor += prim->minor_step) {
        const int64_t first = minor >> 32;
        for (int64_t n = first; n < first + prim->width; n++) {
            if (n >= n0 && n < n1) {
                cover_pixel(cover, (mx ? m : (int32_t)n) - x, (mx ? (int32_t)n : m) - y);
            }
        }
    }
}

/*
 * Edges relative to the tile: one that no pixel of the box is outside of is left out. False if all
 * pixels of the box are outside one. An edge that is kept crosses the box, so its values anywhere in the
 * tile are at most 63 (|a| + |b|) < 2^30 (limits.h).
 */
static bool tile_edges(const struct rn_prim *prim, const struct rn_sample_offset *sample, int32_t x, int32_t y,
                       struct rn_rast_tri *tri) {
    const int64_t w = tri->x1 - tri->x0, h = tri->y1 - tri->y0;
    tri->edges = 0;
    for (unsigned k = 0; k < 3; k++) {
        const int64_t a = prim->e[k].a, b = prim->e[k].b;
        const int64_t moved = (prim->edge_low[k] + a * sample->x + b * sample->y) >> RN_SUBPIXEL_BITS;
        const int64_t origin = a * x + b * y + prim->e[k].c + moved;
        const int64_t corner = origin + a * tri->x0 + b * tri->y0;
        const int64_t aw = a * w, bh = b * h;
        if (corner + (aw > 0 ? aw : 0) + (bh > 0 ? bh : 0) < 0) {
            return false;
        }
        if (corner + (aw < 0 ? aw : 0) + (bh < 0 ? bh : 0) >= 0) {
            continue;
        }
        tri->a[tri->edges] = (int32_t)a;
        tri->b[tri->edges] = (int32_t)b;
        tri->c[tri->edges] = (int32_t)origin;
        tri->edges++;
    }
    return true;
}

void rn_rast_prim(const struct rn_rast_ops *ops, const struct rn_prim *prim, bool full, int32_t x, int32_t y,
                  const struct rn_sample_offset *sample, struct rn_cover *cover) {
    cover->touched = 0;
    struct rn_rect box = rn_prim_rect(prim);
    box.x0 = box.x0 > x ? box.x0 : x;
    box.y0 = box.y0 > y ? box.y0 : y;
    box.x1 = box.x1 < x + RN_TILE ? box.x1 : x + RN_TILE;
    box.y1 = box.y1 < y + RN_TILE ? box.y1 : y + RN_TILE;
    if (box.x0 >= box.x1 || box.y0 >= box.y1) {
        return;
    }
    if (prim->kind == RN_PRIM_LINE) {
        cover_line(cover, prim, &box, x, y);
        return;
    }
    struct rn_rast_tri tri;
    tri.x0 = box.x0 - x;
    tri.y0 = box.y0 - y;
    tri.x1 = box.x1 - x - 1;
    tri.y1 = box.y1 - y - 1;
    if (prim->kind == RN_PRIM_TRIANGLE && !full) {
        if (!tile_edges(prim, sample, x, y, &tri)) {
            return;
        }
        if (tri.edges) {
            ops->triangle(&tri, cover);
            return;
        }
    }
    cover_rect(cover, tri.x0, tri.y0, tri.x1, tri.y1);
}

/* Begins of one or two windows over lo..hi (inclusive), none of which may end behind 'end'; false: too far apart. */
static inline bool windows_over(int32_t lo, int32_t hi, int32_t end, uint32_t at[2], uint32_t *count) {
    const int32_t last = end - RN_BLOCK, first = (lo & ~1) < last ? lo & ~1 : last, second = first + RN_BLOCK;
    at[0] = (uint32_t)first;
    at[1] = (uint32_t)(second < last ? second : last);
    *count = hi < second ? 1 : 2;
    return first >= 0 && hi < second + RN_BLOCK;
}

bool rn_rast_small(const struct rn_rast_ops *ops, const struct rn_prim *prim, int32_t x, int32_t y, int32_t right,
                   unsigned samples, struct rn_windows *windows) {
    int32_t x0 = prim->box.x0 - x, y0 = prim->box.y0 - y, x1 = prim->box.x1 - 1 - x, y1 = prim->box.y1 - 1 - y;
    x0 = x0 > 0 ? x0 : 0;
    y0 = y0 > 0 ? y0 : 0;
    x1 = x1 < RN_TILE - 1 ? x1 : RN_TILE - 1;
    y1 = y1 < RN_TILE - 1 ? y1 : RN_TILE - 1;
    if (!windows_over(x0, x1, right, windows->x, &windows->columns) ||
        !windows_over(y0, y1, RN_TILE, windows->y, &windows->rows) || prim->kind != RN_PRIM_TRIANGLE ||
        !rn_rast_short(prim->e)) {
        return false;
    }
    if (x1 < x0 || y1 < y0) {
        windows->columns = windows->rows = 1;
        for (unsigned s = 0; s < samples; s++) {
            windows->mask[s][0] = 0;
        }
        return true;
    }
    const int32_t left = (int32_t)windows->x[0], low = (int32_t)windows->y[0];
    struct rn_rast_tri tri;
    tri.edges = 3;
    tri.x0 = x0 - left;
    tri.y0 = y0 - low;
    tri.x1 = x1 - left;
    tri.y1 = y1 - low;
    const uint32_t ox = (uint32_t)(x + left), oy = (uint32_t)(y + low);
    BITS_UNROLL
    for (unsigned k = 0; k < 3; k++) {
        tri.a[k] = prim->e[k].a;
        tri.b[k] = prim->e[k].b;
        tri.c[k] = (int32_t)((uint32_t)prim->e[k].c + (uint32_t)tri.a[k] * ox + (uint32_t)tri.b[k] * oy);
    }
    if (samples == 1) {
        ops->windows(&tri, windows, windows->mask[0]);
        return true;
    }
    const int32_t centre[3] = {tri.c[0], tri.c[1], tri.c[2]};
    const struct rn_sample_offset *offsets = rn_sample_offsets(samples);
    for (unsigned s = 0; s < samples; s++) {
        for (unsigned k = 0; k < 3; k++) {
            tri.c[k] = centre[k] +
                       ((prim->edge_low[k] + tri.a[k] * offsets[s].x + tri.b[k] * offsets[s].y) >> RN_SUBPIXEL_BITS);
        }
        ops->windows(&tri, windows, windows->mask[s]);
    }
    return true;
}
