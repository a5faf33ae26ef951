/* SPDX-License-Identifier: MIT */
/*
 * Post-processing: a field of glossy balls is drawn into a texture, then blurred in
 * two passes, first along x into a second texture, then along y onto the screen. The
 * blur grows away from a sharp band, as in a photograph with a shallow focus.
 */
#include "common/app.h"
#include "common/mat4.h"
#include "common/mesh.h"

static const char vertex_text[] =
    "attribute vec3 position;\n"
    "attribute vec3 normal;\n"
    "uniform mat4 camera;\n"
    "uniform vec4 ball;\n" /* centre, radius */
    "uniform vec3 flatten;\n"
    "varying vec3 world;\n"
    "varying vec3 facing;\n"
    "void main() {\n"
    "    world = position * ball.w * flatten + ball.xyz;\n"
    "    facing = normal;\n"
    "    gl_Position = camera * vec4(world, 1.0);\n"
    "}\n";

static const char fragment_text[] =
    "precision highp float;\n"
    "uniform vec3 eye;\n"
    "uniform vec3 surface;\n"
    "varying vec3 world;\n"
    "varying vec3 facing;\n"
    "void main() {\n"
    "    vec3 n = normalize(facing);\n"
    "    vec3 light = normalize(vec3(-0.45, 0.8, 0.4));\n"
    "    vec3 to_eye = normalize(eye - world);\n"
    "    float glint = pow(max(dot(n, normalize(light + to_eye)), 0.0), 28.0);\n"
    "    float rim = 1.0 - max(dot(n, to_eye), 0.0);\n"
    "    vec3 color = surface * (0.28 + 0.10 * n.y + 0.75 * max(dot(n, light), 0.0));\n"
    "    color += 0.65 * glint + vec3(0.22, 0.26, 0.34) * rim * rim;\n"
    "    float far = (world.z + 14.0) / 20.0;\n"
    "    gl_FragColor = vec4(mix(vec3(0.10, 0.09, 0.16), color, clamp(far * 1.4, 0.0, 1.0)),\n"
    "                        1.0);\n"
    "}\n";

static const char screen_vertex_text[] =
    "attribute vec2 position;\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "    place = position * 0.5 + 0.5;\n"
    "    gl_Position = vec4(position, 0.0, 1.0);\n"
    "}\n";

/*
 * A bell curve of 15 taps. The same `spread` in both passes: how far apart the taps
 * are, in texels, at this height of the picture.
 */
static const char blur_fragment_text[] =
    "precision highp float;\n"
    "uniform sampler2D picture;\n"
    "uniform vec2 along;\n"
    "uniform float widest;\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "    float off = max(abs(place.y - 0.40) - 0.09, 0.0);\n"
    "    float spread = widest * clamp(off * 3.2, 0.0, 1.0);\n"
    "    vec3 sum = vec3(0.0);\n"
    "    float total = 0.0;\n"
    "    for (int i = -7; i <= 7; i++) {\n"
    "        float d = float(i);\n"
    "        float weight = exp(-0.055 * d * d);\n"
    "        sum += weight * texture2D(picture, place + along * (d * spread)).rgb;\n"
    "        total += weight;\n"
    "    }\n"
    "    gl_FragColor = vec4(sum / total, 1.0);\n"
    "}\n";

static struct {
    GLuint program;
    GLuint blur;
    struct app_target sharp;
    struct app_target half_done;
    struct shape ball;
    struct shape floor;
} state;

static bool blur_init(struct app *app) {
    state.program = app_program(app, vertex_text, fragment_text);
    state.blur = app_program(app, screen_vertex_text, blur_fragment_text);
    state.ball = shape_create(mesh_sphere(48, 32));
    state.floor = shape_create(mesh_grid(1, 1));
    return state.program != 0 && state.blur != 0 &&
           app_target_create(app, &state.sharp, app->width, app->height, GL_LINEAR) &&
           app_target_create(app, &state.half_done, app->width, app->height, GL_LINEAR);
}

