/* SPDX-License-Identifier: MIT */
/*
 * The core as a machine: which thread's slot it is, what issues in it, and the clock that moves every instruction one
 * stage on. In: a verified program, registers, memory, a sampler. Out: registers, memory, and where the clocks went.
 */
#include "vm/model/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/base/fpenv.h"

const char *sim_use_name(unsigned use) {
    static const char *const names[SIM_USES] = {"issue", "port", "ghost", "memory", "wait", "quad", "empty"};
    return use < SIM_USES ? names[use] : "?";
}

/* ---- Making a core ---- */

static struct sim_core *fail(struct sim_core *core, struct vliw_error *error, enum vliw_status status, const char *text) {
    if (text != NULL) {
        *error = (struct vliw_error){.status = status, .word = -1, .slot = -1, .rule = -1, .line = -1, .column = -1};
        snprintf(error->message, sizeof error->message, "%s", text);
    }
    sim_core_destroy(core);
    return NULL;
}

static const char *config_fault(const struct sim_core *core) {
    const struct sim_config *c = &core->config;
    bool needs_quads = core->program->info.flags & VLIW_USES_DERIVATIVES;
    if (c->threads > SIM_THREADS) {
        return "the core has 8 threads";
    }
    if (core->quads && c->threads % 4 != 0) {
        return "this program's threads work in quads: 4 or 8 threads";
    }
    if (c->lock == SIM_LOCK_FREE && needs_quads) {
        return "this program has quad operations: its threads cannot run free";
    }
    if (c->outstanding > 4096 || c->latency > 1000000) {
        return "latency beyond 1000000 clocks, or more than 4096 requests in flight";
    }
    return NULL;
}

static bool load_program(struct sim_core *core) {
    const struct vliw_program *p = core->program;
    size_t units = p->info.units, gprs = p->info.gprs != 0 ? p->info.gprs : 1;
    bool ok = true;
    for (unsigned b = 0; b < 4; b++) {
        core->ibank[b] = calloc(units / 4 + 1, sizeof *core->ibank[b]);
        ok = ok && core->ibank[b] != NULL;
    }
    for (size_t u = 0; ok && u < units; u++) {
        core->ibank[u & 3u][u >> 2] = p->words[u];
    }
    core->insts = calloc(p->info.instructions + 1, sizeof *core->insts);
    core->inst_at = calloc(units, sizeof *core->inst_at);
    core->counts = calloc(units, sizeof *core->counts);
    core->globals = calloc(p->info.globals * (size_t)4 + 4, sizeof *core->globals);
    core->texture = aligned_alloc(64, 14 * sizeof *core->texture);      /* samplers read whole vectors */
    if (core->texture != NULL) {
        memset(core->texture, 0, 14 * sizeof *core->texture);
    }
    core->busy = calloc(core->config.outstanding + 1, sizeof *core->busy);
    for (unsigned b = 0; b < 2; b++) {
        core->bank[b].words = calloc(gprs * 4 * (SIM_THREADS / 2), sizeof *core->bank[b].words);
        ok = ok && core->bank[b].words != NULL;
    }
    return ok && core->insts != NULL && core->inst_at != NULL && core->counts != NULL && core->globals != NULL &&
           core->texture != NULL && core->busy != NULL;
}

struct sim_core *sim_core_create(const struct vliw_program *program, const struct sim_config *config,
                                 struct vliw_error *error) {
    struct sim_core *core = calloc(1, sizeof *core);
    if (core == NULL) {
        return fail(NULL, error, VLIW_ERR_MEMORY, "out of memory");
    }
    core->program = program;
    core->config = config != NULL ? *config : (struct sim_config){.threads = 0};
    core->config.threads = core->config.threads != 0 ? core->config.threads : SIM_THREADS;
    core->config.budget = core->config.budget != 0 ? core->config.budget : VLIW_BUDGET_DEFAULT;
    core->quads = core->config.lock == SIM_LOCK_QUADS ||
                  (core->config.lock == SIM_LOCK_AUTO && (program->info.stage == VLIW_STAGE_FRAGMENT ||
                                                          (program->info.flags & VLIW_USES_DERIVATIVES)));
    const char *fault = config_fault(core);
    if (fault != NULL) {
        return fail(core, error, VLIW_ERR_ARGUMENT, fault);
    }
    if (!load_program(core)) {
        return fail(core, error, VLIW_ERR_MEMORY, "out of memory");
    }
    if (core_decode(core, error) != VLIW_OK) {
        return fail(core, error, error->status, NULL);
    }
    sim_core_globals(core, NULL, 0);
    return core;
}

void sim_core_destroy(struct sim_core *core) {
    if (core == NULL) {
        return;
    }
    for (unsigned b = 0; b < 4; b++) {
        free(core->ibank[b]);
    }
    free(core->bank[0].words);
    free(core->bank[1].words);
    free(core->insts);
    free(core->inst_at);
    free(core->counts);
    free(core->globals);
    free(core->texture);
    free(core->busy);
    free(core);
}

