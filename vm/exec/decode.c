/* SPDX-License-Identifier: MIT */
/*
 * Decoding of a verified image: finds blocks, runs the stages of decode.h over them and packs the result
 * into one allocation. It never rejects a verified program (but memory may run out).
 */
#include "vm/exec/decode.h"

#include <stdlib.h>
#include <string.h>

#include "vm/exec/verify.h"
#include "vm/isa/rules.h"
#include "vm/isa/word.h"

/* ---- Shape of the program ---- */

static const struct isa_unit *process_unit(const struct isa_inst *inst) {
    return inst->process >= 0 ? &inst->unit[inst->process] : NULL;
}

static uint32_t unpack(const struct decoder *dc, uint32_t pc, struct isa_inst *inst) {
    struct isa_fault fault;
    return isa_decode_inst(dc->image->words, dc->image->word_count, pc, inst, &fault);
}

/* Anything that shows bits of a float as an integer makes NaNs canonical throughout the program. */
static bool shows_bits(const struct isa_unit *u) {
    switch (u->kind) {
    case ISA_UNIT_MAIN:
    case ISA_UNIT_SUB:
        return u->op == ISA_OP_AND || u->op == ISA_OP_OR || u->op == ISA_OP_XOR || u->op == ISA_OP_SHF;
    case ISA_UNIT_PRED:
        return u->int_compare;
    case ISA_UNIT_TYPE:
        return u->dtype != ISA_TYPE_F32 || u->stype != ISA_TYPE_F32;
    case ISA_UNIT_MEM:
        return u->op == ISA_MEM_ST || u->op == ISA_MEM_FADD;
    default:
        return false;
    }
}

static bool indexes_gprs(const struct isa_inst *inst, const struct isa_unit *u) {
    if (u->kind != ISA_UNIT_ADDR || !u->indexed || u->target == ISA_ADDR_PROCESS) {
        return false;
    }
    int of = u->target == ISA_ADDR_SLOT1 ? inst->sub[1] : inst->main[1];
    return u->target == ISA_ADDR_DEST || inst->unit[of].src.file == ISA_FILE_GPR;
}

static int64_t direct_target(const struct isa_inst *inst, uint32_t next) {
    const struct isa_unit *u = process_unit(inst), *addr = isa_addr_for(inst, ISA_ADDR_PROCESS);
    return (int64_t)u->imm + (addr != NULL ? addr->base : 0) + (u->option ? (int64_t)next : 0);
}

static bool is_indexed_branch(const struct isa_inst *inst) {
    const struct isa_unit *addr = isa_addr_for(inst, ISA_ADDR_PROCESS);
    return addr != NULL && addr->indexed;
}

static bool ends_block(const struct isa_inst *inst) {
    const struct isa_unit *u = process_unit(inst);
    if (u == NULL || u->kind != ISA_UNIT_BRC) {
        return false;
    }
    return u->op == ISA_BRC_BL || u->op == ISA_BRC_END || (u->op == ISA_BRC_TRAP && !isa_process_predicated(inst));
}

/* Numbers the instructions and finds the units that start blocks. */
static void survey(struct decoder *dc) {
    struct isa_inst inst;
    uint32_t n = dc->image->word_count, count = 0;
    bit_set(dc->leaders, 0);
    for (uint32_t pc = 0; pc < n; count++) {
        uint32_t next = pc + unpack(dc, pc, &inst);
        dc->inst_pc[count] = (uint16_t)pc;
        for (unsigned i = 0; i < inst.units; i++) {
            const struct isa_unit *u = &inst.unit[i];
            dc->canon = dc->canon || shows_bits(u);
            dc->indexed = dc->indexed || indexes_gprs(&inst, u);
            dc->reads_front = dc->reads_front || ((u->kind == ISA_UNIT_MAIN || u->kind == ISA_UNIT_SUB) &&
                                                  u->op == ISA_OP_MVS && u->src.reg == ISA_STATUS_FRONT);
        }
        const struct isa_unit *u = process_unit(&inst);
        if (ends_block(&inst)) {
            if (next < n) {
                bit_set(dc->leaders, next);
            }
            if (u->op == ISA_BRC_BL && is_indexed_branch(&inst)) {
                dc->indirect = true;
            } else if (u->op == ISA_BRC_BL) {
                bit_set(dc->leaders, (uint32_t)direct_target(&inst, next));
            }
        }
        pc = next;
    }
    dc->inst_count = count;
    if (dc->indirect) {      /* a computed target can be any instruction */
        for (uint32_t i = 0; i < count; i++) {
            bit_set(dc->leaders, dc->inst_pc[i]);
        }
    }
}

