/* SPDX-License-Identifier: MIT */
/*
 * Fragment operations on colours: every SIMD level gives the scalar one's bytes; the scalar one agrees
 * with the blend equations in doubles, written here from the specification (ES 2.0.25 4.1.6).
 */
#include "renderer/format.h"
#include "renderer/tile.h"
#include "tests/harness/check.h"

static bool have(enum vliw_simd level) {
    const bool usable = vliw_simd_limit(level) == level;
    vliw_simd_limit(VLIW_SIMD_COUNT - 1);
    return usable;
}

static const uint8_t formats[] = {RN_FORMAT_RGBA8,  RN_FORMAT_RGBX8, RN_FORMAT_RGB565, RN_FORMAT_RGBA4,
                                  RN_FORMAT_RGB5A1, RN_FORMAT_R8,    RN_FORMAT_RG8,    RN_FORMAT_SRGB8_A8,
                                  RN_FORMAT_R16F,   RN_FORMAT_RG16F, RN_FORMAT_RGB16F, RN_FORMAT_RGBA16F};
#define FORMATS (sizeof formats / sizeof formats[0])
#define STRIDE  512

/* A batch's worth of everything a write needs. */
struct setup {
    float src[4][VM_LANES] BITS_ALIGN(64);
    uint8_t qx[VM_QUADS], qy[VM_QUADS], mask[VM_QUADS];
    uint8_t start[64 * STRIDE] BITS_ALIGN(64);
    uint32_t first, count;
};
static struct rn_lane_scratch scratch;

static void random_setup(struct setup *s, enum rn_format format, bool awkward) {
    const unsigned bytes = rn_format_info(format)->bytes;
    uint8_t taken[32 * 32] = {0};
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned i = 0; i < VM_LANES; i++) {
            s->src[c][i] = awkward ? check_random_float() : (float)(check_random() >> 8) / 16777215.0f;
        }
    }
    for (unsigned q = 0; q < VM_QUADS; q++) {
        unsigned at;
        do {
            at = check_random_below(32 * 32);
        } while (taken[at]);
        taken[at] = 1;
        s->qx[q] = (uint8_t)(at % 32 * 2);
        s->qy[q] = (uint8_t)(at / 32 * 2);
        s->mask[q] = (uint8_t)(check_random_below(2) ? 15 : check_random_below(16));
    }
    s->first = check_random_below(VM_QUADS);
    s->count = check_random_below(2) ? VM_QUADS - s->first : 1 + check_random_below(VM_QUADS - s->first);
    for (unsigned y = 0; y < 64; y++) {
        for (unsigned x = 0; x < 64; x++) {
            float rgba[1][4];
            for (unsigned c = 0; c < 4; c++) {
                rgba[0][c] = (float)(check_random() >> 8) / 16777215.0f;
            }
            rn_pack_row(format, s->start + y * STRIDE + x * bytes, 1, (const float(*)[4])rgba);
        }
    }
}

static void random_state(struct rn_fragment_state *state) {
    memset(state, 0, sizeof *state);
    state->color_mask = (uint8_t)(check_random_below(2) ? 15 : check_random_below(16));
    state->dither = check_random_below(2) != 0;
    state->blend = check_random_below(4) != 0;
    if (state->blend) {
        state->blend_op_rgb = (uint8_t)check_random_below(5);
        state->blend_op_alpha = (uint8_t)check_random_below(5);
        state->src_rgb = (uint8_t)check_random_below(RN_BLEND_FACTOR_COUNT);
        state->dst_rgb = (uint8_t)check_random_below(RN_BLEND_FACTOR_COUNT - 1);
        state->src_alpha = (uint8_t)check_random_below(RN_BLEND_FACTOR_COUNT);
        state->dst_alpha = (uint8_t)check_random_below(RN_BLEND_FACTOR_COUNT - 1);
        if (check_random_below(2)) { /* the shortcuts */
            static const uint8_t pairs[4][2] = {{RN_SRC_ALPHA, RN_ONE_MINUS_SRC_ALPHA},
                                                {RN_ONE, RN_ONE_MINUS_SRC_ALPHA},
                                                {RN_ONE, RN_ONE},
                                                {RN_SRC_ALPHA, RN_ONE}};
            const unsigned k = check_random_below(4);
            state->blend_op_rgb = state->blend_op_alpha = RN_BLEND_ADD;
            state->src_rgb = state->src_alpha = pairs[k][0];
            state->dst_rgb = state->dst_alpha = pairs[k][1];
        }
        for (unsigned c = 0; c < 4; c++) {
            state->blend_color[c] = (float)check_random_below(256) / 255.0f;
        }
    }
}

