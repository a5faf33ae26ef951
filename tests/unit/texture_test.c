/* SPDX-License-Identifier: MIT */
/*
 * Texture sampling against a brute-force reference in double precision, written from the specification
 * (ES 2.0.25 section 3.7.5 to 3.7.8): texels are decoded here, coordinates and levels of detail may be off by what
 * the contract allows (1/512 texel, 1/256 level), colours by what follows from that. Then the cases with
 * known answers. Every SIMD level is checked.
 */
#include <math.h>
#include <stdlib.h>

#include "renderer/scene.h"
#include "renderer/texture.h"
#include "tests/harness/check.h"
#include "vm/base/bits.h"
#include "vm/base/cpu.h"

/* ---- texels, decoded independently ---------------------------------------------------------------------------- */

static double half_value(unsigned h) {
    unsigned exponent = h >> 10 & 31, mantissa = h & 1023;
    double v = exponent == 31  ? (mantissa ? (double)NAN : (double)INFINITY)
               : exponent == 0 ? ldexp(mantissa, -24)
                               : ldexp(1024 + mantissa, (int)exponent - 25);
    return h & 0x8000 ? -v : v;
}

static double srgb_value(unsigned code) {
    double v = code / 255.0;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double number_at(const uint8_t *p, int k, bool half) {
    uint16_t h;
    float f;
    memcpy(&h, p + 2 * k, 2);
    if (half) {
        return half_value(h);
    }
    memcpy(&f, p + 4 * k, 4);
    return (double)f;
}

static void set(double out[4], double r, double g, double b, double a) {
    out[0] = r;
    out[1] = g;
    out[2] = b;
    out[3] = a;
}

/* Words of one to four bytes. */
static void decode_word(enum rn_format format, uint32_t w, bool srgb, double out[4]) {
    double b0 = (w & 255) / 255.0, b1 = (w >> 8 & 255) / 255.0, b2 = (w >> 16 & 255) / 255.0, b3 = (w >> 24) / 255.0;
    switch (format) {
    case RN_FORMAT_RGBA8: set(out, b0, b1, b2, b3); break;
    case RN_FORMAT_RGBX8: set(out, b0, b1, b2, 1); break;
    case RN_FORMAT_RGB565: set(out, (w >> 11 & 31) / 31.0, (w >> 5 & 63) / 63.0, (w & 31) / 31.0, 1); break;
    case RN_FORMAT_RGBA4: set(out, (w >> 12 & 15) / 15.0, (w >> 8 & 15) / 15.0, (w >> 4 & 15) / 15.0, (w & 15) / 15.0); break;
    case RN_FORMAT_RGB5A1: set(out, (w >> 11 & 31) / 31.0, (w >> 6 & 31) / 31.0, (w >> 1 & 31) / 31.0, w & 1); break;
    case RN_FORMAT_A8: set(out, 0, 0, 0, b0); break;
    case RN_FORMAT_L8: set(out, b0, b0, b0, 1); break;
    case RN_FORMAT_LA8: set(out, b0, b0, b0, b1); break;
    case RN_FORMAT_R8: set(out, b0, 0, 0, 1); break;
    case RN_FORMAT_RG8: set(out, b0, b1, 0, 1); break;
    case RN_FORMAT_D16: set(out, (w & 65535) / 65535.0, (w & 65535) / 65535.0, (w & 65535) / 65535.0, 1); break;
    case RN_FORMAT_D24: set(out, w / 16777215.0, w / 16777215.0, w / 16777215.0, 1); break;
    default: /* sRGB */
        set(out, b0, b1, b2, format == RN_FORMAT_SRGB8_A8 ? b3 : 1);
        for (int c = 0; c < 3 && srgb; c++) {
            out[c] = srgb_value(w >> (8 * c) & 255);
        }
        break;
    }
}

static void decode(enum rn_format format, const uint8_t *p, bool srgb, double out[4]) {
    const struct rn_format_info *info = rn_format_info(format);
    uint32_t w = 0;
    uint16_t h;
    if (info->kind != RN_KIND_FLOAT) {
        memcpy(&w, p, info->bytes == 4 ? 4 : 1);
        if (info->bytes == 2) {
            memcpy(&h, p, 2);
            w = h;
        } else if (info->bytes == 1) {
            w = p[0];
        }
        decode_word(format, w, srgb, out);
        return;
    }
    bool half = info->bits[0] == 16 || info->bits[3] == 16;
    int k = 0;
    for (int c = 0; c < 4; c++) {
        out[c] = info->bits[c] ? number_at(p, k++, half) : (c == 3 ? 1.0 : 0.0);
    }
    if (info->flags & RN_FMT_LUM) {
        out[1] = out[2] = out[0];
    }
}

/* ---- the reference ------------------------------------------------------------------------------------------------ */

/* What a level may give at a place: one of some colours, each within a tolerance. */
struct answer {
    double rgba[4], tolerance;
};
enum { MAX_ANSWERS = 8 };

static int wrap_index(long i, int size, int wrap) {
    if (wrap == RN_WRAP_CLAMP) {
        return i < 0 ? 0 : i >= size ? size - 1 : (int)i;
    }
    if (wrap == RN_WRAP_REPEAT) {
        return (int)((i % size + size) % size);
    }
    long period = 2l * size, m = (i % period + period) % period;
    return (int)(m < size ? m : period - 1 - m);
}

struct reference {
    const struct rn_view_desc *desc;
    double compare;        /* reference value of a shadow lookup, < 0: none */
};

static void texel(const struct reference *ref, int face, int level, const int at[3], double out[4]) {
    const struct rn_image *image = ref->desc->images[face][level];
    enum rn_format format = (enum rn_format)image->format;
    const uint8_t *p = image->data + (size_t)at[2] * image->slice_bytes + (size_t)at[1] * image->row_bytes +
                       (size_t)at[0] * rn_format_info(format)->bytes;
    decode(format, p, ref->desc->srgb_decode, out);
    if (ref->compare >= 0) {
        float r = (float)ref->compare, d = (float)out[0];
        bool pass[8] = {false, r < d, r == d, r <= d, r > d, r != d, r >= d, true};
        out[0] = out[1] = out[2] = pass[ref->desc->compare_func];
    }
}

static int dims_of(const struct rn_view_desc *desc) { return desc->type == RN_TEXTURE_3D ? 3 : 2; }

/* All colours that NEAREST may give when each texel coordinate is off by up to 'slack'. */
static int nearest_answers(const struct reference *ref, int face, int level, const double u[3], const int size[3],
                           struct answer *out) {
    int count = 0, dims = dims_of(ref->desc);
    for (int k = 0; k < 1 << dims; k++) {
        int at[3] = {0, 0, 0};
        bool again = false;
        for (int d = 0; d < dims; d++) {
            double slack = 1.0 / 512 + 1e-6 + fabs(u[d]) * 2e-7;
            long lo = (long)floor(u[d] - slack), hi = (long)floor(u[d] + slack);
            again |= (k >> d & 1) && lo == hi;
            at[d] = wrap_index(k >> d & 1 ? hi : lo, size[d], ref->desc->wrap[d]);
        }
        if (!again) {
            texel(ref, face, level, at, out[count].rgba);
            out[count++].tolerance = 0.0;
        }
    }
    return count;
}

static void linear_answer(const struct reference *ref, int face, int level, const double u[3], const int size[3],
                          struct answer *out) {
    int dims = dims_of(ref->desc);
    double low[4], high[4], slack = 0.0;
    memset(out, 0, sizeof *out);
    for (int k = 0; k < 1 << (2 * dims); k++) { /* four texels an axis: the mixed ones and their neighbours */
        int at[3] = {0, 0, 0};
        double weight = 1.0, rgba[4];
        for (int d = 0; d < dims; d++) {
            double v = u[d] - 0.5;
            long i = (long)floor(v) - 1 + (k >> (2 * d) & 3);
            double distance = fabs(v - (double)i);
            weight *= distance < 1.0 ? 1.0 - distance : 0.0;
            at[d] = wrap_index(i, size[d], ref->desc->wrap[d]);
        }
        texel(ref, face, level, at, rgba);
        for (int c = 0; c < 4; c++) {
            low[c] = k && low[c] < rgba[c] ? low[c] : rgba[c];
            high[c] = k && high[c] > rgba[c] ? high[c] : rgba[c];
            out->rgba[c] += weight * rgba[c];
        }
    }
    for (int d = 0; d < dims; d++) {
        slack += 1.0 / 512 + 1e-6 + fabs(u[d]) * 2e-7;
    }
    for (int c = 0; c < 4; c++) {
        double t = slack * (high[c] - low[c]);
        out->tolerance = out->tolerance > t ? out->tolerance : t;
    }
}

static int level_answers(const struct reference *ref, int face, int level, int filter, const double coord[3],
                         struct answer *out) {
    const struct rn_image *image = ref->desc->images[face][level];
    const int size[3] = {(int)image->width, (int)image->height, (int)image->depth};
    const double u[3] = {coord[0] * size[0], coord[1] * size[1], coord[2] * size[2]};
    if (filter == RN_FILTER_NEAREST) {
        return nearest_answers(ref, face, level, u, size, out);
    }
    linear_answer(ref, face, level, u, size, out);
    return 1;
}

static bool close_to(const double want[4], double tolerance, const float got[4]) {
    for (int c = 0; c < 4; c++) {
        double v = (double)got[c], room = tolerance + 2e-6 * (1.0 + fabs(want[c]));
        if (!(fabs(v - want[c]) <= room)) {
            return false;
        }
    }
    return true;
}

static bool any_close(const struct answer *a, int count, const float got[4]) {
    for (int i = 0; i < count; i++) {
        if (close_to(a[i].rgba, a[i].tolerance, got)) {
            return true;
        }
    }
    return false;
}

/* True if the colour is right for exactly this lambda. */
static bool right_at(const struct reference *ref, int face, const double coord[3], double lambda, const float got[4]) {
    const struct rn_view_desc *d = ref->desc;
    struct answer a[MAX_ANSWERS], b[MAX_ANSWERS];
    int last = d->levels - 1;
    if (lambda <= 0.0) {
        return any_close(a, level_answers(ref, face, 0, d->mag_filter, coord, a), got);
    }
    int level = 0;
    if (d->mip == RN_MIP_NEAREST) {
        level = lambda <= 0.5 ? 0 : (int)ceil(lambda + 0.5) - 1;
    } else if (d->mip == RN_MIP_LINEAR) {
        level = (int)floor(lambda);
    }
    double f = d->mip == RN_MIP_LINEAR && level < last ? lambda - level : 0.0;
    level = level < last ? level : last;
    int na = level_answers(ref, face, level, d->min_filter, coord, a);
    if (f == 0.0) {
        return any_close(a, na, got);
    }
    int nb = level_answers(ref, face, level + 1, d->min_filter, coord, b);
    for (int i = 0; i < na; i++) {
        for (int k = 0; k < nb; k++) {
            double mix[4], most = 0.0;
            for (int c = 0; c < 4; c++) {
                mix[c] = a[i].rgba[c] * (1.0 - f) + b[k].rgba[c] * f;
                most = fmax(most, fabs(a[i].rgba[c] - b[k].rgba[c]));
            }
            if (close_to(mix, a[i].tolerance + b[k].tolerance + most / 400.0, got)) {
                return true;
            }
        }
    }
    return false;
}

/* lambda may be off by half a step of 1/256 and by float errors of the derivatives. */
static bool right(const struct reference *ref, int face, const double coord[3], double lambda, double slack,
                  const float got[4]) {
    return right_at(ref, face, coord, lambda, got) || right_at(ref, face, coord, lambda - slack, got) ||
           right_at(ref, face, coord, lambda + slack, got);
}

/* ---- requests ------------------------------------------------------------------------------------------------------- */

struct batch {
    _Alignas(64) float coord[3][VM_LANES];
    _Alignas(64) float lod[VM_LANES], reference[VM_LANES];
    _Alignas(64) float ddx[3][VM_LANES], ddy[3][VM_LANES];
    _Alignas(64) float result[4][VM_LANES];
};
static struct batch batch;

static void sample(struct rn_view *view, unsigned kind, bool shadow) {
    struct rn_view *views[RN_MAX_TEXTURES] = {view};
    struct rn_sample_context context = {views, 0};
    struct vliw_tex_request r;
    memset(&r, 0, sizeof r);
    memset(&r.mask, 0xFF, sizeof r.mask);
    r.kind = kind;
    r.reference = shadow ? batch.reference : NULL;
    r.lod = kind == VLIW_TEX_BIAS || kind == VLIW_TEX_LOD ? batch.lod : NULL;
    for (int c = 0; c < 4; c++) {
        r.result[c] = batch.result[c];
        memset(batch.result[c], 0x7E, sizeof batch.result[c]);
    }
    for (int c = 0; c < 3; c++) {
        r.coord[c] = batch.coord[c];
        r.ddx[c] = kind == VLIW_TEX_GRAD ? batch.ddx[c] : NULL;
        r.ddy[c] = kind == VLIW_TEX_GRAD ? batch.ddy[c] : NULL;
    }
    rn_sample(&context, &r);
}

static struct rn_view *finish(struct rn_view_desc *desc) {
    struct rn_view *view = rn_view_create(desc);
    for (int f = 0; f < 6; f++) {
        for (int l = 0; l < desc->levels; l++) {
            rn_image_unref(desc->images[f][l]);
        }
    }
    return view;
}

/* Levels from width x height x depth down, with contents by fill(face, level, image). */
static struct rn_view *make_view(struct rn_view_desc *desc, enum rn_format format, uint32_t width, uint32_t height,
                                 uint32_t depth, void (*fill)(int face, int level, struct rn_image *image)) {
    desc->max_anisotropy = desc->max_anisotropy > 0.0f ? desc->max_anisotropy : 1.0f;
    for (desc->levels = 0;; desc->levels++) {
        for (int f = 0; f < (desc->type == RN_TEXTURE_CUBE ? 6 : 1); f++) {
            struct rn_image *image = rn_image_create(format, width, height, depth, 1);
            fill(f, desc->levels, image);
            desc->images[f][desc->levels] = image;
        }
        if (desc->mip == RN_MIP_NONE || (width == 1 && height == 1 && depth == 1)) {
            desc->levels++;
            break;
        }
        width = width > 1 ? width / 2 : 1;
        height = height > 1 ? height / 2 : 1;
        depth = depth > 1 ? depth / 2 : 1;
    }
    return finish(desc);
}

static void fill_random(int face, int level, struct rn_image *image) {
    (void)face, (void)level;
    const struct rn_format_info *info = rn_format_info((enum rn_format)image->format);
    for (size_t i = 0; i + 4 <= image->slice_bytes * image->depth; i += 4) {
        uint32_t word = check_random();
        if (info->kind == RN_KIND_FLOAT && (info->bits[0] == 16 || info->bits[3] == 16)) {
            word &= 0xBFFFBFFF; /* finite, below 2 */
        } else if (info->kind == RN_KIND_FLOAT) {
            word = bits_from_float((float)(word >> 8) / 4194304.0f - 2.0f);
        } else if (image->format == RN_FORMAT_D24) {
            word &= 0xFFFFFF;
        } else if (image->format == RN_FORMAT_RGBX8 || image->format == RN_FORMAT_SRGBX8) {
            word |= 0xFF000000;
        }
        memcpy(image->data + i, &word, 4);
    }
}

/* A solid colour for each level: red = (level + 1) / 16, green = face / 8. */
static void fill_level(int face, int level, struct rn_image *image) {
    uint32_t word = (uint32_t)(level + 1) * 16 | (uint32_t)face * 32 << 8 | 0xFF000000u;
    for (size_t i = 0; i < image->slice_bytes * image->depth; i += 4) {
        memcpy(image->data + i, &word, 4);
    }
}

/* RGBA8: red = x & 255, green = y & 255, blue = high bits of both. */
static void fill_position(int face, int level, struct rn_image *image) {
    (void)face, (void)level;
    for (uint32_t y = 0; y < image->height; y++) {
        for (uint32_t x = 0; x < image->width; x++) {
            uint32_t word = (x & 255) | (y & 255) << 8 | (x >> 8 | y >> 8) << 16 | 0xFF000000u;
            memcpy(image->data + y * image->row_bytes + 4 * x, &word, 4);
        }
    }
}

static void each_level(struct rn_view *view, void (*body)(struct rn_view *view)) {
    for (int level = 0; level < CPU_SIMD_COUNT; level++) {
        if (cpu_simd_available() >> level & 1u) {
            rn_view_set_level(view, (enum vliw_simd)level);
            body(view);
        }
    }
    rn_view_unref(view);
}

static int byte_of(float v) { return (int)lrintf(v * 255.0f); }

/* ---- random comparison with the reference ----------------------------------------------------------------------------- */

static float unit(void) { return (float)check_random_below(1u << 24) / 16777216.0f; }

static double lambda_of(double x2, double y2) {
    double rho2 = x2 > y2 ? x2 : y2;
    return rho2 > 0.0 ? 0.5 * log2(rho2) : -100.0;
}

/* Squared length in texels of a step from lane a to lane b (b < 0: of the gradient in 'g'). */
static double step2(const struct rn_view *view, int a, int b, float (*g)[VM_LANES]) {
    const struct rn_level *l = &view->level[0][0];
    const double size[3] = {l->width, l->height, l->depth};
    double sum = 0.0;
    for (int c = 0; c < dims_of(&view->desc); c++) {
        double v = b < 0 ? (double)g[c][a] : (double)batch.coord[c][b] - (double)batch.coord[c][a];
        sum += v * size[c] * v * size[c];
    }
    return sum;
}

static void make_request(const struct rn_view *view, unsigned kind) {
    float base[3], step[3][2], span = kind == VLIW_TEX_LOD ? 0.05f : 1.0f;
    for (int c = 0; c < 3; c++) {
        base[c] = unit() * 3.0f - 1.5f;
        step[c][0] = (unit() - 0.5f) * span * (float)(1 << check_random_below(4)) / (float)view->level[0][0].width;
        step[c][1] = (unit() - 0.5f) * span * (float)(1 << check_random_below(4)) / (float)view->level[0][0].width;
    }
    for (int i = 0; i < VM_LANES; i++) {
        float x = (float)(i / 4 % 4 * 2 + (i & 1)), y = (float)(i / 16 * 2 + (i >> 1 & 1));
        for (int c = 0; c < 3; c++) {
            batch.coord[c][i] = base[c] + x * step[c][0] + y * step[c][1];
            batch.ddx[c][i] = (unit() - 0.5f) * 8.0f / (float)view->level[0][0].width;
            batch.ddy[c][i] = (unit() - 0.5f) * 8.0f / (float)view->level[0][0].width;
        }
        batch.lod[i] = kind == VLIW_TEX_LOD ? unit() * 8.0f - 1.0f : unit() * 4.0f - 2.0f;
        batch.reference[i] = unit() * 1.2f - 0.1f;
    }
}

static double lane_lambda(const struct rn_view *view, unsigned kind, int i) {
    int quad = i & ~3;
    if (kind == VLIW_TEX_LOD) { /* a given level magnifies up to 0.5 in one pair of filters */
        const struct rn_view_desc *d = &view->desc;
        bool half = d->mag_filter == RN_FILTER_LINEAR && d->min_filter == RN_FILTER_NEAREST && d->mip != RN_MIP_NONE;
        return half && batch.lod[i] <= 0.5f ? 0.0 : (double)batch.lod[i];
    }
    if (kind == VLIW_TEX_GRAD) {
        return lambda_of(step2(view, i, -1, batch.ddx), step2(view, i, -1, batch.ddy));
    }
    double lambda = lambda_of(step2(view, quad, quad + 1, NULL), step2(view, quad, quad + 2, NULL));
    return lambda + (kind == VLIW_TEX_BIAS ? (double)batch.lod[i] : 0.0);
}

static void compare_flat(struct rn_view *view) {
    for (unsigned kind = 0; kind < 4; kind++) {
        bool shadow = view->desc.compare;
        make_request(view, kind);
        sample(view, kind, shadow);
        for (int i = 0; i < VM_LANES; i++) {
            double r = (double)batch.reference[i];
            struct reference ref = {&view->desc, !shadow ? -1.0 : r < 0.0 ? 0.0 : r > 1.0 ? 1.0 : r};
            double at[3] = {(double)batch.coord[0][i], (double)batch.coord[1][i], (double)batch.coord[2][i]};
            float got[4] = {batch.result[0][i], batch.result[1][i], batch.result[2][i], batch.result[3][i]};
            double lambda = lane_lambda(view, kind, i);
            check_count();
            if (!right(&ref, 0, at, lambda, 1.0 / 512 + 1e-3, got)) {
                const struct rn_view_desc *d = &view->desc;
                check_failf(__FILE__, __LINE__, "%s type %d wraps %d %d filters %d %d mip %d kind %u %dx%d: at %g %g %g "
                            "lambda %g: %g %g %g %g", rn_format_info((enum rn_format)view->format)->name, d->type,
                            d->wrap[0], d->wrap[1], d->min_filter, d->mag_filter, d->mip, kind, view->level[0][0].width,
                            view->level[0][0].height, at[0], at[1], at[2], lambda, (double)got[0], (double)got[1],
                            (double)got[2], (double)got[3]);
                return;
            }
        }
    }
}

static void random_views(enum rn_texture_type type, enum rn_format format, int rounds) {
    for (int k = 0; k < rounds; k++) {
        struct rn_view_desc desc = {.type = (uint8_t)type, .srgb_decode = check_random_below(4) != 0};
        desc.min_filter = (uint8_t)check_random_below(2);
        desc.mag_filter = (uint8_t)check_random_below(2);
        desc.mip = (uint8_t)check_random_below(3);
        for (int i = 0; i < 3; i++) {
            desc.wrap[i] = (uint8_t)check_random_below(3);
        }
        desc.compare = rn_format_info(format)->kind == RN_KIND_DEPTH && check_random_below(2);
        desc.compare_func = (uint8_t)check_random_below(8);
        uint32_t small = check_random_below(4) == 0;
        uint32_t w = small ? 1 + check_random_below(3) : 1 + check_random_below(50);
        uint32_t h = small ? 1 + check_random_below(3) : 1 + check_random_below(50);
        uint32_t d = type == RN_TEXTURE_3D ? 1 + check_random_below(9) : 1;
        each_level(make_view(&desc, format, w, h, d, fill_random), compare_flat);
    }
}

TEST(flat_textures) {
    for (int format = RN_FORMAT_RGBA8; format < RN_FORMAT_S8; format++) {
        random_views(RN_TEXTURE_2D, (enum rn_format)format, format <= RN_FORMAT_RGBX8 ? 40 : 12);
    }
}

TEST(volumes) {
    for (int format = RN_FORMAT_RGBA8; format <= RN_FORMAT_RGBA32F; format++) {
        random_views(RN_TEXTURE_3D, (enum rn_format)format, 6);
    }
}

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

/* ---- known answers --------------------------------------------------------------------------------------------------------- */

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

/* ---- cube maps ----------------------------------------------------------------------------------------------------------------- */

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
    static const float odd[8][3] = {{0, 0, 0}, {NAN, 1, 0}, {1, NAN, 0}, {0, 1, NAN}, {-2, 2, 2}, {1, -2, 2}, {-2, 1, -2},
                                    {-0.0f, 0, 0}};
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
        struct rn_view_desc desc = {.type = RN_TEXTURE_CUBE, .min_filter = 1, .mag_filter = 1, .wrap = {wrap, wrap, wrap}};
        each_level(make_view(&desc, RN_FORMAT_RGBA8, 2, 2, 1, fill_position), check_cube_edge);
    }
}

