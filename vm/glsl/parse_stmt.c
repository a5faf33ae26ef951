/* SPDX-License-Identifier: MIT */
/*
 * Statements. Which of them open a scope follows the grammar: branches of 'if' and the body of 'do' do,
 * bodies of 'for' and 'while' share the scope of the loop's header. SPEC: GLSL ES 1.00.17 sections 6, 9.
 */
#include "vm/glsl/parse.h"
#include "vm/glsl/sema.h"

static struct glsl_stmt *parse_statement(struct glsl_unit *u);

/* The statements up to '}' as a list. */
static struct glsl_stmt *parse_list(struct glsl_unit *u) {
    struct glsl_stmt *first = NULL, **tail = &first;
    for (;;) {
        unsigned kind = glsl_peek(u)->kind;
        if (kind == GLSL_T_RBRACE || kind == GLSL_T_EOF || u->diags->stopped) {
            return first;
        }
        struct glsl_stmt *s = parse_statement(u);
        if (u->panic) {
            glsl_recover(u);
        }
        if (s) {
            *tail = s;
            tail = &s->next;
        }
    }
}

/* block: '{' {statement} '}' */
struct glsl_stmt *glsl_parse_block(struct glsl_unit *u, bool new_scope) {
    const struct glsl_token *open = glsl_next(u);
    struct glsl_stmt *block = glsl_stmt_new(u, GLSL_S_BLOCK, open->pos);
    if (new_scope) {
        glsl_scope_push(u);
    }
    if (glsl_enter(u)) {
        block->body = parse_list(u);
    } else {
        glsl_recover(u); /* the message is given: drop the block */
    }
    glsl_leave(u);
    if (new_scope) {
        glsl_scope_pop(u);
    }
    if (!glsl_accept(u, GLSL_T_RBRACE) && !u->diags->stopped) {
        glsl_syntax_error(u, "'}'");
        glsl_hint(u, "the '{' is at line %u", open->pos.line);
    }
    return block;
}

/* A statement as branch or body; a block takes the scope that is open already. */
static struct glsl_stmt *parse_substatement(struct glsl_unit *u) {
    struct glsl_stmt *s = NULL;
    if (glsl_peek(u)->kind == GLSL_T_LBRACE) {
        return glsl_parse_block(u, false);
    }
    if (glsl_enter(u)) {
        s = parse_statement(u);
    }
    glsl_leave(u);
    return s;
}

static struct glsl_stmt *parse_scoped(struct glsl_unit *u) {
    glsl_scope_push(u);
    struct glsl_stmt *s = parse_substatement(u);
    glsl_scope_pop(u);
    return s;
}

/* if: 'if' '(' expression ')' statement ['else' statement]; a chain of else-ifs in a loop */
static struct glsl_stmt *parse_if(struct glsl_unit *u) {
    struct glsl_stmt *first = NULL, **link = &first;
    while (glsl_peek(u)->kind == GLSL_T_IF) {
        struct glsl_stmt *s = glsl_stmt_new(u, GLSL_S_IF, glsl_next(u)->pos);
        *link = s;
        link = &s->other;
        if (!glsl_expect(u, GLSL_T_LPAREN, "'if'")) {
            return first;
        }
        s->expr = glsl_sema_condition(u, glsl_parse_expression(u), "if");
        if ((u->panic || !glsl_expect(u, GLSL_T_RPAREN, "the condition")) && !glsl_recover_header(u)) {
            return first;
        }
        s->body = parse_scoped(u);
        if (u->panic || !glsl_accept(u, GLSL_T_ELSE)) {
            return first;
        }
    }
    *link = parse_scoped(u);
    return first;
}

/* The condition of while and for: an expression or "type name = value". */
static void parse_condition(struct glsl_unit *u, struct glsl_stmt *loop, const char *where) {
    if (glsl_at_declaration(u)) {
        loop->vars = glsl_parse_condition_declaration(u);
        if (loop->vars && loop->vars->type->kind != GLSL_ERROR &&
            loop->vars->type != glsl_type_vector(GLSL_BOOL, 1)) {
            glsl_error(u, loop->vars->pos, "the condition of '%s' must be a bool, not '%s'", where,
                       glsl_type_name(u, loop->vars->type));
        }
    } else {
        loop->expr = glsl_sema_condition(u, glsl_parse_expression(u), where);
    }
}

static void parse_body(struct glsl_unit *u, struct glsl_stmt *loop) {
    u->loops++;
    loop->body = parse_substatement(u);
    u->loops--;
}