void sim_core_globals(struct sim_core *core, const uint32_t *bits, uint32_t registers) {
    const struct vliw_info *info = &core->program->info;
    uint32_t count = registers < info->globals ? registers : info->globals;
    memset(core->globals, 0, (size_t)info->globals * 16);
    if (count > 0) {
        memcpy(core->globals, bits, (size_t)count * 16);
    }
    for (uint32_t i = 0; i < info->literal_count; i++) {
        const struct vliw_literal *l = &info->literals[i];
        for (unsigned c = 0; c < 4; c++) {
            core->globals[l->reg * 4 + c] = l->mask >> c & 1u ? l->bits[c] : core->globals[l->reg * 4 + c];
        }
    }
}

void sim_core_attach(struct sim_core *core, struct vliw_memory *memory, vliw_sample_fn sample, void *sample_context) {
    core->memory = memory;
    core->sample = sample;
    core->sample_context = sample_context;
}

uint32_t *sim_core_reg(struct sim_core *core, unsigned thread, uint32_t reg) { return core_word(core, thread, reg); }

void sim_core_clear(struct sim_core *core, unsigned thread) {
    memset(core_word(core, thread, 0), 0, (size_t)core->program->info.gprs * 16);
}

const uint64_t *sim_core_counts(const struct sim_core *core) { return core->counts; }

unsigned sim_core_slots(const struct sim_core *core, uint32_t unit) {
    return unit < core->program->info.units && core->inst_at[unit] != UINT32_MAX
               ? core->insts[core->inst_at[unit]].slots : 0;
}

bool sim_core_samples(const struct sim_core *core, uint32_t unit) {
    return sim_core_slots(core, unit) != 0 && core->insts[core->inst_at[unit]].process == CORE_TEXTURE;
}

/* ---- Starting threads ---- */

static void start(struct sim_core *core, unsigned number) {
    struct core_thread *t = &core->thread[number];
    t->running = t->live = true;
    t->pc = t->count = t->waits = 0;
    t->critical = number >= (core->quads ? 4u : 1u) ? core->config.waiting : 0;
    t->pendings = 0;
    t->front = bits_from_float(1.0f);
    for (uint32_t i = 0; i < core->program->info.input_count; i++) {
        if (core->program->info.inputs[i].semantic == VLIW_SEM_FRONT_FACING) {
            t->front = core_word(core, number, core->program->info.inputs[i].reg)[0];
        }
    }
}

/* Threads first .. first + count - 1 have ended: new work for them. False if there is none. */
static bool refill(struct sim_core *core, unsigned first, unsigned count) {
    uint32_t mask = 0;
    if (core->config.next != NULL && first < core->config.threads && !(core->dry >> first & 1u)) {
        mask = core->config.next(core->config.user, core, first, count);
    }
    core->dry |= (uint8_t)(mask == 0 ? (count == 4 ? 15u : 1u) << first : 0u);
    for (unsigned i = 0; i < count; i++) {
        if (mask >> i & 1u) {
            start(core, first + i);
        } else if (mask != 0) {
            core->thread[first + i].live = false;      /* a lane that was never active */
        }
    }
    return mask != 0;
}

/* ---- Issue ---- */

/* A slot in which nothing is issued. */
static void leave(struct sim_core *core, enum sim_use use) {
    core->idle[use]++;
    core->slack = true;
}

static void issue(struct sim_core *core, unsigned number, const struct core_inst *in, bool ghost, unsigned half) {
    struct core_thread *t = &core->thread[number];
    struct core_flight *f = &t->flight;
    f->inst = in;
    f->active = true;
    f->ghost = ghost;
    f->half = (uint8_t)half;
    core->last = core->clock + 8;
    core->quiet = 0;
    for (unsigned u = 0; core->slack && u < SIM_USES; u++) {
        core->result->use[u] += core->idle[u];
        core->idle[u] = 0;
    }
    core->slack = false;
    core->result->use[ghost ? SIM_GHOST : half != 0 ? SIM_PORT : SIM_ISSUE]++;
    if (ghost || half != 0) {
        return;
    }
    if (++t->count > core->config.budget) {
        core_fault(core, VLIW_ERR_BUDGET, in->pc, NULL);
        return;
    }
    core->result->instructions++;
    core->counts[in->pc]++;
    t->pc = in->next;
}

