/* SPDX-License-Identifier: MIT */
/*
 * Runs a batch. A program of one block is one call of the kernel with whole-batch operations between. In
 * any other program the lanes' PCs are kept as a list of groups, one for each block at which lanes wait,
 * lowest first; the lowest runs until it must meet others, part, or end. That is "lowest PC first" of
 * ISA.md section 9, seen from the blocks: nobody can wait inside a block.
 *
 * Faults: a trap or an overrun ends its quad and every higher one, the lower ones go on, and the fault that
 * was noted last is the run's: that of the lowest quad, as if the quads had run one after the other. So no
 * status depends on which lanes happen to run together.
 *
 * Budget: as long as all blocks that the batch has executed so far, whoever executed them, do not reach
 * the limit, no lane can have; only then are the lanes' own counts looked at.
 */
#include "vm/exec/exec_run.h"

#include <string.h>

#include "vm/base/bits.h"
#include "vm/base/fpenv.h"

#define NO_OVERRUN INT64_MAX

unsigned vm_find_passes(const struct vm_kernel *kernel, const struct vliw_mask *m, unsigned most, uint32_t *passes) {
    unsigned count = 0, shift = bits_ctz32(kernel->pass_lanes);
    uint32_t found = 0;
    for (unsigned i = 0; i < VM_MASK_WORDS; i++) {
        uint64_t rest = m->w[i];
        while (rest != 0 && count <= most) {
            unsigned pass = (64 * i + bits_ctz64(rest)) >> shift, end = ((pass + 1) << shift) % 64;
            count += (found >> pass & 1u) ^ 1u;      /* a long pass covers both words */
            found |= 1u << pass;
            rest = end != 0 && shift < 6 ? rest & ~0ull << end : 0;
        }
    }
    *passes = found;
    return count;
}

/*
 * Kernel, stream and passes for the frame's group. A short pass takes less than half of a long one's time (two
 * vectors of eight, but the latency is the same), so two of them still pay, except with vectors of four.
 */
static void choose_passes(const struct vliw_program *p, struct vm_frame *f, uint32_t stream) {
    const struct vm_kernel *narrow = p->kernel->narrow;
    uint64_t full = ~0ull;
    uint32_t passes;
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        full &= f->group.w[i];
    }
    f->kernel = p->kernel;
    f->stream = stream;
    if (full == ~0ull) {
        f->passes = (1u << p->kernel->passes) - 1;
        return;
    }
    uint64_t beyond = f->group.w[0] >> (narrow->pass_lanes & 63) & -(uint64_t)(narrow->pass_lanes < 64);
    for (int i = 1; i < VM_MASK_WORDS; i++) {
        beyond |= f->group.w[i];
    }
    if (beyond == 0) {                               /* a few lanes, the first ones: one short pass */
        f->kernel = narrow;
        f->stream = stream | VM_STREAM_NARROW;
        f->passes = 1;
        return;
    }
    unsigned most = vm_find_passes(p->kernel, &f->group, VM_LANES, &f->passes) * (p->kernel->pass_lanes >= 64 ? 2 : 1);
    if (vm_find_passes(narrow, &f->group, most, &passes) <= most) {
        f->kernel = narrow;
        f->stream = stream | VM_STREAM_NARROW;
        f->passes = passes;
    }
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

/*
 * Notes a fault of 'lanes' (some) at instruction 'number' of a block: the lowest quad's. Its lanes and all
 * higher ones lose their lives; the caller drops them. Quads that fault later are lower ones.
 */
static void note_fault(struct runner *r, enum vliw_status status, const struct vliw_mask *lanes, uint32_t block, int64_t number) {
    int i = 0;
    while (i + 1 < VM_MASK_WORDS && lanes->w[i] == 0) {
        i++;
    }
    r->status = status;
    r->run->fault_unit = r->program->inst_pc[r->program->blocks[block].first + (uint32_t)number];
    r->run->live.w[i] &= (1ull << (bits_ctz64(lanes->w[i]) & ~3u)) - 1;
    while (++i < VM_MASK_WORDS) {
        r->run->live.w[i] = 0;
    }
}

/* ---- One block ---- */

/* Takes dead quads out of the group; 'done' instructions of the block are behind them. */
static void drop_in_one_block(struct runner *r, uint32_t done) {
    struct vliw_mask dead = dead_lanes(r->run);
    dead = mask_and(&dead, &r->frame.group);
    r->frame.group = mask_without(&r->frame.group, &dead);
    r->run->instructions -= (uint64_t)mask_count(&dead) * (r->program->blocks[0].count - done);
}

/* All lanes have executed the same instructions: those that are left overrun together. */
static enum vliw_status overrun_in_one_block(struct runner *r, int64_t limit) {
    note_fault(r, VLIW_ERR_BUDGET, &r->frame.group, 0, limit);
    return VLIW_ERR_BUDGET;
}

