/* SPDX-License-Identifier: MIT */
/*
 * A model file on a turntable: framed so that it fits however it is turned, lit by a
 * warm key light, a cold fill light and a rim light; solid parts first, then those
 * that let light through. Pictures whose size is no power of two are resampled, since
 * ES 2.0 would not repeat or mip-map them.
 */
#include <stdlib.h>
#include <string.h>

#include "../common/mat4.h"
#include "../common/mesh.h"
#include "show.h"

#define ATTRIBUTE_COLOR MESH_ATTRIBUTE_COUNT
#define MODEL_FOV 0.60f
#define TURN_PER_SECOND 0.6f

static const char vertex_text[] =
    "attribute vec3 position;\n"
    "attribute vec3 normal;\n"
    "attribute vec2 uv;\n"
    "attribute vec4 color;\n"
    "uniform mat4 camera;\n"
    "uniform mat4 model;\n"
    "uniform mat3 turn;\n"
    "varying vec3 world;\n"
    "varying vec3 facing;\n"
    "varying vec2 place;\n"
    "varying vec4 paint;\n"
    "void main() {\n"
    "    vec4 at = model * vec4(position, 1.0);\n"
    "    world = at.xyz;\n"
    "    facing = turn * normal;\n"
    "    place = uv;\n"
    "    paint = color;\n"
    "    gl_Position = camera * at;\n"
    "}\n";

static const char fragment_text[] =
    "precision highp float;\n"
    "uniform sampler2D picture;\n"
    "uniform vec4 surface;\n"
    "uniform vec3 emission;\n"
    "uniform float gloss;\n"
    "uniform vec3 eye;\n"
    "varying vec3 world;\n"
    "varying vec3 facing;\n"
    "varying vec2 place;\n"
    "varying vec4 paint;\n"
    "vec3 lamp(vec3 n, vec3 v, vec3 base, vec3 to, vec3 light) {\n"
    "    float diffuse = max(dot(n, to), 0.0);\n"
    "    float glint = pow(max(dot(n, normalize(to + v)), 0.0), 22.0);\n"
    "    return light * (base * diffuse + gloss * glint);\n"
    "}\n"
    "void main() {\n"
    "    vec4 base = surface * paint * texture2D(picture, place);\n"
    "    vec3 v = normalize(eye - world);\n"
    /* A file without normals, or with zero ones, is shaded as if facing the camera. */
    "    vec3 n = facing + v * 0.0001;\n"
    "    n = normalize(gl_FrontFacing ? n : -n);\n"
    "    vec3 color = base.rgb * mix(vec3(0.17, 0.15, 0.15), vec3(0.27, 0.30, 0.36),\n"
    "                                n.y * 0.5 + 0.5);\n"
    "    color += lamp(n, v, base.rgb, vec3(0.5774, 0.6495, 0.4949), vec3(0.70, 0.66, 0.60));\n"
    "    color += lamp(n, v, base.rgb, vec3(-0.8018, 0.0, 0.5976), vec3(0.14, 0.19, 0.27));\n"
    "    float rim = 1.0 - max(dot(n, v), 0.0);\n"
    "    color += base.rgb * (0.35 * rim * rim * rim) + emission;\n"
    "    gl_FragColor = vec4(color, base.a);\n"
    "}\n";

static const char backdrop_vertex_text[] =
    "attribute vec2 position;\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "    place = position;\n"
    "    gl_Position = vec4(position, 0.0, 1.0);\n"
    "}\n";

static const char backdrop_fragment_text[] =
    "precision highp float;\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "    vec2 p = place - vec2(0.1, 0.2);\n"
    "    gl_FragColor = vec4(mix(vec3(0.13, 0.14, 0.18), vec3(0.40, 0.43, 0.49),\n"
    "                            exp(-0.75 * dot(p, p))), 1.0);\n"
    "}\n";

/* ---- textures ---- */

static int texture_side(int side, int most) {
    int power = 1;
    while (power < side && power < most) {
        power *= 2;
    }
    return power;
}

