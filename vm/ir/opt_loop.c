/* SPDX-License-Identifier: MIT */
/*
 * Loops. ir_opt_unroll copies the body of a loop whose trip count follows from literals, when the
 * result is small; the count is found by running the loop's condition and steps with the VM's
 * arithmetic. Only loops with one way out, from the header, qualify. ir_opt_hoist moves pure values
 * whose sources come from outside to the block before the loop; pure operations cannot fault, so
 * that is always safe.
 */
#include "vm/ir/passes.h"

#include <string.h>

/* Instructions after unrolling: plain loops, one that is the only one of such a size (several would make compiling
   long, all of it), and loops that index arrays by their counter. */
#define UNROLL_SIZE         256u
#define UNROLL_ONLY_SIZE    384u
#define UNROLL_INDEXED_SIZE 1024u
#define UNROLL_TRIPS        128u
#define EVAL_DEPTH          8u

struct loop {
    struct ir_block *header, *latch, *before;
    uint32_t first, last; /* orders */
    unsigned body_edge;   /* of the header's branch */
    uint32_t size;
    bool is_indexed;
};

/* Predecessor lists from the edges. */
static void rebuild_preds(struct ir_fn *fn) {
    for (uint32_t i = 0; i < fn->block_count; i++) {
        fn->blocks[i]->order = i;
        fn->blocks[i]->pred_count = 0;
    }
    for (uint32_t i = 0; i < fn->block_count; i++) {
        for (unsigned e = 0; e < ir_edge_count(fn->blocks[i]); e++) {
            ir_add_pred(fn, fn->blocks[i]->edge[e].to, fn->blocks[i]);
        }
    }
}

/* Header, single latch and single predecessor before it, as far as a block is a loop header at all.
 */
static bool find_loop(const struct ir_fn *fn, uint32_t h, struct loop *loop) {
    struct ir_block *header = fn->blocks[h];
    memset(loop, 0, sizeof *loop);
    loop->header = header;
    for (uint32_t p = 0; p < header->pred_count; p++) {
        struct ir_block *pred = header->preds[p];
        if (pred->order >= h) {
            if (loop->latch) {
                return false;
            }
            loop->latch = pred;
        } else if (loop->before) {
            return false;
        } else {
            loop->before = pred;
        }
    }
    if (!loop->latch || !loop->before || loop->before->term != IR_TERM_JUMP) {
        return false;
    }
    loop->first = h;
    loop->last = loop->latch->order;
    return true;
}

static bool inside(const struct loop *loop, const struct ir_block *block) {
    return block->order >= loop->first && block->order <= loop->last;
}

/* One exit, at the header; the latch jumps; nothing enters from the side; no loop within. */
static bool is_simple(const struct ir_fn *fn, struct loop *loop) {
    if (loop->header->term != IR_TERM_BRANCH || loop->latch->term != IR_TERM_JUMP ||
        loop->header == loop->latch) {
        return false;
    }
    bool in0 = inside(loop, loop->header->edge[0].to);
    bool in1 = inside(loop, loop->header->edge[1].to);
    if (in0 == in1) {
        return false;
    }
    loop->body_edge = in0 ? 0 : 1;
    for (uint32_t i = loop->first; i <= loop->last; i++) {
        const struct ir_block *block = fn->blocks[i];
        if (block->term == IR_TERM_RETURN) {
            return false;
        }
        for (unsigned e = 0; i > loop->first && e < ir_edge_count(block); e++) {
            const struct ir_block *to = block->edge[e].to;
            bool is_back = to->order <= i;
            if (!inside(loop, to) || (is_back && (to != loop->header || block != loop->latch))) {
                return false;
            }
        }
        for (uint32_t p = 0; i > loop->first && p < block->pred_count; p++) {
            if (!inside(loop, block->preds[p])) {
                return false;
            }
        }
        for (const struct ir_inst *inst = block->first; inst; inst = inst->next) {
            loop->size += inst->op != IR_CONST && inst->op != IR_UNDEF && inst->op != IR_MOV &&
                          !(inst->op == IR_UNIFORM && !inst->arg_count);
            loop->is_indexed |= (inst->op == IR_UNIFORM && inst->arg_count) ||
                                inst->op == IR_LOAD ||
                                (inst->op == IR_STORE && inst->arg_count > 1) ||
                                (inst->op == IR_TEX && inst->tex.has_index);
        }
    }
    return true;
}

