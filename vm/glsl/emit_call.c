/* SPDX-License-Identifier: MIT */
/*
 * Calls: user functions are inlined with copy-in and copy-out, texture functions become TEX. A parameter
 * that the function never writes needs no copy: it stands for the argument's value, or, for uniforms,
 * samplers and arrays, for the argument itself. SPEC: GLSL ES 1.00.17 sections 6.1.1 and 8.7.
 */
#include <string.h>

#include "vm/glsl/emit.h"
#include "vm/glsl/sema.h"

struct argument {
    struct glsl_place place;
    bool has_place;
    struct ir_src *value;
};

static bool any_effect(const struct glsl_expr *expr) {
    for (uint32_t i = 0; i < expr->count; i++) {
        if (expr->args[i]->effect) {
            return true;
        }
    }
    return false;
}

/* May the parameter stand for this place? Nothing may write the place while the function runs. */
static bool may_alias(const struct glsl_expr *call, struct glsl_expr *arg, const struct argument *a) {
    const struct glsl_type *type = arg->type;
    while (type->kind == GLSL_ARRAY) {
        type = type->element;
    }
    if (a->place.binding->kind == GLSL_BOUND_HOMES || type->kind == GLSL_SAMPLER) {
        return true;
    }
    const struct glsl_var *root = glsl_expr_root(arg);
    return root && !root->is_global && (type->has_sampler || arg->type->has_array) && !any_effect(call);
}

static void evaluate_argument(struct glsl_emit *e, const struct glsl_expr *call, uint32_t i, struct argument *a) {
    const struct glsl_var *param = call->function->params[i];
    struct glsl_expr *arg = call->args[i];
    a->has_place = glsl_emit_place(e, arg, &a->place);
    bool is_out = param->storage == GLSL_PARAM_OUT || param->storage == GLSL_PARAM_INOUT;
    if (a->has_place) {
        if (is_out ? param->storage == GLSL_PARAM_OUT : !param->written && may_alias(call, arg, a)) {
            return; /* no value needed */
        }
        a->value = glsl_emit_load(e, &a->place);
    } else {
        a->value = glsl_emit_expr(e, arg);
    }
}

static void bind_parameter(struct glsl_emit *e, const struct glsl_var *param, struct argument *a) {
    struct glsl_binding *binding = &e->bindings[param->index];
    bool is_out = param->storage == GLSL_PARAM_OUT || param->storage == GLSL_PARAM_INOUT;
    binding->type = param->type;
    if (!is_out && !param->written && !a->value) {
        struct glsl_place *place = glsl_emit_alloc(e, sizeof *place);
        *place = a->place;
        binding->kind = GLSL_BOUND_PLACE;
        binding->place = place;
        return;
    }
    if (!is_out && !param->written && !param->type->has_array && !param->type->has_sampler) {
        binding->kind = GLSL_BOUND_VALUE;
        binding->slots = a->value;
        return;
    }
    const uint32_t *vars = glsl_emit_vars(e, param->atom ? param->atom->text : "parameter", param->type);
    binding->kind = GLSL_BOUND_VARS;
    binding->vars = vars;
    if (param->type->has_sampler) {
        struct glsl_place *place = glsl_emit_alloc(e, sizeof *place);
        *place = a->place;
        binding->samplers = place;
    }
    if (a->value) {
        glsl_emit_store_all(e, param->type, vars, a->value);
    } else {
        glsl_emit_store_zero(e, param->type, vars);
    }
}

static void copy_out(struct glsl_emit *e, const struct glsl_expr *call, const struct argument *args) {
    for (uint32_t i = 0; i < call->count; i++) {
        const struct glsl_var *param = call->function->params[i];
        if (param->storage == GLSL_PARAM_OUT || param->storage == GLSL_PARAM_INOUT) {
            struct glsl_place inside = glsl_emit_whole(&e->bindings[param->index]);
            glsl_emit_store(e, &args[i].place, glsl_emit_load(e, &inside));
        }
    }
}

/* What a call changes and has to put back. */
struct frame {
    struct glsl_loop *loops;
    struct ir_block *return_to;
    const struct glsl_type *return_type;
    const uint32_t *return_vars;
    const struct glsl_stmt *tail;
    uint32_t line;
};

static struct frame enter(struct glsl_emit *e, const struct glsl_function *f) {
    struct frame frame = {e->loops, e->return_to, e->return_type, e->return_vars, e->tail, e->b.line};
    e->loops = NULL;
    e->return_to = NULL;
    e->return_type = f->type;
    e->return_vars = NULL;
    e->tail_value = NULL;
    return frame;
}

static void leave(struct glsl_emit *e, const struct frame *frame) {
    e->loops = frame->loops;
    e->return_to = frame->return_to;
    e->return_type = frame->return_type;
    e->return_vars = frame->return_vars;
    e->tail = frame->tail;
    e->tail_value = NULL;
    e->b.line = frame->line;
}

