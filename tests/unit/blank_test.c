/* SPDX-License-Identifier: MIT */
/*
 * Tiles that clears leave unwritten (renderer/blank.h): whoever looks sees the cleared pixels, however he
 * looks, and a second clear, a partial clear, a masked clear, a write or a larger image than the framebuffer change
 * what they must and no more. What is expected is written out pixel by pixel.
 */
#include <stdlib.h>
#include <string.h>

#include "renderer/renderer.h"
#include "renderer/transfer.h"
#include "tests/harness/check.h"

#define W 150
#define H 100

struct bench {
    struct rn_device *device;
    struct rn_context *context;
    struct rn_framebuffer fb;
    uint32_t expect[H][W];
};

static bool begin(struct bench *b, uint32_t width, uint32_t height, unsigned samples) {
    memset(b, 0, sizeof *b);
    b->device = rn_device_create(2);
    b->context = b->device ? rn_context_create(b->device) : NULL;
    b->fb.width = width;
    b->fb.height = height;
    b->fb.samples = (uint8_t)samples;
    b->fb.color_count = 1;
    b->fb.color[0].image = rn_image_create(RN_FORMAT_RGBA8, W, H, 1, samples);
    return b->context && b->fb.color[0].image;
}

static void end(struct bench *b) {
    rn_context_destroy(b->context);
    rn_image_unref(b->fb.color[0].image);
    rn_device_destroy(b->device);
}

/* Clears to bytes 'level', 255 - level, level, 255. */
static void clear(struct bench *b, struct rn_rect r, unsigned mask, unsigned level) {
    const float v = (float)level / 255.0f;
    const struct rn_clear c = {.framebuffer = &b->fb,
                               .rect = r,
                               .color_mask = (uint8_t)mask,
                               .color_buffers = 1,
                               .color = {v, 1.0f - v, v, 1.0f}};
    CHECK_EQ_INT(rn_clear(b->context, &c), VLIW_OK);
    const uint8_t bytes[4] = {(uint8_t)level, (uint8_t)(255 - level), (uint8_t)level, 255};
    uint8_t written[4];
    uint32_t word, bits;
    for (unsigned i = 0; i < 4; i++) {
        written[i] = mask >> i & 1 ? 255 : 0;
    }
    memcpy(&word, bytes, sizeof word);
    memcpy(&bits, written, sizeof bits);
    for (int32_t y = r.y0; y < r.y1 && y < (int32_t)b->fb.height; y++) {
        for (int32_t x = r.x0; x < r.x1 && x < (int32_t)b->fb.width; x++) {
            b->expect[y][x] = (b->expect[y][x] & ~bits) | (word & bits);
        }
    }
}

static void whole(struct bench *b, unsigned level) {
    clear(b, (struct rn_rect){0, 0, (int32_t)b->fb.width, (int32_t)b->fb.height}, 15, level);
}

static void compare(const struct bench *b, const uint32_t *pixels, const struct rn_box *box, const char *what) {
    for (uint32_t y = 0; y < box->height; y++) {
        for (uint32_t x = 0; x < box->width; x++) {
            const uint32_t want = b->expect[(uint32_t)box->y + y][(uint32_t)box->x + x];
            check_count();
            if (pixels[y * box->width + x] != want) {
                check_failf(__FILE__, __LINE__, "%s: %08x at %u, %u instead of %08x", what,
                            (unsigned)pixels[y * box->width + x], (unsigned)box->x + x, (unsigned)box->y + y,
                            (unsigned)want);
                return;
            }
        }
    }
}

static void look(const struct bench *b, struct rn_box box, const char *what) {
    uint32_t *pixels = malloc((size_t)box.width * box.height * 4 + 1);
    rn_flush(b->context);
    rn_image_read(b->fb.color[0].image, &box, RN_LAYOUT_RGBA_U8, pixels, (size_t)box.width * 4);
    compare(b, pixels, &box, what);
    free(pixels);
}

static const struct rn_box all = {0, 0, 0, W, H, 1};

