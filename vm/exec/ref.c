/* SPDX-License-Identifier: MIT */
/*
 * The reference interpreter: one quad, straight from words, one instruction, one lane, one component at a
 * time. It shares no code with decoder or kernels and is slow on purpose; tests hold every backend against
 * it. Read together with ISA.md.
 */
#include <stdlib.h>
#include <string.h>

#include "vm/base/fpenv.h"
#include "vm/exec/ref.h"
#include "vm/exec/ref_math.h"
#include "vm/exec/ref_ops.h"
#include "vm/isa/rules.h"
#include "vm/isa/word.h"

static uint32_t *reg(const struct ref *r, uint32_t number, unsigned c, unsigned lane) {
    return &r->gpr[((size_t)number * 4 + c) * 4 + lane];
}

uint32_t ref_read_file(const struct ref *r, unsigned file, int64_t number, unsigned c, unsigned lane) {
    int64_t size = file == ISA_FILE_GPR ? r->program->info.gprs : r->program->info.globals;
    number = number < 0 ? 0 : number >= size ? size - 1 : number;
    return file == ISA_FILE_GPR ? *reg(r, (uint32_t)number, c, lane) : r->globals[number * 4 + c];
}

int64_t ref_offset_of(const struct ref *r, unsigned target, unsigned lane) {
    const struct isa_unit *u = isa_addr_for(&r->inst, target);
    if (u == NULL) {
        return 0;
    }
    int64_t sum = u->base;
    if (u->indexed) {
        sum += ref_to_int(ref_float(ref_read_file(r, u->src.file, u->src.reg, u->src.sel[0], lane)));
    }
    return sum;
}

uint32_t ref_half_bits(uint16_t h) {
    uint32_t sign = (uint32_t)(h >> 15) << 31, e = h >> 10 & 31u, m = h & 1023u;
    if (e == 31) {
        return sign | REF_INF | (m != 0 ? 0x400000u | m << 13 : 0);
    }
    if (e != 0) {
        return sign | (e + 112u) << 23 | m << 13;
    }
    return sign | bits_from_float((float)m / 16777216.0f);
}

int64_t ref_dest_of(const struct ref *r, unsigned phase, unsigned lane) {
    int64_t number = r->inst.unit[r->inst.main[phase]].dest + (phase == 1 ? ref_offset_of(r, ISA_ADDR_DEST, lane) : 0);
    int64_t last = (int64_t)r->program->info.gprs - 1;
    return number < 0 ? 0 : number > last ? last : number;
}

static uint32_t read_source(const struct ref *r, const struct isa_unit *u, unsigned slot, unsigned c, unsigned lane) {
    if (u->has_imm) {
        return ref_half_bits(u->imm16);
    }
    if (u->op == ISA_OP_MVS) {
        return 0;                     /* supplies no operand */
    }
    int64_t number = u->src.reg + (u->phase == 1 ? ref_offset_of(r, slot == 0 ? ISA_ADDR_SLOT0 : ISA_ADDR_SLOT1, lane) : 0);
    uint32_t v = ref_read_file(r, u->src.file, number, u->src.sel[c], lane);
    return u->src.negate ? v ^ 0x80000000u : v;
}

/* Fills r->slot for all four lanes: what lanes elsewhere hold matters to derivatives. */
static void read_slots(struct ref *r) {
    const struct isa_inst *in = &r->inst;
    for (unsigned phase = 0; phase < 2; phase++) {
        if (in->main[phase] < 0) {
            continue;
        }
        const struct isa_unit *main = &in->unit[in->main[phase]];
        const struct isa_unit *sub = in->sub[phase] >= 0 ? &in->unit[in->sub[phase]] : NULL;
        for (unsigned c = 0; c < 4; c++) {
            for (unsigned lane = 0; lane < 4; lane++) {
                bool override = phase == 1 && sub != NULL && (sub->smask >> c & 1u);
                for (unsigned slot = 0; slot < 2; slot++) {
                    uint32_t v = override ? r->slot[0][slot][c][lane]
                               : slot == 0 ? read_source(r, main, 0, c, lane)
                               : sub != NULL ? read_source(r, sub, 1, c, lane)
                                             : *reg(r, (uint32_t)ref_dest_of(r, phase, lane), c, lane);
                    r->slot[phase][slot][c][lane] = v;
                }
            }
        }
    }
}

