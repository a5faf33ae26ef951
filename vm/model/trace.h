/* SPDX-License-Identifier: MIT */
/* Inside of a trace: events of warps, one after the other. */
#ifndef VM_MODEL_TRACE_H
#define VM_MODEL_TRACE_H

#include "vm/model/core.h"
#include "vm/model/warp.h"

#define SIM_PLACES 256u          /* instructions are told apart by their place modulo this, for latency prediction */

enum core_event_kind { CORE_RUN, CORE_LOAD, CORE_STORE };

struct core_event {
    uint8_t kind;                /* enum core_event_kind */
    uint8_t slots;               /* issue slots of each instruction */
    uint16_t lines;              /* lines of memory that a load or store touches */
    uint32_t count;              /* RUN: instructions */
    uint32_t line;               /* first line in the trace's list */
    uint32_t use;                /* LOAD: instructions from it to the first that needs the answer */
    uint32_t place;              /* which instruction it is, roughly */
};

struct builder;

struct sim_trace {
    struct core_event *event;
    size_t event_count, event_capacity;
    uint64_t *line;
    size_t line_count, line_capacity;
    size_t *warp;                /* first event of each warp, and one more entry */
    size_t warp_count, warp_capacity;
    uint64_t instructions, thread_instructions, reads;
    struct builder *builder;     /* while a batch is traced */
    bool failed;
};

#endif
