/* SPDX-License-Identifier: MIT */
/* Operands in use and register ports of one instruction. In: a legal, indexed struct isa_inst. Pure. */
#include "vm/isa/ports.h"

#include <stddef.h>

#include "vm/isa/rules.h"
#include "vm/isa/word.h"

/* Registers read so far; indexed ones have numbers of their own from 2048 on. */
struct reads {
    uint16_t reg[8];
    unsigned count;
    uint16_t indexed;
};

static void read_reg(struct reads *r, int number, bool indexed) {
    uint16_t key = indexed ? (uint16_t)(2048u + r->indexed++) : (uint16_t)number;
    for (unsigned i = 0; i < r->count; i++) {
        if (r->reg[i] == key) {
            return;
        }
    }
    if (r->count < 8) {
        r->reg[r->count++] = key;
    }
}

static unsigned sources_of(const struct isa_inst *inst, int unit) {
    unsigned xop = isa_unit_xop(inst, unit);
    return xop != ISA_XOP_OWN ? isa_xop_infos[xop].sources : isa_op_infos[inst->unit[unit].op].sources;
}

/* Components of a slot that the operations of the phase itself use. */
static unsigned used_by_operations(const struct isa_inst *inst, unsigned phase, unsigned slot) {
    const int units[2] = {inst->main[phase], inst->sub[phase]};
    unsigned used = 0;
    for (unsigned k = 0; k < 2; k++) {
        if (units[k] >= 0 && inst->unit[units[k]].op != ISA_OP_MVS &&
            (sources_of(inst, units[k]) == 2 || slot == k)) {
            used |= isa_unit_typed(inst, units[k]) == ISA_TYPED_F2B ? 15u : isa_unit_mask(inst, units[k]);
        }
    }
    return used;
}

unsigned isa_slot_used(const struct isa_inst *inst, unsigned phase, unsigned slot) {
    unsigned used = used_by_operations(inst, phase, slot);
    unsigned smask = inst->sub[1] >= 0 ? inst->unit[inst->sub[1]].smask : 0;
    if (phase == 1) {
        return used & ~smask;
    }
    used |= used_by_operations(inst, 1, slot) & smask;
    if (inst->process >= 0 && inst->unit[inst->process].kind == ISA_UNIT_MEM) {
        const struct isa_unit *mem = &inst->unit[inst->process];
        if (mem->op == ISA_MEM_TXD) {
            used |= 7;
        } else if (mem->option && slot == 0) {
            used |= mem->op >= ISA_MEM_TEX ? 15u : 1u << mem->src.sel[0];
        }
    }
    return used;
}

/* The read of one slot of a phase, if it is a GPR's. */
static void read_slot(struct reads *r, const struct isa_inst *inst, unsigned phase, unsigned slot) {
    if (inst->main[phase] < 0 || isa_slot_used(inst, phase, slot) == 0) {
        return;
    }
    const struct isa_unit *main = &inst->unit[inst->main[phase]];
    const struct isa_unit *unit = slot == 0 ? main : inst->sub[phase] >= 0 ? &inst->unit[inst->sub[phase]] : NULL;
    unsigned target = unit == NULL ? ISA_ADDR_DEST : slot == 0 ? ISA_ADDR_SLOT0 : ISA_ADDR_SLOT1;
    const struct isa_unit *addr = phase == 1 ? isa_addr_for(inst, target) : NULL;
    int number = unit == NULL ? main->dest : unit->src.reg;
    if (unit != NULL && (unit->has_imm || unit->src.file != ISA_FILE_GPR)) {
        return;
    }
    read_reg(r, number + (addr != NULL ? addr->base : 0), addr != NULL && addr->indexed);
}

static void read_early(struct reads *r, const struct isa_inst *inst) {
    for (unsigned k = 0; k < 2; k++) {
        const struct isa_unit *u = inst->coord[k] >= 0 ? &inst->unit[inst->coord[k]] : NULL;
        if (u != NULL && u->src.file == ISA_FILE_GPR &&
            (u->kind == ISA_UNIT_PRED || (u->kind == ISA_UNIT_ADDR && u->indexed))) {
            read_reg(r, u->src.reg, false);
        }
    }
    read_slot(r, inst, 0, 0);
    read_slot(r, inst, 0, 1);
}

static void read_late(struct reads *r, const struct isa_inst *inst) {
    read_slot(r, inst, 1, 0);
    read_slot(r, inst, 1, 1);
    for (unsigned k = 0; k < 2; k++) {
        int unit = k == 0 ? inst->main[1] : inst->sub[1];
        unsigned xop = unit >= 0 ? isa_unit_xop(inst, unit) : ISA_XOP_OWN;
        if (xop == ISA_XOP_MAD || xop == ISA_XOP_FMA || xop == ISA_XOP_LERP) {
            const struct isa_unit *addr = isa_addr_for(inst, ISA_ADDR_DEST);
            bool indexed = addr != NULL && addr->indexed;
            /* an indexed DEST that slot 1 reads already is not read again */
            if (!(indexed && inst->sub[1] < 0)) {
                read_reg(r, inst->unit[inst->main[1]].dest + (addr != NULL ? addr->base : 0), indexed);
            }
        }
    }
    if (inst->process >= 0 && inst->unit[inst->process].kind == ISA_UNIT_MEM) {
        const struct isa_unit *mem = &inst->unit[inst->process];
        if (!mem->option) {
            read_reg(r, mem->src.reg, false);
        }
        if (mem->op == ISA_MEM_ST || mem->op == ISA_MEM_FADD) {
            read_reg(r, mem->dest, false);
        }
    }
}

static unsigned results_of(const struct isa_inst *inst) {
    unsigned n = 0;
    for (unsigned phase = 0; phase < 2; phase++) {
        n += inst->main[phase] >= 0 && inst->unit[inst->main[phase]].mask != 0;
    }
    if (inst->process >= 0 && inst->unit[inst->process].kind == ISA_UNIT_MEM) {
        n += inst->unit[inst->process].op != ISA_MEM_ST;
    }
    return n;
}

/* Two fetch-and-adds on the scratch counter: the second needs to know how many lanes took part in the first. */
static bool counts_twice(const struct isa_inst *inst) {
    unsigned n = 0;
    for (int i = 0; i < inst->units; i++) {
        const struct isa_unit *u = &inst->unit[i];
        n += (u->kind == ISA_UNIT_MAIN || u->kind == ISA_UNIT_SUB) && u->op == ISA_OP_MVS &&
             u->src.reg == ISA_STATUS_SCRATCH && isa_unit_mask(inst, i) != 0;
    }
    return n > 1;
}

struct isa_ports isa_inst_ports(const struct isa_inst *inst) {
    struct reads r = {.count = 0};
    struct isa_ports p;
    read_early(&r, inst);
    p.early = (uint8_t)r.count;
    read_late(&r, inst);
    p.late = (uint8_t)(r.count - p.early);
    p.results = (uint8_t)results_of(inst);
    p.slots = (uint8_t)(1 + (p.late > 2 || r.count > 4 || counts_twice(inst)) + (p.results > 2));
    return p;
}

uint32_t isa_code_slots(const uint32_t *words, uint32_t count) {
    uint32_t slots = 0;
    for (uint32_t pc = 0; pc < count;) {
        struct isa_inst inst;
        struct isa_fault fault;
        unsigned units = isa_decode_inst(words, count, pc, &inst, &fault);
        if (units == 0) {
            break;
        }
        slots += isa_inst_ports(&inst).slots;
        pc += units;
    }
    return slots;
}