/* ---- Predicates ---- */

bool ref_permitted(const struct ref *r, unsigned c, unsigned lane) {
    for (int k = 0; k < 2; k++) {
        if (r->inst.coord[k] < 0) {
            continue;
        }
        const struct isa_unit *u = &r->inst.unit[r->inst.coord[k]];
        bool applies = u->kind == ISA_UNIT_PRED && (c == 4 || (!u->sl && (u->mask >> c & 1u)));
        if (applies && !ref_holds(u, ref_read_file(r, u->src.file, u->src.reg, u->src.sel[c == 4 ? 0 : c], lane))) {
            return false;
        }
    }
    return true;
}

/* ---- Arithmetic ---- */

/* Value of an MVS unit in each executing lane. */
static void status_values(struct ref *r, const struct isa_unit *u, unsigned mask, bool integer, uint32_t *out) {
    for (unsigned lane = 0; lane < 4; lane++) {
        uint32_t v = 0;
        bool writes = u->phase == 0;
        for (unsigned c = 0; c < 4; c++) {
            writes = writes || ((mask >> c & 1u) && ref_permitted(r, c, lane));
        }
        switch (u->src.reg) {
        case ISA_STATUS_PC: v = r->next; break;
        case ISA_STATUS_THREAD: v = r->program->info.stage == VLIW_STAGE_COMPUTE ? lane : 0; break;
        case ISA_STATUS_SCRATCH: v = r->here[lane] && writes && r->live[lane] ? r->scratch++ : 0; break;
        case ISA_STATUS_FRONT:
            out[lane] = integer ? (uint32_t)ref_to_int(ref_float(r->front[lane])) : r->front[lane];
            continue;
        default: break;
        }
        out[lane] = integer ? v : bits_from_float((float)v);
    }
}

/* Results of one arithmetic unit; phase 1's predicates decide what is written. */
static void unit_results(struct ref *r, int i, struct ref_write writes[4][4]) {
    const struct isa_unit *u = &r->inst.unit[i];
    unsigned phase = u->phase, own = u->kind == ISA_UNIT_SUB, mask = isa_unit_mask(&r->inst, i);
    unsigned xop = isa_unit_xop(&r->inst, i);
    int row = phase == 1 ? isa_unit_typed(&r->inst, i) : -1;
    uint32_t status[4];
    if (u->op == ISA_OP_MVS) {
        status_values(r, u, mask, row >= 0, status);
    } else if (row >= 0) {
        ref_typed_results(r, i, (unsigned)row, writes);
        return;
    }
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned lane = 0; (mask >> c & 1u) && lane < 4; lane++) {
            const uint32_t *s0 = r->slot[phase][0][c], *s1 = r->slot[phase][1][c], *one = own ? s1 : s0;
            int64_t dest = ref_dest_of(r, phase, lane);
            uint32_t v;
            if (u->op == ISA_OP_MVS) {
                v = status[lane];
            } else if (xop != ISA_XOP_OWN) {
                v = ref_typed_operation(xop, s0[lane], s1[lane], one[lane], *reg(r, (uint32_t)dest, c, lane));
            } else if (u->op == ISA_OP_DDX) {
                v = ref_bits(ref_float(one[lane | 1u]) - ref_float(one[lane & ~1u]));
            } else if (u->op == ISA_OP_DDY) {
                v = ref_bits(ref_float(one[lane | 2u]) - ref_float(one[lane & ~2u]));
            } else {
                v = ref_operation(u->op, s0[lane], s1[lane], one[lane]);
            }
            writes[c][lane] = (struct ref_write){phase == 0 || ref_permitted(r, c, lane), (uint32_t)dest * 4 + c,
                                                 u->saturate ? ref_saturate(v) : v};
        }
    }
}