/* How the last instruction of a block leaves it. */
static void set_term(struct decoder *dc, struct dc_block *b, const struct isa_inst *inst) {
    b->term = TERM_NEXT;
    b->falls = true;
    if (!ends_block(inst)) {
        return;
    }
    const struct isa_unit *u = process_unit(inst);
    bool predicated = isa_process_predicated(inst);
    b->falls = predicated;
    if (u->op == ISA_BRC_BL && is_indexed_branch(inst)) {
        b->term = TERM_BATCH;
        b->indirect = true;
    } else if (u->op == ISA_BRC_BL) {
        b->term = predicated ? TERM_BRANCH : TERM_JUMP;
        b->taken = dc->block_at[direct_target(inst, b->end)];
    } else {
        b->term = predicated ? TERM_BATCH : TERM_END;
        b->ends = true;
    }
}

static void find_blocks(struct decoder *dc) {
    uint32_t count = 0;
    for (uint32_t pc = 0; pc < dc->image->word_count; pc++) {
        dc->block_at[pc] = 0xFFFF;
        if (bit_get(dc->leaders, pc)) {
            dc->block_at[pc] = (uint16_t)count++;
        }
    }
    dc->block_count = count;
    dc->blocks = arena_array(&dc->arena, count, sizeof *dc->blocks);
    if (dc->blocks == NULL) {
        dc->failed = true;
        return;
    }
    uint32_t k = 0;
    for (uint32_t i = 0; i < dc->inst_count; i++) {
        uint32_t pc = dc->inst_pc[i];
        k += i > 0 && bit_get(dc->leaders, pc);
        struct dc_block *b = &dc->blocks[k];
        if (b->count++ == 0) {
            b->pc = pc;
            b->first = i;
        }
        b->end = i + 1 < dc->inst_count ? dc->inst_pc[i + 1] : dc->image->word_count;
    }
    for (k = 0; k < count; k++) {
        struct isa_inst inst;
        struct dc_block *b = &dc->blocks[k];
        unpack(dc, dc->inst_pc[b->first + b->count - 1], &inst);
        set_term(dc, b, &inst);
    }
}

/* Blocks that control can enter. One alone, not entered again, makes a program of one block. */
static void find_reachable(struct decoder *dc) {
    uint32_t *todo = arena_array(&dc->arena, dc->block_count + 1, sizeof *todo);
    if (todo == NULL) {
        dc->failed = true;
        return;
    }
    uint32_t depth = 1, reached = 1;
    bool again = false;
    todo[0] = 0;
    dc->blocks[0].reachable = true;
    while (depth > 0) {
        uint32_t k = todo[--depth];
        const struct dc_block *b = &dc->blocks[k];
        uint32_t next[2];
        unsigned n = 0;
        if (b->falls) {
            next[n++] = k + 1;
        }
        if (b->term == TERM_JUMP || b->term == TERM_BRANCH) {
            next[n++] = b->taken;
        }
        for (unsigned i = 0; i < n; i++) {
            again = again || next[i] == 0;
            if (!dc->blocks[next[i]].reachable) {
                dc->blocks[next[i]].reachable = true;
                todo[depth++] = next[i];
                reached++;
            }
        }
    }
    for (uint32_t k = 0; dc->indirect && k < dc->block_count; k++) {
        dc->blocks[k].reachable = true;
    }
    dc->one_block = reached == 1 && !again && !dc->indirect;
    dc->straight = dc->one_block && !dc->indexed;
}

/* ---- Blocks ---- */

