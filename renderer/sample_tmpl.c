/* SPDX-License-Identifier: MIT */
/*
 * Fetch kernels of normalised formats, compiled once for each ISA: coordinates of a pass to texels to four
 * results. One function body serves every format; 'kind', 'dims' and the filter are constants where it is
 * inlined. texture.h states the arithmetic.
 *
 * Two channels ride in one word as 16-bit halves: a value of at most 8 bits times a weight of at most 256 stays
 * within 16 bits, so the mix along s is exact in halves; along t the sums stay below 2^24 and are exact in
 * float; along r they are exact in double.
 */
#include "renderer/sample_tmpl.h"

/* Texel words split into halves: channels 0 and 2 in 'even', 1 and 3 in 'odd' (0 and 1 in 'even' for PAIR). */
struct halves {
    vi even, odd;
};

SIMD_FN struct halves split(const int kind, vi w) {
    struct halves h = {w, vi_zero()};
    switch (kind) {
    case RN_FETCH_WORDS:
        h.even = vi_and(w, vi_set1(0x00FF00FF));
        h.odd = vi_and(vi_shr(w, 8), vi_set1(0x00FF00FF));
        break;
    case RN_FETCH_BYTE: h.even = vi_and(w, vi_set1(255)); break;
    case RN_FETCH_PAIR: h.even = vi_or(vi_and(w, vi_set1(255)), vi_and(vi_shl(w, 8), vi_set1(0x00FF0000))); break;
    case RN_FETCH_565:
        h.even = vi_or(vi_and(vi_shr(w, 11), vi_set1(31)), vi_and(vi_shl(w, 16), vi_set1(0x001F0000)));
        h.odd = vi_and(vi_shr(w, 5), vi_set1(63));
        break;
    case RN_FETCH_4444:
        h.even = vi_or(vi_and(vi_shr(w, 12), vi_set1(15)), vi_and(vi_shl(w, 12), vi_set1(0x000F0000)));
        h.odd = vi_or(vi_and(vi_shr(w, 8), vi_set1(15)), vi_and(vi_shl(w, 16), vi_set1(0x000F0000)));
        break;
    default: /* 5551 */
        h.even = vi_or(vi_and(vi_shr(w, 11), vi_set1(31)), vi_and(vi_shl(w, 15), vi_set1(0x001F0000)));
        h.odd = vi_or(vi_and(vi_shr(w, 6), vi_set1(31)), vi_and(vi_shl(w, 16), vi_set1(0x00010000)));
        break;
    }
    return h;
}

SIMD_FN float channel_max(const int kind, int c) {
    return kind == RN_FETCH_565 ? (c == 1 ? 63.0f : 31.0f)
           : kind == RN_FETCH_4444 ? 15.0f
           : kind == RN_FETCH_5551 ? (c == 3 ? 1.0f : 31.0f) : 255.0f;
}

/* Number of stored channels that the halves hold. */
SIMD_FN int channel_count(const int kind) {
    return kind == RN_FETCH_BYTE ? 1 : kind == RN_FETCH_PAIR ? 2 : kind == RN_FETCH_565 ? 3 : 4;
}

/* Stored channel 'c' of words split into halves. */
SIMD_FN vi half_of(const int kind, struct halves h, int c) {
    vi word = kind == RN_FETCH_PAIR || (c & 1) == 0 ? h.even : h.odd;
    bool high = kind == RN_FETCH_PAIR ? c == 1 : c >= 2;
    if (kind == RN_FETCH_BYTE || (kind == RN_FETCH_565 && c == 1)) {
        return word;
    }
    return high ? vi_shr(word, 16) : vi_and(word, vi_set1(0xFFFF));
}

/* What the view wants for result 'c': a stored channel (the first two only) or a constant. */
SIMD_FN vf placed(uint8_t from, const vf value[4], const int kind) {
    if (from == 0) {
        return value[0];
    }
    if (from == 1 && kind == RN_FETCH_PAIR) {
        return value[1];
    }
    return from == RN_PLACE_ZERO ? vf_zero() : vf_set1(1.0f);
}

SIMD_FN void put_channels(const int kind, const struct sink *sink, const uint8_t place[4], int i, uint32_t bits,
                          vf blend, const vf value[4]) {
    if (kind == RN_FETCH_BYTE || kind == RN_FETCH_PAIR) {
        put(sink, 0, i, bits, blend, placed(place[0], value, kind));
        put(sink, 1, i, bits, blend, placed(place[1], value, kind));
        put(sink, 2, i, bits, blend, placed(place[2], value, kind));
        put(sink, 3, i, bits, blend, placed(place[3], value, kind));
        return;
    }
    put(sink, 0, i, bits, blend, value[0]);
    put(sink, 1, i, bits, blend, value[1]);
    put(sink, 2, i, bits, blend, value[2]);
    put(sink, 3, i, bits, blend, value[3]);
}

