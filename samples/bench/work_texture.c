/* SPDX-License-Identifier: MIT */
/* Workloads with textures: filters, render to texture, upload and readback. */
#include <stdlib.h>
#include <string.h>

#include "../common/mat4.h"
#include "bench.h"

#include <GLES2/gl2ext.h>

static const char texture_fragment[] =
    "uniform sampler2D image;\n"
    "varying vec2 place;\n"
    "void main() { gl_FragColor = texture2D(image, place); }\n";

static const int texture_mean[3] = {128, 128, 120};

static double picture_pixels(const struct bench *b) {
    return (double)b->app.width * (double)b->app.height;
}

static bool textured(struct bench *b, GLint min_filter, GLint mag_filter) {
    b->counts.of[BENCH_PIXELS] = picture_pixels(b);
    b->program[0] = bench_program(b, bench_place_vertex, texture_fragment);
    b->texture[0] = bench_texture(b->scale, min_filter, mag_filter);
    return b->program[0] != 0;
}

static void texture_frame(struct bench *b, int frame) {
    (void)b;
    (void)frame;
    bench_draw_quad();
}

static bool mean_check(struct bench *b, const struct image *img) {
    return bench_mean_is(b, img, texture_mean, 14);
}

/* The mean is the texture's only if the picture shows all of the texture. */
static bool texture_check(struct bench *b, const struct image *img) {
    return img->width < b->scale || img->height < b->scale || mean_check(b, img);
}

/* ---- filters ---- */

/* The upright copy of texels to pixels that windows and user interfaces ask for. */
static void upright_quad(const struct bench *b) {
    float u = (float)b->app.width / (float)b->scale;
    float v = (float)b->app.height / (float)b->scale;
    const struct bench_corner corners[4] = {
        {-1, -1, 0, 1, 0, 0}, {1, -1, 0, 1, u, 0}, {-1, 1, 0, 1, 0, v}, {1, 1, 0, 1, u, v}};
    bench_quad(corners);
}

static bool blit_init(struct bench *b) {
    upright_quad(b);
    return textured(b, GL_NEAREST, GL_NEAREST);
}

const struct workload workload_tex_blit = {blit_init, texture_frame, texture_check};

static const char tinted_fragment[] =
    "uniform sampler2D image;\n"
    "uniform vec4 tint;\n"
    "varying vec2 place;\n"
    "void main() { gl_FragColor = texture2D(image, place) * tint; }\n";

static bool tinted_init(struct bench *b) {
    upright_quad(b);
    b->counts.of[BENCH_PIXELS] = picture_pixels(b);
    b->program[0] = bench_program(b, bench_place_vertex, tinted_fragment);
    b->texture[0] = bench_texture(b->scale, GL_NEAREST, GL_NEAREST);
    b->uniform[0] = glGetUniformLocation(b->program[0], "tint");
    glUniform4f(b->uniform[0], 204.0f / 255.0f, 1.0f, 102.0f / 255.0f, 1.0f);
    return b->program[0] != 0;
}

static bool tinted_check(struct bench *b, const struct image *img) {
    static const int mean[3] = {128 * 204 / 255, 128, 120 * 102 / 255};
    return img->width < b->scale || img->height < b->scale || bench_mean_is(b, img, mean, 14);
}

const struct workload workload_tex_modulate = {tinted_init, texture_frame, tinted_check};

#define ALPHA_LAYERS 4

static bool alpha_init(struct bench *b) {
    bool ok = tinted_init(b);
    b->counts.of[BENCH_PIXELS] *= ALPHA_LAYERS;
    glUniform4f(b->uniform[0], 1.0f, 1.0f, 1.0f, 128.0f / 255.0f);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    return ok;
}

static void alpha_frame(struct bench *b, int frame) {
    for (int i = 0; i < ALPHA_LAYERS; i++) {
        texture_frame(b, frame);
    }
}

