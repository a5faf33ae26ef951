/* SPDX-License-Identifier: MIT */
/*
 * Texture sampling bit by bit: the definition in renderer/texture.h, written out here lane by lane in plain C
 * (with the plain fetch for the texel formats), against every SIMD level on random views and requests.
 */
#include <stdio.h>
#include <stdlib.h>

#include "renderer/scene.h"
#include "renderer/texture.h"
#include "tests/harness/check.h"
#include "vm/base/bits.h"
#include "vm/base/cpu.h"

/* ---- axes ----------------------------------------------------------------------------------------------------- */

static float round_even(float v) { /* |v| < 2^23 keeps its sign; larger ones are integers */
    float m = v < 0.0f ? -v : v;
    if (!(m < 8388608.0f)) {
        return v;
    }
    float r = (m + 8388608.0f) - 8388608.0f;
    return v < 0.0f ? -r : r;
}
static float floor_of(float v) {
    float r = round_even(v);
    return r > v ? r - 1.0f : r;
}

static float wrap_coordinate(float v, int wrap) {
    float w = v;
    if (wrap == RN_WRAP_REPEAT) {
        w = v - floor_of(v);
    } else if (wrap == RN_WRAP_MIRROR) {
        w = v - 2.0f * round_even(v * 0.5f);
        w = w < 0.0f ? -w : w;
    }
    w = w > 0.0f ? w : 0.0f;
    return w < 1.0f ? w : 1.0f;
}

static int inside(int index, int size, int wrap) {
    if (index < 0) {
        return wrap == RN_WRAP_REPEAT ? size - 1 : 0;
    }
    return index < size ? index : (wrap == RN_WRAP_REPEAT ? 0 : size - 1);
}

TEST(axes) {
    unsigned available = cpu_simd_available();
    struct rn_view_desc desc = {.max_anisotropy = 1.0f, .levels = 1};
    desc.images[0][0] = rn_image_create(RN_FORMAT_RGBA8, 4, 4, 1, 1);
    struct rn_view *view = rn_view_create(&desc);
    rn_image_unref(desc.images[0][0]);
    for (int level = 0; level < CPU_SIMD_COUNT; level++) {
        if (!(available >> level & 1u)) {
            continue;
        }
        rn_view_set_level(view, (enum vliw_simd)level);
        for (int round = 0; round < 3000; round++) {
            static _Alignas(64) float coord[VM_LANES];
            struct rn_axis nearest, linear;
            int wrap = (int)check_random_below(3), wrong = 0;
            int size = 1 + (int)check_random_below(check_random_below(2) ? 9 : RN_MAX_SIZE);
            for (int i = 0; i < VM_LANES; i++) {
                coord[i] = check_random_below(3) ? ((float)check_random_below(1u << 24) / 16777216.0f - 0.5f) * 6.0f
                                                 : check_random_float();
            }
            view->kernels->axis[RN_FILTER_NEAREST](coord, size, (uint8_t)wrap, &nearest);
            view->kernels->axis[RN_FILTER_LINEAR](coord, size, (uint8_t)wrap, &linear);
            for (int i = 0; i < VM_LANES; i++) {
                int u = (int)round_even(wrap_coordinate(coord[i], wrap) * ((float)size * 256.0f));
                int below = u < 128 ? -1 : (u - 128) / 256;
                wrong += nearest.i0[i] != inside(u / 256, size, wrap);
                wrong += linear.i0[i] != inside(below, size, wrap) || linear.i1[i] != inside(below + 1, size, wrap);
                wrong += linear.f[i] != ((u + 128) & 255);
            }
            if (wrong) {
                check_failf(__FILE__, __LINE__, "%s: size %d wrap %d: %d lanes differ",
                            cpu_simd_name((enum cpu_simd)level), size, wrap, wrong);
            }
        }
        CHECK(true);
    }
    rn_view_unref(view);
}

/* ---- the definition of a whole request ------------------------------------------------------------------------ */

