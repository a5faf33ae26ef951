/* SPDX-License-Identifier: MIT */
/*
 * Macros: definition, and expansion by a stack-free recursive walk. A macro is 'active' while its
 * replacement is rescanned; its own name met there is painted (no_expand) and stays. Arguments are
 * expanded by themselves before they are put in. SPEC: GLSL ES 1.00.17 section 3.4.
 */
#include <stdio.h>
#include <string.h>

#include "vm/glsl/pp.h"

bool pp_push(struct pp *pp, struct pp_list *list, const struct pp_token *token) {
    if (list->count == list->cap) {
        struct pp_token *grown =
            arena_grow(pp->arena, list->tokens, list->count, &list->cap, list->count + 1, sizeof *grown);
        if (!grown) {
            pp->no_memory = true;
            return false;
        }
        list->tokens = grown;
    }
    list->tokens[list->count++] = *token;
    return true;
}

struct pp_macro *pp_macro_of(const struct pp_token *token) {
    return token->kind == GLSL_T_IDENT && token->atom ? token->atom->macro : NULL;
}

static bool same_token(const struct pp_token *a, const struct pp_token *b, bool first) {
    return a->kind == b->kind && a->atom == b->atom && a->param == b->param &&
           (first || a->space == b->space) && a->length == b->length &&
           (!a->length || a->atom || memcmp(a->text, b->text, a->length) == 0);
}

static bool same_macro(const struct pp_macro *a, const struct pp_macro *b) {
    if (a->function_like != b->function_like || a->param_count != b->param_count ||
        a->body_count != b->body_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->param_count; i++) {
        if (a->params[i] != b->params[i]) {
            return false;
        }
    }
    for (uint32_t i = 0; i < a->body_count; i++) {
        if (!same_token(&a->body[i], &b->body[i], i == 0)) {
            return false;
        }
    }
    return true;
}

/* Reads "(a, b)" after a function-like macro's name; returns the index behind ')', 0 after an error. */
static uint32_t read_params(struct pp *pp, struct pp_macro *macro, const struct pp_token *line, uint32_t count) {
    uint32_t i = 2, cap = 0;
    if (i < count && line[i].kind == GLSL_T_RPAREN) {
        return i + 1;
    }
    for (;;) {
        if (i >= count || line[i].kind != GLSL_T_IDENT) {
            diag_add(pp->diags, DIAG_ERROR, line[i < count ? i : count - 1].pos,
                     "expected a parameter name of macro '%s'", macro->name->text);
            return 0;
        }
        for (uint32_t k = 0; k < macro->param_count; k++) {
            if (macro->params[k] == line[i].atom) {
                diag_add(pp->diags, DIAG_ERROR, line[i].pos, "macro parameter '%s' is given twice", line[i].atom->text);
                return 0;
            }
        }
        if (macro->param_count == PP_MAX_PARAMS) {
            diag_add(pp->diags, DIAG_ERROR, line[i].pos, "macro '%s' has more than %d parameters",
                     macro->name->text, (int)PP_MAX_PARAMS);
            return 0;
        }
        struct glsl_atom **params = arena_grow(pp->arena, macro->params, macro->param_count, &cap,
                                               macro->param_count + 1u, sizeof *params);
        if (!params) {
            pp->no_memory = true;
            return 0;
        }
        macro->params = params;
        macro->params[macro->param_count++] = line[i++].atom;
        if (i < count && line[i].kind == GLSL_T_RPAREN) {
            return i + 1;
        }
        if (i >= count || line[i].kind != GLSL_T_COMMA) {
            diag_add(pp->diags, DIAG_ERROR, line[i < count ? i : count - 1].pos,
                     "expected ',' or ')' in the parameter list of macro '%s'", macro->name->text);
            return 0;
        }
        i++;
    }
}

/* Checks a name that #define and #undef may take. */
static bool check_name(struct pp *pp, const struct pp_token *line, uint32_t count, struct diag_pos pos, const char *what) {
    if (!count || line[0].kind != GLSL_T_IDENT) {
        diag_add(pp->diags, DIAG_ERROR, count ? line[0].pos : pos, "#%s needs a macro name", what);
        return false;
    }
    const struct pp_macro *old = line[0].atom->macro;
    if (old && old->predefined) {
        diag_add(pp->diags, DIAG_ERROR, line[0].pos, "'%s' is predefined: #%s may not touch it", line[0].atom->text, what);
        return false;
    }
    if (strncmp(line[0].atom->text, "GL_", 3) == 0) {
        diag_add(pp->diags, DIAG_ERROR, line[0].pos, "macro names that begin with 'GL_' are reserved");
        return false;
    }
    if (strcmp(line[0].atom->text, "defined") == 0) {
        diag_add(pp->diags, DIAG_ERROR, line[0].pos, "'defined' cannot be a macro name");
        return false;
    }
    return true;
}

