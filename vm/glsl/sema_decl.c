/* SPDX-License-Identifier: MIT */
/*
 * Declarations: variables by storage qualifier, invariance, precision defaults, structures.
 * SPEC: GLSL ES 1.00.17 sections 4.1 to 4.6.
 */
#include <string.h>

#include "vm/glsl/sema.h"

/* The element type below arrays. */
static const struct glsl_type *base_type(const struct glsl_type *t) {
    while (t->kind == GLSL_ARRAY) {
        t = t->element;
    }
    return t;
}

uint32_t glsl_sema_array_size(struct glsl_unit *u, struct glsl_expr *size, struct diag_pos pos) {
    if (glsl_is_error(size)) {
        return 0;
    }
    if (size->type != glsl_type_vector(GLSL_INT, 1)) {
        glsl_error(u, pos, "an array size must be an int, not '%s'", glsl_type_name(u, size->type));
        return 0;
    }
    if (!glsl_is_const(size)) {
        glsl_error(u, pos, "an array size must be a constant expression");
        return 0;
    }
    if (!(size->value[0] >= 1.0f)) {
        glsl_error(u, pos, "an array size must be at least 1, not %.0f", (double)size->value[0]);
        return 0;
    }
    return size->value[0] > 1e9f ? 1000000000u : (uint32_t)size->value[0];
}

const struct glsl_type *glsl_sema_struct(struct glsl_unit *u, struct glsl_record *record, struct diag_pos pos) {
    struct glsl_type *type = glsl_alloc(u, sizeof *type);
    type->kind = GLSL_STRUCT;
    type->rows = type->cols = 1;
    type->record = record;
    type->name = record->atom ? record->atom->text : "<anonymous structure>";
    for (uint32_t i = 0; i < record->field_count; i++) {
        struct glsl_field *field = &record->fields[i];
        field->first_leaf = type->leaves;
        field->first_slot = type->slots;
        type->leaves += field->type->leaves;
        type->slots += field->type->slots;
        type->components += field->type->components;
        type->words += field->type->words;
        type->has_array |= field->type->has_array;
        type->has_sampler |= field->type->has_sampler;
        if (field->type->depth >= type->depth) {
            type->depth = (uint16_t)(field->type->depth + 1);
        }
        if (type->slots > GLSL_MAX_TYPE_SLOTS || type->depth > GLSL_MAX_TYPE_DEPTH) {
            glsl_error(u, pos, type->depth > GLSL_MAX_TYPE_DEPTH ? "structure '%.60s' nests too deeply"
                                                                 : "structure '%.60s' is too large", type->name);
            return &glsl_type_error;
        }
    }
    return type;
}

void glsl_sema_precision(struct glsl_unit *u, uint8_t precision, const struct glsl_type *type, struct diag_pos pos) {
    unsigned which;
    if (type == glsl_type_vector(GLSL_FLOAT, 1)) {
        which = GLSL_DEFAULT_FLOAT;
    } else if (type == glsl_type_vector(GLSL_INT, 1)) {
        which = GLSL_DEFAULT_INT;
    } else if (type->kind == GLSL_SAMPLER) {
        which = GLSL_DEFAULT_SAMPLER + type->sampler;
    } else {
        if (type->kind != GLSL_ERROR) {
            glsl_error(u, pos, "a default precision is possible for float, int and samplers, not for '%s'",
                       glsl_type_name(u, type));
        }
        return;
    }
    u->scope->precision[which] = precision;
}

void glsl_sema_invariant(struct glsl_unit *u, const struct glsl_token *name) {
    struct glsl_symbol *s = glsl_lookup(u, name->atom, name->pos);
    if (!s || s->kind != GLSL_SYM_VAR) {
        glsl_error(u, name->pos, "'%.60s': no such variable to make invariant", name->atom->text);
        return;
    }
    struct glsl_var *var = s->var;
    bool allowed = var->storage == GLSL_VARYING || (var->special && var->special != GLSL_FRONT_FACING &&
                                                    var->special != GLSL_LAST_FRAG_DATA);
    if (!allowed) {
        glsl_error(u, name->pos, "'%.60s' cannot be invariant", name->atom->text);
        glsl_hint(u, "only varyings and the built-in inputs and outputs of the stages can be");
        return;
    }
    if (var->read) {
        glsl_error(u, name->pos, "'%.60s' must be declared invariant before it is used", name->atom->text);
        return;
    }
    var->invariant = true;
    if (!u->is_fragment || (var->special && var->special < GLSL_FRAG_COORD)) {
        u->any_invariant = true;
    }
}

/* ---- variables ------------------------------------------------------------------------------------ */

