/* SPDX-License-Identifier: MIT */
/*
 * Selection of operations on words of four bytes (ir/opt_narrow.c): typed machine operations on one component.
 * Complements go into the operand that reads them, where N = 1 means 255 - v.
 */
#include "vm/codegen/cg_internal.h"

#include <string.h>

#include "vm/ir/passes.h"

struct bytes_op {
    uint8_t op, xop, type;
    bool is_commutative;
};

static const struct bytes_op bytes_ops[IR_OP_COUNT] = {
    [IR_BADD] = {ISA_OP_ADD, ISA_XOP_OWN, ISA_TYPE_U8X4, true},
    [IR_BMUL] = {ISA_OP_MUL, ISA_XOP_OWN, ISA_TYPE_U8X4, true},
    [IR_BMIN] = {ISA_OP_MIN, ISA_XOP_OWN, ISA_TYPE_U8X4, true},
    [IR_BMAX] = {ISA_OP_MAX, ISA_XOP_OWN, ISA_TYPE_U8X4, true},
    [IR_BNOT] = {ISA_OP_MOV, ISA_XOP_OWN, ISA_TYPE_U8X4, false},
    [IR_BLERP] = {ISA_OP_MOV, ISA_XOP_LERP, ISA_TYPE_U8X4, false},
    [IR_BALPHA] = {ISA_OP_MOV, ISA_XOP_ALPHA, ISA_TYPE_U8X4, false},
    [IR_WAND] = {ISA_OP_AND, ISA_XOP_OWN, ISA_TYPE_U32, true},
    [IR_WOR] = {ISA_OP_OR, ISA_XOP_OWN, ISA_TYPE_U32, true},
    [IR_WSHF] = {ISA_OP_SHF, ISA_XOP_OWN, ISA_TYPE_U32, false},
};

/* A word, its literal kept from being found as the negative of a float. */
static struct cg_src word_operand(struct cg *cg, struct ir_src src, bool is_bytes) {
    bool negated = false;
    while (is_bytes && ir_is(src.def, IR_BNOT)) {
        negated = !negated;
        src = src.def->args[0];
    }
    struct cg_src out = cg_operand(cg, src);
    if (out.file == CG_FILE_LITERAL && !cg->failed) {
        cg->literals[out.reg].is_word = true;
    }
    out.neg = negated;
    return out;
}

static struct cg_op *typed_op(struct cg *cg, uint32_t dest, unsigned op, unsigned dtype, unsigned stype) {
    struct cg_op *out = cg_new_op(cg, CG_ARITH);
    if (out) {
        out->op = (uint8_t)op;
        out->dtype = (uint8_t)dtype;
        out->stype = (uint8_t)stype;
        out->dest_file = CG_FILE_VREG;
        out->dest = dest;
        out->mask = 1;
        out->src_count = 1;
    }
    return out;
}

/* To and from four floats; unpacking names components by number. */
static void convert(struct cg *cg, struct ir_inst *inst, uint32_t dest) {
    const bool packs = inst->op == IR_TO_BYTES;
    struct cg_src src = packs ? cg_operand(cg, inst->args[0]) : word_operand(cg, inst->args[0], true);
    struct cg_op *op = typed_op(cg, dest, ISA_OP_CONV, packs ? ISA_TYPE_U8X4 : ISA_TYPE_F32,
                                packs ? ISA_TYPE_F32 : ISA_TYPE_U8X4);
    if (op) {
        op->mask = packs ? 1 : cg_value(inst)->need ? cg_value(inst)->need : 1;
        op->src[0] = src;
        cg->vregs[dest].fixed = cg->vregs[dest].fixed || !packs;
    }
}

void cg_select_bytes(struct cg *cg, struct ir_inst *inst) {
    const uint32_t dest = cg_vreg_of(cg, inst);
    if (inst->op == IR_TO_BYTES || inst->op == IR_FROM_BYTES) {
        convert(cg, inst, dest);
        return;
    }
    const struct bytes_op *bytes = &bytes_ops[inst->op];
    const unsigned count = inst->op == IR_BLERP ? 2 : inst->arg_count;
    struct cg_src src[2];
    for (unsigned a = 0; a < count; a++) {
        src[a] = word_operand(cg, inst->args[a], bytes->type == ISA_TYPE_U8X4);
    }
    if (inst->op == IR_BLERP) {
        struct cg_src last = word_operand(cg, inst->args[2], true);
        struct cg_op *move = typed_op(cg, dest, ISA_OP_MOV, last.neg ? ISA_TYPE_U8X4 : ISA_TYPE_F32,
                                      last.neg ? ISA_TYPE_U8X4 : ISA_TYPE_F32);
        if (move) {
            move->src[0] = last;
        }
    }
    struct cg_op *op = typed_op(cg, dest, bytes->op, bytes->type, bytes->type);
    if (!op) {
        return;
    }
    op->xop = bytes->xop;
    op->is_commutative = bytes->is_commutative;
    op->reads_dest = inst->op == IR_BLERP;
    op->src_count = (uint8_t)count;
    memcpy(op->src, src, count * sizeof *src);
    op->src[0].neg = op->src[0].neg != (inst->op == IR_BNOT);
}
