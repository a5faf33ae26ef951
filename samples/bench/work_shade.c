/* SPDX-License-Identifier: MIT */
/* Workloads whose fragment shader is the work. */
#include <stdlib.h>
#include <string.h>

#include "../common/mat4.h"
#include "../common/mesh.h"
#include "../common/texgen.h"
#include "bench.h"

/* ---- a ring, lit at each fragment ---- */

static const char ring_vertex[] =
    "attribute vec3 position;\n"
    "attribute vec3 normal;\n"
    "attribute vec3 tangent;\n"
    "attribute vec2 uv;\n"
    "uniform mat4 camera;\n"
    "uniform mat4 model;\n"
    "varying vec3 world;\n"
    "varying vec3 facing;\n"
    "varying vec3 along;\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "    vec4 at = model * vec4(position, 1.0);\n"
    "    mat3 turn = mat3(model[0].xyz, model[1].xyz, model[2].xyz);\n"
    "    world = at.xyz;\n"
    "    facing = turn * normal;\n"
    "    along = turn * tangent;\n"
    "    place = uv * vec2(8.0, 3.0);\n"
    "    gl_Position = camera * at;\n"
    "}\n";

static const char phong_fragment[] =
    "uniform vec3 eye;\n"
    "uniform vec3 lamp;\n"
    "varying vec3 world;\n"
    "varying vec3 facing;\n"
    "void main() {\n"
    "    vec3 n = normalize(facing);\n"
    "    vec3 to_eye = normalize(eye - world);\n"
    "    vec3 to_lamp = normalize(lamp - world);\n"
    "    float diffuse = max(dot(n, to_lamp), 0.0);\n"
    "    float glint = pow(max(dot(reflect(-to_lamp, n), to_eye), 0.0), 24.0);\n"
    "    vec3 color = vec3(0.08, 0.05, 0.1) + diffuse * vec3(0.7, 0.4, 0.3) + 0.5 * glint;\n"
    "    gl_FragColor = vec4(color, 1.0);\n"
    "}\n";

static const char normal_map_fragment[] =
    "uniform vec3 eye;\n"
    "uniform vec3 lamp;\n"
    "uniform sampler2D color_map;\n"
    "uniform sampler2D normal_map;\n"
    "uniform sampler2D gloss_map;\n"
    "varying vec3 world;\n"
    "varying vec3 facing;\n"
    "varying vec3 along;\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "    vec3 base = texture2D(color_map, place).rgb;\n"
    "    vec3 bump = texture2D(normal_map, place).rgb * 2.0 - 1.0;\n"
    "    float gloss = texture2D(gloss_map, place).g;\n"
    "    vec3 up = normalize(facing);\n"
    "    vec3 right = normalize(along);\n"
    "    vec3 n = normalize(mat3(right, cross(up, right), up) * bump);\n"
    "    vec3 to_eye = normalize(eye - world);\n"
    "    vec3 to_lamp = normalize(lamp - world);\n"
    "    float diffuse = max(dot(n, to_lamp), 0.0);\n"
    "    float glint = pow(max(dot(reflect(-to_lamp, n), to_eye), 0.0), 8.0 + 24.0 * gloss);\n"
    "    gl_FragColor = vec4(base * (0.12 + 0.8 * diffuse) + 0.4 * gloss * glint, 1.0);\n"
    "}\n";

