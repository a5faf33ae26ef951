/* SPDX-License-Identifier: MIT */
/*
 * Runs a batch. A program of one block is one call of the kernel with whole-batch operations between. In
 * any other program the lanes' PCs are kept as a list of groups, one for each block at which lanes wait,
 * lowest first; the lowest runs until it must meet others, part, or end. That is "lowest PC first" of
 * ISA.md section 9, seen from the blocks: nobody can wait inside a block.
 *
 * Budget: as long as all blocks that the batch has executed so far, whoever executed them, do not reach
 * the limit, no lane can have; only then are the lanes' own counts looked at.
 */
#include "vm/exec/exec.h"

#include <string.h>

#include "vm/base/bits.h"
#include "vm/base/fpenv.h"

#define NO_OVERRUN INT64_MAX

struct waiting {
    uint32_t block;
    struct vliw_mask lanes;
};

struct runner {
    const struct vliw_program *program;
    struct vliw_batch *batch;
    struct vliw_run *run;
    struct vm_frame frame;
    struct vliw_mask whole;      /* lanes that a plain store may write: all but those of dead quads */
    int64_t budget;
    uint32_t scratch;            /* next value of the scratch counter */
    /* programs with branches */
    struct waiting wait[VM_LANES];
    uint32_t wait_count;
    int64_t start_left;          /* frame.left when the group's counts were written last */
    int64_t bound;               /* no lane has executed more */
    bool exact;                  /* the bound is no longer enough */
    uint32_t block;              /* entered last by the driver */
    int64_t overrun_at;          /* instruction of that block that exceeds the budget */
};

/* ---- Masks ---- */

static bool mask_any(const struct vliw_mask *m) {
    uint64_t all = 0;
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        all |= m->w[i];
    }
    return all != 0;
}
static unsigned mask_count(const struct vliw_mask *m) {
    unsigned n = 0;
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        n += m->w[i] == ~0ull ? 64u : bits_popcount64(m->w[i]);      /* a call on the baseline ISA */
    }
    return n;
}
static struct vliw_mask mask_and(const struct vliw_mask *a, const struct vliw_mask *b) {
    struct vliw_mask m;
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        m.w[i] = a->w[i] & b->w[i];
    }
    return m;
}
static struct vliw_mask mask_without(const struct vliw_mask *a, const struct vliw_mask *b) {
    struct vliw_mask m;
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        m.w[i] = a->w[i] & ~b->w[i];
    }
    return m;
}
static bool mask_equal(const struct vliw_mask *a, const struct vliw_mask *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

static uint32_t passes_of(const struct vm_kernel *kernel, const struct vliw_mask *m) {
    uint32_t passes = 0;
    if (kernel->passes == 1) {
        return 1;
    }
    for (unsigned p = 0; p < kernel->passes; p++) {
        unsigned lane = p * kernel->pass_lanes;
        uint64_t field = kernel->pass_lanes >= 64 ? ~0ull : ((1ull << kernel->pass_lanes) - 1) << lane % 64;
        passes |= (m->w[lane / 64] & field) != 0 ? 1u << p : 0u;
    }
    return passes;
}

/* Lanes of quads in which nobody is live any more: they have no effect and stop. */
static struct vliw_mask dead_lanes(const struct vliw_run *run) {
    struct vliw_mask m;
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        uint64_t q = run->live.w[i] | run->live.w[i] >> 1;
        q = (q | q >> 2) & 0x1111111111111111ull;
        m.w[i] = run->active.w[i] & ~(q * 15);
    }
    return m;
}

/* ---- Operations that both kinds of programs have ---- */

static struct vliw_mask op_lanes(const struct runner *r, const struct vm_batch_op *op) {
    if (!op->predicated) {
        return r->frame.group;
    }
    return op->inverted ? mask_without(&r->frame.group, &r->frame.cond) : mask_and(&r->frame.group, &r->frame.cond);
}

static void scratch(struct runner *r, const struct vm_batch_op *op) {
    struct vliw_mask lanes = op_lanes(r, op);
    float *out = vm_slot(&r->frame, op->out[0]);
    for (unsigned lane = 0; lane < VM_LANES; lane++) {
        if (lanes.w[lane / 64] >> lane % 64 & 1u) {
            bool live = r->run->live.w[lane / 64] >> lane % 64 & 1u;
            uint32_t count = live ? r->scratch++ : 0;
            out[lane] = op->integer ? bits_to_float(count) : (float)count;
        }
    }
}

static enum vliw_status fault(struct runner *r, enum vliw_status status, uint32_t block, int64_t number) {
    r->run->fault_unit = r->program->inst_pc[r->program->blocks[block].first + (uint32_t)number];
    return status;
}