/* Table 3.21 of the specification: sc, tc for each face as signed component numbers (1 = x, 2 = y, 3 = z). */
static void face_coords(int face, const double d[3], double *s, double *t) {
    static const int table[6][2] = {{-3, -2}, {3, -2}, {1, 3}, {1, -3}, {1, -2}, {-1, -2}};
    double ma = fabs(d[face / 2]), sc = d[abs(table[face][0]) - 1], tc = d[abs(table[face][1]) - 1];
    *s = ((table[face][0] < 0 ? -sc : sc) / ma + 1.0) / 2.0;
    *t = ((table[face][1] < 0 ? -tc : tc) / ma + 1.0) / 2.0;
}

static int face_of(const double d[3]) {
    int m = fabs(d[0]) >= fabs(d[1]) && fabs(d[0]) >= fabs(d[2]) ? 0 : fabs(d[1]) >= fabs(d[2]) ? 1 : 2;
    return 2 * m + (d[m] < 0.0);
}

static void lane_direction(int i, double d[3]) {
    for (int c = 0; c < 3; c++) {
        d[c] = (double)batch.coord[c][i];
    }
}

/* Level of detail of a lane: the quad's differences as derivatives, by the quotient rule on the lane's own face. */
static double cube_lambda(const struct rn_view *view, int lane) {
    double d[3], v[3][3], rho2[2], size = view->level[0][0].width;
    int quad = lane & ~3;
    lane_direction(lane, d);
    int face = face_of(d), m = face / 2;
    for (int k = 0; k < 3; k++) {
        lane_direction(quad + k, v[k]);
    }
    for (int k = 1; k < 3; k++) {
        double sum = 0.0;
        for (int c = 0; c < 3; c++) {
            double slope = ((v[k][c] - v[0][c]) * d[m] - d[c] * (v[k][m] - v[0][m])) / (d[m] * d[m]) / 2.0;
            sum += c == m ? 0.0 : slope * slope;
        }
        rho2[k - 1] = sum * size * size;
    }
    return lambda_of(rho2[0], rho2[1]);
}

