/* SPDX-License-Identifier: MIT */
/*
 * Which variables, leaf by leaf, the code that main can reach uses, and about how often: a loop counts
 * eight times. The linker takes what is used as active, and gives the most used uniforms the registers
 * that need no prefix unit.
 */
#include "vm/glsl/layout.h"

enum { LOOP_WEIGHT = 8, MAX_WEIGHT = 1 << 20 };

struct uses {
    const struct glsl_unit *u;
    struct arena *arena;
    struct glsl_stage_use *out;
    uint32_t *function_weights;           /* by function index */
    const struct glsl_function **order;   /* callees first */
    uint32_t order_count;
    uint8_t *visited;
    uint32_t weight;                      /* of the statement being walked */
    bool failed;
};

static uint32_t add_weight(uint32_t a, uint32_t b) { return a + b > MAX_WEIGHT ? MAX_WEIGHT : a + b; }

/* First leaf of an access chain over fields and indices that ends in a variable. */
static uint32_t chain_leaf(const struct glsl_expr *e) {
    uint32_t leaf = 0;
    for (; e->kind != GLSL_E_VAR; e = e->a) {
        if (e->kind == GLSL_E_FIELD) {
            leaf += e->a->type->record->fields[e->count].first_leaf;
        }
    }
    return leaf;
}

static void mark(struct uses *s, const struct glsl_expr *chain, const struct glsl_var *var) {
    struct glsl_use *use = &s->out->vars[var->index];
    if (!use->weights) {
        use->weights = arena_array(s->arena, var->type->leaves, sizeof *use->weights);
        if (!use->weights) {
            s->failed = true;
            return;
        }
    }
    use->used = true;
    while (chain->kind == GLSL_E_SWIZZLE) {
        chain = chain->a;
    }
    uint32_t first = chain_leaf(chain);
    for (uint32_t i = 0; i < chain->type->leaves; i++) {
        use->weights[first + i] = add_weight(use->weights[first + i], s->weight);
    }
}

static void walk_expr(struct uses *s, const struct glsl_expr *e);

/* An access chain: its indices, and its root. */
static void walk_chain(struct uses *s, const struct glsl_expr *chain) {
    const struct glsl_expr *e = chain, *top = chain;
    while (e->kind == GLSL_E_FIELD || e->kind == GLSL_E_SWIZZLE || e->kind == GLSL_E_INDEX) {
        if (e->kind == GLSL_E_INDEX) {
            walk_expr(s, e->b);
            if (glsl_type_is_vector(e->a->type)) {
                top = e->a;
            }
        }
        e = e->a;
    }
    if (e->kind == GLSL_E_VAR) {
        mark(s, top, e->var);
    } else {
        walk_expr(s, e);
    }
}

static void walk_expr(struct uses *s, const struct glsl_expr *e) {
    while (e) { /* the left spine in a loop */
        switch (e->kind) {
        case GLSL_E_CONST:
        case GLSL_E_ERROR:
            return;
        case GLSL_E_VAR:
        case GLSL_E_FIELD:
        case GLSL_E_SWIZZLE:
        case GLSL_E_INDEX:
            walk_chain(s, e);
            return;
        case GLSL_E_CALL:
        case GLSL_E_BUILTIN:
        case GLSL_E_CONSTRUCT:
            for (uint32_t i = 0; i < e->count; i++) {
                walk_expr(s, e->args[i]);
            }
            if (e->kind == GLSL_E_CALL) {
                uint32_t *weight = &s->function_weights[e->function->index];
                *weight = add_weight(*weight, s->weight);
            }
            return;
        default:
            walk_expr(s, e->b);
            walk_expr(s, e->c);
            e = e->a;
        }
    }
}

static void walk_stmts(struct uses *s, const struct glsl_stmt *list);

static void walk_stmt(struct uses *s, const struct glsl_stmt *stmt) {
    uint32_t outside = s->weight;
    if (stmt->init) {
        walk_stmts(s, stmt->init);
    }
    if (stmt->kind == GLSL_S_FOR || stmt->kind == GLSL_S_DO) {
        s->weight = s->weight > MAX_WEIGHT / LOOP_WEIGHT ? MAX_WEIGHT : s->weight * LOOP_WEIGHT;
    }
    for (const struct glsl_var *v = stmt->vars; v; v = v->next) {
        walk_expr(s, v->init);
    }
    walk_expr(s, stmt->expr);
    walk_expr(s, stmt->step);
    walk_stmts(s, stmt->body);
    s->out->discards |= stmt->kind == GLSL_S_DISCARD;
    s->weight = outside;
}

static void walk_stmts(struct uses *s, const struct glsl_stmt *list) {
    for (; list; list = list->next) {
        const struct glsl_stmt *stmt = list;
        walk_stmt(s, stmt);
        while (stmt->other) { /* an else-if chain in a loop */
            stmt = stmt->other;
            walk_stmt(s, stmt);
        }
    }
}

/* Callees first. At most GLSL_MAX_CALL_DEPTH deep, which sema has checked. */
static void sort_calls(struct uses *s, const struct glsl_function *f) {
    s->visited[f->index] = 1;
    for (const struct glsl_call *call = f->calls; call; call = call->next) {
        if (!s->visited[call->to->index]) {
            sort_calls(s, call->to);
        }
    }
    s->order[s->order_count++] = f;
}

bool glsl_find_uses(const struct glsl_unit *u, struct arena *arena, struct glsl_stage_use *out) {
    struct uses s = {.u = u, .arena = arena, .out = out};
    out->discards = false;
    out->vars = arena_array(arena, u->var_count + 1, sizeof *out->vars);
    s.function_weights = arena_array(arena, u->function_count + 1, sizeof *s.function_weights);
    s.order = arena_array(arena, u->function_count + 1, sizeof *s.order);
    s.visited = arena_array(arena, u->function_count + 1, 1);
    if (!out->vars || !s.function_weights || !s.order || !s.visited) {
        return false;
    }
    sort_calls(&s, u->main);
    s.function_weights[u->main->index] = 1;
    for (uint32_t i = s.order_count; i-- > 0;) { /* callers first: their weights are complete */
        s.weight = s.function_weights[s.order[i]->index];
        walk_stmts(&s, s.order[i]->body);
    }
    return !s.failed;
}
