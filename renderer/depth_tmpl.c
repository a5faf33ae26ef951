/* SPDX-License-Identifier: MIT */
/*
 * Depth of one 8x8 block, once for each ISA: values by the formula at struct rn_depth_block, test and
 * write in the target's own integers. Rows without coverage are neither read nor written, so a block may
 * reach beyond the image's last row; columns may reach into the padding of rows only.
 */
#include "vm/base/simd.h"

#include "renderer/tile.h"

#define ROW_VECTORS (SIMD_N >= 8 ? 1 : 8 / SIMD_N)
#define VECTOR_ROWS (SIMD_N > 8 ? SIMD_N / 8 : 1)

/* Four lanes or more: x of a row's pixels. */
static const float column[16] BITS_ALIGN(64) = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};

/* z0 + zx * dx of vector h of a row. */
struct columns {
    vd lo[ROW_VECTORS], hi[ROW_VECTORS];
};

SIMD_FN void columns_set(struct columns *c, const struct rn_depth_block *block) {
    const vd z0 = vd_set1(block->plane->z0), zx = vd_set1(block->plane->zx);
    BITS_UNROLL
    for (int h = 0; h < ROW_VECTORS; h++) {
        const vf dx = vf_add(vf_set1(block->dx), vf_loadu(column + h * SIMD_N));
        c->lo[h] = vd_add(z0, vd_mul(zx, vd_lo_from_vf(dx)));
        c->hi[h] = vd_add(z0, vd_mul(zx, vd_hi_from_vf(dx)));
    }
}

SIMD_FN vd quantise_half(vd z, const struct rn_depth_plane *p) {
    const vd grid = vd_set1(RN_DEPTH_GRID);
    z = vd_add(vd_sub(vd_add(z, grid), grid), vd_set1(p->offset));
    return vd_min(vd_max(z, vd_set1(p->lo)), vd_set1(p->hi)); /* NaN becomes lo */
}

/* Depth of the pixels of vector h of the row at dy (and the next with 16 lanes). dy is exact in float. */
SIMD_FN vi row_depth(const struct columns *c, const struct rn_depth_block *block, int h, double dy) {
    const double zy = block->plane->zy;
    const vd lo = vd_set1(zy * dy);
    const vd hi = VECTOR_ROWS > 1 ? vd_set1(zy * (dy + 1.0)) : lo;
    return vi_from_vd_rint(quantise_half(vd_add(c->lo[h], lo), block->plane),
                           quantise_half(vd_add(c->hi[h], hi), block->plane));
}

/* With 16 lanes two rows, of which one without coverage reads as the other. */
SIMD_FN vi depth_load(const uint8_t *p0, const uint8_t *p1, const bool d24) {
    return d24 ? vi_load_rows(p0, p1) : vi_load_rows_u16(p0, p1);
}

SIMD_FN void depth_store(uint8_t *p0, uint8_t *p1, bool row0, bool row1, const bool d24, vi v) {
    if (row0 && d24) {
        vi_store_row_lo(p0, v);
    } else if (row0) {
        vi_store_row_lo_u16(p0, v);
    }
    if (row1 && d24) {
        vi_store_row_hi(p1, v);
    } else if (row1) {
        vi_store_row_hi_u16(p1, v);
    }
}

SIMD_FN vm compare(vi z, vi d, const int cls, unsigned func) {
    if (cls == RN_DEPTH_LESS) {
        return vi_lt(z, d);
    }
    if (cls == RN_DEPTH_LEQUAL) {
        return vm_not(vi_gt(z, d));
    }
    /* The number of a function is the set of outcomes it takes: 1 less, 2 equal, 4 greater. */
    vm pass = func & RN_LESS ? vi_lt(z, d) : vm_false();
    pass = func & RN_EQUAL ? vm_or(pass, vi_eq(z, d)) : pass;
    return func & RN_GREATER ? vm_or(pass, vi_gt(z, d)) : pass;
}

