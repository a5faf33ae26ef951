/* SPDX-License-Identifier: MIT */
/*
 * Views, and the sampling callback of both shader stages: chooses filter and level of each lane, groups
 * lanes that agree, and runs the kernels on the groups. SPEC: ES 2.0.25 sections 3.7.5 to 3.7.8.
 */
#include "renderer/texture.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "renderer/format.h"
#include "renderer/scene.h"

/* ---- views -------------------------------------------------------------------------------------------- */

static const struct rn_sample_kernels *kernels_of(enum vliw_simd level) {
    switch (level) {
#ifdef VLGL_HAS_SSE
    case VLIW_SIMD_SSE: return &rn_sample_sse;
#endif
#ifdef VLGL_HAS_AVX2
    case VLIW_SIMD_AVX2: return &rn_sample_avx2;
#endif
#ifdef VLGL_HAS_AVX512
    case VLIW_SIMD_AVX512: return &rn_sample_avx512;
#endif
#ifdef VLGL_HAS_NEON
    case VLIW_SIMD_NEON: return &rn_sample_neon;
#endif
    default: return &rn_sample_scalar;
    }
}

struct rn_view *rn_view_create(const struct rn_view_desc *desc) {
    struct rn_view *view = calloc(1, sizeof *view);
    if (!view) {
        return NULL;
    }
    view->refs = 1;
    view->desc = *desc;
    view->kernels = kernels_of(vliw_simd_level());
    unsigned faces = desc->type == RN_TEXTURE_CUBE ? 6 : 1;
    for (unsigned f = 0; f < faces; f++) {
        for (unsigned l = 0; l < desc->levels; l++) {
            struct rn_image *image = rn_image_ref(desc->images[f][l]);
            view->level[f][l] = (struct rn_level){image->data, (int32_t)image->width, (int32_t)image->height,
                                                  (int32_t)image->depth, image->row_bytes, image->slice_bytes};
        }
    }
    view->format = desc->images[0][0]->format;
    bool encoded = view->format == RN_FORMAT_SRGB8_A8 || view->format == RN_FORMAT_SRGBX8;
    view->words = desc->type != RN_TEXTURE_3D && (view->format == RN_FORMAT_RGBA8 || view->format == RN_FORMAT_RGBX8 ||
                                                  (encoded && !desc->srgb_decode));
    view->or_mask = rn_format_info((enum rn_format)view->format)->bits[3] ? 0 : 0xFF000000u;
    view->plain = desc->mip == RN_MIP_NONE && desc->min_filter == desc->mag_filter;
    return view;
}

const struct rn_view_desc *rn_view_description(const struct rn_view *view) {
    return &view->desc;
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

/* ---- masks ------------------------------------------------------------------------------------------------ */

static bool mask_any(const struct vliw_mask *m) {
    uint64_t any = 0;
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        any |= m->w[i];
    }
    return any != 0;
}

static int mask_first(const struct vliw_mask *m) {
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        if (m->w[i]) {
            return i * 64 + (int)bits_ctz64(m->w[i]);
        }
    }
    return -1;
}

static bool mask_has(const struct vliw_mask *m, int lane) { return (m->w[lane / 64] >> (lane % 64)) & 1u; }

/* Takes the lanes whose key equals that of the first lane out of 'left'. */
static struct vliw_mask take_group(struct vliw_mask *left, const uint16_t *key, int *first) {
    struct vliw_mask group;
    memset(&group, 0, sizeof group);
    *first = mask_first(left);
    for (int lane = *first; lane < VM_LANES; lane++) {
        if (mask_has(left, lane) && key[lane] == key[*first]) {
            group.w[lane / 64] |= 1ull << (lane % 64);
        }
    }
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        left->w[i] &= ~group.w[i];
    }
    return group;
}

/* ---- one level ---------------------------------------------------------------------------------------------- */

/* Coordinates ready for wrapping: plain ones, or those of a cube face, and the face of each lane. */
struct coords {
    const float *c[3];
    const uint8_t *face;        /* NULL: face 0 */
    const float *reference;
};

