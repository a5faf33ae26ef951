/* SPDX-License-Identifier: MIT */
/*
 * Depth and stencil around the kernels of depth_tmpl.c: the depth formula for single values, the stencil
 * as tables, early tests of a block with its hierarchical bounds, and late tests and writes of quads that
 * have been shaded.
 *
 * Bounds: z_max and z_min of a block are never below and never above any depth stored in it, so a block
 * of a primitive that cannot pass is dropped unread. They only leave out work: no result depends on them.
 */
#include "renderer/tile.h"

#include <string.h>

uint32_t rn_depth_quantise(double z, double steps) {
    double t = z * steps; /* the kernels' steps one by one */
    t = ((t + RN_DEPTH_GRID) - RN_DEPTH_GRID) + RN_DEPTH_HALF;
    t = t > RN_DEPTH_HALF ? t : RN_DEPTH_HALF;
    t = t < steps + RN_DEPTH_HALF ? t : steps + RN_DEPTH_HALF;
    return (uint32_t)(t + 0.5); /* the bias leaves no ties */
}

static double grid_half(double t) {
    return ((t + RN_DEPTH_GRID) - RN_DEPTH_GRID) + RN_DEPTH_HALF;
}

void rn_depth_plane_set(struct rn_depth_plane *plane, const struct rn_prim *prim, double steps) {
    plane->z0 = prim->z0 * steps;
    plane->zx = prim->zx * steps;
    plane->zy = prim->zy * steps;
    plane->offset = rn_prim_z_offset(prim) + RN_DEPTH_HALF;
    if (plane->range[0] == prim->draw->depth_lo && plane->range[1] == prim->draw->depth_hi && plane->steps == steps) {
        return; /* lo and hi are those of the primitive before */
    }
    plane->range[0] = prim->draw->depth_lo;
    plane->range[1] = prim->draw->depth_hi;
    plane->steps = steps;
    const double lo = (double)prim->draw->depth_lo, hi = (double)prim->draw->depth_hi;
    plane->lo = grid_half((lo > 0.0 ? lo : 0.0) * steps);
    plane->hi = grid_half((hi < 1.0 ? hi : 1.0) * steps);
}

/* ---- stencil tables ------------------------------------------------------------------------------------- */

static unsigned stencil_result(unsigned op, unsigned value, unsigned ref) {
    switch (op) {
    case RN_STENCIL_ZERO: return 0;
    case RN_STENCIL_REPLACE: return ref;
    case RN_STENCIL_INCR: return value < 255 ? value + 1 : 255;
    case RN_STENCIL_DECR: return value > 0 ? value - 1 : 0;
    case RN_STENCIL_INVERT: return ~value & 255u;
    case RN_STENCIL_INCR_WRAP: return (value + 1) & 255u;
    case RN_STENCIL_DECR_WRAP: return (value - 1) & 255u;
    default: return value;
    }
}

static bool op_table(uint8_t table[256], const struct rn_stencil_side *side, unsigned op) {
    bool changes = false;
    for (unsigned v = 0; v < 256; v++) {
        const unsigned result = stencil_result(op, v, side->ref);
        table[v] = (uint8_t)((v & ~(unsigned)side->write_mask) | (result & side->write_mask));
        changes = changes || table[v] != v;
    }
    return changes;
}

void rn_stencil_set(struct rn_stencil *stencil, const struct rn_stencil_side side[2]) {
    for (unsigned k = 0; k < 2; k++) {
        const struct rn_stencil_side *s = &side[k];
        struct rn_stencil_tables *t = &stencil->side[k];
        const unsigned ref = s->ref & s->read_mask;
        for (unsigned v = 0; v < 256; v++) {
            const unsigned stored = v & s->read_mask;
            const unsigned outcome = ref < stored ? RN_LESS : (ref == stored ? RN_EQUAL : RN_GREATER);
            t->passes[v] = (s->func & outcome) != 0;
        }
        const bool fail = op_table(t->fail, s, s->fail), depth_fail = op_table(t->depth_fail, s, s->depth_fail);
        stencil->changes[k] = op_table(t->pass, s, s->pass);
        stencil->only_pass[k] = !fail && !depth_fail;
    }
}

/* ---- a block, early ---------------------------------------------------------------------------------------- */

