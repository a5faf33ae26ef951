/* SPDX-License-Identifier: MIT */
/*
 * Selection of operations on doubles: typed machine operations whose operands are aligned pairs of components.
 * A virtual register that such an operation reads or writes is marked (cg_vreg.pairs), and coalescing and
 * allocation keep its pairs together; an operand that is no pair of its register is copied to one that is.
 */
#include "vm/codegen/cg_internal.h"

#include <string.h>

#include "vm/base/bits.h"
#include "vm/ir/passes.h"

struct typed_op {
    uint8_t op, xop;
    bool is_commutative;
};

static const struct typed_op typed_ops[IR_OP_COUNT] = {
    [IR_DNEG] = {ISA_OP_MOV, ISA_XOP_OWN, false},    [IR_DABS] = {ISA_OP_MOV, ISA_XOP_ABS, false},
    [IR_DADD] = {ISA_OP_ADD, ISA_XOP_OWN, true},     [IR_DMUL] = {ISA_OP_MUL, ISA_XOP_OWN, true},
    [IR_DDIV] = {ISA_OP_MOV, ISA_XOP_DIV, false},    [IR_DMIN] = {ISA_OP_MIN, ISA_XOP_OWN, false},
    [IR_DMAX] = {ISA_OP_MAX, ISA_XOP_OWN, false},    [IR_DFMA] = {ISA_OP_MOV, ISA_XOP_FMA, false},
    [IR_DSQRT] = {ISA_OP_MOV, ISA_XOP_SQRT, false},  [IR_DRSQ] = {ISA_OP_RSQ, ISA_XOP_OWN, false},
    [IR_DFLR] = {ISA_OP_FLR, ISA_XOP_OWN, false},    [IR_DFRC] = {ISA_OP_FRC, ISA_XOP_OWN, false},
    [IR_DTRUNC] = {ISA_OP_MOV, ISA_XOP_TRUNC, false}, [IR_DCEIL] = {ISA_OP_MOV, ISA_XOP_CEIL, false},
    [IR_DSSG] = {ISA_OP_MOV, ISA_XOP_SSG, false},    [IR_DSLT] = {ISA_OP_SLT, ISA_XOP_OWN, false},
    [IR_DSGE] = {ISA_OP_SGE, ISA_XOP_OWN, false},    [IR_DSEQ] = {ISA_OP_SEQ, ISA_XOP_OWN, true},
    [IR_DSNE] = {ISA_OP_SNE, ISA_XOP_OWN, true},     [IR_F2D] = {ISA_OP_CONV, ISA_XOP_OWN, false},
    [IR_D2F] = {ISA_OP_CONV, ISA_XOP_OWN, false},
};

static struct cg_src pair_of(uint32_t vreg) {
    struct cg_src src;
    memset(&src, 0, sizeof src);
    src.file = CG_FILE_VREG;
    src.reg = vreg;
    src.sel[1] = src.sel[3] = 1;
    return src;
}

static uint32_t pair_register(struct cg *cg) {
    uint32_t vreg = cg_new_vreg(cg, 2);
    if (!cg->failed) {
        cg->vregs[vreg].pairs = 1;
    }
    return vreg;
}

static struct cg_src pair_literal(struct cg *cg, struct ir_src src) {
    struct cg_src out;
    memset(&out, 0, sizeof out);
    out.file = CG_FILE_LITERAL;
    out.reg = cg_literal_pair(cg, bits_from_float(ir_src_const(src, 0)), bits_from_float(ir_src_const(src, 1)));
    out.sel[1] = out.sel[3] = 1;
    return out;
}

/* The operand as an aligned pair; negations of doubles are taken into it. */
static struct cg_src pair_operand(struct cg *cg, struct ir_src src) {
    bool negated = false;
    while (ir_is(src.def, IR_DNEG) && src.swz[0] == 0 && src.swz[1] == 1 && !src.neg) {
        negated = !negated;
        src = src.def->args[0];
    }
    struct cg_src out;
    if (ir_src_constant(src)) {
        out = pair_literal(cg, src);
    } else {
        out = cg_operand(cg, src);
        bool aligned = !out.neg && (out.sel[0] & 1u) == 0 && out.sel[1] == out.sel[0] + 1;
        if (aligned && out.file == CG_FILE_VREG) {
            cg->vregs[out.reg].pairs |= (uint8_t)(1u << out.sel[0] / 2u);
        } else if (!aligned) {
            uint32_t vreg = pair_register(cg);
            cg_move(cg, vreg, 3, out);
            out = pair_of(vreg);
        }
        out.sel[2] = out.sel[0];
        out.sel[3] = out.sel[1];
    }
    out.neg = negated;
    return out;
}

/* dest = src as doubles. */
static void pair_move(struct cg *cg, uint32_t dest, struct cg_src src) {
    struct cg_op *op = cg_move(cg, dest, 3, src);
    if (op && src.neg) {
        op->dtype = op->stype = ISA_TYPE_F64;
    }
}

void cg_select_double(struct cg *cg, struct ir_inst *inst) {
    const struct typed_op *typed = &typed_ops[inst->op];
    unsigned flags = ir_op_infos[inst->op].flags, count = inst->op == IR_DFMA ? 2 : inst->arg_count;
    struct cg_src src[2];
    uint32_t dest = cg_vreg_of(cg, inst);
    if (flags & IR_T) {
        cg->vregs[dest].pairs |= 1;
    }
    for (unsigned a = 0; a < count; a++) {
        src[a] = flags & IR_D ? pair_operand(cg, inst->args[a]) : cg_operand(cg, inst->args[a]);
    }
    if (inst->op == IR_DFMA) {
        pair_move(cg, dest, pair_operand(cg, inst->args[2]));
    }
    struct cg_op *op = cg_new_op(cg, CG_ARITH);
    if (!op) {
        return;
    }
    op->op = typed->op;
    op->xop = typed->xop;
    op->dtype = flags & IR_T ? ISA_TYPE_F64 : ISA_TYPE_F32;
    op->stype = flags & IR_D ? ISA_TYPE_F64 : ISA_TYPE_F32;
    op->is_commutative = typed->is_commutative;
    op->reads_dest = inst->op == IR_DFMA;
    op->dest_file = CG_FILE_VREG;
    op->dest = dest;
    op->mask = flags & IR_T ? 3 : 1;
    op->src_count = (uint8_t)count;
    memcpy(op->src, src, count * sizeof *src);
    op->src[0].neg = op->src[0].neg != (inst->op == IR_DNEG);
}
