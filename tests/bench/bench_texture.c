/* SPDX-License-Identifier: MIT */
/*
 * Nanoseconds per lane of texture sampling, in cache, on every backend: the callback as a batch calls it.
 * Batches are 8x8 pixels of a slightly turned screen-aligned square, one after another over the texture.
 * Usage: bench_texture [word]   (only the cases whose name contains the word)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "renderer/scene.h"
#include "renderer/texture.h"
#include "vm/base/cpu.h"

enum { BATCHES = 64, SIZE = 256, ROUNDS = 400 };

struct bench_case {
    const char *name;
    enum rn_texture_type type;
    enum rn_format format;
    enum rn_filter filter;
    enum rn_mip mip;
    enum rn_wrap wrap;
    double step;             /* texels a pixel */
    double tilt;             /* growth of the step over a batch */
    bool lod;                /* explicit level of detail */
};

static const struct bench_case cases[] = {
    {"nearest repeat", RN_TEXTURE_2D, RN_FORMAT_RGBA8, RN_FILTER_NEAREST, RN_MIP_NONE, RN_WRAP_REPEAT, 1.0, 0.0, false},
    {"nearest clamp", RN_TEXTURE_2D, RN_FORMAT_RGBA8, RN_FILTER_NEAREST, RN_MIP_NONE, RN_WRAP_CLAMP, 1.0, 0.0, false},
    {"bilinear repeat", RN_TEXTURE_2D, RN_FORMAT_RGBA8, RN_FILTER_LINEAR, RN_MIP_NONE, RN_WRAP_REPEAT, 1.0, 0.0, false},
    {"bilinear clamp", RN_TEXTURE_2D, RN_FORMAT_RGBA8, RN_FILTER_LINEAR, RN_MIP_NONE, RN_WRAP_CLAMP, 1.0, 0.0, false},
    {"bilinear mirror", RN_TEXTURE_2D, RN_FORMAT_RGBA8, RN_FILTER_LINEAR, RN_MIP_NONE, RN_WRAP_MIRROR, 1.0, 0.0, false},
    {"bilinear, nearest level", RN_TEXTURE_2D, RN_FORMAT_RGBA8, RN_FILTER_LINEAR, RN_MIP_NEAREST, RN_WRAP_REPEAT, 2.1,
     0.0, false},
    {"trilinear, one level pair", RN_TEXTURE_2D, RN_FORMAT_RGBA8, RN_FILTER_LINEAR, RN_MIP_LINEAR, RN_WRAP_REPEAT, 1.5,
     0.0, false},
    {"trilinear, several levels", RN_TEXTURE_2D, RN_FORMAT_RGBA8, RN_FILTER_LINEAR, RN_MIP_LINEAR, RN_WRAP_REPEAT, 1.7,
     0.08, false},
    {"trilinear, explicit level", RN_TEXTURE_2D, RN_FORMAT_RGBA8, RN_FILTER_LINEAR, RN_MIP_LINEAR, RN_WRAP_REPEAT, 1.5,
     0.0, true},
    {"cube nearest", RN_TEXTURE_CUBE, RN_FORMAT_RGBA8, RN_FILTER_NEAREST, RN_MIP_NONE, RN_WRAP_CLAMP, 1.0, 0.0, false},
    {"cube bilinear", RN_TEXTURE_CUBE, RN_FORMAT_RGBA8, RN_FILTER_LINEAR, RN_MIP_NONE, RN_WRAP_CLAMP, 1.0, 0.0, false},
    {"cube trilinear", RN_TEXTURE_CUBE, RN_FORMAT_RGBA8, RN_FILTER_LINEAR, RN_MIP_LINEAR, RN_WRAP_CLAMP, 1.5, 0.0,
     false},
    {"L8 bilinear", RN_TEXTURE_2D, RN_FORMAT_L8, RN_FILTER_LINEAR, RN_MIP_NONE, RN_WRAP_REPEAT, 1.0, 0.0, false},
    {"A8 nearest", RN_TEXTURE_2D, RN_FORMAT_A8, RN_FILTER_NEAREST, RN_MIP_NONE, RN_WRAP_REPEAT, 1.0, 0.0, false},
    {"LA8 bilinear", RN_TEXTURE_2D, RN_FORMAT_LA8, RN_FILTER_LINEAR, RN_MIP_NONE, RN_WRAP_REPEAT, 1.0, 0.0, false},
    {"RGB565 nearest", RN_TEXTURE_2D, RN_FORMAT_RGB565, RN_FILTER_NEAREST, RN_MIP_NONE, RN_WRAP_REPEAT, 1.0, 0.0,
     false},
    {"RGB565 bilinear", RN_TEXTURE_2D, RN_FORMAT_RGB565, RN_FILTER_LINEAR, RN_MIP_NONE, RN_WRAP_REPEAT, 1.0, 0.0,
     false},
    {"sRGB bilinear", RN_TEXTURE_2D, RN_FORMAT_SRGB8_A8, RN_FILTER_LINEAR, RN_MIP_NONE, RN_WRAP_REPEAT, 1.0, 0.0,
     false},
    {"RGBA32F nearest", RN_TEXTURE_2D, RN_FORMAT_RGBA32F, RN_FILTER_NEAREST, RN_MIP_NONE, RN_WRAP_REPEAT, 1.0, 0.0,
     false},
    {"RGBA16F bilinear", RN_TEXTURE_2D, RN_FORMAT_RGBA16F, RN_FILTER_LINEAR, RN_MIP_NONE, RN_WRAP_REPEAT, 1.0, 0.0,
     false},
    {"D24 shadow bilinear", RN_TEXTURE_2D, RN_FORMAT_D24, RN_FILTER_LINEAR, RN_MIP_NONE, RN_WRAP_CLAMP, 1.0, 0.0,
     false},
    {"3D trilinear", RN_TEXTURE_3D, RN_FORMAT_RGBA8, RN_FILTER_LINEAR, RN_MIP_NONE, RN_WRAP_CLAMP, 1.0, 0.0, false},
};

