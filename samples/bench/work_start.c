/* SPDX-License-Identifier: MIT */
/*
 * Workloads of beginnings: compile + link + first draw, and the first pixel of a process. Each
 * compile gets text that no cache can know: a number made from the process and the frame.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

static const char start_vertex[] =
    "attribute vec4 position;\n"
    "attribute vec2 uv;\n"
    "uniform mat4 camera;\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "    place = uv + UNIQUE;\n"
    "    gl_Position = position;\n"
    "}\n";

static const char simple_fragment[] =
    "varying vec2 place;\n"
    "void main() { gl_FragColor = vec4(place * 0.5 + UNIQUE, 0.5, 1.0); }\n";

static const char phong_fragment[] =
    "uniform vec3 lamp[2];\n"
    "uniform vec3 tint[2];\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "    vec3 at = vec3(place * 2.0 - 1.0, UNIQUE);\n"
    "    vec3 n = normalize(vec3(at.xy, 1.0));\n"
    "    vec3 to_eye = normalize(vec3(0.0, 0.0, 3.0) - at);\n"
    "    vec3 color = vec3(0.1);\n"
    "    for (int i = 0; i < 2; i++) {\n"
    "        vec3 to_lamp = normalize(lamp[i] - at);\n"
    "        float diffuse = max(dot(n, to_lamp), 0.0);\n"
    "        float glint = pow(max(dot(reflect(-to_lamp, n), to_eye), 0.0), 24.0);\n"
    "        color += tint[i] * (diffuse + glint);\n"
    "    }\n"
    "    gl_FragColor = vec4(color, 1.0);\n"
    "}\n";

static const char heavy_fragment[] =
    "uniform vec3 lamp[4];\n"
    "uniform float time;\n"
    "uniform sampler2D image;\n"
    "varying vec2 place;\n"
    "struct hit { vec3 at; vec3 normal; float gloss; };\n"
    "float grain(vec2 p) {\n"
    "    p = fract(p * vec2(0.6180, 0.7549));\n"
    "    p += dot(p, p.yx + 1.7 + UNIQUE);\n"
    "    return fract(p.x * p.y * 7.31);\n"
    "}\n"
    "float noise(vec2 p) {\n"
    "    vec2 cell = floor(p);\n"
    "    vec2 f = p - cell;\n"
    "    f = f * f * (3.0 - 2.0 * f);\n"
    "    return mix(mix(grain(cell), grain(cell + vec2(1.0, 0.0)), f.x),\n"
    "               mix(grain(cell + vec2(0.0, 1.0)), grain(cell + vec2(1.0)), f.x), f.y);\n"
    "}\n"
    "float clouds(vec2 p) {\n"
    "    float sum = 0.0;\n"
    "    float size = 0.5;\n"
    "    for (int i = 0; i < 6; i++) {\n"
    "        sum += size * noise(p);\n"
    "        p = p * 2.03 + vec2(time, 0.3);\n"
    "        size *= 0.5;\n"
    "    }\n"
    "    return sum;\n"
    "}\n"
    "vec3 shade(hit h, vec3 base) {\n"
    "    vec3 color = 0.1 * base;\n"
    "    vec3 to_eye = normalize(vec3(0.0, 0.0, 3.0) - h.at);\n"
    "    for (int i = 0; i < 4; i++) {\n"
    "        vec3 to_lamp = normalize(lamp[i] - h.at);\n"
    "        float diffuse = dot(h.normal, to_lamp);\n"
    "        if (diffuse > 0.0) {\n"
    "            float glint = max(dot(reflect(-to_lamp, h.normal), to_eye), 0.0);\n"
    "            color += base * diffuse + h.gloss * pow(glint, 30.0);\n"
    "        }\n"
    "    }\n"
    "    return color;\n"
    "}\n"
    "void main() {\n"
    "    vec2 p = place * 4.0 - 2.0;\n"
    "    vec2 z = p;\n"
    "    float steps = 0.0;\n"
    "    for (int i = 0; i < 32; i++) {\n"
    "        if (dot(z, z) > 4.0) {\n"
    "            break;\n"
    "        }\n"
    "        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + p;\n"
    "        steps += 1.0;\n"
    "    }\n"
    "    float e = 0.01;\n"
    "    float here = clouds(p);\n"
    "    hit h;\n"
    "    h.at = vec3(p, here);\n"
    "    h.normal = normalize(vec3(here - clouds(p + vec2(e, 0.0)),\n"
    "                              here - clouds(p + vec2(0.0, e)), e));\n"
    "    h.gloss = smoothstep(0.2, 0.8, here);\n"
    "    vec3 base = texture2D(image, place + 0.1 * h.normal.xy).rgb;\n"
    "    vec3 color = shade(h, mix(base, vec3(steps / 32.0), 0.5));\n"
    "    gl_FragColor = vec4(clamp(color, 0.0, 1.0), 1.0);\n"
    "}\n";

static char *with_number(const char *text, int frame) {
    size_t size = strlen(text) + 128;
    char *out = app_alloc(size);
    snprintf(out, size, "precision highp float;\n#define UNIQUE 0.0001%05d%04d\n%s",
             (int)getpid() % 100000, frame % 10000, text);
    return out;
}

static bool compile_init(struct bench *b) {
    b->counts.of[BENCH_TIME] = 1.0;
    b->texture[0] = bench_texture(64, GL_LINEAR, GL_LINEAR);
    bench_quad(NULL);
    glViewport(0, 0, 64, 64);
    return true;
}

/* A program from text to its first pixels; deleted by the next frame. */
static void compile_frame(struct bench *b, int frame, const char *fragment_text) {
    char *vertex = with_number(start_vertex, frame);
    char *fragment = with_number(fragment_text, frame);
    glDeleteProgram(b->program[0]);
    b->program[0] = app_program(&b->app, vertex, fragment);
    glUseProgram(b->program[0]);
    static const GLfloat lamps[12] = {1, 1, 2, -1, 1, 2, 1, -1, 2, -1, -1, 2};
    static const GLfloat tints[6] = {0.4f, 0.3f, 0.2f, 0.2f, 0.3f, 0.4f};
    glUniform3fv(glGetUniformLocation(b->program[0], "lamp[0]"),
                 fragment_text == phong_fragment ? 2 : 4, lamps);
    glUniform3fv(glGetUniformLocation(b->program[0], "tint[0]"), 2, tints);
    bench_draw_quad();
    free(vertex);
    free(fragment);
}

