/* SPDX-License-Identifier: MIT */
/* Pictures in memory: allocation, turning over, hash. Needs no picture library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

bool image_alloc(struct image *img, int32_t width, int32_t height, struct image_error *err) {
    memset(img, 0, sizeof *img);
    if (width < 1 || height < 1 || width > IMAGE_MAX_SIDE || height > IMAGE_MAX_SIDE ||
        (uint64_t)width * (uint64_t)height > IMAGE_MAX_PIXELS) {
        snprintf(err->text, sizeof err->text, "picture size %dx%d is outside 1x1 to %dx%d", (int)width,
                 (int)height, IMAGE_MAX_SIDE, IMAGE_MAX_SIDE);
        return false;
    }
    img->pixels = calloc((size_t)width * (size_t)height, 4);
    if (img->pixels == NULL) {
        snprintf(err->text, sizeof err->text, "no memory for a picture of %dx%d", (int)width, (int)height);
        return false;
    }
    img->width = width;
    img->height = height;
    return true;
}

void image_free(struct image *img) {
    free(img->pixels);
    memset(img, 0, sizeof *img);
}

void image_flip(struct image *img) {
    size_t row_bytes = (size_t)img->width * 4;
    for (int32_t y = 0; y < img->height / 2; y++) {
        uint8_t *a = img->pixels + row_bytes * (size_t)y;
        uint8_t *b = img->pixels + row_bytes * (size_t)(img->height - 1 - y);
        for (size_t i = 0; i < row_bytes; i++) {
            uint8_t keep = a[i];
            a[i] = b[i];
            b[i] = keep;
        }
    }
}

void image_hash(const struct image *img, char text[SHA256_HEX_CHARS + 1]) {
    uint32_t size[2] = {(uint32_t)img->width, (uint32_t)img->height};
    uint8_t header[8];
    for (int i = 0; i < 8; i++) {
        header[i] = (uint8_t)(size[i / 4] >> (8 * (i % 4)));
    }
    uint8_t digest[SHA256_DIGEST_BYTES];
    struct sha256 sha;
    sha256_init(&sha);
    sha256_update(&sha, header, sizeof header);
    sha256_update(&sha, img->pixels, (size_t)img->width * (size_t)img->height * 4);
    sha256_final(&sha, digest);
    sha256_hex(digest, text);
}
