/* SPDX-License-Identifier: MIT */
/*
 * VL-IW instructions as operations of a conventional machine: three-operand, each with a predicate register and its own
 * full operand fields. What VL-IW says by combining units becomes operations of its own here: PRED sets a predicate
 * register, an index of ADDR goes through an address register (but a branch takes its target from a register), and an
 * override is a move. A unit that only supplies an operand costs nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "vm/model/baseline.h"

static struct base_op *add(struct base_code *code, uint32_t inst) {
    static const struct base_op none;
    if (code->count == code->capacity) {
        uint32_t capacity = code->capacity * 2 + 64;
        struct base_op *more = realloc(code->op, capacity * sizeof *more);
        if (more == NULL) {
            code->failed = true;
            return NULL;
        }
        code->op = more;
        code->capacity = capacity;
    }
    struct base_op *op = &code->op[code->count++];
    *op = none;
    op->inst = inst;
    return op;
}

static void reads(struct base_op *op, uint16_t reg, unsigned mask) {
    if (op != NULL && op->reads < BASE_READS && mask != 0) {
        op->read[op->reads++] = (struct base_ref){reg, (uint8_t)mask};
    }
}

static unsigned through(const struct core_operand *o, unsigned mask) {
    unsigned out = 0;
    for (unsigned c = 0; c < 4; c++) {
        out |= mask >> c & 1u ? 1u << o->sel[c] : 0u;
    }
    return out;
}

/* Temporaries of the instruction that is taken apart. */
struct parts {
    const struct core_inst *in;
    uint16_t predicate[2], address[2], merged[2];     /* 0 = none */
};

static void read_operand(struct base_op *op, const struct parts *p, const struct core_operand *o, unsigned mask) {
    if (o->source == CORE_LATCH) {
        const struct core_read *r = &p->in->read[o->latch];
        reads(op, r->addr != 0 ? BASE_ANY : r->reg, through(o, mask));
        if (r->addr != 0) {
            reads(op, p->address[r->addr - 1], 1);
        }
    } else if (o->source == CORE_GLOBAL && o->addr != 0) {
        reads(op, p->address[o->addr - 1], 1);
    }
}

static void read_predicates(struct base_op *op, const struct parts *p, unsigned mask, bool process) {
    for (unsigned k = 0; k < 2 && op != NULL; k++) {
        const struct core_pred *pred = &p->in->pred[k];
        if (pred->on && (process || (!pred->process_only && (pred->mask & mask) != 0))) {
            reads(op, p->predicate[k], 15);
            op->predicated = true;
        }
    }
}

static void lower_coords(struct base_code *code, uint32_t number, struct parts *p) {
    const struct core_inst *in = p->in;
    for (unsigned k = 0; k < 2; k++) {
        bool branch_target = in->process == CORE_BRANCH && in->process_addr == k + 1;
        if (in->index[k].on && in->index[k].indexed && !branch_target) {
            struct base_op *op = add(code, number);
            read_operand(op, p, &in->index[k].from, 1);
            p->address[k] = (uint16_t)(BASE_TEMP + code->temps++);
            if (op != NULL) {
                op->write = (struct base_ref){p->address[k], 1};
                op->units = 1u << ISA_CLASS_ROUND;
            }
        }
        if (in->pred[k].on) {
            struct base_op *op = add(code, number);
            read_operand(op, p, &in->pred[k].from, in->pred[k].mask | 1u);
            p->predicate[k] = (uint16_t)(BASE_TEMP + code->temps++);
            if (op != NULL) {
                op->write = (struct base_ref){p->predicate[k], 15};
                op->units = 1u << ISA_CLASS_CMP;
            }
        }
    }
}

static bool uses_slot(const struct core_unit *u, unsigned slot) {
    unsigned sources = u->op == ISA_OP_MVS ? 0 : u->xop != ISA_XOP_OWN ? isa_xop_infos[u->xop].sources
                                                                       : isa_op_infos[u->op].sources;
    return sources == 2 || (sources == 1 && slot == (u->sub ? 1u : 0u));
}

static void lower_override(struct base_code *code, uint32_t number, struct parts *p) {
    for (unsigned slot = 0; p->in->smask != 0 && slot < 2; slot++) {
        unsigned used = 0;
        for (unsigned i = 0; i < p->in->units; i++) {
            const struct core_unit *u = &p->in->unit[i];
            used |= u->phase == 1 && uses_slot(u, slot) ? u->mask & p->in->smask : 0u;
        }
        if (used != 0) {
            struct base_op *op = add(code, number);
            read_operand(op, p, &p->in->slot[0][slot], used);
            p->merged[slot] = (uint16_t)(BASE_TEMP + code->temps++);
            if (op != NULL) {
                op->write = (struct base_ref){p->merged[slot], (uint8_t)used};
            }
        }
    }
}