static struct {
    _Alignas(64) float coord[BATCHES][3][VM_LANES];
    _Alignas(64) float other[VM_LANES];
    _Alignas(64) float result[4][VM_LANES];
} data;

static struct rn_view *make_view(const struct bench_case *c) {
    struct rn_view_desc desc = {.type = (uint8_t)c->type,
                                .min_filter = (uint8_t)c->filter,
                                .mag_filter = (uint8_t)c->filter,
                                .mip = (uint8_t)c->mip,
                                .wrap = {(uint8_t)c->wrap, (uint8_t)c->wrap, (uint8_t)c->wrap},
                                .srgb_decode = true,
                                .max_anisotropy = 1.0f};
    desc.compare = c->format == RN_FORMAT_D24;
    desc.compare_func = RN_LEQUAL;
    uint32_t size = c->type == RN_TEXTURE_3D ? 32 : SIZE;
    for (int f = 0; f < (c->type == RN_TEXTURE_CUBE ? 6 : 1); f++) {
        desc.levels = 0;
        for (uint32_t s = size; s && (desc.levels == 0 || c->mip != RN_MIP_NONE); s /= 2, desc.levels++) {
            struct rn_image *image = rn_image_create(c->format, s, s, c->type == RN_TEXTURE_3D ? s : 1, 1);
            for (size_t i = 0; i < image->slice_bytes * image->depth / 4; i++) {
                uint32_t word = (uint32_t)(i * 2654435761u) & 0x3F3F3F3Fu;
                word = c->format == RN_FORMAT_RGBA16F ? word | 0x04000400u : word;
                word = c->format == RN_FORMAT_D24 ? word & 0xFFFFFFu : word;
                memcpy(image->data + 4 * i, &word, 4);
            }
            desc.images[f][desc.levels] = image;
        }
    }
    struct rn_view *view = rn_view_create(&desc);
    for (int f = 0; f < 6; f++) {
        for (int l = 0; l < desc.levels; l++) {
            rn_image_unref(desc.images[f][l]);
        }
    }
    return view;
}

