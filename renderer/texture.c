/* SPDX-License-Identifier: MIT */
/*
 * Views, and the sampling callback of both shader stages: finds level and face of each lane, forms passes of
 * lanes that agree, and runs the kernels on them. Most batches are one pass, or two levels blended.
 * SPEC: ES 2.0.25 sections 3.7.5 to 3.7.8.
 */
#include "renderer/texture.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "renderer/format.h"
#include "renderer/sample_bytes.h"
#include "renderer/scene.h"

/* ---- views ---------------------------------------------------------------------------------------------------- */

struct kernel_set {
    const struct rn_sample_kernels *sample;
    const struct rn_sample_float_kernels *floats;
    const struct rn_lod_kernels *lod;
};
#define KERNEL_SET(isa) {&rn_sample_##isa, &rn_sample_float_##isa, &rn_lod_##isa}
static const struct kernel_set kernel_sets[VLIW_SIMD_COUNT] = {
    [VLIW_SIMD_SCALAR] = KERNEL_SET(scalar),
#ifdef VLGL_HAS_SSE
    [VLIW_SIMD_SSE] = KERNEL_SET(sse),
#endif
#ifdef VLGL_HAS_AVX2
    [VLIW_SIMD_AVX2] = KERNEL_SET(avx2),
#endif
#ifdef VLGL_HAS_AVX512
    [VLIW_SIMD_AVX512] = KERNEL_SET(avx512),
#endif
#ifdef VLGL_HAS_NEON
    [VLIW_SIMD_NEON] = KERNEL_SET(neon),
#endif
};

/* The kernels' offsets are 32-bit: a volume may have 2^31 bytes before the plain fetch takes over. */
static bool offsets_fit(const struct rn_view *view) {
    const struct rn_level *base = &view->level[0][0];
    return base->slice_bytes * (size_t)base->depth <= INT32_MAX;
}

void rn_view_set_level(struct rn_view *view, enum vliw_simd level) {
    const struct kernel_set *set = &kernel_sets[kernel_sets[level].sample ? level : VLIW_SIMD_SCALAR];
    view->kernels = set->sample;
    view->lod = set->lod;
    view->bytes = rn_sample_byte_kernels_for(level);
    for (int filter = 0; filter < 2; filter++) {
        rn_fetch_fn fetch;
        if (view->desc.type == RN_TEXTURE_3D) {
            fetch = view->kind <= RN_FETCH_PAIR && offsets_fit(view) ? set->sample->volume[view->kind][filter] : NULL;
        } else if (view->kind < RN_FETCH_FLOAT) {
            fetch = set->sample->unorm[view->kind][filter];
        } else {
            fetch = set->floats->fetch[view->kind - RN_FETCH_FLOAT][filter];
        }
        rn_fetch_fn plain = filter == RN_FILTER_LINEAR ? rn_fetch_generic_linear : rn_fetch_generic_nearest;
        view->fetch[filter] = fetch ? fetch : plain;
    }
    bool pair = view->desc.type != RN_TEXTURE_3D && view->kind < RN_FETCH_FLOAT;
    pair = pair && view->desc.min_filter == RN_FILTER_LINEAR;
    view->pair = pair ? set->sample->pair[view->kind] : NULL;
}

static enum rn_fetch_kind kind_of(const struct rn_view_desc *desc, enum rn_format format,
                                  const struct rn_format_info *info) {
    switch (info->kind) {
    case RN_KIND_FLOAT: return RN_FETCH_FLOAT;
    case RN_KIND_DEPTH: return desc->compare ? RN_FETCH_SHADOW : RN_FETCH_DEPTH;
    case RN_KIND_SRGB: return desc->srgb_decode ? RN_FETCH_SRGB : RN_FETCH_WORDS;
    default: break;
    }
    switch (format) {
    case RN_FORMAT_RGB565: return RN_FETCH_565;
    case RN_FORMAT_RGBA4: return RN_FETCH_4444;
    case RN_FORMAT_RGB5A1: return RN_FETCH_5551;
    default: return info->bytes == 4 ? RN_FETCH_WORDS : info->bytes == 2 ? RN_FETCH_PAIR : RN_FETCH_BYTE;
    }
}

