/* SPDX-License-Identifier: MIT */
/*
 * stb_image names neither a file that ends too early nor a size of nothing; this walk over the chunks
 * (ISO 15948 sections 5.3 and 11.2.2) does, and leaves everything else to it.
 */
#include "png_check.h"

#include <string.h>

static uint32_t number_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

const char *png_check(const uint8_t *bytes, size_t size) {
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    if (size < 4 || memcmp(bytes, signature, size < 8 ? size : 8) != 0) {
        return NULL;
    }
    for (size_t at = 8; size >= at && size - at >= 12;) {
        const uint32_t length = number_at(bytes + at);
        if (at == 8) {
            if (memcmp(bytes + at + 4, "IHDR", 4) != 0 || length != 13) {
                return NULL;
            }
            if (size >= at + 16 && (number_at(bytes + at + 8) == 0 || number_at(bytes + at + 12) == 0)) {
                return "its size is 0";
            }
            if (size >= at + 16 && (number_at(bytes + at + 8) > 1u << 24 || number_at(bytes + at + 12) > 1u << 24)) {
                return "its size is beyond all measure";
            }
        }
        if (length > size - at - 12) {
            break;
        }
        if (memcmp(bytes + at + 4, "IEND", 4) == 0) {
            return NULL;
        }
        at += 12 + (size_t)length;
    }
    return "the file ends too early";
}
