/* SPDX-License-Identifier: MIT */
/* A recursive parser of RFC 8259's grammar with a limit of depth. */
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 100

struct reader {
    const char *at;
    const char *end;
    int line;
    const char *fault;
};

static struct json *parse_value(struct reader *r, int depth);

static void skip_blanks(struct reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) {
        r->line += *r->at == '\n';
        r->at++;
    }
}

static bool take(struct reader *r, char c) {
    skip_blanks(r);
    if (r->at < r->end && *r->at == c) {
        r->at++;
        return true;
    }
    return false;
}

static struct json *fail(struct reader *r, const char *fault) {
    r->fault = r->fault != NULL ? r->fault : fault;
    return NULL;
}

static struct json *make(struct reader *r, enum json_kind kind) {
    struct json *value = calloc(1, sizeof *value);
    if (value == NULL) {
        return fail(r, "out of memory");
    }
    value->kind = kind;
    return value;
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Four hexadecimal digits; -1 if they are none. */
static long read_unit(struct reader *r) {
    long unit = 0;
    for (int i = 0; i < 4; i++) {
        int digit = r->at < r->end ? hex_digit(*r->at) : -1;
        if (digit < 0) {
            return -1;
        }
        unit = unit * 16 + digit;
        r->at++;
    }
    return unit;
}

static size_t put_utf8(char *out, unsigned long c) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 63));
        out[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 63));
    out[2] = (char)(0x80 | (c >> 6 & 63));
    out[3] = (char)(0x80 | (c & 63));
    return 4;
}

/* An escape behind its backslash; 0 if it is none. */
static size_t read_escape(struct reader *r, char *out) {
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    const char c = r->at < r->end ? *r->at++ : '\0';
    const char *place = c != '\0' ? strchr(from, c) : NULL;
    if (place != NULL) {
        out[0] = to[place - from];
        return 1;
    }
    long unit = c == 'u' ? read_unit(r) : -1;
    if (unit >= 0xd800 && unit < 0xdc00 && r->end - r->at >= 6 && r->at[0] == '\\' && r->at[1] == 'u') {
        r->at += 2;
        long low = read_unit(r);
        unit = low >= 0xdc00 && low < 0xe000 ? 0x10000 + (unit - 0xd800) * 0x400 + (low - 0xdc00) : -1;
    }
    if (unit <= 0 || (unit >= 0xd800 && unit < 0xe000)) {
        return 0;
    }
    return put_utf8(out, (unsigned long)unit);
}

/* A string without its first quote. */
static char *parse_string(struct reader *r) {
    const char *end = r->at;
    while (end < r->end && *end != '"') {
        end += *end == '\\' ? 2 : 1;
    }
    char *text = end < r->end ? malloc((size_t)(end - r->at) + 5) : NULL;
    size_t length = 0;
    if (text == NULL) {
        fail(r, end < r->end ? "out of memory" : "a string does not end");
        return NULL;
    }
    while (*r->at != '"') {
        size_t more = 1;
        if (*r->at == '\\') {
            r->at++;
            more = read_escape(r, text + length);
        } else if ((unsigned char)*r->at < 0x20) {
            more = 0;
        } else {
            text[length] = *r->at++;
        }
        if (more == 0) {
            fail(r, "a string has a bad character");
            free(text);
            return NULL;
        }
        length += more;
    }
    r->at++;
    text[length] = '\0';
    return text;
}

static struct json *parse_elements(struct reader *r, int depth, bool object) {
    struct json *all = make(r, object ? JSON_OBJECT : JSON_ARRAY);
    struct json **last = all != NULL ? &all->first : NULL;
    const char close = object ? '}' : ']';
    bool more = all != NULL && !take(r, close);
    while (more) {
        char *key = NULL;
        if (object && (!take(r, '"') || (key = parse_string(r)) == NULL || !take(r, ':'))) {
            fail(r, "a member of an object has no key");
        }
        struct json *element = r->fault == NULL ? parse_value(r, depth + 1) : NULL;
        if (element == NULL) {
            free(key);
            break;
        }
        element->key = key;
        *last = element;
        last = &element->next;
        all->count++;
        more = take(r, ',');
        if (!more && !take(r, close)) {
            fail(r, "neither a comma nor the end of a list");
        }
    }
    if (r->fault != NULL) {
        json_free(all);
        return NULL;
    }
    return all;
}

static struct json *parse_number(struct reader *r) {
    char text[64];
    size_t length = 0;
    while (r->at + length < r->end && length + 1 < sizeof text &&
           strchr("+-0123456789.eE", r->at[length]) != NULL) {
        text[length] = r->at[length];
        length++;
    }
    text[length] = '\0';
    char *end = NULL;
    double number = strtod(text, &end);
    if (length == 0 || *end != '\0' || text[0] == '+' || text[0] == '.') {
        return fail(r, "this is no value");
    }
    struct json *value = make(r, JSON_NUMBER);
    if (value != NULL) {
        value->number = number;
    }
    r->at += length;
    return value;
}

static struct json *parse_value(struct reader *r, int depth) {
    static const struct {
        const char *word;
        enum json_kind kind;
    } words[] = {{"null", JSON_NULL}, {"true", JSON_TRUE}, {"false", JSON_FALSE}};
    if (depth > MAX_DEPTH) {
        return fail(r, "lists in lists, too deep");
    }
    if (take(r, '{')) {
        return parse_elements(r, depth, true);
    }
    if (take(r, '[')) {
        return parse_elements(r, depth, false);
    }
    if (take(r, '"')) {
        char *text = parse_string(r);
        struct json *value = text != NULL ? make(r, JSON_STRING) : NULL;
        if (value == NULL) {
            free(text);
            return NULL;
        }
        value->text = text;
        return value;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i].word);
        if ((size_t)(r->end - r->at) >= length && memcmp(r->at, words[i].word, length) == 0) {
            r->at += length;
            return make(r, words[i].kind);
        }
    }
    return parse_number(r);
}

struct json *json_parse(const char *text, size_t size, char error[120]) {
    struct reader r = {text, text + size, 1, NULL};
    struct json *value = parse_value(&r, 0);
    skip_blanks(&r);
    if (value != NULL && r.at != r.end) {
        fail(&r, "text behind the end");
        json_free(value);
        value = NULL;
    }
    if (value == NULL) {
        snprintf(error, 120, "line %d: %s", r.line, r.fault != NULL ? r.fault : "no value");
    }
    return value;
}

void json_free(struct json *value) {
    while (value != NULL) {
        struct json *next = value->next;
        json_free(value->first);
        free(value->text);
        free(value->key);
        free(value);
        value = next;
    }
}

const struct json *json_get(const struct json *object, const char *key) {
    const struct json *at = object != NULL && object->kind == JSON_OBJECT ? object->first : NULL;
    while (at != NULL && strcmp(at->key, key) != 0) {
        at = at->next;
    }
    return at;
}

double json_number(const struct json *object, const char *key, double fallback) {
    const struct json *value = json_get(object, key);
    return value != NULL && value->kind == JSON_NUMBER ? value->number : fallback;
}

const char *json_text(const struct json *object, const char *key, const char *fallback) {
    const struct json *value = json_get(object, key);
    return value != NULL && value->kind == JSON_STRING ? value->text : fallback;
}
