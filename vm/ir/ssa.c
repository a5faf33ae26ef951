/* SPDX-License-Identifier: MIT */
/*
 * Variables to values. An element of a variable that is never reached by a dynamic index is a slot;
 * each slot is promoted with block parameters at the iterated dominance frontier of its stores
 * (Cytron et al., semi-pruned), its loads are replaced by what was stored, masked stores become
 * VEC. Variables with a dynamic index keep LOAD and STORE. May run again after unrolling, when
 * indices have become constant. A slot read before any store is UNDEF, which is 0.
 */
#include "vm/ir/passes.h"

#include <string.h>

#include "vm/base/bits.h"

struct slot {
    struct ir_src now;    /* current definition while renaming; def NULL = UNDEF */
    uint32_t *def_blocks; /* orders of the blocks with a store */
    uint32_t def_count, def_cap;
    uint32_t last_def; /* block order + 1 of the last store seen */
    uint8_t comps;
    bool crosses; /* loaded in a block before any store there */
};

struct undo {
    uint32_t slot;
    struct ir_src old;
};

struct phi { /* parameter 'index' of a block stands for 'slot' */
    uint32_t slot, index;
};

struct phi_list {
    struct phi *items;
    uint32_t count, cap;
};

struct ssa {
    struct ir_fn *fn;
    struct arena *arena; /* of this pass; what stays is in the function's */
    uint32_t *first_slot; /* of a variable, UINT32_MAX if it stays an array */
    struct slot *slots;
    uint32_t slot_count;
    struct phi_list *phis; /* by block order */
    struct undo *undo;
    uint32_t undo_count, undo_cap;
    struct ir_inst *undef;
};

bool ir_fold_index(const struct ir_fn *fn, struct ir_inst *inst) {
    unsigned arg = inst->op == IR_STORE ? 1 : 0;
    if (inst->arg_count <= arg || !ir_src_constant(inst->args[arg])) {
        return false;
    }
    float value = ir_src_const(inst->args[arg], 0);
    bool is_uniform = inst->op == IR_UNIFORM;
    int64_t low = is_uniform ? inst->base : 0;
    int64_t high = is_uniform ? (int64_t)inst->base + inst->extent - 1
                              : (int64_t)fn->vars[inst->io].elements - 1;
    /* Far beyond any array the number itself does not matter; NaN is 0. */
    value = value > 65536.0f ? 65536.0f : value < -65536.0f ? -65536.0f : value;
    int64_t element = (int64_t)inst->base + (value == value ? (int64_t)value : 0);
    inst->base = (uint32_t)(element < low ? low : element > high ? high : element);
    inst->extent = is_uniform ? 1 : inst->extent;
    inst->arg_count = (uint16_t)arg;
    return true;
}

static bool is_dynamic(const struct ir_inst *inst) {
    return inst->arg_count > (inst->op == IR_STORE ? 1u : 0u);
}

static bool find_slots(struct ssa *ssa) {
    struct ir_fn *fn = ssa->fn;
    for (uint32_t v = 0; v < fn->var_count; v++) {
        fn->vars[v].dynamic = false;
    }
    bool any = false;
    for (uint32_t i = 0; i < fn->block_count; i++) {
        for (struct ir_inst *inst = fn->blocks[i]->first; inst; inst = inst->next) {
            if (inst->op == IR_LOAD || inst->op == IR_STORE) {
                ir_fold_index(fn, inst);
                fn->vars[inst->io].dynamic |= is_dynamic(inst);
                any = true;
            }
        }
    }
    if (!any) {
        return false;
    }
    ssa->first_slot = arena_array(ssa->arena, fn->var_count, sizeof *ssa->first_slot);
    if (!ssa->first_slot) {
        return false;
    }
    for (uint32_t v = 0; v < fn->var_count; v++) {
        ssa->first_slot[v] = fn->vars[v].dynamic ? UINT32_MAX : ssa->slot_count;
        ssa->slot_count += fn->vars[v].dynamic ? 0 : fn->vars[v].elements;
    }
    ssa->slots = arena_array(ssa->arena, ssa->slot_count, sizeof *ssa->slots);
    ssa->phis = arena_array(ssa->arena, fn->block_count, sizeof *ssa->phis);
    if (!ssa->slots || !ssa->phis) {
        return false;
    }
    for (uint32_t v = 0; v < fn->var_count; v++) {
        for (uint32_t e = 0; ssa->first_slot[v] != UINT32_MAX && e < fn->vars[v].elements; e++) {
            ssa->slots[ssa->first_slot[v] + e].comps = fn->vars[v].comps;
        }
    }
    return ssa->slot_count > 0;
}

