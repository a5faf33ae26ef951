/* SPDX-License-Identifier: MIT */
/*
 * A primitive by rows: coverage of the tile, a mask of 64 pixels a row; then planes, program and stores of as many rows
 * as a batch has lanes for, or a row at a time without the processor. Only programs that no lane's neighbours see come
 * here (narrow.c), one sample, without depth and stencil.
 */
#include "renderer/rows.h"

#include "renderer/dispatch.h"
#include "renderer/narrow.h"

extern const struct rn_row_ops rn_row_scalar, rn_row_sse, rn_row_avx2, rn_row_avx512, rn_row_neon;
extern const struct rn_direct_ops rn_direct_scalar, rn_direct_sse, rn_direct_avx2, rn_direct_avx512, rn_direct_neon;
RN_DISPATCH(rn_row_ops, rn_row, rn_row_ops_for)
RN_DISPATCH(rn_direct_ops, rn_direct, rn_direct_ops_for)

enum { ROWS = VM_MASK_WORDS };                         /* of a batch */

/* Pixels of a row that the primitive covers. */
static uint64_t row_mask(const struct rn_cover *cover, uint32_t y) {
    const uint32_t first = y / RN_BLOCK * RN_BLOCKS;
    uint64_t mask = 0;
    for (uint32_t b = 0; b < RN_BLOCKS; b++) {
        if (cover->touched >> (first + b) & 1) {
            mask |= (cover->mask[first + b] >> y % RN_BLOCK * RN_BLOCK & 0xFFu) << b * RN_BLOCK;
        }
    }
    return mask;
}

/* Most rows are full, and not every processor that we build for counts bits by itself. */
static uint32_t pixels_of(uint64_t row) { return row == UINT64_MAX ? 64 : bits_popcount64(row); }

static uint32_t quads_of_rows(uint64_t rows) {
    return rows == UINT64_MAX ? 32 : bits_popcount64((rows | rows >> 1) & UINT64_C(0x5555555555555555));
}

/* A batch of rows from y on. False: a fault. */
static bool run_rows(struct rn_tile_worker *w, const struct rn_prim *prim, uint32_t y, const uint64_t *mask) {
    const struct rn_frag_kernel *k = w->kernel;
    struct vliw_run run;
    rn_run_clear(&run);
    for (uint32_t r = 0; r < ROWS; r++) {
        run.active.w[r] = mask[r] ? UINT64_MAX : 0;
        if (mask[r]) {
            k->rows->planes(&w->inputs, prim, w->rel_x, w->rel_y + (float)(y + r), 64 * r);
        }
    }
    w->counters[RN_COUNTER_BATCHES]++;
    if (!rn_shade_run(w, &run)) {
        return false;
    }
    w->counters[RN_COUNTER_FS_INSTRUCTIONS] += run.instructions;
    for (uint32_t r = 0; r < ROWS; r++) {
        uint64_t left = mask[r];
        if (w->draw->program->discards) {
            left &= run.live.w[r];
            w->counters[RN_COUNTER_FRAGMENTS_KILLED] += bits_popcount64(mask[r] & ~left);
        }
        for (uint32_t i = 0; i < k->color_count && left; i++) {
            const struct rn_target *t = &w->color[k->attachment[i]];
            const struct rn_row_words words = {
                &k->color[i], (const int32_t *)(const void *)(w->outputs[i][0] + 64 * r), 0, UINT32_MAX, 0};
            k->row[i](&words, t->pixels + (y + r) * t->stride, left);
        }
    }
    return true;
}

/* Columns of the tile in which the primitive can be. */
static uint64_t columns_of(const struct rn_tile_worker *w, const struct rn_prim *prim) {
    const int32_t x0 = prim->box.x0 > w->x ? prim->box.x0 - w->x : 0;
    const int32_t x1 = prim->box.x1 < w->x + w->width ? prim->box.x1 - w->x : w->width;
    return x1 > x0 ? UINT64_MAX >> (64 - (x1 - x0)) << x0 : 0;
}

static void direct_begin(struct rn_tile_worker *w, const struct rn_prim *prim, struct rn_direct_row *row,
                         struct rn_row_words *out) {
    const struct vliw_narrow_direct *d = &w->draw->program->narrow->facts.direct;
    const int16_t *coef = w->draw->narrow->direct;
    row->view = w->draw->views[d->sampler];
    row->prim = prim;
    row->s = &prim->coef[coef[0]];
    row->t = &prim->coef[coef[1]];
    row->dx = w->rel_x;
    row->trail = &w->sample.trail[d->sampler];
    w->kernel->direct->begin(row, columns_of(w, prim));
    out->op = &w->kernel->color[0];
    out->before = d->ones_before | (row->view->least_alpha > 0.0f ? 0xFF000000u : 0);
    out->factor = w->draw->direct_factor;
    out->after = d->ones;
}

static bool direct_rows(struct rn_tile_worker *w, struct rn_direct_row *row, struct rn_row_words *out, uint32_t y,
                        const uint64_t *mask) {
    const struct rn_target *t = &w->color[w->kernel->attachment[0]];
    for (uint32_t r = 0; r < ROWS; r++) {
        if (mask[r]) {
            row->dy = w->rel_y + (float)(y + r);
            out->words = w->kernel->direct->fetch(row, mask[r]);
            w->kernel->row[0](out, t->pixels + (y + r) * t->stride, mask[r]);
            w->sample.reads += pixels_of(mask[r]);
            w->counters[RN_COUNTER_FS_INSTRUCTIONS] += 64 * (uint64_t)w->draw->narrow->instructions;
        }
    }
    return true;
}

void rn_rows_prim(struct rn_tile_worker *w, const struct rn_prim *prim, bool full) {
    const uint64_t inside = columns_of(w, prim);
    const uint32_t height = (uint32_t)w->height;
    const uint32_t budget = w->run->scene->budget;
    rn_shade_flush(w);
    if (w->stopped) {
        return;
    }
    if (!full) {
        rn_rast_prim(w->kernel->rast, prim, false, w->x, w->y, rn_sample_offsets(1), &w->cover[0]);
    }
    if (w->inputs.front_facing) {
        for (uint32_t i = 0; i < VM_LANES; i++) {
            w->inputs.front_facing[i] = prim->front_facing ? 1.0f : 0.0f;
        }
    }
    struct rn_direct_row row;
    struct rn_row_words out;
    const bool direct = w->kernel->direct && (budget == 0 || budget >= w->draw->narrow->instructions);
    if (direct) {
        direct_begin(w, prim, &row, &out);
    }
    uint64_t above = 0;
    for (uint32_t y = 0; y < height; y += ROWS) {
        uint64_t mask[ROWS], any = 0;
        for (uint32_t r = 0; r < ROWS; r++) {
            mask[r] = y + r >= height ? 0 : full ? inside : row_mask(&w->cover[0], y + r) & inside;
            any |= mask[r];
            w->counters[RN_COUNTER_FRAGMENTS] += pixels_of(mask[r]);
            w->counters[RN_COUNTER_QUADS] += (y + r) % 2 ? quads_of_rows(above | mask[r]) : 0;
            above = mask[r];
        }
        if (any && !(direct ? direct_rows(w, &row, &out, y, mask) : run_rows(w, prim, y, mask))) {
            return;
        }
    }
    w->counters[RN_COUNTER_QUADS] += height % 2 && ROWS == 1 ? quads_of_rows(above) : 0;
}
