/* SPDX-License-Identifier: MIT */
/*
 * The renderer from draw call to pixels, with assembled programs: order, viewport and scissor,
 * shared edges, lines and points, polygon offset, faults, feedback, and the same bits for any
 * number of threads and any flush timing.
 */
#include <math.h>
#include <stdlib.h>

#include "renderer/renderer.h"
#include "tests/harness/check.h"

#define SIZE 64

static const char vertex_text[] =
    ".stage vertex\n.name \"plain\"\n.in attrib 0 r0\n.in attrib 1 r1\n"
    ".out position r0\n.out varying 0 r1\nEND\n";
static const char fragment_text[] =
    ".stage fragment\n.name \"plain\"\n.in varying 0 r0\n.out color 0 r0\nEND\n";
static const char endless_text[] =
    ".stage vertex\n.name \"endless\"\n.in attrib 0 r0\n.in attrib 1 r1\n"
    ".out position r0\n.out varying 0 r1\nloop: BL R loop\nEND\n";

static const char endless_fragment_text[] =
    ".stage fragment\n.name \"endless\"\n.in varying 0 r0\n.out color 0 r0\nloop: BL R loop\nEND\n";

static struct vliw_program *compile(const char *text) {
    struct vliw_image *image = NULL;
    struct vliw_program *out = NULL;
    struct vliw_error error;
    if (vliw_assemble(text, strlen(text), &image, &error) != VLIW_OK ||
        vliw_program_create(image, &out, &error) != VLIW_OK) {
        check_failf(__FILE__, __LINE__, "%s", error.message);
    }
    vliw_image_destroy(image);
    return out;
}

/* One device, context and target with a state that draws plain colours. */
struct stage {
    struct rn_device *device;
    struct rn_context *context;
    struct rn_program *program;
    struct rn_framebuffer fb;
    struct rn_draw_state *state;
};

static uint64_t serial = 100;

static bool stage_begin(struct stage *s, unsigned threads, uint32_t size, const char *vertex) {
    memset(s, 0, sizeof *s);
    s->device = rn_device_create(threads);
    s->context = s->device ? rn_context_create(s->device) : NULL;
    s->program = rn_program_create(compile(vertex), compile(fragment_text));
    s->state = calloc(1, sizeof *s->state);
    s->fb.width = s->fb.height = size;
    s->fb.samples = 1;
    s->fb.color_count = 1;
    s->fb.color[0].image = rn_image_create(RN_FORMAT_RGBA8, size, size, 1, 1);
    s->fb.depth.image = rn_image_create(RN_FORMAT_D24, size, size, 1, 1);
    if (!s->context || !s->program || !s->state || !s->fb.color[0].image || !s->fb.depth.image) {
        return false;
    }
    struct rn_draw_state *t = s->state;
    t->framebuffer = &s->fb;
    t->program = s->program;
    t->viewport[2] = t->viewport[3] = (int32_t)size;
    t->depth_far = 1.0f;
    t->scissor = (struct rn_rect){0, 0, (int32_t)size, (int32_t)size};
    t->line_width = 1.0f;
    t->fragment.color_mask = 15;
    t->fragment.draw_buffers = 1;
    t->globals_serial[0] = t->globals_serial[1] = 1;
    t->serial = serial++;
    return true;
}

static void stage_end(struct stage *s) {
    rn_context_destroy(s->context);
    rn_program_unref(s->program);
    CHECK_EQ_INT(s->fb.color[0].image->refs, 1);
    CHECK_EQ_INT(s->fb.color[0].image->scene_uses, 0);
    rn_image_unref(s->fb.color[0].image);
    rn_image_unref(s->fb.depth.image);
    rn_device_destroy(s->device);
    free(s->state);
}

/* Vertices of eight floats: position, colour. */
static enum vliw_status draw(struct stage *s, uint8_t mode, const float *vertices, uint32_t count) {
    for (int i = 0; i < 2; i++) {
        s->state->attribs[i] = (struct rn_attrib){.data = (const uint8_t *)(vertices + 4 * i),
                                                  .size = count * 32 - (size_t)(16 * i),
                                                  .stride = 32,
                                                  .type = RN_ATTRIB_F32,
                                                  .components = 4};
    }
    const struct rn_draw_call call = {.mode = mode, .count = count, .instances = 1};
    return rn_draw(s->context, s->state, &call);
}

