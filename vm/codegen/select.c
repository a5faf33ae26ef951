/* SPDX-License-Identifier: MIT */
/*
 * Selection: each IR instruction becomes machine operations on virtual registers. Vectors and block
 * parameters become moves into the components of one register (coalesce.c removes most of them),
 * SEL a move and a predicated operation, conditions predicates. Block parameters are copied at the
 * end of the predecessor; edges where that would be wrong have been split before.
 */
#include "vm/codegen/cg_internal.h"

#include <stdio.h>
#include <string.h>

#include "vm/base/bits.h"
#include "vm/ir/passes.h"

static struct cg_op dummy_op(void) {
    struct cg_op op;
    memset(&op, 0, sizeof op);
    return op;
}

void cg_fail(struct cg *cg, const char *text) {
    if (!cg->failed && cg->message && cg->message_size) {
        snprintf(cg->message, cg->message_size, "%s", text);
    }
    cg->failed = true;
}

struct cg_op *cg_new_op(struct cg *cg, enum cg_kind kind) {
    struct cg_op *grown =
        arena_grow(cg->arena, cg->ops, cg->op_count, &cg->op_cap, cg->op_count + 1, sizeof *grown);
    if (!grown) {
        cg_fail(cg, "out of memory");
        /* The arena handed out nothing: reuse the last operation, the compile fails anyway. */
        return cg->op_count ? &cg->ops[cg->op_count - 1] : NULL;
    }
    cg->ops = grown;
    struct cg_op *op = &cg->ops[cg->op_count++];
    *op = dummy_op();
    op->kind = (uint8_t)kind;
    op->line = cg->line;
    op->target = CG_NONE;
    return op;
}

uint32_t cg_new_vreg(struct cg *cg, unsigned comps) {
    struct cg_vreg *grown = arena_grow(cg->arena, cg->vregs, cg->vreg_count, &cg->vreg_cap,
                                       cg->vreg_count + 1, sizeof *grown);
    if (!grown) {
        cg_fail(cg, "out of memory");
        return 0;
    }
    cg->vregs = grown;
    struct cg_vreg *vreg = &cg->vregs[cg->vreg_count];
    memset(vreg, 0, sizeof *vreg);
    vreg->comps = (uint8_t)comps;
    vreg->web = cg->vreg_count;
    for (unsigned i = 0; i < 4; i++) {
        vreg->slot[i] = (uint8_t)i;
    }
    return cg->vreg_count++;
}

uint32_t cg_vreg_of(struct cg *cg, struct ir_inst *inst) {
    struct cg_value *value = cg_value(inst);
    if (value->vreg == CG_NONE) {
        value->vreg = cg_new_vreg(cg, inst->comps);
    }
    return value->vreg;
}

/* ---- operands
 * ------------------------------------------------------------------------------------- */

/* A new request for a literal register, zeroed; it is the last. NULL: no memory, and said so. */
static struct cg_literal_request *new_literal(struct cg *cg) {
    struct cg_literal_request *grown =
        arena_grow(cg->arena, cg->literals, cg->literal_count, &cg->literal_cap,
                   cg->literal_count + 1, sizeof *grown);
    if (!grown) {
        cg_fail(cg, "out of memory");
        return NULL;
    }
    cg->literals = grown;
    struct cg_literal_request *request = &cg->literals[cg->literal_count++];
    memset(request, 0, sizeof *request);
    return request;
}

static uint32_t literal_request(struct cg *cg, struct ir_src src, uint8_t sel[4]) {
    struct cg_literal_request *request = new_literal(cg);
    if (!request) {
        return 0;
    }
    for (unsigned i = 0; i < src.comps; i++) {
        uint32_t bits = bits_from_float(ir_src_const(src, i));
        unsigned k = 0;
        while (k < request->count && request->bits[k] != bits) {
            k++;
        }
        if (k == request->count) {
            request->bits[request->count++] = bits;
        }
        sel[i] = (uint8_t)k;
    }
    return cg->literal_count - 1;
}

uint32_t cg_literal_pair(struct cg *cg, uint32_t low, uint32_t high) {
    struct cg_literal_request *request = new_literal(cg);
    if (!request) {
        return 0;
    }
    request->count = 2;
    request->pair = true;
    request->bits[0] = low;
    request->bits[1] = high;
    return cg->literal_count - 1;
}

