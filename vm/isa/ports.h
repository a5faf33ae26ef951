/* SPDX-License-Identifier: MIT */
/*
 * What an instruction asks of the register ports of the dual-phase core (vm/model/README.md, "Ports"): a thread's bank
 * delivers two GPRs in decode #0 and two in decode #1, and takes one result of each phase. Indices of ADDR, phase 0's
 * operands and predicates may be read in either clock, phase 1's operands and those of its process unit only in
 * the second; a register named twice is read once. What does not fit takes a second issue slot. So does a third
 * result (of a load or texture read beside two arithmetic ones), and a second number from the scratch counter. These are the static costs that tools print.
 */
#ifndef VM_ISA_PORTS_H
#define VM_ISA_PORTS_H

#include "vm/isa/isa.h"

struct isa_ports {
    uint8_t early;        /* GPRs that decode #0 or #1 reads: indices, phase 0's operands, predicates */
    uint8_t late;         /* GPRs that only decode #1 can read and 'early' has not */
    uint8_t results;      /* writes: phase 0, phase 1, process unit */
    uint8_t slots;        /* issue slots: 1 to 3 */
};

/* Components of slot 0 or 1 of a phase that any operation, override or process unit of the instruction uses. */
unsigned isa_slot_used(const struct isa_inst *inst, unsigned phase, unsigned slot);

/* Ports of a legal instruction. */
struct isa_ports isa_inst_ports(const struct isa_inst *inst);

/* Issue slots of one pass over verified code: what a thread of straight-line code takes when memory answers in time. */
uint32_t isa_code_slots(const uint32_t *words, uint32_t count);

#endif
