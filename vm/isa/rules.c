/* SPDX-License-Identifier: MIT */
/* Legality of one instruction: one function a rule, called in the order of the table at the end.
 * In: an indexed struct isa_inst (isa_index_inst). Out: the first broken rule. Pure. */
#include "vm/isa/rules.h"

#include <stddef.h>

const char *isa_rule_text(unsigned rule) {
    switch (rule) {
#define VLIW_RULE(id, number, text) case number: return text;
#include "vm/isa/rules.def"
#undef VLIW_RULE
    default: return "unknown rule";
    }
}

/* Notes the place; the driver adds rule and text. */
static bool fail(struct isa_fault *fault, int unit, int other) {
    fault->unit = (uint8_t)unit;
    fault->other = (int8_t)other;
    return false;
}

static bool is_coord(const struct isa_unit *u) {
    return u->kind == ISA_UNIT_PRED || u->kind == ISA_UNIT_ADDR || u->kind == ISA_UNIT_TYPE;
}
static bool is_process(const struct isa_unit *u) {
    return u->kind == ISA_UNIT_BRC || u->kind == ISA_UNIT_MEM;
}
static bool is_arith(const struct isa_unit *u) {
    return u->kind == ISA_UNIT_MAIN || u->kind == ISA_UNIT_SUB;
}

/* Unit at a role's index, or NULL. */
static const struct isa_unit *at(const struct isa_inst *inst, int index) {
    return index >= 0 ? &inst->unit[index] : NULL;
}

/* Operands that the unit's operation reads, with XOP considered. */
static unsigned sources_of(const struct isa_inst *inst, int unit) {
    unsigned xop = isa_unit_xop(inst, unit);
    return xop != ISA_XOP_OWN ? isa_xop_infos[xop].sources
                              : isa_op_infos[inst->unit[unit].op].sources;
}

/* ---- Units and their order ---- */

static bool rule_no_end(const struct isa_inst *inst, struct isa_fault *fault) {
    if (inst->units < 1 || inst->units > 4) {
        return fail(fault, 0, -1);
    }
    return true;
}

static bool rule_phase_order(const struct isa_inst *inst, struct isa_fault *fault) {
    for (int i = 1; i < inst->units; i++) {
        if (inst->unit[i].phase < inst->unit[i - 1].phase) {
            return fail(fault, i, i - 1);
        }
    }
    return true;
}

static bool rule_phase_units(const struct isa_inst *inst, struct isa_fault *fault) {
    unsigned in_phase[2] = {0, 0};
    for (int i = 0; i < inst->units; i++) {
        if (++in_phase[inst->unit[i].phase & 1] > 2) {
            return fail(fault, i, -1);
        }
    }
    return true;
}

static bool rule_unit_phase(const struct isa_inst *inst, struct isa_fault *fault) {
    for (int i = 0; i < inst->units; i++) {
        const struct isa_unit *u = &inst->unit[i];
        if ((is_coord(u) && u->phase != 0) || (is_process(u) && u->phase != 1)) {
            return fail(fault, i, -1);
        }
    }
    return true;
}

static bool rule_one_process(const struct isa_inst *inst, struct isa_fault *fault) {
    for (int i = 0; i < inst->units; i++) {
        if (is_process(&inst->unit[i]) && i != inst->process) {
            return fail(fault, i, inst->process);
        }
    }
    return true;
}

/* What only a hand-built struct can get wrong: words decode to Main first, Sub second, real
 * operations. */
static bool rule_decode(const struct isa_inst *inst, struct isa_fault *fault) {
    for (int i = 0; i < inst->units; i++) {
        const struct isa_unit *u = &inst->unit[i];
        unsigned phase = u->phase & 1u;
        if (u->kind > ISA_UNIT_MEM || (is_arith(u) && u->op >= ISA_OP_COUNT) || u->mask > 15) {
            return fail(fault, i, -1);
        }
        if ((u->kind == ISA_UNIT_MAIN && inst->main[phase] != i) ||
            (u->kind == ISA_UNIT_SUB &&
             (inst->sub[phase] != i || inst->main[phase] < 0 || inst->main[phase] > i))) {
            return fail(fault, i, -1);
        }
    }
    return true;
}

/* ---- Arithmetic units ---- */

