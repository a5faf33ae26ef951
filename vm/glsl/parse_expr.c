/* SPDX-License-Identifier: MIT */
/*
 * Expressions by recursive descent, binary operators by precedence climbing. Each production of the
 * grammar (GLSL ES 1.00.17 section 9) stands above its function. After a syntax error the functions
 * return error expressions without consuming anything, until the statement recovers.
 */
#include <stdio.h>
#include <string.h>

#include "vm/glsl/parse.h"
#include "vm/glsl/sema.h"

/* ---- tokens --------------------------------------------------------------------------------------- */

void glsl_apply_extensions(struct glsl_unit *u) {
    while (u->next_change < u->tokens.change_count &&
           u->tokens.changes[u->next_change].first_token <= u->at) {
        const struct glsl_extension_change *change = &u->tokens.changes[u->next_change++];
        u->ext_enabled &= ~change->extensions;
        u->ext_warn &= ~change->extensions;
        if (change->behaviour != GLSL_BEHAVIOUR_DISABLE) {
            u->ext_enabled |= change->extensions;
        }
        if (change->behaviour == GLSL_BEHAVIOUR_WARN) {
            u->ext_warn |= change->extensions;
        }
    }
}

static bool is_double_name(const char *text) {
    return strcmp(text, "double") == 0 || strncmp(text, "dvec", 4) == 0;
}

/* Spelling of a token for messages. */
static const char *token_text(const struct glsl_token *token) {
    return token->atom ? token->atom->text : glsl_token_kind_text((enum glsl_token_kind)token->kind);
}

void glsl_syntax_error(struct glsl_unit *u, const char *expected) {
    const struct glsl_token *token = glsl_peek(u);
    if (u->panic) {
        return;
    }
    u->panic = true;
    switch (token->kind) {
    case GLSL_T_BAD:
        return;
    case GLSL_T_RESERVED:
        glsl_error(u, token->pos, "'%.60s' is a reserved word", token_text(token));
        if ((u->options.extensions & GLSLC_EXT_FP64) && is_double_name(token_text(token))) {
            glsl_hint(u, "write '#extension %s : enable' before any code", glsl_extension_name(GLSLC_EXT_FP64));
        }
        return;
    case GLSL_T_EOF:
        glsl_error(u, token->pos, "syntax error: the shader ends where %s is expected", expected);
        return;
    default:
        glsl_error(u, token->pos, "syntax error: '%.60s' where %s is expected", token_text(token), expected);
    }
}

bool glsl_expect(struct glsl_unit *u, unsigned kind, const char *after) {
    if (glsl_accept(u, kind)) {
        return true;
    }
    const struct glsl_token *last = u->at ? glsl_peek(u) - 1 : NULL;
    if (kind == GLSL_T_SEMICOLON && last && !u->panic && glsl_peek(u)->kind != GLSL_T_BAD &&
        last->pos.line != glsl_peek(u)->pos.line) {
        /* Forgotten at the end of a line: go on as if it stood there. */
        glsl_error(u, last->pos, "syntax error: ';' is missing at the end of this line");
        return true;
    }
    char expected[80];
    snprintf(expected, sizeof expected, "'%s'%s%.40s", glsl_token_kind_text((enum glsl_token_kind)kind),
             after ? " after " : "", after ? after : "");
    glsl_syntax_error(u, expected);
    return false;
}

void glsl_recover(struct glsl_unit *u) {
    uint32_t braces = 0;
    u->panic = false;
    for (;;) {
        unsigned kind = glsl_peek(u)->kind;
        if (kind == GLSL_T_EOF || (kind == GLSL_T_RBRACE && braces == 0)) {
            return;
        }
        glsl_next(u);
        if (kind == GLSL_T_LBRACE) {
            braces++;
        } else if (kind == GLSL_T_RBRACE && --braces == 0) {
            return;
        } else if (kind == GLSL_T_SEMICOLON && braces == 0) {
            return;
        }
    }
}

