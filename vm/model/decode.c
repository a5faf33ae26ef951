/* SPDX-License-Identifier: MIT */
/*
 * The decoder of the core: an instruction out of the four banks becomes the steering of a core_inst: which register
 * goes through which read port in which decode clock, which latch and swizzle feed which slot, what is written where.
 * It has its own check of the shared units; everything else the verifier has promised.
 */
#include <stdio.h>
#include <string.h>

#include "vm/isa/rules.h"
#include "vm/isa/word.h"
#include "vm/model/core.h"

/* Reads while they are collected: 'early' ones may use either decode clock, the others only the second. */
struct plan {
    struct core_inst *inst;
    bool early[CORE_READS];
};

/* Number of the latch that will hold the register; a register named twice shares one. */
static uint8_t plan_read(struct plan *p, unsigned reg, unsigned addr, bool early) {
    struct core_inst *in = p->inst;
    for (uint8_t i = 0; i < in->reads; i++) {
        if (addr == 0 && in->read[i].addr == 0 && in->read[i].reg == reg) {
            return i;
        }
    }
    p->early[in->reads] = early;
    in->read[in->reads] = (struct core_read){.reg = (uint16_t)reg, .addr = (uint8_t)addr};
    return in->reads++;
}

/* A binary16 immediate as binary32; a NaN stays quiet and keeps its payload. */
static uint32_t half_bits(uint16_t h) {
    unsigned e = h >> 10 & 31u, m = h & 1023u;
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
    if (e == 31) {
        return sign | 0x7F800000u | (m != 0 ? 0x400000u | m << 13 : 0u);
    }
    float v = (float)(e == 0 ? m : 1024u + m) * (e == 0 ? 0x1p-24f : 0x1p-25f);
    for (unsigned i = 0; i < e; i++) {
        v = v * 2.0f;                 /* exact: m * 2^-24, or (1024 + m) * 2^(e - 25) */
    }
    return sign | bits_from_float(v);
}

/* Position (1 or 2) of the ADDR unit for 'target', 0 if there is none. */
static unsigned addr_number(const struct isa_inst *in, unsigned target) {
    for (unsigned k = 0; k < 2; k++) {
        if (in->coord[k] >= 0 && in->unit[in->coord[k]].kind == ISA_UNIT_ADDR &&
            in->unit[in->coord[k]].target == target) {
            return k + 1;
        }
    }
    return 0;
}

/* Register field 'reg' moved by ADDR: a base without index is added here, an index later. */
static unsigned moved(const struct isa_inst *in, unsigned reg, unsigned *addr) {
    if (*addr != 0) {
        const struct isa_unit *u = &in->unit[in->coord[*addr - 1]];
        if (!u->indexed) {
            *addr = 0;
            return (unsigned)((int)reg + u->base);
        }
    }
    return reg;
}

static struct core_operand source_operand(struct plan *p, const struct isa_src *src, unsigned addr, bool early) {
    struct core_operand o = {.source = CORE_GLOBAL, .flip = src->negate ? 0x80000000u : 0};
    memcpy(o.sel, src->sel, sizeof o.sel);
    unsigned reg = moved(&p->inst->words, src->reg, &addr);
    if (src->file == ISA_FILE_GPR) {
        o.source = CORE_LATCH;
        o.latch = plan_read(p, reg, addr, early);
    } else {
        o.reg = (uint16_t)reg;
        o.addr = (uint8_t)addr;
    }
    return o;
}

static const uint8_t straight[4] = {0, 1, 2, 3};

static struct core_operand register_operand(struct plan *p, unsigned reg, unsigned addr, bool early) {
    struct core_operand o = {.source = CORE_LATCH};
    reg = moved(&p->inst->words, reg, &addr);
    memcpy(o.sel, straight, sizeof o.sel);
    o.latch = plan_read(p, reg, addr, early);
    return o;
}

/* ---- What uses a slot ---- */

static unsigned unit_sources(const struct core_unit *u) {
    if (u->op == ISA_OP_MVS) {
        return 0;
    }
    return u->xop != ISA_XOP_OWN ? isa_xop_infos[u->xop].sources : isa_op_infos[u->op].sources;
}

