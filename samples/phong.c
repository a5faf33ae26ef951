/* SPDX-License-Identifier: MIT */
/*
 * Lighting for each fragment after Phong: two linked rings under a warm and a cold
 * lamp. The normal is interpolated and normalised again at every pixel, so highlights
 * stay round however coarse the triangles are.
 */
#include "common/app.h"
#include "common/mat4.h"
#include "common/mesh.h"

static const char vertex_text[] =
    "attribute vec3 position;\n"
    "attribute vec3 normal;\n"
    "uniform mat4 camera;\n"
    "uniform mat4 model;\n"
    "varying vec3 world;\n"
    "varying vec3 facing;\n"
    "void main() {\n"
    "    vec4 at = model * vec4(position, 1.0);\n"
    "    world = at.xyz;\n"
    "    facing = mat3(model[0].xyz, model[1].xyz, model[2].xyz) * normal;\n"
    "    gl_Position = camera * at;\n"
    "}\n";

static const char fragment_text[] =
    "precision highp float;\n"
    "uniform vec3 eye;\n"
    "uniform vec3 lamp[2];\n"
    "uniform vec3 lamp_color[2];\n"
    "uniform vec3 surface;\n"
    "varying vec3 world;\n"
    "varying vec3 facing;\n"
    "void main() {\n"
    "    vec3 n = normalize(facing);\n"
    "    vec3 to_eye = normalize(eye - world);\n"
    "    vec3 color = surface * (0.10 + 0.06 * n.y);\n"
    "    for (int i = 0; i < 2; i++) {\n"
    "        vec3 to_lamp = normalize(lamp[i] - world);\n"
    "        float diffuse = max(dot(n, to_lamp), 0.0);\n"
    "        float glint = max(dot(reflect(-to_lamp, n), to_eye), 0.0);\n"
    "        color += lamp_color[i] * (surface * diffuse + 0.55 * pow(glint, 24.0));\n"
    "    }\n"
    "    float rim = 1.0 - max(dot(n, to_eye), 0.0);\n"
    "    color += surface * 0.12 * rim * rim;\n"
    "    gl_FragColor = vec4(color, 1.0);\n"
    "}\n";

/* The backdrop: a soft pool of light behind the rings. */
static const char backdrop_vertex_text[] =
    "attribute vec2 position;\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "    place = position;\n"
    "    gl_Position = vec4(position, 0.0, 1.0);\n"
    "}\n";

static const char backdrop_fragment_text[] =
    "precision highp float;\n"
    "uniform float aspect;\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "    vec2 p = place * vec2(aspect, 1.0) - vec2(0.0, 0.15);\n"
    "    float glow = exp(-1.1 * dot(p, p));\n"
    "    gl_FragColor = vec4(mix(vec3(0.03, 0.03, 0.06), vec3(0.17, 0.19, 0.30), glow), 1.0);\n"
    "}\n";

static struct {
    GLuint program;
    GLuint backdrop;
    struct shape ring;
} state;

static bool phong_init(struct app *app) {
    state.program = app_program(app, vertex_text, fragment_text);
    state.backdrop = app_program(app, backdrop_vertex_text, backdrop_fragment_text);
    state.ring = shape_create(mesh_torus(1.0f, 0.36f, 96, 48));
    return state.program != 0 && state.backdrop != 0;
}

static void draw_ring(struct mat4 model, float red, float green, float blue) {
    glUniformMatrix4fv(glGetUniformLocation(state.program, "model"), 1, GL_FALSE, model.m);
    glUniform3f(glGetUniformLocation(state.program, "surface"), red, green, blue);
    shape_draw(&state.ring);
}

static void phong_draw(struct app *app, int frame, float time) {
    (void)frame;
    const float aspect = (float)app->width / (float)app->height;
    const struct vec3 eye = vec3_make(0.0f, 1.5f, 4.6f);
    const GLfloat lamps[6] = {3.0f, 3.5f, 3.0f, -4.0f, 0.5f, 2.0f};
    const GLfloat colors[6] = {0.88f, 0.80f, 0.68f, 0.22f, 0.32f, 0.62f};
    struct mat4 camera =
        mat4_mul(mat4_perspective(0.75f, aspect, 0.5f, 20.0f),
                 mat4_look_at(eye, vec3_make(0.0f, 0.0f, 0.0f), vec3_make(0.0f, 1.0f, 0.0f)));

    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glDisable(GL_DEPTH_TEST);
    glUseProgram(state.backdrop);
    glUniform1f(glGetUniformLocation(state.backdrop, "aspect"), aspect);
    app_draw_screen();

    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    glUseProgram(state.program);
    glUniformMatrix4fv(glGetUniformLocation(state.program, "camera"), 1, GL_FALSE, camera.m);
    glUniform3f(glGetUniformLocation(state.program, "eye"), eye.x, eye.y, eye.z);
    glUniform3fv(glGetUniformLocation(state.program, "lamp"), 2, lamps);
    glUniform3fv(glGetUniformLocation(state.program, "lamp_color"), 2, colors);

    struct mat4 spin = mat4_rotate(time, vec3_make(0.0f, 1.0f, 0.0f));
    struct mat4 first = mat4_mul(spin, mat4_mul(mat4_translate(-0.5f, 0.0f, 0.0f),
                                                mat4_rotate(0.5f, vec3_make(1.0f, 0.0f, 0.0f))));
    struct mat4 second = mat4_mul(spin, mat4_mul(mat4_translate(0.5f, 0.0f, 0.0f),
                                                 mat4_rotate(2.0f, vec3_make(1.0f, 0.0f, 0.0f))));
    draw_ring(first, 0.88f, 0.36f, 0.24f);
    draw_ring(second, 0.22f, 0.58f, 0.62f);
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);
}

static void phong_fini(struct app *app) {
    (void)app;
    shape_delete(&state.ring);
    glDeleteProgram(state.program);
    glDeleteProgram(state.backdrop);
}

const struct sample sample_phong = {
    .name = "phong",
    .summary = "two linked rings, lit at every fragment by a warm and a cold lamp",
    .time = 0.4f,
    .init = phong_init,
    .draw = phong_draw,
    .fini = phong_fini,
};
