/* SPDX-License-Identifier: MIT */
/*
 * Places: what an access chain such as  s[i].m[2].xy  denotes. A leaf of a variable is an array of all its
 * elements (matrix columns are elements too), so an index becomes an offset: constants add up, dynamic
 * parts are multiplied by the elements that one step covers.
 */
#include <string.h>

#include "vm/glsl/emit.h"

struct glsl_place glsl_emit_whole(const struct glsl_binding *binding) {
    struct glsl_place place = {.binding = binding, .type = binding->type};
    return place;
}

const uint32_t *glsl_emit_vars(struct glsl_emit *e, const char *name, const struct glsl_type *type) {
    uint32_t *vars = glsl_emit_alloc(e, type->leaves * sizeof *vars);
    for (uint32_t i = 0; i < type->leaves; i++) {
        struct glsl_leaf leaf = glsl_type_leaf(type, i);
        vars[i] = leaf.type->kind == GLSL_SAMPLER ? UINT32_MAX
                                                  : ir_add_var(e->fn, name, (uint8_t)glsl_type_comps(leaf.type), leaf.elements);
    }
    return vars;
}

/* ---- chains ---------------------------------------------------------------------------------------- */

static void add_step(struct glsl_emit *e, const struct glsl_expr *expr, struct glsl_place *place) {
    struct glsl_step *step = glsl_emit_alloc(e, sizeof *step);
    step->outer = place->steps;
    step->first_leaf = place->leaf;
    step->element = place->type->kind == GLSL_ARRAY ? place->type->element
                                                    : glsl_type_vector((enum glsl_kind)place->type->kind, place->type->rows);
    if (expr->b->kind == GLSL_E_CONST) {
        step->constant = (uint32_t)expr->b->value[0];
    } else {
        step->has_dynamic = true;
        step->dynamic = glsl_emit_scalar(e, expr->b);
    }
    place->steps = step;
    place->type = step->element;
}

static void add_swizzle(const struct glsl_expr *expr, struct glsl_place *place) {
    uint8_t swz[4] = {0, 0, 0, 0};
    for (unsigned i = 0; i < expr->type->rows; i++) {
        swz[i] = place->swizzled ? place->swz[expr->swz[i]] : expr->swz[i];
    }
    memcpy(place->swz, swz, sizeof swz);
    place->swizzled = expr->type->rows;
}

bool glsl_emit_place(struct glsl_emit *e, const struct glsl_expr *expr, struct glsl_place *place) {
    switch (expr->kind) {
    case GLSL_E_VAR: {
        const struct glsl_binding *binding = &e->bindings[expr->var->index];
        if (binding->kind == GLSL_BOUND_PLACE) {
            *place = *binding->place;
            return true;
        }
        *place = glsl_emit_whole(binding);
        return binding->kind == GLSL_BOUND_VARS || binding->kind == GLSL_BOUND_HOMES;
    }
    case GLSL_E_FIELD:
        if (!glsl_emit_place(e, expr->a, place)) {
            return false;
        }
        place->leaf += expr->a->type->record->fields[expr->count].first_leaf;
        place->type = expr->type;
        return true;
    case GLSL_E_SWIZZLE:
        if (!glsl_emit_place(e, expr->a, place)) {
            return false;
        }
        add_swizzle(expr, place);
        return true;
    case GLSL_E_INDEX:
        if (!glsl_emit_place(e, expr->a, place)) {
            return false;
        }
        if (glsl_type_is_vector(expr->a->type)) {
            place->has_pick = true;
            place->pick = glsl_emit_scalar(e, expr->b);
        } else {
            add_step(e, expr, place);
        }
        return true;
    default:
        return false;
    }
}

/* ---- elements -------------------------------------------------------------------------------------- */

struct element {
    uint32_t offset;       /* constant part */
    bool has_index;
    struct ir_src index;   /* dynamic part */
    uint32_t total;        /* elements of the leaf in its variable */
};

/* The element of leaf place->leaf that the steps lead to. */
static struct element find_element(struct glsl_emit *e, const struct glsl_place *place) {
    struct element out = {.total = glsl_type_leaf(place->binding->type, place->leaf).elements};
    for (const struct glsl_step *s = place->steps; s; s = s->outer) {
        uint32_t stride = glsl_type_leaf(s->element, place->leaf - s->first_leaf).elements;
        if (!s->has_dynamic) {
            out.offset += s->constant * stride;
            continue;
        }
        struct ir_src part = s->dynamic;
        if (stride > 1) {
            part = ir_op2(&e->b, IR_MUL, part, ir_float(&e->b, (float)stride));
        }
        out.index = out.has_index ? ir_op2(&e->b, IR_ADD, out.index, part) : part;
        out.has_index = true;
    }
    return out;
}

