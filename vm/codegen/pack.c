/* SPDX-License-Identifier: MIT */
/*
 * Units. An operation becomes a Main, perhaps a Sub that supplies its second source, a process unit
 * and coordinate units; an instruction under construction takes further operations into its free
 * phases, or as the Sub of a Main that writes the same register. Whether the result is legal is
 * asked of isa_check_meaning and nowhere stated here; this file only proposes.
 */
#include "vm/codegen/cg_internal.h"

#include <string.h>

#include "vm/isa/rules.h"
#include "vm/isa/word.h"

static void add_coord(struct cg_work *work, const struct isa_unit *unit) {
    if (work->coords < 2) {
        work->coord[work->coords++] = *unit;
    }
}

static void add_address(struct cg_work *work, enum isa_addr_target target, uint32_t base,
                        bool indexed, uint32_t index, unsigned comp) {
    struct isa_unit unit;
    memset(&unit, 0, sizeof unit);
    unit.kind = ISA_UNIT_ADDR;
    unit.target = (uint8_t)target;
    unit.base = (int16_t)base;
    unit.indexed = indexed;
    if (indexed) {
        unit.src.reg = (uint8_t)index;
        unit.src.sel[0] = (uint8_t)comp;
    }
    add_coord(work, &unit);
}

/* Fills a unit's source; what a 5-bit field does not reach goes through ADDR. */
static void set_source(struct cg_work *work, struct isa_unit *unit, const struct cg_src *src,
                       enum isa_addr_target slot) {
    unit->src.file = src->file == CG_FILE_GLOBAL ? ISA_FILE_GLOBAL : ISA_FILE_GPR;
    unit->src.negate = src->neg;
    memcpy(unit->src.sel, src->sel, sizeof unit->src.sel);
    if (src->indexed || src->reg >= ISA_DIRECT) {
        add_address(work, slot, src->reg, src->indexed, src->index, src->index_comp);
    } else {
        unit->src.reg = (uint8_t)src->reg;
    }
}

static void set_predicate(struct cg_work *work, const struct cg_op *op, unsigned mask,
                          bool process_only) {
    struct isa_unit unit;
    memset(&unit, 0, sizeof unit);
    unit.kind = ISA_UNIT_PRED;
    unit.mask = (uint8_t)mask;
    unit.sl = process_only;
    unit.cond = op->cond;
    unit.src.file = op->pred.file == CG_FILE_GLOBAL ? ISA_FILE_GLOBAL : ISA_FILE_GPR;
    unit.src.reg = (uint8_t)op->pred.reg;
    memcpy(unit.src.sel, op->pred.sel, sizeof unit.src.sel);
    add_coord(work, &unit);
}

static void pack_arith(const struct cg *cg, const struct cg_op *op, struct cg_work *work) {
    struct cg_group group;
    memset(&group, 0, sizeof group);
    group.has_main = true;
    group.line = group.sub_line = op->line;
    group.main.kind = ISA_UNIT_MAIN;
    group.main.op = op->op;
    group.main.mask = op->mask;
    group.main.saturate = op->saturate;
    if (op->pred.file != CG_FILE_NONE) {
        set_predicate(work, op, op->mask, false);
    }
    if (op->xop != ISA_XOP_OWN || cg_is_typed(op)) {
        struct isa_unit type;
        memset(&type, 0, sizeof type);
        type.kind = ISA_UNIT_TYPE;
        type.dtype = op->dtype;
        type.stype = op->stype;
        type.xop = op->xop;
        add_coord(work, &type);
    }
    if (op->dest_indexed || op->dest >= ISA_DIRECT) {
        add_address(work, ISA_ADDR_DEST, op->dest, op->dest_indexed, op->dest_index,
                    op->dest_index_comp);
    } else {
        group.main.dest = (uint8_t)op->dest;
    }
    set_source(work, &group.main, &op->src[0], ISA_ADDR_SLOT0);
    if (op->src_count == 2 && !op->tied) {
        uint16_t half;
        group.has_sub = true;
        group.sub.kind = ISA_UNIT_SUB;
        group.sub.op = ISA_OP_MOV;
        if (op->src[1].reg >= ISA_DIRECT && !cg_is_typed(op) && cg_immediate(cg, &op->src[1], op->mask, &half)) {
            group.sub.has_imm = true;
            group.sub.imm16 = half;
        } else {
            set_source(work, &group.sub, &op->src[1], ISA_ADDR_SLOT1);
        }
    }
    work->arith[work->coords ? 1 : 0] = group;
}