/* ---- One block ---- */

static void kill_in_one_block(struct runner *r, const struct vm_batch_op *op) {
    struct vliw_mask lanes = op_lanes(r, op);
    r->run->live = mask_without(&r->run->live, &lanes);
    struct vliw_mask dead = dead_lanes(r->run);
    dead = mask_and(&dead, &r->frame.group);
    r->frame.group = mask_without(&r->frame.group, &dead);
    r->run->instructions -= (uint64_t)mask_count(&dead) * (r->program->blocks[0].count - op->number - 1);
}

static enum vliw_status run_one_block(struct runner *r) {
    const struct vliw_program *program = r->program;
    const struct vm_block *block = &program->blocks[0];
    const struct vm_uop *uop = block->stream[0];
    int64_t limit = r->budget < (int64_t)block->count ? r->budget : NO_OVERRUN;
    r->run->instructions = (uint64_t)mask_count(&r->frame.group) * block->count;
    for (;;) {
        uint32_t exit = program->kernel->run(&r->frame, uop);
        if ((exit & 0xFFFFu) != VM_EXIT_BATCH) {
            return limit != NO_OVERRUN ? fault(r, VLIW_ERR_BUDGET, 0, limit) : VLIW_OK;
        }
        const struct vm_batch_op *op = &program->batch[exit >> 16];
        if ((int64_t)op->number >= limit) {
            return fault(r, VLIW_ERR_BUDGET, 0, limit);
        }
        switch (op->kind) {
        case VM_BATCH_TEX:
            vm_batch_texture(program, &r->frame, r->run, op);
            break;
        case VM_BATCH_MEM:
            vm_batch_memory(&r->frame, r->run, op);
            break;
        case VM_BATCH_KILL:
            kill_in_one_block(r, op);
            if (!mask_any(&r->frame.group)) {
                return VLIW_OK;
            }
            break;
        case VM_BATCH_TRAP: {
            struct vliw_mask lanes = op_lanes(r, op);
            if (mask_any(&lanes)) {
                return fault(r, VLIW_ERR_TRAP, 0, op->number);
            }
            break;
        }
        default:
            scratch(r, op);
            break;
        }
        uop = r->frame.resume;
    }
}

/* ---- Groups ---- */

static void wait_at(struct runner *r, uint32_t block, const struct vliw_mask *lanes) {
    uint32_t i = 0;
    if (!mask_any(lanes)) {
        return;
    }
    while (i < r->wait_count && r->wait[i].block < block) {
        i++;
    }
    if (i < r->wait_count && r->wait[i].block == block) {
        for (int k = 0; k < VM_MASK_WORDS; k++) {
            r->wait[i].lanes.w[k] |= lanes->w[k];
        }
        return;
    }
    memmove(&r->wait[i + 1], &r->wait[i], (r->wait_count - i) * sizeof r->wait[0]);
    r->wait[i] = (struct waiting){block, *lanes};
    r->wait_count++;
}

/* Credits what the group has executed since the last time to its lanes. */
static void settle(struct runner *r) {
    int64_t done = r->start_left - r->frame.left;
    r->start_left = r->frame.left;
    r->bound += done;
    r->run->instructions += (uint64_t)done * mask_count(&r->frame.group);
    r->program->kernel->credit(&r->frame, r->batch->count, (int32_t)done);
}

/* Instructions that the group's lane with the largest count may still execute; counts are settled. */
static int64_t exact_left(const struct runner *r) {
    int64_t left = INT64_MAX;
    for (unsigned i = 0; i < VM_LANES; i++) {
        if (r->frame.group.w[i / 64] >> i % 64 & 1u) {
            int64_t mine = r->budget - r->batch->count[i];
            left = mine < left ? mine : left;
        }
    }
    return left;
}

/* Charges the group for block r->block, which it is about to execute. */
static void charge(struct runner *r) {
    int64_t need = r->program->blocks[r->block].count;
    int64_t left = r->exact ? exact_left(r) : r->budget - r->bound;
    if (left < need && !r->exact) {
        r->exact = true;
        left = exact_left(r);
    }
    r->overrun_at = left < need ? left : NO_OVERRUN;
    r->start_left = left;
    r->frame.left = left - need;
}

