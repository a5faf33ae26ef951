/* SPDX-License-Identifier: MIT */
/* Workloads of many vertices: transform alone, small triangles, large ones, points, lines. */
#include <stdlib.h>

#include "../common/mat4.h"
#include "../common/mesh.h"
#include "bench.h"

static const char lit_vertex[] =
    "attribute vec3 position;\n"
    "attribute vec3 normal;\n"
    "uniform mat4 camera;\n"
    "uniform vec3 lamp;\n"
    "varying vec3 shade;\n"
    "void main() {\n"
    "    shade = vec3(0.10, 0.12, 0.16) + max(dot(normal, lamp), 0.0) * vec3(0.8, 0.7, 0.5);\n"
    "    gl_Position = camera * vec4(position, 1.0);\n"
    "}\n";

static const char shade_fragment[] =
    "varying vec3 shade;\n"
    "void main() { gl_FragColor = vec4(shade, 1.0); }\n";

static void set_camera(struct bench *b, struct mat4 model) {
    struct mat4 camera = mat4_mul(mat4_perspective(0.93f, 1.0f, 0.5f, 20.0f),
                                  mat4_translate(0.0f, 0.0f, -2.05f));
    camera = mat4_mul(camera, model);
    glUniformMatrix4fv(b->uniform[0], 1, GL_FALSE, camera.m);
}

static bool mesh_init(struct bench *b, struct mat4 model) {
    struct bench_grid *grid = app_alloc(sizeof *grid);
    b->data = grid;
    b->program[0] = bench_program(b, lit_vertex, shade_fragment);
    b->uniform[0] = glGetUniformLocation(b->program[0], "camera");
    struct vec3 lamp = vec3_normalize(vec3_make(0.5f, 0.6f, 0.9f));
    glUniform3f(glGetUniformLocation(b->program[0], "lamp"), lamp.x, lamp.y, lamp.z);
    set_camera(b, model);
    *grid = bench_grid_create(b->scale);
    b->counts.of[BENCH_VERTICES] = grid->vertices;
    b->counts.of[BENCH_TRIANGLES] = grid->triangles;
    glEnable(GL_DEPTH_TEST);
    return b->program[0] != 0;
}

static void mesh_frame(struct bench *b, int frame) {
    (void)frame;
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    bench_grid_draw(b->data);
}

/* Nothing was to be seen; with the state that hides the mesh undone, it must be. */
static bool hidden_check(struct bench *b, const struct image *img) {
    uint8_t p[4] = {0, 0, 0, 0};
    glDisable(GL_CULL_FACE);
    set_camera(b, mat4_identity());
    mesh_frame(b, 1);
    glReadPixels(img->width / 3, img->height / 3, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
    if (p[3] != 255) {
        app_error("%s: the mesh cannot be seen where it should be", b->app.name);
    }
    return p[3] == 255;
}

static bool clipped_init(struct bench *b) {
    return mesh_init(b, mat4_translate(5.0f, 0.0f, 0.0f));
}

static bool backface_init(struct bench *b) {
    glEnable(GL_CULL_FACE);
    glCullFace(GL_FRONT);
    return mesh_init(b, mat4_identity());
}

static bool tiny_init(struct bench *b) {
    return mesh_init(b, mat4_scale(0.5f, 0.5f, 1.0f));
}

static bool visible_init(struct bench *b) {
    b->counts.of[BENCH_PIXELS] = -1.0;
    return mesh_init(b, mat4_identity());
}

const struct workload workload_vertex_clipped = {clipped_init, mesh_frame, hidden_check};
const struct workload workload_vertex_backface = {backface_init, mesh_frame, hidden_check};
const struct workload workload_mesh_tiny = {tiny_init, mesh_frame, NULL};
const struct workload workload_mesh = {visible_init, mesh_frame, NULL};

/* ---- large shaded triangles ---- */

#define GOURAUD_SIDE 4

static const char gouraud_vertex[] =
    "attribute vec2 position;\n"
    "attribute vec3 color;\n"
    "uniform float depth;\n"
    "varying vec3 shade;\n"
    "void main() {\n"
    "    shade = color;\n"
    "    gl_Position = vec4(position, depth, 1.0);\n"
    "}\n";

static bool gouraud_init(struct bench *b) {
    const int count = GOURAUD_SIDE * GOURAUD_SIDE * 6;
    float *data = app_alloc((size_t)count * 5 * sizeof data[0]);
    float *out = data;
    for (int cell = 0; cell < GOURAUD_SIDE * GOURAUD_SIDE; cell++) {
        static const int corner[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
        for (int i = 0; i < 6; i++) {
            float u = (float)(cell % GOURAUD_SIDE + corner[i][0]) / GOURAUD_SIDE;
            float v = (float)(cell / GOURAUD_SIDE + corner[i][1]) / GOURAUD_SIDE;
            *out++ = 2.0f * u - 1.0f;
            *out++ = 2.0f * v - 1.0f;
            *out++ = u;
            *out++ = v;
            *out++ = 0.25f;
        }
    }
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)count * 5 * sizeof data[0]), data,
                 GL_STATIC_DRAW);
    free(data);
    glEnableVertexAttribArray(MESH_POSITION);
    glEnableVertexAttribArray(MESH_ATTRIBUTE_COUNT);
    glVertexAttribPointer(MESH_POSITION, 2, GL_FLOAT, GL_FALSE, 20, NULL);
    glVertexAttribPointer(MESH_ATTRIBUTE_COUNT, 3, GL_FLOAT, GL_FALSE, 20, (const void *)8);
    b->counts.of[BENCH_TRIANGLES] = 2.0 * GOURAUD_SIDE * GOURAUD_SIDE * 2.0;
    b->counts.of[BENCH_PIXELS] = 2.0 * (double)b->app.width * (double)b->app.height;
    b->program[0] = bench_program(b, gouraud_vertex, shade_fragment);
    b->uniform[0] = glGetUniformLocation(b->program[0], "depth");
    glEnable(GL_DEPTH_TEST);
    return b->program[0] != 0;
}

