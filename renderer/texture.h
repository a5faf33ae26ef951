/* SPDX-License-Identifier: MIT */
/*
 * Internal to the texture side: a view with what sampling needs of its images, and the kernels.
 *
 * A request comes in as arrays of a batch. Level of detail (lod_tmpl.c) and cube face of each lane are
 * found, lanes that agree on filter, face and level form a pass (texture.c), and a pass runs one fetch
 * kernel (sample_tmpl.c, sample_float_tmpl.c; sample_generic.c where no kernel exists): coordinates to
 * texels to four results.
 *
 * The arithmetic, which every path follows to the bit (each operation on floats rounds to nearest even):
 *
 * Coordinate. REPEAT: w = v - floor(v). MIRROR: w = |v - 2 * rint(v / 2)|. CLAMP: w = v. Then w is
 *   clamped to [0,1], NaN (from infinities too, but under CLAMP) counting as 0. u = rint(w * (size * 256)),
 *   an integer: texel units with 8 fraction bits.
 * NEAREST. i = u >> 8; i = size (w rounded up to 1) is the last texel, under REPEAT the first.
 * LINEAR. u -= 128; i0 = u >> 8, i1 = i0 + 1, f = u & 255. An index outside the image is the nearest one
 *   inside, under REPEAT the one at the other end. The weight of i1 is f / 256.
 * Mix, normalised formats: sum of integer products (256 - f or f on each axis) of the stored channel values,
 *   exact; then float(sum) * (1.0f / (2^bits - 1) * 2^(-8 * axes)).
 * Mix, float formats and decoded sRGB: a * (1 - f) + b * f in float along s, then t, then r.
 * Depth: as normalised with a division in double in place of the last product: float(sum * 2^-16 / max).
 *   Compared depth: the texel counts 1 where 'reference (clamped to [0,1]) func float(texel / max)', else 0.
 * Level of detail. rho^2 is the larger of the squared lengths of the two derivatives in texels of level 0
 *   (u*u + v*v + w*w in this order), from lanes 1 and 2 of the quad against lane 0, the same for the quad's
 *   four lanes; on cubes of each lane, by the quotient rule at the lane's own direction on its own face, so that
 *   helper lanes beyond the face's edge do not count: with i = 1 / |ma|, (dsc - (sc * i) * dma) * (i * (size / 2)).
 * lambda = 0.5 * log2(rho^2) by the polynomial in lod_tmpl.c, -100 when rho^2 is not above 1e-30; plus the bias; or the
 * given level. It is rounded to 1/256 within +-32, NaN counting as -32. Choice. lambda <= 0: mag filter on level 0 (the
 * constant c of section 3.7.7 is 0 for every filter pair; but where the shader gives the level it is the
 * specification's 0.5 for LINEAR over NEAREST_MIPMAP_*: the conformance suite verifies the one for derivatives and the
 * other for given levels). Else the min filter on level 0; or ceil(lambda + 0.5) - 1; or floor(lambda) = d and d + 1,
 * blended as a * (1 - f) + b * f in float with f the fraction of lambda, where d is not the last level and f is not 0.
 * Anisotropy (2D, not with a given level). N = ceil of the smallest of: the ratio of the longer to the
 *   shorter derivative, the limit, the longer derivative in texels; at least 1. lambda = log2(longer / N).
 *   The mean of N samples at ((k + 0.5) / N - 0.5) along the longer derivative (y unless x is longer), added in
 *   order, divided by N.
 * Cube. The major axis is x if |x| >= |y| and |x| >= |z|, else y if |y| >= |z|, else z; s = (sc / |ma| + 1) / 2
 *   and t alike (table 3.21). A zero or NaN direction is the middle of +X.
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

/* Texel indices and weight (0..255 of 256) along one axis for all lanes. NEAREST fills i0 only. */
struct rn_axis {
    _Alignas(64) int32_t i0[VM_LANES];
    _Alignas(64) int32_t i1[VM_LANES];
    _Alignas(64) int32_t f[VM_LANES];
};

/* How texels become values: one fetch kernel each. */
enum rn_fetch_kind {
    RN_FETCH_WORDS,      /* RGBA8, RGBX8, sRGB not decoded: r, g, b, a bytes of a word */
    RN_FETCH_BYTE,       /* A8, L8, R8 */
    RN_FETCH_PAIR,       /* LA8, RG8 */
    RN_FETCH_565,
    RN_FETCH_4444,
    RN_FETCH_5551,
    RN_FETCH_FLOAT,      /* all float and half float formats */
    RN_FETCH_SRGB,
    RN_FETCH_DEPTH,
    RN_FETCH_SHADOW,     /* depth, compared */
    RN_FETCH_KINDS
};

/* Sources of the four results: stored channel 0..3, or a constant. */
enum { RN_PLACE_ZERO = 4, RN_PLACE_ONE = 5 };

struct rn_view;

/* One pass: lanes of 'mask' read 'level' with one filter. Arrays are aligned to 64 bytes. */
struct rn_fetch {
    const struct rn_view *view;
    const struct rn_level *level;
    const float *coord[3];        /* s, t and (3D) r, before wrapping */
    const float *reference;       /* SHADOW */
    const struct rn_level *second; /* pair kernels: the level that 'weight' blends over 'level' */
    const int32_t *weight;        /* else NULL: store; or 0..255: out = out * (1 - weight/256) + texel * (weight/256) */
    struct vliw_mask mask;
    float *out[4];                /* only lanes of the mask change */
};
typedef void (*rn_fetch_fn)(const struct rn_fetch *pass);

