/* SPDX-License-Identifier: MIT */
/*
 * Tiles: a scene's bins are run by the pool, a tile at a time on one thread. A tile works in place, on a
 * window of the surfaces in their own formats, and runs its commands in submission order. Tiles share
 * nothing but the first fault, so the result is the same for any number of threads: a
 * fault ends its own tile and those with a higher number, and the lowest one is reported.
 */
#include "renderer/flat.h"
#include "renderer/rows.h"
#include "renderer/tile.h"

#include <stdlib.h>
#include <string.h>

struct rn_tile_workers *rn_tile_workers_create(unsigned threads) {
    struct rn_tile_workers *workers = calloc(1, sizeof *workers);
    if (!workers) {
        return NULL;
    }
    atomic_init(&workers->serial, 0);
    workers->worker = aligned_alloc(RN_PAGE, sizeof *workers->worker * threads);
    if (!workers->worker) {
        free(workers);
        return NULL;
    }
    memset(workers->worker, 0, sizeof *workers->worker * threads);
    for (unsigned i = 0; i < threads; i++) {
        workers->worker[i].batch = vliw_batch_create();
        workers->worker[i].run_serial = 1;
        if (!workers->worker[i].batch) {
            rn_tile_workers_destroy(workers, threads);
            return NULL;
        }
    }
    return workers;
}

void rn_tile_workers_destroy(struct rn_tile_workers *workers, unsigned threads) {
    if (!workers) {
        return;
    }
    for (unsigned i = 0; i < threads; i++) {
        vliw_batch_destroy(workers->worker[i].batch);
        rn_record_destroy(workers->worker[i].record);
    }
    free(workers->worker);
    free(workers);
}

void rn_tile_fault(struct rn_tile_worker *w, enum vliw_status status, const char *message) {
    struct rn_tile_run *run = w->run;
    w->stopped = true;
    w->quads = w->windows = w->flats.count = w->flats.windows = 0;
    pthread_mutex_lock(&run->lock);
    if (w->index < atomic_load_explicit(&run->fault_tile, memory_order_relaxed)) {
        atomic_store_explicit(&run->fault_tile, w->index, memory_order_relaxed);
        run->fault.status = status;
        size_t length = strlen(message);
        length = length < sizeof run->fault.message - 1 ? length : sizeof run->fault.message - 1;
        memcpy(run->fault.message, message, length);
        run->fault.message[length] = '\0';
    }
    pthread_mutex_unlock(&run->lock);
}

/* ---- one tile --------------------------------------------------------------------------------------------- */

static void target_set(struct rn_target *target, const struct rn_attachment *from, int32_t x, int32_t y) {
    const struct rn_image *image = from->image;
    memset(target, 0, sizeof *target);
    if (!image || !image->data) {
        return;
    }
    target->format = image->format;
    target->bytes = rn_format_info((enum rn_format)image->format)->bytes;
    target->stride = image->row_bytes;
    target->sample_stride = image->depth * image->slice_bytes;
    target->image = from->image;
    if (image->blank) {
        target->blank = &image->blank->tile[((size_t)y >> RN_TILE_SHIFT) * image->blank->tiles_x + ((size_t)x >> RN_TILE_SHIFT)];
    }
    target->pixels =
        image->data + from->slice * image->slice_bytes + (size_t)y * image->row_bytes + (size_t)x * target->bytes;
}

static bool take_blank(const struct rn_target *target) {
    return target->blank && rn_blank_take(target->blank);
}