static enum vliw_status run_one_block(struct runner *r) {
    const struct vliw_program *program = r->program;
    const struct vm_block *block = &program->blocks[0];
    const struct vm_uop *uop = block->stream[r->frame.stream];
    int64_t limit = r->budget < (int64_t)block->count ? r->budget : NO_OVERRUN;
    r->run->instructions = (uint64_t)mask_count(&r->frame.group) * block->count;
    for (;;) {
        uint32_t exit = r->frame.kernel->run(&r->frame, uop);
        if ((exit & 0xFFFFu) != VM_EXIT_BATCH) {
            return limit != NO_OVERRUN ? overrun_in_one_block(r, limit) : r->status;
        }
        const struct vm_batch_op *op = &program->batch[exit >> 16];
        if ((int64_t)op->number >= limit) {
            return overrun_in_one_block(r, limit);
        }
        struct vliw_mask lanes = op_lanes(r, op);
        switch (op->kind) {
        case VM_BATCH_TEX:
            vm_batch_texture(program, &r->frame, r->run, op);
            break;
        case VM_BATCH_MEM:
            vm_batch_memory(&r->frame, r->run, op);
            break;
        case VM_BATCH_KILL:
            r->run->live = mask_without(&r->run->live, &lanes);
            drop_in_one_block(r, op->number + 1);
            break;
        case VM_BATCH_TRAP:
            if (mask_any(&lanes)) {
                note_fault(r, VLIW_ERR_TRAP, &lanes, 0, op->number);
                drop_in_one_block(r, op->number + 1);
            }
            break;
        default:
            scratch(r, op);
            break;
        }
        if (!mask_any(&r->frame.group)) {
            return r->status;
        }
        uop = r->frame.resume;
    }
}

/* ---- Groups ---- */

void vm_wait_at(struct runner *r, uint32_t block, const struct vliw_mask *lanes) {
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
    r->program->kernel->credit(&r->frame, r->count, (int32_t)done);
}