static struct slot *slot_of(const struct ssa *ssa, const struct ir_inst *inst) {
    bool is_access = (inst->op == IR_LOAD && !inst->is_param) || inst->op == IR_STORE;
    if (!is_access || ssa->first_slot[inst->io] == UINT32_MAX) {
        return NULL;
    }
    return &ssa->slots[ssa->first_slot[inst->io] + inst->base];
}

static void collect_stores(struct ssa *ssa) {
    struct ir_fn *fn = ssa->fn;
    for (uint32_t i = 0; i < fn->block_count; i++) {
        for (struct ir_inst *inst = fn->blocks[i]->first; inst; inst = inst->next) {
            struct slot *slot = slot_of(ssa, inst);
            if (!slot) {
                continue;
            }
            bool is_partial = inst->op == IR_STORE && inst->mask != (1u << slot->comps) - 1;
            if ((inst->op == IR_LOAD || is_partial) && slot->last_def != i + 1) {
                slot->crosses = true;
            }
            if (inst->op == IR_STORE && slot->last_def != i + 1) {
                slot->last_def = i + 1;
                uint32_t *grown = arena_grow(ssa->arena, slot->def_blocks, slot->def_count,
                                             &slot->def_cap, slot->def_count + 1, sizeof *grown);
                if (!grown) {
                    return;
                }
                slot->def_blocks = grown;
                slot->def_blocks[slot->def_count++] = i;
            }
        }
    }
}

struct frontier {
    uint32_t *items;
    uint32_t count, cap;
};

static struct frontier *find_frontiers(struct ssa *ssa) {
    struct ir_fn *fn = ssa->fn;
    struct frontier *all = arena_array(ssa->arena, fn->block_count, sizeof *all);
    for (uint32_t i = 0; all && i < fn->block_count; i++) {
        struct ir_block *block = fn->blocks[i];
        for (uint32_t p = 0; block->pred_count > 1 && p < block->pred_count; p++) {
            for (struct ir_block *run = block->preds[p]; run != block->idom; run = run->idom) {
                struct frontier *f = &all[run->order];
                if (f->count && f->items[f->count - 1] == i) {
                    break; /* this runner, and all above it, already know the block */
                }
                uint32_t *grown = arena_grow(ssa->arena, f->items, f->count, &f->cap, f->count + 1,
                                             sizeof *grown);
                if (!grown) {
                    return NULL;
                }
                f->items = grown;
                f->items[f->count++] = i;
            }
        }
    }
    return all;
}

