/* SPDX-License-Identifier: MIT */
/*
 * Between decoder and kernels: operations on other element types (typed.def) are functions on a pass, which
 * the CALL micro-operations of the f32 kernel call. Their operands and results lie in slots like everybody's.
 *
 *   CALL    o[0] row of typed.def, o[1..3] results 0 to 2
 *   second  o[0] result 3, o[1..3] operands 0 to 2
 *   third   o[0..2] operands 3 to 5, o[3] what the row's function wants
 *
 * Results are offsets of slots (VM_NO_OFFSET: not wanted, only of B2F), operands offsets of slots or numbers
 * of constants | VM_TYPED_CONST. An f64 operand or result is two words, low first. A result may lie in an
 * operand's slot.
 */
#ifndef VM_EXEC_TYPED_H
#define VM_EXEC_TYPED_H

#include "vm/exec/exec.h"

#define VM_TYPED_CONST 0x80000000u
#define VM_TYPED_INPUTS 6u
#define VM_TYPED_OUTPUTS 4u
#define VM_TYPED_UOPS 3u
#define VM_TYPED_VECTORS 8u     /* at most in a pass */

/* 'vectors' host vectors of each slot, from regs on. */
typedef void (*vm_typed_fn)(char *regs, const float *consts, const struct vm_uop *u, unsigned vectors);

static inline uint32_t vm_typed_result(const struct vm_uop *u, unsigned k) { return k < 3 ? u->o[1 + k] : u[1].o[0]; }
static inline uint32_t vm_typed_operand(const struct vm_uop *u, unsigned k) {
    return k < 3 ? u[1].o[1 + k] : u[2].o[k - 3];
}

#endif
