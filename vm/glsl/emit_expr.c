/* SPDX-License-Identifier: MIT */
/*
 * Expressions as IR, operands from left to right. && || and ?: take the short way (both sides, then a
 * selection) where what might be skipped is cheap and has no effect, else they branch. Chains of binary
 * operators and commas are walked in a loop, so their length is not limited by the C stack.
 */
#include <string.h>

#include "vm/glsl/emit.h"
#include "vm/glsl/sema.h"

/* Operations that are rather computed for nothing than branched around. */
enum { CHEAP_OPERAND = 12, CHEAP_CHOICE = 24 };

struct ir_src *glsl_emit_constant(struct glsl_emit *e, const struct glsl_type *type, const float *value) {
    struct ir_src *slots = glsl_emit_slots(e, type->slots);
    for (uint32_t i = 0; i < type->slots; i++) {
        unsigned comps = glsl_type_slot_comps(type, i);
        slots[i] = ir_const(&e->b, comps, value);
        value += comps;
    }
    return slots;
}

struct ir_src glsl_emit_scalar(struct glsl_emit *e, const struct glsl_expr *expr) {
    return glsl_emit_expr(e, expr)[0];
}

/* ---- access ---------------------------------------------------------------------------------------- */

/* base[index] of a value that is no variable, index not constant: the right element by selections. */
static struct ir_src *pick_element(struct glsl_emit *e, const struct glsl_type *element, uint32_t length,
                                   const struct ir_src *base, struct ir_src index) {
    struct ir_src *out = glsl_emit_slots(e, element->slots);
    memcpy(out, base, element->slots * sizeof *out);
    for (uint32_t i = 1; i < length; i++) {
        struct ir_src is = ir_op2(&e->b, IR_SEQ, index, ir_float(&e->b, (float)i));
        for (uint32_t s = 0; s < element->slots; s++) {
            out[s] = ir_op3(&e->b, IR_SEL, is, base[i * element->slots + s], out[s]);
        }
    }
    return out;
}

/* Field, swizzle or element of a value. */
static struct ir_src *emit_part(struct glsl_emit *e, const struct glsl_expr *expr) {
    struct ir_src *base = glsl_emit_expr(e, expr->a);
    if (expr->kind == GLSL_E_FIELD) {
        return base + expr->a->type->record->fields[expr->count].first_slot;
    }
    if (expr->kind == GLSL_E_SWIZZLE) {
        struct ir_src *out = glsl_emit_slots(e, expr->type->slots);
        if (expr->type->kind == GLSL_DOUBLE) {
            glsl_emit_double_swizzle(base, expr->type->rows, expr->swz, out);
        } else {
            out[0] = ir_swizzle(base[0], expr->type->rows, expr->swz);
        }
        return out;
    }
    const struct glsl_type *whole = expr->a->type;
    if (expr->b->kind == GLSL_E_CONST) {
        return base + (uint32_t)expr->b->value[0] * expr->type->slots;
    }
    struct ir_src index = glsl_emit_scalar(e, expr->b);
    if (glsl_type_is_vector(whole) && whole->kind != GLSL_DOUBLE) {
        struct ir_src *out = glsl_emit_slots(e, 1);
        out[0] = glsl_emit_pick(&e->b, base[0], index);
        return out;
    }
    uint32_t length = whole->kind == GLSL_ARRAY ? whole->length : whole->cols > 1 ? whole->cols : whole->rows;
    return pick_element(e, expr->type, length, base, index);
}

static struct ir_src *emit_access(struct glsl_emit *e, const struct glsl_expr *expr) {
    struct glsl_place place;
    if (glsl_emit_place(e, expr, &place)) {
        return glsl_emit_load(e, &place);
    }
    if (expr->kind != GLSL_E_VAR) {
        return emit_part(e, expr);
    }
    const struct glsl_binding *binding = &e->bindings[expr->var->index];
    if (binding->kind == GLSL_BOUND_VALUE) {
        return binding->slots;
    }
    /* A variable that nothing defines here: zero. */
    float *zeros = glsl_emit_alloc(e, expr->type->words * sizeof *zeros);
    return glsl_emit_constant(e, expr->type, zeros);
}

/* ---- operators ------------------------------------------------------------------------------------- */

