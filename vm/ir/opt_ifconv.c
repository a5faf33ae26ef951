/* SPDX-License-Identifier: MIT */
/*
 * Control flow. ir_opt_blocks skips empty blocks and joins a block with its only predecessor when
 * that stands right before it (so the order of blocks, on which reconvergence rests, stays).
 * ir_opt_ifconv moves the work of short branches in front of the branch and selects: pure
 * operations only, never derivatives, texture reads or array accesses; a discard becomes
 * conditional.
 */
#include "vm/ir/passes.h"

#include <string.h>

/* Work that may be done for nothing instead of branching: about what a divergent branch costs. */
#define MOVE_LIMIT 12u
/* Selects that may replace the join's parameters. */
#define SELECT_LIMIT 4u

static void remove_block(struct ir_fn *fn, struct ir_block *block) {
    uint32_t at = block->order;
    memmove(fn->blocks + at, fn->blocks + at + 1, (fn->block_count - at - 1) * sizeof *fn->blocks);
    fn->block_count--;
    for (uint32_t i = at; i < fn->block_count; i++) {
        fn->blocks[i]->order = i;
    }
    block->order = UINT32_MAX;
}

/* Appends b's contents to a, b's only predecessor, which jumps to it. b's parameters become moves.
 */
static void absorb(struct ir_fn *fn, struct ir_block *a, struct ir_block *b) {
    for (uint32_t k = 0; k < b->param_count; k++) {
        struct ir_inst *param = b->params[k];
        struct ir_src *args = arena_alloc(fn->arena, sizeof *args);
        if (!args) {
            return;
        }
        *args = a->edge[0].args[k];
        param->is_param = false;
        param->op = IR_MOV;
        param->io = 0;
        param->args = args;
        param->arg_count = 1;
        ir_append_inst(a, param);
    }
    while (b->first) {
        struct ir_inst *inst = b->first;
        ir_unlink_inst(inst);
        ir_append_inst(a, inst);
    }
    a->term = b->term;
    a->cond = b->cond;
    a->line = b->line;
    a->edge[0] = b->edge[0];
    a->edge[1] = b->edge[1];
    for (unsigned e = 0; e < ir_edge_count(a); e++) {
        struct ir_block *to = a->edge[e].to;
        for (uint32_t p = 0; p < to->pred_count; p++) {
            if (to->preds[p] == b) {
                to->preds[p] = a;
                break;
            }
        }
    }
    b->param_count = 0;
    b->pred_count = 0;
}

static bool same_args(const struct ir_edge *a, const struct ir_edge *b) {
    if (a->arg_count != b->arg_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->arg_count; i++) {
        if (!ir_src_equal(a->args[i], b->args[i])) {
            return false;
        }
    }
    return true;
}

/* Leads an edge past an empty block that only jumps on. */
static bool skip_empty(struct ir_fn *fn, struct ir_block *block, unsigned e) {
    struct ir_block *middle = block->edge[e].to;
    if (middle->first || middle->param_count || middle->term != IR_TERM_JUMP ||
        middle->edge[0].to == middle || middle == block) {
        return false;
    }
    struct ir_block *to = middle->edge[0].to;
    bool is_back = to->order <= middle->order;
    if (is_back && middle->pred_count > 1) {
        return false; /* keep one back edge a loop */
    }
    if (block->term == IR_TERM_BRANCH && block->edge[1 - e].to == to) {
        if (!same_args(&block->edge[1 - e], &middle->edge[0])) {
            return false;
        }
        ir_remove_pred(middle, block);
        block->edge[0] = block->edge[1 - e];
        block->edge[1].to = NULL;
        block->edge[1].arg_count = 0;
        block->term = IR_TERM_JUMP;
        return true;
    }
    ir_remove_pred(middle, block);
    ir_add_pred(fn, to, block);
    block->edge[e] = middle->edge[0];
    if (middle->edge[0].arg_count) {
        struct ir_src *copy = arena_array(fn->arena, middle->edge[0].arg_count, sizeof *copy);
        if (copy) {
            memcpy(copy, middle->edge[0].args, middle->edge[0].arg_count * sizeof *copy);
            block->edge[e].args = copy;
            block->edge[e].arg_cap = block->edge[e].arg_count;
        }
    }
    return true;
}

