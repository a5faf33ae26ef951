/* SPDX-License-Identifier: MIT */
/*
 * Dead code by components. A mark phase finds which components of each value somebody needs,
 * starting from side effects and branch conditions; the sweep removes values and parameters of
 * which nothing is needed and narrows component-wise operations, vectors, literals and parameters
 * to what is, giving equal components one place. Stores to arrays that nobody loads are dead.
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

static void need(struct dce *dce, const struct ir_src *src, unsigned comps_mask) {
    struct info *info = info_of(dce, src->def);
    unsigned mask = 0;
    for (unsigned i = 0; i < src->comps; i++) {
        if (comps_mask & 1u << i) {
            mask |= 1u << src->swz[i];
        }
    }
    if ((info->need | mask) == info->need) {
        return;
    }
    info->need |= (uint8_t)mask;
    if (!info->is_waiting) {
        info->is_waiting = true;
        dce->work[dce->work_count++] = src->def;
    }
}

static void need_all(struct dce *dce, const struct ir_inst *inst) {
    for (unsigned a = 0; a < inst->arg_count; a++) {
        need(dce, &inst->args[a], 15);
    }
}

static void need_param(struct dce *dce, const struct ir_inst *param, unsigned mask) {
    const struct ir_block *block = param->block;
    for (uint32_t p = 0; p < block->pred_count; p++) {
        const struct ir_block *pred = block->preds[p];
        for (unsigned e = 0; e < ir_edge_count(pred); e++) {
            if (pred->edge[e].to == block) {
                need(dce, &pred->edge[e].args[param->io], mask);
            }
        }
    }
}

static void visit(struct dce *dce, const struct ir_inst *inst) {
    unsigned mask = info_of(dce, inst)->need;
    if (inst->is_param) {
        need_param(dce, inst, mask);
    } else if (inst->op == IR_VEC) {
        for (unsigned c = 0; c < inst->comps; c++) {
            if (mask & 1u << c) {
                need(dce, &inst->args[c], 1);
            }
        }
    } else if (ir_op_infos[inst->op].flags & IR_W) {
        for (unsigned a = 0; a < inst->arg_count; a++) {
            need(dce, &inst->args[a], inst->args[a].comps == 1 ? 1 : mask);
        }
    } else {
        need_all(dce, inst);
        if (inst->op == IR_LOAD && !dce->var_live[inst->io]) {
            dce->var_live[inst->io] = true;
            for (const struct ir_inst *store = dce->stores[inst->io]; store; store = store->aux) {
                need_all(dce, store);
            }
        }
    }
}

static void mark(struct dce *dce) {
    struct ir_fn *fn = dce->fn;
    for (uint32_t i = 0; i < fn->block_count; i++) {
        for (struct ir_inst *inst = fn->blocks[i]->first; inst; inst = inst->next) {
            if (inst->op == IR_STORE) {
                inst->aux = dce->stores[inst->io];
                dce->stores[inst->io] = inst;
            }
        }
    }
    for (uint32_t i = 0; i < fn->block_count; i++) {
        struct ir_block *block = fn->blocks[i];
        for (struct ir_inst *inst = block->first; inst; inst = inst->next) {
            if ((ir_op_infos[inst->op].flags & IR_S) && inst->op != IR_STORE) {
                need_all(dce, inst);
            }
        }
        if (block->term == IR_TERM_BRANCH) {
            need(dce, &block->cond, 1);
        }
    }
    while (dce->work_count) {
        struct ir_inst *inst = dce->work[--dce->work_count];
        info_of(dce, inst)->is_waiting = false;
        visit(dce, inst);
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

/* Chooses the components that stay; true when fewer than before. */
static bool plan(const struct dce *dce, struct ir_inst *inst) {
    struct info *info = info_of(dce, inst);
    bool can = inst->is_param || inst->op == IR_VEC || inst->op == IR_CONST ||
               ((ir_op_infos[inst->op].flags & IR_W) != 0);
    if (!can || inst->comps < 2 || !info->need) {
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
    for (unsigned i = 0; i < src->comps; i++) {
        src->swz[i] = info->map[src->swz[i]];
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
        for (struct ir_inst *inst = block->first, *next; inst; inst = next) {
            next = inst->next;
            bool is_dead = inst->op == IR_STORE
                               ? !dce->var_live[inst->io]
                               : !(ir_op_infos[inst->op].flags & IR_S) && !info_of(dce, inst)->need;
            if (is_dead) {
                ir_unlink_inst(inst);
            }
        }
    }
    for (uint32_t i = 0; i < fn->block_count; i++) {
        struct ir_block *block = fn->blocks[i];
        for (uint32_t k = 0; k < block->param_count; k++) {
            narrowed |= plan(dce, block->params[k]);
        }
        for (struct ir_inst *inst = block->first; inst; inst = inst->next) {
            narrowed |= inst->comps && plan(dce, inst);
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
