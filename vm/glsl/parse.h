/* SPDX-License-Identifier: MIT */
/* Internal: what the three parser files share. Recursive descent over the token array. */
#ifndef VM_GLSL_PARSE_H
#define VM_GLSL_PARSE_H

#include "vm/glsl/glsl.h"

static inline const struct glsl_token *glsl_peek(const struct glsl_unit *u) { return &u->tokens.tokens[u->at]; }
static inline unsigned glsl_kind_at(const struct glsl_unit *u, uint32_t ahead) {
    uint32_t i = u->at + ahead;
    return u->tokens.tokens[i < u->tokens.count ? i : u->tokens.count - 1].kind;
}

/* Applies #extension changes up to the current token. */
void glsl_apply_extensions(struct glsl_unit *u);
/* Steps over the current token and returns it; stays at the end. Keeps the extension state. */
static inline const struct glsl_token *glsl_next(struct glsl_unit *u) {
    const struct glsl_token *token = glsl_peek(u);
    if (token->kind != GLSL_T_EOF) {
        u->at++;
    }
    if (u->next_change < u->tokens.change_count) {
        glsl_apply_extensions(u);
    }
    return token;
}
/* Steps over a token of this kind if it is the current one. */
static inline bool glsl_accept(struct glsl_unit *u, unsigned kind) {
    if (glsl_peek(u)->kind != kind) {
        return false;
    }
    glsl_next(u);
    return true;
}
/* As accept, with a message "expected ... before ..." if it is not; 'after' names what comes before. */
bool glsl_expect(struct glsl_unit *u, unsigned kind, const char *after);
/* Syntax error at the current token: "<token>: syntax error, expected ..." */
void glsl_syntax_error(struct glsl_unit *u, const char *expected);
/* Skips to behind the next ';' or to (not over) the '}' that ends the block. */
void glsl_recover(struct glsl_unit *u);
/* After a syntax error in the header of if, for or while: skips to its body, so that the body is still
   checked. False if there is none. */
bool glsl_recover_header(struct glsl_unit *u);
/* Counts one more level; false (with a message once) when too deep. Pair with glsl_leave. */
bool glsl_enter(struct glsl_unit *u);
void glsl_leave(struct glsl_unit *u);

/* parse_expr.c */
struct glsl_expr *glsl_parse_expression(struct glsl_unit *u);   /* with commas */
struct glsl_expr *glsl_parse_assignment(struct glsl_unit *u);   /* without */
struct glsl_expr *glsl_parse_conditional(struct glsl_unit *u);  /* without assignments */

/* parse_stmt.c */
struct glsl_stmt *glsl_parse_block(struct glsl_unit *u, bool new_scope); /* at '{' */

/* parse_decl.c */
/* True if the current token starts a declaration rather than an expression. */
bool glsl_at_declaration(struct glsl_unit *u);
/* A declaration statement inside a function: NULL or the variables (stmt of kind DECL). */
struct glsl_stmt *glsl_parse_local_declaration(struct glsl_unit *u);
/* "type name = expression" as condition of while and for. */
struct glsl_var *glsl_parse_condition_declaration(struct glsl_unit *u);
/* A type specifier without qualifiers: a type name, a structure name or a definition; NULL after a
   message. */
const struct glsl_type *glsl_parse_type(struct glsl_unit *u, bool allow_definition);
void glsl_parse_unit(struct glsl_unit *u);

#endif
