/* SPDX-License-Identifier: MIT */
/*
 * Primitive assembly: which vertices make up primitives first .. first + count - 1 of a draw,
 * counted through all instances. A chunk is cut into segments of one instance each; a segment's
 * corners (the vertices in stream order that its primitives use) get slots, and the primitives
 * become triples, pairs or single slots. ES 2.0.25 2.6.1; odd triangles of a strip are turned so
 * that all face alike.
 */
#include "renderer/internal.h"

uint32_t rn_mode_prims(uint8_t mode, uint32_t count) {
    switch (mode) {
    case RN_POINTS: return count;
    case RN_LINES: return count / 2;
    case RN_LINE_LOOP: return count < 2 ? 0 : count;
    case RN_LINE_STRIP: return count < 2 ? 0 : count - 1;
    case RN_TRIANGLES: return count / 3;
    case RN_TRIANGLE_STRIP:
    case RN_TRIANGLE_FAN: return count < 3 ? 0 : count - 2;
    default: return 0;
    }
}

/* A run of corners: 'lead' (the hub of a fan) if has_lead, then positions start .. start + body - 1
 * of the vertex stream, then position 0 again if wraps (the end of a loop). */
struct corners {
    bool has_lead, wraps;
    uint32_t start, body;
};

static struct corners corners_of(uint8_t mode, uint32_t count, uint32_t p, uint32_t n) {
    struct corners c = {false, false, p, 0};
    switch (mode) {
    case RN_POINTS: c.body = n; break;
    case RN_LINES:
        c.start = 2 * p;
        c.body = 2 * n;
        break;
    case RN_LINE_STRIP: c.body = n + 1; break;
    case RN_LINE_LOOP:
        c.wraps = p + n == count;
        c.body = n + 1 - c.wraps;
        break;
    case RN_TRIANGLES:
        c.start = 3 * p;
        c.body = 3 * n;
        break;
    case RN_TRIANGLE_STRIP: c.body = n + 2; break;
    default: /* fan */
        c.has_lead = true;
        c.start = p + 1;
        c.body = n + 1;
        break;
    }
    return c;
}

static void note_elements(struct rn_front_worker *worker, uint32_t high, bool run) {
    worker->element_high = high > worker->element_high ? high : worker->element_high;
    worker->run = worker->run && run;
}

/* Gives indexed corners slots from *slots on. */
static struct rn_slot_map map_indices(struct rn_front_worker *worker, struct corners c,
                                      uint32_t *slots) {
    const struct rn_front_draw *draw = worker->draw;
    const uint32_t count = c.has_lead + c.body + c.wraps;
    uint32_t *index = worker->index;
    struct rn_index_range range = {UINT32_MAX, 0};
    if (c.has_lead) {
        rn_fetch_indices(draw, 0, 1, index, &range);
    }
    rn_fetch_indices(draw, c.start, c.body, index + c.has_lead, &range);
    if (c.wraps) {
        rn_fetch_indices(draw, 0, 1, index + count - 1, &range);
    }
    const struct rn_slot_map map =
        rn_vcache_assign(worker->vcache, index, count, range, worker->element, slots);
    note_elements(worker, range.high, map.consecutive);
    return map;
}

/* Gives the corners slots from *slots on; worker->corner[] receives the slot of each. */
static void place_corners(struct rn_front_worker *worker, struct corners c, uint32_t *slots) {
    const struct rn_draw_call *call = worker->draw->call;
    int32_t *corner = worker->corner;
    const uint32_t count = c.has_lead + c.body + c.wraps;
    if (call->index_bytes) {
        const struct rn_slot_map map = map_indices(worker, c, slots);
        for (uint32_t i = 0; i < count; i++) {
            corner[i] = rn_slot_of(&map, map.index[i]);
        }
        return;
    }
    uint32_t *element = worker->element + *slots;
    const int32_t slot = (int32_t)*slots;
    for (uint32_t i = 0; i < count; i++) {
        element[i] = call->first + c.start + i - c.has_lead;
        corner[i] = slot + (int32_t)i;
    }
    if (c.has_lead) {
        element[0] = call->first;
    }
    if (c.wraps) {
        element[count - 1] = call->first;
    }
    note_elements(worker, call->first + c.start + c.body - (c.body != 0), !c.has_lead && !c.wraps);
    *slots += count;
}

