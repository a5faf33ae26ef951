/* SPDX-License-Identifier: MIT */
/*
 * Lists of compiler diagnostics. A message names string, line and column, and prints as
 *     0:12:7: error: no matching function 'texture2D(vec3)'
 * followed by the source line and a caret (and an optional hint line). No globals, no exit.
 */
#ifndef VM_BASE_DIAG_H
#define VM_BASE_DIAG_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/base/str.h"

struct diag_pos {
    uint32_t string;     /* source string number, #line honoured */
    uint32_t line;       /* 1-based, #line honoured */
    uint32_t column;     /* 1-based, in bytes */
    uint32_t offset;     /* byte offset into the concatenated source, UINT32_MAX if none */
};

enum diag_severity { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

#define DIAG_MAX_ERRORS 20

struct diag_list {
    const char *source;      /* concatenated source, for quoting lines; borrowed */
    uint32_t source_length;
    uint32_t errors, warnings;
    bool stopped;            /* DIAG_MAX_ERRORS reached: later messages are dropped */
    struct str out;          /* printed form */
};

void diag_init(struct diag_list *list, const char *source, uint32_t length);
void diag_fini(struct diag_list *list);
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void diag_add(struct diag_list *list, enum diag_severity severity, struct diag_pos pos, const char *format, ...);
/* Appends "  hint: ..." to the last message. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void diag_hint(struct diag_list *list, const char *format, ...);

#endif
