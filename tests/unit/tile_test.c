/* SPDX-License-Identifier: MIT */
/*
 * The tile side on scenes made by hand: random primitives, states, formats and sample counts against a
 * reference that knows no tiles, batches or bounds: it takes one primitive after the other, pixel by
 * pixel, and does what the specification says in its order. Every byte of every surface must agree, for
 * every SIMD level and thread count. Colour arithmetic is the product's own (check_fragop.c tests that).
 */
#include "renderer/tile.h"
#include "tests/harness/check.h"
#include "tests/harness/depth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH   150
#define HEIGHT  91
#define TILES_X 3
#define TILES_Y 2
#define COEFS   4

enum kind { PASS, KILL, DEPTH, CONSTANT, FETCH, COORD, LOOP, KINDS };
static const char *const texts[KINDS] = {
    [PASS] = ".stage fragment\n.name \"pass\"\n.in varying 0 r0\n.out color 0 r0\nEND\n",
    [KILL] = ".stage fragment\n.name \"kill\"\n.in varying 0 r0\n.out color 0 r0\nPRED N r0.x KIL\nEND\n",
    [DEPTH] =
        ".stage fragment\n.name \"depth\"\n.in varying 0 r0\n.out color 0 r0\n.out depth r1.x\nMOV r1.x r0.w\nEND\n",
    [CONSTANT] = ".stage fragment\n.name \"constant\"\n.const c0 0.25 0.5 1 0.75\n.out color 0 r0\nMOV r0 c0\nEND\n",
    [FETCH] = (".stage fragment\n.name \"fetch\"\n.in varying 0 r0\n.in lastfrag 0 r1\n.out color 0 r2\n.const c0 0.5 "
               "0.5 0.5 0.5\n"
               "MUL r2 r1 -c0\nADD r2 r0\nEND\n"),
    [COORD] = ".stage fragment\n.name \"coord\"\n.in fragcoord r0\n.out color 0 r0\nEND\n",
    [LOOP] = ".stage fragment\n.name \"loop\"\n.in varying 0 r0\n.out color 0 r0\nagain: BL R again\nEND\n",
};

static struct vliw_program *assemble(const char *text) {
    struct vliw_image *image = NULL;
    struct vliw_program *program = NULL;
    struct vliw_error error;
    if (vliw_assemble(text, strlen(text), &image, &error) != VLIW_OK ||
        vliw_program_create(image, &program, &error) != VLIW_OK) {
        check_failf(__FILE__, __LINE__, "%s: %s", text, error.message);
    }
    vliw_image_destroy(image);
    return program;
}

/* The fragment half of a pair, as program.c would fill it. */
static struct rn_program *program_of(enum kind kind) {
    struct rn_program *p = calloc(1, sizeof *p);
    struct vliw_program *fs = assemble(texts[kind]);
    const struct vliw_info *info = fs ? vliw_program_info(fs) : NULL;
    p->stage[VLIW_STAGE_FRAGMENT] = fs;
    p->info[VLIW_STAGE_FRAGMENT] = info;
    p->position_output = p->point_size_output = p->point_coord_input = p->front_facing_input = p->frag_coord_input = -1;
    p->depth_output = -1;
    for (unsigned i = 0; i < RN_MAX_COLORS; i++) {
        p->color_output[i] = p->last_frag_input[i] = -1;
    }
    for (uint32_t i = 0; info && i < info->input_count; i++) {
        if (info->inputs[i].semantic == VLIW_SEM_LAST_FRAG) {
            p->last_frag_input[0] = (int8_t)i;
        } else if (info->inputs[i].semantic == VLIW_SEM_FRAG_COORD) {
            p->frag_coord_input = (int8_t)i;
        } else {
            for (uint8_t c = 0; c < COEFS; c++) {
                p->coefs[p->coef_count++] = (struct rn_coef_map){(uint8_t)i, c, 0, c};
            }
        }
    }
    for (uint32_t i = 0; info && i < info->output_count; i++) {
        *(info->outputs[i].semantic == VLIW_SEM_DEPTH ? &p->depth_output : &p->color_output[0]) = (int8_t)i;
    }
    p->discards = info && (info->flags & VLIW_USES_DISCARD);
    return p;
}

/* ---- a scene -------------------------------------------------------------------------------------------------- */

#define PRIMS 120
#define DRAWS 4
struct world {
    struct rn_image *color, *depth, *stencil;
    struct rn_program *programs[KINDS];
    struct rn_frag_draw draws[DRAWS];
    enum kind kinds[DRAWS];
    float *constants[DRAWS];
    struct rn_prim *prims[PRIMS]; /* NULL: a clear */
    struct rn_clear_cmd clears[PRIMS];
    struct rn_framebuffer fb;
};

static float unit(void) {
    return (float)(check_random() >> 8) / 16777215.0f;
}

static void edge_between(struct rn_prim *prim, unsigned k, const int32_t *x, const int32_t *y) {
    const unsigned n = (k + 1) % 3;
    const int32_t a = y[k] - y[n], b = x[n] - x[k];
    const int64_t c = (int64_t)a * (128 - x[k]) + (int64_t)b * (128 - y[k]) - !(a > 0 || (a == 0 && b > 0));
    prim->e[k] = (struct rn_edge){a, b, c >> 8};
    prim->edge_low[k] = (uint8_t)(c & 255);
}

