/* SPDX-License-Identifier: MIT */
/* Fields, swizzles, indexing and l-values. SPEC: GLSL ES 1.00.17 sections 5.5 to 5.8. */
#include <string.h>

#include "vm/glsl/sema.h"

/* The node folded if it is constant, else finished. */
static struct glsl_expr *result(struct glsl_unit *u, struct glsl_expr *e) {
    const float *value = glsl_fold(u, e);
    return value ? glsl_expr_const(u, e->type, value, e->pos) : glsl_expr_finish(u, e);
}

/* a.swz with a nested swizzle composed away. */
static struct glsl_expr *make_swizzle(struct glsl_unit *u, struct glsl_expr *a, unsigned count,
                                      const uint8_t *swz, struct diag_pos pos) {
    struct glsl_expr *e = glsl_expr_new(u, GLSL_E_SWIZZLE,
                                        glsl_type_vector((enum glsl_kind)a->type->kind, count), pos);
    bool nested = a->kind == GLSL_E_SWIZZLE;
    for (unsigned i = 0; i < count; i++) {
        e->swz[i] = nested ? a->swz[swz[i]] : swz[i];
    }
    e->a = nested ? a->a : a;
    return result(u, e);
}

static struct glsl_expr *sema_swizzle(struct glsl_unit *u, struct glsl_expr *a, const struct glsl_token *name) {
    static const char sets[3][5] = {"xyzw", "rgba", "stpq"};
    const char *text = name->atom->text;
    uint8_t swz[4];
    int set = -1;
    for (int s = 0; s < 3; s++) {
        if (strchr(sets[s], text[0])) {
            set = s;
        }
    }
    if (set < 0 || name->atom->length > 4) {
        glsl_error(u, name->pos, "'.%.60s': no such component of '%s'", text, a->type->name);
        return glsl_expr_error(u, name->pos);
    }
    for (uint32_t i = 0; i < name->atom->length; i++) {
        const char *at = strchr(sets[set], text[i]);
        if (!at) {
            bool other = strchr("xyzwrgbastpq", text[i]) != NULL;
            glsl_error(u, name->pos, other ? "'.%.60s' mixes component names of different sets"
                                           : "'.%.60s': no such component", text);
            glsl_hint(u, "the sets are xyzw, rgba and stpq");
            return glsl_expr_error(u, name->pos);
        }
        swz[i] = (uint8_t)(at - sets[set]);
        if (swz[i] >= a->type->rows) {
            glsl_error(u, name->pos, "'.%.60s': '%s' has only %u components", text, a->type->name, a->type->rows);
            return glsl_expr_error(u, name->pos);
        }
    }
    return make_swizzle(u, a, name->atom->length, swz, name->pos);
}

struct glsl_expr *glsl_sema_field(struct glsl_unit *u, struct glsl_expr *a, const struct glsl_token *name) {
    if (glsl_is_error(a)) {
        return a;
    }
    if (glsl_type_is_vector(a->type)) {
        return sema_swizzle(u, a, name);
    }
    if (a->type->kind != GLSL_STRUCT) {
        glsl_error(u, name->pos, "'.%.60s': '%s' has no fields", name->atom->text, glsl_type_name(u, a->type));
        if (glsl_type_is_scalar(a->type)) {
            glsl_hint(u, "scalars have no components to choose from");
        }
        return glsl_expr_error(u, name->pos);
    }
    int field = glsl_record_find(a->type->record, name->atom);
    if (field < 0) {
        glsl_error(u, name->pos, "'%.60s': no such member of '%.60s'", name->atom->text, a->type->name);
        return glsl_expr_error(u, name->pos);
    }
    struct glsl_expr *e = glsl_expr_new(u, GLSL_E_FIELD, a->type->record->fields[field].type, name->pos);
    e->a = a;
    e->count = (uint32_t)field;
    return result(u, e);
}

struct glsl_var *glsl_expr_root(struct glsl_expr *e) {
    while (e->kind == GLSL_E_FIELD || e->kind == GLSL_E_SWIZZLE || e->kind == GLSL_E_INDEX) {
        e = e->a;
    }
    return e->kind == GLSL_E_VAR ? e->var : NULL;
}

