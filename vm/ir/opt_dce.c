/* SPDX-License-Identifier: MIT */
/*
 * Dead code by components. A mark phase finds which components of each value somebody needs,
 * starting from side effects and branch conditions; the sweep removes values and parameters of
 * which nothing is needed and narrows component-wise operations, vectors, literals and parameters
 * to what is, giving equal components one place. Stores to arrays that nobody loads are dead.
 *
 *   The mark phase is one walk from the end: a value's uses stand behind it, so all of them have been
 * seen when the walk comes to it. What that misses, uses that come round a loop or through an array, goes
 * through a work list.
 */
#include "vm/ir/passes.h"

#include <string.h>

struct info {
    uint8_t need;   /* mask of components */
    uint8_t map[4]; /* new component of each old one */
    bool is_mapped;
    bool is_waiting; /* in the work list */
};

struct dce {
    struct ir_fn *fn;
    struct info *infos; /* by instruction id */
    struct ir_inst **work;
    uint32_t work_count;
    struct ir_inst **stores; /* by variable: chain through aux */
    bool *var_live;
};

static struct info *info_of(const struct dce *dce, const struct ir_inst *inst) {
    return &dce->infos[inst->id];
}

/* Components of 'src' that 'lanes' of its user read are needed. A value in a block from 'walked' on goes to the work
   list: the walk has been there. */
static void need(struct dce *dce, const struct ir_src *src, unsigned lanes, uint32_t walked) {
    struct info *info = info_of(dce, src->def);
    unsigned mask = (lanes & 1u) << (src->swz[0] & 3);
    if (src->comps > 1) {
        lanes &= (1u << src->comps) - 1u;
        for (unsigned i = 1; i < 4; i++) {
            mask |= (lanes >> i & 1u) << (src->swz[i] & 3);
        }
    }
    if ((info->need | mask) == info->need) {
        return;
    }
    info->need |= (uint8_t)mask;
    const struct ir_block *block = src->def->block;
    if (block && block->order >= walked && !info->is_waiting) {
        info->is_waiting = true;
        dce->work[dce->work_count++] = src->def;
    }
}

static void need_all(struct dce *dce, const struct ir_inst *inst, uint32_t walked) {
    for (unsigned a = 0; a < inst->arg_count; a++) {
        need(dce, &inst->args[a], 15, walked);
    }
}

static void need_param(struct dce *dce, const struct ir_inst *param, unsigned mask, uint32_t walked) {
    const struct ir_block *block = param->block;
    for (uint32_t p = 0; p < block->pred_count; p++) {
        const struct ir_block *pred = block->preds[p];
        for (unsigned e = 0; e < ir_edge_count(pred); e++) {
            if (pred->edge[e].to == block) {
                need(dce, &pred->edge[e].args[param->io], mask, walked);
            }
        }
    }
}

/* Hands what is needed of a value on to its sources. */
static void visit(struct dce *dce, const struct ir_inst *inst, unsigned mask, uint32_t walked) {
    if (inst->is_param) {
        need_param(dce, inst, mask, walked);
    } else if (inst->op == IR_VEC) {
        for (unsigned c = 0; c < inst->comps; c++) {
            if (mask & 1u << c) {
                need(dce, &inst->args[c], 1, walked);
            }
        }
    } else if (ir_op_infos[inst->op].flags & IR_W) {
        for (unsigned a = 0; a < inst->arg_count; a++) {
            need(dce, &inst->args[a], inst->args[a].comps == 1 ? 1 : mask, walked);
        }
    } else {
        need_all(dce, inst, walked);
        if (inst->op == IR_LOAD && !dce->var_live[inst->io]) {
            dce->var_live[inst->io] = true;
            for (const struct ir_inst *store = dce->stores[inst->io]; store; store = store->aux) {
                need_all(dce, store, 0);
            }
        }
    }
}

static void mark_block(struct dce *dce, const struct ir_block *block) {
    const uint32_t walked = block->order + 1;
    if (block->term == IR_TERM_BRANCH) {
        need(dce, &block->cond, 1, walked);
    }
    for (const struct ir_inst *inst = block->last; inst; inst = inst->prev) {
        const unsigned mask = info_of(dce, inst)->need;
        if (mask) {
            visit(dce, inst, mask, walked);
        } else if ((ir_op_infos[inst->op].flags & IR_S) && inst->op != IR_STORE) {
            need_all(dce, inst, walked);
        }
    }
    for (uint32_t k = 0; k < block->param_count; k++) {
        const unsigned mask = info_of(dce, block->params[k])->need;
        if (mask) {
            need_param(dce, block->params[k], mask, block->order); /* its own block is behind us */
        }
    }
}

static void mark(struct dce *dce) {
    struct ir_fn *fn = dce->fn;
    for (uint32_t i = 0; fn->var_count && i < fn->block_count; i++) {
        for (struct ir_inst *inst = fn->blocks[i]->first; inst; inst = inst->next) {
            if (inst->op == IR_STORE) {
                inst->aux = dce->stores[inst->io];
                dce->stores[inst->io] = inst;
            }
        }
    }
    for (uint32_t i = fn->block_count; i-- > 0;) {
        mark_block(dce, fn->blocks[i]);
    }
    while (dce->work_count) {
        struct ir_inst *inst = dce->work[--dce->work_count];
        info_of(dce, inst)->is_waiting = false;
        visit(dce, inst, info_of(dce, inst)->need, 0);
    }
}

