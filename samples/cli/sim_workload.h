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
 * Draws one frame of a sample (data: what its init expects in app->data) and appends a workload for every program that
 * ran at least 'least' warps; the first 'most' warps of each are traced. False when the sample cannot be drawn;
 * 'quiet': without a message.
 */
bool sim_capture(struct sim_workloads *all, const struct sample *sample, const char *name, void *data, int width,
                 int height, unsigned least, unsigned most, bool quiet);
void sim_workloads_free(struct sim_workloads *all);

/* Shader pairs of glmark2-data, drawn by sim_glmark_sample with the pair as data. */
struct sim_pair {
    const char *name, *vertex, *fragment;
    bool screen; /* the whole picture instead of a sphere */
};
const struct sim_pair *sim_glmark_pairs(unsigned *count);
bool sim_glmark_present(void);
extern const struct sample sim_glmark_sample;

#endif
