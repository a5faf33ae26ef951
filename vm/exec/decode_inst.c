/* SPDX-License-Identifier: MIT */
/*
 * One instruction -> nodes. Operands are looked up lazily but all before the first write, so both phases
 * read before either writes; a predicated write selects between new and old value; what has an order
 * (memory, textures, discards, indexed GPRs) goes into the block's sequence.
 */
#include "vm/exec/decode_inst.h"

#include <string.h>

#include "vm/base/bits.h"

static const struct isa_unit *unit_at(const struct inst *x, int i) { return i >= 0 ? &x->in->unit[i] : NULL; }

float dc_half_to_float(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, e = h >> 10 & 31u, m = h & 0x3FFu;
    if (e == 31) {
        return bits_to_float(sign | 0x7F800000u | (m != 0 ? 0x400000u | m << 13 : 0u));
    }
    if (e == 0) {
        float f = (float)m * 0x1p-24f;
        return bits_to_float(sign | bits_from_float(f));
    }
    return bits_to_float(sign | (e + 112) << 23 | m << 13);
}

/* ---- Operands ---- */

/* Component of a register; 'home' asks for what all lanes of the quad hold (derivatives). */
static dc_val read_component(struct decoder *dc, unsigned file, uint32_t reg, unsigned comp, bool home) {
    if (file == ISA_FILE_GLOBAL) {
        return VAL_CONST | (reg * 4 + comp);
    }
    return home ? dc_reg_home(dc, reg * 4 + comp) : dc_reg(dc, reg * 4 + comp);
}

static dc_val read_indexed(struct inst *x, unsigned file, int32_t base, dc_val index, unsigned comp) {
    struct decoder *dc = x->dc;
    int32_t extra = base * 4 + (int32_t)comp;
    if (file == ISA_FILE_GLOBAL) {
        return dc_leaf(dc, VM_OP_IDXU, index, extra);
    }
    dc_commit_all(dc);
    dc_val v = dc_leaf(dc, VM_OP_IDXR, dc_in_slot(dc, index), extra);
    dc_push_seq(dc, SEQ_NODE, v, 0);
    return v;
}

/* Value of an ADDR unit's index component. */
static dc_val index_of(struct inst *x, const struct isa_unit *addr, bool home) {
    return read_component(x->dc, addr->src.file, addr->src.reg, addr->src.sel[0], home);
}

dc_val dc_read_field(struct inst *x, unsigned file, unsigned reg, const struct isa_unit *addr,
                         unsigned comp, bool home) {
    if (addr == NULL) {
        return read_component(x->dc, file, reg, comp, home);
    }
    if (!addr->indexed) {
        return read_component(x->dc, file, (uint32_t)((int)reg + addr->base), comp, home);
    }
    return read_indexed(x, file, (int)reg + addr->base, index_of(x, addr, home), comp);
}

dc_val dc_read_dest(struct inst *x, unsigned phase, unsigned c, bool home) {
    const struct isa_unit *main = unit_at(x, x->in->main[phase]);
    return dc_read_field(x, ISA_FILE_GPR, main->dest, phase == 1 ? isa_addr_for(x->in, ISA_ADDR_DEST) : NULL, c, home);
}

static dc_val lookup_slot(struct inst *x, unsigned phase, unsigned slot, unsigned c, bool home) {
    const struct isa_unit *main = unit_at(x, x->in->main[phase]), *sub = unit_at(x, x->in->sub[phase]);
    if (slot == 1 && sub == NULL) {
        return dc_read_dest(x, phase, c, home);
    }
    const struct isa_unit *u = slot == 0 ? main : sub;
    if (u->has_imm) {
        return dc_float(x->dc, dc_half_to_float(u->imm16));
    }
    const struct isa_unit *addr = phase == 1 ? isa_addr_for(x->in, slot == 0 ? ISA_ADDR_SLOT0 : ISA_ADDR_SLOT1) : NULL;
    dc_val v = dc_read_field(x, u->src.file, u->src.reg, addr, u->src.sel[c], home);
    return u->src.negate ? dc_op(x->dc, VM_OP_NEG, v, VAL_NONE, VAL_NONE) : v;
}

