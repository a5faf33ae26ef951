/* SPDX-License-Identifier: MIT */
/*
 * FLIP, the difference that a person notices who flips between two pictures (Andersson et al.,
 * "FLIP: A Difference Evaluator for Alternating Images", HPG 2020). Written from the paper:
 *
 *   sRGB -> YCxCz -> contrast sensitivity filters -> Lab with Hunt's effect -> HyAB distance
 *   Y -> edges and points of both pictures -> largest change of either
 *   error = colour ^ (1 - feature)
 *
 * Rows stream through: only as many are kept as the largest filter is high. Where a picture lets
 * light through it is put over black and over white, and each pixel takes the larger error.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "imgdiff.h"
#include "imgfilter.h"

#define PI 3.14159265358979323846
#define COLOR_EXPONENT 0.7 /* the paper's qc */
#define COLOR_KNEE 0.4     /* pc: so much of the largest distance ... */
#define COLOR_TOP 0.95     /* pt: ... is mapped to this */
#define FEATURE_WIDTH 0.082 /* degrees of the eye's feature detectors */

enum plane { PLANE_Y, PLANE_CX, PLANE_CZ, PLANE_CZ_WIDE, PLANE_SMOOTH, PLANE_EDGE, PLANE_POINT, PLANE_COUNT };

/* What does not depend on the pictures. */
struct flip_setup {
    float linear[256]; /* sRGB code to light */
    float to_xyz[9];   /* divided by the white point */
    float from_xyz[9];
    struct imgfilter_kernel kernels[PLANE_COUNT];
    float narrow_share; /* of the two Gaussians that make up Cz's filter */
    float wide_share;
    float largest; /* color distance of green and blue, to the power */
    int radius;    /* of the largest kernel */
};

/* One picture on its way through the filters. */
struct flip_side {
    struct imgfilter_ring rings[PLANE_COUNT];
    float *padded;   /* a row with room at both sides */
    float *planes;   /* Y, Cx, Cz of a row */
    float *lab;      /* L, a, b of a finished row */
    float *features; /* edge and point strength of a finished row */
};

/* ---- constants ---- */

static void gaussian(struct imgfilter_kernel *kernel, int radius, double exponent) {
    double sum = 0.0;
    kernel->radius = radius;
    kernel->odd = false;
    for (int i = -radius; i <= radius; i++) {
        sum += exp(-exponent * i * i);
    }
    for (int i = 0; i <= radius; i++) {
        kernel->weights[i] = (float)(exp(-exponent * i * i) / sum);
    }
    /* Weights that no float sum would notice cost time only. */
    while (kernel->radius > 0 && kernel->weights[kernel->radius] < 1e-9f * kernel->weights[0]) {
        kernel->radius--;
    }
}

/* Sum of the 2D Gaussian over the square of the filter. */
static double gaussian_sum(int radius, double exponent) {
    double sum = 0.0;
    for (int i = -radius; i <= radius; i++) {
        sum += exp(-exponent * i * i);
    }
    return sum * sum;
}

/* Contrast sensitivity: a1 sqrt(pi/b1) exp(-pi^2 d^2 / b1) (+ the same with a2, b2), d in degrees. */
static void set_color_kernels(struct flip_setup *setup, double ppd) {
    static const double b[4] = {0.0047, 0.0053, 0.04, 0.025};
    const int radius = (int)ceil(3.0 * sqrt(0.04 / (2.0 * PI * PI)) * ppd);
    double exponent[4];
    for (int i = 0; i < 4; i++) {
        exponent[i] = PI * PI / (b[i] * ppd * ppd);
        gaussian(&setup->kernels[PLANE_Y + i], radius, exponent[i]);
    }
    double first = 34.1 * sqrt(PI / b[2]) * gaussian_sum(radius, exponent[2]);
    double second = 13.5 * sqrt(PI / b[3]) * gaussian_sum(radius, exponent[3]);
    setup->narrow_share = (float)(first / (first + second));
    setup->wide_share = (float)(second / (first + second));
    setup->radius = radius;
}

