/* SPDX-License-Identifier: MIT */
/*
 * What the texture tests share: views of images with known contents, one batch of coordinates, and the call of
 * the sampling callback with it.
 */
#ifndef TESTS_UNIT_TEXTURE_VIEW_H
#define TESTS_UNIT_TEXTURE_VIEW_H

#include <math.h>

#include "renderer/scene.h"
#include "renderer/texture.h"
#include "tests/harness/check.h"
#include "vm/base/bits.h"
#include "vm/base/cpu.h"

struct batch {
    _Alignas(64) float coord[3][VM_LANES];
    _Alignas(64) float lod[VM_LANES], reference[VM_LANES];
    _Alignas(64) float ddx[3][VM_LANES], ddy[3][VM_LANES];
    _Alignas(64) float result[4][VM_LANES];
};
static struct batch batch;

static inline void sample(struct rn_view *view, unsigned kind, bool shadow) {
    struct rn_view *views[RN_MAX_TEXTURES] = {view};
    struct rn_sample_context context = {.views = views};
    struct vliw_tex_request r;
    memset(&r, 0, sizeof r);
    memset(&r.mask, 0xFF, sizeof r.mask);
    r.kind = kind;
    r.reference = shadow ? batch.reference : NULL;
    r.lod = kind == VLIW_TEX_BIAS || kind == VLIW_TEX_LOD ? batch.lod : NULL;
    for (int c = 0; c < 4; c++) {
        r.result[c] = batch.result[c];
        memset(batch.result[c], 0x7E, sizeof batch.result[c]);
    }
    for (int c = 0; c < 3; c++) {
        r.coord[c] = batch.coord[c];
        r.ddx[c] = kind == VLIW_TEX_GRAD ? batch.ddx[c] : NULL;
        r.ddy[c] = kind == VLIW_TEX_GRAD ? batch.ddy[c] : NULL;
    }
    rn_sample(&context, &r);
}

static inline struct rn_view *finish(struct rn_view_desc *desc) {
    struct rn_view *view = rn_view_create(desc);
    for (int f = 0; f < 6; f++) {
        for (int l = 0; l < desc->levels; l++) {
            rn_image_unref(desc->images[f][l]);
        }
    }
    return view;
}

/* Levels from width x height x depth down, with contents by fill(face, level, image). */
static inline struct rn_view *make_view(struct rn_view_desc *desc, enum rn_format format, uint32_t width,
                                        uint32_t height, uint32_t depth,
                                        void (*fill)(int face, int level, struct rn_image *image)) {
    desc->max_anisotropy = desc->max_anisotropy > 0.0f ? desc->max_anisotropy : 1.0f;
    for (desc->levels = 0;; desc->levels++) {
        for (int f = 0; f < (desc->type == RN_TEXTURE_CUBE ? 6 : 1); f++) {
            struct rn_image *image = rn_image_create(format, width, height, depth, 1);
            fill(f, desc->levels, image);
            desc->images[f][desc->levels] = image;
        }
        if (desc->mip == RN_MIP_NONE || (width == 1 && height == 1 && depth == 1)) {
            desc->levels++;
            break;
        }
        width = width > 1 ? width / 2 : 1;
        height = height > 1 ? height / 2 : 1;
        depth = depth > 1 ? depth / 2 : 1;
    }
    return finish(desc);
}

static inline void fill_random(int face, int level, struct rn_image *image) {
    (void)face, (void)level;
    const struct rn_format_info *info = rn_format_info((enum rn_format)image->format);
    for (size_t i = 0; i + 4 <= image->slice_bytes * image->depth; i += 4) {
        uint32_t word = check_random();
        if (info->kind == RN_KIND_FLOAT && (info->bits[0] == 16 || info->bits[3] == 16)) {
            word &= 0xBFFFBFFF; /* finite, below 2 */
        } else if (info->kind == RN_KIND_FLOAT) {
            word = bits_from_float((float)(word >> 8) / 4194304.0f - 2.0f);
        } else if (image->format == RN_FORMAT_D24) {
            word &= 0xFFFFFF;
        } else if (image->format == RN_FORMAT_RGBX8 || image->format == RN_FORMAT_SRGBX8) {
            word |= 0xFF000000;
        }
        memcpy(image->data + i, &word, 4);
    }
}

/* A solid colour for each level: red = (level + 1) / 16, green = face / 8. */
static inline void fill_level(int face, int level, struct rn_image *image) {
    uint32_t word = (uint32_t)(level + 1) * 16 | (uint32_t)face * 32 << 8 | 0xFF000000u;
    for (size_t i = 0; i < image->slice_bytes * image->depth; i += 4) {
        memcpy(image->data + i, &word, 4);
    }
}

/* RGBA8: red = x & 255, green = y & 255, blue = high bits of both. */
static inline void fill_position(int face, int level, struct rn_image *image) {
    (void)face, (void)level;
    for (uint32_t y = 0; y < image->height; y++) {
        for (uint32_t x = 0; x < image->width; x++) {
            uint32_t word = (x & 255) | (y & 255) << 8 | (x >> 8 | y >> 8) << 16 | 0xFF000000u;
            memcpy(image->data + y * image->row_bytes + 4 * x, &word, 4);
        }
    }
}

static inline void each_level(struct rn_view *view, void (*body)(struct rn_view *view)) {
    for (int level = 0; level < CPU_SIMD_COUNT; level++) {
        if (cpu_simd_available() >> level & 1u) {
            rn_view_set_level(view, (enum vliw_simd)level);
            body(view);
        }
    }
    rn_view_unref(view);
}

static inline int byte_of(float v) { return (int)lrintf(v * 255.0f); }

static inline float unit(void) { return (float)check_random_below(1u << 24) / 16777216.0f; }

#endif
