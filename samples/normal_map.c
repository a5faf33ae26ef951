/* SPDX-License-Identifier: MIT */
/*
 * Normal mapping: a flat wall and a smooth pillar that look like bricks because the
 * light is computed with normals from a texture, turned into the world by each
 * vertex's tangent frame. A lamp hangs in front.
 */
#include "common/app.h"
#include "common/mat4.h"
#include "common/mesh.h"
#include "common/texgen.h"

static const char vertex_text[] =
    "attribute vec3 position;\n"
    "attribute vec3 normal;\n"
    "attribute vec3 tangent;\n"
    "attribute vec2 uv;\n"
    "uniform mat4 camera;\n"
    "uniform mat4 model;\n"
    "uniform mat3 turn;\n"
    "uniform vec2 repeat;\n"
    "varying vec3 world;\n"
    "varying vec3 facing;\n"
    "varying vec3 along;\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "    vec4 at = model * vec4(position, 1.0);\n"
    "    world = at.xyz;\n"
    "    facing = turn * normal;\n"
    "    along = turn * tangent;\n"
    "    place = uv * repeat;\n"
    "    gl_Position = camera * at;\n"
    "}\n";

static const char fragment_text[] =
    "precision highp float;\n"
    "uniform sampler2D colors;\n"
    "uniform sampler2D normals;\n"
    "uniform vec3 eye;\n"
    "uniform vec3 lamp;\n"
    "varying vec3 world;\n"
    "varying vec3 facing;\n"
    "varying vec3 along;\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "    vec3 n = normalize(facing);\n"
    "    vec3 t = normalize(along - n * dot(n, along));\n"
    "    vec3 b = cross(n, t);\n"
    "    vec4 bump = texture2D(normals, place);\n"
    "    vec3 local = bump.xyz * 2.0 - 1.0;\n"
    "    vec3 bumped = normalize(t * local.x + b * local.y + n * local.z);\n"
    "    vec3 to_lamp = lamp - world;\n"
    "    float distance2 = dot(to_lamp, to_lamp);\n"
    "    to_lamp *= inversesqrt(distance2);\n"
    "    vec3 to_eye = normalize(eye - world);\n"
    "    float diffuse = max(dot(bumped, to_lamp), 0.0);\n"
    "    vec3 half_way = normalize(to_lamp + to_eye);\n"
    "    float glint = pow(max(dot(bumped, half_way), 0.0), 8.0);\n"
    "    vec3 base = texture2D(colors, place).rgb;\n"
    "    float cavity = 0.45 + 0.55 * bump.a;\n"
    "    vec3 warm = vec3(1.0, 0.82, 0.58) * 6.6 / (1.8 + distance2);\n"
    "    vec3 color = base * cavity * (vec3(0.15, 0.18, 0.26) + warm * diffuse);\n"
    "    color += warm * glint * 0.12 * cavity;\n"
    "    gl_FragColor = vec4(color / (1.0 + 0.25 * color), 1.0);\n"
    "}\n";

/* The lamp itself: a plain bright ball. */
static const char lamp_vertex_text[] =
    "attribute vec3 position;\n"
    "attribute vec3 normal;\n"
    "uniform mat4 camera;\n"
    "uniform vec4 ball;\n"
    "uniform vec3 eye;\n"
    "varying float front;\n"
    "void main() {\n"
    "    front = dot(normal, normalize(eye - ball.xyz));\n"
    "    gl_Position = camera * vec4(position * ball.w + ball.xyz, 1.0);\n"
    "}\n";

static const char lamp_fragment_text[] =
    "precision mediump float;\n"
    "varying float front;\n"
    "void main() {\n"
    "    gl_FragColor = vec4(mix(vec3(0.95, 0.62, 0.25), vec3(1.0, 0.97, 0.86),\n"
    "                            clamp(front, 0.0, 1.0)), 1.0);\n"
    "}\n";

static struct {
    GLuint program;
    GLuint lamp;
    GLuint colors;
    GLuint normals;
    struct shape wall;
    struct shape pillar;
    struct shape ball;
} state;

