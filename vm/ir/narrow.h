/* SPDX-License-Identifier: MIT */
/*
 * The narrow pass: a fragment function whose colours are stored in 8 bits a channel becomes one that computes
 * them four channels to a word. The caller decides when the new function may run in the old one's place.
 */
#ifndef VM_IR_NARROW_H
#define VM_IR_NARROW_H

#include "vm/include/vliw_narrow.h"
#include "vm/ir/ir.h"

struct ir_narrow {
    struct vliw_narrow facts;
    uint32_t values;           /* values that the function computes or reads from textures */
    uint32_t narrowed;         /* of these, the ones that became words */
};

/*
 * Rewrites 'fn', optimised, so that every colour output (semantic VLIW_SEM_COLOR8 instead of VLIW_SEM_COLOR) is a
 * word of bytes, equal in every bit to what the store of the float colours to 8 bits a channel makes. False: not
 * possible or nothing gained (or memory is out); fn is of no use then. *out is valid in both cases.
 */
bool ir_narrow(struct ir_fn *fn, struct ir_narrow *out);

/* The same question without rewriting; true also where only a limit (VLIW_NARROW_UNIFORMS) stands against it. */
bool ir_narrow_possible(struct ir_fn *fn);

/* narrow_direct.c: whether a narrow function is of that form. */
void ir_narrow_find_direct(const struct ir_fn *fn, struct vliw_narrow_direct *out);

#endif