static struct rn_rect random_box(int32_t most) {
    struct rn_rect box;
    box.x0 = (int32_t)check_random_below(WIDTH);
    box.y0 = (int32_t)check_random_below(HEIGHT);
    box.x1 = box.x0 + 1 + (int32_t)check_random_below((uint32_t)most);
    box.y1 = box.y0 + 1 + (int32_t)check_random_below((uint32_t)most);
    box.x1 = box.x1 < WIDTH ? box.x1 : WIDTH;
    box.y1 = box.y1 < HEIGHT ? box.y1 : HEIGHT;
    return box;
}

static void random_triangle(struct rn_prim *prim) {
    static const int32_t reaches[] = {500, 2000, 10000, 60000};
    const int32_t reach = reaches[check_random_below(4)];
    const int32_t cx = (int32_t)check_random_below(WIDTH * 256), cy = (int32_t)check_random_below(HEIGHT * 256);
    int32_t x[3], y[3];
    int64_t area = 0;
    while (area == 0) {
        for (int k = 0; k < 3; k++) {
            x[k] = cx + (int32_t)check_random_below(2 * (uint32_t)reach) - reach;
            y[k] = cy + (int32_t)check_random_below(2 * (uint32_t)reach) - reach;
        }
        area = (int64_t)(x[1] - x[0]) * (y[2] - y[0]) - (int64_t)(x[2] - x[0]) * (y[1] - y[0]);
    }
    if (area < 0) {
        const int32_t tx = x[1], ty = y[1];
        x[1] = x[2];
        y[1] = y[2];
        x[2] = tx;
        y[2] = ty;
    }
    for (unsigned k = 0; k < 3; k++) {
        edge_between(prim, k, x, y);
    }
    prim->box = (struct rn_box16){0, 0, WIDTH, HEIGHT};
    if (check_random_below(4) == 0) {
        rn_prim_set_box(prim, random_box(80));
    }
    const int32_t size = reach == 500 ? 4 : 8;
    if (reach <= 2000 && check_random_below(2)) { /* what lies in size x size pixels around the middle */
        const int32_t x0 = cx / 256 > size / 2 ? cx / 256 - size / 2 : 0, y0 = cy / 256 > size / 2 ? cy / 256 - size / 2 : 0;
        const int32_t x1 = (x0 & ~1) + size < WIDTH ? (x0 & ~1) + size : WIDTH;
        const int32_t y1 = (y0 & ~1) + size < HEIGHT ? (y0 & ~1) + size : HEIGHT;
        rn_prim_set_box(prim, (struct rn_rect){x0, y0, x1, y1});
        for (int32_t k = 0; k < 64; k++) {
            const int32_t px = (x0 & ~1) + (k & 7), py = (y0 & ~1) + (k >> 3);
            bool in = px >= x0 && px < x1 && py >= y0 && py < y1;
            for (unsigned e = 0; e < 3; e++) {
                in = in && (int64_t)prim->e[e].a * px + (int64_t)prim->e[e].b * py + prim->e[e].c >= 0;
            }
            prim->mask |= (uint64_t)in << k;
        }
    }
}

static bool covers(const struct rn_prim *p, int32_t x, int32_t y, const struct rn_sample_offset *at) {
    if (x < p->box.x0 || x >= p->box.x1 || y < p->box.y0 || y >= p->box.y1) {
        return false;
    }
    if (p->kind == RN_PRIM_LINE) {
        const int32_t major = p->major_x ? x : y, minor = p->major_x ? y : x;
        return minor == (p->minor0 + p->minor_step * major) >> 32;
    }
    for (unsigned k = 0; k < 3 && p->kind == RN_PRIM_TRIANGLE; k++) {
        const int64_t e = ((int64_t)p->e[k].a * x + (int64_t)p->e[k].b * y + p->e[k].c) * 256 + p->edge_low[k] +
                          (int64_t)p->e[k].a * at->x + (int64_t)p->e[k].b * at->y;
        if (e < 0) {
            return false;
        }
    }
    return true;
}

/* Whether a small triangle's depth needs no clamp: all covered pixels well within the range, and no offset. */
static bool is_unclamped(const struct rn_prim *prim) {
    bool within = prim->z_offset == 0.0;
    for (int32_t k = 0; k < 64; k++) {
        const double dx = (prim->box.x0 & ~1) + (k & 7) - prim->px, dy = (prim->box.y0 & ~1) + (k >> 3) - prim->py;
        const double z = prim->z0 + prim->zx * dx + prim->zy * dy;
        within = within && (!(prim->mask >> k & 1) || (z > (double)prim->draw->depth_lo + 1e-6 && z < (double)prim->draw->depth_hi - 1e-6));
    }
    return within;
}

