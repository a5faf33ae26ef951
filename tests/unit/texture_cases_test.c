/* SPDX-License-Identifier: MIT */
/*
 * Texture sampling: cases with known answers (wraps, levels, faces, anisotropy, extreme sizes), the edges of the
 * contract (incomplete, any coordinates, full scale), and references on images. Every SIMD level is checked.
 */
#include <stdlib.h>

#include "tests/unit/texture_view.h"

/* Sizes at the limits: every texel of 8192 is met at its centre, by both filters. */
static void check_wide(struct rn_view *view) {
    bool tall = view->level[0][0].height > 1;
    int wrong = 0;
    for (int first = 0; first < RN_MAX_SIZE; first += VM_LANES) {
        for (int i = 0; i < VM_LANES; i++) {
            batch.coord[0][i] = tall ? 0.5f : ((float)(first + i) + 0.5f) / (float)RN_MAX_SIZE;
            batch.coord[1][i] = tall ? ((float)(first + i) + 0.5f) / (float)RN_MAX_SIZE : 0.5f;
        }
        sample(view, VLIW_TEX_IMPLICIT, false);
        for (int i = 0; i < VM_LANES; i++) {
            int at = byte_of(batch.result[tall ? 1 : 0][i]) + 256 * byte_of(batch.result[2][i]);
            wrong += at != first + i;
        }
    }
    CHECK_EQ_INT(wrong, 0);
}

TEST(widest) {
    for (int k = 0; k < 4; k++) {
        struct rn_view_desc desc = {.min_filter = (uint8_t)(k & 1), .mag_filter = (uint8_t)(k & 1)};
        desc.wrap[0] = desc.wrap[1] = (uint8_t)(k == 3 ? RN_WRAP_MIRROR : RN_WRAP_REPEAT);
        uint32_t w = k < 2 ? RN_MAX_SIZE : 1;
        each_level(make_view(&desc, RN_FORMAT_RGBA8, w, RN_MAX_SIZE / w, 1, fill_position), check_wide);
    }
}

/* ---- known answers -------------------------------------------------------------------------------------------- */

static void check_wraps(struct rn_view *view) {
    static const float s[4] = {-0.125f, -1.125f, -0.375f, 1.125f};
    static const int want[3][4] = {
        [RN_WRAP_REPEAT] = {3, 3, 2, 0}, [RN_WRAP_MIRROR] = {0, 3, 1, 3}, [RN_WRAP_CLAMP] = {0, 0, 0, 3}};
    for (int i = 0; i < VM_LANES; i++) {
        batch.coord[0][i] = s[i % 4];
        batch.coord[1][i] = 0.5f;
    }
    sample(view, VLIW_TEX_IMPLICIT, false);
    for (int i = 0; i < 4; i++) {
        CHECK_EQ_INT(byte_of(batch.result[0][i]), want[view->desc.wrap[0]][i]);
    }
}

TEST(wrap_modes) { /* case 9 */
    for (uint8_t wrap = 0; wrap < 3; wrap++) {
        struct rn_view_desc desc = {.wrap = {wrap, wrap, wrap}};
        each_level(make_view(&desc, RN_FORMAT_RGBA8, 4, 1, 1, fill_position), check_wraps);
    }
}

/* Footprints in texels a pixel, one for each group of four quads. */
static void check_footprints(struct rn_view *view) {
    static const float along[4][2] = {{1, 1}, {4, 1}, {1, 4}, {2, 8}};
    static const int levels[4] = {0, 2, 2, 3};
    for (int i = 0; i < VM_LANES; i++) {
        const float *a = along[i / 4 % 4];
        batch.coord[0][i] = 0.1f + a[0] / 64.0f * (float)(i & 1);
        batch.coord[1][i] = 0.2f + a[1] / 16.0f * (float)(i >> 1 & 1);
    }
    sample(view, VLIW_TEX_IMPLICIT, false);
    for (int i = 0; i < VM_LANES; i++) {
        CHECK_EQ_INT(byte_of(batch.result[0][i]), 16 * (levels[i / 4 % 4] + 1));
    }
}