static struct ir_src load_column(struct glsl_emit *e, const struct glsl_place *place, const struct element *at,
                                 uint32_t column) {
    const struct ir_src *index = at->has_index ? &at->index : NULL;
    uint32_t offset = at->offset + column;
    if (place->binding->kind == GLSL_BOUND_VARS) {
        return ir_load(&e->b, place->binding->vars[place->leaf], offset, index);
    }
    const struct glsl_home *home = &place->binding->homes[place->leaf];
    if (home->reg < 0) { /* not reachable: use.c has seen every use */
        return ir_splat(ir_float(&e->b, 0.0f), glsl_type_comps(place->type));
    }
    return ir_uniform(&e->b, (uint32_t)home->reg + offset, home->comp, glsl_type_comps(place->type), index,
                      at->total - offset);
}

/* ---- whole values ---------------------------------------------------------------------------------- */

/* Slots on their way out of a place (out) or into it (in), in declaration order. Samplers are no values: their
   slots are zero and are not stored. */
struct transfer {
    struct ir_src *out;
    const struct ir_src *in;
    uint32_t count;
};

static void move_column(struct glsl_emit *e, const struct glsl_place *place, const struct element *at, uint32_t column,
                        struct transfer *t) {
    uint32_t slot = t->count++;
    bool is_sampler = place->type->kind == GLSL_SAMPLER;
    if (t->out) {
        t->out[slot] = is_sampler ? ir_float(&e->b, 0.0f) : load_column(e, place, at, column);
    } else if (!is_sampler) {
        ir_store(&e->b, place->binding->vars[place->leaf], at->offset + column, at->has_index ? &at->index : NULL,
                 (uint8_t)((1u << glsl_type_comps(place->type)) - 1u), t->in[slot]);
    }
}

static void transfer(struct glsl_emit *e, const struct glsl_place *place, struct transfer *t) {
    struct glsl_place part = *place;
    if (place->type->kind == GLSL_STRUCT) {
        for (uint32_t i = 0; i < place->type->record->field_count; i++) {
            const struct glsl_field *field = &place->type->record->fields[i];
            part.leaf = place->leaf + field->first_leaf;
            part.type = field->type;
            transfer(e, &part, t);
        }
    } else if (place->type->kind == GLSL_ARRAY) {
        struct glsl_step step = {.outer = place->steps, .element = place->type->element, .first_leaf = place->leaf};
        part.steps = &step;
        part.type = step.element;
        for (uint32_t i = 0; i < place->type->length; i++) {
            step.constant = i;
            transfer(e, &part, t);
        }
    } else {
        struct element at = find_element(e, place);
        for (uint32_t c = 0; c < place->type->slots; c++) {
            move_column(e, place, &at, c, t);
        }
    }
}

/* Swizzle and pick of a dvec. */
static struct ir_src *load_doubles(struct glsl_emit *e, const struct glsl_place *place, struct ir_src *slots) {
    if (place->swizzled) {
        struct ir_src *all = slots;
        slots = glsl_emit_slots(e, place->swizzled);
        glsl_emit_double_swizzle(all, place->swizzled, place->swz, slots);
    }
    if (place->has_pick) {
        unsigned count = place->swizzled ? place->swizzled : place->type->rows;
        for (unsigned i = 1; i < count; i++) {
            struct ir_src is = ir_op2(&e->b, IR_SEQ, place->pick, ir_float(&e->b, (float)i));
            slots[0] = ir_op3(&e->b, IR_SEL, is, slots[i], slots[0]);
        }
    }
    return slots;
}

struct ir_src *glsl_emit_load(struct glsl_emit *e, const struct glsl_place *place) {
    struct ir_src *slots = glsl_emit_slots(e, place->type->slots);
    struct transfer out = {.out = slots};
    transfer(e, place, &out);
    if (place->type->kind == GLSL_DOUBLE) {
        return load_doubles(e, place, slots);
    }
    if (place->swizzled) {
        slots[0] = ir_swizzle(slots[0], place->swizzled, place->swz);
    }
    if (place->has_pick) {
        slots[0] = glsl_emit_pick(&e->b, slots[0], place->pick);
    }
    return slots;
}

/* ---- stores ---------------------------------------------------------------------------------------- */

/* v[i] = value, or v.xz[i] = value: every component that i may name is chosen or kept. */
static void store_picked(struct glsl_emit *e, const struct glsl_place *place, const struct element *at,
                         struct ir_src value) {
    unsigned rows = place->type->rows, count = place->swizzled ? place->swizzled : rows;
    float numbers[4] = {-1.0f, -1.0f, -1.0f, -1.0f};
    for (unsigned i = 0; i < count; i++) {
        numbers[place->swizzled ? place->swz[i] : i] = (float)i;
    }
    struct ir_src old = load_column(e, place, at, 0);
    struct ir_src hit = ir_op2(&e->b, IR_SEQ, ir_splat(place->pick, rows), ir_const(&e->b, rows, numbers));
    struct ir_src chosen = ir_op3(&e->b, IR_SEL, hit, ir_splat(value, rows), old);
    ir_store(&e->b, place->binding->vars[place->leaf], at->offset, at->has_index ? &at->index : NULL,
             (uint8_t)((1u << rows) - 1u), chosen);
}

