/* SPDX-License-Identifier: MIT */
/*
 * Inside of the driver: the state of a run, shared by exec_run.c, which runs groups of lanes, and exec_compact.c, which
 * moves lanes together.
 */
#ifndef VM_EXEC_EXEC_RUN_H
#define VM_EXEC_EXEC_RUN_H

#include <string.h>

#include "vm/base/bits.h"
#include "vm/exec/exec.h"

struct waiting {
    uint32_t block;
    struct vliw_mask lanes;
};

/* Lanes that have moved together for a loop: what was there before, in the lanes' own places. */
struct moved {
    const struct vm_loop *loop;  /* NULL: all are where they belong */
    unsigned count;              /* lanes 0..count - 1 are */
    uint8_t from[VM_LANES];      /* these */
    char *regs;
    struct vliw_mask whole;
    int32_t counts[VM_LANES];
    struct waiting wait[VM_LANES];
    uint32_t wait_count;
};

struct runner {
    const struct vliw_program *program;
    struct vliw_batch *batch;
    struct vliw_run *run;
    struct vm_frame frame;
    struct vliw_mask whole;      /* lanes that a plain store may write: all but those of dead quads */
    int64_t budget;
    uint32_t scratch;            /* next value of the scratch counter */
    enum vliw_status status;     /* fault noted so far */
    /* programs with branches */
    /* Instructions of each lane. On the stack, since a processor reads ahead what lies beside its own. */
    BITS_ALIGN(64) int32_t count[VM_LANES];
    struct waiting wait[VM_LANES];
    uint32_t wait_count;
    int64_t start_left;          /* frame.left when the group's counts were written last */
    int64_t bound;               /* no lane has executed more */
    bool exact;                  /* the bound is no longer enough */
    uint32_t block;              /* entered last by the driver */
    int64_t overrun_at;          /* instruction of that block that exceeds the budget */
    const struct vm_loop *loop, *nest;   /* the innermost and the outermost loop that the lowest group is in */
    int64_t loop_start, nest_start;      /* the bound when they were entered, or lanes moved last */
    int64_t next_look;           /* bound at which it is worth another look */
    int64_t look;                /* instructions after which the group should look again whether to move; 0: never */
    struct moved moved;
};

/* Lanes (if any) that wait at a block from now on. */
void vm_wait_at(struct runner *r, uint32_t block, const struct vliw_mask *lanes);

/* The kernel's passes that have lanes of the mask, a bit for each to *passes; counts them, and ends early above 'most'. */
unsigned vm_find_passes(const struct vm_kernel *kernel, const struct vliw_mask *m, unsigned most, uint32_t *passes);

/*
 * Before the lowest group runs, in a program with loops: moves lanes back to their places when the loop is over, and
 * together in a loop where that pays; or sets r->look, so that the group comes back in time.
 */
void vm_compact(struct runner *r);

/* ---- Masks ---- */

static inline bool mask_any(const struct vliw_mask *m) {
    uint64_t all = 0;
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        all |= m->w[i];
    }
    return all != 0;
}
static inline unsigned mask_count(const struct vliw_mask *m) {
    unsigned n = 0;
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        n += m->w[i] == ~0ull ? 64u : bits_popcount64(m->w[i]);      /* a call on the baseline ISA */
    }
    return n;
}
static inline struct vliw_mask mask_and(const struct vliw_mask *a, const struct vliw_mask *b) {
    struct vliw_mask m;
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        m.w[i] = a->w[i] & b->w[i];
    }
    return m;
}
static inline struct vliw_mask mask_without(const struct vliw_mask *a, const struct vliw_mask *b) {
    struct vliw_mask m;
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        m.w[i] = a->w[i] & ~b->w[i];
    }
    return m;
}
static inline bool mask_equal(const struct vliw_mask *a, const struct vliw_mask *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

#endif
