/* SPDX-License-Identifier: MIT */
/*
 * The checked syntax tree of one shader. The parser builds it through sema_*.c, so every expression has
 * its type, and constant expressions are folded where they arise: a tree never holds an operator whose
 * value is known. Nodes live in the unit's arena and do not change after the compile; what lowering
 * needs to remember about variables it keeps in tables of its own, indexed by 'index'.
 */
#ifndef VM_GLSL_AST_H
#define VM_GLSL_AST_H

#include "vm/glsl/type.h"

struct glsl_expr;
struct glsl_function;
struct glsl_builtin;

enum glsl_storage {
    GLSL_TEMP,        /* local or global variable */
    GLSL_CONST,       /* const with a known value */
    GLSL_ATTRIBUTE,
    GLSL_UNIFORM,
    GLSL_VARYING,
    GLSL_PARAM_IN, GLSL_PARAM_CONST, GLSL_PARAM_OUT, GLSL_PARAM_INOUT,
    GLSL_SPECIAL      /* gl_Position and the like: 'special' says which */
};

enum glsl_special {
    GLSL_NOT_SPECIAL,
    GLSL_POSITION, GLSL_POINT_SIZE,                               /* vertex outputs */
    GLSL_FRAG_COLOR, GLSL_FRAG_DATA, GLSL_FRAG_DEPTH,             /* fragment outputs */
    GLSL_FRAG_COORD, GLSL_FRONT_FACING, GLSL_POINT_COORD,         /* fragment inputs */
    GLSL_LAST_FRAG_DATA,
    GLSL_SPECIAL_COUNT
};

struct glsl_var {
    struct glsl_atom *atom;          /* NULL: unnamed parameter */
    const struct glsl_type *type;
    uint8_t storage;                 /* enum glsl_storage */
    uint8_t special;                 /* enum glsl_special */
    uint8_t precision;               /* enum glsl_precision after defaults; NONE for bool and struct */
    bool invariant;
    bool is_global;
    bool is_builtin;                 /* gl_DepthRange */
    bool read, written;              /* static use, anywhere in the shader */
    bool indexed;                    /* indexed by something not constant somewhere */
    uint32_t index;                  /* unique in the unit */
    struct diag_pos pos;
    const float *value;              /* CONST: type->words floats */
    struct glsl_expr *init;          /* TEMP: initialiser, NULL if none */
    struct glsl_var *next;           /* next of its declaration, or next global */
};

enum glsl_expr_kind {
    GLSL_E_ERROR,
    GLSL_E_CONST,      /* value */
    GLSL_E_VAR,        /* var */
    GLSL_E_FIELD,      /* a.field */
    GLSL_E_SWIZZLE,    /* a.swz, type->rows components */
    GLSL_E_INDEX,      /* a[b] */
    GLSL_E_UNARY,      /* op a: PLUS never, MINUS, BANG */
    GLSL_E_PRE,        /* ++a, --a (op INC or DEC) */
    GLSL_E_POST,       /* a++, a-- */
    GLSL_E_BINARY,     /* a op b; op is a token kind */
    GLSL_E_ASSIGN,     /* a op b; op ASSIGN, ADD_ASSIGN, ... */
    GLSL_E_COND,       /* a ? b : c */
    GLSL_E_COMMA,      /* a, b */
    GLSL_E_CALL,       /* function(args) */
    GLSL_E_BUILTIN,    /* builtin(args) */
    GLSL_E_CONSTRUCT   /* type(args) */
};

struct glsl_expr {
    uint8_t kind;                  /* enum glsl_expr_kind */
    uint8_t op;                    /* token kind of the operator */
    uint8_t swz[4];                /* SWIZZLE */
    bool effect;                   /* assigns something or calls a function: evaluated once, in order */
    uint16_t depth;                /* of the tree, a left spine of binary operators counted once */
    uint16_t cost;                 /* rough number of operations, saturated: see lower_expr.c */
    uint32_t count;                /* args; FIELD: field number */
    const struct glsl_type *type;
    struct glsl_expr *a, *b, *c;
    union {
        const float *value;
        struct glsl_var *var;
        struct glsl_expr **args;
    };
    union {
        struct glsl_function *function;
        const struct glsl_builtin *builtin;
    };
    struct diag_pos pos;
};

enum glsl_stmt_kind {
    GLSL_S_EXPR,       /* expr */
    GLSL_S_DECL,       /* vars */
    GLSL_S_BLOCK,      /* body */
    GLSL_S_IF,         /* expr, body, other */
    GLSL_S_FOR,        /* init; vars or expr; step; body. while loops have no init and no step */
    GLSL_S_DO,         /* body, expr */
    GLSL_S_BREAK,
    GLSL_S_CONTINUE,
    GLSL_S_RETURN,     /* expr or NULL */
    GLSL_S_DISCARD
};

struct glsl_stmt {
    uint8_t kind;                  /* enum glsl_stmt_kind */
    bool bounded;                  /* FOR: a counted loop that surely ends */
    struct diag_pos pos;
    struct glsl_stmt *next;        /* in its block */
    struct glsl_expr *expr;        /* condition of IF, FOR, DO; NULL = true */
    struct glsl_var *vars;         /* DECL; FOR: the variable declared in the condition */
    struct glsl_stmt *body, *other, *init;
    struct glsl_expr *step;
};

struct glsl_call {                 /* a call edge */
    struct glsl_function *to;
    struct diag_pos pos;
    struct glsl_call *next;
};

struct glsl_function {
    struct glsl_atom *atom;
    const struct glsl_type *type;  /* of the result */
    uint8_t precision;
    struct glsl_var **params;
    uint32_t param_count;
    bool prototyped, defined;
    bool discards;                 /* contains 'discard' */
    uint32_t returns;              /* 'return' statements in it */
    uint8_t visit;                 /* of the recursion check: 0 new, 1 on the path, 2 done */
    uint16_t level;                /* longest chain of calls below it */
    uint32_t index;                /* unique in the unit */
    struct diag_pos pos;
    struct glsl_stmt *body;
    struct glsl_call *calls;
    struct glsl_function *next;    /* overload of the same name */
    struct glsl_function *next_all;
};

#endif
