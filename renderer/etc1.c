/* SPDX-License-Identifier: MIT */
/*
 * ETC1 blocks to RGBX8 pixels: 4x4 texels in 64 big-endian bits, two sub-blocks with a base colour and a
 * table of four intensity offsets each. SPEC: OES_compressed_ETC1_RGB8_texture.
 */
#include <string.h>

#include "renderer/renderer.h"

static const int16_t modifiers[8][2] = {{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}};

static int clamp_byte(int v) { return v < 0 ? 0 : (v > 255 ? 255 : v); }

/* Base colours of the two sub-blocks, 8 bits a channel. */
static void base_colors(uint32_t high, int base[2][3]) {
    for (int c = 0; c < 3; c++) {
        unsigned shift = 24u - 8u * (unsigned)c;
        uint32_t byte = (high >> shift) & 255u;
        if (high & 2u) { /* differential: 5 bits and a signed difference of 3 */
            int first = (int)(byte >> 3), delta = (int)(byte & 7u);
            int second = (first + (delta > 3 ? delta - 8 : delta)) & 31;
            base[0][c] = first << 3 | first >> 2;
            base[1][c] = second << 3 | second >> 2;
        } else { /* individual: 4 bits each */
            base[0][c] = (int)(byte >> 4) * 17;
            base[1][c] = (int)(byte & 15u) * 17;
        }
    }
}

static void decode_block(struct rn_image *image, uint32_t x0, uint32_t y0, const uint8_t *block) {
    uint32_t high = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 | block[3];
    uint32_t low = (uint32_t)block[4] << 24 | (uint32_t)block[5] << 16 | (uint32_t)block[6] << 8 | block[7];
    int base[2][3];
    base_colors(high, base);
    unsigned tables[2] = {(high >> 5) & 7u, (high >> 2) & 7u};
    bool flip = high & 1u;
    for (uint32_t i = 0; i < 16; i++) { /* texels run down columns */
        uint32_t x = i >> 2, y = i & 3u;
        if (x0 + x >= image->width || y0 + y >= image->height) {
            continue;
        }
        unsigned sub = (flip ? y : x) >> 1;
        int modifier = modifiers[tables[sub]][(low >> i) & 1u];
        modifier = (low >> (16 + i)) & 1u ? -modifier : modifier;
        uint32_t word = 0xFF000000u;
        for (unsigned c = 0; c < 3; c++) {
            word |= (uint32_t)clamp_byte(base[sub][c] + modifier) << (8 * c);
        }
        memcpy(image->data + (size_t)(y0 + y) * image->row_bytes + 4 * (size_t)(x0 + x), &word, 4);
    }
}

void rn_image_write_etc1(struct rn_image *image, const uint8_t *blocks) {
    rn_image_settle(image, NULL);
    for (uint32_t y = 0; y < image->height; y += 4) {
        for (uint32_t x = 0; x < image->width; x += 4, blocks += 8) {
            decode_block(image, x, y, blocks);
        }
    }
}
