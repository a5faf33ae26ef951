/* SPDX-License-Identifier: MIT */
/*
 * Mesh generators. Each surface is a grid of (columns + 1) x (rows + 1) vertices
 * whose position is a function of (u, v); seams have their vertices twice, once for
 * each end of the texture.
 */
#include "mesh.h"

#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "mat4.h"

static struct mesh mesh_alloc(int vertex_count, int index_count) {
    struct mesh mesh;
    mesh.vertex_count = (uint32_t)vertex_count;
    mesh.index_count = (uint32_t)index_count;
    mesh.vertices = app_alloc((size_t)vertex_count * sizeof mesh.vertices[0]);
    mesh.indices = app_alloc((size_t)index_count * sizeof mesh.indices[0]);
    return mesh;
}

void mesh_free(struct mesh *mesh) {
    free(mesh->vertices);
    free(mesh->indices);
    memset(mesh, 0, sizeof *mesh);
}

static void set_vertex(struct mesh_vertex *vertex, struct vec3 position, struct vec3 normal,
                       struct vec3 tangent, float u, float v) {
    struct mesh_vertex made = {{position.x, position.y, position.z},
                               {normal.x, normal.y, normal.z},
                               {tangent.x, tangent.y, tangent.z},
                               {u, v}};
    *vertex = made;
}

/* Two triangles for each cell; counter-clockwise where u x v points outwards. */
static void index_grid(uint16_t *out, int columns, int rows, int first) {
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            int a = first + row * (columns + 1) + column;
            int b = a + columns + 1;
            int cell[6] = {a, a + 1, b + 1, a, b + 1, b};
            for (int i = 0; i < 6; i++) {
                *out++ = (uint16_t)cell[i];
            }
        }
    }
}

struct mesh mesh_cube(void) {
    /* For each face its u and v directions; their cross product is the normal. */
    static const struct vec3 u_axis[6] = {{0, 0, -1}, {0, 0, 1}, {1, 0, 0},
                                          {1, 0, 0},  {1, 0, 0}, {-1, 0, 0}};
    static const struct vec3 v_axis[6] = {{0, 1, 0}, {0, 1, 0}, {0, 0, -1},
                                          {0, 0, 1}, {0, 1, 0}, {0, 1, 0}};
    struct mesh mesh = mesh_alloc(24, 36);
    for (int face = 0; face < 6; face++) {
        struct vec3 normal = vec3_cross(u_axis[face], v_axis[face]);
        for (int corner = 0; corner < 4; corner++) {
            float u = (float)(corner & 1);
            float v = (float)(corner >> 1);
            struct vec3 p = vec3_add(normal, vec3_scale(u_axis[face], 2.0f * u - 1.0f));
            p = vec3_add(p, vec3_scale(v_axis[face], 2.0f * v - 1.0f));
            set_vertex(&mesh.vertices[face * 4 + corner], p, normal, u_axis[face], u, v);
        }
        index_grid(mesh.indices + face * 6, 1, 1, face * 4);
    }
    return mesh;
}

/* The point of the unit circle at `index` of `count`; the last one equals the first exactly. */
static void circle_point(int index, int count, float *sine, float *cosine) {
    float angle = 2.0f * SM_PI * (float)(index % count) / (float)count;
    *sine = sm_sin(angle);
    *cosine = sm_cos(angle);
}

struct mesh mesh_sphere(int columns, int rows) {
    struct mesh mesh = mesh_alloc((columns + 1) * (rows + 1), columns * rows * 6);
    struct mesh_vertex *vertex = mesh.vertices;
    for (int row = 0; row <= rows; row++) {
        float v = (float)row / (float)rows;
        float latitude = SM_PI * (v - 0.5f);
        float y = sm_sin(latitude);
        float radius = row == 0 || row == rows ? 0.0f : sm_cos(latitude);
        for (int column = 0; column <= columns; column++) {
            float s;
            float c;
            circle_point(column, columns, &s, &c);
            struct vec3 p = vec3_make(radius * s, y, radius * c);
            set_vertex(vertex++, p, p, vec3_make(c, 0.0f, -s), (float)column / (float)columns, v);
        }
    }
    index_grid(mesh.indices, columns, rows, 0);
    return mesh;
}

struct mesh mesh_torus(float ring, float tube, int columns, int rows) {
    struct mesh mesh = mesh_alloc((columns + 1) * (rows + 1), columns * rows * 6);
    struct mesh_vertex *vertex = mesh.vertices;
    for (int row = 0; row <= rows; row++) {
        float tube_sine;
        float tube_cosine;
        circle_point(row, rows, &tube_sine, &tube_cosine);
        for (int column = 0; column <= columns; column++) {
            float s;
            float c;
            circle_point(column, columns, &s, &c);
            struct vec3 normal = vec3_make(s * tube_cosine, tube_sine, c * tube_cosine);
            float radius = ring + tube * tube_cosine;
            struct vec3 p = vec3_make(s * radius, tube * tube_sine, c * radius);
            set_vertex(vertex++, p, normal, vec3_make(c, 0.0f, -s), (float)column / (float)columns,
                       (float)row / (float)rows);
        }
    }
    index_grid(mesh.indices, columns, rows, 0);
    return mesh;
}