static void build_outputs(struct decoder *dc) {
    for (uint32_t i = 0; i < dc->image->output_count; i++) {
        const struct vliw_io *io = &dc->image->outputs[i];
        for (unsigned c = 0; c < 4; c++) {
            if (io->mask >> c & 1u) {
                dc_push_seq(dc, SEQ_OUTPUT, dc_in_slot(dc, dc_reg(dc, io->reg * 4u + c)), (int32_t)(i * 4 + c));
            }
        }
    }
}

static void build_block(struct decoder *dc, struct dc_block *b) {
    struct isa_inst inst;
    dc_block_begin(dc, b);
    uint32_t batch_first = dc->batch_count;
    for (uint32_t i = 0; i < b->count && !dc->failed; i++) {
        uint32_t pc = dc->inst_pc[b->first + i];
        unpack(dc, pc, &inst);
        dc_inst(dc, &inst, pc, i + 1 == b->count);
    }
    if (dc->failed) {
        return;
    }
    for (uint32_t i = batch_first; i < dc->batch_count; i++) {
        dc->batch[i].op.block = (uint32_t)(b - dc->blocks);
    }
    const struct dc_batch *last = b->term == TERM_BATCH ? &dc->batch[b->batch] : NULL;
    struct dc_cond cond = last != NULL ? last->cond : b->cond;
    if ((last != NULL && cond.value != VAL_NONE) || b->term == TERM_BRANCH) {
        b->inverted = dc_push_cond(dc, cond);
    }
    if (dc->straight) {
        build_outputs(dc);
    } else {
        uint32_t first = dc->seq_count;
        dc_commit_all(dc);
        for (uint32_t i = first; i < dc->seq_count; i++) {
            dc->seqs[i].final = true;
        }
    }
    if (last != NULL) {
        dc->batch[b->batch].op.predicated = cond.value != VAL_NONE;
        dc->batch[b->batch].op.inverted = b->inverted;
        dc->batch[b->batch].op.other = (uint32_t)(b - dc->blocks) + 1;
        dc_push_seq(dc, SEQ_BATCH, VAL_NONE, (int32_t)b->batch);
    }
    b->node_count = dc->node_count - b->node_first;
    b->seq_count = dc->seq_count - b->seq_first;
}

static void take_home(struct decoder *dc, uint32_t comp) {
    if (dc->home[comp] == VM_NO_SLOT) {
        dc->home[comp] = (uint16_t)dc->slot_base++;
    }
}

/* Slots of inputs, and in programs with homes of every component that has one. */
void dc_assign_homes(struct decoder *dc) {
    for (uint32_t c = 0; dc->indexed && c < dc->comps; c++) {
        take_home(dc, c);
    }
    for (unsigned t = 0; t < (dc->straight ? 1u : 2u); t++) {
        const struct vliw_io *io = t == 0 ? dc->image->inputs : dc->image->outputs;
        uint32_t count = t == 0 ? dc->image->input_count : dc->image->output_count;
        for (uint32_t i = 0; i < count * 4; i++) {
            if (io[i / 4].mask >> i % 4 & 1u) {
                take_home(dc, io[i / 4].reg * 4u + i % 4);
            }
        }
    }
    if (!dc->straight) {
        for (uint32_t i = 0; i < dc->node_count; i++) {
            if (dc->nodes[i].op == VM_OP_HOME) {
                take_home(dc, (uint32_t)dc->nodes[i].extra);
            }
        }
        for (uint32_t k = 0; k < dc->block_count; k++) {
            const struct dc_block *b = &dc->blocks[k];
            for (uint32_t i = b->seq_first; i < b->seq_first + b->seq_count; i++) {
                const struct dc_seq *s = &dc->seqs[i];
                if (s->kind == SEQ_COMMIT && (!s->final || dc_lives(dc, b, (uint32_t)s->ref))) {
                    take_home(dc, (uint32_t)s->ref);
                }
            }
        }
        dc->program->mask_slot = (uint16_t)dc->slot_base++;
    }
    dc->slot_count = dc->slot_base;
}

/* ---- Packing ---- */

struct packer {
    char *memory;
    size_t used;                 /* first pass: memory NULL, only sizes */
};