TEST(clears_are_seen) {
    struct bench b;
    CHECK(begin(&b, W, H, 1));
    look(&b, all, "new");
    whole(&b, 10);
    look(&b, (struct rn_box){60, 60, 0, 10, 10, 1}, "a part");
    look(&b, all, "whole");
    whole(&b, 20);
    rn_flush(b.context);
    whole(&b, 30); /* blank over blank */
    clear(&b, (struct rn_rect){5, 5, 70, 80}, 15, 40);
    look(&b, all, "part over blank");
    whole(&b, 50);
    rn_flush(b.context);
    clear(&b, (struct rn_rect){0, 0, W, H}, 5, 60);
    look(&b, all, "masked over blank");
    end(&b);
}

TEST(image_larger_than_the_framebuffer) {
    struct bench b;
    CHECK(begin(&b, 100, 70, 1));
    whole(&b, 10); /* cuts through tiles of the image */
    look(&b, all, "clear of a part of the image");
    b.fb.width = W;
    b.fb.height = H;
    whole(&b, 20);
    rn_flush(b.context);
    b.fb.width = 100;
    b.fb.height = 70;
    whole(&b, 30);
    look(&b, all, "part over blank, by another framebuffer");
    end(&b);
}

TEST(writes_and_copies) {
    struct bench b;
    CHECK(begin(&b, W, H, 1));
    static uint32_t words[H][W];
    for (uint32_t i = 0; i < W * H; i++) {
        words[i / W][i % W] = i * 2654435761u;
    }
    struct rn_image *image = b.fb.color[0].image;
    whole(&b, 10);
    rn_flush(b.context);
    const struct rn_box part = {30, 40, 0, 50, 50, 1};
    rn_image_write(image, &part, RN_LAYOUT_RGBA_U8, words, W * 4, 0);
    for (uint32_t y = 0; y < 50; y++) {
        memcpy(&b.expect[40 + y][30], words[y], 50 * 4);
    }
    look(&b, all, "write of a part");
    whole(&b, 20);
    rn_flush(b.context);
    rn_image_write(image, &all, RN_LAYOUT_RGBA_U8, words, W * 4, 0);
    memcpy(b.expect, words, sizeof words);
    look(&b, all, "write of all");
    whole(&b, 30);
    rn_flush(b.context);
    struct rn_image *to = rn_image_create(RN_FORMAT_RGBA8, W, H, 1, 1);
    static uint32_t pixels[H * W];
    rn_image_copy(to, 0, 0, 0, image, &all);
    rn_image_read(to, &all, RN_LAYOUT_RGBA_U8, pixels, W * 4);
    compare(&b, pixels, &all, "copy");
    rn_image_unref(to);
    struct rn_image *half = rn_image_create(RN_FORMAT_RGBA8, W / 2, H / 2, 1, 1);
    whole(&b, 40);
    rn_flush(b.context);
    rn_image_downsample(half, image);
    const struct rn_box quarter = {0, 0, 0, W / 2, H / 2, 1};
    rn_image_read(half, &quarter, RN_LAYOUT_RGBA_U8, pixels, W / 2 * 4);
    compare(&b, pixels, &quarter, "half");
    rn_image_unref(half);
    end(&b);
}

TEST(samples_resolve_and_broadcast) {
    struct bench b;
    CHECK(begin(&b, W, H, 4));
    struct rn_image *to = rn_image_create(RN_FORMAT_RGBA8, W, H, 1, 1);
    static uint32_t pixels[H * W];
    whole(&b, 10);
    rn_image_resolve(b.context, to, b.fb.color[0].image, &all);
    rn_image_read(to, &all, RN_LAYOUT_RGBA_U8, pixels, W * 4);
    compare(&b, pixels, &all, "resolve");
    struct rn_framebuffer single = b.fb;
    single.samples = 1;
    single.color[0].image = to;
    const struct rn_framebuffer several = b.fb;
    b.fb = single;
    whole(&b, 20);
    rn_image_broadcast(b.context, several.color[0].image, to);
    b.fb = several;
    struct rn_image *again = rn_image_create(RN_FORMAT_RGBA8, W, H, 1, 1);
    rn_image_resolve(b.context, again, several.color[0].image, &all);
    rn_image_read(again, &all, RN_LAYOUT_RGBA_U8, pixels, W * 4);
    compare(&b, pixels, &all, "broadcast and resolve");
    rn_image_unref(again);
    rn_image_unref(to);
    end(&b);
}

