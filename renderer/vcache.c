/* SPDX-License-Identifier: MIT */
/*
 * Post-transform reuse: of a chunk's indices each distinct one gets one slot, so its vertex is
 * shaded once in the chunk however often it is used. Indices that lie close together (nearly
 * always) go through a table by index; scattered ones through a hash table.
 */
#include <string.h>

#include "renderer/internal.h"
#include "vm/base/bits.h"

#define VCACHE_RANGE 16384 /* widest index range for the direct table */
#define VCACHE_HASH  32768 /* entries, a power of two above 2 * RN_SLOTS */
#define VCACHE_EMPTY (-1)

_Static_assert(VCACHE_HASH >= 2 * RN_SLOTS, "at most half full");

struct rn_vcache {
    int32_t slot[VCACHE_RANGE > VCACHE_HASH ? VCACHE_RANGE : VCACHE_HASH];
    uint32_t key[VCACHE_HASH];
    uint8_t used[VCACHE_RANGE];
};

size_t rn_vcache_bytes(void) {
    return sizeof(struct rn_vcache);
}

/* Marks the indices in use and numbers those in rising order, without a branch and without waiting
 * for one another. Mostly all of the range is in use and no table is needed. */
static struct rn_slot_map assign_direct(struct rn_vcache *cache, const uint32_t *index,
                                        uint32_t count, uint32_t low, uint32_t range,
                                        uint32_t *element, uint32_t *slots) {
    uint8_t *used = cache->used;
    memset(used, 0, range);
    for (uint32_t i = 0; i < count; i++) {
        used[index[i] - low] = 1;
    }
    uint32_t next = *slots;
    struct rn_slot_map map = {index, NULL, low, (int32_t)(next - low), true};
    if (!memchr(used, 0, range)) {
        for (uint32_t k = 0; k < range; k++) {
            element[next + k] = low + k;
        }
        *slots = next + range;
        return map;
    }
    map.table = cache->slot;
    map.consecutive = false;
    for (uint32_t k = 0; k < range; k++) {
        element[next] = low + k; /* there is room for one more than is used */
        cache->slot[k] = (int32_t)next;
        next += used[k];
    }
    *slots = next;
    return map;
}

/* The indices become slots. */
static struct rn_slot_map assign_hashed(struct rn_vcache *cache, uint32_t *index, uint32_t count,
                                        uint32_t *element, uint32_t *slots) {
    uint32_t size = 16;
    while (size < count * 2) {
        size *= 2;
    }
    memset(cache->slot, 0xFF, (size_t)size * sizeof cache->slot[0]);
    uint32_t next = *slots;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t h = (index[i] * UINT32_C(0x9E3779B1)) >> 12 & (size - 1);
        while (cache->slot[h] != VCACHE_EMPTY && cache->key[h] != index[i]) {
            h = (h + 1) & (size - 1);
        }
        if (cache->slot[h] == VCACHE_EMPTY) {
            cache->slot[h] = (int32_t)next;
            cache->key[h] = index[i];
            element[next++] = index[i];
        }
        index[i] = (uint32_t)cache->slot[h];
    }
    *slots = next;
    return (struct rn_slot_map){index, NULL, 0, 0, false};
}

struct rn_slot_map rn_vcache_assign(struct rn_vcache *cache, uint32_t *index, uint32_t count,
                                    struct rn_index_range range, uint32_t *element,
                                    uint32_t *slots) {
    const uint32_t span = range.high - range.low; /* may be 2^32 - 1 */
    if (count && span < VCACHE_RANGE && span / 8 <= count + 128) {
        return assign_direct(cache, index, count, range.low, span + 1, element, slots);
    }
    return assign_hashed(cache, index, count, element, slots);
}
