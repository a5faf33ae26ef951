/* SPDX-License-Identifier: MIT */
/*
 * Fragment operations that need no vectors: what a draw's state means for one attachment, moving quads
 * between surfaces and words, and storing and blending of the formats that work in floats (half floats,
 * sRGB), one lane at a time. Colours that are blended in floats are not rounded first: half floats are
 * not clamped either, sRGB works on linear values clamped to [0,1].
 */
#include "renderer/tile.h"

#include <string.h>

#include "renderer/format.h"

/* (2 b(x, y) + 1) / 32 of the 4x4 Bayer matrix b, cut in quads. */
#define T(n) ((2.0f * (n) + 1.0f) / 32.0f)
const float rn_dither_pattern[2][2][4] = {
    {{T(0), T(8), T(12), T(4)}, {T(2), T(10), T(14), T(6)}},
    {{T(3), T(11), T(15), T(7)}, {T(1), T(9), T(13), T(5)}},
};
#undef T

int rn_fragop_slot(enum rn_format format) {
    switch (format) {
    case RN_FORMAT_RGBA8: return 0;
    case RN_FORMAT_RGBX8: return 1;
    case RN_FORMAT_RGB565: return 2;
    case RN_FORMAT_RGBA4: return 3;
    case RN_FORMAT_RGB5A1: return 4;
    case RN_FORMAT_R8: return 5;
    case RN_FORMAT_RG8: return 6;
    default: return -1;
    }
}

/* ---- moving pixels -------------------------------------------------------------------------------------- */

static const uint32_t pair_16[4] = {0, 0xFFFFu, 0xFFFF0000u, 0xFFFFFFFFu};

static void row_16(uint8_t *p, const uint32_t *words, unsigned lanes, uint32_t bits) {
    const uint16_t lane_words[2] = {(uint16_t)(pair_16[lanes] & bits), (uint16_t)(pair_16[lanes] >> 16 & bits)};
    uint16_t v[2];
    memcpy(v, p, sizeof v);
    v[0] = (uint16_t)((v[0] & ~lane_words[0]) | (words[0] & lane_words[0]));
    v[1] = (uint16_t)((v[1] & ~lane_words[1]) | (words[1] & lane_words[1]));
    memcpy(p, v, sizeof v);
}

static void scatter_16(const struct rn_write_job *job, const uint32_t *words) {
    for (uint32_t q = job->first; q < job->first + job->count; q++) {
        const unsigned m = job->mask[q];
        uint8_t *p = job->pixels + job->qy[q] * job->stride + job->qx[q] * 2u;
        if (m & 3) {
            row_16(p, words + 4 * q, m & 3, job->op->word_mask);
        }
        if (m & 12) {
            row_16(p + job->stride, words + 4 * q + 2, m >> 2, job->op->word_mask);
        }
    }
}

static void scatter_8(const struct rn_write_job *job, const uint32_t *words) {
    const unsigned bits = job->op->word_mask & 0xFFu;
    for (uint32_t q = job->first; q < job->first + job->count; q++) {
        for (unsigned i = 0; i < 4; i++) {
            if (job->mask[q] >> i & 1) {
                uint8_t *p = job->pixels + (job->qy[q] + (i >> 1)) * job->stride + job->qx[q] + (i & 1);
                *p = (uint8_t)((*p & ~bits) | (words[4 * q + i] & bits));
            }
        }
    }
}

void rn_fragop_scatter(const struct rn_write_job *job, const uint32_t *words) {
    if (job->op->bytes == 2) {
        scatter_16(job, words);
    } else {
        scatter_8(job, words);
    }
}

/* Rows without a lane in the mask may lie outside the surface: the other row is read instead. */
void rn_fragop_gather(const struct rn_write_job *job, uint32_t *words) {
    const unsigned bytes = job->op->bytes;
    for (uint32_t q = job->first; q < job->first + job->count; q++) {
        const uint8_t *p = job->pixels + job->qy[q] * job->stride + job->qx[q] * (size_t)bytes;
        const uint8_t *p1 = job->mask[q] & 12 ? p + job->stride : p;
        uint32_t *w = words + 4 * q;
        if (bytes == 2) {
            uint16_t v[4];
            memcpy(v, p, 4);
            memcpy(v + 2, p1, 4);
            for (unsigned i = 0; i < 4; i++) {
                w[i] = v[i];
            }
        } else {
            w[0] = p[0];
            w[1] = p[1];
            w[2] = p1[0];
            w[3] = p1[1];
        }
    }
}