/* SIM_ISSUE if the thread could go on in its slot at 'slot', else why it sleeps. */
static enum sim_use asleep(const struct sim_core *core, unsigned number, uint64_t slot) {
    const struct core_thread *t = &core->thread[number];
    if (t->pendings != 0 && !core->config.asynchronous && !core_awake(core, number, slot)) {
        return SIM_MEMORY;
    }
    uint32_t mask = t->critical;
    if (t->pendings != 0 && core_awake(core, number, slot)) {
        mask &= ~CORE_MEMORY_BIT;
    }
    return (t->waits & mask) != 0 ? SIM_WAIT : SIM_ISSUE;
}

/* A thread on its own. */
static void issue_free(struct sim_core *core, unsigned number) {
    struct core_thread *t = &core->thread[number];
    if (t->flight.active) {           /* between the slots of an instruction with many reads */
        issue(core, number, t->flight.inst, false, 1);
        return;
    }
    if (!t->running && (t->pendings != 0 || !refill(core, number, 1))) {
        leave(core, t->pendings != 0 ? SIM_MEMORY : SIM_EMPTY);
        return;
    }
    enum sim_use use = asleep(core, number, core->clock);
    if (use != SIM_ISSUE) {
        leave(core, use);
        return;
    }
    t->waits = 0;
    issue(core, number, &core->insts[core->inst_at[t->pc]], false, 0);
}

/* Who of a quad goes on in this rotation: the lanes at the lowest PC, if all that matter are awake. */
static void gather(struct sim_core *core, unsigned q) {
    struct core_quad *quad = &core->quad[q];
    struct core_thread *t = &core->thread[4 * q];
    uint32_t lowest = UINT32_MAX;
    bool live = false;
    if (quad->second) {
        return;
    }
    quad->members = quad->ghosts = 0;
    for (unsigned i = 0; i < 4; i++) {
        live = live || t[i].live;
        lowest = t[i].running && t[i].pc < lowest ? t[i].pc : lowest;
    }
    if (lowest == UINT32_MAX || !live) {              /* a quad of helpers only has no effect: it stops */
        for (unsigned i = 0; i < 4; i++) {
            t[i].running = false;
        }
        for (unsigned i = 0; i < 4; i++) {
            const struct core_flight *f = &t[i].flight;
            if (t[i].pendings != 0 || (f->active && (f->inst->write_mask[0] | f->inst->write_mask[1]) != 0)) {
                return;                               /* what is under way must land first */
            }
        }
        if (!refill(core, 4 * q, 4)) {
            return;
        }
        lowest = 0;
    }
    unsigned members = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (t[i].running && t[i].pc == lowest) {
            members |= 1u << i;
            if (asleep(core, 4 * q + i, core->clock + i) != SIM_ISSUE) {
                return;
            }
        }
    }
    quad->members = (uint8_t)members;
    quad->inst = &core->insts[core->inst_at[lowest]];
    quad->ghosts = (uint8_t)(quad->inst->quad ? ~members & 15u : 0u);
    if (core->hooks != NULL) {
        core->hooks->step(core->hooks->user, quad->inst, members);
    }
}

static void issue_quad(struct sim_core *core, unsigned number) {
    struct core_quad *quad = &core->quad[number / 4];
    struct core_thread *t = &core->thread[number];
    unsigned lane = number & 3u;
    if (number >= core->config.threads) {
        leave(core, SIM_EMPTY);
        return;
    }
    if (lane == 0) {
        gather(core, number / 4);
    }
    bool member = quad->members >> lane & 1u, ghost = quad->ghosts >> lane & 1u;
    if (member || ghost) {
        t->waits = ghost ? t->waits : 0;
        issue(core, number, quad->inst, ghost, quad->second);
    } else {
        enum sim_use why = asleep(core, number, core->clock);
        leave(core, !t->running && t->pendings == 0 ? SIM_EMPTY : why != SIM_ISSUE ? why : SIM_QUAD);
    }
    if (lane == 3) {
        quad->second = quad->members != 0 && quad->inst->halves == 2 && !quad->second;
    }
}

/* ---- The clock ---- */

static void show(struct sim_core *core, unsigned number, unsigned stage) {
    const struct core_flight *f = &core->thread[number].flight;
    if (f->active && (stage != SIM_WRITE1 || f->inst->write_mask[1] != 0)) {
        core->config.observe(core->config.observer, core->clock, number, stage, f->inst->pc, f->ghost);
    }
}

static inline void observe(struct sim_core *core, unsigned number, unsigned stage) {
    if (BITS_UNLIKELY(core->config.observe != NULL)) {
        show(core, number, stage);
    }
}

/* Is the thread's instruction complete enough for the stages behind decode? */
static bool whole(const struct core_flight *f) { return f->active && f->half + 1u >= f->inst->halves; }

static void execute1(struct sim_core *core, unsigned number) {
    const struct core_thread *t = &core->thread[number];
    if (whole(&t->flight)) {
        core_execute1(core, number);
        if ((number & 3u) == 3 && core->quads && t->flight.inst->quad && t->flight.inst->process == CORE_TEXTURE) {
            core_sample_quad(core, number / 4);
        }
    }
    observe(core, number, SIM_EXECUTE1);
}