/* The same colour at each pixel, or nearly so: one component has a slope, or what a sum with 0 would change. */
static void make_flat(struct rn_prim *prim) {
    static const float odd[] = {-0.0f, NAN, INFINITY, 0.0f};
    prim->perspective = check_random_below(8) == 0;
    for (unsigned c = 0; c < COEFS; c++) {
        prim->coef[c].ax = check_random_below(2) ? 0.0f : -0.0f;
        prim->coef[c].ay = check_random_below(2) ? 0.0f : -0.0f;
    }
    struct rn_plane *one = &prim->coef[check_random_below(COEFS)];
    if (check_random_below(4) == 0) {
        one->a0 = odd[check_random_below(4)];
    } else if (check_random_below(8) == 0) {
        one->ay = 0.01f;
    }
}

/* The pixels that it covers, as its mask. */
static void mask_all(struct rn_prim *prim) {
    for (int32_t k = 0; k < 64; k++) {
        const int32_t x = (prim->box.x0 & ~1) + (k & 7), y = (prim->box.y0 & ~1) + (k >> 3);
        prim->mask |= (uint64_t)covers(prim, x, y, NULL) << k;
    }
}

static struct rn_prim *random_prim(struct rn_frag_draw *draw) {
    struct rn_prim *prim = aligned_alloc(64, rn_prim_bytes(COEFS));
    const unsigned kind = check_random_below(6);
    memset(prim, 0, rn_prim_bytes(COEFS));
    prim->draw = draw;
    prim->kind = kind < 4 ? RN_PRIM_TRIANGLE : (kind == 4 ? RN_PRIM_LINE : RN_PRIM_RECT);
    prim->front_facing = check_random_below(2) != 0;
    prim->perspective = check_random_below(2) != 0;
    if (prim->kind == RN_PRIM_TRIANGLE) {
        random_triangle(prim);
    } else {
        rn_prim_set_box(prim, random_box(100));
        prim->width = 1;
        prim->major_x = check_random_below(2) != 0;
        prim->minor_step = (int64_t)check_random() * 2 - INT64_C(0xFFFFFFFF);
        prim->minor0 = (int64_t)check_random_below(100) << 32;
        if (check_random_below(2)) { /* few pixels, and all of them known */
            const int32_t x = (int32_t)check_random_below(WIDTH - 8), y = (int32_t)check_random_below(HEIGHT - 8);
            rn_prim_set_box(prim, (struct rn_rect){x, y, x + 1 + (int32_t)check_random_below(8 - (x & 1)),
                                                   y + 1 + (int32_t)check_random_below(8 - (y & 1))});
            prim->minor0 = ((int64_t)(prim->major_x ? y : x) << 32) - prim->minor_step * (prim->major_x ? x : y);
            mask_all(prim);
        }
    }
    prim->px = (int16_t)check_random_below(WIDTH);
    prim->py = (int16_t)check_random_below(HEIGHT);
    prim->iw = (struct rn_plane){1.0f + unit(), unit() / 500.0f, unit() / 500.0f, 0.0f};
    for (unsigned c = 0; c < COEFS; c++) {
        prim->coef[c] = (struct rn_plane){unit() * 1.5f - 0.25f, unit() / 100.0f - 0.005f, unit() / 100.0f - 0.005f,
                                          0.0f};
    }
    if (check_random_below(2)) {
        make_flat(prim);
    }
    prim->z0 = (double)check_random_below(17) / 16.0;
    prim->zx = check_random_below(2) ? 0.0 : (double)unit() / 100.0 - 0.005;
    prim->zy = check_random_below(2) ? 0.0 : (double)unit() / 100.0 - 0.005;
    prim->z_offset = check_random_below(4) ? 0.0 : (double)check_random_below(5) - 2.0;
    prim->unclamped = prim->mask && is_unclamped(prim);
    prim->z_offset = prim->unclamped ? (double)NAN : prim->z_offset; /* nobody may look */
    return prim;
}

static void random_stencil(struct rn_stencil_side *s) {
    s->func = (uint8_t)check_random_below(8);
    s->func = s->func == RN_NEVER && check_random_below(4) ? RN_ALWAYS : s->func;
    s->fail = (uint8_t)check_random_below(8);
    s->depth_fail = (uint8_t)check_random_below(8);
    s->pass = (uint8_t)check_random_below(8);
    if (check_random_below(2)) {
        s->fail = s->depth_fail = RN_STENCIL_KEEP;
    }
    s->ref = (uint8_t)check_random_below(4);
    s->read_mask = (uint8_t)(check_random_below(2) ? 255 : 3);
    s->write_mask = (uint8_t)(check_random_below(2) ? 255 : check_random_below(256));
}

