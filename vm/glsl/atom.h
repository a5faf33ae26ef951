/* SPDX-License-Identifier: MIT */
/*
 * Interned names of one compilation: equal spellings are the same pointer, so that macros, keywords and
 * symbols are found by following a field of the atom instead of a second table.
 */
#ifndef VM_GLSL_ATOM_H
#define VM_GLSL_ATOM_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/base/arena.h"

struct glsl_atom {
    const char *text;          /* NUL-terminated, in the arena */
    uint32_t length;
    uint32_t hash;
    struct glsl_atom *next;    /* chain of the table */
    void *macro;               /* the preprocessor's definition, NULL if none */
    void *symbol;              /* innermost symbol of this name (scope.c), NULL if none */
    int16_t keyword;           /* enum glsl_token_kind if a keyword or reserved word, else 0; -1 = not looked up */
    int16_t builtin;           /* builtin.c: first table index + 1, 0 if none; -1 = not looked up */
};

struct glsl_atoms {
    struct arena *arena;
    struct glsl_atom **table;
    uint32_t size, count;      /* size is a power of two */
};

/* False when memory is out. */
bool glsl_atoms_init(struct glsl_atoms *atoms, struct arena *arena);
/* The atom of text[0..length), created if new (keyword and builtin then -1). NULL when memory is out. */
struct glsl_atom *glsl_atom_get(struct glsl_atoms *atoms, const char *text, uint32_t length);
/* The atom if the name has occurred, else NULL. */
struct glsl_atom *glsl_atom_find(const struct glsl_atoms *atoms, const char *text, uint32_t length);

#endif
