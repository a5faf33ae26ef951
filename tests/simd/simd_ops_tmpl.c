/* SPDX-License-Identifier: MIT */
/*
 * Every operation of simd.h as a function on 16 lanes of bits, compiled once for each ISA. In: three
 * arrays. Out: an array, and the table simd_ops_<isa>. simd_test.c compares the tables with the scalar one.
 */
#include "tests/simd/simd_ops.h"

#include "vm/base/simd.h"

#define LANES 16

#define F(k) vf_loadu((const float *)(const void *)(s[k] + i))
#define I(k) vi_loadu((const int32_t *)(const void *)(s[k] + i))
#define PUT_F(v) vf_storeu((float *)(void *)(out + i), v)
#define PUT_I(v) vi_storeu((int32_t *)(void *)(out + i), v)
#define EACH for (int i = 0; i < LANES; i += SIMD_N)
#define OP(name, body) \
    static void op_##name(const uint32_t *const *s, uint32_t *out) { \
        (void)s; \
        EACH { body; } \
        simd_leave(); \
    }

/* Sixteen aligned lanes, for the aligned loads and stores. */
OP(load, BITS_ALIGN(64) float t[LANES]; vf_store(t, F(0)); PUT_F(vf_load(t)))
OP(iload, BITS_ALIGN(64) int32_t t[LANES]; vi_store(t, I(0)); PUT_I(vi_load(t)))
OP(set1, PUT_F(vf_add(vf_set1(1.5f), vf_zero())))
OP(iset1, PUT_I(vi_add(vi_set1(-7), vi_zero())))
OP(iota, PUT_F(vf_add(vf_iota(), vf_set1((float)i))))
OP(iiota, PUT_I(vi_add(vi_iota(), vi_set1(i))))
OP(gather, PUT_F(vf_gather((const float *)(const void *)s[1], vi_and(I(0), vi_set1(15)))))
OP(igather, PUT_I(vi_gather((const int32_t *)(const void *)s[1], vi_and(I(0), vi_set1(15)))))
OP(gather_bytes, PUT_I(vi_gather_bytes(s[1], vi_and(I(0), vi_set1(31)))))
OP(squares, vi v[4]; vi_gather_squares(s[1], s[2], vi_and(I(0), vi_set1(14)), v);
   PUT_I(vi_xor(vi_add(v[0], vi_shl(v[1], 1)), vi_sub(vi_shl(v[2], 2), vi_shl(v[3], 3)))))