/* One sample of a bilinear resampling; x and y are in texels of the source, clamped. */
static void resample(const struct image *from, float x, float y, uint8_t out[4]) {
    float right = (float)(from->width - 1);
    float bottom = (float)(from->height - 1);
    x = sm_clamp(x, 0.0f, right);
    y = sm_clamp(y, 0.0f, bottom);
    int x0 = (int)x;
    int y0 = (int)y;
    int x1 = x0 + 1 < from->width ? x0 + 1 : x0;
    int y1 = y0 + 1 < from->height ? y0 + 1 : y0;
    const uint8_t *row0 = from->pixels + (size_t)y0 * (size_t)from->width * 4;
    const uint8_t *row1 = from->pixels + (size_t)y1 * (size_t)from->width * 4;
    for (int c = 0; c < 4; c++) {
        float top = sm_mix(row0[x0 * 4 + c], row0[x1 * 4 + c], x - (float)x0);
        float low = sm_mix(row1[x0 * 4 + c], row1[x1 * 4 + c], x - (float)x0);
        out[c] = (uint8_t)(sm_mix(top, low, y - (float)y0) + 0.5f);
    }
}

static GLuint upload(const struct image *from) {
    GLint most = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    int width = texture_side(from->width, most);
    int height = texture_side(from->height, most);
    struct image fitted = app_image(width, height);
    if (width == from->width && height == from->height) {
        memcpy(fitted.pixels, from->pixels, (size_t)width * (size_t)height * 4);
    } else {
        float step_x = (float)from->width / (float)width;
        float step_y = (float)from->height / (float)height;
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                resample(from, ((float)x + 0.5f) * step_x - 0.5f, ((float)y + 0.5f) * step_y - 0.5f,
                         fitted.pixels + ((size_t)y * (size_t)width + (size_t)x) * 4);
            }
        }
    }
    return app_texture(&fitted);
}

/* ---- life ---- */

/*
 * The box's middle to the origin, its longest half side to 1. `half` is then the box's
 * half sides, `radius` the largest distance of a vertex from the y axis.
 */
static struct mat4 normalise(const struct model *model, float half[3], float *radius) {
    float largest = 0.0f;
    float squared = 0.0f;
    float middle[3];
    for (int c = 0; c < 3; c++) {
        middle[c] = 0.5f * model->low[c] + 0.5f * model->high[c];
        half[c] = 0.5f * model->high[c] - 0.5f * model->low[c];
        largest = sm_max(largest, half[c]);
    }
    float scale = largest > 1e-30f ? 1.0f / largest : 1.0f;
    for (int c = 0; c < 3; c++) {
        half[c] *= scale;
    }
    for (uint32_t p = 0; p < model->part_count; p++) {
        for (uint32_t i = 0; i < model->parts[p].vertex_count; i++) {
            const float *at = model->parts[p].vertices[i].position;
            float x = (at[0] - middle[0]) * scale;
            float z = (at[2] - middle[2]) * scale;
            squared = sm_max(squared, x * x + z * z);
        }
    }
    *radius = sm_sqrt(squared);
    return mat4_mul(mat4_scale(scale, scale, scale),
                    mat4_translate(-middle[0], -middle[1], -middle[2]));
}

static bool model_init(struct app *app) {
    struct model_scene *scene = app->data;
    const struct model *model = &scene->model;
    float half[3];
    scene->fitted = normalise(model, half, &scene->radius);
    scene->half_height = half[1];
    scene->program = app_program(app, vertex_text, fragment_text);
    scene->backdrop = app_program(app, backdrop_vertex_text, backdrop_fragment_text);
    if (scene->program == 0 || scene->backdrop == 0) {
        return false;
    }
    struct image white = app_image(1, 1);
    memset(white.pixels, 255, 4);
    scene->white = app_texture(&white);
    scene->textures = app_alloc(model->texture_count * sizeof scene->textures[0]);
    for (uint32_t i = 0; i < model->texture_count; i++) {
        if (model->textures[i].image.pixels != NULL) {
            scene->textures[i] = upload(&model->textures[i].image);
        }
    }
    scene->buffers = app_alloc(model->part_count * 2 * sizeof scene->buffers[0]);
    glGenBuffers((GLsizei)(model->part_count * 2), scene->buffers);
    for (uint32_t i = 0; i < model->part_count; i++) {
        const struct model_part *part = &model->parts[i];
        glBindBuffer(GL_ARRAY_BUFFER, scene->buffers[2 * i]);
        glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(part->vertex_count * sizeof part->vertices[0]),
                     part->vertices, GL_STATIC_DRAW);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, scene->buffers[2 * i + 1]);
        glBufferData(GL_ELEMENT_ARRAY_BUFFER,
                     (GLsizeiptr)(part->index_count * sizeof part->indices[0]), part->indices,
                     GL_STATIC_DRAW);
    }
    return true;
}