static void additive(struct stage *s) {
    s->state->fragment.blend = true;
    s->state->fragment.src_rgb = s->state->fragment.src_alpha = RN_ONE;
    s->state->fragment.dst_rgb = s->state->fragment.dst_alpha = RN_ONE;
    s->state->serial = serial++;
}

static void clear(struct stage *s, float depth) {
    const struct rn_clear c = {.framebuffer = &s->fb,
                               .rect = {0, 0, (int32_t)s->fb.width, (int32_t)s->fb.height},
                               .color_mask = 15,
                               .color_buffers = 1,
                               .depth = true,
                               .depth_value = depth};
    CHECK_EQ_INT(rn_clear(s->context, &c), VLIW_OK);
}

static void read_pixels(struct stage *s, uint8_t *out) {
    const struct rn_box box = {0, 0, 0, s->fb.width, s->fb.height, 1};
    rn_flush(s->context);
    rn_image_read(s->fb.color[0].image, &box, RN_LAYOUT_RGBA_U8, out, (size_t)s->fb.width * 4);
}

static void vertex(float *v, float x, float y, float z, float w, float grey) {
    const float all[8] = {x, y, z, w, grey, grey, grey, grey};
    memcpy(v, all, sizeof all);
}

static void quad(float *v, float z, float grey) { /* a strip */
    for (int k = 0; k < 4; k++) {
        vertex(v + 8 * k, k & 1 ? 1.0f : -1.0f, k & 2 ? 1.0f : -1.0f, z, 1, grey);
    }
}

/* Number of pixels whose red is 'value'. */
static uint32_t count_red(const uint8_t *pixels, uint32_t size, uint8_t value) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < size * size; i++) {
        n += pixels[4 * i] == value;
    }
    return n;
}

TEST(fan_adds_to_each_pixel_once) {
    struct stage s;
    uint8_t pixels[SIZE * SIZE * 4];
    float v[40][8];
    CHECK(stage_begin(&s, 1, SIZE, vertex_text));
    additive(&s);
    vertex(v[0], 0.123f, -0.077f, 0, 1, 8 / 255.0f);
    for (int k = 0; k <= 37; k++) {
        const double a = 6.283185307179586 * (k % 37) / 37;
        vertex(v[1 + k], (float)(3 * cos(a)), (float)(3 * sin(a)), 0, 1, 8 / 255.0f);
    }
    CHECK_EQ_INT(draw(&s, RN_TRIANGLE_FAN, v[0], 39), VLIW_OK);
    read_pixels(&s, pixels);
    CHECK_EQ_INT(count_red(pixels, SIZE, 8), SIZE * SIZE);
    stage_end(&s);
}

TEST(viewport_and_scissor_cut_pixels) {
    struct stage s;
    uint8_t pixels[SIZE * SIZE * 4];
    float v[4][8];
    CHECK(stage_begin(&s, 1, SIZE, vertex_text));
    quad(v[0], 0, 1);
    s.state->viewport[0] = -16;
    s.state->viewport[1] = -32;
    s.state->serial = serial++;
    CHECK_EQ_INT(draw(&s, RN_TRIANGLE_STRIP, v[0], 4), VLIW_OK);
    read_pixels(&s, pixels);
    CHECK_EQ_INT(count_red(pixels, SIZE, 255), 48 * 32);
    CHECK(pixels[(31 * SIZE + 47) * 4] == 255 && pixels[(32 * SIZE + 47) * 4] == 0 &&
          pixels[(31 * SIZE + 48) * 4] == 0);
    clear(&s, 1);
    s.state->scissor = (struct rn_rect){5, 6, 15, 8};
    s.state->serial = serial++;
    CHECK_EQ_INT(draw(&s, RN_TRIANGLE_STRIP, v[0], 4), VLIW_OK);
    read_pixels(&s, pixels);
    CHECK_EQ_INT(count_red(pixels, SIZE, 255), 20);
    for (int k = 0; k < 4;
         k++) { /* beyond the sides of the view volume: the viewport cuts, not only clipping */
        v[k][0] *= 1.5f;
        v[k][1] *= 1.5f;
    }
    clear(&s, 1);
    s.state->viewport[0] = s.state->viewport[1] = 16;
    s.state->viewport[2] = s.state->viewport[3] = 32;
    s.state->scissor = (struct rn_rect){0, 0, SIZE, SIZE};
    s.state->serial = serial++;
    CHECK_EQ_INT(draw(&s, RN_TRIANGLE_STRIP, v[0], 4), VLIW_OK);
    read_pixels(&s, pixels);
    CHECK_EQ_INT(count_red(pixels, SIZE, 255), 32 * 32);
    stage_end(&s);
}