static float log2_of(float v) {
    uint32_t bits = bits_from_float(v);
    float x = bits_to_float((bits & 0x007FFFFFu) | 0x3F800000u) - 1.0f;
    static const float c[7] = {1.4426627f,  -0.72048783f,  0.4729156f,  -0.3239718f,
                               0.19133031f, -0.077314414f, 0.014865403f};
    float p = c[6];
    for (int i = 5; i >= 0; i--) {
        float product = p * x;
        p = product + c[i];
    }
    float fraction = p * x;
    return (float)((int)(bits >> 23) - 127) + fraction;
}

static float lambda_of(float rho2) {
    if (!(rho2 > 1e-30f)) {
        return -100.0f;
    }
    return 0.5f * log2_of(rho2 < 1e30f ? rho2 : 1e30f);
}

static int to_fixed(float lambda) {
    float v = lambda * 256.0f;
    v = v > -8192.0f ? v : -8192.0f;
    v = v < 8192.0f ? v : 8192.0f;
    return (int)round_even(v);
}

static float larger(float a, float b) { return a > b ? a : b; }
static float magnitude(float v) { return v < 0.0f ? -v : v; }

static float flat_length2(const struct rn_view *view, float ds, float dt, float dr) {
    const struct rn_level *l = &view->level[0][0];
    float u = ds * (float)l->width, v = dt * (float)l->height, w = dr * (float)l->depth;
    float uu = u * u, vv = v * v, ww = w * w;
    return view->desc.type == RN_TEXTURE_3D ? (uu + vv) + ww : uu + vv;
}

/* Major axis of a direction, and the numbers of the two components in the face. */
static int major_of(const float d[3], int *s, int *t) {
    float x = magnitude(d[0]), y = magnitude(d[1]), z = magnitude(d[2]);
    int m = x >= y && x >= z ? 0 : (y >= z ? 1 : 2);
    *s = m == 0 ? 2 : 0;
    *t = m == 1 ? 2 : 1;
    return m;
}

static float cube_gradient2(const struct rn_view *view, const float d[3], const float g[3]) {
    int s, t, m = major_of(d, &s, &t);
    float sign = d[m] < 0.0f ? -1.0f : 1.0f, ma = d[m] * sign, dm = g[m] * sign;
    float inverse = 1.0f / ma, shrink = inverse * (0.5f * (float)view->level[0][0].width);
    float ps = d[s] * inverse * dm, pt = d[t] * inverse * dm;
    float u = (g[s] - ps) * shrink, v = (g[t] - pt) * shrink;
    float uu = u * u, vv = v * v;
    return uu + vv;
}

static void lane_of(const float *const arrays[3], int lane, float out[3]) {
    for (int c = 0; c < 3; c++) {
        out[c] = arrays[c][lane];
    }
}

static float lane_lambda(const struct rn_view *view, const struct vliw_tex_request *r, int lane) {
    const struct rn_view_desc *desc = &view->desc;
    bool cube = desc->type == RN_TEXTURE_CUBE;
    float d[3], x[3], y[3], x2, y2;
    if (r->kind == VLIW_TEX_LOD) {
        bool reaches = desc->mag_filter == RN_FILTER_LINEAR && desc->min_filter == RN_FILTER_NEAREST;
        return reaches && desc->mip != RN_MIP_NONE && r->lod[lane] <= 0.5f ? 0.0f : r->lod[lane];
    }
    lane_of(r->coord, lane, d);
    if (r->kind == VLIW_TEX_GRAD) {
        lane_of(r->ddx, lane, x);
        lane_of(r->ddy, lane, y);
    } else {
        for (int c = 0; c < 3; c++) {
            const float *quad = r->coord[c] + (lane & ~3);
            x[c] = quad[1] - quad[0];
            y[c] = quad[2] - quad[0];
        }
    }
    x2 = cube ? cube_gradient2(view, d, x) : flat_length2(view, x[0], x[1], x[2]);
    y2 = cube ? cube_gradient2(view, d, y) : flat_length2(view, y[0], y[1], y[2]);
    float lambda = lambda_of(larger(x2, y2));
    return r->kind == VLIW_TEX_BIAS ? lambda + r->lod[lane] : lambda;
}

