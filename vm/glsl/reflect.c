/* SPDX-License-Identifier: MIT */
/*
 * The tables of glslc.h: active attributes, uniforms with structures flattened ("s.a[2].b", arrays of
 * basic types end in "[0]") and varyings, each with its home in the stages.
 */
#include <stdio.h>
#include <string.h>

#include "vm/glsl/link.h"

struct reflector {
    const struct glsl_link_input *in;
    struct arena *arena;
    struct glsl_linked *out;
    const struct glsl_var *vars[2];    /* the uniform at hand, by stage; NULL if not there */
    struct str name;
    uint32_t uniform_cap, location;
    bool failed;
};

static const char *keep(struct reflector *r, const char *text) {
    char *copy = arena_strndup(r->arena, text, strlen(text));
    r->failed |= copy == NULL;
    return copy;
}

/* ---- uniforms --------------------------------------------------------------------------------------- */

/* An array index on the way to a leaf. */
struct hop {
    const struct hop *outer;
    const struct glsl_type *element;
    uint32_t first_leaf, index;
};

static uint32_t hop_offset(const struct hop *hop, uint32_t leaf) {
    uint32_t offset = 0;
    for (; hop; hop = hop->outer) {
        offset += hop->index * glsl_type_leaf(hop->element, leaf - hop->first_leaf).elements;
    }
    return offset;
}

static const struct glsl_home *home_of(const struct reflector *r, unsigned stage, uint32_t leaf) {
    const struct glsl_var *var = r->vars[stage];
    const struct glsl_home *homes = var ? r->out->layout[stage].homes[var->index] : NULL;
    return homes && homes[leaf].reg >= 0 ? &homes[leaf] : NULL;
}

static void add_uniform(struct reflector *r, const struct glsl_type *type, uint32_t leaf, const struct hop *hops,
                        bool hidden) {
    bool is_array = type->kind == GLSL_ARRAY;
    const struct glsl_type *base = is_array ? type->element : type;
    if (!home_of(r, 0, leaf) && !home_of(r, 1, leaf)) {
        return;
    }
    struct glslc_uniform *grown = arena_grow(r->arena, r->out->uniforms, r->out->uniform_count, &r->uniform_cap,
                                             r->out->uniform_count + 1, sizeof *grown);
    if (!grown) {
        r->failed = true;
        return;
    }
    r->out->uniforms = grown;
    struct glslc_uniform *uniform = &grown[r->out->uniform_count++];
    memset(uniform, 0, sizeof *uniform);
    size_t length = r->name.length;
    str_append(&r->name, is_array ? "[0]" : "");
    uniform->name = keep(r, r->name.text);
    r->name.length = length;
    r->name.text[length] = '\0';
    uniform->type = glsl_type_enum(base);
    uniform->is_array = is_array;
    uniform->array_size = is_array ? type->length : 1;
    uniform->location = hidden ? -1 : (int32_t)r->location;
    r->location += hidden ? 0 : uniform->array_size;
    for (unsigned stage = 0; stage < 2; stage++) {
        const struct glsl_home *home = home_of(r, stage, leaf);
        uniform->stage[stage].reg = -1;
        if (home) {
            uniform->stage[stage].reg = home->reg + (int32_t)hop_offset(hops, leaf);
            uniform->stage[stage].comp = home->comp;
            uniform->stage[stage].stride = (uint8_t)(base->kind == GLSL_DOUBLE ? base->slots : base->cols);
            uniform->stage[stage].elements = (uint16_t)uniform->array_size;
        }
    }
}

static void walk_uniform(struct reflector *r, const struct glsl_type *type, uint32_t leaf, const struct hop *hops,
                         bool hidden) {
    size_t length = r->name.length;
    if (type->kind == GLSL_STRUCT) {
        for (uint32_t i = 0; i < type->record->field_count; i++) {
            const struct glsl_field *field = &type->record->fields[i];
            str_printf(&r->name, ".%s", field->atom->text);
            walk_uniform(r, field->type, leaf + field->first_leaf, hops, hidden);
            r->name.length = length;
            r->name.text[length] = '\0';
        }
    } else if (type->kind == GLSL_ARRAY && type->element->kind == GLSL_STRUCT) {
        for (uint32_t i = 0; i < type->length; i++) {
            struct hop hop = {hops, type->element, leaf, i};
            str_printf(&r->name, "[%u]", i);
            walk_uniform(r, type->element, leaf, &hop, hidden);
            r->name.length = length;
            r->name.text[length] = '\0';
        }
    } else {
        add_uniform(r, type, leaf, hops, hidden);
    }
}

