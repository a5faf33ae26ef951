/* SPDX-License-Identifier: MIT */
/*
 * The scanner: bytes to preprocessing tokens. Takes comments and line continuations out, keeps track of
 * string, line and column, and converts number spellings. SPEC: GLSL ES 1.00.17 sections 3.1 to 3.7.
 */
#include <string.h>

#include "vm/glsl/chars.h"
#include "vm/glsl/decimal.h"
#include "vm/glsl/pp.h"
#include "vm/include/glslc.h"

static const struct {
    const char *text;
    uint8_t length;
    uint16_t kind;
} keywords[] = {
#define KEYWORD(id, text) {text, sizeof text - 1, GLSL_T_##id},
#define KEYWORD_EXT(id, text, ext, fallback) KEYWORD(id, text)
#define RESERVED_WORD(text) {text, sizeof text - 1, GLSL_T_RESERVED},
#include "vm/glsl/token.def"
};
enum { KEYWORD_COUNT = sizeof keywords / sizeof keywords[0] };
_Static_assert((int)KEYWORD_COUNT <= (int)PP_MAX_KEYWORDS, "struct pp has room for the chains");

static const struct {
    const char *text;
    uint8_t length;
    uint16_t kind;
} operators[] = {
#define OPERATOR(id, text, prec) {text, sizeof text - 1, GLSL_T_##id},
#define RESERVED_OP(id, text, prec) {text, sizeof text - 1, GLSL_T_##id},
#include "vm/glsl/token.def"
};
enum { OPERATOR_COUNT = sizeof operators / sizeof operators[0] };
_Static_assert((int)GLSL_T_COUNT < 256, "a kind fits a byte");
_Static_assert((int)OPERATOR_COUNT <= (int)PP_MAX_OPERATORS, "struct pp has room for the chains");

const char *glsl_token_kind_text(enum glsl_token_kind kind) {
    switch (kind) {
#define TOKEN(id, text)                                                                            \
    case GLSL_T_##id:                                                                              \
        return text;
#define KEYWORD(id, text) TOKEN(id, text)
#define KEYWORD_EXT(id, text, ext, fallback) TOKEN(id, text)
#define OPERATOR(id, text, prec) TOKEN(id, text)
#define RESERVED_OP(id, text, prec) TOKEN(id, text)
#include "vm/glsl/token.def"
    default:
        return "token";
    }
}

const uint8_t glsl_precedences[GLSL_T_COUNT] = {
#define OPERATOR(id, text, prec) [GLSL_T_##id] = prec,
#define RESERVED_OP(id, text, prec) [GLSL_T_##id] = prec,
#include "vm/glsl/token.def"
};

bool glsl_token_reserved_op(enum glsl_token_kind kind) {
    static const bool reserved[GLSL_T_COUNT] = {
#define RESERVED_OP(id, text, prec) [GLSL_T_##id] = true,
#include "vm/glsl/token.def"
    };
    return kind < GLSL_T_COUNT && reserved[kind];
}

static unsigned keyword_bucket(const char *text, uint32_t length) {
    return ((unsigned)text[0] * 7 + (unsigned)text[length - 1] * 13 + length) % PP_KEYWORD_BUCKETS;
}

void pp_index_words(struct pp *pp) {
    for (int i = OPERATOR_COUNT; i-- > 0;) {
        uint8_t *head = &pp->operator_first[operators[i].text[0] & 127];
        pp->operator_next[i] = *head;
        *head = (uint8_t)(i + 1);
        uint8_t *single = &pp->operator_single[operators[i].text[0] & 127];
        *single = pp->operator_next[i] || operators[i].length > 1 ? 0 : (uint8_t)operators[i].kind;
        if (operators[i].length == 1) {
            pp->operator_alone[operators[i].text[0] & 127] = (uint8_t)operators[i].kind;
        }
    }
    for (int i = KEYWORD_COUNT; i-- > 0;) {
        uint8_t *head = &pp->keyword_first[keyword_bucket(keywords[i].text, keywords[i].length)];
        pp->keyword_next[i] = *head;
        *head = (uint8_t)(i + 1);
    }
}

