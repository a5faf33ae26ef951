/* SPDX-License-Identifier: MIT */
/*
 * Per-pixel figures from recorded batches. Where all lanes of a program do the same, its instructions
 * are divided among them; otherwise each quad runs again alone, and its pixels get the mean. For texture
 * reads the batch runs again with a sampler that counts. A pixel belongs to one tile and a tile to one thread at a
 * time, so nothing is locked.
 */
#include "api/view.h"

#include <stdlib.h>
#include <string.h>

#include "api/vlgl.h"
#include "vm/base/bits.h"

#define TILE 64

struct es_view {
    int kind;
    uint32_t width, height;
    uint32_t tiles_x;
    uint32_t *pixels;
    uint64_t *tiles; /* nanoseconds */
    const struct rn_draw_state *state;
    struct rn_recorder recorder;
};

/* A batch that runs again, in the executor. */
struct replay {
    const struct rn_record_batch *record;
    struct vliw_batch *batch;
    float *constants;
    bool levels;
    uint32_t reads[VM_LANES];
    int32_t level[VM_LANES]; /* of the last read, -1: none */
};

static void count_sample(void *context, const struct vliw_tex_request *request) {
    struct replay *replay = context;
    _Alignas(64) int32_t levels[VM_LANES] = {0};
    if (replay->levels) {
        rn_sample_levels(replay->record->sample_context, request, levels);
    }
    for (unsigned lane = 0; lane < VM_LANES; lane++) {
        if (request->mask.w[lane / 64] >> lane % 64 & 1) {
            replay->reads[lane]++;
            replay->level[lane] = levels[lane];
        }
    }
    replay->record->sample(replay->record->sample_context, request);
}

static void replay_end(struct replay *replay) {
    vliw_batch_destroy(replay->batch);
    free(replay->constants);
}

/* False when memory is out; replay_end then too. */
static bool replay_begin(const struct es_view *view, const struct rn_record_batch *record, struct replay *replay) {
    const struct rn_draw_state *state = view->state;
    memset(replay, 0, sizeof *replay);
    replay->record = record;
    replay->levels = view->kind == VLGL_VIEW_MIP;
    memset(replay->level, 255, sizeof replay->level);
    replay->constants = malloc((vliw_program_constants(record->program) + 1) * sizeof(float));
    replay->batch = vliw_batch_create();
    if (!replay->constants || !replay->batch || vliw_batch_bind(replay->batch, record->program) != VLIW_OK) {
        return false;
    }
    vliw_program_prepare(record->program, state->globals[VLIW_STAGE_FRAGMENT],
                         state->global_count[VLIW_STAGE_FRAGMENT], replay->constants);
    return true;
}

/* Instructions of quads first .. first + count - 1, summed over lanes; 0 after a fault. */
static uint64_t replay_run(struct replay *replay, uint32_t first, uint32_t count) {
    const struct rn_record_batch *record = replay->record;
    const struct vliw_info *info = vliw_program_info(record->program);
    struct vliw_run run = {.constants = replay->constants, .sample = count_sample, .sample_context = replay};
    for (uint32_t lane = first * 4; lane < (first + count) * 4; lane++) {
        run.active.w[lane / 64] |= UINT64_C(1) << lane % 64;
    }
    for (uint32_t i = 0; i < info->input_count; i++) {
        for (unsigned c = 0; c < 4; c++) {
            float *lanes = vliw_batch_input(replay->batch, i, c);
            if (lanes) {
                memcpy(lanes, record->inputs + ((size_t)i * 4 + c) * VM_LANES, VM_LANES * sizeof *lanes);
            }
        }
    }
    return vliw_batch_run(replay->batch, &run) == VLIW_OK ? run.instructions : 0;
}

