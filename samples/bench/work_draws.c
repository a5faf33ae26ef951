/* SPDX-License-Identifier: MIT */
/* Workloads of many small draws, and shadow volumes in the stencil buffer. */
#include "../common/mat4.h"
#include "../common/mesh.h"
#include "bench.h"

/* ---- small draws ---- */

static const char cell_vertex[] =
    "attribute vec4 position;\n"
    "attribute vec2 uv;\n"
    "uniform vec4 cell;\n" /* middle, half size, level */
    "varying vec2 place;\n"
    "varying float level;\n"
    "void main() {\n"
    "    place = uv;\n"
    "    level = cell.w;\n"
    "    gl_Position = vec4(position.xy * cell.z + cell.xy, 0.0, 1.0);\n"
    "}\n";

static const char level_fragment[] =
    "varying float level;\n"
    "void main() { gl_FragColor = vec4(level, 0.5, 1.0 - level, 1.0); }\n";

static const char texture_fragment[] =
    "uniform sampler2D image;\n"
    "varying vec2 place;\n"
    "varying float level;\n"
    "void main() { gl_FragColor = vec4(texture2D(image, place).rg, level, 1.0); }\n";

static int cells_a_side(const struct bench *b) {
    int side = 1;
    while (side * side < b->scale) {
        side++;
    }
    return side;
}

static void cell_place(const struct bench *b, int side, int i, float out[4]) {
    out[0] = (2.0f * (float)(i % side) + 1.0f) / (float)side - 1.0f;
    out[1] = (2.0f * (float)(i / side) + 1.0f) / (float)side - 1.0f;
    out[2] = 0.95f / (float)side;
    out[3] = (float)i / (float)b->scale;
}

static bool uniform_init(struct bench *b) {
    b->counts.of[BENCH_DRAWS] = b->scale;
    b->counts.of[BENCH_TRIANGLES] = 2.0 * b->scale;
    bench_quad(NULL);
    b->program[0] = bench_program(b, cell_vertex, level_fragment);
    b->uniform[0] = glGetUniformLocation(b->program[0], "cell");
    return b->program[0] != 0;
}

static void uniform_frame(struct bench *b, int frame) {
    const int side = cells_a_side(b);
    (void)frame;
    for (int i = 0; i < b->scale; i++) {
        float cell[4];
        cell_place(b, side, i, cell);
        glUniform4fv(b->uniform[0], 1, cell);
        bench_draw_quad();
    }
}

/* Cells of a pixel or two need not show their middle. */
static bool cells_are_small(const struct bench *b, int side) {
    return b->app.width < 4 * side || b->app.height < 4 * side;
}

static bool uniform_check(struct bench *b, const struct image *img) {
    const int side = cells_a_side(b);
    if (cells_are_small(b, side)) {
        return true;
    }
    for (int i = 0; i < b->scale; i += 1 + b->scale / 37) {
        float cell[4];
        cell_place(b, side, i, cell);
        const int x = (int)((cell[0] * 0.5f + 0.5f) * (float)img->width);
        const int y = (int)((cell[1] * 0.5f + 0.5f) * (float)img->height);
        const int level = (int)(255.0f * cell[3] + 0.5f);
        const int color[4] = {level, 128, 255 - level, 255};
        if (!bench_pixel_is(b, img, x, y, color, 2)) {
            return false;
        }
    }
    return true;
}

const struct workload workload_draws_uniform = {uniform_init, uniform_frame, uniform_check};

static bool state_init(struct bench *b) {
    bool ok = uniform_init(b);
    for (int i = 0; i < 4; i++) {
        b->texture[i] = bench_texture(32, GL_LINEAR, GL_LINEAR);
    }
    b->program[1] = bench_program(b, cell_vertex, texture_fragment);
    b->uniform[1] = glGetUniformLocation(b->program[1], "cell");
    glEnable(GL_DEPTH_TEST);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    return ok && b->program[1] != 0;
}

/* Every state leaves the same opaque colour, so the picture can be checked. */
static void state_frame(struct bench *b, int frame) {
    const int side = cells_a_side(b);
    (void)frame;
    glClear(GL_DEPTH_BUFFER_BIT);
    for (int i = 0; i < b->scale; i++) {
        float cell[4];
        cell_place(b, side, i, cell);
        glUseProgram(b->program[i & 1]);
        glBindTexture(GL_TEXTURE_2D, b->texture[(i >> 1) & 3]);
        if ((i & 3) == 0) {
            glEnable(GL_BLEND);
        } else if ((i & 3) == 2) {
            glDisable(GL_BLEND);
        }
        glDepthFunc(i & 4 ? GL_LESS : GL_LEQUAL);
        glUniform4fv(b->uniform[i & 1], 1, cell);
        bench_draw_quad();
    }
}

