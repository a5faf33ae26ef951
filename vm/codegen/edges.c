/* SPDX-License-Identifier: MIT */
/*
 * Edges of the control-flow graph: block parameters become copies at the end of the predecessor. An
 * edge out of a branch gets a block of its own when its copies must not run on the other way.
 */
#include "vm/codegen/cg_internal.h"

#include "vm/ir/passes.h"

struct copy {
    struct ir_inst *param;
    struct ir_src src;
    bool is_done;
};

static bool is_identity(const struct copy *copy) {
    if (copy->src.def != copy->param || copy->src.neg) {
        return false;
    }
    for (unsigned i = 0; i < copy->src.comps; i++) {
        if (copy->src.swz[i] != i) {
            return false;
        }
    }
    return true;
}

static void emit_copy(struct cg *cg, struct copy *copy) {
    cg_move(cg, cg_vreg_of(cg, copy->param), (1u << copy->param->comps) - 1u,
            cg_operand(cg, copy->src));
    copy->is_done = true;
}

/* Parallel copies in sequence: a parameter is written once nobody else still reads its old value.
 */
void cg_edge_copies(struct cg *cg, const struct ir_edge *edge) {
    uint32_t count = edge->arg_count;
    struct copy *copies = arena_array(cg->arena, count + 1, sizeof *copies);
    uint32_t *ready = arena_array(cg->arena, count + 1, sizeof *ready);
    if (!copies || !ready) {
        cg_fail(cg, "out of memory");
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        copies[i].param = edge->to->params[i];
        copies[i].src = edge->args[i];
        cg_value(copies[i].param)->pending = 0;
    }
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct ir_inst *def = copies[i].src.def;
        copies[i].is_done = is_identity(&copies[i]);
        left += !copies[i].is_done;
        if (!copies[i].is_done && def->is_param && def->block == edge->to &&
            def != copies[i].param) {
            cg_value(def)->pending++;
        }
    }
    uint32_t ready_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!copies[i].is_done && !cg_value(copies[i].param)->pending) {
            ready[ready_count++] = i;
        }
    }
    uint32_t scan = 0;
    while (left && !cg->failed) {
        if (!ready_count) {
            /* Only cycles are left: save one parameter's old value and let its readers use that. */
            while (copies[scan].is_done) {
                scan++;
            }
            struct ir_inst *param = copies[scan].param;
            struct ir_inst *saved = arena_alloc(cg->arena, sizeof *saved);
            struct cg_value *value = arena_alloc(cg->arena, sizeof *value);
            if (!saved || !value) {
                cg_fail(cg, "out of memory");
                return;
            }
            saved->comps = param->comps;
            saved->aux = value;
            value->vreg = cg_new_vreg(cg, param->comps);
            cg_move(cg, value->vreg, (1u << param->comps) - 1u, cg_operand(cg, ir_use(param)));
            for (uint32_t i = 0; i < count; i++) {
                if (!copies[i].is_done && copies[i].src.def == param && copies[i].param != param) {
                    copies[i].src.def = saved;
                }
            }
            cg_value(param)->pending = 0;
            ready[ready_count++] = scan;
        }
        uint32_t i = ready[--ready_count];
        struct ir_inst *def = copies[i].src.def;
        emit_copy(cg, &copies[i]);
        left--;
        if (def->is_param && def->block == edge->to && def != copies[i].param &&
            --cg_value(def)->pending == 0) {
            for (uint32_t k = def->io; k < count && copies[k].param == def; k++) {
                if (!copies[k].is_done) {
                    ready[ready_count++] = k;
                }
                break;
            }
        }
    }
}

/* Splits edges whose copies cannot stand before the branch, placing the new block where the
   machine's lowest-address-first execution still joins at the target. */
