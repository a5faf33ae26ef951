/* SPDX-License-Identifier: MIT */
/*
 * Construction of IR functions: lists of instructions and blocks, operands with composed swizzles,
 * typed constructors for the front end. Nothing here returns NULL: when the arena is out, or code
 * is built after a terminator, the function's spare UNDEF stands for the value and nothing is
 * linked.
 */
#include "vm/ir/ir.h"

#include <string.h>

#include "vm/base/bits.h"
#include "vm/ir/passes.h"

const struct ir_op_info ir_op_infos[IR_OP_COUNT] = {
#define IR_OP(id, text, arg_count, flag_bits, what) {text, arg_count, flag_bits, what},
#include "vm/ir/ir_ops.def"
#undef IR_OP
};

struct ir_fn *ir_fn_create(struct arena *arena, const char *name, bool is_fragment) {
    struct ir_fn *fn = arena_alloc(arena, sizeof *fn);
    struct ir_inst *spare = arena_alloc(arena, sizeof *spare);
    struct ir_block *block = arena_alloc(arena, sizeof *block);
    const char *copy = arena_strndup(arena, name ? name : "", name ? strlen(name) : 0);
    if (!fn || !spare || !block || !copy) {
        return NULL;
    }
    fn->arena = arena;
    fn->name = copy;
    fn->is_fragment = is_fragment;
    fn->spare = spare;
    fn->spare_block = block;
    fn->next_id = 1;
    spare->op = IR_UNDEF;
    spare->comps = 4;
    block->id = UINT32_MAX;
    block->order = UINT32_MAX;
    return fn;
}

struct ir_inst *ir_new_inst(struct ir_fn *fn, enum ir_op op, unsigned comps, unsigned arg_count) {
    struct ir_inst *inst = arena_alloc(fn->arena, sizeof *inst + arg_count * sizeof *inst->args);
    if (!inst) {
        return fn->spare;
    }
    if (arg_count) {
        inst->args = (struct ir_src *)(inst + 1); /* the sources lie right behind */
        for (unsigned i = 0; i < arg_count; i++) {
            inst->args[i].def = fn->spare;
            inst->args[i].comps = 1;
        }
    }
    inst->op = (uint8_t)op;
    inst->comps = (uint8_t)comps;
    inst->arg_count = (uint16_t)arg_count;
    inst->id = fn->next_id++;
    return inst;
}

void ir_append_inst(struct ir_block *block, struct ir_inst *inst) {
    inst->block = block;
    inst->prev = block->last;
    inst->next = NULL;
    if (block->last) {
        block->last->next = inst;
    } else {
        block->first = inst;
    }
    block->last = inst;
}

void ir_insert_before(struct ir_inst *place, struct ir_inst *inst) {
    inst->block = place->block;
    inst->prev = place->prev;
    inst->next = place;
    if (place->prev) {
        place->prev->next = inst;
    } else {
        place->block->first = inst;
    }
    place->prev = inst;
}

void ir_prepend_inst(struct ir_block *block, struct ir_inst *inst) {
    if (block->first) {
        ir_insert_before(block->first, inst);
    } else {
        ir_append_inst(block, inst);
    }
}

void ir_unlink_inst(struct ir_inst *inst) {
    struct ir_block *block = inst->block;
    if (!block) {
        return;
    }
    if (inst->prev) {
        inst->prev->next = inst->next;
    } else {
        block->first = inst->next;
    }
    if (inst->next) {
        inst->next->prev = inst->prev;
    } else {
        block->last = inst->prev;
    }
    inst->block = NULL;
    inst->prev = inst->next = NULL;
}

void *ir_table(struct ir_fn *fn, unsigned slot, size_t count, size_t size) {
    struct ir_table *table = &fn->tables[slot];
    if (count > SIZE_MAX / 2 / size) {
        fn->arena->failed = true;
        return NULL;
    }
    size_t need = count * size;
    if (need > table->size) {
        table->data = arena_alloc_raw(fn->arena, need + need / 4, 16);
        table->size = table->data ? need + need / 4 : 0;
    }
    return table->data;
}

/* ---- blocks
 * --------------------------------------------------------------------------------------- */