static int cube_face(const float d[3], float *s, float *t) {
    int cs, ct, m = major_of(d, &cs, &ct), negative = d[m] < 0.0f;
    float sc = m == 0 ? (negative ? d[2] : -d[2]) : (m == 1 || !negative ? d[0] : -d[0]);
    float tc = m != 1 ? -d[1] : (negative ? -d[2] : d[2]), ma = magnitude(d[m]);
    *s = *t = 0.5f;
    if (!(ma > 0.0f) || sc != sc || tc != tc) {
        return 0;
    }
    *s = (sc / ma + 1.0f) * 0.5f;
    *t = (tc / ma + 1.0f) * 0.5f;
    return m * 2 + negative;
}

/* One lane from one level by the plain fetch. 'view' is set to the scalar level. */
static void fetch_lane(const struct rn_view *view, const struct vliw_tex_request *r, int lane, const float at[3],
                       int face, int level, int filter, float rgba[4]) {
    static _Alignas(64) float coord[3][VM_LANES], out[4][VM_LANES];
    struct rn_fetch pass = {.view = view, .level = &view->level[face][level], .coord = {coord[0], coord[1], coord[2]},
                            .reference = r->reference, .out = {out[0], out[1], out[2], out[3]}};
    for (int c = 0; c < 3; c++) {
        coord[c][lane] = at[c];
    }
    pass.mask.w[lane / 64] = 1ull << (lane % 64);
    (filter == RN_FILTER_LINEAR ? rn_fetch_generic_linear : rn_fetch_generic_nearest)(&pass);
    for (int c = 0; c < 4; c++) {
        rgba[c] = out[c][lane];
    }
}

static void sample_at(const struct rn_view *view, const struct vliw_tex_request *r, int lane, const float at[3],
                      int face, int lambda, float rgba[4]) {
    const struct rn_view_desc *d = &view->desc;
    int last = d->levels - 1;
    if (lambda <= 0) {
        fetch_lane(view, r, lane, at, face, 0, d->mag_filter, rgba);
        return;
    }
    int level = d->mip == RN_MIP_NEAREST ? (lambda + 128 + 255) / 256 - 1 : d->mip == RN_MIP_LINEAR ? lambda / 256 : 0;
    level = level > last ? last : level;
    fetch_lane(view, r, lane, at, face, level, d->min_filter, rgba);
    if (d->mip == RN_MIP_LINEAR && level < last && lambda % 256 != 0) {
        float other[4], f = (float)(lambda % 256) / 256.0f;
        fetch_lane(view, r, lane, at, face, level + 1, d->min_filter, other);
        for (int c = 0; c < 4; c++) {
            float a = rgba[c] * (1.0f - f), b = other[c] * f;
            rgba[c] = a + b;
        }
    }
}

static void sample_lane(const struct rn_view *view, const struct vliw_tex_request *r, int lane, float rgba[4]) {
    float at[3] = {r->coord[0][lane], r->coord[1][lane], r->coord[2][lane]};
    int face = view->desc.type == RN_TEXTURE_CUBE ? cube_face(at, &at[0], &at[1]) : 0;
    if (view->plain) {
        fetch_lane(view, r, lane, at, face, 0, view->desc.min_filter, rgba);
        return;
    }
    sample_at(view, r, lane, at, face, to_fixed(lane_lambda(view, r, lane)), rgba);
}

static float ceil_of(float v) { return -floor_of(-v); }