TEST(lines_and_loops_cover_their_pixels) {
    struct stage s;
    uint8_t pixels[SIZE * SIZE * 4];
    float v[4][8];
    CHECK(stage_begin(&s, 1, SIZE, vertex_text));
    additive(&s);
    for (int k = 0; k < 4; k++) {
        const float x = k == 0 || k == 3 ? 10.5f : 42.5f, y = k < 2 ? 10.5f : 42.5f;
        vertex(v[k], x / 32 - 1, y / 32 - 1, 0, 1, 9 / 255.0f);
    }
    CHECK_EQ_INT(draw(&s, RN_LINE_LOOP, v[0], 4), VLIW_OK);
    read_pixels(&s, pixels);
    CHECK_EQ_INT(count_red(pixels, SIZE, 9), 128);
    CHECK_EQ_INT(count_red(pixels, SIZE, 0), SIZE * SIZE - 128);
    clear(&s, 1);
    vertex(v[0], -3, 0.01f, 0, 1, 1);
    vertex(v[1], 3, 0.01f, 0, 1, 1);
    CHECK_EQ_INT(draw(&s, RN_LINES, v[0], 2), VLIW_OK);
    read_pixels(&s, pixels);
    CHECK_EQ_INT(count_red(pixels, SIZE, 255), SIZE);
    stage_end(&s);
}

TEST(one_offset_unit_is_one_step) {
    struct stage s;
    uint8_t pixels[SIZE * SIZE * 4];
    float v[4][8];
    CHECK(stage_begin(&s, 1, SIZE, vertex_text));
    quad(v[0], 0, 8 / 255.0f);
    v[1][2] = v[3][2] = 0.7f; /* sloped */
    clear(&s, 1);
    additive(&s);
    s.state->fragment.depth_test = s.state->fragment.depth_write = true;
    s.state->fragment.depth_func = RN_LESS;
    s.state->serial = serial++;
    CHECK_EQ_INT(draw(&s, RN_TRIANGLE_STRIP, v[0], 4), VLIW_OK);
    s.state->fragment.depth_func = RN_EQUAL;
    for (int units = -1; units <= 1; units++) {
        s.state->polygon_offset = units != 0;
        s.state->offset_units = (float)units;
        s.state->serial = serial++;
        CHECK_EQ_INT(draw(&s, RN_TRIANGLE_STRIP, v[0], 4), VLIW_OK);
        read_pixels(&s, pixels);
        CHECK_EQ_INT(count_red(pixels, SIZE, units < 0 ? 8 : 16), SIZE * SIZE);
    }
    stage_end(&s);
}

TEST(clears_keep_their_place) {
    struct stage s;
    uint8_t pixels[SIZE * SIZE * 4];
    float v[4][8];
    CHECK(stage_begin(&s, 1, SIZE, vertex_text));
    quad(v[0], 0, 1);
    CHECK_EQ_INT(draw(&s, RN_TRIANGLE_STRIP, v[0], 4), VLIW_OK);
    struct rn_clear c = {
        .framebuffer = &s.fb, .rect = {8, 8, 24, 16}, .color_mask = 1, .color_buffers = 1};
    CHECK_EQ_INT(rn_clear(s.context, &c), VLIW_OK);
    read_pixels(&s, pixels);
    CHECK_EQ_INT(count_red(pixels, SIZE, 0), 128);
    CHECK(pixels[(8 * SIZE + 8) * 4] == 0 && pixels[(8 * SIZE + 8) * 4 + 1] == 255);
    clear(&s, 1);
    CHECK_EQ_INT(draw(&s, RN_TRIANGLE_STRIP, v[0], 3), VLIW_OK);
    clear(&s, 1);
    v[3][0] = 0.5f; /* only what comes after the last clear is seen */
    CHECK_EQ_INT(draw(&s, RN_POINTS, v[3], 1), VLIW_OK);
    read_pixels(&s, pixels);
    CHECK_EQ_INT(count_red(pixels, SIZE, 0), SIZE * SIZE - 1);
    stage_end(&s);
}