static void *pack(struct packer *p, const void *from, size_t size) {
    p->used = (p->used + 15) & ~(size_t)15;
    void *to = p->memory != NULL ? p->memory + p->used : NULL;
    if (to != NULL && from != NULL && size > 0) {
        memcpy(to, from, size);
    }
    p->used += size;
    return to;
}

/* Components that must be 0 at the start: those with a home that the first block may read, but inputs. */
static uint32_t find_zeros(struct decoder *dc, struct vm_zero *zeros) {
    uint32_t count = 0;
    for (uint32_t c = 0; !dc->straight && c < dc->comps; c++) {
        if (dc->home[c] == VM_NO_SLOT || dc->input_comp[c] || (dc->entry_live != NULL && !bit_get(dc->entry_live, c))) {
            continue;
        }
        if (count > 0 && zeros[count - 1].slot + zeros[count - 1].count == dc->home[c]) {
            zeros[count - 1].count++;
        } else {
            zeros[count++] = (struct vm_zero){dc->home[c], 1};
        }
    }
    return count;
}

static void io_slots(const struct decoder *dc, uint16_t *slots, const struct vliw_io *io, uint32_t count) {
    for (uint32_t i = 0; i < count * 4; i++) {
        slots[i] = io[i / 4].mask >> i % 4 & 1u ? dc->home[io[i / 4].reg * 4u + i % 4] : VM_NO_SLOT;
    }
}

/* The streams with the labels of a kernel, a copy for each. */
static void pack_uops(struct decoder *dc, struct packer *p, struct vm_uop **uops) {
    const struct vm_kernel *const kernels[2] = {dc->program->kernel, dc->program->kernel->narrow};
    for (unsigned k = 0; k < 2; k++) {
        const void *const *labels = kernels[k] != NULL ? kernels[k]->labels() : NULL;
        if (k == 1 && labels == NULL) {
            uops[1] = uops[0];      /* micro-operations hold the handler's number */
            return;
        }
        uops[k] = pack(p, dc->uops, dc->uop_count * sizeof **uops);
        for (uint32_t i = 0; p->memory != NULL && labels != NULL && i < dc->uop_count; i++) {
            uops[k][i].h.handler = labels[dc->uops[i].h.index];
        }
    }
}

static void pack_blocks(struct decoder *dc, struct packer *p) {
    struct vliw_program *program = dc->program;
    struct vm_uop *uops[2];
    pack_uops(dc, p, uops);
    struct vm_block *blocks = pack(p, NULL, dc->block_count * sizeof *blocks);
    struct vm_batch_op *ops = pack(p, NULL, dc->batch_count * sizeof *ops);
    if (p->memory == NULL) {
        return;
    }
    for (uint32_t i = 0; i < dc->block_count; i++) {
        const struct dc_block *b = &dc->blocks[i];
        blocks[i] = (struct vm_block){{uops[0] + b->stream[0], uops[0] + b->stream[1], uops[1] + b->stream[0],
                                       uops[1] + b->stream[1]}, b->pc, b->first, b->count, b->loop};
    }
    for (uint32_t i = 0; i < dc->batch_count; i++) {
        ops[i] = dc->batch[i].op;
    }
    program->blocks = blocks;
    program->batch = ops;
}

static void pack_loops(const struct decoder *dc, struct packer *p) {
    struct vm_loop *loops = pack(p, dc->loops, dc->loop_count * sizeof *loops);
    for (uint32_t i = 0; i < dc->loop_count; i++) {
        const uint16_t *slots = pack(p, dc->loops[i].slots, dc->loops[i].slot_count * sizeof *slots);
        if (p->memory != NULL) {
            loops[i].slots = slots;
        }
    }
    dc->program->loops = loops;
}