/* Where the results come from: stored channels in the order r g b a, those that exist. */
static void place_channels(struct rn_view *view, const struct rn_format_info *info) {
    uint8_t stored = 0;
    for (int c = 0; c < 4; c++) {
        view->place[c] = info->bits[c] ? stored++ : (c == 3 ? RN_PLACE_ONE : RN_PLACE_ZERO);
    }
    if (info->flags & RN_FMT_LUM) {
        view->place[1] = view->place[2] = view->place[0];
    }
    view->channels = stored;
    view->channel_bytes = (uint8_t)(stored ? info->bytes / stored : 1);
    if (info->kind == RN_KIND_SRGB) { /* three of four bytes hold channels in RGBX */
        view->channels = 4;
        view->channel_bytes = 1;
    }
}

struct rn_view *rn_view_create(const struct rn_view_desc *desc) {
    struct rn_view *view = calloc(1, sizeof *view);
    if (!view) {
        return NULL;
    }
    view->refs = 1;
    view->desc = *desc;
    unsigned faces = desc->type == RN_TEXTURE_CUBE ? 6 : 1;
    for (unsigned f = 0; f < faces; f++) {
        for (unsigned l = 0; l < desc->levels; l++) {
            struct rn_image *image = rn_image_ref(desc->images[f][l]);
            view->level[f][l] = (struct rn_level){image->data, (int32_t)image->width, (int32_t)image->height,
                                                  (int32_t)image->depth, image->row_bytes, image->slice_bytes};
            view->empty |= !image->data;
        }
    }
    view->format = desc->images[0][0]->format;
    const struct rn_format_info *info = rn_format_info((enum rn_format)view->format);
    view->kind = (uint8_t)kind_of(desc, (enum rn_format)view->format, info);
    view->least_alpha = view->kind == RN_FETCH_WORDS && !info->bits[3] ? 1.0f : 0.0f;
    view->plain = desc->mip == RN_MIP_NONE && desc->min_filter == desc->mag_filter;
    place_channels(view, info);
    rn_view_set_level(view, vliw_simd_level());
    return view;
}

struct rn_view *rn_view_ref(struct rn_view *view) {
    if (view) {
        atomic_fetch_add_explicit((_Atomic uint32_t *)&view->refs, 1, memory_order_relaxed);
    }
    return view;
}

void rn_view_unref(struct rn_view *view) {
    if (!view || atomic_fetch_sub_explicit((_Atomic uint32_t *)&view->refs, 1, memory_order_acq_rel) != 1) {
        return;
    }
    unsigned faces = view->desc.type == RN_TEXTURE_CUBE ? 6 : 1;
    for (unsigned f = 0; f < faces; f++) {
        for (unsigned l = 0; l < view->desc.levels; l++) {
            rn_image_unref(view->desc.images[f][l]);
        }
    }
    free(view);
}

const struct rn_view_desc *rn_view_description(const struct rn_view *view) { return &view->desc; }

/* ---- masks ---------------------------------------------------------------------------------------------------- */

static bool mask_any(const struct vliw_mask *m) {
    uint64_t any = 0;
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        any |= m->w[i];
    }
    return any != 0;
}

static bool mask_full(const struct vliw_mask *m) {
    uint64_t all = ~UINT64_C(0);
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        all &= m->w[i];
    }
    return all == ~UINT64_C(0);
}

static int mask_first(const struct vliw_mask *m) {
    int i = 0;
    while (i < VM_MASK_WORDS - 1 && !m->w[i]) {
        i++;
    }
    return i * 64 + (int)bits_ctz64(m->w[i]);
}

static void mask_clear(struct vliw_mask *m, const struct vliw_mask *gone) {
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        m->w[i] &= ~gone->w[i];
    }
}

/* ---- passes --------------------------------------------------------------------------------------------------- */

/* lambda in 1/256 of each quad (count = VM_QUADS) or each lane (count = VM_LANES). */
struct lambdas {
    _Alignas(64) int32_t fx[VM_LANES];
    int count;
};

static void run_pass(struct rn_fetch *pass, unsigned face, unsigned level, unsigned filter) {
    const struct rn_view *view = pass->view;
    pass->level = &view->level[face][level];
    if (view->kind == RN_FETCH_SHADOW && !pass->reference) { /* an ordinary sampler reads the depths */
        (filter == RN_FILTER_LINEAR ? rn_fetch_generic_linear : rn_fetch_generic_nearest)(pass);
        return;
    }
    view->fetch[filter](pass);
}