static void pack_texture(const struct cg_op *op, struct cg_work *work) {
    struct isa_unit *mem = &work->process;
    memset(mem, 0, sizeof *mem);
    mem->kind = ISA_UNIT_MEM;
    mem->op = op->op;
    mem->dest = (uint8_t)op->dest;
    mem->mask = op->mask;
    mem->src.reg = (uint8_t)op->src[0].reg;
    mem->offset = op->sampler;
    work->has_process = true;
    work->process_line = op->line;
    if (op->op == ISA_MEM_TXD) {
        /* dx is phase 0's slot 0; dy its slot 1, which without a Sub is the DEST register. */
        struct cg_group *group = &work->arith[0];
        memset(group, 0, sizeof *group);
        group->has_main = true;
        group->line = op->line;
        group->main.kind = ISA_UNIT_MAIN;
        group->main.op = ISA_OP_MOV;
        group->main.dest = (uint8_t)op->src[2].reg;
        set_source(work, &group->main, &op->src[1], ISA_ADDR_SLOT0);
    }
    if (cg_is_typed(op)) {
        struct isa_unit type;
        memset(&type, 0, sizeof type);
        type.kind = ISA_UNIT_TYPE;
        type.dtype = op->dtype;
        type.stype = op->stype;
        add_coord(work, &type);
    }
    if (op->sampler_indexed) {
        add_address(work, ISA_ADDR_PROCESS, 0, true, op->src[3].reg, op->src[3].sel[0]);
    }
}

static void pack_control(const struct cg_op *op, struct cg_work *work) {
    static const uint8_t codes[] = {[CG_KILL] = ISA_BRC_KIL,
                                    [CG_JUMP] = ISA_BRC_BL,
                                    [CG_BRANCH] = ISA_BRC_BL,
                                    [CG_END] = ISA_BRC_END};
    memset(&work->process, 0, sizeof work->process);
    work->process.kind = ISA_UNIT_BRC;
    work->process.op = codes[op->kind];
    work->has_process = true;
    work->process_line = op->line;
    work->target = op->target;
    if (op->pred.file != CG_FILE_NONE) {
        set_predicate(work, op, 15, true);
    }
}

void cg_pack_copy(struct cg_work *to, const struct cg_work *from) {
    for (unsigned phase = 0; phase < 2; phase++) {
        if (from->arith[phase].has_main) {
            to->arith[phase] = from->arith[phase];
        } else {
            to->arith[phase].has_main = to->arith[phase].has_sub = false;
        }
    }
    for (unsigned i = 0; i < from->coords; i++) {
        to->coord[i] = from->coord[i];
    }
    if (from->has_process) {
        to->process = from->process;
    }
    to->coords = from->coords;
    to->has_process = from->has_process;
    to->coord_line = from->coord_line;
    to->process_line = from->process_line;
    to->target = from->target;
    to->operations = from->operations;
}

void cg_pack_op(const struct cg *cg, const struct cg_op *op, struct cg_work *work) {
    /* Only what says which units there are: most have few. */
    for (unsigned phase = 0; phase < 2; phase++) {
        work->arith[phase].has_main = work->arith[phase].has_sub = false;
    }
    work->coords = 0;
    work->has_process = false;
    work->process_line = 0;
    work->target = CG_NONE;
    work->coord_line = op->line;
    work->operations = 1;
    switch (op->kind) {
    case CG_ARITH: pack_arith(cg, op, work); break;
    case CG_TEX: pack_texture(op, work); break;
    default: pack_control(op, work); break;
    }
}

/* ---- joining
 * -------------------------------------------------------------------------------------- */

static unsigned group_units(const struct cg_group *group) {
    return (unsigned)group->has_main + group->has_sub;
}

void cg_pack_finish(const struct cg_work *work, struct isa_inst *inst, uint32_t line[4]) {
    unsigned n = 0;
    for (unsigned i = 0; i < work->coords && n < 4; i++) {
        line[n] = work->coord_line;
        inst->unit[n++] = work->coord[i];
    }
    for (unsigned phase = 0; phase < 2; phase++) {
        const struct cg_group *group = &work->arith[phase];
        if (group->has_main && n < 4) {
            inst->unit[n] = group->main;
            inst->unit[n].phase = (uint8_t)phase;
            line[n++] = group->line;
        }
        if (group->has_sub && n < 4) {
            inst->unit[n] = group->sub;
            inst->unit[n].phase = (uint8_t)phase;
            line[n++] = group->sub_line;
        }
    }
    if (work->has_process && n < 4) {
        inst->unit[n] = work->process;
        inst->unit[n].phase = 1;
        line[n++] = work->process_line;
    }
    inst->units = (uint8_t)n;
    isa_index_inst(inst);
}