static void sample_level(const struct rn_view *view, const struct coords *at, unsigned face, unsigned level,
                         uint8_t filter, const struct vliw_mask *mask, float *const out[4]) {
    const struct rn_level *l = &view->level[face][level];
    struct rn_axis axis[3];
    const rn_axis_fn *kernels = view->kernels->axis[filter];
    kernels[view->desc.wrap[0]](at->c[0], l->width, &axis[0]);
    kernels[view->desc.wrap[1]](at->c[1], l->height, &axis[1]);
    if (view->desc.type == RN_TEXTURE_3D) {
        kernels[view->desc.wrap[2]](at->c[2], l->depth, &axis[2]);
    }
    if (view->words) {
        view->kernels->words[filter](l, &axis[0], &axis[1], view->or_mask, mask, out);
    } else {
        rn_fetch_generic(view, l, axis, filter, at->reference, mask, out);
    }
}

/* key: filter << 8 | face << 4 | level */
static void sample_groups(const struct rn_view *view, const struct coords *at, const uint16_t *key,
                          struct vliw_mask left, float *const out[4]) {
    while (mask_any(&left)) {
        int first;
        struct vliw_mask group = take_group(&left, key, &first);
        sample_level(view, at, (key[first] >> 4) & 15u, key[first] & 15u, (uint8_t)(key[first] >> 8), &group, out);
    }
}

/* ---- levels of detail ------------------------------------------------------------------------------------------ */

static int clamp_level(int level, int last) { return level < 0 ? 0 : (level > last ? last : level); }

/*
 * Level (and for linear mipmapping the second level and its weight) and filter of a lane. lambda <= 0
 * magnifies: the constant c of the specification is 0 for every filter pair.
 */
static uint16_t choose(const struct rn_view *view, int32_t lambda, uint16_t *second, int32_t *weight) {
    const struct rn_view_desc *d = &view->desc;
    int last = d->levels - 1, level = 0;
    *weight = 0;
    if (lambda <= 0) {
        *second = (uint16_t)(d->mag_filter << 8);
        return *second;
    }
    if (d->mip == RN_MIP_NEAREST) {
        level = clamp_level(((lambda + 383) >> 8) - 1, last); /* ceil(lambda + 1/2) - 1 */
    } else if (d->mip == RN_MIP_LINEAR) {
        level = clamp_level(lambda >> 8, last);
        *weight = level < last ? lambda & 255 : 0;
    }
    *second = (uint16_t)(d->min_filter << 8 | (level + (*weight != 0)));
    return (uint16_t)(d->min_filter << 8 | level);
}

static void blend_levels(const int32_t *weight, const struct vliw_mask *mask, float *const out[4], float (*fine)[VM_LANES]) {
    for (int lane = 0; lane < VM_LANES; lane++) {
        if (mask_has(mask, lane)) {
            float f = (float)weight[lane] * (1.0f / 256.0f);
            for (int c = 0; c < 4; c++) {
                out[c][lane] = out[c][lane] * (1.0f - f) + fine[c][lane] * f;
            }
        }
    }
}

static void sample_lod(const struct rn_view *view, const struct coords *at, const struct rn_lod *lod,
                       const struct vliw_mask *mask, float *const out[4]) {
    uint16_t key[VM_LANES], second_key[VM_LANES];
    int32_t weight[VM_LANES];
    struct vliw_mask second;
    memset(&second, 0, sizeof second);
    for (int lane = 0; lane < VM_LANES; lane++) {
        unsigned face = at->face ? at->face[lane] : 0;
        uint16_t other = 0;
        weight[lane] = 0;
        key[lane] = lod ? choose(view, lod->fx[lane], &other, &weight[lane]) : (uint16_t)(view->desc.min_filter << 8);
        key[lane] = (uint16_t)(key[lane] | face << 4);
        second_key[lane] = (uint16_t)(other | face << 4);
        if (weight[lane] && mask_has(mask, lane)) {
            second.w[lane / 64] |= 1ull << (lane % 64);
        }
    }
    sample_groups(view, at, key, *mask, out);
    if (mask_any(&second)) {
        _Alignas(64) float fine[4][VM_LANES];
        float *const to[4] = {fine[0], fine[1], fine[2], fine[3]};
        sample_groups(view, at, second_key, second, to);
        blend_levels(weight, &second, out, fine);
    }
}

/* ---- cube faces ---------------------------------------------------------------------------------------------------- */

