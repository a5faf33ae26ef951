/* SPDX-License-Identifier: MIT */
/*
 * The code generator: an optimised IR function (SSA) becomes a VL-IW image. Stages, each a file:
 * select (IR to machine operations on virtual registers), regalloc (webs of components to
 * registers), sched (operations into dual-phase instructions, legality asked of vm/isa), emit
 * (words, literals, interface tables). This header is the only one that the driver needs.
 */
#ifndef VM_CODEGEN_CG_H
#define VM_CODEGEN_CG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/include/vliw.h"
#include "vm/ir/ir.h"

struct cg_options {
    bool no_optimise; /* one operation an instruction, no coalescing beyond need */
    const char *name; /* shader name in the image; NULL = the function's */
};

/* Figures of the finished program, for --stats and tests. */
struct cg_stats {
    uint32_t words; /* 32-bit units */
    uint32_t instructions;
    uint32_t operations; /* machine operations before they were packed: instructions of a machine
                            that does one operation an instruction */
    uint32_t fixed_instructions; /* the same operations, same scheduler, on the papers' fixed
                                 format: up to two in a 128-bit instruction (4 words), which names
                                 all operands itself */
    uint32_t dual;     /* instructions with arithmetic or process work in more than one place */
    uint32_t gprs;     /* one more than the highest register used */
    uint32_t globals;  /* uniform and literal registers */
    uint32_t literals; /* literal registers */
    uint32_t spills;   /* webs that live beyond the directly addressed registers */
};

/*
 * Generates code for 'fn', which ir_optimise has been through. Returns an image that the caller
 * destroys; or NULL with a one-line message when a limit of the ISA is exceeded (program longer
 * than ISA_MAX_UNITS, more registers than there are) or memory is out. 'fn' may be changed
 * (critical edges are split). stats may be NULL.
 */
struct vliw_image *cg_compile(struct ir_fn *fn, const struct cg_options *options,
                              struct cg_stats *stats, char *message, size_t message_size);

#endif