struct rn_sample_kernels {
    void (*axis[2])(const float *coord, int32_t size, uint8_t wrap, struct rn_axis *out); /* [enum rn_filter] */
    rn_fetch_fn unorm[RN_FETCH_5551 + 1][2];    /* 2D: [WORDS ..][enum rn_filter] */
    rn_fetch_fn pair[RN_FETCH_5551 + 1];        /* 2D, LINEAR on two levels in one go */
    rn_fetch_fn volume[RN_FETCH_PAIR + 1][2];   /* 3D: WORDS, BYTE, PAIR */
};
struct rn_sample_float_kernels {
    rn_fetch_fn fetch[RN_FETCH_KINDS - RN_FETCH_FLOAT][2]; /* 2D: [kind - RN_FETCH_FLOAT][enum rn_filter] */
};

/* Anisotropic footprints: the number of samples of each lane (1..16) and the longer derivative. */
struct rn_aniso {
    _Alignas(64) int32_t count[VM_LANES];
    _Alignas(64) float ds[VM_LANES];
    _Alignas(64) float dt[VM_LANES];
};

struct rn_lod_kernels {
    /* lambda of each quad (VM_QUADS values) in 1/256: kind IMPLICIT, not cubes. */
    void (*quads)(const struct rn_view *view, const struct vliw_tex_request *request, int32_t *fx);
    /* lambda of each lane (VM_LANES values): the other kinds, and cubes. */
    void (*lanes)(const struct rn_view *view, const struct vliw_tex_request *request, int32_t *fx);
    /* lambda of each lane and its footprint; returns the largest count among lanes of the mask. */
    int (*aniso)(const struct rn_view *view, const struct vliw_tex_request *request, int32_t *fx,
                 struct rn_aniso *out);
    /* Coordinates of sample k; the result has the lanes of request->mask whose count is above k. */
    struct vliw_mask (*aniso_place)(const struct vliw_tex_request *request, const struct rn_aniso *aniso, int k,
                                    float *s, float *t);
    /* In lanes of the mask: sum += part, or sum = part for the first k = 0; out = sum / count. */
    void (*aniso_add)(const struct vliw_mask *mask, int k, float (*part)[VM_LANES], float (*sum)[VM_LANES]);
    void (*aniso_mean)(const struct vliw_mask *mask, const struct rn_aniso *aniso, float (*sum)[VM_LANES],
                       float *const *out);
    /* Directions to face numbers and coordinates in the face. */
    void (*cube)(const struct vliw_tex_request *request, float *s, float *t, int32_t *face);
    /* Choice of each lane: key = filter << 8 | level, RN_KEY_PAIR where level + 1 takes part, and its weight. */
    void (*choose)(const struct rn_view *view, const int32_t *fx, int32_t *key, int32_t *weight);
    /* The key that 'count' values of lambda (a multiple of 16) have in common, -1 if they have not. */
    int32_t (*common)(const struct rn_view *view, const int32_t *fx, int count);
    /* Lanes of 'among' with values[lane] == value. */
    struct vliw_mask (*match)(const int32_t *values, int32_t value, const struct vliw_mask *among);
};

enum { RN_KEY_PAIR = 1 << 9 };

#define RN_KERNELS(prefix) prefix##_scalar, prefix##_sse, prefix##_avx2, prefix##_avx512, prefix##_neon
extern const struct rn_sample_kernels RN_KERNELS(rn_sample);
extern const struct rn_sample_float_kernels RN_KERNELS(rn_sample_float);
extern const struct rn_lod_kernels RN_KERNELS(rn_lod);

struct rn_view {
    uint32_t refs;
    struct rn_view_desc desc;     /* holds references on its images */
    uint8_t format;
    uint8_t kind;                 /* enum rn_fetch_kind */
    uint8_t place[4];             /* source of r, g, b, a: see RN_PLACE_* */
    uint8_t channels, channel_bytes;
    bool empty;                   /* an image without texels: sampled as incomplete */
    bool plain;                   /* no level of detail is needed: one level, equal filters */
    float least_alpha;            /* WORDS: 1 where the stored alpha does not count (RGBX8), else 0 */
    rn_fetch_fn fetch[2];         /* [enum rn_filter] */
    rn_fetch_fn pair;             /* LINEAR_MIPMAP_LINEAR in one go, or NULL */
    const struct rn_sample_kernels *kernels;
    const struct rn_lod_kernels *lod;
    const struct rn_sample_byte_kernels *bytes;
    struct rn_level level[6][RN_MAX_LEVELS];
};

/* Chooses the kernels of one SIMD level (rn_view_create takes vliw_simd_level(); tests take each). */
void rn_view_set_level(struct rn_view *view, enum vliw_simd level);

/* sample_generic.c: any format and type, lane by lane: the definition that the kernels agree with. */
void rn_fetch_generic_nearest(const struct rn_fetch *pass);
void rn_fetch_generic_linear(const struct rn_fetch *pass);

#endif
