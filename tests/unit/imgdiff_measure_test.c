/* SPDX-License-Identifier: MIT */
/*
 * SSIM, FLIP and the fast counts: against values worked out by hand, against slow and obvious
 * versions, and FLIP against what the authors' own program (NVlabs/flip, 1.7) says of pictures that
 * the functions below make.
 */
#include "tests/harness/check.h"

#include <math.h>
#include <stdlib.h>

#include "samples/common/imgdiff.h"

typedef void (*pattern_fn)(int x, int y, uint8_t out[3]);

static struct image make(int width, int height, pattern_fn pattern) {
    struct image img;
    struct image_error err;
    CHECK(image_alloc(&img, width, height, &err));
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            uint8_t *p = img.pixels + (y * width + x) * 4;
            pattern(x, y, p);
            p[3] = 255;
        }
    }
    return img;
}

static void waves(int x, int y, uint8_t out[3]) {
    out[0] = (uint8_t)(x * 5);
    out[1] = (uint8_t)(y * 7);
    out[2] = (uint8_t)(x * y);
}

static void waves_changed(int x, int y, uint8_t out[3]) {
    waves(x, y, out);
    if (x >= 20 && x < 30 && y >= 10 && y < 30) {
        out[0] = (uint8_t)(255 - out[0]);
    } else if (x < 16) {
        out[0] = (uint8_t)(out[0] > 245 ? 255 : out[0] + 10);
    }
}

static void squares(int x, int y, uint8_t out[3]) {
    memset(out, (x / 8 + y / 8) % 2 != 0 ? 200 : 60, 3);
}

static void squares_moved(int x, int y, uint8_t out[3]) {
    squares(x + 1, y, out);
}

static void black(int x, int y, uint8_t out[3]) {
    (void)x, (void)y;
    memset(out, 0, 3);
}

static void white(int x, int y, uint8_t out[3]) {
    (void)x, (void)y;
    memset(out, 255, 3);
}

static void grey(int x, int y, uint8_t out[3]) {
    (void)x, (void)y;
    memset(out, 100, 3);
}

static void light_grey(int x, int y, uint8_t out[3]) {
    (void)x, (void)y;
    memset(out, 150, 3);
}

static void warm_grey(int x, int y, uint8_t out[3]) {
    (void)x, (void)y;
    out[0] = 110;
    out[1] = 100;
    out[2] = 90;
}

static double flip_of(int width, int height, pattern_fn a, pattern_fn b, double ppd) {
    struct image first = make(width, height, a);
    struct image second = make(width, height, b);
    struct imgdiff_flip_result there;
    struct imgdiff_flip_result back;
    struct image_error err;
    CHECK(imgdiff_flip(&first, &second, ppd, NULL, &there, &err));
    CHECK(imgdiff_flip(&second, &first, ppd, NULL, &back, &err));
    CHECK(there.mean == back.mean && there.largest == back.largest);
    image_free(&first);
    image_free(&second);
    return there.mean;
}

TEST(flip_as_its_authors_have_it) {
    CHECK(fabs(flip_of(64, 48, waves, waves_changed, IMGDIFF_DEFAULT_PPD) - 0.034345) < 5e-5);
    CHECK(fabs(flip_of(64, 48, waves, waves_changed, 30.0) - 0.033209) < 5e-5);
    CHECK(fabs(flip_of(64, 48, squares, squares_moved, IMGDIFF_DEFAULT_PPD) - 0.225342) < 5e-5);
    CHECK(fabs(flip_of(32, 32, black, white, IMGDIFF_DEFAULT_PPD) - 0.967395) < 5e-5);
    CHECK(fabs(flip_of(32, 32, grey, warm_grey, IMGDIFF_DEFAULT_PPD) - 0.147425) < 5e-5);
}

TEST(flip_by_hand) {
    /*
     * Black and white have L = 0 and 100 and no color: distance 100. Green (L 87.735, a -86.183,
     * b 83.180 of CIE's Lab) and blue (32.297, 79.188, -107.860) after Hunt's factor L/100:
     * green -75.613, 72.978; blue 25.575, -34.836; HyAB = 55.438 + sqrt(101.188^2 + 107.814^2) =
     * 203.298. Powers of 0.7: 25.1189 and 41.269; the knee is at 0.4 of it, 16.508. Above it:
     * 0.95 + 0.05 (25.1189 - 16.508) / (41.269 - 16.508) = 0.96739.
     */
    CHECK(fabs(flip_of(8, 8, black, white, IMGDIFF_DEFAULT_PPD) - 0.96739) < 2e-5);
    CHECK(flip_of(8, 8, waves, waves, IMGDIFF_DEFAULT_PPD) == 0.0);
    CHECK(flip_of(1, 1, grey, warm_grey, IMGDIFF_DEFAULT_PPD) > 0.1);
    CHECK(flip_of(64, 1, waves, waves_changed, 500.0) > 0.0);
}

