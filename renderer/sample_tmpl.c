/* SPDX-License-Identifier: MIT */
/*
 * Fetch kernels of normalised formats, compiled once for each ISA: coordinates of a pass to texels to four
 * results. One function body serves every format; 'kind', 'dims' and the filter are constants where it is
 * inlined. texture.h states the arithmetic.
 *
 * Two channels ride in one word as 16-bit halves: a value of at most 8 bits times a weight of at most 256 stays
 * within 16 bits, so the mix along s is exact in halves; along t the sums stay below 2^24 and are exact in 32
 * bits and in float; along r they are exact in double.
 */
#include "renderer/sample_tmpl.h"

/* Constants of the loops. */
struct fixed {
    vi even, half, full;                 /* 0x00FF00FF; 128; 256 in both halves */
    vi t_flip, t_add, sign, unsign;      /* of mix_rows */
    vf least_alpha;
};
SIMD_FN struct fixed fixed_of(const struct rn_fetch *pass) {
    struct fixed k = {vi_hidden(vi_set1(0x00FF00FF)), vi_hidden(vi_set1(128)), vi_hidden(vi_set1(0x01000100)),
                      vi_hidden(vi_set1((int32_t)0xFFFF0000u)), vi_hidden(vi_set1(0x01010000)),
                      vi_hidden(vi_set1((int32_t)0x80008000u)), vi_hidden(vi_set1(1 << 23)),
                      vf_set1(pass->view->least_alpha)};
    return k;
}

/* Texel words split into halves: channels 0 and 2 in 'even', 1 and 3 in 'odd' (0 and 1 in 'even' for PAIR). */
struct halves {
    vi even, odd;
};