bool glsl_recover_header(struct glsl_unit *u) {
    for (;;) {
        unsigned kind = glsl_peek(u)->kind, after = glsl_kind_at(u, 1);
        if (kind == GLSL_T_EOF || kind == GLSL_T_RBRACE) {
            return false;
        }
        if (kind == GLSL_T_LBRACE) {
            u->panic = false;
            return true;
        }
        glsl_next(u);
        /* The ')' of the header: what follows starts a statement. */
        if (kind == GLSL_T_RPAREN && (after == GLSL_T_LBRACE || after == GLSL_T_IDENT ||
                                      (after >= GLSL_T_BREAK && after <= GLSL_T_IF) || after == GLSL_T_RETURN ||
                                      after == GLSL_T_DISCARD)) {
            u->panic = false;
            return true;
        }
    }
}

bool glsl_enter(struct glsl_unit *u) {
    if (++u->nesting <= GLSL_MAX_NESTING) {
        return true;
    }
    if (!u->panic) {
        u->panic = true;
        glsl_error(u, glsl_peek(u)->pos, "parentheses, blocks and operators nest deeper than %d", GLSL_MAX_NESTING);
    }
    return false;
}

void glsl_leave(struct glsl_unit *u) { u->nesting--; }

/* ---- expressions ---------------------------------------------------------------------------------- */

static struct glsl_expr *error_here(struct glsl_unit *u, const char *expected) {
    glsl_syntax_error(u, expected);
    return glsl_expr_error(u, glsl_peek(u)->pos);
}

/* '(' [void | assignment {',' assignment}] ')', from the '(' on. False after a syntax error. */
static bool parse_arguments(struct glsl_unit *u, struct glsl_expr ***args, uint32_t *count) {
    uint32_t cap = 0;
    *args = NULL;
    *count = 0;
    glsl_next(u);
    if (glsl_peek(u)->kind == GLSL_T_VOID && glsl_kind_at(u, 1) == GLSL_T_RPAREN) {
        glsl_next(u);
    }
    if (glsl_accept(u, GLSL_T_RPAREN)) {
        return true;
    }
    do {
        struct glsl_expr *arg = glsl_parse_assignment(u);
        if (u->panic) {
            return false;
        }
        if (*count >= GLSL_MAX_ARGS) {
            glsl_error(u, arg->pos, "more than %d arguments", GLSL_MAX_ARGS);
            u->panic = true;
            return false;
        }
        struct glsl_expr **grown = arena_grow(u->arena, *args, *count, &cap, *count + 1, sizeof *grown);
        if (!grown) {
            longjmp(u->out_of_memory, 1);
        }
        *args = grown;
        (*args)[(*count)++] = arg;
    } while (glsl_accept(u, GLSL_T_COMMA));
    return glsl_expect(u, GLSL_T_RPAREN, "the arguments");
}

static struct glsl_expr *double_literal(struct glsl_unit *u, const struct glsl_token *token) {
    if (!glsl_extension(u, GLSLC_EXT_FP64, token->pos)) {
        glsl_error(u, token->pos, "a double literal needs extension %s", glsl_extension_name(GLSLC_EXT_FP64));
        glsl_hint(u, "write '#extension %s : enable' before any code, or drop the 'lf'",
                  glsl_extension_name(GLSLC_EXT_FP64));
        return glsl_expr_error(u, token->pos);
    }
    float *words = glsl_alloc(u, 2 * sizeof *words);
    memcpy(words, token->value.words, 2 * sizeof *words);
    return glsl_expr_const(u, glsl_type_vector(GLSL_DOUBLE, 1), words, token->pos);
}

