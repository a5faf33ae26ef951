/* SPDX-License-Identifier: MIT */
/*
 * One draw: the state is bound (what stays equal from draw to draw is kept), fragment data is
 * frozen in the scene, and the primitives run in chunks from indices to set-up primitives, on all
 * threads if there are several chunks. Finished chunks are binned in order by the calling thread,
 * so the picture, the counters and the first fault are the same for any number of threads.
 */
#include <stdlib.h>
#include <string.h>

#include "renderer/internal.h"
#include "vm/base/bits.h"
#include "vm/base/fpenv.h"

/* ---- binding the state --------------------------------------------------------------- */

/* What depends on nothing but the state's serial. */
static void bind_state(struct rn_context *context, const struct rn_draw_state *state) {
    struct rn_front_draw *draw = &context->draw;
    const struct rn_framebuffer *fb = state->framebuffer;
    const int32_t *v = state->viewport;
    const struct rn_rect whole = {0, 0, (int32_t)fb->width, (int32_t)fb->height};
    struct rn_rect box = rn_rect_intersect(whole, state->scissor);
    draw->program = state->program;
    draw->kernels = rn_front_kernels_for(context->level);
    draw->input = rn_input_kernels_for(context->level);
    draw->width = fb->width;
    draw->height = fb->height;
    draw->front_cw = state->front_cw;
    draw->samples = fb->samples > 1 ? fb->samples : 1;
    draw->prim_bytes =
        (sizeof(struct rn_prim) + state->program->coef_count * sizeof(struct rn_plane) + 15) &
        ~(size_t)15;
    draw->nothing = v[2] <= 0 || v[3] <= 0;
    if (!draw->nothing) {
        const int64_t x1 = (int64_t)v[0] + v[2], y1 = (int64_t)v[1] + v[3];
        const struct rn_rect viewport = {v[0], v[1], x1 > INT32_MAX ? INT32_MAX : (int32_t)x1,
                                         y1 > INT32_MAX ? INT32_MAX : (int32_t)y1};
        box = rn_rect_intersect(box, viewport);
        draw->nothing = rn_rect_empty(box);
        rn_viewport_set(&draw->viewport, state);
    }
    draw->cull.box = box;
    draw->cull.lo = draw->samples > 1 ? 0 : RN_SUBPIXEL / 2 - 1;
    draw->cull.hi = draw->samples > 1 ? 0 : RN_SUBPIXEL / 2;
    const bool front = state->cull & 1, back = state->cull & 2;
    draw->cull.positive = state->front_cw ? back : front;
    draw->cull.negative = state->front_cw ? front : back;
    const struct rn_image *depth = fb->depth.image;
    const unsigned bits = depth ? rn_format_info((enum rn_format)depth->format)->bits[0] : 0;
    draw->depth_steps = bits ? (double)((UINT64_C(1) << bits) - 1) : 0.0;
    draw->offset_factor = state->polygon_offset && bits ? (double)state->offset_factor : 0.0;
    draw->offset_units = state->polygon_offset && bits ? (double)state->offset_units : 0.0;
    const float width = state->line_width > 1.0f ? state->line_width : 1.0f;
    const float limited = width < RN_MAX_LINE_WIDTH ? width : RN_MAX_LINE_WIDTH;
    draw->line_width = (int32_t)(limited + 0.5f);
    draw->line_width_fixed = (int32_t)(limited * (float)RN_SUBPIXEL + 0.5f);
    context->draw_valid = true;
    context->draw_serial = state->serial;
}

