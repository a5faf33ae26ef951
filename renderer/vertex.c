/* SPDX-License-Identifier: MIT */
/*
 * Vertex shading: slots go through the vertex program in batches of VM_LANES; positions are
 * projected with clip codes at once. Outputs that the fragment program reads are copied out as they
 * come. Also makes and frees the workers' buffers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "renderer/internal.h"
#include "renderer/tap.h"
#include "vm/base/bits.h"

static const float vertex_zero[VM_LANES];

static const float *output(const struct rn_front_worker *worker, int index, unsigned component) {
    const float *p =
        index < 0 ? NULL : vliw_batch_output(worker->batch, (uint32_t)index, component);
    return p ? p : vertex_zero;
}

/* Where the batch leaves what is read of a vertex: the places stay while the program is bound. */
static void find_outputs(struct rn_front_worker *worker) {
    const struct rn_program *program = worker->draw->program;
    for (unsigned c = 0; c < 4; c++) {
        worker->position[c] = output(worker, program->position_output, c);
    }
    worker->size = output(worker, program->point_size_output, 0);
    for (uint32_t c = 0; c < program->coef_count; c++) {
        const struct rn_coef_map *map = &program->coefs[c];
        worker->varying[c] =
            map->vs_output < 0xFE ? output(worker, map->vs_output, map->vs_comp) : vertex_zero;
    }
}

/* Binds the worker's batch to the draw's program. */
static enum vliw_status bind(struct rn_front_worker *worker) {
    const struct rn_front_draw *draw = worker->draw;
    if (worker->bound == draw->program) {
        return VLIW_OK;
    }
    const enum vliw_status status =
        vliw_batch_bind(worker->batch, draw->program->stage[VLIW_STAGE_VERTEX]);
    if (status != VLIW_OK) {
        worker->bound = NULL;
        return status;
    }
    for (uint32_t i = 0; i < draw->fetch_count; i++) {
        for (unsigned c = 0; c < 4; c++) {
            worker->inputs[i][c] = draw->fetch[i].mask >> c & 1
                                       ? vliw_batch_input(worker->batch, draw->fetch[i].input, c)
                                       : NULL;
        }
    }
    find_outputs(worker);
    worker->bound = draw->program;
    return VLIW_OK;
}

/* Whole vectors: arrays of slots have room behind them, and lanes beyond n mean nothing. */
static void copy_lanes(float *to, const float *from, uint32_t n) {
    if (n <= 16) {
        memcpy(to, from, 16 * sizeof(float));
    } else {
        memcpy(to, from, VM_LANES * sizeof(float));
    }
}

static void report(struct rn_front_worker *worker, enum vliw_status status, uint32_t unit) {
    struct rn_chunk *chunk = worker->chunk;
    const struct rn_program *program = worker->draw->program;
    const char *name = program->info[VLIW_STAGE_VERTEX]->name;
    const uint32_t line = vliw_program_line(program->stage[VLIW_STAGE_VERTEX], unit);
    char place[24] = "";
    if (line) {
        snprintf(place, sizeof place, ", line %u", (unsigned)line);
    }
    chunk->status = status;
    chunk->fault.status = status;
    snprintf(chunk->fault.message, sizeof chunk->fault.message, "vertex shader%s%.80s%s: %.80s",
             name && name[0] ? " " : "", name ? name : "", place, vliw_status_text(status));
}

/* Under a tap: tells where the attributes lie as well. */
static enum vliw_status run_tapped(struct rn_front_worker *worker, uint32_t first, struct vliw_run *run) {
    const struct rn_front_draw *draw = worker->draw;
    struct vliw_tap_array arrays[RN_MAX_ATTRIBS];
    for (uint32_t i = 0; i < draw->fetch_count; i++) {
        const struct rn_fetch *f = &draw->fetch[i];
        arrays[i] = (struct vliw_tap_array){f->input, f->data, f->stride, (uint32_t)f->components * f->bytes};
    }
    struct vliw_tap_batch shown = {.elements = worker->element + first, .arrays = arrays, .array_count = draw->fetch_count};
    return rn_tap_run(draw->tap, worker->batch, draw->program->stage[VLIW_STAGE_VERTEX], run, &shown);
}

