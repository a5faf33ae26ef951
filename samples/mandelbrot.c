/* SPDX-License-Identifier: MIT */
/*
 * The Mandelbrot set: z = z^2 + c is repeated until z runs away, a loop whose end
 * each fragment finds for itself. The count is made smooth by how far z had run, so
 * the colours have no steps. The derivative of z says how far the set is: what is nearer
 * than a pixel gets its colour, which draws the outline without jagged noise.
 */
#include "common/app.h"
#include "common/smath.h"

static const char vertex_text[] =
    "attribute vec2 position;\n"
    "uniform vec3 window;\n" /* centre, half height */
    "uniform float aspect;\n"
    "varying vec2 point;\n"
    "void main() {\n"
    "    point = window.xy + position * vec2(aspect, 1.0) * window.z;\n"
    "    gl_Position = vec4(position, 0.0, 1.0);\n"
    "}\n";

static const char fragment_text[] =
    "precision highp float;\n"
    "varying vec2 point;\n"
    "uniform float pixel;\n" /* the side of a pixel in the plane */
    "const float limit = 72.0;\n"
    "vec3 palette(float t) {\n"
    /* Night blue, teal, gold, cream: a ring of colours far from the set to close by. */
    "    vec3 a = mix(vec3(0.02, 0.03, 0.13), vec3(0.05, 0.32, 0.55), smoothstep(0.18, 0.38, t));\n"
    "    a = mix(a, vec3(0.30, 0.74, 0.72), smoothstep(0.34, 0.50, t));\n"
    "    a = mix(a, vec3(0.98, 0.80, 0.36), smoothstep(0.47, 0.62, t));\n"
    "    return mix(a, vec3(0.80, 0.30, 0.12), smoothstep(0.62, 0.84, t));\n"
    "}\n"
    "void main() {\n"
    "    vec2 z = vec2(0.0);\n"
    "    vec2 slope = vec2(0.0);\n" /* dz / dpoint */
    "    float count = 0.0;\n"
    "    float size = 0.0;\n"
    "    for (int i = 0; i < 72; i++) {\n"
    "        slope = 2.0 * vec2(z.x * slope.x - z.y * slope.y, z.x * slope.y + z.y * slope.x);\n"
    "        slope.x += 1.0;\n"
    "        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + point;\n"
    "        size = dot(z, z);\n"
    "        if (size > 256.0) {\n"
    "            break;\n"
    "        }\n"
    "        count += 1.0;\n"
    "    }\n"
    "    vec3 color = vec3(0.02, 0.02, 0.05);\n"
    "    if (size > 256.0) {\n"
    "        float smooth_count = count + 1.0 - log2(log2(size) / 8.0);\n"
    "        float t = log2(max(smooth_count, 0.0) + 1.0) / log2(limit + 1.0);\n"
    /* Within a pixel of the set the count is chaos; the set's own colour hides it. */
    "        float away = 0.5 * sqrt(size / dot(slope, slope)) * log(size) / pixel;\n"
    "        float near = max(smoothstep(0.88, 0.99, t), 1.0 - smoothstep(0.4, 1.6, away));\n"
    "        color = mix(palette(t), color, near);\n"
    "    }\n"
    "    gl_FragColor = vec4(color, 1.0);\n"
    "}\n";

static GLuint program;

static bool mandelbrot_init(struct app *app) {
    program = app_program(app, vertex_text, fragment_text);
    return program != 0;
}

static void mandelbrot_draw(struct app *app, int frame, float time) {
    (void)frame;
    /* A slow zoom towards a point of the boundary. */
    float half_height = 1.25f * sm_exp(-0.2f * time);
    glUseProgram(program);
    glUniform1f(glGetUniformLocation(program, "aspect"), (float)app->width / (float)app->height);
    glUniform3f(glGetUniformLocation(program, "window"), -0.745f + 0.10f * half_height,
                0.113f - 0.09f * half_height, half_height);
    glUniform1f(glGetUniformLocation(program, "pixel"), 2.0f * half_height / (float)app->height);
    app_draw_screen();
}

static void mandelbrot_fini(struct app *app) {
    (void)app;
    glDeleteProgram(program);
}

const struct sample sample_mandelbrot = {
    .name = "mandelbrot",
    .summary = "the Mandelbrot set with smooth colours: a loop that each fragment leaves alone",
    .time = 0.0f,
    .init = mandelbrot_init,
    .draw = mandelbrot_draw,
    .fini = mandelbrot_fini,
};