struct glsl_expr *glsl_sema_index(struct glsl_unit *u, struct glsl_expr *a, struct glsl_expr *index,
                                  struct diag_pos pos) {
    if (glsl_is_error(a) || glsl_is_error(index)) {
        return glsl_is_error(a) ? a : index;
    }
    const struct glsl_type *type;
    uint32_t length;
    if (a->type->kind == GLSL_ARRAY) {
        type = a->type->element;
        length = a->type->length;
    } else if (glsl_type_is_matrix(a->type)) {
        type = glsl_type_vector((enum glsl_kind)a->type->kind, a->type->rows);
        length = a->type->cols;
    } else if (glsl_type_is_vector(a->type)) {
        type = glsl_type_vector((enum glsl_kind)a->type->kind, 1);
        length = a->type->rows;
    } else {
        glsl_error(u, pos, "'%s' cannot be indexed", glsl_type_name(u, a->type));
        return glsl_expr_error(u, pos);
    }
    if (index->type != glsl_type_vector(GLSL_INT, 1)) {
        glsl_error(u, index->pos, "an index must be an int, not '%s'", glsl_type_name(u, index->type));
        if (index->type->kind == GLSL_FLOAT || index->type->kind == GLSL_DOUBLE) {
            glsl_hint(u, "write int(...)");
        }
        return glsl_expr_error(u, pos);
    }
    if (glsl_is_const(index)) {
        float at = index->value[0];
        if (!(at >= 0.0f && at < (float)length)) {
            glsl_error(u, index->pos, "index %.0f is out of range: '%s' has elements 0 to %u", (double)at,
                       glsl_type_name(u, a->type), length - 1);
            return glsl_expr_error(u, pos);
        }
        if (glsl_type_is_vector(a->type)) {
            uint8_t swz = (uint8_t)at;
            return make_swizzle(u, a, 1, &swz, pos);
        }
    } else if (!glsl_type_is_vector(a->type)) {
        struct glsl_var *root = glsl_expr_root(a);
        if (root) {
            root->indexed = true;
        }
    }
    struct glsl_expr *e = glsl_expr_new(u, GLSL_E_INDEX, type, pos);
    e->a = a;
    e->b = index;
    return result(u, e);
}

/* Why a variable may not be written, NULL if it may. */
static const char *read_only_reason(const struct glsl_unit *u, const struct glsl_var *var) {
    switch (var->storage) {
    case GLSL_CONST: return "it is const";
    case GLSL_PARAM_CONST: return "it is a const parameter";
    case GLSL_ATTRIBUTE: return "attributes are read-only";
    case GLSL_UNIFORM: return "uniforms are read-only";
    case GLSL_VARYING: return u->is_fragment ? "varyings are read-only in a fragment shader" : NULL;
    case GLSL_SPECIAL: return var->special >= GLSL_FRAG_COORD ? "it is read-only" : NULL;
    default: return NULL;
    }
}

static void note_color_write(struct glsl_unit *u, const struct glsl_var *var, struct diag_pos pos) {
    if (var->special == GLSL_FRAG_COLOR && !u->color_pos.line) {
        u->color_pos = pos;
    } else if (var->special == GLSL_FRAG_DATA && !u->data_pos.line) {
        u->data_pos = pos;
    }
}

bool glsl_sema_lvalue(struct glsl_unit *u, struct glsl_expr *e, bool also_read, const char *what) {
    (void)also_read; /* every mention counts as a read */
    struct diag_pos pos = e->pos;
    bool has_sampler = e->type->has_sampler;
    while (e->kind == GLSL_E_FIELD || e->kind == GLSL_E_SWIZZLE || e->kind == GLSL_E_INDEX) {
        if (e->kind == GLSL_E_SWIZZLE) {
            unsigned seen = 0;
            for (unsigned i = 0; i < e->type->rows; i++) {
                if (seen & (1u << e->swz[i])) {
                    glsl_error(u, e->pos, "'%s': a component is named twice in the swizzle that is written", what);
                    return false;
                }
                seen |= 1u << e->swz[i];
            }
        }
        e = e->a;
    }
    if (e->kind != GLSL_E_VAR) {
        glsl_error(u, pos, "'%s': %s cannot be written", what, glsl_is_const(e) ? "a constant" : "this expression");
        glsl_hint(u, "only variables and their parts can be");
        return false;
    }
    const char *reason = read_only_reason(u, e->var);
    if (reason) {
        glsl_error(u, pos, "'%.60s' cannot be written: %s", e->var->atom->text, reason);
        return false;
    }
    if (has_sampler) {
        glsl_error(u, pos, "'%.60s' cannot be written here: samplers have no values", e->var->atom->text);
        return false;
    }
    e->var->written = true;
    note_color_write(u, e->var, pos);
    return true;
}
