/* SPDX-License-Identifier: MIT */
/* Assembler: characters to tokens, names to symbols, digits to numbers. Total on any bytes; numbers
 * are converted with integers only, so neither locale nor libc matters. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/isa/asm.h"

bool asm_error(struct assembler *a, enum vliw_status status, const struct asm_token *where,
               const char *format, ...) {
    if (a->failed) {
        return false;
    }
    a->failed = true;
    if (a->error != NULL) {
        struct vliw_error *e = a->error;
        char text[200];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        e->status = status;
        e->word = e->slot = e->rule = -1;
        e->line = (int32_t)where->line;
        e->column = (int32_t)where->column;
        snprintf(e->message, sizeof e->message, "line %d column %d: %s", (int)e->line,
                 (int)e->column, text);
    }
    return false;
}

/* ---- Tokens ---- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
static bool is_ident(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

static const char *number_end(const char *p, const char *end) {
    if (end - p >= 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        p += 2;
        while (p < end && is_hex(*p)) {
            p++;
        }
        return p;
    }
    while (p < end && is_digit(*p)) {
        p++;
    }
    if (end - p >= 2 && p[0] == '.' && is_digit(p[1])) {
        p++;
        while (p < end && is_digit(*p)) {
            p++;
        }
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        const char *q = p + 1;
        if (q < end && (*q == '+' || *q == '-')) {
            q++;
        }
        if (q < end && is_digit(*q)) {
            while (q < end && is_digit(*q)) {
                q++;
            }
            p = q;
        }
    }
    return p;
}

void asm_next(struct assembler *a) {
    const char *p = a->cursor;
    while (p < a->end && (*p == ' ' || *p == '\t' || *p == '\r')) {
        p++;
    }
    if (a->end - p >= 2 && p[0] == '/' && p[1] == '/') {
        while (p < a->end && *p != '\n') {
            p++;
        }
    }
    struct asm_token *t = &a->token;
    t->at = p;
    t->line = a->line;
    t->column = (uint32_t)(p - a->line_start) + 1;
    if (p >= a->end) {
        t->kind = ASM_END;
        t->length = 0;
        a->cursor = p;
        return;
    }
    const char *q = p + 1;
    if (*p == '\n') {
        t->kind = ASM_NEWLINE;
        a->line++;
        a->line_start = q;
    } else if (is_digit(*p)) {
        t->kind = ASM_NUMBER;
        q = number_end(p, a->end);
    } else if (is_ident(*p)) {
        t->kind = ASM_IDENT;
        while (q < a->end && is_ident(*q)) {
            q++;
        }
    } else if (*p == '"') {
        t->kind = ASM_STRING;
        while (q < a->end && *q != '"' && *q != '\n') {
            q += *q == '\\' && a->end - q >= 2 && q[1] != '\n' ? 2 : 1;
        }
        if (q >= a->end || *q != '"') {
            t->kind = ASM_PUNCT; /* an open string: nothing accepts a lone quote */
            q = p + 1;
        } else {
            q++;
        }
    } else {
        t->kind = ASM_PUNCT;
    }
    t->length = (uint32_t)(q - p);
    a->cursor = q;
}

bool asm_is(const struct asm_token *t, char punct) {
    return t->kind == ASM_PUNCT && *t->at == punct;
}

bool asm_is_word(const struct asm_token *t, const char *word) {
    return t->kind == ASM_IDENT && t->length == strlen(word) && memcmp(t->at, word, t->length) == 0;
}

bool asm_at_line_end(const struct assembler *a) {
    return a->token.kind == ASM_NEWLINE || a->token.kind == ASM_END;
}

bool asm_expect(struct assembler *a, char punct) {
    if (!asm_is(&a->token, punct)) {
        return asm_error(a, VLIW_ERR_SYNTAX, &a->token, "'%c' expected", punct);
    }
    asm_next(a);
    return true;
}

bool asm_mask_letters(const char *at, uint32_t length, unsigned *mask) {
    static const char letters[] = "xyzw";
    unsigned out = 0, next = 0;
    for (uint32_t i = 0; i < length; i++) {
        while (next < 4 && letters[next] != at[i]) {
            next++;
        }
        if (next == 4) {
            return false;
        }
        out |= 1u << next++;
    }
    *mask = out;
    return length > 0;
}

