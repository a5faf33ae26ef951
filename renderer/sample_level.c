/* SPDX-License-Identifier: MIT */
/* Tells which level of detail a texture request reads, with the kernels that rn_sample uses. */
#include <string.h>

#include "renderer/scene.h"
#include "renderer/texture.h"

/* lambda to the level that the filter takes, limited to those that there are. */
static int32_t chosen(const struct rn_view *view, int32_t lambda) {
    const int32_t last = (view->desc.levels - 1) * 256;
    if (lambda <= 0) {
        return 0;
    }
    if (view->desc.mip == RN_MIP_NEAREST) {
        lambda = (((lambda + 383) >> 8) - 1) * 256; /* ceil(lambda + 1/2) - 1 */
    }
    return lambda < last ? lambda : last;
}

void rn_sample_levels(void *context, const struct vliw_tex_request *request, int32_t *levels) {
    const struct rn_sample_context *sc = context;
    const struct rn_view *view = request->sampler < RN_MAX_TEXTURES ? sc->views[request->sampler] : NULL;
    memset(levels, 0, VM_LANES * sizeof *levels);
    if (!view || view->empty || view->plain || view->desc.mip == RN_MIP_NONE) {
        return;
    }
    if (view->desc.max_anisotropy > 1.0f && view->desc.type == RN_TEXTURE_2D && request->kind != VLIW_TEX_LOD) {
        struct rn_aniso aniso;
        view->lod->aniso(view, request, levels, &aniso);
    } else if (request->kind == VLIW_TEX_IMPLICIT && view->desc.type != RN_TEXTURE_CUBE) {
        _Alignas(64) int32_t quads[VM_QUADS + 16];
        view->lod->quads(view, request, quads);
        for (int i = 0; i < VM_LANES; i++) {
            levels[i] = quads[i / 4];
        }
    } else {
        view->lod->lanes(view, request, levels);
    }
    for (int i = 0; i < VM_LANES; i++) {
        levels[i] = chosen(view, levels[i]);
    }
}