static void pack_all(struct decoder *dc, struct packer *p, const struct vm_zero *zeros, uint32_t zero_count) {
    struct vliw_program *program = dc->program;
    const struct vliw_image_desc *d = dc->image;
    pack_blocks(dc, p);
    program->constants = pack(p, dc->constants, dc->constant_count * sizeof *dc->constants);
    program->zeros = pack(p, zeros, zero_count * sizeof *zeros);
    pack_loops(dc, p);
    program->words = pack(p, d->words, d->word_count * sizeof *d->words);
    program->lines = d->lines != NULL ? pack(p, d->lines, d->word_count * sizeof *d->lines) : NULL;
    program->inst_pc = pack(p, dc->inst_pc, dc->inst_count * sizeof *dc->inst_pc);
    program->block_at = pack(p, dc->block_at, d->word_count * sizeof *dc->block_at);
    program->info.inputs = pack(p, d->inputs, d->input_count * sizeof *d->inputs);
    program->info.outputs = pack(p, d->outputs, d->output_count * sizeof *d->outputs);
    program->info.samplers = pack(p, d->samplers, d->sampler_count);
    program->info.literals = pack(p, d->literals, d->literal_count * sizeof *d->literals);
    program->info.name = pack(p, d->name, strlen(d->name) + 1);
    uint16_t *in = pack(p, NULL, d->input_count * 4 * sizeof *in);
    uint16_t *out = pack(p, dc->output_slot, d->output_count * 4 * sizeof *out);
    uint32_t *starts = pack(p, NULL, (d->word_count + 31) / 32 * sizeof *starts);
    if (p->memory == NULL) {
        return;
    }
    memset(starts, 0, (d->word_count + 31) / 32 * sizeof *starts);
    for (uint32_t i = 0; i < dc->inst_count; i++) {
        starts[dc->inst_pc[i] / 32] |= 1u << dc->inst_pc[i] % 32;
    }
    io_slots(dc, in, d->inputs, d->input_count);
    program->input_slot = in;
    program->output_slot = out;
    program->starts = starts;
}

static enum vliw_status finish(struct decoder *dc) {
    struct vliw_program *program = dc->program;
    struct vm_zero *zeros = arena_array(&dc->arena, dc->comps + 1, sizeof *zeros);
    if (zeros == NULL) {
        return VLIW_ERR_MEMORY;
    }
    program->zero_count = find_zeros(dc, zeros);
    program->straight = dc->straight;
    program->one_block = dc->one_block;
    program->block_count = dc->block_count;
    program->batch_count = dc->batch_count;
    program->constant_count = dc->constant_count;
    program->loop_count = dc->loop_count;
    program->slots = dc->slot_count;
    program->home_slot = dc->indexed ? dc->home[0] : VM_NO_SLOT;
    program->front_slot = program->front_input = VM_NO_SLOT;
    if (!dc->straight && dc->front_comp >= 0) {
        program->front_slot = dc->home[dc->front_comp];
        for (uint32_t i = 0; i < dc->image->input_count; i++) {
            if (dc->image->inputs[i].semantic == VLIW_SEM_FRONT_FACING) {
                program->front_input = dc->home[dc->image->inputs[i].reg * 4u];
            }
        }
    }
    if (!dc->straight) {
        io_slots(dc, dc->output_slot, dc->image->outputs, dc->image->output_count);
    }
    struct packer size = {NULL, 0};
    pack_all(dc, &size, zeros, program->zero_count);
    struct packer p = {malloc(size.used + 16), 0};
    if (p.memory == NULL) {
        return VLIW_ERR_MEMORY;
    }
    program->memory = p.memory;
    pack_all(dc, &p, zeros, program->zero_count);
    return VLIW_OK;
}

/* ---- All stages ---- */