/* ---- Memory and symbols ---- */

bool asm_grow(struct assembler *a, void **array, uint32_t count, uint32_t *cap, size_t size,
              uint32_t limit) {
    if (count < *cap) {
        return true;
    }
    if (count >= limit) {
        return asm_error(a, VLIW_ERR_LIMIT, &a->token, "more than %u entries of this kind",
                         (unsigned)limit);
    }
    uint32_t grown = *cap < 16 ? 16 : *cap * 2;
    void *moved = realloc(*array, grown * size);
    if (moved == NULL) {
        return asm_error(a, VLIW_ERR_MEMORY, &a->token, "out of memory");
    }
    *array = moved;
    *cap = grown;
    return true;
}

static uint32_t hash(const char *at, uint32_t length) {
    uint32_t h = 2166136261u;
    for (uint32_t i = 0; i < length; i++) {
        h = (h ^ (uint8_t)at[i]) * 16777619u;
    }
    return h ^ h >> 15;
}

/* Slot of a name, or the free slot where it belongs. cap is a power of two with free slots. */
static struct asm_symbol *slot_of(struct asm_symbol *table, uint32_t cap, const char *at,
                                  uint32_t length) {
    for (uint32_t i = hash(at, length);; i++) {
        struct asm_symbol *s = &table[i & (cap - 1)];
        if (s->kind == ASM_SYM_NONE || (s->length == length && memcmp(s->at, at, length) == 0)) {
            return s;
        }
    }
}

const struct asm_symbol *asm_find(const struct assembler *a, unsigned table, const char *at,
                                  uint32_t length) {
    if (a->symbol_cap[table] == 0) {
        return NULL;
    }
    const struct asm_symbol *s = slot_of(a->symbols[table], a->symbol_cap[table], at, length);
    return s->kind != ASM_SYM_NONE ? s : NULL;
}

bool asm_define(struct assembler *a, unsigned table, const struct asm_token *name, uint32_t kind,
                uint32_t value) {
    if (name->length > ASM_MAX_IDENT) {
        return asm_error(a, VLIW_ERR_LIMIT, name, "a name has at most %u characters",
                         ASM_MAX_IDENT);
    }
    if (a->symbol_count[table] * 2 >= a->symbol_cap[table]) {
        if (a->symbol_count[table] >= ASM_MAX_SYMBOLS) {
            return asm_error(a, VLIW_ERR_LIMIT, name, "more than %u names", ASM_MAX_SYMBOLS);
        }
        uint32_t cap = a->symbol_cap[table] == 0 ? 64 : a->symbol_cap[table] * 2;
        struct asm_symbol *grown = calloc(cap, sizeof *grown);
        if (grown == NULL) {
            return asm_error(a, VLIW_ERR_MEMORY, name, "out of memory");
        }
        for (uint32_t i = 0; i < a->symbol_cap[table]; i++) {
            const struct asm_symbol *s = &a->symbols[table][i];
            if (s->kind != ASM_SYM_NONE) {
                *slot_of(grown, cap, s->at, s->length) = *s;
            }
        }
        free(a->symbols[table]);
        a->symbols[table] = grown;
        a->symbol_cap[table] = cap;
    }
    struct asm_symbol *s = slot_of(a->symbols[table], a->symbol_cap[table], name->at, name->length);
    if (s->kind == ASM_SYM_NONE) {
        a->symbol_count[table]++;
    } else if (kind == ASM_SYM_LABEL) {
        return asm_error(a, VLIW_ERR_SYNTAX, name, "label '%.*s' is defined twice",
                         (int)name->length, name->at);
    }
    *s = (struct asm_symbol){name->at, name->length, kind, value};
    return true;
}

/* ---- Numbers ---- */