TEST(flip_sees_alpha) {
    /* Black that lets all light through is black over black but white over white. */
    struct image first = make(8, 8, black);
    struct image second = make(8, 8, black);
    struct imgdiff_flip_result result;
    struct image_error err;
    float map[64];
    for (int i = 0; i < 64; i++) {
        second.pixels[i * 4 + 3] = 0;
    }
    CHECK(imgdiff_flip(&first, &second, IMGDIFF_DEFAULT_PPD, map, &result, &err));
    CHECK(fabs(result.mean - 0.96739) < 2e-5);
    CHECK(fabs((double)map[63] - 0.96739) < 2e-5);
    CHECK(!imgdiff_flip(&first, &second, 0.5, NULL, &result, &err));
    CHECK(strstr(err.text, "degree") != NULL);
    image_free(&first);
    image_free(&second);
}

/* ---- SSIM ---- */

/* The definition, pixel by pixel in two dimensions, in double precision. */
static double slow_ssim(const struct image *a, const struct image *b, int channels) {
    double total = 0.0;
    for (int c = 0; c < channels; c++) {
        for (int y = 0; y < a->height; y++) {
            for (int x = 0; x < a->width; x++) {
                double w = 0, ma = 0, mb = 0, aa = 0, bb = 0, ab = 0;
                for (int v = y - 5; v <= y + 5; v++) {
                    for (int u = x - 5; u <= x + 5; u++) {
                        if (u < 0 || v < 0 || u >= a->width || v >= a->height) {
                            continue;
                        }
                        double g = exp(-((u - x) * (u - x) + (v - y) * (v - y)) / (2.0 * 1.5 * 1.5));
                        double p = a->pixels[(v * a->width + u) * 4 + c];
                        double q = b->pixels[(v * a->width + u) * 4 + c];
                        w += g;
                        ma += g * p;
                        mb += g * q;
                        aa += g * p * p;
                        bb += g * q * q;
                        ab += g * p * q;
                    }
                }
                ma /= w;
                mb /= w;
                double va = aa / w - ma * ma, vb = bb / w - mb * mb, cov = ab / w - ma * mb;
                const double c1 = 6.5025, c2 = 58.5225;
                total += (2 * ma * mb + c1) * (2 * cov + c2) /
                         ((ma * ma + mb * mb + c1) * (va + vb + c2));
            }
        }
    }
    return total / (channels * a->width * a->height);
}

static double ssim_of(const struct image *a, const struct image *b) {
    struct image_error err;
    double value = -2.0;
    CHECK(imgdiff_ssim(a, b, &value, &err));
    return value;
}

TEST(ssim_by_hand) {
    /* Flat pictures: (2 * 100 * 150 + 6.5025) / (100^2 + 150^2 + 6.5025) = 0.9230923. */
    struct image first = make(16, 4, grey);
    struct image second = make(16, 4, light_grey);
    CHECK(fabs(ssim_of(&first, &second) - 0.9230923) < 1e-6);
    CHECK(fabs(ssim_of(&first, &first) - 1.0) < 1e-6);
    /* One channel of four differs when alpha does: (3 + (0 + 6.5025) / (255^2 + 6.5025)) / 4. */
    for (int i = 0; i < 64; i++) {
        second.pixels[i * 4] = second.pixels[i * 4 + 1] = second.pixels[i * 4 + 2] = 100;
        second.pixels[i * 4 + 3] = 0;
    }
    CHECK(fabs(ssim_of(&first, &second) - (3.0 + 6.5025 / 65031.5025) / 4.0) < 1e-6);
    image_free(&first);
    image_free(&second);
}

TEST(ssim_like_its_definition) {
    static const int sizes[][2] = {{1, 1}, {3, 20}, {33, 2}, {37, 29}};
    for (int s = 0; s < 4; s++) {
        for (int alpha = 0; alpha < 2; alpha++) {
            struct image a = make(sizes[s][0], sizes[s][1], waves);
            struct image b = make(sizes[s][0], sizes[s][1], waves_changed);
            for (int i = 0; i < a.width * a.height * 4; i++) {
                if (i % 4 != 3 || alpha != 0) {
                    b.pixels[i] = (uint8_t)(b.pixels[i] ^ check_random_below(32));
                }
            }
            const int channels = imgdiff_opaque(&b) ? 3 : 4;
            CHECK(fabs(ssim_of(&a, &b) - slow_ssim(&a, &b, channels)) < 1e-5);
            image_free(&a);
            image_free(&b);
        }
    }
}

