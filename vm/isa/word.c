/* SPDX-License-Identifier: MIT */
/* 32-bit units <-> struct isa_unit, and units <-> instructions. The only place that knows bit
 * positions; everything reserved is refused here. Pure functions over the caller's memory. */
#include "vm/isa/word.h"

#include <assert.h>
#include <string.h>

#include "vm/base/bits.h"
#include "vm/isa/rules.h"

#define SEL_IDENTITY 0xe4u

enum { ROW_TYPE = 14, ROW_COORD = 15 };

static void unpack_sel(uint32_t sel, uint8_t out[4]) {
    for (unsigned c = 0; c < 4; c++) {
        out[c] = (uint8_t)(sel >> 2 * c & 3u);
    }
}

static uint32_t pack_sel(const uint8_t sel[4]) {
    uint32_t out = 0;
    for (unsigned c = 0; c < 4; c++) {
        assert(sel[c] < 4);
        out |= (uint32_t)sel[c] << 2 * c;
    }
    return out;
}

/* ---- Arithmetic units ---- */

static const char *unpack_arith(uint32_t w, bool is_sub, int op, struct isa_unit *u) {
    u->kind = is_sub ? ISA_UNIT_SUB : ISA_UNIT_MAIN;
    u->op = (uint8_t)op;
    if (is_sub) {
        u->has_imm = bits_get(w, 24, 1);
        u->mask = (uint8_t)bits_get(w, 20, 4);
        u->smask = (uint8_t)bits_get(w, 16, 4);
        if (u->has_imm) {
            u->imm16 = (uint16_t)w;
            return op == ISA_OP_MVS ? "MVS takes no immediate" : NULL;
        }
    } else {
        u->dest = (uint8_t)bits_get(w, 20, 5);
        u->mask = (uint8_t)bits_get(w, 16, 4);
    }
    u->src.reg = (uint8_t)bits_get(w, 11, 5);
    u->src.file = (uint8_t)bits_get(w, 10, 1);
    u->saturate = bits_get(w, 9, 1);
    u->src.negate = bits_get(w, 8, 1);
    unpack_sel(w & 0xffu, u->src.sel);
    if (op == ISA_OP_MVS) {
        if (u->src.reg >= ISA_STATUS_COUNT) {
            return "MVS: no such status register";
        }
        if (u->src.file != 0 || u->src.negate || (w & 0xffu) != SEL_IDENTITY) {
            return "MVS: bits 10 and 8 must be 0 and the selects xyzw";
        }
    }
    return NULL;
}

static uint32_t pack_arith(const struct isa_unit *u) {
    assert(u->op < ISA_OP_COUNT && u->mask < 16);
    const struct isa_op_info *info = &isa_op_infos[u->op];
    uint32_t w = (uint32_t)info->mo << 26 | (uint32_t)info->a << 25;
    if (u->kind == ISA_UNIT_SUB) {
        assert(u->smask < 16);
        w |= (uint32_t)u->mask << 20 | (uint32_t)u->smask << 16;
        if (u->has_imm) {
            return w | 1u << 24 | u->imm16;
        }
    } else {
        assert(u->dest < ISA_DIRECT);
        w |= (uint32_t)u->dest << 20 | (uint32_t)u->mask << 16;
    }
    assert(u->src.reg < ISA_DIRECT && u->src.file < 2);
    return w | (uint32_t)u->src.reg << 11 | (uint32_t)u->src.file << 10 |
           (uint32_t)u->saturate << 9 | (uint32_t)u->src.negate << 8 | pack_sel(u->src.sel);
}

/* ---- Coordinate units ---- */

static const char *unpack_pred(uint32_t w, struct isa_unit *u) {
    u->kind = ISA_UNIT_PRED;
    u->mask = (uint8_t)bits_get(w, 21, 4);
    u->sl = bits_get(w, 20, 1);
    u->src.file = (uint8_t)bits_get(w, 19, 1);
    u->int_compare = bits_get(w, 18, 1);
    u->src.reg = (uint8_t)bits_get(w, 11, 5);
    u->cond = (uint8_t)bits_get(w, 8, 3);
    unpack_sel(w & 0xffu, u->src.sel);
    if (bits_get(w, 16, 2) != 0) {
        return "PRED: bits 17..16 must be 0";
    }
    return u->cond < ISA_COND_COUNT ? NULL : "PRED: no such condition";
}