/* The shape lives in `data`; the vertices stay bound from frame to frame. */
static bool ring_init(struct bench *b, const char *fragment_text) {
    struct shape *ring = app_alloc(sizeof *ring);
    b->data = ring;
    const float aspect = (float)b->app.width / (float)b->app.height;
    const struct vec3 eye = vec3_make(0.0f, 2.2f, 2.2f);
    b->program[0] = bench_program(b, ring_vertex, fragment_text);
    if (b->program[0] == 0) {
        return false;
    }
    struct mat4 camera =
        mat4_mul(mat4_perspective(0.9f, aspect, 0.5f, 20.0f),
                 mat4_look_at(eye, vec3_make(0.0f, 0.0f, 0.0f), vec3_make(0.0f, 1.0f, 0.0f)));
    glUniformMatrix4fv(glGetUniformLocation(b->program[0], "camera"), 1, GL_FALSE, camera.m);
    glUniform3f(glGetUniformLocation(b->program[0], "eye"), eye.x, eye.y, eye.z);
    glUniform3f(glGetUniformLocation(b->program[0], "lamp"), 2.0f, 3.0f, 2.5f);
    b->uniform[0] = glGetUniformLocation(b->program[0], "model");
    *ring = shape_create(mesh_torus(0.9f, 0.6f, 96, 48));
    b->counts.of[BENCH_PIXELS] = -1.0;
    b->counts.of[BENCH_TRIANGLES] = ring->index_count / 3;
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    return true;
}

static void ring_frame(struct bench *b, int frame) {
    struct mat4 model = mat4_rotate(0.01f * (float)(frame & 15), vec3_make(0.0f, 1.0f, 0.0f));
    glUniformMatrix4fv(b->uniform[0], 1, GL_FALSE, model.m);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    shape_draw(b->data);
}

static bool phong_init(struct bench *b) {
    return ring_init(b, phong_fragment);
}

const struct workload workload_phong = {phong_init, ring_frame, NULL};

static bool normal_map_init(struct bench *b) {
    static const char *const names[3] = {"color_map", "normal_map", "gloss_map"};
    bool ok = ring_init(b, normal_map_fragment);
    for (int i = 0; ok && i < 3; i++) {
        struct image img = i == 0   ? texgen_brick_color(b->scale)
                           : i == 1 ? texgen_brick_normal(b->scale, 0.06f)
                                    : texgen_tiles(b->scale, 8, vec3_make(0.9f, 0.9f, 0.9f),
                                                   vec3_make(0.3f, 0.3f, 0.3f));
        glActiveTexture(GL_TEXTURE0 + (GLenum)i);
        b->texture[i] = app_texture(&img);
        glUniform1i(glGetUniformLocation(b->program[0], names[i]), i);
    }
    return ok;
}

const struct workload workload_normal_map = {normal_map_init, ring_frame, NULL};

/* ---- shaders over the whole picture ---- */

static bool screen_init(struct bench *b, const char *fragment_text) {
    b->counts.of[BENCH_PIXELS] = (double)b->app.width * (double)b->app.height;
    bench_quad(NULL);
    b->program[0] = bench_program(b, bench_place_vertex, fragment_text);
    b->uniform[0] = glGetUniformLocation(b->program[0], "shift");
    return b->program[0] != 0;
}

/* `shift` moves with the frame, so no two frames are alike; 0 in frame 0. */
static void screen_frame(struct bench *b, int frame) {
    glUniform1f(b->uniform[0], 0.001f * (float)(frame & 15));
    bench_draw_quad();
}

static const char fbm_fragment[] =
    "uniform float shift;\n"
    "varying vec2 place;\n"
    "float grain(vec2 p) {\n"
    "    p = fract(p * vec2(0.6180, 0.7549));\n"
    "    p += dot(p, p.yx + 1.7);\n"
    "    return fract(p.x * p.y * 7.31);\n"
    "}\n"
    "float noise(vec2 p) {\n"
    "    vec2 cell = floor(p);\n"
    "    vec2 f = p - cell;\n"
    "    f = f * f * (3.0 - 2.0 * f);\n"
    "    float a = mix(grain(cell), grain(cell + vec2(1.0, 0.0)), f.x);\n"
    "    float b = mix(grain(cell + vec2(0.0, 1.0)), grain(cell + vec2(1.0, 1.0)), f.x);\n"
    "    return mix(a, b, f.y);\n"
    "}\n"
    "void main() {\n"
    "    vec2 p = place * 6.0 + shift;\n"
    "    float sum = 0.0;\n"
    "    float size = 0.5;\n"
    "    for (int i = 0; i < COUNT; i++) {\n"
    "        sum += size * noise(p);\n"
    "        p = p * 2.03 + vec2(0.7, 0.3);\n"
    "        size *= 0.5;\n"
    "    }\n"
    "    gl_FragColor = vec4(sum, sum * sum, 0.3 + 0.5 * sum, 1.0);\n"
    "}\n";