TEST(endless_vertex_shader_loses_the_context) {
    struct stage s, other;
    uint8_t pixels[SIZE * SIZE * 4];
    float v[4][8];
    CHECK(stage_begin(&s, 2, SIZE, vertex_text) && stage_begin(&other, 2, SIZE, endless_text));
    quad(v[0], 0, 1);
    rn_context_set_budget(s.context, 1000);
    CHECK_EQ_INT(draw(&s, RN_TRIANGLE_STRIP, v[0], 4), VLIW_OK);
    CHECK_EQ_INT(rn_context_fault(s.context)->status, VLIW_OK);
    s.state->program = other.program;
    s.state->serial = serial++;
    CHECK_EQ_INT(draw(&s, RN_TRIANGLE_STRIP, v[0], 4), VLIW_OK);
    CHECK_EQ_INT(rn_context_fault(s.context)->status, VLIW_ERR_BUDGET);
    CHECK(strstr(rn_context_fault(s.context)->message, "endless") != NULL);
    CHECK(strstr(rn_context_fault(s.context)->message, "line 7") != NULL);
    s.state->program = s.program;
    s.state->serial = serial++;
    quad(v[0], 0, 0.5f);
    CHECK_EQ_INT(draw(&s, RN_TRIANGLE_STRIP, v[0], 4), VLIW_OK); /* a no-op now */
    read_pixels(&s, pixels);
    CHECK_EQ_INT(count_red(pixels, SIZE, 255), SIZE * SIZE);
    stage_end(&s);
    stage_end(&other);
}

/* A picture with much overlap, blended, of several modes; 'mask' says after which draws to flush.
 */
