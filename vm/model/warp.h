/* SPDX-License-Identifier: MIT */
/*
 * The multi-core, multi-warp machine around the dual-phase core, fed by traces: warps of eight threads, a cache and a
 * limited number of requests for each core, one memory for all, and schedulers behind one interface. sim.h includes
 * this header; vm/model/README.md explains the machine and how to add a scheduler.
 */
#ifndef VM_MODEL_WARP_H
#define VM_MODEL_WARP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/include/vliw.h"

#define SIM_LINE_BYTES 64u

struct sim_core;
struct sim_result;

/* ---- Traces ---- */

struct sim_trace;
struct sim_trace *sim_trace_create(void);      /* NULL when memory is out */
void sim_trace_destroy(struct sim_trace *trace);

/* A batch to be traced: as struct sim_batch, and where vertex attributes lie. */
struct sim_trace_batch {
    struct vliw_mask active;
    const float *const *inputs;
    uint32_t fetch_count;         /* attribute arrays; 0 for fragments */
    const uint64_t *fetch;        /* [array * VM_LANES + lane]: byte address */
    const uint32_t *fetch_bytes;  /* of an element of each array */
    const uint32_t *fetch_reg;    /* register that it is loaded into */
};

/*
 * Runs the batch on the core (globals and sampler set) and appends its warps to the trace. False when memory is out;
 * *result says how the run ended.
 */
bool sim_trace_batch(struct sim_trace *trace, struct sim_core *core, const struct sim_trace_batch *batch,
                     struct sim_result *result);
/* For the sampler, while a batch is traced: the read that it answers touches these bytes. */
void sim_trace_touch(struct sim_trace *trace, uint64_t address, uint32_t bytes);

/*
 * Appends recorded steps of the core's program (vm/include/vlgl_warps.h). NULL, or what is wrong with them, a static
 * text; *at is then the byte, and the trace of no use.
 */
const char *sim_trace_recorded(struct sim_trace *trace, struct sim_core *core, const uint8_t *steps, size_t size, size_t *at);

struct sim_trace_size {
    uint64_t warps, instructions, thread_instructions, reads, lines;
};
void sim_trace_size(const struct sim_trace *trace, struct sim_trace_size *size);

/* ---- The machine ---- */

struct sim_warp_config {
    uint32_t cores, warps;        /* warps that a core holds at a time */
    uint32_t latency;             /* clocks of a miss, from the request to the line */
    uint32_t hit_latency;
    uint32_t interval;            /* clocks between two lines of the memory, for all cores together */
    uint32_t outstanding;         /* misses in flight of a core */
    uint32_t cache_bytes, ways;   /* of a core; lines of SIM_LINE_BYTES */
    bool blocking;                /* a warp waits at its load, not at the first use of the answer */
    /* schedulers */
    uint32_t active;              /* two-level: warps of the inner level */
    uint32_t long_latency;        /* memory-first: first threshold, clocks */
    uint32_t long_wait;           /* memory-first: second threshold, clocks of assigned time */
    uint32_t memory_buffer, compute_buffer;    /* memory-first: entries of the buffers by type; 0 = as many as warps */
    uint32_t recency;             /* memory-first: bits of the recency register; 0 = computation by warp id */
};
void sim_warp_defaults(struct sim_warp_config *config);
/* NULL, or what makes no sense. */
const char *sim_warp_config_fault(const struct sim_warp_config *config);

/* A warp as a scheduler sees it. */
struct sim_warp_view {
    bool present;                 /* holds a warp that has not ended */
    bool ready;                   /* its next instruction could issue now */
    bool memory;                  /* its next instruction is a load or store */
    bool waits;                   /* it waits for an answer of memory */
    uint32_t latency;             /* memory: expected clocks, as the same instruction took last time on this core */
    uint64_t age;                 /* number of the warp in the order of launch */
    uint64_t assigned;            /* clock since which this is the warp's next instruction */
};

#define SIM_WARPS_MAX 64u

/* What a scheduler may remember; all 0 at the start. */
struct sim_sched_state {
    uint32_t last;                /* warp that issued last */
    uint32_t next;                /* position of a round */
    uint64_t recent;              /* recency bits */
    uint64_t inner, in_memory, in_compute;     /* sets of warps */
    uint32_t order[SIM_WARPS_MAX]; /* a queue */
    uint32_t queued;
    uint32_t memory_queue, compute_queue;      /* entries now: reported */
};

struct sim_scheduler {
    const char *name;
    const char *about;
    bool patented;                /* offered only when asked for: see the README */
    /* The warp that issues in this slot of 'now', -1 for none. 'stalled': the memory pipeline takes nothing now. */
    int (*pick)(struct sim_sched_state *state, const struct sim_warp_config *config, const struct sim_warp_view *warp,
                unsigned count, bool stalled, uint64_t now);
};

/* All schedulers; *count receives how many. */
const struct sim_scheduler *sim_schedulers(unsigned *count);

enum sim_stall { SIM_STALL_DATA, SIM_STALL_PIPE, SIM_STALL_SCHEDULER, SIM_STALL_EMPTY, SIM_STALLS };
const char *sim_stall_name(unsigned stall);

struct sim_warp_result {
    uint64_t clocks;
    uint64_t slots;               /* issue slots of all cores, 8 clocks each */
    uint64_t issued;              /* of these, used */
    uint64_t stall[SIM_STALLS];   /* the others: all wait for answers; only memory instructions are ready and the pipeline is
                                     full; the scheduler chose nobody; no warp left */
    uint64_t instructions;        /* of threads */
    uint64_t hits, merged, misses;             /* lines */
    double memory_queue, compute_queue;        /* mean number of ready warps by type, or of the policy's queue entries */
};

/* Runs the trace. False when memory is out. */
bool sim_warp_run(const struct sim_trace *trace, const struct sim_warp_config *config, const struct sim_scheduler *scheduler,
                  struct sim_warp_result *result);

#endif