/* Units of an offset: words for WORDS, else bytes. */
SIMD_FN int texel_units(const int kind) { return kind >= RN_FETCH_PAIR ? 2 : 1; }

SIMD_FN vi load_texels(const int kind, const void *base, vi offset) {
    if (kind == RN_FETCH_WORDS) {
        return vi_gather((const int32_t *)base, offset);
    }
    return gather_small(base, offset, kind == RN_FETCH_BYTE ? 1 : 2);
}

SIMD_FN vi scale_column(const int kind, vi x) { return texel_units(kind) == 2 ? vi_add(x, x) : x; }

/* Offsets of rows: a row number is below 2^13, the pitch in 64-byte units below 2^12. */
SIMD_FN vi row_offset(const int kind, vi row, vi pitch) {
    return vi_shl(vi_mul_small(row, pitch), kind == RN_FETCH_WORDS ? 4 : 6);
}

/* Alpha of formats that store four channels, 1 for those that do not. */
SIMD_FN vf alpha_of(const int kind, const struct plane *plane, vf stored) {
    return kind == RN_FETCH_565 ? vf_set1(1.0f) : kind == RN_FETCH_WORDS ? vf_max(stored, plane->least_alpha) : stored;
}

SIMD_FN vf one_texel(const int kind, struct halves h, const int c) {
    return vf_mul(vf_from_vi(half_of(kind, h, c)), vf_set1(1.0f / channel_max(kind, c)));
}

SIMD_FN void unorm_nearest(const struct rn_fetch *pass, const int kind, const int dims) {
    struct plane plane = plane_of(pass, pass->level, kind == RN_FETCH_WORDS ? 4 : 1);
    struct sink sink = sink_of(pass);
    struct vliw_mask mask = pass->mask;
    uint8_t place[4];
    memcpy(place, pass->view->place, sizeof place);
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        uint32_t bits = mask_at(&mask, i);
        if (!bits) {
            continue;
        }
        vi x = nearest_index(&plane.axis[0], wrapped_at(&plane.axis[0], i));
        vi y = nearest_index(&plane.axis[1], wrapped_at(&plane.axis[1], i));
        vi offset = vi_add(row_offset(kind, y, plane.pitch), scale_column(kind, x));
        if (dims == 3) {
            vi z = nearest_index(&plane.axis[2], wrapped_at(&plane.axis[2], i));
            offset = vi_add(offset, vi_mul(z, plane.slice));
        }
        struct halves h = split(kind, load_texels(kind, plane.base, offset));
        vf value[4] = {one_texel(kind, h, 0), one_texel(kind, h, 1), one_texel(kind, h, 2),
                       alpha_of(kind, &plane, one_texel(kind, h, 3))};
        put_channels(kind, &sink, place, i, bits, blend_factor(&sink, i), value);
    }
    simd_leave();
}

/* Weights of both texels along s, in both halves. */
struct s_weights {
    vi w0, w1;
};

/* One row: texels x0 and x1 mixed along s, channels in halves. */
SIMD_FN struct halves mix_row(const int kind, const struct plane *plane, vi row, vi x0, vi x1, struct s_weights w) {
    struct halves a = split(kind, load_texels(kind, plane->base, vi_add(row, x0)));
    struct halves b = split(kind, load_texels(kind, plane->base, vi_add(row, x1)));
    struct halves m = {vi_add(vi_mul16(a.even, w.w0), vi_mul16(b.even, w.w1)), vi_zero()};
    if (channel_count(kind) > 2) {
        m.odd = vi_add(vi_mul16(a.odd, w.w0), vi_mul16(b.odd, w.w1));
    }
    return m;
}

/* Two rows of a slice and their weights. */
struct rows {
    struct halves top, bottom;
    vf h0, h1;
};

/* The exact sum of channel 'c' over two rows, an integer below 2^24. */
SIMD_FN vf mix_rows(const int kind, const struct rows *r, const int c) {
    return vf_add(vf_mul(vf_from_vi(half_of(kind, r->top, c)), r->h0),
                  vf_mul(vf_from_vi(half_of(kind, r->bottom, c)), r->h1));
}

