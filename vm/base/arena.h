/* SPDX-License-Identifier: MIT */
/*
 * Bump allocator: memory that lives until the arena is reset or destroyed. Blocks are kept across
 * resets, so a reused arena stops calling malloc. Allocations are zeroed and 16-byte aligned.
 */
#ifndef VM_BASE_ARENA_H
#define VM_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct arena_block;

struct arena {
    struct arena_block *first, *current;
    unsigned char *at, *end; /* what is free of the current block; 'at' is 16-byte aligned */
    size_t used;         /* bytes handed out since the last reset */
    size_t limit;        /* fail beyond this many bytes; 0 = no limit */
    bool failed;         /* an allocation failed (memory or limit) */
};

void arena_init(struct arena *arena, size_t limit);
/*
 * For work that is done again and again with arenas that come and go: glibc gives freed memory back to the system
 * beyond a threshold that follows the largest block it has seen freed; this shows it a large one (which nobody
 * touches). Without it a compile of a large shader spends a fifth of its time in page faults.
 */
void arena_keep_memory(void);
void arena_fini(struct arena *arena);
void arena_reset(struct arena *arena);

/* What was handed out after the mark may be handed out again. */
struct arena_mark {
    struct arena_block *block;
    unsigned char *at;
    size_t used;
};
static inline struct arena_mark arena_mark(const struct arena *arena) {
    return (struct arena_mark){arena->current, arena->at, arena->used};
}
void arena_release(struct arena *arena, struct arena_mark mark);

/* As arena_alloc, not zeroed, any power-of-two alignment up to 64. */
void *arena_alloc_raw(struct arena *arena, size_t size, size_t align);

/* NULL (and arena->failed) when memory or the limit is out. size 0 gives a valid pointer. */
static inline void *arena_alloc(struct arena *arena, size_t size) {
    size_t padded = (size + 15) & ~(size_t)15;
    void *result = arena->at;
    if (size && size <= padded && padded <= (size_t)(arena->end - arena->at) && !arena->limit) {
        arena->at += padded;
        arena->used += size;
    } else {
        result = arena_alloc_raw(arena, size, 16);
    }
    return result ? memset(result, 0, size) : NULL;
}

/* Overflow-safe array. */
void *arena_array(struct arena *arena, size_t count, size_t size);
/* Copy of a string; length without NUL. */
char *arena_strndup(struct arena *arena, const char *text, size_t length);
void *arena_grow_array(struct arena *arena, void *array, uint32_t count, uint32_t *cap, uint32_t need, size_t size);
/* Grows an arena array to at least 'need' entries by doubling: returns the (moved) array, NULL on failure. */
static inline void *arena_grow(struct arena *arena, void *array, uint32_t count, uint32_t *cap, uint32_t need,
                               size_t size) {
    return need <= *cap ? array : arena_grow_array(arena, array, count, cap, need, size);
}

#endif
