/* SPDX-License-Identifier: MIT */
/*
 * Devices and contexts. A device is the thread pool with the tile side's workers; a context is the
 * pending scene, the front's workers and what it remembers from one draw to the next. Contexts of
 * one device may be used by different threads; their parallel parts take turns in the pool.
 */
#include <stdlib.h>
#include <string.h>

#include "renderer/internal.h"
#include "vm/base/fpenv.h"

struct rn_device *rn_device_create(unsigned threads) {
    struct rn_device *device = calloc(1, sizeof *device);
    if (!device) {
        return NULL;
    }
    device->pool = rn_pool_create(threads);
    if (device->pool) {
        device->workers = rn_tile_workers_create(rn_pool_threads(device->pool));
    }
    if (!device->workers) {
        rn_device_destroy(device);
        return NULL;
    }
    return device;
}

void rn_device_destroy(struct rn_device *device) {
    if (!device) {
        return;
    }
    if (device->workers) {
        rn_tile_workers_destroy(device->workers, rn_pool_threads(device->pool));
    }
    rn_pool_destroy(device->pool);
    free(device);
}

unsigned rn_device_threads(const struct rn_device *device) {
    return rn_pool_threads(device->pool);
}

void rn_device_hold(struct rn_device *device) {
    rn_pool_hold(device->pool);
}

void rn_device_release(struct rn_device *device) {
    rn_pool_release(device->pool);
}

struct rn_context *rn_context_create(struct rn_device *device) {
    struct rn_context *context = aligned_alloc(BITS_APART, sizeof *context);
    if (!context) {
        return NULL;
    }
    memset(context, 0, sizeof *context);
    context->device = device;
    context->level = vliw_simd_level();
    context->launch_at = RN_LAUNCH_FIRST;
    arena_init(&context->scene.arena, 0);
    context->workers = calloc(rn_pool_threads(device->pool), sizeof(struct rn_front_worker *));
    if (!context->workers) {
        rn_context_destroy(context);
        return NULL;
    }
    return context;
}

void rn_context_destroy(struct rn_context *context) {
    if (!context) {
        return;
    }
    rn_flight_fini(context);
    rn_scene_close(context);
    for (unsigned i = 0; context->workers && i < rn_pool_threads(context->device->pool); i++) {
        rn_front_worker_destroy(context->workers[i]);
    }
    free(context->workers);
    rn_program_unref(context->vertex_program);
    free(context->vertex_constants);
    free(context->views.slots);
    free(context->programs.slots);
    free(context->scene.bins);
    arena_fini(&context->scene.arena);
    free(context);
}

void rn_flush(struct rn_context *context) {
    const struct fpenv env = fpenv_enter();
    rn_scene_flush(context);
    fpenv_leave(&env);
}

const struct rn_fault *rn_context_fault(const struct rn_context *context) {
    return &context->fault;
}

void rn_context_set_budget(struct rn_context *context, uint32_t budget) {
    context->budget = budget;
}

void rn_context_set_narrow(struct rn_context *context, bool narrow) {
    rn_flush(context);
    context->scene.wide = !narrow;
}

void rn_context_set_tap(struct rn_context *context, const struct vliw_tap *tap) {
    rn_flush(context);
    context->tap = context->scene.tap = tap;
}

void rn_context_counters(struct rn_context *context, uint64_t *values) {
    rn_flush(context);
    memcpy(values, context->counters, sizeof context->counters);
}

void rn_context_set_recorder(struct rn_context *context, const struct rn_recorder *recorder) {
    rn_flush(context);
    context->recorder = recorder;
    context->scene.recorder = recorder;
}