static bool parse_unsigned(const struct asm_token *t, uint64_t *out) {
    bool hex = t->length > 2 && t->at[0] == '0' && (t->at[1] == 'x' || t->at[1] == 'X');
    uint64_t v = 0;
    for (uint32_t i = hex ? 2 : 0; i < t->length; i++) {
        char c = t->at[i];
        if (!(hex ? is_hex(c) : is_digit(c))) {
            return false;
        }
        unsigned digit = is_digit(c) ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a') + 10;
        v = v * (hex ? 16 : 10) + digit;
        if (v > UINT32_MAX) {
            return false;
        }
    }
    *out = v;
    return !(t->length == 2 && t->at[0] == '0' && (t->at[1] | 32) == 'x');
}

bool asm_integer(struct assembler *a, int32_t min, int32_t max, int32_t *out) {
    struct asm_token first = a->token;
    bool minus = asm_is(&a->token, '-');
    if (minus || asm_is(&a->token, '+')) {
        asm_next(a);
    }
    uint64_t v = 0;
    if (a->token.kind != ASM_NUMBER || !parse_unsigned(&a->token, &v)) {
        return asm_error(a, VLIW_ERR_SYNTAX, &a->token, "integer expected");
    }
    int64_t value = minus ? -(int64_t)v : (int64_t)v;
    if (value < min || value > max) {
        return asm_error(a, VLIW_ERR_SYNTAX, &first, "number must be %d to %d", (int)min, (int)max);
    }
    *out = (int32_t)value;
    asm_next(a);
    return true;
}

bool asm_unsigned(struct assembler *a, uint32_t max, uint32_t *out) {
    uint64_t v = 0;
    if (a->token.kind != ASM_NUMBER || !parse_unsigned(&a->token, &v)) {
        return asm_error(a, VLIW_ERR_SYNTAX, &a->token, "integer expected");
    }
    if (v > max) {
        return asm_error(a, VLIW_ERR_SYNTAX, &a->token, "number must be 0 to %lu",
                         (unsigned long)max);
    }
    *out = (uint32_t)v;
    asm_next(a);
    return true;
}

/* Unsigned numbers of up to 1024 bits, enough for 40 digits times or over 10^110. */
#define LIMBS 32

struct big {
    uint32_t limb[LIMBS];
};