static bool rule_sub_mask(const struct isa_inst *inst, struct isa_fault *fault) {
    for (int p = 0; p < 2; p++) {
        const struct isa_unit *sub = at(inst, inst->sub[p]);
        if (sub != NULL && (sub->mask & ~(unsigned)inst->unit[inst->main[p]].mask) != 0) {
            return fail(fault, inst->sub[p], inst->main[p]);
        }
    }
    return true;
}

static bool rule_empty_op(const struct isa_inst *inst, struct isa_fault *fault) {
    for (int i = 0; i < inst->units; i++) {
        const struct isa_unit *u = &inst->unit[i];
        if (is_arith(u) && isa_unit_mask(inst, i) == 0 &&
            (u->op != ISA_OP_MOV || u->saturate || isa_unit_xop(inst, i) != ISA_XOP_OWN ||
             isa_type_for(inst, i) != NULL)) {
            return fail(fault, i, -1);
        }
    }
    return true;
}

/* Statically known register that unit i writes, or -1; *mask its components. */
static int written_register(const struct isa_inst *inst, int i, unsigned *mask) {
    const struct isa_unit *u = &inst->unit[i];
    *mask = u->mask;
    if (u->kind == ISA_UNIT_MEM) {
        return u->op != ISA_MEM_ST ? u->dest : -1;
    }
    if (u->kind != ISA_UNIT_MAIN) {
        return -1;
    }
    const struct isa_unit *addr = u->phase == 1 ? isa_addr_for(inst, ISA_ADDR_DEST) : NULL;
    if (addr == NULL) {
        return u->dest;
    }
    return addr->indexed ? -1 : u->dest + addr->base;
}

static bool rule_double_write(const struct isa_inst *inst, struct isa_fault *fault) {
    int reg[4];
    unsigned mask[4];
    for (int i = 0; i < inst->units; i++) {
        reg[i] = written_register(inst, i, &mask[i]);
        for (int j = 0; j < i; j++) {
            if (reg[i] >= 0 && reg[i] == reg[j] && (mask[i] & mask[j]) != 0) {
                return fail(fault, i, j);
            }
        }
    }
    return true;
}

static bool rule_smask_phase(const struct isa_inst *inst, struct isa_fault *fault) {
    const struct isa_unit *sub = at(inst, inst->sub[0]);
    return sub == NULL || sub->smask == 0 || fail(fault, inst->sub[0], -1);
}

static bool rule_smask_source(const struct isa_inst *inst, struct isa_fault *fault) {
    const struct isa_unit *sub = at(inst, inst->sub[1]);
    return sub == NULL || sub->smask == 0 || inst->main[0] >= 0 || fail(fault, inst->sub[1], -1);
}

/* Unit of phase p that is MVS, or -1. */
static int mvs_in_phase(const struct isa_inst *inst, int p) {
    const struct isa_unit *main = at(inst, inst->main[p]), *sub = at(inst, inst->sub[p]);
    if (main != NULL && main->op == ISA_OP_MVS) {
        return inst->main[p];
    }
    return sub != NULL && sub->op == ISA_OP_MVS ? inst->sub[p] : -1;
}

static bool rule_mvs_slot(const struct isa_inst *inst, struct isa_fault *fault) {
    for (int p = 0; p < 2; p++) {
        int m = inst->main[p], s = inst->sub[p];
        if (s < 0) {
            continue;
        }
        if (inst->unit[s].op == ISA_OP_MVS && sources_of(inst, m) == 2) {
            return fail(fault, m, s);
        }
        if (inst->unit[m].op == ISA_OP_MVS && sources_of(inst, s) == 2) {
            return fail(fault, s, m);
        }
    }
    int mvs = mvs_in_phase(inst, 0);
    if (mvs < 0) {
        return true;
    }
    const struct isa_unit *sub = at(inst, inst->sub[1]), *process = at(inst, inst->process);
    if (sub != NULL && sub->smask != 0) {
        return fail(fault, inst->sub[1], mvs);
    }
    if (process != NULL && process->kind == ISA_UNIT_MEM) {
        if (process->op == ISA_MEM_TXD || (process->option && mvs == inst->main[0])) {
            return fail(fault, inst->process, mvs);
        }
    }
    return true;
}

/*
 * What component c of a slot of a phase reads, as a number that is equal for equal sources: the
 * component, 4 for an immediate, plus 8 for phase 0's sources seen from phase 1 through SMASK.
 */
