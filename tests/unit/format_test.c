/* SPDX-License-Identifier: MIT */
/*
 * Pixel conversions, images, level generation and ETC1 against independent arithmetic in double: every half
 * float, every sRGB code, every format and client layout, and each pair of them that GL lets meet.
 */
#include <math.h>
#include <stdlib.h>

#include "renderer/format.h"
#include "renderer/scene.h"
#include "tests/harness/check.h"

/* Which byte of its word of 'size' bytes stands at i: 0 is the lowest. Texels are words in the machine's order. */
static unsigned byte_of(size_t i, unsigned size) {
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first ? (unsigned)i % size : size - 1 - (unsigned)i % size;
}

/* ---- half floats ---------------------------------------------------------------------------------------------- */

static double half_value(unsigned h) {
    unsigned exponent = h >> 10 & 31, mantissa = h & 1023;
    double v = exponent == 31  ? (mantissa ? (double)NAN : (double)INFINITY)
               : exponent == 0 ? ldexp(mantissa, -24)
                               : ldexp(1024 + mantissa, (int)exponent - 25);
    return h & 0x8000 ? -v : v;
}

TEST(half_to_float) {
    for (unsigned h = 0; h < 65536; h++) {
        float v = rn_half_to_float((uint16_t)h);
        double want = half_value(h);
        if (isnan(want)) {
            CHECK(bits_from_float(v) == 0x7FC00000u);
            CHECK_EQ_INT(rn_float_to_half(v), 0x7E00);
        } else {
            CHECK(bits_from_float(v) == bits_from_float((float)want));
            CHECK_EQ_INT(rn_float_to_half(v), h);
        }
    }
}

/* Nearest even among the two halves around a finite magnitude, found by bisection over the codes. */
static unsigned half_nearest(double v) {
    double m = fabs(v);
    unsigned lo = 0, hi = 0x7C00; /* the code of infinity stands for 65536 here */
    while (hi - lo > 1) {
        unsigned middle = (lo + hi) / 2;
        *(half_value(middle) <= m ? &lo : &hi) = middle;
    }
    double above = hi == 0x7C00 ? 65536.0 : half_value(hi), below = half_value(lo), rise = above - m, fall = m - below;
    unsigned code = fall < rise || (fall == rise && !(lo & 1)) ? lo : hi;
    return code | (signbit(v) ? 0x8000u : 0u);
}

TEST(float_to_half) {
    for (int k = 0; k < 200000; k++) {
        uint32_t bits = check_random();
        if (k & 1) { /* near the range of halves, often exactly between two */
            bits = (bits & 0x80000000u) | (uint32_t)(96 + check_random_below(50)) << 23 | (bits & 0x7FE000u);
            bits |= k & 2 ? 0x1000u : check_random_below(0x2000);
        }
        float v = bits_to_float(bits);
        if (isnan(v)) {
            CHECK_EQ_INT(rn_float_to_half(v), 0x7E00);
        } else {
            CHECK_EQ_INT(rn_float_to_half(v), isinf(v) ? (signbit(v) ? 0xFC00 : 0x7C00) : half_nearest((double)v));
        }
    }
    CHECK_EQ_INT(rn_float_to_half(65519.99f), 0x7BFF);
    CHECK_EQ_INT(rn_float_to_half(65520.0f), 0x7C00);
    CHECK_EQ_INT(rn_float_to_half(2.98023224e-8f), 0);      /* 2^-25, a tie */
    CHECK_EQ_INT(rn_float_to_half(2.98023259e-8f), 1);
    CHECK_EQ_INT(rn_float_to_half(-0.0f), 0x8000);
}

/* ---- sRGB ----------------------------------------------------------------------------------------------------- */

static double srgb_to_linear(double v) { return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4); }

TEST(srgb) {
    for (int code = 0; code < 256; code++) {
        CHECK(fabs((double)rn_srgb_decode[code] - srgb_to_linear(code / 255.0)) < 3e-8);
        CHECK_EQ_INT(rn_srgb_encode(rn_srgb_decode[code]), code);
        if (code < 255) {
            CHECK(rn_srgb_decode[code] < rn_srgb_decode[code + 1]);
            double border = srgb_to_linear((code + 0.5) / 255.0);
            CHECK_EQ_INT(rn_srgb_encode((float)(border * (1.0 - 1e-6))), code);
            CHECK_EQ_INT(rn_srgb_encode((float)(border * (1.0 + 1e-6))), code + 1);
        }
    }
    int last = 0, falls = 0;
    for (int i = 0; i <= 100000; i++) {
        int code = rn_srgb_encode((float)i / 100000.0f);
        falls += code < last;
        last = code;
    }
    CHECK_EQ_INT(falls, 0);
    CHECK(rn_srgb_decode[0] == 0.0f && rn_srgb_decode[255] == 1.0f);
    CHECK(rn_srgb_encode(NAN) == 0 && rn_srgb_encode(-INFINITY) == 0 && rn_srgb_encode(INFINITY) == 255);
    CHECK(rn_srgb_encode(-0.0f) == 0 && rn_srgb_encode(-3.0f) == 0 && rn_srgb_encode(1.0f) == 255);
}

