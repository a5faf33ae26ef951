/* SPDX-License-Identifier: MIT */
/*
 * The format and layout tables, and conversion of pixel rows to and from RGBA floats. Everything is
 * driven by format.def and layout.def; image.c adds the shortcuts that need no conversion.
 */
#include "renderer/format.h"

#include <string.h>

static const struct rn_format_info infos[RN_FORMAT_COUNT] = {
#define RN_FORMAT(id, bytes, r, g, b, a, kind, flags, layout)                                      \
    [RN_FORMAT_##id] = {#id, bytes, {r, g, b, a}, RN_KIND_##kind, flags},
#include "renderer/format.def"
#undef RN_FORMAT
};

const struct rn_format_info *rn_format_info(enum rn_format format) { return &infos[format]; }

/* ---- layouts -------------------------------------------------------------------------------------------------- */

enum channels { CH_RGBA, CH_BGRA, CH_RGB, CH_A, CH_L, CH_LA, CH_R, CH_RG, CH_D, CH_DS, CH_S };
enum unit { UNIT_U8, UNIT_U565, UNIT_U4444, UNIT_U5551, UNIT_F32, UNIT_F16, UNIT_U16, UNIT_U32, UNIT_U24_8 };

static const struct layout_info {
    uint8_t bytes, channels, unit;
} layouts[RN_LAYOUT_COUNT] = {
#define RN_LAYOUT(id, bytes, channels, type) [RN_LAYOUT_##id] = {bytes, CH_##channels, UNIT_##type},
#include "renderer/layout.def"
#undef RN_LAYOUT
};

unsigned rn_layout_bytes(enum rn_layout layout) { return layouts[layout].bytes; }

/* Component order of each channel set: entry i is the RGBA index of memory component i. */
static const struct {
    uint8_t count, index[4];
} orders[] = {
    [CH_RGBA] = {4, {0, 1, 2, 3}}, [CH_BGRA] = {4, {2, 1, 0, 3}}, [CH_RGB] = {3, {0, 1, 2, 0}},
    [CH_A] = {1, {3, 0, 0, 0}},    [CH_L] = {1, {0, 0, 0, 0}},    [CH_LA] = {2, {0, 3, 0, 0}},
    [CH_R] = {1, {0, 0, 0, 0}},    [CH_RG] = {2, {0, 1, 0, 0}},   [CH_D] = {1, {0, 0, 0, 0}},
    [CH_DS] = {1, {0, 0, 0, 0}},   [CH_S] = {1, {0, 0, 0, 0}},
};

/* ---- sRGB ----------------------------------------------------------------------------------------------------- */

const float rn_srgb_decode[256] = {
#define RN_SRGB(code, linear, upper) [code] = linear,
#include "renderer/srgb.def"
#undef RN_SRGB
};

static const float srgb_upper[256] = {
#define RN_SRGB(code, linear, upper) [code] = upper,
#include "renderer/srgb.def"
#undef RN_SRGB
};

uint8_t rn_srgb_encode(float linear) {
    if (!(linear > 0.0f)) {
        return 0;
    }
    if (linear >= 1.0f) {
        return 255;
    }
    unsigned code = 0;
    for (unsigned step = 128; step; step >>= 1) { /* how many upper bounds are <= linear */
        if (srgb_upper[code + step - 1] <= linear) {
            code += step;
        }
    }
    return (uint8_t)code;
}

/* ---- half floats ---------------------------------------------------------------------------------------------- */

float rn_half_to_float(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16, exponent = (half >> 10) & 31u, mantissa = half & 1023u;
    if (exponent == 31) {
        return bits_to_float(mantissa ? 0x7FC00000u : sign | 0x7F800000u);
    }
    if (exponent == 0) {
        float small = (float)mantissa * (1.0f / 16777216.0f);
        return sign ? -small : small;
    }
    return bits_to_float(sign | (exponent + 112u) << 23 | mantissa << 13);
}

uint16_t rn_float_to_half(float value) {
    uint32_t bits = bits_from_float(value), sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) {
        return 0x7E00u;
    }
    if (magnitude >= 0x477FF000u) { /* rounds to 65536 or is infinite */
        return (uint16_t)(sign | 0x7C00u);
    }
    if (magnitude < 0x38800000u) { /* below 2^-14: denormal, in steps of 2^-24 */
        if (magnitude < 0x33000000u) {
            return (uint16_t)sign;
        }
        uint32_t shift = 126u - (magnitude >> 23), mantissa = (magnitude & 0x7FFFFFu) | 0x800000u;
        uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1u), tie = 1u << (shift - 1u);
        kept += rest > tie || (rest == tie && (kept & 1u));
        return (uint16_t)(sign | kept);
    }
    uint32_t rounded = magnitude - 0x38000000u + 0x0FFFu + ((magnitude >> 13) & 1u);
    return (uint16_t)(sign | rounded >> 13);
}