static unsigned slot_component(const struct isa_inst *inst, int phase, int slot, unsigned c) {
    const struct isa_unit *sub1 = at(inst, inst->sub[1]);
    if (phase == 1 && sub1 != NULL && (sub1->smask >> c & 1u) && inst->main[0] >= 0) {
        return 8u + slot_component(inst, 0, slot, c);
    }
    const struct isa_unit *u = at(inst, slot == 0 ? inst->main[phase] : inst->sub[phase]);
    if (u == NULL) {
        return c; /* slot 1 without a Sub is the destination register, without swizzle */
    }
    return u->has_imm ? 4u : u->src.sel[c];
}

static bool rule_special_select(const struct isa_inst *inst, struct isa_fault *fault) {
    for (int i = 0; i < inst->units; i++) {
        const struct isa_unit *u = &inst->unit[i];
        if (!is_arith(u) || !isa_op_infos[u->op].special) {
            continue;
        }
        unsigned mask = isa_unit_mask(inst, i), first = UINT32_MAX;
        bool wide = isa_type_for(inst, i) != NULL;      /* special functions on other types are all f64 */
        for (unsigned c = 0; c < 4; c++) {
            if (mask >> c & 1u) {
                unsigned from = slot_component(inst, u->phase, u->kind == ISA_UNIT_SUB, c);
                from = wide ? from & ~1u : from;
                if (first != UINT32_MAX && from != first) {
                    return fail(fault, i, -1);
                }
                first = from;
            }
        }
    }
    return true;
}

/* Classes that unit i occupies on its components, a bit for each enum isa_class. */
static unsigned classes_of(const struct isa_inst *inst, int i) {
    unsigned xop = inst->coord[0] >= 0 ? isa_unit_xop(inst, i) : ISA_XOP_OWN;
    if (xop == ISA_XOP_MAD || xop == ISA_XOP_FMA || xop == ISA_XOP_LERP) {
        return 1u << ISA_CLASS_MUL | 1u << ISA_CLASS_ADD;
    }
    unsigned op_class =
        xop != ISA_XOP_OWN ? isa_xop_infos[xop].op_class : isa_op_infos[inst->unit[i].op].op_class;
    return op_class == ISA_CLASS_MOVE ? 0 : 1u << op_class;
}

#define SPECIAL_CLASSES (~0u << ISA_CLASS_RCP)

static bool check_pairs(const struct isa_inst *inst, struct isa_fault *fault, bool special) {
    unsigned classes[4];
    for (int i = 0; i < inst->units; i++) {
        classes[i] = is_arith(&inst->unit[i]) ? classes_of(inst, i) : 0;
        classes[i] &= special ? SPECIAL_CLASSES : ~SPECIAL_CLASSES;
        for (int j = 0; classes[i] && j < i; j++) {
            if ((classes[i] & classes[j]) &&
                (special || (isa_unit_mask(inst, i) & isa_unit_mask(inst, j)) != 0)) {
                return fail(fault, i, j);
            }
        }
    }
    return true;
}

static bool rule_pair_class(const struct isa_inst *inst, struct isa_fault *fault) {
    return check_pairs(inst, fault, false);
}

static bool rule_pair_special(const struct isa_inst *inst, struct isa_fault *fault) {
    return check_pairs(inst, fault, true);
}

/* ---- Coordinate units ---- */

static bool has_phase1(const struct isa_inst *inst) {
    return inst->unit[inst->units - 1].phase == 1;
}

static bool rule_pred_target(const struct isa_inst *inst, struct isa_fault *fault) {
    for (int k = 0; k < 2; k++) {
        const struct isa_unit *u = at(inst, inst->coord[k]);
        if (u != NULL && u->kind == ISA_UNIT_PRED &&
            (!has_phase1(inst) || (u->sl && inst->process < 0))) {
            return fail(fault, inst->coord[k], -1);
        }
    }
    return true;
}

static bool rule_pred_mask(const struct isa_inst *inst, struct isa_fault *fault) {
    for (int k = 0; k < 2; k++) {
        const struct isa_unit *u = at(inst, inst->coord[k]);
        if (u != NULL && u->kind == ISA_UNIT_PRED && u->mask == 0) {
            return fail(fault, inst->coord[k], -1);
        }
    }
    return true;
}