static void tile_begin(struct rn_tile_worker *w, struct rn_tile_run *run, unsigned worker, uint32_t index) {
    const struct rn_scene *scene = run->scene;
    const struct rn_framebuffer *fb = &scene->fb;
    if (w->serial != run->serial) {
        w->serial = run->serial;
        w->bound = NULL; /* programs of another scene may be gone */
    }
    w->run = run;
    w->counters = run->counters[worker].of;
    w->index = index;
    w->x = (int32_t)(index % scene->tiles_x) * RN_TILE;
    w->y = (int32_t)(index / scene->tiles_x) * RN_TILE;
    w->width = (int32_t)fb->width - w->x < RN_TILE ? (int32_t)fb->width - w->x : RN_TILE;
    w->height = (int32_t)fb->height - w->y < RN_TILE ? (int32_t)fb->height - w->y : RN_TILE;
    w->draw = NULL;
    w->kernel = NULL;
    w->quads = w->windows = w->flats.count = w->flats.windows = 0;
    w->stopped = w->flat = false;
    memset(w->stamp, 0, sizeof w->stamp);
    w->z_max_known = w->z_min_known = false;
    memset(w->z_max, 255, sizeof w->z_max);
    memset(w->z_min, 0, sizeof w->z_min);
    w->run_serial = 1;
    for (unsigned i = 0; i < RN_MAX_COLORS; i++) {
        static const struct rn_attachment none = {NULL, 0};
        target_set(&w->color[i], i < fb->color_count ? &fb->color[i] : &none, w->x, w->y);
    }
    target_set(&w->depth, &fb->depth, w->x, w->y);
    target_set(&w->stencil, &fb->stencil, w->x, w->y);
    w->color_asked = w->depth_asked = false;
    w->blank = 0;
    for (unsigned i = 1; i < RN_MAX_COLORS; i++) { /* an image that is attached twice has one note for both */
        for (unsigned j = 0; j < i && w->color[i].blank; j++) {
            if (w->color[i].image == w->color[j].image) {
                rn_image_settle(w->color[i].image, NULL);
                w->color[i].blank = w->color[j].blank = NULL;
            }
        }
    }
    for (unsigned i = 0; i < RN_MAX_COLORS; i++) {
        w->blank |= take_blank(&w->color[i]) ? (uint8_t)(1u << i) : 0;
    }
    if (take_blank(&w->depth)) {
        uint32_t value = 0;
        uint16_t value_16;
        memcpy(&value, w->depth.blank->pixel, sizeof value);
        memcpy(&value_16, w->depth.blank->pixel, sizeof value_16);
        rn_depth_bounds_set(w, w->depth.bytes == 4 ? value : value_16);
        w->blank |= RN_TARGET_DEPTH;
    }
    w->blank |= take_blank(&w->stencil) ? RN_TARGET_STENCIL : 0;
    w->owed = w->blank;
}

/* Asks for a surface's part of the tile: rows lie far apart, which no hardware foresees. */
static void tile_prefetch(const struct rn_tile_worker *w, const struct rn_target *t) {
    if (!t->pixels) {
        return;
    }
    const size_t row = (size_t)w->width * t->bytes;
    for (int32_t y = 0; y < w->height; y++) {
        for (size_t x = 0; x < row; x += 64) {
            BITS_PREFETCH_WRITE(t->pixels + (size_t)y * t->stride + x);
        }
    }
}

/* Makes the tile ready for a primitive of this draw; false: it needs nothing more. */
static inline bool tile_ready(struct rn_tile_worker *w, const struct rn_frag_draw *draw, bool full) {
    if (w->draw != draw) {
        rn_shade_begin(w, draw);
        if (w->stopped) {
            return false;
        }
    }
    const struct rn_frag_kernel *k = w->kernel;
    if (k->nothing || (full && rn_collect_fill_tile(w))) {
        return false;
    }
    if (k->depth_test && !w->depth_asked) {
        w->depth_asked = true;
        tile_prefetch(w, &w->depth);
    }
    if (k->shade && !w->color_asked) {
        w->color_asked = true;
        tile_prefetch(w, &w->color[0]);
    }
    if (w->blank & k->targets) {
        (full && k->covers ? rn_tile_overwrite : rn_tile_settle)(w, k->targets);
    }
    return true;
}

/* The windows of a small triangle. */
static inline void tile_windows(struct rn_tile_worker *w, const struct rn_prim *prim, const struct rn_windows *windows) {
    const unsigned samples = w->kernel->samples;
    for (uint32_t row = 0; row < windows->rows; row++) {
        for (uint32_t column = 0; column < windows->columns && !w->stopped; column++) {
            uint64_t mask[RN_MAX_SAMPLES], any = 0;
            for (unsigned s = 0; s < samples; s++) {
                mask[s] = windows->mask[s][2 * row + column];
                any |= mask[s];
            }
            if (any) {
                rn_collect_window(w, prim, windows->x[column], windows->y[row], mask);
            }
        }
    }
}

