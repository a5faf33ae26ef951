/* SPDX-License-Identifier: MIT */
/*
 * The sampling callback for words of four bytes. Two-dimensional textures of 8 bits a channel with one level and no
 * filter but nearest are fetched as they are; all others go through rn_sample and are packed.
 */
#include "renderer/sample_bytes.h"

#include "renderer/dispatch.h"
#include "renderer/scene.h"
#include "vm/base/bits.h"

RN_DISPATCH(rn_sample_byte_kernels, rn_sample_bytes, rn_sample_byte_kernels_for)

bool rn_sample_is_direct(const struct rn_view *view) {
    return view && !view->empty && view->plain && view->desc.type == RN_TEXTURE_2D && view->kind <= RN_FETCH_PAIR &&
           view->desc.min_filter == RN_FILTER_NEAREST && !(view->desc.max_anisotropy > 1.0f);
}

void rn_sample_words(void *context, const struct vliw_tex_request *request) {
    struct rn_sample_context *sc = context;
    const struct rn_view *view = request->sampler < RN_MAX_TEXTURES ? sc->views[request->sampler] : NULL;
    if (rn_sample_is_direct(view)) {
        for (int i = 0; i < VM_MASK_WORDS; i++) {
            sc->reads += request->mask.w[i] == UINT64_MAX ? 64 : bits_popcount64(request->mask.w[i]);
        }
        const struct rn_fetch pass = {.view = view,
                                      .level = &view->level[0][0],
                                      .coord = {request->coord[0], request->coord[1], request->coord[2]},
                                      .mask = request->mask,
                                      .out = {request->result[0], NULL, NULL, NULL}};
        view->bytes->nearest[view->kind](&pass, &sc->trail[request->sampler]);
        return;
    }
    BITS_ALIGN(64) float color[4][VM_LANES];
    struct vliw_tex_request floats = *request;
    for (unsigned c = 0; c < 4; c++) {
        floats.result[c] = color[c];
    }
    rn_sample(context, &floats);
    rn_sample_byte_kernels_for(vliw_simd_level())->pack(&request->mask, floats.result, request->result[0]);
}
