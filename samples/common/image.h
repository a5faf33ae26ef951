/* SPDX-License-Identifier: MIT */
/*
 * Pictures in memory and in files. In memory a picture is RGBA8, rows from the
 * top, no padding. Reading takes PNG, JPEG, BMP and TGA (stb_image); writing
 * makes PNG (libpng). Every failure fills a message that names the file.
 */
#ifndef SAMPLES_IMAGE_H
#define SAMPLES_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sha256.h"

/* The largest side accepted: twice what the renderer can draw or sample. */
#define IMAGE_MAX_SIDE 16384
#define IMAGE_MAX_PIXELS (64u << 20)
#define IMAGE_ERROR_CHARS 640

struct image {
    int32_t width;
    int32_t height;
    uint8_t *pixels; /* width * height * 4 bytes; owned, free with image_free() */
};

struct image_error {
    char text[IMAGE_ERROR_CHARS];
};

/*
 * Makes a picture of transparent black. Fails (false, message) on a size that is
 * not positive, is above the limits, or cannot be allocated.
 */
bool image_alloc(struct image *img, int32_t width, int32_t height, struct image_error *err);

/* Frees the pixels and clears the struct; a zeroed struct is fine. */
void image_free(struct image *img);

/* Turns the rows over: glReadPixels delivers them from the bottom. */
void image_flip(struct image *img);

/*
 * Writes a file. It appears under its name only when it is whole: it is written
 * under a temporary name beside it and renamed; after a failure neither is left,
 * and an older file of that name is untouched. A name that is no regular file
 * (a pipe, /dev/stdout) is written to directly.
 */
bool image_write_file(const char *path, const void *bytes, size_t size, struct image_error *err);

/*
 * Writes a PNG of 8 bits per channel, as image_write_file does. With with_alpha
 * false the alpha channel is left out.
 */
bool image_write_png(const char *path, const struct image *img, bool with_alpha,
                     struct image_error *err);

/* Reads a picture file. On failure *img is empty and err says why, naming the file. */
bool image_read(const char *path, struct image *img, struct image_error *err);

/* The same for bytes already in memory; `name` stands for the file in messages. */
bool image_read_memory(const char *name, const uint8_t *bytes, size_t size_bytes, struct image *img,
                       struct image_error *err);

/*
 * Reads a picture with all its bits: a PNG of 16 bits a channel gives width * height * 4 values in
 * *deep as well (the caller frees them with free()), every other picture gives NULL there. *img is
 * the picture in 8 bits in any case.
 */
bool image_read_deep(const char *path, struct image *img, uint16_t **deep,
                     struct image_error *err);

/* PNG bytes of a picture in memory; the caller frees. NULL and a message on failure. */
uint8_t *image_encode_png(const struct image *img, bool with_alpha, size_t *size_bytes,
                          struct image_error *err);

/*
 * The hash of a picture: SHA-256 of width and height (32-bit little-endian each),
 * then the RGBA8 rows from the top. Independent of any file format.
 */
void image_hash(const struct image *img, char text[SHA256_HEX_CHARS + 1]);

/*
 * Reads a whole file into memory and adds a NUL after it. NULL and a message on
 * failure: missing, a directory, unreadable, above limit_bytes. The caller frees.
 */
uint8_t *image_read_file(const char *path, size_t limit_bytes, size_t *size_bytes,
                         struct image_error *err);

#endif