static void gouraud_frame(struct bench *b, int frame) {
    (void)frame;
    glClear(GL_DEPTH_BUFFER_BIT);
    for (int layer = 0; layer < 2; layer++) {
        glUniform1f(b->uniform[0], layer == 0 ? 0.5f : -0.5f);
        glDrawArrays(GL_TRIANGLES, 0, GOURAUD_SIDE * GOURAUD_SIDE * 6);
    }
}

static bool gouraud_check(struct bench *b, const struct image *img) {
    static const int middle[4] = {128, 128, 64, 255};
    return bench_pixel_is(b, img, img->width / 2, img->height / 2, middle, 2) &&
           bench_mean_is(b, img, middle, 2);
}

const struct workload workload_gouraud = {gouraud_init, gouraud_frame, gouraud_check};

/* ---- points and lines ---- */

static const char scatter_vertex[] =
    "attribute vec2 position;\n"
    "varying vec3 shade;\n"
    "void main() {\n"
    "    shade = vec3(position * 0.5 + 0.5, 0.7);\n"
    "    gl_PointSize = 4.0;\n"
    "    gl_Position = vec4(position, 0.0, 1.0);\n"
    "}\n";

/* `count` positions; with `reach` above 0 every second one is near the one before. */
static bool scatter_init(struct bench *b, int count, float reach) {
    float *data = app_alloc((size_t)count * 2 * sizeof data[0]);
    for (int i = 0; i < 2 * count; i++) {
        data[i] = 2.0f * sm_random((uint32_t)i) - 1.0f;
        if (reach > 0.0f && i % 4 >= 2) {
            data[i] = data[i - 2] + reach * data[i];
        }
    }
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)count * 2 * sizeof data[0]), data,
                 GL_STATIC_DRAW);
    free(data);
    glEnableVertexAttribArray(MESH_POSITION);
    glVertexAttribPointer(MESH_POSITION, 2, GL_FLOAT, GL_FALSE, 8, NULL);
    b->counts.of[BENCH_VERTICES] = count;
    b->program[0] = bench_program(b, scatter_vertex, shade_fragment);
    return b->program[0] != 0;
}

static bool points_init(struct bench *b) {
    b->counts.of[BENCH_PIXELS] = 16.0 * b->scale;
    return scatter_init(b, b->scale, 0.0f);
}

static void points_frame(struct bench *b, int frame) {
    (void)frame;
    glClear(GL_COLOR_BUFFER_BIT);
    glDrawArrays(GL_POINTS, 0, b->scale);
}

static bool lines_init(struct bench *b) {
    b->counts.of[BENCH_TRIANGLES] = b->scale;
    return scatter_init(b, 2 * b->scale, 0.06f);
}

static void lines_frame(struct bench *b, int frame) {
    (void)frame;
    glClear(GL_COLOR_BUFFER_BIT);
    glDrawArrays(GL_LINES, 0, 2 * b->scale);
}

const struct workload workload_points = {points_init, points_frame, NULL};
const struct workload workload_lines = {lines_init, lines_frame, NULL};
