/* SPDX-License-Identifier: MIT */
/*
 * From the checked tree to IR. Values are lists of slots (see type.h), one ir_src each. The functions of
 * emit_ops.c, emit_math.c and emit_builtin.c know nothing of variables: fold.c runs them over constants,
 * so a folded expression has the very bits that the VM would compute.
 */
#ifndef VM_GLSL_EMIT_H
#define VM_GLSL_EMIT_H

#include <setjmp.h>

#include "vm/glsl/builtin.h"
#include "vm/glsl/layout.h"
#include "vm/ir/ir.h"

enum {
    GLSL_MAX_EMIT_DEPTH = 3000,     /* levels of statements, expressions and calls after inlining */
    GLSL_MAX_EMIT_INSTS = 150000    /* IR instructions of one stage before optimisation */
};

/* ---- expansions (no variables) ---- */

/* -a, !a, +a */
void glsl_emit_unary(struct ir_builder *b, unsigned op, const struct glsl_type *type, const struct ir_src *a,
                     struct ir_src *out);
/* a op c for every binary operator, && and || evaluated without short cut. */
void glsl_emit_binary(struct ir_builder *b, unsigned op, const struct glsl_type *type_a, const struct ir_src *a,
                      const struct glsl_type *type_c, const struct ir_src *c, struct ir_src *out);
/* Constructor of a scalar, vector, matrix or structure. */
void glsl_emit_construct(struct ir_builder *b, const struct glsl_type *type, uint32_t count,
                         const struct glsl_type *const *types, const struct ir_src *const *args,
                         struct ir_src *out);
/* Every component of a bool vector; some component. */
struct ir_src glsl_emit_all(struct ir_builder *b, struct ir_src a);
struct ir_src glsl_emit_any(struct ir_builder *b, struct ir_src a);
/* a.comp[index], index not constant: a chain of selections; out of range gives component 0. */
struct ir_src glsl_emit_pick(struct ir_builder *b, struct ir_src a, struct ir_src index);
/* Built-in functions except textures. args[i] are slots of types[i]. */
void glsl_emit_builtin(struct ir_builder *b, const struct glsl_builtin *builtin,
                       const struct glsl_type *const *types, const struct ir_src *const *args,
                       struct ir_src *out);
struct ir_src glsl_emit_tan(struct ir_builder *b, struct ir_src x);
struct ir_src glsl_emit_asin(struct ir_builder *b, struct ir_src x);
struct ir_src glsl_emit_acos(struct ir_builder *b, struct ir_src x);
struct ir_src glsl_emit_atan(struct ir_builder *b, struct ir_src x);
struct ir_src glsl_emit_atan2(struct ir_builder *b, struct ir_src y, struct ir_src x);
struct ir_src glsl_emit_pow(struct ir_builder *b, struct ir_src x, struct ir_src y);


/* emit_double.c: the same for doubles. A dvec or dmat is a slot for each component. */
void glsl_emit_double_binary(struct ir_builder *b, unsigned op, const struct glsl_type *type_a, const struct ir_src *a,
                             const struct glsl_type *type_c, const struct ir_src *c, struct ir_src *out);
/* False if neither the type nor an argument is of doubles: nothing is done then. */
bool glsl_emit_double_construct(struct ir_builder *b, const struct glsl_type *type, uint32_t count,
                                const struct glsl_type *const *types, const struct ir_src *const *args,
                                struct ir_src *out);
void glsl_emit_double_builtin(struct ir_builder *b, const struct glsl_builtin *builtin,
                              const struct glsl_type *const *types, const struct ir_src *const *args,
                              struct ir_src *out);
/* a + 1 or a - 1 */
struct ir_src glsl_emit_double_step(struct ir_builder *b, struct ir_src a, bool up);
/* 'out' may not be 'a'. */
void glsl_emit_double_swizzle(const struct ir_src *a, unsigned count, const uint8_t *swz, struct ir_src *out);

/* ---- variables and code ---- */

enum glsl_binding_kind {
    GLSL_BOUND_NOT,
    GLSL_BOUND_VARS,      /* IR variables, one a leaf */
    GLSL_BOUND_VALUE,     /* known slots, never written */
    GLSL_BOUND_HOMES,     /* uniform registers and samplers, by leaf */
    GLSL_BOUND_PLACE      /* a parameter that stands for the argument itself */
};

struct glsl_place;

struct glsl_binding {
    uint8_t kind;                         /* enum glsl_binding_kind */
    const struct glsl_type *type;
    union {
        const uint32_t *vars;
        struct ir_src *slots;
        const struct glsl_home *homes;
        const struct glsl_place *place;
    };
    const struct glsl_place *samplers;    /* VARS of a parameter: the argument, where its samplers are */
};

