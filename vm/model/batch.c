/* SPDX-License-Identifier: MIT */
/* A batch of lanes, as a renderer hands them to the executor, through a core: threads take the next lane or quad when
 * they have ended. */
#include <string.h>

#include "vm/model/core.h"

struct batch_job {
    const struct sim_batch *batch;
    unsigned at;                 /* first lane not yet given to a thread */
    int lane[SIM_THREADS];       /* lane that a thread works on, -1 = none */
};

/* Outputs of the lane that the thread has finished. */
static void collect(struct batch_job *job, struct sim_core *core, unsigned thread) {
    const struct vliw_info *info = &core->program->info;
    int lane = job->lane[thread];
    if (lane < 0) {
        return;
    }
    for (uint32_t i = 0; i < info->output_count; i++) {
        const uint32_t *word = core_word(core, thread, info->outputs[i].reg);
        for (unsigned c = 0; c < 4; c++) {
            memcpy(&job->batch->outputs[(i * 4 + c) * VM_LANES + (unsigned)lane], &word[c], 4);
        }
    }
    if (core->thread[thread].live) {
        job->batch->live->w[lane / 64] |= UINT64_C(1) << lane % 64;
    }
    job->lane[thread] = -1;
}

static void supply(struct batch_job *job, struct sim_core *core, unsigned thread, unsigned lane) {
    const struct vliw_info *info = &core->program->info;
    sim_core_clear(core, thread);
    for (uint32_t i = 0; i < info->input_count; i++) {
        uint32_t *word = core_word(core, thread, info->inputs[i].reg);
        for (unsigned c = 0; c < 4; c++) {
            if (info->inputs[i].mask >> c & 1u) {
                memcpy(&word[c], &job->batch->inputs[i * 4 + c][lane], 4);
            }
        }
    }
}

static uint32_t next(void *user, struct sim_core *core, unsigned first, unsigned count) {
    struct batch_job *job = user;
    const struct vliw_mask *active = &job->batch->active;
    for (unsigned i = 0; i < count; i++) {
        collect(job, core, first + i);
    }
    while (job->at < VM_LANES) {
        unsigned at = job->at, mask = (unsigned)(active->w[at / 64] >> at % 64) & ((1u << count) - 1u);
        job->at += count;
        for (unsigned i = 0; mask != 0 && i < count; i++) {
            supply(job, core, first + i, at + i);     /* neighbours too: their registers may be read */
            job->lane[first + i] = mask >> i & 1u ? (int)(at + i) : -1;
        }
        if (mask != 0 && core->hooks != NULL) {
            core->hooks->begin(core->hooks->user, at, mask);
        }
        if (mask != 0) {
            return mask;
        }
    }
    return 0;
}

void sim_batch_run(struct sim_core *core, struct sim_batch *batch, struct sim_result *result) {
    struct batch_job job = {.batch = batch};
    memset(job.lane, 0xFF, sizeof job.lane);
    memset(batch->live, 0, sizeof *batch->live);
    core->config.next = next;
    core->config.user = &job;
    sim_core_run(core, result);
    core->config.next = NULL;
}
