/* SPDX-License-Identifier: MIT */
/*
 * The rules between two stages, and where everything lives. What main can reach decides what is active;
 * what the text mentions anywhere ("static use") decides the rules about declarations.
 * SPEC: ES 2.0.25 section 2.10, GLSL ES 1.00.17 sections 4.3.3 to 4.3.5, 4.6.4 and Appendix A.7.
 */
#include "vm/glsl/link.h"

#include <string.h>

struct linker {
    const struct glsl_link_input *in;
    struct arena *arena;
    struct str *log;
    struct glsl_linked *out;
    uint32_t errors;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void error(struct linker *l, const char *format, ...) {
    va_list args;
    va_start(args, format);
    str_append(l->log, "error: ");
    str_vprintf(l->log, format, args);
    str_char(l->log, '\n');
    va_end(args);
    l->errors++;
}

const struct glsl_var *glsl_find_global(const struct glsl_unit *u, const char *name, enum glsl_storage storage) {
    const struct glsl_atom *atom = u ? glsl_atom_find(&u->atoms, name, (uint32_t)strlen(name)) : NULL;
    const struct glsl_symbol *s = atom ? atom->symbol : NULL; /* after a compile: the global meaning */
    return s && s->kind == GLSL_SYM_VAR && s->var->storage == storage && s->var->is_global ? s->var : NULL;
}

static bool is_active(const struct linker *l, unsigned stage, const struct glsl_var *var) {
    return var && l->out->use[stage].vars[var->index].used;
}

static struct glsl_home *new_homes(struct linker *l, unsigned stage, const struct glsl_var *var) {
    struct glsl_home *homes = arena_array(l->arena, var->type->leaves, sizeof *homes);
    for (uint32_t i = 0; homes && i < var->type->leaves; i++) {
        homes[i].reg = -1;
    }
    l->out->layout[stage].homes[var->index] = homes;
    return homes;
}

/* ---- varyings --------------------------------------------------------------------------------------- */

static void check_varying(struct linker *l, const struct glsl_var *vs, const struct glsl_var *fs) {
    char a[80], b[80];
    bool precision_differs = false; /* precisions of varyings may differ */
    const char *name = fs->atom->text;
    if (!vs) {
        if (fs->read) {
            error(l, "varying '%.60s' is used in the fragment shader but not declared in the vertex shader", name);
        }
        return;
    }
    if (!glsl_type_matches(vs->type, fs->type, &precision_differs)) {
        error(l, "varying '%.60s' is '%s' in the vertex shader and '%s' in the fragment shader", name,
              glsl_type_text(vs->type, a, sizeof a), glsl_type_text(fs->type, b, sizeof b));
    } else if (vs->invariant != fs->invariant && !l->in->units[0]->tokens.invariant_all) {
        error(l, "varying '%.60s' is invariant in only one of the two shaders", name);
    }
}

/* gl_FragCoord and gl_PointCoord may be invariant only if their sources are. */
static void check_special_invariance(struct linker *l, enum glsl_special source, enum glsl_special target) {
    const struct glsl_unit *vs = l->in->units[0], *fs = l->in->units[1];
    const struct glsl_var *to = fs->special[target], *from = vs->special[source];
    if (to && to->invariant && !(from && from->invariant) && !vs->tokens.invariant_all) {
        error(l, "'%s' is invariant in the fragment shader, but '%s' is not in the vertex shader",
              to->atom->text, source == GLSL_POSITION ? "gl_Position" : "gl_PointSize");
    }
}

static bool place_varyings(struct linker *l) {
    const struct glsl_unit *vs = l->in->units[0], *fs = l->in->units[1];
    const struct glsl_unit *from = fs ? fs : vs;
    unsigned stage = fs ? VLIW_STAGE_FRAGMENT : VLIW_STAGE_VERTEX;
    uint32_t count = 0;
    struct glsl_pack_item *items = arena_array(l->arena, from->var_count + 1, sizeof *items);
    struct glsl_home **partners = arena_array(l->arena, from->var_count + 1, sizeof *partners);
    if (!items || !partners) {
        return false;
    }
    for (const struct glsl_var *var = from->globals; var; var = var->next) {
        const struct glsl_var *other = fs && vs ? glsl_find_global(vs, var->atom->text, GLSL_VARYING) : NULL;
        if (var->storage != GLSL_VARYING || !is_active(l, stage, var) || (fs && vs && !other)) {
            continue;
        }
        struct glsl_leaf leaf = glsl_type_leaf(var->type, 0);
        items[count].comps = leaf.type->rows;
        items[count].rows = leaf.elements;
        items[count].home = new_homes(l, stage, var);
        if (!items[count].home || (other && !new_homes(l, VLIW_STAGE_VERTEX, other))) {
            return false;
        }
        count++;
    }
    uint32_t limit = l->in->options->max_varyings, used = 0;
    if (!glsl_pack(items, count, limit, l->arena, &used)) {
        error(l, "the varyings do not fit into %u vectors", limit);
        return !l->arena->failed;
    }
    l->out->layout[0].varying_regs = l->out->layout[1].varying_regs = used;
    for (const struct glsl_var *var = fs && vs ? fs->globals : NULL; var; var = var->next) {
        const struct glsl_home *home = l->out->layout[1].homes[var->index];
        if (var->storage == GLSL_VARYING && home) {
            const struct glsl_var *other = glsl_find_global(vs, var->atom->text, GLSL_VARYING);
            *l->out->layout[0].homes[other->index] = *home;
        }
    }
    return true;
}

static bool link_varyings(struct linker *l) {
    const struct glsl_unit *vs = l->in->units[0], *fs = l->in->units[1];
    if (vs && fs) {
        for (const struct glsl_var *var = fs->globals; var; var = var->next) {
            if (var->storage == GLSL_VARYING) {
                check_varying(l, glsl_find_global(vs, var->atom->text, GLSL_VARYING), var);
            }
        }
        check_special_invariance(l, GLSL_POSITION, GLSL_FRAG_COORD);
        check_special_invariance(l, GLSL_POINT_SIZE, GLSL_POINT_COORD);
    }
    return l->errors || place_varyings(l);
}

/* ---- attributes ------------------------------------------------------------------------------------- */

static const struct glslc_binding *find_binding(const struct linker *l, const char *name) {
    for (uint32_t i = 0; i < l->in->binding_count; i++) {
        if (strcmp(l->in->bindings[i].name, name) == 0) {
            return &l->in->bindings[i];
        }
    }
    return NULL;
}

/* First location with 'columns' free ones in a row, -1 if there is none. */
static int32_t find_locations(uint64_t taken, uint32_t columns, uint32_t limit) {
    for (uint32_t at = 0; at + columns <= limit; at++) {
        if (!((taken >> at) & ((1u << columns) - 1u))) {
            return (int32_t)at;
        }
    }
    return -1;
}

static bool link_attributes(struct linker *l) {
    const struct glsl_unit *vs = l->in->units[0];
    uint32_t limit = l->in->options->max_attribs > 32 ? 32 : l->in->options->max_attribs;
    uint64_t taken = 0;
    for (const struct glsl_var *var = vs ? vs->globals : NULL; var; var = var->next) {
        const struct glslc_binding *binding = find_binding(l, var->atom->text);
        if (var->storage != GLSL_ATTRIBUTE || !is_active(l, 0, var)) {
            continue;
        }
        struct glsl_home *home = new_homes(l, 0, var);
        if (!home) {
            return false;
        }
        if (!binding) {
            continue;
        }
        if (binding->location >= limit || var->type->cols > limit - binding->location) {
            error(l, "attribute '%.60s' needs %u locations from %u on, but there are only %u", var->atom->text,
                  var->type->cols, binding->location, limit);
            continue;
        }
        home->reg = (int32_t)binding->location; /* two names may share a location: aliasing */
        taken |= ((UINT64_C(1) << var->type->cols) - 1u) << binding->location;
    }
    for (uint32_t columns = 4; columns >= 1; columns--) { /* matrices first: they need a gap */
        for (const struct glsl_var *var = vs ? vs->globals : NULL; var; var = var->next) {
            struct glsl_home *home = l->out->layout[0].homes[var->index];
            if (var->storage != GLSL_ATTRIBUTE || !home || home->reg >= 0 || var->type->cols != columns ||
                find_binding(l, var->atom->text)) {
                continue;
            }
            home->reg = find_locations(taken, columns, limit);
            if (home->reg < 0) {
                error(l, "no location is left for attribute '%.60s': there are %u", var->atom->text, limit);
                return true;
            }
            taken |= ((UINT64_C(1) << columns) - 1u) << (uint32_t)home->reg;
        }
    }
    return true;
}

/* ---- uniforms --------------------------------------------------------------------------------------- */

static const char *precision_text(uint8_t precision) {
    return precision == GLSL_HIGHP ? "highp" : precision == GLSL_MEDIUMP ? "mediump" : "lowp";
}

static void check_uniform(struct linker *l, const struct glsl_var *vs, const struct glsl_var *fs) {
    char a[80], b[80];
    bool precision_differs = vs->precision != fs->precision;
    const char *name = fs->atom->text;
    if (!glsl_type_matches(vs->type, fs->type, &precision_differs)) {
        const char *in_vs = glsl_type_text(vs->type, a, sizeof a), *in_fs = glsl_type_text(fs->type, b, sizeof b);
        error(l, "uniform '%.60s' is '%s' in the vertex shader and %s'%s' in the fragment shader", name, in_vs,
              strcmp(in_vs, in_fs) == 0 ? "another " : "", in_fs);
    } else if (precision_differs && vs->read && fs->read) {
        if (vs->precision != fs->precision) {
            error(l, "uniform '%.60s' is %s in the vertex shader and %s in the fragment shader: its precision must be the same",
                  name, precision_text(vs->precision), precision_text(fs->precision));
        } else {
            error(l, "uniform '%.60s' has members of different precisions in the two shaders", name);
        }
    } else if (precision_differs) {
        str_printf(l->log, "warning: uniform '%.60s' has different precisions in the two shaders\n", name);
    }
}

struct uniform_list {
    struct glsl_pack_item *items;
    uint32_t count;
    uint32_t samplers;
};

/* Homes of one uniform's used leaves: an item each, or the next sampler numbers. */
static bool collect_uniform(struct linker *l, unsigned stage, const struct glsl_var *var, struct uniform_list *list) {
    const struct glsl_use *use = &l->out->use[stage].vars[var->index];
    struct glsl_home *homes = new_homes(l, stage, var);
    for (uint32_t i = 0; homes && i < var->type->leaves; i++) {
        struct glsl_leaf leaf = glsl_type_leaf(var->type, i);
        if (!use->weights[i]) {
            continue;
        }
        if (leaf.type->kind == GLSL_SAMPLER) {
            homes[i].reg = (int32_t)list->samplers;
            list->samplers += leaf.elements;
            continue;
        }
        struct glsl_pack_item *item = &list->items[list->count++];
        item->comps = (uint8_t)glsl_type_comps(leaf.type);
        item->is_double = leaf.type->kind == GLSL_DOUBLE;
        item->rows = leaf.elements;
        item->weight = use->weights[i];
        item->home = &homes[i];
    }
    return homes != NULL;
}

static bool fill_sampler_types(struct linker *l, unsigned stage, const struct glsl_unit *u, uint32_t count) {
    struct glsl_stage_layout *layout = &l->out->layout[stage];
    layout->sampler_count = count;
    layout->sampler_types = arena_array(l->arena, count + 1, 1);
    if (!layout->sampler_types) {
        return false;
    }
    for (const struct glsl_var *var = u->globals; var; var = var->next) {
        const struct glsl_home *homes = layout->homes[var->index];
        for (uint32_t i = 0; var->storage == GLSL_UNIFORM && homes && i < var->type->leaves; i++) {
            struct glsl_leaf leaf = glsl_type_leaf(var->type, i);
            for (uint32_t k = 0; leaf.type->kind == GLSL_SAMPLER && homes[i].reg >= 0 && k < leaf.elements; k++) {
                layout->sampler_types[(uint32_t)homes[i].reg + k] = leaf.type->sampler;
            }
        }
    }
    return true;
}

static bool place_uniforms(struct linker *l, unsigned stage) {
    const struct glsl_unit *u = l->in->units[stage];
    const struct glslc_options *options = l->in->options;
    uint32_t leaves = 0;
    for (const struct glsl_var *var = u->globals; var; var = var->next) {
        leaves += var->storage == GLSL_UNIFORM ? var->type->leaves : 0;
    }
    struct uniform_list list = {arena_array(l->arena, leaves + 1, sizeof *list.items), 0, 0};
    if (!list.items) {
        return false;
    }
    for (const struct glsl_var *var = u->globals; var; var = var->next) {
        if (var->storage == GLSL_UNIFORM && is_active(l, stage, var) && !collect_uniform(l, stage, var, &list)) {
            return false;
        }
    }
    const char *what = stage == VLIW_STAGE_VERTEX ? "vertex" : "fragment";
    uint32_t max_samplers = stage == VLIW_STAGE_VERTEX ? options->max_vertex_samplers : options->max_fragment_samplers;
    if (list.samplers > max_samplers) {
        error(l, "the %s shader uses %u samplers, but there are only %u", what, list.samplers, max_samplers);
        return true;
    }
    uint32_t limit = stage == VLIW_STAGE_VERTEX ? options->max_vertex_uniforms : options->max_fragment_uniforms;
    if (!glsl_pack(list.items, list.count, limit, l->arena, &l->out->layout[stage].uniform_regs)) {
        error(l, "the uniforms of the %s shader do not fit into %u vectors", what, limit);
        return !l->arena->failed;
    }
    return fill_sampler_types(l, stage, u, list.samplers);
}

static bool link_uniforms(struct linker *l) {
    const struct glsl_unit *vs = l->in->units[0], *fs = l->in->units[1];
    for (const struct glsl_var *var = vs && fs ? fs->globals : NULL; var; var = var->next) {
        const struct glsl_var *other = NULL;
        if (var->storage == GLSL_UNIFORM && !var->is_builtin) {
            other = glsl_find_global(vs, var->atom->text, GLSL_UNIFORM);
        }
        if (other) {
            check_uniform(l, other, var);
        }
    }
    for (unsigned stage = 0; stage < 2; stage++) {
        if (l->in->units[stage] && !place_uniforms(l, stage)) {
            return false;
        }
    }
    uint32_t samplers = l->out->layout[0].sampler_count + l->out->layout[1].sampler_count;
    if (samplers > l->in->options->max_combined_samplers) {
        error(l, "the two shaders use %u samplers together, but there are only %u", samplers,
              l->in->options->max_combined_samplers);
    }
    return true;
}

/* ---- the whole -------------------------------------------------------------------------------------- */

static bool prepare(struct linker *l) {
    for (unsigned stage = 0; stage < 2; stage++) {
        const struct glsl_unit *u = l->in->units[stage];
        struct glsl_stage_layout *layout = &l->out->layout[stage];
        layout->use = &l->out->use[stage];
        if (!u) {
            continue;
        }
        layout->homes = arena_array(l->arena, u->var_count + 1, sizeof *layout->homes);
        if (!layout->homes || !glsl_find_uses(u, l->arena, &l->out->use[stage])) {
            return false;
        }
    }
    return true;
}

bool glsl_link(const struct glsl_link_input *in, struct arena *arena, struct str *log, struct glsl_linked *out) {
    struct linker l = {.in = in, .arena = arena, .log = log, .out = out};
    memset(out, 0, sizeof *out);
    for (unsigned stage = 0; stage < 2; stage++) {
        if (in->units[stage] && !(in->units[stage]->main && in->units[stage]->main->defined)) {
            error(&l, "the %s shader has no 'void main()'", stage == VLIW_STAGE_VERTEX ? "vertex" : "fragment");
        }
    }
    if (l.errors) {
        return true;
    }
    if (!prepare(&l) || !link_varyings(&l) || !link_attributes(&l) || !link_uniforms(&l)) {
        return false;
    }
    out->ok = l.errors == 0;
    return !out->ok || glsl_reflect(in, arena, out);
}
