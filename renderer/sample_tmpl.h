/* SPDX-License-Identifier: MIT */
/*
 * What the fetch kernels share (included by templates only): axes (coordinate to texel index and weight), the
 * plane of texels, and the sink that stores or blends results under a mask.
 */
#ifndef RENDERER_SAMPLE_TMPL_H
#define RENDERER_SAMPLE_TMPL_H

#include <string.h>

#include "renderer/texture.h"
#include "vm/base/simd.h"

/* ---- axes ----------------------------------------------------------------------------------------------------- */

struct axis {
    const float *coord;
    int wrap;
    vf scale;       /* size * 256 */
    vi last;        /* size - 1 */
    vi turn;        /* what brings an index outside back: size under REPEAT, else 1 */
};

SIMD_FN struct axis axis_of(const float *coord, int32_t size, uint8_t wrap) {
    struct axis a = {coord, wrap, vf_set1((float)size * 256.0f), vi_set1(size - 1),
                     vi_set1(wrap == RN_WRAP_REPEAT ? size : 1)};
    return a;
}

/* The coordinate within [0,1]. vf_max gives 0 for NaN; the results of REPEAT and MIRROR cannot be above 1. */
SIMD_FN vf wrapped(vf v, int wrap) {
    if (wrap == RN_WRAP_REPEAT) {
        return vf_max(vf_sub(v, vf_floor(v)), vf_zero());
    }
    if (wrap == RN_WRAP_CLAMP) {
        return vf_min(vf_max(v, vf_zero()), vf_set1(1.0f));
    }
    vf nearest = vf_rint(vf_mul(v, vf_set1(0.5f)));
    return vf_max(vf_abs(vf_sub(v, vf_mul(nearest, vf_set1(2.0f)))), vf_zero());
}

SIMD_FN vf wrapped_at(const struct axis *a, int i) { return wrapped(vf_load(a->coord + i), a->wrap); }

/* An index of at most 'size' brought below it. */
SIMD_FN vi bring_down(const struct axis *a, vi index) {
    return vi_sub(index, vi_and(vi_from_vm(vi_gt(index, a->last)), a->turn));
}

SIMD_FN vi nearest_index(const struct axis *a, vf w) {
    return bring_down(a, vi_sar(vi_from_vf_rint_fast(vf_mul(w, a->scale)), 8));
}

struct pair {
    vi i0, i1, f;
};

SIMD_FN struct pair linear_pair(const struct axis *a, vf w) {
    vi u = vi_sub(vi_from_vf_rint_fast(vf_mul(w, a->scale)), vi_set1(128)), index = vi_sar(u, 8);
    struct pair p;
    p.i0 = vi_add(index, vi_and(vi_sar(index, 31), a->turn));
    p.i1 = bring_down(a, vi_sub(index, vi_set1(-1)));
    p.f = vi_and(u, vi_set1(255));
    return p;
}

/* ---- texels --------------------------------------------------------------------------------------------------- */

struct plane {
    const void *base;
    struct axis axis[3];
    vi pitch;       /* of a row, in 64 bytes */
    vi pitch_units; /* the same in units of 'unit' bytes; below 2^15 in fetches of normalised formats */
    vi slice;       /* in units of 'unit' bytes */
};

SIMD_FN struct plane plane_of(const struct rn_fetch *pass, const struct rn_level *l, int unit) {
    const uint8_t *wrap = pass->view->desc.wrap;
    struct plane p;
    p.base = l->data;
    p.axis[0] = axis_of(pass->coord[0], l->width, wrap[0]);
    p.axis[1] = axis_of(pass->coord[1], l->height, wrap[1]);
    p.axis[2] = axis_of(pass->coord[2], l->depth, wrap[2]);
    p.pitch = vi_set1((int32_t)(l->row_bytes / 64));
    p.pitch_units = vi_set1((int32_t)(l->row_bytes / (unsigned)unit));
    p.slice = vi_set1((int32_t)(l->slice_bytes / (unsigned)unit));
    return p;
}

/* ---- cells ---------------------------------------------------------------------------------------------------- */

/*
 * One whole turn of an axis, where one subtraction wraps a coordinate: u = rint((v - origin) * scale) as texture.h wants
 * it. An u that lies inside proves that v does: outside, v - origin is below 0 or not below 1. Lanes of a vector are close
 * to each other, so mostly one cell holds them all, and the next vector's too.
 */
struct cell {
    vf origin, scale;
    vi last;        /* the largest u that needs no care */
};

/* The cell around a coordinate of a level 'size' wide. LINEAR takes 128 off u, and wants a second texel. */
SIMD_FN struct cell cell_at(int32_t size, int wrap, float place, const bool linear) {
    int32_t whole = 0;
    if (wrap != RN_WRAP_CLAMP && place > -4194304.0f && place < 4194304.0f) { /* no NaN either */
        whole = (int32_t)place;
        whole -= (float)whole > place;
    }
    const bool back = wrap == RN_WRAP_MIRROR && (whole & 1); /* w = end of the cell - v */
    const float scale = (float)size * 256.0f;
    struct cell c = {vf_set1((float)(whole + back)), vf_set1(back ? -scale : scale),
                     vi_set1(size * 256 - (linear ? 257 : 1))};
    return c;
}

SIMD_FN vi cell_position(const struct cell *c, vf v) {
    return vi_from_vf_rint_fast(vf_mul(vf_sub(v, c->origin), c->scale));
}

/* Texels of one or two bytes: 32-bit loads whose other bits the caller cuts off. */
SIMD_FN vi gather_small(const void *base, vi offset, const unsigned bytes) {
    vi word = vi_gather_bytes(base, offset);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return vi_shr(word, 32 - 8 * (int)bytes);
#else
    (void)bytes;
    return word;
#endif
}

/* ---- results -------------------------------------------------------------------------------------------------- */

struct sink {
    float *out[4];
    const int32_t *weight;
};

SIMD_FN struct sink sink_of(const struct rn_fetch *pass) {
    struct sink s = {{pass->out[0], pass->out[1], pass->out[2], pass->out[3]}, pass->weight};
    return s;
}

/* Bits of the mask for lanes lane .. lane + SIMD_N - 1. */
SIMD_FN uint32_t mask_at(const struct vliw_mask *mask, int lane) {
    return (uint32_t)(mask->w[lane / 64] >> (lane % 64)) & (uint32_t)((1ull << SIMD_N) - 1u);
}

SIMD_FN vf blend_factor(const struct sink *s, int i) {
    return s->weight ? vf_mul(vf_from_vi(vi_load(s->weight + i)), vf_set1(1.0f / 256.0f)) : vf_zero();
}

SIMD_FN void put(const struct sink *s, int c, int i, uint32_t bits, vf f, vf v) {
    float *out = s->out[c] + i;
    if (s->weight) {
        v = vf_add(vf_mul(vf_load(out), vf_sub(vf_set1(1.0f), f)), vf_mul(v, f));
    }
    if (bits == (uint32_t)((1ull << SIMD_N) - 1u)) {
        vf_store(out, v);
    } else {
        vm_storemask_f(out, vm_from_bits(bits), v);
    }
}

#endif
