/* SPDX-License-Identifier: MIT */
/*
 * The constants of the viewport transform (ES 2.0.25 2.12.1) and the choice of kernels that apply
 * it.
 *
 * window x = (x / w) * (width / 2) + (x_origin + width / 2), float, each step rounded to nearest
 * even; the same for y; rounded to 24.8 by x * 256 to nearest even. Window z is (z / w) * (far -
 * near) / 2 + (far + near) / 2 in double. The guard planes are the same transform turned round: a
 * vertex is inside while guard[0] * w <= x <= guard[1] * w.
 */
#include "renderer/internal.h"

const struct rn_front_kernels *rn_front_kernels_planes(enum vliw_simd level, uint32_t components) {
    if (level == VLIW_SIMD_AVX512 && components <= 8) {
        level = VLIW_SIMD_AVX2;
    }
    return rn_front_kernels_for(level);
}

void rn_viewport_set(struct rn_viewport *out, const int32_t viewport[4], float depth_near,
                     float depth_far) {
    const double half_x = (double)viewport[2] * 0.5, half_y = (double)viewport[3] * 0.5;
    const double centre_x = (double)viewport[0] + half_x, centre_y = (double)viewport[1] + half_y;
    out->half_x = (float)half_x;
    out->half_y = (float)half_y;
    out->centre_x = (float)centre_x;
    out->centre_y = (float)centre_y;
    out->depth_half = ((double)depth_far - (double)depth_near) * 0.5;
    out->depth_centre = ((double)depth_far + (double)depth_near) * 0.5;
    out->depth_lo = depth_near < depth_far ? depth_near : depth_far;
    out->depth_hi = depth_near < depth_far ? depth_far : depth_near;
    /* Callers have dropped empty viewports. */
    out->guard[0] = (-(double)RN_GUARD - centre_x) / half_x;
    out->guard[1] = ((double)RN_GUARD - centre_x) / half_x;
    out->guard[2] = (-(double)RN_GUARD - centre_y) / half_y;
    out->guard[3] = ((double)RN_GUARD - centre_y) / half_y;
}