static bool normal_map_init(struct app *app) {
    state.program = app_program(app, vertex_text, fragment_text);
    state.lamp = app_program(app, lamp_vertex_text, lamp_fragment_text);
    struct image colors = texgen_brick_color(512);
    struct image normals = texgen_brick_normal(512, 6.0f);
    state.colors = app_texture(&colors);
    state.normals = app_texture(&normals);
    /* Averaged normals would be flat; the walls are near, so one level is enough. */
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    state.wall = shape_create(mesh_grid(4, 4));
    state.pillar = shape_create(mesh_cylinder(96));
    state.ball = shape_create(mesh_sphere(32, 16));
    return state.program != 0 && state.lamp != 0;
}

static void draw_bricks(const struct shape *shape, struct mat4 model, float repeat_u,
                        float repeat_v) {
    struct mat3 turn = mat4_normal3(model);
    glUniformMatrix4fv(glGetUniformLocation(state.program, "model"), 1, GL_FALSE, model.m);
    glUniformMatrix3fv(glGetUniformLocation(state.program, "turn"), 1, GL_FALSE, turn.m);
    glUniform2f(glGetUniformLocation(state.program, "repeat"), repeat_u, repeat_v);
    shape_draw(shape);
}

static void normal_map_draw(struct app *app, int frame, float time) {
    (void)frame;
    const struct vec3 eye = vec3_make(1.9f, 0.5f, 4.4f);
    const struct vec3 lamp =
        vec3_make(0.15f + 1.3f * sm_sin(time), 0.35f + 0.35f * sm_sin(time * 1.7f), 1.75f);
    struct mat4 camera =
        mat4_mul(mat4_perspective(0.72f, (float)app->width / (float)app->height, 0.2f, 30.0f),
                 mat4_look_at(eye, vec3_make(0.15f, 0.05f, 0.0f), vec3_make(0.0f, 1.0f, 0.0f)));

    glEnable(GL_DEPTH_TEST);
    glClearColor(0.02f, 0.02f, 0.04f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);

    glUseProgram(state.program);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, state.normals);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, state.colors);
    glUniform1i(glGetUniformLocation(state.program, "colors"), 0);
    glUniform1i(glGetUniformLocation(state.program, "normals"), 1);
    glUniformMatrix4fv(glGetUniformLocation(state.program, "camera"), 1, GL_FALSE, camera.m);
    glUniform3f(glGetUniformLocation(state.program, "eye"), eye.x, eye.y, eye.z);
    glUniform3f(glGetUniformLocation(state.program, "lamp"), lamp.x, lamp.y, lamp.z);
    struct mat4 upright = mat4_rotate(SM_PI * 0.5f, vec3_make(1.0f, 0.0f, 0.0f));
    draw_bricks(&state.wall, mat4_mul(mat4_scale(4.0f, 4.0f, 4.0f), upright), 2.0f, 2.0f);
    struct mat4 pillar =
        mat4_mul(mat4_translate(1.3f, 0.0f, 0.75f), mat4_scale(0.55f, 4.0f, 0.55f));
    draw_bricks(&state.pillar, pillar, 1.0f, 2.0f);

    glUseProgram(state.lamp);
    glUniformMatrix4fv(glGetUniformLocation(state.lamp, "camera"), 1, GL_FALSE, camera.m);
    glUniform3f(glGetUniformLocation(state.lamp, "eye"), eye.x, eye.y, eye.z);
    glUniform4f(glGetUniformLocation(state.lamp, "ball"), lamp.x, lamp.y, lamp.z, 0.09f);
    shape_draw(&state.ball);
    glDisable(GL_DEPTH_TEST);
}

static void normal_map_fini(struct app *app) {
    (void)app;
    shape_delete(&state.wall);
    shape_delete(&state.pillar);
    shape_delete(&state.ball);
    glDeleteTextures(1, &state.colors);
    glDeleteTextures(1, &state.normals);
    glDeleteProgram(state.program);
    glDeleteProgram(state.lamp);
}

const struct sample sample_normal_map = {
    .name = "normal_map",
    .summary = "a flat wall and a round pillar that a normal map turns into bricks",
    .time = 0.0f,
    .init = normal_map_init,
    .draw = normal_map_draw,
    .fini = normal_map_fini,
};
