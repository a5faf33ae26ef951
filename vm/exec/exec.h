/* SPDX-License-Identifier: MIT */
/*
 * Inside of the executor: what a decoded program is, and the contract between decoder, kernels and
 * the driver that runs batches.
 *
 * words -> decode*.c -> blocks of micro-operations -> kernel (one for each ISA) -> register file
 *
 * The register file is an array of slots; a slot is one component of VM_LANES lanes. A program of one
 * block ("straight") keeps values in slots that the decoder chose. In any other program each register
 * component that lives across blocks has a home slot; temporaries live inside a block. Lanes at equal
 * PCs form the group that runs; a block exists in two streams, one for a group of all lanes, which
 * stores homes plainly, and one that stores them under the group's mask; both a second time for the kernel
 * with short passes.
 */
#ifndef VM_EXEC_EXEC_H
#define VM_EXEC_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/base/bits.h"
#include "vm/base/cpu.h"
#include "vm/include/vliw.h"
#include "vm/isa/isa.h"

#define VM_SLOT_BYTES (VM_LANES * 4u)
#define VM_SLOT_SHIFT (VM_LANES == 64 ? 8u : 9u)
#define VM_NO_SLOT 0xFFFFu
#define VM_NO_OFFSET UINT32_MAX
_Static_assert(VM_SLOT_BYTES == 1u << VM_SLOT_SHIFT, "VM_LANES is 64 or 128");

/* Operations (decoder) and handlers (kernels). */
enum vm_op {
#define VM_COMM2(n) VM_OP_##n,
#define VM_ORD2(n) VM_OP_##n,
#define VM_FEWC2(n) VM_OP_##n,
#define VM_FEW2(n) VM_OP_##n,
#define VM_MAD3(n) VM_OP_##n,
#define VM_SEL3(n) VM_OP_##n,
#define VM_MIX3(n) VM_OP_##n,
#define VM_SUM3(n) VM_OP_##n,
#define VM_CUB3(n) VM_OP_##n,
#define VM_FEW3(n) VM_OP_##n,
#define VM_ONE1(n) VM_OP_##n,
#define VM_FUN1(n) VM_OP_##n,
#define VM_FEW1(n) VM_OP_##n,
#define VM_QUAD1(n) VM_OP_##n,
#define VM_COND2(n) VM_OP_##n,
#define VM_SYS(n)
#include "vm/exec/microop.def"
    VM_OP_COUNT,
    /* Nodes of the decoder that are no arithmetic: register components at block entry, results of
     * whole-batch operations, indexed reads, the lane's number. */
    VM_OP_HOME, VM_OP_RESULT, VM_OP_IDXU, VM_OP_IDXR, VM_OP_LANE, VM_OP_COPY, VM_OP_POOL
};

enum vm_handler {
#define VM_FORM1(n, k) VM_H_##n##_##k, VM_H_##n##_##k##_S,
#define VM_FORM2(n, k0, k1) VM_H_##n##_##k0##k1, VM_H_##n##_##k0##k1##_S,
#define VM_FORM3(n, k0, k1, k2) VM_H_##n##_##k0##k1##k2, VM_H_##n##_##k0##k1##k2##_S,
#define VM_FORMF(n, k) VM_H_##n##_##k, VM_H_##n##_##k##_S,
#define VM_FORMQ(n) VM_H_##n##_R, VM_H_##n##_R_S,
#define VM_FORMC(n, k0, k1) VM_H_##n##_##k0##k1,
#define VM_SYS(n) VM_H_##n,
#include "vm/exec/forms.def"
    VM_H_COUNT
};

/* One micro-operation: where to go, destination and operands. */
struct vm_uop {
    union {
        const void *handler;     /* label of the kernel (computed goto) */
        uintptr_t index;         /* enum vm_handler, in the decoder and in kernels without computed goto */
    } h;
    uint32_t o[4];               /* o[0] destination; byte offsets of slots, or numbers of constants */
};