static void simple_frame(struct bench *b, int frame) {
    compile_frame(b, frame, simple_fragment);
}

static void phong_frame(struct bench *b, int frame) {
    compile_frame(b, frame, phong_fragment);
}

static void heavy_frame(struct bench *b, int frame) {
    compile_frame(b, frame, heavy_fragment);
}

/* The draw has reached the picture. */
static bool compile_check(struct bench *b, const struct image *img) {
    const uint8_t *p = img->pixels + 4 * ((size_t)8 * (size_t)img->width + 8);
    if (b->program[0] == 0 || p[3] != 255) {
        app_error("%s: nothing was drawn", b->app.name);
        return false;
    }
    return true;
}

const struct workload workload_compile_simple = {compile_init, simple_frame, compile_check};
const struct workload workload_compile_phong = {compile_init, phong_frame, compile_check};
const struct workload workload_compile_heavy = {compile_init, heavy_frame, compile_check};

/* ---- process start ---- */

static bool startup_init(struct bench *b) {
    static const struct bench_corner corners[4] = {{-0.8f, -0.8f, 0, 1, 0, 0},
                                                   {0.8f, -0.8f, 0, 1, 1, 0},
                                                   {-0.8f, 0.8f, 0, 1, 0, 1},
                                                   {0.8f, 0.8f, 0, 1, 1, 1}};
    b->counts.of[BENCH_TIME] = 1.0;
    b->program[0] = bench_program(
        b, bench_place_vertex,
        "varying vec2 place;\n"
        "void main() { gl_FragColor = vec4(place, 0.5, 1.0); }\n");
    bench_quad(corners);
    return b->program[0] != 0;
}

static void startup_frame(struct bench *b, int frame) {
    uint8_t p[4];
    (void)frame;
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    bench_draw_quad();
    glReadPixels(b->app.width / 2, b->app.height / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
}

static bool startup_check(struct bench *b, const struct image *img) {
    static const int middle[4] = {128, 128, 128, 255};
    return bench_pixel_is(b, img, img->width / 2, img->height / 2, middle, 2);
}

const struct workload workload_startup = {startup_init, startup_frame, startup_check};