static struct ir_src *emit_step(struct glsl_emit *e, const struct glsl_expr *expr) {
    struct glsl_place place;
    if (!glsl_emit_place(e, expr->a, &place)) {
        return glsl_emit_slots(e, expr->type->slots);
    }
    struct ir_src *old = glsl_emit_load(e, &place);
    struct ir_src *new = glsl_emit_slots(e, expr->type->slots);
    struct ir_src one = ir_float(&e->b, expr->op == GLSL_T_INC ? 1.0f : -1.0f);
    for (uint32_t i = 0; i < expr->type->slots; i++) {
        new[i] = expr->type->kind == GLSL_DOUBLE ? glsl_emit_double_step(&e->b, old[i], expr->op == GLSL_T_INC)
                                                 : ir_op2(&e->b, IR_ADD, old[i], one);
    }
    glsl_emit_store(e, &place, new);
    return expr->kind == GLSL_E_PRE ? new : old;
}

static unsigned plain_op(unsigned op) {
    switch (op) {
    case GLSL_T_ADD_ASSIGN: return GLSL_T_PLUS;
    case GLSL_T_SUB_ASSIGN: return GLSL_T_MINUS;
    case GLSL_T_MUL_ASSIGN: return GLSL_T_STAR;
    default: return GLSL_T_SLASH;
    }
}

static struct ir_src *emit_assign(struct glsl_emit *e, const struct glsl_expr *expr) {
    struct glsl_place place;
    if (!glsl_emit_place(e, expr->a, &place)) {
        return glsl_emit_slots(e, expr->type->slots);
    }
    struct ir_src *value;
    if (expr->op == GLSL_T_ASSIGN) {
        value = glsl_emit_expr(e, expr->b);
    } else {
        struct ir_src *old = glsl_emit_load(e, &place);
        struct ir_src *operand = glsl_emit_expr(e, expr->b);
        value = glsl_emit_slots(e, expr->type->slots);
        glsl_emit_binary(&e->b, plain_op(expr->op), expr->a->type, old, expr->b->type, operand, value);
    }
    glsl_emit_store(e, &place, value);
    return value;
}

static bool is_logical(unsigned op) { return op == GLSL_T_AND_AND || op == GLSL_T_OR_OR; }

/* left && right, left || right with 'right' only where it counts. */
static struct ir_src emit_short_circuit(struct glsl_emit *e, unsigned op, struct ir_src left,
                                        const struct glsl_expr *right) {
    uint32_t var = ir_add_var(e->fn, "logical", 1, 1);
    struct ir_block *more = ir_block_create(e->fn), *end = ir_block_create(e->fn);
    ir_store(&e->b, var, 0, NULL, 1, left);
    ir_branch(&e->b, left, op == GLSL_T_AND_AND ? more : end, op == GLSL_T_AND_AND ? end : more);
    ir_begin(&e->b, more);
    ir_store(&e->b, var, 0, NULL, 1, glsl_emit_scalar(e, right));
    ir_jump(&e->b, end);
    ir_begin(&e->b, end);
    return ir_load(&e->b, var, 0, NULL);
}

/* One operator of a chain, its left operand computed. */
static struct ir_src *emit_operator(struct glsl_emit *e, const struct glsl_expr *expr, struct ir_src *left) {
    struct ir_src *out = glsl_emit_slots(e, expr->type->slots);
    if (is_logical(expr->op) && (expr->b->effect || expr->b->cost > CHEAP_OPERAND)) {
        out[0] = emit_short_circuit(e, expr->op, left[0], expr->b);
        return out;
    }
    struct ir_src *right = glsl_emit_expr(e, expr->b);
    glsl_emit_binary(&e->b, expr->op, expr->a->type, left, expr->b->type, right, out);
    return out;
}

/* a op b op c ... and a, b, c ...: from the innermost left operand outwards. */
static struct ir_src *emit_chain(struct glsl_emit *e, const struct glsl_expr *expr) {
    uint32_t length = 0;
    const struct glsl_expr *at = expr;
    while (at->kind == expr->kind) {
        length++;
        at = at->a;
    }
    const struct glsl_expr **chain = glsl_emit_alloc(e, length * sizeof *chain);
    at = expr;
    for (uint32_t i = length; i-- > 0;) {
        chain[i] = at;
        at = at->a;
    }
    struct ir_src *value = glsl_emit_expr(e, at);
    for (uint32_t i = 0; i < length; i++) {
        value = expr->kind == GLSL_E_COMMA ? glsl_emit_expr(e, chain[i]->b) : emit_operator(e, chain[i], value);
    }
    return value;
}

/* ---- ?: -------------------------------------------------------------------------------------------- */

