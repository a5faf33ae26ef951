/* SPDX-License-Identifier: MIT */
/*
 * Coverage to quads: a window of 8x8 pixels of one primitive is tested, and what passes is filled with a
 * constant colour or packed, quad by quad, into the batch that shade.c runs when it is full. Where the
 * order of fragments of one pixel matters, a quad that comes a second time begins a new run of the batch,
 * or (framebuffer fetch, late writes after early tests) ends the batch before it is tested.
 */
#include "renderer/flat.h"
#include "renderer/tile.h"

#include <string.h>

_Static_assert(VM_QUADS <= 255, "run_first holds quad numbers in bytes");

#define QUAD_BITS UINT64_C(0x0055005500550055)

/* The quads of a mask, as the bit of each one's first pixel. */
static inline uint64_t quads_of(uint64_t mask) {
    mask |= mask >> 1;
    return (mask | mask >> 8) & QUAD_BITS;
}

/* The four pixels of the quad at bit 'at'. */
static inline unsigned quad_lanes(uint64_t mask, uint32_t at) {
    mask >>= at;
    return (unsigned)((mask & 3) | (mask >> 6 & 12));
}

/* Place of a quad in w->stamp, from its position in the tile. */
static inline uint32_t stamp_of(uint32_t x, uint32_t y) {
    return y / 2 * (RN_TILE / 2) + x / 2;
}

static bool window_pending(const struct rn_tile_worker *w, uint32_t x, uint32_t y, uint64_t mask) {
    for (uint64_t bits = quads_of(mask); bits; bits &= bits - 1) {
        const uint32_t at = bits_ctz64(bits);
        if (w->stamp[stamp_of(x + (at & 7), y + (at >> 3))] == w->run_serial) {
            return true;
        }
    }
    return false;
}

/* ---- collecting ------------------------------------------------------------------------------------------ */

/* Counts a quad in and runs a full batch; false: a fault. */
static inline bool batch_added(struct rn_tile_worker *w, const struct rn_prim *prim) {
    if (++w->quads == VM_QUADS) {
        rn_shade_quads(w);
        if (w->stopped) {
            return false;
        }
        rn_batch_enter(w, prim);
    }
    return true;
}

static inline void quad_put(struct rn_tile_worker *w, uint32_t x, uint32_t y, unsigned lanes) {
    const uint32_t q = w->quads;
    w->qx[q] = (uint8_t)x;
    w->qy[q] = (uint8_t)y;
    w->mask[0][q] = (uint8_t)lanes;
}

/* The blocks that a window at (x, y) touches. */
static inline uint64_t blocks_of(uint32_t x, uint32_t y) {
    const uint32_t x1 = (x + RN_BLOCK - 1) / RN_BLOCK, y1 = (y + RN_BLOCK - 1) / RN_BLOCK;
    const uint64_t row = (UINT64_C(1) << x / RN_BLOCK | UINT64_C(1) << (x1 < RN_BLOCKS ? x1 : RN_BLOCKS - 1)) & 0xFFu;
    return row << y / RN_BLOCK * RN_BLOCKS | row << (y1 < RN_BLOCKS ? y1 : RN_BLOCKS - 1) * RN_BLOCKS;
}

void rn_batch_full(struct rn_tile_worker *w, const struct rn_prim *prim, uint32_t all, uint64_t blocks) {
    w->quads = VM_QUADS;
    rn_shade_quads(w);
    if (w->stopped || all == VM_QUADS) {
        return;
    }
    rn_batch_enter(w, prim);
    w->pending = blocks;
    w->quads = all - VM_QUADS;
    memcpy(w->qx, w->qx + VM_QUADS, RN_QUAD_SLACK);
    memcpy(w->qy, w->qy + VM_QUADS, RN_QUAD_SLACK);
    memcpy(w->mask[0], w->mask[0] + VM_QUADS, RN_QUAD_SLACK);
}

/*
 * One sample, order of no matter, nothing late: the usual case. All quads of the window are put behind the batch at
 * once; a full batch runs and leaves its rest, which is all of this window.
 */