static void sample_lane_anisotropic(const struct rn_view *view, const struct vliw_tex_request *r, int lane,
                                    float rgba[4]) {
    float g[2][2], sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int c = 0; c < 2; c++) {
        const float *q = r->coord[c] + (lane & ~3);
        g[0][c] = r->kind == VLIW_TEX_GRAD ? r->ddx[c][lane] : q[1] - q[0];
        g[1][c] = r->kind == VLIW_TEX_GRAD ? r->ddy[c][lane] : q[2] - q[0];
    }
    float x2 = flat_length2(view, g[0][0], g[0][1], 0.0f), y2 = flat_length2(view, g[1][0], g[1][1], 0.0f);
    int longer = x2 > y2 ? 0 : 1;
    float major2 = longer ? y2 : x2, minor2 = longer ? x2 : y2;
    float n = __builtin_sqrtf(major2 / minor2), length = __builtin_sqrtf(major2),
          limit = floor_of(view->desc.max_anisotropy);
    n = ceil_of(n < length ? n : length);
    n = limit < n ? limit : n;
    n = n > 1.0f ? n : 1.0f;
    float lambda = lambda_of(major2 / (n * n));
    lambda = r->kind == VLIW_TEX_BIAS ? lambda + r->lod[lane] : lambda;
    for (int k = 0; k < (int)n; k++) {
        float where = ((float)k + 0.5f) / n - 0.5f, part[4];
        float ds = g[longer][0] * where, dt = g[longer][1] * where;
        float at[3] = {r->coord[0][lane] + ds, r->coord[1][lane] + dt, 0.0f};
        if (n < 2.0f) {
            at[0] = r->coord[0][lane];
            at[1] = r->coord[1][lane];
        }
        sample_at(view, r, lane, at, 0, to_fixed(lambda), part);
        for (int c = 0; c < 4; c++) {
            sum[c] = k == 0 ? part[c] : sum[c] + part[c];
        }
    }
    for (int c = 0; c < 4; c++) {
        rgba[c] = sum[c] / n;
    }
}

/* ---- random views and requests -------------------------------------------------------------------------------- */

static uint32_t half_size(uint32_t v) { return v > 1 ? v / 2 : 1; }

static void fill(struct rn_image *image) {
    const struct rn_format_info *info = rn_format_info((enum rn_format)image->format);
    for (size_t i = 0; i + 4 <= image->slice_bytes * image->depth; i += 4) {
        uint32_t word = check_random();
        if (info->kind == RN_KIND_FLOAT && info->bits[0] + info->bits[3] >= 32 && info->bits[0] != 16 &&
            info->bits[3] != 16) {
            word = bits_from_float(check_random_below(40) ? ((float)(word >> 8) - 8000000.0f) / 65536.0f
                                                          : check_random_float());
        }
        if (image->format == RN_FORMAT_D24) {
            word = i % 3 ? 0x800000u : word & 0xFFFFFFu; /* some equal the references */
        } else if (image->format == RN_FORMAT_D16) {
            word = i % 3 ? 0x80004000u : word;
        }
        memcpy(image->data + i, &word, 4);
    }
}