/* Four layers of half leave one sixteenth of the black below. */
static bool alpha_check(struct bench *b, const struct image *img) {
    static const int mean[3] = {128 * 15 / 16, 128 * 15 / 16, 120 * 15 / 16};
    return img->width < b->scale || img->height < b->scale || bench_mean_is(b, img, mean, 14);
}

const struct workload workload_tex_alpha = {alpha_init, alpha_frame, alpha_check};

/*
 * What a user interface's dissolve may do, all of it in 8 bits a channel: eight operations on two texels, then a
 * blend. Both textures look alike, the second is shifted by a quarter of the picture.
 */
static const char mixed_fragment[] =
    "uniform sampler2D image, other;\n"
    "uniform vec4 tint, amount;\n"
    "varying vec2 place, beside;\n"
    "void main() {\n"
    "    vec4 a = texture2D(image, place), b = texture2D(other, beside);\n"
    "    vec4 low = min(a, b), high = max(a, 1.0 - b);\n"
    "    gl_FragColor = clamp(max(mix(low, high, amount), a * b) + tint, 0.0, 1.0);\n"
    "}\n";
static const char mixed_vertex[] =
    "attribute vec4 position;\n"
    "attribute vec2 uv;\n"
    "varying vec2 place, beside;\n"
    "void main() { place = uv; beside = uv + vec2(0.25, 0.0); gl_Position = position; }\n";

static bool mixed_init(struct bench *b) {
    upright_quad(b);
    b->counts.of[BENCH_PIXELS] = picture_pixels(b);
    b->program[0] = bench_program(b, mixed_vertex, mixed_fragment);
    glUniform1i(glGetUniformLocation(b->program[0], "other"), 1);
    glUniform4f(glGetUniformLocation(b->program[0], "amount"), 0.2f, 0.4f, 0.6f, 1.0f);
    glUniform4f(glGetUniformLocation(b->program[0], "tint"), 8.0f / 255.0f, 0.0f, 16.0f / 255.0f, 0.0f);
    for (int i = 1; i >= 0; i--) {
        glActiveTexture(GL_TEXTURE0 + (GLenum)i);
        b->texture[i] = bench_texture(b->scale, GL_NEAREST, GL_NEAREST);
    }
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    return b->program[0] != 0;
}

static float mixed_channel(float a, float b, float amount, float tint) {
    const float low = a < b ? a : b, high = a > 1.0f - b ? a : 1.0f - b;
    const float mix = low + (high - low) * amount, most = mix > a * b ? mix : a * b;
    return most + tint < 1.0f ? most + tint : 1.0f;
}

/* Some pixels by the formula; the picture is opaque, so blending changes nothing of it. */
static bool mixed_check(struct bench *b, const struct image *img) {
    static const float amount[3] = {0.2f, 0.4f, 0.6f}, tint[3] = {8.0f / 255.0f, 0.0f, 16.0f / 255.0f};
    bool ok = true;
    for (int i = 0; i < 16 && ok; i++) {
        const int x = (int)((int64_t)i * (img->width - 1) / 15), y = (int)((int64_t)(15 - i) * (img->height - 1) / 15);
        uint8_t one[4], two[4];
        int color[4] = {0, 0, 0, 255};
        bench_texel(b->scale, x % b->scale, y % b->scale, one);
        bench_texel(b->scale, (x + b->scale / 4) % b->scale, y % b->scale, two);
        for (int c = 0; c < 3; c++) {
            const float v = mixed_channel((float)one[c] / 255.0f, (float)two[c] / 255.0f, amount[c], tint[c]);
            color[c] = (int)(v * 255.0f + 0.5f);
        }
        ok = bench_pixel_is(b, img, x, y, color, 1);
    }
    return ok;
}

const struct workload workload_tex_mix8 = {mixed_init, texture_frame, mixed_check};