/* Writes n primitives from worker->corner[] at position 'at' of worker->prim[]. */
static void place_prims(struct rn_front_worker *worker, uint8_t mode, uint32_t p, uint32_t n,
                        uint32_t at) {
    const int32_t *s = worker->corner;
    int32_t *a = worker->prim[0] + at, *b = worker->prim[1] + at, *c = worker->prim[2] + at;
    switch (mode) {
    case RN_POINTS:
        for (uint32_t k = 0; k < n; k++) {
            a[k] = s[k];
        }
        break;
    case RN_LINES:
        for (uint32_t k = 0; k < n; k++) {
            a[k] = s[2 * k];
            b[k] = s[2 * k + 1];
        }
        break;
    case RN_LINE_STRIP:
    case RN_LINE_LOOP:
        for (uint32_t k = 0; k < n; k++) {
            a[k] = s[k];
            b[k] = s[k + 1];
        }
        break;
    case RN_TRIANGLES:
        for (uint32_t k = 0; k < n; k++) {
            a[k] = s[3 * k];
            b[k] = s[3 * k + 1];
            c[k] = s[3 * k + 2];
        }
        break;
    case RN_TRIANGLE_STRIP:
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t odd = (p + k) & 1;
            a[k] = s[k];
            b[k] = s[k + 1 + odd];
            c[k] = s[k + 2 - odd];
        }
        break;
    default: /* fan */
        for (uint32_t k = 0; k < n; k++) {
            a[k] = s[0];
            b[k] = s[k + 1];
            c[k] = s[k + 2];
        }
        break;
    }
}

uint32_t rn_assemble_small(struct rn_front_worker *worker) {
    const struct rn_front_draw *draw = worker->draw;
    const struct rn_draw_call *call = draw->call;
    if (call->index_bytes || call->instances > 1) {
        return rn_assemble(worker, 0, (uint32_t)draw->total);
    }
    const uint32_t prims = draw->prims, base = worker->base_slot;
    const uint32_t corners = call->mode == RN_TRIANGLES ? 3 * prims : prims + 2;
    const uint32_t step = call->mode == RN_TRIANGLES ? 3 : 1;
    const uint32_t odd = call->mode == RN_TRIANGLE_STRIP, fan = call->mode == RN_TRIANGLE_FAN;
    for (uint32_t i = 0; i < corners; i++) {
        worker->element[base + i] = call->first + i;
        worker->instance[base + i] = 0;
    }
    int32_t *a = worker->prim[0] + worker->base_prim, *b = worker->prim[1] + worker->base_prim,
            *c = worker->prim[2] + worker->base_prim;
    for (uint32_t k = 0, s = base; k < prims; k++, s += step) {
        a[k] = (int32_t)(fan ? base : s);
        b[k] = (int32_t)(s + 1 + (odd & k));
        c[k] = (int32_t)(s + 2 - (odd & k));
    }
    worker->element_high = call->first + corners - 1;
    worker->run = true;
    return base + corners;
}

uint32_t rn_assemble(struct rn_front_worker *worker, uint64_t first, uint32_t count) {
    const struct rn_front_draw *draw = worker->draw;
    const struct rn_draw_call *call = draw->call;
    uint32_t slots = worker->base_slot, done = 0;
    const uint32_t base = worker->base_prim;
    worker->element_high = 0;
    worker->run = true;
    while (done < count) {
        const uint64_t at = first + done;
        const bool single = at < draw->prims; /* spares small draws the divisions */
        const uint32_t instance = single ? 0 : (uint32_t)(at / draw->prims);
        const uint32_t p = single ? (uint32_t)at : (uint32_t)(at % draw->prims);
        const uint32_t n = draw->prims - p < count - done ? draw->prims - p : count - done;
        const uint32_t before = slots;
        const struct corners corners = corners_of(call->mode, call->count, p, n);
        const bool indexed_triangles = call->mode == RN_TRIANGLES && call->index_bytes;
        worker->run = worker->run && done == 0; /* one segment */
        if (indexed_triangles) {
            const struct rn_slot_map map = map_indices(worker, corners, &slots);
            const uint32_t to = base + done;
            draw->input->triples(&map, n, worker->prim[0] + to, worker->prim[1] + to,
                                 worker->prim[2] + to);
        } else {
            place_corners(worker, corners, &slots);
            place_prims(worker, call->mode, p, n, base + done);
        }
        for (uint32_t i = before; i < slots; i++) {
            worker->instance[i] = instance;
        }
        done += n;
    }
    return slots;
}