/* The file that an ADDR target lies in: -1 when the target does not exist, 2 for a process unit. */
static int addr_file(const struct isa_inst *inst, unsigned target, unsigned *reg) {
    const struct isa_unit *main = at(inst, inst->main[1]), *sub = at(inst, inst->sub[1]);
    const struct isa_unit *process = at(inst, inst->process);
    switch (target) {
    case ISA_ADDR_SLOT0:
        if (main == NULL || main->op == ISA_OP_MVS) {
            return -1;
        }
        *reg = main->src.reg;
        return main->src.file;
    case ISA_ADDR_SLOT1:
        if (sub == NULL || sub->has_imm || sub->op == ISA_OP_MVS) {
            return -1;
        }
        *reg = sub->src.reg;
        return sub->src.file;
    case ISA_ADDR_DEST:
        if (main == NULL || main->mask == 0) {
            return -1;
        }
        *reg = main->dest;
        return ISA_FILE_GPR;
    default:
        return process != NULL && (process->kind == ISA_UNIT_MEM || process->op == ISA_BRC_BL) ? 2
                                                                                               : -1;
    }
}

static bool rule_addr_target(const struct isa_inst *inst, struct isa_fault *fault) {
    for (int k = 0; k < 2; k++) {
        const struct isa_unit *u = at(inst, inst->coord[k]);
        unsigned reg;
        if (u != NULL && u->kind == ISA_UNIT_ADDR && addr_file(inst, u->target, &reg) < 0) {
            return fail(fault, inst->coord[k], -1);
        }
    }
    return true;
}

static bool rule_addr_twice(const struct isa_inst *inst, struct isa_fault *fault) {
    const struct isa_unit *a = at(inst, inst->coord[0]), *b = at(inst, inst->coord[1]);
    if (b != NULL && a->kind == ISA_UNIT_ADDR && b->kind == ISA_UNIT_ADDR &&
        a->target == b->target) {
        return fail(fault, inst->coord[1], inst->coord[0]);
    }
    return true;
}

static bool rule_addr_range(const struct isa_inst *inst, struct isa_fault *fault) {
    for (int k = 0; k < 2; k++) {
        const struct isa_unit *u = at(inst, inst->coord[k]);
        if (u == NULL || u->kind != ISA_UNIT_ADDR || u->indexed) {
            continue;
        }
        unsigned reg = 0;
        int file = addr_file(inst, u->target, &reg);
        int limit = file == ISA_FILE_GPR ? (int)ISA_GPRS : (int)ISA_GLOBALS;
        if (file != 2 && ((int)reg + u->base < 0 || (int)reg + u->base >= limit)) {
            return fail(fault, inst->coord[k], -1);
        }
    }
    return true;
}

/* Calls test on each TYPE unit with the unit that it qualifies (or -1). */
static bool each_type(const struct isa_inst *inst, struct isa_fault *fault,
                      bool (*test)(const struct isa_inst *, const struct isa_unit *, int)) {
    for (int k = 0; k < 2; k++) {
        const struct isa_unit *u = at(inst, inst->coord[k]);
        if (u != NULL && u->kind == ISA_UNIT_TYPE) {
            int target = isa_type_target(inst, u);
            if (!test(inst, u, target)) {
                return fail(fault, inst->coord[k], target);
            }
        }
    }
    return true;
}

static bool type_target_ok(const struct isa_inst *inst, const struct isa_unit *type, int target) {
    (void)inst;
    (void)type;
    return target >= 0;
}
static bool is_f32(const struct isa_unit *type) {
    return type->dtype == ISA_TYPE_F32 && type->stype == ISA_TYPE_F32;
}
/* XOPs have a rule of their own. */
static bool type_element_ok(const struct isa_inst *inst, const struct isa_unit *type, int target) {
    const struct isa_unit *u = &inst->unit[target];
    if (is_f32(type) || type->xop != ISA_XOP_OWN) {
        return true;
    }
    if (u->kind == ISA_UNIT_MEM) {
        return u->op >= ISA_MEM_TEX && type->dtype == ISA_TYPE_U8X4 && type->stype == ISA_TYPE_F32;
    }
    return isa_unit_typed(inst, target) >= 0 || isa_unit_mask(inst, target) == 0;      /* EMPTY_OP says so */
}
static bool type_rounding_ok(const struct isa_inst *inst, const struct isa_unit *type, int target) {
    (void)inst;
    (void)target;
    return type->rounding == 0;
}
static bool type_xop_ok(const struct isa_inst *inst, const struct isa_unit *type, int target) {
    (void)inst;
    (void)target;
    if (type->xop >= ISA_XOP_COUNT) {
        return false;
    }
    return is_f32(type) ? isa_xop_infos[type->xop].f32
                        : type->xop == ISA_XOP_OWN ||
                              isa_typed_of(ISA_OP_MOV, type->xop, type->dtype, type->stype) >= 0;
}
static bool type_operation_ok(const struct isa_inst *inst, const struct isa_unit *type,
                              int target) {
    const struct isa_unit *u = &inst->unit[target];
    return type->xop == ISA_XOP_OWN || (u->kind != ISA_UNIT_MEM && u->op == ISA_OP_MOV);
}