static void collect_plain(struct rn_tile_worker *w, const struct rn_prim *prim, uint32_t x, uint32_t y, uint64_t mask) {
    const struct rn_frag_kernel *k = w->kernel;
    const uint64_t blocks = blocks_of(x, y);
    if (mask == UINT64_MAX && k->windows && !(w->quads && (w->pending & blocks)) && !w->by_quad) {
        rn_shade_window(w, prim, x, y, blocks);
        return;
    }
    if (BITS_UNLIKELY(w->windows && (w->window_blocks & blocks))) {
        rn_shade_windows(w);
        if (w->stopped) {
            return;
        }
    }
    rn_batch_enter(w, prim);
    w->pending |= blocks;
    const uint32_t q = w->quads, all = q + k->quads_ops->append(mask, x, y, w->qx + q, w->qy + q, w->mask[0] + q);
    if (all < VM_QUADS) {
        w->quads = all;
        return;
    }
    rn_batch_full(w, prim, all, blocks);
}

static void copy_quad_depth(struct rn_tile_worker *w, uint32_t quad, uint32_t at) {
    for (unsigned s = 0; s < w->kernel->samples; s++) {
        const int32_t *z = w->block_z[s] + at;
        int32_t *to = w->z[s] + 4 * quad;
        to[0] = z[0];
        to[1] = z[1];
        to[2] = z[8];
        to[3] = z[9];
    }
}

static void collect_ordered(struct rn_tile_worker *w, const struct rn_prim *prim, uint32_t x, uint32_t y,
                            const uint64_t *mask, uint64_t any) {
    const struct rn_frag_kernel *k = w->kernel;
    const bool depth = k->late && k->depth_test;
    rn_batch_enter(w, prim);
    for (uint64_t bits = quads_of(any); bits; bits &= bits - 1) {
        const uint32_t at = bits_ctz64(bits), q = w->quads;
        uint32_t *stamp = &w->stamp[stamp_of(x + (at & 7), y + (at >> 3))];
        if (*stamp == w->run_serial && k->track == RN_TRACK_RUNS) {
            w->run_first[w->runs++] = (uint8_t)q;
            w->run_serial++;
        }
        *stamp = w->run_serial;
        quad_put(w, x + (at & 7), y + (at >> 3), quad_lanes(mask[0], at));
        for (unsigned s = 1; s < k->samples; s++) {
            w->mask[s][q] = (uint8_t)quad_lanes(mask[s], at);
        }
        if (depth) {
            copy_quad_depth(w, q, at);
        }
        if (!batch_added(w, prim)) {
            return;
        }
    }
}

/* ---- constant colours ---------------------------------------------------------------------------------------- */

static void count_filled(struct rn_tile_worker *w, uint64_t pixels, uint64_t quads) {
    w->counters[RN_COUNTER_FRAGMENTS] += pixels;
    w->counters[RN_COUNTER_QUADS] += quads;
    w->counters[RN_COUNTER_FS_INSTRUCTIONS] += w->instructions_lane * quads * 4;
}

/* Rows of pixels of a constant size. */
static inline void fill_rows(uint8_t *p, size_t stride, uint64_t mask, const uint8_t *row, const size_t bytes) {
    for (; mask; mask >>= 8, p += stride) {
        const unsigned columns = mask & 0xFFu;
        if (columns == 0xFFu) {
            memcpy(p, row, 8 * bytes);
            continue;
        }
        for (unsigned bits = columns; bits; bits &= bits - 1) {
            memcpy(p + bits_ctz32(bits) * bytes, row, bytes);
        }
    }
}

static void fill_window(struct rn_tile_worker *w, uint32_t x, uint32_t y, const uint64_t *mask, uint64_t any) {
    const struct rn_frag_kernel *k = w->kernel;
    if (!rn_shade_constant(w)) {
        return;
    }
    for (uint32_t i = 0; i < k->color_count; i++) {
        const struct rn_target *t = &w->color[k->attachment[i]];
        for (unsigned s = 0; s < k->samples; s++) {
            uint8_t *p = t->pixels + s * t->sample_stride + y * t->stride + x * (size_t)t->bytes;
            switch (t->bytes) {
            case 4: fill_rows(p, t->stride, mask[s], w->fill[i], 4); break;
            case 2: fill_rows(p, t->stride, mask[s], w->fill[i], 2); break;
            default: fill_rows(p, t->stride, mask[s], w->fill[i], t->bytes); break;
            }
        }
    }
    count_filled(w, bits_popcount64(any), bits_popcount64(quads_of(any)));
}