/* ---- storage formats ------------------------------------------------------------------------------------------ */

#define DECODE(c, max) ((float)(c) * (1.0f / (float)(max)))

static uint16_t load16(const uint8_t *p) {
    uint16_t v;
    memcpy(&v, p, 2);
    return v;
}

static uint32_t load32(const uint8_t *p) {
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

/* Packed 16-bit colours: bits and shifts of r, g, b, a. */
struct packed16 {
    uint8_t bits[4], shift[4];
};
static const struct packed16 packed_565 = {{5, 6, 5, 0}, {11, 5, 0, 0}};
static const struct packed16 packed_4444 = {{4, 4, 4, 4}, {12, 8, 4, 0}};
static const struct packed16 packed_5551 = {{5, 5, 5, 1}, {11, 6, 1, 0}};
static const struct packed16 packed_4444r = {{4, 4, 4, 4}, {8, 4, 0, 12}};
static const struct packed16 packed_1555r = {{5, 5, 5, 1}, {10, 5, 0, 15}};

static void unpack16(const struct packed16 *f, uint16_t word, float rgba[4]) {
    for (int i = 0; i < 4; i++) {
        uint32_t max = (1u << f->bits[i]) - 1u;
        rgba[i] = max ? DECODE((uint32_t)(word >> f->shift[i]) & max, max) : (i == 3 ? 1.0f : 0.0f);
    }
}

static uint16_t pack16(const struct packed16 *f, const float rgba[4]) {
    uint32_t word = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t max = (1u << f->bits[i]) - 1u;
        if (max) {
            word |= rn_unorm_encode(rgba[i], max) << f->shift[i];
        }
    }
    return (uint16_t)word;
}

static const struct packed16 *packed_format(enum rn_format format) {
    switch (format) {
    case RN_FORMAT_RGB565: return &packed_565;
    case RN_FORMAT_RGBA4: return &packed_4444;
    case RN_FORMAT_RGB5A1: return &packed_5551;
    default: return NULL;
    }
}

/* Fills what a format does not hold: luminance spreads, missing colours are 0, missing alpha 1. */
static void complete(const struct rn_format_info *info, float rgba[4]) {
    if (info->flags & RN_FMT_LUM) {
        rgba[1] = rgba[2] = rgba[0];
    } else {
        for (int i = 0; i < 3; i++) {
            rgba[i] = info->bits[i] ? rgba[i] : 0.0f;
        }
    }
    rgba[3] = info->bits[3] ? rgba[3] : 1.0f;
}

/* Memory order of the channels that a format of whole-byte channels holds. */
static unsigned channel_list(const struct rn_format_info *info, uint8_t list[4]) {
    unsigned n = 0;
    for (uint8_t i = 0; i < 4; i++) {
        if (info->bits[i]) {
            list[n++] = i;
        }
    }
    return n;
}

