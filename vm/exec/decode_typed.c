/* SPDX-License-Identifier: MIT */
/*
 * Units under a TYPE other than f32 -> nodes and calls. Copies, sign bits, bitwise operations and shifts are
 * micro-operations of the f32 kernel on the words; everything else is a call of a row's function (typed.h),
 * which stands in the block's sequence and disappears if nobody wants its results.
 */
#include "vm/exec/decode_inst.h"

#include <string.h>

#include "vm/base/bits.h"
#include "vm/exec/typed.h"

/* An element: one word, or the low and high word of a double. */
struct element {
    dc_val lo, hi;
};

static dc_val bits_const(struct decoder *dc, uint32_t bits) { return dc_float(dc, bits_to_float(bits)); }

/* ---- Calls ---- */

static bool same_call(const struct dc_call *a, const struct dc_call *b) {
    return a->row == b->row && a->extra == b->extra && memcmp(a->in, b->in, sizeof a->in) == 0;
}

/* A call of the row's function; an equal one shortly before in the block is taken instead. */
static const struct dc_call *call(struct decoder *dc, unsigned row, const dc_val *in, unsigned ins, unsigned outs) {
    static const struct dc_call none = {.out = {VAL_CONST, VAL_CONST, VAL_CONST, VAL_CONST}};
    struct dc_call c;
    memset(&c, 0, sizeof c);
    memset(c.in, 0xFF, sizeof c.in);
    memset(c.out, 0xFF, sizeof c.out);
    c.row = (uint8_t)row;
    memcpy(c.in, in, ins * sizeof *in);
    uint32_t first = dc->call_first, n = dc->call_count;
    for (uint32_t i = n; i > first && n - i < 16; i--) {
        if (same_call(&dc->calls[i - 1], &c)) {
            return &dc->calls[i - 1];
        }
    }
    if (!dc_grow(dc, (void **)&dc->calls, n, &dc->call_cap, sizeof *dc->calls)) {
        return &none;
    }
    for (unsigned k = 0; k < outs; k++) {
        c.out[k] = dc_leaf(dc, VM_OP_RESULT, VAL_NONE, (int32_t)k);
    }
    dc->calls[n] = c;
    dc->call_count++;
    dc_push_seq(dc, SEQ_CALL, VAL_NONE, (int32_t)n);
    return &dc->calls[n];
}

static struct element call_pair(struct decoder *dc, unsigned row, const dc_val *in, unsigned ins) {
    const struct dc_call *c = call(dc, row, in, ins, 2);
    return (struct element){c->out[0], c->out[1]};
}
static struct element call_word(struct decoder *dc, unsigned row, const dc_val *in, unsigned ins) {
    return (struct element){call(dc, row, in, ins, 1)->out[0], VAL_NONE};
}

/* Constants are packed once a draw: SAT, times 255, to nearest even, as f_F2B does. */
static dc_val pack_constant(struct decoder *dc, const dc_val color[4]) {
    dc_val word = VAL_NONE;
    for (unsigned k = 0; k < 4; k++) {
        dc_val v = dc_op(dc, VM_OP_SAT, color[k], VAL_NONE, VAL_NONE);
        v = dc_op(dc, VM_OP_MUL, v, dc_float(dc, 255.0f), VAL_NONE);
        v = dc_op(dc, VM_OP_CONV, dc_op(dc, VM_OP_ROUND, v, VAL_NONE, VAL_NONE), VAL_NONE, VAL_NONE);
        v = k == 0 ? v : dc_op(dc, VM_OP_SHF, bits_const(dc, 8 * k), v, VAL_NONE);
        word = k == 0 ? v : dc_op(dc, VM_OP_OR, word, v, VAL_NONE);
    }
    return word;
}

dc_val dc_pack_color(struct decoder *dc, const dc_val color[4]) {
    if (val_is_const(color[0]) && val_is_const(color[1]) && val_is_const(color[2]) && val_is_const(color[3])) {
        return pack_constant(dc, color);
    }
    return call(dc, ISA_TYPED_F2B, color, 4, 1)->out[0];
}

/* ---- Operands ---- */