/* Takes the lowest group and makes it the frame's. */
static const struct vm_uop *next_group(struct runner *r) {
    struct vm_frame *f = &r->frame;
    f->group = r->wait[0].lanes;
    r->block = r->wait[0].block;
    r->wait_count--;
    memmove(&r->wait[0], &r->wait[1], r->wait_count * sizeof r->wait[0]);
    f->min_wait = r->wait_count > 0 ? r->wait[0].block : UINT32_MAX;
    f->stream = r->program->one_block || mask_equal(&f->group, &r->whole) ? 0 : 1;
    f->passes = passes_of(r->program->kernel, &f->group);
    if (f->stream == 1 || r->program->home_slot != VM_NO_SLOT) {
        r->program->kernel->expand(f);
    }
    charge(r);
    return r->program->blocks[r->block].stream[f->stream];
}

/* KIL: helpers go on, dead quads stop wherever they are. */
static void kill(struct runner *r, const struct vm_batch_op *op) {
    struct vliw_mask lanes = op_lanes(r, op);
    r->run->live = mask_without(&r->run->live, &lanes);
    struct vliw_mask dead = dead_lanes(r->run), here = mask_and(&dead, &r->frame.group);
    r->whole = mask_without(&r->whole, &dead);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->wait_count; i++) {
        r->wait[i].lanes = mask_without(&r->wait[i].lanes, &dead);
        if (mask_any(&r->wait[i].lanes)) {
            r->wait[kept++] = r->wait[i];
        }
    }
    r->wait_count = kept;
    r->frame.min_wait = kept > 0 ? r->wait[0].block : UINT32_MAX;
    if (mask_any(&here)) {
        int64_t rest = (int64_t)r->program->blocks[op->block].count - op->number - 1;
        settle(r);
        r->run->instructions -= (uint64_t)rest * mask_count(&here);
        r->frame.group = mask_without(&r->frame.group, &here);
        if (r->exact && mask_any(&r->frame.group)) {      /* whoever was about to overrun may have stopped */
            int64_t need = r->program->blocks[op->block].count, left = exact_left(r) + need;
            r->block = op->block;
            r->overrun_at = left < need ? left : NO_OVERRUN;
            r->start_left = r->frame.left = left - need;
        }
    }
}

/* Branch to computed targets: every lane its own. */
static enum vliw_status indirect(struct runner *r, const struct vm_batch_op *op) {
    const struct vliw_program *p = r->program;
    struct vliw_mask lanes = op_lanes(r, op), stay = mask_without(&r->frame.group, &lanes);
    const float *index = vm_slot(&r->frame, op->in[VM_BATCH_INDEX]);
    for (unsigned lane = 0; lane < VM_LANES; lane++) {
        if (!(lanes.w[lane / 64] >> lane % 64 & 1u)) {
            continue;
        }
        float x = index[lane];
        int64_t target = x >= 1e9f ? 1000000000 : x > -1e9f ? (int64_t)x : x == x ? -1000000000 : 0;
        target += op->base;
        if (target < 0 || target >= (int64_t)p->info.units || !(p->starts[target / 32] >> target % 32 & 1u)) {
            return fault(r, VLIW_ERR_TRAP, op->block, op->number);
        }
        struct vliw_mask one = {{0}};
        one.w[lane / 64] = 1ull << lane % 64;
        wait_at(r, p->block_at[target], &one);
    }
    wait_at(r, op->other, &stay);
    return VLIW_OK;
}

/* One whole-batch operation. Sets *done when the group has left the block. */
static enum vliw_status batch_op(struct runner *r, const struct vm_batch_op *op, bool *done) {
    if ((int64_t)op->number >= r->overrun_at) {
        return fault(r, VLIW_ERR_BUDGET, r->block, r->overrun_at);
    }
    switch (op->kind) {
    case VM_BATCH_TEX:
        vm_batch_texture(r->program, &r->frame, r->run, op);
        break;
    case VM_BATCH_MEM:
        vm_batch_memory(&r->frame, r->run, op);
        break;
    case VM_BATCH_SCRATCH:
        scratch(r, op);
        break;
    case VM_BATCH_KILL:
        kill(r, op);
        *done = !mask_any(&r->frame.group);
        break;
    case VM_BATCH_TRAP: {
        struct vliw_mask lanes = op_lanes(r, op);
        if (mask_any(&lanes)) {
            return fault(r, VLIW_ERR_TRAP, op->block, op->number);
        }
        break;
    }
    case VM_BATCH_INDIRECT:
        settle(r);
        *done = true;
        return indirect(r, op);
    default: {
        struct vliw_mask lanes = op_lanes(r, op), stay = mask_without(&r->frame.group, &lanes);
        settle(r);
        *done = true;
        wait_at(r, op->other, &stay);
        break;
    }
    }
    return VLIW_OK;
}

