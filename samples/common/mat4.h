/* SPDX-License-Identifier: MIT */
/*
 * Vectors of three and 4x4 matrices for the samples. A matrix is column-major as
 * glUniformMatrix4fv wants it; vectors are columns; mat4_mul(a, b) applies b first.
 */
#ifndef SAMPLES_MAT4_H
#define SAMPLES_MAT4_H

#include <string.h>

#include "smath.h"

struct vec3 {
    float x;
    float y;
    float z;
};

struct mat4 {
    float m[16]; /* element of row r, column c at [c * 4 + r] */
};

struct mat3 {
    float m[9];
};

static inline struct vec3 vec3_make(float x, float y, float z) {
    struct vec3 v = {x, y, z};
    return v;
}

static inline struct vec3 vec3_add(struct vec3 a, struct vec3 b) {
    return vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline struct vec3 vec3_sub(struct vec3 a, struct vec3 b) {
    return vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline struct vec3 vec3_scale(struct vec3 a, float s) {
    return vec3_make(a.x * s, a.y * s, a.z * s);
}

static inline float vec3_dot(struct vec3 a, struct vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct vec3 vec3_cross(struct vec3 a, struct vec3 b) {
    return vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline float vec3_length(struct vec3 a) {
    return sm_sqrt(vec3_dot(a, a));
}

/* The zero vector stays zero. */
static inline struct vec3 vec3_normalize(struct vec3 a) {
    float length = vec3_length(a);
    return length > 0.0f ? vec3_scale(a, 1.0f / length) : a;
}

static inline struct vec3 vec3_mix(struct vec3 a, struct vec3 b, float t) {
    return vec3_add(a, vec3_scale(vec3_sub(b, a), t));
}

static inline struct mat4 mat4_identity(void) {
    struct mat4 r = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    return r;
}

static inline struct mat4 mat4_mul(struct mat4 a, struct mat4 b) {
    struct mat4 r;
    for (int c = 0; c < 4; c++) {
        for (int i = 0; i < 4; i++) {
            r.m[c * 4 + i] = a.m[i] * b.m[c * 4] + a.m[4 + i] * b.m[c * 4 + 1] +
                             a.m[8 + i] * b.m[c * 4 + 2] + a.m[12 + i] * b.m[c * 4 + 3];
        }
    }
    return r;
}

static inline struct mat4 mat4_translate(float x, float y, float z) {
    struct mat4 r = mat4_identity();
    r.m[12] = x;
    r.m[13] = y;
    r.m[14] = z;
    return r;
}

static inline struct mat4 mat4_scale(float x, float y, float z) {
    struct mat4 r = mat4_identity();
    r.m[0] = x;
    r.m[5] = y;
    r.m[10] = z;
    return r;
}

/* Counter-clockwise when the axis points at the viewer. */
static inline struct mat4 mat4_rotate(float angle, struct vec3 axis) {
    struct vec3 a = vec3_normalize(axis);
    float s = sm_sin(angle);
    float c = sm_cos(angle);
    float k = 1.0f - c;
    struct mat4 r = mat4_identity();
    r.m[0] = a.x * a.x * k + c;
    r.m[1] = a.y * a.x * k + a.z * s;
    r.m[2] = a.z * a.x * k - a.y * s;
    r.m[4] = a.x * a.y * k - a.z * s;
    r.m[5] = a.y * a.y * k + c;
    r.m[6] = a.z * a.y * k + a.x * s;
    r.m[8] = a.x * a.z * k + a.y * s;
    r.m[9] = a.y * a.z * k - a.x * s;
    r.m[10] = a.z * a.z * k + c;
    return r;
}

static inline struct mat4 mat4_frustum(float left, float right, float bottom, float top,
                                       float near_z, float far_z) {
    struct mat4 r;
    memset(&r, 0, sizeof r);
    r.m[0] = 2.0f * near_z / (right - left);
    r.m[5] = 2.0f * near_z / (top - bottom);
    r.m[8] = (right + left) / (right - left);
    r.m[9] = (top + bottom) / (top - bottom);
    r.m[10] = -(far_z + near_z) / (far_z - near_z);
    r.m[11] = -1.0f;
    r.m[14] = -2.0f * far_z * near_z / (far_z - near_z);
    return r;
}

/* `fov` is the whole vertical angle; aspect is width over height. */
static inline struct mat4 mat4_perspective(float fov, float aspect, float near_z, float far_z) {
    float top = near_z * sm_tan(fov * 0.5f);
    return mat4_frustum(-top * aspect, top * aspect, -top, top, near_z, far_z);
}

static inline struct mat4 mat4_ortho(float left, float right, float bottom, float top, float near_z,
                                     float far_z) {
    struct mat4 r = mat4_identity();
    r.m[0] = 2.0f / (right - left);
    r.m[5] = 2.0f / (top - bottom);
    r.m[10] = -2.0f / (far_z - near_z);
    r.m[12] = -(right + left) / (right - left);
    r.m[13] = -(top + bottom) / (top - bottom);
    r.m[14] = -(far_z + near_z) / (far_z - near_z);
    return r;
}

static inline struct mat4 mat4_look_at(struct vec3 eye, struct vec3 target, struct vec3 up) {
    struct vec3 back = vec3_normalize(vec3_sub(eye, target));
    struct vec3 right = vec3_normalize(vec3_cross(up, back));
    struct vec3 top = vec3_cross(back, right);
    struct mat4 r = {{right.x, top.x, back.x, 0, right.y, top.y, back.y, 0, right.z, top.z, back.z,
                      0, -vec3_dot(right, eye), -vec3_dot(top, eye), -vec3_dot(back, eye), 1}};
    return r;
}

/*
 * The matrix for normals: cofactors of the upper left part, that is its inverse
 * transpose up to a positive factor, so outside stays outside under mirroring too.
 * Exists for every matrix; normalise the normals it gives.
 */
static inline struct mat3 mat4_normal3(struct mat4 a) {
    struct vec3 x = vec3_make(a.m[0], a.m[1], a.m[2]);
    struct vec3 y = vec3_make(a.m[4], a.m[5], a.m[6]);
    struct vec3 z = vec3_make(a.m[8], a.m[9], a.m[10]);
    float side = vec3_dot(x, vec3_cross(y, z)) < 0.0f ? -1.0f : 1.0f;
    struct vec3 p = vec3_scale(vec3_cross(y, z), side);
    struct vec3 q = vec3_scale(vec3_cross(z, x), side);
    struct vec3 s = vec3_scale(vec3_cross(x, y), side);
    struct mat3 r = {{p.x, p.y, p.z, q.x, q.y, q.z, s.x, s.y, s.z}};
    return r;
}

#endif