/*
 * Detectors: the first and the second derivative of a Gaussian along one axis, the Gaussian along
 * the other. Positive and negative weights of the 2D filter each sum to one in size.
 */
static void set_feature_kernels(struct flip_setup *setup, double ppd) {
    const double deviation = 0.5 * FEATURE_WIDTH * ppd;
    const int radius = (int)ceil(3.0 * deviation);
    const double exponent = 0.5 / (deviation * deviation);
    struct imgfilter_kernel *edge = &setup->kernels[PLANE_EDGE];
    struct imgfilter_kernel *point = &setup->kernels[PLANE_POINT];
    double edge_sum = 0.0;
    double plus = 0.0;
    double minus = 0.0;
    gaussian(&setup->kernels[PLANE_SMOOTH], radius, exponent);
    for (int i = -radius; i <= radius; i++) {
        double g = exp(-exponent * i * i);
        double second = (i * i / (deviation * deviation) - 1.0) * g;
        edge_sum += i > 0 ? i * g : 0.0;
        plus += second > 0.0 ? second : 0.0;
        minus -= second < 0.0 ? second : 0.0;
    }
    edge->radius = point->radius = radius;
    edge->odd = true;
    point->odd = false;
    for (int i = 0; i <= radius; i++) {
        double g = exp(-exponent * i * i);
        double second = (i * i / (deviation * deviation) - 1.0) * g;
        edge->weights[i] = (float)(edge_sum > 0.0 ? i * g / edge_sum : 0.0);
        double size = second > 0.0 ? plus : minus;
        point->weights[i] = (float)(size > 0.0 ? second / size : 0.0);
    }
    setup->radius = radius > setup->radius ? radius : setup->radius;
}

