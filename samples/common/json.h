/* SPDX-License-Identifier: MIT */
/* Reads JSON text into a tree: for the files that the library and the tools write. */
#ifndef SAMPLES_JSON_H
#define SAMPLES_JSON_H

#include <stdbool.h>
#include <stddef.h>

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_kind kind;
    double number;
    char *text;         /* of a string, UTF-8 */
    char *key;          /* of a member of an object */
    struct json *first; /* of an array's or object's elements */
    struct json *next;
    size_t count;       /* elements */
};

/*
 * The whole text must be one value; nesting deeper than 100 is refused. NULL and a message with the
 * line on failure. The caller frees with json_free().
 */
struct json *json_parse(const char *text, size_t size, char error[120]);
void json_free(struct json *value);

/* A member of an object; NULL if there is none or it is no object. The first of equal keys. */
const struct json *json_get(const struct json *object, const char *key);
/* Number or text of a member; the fallback if it is missing or of another kind. */
double json_number(const struct json *object, const char *key, double fallback);
const char *json_text(const struct json *object, const char *key, const char *fallback);

#endif
