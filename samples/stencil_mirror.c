/* SPDX-License-Identifier: MIT */
/*
 * A mirror by stencil: the round mirror is drawn into the stencil buffer only; where
 * it was marked, the scene is drawn again upside down; then the glass is blended over
 * it, and the scene itself drawn the right way up.
 */
#include "common/app.h"
#include "common/mat4.h"
#include "common/mesh.h"

static const char vertex_text[] =
    "attribute vec3 position;\n"
    "attribute vec3 normal;\n"
    "uniform mat4 camera;\n"
    "uniform mat4 model;\n"
    "uniform mat3 turn;\n"
    "varying vec3 world;\n"
    "varying vec3 facing;\n"
    "void main() {\n"
    "    vec4 at = model * vec4(position, 1.0);\n"
    "    world = at.xyz;\n"
    "    facing = turn * normal;\n"
    "    gl_Position = camera * at;\n"
    "}\n";

/* `clip` keeps what is above the mirror: the mirrored scene must not stand out of it. */
static const char fragment_text[] =
    "precision highp float;\n"
    "uniform vec3 eye;\n"
    "uniform vec3 lamp;\n"
    "uniform vec4 surface;\n"
    "uniform float side;\n"
    "varying vec3 world;\n"
    "varying vec3 facing;\n"
    "void main() {\n"
    "    if (world.y * side < 0.0) {\n"
    "        discard;\n"
    "    }\n"
    "    vec3 n = normalize(facing);\n"
    "    vec3 to_lamp = normalize(lamp - world);\n"
    "    vec3 to_eye = normalize(eye - world);\n"
    "    float diffuse = max(dot(n, to_lamp), 0.0);\n"
    "    float glint = pow(max(dot(n, normalize(to_lamp + to_eye)), 0.0), 24.0);\n"
    "    vec3 ambient = mix(vec3(0.16, 0.12, 0.12), vec3(0.26, 0.30, 0.38),\n"
    "                       (side < 0.0 ? -n.y : n.y) * 0.5 + 0.5);\n"
    "    vec3 color = surface.rgb * (ambient + 0.85 * diffuse) + 0.45 * glint;\n"
    "    gl_FragColor = vec4(min(color, 1.0), surface.a);\n"
    "}\n";

/* The table around the mirror, with a pool of light that fades into the dark. */
static const char table_fragment_text[] =
    "precision highp float;\n"
    "uniform vec4 surface;\n"
    "varying vec3 world;\n"
    "varying vec3 facing;\n"
    "void main() {\n"
    "    float r2 = dot(world.xz, world.xz);\n"
    "    float light = 1.1 / (1.0 + 0.05 * r2) * normalize(facing).y;\n"
    "    float rings = 0.5 + 0.5 * sin(sqrt(r2 + 4.0 * world.x * world.x) * 5.0);\n"
    "    vec3 wood = surface.rgb * (0.82 + 0.18 * rings);\n"
    "    vec3 night = vec3(0.05, 0.05, 0.07);\n"
    "    gl_FragColor = vec4(mix(night, wood * light, exp(-0.012 * r2)), 1.0);\n"
    "}\n";

static struct {
    GLuint program;
    GLuint table_program;
    struct shape table;
    struct shape mirror;
    struct shape frame;
    struct shape ball;
    struct shape cube;
    struct shape ring;
} state;

static const struct vec3 mirror_eye = {0.0f, 2.9f, 6.6f};
static const struct vec3 mirror_lamp = {3.0f, 5.0f, 3.5f};

static bool stencil_mirror_init(struct app *app) {
    state.program = app_program(app, vertex_text, fragment_text);
    state.table_program = app_program(app, vertex_text, table_fragment_text);
    state.table = shape_create(mesh_grid(8, 8));
    state.mirror = shape_create(mesh_disc(128));
    state.frame = shape_create(mesh_torus(2.6f, 0.10f, 128, 24));
    state.ball = shape_create(mesh_sphere(64, 48));
    state.cube = shape_create(mesh_cube());
    state.ring = shape_create(mesh_torus(0.75f, 0.2f, 80, 32));
    return state.program != 0 && state.table_program != 0;
}

static void use_program(GLuint program, struct mat4 camera) {
    glUseProgram(program);
    glUniformMatrix4fv(glGetUniformLocation(program, "camera"), 1, GL_FALSE, camera.m);
    glUniform3f(glGetUniformLocation(program, "eye"), mirror_eye.x, mirror_eye.y, mirror_eye.z);
}

static void draw_object(GLuint program, const struct shape *shape, struct mat4 model,
                        const GLfloat surface[4]) {
    struct mat3 turn = mat4_normal3(model);
    glUniformMatrix4fv(glGetUniformLocation(program, "model"), 1, GL_FALSE, model.m);
    glUniformMatrix3fv(glGetUniformLocation(program, "turn"), 1, GL_FALSE, turn.m);
    glUniform4fv(glGetUniformLocation(program, "surface"), 1, surface);
    shape_draw(shape);
}

