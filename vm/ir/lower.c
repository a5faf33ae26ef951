/* SPDX-License-Identifier: MIT */
/*
 * Lowering to what the machine has: DOT becomes a product and sums in the defined order, special
 * functions become one scalar operation for each different component, dynamic indices are clamped
 * to their array, NOT becomes a comparison with 0 (exact on booleans), UNDEF the literal 0,
 * projective reads that no machine form covers become divisions.
 */
#include "vm/ir/passes.h"

#include <string.h>

/* Sampler types as in ir_fn.samplers (enum vliw_sampler_type). */
enum { SAMPLER_3D = 2, SAMPLER_2D_SHADOW = 3 };

static struct ir_inst *op2_before(struct ir_fn *fn, struct ir_inst *place, enum ir_op op,
                                  struct ir_src a, struct ir_src b) {
    struct ir_inst *inst = ir_new_inst(fn, op, a.comps, 2);
    if (inst != fn->spare) {
        inst->args[0] = a;
        inst->args[1] = b;
        inst->line = place->line;
        inst->precise = place->precise;
        ir_insert_before(place, inst);
    }
    return inst;
}

static struct ir_inst *const_before(struct ir_fn *fn, struct ir_inst *place, float value) {
    struct ir_inst *inst = ir_new_inst(fn, IR_CONST, 1, 0);
    if (inst != fn->spare) {
        inst->imm[0] = value;
        ir_insert_before(place, inst);
    }
    return inst;
}

static void become_move(struct ir_fn *fn, struct ir_inst *inst, struct ir_src src) {
    struct ir_src *args = arena_alloc(fn->arena, sizeof *args);
    if (args) {
        *args = src;
        inst->op = IR_MOV;
        inst->args = args;
        inst->arg_count = 1;
    }
}

/*
 * The order is part of the IR's definition (ir_ops.def): x+y, (x+z)+y, (x+z)+(y+w). Sums commute,
 * so the components that should be overwritten stand second, where code generation prefers them:
 * the partial sums then stay in x and y.
 */
static void lower_dot(struct ir_fn *fn, struct ir_inst *inst) {
    static const uint8_t low[2] = {0, 1};
    static const uint8_t high[2] = {2, 3};
    unsigned width = inst->args[0].comps;
    struct ir_src sum = ir_use(op2_before(fn, inst, IR_MUL, inst->args[0], inst->args[1]));
    struct ir_src y = ir_comp(sum, width > 1 ? 1 : 0);
    if (width == 3) {
        sum = ir_use(op2_before(fn, inst, IR_ADD, ir_comp(sum, 2), ir_comp(sum, 0)));
    } else if (width == 4) {
        sum =
            ir_use(op2_before(fn, inst, IR_ADD, ir_swizzle(sum, 2, high), ir_swizzle(sum, 2, low)));
        y = ir_comp(sum, 1);
    }
    if (width > 1) {
        sum = ir_use(op2_before(fn, inst, IR_ADD, y, ir_comp(sum, 0)));
    }
    become_move(fn, inst, sum);
}

static bool is_special(unsigned op) {
    return op == IR_RCP || op == IR_RSQ || op == IR_LG2 || op == IR_EX2 || op == IR_SIN ||
           op == IR_COS;
}

static void scalarise(struct ir_fn *fn, struct ir_inst *inst) {
    struct ir_inst *parts[4];
    struct ir_src *args = arena_array(fn->arena, inst->comps, sizeof *args);
    if (!args) {
        return;
    }
    for (unsigned c = 0; c < inst->comps; c++) {
        parts[c] = NULL;
        for (unsigned k = 0; k < c && !parts[c]; k++) {
            parts[c] = inst->args[0].swz[k] == inst->args[0].swz[c] ? parts[k] : NULL;
        }
        if (!parts[c]) {
            parts[c] = ir_new_inst(fn, (enum ir_op)inst->op, 1, 1);
            if (parts[c] == fn->spare) {
                return;
            }
            parts[c]->args[0] = ir_comp(inst->args[0], c);
            parts[c]->line = inst->line;
            parts[c]->precise = inst->precise;
            ir_insert_before(inst, parts[c]);
        }
        args[c] = ir_use(parts[c]);
    }
    inst->op = IR_VEC;
    inst->args = args;
    inst->arg_count = inst->comps;
}

/* Largest value that an index is known not to exceed, and whether it is known not to be negative.
 */
static bool is_bounded(struct ir_src index, float low, float high) {
    /* min(max(i, l), h) with literals is what this pass itself and careful shaders write. */
    const struct ir_inst *def = index.def;
    if (index.neg || !ir_is(def, IR_MIN)) {
        return false;
    }
    for (unsigned a = 0; a < 2; a++) {
        struct ir_src top = def->args[a];
        const struct ir_inst *inner = def->args[1 - a].def;
        if (!ir_src_constant(top) || ir_src_const(top, index.swz[0]) > high ||
            def->args[1 - a].neg || !ir_is(inner, IR_MAX)) {
            continue;
        }
        for (unsigned b = 0; b < 2; b++) {
            struct ir_src floor_src = inner->args[b];
            uint8_t comp = def->args[1 - a].swz[index.swz[0]];
            /* With a NaN both operations give their second operand. */
            if (b == 1 && ir_src_constant(floor_src) && ir_src_const(floor_src, comp) >= low) {
                return true;
            }
        }
    }
    return false;
}

/*
 * The counter of a loop  for (i = init; i < limit; i += step)  with literals: where the header's
 * test has been passed, init <= i < limit, so trunc(i) needs no clamp to a range that contains
 * that.
 */
