/* SPDX-License-Identifier: MIT */
/* One quad on the core, with the interface of the reference interpreter, so that a test can put one in the other's place. */
#include <string.h>

#include "vm/model/core.h"

struct quad_job {
    const struct vliw_program *program;
    const uint32_t *gpr;
    unsigned active;
    bool given;
};

static void move(struct sim_core *core, const struct vliw_program *program, uint32_t *gpr, bool out) {
    for (uint32_t r = 0; r < program->info.gprs; r++) {
        for (unsigned lane = 0; lane < 4; lane++) {
            uint32_t *word = core_word(core, lane, r);
            for (unsigned c = 0; c < 4; c++) {
                uint32_t *there = &gpr[((size_t)r * 4 + c) * 4 + lane];
                *(out ? there : &word[c]) = out ? word[c] : *there;
            }
        }
    }
}

static uint32_t next(void *user, struct sim_core *core, unsigned first, unsigned count) {
    struct quad_job *job = user;
    (void)core;
    (void)count;
    if (job->given || first != 0) {
        return 0;
    }
    job->given = true;
    return job->active;
}

enum vliw_status sim_quad_run(const struct vliw_program *program, uint32_t *gpr, const uint32_t *globals,
                              uint32_t global_count, struct vliw_run *run, const struct sim_config *config,
                              struct sim_result *result) {
    struct sim_config c = config != NULL ? *config : (struct sim_config){.threads = 4};
    struct quad_job job = {program, gpr, (unsigned)run->active.w[0] & 15u, false};
    struct vliw_error error;
    c.threads = 4;
    c.lock = SIM_LOCK_QUADS;
    c.budget = run->budget;
    c.next = next;
    c.user = &job;
    struct sim_core *core = sim_core_create(program, &c, &error);
    if (core == NULL) {
        return error.status;
    }
    sim_core_globals(core, globals, global_count);
    sim_core_attach(core, run->memory, run->sample, run->sample_context);
    move(core, program, gpr, false);
    sim_core_run(core, result);
    move(core, program, gpr, true);
    memset(&run->live, 0, sizeof run->live);
    for (unsigned lane = 0; lane < 4; lane++) {
        run->live.w[0] |= (uint64_t)core->thread[lane].live << lane;
    }
    run->fault_unit = result->fault_unit;
    run->instructions = result->instructions;
    sim_core_destroy(core);
    return result->status;
}
