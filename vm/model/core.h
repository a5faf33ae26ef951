/* SPDX-License-Identifier: MIT */
/*
 * Inside of the core: instructions as the decoder leaves them (which register is read through which port in which
 * clock, how latches are steered to units), and what a thread has in flight.
 *
 * fetch -> decode #0 -> decode #1 -> modify -> execute 1..3 -> write 0 -> write 1
 *          raw latches (4 x 32 bit)   slots     results         bank      bank
 */
#ifndef VM_MODEL_CORE_H
#define VM_MODEL_CORE_H

#include "vm/base/bits.h"
#include "vm/exec/exec.h"
#include "vm/isa/isa.h"
#include "vm/model/sim.h"

#define CORE_READS 8u            /* registers that an instruction can read in two slots */
#define CORE_PENDING 4u          /* loads of one thread that may be under way (asynchronous ones) */
#define CORE_MEMORY_BIT 1u       /* of the critical-section mask: set while a load is under way */

enum core_source { CORE_NONE, CORE_LATCH, CORE_GLOBAL, CORE_IMM };

/* Where an operand comes from, and how Sel and N turn it into a slot. */
struct core_operand {
    uint8_t source;              /* enum core_source */
    uint8_t latch;               /* LATCH: number of the read */
    uint8_t addr;                /* GLOBAL: 1 + number of the coordinate unit that is added, 0 = none */
    uint8_t sel[4];
    uint16_t reg;                /* GLOBAL */
    uint32_t flip;               /* sign bit to be flipped */
    uint32_t imm;                /* IMM: as a float, and as it is written */
    uint16_t imm16;
};

/* One register through one read port. */
struct core_read {
    uint16_t reg;
    uint8_t addr;                /* 1 + coordinate unit whose sum is added, 0 = none */
    uint8_t clock;               /* 0 decode #0, 1 decode #1, 2 and 3 the same in the second slot */
};

struct core_index {              /* ADDR */
    bool on, indexed;
    struct core_operand from;
    int32_t base;
};

struct core_pred {
    bool on, process_only;
    uint8_t mask;
    struct core_operand from;
    const struct isa_unit *unit;
};

struct core_unit {               /* an arithmetic unit */
    uint8_t op, xop, mask, phase;
    bool sub, saturate, special;
    uint8_t status;              /* MVS */
    int16_t row;                 /* enum isa_typed; -1: f32 */
};

/* Does the operation read DEST's old value as a third operand? */
static inline bool core_accumulates(const struct core_unit *u) {
    return u->xop == ISA_XOP_MAD || u->xop == ISA_XOP_FMA || u->xop == ISA_XOP_LERP;
}

enum core_process { CORE_NO_PROCESS, CORE_BRANCH, CORE_MEMORY, CORE_TEXTURE };

struct core_inst {
    struct isa_inst words;
    uint32_t pc, next;
    uint8_t halves;              /* slots that the reads need: 1 or 2 */
    bool predicated;
    uint8_t slots;               /* issue slots in all */
    uint8_t reads, units;
    uint8_t smask;
    uint8_t write_mask[2];       /* of phase 0 and 1 */
    uint8_t write_addr;          /* 1 + coordinate unit that moves phase 1's DEST */
    uint16_t write_reg[2];
    bool quad;                   /* needs all four lanes' operands: DDX, DDY, implicit level of detail */
    bool status;                 /* has an MVS */
    bool twice;                  /* takes two numbers from the scratch counter */
    struct core_read read[CORE_READS];
    struct core_operand slot[2][2];
    struct core_operand accumulator;    /* MAD's third operand */
    struct core_index index[2];
    struct core_pred pred[2];
    struct core_unit unit[4];
    uint8_t process;             /* enum core_process */
    uint8_t process_op, process_mask, process_reg, process_comp, process_addr;
    bool process_option;
    bool packed;                 /* the texture's colour arrives as four bytes */
    uint8_t sampler;
    int32_t process_base;        /* BL: target before ADDR; memory: word offset */
    struct core_operand address, data;
};

/* What a thread's instruction has in its latches. */
struct core_flight {
    const struct core_inst *inst;
    bool active, ghost;
    uint8_t half;
    uint8_t permit;              /* bits 0..3: phase 1 may write the component; bit 4: the process unit acts */
    uint32_t raw[CORE_READS][4];
    int32_t offset[2];           /* of the coordinate units */
    uint32_t slot[2][2][4];
    uint32_t accumulator[4];
    uint32_t status[4];          /* value of each unit that is MVS */
    uint32_t result[2][4];
    uint16_t reg[2];
    uint32_t address[4], data[4];
};

