/* SPDX-License-Identifier: MIT */
/*
 * Texels as words of four bytes, for reads of type u8x4.f32: the colours that rn_sample gives, clamped to [0,1] and
 * rounded to 255 steps, to nearest even.
 */
#ifndef RENDERER_SAMPLE_BYTES_H
#define RENDERER_SAMPLE_BYTES_H

#include "renderer/texture.h"

struct rn_sample_byte_kernels {
    /* 2D, WORDS, BYTE and PAIR; words to out[0]. *trail: the first texel of the read before, for prefetching. */
    void (*nearest[RN_FETCH_PAIR + 1])(const struct rn_fetch *pass, int32_t *trail);
    void (*pack)(const struct vliw_mask *mask, float *const color[4], float *out);  /* lanes of the mask */
};
extern const struct rn_sample_byte_kernels RN_KERNELS(rn_sample_bytes);

/* The kernels of a level. */
const struct rn_sample_byte_kernels *rn_sample_byte_kernels_for(enum vliw_simd level);

/* Whether the view's texels are fetched as they are stored: one level, two dimensions, nearest, 8 bits a channel. */
bool rn_sample_is_direct(const struct rn_view *view);

/* A vliw_sample_fn whose four results are one array, of words; context as rn_sample's. */
void rn_sample_words(void *context, const struct vliw_tex_request *request);

#endif