static void big_mul_add(struct big *b, uint32_t factor, uint32_t add) {
    uint64_t carry = add;
    for (int i = 0; i < LIMBS; i++) {
        carry += (uint64_t)b->limb[i] * factor;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static int big_bits(const struct big *b) {
    for (int i = LIMBS - 1; i >= 0; i--) {
        for (int bit = 31; bit >= 0; bit--) {
            if (b->limb[i] >> bit & 1u) {
                return i * 32 + bit + 1;
            }
        }
    }
    return 0;
}

static void big_shift_left(struct big *b, int count) {
    for (; count >= 16; count -= 16) {
        big_mul_add(b, 1u << 16, 0);
    }
    big_mul_add(b, 1u << count, 0);
}

static int big_compare(const struct big *x, const struct big *y) {
    for (int i = LIMBS - 1; i >= 0; i--) {
        if (x->limb[i] != y->limb[i]) {
            return x->limb[i] < y->limb[i] ? -1 : 1;
        }
    }
    return 0;
}

static void big_subtract(struct big *x, const struct big *y) {
    uint64_t borrow = 0;
    for (int i = 0; i < LIMBS; i++) {
        uint64_t d = (uint64_t)x->limb[i] - y->limb[i] - borrow;
        x->limb[i] = (uint32_t)d;
        borrow = d >> 63;
    }
}

/* num / den rounded to the nearest float, ties to even; false on overflow. den != 0. */
static bool round_ratio(struct big num, struct big den, bool sticky, uint32_t *bits) {
    if (big_bits(&num) == 0) {
        *bits = 0;
        return true;
    }
    int shift = 26 - (big_bits(&num) - big_bits(&den));   /* quotient gets 26 or 27 bits */
    big_shift_left(shift >= 0 ? &num : &den, shift >= 0 ? shift : -shift);
    uint32_t q = 0;
    for (int i = 27; i >= 0; i--) {
        struct big part = den;
        big_shift_left(&part, i);
        if (big_compare(&num, &part) >= 0) {
            big_subtract(&num, &part);
            q |= 1u << i;
        }
    }
    sticky = sticky || big_bits(&num) != 0;
    int q_bits = q >> 26 ? 27 : 26;
    int exponent = q_bits - 1 - shift;
    int precision = exponent >= -126 ? 24 : 24 - (-126 - exponent);
    int drop = q_bits - precision;
    if (precision < 0) {
        *bits = 0;
        return true;
    }
    uint32_t m = q >> drop, rest = q & ((1u << drop) - 1u), half = 1u << (drop - 1);
    if (rest > half || (rest == half && (sticky || (m & 1u)))) {
        m++;
    }
    *bits = exponent >= -126 ? ((uint32_t)(exponent + 126) << 23) + m : m;
    return exponent < 128 && *bits < 0x7f800000u;
}

static bool parse_decimal(const char *p, const char *end, uint32_t *bits) {
    struct big num = {{0}}, den = {{1}};
    int digits = 0, scale = 0, exponent = 0;
    bool sticky = false, fraction = false;
    for (; p < end && *p != 'e' && *p != 'E'; p++) {
        if (*p == '.') {
            fraction = true;
            continue;
        }
        if (digits < 40) {
            big_mul_add(&num, 10, (uint32_t)(*p - '0'));
            digits += digits > 0 || *p != '0';
            scale -= fraction;
        } else {
            sticky = sticky || *p != '0';
            scale += !fraction;
        }
        if (scale > 1000 || scale < -1000) {
            return false;
        }
    }
    if (p < end) {
        bool minus = p[1] == '-';
        for (p += p[1] == '-' || p[1] == '+' ? 2 : 1; p < end; p++) {
            exponent = exponent < 10000 ? exponent * 10 + (*p - '0') : exponent;
        }
        scale += minus ? -exponent : exponent;
    }
    if (digits == 0 || scale + digits < -60) {
        *bits = 0;
        return true;
    }
    if (scale + digits > 50) {
        return false;
    }
    for (; scale > 0; scale--) {
        big_mul_add(&num, 10, 0);
    }
    for (; scale < 0; scale++) {
        big_mul_add(&den, 10, 0);
    }
    return round_ratio(num, den, sticky, bits);
}

bool asm_float(struct assembler *a, uint32_t *bits) {
    bool minus = asm_is(&a->token, '-');
    if (minus) {
        asm_next(a);
    }
    const struct asm_token t = a->token;
    if (t.kind != ASM_NUMBER) {
        return asm_error(a, VLIW_ERR_SYNTAX, &t, "number expected");
    }
    if (t.length >= 2 && t.at[0] == '0' && (t.at[1] == 'x' || t.at[1] == 'X')) {
        uint64_t v;
        if (minus || !parse_unsigned(&t, &v)) {
            return asm_error(a, VLIW_ERR_SYNTAX, &t,
                             "up to 8 hexadecimal digits without sign expected");
        }
        *bits = (uint32_t)v;
    } else {
        if (!parse_decimal(t.at, t.at + t.length, bits)) {
            return asm_error(a, VLIW_ERR_SYNTAX, &t, "number is outside the range of floats");
        }
        *bits |= minus ? 0x80000000u : 0;
    }
    asm_next(a);
    return true;
}

bool asm_half_from_float(uint32_t bits, uint16_t *half) {
    uint32_t sign = bits >> 16 & 0x8000u, m = bits & 0x7fffffu;
    int exponent = (int)(bits >> 23 & 255u) - 127;
    if (exponent == 128) {
        *half = (uint16_t)(sign | 0x7c00u | m >> 13);
        return m == 0;
    }
    if ((bits & 0x7fffffffu) == 0) {
        *half = (uint16_t)sign;
        return true;
    }
    if (exponent > 15 || exponent < -24) {
        return false;
    }
    m |= 1u << 23;
    int drop = exponent >= -14 ? 13 : 13 + (-14 - exponent);
    if ((m & ((1u << drop) - 1u)) != 0) {
        return false;
    }
    m >>= drop;
    *half = (uint16_t)(sign + (exponent >= -14 ? (uint32_t)(exponent + 14) << 10 : 0) + m);
    return true;
}