static uint32_t pack_pred(const struct isa_unit *u) {
    assert(u->mask < 16 && u->cond < ISA_COND_COUNT && u->src.reg < ISA_DIRECT && u->src.file < 2);
    return (uint32_t)ROW_COORD << 26 | (uint32_t)u->mask << 21 | (uint32_t)u->sl << 20 |
           (uint32_t)u->src.file << 19 | (uint32_t)u->int_compare << 18 |
           (uint32_t)u->src.reg << 11 | (uint32_t)u->cond << 8 | pack_sel(u->src.sel);
}

static const char *unpack_addr(uint32_t w, struct isa_unit *u) {
    u->kind = ISA_UNIT_ADDR;
    u->target = (uint8_t)(bits_get(w, 24, 1) << 1 | bits_get(w, 20, 1));
    u->indexed = bits_get(w, 23, 1);
    u->src.file = (uint8_t)bits_get(w, 22, 1);
    u->src.sel[0] = (uint8_t)bits_get(w, 18, 2);
    u->src.reg = (uint8_t)bits_get(w, 11, 5);
    int32_t base = (int32_t)(bits_get(w, 16, 2) << 11 | bits_get(w, 0, 11));
    u->base = (int16_t)(base >= 4096 ? base - 8192 : base);
    if (bits_get(w, 21, 1) != 0) {
        return "ADDR: bit 21 must be 0";
    }
    if (!u->indexed && (u->src.file != 0 || u->src.sel[0] != 0 || u->src.reg != 0)) {
        return "ADDR without index: the index fields must be 0";
    }
    return NULL;
}

static uint32_t pack_addr(const struct isa_unit *u) {
    assert(u->target < 4 && u->src.file < 2 && u->src.sel[0] < 4 && u->src.reg < ISA_DIRECT);
    assert(u->base >= ISA_ADDR_BASE_MIN && u->base <= ISA_ADDR_BASE_MAX);
    uint32_t base = (uint32_t)u->base & 0x1fffu;
    return (uint32_t)ROW_COORD << 26 | 1u << 25 | (uint32_t)(u->target >> 1) << 24 |
           (uint32_t)u->indexed << 23 | (uint32_t)u->src.file << 22 |
           (uint32_t)(u->target & 1u) << 20 | (uint32_t)u->src.sel[0] << 18 | (base >> 11) << 16 |
           (uint32_t)u->src.reg << 11 | (base & 0x7ffu);
}

static const char *unpack_type(uint32_t w, struct isa_unit *u) {
    u->kind = ISA_UNIT_TYPE;
    u->dtype = (uint8_t)bits_get(w, 22, 3);
    u->sl = bits_get(w, 20, 1);
    u->stype = (uint8_t)bits_get(w, 17, 3);
    u->xop = (uint8_t)bits_get(w, 11, 5);
    u->rounding = (uint8_t)bits_get(w, 8, 3);
    if (bits_get(w, 21, 1) != 0 || bits_get(w, 16, 1) != 0 || (w & 0xffu) != 0) {
        return "TYPE: bits 21, 16 and 7..0 must be 0";
    }
    if (u->dtype >= ISA_TYPE_COUNT || u->stype >= ISA_TYPE_COUNT) {
        return "TYPE: no such element type";
    }
    if (u->xop >= ISA_XOP_COUNT) {
        return "TYPE: no such XOP";
    }
    return u->rounding < 4 ? NULL : "TYPE: no such rounding mode";
}

static uint32_t pack_type(const struct isa_unit *u) {
    assert(u->dtype < ISA_TYPE_COUNT && u->stype < ISA_TYPE_COUNT && u->xop < ISA_XOP_COUNT &&
           u->rounding < 4);
    return (uint32_t)ROW_TYPE << 26 | (uint32_t)u->dtype << 22 | (uint32_t)u->sl << 20 |
           (uint32_t)u->stype << 17 | (uint32_t)u->xop << 11 | (uint32_t)u->rounding << 8;
}