/* Freezes what fragments need, or goes on with what the draw before froze. */
static bool bind_fragments(struct rn_context *context, const struct rn_draw_state *state) {
    struct rn_scene *scene = &context->scene;
    struct rn_frag_draw *before = context->draw.frag;
    const bool same_state =
        before && context->frag_scene == context->scene_id && context->frag_serial == state->serial;
    if (same_state && context->frag_globals == state->globals_serial[VLIW_STAGE_FRAGMENT]) {
        return true;
    }
    struct rn_program *program = state->program;
    const struct vliw_program *code = program->stage[VLIW_STAGE_FRAGMENT];
    struct rn_frag_draw *frag = arena_alloc_raw(&scene->arena, sizeof *frag, 64);
    float *constants =
        arena_alloc_raw(&scene->arena, (vliw_program_constants(code) + 1) * sizeof(float), 64);
    if (!frag || !constants) {
        return false;
    }
    vliw_program_prepare(code, state->globals[VLIW_STAGE_FRAGMENT],
                         state->global_count[VLIW_STAGE_FRAGMENT], constants);
    if (same_state) {
        *frag = *before; /* only constants differ */
        frag->constants = constants;
    } else {
        memset(frag, 0, sizeof *frag);
        frag->program = program;
        frag->constants = constants;
        frag->state = state->fragment;
        frag->depth_lo = context->draw.viewport.depth_lo;
        frag->depth_hi = context->draw.viewport.depth_hi;
        if (!rn_scene_hold_program(context, program)) {
            return false;
        }
        const uint32_t samplers = program->info[VLIW_STAGE_FRAGMENT]->sampler_count;
        for (uint32_t i = 0; i < samplers && i < RN_MAX_TEXTURES; i++) {
            struct rn_view *view = state->views[VLIW_STAGE_FRAGMENT][i];
            if (view && !rn_scene_hold_view(context, view)) {
                return false;
            }
            frag->views[i] = view;
        }
        if (!rn_frag_draw_prepare(context->device, scene, frag)) {
            return false;
        }
    }
    frag->next = scene->draws;
    scene->draws = frag;
    context->draw.frag = frag;
    context->frag_scene = context->scene_id;
    context->frag_serial = state->serial;
    context->frag_globals = state->globals_serial[VLIW_STAGE_FRAGMENT];
    return true;
}

/* Prepares the vertex program's constants. */
static bool bind_vertices(struct rn_context *context, const struct rn_draw_state *state) {
    struct rn_front_draw *draw = &context->draw;
    struct rn_program *program = state->program;
    const struct vliw_program *code = program->stage[VLIW_STAGE_VERTEX];
    const bool same_program = context->vertex_program == program;
    if (!same_program || context->vertex_globals != state->globals_serial[VLIW_STAGE_VERTEX]) {
        const size_t need = (vliw_program_constants(code) + 1) * sizeof(float);
        if (need > context->vertex_constants_size) {
            /* 64-byte alignment is not promised to the VM, which loads single floats. */
            float *grown = realloc(context->vertex_constants, need);
            if (!grown) {
                return false;
            }
            context->vertex_constants = grown;
            context->vertex_constants_size = need;
        }
        vliw_program_prepare(code, state->globals[VLIW_STAGE_VERTEX],
                             state->global_count[VLIW_STAGE_VERTEX], context->vertex_constants);
        context->vertex_globals = state->globals_serial[VLIW_STAGE_VERTEX];
    }
    if (!same_program) {
        for (unsigned i = 0; i < rn_pool_threads(context->device->pool); i++) {
            if (context->workers[i]) {
                context->workers[i]->bound = NULL;
            }
        }
        rn_program_ref(program);
        rn_program_unref(context->vertex_program);
        context->vertex_program = program;
    }
    draw->constants = context->vertex_constants;
    draw->budget = context->budget;
    draw->tap = context->tap;
    draw->views =
        state->views[VLIW_STAGE_VERTEX]; /* the state may be another copy with this serial */
    return true;
}

/* Brings the pixels up to date that the draw samples. */
static void settle_views(const struct rn_draw_state *state) {
    for (unsigned stage = 0; stage < 2; stage++) {
        const uint32_t samplers = state->program->info[stage]->sampler_count;
        for (uint32_t i = 0; i < samplers && i < RN_MAX_TEXTURES; i++) {
            const struct rn_view *view = state->views[stage][i];
            const struct rn_view_desc *desc = view ? rn_view_description(view) : NULL;
            const unsigned faces = !desc ? 0 : desc->type == RN_TEXTURE_CUBE ? 6 : 1;
            for (unsigned f = 0; f < faces; f++) {
                for (unsigned l = 0; l < desc->levels; l++) {
                    rn_image_settle(desc->images[f][l], NULL);
                }
            }
        }
    }
}

/* Makes scene, draw and frag_draw agree with the state. */
static bool bind_all(struct rn_context *context, const struct rn_draw_state *state) {
    const bool known = context->draw_valid && context->draw_serial == state->serial;
    if (!known || !context->scene_open || context->draw_scene != context->scene_id) {
        bool reads = false;
        for (unsigned stage = 0; stage < 2; stage++) {
            const uint32_t samplers = state->program->info[stage]->sampler_count;
            for (uint32_t i = 0; i < samplers && i < RN_MAX_TEXTURES && !reads; i++) {
                reads = rn_scene_writes_view(context, state->views[stage][i]);
            }
        }
        if (reads) {
            rn_scene_flush(context);
        }
        if (!rn_scene_open(context, state->framebuffer)) {
            return false;
        }
        settle_views(state);
        if (!known) {
            bind_state(context, state);
        }
        context->draw_scene = context->scene_id;
    }
    return context->draw.nothing ||
           (bind_vertices(context, state) && bind_fragments(context, state));
}

