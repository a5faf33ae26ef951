/* SPDX-License-Identifier: MIT */
/*
 * Semantic analysis: each function takes checked operands and returns a checked, typed and if possible
 * folded node, or an expression of kind GLSL_E_ERROR after a message. Operands of that kind are accepted
 * and give no second message. SPEC: GLSL ES 1.00.17 sections 4 to 6.
 */
#ifndef VM_GLSL_SEMA_H
#define VM_GLSL_SEMA_H

#include "vm/glsl/glsl.h"

static inline bool glsl_is_error(const struct glsl_expr *e) { return e->kind == GLSL_E_ERROR; }
static inline bool glsl_is_const(const struct glsl_expr *e) { return e->kind == GLSL_E_CONST; }

/* ast.c */
struct glsl_expr *glsl_expr_new(struct glsl_unit *u, enum glsl_expr_kind kind, const struct glsl_type *type,
                                struct diag_pos pos);
struct glsl_expr *glsl_expr_error(struct glsl_unit *u, struct diag_pos pos);
struct glsl_expr *glsl_expr_const(struct glsl_unit *u, const struct glsl_type *type, const float *value,
                                  struct diag_pos pos);   /* value is kept */
struct glsl_expr *glsl_expr_float(struct glsl_unit *u, const struct glsl_type *type, float value,
                                  struct diag_pos pos);
/* Depth, cost and effect from the operands; an error expression (with message) when too deep. */
struct glsl_expr *glsl_expr_finish(struct glsl_unit *u, struct glsl_expr *e);
struct glsl_stmt *glsl_stmt_new(struct glsl_unit *u, enum glsl_stmt_kind kind, struct diag_pos pos);
const char *glsl_type_name(struct glsl_unit *u, const struct glsl_type *type);

/* sema_expr.c */
struct glsl_expr *glsl_sema_name(struct glsl_unit *u, const struct glsl_token *name);
struct glsl_expr *glsl_sema_unary(struct glsl_unit *u, unsigned op, struct glsl_expr *a, struct diag_pos pos);
struct glsl_expr *glsl_sema_step(struct glsl_unit *u, unsigned op, struct glsl_expr *a, bool prefix,
                                 struct diag_pos pos);
struct glsl_expr *glsl_sema_binary(struct glsl_unit *u, unsigned op, struct glsl_expr *a, struct glsl_expr *b,
                                   struct diag_pos pos);
struct glsl_expr *glsl_sema_assign(struct glsl_unit *u, unsigned op, struct glsl_expr *a, struct glsl_expr *b,
                                   struct diag_pos pos);
struct glsl_expr *glsl_sema_cond(struct glsl_unit *u, struct glsl_expr *a, struct glsl_expr *b,
                                 struct glsl_expr *c, struct diag_pos pos);
struct glsl_expr *glsl_sema_comma(struct glsl_unit *u, struct glsl_expr *a, struct glsl_expr *b,
                                  struct diag_pos pos);
/* Message if the value cannot be assigned to 'type' or, with a name, initialise the variable of it. */
bool glsl_check_assignable(struct glsl_unit *u, const struct glsl_type *type, const struct glsl_expr *value,
                           const char *name, struct diag_pos pos);
void glsl_hint_conversion(struct glsl_unit *u, const struct glsl_type *want, const struct glsl_expr *have);

/* sema_access.c */
struct glsl_expr *glsl_sema_field(struct glsl_unit *u, struct glsl_expr *a, const struct glsl_token *name);
struct glsl_expr *glsl_sema_index(struct glsl_unit *u, struct glsl_expr *a, struct glsl_expr *index,
                                  struct diag_pos pos);
/* The expression is written (and read, if 'also_read'): message if it is no l-value. */
bool glsl_sema_lvalue(struct glsl_unit *u, struct glsl_expr *e, bool also_read, const char *what);
/* The variable at the root of an access chain, NULL if there is none. */
struct glsl_var *glsl_expr_root(struct glsl_expr *e);

/* sema_call.c */
struct glsl_expr *glsl_sema_call(struct glsl_unit *u, const struct glsl_token *name, struct glsl_expr **args,
                                 uint32_t count);
struct glsl_expr *glsl_sema_construct(struct glsl_unit *u, const struct glsl_type *type, struct glsl_expr **args,
                                      uint32_t count, struct diag_pos pos);

/* sema_decl.c */
struct glsl_qualifiers {
    uint8_t storage;         /* enum glsl_storage: TEMP if none was given */
    bool has_storage;
    bool invariant;
    uint8_t precision;
    struct diag_pos pos;
};
/* Declares a variable; the initialiser is already parsed (NULL if none). NULL after an error in the name. */
struct glsl_var *glsl_sema_variable(struct glsl_unit *u, const struct glsl_qualifiers *q,
                                    const struct glsl_type *type, struct glsl_atom *atom, struct diag_pos pos,
                                    struct glsl_expr *init);
void glsl_sema_invariant(struct glsl_unit *u, const struct glsl_token *name);
void glsl_sema_precision(struct glsl_unit *u, uint8_t precision, const struct glsl_type *type, struct diag_pos pos);
/* Declares a prototype or starts a definition (is_definition): the function to fill, NULL after errors
   that make it useless. */
struct glsl_function *glsl_sema_function(struct glsl_unit *u, struct glsl_function *head, bool is_definition);
/* Length of an array from its size expression, 0 after a message. */
uint32_t glsl_sema_array_size(struct glsl_unit *u, struct glsl_expr *size, struct diag_pos pos);
/* Completes a structure: computes its type. */
const struct glsl_type *glsl_sema_struct(struct glsl_unit *u, struct glsl_record *record, struct diag_pos pos);
/* Checks at the end of the shader: recursion, undefined functions, colour outputs. A missing main is the
   linker's business. */
void glsl_sema_finish(struct glsl_unit *u);

/* sema_stmt.c */
struct glsl_expr *glsl_sema_condition(struct glsl_unit *u, struct glsl_expr *e, const char *where);
struct glsl_stmt *glsl_sema_jump(struct glsl_unit *u, unsigned token, struct glsl_expr *value, struct diag_pos pos);
/* Sets stmt->bounded of a for loop. */
void glsl_sema_loop(struct glsl_unit *u, struct glsl_stmt *loop);

/* fold.c */
/* The value of a node whose operands are constant, or NULL where it cannot be known (NULL is always right). */
const float *glsl_fold(struct glsl_unit *u, const struct glsl_expr *e);

#endif