static void draw_thing(const struct shape *shape, struct vec3 at, float radius,
                       struct vec3 surface) {
    glUniform4f(glGetUniformLocation(state.program, "ball"), at.x, at.y, at.z, radius);
    glUniform3f(glGetUniformLocation(state.program, "surface"), surface.x, surface.y, surface.z);
    shape_draw(shape);
}

static void draw_scene(const struct app *app, float time) {
    static const struct vec3 tint[6] = {{0.90f, 0.28f, 0.22f}, {0.96f, 0.68f, 0.20f},
                                        {0.24f, 0.66f, 0.52f}, {0.22f, 0.46f, 0.86f},
                                        {0.68f, 0.34f, 0.76f}, {0.90f, 0.88f, 0.84f}};
    const struct vec3 eye = vec3_make(0.0f, 3.4f, 7.6f);
    struct mat4 camera =
        mat4_mul(mat4_perspective(0.78f, (float)app->width / (float)app->height, 0.5f, 50.0f),
                 mat4_look_at(eye, vec3_make(0.0f, 0.4f, 0.0f), vec3_make(0.0f, 1.0f, 0.0f)));
    glUseProgram(state.program);
    glUniformMatrix4fv(glGetUniformLocation(state.program, "camera"), 1, GL_FALSE, camera.m);
    glUniform3f(glGetUniformLocation(state.program, "eye"), eye.x, eye.y, eye.z);
    glUniform3f(glGetUniformLocation(state.program, "flatten"), 1.0f, 1.0f, 1.0f);
    draw_thing(&state.floor, vec3_make(0.0f, 0.0f, 0.0f), 40.0f, vec3_make(0.24f, 0.23f, 0.30f));
    for (int row = 0; row < 10; row++) {
        for (int column = 0; column < 11; column++) {
            uint32_t seed = (uint32_t)(row * 11 + column);
            float radius = 0.30f + 0.22f * sm_random(seed + 500u);
            float hop = sm_sin(time * 1.5f + 6.2832f * sm_random(seed + 900u));
            struct vec3 at =
                vec3_make(((float)column - 5.0f) * 1.35f + 0.5f * (sm_random(seed) - 0.5f),
                          radius + 0.22f * (1.0f + hop) * sm_random(seed + 700u),
                          4.2f - 1.55f * (float)row + 0.6f * (sm_random(seed + 100u) - 0.5f));
            draw_thing(&state.ball, at, radius, tint[sm_hash(seed + 40u) % 6]);
        }
    }
}

static void blur_draw(struct app *app, int frame, float time) {
    (void)frame;
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    glBindFramebuffer(GL_FRAMEBUFFER, state.sharp.framebuffer);
    glClearColor(0.10f, 0.09f, 0.16f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    draw_scene(app, time);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);

    GLint along = glGetUniformLocation(state.blur, "along");
    glUseProgram(state.blur);
    glUniform1i(glGetUniformLocation(state.blur, "picture"), 0);
    /* The widest blur follows the picture's size, so a larger picture looks the same. */
    glUniform1f(glGetUniformLocation(state.blur, "widest"), (float)app->height / 320.0f);
    glActiveTexture(GL_TEXTURE0);
    glBindFramebuffer(GL_FRAMEBUFFER, state.half_done.framebuffer);
    glBindTexture(GL_TEXTURE_2D, state.sharp.texture);
    glUniform2f(along, 1.0f / (float)app->width, 0.0f);
    app_draw_screen();

    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glBindTexture(GL_TEXTURE_2D, state.half_done.texture);
    glUniform2f(along, 0.0f, 1.0f / (float)app->height);
    app_draw_screen();
}

static void blur_fini(struct app *app) {
    (void)app;
    app_target_delete(&state.sharp);
    app_target_delete(&state.half_done);
    shape_delete(&state.ball);
    shape_delete(&state.floor);
    glDeleteProgram(state.program);
    glDeleteProgram(state.blur);
}

const struct sample sample_blur = {
    .name = "blur",
    .summary = "a field of balls in shallow focus: rendered to a texture, blurred in two passes",
    .time = 0.8f,
    .init = blur_init,
    .draw = blur_draw,
    .fini = blur_fini,
};