static bool fits(const struct cg_work *work) {
    unsigned phase0 = work->coords + group_units(&work->arith[0]);
    unsigned phase1 = group_units(&work->arith[1]) + work->has_process;
    return phase0 <= 2 && phase1 <= 2;
}

static bool is_legal(const struct cg_work *work) {
    struct isa_inst inst;
    struct isa_fault fault;
    uint32_t line[4];
    if (!fits(work)) {
        return false;
    }
    cg_pack_finish(work, &inst, line); /* its shape is right by construction */
    return isa_check_meaning(&inst, &fault);
}

static bool same_source(const struct isa_unit *a, const struct isa_unit *b) {
    return !a->has_imm && !b->has_imm && a->src.reg == b->src.reg && a->src.file == b->src.file &&
           a->src.negate == b->src.negate;
}

static void copy_sel(struct isa_unit *to, const struct isa_unit *from, unsigned mask) {
    for (unsigned c = 0; c < 4; c++) {
        if (mask & 1u << c) {
            to->src.sel[c] = from->src.sel[c];
        }
    }
}

static unsigned sources(const struct isa_unit *unit) {
    return isa_op_infos[unit->op].sources;
}

/*
 * Makes 'low' the Sub of 'high', both writing components of one register: a one-operand operation
 * in a free Sub, or any operation whose sources are those that the other's units name anyway.
 */
static bool merge_as_sub(struct cg_group *high, const struct cg_group *low) {
    struct cg_group out = *high;
    if (high->main.dest != low->main.dest || high->main.mask & low->main.mask || !low->main.mask ||
        !high->main.mask) {
        return false;
    }
    bool low_is_single = sources(&low->main) == 1 && !low->has_sub;
    if (low_is_single && !high->has_sub && sources(&high->main) == 1) {
        out.sub = low->main;
    } else if (low_is_single && high->has_sub && !high->sub.mask &&
               same_source(&high->sub, &low->main)) {
        out.sub = low->main;
        copy_sel(&out.sub, &high->sub, high->main.mask);
    } else if (low->has_sub && high->has_sub && !low->sub.mask && !high->sub.mask &&
               same_source(&high->main, &low->main) &&
               (same_source(&high->sub, &low->sub) ||
                (high->sub.has_imm && low->sub.has_imm && high->sub.imm16 == low->sub.imm16))) {
        if (high->sub.has_imm && low->main.saturate) {
            return false; /* the immediate takes the bit */
        }
        out.sub = low->sub;
        out.sub.op = low->main.op;
        if (!out.sub.has_imm) {
            copy_sel(&out.sub, &high->sub, high->main.mask);
        }
        copy_sel(&out.main, &low->main, low->main.mask);
    } else {
        return false;
    }
    out.has_sub = true;
    out.sub.kind = ISA_UNIT_SUB;
    out.sub.dest = 0;
    out.sub.mask = low->main.mask;
    out.sub.saturate = low->main.saturate;
    out.main.mask |= low->main.mask;
    out.sub_line = low->line;
    *high = out;
    return true;
}

/* Puts a group in the place of a phase's if the instruction is legal then. */
static bool replace_group(struct cg_work *into, unsigned phase, const struct cg_group *group) {
    struct cg_group before = into->arith[phase];
    into->arith[phase] = *group;
    if (is_legal(into)) {
        return true;
    }
    into->arith[phase] = before;
    return false;
}

/* Adds a plain arithmetic group to a phase: alone, or merged with what is there. */
static bool try_phase(struct cg_work *into, unsigned phase, const struct cg_group *group) {
    const struct cg_group *there = &into->arith[phase];
    if (!there->has_main) {
        const unsigned others = phase ? into->has_process : into->coords;
        return group_units(group) + others <= 2 && replace_group(into, phase, group);
    }
    if ((phase == 1 && into->coords) || there->main.dest != group->main.dest) {
        return false; /* coordinate units would qualify the newcomer as well; a Sub writes the Main's register */
    }
    struct cg_group joined = *there;
    if (merge_as_sub(&joined, group) && replace_group(into, phase, &joined)) {
        return true;
    }
    joined = *group;
    return merge_as_sub(&joined, there) && replace_group(into, phase, &joined);
}