/* ---- a chunk ------------------------------------------------------------------------- */

static bool chunk_clip(struct rn_front_worker *worker, int32_t i0, int32_t i1, int32_t i2) {
    int32_t poly[RN_CLIP_POLY] = {i0, i1, i2};
    const uint32_t corners = rn_clip(worker, poly, 3);
    worker->chunk->clipped++;
    worker->chunk->culled += corners < 3;
    return corners < 3 || rn_setup_polygon(worker, poly, corners);
}

/* Clips triangle k, after what was collected before it. */
static bool clip_one(struct rn_front_worker *worker, struct rn_setup *setup, uint32_t *lanes,
                     uint32_t k) {
    if (*lanes && !rn_setup_triangles(worker, setup, *lanes)) {
        return false;
    }
    *lanes = 0;
    worker->frag = worker->frags ? worker->frags[k] : NULL;
    return chunk_clip(worker, worker->prim[0][k], worker->prim[1][k], worker->prim[2][k]);
}

bool rn_chunk_triangles(struct rn_front_worker *worker, uint32_t count) {
    const struct rn_front_draw *draw = worker->draw;
    const struct rn_verdicts *verdicts = &worker->verdicts;
    int32_t *const *prim = worker->prim;
    struct rn_cull cull = draw->cull;
    cull.spot = worker->slots.spot;
    draw->kernels->cull(&cull, worker->prim, count, &worker->verdicts);
    struct rn_setup setup;
    uint32_t lanes = 0, kept = 0;
    for (uint32_t i = 0; i < RN_SETUP_LANES; i++) {
        setup.draw[i] = draw->frag;
    }
    for (uint32_t first = 0; first < count; first += 64) {
        const uint64_t clip = verdicts->clip[first / 64];
        uint64_t left = verdicts->keep[first / 64];
        kept += bits_popcount64(left);
        for (; left; left &= left - 1) { /* in submission order */
            const unsigned bit = bits_ctz64(left);
            const uint32_t k = first + bit;
            if (BITS_UNLIKELY(clip >> bit & 1)) {
                if (!clip_one(worker, &setup, &lanes, k)) {
                    return false;
                }
                continue;
            }
            setup.i[0][lanes] = prim[0][k];
            setup.i[1][lanes] = prim[1][k];
            setup.i[2][lanes] = prim[2][k];
            if (worker->frags) {
                setup.draw[lanes] = worker->frags[k];
            }
            if (++lanes == RN_SETUP_LANES) {
                if (!rn_setup_triangles(worker, &setup, lanes)) {
                    return false;
                }
                lanes = 0;
            }
        }
    }
    worker->chunk->culled += count - kept;
    return lanes == 0 || rn_setup_triangles(worker, &setup, lanes);
}

static bool chunk_lines(struct rn_front_worker *worker, uint32_t count) {
    const struct rn_spot *spot = worker->slots.spot;
    for (uint32_t k = 0; k < count; k++) {
        int32_t ends[RN_CLIP_POLY] = {worker->prim[0][k], worker->prim[1][k]};
        const int32_t code0 = spot[ends[0]].code, code1 = spot[ends[1]].code;
        const int32_t any = code0 | code1, all = code0 & code1;
        bool gone = (any & RN_CODE_BAD) || (all & (RN_CODE_NEAR | RN_CODE_FAR));
        if (!gone && (any & RN_CODE_CLIP)) {
            worker->chunk->clipped++;
            gone = rn_clip(worker, ends, 2) != 2;
        }
        if (gone) {
            worker->chunk->culled++;
        } else if (!rn_setup_line(worker, ends[0], ends[1])) {
            return false;
        }
    }
    return true;
}