void pp_define(struct pp *pp, const struct pp_token *line, uint32_t count, struct diag_pos pos) {
    if (!check_name(pp, line, count, pos, "define")) {
        return;
    }
    struct pp_macro *macro = arena_alloc(pp->arena, sizeof *macro);
    if (!macro) {
        pp->no_memory = true;
        return;
    }
    macro->name = line[0].atom;
    if (strstr(macro->name->text, "__")) {
        diag_add(pp->diags, DIAG_WARNING, line[0].pos, "macro names with two underscores in a row are reserved: '%s'",
                 macro->name->text);
    }
    uint32_t i = 1;
    if (i < count && line[i].kind == GLSL_T_LPAREN && !line[i].space) {
        macro->function_like = true;
        i = read_params(pp, macro, line, count);
        if (!i) {
            return;
        }
    }
    struct pp_list body = {0};
    body.tokens = arena_array(pp->arena, count - i, sizeof *body.tokens);
    body.cap = body.tokens ? count - i : 0;
    for (; i < count; i++) {
        struct pp_token token = line[i];
        if (token.kind == PP_HASH) {
            diag_add(pp->diags, DIAG_ERROR, token.pos, "'#' and '##' do not exist in macros of GLSL ES 1.00");
            return;
        }
        for (uint32_t k = 0; k < macro->param_count && token.kind == GLSL_T_IDENT; k++) {
            if (macro->params[k] == token.atom) {
                token.kind = PP_PARAM;
                token.param = (uint16_t)k;
            }
        }
        if (!pp_push(pp, &body, &token)) {
            return;
        }
    }
    macro->body = body.tokens;
    macro->body_count = body.count;
    struct pp_macro *old = macro->name->macro;
    if (old && !same_macro(old, macro)) {
        diag_add(pp->diags, DIAG_ERROR, line[0].pos, "macro '%s' is defined differently already", macro->name->text);
        diag_hint(pp->diags, "#undef it first");
        return;
    }
    macro->name->macro = macro;
}

void pp_undef(struct pp *pp, const struct pp_token *line, uint32_t count, struct diag_pos pos) {
    if (!check_name(pp, line, count, pos, "undef")) {
        return;
    }
    if (count > 1) {
        diag_add(pp->diags, DIAG_ERROR, line[1].pos, "unexpected text after #undef %s", line[0].atom->text);
        return;
    }
    line[0].atom->macro = NULL;
}

bool pp_predefine(struct pp *pp, const char *name, uint8_t special, const char *value) {
    struct pp_macro *macro = arena_alloc(pp->arena, sizeof *macro);
    struct glsl_atom *atom = glsl_atom_get(pp->atoms, name, (uint32_t)strlen(name));
    struct pp_token *body = arena_alloc(pp->arena, sizeof *body);
    if (!macro || !atom || !body) {
        return false;
    }
    body->kind = PP_NUMBER;
    body->text = value;
    body->length = (uint32_t)strlen(value);
    macro->name = atom;
    macro->predefined = true;
    macro->special = special;
    macro->body = body;
    macro->body_count = 1;
    atom->macro = macro;
    return true;
}

/* ---- expansion ---------------------------------------------------------------------------------------- */

/* Where an expansion reads from: a token array, then (at the outermost level) the scanner. */
struct feed {
    const struct pp_token *tokens;
    uint32_t count, at;
    bool more;                /* continue with the scanner */
    struct feed *outer;       /* a replacement list that ends goes on in the text around it */
    struct pp_macro *macro;   /* active while this feed is open */
};

static void limit_message(struct pp *pp, struct diag_pos pos, const char *what) {
    if (!pp->overflow) {
        diag_add(pp->diags, DIAG_ERROR, pos, "macro expansion %s", what);
        pp->overflow = true;
    }
}

/* Drops feeds that are used up. Returns the innermost one with a token, or the outermost. */
static struct feed *settle(struct feed *feed) {
    while (feed->at == feed->count && feed->outer) {
        if (feed->macro) {
            feed->macro->active = false;
        }
        feed = feed->outer;
    }
    return feed;
}

