/* SPDX-License-Identifier: MIT */
/* Internal to the preprocessor: the classes of characters (SPEC: GLSL ES 1.00.17 section 3.1). */
#ifndef VM_GLSL_CHARS_H
#define VM_GLSL_CHARS_H

#include <stdbool.h>
#include <stdint.h>

/* MARK: may begin a comment or a line continuation. OPERATOR: second character of an operator. */
enum {
    GLSL_CHAR_WORD = 1, GLSL_CHAR_DIGIT = 2, GLSL_CHAR_SPACE = 4, GLSL_CHAR_NEWLINE = 8, GLSL_CHAR_MARK = 16,
    GLSL_CHAR_OPERATOR = 32
};

extern const uint8_t glsl_char_classes[256]; /* lex.c */

static inline unsigned glsl_char_class(char c) { return glsl_char_classes[(uint8_t)c]; }
static inline bool glsl_is_newline(char c) { return (glsl_char_class(c) & GLSL_CHAR_NEWLINE) != 0; }
static inline bool glsl_is_space(char c) { return (glsl_char_class(c) & GLSL_CHAR_SPACE) != 0; }
static inline bool glsl_is_digit(char c) { return (glsl_char_class(c) & GLSL_CHAR_DIGIT) != 0; }
static inline bool glsl_is_word(char c) { return (glsl_char_class(c) & GLSL_CHAR_WORD) != 0; }

#endif
