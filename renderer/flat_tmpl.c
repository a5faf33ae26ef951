/* SPDX-License-Identifier: MIT */
/*
 * Flat primitives within sixteen pixels each way and without tests, from the bin to the windows that wait for their
 * colours, in one loop, once for each ISA. What is larger or otherwise goes the usual way (tile.c).
 */
#include "renderer/rast_tmpl.h"

#include "renderer/flat.h"

/* Where a primitive may lie in the tile: its box, and a window of sixteen columns that ends before the tile does. */
struct flat_place {
    int32_t x0, y0, x1, y1; /* inclusive, in the tile */
    int32_t left, low;
};

/* False: not within the window. */
SIMD_FN bool place_of(const struct rn_tile_worker *w, const struct rn_prim *prim, int32_t last, struct flat_place *p) {
    const int32_t x0 = prim->box.x0 - w->x, y0 = prim->box.y0 - w->y, x1 = prim->box.x1 - 1 - w->x,
                  y1 = prim->box.y1 - 1 - w->y;
    p->x0 = x0 > 0 ? x0 : 0;
    p->y0 = y0 > 0 ? y0 : 0;
    p->x1 = x1 < RN_TILE - 1 ? x1 : RN_TILE - 1;
    p->y1 = y1 < RN_TILE - 1 ? y1 : RN_TILE - 1;
    p->left = (p->x0 & ~1) < last ? p->x0 & ~1 : last;
    p->low = p->y0 & ~1;
    return p->x1 - p->left < 16 && p->y1 - p->low < 16;
}

/* Rows of a triangle by its edges. */
SIMD_FN void triangle_rows(const struct rn_tile_worker *w, const struct rn_prim *prim, const struct flat_place *p,
                           uint16_t rows[16]) {
    const uint32_t ox = (uint32_t)(w->x + p->left), oy = (uint32_t)(w->y + p->low);
    struct rn_rast_tri tri;
    tri.x0 = p->x0 - p->left;
    tri.y0 = p->y0 - p->low;
    tri.x1 = p->x1 - p->left;
    tri.y1 = p->y1 - p->low;
    BITS_UNROLL
    for (unsigned k = 0; k < 3; k++) {
        tri.a[k] = prim->e[k].a;
        tri.b[k] = prim->e[k].b;
        tri.c[k] = (int32_t)((uint32_t)prim->e[k].c + (uint32_t)tri.a[k] * ox + (uint32_t)tri.b[k] * oy);
    }
    rows_of(&tri, rows);
}

/* Rows of the mask that set-up has found. */
SIMD_FN void mask_rows(const struct rn_tile_worker *w, const struct rn_prim *prim, const struct flat_place *p,
                       uint16_t rows[16]) {
    uint32_t x, y;
    const uint64_t mask = rn_small_window(w, prim, &x, &y);
    const uint32_t right = x - (uint32_t)p->left, up = (uint32_t)p->low - y;
    memset(rows, 0, 16 * sizeof *rows);
    for (uint32_t r = 0; r < 8 && mask >> 8 * r; r++) {
        const uint32_t bits = (uint32_t)(mask >> 8 * r) & 0xFFu;
        if (bits) {
            rows[r - up] = (uint16_t)(bits << right);
        }
    }
}

SIMD_FN void box_rows(const struct flat_place *p, uint16_t rows[16]) {
    const uint16_t columns = (uint16_t)rows_columns(p->x0 - p->left, p->x1 - p->left);
    memset(rows, 0, 16 * sizeof *rows);
    for (int32_t r = p->y0 - p->low; r <= p->y1 - p->low; r++) {
        rows[r] = columns;
    }
}

static uint32_t run(struct rn_tile_worker *w, const rn_cmd *cmds, uint32_t count) {
    const int32_t last = rn_window_right(w) - 16;
    uint32_t i = 0;
    for (; i < count && last >= 0; i++) {
        const rn_cmd kind = cmds[i] & 3;
        const struct rn_prim *prim = (const struct rn_prim *)(cmds[i] & ~(rn_cmd)3);
        struct flat_place place;
        if (i + 4 < count) {
            rn_prim_prefetch(cmds[i + 4]);
        }
        if ((kind != RN_CMD_PRIM && kind != RN_CMD_PRIM_SMALL) || prim->draw != w->draw ||
            (kind == RN_CMD_PRIM && prim->kind == RN_PRIM_LINE) ||
            !rn_prim_is_flat(&w->inputs, prim) || !place_of(w, prim, last, &place)) {
            break;
        }
        if (kind == RN_CMD_PRIM && prim->kind == RN_PRIM_TRIANGLE && !rn_rast_short(prim->e)) {
            break;
        }
        if (place.x1 < place.x0 || place.y1 < place.y0) {
            continue;
        }
        if (!rn_flat_room(w, prim)) {
            return i + 1;
        }
        struct rn_fill_window *window = &w->flats.window[w->flats.windows];
        window->x = (uint8_t)place.left;
        window->y = (uint8_t)place.low;
        window->height = (uint8_t)(place.y1 - place.low + 1);
        if (prim->kind == RN_PRIM_RECT) {
            box_rows(&place, window->rows);
        } else if (kind == RN_CMD_PRIM_SMALL) {
            mask_rows(w, prim, &place, window->rows);
        } else {
            triangle_rows(w, prim, &place, window->rows);
        }
        if (rn_four_rows(window->rows) | rn_four_rows(window->rows + 4) | rn_four_rows(window->rows + 8) |
            rn_four_rows(window->rows + 12)) {
            rn_flat_put(w, prim);
        }
    }
    simd_leave();
    return i;
}

extern const struct rn_flat_ops SIMD_NAME(rn_flat);
const struct rn_flat_ops SIMD_NAME(rn_flat) = {run};
