/* SPDX-License-Identifier: MIT */
/*
 * The papers' other machines. Operations of a basic block are packed by list scheduling (longest way to the block's
 * end first) under the machine's limits; then the blocks that a thread really went through are issued one after the
 * other, on the single-thread machine with a scoreboard that stalls on operands which are not there yet.
 */
#include <stdlib.h>
#include <string.h>

#include "vm/model/baseline.h"

#define NEVER UINT32_MAX

struct machine {
    uint8_t operations;          /* arithmetic operations in an instruction */
    bool extra;                  /* a branch or memory operation beside them */
    bool stalls;                 /* one thread: dependencies wait */
    uint16_t bits;
};

static const struct machine machines[SIM_MACHINES] = {
    [SIM_VLIW128] = {2, true, true, 128},
    [SIM_VLIW64] = {1, false, false, 64},
    [SIM_FIXED102] = {2, false, false, 102},
};

struct schedule {
    const struct sim_core *core;
    const struct machine *machine;
    uint32_t latency, load_latency, penalty;
    struct base_code code;
    uint32_t *cycle;             /* [operation]: its cycle in the block */
    uint32_t *height;            /* [operation]: cycles from it to the block's end */
    uint8_t *leader;             /* [instruction]: a block begins */
    uint32_t bundles;            /* instructions of the machine, all blocks */
};

/* ---- Blocks ---- */

static void find_leaders(struct schedule *s) {
    const struct sim_core *core = s->core;
    uint32_t n = core->program->info.instructions;
    bool computed = false;
    s->leader[0] = 1;
    for (uint32_t i = 0; i < n; i++) {
        const struct core_inst *in = &core->insts[i];
        if (in->process != CORE_BRANCH) {
            continue;
        }
        s->leader[i + 1 < n ? i + 1 : 0] = 1;
        if (in->process_op == ISA_BRC_BL && in->process_addr == 0) {
            s->leader[core->inst_at[in->process_base]] = 1;
        }
        computed = computed || (in->process_op == ISA_BRC_BL && in->process_addr != 0);
    }
    (void)computed;                   /* a computed target that is taken starts a block when it is met */
}

static bool touches(const struct base_ref *a, const struct base_ref *b) {
    bool any = (a->reg == BASE_ANY && b->reg < BASE_TEMP) || (b->reg == BASE_ANY && a->reg < BASE_TEMP);
    return (a->reg == b->reg || any) && (a->mask & b->mask) != 0;
}

/* Cycles that must lie between a and the later b; -1 if they do not touch. */
static int distance(const struct schedule *s, const struct base_op *a, const struct base_op *b) {
    int d = -1;
    bool same = a->inst == b->inst;   /* operations of one instruction all read the old values */
    for (unsigned i = 0; a->write.mask != 0 && i < b->reads; i++) {
        if (touches(&a->write, &b->read[i])) {
            bool temp = a->write.reg >= BASE_TEMP;
            if (!same || temp) {
                int latency = !s->machine->stalls ? 1 : a->load ? (int)s->load_latency : (int)s->latency;
                d = latency > d ? latency : d;
            }
        }
    }
    if (!same && a->write.mask != 0 && b->write.mask != 0 && touches(&a->write, &b->write)) {
        d = d > 1 ? d : 1;
    }
    for (unsigned i = 0; b->write.mask != 0 && i < a->reads; i++) {
        if (touches(&a->read[i], &b->write)) {
            d = d > 0 ? d : 0;
        }
    }
    if (a->ordered && b->ordered) {
        d = d > 1 ? d : 1;
    }
    if (b->branch) {
        d = d > 0 ? d : 0;
    }
    if (a->branch) {
        d = 1;
    }
    return d;
}

/* The other way round inside one instruction: b comes first in the list but overwrites what a reads. */
static int distance_back(const struct base_op *a, const struct base_op *b) {
    for (unsigned i = 0; a->inst == b->inst && a->write.mask != 0 && a->write.reg < BASE_TEMP && i < b->reads; i++) {
        if (touches(&a->write, &b->read[i])) {
            return 0;
        }
    }
    return -1;
}

struct bundle {
    uint8_t arithmetic, process;
    uint8_t busy[ISA_CLASS_COUNT];
};