/* Components of (phase, slot) that operations of this phase consume. */
static unsigned consumed(const struct core_inst *in, unsigned phase, unsigned slot) {
    unsigned mask = 0;
    for (unsigned i = 0; i < in->units; i++) {
        const struct core_unit *u = &in->unit[i];
        unsigned sources = unit_sources(u);
        if (u->phase == phase && (sources == 2 || (sources == 1 && slot == (u->sub ? 1u : 0u)))) {
            mask |= u->row == ISA_TYPED_F2B ? 15u : u->mask;
        }
    }
    return mask;
}

static unsigned needed(const struct core_inst *in, unsigned phase, unsigned slot) {
    unsigned own = consumed(in, phase, slot);
    if (phase == 1) {
        return own & ~(unsigned)in->smask;
    }
    own |= consumed(in, 1, slot) & in->smask;
    if (in->process == CORE_TEXTURE && in->process_op == ISA_MEM_TXD) {
        own |= 7;
    }
    if (in->process >= CORE_MEMORY && in->process_option && slot == 0) {
        own |= in->process == CORE_TEXTURE ? 15u : 1u << in->process_comp;
    }
    return own;
}

/* ---- Parts of an instruction ---- */

static void decode_units(struct core_inst *in) {
    const struct isa_inst *w = &in->words;
    unsigned scratches = 0;
    for (int i = 0; i < w->units; i++) {
        const struct isa_unit *u = &w->unit[i];
        if (u->kind != ISA_UNIT_MAIN && u->kind != ISA_UNIT_SUB) {
            continue;
        }
        if (u->kind == ISA_UNIT_MAIN) {
            in->write_mask[u->phase] = u->mask;
            in->write_reg[u->phase] = u->dest;
        } else if (u->phase == 1) {
            in->smask = u->smask;
        }
        unsigned mask = isa_unit_mask(w, i);
        if (mask == 0) {
            continue;
        }
        unsigned xop = isa_unit_xop(w, i);
        int row = u->phase == 1 ? isa_unit_typed(w, i) : -1;
        in->unit[in->units++] = (struct core_unit){
            .op = u->op, .xop = (uint8_t)xop, .mask = (uint8_t)mask, .phase = u->phase, .sub = u->kind == ISA_UNIT_SUB,
            .saturate = u->saturate, .row = (int16_t)row,
            .special = row < 0 && xop == ISA_XOP_OWN && isa_op_infos[u->op].special, .status = u->src.reg,
        };
        in->quad = in->quad || u->op == ISA_OP_DDX || u->op == ISA_OP_DDY;
        bool scratch = u->op == ISA_OP_MVS && u->src.reg == ISA_STATUS_SCRATCH;
        in->status = in->status || u->op == ISA_OP_MVS;
        in->twice = in->twice || (scratch && scratches > 0);
        scratches += scratch;
    }
    unsigned addr = addr_number(w, ISA_ADDR_DEST);
    if (w->main[1] >= 0) {
        in->write_reg[1] = (uint16_t)moved(w, in->write_reg[1], &addr);
        in->write_addr = (uint8_t)addr;
    }
}

static void decode_process(struct core_inst *in) {
    const struct isa_inst *w = &in->words;
    if (w->process < 0) {
        return;
    }
    const struct isa_unit *u = &w->unit[w->process];
    in->process_op = u->op;
    in->process_option = u->option;
    in->process_addr = (uint8_t)addr_number(w, ISA_ADDR_PROCESS);
    if (u->kind == ISA_UNIT_BRC) {
        in->process = CORE_BRANCH;
        in->process_base = u->imm + (u->op == ISA_BRC_BL && u->option ? (int32_t)in->next : 0);
        return;
    }
    in->process = u->op >= ISA_MEM_TEX ? CORE_TEXTURE : CORE_MEMORY;
    in->packed = in->process == CORE_TEXTURE && isa_type_for(w, w->process) != NULL;
    in->process_mask = u->mask;
    in->process_reg = u->dest;
    in->process_comp = u->src.sel[0];
    in->process_base = in->process == CORE_MEMORY ? 4 * u->offset : 0;
    in->sampler = in->process == CORE_TEXTURE ? u->offset : 0;
    in->quad = in->quad || u->op == ISA_MEM_TEX || u->op == ISA_MEM_TXB || u->op == ISA_MEM_TXP || u->op == ISA_MEM_TXBP;
}

