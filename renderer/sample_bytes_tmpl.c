/* SPDX-License-Identifier: MIT */
/*
 * Fetch kernels that give words of four bytes, compiled once for each ISA: the nearest texel of 8 bits a channel, as it
 * is stored. Coordinates as everywhere (sample_tmpl.h).
 */
#include "renderer/sample_tmpl.h"

#include "renderer/row_tmpl.h"
#include "renderer/sample_bytes.h"

/* Where the results come from: word = low byte * first | next byte * second | ones. */
struct spread {
    vi first, second, ones;
};

SIMD_FN struct spread spread_of(const struct rn_view *view) {
    uint32_t place[3] = {0, 0, 0};
    for (unsigned c = 0; c < 4; c++) {
        const uint32_t unit = 1u << 8 * c;
        if (view->place[c] == RN_PLACE_ONE) {
            place[2] |= 255u * unit;
        } else if (view->place[c] != RN_PLACE_ZERO) {
            place[view->place[c] & 1] |= unit;
        }
    }
    struct spread s = {vi_set1((int32_t)place[0]), vi_set1((int32_t)place[1]), vi_set1((int32_t)place[2])};
    return s;
}

SIMD_FN void put_words(float *out, int i, uint32_t bits, vi word) {
    if (bits == (uint32_t)((1ull << SIMD_N) - 1u)) {
        vf_store(out + i, vi_as_vf(word));
    } else {
        vm_storemask_f(out + i, vm_from_bits(bits), vi_as_vf(word));
    }
}

/* The cells of both axes around the last vector, for words (sample_tmpl.h). */
struct cells {
    struct cell s, t;
    vi pitch;       /* in words; below 2^15 */
};

SIMD_FN struct cells cells_at(const struct rn_fetch *pass, int lane) {
    const struct rn_level *l = pass->level;
    const uint8_t *wrap = pass->view->desc.wrap;
    struct cells c = {cell_at(l->width, wrap[0], pass->coord[0][lane], false),
                      cell_at(l->height, wrap[1], pass->coord[1][lane], false), vi_set1((int32_t)(l->row_bytes / 4))};
    return c;
}

/* Offsets of the texels of a vector; false if a lane lies outside of the cells. */
SIMD_FN bool offset_in(const struct cells *c, const struct rn_fetch *pass, int i, vi *offset) {
    const vi s = cell_position(&c->s, vf_load(pass->coord[0] + i)), t = cell_position(&c->t, vf_load(pass->coord[1] + i));
    const vi below = vi_or(vi_sub(s, vi_set1(1)), vi_sub(t, vi_set1(1)));
    const vi outside = vi_or(below, vi_or(vi_sub(c->s.last, s), vi_sub(c->t.last, t)));
    *offset = vi_add(vi_mul_small(vi_sar(t, 8), c->pitch), vi_sar(s, 8));
    return !vm_any(vm_from_vi(outside));
}

/* Any coordinates, out of the way of the usual case. */
static __attribute__((noinline)) void offset_around(const struct rn_fetch *pass, int i, int32_t *out) {
    const struct plane plane = plane_of(pass, pass->level, 4);
    const vi x = nearest_index(&plane.axis[0], wrapped_at(&plane.axis[0], i));
    const vi y = nearest_index(&plane.axis[1], wrapped_at(&plane.axis[1], i));
    vi_store(out, vi_add(vi_mul_small(y, plane.pitch_units), x));
}

enum { RUN = 4 * SIMD_N };

/* Lanes i .. i + RUN - 1 when one row of texels is theirs, side by side, as in upright pictures: the first one. */
SIMD_FN bool run_in(const struct cells *c, const struct rn_fetch *pass, int i, int32_t *first) {
    const float *s = pass->coord[0] + i, *t = pass->coord[1] + i;
    const vf along = vf_set1(*t);
    const vi row = cell_position(&c->t, along);
    const int32_t column = first_of(vi_sar(cell_position(&c->s, vf_load(s)), 8));
    vi expected = vi_add(vi_set1(column), vi_iota()), outside = vi_or(vi_sub(row, vi_set1(1)), vi_sub(c->t.last, row));
    vm same = vm_true();
    BITS_UNROLL
    for (int k = 0; k < RUN; k += SIMD_N) {
        const vi at = cell_position(&c->s, vf_load(s + k));
        outside = vi_or(outside, vi_or(vi_sub(at, vi_set1(1)), vi_sub(c->s.last, at)));
        same = vm_and(same, vm_and(vf_eq(vf_load(t + k), along), vi_eq(vi_sar(at, 8), expected)));
        expected = vi_add(expected, vi_set1(SIMD_N));
    }
    *first = first_of(vi_mul_small(vi_sar(row, 8), c->pitch)) + column;
    return vm_all(same) && !vm_any(vm_from_vi(outside));
}

