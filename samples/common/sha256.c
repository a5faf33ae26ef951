/* SPDX-License-Identifier: MIT */
/*
 * SHA-256 as FIPS 180-4 section 6.2 states it: 64-byte blocks, sixteen words
 * expanded to 64, eight working variables. Plain and portable; pictures are a
 * few megabytes, so speed does not matter here.
 */
#include "sha256.h"

#include <string.h>

/* First 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t sha256_round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate_right(uint32_t x, unsigned count) {
    return (x >> count) | (x << (32 - count));
}

static void sha256_block(struct sha256 *sha, const uint8_t *bytes) {
    uint32_t w[64];
    for (int i = 0; i < 16; i++) {
        w[i] = (uint32_t)bytes[4 * i] << 24 | (uint32_t)bytes[4 * i + 1] << 16 |
               (uint32_t)bytes[4 * i + 2] << 8 | (uint32_t)bytes[4 * i + 3];
    }
    for (int i = 16; i < 64; i++) {
        uint32_t x = w[i - 15];
        uint32_t y = w[i - 2];
        uint32_t s0 = rotate_right(x, 7) ^ rotate_right(x, 18) ^ (x >> 3);
        uint32_t s1 = rotate_right(y, 17) ^ rotate_right(y, 19) ^ (y >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }

    uint32_t v[8];
    memcpy(v, sha->state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t a = v[0];
        uint32_t e = v[4];
        uint32_t sum1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
        uint32_t choose = (e & v[5]) ^ (~e & v[6]);
        uint32_t t1 = v[7] + sum1 + choose + sha256_round_constant[i] + w[i];
        uint32_t sum0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
        uint32_t majority = (a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]);
        for (int k = 7; k > 0; k--) {
            v[k] = v[k - 1];
        }
        v[4] += t1;
        v[0] = t1 + sum0 + majority;
    }
    for (int i = 0; i < 8; i++) {
        sha->state[i] += v[i];
    }
}

void sha256_init(struct sha256 *sha) {
    /* First 32 bits of the fractional parts of the square roots of the first eight primes. */
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memset(sha, 0, sizeof *sha);
    memcpy(sha->state, start, sizeof start);
}

void sha256_update(struct sha256 *sha, const void *data, size_t size_bytes) {
    const uint8_t *bytes = data;
    size_t fill = (size_t)(sha->byte_count % 64);
    sha->byte_count += size_bytes;
    while (size_bytes > 0) {
        if (fill == 0 && size_bytes >= 64) {
            sha256_block(sha, bytes);
            bytes += 64;
            size_bytes -= 64;
            continue;
        }
        size_t part = 64 - fill < size_bytes ? 64 - fill : size_bytes;
        memcpy(sha->block + fill, bytes, part);
        bytes += part;
        size_bytes -= part;
        fill += part;
        if (fill == 64) {
            sha256_block(sha, sha->block);
            fill = 0;
        }
    }
}

void sha256_final(struct sha256 *sha, uint8_t digest[SHA256_DIGEST_BYTES]) {
    uint64_t bit_count = sha->byte_count * 8;
    uint8_t tail[72] = {0x80};
    /* One 0x80 byte, zeros up to 56 modulo 64, then the length in bits, big-endian. */
    size_t fill = (size_t)(sha->byte_count % 64);
    size_t pad = fill < 56 ? 56 - fill : 120 - fill;
    for (int i = 0; i < 8; i++) {
        tail[pad + (size_t)i] = (uint8_t)(bit_count >> (56 - 8 * i));
    }
    sha256_update(sha, tail, pad + 8);
    for (int i = 0; i < SHA256_DIGEST_BYTES; i++) {
        digest[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
    }
}

void sha256_hex(const uint8_t digest[SHA256_DIGEST_BYTES], char text[SHA256_HEX_CHARS + 1]) {
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < SHA256_DIGEST_BYTES; i++) {
        text[2 * i] = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    text[SHA256_HEX_CHARS] = '\0';
}
