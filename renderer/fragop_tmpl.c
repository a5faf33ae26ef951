/* SPDX-License-Identifier: MIT */
/*
 * Colours of fragments to normalised formats, once for each ISA: clamp, round, blend, dither, pack.
 * A source colour is clamped to [0,1] (NaN gives 0) and rounded to the target's steps, nearest even;
 * blending works on floats that hold whole steps and its result is rounded once, or dithered. Lanes are
 * handled by whole vectors; only lanes in the masks reach the surface.
 */
#include "vm/base/simd.h"

#include "renderer/blend_tmpl.h"
#include "renderer/tile.h"

/* Channels of a format: steps (0 = absent), place of each in the pixel's word, bits that are always set. */
struct fragop_layout {
    int max[4], shift[4];
    uint32_t fixed;
};
enum { F_RGBA8, F_RGBX8, F_RGB565, F_RGBA4, F_RGB5A1, F_R8, F_RG8 };
static const struct fragop_layout fragop_layouts[RN_FRAGOP_FORMATS] = {
    [F_RGBA8] = {{255, 255, 255, 255}, {0, 8, 16, 24}, 0}, [F_RGBX8] = {{255, 255, 255, 0}, {0, 8, 16, 0}, 0xFF000000u},
    [F_RGB565] = {{31, 63, 31, 0}, {11, 5, 0, 0}, 0},      [F_RGBA4] = {{15, 15, 15, 15}, {12, 8, 4, 0}, 0},
    [F_RGB5A1] = {{31, 31, 31, 1}, {11, 6, 1, 0}, 0},      [F_R8] = {{255, 0, 0, 0}, {0, 0, 0, 0}, 0},
    [F_RG8] = {{255, 255, 0, 0}, {0, 8, 0, 0}, 0},
};

/* Whether pixels are of four bytes. */
SIMD_FN bool is_wide(const int f) {
    return f == F_RGBA8 || f == F_RGBX8;
}

SIMD_FN vf clamp01(vf v) {
    return vf_min(vf_max(v, vf_zero()), vf_set1(1.0f));
}

/* Lanes first .. end - 1 that hold the job's quads, widened to whole vectors. */
SIMD_FN uint32_t first_lane(const struct rn_write_job *job) {
    return job->first * 4 / SIMD_N * SIMD_N;
}
SIMD_FN uint32_t end_lane(const struct rn_write_job *job) {
    return (job->first + job->count) * 4;
}

/* ---- pixels of four bytes ---------------------------------------------------------------------------------- */

#if SIMD_N > 1
#define GROUPS    (SIMD_N / 4)
#define ALL_BITS  ((1u << SIMD_N) - 1u)
#define UPPER_ROW (0xCCCCCCCCu & ALL_BITS)             /* lanes of the quads' second rows */
#define EACH_QUAD (0x11111111u & ALL_BITS)

/*
 * Where the quads of a job lie. Rows and columns of the tile may be read and written with what they hold, so only a
 * second row without a lane to write, which the surface may not have, is left out: the one below it stands for it.
 */
struct places {
    int32_t offset[VM_QUADS + 16] BITS_ALIGN(64);      /* bytes from the tile's first pixel; behind the job's: 0 */
    uint64_t lanes[VM_LANES / 64];                     /* to write */
    uint32_t beside;                                   /* bit q: quads q .. q + GROUPS - 1 lie side by side */
};

/* Where those of a vector lie. */
struct place {
    const int32_t *offset;
    uint32_t bits;                                     /* lanes to write */
    bool block;                                        /* offset[0] begins the two rows of all */
};

/* Sixteen masks of four bits a byte to lanes. */
SIMD_FN uint64_t lanes_of(const uint8_t *mask) {
    uint64_t lanes = 0;
    for (int h = 0; h < 2; h++) {
        uint64_t m = bits_load_le64(mask + 8 * h);
        m = (m | m >> 4) & UINT64_C(0x00FF00FF00FF00FF);
        m = (m | m >> 8) & UINT64_C(0x0000FFFF0000FFFF);
        lanes |= (m | m >> 16) << 32 >> 32 << 32 * h;
    }
    return lanes;
}

/* Bits first .. end - 1, of those before 64. */
SIMD_FN uint64_t bits_between(uint32_t first, uint32_t end) {
    const uint64_t below = end >= 64 ? UINT64_MAX : (UINT64_C(1) << end) - 1u;
    return first >= 64 ? 0 : below & UINT64_MAX << first;
}