OP(add, PUT_F(vf_add(F(0), F(1))))
OP(sub, PUT_F(vf_sub(F(0), F(1))))
OP(mul, PUT_F(vf_mul(F(0), F(1))))
OP(div, PUT_F(vf_div(F(0), F(1))))
OP(sqrt, PUT_F(vf_sqrt(F(0))))
OP(neg, PUT_F(vf_neg(F(0))))
OP(abs, PUT_F(vf_abs(F(0))))
OP(min, PUT_F(vf_min(F(0), F(1))))
OP(max, PUT_F(vf_max(F(0), F(1))))
OP(floor, PUT_F(vf_floor(F(0))))
OP(ceil, PUT_F(vf_ceil(F(0))))
OP(trunc, PUT_F(vf_trunc(F(0))))
OP(rint, PUT_F(vf_rint(F(0))))
OP(madd, PUT_F(vf_madd(F(0), F(1), F(2))))
OP(to_int, PUT_I(vi_from_vf_trunc(F(0))))
OP(to_int_fast, PUT_I(vi_from_vf_fast(vf_min(vf_max(F(0), vf_set1(-2e9f)), vf_set1(2e9f)))))
OP(to_int_rint, PUT_I(vi_from_vf_rint_fast(vf_min(vf_max(F(0), vf_set1(-2e9f)), vf_set1(2e9f)))))
OP(from_int, PUT_F(vf_from_vi(I(0))))
OP(iadd, PUT_I(vi_add(I(0), I(1))))
OP(isub, PUT_I(vi_sub(I(0), I(1))))
OP(imul, PUT_I(vi_mul(I(0), I(1))))
OP(imul16, PUT_I(vi_mul16(I(0), I(1))))
OP(and, PUT_I(vi_and(I(0), I(1))))
OP(or, PUT_I(vi_or(I(0), I(1))))
OP(xor, PUT_I(vi_xor(I(0), I(1))))
OP(andnot, PUT_I(vi_andnot(I(0), I(1))))
OP(shl5, PUT_I(vi_shl(I(0), 5)))
OP(shr9, PUT_I(vi_shr(I(0), 9)))
OP(sar31, PUT_I(vi_sar(I(0), 31)))
OP(shl_var, PUT_I(vi_shl(I(0), (int)(s[1][0] & 31u))))
OP(shr_var, PUT_I(vi_shr(I(0), (int)(s[1][0] & 31u))))
OP(sar_var, PUT_I(vi_sar(I(0), (int)(s[1][0] & 31u))))
OP(shlv, PUT_I(vi_shlv(I(0), vi_sub(vi_and(I(1), vi_set1(127)), vi_set1(64)))))
OP(shlv_wild, PUT_I(vi_shlv(I(0), I(1))))
OP(imin, PUT_I(vi_min(I(0), I(1))))
OP(imax, PUT_I(vi_max(I(0), I(1))))
OP(lt, PUT_I(vi_from_vm(vf_lt(F(0), F(1)))))
OP(le, PUT_I(vi_from_vm(vf_le(F(0), F(1)))))
OP(gt, PUT_I(vi_from_vm(vf_gt(F(0), F(1)))))
OP(ge, PUT_I(vi_from_vm(vf_ge(F(0), F(1)))))
OP(eq, PUT_I(vi_from_vm(vf_eq(F(0), F(1)))))
OP(ne, PUT_I(vi_from_vm(vf_ne(F(0), F(1)))))
OP(unord, PUT_I(vi_from_vm(vf_unord(F(0), F(1)))))
OP(ieq, PUT_I(vi_from_vm(vi_eq(I(0), vi_and(I(1), vi_set1(-2))))))
OP(ilt, PUT_I(vi_from_vm(vi_lt(I(0), I(1)))))
OP(igt, PUT_I(vi_from_vm(vi_gt(I(0), I(1)))))
OP(mand, PUT_I(vi_from_vm(vm_and(vf_lt(F(0), F(1)), vf_lt(F(1), F(2))))))
OP(mor, PUT_I(vi_from_vm(vm_or(vf_lt(F(0), F(1)), vf_lt(F(1), F(2))))))
OP(mxor, PUT_I(vi_from_vm(vm_xor(vf_lt(F(0), F(1)), vf_lt(F(1), F(2))))))
OP(mnot, PUT_I(vi_from_vm(vm_not(vf_lt(F(0), F(1))))))
OP(mandnot, PUT_I(vi_from_vm(vm_andnot(vf_lt(F(0), F(1)), vf_lt(F(1), F(2))))))
OP(mtrue, PUT_I(vi_from_vm(vm_and(vm_true(), vm_not(vm_false())))))
OP(sel, PUT_F(vf_sel(vf_lt(F(0), F(1)), F(1), F(2))))
OP(isel, PUT_I(vi_sel(vi_gt(I(0), I(1)), I(1), I(2))))
OP(mask01, PUT_F(vf_mask01(vf_lt(F(0), F(1)))))
OP(from_sign, PUT_I(vi_from_vm(vm_from_vi(I(0)))))
OP(from_bits, PUT_I(vi_from_vm(vm_from_bits(s[0][0] >> i))))
OP(mload, BITS_ALIGN(64) int32_t t[LANES]; vi_store(t, vi_sar(I(0), 31)); PUT_I(vi_from_vm(vm_load(t))))
OP(storemask, PUT_F(F(1)); vm_storemask_f((float *)(void *)(out + i), vf_lt(F(0), F(2)), F(0)))
OP(unpack, PUT_I(vi_add(vi_unpack_u8(I(0), 0), vi_shl(vi_unpack_u8(I(0), 3), 8))))
OP(madd_halves, vi low; vi high; vi w = vi_and(I(2), vi_set1(0x7FFF7FFF)); vi_madd_halves(I(0), I(1), w, &low, &high);
   PUT_I(vi_xor(low, vi_add(high, high))))