static void write(const struct setup *s, const struct rn_color_op *op, uint8_t *pixels) {
    struct rn_write_job job = {.op = op,
                               .src = {s->src[0], s->src[1], s->src[2], s->src[3]},
                               .first = s->first,
                               .count = s->count,
                               .qx = s->qx,
                               .qy = s->qy,
                               .mask = s->mask,
                               .pixels = pixels,
                               .stride = STRIDE,
                               .scratch = &scratch};
    op->write(&job);
}

TEST(fragop_levels) {
    static struct setup s;
    static uint8_t expect[64 * STRIDE], got[64 * STRIDE];
    for (int i = 0; i < 3000; i++) {
        const enum rn_format format = (enum rn_format)formats[check_random_below(FORMATS)];
        struct rn_fragment_state state;
        random_setup(&s, format, check_random_below(2) != 0);
        random_state(&state);
        for (enum vliw_simd level = VLIW_SIMD_SCALAR; level < VLIW_SIMD_COUNT; level++) {
            if (!have(level)) {
                continue;
            }
            struct rn_color_op op;
            rn_color_op_set(&op, rn_fragop_ops_for(level), format, &state);
            uint8_t *pixels = level == VLIW_SIMD_SCALAR ? expect : got;
            memcpy(pixels, s.start, sizeof expect);
            write(&s, &op, pixels);
            check_count();
            if (level != VLIW_SIMD_SCALAR && memcmp(expect, got, sizeof got) != 0) {
                check_failf(__FILE__, __LINE__, "%s: case %d, %s", vliw_simd_name(level), i,
                            rn_format_info(format)->name);
                return;
            }
        }
    }
}

/* ---- the equations ------------------------------------------------------------------------------------------- */

static double clamp01(double v) {
    return v > 0.0 ? (v < 1.0 ? v : 1.0) : 0.0;
}
static double nearest(double v, unsigned bits) { /* ties: either is right, see 'agrees' */
    const double max = (double)((1u << bits) - 1u);
    return (double)(uint32_t)(clamp01(v) * max + 0.5) / max;
}

static double factor(unsigned f, unsigned c, const double *s, double sa, const double *d, const float *k) {
    switch (f) {
    case RN_ZERO: return 0.0;
    case RN_ONE: return 1.0;
    case RN_SRC_COLOR: return c == 3 ? sa : s[c];
    case RN_ONE_MINUS_SRC_COLOR: return 1.0 - (c == 3 ? sa : s[c]);
    case RN_DST_COLOR: return d[c];
    case RN_ONE_MINUS_DST_COLOR: return 1.0 - d[c];
    case RN_SRC_ALPHA: return sa;
    case RN_ONE_MINUS_SRC_ALPHA: return 1.0 - sa;
    case RN_DST_ALPHA: return d[3];
    case RN_ONE_MINUS_DST_ALPHA: return 1.0 - d[3];
    case RN_CONSTANT_COLOR: return (double)k[c];
    case RN_ONE_MINUS_CONSTANT_COLOR: return 1.0 - (double)k[c];
    case RN_CONSTANT_ALPHA: return (double)k[3];
    case RN_ONE_MINUS_CONSTANT_ALPHA: return 1.0 - (double)k[3];
    default: return c == 3 ? 1.0 : (sa < 1.0 - d[3] ? sa : 1.0 - d[3]);
    }
}

static double blended(const struct rn_fragment_state *t, unsigned c, const double *s, double sa, const double *d) {
    const unsigned op = c == 3 ? t->blend_op_alpha : t->blend_op_rgb;
    const double st = s[c] * factor(c == 3 ? t->src_alpha : t->src_rgb, c, s, sa, d, t->blend_color);
    const double dt = d[c] * factor(c == 3 ? t->dst_alpha : t->dst_rgb, c, s, sa, d, t->blend_color);
    switch (op) {
    case RN_BLEND_ADD: return st + dt;
    case RN_BLEND_SUBTRACT: return st - dt;
    case RN_BLEND_REVERSE_SUBTRACT: return dt - st;
    case RN_BLEND_MIN: return s[c] < d[c] ? s[c] : d[c];
    default: return s[c] > d[c] ? s[c] : d[c];
    }
}

