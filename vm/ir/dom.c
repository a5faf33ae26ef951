/* SPDX-License-Identifier: MIT */
/*
 * Analyses of the control-flow graph: reachability, immediate dominators (Cooper, Harvey and
 * Kennedy's iteration over the block order, which is a reverse postorder because the front end
 * emits structured code), a numbering of the dominator tree that answers "dominates" in constant
 * time, loop depth.
 */
#include "vm/ir/passes.h"

#include <string.h>

static struct ir_block *intersect(struct ir_block *a, struct ir_block *b) {
    while (a != b) {
        while (a->order > b->order) {
            a = a->idom;
        }
        while (b->order > a->order) {
            b = b->idom;
        }
    }
    return a;
}

static void number_tree(struct ir_block **blocks, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        blocks[i]->dom_last = 1; /* size of the subtree until the second loop is through */
    }
    for (uint32_t i = count; i-- > 1;) {
        if (blocks[i]->idom) {
            blocks[i]->idom->dom_last += blocks[i]->dom_last;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        struct ir_block *block = blocks[i];
        uint32_t size = block->dom_last;
        block->dom_first = 0;
        if (i && block->idom) {
            block->dom_first = block->idom->dom_next;
            block->idom->dom_next += size;
        }
        block->dom_last = block->dom_first + size - 1;
        block->dom_next = block->dom_first + 1;
    }
}

void ir_dominators(struct ir_block **blocks, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        blocks[i]->idom = NULL;
        blocks[i]->loop_depth = 0;
    }
    if (!count) {
        return;
    }
    blocks[0]->idom = blocks[0];
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < count; i++) {
            struct ir_block *best = NULL;
            for (uint32_t p = 0; p < blocks[i]->pred_count; p++) {
                struct ir_block *pred = blocks[i]->preds[p];
                if (pred->idom) {
                    best = best ? intersect(best, pred) : pred;
                }
            }
            if (best != blocks[i]->idom) {
                blocks[i]->idom = best;
                changed = true;
            }
        }
    }
    number_tree(blocks, count);
    /* A loop occupies consecutive blocks from its header to its last back edge. */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t last = 0;
        bool is_header = false;
        for (uint32_t p = 0; p < blocks[i]->pred_count; p++) {
            uint32_t order = blocks[i]->preds[p]->order;
            if (order >= i && order < count) {
                is_header = true;
                last = order > last ? order : last;
            }
        }
        for (uint32_t k = i; is_header && k <= last; k++) {
            blocks[k]->loop_depth++;
        }
    }
}

bool ir_dominates(const struct ir_block *a, const struct ir_block *b) {
    return a->idom && b->idom && b->dom_first >= a->dom_first && b->dom_first <= a->dom_last;
}

bool ir_remove_unreachable(struct ir_fn *fn) {
    if (!fn->block_count) {
        return false;
    }
    struct ir_block **stack = arena_array(fn->arena, fn->block_count, sizeof *stack);
    if (!stack) {
        return false;
    }
    for (uint32_t i = 0; i < fn->block_count; i++) {
        fn->blocks[i]->aux = NULL;
    }
    uint32_t depth = 0;
    uint32_t reached = 1;
    stack[depth++] = fn->blocks[0];
    fn->blocks[0]->aux = fn;
    while (depth) {
        struct ir_block *block = stack[--depth];
        for (unsigned e = 0; e < ir_edge_count(block); e++) {
            struct ir_block *to = block->edge[e].to;
            if (!to->aux) {
                to->aux = fn;
                stack[depth++] = to;
                reached++;
            }
        }
    }
    if (reached == fn->block_count) {
        return false;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < fn->block_count; i++) {
        struct ir_block *block = fn->blocks[i];
        if (!block->aux) {
            for (unsigned e = 0; e < ir_edge_count(block); e++) {
                ir_remove_pred(block->edge[e].to, block);
            }
            block->order = UINT32_MAX;
            continue;
        }
        block->order = kept;
        fn->blocks[kept++] = block;
    }
    fn->block_count = kept;
    return true;
}

void ir_each_src(struct ir_fn *fn, ir_src_fn visit, void *context) {
    for (uint32_t i = 0; i < fn->block_count; i++) {
        struct ir_block *block = fn->blocks[i];
        for (struct ir_inst *inst = block->first; inst; inst = inst->next) {
            for (unsigned a = 0; a < inst->arg_count; a++) {
                visit(context, &inst->args[a]);
            }
        }
        if (block->term == IR_TERM_BRANCH) {
            visit(context, &block->cond);
        }
        for (unsigned e = 0; e < ir_edge_count(block); e++) {
            for (uint32_t a = 0; a < block->edge[e].arg_count; a++) {
                visit(context, &block->edge[e].args[a]);
            }
        }
    }
}
