/* SPDX-License-Identifier: MIT */
/*
 * Types of operators. There are no implicit conversions: the operands' basic types must be the same, and
 * only float and int mix sizes (scalar with vector or matrix, matrix with vector by linear algebra).
 * SPEC: GLSL ES 1.00.17 sections 5.1 and 5.5 to 5.10.
 */
#include <string.h>

#include "vm/glsl/parse.h"
#include "vm/glsl/sema.h"

static const char *op_text(unsigned op) { return glsl_token_kind_text((enum glsl_token_kind)op); }

/* The node folded if it is constant, else finished. */
static struct glsl_expr *result(struct glsl_unit *u, struct glsl_expr *e) {
    const float *value = glsl_fold(u, e);
    return value ? glsl_expr_const(u, e->type, value, e->pos) : glsl_expr_finish(u, e);
}

void glsl_hint_conversion(struct glsl_unit *u, const struct glsl_type *want, const struct glsl_expr *have) {
    const struct glsl_type *t = have->type;
    if (want->rows != t->rows || want->cols != t->cols || !glsl_type_is_value(want) || !glsl_type_is_value(t)) {
        return;
    }
    if (want->kind == GLSL_FLOAT && t->kind == GLSL_INT) {
        if (glsl_is_const(have) && t->rows == 1) {
            glsl_hint(u, "no implicit int to float conversion: write %.0f.0", (double)have->value[0]);
        } else {
            glsl_hint(u, "no implicit int to float conversion: write %s(...)", want->name);
        }
    } else if (want->kind != t->kind) {
        glsl_hint(u, "no implicit %s to %s conversion: write %s(...)", t->name, want->name, want->name);
    }
}

struct glsl_expr *glsl_sema_name(struct glsl_unit *u, const struct glsl_token *name) {
    uint32_t errors = u->diags->errors;
    struct glsl_symbol *s = glsl_lookup(u, name->atom, name->pos);
    if (!s) {
        if (u->diags->errors == errors) {
            glsl_error(u, name->pos, "'%.60s': undeclared identifier", name->atom->text);
        }
        return glsl_expr_error(u, name->pos);
    }
    if (s->kind != GLSL_SYM_VAR) {
        glsl_error(u, name->pos, "'%.60s' is a %s, not a value", name->atom->text,
                   s->kind == GLSL_SYM_TYPE ? "type" : "function");
        return glsl_expr_error(u, name->pos);
    }
    struct glsl_var *var = s->var;
    if (var->type->kind == GLSL_ERROR) {
        return glsl_expr_error(u, name->pos);
    }
    var->read = true;
    if (var->storage == GLSL_CONST && var->value) {
        return glsl_expr_const(u, var->type, var->value, name->pos);
    }
    struct glsl_expr *e = glsl_expr_new(u, GLSL_E_VAR, var->type, name->pos);
    e->var = var;
    return glsl_expr_finish(u, e);
}

struct glsl_expr *glsl_sema_unary(struct glsl_unit *u, unsigned op, struct glsl_expr *a, struct diag_pos pos) {
    if (glsl_is_error(a)) {
        return a;
    }
    if (glsl_token_reserved_op((enum glsl_token_kind)op)) {
        glsl_error(u, pos, "operator '%s' is reserved", op_text(op));
        return glsl_expr_error(u, pos);
    }
    bool fits = op == GLSL_T_BANG ? a->type->kind == GLSL_BOOL && glsl_type_is_scalar(a->type)
                                  : glsl_type_is_numeric(a->type);
    if (!fits) {
        glsl_error(u, pos, "'%s' cannot be applied to '%s'", op_text(op), glsl_type_name(u, a->type));
        if (op == GLSL_T_BANG && a->type->kind == GLSL_BOOL) {
            glsl_hint(u, "use the function not() for vectors");
        }
        return glsl_expr_error(u, pos);
    }
    struct glsl_expr *e = glsl_expr_new(u, GLSL_E_UNARY, a->type, pos);
    e->op = (uint8_t)op;
    e->a = a;
    return result(u, e);
}

struct glsl_expr *glsl_sema_step(struct glsl_unit *u, unsigned op, struct glsl_expr *a, bool prefix,
                                 struct diag_pos pos) {
    if (glsl_is_error(a)) {
        return a;
    }
    if (!glsl_type_is_numeric(a->type)) {
        glsl_error(u, pos, "'%s' cannot be applied to '%s'", op_text(op), glsl_type_name(u, a->type));
        return glsl_expr_error(u, pos);
    }
    if (!glsl_sema_lvalue(u, a, true, op_text(op))) {
        return glsl_expr_error(u, pos);
    }
    struct glsl_expr *e = glsl_expr_new(u, prefix ? GLSL_E_PRE : GLSL_E_POST, a->type, pos);
    e->op = (uint8_t)op;
    e->a = a;
    return glsl_expr_finish(u, e);
}

