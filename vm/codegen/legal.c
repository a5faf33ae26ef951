/* SPDX-License-Identifier: MIT */
/*
 * Coordinate units are few: an instruction has two, and PRED, TYPE and each ADDR take one. Before
 * allocation an operation that would need more gets operands copied to registers; after it, when
 * webs were spilled beyond the direct registers, through the scratch registers that were kept free.
 */
#include "vm/codegen/cg_internal.h"

#include <string.h>

#include "vm/base/bits.h"

/* binary16 of a float that has one exactly (normal numbers and zero), else false. */
static bool half_of(uint32_t bits, uint16_t *half) {
    uint32_t sign = bits >> 16 & 0x8000u;
    int32_t exponent = (int32_t)(bits >> 23 & 255u) - 127;
    uint32_t mantissa = bits & 0x7FFFFFu;
    if ((bits & 0x7FFFFFFFu) == 0) {
        *half = (uint16_t)sign;
        return true;
    }
    if (exponent < -14 || exponent > 15 || mantissa & 0x1FFFu) {
        return false;
    }
    *half = (uint16_t)(sign | (uint32_t)(exponent + 15) << 10 | mantissa >> 13);
    return true;
}

bool cg_immediate(const struct cg *cg, const struct cg_src *src, unsigned mask, uint16_t *half) {
    if (src->file != CG_FILE_GLOBAL || src->indexed || src->reg < cg->fn->uniform_regs) {
        return false;
    }
    const uint32_t *values = cg->pool[src->reg - cg->fn->uniform_regs];
    uint32_t bits = 0;
    bool has = false;
    for (unsigned c = 0; c < 4; c++) {
        if (mask & 1u << c) {
            if (has && values[src->sel[c]] != bits) {
                return false;
            }
            bits = values[src->sel[c]];
            has = true;
        }
    }
    return has && half_of(src->neg ? bits ^ 0x80000000u : bits, half);
}

static bool is_far(const struct cg_src *src) {
    switch (src->file) {
    case CG_FILE_ARRAY: return true;
    case CG_FILE_GLOBAL:
    case CG_FILE_GPR: return src->indexed || src->reg >= ISA_DIRECT;
    default: return false;
    }
}

static bool dest_is_far(const struct cg_op *op) {
    return op->dest_file == CG_FILE_ARRAY ||
           (op->dest_file == CG_FILE_GPR && (op->dest_indexed || op->dest >= ISA_DIRECT));
}

static unsigned coordinates(const struct cg *cg, const struct cg_op *op) {
    uint16_t half;
    unsigned count = (op->pred.file != CG_FILE_NONE) + (op->xop != ISA_XOP_OWN || cg_is_typed(op)) + dest_is_far(op);
    unsigned own = op->tied ? 1 : op->src_count; /* a tied slot 1 moves with DEST */
    for (unsigned s = 0; s < own; s++) {
        count += is_far(&op->src[s]) && !(s == 1 && !cg_is_typed(op) && cg_immediate(cg, &op->src[s], op->mask, &half));
    }
    return count;
}

/* ---- before allocation
 * ---------------------------------------------------------------------------- */

static bool copy_source(struct cg *cg, struct cg_op *op, unsigned s) {
    uint32_t vreg = cg_new_vreg(cg, 4);
    struct cg_op *move = cg_new_op(cg, CG_ARITH);
    if (cg->failed || !move) {
        return false;
    }
    move->op = ISA_OP_MOV;
    move->dest_file = CG_FILE_VREG;
    move->dest = vreg;
    move->mask = op->mask;
    move->src_count = 1;
    move->src[0] = op->src[s];
    move->line = op->line;
    memset(&op->src[s], 0, sizeof op->src[s]);
    op->src[s].file = CG_FILE_VREG;
    op->src[s].reg = vreg;
    if (op->stype == ISA_TYPE_F64) {      /* one double, whatever the result is */
        move->mask = 3;
        move->src[0].sel[1] = (uint8_t)(move->src[0].sel[0] + 1);
        move->dtype = move->stype = move->src[0].neg ? ISA_TYPE_F64 : ISA_TYPE_F32;
        cg->vregs[vreg].pairs = 1;
        op->src[s].sel[1] = op->src[s].sel[3] = op->dtype == ISA_TYPE_F64;
        return true;
    }
    if (cg_is_typed(op)) { /* the move copies bits: the sign stays with the operation that knows what it means */
        op->src[s].neg = move->src[0].neg;
        move->src[0].neg = false;
    }
    move->mask = cg_packs(op) ? 15 : op->mask;
    unsigned first = bits_ctz32(move->mask);
    for (unsigned c = 0; c < 4; c++) {
        op->src[s].sel[c] = (uint8_t)(move->mask & 1u << c ? c : first);
    }
    return true;
}

static bool needs_work(const struct cg *cg) {
    for (uint32_t i = 0; i < cg->op_count; i++) {
        if (cg->ops[i].kind == CG_ARITH && coordinates(cg, &cg->ops[i]) > 2) {
            return true;
        }
    }
    return false;
}

bool cg_legalise(struct cg *cg) {
    if (!needs_work(cg)) {
        return true;
    }
    struct cg_op *old = cg->ops;
    cg->ops = NULL;
    cg->op_count = 0;
    cg->op_cap = 0;
    for (uint32_t b = 0; b < cg->block_count; b++) {
        uint32_t first = cg->op_count;
        for (uint32_t i = cg->blocks[b].first; i < cg->blocks[b].end; i++) {
            struct cg_op op = old[i];
            for (unsigned s = 0;
                 op.kind == CG_ARITH && s < op.src_count && coordinates(cg, &op) > 2; s++) {
                if (is_far(&op.src[s]) && !copy_source(cg, &op, s)) {
                    return false;
                }
            }
            struct cg_op *slot = cg_new_op(cg, CG_ARITH);
            if (cg->failed || !slot) {
                return false;
            }
            *slot = op;
        }
        cg->blocks[b].first = first;
        cg->blocks[b].end = cg->op_count;
    }
    return true;
}