static bool place_params(struct ssa *ssa) {
    struct ir_fn *fn = ssa->fn;
    const struct frontier *frontiers = find_frontiers(ssa);
    uint32_t *stamp = arena_array(ssa->arena, fn->block_count, sizeof *stamp);
    uint32_t *work = arena_array(ssa->arena, (size_t)fn->block_count * 2, sizeof *work);
    if (!frontiers || !stamp || !work) {
        return false;
    }
    for (uint32_t s = 0; s < ssa->slot_count; s++) {
        struct slot *slot = &ssa->slots[s];
        if (!slot->crosses || !slot->def_count) {
            continue;
        }
        memcpy(work, slot->def_blocks, slot->def_count * sizeof *work);
        uint32_t depth = slot->def_count;
        while (depth) {
            const struct frontier *f = &frontiers[work[--depth]];
            for (uint32_t k = 0; k < f->count; k++) {
                uint32_t target = f->items[k];
                if (stamp[target] == s + 1) {
                    continue;
                }
                stamp[target] = s + 1;
                struct phi_list *list = &ssa->phis[target];
                struct phi *grown = arena_grow(ssa->arena, list->items, list->count, &list->cap,
                                               list->count + 1, sizeof *grown);
                struct ir_inst *param = ir_add_param(fn, fn->blocks[target], slot->comps);
                if (!grown || param == fn->spare) {
                    return false;
                }
                list->items = grown;
                list->items[list->count].slot = s;
                list->items[list->count++].index = fn->blocks[target]->param_count - 1;
                work[depth++] = target; /* each target at most once beside the stores */
            }
        }
    }
    return true;
}

static struct ir_src current(struct ssa *ssa, const struct slot *slot) {
    if (slot->now.def) {
        return slot->now;
    }
    struct ir_src src = ir_use(ssa->undef);
    src.comps = slot->comps;
    return src;
}

static void set_current(struct ssa *ssa, struct slot *slot, struct ir_src value) {
    struct undo *grown = arena_grow(ssa->arena, ssa->undo, ssa->undo_count, &ssa->undo_cap,
                                    ssa->undo_count + 1, sizeof *grown);
    if (!grown) {
        return;
    }
    ssa->undo = grown;
    ssa->undo[ssa->undo_count].slot = (uint32_t)(slot - ssa->slots);
    ssa->undo[ssa->undo_count++].old = slot->now;
    slot->now = value;
}

static void rewrite(struct ssa *ssa, struct ir_src *src) {
    struct ir_inst *def = src->def;
    bool is_lost = def->block ? def->block->order == UINT32_MAX : !def->aux;
    if (def == ssa->fn->spare || is_lost) {
        src->def = ssa->undef; /* built in unreachable code */
    } else if (def->op == IR_LOAD && !def->is_param && def->aux) {
        *src = ir_src_through(*src, *(const struct ir_src *)def->aux);
    }
}

static void rename_load(struct ssa *ssa, const struct slot *slot, struct ir_inst *inst) {
    struct ir_src *value = arena_alloc(ssa->arena, sizeof *value);
    ir_unlink_inst(inst);
    if (value) {
        *value = current(ssa, slot);
        inst->aux = value;
    }
}

static void rename_store(struct ssa *ssa, struct slot *slot, struct ir_inst *inst) {
    struct ir_src value = inst->args[0];
    if (inst->mask != (1u << slot->comps) - 1) {
        struct ir_src old = current(ssa, slot);
        struct ir_inst *vec = ir_new_inst(ssa->fn, IR_VEC, slot->comps, slot->comps);
        if (vec == ssa->fn->spare) {
            return;
        }
        unsigned next = 0;
        for (unsigned c = 0; c < slot->comps; c++) {
            vec->args[c] = inst->mask & 1u << c ? ir_comp(value, next++) : ir_comp(old, c);
        }
        vec->line = inst->line;
        vec->precise = inst->precise;
        ir_insert_before(inst, vec);
        value = ir_use(vec);
    }
    set_current(ssa, slot, value);
    ir_unlink_inst(inst);
}