static void unpack_words32(enum rn_format format, const uint8_t *p, uint32_t count, float (*rgba)[4]) {
    bool srgb = infos[format].kind == RN_KIND_SRGB, alpha = infos[format].bits[3] != 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t w = load32(p + 4 * (size_t)i);
        for (int c = 0; c < 3; c++) {
            uint32_t v = (w >> (8 * c)) & 255u;
            rgba[i][c] = srgb ? rn_srgb_decode[v] : DECODE(v, 255);
        }
        rgba[i][3] = alpha ? DECODE(w >> 24, 255) : 1.0f;
    }
}

static void unpack_float(const struct rn_format_info *info, const uint8_t *p, uint32_t count, float (*rgba)[4]) {
    uint8_t list[4];
    unsigned n = channel_list(info, list);
    bool half = info->bits[list[0]] == 16;
    for (uint32_t i = 0; i < count; i++, p += info->bytes) {
        for (unsigned k = 0; k < n; k++) {
            rgba[i][list[k]] = half ? rn_half_to_float(load16(p + 2 * k)) : bits_to_float(load32(p + 4 * k));
        }
        complete(info, rgba[i]);
    }
}

/* Formats of one or two 8-bit channels. A two-channel pixel is a host-order word. */
static void unpack_bytes(const struct rn_format_info *info, const uint8_t *p, uint32_t count, float (*rgba)[4]) {
    uint8_t list[4];
    unsigned n = channel_list(info, list);
    for (uint32_t i = 0; i < count; i++, p += info->bytes) {
        uint32_t word = n == 2 ? load16(p) : p[0];
        for (unsigned k = 0; k < n; k++) {
            rgba[i][list[k]] = DECODE((word >> (8 * k)) & 255u, 255);
        }
        complete(info, rgba[i]);
    }
}

void rn_unpack_row(enum rn_format format, const void *pixels, uint32_t count, float (*rgba)[4]) {
    const struct rn_format_info *info = &infos[format];
    const struct packed16 *packed = packed_format(format);
    const uint8_t *p = pixels;
    if (packed) {
        for (uint32_t i = 0; i < count; i++) {
            unpack16(packed, load16(p + 2 * (size_t)i), rgba[i]);
        }
    } else if (info->kind == RN_KIND_FLOAT) {
        unpack_float(info, p, count, rgba);
    } else if (info->kind == RN_KIND_DEPTH) {
        for (uint32_t i = 0; i < count; i++, p += info->bytes) {
            double v = info->bytes == 2 ? (double)load16(p) / 65535.0 : (double)load32(p) / 16777215.0;
            rgba[i][0] = rgba[i][1] = rgba[i][2] = (float)v;
            rgba[i][3] = 1.0f;
        }
    } else if (info->bytes == 4) {
        unpack_words32(format, p, count, rgba);
    } else {
        unpack_bytes(info, p, count, rgba);
    }
}

static void pack_float(const struct rn_format_info *info, uint8_t *p, uint32_t count, const float (*rgba)[4]) {
    uint8_t list[4];
    unsigned n = channel_list(info, list);
    bool half = info->bits[list[0]] == 16;
    for (uint32_t i = 0; i < count; i++, p += info->bytes) {
        for (unsigned k = 0; k < n; k++) {
            float v = rgba[i][list[k]];
            if (half) {
                uint16_t h = rn_float_to_half(v);
                memcpy(p + 2 * k, &h, 2);
            } else {
                uint32_t w = v != v ? 0x7FC00000u : bits_from_float(v);
                memcpy(p + 4 * k, &w, 4);
            }
        }
    }
}