/* ---- state ------------------------------------------------------------------------------------------------ */

/* Factors as (off + sign * operand) * k; 'max' are the channel's steps, 1 for float formats. */
static struct rn_factor factor_of(unsigned factor, unsigned c, const float max[4], float sa_max, bool has_alpha,
                                  const float constant[4]) {
    struct rn_factor f = {RN_OP_NONE, 0.0f, 0.0f, 1.0f};
    bool inverse = false;
    float top = 1.0f;
    switch (factor) {
    case RN_ONE: f.off = 1.0f; return f;
    case RN_CONSTANT_COLOR: f.off = constant[c]; return f;
    case RN_ONE_MINUS_CONSTANT_COLOR: f.off = 1.0f - constant[c]; return f;
    case RN_CONSTANT_ALPHA: f.off = constant[3]; return f;
    case RN_ONE_MINUS_CONSTANT_ALPHA: f.off = 1.0f - constant[3]; return f;
    case RN_SRC_ALPHA_SATURATE:
        if (c == 3) {
            f.off = 1.0f;
        } else if (has_alpha) { /* target alpha 1 makes it 0 */
            f.operand = RN_OP_SATURATE;
            f.sign = 1.0f;
        }
        return f;
    case RN_SRC_COLOR:
    case RN_ONE_MINUS_SRC_COLOR:
        f.operand = RN_OP_SRC;
        top = c == 3 ? sa_max : max[c];
        inverse = factor == RN_ONE_MINUS_SRC_COLOR;
        break;
    case RN_SRC_ALPHA:
    case RN_ONE_MINUS_SRC_ALPHA:
        f.operand = RN_OP_SRC_ALPHA;
        top = sa_max;
        inverse = factor == RN_ONE_MINUS_SRC_ALPHA;
        break;
    case RN_DST_COLOR:
    case RN_ONE_MINUS_DST_COLOR:
        f.operand = RN_OP_DST;
        top = max[c];
        inverse = factor == RN_ONE_MINUS_DST_COLOR;
        break;
    case RN_DST_ALPHA:
    case RN_ONE_MINUS_DST_ALPHA:
        inverse = factor == RN_ONE_MINUS_DST_ALPHA;
        if (!has_alpha) {
            f.off = inverse ? 0.0f : 1.0f;
            return f;
        }
        f.operand = RN_OP_DST_ALPHA;
        top = max[3];
        break;
    default: /* RN_ZERO */ return f;
    }
    f.sign = inverse ? -1.0f : 1.0f;
    f.off = inverse ? top : 0.0f;
    f.k = 1.0f / top;
    return f;
}

static bool same_for_alpha(const struct rn_fragment_state *s, unsigned src, unsigned dst) {
    return s->src_rgb == src && s->src_alpha == src && s->dst_rgb == dst && s->dst_alpha == dst;
}

/* Number of a blend function with kernels of its own, -1 if it has none. */
static int fast_blend(int slot, const struct rn_fragment_state *s) {
    if (slot > 1 || s->blend_op_rgb != RN_BLEND_ADD || s->blend_op_alpha != RN_BLEND_ADD) {
        return -1;
    }
    if (same_for_alpha(s, RN_SRC_ALPHA, RN_ONE_MINUS_SRC_ALPHA)) {
        return RN_BLEND_FAST_OVER;
    }
    if (same_for_alpha(s, RN_ONE, RN_ONE_MINUS_SRC_ALPHA)) {
        return RN_BLEND_FAST_PREMULTIPLIED;
    }
    if (same_for_alpha(s, RN_ONE, RN_ONE)) {
        return RN_BLEND_FAST_ADD;
    }
    return same_for_alpha(s, RN_SRC_ALPHA, RN_ONE) ? RN_BLEND_FAST_ADD_ALPHA : -1;
}