/* The body of a function that may return anywhere: the result goes through variables. */
static struct ir_src *emit_body(struct glsl_emit *e, const struct glsl_function *f) {
    struct glsl_binding result = {.kind = GLSL_BOUND_VARS, .type = f->type};
    if (f->type->kind != GLSL_VOID) {
        result.vars = glsl_emit_vars(e, f->atom->text, f->type);
        glsl_emit_store_zero(e, f->type, result.vars); /* for paths without 'return' */
    }
    e->return_to = ir_block_create(e->fn);
    e->return_vars = result.vars;
    glsl_emit_statements(e, f->body);
    ir_jump(&e->b, e->return_to);
    ir_begin(&e->b, e->return_to);
    if (f->type->kind == GLSL_VOID) {
        return glsl_emit_slots(e, 0);
    }
    struct glsl_place place = glsl_emit_whole(&result);
    return glsl_emit_load(e, &place);
}

/* The body of a function that returns at its end only. */
static struct ir_src *emit_plain_body(struct glsl_emit *e, const struct glsl_function *f) {
    glsl_emit_statements(e, f->body);
    if (e->tail_value) {
        return e->tail_value;
    }
    float *zeros = glsl_emit_alloc(e, (f->type->words + 1) * sizeof *zeros);
    return glsl_emit_constant(e, f->type, zeros);
}

struct ir_src *glsl_emit_call(struct glsl_emit *e, const struct glsl_expr *expr) {
    const struct glsl_function *f = expr->function;
    struct argument *args = glsl_emit_alloc(e, (expr->count + 1) * sizeof *args);
    for (uint32_t i = 0; i < expr->count; i++) {
        evaluate_argument(e, expr, i, &args[i]);
    }
    for (uint32_t i = 0; i < expr->count; i++) {
        bind_parameter(e, f->params[i], &args[i]);
    }
    struct frame frame = enter(e, f);
    bool plain;
    e->tail = glsl_tail_return(f, &plain);
    struct ir_src *value = plain ? emit_plain_body(e, f) : emit_body(e, f);
    leave(e, &frame);
    copy_out(e, expr, args);
    return value;
}

/* ---- textures -------------------------------------------------------------------------------------- */

/* The coordinate as TEX wants it: s, t, [r], and q last when it is projective. */
static struct ir_src texture_coord(struct ir_src coord, unsigned sampler, bool projective) {
    static const uint8_t stq_of_4[4] = {0, 1, 3, 0};
    if (projective && sampler != VLIW_SAMPLER_3D && coord.comps == 4) {
        return ir_swizzle(coord, 3, stq_of_4);
    }
    return coord;
}

/* Shadow reads: s, t and the reference (in r), all three divided by q when projective. */
static struct ir_src shadow_coord(struct glsl_emit *e, struct ir_src coord, bool projective) {
    static const uint8_t str[4] = {0, 1, 2, 0};
    struct ir_src three = ir_swizzle(coord, 3, str);
    return projective ? ir_op2(&e->b, IR_DIV, three, ir_splat(ir_comp(coord, 3), 3)) : three;
}

struct ir_src *glsl_emit_texture(struct glsl_emit *e, const struct glsl_expr *expr) {
    const struct glsl_builtin *builtin = expr->builtin;
    struct ir_src *out = glsl_emit_slots(e, 1), args[6];
    struct glsl_place place;
    unsigned count = 0;
    if (!glsl_emit_place(e, expr->args[0], &place)) {
        out[0] = ir_splat(ir_float(&e->b, 0.0f), expr->type->rows);
        return out;
    }
    struct ir_tex tex = {.mode = builtin->tex_mode, .projective = builtin->projective};
    struct ir_src index = {0}, coord = glsl_emit_scalar(e, expr->args[1]);
    uint32_t elements;
    bool has_index;
    tex.sampler = (uint16_t)glsl_emit_sampler(e, &place, &elements, &index, &has_index);
    tex.elements = (uint16_t)elements;
    tex.has_index = has_index;
    struct ir_src reference = ir_comp(coord, 0);
    if (builtin->op == GLSL_B_SHADOW) {
        static const uint8_t st[4] = {0, 1, 0, 0};
        tex.projective = false;
        tex.has_reference = true;
        coord = shadow_coord(e, coord, builtin->projective);
        reference = ir_comp(coord, 2);
        args[count++] = ir_swizzle(coord, 2, st);
    } else {
        args[count++] = texture_coord(coord, expr->args[0]->type->sampler, builtin->projective);
    }
    for (uint32_t i = 2; i < expr->count; i++) {
        args[count++] = glsl_emit_scalar(e, expr->args[i]);
    }
    if (tex.mode == IR_TEX_IMPLICIT && !e->u->is_fragment) { /* vertex shaders read the base level */
        tex.mode = IR_TEX_LOD;
        args[count++] = ir_float(&e->b, 0.0f);
    }
    if (tex.has_reference) {
        args[count++] = reference;
    }
    if (has_index) {
        args[count++] = index;
    }
    out[0] = ir_texture(&e->b, &tex, args, count);
    if (expr->type->rows == 1) {
        out[0] = ir_comp(out[0], 0);
    }
    return out;
}