/* A load under way. */
struct core_pending {
    bool on;
    uint8_t mask;
    uint16_t reg;
    uint64_t ready;              /* first clock in which the answer can be written */
    uint32_t value[4];
};

struct core_thread {
    bool running, live;
    uint32_t pc, count, critical, waits;    /* waits: mask of WAIT while it sleeps there */
    uint32_t front;
    struct core_flight flight;
    struct core_pending pending[CORE_PENDING];
    uint8_t pendings;
};

struct core_quad {
    uint8_t members, ghosts;     /* of this rotation */
    uint8_t second;              /* the members' next slot is the second one of an instruction */
    const struct core_inst *inst;
    uint32_t counter;            /* of an instruction's second fetch-and-add */
};

struct core_bank {               /* registers of the even or the odd threads */
    uint32_t *words;             /* [thread / 2][register][component] */
    uint64_t clock;              /* of the counts */
    uint8_t reads, writes;
};

/* What a tracer wants to know; all may be NULL. */
struct core_hooks {
    void *user;
    void (*step)(void *user, const struct core_inst *inst, unsigned members);      /* a quad issues */
    void (*touch)(void *user, uint64_t address);                                   /* memory, byte address */
    void (*begin)(void *user, unsigned lane, unsigned mask);       /* a quad of a batch starts at this lane */
};

struct sim_core {
    const struct vliw_program *program;
    struct sim_config config;
    const struct core_hooks *hooks;
    bool quads, broken;          /* broken: a port was used too often, which is a fault of the model */
    uint32_t *ibank[4];          /* instruction banks: unit u is row u / 4 of bank u % 4 */
    struct core_inst *insts;
    uint32_t *inst_at;           /* number of the instruction that starts at a unit, UINT32_MAX if none */
    uint64_t *counts;
    uint32_t *globals;
    struct core_bank bank[2];
    struct core_thread thread[SIM_THREADS];
    struct core_quad quad[2];
    struct vliw_memory *memory;
    vliw_sample_fn sample;
    void *sample_context;
    float (*texture)[VM_LANES];  /* arrays of requests: 3 coordinates, lod, 3 + 3 gradients, 4 results */
    uint64_t *busy;              /* ends of the requests in flight, config.outstanding of them */
    uint32_t scratch;
    uint64_t clock, last;        /* last: one more than the last stage of the last instruction */
    uint8_t dry;                 /* threads for which 'next' had no more work */
    uint8_t quiet;               /* rotations without an issue and without a load under way */
    uint64_t idle[SIM_USES];     /* slots since the last issue; those behind the last of all do not count */
    bool slack;                  /* there are some */
    bool stopped;
    struct sim_result *result;
};

/* decode.c: fills core->insts from the instruction banks. */
enum vliw_status core_decode(struct sim_core *core, struct vliw_error *error);

/* stages.c: one stage of one thread's instruction. */
void core_decode0(struct sim_core *core, struct core_thread *t, unsigned number);
void core_decode1(struct sim_core *core, struct core_thread *t, unsigned number);
void core_modify(struct sim_core *core, struct core_thread *t);
void core_execute1(struct sim_core *core, unsigned number);
void core_execute3(struct sim_core *core, unsigned number);
void core_write(struct sim_core *core, unsigned number, unsigned phase);
/* Would a load that is under way be written by the thread's slot at 'slot' (now or up to three clocks ahead)? */
bool core_awake(const struct sim_core *core, unsigned number, uint64_t slot);

/* Component 'comp' of the register or constant that an operand reads, without Sel and N. */
uint32_t core_component(const struct sim_core *core, const struct core_flight *f, const struct core_operand *o, unsigned comp);

/* typed.c: results of a unit on other element types than f32. */
void core_typed_unit(const struct sim_core *core, struct core_flight *f, const struct core_unit *u);

/* process.c: the process unit of the instruction in execute 1. */
void core_process(struct sim_core *core, unsigned number);
/* Last thread of a quad in execute 1: samples for those that act. */
void core_sample_quad(struct sim_core *core, unsigned quad);
/* Stops the run. */
void core_fault(struct sim_core *core, enum vliw_status status, uint32_t unit, const char *note);

static inline uint32_t *core_word(const struct sim_core *core, unsigned thread, uint32_t reg) {
    return core->bank[thread & 1u].words + ((size_t)(thread >> 1) * core->program->info.gprs + reg) * 4;
}

#endif
