/* SPDX-License-Identifier: MIT */
/*
 * Identities that give the same bits for every input: NaN, infinities and the sign of zero included
 * (a NaN counts as one value). Nothing that reassociates, contracts or rounds otherwise is here;
 * the optimised and the plain program must agree bit for bit. Each rule's reason is beside it.
 */
#include "vm/ir/passes.h"

#include <string.h>

#include "vm/base/bits.h"

/* How far facts about a value are followed through its sources. */
#define FACT_DEPTH 4u

static bool each_const(struct ir_src src, bool (*test)(float)) {
    if (!ir_src_constant(src)) {
        return false;
    }
    for (unsigned i = 0; i < src.comps; i++) {
        if (!test(ir_src_const(src, i))) {
            return false;
        }
    }
    return true;
}

static bool const_is_bool(float v) {
    return bits_from_float(v) == 0 || v == 1.0f;
}
static bool const_is_whole(float v) {
    return v >= -16777216.0f && v <= 16777216.0f && (float)(int32_t)v == v;
}
static bool const_not_minus_zero(float v) {
    return bits_from_float(v) != 0x80000000u;
}
static bool const_not_nan(float v) {
    return v == v;
}

/* Every component is +0.0 or 1.0. */
static bool is_boolean(struct ir_src src, unsigned depth) {
    if (src.neg) {
        return false;
    }
    if (ir_src_constant(src)) {
        return each_const(src, const_is_bool);
    }
    const struct ir_inst *def = src.def;
    if (def->is_param || !depth) {
        return false;
    }
    switch (def->op) {
    case IR_SLT:
    case IR_SGE:
    case IR_SEQ:
    case IR_SNE:
    case IR_NOT: return true;
    case IR_MUL:
    case IR_MIN:
    case IR_MAX: return is_boolean(def->args[0], depth - 1) && is_boolean(def->args[1], depth - 1);
    case IR_SEL: return is_boolean(def->args[1], depth - 1) && is_boolean(def->args[2], depth - 1);
    case IR_VEC:
        for (unsigned i = 0; i < def->arg_count; i++) {
            if (!is_boolean(def->args[i], depth - 1)) {
                return false;
            }
        }
        return true;
    default: return false;
    }
}

/* Rounding it to a whole number changes nothing (NaN and infinity stay themselves too). */
static bool is_whole(struct ir_src src, unsigned depth) {
    if (ir_src_constant(src)) {
        return each_const(src, const_is_whole);
    }
    const struct ir_inst *def = src.def;
    if (def->is_param || !depth) {
        return false;
    }
    switch (def->op) {
    case IR_FLR:
    case IR_TRUNC:
    case IR_CEIL:
    case IR_SSG:
    case IR_SLT:
    case IR_SGE:
    case IR_SEQ:
    case IR_SNE:
    case IR_NOT: return true;
    case IR_ADD:
    case IR_MUL:
    case IR_MIN:
    case IR_MAX: return is_whole(def->args[0], depth - 1) && is_whole(def->args[1], depth - 1);
    case IR_SEL: return is_whole(def->args[1], depth - 1) && is_whole(def->args[2], depth - 1);
    default: return false;
    }
}

/* Never -0: a sum is -0 only when both terms are. */
static bool never_minus_zero(struct ir_src src, unsigned depth) {
    if (ir_src_constant(src)) {
        return each_const(src, const_not_minus_zero);
    }
    const struct ir_inst *def = src.def;
    if (def->is_param || !depth || src.neg) {
        return false;
    }
    switch (def->op) {
    case IR_SLT:
    case IR_SGE:
    case IR_SEQ:
    case IR_SNE:
    case IR_NOT:
    case IR_SAT:
    case IR_ABS:
    case IR_EX2: return true;
    case IR_ADD:
        return never_minus_zero(def->args[0], depth - 1) ||
               never_minus_zero(def->args[1], depth - 1);
    case IR_SEL:
        return never_minus_zero(def->args[1], depth - 1) &&
               never_minus_zero(def->args[2], depth - 1);
    default: return false;
    }
}

