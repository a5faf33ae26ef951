/* SPDX-License-Identifier: MIT */
/*
 * Depth of one 8x8 block, once for each ISA: values by the formula at struct rn_depth_block, test and
 * write in the target's own integers. Rows without coverage are neither read nor written, so a block may
 * reach beyond the image's last row; columns may reach into the padding of rows only.
 */
#include "renderer/depth_tmpl.h"

SIMD_FN uint64_t depth_rows(const struct rn_depth_block *block, uint64_t mask, unsigned func, const bool d24,
                            const int cls, const bool write) {
    const int bytes = d24 ? 4 : 2;
    const uint32_t row_bits = VECTOR_ROWS > 1 ? 0xFFFFu : 0xFFu, vector_bits = (1u << SIMD_N) - 1u;
    int32_t *keep = block->z;
    struct columns c;
    columns_set(&c, block->plane, block->dx);
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
            const vi z = row_depth(&c, block->plane, h, dy, false);
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
    columns_set(&c, block->plane, block->dx);
    double dy = (double)block->dy;
    for (int y = 0; y < 8; y += VECTOR_ROWS, dy += VECTOR_ROWS) {
        if ((uint32_t)(mask >> 8 * y) & row_bits) {
            BITS_UNROLL
            for (int h = 0; h < ROW_VECTORS; h++) {
                vi_storeu(block->z + 8 * y + h * SIMD_N, row_depth(&c, block->plane, h, dy, false));
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
