/* SPDX-License-Identifier: MIT */
/* The quads of a window (quads_tmpl.h), once for each ISA. */
#include "renderer/quads_tmpl.h"

static uint32_t append(uint64_t mask, uint32_t x, uint32_t y, uint8_t *qx, uint8_t *qy, uint8_t *lanes) {
    return quads_append(mask, x, y, qx, qy, lanes);
}

extern const struct rn_quads_ops SIMD_NAME(rn_quads);
const struct rn_quads_ops SIMD_NAME(rn_quads) = {append};