static struct ir_src *emit_selection(struct glsl_emit *e, const struct glsl_expr *expr) {
    struct ir_src cond = glsl_emit_scalar(e, expr->a);
    struct ir_src *b = glsl_emit_expr(e, expr->b), *c = glsl_emit_expr(e, expr->c);
    struct ir_src *out = glsl_emit_slots(e, expr->type->slots);
    for (uint32_t i = 0; i < expr->type->slots; i++) {
        out[i] = ir_op3(&e->b, IR_SEL, cond, b[i], c[i]);
    }
    return out;
}

static struct ir_src *emit_choice(struct glsl_emit *e, const struct glsl_expr *expr) {
    if (glsl_is_const(expr->a)) {
        return glsl_emit_expr(e, expr->a->value[0] != 0.0f ? expr->b : expr->c);
    }
    if (!expr->b->effect && !expr->c->effect && expr->b->cost + expr->c->cost <= CHEAP_CHOICE &&
        expr->type->kind != GLSL_VOID) {
        return emit_selection(e, expr);
    }
    struct ir_block *then_block = ir_block_create(e->fn), *else_block = ir_block_create(e->fn);
    struct ir_block *end = ir_block_create(e->fn);
    struct glsl_binding result = {.kind = GLSL_BOUND_VARS, .type = expr->type};
    result.vars = glsl_emit_vars(e, "choice", expr->type);
    ir_branch(&e->b, glsl_emit_scalar(e, expr->a), then_block, else_block);
    ir_begin(&e->b, then_block);
    glsl_emit_store_all(e, expr->type, result.vars, glsl_emit_expr(e, expr->b));
    ir_jump(&e->b, end);
    ir_begin(&e->b, else_block);
    glsl_emit_store_all(e, expr->type, result.vars, glsl_emit_expr(e, expr->c));
    ir_jump(&e->b, end);
    ir_begin(&e->b, end);
    struct glsl_place place = glsl_emit_whole(&result);
    return glsl_emit_load(e, &place);
}

/* ---- calls and constructors without variables -------------------------------------------------------- */

static struct ir_src *emit_with_args(struct glsl_emit *e, const struct glsl_expr *expr) {
    const struct glsl_type **types = glsl_emit_alloc(e, expr->count * sizeof *types);
    const struct ir_src **args = glsl_emit_alloc(e, expr->count * sizeof *args);
    for (uint32_t i = 0; i < expr->count; i++) {
        types[i] = expr->args[i]->type;
        args[i] = glsl_emit_expr(e, expr->args[i]);
    }
    struct ir_src *out = glsl_emit_slots(e, expr->type->slots);
    if (expr->kind == GLSL_E_BUILTIN) {
        glsl_emit_builtin(&e->b, expr->builtin, types, args, out);
    } else {
        glsl_emit_construct(&e->b, expr->type, expr->count, types, args, out);
    }
    return out;
}

static struct ir_src *emit_node(struct glsl_emit *e, const struct glsl_expr *expr) {
    switch (expr->kind) {
    case GLSL_E_CONST: return glsl_emit_constant(e, expr->type, expr->value);
    case GLSL_E_VAR:
    case GLSL_E_FIELD:
    case GLSL_E_SWIZZLE:
    case GLSL_E_INDEX: return emit_access(e, expr);
    case GLSL_E_UNARY: {
        struct ir_src *a = glsl_emit_expr(e, expr->a);
        struct ir_src *out = glsl_emit_slots(e, expr->type->slots);
        glsl_emit_unary(&e->b, expr->op, expr->type, a, out);
        return out;
    }
    case GLSL_E_PRE:
    case GLSL_E_POST: return emit_step(e, expr);
    case GLSL_E_BINARY:
    case GLSL_E_COMMA: return emit_chain(e, expr);
    case GLSL_E_ASSIGN: return emit_assign(e, expr);
    case GLSL_E_COND: return emit_choice(e, expr);
    case GLSL_E_CALL: return glsl_emit_call(e, expr);
    case GLSL_E_BUILTIN:
        if (expr->builtin->op == GLSL_B_TEX || expr->builtin->op == GLSL_B_SHADOW) {
            return glsl_emit_texture(e, expr);
        }
        return emit_with_args(e, expr);
    default: return emit_with_args(e, expr);
    }
}

struct ir_src *glsl_emit_expr(struct glsl_emit *e, const struct glsl_expr *expr) {
    if (++e->depth > GLSL_MAX_EMIT_DEPTH) {
        glsl_emit_fail(e, "calls, blocks and expressions nest too deeply");
    }
    struct ir_src *out = emit_node(e, expr);
    e->depth--;
    return out;
}