/* One pixel after the write against the equations; false (and a message) if a channel is wrong. */
static bool agrees(enum rn_format format, const struct rn_fragment_state *t, const float src[4], const float *old,
                   const float *now) {
    const struct rn_format_info *info = rn_format_info(format);
    double s[4], d[4];
    for (unsigned c = 0; c < 4; c++) {
        s[c] = info->bits[c] ? nearest((double)src[c], info->bits[c]) : 0.0;
        d[c] = (double)old[c];
    }
    const double sa = nearest((double)src[3], 8);
    for (unsigned c = 0; c < 4; c++) {
        if (!info->bits[c]) {
            continue;
        }
        const double max = (double)((1u << info->bits[c]) - 1u);
        double exact = t->blend ? clamp01(blended(t, c, s, sa, d)) : (double)src[c];
        exact = (t->color_mask >> c & 1 ? clamp01(exact) : (double)old[c]) * max;
        const double off = (double)now[c] * max - exact;
        const bool dithered = t->dither && info->bits[c] < 8 && (t->color_mask >> c & 1);
        const double most = dithered ? 1.0 : 0.5;
        if (off > most + 1e-3 || off < -most - 1e-3) {
            check_failf(__FILE__, __LINE__, "%s channel %u: %f, not %f (blend %d, ops %u %u, factors %u %u %u %u)",
                        info->name, c, (double)now[c] * max, exact, t->blend, t->blend_op_rgb, t->blend_op_alpha,
                        t->src_rgb, t->dst_rgb, t->src_alpha, t->dst_alpha);
            return false;
        }
    }
    return true;
}

TEST(fragop_equations) {
    static struct setup s;
    static uint8_t got[64 * STRIDE];
    for (int i = 0; i < 4000; i++) {
        const enum rn_format format = (enum rn_format)formats[check_random_below(7)];
        const unsigned bytes = rn_format_info(format)->bytes;
        struct rn_fragment_state state;
        struct rn_color_op op;
        random_setup(&s, format, false);
        random_state(&state);
        rn_color_op_set(&op, rn_fragop_ops_for(VLIW_SIMD_SCALAR), format, &state);
        memcpy(got, s.start, sizeof got);
        write(&s, &op, got);
        for (uint32_t q = 0; q < VM_QUADS; q++) {
            for (unsigned l = 0; l < 4; l++) {
                const size_t at = (s.qy[q] + (l >> 1)) * (size_t)STRIDE + (s.qx[q] + (l & 1)) * (size_t)bytes;
                const bool written = q >= s.first && q < s.first + s.count && (s.mask[q] >> l & 1);
                float old[1][4], now[1][4];
                rn_unpack_row(format, s.start + at, 1, old);
                rn_unpack_row(format, got + at, 1, now);
                check_count();
                const float src[4] = {s.src[0][4 * q + l], s.src[1][4 * q + l], s.src[2][4 * q + l],
                                      s.src[3][4 * q + l]};
                if (written ? !agrees(format, &state, src, old[0], now[0])
                            : memcmp(got + at, s.start + at, bytes) != 0) {
                    CHECK(written);
                    return;
                }
            }
        }
    }
}

static uint32_t one_pixel(enum rn_format format, const struct rn_fragment_state *state, const float src[4],
                          uint32_t old) {
    static float lanes[4][VM_LANES] BITS_ALIGN(64);
    uint8_t pixels[2 * 64] BITS_ALIGN(64) = {0};
    static const uint8_t zero[VM_QUADS], one[VM_QUADS] = {1};
    struct rn_color_op op;
    uint32_t v = 0;
    for (unsigned c = 0; c < 4; c++) {
        lanes[c][0] = src[c];
    }
    rn_color_op_set(&op, rn_fragop_ops_for(vliw_simd_level()), format, state);
    /* texels are words of 32 or of 16 bits; of the latter the first is the lower half of the number */
    const bool halves = format == RN_FORMAT_RGB565 || format == RN_FORMAT_RG16F;
    uint16_t half[2] = {(uint16_t)old, (uint16_t)(old >> 16)};
    memcpy(pixels, halves ? (const void *)half : (const void *)&old, op.bytes);
    const struct rn_write_job job = {.op = &op,
                                     .src = {lanes[0], lanes[1], lanes[2], lanes[3]},
                                     .first = 0,
                                     .count = 1,
                                     .qx = zero,
                                     .qy = zero,
                                     .mask = one,
                                     .pixels = pixels,
                                     .stride = 64,
                                     .scratch = &scratch};
    op.write(&job);
    if (halves) {
        half[1] = 0;
        memcpy(half, pixels, op.bytes);
        return half[0] | (uint32_t)half[1] << 16;
    }
    memcpy(&v, pixels, op.bytes);
    return v;
}

