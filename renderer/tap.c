/* SPDX-License-Identifier: MIT */
/*
 * Taps: a tool sees each batch before and after it runs, and which texels a texture read touches. Without a tap this
 * costs one test a batch. Texels are found by the sampler itself: it works on a view whose fetch functions note
 * addresses instead of reading.
 */
#include <string.h>

#include "renderer/format.h"
#include "renderer/scene.h"
#include "renderer/tap.h"
#include "renderer/texture.h"

/* ---- batches ---- */

enum vliw_status rn_tap_run(const struct vliw_tap *tap, struct vliw_batch *batch, const struct vliw_program *program,
                            struct vliw_run *run, struct vliw_tap_batch *shown) {
    const struct vliw_info *info = vliw_program_info(program);
    const float *inputs[128 * 4], *outputs[128 * 4];
    if (info->input_count > 128 || info->output_count > 128) {
        return vliw_batch_run(batch, run);
    }
    for (uint32_t i = 0; i < info->input_count * 4; i++) {
        inputs[i] = vliw_batch_input(batch, i / 4, i % 4);
    }
    vliw_program_describe(program, &shown->image);
    shown->lanes = VM_LANES;
    shown->stage = info->stage;
    shown->program = program;
    shown->inputs = inputs;
    shown->run = run;
    shown->texels = rn_tap_texels;
    tap->batch(tap->user, shown, false);
    shown->status = vliw_batch_run(batch, run);
    for (uint32_t i = 0; i < info->output_count * 4; i++) {
        outputs[i] = vliw_batch_output(batch, i / 4, i % 4);
    }
    shown->outputs = outputs;
    tap->batch(tap->user, shown, true);
    return shown->status;
}

/* ---- texels ---- */

struct noting_view {
    struct rn_view view;         /* first: a pass points here */
    vliw_texel_fn emit;
    void *user;
};

static void note(const struct rn_fetch *pass, enum rn_filter filter) {
    const struct noting_view *n = (const struct noting_view *)(const void *)pass->view;
    const struct rn_view *view = pass->view;
    const struct rn_level *level = pass->level;
    const int32_t sizes[3] = {level->width, level->height, level->depth};
    const unsigned bytes = rn_format_info((enum rn_format)view->format)->bytes;
    const int dims = view->desc.type == RN_TEXTURE_3D ? 3 : 2;
    struct rn_axis axis[3];
    for (int d = 0; d < dims; d++) {
        view->kernels->axis[filter](pass->coord[d], sizes[d], view->desc.wrap[d], &axis[d]);
    }
    for (unsigned lane = 0; lane < VM_LANES; lane++) {
        if (!(pass->mask.w[lane / 64] >> lane % 64 & 1u)) {
            continue;
        }
        const int count = filter == RN_FILTER_LINEAR ? 1 << dims : 1;
        for (int k = 0; k < count; k++) {
            size_t at[3] = {0, 0, 0};
            for (int d = 0; d < dims; d++) {
                at[d] = (size_t)(k >> d & 1 ? axis[d].i1[lane] : axis[d].i0[lane]);
            }
            n->emit(n->user, lane, level->data, at[2] * level->slice_bytes + at[1] * level->row_bytes + at[0] * bytes,
                    bytes);
        }
    }
}

static void note_nearest(const struct rn_fetch *pass) { note(pass, RN_FILTER_NEAREST); }
static void note_linear(const struct rn_fetch *pass) { note(pass, RN_FILTER_LINEAR); }

void rn_tap_texels(void *sample_context, const struct vliw_tex_request *request, vliw_texel_fn emit, void *user) {
    struct rn_sample_context *sc = sample_context, noting = {.views = NULL};
    struct noting_view n;
    struct rn_view *views[RN_MAX_TEXTURES] = {NULL};
    const struct rn_view *view = request->sampler < RN_MAX_TEXTURES ? sc->views[request->sampler] : NULL;
    if (view == NULL || view->empty) {
        return;
    }
    n.view = *view;
    n.view.fetch[RN_FILTER_NEAREST] = note_nearest;
    n.view.fetch[RN_FILTER_LINEAR] = note_linear;
    n.view.pair = NULL;
    n.view.kind = n.view.kind == RN_FETCH_SHADOW ? RN_FETCH_DEPTH : n.view.kind;
    n.emit = emit;
    n.user = user;
    views[request->sampler] = &n.view;
    noting.views = views;
    rn_sample(&noting, request);
}