/* One clock: the stages from the last to the first, so that each sees what the clock before left. */
static void step(struct sim_core *core) {
    unsigned slot = (unsigned)core->clock & 7u;
    struct core_thread *t = &core->thread[slot];
    observe(core, slot, SIM_WRITE1);
    if (t->flight.active || t->pendings != 0) {
        core_write(core, slot, 1);
    }
    if (whole(&t->flight)) {
        t->flight.active = false;
    }
    unsigned i = (slot + 1) & 7u;
    if (core->thread[i].flight.active || core->thread[i].pendings != 0) {
        core_write(core, i, 0);
    }
    observe(core, i, SIM_WRITE0);
    i = (slot + 2) & 7u;
    if (whole(&core->thread[i].flight)) {
        core_execute3(core, i);
    }
    observe(core, i, SIM_EXECUTE3);
    observe(core, (slot + 3) & 7u, SIM_EXECUTE2);
    execute1(core, (slot + 4) & 7u);
    i = (slot + 5) & 7u;
    if (whole(&core->thread[i].flight)) {
        core_modify(core, &core->thread[i]);
    }
    observe(core, i, SIM_MODIFY);
    i = (slot + 6) & 7u;
    if (core->thread[i].flight.active) {
        core_decode1(core, &core->thread[i], i);
    }
    observe(core, i, SIM_DECODE1);
    i = (slot + 7) & 7u;
    if (core->thread[i].flight.active) {
        core_decode0(core, &core->thread[i], i);
    }
    observe(core, i, SIM_DECODE0);
    if (core->stopped) {
        return;
    }
    if (core->quads) {
        issue_quad(core, slot);
    } else if (slot < core->config.threads) {
        issue_free(core, slot);
    } else {
        leave(core, SIM_EMPTY);
    }
    observe(core, slot, SIM_FETCH);
}

/* Slots of a rotation in which nobody can issue. */
static void count_idle(struct sim_core *core) {
    for (unsigned i = 0; i < SIM_THREADS; i++) {
        const struct core_thread *t = &core->thread[i];
        enum sim_use why = asleep(core, i, core->clock);
        leave(core, !t->running && t->pendings == 0 ? SIM_EMPTY : why != SIM_ISSUE ? why : SIM_QUAD);
    }
}

/* At the start of a rotation: does anything go on? Jumps over rotations in which everybody waits for memory. */
static bool goes_on(struct sim_core *core) {
    uint64_t first = UINT64_MAX;
    bool running = false, work = false;
    for (unsigned i = 0; i < SIM_THREADS; i++) {
        const struct core_thread *t = &core->thread[i];
        if (t->flight.active) {
            return true;
        }
        running = running || t->running;
        work = work || (!t->running && core->config.next != NULL && i < core->config.threads && !(core->dry >> i & 1u));
        for (unsigned k = 0; k < t->pendings; k++) {
            first = t->pending[k].on && t->pending[k].ready < first ? t->pending[k].ready : first;
        }
    }
    if (work) {
        return true;
    }
    if (first == UINT64_MAX) {
        if (running && ++core->quiet > 3) {
            core_fault(core, VLIW_ERR_BUDGET, core->thread[0].pc, "every thread waits and none can wake another");
        }
        return running;
    }
    while (first > core->clock + 16) {
        count_idle(core);
        core->clock += 8;
    }
    return true;
}

static void begin(struct sim_core *core, struct sim_result *result) {
    memset(result, 0, sizeof *result);
    core->result = result;
    core->clock = core->last = 0;
    core->dry = core->quiet = 0;
    core->stopped = core->broken = core->slack = false;
    memset(core->idle, 0, sizeof core->idle);
    core->bank[0].clock = core->bank[1].clock = UINT64_MAX;
    memset(core->busy, 0, (core->config.outstanding + 1) * sizeof *core->busy);
    memset(core->quad, 0, sizeof core->quad);
    for (unsigned i = 0; i < SIM_THREADS; i++) {
        struct core_thread *t = &core->thread[i];
        t->flight.active = t->running = false;
        t->pendings = 0;
        t->live = false;
        if (core->config.next == NULL && i < core->config.threads) {
            start(core, i);
        }
    }
}

void sim_core_run(struct sim_core *core, struct sim_result *result) {
    struct fpenv saved = fpenv_enter();
    begin(core, result);
    while (!core->stopped && ((core->clock & 7u) != 0 || core->clock == 0 || goes_on(core))) {
        step(core);
        core->clock++;
    }
    if (core->broken && result->status == VLIW_OK) {
        result->status = VLIW_ERR_ARGUMENT;
        result->note = "the model used a register port twice in a clock";
    }
    result->clocks = core->last;
    fpenv_leave(&saved);
}