/* Operand of component c, SMASK applied. */
static dc_val operand(struct inst *x, unsigned phase, unsigned slot, unsigned c, bool home) {
    const struct isa_unit *sub = unit_at(x, x->in->sub[phase]);
    if (phase == 1 && sub != NULL && (sub->smask >> c & 1u)) {
        phase = 0;
    }
    if (home) {
        return lookup_slot(x, phase, slot, c, true);
    }
    dc_val *known = &x->slot[phase][slot][c];
    if (*known == VAL_NONE) {
        *known = lookup_slot(x, phase, slot, c, false);
    }
    return *known;
}

/* ---- Predicates ---- */

/* Conjunction of the PREDs that apply: to component c of phase 1, or (c = 4) to the process unit. */
static struct dc_cond predicate(struct inst *x, unsigned c) {
    struct decoder *dc = x->dc;
    struct dc_cond all = {VAL_NONE, ISA_COND_NZ};
    dc_val product = VAL_NONE;
    for (int k = 0; k < 2; k++) {
        const struct isa_unit *u = unit_at(x, x->in->coord[k]);
        if (u == NULL || u->kind != ISA_UNIT_PRED || (c < 4 && (u->sl || !(u->mask >> c & 1u)))) {
            continue;
        }
        struct dc_cond one = {read_component(dc, u->src.file, u->src.reg, u->src.sel[c < 4 ? c : 0], false), u->cond};
        if (all.value == VAL_NONE && !u->int_compare) {
            all = one;
            continue;
        }
        dc_val v = dc_cond_value(dc, one, u->int_compare);
        if (all.value != VAL_NONE) {
            product = product != VAL_NONE ? product : dc_cond_value(dc, all, false);
            v = dc_op(dc, VM_OP_MUL, product, v, VAL_NONE);
        }
        all = (struct dc_cond){v, ISA_COND_NZ};
        product = v;
    }
    return all;
}

/* ---- Whole-batch operations ---- */

/* Appends a batch operation to the sequence: its condition first. */
static void push_batch(struct decoder *dc, uint32_t number) {
    struct dc_batch *b = &dc->batch[number];
    if (b->cond.value != VAL_NONE) {
        b->op.predicated = true;
        b->op.inverted = dc_push_cond(dc, b->cond);
    }
    dc_push_seq(dc, SEQ_BATCH, VAL_NONE, (int32_t)number);
}

/* ---- Arithmetic ---- */

static dc_val status_value(struct inst *x, const struct isa_unit *u, unsigned mask) {
    struct decoder *dc = x->dc;
    switch (u->src.reg) {
    case ISA_STATUS_PC:
        return dc_float(dc, (float)x->next);
    case ISA_STATUS_THREAD:
        return dc->image->stage == VLIW_STAGE_COMPUTE ? dc_leaf(dc, VM_OP_LANE, VAL_NONE, 0) : dc_float(dc, 0.0f);
    case ISA_STATUS_FRONT:
        return dc->front_comp >= 0 ? dc_leaf(dc, VM_OP_HOME, VAL_NONE, dc->front_comp) : dc_float(dc, 1.0f);
    case ISA_STATUS_SCRATCH:
        break;
    default:
        return dc_float(dc, 0.0f);
    }
    if (!dc_grow(dc, (void **)&dc->batch, dc->batch_count, &dc->batch_cap, sizeof *dc->batch)) {
        return dc_float(dc, 0.0f);
    }
    /* The counter advances in lanes that write any component. */
    struct dc_cond cond = {VAL_NONE, ISA_COND_NZ};
    for (unsigned c = 0; u->phase == 1 && c < 4; c++) {
        if (mask >> c & 1u) {
            struct dc_cond one = predicate(x, c);
            if (one.value == VAL_NONE) {
                cond.value = VAL_NONE;
                break;
            }
            dc_val v = dc_cond_value(dc, one, false);
            cond.value = cond.value == VAL_NONE ? v : dc_op(dc, VM_OP_MAX, cond.value, v, VAL_NONE);
        }
    }
    struct dc_batch *b = &dc->batch[dc->batch_count];
    memset(b, 0, sizeof *b);
    memset(b->in, 0xFF, sizeof b->in);
    memset(b->out, 0xFF, sizeof b->out);
    b->op.kind = VM_BATCH_SCRATCH;
    b->op.number = dc->inst_number;
    b->op.integer = u->phase == 1 && isa_type_for(x->in, (int)(u - x->in->unit)) != NULL;
    b->cond = cond;
    dc_val count = dc_leaf(dc, VM_OP_RESULT, VAL_NONE, 0);
    b->out[0] = count;
    push_batch(dc, dc->batch_count++);
    return count;
}

