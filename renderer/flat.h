/* SPDX-License-Identifier: MIT */
/*
 * Flat primitives (flat.c, flat_tmpl.c): all inputs that the program reads of one are the same at each of its pixels. How
 * they wait for their colours is struct rn_flats in tile.h.
 */
#ifndef RENDERER_FLAT_H
#define RENDERER_FLAT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "renderer/tile.h"
#include "vm/base/bits.h"

/* How often a draw may change from quads to flat primitives in a tile: a batch that is not full is the price. */
#define RN_FLAT_TURNS 4

/* Whether draws of this kernel may have flat primitives; the rest of it is set. */
bool rn_flat_kernel(const struct rn_frag_kernel *k, const struct rn_program *program);
/* A primitive of a kernel with 'flat' begins: sets w->flat, if the primitive is and is wanted to be, and runs what must
 * come before it. */
void rn_flat_enter(struct rn_tile_worker *w, const struct rn_prim *prim, bool wanted);
/* Takes pixels that passed, of a window at even (x, y) of such a primitive. */
void rn_flat_window(struct rn_tile_worker *w, const struct rn_prim *prim, uint32_t x, uint32_t y, uint64_t mask);
/* Shades and writes what waits. */
void rn_shade_flats(struct rn_tile_worker *w);

/* Whether (a0 + ax * dx) + ay * dy is a0 to the bit, wherever: not if a0 is -0 or not a number. */
static inline bool rn_plane_is_flat(const struct rn_plane *plane) {
    const uint32_t a0 = bits_from_float(plane->a0), slopes = bits_from_float(plane->ax) | bits_from_float(plane->ay);
    return slopes << 1 == 0 && a0 != 0x80000000u && (a0 & 0x7FFFFFFFu) <= 0x7F800000u;
}

static inline bool rn_prim_is_flat(const struct rn_interp_list *inputs, const struct rn_prim *prim) {
    bool flat = !prim->perspective;
    for (uint32_t i = 0; i < inputs->count && flat; i++) {
        flat = rn_plane_is_flat(&prim->coef[inputs->coef[i]]);
    }
    return flat;
}

/* Makes room for a window of this primitive, which is window[windows]; false: a fault. */
static inline bool rn_flat_room(struct rn_tile_worker *w, const struct rn_prim *prim) {
    const struct rn_flats *f = &w->flats;
    if (BITS_UNLIKELY(f->windows == RN_FLAT_WINDOWS || (f->count == VM_QUADS && f->prim != prim))) {
        rn_shade_flats(w);
        return !w->stopped;
    }
    return true;
}

/* That window has a pixel: it waits, and the primitive with it. */
static inline void rn_flat_put(struct rn_tile_worker *w, const struct rn_prim *prim) {
    struct rn_flats *f = &w->flats;
    if (f->count == 0 || f->prim != prim) {
        const struct rn_interp_list *in = &w->inputs;
        const uint32_t lane = 4 * f->count++;
        f->prim = prim;
        for (uint32_t i = 0; i < in->count; i++) {
            const float v = prim->coef[in->coef[i]].a0, quad[4] = {v, v, v, v};
            memcpy(in->dst[i] + lane, quad, sizeof quad);
        }
    }
    f->window[f->windows++].prim = (uint8_t)(f->count - 1);
}

#endif
