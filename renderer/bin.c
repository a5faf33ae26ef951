/* SPDX-License-Identifier: MIT */
/*
 * Binning: a set-up primitive goes to the command list of each 64x64 tile that it can touch, in
 * submission order. Triangles are tested against a tile's corners edge by edge: all samples of the
 * tile outside one edge drops it, all inside every edge (and the box covering the tile) makes it
 * PRIM_FULL.
 *
 * A chunk that runs beside others fills bins of its worker's own; when it is done the calling thread
 * hangs what each tile got behind the tile's bin. So no thread touches a primitive of another's for that.
 */
#include <stdlib.h>
#include <string.h>

#include "renderer/internal.h"

bool rn_bin_append(struct rn_bin *bin, struct arena *arena, rn_cmd cmd) {
    struct rn_bin_block *block = bin->tail;
    if (!block || block->count == block->capacity) {
        const uint32_t capacity = block ? RN_BIN_BLOCK : RN_BIN_FIRST;
        struct rn_bin_block *more = arena_alloc_raw(arena, sizeof *more + capacity * sizeof more->cmds[0], 64);
        if (!more) {
            return false;
        }
        more->next = NULL;
        more->count = 0;
        more->capacity = capacity;
        if (block) {
            block->next = more;
        } else {
            bin->head = more;
        }
        bin->tail = block = more;
    }
    block->cmds[block->count++] = cmd;
    return true;
}

bool rn_bin_put_slow(struct rn_front_worker *worker, uint32_t tile, rn_cmd cmd) {
    struct rn_bin *bin = &worker->bins[tile];
    const bool first = !bin->tail;
    if (!rn_bin_append(bin, &worker->arena, cmd)) {
        return false;
    }
    if (first && worker->bins == worker->own) {
        worker->touched[worker->touched_count++] = tile;
    }
    return true;
}

/* ---- bins of a worker ---------------------------------------------------------------- */

bool rn_bins_own(struct rn_front_worker *worker, uint32_t tiles) {
    if (tiles <= worker->own_count) {
        return true;
    }
    free(worker->own);
    free(worker->touched);
    worker->own = calloc(tiles, sizeof *worker->own);
    worker->touched = malloc(tiles * sizeof *worker->touched);
    worker->own_count = worker->own && worker->touched ? tiles : 0;
    return worker->own_count > 0;
}

bool rn_bins_take(struct rn_front_worker *worker) {
    struct rn_chunk *chunk = worker->chunk;
    const uint32_t count = worker->touched_count;
    chunk->part = arena_alloc_raw(&worker->arena, count * sizeof *chunk->part, 16);
    for (uint32_t i = 0; i < count; i++) {
        struct rn_bin *bin = &worker->own[worker->touched[i]];
        if (chunk->part) {
            chunk->part[i] = (struct rn_bin_part){bin->head, bin->tail, worker->touched[i]};
        }
        bin->head = bin->tail = NULL;
    }
    chunk->parts = chunk->part ? count : 0;
    worker->touched_count = 0;
    return chunk->part != NULL;
}

void rn_bins_join(struct rn_scene *scene, const struct rn_chunk *chunk) {
    for (uint32_t i = 0; i < chunk->parts; i++) {
        const struct rn_bin_part *part = &chunk->part[i];
        struct rn_bin *bin = &scene->bins[part->tile];
        *(bin->tail ? &bin->tail->next : &bin->head) = part->head;
        bin->tail = part->tail;
        bin->owner = chunk->worker;
    }
    scene->owned = scene->owned || chunk->parts > 0;
}

/* ---- tiles of a primitive ------------------------------------------------------------ */

/* Tiles x0 .. x1, y0 .. y1, inclusive. */
struct span {
    uint32_t x0, y0, x1, y1;
};

static bool put(struct rn_front_worker *worker, uint32_t x, uint32_t y, const struct rn_prim *prim, enum rn_cmd_kind kind) {
    return rn_bin_put(worker, y * worker->draw->tiles_x + x, (rn_cmd)prim | (rn_cmd)kind);
}

/* The part of a tile that lies in the framebuffer. */
static struct rn_rect tile_rect(const struct rn_front_draw *draw, int32_t tx, int32_t ty) {
    const struct rn_rect tile = {tx * RN_TILE, ty * RN_TILE, (tx + 1) * RN_TILE,
                                 (ty + 1) * RN_TILE};
    const struct rn_rect fb = {0, 0, (int32_t)draw->width, (int32_t)draw->height};
    return rn_rect_intersect(tile, fb);
}