SIMD_FN struct halves split(const int kind, vi w, const struct fixed *k) {
    struct halves h = {w, vi_zero()};
    switch (kind) {
    case RN_FETCH_WORDS:
        h.even = vi_and(w, k->even);
        h.odd = vi_odd_bytes(w);
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

/* The texels at an offset and at the next column, then the same of the next row. */
SIMD_FN void load_squares(const int kind, const uint8_t *row0, size_t row_bytes, vi offset, vi v[4]) {
    const uint8_t *row1 = row0 + row_bytes;
    if (kind == RN_FETCH_WORDS) {
        vi_gather_squares(row0, row1, offset, v);
        return;
    }
    const int bits = 8 * texel_units(kind);
    v[0] = gather_small(row0, offset, 2 * (unsigned)texel_units(kind));
    v[2] = gather_small(row1, offset, 2 * (unsigned)texel_units(kind));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v[1] = v[0];
    v[3] = v[2];
    v[0] = vi_shr(v[0], bits);
    v[2] = vi_shr(v[2], bits);
#else
    v[1] = vi_shr(v[0], bits);
    v[3] = vi_shr(v[2], bits);
#endif
}

SIMD_FN vi scale_column(const int kind, vi x) { return texel_units(kind) == 2 ? vi_add(x, x) : x; }

/* Offsets of rows: a row number is below 2^13, the distance of rows below 2^15. */
SIMD_FN vi row_offset(const struct plane *plane, vi row) { return vi_mul_small(row, plane->pitch_units); }

/* ---- vectors within a cell ------------------------------------------------------------------------------------ */

/* What a level's texels need there, by far less than a plane; and the cells of both axes around the last vector. */
struct patch {
    const uint8_t *base;
    size_t row_bytes;
    vi pitch;
    struct cell s, t;
};

/* What reads vectors that no patch holds. */
typedef void (*around_fn)(const struct rn_fetch *pass, const struct rn_level *level, int i, void *out);

SIMD_FN void patch_move(struct patch *p, const struct rn_fetch *pass, const struct rn_level *l, int i,
                        const bool linear) {
    const uint8_t *wrap = pass->view->desc.wrap;
    p->s = cell_at(l->width, wrap[0], pass->coord[0][i], linear);
    p->t = cell_at(l->height, wrap[1], pass->coord[1][i], linear);
}

SIMD_FN struct patch patch_of(const struct rn_fetch *pass, const struct rn_level *l, const int kind, const int lane,
                              const bool linear) {
    struct patch p;
    p.base = l->data;
    p.row_bytes = l->row_bytes;
    p.pitch = vi_set1((int32_t)(l->row_bytes / (kind == RN_FETCH_WORDS ? 4u : 1u)));
    patch_move(&p, pass, l, lane, linear);
    return p;
}

/* Positions of lanes in the cells, LINEAR less half a texel. Their signs show in 'outside' where they need care. */
struct position {
    vi s, t, outside;
};

SIMD_FN struct position position_in(const struct patch *p, vf s, vf t, const struct fixed *k, const bool linear) {
    struct position at = {cell_position(&p->s, s), cell_position(&p->t, t), vi_zero()};
    vi low_s = vi_sub(at.s, linear ? k->half : vi_set1(1)), low_t = vi_sub(at.t, linear ? k->half : vi_set1(1));
    if (linear) {
        at.s = low_s;
        at.t = low_t;
    }
    at.outside = vi_or(vi_or(low_s, low_t), vi_or(vi_sub(p->s.last, at.s), vi_sub(p->t.last, at.t)));
    return at;
}

/* Whether a level is worth asking again: smaller ones hold no vector, or hardly any. */
SIMD_FN bool holds_some(const struct rn_level *l) { return l->width >= 4 && l->height >= 4; }

/* The first lane of a mask that is not empty. */
SIMD_FN int first_lane(const struct vliw_mask *mask) {
    int word = 0;
    while (word < VM_MASK_WORDS - 1 && !mask->w[word]) {
        word++;
    }
    return word * 64 + (int)bits_ctz64(mask->w[word] | UINT64_C(1) << 63);
}

/* Alpha of formats that store four channels, 1 for those that do not. */
SIMD_FN vf alpha_of(const int kind, vf least_alpha, vf stored) {
    return kind == RN_FETCH_565 ? vf_set1(1.0f) : kind == RN_FETCH_WORDS ? vf_max(stored, least_alpha) : stored;
}

struct texels {
    vf value[4];
};

/* ---- NEAREST -------------------------------------------------------------------------------------------------- */

SIMD_FN vf one_texel(const int kind, struct halves h, const int c) {
    return vf_mul(vf_from_vi(half_of(kind, h, c)), vf_set1(1.0f / channel_max(kind, c)));
}

SIMD_FN struct texels texels_of(const int kind, const struct fixed *k, vi words) {
    struct halves h = split(kind, words, k);
    struct texels t = {{one_texel(kind, h, 0), one_texel(kind, h, 1), one_texel(kind, h, 2),
                        alpha_of(kind, k->least_alpha, one_texel(kind, h, 3))}};
    return t;
}

/* Any coordinates: offsets of the texels of lanes i and on. */
SIMD_FN vi nearest_offset(const struct plane *plane, int i, const int kind, const int dims) {
    vi x = nearest_index(&plane->axis[0], wrapped_at(&plane->axis[0], i));
    vi y = nearest_index(&plane->axis[1], wrapped_at(&plane->axis[1], i));
    vi offset = vi_add(row_offset(plane, y), scale_column(kind, x));
    if (dims == 3) {
        vi z = nearest_index(&plane->axis[2], wrapped_at(&plane->axis[2], i));
        offset = vi_add(offset, vi_mul(z, plane->slice));
    }
    return offset;
}

SIMD_FN void unorm_nearest(const struct rn_fetch *pass, const int kind, const around_fn around) {
    struct patch patch = patch_of(pass, pass->level, kind, first_lane(&pass->mask), false);
    struct sink sink = sink_of(pass);
    struct vliw_mask mask = pass->mask;
    const struct fixed k = fixed_of(pass);
    const bool worth = holds_some(pass->level);
    uint8_t place[4];
    memcpy(place, pass->view->place, sizeof place);
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        uint32_t bits = mask_at(&mask, i);
        if (!bits) {
            continue;
        }
        vf s = vf_load(pass->coord[0] + i), t = vf_load(pass->coord[1] + i);
        struct position at = position_in(&patch, s, t, &k, false);
        if (BITS_UNLIKELY(vm_any(vm_from_vi(at.outside))) && worth) {
            patch_move(&patch, pass, pass->level, i + (int)bits_ctz32(bits), false);
            at = position_in(&patch, s, t, &k, false);
        }
        vi offset = vi_add(vi_mul_small(vi_sar(at.t, 8), patch.pitch), scale_column(kind, vi_sar(at.s, 8)));
        if (BITS_UNLIKELY(vm_any(vm_from_vi(at.outside)))) {
            _Alignas(64) int32_t offsets[SIMD_N];
            around(pass, pass->level, i, offsets);
            offset = vi_load(offsets);
        }
        struct texels texels = texels_of(kind, &k, load_texels(kind, patch.base, offset));
        put_channels(kind, &sink, place, i, bits, blend_factor(&sink, i), texels.value);
    }
    simd_leave();
}

/* ---- LINEAR --------------------------------------------------------------------------------------------------- */

/* Weights of both texels along s, in both halves. */
struct s_weights {
    vi w0, w1;
};

/* 'f' has the weight of the second texel in its low byte and anything above. */
SIMD_FN struct s_weights s_weights_of(vi f, const struct fixed *k) {
    vi twice = vi_low_byte_twice(f);
    struct s_weights w = {vi_sub(k->full, twice), twice};
    return w;
}

/* Texels a and b mixed along s, channels in halves. */
SIMD_FN struct halves mix_words(const int kind, vi a, vi b, struct s_weights w, const struct fixed *k) {
    struct halves p = split(kind, a, k), q = split(kind, b, k);
    struct halves m = {vi_add(vi_mul16(p.even, w.w0), vi_mul16(q.even, w.w1)), vi_zero()};
    if (channel_count(kind) > 2) {
        m.odd = vi_add(vi_mul16(p.odd, w.w0), vi_mul16(q.odd, w.w1));
    }
    return m;
}

/* One row: texels x0 and x1 mixed. */
SIMD_FN struct halves mix_row(const int kind, const struct plane *plane, vi row, vi x0, vi x1, struct s_weights w,
                              const struct fixed *k) {
    vi a = load_texels(kind, plane->base, vi_add(row, x0)), b = load_texels(kind, plane->base, vi_add(row, x1));
    return mix_words(kind, a, b, w, k);
}

/* Two rows of a slice; the weights of the lower one in the low halves, of the upper one in the high halves. */
struct rows {
    struct halves top, bottom;
    vi w;
};

/* 'f' has the weight of the second row in its low byte and anything above: 256 - f is ~f + 257 in 16 bits. */
SIMD_FN vi t_weights_of(vi f, const struct fixed *k) {
    return vi_add(vi_xor(vi_low_byte_twice(f), k->t_flip), k->t_add);
}

/* Exact sums over two rows, integers below 2^24. */
struct sums {
    vi c[4];
};

/* Halves of 8-bit channels take all 16 bits: less 32768 they are signed, and the sum is less by 2^15 * 256. */
SIMD_FN void mix_halves(const int kind, vi bottom, vi top, vi w, const struct fixed *k, vi *low, vi *high) {
    const bool wide = channel_max(kind, 0) > 127.0f;
    vi l, h;
    if (!wide) {
        vi_madd_halves(bottom, top, w, low, high);
        return;
    }
    vi_madd_halves(vi_xor(bottom, k->sign), vi_xor(top, k->sign), w, &l, &h);
    *low = vi_add(l, k->unsign);
    *high = vi_add(h, k->unsign);
}

SIMD_FN struct sums mix_rows(const int kind, const struct rows *r, const struct fixed *k) {
    struct sums s = {{vi_zero(), vi_zero(), vi_zero(), vi_zero()}};
    mix_halves(kind, r->bottom.even, r->top.even, r->w, k, &s.c[0], &s.c[kind == RN_FETCH_PAIR ? 1 : 2]);
    if (channel_count(kind) > 2) {
        mix_halves(kind, r->bottom.odd, r->top.odd, r->w, k, &s.c[1], &s.c[3]);
    }
    return s;
}

/* a * (256 - f) + b * f for integers below 2^24, rounded once. */
SIMD_FN vf mix_slices(vi a, vi b, vi f) {
    vd lo = vd_lo_from_vi(f), hi = vd_hi_from_vi(f), full = vd_set1(256.0);
    lo = vd_add(vd_mul(vd_lo_from_vi(a), vd_sub(full, lo)), vd_mul(vd_lo_from_vi(b), lo));
    hi = vd_add(vd_mul(vd_hi_from_vi(a), vd_sub(full, hi)), vd_mul(vd_hi_from_vi(b), hi));
    return vf_from_vd(lo, hi);
}

SIMD_FN vf flat_channel(const int kind, const struct sums *sums, const int c) {
    return vf_mul(vf_from_vi(sums->c[c]), vf_set1(1.0f / channel_max(kind, c) * (1.0f / 65536.0f)));
}
SIMD_FN vf volume_channel(const int kind, const struct sums *a, const struct sums *b, vi f, const int c) {
    return vf_mul(mix_slices(a->c[c], b->c[c], f), vf_set1(1.0f / channel_max(kind, c) * (1.0f / 16777216.0f)));
}

SIMD_FN struct texels flat_texels(const int kind, const struct rows *rows, const struct fixed *k) {
    struct sums sums = mix_rows(kind, rows, k);
    struct texels flat = {{flat_channel(kind, &sums, 0), flat_channel(kind, &sums, 1), flat_channel(kind, &sums, 2),
                           alpha_of(kind, k->least_alpha, flat_channel(kind, &sums, 3))}};
    return flat;
}

/* The four texels around coordinates that a patch holds: the second is the next one, the second row the next row. */
SIMD_FN struct texels mix_patch(const struct patch *patch, const struct position *at, const struct fixed *k,
                                const int kind) {
    vi offset = vi_add(vi_mul_small(vi_sar(at->t, 8), patch->pitch), scale_column(kind, vi_sar(at->s, 8))), v[4];
    load_squares(kind, patch->base, patch->row_bytes, offset, v);
    struct s_weights sw = s_weights_of(at->s, k);
    struct rows rows;
    rows.w = t_weights_of(at->t, k);
    rows.top = mix_words(kind, v[0], v[1], sw, k);
    rows.bottom = mix_words(kind, v[2], v[3], sw, k);
    return flat_texels(kind, &rows, k);
}

/* The four texels around wrapped coordinates w (eight with the third). */
SIMD_FN struct texels mix_texels(const struct plane *plane, const vf w[3], const struct fixed *k, const int kind,
                                 const int dims) {
    struct pair x = linear_pair(&plane->axis[0], w[0]), y = linear_pair(&plane->axis[1], w[1]);
    vi x0 = scale_column(kind, x.i0), x1 = scale_column(kind, x.i1);
    vi row0 = row_offset(plane, y.i0), row1 = row_offset(plane, y.i1);
    struct s_weights sw = s_weights_of(x.f, k);
    struct rows rows;
    rows.w = t_weights_of(y.f, k);
    if (dims == 2) {
        rows.top = mix_row(kind, plane, row0, x0, x1, sw, k);
        rows.bottom = mix_row(kind, plane, row1, x0, x1, sw, k);
        return flat_texels(kind, &rows, k);
    }
    struct pair z = linear_pair(&plane->axis[2], w[2]);
    vi z0 = vi_mul(z.i0, plane->slice), z1 = vi_mul(z.i1, plane->slice);
    rows.top = mix_row(kind, plane, vi_add(row0, z0), x0, x1, sw, k);
    rows.bottom = mix_row(kind, plane, vi_add(row1, z0), x0, x1, sw, k);
    struct sums a = mix_rows(kind, &rows, k);
    rows.top = mix_row(kind, plane, vi_add(row0, z1), x0, x1, sw, k);
    rows.bottom = mix_row(kind, plane, vi_add(row1, z1), x0, x1, sw, k);
    struct sums b = mix_rows(kind, &rows, k);
    struct texels volume = {{volume_channel(kind, &a, &b, z.f, 0), volume_channel(kind, &a, &b, z.f, 1),
                             volume_channel(kind, &a, &b, z.f, 2),
                             alpha_of(kind, k->least_alpha, volume_channel(kind, &a, &b, z.f, 3))}};
    return volume;
}

/* Texels of a vector: of the patch, which moves there if it does not hold them; anyhow if it cannot. */
SIMD_FN struct texels mix_vector(const struct rn_fetch *pass, const struct rn_level *level, struct patch *patch, int i,
                                 uint32_t bits, const struct fixed *k, const int kind, const around_fn around) {
    vf s = vf_load(pass->coord[0] + i), t = vf_load(pass->coord[1] + i);
    struct position at = position_in(patch, s, t, k, true);
    if (BITS_UNLIKELY(vm_any(vm_from_vi(at.outside))) && holds_some(level)) {
        patch_move(patch, pass, level, i + (int)bits_ctz32(bits), true);
        at = position_in(patch, s, t, k, true);
    }
    if (BITS_LIKELY(!vm_any(vm_from_vi(at.outside)))) {
        return mix_patch(patch, &at, k, kind);
    }
    _Alignas(64) float value[4][SIMD_N];
    around(pass, level, i, value);
    struct texels texels = {{vf_load(value[0]), vf_load(value[1]), vf_load(value[2]), vf_load(value[3])}};
    return texels;
}

SIMD_FN void unorm_linear(const struct rn_fetch *pass, const int kind, const around_fn around) {
    struct patch patch = patch_of(pass, pass->level, kind, first_lane(&pass->mask), true);
    struct sink sink = sink_of(pass);
    struct vliw_mask mask = pass->mask;
    const struct fixed k = fixed_of(pass);
    uint8_t place[4];
    memcpy(place, pass->view->place, sizeof place);
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        uint32_t bits = mask_at(&mask, i);
        if (bits) {
            struct texels t = mix_vector(pass, pass->level, &patch, i, bits, &k, kind, around);
            put_channels(kind, &sink, place, i, bits, blend_factor(&sink, i), t.value);
        }
    }
    simd_leave();
}

