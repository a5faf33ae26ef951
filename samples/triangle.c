/* SPDX-License-Identifier: MIT */
/*
 * The first sample: one triangle with a colour at each corner. Everything a GLES2
 * program needs is here: two shaders, a buffer of vertices, one draw call.
 */
#include "common/app.h"

/* Runs once for each corner: where it is on the screen, and its colour. */
static const char vertex_text[] =
    "attribute vec2 position;\n"
    "attribute vec3 color;\n"
    "uniform vec2 scale;\n"
    "varying vec3 shade;\n"
    "void main() {\n"
    "    shade = color;\n"
    "    gl_Position = vec4(position * scale, 0.0, 1.0);\n"
    "}\n";

/* Runs once for each pixel inside; `shade` arrives mixed from the three corners. */
static const char fragment_text[] =
    "precision mediump float;\n"
    "varying vec3 shade;\n"
    "void main() {\n"
    "    gl_FragColor = vec4(shade, 1.0);\n"
    "}\n";

static const GLfloat corners[] = {
    /* x      y      red    green  blue */
    0.00f,  0.80f,  1.00f, 0.36f, 0.22f, /* top */
    -0.85f, -0.65f, 0.16f, 0.84f, 0.52f, /* left */
    0.85f,  -0.65f, 0.25f, 0.45f, 1.00f, /* right */
};

static GLuint program;
static GLuint buffer;

static bool triangle_init(struct app *app) {
    program = app_program(app, vertex_text, fragment_text);
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
    return program != 0;
}

static void triangle_draw(struct app *app, int frame, float time) {
    const GLsizei stride = 5 * sizeof(GLfloat);
    const GLint position = glGetAttribLocation(program, "position");
    const GLint color = glGetAttribLocation(program, "color");
    (void)frame;
    (void)time;

    glClearColor(0.07f, 0.08f, 0.11f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);

    glUseProgram(program);
    glUniform2f(glGetUniformLocation(program, "scale"), (float)app->height / (float)app->width,
                1.0f);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glEnableVertexAttribArray((GLuint)position);
    glEnableVertexAttribArray((GLuint)color);
    glVertexAttribPointer((GLuint)position, 2, GL_FLOAT, GL_FALSE, stride, (const void *)0);
    glVertexAttribPointer((GLuint)color, 3, GL_FLOAT, GL_FALSE, stride,
                          (const void *)(2 * sizeof(GLfloat)));
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void triangle_fini(struct app *app) {
    (void)app;
    glDeleteBuffers(1, &buffer);
    glDeleteProgram(program);
}

const struct sample sample_triangle = {
    .name = "triangle",
    .summary = "one triangle, a colour at each corner: the smallest whole program",
    .time = 0.0f,
    .init = triangle_init,
    .draw = triangle_draw,
    .fini = triangle_fini,
};