/* Result of + - * / on two types, NULL if they do not fit. */
static const struct glsl_type *arithmetic_type(unsigned op, const struct glsl_type *a, const struct glsl_type *b) {
    if (!glsl_type_is_numeric(a) || a->kind != b->kind) {
        return NULL;
    }
    if (op == GLSL_T_STAR && (a->cols > 1 || b->cols > 1) && !glsl_type_is_scalar(a) && !glsl_type_is_scalar(b)) {
        /* Linear algebra; all matrices are square. */
        if (a->rows != b->rows) {
            return NULL;
        }
        return a->cols > 1 && b->cols > 1 ? a : glsl_type_vector((enum glsl_kind)a->kind, a->rows);
    }
    if (a == b || glsl_type_is_scalar(b)) {
        return a;
    }
    return glsl_type_is_scalar(a) ? b : NULL;
}

/* True if the type may be compared or assigned as a whole. */
static bool no_arrays_or_samplers(const struct glsl_type *t) {
    return t->kind != GLSL_VOID && !t->has_array && !t->has_sampler;
}

static const struct glsl_type *binary_type(unsigned op, const struct glsl_type *a, const struct glsl_type *b) {
    const struct glsl_type *boolean = glsl_type_vector(GLSL_BOOL, 1);
    switch (op) {
    case GLSL_T_PLUS:
    case GLSL_T_MINUS:
    case GLSL_T_STAR:
    case GLSL_T_SLASH:
        return arithmetic_type(op, a, b);
    case GLSL_T_LT:
    case GLSL_T_GT:
    case GLSL_T_LE:
    case GLSL_T_GE:
        return a == b && glsl_type_is_numeric(a) && glsl_type_is_scalar(a) ? boolean : NULL;
    case GLSL_T_EQ:
    case GLSL_T_NE:
        return a == b && no_arrays_or_samplers(a) ? boolean : NULL;
    case GLSL_T_AND_AND:
    case GLSL_T_OR_OR:
    case GLSL_T_XOR_XOR:
        return a == boolean && b == boolean ? boolean : NULL;
    default:
        return NULL;
    }
}

/* Explains why two operands do not fit. */
static void hint_operands(struct glsl_unit *u, unsigned op, const struct glsl_expr *a, const struct glsl_expr *b) {
    const struct glsl_type *ta = a->type, *tb = b->type;
    bool mixed = (ta->kind == GLSL_FLOAT && tb->kind == GLSL_INT) || (ta->kind == GLSL_INT && tb->kind == GLSL_FLOAT);
    if (mixed) {
        const struct glsl_expr *whole = ta->kind == GLSL_INT ? a : b;
        if (glsl_is_const(whole) && glsl_type_is_scalar(whole->type)) {
            glsl_hint(u, "no implicit int to float conversion: write %.0f.0", (double)whole->value[0]);
        } else {
            glsl_hint(u, "no implicit int to float conversion: write %s(...)",
                      glsl_type_vector(GLSL_FLOAT, whole->type->rows)->name);
        }
    } else if ((ta->kind == GLSL_DOUBLE) != (tb->kind == GLSL_DOUBLE) && glsl_type_is_numeric(ta) &&
               glsl_type_is_numeric(tb)) {
        const struct glsl_type *other = ta->kind == GLSL_DOUBLE ? tb : ta;
        glsl_hint(u, "no implicit conversions from or to double: write %s(...)",
                  other->cols > 1 ? glsl_type_matrix(GLSL_DOUBLE, other->cols)->name
                                  : glsl_type_vector(GLSL_DOUBLE, other->rows)->name);
    } else if (op >= GLSL_T_LT && op <= GLSL_T_GE && ta == tb && glsl_type_is_vector(ta)) {
        glsl_hint(u, "use lessThan(), greaterThanEqual(), ... to compare vectors by component");
    } else if (ta == tb && (ta->has_array || ta->has_sampler)) {
        glsl_hint(u, "arrays and samplers, and structures with them, cannot be compared");
    }
}

struct glsl_expr *glsl_sema_binary(struct glsl_unit *u, unsigned op, struct glsl_expr *a, struct glsl_expr *b,
                                   struct diag_pos pos) {
    if (glsl_token_reserved_op((enum glsl_token_kind)op)) {
        glsl_error(u, pos, "operator '%s' is reserved", op_text(op));
        if (op == GLSL_T_PERCENT) {
            glsl_hint(u, "use mod() on floats, or a - b * (a / b) on integers");
        }
        return glsl_expr_error(u, pos);
    }
    if (glsl_is_error(a) || glsl_is_error(b)) {
        return glsl_is_error(a) ? a : b;
    }
    const struct glsl_type *type = binary_type(op, a->type, b->type);
    if (!type) {
        glsl_error(u, pos, "'%s' cannot be applied to '%s' and '%s'", op_text(op), glsl_type_name(u, a->type),
                   glsl_type_name(u, b->type));
        hint_operands(u, op, a, b);
        return glsl_expr_error(u, pos);
    }
    struct glsl_expr *e = glsl_expr_new(u, GLSL_E_BINARY, type, pos);
    e->op = (uint8_t)op;
    e->a = a;
    e->b = b;
    return result(u, e);
}

