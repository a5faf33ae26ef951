/* SPDX-License-Identifier: MIT */
/* Workloads that fill: clear, one colour, blending, lit layers over each other. */
#include "../common/mat4.h"
#include "bench.h"

static const char flat_fragment[] =
    "uniform vec4 color;\n"
    "void main() { gl_FragColor = color; }\n";

static double picture_pixels(const struct bench *b) {
    return (double)b->app.width * (double)b->app.height;
}

/* A number in [0, 1] that differs from frame to frame; 0 for frame 0. */
static float frame_wave(int frame) {
    return (float)(frame & 15) / 15.0f;
}

/* ---- clear ---- */

static bool clear_init(struct bench *b) {
    b->counts.of[BENCH_PIXELS] = picture_pixels(b);
    return true;
}

static void clear_frame(struct bench *b, int frame) {
    (void)b;
    glClearColor(frame_wave(frame), 0.4f, 0.6f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

static bool clear_check(struct bench *b, const struct image *img) {
    static const int color[4] = {0, 102, 153, 255};
    return bench_pixel_is(b, img, 0, 0, color, 1) &&
           bench_pixel_is(b, img, img->width - 1, img->height - 1, color, 1) &&
           bench_mean_is(b, img, color, 1);
}

const struct workload workload_clear = {clear_init, clear_frame, clear_check};

/* ---- one colour ---- */

static bool fill_init(struct bench *b) {
    b->counts.of[BENCH_PIXELS] = picture_pixels(b);
    b->program[0] = bench_program(b, bench_place_vertex, flat_fragment);
    b->uniform[0] = glGetUniformLocation(b->program[0], "color");
    bench_quad(NULL);
    return b->program[0] != 0;
}

static void fill_frame(struct bench *b, int frame) {
    glUniform4f(b->uniform[0], 0.8f, frame_wave(frame), 0.2f, 1.0f);
    bench_draw_quad();
}

static bool fill_check(struct bench *b, const struct image *img) {
    static const int color[4] = {204, 0, 51, 255};
    return bench_pixel_is(b, img, 0, 0, color, 1) &&
           bench_pixel_is(b, img, img->width - 1, img->height - 1, color, 1) &&
           bench_mean_is(b, img, color, 1);
}

const struct workload workload_fill = {fill_init, fill_frame, fill_check};

/* ---- blending ---- */

static bool blend_init(struct bench *b) {
    bool ok = fill_init(b);
    b->counts.of[BENCH_PIXELS] *= b->scale;
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    return ok;
}

static void blend_frame(struct bench *b, int frame) {
    for (int i = 0; i < b->scale; i++) {
        glUniform4f(b->uniform[0], 0.8f, frame_wave(frame), 0.4f, 0.5f);
        bench_draw_quad();
    }
}

static bool blend_check(struct bench *b, const struct image *img) {
    float left = 1.0f;
    for (int i = 0; i < b->scale; i++) {
        left *= 0.5f;
    }
    const float full = 255.0f * (1.0f - left);
    /* Alpha blends with itself: it tends to 1/2. */
    const int color[4] = {(int)(0.8f * full), 0, (int)(0.4f * full), (int)(0.5f * full)};
    return bench_pixel_is(b, img, img->width / 2, img->height / 2, color, 3) &&
           bench_mean_is(b, img, color, 3);
}

const struct workload workload_blend = {blend_init, blend_frame, blend_check};

/* ---- lit layers over each other ---- */

static const char layer_vertex[] =
    "attribute vec4 position;\n"
    "attribute vec2 uv;\n"
    "uniform float depth;\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "    place = uv;\n"
    "    gl_Position = vec4(position.xy, depth, 1.0);\n"
    "}\n";

static const char layer_fragment[] =
    "uniform vec3 surface;\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "    vec2 p = place * 2.0 - 1.0;\n"
    "    vec3 n = normalize(vec3(p, 1.2));\n"
    "    vec3 to_eye = normalize(vec3(-0.3 * p, 2.0));\n"
    "    vec3 to_lamp = normalize(vec3(0.6, 0.8, 1.5) - vec3(p, 0.0));\n"
    "    float diffuse = max(dot(n, to_lamp), 0.0);\n"
    "    float glint = max(dot(reflect(-to_lamp, n), to_eye), 0.0);\n"
    "    gl_FragColor = vec4(surface * (0.1 + 0.6 * diffuse) + 0.3 * pow(glint, 20.0), 1.0);\n"
    "}\n";

static bool layers_init(struct bench *b) {
    b->counts.of[BENCH_PIXELS] = picture_pixels(b) * b->scale;
    b->program[0] = bench_program(b, layer_vertex, layer_fragment);
    b->uniform[0] = glGetUniformLocation(b->program[0], "depth");
    b->uniform[1] = glGetUniformLocation(b->program[0], "surface");
    bench_quad(NULL);
    glEnable(GL_DEPTH_TEST);
    return b->program[0] != 0;
}

/* Layer 0 is the nearest and the only red one. */
static void draw_layer(struct bench *b, int layer) {
    glUniform1f(b->uniform[0], (float)(layer + 1) / (float)(b->scale + 2));
    glUniform3f(b->uniform[1], layer == 0 ? 0.9f : 0.1f, 0.3f, layer == 0 ? 0.1f : 0.8f);
    bench_draw_quad();
}

static void front_frame(struct bench *b, int frame) {
    (void)frame;
    glClear(GL_DEPTH_BUFFER_BIT);
    for (int i = 0; i < b->scale; i++) {
        draw_layer(b, i);
    }
}

static void back_frame(struct bench *b, int frame) {
    (void)frame;
    glClear(GL_DEPTH_BUFFER_BIT);
    for (int i = b->scale - 1; i >= 0; i--) {
        draw_layer(b, i);
    }
}

/* In a corner far from the glint the colour is the surface's, dimmed: red above blue. */
static bool layers_check(struct bench *b, const struct image *img) {
    const uint8_t *p = img->pixels + 4 * ((size_t)(img->height / 8) * (size_t)img->width +
                                          (size_t)(img->width / 8));
    if (p[0] <= p[2] || p[0] < 20) {
        app_error("%s: a farther layer is in front", b->app.name);
        return false;
    }
    return true;
}

const struct workload workload_overdraw_front = {layers_init, front_frame, layers_check};
const struct workload workload_overdraw_back = {layers_init, back_frame, layers_check};
