/* SPDX-License-Identifier: MIT */
/* A look at a PNG's chunks before stb_image decodes it. */
#ifndef SAMPLES_PNG_CHECK_H
#define SAMPLES_PNG_CHECK_H

#include <stddef.h>
#include <stdint.h>

/* NULL if the bytes are no PNG, or one whose chunks are all there; else what is wrong with it, a constant text. */
const char *png_check(const uint8_t *bytes, size_t size_bytes);

#endif
