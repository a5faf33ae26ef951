/* SPDX-License-Identifier: MIT */
/*
 * Calls: constructors, user functions, built-in functions. Overloads are chosen by exact types, user
 * functions first. SPEC: GLSL ES 1.00.17 sections 5.4, 6.1 and 8.
 */
#include <stdio.h>
#include <string.h>

#include "vm/glsl/builtin.h"
#include "vm/glsl/sema.h"

static struct glsl_expr *with_args(struct glsl_unit *u, enum glsl_expr_kind kind, const struct glsl_type *type,
                                   struct glsl_expr **args, uint32_t count, struct diag_pos pos) {
    struct glsl_expr *e = glsl_expr_new(u, kind, type, pos);
    e->args = args;
    e->count = count;
    return e;
}

/* The node folded if it is constant, else finished. */
static struct glsl_expr *result(struct glsl_unit *u, struct glsl_expr *e) {
    const float *value = glsl_fold(u, e);
    return value ? glsl_expr_const(u, e->type, value, e->pos) : glsl_expr_finish(u, e);
}

static bool any_error(struct glsl_expr *const *args, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (glsl_is_error(args[i])) {
            return true;
        }
    }
    return false;
}

/* ---- constructors --------------------------------------------------------------------------------- */

static struct glsl_expr *construct_struct(struct glsl_unit *u, const struct glsl_type *type,
                                          struct glsl_expr **args, uint32_t count, struct diag_pos pos) {
    const struct glsl_record *record = type->record;
    if (count != record->field_count) {
        glsl_error(u, pos, "constructor of '%.60s' needs %u arguments, not %u", type->name, record->field_count,
                   count);
        return glsl_expr_error(u, pos);
    }
    if (type->has_sampler) {
        glsl_error(u, pos, "'%.60s' contains samplers and cannot be constructed", type->name);
        return glsl_expr_error(u, pos);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (args[i]->type != record->fields[i].type) {
            glsl_error(u, args[i]->pos, "constructor of '%.60s': member '%.60s' is of type '%s', not '%s'",
                       type->name, record->fields[i].atom->text, glsl_type_name(u, record->fields[i].type),
                       glsl_type_name(u, args[i]->type));
            glsl_hint_conversion(u, record->fields[i].type, args[i]);
            return glsl_expr_error(u, pos);
        }
    }
    return result(u, with_args(u, GLSL_E_CONSTRUCT, type, args, count, pos));
}

/* Each argument must be used at least in part, and together they must fill the type. */
static bool enough_components(struct glsl_unit *u, const struct glsl_type *type, struct glsl_expr **args,
                              uint32_t count, struct diag_pos pos) {
    uint32_t have = 0, need = type->components;
    for (uint32_t i = 0; i < count; i++) {
        if (have >= need) {
            glsl_error(u, args[i]->pos, "too many arguments for the constructor of '%s'", type->name);
            return false;
        }
        have += args[i]->type->components;
    }
    if (have < need) {
        glsl_error(u, pos, "constructor of '%s' needs %u components, but the arguments have %u", type->name, need,
                   have);
        return false;
    }
    return true;
}

struct glsl_expr *glsl_sema_construct(struct glsl_unit *u, const struct glsl_type *type, struct glsl_expr **args,
                                      uint32_t count, struct diag_pos pos) {
    if (type->kind == GLSL_ERROR || any_error(args, count)) {
        return glsl_expr_error(u, pos);
    }
    if (type->kind == GLSL_STRUCT) {
        return construct_struct(u, type, args, count, pos);
    }
    if (!glsl_type_is_value(type)) {
        glsl_error(u, pos, "'%s' has no constructor", glsl_type_name(u, type));
        return glsl_expr_error(u, pos);
    }
    if (count == 0) {
        glsl_error(u, pos, "constructor of '%s' needs arguments", type->name);
        return glsl_expr_error(u, pos);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct glsl_type *t = args[i]->type;
        if (!glsl_type_is_value(t)) {
            glsl_error(u, args[i]->pos, "'%s' cannot be an argument of the constructor of '%s'",
                       glsl_type_name(u, t), type->name);
            return glsl_expr_error(u, pos);
        }
        /* The specification reserves mat3(mat4); the conformance suite wants it, with the meaning that
           later versions give it. A matrix among other arguments stays an error. */
        if (type->cols > 1 && t->cols > 1 && count > 1) {
            glsl_error(u, args[i]->pos, "a matrix argument of a matrix constructor must be the only one");
            glsl_hint(u, "take its columns: mat2(m[0].xy, m[1].xy)");
            return glsl_expr_error(u, pos);
        }
    }
    bool single_scalar = count == 1 && glsl_type_is_scalar(args[0]->type);
    bool resized = type->cols > 1 && args[0]->type->cols > 1;
    if (!single_scalar && !resized && !enough_components(u, type, args, count, pos)) {
        return glsl_expr_error(u, pos);
    }
    if (count == 1 && args[0]->type == type) {
        struct glsl_expr *same = args[0];
        if (same->kind != GLSL_E_VAR && same->kind != GLSL_E_INDEX && same->kind != GLSL_E_FIELD &&
            same->kind != GLSL_E_SWIZZLE) {
            return same; /* vec3(vec3(...)): keep it an r-value only */
        }
    }
    return result(u, with_args(u, GLSL_E_CONSTRUCT, type, args, count, pos));
}