OP(bytes, PUT_I(vi_add(vi_hidden(vi_set1(1)), vi_add(vi_low_byte_twice(I(0)), vi_odd_bytes(I(1))))))
OP(pack, vi m = vi_set1(255); PUT_I(vi_pack_rgba8(vi_and(I(0), m), vi_and(I(1), m), vi_and(I(2), m), vi_shr(I(0), 24))))
OP(daddsub, PUT_F(vf_from_vd(vd_sub(vd_add(vd_lo_from_vf(F(0)), vd_lo_from_vf(F(1))), vd_lo_from_vf(F(2))),
                             vd_sub(vd_add(vd_hi_from_vf(F(0)), vd_hi_from_vf(F(1))), vd_hi_from_vf(F(2))))))
OP(dmuldiv, PUT_F(vf_from_vd(vd_div(vd_mul(vd_lo_from_vf(F(0)), vd_set1(1.1)), vd_lo_from_vf(F(1))),
                             vd_div(vd_mul(vd_hi_from_vf(F(0)), vd_set1(1.1)), vd_hi_from_vf(F(1))))))
OP(dminmax, PUT_F(vf_from_vd(vd_min(vd_max(vd_lo_from_vf(F(0)), vd_lo_from_vf(F(1))), vd_lo_from_vf(F(2))),
                             vd_min(vd_max(vd_hi_from_vf(F(0)), vd_hi_from_vf(F(1))), vd_hi_from_vf(F(2))))))
OP(dfloor, PUT_F(vf_from_vd(vd_floor(vd_lo_from_vf(F(0))), vd_floor(vd_hi_from_vf(F(0))))))
OP(dfloor_int, PUT_F(vf_from_vd(vd_floor(vd_mul(vd_lo_from_vi(I(0)), vd_set1(0.37))), vd_floor(vd_mul(vd_hi_from_vi(I(0)), vd_set1(0.37))))))
OP(drint, PUT_I(vi_from_vd_rint(vd_mul(vd_lo_from_vi(I(0)), vd_set1(0.37)), vd_mul(vd_hi_from_vi(I(0)), vd_set1(0.37)))))
OP(dwhole, PUT_I(vi_from_vd_whole(vd_add(vd_mul(vd_lo_from_vi(vi_shr(I(0), 1)), vd_set1(0.37)), vd_set1(4294967296.5)),
                                  vd_add(vd_mul(vd_hi_from_vi(vi_shr(I(0), 1)), vd_set1(0.37)), vd_set1(4294967296.5)))))
