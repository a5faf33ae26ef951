/* SPDX-License-Identifier: MIT */
/*
 * Twins: two parameters of a block that receive equal values on every edge hold the same value, and on a loop's
 * back edge "equal" may assume just that of the trip before: a counter of the shader's own beside the loop's. The
 * uses of the later one go to the earlier one; what only stepped it is dead then (ir_opt_dce).
 */
#include "vm/ir/passes.h"

#include <string.h>

#define TWIN_PARAMS 24u

struct twins {
    const struct ir_inst *keep, *drop;
};

static bool alike(struct ir_src a, struct ir_src b) {
    return a.comps == b.comps && a.neg == b.neg && memcmp(a.swz, b.swz, a.comps) == 0;
}

static bool equal_literals(struct ir_src a, struct ir_src b) {
    if (!ir_is(a.def, IR_CONST) || !ir_is(b.def, IR_CONST) || a.comps != b.comps) {
        return false;
    }
    for (unsigned i = 0; i < a.comps; i++) {
        float x = ir_src_const(a, i), y = ir_src_const(b, i);
        if (memcmp(&x, &y, sizeof x) != 0) {
            return false;
        }
    }
    return true;
}

static bool same_source(const struct twins *t, struct ir_src a, struct ir_src b) {
    return ir_src_equal(a, b) || equal_literals(a, b) || (a.def == t->keep && b.def == t->drop && alike(a, b));
}

/* Equal values, or one step of the two by the same component-wise operation. */
static bool same_step(const struct twins *t, struct ir_src a, struct ir_src b) {
    if (same_source(t, a, b)) {
        return true;
    }
    const struct ir_inst *x = a.def, *y = b.def;
    if (!alike(a, b) || x->is_param || y->is_param || x->op != y->op || (ir_op_infos[x->op].flags & (IR_P | IR_W)) != (IR_P | IR_W) ||
        x->comps != y->comps || x->arg_count != y->arg_count) {
        return false;
    }
    for (unsigned k = 0; k < x->arg_count; k++) {
        if (!same_source(t, x->args[k], y->args[k])) {
            return false;
        }
    }
    return x->arg_count > 0;
}

static bool are_twins(const struct ir_block *block, const struct twins *t) {
    if (t->keep->comps != t->drop->comps) {
        return false;
    }
    for (uint32_t p = 0; p < block->pred_count; p++) {
        const struct ir_block *pred = block->preds[p];
        for (unsigned e = 0; e < ir_edge_count(pred); e++) {
            const struct ir_edge *edge = &pred->edge[e];
            if (edge->to == block && !same_step(t, edge->args[t->keep->io], edge->args[t->drop->io])) {
                return false;
            }
        }
    }
    return block->pred_count > 0;
}

static void to_keep(void *context, struct ir_src *src) {
    const struct twins *t = context;
    if (src->def == t->drop) {
        src->def = (struct ir_inst *)(uintptr_t)t->keep;
    }
}

bool ir_opt_twins(struct ir_fn *fn) {
    bool changed = false;
    for (uint32_t i = 1; i < fn->block_count; i++) {
        struct ir_block *block = fn->blocks[i];
        for (uint32_t q = block->param_count < TWIN_PARAMS ? block->param_count : TWIN_PARAMS; q-- > 1;) {
            for (uint32_t p = 0; p < q; p++) {
                struct twins t = {block->params[p], block->params[q]};
                if (are_twins(block, &t)) {
                    ir_each_src(fn, to_keep, &t);
                    ir_remove_param(block, q);
                    changed = true;
                    break;
                }
            }
        }
    }
    return changed;
}