SIMD_FN void volume(const struct rn_fetch *pass, const int kind, const bool linear) {
    struct plane plane = plane_of(pass, pass->level, kind == RN_FETCH_WORDS ? 4 : 1);
    struct sink sink = sink_of(pass);
    struct vliw_mask mask = pass->mask;
    const struct fixed k = fixed_of(pass);
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        uint32_t bits = mask_at(&mask, i);
        if (bits) {
            struct texels t;
            if (linear) {
                const vf w[3] = {wrapped_at(&plane.axis[0], i), wrapped_at(&plane.axis[1], i),
                                 wrapped_at(&plane.axis[2], i)};
                t = mix_texels(&plane, w, &k, kind, 3);
            } else {
                t = texels_of(kind, &k, load_texels(kind, plane.base, nearest_offset(&plane, i, kind, 3)));
            }
            put_channels(kind, &sink, pass->view->place, i, bits, blend_factor(&sink, i), t.value);
        }
    }
    simd_leave();
}

SIMD_FN vf lerp(vf a, vf b, vf f) { return vf_add(vf_mul(a, vf_sub(vf_set1(1.0f), f)), vf_mul(b, f)); }

/* Two levels blended. Values are finite and not negative, so a weight of 0 leaves the first level's bits. */
SIMD_FN void unorm_pair(const struct rn_fetch *pass, const int kind, const around_fn around) {
    const int lane = first_lane(&pass->mask);
    struct patch fine = patch_of(pass, pass->level, kind, lane, true);
    struct patch coarse = patch_of(pass, pass->second, kind, lane, true);
    struct sink sink = sink_of(pass);
    struct vliw_mask mask = pass->mask;
    const int32_t *weight = pass->weight;
    const struct fixed k = fixed_of(pass);
    uint8_t place[4];
    memcpy(place, pass->view->place, sizeof place);
    sink.weight = NULL;
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        uint32_t bits = mask_at(&mask, i);
        if (!bits) {
            continue;
        }
        struct texels a = mix_vector(pass, pass->level, &fine, i, bits, &k, kind, around);
        struct texels b = mix_vector(pass, pass->second, &coarse, i, bits, &k, kind, around);
        vf f = vf_mul(vf_from_vi(vi_load(weight + i)), vf_set1(1.0f / 256.0f));
        vf value[4] = {lerp(a.value[0], b.value[0], f), lerp(a.value[1], b.value[1], f),
                       lerp(a.value[2], b.value[2], f), lerp(a.value[3], b.value[3], f)};
        put_channels(kind, &sink, place, i, bits, f, value);
    }
    simd_leave();
}

