/* SPDX-License-Identifier: MIT */
/*
 * The pending scene of a context: opened for a framebuffer by the first draw or clear, filled with
 * primitives in arenas and commands in bins, run and closed by a flush. While open it holds
 * references on all that its fragments will need, and counts itself in scene_uses of every image
 * that it reads or writes, so that nobody changes these pixels under it.
 *
 * A scene of many small draws is launched before its time: the other threads run its tiles while
 * the calling thread fills the next one. One scene is in flight at most, with arenas, bins and
 * holds of its own; it is joined before the next launch, before a flush, before a draw samples what
 * it writes, and before the pool is wanted for chunks. Launches and joins depend on the calls alone,
 * never on time or threads, so a fault is seen at the same call everywhere; what was drawn between
 * launch and join is dropped then.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "renderer/internal.h"
#include "vm/base/bits.h"

/* ---- pointer sets -------------------------------------------------------------------- */

static uint32_t set_hash(const void *pointer) {
    const uint64_t p = (uint64_t)(uintptr_t)pointer;
    return (uint32_t)((p >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 40);
}

static bool set_grow(struct rn_ptr_set *set) {
    const uint32_t capacity = set->capacity ? set->capacity * 2 : 64;
    void **slots = calloc(capacity, sizeof *slots);
    if (!slots) {
        return false;
    }
    for (uint32_t i = 0; i < set->capacity; i++) {
        if (set->slots[i]) {
            uint32_t h = set_hash(set->slots[i]) & (capacity - 1);
            while (slots[h]) {
                h = (h + 1) & (capacity - 1);
            }
            slots[h] = set->slots[i];
        }
    }
    free(set->slots);
    set->slots = slots;
    set->capacity = capacity;
    return true;
}

int rn_ptr_set_add(struct rn_ptr_set *set, void *pointer) {
    if (set->count * 2 >= set->capacity && !set_grow(set)) {
        return -1;
    }
    uint32_t h = set_hash(pointer) & (set->capacity - 1);
    for (; set->slots[h]; h = (h + 1) & (set->capacity - 1)) {
        if (set->slots[h] == pointer) {
            return 0;
        }
    }
    set->slots[h] = pointer;
    set->count++;
    return 1;
}

static void set_clear(struct rn_ptr_set *set) {
    if (set->count) {
        memset(set->slots, 0, set->capacity * sizeof *set->slots);
        set->count = 0;
    }
}

/* ---- uses of images ------------------------------------------------------------------ */

static void image_use(struct rn_image *image, bool begin) {
    if (image) {
        atomic_fetch_add((_Atomic(uint32_t) *)&image->scene_uses, begin ? 1u : UINT32_MAX);
    }
}

static void view_use(struct rn_view *view, bool begin) {
    const struct rn_view_desc *desc = rn_view_description(view);
    const unsigned faces = desc->type == RN_TEXTURE_CUBE ? 6 : 1;
    for (unsigned f = 0; f < faces; f++) {
        for (unsigned l = 0; l < desc->levels; l++) {
            image_use(desc->images[f][l], begin);
        }
    }
}

bool rn_scene_hold_view(struct rn_context *context, struct rn_view *view) {
    const int added = rn_ptr_set_add(&context->views, view);
    if (added > 0) {
        rn_view_ref(view);
        view_use(view, true);
    }
    return added >= 0;
}

bool rn_scene_hold_program(struct rn_context *context, struct rn_program *program) {
    const int added = rn_ptr_set_add(&context->programs, program);
    if (added > 0) {
        rn_program_ref(program);
    }
    return added >= 0;
}

static struct rn_attachment *attachment(struct rn_framebuffer *fb, unsigned i) {
    return i < RN_MAX_COLORS ? &fb->color[i] : i == RN_MAX_COLORS ? &fb->depth : &fb->stencil;
}

static void framebuffer_hold(struct rn_framebuffer *fb) {
    for (unsigned i = 0; i < RN_MAX_COLORS + 2; i++) {
        struct rn_image *image = attachment(fb, i)->image;
        rn_image_ref(image);
        image_use(image, true);
    }
}

static void framebuffer_release(struct rn_framebuffer *fb) {
    for (unsigned i = 0; i < RN_MAX_COLORS + 2; i++) {
        struct rn_attachment *a = attachment(fb, i);
        image_use(a->image, false);
        rn_image_unref(a->image);
        a->image = NULL;
    }
}

static bool framebuffer_equal(const struct rn_framebuffer *a, const struct rn_framebuffer *b) {
    if (a->width != b->width || a->height != b->height || a->samples != b->samples ||
        a->color_count != b->color_count) {
        return false;
    }
    for (unsigned i = 0; i < a->color_count && i < RN_MAX_COLORS; i++) {
        if (a->color[i].image != b->color[i].image || a->color[i].slice != b->color[i].slice) {
            return false;
        }
    }
    return a->depth.image == b->depth.image && a->depth.slice == b->depth.slice &&
           a->stencil.image == b->stencil.image && a->stencil.slice == b->stencil.slice;
}

static bool writes(const struct rn_framebuffer *fb, const struct rn_image *image) {
    bool is = rn_image_overlaps(image, fb->depth.image) || rn_image_overlaps(image, fb->stencil.image);
    for (unsigned i = 0; i < RN_MAX_COLORS; i++) {
        is = is || rn_image_overlaps(image, fb->color[i].image);
    }
    return is;
}

bool rn_scene_writes_view(const struct rn_context *context, const struct rn_view *view) {
    const bool open = context->scene_open && (!context->scene.empty || context->gather.prims > 0);
    const bool flies = context->flight.up;
    if (!view || !(open || flies)) {
        return false;
    }
    const struct rn_view_desc *desc = rn_view_description(view);
    const unsigned faces = desc->type == RN_TEXTURE_CUBE ? 6 : 1;
    for (unsigned f = 0; f < faces; f++) {
        for (unsigned l = 0; l < desc->levels; l++) {
            struct rn_image *image = desc->images[f][l];
            if (!image) {
                continue;
            }
            /* Slices of one image count their own uses. */
            const bool alone = image->depth == 1 && !image->owner;
            if (alone && atomic_load((_Atomic(uint32_t) *)&image->scene_uses) == 0) {
                continue;
            }
            if ((open && writes(&context->scene.fb, image)) ||
                (flies && writes(&context->flight.scene.fb, image))) {
                return true;
            }
        }
    }
    return false;
}

/* ---- opening and closing ------------------------------------------------------------- */

bool rn_scene_open(struct rn_context *context, const struct rn_framebuffer *fb) {
    struct rn_scene *scene = &context->scene;
    if (context->scene_open) {
        if (framebuffer_equal(&scene->fb, fb)) {
            return true;
        }
        rn_scene_flush(context);
    }
    const uint32_t tiles_x = (fb->width + RN_TILE - 1) >> RN_TILE_SHIFT;
    const uint32_t tiles_y = (fb->height + RN_TILE - 1) >> RN_TILE_SHIFT, tiles = tiles_x * tiles_y;
    if (tiles > scene->bin_capacity) {
        struct rn_bin *bins = realloc(scene->bins, tiles * sizeof *bins);
        if (!bins) {
            return false;
        }
        scene->bins = bins;
        scene->bin_capacity = tiles;
    }
    if (tiles) {
        memset(scene->bins, 0, tiles * sizeof *scene->bins);
    }
    scene->fb = *fb;
    for (unsigned i = fb->color_count; i < RN_MAX_COLORS; i++) {
        scene->fb.color[i].image = NULL;
        scene->fb.color[i].slice = 0;
    }
    framebuffer_hold(&scene->fb);
    scene->tiles_x = tiles_x;
    scene->tiles_y = tiles_y;
    scene->draws = NULL;
    scene->empty = true;
    scene->owned = false;
    scene->bytes = 0;
    context->scene_open = true;
    context->work = 0;
    context->scene_id++;
    return true;
}

/* Gives back what a scene held on to. */
static void release_holds(struct rn_framebuffer *fb, struct rn_ptr_set *views,
                          struct rn_ptr_set *programs) {
    for (uint32_t i = 0; i < views->capacity; i++) {
        struct rn_view *view = views->slots[i];
        if (view) {
            view_use(view, false);
            rn_view_unref(view);
        }
    }
    for (uint32_t i = 0; i < programs->capacity; i++) {
        rn_program_unref(programs->slots[i]);
    }
    set_clear(views);
    set_clear(programs);
    framebuffer_release(fb);
}

void rn_scene_close(struct rn_context *context) {
    struct rn_scene *scene = &context->scene;
    if (!context->scene_open) {
        return;
    }
    release_holds(&scene->fb, &context->views, &context->programs);
    context->gather.slots = context->gather.prims = context->gather.coefs = 0;
    scene->draws = NULL;
    arena_reset(&scene->arena);
    for (unsigned i = 0; context->workers && i < rn_pool_threads(context->device->pool); i++) {
        struct rn_front_worker *worker = context->workers[i];
        if (worker) {
            arena_reset(&worker->arena);
            worker->prim_next = worker->prim_end = NULL;
        }
    }
    context->scene_open = false;
}

static void take_result(struct rn_context *context, const struct rn_tile_result *result) {
    for (unsigned i = 0; i < RN_COUNTER_COUNT; i++) {
        context->counters[i] += result->counters[i];
    }
    context->counters[RN_COUNTER_FLUSHES]++;
    if (context->fault.status == VLIW_OK && result->fault.status != VLIW_OK) {
        context->fault = result->fault;
    }
}

/* ---- a scene in flight --------------------------------------------------------------- */

static void swap_arenas(struct arena *a, struct arena *b) {
    const struct arena c = *a;
    *a = *b;
    *b = c;
}

static void swap_sets(struct rn_ptr_set *a, struct rn_ptr_set *b) {
    const struct rn_ptr_set c = *a;
    *a = *b;
    *b = c;
}

/* What a second scene needs, made once. False when memory is out. */
static bool flight_prepare(struct rn_context *context) {
    struct rn_flight *flight = &context->flight;
    const unsigned threads = rn_pool_threads(context->device->pool);
    if (!flight->run) {
        flight->run = rn_tile_run_create();
    }
    if (!flight->arenas) {
        flight->arenas = calloc(threads, sizeof *flight->arenas);
        for (unsigned i = 0; flight->arenas && i < threads; i++) {
            arena_init(&flight->arenas[i], 0);
        }
        arena_init(&flight->scene.arena, 0);
    }
    return flight->run && flight->arenas;
}

/* The scene in flight has been run. */
static void flight_end(struct rn_context *context, const struct rn_tile_result *result) {
    struct rn_flight *flight = &context->flight;
    flight->up = flight->held = false;
    take_result(context, result);
    release_holds(&flight->scene.fb, &flight->views, &flight->programs);
    flight->scene.draws = NULL;
    arena_reset(&flight->scene.arena);
    for (unsigned i = 0; i < rn_pool_threads(context->device->pool); i++) {
        arena_reset(&flight->arenas[i]);
    }
    if (result->fault.status != VLIW_OK) {
        rn_scene_close(context); /* came after the fault */
    }
}

void rn_scene_join(struct rn_context *context) {
    struct rn_flight *flight = &context->flight;
    if (!flight->up) {
        rn_scene_landed(context);
        return;
    }
    struct rn_tile_result result;
    memset(&result, 0, sizeof result);
    if (flight->held) {
        rn_scene_run(context->device, &flight->scene, &result);
    } else {
        rn_scene_finish(context->device, flight->run, &result);
    }
    flight_end(context, &result);
}

/* Makes the open scene the one in flight; false: there is nothing to fly, or no memory. */
static bool take_off(struct rn_context *context) {
    struct rn_flight *flight = &context->flight;
    if (context->tap || context->recorder) {
        return false; /* who listens wants to hear of one thing after the other */
    }
    rn_gather_drain(context);
    rn_scene_join(context);
    if (!context->scene_open || context->scene.empty || !flight_prepare(context)) {
        return false;
    }
    struct rn_scene *scene = &context->scene;
    const struct rn_scene spare = flight->scene;
    flight->scene = *scene;
    flight->scene.budget = context->budget;
    flight->scene.tap = NULL;
    scene->arena = spare.arena;
    scene->bins = spare.bins;
    scene->bin_capacity = spare.bin_capacity;
    scene->draws = NULL;
    swap_sets(&context->views, &flight->views);
    swap_sets(&context->programs, &flight->programs);
    for (unsigned i = 0; i < rn_pool_threads(context->device->pool); i++) {
        struct rn_front_worker *worker = context->workers ? context->workers[i] : NULL;
        if (worker) {
            swap_arenas(&worker->arena, &flight->arenas[i]);
            worker->prim_next = worker->prim_end = NULL;
        }
    }
    context->scene_open = false;
    flight->up = true;
    return true;
}

/* Whether there is enough to do in a tile: what a clear alone wants of it does not count. */
static bool is_dense(const struct rn_scene *scene, uint32_t work) {
    const uint32_t tiles = scene->tiles_x * scene->tiles_y;
    uint32_t busy = 0;
    for (uint32_t i = 0; i < tiles; i++) {
        const struct rn_bin_block *block = scene->bins[i].tail;
        busy += block && (block->cmds[block->count - 1] & 3) != RN_CMD_CLEAR;
    }
    return work >= busy * RN_TILE_WORK;
}

void rn_scene_launch(struct rn_context *context) {
    if (!context->scene_open) {
        return;
    }
    const bool now = context->launch_at >= RN_LAUNCH_WORK || is_dense(&context->scene, context->work);
    context->launch_at =
        context->launch_at < RN_LAUNCH_WORK / 2 ? context->launch_at * 2 : RN_LAUNCH_WORK;
    if (now && take_off(context)) {
        rn_scene_start(context->device, &context->flight.scene, context->flight.run, true);
    }
}

bool rn_scene_hand_over(struct rn_context *context) {
    struct rn_flight *flight = &context->flight;
    if (rn_pool_threads(context->device->pool) > 1) {
        if (!take_off(context)) {
            return false;
        }
        flight->tiles = rn_scene_prepare(context->device, &flight->scene, flight->run);
        flight->held = true;
        return true;
    }
    /* One thread: its tiles now, while what is theirs is in the cache; the result is told when it would be. */
    if (context->tap || context->recorder || context->scene.empty) {
        return false;
    }
    context->scene.budget = context->budget;
    context->scene.tap = NULL;
    memset(&flight->result, 0, sizeof flight->result);
    rn_scene_run(context->device, &context->scene, &flight->result);
    rn_scene_close(context);
    flight->ran = true;
    return true;
}

void rn_scene_landed(struct rn_context *context) {
    struct rn_flight *flight = &context->flight;
    if (flight->ran) {
        flight->ran = false;
        take_result(context, &flight->result);
        if (flight->result.fault.status != VLIW_OK) {
            rn_scene_close(context);
        }
    } else if (flight->held) {
        struct rn_tile_result result;
        memset(&result, 0, sizeof result);
        rn_scene_result(flight->run, &result);
        flight_end(context, &result);
    }
}

void rn_flight_fini(struct rn_context *context) {
    struct rn_flight *flight = &context->flight;
    rn_scene_join(context);
    for (unsigned i = 0; flight->arenas && i < rn_pool_threads(context->device->pool); i++) {
        arena_fini(&flight->arenas[i]);
    }
    if (flight->arenas) {
        arena_fini(&flight->scene.arena);
    }
    free(flight->arenas);
    free(flight->scene.bins);
    free(flight->views.slots);
    free(flight->programs.slots);
    rn_tile_run_destroy(flight->run);
}

void rn_scene_flush(struct rn_context *context) {
    context->launch_at = RN_LAUNCH_FIRST;
    rn_gather_drain(context);
    rn_scene_join(context);
    if (!context->scene_open) {
        return;
    }
    if (!context->scene.empty) {
        struct rn_tile_result result;
        memset(&result, 0, sizeof result);
        context->scene.budget = context->budget;
        context->scene.tap = context->tap;
        rn_scene_run(context->device, &context->scene, &result);
        take_result(context, &result);
    }
    rn_scene_close(context);
}

size_t rn_scene_bytes(const struct rn_context *context) {
    const struct rn_flight *flight = &context->flight;
    return (context->scene_open ? context->scene.bytes : 0) + (flight->up ? flight->scene.bytes : 0);
}

bool rn_scene_ripe(const struct rn_context *context) {
    const size_t tiles = (size_t)context->scene.tiles_x * context->scene.tiles_y * RN_RIPE_TILE_BYTES;
    return rn_scene_bytes(context) > (tiles > RN_RIPE_BYTES ? tiles : RN_RIPE_BYTES);
}

/* ---- primitives ---------------------------------------------------------------------- */

/* Primitives are carved from slabs of this size. */
#define SCENE_SLAB ((size_t)32 * 1024)

bool rn_prims_new(struct rn_front_worker *worker, uint32_t count, struct rn_prim **prims) {
    const size_t bytes = worker->draw->prim_bytes;
    worker->chunk->bytes += count * bytes;
    for (uint32_t i = 0; i < count; i++) {
        if ((size_t)(worker->prim_end - worker->prim_next) < bytes) {
            uint8_t *slab = arena_alloc_raw(&worker->arena, SCENE_SLAB, 64);
            if (!slab) {
                return false;
            }
            worker->prim_next = slab;
            worker->prim_end = slab + SCENE_SLAB;
        }
        prims[i] = (struct rn_prim *)(void *)worker->prim_next;
        worker->prim_next += bytes;
    }
    return true;
}

struct rn_prim *rn_prim_new(struct rn_front_worker *worker) {
    struct rn_prim *prim;
    if (!rn_prims_new(worker, 1, &prim)) {
        return NULL;
    }
    memset(prim, 0, sizeof *prim);
    prim->draw = worker->draw->frag;
    return prim;
}
