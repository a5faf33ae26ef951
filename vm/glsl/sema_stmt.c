/* SPDX-License-Identifier: MIT */
/*
 * Statements and functions: conditions, jumps, prototypes and definitions, and the checks that need the
 * whole shader (recursion, undefined functions). SPEC: GLSL ES 1.00.17 sections 6.1 to 6.4.
 */
#include <string.h>

#include "vm/glsl/builtin.h"
#include "vm/glsl/parse.h"
#include "vm/glsl/sema.h"

struct glsl_expr *glsl_sema_condition(struct glsl_unit *u, struct glsl_expr *e, const char *where) {
    if (!glsl_is_error(e) && e->type != glsl_type_vector(GLSL_BOOL, 1)) {
        glsl_error(u, e->pos, "the condition of '%s' must be a bool, not '%s'", where, glsl_type_name(u, e->type));
        if (glsl_type_is_numeric(e->type) && glsl_type_is_scalar(e->type)) {
            glsl_hint(u, "write ... != %s", e->type->kind == GLSL_INT ? "0" : e->type->kind == GLSL_DOUBLE ? "0.0lf" : "0.0");
        }
        return glsl_expr_error(u, e->pos);
    }
    return e;
}

static void check_return(struct glsl_unit *u, struct glsl_expr *value, struct diag_pos pos) {
    const struct glsl_function *f = u->function;
    if (!value) {
        if (f->type->kind != GLSL_VOID && f->type->kind != GLSL_ERROR) {
            glsl_error(u, pos, "'return' in '%.60s' needs a value of type '%s'", f->atom->text,
                       glsl_type_name(u, f->type));
        }
        return;
    }
    if (glsl_is_error(value) || f->type->kind == GLSL_ERROR) {
        return;
    }
    if (f->type->kind == GLSL_VOID) {
        glsl_error(u, pos, "'return' with a value in '%.60s', which returns nothing", f->atom->text);
        return;
    }
    if (value->type != f->type) {
        glsl_error(u, value->pos, "'return': '%.60s' returns '%s', not '%s'", f->atom->text,
                   glsl_type_name(u, f->type), glsl_type_name(u, value->type));
        glsl_hint_conversion(u, f->type, value);
    }
}

struct glsl_stmt *glsl_sema_jump(struct glsl_unit *u, unsigned token, struct glsl_expr *value, struct diag_pos pos) {
    enum glsl_stmt_kind kind;
    switch (token) {
    case GLSL_T_BREAK:
    case GLSL_T_CONTINUE:
        kind = token == GLSL_T_BREAK ? GLSL_S_BREAK : GLSL_S_CONTINUE;
        if (!u->loops) {
            glsl_error(u, pos, "'%s' outside of a loop", glsl_token_kind_text((enum glsl_token_kind)token));
        }
        break;
    case GLSL_T_DISCARD:
        kind = GLSL_S_DISCARD;
        if (!u->is_fragment) {
            glsl_error(u, pos, "'discard' is possible in fragment shaders only");
        }
        u->function->discards = true;
        break;
    default:
        kind = GLSL_S_RETURN;
        u->function->returns++;
        check_return(u, value, pos);
        break;
    }
    struct glsl_stmt *s = glsl_stmt_new(u, kind, pos);
    s->expr = value;
    return s;
}

/* ---- counted loops -------------------------------------------------------------------------------- */

/* Does any assignment in the tree reach 'var'? Expressions are at most GLSL_MAX_EXPR_DEPTH deep. */
static bool expr_writes(struct glsl_expr *e, const struct glsl_var *var) {
    for (; e; e = e->a) { /* the left spine in a loop */
        if (!e->effect) {
            return false;
        }
        if ((e->kind == GLSL_E_PRE || e->kind == GLSL_E_POST || e->kind == GLSL_E_ASSIGN) &&
            glsl_expr_root(e->a) == var) {
            return true;
        }
        if (e->kind == GLSL_E_CALL || e->kind == GLSL_E_BUILTIN || e->kind == GLSL_E_CONSTRUCT) {
            for (uint32_t i = 0; i < e->count; i++) {
                bool out = e->kind == GLSL_E_CALL && e->function->params[i]->storage >= GLSL_PARAM_OUT;
                if ((out && glsl_expr_root(e->args[i]) == var) || expr_writes(e->args[i], var)) {
                    return true;
                }
            }
            return false;
        }
        if ((e->b && expr_writes(e->b, var)) || (e->c && expr_writes(e->c, var))) {
            return true;
        }
    }
    return false;
}

