/* SPDX-License-Identifier: MIT */
/*
 * Scopes. The innermost meaning of a name hangs on its atom, so a lookup is one load; a scope remembers
 * what it declared and takes it off again when it closes. Built-in variables become symbols of scope 0 on
 * first use. SPEC: GLSL ES 1.00.17 sections 3.7, 4.2, 4.5.3.
 */
#include <string.h>

#include "vm/glsl/builtin.h"
#include "vm/glsl/sema.h"

void glsl_scope_push(struct glsl_unit *u) {
    struct glsl_scope *scope = glsl_alloc(u, sizeof *scope);
    scope->outer = u->scope;
    if (u->scope) {
        scope->depth = u->scope->depth + 1;
        memcpy(scope->precision, u->scope->precision, sizeof scope->precision);
    } else {
        for (unsigned i = 0; i < GLSL_DEFAULT_COUNT; i++) {
            scope->precision[i] = GLSL_LOWP;
        }
        scope->precision[GLSL_DEFAULT_FLOAT] = u->is_fragment ? GLSL_PRECISION_NONE : GLSL_HIGHP;
        scope->precision[GLSL_DEFAULT_INT] = u->is_fragment ? GLSL_MEDIUMP : GLSL_HIGHP;
    }
    u->scope = scope;
}

void glsl_scope_pop(struct glsl_unit *u) {
    for (struct glsl_symbol *s = u->scope->symbols; s; s = s->sibling) {
        s->atom->symbol = s->shadowed;
    }
    u->scope = u->scope->outer;
}

static struct glsl_symbol *symbol_add(struct glsl_unit *u, enum glsl_symbol_kind kind, struct glsl_atom *atom,
                                      struct glsl_scope *scope, struct diag_pos pos) {
    struct glsl_symbol *s = glsl_alloc(u, sizeof *s);
    s->kind = (uint8_t)kind;
    s->scope = scope->depth;
    s->atom = atom;
    s->pos = pos;
    s->shadowed = atom->symbol;
    s->sibling = scope->symbols;
    scope->symbols = s;
    atom->symbol = s;
    return s;
}

/* Makes the symbol of a name that starts with gl_; NULL if there is no such built-in. */
static struct glsl_symbol *add_builtin(struct glsl_unit *u, struct glsl_atom *atom, struct diag_pos pos) {
    struct glsl_scope *outermost = u->scope;
    while (outermost->outer) {
        outermost = outermost->outer;
    }
    if (strcmp(atom->text, "gl_DepthRangeParameters") == 0) {
        struct glsl_symbol *range = glsl_lookup(u, glsl_intern(u, "gl_DepthRange"), pos);
        struct glsl_symbol *s = symbol_add(u, GLSL_SYM_TYPE, atom, outermost, pos);
        s->type = range->var->type;
        return s;
    }
    struct glsl_var *var = glsl_builtin_variable(u, atom, pos);
    if (!var) {
        return NULL;
    }
    struct glsl_symbol *s = symbol_add(u, GLSL_SYM_VAR, atom, outermost, pos);
    s->var = var;
    return s;
}

struct glsl_symbol *glsl_lookup(struct glsl_unit *u, struct glsl_atom *atom, struct diag_pos pos) {
    struct glsl_symbol *s = atom->symbol;
    if (!s && strncmp(atom->text, "gl_", 3) == 0) {
        s = add_builtin(u, atom, pos);
    }
    if (s && s->kind == GLSL_SYM_VAR && s->var->special && !glsl_builtin_usable(u, s->var, pos)) {
        return NULL;
    }
    return s;
}

bool glsl_check_name(struct glsl_unit *u, const struct glsl_atom *atom, struct diag_pos pos) {
    if (strncmp(atom->text, "gl_", 3) == 0) {
        glsl_error(u, pos, "'%.60s': names that start with 'gl_' are reserved", atom->text);
        return false;
    }
    if (strstr(atom->text, "__")) {
        glsl_error(u, pos, "'%.60s': names with two underscores in a row are reserved", atom->text);
        return false;
    }
    if (atom->length > GLSL_MAX_NAME) {
        glsl_error(u, pos, "'%.60s...': name is longer than %d characters", atom->text, GLSL_MAX_NAME);
        return false;
    }
    return true;
}

struct glsl_symbol *glsl_declare(struct glsl_unit *u, enum glsl_symbol_kind kind, struct glsl_atom *atom,
                                 struct diag_pos pos) {
    if (!glsl_check_name(u, atom, pos)) {
        return NULL;
    }
    struct glsl_symbol *old = atom->symbol;
    if (old && old->scope == u->scope->depth) {
        glsl_error(u, pos, "'%.60s': redeclared in the same scope", atom->text);
        glsl_hint(u, "the first declaration is at line %u", old->pos.line);
        return NULL;
    }
    return symbol_add(u, kind, atom, u->scope, pos);
}

uint8_t glsl_precision_for(struct glsl_unit *u, const struct glsl_type *type, uint8_t explicit_precision,
                           struct diag_pos pos) {
    while (type->kind == GLSL_ARRAY) {
        type = type->element;
    }
    unsigned which;
    switch (type->kind) {
    case GLSL_FLOAT: which = GLSL_DEFAULT_FLOAT; break;
    case GLSL_INT: which = GLSL_DEFAULT_INT; break;
    case GLSL_SAMPLER: which = GLSL_DEFAULT_SAMPLER + type->sampler; break;
    default:
        if (explicit_precision && type->kind != GLSL_ERROR) {
            glsl_error(u, pos, "'%s': this type has no precision", glsl_type_name(u, type));
            glsl_hint(u, "precision qualifiers apply to float, int and sampler types only");
        }
        return GLSL_PRECISION_NONE;
    }
    if (explicit_precision) {
        return explicit_precision;
    }
    if (!u->scope->precision[which]) {
        glsl_error(u, pos, "'%s': no precision given, and fragment shaders have no default for float",
                   glsl_type_name(u, type));
        glsl_hint(u, "write 'precision mediump float;' at the top of the shader");
        for (struct glsl_scope *s = u->scope; s; s = s->outer) {
            s->precision[which] = GLSL_MEDIUMP; /* one message is enough */
        }
        return GLSL_MEDIUMP;
    }
    return u->scope->precision[which];
}

struct glsl_var *glsl_var_create(struct glsl_unit *u, struct glsl_atom *atom, const struct glsl_type *type,
                                 enum glsl_storage storage, struct diag_pos pos) {
    struct glsl_var *var = glsl_alloc(u, sizeof *var);
    var->atom = atom;
    var->type = type;
    var->storage = (uint8_t)storage;
    var->index = u->var_count++;
    var->pos = pos;
    if (u->total_slots <= GLSL_MAX_TOTAL_SLOTS) {
        u->total_slots += type->slots;
        if (u->total_slots > GLSL_MAX_TOTAL_SLOTS) {
            glsl_error(u, pos, "the variables of this shader are too large together");
        }
    }
    return var;
}
