/* SPDX-License-Identifier: MIT */
/*
 * Copy propagation. Every use is rewritten to the value behind moves, behind vectors whose selected
 * components come from one value, and behind block parameters that always receive the same value;
 * swizzles and negations compose on the way. Inputs and uniforms are brought to one whole-register
 * instruction each, so that later passes see different components of one register as one value.
 */
#include "vm/ir/passes.h"

#include <string.h>

/* One step towards the origin of a source; false when it is there. */
static bool step(struct ir_src *src) {
    const struct ir_inst *def = src->def;
    if (def->is_param) {
        if (!def->aux) {
            return false;
        }
        *src = ir_src_through(*src, *(const struct ir_src *)def->aux); /* a trivial parameter */
        return true;
    }
    if (def->op == IR_MOV) {
        *src = ir_src_through(*src, def->args[0]);
        return true;
    }
    if (def->op == IR_VEC) {
        struct ir_src out = *src;
        const struct ir_src *first = &def->args[src->swz[0]];
        for (unsigned i = 0; i < src->comps; i++) {
            const struct ir_src *arg = &def->args[src->swz[i]];
            if (arg->def != first->def || arg->neg != first->neg) {
                return false;
            }
            out.swz[i] = arg->swz[0];
        }
        out.def = first->def;
        out.neg = src->neg != first->neg;
        *src = out;
        return true;
    }
    return false;
}

bool ir_resolve(struct ir_src *src) {
    bool changed = false;
    while (step(src)) {
        changed = true;
    }
    return changed;
}

static void resolve(void *context, struct ir_src *src) {
    bool *changed = context;
    *changed |= ir_resolve(src);
}

bool ir_param_is_trivial(struct ir_fn *fn, struct ir_inst *param) {
    static const uint8_t in_order[4] = {0, 1, 2, 3};
    const struct ir_block *block = param->block;
    struct ir_src same = {0};
    for (uint32_t p = 0; p < block->pred_count; p++) {
        const struct ir_block *pred = block->preds[p];
        for (unsigned e = 0; e < ir_edge_count(pred); e++) {
            if (pred->edge[e].to != block) {
                continue;
            }
            struct ir_src arg = pred->edge[e].args[param->io];
            ir_resolve(&arg);
            if (arg.def == param && !arg.neg && !memcmp(arg.swz, in_order, arg.comps)) {
                continue;
            }
            if (same.def && !ir_src_equal(same, arg)) {
                return false;
            }
            same = arg;
        }
    }
    /* A value that does not dominate the block could only come from a dead cycle. */
    if (!same.def || same.def == param || !ir_dominates(same.def->block, block)) {
        return false;
    }
    struct ir_src *keep = arena_alloc(fn->arena, sizeof *keep);
    if (!keep) {
        return false;
    }
    *keep = same;
    param->aux = keep;
    return true;
}

void ir_forget_trivial(struct ir_fn *fn) {
    for (uint32_t i = 0; i < fn->block_count; i++) {
        for (uint32_t k = 0; k < fn->blocks[i]->param_count; k++) {
            fn->blocks[i]->params[k]->aux = NULL;
        }
    }
}

/* Finds parameters whose arguments are all one value (or the parameter itself). */
static bool trivial_params(struct ir_fn *fn) {
    bool found = false;
    ir_forget_trivial(fn);
    for (uint32_t i = 1; i < fn->block_count; i++) {
        for (uint32_t k = 0; k < fn->blocks[i]->param_count; k++) {
            found |= ir_param_is_trivial(fn, fn->blocks[i]->params[k]);
        }
    }
    return found;
}

void ir_drop_trivial(struct ir_fn *fn) {
    for (uint32_t i = 0; i < fn->block_count; i++) {
        struct ir_block *block = fn->blocks[i];
        for (uint32_t k = block->param_count; k-- > 0;) {
            if (block->params[k]->aux) {
                ir_remove_param(block, k);
            }
        }
    }
}

/* Turns 'inst' into a MOV of components first.. of 'whole'. */
static void become_move(struct ir_fn *fn, struct ir_inst *inst, struct ir_inst *whole,
                        unsigned first) {
    struct ir_src *args = arena_alloc(fn->arena, sizeof *args);
    if (!args) {
        return;
    }
    args->def = whole;
    args->comps = inst->comps;
    for (unsigned c = 0; c < 4; c++) {
        args->swz[c] = (uint8_t)(c < inst->comps ? first + c : 0);
    }
    inst->op = IR_MOV;
    inst->args = args;
    inst->arg_count = 1;
}

/* Inputs move to the entry, one instruction each; uniform reads widen to whole registers. */
static bool whole_registers(struct ir_fn *fn) {
    struct ir_inst **inputs = arena_array(fn->arena, fn->input_count + 1, sizeof *inputs);
    bool changed = false;
    if (!inputs) {
        return false;
    }
    for (uint32_t i = 0; i < fn->block_count; i++) {
        for (struct ir_inst *inst = fn->blocks[i]->first, *next; inst; inst = next) {
            next = inst->next;
            if (inst->op == IR_INPUT && inputs[inst->io] != inst) {
                struct ir_inst *whole = inputs[inst->io];
                if (!whole) {
                    whole = ir_new_inst(fn, IR_INPUT, fn->inputs[inst->io].comps, 0);
                    if (whole == fn->spare) {
                        return changed;
                    }
                    whole->io = inst->io;
                    inputs[inst->io] = whole;
                    ir_prepend_inst(fn->blocks[0], whole);
                }
                become_move(fn, inst, whole, 0);
                changed = true;
            } else if (inst->op == IR_UNIFORM && inst->comps != 4) {
                struct ir_inst *whole = ir_new_inst(fn, IR_UNIFORM, 4, inst->arg_count);
                if (whole == fn->spare) {
                    return changed;
                }
                whole->base = inst->base;
                whole->extent = inst->extent;
                whole->line = inst->line;
                if (inst->arg_count) {
                    whole->args[0] = inst->args[0];
                }
                ir_insert_before(inst, whole);
                become_move(fn, inst, whole, inst->comp);
                changed = true;
            }
        }
    }
    return changed;
}

bool ir_canonical(struct ir_fn *fn) {
    return whole_registers(fn);
}

bool ir_opt_copy(struct ir_fn *fn) {
    bool changed = false;
    ir_dominators(fn->blocks, fn->block_count);
    for (unsigned round = 0; round < 8; round++) {
        bool found = trivial_params(fn);
        ir_each_src(fn, resolve, &changed);
        if (!found) {
            break;
        }
        ir_drop_trivial(fn);
        changed = true;
    }
    return changed;
}
