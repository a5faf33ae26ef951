/* SPDX-License-Identifier: MIT */
/*
 * Decisions before selection: how often each value is used, which comparisons disappear into a
 * predicate's condition, which SAT becomes the saturate bit of its source's operation, and which
 * operation is computed directly, predicated, into the register of the SEL that is its only user.
 */
#include "vm/codegen/cg_internal.h"

#include "vm/base/bits.h"
#include "vm/ir/passes.h"

static void count_use(void *context, struct ir_src *src) {
    struct cg_value *value = cg_value(src->def);
    (void)context;
    if (value) {
        value->uses++;
        for (unsigned i = 0; i < src->comps; i++) {
            value->need |= (uint8_t)(1u << src->swz[i]);
        }
    }
}

static bool is_zero(struct ir_src src) {
    return ir_src_is_const(src, 0.0f) || ir_src_is_const(src, -0.0f);
}

/* cond for x, cond for -x */
static enum isa_cond flip_sign(enum isa_cond cond) {
    switch (cond) {
    case ISA_COND_N: return ISA_COND_P;
    case ISA_COND_P: return ISA_COND_N;
    case ISA_COND_GE: return ISA_COND_LE;
    case ISA_COND_LE: return ISA_COND_GE;
    default: return cond;
    }
}

bool cg_condition(struct ir_src cond, bool invert, struct ir_src *tested, enum isa_cond *test) {
    const struct ir_inst *def = cond.def;
    *tested = cond;
    *test = invert ? ISA_COND_Z : ISA_COND_NZ; /* exact opposites: NZ alone holds for NaN */
    if (def->is_param || def->arg_count != 2) {
        return true;
    }
    unsigned zero = is_zero(def->args[1]) ? 1 : is_zero(def->args[0]) ? 0 : 2;
    if (zero == 2) {
        return true;
    }
    enum isa_cond direct;
    switch (def->op) {
    case IR_SLT: direct = zero == 1 ? ISA_COND_N : ISA_COND_P; break;
    case IR_SGE: direct = zero == 1 ? ISA_COND_GE : ISA_COND_LE; break;
    case IR_SEQ: direct = invert ? ISA_COND_NZ : ISA_COND_Z; break;
    case IR_SNE: direct = invert ? ISA_COND_Z : ISA_COND_NZ; break;
    default: return true;
    }
    if (invert && (def->op == IR_SLT || def->op == IR_SGE)) {
        return true; /* the opposite of an ordered comparison is not one: NaN */
    }
    struct ir_src other = def->args[1 - zero];
    if (ir_src_constant(other)) {
        return true;
    }
    *tested = ir_src_through(cond, other);
    tested->neg = false;
    *test = other.neg ? flip_sign(direct) : direct;
    return true;
}

static void drop_use(struct ir_inst *inst) {
    struct cg_value *value = cg_value(inst);
    if (value && value->uses && --value->uses == 0 && !inst->is_param) {
        value->folded = true;
        /* What only the dropped comparison used (never more than its own sources). */
        for (unsigned a = 0; a < inst->arg_count; a++) {
            if (ir_src_constant(inst->args[a])) {
                drop_use(inst->args[a].def);
            }
        }
    }
}

/* Moves a use from the comparison to what is tested instead. */
static void fold_condition(struct ir_src cond, bool invert) {
    struct ir_src tested;
    enum isa_cond test;
    cg_condition(cond, invert, &tested, &test);
    if (tested.def != cond.def) {
        count_use(NULL, &tested);
        drop_use(cond.def);
        if (cg_value(cond.def)->folded) {
            cg_value(tested.def)->uses--; /* the comparison's own use is gone */
        }
    }
}

static bool in_order(struct ir_src src) {
    for (unsigned i = 0; i < src.comps; i++) {
        if (src.swz[i] != i) {
            return false;
        }
    }
    return true;
}

/* Operations that are one machine operation without TYPE, so that one coordinate unit stays free.
 */
static bool is_plain(unsigned op) {
    switch (op) {
    case IR_ADD:
    case IR_MUL:
    case IR_MIN:
    case IR_MAX:
    case IR_RCP:
    case IR_RSQ:
    case IR_FLR:
    case IR_FRC:
    case IR_LG2:
    case IR_EX2:
    case IR_SIN:
    case IR_COS:
    case IR_SLT:
    case IR_SGE:
    case IR_SEQ:
    case IR_SNE: return true;
    default: return false;
    }
}

