/* SPDX-License-Identifier: MIT */
/*
 * #if and #elif expressions: 'defined' is resolved first, then macros are expanded (and 'defined' that
 * comes out of them is resolved), then a precedence
 * climber computes in 32-bit integers. What && and || do not evaluate may be undefined or divide by 0.
 * SPEC: GLSL ES 1.00.17 section 3.4.
 */
#include <string.h>

#include "vm/glsl/pp.h"

enum { EXPR_MAX_DEPTH = 256 };

struct expr {
    struct pp *pp;
    const struct pp_token *tokens;
    uint32_t count, at;
    uint32_t depth;
    struct diag_pos end;       /* where to point when the line ends too early */
    bool failed;
};

static struct diag_pos here(const struct expr *e) {
    return e->at < e->count ? e->tokens[e->at].pos : e->end;
}

static unsigned kind(const struct expr *e) { return e->at < e->count ? e->tokens[e->at].kind : GLSL_T_EOF; }

static int32_t fail(struct expr *e, struct diag_pos pos, const char *text) {
    if (!e->failed) {
        diag_add(e->pp->diags, DIAG_ERROR, pos, "%s in a preprocessor expression", text);
    }
    e->failed = true;
    return 0;
}

static int32_t binary(struct expr *e, unsigned min_precedence, bool live);

static int32_t primary(struct expr *e, bool live) {
    struct diag_pos pos = here(e);
    unsigned k = kind(e);
    if (e->depth >= EXPR_MAX_DEPTH) {
        return fail(e, pos, "too many nested operators");
    }
    const struct pp_token *token = &e->tokens[e->at];
    e->at += k != GLSL_T_EOF;
    int32_t value = 0;
    e->depth++;
    switch (k) {
    case GLSL_T_INT: /* 'defined' was replaced by one */
        value = (int32_t)token->param;
        break;
    case PP_NUMBER: {
        struct glsl_token number = {0};
        pp_number(e->pp, token, &number);
        if (number.kind == GLSL_T_FLOAT || number.kind == GLSL_T_DOUBLE) {
            fail(e, pos, "floating-point number");
        } else if (number.kind != GLSL_T_INT) {
            e->failed = true; /* its message is out */
        }
        value = (int32_t)number.value.i;
        break;
    }
    case GLSL_T_IDENT:
        if (live && !e->failed) {
            diag_add(e->pp->diags, DIAG_ERROR, pos, "'%s' is not defined", token->atom->text);
            diag_hint(e->pp->diags, "an undefined name is an error here, not 0: test it with defined(%s)",
                      token->atom->text);
            e->failed = true;
        }
        break;
    case GLSL_T_PLUS:
        value = primary(e, live);
        break;
    case GLSL_T_MINUS:
        value = (int32_t)(0u - (uint32_t)primary(e, live));
        break;
    case GLSL_T_TILDE:
        value = ~primary(e, live);
        break;
    case GLSL_T_BANG:
        value = !primary(e, live);
        break;
    case GLSL_T_LPAREN:
        value = binary(e, 1, live);
        if (kind(e) != GLSL_T_RPAREN) {
            value = fail(e, here(e), "missing ')'");
        } else {
            e->at++;
        }
        break;
    default:
        value = fail(e, pos, k == GLSL_T_EOF ? "missing operand" : "unexpected token");
        break;
    }
    e->depth--;
    return value;
}