static bool fbm_init(struct bench *b) {
    return screen_init(b, fbm_fragment);
}

const struct workload workload_fbm = {fbm_init, screen_frame, NULL};

static const char mandelbrot_fragment[] =
    "uniform float shift;\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "    vec2 c = place * vec2(3.0, 2.4) - vec2(2.1, 1.2 + shift);\n"
    "    vec2 z = vec2(0.0);\n"
    "    float steps = 0.0;\n"
    "    for (int i = 0; i < COUNT; i++) {\n"
    "        if (dot(z, z) > 4.0) {\n"
    "            break;\n"
    "        }\n"
    "        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;\n"
    "        steps += 1.0;\n"
    "    }\n"
    "    float part = steps / float(COUNT);\n"
    "    gl_FragColor = vec4(part, sqrt(part), 1.0 - part, 1.0);\n"
    "}\n";

static bool mandelbrot_init(struct bench *b) {
    return screen_init(b, mandelbrot_fragment);
}

/* The middle, c = -0.6, never leaves; the corner does at once. */
static bool mandelbrot_check(struct bench *b, const struct image *img) {
    static const int inside[4] = {255, 255, 0, 255};
    const uint8_t *corner = img->pixels;
    if (corner[0] > 8) {
        app_error("%s: the corner took %d/255 of the steps", b->app.name, corner[0]);
        return false;
    }
    return bench_pixel_is(b, img, img->width / 2, img->height / 2, inside, 1);
}

const struct workload workload_mandelbrot = {mandelbrot_init, screen_frame, mandelbrot_check};

static const char branches_fragment[] =
    "uniform float shift;\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "    vec2 cell = fract(place * 12.0 + shift) - 0.5;\n"
    "    float r = dot(cell, cell);\n"
    "    if (r > 0.2) {\n"
    "        discard;\n"
    "    }\n"
    "    float band = fract(place.x * 3.0 + place.y * 5.0);\n"
    "    vec3 color = vec3(band, r, 0.5);\n"
    "    if (band < 0.25) {\n"
    "        color = sqrt(color) * 0.8 + 0.1;\n"
    "    } else if (band < 0.5) {\n"
    "        for (int i = 0; i < 6; i++) {\n"
    "            color = color.yzx * 0.9 + 0.07 * color * color;\n"
    "        }\n"
    "    } else if (band < 0.75) {\n"
    "        color = vec3(sin(color.x * 5.0), cos(color.y * 3.0), color.z) * 0.4 + 0.5;\n"
    "    } else {\n"
    "        color = normalize(color + vec3(cell, 0.4));\n"
    "    }\n"
    "    gl_FragColor = vec4(color, 1.0);\n"
    "}\n";

static bool branches_init(struct bench *b) {
    return screen_init(b, branches_fragment);
}

const struct workload workload_branches = {branches_init, screen_frame, NULL};

static const char transcendental_fragment[] =
    "uniform float shift;\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "    float x = place.x * 6.0 + 0.1 + shift;\n"
    "    float y = place.y * 4.0 + 0.1;\n"
    "    float a = sin(x * 3.0) * cos(y * 2.0);\n"
    "    float b = exp(-0.3 * x) + log(y + 1.0);\n"
    "    float c = pow(x, 1.3) * 0.1 + pow(y, 0.7) * 0.2;\n"
    "    float d = exp2(-y) + log2(x + 1.0) * 0.2;\n"
    "    gl_FragColor = vec4(a * 0.5 + 0.5, b * 0.3, (c + d) * 0.3, 1.0);\n"
    "}\n";