/* Coordinate units first: an index must be there after decode #0. */
static void plan_coords(struct plan *p) {
    struct core_inst *in = p->inst;
    const struct isa_inst *w = &in->words;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned k = 0; k < 2; k++) {
            const struct isa_unit *u = w->coord[k] >= 0 ? &w->unit[w->coord[k]] : NULL;
            if (u != NULL && u->kind == ISA_UNIT_ADDR && pass == 0) {
                in->index[k] = (struct core_index){.on = true, .indexed = u->indexed, .base = u->base};
                if (u->indexed) {
                    in->index[k].from = source_operand(p, &u->src, 0, true);
                }
            } else if (u != NULL && u->kind == ISA_UNIT_PRED && pass == 1) {
                in->predicated = true;
                in->pred[k] = (struct core_pred){.on = true, .process_only = u->sl, .mask = u->mask, .unit = u,
                                                 .from = source_operand(p, &u->src, 0, true)};
            }
        }
    }
}

static void plan_phase(struct plan *p, unsigned phase) {
    struct core_inst *in = p->inst;
    const struct isa_inst *w = &in->words;
    if (w->main[phase] < 0) {
        return;
    }
    const struct isa_unit *main = &w->unit[w->main[phase]];
    const struct isa_unit *sub = w->sub[phase] >= 0 ? &w->unit[w->sub[phase]] : NULL;
    for (unsigned slot = 0; slot < 2; slot++) {
        const struct isa_unit *u = slot == 0 ? main : sub;
        unsigned target = u == NULL ? ISA_ADDR_DEST : slot == 0 ? ISA_ADDR_SLOT0 : ISA_ADDR_SLOT1;
        unsigned addr = phase == 1 ? addr_number(w, target) : 0;
        if (needed(in, phase, slot) == 0) {
            continue;
        }
        if (u == NULL) {
            in->slot[phase][slot] = register_operand(p, main->dest, addr, phase == 0);
        } else if (u->has_imm) {
            in->slot[phase][slot] = (struct core_operand){.source = CORE_IMM, .imm16 = u->imm16,
                                                           .imm = half_bits(u->imm16)};
        } else {
            in->slot[phase][slot] = source_operand(p, &u->src, addr, phase == 0);
        }
    }
}

static void plan_rest(struct plan *p) {
    struct core_inst *in = p->inst;
    const struct isa_inst *w = &in->words;
    for (unsigned i = 0; i < in->units; i++) {
        if (core_accumulates(&in->unit[i]) && in->accumulator.source == CORE_NONE) {
            const struct core_operand *slot1 = &in->slot[1][1];
            /* Without a Sub slot 1 is DEST itself and its latch serves both. */
            in->accumulator = w->sub[1] < 0 && slot1->source == CORE_LATCH
                                  ? *slot1
                                  : register_operand(p, w->unit[w->main[1]].dest, addr_number(w, ISA_ADDR_DEST), false);
        }
    }
    if (in->process == CORE_MEMORY || in->process == CORE_TEXTURE) {
        if (!in->process_option) {
            in->address = register_operand(p, w->unit[w->process].src.reg, 0, false);
        }
        if (in->process_op == ISA_MEM_ST || in->process_op == ISA_MEM_FADD) {
            in->data = register_operand(p, in->process_reg, 0, false);
        }
    }
}

