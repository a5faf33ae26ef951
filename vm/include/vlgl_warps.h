/* SPDX-License-Identifier: MIT */
/*
 * vlgl_warps.h: the file that VLGL_WARPS=FILE makes any program write and "vlgl sim --warps FILE" replays: which
 * instructions its shaders executed, quad by quad in shading order, and which lines of memory they touched.
 *
 * Little-endian. 8 bytes VLGL_WARPS_MAGIC; 64 bits checksum of all that follows; 32 bits bytes of a line; 32 bits
 * number of programs; then each program: 32 bits each size of its container, size of its steps, batches that ran,
 * batches that are recorded; the container (vliw_image_save); the steps.
 *
 * Steps are numbers of 7 bits a byte, lowest first, bit 7 set in all bytes but the last. A step is
 * place << 5 | lines << 4 | lanes: 'place' the unit of the instruction, or, beginning at the number of units, an entry
 * of the input table whose vertex attribute is fetched; 'lanes' who of the quad takes part, never 0. With 'lines' set
 * there follow the number of distinct lines and each line: its difference to the one before, d << 1, or ~d << 1 | 1
 * below zero. Instead of a step: VLGL_WARPS_QUAD ends a quad, VLGL_WARPS_BATCH a batch (quads of different batches
 * share no warp).
 */
#ifndef VLGL_WARPS_H
#define VLGL_WARPS_H

#include <stddef.h>
#include <stdint.h>

#define VLGL_WARPS_MAGIC "VLGLWRP1"
#define VLGL_WARPS_LINE 64u             /* bytes of a line */
#define VLGL_WARPS_HEADER 24u           /* bytes */
#define VLGL_WARPS_PROGRAM 16u          /* bytes in front of a container */
#define VLGL_WARPS_QUAD 0u
#define VLGL_WARPS_BATCH 16u
#define VLGL_WARPS_LINES_MOST 512u      /* of one step; more are dropped */
/* A recording is bounded: batches that come after these are not recorded. */
#define VLGL_WARPS_PROGRAMS 256u
#define VLGL_WARPS_WARPS 1500u          /* two quads each: of a program, and the rest of a batch */
#define VLGL_WARPS_STEPS (8u << 20)     /* bytes of steps of a program */
#define VLGL_WARPS_FILE (64u << 20)     /* bytes of steps in all, and the rest of a batch */

static inline uint64_t vlgl_warps_checksum(const uint8_t *bytes, size_t size) {
    uint64_t sum = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < size; i++) {
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001B3);
    }
    return sum;
}

#endif