static int32_t apply(struct expr *e, unsigned op, int32_t a, int32_t b, bool live, struct diag_pos pos) {
    uint32_t ua = (uint32_t)a, ub = (uint32_t)b;
    switch (op) {
    case GLSL_T_OR_OR: return a || b;
    case GLSL_T_AND_AND: return a && b;
    case GLSL_T_OR: return (int32_t)(ua | ub);
    case GLSL_T_XOR: return (int32_t)(ua ^ ub);
    case GLSL_T_AND: return (int32_t)(ua & ub);
    case GLSL_T_EQ: return a == b;
    case GLSL_T_NE: return a != b;
    case GLSL_T_LT: return a < b;
    case GLSL_T_GT: return a > b;
    case GLSL_T_LE: return a <= b;
    case GLSL_T_GE: return a >= b;
    case GLSL_T_SHL: return ub < 32 ? (int32_t)(ua << ub) : 0;
    case GLSL_T_SHR: return (int32_t)(((int64_t)a) >> (ub < 31 ? ub : 31));
    case GLSL_T_PLUS: return (int32_t)(ua + ub);
    case GLSL_T_MINUS: return (int32_t)(ua - ub);
    case GLSL_T_STAR: return (int32_t)(ua * ub);
    default: /* SLASH, PERCENT */
        if (b == 0) {
            return live ? fail(e, pos, "division by zero") : 0;
        }
        if (b == -1) { /* INT32_MIN / -1 does not fit */
            return op == GLSL_T_SLASH ? (int32_t)(0u - ua) : 0;
        }
        return op == GLSL_T_SLASH ? a / b : a % b;
    }
}

static int32_t binary(struct expr *e, unsigned min_precedence, bool live) {
    int32_t left = primary(e, live);
    while (!e->failed) {
        unsigned op = kind(e);
        unsigned precedence = op < GLSL_T_COUNT && op != GLSL_T_XOR_XOR ? glsl_token_precedence(op) : 0;
        if (precedence < min_precedence || precedence == 0) {
            break;
        }
        struct diag_pos pos = here(e);
        e->at++;
        bool right_live = live && !(op == GLSL_T_AND_AND && !left) && !(op == GLSL_T_OR_OR && left);
        if (e->depth >= EXPR_MAX_DEPTH) {
            return fail(e, pos, "too many nested operators");
        }
        e->depth++;
        int32_t right = binary(e, precedence + 1, right_live);
        e->depth--;
        left = apply(e, op, left, right, live, pos);
    }
    return left;
}

/* Replaces "defined X" and "defined(X)" by 0 or 1 (an INT token with the value in 'param'). */
static bool resolve_defined(struct pp *pp, const struct pp_token *line, uint32_t count, struct diag_pos pos,
                            struct pp_list *out) {
    for (uint32_t i = 0; i < count; i++) {
        struct pp_token token = line[i];
        if (token.kind == GLSL_T_IDENT && strcmp(token.atom->text, "defined") == 0) {
            bool paren = i + 1 < count && line[i + 1].kind == GLSL_T_LPAREN;
            i += paren ? 2 : 1;
            if (i >= count || line[i].kind != GLSL_T_IDENT) {
                diag_add(pp->diags, DIAG_ERROR, i < count ? line[i].pos : pos, "'defined' needs a name");
                return false;
            }
            token.kind = GLSL_T_INT;
            token.param = line[i].atom->macro != NULL;
            token.atom = NULL;
            if (paren && (++i >= count || line[i].kind != GLSL_T_RPAREN)) {
                diag_add(pp->diags, DIAG_ERROR, i < count ? line[i].pos : pos, "missing ')' after 'defined(name'");
                return false;
            }
        }
        if (!pp_push(pp, out, &token)) {
            return false;
        }
    }
    return true;
}

bool pp_evaluate(struct pp *pp, const struct pp_token *line, uint32_t count, struct diag_pos pos, bool *value) {
    struct pp_list resolved = {0}, expanded = {0}, tested = {0};
    *value = false;
    if (!count) {
        diag_add(pp->diags, DIAG_ERROR, pos, "missing expression");
        return false;
    }
    if (!resolve_defined(pp, line, count, pos, &resolved)) {
        return false;
    }
    uint32_t errors = pp->diags->errors;
    pp->in_condition = true;
    pp_expand(pp, resolved.tokens, resolved.count, false, &expanded);
    pp->in_condition = false;
    if (pp->diags->errors != errors || pp->no_memory || pp->overflow ||
        !resolve_defined(pp, expanded.tokens, expanded.count, pos, &tested)) { /* "defined" out of macros */
        return false;
    }
    struct expr e = {pp, tested.tokens, tested.count, 0, 0, pos, false};
    int32_t result = binary(&e, 1, true);
    if (!e.failed && e.at < e.count) {
        fail(&e, here(&e), "unexpected token");
    }
    *value = !e.failed && result != 0;
    return !e.failed;
}
