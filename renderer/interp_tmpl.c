/* SPDX-License-Identifier: MIT */
/*
 * Planes of a batch's quads to the inputs of the fragment program, once for each ISA. One formula
 * everywhere (scene.h): value = (a0 + ax * dx) + ay * dy, times w = 1 / plane(iw) if the primitive is in
 * perspective. All four lanes of a quad get it, covered or not. Lanes behind the last quad, up to a whole
 * vector, get anything.
 */
#include "vm/base/simd.h"

#include "renderer/tile.h"

#include <stddef.h>
#include <string.h>

static const float lane_dx[16] BITS_ALIGN(64) = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
static const float lane_dy[16] BITS_ALIGN(64) = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};
static const float column_x[16] BITS_ALIGN(64) = {0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7};

SIMD_FN vf plane_at(vf a0, vf ax, vf ay, vf dx, vf dy) {
    return vf_madd(ay, dy, vf_madd(ax, dx, a0));
}

/* Writes lanes of a batch; of a vector that may reach beyond its end only those before it. */
SIMD_FN void put(float *dst, uint32_t lane, vf v, const bool beyond) {
    if (SIMD_N <= 4 || !beyond || lane + SIMD_N <= VM_LANES) {
        vf_storeu(dst + lane, v);
    } else {
        vm_storemask_f(dst + lane, vm_from_bits((1u << (VM_LANES - lane) % 32u) - 1u), v);
    }
}

/* ---- segments: the planes of one primitive for all lanes ----------------------------------------------------- */

/* The n vectors from 'lane' on: places and w in registers, then one component after the other. */
SIMD_FN void vectors(const struct rn_interp_job *job, const struct rn_prim *prim, uint32_t lane, const int n,
                     const bool beyond) {
    const struct rn_interp_list *list = job->list;
    const vf left = vf_set1((float)(job->x - prim->px)), low = vf_set1((float)(job->y - prim->py));
    const vf one = vf_set1(1.0f);
    vf x[4], y[4], w[4];
    BITS_UNROLL
    for (int v = 0; v < n; v++) {
        const uint32_t at = lane + (uint32_t)v * SIMD_N;
        x[v] = vf_add(vf_add(vf_spread_u8(job->qx + at / 4), vf_loadu(lane_dx + at % 4)), left);
        y[v] = vf_add(vf_add(vf_spread_u8(job->qy + at / 4), vf_loadu(lane_dy + at % 4)), low);
        w[v] = one;
    }
    if (prim->perspective || list->coord[3]) {
        const vf a0 = vf_set1(prim->iw.a0), ax = vf_set1(prim->iw.ax), ay = vf_set1(prim->iw.ay);
        BITS_UNROLL
        for (int v = 0; v < n; v++) {
            const vf inverse = plane_at(a0, ax, ay, x[v], y[v]);
            if (list->coord[3]) {
                put(list->coord[3], lane + (uint32_t)v * SIMD_N, inverse, beyond);
            }
            w[v] = prim->perspective ? vf_div(one, inverse) : one;
        }
    }
    for (uint32_t i = 0; i < list->count; i++) { /* times 1 changes nothing */
        const struct rn_plane *p = &prim->coef[list->coef[i]];
        const vf a0 = vf_set1(p->a0), ax = vf_set1(p->ax), ay = vf_set1(p->ay);
        BITS_UNROLL
        for (int v = 0; v < n; v++) {
            put(list->dst[i], lane + (uint32_t)v * SIMD_N, vf_mul(plane_at(a0, ax, ay, x[v], y[v]), w[v]), beyond);
        }
    }
}

/* Segments in order, in whole vectors: what one writes too much is the next one's, or behind the last quad. */
static void planes_by_segment(const struct rn_interp_job *job) {
    for (uint32_t s = 0; s < job->segments; s++) {
        const struct rn_prim *prim = job->segment[s].prim;
        const uint32_t end = 4 * (s + 1 < job->segments ? job->segment[s + 1].first : job->quads);
        for (uint32_t lane = 4 * job->segment[s].first; lane < end;) {
            const uint32_t left = end - lane, room = VM_LANES - lane;
            if (left > 2 * SIMD_N && room >= 4 * SIMD_N) {
                vectors(job, prim, lane, 4, false);
                lane += 4 * SIMD_N;
            } else if (left > SIMD_N && room >= 2 * SIMD_N) {
                vectors(job, prim, lane, 2, false);
                lane += 2 * SIMD_N;
            } else {
                vectors(job, prim, lane, 1, true);
                lane += SIMD_N;
            }
        }
    }
}

/* ---- quads of many primitives: a vector of quads at a time ----------------------------------------------------- */

#if SIMD_N > 4
#define GROUP_QUADS (SIMD_N / 4)

/* A plane of each quad's own: a0, ax, ay of its lanes. */
SIMD_FN void planes_of(const struct rn_plane *const plane[GROUP_QUADS], vf *a0, vf *ax, vf *ay) {
    const vf v = vi_as_vf(vi_load_fours((const uint8_t *const *)plane));
    *a0 = vf_quad_pick(v, 0);
    *ax = vf_quad_pick(v, 1);
    *ay = vf_quad_pick(v, 2);
}

/* Primitives by quad, and their px and py as one word; entries behind the last, up to a whole vector, are the last
 * one's. */
struct by_quad {
    const struct rn_prim *prim[VM_QUADS + GROUP_QUADS];
    float origin[VM_QUADS + GROUP_QUADS];
};
_Static_assert(offsetof(struct rn_prim, py) == offsetof(struct rn_prim, px) + 2, "loaded as one word");