/* About one texel a pixel, turned by 0.15 radian, so that no copy will do. */
static void turned_quad(const struct bench *b) {
    static const float sides[4][2] = {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}};
    struct bench_corner corners[4];
    const float c = sm_cos(0.15f);
    const float s = sm_sin(0.15f);
    const float u = 0.5f * (float)b->app.width / (float)b->scale;
    const float v = 0.5f * (float)b->app.height / (float)b->scale;
    for (int i = 0; i < 4; i++) {
        float x = sides[i][0];
        float y = sides[i][1];
        struct bench_corner corner = {x, y, 0, 1, u * (c * x - s * y), v * (s * x + c * y)};
        corners[i] = corner;
    }
    bench_quad(corners);
}

static bool nearest_init(struct bench *b) {
    turned_quad(b);
    return textured(b, GL_NEAREST, GL_NEAREST);
}

static bool bilinear_init(struct bench *b) {
    turned_quad(b);
    return textured(b, GL_LINEAR, GL_LINEAR);
}

const struct workload workload_tex_nearest = {nearest_init, texture_frame, texture_check};
const struct workload workload_tex_bilinear = {bilinear_init, texture_frame, texture_check};

/* A floor that runs from near (w = 1) to far (w = 8): levels from 0 to 4 or so. */
static bool trilinear_init(struct bench *b) {
    const float n = 2.0f;
    const float f = 8.0f;
    const float u = 8.0f;
    const struct bench_corner corners[4] = {{-1, -1, 0, 1, -n, 0},
                                            {1, -1, 0, 1, n, 0},
                                            {-f, f, 0, f, -u * n, u * n},
                                            {f, f, 0, f, u * n, u * n}};
    bench_quad(corners);
    return textured(b, GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR);
}

const struct workload workload_tex_trilinear = {trilinear_init, texture_frame, texture_check};

static bool aniso_init(struct bench *b) {
    const char *extensions = (const char *)glGetString(GL_EXTENSIONS);
    if (extensions == NULL || strstr(extensions, "GL_EXT_texture_filter_anisotropic") == NULL) {
        b->skip = "no GL_EXT_texture_filter_anisotropic";
        return false;
    }
    bool ok = trilinear_init(b);
    glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY_EXT, 8.0f);
    return ok;
}

const struct workload workload_tex_aniso = {aniso_init, texture_frame, texture_check};

/* ---- render to texture ---- */

#define RTT_PASSES 8