/* side is 1 for the scene, -1 for its mirror image in the plane y = 0. */
static void draw_scene(struct mat4 camera, float side, float time) {
    static const GLfloat red[4] = {0.88f, 0.27f, 0.20f, 1.0f};
    static const GLfloat gold[4] = {0.92f, 0.70f, 0.26f, 1.0f};
    static const GLfloat blue[4] = {0.22f, 0.46f, 0.80f, 1.0f};
    static const GLfloat green[4] = {0.30f, 0.66f, 0.44f, 1.0f};
    const struct vec3 y_axis = vec3_make(0.0f, 1.0f, 0.0f);
    struct mat4 mirrored = mat4_scale(1.0f, side, 1.0f);
    use_program(state.program, camera);
    glUniform1f(glGetUniformLocation(state.program, "side"), side);
    /* The lamp is mirrored too, so the image is lit as its original is. */
    glUniform3f(glGetUniformLocation(state.program, "lamp"), mirror_lamp.x, mirror_lamp.y * side,
                mirror_lamp.z);

    struct mat4 ring = mat4_mul(
        mat4_translate(-0.15f, 1.15f, -0.2f),
        mat4_mul(mat4_rotate(time, y_axis), mat4_rotate(1.35f, vec3_make(1.0f, 0.0f, 0.0f))));
    draw_object(state.program, &state.ring, mat4_mul(mirrored, ring), gold);
    struct mat4 ball =
        mat4_mul(mat4_translate(1.35f, 0.56f, 0.35f), mat4_scale(0.55f, 0.55f, 0.55f));
    draw_object(state.program, &state.ball, mat4_mul(mirrored, ball), red);
    struct mat4 cube = mat4_mul(
        mat4_translate(-1.4f, 0.44f, 0.35f),
        mat4_mul(mat4_rotate(0.5f + time * 0.4f, y_axis), mat4_scale(0.42f, 0.42f, 0.42f)));
    draw_object(state.program, &state.cube, mat4_mul(mirrored, cube), blue);
    struct mat4 pearl =
        mat4_mul(mat4_translate(-0.15f, 1.15f, -0.2f), mat4_scale(0.30f, 0.30f, 0.30f));
    draw_object(state.program, &state.ball, mat4_mul(mirrored, pearl), green);
}

static void stencil_mirror_draw(struct app *app, int frame, float time) {
    static const GLfloat silver[4] = {0.80f, 0.80f, 0.84f, 1.0f};
    static const GLfloat dark[4] = {0.05f, 0.06f, 0.08f, 1.0f};
    static const GLfloat glass[4] = {0.42f, 0.50f, 0.58f, 0.22f};
    static const GLfloat wood[4] = {0.52f, 0.36f, 0.25f, 1.0f};
    (void)frame;
    struct mat4 camera = mat4_mul(
        mat4_perspective(0.72f, (float)app->width / (float)app->height, 0.5f, 40.0f),
        mat4_look_at(mirror_eye, vec3_make(0.0f, 0.35f, 0.0f), vec3_make(0.0f, 1.0f, 0.0f)));
    struct mat4 disc = mat4_scale(2.6f, 1.0f, 2.6f);

    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    glClearColor(0.05f, 0.05f, 0.07f, 1.0f);
    glClearStencil(0);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);

    /* 1. The table lies a little lower than the glass. */
    use_program(state.table_program, camera);
    draw_object(state.table_program, &state.table,
                mat4_mul(mat4_translate(0.0f, -0.06f, 0.0f), mat4_scale(14.0f, 1.0f, 14.0f)), wood);

    /*
     * 2. Mark the glass with 1, then make room behind it: paint it dark and set the
     * depth there to the far plane, as if it were a hole.
     */
    use_program(state.program, camera);
    glUniform1f(glGetUniformLocation(state.program, "side"), 0.0f);
    glUniform3f(glGetUniformLocation(state.program, "lamp"), mirror_lamp.x, mirror_lamp.y,
                mirror_lamp.z);
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_ALWAYS, 1, 0xff);
    glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    draw_object(state.program, &state.mirror, disc, silver);
    glDepthRangef(1.0f, 1.0f);
    glDepthFunc(GL_ALWAYS);
    glStencilFunc(GL_EQUAL, 1, 0xff);
    glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    draw_object(state.program, &state.mirror, disc, dark);
    glDepthRangef(0.0f, 1.0f);
    glDepthFunc(GL_LESS);

    /* 3. The mirror image, only where marked; mirroring turns the triangles around. */
    glFrontFace(GL_CW);
    draw_scene(camera, -1.0f, time);
    glFrontFace(GL_CCW);

    /* 4. The glass over it; its depth also hides nothing that stands above. */
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE);
    glDepthFunc(GL_ALWAYS);
    use_program(state.program, camera);
    glUniform1f(glGetUniformLocation(state.program, "side"), 0.0f);
    draw_object(state.program, &state.mirror, disc, glass);
    glDepthFunc(GL_LESS);
    glDisable(GL_BLEND);
    glDisable(GL_STENCIL_TEST);

    /* 5. The scene itself, and the frame of the mirror. */
    draw_scene(camera, 1.0f, time);
    glUniform1f(glGetUniformLocation(state.program, "side"), 0.0f);
    draw_object(state.program, &state.frame, mat4_identity(), silver);
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);
}

static void stencil_mirror_fini(struct app *app) {
    (void)app;
    shape_delete(&state.table);
    shape_delete(&state.mirror);
    shape_delete(&state.frame);
    shape_delete(&state.ball);
    shape_delete(&state.cube);
    shape_delete(&state.ring);
    glDeleteProgram(state.program);
    glDeleteProgram(state.table_program);
}

const struct sample sample_stencil_mirror = {
    .name = "stencil_mirror",
    .summary = "things above a round mirror; the stencil buffer keeps the image inside it",
    .time = 0.6f,
    .init = stencil_mirror_init,
    .draw = stencil_mirror_draw,
    .fini = stencil_mirror_fini,
};