struct mesh mesh_grid(int columns, int rows) {
    struct mesh mesh = mesh_alloc((columns + 1) * (rows + 1), columns * rows * 6);
    struct mesh_vertex *vertex = mesh.vertices;
    for (int row = 0; row <= rows; row++) {
        for (int column = 0; column <= columns; column++) {
            float u = (float)column / (float)columns;
            float v = (float)row / (float)rows;
            set_vertex(vertex++, vec3_make(2.0f * u - 1.0f, 0.0f, 1.0f - 2.0f * v),
                       vec3_make(0.0f, 1.0f, 0.0f), vec3_make(1.0f, 0.0f, 0.0f), u, v);
        }
    }
    index_grid(mesh.indices, columns, rows, 0);
    return mesh;
}

struct mesh mesh_disc(int segments) {
    struct mesh mesh = mesh_alloc(segments + 1, segments * 3);
    struct vec3 up = vec3_make(0.0f, 1.0f, 0.0f);
    struct vec3 along = vec3_make(1.0f, 0.0f, 0.0f);
    set_vertex(&mesh.vertices[0], vec3_make(0.0f, 0.0f, 0.0f), up, along, 0.5f, 0.5f);
    for (int i = 0; i < segments; i++) {
        float s;
        float c;
        circle_point(i, segments, &s, &c);
        set_vertex(&mesh.vertices[i + 1], vec3_make(s, 0.0f, c), up, along, 0.5f + 0.5f * s,
                   0.5f - 0.5f * c);
        mesh.indices[3 * i] = 0;
        mesh.indices[3 * i + 1] = (uint16_t)(i + 1);
        mesh.indices[3 * i + 2] = (uint16_t)((i + 1) % segments + 1);
    }
    return mesh;
}

struct mesh mesh_cylinder(int segments) {
    struct mesh mesh = mesh_alloc((segments + 1) * 2, segments * 6);
    struct mesh_vertex *vertex = mesh.vertices;
    for (int row = 0; row < 2; row++) {
        for (int i = 0; i <= segments; i++) {
            float s;
            float c;
            circle_point(i, segments, &s, &c);
            set_vertex(vertex++, vec3_make(s, 2.0f * (float)row - 1.0f, c), vec3_make(s, 0.0f, c),
                       vec3_make(c, 0.0f, -s), (float)i / (float)segments, (float)row);
        }
    }
    index_grid(mesh.indices, segments, 1, 0);
    return mesh;
}

static struct vec3 load_vec3(const float *p) {
    return vec3_make(p[0], p[1], p[2]);
}

static void store_vec3(float *p, struct vec3 v) {
    p[0] = v.x;
    p[1] = v.y;
    p[2] = v.z;
}

void mesh_smooth_normals(struct mesh *mesh) {
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        store_vec3(mesh->vertices[i].normal, vec3_make(0.0f, 0.0f, 0.0f));
    }
    for (uint32_t i = 0; i + 2 < mesh->index_count; i += 3) {
        struct mesh_vertex *corner[3];
        for (int k = 0; k < 3; k++) {
            corner[k] = &mesh->vertices[mesh->indices[i + (uint32_t)k]];
        }
        struct vec3 a = load_vec3(corner[0]->position);
        struct vec3 normal = vec3_cross(vec3_sub(load_vec3(corner[1]->position), a),
                                        vec3_sub(load_vec3(corner[2]->position), a));
        for (int k = 0; k < 3; k++) {
            store_vec3(corner[k]->normal, vec3_add(load_vec3(corner[k]->normal), normal));
        }
    }
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        float *normal = mesh->vertices[i].normal;
        store_vec3(normal, vec3_normalize(load_vec3(normal)));
    }
}

struct shape shape_create(struct mesh mesh) {
    struct shape shape;
    glGenBuffers(1, &shape.vertex_buffer);
    glBindBuffer(GL_ARRAY_BUFFER, shape.vertex_buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(mesh.vertex_count * sizeof mesh.vertices[0]),
                 mesh.vertices, GL_STATIC_DRAW);
    glGenBuffers(1, &shape.index_buffer);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, shape.index_buffer);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(mesh.index_count * sizeof mesh.indices[0]),
                 mesh.indices, GL_STATIC_DRAW);
    shape.index_count = (GLsizei)mesh.index_count;
    mesh_free(&mesh);
    return shape;
}

void shape_draw(const struct shape *shape) {
    static const struct {
        GLint size;
        size_t offset;
    } layout[MESH_ATTRIBUTE_COUNT] = {
        [MESH_POSITION] = {3, offsetof(struct mesh_vertex, position)},
        [MESH_NORMAL] = {3, offsetof(struct mesh_vertex, normal)},
        [MESH_TANGENT] = {3, offsetof(struct mesh_vertex, tangent)},
        [MESH_UV] = {2, offsetof(struct mesh_vertex, uv)},
    };
    glBindBuffer(GL_ARRAY_BUFFER, shape->vertex_buffer);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, shape->index_buffer);
    for (GLuint i = 0; i < MESH_ATTRIBUTE_COUNT; i++) {
        glEnableVertexAttribArray(i);
        glVertexAttribPointer(i, layout[i].size, GL_FLOAT, GL_FALSE, sizeof(struct mesh_vertex),
                              (const void *)layout[i].offset);
    }
    glDrawElements(GL_TRIANGLES, shape->index_count, GL_UNSIGNED_SHORT, NULL);
}

void shape_delete(struct shape *shape) {
    glDeleteBuffers(1, &shape->vertex_buffer);
    glDeleteBuffers(1, &shape->index_buffer);
    memset(shape, 0, sizeof *shape);
}