/* ---- the kernels ---------------------------------------------------------------------------------------------- */

/* One vector of any coordinates, out of the way of the usual case: offsets of its texels, or its values. */
SIMD_FN void nearest_around(const struct rn_fetch *pass, const struct rn_level *level, int i, void *out,
                            const int kind) {
    struct plane plane = plane_of(pass, level, kind == RN_FETCH_WORDS ? 4 : 1);
    vi_store(out, nearest_offset(&plane, i, kind, 2));
}
SIMD_FN void linear_around(const struct rn_fetch *pass, const struct rn_level *level, int i, void *out,
                           const int kind) {
    struct plane plane = plane_of(pass, level, kind == RN_FETCH_WORDS ? 4 : 1);
    const vf w[3] = {wrapped_at(&plane.axis[0], i), wrapped_at(&plane.axis[1], i), vf_zero()};
    const struct fixed k = fixed_of(pass);
    struct texels t = mix_texels(&plane, w, &k, kind, 2);
    float (*value)[SIMD_N] = out;
    for (int c = 0; c < 4; c++) {
        vf_store(value[c], t.value[c]);
    }
}

/* Kept out of its caller, whose registers it would take. */
#define SAMPLE_NOINLINE __attribute__((noinline))
#define AROUND(name, what, kind)                                                                                 \
    static SAMPLE_NOINLINE void name##_##what##_around(const struct rn_fetch *pass, const struct rn_level *level, \
                                                     int i, void *out) {                                         \
        what##_around(pass, level, i, out, kind);                                                                \
    }