/* a * (256 - f) + b * f for integers below 2^24, rounded once. */
SIMD_FN vf mix_slices(vf a, vf b, vf h0, vf h1) {
    vd lo = vd_add(vd_mul(vd_lo_from_vf(a), vd_lo_from_vf(h0)), vd_mul(vd_lo_from_vf(b), vd_lo_from_vf(h1)));
    vd hi = vd_add(vd_mul(vd_hi_from_vf(a), vd_hi_from_vf(h0)), vd_mul(vd_hi_from_vf(b), vd_hi_from_vf(h1)));
    return vf_from_vd(lo, hi);
}

SIMD_FN vf flat_channel(const int kind, const struct rows *rows, const int c) {
    return vf_mul(mix_rows(kind, rows, c), vf_set1(1.0f / channel_max(kind, c) * (1.0f / 65536.0f)));
}
SIMD_FN vf volume_channel(const int kind, const struct rows *rows, const int c, vf d0, vf d1) {
    vf sum = mix_slices(mix_rows(kind, &rows[0], c), mix_rows(kind, &rows[1], c), d0, d1);
    return vf_mul(sum, vf_set1(1.0f / channel_max(kind, c) * (1.0f / 16777216.0f)));
}

struct texels {
    vf value[4];
};

/* The four texels around wrapped coordinates w (eight with the third). */
SIMD_FN struct texels mix_texels(const struct plane *plane, const vf w[3], const int kind, const int dims) {
    struct pair x = linear_pair(&plane->axis[0], w[0]), y = linear_pair(&plane->axis[1], w[1]);
    vi x0 = scale_column(kind, x.i0), x1 = scale_column(kind, x.i1);
    vi row0 = row_offset(kind, y.i0, plane->pitch), row1 = row_offset(kind, y.i1, plane->pitch);
    vi g = vi_sub(vi_set1(256), x.f);
    struct s_weights sw = {g, x.f};
    if (kind != RN_FETCH_BYTE) {
        sw.w0 = vi_or(g, vi_shl(g, 16));
        sw.w1 = vi_or(x.f, vi_shl(x.f, 16));
    }
    struct rows rows[2];
    rows[0].h1 = vf_from_vi(y.f);
    rows[0].h0 = vf_from_vi(vi_sub(vi_set1(256), y.f));
    if (dims == 2) {
        rows[0].top = mix_row(kind, plane, row0, x0, x1, sw);
        rows[0].bottom = mix_row(kind, plane, row1, x0, x1, sw);
        struct texels flat = {{flat_channel(kind, rows, 0), flat_channel(kind, rows, 1), flat_channel(kind, rows, 2),
                               alpha_of(kind, plane, flat_channel(kind, rows, 3))}};
        return flat;
    }
    rows[1] = rows[0];
    struct pair z = linear_pair(&plane->axis[2], w[2]);
    vi z0 = vi_mul(z.i0, plane->slice), z1 = vi_mul(z.i1, plane->slice);
    vf d1 = vf_from_vi(z.f), d0 = vf_from_vi(vi_sub(vi_set1(256), z.f));
    rows[0].top = mix_row(kind, plane, vi_add(row0, z0), x0, x1, sw);
    rows[0].bottom = mix_row(kind, plane, vi_add(row1, z0), x0, x1, sw);
    rows[1].top = mix_row(kind, plane, vi_add(row0, z1), x0, x1, sw);
    rows[1].bottom = mix_row(kind, plane, vi_add(row1, z1), x0, x1, sw);
    struct texels volume = {{volume_channel(kind, rows, 0, d0, d1), volume_channel(kind, rows, 1, d0, d1),
                             volume_channel(kind, rows, 2, d0, d1),
                             alpha_of(kind, plane, volume_channel(kind, rows, 3, d0, d1))}};
    return volume;
}

SIMD_FN void unorm_linear(const struct rn_fetch *pass, const int kind, const int dims) {
    struct plane plane = plane_of(pass, pass->level, kind == RN_FETCH_WORDS ? 4 : 1);
    struct sink sink = sink_of(pass);
    struct vliw_mask mask = pass->mask;
    uint8_t place[4];
    memcpy(place, pass->view->place, sizeof place);
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        uint32_t bits = mask_at(&mask, i);
        if (!bits) {
            continue;
        }
        vf w[3] = {wrapped_at(&plane.axis[0], i), wrapped_at(&plane.axis[1], i), vf_zero()};
        w[2] = dims == 3 ? wrapped_at(&plane.axis[2], i) : w[2];
        struct texels t = mix_texels(&plane, w, kind, dims);
        put_channels(kind, &sink, place, i, bits, blend_factor(&sink, i), t.value);
    }
    simd_leave();
}

