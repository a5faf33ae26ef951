/* SPDX-License-Identifier: MIT */
/*
 * The stages of one thread's instruction: registers through the ports of its bank, latches to slots, slots to results,
 * results to the bank. Each function does what its stage does in one clock and nothing else.
 */
#include <string.h>

#include "vm/exec/ref_ops.h"
#include "vm/model/core.h"

/* ---- Banks ---- */

static void count_clock(struct sim_core *core, struct core_bank *bank) {
    if (bank->clock != core->clock) {
        bank->clock = core->clock;
        bank->reads = bank->writes = 0;
    }
}

static void bank_read(struct sim_core *core, unsigned thread, uint32_t reg, uint32_t out[4]) {
    struct core_bank *bank = &core->bank[thread & 1u];
    count_clock(core, bank);
    core->broken = core->broken || ++bank->reads > 2;
    memcpy(out, core_word(core, thread, reg), 16);
}

static void bank_write(struct sim_core *core, unsigned thread, uint32_t reg, unsigned mask, const uint32_t *value) {
    struct core_bank *bank = &core->bank[thread & 1u];
    uint32_t *word = core_word(core, thread, reg);
    count_clock(core, bank);
    core->broken = core->broken || ++bank->writes > 1;
    if (mask == 15) {
        memcpy(word, value, 16);
        return;
    }
    for (unsigned c = 0; c < 4; c++) {
        word[c] = mask >> c & 1u ? value[c] : word[c];
    }
}

static uint32_t clamp(int64_t number, uint32_t count) {
    return number < 0 ? 0 : number >= (int64_t)count ? count - 1 : (uint32_t)number;
}

/* ---- Decode ---- */

static void read_ports(struct sim_core *core, struct core_thread *t, unsigned number, unsigned clock) {
    struct core_flight *f = &t->flight;
    for (unsigned i = 0; i < f->inst->reads; i++) {
        const struct core_read *r = &f->inst->read[i];
        if (r->clock != clock) {
            continue;
        }
        uint32_t reg = r->reg;
        if (r->addr != 0) {
            reg = clamp((int64_t)reg + f->offset[r->addr - 1], core->program->info.gprs);
        }
        bank_read(core, number, reg, f->raw[i]);
        for (unsigned k = 0; BITS_UNLIKELY(t->pendings != 0) && k < t->pendings; k++) {
            core->result->hazards += t->pending[k].on && t->pending[k].reg == reg;
        }
    }
}

uint32_t core_component(const struct sim_core *core, const struct core_flight *f, const struct core_operand *o, unsigned comp) {
    if (o->source == CORE_LATCH) {
        return f->raw[o->latch][comp];
    }
    uint32_t reg = o->reg;
    if (o->addr != 0) {
        reg = clamp((int64_t)reg + f->offset[o->addr - 1], core->program->info.globals);
    }
    return core->globals[reg * 4 + comp];
}

/* Component of an operand that comes from a latch, the constants or the instruction. */
static uint32_t pick(const struct sim_core *core, const struct core_flight *f, const struct core_operand *o, unsigned c) {
    switch (o->source) {
    case CORE_LATCH:
    case CORE_GLOBAL: return core_component(core, f, o, o->sel[c]) ^ o->flip;
    case CORE_IMM: return o->imm;
    default: return 0;
    }
}

void core_decode0(struct sim_core *core, struct core_thread *t, unsigned number) {
    struct core_flight *f = &t->flight;
    read_ports(core, t, number, 2u * f->half);
    for (unsigned k = 0; f->half == 0 && k < 2; k++) {
        const struct core_index *x = &f->inst->index[k];
        if (x->on) {
            int64_t sum = x->base;
            if (x->indexed) {
                sum += ref_to_int(ref_float(pick(core, f, &x->from, 0)));
            }
            f->offset[k] = (int32_t)(sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum);
        }
    }
}

void core_decode1(struct sim_core *core, struct core_thread *t, unsigned number) {
    read_ports(core, t, number, 2u * t->flight.half + 1u);
}

