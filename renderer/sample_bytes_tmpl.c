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

SIMD_FN struct spread spread_of(const struct rn_view *view, const int kind) {
    uint32_t place[3] = {0, 0, 0};
    for (unsigned c = 0; c < 4; c++) {
        const uint32_t unit = 1u << 8 * c;
        if (kind == RN_FETCH_WORDS) {
            place[2] |= c == 3 && view->least_alpha > 0.0f ? 255u * unit : 0;
        } else if (view->place[c] == RN_PLACE_ONE) {
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

SIMD_FN void words_nearest(const struct rn_fetch *pass, int32_t *trail, const int kind) {
    const struct plane plane = plane_of(pass, pass->level, kind == RN_FETCH_WORDS ? 4 : 1);
    const struct spread spread = spread_of(pass->view, kind);
    const struct vliw_mask mask = pass->mask;
    float *out = pass->out[0];
    int32_t ahead = 0;
    for (int i = 0; i < VM_LANES; i += SIMD_N) {
        const uint32_t bits = mask_at(&mask, i);
        if (!bits) {
            continue;
        }
        const vi x = nearest_index(&plane.axis[0], wrapped_at(&plane.axis[0], i));
        const vi y = nearest_index(&plane.axis[1], wrapped_at(&plane.axis[1], i));
        const vi row = vi_mul_small(y, plane.pitch);
        if (kind == RN_FETCH_WORDS) {
            const vi offset = vi_add(vi_shl(row, 4), x);
            const int32_t first = first_of(offset);
            ahead = i == 0 ? steps_ahead(first, trail, 2) : ahead;
            const vi word = load_words(plane.base, offset, first, ahead);
            put_words(out, i, bits, vi_or(word, spread.ones));
        } else if (kind == RN_FETCH_BYTE) {
            const vi byte = vi_and(gather_small(plane.base, vi_add(vi_shl(row, 6), x), 1), vi_set1(255));
            put_words(out, i, bits, vi_or(vi_mul(byte, spread.first), spread.ones));
        } else {
            const vi both = gather_small(plane.base, vi_add(vi_shl(row, 6), vi_add(x, x)), 2);
            const vi low = vi_mul(vi_and(both, vi_set1(255)), spread.first);
            const vi high = vi_mul(vi_and(vi_shr(both, 8), vi_set1(255)), spread.second);
            put_words(out, i, bits, vi_or(vi_or(low, high), spread.ones));
        }
    }
    simd_leave();
}

static void nearest_words(const struct rn_fetch *pass, int32_t *trail) { words_nearest(pass, trail, RN_FETCH_WORDS); }
static void nearest_byte(const struct rn_fetch *pass, int32_t *trail) { words_nearest(pass, trail, RN_FETCH_BYTE); }
static void nearest_pair(const struct rn_fetch *pass, int32_t *trail) { words_nearest(pass, trail, RN_FETCH_PAIR); }

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