bool cg_split_edges(struct cg *cg) {
    struct ir_fn *fn = cg->fn;
    ir_dominators(fn->blocks, fn->block_count);
    struct ir_block **list = arena_array(cg->arena, (size_t)fn->block_count * 3, sizeof *list);
    struct ir_block **before = arena_array(cg->arena, (size_t)fn->block_count * 2, sizeof *before);
    uint32_t before_count = 0;
    uint32_t count = 0;
    if (!list || !before) {
        return false;
    }
    /* First the new blocks (all are found before orders change), then the merged list. */
    for (uint32_t i = 0; i < fn->block_count; i++) {
        struct ir_block *block = fn->blocks[i];
        for (unsigned e = 0; e < ir_edge_count(block) && block->term == IR_TERM_BRANCH; e++) {
            struct ir_edge *edge = &block->edge[e];
            struct ir_edge *other = &block->edge[1 - e];
            bool is_back = edge->to->order <= i;
            bool is_safe = !is_back && !other->arg_count && !ir_dominates(edge->to, other->to) &&
                           edge->to->loop_depth >= block->loop_depth;
            if (!edge->arg_count || is_safe) {
                continue;
            }
            struct ir_block *middle = ir_block_create(fn);
            if (middle == fn->spare_block) {
                return false;
            }
            middle->term = IR_TERM_JUMP;
            middle->line = block->line;
            middle->edge[0] = *edge;
            middle->loop_depth = is_back ? block->loop_depth : edge->to->loop_depth;
            ir_add_pred(fn, middle, block);
            ir_remove_pred(edge->to, block);
            ir_add_pred(fn, edge->to, middle);
            edge->to = middle;
            edge->arg_count = 0;
            edge->arg_cap = 0;
            edge->args = NULL;
            /* 'order' holds, until the merge below, the block that this one stands before. */
            middle->order = is_back ? i + 1 : middle->edge[0].to->order;
            before[before_count++] = middle;
        }
    }
    if (!before_count) {
        return true;
    }
    /* Insertion by counting: chains of new blocks by the block they precede. */
    struct ir_block **head = arena_array(cg->arena, (size_t)fn->block_count + 1, sizeof *head);
    if (!head) {
        return false;
    }
    for (uint32_t k = before_count; k-- > 0;) {
        before[k]->aux = head[before[k]->order];
        head[before[k]->order] = before[k];
    }
    for (uint32_t i = 0; i <= fn->block_count; i++) {
        for (struct ir_block *middle = head[i]; middle; middle = middle->aux) {
            list[count++] = middle;
        }
        if (i < fn->block_count) {
            list[count++] = fn->blocks[i];
        }
    }
    fn->blocks = list;
    fn->block_count = count;
    fn->block_cap = count;
    for (uint32_t i = 0; i < count; i++) {
        list[i]->order = i;
    }
    ir_dominators(fn->blocks, fn->block_count);
    return true;
}

/* ---- after allocation
 * ----------------------------------------------------------------------------- */

/* First block from b on that has operations; block_count if none. */
static uint32_t skip_empty(const struct cg *cg, uint32_t b) {
    while (b < cg->block_count && cg->blocks[b].first == cg->blocks[b].end) {
        b++;
    }
    return b;
}

/* Where a branch to block b really leads: past empty blocks and blocks that only jump. */
static uint32_t resolve(const struct cg *cg, uint32_t b) {
    for (uint32_t steps = 0; steps < 64; steps++) {
        uint32_t at = skip_empty(cg, b);
        if (at == cg->block_count) {
            return b;
        }
        const struct cg_op *op = &cg->ops[cg->blocks[at].first];
        if (op->kind != CG_JUMP || op->target == at) {
            return at;
        }
        b = op->target;
    }
    return b;
}

/* Empties blocks that nothing leads to any more. */
static void drop_unreached(struct cg *cg) {
    bool *reached = arena_array(cg->arena, (size_t)cg->block_count + 1, sizeof *reached);
    if (!reached) {
        return;
    }
    for (uint32_t b = 0; b < cg->block_count; b++) {
        for (uint32_t i = cg->blocks[b].first; i < cg->blocks[b].end; i++) {
            if (cg->ops[i].target != CG_NONE) {
                reached[skip_empty(cg, cg->ops[i].target)] = true;
            }
        }
    }
    bool falls = true;
    for (uint32_t b = 0; b < cg->block_count; b++) {
        struct cg_block *block = &cg->blocks[b];
        if (block->first == block->end) {
            continue;
        }
        if (!falls && !reached[b]) {
            block->end = block->first;
            continue;
        }
        uint8_t last = cg->ops[block->end - 1].kind;
        falls = last != CG_JUMP && last != CG_END;
    }
}

/*
 * Copies that coalescing removed leave blocks that only jump: branches lead past them, and a jump
 * to what follows anyway goes. From the end backwards, so that a block that becomes empty counts as
 * such. What is removed stays in the array of operations, outside all blocks.
 */