/* ---- Source modify and override ---- */

static unsigned permissions(const struct sim_core *core, const struct core_flight *f) {
    unsigned permit = 31;
    for (unsigned k = 0; k < 2; k++) {
        const struct core_pred *p = &f->inst->pred[k];
        if (!p->on) {
            continue;
        }
        if (!ref_holds(p->unit, pick(core, f, &p->from, 0))) {
            permit &= ~16u;
        }
        for (unsigned c = 0; !p->process_only && c < 4; c++) {
            if ((p->mask >> c & 1u) && !ref_holds(p->unit, pick(core, f, &p->from, c))) {
                permit &= ~(1u << c);
            }
        }
    }
    return permit;
}

/* The four components of an operand after Sel and N. */
static void steer(const struct sim_core *core, const struct core_flight *f, const struct core_operand *o, uint32_t out[4]) {
    if (o->source == CORE_LATCH) {
        const uint32_t *raw = f->raw[o->latch];
        for (unsigned c = 0; c < 4; c++) {
            out[c] = raw[o->sel[c]] ^ o->flip;
        }
    } else if (o->source == CORE_GLOBAL && o->addr == 0) {
        const uint32_t *global = core->globals + o->reg * (size_t)4;
        for (unsigned c = 0; c < 4; c++) {
            out[c] = global[o->sel[c]] ^ o->flip;
        }
    } else if (o->source != CORE_NONE) {
        for (unsigned c = 0; c < 4; c++) {
            out[c] = pick(core, f, o, c);
        }
    }
}

void core_modify(struct sim_core *core, struct core_thread *t) {
    struct core_flight *f = &t->flight;
    const struct core_inst *in = f->inst;
    for (unsigned phase = 0; phase < 2; phase++) {
        steer(core, f, &in->slot[phase][0], f->slot[phase][0]);
        steer(core, f, &in->slot[phase][1], f->slot[phase][1]);
    }
    for (unsigned c = 0; in->smask != 0 && c < 4; c++) {
        for (unsigned slot = 0; (in->smask >> c & 1u) && slot < 2; slot++) {
            f->slot[1][slot][c] = f->slot[0][slot][c];
        }
    }
    steer(core, f, &in->accumulator, f->accumulator);
    if (in->process >= CORE_MEMORY) {
        memcpy(f->address, f->slot[0][0], sizeof f->address);
        steer(core, f, &in->address, f->address);
        steer(core, f, &in->data, f->data);
    }
    f->permit = in->predicated ? (uint8_t)permissions(core, f) : 31;
    f->reg[0] = in->write_reg[0];
    f->reg[1] = in->write_addr == 0 ? in->write_reg[1]
                                    : (uint16_t)clamp((int64_t)in->write_reg[1] + f->offset[in->write_addr - 1],
                                                      core->program->info.gprs);
}

/* ---- Execute ---- */

/* Does the unit, a SCRATCH one, advance the counter for this thread? 'permit' may not be there yet. */
static bool counts(const struct core_thread *t, const struct core_unit *u) {
    return t->live && (u->phase == 0 || (u->mask & t->flight.permit) != 0);
}

static uint32_t status_value(struct sim_core *core, unsigned number, const struct core_unit *u, uint32_t *counter) {
    struct core_thread *t = &core->thread[number];
    uint32_t v = 0;
    bool integer = u->row >= 0;
    switch (u->status) {
    case ISA_STATUS_PC: v = t->flight.inst->next; break;
    case ISA_STATUS_THREAD: v = core->program->info.stage == VLIW_STAGE_COMPUTE ? number : 0; break;
    case ISA_STATUS_SCRATCH: v = counts(t, u) ? (*counter)++ : 0; break;
    case ISA_STATUS_CRITICAL: v = t->critical; break;
    default: return integer ? (uint32_t)ref_to_int(ref_float(t->front)) : t->front;
    }
    return integer ? v : bits_from_float((float)v);
}