/* Why a kernel returned. The high half of the return value is the operand of EXIT. */
enum vm_exit {
    VM_EXIT_BATCH,        /* whole-batch operation number 'operand' */
    VM_EXIT_JUMP,         /* to block frame->target: others wait there or before it, or the budget is near */
    VM_EXIT_SPLIT,        /* the group's lanes part; frame->taken, frame->other */
    VM_EXIT_END           /* all lanes of the group end */
};

/* What a kernel works on; lives on the driver's stack. */
struct vm_frame {
    char *regs;
    const float *consts;
    const struct vm_block *blocks;
    const void *const *labels;       /* answer to kernel_labels */
    const struct vm_uop *resume;     /* behind the EXIT that returned */
    struct vliw_mask group;          /* lanes that run now */
    struct vliw_mask cond;           /* bits of the last COND */
    int64_t left;                    /* instructions until the budget must be looked at */
    uint32_t min_wait;               /* lowest block at which other lanes wait, UINT32_MAX if none */
    uint32_t taken, other;           /* SPLIT: blocks of the lanes with and without the condition */
    uint32_t target;                 /* JUMP */
    uint32_t stream;                 /* of the blocks: VM_STREAM_* */
    const struct vm_kernel *kernel;  /* that the stream belongs to */
    uint32_t passes;                 /* bit for each pass that has lanes of the group */
    uint32_t mask_offset;            /* of the slot of the group's mask */
    uint32_t home_offset;            /* of r0.x when GPRs are indexed */
    int32_t gpr_last, global_last;   /* highest register numbers, to which indices are clamped */
};

/* A kernel works on segments (what stands between operations on the whole batch), one pass after the other. */
struct vm_kernel {
    enum cpu_simd level;
    unsigned passes, pass_lanes;                                 /* passes that cover a batch, lanes of one */
    /* Runs from 'uop' until something only the driver can do. */
    uint32_t (*run)(struct vm_frame *frame, const struct vm_uop *uop);
    /* Label of each handler, or NULL when micro-operations hold the index. */
    const void *const *(*labels)(void);
    /* Writes frame->group as -1 and 0 a lane to the mask slot. */
    void (*expand)(const struct vm_frame *frame);
    /* Adds 'done' to the counts of the group's lanes (of all lanes in stream 0, where others do not matter). */
    void (*credit)(const struct vm_frame *frame, int32_t *count, int32_t done);
    const struct vm_kernel *narrow;  /* the same with short passes, where few lanes run; it has no expand and credit */
};

/* Kernel of a level that cpu_simd_available names. */
const struct vm_kernel *vm_kernel_get(enum cpu_simd level);

/* Bits of a stream's number: for all lanes or under the mask; of the kernel or of its narrow one. */
enum { VM_STREAM_MASKED = 1, VM_STREAM_NARROW = 2, VM_STREAMS = 4 };

/* A block: instructions with one entry and one exit. */
struct vm_block {
    const struct vm_uop *stream[VM_STREAMS];
    uint32_t pc;                 /* unit of the first instruction */
    uint32_t first;              /* its number */
    uint32_t count;              /* instructions */
    uint32_t loop;               /* number + 1 of the innermost vm_loop around it, 0 if none */
};

/* Blocks first..last, entered at the first and left forwards, in which lanes may move to other places. */
struct vm_loop {
    uint32_t first, last;
    uint32_t outermost;          /* number of the largest loop around it, perhaps its own */
    uint32_t slot_count, written;    /* homes that its blocks touch; the first 'written' of them they write */
    const uint16_t *slots;
    bool quads;                  /* lanes move as whole quads */
};

/* Operations on the whole batch, done by the driver. */
enum vm_batch_kind {
    VM_BATCH_TEX, VM_BATCH_MEM, VM_BATCH_KILL, VM_BATCH_TRAP, VM_BATCH_SCRATCH,
    VM_BATCH_END,                /* END under a predicate, at the end of a block: next block 'other' */
    VM_BATCH_INDIRECT            /* branch to a computed target; if predicated, next block 'other' */
};