enum glsl_token_kind pp_keyword(const struct pp *pp, struct glsl_atom *atom) {
    if (atom->keyword < 0) {
        atom->keyword = 0;
        for (int i = pp->keyword_first[keyword_bucket(atom->text, atom->length)]; i > 0; i = pp->keyword_next[i - 1]) {
            if (keywords[i - 1].length == atom->length && memcmp(keywords[i - 1].text, atom->text, atom->length) == 0) {
                atom->keyword = (int16_t)keywords[i - 1].kind;
                break;
            }
        }
    }
    return atom->keyword ? (enum glsl_token_kind)atom->keyword : GLSL_T_IDENT;
}

/* ---- characters ----------------------------------------------------------------------------------- */

#define LETTER (GLSL_CHAR_WORD)
#define DIGIT (GLSL_CHAR_WORD | GLSL_CHAR_DIGIT)
const uint8_t glsl_char_classes[256] = {
    [' '] = GLSL_CHAR_SPACE, ['\t'] = GLSL_CHAR_SPACE, ['\v'] = GLSL_CHAR_SPACE, ['\f'] = GLSL_CHAR_SPACE,
    ['\n'] = GLSL_CHAR_NEWLINE, ['\r'] = GLSL_CHAR_NEWLINE, ['/'] = GLSL_CHAR_MARK, ['\\'] = GLSL_CHAR_MARK,
    ['+'] = GLSL_CHAR_OPERATOR, ['-'] = GLSL_CHAR_OPERATOR, ['='] = GLSL_CHAR_OPERATOR, ['<'] = GLSL_CHAR_OPERATOR,
    ['>'] = GLSL_CHAR_OPERATOR, ['&'] = GLSL_CHAR_OPERATOR, ['|'] = GLSL_CHAR_OPERATOR, ['^'] = GLSL_CHAR_OPERATOR,
    ['0'] = DIGIT, ['1'] = DIGIT, ['2'] = DIGIT, ['3'] = DIGIT, ['4'] = DIGIT,
    ['5'] = DIGIT, ['6'] = DIGIT, ['7'] = DIGIT, ['8'] = DIGIT, ['9'] = DIGIT,
    ['_'] = LETTER,
#define BOTH(lower, upper) [lower] = LETTER, [upper] = LETTER
    BOTH('a', 'A'), BOTH('b', 'B'), BOTH('c', 'C'), BOTH('d', 'D'), BOTH('e', 'E'), BOTH('f', 'F'), BOTH('g', 'G'),
    BOTH('h', 'H'), BOTH('i', 'I'), BOTH('j', 'J'), BOTH('k', 'K'), BOTH('l', 'L'), BOTH('m', 'M'), BOTH('n', 'N'),
    BOTH('o', 'O'), BOTH('p', 'P'), BOTH('q', 'Q'), BOTH('r', 'R'), BOTH('s', 'S'), BOTH('t', 'T'), BOTH('u', 'U'),
    BOTH('v', 'V'), BOTH('w', 'W'), BOTH('x', 'X'), BOTH('y', 'Y'), BOTH('z', 'Z'),
#undef BOTH
};
#undef LETTER
#undef DIGIT

static char peek(const struct pp *pp, uint32_t ahead) {
    return pp->at + ahead < pp->length ? pp->source[pp->at + ahead] : 0;
}

/* Length of the line end at 'at': "\r\n" and "\n\r" are one. */
static uint32_t newline_length(const struct pp *pp, uint32_t at) {
    char c = pp->source[at];
    if (!glsl_is_newline(c)) {
        return 0;
    }
    char d = at + 1 < pp->length ? pp->source[at + 1] : 0;
    return glsl_is_newline(d) && d != c ? 2 : 1;
}

