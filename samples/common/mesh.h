/* SPDX-License-Identifier: MIT */
/*
 * Generated meshes: indexed triangles, counter-clockwise seen from outside, with
 * normals, tangents and texture coordinates. A mesh is built in memory, then sent to
 * GL buffers as a shape, which any program linked by app_program() can draw.
 */
#ifndef SAMPLES_MESH_H
#define SAMPLES_MESH_H

#include <GLES2/gl2.h>
#include <stdint.h>

/* Attribute locations that app_program() binds to position, normal, tangent, uv. */
enum mesh_attribute { MESH_POSITION, MESH_NORMAL, MESH_TANGENT, MESH_UV, MESH_ATTRIBUTE_COUNT };

struct mesh_vertex {
    float position[3];
    float normal[3];
    float tangent[3]; /* along +u; the bitangent is cross(normal, tangent) along +v */
    float uv[2];
};

struct mesh {
    struct mesh_vertex *vertices;
    uint16_t *indices;
    uint32_t vertex_count;
    uint32_t index_count;
};

/* A cube from -1 to 1, every face with uv from 0 to 1. */
struct mesh mesh_cube(void);
/* A unit sphere, poles on the y axis; columns * rows quads. */
struct mesh mesh_sphere(int columns, int rows);
/* A ring around the y axis; `ring` is the distance of the tube's centre, `tube` its radius. */
struct mesh mesh_torus(float ring, float tube, int columns, int rows);
/* A square in the xz plane from -1 to 1, facing +y, uv from 0 to 1. */
struct mesh mesh_grid(int columns, int rows);
/* A flat disc of radius 1 in the xz plane, facing +y. */
struct mesh mesh_disc(int segments);
/* An open tube of radius 1 around the y axis, from y = -1 to 1. */
struct mesh mesh_cylinder(int segments);
/* Computes normals from the triangles, area-weighted, after positions were changed. */
void mesh_smooth_normals(struct mesh *mesh);
void mesh_free(struct mesh *mesh);

/* A mesh in GL buffers. */
struct shape {
    GLuint vertex_buffer;
    GLuint index_buffer;
    GLsizei index_count;
};

/* Sends the mesh to GL and frees it. */
struct shape shape_create(struct mesh mesh);
/* Binds the buffers, enables the four attributes and draws. */
void shape_draw(const struct shape *shape);
void shape_delete(struct shape *shape);

#endif
