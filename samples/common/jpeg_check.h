/* SPDX-License-Identifier: MIT */
/* A look at a JPEG's segments before stb_image decodes it. */
#ifndef SAMPLES_JPEG_CHECK_H
#define SAMPLES_JPEG_CHECK_H

#include <stddef.h>
#include <stdint.h>

/*
 * NULL if the bytes are no JPEG, or one whose Huffman tables fit and which has a
 * sensible number of scans; else what is wrong with it, a constant text.
 */
const char *jpeg_check(const uint8_t *bytes, size_t size_bytes);

#endif