TEST(unorm_rounding) {
    static const uint32_t maxima[6] = {1, 15, 31, 63, 255, 65535};
    for (int k = 0; k < 6; k++) {
        uint32_t max = maxima[k];
        for (uint32_t c = 0; c <= max; c++) {
            CHECK_EQ_INT(rn_unorm_encode((float)c * (1.0f / (float)max), max), c);
        }
        CHECK_EQ_INT(rn_unorm_encode(NAN, max), 0);
        CHECK_EQ_INT(rn_unorm_encode(-1.0f, max), 0);
        CHECK_EQ_INT(rn_unorm_encode(INFINITY, max), max);
    }
    CHECK_EQ_INT(rn_unorm_encode(0.5f, 255), 128);  /* 127.5 and 7.5 to even */
    CHECK_EQ_INT(rn_unorm_encode(0.5f, 15), 8);
    CHECK_EQ_INT(rn_unorm_encode(0.1f, 255), 26);   /* 25.5 rounded in float */
    for (int k = 0; k < 100000; k++) {
        float v = (float)check_random_below(1u << 24) / 16777216.0f;
        CHECK_EQ_INT(rn_unorm_encode(v, 255), (long)nearbyintf(v * 255.0f));
        CHECK_EQ_INT(rn_round_even((v - 0.5f) * 4000.0f), (long)nearbyintf((v - 0.5f) * 4000.0f));
    }
}

/* ---- formats: pixels decoded and encoded independently -------------------------------------------------------- */

/* Bit position of each channel in the pixel's word (r g b a), for formats of integers. */
static void channel_shifts(enum rn_format format, int shift[4]) {
    static const int packed[3][4] = {{11, 5, 0, 0}, {12, 8, 4, 0}, {11, 6, 1, 0}};
    const struct rn_format_info *info = rn_format_info(format);
    int at = 0;
    for (int c = 0; c < 4; c++) {
        shift[c] = at;
        at += info->bits[c];
    }
    if (format == RN_FORMAT_RGB565 || format == RN_FORMAT_RGBA4 || format == RN_FORMAT_RGB5A1) {
        memcpy(shift, packed[format - RN_FORMAT_RGB565], sizeof packed[0]);
    }
}

static uint32_t word_at(const uint8_t *p, unsigned bytes) {
    uint16_t h;
    uint32_t w;
    memcpy(&h, p, 2);
    memcpy(&w, p, 4);
    return bytes == 1 ? p[0] : bytes == 2 ? h : w;
}

static bool is_float(enum rn_format format) { return rn_format_info(format)->kind == RN_KIND_FLOAT; }
static bool is_color(enum rn_format format) {
    return format != RN_FORMAT_NONE && rn_format_info(format)->kind <= RN_KIND_FLOAT;
}

/* A pixel as four doubles, from its bytes. */
static void decode(enum rn_format format, const uint8_t *p, bool srgb, double out[4]) {
    const struct rn_format_info *info = rn_format_info(format);
    int shift[4], stored = 0;
    channel_shifts(format, shift);
    for (int c = 0; c < 4; c++) {
        int bits = info->bits[c];
        out[c] = c == 3 ? 1.0 : 0.0;
        if (!bits) {
            continue;
        }
        if (is_float(format)) {
            uint16_t h;
            float f;
            memcpy(&h, p + 2 * stored, 2);
            memcpy(&f, p + (bits == 32 ? 4 * stored : 0), bits == 32 ? 4 : 2);
            out[c] = bits == 16 ? half_value(h) : (double)f;
            stored++;
        } else {
            double max = (double)((1u << bits) - 1u);
            out[c] = (word_at(p, info->bytes) >> shift[c] & ((1u << bits) - 1u)) / max;
            out[c] = info->kind == RN_KIND_SRGB && srgb && c < 3 ? srgb_to_linear(out[c]) : out[c];
        }
    }
    if (info->flags & RN_FMT_LUM) {
        out[1] = out[2] = out[0];
    }
}

TEST(unpack) {
    for (int f = RN_FORMAT_RGBA8; f < RN_FORMAT_S8; f++) {
        enum rn_format format = (enum rn_format)f;
        uint8_t pixels[16 * 50 + 4];
        float rgba[50][4];
        if (!is_color(format)) {
            continue;
        }
        for (int round = 0; round < 200; round++) {
            for (size_t i = 0; i < sizeof pixels; i++) {
                pixels[i] = (uint8_t)check_random();
            }
            rn_unpack_row(format, pixels, 50, rgba);
            for (int i = 0; i < 50; i++) {
                double want[4];
                decode(format, pixels + i * rn_format_info(format)->bytes, true, want);
                for (int c = 0; c < 4; c++) {
                    double got = (double)rgba[i][c];
                    CHECK((isnan(want[c]) && isnan(got)) || got == want[c] || fabs(got - want[c]) < 1e-7);
                }
            }
        }
    }
}

