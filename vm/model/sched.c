/* SPDX-License-Identifier: MIT */
/*
 * Warp schedulers. Each is one function: from what it sees of the warps it picks the one that issues in this slot. To
 * add one, write the function and add a row to the table at the end.
 */
#include "vm/base/bits.h"
#include "vm/model/warp.h"

static bool in_set(uint64_t set, unsigned i) { return set >> i & 1u; }

/* The next ready warp after 'from', in turn; -1 if none. 'set': which warps count. */
static int next_ready(const struct sim_warp_view *w, unsigned count, unsigned from, uint64_t set) {
    for (unsigned k = 1; k <= count; k++) {
        unsigned i = (from + k) % count;
        if (w[i].ready && in_set(set, i)) {
            return (int)i;
        }
    }
    return -1;
}

/* The ready warp that was launched first; -1 if none. */
static int oldest_ready(const struct sim_warp_view *w, unsigned count) {
    int best = -1;
    for (unsigned i = 0; i < count; i++) {
        if (w[i].ready && (best < 0 || w[i].age < w[best].age)) {
            best = (int)i;
        }
    }
    return best;
}

/* ---- Round robin: a slot belongs to a warp, as on the core itself; a warp that waits leaves it empty. ---- */

static int round_robin(struct sim_sched_state *s, const struct sim_warp_config *c, const struct sim_warp_view *w,
                       unsigned count, bool stalled, uint64_t now) {
    (void)c;
    (void)stalled;
    (void)now;
    for (unsigned k = 0; k < count; k++) {
        unsigned i = s->next++ % count;
        if (w[i].present) {
            return w[i].ready ? (int)i : -1;
        }
    }
    return -1;
}

/* ---- Loose round robin: in turn, but warps that wait are passed over. ---- */

static int loose_round_robin(struct sim_sched_state *s, const struct sim_warp_config *c, const struct sim_warp_view *w,
                             unsigned count, bool stalled, uint64_t now) {
    (void)c;
    (void)stalled;
    (void)now;
    int i = next_ready(w, count, s->last, UINT64_MAX);
    s->last = i >= 0 ? (uint32_t)i : s->last;
    return i;
}

/* ---- Greedy then oldest: the same warp while it can, then the one launched first. ---- */

static int greedy_then_oldest(struct sim_sched_state *s, const struct sim_warp_config *c, const struct sim_warp_view *w,
                              unsigned count, bool stalled, uint64_t now) {
    (void)c;
    (void)stalled;
    (void)now;
    int i = s->last < count && w[s->last].ready ? (int)s->last : oldest_ready(w, count);
    s->last = i >= 0 ? (uint32_t)i : s->last;
    return i;
}

/* ---- Two levels: in turn within a small inner set; who waits for memory leaves it to another. ---- */

static int two_level(struct sim_sched_state *s, const struct sim_warp_config *c, const struct sim_warp_view *w, unsigned count,
                     bool stalled, uint64_t now) {
    (void)stalled;
    (void)now;
    for (unsigned i = 0; i < count; i++) {
        if (!w[i].present || w[i].waits) {
            s->inner &= ~(UINT64_C(1) << i);
        }
    }
    for (unsigned k = 1; k <= count && bits_popcount64(s->inner) < c->active; k++) {
        unsigned i = (s->next + k) % count;
        if (w[i].present && !w[i].waits && !in_set(s->inner, i)) {
            s->inner |= UINT64_C(1) << i;
            s->next = i;
        }
    }
    int i = next_ready(w, count, s->last, s->inner);
    s->last = i >= 0 ? (uint32_t)i : s->last;
    return i;
}

/* ---- Memory first: the claims of KR 10-2210765 (numbers in brackets) ---- */

/* A memory instruction in the claims' sense: one expected to take the first threshold or more [1, 11]. */
static bool is_long(const struct sim_warp_config *c, const struct sim_warp_view *w) {
    return w->memory && w->latency >= c->long_latency;
}

/*
 * Instructions wait in two buffers by type [10, 20], each with room for some warps; those longest assigned get in
 * first. A warp leaves its buffer when its instruction issues.
 */