static void random_state(struct rn_fragment_state *state, const struct rn_framebuffer *fb) {
    memset(state, 0, sizeof *state);
    state->depth_test = fb->depth.image && check_random_below(4) != 0;
    if (state->depth_test) {
        state->depth_write = check_random_below(4) != 0;
        state->depth_func =
            (uint8_t)(check_random_below(2) ? RN_LESS + 2 * check_random_below(2) : check_random_below(8));
    }
    state->stencil_test = fb->stencil.image && check_random_below(2);
    if (state->stencil_test) {
        random_stencil(&state->stencil[0]);
        random_stencil(&state->stencil[1]);
    }
    state->color_mask = (uint8_t)(check_random_below(3) ? 15 : check_random_below(16));
    state->draw_buffers = (uint8_t)(check_random_below(10) != 0);
    state->dither = check_random_below(2) != 0;
    state->count_passed = check_random_below(3) == 0;
    state->blend = check_random_below(2) != 0;
    if (state->blend) {
        state->src_rgb = state->src_alpha = (uint8_t)check_random_below(RN_BLEND_FACTOR_COUNT);
        state->dst_rgb = state->dst_alpha = (uint8_t)check_random_below(RN_BLEND_FACTOR_COUNT - 1);
    }
    if (fb->samples > 1 && check_random_below(4) == 0) {
        state->sample_coverage = true;
        state->sample_coverage_value = unit();
        state->sample_coverage_invert = check_random_below(2) != 0;
    }
    state->alpha_to_coverage = fb->samples > 1 && check_random_below(4) == 0;
}

static void world_make(struct world *w) {
    static const uint8_t formats[] = {RN_FORMAT_RGBA8,    RN_FORMAT_RGBA8,   RN_FORMAT_RGBX8, RN_FORMAT_RGB565,
                                      RN_FORMAT_RGBA4,    RN_FORMAT_RGB5A1,  RN_FORMAT_R8,    RN_FORMAT_RG8,
                                      RN_FORMAT_SRGB8_A8, RN_FORMAT_RGBA16F, RN_FORMAT_RGB16F};
    const unsigned samples = check_random_below(4) ? 1 : 4;
    w->color = rn_image_create((enum rn_format)formats[check_random_below(sizeof formats)], WIDTH, HEIGHT, 1, samples);
    w->depth = check_random_below(5)
                   ? rn_image_create(check_random_below(2) ? RN_FORMAT_D16 : RN_FORMAT_D24, WIDTH, HEIGHT, 1, samples)
                   : NULL;
    w->stencil = check_random_below(2) ? rn_image_create(RN_FORMAT_S8, WIDTH, HEIGHT, 1, samples) : NULL;
    w->fb = (struct rn_framebuffer){.width = WIDTH,
                                    .height = HEIGHT,
                                    .samples = (uint8_t)samples,
                                    .color_count = 1,
                                    .color = {{w->color, 0}},
                                    .depth = {w->depth, 0},
                                    .stencil = {w->stencil, 0}};
    for (unsigned i = 0; i < DRAWS; i++) {
        struct rn_frag_draw *draw = &w->draws[i];
        memset(draw, 0, sizeof *draw);
        w->kinds[i] = (enum kind)check_random_below(check_random_below(2) ? KILL + 1 : COORD + 1);
        draw->program = w->programs[w->kinds[i]];
        const struct vliw_program *fs = draw->program->stage[VLIW_STAGE_FRAGMENT];
        w->constants[i] = calloc(vliw_program_constants(fs) + 1, sizeof(float));
        vliw_program_prepare(fs, NULL, 0, w->constants[i]);
        draw->constants = w->constants[i];
        draw->depth_lo = check_random_below(4) ? 0.0f : 0.25f;
        draw->depth_hi = check_random_below(4) ? 1.0f : 0.75f;
        random_state(&draw->state, &w->fb);
    }
    unsigned draw = 0;
    for (unsigned i = 0; i < PRIMS; i++) {
        draw = check_random_below(8) ? draw : check_random_below(DRAWS);
        w->prims[i] = NULL;
        if (i == 0 || check_random_below(50) == 0) {
            struct rn_clear *clear = &w->clears[i].clear;
            memset(clear, 0, sizeof *clear);
            clear->framebuffer = &w->fb;
            clear->rect = (struct rn_rect){0, 0, WIDTH, HEIGHT};
            if (i && check_random_below(2)) {
                clear->rect = random_box(150);
            }
            clear->color_mask = (uint8_t)(i ? check_random_below(16) : 15);
            clear->color_buffers = 1;
            for (unsigned c = 0; c < 4; c++) {
                clear->color[c] = unit();
            }
            clear->depth = i == 0 || check_random_below(2);
            clear->depth_value = (float)check_random_below(9) / 8.0f;
            clear->stencil = i == 0 || check_random_below(2);
            clear->stencil_value = (uint8_t)check_random_below(4);
            clear->stencil_mask = (uint8_t)(check_random_below(2) ? 255 : check_random_below(256));
            rn_clear_encode(&w->clears[i], &w->fb);
        } else if (i > 2 && w->prims[i - 1] && check_random_below(6) == 0) { /* the same again: order must show */
            const size_t bytes = rn_prim_bytes(COEFS);
            w->prims[i] = aligned_alloc(64, bytes);
            memcpy(w->prims[i], w->prims[i - 1], bytes);
            w->prims[i]->coef[0].a0 = unit();
        } else {
            w->prims[i] = random_prim(&w->draws[draw]);
        }
    }
}

