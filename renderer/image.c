/* SPDX-License-Identifier: MIT */
/*
 * Images: refcounted pixel storage, and the copies between images and client memory. Boxes come in
 * checked by the API. Rows whose bits need no change are copied; all others go through four floats a
 * pixel (format.c), depth and stencil through integers.
 */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "renderer/blank.h"
#include "renderer/format.h"
#include "renderer/renderer.h"

enum {
    ROW_ALIGN = 64,
    ROW_APART = 1024,       /* rows are never a multiple of this apart: see row_bytes */
    HUGE = 2 << 20,         /* images from here on ask for large pages */
    TAIL = 64,     /* readable bytes behind the last pixel, for kernels that load whole words */
    CHUNK = 64     /* pixels converted at a time */
};

static _Atomic uint32_t *counter(uint32_t *field) { return (_Atomic uint32_t *)field; }

/* Rows whose distance is a multiple of a kilobyte share a few sets of the first-level cache: the 64 rows of
 * a tile, or the rows that a texture lookup goes through, would push each other out. One line more spreads
 * them over all sets. */
static uint32_t row_bytes(enum rn_format format, uint32_t width) {
    const uint32_t bytes = bits_align_up(width * rn_format_info(format)->bytes, ROW_ALIGN);
    return bytes && bytes % ROW_APART == 0 ? bytes + ROW_ALIGN : bytes;
}

/* Zeroed pixels, which calloc has from the system without touching them. A tile touches a page a row, more
 * than a TLB holds of small ones. */
static bool pixels_create(struct rn_image *image, size_t size) {
    const size_t align = size >= HUGE ? HUGE : ROW_ALIGN;
    image->memory = calloc(1, size + align);
    if (!image->memory) {
        return false;
    }
    image->data = (uint8_t *)image->memory + (align - (uintptr_t)image->memory % align) % align;
#if defined(MADV_HUGEPAGE)
    if (size >= HUGE) {
        madvise(image->data, size, MADV_HUGEPAGE); /* a hint */
    }
#endif
    return true;
}

struct rn_image *rn_image_create(enum rn_format format, uint32_t width, uint32_t height, uint32_t depth,
                                 unsigned samples) {
    struct rn_image *image = calloc(1, sizeof *image);
    if (!image) {
        return NULL;
    }
    image->format = (uint8_t)format;
    image->width = width;
    image->height = height;
    image->depth = depth;
    image->samples = (uint8_t)samples;
    image->refs = 1;
    image->row_bytes = row_bytes(format, width);
    image->slice_bytes = (size_t)image->row_bytes * height;
    size_t planes = (size_t)depth * samples;
    if (image->slice_bytes && planes) {
        if (planes > (SIZE_MAX / 2 - TAIL) / image->slice_bytes) {
            free(image);
            return NULL;
        }
        size_t size = image->slice_bytes * planes + TAIL;
        size = (size + ROW_ALIGN - 1) & ~(size_t)(ROW_ALIGN - 1);
        if (!pixels_create(image, size)) {
            free(image);
            return NULL;
        }
        image->blank = rn_blank_create(image);
        if (format == RN_FORMAT_RGBX8 || format == RN_FORMAT_SRGBX8) { /* the unused byte is always 255 */
            uint32_t word = 0xFF000000u;
            for (size_t i = 0; i < image->slice_bytes * planes; i += sizeof word) {
                memcpy(image->data + i, &word, sizeof word);
            }
        }
    }
    return image;
}

struct rn_image *rn_image_ref(struct rn_image *image) {
    if (image) {
        atomic_fetch_add_explicit(counter(&image->refs), 1, memory_order_relaxed);
    }
    return image;
}

void rn_image_unref(struct rn_image *image) {
    if (image && atomic_fetch_sub_explicit(counter(&image->refs), 1, memory_order_acq_rel) == 1) {
        rn_image_unref(image->owner);
        free(image->memory);
        free(image->blank);
        free(image);
    }
}

