/* SPDX-License-Identifier: MIT */
/* A current context with a surface for the api_*_test programs, and small helpers. */
#ifndef TESTS_UNIT_API_UTIL_H
#define TESTS_UNIT_API_UTIL_H

#include <stdio.h>
#include <stdlib.h>

#include "api/entry.h"
#include "api/state.h"
#include "tests/harness/check.h"

struct api_fixture {
    struct es_context *ctx;
    struct es_surface surface;
};

/* RGBA8, 24-bit depth, stencil, one sample. */
static inline bool api_begin(struct api_fixture *f, uint32_t width, uint32_t height) {
    const struct es_context_desc desc = {0};
    f->ctx = es_context_create(&desc);
    if (!f->ctx ||
        !es_surface_init(&f->surface, RN_FORMAT_RGBA8, RN_FORMAT_D24, true, 1, width, height)) {
        return false;
    }
    es_make_current(f->ctx, &f->surface, &f->surface);
    return true;
}

static inline void api_end(struct api_fixture *f) {
    es_make_current(NULL, NULL, NULL);
    es_context_destroy(f->ctx);
    es_surface_fini(&f->surface);
}

/* Expects exactly this error, once. */
#define CHECK_ERROR(error)                                                                         \
    do {                                                                                           \
        CHECK_EQ_INT(glGetError(), error);                                                         \
        CHECK_EQ_INT(glGetError(), GL_NO_ERROR);                                                   \
    } while (0)

static inline GLuint api_shader(GLenum type, const char *text) {
    GLuint shader = glCreateShader(type);
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    GLint ok = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        char log[1000];
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        printf("shader: %s\n", log);
    }
    return shader;
}

/* A linked program, or 0; a_position is attribute 0. */
static inline GLuint api_program(const char *vertex, const char *fragment) {
    GLuint program = glCreateProgram();
    GLuint shaders[2] = {api_shader(GL_VERTEX_SHADER, vertex),
                         api_shader(GL_FRAGMENT_SHADER, fragment)};
    glAttachShader(program, shaders[0]);
    glAttachShader(program, shaders[1]);
    glDeleteShader(shaders[0]);
    glDeleteShader(shaders[1]);
    glBindAttribLocation(program, 0, "a_position");
    glLinkProgram(program);
    GLint ok = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (!ok) {
        char log[1000];
        glGetProgramInfoLog(program, sizeof log, NULL, log);
        printf("program: %s\n", log);
        glDeleteProgram(program);
        return 0;
    }
    return program;
}

/* Draws a quad over the whole viewport through attribute 0. */
static inline void api_quad(void) {
    static const GLfloat corners[8] = {-1, -1, 1, -1, -1, 1, 1, 1};
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glEnableVertexAttribArray(0);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

/* The pixel at (x, y) as 0xRRGGBBAA. */
static inline uint32_t api_pixel(GLint x, GLint y) {
    uint8_t p[4] = {1, 2, 3, 4};
    glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static const char api_vertex[] =
    "attribute vec4 a_position; varying vec2 v_uv;"
    "void main() { gl_Position = a_position; v_uv = a_position.xy * 0.5 + 0.5; }";

#endif