static void masks_set(struct rn_color_op *op, const struct rn_format_info *info) {
    static const uint8_t shifts[RN_FRAGOP_FORMATS][4] = {{0, 8, 16, 24}, {0, 8, 16, 24}, {11, 5, 0, 0}, {12, 8, 4, 0},
                                                         {11, 6, 1, 0},  {0, 0, 0, 0},   {0, 8, 0, 0}};
    const int slot = rn_fragop_slot((enum rn_format)op->format);
    op->all = true;
    for (unsigned c = 0; c < 4; c++) {
        const bool written = op->channels >> c & 1;
        op->all = op->all && (written || info->bits[c] == 0);
        if (slot >= 0 && written) {
            op->word_mask |= ((1u << info->bits[c]) - 1u) << shifts[slot][c];
        }
    }
    if (op->format == RN_FORMAT_RGBX8) {
        op->word_mask |= 0xFF000000u; /* kept at 255 by writing 255 */
    }
}

void rn_color_op_set(struct rn_color_op *op, const struct rn_fragop_ops *ops, enum rn_format format,
                     const struct rn_fragment_state *state) {
    const struct rn_format_info *info = rn_format_info(format);
    const int slot = rn_fragop_slot(format);
    memset(op, 0, sizeof *op);
    op->format = (uint8_t)format;
    op->bytes = info->bytes;
    float max[4], constant[4];
    bool narrow = false;
    for (unsigned c = 0; c < 4; c++) {
        const float v = state->blend_color[c];
        op->channels |= (state->color_mask >> c & 1) && info->bits[c] ? (uint8_t)(1u << c) : 0;
        max[c] = slot >= 0 && info->bits[c] ? (float)((1u << info->bits[c]) - 1u) : 1.0f;
        narrow = narrow || (info->bits[c] && info->bits[c] < 8);
        constant[c] = info->kind == RN_KIND_FLOAT ? v : (v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f);
    }
    masks_set(op, info);
    for (unsigned i = 0; i < 64; i++) {
        op->lane_masks[i / 4][i % 4] = i / 4 >> i % 4 & 1 ? (int32_t)op->word_mask : 0;
    }
    op->dither = state->dither && narrow;
    op->blend = state->blend;
    op->blend_op[0] = state->blend_op_rgb;
    op->blend_op[1] = state->blend_op_alpha;
    if (op->blend && slot >= 0 && same_for_alpha(state, RN_ONE, RN_ZERO) && state->blend_op_rgb == RN_BLEND_ADD &&
        state->blend_op_alpha == RN_BLEND_ADD) {
        op->blend = false; /* the same values; with floats an infinite target would differ */
    }
    op->fillable = op->all && !op->blend && !op->dither && op->bytes <= 8 && (op->bytes & (op->bytes - 1)) == 0;
    op->fill = op->fillable && op->bytes == 4 ? ops->fill : NULL;
    for (unsigned c = 0; c < 4; c++) {
        const bool has_alpha = info->bits[3] != 0;
        const float sa_max = slot >= 0 ? 255.0f : 1.0f;
        op->src[c] = factor_of(c == 3 ? state->src_alpha : state->src_rgb, c, max, sa_max, has_alpha, constant);
        op->dst[c] = factor_of(c == 3 ? state->dst_alpha : state->dst_rgb, c, max, sa_max, has_alpha, constant);
    }
    if (slot < 0) {
        op->write = rn_fragop_write_float;
    } else if (!op->blend) {
        op->write = ops->store[slot][op->dither];
        op->write_bytes = slot < 2 ? ops->store_bytes[slot] : NULL;
        op->block = op->all && slot < 2 ? ops->block[slot] : NULL;
        op->block_bytes = op->all && slot < 2 ? ops->block_bytes[slot] : NULL;
    } else {
        const int fast = fast_blend(slot, state);
        op->write = fast >= 0 ? ops->fast[slot][fast] : ops->blend[slot];
        op->fast = fast >= 0 ? (uint8_t)fast : 0;
        op->write_bytes = fast >= 0 ? ops->blend_bytes[slot][fast] : NULL;
        op->window = fast >= 0 ? ops->window[slot][fast] : NULL;
    }
}