/* ---- Process units ---- */

static const char *unpack_brc(uint32_t w, struct isa_unit *u) {
    u->kind = ISA_UNIT_BRC;
    u->op = (uint8_t)bits_get(w, 21, 4);
    u->option = bits_get(w, 20, 1);
    int32_t imm = (int32_t)(bits_get(w, 16, 4) << 11 | bits_get(w, 0, 11));
    u->imm = (int16_t)(u->option && imm >= 16384 ? imm - 32768 : imm);
    if (u->op >= ISA_BRC_COUNT) {
        return "BRC: no such operation";
    }
    if (bits_get(w, 11, 5) != 0) {
        return "BRC: bits 15..11 must be 0";
    }
    if (u->op != ISA_BRC_BL && u->option) {
        return "BRC: only BL has the relative form";
    }
    if ((u->op == ISA_BRC_KIL || u->op == ISA_BRC_END || u->op == ISA_BRC_TRAP) && imm != 0) {
        return "BRC: this operation takes no immediate";
    }
    return NULL;
}

static uint32_t pack_brc(const struct isa_unit *u) {
    assert(u->op < ISA_BRC_COUNT);
    assert(u->option ? u->imm >= -16384 && u->imm <= 16383 : u->imm >= 0);
    uint32_t imm = (uint32_t)u->imm & 0x7fffu;
    return (uint32_t)ROW_COORD << 26 | (uint32_t)u->op << 21 | (uint32_t)u->option << 20 |
           (imm >> 11) << 16 | (imm & 0x7ffu);
}

static const char *unpack_mem(uint32_t w, struct isa_unit *u) {
    u->kind = ISA_UNIT_MEM;
    u->op = (uint8_t)bits_get(w, 21, 4);
    u->option = bits_get(w, 20, 1);
    u->mask = (uint8_t)bits_get(w, 16, 4);
    u->src.reg = (uint8_t)bits_get(w, 11, 5);
    u->dest = (uint8_t)bits_get(w, 6, 5);
    if (isa_mem_name(u->op) == NULL) {
        return "MEM: no such operation";
    }
    if (u->op >= ISA_MEM_TEX) {
        u->offset = (uint8_t)bits_get(w, 0, 5);
        return bits_get(w, 5, 1) == 0 ? NULL : "MEM texture: bit 5 must be 0";
    }
    u->src.sel[0] = (uint8_t)bits_get(w, 4, 2);
    u->offset = (uint8_t)bits_get(w, 0, 4);
    return NULL;
}

static uint32_t pack_mem(const struct isa_unit *u) {
    assert(isa_mem_name(u->op) != NULL && u->mask < 16 && u->src.reg < ISA_DIRECT &&
           u->dest < ISA_DIRECT);
    uint32_t w = (uint32_t)ROW_COORD << 26 | 1u << 25 | (uint32_t)u->op << 21 |
                 (uint32_t)u->option << 20 | (uint32_t)u->mask << 16 | (uint32_t)u->src.reg << 11 |
                 (uint32_t)u->dest << 6;
    if (u->op >= ISA_MEM_TEX) {
        assert(u->offset < ISA_SAMPLERS);
        return w | u->offset;
    }
    assert(u->src.sel[0] < 4 && u->offset < 16);
    return w | (uint32_t)u->src.sel[0] << 4 | u->offset;
}

/* ---- Units ---- */

const char *isa_unpack_unit(uint32_t word, bool is_sub, struct isa_unit *out) {
    memset(out, 0, sizeof *out);
    out->end = bits_get(word, 31, 1);
    out->phase = (uint8_t)bits_get(word, 30, 1);
    unsigned mo = bits_get(word, 26, 4), a = bits_get(word, 25, 1);
    int op = isa_op_from_fields(mo, a);
    if (op >= 0) {
        return unpack_arith(word, is_sub, op, out);
    }
    if (mo == ROW_COORD) {
        if (out->phase == 0) {
            return a ? unpack_addr(word, out) : unpack_pred(word, out);
        }
        return a ? unpack_mem(word, out) : unpack_brc(word, out);
    }
    if (a) {
        return "MO 14 with A = 1 is reserved";
    }
    /* In phase 1 this is reserved; the shape check says so, since a packer can also build it. */
    return unpack_type(word, out);
}

