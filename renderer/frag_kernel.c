/* SPDX-License-Identifier: MIT */
/*
 * What the tile loop does for a draw, decided once: rn_frag_draw_prepare turns program, state and the
 * framebuffer's formats into a struct rn_frag_kernel.
 *
 * Order of tests. A program that neither discards nor writes depth is tested and written early. One that
 * discards is tested early too, with its writes late, unless a failed test would change the stencil
 * (a discarded fragment must not); the batch then ends before a pixel would come twice, so the early test
 * always sees every earlier write. All others are tested and written late, in order. If nothing is
 * written, early is always right.
 */
#include "renderer/flat.h"
#include "renderer/narrow.h"
#include "renderer/tile.h"

/* A program whose outputs are the same in every lane, whatever the batch. */
static bool is_constant(const struct rn_program *program) {
    const struct vliw_info *info = program->info[VLIW_STAGE_FRAGMENT];
    return info->input_count == 0 && program->coef_count == 0 && !program->discards &&
           !(info->flags & (VLIW_USES_TEXTURE | VLIW_USES_MEMORY));
}

static void color_set(struct rn_frag_kernel *k, const struct rn_fragop_ops *ops, const struct rn_framebuffer *fb,
                      const struct rn_fragment_state *state) {
    bool fillable = true, windows = true;
    for (uint8_t i = 0; i < fb->color_count && i < RN_MAX_COLORS; i++) {
        if (!fb->color[i].image || !(state->draw_buffers >> i & 1)) {
            continue;
        }
        struct rn_color_op *op = &k->color[k->color_count];
        rn_color_op_set(op, ops, (enum rn_format)fb->color[i].image->format, state);
        if (op->channels == 0) {
            continue;
        }
        fillable = fillable && op->fillable;
        windows = windows && op->window;
        if (op->blend && op->write != rn_fragop_write_float) {
            k->track = RN_TRACK_RUNS;
        }
        k->attachment[k->color_count++] = i;
    }
    k->fill = k->constant && fillable && k->color_count > 0;
    k->blend_windows = k->constant && windows && k->color_count > 0 && k->samples == 1;
}

static bool stencil_writes(const struct rn_stencil *s) {
    return s->changes[0] || s->changes[1] || !s->only_pass[0] || !s->only_pass[1];
}

/* What a draw of this kernel may touch. */
static uint8_t targets_of(const struct rn_frag_kernel *k) {
    unsigned targets = k->depth_test ? RN_TARGET_DEPTH : 0u;
    targets |= k->stencil ? RN_TARGET_STENCIL : 0u;
    for (uint32_t i = 0; i < k->color_count && k->shade; i++) {
        targets |= 1u << k->attachment[i];
    }
    return (uint8_t)(k->fetches ? targets | ((1u << RN_MAX_COLORS) - 1u) : targets);
}

/* Early or late, and what the early tests need. */
static void order_set(struct rn_frag_kernel *k, const struct rn_program *program, struct rn_frag_draw *draw) {
    const bool writes = k->depth_write || (k->stencil && stencil_writes(k->stencil));
    const bool failing_writes = k->stencil && (!k->stencil->only_pass[0] || !k->stencil->only_pass[1]);
    const bool depth_output = program->depth_output >= 0 && k->depth_test;
    const bool kills = program->discards || k->alpha_to_coverage;
    draw->early_depth = !(kills && writes) && !depth_output;
    draw->early_test = !draw->early_depth && !depth_output && !failing_writes;
    k->tests = k->depth_test || k->stencil;
    k->late = k->tests && !draw->early_depth;
    k->late_test = k->late && !draw->early_test;
    if (k->late && !k->late_test) {
        k->track = RN_TRACK_FLUSH;
    }
    if (k->fetches) {
        k->track = RN_TRACK_FLUSH;
    }
    /* Something can be seen of a fragment: a colour, or which fragments the program kills or moves. */
    k->shade = k->color_count > 0 || (k->late && (kills || depth_output) && writes) ||
               (k->counts && (kills || depth_output));
    k->nothing = !k->shade && !writes && !k->counts;
    k->blend_windows = k->blend_windows && !k->late && !k->fetches && !k->counts;
    if (k->blend_windows) {
        k->track = RN_TRACK_NONE; /* written at once, in order */
    }
    k->plain = k->samples == 1 && k->track == RN_TRACK_NONE && !k->late && !k->counts;
}