static bool state_check(struct bench *b, const struct image *img) {
    const int side = cells_a_side(b);
    if (cells_are_small(b, side)) {
        return true;
    }
    for (int i = 0; i < b->scale; i += 1 + b->scale / 37) {
        float cell[4];
        cell_place(b, side, i, cell);
        const int x = (int)((cell[0] * 0.5f + 0.5f) * (float)img->width);
        const int y = (int)((cell[1] * 0.5f + 0.5f) * (float)img->height);
        const uint8_t *p = img->pixels + 4 * ((size_t)y * (size_t)img->width + (size_t)x);
        const int level = (int)(255.0f * cell[3] + 0.5f);
        const int plain[4] = {level, 128, 255 - level, 255};
        const int textured[4] = {p[0], p[1], level, 255};
        if (!bench_pixel_is(b, img, x, y, i & 1 ? textured : plain, 2)) {
            return false;
        }
    }
    return true;
}

const struct workload workload_draws_state = {state_init, state_frame, state_check};

/* ---- shadow volumes ---- */

static const char volume_vertex[] =
    "attribute vec3 position;\n"
    "uniform mat4 camera;\n"
    "void main() { gl_Position = camera * vec4(position, 1.0); }\n";

static const char color_fragment[] =
    "uniform vec4 color;\n"
    "void main() { gl_FragColor = color; }\n";

struct shadow {
    struct shape box;
    struct shape sheet;
};

static bool shadow_init(struct bench *b) {
    struct shadow *shadow = app_alloc(sizeof *shadow);
    b->data = shadow;
    b->program[0] = bench_program(b, volume_vertex, color_fragment);
    b->uniform[0] = glGetUniformLocation(b->program[0], "camera");
    b->uniform[1] = glGetUniformLocation(b->program[0], "color");
    shadow->box = shape_create(mesh_cube());
    shadow->sheet = shape_create(mesh_grid(2, 2));
    b->counts.of[BENCH_PIXELS] = (double)b->app.width * (double)b->app.height;
    b->counts.of[BENCH_TRIANGLES] = 12.0 * b->scale + 16.0;
    return b->program[0] != 0;
}

/* Where volume i goes through the sheet z = 0, which is seen along -z. */
static struct vec3 volume_middle(const struct bench *b, int i) {
    float angle = 2.0f * SM_PI * (float)i / (float)b->scale;
    return vec3_make(0.55f * sm_cos(angle), 0.55f * sm_sin(angle), 0.0f);
}

static void draw_placed(struct bench *b, const struct shape *shape, struct mat4 model) {
    const struct mat4 camera = mat4_ortho(-1.0f, 1.0f, -1.0f, 1.0f, -2.0f, 2.0f);
    struct mat4 all = mat4_mul(camera, model);
    glUniformMatrix4fv(b->uniform[0], 1, GL_FALSE, all.m);
    shape_draw(shape);
}

/*
 * A sheet with depth; boxes through it, counted up where a front and down where a back face
 * passes the depth test; then darkness where the count is not zero.
 */
static void shadow_frame(struct bench *b, int frame) {
    const struct shadow *shadow = b->data;
    const struct mat4 upright = mat4_rotate(0.5f * SM_PI, vec3_make(1.0f, 0.0f, 0.0f));
    (void)frame;
    glDepthMask(GL_TRUE);
    glEnable(GL_DEPTH_TEST);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    glUniform4f(b->uniform[1], 0.8f, 0.7f, 0.5f, 1.0f);
    draw_placed(b, &shadow->sheet, upright);
    glDepthMask(GL_FALSE);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_ALWAYS, 0, 0xff);
    glStencilOpSeparate(GL_FRONT, GL_KEEP, GL_KEEP, GL_INCR_WRAP);
    glStencilOpSeparate(GL_BACK, GL_KEEP, GL_KEEP, GL_DECR_WRAP);
    for (int i = 0; i < b->scale; i++) {
        struct vec3 middle = volume_middle(b, i);
        draw_placed(b, &shadow->box,
                    mat4_mul(mat4_translate(middle.x, middle.y, middle.z),
                             mat4_mul(mat4_rotate(0.2f * (float)i, vec3_make(0.0f, 0.0f, 1.0f)),
                                      mat4_scale(0.2f, 0.2f, 1.0f))));
    }
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDisable(GL_DEPTH_TEST);
    glStencilFunc(GL_NOTEQUAL, 0, 0xff);
    glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
    glUniform4f(b->uniform[1], 0.2f, 0.2f, 0.3f, 1.0f);
    draw_placed(b, &shadow->sheet, upright);
    glDisable(GL_STENCIL_TEST);
}

static bool shadow_check(struct bench *b, const struct image *img) {
    static const int light[4] = {204, 179, 128, 255};
    static const int dark[4] = {51, 51, 77, 255};
    bool ok = bench_pixel_is(b, img, 1, 1, light, 1) &&
              bench_pixel_is(b, img, img->width / 2, img->height / 2, light, 1);
    for (int i = 0; ok && i < b->scale; i++) {
        struct vec3 middle = volume_middle(b, i);
        ok = bench_pixel_is(b, img, (int)((middle.x * 0.5f + 0.5f) * (float)img->width),
                            (int)((middle.y * 0.5f + 0.5f) * (float)img->height), dark, 1);
    }
    return ok;
}

const struct workload workload_stencil_shadow = {shadow_init, shadow_frame, shadow_check};