bool ir_opt_blocks(struct ir_fn *fn) {
    bool changed = false;
    for (uint32_t i = 0; i < fn->block_count; i++) {
        struct ir_block *block = fn->blocks[i];
        for (unsigned e = 0; e < ir_edge_count(block); e++) {
            changed |= skip_empty(fn, block, e);
        }
    }
    ir_remove_unreachable(fn);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < fn->block_count; i++) {
        struct ir_block *block = fn->blocks[i];
        struct ir_block *before = kept ? fn->blocks[kept - 1] : NULL;
        if (before && before->term == IR_TERM_JUMP && before->edge[0].to == block &&
            block->pred_count == 1 && !fn->arena->failed) {
            absorb(fn, before, block);
            block->order = UINT32_MAX;
            changed = true;
        } else {
            block->order = kept;
            fn->blocks[kept++] = block;
        }
    }
    fn->block_count = kept;
    ir_dominators(fn->blocks, fn->block_count);
    return changed;
}

/* ---- if-conversion
 * -------------------------------------------------------------------------------- */

static unsigned cost_of(const struct ir_inst *inst) {
    switch (inst->op) {
    case IR_CONST:
    case IR_UNDEF:
    case IR_MOV:
    case IR_INPUT: return 0;
    case IR_UNIFORM: return inst->arg_count;
    case IR_RCP:
    case IR_RSQ:
    case IR_LG2:
    case IR_EX2:
    case IR_SQRT:
    case IR_DIV: return 2;
    case IR_SIN:
    case IR_COS:
    case IR_DOT: return 3;
    default: return 1;
    }
}

/* Cost of doing a block's work always; UINT32_MAX if that is not allowed. */
static unsigned movable_cost(const struct ir_block *block) {
    unsigned cost = 0;
    for (const struct ir_inst *inst = block->first; inst; inst = inst->next) {
        if (inst->op != IR_KILL && (ir_op_infos[inst->op].flags & (IR_P | IR_S | IR_Q)) != IR_P) {
            return UINT32_MAX;
        }
        cost += cost_of(inst);
        if (cost > MOVE_LIMIT) {
            return UINT32_MAX;
        }
    }
    return cost;
}

static struct ir_src append_op(struct ir_fn *fn, struct ir_inst *place, struct ir_block *block,
                               enum ir_op op, unsigned count, const struct ir_src *args,
                               unsigned comps, uint32_t line) {
    struct ir_inst *inst = ir_new_inst(fn, op, comps, count);
    if (inst == fn->spare) {
        return ir_use(inst);
    }
    memcpy(inst->args, args, count * sizeof *args);
    inst->line = line;
    if (place) {
        ir_insert_before(place, inst);
    } else {
        ir_append_inst(block, inst);
    }
    return ir_use(inst);
}

static struct ir_src zero_before(struct ir_fn *fn, struct ir_inst *place) {
    struct ir_inst *inst = ir_new_inst(fn, IR_CONST, 1, 0);
    if (inst != fn->spare) {
        ir_insert_before(place, inst);
    }
    return ir_use(inst);
}

