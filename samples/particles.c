/* SPDX-License-Identifier: MIT */
/*
 * Point sprites: five fireworks over a lake. Every spark is one GL_POINTS vertex; its
 * path, size and colour are worked out in the vertex shader, its round shape from
 * gl_PointCoord in the fragment shader, and it is blended over what is there.
 */
#include <stdlib.h>

#include "common/app.h"
#include "common/mat4.h"
#include "common/mesh.h"

#define SPARKS_PER_BURST 240
#define TRAIL_LENGTH 6
#define BURST_COUNT 5
#define SPARK_COUNT (BURST_COUNT * SPARKS_PER_BURST * TRAIL_LENGTH)

static const char sky_vertex_text[] =
    "attribute vec2 position;\n"
    "varying float height;\n"
    "void main() {\n"
    "    height = position.y;\n"
    "    gl_Position = vec4(position, 0.0, 1.0);\n"
    "}\n";

static const char sky_fragment_text[] =
    "precision highp float;\n"
    "varying float height;\n"
    "void main() {\n"
    "    vec3 high = vec3(0.015, 0.02, 0.07);\n"
    "    vec3 low = vec3(0.17, 0.10, 0.19);\n"
    "    float up = height + 0.55;\n"
    "    vec3 sky = mix(low, high, clamp(up * 0.9, 0.0, 1.0));\n"
    "    vec3 lake = mix(low, high, clamp(-up * 2.6, 0.0, 1.0)) * 0.75;\n"
    "    gl_FragColor = vec4(up > 0.0 ? sky : lake, 1.0);\n"
    "}\n";

/* launch: velocity (xyz) and lag along the trail (w); burst: place (xy), age offset, hue. */
static const char vertex_text[] =
    "attribute vec4 launch;\n"
    "attribute vec4 burst;\n"
    "uniform float time;\n"
    "uniform float aspect;\n"
    "uniform float pixels;\n" /* height of the picture */
    "uniform float mirror;\n" /* 1 in the sky, -1 for the image in the lake */
    "varying vec4 tint;\n"
    "vec3 palette(float hue) {\n"
    "    vec3 wheel = abs(fract(hue + vec3(0.0, 0.667, 0.333)) * 6.0 - 3.0) - 1.0;\n"
    "    return mix(vec3(1.0), clamp(wheel, 0.0, 1.0), 0.62);\n"
    "}\n"
    "void main() {\n"
    "    float age = max(time - burst.z - launch.w * 0.035, 0.0);\n"
    "    float drag = (1.0 - exp(-2.2 * age)) / 2.2;\n"
    "    vec3 p = vec3(burst.xy, 0.0) + launch.xyz * drag;\n"
    "    p.y -= 0.10 * age * age;\n"
    /* The shore is at y = -0.55; the image below it is flattened, as on a far lake. */
    "    p.y = mirror < 0.0 ? -0.55 - (p.y + 0.55) * 0.42 : p.y;\n"
    "    float life = clamp(1.0 - age / 2.4, 0.0, 1.0);\n"
    "    float strength = life * (1.0 - 0.17 * launch.w);\n"
    "    vec3 color = mix(palette(burst.w), vec3(1.0, 0.95, 0.82), life * life * life * 0.6);\n"
    /* The image in the lake fades towards the picture's lower edge. */
    "    float fade = mirror < 0.0 ? 0.3 * clamp((p.y + 0.96) * 4.0, 0.0, 1.0) : 0.95;\n"
    "    tint = vec4(color, strength * fade);\n"
    "    gl_Position = vec4(p.x / aspect, p.y, 0.0, 1.0 + 0.15 * p.z);\n"
    "    gl_PointSize = pixels * (0.014 + 0.018 * life) * (1.0 - 0.13 * launch.w);\n"
    "}\n";

static const char fragment_text[] =
    "precision highp float;\n"
    "varying vec4 tint;\n"
    "void main() {\n"
    "    vec2 p = gl_PointCoord * 2.0 - 1.0;\n"
    "    float r2 = dot(p, p);\n"
    "    float soft = max(1.0 - r2, 0.0);\n"
    "    float core = max(1.0 - 4.0 * r2, 0.0);\n"
    "    gl_FragColor = vec4(mix(tint.rgb, vec3(1.0), core * 0.75), tint.a * soft * soft);\n"
    "}\n";

struct spark {
    GLfloat launch[4];
    GLfloat burst[4];
};

static struct {
    GLuint sky;
    GLuint program;
    GLuint buffer;
} state;