static bool fits(const struct machine *m, const struct bundle *b, const struct base_op *op) {
    unsigned total = b->arithmetic + (m->extra ? 0u : b->process);
    if (op->process ? b->process != 0 || (!m->extra && total >= m->operations) : total >= m->operations) {
        return false;
    }
    for (unsigned k = ISA_CLASS_MUL; k < ISA_CLASS_COUNT; k++) {
        unsigned mask = k >= ISA_CLASS_RCP ? 15u : op->write.mask;
        if ((op->units >> k & 1u) && (b->busy[k] & mask) != 0) {
            return false;
        }
    }
    return true;
}

static void take(struct bundle *b, const struct base_op *op) {
    *(op->process ? &b->process : &b->arithmetic) += 1;
    for (unsigned k = ISA_CLASS_MUL; k < ISA_CLASS_COUNT; k++) {
        if (op->units >> k & 1u) {
            b->busy[k] |= k >= ISA_CLASS_RCP ? 15u : op->write.mask;
        }
    }
}

/* May operation i of the block be placed in cycle t? */
static bool ready(const struct schedule *s, uint32_t from, uint32_t to, uint32_t i, uint32_t t, bool empty) {
    const struct base_op *op = s->code.op;
    for (uint32_t k = from; k < to; k++) {
        int d = k < i ? distance(s, &op[k], &op[i]) : k > i ? distance_back(&op[i], &op[k]) : -1;
        if (d >= 0 && (s->cycle[k] == NEVER || s->cycle[k] + (uint32_t)d > t)) {
            /* A pair that exchanges registers goes together, into an empty instruction. */
            bool pair = d == 0 && k > i && s->cycle[k] == NEVER && empty && distance(s, &op[i], &op[k]) == 0;
            if (!pair) {
                return false;
            }
        }
    }
    return true;
}

static void heights(struct schedule *s, uint32_t from, uint32_t to) {
    for (uint32_t i = to; i-- > from;) {
        s->height[i] = 0;
        for (uint32_t k = i + 1; k < to; k++) {
            int d = distance(s, &s->code.op[i], &s->code.op[k]);
            if (d >= 0 && s->height[k] + (uint32_t)d + 1 > s->height[i]) {
                s->height[i] = s->height[k] + (uint32_t)d + 1;
            }
        }
    }
}

static void schedule_block(struct schedule *s, uint32_t from, uint32_t to) {
    uint32_t left = to - from;
    heights(s, from, to);
    for (uint32_t t = 0; left > 0; t++) {
        struct bundle b;
        bool used = false;
        memset(&b, 0, sizeof b);
        for (;;) {
            uint32_t best = NEVER;
            for (uint32_t i = from; i < to; i++) {
                if (s->cycle[i] == NEVER && fits(s->machine, &b, &s->code.op[i]) && ready(s, from, to, i, t, !used) &&
                    (best == NEVER || s->height[i] > s->height[best])) {
                    best = i;
                }
            }
            if (best == NEVER) {
                break;
            }
            take(&b, &s->code.op[best]);
            s->cycle[best] = t;
            left--;
            used = true;
        }
        s->bundles += used;
    }
}

static void schedule_all(struct schedule *s) {
    uint32_t n = s->core->program->info.instructions;
    for (uint32_t i = 0; i < n;) {
        uint32_t end = i + 1;
        while (end < n && !s->leader[end]) {
            end++;
        }
        schedule_block(s, s->code.first[i], s->code.first[end]);
        i = end;
    }
}

/* ---- Running ---- */

struct scoreboard {
    uint64_t *ready;             /* [register * 4 + component]; temporaries behind the registers */
    size_t regs;
    uint64_t now;                /* cycle of the last issue */
    bool started;
};

static uint64_t slot_of(const struct scoreboard *b, unsigned reg) {
    return reg >= BASE_TEMP ? b->regs + (reg - BASE_TEMP) : reg;
}

