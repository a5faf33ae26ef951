/* SPDX-License-Identifier: MIT */
/*
 * Definite assignment over the words of a program. A state says for each register component whether every way to an
 * instruction has written it; states meet by AND until nothing changes, and each read of an unwritten component counts.
 */
#include "vm/model/uninit.h"

#include <stdlib.h>
#include <string.h>

#include "vm/isa/ports.h"
#include "vm/isa/rules.h"
#include "vm/isa/word.h"
#include "vm/model/core.h"

struct uninit {
    const struct vliw_program *program;
    uint32_t gprs;
    uint8_t *state;              /* [unit][register]: components written for certain; valid where reached */
    uint8_t *reached;
    uint8_t *now;                /* state while an instruction is looked at */
    uint8_t *masks;
    bool changed, record;
};

static void read_components(struct uninit *u, int reg, unsigned mask, bool anywhere) {
    if (!u->record) {
        return;
    }
    for (uint32_t r = anywhere ? 0 : (uint32_t)reg; r < (anywhere ? u->gprs : (uint32_t)reg + 1); r++) {
        u->masks[r] |= (uint8_t)(mask & ~(unsigned)u->now[r]);
    }
}

static unsigned through(const struct isa_src *src, unsigned mask) {
    unsigned out = 0;
    for (unsigned c = 0; c < 4; c++) {
        out |= mask >> c & 1u ? 1u << src->sel[c] : 0u;
    }
    return out;
}

static void read_slots(struct uninit *u, const struct isa_inst *in, unsigned phase) {
    for (unsigned slot = 0; in->main[phase] >= 0 && slot < 2; slot++) {
        unsigned used = isa_slot_used(in, phase, slot);
        const struct isa_unit *main = &in->unit[in->main[phase]];
        const struct isa_unit *unit = slot == 0 ? main : in->sub[phase] >= 0 ? &in->unit[in->sub[phase]] : NULL;
        unsigned target = unit == NULL ? ISA_ADDR_DEST : slot == 0 ? ISA_ADDR_SLOT0 : ISA_ADDR_SLOT1;
        const struct isa_unit *addr = phase == 1 ? isa_addr_for(in, target) : NULL;
        int base = addr != NULL ? addr->base : 0;
        if (used == 0 || (unit != NULL && (unit->has_imm || unit->src.file != ISA_FILE_GPR))) {
            continue;
        }
        /* other element types reach beyond the components that Sel names */
        bool typed = (in->main[1] >= 0 && isa_type_for(in, in->main[1]) != NULL) ||
                     (in->sub[1] >= 0 && isa_type_for(in, in->sub[1]) != NULL);
        read_components(u, (unit == NULL ? main->dest : unit->src.reg) + base,
                        typed ? 15u : unit == NULL ? used : through(&unit->src, used), addr != NULL && addr->indexed);
    }
}

static void read_rest(struct uninit *u, const struct isa_inst *in) {
    const struct isa_unit *dest_addr = isa_addr_for(in, ISA_ADDR_DEST);
    for (unsigned k = 0; k < 2; k++) {
        const struct isa_unit *c = in->coord[k] >= 0 ? &in->unit[in->coord[k]] : NULL;
        if (c != NULL && c->src.file == ISA_FILE_GPR && (c->kind == ISA_UNIT_PRED || (c->kind == ISA_UNIT_ADDR && c->indexed))) {
            read_components(u, c->src.reg, c->kind == ISA_UNIT_PRED ? through(&c->src, c->mask | 1u) : 1u << c->src.sel[0], false);
        }
        int unit = k == 0 ? in->main[1] : in->sub[1];
        unsigned xop = unit >= 0 ? isa_unit_xop(in, unit) : ISA_XOP_OWN;
        if (xop == ISA_XOP_MAD || xop == ISA_XOP_FMA || xop == ISA_XOP_LERP) {
            read_components(u, in->unit[in->main[1]].dest + (dest_addr != NULL ? dest_addr->base : 0),
                            isa_unit_mask(in, unit), dest_addr != NULL && dest_addr->indexed);
        }
    }
    if (in->process >= 0 && in->unit[in->process].kind == ISA_UNIT_MEM) {
        const struct isa_unit *m = &in->unit[in->process];
        if (!m->option) {
            read_components(u, m->src.reg, m->op >= ISA_MEM_TEX ? 15u : 1u << m->src.sel[0], false);
        }
        if (m->op == ISA_MEM_ST || m->op == ISA_MEM_FADD) {
            read_components(u, m->dest, m->mask, false);
        }
    }
}

