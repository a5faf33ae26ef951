/* SPDX-License-Identifier: MIT */
/*
 * Fog over a landscape: a height field of fractal noise, coloured by height and
 * slope, with a lake blended over the valleys. Fog thickens with distance and lies
 * deeper in the valleys; it takes the sun's colour when looked at against the light.
 */
#include "common/app.h"
#include "common/mat4.h"
#include "common/mesh.h"
#include "common/texgen.h"

#define CELLS 224
#define HALF_SIDE 24.0f
#define WATER_LEVEL 0.93f

/* The fog, shared by the sky, the land and the water. */
#define FOG_TEXT                                                                                   \
    "precision highp float;\n"                                                                     \
    "uniform vec3 sun;\n"                                                                          \
    "vec3 sky_color(vec3 d) {\n"                                                                   \
    "    float up = clamp(d.y * 2.2, 0.0, 1.0);\n"                                                 \
    "    float toward = max(dot(d, sun), 0.0);\n"                                                  \
    "    vec3 sky = mix(vec3(0.80, 0.80, 0.82), vec3(0.34, 0.52, 0.78), sqrt(up));\n"              \
    "    float t2 = toward * toward;\n"                                                            \
    "    float t4 = t2 * t2;\n"                                                                    \
    "    return sky + vec3(0.28, 0.15, 0.02) * t4 + vec3(0.3, 0.24, 0.14) * t4 * t4 * t4;\n"       \
    "}\n"

static const char sky_vertex_text[] =
    "attribute vec2 position;\n"
    "uniform vec3 right;\n"
    "uniform vec3 up;\n"
    "uniform vec3 ahead;\n"
    "varying vec3 direction;\n"
    "void main() {\n"
    "    direction = ahead + position.x * right + position.y * up;\n"
    "    gl_Position = vec4(position, 0.999, 1.0);\n"
    "}\n";

static const char sky_fragment_text[] = FOG_TEXT
    "varying vec3 direction;\n"
    "void main() {\n"
    "    gl_FragColor = vec4(sky_color(normalize(direction)), 1.0);\n"
    "}\n";

static const char vertex_text[] =
    "attribute vec3 position;\n"
    "attribute vec3 normal;\n"
    "uniform mat4 camera;\n"
    "attribute vec2 uv;\n" /* x: patches of lighter and darker ground */
    "varying vec3 world;\n"
    "varying vec3 facing;\n"
    "varying float patches;\n"
    "void main() {\n"
    "    patches = uv.x;\n"
    "    world = position;\n"
    "    facing = normal;\n"
    "    gl_Position = camera * vec4(position, 1.0);\n"
    "}\n";

static const char fragment_text[] = FOG_TEXT
    "uniform vec3 eye;\n"
    "uniform float water;\n" /* 1 for the lake */
    "varying vec3 world;\n"
    "varying vec3 facing;\n"
    "varying float patches;\n"
    "vec3 land_color(vec3 n) {\n"
    "    vec3 grass = mix(vec3(0.30, 0.37, 0.14), vec3(0.17, 0.27, 0.11),\n"
    "                     smoothstep(1.2, 3.0, world.y));\n"
    "    grass = mix(grass, vec3(0.40, 0.38, 0.18), smoothstep(0.4, 0.8, patches));\n"
    "    vec3 rock = mix(vec3(0.34, 0.30, 0.29), vec3(0.54, 0.48, 0.43), patches);\n"
    "    vec3 snow = vec3(0.93, 0.95, 0.99);\n"
    "    vec3 base = mix(vec3(0.62, 0.55, 0.40), grass, smoothstep(0.98, 1.10, world.y));\n"
    "    base = mix(rock, base, smoothstep(0.62, 0.84, n.y));\n"
    "    float cold = smoothstep(3.3, 4.3, world.y) * smoothstep(0.45, 0.75, n.y);\n"
    "    return mix(base, snow, cold);\n"
    "}\n"
    "void main() {\n"
    "    vec3 n = normalize(facing);\n"
    "    vec3 ray = world - eye;\n"
    "    float far = length(ray);\n"
    "    ray /= far;\n"
    "    float light = max(dot(n, sun), 0.0);\n"
    "    vec3 color = land_color(n) * (vec3(0.30, 0.34, 0.42) + vec3(1.0, 0.86, 0.66) * light);\n"
    "    float alpha = 1.0;\n"
    "    if (water > 0.5) {\n"
    "        float grazing = 1.0 - clamp(-ray.y, 0.0, 1.0);\n"
    "        vec3 seen = sky_color(vec3(ray.x, -ray.y, ray.z));\n"
    "        color = mix(vec3(0.06, 0.20, 0.25), seen, grazing * grazing * 0.75);\n"
    "        alpha = 0.80;\n"
    "    }\n"
    "    float depth = exp(-0.42 * max(world.y - 0.6, 0.0));\n"
    "    float fog = 1.0 - exp(-far * far * 0.0011 - far * 0.020 * depth);\n"
    "    vec3 mist = sky_color(vec3(ray.x, max(ray.y, 0.0) * 0.3, ray.z));\n"
    "    gl_FragColor = vec4(mix(color, mist, fog), mix(alpha, 1.0, fog));\n"
    "}\n";