/* Two quads lie side by side where eight bytes are between them: rows are further apart. */
SIMD_FN void places_set(const struct rn_write_job *job, struct places *p) {
    const vi stride = vi_set1((int32_t)job->stride), eight = vi_set1(8);
    const uint32_t first = job->first, last = job->first + job->count;
    const vi end = vi_set1((int32_t)last);
    uint32_t q = 0, beside = 0;
    for (; q < last; q += SIMD_N) {
        const vi x = vi_shl(vi_load_u8(job->qx + q), 2), y = vi_mul(vi_load_u8(job->qy + q), stride);
        const vm mine = vi_lt(vi_add(vi_iota(), vi_set1((int32_t)q)), end);
        vi_store(p->offset + q, vi_and(vi_add(x, y), vi_from_vm(mine)));
    }
    vi_store(p->offset + q, vi_zero());
    for (uint32_t i = 0; i < VM_LANES / 64; i++) {
        const uint32_t from = 64 * i, lo = 4 * first > from ? 4 * first - from : 0, hi = 4 * last > from ? 4 * last - from : 0;
        p->lanes[i] = lanes_of(job->mask + 16 * i) & bits_between(lo, hi);
    }
    for (q = 0; GROUPS > 1 && q < last; q += SIMD_N) {
        beside |= vm_bits(vi_eq(vi_add(vi_load(p->offset + q), eight), vi_loadu(p->offset + q + 1))) << q;
    }
    p->beside = GROUPS > 2 ? beside & beside >> 1 & beside >> 2 : beside;
}

SIMD_FN void place_at(const struct rn_write_job *job, const struct places *p, uint32_t lane, struct place *at) {
    (void)job;
    at->offset = p->offset + lane / 4;
    at->bits = (uint32_t)(p->lanes[lane / 64] >> lane % 64) & ALL_BITS;
    const uint32_t some = at->bits | at->bits >> 1;
    at->block = GROUPS > 1 && (p->beside >> lane / 4 & 1u) && ((some | some >> 2) & EACH_QUAD) == EACH_QUAD;
}

/* The second row of quads whose first begins at p0. */
SIMD_FN uint8_t *second_row(const struct rn_write_job *job, uint8_t *p0, uint32_t bits) {
    return bits & UPPER_ROW ? p0 + job->stride : p0;
}

/* What is there now; quads without lanes read as another. */
SIMD_FN vi place_load(const struct rn_write_job *job, const struct place *at) {
    uint8_t *p0[GROUPS], *p1[GROUPS];
    if (at->block) {
        p0[0] = job->pixels + at->offset[0];
        return vi_load_block(p0[0], second_row(job, p0[0], at->bits));
    }
    const uint32_t some = bits_ctz32(at->bits) / 4;
    BITS_UNROLL
    for (uint32_t g = 0; g < GROUPS; g++) {
        const uint32_t lanes = at->bits >> 4 * g & 15u;
        p0[g] = job->pixels + at->offset[lanes ? g : some];
        p1[g] = second_row(job, p0[g], lanes);
    }
    return vi_load_quads((const uint8_t *const *)p0, (const uint8_t *const *)p1);
}

SIMD_FN void place_store(const struct rn_write_job *job, const struct place *at, vi word) {
    if (at->block) {
        uint8_t *p0 = job->pixels + at->offset[0];
        vi_store_block(p0, second_row(job, p0, at->bits), word);
        return;
    }
    BITS_UNROLL
    for (int g = 0; g < GROUPS; g++) {
        const uint32_t lanes = at->bits >> 4 * g & 15u;
        uint8_t *p0 = job->pixels + at->offset[g];
        if (lanes) {
            vi_store_quad(p0, second_row(job, p0, lanes), word, g);
        }
    }
}
#else
#define ALL_BITS 1u

struct places {
    uint32_t unused;
};
struct place {
    uint8_t *p;
    uint32_t bits;
};

SIMD_FN void places_set(const struct rn_write_job *job, struct places *p) {
    (void)job;
    p->unused = 0;
}
/* One lane. */
SIMD_FN void place_at(const struct rn_write_job *job, const struct places *p, uint32_t lane, struct place *at) {
    (void)p;
    const uint32_t q = lane / 4, i = lane % 4;
    at->bits = job->mask[q] >> i & 1u;
    at->p = job->pixels + (job->qy[q] + i / 2) * job->stride + (job->qx[q] + i % 2) * 4u;
}
SIMD_FN vi place_load(const struct rn_write_job *job, const struct place *at) {
    vi word;
    (void)job;
    memcpy(&word, at->p, sizeof word);
    return word;
}
SIMD_FN void place_store(const struct rn_write_job *job, const struct place *at, vi word) {
    (void)job;
    memcpy(at->p, &word, sizeof word);
}
#endif