/* The next token of the feeds; GLSL_T_EOF at their end. Newlines from the scanner are white space here. */
static struct feed *feed_next(struct pp *pp, struct feed *feed, struct pp_token *out) {
    feed = settle(feed);
    if (feed->at < feed->count) {
        *out = feed->tokens[feed->at++];
        return feed;
    }
    if (!feed->more) {
        memset(out, 0, sizeof *out);
        out->kind = GLSL_T_EOF;
        return feed;
    }
    bool space = false;
    do {
        pp_scan(pp, out);
        space |= out->kind == PP_NEWLINE;
    } while (out->kind == PP_NEWLINE);
    out->space |= space;
    return feed;
}

/* True if the next token is '(' (without taking it). From the scanner, the state is put back if not. */
static bool open_follows(struct pp *pp, const struct feed *feed) {
    for (; feed; feed = feed->outer) {
        if (feed->at < feed->count) {
            return feed->tokens[feed->at].kind == GLSL_T_LPAREN;
        }
        if (feed->more) {
            struct pp_mark mark = pp_mark(pp);
            struct pp_token token;
            uint32_t errors = pp->diags->errors;
            do {
                pp_scan(pp, &token);
            } while (token.kind == PP_NEWLINE);
            if (token.kind != GLSL_T_LPAREN && pp->diags->errors != errors) {
                return false; /* an unclosed comment: stay at the end, its message is out */
            }
            pp_return_to(pp, mark);
            return token.kind == GLSL_T_LPAREN;
        }
    }
    return false;
}

/* Collects the arguments of a call whose '(' comes next. False after a message. */
static bool read_arguments(struct pp *pp, struct feed **feed, const struct pp_macro *macro, struct diag_pos pos,
                           struct pp_list *args) {
    struct pp_token token;
    *feed = feed_next(pp, *feed, &token); /* the '(' */
    uint32_t depth = 0, arg = 0, limit = macro->param_count ? macro->param_count : 1;
    for (;;) {
        *feed = feed_next(pp, *feed, &token);
        if (token.kind == GLSL_T_EOF) {
            diag_add(pp->diags, DIAG_ERROR, pos, "the call of macro '%s' has no closing ')'", macro->name->text);
            return false;
        }
        if (token.kind == PP_HASH) {
            diag_add(pp->diags, DIAG_ERROR, token.pos, "'#' inside the arguments of macro '%s'", macro->name->text);
            return false;
        }
        if (token.kind == GLSL_T_RPAREN && depth == 0) {
            break;
        }
        if (token.kind == GLSL_T_COMMA && depth == 0) {
            if (++arg == limit) {
                diag_add(pp->diags, DIAG_ERROR, token.pos, "macro '%s' takes %u argument%s", macro->name->text,
                         (unsigned)macro->param_count, macro->param_count == 1 ? "" : "s");
                return false;
            }
            continue;
        }
        depth += token.kind == GLSL_T_LPAREN;
        depth -= token.kind == GLSL_T_RPAREN;
        if (macro->param_count == 0) {
            diag_add(pp->diags, DIAG_ERROR, token.pos, "macro '%s' takes no arguments", macro->name->text);
            return false;
        }
        if (pp->overflow || !pp_push(pp, &args[arg], &token)) {
            return false;
        }
    }
    if (macro->param_count && arg + 1 != macro->param_count) {
        diag_add(pp->diags, DIAG_ERROR, pos, "macro '%s' takes %u arguments, not %u", macro->name->text,
                 (unsigned)macro->param_count, (unsigned)(arg + 1));
        return false;
    }
    return true;
}

/* Appends a replacement token, counting the work. */
static bool emit(struct pp *pp, struct pp_list *list, const struct pp_token *from, const struct pp_token *use, bool first) {
    pp->work++;
    struct pp_token token = *from;
    token.pos = use->pos;
    token.from_macro = true;
    if (first) {
        token.space = use->space;
    }
    return pp_push(pp, list, &token);
}

static bool special_value(struct pp *pp, const struct pp_macro *macro, const struct pp_token *use, struct pp_list *list) {
    char text[16];
    uint32_t line = use->from_macro ? pp->token_line : use->pos.line;
    int length = snprintf(text, sizeof text, "%u", (unsigned)(macro->special == 1 ? line : use->pos.string));
    struct pp_token token = macro->body[0];
    token.text = arena_strndup(pp->arena, text, (size_t)length);
    token.length = (uint32_t)length;
    if (!token.text) {
        pp->no_memory = true;
        return false;
    }
    return emit(pp, list, &token, use, true);
}