/* ---- fast counts ---- */

TEST(counts_agree_with_the_plain_comparison) {
    for (int round = 0; round < 40; round++) {
        const int width = 1 + (int)check_random_below(60);
        const int height = 1 + (int)check_random_below(60);
        struct image a = make(width, height, waves);
        struct image b = make(width, height, waves);
        const uint16_t *const none[2] = {NULL, NULL};
        struct imgdiff_counts counts;
        struct imgdiff_result plain;
        struct image_error err;
        for (uint32_t i = check_random_below(50); i > 0; i--) {
            b.pixels[check_random_below((uint32_t)(width * height * 4))] ^=
                (uint8_t)(1u << check_random_below(8));
        }
        a.pixels[3] = 254; /* so that alpha counts in both */
        const int tolerance = (int)check_random_below(20);
        imgdiff_count(&a, &b, none, tolerance, &counts);
        CHECK(imgdiff_compare(&a, &b, tolerance, &plain, &err));
        CHECK_EQ_INT(counts.pixel_count, plain.pixel_count);
        CHECK_EQ_INT(counts.differing_count, plain.differing_count);
        CHECK_EQ_INT(counts.beyond_count, plain.beyond_count);
        CHECK_EQ_INT(counts.first_x, plain.first_x);
        CHECK_EQ_INT(counts.first_y, plain.first_y);
        CHECK(counts.max_difference == plain.max_difference);
        CHECK(counts.psnr_db == plain.psnr_db);
        image_free(&a);
        image_free(&b);
    }
}

TEST(counts_of_sixteen_bits) {
    struct image a = make(2, 1, grey);
    uint16_t values[2][8];
    const uint16_t *const deep[2] = {values[0], values[1]};
    struct imgdiff_counts counts;
    for (int i = 0; i < 8; i++) {
        values[0][i] = values[1][i] = 1000;
    }
    values[1][5] = 1257; /* one step of 8 bits */
    imgdiff_count(&a, &a, deep, 0, &counts);
    CHECK_EQ_INT(counts.differing_count, 1);
    CHECK_EQ_INT(counts.beyond_count, 1);
    CHECK_EQ_INT(counts.first_x, 1);
    CHECK(counts.max_difference == 1.0);
    /* Mean square (257^2) / 6 of 65535^2: 10 log10(255^2 * 6) = 55.9123 dB. */
    CHECK(fabs(counts.psnr_db - 55.9123) < 1e-4);
    imgdiff_count(&a, &a, deep, 1, &counts);
    CHECK_EQ_INT(counts.beyond_count, 0);
    values[1][5] = 1001;
    imgdiff_count(&a, &a, deep, 0, &counts);
    CHECK_EQ_INT(counts.beyond_count, 1);
    CHECK(fabs(counts.max_difference - 1.0 / 257.0) < 1e-12);
    image_free(&a);
}

TEST(psnr_of_opaque_pictures_leaves_alpha_out) {
    struct image a = make(8, 8, black);
    struct image b = make(8, 8, white);
    const uint16_t *const none[2] = {NULL, NULL};
    struct imgdiff_counts counts;
    imgdiff_count(&a, &b, none, 0, &counts);
    CHECK(counts.psnr_db == 0.0);
    image_free(&a);
    image_free(&b);
}

TEST(sheet_has_four_panels) {
    struct image a = make(40, 30, waves);
    struct image b = make(40, 30, waves_changed);
    struct image sheet;
    struct image_error err;
    uint8_t low[3];
    uint8_t high[3];
    CHECK(imgdiff_sheet(&a, &b, IMGDIFF_DEFAULT_PPD, &sheet, &err));
    CHECK_EQ_INT(sheet.width, 4 * 40 + 5 * 4);
    CHECK(imgdiff_opaque(&sheet));
    /* Pixel 25,15 of each panel: as in A, as in B, the difference clamped, a warm color. */
    const uint8_t *row = sheet.pixels + (size_t)(16 + 15) * (size_t)sheet.width * 4;
    CHECK(memcmp(row + (4 + 25) * 4, a.pixels + (15 * 40 + 25) * 4, 4) == 0);
    CHECK(memcmp(row + (48 + 25) * 4, b.pixels + (15 * 40 + 25) * 4, 4) == 0);
    CHECK_EQ_INT(row[(92 + 25) * 4], 40); /* red 125 and 130 */
    CHECK(row[(136 + 25) * 4] > 0);
    imgdiff_heat(0.0f, low);
    imgdiff_heat(1.0f, high);
    CHECK(low[0] == 0 && high[0] > 250 && high[1] == 255);
    image_free(&a);
    image_free(&b);
    image_free(&sheet);
}