TEST(fragop_known_values) {
    struct rn_fragment_state t;
    memset(&t, 0, sizeof t);
    t.color_mask = 15;
    const float nan = bits_to_float(0x7FC00000u), inf = bits_to_float(0x7F800000u);
    CHECK_EQ_INT(one_pixel(RN_FORMAT_RGBA8, &t, (const float[]){nan, inf, -inf, 0.5f}, 0), 0x8000FF00u);
    CHECK_EQ_INT(one_pixel(RN_FORMAT_RGBX8, &t, (const float[]){1.0f, 0.0f, 0.0f, 0.0f}, 0), 0xFF0000FFu);
    t.color_mask = 5;
    CHECK_EQ_INT(one_pixel(RN_FORMAT_RGBA8, &t, (const float[]){1.0f, 1.0f, 1.0f, 1.0f}, 0x11223344u), 0x11FF33FFu);
    CHECK_EQ_INT(one_pixel(RN_FORMAT_RGB565, &t, (const float[]){1.0f, 1.0f, 0.0f, 1.0f}, 0x07FFu), 0xFFE0u);
    t.color_mask = 15;
    t.blend = true;
    t.src_rgb = RN_SRC_ALPHA_SATURATE; /* source alpha .5 over target alpha .75: factor .25 */
    t.dst_rgb = RN_ZERO;
    t.src_alpha = RN_ZERO;
    t.dst_alpha = RN_ONE;
    CHECK_EQ_INT(one_pixel(RN_FORMAT_RGBA8, &t, (const float[]){1.0f, 1.0f, 1.0f, 0.5f}, 0xBF000000u), 0xBF404040u);
    t.src_rgb = t.src_alpha = RN_DST_ALPHA; /* no alpha in the target: 1 */
    t.dst_rgb = RN_ZERO;
    CHECK_EQ_INT(one_pixel(RN_FORMAT_RGBX8, &t, (const float[]){0.2f, 0.4f, 0.6f, 0.0f}, 0xFF000000u), 0xFF996633u);
    /* Half floats: not clamped, NaN in one form, infinities kept. */
    t.blend = false;
    CHECK_EQ_INT(one_pixel(RN_FORMAT_RG16F, &t, (const float[]){-2.0f, 65504.0f, 0, 0}, 0), 0x7BFFC000u);
    CHECK_EQ_INT(one_pixel(RN_FORMAT_RG16F, &t, (const float[]){-nan, inf, 0, 0}, 0), 0x7C007E00u);
    /* sRGB: encoded after blending of linear values. */
    CHECK_EQ_INT(one_pixel(RN_FORMAT_SRGB8_A8, &t, (const float[]){0.0f, 1.0f, 0.5f, 0.5f}, 0), 0x80BCFF00u);
}

TEST(fragop_dither) {
    /* A dithered constant takes both neighbours, in the right share; an exact value only itself. */
    struct rn_fragment_state t;
    memset(&t, 0, sizeof t);
    t.color_mask = 15;
    t.dither = true;
    static struct setup s;
    uint8_t pixels[64 * STRIDE] BITS_ALIGN(64) = {0};
    struct rn_color_op op;
    memset(&s, 0, sizeof s);
    for (unsigned i = 0; i < VM_LANES; i++) {
        s.src[0][i] = (7.0f + 0.25f) / 31.0f;
        s.src[1][i] = 20.0f / 63.0f;
        s.src[2][i] = 1.0f;
    }
    for (unsigned q = 0; q < 4; q++) {
        s.qx[q] = (uint8_t)(q % 2 * 2);
        s.qy[q] = (uint8_t)(q / 2 * 2);
        s.mask[q] = 15;
    }
    s.count = 4;
    rn_color_op_set(&op, rn_fragop_ops_for(vliw_simd_level()), RN_FORMAT_RGB565, &t);
    write(&s, &op, pixels);
    unsigned high = 0;
    for (unsigned i = 0; i < 16; i++) {
        uint16_t v;
        memcpy(&v, pixels + i / 4 * STRIDE + i % 4 * 2, 2);
        high += v >> 11 == 8;
        CHECK(v >> 11 == 7 || v >> 11 == 8);
        CHECK_EQ_INT(v >> 5 & 63, 20);
        CHECK_EQ_INT(v & 31, 31);
    }
    CHECK_EQ_INT(high, 4);
    rn_color_op_set(&op, rn_fragop_ops_for(vliw_simd_level()), RN_FORMAT_RGBA8, &t);
    CHECK(!op.dither);
}