static void set_matrices(struct flip_setup *setup) {
    /* Linear sRGB to XYZ as ratios of whole numbers, from the primaries and the D65 white. */
    static const double m[9] = {10135552.0 / 24577794.0, 8788810.0 / 24577794.0, 4435075.0 / 24577794.0,
                                2613072.0 / 12288897.0,  8788810.0 / 12288897.0, 887015.0 / 12288897.0,
                                1425312.0 / 73733382.0,  8788810.0 / 73733382.0, 70074185.0 / 73733382.0};
    double n[9];
    for (int row = 0; row < 3; row++) {
        double white = m[row * 3] + m[row * 3 + 1] + m[row * 3 + 2];
        for (int c = 0; c < 3; c++) {
            n[row * 3 + c] = m[row * 3 + c] / white;
            setup->to_xyz[row * 3 + c] = (float)n[row * 3 + c];
        }
    }
    double inverse[9];
    double det = 0.0;
    for (int row = 0; row < 3; row++) {
        for (int c = 0; c < 3; c++) {
            int r1 = (row + 1) % 3, r2 = (row + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            inverse[c * 3 + row] = n[r1 * 3 + c1] * n[r2 * 3 + c2] - n[r1 * 3 + c2] * n[r2 * 3 + c1];
        }
        det += n[row] * inverse[row * 3];
    }
    for (int i = 0; i < 9; i++) {
        setup->from_xyz[i] = (float)(inverse[i] / det);
    }
}

static inline float lab_curve(float t) {
    const float knee = 6.0f / 29.0f;
    float root = imgfilter_pow(t, 1.0f / 3.0f);
    float line = t * (1.0f / (3.0f * knee * knee)) + 4.0f / 29.0f;
    return t > knee * knee * knee ? root : line;
}

/* Light to L, a, b; a and b smaller in the dark, as Hunt saw. */
static inline void light_to_lab(const float m[9], float r, float g, float b, float *l_out,
                                float *a_out, float *b_out) {
    float x = lab_curve(m[0] * r + m[1] * g + m[2] * b);
    float y = lab_curve(m[3] * r + m[4] * g + m[5] * b);
    float z = lab_curve(m[6] * r + m[7] * g + m[8] * b);
    float l = 116.0f * y - 16.0f;
    *l_out = l;
    *a_out = 0.01f * l * (500.0f * (x - y));
    *b_out = 0.01f * l * (200.0f * (y - z));
}

static inline float color_distance(float l, float a, float b) {
    return imgfilter_pow(fabsf(l) + sqrtf(a * a + b * b), (float)COLOR_EXPONENT);
}

static void flip_setup_init(struct flip_setup *setup, double ppd) {
    float green[3];
    float blue[3];
    for (int i = 0; i < 256; i++) {
        double code = i / 255.0;
        setup->linear[i] = (float)(code > 0.04045 ? pow((code + 0.055) / 1.055, 2.4) : code / 12.92);
    }
    set_matrices(setup);
    set_color_kernels(setup, ppd);
    set_feature_kernels(setup, ppd);
    light_to_lab(setup->to_xyz, 0.0f, 1.0f, 0.0f, &green[0], &green[1], &green[2]);
    light_to_lab(setup->to_xyz, 0.0f, 0.0f, 1.0f, &blue[0], &blue[1], &blue[2]);
    setup->largest = color_distance(green[0] - blue[0], green[1] - blue[1], green[2] - blue[2]);
}

/* ---- one picture ---- */

static bool side_init(struct flip_side *side, const struct flip_setup *setup, int width) {
    const size_t row = (size_t)width;
    bool ok = true;
    memset(side, 0, sizeof *side);
    for (int p = 0; p < PLANE_COUNT; p++) {
        ok = imgfilter_ring_init(&side->rings[p], width, 2 * setup->radius + 1) && ok;
    }
    side->padded = malloc((row + 2 * (size_t)setup->radius) * sizeof(float));
    side->planes = malloc(row * 3 * sizeof(float));
    side->lab = malloc(row * 3 * sizeof(float));
    side->features = malloc(row * 7 * sizeof(float));
    return ok && side->padded != NULL && side->planes != NULL && side->lab != NULL &&
           side->features != NULL;
}

static void side_free(struct flip_side *side) {
    for (int p = 0; p < PLANE_COUNT; p++) {
        imgfilter_ring_free(&side->rings[p]);
    }
    free(side->padded);
    free(side->planes);
    free(side->lab);
    free(side->features);
}

/* Row y of a picture, over `ground` where it lets light through, along x into the rings. */
static void side_push(struct flip_side *side, const struct flip_setup *setup,
                      const struct image *img, int y, int ground) {
    const int width = img->width;
    const uint8_t *row = img->pixels + (size_t)y * (size_t)width * 4;
    const float *m = setup->to_xyz;
    float *planes = side->planes;
    for (int x = 0; x < width; x++) {
        int alpha = row[x * 4 + 3];
        float light[3];
        for (int c = 0; c < 3; c++) {
            int code = row[x * 4 + c];
            code = alpha == 255 ? code : (code * alpha + ground * (255 - alpha) + 127) / 255;
            light[c] = setup->linear[code];
        }
        float x1 = m[0] * light[0] + m[1] * light[1] + m[2] * light[2];
        float y1 = m[3] * light[0] + m[4] * light[1] + m[5] * light[2];
        float z1 = m[6] * light[0] + m[7] * light[1] + m[8] * light[2];
        planes[x] = 116.0f * y1 - 16.0f;
        planes[width + x] = 500.0f * (x1 - y1);
        planes[2 * width + x] = 200.0f * (y1 - z1);
    }
    float *padded = side->padded + setup->radius;
    for (int p = 0; p < PLANE_COUNT; p++) {
        static const int8_t from[PLANE_COUNT] = {0, 1, 2, 2, 0, 0, 0};
        if (p != PLANE_CZ_WIDE && p != PLANE_EDGE && p != PLANE_POINT) {
            memcpy(padded, planes + (size_t)from[p] * (size_t)width, (size_t)width * sizeof(float));
            imgfilter_pad(padded, width, setup->radius);
        }
        if (p == PLANE_SMOOTH) { /* the detectors see lightness from 0 to 1 */
            for (int x = -setup->radius; x < width + setup->radius; x++) {
                padded[x] = (padded[x] + 16.0f) * (1.0f / 116.0f);
            }
        }
        imgfilter_row(&setup->kernels[p], padded, width, imgfilter_ring_row(&side->rings[p], y));
    }
}

/* Row y filtered along y: its colors in Lab. */
static void finish_color(struct flip_side *side, const struct flip_setup *setup, int y, int last) {
    const int width = side->rings[0].width;
    const float *m = setup->from_xyz;
    float *lab = side->lab;
    float *wide = side->features; /* free until the features are made */
    for (int p = PLANE_Y; p <= PLANE_CZ; p++) {
        imgfilter_column(&setup->kernels[p], &side->rings[p], y, last, lab + p * width);
    }
    imgfilter_column(&setup->kernels[PLANE_CZ_WIDE], &side->rings[PLANE_CZ_WIDE], y, last, wide);
    float *restrict l_row = lab;
    float *restrict a_row = lab + width;
    float *restrict b_row = lab + 2 * width;
    const float *restrict wide_row = wide;
    const float narrow_share = setup->narrow_share;
    const float wide_share = setup->wide_share;
    for (int x = 0; x < width; x++) {
        float cz = narrow_share * b_row[x] + wide_share * wide_row[x];
        float y1 = (l_row[x] + 16.0f) * (1.0f / 116.0f);
        float x1 = y1 + a_row[x] * (1.0f / 500.0f);
        float z1 = y1 - cz * (1.0f / 200.0f);
        float light[3];
        for (int c = 0; c < 3; c++) {
            float value = m[c * 3] * x1 + m[c * 3 + 1] * y1 + m[c * 3 + 2] * z1;
            value = value > 0.0f ? value : 0.0f;
            light[c] = value < 1.0f ? value : 1.0f;
        }
        light_to_lab(setup->to_xyz, light[0], light[1], light[2], &l_row[x], &a_row[x], &b_row[x]);
    }
}

/* Strength of edges and of points in row y. */
static void finish_features(struct flip_side *side, const struct flip_setup *setup, int y,
                            int last) {
    static const int8_t sources[4][2] = {{PLANE_EDGE, PLANE_SMOOTH},
                                         {PLANE_SMOOTH, PLANE_EDGE},
                                         {PLANE_POINT, PLANE_SMOOTH},
                                         {PLANE_SMOOTH, PLANE_POINT}};
    const int width = side->rings[0].width;
    float *features = side->features;
    for (int i = 0; i < 4; i++) {
        imgfilter_column(&setup->kernels[sources[i][1]], &side->rings[sources[i][0]], y, last,
                         features + (2 + i) * width);
    }
    for (int i = 0; i < 2; i++) {
        float *restrict out = features + i * width;
        const float *restrict across = features + (2 + 2 * i) * width;
        const float *restrict down = features + (3 + 2 * i) * width;
        for (int x = 0; x < width; x++) {
            out[x] = sqrtf(across[x] * across[x] + down[x] * down[x]);
        }
    }
}

/* ---- both ---- */

static void row_error(const struct flip_setup *setup, const struct flip_side *a,
                      const struct flip_side *b, int width, float *restrict out) {
    const float knee = (float)COLOR_KNEE * setup->largest;
    const float below = (float)COLOR_TOP / knee;
    const float above = (1.0f - (float)COLOR_TOP) / (setup->largest - knee);
    const float *la = a->lab, *lb = b->lab, *fa = a->features, *fb = b->features;
    for (int x = 0; x < width; x++) {
        float distance = color_distance(la[x] - lb[x], la[width + x] - lb[width + x],
                                        la[2 * width + x] - lb[2 * width + x]);
        float color = distance < knee ? below * distance
                                      : (float)COLOR_TOP + (distance - knee) * above;
        float edge = fabsf(fa[x] - fb[x]);
        float point = fabsf(fa[width + x] - fb[width + x]);
        float feature = sqrtf((edge > point ? edge : point) * 0.70710678f);
        feature = feature < 1.0f ? feature : 1.0f;
        float error = imgfilter_pow(color, 1.0f - feature);
        error = error < 1.0f ? error : 1.0f;
        out[x] = feature < 1.0f ? error : 1.0f; /* anything to the power 0 is 1 */
    }
}

/* All rows over one ground; keeps the larger error of each pixel. */
static void run_ground(const struct flip_setup *setup, struct flip_side sides[2],
                       const struct image *const pictures[2], int ground, float *map) {
    const int width = pictures[0]->width;
    const int last = pictures[0]->height - 1;
    float *row = sides[0].padded; /* free once a row is in the rings */
    int pushed = 0;
    for (int y = 0; y <= last; y++) {
        for (; pushed <= last && pushed <= y + setup->radius; pushed++) {
            side_push(&sides[0], setup, pictures[0], pushed, ground);
            side_push(&sides[1], setup, pictures[1], pushed, ground);
        }
        for (int i = 0; i < 2; i++) {
            finish_color(&sides[i], setup, y, last);
            finish_features(&sides[i], setup, y, last);
        }
        row_error(setup, &sides[0], &sides[1], width, row);
        float *out = map + (size_t)y * (size_t)width;
        for (int x = 0; x < width; x++) {
            out[x] = row[x] > out[x] ? row[x] : out[x];
        }
    }
}

bool imgdiff_flip(const struct image *expected, const struct image *actual, double ppd, float *map,
                  struct imgdiff_flip_result *result, struct image_error *err) {
    const struct image *const pictures[2] = {expected, actual};
    const size_t count = (size_t)expected->width * (size_t)expected->height;
    struct flip_side sides[2];
    memset(result, 0, sizeof *result);
    if (expected->width != actual->width || expected->height != actual->height) {
        snprintf(err->text, sizeof err->text, "sizes differ: %dx%d and %dx%d", (int)expected->width,
                 (int)expected->height, (int)actual->width, (int)actual->height);
        return false;
    }
    if (!(ppd >= 1.0 && ppd <= IMGDIFF_MAX_PPD)) {
        snprintf(err->text, sizeof err->text, "%g pixels per degree are outside 1 to %d", ppd,
                 IMGDIFF_MAX_PPD);
        return false;
    }
    struct flip_setup *setup = malloc(sizeof *setup);
    float *errors = map != NULL ? map : malloc(count * sizeof errors[0]);
    memset(sides, 0, sizeof sides);
    bool ok = setup != NULL && errors != NULL;
    if (ok) {
        flip_setup_init(setup, ppd);
        ok = side_init(&sides[0], setup, expected->width);
        ok = side_init(&sides[1], setup, expected->width) && ok;
    }
    if (ok) {
        memset(errors, 0, count * sizeof errors[0]);
        run_ground(setup, sides, pictures, 0, errors);
        if (!imgdiff_opaque(expected) || !imgdiff_opaque(actual)) {
            run_ground(setup, sides, pictures, 255, errors);
        }
        double sum = 0.0;
        for (size_t i = 0; i < count; i++) {
            sum += (double)errors[i];
            result->largest = (double)errors[i] > result->largest ? (double)errors[i] : result->largest;
        }
        result->mean = sum / (double)count;
    } else {
        snprintf(err->text, sizeof err->text, "no memory to compare pictures of %dx%d",
                 (int)expected->width, (int)expected->height);
    }
    side_free(&sides[0]);
    side_free(&sides[1]);
    free(setup);
    if (map == NULL) {
        free(errors);
    }
    return ok;
}