void rn_pack_row(enum rn_format format, void *pixels, uint32_t count, const float (*rgba)[4]) {
    const struct rn_format_info *info = &infos[format];
    const struct packed16 *packed = packed_format(format);
    uint8_t *p = pixels;
    if (info->kind == RN_KIND_FLOAT) {
        pack_float(info, p, count, rgba);
        return;
    }
    uint8_t list[4];
    unsigned n = channel_list(info, list);
    for (uint32_t i = 0; i < count; i++, p += info->bytes) {
        if (packed) {
            uint16_t word = pack16(packed, rgba[i]);
            memcpy(p, &word, 2);
            continue;
        }
        uint32_t word = 0;
        for (unsigned k = 0; k < n; k++) {
            uint32_t c = info->kind == RN_KIND_SRGB && list[k] < 3 ? rn_srgb_encode(rgba[i][list[k]])
                                                                   : rn_unorm_encode(rgba[i][list[k]], 255);
            word |= c << (8 * k);
        }
        if (info->bytes == 4) {
            word |= n == 3 ? 0xFF000000u : 0;
            memcpy(p, &word, 4);
        } else if (info->bytes == 2) {
            uint16_t w = (uint16_t)word;
            memcpy(p, &w, 2);
        } else {
            p[0] = (uint8_t)word;
        }
    }
}

/* ---- client layouts ------------------------------------------------------------------------------------------- */

static const struct packed16 *packed_layout(enum rn_layout layout) {
    switch (layout) {
    case RN_LAYOUT_RGB_565: return &packed_565;
    case RN_LAYOUT_RGBA_4444: return &packed_4444;
    case RN_LAYOUT_RGBA_5551: return &packed_5551;
    case RN_LAYOUT_BGRA_4444R: return &packed_4444r;
    case RN_LAYOUT_BGRA_1555R: return &packed_1555r;
    default: return NULL;
    }
}

static unsigned unit_bytes(enum unit unit) { return unit == UNIT_U8 ? 1 : (unit == UNIT_F16 ? 2 : 4); }

static float load_unit(enum unit unit, const uint8_t *p) {
    return unit == UNIT_U8 ? DECODE(p[0], 255)
                           : (unit == UNIT_F16 ? rn_half_to_float(load16(p)) : bits_to_float(load32(p)));
}

void rn_layout_unpack_row(enum rn_layout layout, const void *pixels, uint32_t count, float (*rgba)[4]) {
    const struct layout_info *info = &layouts[layout];
    const struct packed16 *packed = packed_layout(layout);
    const uint8_t *p = pixels;
    unsigned size = unit_bytes(info->unit);
    for (uint32_t i = 0; i < count; i++, p += info->bytes) {
        if (packed) {
            unpack16(packed, load16(p), rgba[i]);
            continue;
        }
        rgba[i][0] = rgba[i][1] = rgba[i][2] = 0.0f;
        rgba[i][3] = 1.0f;
        for (unsigned k = 0; k < orders[info->channels].count; k++) {
            rgba[i][orders[info->channels].index[k]] = load_unit(info->unit, p + (size_t)k * size);
        }
        if (info->channels == CH_L || info->channels == CH_LA) {
            rgba[i][1] = rgba[i][2] = rgba[i][0];
        }
    }
}

static void store_unit(enum unit unit, uint8_t *p, float v) {
    if (unit == UNIT_U8) {
        p[0] = (uint8_t)rn_unorm_encode(v, 255);
    } else if (unit == UNIT_F16) {
        uint16_t h = rn_float_to_half(v);
        memcpy(p, &h, 2);
    } else {
        uint32_t w = v != v ? 0x7FC00000u : bits_from_float(v);
        memcpy(p, &w, 4);
    }
}

void rn_layout_pack_row(enum rn_layout layout, void *pixels, uint32_t count, const float (*rgba)[4]) {
    const struct layout_info *info = &layouts[layout];
    const struct packed16 *packed = packed_layout(layout);
    uint8_t *p = pixels;
    unsigned size = unit_bytes(info->unit);
    for (uint32_t i = 0; i < count; i++, p += info->bytes) {
        if (packed) {
            uint16_t word = pack16(packed, rgba[i]);
            memcpy(p, &word, 2);
            continue;
        }
        for (unsigned k = 0; k < orders[info->channels].count; k++) {
            store_unit(info->unit, p + (size_t)k * size, rgba[i][orders[info->channels].index[k]]);
        }
    }
}