SIMD_FN bool run_wanted(const struct rn_fetch *pass, int i) {
    const uint64_t all = RUN == 64 ? UINT64_MAX : (UINT64_C(1) << (RUN & 63)) - 1;
    return (pass->mask.w[i / 64] >> i % 64 & all) == all && pass->coord[1][i] == pass->coord[1][i + RUN - 1];
}

/* Offsets of a vector's texels; the cells move where they do not hold it. */
SIMD_FN vi offset_at(struct cells *cells, const struct rn_fetch *pass, int i, uint32_t bits) {
    vi offset;
    if (BITS_LIKELY(offset_in(cells, pass, i, &offset))) {
        return offset;
    }
    if (pass->level->width >= 4 && pass->level->height >= 4) { /* others hold hardly a vector */
        *cells = cells_at(pass, i + (int)bits_ctz32(bits));
        if (offset_in(cells, pass, i, &offset)) {
            return offset;
        }
    }
    BITS_ALIGN(64) int32_t offsets[SIMD_N];
    offset_around(pass, i, offsets);
    return vi_load(offsets);
}

static void nearest_words(const struct rn_fetch *pass, int32_t *trail) {
    const vi ones = vi_set1(pass->view->least_alpha > 0.0f ? (int32_t)0xFF000000 : 0);
    const int32_t *base = (const int32_t *)(const void *)pass->level->data;
    float *out = pass->out[0];
    struct cells cells = cells_at(pass, 0);
    int32_t ahead = 0, first;
    bool started = false;
    for (int i = 0; i < VM_LANES; i += RUN) {
        if (run_wanted(pass, i) && run_in(&cells, pass, i, &first)) {
            ahead = started ? ahead : steps_ahead(first, trail, 2);
            started = true;
            for (int k = 0; k < RUN; k += SIMD_N) {
                vf_store(out + i + k, vi_as_vf(vi_or(vi_loadu(base + first + k), ones)));
            }
            for (int k = 0; k < RUN; k += 16) {
                BITS_PREFETCH((const void *)((uintptr_t)base + (uintptr_t)((intptr_t)first + ahead + k) * 4));
            }
            continue;
        }
        for (int k = i; k < i + RUN; k += SIMD_N) {
            const uint32_t bits = mask_at(&pass->mask, k);
            if (bits) {
                const vi offset = offset_at(&cells, pass, k, bits);
                first = first_of(offset);
                ahead = started ? ahead : steps_ahead(first, trail, 2);
                started = true;
                put_words(out, k, bits, vi_or(load_words(base, offset, first, ahead), ones));
            }
        }
    }
    simd_leave();
}

SIMD_FN void small_nearest(const struct rn_fetch *pass, const int kind) {
    const struct plane plane = plane_of(pass, pass->level, 1);
    const struct spread spread = spread_of(pass->view);
    const struct vliw_mask mask = pass->mask;
    float *out = pass->out[0];
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        const uint32_t bits = mask_at(&mask, i);
        if (!bits) {
            continue;
        }
        const vi x = nearest_index(&plane.axis[0], wrapped_at(&plane.axis[0], i));
        const vi y = nearest_index(&plane.axis[1], wrapped_at(&plane.axis[1], i));
        const vi row = vi_shl(vi_mul_small(y, plane.pitch), 6);
        if (kind == RN_FETCH_BYTE) {
            const vi byte = vi_and(gather_small(plane.base, vi_add(row, x), 1), vi_set1(255));
            put_words(out, i, bits, vi_or(vi_mul(byte, spread.first), spread.ones));
        } else {
            const vi both = gather_small(plane.base, vi_add(row, vi_add(x, x)), 2);
            const vi low = vi_mul(vi_and(both, vi_set1(255)), spread.first);
            const vi high = vi_mul(vi_and(vi_shr(both, 8), vi_set1(255)), spread.second);
            put_words(out, i, bits, vi_or(vi_or(low, high), spread.ones));
        }
    }
    simd_leave();
}

static void nearest_byte(const struct rn_fetch *pass, int32_t *trail) {
    (void)trail;
    small_nearest(pass, RN_FETCH_BYTE);
}
static void nearest_pair(const struct rn_fetch *pass, int32_t *trail) {
    (void)trail;
    small_nearest(pass, RN_FETCH_PAIR);
}

SIMD_FN vi to_byte(vf v) {
    return vi_from_vf_rint_fast(vf_mul(vf_min(vf_max(v, vf_zero()), vf_set1(1.0f)), vf_set1(255.0f)));
}

static void pack(const struct vliw_mask *mask, float *const color[4], float *out) {
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        const uint32_t bits = mask_at(mask, i);
        if (bits) {
            put_words(out, i, bits, vi_pack_rgba8(to_byte(vf_load(color[0] + i)), to_byte(vf_load(color[1] + i)),
                                                  to_byte(vf_load(color[2] + i)), to_byte(vf_load(color[3] + i))));
        }
    }
    simd_leave();
}

const struct rn_sample_byte_kernels SIMD_NAME(rn_sample_bytes) = {{nearest_words, nearest_byte, nearest_pair}, pack};
