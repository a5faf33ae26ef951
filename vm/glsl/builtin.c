/* SPDX-License-Identifier: MIT */
/* Lookup and overload resolution over the tables of builtin.def. */
#include "vm/glsl/builtin.h"

#include <string.h>

#include "vm/glsl/sema.h"
#include "vm/ir/ir.h"

const struct glsl_builtin glsl_builtins[] = {
#define BUILTIN(name, op, signature, stages, ext) {name, GLSL_B_##op, GLSL_IN_##stages, 0, false, ext, signature},
#define BUILTIN_TEX(name, signature, stages, ext, mode, projective)                                              \
    {name, (ext) == GLSLC_EXT_SHADOW_SAMPLERS ? GLSL_B_SHADOW : GLSL_B_TEX, GLSL_IN_##stages, IR_TEX_##mode,     \
     projective, ext, signature},
#include "vm/glsl/builtin.def"
};
const uint32_t glsl_builtin_count = sizeof glsl_builtins / sizeof glsl_builtins[0];

static const uint8_t op_costs[] = {
#define BUILTIN_OP(id, cost) cost,
#include "vm/glsl/builtin.def"
};

int glsl_builtin_find(struct glsl_atom *atom) {
    if (atom->builtin < 0) {
        uint32_t low = 0, high = glsl_builtin_count;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            const char *name = glsl_builtins[middle].name;
            int order = name[0] - atom->text[0];
            if ((order ? order : strcmp(name, atom->text)) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        bool found = low < glsl_builtin_count && strcmp(glsl_builtins[low].name, atom->text) == 0;
        atom->builtin = (int16_t)(found ? low + 1 : 0);
    }
    return atom->builtin - 1;
}

/* Stage and extension allow the row. */
static bool row_available(const struct glsl_unit *u, const struct glsl_builtin *row) {
    unsigned stage = u->is_fragment ? GLSL_IN_FRAGMENT : GLSL_IN_VERTEX;
    return (row->stages & stage) && (row->ext & ~u->ext_enabled) == 0;
}

/* Calls f-like: visits the rows of one name. */
static bool row_of_name(uint32_t i, const char *name) {
    return i < glsl_builtin_count && (glsl_builtins[i].name == name || strcmp(glsl_builtins[i].name, name) == 0);
}

/* Sizes that the letters of one row are bound to. */
struct binding {
    unsigned g, v, m;      /* of doubles, too: no row mixes them with floats of these letters */
};

static bool bind(unsigned *slot, unsigned size) {
    if (*slot == 0) {
        *slot = size;
    }
    return *slot == size;
}

/* Does a type fit a signature letter? */
static bool letter_matches(char letter, const struct glsl_type *t, struct binding *b) {
    bool vector = t->cols == 1 && t->rows > 1;
    switch (letter) {
    case 'f': return t->kind == GLSL_FLOAT && t->rows == 1;
    case 'b': return t->kind == GLSL_BOOL && t->rows == 1;
    case 'g': return t->kind == GLSL_FLOAT && t->cols == 1 && bind(&b->g, t->rows);
    case 'v': return t->kind == GLSL_FLOAT && vector && bind(&b->v, t->rows);
    case 'i': return t->kind == GLSL_INT && vector && bind(&b->v, t->rows);
    case 'B': return t->kind == GLSL_BOOL && vector && bind(&b->v, t->rows);
    case 'm': return t->kind == GLSL_FLOAT && t->cols > 1 && bind(&b->m, t->cols);
    case 'd': return t->kind == GLSL_DOUBLE && t->rows == 1;
    case 'D': return t->kind == GLSL_DOUBLE && t->cols == 1 && bind(&b->g, t->rows);
    case 'V': return t->kind == GLSL_DOUBLE && vector && bind(&b->v, t->rows);
    case 'E': return t->kind == GLSL_DOUBLE && t->cols == 1 && t->rows == 3;
    case 'M': return t->kind == GLSL_DOUBLE && t->cols > 1 && bind(&b->m, t->cols);
    case '2': case '3': case '4': return t->kind == GLSL_FLOAT && t->cols == 1 && t->rows == letter - '0';
    case 'S': return t->kind == GLSL_SAMPLER && t->sampler == VLIW_SAMPLER_2D;
    case 'C': return t->kind == GLSL_SAMPLER && t->sampler == VLIW_SAMPLER_CUBE;
    case 'T': return t->kind == GLSL_SAMPLER && t->sampler == VLIW_SAMPLER_3D;
    case 'H': return t->kind == GLSL_SAMPLER && t->sampler == VLIW_SAMPLER_2D_SHADOW;
    case 'X': return t->kind == GLSL_SAMPLER && t->sampler == VLIW_SAMPLER_EXTERNAL;
    default: return false;
    }
}

static const struct glsl_type *result_type(char letter, const struct binding *b) {
    switch (letter) {
    case 'g': return glsl_type_vector(GLSL_FLOAT, b->g);
    case 'B': return glsl_type_vector(GLSL_BOOL, b->v);
    case 'b': return glsl_type_vector(GLSL_BOOL, 1);
    case 'm': return glsl_type_matrix(GLSL_FLOAT, b->m);
    case 'd': return glsl_type_vector(GLSL_DOUBLE, 1);
    case 'D': return glsl_type_vector(GLSL_DOUBLE, b->g);
    case 'E': return glsl_type_vector(GLSL_DOUBLE, 3);
    case 'M': return glsl_type_matrix(GLSL_DOUBLE, b->m);
    case '3': return glsl_type_vector(GLSL_FLOAT, 3);
    case '4': return glsl_type_vector(GLSL_FLOAT, 4);
    default: return glsl_type_vector(GLSL_FLOAT, 1);
    }
}

const struct glsl_builtin *glsl_builtin_match(const struct glsl_unit *u, int first,
                                              const struct glsl_type *const *args, uint32_t count,
                                              const struct glsl_type **result,
                                              const struct glsl_builtin **near_miss) {
    *near_miss = NULL;
    if (first < 0) {
        return NULL;
    }
    const char *name = glsl_builtins[first].name;
    for (uint32_t i = (uint32_t)first; row_of_name(i, name); i++) {
        const struct glsl_builtin *row = &glsl_builtins[i];
        const char *letters = row->signature + 2;
        struct binding b = {0, 0, 0};
        uint32_t k = 0;
        while (k < count && letters[k] && letter_matches(letters[k], args[k], &b)) {
            k++;
        }
        if (k != count || letters[k]) {
            continue;
        }
        if (row_available(u, row)) {
            *result = result_type(row->signature[0], &b);
            return row;
        }
        *near_miss = row;
    }
    return NULL;
}

unsigned glsl_builtin_cost(const struct glsl_builtin *builtin) { return op_costs[builtin->op]; }

bool glsl_builtin_foldable(const struct glsl_builtin *builtin) {
    return builtin->op < GLSL_B_DFDX;
}

/* ---- variables ------------------------------------------------------------------------------------ */

struct variable_row {
    const char *name;
    uint8_t special, token, precision, stage;
    uint32_t ext;
};

static const struct variable_row variable_rows[] = {
#define BUILTIN_VAR(name, special, type, precision, stage, ext)                                                  \
    {name, GLSL_##special, GLSL_T_##type, GLSL_##precision, GLSL_IN_##stage, ext},
#include "vm/glsl/builtin.def"
};

bool glsl_builtin_usable(struct glsl_unit *u, const struct glsl_var *var, struct diag_pos pos) {
    for (size_t i = 0; i < sizeof variable_rows / sizeof variable_rows[0]; i++) {
        const struct variable_row *row = &variable_rows[i];
        if (row->special == var->special && row->ext && !glsl_extension(u, row->ext, pos)) {
            glsl_error(u, pos, "'%s' needs extension %s", row->name, glsl_extension_name(row->ext));
            glsl_hint(u, "write '#extension %s : enable' before any code", glsl_extension_name(row->ext));
            return false;
        }
    }
    return true;
}

static struct glsl_var *make_special(struct glsl_unit *u, const struct variable_row *row,
                                     struct glsl_atom *atom, struct diag_pos pos) {
    const struct glsl_type *type = glsl_type_of_token(row->token);
    if (row->special == GLSL_FRAG_DATA) {
        bool many = (u->ext_enabled & (GLSLC_EXT_DRAW_BUFFERS | GLSLC_EXT_FRAMEBUFFER_FETCH)) != 0;
        type = glsl_array_of(u, type, many ? u->options.max_draw_buffers : 1, pos);
    } else if (row->special == GLSL_LAST_FRAG_DATA) {
        type = glsl_array_of(u, type, u->options.max_draw_buffers, pos);
    }
    struct glsl_var *var = glsl_var_create(u, atom, type,
                                           GLSL_SPECIAL, pos);
    var->special = row->special;
    var->precision = row->precision;
    var->is_global = true;
    u->special[row->special] = var;
    return var;
}

static struct glsl_var *make_constant(struct glsl_unit *u, struct glsl_atom *atom, uint32_t value,
                                      struct diag_pos pos) {
    float *stored = glsl_alloc(u, sizeof *stored);
    *stored = (float)value;
    struct glsl_var *var = glsl_var_create(u, atom,
                                           glsl_type_vector(GLSL_INT, 1), GLSL_CONST, pos);
    var->precision = GLSL_MEDIUMP;
    var->value = stored;
    var->is_global = true;
    return var;
}

/* uniform gl_DepthRangeParameters gl_DepthRange { near, far, diff } */
static struct glsl_var *make_depth_range(struct glsl_unit *u, struct glsl_atom *atom, struct diag_pos pos) {
    static const char *const names[3] = {"near", "far", "diff"};
    struct glsl_record *record = glsl_alloc(u, sizeof *record);
    record->atom = glsl_intern(u, "gl_DepthRangeParameters");
    record->fields = glsl_alloc_array(u, 3, sizeof *record->fields);
    record->field_count = 3;
    for (unsigned i = 0; i < 3; i++) {
        record->fields[i].atom = glsl_intern(u, names[i]);
        record->fields[i].type = glsl_type_vector(GLSL_FLOAT, 1);
        record->fields[i].precision = GLSL_HIGHP;
        record->fields[i].pos = pos;
    }
    struct glsl_var *var = glsl_var_create(u, atom,
                                           glsl_sema_struct(u, record, pos), GLSL_UNIFORM, pos);
    var->is_builtin = true;
    var->is_global = true;
    u->depth_range = var;
    *u->globals_tail = var;
    u->globals_tail = &var->next;
    return var;
}

struct glsl_var *glsl_builtin_variable(struct glsl_unit *u, struct glsl_atom *atom, struct diag_pos pos) {
    const struct glslc_options *options = &u->options;
    const struct { const char *name; uint32_t value; } constants[] = {
#define BUILTIN_INT(name, value) {name, value},
#include "vm/glsl/builtin.def"
    };
    unsigned stage = u->is_fragment ? GLSL_IN_FRAGMENT : GLSL_IN_VERTEX;
    for (size_t i = 0; i < sizeof variable_rows / sizeof variable_rows[0]; i++) {
        if ((variable_rows[i].stage & stage) && strcmp(variable_rows[i].name, atom->text) == 0) {
            return make_special(u, &variable_rows[i], atom, pos);
        }
    }
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {
        if (strcmp(constants[i].name, atom->text) == 0) {
            return make_constant(u, atom, constants[i].value, pos);
        }
    }
    return strcmp(atom->text, "gl_DepthRange") == 0 ? make_depth_range(u, atom, pos) : NULL;
}
