/* SPDX-License-Identifier: MIT */
/*
 * stb_image 2.27, which Debian 12 has, believes the code counts of a Huffman table
 * (ITU T.81 section B.2.4.2): more than 256 codes overrun its arrays. This walk visits the
 * segments just as that decoder does and refuses such tables first. It also counts
 * scans: each passes over the whole picture, so a small file could keep it busy for
 * very long.
 */
#include "jpeg_check.h"

#include <stdbool.h>

#define MOST_SCANS 200

enum jpeg_marker {
    JPEG_SOI = 0xd8,
    JPEG_EOI = 0xd9,
    JPEG_SOS = 0xda,
    JPEG_DHT = 0xc4,
    JPEG_RST0 = 0xd0,
    JPEG_RST7 = 0xd7
};

/* The tables of one DHT segment, without its length field. */
static bool tables_fit(const uint8_t *bytes, size_t size) {
    size_t at = 0;
    while (at < size) {
        unsigned count = 0;
        if (size - at < 17) {
            return false;
        }
        for (size_t i = 1; i <= 16; i++) {
            count += bytes[at + i];
        }
        if (count > 256 || size - at - 17 < count) {
            return false;
        }
        at += 17 + count;
    }
    return true;
}

/* From the start of coded data to the 0xff of the next marker that is no restart. */
static size_t skip_coded_data(const uint8_t *bytes, size_t size, size_t at) {
    while (at + 1 < size) {
        uint8_t next = bytes[at + 1];
        if (bytes[at] == 0xff && next != 0 && next != 0xff &&
            !(next >= JPEG_RST0 && next <= JPEG_RST7)) {
            return at;
        }
        at++;
    }
    return size;
}

const char *jpeg_check(const uint8_t *bytes, size_t size) {
    if (size < 4 || bytes[0] != 0xff || bytes[1] != JPEG_SOI) {
        return NULL;
    }
    int scans = 0;
    size_t at = 2;
    for (;;) {
        while (at < size && bytes[at] != 0xff) {
            at++;
        }
        while (at < size && bytes[at] == 0xff) {
            at++;
        }
        if (at >= size) {
            return NULL; /* ends early: the decoder finds that harmless */
        }
        uint8_t marker = bytes[at++];
        if (marker == JPEG_EOI || size - at < 2) {
            return NULL;
        }
        if (marker == 0 || marker == JPEG_SOI || (marker >= JPEG_RST0 && marker <= JPEG_RST7)) {
            continue;
        }
        size_t length = (size_t)bytes[at] << 8 | bytes[at + 1];
        if (length < 2 || length > size - at) {
            /* Only a table could do harm, and a cut one is refused. */
            return marker == JPEG_DHT ? "a Huffman table is cut off" : NULL;
        }
        if (marker == JPEG_DHT && !tables_fit(bytes + at + 2, length - 2)) {
            return "a Huffman table has too many codes";
        }
        at += length;
        if (marker == JPEG_SOS) {
            if (++scans > MOST_SCANS) {
                return "too many scans";
            }
            at = skip_coded_data(bytes, size, at);
        }
    }
}