static bool never_nan(struct ir_src src, unsigned depth) {
    if (ir_src_constant(src)) {
        return each_const(src, const_not_nan);
    }
    const struct ir_inst *def = src.def;
    if (def->is_param || !depth) {
        return false;
    }
    switch (def->op) {
    case IR_SLT:
    case IR_SGE:
    case IR_SEQ:
    case IR_SNE:
    case IR_SAT:
    case IR_SSG: return true;
    case IR_MIN:
    case IR_MAX: /* the second source is what a NaN gives */
        return never_nan(def->args[1], depth - 1);
    default: return false;
    }
}

/* ---- rewriting
 * ------------------------------------------------------------------------------------ */

static bool to_copy(struct ir_inst *inst, struct ir_src src) {
    inst->op = IR_MOV;
    inst->args[0] = src;
    inst->arg_count = 1;
    return true;
}

static bool to_op(struct ir_inst *inst, enum ir_op op, struct ir_src a) {
    inst->op = (uint8_t)op;
    inst->args[0] = a;
    inst->arg_count = 1;
    return true;
}

static void swap_args(struct ir_inst *inst, unsigned i, unsigned k) {
    struct ir_src swap = inst->args[i];
    inst->args[i] = inst->args[k];
    inst->args[k] = swap;
}

static bool add(struct ir_inst *inst) {
    for (unsigned k = 0; k < 2; k++) {
        struct ir_src x = inst->args[k];
        struct ir_src zero = inst->args[1 - k];
        if (ir_src_is_const(zero, -0.0f)) {
            return to_copy(inst, x); /* x + -0 is x, for x = -0 too */
        }
        if (ir_src_is_const(zero, 0.0f) && never_minus_zero(x, FACT_DEPTH)) {
            return to_copy(inst, x);
        }
    }
    return false;
}

static bool mul(struct ir_inst *inst) {
    for (unsigned k = 0; k < 2; k++) {
        struct ir_src x = inst->args[k];
        if (ir_src_is_const(inst->args[1 - k], 1.0f)) {
            return to_copy(inst, x);
        }
        if (ir_src_is_const(inst->args[1 - k], -1.0f)) {
            return to_copy(inst, ir_neg(x));
        }
    }
    if (inst->args[0].neg && inst->args[1].neg) {
        inst->args[0].neg = inst->args[1].neg = false; /* signs multiply exactly */
        return true;
    }
    return false;
}

/* 1 / 2^k when it is a float, so that x / 2^k and x * 2^-k round the same number. */
static bool exact_reciprocal(float v, float *reciprocal) {
    uint32_t bits = bits_from_float(v);
    uint32_t exponent = bits >> 23 & 255u;
    if (bits & 0x7FFFFFu || exponent < 1 || exponent > 253) {
        return false;
    }
    *reciprocal = bits_to_float((bits & 0x80000000u) | (254u - exponent) << 23);
    return true;
}

static bool divide(struct ir_fn *fn, struct ir_inst *inst) {
    struct ir_src bottom = inst->args[1];
    float values[4];
    bool exact = ir_src_constant(bottom);
    for (unsigned i = 0; exact && i < bottom.comps; i++) {
        exact = exact_reciprocal(ir_src_const(bottom, i), &values[i]);
    }
    if (exact) {
        struct ir_inst *literal = ir_new_inst(fn, IR_CONST, bottom.comps, 0);
        if (literal == fn->spare) {
            return false;
        }
        memcpy(literal->imm, values, bottom.comps * sizeof *values);
        ir_insert_before(inst, literal);
        inst->op = IR_MUL;
        inst->args[1] = ir_use(literal);
        return true;
    }
    bool is_scalar = true;
    for (unsigned i = 1; i < bottom.comps; i++) {
        is_scalar &= bottom.swz[i] == bottom.swz[0];
    }
    if (ir_src_is_const(inst->args[0], 1.0f) && is_scalar) {
        return to_op(inst, IR_RCP, bottom); /* RCP is that division */
    }
    return false;
}