SIMD_FN uint64_t depth_rows(const struct rn_depth_block *block, uint64_t mask, unsigned func, const bool d24,
                            const int cls, const bool write) {
    const int bytes = d24 ? 4 : 2;
    const uint32_t row_bits = VECTOR_ROWS > 1 ? 0xFFFFu : 0xFFu, vector_bits = (1u << SIMD_N) - 1u;
    int32_t *keep = block->z;
    struct columns c;
    columns_set(&c, block);
    uint64_t passed = 0;
    double dy = (double)block->dy;
    for (int y = 0; y < 8; y += VECTOR_ROWS, dy += VECTOR_ROWS) {
        const uint32_t row = (uint32_t)(mask >> 8 * y) & row_bits;
        if (!row) {
            continue;
        }
        const bool row0 = VECTOR_ROWS == 1 || (row & 0xFFu), row1 = VECTOR_ROWS > 1 && row >> 8;
        uint8_t *p0 = block->pixels + (size_t)y * block->stride, *p1 = row1 ? p0 + block->stride : p0;
        p0 = row0 ? p0 : p1;
        BITS_UNROLL
        for (int h = 0; h < ROW_VECTORS; h++) {
            const vi z = row_depth(&c, block, h, dy);
            const vi d = depth_load(p0 + h * SIMD_N * bytes, p1 + h * SIMD_N * bytes, d24);
            const uint32_t lanes = row >> h * SIMD_N & vector_bits;
            vm pass = compare(z, d, cls, func);
            if (lanes != vector_bits) {
                pass = vm_and(pass, vm_from_bits(lanes));
            }
            const uint32_t bits = vm_bits(pass);
            passed |= (uint64_t)bits << (8 * y + h * SIMD_N);
            if (keep) {
                vi_storeu(keep + 8 * y + h * SIMD_N, z);
            }
            if (write && bits) {
                depth_store(p0 + h * SIMD_N * bytes, p1 + h * SIMD_N * bytes, row0, row1, d24, vi_sel(pass, z, d));
            }
        }
    }
    simd_leave();
    return passed;
}

#define DEPTH_TEST(name, d24, cls, write)                                                                              \
    static uint64_t name(const struct rn_depth_block *block, uint64_t mask, unsigned func) {                           \
        return depth_rows(block, mask, func, d24, cls, write);                                                         \
    }
DEPTH_TEST(test_16_less, false, RN_DEPTH_LESS, false)
DEPTH_TEST(test_16_lequal, false, RN_DEPTH_LEQUAL, false)
DEPTH_TEST(test_16_any, false, RN_DEPTH_ANY, false)
DEPTH_TEST(write_16_less, false, RN_DEPTH_LESS, true)
DEPTH_TEST(write_16_lequal, false, RN_DEPTH_LEQUAL, true)
DEPTH_TEST(write_16_any, false, RN_DEPTH_ANY, true)
DEPTH_TEST(test_24_less, true, RN_DEPTH_LESS, false)
DEPTH_TEST(test_24_lequal, true, RN_DEPTH_LEQUAL, false)
DEPTH_TEST(test_24_any, true, RN_DEPTH_ANY, false)
DEPTH_TEST(write_24_less, true, RN_DEPTH_LESS, true)
DEPTH_TEST(write_24_lequal, true, RN_DEPTH_LEQUAL, true)
DEPTH_TEST(write_24_any, true, RN_DEPTH_ANY, true)

static void depth_values(const struct rn_depth_block *block, uint64_t mask) {
    const uint32_t row_bits = VECTOR_ROWS > 1 ? 0xFFFFu : 0xFFu;
    struct columns c;
    columns_set(&c, block);
    double dy = (double)block->dy;
    for (int y = 0; y < 8; y += VECTOR_ROWS, dy += VECTOR_ROWS) {
        if ((uint32_t)(mask >> 8 * y) & row_bits) {
            BITS_UNROLL
            for (int h = 0; h < ROW_VECTORS; h++) {
                vi_storeu(block->z + 8 * y + h * SIMD_N, row_depth(&c, block, h, dy));
            }
        }
    }
    simd_leave();
}

extern const struct rn_depth_ops SIMD_NAME(rn_depth);
const struct rn_depth_ops SIMD_NAME(rn_depth) = {
    .test = {{{test_16_less, write_16_less}, {test_16_lequal, write_16_lequal}, {test_16_any, write_16_any}},
             {{test_24_less, write_24_less}, {test_24_lequal, write_24_lequal}, {test_24_any, write_24_any}}},
    .values = depth_values,
};
