/* SPDX-License-Identifier: MIT */
/*
 * Object names: open addressing with linear probing and deletion by moving the rest of the run
 * back, so that no tombstones collect however many objects come and go.
 */
#include "api/names.h"

#include <stdlib.h>

static uint32_t names_hash(uint32_t name) {
    return (name * 2654435761u) ^ (name >> 15);
}

static struct es_name_slot *names_slot(const struct es_names *names, uint32_t name) {
    if (!names->capacity || !name) {
        return NULL;
    }
    uint32_t mask = names->capacity - 1;
    for (uint32_t i = names_hash(name) & mask;; i = (i + 1) & mask) {
        if (names->slots[i].name == name) {
            return &names->slots[i];
        }
        if (names->slots[i].name == 0) {
            return NULL;
        }
    }
}

static void names_insert(struct es_name_slot *slots, uint32_t capacity, uint32_t name,
                         void *object) {
    uint32_t mask = capacity - 1;
    uint32_t i = names_hash(name) & mask;
    while (slots[i].name != 0) {
        i = (i + 1) & mask;
    }
    slots[i].name = name;
    slots[i].object = object;
}

/* Room for 'extra' more names at a load of at most one half. */
static bool names_reserve_room(struct es_names *names, uint32_t extra) {
    uint64_t need = ((uint64_t)names->count + extra) * 2;
    if (need <= names->capacity) {
        return true;
    }
    uint64_t capacity = names->capacity ? names->capacity : 32;
    while (capacity < need) {
        capacity *= 2;
    }
    if (capacity > UINT32_MAX / sizeof(struct es_name_slot)) {
        return false;
    }
    struct es_name_slot *slots = calloc((size_t)capacity, sizeof *slots);
    if (!slots) {
        return false;
    }
    for (uint32_t i = 0; i < names->capacity; i++) {
        if (names->slots[i].name) {
            names_insert(slots, (uint32_t)capacity, names->slots[i].name, names->slots[i].object);
        }
    }
    free(names->slots);
    names->slots = slots;
    names->capacity = (uint32_t)capacity;
    return true;
}

void es_names_fini(struct es_names *names) {
    free(names->slots);
    *names = (struct es_names){0};
}

bool es_names_generate(struct es_names *names, int32_t n, uint32_t *out) {
    if (n <= 0) {
        return true;
    }
    if (!names_reserve_room(names, (uint32_t)n)) {
        return false;
    }
    uint32_t name = names->hint ? names->hint : 1;
    for (int32_t i = 0; i < n; i++) {
        while (names_slot(names, name)) {
            name++;
        }
        names_insert(names->slots, names->capacity, name, NULL);
        names->count++;
        out[i] = name++;
    }
    names->hint = name;
    return true;
}

void *es_names_find(const struct es_names *names, uint32_t name) {
    const struct es_name_slot *slot = names_slot(names, name);
    return slot ? slot->object : NULL;
}

bool es_names_is_used(const struct es_names *names, uint32_t name) {
    return names_slot(names, name) != NULL;
}

bool es_names_set(struct es_names *names, uint32_t name, void *object) {
    struct es_name_slot *slot = names_slot(names, name);
    if (slot) {
        slot->object = object;
        return true;
    }
    if (!names_reserve_room(names, 1)) {
        return false;
    }
    names_insert(names->slots, names->capacity, name, object);
    names->count++;
    return true;
}

void es_names_remove(struct es_names *names, uint32_t name) {
    struct es_name_slot *slot = names_slot(names, name);
    if (!slot) {
        return;
    }
    uint32_t mask = names->capacity - 1;
    uint32_t hole = (uint32_t)(slot - names->slots);
    for (uint32_t i = (hole + 1) & mask; names->slots[i].name; i = (i + 1) & mask) {
        uint32_t home = names_hash(names->slots[i].name) & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            names->slots[hole] = names->slots[i];
            hole = i;
        }
    }
    names->slots[hole] = (struct es_name_slot){0};
    names->count--;
    if (name < names->hint) {
        names->hint = name;
    }
}

void *es_names_next(const struct es_names *names, uint32_t *position) {
    while (*position < names->capacity) {
        void *object = names->slots[(*position)++].object;
        if (object) {
            return object;
        }
    }
    return NULL;
}
