/* SPDX-License-Identifier: MIT */
/*
 * Planes of a batch's quads to the inputs of the fragment program, once for each ISA. One formula
 * everywhere (scene.h): value = (a0 + ax * dx) + ay * dy, times w = 1 / plane(iw) if the primitive is in
 * perspective. All four lanes of a quad get it, covered or not. Lanes behind the last quad, up to a whole
 * vector, get that of the slack entries.
 */
#include "vm/base/simd.h"

#include "renderer/tile.h"

#define GROUP_QUADS (SIMD_N >= 4 ? SIMD_N / 4 : 1)

static const float lane_dx[16] BITS_ALIGN(64) = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
static const float lane_dy[16] BITS_ALIGN(64) = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};

/* Lanes of quad k take p[k]; one pointer for all if 'single'. */
SIMD_FN vf spread(const float *const p[GROUP_QUADS], size_t index, const bool single) {
    vf v = vf_set1(p[0][index]);
#if SIMD_N > 4
    if (!single) {
        for (unsigned k = 1; k < GROUP_QUADS; k++) {
            v = vf_sel(vm_from_bits(0xFFFFFFFFu << 4 * k), vf_set1(p[k][index]), v);
        }
    }
#else
    (void)single;
#endif
    return v;
}

#define PLANE_FLOATS (sizeof(struct rn_plane) / sizeof(float))

SIMD_FN vf plane_at(const float *const p[GROUP_QUADS], size_t index, vf dx, vf dy, const bool single) {
    const vf a0 = spread(p, index, single), ax = spread(p, index + 1, single), ay = spread(p, index + 2, single);
    return vf_madd(ay, dy, vf_madd(ax, dx, a0));
}

SIMD_FN void interp(const struct rn_interp_job *job, const bool single) {
    const struct rn_interp_list *list = job->list;
    const uint32_t lanes = job->quads * 4;
    for (uint32_t lane = 0; lane < lanes; lane += SIMD_N) {
        const uint32_t quad = lane / 4;
        const float *iw[GROUP_QUADS], *coef[GROUP_QUADS], *dxs[GROUP_QUADS], *dys[GROUP_QUADS];
        bool all = true, any = false;
        for (unsigned k = 0; k < GROUP_QUADS; k++) {
            const struct rn_prim *prim = job->prim[quad + k];
            iw[k] = &prim->iw.a0;
            coef[k] = &prim->coef[0].a0;
            dxs[k] = job->dx + quad + k;
            dys[k] = job->dy + quad + k;
            all = all && prim->perspective;
            any = any || prim->perspective;
        }
        const vf dx = vf_add(spread(dxs, 0, false), vf_loadu(lane_dx + lane % 4));
        const vf dy = vf_add(spread(dys, 0, false), vf_loadu(lane_dy + lane % 4));
        vf inverse = vf_set1(1.0f), w = inverse;
        if (any || list->coord[3]) {
            inverse = plane_at(iw, 0, dx, dy, single);
        }
        if (list->coord[3]) {
            vf_store(list->coord[3] + lane, inverse);
        }
        if (!any) {
            for (uint32_t i = 0; i < list->count; i++) {
                vf_store(list->dst[i] + lane, plane_at(coef, list->coef[i] * PLANE_FLOATS, dx, dy, single));
            }
            continue;
        }
        w = vf_div(vf_set1(1.0f), inverse);
        if (!all) {
            uint32_t bits = 0;
            for (unsigned k = 0; k < GROUP_QUADS; k++) {
                bits |= job->prim[quad + k]->perspective ? 15u << 4 * k : 0u;
            }
            w = vf_sel(vm_from_bits(bits), w, vf_set1(1.0f));
        }
        for (uint32_t i = 0; i < list->count; i++) {
            const vf value = plane_at(coef, list->coef[i] * PLANE_FLOATS, dx, dy, single);
            vf_store(list->dst[i] + lane, vf_mul(value, w));
        }
    }
    simd_leave();
}

static void interp_planes(const struct rn_interp_job *job) {
    if (job->single) {
        interp(job, true);
    } else {
        interp(job, false);
    }
}

extern const struct rn_interp_ops SIMD_NAME(rn_interp);
const struct rn_interp_ops SIMD_NAME(rn_interp) = {interp_planes};
