/* SPDX-License-Identifier: MIT */
/*
 * Every invariant of the IR, checked after each pass in debug builds and by the tests: shape of the
 * graph, sources and widths of each operation, dominance of definitions over uses, edge arguments.
 */
#include "vm/ir/ir.h"

#include "vm/base/bits.h"
#include "vm/ir/passes.h"

static const char *check_src(const struct ir_src *src, const struct ir_block *user) {
    if (!src->def) {
        return "a source has no definition";
    }
    if (src->comps < 1 || src->comps > 4 || !src->def->comps) {
        return "a source has no components";
    }
    for (unsigned i = 0; i < src->comps; i++) {
        if (src->swz[i] >= src->def->comps) {
            return "a swizzle reads beyond the value";
        }
    }
    if (!user->idom) {
        return NULL; /* unreachable: nothing dominates it */
    }
    if (!src->def->block) {
        return "a source is defined outside all blocks";
    }
    if (src->def->block == user) {
        return src->def->aux || src->def->is_param ? NULL : "a value is used before its definition";
    }
    return ir_dominates(src->def->block, user) ? NULL : "a definition does not dominate its use";
}

static const char *check_widths(const struct ir_fn *fn, const struct ir_inst *inst) {
    const struct ir_op_info *info = &ir_op_infos[inst->op];
    unsigned bits = bits_popcount32(inst->mask);
    if (info->flags & IR_W) {
        for (unsigned i = 0; i < inst->arg_count; i++) {
            bool is_condition = inst->op == IR_SEL && i == 0;
            if (inst->args[i].comps != inst->comps && !(is_condition && inst->args[i].comps == 1)) {
                return "widths of a component-wise operation differ";
            }
        }
        return NULL;
    }
    if (info->flags & (IR_D | IR_T)) {
        for (unsigned i = 0; i < inst->arg_count; i++) {
            if (inst->args[i].comps != (info->flags & IR_D ? 2 : 1)) {
                return "a double has two components";
            }
        }
        return inst->comps == (info->flags & IR_T ? 2 : 1) ? NULL : "a double has two components";
    }
    if (info->flags & IR_B) {
        for (unsigned i = 0; i < inst->arg_count; i++) {
            if (inst->args[i].comps != (inst->op == IR_TO_BYTES ? 4 : 1) || (inst->args[i].neg && inst->op != IR_TO_BYTES)) {
                return "a word has one component and no sign";
            }
        }
        return inst->comps == (inst->op == IR_FROM_BYTES ? 4 : 1) ? NULL : "a word has one component";
    }
    switch (inst->op) {
    case IR_VEC:
        if (inst->arg_count != inst->comps) {
            return "vec needs one source for each component";
        }
        for (unsigned i = 0; i < inst->arg_count; i++) {
            if (inst->args[i].comps != 1) {
                return "vec takes scalars";
            }
        }
        return NULL;
    case IR_DOT:
        return inst->comps == 1 && inst->args[0].comps == inst->args[1].comps ? NULL
                                                                              : "dot widths differ";
    case IR_INPUT:
        return inst->io < fn->input_count && inst->comps <= fn->inputs[inst->io].comps
                   ? NULL
                   : "no such input";
    case IR_OUTPUT:
        return inst->io < fn->output_count && inst->mask && inst->args[0].comps == bits &&
                       inst->mask >> fn->outputs[inst->io].comps == 0
                   ? NULL
                   : "no such output or mask";
    case IR_UNIFORM:
        if (inst->arg_count > 1 || inst->comp + inst->comps > 4 || !inst->extent) {
            return "malformed uniform";
        }
        return (uint64_t)inst->base + inst->extent <= fn->uniform_regs ? NULL
                                                                       : "uniform beyond its file";
    case IR_LOAD:
        if (inst->io >= fn->var_count || inst->base >= fn->vars[inst->io].elements ||
            inst->arg_count > 1) {
            return "no such variable or element";
        }
        return inst->comps == fn->vars[inst->io].comps ? NULL : "load width";
    case IR_STORE:
        if (inst->io >= fn->var_count || inst->base >= fn->vars[inst->io].elements ||
            inst->arg_count < 1 || inst->arg_count > 2) {
            return "no such variable or element";
        }
        return inst->mask && inst->args[0].comps == bits &&
                       inst->mask >> fn->vars[inst->io].comps == 0
                   ? NULL
                   : "store width";
    case IR_TEX: {
        unsigned want = 1u + (inst->tex.mode == IR_TEX_BIAS || inst->tex.mode == IR_TEX_LOD) +
                        (inst->tex.mode == IR_TEX_GRAD ? 2u : 0u) + inst->tex.has_reference +
                        inst->tex.has_index;
        if (inst->arg_count != want || inst->comps != (inst->tex.bytes ? 1 : 4)) {
            return "texture sources";
        }
        return inst->tex.elements &&
                       (uint32_t)inst->tex.sampler + inst->tex.elements <= fn->sampler_count
                   ? NULL
                   : "no such sampler";
    }
    case IR_KILL: return inst->args[0].comps == 1 ? NULL : "kill takes a scalar";
    default: return NULL;
    }
}

