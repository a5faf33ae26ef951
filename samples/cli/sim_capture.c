/* SPDX-License-Identifier: MIT */
/*
 * Frames as traces: every shader batch of a frame is run on the core once more, a quad at a time, while the textures'
 * and vertex arrays' real addresses are noted. Blocks of memory get addresses in the order in which they are met, so that
 * a trace is the same in every run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/vlgl.h"
#include "sim_workload.h"

#define PROGRAMS 64u
#define BLOCKS 256u
#define BLOCK_DISTANCE (UINT64_C(1) << 32)
#define INSTRUCTIONS_MOST 400000u /* of warps, in a trace */

struct known {
    const struct vliw_program *theirs;
    struct vliw_program *program;
    struct sim_core *core;
    struct sim_trace *trace;
};

struct capture {
    struct known known[PROGRAMS];
    unsigned count;
    const void *block[BLOCKS];
    unsigned blocks;
    float *inputs;
    uint64_t *fetch; /* [array * VM_LANES + lane] */
    uint32_t fetch_count, fetch_bytes[32], fetch_reg[32];
    unsigned most;
    bool failed;
    /* while a batch is traced */
    const struct vliw_tap_batch *batch;
    struct sim_trace *trace;
};

static uint64_t address(struct capture *c, const void *block, uint64_t offset) {
    unsigned i = 0;
    while (i < c->blocks && c->block[i] != block) {
        i++;
    }
    if (i == c->blocks) {
        if (i == BLOCKS) {
            i--;
        } else {
            c->block[c->blocks++] = block;
        }
    }
    /* a few lines apart modulo any cache's size, so that blocks do not all begin in one set */
    return (i + 1) * BLOCK_DISTANCE + i * 17 * SIM_LINE_BYTES + offset;
}

static void texel(void *user, unsigned lane, const void *block, uint64_t offset, uint32_t bytes) {
    struct capture *c = user;
    (void)lane;
    sim_trace_touch(c->trace, address(c, block, offset), bytes);
}

/* The library's sampler, behind a note of what it reads. */
static void sample(void *context, const struct vliw_tex_request *request) {
    struct capture *c = context;
    c->batch->texels(c->batch->run->sample_context, request, texel, c);
    c->batch->run->sample(c->batch->run->sample_context, request);
}

static struct known *find(struct capture *c, const struct vliw_tap_batch *b) {
    struct vliw_error error;
    for (unsigned i = 0; i < c->count; i++) {
        if (c->known[i].theirs == b->program && vliw_program_info(c->known[i].program)->units == b->image.word_count) {
            return &c->known[i];
        }
    }
    if (c->count == PROGRAMS) {
        return NULL;
    }
    struct known *k = &c->known[c->count];
    struct vliw_image *image = vliw_image_create(&b->image);
    memset(k, 0, sizeof *k);
    if (image != NULL && vliw_program_create(image, &k->program, &error) == VLIW_OK) {
        k->core = sim_core_create(k->program, NULL, &error);
        k->trace = sim_trace_create();
    }
    vliw_image_destroy(image);
    if (k->core == NULL || k->trace == NULL) {
        app_error("%s", k->program != NULL ? error.message : "out of memory");
        vliw_program_destroy(k->program);
        sim_core_destroy(k->core);
        sim_trace_destroy(k->trace);
        c->failed = true;
        return NULL;
    }
    k->theirs = b->program;
    c->count++;
    return k;
}

/* Inputs and attribute addresses, before the run overwrites them. */
static void keep(struct capture *c, const struct vliw_tap_batch *b) {
    free(c->inputs);
    free(c->fetch);
    c->inputs = app_alloc((size_t)b->image.input_count * 4 * VM_LANES * sizeof(float) + 4);
    c->fetch = app_alloc((size_t)b->array_count * VM_LANES * sizeof c->fetch[0] + 8);
    c->fetch_count = 0;
    for (uint32_t i = 0; i < b->image.input_count * 4; i++) {
        if (b->inputs[i] != NULL) {
            memcpy(c->inputs + (size_t)i * VM_LANES, b->inputs[i], VM_LANES * sizeof(float));
        }
    }
    for (uint32_t a = 0; a < b->array_count && c->fetch_count < 32; a++) {
        const struct vliw_tap_array *array = &b->arrays[a];
        if (array->data == NULL || array->bytes == 0) {
            continue;
        }
        for (unsigned lane = 0; lane < VM_LANES; lane++) {
            bool on = b->run->active.w[lane / 64] >> lane % 64 & 1u;
            c->fetch[c->fetch_count * VM_LANES + lane] =
                on ? address(c, array->data, (uint64_t)b->elements[lane] * array->stride) : 0;
        }
        c->fetch_bytes[c->fetch_count] = array->bytes;
        c->fetch_reg[c->fetch_count++] = b->image.inputs[array->input].reg;
    }
}