static struct glsl_expr *parse_number(struct glsl_unit *u) {
    const struct glsl_token *token = glsl_next(u);
    if (token->kind == GLSL_T_FLOAT) {
        return glsl_expr_float(u, glsl_type_vector(GLSL_FLOAT, 1), token->value.f, token->pos);
    }
    if (token->kind == GLSL_T_DOUBLE) {
        return double_literal(u, token);
    }
    if (token->kind == GLSL_T_INT) {
        /* Two's complement: 0xFFFFFFFF is -1. */
        return glsl_expr_float(u, glsl_type_vector(GLSL_INT, 1), (float)(int32_t)token->value.i, token->pos);
    }
    return glsl_expr_float(u, glsl_type_vector(GLSL_BOOL, 1), token->kind == GLSL_T_TRUE ? 1.0f : 0.0f, token->pos);
}

static struct glsl_expr *parse_constructor(struct glsl_unit *u) {
    const struct glsl_token *token = glsl_next(u);
    struct glsl_expr **args;
    uint32_t count;
    if (glsl_peek(u)->kind != GLSL_T_LPAREN) {
        bool array = glsl_peek(u)->kind == GLSL_T_LBRACKET && !u->panic;
        struct glsl_expr *bad = error_here(u, "'(' after a type name");
        if (array) {
            glsl_hint(u, "GLSL ES 1.00 has no array constructors: assign the elements one by one");
        }
        return bad;
    }
    if (!parse_arguments(u, &args, &count)) {
        return glsl_expr_error(u, token->pos);
    }
    return glsl_sema_construct(u, glsl_type_of_token(token->kind), args, count, token->pos);
}

/* primary: name | call | constructor | literal | '(' expression ')' */
static struct glsl_expr *parse_primary(struct glsl_unit *u) {
    const struct glsl_token *token = glsl_peek(u);
    struct glsl_expr **args;
    uint32_t count;
    switch (token->kind) {
    case GLSL_T_IDENT:
        glsl_next(u);
        if (glsl_peek(u)->kind != GLSL_T_LPAREN) {
            return glsl_sema_name(u, token);
        }
        if (!parse_arguments(u, &args, &count)) {
            return glsl_expr_error(u, token->pos);
        }
        return glsl_sema_call(u, token, args, count);
    case GLSL_T_INT:
    case GLSL_T_FLOAT:
    case GLSL_T_DOUBLE:
    case GLSL_T_TRUE:
    case GLSL_T_FALSE:
        return parse_number(u);
    case GLSL_T_LPAREN: {
        glsl_next(u);
        struct glsl_expr *inner = glsl_parse_expression(u);
        if (!u->panic) {
            glsl_expect(u, GLSL_T_RPAREN, NULL);
        }
        return inner;
    }
    default:
        if (token->kind >= GLSL_T_TYPE_FIRST && token->kind <= GLSL_T_TYPE_LAST) {
            return parse_constructor(u);
        }
        return error_here(u, "an expression");
    }
}

/* postfix: primary { '[' expression ']' | '.' name | '++' | '--' } */
static struct glsl_expr *parse_postfix(struct glsl_unit *u) {
    struct glsl_expr *e = parse_primary(u);
    while (!u->panic) {
        const struct glsl_token *token = glsl_peek(u);
        if (token->kind == GLSL_T_LBRACKET) {
            glsl_next(u);
            struct glsl_expr *index = glsl_parse_expression(u);
            if (u->panic || !glsl_expect(u, GLSL_T_RBRACKET, "an index")) {
                break;
            }
            e = glsl_sema_index(u, e, index, token->pos);
        } else if (token->kind == GLSL_T_DOT) {
            glsl_next(u);
            const struct glsl_token *name = glsl_peek(u);
            if (name->kind != GLSL_T_IDENT) {
                return error_here(u, "a field or component name");
            }
            glsl_next(u);
            if (glsl_peek(u)->kind == GLSL_T_LPAREN) {
                return error_here(u, "no '(': there are no methods, and");
            }
            e = glsl_sema_field(u, e, name);
        } else if (token->kind == GLSL_T_INC || token->kind == GLSL_T_DEC) {
            glsl_next(u);
            e = glsl_sema_step(u, token->kind, e, false, token->pos);
        } else {
            break;
        }
    }
    return e;
}

