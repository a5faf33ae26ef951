/* SPDX-License-Identifier: MIT */
/*
 * Shadow mapping with core ES 2.0 only: the scene is drawn from the lamp first, its
 * depth packed into the four bytes of an RGBA8 texture; the second pass compares each
 * fragment's distance with it. Nine neighbouring comparisons, blended between texels,
 * make the edge of the shadow soft.
 */
#include "common/app.h"
#include "common/mat4.h"
#include "common/mesh.h"

#define MAP_SIZE 1024

static const char map_vertex_text[] =
    "attribute vec3 position;\n"
    "uniform mat4 lamp_camera;\n"
    "uniform mat4 model;\n"
    "varying float depth;\n"
    "void main() {\n"
    "    gl_Position = lamp_camera * (model * vec4(position, 1.0));\n"
    "    depth = gl_Position.z * 0.5 + 0.5;\n" /* orthographic: w is 1 */
    "}\n";

/* Sixteen bits in red and green are enough; each step takes what the next byte cannot hold. */
static const char map_fragment_text[] =
    "precision highp float;\n"
    "varying float depth;\n"
    "void main() {\n"
    "    float scaled = clamp(depth, 0.0, 0.999) * 255.0;\n"
    "    float high = floor(scaled);\n"
    "    gl_FragColor = vec4(high / 255.0, scaled - high, 0.0, 1.0);\n"
    "}\n";

static const char vertex_text[] =
    "attribute vec3 position;\n"
    "attribute vec3 normal;\n"
    "uniform mat4 camera;\n"
    "uniform mat4 lamp_camera;\n"
    "uniform mat4 model;\n"
    "uniform mat3 turn;\n"
    "varying vec3 world;\n"
    "varying vec3 facing;\n"
    "varying vec3 in_map;\n"
    "void main() {\n"
    "    vec4 at = model * vec4(position, 1.0);\n"
    "    world = at.xyz;\n"
    "    facing = normalize(turn * normal);\n"
    /* A little along the normal: a surface must not shade itself. */
    "    in_map = (lamp_camera * (at + vec4(facing * 0.03, 0.0))).xyz * 0.5 + 0.5;\n"
    "    gl_Position = camera * at;\n"
    "}\n";

static const char fragment_text[] =
    "precision highp float;\n"
    "uniform sampler2D map;\n"
    "uniform float map_size;\n"
    "uniform vec3 eye;\n"
    "uniform vec3 to_lamp;\n"
    "uniform vec3 surface;\n"
    "varying vec3 world;\n"
    "varying vec3 facing;\n"
    "varying vec3 in_map;\n"
    "float lit_at(vec2 texel) {\n"
    "    vec4 stored = texture2D(map, (texel + 0.5) / map_size);\n"
    "    return step(in_map.z - 0.004, stored.r + stored.g / 255.0);\n"
    "}\n"
    /* 3x3 comparisons around the point, each a blend of the four nearest texels. */
    "float light_reaching() {\n"
    "    vec2 at = in_map.xy * map_size - 0.5;\n"
    "    vec2 base = floor(at);\n"
    "    vec2 f = at - base;\n"
    "    float sum = 0.0;\n"
    "    for (int y = -1; y <= 2; y++) {\n"
    "        float wy = y < 0 ? 1.0 - f.y : (y > 1 ? f.y : 1.0);\n"
    "        for (int x = -1; x <= 2; x++) {\n"
    "            float wx = x < 0 ? 1.0 - f.x : (x > 1 ? f.x : 1.0);\n"
    "            sum += wx * wy * lit_at(base + vec2(float(x), float(y)));\n"
    "        }\n"
    "    }\n"
    /* Around the map there is nothing that could throw a shadow. */
    "    vec2 inside = step(abs(in_map.xy - 0.5), vec2(0.495));\n"
    "    return mix(1.0, sum / 9.0, inside.x * inside.y);\n"
    "}\n"
    "void main() {\n"
    "    vec3 n = normalize(facing);\n"
    "    float toward = dot(n, to_lamp);\n"
    "    float lit = light_reaching() * clamp(toward * 1.2, 0.0, 1.0);\n"
    "    vec3 half_way = normalize(to_lamp + normalize(eye - world));\n"
    "    float glint = 0.25 * lit * pow(max(dot(n, half_way), 0.0), 20.0);\n"
    "    vec3 ambient = mix(vec3(0.22, 0.20, 0.20), vec3(0.30, 0.36, 0.46), n.y * 0.5 + 0.5);\n"
    "    vec3 color = surface * (ambient + vec3(0.86, 0.78, 0.64) * lit) + glint;\n"
    "    float far = length(world.xz) * 0.085;\n"
    "    color = mix(vec3(0.60, 0.68, 0.77), color, exp(-far * far));\n"
    "    gl_FragColor = vec4(color, 1.0);\n"
    "}\n";

static struct {
    GLuint map_program;
    GLuint program;
    struct app_target map;
    struct shape ground;
    struct shape cube;
    struct shape ball;
    struct shape ring;
    struct shape pillar;
} state;

static bool shadow_map_init(struct app *app) {
    state.map_program = app_program(app, map_vertex_text, map_fragment_text);
    state.program = app_program(app, vertex_text, fragment_text);
    state.ground = shape_create(mesh_grid(1, 1));
    state.cube = shape_create(mesh_cube());
    state.ball = shape_create(mesh_sphere(64, 48));
    state.ring = shape_create(mesh_torus(1.0f, 0.28f, 80, 32));
    state.pillar = shape_create(mesh_cylinder(48));
    return state.map_program != 0 && state.program != 0 &&
           app_target_create(app, &state.map, MAP_SIZE, MAP_SIZE, GL_NEAREST);
}