TEST(mip_levels) { /* case 10 */
    for (uint8_t mip = RN_MIP_NEAREST; mip <= RN_MIP_LINEAR; mip++) {
        for (uint8_t filter = 0; filter < 2; filter++) {
            struct rn_view_desc desc = {.mip = mip, .min_filter = filter, .mag_filter = filter};
            each_level(make_view(&desc, RN_FORMAT_RGBA8, 64, 16, 1, fill_level), check_footprints);
        }
    }
}

/* Given levels: lambda, and the level that NEAREST_MIPMAP and LINEAR_MIPMAP choose. */
static void check_given(struct rn_view *view) {
    static const float lod[12] = {-40.0f, -1.0f, 0.0f, 0.25f, 0.5f, 0.51f, 1.0f, 1.5f, 1.51f, 2.75f, 9.0f, 400.0f};
    static const int nearest[12] = {0, 0, 0, 0, 0, 1, 1, 1, 2, 3, 6, 6};
    for (int i = 0; i < VM_LANES; i++) {
        batch.coord[0][i] = batch.coord[1][i] = 0.3f;
        batch.lod[i] = lod[i % 12];
    }
    sample(view, VLIW_TEX_LOD, false);
    for (int i = 0; i < 12; i++) {
        double level = fmin(fmax((double)lod[i], 0.0), 6.0);
        double want = (view->desc.mip == RN_MIP_NEAREST ? nearest[i] : round(level * 256) / 256) + 1.0;
        CHECK(fabs((double)batch.result[0][i] * 255.0 / 16.0 - want) < 1e-5);
    }
}

TEST(given_levels) {
    for (uint8_t mip = RN_MIP_NEAREST; mip <= RN_MIP_LINEAR; mip++) {
        struct rn_view_desc desc = {.mip = mip};
        each_level(make_view(&desc, RN_FORMAT_RGBA8, 64, 64, 1, fill_level), check_given);
    }
}

/* Mag and min filters differ: two texels 0 and 255, a coordinate where LINEAR gives the middle. */
static void fill_step(int face, int level, struct rn_image *image) {
    (void)face, (void)level;
    for (uint32_t x = 0; x < image->width; x++) {
        uint32_t word = x % 2 ? 0xFFFFFFFFu : 0xFF000000u;
        for (uint32_t y = 0; y < image->height; y++) {
            memcpy(image->data + y * image->row_bytes + 4 * x, &word, 4);
        }
    }
}

static void check_switch(struct rn_view *view) {
    static const float lod[4] = {-0.25f, 0.0f, 0.25f, 0.01f};
    for (int i = 0; i < VM_LANES; i++) {
        batch.coord[0][i] = 0.5f;
        batch.coord[1][i] = 0.5f;
        batch.lod[i] = lod[i % 4];
    }
    sample(view, VLIW_TEX_LOD, false);
    bool mag_linear = view->desc.mag_filter == RN_FILTER_LINEAR;
    for (int i = 0; i < 4; i++) {
        bool linear = lod[i] <= (mag_linear && view->desc.mip != RN_MIP_NONE ? 0.5f : 0.0f) ? mag_linear : !mag_linear;
        CHECK_EQ_INT(byte_of(batch.result[0][i]), linear ? 128 : 0);
    }
}

TEST(magnification_ends) { /* case 11 is of derivatives (c = 0); given levels follow section 3.7.7 */
    for (uint8_t mag = 0; mag < 2; mag++) {
        for (uint8_t mip = 0; mip < 2; mip++) {
            struct rn_view_desc desc = {.mip = mip, .mag_filter = mag, .min_filter = !mag};
            each_level(make_view(&desc, RN_FORMAT_RGBA8, 4, 4, 1, fill_step), check_switch);
        }
    }
}

/* ---- cube maps ------------------------------------------------------------------------------------------------ */

