/* SPDX-License-Identifier: MIT */
/*
 * The one place where stb_image's code is compiled. Only the formats that model
 * textures and goldens use are kept: the others (GIF, PSD, PIC, HDR, PNM) have had
 * memory errors of their own. No SIMD, so that a JPEG decodes to the same bits on
 * every machine; zeroed memory, so that a file that ends early shows no stale bytes.
 * The build gives this file -fwrapv: damaged JPEGs make its integers wrap around.
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
#define STBI_ASSERT(condition) ((void)0)
#define STBI_MALLOC(size) stb_alloc(size)
#define STBI_REALLOC(p, size) stb_grow((p), (size))
#define STBI_FREE(p) free(p)

/*
 * What the largest picture needs (image.h: 64 Mi pixels of four 16-bit channels) and
 * some more. A small file whose data unpacks to more than that is refused.
 */
#define STB_MOST_BYTES ((size_t)640 << 20)

static void *stb_alloc(size_t size) {
    return size <= STB_MOST_BYTES ? calloc(1, size) : NULL;
}

static void *stb_grow(void *p, size_t size) {
    return size <= STB_MOST_BYTES ? realloc(p, size) : NULL;
}

#include <stb/stb_image.h>