static void compare_cube(struct rn_view *view) {
    double base[3], step[3][2];
    for (int c = 0; c < 3; c++) {
        base[c] = (double)unit() * 2.0 - 1.0;
        step[c][0] = ((double)unit() - 0.5) * 0.1;
        step[c][1] = ((double)unit() - 0.5) * 0.1;
    }
    for (int i = 0; i < VM_LANES; i++) {
        for (int c = 0; c < 3; c++) {
            batch.coord[c][i] = (float)(base[c] + step[c][0] * (i / 4 % 4 * 2 + (i & 1)) +
                                        step[c][1] * (i / 16 * 2 + (i >> 1 & 1)));
        }
    }
    sample(view, VLIW_TEX_IMPLICIT, false);
    struct reference ref = {&view->desc, -1.0};
    for (int i = 0; i < VM_LANES; i++) {
        double d[3], at[3] = {0.0, 0.0, 0.0};
        lane_direction(i, d);
        int face = face_of(d);
        if (fabs(d[face / 2]) < 0.05) {
            continue; /* near the middle of the cube float differences are too coarse */
        }
        double most = fabs(d[face / 2]), next = 0.0;
        for (int c = 0; c < 3; c++) {
            next = c != face / 2 && fabs(d[c]) > next ? fabs(d[c]) : next;
        }
        if (most - next < 1e-6) {
            continue;
        }
        face_coords(face, d, &at[0], &at[1]);
        float got[4] = {batch.result[0][i], batch.result[1][i], batch.result[2][i], batch.result[3][i]};
        check_count();
        if (!right(&ref, face, at, cube_lambda(view, i), 1.0 / 512 + 2e-3, got)) {
            check_failf(__FILE__, __LINE__, "cube %d, filters %d %d, mip %d: direction %g %g %g: %g %g %g %g",
                        view->level[0][0].width, view->desc.min_filter, view->desc.mag_filter, view->desc.mip, d[0], d[1],
                        d[2], (double)got[0], (double)got[1], (double)got[2], (double)got[3]);
            return;
        }
    }
}