/* Shades n slots, n <= VM_LANES, from 'first' on. */
static bool shade(struct rn_front_worker *worker, uint32_t first, uint32_t n) {
    const struct rn_front_draw *draw = worker->draw;
    const struct rn_program *program = draw->program;
    struct rn_chunk *chunk = worker->chunk;
    const struct rn_slots *s = &worker->slots;
    struct vliw_run run;
    rn_run_clear(&run);
    for (uint32_t i = 0; i < VM_MASK_WORDS; i++) {
        const uint32_t lanes = n > i * 64 ? n - i * 64 : 0;
        run.active.w[i] = lanes >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << lanes) - 1;
    }
    run.constants = draw->constants;
    run.sample = rn_sample;
    run.sample_context = &worker->sample;
    run.budget = draw->budget;
    rn_fetch_batch(worker, first, n);
    const enum vliw_status status = BITS_LIKELY(!draw->tap) ? vliw_batch_run(worker->batch, &run)
                                                            : run_tapped(worker, first, &run);
    chunk->instructions += run.instructions;
    chunk->vertices += n;
    if (status != VLIW_OK) {
        report(worker, status, run.fault_unit);
        return false;
    }
    float *const to[4] = {s->x, s->y, s->z, s->w};
    for (unsigned c = 0; c < 4; c++) {
        copy_lanes(to[c] + first, worker->position[c], n);
    }
    for (uint32_t c = 0; c < program->coef_count; c++) {
        copy_lanes(rn_slot_varying(worker, (int32_t)first, c), worker->varying[c], n);
    }
    if (program->point_size_output >= 0) {
        copy_lanes(s->size + first, worker->size, n);
    }
    return true;
}

static bool ready(struct rn_front_worker *worker) {
    const enum vliw_status bound = bind(worker);
    if (bound != VLIW_OK) {
        worker->chunk->status = bound;
        return false;
    }
    worker->sample.views = worker->draw->views;
    return true;
}

bool rn_vertex_shade(struct rn_front_worker *worker, uint32_t first, uint32_t end) {
    bool going = ready(worker);
    for (; going && first < end; first += VM_LANES) {
        going = shade(worker, first, end - first < VM_LANES ? end - first : VM_LANES);
    }
    return going;
}

bool rn_vertex_run(struct rn_front_worker *worker, uint32_t count, uint32_t *codes_and,
                   uint32_t *codes_or) {
    const struct rn_front_draw *draw = worker->draw;
    *codes_and = 0xFFFFFFFFu;
    *codes_or = 0;
    if (!ready(worker)) {
        return false;
    }
    for (uint32_t first = 0; first < count; first += VM_LANES) {
        const uint32_t n = count - first < VM_LANES ? count - first : VM_LANES;
        if (!shade(worker, first, n)) {
            return false;
        }
        uint32_t all, any;
        draw->kernels->project(&draw->viewport, &worker->slots, first, n, &all, &any);
        *codes_and &= all;
        *codes_or |= any;
    }
    return true;
}

/* ---- the worker's memory ------------------------------------------------------------- */

struct rn_front_worker *rn_front_worker_create(void) {
    struct rn_front_worker *w = aligned_alloc(BITS_APART, sizeof *w);
    if (!w) {
        return NULL;
    }
    memset(w, 0, sizeof *w);
    arena_init(&w->arena, 0);
    w->batch = vliw_batch_create();
    /* One block, not zeroed: the pages of small draws are the only ones that get touched. */
    const size_t array = (size_t)RN_SLOT_ARRAY * 4,
                 prims = (RN_CHUNK_PRIMS_INDEXED + 64) * sizeof(int32_t);
    const size_t spots = RN_SLOT_ARRAY * sizeof(struct rn_spot);
    const size_t bytes =
        (9 + RN_MAX_COEFS) * array + spots + 3 * prims + rn_vcache_bytes() + 64;
    uint8_t *p = malloc(bytes);
    w->memory = p;
    if (!w->batch || !p) {
        rn_front_worker_destroy(w);
        return NULL;
    }
    p += (64 - ((uintptr_t)p & 63)) & 63;
    float **const floats[] = {&w->slots.x, &w->slots.y, &w->slots.z, &w->slots.w, &w->slots.size};
    uint32_t **const words[] = {&w->element, &w->instance, &w->index};
    w->slots.spot = (struct rn_spot *)(void *)p;
    p += spots;
    for (unsigned i = 0; i < 5; i++, p += array) {
        *floats[i] = (float *)(void *)p;
    }
    w->corner = (int32_t *)(void *)p;
    p += array;
    for (unsigned i = 0; i < 3; i++, p += array) {
        *words[i] = (uint32_t *)(void *)p;
    }
    for (unsigned i = 0; i < 3; i++, p += prims) {
        w->prim[i] = (int32_t *)(void *)p;
    }
    w->vcache = (struct rn_vcache *)(void *)p;
    p += bits_align_up((uint32_t)rn_vcache_bytes(), 16);
    w->varyings = (float *)(void *)p;
    return w;
}

void rn_front_worker_destroy(struct rn_front_worker *worker) {
    if (!worker) {
        return;
    }
    vliw_batch_destroy(worker->batch);
    arena_fini(&worker->arena);
    free(worker->own);
    free(worker->touched);
    free(worker->memory);
    free(worker);
}