/* Pixels that are 'old' now: only channels that are written, of lanes to write, change. */
SIMD_FN vi place_merge(const struct rn_write_job *job, const struct place *at, vi word, vi old) {
    if (!job->op->all) {
        const vi bits = vi_set1((int32_t)job->op->word_mask);
        word = vi_or(vi_and(word, bits), vi_andnot(bits, old));
    }
    return at->bits == ALL_BITS ? word : vi_sel(vm_from_bits(at->bits), word, old);
}

#if SIMD_LANE_STORES
/* Without a look at what is there, and whatever the masks: a quad without lanes writes nothing. */
SIMD_FN void place_put_lanes(const struct rn_write_job *job, const struct place *at, vi word) {
    BITS_UNROLL
    for (int g = 0; g < GROUPS; g++) {
        uint8_t *p0 = job->pixels + at->offset[g];
        vi_put_quad(p0, p0 + job->stride, word, g, at->bits >> 4 * g & 15u);
    }
}
#endif

/* Writes a vector of words. Quads of the batch may lie at one place; the later one comes last. */
SIMD_FN void place_put(const struct rn_write_job *job, const struct place *at, vi word) {
#if SIMD_LANE_STORES
    if (!at->block && job->op->all) {
        place_put_lanes(job, at, word);
        return;
    }
#endif
    if (at->bits == ALL_BITS && job->op->all) {
        place_store(job, at, word);
        return;
    }
#if SIMD_N > 1
    if (!at->block) {
        BITS_UNROLL
        for (int g = 0; g < GROUPS; g++) {
            const uint32_t lanes = at->bits >> 4 * g & 15u;
            uint8_t *p0 = job->pixels + at->offset[g];
            if (lanes == 15u && job->op->all) {
                vi_store_quad(p0, p0 + job->stride, word, g);
            } else if (lanes) {
                vi_blend_quad(p0, second_row(job, p0, lanes), word, g, job->op->lane_masks[lanes]);
            }
        }
        return;
    }
#endif
    place_store(job, at, place_merge(job, at, word, place_load(job, at)));
}

static void dither_lanes(const struct rn_write_job *job) {
    for (uint32_t q = job->first; q < job->first + job->count; q++) {
        memcpy(&job->scratch->dither[4 * q], rn_dither_pattern[job->qy[q] / 2 & 1][job->qx[q] / 2 & 1],
               4 * sizeof(float));
    }
}

/* ---- without blending ------------------------------------------------------------------------------------ */

/* A channel's steps in place. */
SIMD_FN vi store_channel(vf v, const int f, const int c, const bool dither, const float *threshold) {
    v = vf_mul(clamp01(v), vf_set1((float)fragop_layouts[f].max[c]));
    const vi q = dither ? vi_from_vf_fast(vf_add(v, vf_load(threshold))) : vi_from_vf_rint_fast(v);
    return vi_shl(q, fragop_layouts[f].shift[c]);
}

SIMD_FN void store_lanes(const struct rn_write_job *job, const int f, const bool dither) {
    struct rn_lane_scratch *s = job->scratch;
    const bool wide = is_wide(f);
    const float *r = job->src[0], *g = job->src[1], *b = job->src[2], *a = job->src[3], *threshold = s->dither;
    const uint32_t end = end_lane(job);
    int32_t *words = (int32_t *)s->words;
    struct places places;
    struct place at = {.bits = ALL_BITS};
    if (dither) {
        dither_lanes(job);
    }
    if (wide) {
        places_set(job, &places);
    }
    for (uint32_t lane = first_lane(job); lane < end; lane += SIMD_N) {
        if (wide) {
            place_at(job, &places, lane, &at);
            if (!at.bits) {
                continue;
            }
        }
        vi word = store_channel(vf_load(r + lane), f, 0, dither, threshold + lane);
        if (fragop_layouts[f].max[1]) {
            word = vi_or(word, store_channel(vf_load(g + lane), f, 1, dither, threshold + lane));
        }
        if (fragop_layouts[f].max[2]) {
            word = vi_or(word, store_channel(vf_load(b + lane), f, 2, dither, threshold + lane));
        }
        if (fragop_layouts[f].max[3]) {
            word = vi_or(word, store_channel(vf_load(a + lane), f, 3, dither, threshold + lane));
        }
        if (fragop_layouts[f].fixed) {
            word = vi_or(word, vi_set1((int32_t)fragop_layouts[f].fixed));
        }
        if (wide) {
            place_put(job, &at, word);
        } else {
            vi_store(words + lane, word);
        }
    }
    simd_leave();
    if (!wide) {
        rn_fragop_scatter(job, s->words);
    }
}

/* ---- blending, any function ---------------------------------------------------------------------------------- */