/* A direction spread evenly over the sphere: height and angle are each uniform. */
static struct vec3 random_direction(uint32_t seed) {
    float z = 2.0f * sm_random(seed) - 1.0f;
    float angle = 2.0f * SM_PI * sm_random(seed + 0x10000u);
    float r = sm_sqrt(1.0f - z * z);
    return vec3_make(r * sm_cos(angle), r * sm_sin(angle), z);
}

static void fill_sparks(struct spark *spark) {
    static const GLfloat burst[BURST_COUNT][4] = {
        /* x      y      starts  hue */
        {-0.62f, 0.40f, -0.38f, 0.02f}, {0.50f, 0.46f, -0.30f, 0.58f},
        {-0.06f, 0.06f, -0.55f, 0.12f}, {-0.14f, 0.66f, 0.12f, 0.86f},
        {0.95f, -0.02f, -0.12f, 0.36f},
    };
    static const GLfloat speed[BURST_COUNT] = {0.95f, 1.10f, 0.90f, 0.80f, 0.75f};
    for (int b = 0; b < BURST_COUNT; b++) {
        for (int i = 0; i < SPARKS_PER_BURST; i++) {
            uint32_t seed = (uint32_t)(b * 1009 + i * 3);
            float pace = speed[b] * (0.72f + 0.28f * sm_random(seed + 0x20000u));
            struct vec3 v = vec3_scale(random_direction(seed), pace);
            for (int k = 0; k < TRAIL_LENGTH; k++) {
                struct spark made = {{v.x, v.y, v.z, (float)k},
                                     {burst[b][0], burst[b][1], burst[b][2], burst[b][3]}};
                *spark++ = made;
            }
        }
    }
}

static bool particles_init(struct app *app) {
    state.sky = app_program(app, sky_vertex_text, sky_fragment_text);
    state.program = app_program(app, vertex_text, fragment_text);
    struct spark *sparks = app_alloc(SPARK_COUNT * sizeof sparks[0]);
    fill_sparks(sparks);
    glGenBuffers(1, &state.buffer);
    glBindBuffer(GL_ARRAY_BUFFER, state.buffer);
    glBufferData(GL_ARRAY_BUFFER, SPARK_COUNT * sizeof sparks[0], sparks, GL_STATIC_DRAW);
    free(sparks);
    return state.sky != 0 && state.program != 0;
}

static void particles_draw(struct app *app, int frame, float time) {
    (void)frame;
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(state.sky);
    app_draw_screen();

    const GLint launch = glGetAttribLocation(state.program, "launch");
    const GLint burst = glGetAttribLocation(state.program, "burst");
    glUseProgram(state.program);
    glUniform1f(glGetUniformLocation(state.program, "time"), time);
    glUniform1f(glGetUniformLocation(state.program, "aspect"),
                (float)app->width / (float)app->height);
    glUniform1f(glGetUniformLocation(state.program, "pixels"), (float)app->height);
    glBindBuffer(GL_ARRAY_BUFFER, state.buffer);
    glDisableVertexAttribArray(MESH_POSITION);
    glEnableVertexAttribArray((GLuint)launch);
    glEnableVertexAttribArray((GLuint)burst);
    glVertexAttribPointer((GLuint)launch, 4, GL_FLOAT, GL_FALSE, sizeof(struct spark),
                          (const void *)offsetof(struct spark, launch));
    glVertexAttribPointer((GLuint)burst, 4, GL_FLOAT, GL_FALSE, sizeof(struct spark),
                          (const void *)offsetof(struct spark, burst));
    /* The picture's own alpha stays 1. */
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE);
    glUniform1f(glGetUniformLocation(state.program, "mirror"), -1.0f);
    glDrawArrays(GL_POINTS, 0, SPARK_COUNT);
    glUniform1f(glGetUniformLocation(state.program, "mirror"), 1.0f);
    glDrawArrays(GL_POINTS, 0, SPARK_COUNT);
    glDisable(GL_BLEND);
    glDisableVertexAttribArray((GLuint)launch);
    glDisableVertexAttribArray((GLuint)burst);
}

static void particles_fini(struct app *app) {
    (void)app;
    glDeleteBuffers(1, &state.buffer);
    glDeleteProgram(state.sky);
    glDeleteProgram(state.program);
}

const struct sample sample_particles = {
    .name = "particles",
    .summary = "fireworks above a lake: thousands of alpha-blended point sprites",
    .time = 0.55f,
    .init = particles_init,
    .draw = particles_draw,
    .fini = particles_fini,
};