static struct rn_view *random_view(enum rn_texture_type type, enum rn_format format, float anisotropy) {
    struct rn_view_desc desc = {.type = (uint8_t)type, .max_anisotropy = anisotropy};
    desc.min_filter = (uint8_t)check_random_below(2);
    desc.mag_filter = (uint8_t)check_random_below(2);
    desc.mip = (uint8_t)check_random_below(3);
    desc.srgb_decode = check_random_below(2);
    desc.compare = rn_format_info(format)->kind == RN_KIND_DEPTH && check_random_below(3);
    desc.compare_func = (uint8_t)check_random_below(8);
    uint32_t size[3];
    for (int i = 0; i < 3; i++) {
        desc.wrap[i] = (uint8_t)check_random_below(3);
        size[i] = 1 + check_random_below(check_random_below(3) ? 40 : 3);
        size[i] = check_random_below(3) ? size[i] : 1u << check_random_below(6);
    }
    if (type == RN_TEXTURE_2D && check_random_below(12) == 0) {
        size[0] = RN_MAX_SIZE - check_random_below(40);
    }
    size[1] = type == RN_TEXTURE_CUBE ? size[0] : size[1];
    size[2] = type == RN_TEXTURE_3D ? size[2] : 1;
    for (bool more = true; more; desc.levels++) {
        for (int f = 0; f < (type == RN_TEXTURE_CUBE ? 6 : 1); f++) {
            desc.images[f][desc.levels] = rn_image_create(format, size[0], size[1], size[2], 1);
            fill(desc.images[f][desc.levels]);
        }
        more = desc.mip != RN_MIP_NONE && (size[0] > 1 || size[1] > 1 || size[2] > 1);
        for (int i = 0; i < 3; i++) {
            size[i] = half_size(size[i]);
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

static _Alignas(64) float input[11][VM_LANES];

static float random_coordinate(float span) { return ((float)check_random_below(1u << 24) / 16777216.0f - 0.5f) * span; }

static void random_request(const struct rn_view *view, struct vliw_tex_request *r) {
    memset(r, 0, sizeof *r);
    r->kind = check_random_below(4);
    bool smooth = check_random_below(4) != 0, on_face = check_random_below(2);
    float step[4], base[3], grow = check_random_below(2) ? 0.0f : 0.15f;
    for (int i = 0; i < 4; i++) {
        step[i] = random_coordinate(0.25f) * (float)(1 << check_random_below(7)) / (float)view->level[0][0].width;
    }
    for (int c = 0; c < 3; c++) {
        base[c] = random_coordinate(4.0f);
        base[c] = check_random_below(4) ? base[c] : round_even(base[c]); /* at a seam */
        base[c] = check_random_below(10) ? base[c] : base[c] * (float)(1 << check_random_below(26));
    }
    for (int i = 0; i < VM_LANES; i++) {
        int quad = i / 4;
        float x = (float)(quad % 4 * 2 + (i & 1)), y = (float)(quad / 4 * 2 + (i >> 1 & 1)),
              size = 1.0f + grow * (float)quad;
        for (int c = 0; c < 11; c++) {
            input[c][i] = check_random_below(20) ? random_coordinate(4.0f) : check_random_float();
        }
        if (smooth) {
            input[0][i] = base[0] + (x * step[0] + y * step[1]) * size;
            input[1][i] = base[1] + (x * step[2] + y * step[3]) * size;
            input[2][i] = on_face ? 3.0f : base[2];
        }
        for (int c = 5; c < 11; c++) {
            input[c][i] *= check_random_below(2) ? 0.02f : 0.3f;
        }
        static const double equal[3] = {32768.0 / 65535.0, 16384.0 / 65535.0, 8388608.0 / 16777215.0};
        if (check_random_below(2)) {
            input[3][i] = (float)equal[check_random_below(3)];
        }
    }
    for (int c = 0; c < 3; c++) {
        r->coord[c] = input[c];
        r->ddx[c] = input[5 + c];
        r->ddy[c] = input[8 + c];
    }
    r->reference = view->desc.compare && check_random_below(8) ? input[3] : NULL;
    r->lod = input[4];
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        r->mask.w[i] = check_random_below(2) ? ~0ull : ((uint64_t)check_random() << 32 | check_random());
        r->mask.w[i] &= check_random_below(4) ? ~0ull : ~0ull >> check_random_below(64);
    }
}

static uint32_t canonical(float v) { return v != v ? 0x7FC00000u : bits_from_float(v); }

static void compare_levels(struct rn_view *view, const struct vliw_tex_request *request, bool in_place) {
    static _Alignas(64) float want[4][VM_LANES], got[5][VM_LANES];
    unsigned available = cpu_simd_available();
    bool anisotropic = view->desc.max_anisotropy > 1.0f && request->kind != VLIW_TEX_LOD;
    rn_view_set_level(view, VLIW_SIMD_SCALAR);
    for (int i = 0; i < VM_LANES; i++) {
        float rgba[4] = {-7.0f, -7.0f, -7.0f, -7.0f};
        if ((request->mask.w[i / 64] >> (i % 64)) & 1u) {
            (anisotropic ? sample_lane_anisotropic : sample_lane)(view, request, i, rgba);
        }
        for (int c = 0; c < 4; c++) {
            want[c][i] = rgba[c];
        }
    }
    struct rn_view *views[RN_MAX_TEXTURES] = {view};
    for (int level = 0; level < CPU_SIMD_COUNT; level++) {
        if (!(available >> level & 1u)) {
            continue;
        }
        struct rn_sample_context context = {.views = views};
        struct vliw_tex_request r = *request;
        for (int c = 0; c < 4; c++) {
            for (int i = 0; i < VM_LANES; i++) {
                got[c][i] = -7.0f;
            }
            r.result[c] = got[c];
        }
        if (in_place) { /* results over the coordinates: lanes outside the mask keep those */
            for (int c = 0; c < 3; c++) {
                memcpy(got[c], r.coord[c], sizeof got[c]);
                r.coord[c] = got[c];
            }
        }
        rn_view_set_level(view, (enum vliw_simd)level);
        rn_sample(&context, &r);
        int wrong = 0, first = -1;
        for (int i = 0; i < VM_LANES; i++) {
            bool on = (request->mask.w[i / 64] >> (i % 64)) & 1u;
            for (int c = 0; c < 4; c++) {
                float expected = !on && in_place && c < 3 ? request->coord[c][i] : want[c][i];
                if (canonical(got[c][i]) != canonical(expected)) {
                    first = first < 0 ? i : first;
                    wrong++;
                }
            }
        }
        if (wrong) {
            const struct rn_view_desc *d = &view->desc;
            check_failf(
                __FILE__, __LINE__,
                "%s %s: type %d, filters %d %d, mip %d, wraps %d %d, kind %u, %dx%d: %d values differ, lane %d: "
                "%g %g %g %g, not %g %g %g %g",
                cpu_simd_name((enum cpu_simd)level), rn_format_info((enum rn_format)view->format)->name, d->type,
                d->min_filter, d->mag_filter, d->mip, d->wrap[0], d->wrap[1], (unsigned)r.kind, view->level[0][0].width,
                view->level[0][0].height, wrong, first, (double)got[0][first], (double)got[1][first],
                (double)got[2][first], (double)got[3][first], (double)want[0][first], (double)want[1][first],
                (double)want[2][first], (double)want[3][first]);
        }
    }
}

static void check_type(enum rn_texture_type type, float anisotropy) {
    for (int format = RN_FORMAT_RGBA8; format < RN_FORMAT_S8; format++) {
        for (int round = 0; round < 14; round++) {
            struct rn_view *view = random_view(type, (enum rn_format)format, anisotropy);
            for (int k = 0; k < 12; k++) {
                struct vliw_tex_request request;
                random_request(view, &request);
                compare_levels(view, &request, k % 4 == 3);
            }
            rn_view_unref(view);
        }
        CHECK(true);
    }
}

TEST(two_dimensional) { check_type(RN_TEXTURE_2D, 1.0f); }
TEST(cube_maps) { check_type(RN_TEXTURE_CUBE, 1.0f); }
TEST(volumes) { check_type(RN_TEXTURE_3D, 1.0f); }
TEST(anisotropic) {
    check_type(RN_TEXTURE_2D, 4.0f);
    check_type(RN_TEXTURE_2D, 16.0f);
}

/* No result depends on which lanes run together: any mask gives each lane the same bits. */
TEST(lanes_are_independent) {
    for (int round = 0; round < 60; round++) {
        static _Alignas(64) float all[4][VM_LANES], some[4][VM_LANES];
        struct rn_view *view = random_view((enum rn_texture_type)check_random_below(3), RN_FORMAT_RGBA8, 1.0f);
        struct rn_view *views[RN_MAX_TEXTURES] = {view};
        struct rn_sample_context context = {.views = views};
        struct vliw_tex_request r;
        random_request(view, &r);
        memset(&r.mask, 0xFF, sizeof r.mask);
        memset(some, 0, sizeof some);
        for (int c = 0; c < 4; c++) {
            r.result[c] = all[c];
        }
        rn_sample(&context, &r);
        uint64_t split = (uint64_t)check_random() << 32 | check_random();
        for (int half = 0; half < 2; half++) {
            for (int i = 0; i < VM_MASK_WORDS; i++) {
                r.mask.w[i] = half ? split : ~split;
            }
            for (int c = 0; c < 4; c++) {
                r.result[c] = some[c];
            }
            rn_sample(&context, &r);
        }
        CHECK(memcmp(all, some, sizeof all) == 0);
        CHECK_EQ_INT(context.reads, 2 * VM_LANES);
        rn_view_unref(view);
    }
}