/* Direction to face and coordinates in it (table 3.21). A zero or NaN direction is the middle of +X. */
static void cube_coords(const struct vliw_tex_request *request, float *s, float *t, uint8_t *face) {
    for (int i = 0; i < VM_LANES; i++) {
        float x = request->coord[0][i], y = request->coord[1][i], z = request->coord[2][i];
        float ax = x < 0.0f ? -x : x, ay = y < 0.0f ? -y : y, az = z < 0.0f ? -z : z;
        float sc, tc, ma;
        if (ax >= ay && ax >= az) {
            face[i] = x < 0.0f;
            sc = x < 0.0f ? z : -z;
            tc = -y;
            ma = ax;
        } else if (ay >= az) {
            face[i] = (uint8_t)(2 + (y < 0.0f));
            sc = x;
            tc = y < 0.0f ? -z : z;
            ma = ay;
        } else {
            face[i] = (uint8_t)(4 + (z < 0.0f));
            sc = z < 0.0f ? -x : x;
            tc = -y;
            ma = az;
        }
        if (!(ma > 0.0f) || sc != sc || tc != tc) {
            face[i] = 0;
            s[i] = t[i] = 0.5f;
        } else {
            s[i] = (sc / ma + 1.0f) * 0.5f;
            t[i] = (tc / ma + 1.0f) * 0.5f;
        }
    }
}

/* ---- anisotropic ------------------------------------------------------------------------------------------------------ */

/* The mean of 'count' samples spread evenly along the footprint's major axis. */
static void sample_anisotropic(const struct rn_view *view, const struct vliw_tex_request *request, float *const out[4]) {
    struct rn_lod lod;
    struct rn_aniso aniso;
    int most = rn_lod_anisotropic(view, request, &lod, &aniso);
    _Alignas(64) float sum[4][VM_LANES] = {{0.0f}}, part[4][VM_LANES], s[VM_LANES], t[VM_LANES];
    float *const to[4] = {part[0], part[1], part[2], part[3]};
    for (int k = 0; k < most; k++) {
        struct vliw_mask mask;
        memset(&mask, 0, sizeof mask);
        for (int i = 0; i < VM_LANES; i++) {
            float n = (float)aniso.count[i], where = ((float)k + 0.5f) / n - 0.5f;
            s[i] = request->coord[0][i] + aniso.ds[i] * where;
            t[i] = request->coord[1][i] + aniso.dt[i] * where;
            if (k < aniso.count[i] && mask_has(&request->mask, i)) {
                mask.w[i / 64] |= 1ull << (i % 64);
            }
        }
        struct coords at = {{s, t, NULL}, NULL, request->reference};
        if (mask_any(&mask)) {
            sample_lod(view, &at, &lod, &mask, to);
        }
        for (int i = 0; i < VM_LANES; i++) {
            for (int c = 0; c < 4 && mask_has(&mask, i); c++) {
                sum[c][i] += part[c][i];
            }
        }
    }
    for (int i = 0; i < VM_LANES; i++) {
        for (int c = 0; c < 4 && mask_has(&request->mask, i); c++) {
            out[c][i] = sum[c][i] / (float)aniso.count[i];
        }
    }
}

/* ---- the callback ------------------------------------------------------------------------------------------------------- */

static void sample_incomplete(const struct vliw_tex_request *request) {
    for (int i = 0; i < VM_LANES; i++) {
        request->result[0][i] = request->result[1][i] = request->result[2][i] = 0.0f;
        request->result[3][i] = 1.0f;
    }
}

void rn_sample(void *context, const struct vliw_tex_request *request) {
    struct rn_sample_context *sc = context;
    const struct rn_view *view = request->sampler < RN_MAX_TEXTURES ? sc->views[request->sampler] : NULL;
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        sc->reads += bits_popcount64(request->mask.w[i]);
    }
    if (!view) {
        sample_incomplete(request);
        return;
    }
    bool aniso = view->desc.max_anisotropy > 1.0f && view->desc.type == RN_TEXTURE_2D && request->kind != VLIW_TEX_LOD;
    if (aniso) {
        sample_anisotropic(view, request, request->result);
        return;
    }
    struct rn_lod lod;
    if (!view->plain) {
        rn_lod_compute(view, request, &lod);
    }
    struct coords at = {{request->coord[0], request->coord[1], request->coord[2]}, NULL, request->reference};
    _Alignas(64) float s[VM_LANES], t[VM_LANES];
    uint8_t face[VM_LANES];
    if (view->desc.type == RN_TEXTURE_CUBE) {
        cube_coords(request, s, t, face);
        at.c[0] = s;
        at.c[1] = t;
        at.face = face;
    } else if (view->plain) { /* one level, one filter: no grouping */
        sample_level(view, &at, 0, 0, view->desc.min_filter, &request->mask, request->result);
        return;
    }
    sample_lod(view, &at, view->plain ? NULL : &lod, &request->mask, request->result);
}
