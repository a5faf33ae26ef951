/* SPDX-License-Identifier: MIT */
/*
 * One draw: the state is bound (bind.c), and the primitives run in chunks from indices to set-up primitives, on all
 * threads if there are several chunks. What finished chunks binned is put together in order by the calling thread,
 * so the picture, the counters and the first fault are the same for any number of threads.
 */
#include <string.h>

#include "renderer/internal.h"
#include "vm/base/bits.h"
#include "vm/base/fpenv.h"

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

/* Sets up 64 triangles from 'first' on, of which all are kept and none is clipped. */
static bool set_up_all(struct rn_front_worker *worker, struct rn_setup *setup, uint32_t first) {
    bool fits = true;
    for (uint32_t k = first; k < first + 64 && fits; k += RN_SETUP_LANES) {
        for (unsigned j = 0; j < 3; j++) {
            memcpy(setup->i[j], worker->prim[j] + k, sizeof setup->i[j]);
        }
        fits = rn_setup_triangles(worker, setup, RN_SETUP_LANES);
    }
    return fits;
}

bool rn_chunk_triangles(struct rn_front_worker *worker, uint32_t count) {
    const struct rn_front_draw *draw = worker->draw;
    const struct rn_verdicts *verdicts = &worker->verdicts;
    int32_t *const *prim = worker->prim;
    struct rn_cull cull = draw->cull;
    cull.spot = worker->slots.spot;
    for (uint32_t k = count; k & 15; k++) { /* whole vectors are read */
        prim[0][k] = prim[1][k] = prim[2][k] = 0;
    }
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
        if (!~left && !clip && !worker->frags) {
            if ((lanes && !rn_setup_triangles(worker, &setup, lanes)) || !set_up_all(worker, &setup, first)) {
                return false;
            }
            lanes = 0;
            continue;
        }
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
    chunk->worker = worker_number;
    chunk_run(worker, first, left < draw->chunk_prims ? (uint32_t)left : draw->chunk_prims);
    if (worker->bins == worker->own && !rn_bins_take(worker) && chunk->status == VLIW_OK) {
        chunk->status = VLIW_ERR_MEMORY;
    }
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
    context->scene.empty = context->scene.empty && !chunk->binned;
    context->scene.bytes += chunk->bytes;
    if (chunk->status != VLIW_OK) {
        if (chunk->fault.status != VLIW_OK) {
            context->fault = chunk->fault; /* the context is lost; the call itself was fine */
        } else {
            *status = chunk->status;
        }
        return false;
    }
    context->counters[RN_COUNTER_PRIMITIVES_BINNED] += chunk->binned;
    rn_bins_join(&context->scene, chunk);
    return true;
}

static void tile_job(void *context, unsigned worker, uint32_t index) {
    rn_scene_tile(context, worker, index);
}

/* Chunks among the first 'index' indices of a group, if 'index' begins a part of the job: as many as are due. */
static uint32_t chunks_before(const struct rn_front_draw *draw, uint64_t index) {
    return (uint32_t)((2 * index * draw->group + draw->indices) / (2 * draw->indices));
}

/* A group of chunks and the tiles of the scene that was handed over before, if any. Each thread's part of the job are
 * some chunks that follow each other and then some tiles, so that it finds in its cache what it set up before: the
 * order of tiles is that of their owners. */
static void group_job(void *context, unsigned worker, uint32_t index) {
    struct rn_front_draw *draw = context;
    const uint64_t count = draw->indices, threads = rn_pool_threads(draw->pool);
    const uint64_t part = ((index + UINT64_C(1)) * threads - 1) / count;
    const uint32_t begin = (uint32_t)(count * part / threads), end = (uint32_t)(count * (part + 1) / threads);
    const uint32_t first = chunks_before(draw, begin), chunks = chunks_before(draw, end) - first;
    if (index - begin < chunks) {
        chunk_job(draw, worker, first + index - begin);
    } else {
        rn_scene_tile(draw->tiles, worker, begin - first + (index - begin - chunks));
    }
}

/* Each worker bins for itself. False when memory is out. */
static bool bin_apart(struct rn_context *context, unsigned workers) {
    const uint32_t tiles = context->scene.tiles_x * context->scene.tiles_y;
    for (unsigned i = 0; i < workers; i++) {
        if (!rn_bins_own(context->workers[i], tiles)) {
            return false;
        }
        context->workers[i]->bins = context->workers[i]->own;
    }
    return true;
}

/* A group of chunks on all threads. What is done is put together by the calling thread while the others are on their
 * way. */