static void fill_buffers(struct sim_sched_state *s, const struct sim_warp_config *c, const struct sim_warp_view *w,
                         unsigned count) {
    unsigned room[2] = {c->compute_buffer != 0 ? c->compute_buffer : count, c->memory_buffer != 0 ? c->memory_buffer : count};
    uint64_t *set[2] = {&s->in_compute, &s->in_memory};
    for (unsigned i = 0; i < count; i++) {           /* who has gone on to another instruction of the other type, or ended */
        for (unsigned type = 0; type < 2; type++) {
            if (!w[i].present || w[i].waits || is_long(c, &w[i]) != (type == 1)) {
                *set[type] &= ~(UINT64_C(1) << i);
            }
        }
    }
    for (unsigned type = 0; type < 2; type++) {
        while (bits_popcount64(*set[type]) < room[type]) {
            int best = -1;
            for (unsigned i = 0; i < count; i++) {
                if (w[i].present && !w[i].waits && is_long(c, &w[i]) == (type == 1) && !in_set(*set[type], i) &&
                    (best < 0 || w[i].assigned < w[best].assigned)) {
                    best = (int)i;
                }
            }
            if (best < 0) {
                break;
            }
            *set[type] |= UINT64_C(1) << best;
        }
    }
    s->memory_queue = bits_popcount64(s->in_memory);
    s->compute_queue = bits_popcount64(s->in_compute);
}

/*
 * Head of the memory warp queue: warps assigned for the second threshold or longer before all others [2, 12], in the
 * order of their assigned time [3, 4, 13, 14]; the others by latency, the longest first [9, 19], then by assigned time.
 */
static int memory_head(const struct sim_sched_state *s, const struct sim_warp_config *c, const struct sim_warp_view *w,
                       unsigned count, uint64_t now) {
    int best = -1;
    for (unsigned i = 0; i < count; i++) {
        if (!in_set(s->in_memory, i) || !w[i].ready) {
            continue;
        }
        if (best < 0) {
            best = (int)i;
            continue;
        }
        bool due = now - w[i].assigned >= c->long_wait, best_due = now - w[best].assigned >= c->long_wait;
        bool earlier = w[i].assigned < w[best].assigned;
        if (due != best_due ? due : due || w[i].latency == w[best].latency ? earlier : w[i].latency > w[best].latency) {
            best = (int)i;
        }
    }
    return best;
}

/*
 * Head of the computation warp queue: all have one priority [9, 19]; by warp id [6, 7, 16, 17], or those first whose
 * recency bit is set, which a register of some bits keeps for the warps that issued last [8, 18].
 */
static int compute_head(const struct sim_sched_state *s, const struct sim_warp_config *c, const struct sim_warp_view *w,
                        unsigned count) {
    for (unsigned pass = c->recency != 0 ? 0 : 1; pass < 2; pass++) {
        for (unsigned i = 0; i < count; i++) {
            if (in_set(s->in_compute, i) && w[i].ready && (pass == 1 || in_set(s->recent, i))) {
                return (int)i;
            }
        }
    }
    return -1;
}

/* The register covers only so many warps: the one that issued longest ago loses its bit. */
static void remember(struct sim_sched_state *s, const struct sim_warp_config *c, unsigned warp) {
    if (c->recency == 0) {
        return;
    }
    unsigned k = 0;
    while (k < s->queued && s->order[k] != warp) {
        k++;
    }
    if (k == s->queued) {
        if (s->queued == c->recency) {
            s->recent &= ~(UINT64_C(1) << s->order[--s->queued]);
        }
        k = s->queued++;
    }
    for (; k > 0; k--) {
        s->order[k] = s->order[k - 1];
    }
    s->order[0] = warp;
    s->recent |= UINT64_C(1) << warp;
}

static int memory_first(struct sim_sched_state *s, const struct sim_warp_config *c, const struct sim_warp_view *w,
                        unsigned count, bool stalled, uint64_t now) {
    fill_buffers(s, c, w, count);
    int i = stalled ? -1 : memory_head(s, c, w, count, now);      /* (a); a stall leaves the slot to computation [5, 15] */
    i = i >= 0 ? i : compute_head(s, c, w, count);                /* (b) */
    if (i >= 0) {
        remember(s, c, (unsigned)i);
    }
    return i;
}

static const struct sim_scheduler table[] = {
    {"rr", "round robin: a warp that waits loses its slot", false, round_robin},
    {"lrr", "loose round robin: warps that wait are passed over", false, loose_round_robin},
    {"gto", "greedy, then oldest", false, greedy_then_oldest},
    {"two-level", "round robin in an inner set; who waits leaves it", false, two_level},
    {"memory-first", "long memory instructions first (patented: KR 10-2210765)", true, memory_first},
};

const struct sim_scheduler *sim_schedulers(unsigned *count) {
    *count = sizeof table / sizeof table[0];
    return table;
}