/* Bounds of a primitive's depth over a block, in steps, safe against rounding. NaN compares false. */
static void block_bounds(const struct rn_depth_plane *p, float dx, float dy, double *lowest, double *highest) {
    const double x0 = p->zx * (double)dx, x1 = p->zx * (double)(dx + 7.0f);
    const double y0 = p->zy * (double)dy, y1 = p->zy * (double)(dy + 7.0f);
    const double ax = x0 < 0.0 ? -x0 : x0, ay = y0 < 0.0 ? -y0 : y0, az = p->z0 < 0.0 ? -p->z0 : p->z0;
    const double slack = 2.0 + (ax + ay + az) * 2.8421709430404007e-14; /* 2^-45 */
    const double lo = p->z0 + (x0 < x1 ? x0 : x1) + (y0 < y1 ? y0 : y1) + p->offset;
    const double hi = p->z0 + (x0 < x1 ? x1 : x0) + (y0 < y1 ? y1 : y0) + p->offset;
    *lowest = (lo < p->hi ? lo : p->hi) - slack;
    *highest = (hi > p->lo ? hi : p->lo) + slack;
}

static bool bounds_reject(const struct rn_tile_worker *w, uint32_t block, double lowest, double highest) {
    switch (w->kernel->depth_func) {
    case RN_LESS: return lowest >= (double)w->z_max[block];
    case RN_LEQUAL: return lowest > (double)w->z_max[block];
    case RN_GREATER: return highest <= (double)w->z_min[block];
    default: /* RN_GEQUAL */ return highest < (double)w->z_min[block];
    }
}

void rn_depth_bounds_set(struct rn_tile_worker *w, uint32_t value) {
    for (unsigned b = 0; b < RN_TILE_BLOCKS; b++) {
        w->z_max[b] = value;
        w->z_min[b] = value;
    }
    w->z_max_known = w->z_min_known = true;
}

void rn_depth_bounds_forget(struct rn_tile_worker *w) {
    if (w->z_min_known && w->kernel->lowers) {
        memset(w->z_min, 0, sizeof w->z_min);
        w->z_min_known = false;
    }
    if (w->z_max_known && w->kernel->raises) {
        memset(w->z_max, 255, sizeof w->z_max);
        w->z_max_known = false;
    }
}

static uint32_t bound_of(double v) {
    return v > 0.0 ? (v < 4294967295.0 ? (uint32_t)v : UINT32_MAX) : 0;
}

/* A block was overwritten as a whole. */
static void bounds_tighten(struct rn_tile_worker *w, uint32_t block, double lowest, double highest) {
    const unsigned func = w->kernel->depth_func;
    if (!(lowest <= highest)) {
        return;
    }
    if (func == RN_LESS || func == RN_LEQUAL) {
        w->z_max[block] = bound_of(highest + 1.0);
        w->z_max_known = true;
    } else {
        w->z_min[block] = bound_of(lowest);
        w->z_min_known = true;
    }
}

/* What the kernel needs of a window; 'z' as in struct rn_depth_block. */
static inline struct rn_depth_block window_of(struct rn_tile_worker *w, uint32_t x, uint32_t y, unsigned sample,
                                              int32_t *z) {
    struct rn_depth_block b;
    b.plane = &w->plane;
    b.pixels = w->depth.pixels + y * w->depth.stride + x * (size_t)w->depth.bytes;
    b.stride = w->depth.stride;
    b.dx = w->rel_x + (float)(int32_t)x;
    b.dy = w->rel_y + (float)(int32_t)y;
    b.z = z;
    if (w->kernel->samples > 1) {
        const struct rn_sample_offset *at = &rn_sample_offsets(w->kernel->samples)[sample];
        b.pixels += sample * w->depth.sample_stride;
        b.dx += (float)at->x / (float)RN_SUBPIXEL;
        b.dy += (float)at->y / (float)RN_SUBPIXEL;
    }
    return b;
}

void rn_depth_values(struct rn_tile_worker *w, uint32_t x, uint32_t y, unsigned sample, uint64_t mask) {
    const struct rn_depth_block b = window_of(w, x, y, sample, w->block_z[sample]);
    w->kernel->depth_ops->values(&b, mask);
}

static uint32_t depth_read(const uint8_t *p, bool d24) {
    uint32_t v = 0;
    uint16_t v16;
    if (d24) {
        memcpy(&v, p, sizeof v);
    } else {
        memcpy(&v16, p, sizeof v16);
        v = v16;
    }
    return v;
}

static void depth_put(uint8_t *p, bool d24, uint32_t v) {
    const uint16_t v16 = (uint16_t)v;
    memcpy(p, d24 ? (const void *)&v : (const void *)&v16, d24 ? sizeof v : sizeof v16);
}

