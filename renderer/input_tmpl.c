/* SPDX-License-Identifier: MIT */
/*
 * What the front reads, once for each ISA: index buffers to words, indices to triples of slots,
 * arrays of floats to the structure-of-arrays inputs of a vertex batch.
 */
#include <string.h>

#include "renderer/internal.h"
#include "vm/base/simd.h"

/* ---- indices ------------------------------------------------------------------------- */

#define RANGE(low, high, v)                                                                        \
    low = (v) < (low) ? (v) : (low);                                                               \
    high = (v) > (high) ? (v) : (high)

/* The least and the greatest lane of many words, as signed numbers. */
struct bounds {
    vi low, high;
};

static void range_widen(struct rn_index_range *range, struct bounds b, uint32_t bias) {
    int32_t low[SIMD_N], high[SIMD_N];
    vi_storeu(low, b.low);
    vi_storeu(high, b.high);
    for (int i = 0; i < SIMD_N; i++) {
        RANGE(range->low, range->high, (uint32_t)low[i] ^ bias);
        RANGE(range->low, range->high, (uint32_t)high[i] ^ bias);
    }
}

static void indices_u8(const uint8_t *from, uint32_t count, uint32_t *out,
                       struct rn_index_range *range) {
    uint32_t low = range->low, high = range->high;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = from[i];
        RANGE(low, high, out[i]);
    }
    range->low = low;
    range->high = high;
}

static void indices_u16(const uint8_t *from, uint32_t count, uint32_t *out,
                        struct rn_index_range *range) {
    uint32_t i = 0;
#if SIMD_N > 1
    if (count >= SIMD_N) {
        struct bounds b = {vi_set1(0xFFFF), vi_zero()};
        for (; i + SIMD_N <= count; i += SIMD_N) {
            const vi v = vi_load_rows_u16(from + 2 * (size_t)i, from + 2 * (size_t)i + 16);
            b.low = vi_min(b.low, v);
            b.high = vi_max(b.high, v);
            vi_storeu((int32_t *)out + i, v);
        }
        range_widen(range, b, 0);
        simd_leave();
    }
#endif
    for (; i < count; i++) {
        uint16_t v;
        memcpy(&v, from + 2 * (size_t)i, sizeof v);
        out[i] = v;
        RANGE(range->low, range->high, out[i]);
    }
}

static void indices_u32(const uint8_t *from, uint32_t count, uint32_t *out,
                        struct rn_index_range *range) {
    const uint32_t bias = 0x80000000u; /* unsigned order as signed */
    uint32_t i = 0;
    if (count >= SIMD_N) {
        const vi flip = vi_set1(INT32_MIN);
        struct bounds b = {vi_set1(INT32_MAX), flip};
        for (; i + SIMD_N <= count; i += SIMD_N) {
            int32_t words[SIMD_N];
            memcpy(words, from + 4 * (size_t)i, sizeof words);
            const vi v = vi_loadu(words), order = vi_xor(v, flip);
            b.low = vi_min(b.low, order);
            b.high = vi_max(b.high, order);
            vi_storeu((int32_t *)out + i, v);
        }
        range_widen(range, b, bias);
        simd_leave();
    }
    for (; i < count; i++) {
        memcpy(&out[i], from + 4 * (size_t)i, sizeof out[i]);
        RANGE(range->low, range->high, out[i]);
    }
}

/* ---- slots --------------------------------------------------------------------------- */

SIMD_FN vi slots_of(const struct rn_slot_map *m, vi index) {
    return m->table ? vi_gather(m->table, vi_sub(index, vi_set1((int32_t)m->low)))
                    : vi_add(index, vi_set1(m->offset));
}

