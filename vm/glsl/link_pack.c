/* SPDX-License-Identifier: MIT */
/*
 * Packing of variables into registers of four components. First by weight, so that what is used most has
 * the registers that every instruction can name; if that does not fit, by the algorithm of GLSL ES 1.00.17
 * Appendix A.7, which decides what a conforming implementation must accept.
 */
#include <stdlib.h>
#include <string.h>

#include "vm/glsl/link.h"

struct rows {
    uint8_t *used;       /* bit c: component c of the row is taken */
    uint32_t count;
    uint32_t first_free; /* rows before it are full */
};

static void take(struct rows *r, uint32_t row, uint32_t rows, unsigned comp, unsigned comps) {
    uint8_t mask = (uint8_t)(((1u << comps) - 1u) << comp);
    for (uint32_t i = 0; i < rows; i++) {
        r->used[row + i] |= mask;
    }
    while (r->first_free < r->count && r->used[r->first_free] == 15) {
        r->first_free++;
    }
}

/* ---- by weight ------------------------------------------------------------------------------------- */

static int by_weight(const void *pa, const void *pb) {
    const struct glsl_pack_item *a = pa, *b = pb;
    /* Weight of a register, not of the whole array. */
    uint64_t wa = (uint64_t)a->weight * b->rows, wb = (uint64_t)b->weight * a->rows;
    if (wa != wb) {
        return wa > wb ? -1 : 1;
    }
    if (a->comps != b->comps) {
        return a->comps > b->comps ? -1 : 1;
    }
    if (a->rows != b->rows) {
        return a->rows > b->rows ? -1 : 1;
    }
    return a->order < b->order ? -1 : 1;
}

/* First rows and component where the item fits. */
static bool find_first(const struct rows *r, const struct glsl_pack_item *item, uint32_t *row, unsigned *comp) {
    for (uint32_t at = r->first_free; at + item->rows <= r->count; at++) {
        for (unsigned c = 0; c + item->comps <= 4; c += item->is_double ? 2 : 1) {
            uint8_t mask = (uint8_t)(((1u << item->comps) - 1u) << c);
            uint32_t i = 0;
            while (i < item->rows && !(r->used[at + i] & mask)) {
                i++;
            }
            if (i == item->rows) {
                *row = at;
                *comp = c;
                return true;
            }
        }
    }
    return false;
}

static bool place_by_weight(struct rows *r, struct glsl_pack_item *items, uint32_t count) {
    qsort(items, count, sizeof *items, by_weight);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row;
        unsigned comp;
        if (!find_first(r, &items[i], &row, &comp)) {
            return false;
        }
        take(r, row, items[i].rows, comp, items[i].comps);
        items[i].home->reg = (int32_t)row;
        items[i].home->comp = (uint8_t)comp;
    }
    return true;
}

/* ---- Appendix A.7 ---------------------------------------------------------------------------------- */

static int by_size(const void *pa, const void *pb) {
    const struct glsl_pack_item *a = pa, *b = pb;
    if (a->comps != b->comps) {
        return a->comps > b->comps ? -1 : 1;
    }
    if (a->rows != b->rows) {
        return a->rows > b->rows ? -1 : 1;
    }
    return a->order < b->order ? -1 : 1;
}

static void place(struct rows *r, struct glsl_pack_item *item, uint32_t row, unsigned comp) {
    take(r, row, item->rows, comp, item->comps);
    item->home->reg = (int32_t)row;
    item->home->comp = (uint8_t)comp;
}

/* A scalar goes to the smallest gap of any column that holds it. */
static bool place_scalar(struct rows *r, struct glsl_pack_item *item) {
    uint32_t best_size = UINT32_MAX, best_row = 0;
    unsigned best_column = 0;
    for (unsigned column = 0; column < 4; column++) {
        for (uint32_t row = 0; row < r->count;) {
            uint32_t size = 0;
            while (row + size < r->count && !(r->used[row + size] & (1u << column))) {
                size++;
            }
            if (size >= item->rows && size < best_size) {
                best_size = size;
                best_row = row;
                best_column = column;
            }
            row += size + 1;
        }
    }
    if (best_size == UINT32_MAX) {
        return false;
    }
    place(r, item, best_row, best_column);
    return true;
}

static bool place_by_size(struct rows *r, struct glsl_pack_item *items, uint32_t count) {
    qsort(items, count, sizeof *items, by_size);
    uint32_t top = 0, bottom = r->count; /* rows from 'bottom' on have their .zw taken */
    for (uint32_t i = 0; i < count; i++) {
        struct glsl_pack_item *item = &items[i];
        if (item->comps == 1) {
            if (!place_scalar(r, item)) {
                return false;
            }
        } else if (top + item->rows <= r->count) { /* whole rows, .xyz, or .xy: downwards */
            place(r, item, top, 0);
            top += item->rows;
        } else if (item->comps == 2 && bottom >= item->rows) { /* then .zw, upwards */
            for (uint32_t k = 0; k < item->rows; k++) {
                if (r->used[bottom - item->rows + k] & 12u) {
                    return false;
                }
            }
            bottom -= item->rows;
            place(r, item, bottom, 2);
        } else {
            return false;
        }
    }
    return true;
}

bool glsl_pack(struct glsl_pack_item *items, uint32_t count, uint32_t max_rows, struct arena *arena,
               uint32_t *used_rows) {
    struct rows r = {arena_array(arena, max_rows + 1, 1), max_rows, 0};
    *used_rows = 0;
    if (!r.used) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        items[i].order = i;
    }
    if (!place_by_weight(&r, items, count)) {
        memset(r.used, 0, max_rows);
        r.first_free = 0;
        if (!place_by_size(&r, items, count)) {
            return false;
        }
    }
    for (uint32_t row = 0; row < max_rows; row++) {
        if (r.used[row]) {
            *used_rows = row + 1;
        }
    }
    return true;
}