SIMD_FN vf lerp(vf a, vf b, vf f) { return vf_add(vf_mul(a, vf_sub(vf_set1(1.0f), f)), vf_mul(b, f)); }

/* Two levels blended. Values are finite and not negative, so a weight of 0 leaves the first level's bits. */
SIMD_FN void unorm_pair(const struct rn_fetch *pass, const int kind) {
    struct plane fine = plane_of(pass, pass->level, 1), coarse = plane_of(pass, pass->second, 1);
    struct sink sink = sink_of(pass);
    struct vliw_mask mask = pass->mask;
    const int32_t *weight = pass->weight;
    uint8_t place[4];
    memcpy(place, pass->view->place, sizeof place);
    sink.weight = NULL;
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        uint32_t bits = mask_at(&mask, i);
        if (!bits) {
            continue;
        }
        vf w[3] = {wrapped_at(&fine.axis[0], i), wrapped_at(&fine.axis[1], i), vf_zero()};
        struct texels a = mix_texels(&fine, w, kind, 2), b = mix_texels(&coarse, w, kind, 2);
        vf f = vf_mul(vf_from_vi(vi_load(weight + i)), vf_set1(1.0f / 256.0f));
        vf value[4] = {lerp(a.value[0], b.value[0], f), lerp(a.value[1], b.value[1], f),
                       lerp(a.value[2], b.value[2], f), lerp(a.value[3], b.value[3], f)};
        put_channels(kind, &sink, place, i, bits, f, value);
    }
    simd_leave();
}

#define KERNELS(name, kind, dims)                                                                  \
    static void name##_nearest(const struct rn_fetch *pass) { unorm_nearest(pass, kind, dims); }   \
    static void name##_linear(const struct rn_fetch *pass) { unorm_linear(pass, kind, dims); }

#define PAIR_KERNEL(name, kind)                                                                    \
    static void name##_levels(const struct rn_fetch *pass) { unorm_pair(pass, kind); }

PAIR_KERNEL(words, RN_FETCH_WORDS)
PAIR_KERNEL(byte, RN_FETCH_BYTE)
PAIR_KERNEL(pair, RN_FETCH_PAIR)
PAIR_KERNEL(packed565, RN_FETCH_565)
PAIR_KERNEL(packed4444, RN_FETCH_4444)
PAIR_KERNEL(packed5551, RN_FETCH_5551)
KERNELS(words, RN_FETCH_WORDS, 2)
KERNELS(byte, RN_FETCH_BYTE, 2)
KERNELS(pair, RN_FETCH_PAIR, 2)
KERNELS(packed565, RN_FETCH_565, 2)
KERNELS(packed4444, RN_FETCH_4444, 2)
KERNELS(packed5551, RN_FETCH_5551, 2)
KERNELS(volume_words, RN_FETCH_WORDS, 3)
KERNELS(volume_byte, RN_FETCH_BYTE, 3)
KERNELS(volume_pair, RN_FETCH_PAIR, 3)

/* ---- axes on their own, for the plain fetch ------------------------------------------------------------------- */

static void axis_nearest(const float *coord, int32_t size, uint8_t wrap, struct rn_axis *out) {
    struct axis axis = axis_of(coord, size, wrap);
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        vi_store(out->i0 + i, nearest_index(&axis, wrapped_at(&axis, i)));
    }
    simd_leave();
}

static void axis_linear(const float *coord, int32_t size, uint8_t wrap, struct rn_axis *out) {
    struct axis axis = axis_of(coord, size, wrap);
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        struct pair p = linear_pair(&axis, wrapped_at(&axis, i));
        vi_store(out->i0 + i, p.i0);
        vi_store(out->i1 + i, p.i1);
        vi_store(out->f + i, p.f);
    }
    simd_leave();
}

const struct rn_sample_kernels SIMD_NAME(rn_sample) = {
    {axis_nearest, axis_linear},
    {{words_nearest, words_linear}, {byte_nearest, byte_linear}, {pair_nearest, pair_linear},
     {packed565_nearest, packed565_linear}, {packed4444_nearest, packed4444_linear},
     {packed5551_nearest, packed5551_linear}},
    {words_levels, byte_levels, pair_levels, packed565_levels, packed4444_levels, packed5551_levels},
    {{volume_words_nearest, volume_words_linear}, {volume_byte_nearest, volume_byte_linear},
     {volume_pair_nearest, volume_pair_linear}}};
