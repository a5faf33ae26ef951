/* SPDX-License-Identifier: MIT */
/* Interning of names: an open hash table of chains over an arena; hash FNV-1a. */
#include "vm/glsl/atom.h"

#include <string.h>

enum { ATOMS_FIRST_SIZE = 512 };

bool glsl_atoms_init(struct glsl_atoms *atoms, struct arena *arena) {
    atoms->arena = arena;
    atoms->count = 0;
    atoms->size = ATOMS_FIRST_SIZE;
    atoms->table = arena_array(arena, atoms->size, sizeof *atoms->table);
    return atoms->table != NULL;
}

/* Doubles the table; on failure the old one stays in use (chains only get longer). */
static void atoms_grow(struct glsl_atoms *atoms) {
    uint32_t size = atoms->size * 2;
    struct glsl_atom **table = arena_array(atoms->arena, size, sizeof *table);
    if (!table) {
        return;
    }
    for (uint32_t i = 0; i < atoms->size; i++) {
        for (struct glsl_atom *a = atoms->table[i], *next; a; a = next) {
            next = a->next;
            a->next = table[a->hash & (size - 1)];
            table[a->hash & (size - 1)] = a;
        }
    }
    atoms->table = table;
    atoms->size = size;
}

static uint32_t hash_of(const char *text, uint32_t length) {
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < length; i++) {
        hash = (hash ^ (uint8_t)text[i]) * 16777619u;
    }
    return hash ^ hash >> 15;
}

static struct glsl_atom *find(const struct glsl_atoms *atoms, uint32_t hash, const char *text, uint32_t length) {
    for (struct glsl_atom *a = atoms->table[hash & (atoms->size - 1)]; a; a = a->next) {
        if (a->hash == hash && a->length == length && memcmp(a->text, text, length) == 0) {
            return a;
        }
    }
    return NULL;
}

struct glsl_atom *glsl_atom_find(const struct glsl_atoms *atoms, const char *text, uint32_t length) {
    return find(atoms, hash_of(text, length), text, length);
}

struct glsl_atom *glsl_atom_get(struct glsl_atoms *atoms, const char *text, uint32_t length) {
    uint32_t hash = hash_of(text, length);
    struct glsl_atom *known = find(atoms, hash, text, length);
    if (known) {
        return known;
    }
    if (atoms->count >= atoms->size) {
        atoms_grow(atoms);
    }
    struct glsl_atom *atom = arena_alloc(atoms->arena, sizeof *atom);
    char *copy = arena_strndup(atoms->arena, text, length);
    if (!atom || !copy) {
        return NULL;
    }
    atom->text = copy;
    atom->length = length;
    atom->hash = hash;
    atom->keyword = -1;
    atom->builtin = -1;
    atom->next = atoms->table[hash & (atoms->size - 1)];
    atoms->table[hash & (atoms->size - 1)] = atom;
    atoms->count++;
    return atom;
}