/*
 * Two fetch-and-adds of one instruction: the second unit counts on where the first one is after the whole quad. How far
 * that is follows from the predicates, which all lanes read in the first of the instruction's two slots.
 */
static uint32_t *second_counter(struct sim_core *core, unsigned number, const struct core_unit *first) {
    if (!core->quads) {
        return &core->scratch;
    }
    struct core_quad *quad = &core->quad[number / 4];
    if ((quad->members & ((1u << (number & 3u)) - 1u)) == 0) {      /* the first member */
        quad->counter = core->scratch;
        for (unsigned lane = number & 3u; lane < 4; lane++) {
            struct core_thread *t = &core->thread[(number & ~3u) + lane];
            if (quad->members >> lane & 1u) {
                t->flight.permit = (uint8_t)permissions(core, &t->flight);
                quad->counter += counts(t, first);
            }
        }
    }
    return &quad->counter;
}

static void status_units(struct sim_core *core, unsigned number) {
    struct core_flight *f = &core->thread[number].flight;
    const struct core_unit *first = NULL;
    uint32_t *second = NULL;
    for (unsigned i = 0; f->inst->twice && i < f->inst->units; i++) {
        const struct core_unit *u = &f->inst->unit[i];
        if (u->op == ISA_OP_MVS && u->status == ISA_STATUS_SCRATCH) {
            second = first == NULL ? second_counter(core, number, u) : second;
            first = first == NULL ? u : first;
        }
    }
    for (unsigned i = 0; i < f->inst->units; i++) {
        const struct core_unit *u = &f->inst->unit[i];
        if (u->op == ISA_OP_MVS) {
            f->status[i] = status_value(core, number, u, second != NULL && u != first ? second : &core->scratch);
        }
    }
    if (second != NULL && core->quads && (core->quad[number / 4].members >> (number & 3u)) == 1) {
        core->scratch = *second;      /* the last member has counted */
    }
}

void core_execute1(struct sim_core *core, unsigned number) {
    struct core_flight *f = &core->thread[number].flight;
    if (f->inst->status && !f->ghost) {
        status_units(core, number);
    }
    if (f->inst->process != CORE_NO_PROCESS && !f->ghost) {
        core_process(core, number);
    }
}

/* The neighbour's operand, as it is in its latch now: threads of a quad are one clock apart. */
static uint32_t exchange(const struct sim_core *core, unsigned number, const struct core_unit *u, unsigned c) {
    unsigned bit = u->op == ISA_OP_DDX ? 1 : 2;
    const uint32_t *high = core->thread[number | bit].flight.slot[u->phase][u->sub];
    const uint32_t *low = core->thread[number & ~bit].flight.slot[u->phase][u->sub];
    return ref_bits(ref_float(high[c]) - ref_float(low[c]));
}

static uint32_t execute_component(struct sim_core *core, unsigned number, unsigned i, unsigned c) {
    struct core_flight *f = &core->thread[number].flight;
    const struct core_unit *u = &f->inst->unit[i];
    uint32_t s0 = f->slot[u->phase][0][c], s1 = f->slot[u->phase][1][c], one = u->sub ? s1 : s0;
    if (u->op == ISA_OP_MVS) {
        return f->status[i];
    }
    if (u->xop != ISA_XOP_OWN) {
        return ref_typed_operation(u->xop, s0, s1, one, f->accumulator[c]);
    }
    if (u->op == ISA_OP_DDX || u->op == ISA_OP_DDY) {
        return exchange(core, number, u, c);
    }
    return ref_operation(u->op, s0, s1, one);
}