/* Source and target as whole steps in floats. */
SIMD_FN void load_operands(const struct rn_write_job *job, const int f) {
    struct rn_lane_scratch *s = job->scratch;
    const bool short_alpha = fragop_layouts[f].max[3] != 255;
    for (uint32_t lane = first_lane(job); lane < end_lane(job); lane += SIMD_N) {
        const vi word = vi_load((const int32_t *)s->words + lane);
        BITS_UNROLL
        for (int c = 0; c < 4; c++) {
            const int max = fragop_layouts[f].max[c];
            if (max) {
                const vf v = clamp01(vf_load(job->src[c] + lane));
                vf_store(s->s[c] + lane, vf_from_vi(vi_from_vf_rint_fast(vf_mul(v, vf_set1((float)max)))));
                const vi d = vi_and(vi_shr(word, fragop_layouts[f].shift[c]), vi_set1(max));
                vf_store(s->d[c] + lane, vf_from_vi(d));
            }
        }
        if (short_alpha) {
            const vf v = vf_mul(clamp01(vf_load(job->src[3] + lane)), vf_set1(255.0f));
            vf_store(s->sa + lane, vf_from_vi(vi_from_vf_rint_fast(v)));
        }
    }
}

/* min(source alpha, 1 - target alpha) as a factor. */
SIMD_FN void saturate_lanes(const struct rn_write_job *job, const float *sa, const int max) {
    struct rn_lane_scratch *s = job->scratch;
    const vf k = vf_set1(1.0f / (float)max), top = vf_set1((float)max), ks = vf_set1(1.0f / 255.0f);
    for (uint32_t lane = first_lane(job); lane < end_lane(job); lane += SIMD_N) {
        const vf rest = vf_mul(vf_sub(top, vf_load(s->d[3] + lane)), k);
        vf_store(s->saturate + lane, vf_min(vf_mul(vf_load(sa + lane), ks), rest));
    }
}

SIMD_FN vf factor(const struct rn_factor *f, const float *operand, uint32_t lane) {
    return vf_mul(vf_madd(vf_set1(f->sign), vf_load(operand + lane), vf_set1(f->off)), vf_set1(f->k));
}

/* One channel; the result replaces the source's. */
static void blend_channel(const struct rn_write_job *job, int c, const float *sa) {
    struct rn_lane_scratch *s = job->scratch;
    const struct rn_factor *fs = &job->op->src[c], *fd = &job->op->dst[c];
    const float *operands[] = {
        [RN_OP_NONE] = s->zero, [RN_OP_SRC] = c == 3 ? sa : s->s[c], [RN_OP_SRC_ALPHA] = sa,
        [RN_OP_DST] = s->d[c],  [RN_OP_DST_ALPHA] = s->d[3],         [RN_OP_SATURATE] = s->saturate};
    const float *src_operand = operands[fs->operand], *dst_operand = operands[fd->operand];
    float *src = s->s[c];
    const float *dst = s->d[c];
    const uint32_t first = first_lane(job), end = end_lane(job);
#define EACH_LANE(expression)                                                                                          \
    for (uint32_t lane = first; lane < end; lane += SIMD_N) {                                                          \
        const vf a = vf_load(src + lane), b = vf_load(dst + lane);                                                     \
        vf_store(src + lane, expression);                                                                              \
    }
#define SRC_TERM vf_mul(a, factor(fs, src_operand, lane))
#define DST_TERM vf_mul(b, factor(fd, dst_operand, lane))
    switch (job->op->blend_op[c == 3]) {
    case RN_BLEND_SUBTRACT: EACH_LANE(vf_sub(SRC_TERM, DST_TERM)) break;
    case RN_BLEND_REVERSE_SUBTRACT: EACH_LANE(vf_sub(DST_TERM, SRC_TERM)) break;
    case RN_BLEND_MIN: EACH_LANE(vf_min(a, b)) break;
    case RN_BLEND_MAX: EACH_LANE(vf_max(a, b)) break;
    default: EACH_LANE(vf_add(SRC_TERM, DST_TERM)) break;
    }
#undef EACH_LANE
#undef SRC_TERM
#undef DST_TERM
}

