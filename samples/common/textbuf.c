/* SPDX-License-Identifier: MIT */
/* Growing text, and the quoting rules of JSON, XML and base64. */
#include "textbuf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct textbuf *buf, size_t more) {
    if (more < buf->capacity - buf->size) {
        return;
    }
    size_t wanted = (buf->size + more + 1) * 2;
    char *grown = wanted > more ? realloc(buf->text, wanted) : NULL;
    if (grown == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    buf->text = grown;
    buf->capacity = wanted;
}

void textbuf_free(struct textbuf *buf) {
    free(buf->text);
    memset(buf, 0, sizeof *buf);
}

void textbuf_add_bytes(struct textbuf *buf, const void *bytes, size_t size) {
    reserve(buf, size);
    if (size > 0) {
        memcpy(buf->text + buf->size, bytes, size);
    }
    buf->size += size;
    buf->text[buf->size] = '\0';
}

void textbuf_add(struct textbuf *buf, const char *text) {
    textbuf_add_bytes(buf, text, strlen(text));
}

void textbuf_addf(struct textbuf *buf, const char *format, ...) {
    va_list args;
    va_list again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length > 0) {
        reserve(buf, (size_t)length);
        vsnprintf(buf->text + buf->size, (size_t)length + 1, format, again);
        buf->size += (size_t)length;
    }
    va_end(again);
}

/* Bytes of the UTF-8 character at `text`, 0 if there is none. */
static int utf8_length(const unsigned char *text) {
    int length = text[0] < 0x80                      ? 1
                 : text[0] >= 0xc2 && text[0] < 0xe0 ? 2
                 : text[0] >= 0xe0 && text[0] < 0xf0 ? 3
                 : text[0] >= 0xf0 && text[0] < 0xf5 ? 4
                                                     : 0;
    for (int i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
        (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f)) {
        return 0;
    }
    return length;
}

void textbuf_add_json(struct textbuf *buf, const char *text) {
    textbuf_add(buf, "\"");
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0';) {
        int length = utf8_length(p);
        if (length == 0) {
            textbuf_add(buf, "\\ufffd");
            length = 1;
        } else if (*p == '\n') {
            textbuf_add(buf, "\\n");
        } else if (*p < 0x20 || *p == 0x7f || *p == '<') {
            textbuf_addf(buf, "\\u%04x", *p);
        } else {
            if (*p == '"' || *p == '\\') {
                textbuf_add(buf, "\\");
            }
            textbuf_add_bytes(buf, p, (size_t)length);
        }
        p += length;
    }
    textbuf_add(buf, "\"");
}

void textbuf_add_json_number(struct textbuf *buf, double value) {
    if (!isfinite(value)) {
        textbuf_add(buf, "null");
    } else {
        textbuf_addf(buf, "%.9g", value);
    }
}

void textbuf_add_xml(struct textbuf *buf, const char *text) {
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0';) {
        int length = utf8_length(p);
        if (*p == '&') {
            textbuf_add(buf, "&amp;");
        } else if (*p == '<') {
            textbuf_add(buf, "&lt;");
        } else if (*p == '>') {
            textbuf_add(buf, "&gt;");
        } else if (*p == '"') {
            textbuf_add(buf, "&quot;");
        } else if (length == 0 || (*p < 0x20 && *p != '\n' && *p != '\t') || *p == 0x7f) {
            textbuf_add(buf, "?");
        } else {
            textbuf_add_bytes(buf, p, (size_t)length);
        }
        p += length > 0 ? length : 1;
    }
}

void textbuf_add_base64(struct textbuf *buf, const void *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *p = bytes;
    reserve(buf, size / 3 * 4 + 8);
    for (; size > 0; p += 3) {
        size_t count = size < 3 ? size : 3;
        uint32_t bits = (uint32_t)p[0] << 16;
        bits |= count > 1 ? (uint32_t)p[1] << 8 : 0;
        bits |= count > 2 ? p[2] : 0;
        char *out = buf->text + buf->size;
        out[0] = digits[bits >> 18];
        out[1] = digits[bits >> 12 & 63];
        out[2] = count > 1 ? digits[bits >> 6 & 63] : '=';
        out[3] = count > 2 ? digits[bits & 63] : '=';
        buf->size += 4;
        size -= count;
    }
    reserve(buf, 0);
    buf->text[buf->size] = '\0';
}
