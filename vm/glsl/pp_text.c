/* SPDX-License-Identifier: MIT */
/*
 * Plain text to tokens. Nearly all of a shader needs nothing of the preprocessor: here it goes from
 * characters to finished tokens in one loop. What needs more is left where it stands to the directive loop
 * (pp.c), which goes on with the rest of that line. SPEC: GLSL ES 1.00.17 sections 3.5 to 3.7.
 */
#include <string.h>

#include "vm/glsl/chars.h"
#include "vm/glsl/pp.h"

/* A token at the scanner, which moves to 'end'. */
static inline void put(struct pp *pp, uint32_t end, unsigned kind, struct glsl_atom *atom, uint32_t value) {
    struct glsl_token_list *out = pp->out;
    bool has_room = out->count < pp->token_cap && out->count + 1 < GLSL_MAX_TOKENS;
    bool is_plain = kind < GLSL_T_DOUBLE_TYPE || kind > GLSL_T_DMAT4; /* the others may be words or not */
    struct glsl_token other, *token = has_room && is_plain ? &out->tokens[out->count++] : &other;
    token->pos = (struct diag_pos){pp->string, pp->line, pp->at - pp->line_start + 1, pp->at};
    token->kind = (uint16_t)kind;
    token->from_macro = false;
    token->value.words[0] = value;
    token->value.words[1] = 0;
    token->atom = atom;
    pp->at = end;
    pp->line_begin = false;
    pp->any_directive = pp->any_token = true;
    if (token == &other) {
        pp_put_token(pp, token);
    }
}

/*
 * Numbers of at most seven digits without an exponent: the digits and the power of ten are floats, so that
 * one division rounds correctly. False (and nothing taken) for all others.
 */
static bool short_number(struct pp *pp, uint32_t end) {
    static const float powers[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f};
    const char *source = pp->source;
    uint32_t at = pp->at, digits = 0, places = 0, value = 0;
    bool point = false;
    for (; at < end && digits <= 7; at++) {
        char c = source[at];
        if (glsl_is_digit(c)) {
            value = value * 10 + (uint32_t)(c - '0');
            digits++;
            places += point;
        } else if (c == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    bool octal = !point && digits > 1 && source[pp->at] == '0';
    if (at == end || digits > 7 || octal || glsl_is_word(source[at]) || source[at] == '.' || source[at] == '\\') {
        return false;
    }
    if (point) {
        float number = (float)value / powers[places];
        memcpy(&value, &number, sizeof value);
    }
    put(pp, at, point ? GLSL_T_FLOAT : GLSL_T_INT, NULL, value);
    return true;
}

/* Any other number, by the scanner. */
static void long_number(struct pp *pp) {
    struct pp_token token;
    struct glsl_token out;
    pp_scan(pp, &token);
    memset(&out, 0, sizeof out);
    out.pos = token.pos;
    pp_number_token(pp, &token, &out);
    pp->any_directive = pp->any_token = true;
    pp_put_token(pp, &out);
}

/* False when the word is for the preprocessor. */
static bool word(struct pp *pp, uint32_t end) {
    const char *source = pp->source;
    uint32_t at = pp->at + 1;
    while (glsl_is_word(source[at])) { /* a NUL ends the text */
        at++;
    }
    if ((at >= end && end < pp->length) || source[at] == '\\') {
        return false; /* may go on, or another string begins in it */
    }
    struct glsl_atom *atom = glsl_atom_get(pp->atoms, source + pp->at, at - pp->at);
    if (!atom) {
        pp->no_memory = true;
        return false;
    }
    if (atom->macro) {
        return false;
    }
    put(pp, at, pp_keyword(pp, atom), atom, 0);
    return true;
}

/* The operator of one character that begins no other, 0 if there is none. */
static unsigned single_operator(const struct pp *pp, char c) {
    return (uint8_t)c < 128 ? pp->operator_single[(uint8_t)c] : 0;
}

static uint32_t string_end(const struct pp *pp) {
    return pp->next_boundary < pp->boundary_count ? pp->boundaries[pp->next_boundary] : pp->length;
}

void pp_plain_text(struct pp *pp) {
    const char *source = pp->source;
    uint32_t end = string_end(pp), length;
    while (!pp->overflow && !pp->no_memory && !pp->diags->stopped) {
        uint32_t at = pp->at;
        while (at < end && glsl_is_space(source[at])) {
            at++;
        }
        pp->at = at;
        if (at >= end) {
            return; /* or beyond it: the last token reached into the next string */
        }
        unsigned class = glsl_char_class(source[at]);
        char next = at + 1 < end ? source[at + 1] : 0;
        if (class & GLSL_CHAR_NEWLINE) {
            pp_new_line(pp);
        } else if ((class & GLSL_CHAR_DIGIT) || (source[at] == '.' && glsl_is_digit(next))) {
            if (!short_number(pp, end)) {
                long_number(pp);
                end = string_end(pp);
            }
        } else if (class & GLSL_CHAR_WORD) {
            if (!word(pp, end)) {
                return;
            }
        } else if (source[at] == '/' && (next == '/' || next == '*')) {
            pp_skip_space(pp);
            end = string_end(pp);
        } else {
            length = 1;
            unsigned kind = single_operator(pp, source[at]);
            kind = kind ? kind : pp_operator(pp, &length);
            if (kind == PP_OTHER || (at + 3 > end && end < pp->length)) {
                return; /* or it may go on in the next string */
            }
            put(pp, at + length, kind, NULL, 0);
        }
    }
}
