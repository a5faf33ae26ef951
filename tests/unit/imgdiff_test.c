/* SPDX-License-Identifier: MIT */
/* Image comparison: counts, shares and measures on pictures small enough to count by hand. */
#include "tests/harness/check.h"

#include <math.h>

#include "samples/common/imgdiff.h"

#define SIDE 8

struct pair {
    uint8_t a[SIDE * SIDE * 4];
    uint8_t b[SIDE * SIDE * 4];
    struct image expected;
    struct image actual;
};

/* Two equal pictures, mid grey. */
static void start(struct pair *pair) {
    memset(pair->a, 100, sizeof pair->a);
    memset(pair->b, 100, sizeof pair->b);
    pair->expected.width = pair->expected.height = SIDE;
    pair->actual.width = pair->actual.height = SIDE;
    pair->expected.pixels = pair->a;
    pair->actual.pixels = pair->b;
}

static uint8_t *at(uint8_t *pixels, int x, int y) {
    return pixels + (y * SIDE + x) * 4;
}

static struct imgdiff_result compare(struct pair *pair, int tolerance) {
    struct imgdiff_result result;
    struct image_error err;
    CHECK(imgdiff_compare(&pair->expected, &pair->actual, tolerance, &result, &err));
    return result;
}

TEST(equal_pictures) {
    struct pair pair;
    start(&pair);
    struct imgdiff_result r = compare(&pair, 0);
    CHECK(imgdiff_equal(&pair.expected, &pair.actual));
    CHECK_EQ_INT(r.pixel_count, SIDE * SIDE);
    CHECK_EQ_INT(r.differing_count, 0);
    CHECK_EQ_INT(r.beyond_count, 0);
    CHECK_EQ_INT(r.stray_count, 0);
    CHECK_EQ_INT(r.max_difference, 0);
    CHECK_EQ_INT(r.first_x, -1);
    CHECK_EQ_INT(r.first_y, -1);
    CHECK(isinf(r.psnr_db));
    CHECK(imgdiff_share(&r) == 0.0);
}

TEST(tolerance_is_per_channel_and_inclusive) {
    struct pair pair;
    for (int channel = 0; channel < 4; channel++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            start(&pair);
            at(pair.b, 5, 2)[channel] = (uint8_t)(100 + 3 * sign);
            struct imgdiff_result r = compare(&pair, 3);
            CHECK_EQ_INT(r.differing_count, 1);
            CHECK_EQ_INT(r.beyond_count, 0);
            CHECK_EQ_INT(r.max_difference, 3);
            r = compare(&pair, 2);
            CHECK_EQ_INT(r.beyond_count, 1);
            CHECK_EQ_INT(r.first_x, 5);
            CHECK_EQ_INT(r.first_y, 2);
            CHECK(imgdiff_share(&r) == 1.0 / (SIDE * SIDE));
            CHECK(!imgdiff_equal(&pair.expected, &pair.actual));
        }
    }
}

TEST(first_is_in_row_order) {
    struct pair pair;
    start(&pair);
    at(pair.b, 1, 6)[0] = 0;
    at(pair.b, 7, 3)[0] = 0;
    at(pair.b, 2, 3)[0] = 0;
    struct imgdiff_result r = compare(&pair, 2);
    CHECK_EQ_INT(r.beyond_count, 3);
    CHECK_EQ_INT(r.first_x, 2);
    CHECK_EQ_INT(r.first_y, 3);
}

TEST(moved_edges_are_not_strays) {
    struct pair pair;
    start(&pair);
    /* A column of white, one pixel to the right in the other picture. */
    for (int y = 0; y < SIDE; y++) {
        memset(at(pair.a, 3, y), 255, 4);
        memset(at(pair.b, 4, y), 255, 4);
    }
    struct imgdiff_result r = compare(&pair, 2);
    CHECK_EQ_INT(r.beyond_count, 2 * SIDE);
    CHECK_EQ_INT(r.stray_count, 0);
    /* Two pixels away is too far for the white; the grey finds a neighbour. */
    start(&pair);
    for (int y = 0; y < SIDE; y++) {
        memset(at(pair.a, 3, y), 255, 4);
        memset(at(pair.b, 5, y), 255, 4);
    }
    r = compare(&pair, 2);
    CHECK_EQ_INT(r.beyond_count, 2 * SIDE);
    CHECK_EQ_INT(r.stray_count, SIDE);
}