static void world_free(struct world *w) {
    for (unsigned i = 0; i < PRIMS; i++) {
        free(w->prims[i]);
    }
    for (unsigned i = 0; i < DRAWS; i++) {
        free(w->constants[i]);
    }
    rn_image_unref(w->color);
    rn_image_unref(w->depth);
    rn_image_unref(w->stencil);
}

/* ---- running it ------------------------------------------------------------------------------------------------- */

static void append(struct rn_scene *scene, uint32_t tile, rn_cmd cmd) {
    struct rn_bin *bin = &scene->bins[tile];
    if (!bin->tail || bin->tail->count == bin->tail->capacity) {
        struct rn_bin_block *block = arena_alloc(&scene->arena, sizeof *block + RN_BIN_BLOCK * sizeof(rn_cmd));
        block->capacity = RN_BIN_BLOCK;
        *(bin->tail ? &bin->tail->next : &bin->head) = block;
        bin->tail = block;
    }
    bin->tail->cmds[bin->tail->count++] = cmd;
}

static void bin_everywhere(struct rn_scene *scene, const struct rn_rect *box, bool rect, rn_cmd cmd) {
    for (int32_t t = 0; t < TILES_X * TILES_Y; t++) {
        const int32_t x = t % TILES_X * 64, y = t / TILES_X * 64;
        const int32_t x1 = x + 64 < WIDTH ? x + 64 : WIDTH, y1 = y + 64 < HEIGHT ? y + 64 : HEIGHT;
        if (box->x0 < x1 && box->x1 > x && box->y0 < y1 && box->y1 > y) {
            const bool full = rect && box->x0 <= x && box->y0 <= y && box->x1 >= x1 && box->y1 >= y1;
            append(scene, (uint32_t)t, cmd + (full ? (rn_cmd)RN_CMD_PRIM_FULL - RN_CMD_PRIM : 0));
        }
    }
}

static void run_world(struct world *w, struct rn_device *device, struct rn_tile_result *result) {
    struct rn_scene scene;
    memset(&scene, 0, sizeof scene);
    arena_init(&scene.arena, 0);
    scene.fb = w->fb;
    scene.tiles_x = TILES_X;
    scene.tiles_y = TILES_Y;
    scene.bins = arena_array(&scene.arena, TILES_X * TILES_Y, sizeof *scene.bins);
    scene.budget = 1000;
    for (unsigned i = 0; i < DRAWS; i++) {
        CHECK(rn_frag_draw_prepare(device, &scene, &w->draws[i]));
    }
    for (unsigned i = 0; i < PRIMS; i++) {
        if (w->prims[i]) {
            const struct rn_rect box = rn_prim_rect(w->prims[i]);
            const bool small = w->prims[i]->mask && w->fb.samples == 1; /* else by its edges */
            bin_everywhere(&scene, &box, w->prims[i]->kind == RN_PRIM_RECT,
                           (rn_cmd)w->prims[i] | (rn_cmd)(small ? RN_CMD_PRIM_SMALL : RN_CMD_PRIM));
        } else {
            bin_everywhere(&scene, &w->clears[i].clear.rect, false, (rn_cmd)&w->clears[i] | RN_CMD_CLEAR);
        }
    }
    rn_scene_run(device, &scene, result);
    arena_fini(&scene.arena);
}

/* ---- the reference ------------------------------------------------------------------------------------------------
 */

static uint8_t *pixel_of(const struct rn_image *image, unsigned sample, int32_t x, int32_t y) {
    return image->data + sample * image->slice_bytes + (size_t)y * image->row_bytes +
           (size_t)x * rn_format_info((enum rn_format)image->format)->bytes;
}

static float plane_value(const struct rn_plane *p, float dx, float dy) {
    const volatile float x = p->ax * dx, y = p->ay * dy;
    const volatile float sum = p->a0 + x;
    return sum + y;
}

static uint32_t plane_depth(const struct rn_prim *p, int32_t x, int32_t y, const struct rn_sample_offset *at,
                            double steps) {
    struct rn_depth_plane plane = {0};
    rn_depth_plane_set(&plane, p, steps);
    const double dx = (double)((float)x + 0.5f - rn_prim_ox(p)) + at->x / 256.0,
                 dy = (double)((float)y + 0.5f - rn_prim_oy(p)) + at->y / 256.0;
    const volatile double zx = plane.zx * dx, zy = plane.zy * dy;
    double z = (plane.z0 + zx) + zy;
    z = ((z + RN_DEPTH_GRID) - RN_DEPTH_GRID) + plane.offset;
    z = z > plane.lo ? z : plane.lo;
    z = z < plane.hi ? z : plane.hi;
    return (uint32_t)(z + 0.5);
}

static bool compare(unsigned func, uint32_t a, uint32_t b) {
    switch (func) {
    case RN_NEVER: return false;
    case RN_LESS: return a < b;
    case RN_EQUAL: return a == b;
    case RN_LEQUAL: return a <= b;
    case RN_GREATER: return a > b;
    case RN_NOTEQUAL: return a != b;
    case RN_GEQUAL: return a >= b;
    default: return true;
    }
}