/* Instructions that the group's lane with the largest count may still execute; counts are settled. */
static int64_t exact_left(const struct runner *r) {
    int64_t left = INT64_MAX;
    for (unsigned i = 0; i < VM_LANES; i++) {
        if (r->frame.group.w[i / 64] >> i % 64 & 1u) {
            int64_t mine = r->budget - r->count[i];
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
    left = r->look >= need && r->look < left ? r->look : left;
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
    if (r->moved.loop != NULL && f->min_wait > r->moved.loop->last) {
        f->min_wait = r->moved.loop->last + 1;      /* behind it lanes are in their own places */
    }
    bool all = r->program->one_block || mask_equal(&f->group, &r->whole);
    choose_passes(r->program, f, all ? 0 : VM_STREAM_MASKED);
    if (!all || r->program->home_slot != VM_NO_SLOT) {
        r->program->kernel->expand(f);
    }
    charge(r);
    return r->program->blocks[r->block].stream[f->stream];
}

/* Stops dead quads wherever they are; 'done' instructions of 'block', where the group is, are behind them. */
static void drop_dead(struct runner *r, uint32_t block, int64_t done) {
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
        int64_t need = r->program->blocks[block].count;
        settle(r);
        r->run->instructions -= (uint64_t)(need - done) * mask_count(&here);
        r->frame.group = mask_without(&r->frame.group, &here);
        if (r->exact && mask_any(&r->frame.group)) {      /* whoever was about to overrun may have stopped */
            int64_t left = exact_left(r) + need;
            r->block = block;
            r->overrun_at = left < need ? left : NO_OVERRUN;
            r->start_left = r->frame.left = left - need;
        }
    }
}

/* Stops the group's lanes that overrun before instruction 'number' of the block; false if nobody is left. */
static bool stop_overruns(struct runner *r, int64_t number) {
    while (number >= r->overrun_at) {
        struct vliw_mask lanes = {{0}};
        int64_t need = r->program->blocks[r->block].count;
        settle(r);
        for (unsigned i = 0; i < VM_LANES; i++) {
            uint64_t over = r->budget - r->count[i] + need <= r->overrun_at;
            lanes.w[i / 64] |= over << i % 64;
        }
        lanes = mask_and(&lanes, &r->frame.group);
        note_fault(r, VLIW_ERR_BUDGET, &lanes, r->block, r->overrun_at);
        drop_dead(r, r->block, r->overrun_at);
        if (!mask_any(&r->frame.group)) {
            return false;
        }
    }
    return true;
}

/* Branch to computed targets: every lane its own. */
static void indirect(struct runner *r, const struct vm_batch_op *op) {
    const struct vliw_program *p = r->program;
    struct vliw_mask lanes = op_lanes(r, op), bad = {{0}};
    const float *index = vm_slot(&r->frame, op->in[VM_BATCH_INDEX]);
    int64_t targets[VM_LANES];
    for (unsigned lane = 0; lane < VM_LANES; lane++) {
        if (!(lanes.w[lane / 64] >> lane % 64 & 1u)) {
            continue;
        }
        float x = index[lane];
        int64_t target = x >= 1e9f ? 1000000000 : x > -1e9f ? (int64_t)x : x == x ? -1000000000 : 0;
        target += op->base;
        if (target < 0 || target >= (int64_t)p->info.units || !(p->starts[target / 32] >> target % 32 & 1u)) {
            bad.w[lane / 64] |= 1ull << lane % 64;
        }
        targets[lane] = target;
    }
    if (mask_any(&bad)) {
        note_fault(r, VLIW_ERR_TRAP, &bad, op->block, op->number);
        drop_dead(r, op->block, (int64_t)op->number + 1);
        lanes = mask_and(&lanes, &r->frame.group);
    }
    for (unsigned lane = 0; lane < VM_LANES; lane++) {
        if (lanes.w[lane / 64] >> lane % 64 & 1u) {
            struct vliw_mask one = {{0}};
            one.w[lane / 64] = 1ull << lane % 64;
            vm_wait_at(r, p->block_at[targets[lane]], &one);
        }
    }
    struct vliw_mask stay = mask_without(&r->frame.group, &lanes);
    vm_wait_at(r, op->other, &stay);
}

/* One whole-batch operation. False when the group has left the block. */
static bool batch_op(struct runner *r, const struct vm_batch_op *op) {
    if (!stop_overruns(r, op->number)) {
        return false;
    }
    struct vliw_mask lanes = op_lanes(r, op);
    switch (op->kind) {
    case VM_BATCH_TEX:
        vm_batch_texture(r->program, &r->frame, r->run, op);
        return true;
    case VM_BATCH_MEM:
        vm_batch_memory(&r->frame, r->run, op);
        return true;
    case VM_BATCH_SCRATCH:
        scratch(r, op);
        return true;
    case VM_BATCH_KILL:      /* helpers go on */
        r->run->live = mask_without(&r->run->live, &lanes);
        drop_dead(r, op->block, (int64_t)op->number + 1);
        return mask_any(&r->frame.group);
    case VM_BATCH_TRAP:
        if (mask_any(&lanes)) {
            note_fault(r, VLIW_ERR_TRAP, &lanes, op->block, op->number);
            drop_dead(r, op->block, (int64_t)op->number + 1);
        }
        return mask_any(&r->frame.group);
    case VM_BATCH_INDIRECT:
        settle(r);
        indirect(r, op);
        return false;
    default: {
        struct vliw_mask stay = mask_without(&r->frame.group, &lanes);
        settle(r);
        vm_wait_at(r, op->other, &stay);
        return false;
    }
    }
}

/* Runs the frame's group until it has left: into waiting groups, or for good. */
static void run_group(struct runner *r, const struct vm_uop *uop) {
    const struct vliw_program *p = r->program;
    struct vm_frame *f = &r->frame;
    uint32_t exit = f->kernel->run(f, uop);
    while ((exit & 0xFFFFu) == VM_EXIT_BATCH) {
        if (!batch_op(r, &p->batch[exit >> 16])) {
            return;
        }
        exit = f->kernel->run(f, f->resume);
    }
    if (r->overrun_at != NO_OVERRUN && !stop_overruns(r, r->program->blocks[r->block].count)) {
        return;
    }
    settle(r);
    if (exit == VM_EXIT_JUMP) {
        vm_wait_at(r, f->target, &f->group);
    } else if (exit == VM_EXIT_SPLIT) {
        struct vliw_mask with = mask_and(&f->group, &f->cond), without = mask_without(&f->group, &f->cond);
        vm_wait_at(r, f->taken, &with);
        vm_wait_at(r, f->other, &without);
    }
}

static enum vliw_status run_blocks(struct runner *r) {
    memset(r->count, 0, sizeof r->count);
    vm_wait_at(r, 0, &r->run->active);
    const bool loops = r->program->loop_count != 0;
    while (r->wait_count > 0) {
        if (loops) {
            vm_compact(r);
        }
        run_group(r, next_group(r));
    }
    return r->status;
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
    choose_passes(p, f, 0);
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
    r.status = VLIW_OK;
    r.budget = budget;
    fill_frame(&r.frame, batch, run);
    if (r.program->straight) {
        return run_one_block(&r);
    }
    r.whole = run->active;
    r.wait_count = 0;
    r.bound = r.start_left = 0;
    r.exact = false;
    r.loop = r.nest = NULL;
    r.look = 0;
    r.moved.loop = NULL;
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
        frame.kernel->run(&frame, p->blocks[0].stream[frame.stream]);
    } else {
        status = run_other(batch, run, budget);
    }
    fpenv_leave(&saved);
    return status;
}