TEST(pack) {
    for (int f = RN_FORMAT_RGBA8; f < RN_FORMAT_D16; f++) {
        enum rn_format format = (enum rn_format)f;
        const struct rn_format_info *info = rn_format_info(format);
        for (int k = 0; k < 3000; k++) {
            uint8_t pixel[20];
            float rgba[1][4];
            double got[4];
            memset(pixel, 0xA5, sizeof pixel);
            for (int c = 0; c < 4; c++) {
                rgba[0][c] = check_random_below(8) ? (float)check_random_below(4096) / 4095.0f : check_random_float();
            }
            rn_pack_row(format, pixel, 1, (const float(*)[4])rgba);
            CHECK(pixel[info->bytes] == 0xA5);
            decode(format, pixel, true, got);
            for (int c = 0; c < 4; c++) {
                double v = (double)rgba[0][(info->flags & RN_FMT_LUM) && c < 3 ? 0 : c];
                if (!info->bits[c] && !((info->flags & RN_FMT_LUM) && c < 3)) {
                    CHECK(got[c] == (c == 3 ? 1.0 : 0.0));
                } else if (!is_float(format)) {
                    double clamped = v > 0.0 ? (v < 1.0 ? v : 1.0) : 0.0;
                    double step = 1.0 / (double)((1u << (info->bits[c] ? info->bits[c] : info->bits[0])) - 1u);
                    bool encoded = info->kind == RN_KIND_SRGB && c < 3; /* steps of at most 0.0089 */
                    CHECK(fabs(got[c] - clamped) <= (encoded ? 0.0046 : step * 0.5001));
                } else if (info->bits[0] == 32 || info->bits[3] == 32) {
                    CHECK(isnan(v) ? isnan(got[c]) : got[c] == v);
                } else {
                    CHECK(isnan(v) ? isnan(got[c]) : isinf(v) ? got[c] == v : got[c] == half_value(half_nearest(v)));
                }
            }
            if (info->kind != RN_KIND_FLOAT && info->bytes == 4 && !info->bits[3]) {
                CHECK_EQ_INT(word_at(pixel, 4) >> 24, 255);
            }
        }
    }
}

/* What is stored comes back unchanged through floats. */
TEST(storage_round_trip) {
    for (int f = RN_FORMAT_RGBA8; f < RN_FORMAT_D16; f++) {
        enum rn_format format = (enum rn_format)f;
        unsigned bytes = rn_format_info(format)->bytes;
        for (int k = 0; k < 2000; k++) {
            uint8_t before[16], after[16];
            float rgba[1][4];
            for (int i = 0; i < 16; i++) {
                before[i] = is_float(format) && byte_of((size_t)i, 2) ? (uint8_t)(check_random() & 0x3F) : (uint8_t)check_random();
            }
            if (bytes == 4 && !is_float(format) && !rn_format_info(format)->bits[3]) {
                before[byte_of(3, 4)] = 255;
            }
            rn_unpack_row(format, before, 1, rgba);
            rn_pack_row(format, after, 1, (const float(*)[4])rgba);
            CHECK(memcmp(before, after, bytes) == 0);
        }
    }
}

/* ---- client layouts ------------------------------------------------------------------------------------------- */

enum { LAYOUTS = RN_LAYOUT_D_U16 }; /* of colours */

static const struct {
    const char *order;       /* r g b a in memory, or of the bits from the top */
    int unit;                /* bytes of a component: 1, 2 (half), 4; 0: packed */
    int bits[4];             /* packed: bits of each component in 'order' */
} layouts[LAYOUTS] = {
    [RN_LAYOUT_RGBA_U8] = {"rgba", 1, {0}},
    [RN_LAYOUT_BGRA_U8] = {"bgra", 1, {0}},
    [RN_LAYOUT_RGB_U8] = {"rgb", 1, {0}},
    [RN_LAYOUT_A_U8] = {"a", 1, {0}},
    [RN_LAYOUT_L_U8] = {"l", 1, {0}},
    [RN_LAYOUT_LA_U8] = {"la", 1, {0}},
    [RN_LAYOUT_R_U8] = {"r", 1, {0}},
    [RN_LAYOUT_RG_U8] = {"rg", 1, {0}},
    [RN_LAYOUT_RGB_565] = {"rgb", 0, {5, 6, 5}},
    [RN_LAYOUT_RGBA_4444] = {"rgba", 0, {4, 4, 4, 4}},
    [RN_LAYOUT_RGBA_5551] = {"rgba", 0, {5, 5, 5, 1}},
    [RN_LAYOUT_BGRA_4444R] = {"argb", 0, {4, 4, 4, 4}},
    [RN_LAYOUT_BGRA_1555R] = {"argb", 0, {1, 5, 5, 5}},
    [RN_LAYOUT_RGBA_F32] = {"rgba", 4, {0}},
    [RN_LAYOUT_RGB_F32] = {"rgb", 4, {0}},
    [RN_LAYOUT_A_F32] = {"a", 4, {0}},
    [RN_LAYOUT_L_F32] = {"l", 4, {0}},
    [RN_LAYOUT_LA_F32] = {"la", 4, {0}},
    [RN_LAYOUT_R_F32] = {"r", 4, {0}},
    [RN_LAYOUT_RG_F32] = {"rg", 4, {0}},
    [RN_LAYOUT_RGBA_F16] = {"rgba", 2, {0}},
    [RN_LAYOUT_RGB_F16] = {"rgb", 2, {0}},
    [RN_LAYOUT_A_F16] = {"a", 2, {0}},
    [RN_LAYOUT_L_F16] = {"l", 2, {0}},
    [RN_LAYOUT_LA_F16] = {"la", 2, {0}},
    [RN_LAYOUT_R_F16] = {"r", 2, {0}},
    [RN_LAYOUT_RG_F16] = {"rg", 2, {0}},
};