static void stencil_op(uint8_t *p, unsigned op, const struct rn_stencil_side *s) {
    unsigned v = *p;
    switch (op) {
    case RN_STENCIL_KEEP: return;
    case RN_STENCIL_ZERO: v = 0; break;
    case RN_STENCIL_REPLACE: v = s->ref; break;
    case RN_STENCIL_INCR: v = v == 255 ? 255 : v + 1; break;
    case RN_STENCIL_DECR: v = v ? v - 1 : 0; break;
    case RN_STENCIL_INVERT: v = ~v; break;
    case RN_STENCIL_INCR_WRAP: v++; break;
    default: v--; break;
    }
    *p = (uint8_t)((*p & ~s->write_mask) | (v & s->write_mask));
}

/* One sample of one fragment: stencil, depth. True if its colour is written. */
static bool ref_tests(const struct world *w, const struct rn_fragment_state *t, bool front, unsigned s, int32_t x,
                      int32_t y, uint32_t z) {
    const struct rn_stencil_side *side = &t->stencil[!front];
    uint8_t *stencil = t->stencil_test ? pixel_of(w->stencil, s, x, y) : NULL;
    if (stencil && !compare(side->func, side->ref & side->read_mask, *stencil & side->read_mask)) {
        stencil_op(stencil, side->fail, side);
        return false;
    }
    if (t->depth_test) {
        uint8_t *p = pixel_of(w->depth, s, x, y);
        const bool d24 = w->depth->format == RN_FORMAT_D24;
        if (!compare(t->depth_func, z, load_depth(p, d24))) {
            if (stencil) {
                stencil_op(stencil, side->depth_fail, side);
            }
            return false;
        }
        if (t->depth_write) {
            store_depth(p, d24, z);
        }
    }
    if (stencil) {
        stencil_op(stencil, side->pass, side);
    }
    return true;
}

/* Colour by the product's arithmetic, one lane. */
static void ref_color(const struct world *w, const struct rn_fragment_state *t, unsigned s, int32_t x, int32_t y,
                      const float rgba[4]) {
    static struct rn_lane_scratch scratch;
    static float lanes[4][VM_LANES] BITS_ALIGN(64);
    const uint8_t qx = (uint8_t)(x & 2), qy = (uint8_t)(y & 2), mask = (uint8_t)(1u << ((y & 1) * 2 + (x & 1)));
    struct rn_color_op op;
    if (!(t->draw_buffers & 1)) {
        return;
    }
    rn_color_op_set(&op, rn_fragop_ops_for(VLIW_SIMD_SCALAR), (enum rn_format)w->color->format, t);
    for (unsigned c = 0; c < 4; c++) {
        lanes[c][(y & 1) * 2 + (x & 1)] = rgba[c];
    }
    const struct rn_write_job job = {.op = &op,
                                     .src = {lanes[0], lanes[1], lanes[2], lanes[3]},
                                     .first = 0,
                                     .count = 1,
                                     .qx = &qx,
                                     .qy = &qy,
                                     .mask = &mask,
                                     .pixels = pixel_of(w->color, s, x & ~3, y & ~3),
                                     .stride = w->color->row_bytes,
                                     .scratch = &scratch};
    op.write(&job);
}

/* Samples that passed, of draws that ask. */
static uint64_t ref_passed;

/* What the program makes of a fragment; false if it kills it. Framebuffer fetch reads one sample. */
static bool ref_program(const struct world *w, enum kind kind, const struct rn_prim *p, int32_t x, int32_t y,
                        unsigned sample, float rgba[4], float *depth) {
    const float dx = (float)x + 0.5f - rn_prim_ox(p), dy = (float)y + 0.5f - rn_prim_oy(p), iw = plane_value(&p->iw, dx, dy);
    const float scale = p->perspective ? 1.0f / iw : 1.0f;
    for (unsigned c = 0; c < 4; c++) {
        rgba[c] = plane_value(&p->coef[c], dx, dy) * scale;
    }
    *depth = rgba[3];
    if (kind == CONSTANT) {
        static const float constant[4] = {0.25f, 0.5f, 1.0f, 0.75f};
        memcpy(rgba, constant, sizeof constant);
    } else if (kind == FETCH) {
        static const uint8_t zero = 0, one = 1;
        float old[4][4];
        float *dst[4] = {old[0], old[1], old[2], old[3]};
        rn_fragop_fetch((enum rn_format)w->color->format, pixel_of(w->color, sample, x, y), 0, 1, &zero, &zero, &one, dst);
        for (unsigned c = 0; c < 4; c++) {
            const volatile float half = old[c][0] * 0.5f;
            rgba[c] = half + rgba[c];
        }
    } else if (kind == COORD) {
        rgba[0] = (float)x + 0.5f;
        rgba[1] = (float)y + 0.5f;
        const double steps = !w->depth ? 0.0 : w->depth->format == RN_FORMAT_D24 ? 16777215.0 : 65535.0;
        const volatile double zx = p->zx * (double)dx, zy = p->zy * (double)dy;
        double z = (p->z0 + zx) + zy;
        z = z + (steps > 0.0 ? rn_prim_z_offset(p) / steps : 0.0);
        z = z > (double)p->draw->depth_lo ? z : (double)p->draw->depth_lo;
        rgba[2] = (float)(z < (double)p->draw->depth_hi ? z : (double)p->draw->depth_hi);
        rgba[3] = iw;
    }
    return kind != KILL || !(rgba[0] < 0.0f);
}