static void add(uint32_t *pixel, uint64_t value) {
    const uint64_t sum = *pixel + value;
    *pixel = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

static void view_batch(void *user, const struct rn_record_batch *batch) {
    struct es_view *view = user;
    const struct vliw_info *info = vliw_program_info(batch->program);
    uint32_t lanes = 0;
    for (uint32_t q = 0; q < batch->quads; q++) {
        lanes += bits_popcount32(batch->covered[q]);
    }
    const bool reads = (info->flags & VLIW_USES_TEXTURE) && (view->kind == VLGL_VIEW_MIP || view->kind == VLGL_VIEW_TEXTURE_READS);
    const bool quads = view->kind == VLGL_VIEW_CYCLES && (info->flags & (VLIW_HAS_BRANCHES | VLIW_USES_DISCARD));
    struct replay replay = {.record = batch};
    const bool again = (reads || quads) && replay_begin(view, batch, &replay);
    if (again && reads) {
        replay_run(&replay, 0, batch->quads);
    }
    for (uint32_t q = 0; q < batch->quads; q++) {
        const uint64_t cycles = again && quads ? replay_run(&replay, q, 1) / 4 : batch->instructions / (batch->quads * 4);
        for (unsigned lane = 0; lane < 4; lane++) {
            const uint32_t x = (uint32_t)(batch->x + batch->qx[q]) + (lane & 1);
            const uint32_t y = (uint32_t)(batch->y + batch->qy[q]) + (lane >> 1);
            if (!(batch->covered[q] >> lane & 1) || x >= view->width || y >= view->height) {
                continue;
            }
            uint32_t *pixel = &view->pixels[(size_t)y * view->width + x];
            switch (view->kind) {
            case VLGL_VIEW_OVERDRAW: add(pixel, 1); break;
            case VLGL_VIEW_CYCLES: add(pixel, cycles); break;
            case VLGL_VIEW_TEXTURE_READS: add(pixel, replay.reads[4 * q + lane]); break;
            case VLGL_VIEW_BATCHES: *pixel = lanes; break;
            case VLGL_VIEW_MIP:
                *pixel = again && replay.level[4 * q + lane] >= 0 ? (uint32_t)replay.level[4 * q + lane] + 1 : *pixel;
                break;
            default: break;
            }
        }
    }
    replay_end(&replay);
}

static void view_tile(void *user, unsigned thread, uint32_t x, uint32_t y, uint64_t begin_ns, uint64_t end_ns) {
    struct es_view *view = user;
    (void)thread;
    if (x < view->width && y < view->height) {
        view->tiles[(size_t)(y / TILE) * view->tiles_x + x / TILE] += end_ns - begin_ns;
    }
}

struct es_view *es_view_create(int kind, uint32_t width, uint32_t height) {
    struct es_view *view = calloc(1, sizeof *view);
    if (!view) {
        return NULL;
    }
    view->kind = kind;
    view->width = width;
    view->height = height;
    view->tiles_x = (width + TILE - 1) / TILE;
    view->pixels = calloc((size_t)width * height + 1, sizeof *view->pixels);
    view->tiles = calloc((size_t)view->tiles_x * ((height + TILE - 1) / TILE) + 1, sizeof *view->tiles);
    view->recorder.user = view;
    if (kind == VLGL_VIEW_TILES) {
        view->recorder.tile = view_tile;
    } else if (kind != VLGL_VIEW_DEPTH) {
        view->recorder.batch = view_batch;
    }
    if (!view->pixels || !view->tiles) {
        es_view_destroy(view);
        return NULL;
    }
    return view;
}

void es_view_destroy(struct es_view *view) {
    if (view) {
        free(view->pixels);
        free(view->tiles);
        free(view);
    }
}

void es_view_begin_draw(struct es_view *view, const struct rn_draw_state *state) {
    view->state = state;
}

const struct rn_recorder *es_view_recorder(struct es_view *view) {
    return &view->recorder;
}

void es_view_read(const struct es_view *view, uint32_t *values) {
    for (uint32_t y = 0; y < view->height; y++) {
        for (uint32_t x = 0; x < view->width; x++) {
            const size_t at = (size_t)y * view->width + x;
            const uint64_t us = view->tiles[(size_t)(y / TILE) * view->tiles_x + x / TILE] / 1000;
            values[at] = view->kind != VLGL_VIEW_TILES ? view->pixels[at] : us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
        }
    }
}

int es_view_kind(const struct es_view *view) {
    return view->kind;
}

uint32_t es_view_width(const struct es_view *view) {
    return view->width;
}

uint32_t es_view_height(const struct es_view *view) {
    return view->height;
}