static void depth_set(struct rn_frag_kernel *k, const struct rn_framebuffer *fb,
                      const struct rn_fragment_state *state) {
    const struct rn_image *image = fb->depth.image;
    if (!image) {
        return;
    }
    k->depth_24 = image->format == RN_FORMAT_D24;
    k->depth_steps = k->depth_24 ? 16777215.0 : 65535.0;
    k->depth_test = state->depth_test;
    k->depth_write = state->depth_test && state->depth_write && state->depth_func != RN_NEVER;
    k->depth_func = state->depth_func;
}

static void depth_functions_set(struct rn_frag_kernel *k) {
    const unsigned f = k->depth_func;
    const unsigned cls = f == RN_LESS ? RN_DEPTH_LESS : (f == RN_LEQUAL ? RN_DEPTH_LEQUAL : RN_DEPTH_ANY);
    k->depth_fn = k->depth_ops->test[k->depth_24][cls][k->depth_write && !k->late];
    k->lowers = k->depth_write && f != RN_GREATER && f != RN_GEQUAL && f != RN_EQUAL;
    k->raises = k->depth_write && f != RN_LESS && f != RN_LEQUAL && f != RN_EQUAL;
    k->hiz = k->depth_test && !k->stencil && k->samples == 1 &&
             (f == RN_LESS || f == RN_LEQUAL || f == RN_GREATER || f == RN_GEQUAL);
}

bool rn_frag_draw_prepare(struct rn_device *device, struct rn_scene *scene, struct rn_frag_draw *draw) {
    (void)device;
    const struct rn_framebuffer *fb = &scene->fb;
    const struct rn_fragment_state *state = &draw->state;
    const struct rn_program *program = draw->program;
    const enum vliw_simd level = vliw_simd_level();
    struct rn_frag_kernel *k = arena_alloc(&scene->arena, sizeof *k);
    if (!k) {
        return false;
    }
    k->rast = rn_rast_ops_for(level);
    k->depth_ops = rn_depth_ops_for(level);
    k->interp = rn_interp_ops_for(level);
    k->quads_ops = rn_quads_ops_for(level);
    k->samples = fb->samples == 4 ? 4 : 1;
    k->sample_mask = (uint8_t)((1u << k->samples) - 1u);
    k->alpha_to_coverage = state->alpha_to_coverage && k->samples > 1 && program->color_output[0] >= 0;
    if (state->sample_coverage && k->samples > 1) {
        k->sample_mask = rn_sample_coverage(state->sample_coverage_value);
        k->sample_mask ^= state->sample_coverage_invert ? 15u : 0u;
    }
    const bool record = scene->recorder && scene->recorder->batch;
    k->constant = is_constant(program) && !record;
    color_set(k, rn_fragop_ops_for(level), fb, state);
    k->fill = k->fill && !k->alpha_to_coverage;
    for (unsigned i = 0; i < RN_MAX_COLORS; i++) {
        k->fetches = k->fetches || program->last_frag_input[i] >= 0;
    }
    k->counts = state->count_passed;
    depth_set(k, fb, state);
    if (state->stencil_test && fb->stencil.image) {
        k->stencil = arena_alloc(&scene->arena, sizeof *k->stencil);
        if (!k->stencil) {
            return false;
        }
        rn_stencil_set(k->stencil, state->stencil);
    }
    order_set(k, program, draw);
    depth_functions_set(k);
    k->small = k->plain && !k->stencil ? rn_small_ops_for(level) : NULL;
    k->targets = targets_of(k);
    k->special = (uint8_t)((k->fetches ? RN_SPECIAL_FETCH : 0) | (record ? RN_SPECIAL_RECORD : 0) |
                           (k->alpha_to_coverage ? RN_SPECIAL_ALPHA : 0) | (k->late ? RN_SPECIAL_LATE : 0) |
                           (k->counts ? RN_SPECIAL_COUNT : 0));
    k->windows = k->plain && !k->special && !k->constant && !scene->tap;
    k->flat = !scene->tap && rn_flat_kernel(k, program) ? rn_flat_ops_for(level) : NULL;
    k->flat_count = rn_fragop_ops_for(level)->count;
    draw->kernel = draw->wide_kernel = k;
    draw->narrow_kernel = rn_narrow_prepare(scene, draw, k);
    return true;
}
