/* SPDX-License-Identifier: MIT */
/* Workloads of the warp machine: the programs of a drawn frame, each with the trace of its warps. */
#ifndef SAMPLES_CLI_SIM_WORKLOAD_H
#define SAMPLES_CLI_SIM_WORKLOAD_H

#include "../common/app.h"
#include "vm/model/sim.h"

struct sim_workload {
    char name[64];
    enum vliw_stage stage;
    struct sim_trace *trace;
    struct sim_trace_size size;
};

struct sim_workloads {
    struct sim_workload *at;
    size_t count, capacity;
};

/*
 * Draws one frame of a sample and appends a workload for every program that
 * ran at least 'least' warps; the first 'most' warps of each are traced. False, after a message, when it cannot be drawn.
 */
bool sim_capture(struct sim_workloads *all, const struct sample *sample, int width, int height, unsigned least,
                 unsigned most);
/* Likewise the programs of a file that was written under VLGL_WARPS. */
bool sim_recording(struct sim_workloads *all, const char *path, unsigned least);

void sim_workloads_add(struct sim_workloads *all, const struct sim_workload *workload);
void sim_workloads_free(struct sim_workloads *all);

#endif