SIMD_FN void blend_lanes(const struct rn_write_job *job, const int f) {
    struct rn_lane_scratch *s = job->scratch;
    const bool can_dither = f == F_RGB565 || f == F_RGBA4 || f == F_RGB5A1;
    const bool dither = can_dither && job->op->dither;
    const float *sa = fragop_layouts[f].max[3] == 255 ? s->s[3] : s->sa;
    const bool wide = is_wide(f);
    struct places places;
    struct place at;
    if (wide) {
        places_set(job, &places);
        for (uint32_t lane = first_lane(job); lane < end_lane(job); lane += SIMD_N) {
            place_at(job, &places, lane, &at);
            vi_store((int32_t *)s->words + lane, at.bits ? place_load(job, &at) : vi_zero());
        }
    } else {
        rn_fragop_gather(job, s->words);
    }
    load_operands(job, f);
    if (fragop_layouts[f].max[3]) {
        for (int c = 0; c < 4; c++) {
            if (job->op->src[c].operand == RN_OP_SATURATE || job->op->dst[c].operand == RN_OP_SATURATE) {
                saturate_lanes(job, sa, fragop_layouts[f].max[3]);
                break;
            }
        }
    }
    if (dither) {
        dither_lanes(job);
    }
    for (int c = 0; c < 4; c++) { /* alpha last: the others may ask the source's and the target's */
        if (fragop_layouts[f].max[c]) {
            blend_channel(job, c, sa);
        }
    }
    for (uint32_t lane = first_lane(job); lane < end_lane(job); lane += SIMD_N) {
        vi word = vi_set1((int32_t)fragop_layouts[f].fixed);
        BITS_UNROLL
        for (int c = 0; c < 4; c++) {
            if (fragop_layouts[f].max[c]) {
                const vf v =
                    vf_min(vf_max(vf_load(s->s[c] + lane), vf_zero()), vf_set1((float)fragop_layouts[f].max[c]));
                const vi q = dither ? vi_from_vf_fast(vf_add(v, vf_load(s->dither + lane))) : vi_from_vf_rint_fast(v);
                word = vi_or(word, vi_shl(q, fragop_layouts[f].shift[c]));
            }
        }
        if (wide) {
            place_at(job, &places, lane, &at);
            if (at.bits) {
                place_put(job, &at, word);
            }
        } else {
            vi_store((int32_t *)s->words + lane, word);
        }
    }
    simd_leave();
    if (!wide) {
        rn_fragop_scatter(job, s->words);
    }
}

/* ---- blending, the usual functions, in one pass: the same operations in the same order ---------------------- */

SIMD_FN vf whole_steps(vf v) {
    return vf_from_vi(vi_from_vf_rint_fast(vf_mul(clamp01(v), vf_set1(255.0f))));
}

SIMD_FN vi fast_channel(vf src, vf dst, vf fa, vf rest, const int kind) {
    if (kind == RN_BLEND_FAST_OVER || kind == RN_BLEND_FAST_ADD_ALPHA) {
        src = vf_mul(src, fa);
    }
    if (kind == RN_BLEND_FAST_OVER || kind == RN_BLEND_FAST_PREMULTIPLIED) {
        dst = vf_mul(dst, rest);
    }
    return vi_from_vf_rint_fast(vf_min(vf_add(src, dst), vf_set1(255.0f)));
}

SIMD_FN void fast_lanes(const struct rn_write_job *job, const int f, const int kind) {
    const vf top = vf_set1(255.0f), k = vf_set1(1.0f / 255.0f);
    const float *r = job->src[0], *g = job->src[1], *b = job->src[2], *a = job->src[3];
    const uint32_t end = end_lane(job);
    struct places places;
    places_set(job, &places);
    for (uint32_t lane = first_lane(job); lane < end; lane += SIMD_N) {
        struct place at;
        place_at(job, &places, lane, &at);
        if (!at.bits) {
            continue;
        }
        const vi old = place_load(job, &at);
        const vf alpha = whole_steps(vf_load(a + lane));
        const vf fa = vf_mul(alpha, k), rest = vf_mul(vf_sub(top, alpha), k);
        const vi r8 = fast_channel(whole_steps(vf_load(r + lane)), vf_from_vi(vi_unpack_u8(old, 0)), fa, rest, kind);
        const vi g8 = fast_channel(whole_steps(vf_load(g + lane)), vf_from_vi(vi_unpack_u8(old, 1)), fa, rest, kind);
        const vi b8 = fast_channel(whole_steps(vf_load(b + lane)), vf_from_vi(vi_unpack_u8(old, 2)), fa, rest, kind);
        const vi a8 =
            f == F_RGBX8 ? vi_set1(255) : fast_channel(alpha, vf_from_vi(vi_unpack_u8(old, 3)), fa, rest, kind);
        place_store(job, &at, place_merge(job, &at, vi_pack_rgba8(r8, g8, b8, a8), old));
    }
    simd_leave();
}

/* ---- words of four bytes --------------------------------------------------------------------------------------- */

/* kind RN_BLEND_FAST_COUNT: no blending. */
SIMD_FN void byte_lanes(const struct rn_write_job *job, const int f, const int kind) {
    const float *src = job->src[0];
    const vi fixed = vi_set1((int32_t)fragop_layouts[f].fixed);
    const uint32_t end = end_lane(job);
    struct places places;
    places_set(job, &places);
    for (uint32_t lane = first_lane(job); lane < end; lane += SIMD_N) {
        const vi word = vf_as_vi(vf_load(src + lane));
        struct place at;
        place_at(job, &places, lane, &at);
        if (!at.bits) {
            continue;
        }
        if (kind == RN_BLEND_FAST_COUNT) {
            place_put(job, &at, vi_or(word, fixed));
            continue;
        }
        const vi old = place_load(job, &at);
        place_store(job, &at, place_merge(job, &at, vi_or(blend_bytes(word, old, kind), fixed), old));
    }
    simd_leave();
}