/* The own components of a unit with f64 results are pairs; a packed result is one component. */
static bool type_mask_ok(const struct isa_inst *inst, const struct isa_unit *type, int target) {
    bool is_mem = inst->unit[target].kind == ISA_UNIT_MEM;
    unsigned mask = is_mem ? inst->unit[target].mask : isa_unit_mask(inst, target);
    if (type->dtype == ISA_TYPE_F64) {
        return (mask & 5u) == (mask >> 1 & 5u);
    }
    return type->dtype != ISA_TYPE_U8X4 || type->stype != ISA_TYPE_F32 || (mask & (mask - 1u)) == 0;
}

/* Do component c of the result and, if the result is a pair, c + 1 read a pair from the slot? */
static bool reads_pair(const struct isa_inst *inst, int slot, unsigned c, bool to_pair) {
    unsigned from = slot_component(inst, 1, slot, c);
    if ((from & 7u) == 4u) {      /* an immediate */
        return !to_pair || slot_component(inst, 1, slot, c + 1) == from;
    }
    return (from & 1u) == 0 && (!to_pair || slot_component(inst, 1, slot, c + 1) == from + 1);
}

static bool type_select_ok(const struct isa_inst *inst, const struct isa_unit *type, int target) {
    if (type->stype != ISA_TYPE_F64 || inst->unit[target].kind == ISA_UNIT_MEM) {
        return true;
    }
    unsigned mask = isa_unit_mask(inst, target), sources = sources_of(inst, target);
    int own = inst->unit[target].kind == ISA_UNIT_SUB;
    bool to_pair = type->dtype == ISA_TYPE_F64;
    for (unsigned c = 0; c < 4; c += to_pair ? 2 : 1) {
        for (int slot = 0; (mask >> c & 1u) && slot < 2; slot++) {
            if ((sources == 2 || slot == own) && !reads_pair(inst, slot, c, to_pair)) {
                return false;
            }
        }
    }
    return true;
}

static bool type_saturate_ok(const struct isa_inst *inst, const struct isa_unit *type, int target) {
    bool is_float = type->dtype == ISA_TYPE_F32 || type->dtype == ISA_TYPE_F64;
    return is_float || inst->unit[target].kind == ISA_UNIT_MEM || !inst->unit[target].saturate;
}

static bool rule_type_target(const struct isa_inst *inst, struct isa_fault *fault) {
    return each_type(inst, fault, type_target_ok);
}
static bool rule_type_element(const struct isa_inst *inst, struct isa_fault *fault) {
    return each_type(inst, fault, type_element_ok);
}
static bool rule_type_rounding(const struct isa_inst *inst, struct isa_fault *fault) {
    return each_type(inst, fault, type_rounding_ok);
}
static bool rule_type_xop(const struct isa_inst *inst, struct isa_fault *fault) {
    return each_type(inst, fault, type_xop_ok);
}
static bool rule_type_operation(const struct isa_inst *inst, struct isa_fault *fault) {
    return each_type(inst, fault, type_operation_ok);
}

static bool rule_type_mask(const struct isa_inst *inst, struct isa_fault *fault) {
    return each_type(inst, fault, type_mask_ok);
}
static bool rule_type_select(const struct isa_inst *inst, struct isa_fault *fault) {
    return each_type(inst, fault, type_select_ok);
}
static bool rule_type_saturate(const struct isa_inst *inst, struct isa_fault *fault) {
    return each_type(inst, fault, type_saturate_ok);
}

static bool rule_type_twice(const struct isa_inst *inst, struct isa_fault *fault) {
    const struct isa_unit *a = at(inst, inst->coord[0]), *b = at(inst, inst->coord[1]);
    if (b != NULL && a->kind == ISA_UNIT_TYPE && b->kind == ISA_UNIT_TYPE && a->sl == b->sl) {
        return fail(fault, inst->coord[1], inst->coord[0]);
    }
    return true;
}

