/* SPDX-License-Identifier: MIT */
/*
 * Text to tokens: the preprocessor and the lexer as one step. Source text (all strings of a shader,
 * concatenated) goes in; an array of tokens with positions comes out, together with what directives
 * said: the version, where which extension is enabled, the pragmas. SPEC: GLSL ES 1.00.17 section 3.
 */
#ifndef VM_GLSL_LEX_H
#define VM_GLSL_LEX_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/base/arena.h"
#include "vm/base/diag.h"
#include "vm/glsl/atom.h"

enum glsl_token_kind {
#define TOKEN(id, text) GLSL_T_##id,
#define KEYWORD(id, text) GLSL_T_##id,
#define KEYWORD_EXT(id, text, ext, fallback) GLSL_T_##id,
#define OPERATOR(id, text, prec) GLSL_T_##id,
#define RESERVED_OP(id, text, prec) GLSL_T_##id,
#include "vm/glsl/token.def"
    GLSL_T_COUNT,
    GLSL_T_TYPE_FIRST = GLSL_T_VOID,
    GLSL_T_TYPE_LAST = GLSL_T_DMAT4
};

/* Spelling or class name of a kind for messages (lex.c). */
const char *glsl_token_kind_text(enum glsl_token_kind kind);
/* Precedence of a binary operator (reserved ones included), 0 for every other kind (lex.c). */
extern const uint8_t glsl_precedences[GLSL_T_COUNT];
static inline unsigned glsl_token_precedence(enum glsl_token_kind kind) {
    return kind < GLSL_T_COUNT ? glsl_precedences[kind] : 0;
}
/* True for the operators that the specification reserves (lex.c). */
bool glsl_token_reserved_op(enum glsl_token_kind kind);

struct glsl_token {
    struct diag_pos pos;       /* of its first character; inside a macro expansion: of the macro's use */
    uint16_t kind;             /* enum glsl_token_kind */
    bool from_macro;           /* came from a macro's replacement list */
    union {
        float f;               /* FLOAT: correctly rounded; overflow gives infinity and a warning */
        uint32_t words[2];     /* DOUBLE: likewise, the low and the high word */
        uint32_t i;            /* INT: decimal, octal or hexadecimal; more than 32 bits is an error */
    } value;
    struct glsl_atom *atom;    /* spelling of IDENT, RESERVED and keywords; NULL for the others */
};

enum glsl_behaviour { GLSL_BEHAVIOUR_DISABLE, GLSL_BEHAVIOUR_WARN, GLSL_BEHAVIOUR_ENABLE, GLSL_BEHAVIOUR_REQUIRE };

/* #extension: from token 'first_token' on, the extensions of the mask have this behaviour. */
struct glsl_extension_change {
    uint32_t extensions;       /* GLSLC_EXT_* bits ("all" sets several) */
    uint32_t first_token;
    uint8_t behaviour;         /* enum glsl_behaviour */
};

struct glsl_pp_options {
    uint32_t extensions;       /* GLSLC_EXT_* offered: their macros (GL_OES_...) are defined as 1 */
    bool is_fragment;
};

struct glsl_token_list {
    struct glsl_token *tokens; /* the last one is GLSL_T_EOF */
    uint32_t count;            /* EOF included */
    uint32_t version;          /* 100 */
    struct glsl_extension_change *changes; /* in order of first_token */
    uint32_t change_count;
    bool invariant_all;        /* #pragma STDGL invariant(all) */
    bool optimize_off;         /* #pragma optimize(off) */
    bool debug;                /* #pragma debug(on) */
};

/*
 * Preprocesses and tokenises a compilation unit; a NUL stands behind its text. 'boundaries' are the offsets at which the strings
 * start (boundaries[0] = 0, ascending, boundary_count >= 1): string numbers and lines restart there.
 * Tokens, atoms and all scratch come from the arena. Errors and warnings go to 'diags'; the list is
 * usable (ends in EOF) even after errors. Bounded: at most GLSL_MAX_TOKENS tokens come out, deep or
 * exploding macros and #if nests end with a message. An extension that is not offered: 'require' is an
 * error, 'enable' and 'warn' a warning; 'all' may only be 'warn' or 'disable'. False only when memory
 * is out.
 */
enum { GLSL_MAX_TOKENS = 1 << 20 };
bool glsl_tokenize(struct arena *arena, struct glsl_atoms *atoms, struct diag_list *diags, const char *source,
                   uint32_t length, const uint32_t *boundaries, uint32_t boundary_count,
                   const struct glsl_pp_options *options, struct glsl_token_list *out);

#endif