static void model_fini(struct app *app) {
    struct model_scene *scene = app->data;
    glDeleteProgram(scene->program);
    glDeleteProgram(scene->backdrop);
    glDeleteTextures(1, &scene->white);
    if (scene->textures != NULL) {
        glDeleteTextures((GLsizei)scene->model.texture_count, scene->textures);
    }
    if (scene->buffers != NULL) {
        glDeleteBuffers((GLsizei)(scene->model.part_count * 2), scene->buffers);
    }
    free(scene->textures);
    free(scene->buffers);
    scene->textures = NULL;
    scene->buffers = NULL;
}

/* ---- drawing ---- */

static void draw_part(const struct model_scene *scene, uint32_t index) {
    const struct model_part *part = &scene->model.parts[index];
    const struct model_material *material = &scene->model.materials[part->material];
    const GLsizei stride = sizeof(struct model_vertex);
    GLuint texture = scene->white;
    if (material->texture != MODEL_NO_TEXTURE && scene->textures[material->texture] != 0) {
        texture = scene->textures[material->texture];
    }
    glBindTexture(GL_TEXTURE_2D, texture);
    glUniform4fv(glGetUniformLocation(scene->program, "surface"), 1, material->color);
    glUniform3fv(glGetUniformLocation(scene->program, "emission"), 1, material->emission);
    glUniform1f(glGetUniformLocation(scene->program, "gloss"), material->gloss);
    glBindBuffer(GL_ARRAY_BUFFER, scene->buffers[2 * index]);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, scene->buffers[2 * index + 1]);
    glEnableVertexAttribArray(MESH_POSITION);
    glEnableVertexAttribArray(MESH_NORMAL);
    glEnableVertexAttribArray(MESH_UV);
    glEnableVertexAttribArray(ATTRIBUTE_COLOR);
    glVertexAttribPointer(MESH_POSITION, 3, GL_FLOAT, GL_FALSE, stride,
                          (const void *)offsetof(struct model_vertex, position));
    glVertexAttribPointer(MESH_NORMAL, 3, GL_FLOAT, GL_FALSE, stride,
                          (const void *)offsetof(struct model_vertex, normal));
    glVertexAttribPointer(MESH_UV, 2, GL_FLOAT, GL_FALSE, stride,
                          (const void *)offsetof(struct model_vertex, uv));
    glVertexAttribPointer(ATTRIBUTE_COLOR, 4, GL_UNSIGNED_BYTE, GL_TRUE, stride,
                          (const void *)offsetof(struct model_vertex, color));
    glDrawElements(GL_TRIANGLES, (GLsizei)part->index_count, GL_UNSIGNED_SHORT, NULL);
}

static bool lets_light_through(const struct model_scene *scene, uint32_t index) {
    const struct model *model = &scene->model;
    return model->materials[model->parts[index].material].color[3] < 0.999f;
}

/*
 * How far the camera must be to see the whole cylinder that the turning model fills:
 * for points of both rims, far enough for height and for width.
 */