/* Micro-operation of an ISA operation with one or two operands; MOV and MVS are not here. */
static unsigned micro_op(unsigned op, unsigned xop) {
    static const uint8_t ops[ISA_OP_COUNT] = {
        [ISA_OP_MUL] = VM_OP_MUL, [ISA_OP_ADD] = VM_OP_ADD, [ISA_OP_MIN] = VM_OP_MIN, [ISA_OP_MAX] = VM_OP_MAX,
        [ISA_OP_RCP] = VM_OP_RCP, [ISA_OP_MAN] = VM_OP_MAN, [ISA_OP_RSQ] = VM_OP_RSQ, [ISA_OP_EXP] = VM_OP_EXP,
        [ISA_OP_CMP] = VM_OP_CMP, [ISA_OP_FLR] = VM_OP_FLR, [ISA_OP_CONV] = VM_OP_CONV, [ISA_OP_FRC] = VM_OP_FRC,
        [ISA_OP_SLT] = VM_OP_SLT, [ISA_OP_SGE] = VM_OP_SGE, [ISA_OP_SEQ] = VM_OP_SEQ, [ISA_OP_SNE] = VM_OP_SNE,
        [ISA_OP_LG2] = VM_OP_LG2, [ISA_OP_EX2] = VM_OP_EX2, [ISA_OP_SIN] = VM_OP_SIN, [ISA_OP_COS] = VM_OP_COS,
        [ISA_OP_DDX] = VM_OP_DDX, [ISA_OP_DDY] = VM_OP_DDY, [ISA_OP_AND] = VM_OP_AND, [ISA_OP_OR] = VM_OP_OR,
        [ISA_OP_SHF] = VM_OP_SHF, [ISA_OP_XOR] = VM_OP_XOR,
    };
    static const uint8_t xops[ISA_XOP_COUNT] = {
        [ISA_XOP_DIV] = VM_OP_DIV, [ISA_XOP_SQRT] = VM_OP_SQRT, [ISA_XOP_ABS] = VM_OP_ABS, [ISA_XOP_SSG] = VM_OP_SSG,
        [ISA_XOP_TRUNC] = VM_OP_TRUNC, [ISA_XOP_CEIL] = VM_OP_CEIL, [ISA_XOP_ROUND] = VM_OP_ROUND,
    };
    return xop != ISA_XOP_OWN ? xops[xop] : ops[op];
}

/* Derivative: v is read from every lane's own registers; of a constant it is c - c (0, or NaN). */
static dc_val derivative(struct inst *x, unsigned op, dc_val v) {
    if (val_is_const(v)) {
        return dc_arith(x->dc, VM_OP_SUB, v, v, VAL_NONE);
    }
    return dc_arith(x->dc, op, v, VAL_NONE, VAL_NONE);
}

