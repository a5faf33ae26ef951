/* SPDX-License-Identifier: MIT */
/*
 * Mip-mapped textures: a floor of tiles that runs to the horizon and a turning
 * wooden crate above it. Far tiles are smaller than a pixel; without mip levels they
 * would flicker and make moire patterns.
 */
#include "common/app.h"
#include "common/mat4.h"
#include "common/mesh.h"
#include "common/texgen.h"

static const char vertex_text[] =
    "attribute vec3 position;\n"
    "attribute vec3 normal;\n"
    "attribute vec2 uv;\n"
    "uniform mat4 camera;\n"
    "uniform mat4 model;\n"
    "uniform float repeat;\n"
    "varying vec3 world;\n"
    "varying vec3 facing;\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "    vec4 at = model * vec4(position, 1.0);\n"
    "    world = at.xyz;\n"
    "    facing = mat3(model[0].xyz, model[1].xyz, model[2].xyz) * normal;\n"
    "    place = uv * repeat;\n"
    "    gl_Position = camera * at;\n"
    "}\n";

static const char fragment_text[] =
    "precision highp float;\n"
    "uniform sampler2D picture;\n"
    "uniform vec3 eye;\n"
    "uniform float contact;\n" /* how dark it is under the crate; 0 for the crate itself */
    "varying vec3 world;\n"
    "varying vec3 facing;\n"
    "varying vec2 place;\n"
    "const vec3 haze = vec3(0.74, 0.82, 0.90);\n"
    "void main() {\n"
    "    vec3 light = normalize(vec3(0.5, 0.8, 0.45));\n"
    "    float lit = 0.42 + 0.65 * max(dot(normalize(facing), light), 0.0);\n"
    "    vec2 beside = world.xz - vec2(-0.35, -0.3);\n"
    "    lit *= 1.0 - contact * exp(-0.55 * dot(beside, beside));\n"
    "    vec3 color = texture2D(picture, place).rgb * lit;\n"
    "    float far = distance(world, eye) * 0.066;\n"
    "    gl_FragColor = vec4(mix(haze, color, exp(-far * far)), 1.0);\n"
    "}\n";

static struct {
    GLuint program;
    GLuint tiles;
    GLuint crate;
    struct shape floor;
    struct shape cube;
} state;

static bool textured_cube_init(struct app *app) {
    state.program = app_program(app, vertex_text, fragment_text);
    struct image tiles =
        texgen_tiles(512, 4, vec3_make(0.82f, 0.75f, 0.62f), vec3_make(0.40f, 0.50f, 0.58f));
    struct image crate = texgen_crate(256);
    state.tiles = app_texture(&tiles);
    state.crate = app_texture(&crate);
    state.floor = shape_create(mesh_grid(8, 8));
    state.cube = shape_create(mesh_cube());
    return state.program != 0;
}

static void draw_object(const struct shape *shape, GLuint texture, struct mat4 model, float repeat,
                        float contact) {
    glUniformMatrix4fv(glGetUniformLocation(state.program, "model"), 1, GL_FALSE, model.m);
    glUniform1f(glGetUniformLocation(state.program, "repeat"), repeat);
    glUniform1f(glGetUniformLocation(state.program, "contact"), contact);
    glBindTexture(GL_TEXTURE_2D, texture);
    shape_draw(shape);
}

static void textured_cube_draw(struct app *app, int frame, float time) {
    (void)frame;
    const struct vec3 eye = vec3_make(0.0f, 2.9f, 5.4f);
    struct mat4 projection =
        mat4_perspective(0.80f, (float)app->width / (float)app->height, 0.1f, 100.0f);
    struct mat4 view = mat4_look_at(eye, vec3_make(0.0f, 1.1f, 0.0f), vec3_make(0.0f, 1.0f, 0.0f));
    struct mat4 camera = mat4_mul(projection, view);

    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    glClearColor(0.74f, 0.82f, 0.90f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);

    glUseProgram(state.program);
    glUniform1i(glGetUniformLocation(state.program, "picture"), 0);
    glUniformMatrix4fv(glGetUniformLocation(state.program, "camera"), 1, GL_FALSE, camera.m);
    glUniform3f(glGetUniformLocation(state.program, "eye"), eye.x, eye.y, eye.z);
    glActiveTexture(GL_TEXTURE0);

    draw_object(&state.floor, state.tiles, mat4_scale(64.0f, 1.0f, 64.0f), 16.0f, 0.75f);
    struct mat4 model = mat4_mul(mat4_translate(0.0f, 1.28f, 0.0f),
                                 mat4_mul(mat4_rotate(time * 0.7f, vec3_make(0.0f, 1.0f, 0.0f)),
                                          mat4_rotate(0.16f, vec3_make(1.0f, 0.0f, 0.6f))));
    draw_object(&state.cube, state.crate, model, 1.0f, 0.0f);
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);
}

static void textured_cube_fini(struct app *app) {
    (void)app;
    shape_delete(&state.floor);
    shape_delete(&state.cube);
    glDeleteTextures(1, &state.tiles);
    glDeleteTextures(1, &state.crate);
    glDeleteProgram(state.program);
}

const struct sample sample_textured_cube = {
    .name = "textured_cube",
    .summary = "a wooden crate above a tiled floor: textures, mipmaps, distance haze",
    .time = 0.9f,
    .init = textured_cube_init,
    .draw = textured_cube_draw,
    .fini = textured_cube_fini,
};