static void reflect_uniforms(struct reflector *r) {
    for (unsigned stage = 0; stage < 2; stage++) {
        const struct glsl_unit *u = r->in->units[stage];
        for (const struct glsl_var *var = u ? u->globals : NULL; var; var = var->next) {
            if (var->storage != GLSL_UNIFORM) {
                continue;
            }
            const struct glsl_var *first = glsl_find_global(r->in->units[0], var->atom->text, GLSL_UNIFORM);
            if (stage == 1 && first) {
                continue; /* listed with the vertex shader's */
            }
            r->vars[0] = first;
            r->vars[1] = stage == 1 ? var : glsl_find_global(r->in->units[1], var->atom->text, GLSL_UNIFORM);
            str_clear(&r->name);
            str_append(&r->name, var->atom->text);
            if (r->name.failed) {
                r->failed = true;
                return;
            }
            walk_uniform(r, var->type, 0, NULL, var->is_builtin);
        }
    }
}

/* ---- attributes and varyings ------------------------------------------------------------------------ */

static uint32_t count_homes(const struct glsl_unit *u, const struct glsl_stage_layout *layout,
                            enum glsl_storage storage) {
    uint32_t count = 0;
    for (const struct glsl_var *var = u ? u->globals : NULL; var; var = var->next) {
        count += var->storage == storage && layout->homes[var->index];
    }
    return count;
}

static void reflect_attributes(struct reflector *r) {
    const struct glsl_unit *u = r->in->units[0];
    const struct glsl_stage_layout *layout = &r->out->layout[0];
    uint32_t count = count_homes(u, layout, GLSL_ATTRIBUTE);
    r->out->attributes = arena_array(r->arena, count + 1, sizeof *r->out->attributes);
    r->failed |= !r->out->attributes;
    for (const struct glsl_var *var = u && !r->failed ? u->globals : NULL; var; var = var->next) {
        if (var->storage == GLSL_ATTRIBUTE && layout->homes[var->index]) {
            struct glslc_attribute *attribute = &r->out->attributes[r->out->attribute_count++];
            attribute->name = keep(r, var->atom->text);
            attribute->type = glsl_type_enum(var->type);
            attribute->location = layout->homes[var->index]->reg;
        }
    }
}

static void reflect_varyings(struct reflector *r) {
    unsigned stage = r->in->units[1] ? 1 : 0;
    const struct glsl_unit *u = r->in->units[stage];
    const struct glsl_stage_layout *layout = &r->out->layout[stage];
    uint32_t count = count_homes(u, layout, GLSL_VARYING) * 64;
    r->out->varyings = arena_array(r->arena, count + 1, sizeof *r->out->varyings);
    r->failed |= !r->out->varyings;
    for (const struct glsl_var *var = r->failed ? NULL : u->globals; var; var = var->next) {
        if (var->storage != GLSL_VARYING || !layout->homes[var->index]) {
            continue;
        }
        struct glsl_leaf leaf = glsl_type_leaf(var->type, 0);
        for (uint32_t i = 0; i < leaf.elements && i < 64; i++) { /* one entry a register */
            struct glslc_varying *varying = &r->out->varyings[r->out->varying_count++];
            varying->name = keep(r, var->atom->text);
            varying->reg = (uint8_t)((uint32_t)layout->homes[var->index]->reg + i);
            varying->comp = layout->homes[var->index]->comp;
            varying->components = leaf.type->rows;
        }
    }
}

bool glsl_reflect(const struct glsl_link_input *in, struct arena *arena, struct glsl_linked *out) {
    struct reflector r = {.in = in, .arena = arena, .out = out};
    str_init(&r.name);
    reflect_uniforms(&r);
    reflect_attributes(&r);
    reflect_varyings(&r);
    bool failed = r.failed || r.name.failed;
    str_fini(&r.name);
    return !failed;
}