/* ---- functions ------------------------------------------------------------------------------------ */

/* "name(vec2, float)" for messages. */
static const char *call_text(struct glsl_unit *u, const char *name, struct glsl_expr **args, uint32_t count) {
    enum { SIZE = 240 };
    char *text = glsl_alloc(u, SIZE);
    int used = snprintf(text, SIZE, "%.60s(", name);
    for (uint32_t i = 0; i < count && used < SIZE - 70; i++) {
        used += snprintf(text + used, (size_t)(SIZE - used), "%s%.60s", i ? ", " : "",
                         glsl_type_name(u, args[i]->type));
    }
    snprintf(text + used, (size_t)(SIZE - used), ")");
    return text;
}

static struct glsl_function *match_user(struct glsl_function *first, struct glsl_expr **args, uint32_t count) {
    for (struct glsl_function *f = first; f; f = f->next) {
        if (f->param_count != count) {
            continue;
        }
        uint32_t i = 0;
        while (i < count && f->params[i]->type == args[i]->type) {
            i++;
        }
        if (i == count) {
            return f;
        }
    }
    return NULL;
}

/* A second look with ints taken for floats, to tell the user what is probably meant. */
static bool would_match_as_float(struct glsl_unit *u, struct glsl_function *first, int builtin,
                                 struct glsl_expr **args, uint32_t count) {
    struct glsl_expr **changed = glsl_alloc_array(u, count, sizeof *changed);
    const struct glsl_type **types = glsl_alloc_array(u, count, sizeof *types);
    for (uint32_t i = 0; i < count; i++) {
        const struct glsl_type *t = args[i]->type;
        changed[i] = args[i];
        if (t->kind == GLSL_INT) {
            changed[i] = glsl_expr_new(u, GLSL_E_ERROR, glsl_type_vector(GLSL_FLOAT, t->rows), args[i]->pos);
        }
        types[i] = changed[i]->type;
    }
    const struct glsl_type *type;
    const struct glsl_builtin *near_miss;
    return match_user(first, changed, count) || glsl_builtin_match(u, builtin, types, count, &type, &near_miss);
}

static bool any_double(struct glsl_expr *const *args, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (args[i]->type->kind == GLSL_DOUBLE) {
            return true;
        }
    }
    return false;
}

static bool wants_double(const struct glsl_function *f) {
    for (uint32_t i = 0; i < f->param_count; i++) {
        if (f->params[i]->type->kind == GLSL_DOUBLE) {
            return true;
        }
    }
    return false;
}

/* Names that later versions of GLSL have, and what says the same here. */
static void hint_newer(struct glsl_unit *u, const char *name, struct glsl_expr **args, uint32_t count) {
    static const struct {
        const char *name, *hint;
    } names[] = {
        {"textureLod", "GLSL ES 1.00 says texture2DLod in vertex shaders, texture2DLodEXT of GL_EXT_shader_texture_lod in others"},
        {"textureProj", "GLSL ES 1.00 says texture2DProj"},
        {"texelFetch", "GLSL ES 1.00 has none: texture2D at (vec2(texel) + 0.5) / size"},
        {"textureSize", "GLSL ES 1.00 has none: pass the size as a uniform"},
        {"round", "GLSL ES 1.00 has none: floor(x + 0.5)"},
        {"trunc", "GLSL ES 1.00 has none: sign(x) * floor(abs(x))"},
        {"transpose", "GLSL ES 1.00 has none: build the matrix from its rows"},
        {"inverse", "GLSL ES 1.00 has none: pass the inverse as a uniform"},
        {"determinant", "GLSL ES 1.00 has none"},
        {"sinh", "GLSL ES 1.00 has none: 0.5 * (exp(x) - exp(-x))"},
        {"cosh", "GLSL ES 1.00 has none: 0.5 * (exp(x) + exp(-x))"},
        {"lerp", "GLSL says mix"},
        {"saturate", "GLSL says clamp(x, 0.0, 1.0)"},
        {"frac", "GLSL says fract"},
        {"rsqrt", "GLSL says inversesqrt"},
        {"fmod", "GLSL says mod"},
        {"atan2", "GLSL says atan(y, x)"},
        {"ddx", "GLSL says dFdx, of GL_OES_standard_derivatives"},
        {"ddy", "GLSL says dFdy, of GL_OES_standard_derivatives"},
    };
    if (strcmp(name, "texture") == 0) {
        bool cube = count && args[0]->type->kind == GLSL_SAMPLER && args[0]->type->sampler == VLIW_SAMPLER_CUBE;
        glsl_hint(u, "GLSL ES 1.00 says %s", cube ? "textureCube" : "texture2D");
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i].name) == 0) {
            glsl_hint(u, "%s", names[i].hint);
            return;
        }
    }
}