static bool rcp(struct ir_inst *inst) {
    struct ir_src a = inst->args[0];
    if (ir_is(a.def, IR_SQRT) && !a.neg && inst->comps == 1) {
        return to_op(inst, IR_RSQ, ir_src_through(a, a.def->args[0])); /* RSQ is 1 / sqrt */
    }
    return false;
}

static bool min_max(struct ir_inst *inst) {
    if (ir_src_equal(inst->args[0], inst->args[1])) {
        return to_copy(inst, inst->args[0]);
    }
    if (inst->op != IR_MIN) {
        return false;
    }
    /* min(max(x, 0), 1) is SAT: x > 0 ? x : 0, NaN to 0, then below 1. With the 1 first the same,
       because what max gives is no NaN then. */
    for (unsigned k = 0; k < 2; k++) {
        struct ir_src inner = inst->args[k];
        if (!ir_src_is_const(inst->args[1 - k], 1.0f) || inner.neg || !ir_is(inner.def, IR_MAX)) {
            continue;
        }
        struct ir_src low = ir_src_through(inner, inner.def->args[1]);
        if (ir_src_is_const(low, 0.0f)) {
            return to_op(inst, IR_SAT, ir_src_through(inner, inner.def->args[0]));
        }
    }
    return false;
}

/* c ? a : b with c = (x == 0) or (x != 0): test x itself; SNE and SEQ are exact opposites. */
static bool simpler_condition(struct ir_src *cond, bool *inverted) {
    const struct ir_inst *def = cond->def;
    if (def->is_param || (def->op != IR_SEQ && def->op != IR_SNE)) {
        return false;
    }
    for (unsigned k = 0; k < 2; k++) {
        struct ir_src other = ir_src_through(*cond, def->args[1 - k]);
        other.neg = false;
        if (ir_src_is_const(other, 0.0f) || ir_src_is_const(other, -0.0f)) {
            *inverted = def->op == IR_SEQ;
            *cond = ir_src_through(*cond, def->args[k]);
            cond->neg = false;
            return true;
        }
    }
    return false;
}

static bool select(struct ir_inst *inst) {
    struct ir_src cond = inst->args[0];
    bool inverted;
    if (ir_src_equal(inst->args[1], inst->args[2])) {
        return to_copy(inst, inst->args[1]);
    }
    if (ir_src_constant(cond)) {
        bool same = true;
        for (unsigned i = 1; i < cond.comps; i++) {
            same &= (ir_src_const(cond, i) != 0.0f) == (ir_src_const(cond, 0) != 0.0f);
        }
        if (same) {
            return to_copy(inst, inst->args[ir_src_const(cond, 0) != 0.0f ? 1 : 2]);
        }
    }
    if (simpler_condition(&inst->args[0], &inverted)) {
        if (inverted) {
            swap_args(inst, 1, 2);
        }
        return true;
    }
    if (cond.neg) {
        inst->args[0].neg = false; /* -x is 0 where x is */
        return true;
    }
    if (ir_src_is_const(inst->args[1], 1.0f) && ir_src_is_const(inst->args[2], 0.0f) &&
        is_boolean(cond, FACT_DEPTH)) {
        return to_copy(inst, cond.comps == inst->comps ? cond : ir_splat(cond, inst->comps));
    }
    if (ir_src_is_const(inst->args[1], 0.0f) && ir_src_is_const(inst->args[2], 1.0f)) {
        inst->op = IR_SEQ; /* for any x: x == 0 gives 1, also NaN and -0 agree */
        inst->args[0] = cond.comps == inst->comps ? cond : ir_splat(cond, inst->comps);
        inst->arg_count = 2;
        return true;
    }
    return false;
}