/* Gives each read a decode clock: two ports a clock. */
static void plan_clocks(struct plan *p) {
    struct core_inst *in = p->inst;
    unsigned early = 0, late, used[4] = {0, 0, 0, 0};
    for (unsigned i = 0; i < in->reads; i++) {
        early += p->early[i];
    }
    late = in->reads - early;
    in->halves = late > 2 || in->reads > 4 || in->twice ? 2 : 1;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < in->reads; i++) {
            if (p->early[i] != (pass == 0)) {
                continue;
            }
            unsigned clock = pass;
            while (used[clock] == 2) {
                clock++;
            }
            used[clock]++;
            in->read[i].clock = (uint8_t)clock;
        }
    }
    bool loads = in->process >= CORE_MEMORY && in->process_op != ISA_MEM_ST;
    in->slots = (uint8_t)(in->halves + (loads && in->write_mask[0] != 0 && in->write_mask[1] != 0));
}

/* ---- Shared units ---- */

static bool refuse(struct vliw_error *error, const struct core_inst *in, const char *what) {
    *error = (struct vliw_error){.status = VLIW_ERR_VERIFY, .word = (int32_t)in->pc, .slot = -1, .rule = -1, .line = -1,
                                 .column = -1};
    snprintf(error->message, sizeof error->message, "word %u: two units of one instruction want %s", (unsigned)in->pc,
             what);
    return false;
}

/* Each arithmetic unit exists once a component, each special function once; MOV and MVS need none. */
static bool units_free(const struct core_inst *in, struct vliw_error *error) {
    uint8_t busy[ISA_CLASS_COUNT] = {0};
    static const char *const names[ISA_CLASS_COUNT] = {
        "the same move", "the same multiplier", "the same adder", "the same comparator", "the same rounding unit",
        "the same logic unit", "the same shifter", "the reciprocal", "the mantissa unit", "the reciprocal root",
        "the exponent unit", "the logarithm", "the exponential", "the sine", "the cosine"};
    for (unsigned i = 0; i < in->units; i++) {
        const struct core_unit *u = &in->unit[i];
        unsigned class = u->xop != ISA_XOP_OWN ? isa_xop_infos[u->xop].op_class : isa_op_infos[u->op].op_class;
        unsigned mask = class >= ISA_CLASS_RCP ? 15u : u->mask;
        if (class == ISA_CLASS_MOVE) {
            continue;
        }
        if ((busy[class] & mask) != 0) {
            return refuse(error, in, names[class]);
        }
        busy[class] |= (uint8_t)mask;
        if (core_accumulates(u)) {
            if ((busy[ISA_CLASS_ADD] & mask) != 0) {
                return refuse(error, in, names[ISA_CLASS_ADD]);
            }
            busy[ISA_CLASS_ADD] |= (uint8_t)mask;
        }
    }
    return true;
}

/* ---- All instructions ---- */

static bool decode_one(struct sim_core *core, uint32_t pc, struct core_inst *in, struct vliw_error *error) {
    uint32_t window[4];
    struct isa_fault fault;
    uint32_t units = core->program->info.units, length = units - pc < 4 ? units - pc : 4;
    memset(in, 0, sizeof *in);
    for (uint32_t k = 0; k < length; k++) {
        window[k] = core->ibank[(pc + k) & 3u][(pc + k) >> 2];
    }
    unsigned used = isa_decode_inst(window, length, 0, &in->words, &fault);
    in->pc = pc;
    in->next = pc + used;
    struct plan plan = {.inst = in};
    if (used == 0) {
        return refuse(error, in, "a reserved encoding");
    }
    decode_units(in);
    decode_process(in);
    plan_coords(&plan);
    plan_phase(&plan, 0);
    plan_phase(&plan, 1);
    plan_rest(&plan);
    plan_clocks(&plan);
    return units_free(in, error);
}

enum vliw_status core_decode(struct sim_core *core, struct vliw_error *error) {
    uint32_t number = 0;
    for (uint32_t pc = 0; pc < core->program->info.units; pc++) {
        core->inst_at[pc] = UINT32_MAX;
        if (core->program->starts[pc / 32] >> pc % 32 & 1u) {
            core->inst_at[pc] = number;
            if (!decode_one(core, pc, &core->insts[number++], error)) {
                return error->status;
            }
        }
    }
    return VLIW_OK;
}