/* ---- trip count
 * ----------------------------------------------------------------------------------- */

struct known {
    float value;
    bool is_known;
};

static bool evaluate(const struct loop *loop, struct ir_src src, unsigned comp,
                     const struct known *params, unsigned depth, float *value) {
    const struct ir_inst *def = src.def;
    float out;
    if (ir_src_constant(src)) {
        *value = ir_src_const(src, comp);
        return true;
    }
    if (def->is_param) {
        if (def->block != loop->header || def->comps != 1 || !params[def->io].is_known) {
            return false;
        }
        out = params[def->io].value;
    } else if (depth && ir_op_infos[def->op].flags & IR_W && def->arg_count <= 3) {
        float args[3];
        for (unsigned a = 0; a < def->arg_count; a++) {
            unsigned c = def->args[a].comps == 1 ? 0 : src.swz[comp];
            if (!evaluate(loop, def->args[a], c, params, depth - 1, &args[a])) {
                return false;
            }
        }
        if (!ir_fold_component((enum ir_op)def->op, args, def->arg_count, &out)) {
            return false;
        }
    } else {
        return false;
    }
    *value = src.neg ? -out : out;
    return true;
}

/* Trips of the loop, or UINT32_MAX when they are not known or too many. */
static uint32_t count_trips(struct ir_fn *fn, const struct loop *loop, uint32_t most) {
    uint32_t n = loop->header->param_count;
    struct known *now = arena_array(fn->arena, n + 1, sizeof *now);
    struct known *next = arena_array(fn->arena, n + 1, sizeof *next);
    if (!now || !next) {
        return UINT32_MAX;
    }
    for (uint32_t k = 0; k < n; k++) {
        struct ir_src arg = loop->before->edge[0].args[k];
        now[k].is_known = loop->header->params[k]->comps == 1 &&
                          evaluate(loop, arg, 0, next, EVAL_DEPTH, &now[k].value);
    }
    for (uint32_t trips = 0; trips <= most; trips++) {
        float cond;
        if (!evaluate(loop, loop->header->cond, 0, now, EVAL_DEPTH, &cond)) {
            return UINT32_MAX;
        }
        if ((cond != 0.0f ? 0u : 1u) != loop->body_edge) {
            return trips;
        }
        for (uint32_t k = 0; k < n; k++) {
            next[k].is_known =
                loop->header->params[k]->comps == 1 &&
                evaluate(loop, loop->latch->edge[0].args[k], 0, now, EVAL_DEPTH, &next[k].value);
        }
        memcpy(now, next, n * sizeof *now);
    }
    return UINT32_MAX;
}

/* ---- copying
 * -------------------------------------------------------------------------------------- */

static struct ir_src mapped(const struct loop *loop, struct ir_src src) {
    const struct ir_block *block = src.def->block;
    bool is_ours = block && inside(loop, block) && src.def->aux;
    return is_ours ? ir_src_through(src, *(const struct ir_src *)src.def->aux) : src;
}

static void set_map(struct ir_fn *fn, struct ir_inst *from, struct ir_src to) {
    struct ir_src *keep = arena_alloc(fn->arena, sizeof *keep);
    if (keep) {
        *keep = to;
    }
    from->aux = keep;
}

static void copy_insts(struct ir_fn *fn, const struct loop *loop, const struct ir_block *from,
                       struct ir_block *to) {
    for (struct ir_inst *inst = from->first; inst; inst = inst->next) {
        struct ir_inst *copy = ir_new_inst(fn, (enum ir_op)inst->op, inst->comps, inst->arg_count);
        if (copy == fn->spare) {
            return;
        }
        uint32_t id = copy->id;
        struct ir_src *args = copy->args;
        *copy = *inst;
        copy->id = id;
        copy->args = args;
        copy->aux = NULL;
        for (unsigned a = 0; a < inst->arg_count; a++) {
            copy->args[a] = mapped(loop, inst->args[a]);
        }
        ir_append_inst(to, copy);
        if (inst->comps) {
            set_map(fn, inst, ir_use(copy));
        }
    }
}

static void copy_edge(struct ir_fn *fn, const struct loop *loop, const struct ir_edge *from,
                      struct ir_edge *to, struct ir_block *target) {
    memset(to, 0, sizeof *to);
    to->to = target;
    for (uint32_t a = 0; a < from->arg_count; a++) {
        ir_edge_add_arg(fn, to, mapped(loop, from->args[a]));
    }
}

