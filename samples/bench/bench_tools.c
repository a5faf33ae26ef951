/* SPDX-License-Identifier: MIT */
/* What workloads share: programs, a quad over the picture, a texture, a mesh, looking at pixels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/mat4.h"
#include "../common/mesh.h"
#include "bench.h"

const char bench_place_vertex[] =
    "attribute vec4 position;\n"
    "attribute vec2 uv;\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "    place = uv;\n"
    "    gl_Position = position;\n"
    "}\n";

GLuint bench_program(struct bench *b, const char *vertex_text, const char *fragment_text) {
    static const char *const names[] = {[BENCH_MEDIUMP] = "mediump", [BENCH_HIGHP] = "highp"};
    size_t size = strlen(fragment_text) + 128;
    char *text = app_alloc(size);
    snprintf(text, size, "precision %s float;\n#define COUNT %d\n%s", names[b->precision], b->scale,
             fragment_text);
    GLuint program = app_program(&b->app, vertex_text, text);
    free(text);
    glUseProgram(program);
    return program;
}

void bench_quad(const struct bench_corner corners[4]) {
    static const struct bench_corner plain[4] = {
        {-1, -1, 0, 1, 0, 0}, {1, -1, 0, 1, 1, 0}, {-1, 1, 0, 1, 0, 1}, {1, 1, 0, 1, 1, 1}};
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, sizeof plain, corners != NULL ? corners : plain, GL_STATIC_DRAW);
    glEnableVertexAttribArray(MESH_POSITION);
    glEnableVertexAttribArray(MESH_UV);
    glVertexAttribPointer(MESH_POSITION, 4, GL_FLOAT, GL_FALSE, sizeof plain[0], NULL);
    glVertexAttribPointer(MESH_UV, 2, GL_FLOAT, GL_FALSE, sizeof plain[0],
                          (const void *)offsetof(struct bench_corner, u));
}

void bench_draw_quad(void) {
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

/* Up and down once in `size` steps, 0 to 255. */
static int fold(int i, int size) {
    int up = i * 510 / size;
    return up <= 255 ? up : 510 - up;
}

void bench_texel(int size, int x, int y, uint8_t texel[4]) {
    int check = size >= 32 ? size / 32 : 1;
    texel[0] = (uint8_t)fold(x, size);
    texel[1] = (uint8_t)fold(y, size);
    texel[2] = ((x / check) ^ (y / check)) & 1 ? 200 : 40;
    texel[3] = 255;
}

GLuint bench_texture(int size, GLint min_filter, GLint mag_filter) {
    GLuint texture = 0;
    struct image img = app_image(size, size);
    for (int y = 0; y < size; y++) {
        for (int x = 0; x < size; x++) {
            bench_texel(size, x, y, img.pixels + 4 * ((size_t)y * (size_t)size + (size_t)x));
        }
    }
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, img.pixels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, min_filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, mag_filter);
    if (min_filter != GL_NEAREST && min_filter != GL_LINEAR) {
        glGenerateMipmap(GL_TEXTURE_2D);
    }
    image_free(&img);
    return texture;
}

/* ---- a mesh ---- */

struct grid_vertex {
    float position[3];
    float normal[3];
};

static void fill_vertices(struct grid_vertex *out, int columns, int rows) {
    const float height = 0.08f;
    const float waves = 9.0f;
    for (int row = 0; row <= rows; row++) {
        float y = 2.0f * (float)row / (float)rows - 1.0f;
        float sy = sm_sin(waves * y);
        float cy = sm_cos(waves * y);
        for (int column = 0; column <= columns; column++) {
            float x = 2.0f * (float)column / (float)columns - 1.0f;
            float sx = sm_sin(waves * x);
            float cx = sm_cos(waves * x);
            struct vec3 n = vec3_normalize(
                vec3_make(-height * waves * cx * sy, -height * waves * sx * cy, 1.0f));
            struct grid_vertex vertex = {{x, y, height * sx * sy}, {n.x, n.y, n.z}};
            *out++ = vertex;
        }
    }
}