uint32_t isa_pack_unit(const struct isa_unit *unit) {
    assert(unit->phase < 2);
    uint32_t w = (uint32_t)unit->end << 31 | (uint32_t)unit->phase << 30;
    switch (unit->kind) {
    case ISA_UNIT_MAIN:
    case ISA_UNIT_SUB: return w | pack_arith(unit);
    case ISA_UNIT_PRED: return w | pack_pred(unit);
    case ISA_UNIT_ADDR: return w | pack_addr(unit);
    case ISA_UNIT_TYPE: return w | pack_type(unit);
    case ISA_UNIT_BRC: return w | pack_brc(unit);
    case ISA_UNIT_MEM: return w | pack_mem(unit);
    default: assert(!"unit kind"); return w;
    }
}

/* ---- Instructions ---- */

void isa_index_inst(struct isa_inst *inst) {
    inst->main[0] = inst->main[1] = inst->sub[0] = inst->sub[1] = -1;
    inst->coord[0] = inst->coord[1] = inst->process = -1;
    for (int i = 0; i < inst->units && i < 4; i++) {
        struct isa_unit *u = &inst->unit[i];
        unsigned phase = u->phase & 1u;
        u->end = i + 1 == inst->units;
        switch (u->kind) {
        case ISA_UNIT_MAIN:
            if (inst->main[phase] < 0) {
                inst->main[phase] = (int8_t)i;
            }
            break;
        case ISA_UNIT_SUB:
            if (inst->sub[phase] < 0) {
                inst->sub[phase] = (int8_t)i;
            }
            break;
        case ISA_UNIT_BRC:
        case ISA_UNIT_MEM:
            if (inst->process < 0) {
                inst->process = (int8_t)i;
            }
            break;
        default:
            if (inst->coord[0] < 0) {
                inst->coord[0] = (int8_t)i;
            } else if (inst->coord[1] < 0) {
                inst->coord[1] = (int8_t)i;
            }
            break;
        }
    }
}

static unsigned decode_fault(struct isa_fault *fault, unsigned rule, unsigned unit,
                             const char *text) {
    fault->rule = (uint16_t)rule;
    fault->unit = (uint8_t)unit;
    fault->other = -1;
    fault->text = text;
    return 0;
}

unsigned isa_decode_inst(const uint32_t *words, size_t count, size_t pc, struct isa_inst *out,
                         struct isa_fault *fault) {
    memset(out, 0, sizeof *out);
    unsigned n = 0;
    bool arith[2] = {false, false};
    for (;; n++) {
        if (n == 4 || pc >= count || n >= count - pc) {
            return decode_fault(fault, ISA_RULE_NO_END, n == 0 ? 0 : n - 1,
                                isa_rule_text(ISA_RULE_NO_END));
        }
        struct isa_unit *u = &out->unit[n];
        const char *text = isa_unpack_unit(words[pc + n], arith[bits_get(words[pc + n], 30, 1)], u);
        if (text != NULL) {
            return decode_fault(fault, ISA_RULE_DECODE, n, text);
        }
        if (u->kind == ISA_UNIT_MAIN) {
            arith[u->phase] = true;
        }
        if (u->end) {
            break;
        }
    }
    out->units = (uint8_t)(n + 1);
    isa_index_inst(out);
    return isa_check_shape(out, fault) ? out->units : 0;
}

unsigned isa_unpack_inst(const uint32_t *words, size_t count, size_t pc, struct isa_inst *out,
                         const char **fault, unsigned *fault_unit) {
    struct isa_fault f = {0};
    unsigned units = isa_decode_inst(words, count, pc, out, &f);
    *fault = units ? NULL : f.text;
    *fault_unit = f.unit;
    return units;
}

unsigned isa_pack_inst(const struct isa_inst *inst, uint32_t out[4]) {
    assert(inst->units >= 1 && inst->units <= 4);
    for (unsigned i = 0; i < inst->units; i++) {
        struct isa_unit u = inst->unit[i];
        u.end = i + 1u == inst->units;
        out[i] = isa_pack_unit(&u);
    }
    return inst->units;
}