static bool is_counter(const struct ir_inst *user, struct ir_src index, float low, float high) {
    const struct ir_inst *param = index.def;
    if (index.neg || !param->is_param || param->comps != 1) {
        return false;
    }
    const struct ir_block *header = param->block;
    if (header->term != IR_TERM_BRANCH || !ir_is(header->cond.def, IR_SLT) || header->cond.neg) {
        return false;
    }
    struct ir_src tested = header->cond.def->args[0];
    struct ir_src limit = header->cond.def->args[1];
    const struct ir_block *body = header->edge[0].to;
    if (tested.def != param || tested.neg || !ir_src_constant(limit) ||
        !(ir_src_const(limit, header->cond.swz[0]) <= high + 1.0f) || body->pred_count != 1 ||
        !ir_dominates(body, user->block)) {
        return false;
    }
    for (uint32_t p = 0; p < header->pred_count; p++) {
        const struct ir_block *pred = header->preds[p];
        for (unsigned e = 0; e < ir_edge_count(pred); e++) {
            if (pred->edge[e].to != header) {
                continue;
            }
            struct ir_src arg = pred->edge[e].args[param->io];
            if (ir_src_constant(arg)) {
                if (!(ir_src_const(arg, 0) >= low)) {
                    return false;
                }
                continue;
            }
            const struct ir_inst *step = arg.def;
            if (arg.neg || !ir_is(step, IR_ADD)) {
                return false;
            }
            unsigned k = step->args[0].def == param ? 1 : 0;
            struct ir_src old = step->args[1 - k];
            struct ir_src by = step->args[k];
            if (old.def != param || old.neg || !ir_src_constant(by) ||
                !(ir_src_const(by, arg.swz[0]) >= 0.0f)) {
                return false;
            }
        }
    }
    return true;
}

static void clamp_index(struct ir_fn *fn, struct ir_inst *inst, unsigned arg, float low,
                        float high) {
    struct ir_src index = inst->args[arg];
    if (is_bounded(index, low, high) || is_counter(inst, index, low, high)) {
        return;
    }
    struct ir_src floor_src = ir_use(const_before(fn, inst, low));
    struct ir_src top = ir_use(const_before(fn, inst, high));
    struct ir_src clamped = ir_use(op2_before(fn, inst, IR_MAX, index, floor_src));
    inst->args[arg] = ir_use(op2_before(fn, inst, IR_MIN, clamped, top));
}

static void lower_tex(struct ir_fn *fn, struct ir_inst *inst) {
    uint8_t type = fn->samplers[inst->tex.sampler];
    bool has_lod = inst->tex.mode == IR_TEX_BIAS || inst->tex.mode == IR_TEX_LOD;
    bool is_wide = type == SAMPLER_3D || type == SAMPLER_2D_SHADOW;
    if (inst->tex.projective && (inst->tex.mode == IR_TEX_GRAD || (is_wide && has_lod))) {
        struct ir_src coord = inst->args[0];
        unsigned used = type == SAMPLER_3D ? 3 : 2;
        struct ir_src last = ir_comp(coord, coord.comps - 1u);
        coord.comps = (uint8_t)used;
        inst->args[0] = ir_use(op2_before(fn, inst, IR_DIV, coord, ir_splat(last, used)));
        if (inst->tex.has_reference) {
            unsigned ref = inst->arg_count - 1u - inst->tex.has_index;
            inst->args[ref] =
                ir_use(op2_before(fn, inst, IR_DIV, ir_comp(inst->args[ref], 0), last));
        }
        inst->tex.projective = false;
    }
    if (inst->tex.has_index) {
        clamp_index(fn, inst, inst->arg_count - 1u, 0.0f, (float)(inst->tex.elements - 1));
    }
}

static bool lower_inst(struct ir_fn *fn, struct ir_inst *inst) {
    switch (inst->op) {
    case IR_DOT: lower_dot(fn, inst); return true;
    case IR_NOT: {
        struct ir_src zero = ir_use(const_before(fn, inst, 0.0f));
        struct ir_inst *seq =
            op2_before(fn, inst, IR_SEQ, inst->args[0], ir_splat(zero, inst->comps));
        become_move(fn, inst, ir_use(seq));
        return true;
    }
    case IR_UNDEF:
        inst->op = IR_CONST;
        memset(inst->imm, 0, sizeof inst->imm);
        return true;
    case IR_UNIFORM:
        if (inst->arg_count) {
            clamp_index(fn, inst, 0, 0.0f, (float)(inst->extent - 1));
        }
        return true;
    case IR_LOAD:
    case IR_STORE: {
        unsigned arg = inst->op == IR_STORE ? 1 : 0;
        if (inst->arg_count > arg) {
            float last = (float)(fn->vars[inst->io].elements - 1);
            clamp_index(fn, inst, arg, -(float)inst->base, last - (float)inst->base);
        }
        return true;
    }
    case IR_TEX: lower_tex(fn, inst); return true;
    default:
        if (is_special(inst->op) && inst->comps > 1) {
            scalarise(fn, inst);
            return true;
        }
        return false;
    }
}

bool ir_lower(struct ir_fn *fn) {
    bool changed = false;
    ir_dominators(fn->blocks, fn->block_count);
    for (uint32_t i = 0; i < fn->block_count; i++) {
        for (struct ir_inst *inst = fn->blocks[i]->first, *next; inst; inst = next) {
            next = inst->next;
            changed |= !inst->is_param && lower_inst(fn, inst);
        }
    }
    return changed;
}
