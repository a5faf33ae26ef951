/* SPDX-License-Identifier: MIT */
/*
 * A stage as IR: binds the interface (inputs are values, outputs variables that are written out at the
 * end), initialises globals, and lowers main, into which every call is inlined.
 */
#include "vm/glsl/emit.h"

#include <string.h>

void *glsl_emit_alloc(struct glsl_emit *e, size_t size) {
    void *memory = arena_alloc(&e->scratch, size ? size : 1);
    if (!memory) {
        glsl_emit_fail(e, NULL);
    }
    return memory;
}

struct ir_src *glsl_emit_slots(struct glsl_emit *e, uint32_t count) {
    struct ir_src *slots = glsl_emit_alloc(e, (count ? count : 1) * sizeof *slots);
    for (uint32_t i = 0; i < count; i++) {
        slots[i].def = e->fn->spare; /* an operand that is always valid */
        slots[i].comps = 1;
    }
    return slots;
}

void glsl_emit_fail(struct glsl_emit *e, const char *message) {
    e->failure = message;
    e->failure_line = e->b.line & 0xffffffu;
    longjmp(e->give_up, 1);
}

static bool is_used(const struct glsl_emit *e, const struct glsl_var *var) {
    return var && e->layout->use->vars[var->index].used;
}

/* ---- inputs ---------------------------------------------------------------------------------------- */

enum { MAX_IO = 64 };

/* Registers of one semantic: widened as variables ask, then added to the function at once. */
struct io_table {
    const char *names[MAX_IO];
    uint8_t comps[MAX_IO];     /* 0: not used */
    uint32_t io[MAX_IO];
    struct ir_src values[MAX_IO];
};

static void io_reserve(struct io_table *t, const struct glsl_var *var, const struct glsl_home *home) {
    struct glsl_leaf leaf = glsl_type_leaf(var->type, 0);
    for (uint32_t i = 0; i < leaf.elements; i++) {
        uint32_t reg = (uint32_t)home->reg + i;
        uint8_t comps = (uint8_t)(home->comp + leaf.type->rows);
        if (reg < MAX_IO && comps > t->comps[reg]) {
            t->comps[reg] = comps;
            t->names[reg] = var->atom->text;
        }
    }
}

static void io_add_inputs(struct glsl_emit *e, struct io_table *t, uint8_t semantic) {
    for (uint32_t reg = 0; reg < MAX_IO; reg++) {
        if (t->comps[reg]) {
            t->io[reg] = ir_add_input(e->fn, t->names[reg], semantic, (uint8_t)reg, t->comps[reg]);
            t->values[reg] = ir_input(&e->b, t->io[reg]);
        }
    }
}

/* Slots of an interface variable that is read only. */
static struct ir_src *io_slots(struct glsl_emit *e, const struct io_table *t, const struct glsl_var *var,
                               const struct glsl_home *home) {
    struct glsl_leaf leaf = glsl_type_leaf(var->type, 0);
    struct ir_src *slots = glsl_emit_slots(e, leaf.elements);
    uint8_t swz[4] = {0, 0, 0, 0};
    for (unsigned i = 0; i < leaf.type->rows; i++) {
        swz[i] = (uint8_t)(home->comp + i);
    }
    for (uint32_t i = 0; i < leaf.elements; i++) {
        slots[i] = ir_swizzle(t->values[(uint32_t)home->reg + i], leaf.type->rows, swz);
    }
    return slots;
}

/* A read-only variable: its value, or a copy in IR variables where something indexes it. */
static void bind_value(struct glsl_emit *e, const struct glsl_var *var, struct ir_src *slots) {
    struct glsl_binding *binding = &e->bindings[var->index];
    binding->type = var->type;
    if (!var->indexed) {
        binding->kind = GLSL_BOUND_VALUE;
        binding->slots = slots;
        return;
    }
    const uint32_t *vars = glsl_emit_vars(e, var->atom->text, var->type);
    glsl_emit_store_all(e, var->type, vars, slots);
    binding->kind = GLSL_BOUND_VARS;
    binding->vars = vars;
}

static void bind_inputs(struct glsl_emit *e, enum glsl_storage storage, uint8_t semantic) {
    struct io_table *t = glsl_emit_alloc(e, sizeof *t);
    for (const struct glsl_var *var = e->u->globals; var; var = var->next) {
        if (var->storage == storage && is_used(e, var) && e->layout->homes[var->index]) {
            io_reserve(t, var, e->layout->homes[var->index]);
        }
    }
    io_add_inputs(e, t, semantic);
    for (const struct glsl_var *var = e->u->globals; var; var = var->next) {
        if (var->storage == storage && is_used(e, var) && e->layout->homes[var->index]) {
            bind_value(e, var, io_slots(e, t, var, e->layout->homes[var->index]));
        }
    }
}

