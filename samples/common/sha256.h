/* SPDX-License-Identifier: MIT */
/*
 * SHA-256 (FIPS 180-4), used to name pictures. Bytes go in in any number of
 * pieces, a 32-byte digest comes out. Nothing is allocated, nothing can fail.
 */
#ifndef SAMPLES_SHA256_H
#define SAMPLES_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_DIGEST_BYTES 32
#define SHA256_HEX_CHARS 64

struct sha256 {
    uint32_t state[8];
    uint64_t byte_count;
    uint8_t block[64];
};

void sha256_init(struct sha256 *sha);
void sha256_update(struct sha256 *sha, const void *data, size_t size_bytes);
/* Writes the digest. The state is used up: call sha256_init() before more data. */
void sha256_final(struct sha256 *sha, uint8_t digest[SHA256_DIGEST_BYTES]);

/* Writes the digest as 64 lower-case hexadecimal digits and a NUL. */
void sha256_hex(const uint8_t digest[SHA256_DIGEST_BYTES], char text[SHA256_HEX_CHARS + 1]);

#endif