static void store_swizzled(struct glsl_emit *e, const struct glsl_place *place, const struct element *at,
                           struct ir_src value) {
    uint8_t mask = 0, order[4] = {0, 0, 0, 0};
    unsigned count = 0;
    for (unsigned comp = 0; comp < 4; comp++) { /* the store takes components in ascending order */
        for (unsigned i = 0; i < place->swizzled; i++) {
            if (place->swz[i] == comp) {
                mask |= (uint8_t)(1u << comp);
                order[count++] = (uint8_t)i;
            }
        }
    }
    ir_store(&e->b, place->binding->vars[place->leaf], at->offset, at->has_index ? &at->index : NULL, mask,
             ir_swizzle(value, count, order));
}

/* Components of a dvec by swizzle, or the one that an index picks of them: each is an element of its own. */
static void store_doubles(struct glsl_emit *e, const struct glsl_place *place, const struct element *at,
                          const struct ir_src *value) {
    const struct ir_src *index = at->has_index ? &at->index : NULL;
    unsigned count = place->swizzled ? place->swizzled : place->type->rows;
    for (unsigned i = 0; i < count; i++) {
        unsigned comp = place->swizzled ? place->swz[i] : i;
        struct ir_src one = value[place->has_pick ? 0 : i];
        if (place->has_pick) {
            struct ir_src hit = ir_op2(&e->b, IR_SEQ, place->pick, ir_float(&e->b, (float)i));
            one = ir_op3(&e->b, IR_SEL, hit, one, load_column(e, place, at, comp));
        }
        ir_store(&e->b, place->binding->vars[place->leaf], at->offset + comp, index, 3, one);
    }
}

void glsl_emit_store(struct glsl_emit *e, const struct glsl_place *place, const struct ir_src *value) {
    if (!place->has_pick && !place->swizzled) {
        struct transfer in = {.in = value};
        transfer(e, place, &in);
        return;
    }
    struct element at = find_element(e, place);
    if (place->type->kind == GLSL_DOUBLE) {
        store_doubles(e, place, &at, value);
    } else if (place->has_pick) {
        store_picked(e, place, &at, value[0]);
    } else {
        store_swizzled(e, place, &at, value[0]);
    }
}

void glsl_emit_store_all(struct glsl_emit *e, const struct glsl_type *type, const uint32_t *vars,
                         const struct ir_src *value) {
    struct glsl_binding binding = {.kind = GLSL_BOUND_VARS, .type = type, .vars = vars};
    struct glsl_place place = glsl_emit_whole(&binding);
    glsl_emit_store(e, &place, value);
}

void glsl_emit_store_zero(struct glsl_emit *e, const struct glsl_type *type, const uint32_t *vars) {
    struct ir_src zero = ir_float(&e->b, 0.0f);
    for (uint32_t i = 0; i < type->leaves; i++) {
        struct glsl_leaf leaf = glsl_type_leaf(type, i);
        unsigned comps = glsl_type_comps(leaf.type);
        uint8_t mask = (uint8_t)((1u << comps) - 1u);
        for (uint32_t k = 0; k < leaf.elements && leaf.type->kind != GLSL_SAMPLER; k++) {
            ir_store(&e->b, vars[i], k, NULL, mask, ir_splat(zero, comps));
        }
    }
}

/* The steps of an access to a parameter, continued by those of the argument that it stands for. */
static const struct glsl_step *join_steps(struct glsl_emit *e, const struct glsl_step *inner, const struct glsl_place *argument) {
    if (!inner) {
        return argument->steps;
    }
    struct glsl_step *step = glsl_emit_alloc(e, sizeof *step);
    *step = *inner;
    step->first_leaf += argument->leaf;
    step->outer = join_steps(e, inner->outer, argument);
    return step;
}

uint32_t glsl_emit_sampler(struct glsl_emit *e, const struct glsl_place *given, uint32_t *elements,
                           struct ir_src *index, bool *has_index) {
    struct glsl_place place = *given;
    while (place.binding->kind == GLSL_BOUND_VARS) { /* a parameter with variables of its own for the other members */
        const struct glsl_place *argument = place.binding->samplers;
        place.leaf += argument->leaf;
        place.steps = join_steps(e, place.steps, argument);
        place.binding = argument->binding;
    }
    struct element at = find_element(e, &place);
    const struct glsl_home *home = &place.binding->homes[place.leaf];
    *elements = at.total - at.offset;
    *has_index = at.has_index;
    if (at.has_index) {
        *index = at.index;
    }
    return home->reg < 0 ? 0 : (uint32_t)home->reg + at.offset;
}
