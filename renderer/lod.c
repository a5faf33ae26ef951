/* SPDX-License-Identifier: MIT */
/*
 * Level of detail: coordinates of a batch's quads (or explicit values) to lambda in 1/256, one a quad for
 * implicit derivatives. Plain C, so the same on every backend. SPEC: ES 2.0.25 section 3.7.7.
 */
#include <math.h>

#include "renderer/texture.h"
#include "vm/base/bits.h"

enum { LOD_LIMIT = 32 * 256 };

/* log2 of a positive normal float, error below 1e-6. The polynomial is a least squares fit of
 * log2(1 + x) / x on Chebyshev points of [0,1]. */
static float log2_fast(float v) {
    uint32_t bits = bits_from_float(v);
    float x = bits_to_float((bits & 0x007FFFFFu) | 0x3F800000u) - 1.0f;
    float p = 0.014865403f;
    p = p * x + -0.077314414f;
    p = p * x + 0.19133031f;
    p = p * x + -0.3239718f;
    p = p * x + 0.4729156f;
    p = p * x + -0.72048783f;
    p = p * x + 1.4426627f;
    return (float)((int32_t)(bits >> 23) - 127) + p * x;
}

/* A lambda in float to 1/256, clamped; NaN counts as 0. */
static int32_t to_fixed(float lambda) {
    float v = lambda * 256.0f;
    v = v > -(float)LOD_LIMIT ? v : -(float)LOD_LIMIT;
    v = v < (float)LOD_LIMIT ? v : (float)LOD_LIMIT;
    if (v != v) {
        return 0;
    }
    float biased = v + 12582912.0f; /* nearest, ties to even */
    return (int32_t)(bits_from_float(biased) & 0x007FFFFFu) - 0x00400000;
}

/* lambda = log2(sqrt(rho2)). */
static float lambda_of(float rho2) {
    if (!(rho2 > 1e-30f)) {
        return -100.0f;
    }
    return 0.5f * log2_fast(rho2 < 1e30f ? rho2 : 1e30f);
}

static float larger(float a, float b) { return a > b ? a : b; }

/* Projects a direction onto the cube face of 'major'; see cube.c for the table. */
struct face_axes {
    int s, t, m;          /* component numbers */
    float ss, ts, ms;     /* signs */
};
static const struct face_axes faces[6] = {
    {2, 1, 0, -1.0f, -1.0f, 1.0f}, {2, 1, 0, 1.0f, -1.0f, -1.0f}, {0, 2, 1, 1.0f, 1.0f, 1.0f},
    {0, 2, 1, 1.0f, -1.0f, -1.0f}, {0, 1, 2, 1.0f, -1.0f, 1.0f},  {0, 1, 2, -1.0f, -1.0f, -1.0f}};

static int face_of(const float d[3]) {
    float x = fabsf(d[0]), y = fabsf(d[1]), z = fabsf(d[2]);
    if (x >= y && x >= z) {
        return d[0] < 0.0f;
    }
    if (y >= z) {
        return 2 + (d[1] < 0.0f);
    }
    return z == z ? 4 + (d[2] < 0.0f) : 0;
}

/* rho^2 of a step (ds, dt, dr) in coordinates, for this view's base level. */
static float rho2_flat(const struct rn_view *view, float ds, float dt, float dr) {
    const struct rn_level *base = &view->level[0][0];
    float u = ds * (float)base->width, v = dt * (float)base->height, w = dr * (float)base->depth;
    return (u * u + v * v) + w * w;
}

/* rho^2 of the step from direction a to direction b on a cube face. */
static float rho2_cube(const struct rn_view *view, int face, const float a[3], const float b[3]) {
    const struct face_axes *f = &faces[face];
    float scale = 0.5f * (float)view->level[0][0].width;
    float ma = a[f->m] * f->ms, mb = b[f->m] * f->ms;
    mb = mb > 0.01f * ma ? mb : 0.01f * ma; /* a neighbour behind the face: a large but finite step */
    float u = (b[f->s] / mb - a[f->s] / ma) * scale, v = (b[f->t] / mb - a[f->t] / ma) * scale;
    return u * u + v * v;
}

static float rho2_gradient_cube(const struct rn_view *view, const float d[3], const float g[3]) {
    const struct face_axes *f = &faces[face_of(d)];
    float ma = d[f->m] * f->ms, dm = g[f->m] * f->ms, scale = 0.5f * (float)view->level[0][0].width;
    float u = (g[f->s] - d[f->s] / ma * dm) / ma * scale, v = (g[f->t] - d[f->t] / ma * dm) / ma * scale;
    return u * u + v * v;
}

static void direction(const struct vliw_tex_request *request, unsigned lane, float out[3]) {
    for (int c = 0; c < 3; c++) {
        out[c] = request->coord[c][lane];
    }
}