struct ir_block *ir_block_create(struct ir_fn *fn) {
    struct ir_block *block = arena_alloc(fn->arena, sizeof *block);
    if (!block) {
        return fn->spare_block;
    }
    block->id = fn->next_id++;
    block->order = UINT32_MAX;
    return block;
}

void ir_block_append(struct ir_fn *fn, struct ir_block *block) {
    if (block->order != UINT32_MAX || block == fn->spare_block) {
        return;
    }
    struct ir_block **grown = arena_grow(fn->arena, fn->blocks, fn->block_count, &fn->block_cap,
                                         fn->block_count + 1, sizeof *grown);
    if (!grown) {
        return;
    }
    fn->blocks = grown;
    block->order = fn->block_count;
    fn->blocks[fn->block_count++] = block;
}

void ir_add_pred(struct ir_fn *fn, struct ir_block *block, struct ir_block *pred) {
    struct ir_block **grown = arena_grow(fn->arena, block->preds, block->pred_count,
                                         &block->pred_cap, block->pred_count + 1, sizeof *grown);
    if (grown) {
        block->preds = grown;
        block->preds[block->pred_count++] = pred;
    }
}

void ir_remove_pred(struct ir_block *block, const struct ir_block *pred) {
    for (uint32_t i = 0; i < block->pred_count; i++) {
        if (block->preds[i] == pred) {
            memmove(block->preds + i, block->preds + i + 1,
                    (block->pred_count - i - 1) * sizeof *block->preds);
            block->pred_count--;
            return;
        }
    }
}

struct ir_inst *ir_add_param(struct ir_fn *fn, struct ir_block *block, unsigned comps) {
    struct ir_inst *inst = ir_new_inst(fn, IR_MOV, comps, 0);
    struct ir_inst **grown = arena_grow(fn->arena, block->params, block->param_count,
                                        &block->param_cap, block->param_count + 1, sizeof *grown);
    if (inst == fn->spare || !grown) {
        return fn->spare;
    }
    block->params = grown;
    block->params[block->param_count++] = inst;
    inst->is_param = true;
    inst->io = block->param_count - 1; /* a parameter knows its position */
    inst->block = block;
    return inst;
}

void ir_remove_param(struct ir_block *block, uint32_t index) {
    for (uint32_t p = 0; p < block->pred_count; p++) {
        struct ir_block *pred = block->preds[p];
        for (unsigned e = 0; e < ir_edge_count(pred); e++) {
            struct ir_edge *edge = &pred->edge[e];
            if (edge->to == block && edge->arg_count == block->param_count) {
                memmove(edge->args + index, edge->args + index + 1,
                        (edge->arg_count - index - 1) * sizeof *edge->args);
                edge->arg_count--;
            }
        }
    }
    block->params[index]->block = NULL;
    memmove(block->params + index, block->params + index + 1,
            (block->param_count - index - 1) * sizeof *block->params);
    block->param_count--;
    for (uint32_t i = index; i < block->param_count; i++) {
        block->params[i]->io = i;
    }
}

void ir_edge_add_arg(struct ir_fn *fn, struct ir_edge *edge, struct ir_src src) {
    struct ir_src *grown = arena_grow(fn->arena, edge->args, edge->arg_count, &edge->arg_cap,
                                      edge->arg_count + 1, sizeof *grown);
    if (grown) {
        edge->args = grown;
        edge->args[edge->arg_count++] = src;
    }
}

/* ---- interface
 * ------------------------------------------------------------------------------------ */

uint32_t ir_add_var(struct ir_fn *fn, const char *name, uint8_t comps, uint32_t elements) {
    struct ir_var *grown = arena_grow(fn->arena, fn->vars, fn->var_count, &fn->var_cap,
                                      fn->var_count + 1, sizeof *grown);
    if (!grown) {
        return 0;
    }
    fn->vars = grown;
    struct ir_var *var = &fn->vars[fn->var_count];
    memset(var, 0, sizeof *var);
    var->name = arena_strndup(fn->arena, name ? name : "", name ? strlen(name) : 0);
    var->comps = comps;
    var->elements = elements;
    return fn->var_count++;
}

