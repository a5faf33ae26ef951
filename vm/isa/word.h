/* SPDX-License-Identifier: MIT */
/*
 * Packing and unpacking of 32-bit units, and grouping of units into instructions. Reserved bits
 * and values are refused here and nowhere else; what an instruction as a whole must obey (pairing,
 * double writes, branch targets ...) is the verifier's.
 */
#ifndef VM_ISA_WORD_H
#define VM_ISA_WORD_H

#include <stddef.h>
#include <stdint.h>

#include "vm/isa/isa.h"

/*
 * Unpacks one unit. 'is_sub' says that an arithmetic unit of the same phase stood before it in this
 * instruction (position decides Main or Sub). Returns NULL, or a static text naming the reserved
 * field that is not zero or the value that does not exist.
 */
const char *isa_unpack_unit(uint32_t word, bool is_sub, struct isa_unit *out);

/* Packs one unit; the caller has kept the ranges given in isa.h (asserted). */
uint32_t isa_pack_unit(const struct isa_unit *unit);

/*
 * Unpacks the instruction that starts at words[pc]. Returns its length in units (1..4), or 0 with
 * *fault set to a static text and *fault_unit to the offending unit (0..3): reserved bits, no E
 * within four units or before the end, phase 0 after phase 1, three units in a phase, a coordinate
 * unit in phase 1, a process unit in phase 0.
 */
unsigned isa_unpack_inst(const uint32_t *words, size_t count, size_t pc, struct isa_inst *out,
                         const char **fault, unsigned *fault_unit);

struct isa_fault;

/* As isa_unpack_inst, with the rule number in *fault (rules.h); text is the exact reason. */
unsigned isa_decode_inst(const uint32_t *words, size_t count, size_t pc, struct isa_inst *out,
                         struct isa_fault *fault);

/* Fills main/sub/coord/process of an instruction whose unit[] and units are set, and the E bits. */
void isa_index_inst(struct isa_inst *inst);

/* Packs all units of an instruction (E set on the last only); returns their number. */
unsigned isa_pack_inst(const struct isa_inst *inst, uint32_t out[4]);

#endif