TEST(image_attached_twice) {
    struct bench b;
    CHECK(begin(&b, W, H, 1));
    b.fb.color_count = 2;
    b.fb.color[1].image = b.fb.color[0].image;
    whole(&b, 10);
    rn_flush(b.context);
    clear(&b, (struct rn_rect){3, 3, 90, 90}, 15, 20);
    look(&b, all, "attached twice");
    end(&b);
}

/* Copies that are large enough for all threads: as image.c does them, blank or not, with rows wider than the box. */
TEST(large_transfers) {
    enum { WIDE = 700, HIGH = 611, STRIDE = WIDE * 4 + 24 };
    struct rn_device *device = rn_device_create(3);
    struct rn_context *context = rn_context_create(device);
    uint8_t *client = malloc((size_t)STRIDE * HIGH), *got = malloc((size_t)STRIDE * HIGH),
            *want = malloc((size_t)STRIDE * HIGH);
    static const enum rn_format formats[3] = {RN_FORMAT_RGBA8, RN_FORMAT_RGBX8, RN_FORMAT_RGB565};
    for (int i = 0; i < 3; i++) {
        struct rn_framebuffer fb = {.width = WIDE, .height = HIGH, .samples = 1, .color_count = 1};
        fb.color[0].image = rn_image_create(formats[i], WIDE, HIGH, 1, 1);
        struct rn_image *plain = rn_image_create(formats[i], WIDE, HIGH, 1, 1);
        CHECK(fb.color[0].image && plain);
        for (size_t k = 0; k < (size_t)STRIDE * HIGH; k++) {
            client[k] = (uint8_t)check_random();
        }
        for (int round = 0; round < 4; round++) { /* a part, then all, of pixels and of blank tiles */
            const struct rn_box box = round % 2 ? (struct rn_box){0, 0, 0, WIDE, HIGH, 1}
                                                : (struct rn_box){3, 5, 0, WIDE - 20, HIGH - 21, 1};
            const struct rn_box whole_box = {0, 0, 0, WIDE, HIGH, 1};
            memset(got, 1, (size_t)STRIDE * HIGH);
            memset(want, 1, (size_t)STRIDE * HIGH);
            if (round >= 2) {
                const struct rn_clear c = {.framebuffer = &fb,
                                           .rect = {0, 0, WIDE, HIGH},
                                           .color_mask = 15,
                                           .color_buffers = 1,
                                           .color = {0.25f, 0.5f, 0.75f, 1.0f}};
                CHECK_EQ_INT(rn_clear(context, &c), VLIW_OK);
                rn_flush(context);
                rn_transfer_read(context, fb.color[0].image, &whole_box, RN_LAYOUT_RGBA_U8, got, STRIDE);
                CHECK(got[0] >= 64 && got[0] <= 66 && !memcmp(got, got + (size_t)STRIDE * (HIGH - 1), WIDE * 4));
                rn_image_write(plain, &whole_box, RN_LAYOUT_RGBA_U8, got, STRIDE, 0);
                CHECK_EQ_INT(rn_clear(context, &c), VLIW_OK);
                rn_flush(context);
            }
            rn_transfer_write(context, fb.color[0].image, &box, RN_LAYOUT_RGBA_U8, client, STRIDE, 0);
            rn_image_write(plain, &box, RN_LAYOUT_RGBA_U8, client, STRIDE, 0);
            rn_transfer_read(context, fb.color[0].image, &whole_box, RN_LAYOUT_RGBA_U8, got, STRIDE);
            rn_image_read(plain, &whole_box, RN_LAYOUT_RGBA_U8, want, STRIDE);
            CHECK(memcmp(got, want, (size_t)STRIDE * HIGH) == 0);
        }
        rn_image_unref(fb.color[0].image);
        rn_image_unref(plain);
    }
    rn_context_destroy(context);
    rn_device_destroy(device);
    free(client);
    free(got);
    free(want);
}