/* ---- after allocation
 * ----------------------------------------------------------------------------- */

/* Scratch registers by purpose; one operation is expanded at a time. */
enum { SCRATCH_SRC = CG_SCRATCH, SCRATCH_PRED = CG_SCRATCH + 2, SCRATCH_DEST = CG_SCRATCH + 3 };

static bool emit_move(struct cg *cg, const struct cg_op *model, uint32_t dest, unsigned mask,
                      struct cg_src src) {
    struct cg_op *move = cg_new_op(cg, CG_ARITH);
    if (!move || cg->failed) {
        return false;
    }
    move->op = ISA_OP_MOV;
    move->dest_file = CG_FILE_GPR;
    move->dest = dest;
    move->mask = (uint8_t)mask;
    move->src_count = 1;
    move->src[0] = src;
    move->line = model->line;
    return true;
}

static struct cg_src whole(uint32_t reg) {
    struct cg_src src;
    memset(&src, 0, sizeof src);
    src.file = CG_FILE_GPR;
    src.reg = reg;
    for (unsigned c = 0; c < 4; c++) {
        src.sel[c] = (uint8_t)c;
    }
    return src;
}

/* Loads the components that a selector reads into a scratch register, in their places. */
static bool reload(struct cg *cg, const struct cg_op *op, struct cg_src *src, unsigned lanes,
                   uint32_t scratch) {
    unsigned mask = cg_components_read(op, src, lanes);
    struct cg_src from = whole(src->reg);
    from.file = src->file;
    from.indexed = src->indexed;
    from.index = src->index;
    from.index_comp = src->index_comp;
    if (!emit_move(cg, op, scratch, mask, from)) {
        return false;
    }
    src->file = CG_FILE_GPR;
    src->reg = scratch;
    src->indexed = false;
    return true;
}

/* An index must be in a direct register; its scratch is free again once the reload has happened. */
static bool near_index(struct cg *cg, const struct cg_op *op, uint32_t *index, uint8_t comp,
                       uint32_t scratch) {
    if (*index < ISA_DIRECT) {
        return true;
    }
    if (!emit_move(cg, op, scratch, 1u << comp, whole(*index))) {
        return false;
    }
    *index = scratch;
    return true;
}

static bool expand(struct cg *cg, struct cg_op op) {
    unsigned lanes = op.kind == CG_ARITH ? op.mask : 15;
    for (unsigned s = 0; s < 4; s++) {
        struct cg_src *src = &op.src[s];
        if (src->file == CG_FILE_NONE) {
            continue;
        }
        uint32_t scratch = s < 2 ? SCRATCH_SRC + s : s == 2 ? SCRATCH_PRED : SCRATCH_DEST;
        if (src->indexed && !near_index(cg, &op, &src->index, src->index_comp, scratch)) {
            return false;
        }
        if (op.kind == CG_TEX && src->file == CG_FILE_GPR && src->reg >= ISA_DIRECT &&
            !reload(cg, &op, src,
                    s == 3   ? 1
                    : s == 0 ? op.coord_mask
                             : 15,
                    scratch)) {
            return false;
        }
    }
    if (op.pred.file == CG_FILE_GPR && op.pred.reg >= ISA_DIRECT &&
        !reload(cg, &op, &op.pred, op.kind == CG_ARITH ? lanes : 1, SCRATCH_PRED)) {
        return false;
    }
    if (op.dest_indexed && !near_index(cg, &op, &op.dest_index, op.dest_index_comp, SCRATCH_DEST)) {
        return false;
    }
    struct cg_op *slot;
    if (op.kind == CG_ARITH) {
        for (unsigned s = 0; s < (op.tied ? 1u : op.src_count) && coordinates(cg, &op) > 2; s++) {
            if (is_far(&op.src[s]) && !reload(cg, &op, &op.src[s], lanes, SCRATCH_SRC + s)) {
                return false;
            }
        }
    }
    bool through = op.dest_file == CG_FILE_GPR && !op.dest_indexed && op.dest >= ISA_DIRECT &&
                   (op.kind == CG_TEX || coordinates(cg, &op) > 2);
    uint32_t home = op.dest;
    if (through) {
        if ((op.pred.file != CG_FILE_NONE || op.tied || op.reads_dest) &&
            !emit_move(cg, &op, SCRATCH_DEST, op.mask, whole(home))) {
            return false;
        }
        op.dest = SCRATCH_DEST;
    }
    slot = cg_new_op(cg, CG_ARITH);
    if (!slot || cg->failed) {
        return false;
    }
    *slot = op;
    return !through || emit_move(cg, &op, home, op.mask, whole(SCRATCH_DEST));
}

bool cg_expand_spills(struct cg *cg) {
    if (!cg->has_scratch) {
        return true;
    }
    struct cg_op *old = cg->ops;
    cg->ops = NULL;
    cg->op_count = 0;
    cg->op_cap = 0;
    for (uint32_t b = 0; b < cg->block_count; b++) {
        uint32_t first = cg->op_count;
        for (uint32_t i = cg->blocks[b].first; i < cg->blocks[b].end; i++) {
            if (!expand(cg, old[i])) {
                cg_fail(cg, "out of memory");
                return false;
            }
        }
        cg->blocks[b].first = first;
        cg->blocks[b].end = cg->op_count;
    }
    return true;
}