void cg_clean_jumps(struct cg *cg) {
    for (uint32_t i = 0; i < cg->op_count; i++) {
        struct cg_op *op = &cg->ops[i];
        if (op->kind == CG_JUMP || op->kind == CG_BRANCH) {
            op->target = resolve(cg, op->target);
        }
    }
    drop_unreached(cg);
    for (uint32_t b = cg->block_count; b-- > 0;) {
        while (cg->blocks[b].end > cg->blocks[b].first) {
            const struct cg_op *op = &cg->ops[cg->blocks[b].end - 1];
            bool can = op->kind == CG_JUMP || op->kind == CG_BRANCH;
            if (!can || op->target <= b || skip_empty(cg, b + 1) < op->target) {
                break;
            }
            cg->blocks[b].end--;
        }
    }
}

/* ---- loops
 * ---------------------------------------------------------------------------------------- */

/* Operations of a loop's header that a back edge may repeat instead of jumping there. */
#define ROTATE_OPS 4u

/* The header can stand at the end of the loop too: few operations, one exact branch, then the body.
 */
static bool can_repeat(const struct cg *cg, uint32_t header) {
    const struct cg_block *block = &cg->blocks[header];
    uint32_t count = block->end - block->first;
    if (!count || count > ROTATE_OPS + 1) {
        return false;
    }
    for (uint32_t i = block->first; i + 1 < block->end; i++) {
        if (cg->ops[i].kind != CG_ARITH) {
            return false;
        }
    }
    const struct cg_op *branch = &cg->ops[block->end - 1];
    return branch->kind == CG_BRANCH && branch->target > header &&
           (branch->cond == ISA_COND_Z || branch->cond == ISA_COND_NZ);
}

/*
 * A back edge that jumps to a short test does the test itself and branches to the body: one branch
 * a trip instead of two. Registers are assigned, so the header's operations mean the same there.
 */
bool cg_rotate_loops(struct cg *cg) {
    struct cg_op *old = cg->ops;
    bool found = false;
    for (uint32_t b = 0; b < cg->block_count && cg->optimise; b++) {
        const struct cg_block *block = &cg->blocks[b];
        const struct cg_op *last = block->end > block->first ? &old[block->end - 1] : NULL;
        found |= last && last->kind == CG_JUMP && last->target <= b && can_repeat(cg, last->target);
    }
    if (!found) {
        return true;
    }
    struct cg_block *blocks = arena_array(cg->arena, (size_t)cg->block_count + 1, sizeof *blocks);
    if (!blocks) {
        cg_fail(cg, "out of memory");
        return false;
    }
    cg->ops = NULL;
    cg->op_count = 0;
    cg->op_cap = 0;
    for (uint32_t b = 0; b < cg->block_count; b++) {
        struct cg_block block = cg->blocks[b];
        blocks[b].first = cg->op_count;
        blocks[b].loop_depth = block.loop_depth;
        for (uint32_t i = block.first; i < block.end; i++) {
            struct cg_op op = old[i];
            uint32_t header = op.target;
            bool is_back = op.kind == CG_JUMP && header <= b && i + 1 == block.end;
            uint32_t from = is_back ? cg->blocks[header].first : 0;
            uint32_t to = is_back ? cg->blocks[header].end : 0;
            struct cg_op *all = cg->ops;
            cg->ops = old; /* can_repeat looks at the blocks as they were */
            bool repeat = is_back && can_repeat(cg, header);
            cg->ops = all;
            for (uint32_t k = from; repeat && k < to; k++) {
                struct cg_op *copy = cg_new_op(cg, CG_ARITH);
                if (!copy || cg->failed) {
                    return false;
                }
                *copy = old[k];
                if (k + 1 == to) {
                    op.target = copy->target; /* the way out */
                    copy->target = header + 1;
                    copy->cond = copy->cond == ISA_COND_Z ? ISA_COND_NZ : ISA_COND_Z;
                }
            }
            struct cg_op *slot = cg_new_op(cg, CG_ARITH);
            if (!slot || cg->failed) {
                return false;
            }
            *slot = op;
        }
        blocks[b].end = cg->op_count;
    }
    cg->blocks = blocks;
    return true;
}