/* ---- Process units ---- */

static const struct isa_unit *mem_of(const struct isa_inst *inst) {
    const struct isa_unit *u = at(inst, inst->process);
    return u != NULL && u->kind == ISA_UNIT_MEM ? u : NULL;
}

/* Gradients first: a TXD with O = 1 breaks only its own rule. */
static bool rule_tex_gradients(const struct isa_inst *inst, struct isa_fault *fault) {
    const struct isa_unit *u = mem_of(inst);
    if (u != NULL && u->op == ISA_MEM_TXD && (u->option || inst->main[0] < 0)) {
        return fail(fault, inst->process, -1);
    }
    return true;
}

static bool rule_mem_option(const struct isa_inst *inst, struct isa_fault *fault) {
    const struct isa_unit *u = mem_of(inst);
    if (u != NULL && u->option && (u->src.reg != 0 || inst->main[0] < 0)) {
        return fail(fault, inst->process, -1);
    }
    return true;
}

static bool rule_mem_mask(const struct isa_inst *inst, struct isa_fault *fault) {
    const struct isa_unit *u = mem_of(inst);
    return u == NULL || u->mask != 0 || fail(fault, inst->process, -1);
}

/* ---- Drivers ---- */

/* What a rule is about: it holds in an instruction that has none of it. */
enum { HAS_COORD = 1, HAS_SUB = 2, HAS_PROCESS = 4, HAS_TYPE = 8, HAS_SPECIAL = 16, HAS_MVS = 32, ALWAYS = 64 };

struct rule_entry {
    uint16_t rule;
    uint8_t about;
    bool (*check)(const struct isa_inst *inst, struct isa_fault *fault);
};

static unsigned features(const struct isa_inst *inst) {
    unsigned has = ALWAYS;
    has |= inst->coord[0] >= 0 ? HAS_COORD : 0u;
    has |= inst->sub[0] >= 0 || inst->sub[1] >= 0 ? HAS_SUB : 0u;
    has |= inst->process >= 0 ? HAS_PROCESS : 0u;
    for (int i = 0; i < inst->units; i++) {
        const struct isa_unit *u = &inst->unit[i];
        has |= u->kind == ISA_UNIT_TYPE ? HAS_TYPE : 0u;
        if (is_arith(u)) {
            has |= isa_op_infos[u->op].special ? HAS_SPECIAL : 0u;
            has |= u->op == ISA_OP_MVS ? HAS_MVS : 0u;
        }
    }
    return has;
}

static bool found(struct isa_fault *fault, unsigned rule) {
    fault->rule = (uint16_t)rule;
    fault->text = isa_rule_text(rule);
    return false;
}

static bool no_fault(struct isa_fault *fault) {
    fault->rule = 0;
    fault->unit = 0;
    fault->other = -1;
    fault->text = "";
    return true;
}

bool isa_check_shape(const struct isa_inst *inst, struct isa_fault *fault) {
    static const struct rule_entry rules[] = {
        {ISA_RULE_NO_END, ALWAYS, rule_no_end},         {ISA_RULE_PHASE_ORDER, ALWAYS, rule_phase_order},
        {ISA_RULE_PHASE_UNITS, ALWAYS, rule_phase_units}, {ISA_RULE_UNIT_PHASE, ALWAYS, rule_unit_phase},
        {ISA_RULE_ONE_PROCESS, ALWAYS, rule_one_process}, {ISA_RULE_DECODE, ALWAYS, rule_decode},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (!rules[i].check(inst, fault)) {
            return found(fault, rules[i].rule);
        }
    }
    return no_fault(fault);
}

/* The rules of isa_check_meaning: number, what it is about, function. What exists comes before what it means: later rules
   rely on earlier ones. */