static void execute_unit(struct sim_core *core, unsigned number, unsigned i) {
    struct core_flight *f = &core->thread[number].flight;
    const struct core_unit *u = &f->inst->unit[i];
    const uint32_t *s0 = f->slot[u->phase][0], *s1 = f->slot[u->phase][1];
    uint32_t value[4], *out = f->result[u->phase];
    if (u->row >= 0 && u->op != ISA_OP_MVS) {
        core_typed_unit(core, f, u);
        return;
    }
    unsigned op = u->xop == ISA_XOP_OWN ? u->op : ISA_OP_COUNT;
    if (u->special) {                 /* one unit in the core: it sees the first component that wants it */
        unsigned first = bits_ctz32(u->mask);
        value[0] = value[1] = value[2] = value[3] = ref_operation(u->op, 0, 0, u->sub ? s1[first] : s0[first]);
    } else if (op == ISA_OP_MUL) {
        for (unsigned c = 0; c < 4; c++) {
            value[c] = ref_operation(ISA_OP_MUL, s0[c], s1[c], 0);
        }
    } else if (op == ISA_OP_ADD) {
        for (unsigned c = 0; c < 4; c++) {
            value[c] = ref_operation(ISA_OP_ADD, s0[c], s1[c], 0);
        }
    } else if (op == ISA_OP_MOV) {
        memcpy(value, u->sub ? s1 : s0, sizeof value);
    } else {
        for (unsigned c = 0; c < 4; c++) {
            value[c] = u->mask >> c & 1u ? execute_component(core, number, i, c) : 0;
        }
    }
    for (unsigned c = 0; c < 4; c++) {
        if (u->mask >> c & 1u) {
            out[c] = u->saturate ? ref_saturate(value[c]) : value[c];
        }
    }
}

void core_execute3(struct sim_core *core, unsigned number) {
    const struct core_flight *f = &core->thread[number].flight;
    for (unsigned i = 0; !f->ghost && i < f->inst->units; i++) {
        execute_unit(core, number, i);
    }
}

/* ---- Write back ---- */

/* Components that the phase writes now; 0 if the port is free. */
static unsigned writes_of(const struct core_flight *f, unsigned phase) {
    if (!f->active || f->ghost || f->half + 1u < f->inst->halves) {
        return 0;
    }
    return f->inst->write_mask[phase] & (phase == 1 ? f->permit : 15u);
}

/* Is the write port of the phase's clock taken by the instruction itself? Predicates do not free it. */
static bool port_taken(const struct core_flight *f, unsigned phase) {
    return f->active && !f->ghost && f->half + 1u >= f->inst->halves && f->inst->write_mask[phase] != 0;
}

static void land(struct sim_core *core, struct core_thread *t, unsigned number) {
    unsigned left = 0;
    bool port = false;
    for (unsigned k = 0; k < t->pendings; k++) {
        struct core_pending *p = &t->pending[k];
        if (!p->on || port || p->ready > core->clock) {
            left += p->on;
            continue;
        }
        if (p->mask != 0) {
            bank_write(core, number, p->reg, p->mask, p->value);
            port = true;
        }
        p->on = false;
    }
    if (left == 0) {
        t->pendings = 0;
        t->critical &= ~CORE_MEMORY_BIT;
    }
}

void core_write(struct sim_core *core, unsigned number, unsigned phase) {
    struct core_thread *t = &core->thread[number];
    struct core_flight *f = &t->flight;
    unsigned mask = writes_of(f, phase);
    if (mask != 0) {
        bank_write(core, number, f->reg[phase], mask, f->result[phase]);
    }
    if (t->pendings != 0 && !port_taken(f, phase)) {
        land(core, t, number);
    }
}

bool core_awake(const struct sim_core *core, unsigned number, uint64_t slot) {
    const struct core_thread *t = &core->thread[number];
    unsigned left = 0;
    uint64_t now = core->clock;
    bool last = t->flight.active;     /* its writes of the slot's clocks are still to come */
    for (unsigned k = 0; k < t->pendings; k++) {
        left += t->pending[k].on;
    }
    for (unsigned phase = 0; left > 0 && phase < 2; phase++) {
        uint64_t window = slot - 1 + phase;
        if (window <= now || (last && port_taken(&t->flight, phase))) {
            continue;
        }
        for (unsigned k = 0; k < t->pendings; k++) {
            if (t->pending[k].on && t->pending[k].ready <= window) {
                left--;
                break;
            }
        }
    }
    return left == 0;
}
