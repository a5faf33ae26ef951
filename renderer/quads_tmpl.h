/* SPDX-License-Identifier: MIT */
/*
 * The quads of a window (included by templates only): a mask of 8x8 pixels becomes places and lanes of the quads that
 * have any, packed. Where bytes can be picked by a table this is done for all sixteen quads at once. quads4: windows of
 * 4x4, four bits a row.
 */
#ifndef RENDERER_QUADS_TMPL_H
#define RENDERER_QUADS_TMPL_H

#include <string.h>

#include "vm/base/simd.h"

#include "renderer/tile.h"

SIMD_FN bool quads4_fit(uint64_t mask) {
    return !(mask & ~UINT64_C(0x0F0F0F0F));
}
SIMD_FN uint32_t quads4_mask(uint64_t mask) {
    const uint32_t m = (uint32_t)(mask | mask >> 4);
    return (m & 0xFFu) | (m >> 8 & 0xFF00u);
}
SIMD_FN uint64_t quads4_window(uint32_t m) {
    return (m & 0xFu) | (m & 0xF0u) << 4 | (m & 0xF00u) << 8 | (m & 0xF000u) << 12;
}

#if SIMD_PICKS
/* Rows of eight to quads of four bits: in each pair of rows, pairs of bits change places until those of a quad are
 * neighbours. */
SIMD_FN uint64_t quad_order(uint64_t m) {
    uint64_t t = (m ^ m >> 4) & UINT64_C(0x00F000F000F000F0);
    m ^= t ^ t << 4;
    t = (m ^ m >> 2) & UINT64_C(0x0C0C0C0C0C0C0C0C);
    return m ^ t ^ t << 2;
}

/* Entry b: the numbers of the bits set in b, then anything. */
#define BIT(b, i)     ((uint64_t)(b) >> (i) & 1u)
#define BELOW1(b)     BIT(b, 0)
#define BELOW2(b)     (BELOW1(b) + BIT(b, 1))
#define BELOW3(b)     (BELOW2(b) + BIT(b, 2))
#define BELOW4(b)     (BELOW3(b) + BIT(b, 3))
#define BELOW5(b)     (BELOW4(b) + BIT(b, 4))
#define BELOW6(b)     (BELOW5(b) + BIT(b, 5))
#define BELOW7(b)     (BELOW6(b) + BIT(b, 6))
#define NUMBER(b, i)  ((BIT(b, i) * i) << 8 * BELOW##i(b))
#define PICK(b)                                                                                                        \
    (NUMBER(b, 1) | NUMBER(b, 2) | NUMBER(b, 3) | NUMBER(b, 4) | NUMBER(b, 5) | NUMBER(b, 6) | NUMBER(b, 7))
#define PICK4(b)      PICK(b), PICK((b) + 1), PICK((b) + 2), PICK((b) + 3)
#define PICK16(b)     PICK4(b), PICK4((b) + 4), PICK4((b) + 8), PICK4((b) + 12)
#define PICK64(b)     PICK16(b), PICK16((b) + 16), PICK16((b) + 32), PICK16((b) + 48)
static const uint64_t picks[256] = {PICK64(0), PICK64(64), PICK64(128), PICK64(192)};

static const uint8_t place_x[16] BITS_ALIGN(16) = {0, 2, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6};
static const uint8_t place_y[16] BITS_ALIGN(16) = {0, 0, 0, 0, 2, 2, 2, 2, 4, 4, 4, 4, 6, 6, 6, 6};
static const uint8_t second_half[16] BITS_ALIGN(16) = {0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8};

SIMD_FN uint32_t quads_append(uint64_t mask, uint32_t x, uint32_t y, uint8_t *qx, uint8_t *qy, uint8_t *lanes) {
    const vh quads = vh_nibbles(quad_order(mask));
    const uint32_t some = vh_some(quads), lo = some & 255u, hi = some >> 8, n = bits_popcount64(lo);
    const vh k = vh_add(vh_load2(&picks[lo], &picks[hi]), vh_load(second_half));
    vh_store2(qx, qx + n, vh_pick(vh_add(vh_load(place_x), vh_set1(x)), k));
    vh_store2(qy, qy + n, vh_pick(vh_add(vh_load(place_y), vh_set1(y)), k));
    vh_store2(lanes, lanes + n, vh_pick(quads, k));
    return bits_popcount64(some);
}

/* Entry b: numbers of the bits set in b, a byte each; the quads' places; bytes that are 255 where a bit is set. */
#define QUAD_X(b, i) ((BIT(b, i) * ((i) % 2 * 2)) << 8 * BELOW##i(b))
#define QUAD_Y(b, i) ((BIT(b, i) * ((i) / 2 * 2)) << 8 * BELOW##i(b))
#define QUADS4(b)                                                                                                      \
    {(uint32_t)(NUMBER(b, 1) | NUMBER(b, 2) | NUMBER(b, 3)), (uint32_t)(QUAD_X(b, 1) | QUAD_X(b, 3)),                  \
     (uint32_t)(QUAD_Y(b, 2) | QUAD_Y(b, 3)),                                                                          \
     (uint32_t)(255u * (BIT(b, 0) | BIT(b, 1) << 8 | BIT(b, 2) << 16 | BIT(b, 3) << 24))}
static const struct {
    uint32_t numbers, x, y, bytes;
} quads4[16] = {QUADS4(0), QUADS4(1), QUADS4(2),  QUADS4(3),  QUADS4(4),  QUADS4(5),  QUADS4(6),  QUADS4(7),
                QUADS4(8), QUADS4(9), QUADS4(10), QUADS4(11), QUADS4(12), QUADS4(13), QUADS4(14), QUADS4(15)};

SIMD_FN uint32_t quads4_append(uint32_t mask, uint32_t x, uint32_t y, uint8_t *qx, uint8_t *qy, uint8_t *lanes) {
    const uint32_t each = 0x01010101u, t = (mask ^ mask >> 2) & 0x0C0Cu, m = mask ^ t ^ t << 2;
    uint32_t quads = (m | m << 8) & 0x00FF00FFu;
    quads = (quads | quads << 4) & 0x0F0F0F0Fu; /* a byte each */
    const uint32_t some = ((quads + 0x7F * each) >> 7 & each) * 0x01020408u >> 24 & 15u;
    const uint32_t out[3] = {quads4[some].x + x * each, quads4[some].y + y * each,
                             simd_pick_bytes(quads, quads4[some].bytes, quads4[some].numbers)};
    memcpy(qx, &out[0], 4);
    memcpy(qy, &out[1], 4);
    memcpy(lanes, &out[2], 4);
    return bits_popcount64(some);
}

#else

SIMD_FN uint32_t quads_append(uint64_t mask, uint32_t x, uint32_t y, uint8_t *qx, uint8_t *qy, uint8_t *lanes) {
    uint32_t n = 0;
    uint64_t some = mask | mask >> 1;
    some = (some | some >> 8) & UINT64_C(0x0055005500550055);
    for (; some; some &= some - 1, n++) {
        const uint32_t at = bits_ctz64(some);
        const uint64_t m = mask >> at;
        qx[n] = (uint8_t)(x + (at & 7));
        qy[n] = (uint8_t)(y + (at >> 3));
        lanes[n] = (uint8_t)((m & 3) | (m >> 6 & 12));
    }
    return n;
}

SIMD_FN uint32_t quads4_append(uint32_t mask, uint32_t x, uint32_t y, uint8_t *qx, uint8_t *qy, uint8_t *lanes) {
    return quads_append(quads4_window(mask), x, y, qx, qy, lanes);
}

#endif

#endif
