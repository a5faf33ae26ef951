/* SPDX-License-Identifier: MIT */
/*
 * Procedural textures: value noise on a hashed lattice, tiles, wood, bricks.
 */
#include "texgen.h"

#include "app.h"
#include "smath.h"

static float lattice(int x, int y, int period, uint32_t seed) {
    uint32_t column = (uint32_t)(((x % period) + period) % period);
    uint32_t row = (uint32_t)(((y % period) + period) % period);
    return sm_random(column * 7919u + sm_hash(row + seed * 101u));
}

float texgen_noise(float x, float y, int period, uint32_t seed) {
    float cell_x = sm_floor(x);
    float cell_y = sm_floor(y);
    float s = sm_smoothstep(0.0f, 1.0f, x - cell_x);
    float t = sm_smoothstep(0.0f, 1.0f, y - cell_y);
    int ix = (int)cell_x;
    int iy = (int)cell_y;
    float bottom = sm_mix(lattice(ix, iy, period, seed), lattice(ix + 1, iy, period, seed), s);
    float top = sm_mix(lattice(ix, iy + 1, period, seed), lattice(ix + 1, iy + 1, period, seed), s);
    return sm_mix(bottom, top, t);
}

float texgen_fbm(float x, float y, int period, int octaves, uint32_t seed) {
    float sum = 0.0f;
    float weight = 0.5f;
    float total = 0.0f;
    for (int i = 0; i < octaves; i++) {
        sum += weight * texgen_noise(x, y, period, seed + (uint32_t)i);
        total += weight;
        x *= 2.0f;
        y *= 2.0f;
        period *= 2;
        weight *= 0.5f;
    }
    return sum / total;
}

void texgen_put(struct image *img, int x, int y, struct vec3 color, float alpha) {
    float channel[4] = {color.x, color.y, color.z, alpha};
    uint8_t *pixel = img->pixels + ((size_t)y * (size_t)img->width + (size_t)x) * 4;
    for (int c = 0; c < 4; c++) {
        pixel[c] = (uint8_t)(sm_clamp(channel[c], 0.0f, 1.0f) * 255.0f + 0.5f);
    }
}

/* A square wave of period 2 with soft slopes: -1 in even cells, 1 in odd ones. */
static float soft_wave(float x, float soft) {
    float cell = sm_floor(x);
    float place = x - cell;
    float near_edge = sm_smoothstep(0.0f, soft, sm_min(place, 1.0f - place));
    return ((int)cell & 1) != 0 ? near_edge : -near_edge;
}

struct image texgen_tiles(int size, int cells, struct vec3 a, struct vec3 b) {
    struct image img = app_image(size, size);
    for (int y = 0; y < size; y++) {
        for (int x = 0; x < size; x++) {
            float u = ((float)x + 0.5f) / (float)size * (float)cells;
            float v = ((float)y + 0.5f) / (float)size * (float)cells;
            float clouds = texgen_fbm(u * 2.0f, v * 2.0f, cells * 2, 3, 11);
            float shade = 0.82f + 0.3f * clouds;
            float wave = soft_wave(u, 0.09f) * soft_wave(v, 0.09f);
            texgen_put(&img, x, y, vec3_scale(vec3_mix(a, b, 0.5f + 0.5f * wave), shade), 1.0f);
        }
    }
    return img;
}

struct image texgen_crate(int size) {
    struct image img = app_image(size, size);
    struct vec3 dark = vec3_make(0.36f, 0.21f, 0.10f);
    struct vec3 light = vec3_make(0.82f, 0.58f, 0.33f);
    for (int y = 0; y < size; y++) {
        for (int x = 0; x < size; x++) {
            float u = ((float)x + 0.5f) / (float)size;
            float v = ((float)y + 0.5f) / (float)size;
            float edge_u = sm_min(u, 1.0f - u);
            float edge_v = sm_min(v, 1.0f - v);
            float edge = sm_min(edge_u, edge_v);
            bool in_frame = edge < 0.14f;
            /* Grain runs along the plank: upright inside, along each side of the frame. */
            bool upright = in_frame ? edge_u < edge_v : true;
            float along = upright ? v : u;
            float across = upright ? u : v;
            float planks = across * 6.0f;
            float plank = in_frame ? 0.0f : sm_floor(planks);
            float gap = in_frame ? 1.0f
                                 : sm_smoothstep(0.0f, 0.22f,
                                                 sm_min(planks - plank, plank + 1.0f - planks));
            float grain = texgen_fbm(across * 16.0f, along * 4.0f + plank * 7.0f, 16, 2, 5);
            float tone = 0.25f + 0.7f * grain + 0.12f * (sm_random((uint32_t)plank + 3u) - 0.5f);
            struct vec3 color = vec3_mix(dark, light, sm_clamp(tone, 0.0f, 1.0f));
            float rim = sm_smoothstep(0.0f, 0.04f, edge);
            /* The planks lie deeper than the frame and are darkest beside it. */
            float seam = in_frame ? 0.52f + 0.58f * sm_smoothstep(0.14f, 0.09f, edge)
                                  : 0.52f + 0.43f * sm_smoothstep(0.14f, 0.21f, edge);
            color = vec3_scale(color, (0.70f + 0.30f * gap) * (0.72f + 0.28f * rim) * seam);
            texgen_put(&img, x, y, color, 1.0f);
        }
    }
    return img;
}