struct rn_image *rn_image_slice(struct rn_image *image, uint32_t z) {
    struct rn_image *slice = calloc(1, sizeof *slice);
    if (slice) {
        *slice = *image;
        slice->data = image->data + (size_t)z * image->slice_bytes;
        slice->depth = 1;
        slice->refs = 1;
        slice->scene_uses = 0;
        slice->blank = NULL; /* images of several slices have no blank tiles either */
        slice->memory = NULL;
        slice->owner = rn_image_ref(image);
    }
    return slice;
}

bool rn_image_overlaps(const struct rn_image *a, const struct rn_image *b) {
    if (a == b || !a || !b) {
        return a == b;
    }
    if (!a->owner && !b->owner) {
        return false; /* the usual case: an image's storage is its own */
    }
    const uintptr_t a0 = (uintptr_t)a->data, b0 = (uintptr_t)b->data;
    return a0 < b0 + b->slice_bytes * b->depth && b0 < a0 + a->slice_bytes * a->depth;
}

static uint8_t *pixel(const struct rn_image *image, int32_t x, int32_t y, int32_t z) {
    return image->data + (size_t)z * image->slice_bytes + (size_t)y * image->row_bytes +
           (size_t)x * rn_format_info((enum rn_format)image->format)->bytes;
}

/* ---- depth and stencil ---------------------------------------------------------------------------------------- */

static uint32_t load_depth(enum rn_layout layout, const uint8_t *p, unsigned image_bits) {
    uint32_t v = 0;
    uint16_t h;
    if (layout == RN_LAYOUT_D_U16) {
        memcpy(&h, p, 2);
        return image_bits == 16 ? h : (uint32_t)(((uint64_t)h * 16777215u + 32767u) / 65535u);
    }
    memcpy(&v, p, 4);
    if (layout == RN_LAYOUT_DS_U24_8) {
        v >>= 8;
        return image_bits == 24 ? v : (uint32_t)(((uint64_t)v * 65535u + 8388607u) / 16777215u);
    }
    uint64_t max = image_bits == 24 ? 16777215u : 65535u;
    return (uint32_t)(((uint64_t)v * max + 2147483647u) / 4294967295u);
}

static void write_depth_row(struct rn_image *image, uint8_t *dst, enum rn_layout layout, const uint8_t *src,
                            uint32_t count) {
    unsigned bytes = rn_layout_bytes(layout);
    for (uint32_t i = 0; i < count; i++, src += bytes) {
        if (image->format == RN_FORMAT_D16) {
            uint16_t v = (uint16_t)load_depth(layout, src, 16);
            memcpy(dst + 2 * (size_t)i, &v, 2);
        } else {
            uint32_t v = load_depth(layout, src, 24);
            memcpy(dst + 4 * (size_t)i, &v, 4);
        }
    }
}

static void write_stencil_row(uint8_t *dst, enum rn_layout layout, const uint8_t *src, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = src[i];
        if (layout == RN_LAYOUT_DS_U24_8) {
            memcpy(&v, src + 4 * (size_t)i, 4);
        }
        dst[i] = (uint8_t)v;
    }
}

static void read_depth_row(const struct rn_image *image, const uint8_t *src, enum rn_layout layout, uint8_t *dst,
                           uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v, max = image->format == RN_FORMAT_D16 ? 65535u : 16777215u;
        if (image->format == RN_FORMAT_D16) {
            uint16_t h;
            memcpy(&h, src + 2 * (size_t)i, 2);
            v = h;
        } else {
            memcpy(&v, src + 4 * (size_t)i, 4);
        }
        if (layout == RN_LAYOUT_D_U16) {
            uint16_t h = (uint16_t)(((uint64_t)v * 65535u + max / 2) / max);
            memcpy(dst + 2 * (size_t)i, &h, 2);
        } else {
            uint32_t full = layout == RN_LAYOUT_D_U32 ? 4294967295u : 16777215u;
            uint32_t w = (uint32_t)(((uint64_t)v * full + max / 2) / max);
            w = layout == RN_LAYOUT_DS_U24_8 ? w << 8 : w;
            memcpy(dst + 4 * (size_t)i, &w, 4);
        }
    }
}

/* ---- client memory -------------------------------------------------------------------------------------------- */

static bool little_endian(void) {
    const uint16_t one = 1;
    uint8_t low;
    memcpy(&low, &one, 1);
    return low == 1;
}

