/* SPDX-License-Identifier: MIT */
/*
 * Process units: branches, the critical-section mask, memory and textures. They act in execute 1, in the order of the
 * threads' slots; what memory answers comes back as a load under way that the thread's write clocks take in.
 */
#include <string.h>

#include "vm/exec/ref_ops.h"
#include "vm/model/core.h"

enum { TEX_COORD = 0, TEX_LOD = 3, TEX_DDX = 4, TEX_DDY = 7, TEX_RESULT = 10 };

void core_fault(struct sim_core *core, enum vliw_status status, uint32_t unit, const char *note) {
    if (!core->stopped) {
        core->stopped = true;
        core->result->status = status;
        core->result->fault_unit = unit;
        core->result->note = note;
    }
}

static int64_t offset_of(const struct core_flight *f) {
    return f->inst->process_addr != 0 ? f->offset[f->inst->process_addr - 1] : 0;
}

/* ---- Branches ---- */

static void branch(struct sim_core *core, unsigned number) {
    struct core_thread *t = &core->thread[number];
    const struct core_inst *in = t->flight.inst;
    switch (in->process_op) {
    case ISA_BRC_BL: {
        int64_t target = in->process_base + offset_of(&t->flight);
        if (target < 0 || target >= (int64_t)core->program->info.units || core->inst_at[target] == UINT32_MAX) {
            core_fault(core, VLIW_ERR_TRAP, in->pc, "an indirect branch leads to no instruction");
            return;
        }
        t->pc = (uint32_t)target;
        break;
    }
    case ISA_BRC_KIL: t->live = false; break;
    case ISA_BRC_END: t->running = false; break;
    case ISA_BRC_WAIT: t->waits = (uint32_t)in->process_base; break;
    case ISA_BRC_WAKE:
        for (unsigned i = 0; i < SIM_THREADS; i++) {
            core->thread[i].critical &= i == number ? UINT32_MAX : ~(uint32_t)in->process_base;
        }
        break;
    default: core_fault(core, VLIW_ERR_TRAP, in->pc, NULL); break;
    }
}

/* ---- Requests ---- */

/* Clock in which a request of 'clock' is accepted: at once, or when the earliest one in flight ends. */
static uint64_t accept(struct sim_core *core, uint64_t clock) {
    uint32_t best = 0;
    if (core->config.outstanding == 0) {
        return clock;
    }
    for (uint32_t i = 1; i < core->config.outstanding; i++) {
        best = core->busy[i] < core->busy[best] ? i : best;
    }
    clock = core->busy[best] > clock ? core->busy[best] : clock;
    core->busy[best] = clock + core->config.latency;
    return clock;
}

/* A load under way; its value may be filled in later. NULL when the thread has too many (it cannot: it sleeps). */
static struct core_pending *add_pending(struct sim_core *core, struct core_thread *t, unsigned mask, uint64_t ready) {
    if (t->pendings == CORE_PENDING) {
        core_fault(core, VLIW_ERR_LIMIT, t->flight.inst->pc, "more asynchronous loads of one thread than it can track");
        return NULL;
    }
    struct core_pending *p = &t->pending[t->pendings++];
    const struct core_flight *f = &t->flight;
    /* Where an indexed DEST meets the load's register, phase 1's arithmetic wins. */
    if (f->inst->write_addr != 0 && f->reg[1] == f->inst->process_reg) {
        mask &= ~(unsigned)(f->inst->write_mask[1] & f->permit);
    }
    *p = (struct core_pending){.on = true, .mask = (uint8_t)mask, .reg = f->inst->process_reg, .ready = ready};
    t->critical |= CORE_MEMORY_BIT;
    return p;
}

static void memory(struct sim_core *core, unsigned number) {
    struct core_thread *t = &core->thread[number];
    const struct core_inst *in = t->flight.inst;
    const struct vliw_memory *m = core->memory;
    int64_t address = (int64_t)ref_to_int(ref_float(t->flight.address[in->process_comp])) + in->process_base +
                      offset_of(&t->flight);
    uint32_t old[4] = {0, 0, 0, 0};
    bool loads = in->process_op != ISA_MEM_ST, writes = in->process_op != ISA_MEM_LD && t->live;
    for (unsigned c = 0; c < 4; c++) {
        if (!(in->process_mask >> c & 1u)) {
            continue;
        }
        bool inside = m != NULL && address + c >= 0 && (uint64_t)(address + c) < m->words;
        uint32_t *word = inside ? &m->data[address + c] : NULL;
        if (inside && core->hooks != NULL) {
            core->hooks->touch(core->hooks->user, (uint64_t)(address + c) * 4);
        }
        if (word != NULL && (writes || in->process_op == ISA_MEM_LD)) {
            old[c] = *word;
        }
        if (word != NULL && writes) {
            *word = in->process_op == ISA_MEM_ST ? t->flight.data[c] : *word + t->flight.data[c];
        }
    }
    uint64_t sent = core->clock + 2, taken = accept(core, sent);
    *(loads ? &core->result->loads : &core->result->stores) += 1;
    if (loads || taken > sent) {      /* a store is gone once it is accepted */
        struct core_pending *p = add_pending(core, t, loads ? in->process_mask : 0u,
                                             loads ? taken + core->config.latency : taken);
        if (p != NULL) {
            memcpy(p->value, old, sizeof old);
        }
    }
}

/* ---- Textures ---- */