/* True when components i and j of a value are the same by construction. */
static bool same_comp(const struct ir_inst *inst, unsigned i, unsigned j) {
    if (inst->is_param) {
        return false;
    }
    if (inst->op == IR_CONST) {
        return !memcmp(&inst->imm[i], &inst->imm[j], sizeof inst->imm[i]);
    }
    if (inst->op == IR_VEC) {
        return ir_src_equal(inst->args[i], inst->args[j]);
    }
    for (unsigned a = 0; a < inst->arg_count; a++) {
        if (inst->args[a].comps > 1 && inst->args[a].swz[i] != inst->args[a].swz[j]) {
            return false;
        }
    }
    return true;
}

/* A component-wise operation of which a source names as many components as it has: no two are the same. */
static bool all_differ(const struct ir_inst *inst) {
    if (inst->is_param) {
        return true;
    }
    for (unsigned a = 0; a < inst->arg_count; a++) {
        const struct ir_src *arg = &inst->args[a];
        unsigned seen = 0, twice = 0;
        for (unsigned i = 0; i < 4; i++) {
            const unsigned bit = (i < arg->comps ? 1u : 0u) << (arg->swz[i] & 3);
            twice |= seen & bit;
            seen |= bit;
        }
        if (arg->comps > 1 && !twice) {
            return true;
        }
    }
    return false;
}

/* Chooses the components that stay; true when fewer than before. */
static bool plan(const struct dce *dce, struct ir_inst *inst) {
    struct info *info = info_of(dce, inst);
    bool is_wise = inst->is_param || (ir_op_infos[inst->op].flags & IR_W) != 0;
    if (inst->comps < 2 || !info->need || !(is_wise || inst->op == IR_VEC || inst->op == IR_CONST) ||
        (is_wise && info->need == (1u << inst->comps) - 1u && all_differ(inst))) {
        return false;
    }
    unsigned kept[4];
    unsigned count = 0;
    for (unsigned c = 0; c < inst->comps; c++) {
        if (!(info->need & 1u << c)) {
            continue;
        }
        unsigned k = 0;
        while (k < count && !same_comp(inst, kept[k], c)) {
            k++;
        }
        if (k == count) {
            kept[count++] = c;
        }
        info->map[c] = (uint8_t)k;
    }
    if (count == inst->comps) {
        return false;
    }
    info->is_mapped = true;
    for (unsigned k = 0; k < count; k++) {
        if (inst->op == IR_CONST) {
            inst->imm[k] = inst->imm[kept[k]];
        } else if (inst->op == IR_VEC && !inst->is_param) {
            inst->args[k] = inst->args[kept[k]];
        }
    }
    if (inst->is_param) {
        struct ir_block *block = inst->block;
        for (uint32_t p = 0; p < block->pred_count; p++) {
            for (unsigned e = 0; e < ir_edge_count(block->preds[p]); e++) {
                struct ir_edge *edge = &block->preds[p]->edge[e];
                if (edge->to == block && edge->args[inst->io].comps == inst->comps) {
                    struct ir_src *arg = &edge->args[inst->io];
                    for (unsigned k = 0; k < count; k++) {
                        arg->swz[k] = arg->swz[kept[k]];
                    }
                    arg->comps = (uint8_t)count;
                }
            }
        }
    } else if (inst->op == IR_VEC) {
        inst->arg_count = (uint16_t)count;
    } else {
        for (unsigned a = 0; a < inst->arg_count; a++) {
            struct ir_src *arg = &inst->args[a];
            for (unsigned k = 0; arg->comps > 1 && k < count; k++) {
                arg->swz[k] = arg->swz[kept[k]];
            }
            arg->comps = (uint8_t)(arg->comps > 1 ? count : 1);
        }
    }
    inst->comps = (uint8_t)count;
    return true;
}

static void remap(void *context, struct ir_src *src) {
    const struct info *info = info_of(context, src->def);
    if (!info->is_mapped) {
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        src->swz[i] = info->map[src->swz[i] & 3];
    }
}

/* True when values were narrowed, so that others may have become equal. */
static bool sweep(struct dce *dce) {
    struct ir_fn *fn = dce->fn;
    bool narrowed = false;
    for (uint32_t i = 0; i < fn->block_count; i++) {
        struct ir_block *block = fn->blocks[i];
        for (uint32_t k = block->param_count; k-- > 0;) {
            if (!info_of(dce, block->params[k])->need) {
                ir_remove_param(block, k);
            }
        }
        for (uint32_t k = 0; k < block->param_count; k++) {
            narrowed |= plan(dce, block->params[k]);
        }
        for (struct ir_inst *inst = block->first, *next; inst; inst = next) {
            next = inst->next;
            if (info_of(dce, inst)->need) {
                narrowed |= plan(dce, inst);
            } else if (inst->op == IR_STORE ? !dce->var_live[inst->io] : !(ir_op_infos[inst->op].flags & IR_S)) {
                ir_unlink_inst(inst);
            }
        }
    }
    if (narrowed) {
        ir_each_src(fn, remap, dce);
    }
    return narrowed;
}

bool ir_opt_dce(struct ir_fn *fn) {
    struct dce dce = {.fn = fn};
    const size_t ids = (size_t)fn->next_id + 1, vars = fn->var_count + 1;
    dce.infos = ir_table(fn, 0, ids, sizeof *dce.infos);
    dce.work = ir_table(fn, 1, ids, sizeof *dce.work);
    dce.stores = ir_table(fn, 2, vars, sizeof *dce.stores);
    dce.var_live = ir_table(fn, 3, vars, sizeof *dce.var_live);
    if (!dce.infos || !dce.work || !dce.stores || !dce.var_live) {
        return false;
    }
    memset(dce.infos, 0, ids * sizeof *dce.infos);
    memset(dce.stores, 0, vars * sizeof *dce.stores);
    memset(dce.var_live, 0, vars * sizeof *dce.var_live);
    mark(&dce);
    return sweep(&dce);
}