/* Depth of one pixel, step by step what the kernels do; rounding to nearest even by 1.5 * 2^52. */
static inline uint32_t pixel_depth(const struct rn_depth_plane *p, float dx, float dy) {
    double t = (p->z0 + p->zx * (double)dx) + p->zy * (double)dy;
    t = ((t + RN_DEPTH_GRID) - RN_DEPTH_GRID) + p->offset;
    t = t > p->lo ? t : p->lo;
    t = t < p->hi ? t : p->hi;
    t += 6755399441055744.0;
    uint64_t bits;
    memcpy(&bits, &t, sizeof bits);
    return (uint32_t)bits;
}

/* Early test and write of a few pixels, for which vectors do not pay. */
static uint64_t depth_few(struct rn_tile_worker *w, uint32_t x, uint32_t y, uint64_t mask) {
    const struct rn_frag_kernel *k = w->kernel;
    uint8_t *pixels = w->depth.pixels + y * w->depth.stride + x * (size_t)w->depth.bytes;
    const float dx = w->rel_x + (float)(int32_t)x, dy = w->rel_y + (float)(int32_t)y;
    uint64_t passed = 0;
    for (; mask; mask &= mask - 1) {
        const unsigned at = bits_ctz64(mask);
        uint8_t *p = pixels + (at >> 3) * w->depth.stride + (at & 7) * (size_t)w->depth.bytes;
        const uint32_t z = pixel_depth(&w->plane, dx + (float)(int32_t)(at & 7), dy + (float)(int32_t)(at >> 3));
        const uint32_t old = depth_read(p, k->depth_24);
        const unsigned outcome = z < old ? RN_LESS : (z == old ? RN_EQUAL : RN_GREATER);
        if (k->depth_func & outcome) {
            passed |= UINT64_C(1) << at;
            if (k->depth_write) {
                depth_put(p, k->depth_24, z);
            }
        }
    }
    return passed;
}

/* A window lies in one block or in up to four. */
static bool window_rejected(const struct rn_tile_worker *w, uint32_t x, uint32_t y, double lowest, double highest) {
    const uint32_t x1 = (x + RN_BLOCK - 1) / RN_BLOCK, y1 = (y + RN_BLOCK - 1) / RN_BLOCK;
    for (uint32_t by = y / RN_BLOCK; by <= y1 && by < RN_BLOCKS; by++) {
        for (uint32_t bx = x / RN_BLOCK; bx <= x1 && bx < RN_BLOCKS; bx++) {
            if (!bounds_reject(w, by * RN_BLOCKS + bx, lowest, highest)) {
                return false;
            }
        }
    }
    return true;
}

static inline uint64_t depth_window(struct rn_tile_worker *w, uint32_t x, uint32_t y, unsigned sample, uint64_t mask) {
    const struct rn_frag_kernel *k = w->kernel;
    const uint32_t pixels = bits_popcount64(mask);
    if (!k->late && k->samples == 1 && pixels <= 4) {
        if (k->depth_write) {
            rn_depth_bounds_loosen(w);
        }
        return depth_few(w, x, y, mask);
    }
    const struct rn_depth_block b = window_of(w, x, y, sample, k->late ? w->block_z[sample] : NULL);
    const bool bounded = k->hiz && pixels >= 16; /* few pixels are tested sooner than bounds are asked */
    double lowest = 0.0, highest = 0.0;
    if (bounded) {
        block_bounds(&w->plane, b.dx, b.dy, &lowest, &highest);
        if (window_rejected(w, x, y, lowest, highest)) {
            return 0;
        }
    }
    const uint64_t passed = k->depth_fn(&b, mask, k->depth_func);
    if (k->depth_write && !k->late) {
        rn_depth_bounds_loosen(w);
        if (bounded && passed == UINT64_MAX && ((x | y) & 7) == 0) {
            bounds_tighten(w, y / RN_BLOCK * RN_BLOCKS + x / RN_BLOCK, lowest, highest);
        }
    }
    return passed;
}

#define EACH_BYTE UINT64_C(0x0101010101010101)

/* Bit i of eight to byte i. */
static inline uint64_t spread_bits(unsigned bits) {
    const uint64_t one = bits * EACH_BYTE & UINT64_C(0x8040201008040201);
    return ((one + UINT64_C(0x7F7F7F7F7F7F7F7F)) >> 7 & EACH_BYTE) * 255;
}

/* Values of eight pixels through a table; mostly they are all equal. */
static inline uint64_t look_up(uint64_t values, const uint8_t table[256]) {
    const uint64_t first = table[values & 255];
    if (values == (values & 255) * EACH_BYTE) {
        return first * EACH_BYTE;
    }
    uint64_t result = first;
    for (unsigned shift = 8; shift < 64; shift += 8) {
        result |= (uint64_t)table[values >> shift & 255] << shift;
    }
    return result;
}