/* ---- whole windows: no lane is left out, and their quads lie side by side ------------------------------------- */

#if SIMD_N > 1
SIMD_FN void block_lanes(const float *const src[4], uint8_t *pixels, size_t stride, const int f, const bool bytes) {
    const vi fixed = vi_set1((int32_t)fragop_layouts[f].fixed);
    for (uint32_t lane = 0; lane < 64; lane += SIMD_N) {
        uint8_t *p = pixels + lane / 16 * 2 * stride + lane % 16 / 4 * 8;
        vi word = bytes ? vf_as_vi(vf_load(src[0] + lane)) : store_channel(vf_load(src[0] + lane), f, 0, false, NULL);
        if (!bytes) {
            word = vi_or(word, store_channel(vf_load(src[1] + lane), f, 1, false, NULL));
            word = vi_or(word, store_channel(vf_load(src[2] + lane), f, 2, false, NULL));
        }
        if (!bytes && f == F_RGBA8) {
            word = vi_or(word, store_channel(vf_load(src[3] + lane), f, 3, false, NULL));
        }
        vi_store_block(p, p + stride, vi_or(word, fixed));
    }
    simd_leave();
}
#define BLOCK(name, f, bytes)                                                                                          \
    static void block_##name(const float *const src[4], uint8_t *pixels, size_t stride) {                              \
        block_lanes(src, pixels, stride, f, bytes);                                                                    \
    }
BLOCK(rgba8, F_RGBA8, false)
BLOCK(rgbx8, F_RGBX8, false)
BLOCK(bytes_rgba8, F_RGBA8, true)
BLOCK(bytes_rgbx8, F_RGBX8, true)
#undef BLOCK
#else
#define block_rgba8 NULL
#define block_rgbx8 NULL
#define block_bytes_rgba8 NULL
#define block_bytes_rgbx8 NULL
#endif

/* ---- one colour over a window: the same again, a row at a time --------------------------------------------- */

#define ROW_VECTORS (SIMD_N >= 8 ? 1 : 8 / SIMD_N)
#define VECTOR_ROWS (SIMD_N > 8 ? SIMD_N / 8 : 1)

SIMD_FN void window_rows(const struct rn_color_op *op, const float rgba[4], uint8_t *pixels, size_t stride,
                         uint64_t mask, const int f, const int kind) {
    const vf top = vf_set1(255.0f), k = vf_set1(1.0f / 255.0f);
    const vf alpha = whole_steps(vf_set1(rgba[3])), fa = vf_mul(alpha, k), rest = vf_mul(vf_sub(top, alpha), k);
    const vf r = whole_steps(vf_set1(rgba[0])), g = whole_steps(vf_set1(rgba[1])), b = whole_steps(vf_set1(rgba[2]));
    const vi bits = vi_set1((int32_t)op->word_mask);
    const uint32_t row_bits = VECTOR_ROWS > 1 ? 0xFFFFu : 0xFFu, vector_bits = (1u << SIMD_N) - 1u;
    const bool all = op->all;
    for (; mask; mask >>= 8 * VECTOR_ROWS, pixels += VECTOR_ROWS * stride) {
        const uint32_t row = (uint32_t)mask & row_bits;
        const bool row0 = VECTOR_ROWS == 1 || (row & 0xFFu), row1 = VECTOR_ROWS > 1 && row >> 8;
        if (!row) {
            continue;
        }
        uint8_t *p1 = row1 ? pixels + stride : pixels, *p0 = row0 ? pixels : p1;
        BITS_UNROLL
        for (int h = 0; h < ROW_VECTORS; h++) {
            const uint32_t lanes = row >> h * SIMD_N & vector_bits;
            const vi old = vi_load_rows(p0 + h * SIMD_N * 4, p1 + h * SIMD_N * 4);
            const vi r8 = fast_channel(r, vf_from_vi(vi_unpack_u8(old, 0)), fa, rest, kind);
            const vi g8 = fast_channel(g, vf_from_vi(vi_unpack_u8(old, 1)), fa, rest, kind);
            const vi b8 = fast_channel(b, vf_from_vi(vi_unpack_u8(old, 2)), fa, rest, kind);
            const vi a8 =
                f == F_RGBX8 ? vi_set1(255) : fast_channel(alpha, vf_from_vi(vi_unpack_u8(old, 3)), fa, rest, kind);
            vi word = vi_pack_rgba8(r8, g8, b8, a8);
            if (!all) {
                word = vi_or(vi_and(word, bits), vi_andnot(bits, old));
            }
            if (lanes != vector_bits) {
                word = vi_sel(vm_from_bits(lanes), word, old);
            }
            if (row0) {
                vi_store_row_lo(p0 + h * SIMD_N * 4, word);
            }
            if (row1) {
                vi_store_row_hi(p1 + h * SIMD_N * 4, word);
            }
        }
    }
    simd_leave();
}