/* Runs the frame's group until it has left: into waiting groups, or for good. */
static enum vliw_status run_group(struct runner *r, const struct vm_uop *uop) {
    const struct vliw_program *p = r->program;
    struct vm_frame *f = &r->frame;
    for (;;) {
        uint32_t exit = p->kernel->run(f, uop);
        if ((exit & 0xFFFFu) == VM_EXIT_BATCH) {
            bool done = false;
            enum vliw_status status = batch_op(r, &p->batch[exit >> 16], &done);
            if (status != VLIW_OK || done) {
                return status;
            }
            uop = f->resume;
            continue;
        }
        if (r->overrun_at != NO_OVERRUN) {
            return fault(r, VLIW_ERR_BUDGET, r->block, r->overrun_at);
        }
        settle(r);
        if (exit == VM_EXIT_JUMP) {
            wait_at(r, f->target, &f->group);
        } else if (exit == VM_EXIT_SPLIT) {
            struct vliw_mask with = mask_and(&f->group, &f->cond), without = mask_without(&f->group, &f->cond);
            wait_at(r, f->taken, &with);
            wait_at(r, f->other, &without);
        }
        return VLIW_OK;
    }
}

static enum vliw_status run_blocks(struct runner *r) {
    enum vliw_status status = VLIW_OK;
    memset(r->batch->count, 0, sizeof r->batch->count);
    wait_at(r, 0, &r->run->active);
    while (r->wait_count > 0 && status == VLIW_OK) {
        status = run_group(r, next_group(r));
    }
    return status;
}

/* ---- The run ---- */

static void clear_homes(const struct runner *r) {
    const struct vliw_program *p = r->program;
    for (uint32_t i = 0; i < p->zero_count; i++) {
        memset(vm_slot(&r->frame, p->zeros[i].slot), 0, (size_t)p->zeros[i].count << VM_SLOT_SHIFT);
    }
    if (p->front_slot != VM_NO_SLOT) {
        memcpy(vm_slot(&r->frame, p->front_slot), vm_slot(&r->frame, p->front_input), VM_SLOT_BYTES);
    }
}

static void fill_frame(struct vm_frame *f, const struct vliw_batch *batch, const struct vliw_run *run) {
    const struct vliw_program *p = batch->program;
    f->regs = batch->regs;
    f->consts = run->constants;
    f->blocks = p->blocks;
    f->group = run->active;
    f->left = 0;
    f->min_wait = UINT32_MAX;
    f->stream = 0;
    f->passes = passes_of(p->kernel, &run->active);
    f->mask_offset = (uint32_t)p->mask_slot << VM_SLOT_SHIFT;
    f->home_offset = (uint32_t)p->home_slot << VM_SLOT_SHIFT;
    f->gpr_last = (int32_t)p->info.gprs - 1;
    f->global_last = (int32_t)p->info.globals - 1;
}

/* Programs with branches, indexed registers or whole-batch operations. */
static enum vliw_status run_other(struct vliw_batch *batch, struct vliw_run *run, int64_t budget) {
    struct runner r;
    r.program = batch->program;
    r.batch = batch;
    r.run = run;
    r.scratch = 0;
    r.budget = budget;
    fill_frame(&r.frame, batch, run);
    if (r.program->straight) {
        return run_one_block(&r);
    }
    r.whole = run->active;
    r.wait_count = 0;
    r.bound = r.start_left = 0;
    r.exact = false;
    r.budget = budget < INT32_MAX - (int64_t)ISA_MAX_UNITS ? budget : INT32_MAX - (int64_t)ISA_MAX_UNITS;
    clear_homes(&r);
    return run_blocks(&r);
}

enum vliw_status vliw_batch_run(struct vliw_batch *batch, struct vliw_run *run) {
    const struct vliw_program *p = batch->program;
    if (p == NULL) {
        return VLIW_ERR_ARGUMENT;
    }
    run->live = run->active;
    run->fault_unit = 0;
    run->instructions = 0;
    if (!mask_any(&run->active)) {
        return VLIW_OK;
    }
    int64_t budget = run->budget != 0 ? run->budget : VLIW_BUDGET_DEFAULT;
    enum vliw_status status = VLIW_OK;
    struct fpenv saved = fpenv_enter();
    if (p->straight && p->batch_count == 0 && budget >= (int64_t)p->blocks[0].count) {
        struct vm_frame frame;      /* the common case, one call: nothing here may cost more than a few clocks */
        fill_frame(&frame, batch, run);
        run->instructions = (uint64_t)mask_count(&run->active) * p->blocks[0].count;
        p->kernel->run(&frame, p->blocks[0].stream[0]);
    } else {
        status = run_other(batch, run, budget);
    }
    fpenv_leave(&saved);
    return status;
}
