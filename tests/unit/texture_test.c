/* SPDX-License-Identifier: MIT */
/*
 * Texture sampling against a brute-force reference in double precision, written from the specification
 * (ES 2.0.25 section 3.7.5 to 3.7.8): texels are decoded here, coordinates and levels of detail may be off by what
 * the contract allows (1/512 texel, 1/256 level), colours by what follows from that. (The cases with
 * known answers are in texture_cases_test.c.) Every SIMD level is checked.
 */
#include <math.h>
#include <stdlib.h>

#include "tests/unit/texture_view.h"

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
    case RN_FORMAT_RGBA4:
        set(out, (w >> 12 & 15) / 15.0, (w >> 8 & 15) / 15.0, (w >> 4 & 15) / 15.0, (w & 15) / 15.0);
        break;
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

/* ---- the reference -------------------------------------------------------------------------------------------- */

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
/* ---- random comparison with the reference --------------------------------------------------------------------- */

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
                check_failf(__FILE__, __LINE__,
                            "%s type %d wraps %d %d filters %d %d mip %d kind %u %dx%d: at %g %g %g "
                            "lambda %g: %g %g %g %g",
                            rn_format_info((enum rn_format)view->format)->name, d->type, d->wrap[0], d->wrap[1],
                            d->min_filter, d->mag_filter, d->mip, kind, view->level[0][0].width,
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
/* ---- cube maps ------------------------------------------------------------------------------------------------ */

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
                        view->level[0][0].width, view->desc.min_filter, view->desc.mag_filter, view->desc.mip, d[0],
                        d[1], d[2], (double)got[0], (double)got[1], (double)got[2], (double)got[3]);
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
        static const enum rn_format formats[4] = {RN_FORMAT_RGBA8, RN_FORMAT_RGB565, RN_FORMAT_RGBA16F,
                                                  RN_FORMAT_SRGB8_A8};
        each_level(make_view(&desc, formats[k % 4], size, size, 1, fill_random), compare_cube);
    }
}