struct cg_src cg_operand(struct cg *cg, struct ir_src src) {
    struct cg_src out;
    memset(&out, 0, sizeof out);
    if (ir_src_constant(src)) {
        out.file = CG_FILE_LITERAL;
        out.reg = literal_request(cg, src, out.sel);
    } else {
        bool is_uniform = ir_is(src.def, IR_UNIFORM) && src.def->arg_count == 0;
        const unsigned first = is_uniform ? src.def->comp : 0;
        out.file = is_uniform ? CG_FILE_GLOBAL : CG_FILE_VREG;
        out.reg = is_uniform ? src.def->base : cg_vreg_of(cg, src.def);
        out.neg = src.neg;
        for (unsigned i = 0; i < 4; i++) {
            out.sel[i] = (uint8_t)(src.swz[i < src.comps ? i : 0] + first);
        }
        return out;
    }
    for (unsigned i = src.comps; i < 4; i++) {
        out.sel[i] = out.sel[0];
    }
    return out;
}

struct cg_op *cg_move(struct cg *cg, uint32_t dest, unsigned mask, struct cg_src src) {
    struct cg_op *op = cg_new_op(cg, CG_ARITH);
    if (op) {
        op->op = ISA_OP_MOV;
        op->dest_file = CG_FILE_VREG;
        op->dest = dest;
        op->mask = (uint8_t)mask;
        op->src_count = 1;
        op->src[0] = src;
    }
    return op;
}

static unsigned full_mask(unsigned comps) {
    return (1u << comps) - 1u;
}

/* The operand as a virtual register, copied if it is a literal or a uniform. */
static struct cg_src in_register(struct cg *cg, struct ir_src src) {
    struct cg_src out = cg_operand(cg, src);
    if (out.file == CG_FILE_VREG) {
        return out;
    }
    uint32_t vreg = cg_new_vreg(cg, src.comps);
    cg_move(cg, vreg, full_mask(src.comps), out);
    memset(&out, 0, sizeof out);
    out.file = CG_FILE_VREG;
    out.reg = vreg;
    for (unsigned i = 0; i < 4; i++) {
        out.sel[i] = (uint8_t)(i < src.comps ? i : 0);
    }
    return out;
}

/* Predicates read a register or a directly addressed global, without negation. */
static struct cg_src predicate(struct cg *cg, struct ir_src src) {
    if (ir_is(src.def, IR_UNIFORM) && src.def->arg_count == 0 && src.def->base < ISA_DIRECT &&
        !src.neg) {
        return cg_operand(cg, src);
    }
    struct cg_src out = in_register(cg, src);
    out.neg = false; /* cg_condition has taken the sign into account; Z and NZ do not see it */
    return out;
}

/* ---- arithmetic
 * ----------------------------------------------------------------------------------- */

struct machine_op {
    uint8_t op, xop;
    bool is_known, is_commutative;
};

static const struct machine_op machine_ops[IR_OP_COUNT] = {
    [IR_MOV] = {ISA_OP_MOV, ISA_XOP_OWN, true, false},
    [IR_ADD] = {ISA_OP_ADD, ISA_XOP_OWN, true, true},
    [IR_MUL] = {ISA_OP_MUL, ISA_XOP_OWN, true, true},
    [IR_MIN] = {ISA_OP_MIN, ISA_XOP_OWN, true, false},
    [IR_MAX] = {ISA_OP_MAX, ISA_XOP_OWN, true, false},
    [IR_RCP] = {ISA_OP_RCP, ISA_XOP_OWN, true, false},
    [IR_RSQ] = {ISA_OP_RSQ, ISA_XOP_OWN, true, false},
    [IR_FLR] = {ISA_OP_FLR, ISA_XOP_OWN, true, false},
    [IR_FRC] = {ISA_OP_FRC, ISA_XOP_OWN, true, false},
    [IR_LG2] = {ISA_OP_LG2, ISA_XOP_OWN, true, false},
    [IR_EX2] = {ISA_OP_EX2, ISA_XOP_OWN, true, false},
    [IR_SIN] = {ISA_OP_SIN, ISA_XOP_OWN, true, false},
    [IR_COS] = {ISA_OP_COS, ISA_XOP_OWN, true, false},
    [IR_SLT] = {ISA_OP_SLT, ISA_XOP_OWN, true, false},
    [IR_SGE] = {ISA_OP_SGE, ISA_XOP_OWN, true, false},
    [IR_SEQ] = {ISA_OP_SEQ, ISA_XOP_OWN, true, true},
    [IR_SNE] = {ISA_OP_SNE, ISA_XOP_OWN, true, true},
    [IR_DDX] = {ISA_OP_DDX, ISA_XOP_OWN, true, false},
    [IR_DDY] = {ISA_OP_DDY, ISA_XOP_OWN, true, false},
    [IR_DIV] = {ISA_OP_MOV, ISA_XOP_DIV, true, false},
    [IR_SQRT] = {ISA_OP_MOV, ISA_XOP_SQRT, true, false},
    [IR_TRUNC] = {ISA_OP_MOV, ISA_XOP_TRUNC, true, false},
    [IR_CEIL] = {ISA_OP_MOV, ISA_XOP_CEIL, true, false},
    [IR_ABS] = {ISA_OP_MOV, ISA_XOP_ABS, true, false},
    [IR_SSG] = {ISA_OP_MOV, ISA_XOP_SSG, true, false},
};