TEST(cube_textures) {
    for (int k = 0; k < 250; k++) {
        struct rn_view_desc desc = {.type = RN_TEXTURE_CUBE, .srgb_decode = true};
        uint32_t size = 1 + check_random_below(40);
        desc.min_filter = (uint8_t)check_random_below(2);
        desc.mag_filter = (uint8_t)check_random_below(2);
        desc.mip = (uint8_t)check_random_below(3);
        desc.wrap[0] = (uint8_t)check_random_below(3);
        desc.wrap[1] = (uint8_t)check_random_below(3);
        static const enum rn_format formats[4] = {RN_FORMAT_RGBA8, RN_FORMAT_RGB565, RN_FORMAT_RGBA16F, RN_FORMAT_SRGB8_A8};
        each_level(make_view(&desc, formats[k % 4], size, size, 1, fill_random), compare_cube);
    }
}

/* ---- anisotropy -------------------------------------------------------------------------------------------------------------------- */

/* Eight texels a pixel along s, one along t: level 0 with eight samples, where an isotropic footprint blurs to level 3. */
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

/* ---- the edges of the contract -------------------------------------------------------------------------------------------------------- */

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
    struct rn_sample_context context = {views, 0};
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
        for (size_t i = 3; i < image->slice_bytes; i += 4) {
            image->data[i] = 0;
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
