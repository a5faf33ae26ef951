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

/* ---- quads of many primitives: a quad a lane ---------------------------------------------------------------------- */

#if SIMD_TABLES
/*
 * Sixteen quads at once, one a lane: of ax * dx a quad has two and of ay * dy two, so that its four values cost less
 * than four lanes. What the quads' primitives have is read whole, a line of four planes each, turned into tables by
 * number of primitive, and each quad picks its own. No vector is left partly empty, and nothing depends on how long
 * the segments are.
 */
#define GROUP SIMD_N
#define LINE_PLANES 4
_Static_assert(sizeof(struct rn_plane) == 16 && offsetof(struct rn_prim, iw) % 64 == 0 &&
               offsetof(struct rn_prim, coef) == offsetof(struct rn_prim, iw) + 16, "lines of four planes, 1/w first");
_Static_assert(SIMD_N == 16 && VM_QUADS <= 32, "a vector of quads; numbers of primitives fit a word of bits");

/* A constant of four planes: of primitives 0..3 in the first vector, plane by plane, and so on. */
struct table {
    vf of[4];
};
struct line {
    struct table a0, ax, ay;
};
struct group {
    const uint8_t *const *prim;                        /* sixteen; those of the group first */
    uint32_t quad;                                     /* the first */
    bool many;                                         /* more than eight primitives */
    vi number;                                         /* of the lane's primitive */
    vf dx[2], dy[2];                                   /* of the quad's columns and rows */
    vf w[4];
    struct line line;                                  /* the first */
};

SIMD_FN void line_load(struct line *line, const uint8_t *const *prim, size_t offset, const int vectors) {
    BITS_UNROLL
    for (int r = 0; r < vectors; r++) {
        vi v[4];
        BITS_UNROLL
        for (int k = 0; k < 4; k++) {
            v[k] = vi_load((const int32_t *)(const void *)(prim[4 * r + k] + offset));
        }
        vi_transpose4(v);
        line->a0.of[r] = vi_as_vf(v[0]);
        line->ax.of[r] = vi_as_vf(v[1]);
        line->ay.of[r] = vi_as_vf(v[2]);
    }
}

/* at: of plane p of a primitive in two vectors. */
SIMD_FN vf pick(const struct table *t, vi at, vm upper, const int vectors) {
    const vf low = vf_pick32(t->of[0], t->of[1], at);
    return vectors == 2 ? low : vf_sel(upper, vf_pick32(t->of[2], t->of[3], at), low);
}

/* The plane's values at the four pixels of each quad, pixel by pixel. */
SIMD_FN void values(const struct line *line, const struct group *g, int32_t plane, const int vectors, vf v[4]) {
    const vi n = g->number;
    const vi at = vi_add(vi_add(vi_and(n, vi_set1(3)), vi_shl(vi_and(n, vi_set1(4)), 2)), vi_set1(4 * plane));
    const vm upper = vi_gt(n, vi_set1(7));
    const vf a0 = pick(&line->a0, at, upper, vectors), ax = pick(&line->ax, at, upper, vectors),
             ay = pick(&line->ay, at, upper, vectors);
    const vf left = vf_madd(ax, g->dx[0], a0), right = vf_madd(ax, g->dx[1], a0);
    const vf low = vf_mul(ay, g->dy[0]), high = vf_mul(ay, g->dy[1]);
    v[0] = vf_add(left, low);
    v[1] = vf_add(right, low);
    v[2] = vf_add(left, high);
    v[3] = vf_add(right, high);
}

/* Pixels of quads 0 4 8 12 1 5 9 13 .. to lanes of a batch. */
SIMD_FN void store_quads(float *dst, const vf v[4]) {
    vi t[4] = {vf_as_vi(v[0]), vf_as_vi(v[1]), vf_as_vi(v[2]), vf_as_vi(v[3])};
    vi_transpose4(t);
    BITS_UNROLL
    for (int k = 0; k < 4; k++) {
        vi_store((int32_t *)dst + SIMD_N * k, t[k]);
    }
}

/* Bytes of sixteen quads, in the order of store_quads. */
SIMD_FN vi dealt(const uint8_t *p) {
    return vi_deal4(vi_load_u8(p));
}

/* Numbers of the primitives of a group's quads, as dealt; begins: quads but the first that begin another one. */
SIMD_FN vi numbers(uint32_t begins) {
    static const int32_t up_to[16] BITS_ALIGN(64) = {0x1, 0x1F, 0x1FF, 0x1FFF, 0x3, 0x3F, 0x3FF, 0x3FFF,
                                                     0x7, 0x7F, 0x7FF, 0x7FFF, 0xF, 0xFF, 0xFFF, 0xFFFF};
    return vi_popcount16(vi_and(vi_set1((int32_t)begins), vi_load(up_to)));
}

