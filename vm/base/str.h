/* SPDX-License-Identifier: MIT */
/* String builder: growable text on the heap; after a failed allocation it stays valid but truncated. */
#ifndef VM_BASE_STR_H
#define VM_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct str {
    char *text;          /* NUL-terminated, never NULL after str_init ("" at first, not on the heap) */
    size_t length;
    size_t capacity;     /* 0 while text is the static "" */
    bool failed;
};

void str_init(struct str *s);
void str_fini(struct str *s);
void str_clear(struct str *s);
void str_append(struct str *s, const char *text);
void str_append_n(struct str *s, const char *text, size_t length);
void str_char(struct str *s, char c);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void str_printf(struct str *s, const char *format, ...);
void str_vprintf(struct str *s, const char *format, va_list args);
/* Hands the text over (malloc'ed, free with free()); the builder is empty again. NULL when out of memory. */
char *str_take(struct str *s);

#endif