/* A level and the next blended over it by weights; in two passes where no kernel does it in one. */
static void run_levels(struct rn_fetch *pass, unsigned face, unsigned level, const int32_t *weight) {
    const struct rn_view *view = pass->view;
    if (view->pair) {
        pass->level = &view->level[face][level];
        pass->second = &view->level[face][level + 1];
        pass->weight = weight;
        view->pair(pass);
        pass->weight = NULL;
        return;
    }
    run_pass(pass, face, level, view->desc.min_filter);
    struct vliw_mask zero = view->lod->match(weight, 0, &pass->mask), all = pass->mask;
    mask_clear(&pass->mask, &zero);
    if (mask_any(&pass->mask)) {
        pass->weight = weight;
        run_pass(pass, face, level + 1, view->desc.min_filter);
        pass->weight = NULL;
    }
    pass->mask = all;
}

/* lambda of each lane, cut to some bits. */
static void expand(const struct lambdas *in, int32_t *out, int32_t cut) {
    if (in->count == VM_LANES) {
        for (int i = 0; i < VM_LANES; i++) {
            out[i] = in->fx[i] & cut;
        }
        return;
    }
    for (int q = 0; q < VM_QUADS; q++) {
        out[4 * q] = out[4 * q + 1] = out[4 * q + 2] = out[4 * q + 3] = in->fx[q] & cut;
    }
}

/* The key (as choose has it) that all lanes of the pass have in common, -1 if there is none. */
static int32_t common_key(const struct rn_fetch *pass, const struct lambdas *l) {
    const struct rn_view *view = pass->view;
    if (mask_full(&pass->mask)) {
        return view->lod->common(view, l->fx, l->count);
    }
    /* Lanes that do not take part are given a value of one that does. */
    _Alignas(64) int32_t fx[VM_LANES];
    const int lanes = VM_LANES / l->count, first = mask_first(&pass->mask) / lanes;
    const uint64_t bits = (UINT64_C(1) << lanes) - 1;
    for (int i = 0; i < l->count; i++) {
        const bool on = (pass->mask.w[i * lanes / 64] >> (i * lanes % 64)) & bits;
        fx[i] = l->fx[on ? i : first];
    }
    return view->lod->common(view, fx, l->count);
}

/* Lanes of the pass that took the same choice. */
static void run_key(struct rn_fetch *pass, unsigned face, int32_t key, const int32_t *weight) {
    const unsigned level = (unsigned)key & 255u;
    if (key & RN_KEY_PAIR) {
        run_levels(pass, face, level, weight);
    } else {
        run_pass(pass, face, level, (unsigned)key >> 8 & 1u);
    }
}

/* The lanes of the pass's mask on one face. */
static void sample_levels(struct rn_fetch *pass, unsigned face, const struct lambdas *lambdas) {
    const struct rn_view *view = pass->view;
    if (!lambdas) {
        run_pass(pass, face, 0, view->desc.min_filter);
        return;
    }
    _Alignas(64) int32_t fx[VM_LANES], key[VM_LANES], weight[VM_LANES];
    const int32_t common = common_key(pass, lambdas);
    if (common >= 0) { /* the usual case */
        if (common & RN_KEY_PAIR) {
            expand(lambdas, weight, 255);
        }
        run_key(pass, face, common, weight);
        return;
    }
    struct vliw_mask left = pass->mask, all = left;
    expand(lambdas, fx, -1);
    view->lod->choose(view, fx, key, weight);
    while (mask_any(&left)) {
        int32_t k = key[mask_first(&left)];
        pass->mask = view->lod->match(key, k, &left);
        mask_clear(&left, &pass->mask);
        run_key(pass, face, k, weight);
    }
    pass->mask = all;
}

/* ---- kinds of request ----------------------------------------------------------------------------------------- */

static void sample_cube(struct rn_fetch *pass, const struct vliw_tex_request *request, const struct lambdas *lambdas) {
    const struct rn_view *view = pass->view;
    _Alignas(64) float s[VM_LANES], t[VM_LANES];
    _Alignas(64) int32_t face[VM_LANES];
    view->lod->cube(request, s, t, face);
    pass->coord[0] = s;
    pass->coord[1] = t;
    struct vliw_mask left = pass->mask;
    while (mask_any(&left)) {
        int32_t f = face[mask_first(&left)];
        pass->mask = view->lod->match(face, f, &left);
        mask_clear(&left, &pass->mask);
        sample_levels(pass, (unsigned)f, lambdas);
    }
}