static uint64_t operand_ready(const struct scoreboard *b, const struct base_ref *ref) {
    uint64_t at = 0;
    uint64_t first = ref->reg == BASE_ANY ? 0 : slot_of(b, ref->reg), last = ref->reg == BASE_ANY ? b->regs : first + 1;
    for (uint64_t r = first; r < last; r++) {
        for (unsigned c = 0; c < 4; c++) {
            if ((ref->mask >> c & 1u) && b->ready[r * 4 + c] > at) {
                at = b->ready[r * 4 + c];
            }
        }
    }
    return at;
}

/* Issues the bundles of a block. */
static void run_block(const struct schedule *s, struct scoreboard *b, uint32_t from, uint32_t to) {
    uint32_t last = 0;
    for (uint32_t i = from; i < to; i++) {
        last = s->cycle[i] > last ? s->cycle[i] : last;
    }
    for (uint32_t t = 0; from < to && t <= last; t++) {
        uint64_t at = b->started ? b->now + 1 : 0;
        bool any = false;
        for (uint32_t i = from; i < to; i++) {
            const struct base_op *op = &s->code.op[i];
            if (s->cycle[i] != t) {
                continue;
            }
            any = true;
            for (unsigned k = 0; s->machine->stalls && k < op->reads; k++) {
                uint64_t r = operand_ready(b, &op->read[k]);
                at = r > at ? r : at;
            }
        }
        if (!any) {
            continue;                 /* no instruction: what it would wait for is waited for at the next */
        }
        b->now = at;
        b->started = true;
        for (uint32_t i = from; i < to; i++) {
            const struct base_op *op = &s->code.op[i];
            for (unsigned c = 0; s->cycle[i] == t && op->write.reg != BASE_ANY && c < 4; c++) {
                if (op->write.mask >> c & 1u) {
                    b->ready[slot_of(b, op->write.reg) * 4 + c] = at + (op->load ? s->load_latency : s->latency);
                }
            }
        }
    }
}

static uint64_t run_trace(const struct schedule *s, struct scoreboard *b, const uint32_t *trace, size_t count) {
    const struct sim_core *core = s->core;
    uint32_t n = core->program->info.instructions;
    for (size_t k = 0; k < count;) {
        uint32_t i = core->inst_at[trace[k]], end = i + 1;
        while (end < n && !s->leader[end]) {
            end++;
        }
        run_block(s, b, s->code.first[i], s->code.first[end]);
        k += end - i;
        if (k < count && s->machine->stalls && trace[k] != core->insts[end - 1].next) {
            b->now += s->penalty;     /* the next block is not the one that was fetched */
        }
    }
    return b->started ? b->now + 1 : 0;
}

bool sim_baseline_run(const struct sim_core *core, unsigned machine, const struct sim_baseline_config *config,
                      const uint32_t *trace, size_t count, struct sim_baseline *out) {
    uint32_t n = core->program->info.instructions;
    struct schedule s = {.core = core, .machine = &machines[machine],
                         .latency = config->latency, .load_latency = config->load_latency, .penalty = config->penalty};
    struct scoreboard b = {.regs = core->program->info.gprs};
    bool ok = base_lower(core, s.machine->operations == 1, &s.code);
    s.leader = calloc(n + 1, 1);
    s.cycle = malloc((s.code.count + 1) * sizeof *s.cycle);
    s.height = calloc(s.code.count + 1, sizeof *s.height);
    b.ready = calloc((b.regs + s.code.temps + 1) * 4, sizeof *b.ready);
    ok = ok && s.leader != NULL && s.cycle != NULL && s.height != NULL && b.ready != NULL;
    if (ok) {
        memset(s.cycle, 0xFF, (s.code.count + 1) * sizeof *s.cycle);
        find_leaders(&s);
        for (size_t k = 1; k < count; k++) {          /* computed branches */
            if (trace[k] != core->insts[core->inst_at[trace[k - 1]]].next) {
                s.leader[core->inst_at[trace[k]]] = 1;
            }
        }
        schedule_all(&s);
        out->operations = s.code.count;
        out->instructions = s.bundles;
        out->bits = (uint64_t)s.bundles * s.machine->bits;
        out->cycles = run_trace(&s, &b, trace, count);
    }
    base_free(&s.code);
    free(s.leader);
    free(s.cycle);
    free(s.height);
    free(b.ready);
    return ok;
}