static struct cg_op *arithmetic(struct cg *cg, struct ir_inst *inst, uint32_t dest) {
    const struct machine_op *machine = &machine_ops[inst->op];
    struct cg_src src[2];
    for (unsigned a = 0; a < inst->arg_count && a < 2; a++) {
        src[a] = cg_operand(cg, inst->args[a]);
    }
    struct cg_op *op = cg_new_op(cg, CG_ARITH);
    if (op) {
        op->op = machine->op;
        op->xop = machine->xop;
        op->is_commutative = machine->is_commutative;
        op->dest_file = CG_FILE_VREG;
        op->dest = dest;
        op->mask = (uint8_t)full_mask(inst->comps);
        op->src_count = (uint8_t)inst->arg_count;
        memcpy(op->src, src, inst->arg_count * sizeof *src);
        op->saturate = cg_value(inst)->saturate;
    }
    return op;
}

static void select_saturate(struct cg *cg, struct ir_inst *inst) {
    struct cg_value *value = cg_value(inst);
    if (value->folded) {
        value->vreg = cg_vreg_of(cg, inst->args[0].def);
        return;
    }
    uint32_t dest = cg_vreg_of(cg, inst);
    struct cg_op *op = cg_move(cg, dest, full_mask(inst->comps), cg_operand(cg, inst->args[0]));
    if (op) {
        op->saturate = true;
    }
}

/* One move for each group of components that come from one value. */
static void gather(struct cg *cg, uint32_t dest, const struct ir_src *parts, unsigned count) {
    unsigned done = 0;
    for (unsigned first = 0; first < count; first++) {
        if (done & 1u << first) {
            continue;
        }
        struct ir_src group = parts[first];
        bool is_literal = ir_src_constant(group);
        unsigned mask = 0;
        unsigned width = 0;
        float values[4];
        uint8_t place[4];
        for (unsigned i = first; i < count; i++) {
            bool same = is_literal ? ir_src_constant(parts[i])
                                   : parts[i].def == group.def && parts[i].neg == group.neg;
            if (!(done & 1u << i) && same) {
                mask |= 1u << i;
                values[width] = is_literal ? ir_src_const(parts[i], 0) : 0.0f;
                group.swz[width] = parts[i].swz[0];
                place[width++] = (uint8_t)i;
            }
        }
        done |= mask;
        struct ir_inst literal;
        group.comps = (uint8_t)width;
        if (is_literal) {
            memset(&literal, 0, sizeof literal);
            literal.op = IR_CONST;
            memcpy(literal.imm, values, width * sizeof *values);
            group.def = &literal;
            group.neg = false;
            for (unsigned k = 0; k < width; k++) {
                group.swz[k] = (uint8_t)k;
            }
        }
        struct cg_src src = cg_operand(cg, group);
        struct cg_src spread = src;
        for (unsigned k = 0; k < width; k++) {
            spread.sel[place[k]] = src.sel[k];
        }
        for (unsigned i = 0; i < 4; i++) {
            spread.sel[i] = mask & 1u << i ? spread.sel[i] : src.sel[0];
        }
        cg_move(cg, dest, mask, spread);
    }
}

