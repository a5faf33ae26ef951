/* SPDX-License-Identifier: MIT */
/*
 * Level generation and resolve: one image of smaller size or fewer samples from another. Sizes that are
 * not even use the exact box (the area that a destination texel covers), so every source texel counts
 * with its share. SPEC: ES 2.0.25 section 3.7.11.
 */
#include <string.h>

#include "renderer/format.h"
#include "renderer/scene.h"

/* The share of source texels that destination texel 'i' of 'n' covers among 'm': up to 3 along an axis. */
struct span {
    uint32_t first, count;
    float weight[3];
};

static struct span cover(uint32_t i, uint32_t n, uint32_t m) {
    struct span s = {i * m / n, 0, {0.0f, 0.0f, 0.0f}};
    /* In units of 1/n source texels: the destination covers [i*m, (i+1)*m), source texel k [k*n, (k+1)*n). */
    uint64_t begin = (uint64_t)i * m, end = begin + m;
    for (uint64_t k = s.first; k * n < end && s.count < 3; k++) {
        uint64_t lo = k * n > begin ? k * n : begin, hi = (k + 1) * n < end ? (k + 1) * n : end;
        s.weight[s.count++] = (float)(hi - lo) / (float)m;
    }
    return s;
}

/* RGBA8 with even sizes: the mean of four bytes, rounded to nearest (halves up). */
static void halve_words(struct rn_image *dst, const struct rn_image *src, uint32_t z) {
    for (uint32_t y = 0; y < dst->height; y++) {
        const uint8_t *a = src->data + z * src->slice_bytes + (size_t)(2 * y) * src->row_bytes;
        const uint8_t *b = a + src->row_bytes;
        uint8_t *d = dst->data + z * dst->slice_bytes + (size_t)y * dst->row_bytes;
        for (uint32_t x = 0; x < dst->width * 4; x++) {
            size_t at = (size_t)(x >> 2) * 8 + (x & 3);
            d[x] = (uint8_t)((a[at] + a[at + 4] + b[at] + b[at + 4] + 2) >> 2);
        }
    }
}

static void fetch(const struct rn_image *image, uint32_t x, uint32_t y, uint32_t z, float out[4]) {
    float rgba[1][4];
    const uint8_t *p = image->data + z * image->slice_bytes + (size_t)y * image->row_bytes +
                       (size_t)x * rn_format_info((enum rn_format)image->format)->bytes;
    rn_unpack_row((enum rn_format)image->format, p, 1, rgba);
    memcpy(out, rgba[0], sizeof rgba[0]);
}

void rn_image_downsample(struct rn_image *dst, const struct rn_image *src) {
    enum rn_format format = (enum rn_format)dst->format;
    rn_image_settle(src, NULL);
    rn_image_settle(dst, NULL);
    bool words = format == RN_FORMAT_RGBA8 || format == RN_FORMAT_RGBX8;
    if (words && src->depth == dst->depth && src->width == 2 * dst->width && src->height == 2 * dst->height) {
        for (uint32_t z = 0; z < dst->depth; z++) {
            halve_words(dst, src, z);
        }
        return;
    }
    unsigned bytes = rn_format_info(format)->bytes;
    for (uint32_t z = 0; z < dst->depth; z++) {
        struct span sz = cover(z, dst->depth, src->depth);
        for (uint32_t y = 0; y < dst->height; y++) {
            struct span sy = cover(y, dst->height, src->height);
            for (uint32_t x = 0; x < dst->width; x++) {
                struct span sx = cover(x, dst->width, src->width);
                float sum[1][4] = {{0.0f, 0.0f, 0.0f, 0.0f}};
                for (uint32_t k = 0; k < sz.count * sy.count * sx.count; k++) {
                    uint32_t i = k % sx.count, j = k / sx.count % sy.count, l = k / (sx.count * sy.count);
                    float texel[4], weight = sx.weight[i] * sy.weight[j] * sz.weight[l];
                    fetch(src, sx.first + i, sy.first + j, sz.first + l, texel);
                    for (int c = 0; c < 4; c++) {
                        sum[0][c] += weight * texel[c];
                    }
                }
                rn_pack_row(format, dst->data + z * dst->slice_bytes + (size_t)y * dst->row_bytes + (size_t)x * bytes,
                            1, (const float(*)[4])sum);
            }
        }
    }
}

void rn_image_resolve(struct rn_context *context, struct rn_image *dst, struct rn_image *src,
                      const struct rn_box *box) {
    rn_flush(context);
    rn_image_settle(src, box);
    rn_image_settle(dst, box);
    enum rn_format format = (enum rn_format)src->format;
    const struct rn_format_info *info = rn_format_info(format);
    bool first_only = info->kind == RN_KIND_DEPTH || info->kind == RN_KIND_STENCIL;
    size_t plane = (size_t)src->depth * src->slice_bytes;
    for (uint32_t y = 0; y < box->height && box->width; y++) {
        const uint8_t *s = src->data + (size_t)(box->y + (int32_t)y) * src->row_bytes + (size_t)box->x * info->bytes;
        uint8_t *d = dst->data + (size_t)(box->y + (int32_t)y) * dst->row_bytes + (size_t)box->x * info->bytes;
        if (first_only || src->samples == 1) {
            memcpy(d, s, (size_t)box->width * info->bytes);
            continue;
        }
        for (uint32_t x = 0; x < box->width; x++) {
            float sum[1][4] = {{0.0f, 0.0f, 0.0f, 0.0f}};
            for (unsigned k = 0; k < src->samples; k++) {
                float rgba[1][4];
                rn_unpack_row(format, s + k * plane + (size_t)x * info->bytes, 1, rgba);
                for (int c = 0; c < 4; c++) {
                    sum[0][c] += rgba[0][c];
                }
            }
            for (int c = 0; c < 4; c++) {
                sum[0][c] /= (float)src->samples;
            }
            rn_pack_row(format, d + (size_t)x * info->bytes, 1, (const float(*)[4])sum);
        }
    }
}