static uint32_t add_io(struct ir_fn *fn, struct ir_io **list, uint32_t *count, uint32_t *cap,
                       const char *name, uint8_t semantic, uint8_t index, uint8_t comps) {
    struct ir_io *grown = arena_grow(fn->arena, *list, *count, cap, *count + 1, sizeof *grown);
    if (!grown) {
        return 0;
    }
    *list = grown;
    grown[*count].name = arena_strndup(fn->arena, name ? name : "", name ? strlen(name) : 0);
    grown[*count].semantic = semantic;
    grown[*count].index = index;
    grown[*count].comps = comps;
    return (*count)++;
}

uint32_t ir_add_input(struct ir_fn *fn, const char *name, uint8_t semantic, uint8_t index,
                      uint8_t comps) {
    return add_io(fn, &fn->inputs, &fn->input_count, &fn->input_cap, name, semantic, index, comps);
}

uint32_t ir_add_output(struct ir_fn *fn, const char *name, uint8_t semantic, uint8_t index,
                       uint8_t comps) {
    return add_io(fn, &fn->outputs, &fn->output_count, &fn->output_cap, name, semantic, index,
                  comps);
}

uint32_t ir_add_sampler(struct ir_fn *fn, uint8_t type) {
    uint8_t *grown = arena_grow(fn->arena, fn->samplers, fn->sampler_count, &fn->sampler_cap,
                                fn->sampler_count + 1, sizeof *grown);
    if (!grown) {
        return 0;
    }
    fn->samplers = grown;
    fn->samplers[fn->sampler_count] = type;
    return fn->sampler_count++;
}

/* ---- operands
 * ------------------------------------------------------------------------------------- */

static struct ir_src use_comps(struct ir_inst *def, unsigned comps) {
    struct ir_src src = {.def = def, .comps = (uint8_t)comps, .swz = {0, 1, 2, 3}};
    return src;
}

struct ir_src ir_use(struct ir_inst *def) {
    return use_comps(def, def->comps);
}

struct ir_src ir_swizzle(struct ir_src src, unsigned comps, const uint8_t *swz) {
    struct ir_src out = src;
    out.comps = (uint8_t)comps;
    for (unsigned i = 0; i < 4; i++) {
        out.swz[i] = i < comps ? src.swz[swz[i] & 3] : 0;
    }
    return out;
}

struct ir_src ir_comp(struct ir_src src, unsigned comp) {
    uint8_t swz = (uint8_t)comp;
    return ir_swizzle(src, 1, &swz);
}

struct ir_src ir_splat(struct ir_src src, unsigned comps) {
    static const uint8_t zeros[4] = {0, 0, 0, 0};
    return ir_swizzle(src, comps, zeros);
}

struct ir_src ir_neg(struct ir_src src) {
    src.neg = !src.neg;
    return src;
}

struct ir_src ir_src_through(struct ir_src outer, struct ir_src inner) {
    outer.def = inner.def;
    outer.neg ^= inner.neg;
    for (unsigned i = 0; i < 4; i++) {
        outer.swz[i] = i < outer.comps ? inner.swz[outer.swz[i] & 3] : 0;
    }
    return outer;
}

float ir_src_const(struct ir_src src, unsigned i) {
    float value = ir_is(src.def, IR_CONST) ? src.def->imm[src.swz[i]] : 0.0f;
    return src.neg ? bits_to_float(bits_from_float(value) ^ 0x80000000u) : value;
}

bool ir_src_is_const(struct ir_src src, float value) {
    if (!ir_src_constant(src)) {
        return false;
    }
    for (unsigned i = 0; i < src.comps; i++) {
        if (bits_from_float(ir_src_const(src, i)) != bits_from_float(value)) {
            return false;
        }
    }
    return true;
}

/* ---- values
 * --------------------------------------------------------------------------------------- */

/* Creates and appends; gives the spare where nothing can be built. */
static struct ir_inst *emit(struct ir_builder *b, enum ir_op op, unsigned comps,
                            unsigned arg_count) {
    if (!b->block) {
        return b->fn->spare;
    }
    struct ir_inst *inst = ir_new_inst(b->fn, op, comps, arg_count);
    if (inst != b->fn->spare) {
        inst->line = b->line;
        inst->precise = b->precise;
        ir_append_inst(b->block, inst);
    }
    return inst;
}

static bool is_spare(const struct ir_builder *b, const struct ir_inst *inst) {
    return inst == b->fn->spare;
}