static void make_coords(const struct bench_case *c) {
    double unit = c->step / (c->type == RN_TEXTURE_3D ? 32.0 : SIZE);
    for (int b = 0; b < BATCHES; b++) {
        for (int lane = 0; lane < VM_LANES; lane++) {
            int quad = lane / 4;
            double x = (b % 8) * 8 + (quad % 4) * 2 + (lane & 1), y = (b / 8) * 8 + quad / 4 * 2 + (lane >> 1 & 1);
            double grow = 1.0 + c->tilt * (y - (b / 8) * 8);
            double s = (0.99 * x + 0.1 * y) * unit * grow, t = (0.99 * y * grow - 0.1 * x) * unit;
            if (c->type == RN_TEXTURE_CUBE) {
                data.coord[b][0][lane] = 1.0f;
                data.coord[b][1][lane] = (float)(2.0 * (s - floor(s)) - 1.0) * 0.5f;
                data.coord[b][2][lane] = (float)(2.0 * (t - floor(t)) - 1.0) * 0.5f;
            } else {
                data.coord[b][0][lane] = (float)(s * 1.0 + 0.001);
                data.coord[b][1][lane] = (float)(t * 1.0 + 0.001);
                data.coord[b][2][lane] = (float)(s * 0.5 + 0.2);
            }
        }
    }
    for (int lane = 0; lane < VM_LANES; lane++) {
        data.other[lane] = c->format == RN_FORMAT_D24 ? 0.3f : 0.6f;
    }
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double run(const struct bench_case *c, struct rn_view *view, int repeat) {
    struct rn_view *views[RN_MAX_TEXTURES] = {view};
    struct rn_sample_context context = {.views = views};
    double best = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        for (int k = 0; k < repeat; k++) {
            for (int b = 0; b < BATCHES; b++) {
                struct vliw_tex_request r;
                memset(&r, 0, sizeof r);
                r.kind = c->lod ? VLIW_TEX_LOD : VLIW_TEX_IMPLICIT;
                memset(&r.mask, 0xFF, sizeof r.mask);
                for (int i = 0; i < 3; i++) {
                    r.coord[i] = data.coord[b][i];
                }
                r.reference = c->format == RN_FORMAT_D24 ? data.other : NULL;
                r.lod = c->lod ? data.other : NULL;
                for (int i = 0; i < 4; i++) {
                    r.result[i] = data.result[i];
                }
                rn_sample(&context, &r);
            }
        }
        double each = (now() - start) / ((double)repeat * BATCHES * VM_LANES);
        best = each < best ? each : best;
    }
    return best;
}

int main(int argc, char **argv) {
    unsigned available = cpu_simd_available();
    printf("ns per lane (times faster than scalar), %d lanes a batch\n", VM_LANES);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct bench_case *c = &cases[i];
        if (argc > 1 && !strstr(c->name, argv[1])) {
            continue;
        }
        struct rn_view *view = make_view(c);
        make_coords(c);
        double scalar = 0.0;
        printf("%-28s", c->name);
        for (int level = 0; level < CPU_SIMD_COUNT; level++) {
            if (!(available >> level & 1u)) {
                continue;
            }
            rn_view_set_level(view, (enum vliw_simd)level);
            double ns = run(c, view, 1);
            scalar = level == CPU_SIMD_SCALAR ? ns : scalar;
            printf("  %s %6.2f (%4.1f)", cpu_simd_name((enum cpu_simd)level), ns, scalar / ns);
        }
        printf("\n");
        rn_view_unref(view);
    }
    return 0;
}