static struct {
    GLuint sky;
    GLuint program;
    struct shape land;
    struct shape lake;
} state;

static float land_height(float x, float z) {
    float u = x * 0.16f + 31.0f;
    float v = z * 0.16f + 47.0f;
    float broad = texgen_fbm(u * 0.75f, v * 0.75f, 4096, 2, 2);
    float fine = texgen_fbm(u, v, 4096, 6, 17);
    /* Ridges: folding the noise makes crests where it crosses the middle. */
    float folded = 2.0f * fine - 1.0f;
    float ridge = 1.0f - (folded < 0.0f ? -folded : folded);
    float high = sm_smoothstep(0.35f, 0.75f, broad);
    float valley = sm_smoothstep(0.0f, 5.0f, x < 0.0f ? -x - 0.6f : x - 0.6f);
    return 0.45f + 1.3f * fine * fine + 4.7f * high * ridge * ridge * (0.15f + 0.85f * valley);
}

static bool terrain_init(struct app *app) {
    state.sky = app_program(app, sky_vertex_text, sky_fragment_text);
    state.program = app_program(app, vertex_text, fragment_text);
    struct mesh land = mesh_grid(CELLS, CELLS);
    for (uint32_t i = 0; i < land.vertex_count; i++) {
        float *p = land.vertices[i].position;
        p[0] *= HALF_SIDE;
        p[2] *= HALF_SIDE;
        p[1] = land_height(p[0], p[2]);
        land.vertices[i].uv[0] = texgen_fbm(p[0] * 1.3f + p[1] * 0.9f + 90.0f,
                                            p[2] * 1.3f + p[1] * 0.7f + 90.0f, 4096, 3, 44);
    }
    mesh_smooth_normals(&land);
    state.land = shape_create(land);
    struct mesh lake = mesh_grid(16, 16);
    for (uint32_t i = 0; i < lake.vertex_count; i++) {
        float *p = lake.vertices[i].position;
        p[0] *= HALF_SIDE;
        p[2] *= HALF_SIDE;
        p[1] = WATER_LEVEL;
    }
    state.lake = shape_create(lake);
    return state.sky != 0 && state.program != 0;
}

static void draw_sky(struct vec3 eye, struct vec3 target, float half_height, float aspect,
                     struct vec3 sun) {
    struct vec3 ahead = vec3_normalize(vec3_sub(target, eye));
    struct vec3 side = vec3_normalize(vec3_cross(ahead, vec3_make(0.0f, 1.0f, 0.0f)));
    struct vec3 up = vec3_scale(vec3_cross(side, ahead), half_height);
    struct vec3 right = vec3_scale(side, half_height * aspect);
    glUseProgram(state.sky);
    glUniform3f(glGetUniformLocation(state.sky, "sun"), sun.x, sun.y, sun.z);
    glUniform3f(glGetUniformLocation(state.sky, "right"), right.x, right.y, right.z);
    glUniform3f(glGetUniformLocation(state.sky, "up"), up.x, up.y, up.z);
    glUniform3f(glGetUniformLocation(state.sky, "ahead"), ahead.x, ahead.y, ahead.z);
    app_draw_screen();
}

static void terrain_draw(struct app *app, int frame, float time) {
    (void)frame;
    const float aspect = (float)app->width / (float)app->height;
    const float fov = 0.80f;
    const struct vec3 sun = vec3_normalize(vec3_make(-0.55f, 0.42f, -0.62f));
    struct vec3 eye = vec3_make(0.4f * sm_sin(time * 0.2f), 3.6f, 17.0f - time * 0.8f);
    struct vec3 target = vec3_make(0.0f, 2.5f, 4.0f - time * 0.8f);
    struct mat4 camera = mat4_mul(mat4_perspective(fov, aspect, 0.3f, 80.0f),
                                  mat4_look_at(eye, target, vec3_make(0.0f, 1.0f, 0.0f)));

    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glDisable(GL_DEPTH_TEST);
    draw_sky(eye, target, sm_tan(fov * 0.5f), aspect, sun);

    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    glUseProgram(state.program);
    glUniform3f(glGetUniformLocation(state.program, "sun"), sun.x, sun.y, sun.z);
    glUniform3f(glGetUniformLocation(state.program, "eye"), eye.x, eye.y, eye.z);
    glUniformMatrix4fv(glGetUniformLocation(state.program, "camera"), 1, GL_FALSE, camera.m);
    glUniform1f(glGetUniformLocation(state.program, "water"), 0.0f);
    shape_draw(&state.land);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE);
    glUniform1f(glGetUniformLocation(state.program, "water"), 1.0f);
    shape_draw(&state.lake);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);
}

static void terrain_fini(struct app *app) {
    (void)app;
    shape_delete(&state.land);
    shape_delete(&state.lake);
    glDeleteProgram(state.sky);
    glDeleteProgram(state.program);
}

const struct sample sample_terrain = {
    .name = "terrain",
    .summary = "mountains and a lake in fog that thickens with distance and in the valleys",
    .time = 0.0f,
    .init = terrain_init,
    .draw = terrain_draw,
    .fini = terrain_fini,
};