/* Copies one trip; copies[] are its blocks (copies[0] the header), 'next' the header of the next
 * trip. */
static void copy_trip(struct ir_fn *fn, const struct loop *loop, struct ir_block **copies,
                      struct ir_block *next, bool is_last) {
    struct ir_block *header = copies[0];
    copy_insts(fn, loop, loop->header, header);
    header->term = IR_TERM_JUMP;
    header->line = loop->header->line;
    const struct ir_edge *way =
        &loop->header->edge[is_last ? 1 - loop->body_edge : loop->body_edge];
    if (is_last) {
        copy_edge(fn, loop, way, &header->edge[0], way->to);
        return;
    }
    uint32_t blocks = loop->last - loop->first + 1;
    for (uint32_t b = 1; b < blocks; b++) {
        struct ir_block *from = fn->blocks[loop->first + b];
        for (uint32_t k = 0; k < from->param_count; k++) {
            struct ir_inst *param = ir_add_param(fn, copies[b], from->params[k]->comps);
            set_map(fn, from->params[k], ir_use(param));
        }
    }
    copy_edge(fn, loop, way, &header->edge[0], copies[way->to->order - loop->first]);
    for (uint32_t b = 1; b < blocks; b++) {
        const struct ir_block *from = fn->blocks[loop->first + b];
        struct ir_block *to = copies[b];
        copy_insts(fn, loop, from, to);
        to->term = from->term;
        to->line = from->line;
        if (from->term == IR_TERM_BRANCH) {
            to->cond = mapped(loop, from->cond);
        }
        for (unsigned e = 0; e < ir_edge_count(from); e++) {
            const struct ir_block *target = from->edge[e].to;
            if (target == loop->header) {
                memset(&to->edge[e], 0, sizeof to->edge[e]);
                to->edge[e].to = next; /* its parameters have become values */
            } else {
                copy_edge(fn, loop, &from->edge[e], &to->edge[e],
                          copies[target->order - loop->first]);
            }
        }
    }
}

struct outer {
    const struct loop *loop;
};

static void map_outside(void *context, struct ir_src *src) {
    const struct outer *outer = context;
    if (src->def->block == outer->loop->header) {
        *src = mapped(outer->loop, *src);
    }
}

static bool unroll(struct ir_fn *fn, const struct loop *loop, uint32_t trips) {
    uint32_t blocks = loop->last - loop->first + 1;
    uint32_t total = trips * blocks + 1;
    struct ir_block **copies = arena_array(fn->arena, total, sizeof *copies);
    struct ir_block **list = arena_array(fn->arena, (size_t)fn->block_count + total, sizeof *list);
    uint32_t n = loop->header->param_count;
    struct ir_src *values = arena_array(fn->arena, n + 1, sizeof *values);
    if (!copies || !list || !values) {
        return false;
    }
    for (uint32_t i = 0; i < total; i++) {
        copies[i] = ir_block_create(fn);
        if (copies[i] == fn->spare_block) {
            return false;
        }
    }
    for (uint32_t b = loop->first; b <= loop->last; b++) {
        for (struct ir_inst *inst = fn->blocks[b]->first; inst; inst = inst->next) {
            inst->aux = NULL;
        }
        for (uint32_t k = 0; k < fn->blocks[b]->param_count; k++) {
            fn->blocks[b]->params[k]->aux = NULL;
        }
    }
    memcpy(values, loop->before->edge[0].args, n * sizeof *values);
    for (uint32_t trip = 0; trip <= trips && !fn->arena->failed; trip++) {
        for (uint32_t k = 0; k < n; k++) {
            set_map(fn, loop->header->params[k], values[k]);
        }
        copy_trip(fn, loop, copies + trip * blocks,
                  trip < trips ? copies[(trip + 1) * blocks] : NULL, trip == trips);
        for (uint32_t k = 0; trip < trips && k < n; k++) {
            values[k] = mapped(loop, loop->latch->edge[0].args[k]);
        }
    }
    if (fn->arena->failed) {
        return false;
    }
    loop->before->edge[0].to = copies[0];
    loop->before->edge[0].arg_count = 0;
    struct outer outer = {loop};
    /* Uses behind the loop see the last header's values (the copies themselves are mapped already).
     */
    uint32_t count = 0;
    for (uint32_t i = 0; i < loop->first; i++) {
        list[count++] = fn->blocks[i];
    }
    for (uint32_t i = 0; i < total; i++) {
        list[count++] = copies[i];
    }
    for (uint32_t i = loop->last + 1; i < fn->block_count; i++) {
        list[count++] = fn->blocks[i];
    }
    uint32_t old_count = fn->block_count;
    struct ir_block **old = fn->blocks;
    fn->blocks = list;
    fn->block_count = count;
    fn->block_cap = old_count + total;
    ir_each_src(fn, map_outside, &outer);
    for (uint32_t i = loop->first; i <= loop->last; i++) {
        old[i]->order = UINT32_MAX;
    }
    rebuild_preds(fn);
    ir_dominators(fn->blocks, fn->block_count);
    return true;
}

