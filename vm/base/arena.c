/* SPDX-License-Identifier: MIT */
/* Bump allocator over a chain of blocks; see arena.h. */
#include "vm/base/arena.h"

#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK_MIN (64u * 1024u)
#define ARENA_BLOCK_MAX (4u * 1024u * 1024u)

struct arena_block {
    struct arena_block *next;
    size_t size;   /* bytes in data */
    size_t used;
    size_t pad;
    unsigned char data[];
};

void arena_init(struct arena *arena, size_t limit) {
    memset(arena, 0, sizeof *arena);
    arena->limit = limit;
}

void arena_fini(struct arena *arena) {
    struct arena_block *block = arena->first;
    while (block) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
    memset(arena, 0, sizeof *arena);
}

void arena_reset(struct arena *arena) {
    arena->current = arena->first;
    if (arena->first) {
        arena->first->used = 0;
    }
    arena->used = 0;
    arena->failed = false;
}

/* Makes arena->current a block with room for 'need' bytes (alignment included). */
static bool next_block(struct arena *arena, size_t need) {
    struct arena_block *block = arena->current ? arena->current->next : arena->first;
    struct arena_block *before = arena->current;
    while (block) { /* blocks kept from before a reset */
        if (block->size >= need) {
            block->used = 0;
            arena->current = block;
            return true;
        }
        before = block;
        block = block->next;
    }
    size_t size = arena->current ? arena->current->size * 2 : ARENA_BLOCK_MIN;
    if (size > ARENA_BLOCK_MAX) {
        size = ARENA_BLOCK_MAX;
    }
    if (size < need) {
        size = need;
    }
    if (size > SIZE_MAX - sizeof *block) {
        return false;
    }
    block = malloc(sizeof *block + size);
    if (!block) {
        return false;
    }
    block->next = NULL;
    block->size = size;
    block->used = 0;
    if (before) {
        before->next = block;
    } else {
        arena->first = block;
    }
    arena->current = block;
    return true;
}

void *arena_alloc_raw(struct arena *arena, size_t size, size_t align) {
    if (align < 16) {
        align = 16;
    }
    if (size > SIZE_MAX - 128 || (arena->limit && size > arena->limit - arena->used)) {
        arena->failed = true;
        return NULL;
    }
    for (int attempt = 0; attempt < 2; attempt++) {
        struct arena_block *block = arena->current;
        if (block) {
            uintptr_t at = (uintptr_t)(block->data + block->used);
            size_t skip = (size_t)((align - (at & (align - 1))) & (align - 1));
            if (block->size - block->used >= skip && block->size - block->used - skip >= size) {
                void *result = block->data + block->used + skip;
                block->used += skip + size;
                arena->used += size;
                return result;
            }
        }
        if (attempt || !next_block(arena, size + align)) {
            break;
        }
    }
    arena->failed = true;
    return NULL;
}

void *arena_alloc(struct arena *arena, size_t size) {
    void *result = arena_alloc_raw(arena, size, 16);
    if (result) {
        memset(result, 0, size);
    }
    return result;
}

void *arena_array(struct arena *arena, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) {
        arena->failed = true;
        return NULL;
    }
    return arena_alloc(arena, count * size);
}

char *arena_strndup(struct arena *arena, const char *text, size_t length) {
    char *copy = arena_alloc_raw(arena, length + 1, 16);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

/* Lengthens the newest allocation where it is; false when something stands behind it or the block is full. */
static bool extend(struct arena *arena, const void *array, size_t old_size, size_t new_size) {
    struct arena_block *block = arena->current;
    if (!block || (const unsigned char *)array + old_size != block->data + block->used ||
        new_size - old_size > block->size - block->used ||
        (arena->limit && new_size - old_size > arena->limit - arena->used)) {
        return false;
    }
    block->used += new_size - old_size;
    arena->used += new_size - old_size;
    return true;
}

void *arena_grow(struct arena *arena, void *array, uint32_t count, uint32_t *cap, uint32_t need,
                 size_t size) {
    if (need <= *cap) {
        return array;
    }
    uint32_t grown = *cap ? *cap : 8;
    while (grown < need) {
        if (grown > UINT32_MAX / 2) {
            arena->failed = true;
            return NULL;
        }
        grown *= 2;
    }
    if (size && grown > SIZE_MAX / size) {
        arena->failed = true;
        return NULL;
    }
    void *moved = array;
    if (!array || !extend(arena, array, *cap * size, grown * size)) {
        moved = arena_alloc_raw(arena, grown * size, 16);
        if (!moved) {
            return NULL;
        }
        if (count) {
            memcpy(moved, array, (size_t)count * size);
        }
    }
    memset((char *)moved + (size_t)count * size, 0, (grown - (size_t)count) * size);
    *cap = grown;
    return moved;
}