TEST(neighbours_reach_corners_but_not_beyond_the_border) {
    struct pair pair;
    start(&pair);
    memset(at(pair.a, 1, 1), 255, 4);
    memset(at(pair.b, 0, 0), 255, 4);
    struct imgdiff_result r = compare(&pair, 0);
    CHECK_EQ_INT(r.beyond_count, 2);
    CHECK_EQ_INT(r.stray_count, 0);
    /* The end of one row and the start of the next are neighbours in memory only. */
    start(&pair);
    memset(at(pair.a, SIDE - 1, 2), 255, 4);
    memset(at(pair.b, 0, 3), 255, 4);
    r = compare(&pair, 0);
    CHECK_EQ_INT(r.beyond_count, 2);
    CHECK_EQ_INT(r.stray_count, 1);
}

TEST(psnr_of_known_error) {
    struct pair pair;
    start(&pair);
    /* Every byte off by 5: mean square 25, 10 log10(255^2 / 25) = 34.1514 dB. */
    memset(pair.b, 105, sizeof pair.b);
    struct imgdiff_result r = compare(&pair, 5);
    CHECK(fabs(r.psnr_db - 34.1514) < 0.0001);
    CHECK_EQ_INT(r.differing_count, SIDE * SIDE);
    /* Black against white is 0 dB. */
    memset(pair.a, 0, sizeof pair.a);
    memset(pair.b, 255, sizeof pair.b);
    r = compare(&pair, 0);
    CHECK(r.psnr_db == 0.0);
    CHECK_EQ_INT(r.max_difference, 255);
    CHECK_EQ_INT(r.stray_count, SIDE * SIDE);
}

TEST(sizes_must_agree) {
    struct pair pair;
    struct imgdiff_result result;
    struct image_error err = {""};
    struct image out;
    start(&pair);
    pair.actual.width = SIDE / 2;
    CHECK(!imgdiff_compare(&pair.expected, &pair.actual, 0, &result, &err));
    CHECK(strstr(err.text, "8x8") != NULL && strstr(err.text, "4x8") != NULL);
    CHECK(!imgdiff_picture(&pair.expected, &pair.actual, &out, &err));
    CHECK(!imgdiff_equal(&pair.expected, &pair.actual));
}

TEST(picture_has_three_parts) {
    struct pair pair;
    struct image out;
    struct image_error err;
    start(&pair);
    at(pair.b, 6, 1)[0] = 103; /* red off by 3: 24 in the difference */
    at(pair.b, 2, 5)[1] = 0;   /* green off by 100: 800, clamped */
    at(pair.b, 0, 7)[3] = 98;  /* alpha off by 2: 16 in every channel */
    CHECK(imgdiff_picture(&pair.expected, &pair.actual, &out, &err));
    CHECK_EQ_INT(out.width, 3 * SIDE);
    CHECK_EQ_INT(out.height, SIDE);
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            const uint8_t *row = out.pixels + y * out.width * 4;
            const uint8_t *left = row + x * 4;
            const uint8_t *middle = row + (SIDE + x) * 4;
            const uint8_t *right = row + (2 * SIDE + x) * 4;
            uint8_t wanted[4] = {0, 0, 0, 255};
            if (x == 6 && y == 1) {
                wanted[0] = 24;
            } else if (x == 2 && y == 5) {
                wanted[1] = 255;
            } else if (x == 0 && y == 7) {
                wanted[0] = wanted[1] = wanted[2] = 16;
            }
            CHECK(memcmp(left, at(pair.a, x, y), 3) == 0 && left[3] == 255);
            CHECK(memcmp(middle, at(pair.b, x, y), 3) == 0 && middle[3] == 255);
            CHECK(memcmp(right, wanted, 4) == 0);
        }
    }
    image_free(&out);
}