static void select_sel(struct cg *cg, struct ir_inst *inst) {
    struct cg_value *value = cg_value(inst);
    uint32_t dest = cg_vreg_of(cg, inst);
    struct ir_inst *delayed = NULL;
    unsigned late = value->predicated_else ? 2 : 1;
    struct ir_inst *candidate = inst->args[late].def;
    if (!candidate->is_param && cg_value(candidate)->delayed == inst) {
        delayed = candidate;
    }
    struct ir_src tested = inst->args[0];
    enum isa_cond test = value->predicated_else ? ISA_COND_Z : ISA_COND_NZ;
    if (cg->optimise) {
        cg_condition(inst->args[0], value->predicated_else, &tested, &test);
    }
    struct cg_src pred = predicate(cg, tested);
    cg_move(cg, dest, full_mask(inst->comps), cg_operand(cg, inst->args[3 - late]));
    struct cg_op *op =
        delayed ? arithmetic(cg, delayed, dest)
                : cg_move(cg, dest, full_mask(inst->comps), cg_operand(cg, inst->args[late]));
    if (op) {
        op->pred = pred;
        op->cond = (uint8_t)test;
    }
}

/* ---- memory and textures
 * -------------------------------------------------------------------------- */

/* ADDR has no sign: a negated index gets a register of its own. */
static struct cg_src index_operand(struct cg *cg, struct ir_src src) {
    struct cg_src index = in_register(cg, src);
    if (index.neg) {
        uint32_t copy = cg_new_vreg(cg, 1);
        cg_move(cg, copy, 1, index);
        index.neg = false;
        index.reg = copy;
        index.sel[0] = 0;
    }
    return index;
}

static void select_uniform(struct cg *cg, struct ir_inst *inst) {
    if (!inst->arg_count) {
        return; /* read where it is used */
    }
    struct cg_src index = index_operand(cg, inst->args[0]);
    struct cg_src src;
    memset(&src, 0, sizeof src);
    src.file = CG_FILE_GLOBAL;
    src.reg = inst->base;
    src.indexed = true;
    src.index = index.reg;
    src.index_comp = index.sel[0];
    for (unsigned i = 0; i < 4; i++) {
        src.sel[i] = (uint8_t)(i < inst->comps ? inst->comp + i : inst->comp);
    }
    uint8_t need = cg_value(inst)->need & (uint8_t)full_mask(inst->comps);
    cg_move(cg, cg_vreg_of(cg, inst), need ? need : 1, src);
}

static void select_load(struct cg *cg, struct ir_inst *inst) {
    struct cg_src src;
    memset(&src, 0, sizeof src);
    src.file = CG_FILE_ARRAY;
    src.reg = cg->array_first[inst->io] + inst->base;
    if (inst->arg_count) {
        struct cg_src index = index_operand(cg, inst->args[0]);
        src.indexed = true;
        src.index = index.reg;
        src.index_comp = index.sel[0];
    }
    for (unsigned i = 0; i < 4; i++) {
        src.sel[i] = (uint8_t)(i < inst->comps ? i : 0);
    }
    cg_move(cg, cg_vreg_of(cg, inst), full_mask(inst->comps), src);
}

static void select_store(struct cg *cg, struct ir_inst *inst) {
    struct cg_src src = cg_operand(cg, inst->args[0]);
    struct cg_src index = {0};
    if (inst->arg_count > 1) {
        index = index_operand(cg, inst->args[1]);
    }
    struct cg_op *op = cg_new_op(cg, CG_ARITH);
    if (!op) {
        return;
    }
    op->op = ISA_OP_MOV;
    op->dest_file = CG_FILE_ARRAY;
    op->dest = cg->array_first[inst->io] + inst->base;
    op->mask = inst->mask;
    op->src_count = 1;
    op->src[0] = src;
    unsigned next = 0;
    for (unsigned c = 0; c < 4; c++) {
        op->src[0].sel[c] = inst->mask & 1u << c ? src.sel[next++] : src.sel[0];
    }
    if (inst->arg_count > 1) {
        op->dest_indexed = true;
        op->dest_index = index.reg;
        op->dest_index_comp = index.sel[0];
    }
}

