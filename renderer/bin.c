/* SPDX-License-Identifier: MIT */
/*
 * Binning: a set-up primitive goes to the command list of each 64x64 tile that it can touch, in
 * submission order. Triangles are tested against a tile's corners edge by edge: all samples of the
 * tile outside one edge drops it, all inside every edge (and the box covering the tile) makes it
 * PRIM_FULL.
 */
#include "renderer/internal.h"

bool rn_bin_append(struct rn_scene *scene, uint32_t tile_x, uint32_t tile_y, rn_cmd cmd) {
    struct rn_bin *bin = &scene->bins[(size_t)tile_y * scene->tiles_x + tile_x];
    struct rn_bin_block *block = bin->tail;
    if (!block || block->count == RN_BIN_BLOCK) {
        struct rn_bin_block *more = arena_alloc_raw(&scene->arena, sizeof *more, 16);
        if (!more) {
            return false;
        }
        more->next = NULL;
        more->count = 0;
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

/* The part of a tile that lies in the framebuffer. */
static struct rn_rect tile_rect(const struct rn_scene *scene, int32_t tx, int32_t ty) {
    const struct rn_rect tile = {tx * RN_TILE, ty * RN_TILE, (tx + 1) * RN_TILE,
                                 (ty + 1) * RN_TILE};
    const struct rn_rect fb = {0, 0, (int32_t)scene->fb.width, (int32_t)scene->fb.height};
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

static bool bin_triangle(struct rn_scene *scene, const struct rn_bin_ref *ref) {
    const struct rn_prim *prim = ref->prim;
    const bool multisampled = scene->fb.samples > 1;
    const struct edge_span s0 = span_of(&prim->e[0], ref->x0, ref->y0, multisampled);
    const struct edge_span s1 = span_of(&prim->e[1], ref->x0, ref->y0, multisampled);
    const struct edge_span s2 = span_of(&prim->e[2], ref->x0, ref->y0, multisampled);
    int64_t row0 = s0.origin, row1 = s1.origin, row2 = s2.origin;
    for (int32_t ty = ref->y0; ty <= ref->y1; ty++) {
        int64_t e0 = row0, e1 = row1, e2 = row2;
        for (int32_t tx = ref->x0; tx <= ref->x1; tx++) {
            const bool out = ((e0 + s0.up) | (e1 + s1.up) | (e2 + s2.up)) < 0;
            bool in = ((e0 + s0.down) | (e1 + s1.down) | (e2 + s2.down)) >= 0;
            e0 += (int64_t)prim->e[0].a * RN_TILE;
            e1 += (int64_t)prim->e[1].a * RN_TILE;
            e2 += (int64_t)prim->e[2].a * RN_TILE;
            if (out) {
                continue;
            }
            if (in) {
                const struct rn_rect tile = tile_rect(scene, tx, ty);
                in = contains(&prim->box, &tile);
            }
            const rn_cmd cmd = (rn_cmd)prim | (rn_cmd)(in ? RN_CMD_PRIM_FULL : RN_CMD_PRIM);
            if (!rn_bin_put(scene, (uint32_t)tx, (uint32_t)ty, cmd)) {
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
static bool bin_line(struct rn_scene *scene, const struct rn_bin_ref *ref) {
    const struct rn_prim *prim = ref->prim;
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
            if (!rn_bin_put(scene, (uint32_t)(mx ? t : n), (uint32_t)(mx ? n : t),
                               (rn_cmd)prim | RN_CMD_PRIM)) {
                return false;
            }
        }
    }
    return true;
}

static bool bin_rect(struct rn_scene *scene, const struct rn_bin_ref *ref) {
    const struct rn_prim *prim = ref->prim;
    for (int32_t ty = ref->y0; ty <= ref->y1; ty++) {
        for (int32_t tx = ref->x0; tx <= ref->x1; tx++) {
            const struct rn_rect tile = tile_rect(scene, tx, ty);
            const bool full = contains(&prim->box, &tile);
            const rn_cmd cmd = (rn_cmd)prim | (rn_cmd)(full ? RN_CMD_PRIM_FULL : RN_CMD_PRIM);
            if (!rn_bin_put(scene, (uint32_t)tx, (uint32_t)ty, cmd)) {
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
static bool bin_small(struct rn_scene *scene, const struct rn_bin_ref *ref) {
    const struct rn_prim *prim = ref->prim;
    const uint32_t x = border_of(prim->box.x0 & ~1u), y = border_of(prim->box.y0 & ~1u);
    const uint64_t left = (0xFFu >> (8 - x)) * UINT64_C(0x0101010101010101), low = UINT64_MAX >> 8 * (8 - y);
    const uint64_t columns[2] = {left, ~left}, rows[2] = {low, ~low};
    for (unsigned ty = 0; ty <= (unsigned)ref->y1 - ref->y0; ty++) {
        for (unsigned tx = 0; tx <= (unsigned)ref->x1 - ref->x0; tx++) {
            if ((prim->mask & columns[tx] & rows[ty]) &&
                !rn_bin_put(scene, ref->x0 + tx, ref->y0 + ty, (rn_cmd)prim | RN_CMD_PRIM_SMALL)) {
                return false;
            }
        }
    }
    return true;
}

bool rn_bin_prim(struct rn_scene *scene, const struct rn_bin_ref *ref) {
    if (ref->simple) {
        return rn_bin_put(scene, ref->x0, ref->y0, (rn_cmd)ref->prim | ref->cmd);
    }
    if (ref->cmd == RN_CMD_PRIM_SMALL) {
        return bin_small(scene, ref);
    }
    switch (ref->prim->kind) {
    case RN_PRIM_TRIANGLE: return bin_triangle(scene, ref);
    case RN_PRIM_LINE: return bin_line(scene, ref);
    default: return bin_rect(scene, ref);
    }
}