static bool stmt_writes(struct glsl_stmt *list, const struct glsl_var *var) {
    for (; list; list = list->next) {
        /* An else-if chain is followed in a loop: it may be long. */
        for (struct glsl_stmt *s = list; s; s = s->other && s->other->kind == GLSL_S_IF ? s->other : NULL) {
            for (struct glsl_var *v = s->vars; v; v = v->next) {
                if (v->init && expr_writes(v->init, var)) {
                    return true;
                }
            }
            bool other_is_end = s->other && s->other->kind != GLSL_S_IF;
            if (expr_writes(s->expr, var) || expr_writes(s->step, var) || stmt_writes(s->init, var) ||
                stmt_writes(s->body, var) || (other_is_end && stmt_writes(s->other, var))) {
                return true;
            }
        }
    }
    return false;
}

/* The constant by which a loop expression steps 'var', 0 if it has another form. */
static float constant_step(struct glsl_expr *e, const struct glsl_var *var) {
    if (!e || !e->a || e->a->kind != GLSL_E_VAR || e->a->var != var) {
        return 0.0f;
    }
    if (e->kind == GLSL_E_PRE || e->kind == GLSL_E_POST) {
        return e->op == GLSL_T_INC ? 1.0f : -1.0f;
    }
    if (e->kind == GLSL_E_ASSIGN && glsl_is_const(e->b) && glsl_type_is_scalar(e->b->type)) {
        return e->op == GLSL_T_ADD_ASSIGN ? e->b->value[0] : e->op == GLSL_T_SUB_ASSIGN ? -e->b->value[0] : 0.0f;
    }
    return 0.0f;
}

void glsl_sema_loop(struct glsl_unit *u, struct glsl_stmt *loop) {
    (void)u;
    const struct glsl_stmt *init = loop->init;
    struct glsl_expr *test = loop->expr;
    if (!init || init->kind != GLSL_S_DECL || !init->vars || init->vars->next || !init->vars->init ||
        !glsl_is_const(init->vars->init) || !glsl_type_is_scalar(init->vars->type) || loop->vars || !test ||
        test->kind != GLSL_E_BINARY || test->a->kind != GLSL_E_VAR || test->a->var != init->vars ||
        !glsl_is_const(test->b)) {
        return;
    }
    const struct glsl_var *var = init->vars;
    float from = var->init->value[0], to = test->b->value[0], step = constant_step(loop->step, var);
    bool upward = test->op == GLSL_T_LT || test->op == GLSL_T_LE;
    bool downward = test->op == GLSL_T_GT || test->op == GLSL_T_GE;
    float trips = step != 0.0f ? (to - from) / step : -1.0f;
    bool ends = (upward && step > 0.0f) || (downward && step < 0.0f);
    /* Steps stay visible in float when there are few enough of them. */
    if (ends && trips < 65536.0f && from < 65536.0f && from > -65536.0f && !stmt_writes(loop->body, var)) {
        loop->bounded = true;
    }
}

/* ---- functions ------------------------------------------------------------------------------------ */

static bool same_params(const struct glsl_function *a, const struct glsl_function *b) {
    if (a->param_count != b->param_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->param_count; i++) {
        if (a->params[i]->type != b->params[i]->type) {
            return false;
        }
    }
    return true;
}

static bool redefines_builtin(struct glsl_unit *u, const struct glsl_function *f) {
    const struct glsl_type **types = glsl_alloc_array(u, f->param_count, sizeof *types);
    for (uint32_t i = 0; i < f->param_count; i++) {
        types[i] = f->params[i]->type;
    }
    const struct glsl_type *type;
    const struct glsl_builtin *near_miss;
    return glsl_builtin_match(u, glsl_builtin_find(f->atom), types, f->param_count, &type, &near_miss) != NULL;
}

static void check_head(struct glsl_unit *u, const struct glsl_function *f) {
    const char *name = f->atom->text;
    if (f->type->has_array || f->type->has_sampler) {
        glsl_error(u, f->pos, "'%.60s' cannot return '%s'", name, glsl_type_name(u, f->type));
        glsl_hint(u, "arrays and samplers, and structures with them, cannot be returned: use an out parameter");
    }
    if (strcmp(name, "main") == 0 && (f->type->kind != GLSL_VOID || f->param_count)) {
        glsl_error(u, f->pos, f->param_count ? "'main' has no parameters" : "'main' returns void");
    }
    if (redefines_builtin(u, f)) {
        glsl_error(u, f->pos, "'%.60s' with these parameters is a built-in function and cannot be redefined", name);
    }
}