SIMD_FN void group_places(const struct rn_interp_job *job, struct group *g, const int vectors) {
    const size_t offset = offsetof(struct rn_prim, px);
    const uint32_t quad = g->quad;
    vi word[4];
    BITS_UNROLL
    for (int r = 0; r < 4; r++) {
        const uint8_t *p[4];
        BITS_UNROLL
        for (int k = 0; k < 4; k++) {
            p[k] = g->prim[(vectors == 2 ? 4 * k & 7 : 4 * k) + r] + offset;
        }
        word[r] = vi_load_fours(p);
    }
    vi_transpose4(word);
    const vi origin = vi_pick16(word[0], g->number);
    const vi x = vi_add(vi_sub(vi_set1(job->x), vi_sar(vi_shl(origin, 16), 16)), dealt(job->qx + quad));
    const vi y = vi_add(vi_sub(vi_set1(job->y), vi_sar(origin, 16)), dealt(job->qy + quad));
    g->dx[0] = vf_from_vi(x);
    g->dx[1] = vf_from_vi(vi_add(x, vi_set1(1)));
    g->dy[0] = vf_from_vi(y);
    g->dy[1] = vf_from_vi(vi_add(y, vi_set1(1)));
}

/* Places and weights; 'deep': primitives in perspective, by number. */
SIMD_FN void group_begin(const struct rn_interp_job *job, struct group *g, uint32_t deep, const int vectors) {
    group_places(job, g, vectors);
    line_load(&g->line, g->prim, offsetof(struct rn_prim, iw), vectors);
    vf inverse[4];
    values(&g->line, g, 0, vectors, inverse);
    if (job->list->coord[3]) {
        store_quads(job->list->coord[3] + 4 * g->quad, inverse);
    }
    const vi own = vi_shlv(vi_set1((int32_t)deep), vi_sub(vi_set1(31), g->number));
    BITS_UNROLL
    for (int k = 0; k < 4; k++) {
        g->w[k] = vf_sel(vm_from_vi(own), vf_div(vf_set1(1.0f), inverse[k]), vf_set1(1.0f));
    }
}

SIMD_FN void group_components(const struct rn_interp_list *list, const struct group *g, const int vectors) {
    struct line line = g->line;
    uint32_t at = 0;
    for (uint32_t i = 0; i < list->count; i++) { /* times 1 changes nothing */
        const uint32_t plane = list->coef[i] + 1u;
        if (plane / LINE_PLANES != at) {
            at = plane / LINE_PLANES;
            line_load(&line, g->prim, offsetof(struct rn_prim, iw) + at * 64, vectors);
        }
        vf v[4];
        values(&line, g, (int32_t)(plane % LINE_PLANES), vectors, v);
        BITS_UNROLL
        for (int k = 0; k < 4; k++) {
            v[k] = vf_mul(v[k], g->w[k]);
        }
        store_quads(list->dst[i] + 4 * g->quad, v);
    }
}

static void planes_by_quad(const struct rn_interp_job *job) {
    const uint32_t segments = job->segments, quads = job->quads;
    const uint8_t *prim[VM_QUADS + GROUP];
    uint32_t begins = 0, deep = 0;
    for (uint32_t s = 0; s < segments; s++) {
        const struct rn_segment *segment = &job->segment[s];
        prim[s] = (const uint8_t *)segment->prim;
        begins |= UINT32_C(1) << segment->first;
        deep |= (uint32_t)segment->prim->perspective << s;
    }
    const uint8_t **behind = prim + segments, *last = prim[segments - 1];
    for (int k = 0; k < GROUP; k++) {
        behind[k] = last;
    }
    struct group group[VM_QUADS / GROUP];
    for (uint32_t quad = 0, n = 0; quad < quads; quad += GROUP, n++) {
        struct group *g = &group[n];
        const uint32_t first = quad ? bits_popcount32(begins & ((UINT32_C(2) << quad) - 1)) - 1 : 0;
        const uint32_t others = begins >> quad & 0xFFFEu;
        g->prim = prim + first;
        g->quad = quad;
        g->many = bits_popcount32(others) > 7;
        g->number = numbers(others);
        if (g->many) {
            group_begin(job, g, deep >> first, 4);
        } else {
            group_begin(job, g, deep >> first, 2);
        }
    }
    for (uint32_t quad = 0, n = 0; quad < quads; quad += GROUP, n++) {
        if (group[n].many) {
            group_components(job->list, &group[n], 4);
        } else {
            group_components(job->list, &group[n], 2);
        }
    }
}

#elif SIMD_N > 4
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

/* Primitives with fewer quads than this, on average, are done by quads. */
#define QUADS_EACH (SIMD_N == 16 ? 6 : 2)

/* Which way does not change a bit: both do the same operations. */
static void interp_planes(const struct rn_interp_job *job) {
    if (job->segments * QUADS_EACH > job->quads) {
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