enum { VM_TEX_COORD = 0, VM_TEX_LOD = 3, VM_TEX_DDX = 4, VM_TEX_DDY = 7, VM_BATCH_INDEX = 10, VM_MEM_DATA = 0,
       VM_MEM_ADDRESS = 4, VM_BATCH_INPUTS = 11 };

struct vm_batch_op {
    uint8_t kind;                /* enum vm_batch_kind */
    uint8_t op;                  /* enum isa_mem */
    uint8_t mask;                /* MEM: components */
    bool predicated;             /* only lanes of frame->cond, or */
    bool inverted;               /* only the others */
    bool indexed;                /* in[VM_BATCH_INDEX] counts */
    bool integer;                /* SCRATCH: the count as an integer */
    bool bytes;                  /* TEX: one result, words of four bytes */
    uint32_t block, number;      /* where it stands: block, and how many of its instructions come before */
    int32_t base;                /* added to sampler, address or target */
    uint32_t other;              /* END, INDIRECT: block of the lanes that stay */
    uint16_t in[VM_BATCH_INPUTS];    /* slots, VM_NO_SLOT = absent */
    uint16_t out[4];
};

/*
 * Constant number info.globals * 4 + i of a draw: an expression of earlier constants, an indexed
 * global (IDXU; extra = base * 4 + component) or an immediate (POOL; extra = bits).
 */
struct vm_constant {
    uint8_t op;                  /* enum vm_op */
    uint16_t src[3];
    int32_t extra;
};

/* Slots that hold 0 at the start of a run: 'count' of them from 'slot'. */
struct vm_zero {
    uint16_t slot, count;
};

struct vliw_program {
    struct vliw_info info;
    const struct vm_kernel *kernel;
    bool straight;               /* one block, no home slots */
    bool one_block;
    uint32_t block_count, batch_count, constant_count, zero_count, loop_count;
    const struct vm_block *blocks;
    const struct vm_batch_op *batch;
    const struct vm_constant *constants;
    const struct vm_zero *zeros;
    const struct vm_loop *loops;
    const uint16_t *input_slot, *output_slot;     /* 4 a table entry, VM_NO_SLOT outside the mask */
    uint16_t front_slot, front_input;             /* VM_NO_SLOT, or copy of FRONT_FACING's input at the start */
    uint16_t mask_slot, home_slot;
    uint32_t slots;              /* size of the register file */
    const uint32_t *words, *lines, *starts;       /* lines may be NULL; bitmap of instruction starts */
    const uint16_t *inst_pc;     /* unit of each instruction */
    const uint16_t *block_at;    /* block that starts at unit, 0xFFFF if none (programs with indirect branches) */
    void *memory;                /* one allocation behind all pointers */
};

/*
 * Decodes a verified image into *program, whose info (borrowing from the image) and kernel are set.
 * Returns VLIW_OK or VLIW_ERR_MEMORY, VLIW_ERR_LIMIT.
 */
enum vliw_status vm_decode(struct vliw_program *program, const struct vliw_image_desc *image);

/* One thread's; it and its registers share no line with another's, which an instruction in one of the two would wait for. */
struct vliw_batch {
    const struct vliw_program *program;
    char *regs;                  /* register file, aligned to BITS_APART; behind it a second one if the program has loops */
    size_t size;
} BITS_ALIGN(BITS_APART);

/* Executes operation 'op' for the frame's group (texture and memory; exec_batch.c). */
void vm_batch_texture(const struct vliw_program *program, struct vm_frame *frame, struct vliw_run *run,
                      const struct vm_batch_op *op);
void vm_batch_memory(struct vm_frame *frame, struct vliw_run *run, const struct vm_batch_op *op);

static inline float *vm_slot(const struct vm_frame *frame, uint16_t slot) {
    return (float *)(void *)(frame->regs + ((size_t)slot << VM_SLOT_SHIFT));
}

#endif
