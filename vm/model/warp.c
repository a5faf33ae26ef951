/* SPDX-License-Identifier: MIT */
/*
 * The machine that replays traces. Time goes in rotations of 8 clocks: in each, every core may issue one instruction
 * of one warp, whose eight threads pass through the pipeline one a clock, so that dependent instructions of a warp may
 * follow in the next rotation. Loads go through the core's cache line by line, misses through a limited number of
 * requests to the memory that all cores share.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/model/trace.h"

#define ROTATION 8u
#define LOADS 8u                 /* answers that one warp can have outstanding */
#define FAR UINT64_MAX

struct load {
    uint64_t ready;              /* clock */
    uint64_t use;                /* number of the warp's instruction that needs it */
};

struct warp {
    bool present;
    size_t event, end;
    uint32_t done;               /* instructions of a RUN that have issued */
    uint32_t extra;              /* further slots of an instruction that takes more than one */
    uint64_t number;             /* of the next instruction */
    uint64_t age, assigned, ready;     /* ready: clock from which the next instruction may issue */
    struct load load[LOADS];
    unsigned loads;
};

struct cache {
    uint64_t *tag, *used;        /* [set * ways + way]; tag + 1, 0 = empty */
    uint64_t *fill;              /* clock at which the line is there */
    uint32_t sets, ways;
    uint64_t tick;
};

struct unit {                    /* a core */
    struct warp warp[SIM_WARPS_MAX];
    struct sim_sched_state state;
    struct cache cache;
    uint64_t *request;           /* ends of the misses in flight */
    uint64_t busy;               /* clock until which the memory pipeline works on what it has */
    uint32_t predicted[SIM_PLACES];
};

struct machine {
    const struct sim_trace *trace;
    const struct sim_warp_config *config;
    struct unit *unit;
    size_t next_warp;
    uint64_t memory_free;        /* clock at which the shared memory can start another line */
    struct sim_warp_result *result;
    double queue[2];
    uint64_t samples;
};

const char *sim_stall_name(unsigned stall) {
    static const char *const names[SIM_STALLS] = {"data", "pipe", "scheduler", "empty"};
    return stall < SIM_STALLS ? names[stall] : "?";
}

void sim_warp_defaults(struct sim_warp_config *c) {
    *c = (struct sim_warp_config){
        .cores = 2, .warps = 8, .latency = 400, .hit_latency = 16, .interval = 4, .outstanding = 32, .cache_bytes = 8192,
        .ways = 4, .active = 4, .long_latency = 64, .long_wait = 256, .recency = 0};
}

const char *sim_warp_config_fault(const struct sim_warp_config *c) {
    if (c->cores < 1 || c->cores > 64 || c->warps < 1 || c->warps > SIM_WARPS_MAX) {
        return "1 to 64 cores of 1 to 64 warps";
    }
    if (c->latency > 100000 || c->hit_latency > 100000 || c->interval > 1000) {
        return "latencies up to 100000 clocks, intervals up to 1000";
    }
    if (c->outstanding < 1 || c->outstanding > 1024) {
        return "1 to 1024 misses in flight";
    }
    if (c->ways < 1 || c->ways > 64 || c->cache_bytes / SIM_LINE_BYTES < c->ways || c->cache_bytes > 1u << 24 ||
        c->cache_bytes % (c->ways * SIM_LINE_BYTES) != 0) {
        return "a cache is a multiple of ways x 64 bytes, at most 16 MiB";
    }
    if (c->active < 1 || c->recency > SIM_WARPS_MAX) {
        return "an inner level of at least one warp, at most 64 recency bits";
    }
    return NULL;
}

/* ---- Cache and memory ---- */

/* Clock at which the line is there; the access happens in *at, which a full set of requests puts off. */
static uint64_t access_line(struct machine *m, struct unit *u, uint64_t line, uint64_t *at) {
    struct cache *c = &u->cache;
    uint64_t *tag = c->tag + line % c->sets * c->ways, *used = c->used + line % c->sets * c->ways;
    uint64_t *fill = c->fill + line % c->sets * c->ways;
    unsigned victim = 0;
    for (unsigned w = 0; w < c->ways; w++) {
        if (tag[w] == line + 1) {
            used[w] = ++c->tick;
            if (fill[w] > *at) {
                m->result->merged++;
                return fill[w];
            }
            m->result->hits++;
            return *at + m->config->hit_latency;
        }
        victim = used[w] < used[victim] ? w : victim;
    }
    uint32_t free_slot = 0;
    for (uint32_t i = 1; i < m->config->outstanding; i++) {
        free_slot = u->request[i] < u->request[free_slot] ? i : free_slot;
    }
    *at = u->request[free_slot] > *at ? u->request[free_slot] : *at;
    uint64_t start = m->memory_free > *at ? m->memory_free : *at;
    m->memory_free = start + m->config->interval;
    uint64_t there = start + m->config->latency;
    u->request[free_slot] = there;
    tag[victim] = line + 1;
    used[victim] = ++c->tick;
    fill[victim] = there;
    m->result->misses++;
    return there;
}