static void ref_fragment(const struct world *w, const struct rn_prim *p, int32_t x, int32_t y) {
    const unsigned samples = w->fb.samples, index = (unsigned)(p->draw - w->draws);
    const struct rn_fragment_state *t = &p->draw->state;
    const enum kind kind = w->kinds[index];
    unsigned set = 0;
    float rgba[4], depth;
    for (unsigned s = 0; s < samples; s++) {
        set |= (unsigned)covers(p, x, y, &rn_sample_offsets(samples)[s]) << s;
    }
    if (!set || !ref_program(w, kind, p, x, y, 0, rgba, &depth)) {
        return;
    }
    if (t->sample_coverage) {
        set &= rn_sample_coverage(t->sample_coverage_value) ^ (t->sample_coverage_invert ? 15u : 0u);
    }
    const unsigned covered = set;
    if (t->alpha_to_coverage) {
        set &= rn_sample_coverage(rgba[3]);
    }
    const double steps = !w->depth ? 0.0 : w->depth->format == RN_FORMAT_D24 ? 16777215.0 : 65535.0;
    for (unsigned s = 0; s < samples; s++) {
        if (kind == FETCH && samples > 1) { /* once for each sample */
            ref_program(w, kind, p, x, y, s, rgba, &depth);
            set = t->alpha_to_coverage ? covered & rn_sample_coverage(rgba[3]) : covered;
        }
        if (!(set >> s & 1)) {
            continue;
        }
        uint32_t z = 0;
        if (t->depth_test) {
            z = kind == DEPTH ? rn_depth_quantise((double)depth, steps)
                              : plane_depth(p, x, y, &rn_sample_offsets(samples)[s], steps);
        }
        if (ref_tests(w, t, p->front_facing, s, x, y, z)) {
            ref_color(w, t, s, x, y, rgba);
            ref_passed += t->count_passed;
        }
    }
}

static void ref_clear(const struct world *w, const struct rn_clear *c) {
    struct rn_fragment_state t;
    memset(&t, 0, sizeof t);
    t.color_mask = c->color_mask;
    t.draw_buffers = c->color_buffers;
    for (int32_t y = c->rect.y0; y < c->rect.y1; y++) {
        for (int32_t x = c->rect.x0; x < c->rect.x1; x++) {
            for (unsigned s = 0; s < w->fb.samples; s++) {
                ref_color(w, &t, s, x, y, c->color);
                if (c->depth && w->depth) {
                    const bool d24 = w->depth->format == RN_FORMAT_D24;
                    const uint32_t z = rn_depth_quantise((double)c->depth_value, d24 ? 16777215.0 : 65535.0);
                    store_depth(pixel_of(w->depth, s, x, y), d24, z);
                }
                if (c->stencil && w->stencil) {
                    uint8_t *p = pixel_of(w->stencil, s, x, y);
                    *p = (uint8_t)((*p & ~c->stencil_mask) | (c->stencil_value & c->stencil_mask));
                }
            }
        }
    }
}

static void ref_world(const struct world *w) {
    for (unsigned i = 0; i < PRIMS; i++) {
        if (!w->prims[i]) {
            ref_clear(w, &w->clears[i].clear);
            continue;
        }
        for (int32_t y = 0; y < HEIGHT; y++) {
            for (int32_t x = 0; x < WIDTH; x++) {
                ref_fragment(w, w->prims[i], x, y);
            }
        }
    }
}

/* ---- comparison ----------------------------------------------------------------------------------------------------
 */

static size_t image_bytes(const struct rn_image *image) {
    return image ? image->slice_bytes * image->samples : 0;
}

static void image_reset(struct rn_image *image) {
    if (image) {
        rn_image_settle(image, NULL);
        memset(image->data, 0, image_bytes(image));
    }
}

static uint8_t *image_copy(const struct rn_image *image) {
    uint8_t *copy = malloc(image_bytes(image) + 1);
    if (image) {
        rn_image_settle(image, NULL);
    }
    memcpy(copy, image ? image->data : (const uint8_t *)"", image_bytes(image));
    return copy;
}

static bool image_equal(const struct rn_image *image, const uint8_t *expect, const char *what, unsigned round) {
    const size_t bytes = image ? rn_format_info((enum rn_format)image->format)->bytes : 1;
    if (image) {
        rn_image_settle(image, NULL);
    }
    for (unsigned s = 0; image && s < image->samples; s++) {
        for (uint32_t y = 0; y < HEIGHT; y++) {
            for (uint32_t x = 0; x < WIDTH; x++) {
                const uint8_t *p = pixel_of(image, s, (int32_t)x, (int32_t)y);
                check_count();
                if (memcmp(p, expect + (p - image->data), bytes) != 0) {
                    check_failf(__FILE__, __LINE__, "round %u, %s, %s: %s sample %u differs at %u, %u", round, what,
                                vliw_simd_name(vliw_simd_level()), rn_format_info((enum rn_format)image->format)->name,
                                s, (unsigned)x, (unsigned)y);
                    return false;
                }
            }
        }
    }
    return true;
}