static uint64_t picture(unsigned threads, uint32_t flushes, uint64_t *counters) {
    enum { PICTURE = 200, VERTICES = 9000 };
    struct stage s;
    static float v[VERTICES][8];
    static uint16_t index[VERTICES];
    static uint8_t pixels[PICTURE * PICTURE * 4];
    check_seed(42);
    CHECK(stage_begin(&s, threads, PICTURE, vertex_text));
    clear(&s, 1);
    additive(&s);
    s.state->fragment.depth_test = s.state->fragment.depth_write = true;
    s.state->fragment.depth_func = RN_LEQUAL;
    s.state->fragment.src_rgb = RN_SRC_ALPHA;
    s.state->fragment.dst_rgb = RN_ONE_MINUS_SRC_ALPHA;
    for (uint32_t k = 0; k < VERTICES; k++) {
        const float w = 0.5f + (float)check_random_below(1000) / 400, near = k % 97 ? 0.1f : 1.3f;
        vertex(v[k], 0, 0, ((float)check_random_below(2000) / 1000 - near) * w, w,
               (float)check_random_below(256) / 255);
        if (k % 9 == 0) { /* centres of small shapes, some of them large */
            v[k][0] = ((float)check_random_below(2400) / 1000 - 1.2f) * w;
            v[k][1] = ((float)check_random_below(2400) / 1000 - 1.2f) * w;
        } else {
            const float reach = k % 89 ? 0.08f : 40.0f;
            v[k][0] = v[k - k % 9][0] + ((float)check_random_below(2000) / 1000 - 1) * reach;
            v[k][1] = v[k - k % 9][1] + ((float)check_random_below(2000) / 1000 - 1) * reach;
        }
        index[k] = (uint16_t)(k - k % 9 + check_random_below(9));
    }
    for (uint8_t mode = RN_POINTS; mode <= RN_TRIANGLE_FAN; mode++) {
        for (unsigned indexed = 0; indexed < 2; indexed++) {
            const uint32_t count = mode == RN_TRIANGLE_FAN ? 90
                                   : mode == RN_TRIANGLES  ? VERTICES
                                                           : 1500;
            struct rn_draw_call call = {.mode = mode, .count = count, .instances = 1};
            for (int i = 0; i < 2; i++) {
                s.state->attribs[i] = (struct rn_attrib){.data = (const uint8_t *)(v[0] + 4 * i),
                                                         .size = SIZE_MAX,
                                                         .stride = 32,
                                                         .type = RN_ATTRIB_F32,
                                                         .components = 4};
            }
            if (indexed) {
                call.index_bytes = 2;
                call.indices = index;
                call.indices_size = sizeof index;
            }
            s.state->line_width = indexed ? 3.0f : 1.0f;
            s.state->cull = indexed ? 2 : 0;
            s.state->serial = serial++;
            CHECK_EQ_INT(rn_draw(s.context, s.state, &call), VLIW_OK);
            if (flushes >> (mode * 2 + indexed) & 1) {
                rn_flush(s.context);
            }
        }
    }
    read_pixels(&s, pixels);
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < sizeof pixels; i++) {
        hash = (hash ^ pixels[i]) * UINT64_C(1099511628211);
    }
    const struct rn_box box = {0, 0, 0, PICTURE, PICTURE, 1};
    static uint32_t depth[PICTURE * PICTURE];
    rn_image_read(s.fb.depth.image, &box, RN_LAYOUT_D_U32, depth, PICTURE * 4);
    for (size_t i = 0; i < PICTURE * PICTURE; i++) {
        hash = (hash ^ depth[i]) * UINT64_C(1099511628211);
    }
    rn_context_counters(s.context, counters);
    CHECK_EQ_INT(rn_context_fault(s.context)->status, VLIW_OK);
    stage_end(&s);
    return hash;
}

TEST(pictures_do_not_depend_on_threads_or_flushes) {
    uint64_t first[RN_COUNTER_COUNT], again[RN_COUNTER_COUNT];
    const uint64_t hash = picture(1, 0, first);
    CHECK(first[RN_COUNTER_FRAGMENTS] > 10000 && first[RN_COUNTER_PRIMITIVES_CLIPPED] > 10);
    for (unsigned threads = 1; threads <= 7; threads += 3) {
        static const uint32_t flushes[] = {0, 0x3FFF, 0x1248};
        for (unsigned f = 0; f < 3; f++) {
            CHECK(picture(threads, flushes[f], again) == hash);
            for (unsigned c = 0; c < RN_COUNTER_COUNT; c++) {
                /* How fragments fill batches depends on flushes; what is drawn does not. */
                if (c != RN_COUNTER_FLUSHES && c != RN_COUNTER_BATCHES && again[c] != first[c]) {
                    check_failf(__FILE__, __LINE__, "counter %u is %llu, not %llu, with %u threads",
                                c, (unsigned long long)again[c], (unsigned long long)first[c],
                                threads);
                }
            }
        }
    }
    /* The same on the scalar kernels. */
    const enum vliw_simd best = vliw_simd_level();
    for (int level = VLIW_SIMD_SCALAR; level < VLIW_SIMD_COUNT; level++) {
        if (vliw_simd_limit((enum vliw_simd)level) == (enum vliw_simd)level) {
            CHECK(picture(2, 0, again) == hash);
        }
    }
    vliw_simd_limit(best);
}

/* Two attributes of four floats, one after the other in memory of so many bytes. */
static void two_attribs(struct stage *s, const float *data, size_t size) {
    for (int i = 0; i < 2; i++) {
        s->state->attribs[i] = (struct rn_attrib){.data = (const uint8_t *)(data + 4 * i),
                                                  .size = size - (size_t)(16 * i),
                                                  .stride = 32,
                                                  .type = RN_ATTRIB_F32,
                                                  .components = 4};
    }
}

