/* SPDX-License-Identifier: MIT */
/* What tests of the front's parts share: one worker, a draw into a square framebuffer to give to it, and the primitives
 * that it made. */
#ifndef TESTS_UNIT_FRONT_STAGE_H
#define TESTS_UNIT_FRONT_STAGE_H

#include <stdlib.h>

#include "renderer/internal.h"
#include "tests/harness/check.h"

static struct rn_front_worker *worker;
static struct rn_front_draw draw;
static struct rn_program program;
static struct rn_chunk chunk;
static struct rn_frag_draw frag;

/* An empty chunk, and empty bins. */
static void chunk_begin(void) {
    memset(&chunk, 0, sizeof chunk);
    worker->chunk = &chunk;
    CHECK(rn_bins_take(worker));
    CHECK(rn_bins_own(worker, draw.tiles_x * draw.tiles_x));
    memset(&chunk, 0, sizeof chunk);
    worker->bins = worker->own;
}

static int by_address(const void *a, const void *b) {
    const struct rn_prim *const *p = a, *const *q = b;
    return *p < *q ? -1 : *p > *q;
}

/* The chunk's primitives, each once, in the order in which they were made (their memory's): those in any bin. NULL
 * behind the last. */
static const struct rn_prim *prim_at(uint32_t number) {
    static const struct rn_prim *list[16384];
    uint32_t n = 0, distinct = 0;
    for (uint32_t i = 0; i < worker->touched_count; i++) {
        for (const struct rn_bin_block *b = worker->own[worker->touched[i]].head; b; b = b->next) {
            for (uint32_t k = 0; k < b->count && n < 16384; k++) {
                list[n++] = (const struct rn_prim *)(b->cmds[k] & ~(rn_cmd)3);
            }
        }
    }
    qsort(list, n, sizeof list[0], by_address);
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || list[i] != list[i - 1]) {
            list[distinct++] = list[i];
        }
    }
    return number < distinct ? list[number] : NULL;
}

/* A draw of primitives with 'coefs' varyings into 'size' x 'size' pixels, its viewport as large from (x, y) on. */
static bool begin_at(int32_t x, int32_t y, int32_t size, uint32_t coefs) {
    const int32_t viewport[4] = {x, y, size, size};
    if (!worker) {
        worker = rn_front_worker_create();
    }
    memset(&program, 0, sizeof program);
    program.coef_count = coefs;
    program.point_size_output = -1;
    memset(&draw, 0, sizeof draw);
    draw.program = &program;
    draw.kernels = rn_front_kernels_for(vliw_simd_level());
    draw.width = draw.height = (uint32_t)size;
    draw.tiles_x = ((uint32_t)size + RN_TILE - 1) / RN_TILE;
    draw.frag = &frag;
    draw.samples = 1;
    draw.coefs = coefs;
    draw.prim_bytes = rn_prim_bytes(coefs);
    draw.depth_steps = 65535.0;
    draw.line_width = 1;
    draw.cull.box = (struct rn_rect){0, 0, size, size};
    draw.cull.lo = RN_SUBPIXEL / 2 - 1;
    draw.cull.hi = RN_SUBPIXEL / 2;
    struct rn_draw_state state = {.depth_far = 1.0f};
    memcpy(state.viewport, viewport, sizeof state.viewport);
    rn_viewport_set(&draw.viewport, &state);
    if (worker) {
        chunk_begin();
        arena_reset(&worker->arena);
        worker->prim_next = worker->prim_end = NULL;
        worker->draw = &draw;
    }
    return worker != NULL;
}

#endif
