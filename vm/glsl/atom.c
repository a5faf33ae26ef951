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

static inline uint64_t load64(const char *text) {
    uint64_t v;
    memcpy(&v, text, sizeof v);
    return v;
}

/* Fewer than eight characters as one number; with the length it says which they are. */
static inline uint64_t load_short(const char *text, uint32_t length) {
    if (length >= 4) {
        uint32_t first, last;
        memcpy(&first, text, sizeof first);
        memcpy(&last, text + length - 4, sizeof last);
        return first | (uint64_t)last << 32;
    }
    return length ? (uint64_t)(uint8_t)text[0] | (uint64_t)(uint8_t)text[length / 2] << 8 |
                        (uint64_t)(uint8_t)text[length - 1] << 16
                  : 0;
}

/* Depends on the byte order, which nothing that leaves the table shows. */
static inline uint32_t hash_of(const char *text, uint32_t length) {
    const uint64_t factor = 0x9E3779B97F4A7C15u;
    uint64_t hash = length;
    if (length < 8) {
        hash = (hash ^ load_short(text, length)) * factor;
    } else {
        for (uint32_t i = 0; i + 8 < length; i += 8) {
            hash = (hash ^ load64(text + i)) * factor;
            hash ^= hash >> 32;
        }
        hash = (hash ^ load64(text + length - 8)) * factor;
    }
    return (uint32_t)(hash >> 32) ^ (uint32_t)(hash >> 47);
}

static inline bool same_text(const char *a, const char *b, uint32_t length) {
    if (length < 8) {
        return load_short(a, length) == load_short(b, length);
    }
    for (uint32_t i = 0; i + 8 < length; i += 8) {
        if (load64(a + i) != load64(b + i)) {
            return false;
        }
    }
    return load64(a + length - 8) == load64(b + length - 8);
}

static inline struct glsl_atom *find(const struct glsl_atoms *atoms, uint32_t hash, const char *text, uint32_t length) {
    for (struct glsl_atom *a = atoms->table[hash & (atoms->size - 1)]; a; a = a->next) {
        if (a->hash == hash && a->length == length && same_text(a->text, text, length)) {
            return a;
        }
    }
    return NULL;
}

struct glsl_atom *glsl_atom_find(const struct glsl_atoms *atoms, const char *text, uint32_t length) {
    return find(atoms, hash_of(text, length), text, length);
}

static struct glsl_atom *new_atom(struct glsl_atoms *atoms, uint32_t hash, const char *text, uint32_t length) {
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

struct glsl_atom *glsl_atom_get(struct glsl_atoms *atoms, const char *text, uint32_t length) {
    uint32_t hash = hash_of(text, length);
    struct glsl_atom *known = find(atoms, hash, text, length);
    return known ? known : new_atom(atoms, hash, text, length);
}