/* ---- Process units ---- */

static void texture_lanes(struct ref *r, const struct isa_unit *u, const bool *acts, uint32_t sampler,
                          struct ref_write out[4][4]) {
    _Alignas(64) float array[15][VM_LANES];      /* samplers read whole vectors */
    memset(array, 0, sizeof array);
    uint8_t type = r->program->info.samplers[sampler];
    bool projective = u->op >= ISA_MEM_TXP, third = type == VLIW_SAMPLER_CUBE || type == VLIW_SAMPLER_3D;
    struct vliw_tex_request q = {.sampler = sampler};
    for (unsigned lane = 0; lane < 4; lane++) {
        float in[4];
        for (unsigned c = 0; c < 4; c++) {
            in[c] = ref_float(u->option ? r->slot[0][0][c][lane] : *reg(r, u->src.reg, c, lane));
        }
        for (unsigned c = 0; c < 3; c++) {
            array[c][lane] = projective ? in[c] / in[3] : in[c];
            if (u->op == ISA_MEM_TXD) {
                array[4 + c][lane] = ref_float(r->slot[0][0][c][lane]);
                array[7 + c][lane] = ref_float(r->slot[0][1][c][lane]);
            }
        }
        array[3][lane] = projective ? in[2] : in[3];
        q.mask.w[0] |= (uint64_t)acts[lane] << lane;
    }
    for (unsigned c = 0; c < (third ? 3u : 2u); c++) {
        q.coord[c] = array[c];
        q.ddx[c] = u->op == ISA_MEM_TXD ? array[4 + c] : NULL;
        q.ddy[c] = u->op == ISA_MEM_TXD ? array[7 + c] : NULL;
    }
    q.reference = type == VLIW_SAMPLER_2D_SHADOW ? array[2] : NULL;
    switch (u->op) {
    case ISA_MEM_TXB: case ISA_MEM_TXBP: q.kind = VLIW_TEX_BIAS; q.lod = array[3]; break;
    case ISA_MEM_TXL: case ISA_MEM_TXLP: q.kind = VLIW_TEX_LOD; q.lod = array[3]; break;
    case ISA_MEM_TXD: q.kind = VLIW_TEX_GRAD; break;
    default: q.kind = VLIW_TEX_IMPLICIT; break;
    }
    for (unsigned c = 0; c < 4; c++) {
        q.result[c] = array[11 + c];
    }
    if (r->run->sample != NULL) {
        r->run->sample(r->run->sample_context, &q);
    }
    bool packed = isa_type_for(&r->inst, r->inst.process) != NULL;
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned lane = 0; lane < 4; lane++) {
            uint32_t color[4];
            for (unsigned k = 0; k < 4; k++) {
                color[k] = ref_bits(array[11 + k][lane]);
            }
            if (acts[lane] && (u->mask >> c & 1u)) {
                out[c][lane] = (struct ref_write){true, u->dest * 4u + c, packed ? ref_pack_color(color) : color[c]};
            }
        }
    }
}

static void texture(struct ref *r, const struct isa_unit *u, const bool *acts, struct ref_write out[4][4]) {
    uint32_t sampler[4];
    int64_t last = (int64_t)r->program->info.sampler_count - 1;
    for (unsigned lane = 0; lane < 4; lane++) {
        int64_t s = u->offset + ref_offset_of(r, ISA_ADDR_PROCESS, lane);
        sampler[lane] = (uint32_t)(s < 0 ? 0 : s > last ? last : s);
    }
    for (uint32_t s = 0; s <= (uint32_t)last; s++) {
        bool these[4], any = false;
        for (unsigned lane = 0; lane < 4; lane++) {
            these[lane] = acts[lane] && sampler[lane] == s;
            any = any || these[lane];
        }
        if (any) {
            texture_lanes(r, u, these, s, out);
        }
    }
}

