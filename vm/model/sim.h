/* SPDX-License-Identifier: MIT */
/*
 * sim.h: the VL-IW processor as a model, right to the clock. Verified programs (vliw.h) go in; values and clock
 * counts come out. vm/model/README.md has the machine's picture and says which of its rules the papers fix.
 *
 * The core carries values through its own register banks, operand latches and write-back clocks; with the reference
 * interpreter it shares only the arithmetic of one operation. It does no I/O and keeps no writable globals.
 * Everything here is for tools and tests; nothing of the product includes it.
 */
#ifndef VM_MODEL_SIM_H
#define VM_MODEL_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/include/vliw.h"
#include "vm/model/warp.h"

/* ---- The dual-phase core ------------------------------------------------------------------------------------ */

#define SIM_THREADS 8u

/* Pipeline stages; the second write clock is the fetch clock of the thread's next instruction. */
enum sim_stage {
    SIM_FETCH, SIM_DECODE0, SIM_DECODE1, SIM_MODIFY, SIM_EXECUTE1, SIM_EXECUTE2, SIM_EXECUTE3, SIM_WRITE0, SIM_WRITE1,
    SIM_STAGES
};

/* What became of an issue slot. There is one slot a clock; clock c belongs to thread c % 8. */
enum sim_use {
    SIM_ISSUE,       /* an instruction starts */
    SIM_PORT,        /* the second slot of an instruction that reads more registers than one slot can */
    SIM_GHOST,       /* a sleeping thread's slot in which a neighbour's quad operation reads its registers */
    SIM_MEMORY,      /* the thread sleeps: its memory answers later */
    SIM_WAIT,        /* the thread sleeps in WAIT */
    SIM_QUAD,        /* the thread sleeps: its quad is not here yet */
    SIM_EMPTY,       /* no thread, or it has ended */
    SIM_USES
};
const char *sim_use_name(unsigned use);

enum sim_lock {
    SIM_LOCK_AUTO,   /* quads in fragment programs and where quad operations occur */
    SIM_LOCK_QUADS,  /* always: threads 4k..4k+3 go on by lowest PC, as ISA.md section 9 says */
    SIM_LOCK_FREE    /* never; refused for programs with quad operations */
};

struct sim_core;

struct sim_config {
    uint32_t threads;             /* 1..8 hardware threads in use; 0 = 8 */
    uint32_t latency;             /* clocks from execute 3 to the answer of memory and textures; up to 2 nobody waits */
    uint32_t outstanding;         /* requests in flight; 0 = any number */
    bool asynchronous;            /* loads do not put the thread to sleep: bit 0 of its mask is set until they answer */
    uint8_t lock;                 /* enum sim_lock */
    uint32_t budget;              /* instructions a thread, from one start to its end; 0 = VLIW_BUDGET_DEFAULT */
    uint32_t waiting;             /* critical-section mask of all threads but those that the host starts: the first, or
                                     the first quad */
    /*
     * Called when threads first .. first + count - 1 have nothing to do, at the start too: a single thread, or a quad
     * where quads are locked. It may read and write their registers (all 0 after sim_core_clear). Returns a bit for
     * each thread that starts at unit 0 (bit 0 = first). NULL: every thread in use starts once.
     */
    uint32_t (*next)(void *user, struct sim_core *core, unsigned first, unsigned count);
    /* Shown every stage of every instruction: for diagrams. May be NULL. */
    void (*observe)(void *observer, uint64_t clock, unsigned thread, unsigned stage, uint32_t unit, bool ghost);
    void *user;                   /* for next */
    void *observer;               /* for observe */
};

struct sim_result {
    enum vliw_status status;      /* VLIW_OK, _TRAP, _BUDGET */
    uint32_t fault_unit;
    const char *note;             /* more than the status says, or NULL */
    uint64_t clocks;              /* from the first fetch to the last stage of the last instruction */
    uint64_t use[SIM_USES];       /* issue slots by what became of them, up to the last issue */
    uint64_t instructions;        /* executed, summed over threads */
    uint64_t texture_reads, loads, stores;
    uint64_t hazards;             /* asynchronous loads: registers read before their load answered */
};