/* Trips of the loop whose header block i is, if it can be unrolled to no more than so many instructions, else UINT32_MAX. */
static uint32_t trips_within(struct ir_fn *fn, uint32_t i, uint32_t plain_size, struct loop *loop) {
    if (i >= fn->block_count || !find_loop(fn, i, loop) || !is_simple(fn, loop)) {
        return UINT32_MAX;
    }
    loop->size = loop->size ? loop->size : 1;
    const uint32_t most = (loop->is_indexed ? UNROLL_INDEXED_SIZE : plain_size) / loop->size;
    return count_trips(fn, loop, most > UNROLL_TRIPS ? UNROLL_TRIPS : most);
}

/* Decided once: as blocks are joined, a loop may hide the next one until it is unrolled itself. */
static uint32_t plain_size(struct ir_fn *fn) {
    if (fn->unroll_size) {
        return fn->unroll_size;
    }
    unsigned large = 0;
    for (uint32_t i = 0; i < fn->block_count; i++) {
        struct loop loop;
        const uint32_t trips = trips_within(fn, i, UNROLL_ONLY_SIZE, &loop);
        large += trips != UINT32_MAX && !loop.is_indexed && trips * loop.size > UNROLL_SIZE;
    }
    fn->unroll_size = large == 1 ? UNROLL_ONLY_SIZE : UNROLL_SIZE;
    return fn->unroll_size;
}

bool ir_opt_unroll(struct ir_fn *fn) {
    bool changed = false;
    const uint32_t size = plain_size(fn);
    for (uint32_t i = fn->block_count; i-- > 0;) {
        struct loop loop;
        const uint32_t trips = trips_within(fn, i, size, &loop);
        if (trips != UINT32_MAX && unroll(fn, &loop, trips)) {
            changed = true;
        }
    }
    return changed;
}

/* ---- invariants
 * ----------------------------------------------------------------------------------- */

bool ir_opt_hoist(struct ir_fn *fn) {
    bool changed = false;
    for (uint32_t h = fn->block_count; h-- > 0;) {
        struct loop loop;
        if (!find_loop(fn, h, &loop)) {
            continue;
        }
        for (uint32_t b = loop.first; b <= loop.last; b++) {
            for (struct ir_inst *inst = fn->blocks[b]->first, *next; inst; inst = next) {
                next = inst->next;
                unsigned flags = ir_op_infos[inst->op].flags;
                bool can = (flags & IR_P) && !(flags & IR_Q) && inst->op != IR_CONST &&
                           inst->op != IR_UNDEF && !(inst->op == IR_UNIFORM && !inst->arg_count);
                for (unsigned a = 0; can && a < inst->arg_count; a++) {
                    const struct ir_inst *def = inst->args[a].def;
                    can = !inside(&loop, def->block) ||
                          (!def->is_param && ir_src_constant(inst->args[a])) ||
                          (ir_is(def, IR_UNIFORM) && !def->arg_count);
                }
                if (!can) {
                    continue;
                }
                /* Literals and uniforms that it reads go along: they are operands, not work. */
                for (unsigned a = 0; a < inst->arg_count; a++) {
                    struct ir_inst *def = inst->args[a].def;
                    if (inside(&loop, def->block)) {
                        ir_unlink_inst(def);
                        ir_append_inst(loop.before, def);
                    }
                }
                /* 'next' may just have moved only if it was a source, and sources stand before. */
                ir_unlink_inst(inst);
                ir_append_inst(loop.before, inst);
                changed = true;
            }
        }
    }
    return changed;
}