/* Result of component c of unit number i. 'status' caches an MVS unit's value. */
static dc_val result(struct inst *x, int i, unsigned c, dc_val *status) {
    struct decoder *dc = x->dc;
    const struct isa_unit *u = &x->in->unit[i];
    unsigned slot = u->kind == ISA_UNIT_SUB, phase = u->phase, xop = isa_unit_xop(x->in, i);
    dc_val v;
    if (u->op == ISA_OP_MVS) {
        if (*status == VAL_NONE) {
            *status = status_value(x, u, isa_unit_mask(x->in, i));
            if (phase == 1 && isa_unit_typed(x->in, i) == ISA_TYPED_I_MVS && u->src.reg != ISA_STATUS_SCRATCH) {
                *status = dc_op(dc, VM_OP_CONV, *status, VAL_NONE, VAL_NONE);
            }
        }
        v = *status;
    } else if (xop == ISA_XOP_MAD) {
        v = dc_op(dc, VM_OP_MUL, operand(x, phase, 0, c, false), operand(x, phase, 1, c, false), VAL_NONE);
        v = dc_arith(dc, VM_OP_ADD, v, x->old[c], VAL_NONE);
    } else if (xop == ISA_XOP_OWN && u->op == ISA_OP_MOV) {
        v = operand(x, phase, slot, c, false);
    } else if (xop == ISA_XOP_OWN && (u->op == ISA_OP_DDX || u->op == ISA_OP_DDY)) {
        v = derivative(x, micro_op(u->op, xop), operand(x, phase, slot, c, true));
    } else {
        unsigned sources = xop != ISA_XOP_OWN ? isa_xop_infos[xop].sources : isa_op_infos[u->op].sources;
        dc_val a = operand(x, phase, sources == 2 ? 0 : slot, c, false);
        dc_val b = sources == 2 ? operand(x, phase, 1, c, false) : VAL_NONE;
        v = dc_arith(dc, micro_op(u->op, xop), a, b, VAL_NONE);
    }
    return u->saturate ? dc_op(dc, VM_OP_SAT, v, VAL_NONE, VAL_NONE) : v;
}

/* ---- Process units ---- */

static struct dc_batch *new_batch(struct inst *x, unsigned kind) {
    struct decoder *dc = x->dc;
    if (!dc_grow(dc, (void **)&dc->batch, dc->batch_count, &dc->batch_cap, sizeof *dc->batch)) {
        return NULL;
    }
    struct dc_batch *b = &dc->batch[dc->batch_count++];
    memset(b, 0, sizeof *b);
    memset(b->in, 0xFF, sizeof b->in);
    memset(b->out, 0xFF, sizeof b->out);
    b->op.kind = (uint8_t)kind;
    b->op.number = dc->inst_number;
    b->cond = predicate(x, 4);
    return b;
}

/* ADDR on the process unit: base, and the index in a slot. */
static void batch_index(struct inst *x, struct dc_batch *b) {
    const struct isa_unit *addr = isa_addr_for(x->in, ISA_ADDR_PROCESS);
    if (addr != NULL) {
        b->op.base += addr->base;
        if (addr->indexed) {
            b->op.indexed = true;
            b->in[VM_BATCH_INDEX] = dc_in_slot(x->dc, index_of(x, addr, false));
        }
    }
}

static dc_val coordinate(struct inst *x, const struct isa_unit *u, unsigned c, bool home) {
    if (u->option) {
        return operand(x, 0, 0, c, home);
    }
    return read_component(x->dc, ISA_FILE_GPR, u->src.reg, c, home);
}

static void texture(struct inst *x, const struct isa_unit *u) {
    struct decoder *dc = x->dc;
    bool projective = u->op >= ISA_MEM_TXP;
    bool implicit = u->op != ISA_MEM_TXL && u->op != ISA_MEM_TXLP && u->op != ISA_MEM_TXD;
    dc_val coord[4], value[11];
    for (int i = 0; i < 11; i++) {
        value[i] = VAL_NONE;
    }
    for (unsigned c = 0; c < 4; c++) {
        coord[c] = coordinate(x, u, c, implicit);
    }
    for (unsigned c = 0; c < 3; c++) {
        dc_val v = projective ? dc_arith(dc, VM_OP_DIV, coord[c], coord[3], VAL_NONE) : coord[c];
        value[VM_TEX_COORD + c] = dc_in_slot(dc, v);
        if (u->op == ISA_MEM_TXD) {
            value[VM_TEX_DDX + c] = dc_in_slot(dc, operand(x, 0, 0, c, false));
            value[VM_TEX_DDY + c] = dc_in_slot(dc, operand(x, 0, 1, c, false));
        }
    }
    if (u->op == ISA_MEM_TXB || u->op == ISA_MEM_TXL) {
        value[VM_TEX_LOD] = dc_in_slot(dc, coordinate(x, u, 3, false));
    } else if (u->op == ISA_MEM_TXBP || u->op == ISA_MEM_TXLP) {
        value[VM_TEX_LOD] = dc_in_slot(dc, coordinate(x, u, 2, false));
    }
    struct dc_batch *b = new_batch(x, VM_BATCH_TEX);
    if (b == NULL) {
        return;
    }
    memcpy(b->in, value, sizeof b->in);
    b->op.op = u->op;
    b->op.base = u->offset;
    b->op.bytes = isa_type_for(x->in, x->in->process) != NULL;
    batch_index(x, b);
    for (unsigned c = 0; c < (b->op.bytes ? 1u : 4u); c++) {
        b->out[c] = dc_leaf(dc, VM_OP_RESULT, VAL_NONE, (int32_t)c);
    }
}