static float fit_distance(float radius, float half_height, struct vec3 toward, struct vec3 right,
                          struct vec3 up, float tan_y, float tan_x) {
    float distance = 0.5f;
    for (int i = 0; i < 64; i++) {
        float angle = 2.0f * SM_PI * (float)(i / 2) / 32.0f;
        struct vec3 p = vec3_make(radius * sm_cos(angle), (i & 1) != 0 ? half_height : -half_height,
                                  radius * sm_sin(angle));
        float x = vec3_dot(p, right);
        float y = vec3_dot(p, up);
        float reach = sm_max(sm_max(x, -x) / tan_x, sm_max(y, -y) / tan_y);
        distance = sm_max(distance, reach + vec3_dot(p, toward));
    }
    return distance * 1.02f;
}

static void set_camera(const struct app *app, const struct model_scene *scene, float time) {
    const struct mat4 fitted = scene->fitted;
    struct mat4 model =
        mat4_mul(mat4_rotate(time * TURN_PER_SECOND, vec3_make(0.0f, 1.0f, 0.0f)), fitted);
    struct mat3 turn =
        mat4_normal3(mat4_rotate(time * TURN_PER_SECOND, vec3_make(0.0f, 1.0f, 0.0f)));
    float aspect = (float)app->width / (float)app->height;
    float tan_y = sm_tan(MODEL_FOV * 0.5f);
    struct vec3 toward = vec3_normalize(vec3_make(0.45f, 0.32f, 1.0f));
    if (scene->has_camera) {
        const float yaw = scene->camera[0] * SM_PI / 180.0f;
        const float pitch = scene->camera[1] * SM_PI / 180.0f;
        toward = vec3_make(sm_sin(yaw) * sm_cos(pitch), sm_sin(pitch), sm_cos(yaw) * sm_cos(pitch));
    }
    struct vec3 right = vec3_normalize(vec3_cross(vec3_make(0.0f, 1.0f, 0.0f), toward));
    struct vec3 up = vec3_cross(toward, right);
    float distance =
        fit_distance(scene->radius, scene->half_height, toward, right, up, tan_y, tan_y * aspect) *
        (scene->has_camera ? scene->camera[2] : 1.0f);
    struct vec3 eye = vec3_scale(toward, distance);
    float near_z = sm_max(distance - 2.0f, distance * 0.05f);
    struct mat4 camera =
        mat4_mul(mat4_perspective(MODEL_FOV, aspect, near_z, distance + 2.0f),
                 mat4_look_at(eye, vec3_make(0.0f, 0.0f, 0.0f), vec3_make(0.0f, 1.0f, 0.0f)));
    glUniformMatrix4fv(glGetUniformLocation(scene->program, "camera"), 1, GL_FALSE, camera.m);
    glUniformMatrix4fv(glGetUniformLocation(scene->program, "model"), 1, GL_FALSE, model.m);
    glUniformMatrix3fv(glGetUniformLocation(scene->program, "turn"), 1, GL_FALSE, turn.m);
    glUniform3f(glGetUniformLocation(scene->program, "eye"), eye.x, eye.y, eye.z);
}

static void model_draw(struct app *app, int frame, float time) {
    const struct model_scene *scene = app->data;
    (void)frame;
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glDisable(GL_DEPTH_TEST);
    glDisableVertexAttribArray(ATTRIBUTE_COLOR);
    glUseProgram(scene->backdrop);
    app_draw_screen();

    glEnable(GL_DEPTH_TEST);
    glUseProgram(scene->program);
    glActiveTexture(GL_TEXTURE0);
    glUniform1i(glGetUniformLocation(scene->program, "picture"), 0);
    set_camera(app, scene, time);
    /* The picture's alpha stays 1, whatever the textures' alpha means. */
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_FALSE);
    for (uint32_t i = 0; i < scene->model.part_count; i++) {
        if (!lets_light_through(scene, i)) {
            draw_part(scene, i);
        }
    }
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(GL_FALSE);
    for (uint32_t i = 0; i < scene->model.part_count; i++) {
        if (lets_light_through(scene, i)) {
            draw_part(scene, i);
        }
    }
    glDepthMask(GL_TRUE);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
}

const struct sample sample_model_file = {
    .name = "model",
    .summary = "a model file on a turntable",
    .time = 0.0f,
    .init = model_init,
    .draw = model_draw,
    .fini = model_fini,
};