/* unary: postfix | ('++' | '--' | '+' | '-' | '!' | '~') unary */
static struct glsl_expr *parse_unary(struct glsl_unit *u) {
    const struct glsl_token *token = glsl_peek(u);
    switch (token->kind) {
    case GLSL_T_INC:
    case GLSL_T_DEC:
    case GLSL_T_PLUS:
    case GLSL_T_MINUS:
    case GLSL_T_BANG:
    case GLSL_T_TILDE:
        break;
    default:
        return parse_postfix(u);
    }
    struct glsl_expr *e;
    if (glsl_enter(u)) {
        glsl_next(u);
        struct glsl_expr *a = parse_unary(u);
        bool step = token->kind == GLSL_T_INC || token->kind == GLSL_T_DEC;
        e = step ? glsl_sema_step(u, token->kind, a, true, token->pos)
                 : glsl_sema_unary(u, token->kind, a, token->pos);
    } else {
        e = glsl_expr_error(u, token->pos);
    }
    glsl_leave(u);
    return e;
}

/* binary: unary { operator binary } by precedence */
static struct glsl_expr *parse_binary(struct glsl_unit *u, unsigned least) {
    struct glsl_expr *left = parse_unary(u);
    while (!u->panic) {
        const struct glsl_token *token = glsl_peek(u);
        unsigned precedence = glsl_token_precedence((enum glsl_token_kind)token->kind);
        if (precedence == 0 || precedence < least) {
            break;
        }
        glsl_next(u);
        struct glsl_expr *right = parse_binary(u, precedence + 1);
        left = glsl_sema_binary(u, token->kind, left, right, token->pos);
    }
    return left;
}

/* conditional: binary ['?' expression ':' assignment] */
struct glsl_expr *glsl_parse_conditional(struct glsl_unit *u) {
    struct glsl_expr *a = parse_binary(u, 1);
    const struct glsl_token *token = glsl_peek(u);
    if (u->panic || token->kind != GLSL_T_QUESTION) {
        return a;
    }
    glsl_next(u);
    struct glsl_expr *b = glsl_parse_expression(u);
    if (u->panic || !glsl_expect(u, GLSL_T_COLON, "the first choice of '?:'")) {
        return b;
    }
    struct glsl_expr *c = glsl_parse_assignment(u);
    return glsl_sema_cond(u, a, b, c, token->pos);
}

static bool is_assignment(unsigned kind) {
    return kind == GLSL_T_ASSIGN || (kind >= GLSL_T_ADD_ASSIGN && kind <= GLSL_T_OR_ASSIGN);
}

/* assignment: conditional | unary assignment-operator assignment */
struct glsl_expr *glsl_parse_assignment(struct glsl_unit *u) {
    struct glsl_expr *e;
    if (glsl_enter(u)) {
        e = glsl_parse_conditional(u);
        const struct glsl_token *token = glsl_peek(u);
        if (!u->panic && is_assignment(token->kind)) {
            glsl_next(u);
            struct glsl_expr *b = glsl_parse_assignment(u);
            e = glsl_sema_assign(u, token->kind, e, b, token->pos);
        }
    } else {
        e = glsl_expr_error(u, glsl_peek(u)->pos);
    }
    glsl_leave(u);
    return e;
}

/* expression: assignment {',' assignment} */
struct glsl_expr *glsl_parse_expression(struct glsl_unit *u) {
    struct glsl_expr *left = glsl_parse_assignment(u);
    while (!u->panic && glsl_peek(u)->kind == GLSL_T_COMMA) {
        const struct glsl_token *token = glsl_next(u);
        struct glsl_expr *right = glsl_parse_assignment(u);
        left = glsl_sema_comma(u, left, right, token->pos);
    }
    return left;
}