/* Puts the (expanded) arguments into the body. */
static bool substitute(struct pp *pp, const struct pp_macro *macro, const struct pp_token *use,
                       const struct pp_list *args, struct pp_list *result) {
    if (macro->special) {
        return special_value(pp, macro, use, result);
    }
    uint64_t need = 0;
    for (uint32_t i = 0; i < macro->body_count; i++) {
        need += macro->body[i].kind == PP_PARAM ? args[macro->body[i].param].count : 1;
    }
    if (pp->work + need > PP_MAX_WORK) {
        limit_message(pp, use->pos, "makes too many tokens");
        return false;
    }
    result->tokens = arena_array(pp->arena, (size_t)need, sizeof *result->tokens);
    result->cap = result->tokens ? (uint32_t)need : 0;
    for (uint32_t i = 0; i < macro->body_count; i++) {
        const struct pp_token *b = &macro->body[i];
        if (b->kind != PP_PARAM) {
            if (!emit(pp, result, b, use, i == 0)) {
                return false;
            }
            continue;
        }
        const struct pp_list *arg = &args[b->param];
        for (uint32_t k = 0; k < arg->count; k++) {
            struct pp_token token = arg->tokens[k];
            if (k == 0) {
                token.space = b->space;
            }
            if (!emit(pp, result, &token, use, i == 0 && k == 0)) {
                return false;
            }
        }
    }
    return true;
}

/* Opens the expansion of 'use' as a new feed in front of *feed. False if nothing is to be expanded further. */
static bool open_macro(struct pp *pp, struct feed **feed, struct pp_macro *macro, const struct pp_token *use) {
    struct pp_list *args = NULL;
    if (macro->function_like) {
        uint32_t n = macro->param_count ? macro->param_count : 1;
        args = arena_array(pp->arena, n, sizeof *args);
        if (!args) {
            pp->no_memory = true;
            return false;
        }
        if (!read_arguments(pp, feed, macro, use->pos, args)) {
            pp->overflow = pp->overflow || pp->no_memory;
            return false;
        }
        if (pp->depth >= PP_MAX_DEPTH) {
            limit_message(pp, use->pos, "nests too deeply");
            return false;
        }
        pp->depth++;
        for (uint32_t i = 0; i < n && !pp->overflow; i++) {
            struct pp_list expanded = {0};
            pp_expand(pp, args[i].tokens, args[i].count, false, &expanded);
            args[i] = expanded;
        }
        pp->depth--;
    }
    struct pp_list result = {0};
    if (pp->overflow || !substitute(pp, macro, use, args, &result)) {
        return false;
    }
    struct feed *inner = arena_alloc(pp->arena, sizeof *inner);
    if (!inner) {
        pp->no_memory = true;
        return false;
    }
    inner->tokens = result.tokens;
    inner->count = result.count;
    inner->outer = *feed;
    inner->macro = macro;
    macro->active = true;
    *feed = inner;
    return true;
}

/* Does the list end in "defined" or "defined (": then what follows is a name to be tested. */
static bool after_defined(const struct pp_list *list) {
    uint32_t n = list->count;
    if (n && list->tokens[n - 1].kind == GLSL_T_LPAREN) {
        n--;
    }
    const struct pp_token *last = n ? &list->tokens[n - 1] : NULL;
    return last && last->kind == GLSL_T_IDENT && strcmp(last->atom->text, "defined") == 0;
}

void pp_expand(struct pp *pp, const struct pp_token *tokens, uint32_t count, bool more, struct pp_list *out) {
    struct feed base = {tokens, count, 0, more, NULL, NULL};
    struct feed *feed = &base;
    while (!pp->overflow && !pp->no_memory) {
        feed = settle(feed);
        if (feed->at == feed->count) {
            break; /* the outermost list is used up: the caller goes on with the next line */
        }
        struct pp_token token = feed->tokens[feed->at++];
        struct pp_macro *macro = token.no_expand ? NULL : pp_macro_of(&token);
        if (macro && macro->active) {
            token.no_expand = true;
            macro = NULL;
        }
        if (macro && macro->function_like && !open_follows(pp, feed)) {
            macro = NULL;
        }
        if (macro && pp->in_condition && after_defined(out)) {
            macro = NULL;
        }
        if (macro) {
            open_macro(pp, &feed, macro, &token);
        } else {
            pp_push(pp, out, &token);
        }
    }
    for (; feed; feed = feed->outer) { /* after a limit: nothing stays active */
        if (feed->macro) {
            feed->macro->active = false;
        }
    }
}