/* ---- formats in floats --------------------------------------------------------------------------------------- */

static float factor_value(const struct rn_factor *f, const float src[4], const float dst[4], unsigned c) {
    float v = 0.0f;
    switch (f->operand) {
    case RN_OP_SRC: v = src[c]; break;
    case RN_OP_SRC_ALPHA: v = src[3]; break;
    case RN_OP_DST: v = dst[c]; break;
    case RN_OP_DST_ALPHA: v = dst[3]; break;
    case RN_OP_SATURATE: v = src[3] < 1.0f - dst[3] ? src[3] : 1.0f - dst[3]; break;
    default: break;
    }
    return (f->off + f->sign * v) * f->k;
}

static float blend_value(const struct rn_color_op *op, const float src[4], const float dst[4], unsigned c) {
    const float s = src[c], d = dst[c];
    const unsigned kind = op->blend_op[c == 3];
    if (kind == RN_BLEND_MIN) {
        return s < d ? s : d;
    }
    if (kind == RN_BLEND_MAX) {
        return s > d ? s : d;
    }
    const float st = s * factor_value(&op->src[c], src, dst, c), dt = d * factor_value(&op->dst[c], src, dst, c);
    return kind == RN_BLEND_SUBTRACT ? st - dt : (kind == RN_BLEND_REVERSE_SUBTRACT ? dt - st : st + dt);
}

static void write_pixel(const struct rn_color_op *op, bool clamp, uint8_t *p, float src[4]) {
    const enum rn_format format = (enum rn_format)op->format;
    float out[1][4], dst[1][4];
    for (unsigned c = 0; clamp && c < 4; c++) {
        src[c] = src[c] > 0.0f ? (src[c] < 1.0f ? src[c] : 1.0f) : 0.0f;
    }
    if (op->blend || !op->all) {
        rn_unpack_row(format, p, 1, dst);
    }
    for (unsigned c = 0; c < 4; c++) {
        if (op->channels >> c & 1) {
            out[0][c] = op->blend ? blend_value(op, src, dst[0], c) : src[c];
        } else {
            out[0][c] = op->all ? 0.0f : dst[0][c];
        }
    }
    rn_pack_row(format, p, 1, (const float(*)[4])out);
}

void rn_fragop_write_float(const struct rn_write_job *job) {
    const bool clamp = rn_format_info((enum rn_format)job->op->format)->kind != RN_KIND_FLOAT;
    for (uint32_t q = job->first; q < job->first + job->count; q++) {
        for (unsigned i = 0; i < 4; i++) {
            if (job->mask[q] >> i & 1) {
                uint8_t *p = job->pixels + (job->qy[q] + (i >> 1)) * job->stride +
                             (job->qx[q] + (i & 1)) * (size_t)job->op->bytes;
                const uint32_t lane = 4 * q + i;
                float src[4] = {job->src[0][lane], job->src[1][lane], job->src[2][lane], job->src[3][lane]};
                write_pixel(job->op, clamp, p, src);
            }
        }
    }
}

void rn_fragop_fetch(enum rn_format format, const uint8_t *pixels, size_t stride, uint32_t count, const uint8_t *qx,
                     const uint8_t *qy, const uint8_t *mask, float *const dst[4]) {
    const size_t bytes = rn_format_info(format)->bytes;
    for (uint32_t q = 0; q < count; q++) {
        for (unsigned i = 0; i < 4; i++) {
            float rgba[1][4] = {{0.0f, 0.0f, 0.0f, 0.0f}};
            if (mask[q] >> i & 1) { /* helpers read 0: their pixel may lie outside the surface */
                rn_unpack_row(format, pixels + (qy[q] + (i >> 1)) * stride + (qx[q] + (i & 1)) * bytes, 1, rgba);
            }
            for (unsigned c = 0; c < 4; c++) {
                if (dst[c]) {
                    dst[c][4 * q + i] = rgba[0][c];
                }
            }
        }
    }
}
