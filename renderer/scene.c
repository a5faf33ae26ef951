/* SPDX-License-Identifier: MIT */
/*
 * The pending scene of a context: opened for a framebuffer by the first draw or clear, filled with
 * primitives in arenas and commands in bins, run and closed by a flush. While open it holds
 * references on all that its fragments will need, and counts itself in scene_uses of every image
 * that it reads or writes, so that nobody changes these pixels under it.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "renderer/internal.h"

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

bool rn_scene_writes_view(const struct rn_context *context, const struct rn_view *view) {
    if (!context->scene_open || context->scene.empty || !view) {
        return false;
    }
    const struct rn_framebuffer *fb = &context->scene.fb;
    const struct rn_view_desc *desc = rn_view_description(view);
    const unsigned faces = desc->type == RN_TEXTURE_CUBE ? 6 : 1;
    for (unsigned f = 0; f < faces; f++) {
        for (unsigned l = 0; l < desc->levels; l++) {
            const struct rn_image *image = desc->images[f][l];
            if (!image || atomic_load((_Atomic(uint32_t) *)&desc->images[f][l]->scene_uses) == 0) {
                continue;
            }
            if (image == fb->depth.image || image == fb->stencil.image) {
                return true;
            }
            for (unsigned i = 0; i < RN_MAX_COLORS; i++) {
                if (image == fb->color[i].image) {
                    return true;
                }
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
    context->scene_open = true;
    context->scene_id++;
    return true;
}

void rn_scene_close(struct rn_context *context) {
    struct rn_scene *scene = &context->scene;
    if (!context->scene_open) {
        return;
    }
    for (uint32_t i = 0; i < context->views.capacity; i++) {
        struct rn_view *view = context->views.slots[i];
        if (view) {
            view_use(view, false);
            rn_view_unref(view);
        }
    }
    for (uint32_t i = 0; i < context->programs.capacity; i++) {
        rn_program_unref(context->programs.slots[i]);
    }
    set_clear(&context->views);
    set_clear(&context->programs);
    framebuffer_release(&scene->fb);
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

void rn_scene_flush(struct rn_context *context) {
    if (!context->scene_open) {
        return;
    }
    if (!context->scene.empty) {
        struct rn_tile_result result;
        memset(&result, 0, sizeof result);
        context->scene.budget = context->budget;
        context->scene.tap = context->tap;
        rn_scene_run(context->device, &context->scene, &result);
        for (unsigned i = 0; i < RN_COUNTER_COUNT; i++) {
            context->counters[i] += result.counters[i];
        }
        context->counters[RN_COUNTER_FLUSHES]++;
        if (context->fault.status == VLIW_OK && result.fault.status != VLIW_OK) {
            context->fault = result.fault;
        }
    }
    rn_scene_close(context);
}

size_t rn_scene_bytes(const struct rn_context *context) {
    size_t bytes = context->scene.arena.used;
    for (unsigned i = 0; context->workers && i < rn_pool_threads(context->device->pool); i++) {
        bytes += context->workers[i] ? context->workers[i]->arena.used : 0;
    }
    return bytes;
}

/* ---- primitives ---------------------------------------------------------------------- */

/* Primitives are carved from slabs of this size. */
#define SCENE_SLAB ((size_t)32 * 1024)

bool rn_prims_new(struct rn_front_worker *worker, uint32_t count, struct rn_prim **prims) {
    const size_t bytes = worker->draw->prim_bytes;
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

/* Whether a box within one tile covers the tile's part of the framebuffer. */
static bool fills_tile(const struct rn_front_draw *draw, const struct rn_box16 *box) {
    const int32_t fb_x = (int32_t)draw->width, fb_y = (int32_t)draw->height;
    const bool x = box->x0 % RN_TILE == 0 && (box->x1 % RN_TILE == 0 || box->x1 == fb_x);
    const bool y = box->y0 % RN_TILE == 0 && (box->y1 % RN_TILE == 0 || box->y1 == fb_y);
    return x && y;
}

static struct rn_ref_block *refs_block(struct rn_front_worker *worker) {
    struct rn_chunk *chunk = worker->chunk;
    struct rn_ref_block *block = arena_alloc_raw(&worker->arena, sizeof *block, 16);
    if (block) {
        block->next = NULL;
        block->count = 0;
        *(chunk->tail ? &chunk->tail->next : &chunk->head) = block;
        chunk->tail = block;
    }
    return block;
}

bool rn_prim_push(struct rn_front_worker *worker, struct rn_prim *prim) {
    struct rn_chunk *chunk = worker->chunk;
    struct rn_ref_block *block = chunk->tail;
    if (!block || block->count == RN_REF_BLOCK) {
        block = refs_block(worker);
        if (!block) {
            return false;
        }
    }
    struct rn_bin_ref *ref = &block->refs[block->count++];
    const struct rn_box16 box = prim->box;
    const unsigned x0 = (unsigned)box.x0 >> RN_TILE_SHIFT, x1 = (box.x1 - 1u) >> RN_TILE_SHIFT;
    const unsigned y0 = (unsigned)box.y0 >> RN_TILE_SHIFT, y1 = (box.y1 - 1u) >> RN_TILE_SHIFT;
    const bool one_tile = ((x0 ^ x1) | (y0 ^ y1)) == 0;
    ref->prim = prim;
    ref->x0 = (uint8_t)x0;
    ref->y0 = (uint8_t)y0;
    ref->x1 = (uint8_t)x1;
    ref->y1 = (uint8_t)y1;
    ref->cmd = prim->tiny ? RN_CMD_PRIM_TINY : RN_CMD_PRIM;
    ref->simple = one_tile && (prim->tiny || (prim->kind != RN_PRIM_LINE && !fills_tile(worker->draw, &prim->box)));
    chunk->binned++;
    return true;
}