/* Moves a side's instructions to the end of 'block'; a KILL gets the branch's condition. */
static void move_side(struct ir_fn *fn, struct ir_block *side, struct ir_block *block,
                      struct ir_src cond, bool is_then) {
    for (struct ir_inst *inst = side->first, *next; inst; inst = next) {
        next = inst->next;
        ir_unlink_inst(inst);
        ir_append_inst(block, inst);
        if (inst->op != IR_KILL) {
            continue;
        }
        bool always = ir_src_constant(inst->args[0]) && ir_src_const(inst->args[0], 0) != 0.0f;
        struct ir_src zero = zero_before(fn, inst);
        if (always && is_then) {
            inst->args[0] = cond;
            inst->args[0].neg = false;
        } else if (always) {
            const struct ir_src args[2] = {cond, zero};
            inst->args[0] = append_op(fn, inst, NULL, IR_SEQ, 2, args, 1, inst->line);
        } else {
            const struct ir_src args[3] = {cond, is_then ? inst->args[0] : zero,
                                           is_then ? zero : inst->args[0]};
            inst->args[0] = append_op(fn, inst, NULL, IR_SEL, 3, args, 1, inst->line);
        }
    }
}

/* The side of a branch: a block that only this branch reaches and that only jumps on. */
static struct ir_block *side_of(const struct ir_block *block, unsigned e) {
    struct ir_block *side = block->edge[e].to;
    bool ok = side->pred_count == 1 && side->term == IR_TERM_JUMP && !side->param_count &&
              side != block && side->order > block->order && side->edge[0].to->order > side->order;
    return ok ? side : NULL;
}

static bool convert(struct ir_fn *fn, struct ir_block *block) {
    struct ir_block *side[2] = {side_of(block, 0), side_of(block, 1)};
    struct ir_block *join;
    if (side[0] && side[1] && side[0]->edge[0].to == side[1]->edge[0].to) {
        join = side[0]->edge[0].to; /* if and else */
    } else if (side[0] && side[0]->edge[0].to == block->edge[1].to) {
        join = block->edge[1].to;
        side[1] = NULL;
    } else if (side[1] && side[1]->edge[0].to == block->edge[0].to) {
        join = block->edge[0].to;
        side[0] = NULL;
    } else {
        return false;
    }
    unsigned cost = 0;
    for (unsigned e = 0; e < 2; e++) {
        unsigned own = side[e] ? movable_cost(side[e]) : 0;
        if (own == UINT32_MAX) {
            return false;
        }
        cost += own;
    }
    if (cost > MOVE_LIMIT || join->param_count > SELECT_LIMIT) {
        return false;
    }
    struct ir_edge *edge[2] = {side[0] ? &side[0]->edge[0] : &block->edge[0],
                               side[1] ? &side[1]->edge[0] : &block->edge[1]};
    for (unsigned e = 0; e < 2; e++) {
        if (side[e]) {
            move_side(fn, side[e], block, block->cond, e == 0);
        }
    }
    struct ir_edge out = {.to = join};
    for (uint32_t k = 0; k < join->param_count; k++) {
        struct ir_src a = edge[0]->args[k];
        struct ir_src b = edge[1]->args[k];
        if (!ir_src_equal(a, b)) {
            const struct ir_src args[3] = {block->cond, a, b};
            a = append_op(fn, NULL, block, IR_SEL, 3, args, a.comps, block->line);
        }
        ir_edge_add_arg(fn, &out, a);
    }
    for (unsigned e = 0; e < 2; e++) {
        ir_remove_pred(join, side[e] ? side[e] : block);
        if (side[e]) {
            ir_remove_pred(side[e], block);
            side[e]->term = IR_TERM_RETURN; /* unreachable now; without edges */
            remove_block(fn, side[e]);
        }
    }
    block->term = IR_TERM_JUMP;
    block->edge[0] = out;
    block->edge[1].to = NULL;
    block->edge[1].arg_count = 0;
    ir_add_pred(fn, join, block);
    return true;
}

bool ir_opt_ifconv(struct ir_fn *fn) {
    bool changed = false;
    for (uint32_t i = fn->block_count; i-- > 0;) {
        if (i < fn->block_count && fn->blocks[i]->term == IR_TERM_BRANCH &&
            convert(fn, fn->blocks[i])) {
            changed = true;
        }
    }
    if (changed) {
        ir_dominators(fn->blocks, fn->block_count);
    }
    return changed;
}