static void lower_unit(struct base_code *code, uint32_t number, const struct parts *p, const struct core_unit *u) {
    const struct core_inst *in = p->in;
    struct base_op *op = add(code, number);
    if (op == NULL) {
        return;
    }
    for (unsigned slot = 0; slot < 2; slot++) {
        if (uses_slot(u, slot)) {
            unsigned own = u->phase == 1 ? u->mask & ~(unsigned)in->smask : u->mask;
            read_operand(op, p, &in->slot[u->phase][slot], own);
            if (u->phase == 1 && p->merged[slot] != 0) {
                reads(op, p->merged[slot], u->mask & in->smask);
            }
        }
    }
    bool moved = u->phase == 1 && in->write_addr != 0;
    op->write = (struct base_ref){moved ? BASE_ANY : in->write_reg[u->phase], u->mask};
    if (moved) {
        reads(op, p->address[in->write_addr - 1], 1);
    }
    if (core_accumulates(u)) {
        op->units = 1u << ISA_CLASS_MUL | 1u << ISA_CLASS_ADD;
        reads(op, op->write.reg, u->mask);
    } else {
        op->units = (uint16_t)(1u << (u->xop != ISA_XOP_OWN ? isa_xop_infos[u->xop].op_class
                                                            : isa_op_infos[u->op].op_class));
    }
    op->ordered = u->op == ISA_OP_MVS && u->status == ISA_STATUS_SCRATCH;
    if (u->phase == 1) {
        read_predicates(op, p, u->mask, false);
    }
}

static void lower_process(struct base_code *code, uint32_t number, const struct parts *p) {
    const struct core_inst *in = p->in;
    if (in->process == CORE_NO_PROCESS || (in->process == CORE_BRANCH && in->process_op == ISA_BRC_END)) {
        return;                       /* what ends a program is the driver's affair */
    }
    struct base_op *op = add(code, number);
    if (op == NULL) {
        return;
    }
    op->process = true;
    op->branch = in->process == CORE_BRANCH;
    read_predicates(op, p, 0, true);
    if (op->branch) {
        if (in->process_addr != 0 && in->index[in->process_addr - 1].indexed) {
            read_operand(op, p, &in->index[in->process_addr - 1].from, 1);
        }
        return;
    }
    op->ordered = in->process == CORE_MEMORY;
    if (in->process_option) {
        read_operand(op, p, &in->slot[0][0], in->process == CORE_TEXTURE ? 15u : 1u << in->process_comp);
    } else {
        read_operand(op, p, &in->address, in->process == CORE_TEXTURE ? 15u : 1u << in->process_comp);
    }
    if (in->process_addr != 0 && p->address[in->process_addr - 1] != 0) {
        reads(op, p->address[in->process_addr - 1], 1);
    }
    read_operand(op, p, &in->data, in->process_mask);
    if (in->process_op != ISA_MEM_ST) {
        op->write = (struct base_ref){in->process_reg, in->process_mask};
        op->load = true;
    }
}

static bool touches(const struct base_ref *a, const struct base_ref *b) {
    bool any = (a->reg == BASE_ANY && b->reg < BASE_TEMP) || (b->reg == BASE_ANY && a->reg < BASE_TEMP);
    return (a->reg == b->reg || any) && (a->mask & b->mask) != 0;
}

static bool reads_what(const struct base_op *a, const struct base_op *b) {
    for (unsigned i = 0; b->write.mask != 0 && i < a->reads; i++) {
        if (touches(&a->read[i], &b->write)) {
            return true;
        }
    }
    return false;
}

/* Two operations that each overwrite what the other reads: one at a time they need a copy. */
static void untangle(struct base_code *code, uint32_t from, uint32_t number) {
    for (uint32_t i = from, end = code->count; i < end; i++) {
        for (uint32_t j = i + 1; j < end; j++) {
            if (!reads_what(&code->op[i], &code->op[j]) || !reads_what(&code->op[j], &code->op[i])) {
                continue;
            }
            uint16_t temp = (uint16_t)(BASE_TEMP + code->temps++);
            if (add(code, number) == NULL) {
                return;
            }
            /* the copy goes in front of the instruction's operations */
            memmove(&code->op[from + 1], &code->op[from], (code->count - 1 - from) * sizeof *code->op);
            struct base_op *copy = &code->op[from], *first = &code->op[++i], *second = &code->op[++j];
            end++;
            memset(copy, 0, sizeof *copy);
            copy->inst = number;
            for (unsigned k = 0; k < second->reads; k++) {
                if (touches(&second->read[k], &first->write)) {
                    reads(copy, second->read[k].reg, second->read[k].mask);
                    copy->write = (struct base_ref){temp, second->read[k].mask};
                    second->read[k].reg = temp;
                    break;
                }
            }
        }
    }
}

bool base_lower(const struct sim_core *core, bool single, struct base_code *code) {
    uint32_t n = core->program->info.instructions;
    memset(code, 0, sizeof *code);
    code->first = calloc(n + 1, sizeof *code->first);
    code->failed = code->first == NULL;
    for (uint32_t i = 0; !code->failed && i < n; i++) {
        struct parts p = {.in = &core->insts[i]};
        uint32_t from = code->count;
        code->first[i] = from;
        lower_coords(code, i, &p);
        lower_override(code, i, &p);
        for (unsigned k = 0; k < p.in->units; k++) {
            lower_unit(code, i, &p, &p.in->unit[k]);
        }
        lower_process(code, i, &p);
        if (single && !code->failed) {
            untangle(code, from, i);
        }
    }
    if (!code->failed) {
        code->first[n] = code->count;
    }
    return !code->failed;
}

void base_free(struct base_code *code) {
    free(code->op);
    free(code->first);
    memset(code, 0, sizeof *code);
}