static bool check_interface(struct glsl_unit *u, const struct glsl_qualifiers *q, const struct glsl_type *type,
                            const char *name, struct diag_pos pos, const struct glsl_expr *init) {
    static const char *const words[] = {[GLSL_ATTRIBUTE] = "attribute", [GLSL_UNIFORM] = "uniform",
                                        [GLSL_VARYING] = "varying"};
    const char *word = words[q->storage];
    if (u->scope->depth > 1) {
        glsl_error(u, q->pos, "'%s' is not possible inside a function", word);
        glsl_hint(u, "move the declaration of '%.60s' in front of all functions", name);
        return false;
    }
    if (init) {
        glsl_error(u, pos, "'%.60s': %ss cannot have an initialiser", name, word);
        return false;
    }
    const struct glsl_type *base = base_type(type);
    if (q->storage == GLSL_ATTRIBUTE) {
        if (u->is_fragment) {
            glsl_error(u, q->pos, "'attribute' is possible in vertex shaders only");
            return false;
        }
        if (base->kind != GLSL_FLOAT || type->kind == GLSL_ARRAY) {
            glsl_error(u, pos, "'%.60s': an attribute cannot be of type '%s'", name, glsl_type_name(u, type));
            glsl_hint(u, "attributes are float, vec2..4 or mat2..4, and no arrays");
            return false;
        }
    }
    if (q->storage == GLSL_VARYING && base->kind != GLSL_FLOAT) {
        glsl_error(u, pos, "'%.60s': a varying cannot be of type '%s'", name, glsl_type_name(u, type));
        glsl_hint(u, "varyings are float, vec2..4, mat2..4 or arrays of these");
        return false;
    }
    return true;
}

static bool check_const(struct glsl_unit *u, const struct glsl_type *type, const char *name, struct diag_pos pos,
                        const struct glsl_expr *init) {
    if (!init) {
        glsl_error(u, pos, "'%.60s': a const variable needs an initialiser", name);
        if (type->kind == GLSL_ARRAY) {
            glsl_hint(u, "arrays cannot be const in GLSL ES 1.00");
        }
        return false;
    }
    if (!glsl_check_assignable(u, type, init, name, init->pos)) {
        return false;
    }
    if (!glsl_is_const(init)) {
        glsl_error(u, init->pos, "'%.60s': the initialiser of a const variable must be a constant expression", name);
        return false;
    }
    return true;
}

static bool check_plain(struct glsl_unit *u, const struct glsl_type *type, const char *name, struct diag_pos pos,
                        const struct glsl_expr *init) {
    if (type->has_sampler) {
        glsl_error(u, pos, "'%.60s': samplers are possible as uniforms and function parameters only", name);
        return false;
    }
    if (init && !glsl_check_assignable(u, type, init, name, init->pos)) {
        return false;
    }
    if (init && u->scope->depth == 1 && !glsl_is_const(init)) {
        glsl_error(u, init->pos, "'%.60s': the initialiser of a global variable must be a constant expression", name);
        glsl_hint(u, "assign the value at the start of main()");
        return false;
    }
    return true;
}

static bool check_variable(struct glsl_unit *u, const struct glsl_qualifiers *q, const struct glsl_type *type,
                           const char *name, struct diag_pos pos, const struct glsl_expr *init) {
    if (type->kind == GLSL_ERROR || (init && glsl_is_error(init))) {
        return false;
    }
    if (type->kind == GLSL_VOID) {
        glsl_error(u, pos, "'%.60s': a variable cannot be of type void", name);
        return false;
    }
    if (q->invariant && q->storage != GLSL_VARYING) {
        glsl_error(u, q->pos, "'invariant' goes with varyings only");
        return false;
    }
    switch (q->storage) {
    case GLSL_ATTRIBUTE:
    case GLSL_UNIFORM:
    case GLSL_VARYING: return check_interface(u, q, type, name, pos, init);
    case GLSL_CONST: return check_const(u, type, name, pos, init);
    default: return check_plain(u, type, name, pos, init);
    }
}

/* EXT_shader_framebuffer_fetch lets a shader declare gl_LastFragData again to choose its precision. */
static bool redeclares_last_frag_data(struct glsl_unit *u, const struct glsl_qualifiers *q,
                                      const struct glsl_type *type, struct glsl_atom *atom, struct diag_pos pos) {
    if (strcmp(atom->text, "gl_LastFragData") != 0 || q->has_storage || q->invariant || u->scope->depth > 1) {
        return false;
    }
    struct glsl_symbol *s = glsl_lookup(u, atom, pos);
    if (!s || s->var->type != type) {
        return false;
    }
    s->var->precision = glsl_precision_for(u, type, q->precision, pos);
    return true;
}

struct glsl_var *glsl_sema_variable(struct glsl_unit *u, const struct glsl_qualifiers *q,
                                    const struct glsl_type *type, struct glsl_atom *atom, struct diag_pos pos,
                                    struct glsl_expr *init) {
    if (!init && redeclares_last_frag_data(u, q, type, atom, pos)) {
        return NULL;
    }
    bool good = check_variable(u, q, type, atom->text, pos, init);
    uint8_t precision = good ? glsl_precision_for(u, type, q->precision, pos) : GLSL_PRECISION_NONE;
    struct glsl_symbol *s = glsl_declare(u, GLSL_SYM_VAR, atom, pos);
    if (!s) {
        return NULL;
    }
    /* A name whose declaration is wrong is known all the same, so that its uses give no more messages. */
    struct glsl_var *var = glsl_var_create(u, atom, good ? type : &glsl_type_error, (enum glsl_storage)q->storage,
                                           pos);
    s->var = var;
    var->precision = precision;
    var->invariant = q->invariant;
    var->is_global = u->scope->depth == 1;
    var->init = good ? init : NULL;
    if (good && q->storage == GLSL_CONST) {
        var->value = init->value;
        return var;
    }
    if (q->invariant && !u->is_fragment) {
        u->any_invariant = true;
    }
    if (var->is_global && good) {
        *u->globals_tail = var;
        u->globals_tail = &var->next;
    }
    return var;
}