/* Coordinate units in 'work' that qualify phase 1's arithmetic, not only the process unit. */
static bool qualifies_arith(const struct cg_work *work) {
    for (unsigned i = 0; i < work->coords; i++) {
        const struct isa_unit *unit = &work->coord[i];
        if (!(unit->kind == ISA_UNIT_PRED && unit->sl) &&
            !(unit->kind == ISA_UNIT_ADDR && unit->target == ISA_ADDR_PROCESS)) {
            return true;
        }
    }
    return false;
}

static bool join_plain(struct cg_work *into, const struct cg_group *group) {
    for (unsigned phase = 0; phase < 2; phase++) {
        bool is_taken = phase == 1 && qualifies_arith(into);
        if (!is_taken && try_phase(into, phase, group)) {
            return true;
        }
    }
    return false;
}

/* May the phases of 'op', which brings coordinate or process units, join those of 'into' at all? */
static bool phases_fit(const struct cg_work *into, const struct cg_work *op) {
    unsigned mains = into->arith[0].has_main + into->arith[1].has_main + op->arith[0].has_main + op->arith[1].has_main;
    if ((op->has_process && into->has_process) || op->coords + into->coords > 2 || mains > 2) {
        return false;
    }
    if (into->arith[1].has_main && qualifies_arith(into) && (op->arith[1].has_main || op->has_process)) {
        return false; /* its coordinate units would reach the newcomer too */
    }
    if (into->arith[1].has_main && op->has_process && qualifies_arith(op)) {
        return false; /* a TYPE that is meant for the memory unit would qualify the Main */
    }
    return !(op->arith[1].has_main && into->has_process && op->coords && qualifies_arith(op));
}

static bool join_whole(struct cg_work *into, const struct cg_work *op) {
    if (!phases_fit(into, op)) {
        return false;
    }
    struct cg_work trial;
    cg_pack_copy(&trial, into);
    if (op->arith[1].has_main) {
        if (trial.arith[1].has_main) {
            trial.arith[0] = trial.arith[1]; /* a plain occupant may move to phase 0 */
        }
        trial.arith[1] = op->arith[1];
    }
    if (op->arith[0].has_main) {
        if (trial.arith[0].has_main) {
            trial.arith[1] = trial.arith[0];
        }
        trial.arith[0] = op->arith[0];
    }
    for (unsigned i = 0; i < op->coords; i++) {
        trial.coord[trial.coords++] = op->coord[i];
    }
    if (op->coords) {
        trial.coord_line = op->coord_line;
    }
    if (op->has_process) {
        trial.process = op->process;
        trial.has_process = true;
        trial.process_line = op->process_line;
        trial.target = op->target;
    }
    if (!is_legal(&trial)) {
        return false;
    }
    cg_pack_copy(into, &trial);
    return true;
}

bool cg_pack_merge(struct cg_work *into, const struct cg_work *op) {
    bool is_plain = !op->coords && !op->has_process;
    bool joined = is_plain ? join_plain(into, &op->arith[0]) : join_whole(into, op);
    if (joined) {
        into->operations++;
    }
    return joined;
}

/*
 * In the fixed format both operations carry three registers, predicate and indices of their own, so
 * only the core's units can collide: asked by putting the bare operations into the two phases.
 */
bool cg_pack_merge_fixed(struct cg_work *into, const struct cg_work *op) {
    if (into->operations >= 2 || (into->has_process && op->has_process)) {
        return false;
    }
    struct cg_work trial;
    memset(&trial, 0, sizeof trial);
    const struct cg_work *both[2] = {into, op};
    for (unsigned i = 0; i < 2; i++) {
        const struct cg_group *group =
            both[i]->arith[0].has_main ? &both[i]->arith[0] : &both[i]->arith[1];
        if (both[i]->has_process || !group->has_main) {
            continue;
        }
        trial.arith[i].has_main = true;
        trial.arith[i].main = group->main;
        trial.arith[i].main.dest =
            (uint8_t)i; /* no double write: the scheduler keeps those apart */
    }
    if (!is_legal(&trial) && trial.arith[0].has_main && trial.arith[1].has_main) {
        return false;
    }
    if (!into->arith[1].has_main && op->arith[0].has_main) {
        into->arith[1] = op->arith[0];
    } else if (op->arith[1].has_main && !into->arith[1].has_main) {
        into->arith[1] = op->arith[1];
    }
    into->has_process |= op->has_process;
    into->operations++;
    return true;
}