/* Builds the coordinate register: natural order, bias or level in w (z when projective, q in w). */
static uint32_t tex_coordinate(struct cg *cg, const struct ir_inst *inst, unsigned *mem,
                               unsigned *coord_mask) {
    enum { CUBE = 1, VOLUME = 2, SHADOW = 3 };
    static const uint8_t plain[4] = {ISA_MEM_TEX, ISA_MEM_TXB, ISA_MEM_TXL, ISA_MEM_TXD};
    static const uint8_t projective[4] = {ISA_MEM_TXP, ISA_MEM_TXBP, ISA_MEM_TXLP, ISA_MEM_TXD};
    const struct ir_tex *tex = &inst->tex;
    uint8_t type = cg->fn->samplers[tex->sampler];
    unsigned used = type == CUBE || type == VOLUME ? 3 : 2;
    unsigned mode = tex->mode;
    static const struct ir_inst zero = {.op = IR_CONST, .comps = 1};
    struct ir_src level = {.def = NULL};
    if (mode == IR_TEX_BIAS || mode == IR_TEX_LOD) {
        level = inst->args[1];
    } else if (mode == IR_TEX_IMPLICIT && !cg->fn->is_fragment) {
        /* SPEC: ESSL 1.00 8.7: without derivatives the base level is meant. */
        struct ir_inst *copy = arena_alloc(cg->arena, sizeof *copy);
        if (copy) {
            *copy = zero;
            level.def = copy;
            level.comps = 1;
            mode = IR_TEX_LOD;
        }
    }
    if (mode == IR_TEX_BIAS && !cg->fn->is_fragment) {
        mode = IR_TEX_LOD;
    }
    *mem = tex->projective ? projective[mode & 3] : plain[mode & 3];
    struct ir_src parts[4];
    bool has[4] = {false, false, false, false};
    struct ir_src coord = inst->args[0];
    for (unsigned i = 0; i < used && i < coord.comps; i++) {
        parts[i] = ir_comp(coord, i);
        has[i] = true;
    }
    if (tex->has_reference) {
        parts[2] = ir_comp(inst->args[inst->arg_count - 1u - tex->has_index], 0);
        has[2] = true;
    }
    if (tex->projective) {
        parts[3] = ir_comp(coord, coord.comps - 1u);
        has[3] = true;
    }
    if (level.def) {
        unsigned at = tex->projective ? 2 : 3;
        parts[at] = ir_comp(level, 0);
        has[at] = true;
    }
    uint32_t vreg = cg_new_vreg(cg, 4);
    cg->vregs[vreg].fixed = true;
    /* Gather runs of present components so that holes are not written. */
    *coord_mask = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (has[i]) {
            *coord_mask |= 1u << i;
        } else {
            parts[i] = parts[0];
        }
    }
    uint32_t start = cg->op_count;
    gather(cg, vreg, parts, 4);
    for (uint32_t k = start; k < cg->op_count; k++) {
        for (unsigned i = 0; i < 4; i++) {
            if (!has[i]) {
                cg->ops[k].mask &= (uint8_t) ~(1u << i);
            }
        }
    }
    return vreg;
}

static void select_tex(struct cg *cg, struct ir_inst *inst) {
    const struct ir_tex *tex = &inst->tex;
    unsigned mem;
    unsigned coord_mask;
    uint32_t coord = tex_coordinate(cg, inst, &mem, &coord_mask);
    struct cg_src gradients[2];
    memset(gradients, 0, sizeof gradients);
    if (tex->mode == IR_TEX_GRAD) {
        gradients[0] = in_register(cg, inst->args[1]);
        gradients[1] = in_register(cg, inst->args[2]);
    }
    struct cg_src index = {0};
    if (tex->has_index) {
        index = index_operand(cg, inst->args[inst->arg_count - 1u]);
    }
    uint32_t dest = cg_vreg_of(cg, inst);
    cg->vregs[dest].fixed = true;
    struct cg_op *op = cg_new_op(cg, CG_TEX);
    if (!op) {
        return;
    }
    op->op = (uint8_t)mem;
    op->sampler = (uint8_t)tex->sampler;
    op->sampler_indexed = tex->has_index;
    op->coord_mask = (uint8_t)coord_mask;
    op->dest_file = CG_FILE_VREG;
    op->dest = dest;
    op->mask = cg_value(inst)->need ? cg_value(inst)->need : 1;
    op->dtype = tex->bytes ? ISA_TYPE_U8X4 : ISA_TYPE_F32;
    op->src_count = 1;
    op->src[0].file = CG_FILE_VREG;
    op->src[0].reg = coord;
    for (unsigned i = 0; i < 4; i++) {
        op->src[0].sel[i] = (uint8_t)i;
    }
    op->src[1] = gradients[0];
    op->src[2] = gradients[1];
    op->src[3] = index;
}

/* ---- control
 * -------------------------------------------------------------------------------------- */