static int channel_of(char name) { return name == 'g' ? 1 : name == 'b' ? 2 : name == 'a' ? 3 : 0; }

static int layout_channels(enum rn_layout layout) { return (int)strlen(layouts[layout].order); }

/* A client pixel as four doubles. */
static void decode_layout(enum rn_layout layout, const uint8_t *p, double out[4]) {
    int below = 16;
    out[0] = out[1] = out[2] = 0.0;
    out[3] = 1.0;
    for (int k = 0; k < layout_channels(layout); k++) {
        double v;
        if (layouts[layout].unit == 0) {
            int bits = layouts[layout].bits[k];
            below -= bits;
            v = (word_at(p, 2) >> below & ((1u << bits) - 1u)) / (double)((1u << bits) - 1u);
        } else if (layouts[layout].unit == 1) {
            v = p[k] / 255.0;
        } else if (layouts[layout].unit == 2) {
            uint16_t h;
            memcpy(&h, p + 2 * k, 2);
            v = half_value(h);
        } else {
            float f;
            memcpy(&f, p + 4 * k, 4);
            v = (double)f;
        }
        out[channel_of(layouts[layout].order[k])] = v;
        if (layouts[layout].order[k] == 'l') {
            out[1] = out[2] = v;
        }
    }
}

/* Largest difference that storing a value in channel c may make: half a step, relative for floats. */
static double format_room(enum rn_format format, int c, double v) {
    const struct rn_format_info *info = rn_format_info(format);
    int bits = info->bits[c] ? info->bits[c] : info->bits[0];
    return is_float(format) ? fabs(v) * (bits == 16 ? 4.9e-4 : 1e-7) + 3e-8 : 0.5001 / (double)((1u << bits) - 1u);
}
static double layout_room(enum rn_layout layout, int c, double v) {
    const char *at = strchr(layouts[layout].order, "rgba"[c]);
    int unit = layouts[layout].unit;
    if (unit == 0) {
        return 0.5001 / (double)((1u << layouts[layout].bits[at ? at - layouts[layout].order : 0]) - 1u);
    }
    return unit == 1 ? 0.5001 / 255.0 : fabs(v) * (unit == 2 ? 4.9e-4 : 1e-7) + 3e-8;
}

static bool holds(enum rn_format format, int c) {
    const struct rn_format_info *info = rn_format_info(format);
    return info->bits[c] || ((info->flags & RN_FMT_LUM) && c < 3);
}
static bool layout_holds(enum rn_layout layout, int c) {
    return strchr(layouts[layout].order, "rgba"[c]) || (c < 3 && strchr(layouts[layout].order, 'l'));
}

static void random_layout_row(enum rn_layout layout, uint8_t *p, int pixels) {
    for (int i = 0; i < pixels * layout_channels(layout); i++) {
        if (layouts[layout].unit == 4) {
            float f = (float)(check_random_below(3000)) / 2000.0f - 0.2f;
            memcpy(p + 4 * i, &f, 4);
        } else if (layouts[layout].unit == 2) {
            uint16_t h = (uint16_t)(check_random_below(0x3D00) | check_random_below(8) / 7 << 15);
            memcpy(p + 2 * i, &h, 2);
        } else if (layouts[layout].unit == 1) {
            p[i] = (uint8_t)check_random();
        } else if (i % layout_channels(layout) == 0) {
            uint16_t h = (uint16_t)check_random();
            memcpy(p + 2 * (i / layout_channels(layout)), &h, 2);
        }
    }
}

TEST(layout_sizes) {
    for (int l = 0; l < LAYOUTS; l++) {
        int want = layouts[l].unit ? layouts[l].unit * layout_channels((enum rn_layout)l) : 2;
        CHECK_EQ_INT(rn_layout_bytes((enum rn_layout)l), want);
    }
    CHECK_EQ_INT(rn_layout_bytes(RN_LAYOUT_DS_U24_8), 4);
}

enum { BOX_W = 67, BOX_H = 3, IMAGE_W = 90, IMAGE_H = 6 };

/* Writes a box of every layout into every colour format and compares each pixel; outside nothing changes. */
static void check_write(enum rn_format format, enum rn_layout layout) {
    unsigned bytes = rn_format_info(format)->bytes, client = rn_layout_bytes(layout);
    size_t stride = (size_t)BOX_W * client + 5;
    struct rn_image *image = rn_image_create(format, IMAGE_W, IMAGE_H, 2, 1);
    struct rn_box box = {11, 2, 1, BOX_W, BOX_H, 1};
    uint8_t *pixels = malloc(stride * BOX_H + 16), *before = malloc(image->slice_bytes * 2);
    for (int y = 0; y < BOX_H; y++) {
        random_layout_row(layout, pixels + (size_t)y * stride, BOX_W);
    }
    memcpy(before, image->data, image->slice_bytes * 2);
    rn_image_write(image, &box, layout, pixels, stride, 0);
    int wrong = 0, touched = 0;
    for (int y = 0; y < IMAGE_H; y++) {
        for (int x = 0; x < IMAGE_W; x++) {
            size_t at = image->slice_bytes + (size_t)y * image->row_bytes + (size_t)x * bytes;
            if (x < box.x || x >= box.x + BOX_W || y < box.y || y >= box.y + BOX_H) {
                touched += memcmp(before + at, image->data + at, bytes) != 0;
                continue;
            }
            double want[4], got[4];
            decode_layout(layout, pixels + (size_t)(y - box.y) * stride + (size_t)(x - box.x) * client, want);
            decode(format, image->data + at, false, got);
            for (int c = 0; c < 4; c++) {
                double v = want[c];
                v = !is_float(format) ? (v > 0.0 ? (v < 1.0 ? v : 1.0) : 0.0) : v;
                v = (rn_format_info(format)->flags & RN_FMT_LUM) && c < 3 ? want[0] : v;
                v = !is_float(format) ? (v > 0.0 ? (v < 1.0 ? v : 1.0) : 0.0) : v;
                v = holds(format, c) ? v : (c == 3 ? 1.0 : 0.0);
                wrong += fabs(got[c] - v) > format_room(format, c, v);
            }
        }
    }
    touched += memcmp(before, image->data, image->slice_bytes) != 0;
    if (wrong || touched) {
        check_failf(__FILE__, __LINE__, "layout %d into %s: %d values wrong, %d pixels touched", layout,
                    rn_format_info(format)->name, wrong, touched);
    }
    check_count();
    free(pixels);
    free(before);
    rn_image_unref(image);
}

