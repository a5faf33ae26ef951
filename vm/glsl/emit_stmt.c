/* SPDX-License-Identifier: MIT */
/*
 * Statements as IR: structured control flow in the block order that ir.h asks for. 'break', 'continue'
 * and 'return' are jumps forward or to the loop's continue block. A discarded invocation goes on as a
 * helper, so a loop that might then never end also stops when the invocation is dead.
 */
#include "vm/glsl/emit.h"
#include "vm/glsl/sema.h"

static void emit_statement(struct glsl_emit *e, const struct glsl_stmt *s);

static void set_line(struct glsl_emit *e, struct diag_pos pos) {
    e->b.line = (pos.string & 0xffu) << 24 | (pos.line & 0xffffffu);
}

void glsl_emit_statements(struct glsl_emit *e, const struct glsl_stmt *list) {
    for (; list && e->b.block; list = list->next) { /* nothing reaches what follows a jump */
        emit_statement(e, list);
    }
}

/* Declares a local variable anew: its initial value, or zero. */
static void emit_variable(struct glsl_emit *e, const struct glsl_var *var) {
    struct glsl_binding *binding = &e->bindings[var->index];
    if (var->storage == GLSL_CONST || var->type->kind == GLSL_ERROR) {
        return;
    }
    if (var->init && !var->written && !var->type->has_array) {
        binding->slots = glsl_emit_expr(e, var->init);
        binding->kind = GLSL_BOUND_VALUE;
        binding->type = var->type;
        return;
    }
    struct ir_src *init = var->init ? glsl_emit_expr(e, var->init) : NULL;
    const uint32_t *vars = glsl_emit_vars(e, var->atom->text, var->type);
    if (init) {
        glsl_emit_store_all(e, var->type, vars, init);
    } else {
        glsl_emit_store_zero(e, var->type, vars);
    }
    binding->kind = GLSL_BOUND_VARS;
    binding->type = var->type;
    binding->vars = vars;
}

/* if (..) .. else if (..) .. else ..: the chain in a loop. */
static void emit_if(struct glsl_emit *e, const struct glsl_stmt *s) {
    struct ir_block *end = ir_block_create(e->fn);
    while (s && s->kind == GLSL_S_IF && e->b.block) {
        set_line(e, s->pos);
        if (glsl_is_const(s->expr)) {
            if (s->expr->value[0] != 0.0f) {
                s = s->body;
                break; /* only this branch is left */
            }
            s = s->other;
            continue;
        }
        struct ir_block *then_block = ir_block_create(e->fn);
        struct ir_block *else_block = s->other ? ir_block_create(e->fn) : end;
        ir_branch(&e->b, glsl_emit_scalar(e, s->expr), then_block, else_block);
        ir_begin(&e->b, then_block);
        if (s->body) {
            emit_statement(e, s->body);
        }
        ir_jump(&e->b, end);
        if (s->other) {
            ir_begin(&e->b, else_block);
        }
        s = s->other;
    }
    if (s && e->b.block) {
        emit_statement(e, s);
    }
    ir_jump(&e->b, end);
    ir_begin(&e->b, end);
}

/* Goes to 'body' where the loop goes on, else to 'end'. cond NULL: always. */
static void branch_loop(struct glsl_emit *e, const struct ir_src *cond, bool bounded, struct ir_block *body,
                        struct ir_block *end) {
    if (!e->has_killed || bounded) {
        if (cond) {
            ir_branch(&e->b, *cond, body, end);
        } else {
            ir_jump(&e->b, body);
        }
        return;
    }
    struct ir_src alive = ir_op1(&e->b, IR_NOT, ir_load(&e->b, e->killed_var, 0, NULL));
    ir_branch(&e->b, cond ? ir_op2(&e->b, IR_MUL, *cond, alive) : alive, body, end);
}

/* The condition of a loop, NULL where it is absent or constantly true; *never when constantly false. */
static struct ir_src *loop_condition(struct glsl_emit *e, const struct glsl_stmt *s, bool *never) {
    *never = false;
    if (s->vars) { /* while (bool go = ...) */
        emit_variable(e, s->vars);
        struct glsl_binding *binding = &e->bindings[s->vars->index];
        if (binding->kind == GLSL_BOUND_VALUE) {
            return binding->slots;
        }
        struct glsl_place place = glsl_emit_whole(binding);
        return glsl_emit_load(e, &place);
    }
    if (!s->expr) {
        return NULL;
    }
    if (glsl_is_const(s->expr)) {
        *never = s->expr->value[0] == 0.0f;
        return NULL;
    }
    return glsl_emit_expr(e, s->expr);
}