static void write_components(struct uninit *u, const struct isa_inst *in) {
    unsigned maybe = 0;          /* components of phase 1 under a predicate */
    for (unsigned k = 0; k < 2; k++) {
        const struct isa_unit *c = in->coord[k] >= 0 ? &in->unit[in->coord[k]] : NULL;
        maybe |= c != NULL && c->kind == ISA_UNIT_PRED && !c->sl ? c->mask : 0u;
    }
    for (unsigned phase = 0; phase < 2; phase++) {
        const struct isa_unit *addr = phase == 1 ? isa_addr_for(in, ISA_ADDR_DEST) : NULL;
        if (in->main[phase] >= 0 && (addr == NULL || !addr->indexed)) {
            const struct isa_unit *main = &in->unit[in->main[phase]];
            u->now[main->dest + (addr != NULL ? addr->base : 0)] |= (uint8_t)(main->mask & (phase == 1 ? ~maybe : 15u));
        }
    }
    if (in->process >= 0 && in->unit[in->process].kind == ISA_UNIT_MEM && in->unit[in->process].op != ISA_MEM_ST &&
        !isa_process_predicated(in)) {
        u->now[in->unit[in->process].dest] |= in->unit[in->process].mask;
    }
}

static void flow_to(struct uninit *u, uint32_t unit) {
    uint8_t *there = u->state + (size_t)unit * u->gprs;
    if (unit >= u->program->info.units) {
        return;
    }
    if (!u->reached[unit]) {
        u->reached[unit] = 1;
        memcpy(there, u->now, u->gprs);
        u->changed = true;
        return;
    }
    for (uint32_t r = 0; r < u->gprs; r++) {
        uint8_t met = there[r] & u->now[r];
        u->changed = u->changed || met != there[r];
        there[r] = met;
    }
}

static void look(struct uninit *u, uint32_t pc) {
    struct isa_inst in;
    struct isa_fault fault;
    uint32_t next = pc + isa_decode_inst(u->program->words, u->program->info.units, pc, &in, &fault);
    memcpy(u->now, u->state + (size_t)pc * u->gprs, u->gprs);
    read_slots(u, &in, 0);
    read_slots(u, &in, 1);
    read_rest(u, &in);
    write_components(u, &in);
    const struct isa_unit *brc = in.process >= 0 && in.unit[in.process].kind == ISA_UNIT_BRC ? &in.unit[in.process] : NULL;
    bool leaves = brc != NULL && (brc->op == ISA_BRC_BL || brc->op == ISA_BRC_END || brc->op == ISA_BRC_TRAP);
    if (!leaves || isa_process_predicated(&in)) {
        flow_to(u, next);
    }
    if (brc != NULL && brc->op == ISA_BRC_BL) {
        const struct isa_unit *addr = isa_addr_for(&in, ISA_ADDR_PROCESS);
        if (addr == NULL || !addr->indexed) {
            flow_to(u, (uint32_t)(brc->imm + (brc->option ? (int32_t)next : 0) + (addr != NULL ? addr->base : 0)));
        }
    }
}

static void sweep(struct uninit *u) {
    for (uint32_t pc = 0; pc < u->program->info.units; pc++) {
        if (u->reached[pc] && (u->program->starts[pc / 32] >> pc % 32 & 1u)) {
            look(u, pc);
        }
    }
}

bool uninit_find(const struct vliw_program *program, uint8_t *masks) {
    const struct vliw_info *info = &program->info;
    struct uninit u = {.program = program, .gprs = info->gprs, .masks = masks};
    if (info->gprs == 0) {
        return true;
    }
    u.state = calloc(info->units, info->gprs);
    u.reached = calloc(info->units, 1);
    u.now = calloc(info->gprs, 1);
    bool ok = u.state != NULL && u.reached != NULL && u.now != NULL;
    if (ok) {
        for (uint32_t i = 0; i < info->input_count; i++) {
            u.now[info->inputs[i].reg] |= info->inputs[i].mask;
        }
        flow_to(&u, 0);
        while (u.changed) {
            u.changed = false;
            sweep(&u);
        }
        u.record = true;
        sweep(&u);
    }
    free(u.state);
    free(u.reached);
    free(u.now);
    return ok;
}