static void check_read(enum rn_format format, enum rn_layout layout) {
    unsigned bytes = rn_format_info(format)->bytes, client = rn_layout_bytes(layout);
    size_t stride = (size_t)BOX_W * client + 3;
    struct rn_image *image = rn_image_create(format, IMAGE_W, IMAGE_H, 1, 1);
    struct rn_box box = {7, 1, 0, BOX_W, BOX_H, 1};
    uint8_t *pixels = malloc(stride * BOX_H + 16);
    memset(pixels, 0xA5, stride * BOX_H + 16);
    for (size_t i = 0; i < image->slice_bytes; i++) { /* halves and floats stay moderate and finite */
        bool top = is_float(format) && (rn_format_info(format)->bits[0] == 16 || rn_format_info(format)->bits[3] == 16
                                            ? byte_of(i, 2) == 1 : byte_of(i, 4) == 3);
        image->data[i] = top ? (uint8_t)(0x38 + check_random_below(7)) : (uint8_t)check_random();
    }
    for (size_t i = byte_of(3, 4); bytes == 4 && !rn_format_info(format)->bits[3] && !is_float(format) && i < image->slice_bytes;
         i += 4) {
        image->data[i] = 255;
    }
    rn_image_read(image, &box, layout, pixels, stride);
    int wrong = 0, touched = 0;
    for (int y = 0; y < BOX_H; y++) {
        const uint8_t *row = pixels + (size_t)y * stride;
        for (size_t i = (size_t)BOX_W * client; i < stride; i++) {
            touched += row[i] != 0xA5;
        }
        for (int x = 0; x < BOX_W; x++) {
            double want[4], got[4];
            decode(format, image->data + (size_t)(y + box.y) * image->row_bytes + (size_t)(x + box.x) * bytes, false,
                   want);
            decode_layout(layout, row + (size_t)x * client, got);
            for (int c = 0; c < 4; c++) {
                double v = layouts[layout].unit > 1 ? want[c] : want[c] > 0.0 ? (want[c] < 1.0 ? want[c] : 1.0) : 0.0;
                bool lum = c < 3 && strchr(layouts[layout].order, 'l');
                v = lum ? (want[0] > 0.0 && layouts[layout].unit == 1 ? (want[0] < 1.0 ? want[0] : 1.0) : want[0]) : v;
                v = layouts[layout].unit == 1 && v < 0.0 ? 0.0 : v;
                wrong += layout_holds(layout, c) && !(fabs(got[c] - v) <= layout_room(layout, c, v));
            }
        }
    }
    if (wrong || touched) {
        check_failf(__FILE__, __LINE__, "%s as layout %d: %d values wrong, %d bytes touched",
                    rn_format_info(format)->name, layout, wrong, touched);
    }
    check_count();
    free(pixels);
    rn_image_unref(image);
}

TEST(write_and_read) {
    for (int f = RN_FORMAT_RGBA8; f < RN_FORMAT_D16; f++) {
        for (int l = 0; l < LAYOUTS; l++) {
            check_write((enum rn_format)f, (enum rn_layout)l);
            check_read((enum rn_format)f, (enum rn_layout)l);
        }
    }
}

static void check_copy(enum rn_format from, enum rn_format to) {
    struct rn_image *src = rn_image_create(from, 80, 5, 1, 1), *dst = rn_image_create(to, 100, 9, 2, 1);
    struct rn_box box = {3, 1, 0, 70, 3, 1}, all = {0, 0, 0, 80, 5, 1};
    uint8_t client[80 * 5 * 4];
    int wrong = 0;
    for (size_t i = 0; i < sizeof client; i++) {
        client[i] = (uint8_t)check_random();
    }
    rn_image_write(src, &all, RN_LAYOUT_RGBA_U8, client, 80 * 4, 0);
    rn_image_copy(dst, 20, 4, 1, src, &box);
    for (int y = 0; y < 9; y++) {
        for (int x = 0; x < 100; x++) {
            double want[4] = {0, 0, 0, 0}, got[4];
            decode(to,
                   dst->data + dst->slice_bytes + (size_t)y * dst->row_bytes + (size_t)x * rn_format_info(to)->bytes,
                   false, got);
            bool inside = x >= 20 && x < 90 && y >= 4 && y < 7;
            if (inside) {
                decode(from,
                       src->data + (size_t)(y - 3) * src->row_bytes + (size_t)(x - 17) * rn_format_info(from)->bytes,
                       false, want);
            }
            for (int c = 0; c < 4; c++) {
                double v = (rn_format_info(to)->flags & RN_FMT_LUM) && c < 3 ? want[0] : want[c];
                v = holds(to, c) ? v : (c == 3 ? 1.0 : 0.0);
                wrong += !(fabs(got[c] - v) <= format_room(to, c, v));
            }
        }
    }
    if (wrong) {
        check_failf(__FILE__, __LINE__, "%s to %s: %d values wrong", rn_format_info(from)->name,
                    rn_format_info(to)->name, wrong);
    }
    check_count();
    rn_image_unref(src);
    rn_image_unref(dst);
}

