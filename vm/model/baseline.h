/* SPDX-License-Identifier: MIT */
/*
 * Other machines for the same program: its instructions taken apart into operations of a conventional format and
 * scheduled again. struct base_op is what an operation reads, writes and occupies.
 */
#ifndef VM_MODEL_BASELINE_H
#define VM_MODEL_BASELINE_H

#include "vm/model/core.h"

#define BASE_READS 8u
#define BASE_ANY 0xFFFFu         /* an indexed access: any general register */
#define BASE_TEMP 0x2000u        /* first number of the temporaries (predicates, addresses, merged operands) */

struct base_ref {
    uint16_t reg;
    uint8_t mask;
};

struct base_op {
    struct base_ref read[BASE_READS];
    uint8_t reads;
    struct base_ref write;       /* mask 0: nothing */
    uint32_t inst;               /* number of the VL-IW instruction that it comes from */
    uint16_t units;              /* bit for each enum isa_class that it occupies */
    bool process, branch, load;
    bool ordered;                /* memory and the scratch counter: order is kept */
    bool predicated;
};

struct base_code {
    struct base_op *op;
    uint32_t count, capacity;
    uint32_t *first;             /* [instruction]: its first operation; one more entry at the end */
    uint16_t temps;
    bool failed;
};

/* Takes the program apart. 'single': operations of one instruction that exchange registers get a copy. */
bool base_lower(const struct sim_core *core, bool single, struct base_code *code);
void base_free(struct base_code *code);

#endif