/* A line, walked from window to window: a pixel outside of the last one begins the next. */
static void tile_line(struct rn_tile_worker *w, const struct rn_prim *prim) {
    const bool mx = prim->major_x;
    const int32_t x0 = prim->box.x0 - w->x, y0 = prim->box.y0 - w->y, x1 = prim->box.x1 - w->x, y1 = prim->box.y1 - w->y;
    const int32_t right = rn_window_right(w), last_x = right > RN_BLOCK ? right - RN_BLOCK : 0;
    const int32_t m0 = mx ? x0 : y0, m1 = mx ? x1 : y1, n0 = mx ? y0 : x0, n1 = mx ? y1 : x1;
    const int32_t m_last = mx ? last_x : RN_TILE - RN_BLOCK, n_last = mx ? RN_TILE - RN_BLOCK : last_x;
    const uint32_t m_shift = mx ? 0 : 3, n_shift = 3 - m_shift;
    const int32_t m_first = m0 > 0 ? m0 : 0, m_end = m1 < RN_TILE ? m1 : RN_TILE;
    const int32_t n_first = n0 > 0 ? n0 : 0, n_end = n1 < RN_TILE ? n1 : RN_TILE;
    const int32_t before = prim->minor_step < 0 ? RN_BLOCK - 2 : 0; /* where it falls windows lie below their first pixel */
    int64_t minor = prim->minor0 + prim->minor_step * (m_first + (mx ? w->x : w->y)) - ((int64_t)(mx ? w->y : w->x) << 32);
    int32_t wm = -RN_BLOCK, wn = 0;
    uint64_t mask[RN_MAX_SAMPLES] = {0};
    for (int32_t m = m_first; m < m_end; m++, minor += prim->minor_step) {
        const int32_t n = (int32_t)(minor >> 32);
        if (n < n_first || n >= n_end) {
            continue;
        }
        if ((uint32_t)(m - wm) >= RN_BLOCK || (uint32_t)(n - wn) >= RN_BLOCK) {
            if (mask[0]) {
                rn_collect_window(w, prim, (uint32_t)(mx ? wm : wn), (uint32_t)(mx ? wn : wm), mask);
                if (w->stopped) {
                    return;
                }
            }
            mask[0] = 0;
            wm = (m & ~1) < m_last ? m & ~1 : m_last;
            wn = (n & ~1) > before ? (n & ~1) - before : 0;
            wn = wn < n_last ? wn : n_last;
        }
        mask[0] |= UINT64_C(1) << ((uint32_t)(m - wm) << m_shift) << ((uint32_t)(n - wn) << n_shift);
    }
    if (mask[0]) {
        rn_collect_window(w, prim, (uint32_t)(mx ? wm : wn), (uint32_t)(mx ? wn : wm), mask);
    }
}

/* Flat primitives from this one on, if it is one; returns how many commands are done, 0: it goes the usual way. */
static uint32_t tile_flat(struct rn_tile_worker *w, const struct rn_prim *prim, const rn_cmd *cmds, uint32_t count) {
    rn_flat_enter(w, prim, !w->kernel->tests || (cmds[0] & 3) != RN_CMD_PRIM_SMALL);
    if (w->stopped) {
        return 1;
    }
    return w->flat && !w->kernel->tests ? w->kernel->flat->run(w, cmds, count) : 0;
}

/* A primitive, or several flat ones from this one on; returns how many commands are done. */
static uint32_t tile_prim(struct rn_tile_worker *w, const struct rn_prim *prim, const rn_cmd *cmds, uint32_t count) {
    const bool full = (cmds[0] & 3) == RN_CMD_PRIM_FULL;
    if (!tile_ready(w, prim->draw, full)) {
        return 1;
    }
    const struct rn_frag_kernel *k = w->kernel;
    if (k->flat) {
        const uint32_t done = tile_flat(w, prim, cmds, count);
        if (done) {
            return done;
        }
    }
    w->rel_x = (float)(w->x - prim->px);
    w->rel_y = (float)(w->y - prim->py);
    if (rn_rows_wanted(w, prim, full)) {
        rn_rows_prim(w, prim, full);
        return 1;
    }
    if (k->depth_test) {
        rn_depth_plane_set(&w->plane, prim, k->depth_steps);
    }
    if (prim->kind == RN_PRIM_LINE && k->samples == 1) {
        tile_line(w, prim);
        return 1;
    }
    uint64_t mask[RN_MAX_SAMPLES], touched = 0;
    struct rn_windows windows;
    if (!full && rn_rast_small(k->rast, prim, w->x, w->y, rn_window_right(w), k->samples, &windows)) {
        tile_windows(w, prim, &windows);
        return 1;
    }
    const struct rn_sample_offset *offsets = rn_sample_offsets(k->samples);
    for (unsigned s = 0; s < k->samples; s++) {
        rn_rast_prim(k->rast, prim, full, w->x, w->y, &offsets[s], &w->cover[s]);
        touched |= w->cover[s].touched;
    }
    for (; touched && !w->stopped; touched &= touched - 1) {
        const uint32_t block = bits_ctz64(touched);
        for (unsigned s = 0; s < k->samples; s++) {
            mask[s] = w->cover[s].touched >> block & 1 ? w->cover[s].mask[block] : 0;
        }
        rn_collect_window(w, prim, block % RN_BLOCKS * RN_BLOCK, block / RN_BLOCKS * RN_BLOCK, mask);
    }
    return 1;
}

