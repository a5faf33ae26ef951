/* SPDX-License-Identifier: MIT */
/* Tells which level of detail a texture request reads, with the kernels that rn_sample uses. */
#include <stdlib.h>
#include <string.h>

#include "renderer/scene.h"
#include "renderer/tap.h"
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

void rn_sample_texels(void *context, const struct vliw_tex_request *request, vliw_texel_fn emit, void *user) {
    rn_tap_texels(context, request, emit, user);
}

/* ---- sampling outside of a draw ---- */

struct rn_sampler {
    struct rn_sample_context context; /* first: a pointer to one is a pointer to the other */
    struct rn_view *views[RN_MAX_TEXTURES];
};

struct rn_sampler *rn_sampler_create(struct rn_view *const *views) {
    struct rn_sampler *sampler = calloc(1, sizeof *sampler);
    if (sampler) {
        memcpy(sampler->views, views, sizeof sampler->views);
        sampler->context.views = sampler->views;
    }
    return sampler;
}

void rn_sampler_destroy(struct rn_sampler *sampler) {
    free(sampler);
}

vliw_sample_fn rn_sampler_function(void) {
    return rn_sample;
}