static void chunk_run(struct rn_front_worker *worker, uint64_t first, uint32_t count) {
    const struct rn_front_draw *draw = worker->draw;
    struct rn_chunk *chunk = worker->chunk;
    const enum rn_prim_class class = rn_mode_class(draw->call->mode);
    uint32_t codes_and, codes_or;
    chunk->in = count;
    const uint32_t slots = rn_assemble(worker, first, count);
    if (!rn_vertex_run(worker, slots, &codes_and, &codes_or)) {
        return;
    }
    if (codes_and & (class == RN_CLASS_TRIANGLE ? RN_CODE_OUTSIDE : RN_CODE_NEAR | RN_CODE_FAR)) {
        chunk->culled += count;
        return;
    }
    bool fits = true;
    if (class == RN_CLASS_TRIANGLE) {
        fits = rn_chunk_triangles(worker, count);
    } else if (class == RN_CLASS_LINE) {
        fits = chunk_lines(worker, count);
    } else {
        for (uint32_t k = 0; k < count && fits; k++) {
            fits = rn_setup_point(worker, worker->prim[0][k]);
        }
    }
    if (!fits) {
        chunk->status = VLIW_ERR_MEMORY;
    }
}

/* One pool job: chunk 'index' of the group in flight. */
static void chunk_job(void *context, unsigned worker_number, uint32_t index) {
    struct rn_front_draw *draw = context;
    struct rn_front_worker *worker = draw->workers[worker_number];
    struct rn_chunk *chunk = &draw->chunks[index];
    if (index > atomic_load_explicit(&draw->stop, memory_order_relaxed)) {
        return; /* an earlier chunk failed: this one will not be used */
    }
    const uint64_t first = (draw->first_chunk + index) * draw->chunk_prims,
                   left = draw->total - first;
    worker->draw = draw;
    worker->chunk = chunk;
    chunk_run(worker, first, left < draw->chunk_prims ? (uint32_t)left : draw->chunk_prims);
    if (chunk->status != VLIW_OK) {
        unsigned stop = atomic_load_explicit(&draw->stop, memory_order_relaxed);
        while (index < stop && !atomic_compare_exchange_weak(&draw->stop, &stop, index)) {
        }
    }
    atomic_store_explicit(&chunk->ready, true, memory_order_release);
}

/* ---- the draw ------------------------------------------------------------------------ */

/* Workers 0 .. count - 1 exist afterwards; the number that do. */
static unsigned make_workers(struct rn_context *context, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        if (!context->workers[i]) {
            context->workers[i] = rn_front_worker_create();
        }
        if (!context->workers[i]) {
            return i;
        }
    }
    return count;
}

bool rn_chunk_join(struct rn_context *context, const struct rn_chunk *chunk,
                   enum vliw_status *status) {
    /* What waited has been counted, and its call is gone. */
    const bool triangles =
        chunk->in && rn_mode_class(context->draw.call->mode) == RN_CLASS_TRIANGLE;
    context->counters[RN_COUNTER_VERTICES] += chunk->vertices;
    context->counters[RN_COUNTER_VS_INSTRUCTIONS] += chunk->instructions;
    context->counters[RN_COUNTER_TRIANGLES_IN] += triangles ? chunk->in : 0;
    context->counters[RN_COUNTER_PRIMITIVES_IN] += chunk->in;
    context->counters[RN_COUNTER_PRIMITIVES_CULLED] += chunk->culled;
    context->counters[RN_COUNTER_PRIMITIVES_CLIPPED] += chunk->clipped;
    if (chunk->status != VLIW_OK) {
        if (chunk->fault.status != VLIW_OK) {
            context->fault = chunk->fault; /* the context is lost; the call itself was fine */
        } else {
            *status = chunk->status;
        }
        return false;
    }
    context->counters[RN_COUNTER_PRIMITIVES_BINNED] += chunk->binned;
    for (const struct rn_ref_block *block = chunk->head; block; block = block->next) {
        for (uint32_t i = 0; i < block->count; i++) {
            if (!rn_bin_prim(&context->scene, &block->refs[i])) {
                *status = VLIW_ERR_MEMORY;
                return false;
            }
        }
        context->scene.empty = false;
    }
    return true;
}

/* A group of chunks on all threads. Those that are done are binned by the calling thread while the
 * others are on their way. */
static bool run_parallel(struct rn_context *context, uint32_t group, enum vliw_status *status) {
    struct rn_front_draw *draw = &context->draw;
    struct rn_pool *pool = context->device->pool;
    struct rn_pool_job job;
    uint32_t next = 0;
    bool more = true, going = true;
    rn_pool_start(pool, &job, chunk_job, draw, group);
    while (going && next < group) {
        if (more) {
            more = rn_pool_help(pool, &job);
        } else {
            rn_pool_finish(pool, &job);
        }
        while (going && next < group &&
               atomic_load_explicit(&context->chunks[next].ready, memory_order_acquire)) {
            going = rn_chunk_join(context, &context->chunks[next++], status);
        }
    }
    if (!going) {
        atomic_store(&draw->stop, 0);
    }
    rn_pool_finish(pool, &job);
    return going;
}