/* Small triangles from this one on; returns how many commands are done. */
static uint32_t tile_small(struct rn_tile_worker *w, const struct rn_prim *prim, const rn_cmd *cmds, uint32_t count) {
    if (!tile_ready(w, prim->draw, false)) {
        return 1;
    }
    const struct rn_frag_kernel *k = w->kernel;
    if (k->flat) {
        const uint32_t done = tile_flat(w, prim, cmds, count);
        if (done) {
            return done;
        }
    }
    if (k->small && !w->flat) {
        return k->small->run(w, cmds, count);
    }
    uint32_t x, y;
    uint64_t mask[RN_MAX_SAMPLES] = {rn_small_window(w, prim, &x, &y)};
    w->rel_x = (float)(w->x - prim->px);
    w->rel_y = (float)(w->y - prim->py);
    if (k->depth_test) {
        rn_depth_plane_set(&w->plane, prim, k->depth_steps);
    }
    if (mask[0]) {
        rn_collect_window(w, prim, x, y, mask);
    }
    return 1;
}

static void tile_end(struct rn_tile_worker *w) {
    if (!w->stopped) {
        rn_shade_flush(w);
    }
    rn_tile_give_blank(w);
    w->counters[RN_COUNTER_TEXTURE_READS] += w->sample.reads;
    w->sample.reads = 0;
}

/* Asks for what comes after the block that begins: the first primitives of the next one, whose line has been asked for
 * when the one before began, and the line of the one after that. Another thread has written them. */
static inline void block_prefetch(const struct rn_bin_block *next) {
    if (next) {
        BITS_PREFETCH(next->next);
        for (uint32_t i = 0; i < 4 && i < next->count; i++) {
            rn_prim_prefetch(next->cmds[i]);
        }
    }
}

static void tile_job(void *context, unsigned worker, uint32_t number) {
    struct rn_tile_run *run = context;
    struct rn_tile_worker *w = &run->workers[worker];
    const uint32_t index = run->tiles ? run->tiles[number] : number;
    const struct rn_bin *bin = &run->scene->bins[index];
    if (!bin->head || atomic_load_explicit(&run->fault_tile, memory_order_relaxed) < index) {
        return;
    }
    tile_begin(w, run, worker, index);
    for (const struct rn_bin_block *block = bin->head; block && !w->stopped; block = block->next) {
        block_prefetch(block->next);
        for (uint32_t i = 0; i < block->count && !w->stopped; i++) {
            const rn_cmd cmd = block->cmds[i];
            if (i + 2 < block->count) {
                rn_prim_prefetch(block->cmds[i + 2]);
            }
            const void *what = (const void *)(cmd & ~(rn_cmd)3);
            if ((cmd & 3) == RN_CMD_CLEAR) {
                rn_shade_flush(w);
                if (!w->stopped) {
                    rn_tile_clear(w, what);
                }
            } else {
                const rn_cmd *cmds = block->cmds + i;
                const uint32_t left = block->count - i;
                i += ((cmd & 3) == RN_CMD_PRIM_SMALL ? tile_small : tile_prim)(w, what, cmds, left) - 1;
            }
        }
    }
    tile_end(w);
}