/* Front ends ask for the same few literals again and again: one that stands in the block already will do. */
struct ir_src ir_const(struct ir_builder *b, unsigned comps, const float *values) {
    uint32_t bits[4] = {0, 0, 0, 0}, hash = comps;
    memcpy(bits, values, comps * sizeof *values);
    for (unsigned i = 0; i < 4; i++) {
        hash = (hash ^ bits[i]) * 0x9E3779B1u;
    }
    struct ir_inst **known = &b->fn->literals[hash >> 26], *inst = *known;
    if (b->block && inst && inst->block == b->block && ir_is(inst, IR_CONST) && inst->comps == comps &&
        inst->precise == b->precise && memcmp(inst->imm, values, comps * sizeof *values) == 0) {
        return use_comps(inst, comps);
    }
    inst = emit(b, IR_CONST, comps, 0);
    if (!is_spare(b, inst)) {
        memcpy(inst->imm, values, comps * sizeof *values);
        *known = inst;
    }
    return use_comps(inst, comps);
}

struct ir_src ir_float(struct ir_builder *b, float value) {
    return ir_const(b, 1, &value);
}

static struct ir_src op_n(struct ir_builder *b, enum ir_op op, const struct ir_src *args,
                          unsigned count) {
    unsigned comps = 1;
    for (unsigned i = 0; i < count; i++) {
        comps = args[i].comps > comps ? args[i].comps : comps;
    }
    struct ir_inst *inst = emit(b, op, op == IR_DOT ? 1 : comps, count);
    if (!is_spare(b, inst)) {
        for (unsigned i = 0; i < count; i++) {
            inst->args[i] = args[i].comps == comps ? args[i] : ir_splat(args[i], comps);
        }
    }
    return use_comps(inst, op == IR_DOT ? 1 : comps);
}

struct ir_src ir_op1(struct ir_builder *b, enum ir_op op, struct ir_src a) {
    return op_n(b, op, &a, 1);
}

struct ir_src ir_op2(struct ir_builder *b, enum ir_op op, struct ir_src a, struct ir_src c) {
    const struct ir_src args[2] = {a, c};
    return op_n(b, op, args, 2);
}

struct ir_src ir_op3(struct ir_builder *b, enum ir_op op, struct ir_src a, struct ir_src c,
                     struct ir_src d) {
    const struct ir_src args[3] = {a, c, d};
    return op_n(b, op, args, 3);
}

struct ir_src ir_sub(struct ir_builder *b, struct ir_src a, struct ir_src c) {
    return ir_op2(b, IR_ADD, a, ir_neg(c));
}

struct ir_src ir_dot(struct ir_builder *b, struct ir_src a, struct ir_src c) {
    return ir_op2(b, IR_DOT, a, c);
}

struct ir_src ir_double_op(struct ir_builder *b, enum ir_op op, const struct ir_src *args, unsigned count) {
    struct ir_inst *inst = emit(b, op, ir_op_infos[op].flags & IR_T ? 2 : 1, count);
    if (inst != b->fn->spare) {
        memcpy(inst->args, args, count * sizeof *args);
    }
    return use_comps(inst, ir_op_infos[op].flags & IR_T ? 2 : 1);
}

struct ir_src ir_double(struct ir_builder *b, double value) {
    uint32_t words[2];
    float parts[2];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    words[0] = (uint32_t)bits;
    words[1] = (uint32_t)(bits >> 32);
    memcpy(parts, words, sizeof parts);
    return ir_const(b, 2, parts);
}

struct ir_src ir_vec(struct ir_builder *b, unsigned comps, const struct ir_src *scalars) {
    struct ir_inst *inst = emit(b, IR_VEC, comps, comps);
    if (!is_spare(b, inst)) {
        for (unsigned i = 0; i < comps; i++) {
            inst->args[i] = scalars[i].comps == 1 ? scalars[i] : ir_comp(scalars[i], 0);
        }
    }
    return use_comps(inst, comps);
}

struct ir_src ir_input(struct ir_builder *b, uint32_t io) {
    unsigned comps = io < b->fn->input_count ? b->fn->inputs[io].comps : 4;
    struct ir_inst *inst = emit(b, IR_INPUT, comps, 0);
    if (!is_spare(b, inst)) {
        inst->io = io;
    }
    return use_comps(inst, comps);
}

