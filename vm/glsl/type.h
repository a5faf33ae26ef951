/* SPDX-License-Identifier: MIT */
/*
 * Types of GLSL ES 1.00. Basic types are constants; arrays are interned in the unit and every structure
 * declaration makes one type, so that two types are the same type exactly when the pointers are equal.
 *
 * The storage of a value is described twice. *Slots* are vectors of 1..4 components (a matrix column
 * each; of doubles every component is a slot, of two words), in declaration order: the form of values. *Leaves* are the scalars, vectors, matrices and
 * samplers at the ends of the structure tree, arrays not counted: the form of variables, where each
 * leaf is an array over all array elements (and the slots of a matrix or of doubles) on the way to it.
 */
#ifndef VM_GLSL_TYPE_H
#define VM_GLSL_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/base/diag.h"
#include "vm/glsl/atom.h"
#include "vm/include/glslc.h"

enum glsl_kind {
    GLSL_ERROR,    /* type of expressions that have had their message */
    GLSL_VOID, GLSL_FLOAT, GLSL_INT, GLSL_BOOL, GLSL_DOUBLE, GLSL_SAMPLER, GLSL_STRUCT, GLSL_ARRAY
};

enum glsl_precision { GLSL_PRECISION_NONE, GLSL_LOWP, GLSL_MEDIUMP, GLSL_HIGHP };

struct glsl_record;

struct glsl_type {
    uint8_t kind;               /* enum glsl_kind */
    uint8_t rows, cols;         /* numeric: components of a column, columns (1 for scalars and vectors) */
    uint8_t sampler;            /* SAMPLER: enum vliw_sampler_type */
    bool has_array, has_sampler;
    uint16_t depth;             /* nesting of structures and arrays */
    uint32_t leaves, slots, components;
    uint32_t words;             /* floats of a constant of this type: two for a double */
    uint32_t length;            /* ARRAY */
    const struct glsl_type *element;
    const struct glsl_record *record;
    const char *name;           /* basic types and structures */
};

struct glsl_field {
    struct glsl_atom *atom;
    const struct glsl_type *type;
    uint8_t precision;          /* enum glsl_precision, after defaults */
    uint32_t first_leaf, first_slot;
    struct diag_pos pos;
};

struct glsl_record {
    struct glsl_atom *atom;     /* NULL: anonymous */
    struct glsl_field *fields;
    uint32_t field_count;
};

/* A leaf of a type, found by glsl_type_leaf. */
struct glsl_leaf {
    const struct glsl_type *type;  /* scalar, vector, matrix or sampler */
    uint8_t precision;             /* of the innermost structure member; NONE if there is none */
    uint32_t elements;             /* array elements on the way times slots */
};

enum { GLSL_MAX_TYPE_SLOTS = 1 << 16, GLSL_MAX_TYPE_DEPTH = 64 };

/* All basic types, in the order of the tokens from GLSL_T_VOID on. */
extern const struct glsl_type glsl_basic_types[];
extern const struct glsl_type glsl_type_error;

const struct glsl_type *glsl_type_of_token(unsigned token_kind);
/* FLOAT, INT, BOOL or DOUBLE of 1..4 components. */
const struct glsl_type *glsl_type_vector(enum glsl_kind kind, unsigned components);
const struct glsl_type *glsl_type_matrix(enum glsl_kind kind, unsigned size);   /* FLOAT or DOUBLE, 2..4 */

static inline bool glsl_type_is_numeric(const struct glsl_type *t) {  /* float, int or double */
    return t->kind == GLSL_FLOAT || t->kind == GLSL_INT || t->kind == GLSL_DOUBLE;
}
static inline bool glsl_type_is_value(const struct glsl_type *t) {    /* scalar, vector or matrix */
    return t->kind >= GLSL_FLOAT && t->kind <= GLSL_DOUBLE;
}
static inline bool glsl_type_is_scalar(const struct glsl_type *t) {
    return glsl_type_is_value(t) && t->rows == 1 && t->cols == 1;
}
static inline bool glsl_type_is_vector(const struct glsl_type *t) {
    return glsl_type_is_value(t) && t->rows > 1 && t->cols == 1;
}
static inline bool glsl_type_is_matrix(const struct glsl_type *t) {
    return (t->kind == GLSL_FLOAT || t->kind == GLSL_DOUBLE) && t->cols > 1;
}

/* The leaf number 'leaf' (< type->leaves) of a type. */
struct glsl_leaf glsl_type_leaf(const struct glsl_type *type, uint32_t leaf);
/* Index of a field by name, -1 if there is none. */
int glsl_record_find(const struct glsl_record *record, const struct glsl_atom *atom);
/* Scalar, vector or matrix that slot 'slot' of a type belongs to. */
const struct glsl_type *glsl_type_of_slot(const struct glsl_type *type, uint32_t slot);
/* Components of the slots of a scalar, vector or matrix: words, where they are doubles. */
static inline unsigned glsl_type_comps(const struct glsl_type *t) { return t->kind == GLSL_DOUBLE ? 2 : t->rows; }
/* Components of slot 'slot' of a type. */
unsigned glsl_type_slot_comps(const struct glsl_type *type, uint32_t slot);
/* Same type in two shaders: names and members of structures, array sizes; *precision_differs is set
   when only a member's precision does. */
bool glsl_type_matches(const struct glsl_type *a, const struct glsl_type *b, bool *precision_differs);
/* Text for messages, in 'buffer' or static. */
const char *glsl_type_text(const struct glsl_type *type, char *buffer, size_t size);
/* GL's enum of a leaf type. */
enum glslc_type glsl_type_enum(const struct glsl_type *type);

#endif
