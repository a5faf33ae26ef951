/* SPDX-License-Identifier: MIT */
/*
 * Constant expressions. A node over constants is lowered to straight-line IR by the very functions that
 * lower run-time code, and the IR is evaluated with ir_fold_component, which computes as the VM does: a
 * folded expression and one computed at run time have the same bits.
 */
#include <string.h>

#include "vm/base/bits.h"
#include "vm/glsl/emit.h"
#include "vm/glsl/sema.h"

/* ---- evaluation ------------------------------------------------------------------------------------ */

static float src_value(const struct ir_src *src, unsigned i) {
    float value = src->def->imm[src->swz[i]];
    return src->neg ? -value : value;
}

static float add(float a, float b) {
    float args[2] = {a, b}, sum = 0.0f;
    ir_fold_component(IR_ADD, args, 2, &sum);
    return sum;
}

/* The order of ir_ops.def: x + y, (x + z) + y, (x + z) + (y + w). */
static float eval_dot(const struct ir_inst *inst) {
    float p[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    unsigned width = inst->args[0].comps;
    for (unsigned i = 0; i < width; i++) {
        float pair[2] = {src_value(&inst->args[0], i), src_value(&inst->args[1], i)};
        ir_fold_component(IR_MUL, pair, 2, &p[i]);
    }
    switch (width) {
    case 1: return p[0];
    case 2: return add(p[0], p[1]);
    case 3: return add(add(p[0], p[2]), p[1]);
    default: return add(add(p[0], p[2]), add(p[1], p[3]));
    }
}

/* An operation on doubles, by their words. */
static bool eval_double(struct ir_inst *inst) {
    uint32_t args[3][2] = {{0, 0}, {0, 0}, {0, 0}}, result[2];
    for (unsigned k = 0; k < inst->arg_count && k < 3; k++) {
        for (unsigned i = 0; i < inst->args[k].comps && i < 2; i++) {
            args[k][i] = bits_from_float(src_value(&inst->args[k], i));
        }
    }
    if (!ir_fold_double((enum ir_op)inst->op, (const uint32_t(*)[2])args, inst->arg_count, result)) {
        return false;
    }
    for (unsigned i = 0; i < inst->comps; i++) {
        inst->imm[i] = bits_to_float(result[i]);
    }
    return true;
}

/* Computes an instruction's value into its own 'imm'. */
static bool eval_inst(struct ir_inst *inst) {
    switch (inst->op) {
    case IR_CONST:
        return true;
    case IR_UNDEF:
        memset(inst->imm, 0, sizeof inst->imm);
        return true;
    case IR_DOT:
        inst->imm[0] = eval_dot(inst);
        return true;
    case IR_VEC:
        for (unsigned i = 0; i < inst->comps; i++) {
            inst->imm[i] = src_value(&inst->args[i], 0);
        }
        return true;
    default:
        break;
    }
    if (ir_op_infos[inst->op].flags & (IR_D | IR_T)) {
        return eval_double(inst);
    }
    if (!(ir_op_infos[inst->op].flags & IR_W) || inst->arg_count > 3) {
        return false;
    }
    for (unsigned i = 0; i < inst->comps; i++) {
        float values[3];
        for (unsigned k = 0; k < inst->arg_count; k++) {
            values[k] = src_value(&inst->args[k], inst->args[k].comps == 1 ? 0 : i);
        }
        if (!ir_fold_component((enum ir_op)inst->op, values, inst->arg_count, &inst->imm[i])) {
            return false;
        }
    }
    return true;
}

/* ---- lowering into a scratch function --------------------------------------------------------------- */

static struct ir_src *constant_slots(struct glsl_unit *u, struct ir_builder *b, const struct glsl_expr *e) {
    struct ir_src *slots = arena_array(&u->scratch, e->type->slots, sizeof *slots);
    const float *at = e->value;
    for (uint32_t i = 0; slots && i < e->type->slots; i++) {
        unsigned comps = glsl_type_slot_comps(e->type, i);
        slots[i] = ir_const(b, comps, at);
        at += comps;
    }
    return slots;
}

static bool emit_call_node(struct glsl_unit *u, struct ir_builder *b, const struct glsl_expr *e,
                           struct ir_src *out) {
    const struct glsl_type **types = arena_array(&u->scratch, e->count, sizeof *types);
    const struct ir_src **args = arena_array(&u->scratch, e->count, sizeof *args);
    for (uint32_t i = 0; i < e->count; i++) {
        if (!types || !args || !(args[i] = constant_slots(u, b, e->args[i]))) {
            return false;
        }
        types[i] = e->args[i]->type;
    }
    if (e->kind == GLSL_E_BUILTIN) {
        glsl_emit_builtin(b, e->builtin, types, args, out);
    } else {
        glsl_emit_construct(b, e->type, e->count, types, args, out);
    }
    return true;
}

static bool emit_node(struct glsl_unit *u, struct ir_builder *b, const struct glsl_expr *e, struct ir_src *out) {
    if (e->kind == GLSL_E_BUILTIN || e->kind == GLSL_E_CONSTRUCT) {
        return emit_call_node(u, b, e, out);
    }
    struct ir_src *x = constant_slots(u, b, e->a);
    struct ir_src *y = e->b ? constant_slots(u, b, e->b) : x;
    if (!x || !y) {
        return false;
    }
    if (e->kind == GLSL_E_UNARY) {
        glsl_emit_unary(b, e->op, e->type, x, out);
    } else {
        glsl_emit_binary(b, e->op, e->a->type, x, e->b->type, y, out);
    }
    return true;
}

/* Runs the node through a scratch function; false when it cannot be computed here. */
static bool compute(struct glsl_unit *u, const struct glsl_expr *e, float *value) {
    if (!u->scratch_ready) {
        arena_init(&u->scratch, 0);
        u->scratch_ready = true;
    }
    arena_reset(&u->scratch);
    struct ir_src *out = arena_array(&u->scratch, e->type->slots, sizeof *out);
    struct ir_builder b = {.fn = ir_fn_create(&u->scratch, "fold", u->is_fragment)};
    if (!out || !b.fn) {
        return false;
    }
    struct ir_block *block = ir_block_create(b.fn);
    ir_begin(&b, block);
    if (!b.block || !emit_node(u, &b, e, out) || u->scratch.failed) {
        return false;
    }
    for (struct ir_inst *inst = block->first; inst; inst = inst->next) {
        if (!eval_inst(inst)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < e->type->slots; i++) {
        for (unsigned k = 0; k < out[i].comps; k++) {
            *value++ = src_value(&out[i], k);
        }
    }
    return true;
}

/* ---- nodes ----------------------------------------------------------------------------------------- */

static bool all_const(struct glsl_expr *const *args, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (!glsl_is_const(args[i])) {
            return false;
        }
    }
    return true;
}

/* Where in the value of a structure a field begins. */
static uint32_t field_offset(const struct glsl_record *record, uint32_t field) {
    uint32_t offset = 0;
    for (uint32_t i = 0; i < field; i++) {
        offset += record->fields[i].type->words;
    }
    return offset;
}

/* Parts of constants: pointers into the whole, or picked components. */
static const float *fold_access(struct glsl_unit *u, const struct glsl_expr *e) {
    const float *whole = e->a->value;
    if (e->kind == GLSL_E_FIELD) {
        return whole + field_offset(e->a->type->record, e->count);
    }
    if (e->kind == GLSL_E_INDEX) {
        return glsl_is_const(e->b) ? whole + (uint32_t)e->b->value[0] * e->type->words : NULL;
    }
    float *value = glsl_alloc(u, 8 * sizeof *value);
    unsigned words = e->type->kind == GLSL_DOUBLE ? 2 : 1;
    for (unsigned i = 0; i < e->type->rows; i++) {
        memcpy(value + words * i, whole + words * e->swz[i], words * sizeof *value);
    }
    return value;
}

/* Scalar constructors and vectors of constants are frequent and need no arithmetic. */
static const float *fold_plain_construct(struct glsl_unit *u, const struct glsl_expr *e) {
    if (e->type->kind != GLSL_STRUCT && e->count == e->type->components && e->type->kind == GLSL_FLOAT) {
        float *value = glsl_alloc_array(u, e->count, sizeof *value);
        for (uint32_t i = 0; i < e->count; i++) {
            if (e->args[i]->type->components != 1 || e->args[i]->type->kind == GLSL_DOUBLE) {
                return NULL;
            }
            value[i] = e->args[i]->value[0];
        }
        return value;
    }
    return NULL;
}

static bool foldable(const struct glsl_expr *e) {
    switch (e->kind) {
    case GLSL_E_FIELD:
    case GLSL_E_SWIZZLE:
    case GLSL_E_INDEX:
    case GLSL_E_UNARY:
        return glsl_is_const(e->a);
    case GLSL_E_BINARY:
    case GLSL_E_COMMA:
        return glsl_is_const(e->a) && glsl_is_const(e->b);
    case GLSL_E_COND:
        return glsl_is_const(e->a) && glsl_is_const(e->b) && glsl_is_const(e->c);
    case GLSL_E_BUILTIN:
        return glsl_builtin_foldable(e->builtin) && all_const(e->args, e->count);
    case GLSL_E_CONSTRUCT:
        return all_const(e->args, e->count);
    default:
        return false;
    }
}

const float *glsl_fold(struct glsl_unit *u, const struct glsl_expr *e) {
    if (!foldable(e)) {
        return NULL;
    }
    switch (e->kind) {
    case GLSL_E_FIELD:
    case GLSL_E_SWIZZLE:
    case GLSL_E_INDEX:
        return fold_access(u, e);
    case GLSL_E_COMMA:
        return e->b->value;
    case GLSL_E_COND:
        return e->a->value[0] != 0.0f ? e->b->value : e->c->value;
    default:
        break;
    }
    const float *plain = e->kind == GLSL_E_CONSTRUCT ? fold_plain_construct(u, e) : NULL;
    if (plain) {
        return plain;
    }
    float *value = glsl_alloc_array(u, e->type->words, sizeof *value);
    return compute(u, e, value) ? value : NULL;
}