static void draw_object(GLuint program, const struct shape *shape, struct mat4 model,
                        struct vec3 surface) {
    struct mat3 turn = mat4_normal3(model);
    glUniformMatrix4fv(glGetUniformLocation(program, "model"), 1, GL_FALSE, model.m);
    glUniformMatrix3fv(glGetUniformLocation(program, "turn"), 1, GL_FALSE, turn.m);
    glUniform3f(glGetUniformLocation(program, "surface"), surface.x, surface.y, surface.z);
    shape_draw(shape);
}

static void draw_scene(GLuint program, float time) {
    const struct vec3 y_axis = vec3_make(0.0f, 1.0f, 0.0f);
    draw_object(program, &state.ground, mat4_scale(30.0f, 1.0f, 30.0f),
                vec3_make(0.72f, 0.68f, 0.60f));

    struct mat4 ring = mat4_mul(
        mat4_translate(-0.3f, 1.45f, 0.2f),
        mat4_mul(mat4_rotate(time, y_axis), mat4_rotate(1.25f, vec3_make(1.0f, 0.0f, 0.2f))));
    draw_object(program, &state.ring, ring, vec3_make(0.86f, 0.34f, 0.20f));
    struct mat4 ball = mat4_mul(mat4_translate(1.75f, 0.6f, 1.0f), mat4_scale(0.6f, 0.6f, 0.6f));
    draw_object(program, &state.ball, ball, vec3_make(0.25f, 0.52f, 0.72f));
    struct mat4 cube =
        mat4_mul(mat4_translate(-2.2f, 0.55f, 1.1f),
                 mat4_mul(mat4_rotate(0.6f, y_axis), mat4_scale(0.55f, 0.55f, 0.55f)));
    draw_object(program, &state.cube, cube, vec3_make(0.90f, 0.72f, 0.28f));
    /* Pillars in an arc behind, each with a slab on top. */
    for (int i = 0; i < 5; i++) {
        float angle = -0.9f + 0.45f * (float)i;
        float x = 4.0f * sm_sin(angle);
        float z = -4.0f * sm_cos(angle) + 0.6f;
        struct vec3 stone = vec3_make(0.80f, 0.78f, 0.74f);
        draw_object(program, &state.pillar,
                    mat4_mul(mat4_translate(x, 1.2f, z), mat4_scale(0.24f, 1.2f, 0.24f)), stone);
        draw_object(program, &state.cube,
                    mat4_mul(mat4_translate(x, 2.52f, z),
                             mat4_mul(mat4_rotate(-angle, y_axis), mat4_scale(0.4f, 0.12f, 0.4f))),
                    stone);
    }
}

static void shadow_map_draw(struct app *app, int frame, float time) {
    (void)frame;
    const struct vec3 eye = vec3_make(0.6f, 3.3f, 7.0f);
    const struct vec3 up = vec3_make(0.0f, 1.0f, 0.0f);
    const struct vec3 to_lamp = vec3_normalize(vec3_make(0.75f, 1.0f, 0.45f));
    struct mat4 lamp_camera =
        mat4_mul(mat4_ortho(-6.0f, 6.0f, -6.0f, 6.0f, 1.0f, 21.0f),
                 mat4_look_at(vec3_scale(to_lamp, 11.0f), vec3_make(0.0f, 0.0f, 0.0f), up));
    struct mat4 camera =
        mat4_mul(mat4_perspective(0.75f, (float)app->width / (float)app->height, 0.5f, 60.0f),
                 mat4_look_at(eye, vec3_make(0.0f, 0.85f, 0.0f), up));

    glEnable(GL_DEPTH_TEST);
    glBindFramebuffer(GL_FRAMEBUFFER, state.map.framebuffer);
    glViewport(0, 0, MAP_SIZE, MAP_SIZE);
    glClearColor(1.0f, 1.0f, 1.0f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glUseProgram(state.map_program);
    glUniformMatrix4fv(glGetUniformLocation(state.map_program, "lamp_camera"), 1, GL_FALSE,
                       lamp_camera.m);
    draw_scene(state.map_program, time);

    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, app->width, app->height);
    glClearColor(0.60f, 0.68f, 0.77f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glUseProgram(state.program);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, state.map.texture);
    glUniform1i(glGetUniformLocation(state.program, "map"), 0);
    glUniform1f(glGetUniformLocation(state.program, "map_size"), (float)MAP_SIZE);
    glUniform3f(glGetUniformLocation(state.program, "eye"), eye.x, eye.y, eye.z);
    glUniform3f(glGetUniformLocation(state.program, "to_lamp"), to_lamp.x, to_lamp.y, to_lamp.z);
    glUniformMatrix4fv(glGetUniformLocation(state.program, "camera"), 1, GL_FALSE, camera.m);
    glUniformMatrix4fv(glGetUniformLocation(state.program, "lamp_camera"), 1, GL_FALSE,
                       lamp_camera.m);
    draw_scene(state.program, time);
    glDisable(GL_DEPTH_TEST);
}

static void shadow_map_fini(struct app *app) {
    (void)app;
    app_target_delete(&state.map);
    shape_delete(&state.ground);
    shape_delete(&state.cube);
    shape_delete(&state.ball);
    shape_delete(&state.ring);
    shape_delete(&state.pillar);
    glDeleteProgram(state.map_program);
    glDeleteProgram(state.program);
}

const struct sample sample_shadow_map = {
    .name = "shadow_map",
    .summary = "soft shadows from a depth map that is packed into an RGBA8 texture",
    .time = 0.5f,
    .init = shadow_map_init,
    .draw = shadow_map_draw,
    .fini = shadow_map_fini,
};