static void memory(struct inst *x, const struct isa_unit *u) {
    struct decoder *dc = x->dc;
    dc_val address = dc_in_slot(dc, u->option ? operand(x, 0, 0, u->src.sel[0], false)
                                              : read_component(dc, ISA_FILE_GPR, u->src.reg, u->src.sel[0], false));
    dc_val data[4] = {VAL_NONE, VAL_NONE, VAL_NONE, VAL_NONE};
    for (unsigned c = 0; c < 4; c++) {
        if ((u->mask >> c & 1u) && u->op != ISA_MEM_LD) {
            data[c] = dc_in_slot(dc, dc_reg(dc, u->dest * 4u + c));
        }
    }
    struct dc_batch *b = new_batch(x, VM_BATCH_MEM);
    if (b == NULL) {
        return;
    }
    b->op.op = u->op;
    b->op.mask = u->mask;
    b->op.base = 4 * u->offset;
    b->in[VM_MEM_ADDRESS] = address;
    memcpy(&b->in[VM_MEM_DATA], data, sizeof data);
    batch_index(x, b);
    for (unsigned c = 0; c < 4; c++) {
        if ((u->mask >> c & 1u) && u->op != ISA_MEM_ST) {
            b->out[c] = dc_leaf(dc, VM_OP_RESULT, VAL_NONE, (int32_t)c);
        }
    }
}

/* Branches, discards, traps. Direct targets stand in the block already. */
static void branch(struct inst *x, const struct isa_unit *u) {
    struct decoder *dc = x->dc;
    struct dc_block *block = dc->block;
    switch (u->op) {
    case ISA_BRC_BL:
        if (block->term == TERM_BATCH) {
            struct dc_batch *b = new_batch(x, VM_BATCH_INDIRECT);
            if (b != NULL) {
                b->op.base = u->imm + (u->option ? (int32_t)x->next : 0);
                batch_index(x, b);
            }
        }
        break;
    case ISA_BRC_KIL:
        new_batch(x, VM_BATCH_KILL);
        break;
    case ISA_BRC_END:
        if (block->term == TERM_BATCH) {
            new_batch(x, VM_BATCH_END);
        }
        break;
    case ISA_BRC_TRAP:
        new_batch(x, VM_BATCH_TRAP);
        break;
    default:
        break;       /* WAIT never waits and WAKE wakes nobody here: memory answers at once */
    }
}

/* ---- The instruction ---- */

struct write {
    uint32_t comp;           /* component of the file; base * 4 + c when indexed */
    dc_val value, index;     /* index VAL_NONE: direct */
    struct dc_cond cond;
};