static void new_line(struct pp *pp, uint32_t length) {
    pp->at += length;
    pp->line++;
    pp->line_start = pp->at;
}

/* Steps over backslash-newline pairs; true if there was one. */
static bool skip_continuation(struct pp *pp) {
    bool any = false;
    while (peek(pp, 0) == '\\' && pp->at + 1 < pp->length && newline_length(pp, pp->at + 1)) {
        uint32_t length = newline_length(pp, pp->at + 1);
        pp->at++;
        new_line(pp, length);
        any = true;
    }
    return any;
}

static struct diag_pos position(const struct pp *pp) {
    return (struct diag_pos){pp->string, pp->line, pp->at - pp->line_start + 1, pp->at};
}

/* A new source string begins: numbering restarts. Called where the scanner stands between tokens. */
static void cross_boundaries(struct pp *pp) {
    while (pp->next_boundary < pp->boundary_count && pp->at >= pp->boundaries[pp->next_boundary]) {
        pp->string = pp->next_boundary;
        pp->line = 1;
        pp->line_start = pp->boundaries[pp->next_boundary];
        pp->next_boundary++;
    }
}

static void skip_block_comment(struct pp *pp) {
    struct diag_pos pos = position(pp);
    pp->at += 2;
    while (pp->at < pp->length) {
        uint32_t length = newline_length(pp, pp->at);
        if (length) {
            new_line(pp, length);
        } else if (pp->source[pp->at] == '*' && peek(pp, 1) == '/') {
            pp->at += 2;
            return;
        } else {
            pp->at++;
        }
        cross_boundaries(pp);
    }
    diag_add(pp->diags, DIAG_ERROR, pos, "comment is not closed before the end of the shader");
}

static void skip_line_comment(struct pp *pp) {
    while (pp->at < pp->length && !glsl_is_newline(pp->source[pp->at])) {
        if (pp->source[pp->at] != '\\' || !skip_continuation(pp)) {
            pp->at++;
        }
    }
}

bool pp_skip_space(struct pp *pp) {
    bool any = false;
    for (;;) {
        cross_boundaries(pp);
        if (pp->at >= pp->length) {
            return any;
        }
        char c = pp->source[pp->at];
        if (glsl_is_space(c)) {
            do {
                pp->at++;
            } while (pp->at < pp->length && glsl_is_space(pp->source[pp->at]));
        } else if (c != '/' && c != '\\') {
            return any;
        } else if (c == '/' && peek(pp, 1) == '*') {
            skip_block_comment(pp);
        } else if (c == '/' && peek(pp, 1) == '/') {
            skip_line_comment(pp);
        } else if (!skip_continuation(pp)) {
            return any;
        }
        any = true;
    }
}

/* ---- tokens ------------------------------------------------------------------------------------------ */

/* The word or number at the scanner, unless a continuation may be in it. */
static inline bool scan_plain_run(struct pp *pp, struct pp_token *out, bool number) {
    uint32_t at = pp->at;
    while (glsl_is_word(pp->source[at]) || (number && pp->source[at] == '.')) { /* a NUL ends the text */
        at++;
    }
    char stop = pp->source[at];
    if (stop == '\\' || (number && (stop == '+' || stop == '-'))) {
        return false; /* a sign may belong to an exponent */
    }
    out->text = pp->source + pp->at;
    out->length = at - pp->at;
    pp->at = at;
    return true;
}

