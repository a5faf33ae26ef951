/* SPDX-License-Identifier: MIT */
/* What tests of the front's parts share: one worker, and a draw into a square framebuffer to give to it. */
#ifndef TESTS_UNIT_FRONT_STAGE_H
#define TESTS_UNIT_FRONT_STAGE_H

#include "renderer/internal.h"
#include "tests/harness/check.h"

static struct rn_front_worker *worker;
static struct rn_front_draw draw;
static struct rn_program program;
static struct rn_chunk chunk;
static struct rn_frag_draw frag;

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
    memset(&chunk, 0, sizeof chunk);
    if (worker) {
        arena_reset(&worker->arena);
        worker->prim_next = worker->prim_end = NULL;
        worker->draw = &draw;
        worker->chunk = &chunk;
    }
    return worker != NULL;
}

#endif
