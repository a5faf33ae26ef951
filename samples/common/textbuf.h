/* SPDX-License-Identifier: MIT */
/*
 * Text that grows: reports are put together in memory and written in one piece. Strings from
 * outside go in through the functions that quote them, for JSON, HTML and XML.
 */
#ifndef SAMPLES_TEXTBUF_H
#define SAMPLES_TEXTBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed memory is an empty one. Without memory the program ends with a message. */
struct textbuf {
    char *text; /* NUL at the end once something was added; owned */
    size_t size;
    size_t capacity;
};

void textbuf_free(struct textbuf *buf);
void textbuf_add(struct textbuf *buf, const char *text);
void textbuf_add_bytes(struct textbuf *buf, const void *bytes, size_t size);
__attribute__((format(printf, 2, 3))) void textbuf_addf(struct textbuf *buf, const char *format,
                                                        ...);

/*
 * A JSON string with its quotes. Bytes that are no UTF-8 become U+FFFD, "<" is escaped too, so the
 * text may stand in a script of an HTML page.
 */
void textbuf_add_json(struct textbuf *buf, const char *text);
/* A number for JSON: six significant digits more than a person reads; null if it is not finite. */
void textbuf_add_json_number(struct textbuf *buf, double value);
/* Text of an HTML or XML document or attribute; control characters become "?". */
void textbuf_add_xml(struct textbuf *buf, const char *text);
void textbuf_add_base64(struct textbuf *buf, const void *bytes, size_t size);

#endif