static bool contains(const struct rn_box16 *outer, const struct rn_rect *inner) {
    return outer->x0 <= inner->x0 && outer->y0 <= inner->y0 && outer->x1 >= inner->x1 &&
           outer->y1 >= inner->y1;
}

/* Edge values over a tile lie in [at origin + down, at origin + up]. */
struct edge_span {
    int64_t origin, down, up;
};

static struct edge_span span_of(const struct rn_edge *e, int32_t tx, int32_t ty,
                                bool multisampled) {
    const int64_t a = (int64_t)e->a * (RN_TILE - 1), b = (int64_t)e->b * (RN_TILE - 1);
    /* Samples other than the centre lie up to half a pixel from it. */
    const int64_t reach =
        multisampled ? ((a < 0 ? -a : a) + (b < 0 ? -b : b)) / (2 * (RN_TILE - 1)) + 1 : 0;
    const struct edge_span s = {
        (int64_t)e->a * (tx * RN_TILE) + (int64_t)e->b * (ty * RN_TILE) + e->c,
        (a < 0 ? a : 0) + (b < 0 ? b : 0) - reach, (a > 0 ? a : 0) + (b > 0 ? b : 0) + reach};
    return s;
}

static bool bin_triangle(struct rn_front_worker *worker, const struct rn_prim *prim, const struct span *at) {
    const bool multisampled = worker->draw->samples > 1;
    const struct edge_span s0 = span_of(&prim->e[0], at->x0, at->y0, multisampled);
    const struct edge_span s1 = span_of(&prim->e[1], at->x0, at->y0, multisampled);
    const struct edge_span s2 = span_of(&prim->e[2], at->x0, at->y0, multisampled);
    int64_t row0 = s0.origin, row1 = s1.origin, row2 = s2.origin;
    for (int32_t ty = (int32_t)at->y0; ty <= (int32_t)at->y1; ty++) {
        int64_t e0 = row0, e1 = row1, e2 = row2;
        for (int32_t tx = (int32_t)at->x0; tx <= (int32_t)at->x1; tx++) {
            const bool out = ((e0 + s0.up) | (e1 + s1.up) | (e2 + s2.up)) < 0;
            bool in = ((e0 + s0.down) | (e1 + s1.down) | (e2 + s2.down)) >= 0;
            e0 += (int64_t)prim->e[0].a * RN_TILE;
            e1 += (int64_t)prim->e[1].a * RN_TILE;
            e2 += (int64_t)prim->e[2].a * RN_TILE;
            if (out) {
                continue;
            }
            if (in) {
                const struct rn_rect tile = tile_rect(worker->draw, tx, ty);
                in = contains(&prim->box, &tile);
            }
            if (!put(worker, (uint32_t)tx, (uint32_t)ty, prim, in ? RN_CMD_PRIM_FULL : RN_CMD_PRIM)) {
                return false;
            }
        }
        row0 += (int64_t)prim->e[0].b * RN_TILE;
        row1 += (int64_t)prim->e[1].b * RN_TILE;
        row2 += (int64_t)prim->e[2].b * RN_TILE;
    }
    return true;
}

/* Tiles of a line: in each stripe of the major axis, those between its first and its last pixel
 * there. */
static bool bin_line(struct rn_front_worker *worker, const struct rn_prim *prim) {
    const bool mx = prim->major_x;
    const int32_t major0 = mx ? prim->box.x0 : prim->box.y0,
                  major1 = (mx ? prim->box.x1 : prim->box.y1) - 1;
    const int32_t minor0 = mx ? prim->box.y0 : prim->box.x0,
                  minor1 = (mx ? prim->box.y1 : prim->box.x1) - 1;
    for (int32_t t = major0 >> RN_TILE_SHIFT; t <= major1 >> RN_TILE_SHIFT; t++) {
        const int32_t m0 = t * RN_TILE > major0 ? t * RN_TILE : major0;
        const int32_t m1 = t * RN_TILE + RN_TILE - 1 < major1 ? t * RN_TILE + RN_TILE - 1 : major1;
        int32_t n0 = (int32_t)((prim->minor0 + prim->minor_step * m0) >> 32);
        int32_t n1 = (int32_t)((prim->minor0 + prim->minor_step * m1) >> 32);
        if (n0 > n1) {
            const int32_t swap = n0;
            n0 = n1;
            n1 = swap;
        }
        n0 = n0 > minor0 ? n0 : minor0;
        n1 = n1 < minor1 ? n1 : minor1;
        for (int32_t n = n0 >> RN_TILE_SHIFT; n0 <= n1 && n <= n1 >> RN_TILE_SHIFT; n++) {
            if (!put(worker, (uint32_t)(mx ? t : n), (uint32_t)(mx ? n : t), prim, RN_CMD_PRIM)) {
                return false;
            }
        }
    }
    return true;
}