struct bench_grid bench_grid_create(int triangles) {
    struct bench_grid grid;
    int side = (int)(sm_sqrt((float)triangles * 0.5f) + 0.5f);
    side = side < 1 ? 1 : side;
    grid.columns = side;
    grid.rows = side;
    grid.band_rows = 65536 / (side + 1) - 1;
    grid.band_rows = grid.band_rows < side ? grid.band_rows : side;
    size_t vertex_count = (size_t)(side + 1) * (size_t)(side + 1);
    size_t index_count = (size_t)grid.band_rows * (size_t)side * 6;
    grid.vertices = (double)vertex_count;
    grid.triangles = 2.0 * (double)side * (double)side;
    struct grid_vertex *vertices = app_alloc(vertex_count * sizeof vertices[0]);
    uint16_t *indices = app_alloc(index_count * sizeof indices[0]);
    fill_vertices(vertices, side, side);
    uint16_t *out = indices;
    for (int row = 0; row < grid.band_rows; row++) {
        for (int column = 0; column < side; column++) {
            int a = row * (side + 1) + column;
            int c = a + side + 1;
            int cell[6] = {a, a + 1, c + 1, a, c + 1, c};
            for (int i = 0; i < 6; i++) {
                *out++ = (uint16_t)cell[i];
            }
        }
    }
    glGenBuffers(1, &grid.vertex_buffer);
    glBindBuffer(GL_ARRAY_BUFFER, grid.vertex_buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(vertex_count * sizeof vertices[0]), vertices,
                 GL_STATIC_DRAW);
    glGenBuffers(1, &grid.index_buffer);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, grid.index_buffer);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(index_count * sizeof indices[0]), indices,
                 GL_STATIC_DRAW);
    free(vertices);
    free(indices);
    glEnableVertexAttribArray(MESH_POSITION);
    glEnableVertexAttribArray(MESH_NORMAL);
    return grid;
}

void bench_grid_draw(const struct bench_grid *grid) {
    const size_t stride = sizeof(struct grid_vertex);
    for (int row = 0; row < grid->rows; row += grid->band_rows) {
        int rows = grid->rows - row < grid->band_rows ? grid->rows - row : grid->band_rows;
        size_t start = (size_t)row * (size_t)(grid->columns + 1) * stride;
        glVertexAttribPointer(MESH_POSITION, 3, GL_FLOAT, GL_FALSE, (GLsizei)stride,
                              (const void *)start);
        glVertexAttribPointer(MESH_NORMAL, 3, GL_FLOAT, GL_FALSE, (GLsizei)stride,
                              (const void *)(start + offsetof(struct grid_vertex, normal)));
        glDrawElements(GL_TRIANGLES, rows * grid->columns * 6, GL_UNSIGNED_SHORT, NULL);
    }
}

/* ---- looking at pixels ---- */

static bool is_near(const uint8_t *got, const int *wanted, int channels, int tolerance) {
    for (int i = 0; i < channels; i++) {
        int distance = (int)got[i] - wanted[i];
        if (distance > tolerance || distance < -tolerance) {
            return false;
        }
    }
    return true;
}

static bool check_pixel(const struct bench *b, const uint8_t *p, int x, int y, const int color[4],
                        int tolerance) {
    if (is_near(p, color, 4, tolerance)) {
        return true;
    }
    app_error("%s: pixel (%d, %d) is (%d %d %d %d), not (%d %d %d %d)", b->app.name, x, y, p[0],
              p[1], p[2], p[3], color[0], color[1], color[2], color[3]);
    return false;
}

bool bench_pixel_is(const struct bench *b, const struct image *img, int x, int y,
                    const int color[4], int tolerance) {
    const uint8_t *p = img->pixels + 4 * ((size_t)y * (size_t)img->width + (size_t)x);
    return check_pixel(b, p, x, y, color, tolerance);
}

bool bench_mean_is(const struct bench *b, const struct image *img, const int color[3],
                   int tolerance) {
    size_t count = (size_t)img->width * (size_t)img->height;
    uint64_t sum[3] = {0, 0, 0};
    uint8_t mean[3];
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            sum[k] += img->pixels[4 * i + (size_t)k];
        }
    }
    for (int k = 0; k < 3; k++) {
        mean[k] = (uint8_t)((sum[k] + count / 2) / count);
    }
    if (is_near(mean, color, 3, tolerance)) {
        return true;
    }
    app_error("%s: the picture's mean is (%d %d %d), not near (%d %d %d)", b->app.name, mean[0],
              mean[1], mean[2], color[0], color[1], color[2]);
    return false;
}
