/* SPDX-License-Identifier: MIT */
/* Decoding of S3TC (DXT1, DXT3, DXT5) blocks. */
#ifndef API_DXT_H
#define API_DXT_H

#include <stdint.h>

#include <GLES2/gl2.h>

/*
 * Decodes one block of 'format' to 4 x 4 RGBA pixels, rows of four from the first row of the
 * upload.
 */
void es_dxt_decode_block(GLenum format, const uint8_t *block, uint8_t out[16][4]);

#endif