/* All lines of a load or store, one a clock; returns when the last is there. */
static uint64_t access_event(struct machine *m, struct unit *u, const struct core_event *e, uint64_t now) {
    uint64_t at = u->busy > now ? u->busy : now, ready = now + m->config->hit_latency;
    for (uint32_t i = 0; i < e->lines; i++) {
        at++;
        uint64_t there = access_line(m, u, m->trace->line[e->line + i], &at);
        ready = there > ready ? there : ready;
    }
    u->busy = at;
    return ready;
}

/* ---- Warps ---- */

/* When the warp's next instruction may issue: its operands must be there. */
static void find_ready(struct warp *w) {
    w->ready = 0;
    for (unsigned i = 0; i < w->loads; i++) {
        if (w->load[i].use <= w->number && w->load[i].ready > w->ready) {
            w->ready = w->load[i].ready;
        }
    }
}

static void drop_loads(struct warp *w, uint64_t now) {
    unsigned n = 0;
    for (unsigned i = 0; i < w->loads; i++) {
        if (w->load[i].ready > now) {
            w->load[n++] = w->load[i];
        }
    }
    w->loads = n;
}

static void launch(struct machine *m, struct unit *u, unsigned slot, uint64_t now) {
    struct warp *w = &u->warp[slot];
    if (m->next_warp >= m->trace->warp_count) {
        w->present = false;
        return;
    }
    memset(w, 0, sizeof *w);
    w->present = true;
    w->event = m->trace->warp[m->next_warp];
    w->end = m->trace->warp[m->next_warp + 1];
    w->age = m->next_warp++;
    w->assigned = now;
}

/* Issues one slot of the warp's next instruction. */
static void issue(struct machine *m, struct unit *u, unsigned slot, uint64_t now) {
    struct warp *w = &u->warp[slot];
    const struct core_event *e = &m->trace->event[w->event];
    m->result->issued++;
    if (w->extra + 1u < e->slots) {
        w->extra++;
        w->ready = 0;
        return;
    }
    w->extra = 0;
    if (e->kind != CORE_RUN) {
        uint64_t ready = access_event(m, u, e, now);
        if (e->kind == CORE_LOAD) {
            u->predicted[e->place] = (uint32_t)(ready - now);
            drop_loads(w, now);
            if (w->loads == LOADS) {                  /* no room: the warp waits for the earliest kept one */
                w->load[0].use = w->number + 1;
                w->load[0].ready = ready > w->load[0].ready ? ready : w->load[0].ready;
            } else {
                w->load[w->loads++] = (struct load){ready, m->config->blocking ? w->number + 1 : w->number + e->use};
            }
        }
    }
    w->number++;
    if (e->kind != CORE_RUN || ++w->done == e->count) {
        w->done = 0;
        if (++w->event == w->end) {
            launch(m, u, slot, now + ROTATION);
            return;
        }
    }
    w->assigned = now + ROTATION;
    find_ready(w);
}

/* ---- Slots ---- */

static void look(const struct machine *m, const struct unit *u, struct sim_warp_view *view, bool stalled, uint64_t now) {
    for (unsigned i = 0; i < m->config->warps; i++) {
        const struct warp *w = &u->warp[i];
        view[i] = (struct sim_warp_view){.present = w->present, .age = w->age, .assigned = w->assigned};
        if (w->present) {
            const struct core_event *e = &m->trace->event[w->event];
            view[i].memory = e->kind != CORE_RUN;
            view[i].latency = view[i].memory ? u->predicted[e->place] : 0;
            view[i].waits = w->ready > now;
            view[i].ready = !view[i].waits && !(view[i].memory && stalled && w->extra == 0);
        }
    }
}

