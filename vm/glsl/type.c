/* SPDX-License-Identifier: MIT */
/* Types: the basic table, questions about leaves and slots, comparison over two shaders. */
#include "vm/glsl/type.h"

#include <stdio.h>
#include <string.h>

#include "vm/glsl/lex.h"

#define VALUE(k, n, r, c) \
    { .kind = GLSL_##k, .rows = r, .cols = c, .leaves = 1, .slots = c, .components = (r) * (c), .words = (r) * (c), .name = n }
#define DOUBLES(n, r, c) \
    { .kind = GLSL_DOUBLE, .rows = r, .cols = c, .leaves = 1, .slots = (r) * (c), .components = (r) * (c), \
      .words = 2 * (r) * (c), .name = n }
#define SAMPLER_TYPE(n, s) \
    { .kind = GLSL_SAMPLER, .rows = 1, .cols = 1, .sampler = VLIW_SAMPLER_##s, .has_sampler = true, \
      .leaves = 1, .slots = 1, .components = 1, .words = 1, .name = n }

const struct glsl_type glsl_basic_types[] = {
    {.kind = GLSL_VOID, .name = "void"},
    VALUE(FLOAT, "float", 1, 1),
    VALUE(INT, "int", 1, 1),
    VALUE(BOOL, "bool", 1, 1),
    VALUE(FLOAT, "vec2", 2, 1),
    VALUE(FLOAT, "vec3", 3, 1),
    VALUE(FLOAT, "vec4", 4, 1),
    VALUE(INT, "ivec2", 2, 1),
    VALUE(INT, "ivec3", 3, 1),
    VALUE(INT, "ivec4", 4, 1),
    VALUE(BOOL, "bvec2", 2, 1),
    VALUE(BOOL, "bvec3", 3, 1),
    VALUE(BOOL, "bvec4", 4, 1),
    VALUE(FLOAT, "mat2", 2, 2),
    VALUE(FLOAT, "mat3", 3, 3),
    VALUE(FLOAT, "mat4", 4, 4),
    SAMPLER_TYPE("sampler2D", 2D),
    SAMPLER_TYPE("samplerCube", CUBE),
    SAMPLER_TYPE("sampler3D", 3D),
    SAMPLER_TYPE("sampler2DShadow", 2D_SHADOW),
    SAMPLER_TYPE("samplerExternalOES", EXTERNAL),
    DOUBLES("double", 1, 1),
    DOUBLES("dvec2", 2, 1),
    DOUBLES("dvec3", 3, 1),
    DOUBLES("dvec4", 4, 1),
    DOUBLES("dmat2", 2, 2),
    DOUBLES("dmat3", 3, 3),
    DOUBLES("dmat4", 4, 4),
};
_Static_assert(sizeof glsl_basic_types / sizeof glsl_basic_types[0] ==
                   GLSL_T_TYPE_LAST - GLSL_T_TYPE_FIRST + 1,
               "one basic type for each type token");

const struct glsl_type glsl_type_error = {.kind = GLSL_ERROR, .rows = 1, .cols = 1, .leaves = 1, .slots = 1,
                                          .components = 1, .words = 1, .name = "<error>"};

static const struct glsl_type *basic(unsigned token) {
    return &glsl_basic_types[token - GLSL_T_TYPE_FIRST];
}

const struct glsl_type *glsl_type_of_token(unsigned token_kind) {
    return token_kind >= GLSL_T_TYPE_FIRST && token_kind <= GLSL_T_TYPE_LAST ? basic(token_kind) : NULL;
}

const struct glsl_type *glsl_type_vector(enum glsl_kind kind, unsigned components) {
    if (kind == GLSL_FLOAT) {
        return components == 1 ? basic(GLSL_T_FLOAT_TYPE) : basic(GLSL_T_VEC2 + components - 2);
    }
    if (kind == GLSL_INT) {
        return components == 1 ? basic(GLSL_T_INT_TYPE) : basic(GLSL_T_IVEC2 + components - 2);
    }
    if (kind == GLSL_DOUBLE) {
        return components == 1 ? basic(GLSL_T_DOUBLE_TYPE) : basic(GLSL_T_DVEC2 + components - 2);
    }
    return components == 1 ? basic(GLSL_T_BOOL_TYPE) : basic(GLSL_T_BVEC2 + components - 2);
}

const struct glsl_type *glsl_type_matrix(enum glsl_kind kind, unsigned size) {
    return basic((kind == GLSL_DOUBLE ? GLSL_T_DMAT2 : GLSL_T_MAT2) + size - 2);
}

struct glsl_leaf glsl_type_leaf(const struct glsl_type *type, uint32_t leaf) {
    struct glsl_leaf out = {type, GLSL_PRECISION_NONE, 1};
    for (;;) {
        if (out.type->kind == GLSL_ARRAY) {
            out.elements *= out.type->length;
            out.type = out.type->element;
        } else if (out.type->kind == GLSL_STRUCT) {
            const struct glsl_record *record = out.type->record;
            uint32_t i = record->field_count - 1;
            while (record->fields[i].first_leaf > leaf) {
                i--;
            }
            leaf -= record->fields[i].first_leaf;
            out.precision = record->fields[i].precision;
            out.type = record->fields[i].type;
        } else {
            out.elements *= out.type->slots;
            return out;
        }
    }
}

int glsl_record_find(const struct glsl_record *record, const struct glsl_atom *atom) {
    for (uint32_t i = 0; i < record->field_count; i++) {
        if (record->fields[i].atom == atom) {
            return (int)i;
        }
    }
    return -1;
}

const struct glsl_type *glsl_type_of_slot(const struct glsl_type *type, uint32_t slot) {
    for (;;) {
        if (type->kind == GLSL_ARRAY) {
            type = type->element;
            slot %= type->slots;
        } else if (type->kind == GLSL_STRUCT) {
            uint32_t i = type->record->field_count - 1;
            while (type->record->fields[i].first_slot > slot) {
                i--;
            }
            slot -= type->record->fields[i].first_slot;
            type = type->record->fields[i].type;
        } else {
            return type;
        }
    }
}

unsigned glsl_type_slot_comps(const struct glsl_type *type, uint32_t slot) {
    return glsl_type_comps(glsl_type_of_slot(type, slot));
}

bool glsl_type_matches(const struct glsl_type *a, const struct glsl_type *b, bool *precision_differs) {
    if (a->kind != b->kind) {
        return false;
    }
    if (a->kind == GLSL_ARRAY) {
        return a->length == b->length && glsl_type_matches(a->element, b->element, precision_differs);
    }
    if (a->kind != GLSL_STRUCT) {
        return a == b;
    }
    const struct glsl_record *ra = a->record, *rb = b->record;
    if (ra->field_count != rb->field_count || strcmp(a->name, b->name) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < ra->field_count; i++) {
        const struct glsl_field *fa = &ra->fields[i], *fb = &rb->fields[i];
        if (strcmp(fa->atom->text, fb->atom->text) != 0 ||
            !glsl_type_matches(fa->type, fb->type, precision_differs)) {
            return false;
        }
        if (fa->precision != fb->precision) {
            *precision_differs = true;
        }
    }
    return true;
}

const char *glsl_type_text(const struct glsl_type *type, char *buffer, size_t size) {
    if (type->kind == GLSL_ARRAY) {
        char inner[80];
        snprintf(buffer, size, "%.60s[%u]", glsl_type_text(type->element, inner, sizeof inner), type->length);
        return buffer;
    }
    return type->name;
}

enum glslc_type glsl_type_enum(const struct glsl_type *type) {
    static const uint16_t samplers[] = {GLSLC_SAMPLER_2D, GLSLC_SAMPLER_CUBE, GLSLC_SAMPLER_3D,
                                        GLSLC_SAMPLER_2D_SHADOW, GLSLC_SAMPLER_EXTERNAL};
    static const uint16_t scalars[] = {GLSLC_FLOAT, GLSLC_INT, GLSLC_BOOL, GLSLC_DOUBLE};
    static const uint16_t vectors[] = {GLSLC_FLOAT_VEC2, GLSLC_INT_VEC2, GLSLC_BOOL_VEC2, GLSLC_DOUBLE_VEC2};
    if (type->kind == GLSL_SAMPLER) {
        return (enum glslc_type)samplers[type->sampler];
    }
    if (type->cols > 1) {
        return (enum glslc_type)((type->kind == GLSL_DOUBLE ? GLSLC_DOUBLE_MAT2 : GLSLC_FLOAT_MAT2) + type->cols - 2);
    }
    unsigned kind = type->kind - GLSL_FLOAT;
    return (enum glslc_type)(type->rows == 1 ? scalars[kind] : vectors[kind] + type->rows - 2u);
}
