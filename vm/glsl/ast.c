/* SPDX-License-Identifier: MIT */
/* Constructors of tree nodes and the facts that every node carries: depth, cost, effect. */
#include "vm/glsl/builtin.h"
#include "vm/glsl/sema.h"

struct glsl_expr *glsl_expr_new(struct glsl_unit *u, enum glsl_expr_kind kind, const struct glsl_type *type,
                                struct diag_pos pos) {
    struct glsl_expr *e = glsl_alloc(u, sizeof *e);
    e->kind = (uint8_t)kind;
    e->type = type;
    e->pos = pos;
    e->depth = 1;
    return e;
}

struct glsl_expr *glsl_expr_error(struct glsl_unit *u, struct diag_pos pos) {
    return glsl_expr_new(u, GLSL_E_ERROR, &glsl_type_error, pos);
}

struct glsl_expr *glsl_expr_const(struct glsl_unit *u, const struct glsl_type *type, const float *value,
                                  struct diag_pos pos) {
    struct glsl_expr *e = glsl_expr_new(u, GLSL_E_CONST, type, pos);
    e->value = value;
    return e;
}

struct glsl_expr *glsl_expr_float(struct glsl_unit *u, const struct glsl_type *type, float value,
                                  struct diag_pos pos) {
    float *v = glsl_alloc(u, sizeof *v);
    *v = value;
    return glsl_expr_const(u, type, v, pos);
}

struct glsl_stmt *glsl_stmt_new(struct glsl_unit *u, enum glsl_stmt_kind kind, struct diag_pos pos) {
    struct glsl_stmt *s = glsl_alloc(u, sizeof *s);
    s->kind = (uint8_t)kind;
    s->pos = pos;
    return s;
}

const char *glsl_type_name(struct glsl_unit *u, const struct glsl_type *type) {
    if (type->kind != GLSL_ARRAY) {
        return type->name;
    }
    char *buffer = glsl_alloc(u, 80);
    return glsl_type_text(type, buffer, 80);
}

/* Work of the node itself; the operands' is added. */
static unsigned own_cost(const struct glsl_expr *e) {
    switch (e->kind) {
    case GLSL_E_CONST:
    case GLSL_E_VAR:
    case GLSL_E_SWIZZLE:
    case GLSL_E_FIELD:
    case GLSL_E_COMMA:
        return 0;
    case GLSL_E_CALL:
        return 1000;
    case GLSL_E_BUILTIN:
        return glsl_builtin_cost(e->builtin);
    case GLSL_E_CONSTRUCT:
        return 1;
    default:
        return e->type->slots ? e->type->slots : 1;
    }
}

static void take_operand(struct glsl_expr *e, const struct glsl_expr *operand, unsigned deeper) {
    if (!operand) {
        return;
    }
    unsigned depth = operand->depth + deeper;
    unsigned cost = e->cost + operand->cost;
    e->depth = (uint16_t)(depth > e->depth ? depth : e->depth);
    e->cost = (uint16_t)(cost > UINT16_MAX ? UINT16_MAX : cost);
    e->effect |= operand->effect;
}

struct glsl_expr *glsl_expr_finish(struct glsl_unit *u, struct glsl_expr *e) {
    bool has_args = e->kind == GLSL_E_CALL || e->kind == GLSL_E_BUILTIN || e->kind == GLSL_E_CONSTRUCT;
    e->effect |= e->kind == GLSL_E_PRE || e->kind == GLSL_E_POST || e->kind == GLSL_E_ASSIGN ||
                 e->kind == GLSL_E_CALL;
    e->cost = (uint16_t)own_cost(e);
    if (has_args) {
        for (uint32_t i = 0; i < e->count; i++) {
            take_operand(e, e->args[i], 1);
        }
    } else {
        /* a + b + c + ...: lowering walks a left spine in a loop, so it does not count as depth. */
        bool spine = e->kind == GLSL_E_BINARY || e->kind == GLSL_E_COMMA;
        take_operand(e, e->a, !(spine && e->a && e->a->kind == e->kind));
        take_operand(e, e->b, 1);
        take_operand(e, e->c, 1);
    }
    if (e->depth > GLSL_MAX_EXPR_DEPTH) {
        glsl_error(u, e->pos, "expression nests deeper than %d operators", GLSL_MAX_EXPR_DEPTH);
        glsl_hint(u, "keep parts of it in variables");
        return glsl_expr_error(u, e->pos);
    }
    return e;
}