static void triples(const struct rn_slot_map *m, uint32_t count, int32_t *a, int32_t *b,
                    int32_t *c) {
    const int32_t *index = (const int32_t *)m->index;
    uint32_t k = 0;
    for (; k + SIMD_N <= count; k += SIMD_N) {
        vi i0, i1, i2;
        vi_load3(index + 3 * (size_t)k, &i0, &i1, &i2);
        vi_storeu(a + k, slots_of(m, i0));
        vi_storeu(b + k, slots_of(m, i1));
        vi_storeu(c + k, slots_of(m, i2));
    }
    simd_leave();
    for (; k < count; k++) {
        a[k] = rn_slot_of(m, m->index[3 * (size_t)k]);
        b[k] = rn_slot_of(m, m->index[3 * (size_t)k + 1]);
        c[k] = rn_slot_of(m, m->index[3 * (size_t)k + 2]);
    }
}

/* ---- arrays of floats ---------------------------------------------------------------- */

#if SIMD_N > 1
/* SIMD_N elements of 16 readable bytes, at the indices or one after the other. */
SIMD_FN void load_elements(const uint8_t *data, size_t stride, const uint32_t *index,
                           const bool run, vi v[4]) {
    BITS_UNROLL
    for (int r = 0; r < 4; r++) {
        const uint8_t *p[SIMD_N / 4];
        BITS_UNROLL
        for (int g = 0; g < SIMD_N / 4; g++) {
            const size_t at = run ? (size_t)(4 * g + r) : index[4 * g + r];
            p[g] = data + at * stride;
        }
        v[r] = vi_load_fours(p);
    }
    vi_transpose4(v);
}

SIMD_FN uint32_t float_groups(const uint8_t *data, size_t stride, const uint32_t *index,
                              uint32_t count, float *const out[4], const unsigned components,
                              const bool run) {
    float *o0 = out[0], *o1 = out[1], *o2 = out[2], *o3 = out[3];
    uint32_t i = 0;
    for (; i + SIMD_N <= count; i += SIMD_N) {
        vi v[4];
        load_elements(run ? data + i * stride : data, stride, index + i, run, v);
        vf_storeu(o0 + i, vi_as_vf(v[0]));
        if (components > 1) {
            vf_storeu(o1 + i, vi_as_vf(v[1]));
        }
        if (components > 2) {
            vf_storeu(o2 + i, vi_as_vf(v[2]));
        }
        if (components > 3) {
            vf_storeu(o3 + i, vi_as_vf(v[3]));
        }
    }
    return i;
}
#endif

/* Elements first .. count - 1, one by one. */
SIMD_FN void float_rest(const uint8_t *data, size_t stride, const uint32_t *index, uint32_t first,
                        uint32_t count, float *const out[4], const unsigned components) {
    for (uint32_t i = first; i < count; i++) {
        float v[4];
        memcpy(v, data + index[i] * stride, components * sizeof(float));
        BITS_UNROLL
        for (unsigned c = 0; c < components; c++) {
            out[c][i] = v[c];
        }
    }
}

static void floats(const uint8_t *data, size_t stride, const uint32_t *index, uint32_t wide,
                   uint32_t count, float *const out[4], unsigned components, bool run) {
    uint32_t i = 0;
#if SIMD_N > 1
    switch (components * 2 + run) {
#define CASE(n)                                                                                    \
    case 2 * n: i = float_groups(data, stride, index, wide, out, n, false); break;                 \
    case 2 * n + 1:                                                                                \
        i = float_groups(data + index[0] * stride, stride, index, wide, out, n, true);             \
        break;
        CASE(1) CASE(2) CASE(3) CASE(4)
#undef CASE
    default: break;
    }
    simd_leave();
#endif
    (void)wide;
    (void)run;
    switch (components) {
    case 1: float_rest(data, stride, index, i, count, out, 1); break;
    case 2: float_rest(data, stride, index, i, count, out, 2); break;
    case 3: float_rest(data, stride, index, i, count, out, 3); break;
    default: float_rest(data, stride, index, i, count, out, 4); break;
    }
}

const struct rn_input_kernels SIMD_NAME(rn_input) = {
    {indices_u8, indices_u16, indices_u32}, triples, floats};