static void check_cube_faces(struct rn_view *view) {
    static const float d[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    for (int i = 0; i < VM_LANES; i++) {
        for (int c = 0; c < 3; c++) {
            batch.coord[c][i] = d[i % 6][c] * 7.0f + (d[i % 6][c] == 0.0f ? 0.5f : 0.0f);
        }
    }
    sample(view, VLIW_TEX_IMPLICIT, false);
    for (int i = 0; i < VM_LANES; i++) {
        CHECK_EQ_INT(byte_of(batch.result[1][i]), i % 6 * 32);
    }
    /* no direction: the middle of +X; ties: x before y before z */
    static const float odd[8][3] = {{0, 0, 0},  {NAN, 1, 0}, {1, NAN, 0}, {0, 1, NAN},
                                    {-2, 2, 2}, {1, -2, 2},  {-2, 1, -2}, {-0.0f, 0, 0}};
    static const int faces[8] = {0, 0, 0, 0, 1, 3, 1, 0};
    for (int i = 0; i < VM_LANES; i++) {
        for (int c = 0; c < 3; c++) {
            batch.coord[c][i] = odd[i % 8][c];
        }
    }
    sample(view, VLIW_TEX_IMPLICIT, false);
    for (int i = 0; i < 8; i++) {
        CHECK_EQ_INT(byte_of(batch.result[1][i]), faces[i] * 32);
    }
}

TEST(cube_faces) {
    for (uint8_t mip = 0; mip < 3; mip++) {
        struct rn_view_desc desc = {.type = RN_TEXTURE_CUBE, .mip = mip};
        each_level(make_view(&desc, RN_FORMAT_RGBA8, 8, 8, 1, fill_level), check_cube_faces);
    }
}

static void check_cube_edge(struct rn_view *view) {
    for (int i = 0; i < VM_LANES; i++) {
        batch.coord[0][i] = 1.0f;
        batch.coord[1][i] = 0.0f;
        batch.coord[2][i] = 0.999f;
    }
    sample(view, VLIW_TEX_IMPLICIT, false);
    /* s = (-0.999 + 1) / 2: left of the first texel's centre; t = 0.5: rows 0 and 1 in equal parts */
    bool repeat = view->desc.wrap[0] == RN_WRAP_REPEAT;
    CHECK(fabs((double)batch.result[0][0] * 255.0 - (repeat ? 0.5 - 0.0005 * 2 : 0.0)) < 0.01);
    CHECK(fabs((double)batch.result[1][0] * 255.0 - 0.5) < 1e-4);
}

TEST(cube_filters_within_a_face) { /* case 12 */
    for (uint8_t wrap = RN_WRAP_REPEAT; wrap <= RN_WRAP_CLAMP; wrap++) {
        struct rn_view_desc desc = {
            .type = RN_TEXTURE_CUBE, .min_filter = 1, .mag_filter = 1, .wrap = {wrap, wrap, wrap}};
        each_level(make_view(&desc, RN_FORMAT_RGBA8, 2, 2, 1, fill_position), check_cube_edge);
    }
}

/* ---- anisotropy ----------------------------------------------------------------------------------------------- */

/* Eight texels a pixel along s, one along t: level 0 with eight samples, where an isotropic footprint blurs to level 3.
 */
static void check_anisotropy(struct rn_view *view) {
    for (int i = 0; i < VM_LANES; i++) {
        batch.coord[0][i] = 0.5f + 8.0f / 64.0f * (float)(i & 1);
        batch.coord[1][i] = (0.5f + (float)(i >> 1 & 1)) / 64.0f;
    }
    sample(view, VLIW_TEX_IMPLICIT, false);
    int level = view->desc.max_anisotropy >= 8.0f ? 0 : view->desc.max_anisotropy >= 4.0f ? 1 : 3;
    for (int i = 0; i < VM_LANES; i++) {
        CHECK_EQ_INT(byte_of(batch.result[0][i]), 16 * (level + 1));
    }
}

TEST(anisotropic_levels) {
    static const float limits[4] = {1.0f, 4.0f, 8.0f, 16.0f};
    for (int k = 0; k < 4; k++) {
        struct rn_view_desc desc = {.mip = RN_MIP_NEAREST, .max_anisotropy = limits[k]};
        each_level(make_view(&desc, RN_FORMAT_RGBA8, 64, 64, 1, fill_level), check_anisotropy);
    }
}

/* The mean along the footprint: a ramp gives its value at the middle. */
static void check_ramp(struct rn_view *view) {
    for (int i = 0; i < VM_LANES; i++) {
        batch.coord[0][i] = 0.5f;
        batch.coord[1][i] = 0.5f;
        batch.ddx[0][i] = 6.0f / 64.0f;
        batch.ddx[1][i] = 0.0f;
        batch.ddy[0][i] = 0.0f;
        batch.ddy[1][i] = 1.0f / 64.0f;
    }
    sample(view, VLIW_TEX_GRAD, false);
    CHECK(fabs((double)batch.result[0][0] * 255.0 - 31.5) < 0.02);
}

TEST(anisotropic_mean) {
    struct rn_view_desc desc = {.min_filter = 1, .mag_filter = 1, .max_anisotropy = 16.0f};
    each_level(make_view(&desc, RN_FORMAT_RGBA8, 64, 64, 1, fill_position), check_ramp);
}

/* ---- the edges of the contract -------------------------------------------------------------------------------- */

TEST(incomplete) {
    sample(NULL, VLIW_TEX_IMPLICIT, false);
    for (int i = 0; i < VM_LANES; i++) {
        CHECK(batch.result[0][i] == 0.0f && batch.result[1][i] == 0.0f && batch.result[2][i] == 0.0f);
        CHECK(batch.result[3][i] == 1.0f);
    }
    struct rn_view_desc desc = {.levels = 1, .max_anisotropy = 1.0f};
    desc.images[0][0] = rn_image_create(RN_FORMAT_RGBA8, 0, 5, 1, 1);
    struct rn_view *empty = finish(&desc);
    sample(empty, VLIW_TEX_IMPLICIT, false);
    CHECK(batch.result[0][5] == 0.0f && batch.result[3][5] == 1.0f);
    CHECK(rn_view_description(empty)->levels == 1);
    rn_view_unref(empty);
}

TEST(sampler_numbers_out_of_range) {
    struct rn_view *views[RN_MAX_TEXTURES] = {NULL};
    struct rn_sample_context context = {.views = views};
    struct vliw_tex_request r;
    memset(&r, 0, sizeof r);
    r.sampler = 0xFFFFFFFFu;
    r.mask.w[0] = 3;
    for (int c = 0; c < 4; c++) {
        batch.result[c][0] = batch.result[c][2] = 9.0f;
        r.result[c] = batch.result[c];
    }
    for (int c = 0; c < 3; c++) {
        r.coord[c] = batch.coord[c];
    }
    rn_sample(&context, &r);
    CHECK(batch.result[0][0] == 0.0f && batch.result[3][0] == 1.0f && batch.result[3][2] == 9.0f);
    CHECK_EQ_INT(context.reads, 2);
}

/* Any bits as input: no access outside the images (sanitizer builds), and results within the texels' range. */
static void check_awkward(struct rn_view *view) {
    static const float odd[12] = {NAN, INFINITY, -INFINITY, 3.4e38f, -3.4e38f, 1e-45f, -1e-45f, 8388608.0f, -8388609.0f,
                                  2147483648.0f, -0.0f, 16777217.0f};
    for (unsigned kind = 0; kind < 4; kind++) {
        for (int i = 0; i < VM_LANES; i++) {
            for (int c = 0; c < 3; c++) {
                batch.coord[c][i] = check_random_below(2) ? odd[check_random_below(12)] : check_random_float();
                batch.ddx[c][i] = check_random_below(2) ? odd[check_random_below(12)] : check_random_float();
                batch.ddy[c][i] = check_random_below(2) ? odd[check_random_below(12)] : check_random_float();
            }
            batch.lod[i] = check_random_below(2) ? odd[check_random_below(12)] : check_random_float();
            batch.reference[i] = check_random_float();
        }
        sample(view, kind, view->desc.compare);
        for (int i = 0; i < VM_LANES; i++) {
            for (int c = 0; c < 4; c++) {
                CHECK(batch.result[c][i] >= -2.0f && batch.result[c][i] <= 2.0f);
            }
        }
    }
}

TEST(any_coordinates_are_safe) {
    for (int format = RN_FORMAT_RGBA8; format < RN_FORMAT_S8; format++) {
        for (int k = 0; k < 9; k++) {
            struct rn_view_desc desc = {.type = (uint8_t)(k % 3), .mip = (uint8_t)(k / 3), .srgb_decode = true};
            desc.wrap[0] = (uint8_t)check_random_below(3);
            desc.wrap[1] = (uint8_t)check_random_below(3);
            desc.wrap[2] = (uint8_t)check_random_below(3);
            desc.min_filter = (uint8_t)check_random_below(2);
            desc.mag_filter = (uint8_t)check_random_below(2);
            desc.compare = k == 3 && rn_format_info((enum rn_format)format)->kind == RN_KIND_DEPTH;
            desc.compare_func = RN_LEQUAL;
            desc.max_anisotropy = k == 0 || k == 6 ? 16.0f : 1.0f;
            uint32_t size = 1 + check_random_below(17);
            each_level(make_view(&desc, (enum rn_format)format, size, size, k % 3 == 2 ? size : 1, fill_random),
                       check_awkward);
        }
    }
}

/* Normalised formats reach exactly 0 and 1 through every filter. */
static void fill_ones(int face, int level, struct rn_image *image) {
    (void)face;
    memset(image->data, level & 1 ? 0x00 : 0xFF, image->slice_bytes * image->depth);
    if (image->format == RN_FORMAT_D24) {
        uint32_t *words = (uint32_t *)(void *)image->data;
        for (size_t i = 0; i < image->slice_bytes / 4; i++) {
            words[i] &= 0xFFFFFFu;
        }
    }
}
static void check_ones(struct rn_view *view) {
    for (int i = 0; i < VM_LANES; i++) {
        batch.coord[0][i] = unit() * 2.0f;
        batch.coord[1][i] = unit() * 2.0f;
        batch.coord[2][i] = unit() * 2.0f;
    }
    sample(view, VLIW_TEX_IMPLICIT, false);
    for (int i = 0; i < VM_LANES; i++) {
        for (int c = 0; c < 4; c++) {
            CHECK(batch.result[c][i] == 0.0f || batch.result[c][i] == 1.0f);
        }
    }
}

TEST(full_scale_is_one) {
    for (int format = RN_FORMAT_RGBA8; format <= RN_FORMAT_SRGB8_A8; format++) {
        for (int k = 0; k < 6; k++) {
            struct rn_view_desc desc = {.type = (uint8_t)(k % 3), .min_filter = 1, .mag_filter = (uint8_t)(k / 3),
                                        .srgb_decode = true};
            each_level(make_view(&desc, (enum rn_format)format, 5, 5, k % 3 == 2 ? 5 : 1, fill_ones), check_ones);
        }
    }
    struct rn_view_desc desc = {.min_filter = 1, .mag_filter = 1};
    each_level(make_view(&desc, RN_FORMAT_D24, 5, 5, 1, fill_ones), check_ones);
    struct rn_view_desc narrow = {.min_filter = 1, .mag_filter = 1};
    each_level(make_view(&narrow, RN_FORMAT_D16, 5, 5, 1, fill_ones), check_ones);
}

TEST(views_keep_their_images) {
    struct rn_view_desc desc = {.levels = 1, .max_anisotropy = 1.0f};
    struct rn_image *image = rn_image_create(RN_FORMAT_RGBA8, 2, 2, 1, 1);
    desc.images[0][0] = image;
    struct rn_view *view = rn_view_create(&desc);
    CHECK_EQ_INT(image->refs, 2);
    CHECK(rn_view_ref(view) == view && rn_view_ref(NULL) == NULL);
    rn_view_unref(view);
    CHECK_EQ_INT(image->refs, 2);
    rn_view_unref(view);
    rn_view_unref(NULL);
    CHECK_EQ_INT(image->refs, 1);
    rn_image_unref(image);
}