static void rename_block(struct ssa *ssa, struct ir_block *block) {
    const struct phi_list *phis = &ssa->phis[block->order];
    for (uint32_t i = 0; i < phis->count; i++) {
        set_current(ssa, &ssa->slots[phis->items[i].slot],
                    ir_use(block->params[phis->items[i].index]));
    }
    for (struct ir_inst *inst = block->first, *next; inst; inst = next) {
        next = inst->next;
        for (unsigned a = 0; a < inst->arg_count; a++) {
            rewrite(ssa, &inst->args[a]);
        }
        struct slot *slot = slot_of(ssa, inst);
        if (slot && inst->op == IR_LOAD) {
            rename_load(ssa, slot, inst);
        } else if (slot) {
            rename_store(ssa, slot, inst);
        }
    }
    if (block->term == IR_TERM_BRANCH) {
        rewrite(ssa, &block->cond);
    }
    for (unsigned e = 0; e < ir_edge_count(block); e++) {
        struct ir_edge *edge = &block->edge[e];
        for (uint32_t a = 0; a < edge->arg_count; a++) {
            rewrite(ssa, &edge->args[a]);
        }
        const struct phi_list *list = &ssa->phis[edge->to->order];
        for (uint32_t i = 0; i < list->count; i++) {
            ir_edge_add_arg(ssa->fn, edge, current(ssa, &ssa->slots[list->items[i].slot]));
        }
    }
}

/* Preorder walk of the dominator tree without recursion: the tree's numbering gives the order. */
static bool rename_all(struct ssa *ssa) {
    struct ir_fn *fn = ssa->fn;
    struct ir_block **by_number = arena_array(ssa->arena, fn->block_count, sizeof *by_number);
    uint32_t *mark = arena_array(ssa->arena, fn->block_count, sizeof *mark);
    uint32_t *open = arena_array(ssa->arena, fn->block_count, sizeof *open);
    if (!by_number || !mark || !open) {
        return false;
    }
    for (uint32_t i = 0; i < fn->block_count; i++) {
        by_number[fn->blocks[i]->dom_first] = fn->blocks[i];
    }
    uint32_t depth = 0;
    for (uint32_t n = 0; n < fn->block_count; n++) {
        while (depth && by_number[open[depth - 1]]->dom_last < n) {
            depth--;
            while (ssa->undo_count > mark[depth]) {
                const struct undo *undo = &ssa->undo[--ssa->undo_count];
                ssa->slots[undo->slot].now = undo->old;
            }
        }
        open[depth] = n;
        mark[depth++] = ssa->undo_count;
        rename_block(ssa, by_number[n]);
    }
    return true;
}

static bool build(struct ir_fn *fn, struct arena *scratch) {
    struct ssa ssa = {.fn = fn, .arena = scratch};
    bool changed = ir_remove_unreachable(fn);
    if (!fn->block_count) {
        return changed;
    }
    ssa.undef = ir_new_inst(fn, IR_UNDEF, 4, 0);
    if (ssa.undef == fn->spare) {
        return changed;
    }
    ir_prepend_inst(fn->blocks[0], ssa.undef);
    for (uint32_t i = 0; i < fn->block_count; i++) {
        for (struct ir_inst *inst = fn->blocks[i]->first; inst; inst = inst->next) {
            inst->aux = NULL;
        }
    }
    bool has_slots = find_slots(&ssa);
    if (!has_slots) {
        /* Only the leftovers of unreachable code need care. */
        ssa.slots = NULL;
        ssa.phis = arena_array(scratch, fn->block_count, sizeof *ssa.phis);
        if (!ssa.first_slot) {
            ssa.first_slot = arena_array(scratch, fn->var_count + 1, sizeof *ssa.first_slot);
        }
        if (!ssa.phis || !ssa.first_slot) {
            return changed;
        }
        for (uint32_t v = 0; v < fn->var_count; v++) {
            ssa.first_slot[v] = UINT32_MAX;
        }
    }
    ir_dominators(fn->blocks, fn->block_count);
    if (has_slots) {
        collect_stores(&ssa);
        if (!place_params(&ssa)) {
            return changed;
        }
    }
    rename_all(&ssa);
    fn->in_ssa = true;
    return changed || has_slots;
}

bool ir_build_ssa(struct ir_fn *fn) {
    struct arena scratch;
    arena_init(&scratch, 0);
    const bool changed = build(fn, &scratch);
    fn->arena->failed |= scratch.failed;
    arena_fini(&scratch);
    return changed;
}