#define MEANING_RULES(X) \
    X(SUB_MASK, HAS_SUB, rule_sub_mask) \
    X(PRED_TARGET, HAS_COORD, rule_pred_target) \
    X(PRED_MASK, HAS_COORD, rule_pred_mask) \
    X(ADDR_TARGET, HAS_COORD, rule_addr_target) \
    X(ADDR_TWICE, HAS_COORD, rule_addr_twice) \
    X(ADDR_RANGE, HAS_COORD, rule_addr_range) \
    X(TYPE_TARGET, HAS_TYPE, rule_type_target) \
    X(TYPE_TWICE, HAS_TYPE, rule_type_twice) \
    X(TYPE_ELEMENT, HAS_TYPE, rule_type_element) \
    X(TYPE_ROUNDING, HAS_TYPE, rule_type_rounding) \
    X(TYPE_XOP, HAS_TYPE, rule_type_xop) \
    X(TYPE_OPERATION, HAS_TYPE, rule_type_operation) \
    X(EMPTY_OP, ALWAYS, rule_empty_op) \
    X(TYPE_MASK, HAS_TYPE, rule_type_mask) \
    X(TYPE_SATURATE, HAS_TYPE, rule_type_saturate) \
    X(SMASK_PHASE, HAS_SUB, rule_smask_phase) \
    X(SMASK_SOURCE, HAS_SUB, rule_smask_source) \
    X(TEX_GRADIENTS, HAS_PROCESS, rule_tex_gradients) \
    X(MEM_OPTION, HAS_PROCESS, rule_mem_option) \
    X(MEM_MASK, HAS_PROCESS, rule_mem_mask) \
    X(MVS_SLOT, HAS_MVS, rule_mvs_slot) \
    X(TYPE_SELECT, HAS_TYPE, rule_type_select) \
    X(DOUBLE_WRITE, ALWAYS, rule_double_write) \
    X(SPECIAL_SELECT, HAS_SPECIAL, rule_special_select) \
    X(PAIR_CLASS, ALWAYS, rule_pair_class) \
    X(PAIR_SPECIAL, ALWAYS, rule_pair_special)

enum {
#define RULE_PLACE(id, about, check) PLACE_##id,
    MEANING_RULES(RULE_PLACE)
#undef RULE_PLACE
};

/* The rules about one thing, a bit for each by its place. */
#define RULE_BIT(id, about, check, what) | ((about) == (what) ? 1u << PLACE_##id : 0u)
#define RULE_BIT_ALWAYS(id, about, check) RULE_BIT(id, about, check, ALWAYS)
#define RULE_BIT_HAS_COORD(id, about, check) RULE_BIT(id, about, check, HAS_COORD)
#define RULE_BIT_HAS_SUB(id, about, check) RULE_BIT(id, about, check, HAS_SUB)
#define RULE_BIT_HAS_PROCESS(id, about, check) RULE_BIT(id, about, check, HAS_PROCESS)
#define RULE_BIT_HAS_TYPE(id, about, check) RULE_BIT(id, about, check, HAS_TYPE)
#define RULE_BIT_HAS_SPECIAL(id, about, check) RULE_BIT(id, about, check, HAS_SPECIAL)
#define RULE_BIT_HAS_MVS(id, about, check) RULE_BIT(id, about, check, HAS_MVS)
static const struct {
    uint32_t about, rules;
} rules_about[] = {
    {ALWAYS, 0u MEANING_RULES(RULE_BIT_ALWAYS)},
    {HAS_COORD, 0u MEANING_RULES(RULE_BIT_HAS_COORD)},
    {HAS_SUB, 0u MEANING_RULES(RULE_BIT_HAS_SUB)},
    {HAS_PROCESS, 0u MEANING_RULES(RULE_BIT_HAS_PROCESS)},
    {HAS_TYPE, 0u MEANING_RULES(RULE_BIT_HAS_TYPE)},
    {HAS_SPECIAL, 0u MEANING_RULES(RULE_BIT_HAS_SPECIAL)},
    {HAS_MVS, 0u MEANING_RULES(RULE_BIT_HAS_MVS)},
};

bool isa_check_meaning(const struct isa_inst *inst, struct isa_fault *fault) {
    static const struct rule_entry rules[] = {
#define RULE_ENTRY(id, about, check) {ISA_RULE_##id, about, check},
        MEANING_RULES(RULE_ENTRY)
#undef RULE_ENTRY
    };
    const unsigned has = features(inst);
    uint32_t todo = 0;
    for (size_t i = 0; i < sizeof rules_about / sizeof rules_about[0]; i++) {
        todo |= rules_about[i].about & has ? rules_about[i].rules : 0u;
    }
    for (; todo; todo &= todo - 1u) {
        const struct rule_entry *rule = &rules[__builtin_ctz(todo)];
        if (!rule->check(inst, fault)) {
            return found(fault, rule->rule);
        }
    }
    return no_fault(fault);
}

bool isa_check_inst(const struct isa_inst *inst, struct isa_fault *fault) {
    return isa_check_shape(inst, fault) && isa_check_meaning(inst, fault);
}