static void no_match(struct glsl_unit *u, const struct glsl_token *name, struct glsl_function *first, int builtin,
                     const struct glsl_builtin *near_miss, struct glsl_expr **args, uint32_t count) {
    const char *text = call_text(u, name->atom->text, args, count);
    if (!first && builtin < 0) {
        glsl_error(u, name->pos, "'%s': no function of this name is declared", text);
        hint_newer(u, name->atom->text, args, count);
        return;
    }
    if (near_miss && near_miss->ext && (near_miss->ext & ~u->ext_enabled)) {
        glsl_error(u, name->pos, "'%s' needs extension %s", text, glsl_extension_name(near_miss->ext));
        glsl_hint(u, "write '#extension %s : enable' before any code", glsl_extension_name(near_miss->ext));
        return;
    }
    if (near_miss) {
        glsl_error(u, name->pos, "'%s' exists in %s shaders only", text,
                   near_miss->stages == GLSL_IN_VERTEX ? "vertex" : "fragment");
        return;
    }
    glsl_error(u, name->pos, "no matching function '%s'", text);
    if (would_match_as_float(u, first, builtin, args, count)) {
        glsl_hint(u, "there is no implicit int to float conversion: write 1.0 or float(...)");
    } else if ((!first || first->param_count == count) && (any_double(args, count) || (first && wants_double(first)))) {
        glsl_hint(u, "nothing converts from or to double by itself: write float(...) or double(...)");
    } else if (first) {
        struct glsl_expr **params = glsl_alloc_array(u, first->param_count, sizeof *params);
        for (uint32_t i = 0; i < first->param_count; i++) {
            params[i] = glsl_expr_new(u, GLSL_E_ERROR, first->params[i]->type, name->pos);
        }
        glsl_hint(u, "there is '%s'", call_text(u, name->atom->text, params, first->param_count));
    }
}

static struct glsl_expr *call_user(struct glsl_unit *u, struct glsl_function *f, struct glsl_expr **args,
                                   uint32_t count, struct diag_pos pos) {
    for (uint32_t i = 0; i < count; i++) {
        uint8_t storage = f->params[i]->storage;
        if ((storage == GLSL_PARAM_OUT || storage == GLSL_PARAM_INOUT) &&
            !glsl_sema_lvalue(u, args[i], storage == GLSL_PARAM_INOUT, f->atom->text)) {
            return glsl_expr_error(u, pos);
        }
        if (f->params[i]->indexed) {
            struct glsl_var *root = glsl_expr_root(args[i]);
            if (root) {
                root->indexed = true;
            }
        }
    }
    if (u->function) {
        struct glsl_call *call = glsl_alloc(u, sizeof *call);
        call->to = f;
        call->pos = pos;
        call->next = u->function->calls;
        u->function->calls = call;
    }
    struct glsl_expr *e = with_args(u, GLSL_E_CALL, f->type, args, count, pos);
    e->function = f;
    return glsl_expr_finish(u, e);
}

static struct glsl_expr *call_builtin(struct glsl_unit *u, const struct glsl_builtin *row,
                                      const struct glsl_type *type, struct glsl_expr **args, uint32_t count,
                                      struct diag_pos pos) {
    if (row->ext) {
        glsl_extension(u, row->ext, pos); /* warns if asked to */
    }
    struct glsl_expr *e = with_args(u, GLSL_E_BUILTIN, type, args, count, pos);
    e->builtin = row;
    return result(u, e);
}

struct glsl_expr *glsl_sema_call(struct glsl_unit *u, const struct glsl_token *name, struct glsl_expr **args,
                                 uint32_t count) {
    struct glsl_symbol *s = glsl_lookup(u, name->atom, name->pos);
    if (s && s->kind == GLSL_SYM_TYPE) {
        return glsl_sema_construct(u, s->type, args, count, name->pos);
    }
    if (any_error(args, count)) {
        return glsl_expr_error(u, name->pos);
    }
    if (s && s->kind == GLSL_SYM_VAR) {
        glsl_error(u, name->pos, "'%.60s' is a variable, not a function", name->atom->text);
        return glsl_expr_error(u, name->pos);
    }
    struct glsl_function *first = s ? s->functions : NULL;
    struct glsl_function *f = match_user(first, args, count);
    if (f) {
        return call_user(u, f, args, count, name->pos);
    }
    const struct glsl_type **types = glsl_alloc_array(u, count, sizeof *types);
    for (uint32_t i = 0; i < count; i++) {
        types[i] = args[i]->type;
    }
    int builtin = glsl_builtin_find(name->atom);
    const struct glsl_builtin *near_miss = NULL;
    const struct glsl_type *type = NULL;
    const struct glsl_builtin *row = glsl_builtin_match(u, builtin, types, count, &type, &near_miss);
    if (row) {
        return call_builtin(u, row, type, args, count, name->pos);
    }
    no_match(u, name, first, builtin, near_miss, args, count);
    return glsl_expr_error(u, name->pos);
}
