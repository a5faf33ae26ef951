/* SPDX-License-Identifier: MIT */
/*
 * Object names: a hash table from GL names to objects. A name is free, reserved (glGen* gave it
 * out, no object yet) or holds an object. Not locked: the caller holds the share group's mutex, or
 * the table belongs to one context.
 */
#ifndef API_NAMES_H
#define API_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct es_name_slot {
    uint32_t name; /* 0 = empty slot */
    void *object;  /* NULL = reserved */
};

struct es_names {
    struct es_name_slot *slots;
    uint32_t capacity; /* power of two, or 0 */
    uint32_t count;
    uint32_t hint; /* every name below it (and above 0) is in use */
};

void es_names_fini(struct es_names *names);
/* Reserves n unused names. False when memory is out (nothing is then reserved). */
bool es_names_generate(struct es_names *names, int32_t n, uint32_t *out);
/* The object of a name, NULL if the name is free or only reserved. */
void *es_names_find(const struct es_names *names, uint32_t name);
bool es_names_is_used(const struct es_names *names, uint32_t name);
/* Gives a name (reserved or free) its object. False when memory is out. */
bool es_names_set(struct es_names *names, uint32_t name, void *object);
/* Frees a name; unused names are ignored. */
void es_names_remove(struct es_names *names, uint32_t name);
/*
 * Walks the objects: start with *position = 0; NULL at the end. The table must not change
 * meanwhile.
 */
void *es_names_next(const struct es_names *names, uint32_t *position);

#endif