/* One [index] on the way to a place: adds (constant + dynamic) * elements of the leaf in 'element'. */
struct glsl_step {
    const struct glsl_step *outer;
    const struct glsl_type *element;
    uint32_t first_leaf;                  /* of the element, in the variable */
    uint32_t constant;
    bool has_dynamic;
    struct ir_src dynamic;
};

/* What an access chain denotes: part of a binding, or of a vector in it. */
struct glsl_place {
    const struct glsl_binding *binding;   /* VARS or HOMES */
    const struct glsl_type *type;         /* before the swizzle */
    uint32_t leaf;                        /* first leaf */
    const struct glsl_step *steps;
    uint8_t swizzled;                     /* components of the swizzle, 0 = whole */
    uint8_t swz[4];
    bool has_pick;                        /* a single component, not constant */
    struct ir_src pick;
};

struct glsl_loop {
    struct glsl_loop *outer;
    struct ir_block *break_to, *continue_to;
};

struct glsl_emit {
    const struct glsl_unit *u;
    const struct glsl_stage_layout *layout;
    struct arena scratch;                 /* glsl_emit_alloc; what an expression took goes with its statement */
    struct ir_fn *fn;
    struct ir_builder b;
    struct glsl_binding *bindings;        /* by variable index */
    struct glsl_loop *loops;
    struct ir_block *return_to;           /* end of the function being inlined */
    const struct glsl_type *return_type;
    const uint32_t *return_vars;          /* one a leaf */
    const struct glsl_stmt *tail;         /* the only 'return', at the very end: it needs no jump */
    struct ir_src *tail_value;            /* its value */
    uint32_t killed_var;                  /* 1 after a discard */
    bool has_killed;
    uint32_t depth;
    const char *failure;                  /* a limit was exceeded: message */
    uint32_t failure_line;
    jmp_buf give_up;
};

void *glsl_emit_alloc(struct glsl_emit *e, size_t size);
struct ir_src *glsl_emit_slots(struct glsl_emit *e, uint32_t count);
/* Unwinds with a message. */
void glsl_emit_fail(struct glsl_emit *e, const char *message);

/* emit_place.c */
/* False if the expression has no place (its root is a value). Evaluates indices, once. */
bool glsl_emit_place(struct glsl_emit *e, const struct glsl_expr *expr, struct glsl_place *place);
struct ir_src *glsl_emit_load(struct glsl_emit *e, const struct glsl_place *place);
void glsl_emit_store(struct glsl_emit *e, const struct glsl_place *place, const struct ir_src *value);
/* Fresh IR variables for a type, one a leaf. */
const uint32_t *glsl_emit_vars(struct glsl_emit *e, const char *name, const struct glsl_type *type);
/* The whole of such variables. */
struct glsl_place glsl_emit_whole(const struct glsl_binding *binding);
void glsl_emit_store_all(struct glsl_emit *e, const struct glsl_type *type, const uint32_t *vars,
                         const struct ir_src *value);
void glsl_emit_store_zero(struct glsl_emit *e, const struct glsl_type *type, const uint32_t *vars);
/* Sampler number and index of a sampler place. */
uint32_t glsl_emit_sampler(struct glsl_emit *e, const struct glsl_place *place, uint32_t *elements,
                           struct ir_src *index, bool *has_index);

/* emit_expr.c */
struct ir_src *glsl_emit_expr(struct glsl_emit *e, const struct glsl_expr *expr);
struct ir_src glsl_emit_scalar(struct glsl_emit *e, const struct glsl_expr *expr);
struct ir_src *glsl_emit_constant(struct glsl_emit *e, const struct glsl_type *type, const float *value);

/* emit_call.c */
struct ir_src *glsl_emit_call(struct glsl_emit *e, const struct glsl_expr *expr);
struct ir_src *glsl_emit_texture(struct glsl_emit *e, const struct glsl_expr *expr);

/* emit_stmt.c */
void glsl_emit_statements(struct glsl_emit *e, const struct glsl_stmt *list);
/* The 'return' that ends a function if it is the function's only one, else NULL; *plain: the function has
   none but this, so nothing jumps to its end. */
const struct glsl_stmt *glsl_tail_return(const struct glsl_function *f, bool *plain);

/* emit_stage.c */
/* The IR of a stage, owned by 'arena'. NULL with a message (static text and source line) when a limit is
   exceeded, or with message NULL when memory is out. */
struct ir_fn *glsl_emit_stage(const struct glsl_unit *u, const struct glsl_stage_layout *layout,
                              struct arena *arena, const char *name, const char **message, uint32_t *line);

#endif