static void op_load3(const uint32_t *const *s, uint32_t *out) {
    int32_t words[3 * LANES];
    for (int k = 0; k < 3; k++) {
        memcpy(words + k * LANES, s[k], LANES * sizeof words[0]);
    }
    EACH {
        vi a, b, c;
        vi_load3(words + 3 * i, &a, &b, &c);
        PUT_I(vi_add(a, vi_add(vi_mul(b, vi_set1(3)), vi_mul(c, vi_set1(5)))));
    }
    simd_leave();
}
/* Sixteen words in four groups that lie anywhere; the groups go back in another order. */
static const int group_place[4] = {3, 0, 2, 1};
#if SIMD_N > 1
static void op_fours(const uint32_t *const *s, uint32_t *out) {
    EACH {
        const uint8_t *p[SIMD_N / 4];
        for (int g = 0; g < SIMD_N / 4; g++) {
            p[g] = (const uint8_t *)(s[0] + 4 * group_place[i / 4 + g]);
        }
        const vi v = vi_load_fours(p);
        BITS_UNROLL
        for (int g = 0; g < SIMD_N / 4; g++) {
            vi_store_four(out + i + 4 * g, v, g);
        }
    }
    simd_leave();
}
/* Pairs of elements that lie anywhere, to other places. */
static void quad_places(const uint8_t *from, int i, size_t bytes, const uint8_t **p0, const uint8_t **p1) {
    for (int g = 0; g < SIMD_N / 4; g++) {
        p0[g] = from + 2 * bytes * (size_t)group_place[i / 4 + g];
        p1[g] = from + 2 * bytes * (size_t)(7 - group_place[i / 4 + g]);
    }
}
static void op_quads(const uint32_t *const *s, uint32_t *out) {
    EACH {
        const uint8_t *p0[SIMD_N / 4], *p1[SIMD_N / 4];
        quad_places((const uint8_t *)s[0], i, 4, p0, p1);
        const vi v = vi_load_quads(p0, p1);
        BITS_UNROLL
        for (int g = 0; g < SIMD_N / 4; g++) {
            vi_store_quad(out + (i / 2 + 2 * g), out + 8 + (i / 2 + 2 * g), v, g);
        }
    }
    simd_leave();
}
static void op_quads_u16(const uint32_t *const *s, uint32_t *out) {
    memset(out, 0, LANES * sizeof *out);
    EACH {
        const uint8_t *p0[SIMD_N / 4], *p1[SIMD_N / 4];
        quad_places((const uint8_t *)s[0], i, 2, p0, p1);
        const vi v = vi_load_quads_u16(p0, p1);
        BITS_UNROLL
        for (int g = 0; g < SIMD_N / 4; g++) {
            vi_store_quad_u16(out + (i / 4 + g), out + 4 + (i / 4 + g), v, g);
        }
    }
    simd_leave();
}
static void op_blend_quad(const uint32_t *const *s, uint32_t *out) {
    BITS_ALIGN(16) int32_t mask[LANES];
    memcpy(mask, s[1], sizeof mask);
    memcpy(out, s[2], LANES * sizeof *out);
    EACH {
        const vi v = I(0);
        BITS_UNROLL
        for (int g = 0; g < SIMD_N / 4; g++) {
            vi_blend_quad(out + (i / 2 + 2 * g), out + 8 + (i / 2 + 2 * g), v, g, mask + i + 4 * g);
        }
    }
    simd_leave();
}
static void op_block(const uint32_t *const *s, uint32_t *out) {
    EACH {
        const vi v = vi_load_block(s[0] + i / 2, s[1] + i / 2);
        vi_store_block(out + i / 2, out + 8 + i / 2, vi_add(v, I(2)));
    }
    simd_leave();
}
OP(spread_u8, PUT_F(vf_add(vf_spread_u8((const uint8_t *)s[0] + i / 4), vf_from_vi(vi_load_u8((const uint8_t *)s[1] + i)))))
OP(spread, PUT_F(vf_mul(vf_spread((const float *)(const void *)s[0] + i / 4), vf_quad_pick(F(1), 2))))
/* 1 more where the order is as simd.h has it, on vectors of any length. */
static void op_deal(const uint32_t *const *s, uint32_t *out) {
    BITS_ALIGN(64) int32_t dealt[SIMD_N], lanes[SIMD_N];
    for (int i = 0; i < SIMD_N; i++) {
        lanes[i] = i;
    }
    vi_store(dealt, vi_deal4(vi_load(lanes)));
    simd_leave();
    for (int i = 0; i < LANES; i++) {
        const int r = i % SIMD_N / (SIMD_N / 4), g = i % SIMD_N % (SIMD_N / 4);
        out[i] = s[0][i] + (uint32_t)(dealt[i % SIMD_N] == 4 * g + r);
    }
}
static void op_transpose(const uint32_t *const *s, uint32_t *out) {
    EACH {
        vi v[4] = {I(0), I(1), I(2), vi_add(I(0), I(1))};
        vi_transpose4(v);
        PUT_I(vi_add(vi_add(v[0], vi_mul(v[1], vi_set1(3))), vi_add(vi_mul(v[2], vi_set1(5)), vi_mul(v[3], vi_set1(7)))));
    }
    simd_leave();
}
#else
static void op_quads(const uint32_t *const *s, uint32_t *out) {
    for (int q = 0; q < 4; q++) {
        for (int k = 0; k < 2; k++) {
            out[2 * q + k] = s[0][2 * group_place[q] + k];
            out[8 + 2 * q + k] = s[0][2 * (7 - group_place[q]) + k];
        }
    }
}
static void op_quads_u16(const uint32_t *const *s, uint32_t *out) {
    memset(out, 0, LANES * sizeof *out);
    for (int q = 0; q < 4; q++) {
        memcpy(&out[q], (const uint8_t *)s[0] + 4 * group_place[q], 4);
        memcpy(&out[4 + q], (const uint8_t *)s[0] + 4 * (7 - group_place[q]), 4);
    }
}
static void op_blend_quad(const uint32_t *const *s, uint32_t *out) {
    for (int i = 0; i < LANES; i++) {
        const int to = 8 * (i / 2 % 2) + i / 4 * 2 + i % 2;
        out[to] = (s[2][to] & ~s[1][i]) | (s[0][i] & s[1][i]);
    }
}
static void op_block(const uint32_t *const *s, uint32_t *out) {
    for (int i = 0; i < LANES; i++) {
        const int place = i / 4 * 2 + i % 2, row = i / 2 % 2;
        out[8 * row + place] = s[row][place] + s[2][i];
    }
}
static void op_spread(const uint32_t *const *s, uint32_t *out) {
    for (int i = 0; i < LANES; i++) {
        vf_store((float *)(void *)(out + i), vf_loadu((const float *)(const void *)(s[0] + i / 4)) *
                                                 vf_loadu((const float *)(const void *)(s[1] + (i & ~3) + 2)));
    }
}
static void op_spread_u8(const uint32_t *const *s, uint32_t *out) {
    for (int i = 0; i < LANES; i++) {
        vf_store((float *)(void *)(out + i), (float)((const uint8_t *)s[0])[i / 4] + (float)((const uint8_t *)s[1])[i]);
    }
}
static void op_fours(const uint32_t *const *s, uint32_t *out) {
    for (int i = 0; i < LANES; i++) {
        out[i] = s[0][4 * group_place[i / 4] + i % 4];
    }
}
static void op_deal(const uint32_t *const *s, uint32_t *out) {
    for (int i = 0; i < LANES; i++) {
        out[i] = s[0][i] + 1;
    }
}
static void op_transpose(const uint32_t *const *s, uint32_t *out) {
    for (int i = 0; i < LANES; i++) {
        const int g = i & ~3;
        const uint32_t *r = i % 4 < 3 ? s[i % 4] + g : NULL; /* the row that became column i % 4 */
        uint32_t v[4];
        for (int c = 0; c < 4; c++) {
            v[c] = r ? r[c] : s[0][g + c] + s[1][g + c];
        }
        out[i] = v[0] + 3 * v[1] + 5 * v[2] + 7 * v[3];
    }
}
#endif
/* Lanes by the low bits of s[1]. */
static void op_put_quad(const uint32_t *const *s, uint32_t *out) {
    memcpy(out, s[2], LANES * sizeof *out);
#if SIMD_LANE_STORES
    EACH {
        const vi v = I(0);
        BITS_UNROLL
        for (int g = 0; g < SIMD_N / 4; g++) {
            vi_put_quad(out + (i / 2 + 2 * g), out + 8 + (i / 2 + 2 * g), v, g, s[1][i / 4 + g] & 15u);
        }
    }
    simd_leave();
#else
    for (int i = 0; i < LANES; i++) {
        const int to = 8 * (i / 2 % 2) + i / 4 * 2 + i % 2;
        out[to] = s[1][i / 4] >> i % 4 & 1u ? s[0][i] : out[to];
    }
#endif
}
/* Lanes by number, and how many bits a half word has. */
static void op_tables(const uint32_t *const *s, uint32_t *out) {
#if SIMD_TABLES
    EACH {
        const vi at = vi_and(I(0), vi_set1(31)), a = I(1), b = vi_shr(I(2), 16);
        const vf picked = vf_pick32(vi_as_vf(a), vi_as_vf(b), at);
        PUT_I(vi_add(vi_add(vf_as_vi(picked), vi_pick16(b, vi_and(at, vi_set1(15)))), vi_popcount16(b)));
    }
    simd_leave();
#else
    for (int i = 0; i < LANES; i++) {
        const uint32_t *a = s[1] + (i & ~15), *b = s[2] + (i & ~15), at = s[0][i] & 31u;
        const uint32_t picked = at < 16 ? a[at] : b[at - 16] >> 16;
        out[i] = picked + (b[at & 15u] >> 16) + bits_popcount32(s[2][i] >> 16);
    }
#endif
}
/* Sixteen bytes: nibbles of two words, picked by others, halves swapped. */
static void op_bytes16(const uint32_t *const *s, uint32_t *out) {
    const uint64_t m = s[0][0] | (uint64_t)s[0][1] << 32;
    const uint8_t *lo = (const uint8_t *)s[1], *hi = (const uint8_t *)(s[1] + 5), *more = (const uint8_t *)s[2];
    uint8_t bytes[16];
    memset(out, 0, LANES * sizeof *out);
#if SIMD_PICKS
    const vh places = vh_add(vh_nibbles(m), vh_set1(s[0][2] & 255u));
    const vh v = vh_pick(vh_add(vh_load2(lo, hi), vh_load(more)), vh_pick(vh_load(more + 16), vh_nibbles(m)));
    vh_store2(bytes + 8, bytes, vh_add(v, places));
    out[4] = vh_some(vh_nibbles(m));
    simd_leave();
#else
    for (unsigned i = 0; i < 16; i++) {
        const unsigned nibble = m >> 4 * i & 15u, at = more[16 + nibble];
        const unsigned k = at & 15u, v = (k < 8 ? lo[k] : hi[k - 8]) + more[k];
        out[4] |= (uint32_t)(nibble != 0) << i;
        bytes[(i + 8) & 15u] = (uint8_t)((at & 128u ? 0 : v) + nibble + (s[0][2] & 255u));
    }
#endif
    memcpy(out, bytes, sizeof bytes);
}
OP(badd, PUT_I(vb_add(I(0), I(1))))
OP(bmin, PUT_I(vb_min(I(0), I(1))))
OP(bmax, PUT_I(vb_max(I(0), I(1))))
OP(bmul, PUT_I(vb_mul(I(0), I(1))))
OP(blerp, PUT_I(vb_lerp(I(0), I(1), I(2))))
OP(balpha, PUT_I(vb_alpha(I(0))))
/* Doubles of words: low from s[0], high from s[1]; the result is both words of a result, mixed. */
#define DA vd_a_from_words(I(0), I(1))
#define DB vd_b_from_words(I(0), I(1))
#define PUT_WORDS(x, y) vd xa = (x), xb = (y); PUT_I(vi_add(vi_low_words(xa, xb), vi_mul(vi_high_words(xa, xb), vi_set1(3))))
#define D_UP(x) vd_sel(vd_unord(x, x), vd_set1(0.0), x)
OP(dwords, PUT_WORDS(D_UP(vd_sqrt(vd_abs(DA))), D_UP(vd_sqrt(vd_abs(DB)))))
OP(dround, PUT_WORDS(D_UP(vd_add(vd_add(vd_rint(DA), vd_trunc(DA)), vd_ceil(DA))),
                     D_UP(vd_add(vd_add(vd_rint(DB), vd_trunc(DB)), vd_ceil(DB)))))