/* Copies the word or number at the scanner; continuations inside it vanish. */
static void scan_run(struct pp *pp, struct pp_token *out, bool number) {
    if (scan_plain_run(pp, out, number)) {
        return;
    }
    uint32_t begin = pp->at;
    bool spliced = false;
    char before = 0;
    uint32_t length = 0;
    bool hex = number && peek(pp, 0) == '0' && (peek(pp, 1) == 'x' || peek(pp, 1) == 'X');
    for (;;) {
        spliced |= skip_continuation(pp);
        char c = peek(pp, 0);
        bool sign = number && !hex && (c == '+' || c == '-') && (before == 'e' || before == 'E');
        if (pp->at >= pp->length || !(glsl_is_word(c) || (number && c == '.') || sign)) {
            break;
        }
        before = c;
        pp->at++;
        length++;
    }
    if (!spliced) {
        out->text = pp->source + begin;
        out->length = length;
        return;
    }
    char *copy = arena_alloc(pp->arena, length + 1);
    if (!copy) {
        pp->no_memory = true;
        out->text = "";
        out->length = 0;
        return;
    }
    uint32_t n = 0;
    for (uint32_t i = begin; i < pp->at && n < length; i++) {
        char c = pp->source[i];
        if (c != '\\' && !glsl_is_newline(c)) {
            copy[n++] = c;
        }
    }
    out->text = copy;
    out->length = n;
}

unsigned pp_operator(const struct pp *pp, uint32_t *length) {
    int best = -1;
    const char *text = pp->source + pp->at;
    uint8_t first = (uint8_t)text[0];
    if (first < 128 && pp->operator_alone[first] && !(glsl_char_class(text[1]) & GLSL_CHAR_OPERATOR)) {
        *length = 1; /* most often nothing that could make it longer follows */
        return pp->operator_alone[first];
    }
    for (int i = first < 128 ? pp->operator_first[first] : 0; i > 0; i = pp->operator_next[i - 1]) {
        uint32_t size = operators[i - 1].length;
        bool fits = size <= pp->length - pp->at && (best < 0 || size > operators[best].length);
        for (uint32_t k = 1; fits && k < size; k++) {
            fits = text[k] == operators[i - 1].text[k];
        }
        best = fits ? i - 1 : best;
    }
    *length = best < 0 ? 1 : operators[best].length;
    return best < 0 ? (unsigned)PP_OTHER : operators[best].kind;
}

static void scan_operator(struct pp *pp, struct pp_token *out) {
    out->text = pp->source + pp->at;
    out->kind = (uint16_t)pp_operator(pp, &out->length);
    while (out->kind == PP_OTHER && (uint8_t)out->text[0] >= 0x80 && pp->at + out->length < pp->length &&
           ((uint8_t)out->text[out->length] & 0xC0) == 0x80) {
        out->length++; /* the rest of an UTF-8 sequence */
    }
    pp->at += out->length;
}

/* The scanner is at the beginning of a token already: no space, no comment, no other string. */
static bool at_token(const struct pp *pp) {
    return pp->at < pp->length && pp->next_boundary == pp->boundary_count &&
           !(glsl_char_class(pp->source[pp->at]) & (GLSL_CHAR_SPACE | GLSL_CHAR_MARK));
}

void pp_scan(struct pp *pp, struct pp_token *out) {
    *out = (struct pp_token){.kind = GLSL_T_EOF};
    out->space = !at_token(pp) && pp_skip_space(pp);
    out->pos = position(pp);
    if (pp->at >= pp->length) {
        return;
    }
    pp->line_begin = false;
    pp->token_line = glsl_is_newline(pp->source[pp->at]) ? pp->token_line : out->pos.line;
    char c = pp->source[pp->at];
    if (glsl_is_newline(c)) {
        out->kind = PP_NEWLINE;
        pp->line_begin = true;
        new_line(pp, newline_length(pp, pp->at));
    } else if (glsl_is_digit(c) || (c == '.' && glsl_is_digit(peek(pp, 1)))) {
        out->kind = PP_NUMBER;
        scan_run(pp, out, true);
    } else if (glsl_is_word(c)) {
        out->kind = GLSL_T_IDENT;
        scan_run(pp, out, false);
        out->atom = glsl_atom_get(pp->atoms, out->text, out->length);
        if (!out->atom) {
            pp->no_memory = true;
            out->kind = GLSL_T_BAD;
        }
    } else if (c == '#') {
        out->kind = PP_HASH;
        out->text = "#";
        out->length = 1;
        pp->at++;
    } else {
        scan_operator(pp, out);
    }
}

