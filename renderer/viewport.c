/* SPDX-License-Identifier: MIT */
/*
 * The constants of the viewport transform (ES 2.0.25 2.12.1).
 *
 * window x = (x / w) * (width / 2) + (x_origin + width / 2), float, each step rounded to nearest
 * even; the same for y, with -height / 2 where y = +w is at the bottom; rounded to 24.8 by x * 256 to
 * nearest even. Window z is (z / w) * (far - near) / 2 + (far + near) / 2 in double, or (z / w) * (far
 * - near) + near for clip space from zero to one. The guard planes are the same transform turned round: a
 * vertex is inside while guard[0] * w <= x <= guard[1] * w.
 */
#include "renderer/internal.h"

void rn_viewport_set(struct rn_viewport *out, const struct rn_draw_state *state) {
    const int32_t *v = state->viewport;
    const double near = (double)state->depth_near, far = (double)state->depth_far;
    const double half_x = (double)v[2] * 0.5, centre_x = (double)v[0] + half_x;
    const double half = (double)v[3] * 0.5, centre_y = (double)v[1] + half;
    const double half_y = state->upper_left ? -half : half;
    out->half_x = (float)half_x;
    out->half_y = (float)half_y;
    out->centre_x = (float)centre_x;
    out->centre_y = (float)centre_y;
    out->zero_to_one = state->zero_to_one;
    out->depth_half = state->zero_to_one ? far - near : (far - near) * 0.5;
    out->depth_centre = state->zero_to_one ? near : (far + near) * 0.5;
    out->depth_lo = near < far ? (float)near : (float)far;
    out->depth_hi = near < far ? (float)far : (float)near;
    /* Callers have dropped empty viewports. */
    out->guard[0] = (-(double)RN_GUARD - centre_x) / half_x;
    out->guard[1] = ((double)RN_GUARD - centre_x) / half_x;
    const double low = (-(double)RN_GUARD - centre_y) / half_y, high = ((double)RN_GUARD - centre_y) / half_y;
    out->guard[2] = low < high ? low : high;
    out->guard[3] = low < high ? high : low;
}