static struct element immediate(struct decoder *dc, uint16_t imm, unsigned type) {
    struct element e = {VAL_NONE, VAL_NONE};
    switch (type) {
    case ISA_TYPE_F64: {
        double d = (double)dc_half_to_float(imm);
        uint64_t bits;
        memcpy(&bits, &d, sizeof bits);
        bits = d != d ? 0x7FF8000000000000ull : bits;
        e.lo = bits_const(dc, (uint32_t)bits);
        e.hi = bits_const(dc, (uint32_t)(bits >> 32));
        break;
    }
    case ISA_TYPE_I32: e.lo = bits_const(dc, (uint32_t)(int32_t)(int16_t)imm); break;
    case ISA_TYPE_U32: e.lo = bits_const(dc, imm); break;
    case ISA_TYPE_U8X4: e.lo = bits_const(dc, (imm & 255u) * 0x10101u | (uint32_t)(imm >> 8) << 24); break;
    default: e.lo = dc_float(dc, dc_half_to_float(imm)); break;
    }
    return e;
}

static struct element negated(struct decoder *dc, struct element e, unsigned type) {
    switch (type) {
    case ISA_TYPE_F64: e.hi = dc_op(dc, VM_OP_NEG, e.hi, VAL_NONE, VAL_NONE); break;
    case ISA_TYPE_U8X4: e.lo = dc_op(dc, VM_OP_XOR, e.lo, bits_const(dc, UINT32_MAX), VAL_NONE); break;
    case ISA_TYPE_F32: e.lo = dc_op(dc, VM_OP_NEG, e.lo, VAL_NONE, VAL_NONE); break;
    default: {
        dc_val in[2] = {e.lo, bits_const(dc, UINT32_MAX)};
        e = call_word(dc, ISA_TYPED_I_MUL, in, 2);
        break;
    }
    }
    return e;
}

/* Element of component c of a slot of phase 1; of a double, c is where its low word is asked for. */
static struct element element(struct inst *x, unsigned slot, unsigned c, unsigned type) {
    const struct isa_inst *in = x->in;
    const struct isa_unit *sub = in->sub[1] >= 0 ? &in->unit[in->sub[1]] : NULL;
    unsigned phase = sub != NULL && (sub->smask >> c & 1u) ? 0 : 1;
    sub = in->sub[phase] >= 0 ? &in->unit[in->sub[phase]] : NULL;
    const struct isa_unit *u = slot == 0 ? &in->unit[in->main[phase]] : sub;
    struct element e = {VAL_NONE, VAL_NONE};
    if (u == NULL) {
        e.lo = dc_read_dest(x, phase, c, false);
        e.hi = type == ISA_TYPE_F64 ? dc_read_dest(x, phase, c + 1, false) : VAL_NONE;
        return e;
    }
    if (u->has_imm) {
        return immediate(x->dc, u->imm16, type);
    }
    const struct isa_unit *addr = phase == 1 ? isa_addr_for(in, slot == 0 ? ISA_ADDR_SLOT0 : ISA_ADDR_SLOT1) : NULL;
    e.lo = dc_read_field(x, u->src.file, u->src.reg, addr, u->src.sel[c], false);
    e.hi = type == ISA_TYPE_F64 ? dc_read_field(x, u->src.file, u->src.reg, addr, u->src.sel[c] + 1u, false) : VAL_NONE;
    return u->src.negate ? negated(x->dc, e, type) : e;
}

/* ---- Operations ---- */

static struct element saturated(struct decoder *dc, struct element e, bool wide) {
    if (!wide) {
        e.lo = dc_op(dc, VM_OP_SAT, e.lo, VAL_NONE, VAL_NONE);
        return e;
    }
    dc_val in[4] = {e.lo, e.hi, bits_const(dc, 0), bits_const(dc, 0)};
    e = call_pair(dc, ISA_TYPED_D_MAX, in, 4);
    in[0] = e.lo;
    in[1] = e.hi;
    in[3] = bits_const(dc, 0x3FF00000u);
    return call_pair(dc, ISA_TYPED_D_MIN, in, 4);
}

/* Micro-operation on words that does the row's work, or VM_OP_COUNT. */
static unsigned word_op(unsigned row) {
    switch (row) {
    case ISA_TYPED_I_AND: case ISA_TYPED_U_AND: return VM_OP_AND;
    case ISA_TYPED_I_OR: case ISA_TYPED_U_OR: return VM_OP_OR;
    case ISA_TYPED_I_XOR: case ISA_TYPED_U_XOR: return VM_OP_XOR;
    case ISA_TYPED_I_SHF: case ISA_TYPED_U_SHF: return VM_OP_SHF;
    case ISA_TYPED_F2I: return VM_OP_CONV;
    case ISA_TYPED_B_ADD: return VM_OP_BADD;
    case ISA_TYPED_B_MUL: return VM_OP_BMUL;
    case ISA_TYPED_B_MIN: return VM_OP_BMIN;
    case ISA_TYPED_B_MAX: return VM_OP_BMAX;
    case ISA_TYPED_B_LERP: return VM_OP_BLERP;
    case ISA_TYPED_B_ALPHA: return VM_OP_BALPHA;
    default: return VM_OP_COUNT;
    }
}