TEST(copy) {
    for (int from = RN_FORMAT_RGBA8; from < RN_FORMAT_D16; from++) {
        for (int to = RN_FORMAT_RGBA8; to < RN_FORMAT_D16; to++) {
            check_copy((enum rn_format)from, (enum rn_format)to);
        }
    }
}

/* ---- depth and stencil ---------------------------------------------------------------------------------------- */

TEST(depth_and_stencil) {
    static const enum rn_layout depths[3] = {RN_LAYOUT_D_U16, RN_LAYOUT_D_U32, RN_LAYOUT_DS_U24_8};
    static const double client_max[3] = {65535.0, 4294967295.0, 16777215.0};
    for (int k = 0; k < 6; k++) {
        bool wide = k & 1;
        enum rn_layout layout = depths[k / 2];
        unsigned bytes = rn_layout_bytes(layout);
        double max = wide ? 16777215.0 : 65535.0;
        struct rn_image *image = rn_image_create(wide ? RN_FORMAT_D24 : RN_FORMAT_D16, 100, 1, 1, 1);
        struct rn_box box = {0, 0, 0, 100, 1, 1};
        uint8_t in[400], out[400];
        for (int i = 0; i < 400; i++) {
            in[i] = i < 8 ? (uint8_t)(i < 4 ? 0 : 255) : (uint8_t)check_random();
        }
        rn_image_write(image, &box, layout, in, 400, 0);
        rn_image_read(image, &box, layout, out, 400);
        for (int i = 0; i < 100; i++) {
            uint32_t code = word_at(in + i * (int)bytes, bytes), back = word_at(out + i * (int)bytes, bytes);
            code = layout == RN_LAYOUT_DS_U24_8 ? code >> 8 : code;
            back = layout == RN_LAYOUT_DS_U24_8 ? back >> 8 : back;
            double stored = (double)word_at(image->data + i * (wide ? 4 : 2), wide ? 4 : 2);
            CHECK(fabs(stored - code / client_max[k / 2] * max) <= 0.5 + 1e-6);
            CHECK(fabs(back - stored / max * client_max[k / 2]) <= 0.5 + 1e-6);
        }
        rn_image_unref(image);
    }
    struct rn_image *stencil = rn_image_create(RN_FORMAT_S8, 3, 1, 1, 1);
    struct rn_box box = {0, 0, 0, 3, 1, 1};
    const uint32_t words[3] = {0x12345678u, 0xFFFFFF00u, 0x000000FFu};
    rn_image_write(stencil, &box, RN_LAYOUT_DS_U24_8, words, 12, 0);
    CHECK(stencil->data[0] == 0x78 && stencil->data[1] == 0 && stencil->data[2] == 0xFF);
    const uint8_t codes[3] = {7, 8, 9};
    rn_image_write(stencil, &box, RN_LAYOUT_S_U8, codes, 3, 0);
    CHECK(memcmp(stencil->data, codes, 3) == 0);
    rn_image_unref(stencil);
}

/* ---- images --------------------------------------------------------------------------------------------------- */

TEST(images) {
    struct rn_image *image = rn_image_create(RN_FORMAT_RGB565, 33, 3, 2, 4);
    CHECK(image->row_bytes == 128 && image->slice_bytes == 384 && ((uintptr_t)image->data & 63) == 0);
    CHECK(image->refs == 1 && image->samples == 4 && image->scene_uses == 0);
    for (size_t i = 0; i < image->slice_bytes * 8; i++) {
        CHECK(image->data[i] == 0);
    }
    CHECK(rn_image_ref(image) == image && rn_image_ref(NULL) == NULL);
    CHECK_EQ_INT(image->refs, 2);
    rn_image_unref(image);
    rn_image_unref(image);
    rn_image_unref(NULL);
    struct rn_image *empty = rn_image_create(RN_FORMAT_RGBA8, 0, 7, 1, 1);
    struct rn_box none = {0, 0, 0, 0, 7, 1};
    CHECK(empty && !empty->data);
    rn_image_write(empty, &none, RN_LAYOUT_RGBA_U8, "", 0, 0);
    rn_image_unref(empty);
    struct rn_image *opaque = rn_image_create(RN_FORMAT_RGBX8, 3, 3, 1, 1);
    uint8_t pixel[4];
    struct rn_box one = {1, 1, 0, 1, 1, 1};
    rn_image_read(opaque, &one, RN_LAYOUT_RGBA_U8, pixel, 4);
    CHECK(pixel[0] == 0 && pixel[3] == 255);
    rn_image_unref(opaque);
}

