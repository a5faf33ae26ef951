/* SPDX-License-Identifier: MIT */
/* Bump allocator over a chain of blocks; see arena.h. */
#include "vm/base/arena.h"

#include <stdlib.h>
#include <string.h>

/* Blocks grow fourfold, so that the largest is most of the memory: malloc then keeps what was freed for the next compile
   instead of giving it back to the system, whose fresh pages cost more than the work in them. */
#define ARENA_BLOCK_MIN (64u * 1024u)
#define ARENA_BLOCK_MAX (4u * 1024u * 1024u)
#define ARENA_KEPT (8u * 1024u * 1024u)

struct arena_block {
    struct arena_block *next;
    size_t size;   /* bytes in data, a multiple of 16 */
    _Alignas(16) unsigned char data[];
};

static void use_block(struct arena *arena, struct arena_block *block) {
    arena->current = block;
    arena->at = block ? block->data : NULL;
    arena->end = block ? block->data + block->size : NULL;
}

void arena_keep_memory(void) {
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
    void *volatile block = malloc(ARENA_KEPT); /* volatile: compilers know that such a pair does nothing */
    free(block);
#endif
}

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
    use_block(arena, arena->first);
    arena->used = 0;
    arena->failed = false;
}

void arena_release(struct arena *arena, struct arena_mark mark) {
    if (arena->current != mark.block) {
        use_block(arena, mark.block ? mark.block : arena->first);
    }
    arena->at = mark.block ? mark.at : arena->at;
    arena->used = mark.used;
}

/* Makes arena->current a block with room for 'need' bytes (alignment included). */
static bool next_block(struct arena *arena, size_t need) {
    struct arena_block *before = arena->current, *block = before ? before->next : arena->first;
    while (block && block->size < need) { /* blocks kept from before a reset */
        before = block;
        block = block->next;
    }
    if (!block) {
        size_t size = arena->current ? arena->current->size * 4 : ARENA_BLOCK_MIN;
        size = size > ARENA_BLOCK_MAX ? ARENA_BLOCK_MAX : size;
        size = size < need ? (need + 15) & ~(size_t)15 : size;
        block = malloc(sizeof *block + size);
        if (!block) {
            return false;
        }
        block->next = NULL;
        block->size = size;
        if (before) {
            before->next = block;
        } else {
            arena->first = block;
        }
    }
    use_block(arena, block);
    return true;
}

void *arena_alloc_raw(struct arena *arena, size_t size, size_t align) {
    if (size > SIZE_MAX / 4 || (arena->limit && size > arena->limit - arena->used)) {
        arena->failed = true;
        return NULL;
    }
    size_t padded = size ? (size + 15) & ~(size_t)15 : 16;
    size_t skip = align > 16 ? (size_t)(0 - (uintptr_t)arena->at) & (align - 1) : 0;
    if (padded + skip > (size_t)(arena->end - arena->at)) {
        if (!next_block(arena, padded + align)) {
            arena->failed = true;
            return NULL;
        }
        skip = align > 16 ? (size_t)(0 - (uintptr_t)arena->at) & (align - 1) : 0;
    }
    unsigned char *result = arena->at + skip;
    arena->at = result + padded;
    arena->used += size;
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
    size_t old_padded = (old_size + 15) & ~(size_t)15, new_padded = (new_size + 15) & ~(size_t)15;
    if (!arena->at || (const unsigned char *)array + old_padded != arena->at ||
        new_padded - old_padded > (size_t)(arena->end - arena->at) ||
        (arena->limit && new_size - old_size > arena->limit - arena->used)) {
        return false;
    }
    arena->at += new_padded - old_padded;
    arena->used += new_size - old_size;
    return true;
}

void *arena_grow_array(struct arena *arena, void *array, uint32_t count, uint32_t *cap, uint32_t need,
                       size_t size) {
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