struct pp_mark pp_mark(const struct pp *pp) {
    return (struct pp_mark){pp->at, pp->line_start, pp->string, pp->line, pp->token_line, pp->next_boundary, pp->line_begin};
}

void pp_return_to(struct pp *pp, struct pp_mark mark) {
    pp->at = mark.at;
    pp->line_start = mark.line_start;
    pp->string = mark.string;
    pp->line = mark.line;
    pp->token_line = mark.token_line;
    pp->next_boundary = mark.next_boundary;
    pp->line_begin = mark.line_begin;
}

void pp_new_line(struct pp *pp) {
    pp->line_begin = true;
    new_line(pp, newline_length(pp, pp->at));
}

bool pp_at_hash(struct pp *pp) {
    pp_skip_space(pp);
    return pp->at < pp->length && pp->source[pp->at] == '#';
}

/* Is one of the eight bytes at 'text' a MARK or a NEWLINE? May say yes for nothing. */
static bool any_mark(const char *text) {
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    uint64_t v, slash, back;
    memcpy(&v, text, sizeof v);
    slash = v ^ ones * '/';
    back = v ^ ones * '\\';
    uint64_t control = v - ones * 14; /* line ends are below 14 */
    return (((slash - ones) | (back - ones) | control) & ~v & tops) != 0;
}

void pp_skip_line(struct pp *pp) {
    for (;;) {
        pp_skip_space(pp);
        if (pp->at >= pp->length) {
            return;
        }
        uint32_t newline = newline_length(pp, pp->at);
        if (newline) {
            pp->line_begin = true;
            new_line(pp, newline);
            return;
        }
        /* Up to the next character that pp_skip_space or the above may care about; another string may begin anywhere. */
        uint32_t end = pp->next_boundary < pp->boundary_count ? pp->boundaries[pp->next_boundary] : pp->length;
        uint32_t at = pp->at + 1;
        while (at + 8 <= end && !any_mark(pp->source + at)) {
            at += 8;
        }
        while (at < end && !(glsl_char_class(pp->source[at]) & (GLSL_CHAR_MARK | GLSL_CHAR_NEWLINE))) {
            at++;
        }
        pp->at = at;
    }
}

/* ---- numbers -------------------------------------------------------------------------------------------- */

static unsigned digit_value(char c) {
    return glsl_is_digit(c) ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a') + 10;
}

/* Whole number in C's notation. */
static void integer(struct pp *pp, const struct pp_token *token, struct glsl_token *out) {
    const char *text = token->text;
    uint32_t i = 0, base = 10;
    if (token->length > 1 && text[0] == '0') {
        base = text[1] == 'x' || text[1] == 'X' ? 16 : 8;
        i = base == 16 ? 2 : 1;
    }
    uint64_t value = 0;
    bool bad = i == token->length && base == 16;
    for (; i < token->length; i++) {
        unsigned digit = glsl_is_word(text[i]) && text[i] != '_' ? digit_value(text[i]) : 99;
        if (digit >= base) {
            bad = true;
            break;
        }
        value = value * base + digit;
        if (value > UINT32_MAX) {
            diag_add(pp->diags, DIAG_ERROR, token->pos, "integer literal '%.*s' does not fit 32 bits",
                     (int)token->length, text);
            out->kind = GLSL_T_BAD;
            return;
        }
    }
    if (bad) {
        diag_add(pp->diags, DIAG_ERROR, token->pos, "'%.*s' is not a number", (int)token->length, text);
        if (base == 8 && i < token->length && glsl_is_digit(text[i])) {
            diag_hint(pp->diags, "a leading 0 makes the number octal");
        } else if (i + 1 == token->length && (text[i] == 'u' || text[i] == 'U')) {
            diag_hint(pp->diags, "GLSL ES 1.00 has no unsigned literals");
        } else if (i + 1 == token->length && (text[i] == 'f' || text[i] == 'F')) {
            diag_hint(pp->diags, "GLSL ES 1.00 has no suffixes: write %.*s.0", (int)(token->length - 1), text);
        }
        out->kind = GLSL_T_BAD;
        return;
    }
    out->kind = GLSL_T_INT;
    out->value.i = (uint32_t)value;
}