static void memory(struct ref *r, const struct isa_unit *u, const bool *acts, struct ref_write out[4][4]) {
    const struct vliw_memory *m = r->run->memory;
    for (unsigned lane = 0; lane < 4; lane++) {
        uint32_t base = u->option ? r->slot[0][0][u->src.sel[0]][lane] : *reg(r, u->src.reg, u->src.sel[0], lane);
        int64_t address = (int64_t)ref_to_int(ref_float(base)) + 4 * u->offset + ref_offset_of(r, ISA_ADDR_PROCESS, lane);
        for (unsigned c = 0; acts[lane] && c < 4; c++) {
            if (!(u->mask >> c & 1u)) {
                continue;
            }
            bool inside = m != NULL && address + c >= 0 && (uint64_t)(address + c) < m->words;
            uint32_t *word = inside ? &m->data[address + c] : NULL, data = *reg(r, u->dest, c, lane);
            uint32_t old = word != NULL && (u->op == ISA_MEM_LD || r->live[lane]) ? *word : 0;
            if (word != NULL && r->live[lane] && u->op != ISA_MEM_LD) {
                *word = u->op == ISA_MEM_ST ? data : *word + data;
            }
            if (u->op != ISA_MEM_ST) {
                out[c][lane] = (struct ref_write){true, u->dest * 4u + c, old};
            }
        }
    }
}

/* Branches: sets the lanes' next PCs, liveness and ends. Returns the status of the run. */
static enum vliw_status branch(struct ref *r, const struct isa_unit *u, const bool *acts) {
    for (unsigned lane = 0; lane < 4; lane++) {
        if (!acts[lane]) {
            continue;
        }
        switch (u->op) {
        case ISA_BRC_BL: {
            int64_t target = (int64_t)u->imm + (u->option ? (int64_t)r->next : 0);
            target += ref_offset_of(r, ISA_ADDR_PROCESS, lane);
            bool ok = target >= 0 && target < (int64_t)r->program->info.units &&
                      (r->program->starts[target / 32] >> target % 32 & 1u);
            if (!ok) {
                r->run->fault_unit = r->at;
                return VLIW_ERR_TRAP;
            }
            r->pc[lane] = (uint32_t)target;
            break;
        }
        case ISA_BRC_KIL: r->live[lane] = false; break;
        case ISA_BRC_END: r->running[lane] = false; break;
        case ISA_BRC_TRAP:
            r->run->fault_unit = r->at;
            return VLIW_ERR_TRAP;
        default: break;               /* WAIT, WAKE: masks are always 0 here */
        }
    }
    return VLIW_OK;
}

/* ---- The run ---- */

static void apply(struct ref *r, struct ref_write writes[4][4]) {
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned lane = 0; lane < 4; lane++) {
            if (writes[c][lane].on && r->here[lane]) {
                r->gpr[(size_t)writes[c][lane].comp * 4 + lane] = writes[c][lane].bits;
            }
        }
    }
}

static enum vliw_status execute(struct ref *r) {
    const struct isa_inst *in = &r->inst;
    struct ref_write writes[3][4][4];      /* phase 0, process unit, phase 1 */
    memset(writes, 0, sizeof writes);
    read_slots(r);
    for (unsigned phase = 0; phase < 2; phase++) {
        if (in->main[phase] >= 0) {
            unit_results(r, in->main[phase], writes[2 * phase]);
        }
        if (in->sub[phase] >= 0) {
            unit_results(r, in->sub[phase], writes[2 * phase]);
        }
    }
    enum vliw_status status = VLIW_OK;
    for (unsigned lane = 0; lane < 4; lane++) {
        r->pc[lane] = r->here[lane] ? r->next : r->pc[lane];
    }
    if (in->process >= 0) {
        const struct isa_unit *u = &in->unit[in->process];
        bool acts[4];
        for (unsigned lane = 0; lane < 4; lane++) {
            acts[lane] = r->here[lane] && ref_permitted(r, 4, lane);
        }
        if (u->kind == ISA_UNIT_BRC) {
            status = branch(r, u, acts);
        } else if (u->op >= ISA_MEM_TEX) {
            texture(r, u, acts, writes[1]);
        } else {
            memory(r, u, acts, writes[1]);
        }
    }
    for (unsigned k = 0; k < 3; k++) {
        apply(r, writes[k]);
    }
    return status;
}

