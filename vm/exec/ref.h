/* SPDX-License-Identifier: MIT */
/*
 * Inside of the reference interpreter: ref.c runs a quad and does f32 operations, ref_typed.c those of
 * other element types (typed.def).
 */
#ifndef VM_EXEC_REF_H
#define VM_EXEC_REF_H

#include "vm/exec/exec.h"
#include "vm/isa/isa.h"

struct ref {
    const struct vliw_program *program;
    struct vliw_run *run;
    uint32_t *gpr;
    uint32_t *globals;
    uint32_t pc[4], count[4], front[4];
    bool running[4], live[4];
    uint32_t scratch;
    int64_t budget;
    /* the instruction that executes */
    struct isa_inst inst;
    uint32_t at, next;
    bool here[4];                     /* lanes that execute it */
    uint32_t slot[2][2][4][4];        /* phase, slot, component, lane */
};

struct ref_write {
    bool on;
    uint32_t comp, bits;
};

/* Component c of a register of the file (number clamped), in a lane. */
uint32_t ref_read_file(const struct ref *r, unsigned file, int64_t number, unsigned c, unsigned lane);
/* What the ADDR unit for 'target' adds in this lane; 0 without one. */
int64_t ref_offset_of(const struct ref *r, unsigned target, unsigned lane);
/* DEST's register number in this lane. */
int64_t ref_dest_of(const struct ref *r, unsigned phase, unsigned lane);
/* May phase 1 write component c (0..3), or may the process unit act (c = 4), in this lane? */
bool ref_permitted(const struct ref *r, unsigned c, unsigned lane);
/* Binary16 as binary32 bits. */
uint32_t ref_half_bits(uint16_t half);

/* Results of phase-1 unit number i, whose row of typed.def is 'row'. MVS is done by the caller. */
void ref_typed_results(const struct ref *r, int i, unsigned row, struct ref_write writes[4][4]);


#endif