static bool bin_rect(struct rn_front_worker *worker, const struct rn_prim *prim, const struct span *at) {
    for (int32_t ty = (int32_t)at->y0; ty <= (int32_t)at->y1; ty++) {
        for (int32_t tx = (int32_t)at->x0; tx <= (int32_t)at->x1; tx++) {
            const struct rn_rect tile = tile_rect(worker->draw, tx, ty);
            const bool full = contains(&prim->box, &tile);
            if (!put(worker, (uint32_t)tx, (uint32_t)ty, prim, full ? RN_CMD_PRIM_FULL : RN_CMD_PRIM)) {
                return false;
            }
        }
    }
    return true;
}

/* Where a window of 8 pixels from x on goes over into the next tile: 8 if it does not. */
static uint32_t border_of(uint32_t x) {
    const uint32_t left = RN_TILE - x % RN_TILE;
    return left < 8 ? left : 8;
}

/* A small triangle on the border of tiles: the mask tells in which it covers something. */
static bool bin_small(struct rn_front_worker *worker, const struct rn_prim *prim, const struct span *at) {
    const uint32_t x = border_of(prim->box.x0 & ~1u), y = border_of(prim->box.y0 & ~1u);
    const uint64_t left = (0xFFu >> (8 - x)) * UINT64_C(0x0101010101010101), low = UINT64_MAX >> 8 * (8 - y);
    const uint64_t columns[2] = {left, ~left}, rows[2] = {low, ~low};
    for (unsigned ty = 0; ty <= at->y1 - at->y0; ty++) {
        for (unsigned tx = 0; tx <= at->x1 - at->x0; tx++) {
            if ((prim->mask & columns[tx] & rows[ty]) &&
                !put(worker, at->x0 + tx, at->y0 + ty, prim, RN_CMD_PRIM_SMALL)) {
                return false;
            }
        }
    }
    return true;
}

/* Whether a box within one tile covers the tile's part of the framebuffer. */
static bool fills_tile(const struct rn_front_draw *draw, const struct rn_box16 *box) {
    const uint32_t fb_x = draw->width, fb_y = draw->height;
    const bool x = box->x0 % RN_TILE == 0 && (box->x1 % RN_TILE == 0 || box->x1 == fb_x);
    const bool y = box->y0 % RN_TILE == 0 && (box->y1 % RN_TILE == 0 || box->y1 == fb_y);
    return x && y;
}

bool rn_bin_prim(struct rn_front_worker *worker, struct rn_prim *prim) {
    const struct rn_box16 box = prim->box;
    const struct span at = {(uint32_t)box.x0 >> RN_TILE_SHIFT, (uint32_t)box.y0 >> RN_TILE_SHIFT,
                            (box.x1 - 1u) >> RN_TILE_SHIFT, (box.y1 - 1u) >> RN_TILE_SHIFT};
    const bool one_tile = ((at.x0 ^ at.x1) | (at.y0 ^ at.y1)) == 0;
    worker->chunk->binned++;
    if (prim->mask) {
        return one_tile ? put(worker, at.x0, at.y0, prim, RN_CMD_PRIM_SMALL) : bin_small(worker, prim, &at);
    }
    if (one_tile && prim->kind != RN_PRIM_LINE && !fills_tile(worker->draw, &prim->box)) {
        return put(worker, at.x0, at.y0, prim, RN_CMD_PRIM);
    }
    switch (prim->kind) {
    case RN_PRIM_TRIANGLE: return bin_triangle(worker, prim, &at);
    case RN_PRIM_LINE: return bin_line(worker, prim);
    default: return bin_rect(worker, prim, &at);
    }
}
