/* SPDX-License-Identifier: MIT */
/*
 * Internal to the texture side: a view with what sampling needs of its images, and the kernels. A batch
 * of coordinates becomes texel indices and weights axis by axis (kernels per wrap and filter), then
 * texels are fetched and mixed (kernels for four-byte words, plain C for every other format).
 *
 * The arithmetic, the same on every path: the wrapped coordinate (in [0,1]) times size is rounded to 8
 * fraction bits; LINEAR subtracts a half; the integer part picks texels, the fraction is the weight.
 * Normalised channels are mixed as integers (weights 256 - f and f) and scaled once, float channels are
 * mixed in float: a * (1 - f) + b * f along s, then t, then r. The level of detail is rounded to 8 bits.
 */
#ifndef RENDERER_TEXTURE_H
#define RENDERER_TEXTURE_H

#include "renderer/limits.h"
#include "renderer/renderer.h"

struct rn_level {
    const uint8_t *data;
    int32_t width, height, depth;
    uint32_t row_bytes;
    size_t slice_bytes;
};

/* Texel indices and weight (0..255 of 256) along one axis for all lanes. */
struct rn_axis {
    _Alignas(64) int32_t i0[VM_LANES];
    _Alignas(64) int32_t i1[VM_LANES];
    _Alignas(64) int32_t f[VM_LANES];
};

typedef void (*rn_axis_fn)(const float *coord, int32_t size, struct rn_axis *out);
/* Reads and mixes; stores lanes of 'mask' only (all of them when it is full). */
typedef void (*rn_fetch_fn)(const struct rn_level *level, const struct rn_axis *s, const struct rn_axis *t,
                            uint32_t or_mask, const struct vliw_mask *mask, float *const out[4]);

struct rn_sample_kernels {
    rn_axis_fn axis[2][3];        /* [enum rn_filter][enum rn_wrap] */
    rn_fetch_fn words[2];         /* four-byte words r,g,b,a: [enum rn_filter] */
};
extern const struct rn_sample_kernels rn_sample_scalar, rn_sample_sse, rn_sample_avx2, rn_sample_avx512, rn_sample_neon;

struct rn_view {
    uint32_t refs;
    struct rn_view_desc desc;     /* holds references on its images */
    uint8_t format;
    bool words;                   /* RGBA8 or RGBX8: the fast fetch */
    bool plain;                   /* no level of detail is needed: one level, equal filters */
    uint32_t or_mask;             /* bits forced on in a word (alpha of RGBX8) */
    const struct rn_sample_kernels *kernels;
    struct rn_level level[6][RN_MAX_LEVELS];
};

/* sample_generic.c: any format and type, lanes of the mask. 't' and 'r' are read where the type has them. */
void rn_fetch_generic(const struct rn_view *view, const struct rn_level *level, const struct rn_axis axis[3],
                      uint8_t filter, const float *reference, const struct vliw_mask *mask, float *const out[4]);

/* lod.c: level of detail of each lane in 1/256, before clamping to the levels. */
struct rn_lod {
    int32_t fx[VM_LANES];
};
void rn_lod_compute(const struct rn_view *view, const struct vliw_tex_request *request, struct rn_lod *out);

/*
 * lod.c: anisotropic footprints (2D, max_anisotropy > 1): besides the level of detail, the number of
 * samples of each lane (1..16) and the step vector along the major axis. Returns the largest number.
 */
struct rn_aniso {
    int32_t count[VM_LANES];
    float ds[VM_LANES], dt[VM_LANES];   /* whole extent of the footprint along its major axis */
};
int rn_lod_anisotropic(const struct rn_view *view, const struct vliw_tex_request *request, struct rn_lod *lod,
                       struct rn_aniso *aniso);

#endif
