/* SPDX-License-Identifier: MIT */
/*
 * Runs one image on every SIMD backend of this machine, on the reference interpreter and (two quads) on the
 * cycle-accurate model, and compares:
 * status, fault unit, live lanes, instruction counts, memory, and every output of every live lane, NaN as
 * one class. Inputs and globals are random and often awkward.
 */
#ifndef TESTS_SIMD_VMRUN_H
#define TESTS_SIMD_VMRUN_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/include/vliw.h"

struct vmrun {
    const struct vliw_image *image;
    struct vliw_mask active;
    uint32_t budget;
    uint32_t memory_words;         /* 0 = no memory */
    bool plain;                    /* inputs are small numbers instead of awkward ones */
    /* results */
    enum vliw_status status;       /* the reference's: of the first quad that failed, else OK */
    char message[400];             /* what differed, "" if nothing */
    unsigned backends;             /* how many were compared */
    unsigned models;               /* quads that the cycle-accurate model ran too; chooses its latency */
};

/* True when all backends agree with the reference. Draws from check_random. */
bool vmrun_compare(struct vmrun *r);

/* Levels that this machine can run; the test prints 'skipped: no NAME' for others of its architecture. */
unsigned vmrun_levels(enum vliw_simd *levels);
void vmrun_report_missing(void);

/* A random mask of lanes; whole quads when 'quads'. Never empty. */
struct vliw_mask vmrun_mask(bool quads);

/* Assembles text (fails the test with the assembler's message), with every GPR r0..gprs-1 as an output. */
struct vliw_image *vmrun_assemble(const char *text);

/* The sampler of these tests: arithmetic on coordinates, LOD from the quad; poisons lanes outside the mask. */
void vmrun_sample(void *context, const struct vliw_tex_request *request);

#endif