static bool is_typed(unsigned op) {
    return op == IR_DIV || op == IR_SQRT || op == IR_TRUNC || op == IR_CEIL || op == IR_ABS ||
           op == IR_SSG;
}

/* Whole value of an operation nobody else uses. */
static bool is_private(struct ir_src src) {
    const struct ir_inst *def = src.def;
    return !def->is_param && cg_value(def) && cg_value(def)->uses == 1 && !src.neg &&
           src.comps == def->comps && in_order(src) && !cg_value(def)->folded &&
           !cg_value(def)->delayed;
}

static bool reads_far_uniform(const struct ir_inst *inst) {
    for (unsigned a = 0; a < inst->arg_count; a++) {
        const struct ir_inst *def = inst->args[a].def;
        if (!def->is_param &&
            (def->op == IR_CONST || (def->op == IR_UNIFORM && def->base >= ISA_DIRECT))) {
            return true; /* a literal may end up far away as well */
        }
    }
    return false;
}

static void fold_select(const struct cg *cg, struct ir_inst *sel) {
    bool near_literals = cg->fn->uniform_regs < ISA_DIRECT / 2;
    for (unsigned side = 1; side <= 2; side++) {
        struct ir_src arm = sel->args[side];
        if (is_private(arm) && is_plain(arm.def->op) && arm.def->block == sel->block &&
            !cg_value(arm.def)->saturate && (near_literals || !reads_far_uniform(arm.def))) {
            struct ir_src tested;
            enum isa_cond test;
            /* The other arm is written first, so it must not need the opposite of an inexact test;
               Z and NZ are always exact opposites. */
            cg_condition(sel->args[0], side == 2, &tested, &test);
            cg_value(arm.def)->delayed = sel;
            cg_value(sel)->predicated_else = side == 2;
            return;
        }
    }
}

/* Operations on bytes take complements into their operands (select_bytes.c). */
static bool takes_complements(const struct ir_inst *inst) {
    return ir_op_infos[inst->op].flags & IR_B && inst->op != IR_TO_BYTES && inst->op != IR_WAND &&
           inst->op != IR_WOR && inst->op != IR_WSHF;
}

static void fold_complements(struct ir_inst *inst) {
    for (unsigned a = 0; a < inst->arg_count; a++) {
        struct ir_inst *def = inst->args[a].def;
        if (ir_is(def, IR_BNOT)) {
            cg_value(def->args[0].def)->uses++;
            drop_use(def);
        }
    }
}

bool cg_prepare_values(struct cg *cg) {
    struct ir_fn *fn = cg->fn;
    for (uint32_t i = 0; i < fn->block_count; i++) {
        struct ir_block *block = fn->blocks[i];
        for (uint32_t k = 0; k < block->param_count; k++) {
            block->params[k]->aux = arena_alloc(cg->arena, sizeof(struct cg_value));
        }
        for (struct ir_inst *inst = block->first; inst; inst = inst->next) {
            inst->aux = arena_alloc(cg->arena, sizeof(struct cg_value));
        }
    }
    if (cg->arena->failed) {
        return false;
    }
    fn->spare->aux = NULL;
    ir_each_src(fn, count_use, NULL);
    for (uint32_t i = 0; i < fn->block_count; i++) {
        struct ir_block *block = fn->blocks[i];
        for (uint32_t k = 0; k < block->param_count; k++) {
            cg_value(block->params[k])->vreg = CG_NONE;
        }
        for (struct ir_inst *inst = block->first; inst; inst = inst->next) {
            struct cg_value *value = cg_value(inst);
            value->vreg = CG_NONE;
            if (!cg->optimise) {
                continue;
            }
            if (takes_complements(inst)) {
                fold_complements(inst);
            }
            if (inst->op == IR_SAT && is_private(inst->args[0]) &&
                (is_plain(inst->args[0].def->op) || is_typed(inst->args[0].def->op))) {
                cg_value(inst->args[0].def)->saturate = true;
                value->folded = true;
            } else if (inst->op == IR_SEL) {
                fold_select(cg, inst);
                fold_condition(inst->args[0], value->predicated_else);
            } else if (inst->op == IR_KILL) {
                fold_condition(inst->args[0], false);
            }
        }
        if (cg->optimise && block->term == IR_TERM_BRANCH) {
            fold_condition(block->cond, block->edge[0].to->order == i + 1);
        }
    }
    return true;
}