/* True when a row of the layout and one of the format are the same bytes. */
static bool same_bytes(enum rn_format format, enum rn_layout layout) {
    switch (layout) {
    case RN_LAYOUT_RGBA_U8: return (format == RN_FORMAT_RGBA8 || format == RN_FORMAT_SRGB8_A8) && little_endian();
    case RN_LAYOUT_RGB_565: return format == RN_FORMAT_RGB565;
    case RN_LAYOUT_RGBA_4444: return format == RN_FORMAT_RGBA4;
    case RN_LAYOUT_RGBA_5551: return format == RN_FORMAT_RGB5A1;
    case RN_LAYOUT_A_U8: return format == RN_FORMAT_A8;
    case RN_LAYOUT_L_U8: return format == RN_FORMAT_L8;
    case RN_LAYOUT_LA_U8: return format == RN_FORMAT_LA8 && little_endian();
    case RN_LAYOUT_R_U8: return format == RN_FORMAT_R8;
    case RN_LAYOUT_RG_U8: return format == RN_FORMAT_RG8 && little_endian();
    case RN_LAYOUT_D_U16: return format == RN_FORMAT_D16;
    case RN_LAYOUT_S_U8: return format == RN_FORMAT_S8;
    default: return false; /* float bits are canonicalised, so they are converted */
    }
}

/* sRGB storage takes and gives encoded values unchanged: only sampling and blending decode. */
static enum rn_format transfer_format(enum rn_format format) {
    return format == RN_FORMAT_SRGB8_A8 ? RN_FORMAT_RGBA8 : (format == RN_FORMAT_SRGBX8 ? RN_FORMAT_RGBX8 : format);
}

static void write_rgb_row(uint8_t *dst, const uint8_t *src, uint32_t count) {
    for (uint32_t i = 0; i < count; i++, src += 3) {
        uint32_t w = (uint32_t)src[0] | (uint32_t)src[1] << 8 | (uint32_t)src[2] << 16 | 0xFF000000u;
        memcpy(dst + 4 * (size_t)i, &w, 4);
    }
}

static void read_bgra_row(uint8_t *dst, const uint8_t *src, uint32_t count) {
    for (uint32_t i = 0; i < count; i++, dst += 4) {
        uint32_t w;
        memcpy(&w, src + 4 * (size_t)i, 4);
        dst[0] = (uint8_t)(w >> 16);
        dst[1] = (uint8_t)(w >> 8);
        dst[2] = (uint8_t)w;
        dst[3] = (uint8_t)(w >> 24);
    }
}

static void write_bgra_row(uint8_t *dst, const uint8_t *src, uint32_t count) {
    for (uint32_t i = 0; i < count; i++, src += 4) {
        uint32_t w = (uint32_t)src[2] | (uint32_t)src[1] << 8 | (uint32_t)src[0] << 16 | (uint32_t)src[3] << 24;
        memcpy(dst + 4 * (size_t)i, &w, 4);
    }
}

static void write_color_row(struct rn_image *image, uint8_t *dst, enum rn_layout layout, const uint8_t *src,
                            uint32_t count) {
    enum rn_format format = transfer_format((enum rn_format)image->format);
    unsigned from = rn_layout_bytes(layout), to = rn_format_info(format)->bytes;
    if (format == RN_FORMAT_RGBX8 && layout == RN_LAYOUT_RGB_U8) {
        write_rgb_row(dst, src, count);
        return;
    }
    if (format == RN_FORMAT_RGBA8 && layout == RN_LAYOUT_BGRA_U8) {
        write_bgra_row(dst, src, count);
        return;
    }
    for (uint32_t i = 0; i < count; i += CHUNK) {
        float rgba[CHUNK][4];
        uint32_t n = count - i < CHUNK ? count - i : CHUNK;
        rn_layout_unpack_row(layout, src + (size_t)i * from, n, rgba);
        rn_pack_row(format, dst + (size_t)i * to, n, (const float(*)[4])rgba);
    }
}