static const char taps_fragment[] =
    "uniform sampler2D image;\n"
    "uniform vec2 texel;\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "    gl_FragColor = 0.25 * (texture2D(image, place + texel) +\n"
    "                           texture2D(image, place - texel) +\n"
    "                           texture2D(image, place + vec2(texel.x, -texel.y)) +\n"
    "                           texture2D(image, place - vec2(texel.x, -texel.y)));\n"
    "}\n";

static bool rtt_init(struct bench *b) {
    bench_quad(NULL);
    b->texture[0] = bench_texture(b->scale, GL_LINEAR, GL_LINEAR);
    b->program[0] = bench_program(b, bench_place_vertex, taps_fragment);
    glUniform2f(glGetUniformLocation(b->program[0], "texel"), 1.0f / (float)b->scale,
                1.0f / (float)b->scale);
    b->counts.of[BENCH_PIXELS] =
        RTT_PASSES * (double)b->scale * (double)b->scale + picture_pixels(b);
    return b->program[0] != 0 &&
           app_target_create(&b->app, &b->target[0], b->scale, b->scale, GL_LINEAR) &&
           app_target_create(&b->app, &b->target[1], b->scale, b->scale, GL_LINEAR);
}

static void rtt_frame(struct bench *b, int frame) {
    (void)frame;
    GLuint source = b->texture[0];
    glViewport(0, 0, b->scale, b->scale);
    for (int i = 0; i < RTT_PASSES; i++) {
        const struct app_target *target = &b->target[i & 1];
        glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
        glBindTexture(GL_TEXTURE_2D, source);
        bench_draw_quad();
        source = target->texture;
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, b->app.width, b->app.height);
    glBindTexture(GL_TEXTURE_2D, source);
    bench_draw_quad();
}

const struct workload workload_rtt_chain = {rtt_init, rtt_frame, mean_check};

/* ---- upload ---- */

static bool upload_init(struct bench *b) {
    const size_t size = (size_t)b->scale * (size_t)b->scale * 4;
    uint8_t *data = app_alloc(2 * size);
    for (size_t i = 0; i < 2 * size; i++) {
        data[i] = i % 4 == 3 ? 255 : (uint8_t)(i < size ? i * 7 >> 4 : i * 5 >> 3);
    }
    /* One texel that the picture shows: the check knows it. */
    for (int k = 0; k < 3; k++) {
        data[k] = (uint8_t)(50 * (k + 1));
    }
    b->data = data;
    bool ok = textured(b, GL_NEAREST, GL_NEAREST);
    b->counts.of[BENCH_PIXELS] = 0;
    b->counts.of[BENCH_BYTES] = (double)size;
    const struct bench_corner corners[4] = {
        {-1, -1, 0, 1, 0, 0}, {1, -1, 0, 1, 0, 0}, {-1, 1, 0, 1, 0, 0}, {1, 1, 0, 1, 0, 0}};
    bench_quad(corners);
    return ok;
}

/* Only a few pixels are drawn, but the texels must have arrived by then. */
static void upload_frame(struct bench *b, int frame) {
    const size_t size = (size_t)b->scale * (size_t)b->scale * 4;
    const uint8_t *data = b->data;
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, b->scale, b->scale, GL_RGBA, GL_UNSIGNED_BYTE,
                    data + (frame & 1 ? size : 0));
    if (frame != 0) {
        glEnable(GL_SCISSOR_TEST);
        glScissor(0, 0, 16, 16);
    }
    bench_draw_quad();
    glDisable(GL_SCISSOR_TEST);
}

static bool upload_check(struct bench *b, const struct image *img) {
    static const int color[4] = {50, 100, 150, 255};
    return bench_pixel_is(b, img, 0, 0, color, 1) &&
           bench_pixel_is(b, img, img->width / 2, img->height / 2, color, 1);
}

const struct workload workload_upload = {upload_init, upload_frame, upload_check};

/* ---- readback ---- */

static bool readback_init(struct bench *b) {
    b->counts.of[BENCH_BYTES] = picture_pixels(b) * 4.0;
    b->data = app_alloc((size_t)b->app.width * (size_t)b->app.height * 4);
    const float r = 0.05f;
    const struct bench_corner corners[4] = {
        {-r, -r, 0, 1, 0, 0}, {r, -r, 0, 1, 0, 0}, {-r, r, 0, 1, 0, 0}, {r, r, 0, 1, 0, 0}};
    bench_quad(corners);
    b->program[0] = bench_program(b, bench_place_vertex,
                                  "uniform float level;\n"
                                  "void main() { gl_FragColor = vec4(level, 0.2, 0.6, 1.0); }\n");
    b->uniform[0] = glGetUniformLocation(b->program[0], "level");
    return b->program[0] != 0;
}

static void readback_frame(struct bench *b, int frame) {
    glUniform1f(b->uniform[0], (float)(frame & 15) / 15.0f);
    bench_draw_quad();
    glReadPixels(0, 0, b->app.width, b->app.height, GL_RGBA, GL_UNSIGNED_BYTE, b->data);
}

static bool readback_check(struct bench *b, const struct image *img) {
    static const int color[4] = {0, 51, 153, 255};
    struct image read = {img->width, img->height, b->data};
    return bench_pixel_is(b, img, img->width / 2, img->height / 2, color, 1) &&
           bench_pixel_is(b, &read, img->width / 2, img->height / 2, color, 1);
}

const struct workload workload_readback = {readback_init, readback_frame, readback_check};
