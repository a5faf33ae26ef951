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

#if SIMD_N > 1
/* A plane of each quad's own: a0, ax, ay of its lanes. */
SIMD_FN void planes_of(const struct rn_plane *const plane[GROUP_QUADS], vf *a0, vf *ax, vf *ay) {
    const vf v = vi_as_vf(vi_load_fours((const uint8_t *const *)plane));
    *a0 = vf_quad_pick(v, 0);
    *ax = vf_quad_pick(v, 1);
    *ay = vf_quad_pick(v, 2);
}
SIMD_FN vf spread_quads(const float *p) {
    return vf_spread(p);
}
#else
SIMD_FN void planes_of(const struct rn_plane *const plane[GROUP_QUADS], vf *a0, vf *ax, vf *ay) {
    *a0 = plane[0]->a0;
    *ax = plane[0]->ax;
    *ay = plane[0]->ay;
}
SIMD_FN vf spread_quads(const float *p) {
    return *p;
}
#endif

SIMD_FN vf plane_at(vf a0, vf ax, vf ay, vf dx, vf dy) {
    return vf_madd(ay, dy, vf_madd(ax, dx, a0));
}

/* All quads of one primitive: positions and w once, then one component after the other. */
static void planes_single(const struct rn_interp_job *job) {
    const struct rn_interp_list *list = job->list;
    const struct rn_prim *prim = job->prim[0];
    const uint32_t lanes = job->quads * 4;
    float x[VM_LANES] BITS_ALIGN(64), y[VM_LANES] BITS_ALIGN(64), w[VM_LANES] BITS_ALIGN(64);
    const vf ia = vf_set1(prim->iw.a0), ix = vf_set1(prim->iw.ax), iy = vf_set1(prim->iw.ay), one = vf_set1(1.0f);
    float *inverse_out = list->coord[3];
    const bool perspective = prim->perspective;
    for (uint32_t lane = 0; lane < lanes; lane += SIMD_N) {
        const vf dx = vf_add(spread_quads(job->dx + lane / 4), vf_loadu(lane_dx + lane % 4));
        const vf dy = vf_add(spread_quads(job->dy + lane / 4), vf_loadu(lane_dy + lane % 4));
        vf_store(x + lane, dx);
        vf_store(y + lane, dy);
        if (perspective || inverse_out) {
            const vf inverse = plane_at(ia, ix, iy, dx, dy);
            if (inverse_out) {
                vf_store(inverse_out + lane, inverse);
            }
            vf_store(w + lane, vf_div(one, inverse));
        }
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const struct rn_plane *plane = &prim->coef[list->coef[i]];
        const vf a0 = vf_set1(plane->a0), ax = vf_set1(plane->ax), ay = vf_set1(plane->ay);
        float *dst = list->dst[i];
        if (perspective) {
            for (uint32_t lane = 0; lane < lanes; lane += SIMD_N) {
                const vf value = plane_at(a0, ax, ay, vf_load(x + lane), vf_load(y + lane));
                vf_store(dst + lane, vf_mul(value, vf_load(w + lane)));
            }
        } else {
            for (uint32_t lane = 0; lane < lanes; lane += SIMD_N) {
                vf_store(dst + lane, plane_at(a0, ax, ay, vf_load(x + lane), vf_load(y + lane)));
            }
        }
    }
}

/* Quads of many primitives: a vector of quads at a time. */
static void planes_mixed(const struct rn_interp_job *job) {
    const struct rn_interp_list *list = job->list;
    const uint32_t lanes = job->quads * 4, count = list->count;
    float *inverse_out = list->coord[3];
    for (uint32_t lane = 0; lane < lanes; lane += SIMD_N) {
        const uint32_t quad = lane / 4;
        const struct rn_plane *plane[GROUP_QUADS];
        const struct rn_prim *const *prim = job->prim + quad;
        uint32_t perspective = 0;
        vf a0, ax, ay;
        BITS_UNROLL
        for (unsigned k = 0; k < GROUP_QUADS; k++) {
            plane[k] = &prim[k]->iw;
            perspective |= (uint32_t)prim[k]->perspective << k;
        }
        const vf dx = vf_add(spread_quads(job->dx + quad), vf_loadu(lane_dx + lane % 4));
        const vf dy = vf_add(spread_quads(job->dy + quad), vf_loadu(lane_dy + lane % 4));
        vf w = vf_set1(1.0f);
        if (perspective || inverse_out) {
            planes_of(plane, &a0, &ax, &ay);
            const vf inverse = plane_at(a0, ax, ay, dx, dy);
            if (inverse_out) {
                vf_store(inverse_out + lane, inverse);
            }
            w = vf_div(w, inverse);
            if (perspective != (1u << GROUP_QUADS) - 1u) {
                uint32_t bits = 0;
                for (unsigned k = 0; k < GROUP_QUADS; k++) {
                    bits |= perspective >> k & 1 ? 15u << 4 * k : 0u;
                }
                w = vf_sel(vm_from_bits(bits), w, vf_set1(1.0f));
            }
        }
        for (uint32_t i = 0; i < count; i++) { /* times 1 changes nothing */
            const size_t at = list->coef[i];
            BITS_UNROLL
            for (unsigned k = 0; k < GROUP_QUADS; k++) {
                plane[k] = &prim[k]->coef[at];
            }
            planes_of(plane, &a0, &ax, &ay);
            vf_store(list->dst[i] + lane, vf_mul(plane_at(a0, ax, ay, dx, dy), w));
        }
    }
}

static void interp_planes(const struct rn_interp_job *job) {
    if (job->single) {
        planes_single(job);
    } else {
        planes_mixed(job);
    }
    simd_leave();
}

extern const struct rn_interp_ops SIMD_NAME(rn_interp);
const struct rn_interp_ops SIMD_NAME(rn_interp) = {interp_planes};