void ir_output(struct ir_builder *b, uint32_t io, uint8_t mask, struct ir_src value) {
    unsigned comps = bits_popcount32(mask & 15u);
    struct ir_inst *inst = comps ? emit(b, IR_OUTPUT, 0, 1) : b->fn->spare;
    if (!is_spare(b, inst)) {
        inst->io = io;
        inst->mask = mask & 15u;
        inst->args[0] = value.comps == comps ? value : ir_splat(value, comps);
    }
}

struct ir_src ir_uniform(struct ir_builder *b, uint32_t base, uint8_t comp, unsigned comps,
                         const struct ir_src *index, uint32_t extent) {
    struct ir_inst *inst = emit(b, IR_UNIFORM, comps, index ? 1 : 0);
    if (!is_spare(b, inst)) {
        inst->base = base;
        inst->comp = comp;
        inst->extent = index ? extent : 1;
        if (index) {
            inst->args[0] = ir_comp(*index, 0);
        }
    }
    return use_comps(inst, comps);
}

struct ir_src ir_load(struct ir_builder *b, uint32_t var, uint32_t element,
                      const struct ir_src *index) {
    unsigned comps = var < b->fn->var_count ? b->fn->vars[var].comps : 4;
    struct ir_inst *inst = emit(b, IR_LOAD, comps, index ? 1 : 0);
    if (!is_spare(b, inst)) {
        inst->io = var;
        inst->base = element;
        if (index) {
            inst->args[0] = ir_comp(*index, 0);
            b->fn->vars[var].dynamic = true;
        }
    }
    return use_comps(inst, comps);
}

void ir_store(struct ir_builder *b, uint32_t var, uint32_t element, const struct ir_src *index,
              uint8_t mask, struct ir_src value) {
    unsigned comps = bits_popcount32(mask & 15u);
    struct ir_inst *inst = comps ? emit(b, IR_STORE, 0, index ? 2 : 1) : b->fn->spare;
    if (!is_spare(b, inst)) {
        inst->io = var;
        inst->base = element;
        inst->mask = mask & 15u;
        inst->args[0] = value.comps == comps ? value : ir_splat(value, comps);
        if (index) {
            inst->args[1] = ir_comp(*index, 0);
            b->fn->vars[var].dynamic = true;
        }
    }
}

struct ir_src ir_texture(struct ir_builder *b, const struct ir_tex *tex, const struct ir_src *args,
                         unsigned count) {
    struct ir_inst *inst = emit(b, IR_TEX, 4, count);
    if (!is_spare(b, inst)) {
        inst->tex = *tex;
        memcpy(inst->args, args, count * sizeof *args);
    }
    return use_comps(inst, 4);
}

void ir_kill(struct ir_builder *b, struct ir_src cond) {
    struct ir_inst *inst = emit(b, IR_KILL, 0, 1);
    if (!is_spare(b, inst)) {
        inst->args[0] = ir_comp(cond, 0);
    }
}

/* ---- terminators
 * ---------------------------------------------------------------------------------- */

void ir_jump(struct ir_builder *b, struct ir_block *to) {
    if (b->block) {
        b->block->term = IR_TERM_JUMP;
        b->block->edge[0].to = to;
        b->block->line = b->line;
        ir_add_pred(b->fn, to, b->block);
        b->block = NULL;
    }
}

void ir_branch(struct ir_builder *b, struct ir_src cond, struct ir_block *then_to,
               struct ir_block *else_to) {
    if (then_to == else_to) {
        ir_jump(b, then_to);
        return;
    }
    if (b->block) {
        b->block->term = IR_TERM_BRANCH;
        b->block->cond = ir_comp(cond, 0);
        b->block->edge[0].to = then_to;
        b->block->edge[1].to = else_to;
        b->block->line = b->line;
        ir_add_pred(b->fn, then_to, b->block);
        ir_add_pred(b->fn, else_to, b->block);
        b->block = NULL;
    }
}

void ir_return(struct ir_builder *b) {
    if (b->block) {
        b->block->term = IR_TERM_RETURN;
        b->block->line = b->line;
        b->block = NULL;
    }
}

void ir_begin(struct ir_builder *b, struct ir_block *block) {
    ir_block_append(b->fn, block);
    b->block = block->order == UINT32_MAX ? NULL : block;
}