static const char *check_inst(const struct ir_fn *fn, const struct ir_inst *inst,
                              const struct ir_block *block) {
    if (inst->op >= IR_OP_COUNT) {
        return "no such operation";
    }
    const struct ir_op_info *info = &ir_op_infos[inst->op];
    bool has_value = inst->op != IR_OUTPUT && inst->op != IR_STORE && inst->op != IR_KILL;
    if (inst->block != block || (inst->next && inst->next->prev != inst) || inst->is_param) {
        return "instruction list damaged";
    }
    if (inst->comps > 4 || (inst->comps != 0) != has_value) {
        return "wrong number of result components";
    }
    if (info->args >= 0 && inst->arg_count != info->args) {
        return "wrong number of sources";
    }
    for (unsigned i = 0; i < inst->arg_count; i++) {
        const char *fault = check_src(&inst->args[i], block);
        if (fault) {
            return fault;
        }
    }
    return check_widths(fn, inst);
}

static const char *check_edges(const struct ir_block *block, uint32_t block_count) {
    if (block->term == IR_TERM_NONE) {
        return "a block has no end";
    }
    if (block->term == IR_TERM_BRANCH) {
        const char *fault = check_src(&block->cond, block);
        if (fault || block->cond.comps != 1) {
            return fault ? fault : "a condition is not scalar";
        }
    }
    for (unsigned e = 0; e < ir_edge_count(block); e++) {
        const struct ir_edge *edge = &block->edge[e];
        if (!edge->to || edge->to->order >= block_count) {
            return "an edge leads nowhere";
        }
        unsigned found = 0;
        for (uint32_t p = 0; p < edge->to->pred_count; p++) {
            found += edge->to->preds[p] == block;
        }
        if (!found) {
            return "an edge is missing from the predecessors";
        }
        if (edge->arg_count != edge->to->param_count) {
            return "edge arguments do not match the parameters";
        }
        for (uint32_t a = 0; a < edge->arg_count; a++) {
            const char *fault = check_src(&edge->args[a], block);
            if (fault) {
                return fault;
            }
            if (edge->args[a].comps != edge->to->params[a]->comps) {
                return "an edge argument has another width than the parameter";
            }
        }
    }
    return NULL;
}

static const char *check_block(const struct ir_fn *fn, struct ir_block *block) {
    for (uint32_t p = 0; p < block->pred_count; p++) {
        const struct ir_block *pred = block->preds[p];
        bool is_target = false;
        for (unsigned e = 0; e < ir_edge_count(pred); e++) {
            is_target |= pred->edge[e].to == block;
        }
        if (!is_target || (pred->order >= fn->block_count && block->idom)) {
            return "a predecessor does not lead here";
        }
    }
    for (uint32_t i = 0; i < block->param_count; i++) {
        if (!block->params[i]->is_param || block->params[i]->block != block ||
            !block->params[i]->comps) {
            return "malformed parameter";
        }
    }
    for (struct ir_inst *inst = block->first; inst; inst = inst->next) {
        inst->aux = NULL;
    }
    for (struct ir_inst *inst = block->first; inst; inst = inst->next) {
        const char *fault = check_inst(fn, inst, block);
        if (fault) {
            return fault;
        }
        inst->aux = block; /* its uses from here on are behind the definition */
    }
    return check_edges(block, fn->block_count);
}

const char *ir_validate(const struct ir_fn *fn, uint32_t *where) {
    *where = 0;
    if (!fn->block_count) {
        return "no blocks";
    }
    for (uint32_t i = 0; i < fn->block_count; i++) {
        *where = fn->blocks[i]->id;
        if (fn->blocks[i]->order != i) {
            return "block order";
        }
    }
    if (fn->blocks[0]->pred_count || fn->blocks[0]->param_count) {
        return "the entry has predecessors or parameters";
    }
    ir_dominators(fn->blocks, fn->block_count);
    for (uint32_t i = 0; i < fn->block_count; i++) {
        *where = fn->blocks[i]->id;
        const char *fault = check_block(fn, fn->blocks[i]);
        if (fault) {
            return fault;
        }
    }
    return NULL;
}