/* Whole windows: the same bytes as quad by quad. */
TEST(fragop_blocks) {
    static struct setup s;
    static uint8_t expect[64 * STRIDE], expect_bytes[64 * STRIDE], got[64 * STRIDE];
    for (int i = 0; i < 400; i++) {
        const enum rn_format format = check_random_below(2) ? RN_FORMAT_RGBA8 : RN_FORMAT_RGBX8;
        struct rn_fragment_state state;
        random_setup(&s, format, check_random_below(2) != 0);
        memset(&state, 0, sizeof state);
        state.color_mask = 15;
        const uint32_t x = 2 * check_random_below(29), y = 2 * check_random_below(29);
        s.first = 0;
        s.count = 16;
        for (uint32_t q = 0; q < 16; q++) {
            s.qx[q] = (uint8_t)(x + q % 4 * 2);
            s.qy[q] = (uint8_t)(y + q / 4 * 2);
            s.mask[q] = 15;
        }
        for (enum vliw_simd level = VLIW_SIMD_SCALAR; level < VLIW_SIMD_COUNT; level++) {
            if (!have(level)) {
                continue;
            }
            struct rn_color_op op;
            rn_color_op_set(&op, rn_fragop_ops_for(level), format, &state);
            memcpy(level == VLIW_SIMD_SCALAR ? expect : got, s.start, sizeof expect);
            if (level == VLIW_SIMD_SCALAR) {
                CHECK(!op.block);
                write(&s, &op, expect);
                continue;
            }
            const float *const src[4] = {s.src[0], s.src[1], s.src[2], s.src[3]};
            op.block(src, got + y * STRIDE + x * 4, STRIDE);
            check_count();
            if (memcmp(expect, got, sizeof got) != 0) {
                check_failf(__FILE__, __LINE__, "%s: case %d", vliw_simd_name(level), i);
                return;
            }
            op.write = op.write_bytes; /* words of four bytes in the first source */
            memcpy(expect_bytes, s.start, sizeof expect_bytes);
            write(&s, &op, expect_bytes);
            memcpy(got, s.start, sizeof got);
            op.block_bytes(src, got + y * STRIDE + x * 4, STRIDE);
            check_count();
            if (memcmp(expect_bytes, got, sizeof got) != 0) {
                check_failf(__FILE__, __LINE__, "%s: case %d, words", vliw_simd_name(level), i);
                return;
            }
        }
    }
}

/* Words over rows of pixels, the later over the earlier, and how many pixels and quads that is. */
TEST(fragop_fill) {
    static uint8_t expect[64 * STRIDE], got[64 * STRIDE];
    static struct rn_fill_window windows[20];
    static uint32_t words[64];
    for (int i = 0; i < 400; i++) {
        const uint32_t count = 1 + check_random_below(20);
        uint64_t pixels = 0, quads = 0;
        for (size_t k = 0; k < sizeof expect; k++) {
            expect[k] = (uint8_t)check_random();
        }
        memcpy(got, expect, sizeof got);
        for (uint32_t k = 0; k < 64; k++) {
            words[k] = check_random();
        }
        memset(windows, 0, sizeof windows);
        for (uint32_t k = 0; k < count; k++) {
            struct rn_fill_window *w = &windows[k];
            w->height = (uint8_t)(1 + check_random_below(16));
            w->x = (uint8_t)(2 * check_random_below(25));
            w->y = (uint8_t)(2 * check_random_below((64u - w->height) / 2 + 1));
            w->prim = (uint8_t)check_random_below(32);
            for (uint32_t r = 0; r < w->height; r++) {
                w->rows[r] = (uint16_t)(check_random_below(3) ? check_random() : check_random_below(2) * 0xFFFFu);
            }
            for (uint32_t r = 0; r < 16; r++) {
                for (uint32_t x = 0; x < 16; x++) {
                    if (w->rows[r] >> x & 1) {
                        memcpy(expect + (w->y + r) * STRIDE + (w->x + x) * 4, &words[2 * w->prim], 4);
                        pixels++;
                    }
                    const uint32_t quad = (uint32_t)w->rows[r] >> x | (uint32_t)w->rows[(r + 1) % 16] >> x;
                    quads += r % 2 == 0 && x % 2 == 0 && (quad & 3);
                }
            }
        }
        static uint8_t start[64 * STRIDE];
        memcpy(start, got, sizeof start);
        for (enum vliw_simd level = VLIW_SIMD_SCALAR; level < VLIW_SIMD_COUNT; level++) {
            if (!have(level)) {
                continue;
            }
            uint64_t some_pixels, some_quads;
            memcpy(got, start, sizeof got);
            rn_fragop_ops_for(level)->fill(got, STRIDE, words, windows, count);
            rn_fragop_ops_for(level)->count(windows, count, &some_pixels, &some_quads);
            check_count();
            if (memcmp(expect, got, sizeof got) != 0 || some_pixels != pixels || some_quads != quads) {
                check_failf(__FILE__, __LINE__, "%s: case %d", vliw_simd_name(level), i);
                return;
            }
        }
    }
}
