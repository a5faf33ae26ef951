/* SPDX-License-Identifier: MIT */
/*
 * Recording: a batch's inputs are kept before its program runs over them, its outputs after, and the
 * scene's recorder is told. Only kernels that were made for a recorder come here.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "renderer/tile.h"

struct rn_record {
    float *values; /* inputs, then outputs */
    size_t capacity;
    uint8_t covered[VM_QUADS];
};

uint64_t rn_record_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

void rn_record_destroy(struct rn_record *record) {
    if (record) {
        free(record->values);
        free(record);
    }
}

/* Room for all inputs and outputs of a program. False when memory is out. */
static bool reserve(struct rn_tile_worker *w, const struct vliw_info *info) {
    const size_t need = ((size_t)info->input_count + info->output_count) * 4 * VM_LANES + 1;
    if (!w->record) {
        w->record = calloc(1, sizeof *w->record);
    }
    if (w->record && w->record->capacity < need) {
        float *grown = realloc(w->record->values, need * sizeof *grown);
        w->record->capacity = grown ? need : w->record->capacity;
        w->record->values = grown ? grown : w->record->values;
    }
    if (!w->record || w->record->capacity < need) {
        rn_tile_fault(w, VLIW_ERR_MEMORY, "out of memory while recording");
        return false;
    }
    return true;
}

static void copy(float *to, const float *from) {
    if (from) {
        memcpy(to, from, VM_LANES * sizeof *to);
    } else {
        memset(to, 0, VM_LANES * sizeof *to);
    }
}

void rn_record_before(struct rn_tile_worker *w, uint32_t quads) {
    const struct vliw_info *info = w->draw->program->info[VLIW_STAGE_FRAGMENT];
    if (!reserve(w, info)) {
        return;
    }
    for (uint32_t q = 0; q < quads; q++) {
        w->record->covered[q] = 0;
        for (unsigned s = 0; s < w->kernel->samples; s++) {
            w->record->covered[q] |= w->mask[s][q];
        }
    }
    for (uint32_t i = 0; i < info->input_count; i++) {
        for (unsigned c = 0; c < 4; c++) {
            copy(w->record->values + ((size_t)i * 4 + c) * VM_LANES, vliw_batch_input(w->batch, i, c));
        }
    }
}

void rn_record_after(struct rn_tile_worker *w, uint32_t quads, const struct vliw_run *run) {
    const struct vliw_info *info = w->draw->program->info[VLIW_STAGE_FRAGMENT];
    const struct rn_recorder *recorder = w->run->scene->recorder;
    if (w->stopped || !w->record || !recorder) {
        return;
    }
    float *outputs = w->record->values + (size_t)info->input_count * 4 * VM_LANES;
    for (uint32_t i = 0; i < info->output_count; i++) {
        for (unsigned c = 0; c < 4; c++) {
            const bool there = info->outputs[i].mask >> c & 1;
            copy(outputs + ((size_t)i * 4 + c) * VM_LANES, there ? vliw_batch_output(w->batch, i, c) : NULL);
        }
    }
    const struct rn_record_batch batch = {
        .program = w->draw->program->stage[VLIW_STAGE_FRAGMENT],
        .x = w->x,
        .y = w->y,
        .quads = quads,
        .qx = w->qx,
        .qy = w->qy,
        .covered = w->record->covered,
        .live = &run->live,
        .inputs = w->record->values,
        .outputs = outputs,
        .instructions = run->instructions,
        .sample = rn_sample,
        .sample_context = &w->sample,
    };
    const uint64_t reads = w->sample.reads;
    recorder->batch(recorder->user, &batch);
    w->sample.reads = reads; /* what the recorder sampled again is nobody's */
}