/* The mean of some samples spread evenly along the footprint's longer side. */
static void sample_anisotropic(struct rn_fetch *pass, const struct vliw_tex_request *request) {
    const struct rn_lod_kernels *kernels = pass->view->lod;
    struct lambdas lambdas;
    struct rn_aniso aniso;
    lambdas.count = VM_LANES;
    int most = kernels->aniso(pass->view, request, lambdas.fx, &aniso);
    if (most == 1) {
        sample_levels(pass, 0, &lambdas);
        return;
    }
    _Alignas(64) float sum[4][VM_LANES] = {{0.0f}}, part[4][VM_LANES] = {{0.0f}}, s[VM_LANES], t[VM_LANES];
    pass->coord[0] = s;
    pass->coord[1] = t;
    for (int c = 0; c < 4; c++) {
        pass->out[c] = part[c];
    }
    for (int k = 0; k < most; k++) {
        pass->mask = kernels->aniso_place(request, &aniso, k, s, t);
        sample_levels(pass, 0, &lambdas);
        kernels->aniso_add(&pass->mask, k, part, sum);
    }
    kernels->aniso_mean(&request->mask, &aniso, sum, request->result);
}

static void sample_incomplete(const struct vliw_tex_request *request) {
    for (int i = 0; i < VM_LANES; i++) {
        if ((request->mask.w[i / 64] >> (i % 64)) & 1u) {
            request->result[0][i] = request->result[1][i] = request->result[2][i] = 0.0f;
            request->result[3][i] = 1.0f;
        }
    }
}

/* ---- the callback --------------------------------------------------------------------------------------------- */

/* Coordinates copied aside, for requests whose results overwrite them: passes read them more than once. */
struct aside {
    _Alignas(64) float s[3][VM_LANES];
    _Alignas(64) float reference[VM_LANES];
};

static bool overwritten(const struct vliw_tex_request *request, const float *array) {
    return array && (array == request->result[0] || array == request->result[1] || array == request->result[2] ||
                     array == request->result[3]);
}

static void keep_coordinates(const struct vliw_tex_request *request, struct rn_fetch *pass, struct aside *aside) {
    for (int c = 0; c < 3; c++) {
        if (overwritten(request, pass->coord[c])) {
            pass->coord[c] = memcpy(aside->s[c], pass->coord[c], sizeof aside->s[c]);
        }
    }
    if (overwritten(request, pass->reference)) {
        pass->reference = memcpy(aside->reference, pass->reference, sizeof aside->reference);
    }
}

void rn_sample(void *context, const struct vliw_tex_request *request) {
    struct rn_sample_context *sc = context;
    const struct rn_view *view = request->sampler < RN_MAX_TEXTURES ? sc->views[request->sampler] : NULL;
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        sc->reads += bits_popcount64(request->mask.w[i]);
    }
    if (!view || view->empty) {
        sample_incomplete(request);
        return;
    }
    if (!mask_any(&request->mask)) {
        return;
    }
    struct rn_fetch pass = {.view = view,
                            .coord = {request->coord[0], request->coord[1], request->coord[2]},
                            .reference = request->reference,
                            .mask = request->mask,
                            .out = {request->result[0], request->result[1], request->result[2], request->result[3]}};
    struct aside aside;
    if (view->plain && view->desc.type != RN_TEXTURE_CUBE && !(view->desc.max_anisotropy > 1.0f)) {
        run_pass(&pass, 0, 0, view->desc.min_filter);
        return;
    }
    keep_coordinates(request, &pass, &aside);
    struct vliw_tex_request kept = *request;
    for (int c = 0; c < 3; c++) {
        kept.coord[c] = pass.coord[c];
    }
    if (view->desc.max_anisotropy > 1.0f && view->desc.type == RN_TEXTURE_2D && request->kind != VLIW_TEX_LOD) {
        sample_anisotropic(&pass, &kept);
        return;
    }
    struct lambdas lambdas;
    if (!view->plain) {
        bool of_quads = request->kind == VLIW_TEX_IMPLICIT && view->desc.type != RN_TEXTURE_CUBE;
        lambdas.count = of_quads ? VM_QUADS : VM_LANES;
        (of_quads ? view->lod->quads : view->lod->lanes)(view, &kept, lambdas.fx);
    }
    if (view->desc.type == RN_TEXTURE_CUBE) {
        sample_cube(&pass, &kept, view->plain ? NULL : &lambdas);
    } else {
        sample_levels(&pass, 0, view->plain ? NULL : &lambdas);
    }
}