#define WINDOW(name, f, kind)                                                                                          \
    static void name(const struct rn_color_op *op, const float rgba[4], uint8_t *pixels, size_t stride,                \
                     uint64_t mask) {                                                                                  \
        window_rows(op, rgba, pixels, stride, mask, f, kind);                                                          \
    }
WINDOW(window_over_rgba8, F_RGBA8, RN_BLEND_FAST_OVER)
WINDOW(window_over_rgbx8, F_RGBX8, RN_BLEND_FAST_OVER)
WINDOW(window_premultiplied_rgba8, F_RGBA8, RN_BLEND_FAST_PREMULTIPLIED)
WINDOW(window_premultiplied_rgbx8, F_RGBX8, RN_BLEND_FAST_PREMULTIPLIED)
WINDOW(window_add_rgba8, F_RGBA8, RN_BLEND_FAST_ADD)
WINDOW(window_add_rgbx8, F_RGBX8, RN_BLEND_FAST_ADD)
WINDOW(window_add_alpha_rgba8, F_RGBA8, RN_BLEND_FAST_ADD_ALPHA)
WINDOW(window_add_alpha_rgbx8, F_RGBX8, RN_BLEND_FAST_ADD_ALPHA)

/* ---- one word over the masks of windows ------------------------------------------------------------------------ */

SIMD_FN void fill_row(uint8_t *p, uint32_t bits, vi word) {
#if SIMD_LANE_STORES
    vm_storemask_f((float *)(void *)p, vm_from_bits(bits), vi_as_vf(word));
#else
    const uint32_t all = (1u << SIMD_N) - 1u;
    BITS_UNROLL
    for (int h = 0; h < 16 / SIMD_N; h++) {
        const uint32_t lanes = bits >> h * SIMD_N & all;
        int32_t *at = (int32_t *)(void *)(p + h * SIMD_N * 4);
        if (lanes == all) {
            vi_storeu(at, word);
        } else if (lanes) {
            vi_storeu(at, vi_sel(vm_from_bits(lanes), word, vi_loadu(at)));
        }
    }
#endif
}

static void fill_windows(uint8_t *pixels, size_t stride, const uint32_t *words, const struct rn_fill_window *window,
                         uint32_t count) {
    for (uint32_t i = 0; i < count; i++, window++) {
        const vi word = vi_set1((int32_t)words[2u * window->prim]);
        uint8_t *p = pixels + window->y * stride + window->x * 4u;
        for (uint32_t r = 0; r < window->height; r++, p += stride) {
            fill_row(p, window->rows[r], word);
        }
    }
    simd_leave();
}

static void count_windows(const struct rn_fill_window *window, uint32_t count, uint64_t *pixels, uint64_t *quads) {
    uint64_t p = 0, q = 0;
    for (uint32_t i = 0; i < count; i++, window++) {
        for (uint32_t r = 0; r < window->height; r += 4) {
            const uint64_t four = rn_four_rows(window->rows + r), pairs = four | four >> 1;
            p += bits_popcount64(four);
            q += bits_popcount64((pairs | pairs >> 16) & UINT64_C(0x0000555500005555));
        }
    }
    *pixels = p;
    *quads = q;
}

#define STORE(name, f, dither)                                                                                         \
    static void name(const struct rn_write_job *job) {                                                                 \
        store_lanes(job, f, dither);                                                                                   \
    }
#define BLEND(name, f)                                                                                                 \
    static void name(const struct rn_write_job *job) {                                                                 \
        blend_lanes(job, f);                                                                                           \
    }
#define FAST(name, f, kind)                                                                                            \
    static void name(const struct rn_write_job *job) {                                                                 \
        fast_lanes(job, f, kind);                                                                                      \
    }
#define BYTES(name, f, kind)                                                                                           \
    static void name(const struct rn_write_job *job) {                                                                 \
        byte_lanes(job, f, kind);                                                                                      \
    }