/* The lanes at the lowest PC, or false when nobody runs. */
static bool select_lanes(struct ref *r) {
    uint32_t lowest = UINT32_MAX;
    bool anyone_live = false;
    for (unsigned lane = 0; lane < 4; lane++) {
        anyone_live = anyone_live || r->live[lane];
        lowest = r->running[lane] && r->pc[lane] < lowest ? r->pc[lane] : lowest;
    }
    for (unsigned lane = 0; lane < 4; lane++) {
        r->here[lane] = r->running[lane] && r->pc[lane] == lowest;
    }
    r->at = lowest;
    return anyone_live && lowest != UINT32_MAX;      /* a quad of helpers only has no effect: it stops */
}

static enum vliw_status run_quad(struct ref *r) {
    while (select_lanes(r)) {
        struct isa_fault fault;
        r->next = r->at + isa_decode_inst(r->program->words, r->program->info.units, r->at, &r->inst, &fault);
        for (unsigned lane = 0; lane < 4; lane++) {
            if (r->here[lane] && ++r->count[lane] > r->budget) {
                r->run->fault_unit = r->at;
                return VLIW_ERR_BUDGET;
            }
            r->run->instructions += r->here[lane];
        }
        enum vliw_status status = execute(r);
        if (r->run->step != NULL) {
            unsigned lanes = 0;
            for (unsigned lane = 0; lane < 4; lane++) {
                lanes |= (unsigned)r->here[lane] << lane;
            }
            r->run->step(r->run->step_context, r->at, r->next, lanes, r->gpr);
        }
        if (status != VLIW_OK) {
            return status;
        }
    }
    return VLIW_OK;
}

static uint32_t *make_globals(const struct vliw_program *p, const uint32_t *globals, uint32_t count) {
    uint32_t *all = calloc((size_t)p->info.globals * 4 + 1, sizeof *all);
    if (all == NULL) {
        return NULL;
    }
    count = count < p->info.globals ? count : p->info.globals;
    if (count > 0) {
        memcpy(all, globals, (size_t)count * 4 * sizeof *all);
    }
    for (uint32_t i = 0; i < p->info.literal_count; i++) {
        const struct vliw_literal *l = &p->info.literals[i];
        for (unsigned c = 0; c < 4; c++) {
            all[l->reg * 4 + c] = l->mask >> c & 1u ? l->bits[c] : all[l->reg * 4 + c];
        }
    }
    return all;
}

enum vliw_status vliw_ref_run(const struct vliw_program *program, uint32_t *gpr, const uint32_t *globals,
                              uint32_t global_count, struct vliw_run *run) {
    struct ref r;
    memset(&r, 0, sizeof r);
    r.program = program;
    r.run = run;
    r.gpr = gpr;
    r.globals = make_globals(program, globals, global_count);
    if (r.globals == NULL) {
        return VLIW_ERR_MEMORY;
    }
    r.budget = run->budget != 0 ? run->budget : VLIW_BUDGET_DEFAULT;
    run->fault_unit = 0;
    run->instructions = 0;
    for (unsigned lane = 0; lane < 4; lane++) {
        r.running[lane] = r.live[lane] = run->active.w[0] >> lane & 1u;
        r.front[lane] = bits_from_float(1.0f);
        for (uint32_t i = 0; i < program->info.input_count; i++) {
            if (program->info.inputs[i].semantic == VLIW_SEM_FRONT_FACING) {
                r.front[lane] = *reg(&r, program->info.inputs[i].reg, 0, lane);
            }
        }
    }
    struct fpenv saved = fpenv_enter();
    enum vliw_status status = run_quad(&r);
    fpenv_leave(&saved);
    memset(&run->live, 0, sizeof run->live);
    for (unsigned lane = 0; lane < 4; lane++) {
        run->live.w[0] |= (uint64_t)r.live[lane] << lane;
    }
    free(r.globals);
    return status;
}