TEST(tile_random_scenes) {
    static struct world w;
    struct rn_device *devices[2] = {rn_device_create(1), rn_device_create(3)};
    for (unsigned i = 0; i < KINDS; i++) {
        w.programs[i] = program_of((enum kind)i);
    }
    const char *rounds = getenv("VLGL_ROUNDS");
    const unsigned count = rounds ? (unsigned)atoi(rounds) : 150;
    bool good = true;
    for (unsigned round = 0; round < count && good; round++) {
        check_seed(round + 1000);
        world_make(&w);
        ref_passed = 0;
        ref_world(&w);
        uint8_t *color = image_copy(w.color), *depth = image_copy(w.depth), *stencil = image_copy(w.stencil);
        uint64_t counters[RN_COUNTER_COUNT];
        for (unsigned level = 0; level <= VLIW_SIMD_COUNT && good; level++) {
            const enum vliw_simd ask = (enum vliw_simd)(level < VLIW_SIMD_COUNT ? level : VLIW_SIMD_COUNT - 1);
            struct rn_tile_result result;
            if (vliw_simd_limit(ask) != ask && level < VLIW_SIMD_COUNT) {
                continue;
            }
            image_reset(w.color);
            image_reset(w.depth);
            image_reset(w.stencil);
            run_world(&w, devices[level == VLIW_SIMD_COUNT], &result);
            good = image_equal(w.color, color, "colour", round) && image_equal(w.depth, depth, "depth", round) &&
                   image_equal(w.stencil, stencil, "stencil", round);
            CHECK_EQ_INT(result.fault.status, VLIW_OK);
            if (level == 0) {
                memcpy(counters, result.counters, sizeof counters);
            }
            CHECK_EQ_INT(result.counters[RN_COUNTER_FRAGMENTS], counters[RN_COUNTER_FRAGMENTS]);
            CHECK_EQ_INT(result.counters[RN_COUNTER_FS_INSTRUCTIONS], counters[RN_COUNTER_FS_INSTRUCTIONS]);
            CHECK_EQ_INT(result.counters[RN_COUNTER_SAMPLES_PASSED], ref_passed);
        }
        free(color);
        free(depth);
        free(stencil);
        world_free(&w);
    }
    vliw_simd_limit(VLIW_SIMD_COUNT - 1);
    for (unsigned i = 0; i < KINDS; i++) {
        vliw_program_destroy(w.programs[i]->stage[VLIW_STAGE_FRAGMENT]);
        free(w.programs[i]);
    }
    rn_device_destroy(devices[0]);
    rn_device_destroy(devices[1]);
}

TEST(tile_fault_is_the_first) {
    /* Draw 0 passes, draw 1 never ends; the lowest tile that meets it is reported, whatever the threads. */
    char messages[2][sizeof(((struct rn_fault *)0)->message)];
    for (unsigned k = 0; k < 2; k++) {
        static struct world w;
        struct rn_device *device = rn_device_create(k ? 3 : 1);
        struct rn_tile_result result;
        memset(&w, 0, sizeof w);
        w.color = rn_image_create(RN_FORMAT_RGBA8, WIDTH, HEIGHT, 1, 1);
        w.fb = (struct rn_framebuffer){
            .width = WIDTH, .height = HEIGHT, .samples = 1, .color_count = 1, .color = {{w.color, 0}}};
        for (unsigned i = 0; i < DRAWS; i++) {
            w.programs[i] = program_of(i == 1 ? LOOP : PASS);
            w.draws[i].program = w.programs[i];
            w.constants[i] = calloc(64, sizeof(float));
            w.draws[i].constants = w.constants[i];
            w.draws[i].state.color_mask = 15;
            w.draws[i].state.draw_buffers = 1;
        }
        for (unsigned i = 0; i < PRIMS; i++) {
            w.prims[i] = random_prim(&w.draws[i == 60 ? 1 : 0]);
            w.prims[i]->kind = RN_PRIM_RECT;
            w.prims[i]->mask = 0; /* of the triangle that it may have been */
            w.prims[i]->box = (struct rn_box16){70, 0, WIDTH, HEIGHT};
        }
        run_world(&w, device, &result);
        CHECK_EQ_INT(result.fault.status, VLIW_ERR_BUDGET);
        CHECK(strstr(result.fault.message, "loop") != NULL);
        CHECK(strstr(result.fault.message, "line") != NULL);
        memcpy(messages[k], result.fault.message, sizeof messages[k]);
        for (unsigned i = 0; i < DRAWS; i++) {
            vliw_program_destroy(w.programs[i]->stage[VLIW_STAGE_FRAGMENT]);
            free(w.programs[i]);
        }
        world_free(&w);
        rn_device_destroy(device);
    }
    CHECK_STR(messages[0], messages[1]);
}