/*
 * A core for a verified program, which it borrows. NULL with *error: no memory, a configuration that makes no sense,
 * or an instruction that the core's own check of shared units refuses.
 */
struct sim_core *sim_core_create(const struct vliw_program *program, const struct sim_config *config,
                                 struct vliw_error *error);
void sim_core_destroy(struct sim_core *core);

/* Constants, as bits, 4 a register; the program's literals are put over them. Missing ones are 0. */
void sim_core_globals(struct sim_core *core, const uint32_t *bits, uint32_t registers);
/* Memory and sampler of LD, ST, FADD and textures; both may be absent as in struct vliw_run. */
void sim_core_attach(struct sim_core *core, struct vliw_memory *memory, vliw_sample_fn sample, void *sample_context);

/* The four components of a thread's register, for inputs and outputs. reg < info->gprs. */
uint32_t *sim_core_reg(struct sim_core *core, unsigned thread, uint32_t reg);
/* Sets all registers of a thread to 0. */
void sim_core_clear(struct sim_core *core, unsigned thread);

/* Runs until nothing is left to do. May be called again: clocks go on from 0, registers and memory are kept. */
void sim_core_run(struct sim_core *core, struct sim_result *result);

/* How often each instruction (by the unit it starts at) was issued, summed over threads and runs; units entries. */
const uint64_t *sim_core_counts(const struct sim_core *core);
/* Issue slots of the instruction at a unit, by the model's own port plan; 0 if none starts there. */
unsigned sim_core_slots(const struct sim_core *core, uint32_t unit);
/* Does the instruction at a unit read a texture? */
bool sim_core_samples(const struct sim_core *core, uint32_t unit);

/* ---- Pipeline diagrams ---------------------------------------------------------------------------------------- */

#define SIM_DIAGRAM_CLOCKS 512u

/* What each thread does in each of the first clocks of a run: zero it, and give sim_diagram_note as observer. */
struct sim_diagram {
    uint32_t first;               /* clock of the first column, chosen by the caller */
    uint32_t clocks;              /* columns that hold something */
    struct {
        uint8_t stage;            /* enum sim_stage + 1, 0 = idle */
        bool writes;              /* the instruction before writes phase 1 in this clock */
        bool ghost;
        uint16_t unit;
    } cell[SIM_THREADS][SIM_DIAGRAM_CLOCKS];
};
void sim_diagram_note(void *diagram, uint64_t clock, unsigned thread, unsigned stage, uint32_t unit, bool ghost);
/* Rows of text, one a thread, and a line of clocks above; the caller frees it with free(). NULL: no memory. */
char *sim_diagram_text(const struct sim_diagram *diagram);

/* ---- Batches --------------------------------------------------------------------------------------------------- */

struct sim_batch {
    struct vliw_mask active;      /* lanes that exist */
    const float *const *inputs;   /* [input * 4 + component] of VM_LANES values, as in struct vliw_tap_batch */
    float *outputs;               /* [output * 4 + component][VM_LANES] */
    struct vliw_mask *live;       /* result: lanes that did not execute KIL */
};
/* Runs all lanes of a batch, whole quads where quads are locked; clocks are those of the whole batch. */
void sim_batch_run(struct sim_core *core, struct sim_batch *batch, struct sim_result *result);

/* ---- Distributed programs ------------------------------------------------------------------------------------- */

/* A shader between the driver's header and footer (vm/model/README.md). */
struct sim_distributed {
    struct vliw_program *program; /* owned */
    uint32_t count, threads;      /* elements; hardware threads that share them */
    uint32_t stride;              /* words of an element's record: 4 an input of the table, then 4 an output */
    bool relaunch;                /* the shader discards: a thread does one element and the host starts it again */
    uint32_t user_first, user_units;      /* where the shader's words stand */
    uint32_t words;               /* of the whole program */
    uint32_t driver;              /* driver instructions for one element */
};

