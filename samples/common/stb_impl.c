/* SPDX-License-Identifier: MIT */
/*
 * The one place where stb_image's code is compiled. Only the formats that model
 * textures and goldens use are kept: the others (GIF, PSD, PIC, HDR, PNM) have had
 * memory errors of their own. No SIMD, so that a JPEG decodes to the same bits on
 * every machine; zeroed memory, so that a file that ends early shows no stale bytes.
 */
#include <stdlib.h>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wdouble-promotion"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#endif

#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_BMP
#define STBI_ONLY_TGA
#define STBI_NO_STDIO
#define STBI_NO_SIMD
#define STBI_NO_THREAD_LOCALS
#define STBI_MAX_DIMENSIONS 16384
#define STBI_MALLOC(size) calloc(1, (size))
#define STBI_REALLOC(p, size) realloc((p), (size))
#define STBI_FREE(p) free(p)
#include <stb/stb_image.h>