#define KERNELS(name, kind)                                                                                   \
    AROUND(name, nearest, kind)                                                                               \
    AROUND(name, linear, kind)                                                                                \
    static void name##_nearest(const struct rn_fetch *pass) { unorm_nearest(pass, kind, name##_nearest_around); } \
    static void name##_linear(const struct rn_fetch *pass) { unorm_linear(pass, kind, name##_linear_around); }    \
    static void name##_levels(const struct rn_fetch *pass) { unorm_pair(pass, kind, name##_linear_around); }
#define VOLUME_KERNELS(name, kind)                                                             \
    static void name##_nearest(const struct rn_fetch *pass) { volume(pass, kind, false); } \
    static void name##_linear(const struct rn_fetch *pass) { volume(pass, kind, true); }

KERNELS(words, RN_FETCH_WORDS)
KERNELS(byte, RN_FETCH_BYTE)
KERNELS(pair, RN_FETCH_PAIR)
KERNELS(packed565, RN_FETCH_565)
KERNELS(packed4444, RN_FETCH_4444)
KERNELS(packed5551, RN_FETCH_5551)
VOLUME_KERNELS(volume_words, RN_FETCH_WORDS)
VOLUME_KERNELS(volume_byte, RN_FETCH_BYTE)
VOLUME_KERNELS(volume_pair, RN_FETCH_PAIR)

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
