/* SPDX-License-Identifier: MIT */
/*
 * Cube-map reflection: a painted surrounding (sky, sun, hills, a lake) on six faces;
 * a chrome ball and a copper ring mirror it, more strongly at grazing angles.
 */
#include "common/app.h"
#include "common/mat4.h"
#include "common/mesh.h"
#include "common/texgen.h"

#define FACE_SIZE 256

/* The background: one triangle at the far plane, its direction worked out for each pixel. */
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

static const char sky_fragment_text[] =
    "precision highp float;\n"
    "uniform samplerCube surround;\n"
    "varying vec3 direction;\n"
    "void main() {\n"
    "    gl_FragColor = vec4(textureCube(surround, direction).rgb, 1.0);\n"
    "}\n";

static const char mirror_vertex_text[] =
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

static const char mirror_fragment_text[] =
    "precision highp float;\n"
    "uniform samplerCube surround;\n"
    "uniform vec3 eye;\n"
    "uniform vec3 metal;\n"
    "varying vec3 world;\n"
    "varying vec3 facing;\n"
    "void main() {\n"
    "    vec3 n = normalize(facing);\n"
    "    vec3 from_eye = normalize(world - eye);\n"
    "    float grazing = 1.0 - max(dot(n, -from_eye), 0.0);\n"
    "    float square = grazing * grazing;\n"
    "    vec3 strength = mix(metal, vec3(1.0), 0.7 * square * square);\n"
    "    vec3 seen = textureCube(surround, reflect(from_eye, n)).rgb;\n"
    "    gl_FragColor = vec4(seen * strength, 1.0);\n"
    "}\n";

static struct {
    GLuint sky;
    GLuint mirror;
    GLuint surround;
    struct shape ball;
    struct shape ring;
} state;

/* The colour of the surrounding in a direction of length 1. */
static struct vec3 paint_surrounding(struct vec3 d) {
    const struct vec3 sun = vec3_normalize(vec3_make(-0.45f, 0.38f, -0.80f));
    float height = sm_max(d.y, 0.0f);
    struct vec3 sky = vec3_mix(vec3_make(0.98f, 0.72f, 0.50f), vec3_make(0.22f, 0.38f, 0.70f),
                               sm_smoothstep(0.0f, 0.55f, height));
    float toward_sun = sm_max(vec3_dot(d, sun), 0.0f);
    float glow = sm_exp((toward_sun - 1.0f) * 9.0f);
    float disc = sm_exp((toward_sun - 1.0f) * 220.0f);
    sky = vec3_add(sky, vec3_scale(vec3_make(0.50f, 0.30f, 0.10f), glow));
    sky = vec3_add(sky, vec3_scale(vec3_make(0.9f, 0.8f, 0.6f), disc));
    /* Clouds on a plane above; they thin out towards the horizon. */
    float over = 1.0f / (height + 0.12f);
    float cloud = texgen_fbm(d.x * over * 0.9f + 40.0f, d.z * over * 0.9f + 40.0f, 1024, 4, 21);
    cloud = sm_smoothstep(0.48f, 0.78f, cloud) * sm_smoothstep(0.02f, 0.25f, height);
    sky = vec3_mix(sky, vec3_make(1.0f, 0.93f, 0.88f), 0.75f * cloud);
    if (d.y >= 0.0f) {
        float flat = sm_sqrt(d.x * d.x + d.z * d.z) + 1e-4f;
        float ridge = 0.05f + 0.16f * texgen_fbm(d.x / flat * 3.0f + 9.0f, d.z / flat * 3.0f + 9.0f,
                                                 64, 4, 3);
        float hill = sm_smoothstep(0.015f, -0.015f, d.y / flat - ridge);
        struct vec3 slope = vec3_mix(vec3_make(0.20f, 0.22f, 0.34f), vec3_make(0.52f, 0.44f, 0.46f),
                                     sm_clamp(glow, 0.0f, 1.0f));
        return vec3_mix(sky, slope, hill);
    }
    /* Below the horizon: water that takes the sky's colour, deeper towards the feet. */
    float depth = sm_smoothstep(0.0f, -0.7f, d.y);
    struct vec3 water =
        vec3_mix(vec3_make(0.62f, 0.52f, 0.50f), vec3_make(0.04f, 0.14f, 0.20f), sm_sqrt(depth));
    float away = 1.0f / (0.15f - d.y);
    float wave = texgen_fbm(d.x * away * 2.0f + 70.0f, d.z * away * 4.0f + 70.0f, 1024, 3, 8);
    water = vec3_scale(water, 0.85f + 0.3f * wave);
    return vec3_add(water, vec3_scale(vec3_make(0.5f, 0.32f, 0.14f), glow * (1.0f - depth)));
}

/* The direction of a texel: the table of ES 2.0.25 section 3.7.5, read backwards. */
static struct vec3 face_direction(int face, float s, float t) {
    switch (face) {
    case 0: return vec3_make(1.0f, -t, -s);
    case 1: return vec3_make(-1.0f, -t, s);
    case 2: return vec3_make(s, 1.0f, t);
    case 3: return vec3_make(s, -1.0f, -t);
    case 4: return vec3_make(s, -t, 1.0f);
    default: return vec3_make(-s, -t, -1.0f);
    }
}