#define BRICK_COLUMNS 4.0f
#define BRICK_ROWS 8.0f

/* The brick at (u, v): its number, and the place inside it, 0 to 1. */
static uint32_t find_brick(float u, float v, float *x, float *y) {
    float row_at = v * BRICK_ROWS;
    float row = sm_floor(row_at);
    float shift = ((int)row & 1) != 0 ? 0.5f : 0.0f;
    float column_at = u * BRICK_COLUMNS + shift;
    float column = sm_floor(column_at);
    *x = column_at - column;
    *y = row_at - row;
    int wrapped = (int)column % (int)BRICK_COLUMNS;
    return (uint32_t)(wrapped + 16 * (int)row);
}

float texgen_brick_height(float u, float v) {
    float x;
    float y;
    u -= sm_floor(u);
    v -= sm_floor(v);
    uint32_t brick = find_brick(u, v, &x, &y);
    float dx = sm_min(x, 1.0f - x) * 2.0f; /* bricks are twice as long as high */
    float dy = sm_min(y, 1.0f - y);
    float body = sm_smoothstep(0.02f, 0.18f, dx) * sm_smoothstep(0.02f, 0.18f, dy);
    float lumps = texgen_fbm(u * 16.0f, v * 16.0f, 16, 3, 31);
    return sm_clamp(body * (0.66f + 0.2f * sm_random(brick + 77u)) + 0.22f * lumps, 0.0f, 1.0f);
}

struct image texgen_brick_color(int size) {
    struct image img = app_image(size, size);
    struct vec3 mortar = vec3_make(0.62f, 0.59f, 0.55f);
    for (int row = 0; row < size; row++) {
        for (int column = 0; column < size; column++) {
            float x;
            float y;
            float u = ((float)column + 0.5f) / (float)size;
            float v = ((float)row + 0.5f) / (float)size;
            uint32_t brick = find_brick(u, v, &x, &y);
            float body = sm_smoothstep(0.02f, 0.14f, sm_min(x, 1.0f - x) * 2.0f) *
                         sm_smoothstep(0.02f, 0.14f, sm_min(y, 1.0f - y));
            float stain = texgen_fbm(u * 8.0f, v * 8.0f, 8, 4, 9);
            float hue = sm_random(brick + 5u);
            struct vec3 clay =
                vec3_mix(vec3_make(0.50f, 0.20f, 0.13f), vec3_make(0.76f, 0.38f, 0.23f), hue);
            clay = vec3_scale(clay, 0.7f + 0.5f * stain);
            texgen_put(&img, column, row,
                       vec3_mix(vec3_scale(mortar, 0.6f + 0.5f * stain), clay, body), 1.0f);
        }
    }
    return img;
}

struct image texgen_brick_normal(int size, float strength) {
    struct image img = app_image(size, size);
    float step = 1.0f / (float)size;
    for (int row = 0; row < size; row++) {
        for (int column = 0; column < size; column++) {
            float u = ((float)column + 0.5f) * step;
            float v = ((float)row + 0.5f) * step;
            float du = texgen_brick_height(u + step, v) - texgen_brick_height(u - step, v);
            float dv = texgen_brick_height(u, v + step) - texgen_brick_height(u, v - step);
            struct vec3 n = vec3_normalize(vec3_make(-du * strength, -dv * strength, 1.0f));
            texgen_put(&img, column, row,
                       vec3_make(n.x * 0.5f + 0.5f, n.y * 0.5f + 0.5f, n.z * 0.5f + 0.5f),
                       texgen_brick_height(u, v));
        }
    }
    return img;
}
