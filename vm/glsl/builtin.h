/* SPDX-License-Identifier: MIT */
/*
 * Built-in functions and variables: rows of builtin.def and the questions about them. Nothing is entered
 * into symbol tables ahead of use; a compile that calls three built-ins looks up three names.
 */
#ifndef VM_GLSL_BUILTIN_H
#define VM_GLSL_BUILTIN_H

#include "vm/glsl/glsl.h"

enum glsl_builtin_op {
#define BUILTIN_OP(id, cost) GLSL_B_##id,
#include "vm/glsl/builtin.def"
    GLSL_B_COUNT
};

/* Stages of a row. */
enum { GLSL_IN_VERTEX = 1, GLSL_IN_FRAGMENT = 2, GLSL_IN_BOTH = 3 };

struct glsl_builtin {
    const char *name;
    uint8_t op;               /* enum glsl_builtin_op */
    uint8_t stages;
    uint8_t tex_mode;         /* enum ir_tex_mode as a number, for texture functions */
    bool projective;
    uint32_t ext;             /* GLSLC_EXT_* that must be enabled, 0 = core */
    const char *signature;    /* see builtin.def */
};

extern const struct glsl_builtin glsl_builtins[];
extern const uint32_t glsl_builtin_count;

/* First row of a name, -1 if it is not a built-in function. */
int glsl_builtin_find(struct glsl_atom *atom);
/* The row that takes these argument types and its result type; NULL if none does. If one would but for
   its stage or extension, *near_miss is that row. */
const struct glsl_builtin *glsl_builtin_match(const struct glsl_unit *u, int first,
                                              const struct glsl_type *const *args, uint32_t count,
                                              const struct glsl_type **result,
                                              const struct glsl_builtin **near_miss);
/* Rough number of VM operations. */
unsigned glsl_builtin_cost(const struct glsl_builtin *builtin);
/* True if a call of it with constant arguments is a constant expression. */
bool glsl_builtin_foldable(const struct glsl_builtin *builtin);

/* The built-in variable or constant of a name that starts with gl_, NULL if there is none in this stage. */
struct glsl_var *glsl_builtin_variable(struct glsl_unit *u, struct glsl_atom *atom, struct diag_pos pos);
/* Special variables of extensions: true if usable here; message if not. */
bool glsl_builtin_usable(struct glsl_unit *u, const struct glsl_var *var, struct diag_pos pos);

#endif