static void parse_for_header(struct glsl_unit *u, struct glsl_stmt *loop) {
    if (!glsl_expect(u, GLSL_T_LPAREN, "'for'")) {
        return;
    }
    if (glsl_at_declaration(u)) {
        loop->init = glsl_parse_local_declaration(u);
    } else if (!glsl_accept(u, GLSL_T_SEMICOLON)) {
        loop->init = glsl_stmt_new(u, GLSL_S_EXPR, glsl_peek(u)->pos);
        loop->init->expr = glsl_parse_expression(u);
        if (!u->panic) {
            glsl_expect(u, GLSL_T_SEMICOLON, "the first part of 'for'");
        }
    }
    if (u->panic) {
        return;
    }
    if (glsl_peek(u)->kind != GLSL_T_SEMICOLON) {
        parse_condition(u, loop, "for");
    }
    if (u->panic || !glsl_expect(u, GLSL_T_SEMICOLON, "the condition of 'for'")) {
        return;
    }
    if (glsl_peek(u)->kind != GLSL_T_RPAREN) {
        loop->step = glsl_parse_expression(u);
    }
    if (!u->panic) {
        glsl_expect(u, GLSL_T_RPAREN, "the parts of 'for'");
    }
}

/* for: 'for' '(' init [condition] ';' [expression] ')' statement */
static struct glsl_stmt *parse_for(struct glsl_unit *u) {
    struct glsl_stmt *loop = glsl_stmt_new(u, GLSL_S_FOR, glsl_next(u)->pos);
    glsl_scope_push(u);
    parse_for_header(u, loop);
    if (!u->panic || glsl_recover_header(u)) {
        parse_body(u, loop);
        glsl_sema_loop(u, loop);
    }
    glsl_scope_pop(u);
    return loop;
}

/* while: 'while' '(' condition ')' statement */
static struct glsl_stmt *parse_while(struct glsl_unit *u) {
    struct glsl_stmt *loop = glsl_stmt_new(u, GLSL_S_FOR, glsl_next(u)->pos);
    if (!glsl_expect(u, GLSL_T_LPAREN, "'while'")) {
        return loop;
    }
    glsl_scope_push(u);
    parse_condition(u, loop, "while");
    if ((!u->panic && glsl_expect(u, GLSL_T_RPAREN, "the condition")) || glsl_recover_header(u)) {
        parse_body(u, loop);
    }
    glsl_scope_pop(u);
    return loop;
}

/* do: 'do' statement 'while' '(' expression ')' ';' */
static struct glsl_stmt *parse_do(struct glsl_unit *u) {
    struct glsl_stmt *loop = glsl_stmt_new(u, GLSL_S_DO, glsl_next(u)->pos);
    glsl_scope_push(u);
    parse_body(u, loop);
    glsl_scope_pop(u);
    if (u->panic || !glsl_expect(u, GLSL_T_WHILE, "the body of 'do'") ||
        !glsl_expect(u, GLSL_T_LPAREN, "'while'")) {
        return loop;
    }
    loop->expr = glsl_sema_condition(u, glsl_parse_expression(u), "do while");
    if (!u->panic && glsl_expect(u, GLSL_T_RPAREN, "the condition")) {
        glsl_expect(u, GLSL_T_SEMICOLON, "'do ... while (...)'");
    }
    return loop;
}

static struct glsl_stmt *parse_jump(struct glsl_unit *u) {
    const struct glsl_token *token = glsl_next(u);
    struct glsl_expr *value = NULL;
    if (token->kind == GLSL_T_RETURN && glsl_peek(u)->kind != GLSL_T_SEMICOLON) {
        value = glsl_parse_expression(u);
        if (u->panic) {
            return NULL;
        }
    }
    glsl_expect(u, GLSL_T_SEMICOLON, glsl_token_kind_text((enum glsl_token_kind)token->kind));
    return glsl_sema_jump(u, token->kind, value, token->pos);
}

static struct glsl_stmt *parse_expression_statement(struct glsl_unit *u) {
    struct glsl_stmt *s = glsl_stmt_new(u, GLSL_S_EXPR, glsl_peek(u)->pos);
    s->expr = glsl_parse_expression(u);
    if (!u->panic) {
        glsl_expect(u, GLSL_T_SEMICOLON, "a statement");
    }
    return s;
}

static struct glsl_stmt *parse_statement(struct glsl_unit *u) {
    switch (glsl_peek(u)->kind) {
    case GLSL_T_LBRACE: return glsl_parse_block(u, true);
    case GLSL_T_IF: return parse_if(u);
    case GLSL_T_FOR: return parse_for(u);
    case GLSL_T_WHILE: return parse_while(u);
    case GLSL_T_DO: return parse_do(u);
    case GLSL_T_BREAK:
    case GLSL_T_CONTINUE:
    case GLSL_T_RETURN:
    case GLSL_T_DISCARD: return parse_jump(u);
    case GLSL_T_SEMICOLON: glsl_next(u); return NULL;
    default:
        return glsl_at_declaration(u) ? glsl_parse_local_declaration(u) : parse_expression_statement(u);
    }
}
