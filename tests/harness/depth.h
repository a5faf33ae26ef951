/* SPDX-License-Identifier: MIT */
/* Depth values in memory: words of 32 or of 16 bits in the machine's order of bytes. */
#ifndef TESTS_HARNESS_DEPTH_H
#define TESTS_HARNESS_DEPTH_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t load_depth(const uint8_t *at, bool wide) {
    uint32_t word;
    uint16_t half;
    if (wide) {
        memcpy(&word, at, sizeof word);
        return word;
    }
    memcpy(&half, at, sizeof half);
    return half;
}

static inline void store_depth(uint8_t *at, bool wide, uint32_t value) {
    const uint16_t half = (uint16_t)value;
    memcpy(at, wide ? (const void *)&value : (const void *)&half, wide ? sizeof value : sizeof half);
}

#endif