static bool transcendental_init(struct bench *b) {
    return screen_init(b, transcendental_fragment);
}

const struct workload workload_transcendental = {transcendental_init, screen_frame, NULL};

/* ---- arithmetic chains: every step needs the one before; written out, no loop ---- */

/* A program of `head`, then `step` as often as the scale says, then `tail`. */
static bool chain_init(struct bench *b, const char *head, const char *step, const char *tail) {
    const size_t size = strlen(head) + (size_t)b->scale * strlen(step) + strlen(tail) + 1;
    char *text = app_alloc(size);
    char *out = text;
    memcpy(out, head, strlen(head));
    out += strlen(head);
    for (int i = 0; i < b->scale; i++) {
        memcpy(out, step, strlen(step));
        out += strlen(step);
    }
    memcpy(out, tail, strlen(tail) + 1);
    bool ok = screen_init(b, text);
    free(text);
    return ok;
}

static bool dot4_init(struct bench *b) {
    bool ok = chain_init(b,
                         "uniform float shift;\n"
                         "uniform vec4 weights;\n"
                         "varying vec2 place;\n"
                         "void main() {\n"
                         "    vec4 v = vec4(place, 0.5 + shift, 1.0);\n",
                         "    v = vec4(v.yzw, dot(v, weights));\n",
                         "    gl_FragColor = vec4(v.xyz, 1.0);\n"
                         "}\n");
    b->counts.of[BENCH_FLOPS] = 7.0 * b->scale * b->counts.of[BENCH_PIXELS];
    /* The weights' sum is 1: the chain tends to a mean of its start. */
    glUniform4f(glGetUniformLocation(b->program[0], "weights"), 0.2f, 0.3f, 0.3f, 0.2f);
    return ok;
}

/*
 * A step keeps the sum of the elements times 0.2, 0.5, 0.8, 1 (the weights added up), which is
 * 2.5 of the limit: from (1, 1, 1/2, 1) at the corner that is (0.2 + 0.5 + 0.4 + 1) / 2.5.
 */
static bool dot4_check(struct bench *b, const struct image *img) {
    static const int corner[4] = {214, 214, 214, 255};
    if (b->scale < 32) {
        return true;
    }
    return bench_pixel_is(b, img, img->width - 1, img->height - 1, corner, 2);
}

const struct workload workload_dot4 = {dot4_init, screen_frame, dot4_check};

static bool mat4_init(struct bench *b) {
    bool ok = chain_init(b,
                         "uniform float shift;\n"
                         "uniform mat4 turn;\n"
                         "varying vec2 place;\n"
                         "void main() {\n"
                         "    vec4 v = vec4(place - 0.5, 0.3 + shift, 0.2);\n",
                         "    v = turn * v;\n",
                         "    gl_FragColor = vec4(v.xyz * 0.5 + 0.5, 1.0);\n"
                         "}\n");
    b->counts.of[BENCH_FLOPS] = 28.0 * b->scale * b->counts.of[BENCH_PIXELS];
    /* Two turns, one of them with the fourth element: all entries count, the length stays. */
    const float c = sm_cos(0.3f);
    const float s = sm_sin(0.3f);
    struct mat4 other = mat4_identity();
    other.m[0] = c;
    other.m[3] = s;
    other.m[12] = -s;
    other.m[15] = c;
    struct mat4 turn = mat4_mul(mat4_rotate(0.4f, vec3_make(1.0f, 2.0f, 3.0f)), other);
    glUniformMatrix4fv(glGetUniformLocation(b->program[0], "turn"), 1, GL_FALSE, turn.m);
    return ok;
}

const struct workload workload_mat4 = {mat4_init, screen_frame, NULL};