/* The same, its time told. */
static void tile_job_recorded(void *context, unsigned worker, uint32_t number) {
    struct rn_tile_run *run = context;
    const struct rn_scene *scene = run->scene;
    const uint32_t index = run->tiles ? run->tiles[number] : number;
    if (!scene->bins[index].head) {
        return;
    }
    const uint64_t begin = rn_record_clock();
    tile_job(context, worker, number);
    scene->recorder->tile(scene->recorder->user, worker, index % scene->tiles_x * RN_TILE,
                          index / scene->tiles_x * RN_TILE, begin, rn_record_clock());
}

struct rn_tile_run *rn_tile_run_create(void) {
    struct rn_tile_run *run = aligned_alloc(BITS_APART, sizeof *run);
    if (run) {
        pthread_mutex_init(&run->lock, NULL);
    }
    return run;
}

void rn_tile_run_destroy(struct rn_tile_run *run) {
    if (run) {
        pthread_mutex_destroy(&run->lock);
        free(run);
    }
}

/* The same by owners. */
static uint32_t list_owned(const struct rn_scene *scene, uint32_t count, uint32_t *tiles) {
    uint32_t end[RN_POOL_THREADS] = {0}, all = 0;
    for (uint32_t i = 0; i < count; i++) {
        end[scene->bins[i].owner] += scene->bins[i].head != NULL;
    }
    for (unsigned t = 0; t < RN_POOL_THREADS; t++) {
        const uint32_t n = end[t];
        end[t] = all;
        all += n;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (scene->bins[i].head) {
            tiles[end[scene->bins[i].owner]++] = i;
        }
    }
    return all;
}

/* Lists the tiles that have something to do; returns how many. */
static uint32_t list_tiles(struct rn_tile_run *run, struct rn_scene *scene) {
    const uint32_t count = scene->tiles_x * scene->tiles_y;
    uint32_t *tiles = arena_alloc_raw(&scene->arena, count * sizeof *tiles, 16);
    run->tiles = tiles;
    if (tiles && scene->owned) {
        return list_owned(scene, count, tiles);
    }
    uint32_t n = 0;
    for (uint32_t i = 0; tiles && i < count; i++) {
        tiles[n] = i;
        n += scene->bins[i].head != NULL;
    }
    return tiles ? n : count;
}

uint32_t rn_scene_prepare(struct rn_device *device, struct rn_scene *scene, struct rn_tile_run *run) {
    run->scene = scene;
    run->workers = device->workers->worker;
    run->serial = atomic_fetch_add(&device->workers->serial, 1) + 1;
    run->threads = rn_pool_threads(device->pool);
    memset(run->counters, 0, run->threads * sizeof run->counters[0]);
    atomic_init(&run->fault_tile, UINT32_MAX);
    memset(&run->fault, 0, sizeof run->fault);
    return list_tiles(run, scene);
}

void rn_scene_tile(struct rn_tile_run *run, unsigned worker, uint32_t number) {
    tile_job(run, worker, number);
}

void rn_scene_result(struct rn_tile_run *run, struct rn_tile_result *result) {
    memset(result->counters, 0, sizeof result->counters);
    for (unsigned w = 0; w < run->threads; w++) {
        for (unsigned i = 0; i < RN_COUNTER_COUNT; i++) {
            result->counters[i] += run->counters[w].of[i];
        }
    }
    result->fault = run->fault;
}

void rn_scene_start(struct rn_device *device, struct rn_scene *scene, struct rn_tile_run *run, bool open) {
    const uint32_t count = rn_scene_prepare(device, scene, run);
    rn_pool_start(device->pool, &run->job,
                  scene->recorder && scene->recorder->tile ? tile_job_recorded : tile_job, run, count,
                  RN_POOL_PARTED | (open ? RN_POOL_OPEN : 0));
}

void rn_scene_finish(struct rn_device *device, struct rn_tile_run *run, struct rn_tile_result *result) {
    rn_pool_finish(device->pool, &run->job);
    rn_scene_result(run, result);
}

void rn_scene_run(struct rn_device *device, struct rn_scene *scene, struct rn_tile_result *result) {
    struct rn_tile_run run;
    pthread_mutex_init(&run.lock, NULL);
    rn_scene_start(device, scene, &run, false);
    rn_scene_finish(device, &run, result);
    pthread_mutex_destroy(&run.lock);
}