/* Puts a thread's coordinates into lane 'lane' of the request's arrays. */
static void place(const struct sim_core *core, const struct core_flight *f, unsigned lane) {
    float in[4];
    bool projective = f->inst->process_op >= ISA_MEM_TXP;
    for (unsigned c = 0; c < 4; c++) {
        in[c] = ref_float(f->address[c]);
    }
    for (unsigned c = 0; c < 3; c++) {
        core->texture[TEX_COORD + c][lane] = projective ? in[c] / in[3] : in[c];
        if (f->inst->process_op == ISA_MEM_TXD) {
            core->texture[TEX_DDX + c][lane] = ref_float(f->slot[0][0][c]);
            core->texture[TEX_DDY + c][lane] = ref_float(f->slot[0][1][c]);
        }
    }
    core->texture[TEX_LOD][lane] = projective ? in[2] : in[3];
}

static uint32_t sampler_of(const struct sim_core *core, const struct core_flight *f) {
    int64_t s = f->inst->sampler + offset_of(f), last = (int64_t)core->program->info.sampler_count - 1;
    return (uint32_t)(s < 0 ? 0 : s > last ? last : s);
}

/* Samples for the lanes of 'mask', whose coordinates are placed. */
static void sample(struct sim_core *core, const struct core_inst *in, uint32_t sampler, unsigned mask) {
    uint8_t type = core->program->info.samplers[sampler];
    bool third = type == VLIW_SAMPLER_CUBE || type == VLIW_SAMPLER_3D, gradients = in->process_op == ISA_MEM_TXD;
    struct vliw_tex_request q = {.sampler = sampler, .mask.w[0] = mask};
    for (unsigned c = 0; c < (third ? 3u : 2u); c++) {
        q.coord[c] = core->texture[TEX_COORD + c];
        q.ddx[c] = gradients ? core->texture[TEX_DDX + c] : NULL;
        q.ddy[c] = gradients ? core->texture[TEX_DDY + c] : NULL;
    }
    q.reference = type == VLIW_SAMPLER_2D_SHADOW ? core->texture[2] : NULL;
    switch (in->process_op) {
    case ISA_MEM_TXB: case ISA_MEM_TXBP: q.kind = VLIW_TEX_BIAS; q.lod = core->texture[TEX_LOD]; break;
    case ISA_MEM_TXL: case ISA_MEM_TXLP: q.kind = VLIW_TEX_LOD; q.lod = core->texture[TEX_LOD]; break;
    case ISA_MEM_TXD: q.kind = VLIW_TEX_GRAD; break;
    default: q.kind = VLIW_TEX_IMPLICIT; break;
    }
    for (unsigned c = 0; c < 4; c++) {
        q.result[c] = core->texture[TEX_RESULT + c];
        memset(q.result[c], 0, 4 * sizeof q.result[c][0]);
    }
    if (core->sample != NULL) {
        core->sample(core->sample_context, &q);
    }
}

static void answer(const struct sim_core *core, const struct core_inst *in, struct core_pending *p, unsigned lane) {
    for (unsigned c = 0; c < 4; c++) {
        p->value[c] = ref_bits(core->texture[TEX_RESULT + c][lane]);
    }
    if (in->packed) {
        p->value[0] = p->value[1] = p->value[2] = p->value[3] = ref_pack_color(p->value);
    }
}

static void texture(struct sim_core *core, unsigned number) {
    struct core_thread *t = &core->thread[number];
    const struct core_inst *in = t->flight.inst;
    uint64_t ready = accept(core, core->clock + 2) + core->config.latency;
    core->result->texture_reads++;
    if (in->quad) {                   /* the last of the quad brings the level of detail: core_sample_quad */
        uint64_t together = core->clock - (number & 3u) + 4;
        add_pending(core, t, in->process_mask, ready > together ? ready : together);
        return;
    }
    struct core_pending *p = add_pending(core, t, in->process_mask, ready);
    if (p != NULL) {
        place(core, &t->flight, 0);
        sample(core, in, sampler_of(core, &t->flight), 1);
        answer(core, in, p, 0);
    }
}

void core_sample_quad(struct sim_core *core, unsigned quad) {
    struct core_thread *threads = &core->thread[4 * quad];
    const struct core_inst *in = core->quad[quad].inst;
    unsigned wanting = 0;
    uint32_t sampler[4] = {0, 0, 0, 0};
    for (unsigned lane = 0; lane < 4; lane++) {
        const struct core_flight *f = &threads[lane].flight;
        place(core, f, lane);
        if (!f->ghost && (f->permit & 16u)) {
            wanting |= 1u << lane;
            sampler[lane] = sampler_of(core, f);
        }
    }
    while (wanting != 0) {
        uint32_t s = sampler[bits_ctz32(wanting)];
        unsigned these = 0;
        for (unsigned lane = 0; lane < 4; lane++) {
            these |= (wanting >> lane & 1u) && sampler[lane] == s ? 1u << lane : 0u;
        }
        sample(core, in, s, these);
        for (unsigned lane = 0; lane < 4; lane++) {
            if ((these >> lane & 1u) && threads[lane].pendings > 0) {
                answer(core, in, &threads[lane].pending[threads[lane].pendings - 1], lane);
            }
        }
        wanting &= ~these;
    }
}

void core_process(struct sim_core *core, unsigned number) {
    const struct core_thread *t = &core->thread[number];
    if (!(t->flight.permit & 16u)) {
        return;
    }
    if (t->flight.inst->process == CORE_BRANCH) {
        branch(core, number);
    } else if (t->flight.inst->process == CORE_MEMORY) {
        memory(core, number);
    } else {
        texture(core, number);
    }
}