static void bind_special_input(struct glsl_emit *e, enum glsl_special special, uint8_t semantic, uint8_t comps) {
    const struct glsl_var *var = e->u->special[special];
    if (!is_used(e, var)) {
        return;
    }
    struct ir_src *slots = glsl_emit_slots(e, var->type->slots);
    for (uint32_t i = 0; i < var->type->slots; i++) {
        uint32_t io = ir_add_input(e->fn, var->atom->text, semantic, (uint8_t)i, comps);
        slots[i] = ir_input(&e->b, io);
    }
    bind_value(e, var, slots);
}

/* ---- variables ------------------------------------------------------------------------------------- */

/* A variable of the whole shader in IR variables, with its initial value. */
static void bind_variable(struct glsl_emit *e, const struct glsl_var *var, const struct ir_src *init) {
    struct glsl_binding *binding = &e->bindings[var->index];
    const uint32_t *vars = glsl_emit_vars(e, var->atom->text, var->type);
    binding->kind = GLSL_BOUND_VARS;
    binding->type = var->type;
    binding->vars = vars;
    if (init) {
        glsl_emit_store_all(e, var->type, vars, init);
    } else {
        glsl_emit_store_zero(e, var->type, vars);
    }
}

static void bind_globals(struct glsl_emit *e) {
    for (const struct glsl_var *var = e->u->globals; var; var = var->next) {
        struct glsl_binding *binding = &e->bindings[var->index];
        bool wanted = is_used(e, var);
        if (var->storage == GLSL_VARYING) { /* the other stage may read what is never written here */
            wanted |= e->layout->homes[var->index] != NULL;
        }
        if (!wanted) {
            continue;
        }
        if (var->storage == GLSL_UNIFORM) {
            binding->kind = GLSL_BOUND_HOMES;
            binding->type = var->type;
            binding->homes = e->layout->homes[var->index];
        } else if (var->storage == GLSL_TEMP) {
            struct ir_src *init = var->init ? glsl_emit_constant(e, var->type, var->init->value) : NULL;
            if (init && !var->written) {
                bind_value(e, var, init);
            } else {
                bind_variable(e, var, init);
            }
        } else if (var->storage == GLSL_VARYING && !e->u->is_fragment) {
            bind_variable(e, var, NULL);
        }
    }
}

static void bind_special_outputs(struct glsl_emit *e) {
    for (unsigned i = GLSL_POSITION; i <= GLSL_FRAG_DEPTH; i++) {
        const struct glsl_var *var = e->u->special[i];
        if (is_used(e, var)) {
            struct ir_src one = ir_float(&e->b, 1.0f);
            bind_variable(e, var, i == GLSL_POINT_SIZE ? &one : NULL);
        }
    }
}

/* ---- outputs --------------------------------------------------------------------------------------- */

static void write_special(struct glsl_emit *e, enum glsl_special special, uint8_t semantic) {
    const struct glsl_var *var = e->u->special[special];
    if (!is_used(e, var) || !var->written) { /* gl_FragColor may be read where gl_FragData is written */
        return;
    }
    const struct glsl_type *element = var->type->kind == GLSL_ARRAY ? var->type->element : var->type;
    uint8_t comps = element->rows;
    for (uint32_t i = 0; i < var->type->slots; i++) {
        uint32_t io = ir_add_output(e->fn, var->atom->text, semantic, (uint8_t)i, comps);
        struct ir_src value = ir_load(&e->b, e->bindings[var->index].vars[0], i, NULL);
        ir_output(&e->b, io, (uint8_t)((1u << comps) - 1u), value);
    }
    if (special != GLSL_FRAG_DATA) {
        return;
    }
    /* Without EXT_draw_buffers enabled gl_FragData has one element. Unlike gl_FragColor it is not meant for the other
       buffers: their undefined colours are 0, as those of elements that nothing is assigned to. */
    for (uint32_t i = var->type->slots; i < e->u->options.max_draw_buffers; i++) {
        const float zeros[4] = {0.0f, 0.0f, 0.0f, 0.0f};
        uint32_t io = ir_add_output(e->fn, var->atom->text, semantic, (uint8_t)i, comps);
        ir_output(&e->b, io, (uint8_t)((1u << comps) - 1u), ir_const(&e->b, comps, zeros));
    }
}

