/* SPDX-License-Identifier: MIT */
/* Limits of the image container and the checksum, shared with writers of other containers. */
#ifndef VM_ISA_IMAGE_H
#define VM_ISA_IMAGE_H

#include <stddef.h>
#include <stdint.h>

/* Sizes that a container may have; the verifier's limits are tighter, these only bound memory. */
#define IMAGE_MAX_WORDS 65536u
#define IMAGE_MAX_IO 1024u
#define IMAGE_MAX_SAMPLERS 256u
#define IMAGE_MAX_LITERALS 16384u
#define IMAGE_MAX_NAME 1023u      /* bytes; a longer name is cut by vliw_image_create */
#define IMAGE_MAX_BYTES (16u << 20)
#define IMAGE_VERSION 1u

/* CRC-32 (polynomial 0x04c11db7 reflected, start and end inverted) of 'size' bytes. */
uint32_t image_crc32(const void *bytes, size_t size);

#endif
