/* SPDX-License-Identifier: MIT */
/*
 * One walk over the function in block order, in which every source is first rewritten to its origin, so that what
 * is found for a value counts for all that follows it: literals are folded, identities applied, twins merged, and
 * parameters that always receive one value dropped, through whole chains at once. A value that became a copy stays
 * as a move without uses until dead code is removed.
 */
#include "vm/ir/passes.h"

/* Rewrites of one instruction in a row; each makes it simpler, so this is no more than a safety net. */
#define STEPS 8u

struct simplify {
    struct ir_fn *fn;
    struct ir_numbers numbers;
    bool cut; /* a branch became a jump */
};

static void become_move(struct ir_fn *fn, struct ir_inst *inst, struct ir_inst *twin) {
    if (!inst->args || !inst->arg_count) {
        inst->args = arena_alloc(fn->arena, sizeof *inst->args);
    }
    if (inst->args) {
        inst->args[0] = ir_use(twin);
        inst->op = IR_MOV;
        inst->arg_count = 1;
    }
}

static void number(struct simplify *s, struct ir_inst *inst) {
    struct ir_inst *twin = ir_number(&s->numbers, inst);
    if (twin) {
        become_move(s->fn, inst, twin);
    }
}

static void visit_inst(struct simplify *s, struct ir_inst *inst) {
    struct ir_inst *before = inst->prev;
    for (unsigned step = 0; step < STEPS; step++) {
        for (unsigned a = 0; a < inst->arg_count; a++) {
            ir_resolve(&inst->args[a]);
        }
        if (!ir_fold_inst(s->fn, inst) && !ir_simplify_inst(s->fn, inst)) {
            break;
        }
    }
    for (struct ir_inst *made = before ? before->next : inst->block->first; made != inst; made = made->next) {
        number(s, made);
    }
    for (unsigned a = 0; a < inst->arg_count; a++) {
        ir_resolve(&inst->args[a]); /* what was made may be there already */
    }
    number(s, inst);
}

static bool never_kills(const struct ir_inst *inst) {
    return inst->op == IR_KILL && ir_src_constant(inst->args[0]) && ir_src_const(inst->args[0], 0) == 0.0f;
}

static void visit_block(struct simplify *s, struct ir_block *block) {
    for (uint32_t k = 0; k < block->param_count; k++) {
        if (!block->params[k]->aux) {
            ir_param_is_trivial(s->fn, block->params[k]);
        }
    }
    for (struct ir_inst *inst = block->first, *next; inst; inst = next) {
        next = inst->next;
        visit_inst(s, inst);
        if (never_kills(inst)) {
            ir_unlink_inst(inst);
        }
    }
    if (block->term == IR_TERM_BRANCH) {
        do {
            ir_resolve(&block->cond);
        } while (ir_simplify_branch(block));
        if (ir_src_constant(block->cond)) {
            ir_take_edge(block, ir_src_const(block->cond, 0) != 0.0f ? 0 : 1);
            s->cut = true;
        }
    }
    for (unsigned e = 0; e < ir_edge_count(block); e++) {
        for (uint32_t a = 0; a < block->edge[e].arg_count; a++) {
            ir_resolve(&block->edge[e].args[a]);
        }
    }
}

/* Parameters of loop headers are looked at before the walk, when nothing of the loop has been seen. */
static bool has_loops(const struct ir_fn *fn) {
    for (uint32_t i = 0; i < fn->block_count; i++) {
        for (uint32_t p = 0; p < fn->blocks[i]->pred_count; p++) {
            if (fn->blocks[i]->preds[p]->order >= i) {
                return true;
            }
        }
    }
    return false;
}

bool ir_opt_simplify(struct ir_fn *fn) {
    struct simplify s = {.fn = fn};
    if (has_loops(fn)) {
        ir_opt_copy(fn);
    } else {
        ir_dominators(fn->blocks, fn->block_count);
    }
    ir_forget_trivial(fn);
    if (!ir_numbers_init(fn, &s.numbers)) {
        return false;
    }
    for (uint32_t i = 0; i < fn->block_count; i++) {
        visit_block(&s, fn->blocks[i]);
    }
    ir_drop_trivial(fn);
    if (s.cut) {
        ir_remove_unreachable(fn);
        ir_dominators(fn->blocks, fn->block_count);
    }
    return s.cut;
}