void rn_image_write(struct rn_image *image, const struct rn_box *box, enum rn_layout layout, const void *pixels,
                    size_t row_stride, size_t slice_stride) {
    unsigned kind = rn_format_info((enum rn_format)image->format)->kind;
    bool plain = same_bytes((enum rn_format)image->format, layout);
    if (box->width == image->width && box->height == image->height && image->samples == 1) {
        rn_blank_drop(image);
    }
    rn_image_settle(image, box);
    for (uint32_t z = 0; z < box->depth; z++) {
        for (uint32_t y = 0; y < box->height && box->width; y++) {
            const uint8_t *src = (const uint8_t *)pixels + z * slice_stride + y * row_stride;
            uint8_t *dst = pixel(image, box->x, box->y + (int32_t)y, box->z + (int32_t)z);
            if (plain) {
                memcpy(dst, src, (size_t)box->width * rn_layout_bytes(layout));
            } else if (kind == RN_KIND_DEPTH) {
                write_depth_row(image, dst, layout, src, box->width);
            } else if (kind == RN_KIND_STENCIL) {
                write_stencil_row(dst, layout, src, box->width);
            } else {
                write_color_row(image, dst, layout, src, box->width);
            }
        }
    }
}

void rn_image_read(const struct rn_image *image, const struct rn_box *box, enum rn_layout layout, void *pixels,
                   size_t row_stride) {
    enum rn_format format = transfer_format((enum rn_format)image->format);
    const struct rn_format_info *info = rn_format_info(format);
    bool plain = same_bytes(format, layout) ||
                 (format == RN_FORMAT_RGBX8 && layout == RN_LAYOUT_RGBA_U8 && little_endian());
    unsigned to = rn_layout_bytes(layout);
    rn_image_settle(image, box);
    for (uint32_t y = 0; y < box->height && box->width; y++) {
        const uint8_t *src = pixel(image, box->x, box->y + (int32_t)y, box->z);
        uint8_t *dst = (uint8_t *)pixels + y * row_stride;
        if (plain) {
            memcpy(dst, src, (size_t)box->width * to);
        } else if (info->kind == RN_KIND_DEPTH) {
            read_depth_row(image, src, layout, dst, box->width);
        } else if (layout == RN_LAYOUT_BGRA_U8 && (format == RN_FORMAT_RGBA8 || format == RN_FORMAT_RGBX8)) {
            read_bgra_row(dst, src, box->width);
        } else {
            for (uint32_t i = 0; i < box->width && info->kind != RN_KIND_STENCIL; i += CHUNK) {
                float rgba[CHUNK][4];
                uint32_t n = box->width - i < CHUNK ? box->width - i : CHUNK;
                rn_unpack_row(format, src + (size_t)i * info->bytes, n, rgba);
                rn_layout_pack_row(layout, dst + (size_t)i * to, n, (const float(*)[4])rgba);
            }
        }
    }
}

void rn_image_copy(struct rn_image *dst, int32_t dst_x, int32_t dst_y, int32_t dst_z, const struct rn_image *src,
                   const struct rn_box *box) {
    enum rn_format from = transfer_format((enum rn_format)src->format);
    enum rn_format to = transfer_format((enum rn_format)dst->format);
    unsigned from_bytes = rn_format_info(from)->bytes, to_bytes = rn_format_info(to)->bytes;
    const struct rn_box to_box = {dst_x, dst_y, dst_z, box->width, box->height, box->depth};
    rn_image_settle(src, box);
    rn_image_settle(dst, &to_box);
    for (uint32_t z = 0; z < box->depth; z++) {
        for (uint32_t y = 0; y < box->height && box->width; y++) {
            const uint8_t *s = pixel(src, box->x, box->y + (int32_t)y, box->z + (int32_t)z);
            uint8_t *d = pixel(dst, dst_x, dst_y + (int32_t)y, dst_z + (int32_t)z);
            if (from == to) {
                memmove(d, s, (size_t)box->width * from_bytes);
                continue;
            }
            for (uint32_t i = 0; i < box->width; i += CHUNK) {
                float rgba[CHUNK][4];
                uint32_t n = box->width - i < CHUNK ? box->width - i : CHUNK;
                rn_unpack_row(from, s + (size_t)i * from_bytes, n, rgba);
                rn_pack_row(to, d + (size_t)i * to_bytes, n, (const float(*)[4])rgba);
            }
        }
    }
}