/* Rows and slices of client memory may be far apart, or run backwards through the box's slices. */
TEST(slices) {
    struct rn_image *image = rn_image_create(RN_FORMAT_L8, 4, 3, 3, 1);
    uint8_t client[3 * 40];
    for (int i = 0; i < 120; i++) {
        client[i] = (uint8_t)i;
    }
    struct rn_box box = {1, 1, 1, 2, 2, 2};
    rn_image_write(image, &box, RN_LAYOUT_L_U8, client, 7, 40);
    for (int z = 0; z < 3; z++) {
        for (int y = 0; y < 3; y++) {
            for (int x = 0; x < 4; x++) {
                bool in = x >= 1 && x < 3 && y >= 1 && z >= 1;
                int want = in ? (z - 1) * 40 + (y - 1) * 7 + (x - 1) : 0;
                CHECK_EQ_INT(image->data[(size_t)z * image->slice_bytes + (size_t)y * image->row_bytes + (size_t)x],
                             want);
            }
        }
    }
    rn_image_unref(image);
}

/* ---- level generation ----------------------------------------------------------------------------------------- */

/* Area of source texel k covered by destination texel i along an axis of n from m, as a share of the destination. */
static double cover(int i, int n, int k, int m) {
    double begin = (double)i * m / n, end = (double)(i + 1) * m / n;
    double lo = k > begin ? k : begin, hi = k + 1 < end ? k + 1 : end;
    return hi > lo ? (hi - lo) * n / m : 0.0;
}

static void check_downsample(enum rn_format format, int w, int h, int d) {
    int dw = w > 1 ? w / 2 : 1, dh = h > 1 ? h / 2 : 1, dd = d > 1 ? d / 2 : 1;
    struct rn_image *src = rn_image_create(format, (uint32_t)w, (uint32_t)h, (uint32_t)d, 1);
    struct rn_image *dst = rn_image_create(format, (uint32_t)dw, (uint32_t)dh, (uint32_t)dd, 1);
    unsigned bytes = rn_format_info(format)->bytes;
    for (size_t i = 0; i < src->slice_bytes * (size_t)d; i++) {
        src->data[i] = is_float(format) && byte_of(i, 2) ? (uint8_t)(0x38 + check_random_below(5)) : (uint8_t)check_random();
    }
    rn_image_downsample(dst, src);
    int wrong = 0;
    for (int z = 0; z < dd; z++) {
        for (int y = 0; y < dh; y++) {
            for (int x = 0; x < dw; x++) {
                double sum[4] = {0, 0, 0, 0}, got[4];
                for (int k = 0; k < w * h * d; k++) {
                    double texel[4],
                        share = cover(x, dw, k % w, w) * cover(y, dh, k / w % h, h) * cover(z, dd, k / w / h, d);
                    if (share == 0.0) {
                        continue;
                    }
                    decode(format,
                           src->data + (size_t)(k / w / h) * src->slice_bytes + (size_t)(k / w % h) * src->row_bytes +
                               (size_t)(k % w) * bytes,
                           true, texel);
                    for (int c = 0; c < 4; c++) {
                        sum[c] += share * texel[c];
                    }
                }
                decode(format,
                       dst->data + (size_t)z * dst->slice_bytes + (size_t)y * dst->row_bytes + (size_t)x * bytes, true,
                       got);
                for (int c = 0; c < 4; c++) {
                    bool encoded = rn_format_info(format)->kind == RN_KIND_SRGB && c < 3;
                    double room = encoded ? 0.0046 : format_room(format, c, sum[c]) + 1e-6;
                    wrong += fabs(got[c] - sum[c]) > room;
                }
            }
        }
    }
    if (wrong) {
        check_failf(__FILE__, __LINE__, "%s %dx%dx%d: %d values wrong", rn_format_info(format)->name, w, h, d, wrong);
    }
    check_count();
    rn_image_unref(src);
    rn_image_unref(dst);
}

TEST(downsample) {
    static const int sizes[10][3] = {{2, 2, 1},  {1, 1, 1},   {3, 3, 1},  {5, 4, 1}, {1, 7, 1},
                                     {16, 1, 1}, {13, 11, 1}, {31, 2, 1}, {4, 4, 4}, {5, 3, 7}};
    for (int f = RN_FORMAT_RGBA8; f < RN_FORMAT_D16; f++) {
        for (int k = 0; k < 10; k++) {
            check_downsample((enum rn_format)f, sizes[k][0], sizes[k][1], sizes[k][2]);
        }
    }
    check_downsample(RN_FORMAT_RGBA8, 130, 66, 1);
}