/* Element number c of the row on one, two or three elements; the third is DEST. */
static struct element operate(struct decoder *dc, unsigned row, const struct element *e, unsigned count) {
    const struct isa_typed_info *t = &isa_typed_infos[row];
    bool wide = t->stype == ISA_TYPE_F64;
    dc_val in[VM_TYPED_INPUTS];
    unsigned n = 0;
    if (row == ISA_TYPED_D_MOV || row == ISA_TYPED_I_MOV || row == ISA_TYPED_U_MOV || row == ISA_TYPED_B_MOV) {
        return e[0];
    }
    if (row == ISA_TYPED_D_ABS) {
        return (struct element){e[0].lo, dc_op(dc, VM_OP_ABS, e[0].hi, VAL_NONE, VAL_NONE)};
    }
    if (word_op(row) != VM_OP_COUNT) {
        dc_val a = e[0].lo, b = count > 1 ? e[1].lo : VAL_NONE, c = count > 2 ? e[2].lo : VAL_NONE;
        if (row == ISA_TYPED_B_LERP && !(val_is_const(a) && val_is_const(b) && val_is_const(c))) {
            b = dc_in_slot(dc, b); /* its forms take one constant, the first */
            c = dc_in_slot(dc, c);
        }
        return (struct element){dc_op(dc, word_op(row), a, b, c), VAL_NONE};
    }
    for (unsigned k = 0; k < count; k++) {
        in[n++] = e[k].lo;
        if (wide) {
            in[n++] = e[k].hi;
        }
    }
    return t->dtype == ISA_TYPE_F64 ? call_pair(dc, row, in, n) : call_word(dc, row, in, n);
}

/* Channel c to component c: one call for the components that read the same word. */
static void unpack(struct inst *x, unsigned own, unsigned mask, dc_val value[4]) {
    for (unsigned c = 0; c < 4; c++) {
        if (mask >> c & 1u) {
            dc_val in = element(x, own, c, ISA_TYPE_U8X4).lo;
            value[c] = call(x->dc, ISA_TYPED_B2F, &in, 1, 4)->out[c];
        }
    }
}

static dc_val packed(struct inst *x, unsigned own) {
    dc_val color[4];
    for (unsigned k = 0; k < 4; k++) {
        color[k] = element(x, own, k, ISA_TYPE_F32).lo;
    }
    return dc_pack_color(x->dc, color);
}

void dc_typed_results(struct inst *x, int i, unsigned row, dc_val value[4]) {
    const struct isa_typed_info *t = &isa_typed_infos[row];
    const struct isa_unit *u = &x->in->unit[i];
    unsigned own = u->kind == ISA_UNIT_SUB, mask = isa_unit_mask(x->in, i);
    unsigned sources = t->xop != ISA_XOP_OWN ? isa_xop_infos[t->xop].sources : isa_op_infos[t->op].sources;
    bool wide = t->dtype == ISA_TYPE_F64;
    bool reads_dest = t->xop == ISA_XOP_MAD || t->xop == ISA_XOP_FMA || t->xop == ISA_XOP_LERP;
    if (row == ISA_TYPED_B2F) {
        unpack(x, own, mask, value);
    }
    for (unsigned c = 0; row != ISA_TYPED_B2F && c < 4; c += wide ? 2 : 1) {
        if (!(mask >> c & 1u)) {
            continue;
        }
        struct element e[3], r;
        unsigned n = 0;
        if (row == ISA_TYPED_F2B) {
            value[c] = packed(x, own);
            continue;
        }
        e[n++] = element(x, sources == 2 ? 0 : own, c, t->stype);
        if (sources == 2) {
            e[n++] = element(x, 1, c, t->stype);
        }
        if (reads_dest) {
            e[n++] = (struct element){dc_read_dest(x, 1, c, false), wide ? dc_read_dest(x, 1, c + 1, false) : VAL_NONE};
        }
        r = operate(x->dc, row, e, n);
        r = u->saturate ? saturated(x->dc, r, wide) : r;
        value[c] = r.lo;
        if (wide) {
            value[c + 1] = r.hi;
        }
    }
    for (unsigned c = 0; row == ISA_TYPED_B2F && u->saturate && c < 4; c++) {
        value[c] = mask >> c & 1u ? dc_op(x->dc, VM_OP_SAT, value[c], VAL_NONE, VAL_NONE) : value[c];
    }
}