static void select_kill(struct cg *cg, const struct ir_inst *inst) {
    struct ir_src tested = inst->args[0];
    enum isa_cond test = ISA_COND_NZ;
    if (ir_src_constant(tested)) {
        if (ir_src_const(tested, 0) != 0.0f) {
            cg_new_op(cg, CG_KILL);
        }
        return;
    }
    if (cg->optimise) {
        cg_condition(inst->args[0], false, &tested, &test);
    }
    struct cg_src pred = predicate(cg, tested);
    struct cg_op *op = cg_new_op(cg, CG_KILL);
    if (op) {
        op->pred = pred;
        op->cond = (uint8_t)test;
    }
}

static void select_output(struct cg *cg, const struct ir_inst *inst) {
    struct cg_src src = cg_operand(cg, inst->args[0]);
    struct cg_src spread = src;
    unsigned next = 0;
    for (unsigned c = 0; c < 4; c++) {
        spread.sel[c] = inst->mask & 1u << c ? src.sel[next++] : src.sel[0];
    }
    cg_move(cg, cg->output_vreg[inst->io], inst->mask, spread);
}

static void select_inst(struct cg *cg, struct ir_inst *inst) {
    const struct cg_value *value = cg_value(inst);
    cg->line = inst->line;
    if ((value->folded && inst->op != IR_SAT) || value->delayed) {
        return;
    }
    switch (inst->op) {
    case IR_CONST:
    case IR_UNDEF:
    case IR_INPUT: return;
    case IR_UNIFORM: select_uniform(cg, inst); return;
    case IR_LOAD: select_load(cg, inst); return;
    case IR_STORE: select_store(cg, inst); return;
    case IR_VEC: gather(cg, cg_vreg_of(cg, inst), inst->args, inst->comps); return;
    case IR_SAT: select_saturate(cg, inst); return;
    case IR_SEL: select_sel(cg, inst); return;
    case IR_TEX: select_tex(cg, inst); return;
    case IR_KILL: select_kill(cg, inst); return;
    case IR_OUTPUT: select_output(cg, inst); return;
    default:
        if (ir_op_infos[inst->op].flags & IR_B) {
            cg_select_bytes(cg, inst);
        } else if (ir_op_infos[inst->op].flags & (IR_D | IR_T)) {
            cg_select_double(cg, inst);
        } else if (machine_ops[inst->op].is_known) {
            arithmetic(cg, inst, cg_vreg_of(cg, inst));
        } else {
            cg_fail(cg, "code generation: an operation was not lowered");
        }
        return;
    }
}

/* ---- ends of blocks
 * --------------------------------------------------------------------------------- */

static void branch_to(struct cg *cg, struct ir_src cond, bool invert, uint32_t target) {
    struct ir_src tested = cond;
    enum isa_cond test = invert ? ISA_COND_Z : ISA_COND_NZ;
    if (cg->optimise) {
        cg_condition(cond, invert, &tested, &test);
    }
    struct cg_src pred = predicate(cg, tested);
    struct cg_op *op = cg_new_op(cg, CG_BRANCH);
    if (op) {
        op->pred = pred;
        op->cond = (uint8_t)test;
        op->target = target;
    }
}

static void jump_to(struct cg *cg, const struct ir_block *from, uint32_t target) {
    if (target != from->order + 1) {
        struct cg_op *op = cg_new_op(cg, CG_JUMP);
        if (op) {
            op->target = target;
        }
    }
}

static void select_end(struct cg *cg, const struct ir_block *block) {
    cg->line = block->line;
    for (unsigned e = 0; e < ir_edge_count(block); e++) {
        if (block->edge[e].arg_count) {
            cg_edge_copies(cg, &block->edge[e]);
        }
    }
    switch (block->term) {
    case IR_TERM_JUMP: jump_to(cg, block, block->edge[0].to->order); break;
    case IR_TERM_BRANCH: {
        bool invert = block->edge[0].to->order == block->order + 1;
        branch_to(cg, block->cond, invert, block->edge[invert ? 1 : 0].to->order);
        jump_to(cg, block, block->edge[invert ? 0 : 1].to->order);
        break;
    }
    default: {
        cg_new_op(cg, CG_END);
        break;
    }
    }
}