/* Wraps 'user' for 'count' elements on 4 or 8 (or, without quads, any number of) threads. False with *error. */
bool sim_distribute(const struct vliw_program *user, uint32_t count, uint32_t threads, struct sim_distributed *out,
                    struct vliw_error *error);
void sim_distributed_destroy(struct sim_distributed *distributed);

/*
 * Words of memory that a run needs. Element e's record begins at word e * stride: component c of input i at 4 i + c,
 * of output j at 4 (inputs + j) + c. Eight words behind the records are the driver's and must be 0 at the start.
 */
size_t sim_distributed_memory(const struct sim_distributed *distributed);
/* Runs it; latency and the like from 'config'. False with *error when no core can be made; else *result says more. */
bool sim_distributed_run(const struct sim_distributed *distributed, const struct sim_config *config,
                         const uint32_t *globals, uint32_t global_count, struct vliw_memory *memory,
                         vliw_sample_fn sample, void *sample_context, struct sim_result *result,
                         struct vliw_error *error);
/* Has the last thread signalled the host? */
bool sim_distributed_done(const struct sim_distributed *distributed, const uint32_t *memory);

/* ---- Other machines --------------------------------------------------------------------------------------------- */

/*
 * The machines that the papers compare with, for the same program (vm/model/README.md says what they do in one
 * instruction): two operations and a branch in 128 bits, one thread, dependencies stall; one operation in 64 bits and
 * two in 102, many threads, no stalls.
 */
enum sim_machine { SIM_VLIW128, SIM_VLIW64, SIM_FIXED102, SIM_MACHINES };

struct sim_baseline_config {
    uint32_t latency;             /* one thread: cycles from an operation to one that needs its result */
    uint32_t load_latency;
    uint32_t penalty;             /* one thread: cycles lost by a taken branch */
};

struct sim_baseline {
    uint32_t operations, instructions;    /* of the machine; what ends the program is not counted */
    uint64_t bits;                /* of code */
    uint64_t cycles;              /* of one thread's way: issue of the first to issue of the last instruction */
};

/*
 * Schedules the core's program for another machine and issues the way 'trace': units of the instructions that one
 * thread executed, in order. False when memory is out.
 */
bool sim_baseline_run(const struct sim_core *core, unsigned machine, const struct sim_baseline_config *config,
                      const uint32_t *trace, size_t count, struct sim_baseline *out);

/* ---- The papers' tables ------------------------------------------------------------------------------------------ */

#define SIM_PAPER_ROWS 64u

/* One figure: what the model gives, what the other machines give, and what the papers say. Texts are static. */
struct sim_paper_row {
    const char *name, *form, *unit;
    double ours;
    double other[SIM_MACHINES];           /* < 0: not for this row */
    const char *paper;                    /* the papers' figure for VL-IW, NULL = none */
    double paper_value;                   /* the same as a number for charts, < 0 = none */
    const char *paper_other[SIM_MACHINES];
    double paper_other_value[SIM_MACHINES];
    const char *why;                      /* why ours differs, or what is meant; NULL */
};

struct sim_paper {
    struct sim_baseline_config baseline;  /* of the single-thread machine */
    unsigned count;
    struct sim_paper_row row[SIM_PAPER_ROWS];
};

/* Runs everything behind the tables and checks the computed values. NULL with *error. */
struct sim_paper *sim_paper_run(struct vliw_error *error);
void sim_paper_destroy(struct sim_paper *paper);

/*
 * One quad as vliw_ref_run has it: same arguments, same results, by the core (quads locked, latency as configured).
 * 'config' may be NULL.
 */
enum vliw_status sim_quad_run(const struct vliw_program *program, uint32_t *gpr, const uint32_t *globals,
                              uint32_t global_count, struct vliw_run *run, const struct sim_config *config,
                              struct sim_result *result);

#endif