/* Comparisons of a boolean with 0. */
static bool equality(struct ir_inst *inst) {
    for (unsigned k = 0; k < 2; k++) {
        struct ir_src x = inst->args[k];
        if (!ir_src_is_const(inst->args[1 - k], 0.0f) || x.neg || x.def->is_param) {
            continue;
        }
        if (inst->op == IR_SNE && is_boolean(x, FACT_DEPTH)) {
            return to_copy(inst, x);
        }
        if (inst->op == IR_SEQ && (x.def->op == IR_SEQ || x.def->op == IR_SNE)) {
            struct ir_src a = ir_src_through(x, x.def->args[0]);
            struct ir_src b = ir_src_through(x, x.def->args[1]);
            inst->op = x.def->op == IR_SEQ ? IR_SNE : IR_SEQ;
            inst->args[0] = a;
            inst->args[1] = b;
            return true;
        }
    }
    return false;
}

static bool unary(struct ir_inst *inst) {
    struct ir_src a = inst->args[0];
    switch (inst->op) {
    case IR_ABS:
        if (a.neg) {
            inst->args[0].neg = false;
            return true;
        }
        return is_boolean(a, FACT_DEPTH) || ir_is(a.def, IR_ABS) || ir_is(a.def, IR_SAT)
                   ? to_copy(inst, a)
                   : false;
    case IR_FLR:
    case IR_TRUNC:
    case IR_CEIL: return is_whole(a, FACT_DEPTH) ? to_copy(inst, a) : false;
    case IR_SAT:
        return is_boolean(a, FACT_DEPTH) || (ir_is(a.def, IR_SAT) && !a.neg) ? to_copy(inst, a)
                                                                             : false;
    default: return false;
    }
}

static bool simplify(struct ir_fn *fn, struct ir_inst *inst) {
    switch (inst->op) {
    case IR_ADD: return add(inst);
    case IR_MUL: return mul(inst);
    case IR_DIV: return divide(fn, inst);
    case IR_RCP: return rcp(inst);
    case IR_MIN:
    case IR_MAX: return min_max(inst);
    case IR_SEL: return select(inst);
    case IR_SEQ:
    case IR_SNE: return equality(inst);
    case IR_KILL: {
        bool inverted;
        struct ir_src cond = inst->args[0];
        if (simpler_condition(&cond, &inverted) && !inverted) {
            inst->args[0] = cond;
            return true;
        }
        return false;
    }
    default: return inst->arg_count == 1 ? unary(inst) : false;
    }
}

/* A literal max against something that is no NaN may stand on either side; the machine wants it
 * first. */
static bool order_args(struct ir_inst *inst) {
    if ((inst->op != IR_MIN && inst->op != IR_MAX) || !ir_src_constant(inst->args[1]) ||
        ir_src_constant(inst->args[0]) || !never_nan(inst->args[0], FACT_DEPTH) ||
        !each_const(inst->args[1], const_not_nan)) {
        return false;
    }
    for (unsigned i = 0; i < inst->args[1].comps; i++) {
        if (ir_src_const(inst->args[1], i) == 0.0f) {
            return false; /* +0 and -0 compare equal but are not the same bits */
        }
    }
    swap_args(inst, 0, 1);
    return true;
}

bool ir_opt_algebra(struct ir_fn *fn) {
    bool changed = false;
    for (uint32_t i = 0; i < fn->block_count; i++) {
        struct ir_block *block = fn->blocks[i];
        for (struct ir_inst *inst = block->first; inst; inst = inst->next) {
            changed |= simplify(fn, inst) || order_args(inst);
        }
        bool inverted;
        while (block->term == IR_TERM_BRANCH && simpler_condition(&block->cond, &inverted)) {
            if (inverted) {
                struct ir_edge swap = block->edge[0];
                block->edge[0] = block->edge[1];
                block->edge[1] = swap;
            }
            changed = true;
        }
    }
    return changed;
}