/* A second declaration of the same function must agree with the first. */
static bool check_redeclaration(struct glsl_unit *u, const struct glsl_function *old,
                                const struct glsl_function *f, bool is_definition) {
    const char *name = f->atom->text;
    if (old->type != f->type || old->precision != f->precision) {
        glsl_error(u, f->pos, "'%.60s' was declared with another return type at line %u", name, old->pos.line);
        glsl_hint(u, "overloads must differ in their parameters");
        return false;
    }
    for (uint32_t i = 0; i < f->param_count; i++) {
        if (old->params[i]->storage != f->params[i]->storage) {
            glsl_error(u, f->params[i]->pos, "'%.60s': parameter %u has another qualifier than at line %u", name,
                       i + 1, old->pos.line);
            return false;
        }
    }
    if (is_definition ? old->defined : old->prototyped) {
        glsl_error(u, f->pos, "'%.60s' is already %s, at line %u", name, is_definition ? "defined" : "declared",
                   old->pos.line);
        return false;
    }
    return true;
}

struct glsl_function *glsl_sema_function(struct glsl_unit *u, struct glsl_function *head, bool is_definition) {
    check_head(u, head);
    struct glsl_symbol *s = head->atom->symbol;
    if (!s || s->kind != GLSL_SYM_FUNCTION) {
        s = glsl_declare(u, GLSL_SYM_FUNCTION, head->atom, head->pos); /* refuses a variable or type of that name */
    }
    struct glsl_function *f = s ? s->functions : NULL;
    while (f && !same_params(f, head)) {
        f = f->next;
    }
    if (f && check_redeclaration(u, f, head, is_definition)) {
        if (is_definition) {
            f->params = head->params;
            f->pos = head->pos;
            f->defined = true;
        } else {
            f->prototyped = true;
        }
        return f;
    }
    /* New, or wrong: what is wrong is still parsed, under an object that nothing can call. */
    head->prototyped = !is_definition;
    head->defined = is_definition;
    head->index = u->function_count++;
    *u->functions_tail = head;
    u->functions_tail = &head->next_all;
    if (s && !f) {
        head->next = s->functions;
        s->functions = head;
        if (strcmp(head->atom->text, "main") == 0) {
            u->main = head;
        }
    }
    return head;
}

/* ---- the whole shader ----------------------------------------------------------------------------- */

struct walk_step {
    struct glsl_function *f;
    struct glsl_call *next;
};

/* The caller's chain is at least one longer than the callee's (saturated: the limit is far lower). */
static void raise_level(struct glsl_function *caller, const struct glsl_function *callee) {
    if (callee->level >= caller->level && callee->level < UINT16_MAX) {
        caller->level = (uint16_t)(callee->level + 1);
    }
}

/* Depth-first over the call graph with a stack of our own: finds recursion and the longest chain. */
static void check_calls_from(struct glsl_unit *u, struct glsl_function *root, struct walk_step *stack) {
    uint32_t top = 0;
    stack[0] = (struct walk_step){root, root->calls};
    root->visit = 1;
    root->level = 1;
    for (;;) {
        struct walk_step *step = &stack[top];
        struct glsl_call *call = step->next;
        if (!call) {
            step->f->visit = 2;
            if (top == 0) {
                return;
            }
            raise_level(stack[top - 1].f, step->f);
            top--;
            continue;
        }
        step->next = call->next;
        struct glsl_function *to = call->to;
        if (to->visit == 1) {
            glsl_error(u, call->pos, "'%.60s': functions cannot call themselves, directly or through others",
                       to->atom->text);
            return;
        }
        if (!to->defined) {
            if (to->visit == 0) {
                glsl_error(u, call->pos, "'%.60s' is called but never defined", to->atom->text);
                to->visit = 2;
            }
        } else if (to->visit == 0) {
            to->visit = 1;
            to->level = 1;
            stack[++top] = (struct walk_step){to, to->calls};
        } else {
            raise_level(step->f, to);
        }
    }
}

void glsl_sema_finish(struct glsl_unit *u) {
    if (u->color_pos.line && u->data_pos.line) {
        glsl_error(u, u->data_pos, "a shader cannot write both gl_FragColor and gl_FragData");
        glsl_hint(u, "gl_FragColor is written at line %u", u->color_pos.line);
    }
    struct walk_step *stack = glsl_alloc_array(u, u->function_count + 1, sizeof *stack);
    for (struct glsl_function *f = u->functions; f && !u->diags->errors; f = f->next_all) {
        if (f->visit == 0 && f->defined) {
            check_calls_from(u, f, stack);
        }
        if (f->level > GLSL_MAX_CALL_DEPTH && !u->diags->errors) {
            glsl_error(u, f->pos, "calls from '%.60s' go deeper than %d functions", f->atom->text,
                       GLSL_MAX_CALL_DEPTH);
        }
    }
}