bool glsl_check_assignable(struct glsl_unit *u, const struct glsl_type *type, const struct glsl_expr *value,
                           const char *name, struct diag_pos pos) {
    if (type->kind == GLSL_ERROR || glsl_is_error(value)) {
        return false;
    }
    const char *have = glsl_type_name(u, value->type), *want = glsl_type_name(u, type);
    if (type != value->type) {
        if (name) {
            glsl_error(u, pos, "'%.60s' is of type '%s' and cannot be initialised with '%s'", name, want, have);
        } else {
            glsl_error(u, pos, "a value of type '%s' cannot be assigned to '%s'", have, want);
        }
        glsl_hint_conversion(u, type, value);
        return false;
    }
    if (!no_arrays_or_samplers(type)) {
        glsl_error(u, pos, "values of type '%s' cannot be assigned", want);
        glsl_hint(u, "arrays and samplers, and structures with them, have no assignment");
        return false;
    }
    return true;
}

/* The arithmetic operator of a compound assignment. */
static unsigned compound_op(unsigned op) {
    switch (op) {
    case GLSL_T_ADD_ASSIGN: return GLSL_T_PLUS;
    case GLSL_T_SUB_ASSIGN: return GLSL_T_MINUS;
    case GLSL_T_MUL_ASSIGN: return GLSL_T_STAR;
    default: return GLSL_T_SLASH;
    }
}

struct glsl_expr *glsl_sema_assign(struct glsl_unit *u, unsigned op, struct glsl_expr *a, struct glsl_expr *b,
                                   struct diag_pos pos) {
    if (glsl_token_reserved_op((enum glsl_token_kind)op)) {
        glsl_error(u, pos, "operator '%s' is reserved", op_text(op));
        return glsl_expr_error(u, pos);
    }
    if (glsl_is_error(a) || glsl_is_error(b)) {
        return glsl_is_error(a) ? a : b;
    }
    if (!glsl_sema_lvalue(u, a, op != GLSL_T_ASSIGN, op_text(op))) {
        return glsl_expr_error(u, pos);
    }
    if (op == GLSL_T_ASSIGN) {
        if (!glsl_check_assignable(u, a->type, b, NULL, pos)) {
            return glsl_expr_error(u, pos);
        }
    } else if (arithmetic_type(compound_op(op), a->type, b->type) != a->type) {
        glsl_error(u, pos, "'%s' cannot be applied to '%s' and '%s'", op_text(op), glsl_type_name(u, a->type),
                   glsl_type_name(u, b->type));
        hint_operands(u, op, a, b);
        return glsl_expr_error(u, pos);
    }
    struct glsl_expr *e = glsl_expr_new(u, GLSL_E_ASSIGN, a->type, pos);
    e->op = (uint8_t)op;
    e->a = a;
    e->b = b;
    return glsl_expr_finish(u, e);
}

struct glsl_expr *glsl_sema_cond(struct glsl_unit *u, struct glsl_expr *a, struct glsl_expr *b,
                                 struct glsl_expr *c, struct diag_pos pos) {
    if (glsl_is_error(a) || glsl_is_error(b) || glsl_is_error(c)) {
        return glsl_is_error(a) ? a : glsl_is_error(b) ? b : c;
    }
    if (a->type != glsl_type_vector(GLSL_BOOL, 1)) {
        glsl_error(u, pos, "'?:' needs a bool before '?', not '%s'", glsl_type_name(u, a->type));
        return glsl_expr_error(u, pos);
    }
    if (b->type != c->type) {
        glsl_error(u, pos, "'?:' chooses between different types '%s' and '%s'", glsl_type_name(u, b->type),
                   glsl_type_name(u, c->type));
        hint_operands(u, 0, b, c);
        return glsl_expr_error(u, pos);
    }
    if (b->type->kind == GLSL_ARRAY || b->type->has_sampler || b->type->has_array) {
        glsl_error(u, pos, "'?:' cannot choose between values of type '%s'", glsl_type_name(u, b->type));
        return glsl_expr_error(u, pos);
    }
    struct glsl_expr *e = glsl_expr_new(u, GLSL_E_COND, b->type, pos);
    e->a = a;
    e->b = b;
    e->c = c;
    return result(u, e);
}

struct glsl_expr *glsl_sema_comma(struct glsl_unit *u, struct glsl_expr *a, struct glsl_expr *b,
                                  struct diag_pos pos) {
    if (glsl_is_error(a) || glsl_is_error(b)) {
        return glsl_is_error(a) ? a : b;
    }
    struct glsl_expr *e = glsl_expr_new(u, GLSL_E_COMMA, b->type, pos);
    e->a = a;
    e->b = b;
    return result(u, e);
}
