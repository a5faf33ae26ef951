/* SPDX-License-Identifier: MIT */
/*
 * Texel fetch for every format and type, lane by lane: the definition that the fast kernels agree with.
 * Normalised formats are mixed as integers, float and sRGB formats in float, depth in double.
 */
#include <string.h>

#include "renderer/format.h"
#include "renderer/texture.h"

/* Channel layout of a normalised format: where the bits are; bits 0 = absent. */
struct unorm_layout {
    uint8_t shift[4], bits[4];
};

static void unorm_layout(const struct rn_format_info *info, enum rn_format format, struct unorm_layout *out) {
    memset(out, 0, sizeof *out);
    memcpy(out->bits, info->bits, 4);
    static const uint8_t shift565[4] = {11, 5, 0, 0}, shift4[4] = {12, 8, 4, 0}, shift5551[4] = {11, 6, 1, 0};
    if (format == RN_FORMAT_RGB565) {
        memcpy(out->shift, shift565, 4);
    } else if (format == RN_FORMAT_RGBA4) {
        memcpy(out->shift, shift4, 4);
    } else if (format == RN_FORMAT_RGB5A1) {
        memcpy(out->shift, shift5551, 4);
    } else {
        uint8_t at = 0;
        for (int c = 0; c < 4; c++) {
            out->shift[c] = at;
            at = (uint8_t)(at + info->bits[c]);
        }
    }
}

static const uint8_t *texel_at(const struct rn_level *level, unsigned bytes, int32_t x, int32_t y, int32_t z) {
    return level->data + (size_t)z * level->slice_bytes + (size_t)y * level->row_bytes + (size_t)x * bytes;
}

static uint32_t load_word(const uint8_t *p, unsigned bytes) {
    uint32_t w;
    uint16_t h;
    if (bytes == 4) {
        memcpy(&w, p, 4);
        return w;
    }
    if (bytes == 2) {
        memcpy(&h, p, 2);
        return h;
    }
    return p[0];
}

/* The texels that a lane mixes: 2^dims of them, index bit 0 along s, 1 along t, 2 along r. */
struct footprint {
    int count;
    const uint8_t *p[8];
    uint32_t weight[3];    /* of the second texel along each axis, of 256 */
};

static void footprint(const struct rn_view *view, const struct rn_level *level, const struct rn_axis axis[3],
                      uint8_t filter, unsigned bytes, int lane, struct footprint *out) {
    int dims = view->desc.type == RN_TEXTURE_3D ? 3 : 2;
    out->count = filter == RN_FILTER_LINEAR ? 1 << dims : 1;
    for (int k = 0; k < out->count; k++) {
        int32_t at[3] = {0, 0, 0};
        for (int d = 0; d < dims; d++) {
            at[d] = (k >> d) & 1 ? axis[d].i1[lane] : axis[d].i0[lane];
        }
        out->p[k] = texel_at(level, bytes, at[0], at[1], at[2]);
    }
    for (int d = 0; d < dims; d++) {
        out->weight[d] = filter == RN_FILTER_LINEAR ? (uint32_t)axis[d].f[lane] : 0;
    }
}

/* Exact integer mix of one channel, scaled to the sum of all weights 256^dims. */
static uint64_t mix_unorm(const struct footprint *fp, const uint32_t *value) {
    uint64_t sum = 0;
    for (int k = 0; k < fp->count; k++) {
        uint64_t w = 1;
        for (int d = 0; (1 << d) < fp->count; d++) {
            w *= (k >> d) & 1 ? fp->weight[d] : 256u - fp->weight[d];
        }
        sum += w * value[k];
    }
    return sum;
}

static float mix_float(const struct footprint *fp, const float *value) {
    float level[8];
    memcpy(level, value, sizeof level);
    int count = fp->count;
    for (int d = 0; count > 1; d++, count /= 2) {
        float f = (float)fp->weight[d] * (1.0f / 256.0f);
        for (int k = 0; k < count / 2; k++) {
            level[k] = level[2 * k] * (1.0f - f) + level[2 * k + 1] * f;
        }
    }
    return level[0];
}

static float weight_scale(int count) {
    return count == 1 ? 1.0f : (count == 4 ? 1.0f / 65536.0f : 1.0f / 16777216.0f);
}

static void fetch_unorm(const struct rn_format_info *info, const struct unorm_layout *layout,
                        const struct footprint *fp, float rgba[4]) {
    uint32_t word[8];
    for (int k = 0; k < fp->count; k++) {
        word[k] = load_word(fp->p[k], info->bytes);
    }
    for (int c = 0; c < 4; c++) {
        uint32_t max = (1u << layout->bits[c]) - 1u, value[8];
        if (!max) {
            rgba[c] = c == 3 ? 1.0f : 0.0f;
            continue;
        }
        for (int k = 0; k < fp->count; k++) {
            value[k] = (word[k] >> layout->shift[c]) & max;
        }
        /* 1 / max rounded once; the weights' power of two is exact in it */
        rgba[c] = (float)mix_unorm(fp, value) * (1.0f / (float)max * weight_scale(fp->count));
    }
}