static void allocate(struct decoder *dc) {
    const struct vliw_image_desc *d = dc->image;
    struct arena *a = &dc->arena;
    uint32_t n = d->word_count, comps = dc->comps + 1;
    dc->inst_pc = arena_array(a, n, sizeof *dc->inst_pc);
    dc->leaders = arena_array(a, n / 64 + 1, sizeof *dc->leaders);
    dc->block_at = arena_array(a, n, sizeof *dc->block_at);
    dc->cur = arena_array(a, comps, sizeof *dc->cur);
    dc->dirty = arena_array(a, comps, sizeof *dc->dirty);
    dc->touched = arena_array(a, comps, sizeof *dc->touched);
    dc->input_comp = arena_array(a, comps, 1);
    dc->quad_set = arena_array(a, comps / 64 + 1, sizeof *dc->quad_set);
    dc->plus_zero = arena_array(a, dc->program->info.globals * 4 / 64 + 1, sizeof *dc->plus_zero);
    dc->plus_one = arena_array(a, dc->program->info.globals * 4 / 64 + 1, sizeof *dc->plus_one);
    dc->home_chain = arena_array(a, comps, sizeof *dc->home_chain);
    dc->written_within = arena_array(a, comps, sizeof *dc->written_within);
    dc->home = arena_array(a, comps, sizeof *dc->home);
    dc->output_slot = arena_array(a, d->output_count * 4 + 1, sizeof *dc->output_slot);
    dc->failed = dc->failed || a->failed;
    if (dc->failed) {
        return;
    }
    memset(dc->cur, 0xFF, comps * sizeof *dc->cur);
    memset(dc->home_chain, 0xFF, comps * sizeof *dc->home_chain);
    memset(dc->home, 0xFF, comps * sizeof *dc->home);
    memset(dc->output_slot, 0xFF, (d->output_count * 4 + 1) * sizeof *dc->output_slot);
    memset(dc->constant_heads, 0xFF, sizeof dc->constant_heads);
}

/* Which components inputs fill, where FRONT comes from, which literals are +0.0 and 1.0: the last of a component counts. */
static void find_inputs(struct decoder *dc) {
    dc->front_comp = -1;
    for (uint32_t i = 0; i < dc->image->literal_count; i++) {
        const struct vliw_literal *l = &dc->image->literals[i];
        for (unsigned c = 0; c < 4; c++) {
            if (l->mask >> c & 1u) {
                uint32_t comp = l->reg * 4u + c;
                bit_put(dc->plus_zero, comp, l->bits[c] == 0);
                bit_put(dc->plus_one, comp, l->bits[c] == ONE_BITS);
            }
        }
    }
    for (uint32_t i = 0; i < dc->image->input_count; i++) {
        const struct vliw_io *io = &dc->image->inputs[i];
        for (unsigned c = 0; c < 4; c++) {
            dc->input_comp[io->reg * 4u + c] |= io->mask >> c & 1u;
        }
        if (dc->reads_front && io->semantic == VLIW_SEM_FRONT_FACING) {
            dc->front_comp = (int32_t)(dc->straight ? io->reg * 4u : dc->comps);
        }
    }
}

static void run_stages(struct decoder *dc) {
    allocate(dc);
    if (dc->failed) {
        return;
    }
    survey(dc);
    find_blocks(dc);
    if (!dc->failed) {
        find_reachable(dc);
    }
    if (dc->failed) {
        return;
    }
    find_inputs(dc);
    for (uint32_t i = 0; i < dc->block_count && !dc->failed; i++) {
        if (dc->blocks[i].reachable) {
            build_block(dc, &dc->blocks[i]);
        }
    }
    if (!dc->failed && !dc->straight) {
        dc_liveness(dc);
    }
    if (dc->failed) {
        return;
    }
    dc_assign_homes(dc);
    for (uint32_t i = 0; i < dc->block_count && !dc->failed; i++) {
        if (dc->blocks[i].reachable) {
            dc_schedule(dc, &dc->blocks[i]);
            dc_emit(dc, &dc->blocks[i]);
        }
    }
    if (!dc->failed) {
        dc_find_loops(dc);
    }
}

enum vliw_status vm_decode(struct vliw_program *program, const struct vliw_image_desc *image) {
    struct decoder *dc = malloc(sizeof *dc);
    if (dc == NULL) {
        return VLIW_ERR_MEMORY;
    }
    enum vliw_status status = VLIW_OK;
    for (unsigned attempt = 0; attempt < 2; attempt++) {
        memset(dc, 0, sizeof *dc);
        arena_init(&dc->arena, 0);
        dc->program = program;
        dc->image = image;
        dc->comps = program->info.gprs * 4;
        dc->in_order = attempt > 0;
        run_stages(dc);
        bool again = dc->overflow && !dc->failed;
        status = dc->failed ? VLIW_ERR_MEMORY : dc->overflow ? VLIW_ERR_LIMIT : finish(dc);
        arena_fini(&dc->arena);
        if (!again) {
            break;
        }
    }
    free(dc);
    return status;
}