/* Applies a table to the stencil values of a window's pixels. */
static void stencil_apply(uint8_t *pixels, size_t stride, uint64_t mask, const uint8_t table[256]) {
    for (; mask; mask >>= 8, pixels += stride) {
        if (mask & 255) {
            const uint64_t old = bits_load_le64(pixels), lanes = spread_bits(mask & 255);
            const uint64_t now = look_up(old, table);
            bits_store_le64(pixels, (old & ~lanes) | (now & lanes));
        }
    }
}

/* The pixels of 'mask' whose value passes. */
static uint64_t stencil_test(const uint8_t *pixels, size_t stride, uint64_t mask, const uint8_t passes[256]) {
    uint64_t passed = 0;
    for (unsigned row = 0; row < 64 && mask >> row; row += 8, pixels += stride) {
        if (mask >> row & 255) { /* ones in bytes gathered to bits 56..63 by the multiplication */
            passed |= (look_up(bits_load_le64(pixels), passes) * UINT64_C(0x0102040810204080) >> 56) << row;
        }
    }
    return passed & mask;
}

uint64_t rn_test_window(struct rn_tile_worker *w, const struct rn_prim *prim, uint32_t x, uint32_t y, unsigned sample,
                        uint64_t mask) {
    const struct rn_frag_kernel *k = w->kernel;
    if (!k->stencil) {
        return k->depth_test ? depth_window(w, x, y, sample, mask) : mask;
    }
    const struct rn_stencil_tables *t = &k->stencil->side[!prim->front_facing];
    uint8_t *pixels = w->stencil.pixels + sample * w->stencil.sample_stride + y * w->stencil.stride + x;
    const uint64_t passed = stencil_test(pixels, w->stencil.stride, mask, t->passes);
    uint64_t visible = passed;
    if (k->depth_test && passed) {
        visible = depth_window(w, x, y, sample, passed);
    }
    if (!k->stencil->only_pass[!prim->front_facing]) {
        stencil_apply(pixels, w->stencil.stride, mask & ~passed, t->fail);
        stencil_apply(pixels, w->stencil.stride, passed & ~visible, t->depth_fail);
    }
    if (!k->late && k->stencil->changes[!prim->front_facing]) {
        stencil_apply(pixels, w->stencil.stride, visible, t->pass);
    }
    return visible;
}

/* ---- quads, late ---------------------------------------------------------------------------------------------- */

/* One lane; false if it fails. */
static bool late_lane(struct rn_tile_worker *w, uint32_t quad, unsigned lane, unsigned sample) {
    const struct rn_frag_kernel *k = w->kernel;
    const unsigned x = w->qx[quad] + (lane & 1), y = w->qy[quad] + (lane >> 1);
    const struct rn_stencil_tables *t = NULL;
    uint8_t *stencil = NULL, *depth = NULL;
    uint32_t z = 0;
    if (k->stencil) {
        t = &k->stencil->side[!w->prim[quad]->front_facing];
        stencil = w->stencil.pixels + sample * w->stencil.sample_stride + y * w->stencil.stride + x;
        if (k->late_test && !t->passes[*stencil]) {
            *stencil = t->fail[*stencil];
            return false;
        }
    }
    if (k->depth_test) {
        depth = w->depth.pixels + sample * w->depth.sample_stride + y * w->depth.stride + x * (size_t)w->depth.bytes;
        z = w->depth_output ? rn_depth_quantise((double)w->depth_output[4 * quad + lane], k->depth_steps)
                            : (uint32_t)w->z[sample][4 * quad + lane];
        if (k->late_test) {
            const uint32_t old = depth_read(depth, k->depth_24);
            const unsigned outcome = z < old ? RN_LESS : (z == old ? RN_EQUAL : RN_GREATER);
            if (!(k->depth_func & outcome)) {
                if (stencil) {
                    *stencil = t->depth_fail[*stencil];
                }
                return false;
            }
        }
        if (k->depth_write) {
            depth_put(depth, k->depth_24, z);
        }
    }
    if (stencil) {
        *stencil = t->pass[*stencil];
    }
    return true;
}

void rn_late_quads(struct rn_tile_worker *w, uint32_t quads, unsigned sample) {
    for (uint32_t q = 0; q < quads; q++) {
        unsigned left = w->mask[sample][q];
        for (unsigned lane = 0; lane < 4; lane++) {
            if ((left >> lane & 1) && !late_lane(w, q, lane, sample)) {
                left &= ~(1u << lane);
            }
        }
        w->mask[sample][q] = (uint8_t)left;
    }
}
