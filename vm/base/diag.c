/* SPDX-License-Identifier: MIT */
/* Formats diagnostics with their source line and a caret; see diag.h. */
#include "vm/base/diag.h"

#include <string.h>

#define QUOTE_MAX 160u /* longest part of a source line that is quoted */

void diag_init(struct diag_list *list, const char *source, uint32_t length) {
    memset(list, 0, sizeof *list);
    list->source = source;
    list->source_length = length;
    str_init(&list->out);
}

void diag_fini(struct diag_list *list) { str_fini(&list->out); }

/* Prints the line that holds 'offset' and a caret below it; long lines are cut around the caret. */
static void quote(struct diag_list *list, uint32_t offset) {
    if (!list->source || offset > list->source_length) {
        return;
    }
    uint32_t begin = offset;
    while (begin > 0 && list->source[begin - 1] != '\n' && list->source[begin - 1] != '\r') {
        begin--;
    }
    uint32_t end = offset;
    while (end < list->source_length && list->source[end] && list->source[end] != '\n' &&
           list->source[end] != '\r') {
        end++;
    }
    if (offset - begin > QUOTE_MAX / 2) {
        begin = offset - QUOTE_MAX / 2;
    }
    if (end - begin > QUOTE_MAX) {
        end = begin + QUOTE_MAX;
    }
    str_append(&list->out, "    ");
    for (uint32_t i = begin; i < end; i++) {
        unsigned char c = (unsigned char)list->source[i];
        str_char(&list->out, c == '\t' || (c >= 32 && c < 127) ? (char)c : '?');
    }
    str_append(&list->out, "\n    ");
    for (uint32_t i = begin; i < offset; i++) {
        str_char(&list->out, list->source[i] == '\t' ? '\t' : ' ');
    }
    str_append(&list->out, "^\n");
}

void diag_add(struct diag_list *list, enum diag_severity severity, struct diag_pos pos,
              const char *format, ...) {
    static const char *const names[] = {"error", "warning", "note"};
    if (list->stopped) {
        list->errors += severity == DIAG_ERROR;
        return;
    }
    str_printf(&list->out, "%u:%u:%u: %s: ", (unsigned)pos.string, (unsigned)pos.line,
               (unsigned)pos.column, names[severity]);
    va_list args;
    va_start(args, format);
    str_vprintf(&list->out, format, args);
    va_end(args);
    str_char(&list->out, '\n');
    quote(list, pos.offset);
    if (severity == DIAG_ERROR) {
        list->errors++;
        if (list->errors == DIAG_MAX_ERRORS) {
            str_append(&list->out, "too many errors, stopping here\n");
            list->stopped = true;
        }
    } else if (severity == DIAG_WARNING) {
        list->warnings++;
    }
}

void diag_hint(struct diag_list *list, const char *format, ...) {
    if (list->stopped) {
        return;
    }
    str_append(&list->out, "    hint: ");
    va_list args;
    va_start(args, format);
    str_vprintf(&list->out, format, args);
    va_end(args);
    str_char(&list->out, '\n');
}
