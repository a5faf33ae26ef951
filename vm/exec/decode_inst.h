/* SPDX-License-Identifier: MIT */
/* Inside of the decoder: what decode_inst.c and decode_typed.c share about the instruction at hand. */
#ifndef VM_EXEC_DECODE_INST_H
#define VM_EXEC_DECODE_INST_H

#include "vm/exec/decode.h"

struct inst {
    struct decoder *dc;
    const struct isa_inst *in;
    uint32_t next;               /* next PC */
    dc_val slot[2][2][4];        /* phase, slot, component: looked up already, or VAL_NONE */
    dc_val old[4];               /* DEST of phase 1, for MAD */
};

/* Component of a register field that 'addr' (may be NULL) qualifies. */
dc_val dc_read_field(struct inst *x, unsigned file, unsigned reg, const struct isa_unit *addr, unsigned comp, bool home);
/* Component c of DEST as an operand. */
dc_val dc_read_dest(struct inst *x, unsigned phase, unsigned c, bool home);
float dc_half_to_float(uint16_t half);

/* Results of phase-1 unit number i, whose row of typed.def is 'row', by component; MVS is not here. */
void dc_typed_results(struct inst *x, int i, unsigned row, dc_val value[4]);
/* Four floats, red first, as a packed colour. */
dc_val dc_pack_color(struct decoder *dc, const dc_val color[4]);

#endif
