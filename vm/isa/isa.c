/* SPDX-License-Identifier: MIT */
/* Information tables of the instruction set, expanded from opcodes.def, xops.def and typed.def, and small
 * questions about unpacked instructions that several modules ask. No state. */
#include "vm/isa/isa.h"

#include <string.h>

const struct isa_op_info isa_op_infos[ISA_OP_COUNT] = {
#define VLIW_OP(id, mo, a, sources, class, latency, meaning) \
    {#id, mo, a, sources, ISA_CLASS_##class, latency, ISA_CLASS_##class >= ISA_CLASS_RCP, meaning},
#include "vm/isa/opcodes.def"
#undef VLIW_OP
};

const struct isa_xop_info isa_xop_infos[ISA_XOP_COUNT] = {
#define VLIW_XOP(id, number, sources, class, f32, meaning) \
    [number] = {#id, sources, ISA_CLASS_##class, f32, meaning},
#include "vm/isa/xops.def"
#undef VLIW_XOP
};

const struct isa_typed_info isa_typed_infos[ISA_TYPED_COUNT] = {
#define VLIW_TYPED(id, spelling, op, xop, dtype, stype, meaning) \
    {spelling, ISA_OP_##op, ISA_XOP_##xop, ISA_TYPE_##dtype, ISA_TYPE_##stype, meaning},
#include "vm/isa/typed.def"
#undef VLIW_TYPED
};

/* Row 2 * MO + A holds operation + 1, so that a row nobody fills means "none". */
static const uint8_t op_rows[32] = {
#define VLIW_OP(id, mo, a, sources, class, latency, meaning) [2 * (mo) + (a)] = ISA_OP_##id + 1,
#include "vm/isa/opcodes.def"
#undef VLIW_OP
};

int isa_op_from_fields(unsigned mo, unsigned a) {
    if (mo > 15 || a > 1) {
        return -1;
    }
    return (int)op_rows[2 * mo + a] - 1;
}

static const char *pick(const char *const *names, unsigned count, unsigned i) {
    return i < count ? names[i] : NULL;
}

const char *isa_brc_name(unsigned brc) {
    static const char *const names[ISA_BRC_COUNT] = {"BL", "KIL", "END", "WAIT", "WAKE", "TRAP"};
    return pick(names, ISA_BRC_COUNT, brc);
}

const char *isa_mem_name(unsigned mem) {
    static const char *const names[] = {
        [ISA_MEM_LD] = "LD",     [ISA_MEM_ST] = "ST",   [ISA_MEM_FADD] = "FADD",
        [ISA_MEM_TEX] = "TEX",   [ISA_MEM_TXB] = "TXB", [ISA_MEM_TXL] = "TXL",
        [ISA_MEM_TXD] = "TXD",   [ISA_MEM_TXP] = "TXP", [ISA_MEM_TXBP] = "TXBP",
        [ISA_MEM_TXLP] = "TXLP",
    };
    return pick(names, sizeof names / sizeof names[0], mem);
}

const char *isa_cond_name(unsigned cond) {
    static const char *const names[ISA_COND_COUNT] = {"Z", "NZ", "N", "GE", "P", "LE"};
    return pick(names, ISA_COND_COUNT, cond);
}

const char *isa_type_name(unsigned type) {
    static const char *const names[ISA_TYPE_COUNT] = {"f32", "f64", "i32", "u32", "u8x4"};
    return pick(names, ISA_TYPE_COUNT, type);
}

const char *isa_status_name(unsigned status) {
    static const char *const names[ISA_STATUS_COUNT] = {"PC", "THREAD", "SCRATCH", "CRITICAL",
                                                        "FRONT"};
    return pick(names, ISA_STATUS_COUNT, status);
}

const char *isa_unit_name(const struct isa_unit *unit) {
    const char *name = NULL;
    switch (unit->kind) {
    case ISA_UNIT_MAIN:
    case ISA_UNIT_SUB:
        if (unit->kind == ISA_UNIT_SUB && unit->mask == 0 && unit->op == ISA_OP_MOV) {
            return "-";
        }
        name = unit->op < ISA_OP_COUNT ? isa_op_infos[unit->op].name : NULL;
        break;
    case ISA_UNIT_PRED: return "PRED";
    case ISA_UNIT_ADDR: return "ADDR";
    case ISA_UNIT_TYPE: return "TYPE";
    case ISA_UNIT_BRC: name = isa_brc_name(unit->op); break;
    case ISA_UNIT_MEM: name = isa_mem_name(unit->op); break;
    default: break;
    }
    return name != NULL ? name : "?";
}

int isa_type_target(const struct isa_inst *inst, const struct isa_unit *type) {
    if (type->sl) {
        return inst->sub[1];
    }
    if (inst->main[1] >= 0) {
        return inst->main[1];
    }
    return inst->process >= 0 && inst->unit[inst->process].kind == ISA_UNIT_MEM ? inst->process
                                                                                : -1;
}

const struct isa_unit *isa_type_for(const struct isa_inst *inst, int unit) {
    for (int i = 0; i < 2; i++) {
        if (inst->coord[i] >= 0) {
            const struct isa_unit *u = &inst->unit[inst->coord[i]];
            if (u->kind == ISA_UNIT_TYPE && isa_type_target(inst, u) == unit &&
                (u->dtype != ISA_TYPE_F32 || u->stype != ISA_TYPE_F32)) {
                return u;
            }
        }
    }
    return NULL;
}

int isa_typed_of(unsigned op, unsigned xop, unsigned dtype, unsigned stype) {
    for (int i = 0; i < ISA_TYPED_COUNT; i++) {
        const struct isa_typed_info *t = &isa_typed_infos[i];
        if (t->op == op && t->xop == xop && t->dtype == dtype && t->stype == stype) {
            return i;
        }
    }
    return -1;
}

int isa_unit_typed(const struct isa_inst *inst, int unit) {
    const struct isa_unit *u = &inst->unit[unit], *type = isa_type_for(inst, unit);
    return type == NULL || u->kind > ISA_UNIT_SUB ? -1 : isa_typed_of(u->op, type->xop, type->dtype, type->stype);
}

unsigned isa_unit_xop(const struct isa_inst *inst, int unit) {
    for (int i = 0; i < 2; i++) {
        if (inst->coord[i] >= 0) {
            const struct isa_unit *u = &inst->unit[inst->coord[i]];
            if (u->kind == ISA_UNIT_TYPE && isa_type_target(inst, u) == unit) {
                return u->xop;
            }
        }
    }
    return ISA_XOP_OWN;
}

const struct isa_unit *isa_addr_for(const struct isa_inst *inst, unsigned target) {
    for (int i = 0; i < 2; i++) {
        if (inst->coord[i] >= 0) {
            const struct isa_unit *u = &inst->unit[inst->coord[i]];
            if (u->kind == ISA_UNIT_ADDR && u->target == target) {
                return u;
            }
        }
    }
    return NULL;
}

bool isa_process_predicated(const struct isa_inst *inst) {
    for (int i = 0; i < 2; i++) {
        if (inst->coord[i] >= 0 && inst->unit[inst->coord[i]].kind == ISA_UNIT_PRED) {
            return inst->process >= 0;
        }
    }
    return false;
}