static void fetch_float(enum rn_format format, const struct footprint *fp, float rgba[4]) {
    float texel[8][4], value[8];
    for (int k = 0; k < fp->count; k++) {
        float one[1][4];
        rn_unpack_row(format, fp->p[k], 1, one);
        memcpy(texel[k], one[0], sizeof one[0]);
    }
    for (int c = 0; c < 4; c++) {
        for (int k = 0; k < 8; k++) {
            value[k] = k < fp->count ? texel[k][c] : 0.0f;
        }
        rgba[c] = mix_float(fp, value);
    }
}

static bool compare(uint8_t func, float reference, float depth) {
    switch (func) {
    case RN_NEVER: return false;
    case RN_LESS: return reference < depth;
    case RN_EQUAL: return reference == depth;
    case RN_LEQUAL: return reference <= depth;
    case RN_GREATER: return reference > depth;
    case RN_NOTEQUAL: return reference != depth;
    case RN_GEQUAL: return reference >= depth;
    default: return true;
    }
}

/* Depth formats: the value, or (with a reference) the share of texels that pass the comparison. */
static void fetch_depth(const struct rn_view *view, const struct rn_format_info *info, const struct footprint *fp,
                        const float *reference, float rgba[4]) {
    uint32_t word[8], max = info->bytes == 2 ? 65535u : 16777215u;
    for (int k = 0; k < fp->count; k++) {
        word[k] = load_word(fp->p[k], info->bytes);
        if (reference && view->desc.compare) {
            float r = *reference > 0.0f ? *reference : 0.0f;
            r = r < 1.0f ? r : 1.0f;
            word[k] = compare(view->desc.compare_func, r, (float)((double)word[k] / (double)max));
        }
    }
    double scale = (double)weight_scale(fp->count);
    double sum = (double)mix_unorm(fp, word) * scale;
    float v = (float)(reference && view->desc.compare ? sum : sum / (double)max);
    rgba[0] = rgba[1] = rgba[2] = v;
    rgba[3] = 1.0f;
}

/* The results of one lane, stored or blended. */
static void put(const struct rn_fetch *pass, int lane, const float rgba[4]) {
    float f = pass->weight ? (float)pass->weight[lane] * (1.0f / 256.0f) : 0.0f;
    for (int c = 0; c < 4; c++) {
        float *out = &pass->out[c][lane];
        *out = pass->weight ? *out * (1.0f - f) + rgba[c] * f : rgba[c];
    }
}

static void fetch_generic(const struct rn_fetch *pass, enum rn_filter filter) {
    const struct rn_view *view = pass->view;
    const struct rn_level *level = pass->level;
    enum rn_format format = (enum rn_format)view->format;
    const struct rn_format_info *info = rn_format_info(format);
    const int32_t sizes[3] = {level->width, level->height, level->depth};
    int dims = view->desc.type == RN_TEXTURE_3D ? 3 : 2;
    struct unorm_layout layout;
    struct rn_axis axis[3];
    unorm_layout(info, format, &layout);
    for (int d = 0; d < dims; d++) {
        view->kernels->axis[filter](pass->coord[d], sizes[d], view->desc.wrap[d], &axis[d]);
    }
    for (int lane = 0; lane < VM_LANES; lane++) {
        if (!((pass->mask.w[lane / 64] >> (lane % 64)) & 1u)) {
            continue;
        }
        struct footprint fp;
        float rgba[4];
        footprint(view, level, axis, (uint8_t)filter, info->bytes, lane, &fp);
        if (info->kind == RN_KIND_DEPTH) {
            fetch_depth(view, info, &fp, pass->reference ? pass->reference + lane : NULL, rgba);
        } else if (view->kind == RN_FETCH_FLOAT || view->kind == RN_FETCH_SRGB) {
            fetch_float(format, &fp, rgba);
        } else {
            fetch_unorm(info, &layout, &fp, rgba);
            if (info->flags & RN_FMT_LUM) {
                rgba[1] = rgba[2] = rgba[0];
            }
        }
        put(pass, lane, rgba);
    }
}

void rn_fetch_generic_nearest(const struct rn_fetch *pass) { fetch_generic(pass, RN_FILTER_NEAREST); }
void rn_fetch_generic_linear(const struct rn_fetch *pass) { fetch_generic(pass, RN_FILTER_LINEAR); }