/* A draw larger than a scene may be is flushed on its way; nobody sees it. */
TEST(huge_draw_is_flushed_in_pieces) {
    enum { CELLS = 40, INSTANCES = 140 };
    struct stage s;
    uint8_t pixels[SIZE * SIZE * 4];
    static float v[CELLS * CELLS * 6][8];
    uint64_t counters[RN_COUNTER_COUNT];
    CHECK(stage_begin(&s, 3, SIZE, vertex_text));
    additive(&s);
    for (int k = 0; k < CELLS * CELLS * 6; k++) {
        static const int corner[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
        const int x = k / 6 % CELLS + corner[k % 6][0], y = k / 6 / CELLS + corner[k % 6][1];
        vertex(v[k], (float)x * 2 / CELLS - 1, (float)y * 2 / CELLS - 1, 0, 1, 1 / 255.0f);
    }
    two_attribs(&s, v[0], sizeof v);
    const struct rn_draw_call call = {
        .mode = RN_TRIANGLES, .count = CELLS * CELLS * 6, .instances = INSTANCES};
    CHECK_EQ_INT(rn_draw(s.context, s.state, &call), VLIW_OK);
    read_pixels(&s, pixels);
    CHECK_EQ_INT(count_red(pixels, SIZE, INSTANCES), SIZE * SIZE);
    rn_context_counters(s.context, counters);
    CHECK(counters[RN_COUNTER_FLUSHES] > 1);
    CHECK_EQ_INT(counters[RN_COUNTER_FRAGMENTS], SIZE * SIZE * INSTANCES);
    stage_end(&s);
}

/* Tiles of a draw's first chunks run beside its next ones: their fault comes at the same place, with the same
 * counters, for any number of threads. */
TEST(fault_of_a_draw_in_pieces_is_the_same_for_any_threads) {
    enum { PRIMS = 40000 };
    static float v[3][8];
    static uint32_t indices[PRIMS * 3];
    uint64_t counters[3][RN_COUNTER_COUNT];
    vertex(v[0], -1, -1, 0, 1, 1);
    vertex(v[1], 1, -1, 0, 1, 1);
    vertex(v[2], -1, 1, 0, 1, 1);
    for (uint32_t k = 0; k < PRIMS * 3; k++) {
        indices[k] = k % 3;
    }
    for (unsigned t = 0; t < 3; t++) {
        static const unsigned threads[] = {1, 2, 5};
        struct stage s;
        CHECK(stage_begin(&s, threads[t], SIZE, vertex_text));
        rn_program_unref(s.program);
        s.program = s.state->program = rn_program_create(compile(vertex_text), compile(endless_fragment_text));
        rn_context_set_budget(s.context, 1000);
        two_attribs(&s, v[0], sizeof v);
        const struct rn_draw_call call = {.mode = RN_TRIANGLES,
                                          .count = PRIMS * 3,
                                          .instances = 1,
                                          .index_bytes = 4,
                                          .indices = indices,
                                          .indices_size = sizeof indices};
        CHECK_EQ_INT(rn_draw(s.context, s.state, &call), VLIW_OK);
        CHECK_EQ_INT(rn_context_fault(s.context)->status, VLIW_ERR_BUDGET); /* before any flush */
        CHECK(strstr(rn_context_fault(s.context)->message, "fragment") != NULL);
        rn_flush(s.context);
        rn_context_counters(s.context, counters[t]);
        stage_end(&s);
    }
    for (unsigned c = 0; c < RN_COUNTER_COUNT; c++) {
        CHECK(counters[1][c] == counters[0][c] && counters[2][c] == counters[0][c]);
    }
}

TEST(small_draws_change_uniforms_only) {
    struct stage s;
    uint8_t pixels[SIZE * SIZE * 4];
    float v[4][8];
    CHECK(stage_begin(&s, 1, SIZE, vertex_text));
    additive(&s);
    quad(v[0], 0, 1 / 255.0f);
    for (int k = 0; k < 200; k++) {
        s.state->globals_serial[1]++;
        CHECK_EQ_INT(draw(&s, RN_TRIANGLE_STRIP, v[0], 4), VLIW_OK);
    }
    read_pixels(&s, pixels);
    CHECK_EQ_INT(count_red(pixels, SIZE, 200), SIZE * SIZE);
    stage_end(&s);
}
