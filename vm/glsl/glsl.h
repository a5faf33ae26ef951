/* SPDX-License-Identifier: MIT */
/*
 * Internal: the compile unit, one shader on its way from text to a checked tree. Everything lives in the
 * unit's arena. Memory running out unwinds by longjmp to glsl_compile_unit, which owns nothing else, so
 * that no allocation in parser and sema needs a check.
 */
#ifndef VM_GLSL_GLSL_H
#define VM_GLSL_GLSL_H

#include <setjmp.h>

#include "vm/base/arena.h"
#include "vm/base/diag.h"
#include "vm/glsl/ast.h"
#include "vm/glsl/lex.h"
#include "vm/glsl/type.h"
#include "vm/include/glslc.h"

enum {
    GLSL_MAX_NESTING = 500,       /* parentheses, blocks, calls, ... while parsing */
    GLSL_MAX_EXPR_DEPTH = 500,    /* operators below each other */
    GLSL_MAX_CALL_DEPTH = 200,    /* functions that call each other in a chain */
    GLSL_MAX_NAME = 1024,         /* characters of an identifier */
    GLSL_MAX_PARAMS = 256,
    GLSL_MAX_ARGS = 1024,
    GLSL_MAX_TOTAL_SLOTS = 1 << 18 /* of all variables of a shader */
};

enum { GLSL_ARRAY_CHAINS = 64, GLSL_MAX_FIELDS = 4096 };
struct glsl_array_entry {
    struct glsl_type type;
    struct glsl_array_entry *next;
};

enum glsl_symbol_kind { GLSL_SYM_VAR, GLSL_SYM_TYPE, GLSL_SYM_FUNCTION };

struct glsl_symbol {
    uint8_t kind;                 /* enum glsl_symbol_kind */
    uint32_t scope;               /* depth of the scope that declares it */
    struct glsl_atom *atom;
    struct glsl_symbol *shadowed; /* what the name meant outside */
    struct glsl_symbol *sibling;  /* next of the same scope */
    struct diag_pos pos;
    struct glsl_var *var;
    const struct glsl_type *type;
    struct glsl_function *functions;
};

/* Precision defaults of a scope, by what they apply to. */
enum { GLSL_DEFAULT_FLOAT, GLSL_DEFAULT_INT, GLSL_DEFAULT_SAMPLER, GLSL_DEFAULT_COUNT = GLSL_DEFAULT_SAMPLER + 5 };

struct glsl_scope {
    struct glsl_scope *outer;
    struct glsl_symbol *symbols;
    uint32_t depth;               /* 0 built-in, 1 global */
    uint8_t precision[GLSL_DEFAULT_COUNT];
};

struct glsl_unit {
    struct arena *arena;
    struct diag_list *diags;
    struct glsl_atoms atoms;
    struct glslc_options options;
    bool is_fragment;
    jmp_buf out_of_memory;
    struct arena scratch;         /* of fold.c, reset for each expression */
    bool scratch_ready;

    /* tokens */
    struct glsl_token_list tokens;
    uint32_t at;                  /* current token */
    uint32_t next_change;         /* into tokens.changes */
    uint32_t ext_enabled, ext_warn;
    uint32_t nesting;
    bool panic;                   /* a syntax error was reported: no more until glsl_recover */

    /* scopes */
    struct glsl_scope *scope;
    struct glsl_var *special[GLSL_SPECIAL_COUNT];
    struct glsl_var *depth_range;

    /* context of the statement being parsed */
    struct glsl_function *function;
    uint32_t loops;               /* enclosing loops */

    /* results */
    struct glsl_var *globals, **globals_tail;
    struct glsl_function *functions, **functions_tail, *main;
    uint32_t var_count, function_count;
    uint32_t total_slots;
    bool any_invariant;           /* an output is invariant: compute everything without algebra */
    struct glsl_array_entry *arrays[GLSL_ARRAY_CHAINS]; /* interned array types */
    struct diag_pos color_pos, data_pos; /* first writes of gl_FragColor and gl_FragData */
};

/* Allocates zeroed memory or unwinds. */
static inline void *glsl_alloc(struct glsl_unit *u, size_t size) {
    void *memory = arena_alloc(u->arena, size);
    if (!memory) {
        longjmp(u->out_of_memory, 1);
    }
    return memory;
}
void *glsl_alloc_array(struct glsl_unit *u, size_t count, size_t size);

/* The atom of a NUL-terminated text. */
struct glsl_atom *glsl_intern(struct glsl_unit *u, const char *text);

/* Messages. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void glsl_error(struct glsl_unit *u, struct diag_pos pos, const char *format, ...);
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void glsl_warning(struct glsl_unit *u, struct diag_pos pos, const char *format, ...);
#define glsl_hint(u, ...) diag_hint((u)->diags, __VA_ARGS__)

/* Interned array type; an error type (with message) when too large or not allowed. */
const struct glsl_type *glsl_array_of(struct glsl_unit *u, const struct glsl_type *element, uint32_t length,
                                      struct diag_pos pos);

/* A feature of an extension is used at 'pos': true if enabled there, with a warning if it asks for one.
   Gives no message when it is not enabled. */
bool glsl_extension(struct glsl_unit *u, uint32_t ext, struct diag_pos pos);
const char *glsl_extension_name(uint32_t ext);

/*
 * Compiles text to a checked tree. Everything in the unit belongs to 'arena', which must outlive it;
 * messages go to diags (diags->errors says whether it is usable). NULL when memory is out.
 */
struct glsl_unit *glsl_compile_unit(struct arena *arena, struct diag_list *diags, enum vliw_stage stage,
                                    const char *source, uint32_t length, const uint32_t *boundaries,
                                    uint32_t boundary_count, const struct glslc_options *options);

/* ---- scope.c ---- */
void glsl_scope_push(struct glsl_unit *u);
void glsl_scope_pop(struct glsl_unit *u);
/* What a name means here, NULL if nothing; built-in variables are made on first use. */
struct glsl_symbol *glsl_lookup(struct glsl_unit *u, struct glsl_atom *atom, struct diag_pos pos);
/* Declares in the innermost scope. NULL with a message when the name is taken there or reserved. */
struct glsl_symbol *glsl_declare(struct glsl_unit *u, enum glsl_symbol_kind kind, struct glsl_atom *atom,
                                 struct diag_pos pos);
/* Message when a name may not be declared. */
bool glsl_check_name(struct glsl_unit *u, const struct glsl_atom *atom, struct diag_pos pos);
/* Precision of a declaration: the explicit one, or the default; message if there is none. */
uint8_t glsl_precision_for(struct glsl_unit *u, const struct glsl_type *type, uint8_t explicit_precision,
                           struct diag_pos pos);
struct glsl_var *glsl_var_create(struct glsl_unit *u, struct glsl_atom *atom, const struct glsl_type *type,
                                 enum glsl_storage storage, struct diag_pos pos);

#endif