static enum vliw_status run_chunks(struct rn_context *context, const struct rn_draw_state *state) {
    struct rn_front_draw *draw = &context->draw;
    const uint64_t chunks = (draw->total + draw->chunk_prims - 1) / draw->chunk_prims;
    const unsigned wanted = chunks > 1 ? rn_pool_threads(context->device->pool) : 1;
    const unsigned workers = make_workers(context, wanted);
    enum vliw_status status = VLIW_OK;
    draw->chunks = context->chunks;
    draw->workers = context->workers;
    for (uint64_t first = 0; first < chunks; first += RN_CHUNK_GROUP) {
        const uint32_t group =
            chunks - first < RN_CHUNK_GROUP ? (uint32_t)(chunks - first) : RN_CHUNK_GROUP;
        if (first && rn_scene_bytes(context) > RN_SCENE_BYTES) {
            rn_scene_flush(context);
            if (!bind_all(context, state)) {
                return VLIW_ERR_MEMORY;
            }
            if (context->fault.status != VLIW_OK) {
                return VLIW_OK;
            }
        }
        memset(context->chunks, 0, group * sizeof context->chunks[0]);
        draw->first_chunk = first;
        atomic_store(&draw->stop, UINT32_MAX);
        if (group > 1 && workers == wanted && wanted > 1) {
            if (!run_parallel(context, group, &status)) {
                return status;
            }
            continue;
        }
        for (uint32_t i = 0; i < group; i++) { /* binned as it comes */
            context->workers[0]->bins = &context->scene;
            chunk_job(draw, 0, i);
            context->workers[0]->bins = NULL;
            if (!rn_chunk_join(context, &context->chunks[i], &status)) {
                return status;
            }
        }
    }
    if (chunks == 1) {
        context->work += RN_DRAW_WORK + context->chunks[0].binned;
    }
    return VLIW_OK;
}

/* Whether every triangle is culled. */
static bool culls_all(const struct rn_front_draw *draw, uint8_t mode) {
    return rn_mode_class(mode) == RN_CLASS_TRIANGLE && draw->cull.positive && draw->cull.negative;
}

/* Before a draw: runs what has become too much, launches what has become enough, and frees the pool
 * for chunks. */
static void make_way(struct rn_context *context, bool chunks) {
    if (rn_scene_bytes(context) > RN_SCENE_BYTES) {
        rn_scene_flush(context);
    } else if (context->work >= RN_LAUNCH_WORK) {
        rn_scene_launch(context);
    }
    if (chunks) {
        rn_scene_join(context);
    }
}

enum vliw_status rn_draw(struct rn_context *context, const struct rn_draw_state *state,
                         const struct rn_draw_call *call) {
    struct rn_front_draw *draw = &context->draw;
    if (context->fault.status != VLIW_OK) {
        return VLIW_OK;
    }
    context->counters[RN_COUNTER_DRAWS]++;
    const uint32_t prims = rn_mode_prims(call->mode, call->count);
    if (prims == 0 || call->instances == 0) {
        return VLIW_OK;
    }
    const bool shared = call->index_bytes && rn_mode_class(call->mode) == RN_CLASS_TRIANGLE;
    const uint32_t chunk_prims = shared ? RN_CHUNK_PRIMS_INDEXED : RN_CHUNK_PRIMS;
    const uint64_t total = (uint64_t)prims * call->instances;
    const bool waits = rn_gather_fits(context, call->mode, total);
    const struct fpenv env = fpenv_enter();
    enum vliw_status status = VLIW_ERR_MEMORY;
    if (context->gather.prims && (!waits || state->serial != context->draw_serial)) {
        rn_gather_drain(context);
    }
    make_way(context, total > chunk_prims);
    if (context->fault.status != VLIW_OK) {
        status = VLIW_OK;
    } else if (bind_all(context, state)) {
        status = VLIW_OK;
        if (context->fault.status == VLIW_OK && !draw->nothing && !culls_all(draw, call->mode)) {
            draw->call = call;
            draw->prims = prims;
            draw->total = total;
            draw->chunk_prims = chunk_prims;
            rn_fetch_plan(draw, state);
            if (make_workers(context, 1) == 0) {
                status = VLIW_ERR_MEMORY;
            } else {
                status = waits ? rn_gather_add(context) : run_chunks(context, state);
            }
        }
    }
    fpenv_leave(&env);
    return rn_gather_status(context, status);
}