/* A number with the suffix lf or LF; the parser knows whether the extension is enabled. */
static void double_number(struct pp *pp, const struct pp_token *token, struct glsl_token *out) {
    double value;
    uint64_t bits;
    glsl_parse_decimal64(token->text, token->length, &value);
    memcpy(&bits, &value, sizeof bits);
    out->value.words[0] = (uint32_t)bits;
    out->value.words[1] = (uint32_t)(bits >> 32);
    out->kind = GLSL_T_DOUBLE;
    if (value > 1.7976931348623157e308) {
        diag_add(pp->diags, DIAG_WARNING, token->pos, "double literal '%.*s' overflows to infinity",
                 (int)(token->length > 40 ? 40 : token->length), token->text);
    }
}

void pp_number(struct pp *pp, const struct pp_token *token, struct glsl_token *out) {
    const char *text = token->text;
    bool hex = token->length > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    bool floating = false;
    for (uint32_t i = 0; i < token->length && !hex; i++) {
        floating |= text[i] == '.' || text[i] == 'e' || text[i] == 'E';
    }
    if (!floating) {
        integer(pp, token, out);
        return;
    }
    uint32_t used = glsl_parse_decimal(text, token->length, &out->value.f);
    if (used != 0 && used + 2 == token->length &&
        (memcmp(text + used, "lf", 2) == 0 || memcmp(text + used, "LF", 2) == 0)) {
        double_number(pp, token, out);
        return;
    }
    if (used != token->length) {
        diag_add(pp->diags, DIAG_ERROR, token->pos, "'%.*s' is not a number", (int)token->length, text);
        if (used && used + 1 == token->length && (text[used] | 32) == 'f') {
            diag_hint(pp->diags, "GLSL ES 1.00 has no suffixes: drop the '%c'", text[used]);
        }
        out->kind = GLSL_T_BAD;
        return;
    }
    if (out->value.f > 3.4028234e38f) {
        diag_add(pp->diags, DIAG_WARNING, token->pos, "floating-point literal '%.*s' overflows to infinity",
                 (int)(token->length > 40 ? 40 : token->length), text);
    }
    out->kind = GLSL_T_FLOAT;
}

/* What a number that is none was probably meant as, so that one mistake gives one message. */
static void guess_number(const struct pp_token *from, struct glsl_token *token) {
    const char *text = from->text;
    bool hex = from->length > 1 && text[0] == '0' && (text[1] | 32) == 'x';
    bool floating = !hex && (text[from->length - 1] | 32) == 'f';
    for (uint32_t i = 0; i < from->length && !hex; i++) {
        floating |= text[i] == '.' || (text[i] | 32) == 'e';
    }
    if (floating && from->length > 2 && (text[from->length - 2] | 32) == 'l') {
        token->kind = GLSL_T_DOUBLE;
        token->value.words[0] = 0;
        token->value.words[1] = 0x3FF00000u;
    } else if (floating) {
        token->kind = GLSL_T_FLOAT;
        token->value.f = 1.0f;
    } else {
        token->kind = GLSL_T_INT;
        token->value.i = 1;
    }
}

void pp_number_token(struct pp *pp, const struct pp_token *token, struct glsl_token *out) {
    pp_number(pp, token, out);
    if (out->kind == GLSL_T_BAD) {
        guess_number(token, out);
    }
}