SIMD_FN void spread_segments(const struct rn_interp_job *job, struct by_quad *by) {
    uint32_t q = 0;
    for (uint32_t s = 0; s < job->segments; s++) {
        const struct rn_prim *prim = job->segment[s].prim;
        const bool last = s + 1 == job->segments;
        const uint32_t end = last ? job->quads + GROUP_QUADS - 1 : job->segment[s + 1].first;
        for (; q < end; q++) {
            by->prim[q] = prim;
            memcpy(&by->origin[q], &prim->px, sizeof by->origin[q]);
        }
    }
}

static void planes_by_quad(const struct rn_interp_job *job) {
    const struct rn_interp_list *list = job->list;
    const uint32_t lanes = job->quads * 4, count = list->count;
    float *inverse_out = list->coord[3];
    struct by_quad by;
    spread_segments(job, &by);
    for (uint32_t lane = 0; lane < lanes; lane += SIMD_N) {
        const uint32_t quad = lane / 4;
        const struct rn_plane *plane[GROUP_QUADS];
        const struct rn_prim *const *prim = by.prim + quad;
        uint32_t perspective = 0;
        vf a0, ax, ay;
        BITS_UNROLL
        for (unsigned k = 0; k < GROUP_QUADS; k++) {
            plane[k] = &prim[k]->iw;
            perspective |= (uint32_t)prim[k]->perspective << k;
        }
        const vi origin = vf_as_vi(vf_spread(by.origin + quad));
        const vi left = vi_sub(vi_set1(job->x), vi_sar(vi_shl(origin, 16), 16));
        const vi low = vi_sub(vi_set1(job->y), vi_sar(origin, 16));
        const vf dx = vf_add(vf_add(vf_spread_u8(job->qx + quad), vf_loadu(lane_dx)), vf_from_vi(left));
        const vf dy = vf_add(vf_add(vf_spread_u8(job->qy + quad), vf_loadu(lane_dy)), vf_from_vi(low));
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
#else
#define planes_by_quad planes_by_segment
#endif

/* Which way does not change a bit: both do the same operations. */
static void interp_planes(const struct rn_interp_job *job) {
    if (job->segments * 2 > job->quads) {
        planes_by_quad(job);
    } else {
        planes_by_segment(job);
    }
    simd_leave();
}

/* ---- whole windows ------------------------------------------------------------------------------------------- */

/*
 * A window: its rows and columns repeat, so a0 + ax * dx is computed once for each place in a row and ay * dy once
 * for each row of quads. The same operations in the same order.
 */
#define WINDOW_LANES 64
#define ROW_VECTORS (SIMD_N >= 16 ? 1 : 16 / SIMD_N)   /* of a row of four quads */

SIMD_FN void window_rows(float *dst, const struct rn_plane *p, const vf *x, const vf *y, const float *w,
                         const bool weighted) {
    const vf a0 = vf_set1(p->a0), ax = vf_set1(p->ax), ay = vf_set1(p->ay);
    vf column[ROW_VECTORS];
    BITS_UNROLL
    for (int h = 0; h < ROW_VECTORS; h++) {
        column[h] = vf_madd(ax, x[h], a0);
    }
    BITS_UNROLL
    for (int r = 0; r < 4; r++) {
        vf row = vf_mul(ay, y[SIMD_N == 1 ? 0 : r]);
        BITS_UNROLL
        for (int h = 0; h < ROW_VECTORS; h++) {
            const int lane = r * 16 + h * SIMD_N;
            row = SIMD_N == 1 ? vf_mul(ay, y[lane]) : row;
            const vf v = vf_add(column[h], row);
            vf_store(dst + lane, weighted ? vf_mul(v, vf_load(w + lane)) : v);
        }
    }
}

static void interp_window(const struct rn_interp_list *list, const struct rn_prim *prim, int32_t wx, int32_t wy,
                          uint32_t first) {
    const float left = (float)(wx - prim->px), low = (float)(wy - prim->py);
    float w[WINDOW_LANES] BITS_ALIGN(64);
    vf x[ROW_VECTORS], y[SIMD_N == 1 ? WINDOW_LANES : 4];
    BITS_UNROLL
    for (int h = 0; h < ROW_VECTORS; h++) {
        x[h] = vf_add(vf_set1(left), vf_load(column_x + h * SIMD_N));
    }
    for (int r = 0; r < (SIMD_N == 1 ? WINDOW_LANES : 4); r++) {
        y[r] = SIMD_N == 1 ? vf_set1(low + (float)(r / 16 * 2 + (r >> 1 & 1)))
                           : vf_add(vf_set1(low + (float)(2 * r)), vf_loadu(lane_dy));
    }
    if (prim->perspective || list->coord[3]) {
        float *inverse = list->coord[3] ? list->coord[3] + first : w;
        window_rows(inverse, &prim->iw, x, y, NULL, false);
        for (int lane = 0; prim->perspective && lane < WINDOW_LANES; lane += SIMD_N) {
            vf_store(w + lane, vf_div(vf_set1(1.0f), vf_load(inverse + lane)));
        }
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const struct rn_plane *p = &prim->coef[list->coef[i]];
        if (prim->perspective) {
            window_rows(list->dst[i] + first, p, x, y, w, true);
        } else {
            window_rows(list->dst[i] + first, p, x, y, w, false);
        }
    }
    simd_leave();
}

extern const struct rn_interp_ops SIMD_NAME(rn_interp);
const struct rn_interp_ops SIMD_NAME(rn_interp) = {interp_planes, interp_window};