static void blend_window(struct rn_tile_worker *w, uint32_t x, uint32_t y, uint64_t mask) {
    const struct rn_frag_kernel *k = w->kernel;
    if (!rn_shade_constant(w)) {
        return;
    }
    for (uint32_t i = 0; i < k->color_count; i++) {
        const struct rn_target *t = &w->color[k->attachment[i]];
        const float rgba[4] = {w->outputs[i][0][0], w->outputs[i][1][0], w->outputs[i][2][0], w->outputs[i][3][0]};
        k->color[i].window(&k->color[i], rgba, t->pixels + y * t->stride + x * (size_t)t->bytes, t->stride, mask);
    }
    count_filled(w, bits_popcount64(mask), bits_popcount64(quads_of(mask)));
}

bool rn_collect_fill_tile(struct rn_tile_worker *w) {
    const struct rn_frag_kernel *k = w->kernel;
    if (!k->fill || k->tests || k->samples > 1 || k->counts) {
        return false;
    }
    if (!rn_shade_constant(w)) {
        return true;
    }
    const uint32_t width = (uint32_t)w->width, height = (uint32_t)w->height;
    rn_tile_overwrite(w, k->targets);
    for (uint32_t i = 0; i < k->color_count; i++) {
        const struct rn_target *t = &w->color[k->attachment[i]];
        for (uint32_t y = 0; y < height; y++) {
            memcpy(t->pixels + y * t->stride, w->fill[i], width * (size_t)k->color[i].bytes);
        }
    }
    count_filled(w, (uint64_t)width * height, (uint64_t)((width + 1) / 2) * ((height + 1) / 2));
    return true;
}

void rn_collect_constant(struct rn_tile_worker *w, uint32_t x, uint32_t y, uint64_t mask) {
    if (w->kernel->fill) {
        fill_window(w, x, y, &mask, mask);
    } else {
        blend_window(w, x, y, mask);
    }
}

/* ---- windows ------------------------------------------------------------------------------------------------------
 */

/* Everything but one sample without tracking. */
static void window_general(struct rn_tile_worker *w, const struct rn_prim *prim, uint32_t x, uint32_t y,
                           const uint64_t *mask) {
    const struct rn_frag_kernel *k = w->kernel;
    uint64_t m[RN_MAX_SAMPLES], any = 0;
    for (unsigned s = 0; s < k->samples; s++) {
        m[s] = k->sample_mask >> s & 1 ? mask[s] : 0;
        any |= m[s];
    }
    if (k->track == RN_TRACK_FLUSH && w->quads && window_pending(w, x, y, any)) {
        rn_shade_flush(w);
        if (w->stopped) {
            return;
        }
    }
    if (k->tests && !k->late_test) {
        any = 0;
        for (unsigned s = 0; s < k->samples; s++) {
            m[s] = m[s] ? rn_test_window(w, prim, x, y, s, m[s]) : 0;
            any |= m[s];
        }
    } else if (k->late && k->depth_test) {
        for (unsigned s = 0; s < k->samples; s++) {
            rn_depth_values(w, x, y, s, m[s]);
        }
    }
    if (k->counts && (!k->shade || (k->fill && !k->late))) {
        for (unsigned s = 0; s < k->samples; s++) {
            w->counters[RN_COUNTER_SAMPLES_PASSED] += bits_popcount64(m[s]);
        }
    }
    if (!any || !k->shade) {
        return;
    }
    if (k->late && k->depth_write) {
        rn_depth_bounds_loosen(w);
    }
    if (k->fill && !k->late) {
        fill_window(w, x, y, m, any);
    } else {
        collect_ordered(w, prim, x, y, m, any);
    }
}

void rn_collect_window(struct rn_tile_worker *w, const struct rn_prim *prim, uint32_t x, uint32_t y,
                       const uint64_t *mask) {
    const struct rn_frag_kernel *k = w->kernel;
    if (!k->plain && !w->flat) {
        window_general(w, prim, x, y, mask);
        return;
    }
    uint64_t m = mask[0];
    if (k->tests && m) {
        m = rn_test_window(w, prim, x, y, 0, m);
    }
    if (!m || !k->shade) {
        return;
    }
    if (k->fill || k->blend_windows) {
        rn_collect_constant(w, x, y, m);
    } else if (w->flat) {
        rn_flat_window(w, prim, x, y, m);
    } else {
        collect_plain(w, prim, x, y, m);
    }
}