static bool run_parallel(struct rn_context *context, uint32_t tiles, enum vliw_status *status) {
    struct rn_front_draw *draw = &context->draw;
    struct rn_pool *pool = context->device->pool;
    struct rn_pool_job job;
    const uint32_t group = draw->group;
    uint32_t next = 0;
    bool more = true, going = true;
    draw->pool = pool;
    draw->indices = group + tiles;
    rn_pool_start(pool, &job, group_job, draw, group + tiles,
                  RN_POOL_PARTED | RN_POOL_SINGLE | (group + tiles > 2 ? RN_POOL_OPEN : 0));
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

/* The same without a second thread for the chunks, binned as they come; the tiles first, while what is theirs is in
 * the cache. */
static bool run_alone(struct rn_context *context, uint32_t tiles, enum vliw_status *status) {
    struct rn_front_draw *draw = &context->draw;
    rn_pool_run(context->device->pool, tile_job, draw->tiles, tiles);
    for (uint32_t i = 0; i < draw->group; i++) {
        context->workers[0]->bins = context->scene.bins;
        chunk_job(draw, 0, i);
        if (!rn_chunk_join(context, &context->chunks[i], status)) {
            return false;
        }
    }
    return true;
}

/* The draw's chunks from 'first' on that make a group. Where few primitives come to tiles groups are large. */
static uint32_t group_size(const struct rn_front_draw *draw, uint64_t first, uint64_t chunks, bool ripe) {
    const uint32_t worth = RN_GROUP_PRIMS / draw->chunk_prims;
    const uint32_t most = (first && !ripe) || worth > RN_CHUNK_GROUP ? RN_CHUNK_GROUP : worth;
    return chunks - first < most ? (uint32_t)(chunks - first) : most;
}

static enum vliw_status run_chunks(struct rn_context *context, const struct rn_draw_state *state) {
    struct rn_front_draw *draw = &context->draw;
    const uint64_t chunks = (draw->total + draw->chunk_prims - 1) / draw->chunk_prims;
    const unsigned wanted = chunks > 1 ? rn_pool_threads(context->device->pool) : 1;
    const unsigned workers = make_workers(context, wanted);
    enum vliw_status status = VLIW_OK;
    draw->chunks = context->chunks;
    draw->workers = context->workers;
    for (uint64_t first = 0; first < chunks; first += draw->group) {
        const bool ripe = first && rn_scene_ripe(context);
        if (ripe) {
            if (!rn_scene_hand_over(context) && rn_scene_bytes(context) > RN_SCENE_BYTES) {
                rn_scene_flush(context);
            }
            if (!rn_bind(context, state)) {
                return VLIW_ERR_MEMORY;
            }
            if (context->fault.status != VLIW_OK) {
                return VLIW_OK;
            }
        }
        const struct rn_flight *flight = &context->flight;
        const uint32_t tiles = flight->held ? flight->tiles : 0;
        draw->group = group_size(draw, first, chunks, ripe);
        draw->tiles = flight->run;
        memset(context->chunks, 0, draw->group * sizeof context->chunks[0]);
        draw->first_chunk = first;
        atomic_store(&draw->stop, UINT32_MAX);
        const bool parallel =
            workers == wanted && wanted > 1 && draw->group + tiles > 1 && bin_apart(context, workers);
        const bool going = (parallel ? run_parallel : run_alone)(context, tiles, &status);
        rn_scene_landed(context);
        if (!going || context->fault.status != VLIW_OK) {
            return status;
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
static void make_way(struct rn_context *context, bool waits, bool chunks) {
    const bool grown = !waits || !context->gather.prims; /* what waits is little */
    if (grown && rn_scene_bytes(context) > RN_SCENE_BYTES) {
        rn_scene_flush(context);
    } else if (context->work >= context->launch_at) {
        rn_scene_launch(context);
    }
    if (chunks) {
        rn_scene_join(context);
    }
}

/* Depends on the draw alone. Each chunk's part of a tile is a block of its own, so many points that spread are better
 * off in large chunks; eight at least are left for the threads. */
static uint32_t chunk_size(const struct rn_draw_call *call, uint64_t total) {
    if (rn_mode_class(call->mode) == RN_CLASS_TRIANGLE) {
        return call->index_bytes ? RN_CHUNK_PRIMS_INDEXED : RN_CHUNK_PRIMS;
    }
    uint32_t size = RN_CHUNK_PRIMS;
    while (size < RN_CHUNK_PRIMS_INDEXED && total >= 16 * (uint64_t)size) {
        size *= 2;
    }
    return size;
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
    const uint64_t total = (uint64_t)prims * call->instances;
    const uint32_t chunk_prims = chunk_size(call, total);
    const bool waits = rn_gather_fits(context, call->mode, total);
    const struct fpenv env = fpenv_enter();
    enum vliw_status status = VLIW_ERR_MEMORY;
    if (!waits) {
        rn_gather_drain(context);
    }
    make_way(context, waits, total > chunk_prims);
    if (context->fault.status != VLIW_OK) {
        status = VLIW_OK;
    } else if (rn_bind(context, state)) {
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