static void trace(struct capture *c, struct known *k, const struct vliw_tap_batch *b) {
    const float **inputs = app_alloc((size_t)b->image.input_count * 4 * sizeof inputs[0] + sizeof inputs[0]);
    struct sim_trace_batch batch = {.active = b->run->active, .inputs = inputs, .fetch_count = c->fetch_count,
                                    .fetch = c->fetch, .fetch_bytes = c->fetch_bytes, .fetch_reg = c->fetch_reg};
    struct sim_result result;
    for (uint32_t i = 0; i < b->image.input_count * 4; i++) {
        inputs[i] = b->inputs[i] != NULL ? c->inputs + (size_t)i * VM_LANES : NULL;
    }
    c->batch = b;
    c->trace = k->trace;
    sim_core_globals(k->core, (const uint32_t *)(const void *)b->run->constants, vliw_program_info(k->program)->globals);
    sim_core_attach(k->core, NULL, b->run->sample != NULL ? sample : NULL, c);
    if (!sim_trace_batch(k->trace, k->core, &batch, &result) || result.status != VLIW_OK) {
        c->failed = true;
    }
    free(inputs);
}

static void see(void *user, const struct vliw_tap_batch *b, bool done) {
    struct capture *c = user;
    if (b->lanes != VM_LANES) {
        c->failed = true;
    }
    struct known *k = c->failed ? NULL : find(c, b);
    if (k == NULL) {
        return;
    }
    struct sim_trace_size size;
    sim_trace_size(k->trace, &size);
    if (size.warps >= c->most || size.instructions >= INSTRUCTIONS_MOST) {
        return;
    }
    if (done) {
        trace(c, k, b);
    } else {
        keep(c, b);
    }
}

static bool draw(struct capture *c, const struct sample *s, int width, int height) {
    struct app app = {.name = s->name};
    struct vliw_tap tap = {c, see};
    PFNVLGLSETTAPPROC set_tap = NULL;
    setenv("VLGL_THREADS", "1", 1); /* batches come in one order, on this thread */
    if (!app_open(&app, width, height)) {
        return false;
    }
    void (*entry)(void) = eglGetProcAddress("vlglSetTap");
    memcpy(&set_tap, &entry, sizeof set_tap);
    bool ok = set_tap != NULL && s->init(&app);
    if (set_tap == NULL) {
        app_error("%s: this GL library does not show its shaders; vlgl's own is needed", s->name);
    } else if (ok) {
        set_tap(&tap);
        s->draw(&app, 0, s->time);
        glFinish();
        set_tap(NULL);
    } else {
        app_error("%s cannot be drawn", s->name);
    }
    if (set_tap != NULL) {
        s->fini(&app);
    }
    app_close(&app);
    return ok && !c->failed;
}

void sim_workloads_add(struct sim_workloads *all, const struct sim_workload *workload) {
    if (all->count == all->capacity) {
        all->capacity = all->capacity * 2 + 16;
        struct sim_workload *more = app_alloc(all->capacity * sizeof *more);
        if (all->count > 0) {
            memcpy(more, all->at, all->count * sizeof *more);
        }
        free(all->at);
        all->at = more;
    }
    all->at[all->count++] = *workload;
}

bool sim_capture(struct sim_workloads *all, const struct sample *s, int width, int height, unsigned least, unsigned most) {
    struct capture *c = app_alloc(sizeof *c);
    c->most = most;
    bool ok = draw(c, s, width, height);
    for (unsigned i = 0; i < c->count; i++) {
        struct known *k = &c->known[i];
        struct sim_workload w = {.stage = vliw_program_info(k->program)->stage, .trace = k->trace};
        sim_trace_size(k->trace, &w.size);
        snprintf(w.name, sizeof w.name, "%.40s %s%u", s->name, w.stage == VLIW_STAGE_VERTEX ? "v" : "f", i);
        if (ok && w.size.warps >= least) {
            sim_workloads_add(all, &w);
        } else {
            sim_trace_destroy(k->trace);
        }
        sim_core_destroy(k->core);
        vliw_program_destroy(k->program);
    }
    free(c->inputs);
    free(c->fetch);
    free(c);
    return ok;
}

void sim_workloads_free(struct sim_workloads *all) {
    for (size_t i = 0; i < all->count; i++) {
        sim_trace_destroy(all->at[i].trace);
    }
    free(all->at);
    memset(all, 0, sizeof *all);
}
