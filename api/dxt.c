/* SPDX-License-Identifier: MIT */
/*
 * S3TC blocks (EXT_texture_compression_s3tc). A colour block holds two 5:6:5 end colours and
 * sixteen 2-bit codes; DXT3 puts 4-bit alphas before it, DXT5 two end alphas and sixteen 3-bit
 * codes. Mixed colours are computed on the end colours widened to 8 bits and truncated.
 */
#include "api/dxt.h"

#include <GLES2/gl2ext.h>
#include <stdbool.h>
#include <string.h>

#include "vm/base/bits.h"

static void dxt_widen(unsigned c565, uint8_t out[4]) {
    unsigned r = c565 >> 11;
    unsigned g = (c565 >> 5) & 63;
    unsigned b = c565 & 31;
    out[0] = (uint8_t)(r << 3 | r >> 2);
    out[1] = (uint8_t)(g << 2 | g >> 4);
    out[2] = (uint8_t)(b << 3 | b >> 2);
    out[3] = 255;
}

/*
 * DXT1 whose first end colour is not the larger one has one mean colour and black instead of two
 * means.
 */
static void dxt_colors(const uint8_t *block, bool may_be_three, bool black_is_clear,
                       uint8_t out[16][4]) {
    unsigned c0 = (unsigned)block[0] | (unsigned)block[1] << 8;
    unsigned c1 = (unsigned)block[2] | (unsigned)block[3] << 8;
    uint8_t palette[4][4];
    bool three = may_be_three && c0 <= c1;
    dxt_widen(c0, palette[0]);
    dxt_widen(c1, palette[1]);
    for (unsigned i = 0; i < 3; i++) {
        unsigned a = palette[0][i];
        unsigned b = palette[1][i];
        palette[2][i] = (uint8_t)(three ? (a + b) / 2 : (2 * a + b) / 3);
        palette[3][i] = (uint8_t)(three ? 0 : (a + 2 * b) / 3);
    }
    palette[2][3] = 255;
    palette[3][3] = three && black_is_clear ? 0 : 255;
    uint32_t codes = bits_load_le32(block + 4);
    for (unsigned i = 0; i < 16; i++) {
        memcpy(out[i], palette[(codes >> (2 * i)) & 3], 4);
    }
}

static void dxt_alpha_explicit(const uint8_t *block, uint8_t out[16][4]) {
    for (unsigned i = 0; i < 16; i++) {
        unsigned a = (block[i / 2] >> (i % 2 * 4)) & 15u;
        out[i][3] = (uint8_t)(a * 17);
    }
}

static void dxt_alpha_mixed(const uint8_t *block, uint8_t out[16][4]) {
    unsigned a0 = block[0];
    unsigned a1 = block[1];
    uint64_t codes =
        (uint64_t)bits_load_le32(block + 2) | (uint64_t)block[6] << 32 | (uint64_t)block[7] << 40;
    for (unsigned i = 0; i < 16; i++) {
        unsigned code = (unsigned)(codes >> (3 * i)) & 7u;
        unsigned a;
        if (code < 2) {
            a = code ? a1 : a0;
        } else if (a0 > a1) {
            a = ((8 - code) * a0 + (code - 1) * a1) / 7;
        } else if (code < 6) {
            a = ((6 - code) * a0 + (code - 1) * a1) / 5;
        } else {
            a = code == 6 ? 0 : 255;
        }
        out[i][3] = (uint8_t)a;
    }
}

void es_dxt_decode_block(GLenum format, const uint8_t *block, uint8_t out[16][4]) {
    switch (format) {
    case GL_COMPRESSED_RGBA_S3TC_DXT3_EXT:
        dxt_colors(block + 8, false, false, out);
        dxt_alpha_explicit(block, out);
        break;
    case GL_COMPRESSED_RGBA_S3TC_DXT5_EXT:
        dxt_colors(block + 8, false, false, out);
        dxt_alpha_mixed(block, out);
        break;
    default: dxt_colors(block, true, format == GL_COMPRESSED_RGBA_S3TC_DXT1_EXT, out);
    }
}