static GLuint make_surrounding(void) {
    GLuint texture = 0;
    struct image face = app_image(FACE_SIZE, FACE_SIZE);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_CUBE_MAP, texture);
    for (int i = 0; i < 6; i++) {
        for (int y = 0; y < FACE_SIZE; y++) {
            for (int x = 0; x < FACE_SIZE; x++) {
                float s = ((float)x + 0.5f) * (2.0f / FACE_SIZE) - 1.0f;
                float t = ((float)y + 0.5f) * (2.0f / FACE_SIZE) - 1.0f;
                struct vec3 d = vec3_normalize(face_direction(i, s, t));
                texgen_put(&face, x, y, paint_surrounding(d), 1.0f);
            }
        }
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)i, 0, GL_RGBA, FACE_SIZE, FACE_SIZE,
                     0, GL_RGBA, GL_UNSIGNED_BYTE, face.pixels);
    }
    image_free(&face);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

static bool cubemap_init(struct app *app) {
    state.sky = app_program(app, sky_vertex_text, sky_fragment_text);
    state.mirror = app_program(app, mirror_vertex_text, mirror_fragment_text);
    state.surround = make_surrounding();
    state.ball = shape_create(mesh_sphere(96, 64));
    state.ring = shape_create(mesh_torus(1.55f, 0.17f, 128, 40));
    return state.sky != 0 && state.mirror != 0;
}

static void draw_mirror(const struct shape *shape, struct mat4 model, float red, float green,
                        float blue) {
    glUniformMatrix4fv(glGetUniformLocation(state.mirror, "model"), 1, GL_FALSE, model.m);
    glUniform3f(glGetUniformLocation(state.mirror, "metal"), red, green, blue);
    shape_draw(shape);
}

static void draw_sky(struct vec3 eye, struct vec3 target, float half_height, float aspect) {
    struct vec3 ahead = vec3_normalize(vec3_sub(target, eye));
    struct vec3 side = vec3_normalize(vec3_cross(ahead, vec3_make(0.0f, 1.0f, 0.0f)));
    struct vec3 up = vec3_scale(vec3_cross(side, ahead), half_height);
    struct vec3 right = vec3_scale(side, half_height * aspect);
    glUseProgram(state.sky);
    glUniform1i(glGetUniformLocation(state.sky, "surround"), 0);
    glUniform3f(glGetUniformLocation(state.sky, "right"), right.x, right.y, right.z);
    glUniform3f(glGetUniformLocation(state.sky, "up"), up.x, up.y, up.z);
    glUniform3f(glGetUniformLocation(state.sky, "ahead"), ahead.x, ahead.y, ahead.z);
    app_draw_screen();
}

static void cubemap_draw(struct app *app, int frame, float time) {
    (void)frame;
    const float aspect = (float)app->width / (float)app->height;
    const float fov = 0.85f;
    float turn = time * 0.3f;
    const struct vec3 target = vec3_make(0.0f, 0.1f, 0.0f);
    struct vec3 eye = vec3_make(4.4f * sm_sin(turn), 0.75f, 4.4f * sm_cos(turn));
    struct mat4 camera = mat4_mul(mat4_perspective(fov, aspect, 0.5f, 20.0f),
                                  mat4_look_at(eye, target, vec3_make(0.0f, 1.0f, 0.0f)));

    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_CUBE_MAP, state.surround);
    glDisable(GL_DEPTH_TEST);
    draw_sky(eye, target, sm_tan(fov * 0.5f), aspect);

    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    glUseProgram(state.mirror);
    glUniform1i(glGetUniformLocation(state.mirror, "surround"), 0);
    glUniform3f(glGetUniformLocation(state.mirror, "eye"), eye.x, eye.y, eye.z);
    glUniformMatrix4fv(glGetUniformLocation(state.mirror, "camera"), 1, GL_FALSE, camera.m);
    draw_mirror(&state.ball, mat4_identity(), 0.92f, 0.93f, 0.95f);
    struct mat4 tilt = mat4_mul(mat4_rotate(time * 0.5f, vec3_make(0.0f, 1.0f, 0.0f)),
                                mat4_rotate(0.42f, vec3_make(1.0f, 0.0f, 0.35f)));
    draw_mirror(&state.ring, tilt, 0.95f, 0.64f, 0.42f);
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);
}

static void cubemap_fini(struct app *app) {
    (void)app;
    shape_delete(&state.ball);
    shape_delete(&state.ring);
    glDeleteTextures(1, &state.surround);
    glDeleteProgram(state.sky);
    glDeleteProgram(state.mirror);
}

const struct sample sample_cubemap = {
    .name = "cubemap",
    .summary = "a chrome ball and a copper ring that mirror a painted sky and lake",
    .time = 1.2f,
    .init = cubemap_init,
    .draw = cubemap_draw,
    .fini = cubemap_fini,
};