static bool select_interface(struct cg *cg) {
    struct ir_fn *fn = cg->fn;
    cg->input_vreg = arena_array(cg->arena, fn->input_count + 1, sizeof *cg->input_vreg);
    cg->input_mask = arena_array(cg->arena, fn->input_count + 1, sizeof *cg->input_mask);
    cg->output_vreg = arena_array(cg->arena, fn->output_count + 1, sizeof *cg->output_vreg);
    cg->array_first = arena_array(cg->arena, fn->var_count + 1, sizeof *cg->array_first);
    if (!cg->input_vreg || !cg->output_vreg || !cg->array_first || !cg->input_mask) {
        return false;
    }
    for (uint32_t v = 0; v < fn->var_count; v++) {
        cg->array_first[v] = CG_NONE;
    }
    for (uint32_t i = 0; i < fn->input_count; i++) {
        cg->input_vreg[i] = CG_NONE;
    }
    for (uint32_t i = 0; i < fn->output_count; i++) {
        uint32_t vreg = cg_new_vreg(cg, fn->outputs[i].comps);
        cg->vregs[vreg].fixed = true;
        cg->output_vreg[i] = vreg;
    }
    for (uint32_t i = 0; i < fn->block_count; i++) {
        for (struct ir_inst *inst = fn->blocks[i]->first; inst; inst = inst->next) {
            if (inst->op == IR_LOAD || inst->op == IR_STORE) {
                if (cg->array_first[inst->io] == CG_NONE) {
                    cg->array_first[inst->io] = cg->array_regs;
                    cg->array_regs += fn->vars[inst->io].elements;
                    if (cg->array_regs > ISA_GPRS) {
                        cg_fail(cg, "too many array elements: dynamically indexed arrays exceed "
                                    "the register file");
                        return false;
                    }
                }
            } else if (inst->op == IR_INPUT) {
                uint32_t vreg = cg->input_vreg[inst->io];
                if (vreg == CG_NONE) {
                    vreg = cg_new_vreg(cg, fn->inputs[inst->io].comps);
                    cg->vregs[vreg].fixed = true;
                    cg->vregs[vreg].live_at_start = true;
                    cg->input_vreg[inst->io] = vreg;
                }
                cg->input_mask[inst->io] |= cg_value(inst)->need;
                cg_value(inst)->vreg = vreg;
            }
        }
    }
    return !cg->failed;
}

/* Room for about what the program needs, so that the long arrays are not copied as they grow. */
static void reserve(struct cg *cg) {
    uint32_t insts = 0;
    for (uint32_t i = 0; i < cg->fn->block_count; i++) {
        for (const struct ir_inst *inst = cg->fn->blocks[i]->first; inst; inst = inst->next) {
            insts += inst->op != IR_CONST && inst->op != IR_UNIFORM;
        }
        insts += 2;
    }
    cg->op_cap = insts + insts / 2 + 64; /* what is not used is not touched either */
    cg->vreg_cap = cg->op_cap;
    cg->literal_cap = insts / 4 + 64;
    cg->ops = arena_alloc_raw(cg->arena, cg->op_cap * sizeof *cg->ops, 16);
    cg->vregs = arena_alloc_raw(cg->arena, cg->vreg_cap * sizeof *cg->vregs, 16);
    cg->literals = arena_alloc_raw(cg->arena, cg->literal_cap * sizeof *cg->literals, 16);
    cg->op_cap = cg->ops ? cg->op_cap : 0;
    cg->vreg_cap = cg->vregs ? cg->vreg_cap : 0;
    cg->literal_cap = cg->literals ? cg->literal_cap : 0;
}

bool cg_select(struct cg *cg) {
    struct ir_fn *fn = cg->fn;
    reserve(cg);
    cg_new_vreg(cg, 4); /* number 0 is nobody's: what cg_new_vreg gives when memory is out */
    if (cg->failed) {
        return false;
    }
    cg->block_count = fn->block_count;
    cg->blocks = arena_array(cg->arena, fn->block_count, sizeof *cg->blocks);
    if (!cg->blocks || !cg_prepare_values(cg) || !select_interface(cg)) {
        return false;
    }
    for (uint32_t i = 0; i < fn->block_count && !cg->failed; i++) {
        cg->blocks[i].first = cg->op_count;
        cg->blocks[i].loop_depth = fn->blocks[i]->loop_depth;
        for (struct ir_inst *inst = fn->blocks[i]->first; inst; inst = inst->next) {
            select_inst(cg, inst);
        }
        select_end(cg, fn->blocks[i]);
        cg->blocks[i].end = cg->op_count;
    }
    return !cg->failed && !cg->arena->failed;
}