/* One rotation of a core. Returns when it can do something again at the earliest, FAR if it has ended. */
static uint64_t rotation(struct machine *m, const struct sim_scheduler *scheduler, struct unit *u, uint64_t now) {
    struct sim_warp_view view[SIM_WARPS_MAX];
    bool stalled = u->busy > now + ROTATION;
    unsigned memory = 0, compute = 0, present = 0, piped = 0;
    uint64_t soonest = FAR;
    look(m, u, view, stalled, now);
    for (unsigned i = 0; i < m->config->warps; i++) {
        present += view[i].present;
        memory += view[i].ready && view[i].memory;
        compute += view[i].ready && !view[i].memory;
        piped += view[i].present && !view[i].waits && !view[i].ready;
        if (view[i].present && view[i].waits && u->warp[i].ready < soonest) {
            soonest = u->warp[i].ready;
        }
    }
    if (present == 0) {
        m->result->stall[SIM_STALL_EMPTY]++;
        return FAR;
    }
    u->state.memory_queue = memory;
    u->state.compute_queue = compute;
    int pick = scheduler->pick(&u->state, m->config, view, m->config->warps, stalled, now);
    m->queue[0] += u->state.memory_queue;
    m->queue[1] += u->state.compute_queue;
    m->samples++;
    if (pick >= 0 && view[pick].ready) {
        issue(m, u, (unsigned)pick, now);
        return now + ROTATION;
    }
    m->result->stall[memory + compute > 0 ? SIM_STALL_SCHEDULER : piped > 0 ? SIM_STALL_PIPE : SIM_STALL_DATA]++;
    if (memory + compute > 0 || piped > 0) {
        return now + ROTATION;
    }
    return soonest;
}

static bool make(struct machine *m) {
    const struct sim_warp_config *c = m->config;
    m->unit = calloc(c->cores, sizeof *m->unit);
    bool ok = m->unit != NULL;
    for (uint32_t i = 0; ok && i < c->cores; i++) {
        struct unit *u = &m->unit[i];
        size_t lines = c->cache_bytes / SIM_LINE_BYTES;
        u->cache.sets = (uint32_t)lines / c->ways;
        u->cache.ways = c->ways;
        u->cache.tag = calloc(lines, sizeof *u->cache.tag);
        u->cache.used = calloc(lines, sizeof *u->cache.used);
        u->cache.fill = calloc(lines, sizeof *u->cache.fill);
        u->request = calloc(c->outstanding, sizeof *u->request);
        ok = u->cache.tag != NULL && u->cache.used != NULL && u->cache.fill != NULL && u->request != NULL;
        for (unsigned p = 0; p < SIM_PLACES; p++) {
            u->predicted[p] = c->latency;
        }
    }
    return ok;
}

static void unmake(struct machine *m) {
    for (uint32_t i = 0; m->unit != NULL && i < m->config->cores; i++) {
        free(m->unit[i].cache.tag);
        free(m->unit[i].cache.used);
        free(m->unit[i].cache.fill);
        free(m->unit[i].request);
    }
    free(m->unit);
}

/* Rotations up to 'to' in which nobody can do anything. */
static void skip(struct machine *m, uint64_t from, uint64_t to) {
    uint64_t rotations = (to - from) / ROTATION;
    for (uint32_t i = 0; i < m->config->cores; i++) {
        bool any = false;
        for (unsigned w = 0; w < m->config->warps; w++) {
            any = any || m->unit[i].warp[w].present;
        }
        m->result->stall[any ? SIM_STALL_DATA : SIM_STALL_EMPTY] += rotations;
        m->samples += any ? rotations : 0;
    }
}

bool sim_warp_run(const struct sim_trace *trace, const struct sim_warp_config *config, const struct sim_scheduler *scheduler,
                  struct sim_warp_result *result) {
    struct machine m = {.trace = trace, .config = config, .result = result};
    memset(result, 0, sizeof *result);
    if (!make(&m)) {
        unmake(&m);
        return false;
    }
    for (unsigned w = 0; w < config->warps; w++) {            /* work goes round the cores */
        for (uint32_t i = 0; i < config->cores; i++) {
            launch(&m, &m.unit[i], w, 0);
        }
    }
    uint64_t now = 0;
    for (;;) {
        uint64_t next = FAR;
        for (uint32_t i = 0; i < config->cores; i++) {
            uint64_t at = rotation(&m, scheduler, &m.unit[i], now);
            next = at < next ? at : next;
        }
        if (next == FAR) {
            break;
        }
        uint64_t step = now + ROTATION;
        next = (next + ROTATION - 1) / ROTATION * ROTATION;
        if (next > step) {
            skip(&m, step, next);
            step = next;
        }
        now = step;
    }
    for (unsigned s = 0; s < SIM_STALLS; s++) {
        result->slots += result->stall[s];
    }
    result->slots += result->issued;
    result->slots -= config->cores;                           /* the last rotation found that all is over */
    result->stall[SIM_STALL_EMPTY] -= config->cores;
    result->clocks = now;
    result->instructions = trace->thread_instructions;
    result->memory_queue = m.samples > 0 ? m.queue[0] / (double)m.samples : 0.0;
    result->compute_queue = m.samples > 0 ? m.queue[1] / (double)m.samples : 0.0;
    unmake(&m);
    return true;
}