BYTES(bytes_rgba8, F_RGBA8, RN_BLEND_FAST_COUNT)
BYTES(bytes_rgbx8, F_RGBX8, RN_BLEND_FAST_COUNT)
BYTES(bytes_over_rgba8, F_RGBA8, RN_BLEND_FAST_OVER)
BYTES(bytes_over_rgbx8, F_RGBX8, RN_BLEND_FAST_OVER)
BYTES(bytes_premultiplied_rgba8, F_RGBA8, RN_BLEND_FAST_PREMULTIPLIED)
BYTES(bytes_premultiplied_rgbx8, F_RGBX8, RN_BLEND_FAST_PREMULTIPLIED)
BYTES(bytes_add_rgba8, F_RGBA8, RN_BLEND_FAST_ADD)
BYTES(bytes_add_rgbx8, F_RGBX8, RN_BLEND_FAST_ADD)
BYTES(bytes_add_alpha_rgba8, F_RGBA8, RN_BLEND_FAST_ADD_ALPHA)
BYTES(bytes_add_alpha_rgbx8, F_RGBX8, RN_BLEND_FAST_ADD_ALPHA)
STORE(store_rgba8, F_RGBA8, false)
STORE(store_rgbx8, F_RGBX8, false)
STORE(store_rgb565, F_RGB565, false)
STORE(store_rgba4, F_RGBA4, false)
STORE(store_rgb5a1, F_RGB5A1, false)
STORE(store_r8, F_R8, false)
STORE(store_rg8, F_RG8, false)
STORE(dither_rgb565, F_RGB565, true)
STORE(dither_rgba4, F_RGBA4, true)
STORE(dither_rgb5a1, F_RGB5A1, true)
BLEND(blend_rgba8, F_RGBA8)
BLEND(blend_rgbx8, F_RGBX8)
BLEND(blend_rgb565, F_RGB565)
BLEND(blend_rgba4, F_RGBA4)
BLEND(blend_rgb5a1, F_RGB5A1)
BLEND(blend_r8, F_R8)
BLEND(blend_rg8, F_RG8)
FAST(over_rgba8, F_RGBA8, RN_BLEND_FAST_OVER)
FAST(over_rgbx8, F_RGBX8, RN_BLEND_FAST_OVER)
FAST(premultiplied_rgba8, F_RGBA8, RN_BLEND_FAST_PREMULTIPLIED)
FAST(premultiplied_rgbx8, F_RGBX8, RN_BLEND_FAST_PREMULTIPLIED)
FAST(add_rgba8, F_RGBA8, RN_BLEND_FAST_ADD)
FAST(add_rgbx8, F_RGBX8, RN_BLEND_FAST_ADD)
FAST(add_alpha_rgba8, F_RGBA8, RN_BLEND_FAST_ADD_ALPHA)
FAST(add_alpha_rgbx8, F_RGBX8, RN_BLEND_FAST_ADD_ALPHA)

extern const struct rn_fragop_ops SIMD_NAME(rn_fragop);
const struct rn_fragop_ops SIMD_NAME(rn_fragop) = {
    .store = {[F_RGBA8] = {store_rgba8, store_rgba8}, /* eight bits are never dithered */
              [F_RGBX8] = {store_rgbx8, store_rgbx8},
              [F_RGB565] = {store_rgb565, dither_rgb565},
              [F_RGBA4] = {store_rgba4, dither_rgba4},
              [F_RGB5A1] = {store_rgb5a1, dither_rgb5a1},
              [F_R8] = {store_r8, store_r8},
              [F_RG8] = {store_rg8, store_rg8}},
    .blend = {[F_RGBA8] = blend_rgba8,
              [F_RGBX8] = blend_rgbx8,
              [F_RGB565] = blend_rgb565,
              [F_RGBA4] = blend_rgba4,
              [F_RGB5A1] = blend_rgb5a1,
              [F_R8] = blend_r8,
              [F_RG8] = blend_rg8},
    .fast = {{over_rgba8, premultiplied_rgba8, add_rgba8, add_alpha_rgba8},
             {over_rgbx8, premultiplied_rgbx8, add_rgbx8, add_alpha_rgbx8}},
    .window = {{window_over_rgba8, window_premultiplied_rgba8, window_add_rgba8, window_add_alpha_rgba8},
               {window_over_rgbx8, window_premultiplied_rgbx8, window_add_rgbx8, window_add_alpha_rgbx8}},
    .store_bytes = {bytes_rgba8, bytes_rgbx8},
    .blend_bytes = {{bytes_over_rgba8, bytes_premultiplied_rgba8, bytes_add_rgba8, bytes_add_alpha_rgba8},
                    {bytes_over_rgbx8, bytes_premultiplied_rgbx8, bytes_add_rgbx8, bytes_add_alpha_rgbx8}},
    .block = {block_rgba8, block_rgbx8},
    .block_bytes = {block_bytes_rgba8, block_bytes_rgbx8},
    .fill = fill_windows,
    .count = count_windows,
};