static unsigned arithmetic(struct inst *x, unsigned phase, struct write *writes) {
    struct decoder *dc = x->dc;
    int main = x->in->main[phase], sub = x->in->sub[phase];
    if (main < 0 || x->in->unit[main].mask == 0) {
        return 0;
    }
    const struct isa_unit *m = &x->in->unit[main];
    const struct isa_unit *addr = phase == 1 ? isa_addr_for(x->in, ISA_ADDR_DEST) : NULL;
    unsigned sub_mask = sub >= 0 ? x->in->unit[sub].mask : 0, n = 0;
    dc_val status[2] = {VAL_NONE, VAL_NONE};
    dc_val index = addr != NULL && addr->indexed ? index_of(x, addr, false) : VAL_NONE;
    dc_val typed[4] = {VAL_NONE, VAL_NONE, VAL_NONE, VAL_NONE};
    for (unsigned k = 0; phase == 1 && k < 2; k++) {
        int unit = k == 0 ? main : sub, row = unit >= 0 ? isa_unit_typed(x->in, unit) : -1;
        if (row >= 0 && row != ISA_TYPED_I_MVS) {
            dc_typed_results(x, unit, (unsigned)row, typed);
        }
    }
    uint32_t base = (uint32_t)((int)m->dest + (addr != NULL ? addr->base : 0));
    for (unsigned c = 0; c < 4; c++) {
        if (!(m->mask >> c & 1u)) {
            continue;
        }
        bool by_sub = sub_mask >> c & 1u;
        struct write *w = &writes[n++];
        if (typed[c] == VAL_NONE && phase == 1 && isa_unit_xop(x->in, by_sub ? sub : main) == ISA_XOP_MAD) {
            x->old[c] = dc_read_dest(x, 1, c, false);
        }
        w->comp = base * 4 + c;
        w->index = index;
        w->value = typed[c] != VAL_NONE ? typed[c] : result(x, by_sub ? sub : main, c, &status[by_sub]);
        w->cond = phase == 1 ? predicate(x, c) : (struct dc_cond){VAL_NONE, ISA_COND_NZ};
        if (w->cond.value != VAL_NONE && index == VAL_NONE) {
            w->value = dc_select(dc, w->cond, w->value, dc_reg(dc, w->comp));
        }
    }
    return n;
}

static void apply(struct inst *x, const struct write *writes, unsigned count) {
    struct decoder *dc = x->dc;
    bool stored = false;
    for (unsigned i = 0; i < count; i++) {
        const struct write *w = &writes[i];
        if (w->index == VAL_NONE) {
            dc_reg_set(dc, w->comp, w->value);
            continue;
        }
        if (!stored) {
            dc_commit_all(dc);
            stored = true;
        }
        dc_val pred = w->cond.value == VAL_NONE ? VAL_NONE : dc_in_slot(dc, dc_cond_value(dc, w->cond, false));
        dc_val value = dc_in_slot(dc, w->value), index = dc_in_slot(dc, w->index);
        struct dc_seq *seq = dc_push_seq(dc, SEQ_STORE, value, (int32_t)w->comp);
        seq->b = index;
        seq->c = pred;
    }
    if (stored) {
        dc_forget_all(dc);
    }
}

void dc_inst(struct decoder *dc, const struct isa_inst *inst, uint32_t pc, bool last) {
    struct inst x = {.dc = dc, .in = inst, .next = pc + inst->units};
    memset(x.slot, 0xFF, sizeof x.slot);
    struct write writes[8], mem[4];
    unsigned count = arithmetic(&x, 0, writes), mem_count = 0;
    count += arithmetic(&x, 1, writes + count);
    const struct isa_unit *u = inst->process >= 0 ? &inst->unit[inst->process] : NULL;
    uint32_t first = dc->batch_count;
    if (u != NULL && u->kind == ISA_UNIT_MEM) {
        if (u->op >= ISA_MEM_TEX) {
            texture(&x, u);
        } else {
            memory(&x, u);
        }
        const bool packed = isa_type_for(inst, inst->process) != NULL;
        for (unsigned c = 0; dc->batch_count > first && c < 4; c++) {
            dc_val v = dc->batch[first].out[packed ? 0 : c];
            if ((u->mask >> c & 1u) && v != VAL_NONE) {
                uint32_t comp = u->dest * 4u + c;
                v = u->op >= ISA_MEM_TEX && dc->canon && !packed ? dc_op(dc, VM_OP_CANON, v, VAL_NONE, VAL_NONE) : v;
                v = dc_select(dc, dc->batch[first].cond, v, dc_reg(dc, comp));
                mem[mem_count++] = (struct write){comp, v, VAL_NONE, {VAL_NONE, ISA_COND_NZ}};
            }
        }
    } else if (u != NULL) {
        branch(&x, u);
        if (last && dc->block->term == TERM_BRANCH) {
            dc->block->cond = predicate(&x, 4);
        }
    }
    if (dc->batch_count > first) {
        if (last && dc->block->term == TERM_BATCH) {
            dc->block->batch = first;        /* comes after the final commits */
        } else {
            push_batch(dc, first);
        }
    }
    apply(&x, mem, mem_count);
    apply(&x, writes, count);
    dc->inst_number++;
}