OP(dcompare, vd a2 = vd_a_from_vf(F(2)); vd b2 = vd_b_from_vf(F(2)); vd one = vd_set1(1.0); vd two = vd_set1(2.0);
   PUT_F(vf_from_vd_ab(vd_sel(vd_lt(DA, a2), one, vd_sel(vd_eq(DA, DA), two, vd_sel(vd_le(a2, a2), one, two))),
                       vd_sel(vd_lt(DB, b2), one, vd_sel(vd_eq(DB, DB), two, vd_sel(vd_le(b2, b2), one, two))))))
OP(dfma, PUT_WORDS(D_UP(vd_fma(DA, vd_a_from_words(I(1), I(2)), vd_a_from_words(I(2), I(0)))),
                   D_UP(vd_fma(DB, vd_b_from_words(I(1), I(2)), vd_b_from_words(I(2), I(0))))))
#if SIMD_N > 1
OP(ddx, PUT_F(vf_quad_ddx(F(0))))
OP(ddy, PUT_F(vf_quad_ddy(F(0))))
#else
static void op_ddx(const uint32_t *const *s, uint32_t *out) {
    const float *v = (const float *)(const void *)s[0];
    for (int i = 0; i < LANES; i++) {
        vf_store((float *)(void *)(out + i), v[i | 1] - v[i & ~1]);
    }
}
static void op_ddy(const uint32_t *const *s, uint32_t *out) {
    const float *v = (const float *)(const void *)s[0];
    for (int i = 0; i < LANES; i++) {
        vf_store((float *)(void *)(out + i), v[i | 2] - v[i & ~2]);
    }
}
#endif
/* Bits of all lanes, by vm_bits and by vm_bits4; all and any of them. */
static void op_bits(const uint32_t *const *s, uint32_t *out) {
    uint32_t bits = 0;
    bool all = true, some = false;
    EACH {
        vm m = vf_lt(F(0), F(1));
        bits |= vm_bits(m) << i;
        all = all && vm_all(m);
        some = some || vm_any(m);
    }
    for (int i = 0; i < LANES; i++) {
        out[i] = i == 0 ? bits : i == 1 ? all : i == 2 ? some : 0;
    }
    simd_leave();
}
static void op_bits4(const uint32_t *const *s, uint32_t *out) {
    uint64_t bits = 0;
    for (int i = 0; i < 64; i += 4 * SIMD_N) {
        vm m[4];
        for (int k = 0; k < 4; k++) {      /* four rotations of the sixteen lanes, sixteen lanes each */
            int lane = i + k * SIMD_N, from = lane % 16;
            const float *a = (const float *)(const void *)s[0], *b = (const float *)(const void *)s[lane / 16 % 2 + 1];
            m[k] = vf_lt(vf_loadu(a + from), vf_loadu(b + from));
        }
        bits |= vm_bits4(m[0], m[1], m[2], m[3]) << i;
    }
    for (int i = 0; i < LANES; i++) {
        out[i] = i < 2 ? (uint32_t)(bits >> 32 * i) : 0;
    }
    simd_leave();
}

#define ENTRY(name) {#name, op_##name},
extern const struct simd_op SIMD_NAME(simd_ops)[SIMD_OP_COUNT + 1];
const struct simd_op SIMD_NAME(simd_ops)[SIMD_OP_COUNT + 1] = {SIMD_OPS(ENTRY){0, 0}};