static void write_varyings(struct glsl_emit *e) {
    struct io_table *t = glsl_emit_alloc(e, sizeof *t);
    for (const struct glsl_var *var = e->u->globals; var; var = var->next) {
        if (var->storage == GLSL_VARYING && e->layout->homes[var->index]) {
            io_reserve(t, var, e->layout->homes[var->index]);
        }
    }
    for (uint32_t reg = 0; reg < MAX_IO; reg++) {
        if (t->comps[reg]) {
            t->io[reg] = ir_add_output(e->fn, t->names[reg], VLIW_SEM_VARYING, (uint8_t)reg, t->comps[reg]);
        }
    }
    for (const struct glsl_var *var = e->u->globals; var; var = var->next) {
        if (var->storage != GLSL_VARYING || !e->layout->homes[var->index]) {
            continue;
        }
        const struct glsl_home *home = e->layout->homes[var->index];
        struct glsl_leaf leaf = glsl_type_leaf(var->type, 0);
        uint8_t mask = (uint8_t)(((1u << leaf.type->rows) - 1u) << home->comp);
        for (uint32_t i = 0; i < leaf.elements; i++) {
            struct ir_src value = ir_load(&e->b, e->bindings[var->index].vars[0], i, NULL);
            ir_output(&e->b, t->io[(uint32_t)home->reg + i], mask, value);
        }
    }
}

/* ---- the stage ------------------------------------------------------------------------------------- */

static void bind_all(struct glsl_emit *e) {
    e->has_killed = e->layout->use->discards;
    if (e->has_killed) {
        e->killed_var = ir_add_var(e->fn, "killed", 1, 1);
        ir_store(&e->b, e->killed_var, 0, NULL, 1, ir_float(&e->b, 0.0f));
    }
    if (e->u->is_fragment) {
        bind_inputs(e, GLSL_VARYING, VLIW_SEM_VARYING);
        bind_special_input(e, GLSL_FRAG_COORD, VLIW_SEM_FRAG_COORD, 4);
        bind_special_input(e, GLSL_FRONT_FACING, VLIW_SEM_FRONT_FACING, 1);
        bind_special_input(e, GLSL_POINT_COORD, VLIW_SEM_POINT_COORD, 2);
        bind_special_input(e, GLSL_LAST_FRAG_DATA, VLIW_SEM_LAST_FRAG, 4);
    } else {
        bind_inputs(e, GLSL_ATTRIBUTE, VLIW_SEM_ATTRIB);
    }
    bind_globals(e);
    bind_special_outputs(e);
}

static void write_all(struct glsl_emit *e) {
    if (e->u->is_fragment) {
        write_special(e, GLSL_FRAG_COLOR, VLIW_SEM_COLOR);
        write_special(e, GLSL_FRAG_DATA, VLIW_SEM_COLOR);
        write_special(e, GLSL_FRAG_DEPTH, VLIW_SEM_DEPTH);
    } else {
        write_special(e, GLSL_POSITION, VLIW_SEM_POSITION);
        write_special(e, GLSL_POINT_SIZE, VLIW_SEM_POINT_SIZE);
        write_varyings(e);
    }
}

/* Separate from its caller because of setjmp. False after a failure. */
static bool run(struct glsl_emit *e) {
    if (setjmp(e->give_up)) {
        return false;
    }
    e->bindings = glsl_emit_alloc(e, (e->u->var_count + 1) * sizeof *e->bindings);
    for (uint32_t i = 0; i < e->layout->sampler_count; i++) {
        ir_add_sampler(e->fn, e->layout->sampler_types[i]);
    }
    ir_begin(&e->b, ir_block_create(e->fn));
    bind_all(e);
    bool plain;
    e->return_type = e->u->main->type;
    e->tail = glsl_tail_return(e->u->main, &plain);
    e->return_to = plain ? NULL : ir_block_create(e->fn);
    glsl_emit_statements(e, e->u->main->body);
    if (!plain) {
        ir_jump(&e->b, e->return_to);
        ir_begin(&e->b, e->return_to);
    }
    write_all(e);
    ir_return(&e->b);
    e->fn->uniform_regs = e->layout->uniform_regs;
    return !e->fn->arena->failed;
}

struct ir_fn *glsl_emit_stage(const struct glsl_unit *u, const struct glsl_stage_layout *layout,
                              struct arena *arena, const char *name, const char **message, uint32_t *line) {
    struct glsl_emit e = {.u = u, .layout = layout};
    e.fn = ir_fn_create(arena, name, u->is_fragment);
    if (!e.fn) {
        *message = NULL;
        return NULL;
    }
    e.b.fn = e.fn;
    e.b.precise = u->any_invariant;
    arena_init(&e.scratch, 0);
    const bool done = run(&e);
    arena_fini(&e.scratch);
    *message = done ? NULL : e.failure;
    *line = done ? 0 : e.failure_line;
    return done ? e.fn : NULL;
}
