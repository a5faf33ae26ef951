/* SPDX-License-Identifier: MIT */
/*
 * Internal to the preprocessor: preprocessing tokens, the scanner (lex.c), macros and their expansion
 * (pp_macro.c), #if expressions (pp_expr.c) and the directives (pp.c). Raw text goes in at the scanner,
 * the directive loop pulls lines of raw tokens through the expander and turns them into glsl_tokens.
 */
#ifndef VM_GLSL_PP_H
#define VM_GLSL_PP_H

#include "vm/glsl/lex.h"

/* Kinds beyond enum glsl_token_kind that only the preprocessor sees. */
enum {
    PP_NUMBER = GLSL_T_COUNT, /* anything that starts like a number */
    PP_NEWLINE,
    PP_HASH,
    PP_OTHER,                 /* a character outside the language */
    PP_PARAM                  /* in a replacement list: parameter number 'param' */
};

struct pp_token {
    uint16_t kind;            /* enum glsl_token_kind or PP_*; words are IDENT until they leave */
    bool space;               /* white space or a comment stands before it */
    bool no_expand;           /* a macro name met inside its own expansion: never expanded again */
    bool from_macro;
    uint16_t param;
    struct glsl_atom *atom;   /* IDENT */
    const char *text;         /* NUMBER, OTHER: spelling (line continuations taken out) */
    uint32_t length;
    struct diag_pos pos;
};

struct pp_macro {
    struct glsl_atom *name;
    bool function_like;
    bool predefined;          /* may be neither redefined nor undefined */
    bool active;              /* being expanded now */
    uint8_t special;          /* 1 = __LINE__, 2 = __FILE__ */
    uint16_t param_count;
    struct glsl_atom **params;
    struct pp_token *body;
    uint32_t body_count;
};

/* Growable list of tokens in the arena. */
struct pp_list {
    struct pp_token *tokens;
    uint32_t count, cap;
};

struct pp_cond {              /* one #if nest */
    bool taken;               /* some group of it has been taken */
    bool active;              /* the current group is taken */
    bool seen_else;
    struct diag_pos pos;
};

/* Where the scanner stands: what pp_scan changes (but for atoms and messages). */
struct pp_mark {
    uint32_t at, line_start, string, line, token_line, next_boundary;
    bool line_begin;
};

enum { PP_MAX_OPERATORS = 64, PP_MAX_KEYWORDS = 128, PP_KEYWORD_BUCKETS = 128 };

struct pp {
    struct arena *arena;
    struct glsl_atoms *atoms;
    struct diag_list *diags;
    const struct glsl_pp_options *options;
    /* scanner */
    const char *source;
    uint32_t length;
    const uint32_t *boundaries;
    uint32_t boundary_count, next_boundary;
    uint32_t at;              /* next byte */
    uint32_t line_start;      /* offset of the current physical line, for columns */
    uint32_t string, line;    /* as #line and the boundaries say */
    uint32_t token_line;      /* line of the last token scanned: __LINE__ out of a replacement list */
    bool has_doubles;         /* GL_VLGL_fp64 is enabled here: its type names are words of the language */
    bool line_begin;          /* the last token scanned was a line end (or none was) */
    uint8_t operator_first[128], operator_next[PP_MAX_OPERATORS]; /* operators by first character: index + 1 */
    uint8_t operator_single[128]; /* kind of an operator of one character that begins no other; else 0 */
    uint8_t operator_alone[128];  /* kind of the operator that is this character alone; else 0 */
    uint8_t keyword_first[PP_KEYWORD_BUCKETS], keyword_next[PP_MAX_KEYWORDS]; /* likewise by a hash */
    /* directives */
    struct pp_cond *conds;
    uint32_t cond_count, cond_cap;
    bool any_token;           /* a token has left: #extension is too late */
    bool any_directive;       /* anything but white space was seen: #version is too late */
    /* expansion */
    uint64_t work;            /* tokens produced by expansions so far */
    uint32_t depth;           /* nesting of argument expansion */
    struct pp_list line_list, expanded_list; /* memory of text lines, used again */
    bool in_condition;         /* expanding an #if: the operand of 'defined' stays as it is */
    bool overflow;            /* a limit was hit; the rest of the input is dropped */
    bool no_memory;
    /* output */
    struct glsl_token_list *out;
    uint32_t token_cap, change_cap;
};

enum { PP_MAX_DEPTH = 200, PP_MAX_CONDS = 1000, PP_MAX_WORK = 1 << 21, PP_MAX_PARAMS = 1000 };

/* lex.c: the next raw token; PP_NEWLINE at line ends, GLSL_T_EOF at the end (again and again). */
void pp_scan(struct pp *pp, struct pp_token *out);
/* lex.c: fills the chains of operators and keywords, before the first scan. */
void pp_index_words(struct pp *pp);
/* lex.c: the scanner's place, and back to it. */
struct pp_mark pp_mark(const struct pp *pp);
void pp_return_to(struct pp *pp, struct pp_mark mark);
/* lex.c: skips white space and comments; true if there was any. */
bool pp_skip_space(struct pp *pp);
/* lex.c: steps over the line end at the scanner. */
void pp_new_line(struct pp *pp);
/* lex.c: kind and length of the operator at the scanner (not taken), PP_OTHER if there is none. */
unsigned pp_operator(const struct pp *pp, uint32_t *length);
/* lex.c: skips white space; is the next character a '#'? */
bool pp_at_hash(struct pp *pp);
/* lex.c: skips the rest of the line, newline included, without judging its characters. */
void pp_skip_line(struct pp *pp);
/* lex.c: number text to a token's kind and value; gives the messages. */
void pp_number(struct pp *pp, const struct pp_token *token, struct glsl_token *out);
/* lex.c: the same for the parser: a number that is none is told of, and stands for 1. */
void pp_number_token(struct pp *pp, const struct pp_token *token, struct glsl_token *out);
/* lex.c: keyword kind of an atom (IDENT if it is none). */
enum glsl_token_kind pp_keyword(const struct pp *pp, struct glsl_atom *atom);

/* pp.c: hands a finished token out. */
void pp_put_token(struct pp *pp, const struct glsl_token *token);
/*
 * pp_text.c: text to finished tokens without the detour over struct pp_token, up to where the preprocessor
 * has something to do: a '#', the name of a macro, what is spelt with a line continuation, a character
 * outside the language, the end of a source string. Takes nothing if the scanner is there already.
 */
void pp_plain_text(struct pp *pp);

/* pp_macro.c */
bool pp_push(struct pp *pp, struct pp_list *list, const struct pp_token *token);
void pp_define(struct pp *pp, const struct pp_token *line, uint32_t count, struct diag_pos pos);
void pp_undef(struct pp *pp, const struct pp_token *line, uint32_t count, struct diag_pos pos);
bool pp_predefine(struct pp *pp, const char *name, uint8_t special, const char *value);
struct pp_macro *pp_macro_of(const struct pp_token *token);
/*
 * Expands tokens[0..count) into 'out'. If 'more' is set, a function-like macro name at the end may take
 * its arguments from the scanner, line ends included (the text proper; not directives).
 */
void pp_expand(struct pp *pp, const struct pp_token *tokens, uint32_t count, bool more, struct pp_list *out);

/* pp_expr.c: value of an #if line (raw tokens); false (with a message) if it is no expression. */
bool pp_evaluate(struct pp *pp, const struct pp_token *line, uint32_t count, struct diag_pos pos, bool *value);

#endif