/* Implicit lambda of the quad that starts at 'lane'. */
static float quad_lambda(const struct rn_view *view, const struct vliw_tex_request *request, unsigned lane) {
    float x2, y2;
    if (view->desc.type == RN_TEXTURE_CUBE) {
        float d[3], dx[3], dy[3];
        direction(request, lane, d);
        direction(request, lane + 1, dx);
        direction(request, lane + 2, dy);
        int face = face_of(d);
        x2 = rho2_cube(view, face, d, dx);
        y2 = rho2_cube(view, face, d, dy);
    } else {
        const float *s = request->coord[0] + lane, *t = request->coord[1] + lane;
        bool volume = view->desc.type == RN_TEXTURE_3D;
        const float *r = volume ? request->coord[2] + lane : s;
        x2 = rho2_flat(view, s[1] - s[0], t[1] - t[0], volume ? r[1] - r[0] : 0.0f);
        y2 = rho2_flat(view, s[2] - s[0], t[2] - t[0], volume ? r[2] - r[0] : 0.0f);
    }
    return lambda_of(larger(x2, y2));
}

static float gradient_lambda(const struct rn_view *view, const struct vliw_tex_request *request, unsigned lane) {
    float gx[3] = {0.0f, 0.0f, 0.0f}, gy[3] = {0.0f, 0.0f, 0.0f};
    int n = view->desc.type == RN_TEXTURE_2D ? 2 : 3;
    for (int c = 0; c < n; c++) {
        gx[c] = request->ddx[c][lane];
        gy[c] = request->ddy[c][lane];
    }
    if (view->desc.type == RN_TEXTURE_CUBE) {
        float d[3];
        direction(request, lane, d);
        return lambda_of(larger(rho2_gradient_cube(view, d, gx), rho2_gradient_cube(view, d, gy)));
    }
    return lambda_of(larger(rho2_flat(view, gx[0], gx[1], gx[2]), rho2_flat(view, gy[0], gy[1], gy[2])));
}

void rn_lod_compute(const struct rn_view *view, const struct vliw_tex_request *request, struct rn_lod *out) {
    for (unsigned lane = 0; lane < VM_LANES; lane += 4) {
        if (request->kind == VLIW_TEX_LOD || request->kind == VLIW_TEX_GRAD) {
            for (unsigned i = lane; i < lane + 4; i++) {
                out->fx[i] = to_fixed(request->kind == VLIW_TEX_LOD ? request->lod[i] : gradient_lambda(view, request, i));
            }
            continue;
        }
        float lambda = quad_lambda(view, request, lane);
        for (unsigned i = lane; i < lane + 4; i++) {
            out->fx[i] = to_fixed(request->kind == VLIW_TEX_BIAS ? lambda + request->lod[i] : lambda);
        }
    }
}

int rn_lod_anisotropic(const struct rn_view *view, const struct vliw_tex_request *request, struct rn_lod *lod,
                       struct rn_aniso *aniso) {
    const struct rn_level *base = &view->level[0][0];
    int most = 1;
    for (unsigned i = 0; i < VM_LANES; i++) {
        unsigned quad = i & ~3u;
        float gx[2], gy[2];
        for (int c = 0; c < 2; c++) {
            bool given = request->kind == VLIW_TEX_GRAD;
            const float *p = request->coord[c] + quad;
            gx[c] = given ? request->ddx[c][i] : p[1] - p[0];
            gy[c] = given ? request->ddy[c][i] : p[2] - p[0];
        }
        float x2 = rho2_flat(view, gx[0], gx[1], 0.0f), y2 = rho2_flat(view, gy[0], gy[1], 0.0f);
        bool x_major = x2 > y2;
        float major2 = x_major ? x2 : y2, minor2 = x_major ? y2 : x2;
        float limit = view->desc.max_anisotropy, ratio = limit;
        if (minor2 > 1e-30f && major2 < 1e30f) {
            ratio = sqrtf(major2 / minor2);
        }
        ratio = ratio < limit ? ratio : limit;
        int count = ratio > 1.0f ? (int)ratio : 1;
        count += (float)count < ratio && (float)(count + 1) <= limit;
        if (!(base->width > 0) || !(major2 > 1e-30f)) {
            count = 1;
        }
        float lambda = lambda_of(major2 / (float)(count * count));
        if (request->kind == VLIW_TEX_BIAS) {
            lambda += request->lod[i];
        }
        lod->fx[i] = to_fixed(lambda);
        aniso->count[i] = count;
        aniso->ds[i] = x_major ? gx[0] : gy[0];
        aniso->dt[i] = x_major ? gx[1] : gy[1];
        most = count > most ? count : most;
    }
    return most;
}
