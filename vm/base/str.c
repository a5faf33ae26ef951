/* SPDX-License-Identifier: MIT */
/* String builder; see str.h. */
#include "vm/base/str.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char empty_text[1] = ""; /* never written: capacity 0 says that it is not ours */

void str_init(struct str *s) {
    s->text = empty_text;
    s->length = 0;
    s->capacity = 0;
    s->failed = false;
}

void str_fini(struct str *s) {
    if (s->capacity) {
        free(s->text);
    }
    str_init(s);
}

void str_clear(struct str *s) {
    s->length = 0;
    if (s->capacity) {
        s->text[0] = 0;
    }
}

static bool reserve(struct str *s, size_t extra) {
    if (extra >= SIZE_MAX / 2 - s->length) {
        s->failed = true;
        return false;
    }
    size_t need = s->length + extra + 1;
    if (need <= s->capacity) {
        return true;
    }
    size_t capacity = s->capacity ? s->capacity : 64;
    while (capacity < need) {
        capacity *= 2;
    }
    char *text = realloc(s->capacity ? s->text : NULL, capacity);
    if (!text) {
        s->failed = true;
        return false;
    }
    s->text = text;
    s->capacity = capacity;
    return true;
}

void str_append_n(struct str *s, const char *text, size_t length) {
    if (length && reserve(s, length)) {
        memcpy(s->text + s->length, text, length);
        s->length += length;
        s->text[s->length] = 0;
    }
}

void str_append(struct str *s, const char *text) { str_append_n(s, text, strlen(text)); }

void str_char(struct str *s, char c) { str_append_n(s, &c, 1); }

void str_vprintf(struct str *s, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length > 0 && reserve(s, (size_t)length)) {
        vsnprintf(s->text + s->length, (size_t)length + 1, format, again);
        s->length += (size_t)length;
    }
    va_end(again);
}

void str_printf(struct str *s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    str_vprintf(s, format, args);
    va_end(args);
}

char *str_take(struct str *s) {
    if (!s->capacity && !reserve(s, 0)) {
        return NULL;
    }
    s->text[s->length] = 0;
    char *text = s->text;
    str_init(s);
    return text;
}