TEST(resolve) {
    struct rn_image *src = rn_image_create(RN_FORMAT_RGBA8, 9, 4, 1, 4),
                    *dst = rn_image_create(RN_FORMAT_RGBA8, 9, 4, 1, 1);
    struct rn_box box = {2, 1, 0, 6, 3, 1};
    struct rn_device *device = rn_device_create(1);
    struct rn_context *context = device ? rn_context_create(device) : NULL;
    CHECK(context != NULL);
    for (size_t i = 0; i < src->slice_bytes * 4; i++) {
        src->data[i] = (uint8_t)check_random();
    }
    if (context) {
        rn_image_resolve(context, dst, src, &box);
    }
    for (int y = 0; y < 4; y++) {
        for (int x = 0; x < 9; x++) {
            for (int c = 0; c < 4; c++) {
                size_t at = (size_t)y * src->row_bytes + (size_t)x * 4 + (size_t)c;
                double mean = 0.0;
                for (size_t s = 0; s < 4; s++) {
                    mean += src->data[s * src->slice_bytes + at] / 4.0;
                }
                bool in = x >= 2 && x < 8 && y >= 1;
                CHECK(in ? fabs(dst->data[at] - mean) <= 0.51 : dst->data[at] == 0);
            }
        }
    }
    rn_context_destroy(context);
    rn_device_destroy(device);
    rn_image_unref(src);
    rn_image_unref(dst);
}

/* ---- ETC1 ----------------------------------------------------------------------------------------------------- */

static uint32_t etc_texel(const uint8_t block[8], int x, int y, uint32_t width, uint32_t height) {
    struct rn_image *image = rn_image_create(RN_FORMAT_RGBX8, width, height, 1, 1);
    rn_image_write_etc1(image, block);
    uint32_t w = word_at(image->data + (size_t)y * image->row_bytes + (size_t)x * 4, 4);
    rn_image_unref(image);
    return w;
}

static uint32_t rgb(int r, int g, int b) { return (uint32_t)r | (uint32_t)g << 8 | (uint32_t)b << 16 | 0xFF000000u; }

TEST(etc1) {
    /* individual mode: base colours (1, 2, 3) and (14, 13, 12) of 15, tables 0 and 7, no flip; all indices 0 */
    const uint8_t individual[8] = {0x1E, 0x2D, 0x3C, 0x1C, 0, 0, 0, 0};
    CHECK_EQ_INT(etc_texel(individual, 0, 0, 4, 4), rgb(17 + 2, 34 + 2, 51 + 2));
    CHECK_EQ_INT(etc_texel(individual, 1, 3, 4, 4), rgb(17 + 2, 34 + 2, 51 + 2));
    CHECK_EQ_INT(etc_texel(individual, 2, 0, 4, 4), rgb(255, 221 + 47 > 255 ? 255 : 268, 204 + 47));
    /* the same flipped: the second colour in the lower half */
    const uint8_t flipped[8] = {0x1E, 0x2D, 0x3C, 0x1D, 0, 0, 0, 0};
    CHECK_EQ_INT(etc_texel(flipped, 3, 1, 4, 4), rgb(19, 36, 53));
    CHECK_EQ_INT(etc_texel(flipped, 0, 2, 4, 4), rgb(255, 255, 251));
    /* differential: 5-bit colours 16, 0, 31; differences +3, +1, -4; table 1 and 2; texel indices by bit planes:
     * texel 0: small +, texel 1: large +, texel 2: small -, texel 3: large - (down the first column) */
    const uint8_t differential[8] = {16 << 3 | 3, 0 << 3 | 1, 31 << 3 | 4, 1 << 5 | 2 << 2 | 2, 0x00, 0x0C, 0x00, 0x0A};
    int r = 16 << 3 | 16 >> 2, g = 0, b = 255;
    CHECK_EQ_INT(etc_texel(differential, 0, 0, 4, 4), rgb(r + 5, g + 5, 255));
    CHECK_EQ_INT(etc_texel(differential, 0, 1, 4, 4), rgb(r + 17, g + 17, 255));
    CHECK_EQ_INT(etc_texel(differential, 0, 2, 4, 4), rgb(r - 5, 0, b - 5));
    CHECK_EQ_INT(etc_texel(differential, 0, 3, 4, 4), rgb(r - 17, 0, b - 17));
    CHECK_EQ_INT(etc_texel(differential, 2, 0, 4, 4), rgb((19 << 3 | 19 >> 2) + 9, 8 + 9, (27 << 3 | 27 >> 2) + 9));
    /* every table and index: base colour 136, index bits of texel 0 are bit 16 (sign) and bit 0 (size) */
    static const int offsets[8][2] = {{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}};
    for (int table = 0; table < 8; table++) {
        for (int index = 0; index < 4; index++) {
            uint8_t grey[8] = {
                0x88, 0x88, 0x88, (uint8_t)(table << 5), 0, (uint8_t)(index >> 1), 0, (uint8_t)(index & 1)};
            int v = 136 + (index & 2 ? -offsets[table][index & 1] : offsets[table][index & 1]);
            v = v < 0 ? 0 : v > 255 ? 255 : v;
            CHECK_EQ_INT(etc_texel(grey, 0, 0, 4, 4), rgb(v, v, v));
        }
    }
    /* images that end inside a block, and the order of blocks */
    uint8_t four[32];
    memset(four, 0, sizeof four);
    for (int k = 0; k < 4; k++) {
        four[8 * k] = (uint8_t)(0x11 * (k + 1));
    }
    CHECK_EQ_INT(etc_texel(four, 4, 0, 6, 5) & 255, 2 * 17 + 2);
    CHECK_EQ_INT(etc_texel(four, 3, 4, 6, 5) & 255, 3 * 17 + 2);
    CHECK_EQ_INT(etc_texel(four, 5, 4, 6, 5) & 255, 4 * 17 + 2);
}