static void emit_for(struct glsl_emit *e, const struct glsl_stmt *s) {
    struct ir_block *header = ir_block_create(e->fn), *body = ir_block_create(e->fn);
    struct ir_block *next = ir_block_create(e->fn), *end = ir_block_create(e->fn);
    struct glsl_loop loop = {.outer = e->loops, .break_to = end, .continue_to = next};
    if (s->init) {
        emit_statement(e, s->init);
    }
    ir_jump(&e->b, header);
    ir_begin(&e->b, header);
    set_line(e, s->pos);
    bool never;
    const struct ir_src *cond = loop_condition(e, s, &never);
    if (never) {
        ir_jump(&e->b, end);
        ir_begin(&e->b, end);
        return;
    }
    branch_loop(e, cond, s->bounded, body, end);
    ir_begin(&e->b, body);
    e->loops = &loop;
    if (s->body) {
        emit_statement(e, s->body);
    }
    e->loops = loop.outer;
    ir_jump(&e->b, next);
    ir_begin(&e->b, next);
    if (s->step) {
        set_line(e, s->pos);
        glsl_emit_expr(e, s->step);
    }
    ir_jump(&e->b, header);
    ir_begin(&e->b, end);
}

static void emit_do(struct glsl_emit *e, const struct glsl_stmt *s) {
    struct ir_block *body = ir_block_create(e->fn);
    struct ir_block *next = ir_block_create(e->fn), *end = ir_block_create(e->fn);
    struct glsl_loop loop = {.outer = e->loops, .break_to = end, .continue_to = next};
    ir_jump(&e->b, body);
    ir_begin(&e->b, body);
    e->loops = &loop;
    if (s->body) {
        emit_statement(e, s->body);
    }
    e->loops = loop.outer;
    ir_jump(&e->b, next);
    ir_begin(&e->b, next);
    set_line(e, s->pos);
    bool never;
    const struct ir_src *cond = loop_condition(e, s, &never);
    if (never) {
        ir_jump(&e->b, end);
    } else {
        branch_loop(e, cond, false, body, end);
    }
    ir_begin(&e->b, end);
}

static void emit_discard(struct glsl_emit *e) {
    struct ir_src one = ir_float(&e->b, 1.0f);
    ir_kill(&e->b, one);
    if (e->has_killed) {
        ir_store(&e->b, e->killed_var, 0, NULL, 1, one);
    }
}

static void emit_return(struct glsl_emit *e, const struct glsl_stmt *s) {
    if (s->expr) {
        struct ir_src *value = glsl_emit_expr(e, s->expr);
        if (s == e->tail) {
            e->tail_value = value;
            return;
        }
        if (e->return_type->kind != GLSL_VOID) {
            glsl_emit_store_all(e, e->return_type, e->return_vars, value);
        }
    }
    if (s != e->tail) {
        ir_jump(&e->b, e->return_to);
    }
}

const struct glsl_stmt *glsl_tail_return(const struct glsl_function *f, bool *plain) {
    const struct glsl_stmt *last = f->body->body;
    while (last && last->next) {
        last = last->next;
    }
    bool tail = last && last->kind == GLSL_S_RETURN && f->returns == 1;
    *plain = tail || f->returns == 0;
    return tail ? last : NULL;
}

static void emit_statement(struct glsl_emit *e, const struct glsl_stmt *s) {
    if (++e->depth > GLSL_MAX_EMIT_DEPTH) {
        glsl_emit_fail(e, "calls, blocks and expressions nest too deeply");
    }
    if (e->fn->next_id > GLSL_MAX_EMIT_INSTS) {
        glsl_emit_fail(e, "the shader is too large, its calls expanded");
    }
    set_line(e, s->pos);
    switch (s->kind) {
    case GLSL_S_EXPR: {
        const struct arena_mark mark = arena_mark(&e->scratch);
        glsl_emit_expr(e, s->expr);
        arena_release(&e->scratch, mark);
        break;
    }
    case GLSL_S_DECL:
        for (const struct glsl_var *v = s->vars; v; v = v->next) {
            emit_variable(e, v);
        }
        break;
    case GLSL_S_BLOCK: glsl_emit_statements(e, s->body); break;
    case GLSL_S_IF: emit_if(e, s); break;
    case GLSL_S_FOR: emit_for(e, s); break;
    case GLSL_S_DO: emit_do(e, s); break;
    case GLSL_S_BREAK: ir_jump(&e->b, e->loops->break_to); break;
    case GLSL_S_CONTINUE: ir_jump(&e->b, e->loops->continue_to); break;
    case GLSL_S_RETURN: emit_return(e, s); break;
    default: emit_discard(e); break;
    }
    e->depth--;
}
