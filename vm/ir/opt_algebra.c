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

/* What is known of every component of a value. */
enum {
    FACT_BOOL = 1,     /* +0.0 or 1.0 */
    FACT_WHOLE = 2,    /* rounding it to a whole number changes nothing (NaN and infinity stay too) */
    FACT_NOT_MINUS_ZERO = 4,
    FACT_NOT_NAN = 8,
    FACT_ALL = 15
};

static unsigned facts_of_literal(float v) {
    uint32_t bits = bits_from_float(v);
    unsigned facts = bits == 0 || v == 1.0f ? FACT_BOOL : 0u;
    facts |= v >= -16777216.0f && v <= 16777216.0f && (float)(int32_t)v == v ? FACT_WHOLE : 0u;
    facts |= bits != 0x80000000u ? FACT_NOT_MINUS_ZERO : 0u;
    return facts | (v == v ? FACT_NOT_NAN : 0u);
}

static unsigned facts(struct ir_src src, unsigned depth);

static unsigned facts_of_op(const struct ir_inst *def, unsigned depth) {
    unsigned a, b;
    switch (def->op) {
    case IR_SLT:
    case IR_SGE:
    case IR_SEQ:
    case IR_SNE: return FACT_ALL;
    case IR_NOT: return FACT_BOOL | FACT_WHOLE | FACT_NOT_MINUS_ZERO;
    case IR_SSG: return FACT_WHOLE | FACT_NOT_NAN;
    case IR_SAT: return FACT_NOT_MINUS_ZERO | FACT_NOT_NAN;
    case IR_FLR:
    case IR_TRUNC:
    case IR_CEIL: return FACT_WHOLE;
    case IR_ABS:
    case IR_EX2: return FACT_NOT_MINUS_ZERO;
    case IR_ADD: /* a sum is -0 only when both terms are */
        a = facts(def->args[0], depth), b = facts(def->args[1], depth);
        return (a & b & FACT_WHOLE) | ((a | b) & FACT_NOT_MINUS_ZERO);
    case IR_MUL: return facts(def->args[0], depth) & facts(def->args[1], depth) & (FACT_BOOL | FACT_WHOLE);
    case IR_MIN:
    case IR_MAX: /* the second source is what a NaN gives */
        a = facts(def->args[0], depth), b = facts(def->args[1], depth);
        return (a & b & (FACT_BOOL | FACT_WHOLE)) | (b & FACT_NOT_NAN);
    case IR_SEL: return facts(def->args[1], depth) & facts(def->args[2], depth);
    case IR_VEC:
        a = FACT_ALL;
        for (unsigned i = 0; i < def->arg_count && a; i++) {
            a &= facts(def->args[i], depth);
        }
        return a;
    default: return 0;
    }
}

static unsigned facts(struct ir_src src, unsigned depth) {
    unsigned known = FACT_ALL;
    if (ir_src_constant(src)) {
        for (unsigned i = 0; i < src.comps; i++) {
            known &= facts_of_literal(ir_src_const(src, i));
        }
        return known;
    }
    if (src.def->is_param || !depth) {
        return 0;
    }
    known = facts_of_op(src.def, depth - 1);
    return src.neg ? known & (FACT_WHOLE | FACT_NOT_NAN) : known;
}

static bool has(struct ir_src src, unsigned fact) {
    return (facts(src, FACT_DEPTH) & fact) == fact;
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
        if (ir_src_is_const(zero, 0.0f) && has(x, FACT_NOT_MINUS_ZERO)) {
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
        has(cond, FACT_BOOL)) {
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
        if (inst->op == IR_SNE && has(x, FACT_BOOL)) {
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
        return has(a, FACT_BOOL) || ir_is(a.def, IR_ABS) || ir_is(a.def, IR_SAT)
                   ? to_copy(inst, a)
                   : false;
    case IR_FLR:
    case IR_TRUNC:
    case IR_CEIL: return has(a, FACT_WHOLE) ? to_copy(inst, a) : false;
    case IR_SAT:
        return has(a, FACT_BOOL) || (ir_is(a.def, IR_SAT) && !a.neg) ? to_copy(inst, a)
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
        ir_src_constant(inst->args[0]) || !has(inst->args[0], FACT_NOT_NAN) ||
        !has(inst->args[1], FACT_NOT_NAN)) {
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

bool ir_simplify_inst(struct ir_fn *fn, struct ir_inst *inst) {
    return simplify(fn, inst) || order_args(inst);
}

bool ir_simplify_branch(struct ir_block *block) {
    bool changed = false, inverted;
    while (simpler_condition(&block->cond, &inverted)) {
        if (inverted) {
            struct ir_edge swap = block->edge[0];
            block->edge[0] = block->edge[1];
            block->edge[1] = swap;
        }
        changed = true;
    }
    return changed;
}
