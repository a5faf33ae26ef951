/* SPDX-License-Identifier: MIT */
/*
 * One lane at a time, in plain C: the definition of every operation that simd.h lists. The other
 * backends give the same bits (NaN payloads excepted) and pay for it where their instructions
 * differ: minimum and maximum with a NaN, float to integer out of range, shift counts.
 */
#ifndef VM_BASE_SIMD_SCALAR_H
#define VM_BASE_SIMD_SCALAR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "vm/base/bits.h"

#define SIMD_N 1
#define SIMD_FN static inline __attribute__((always_inline))

typedef float vf;
typedef int32_t vi;
typedef uint32_t vm;      /* 0 or 0xFFFFFFFF */
typedef double vd;

SIMD_FN vf vf_load(const float *p) { return *p; }
SIMD_FN vf vf_loadu(const float *p) { return *p; }
SIMD_FN void vf_store(float *p, vf v) { *p = v; }
SIMD_FN void vf_storeu(float *p, vf v) { *p = v; }
SIMD_FN vi vi_load(const int32_t *p) { return *p; }
SIMD_FN vi vi_loadu(const int32_t *p) { return *p; }
SIMD_FN void vi_store(int32_t *p, vi v) { *p = v; }
SIMD_FN void vi_storeu(int32_t *p, vi v) { *p = v; }
SIMD_FN vf vf_set1(float x) { return x; }
SIMD_FN vi vi_set1(int32_t x) { return x; }
SIMD_FN vd vd_set1(double x) { return x; }
SIMD_FN vf vf_zero(void) { return 0.0f; }
SIMD_FN vi vi_zero(void) { return 0; }
SIMD_FN vf vf_iota(void) { return 0.0f; }
SIMD_FN vi vi_iota(void) { return 0; }
SIMD_FN vf vf_gather(const float *base, vi index) { return base[index]; }
SIMD_FN vi vi_gather(const int32_t *base, vi index) { return base[index]; }
SIMD_FN vi vi_gather_bytes(const void *base, vi byte_offset) {
    int32_t v;
    memcpy(&v, (const char *)base + byte_offset, sizeof v);
    return v;
}
SIMD_FN void vi_gather_squares(const void *p0, const void *p1, vi index, vi v[4]) {
    v[0] = vi_gather_bytes(p0, 4 * index);
    v[1] = vi_gather_bytes(p0, 4 * index + 4);
    v[2] = vi_gather_bytes(p1, 4 * index);
    v[3] = vi_gather_bytes(p1, 4 * index + 4);
}

SIMD_FN vi vf_as_vi(vf a) { return (int32_t)bits_from_float(a); }
SIMD_FN vf vi_as_vf(vi a) { return bits_to_float((uint32_t)a); }

SIMD_FN vf vf_add(vf a, vf b) { return a + b; }
SIMD_FN vf vf_sub(vf a, vf b) { return a - b; }
SIMD_FN vf vf_mul(vf a, vf b) { return a * b; }
SIMD_FN vf vf_div(vf a, vf b) { return a / b; }
SIMD_FN vf vf_sqrt(vf a) { return __builtin_sqrtf(a); }
SIMD_FN vf vf_neg(vf a) { return vi_as_vf((int32_t)(bits_from_float(a) ^ 0x80000000u)); }
SIMD_FN vf vf_abs(vf a) { return vi_as_vf((int32_t)(bits_from_float(a) & 0x7FFFFFFFu)); }
SIMD_FN vf vf_min(vf a, vf b) { return a < b ? a : b; }
SIMD_FN vf vf_max(vf a, vf b) { return a > b ? a : b; }
SIMD_FN vf simd_copysign(vf magnitude, vf sign) {
    return bits_to_float((bits_from_float(magnitude) & 0x7FFFFFFFu) |
                         (bits_from_float(sign) & 0x80000000u));
}
/* Adding and taking away 2^23 rounds to an integer; from 2^23 on every float is one. */
SIMD_FN vf vf_rint(vf a) {
    vf m = vf_abs(a);
    return m < 8388608.0f ? simd_copysign((m + 8388608.0f) - 8388608.0f, a) : a;
}
SIMD_FN vf vf_floor(vf a) {
    vf r = vf_rint(a);
    return r > a ? simd_copysign(r - 1.0f, a) : r;
}
SIMD_FN vf vf_ceil(vf a) {
    vf r = vf_rint(a);
    return r < a ? simd_copysign(r + 1.0f, a) : r;
}
SIMD_FN vf vf_trunc(vf a) {
    vf m = vf_abs(a), r = vf_rint(m);
    return simd_copysign(r > m ? r - 1.0f : r, a);
}
SIMD_FN vf vf_madd(vf a, vf b, vf c) {
    vf product = a * b;
    return product + c;
}

SIMD_FN vd vd_add(vd a, vd b) { return a + b; }
SIMD_FN vd vd_sub(vd a, vd b) { return a - b; }
SIMD_FN vd vd_mul(vd a, vd b) { return a * b; }
SIMD_FN vd vd_div(vd a, vd b) { return a / b; }
SIMD_FN vd vd_min(vd a, vd b) { return a < b ? a : b; }
SIMD_FN vd vd_max(vd a, vd b) { return a > b ? a : b; }
SIMD_FN vd vd_floor(vd a) {
    vd m = a < 0.0 ? -a : a;
    if (!(m < 4503599627370496.0)) {
        return a;
    }
    vd r = (m + 4503599627370496.0) - 4503599627370496.0;
    r = a < 0.0 ? -r : r;
    r = r > a ? r - 1.0 : r;
    return r == 0.0 ? a * 0.0 : r;
}

SIMD_FN vi vi_from_vf_trunc(vf a) {
    if (a >= 2147483648.0f) {
        return INT32_MAX;
    }
    if (a < -2147483648.0f) {
        return INT32_MIN;
    }
    return a == a ? (int32_t)a : 0;
}
SIMD_FN vi vi_from_vf_fast(vf a) { return vi_from_vf_trunc(a); }
SIMD_FN vi vi_from_vf_rint_fast(vf a) { return vi_from_vf_trunc(vf_rint(a)); }
SIMD_FN vf vf_from_vi(vi a) { return (float)a; }
SIMD_FN vd vd_lo_from_vf(vf a) { return (double)a; }
SIMD_FN vd vd_hi_from_vf(vf a) {
    (void)a;
    return 0.0;
}
SIMD_FN vd vd_lo_from_vi(vi a) { return (double)a; }
SIMD_FN vd vd_hi_from_vi(vi a) {
    (void)a;
    return 0.0;
}
SIMD_FN vf vf_from_vd(vd lo, vd hi) {
    (void)hi;
    return (float)lo;
}
/* 1.5 * 2^52 leaves the rounded integer in the low word. */
SIMD_FN vi vi_from_vd_rint(vd lo, vd hi) {
    (void)hi;
    double t = lo + 6755399441055744.0;
    uint64_t u;
    memcpy(&u, &t, sizeof u);
    return (int32_t)(uint32_t)u;
}
SIMD_FN vi vi_from_vd_whole(vd lo, vd hi) {
    (void)hi;
    uint64_t u;
    memcpy(&u, &lo, sizeof u);
    return (int32_t)(uint32_t)(u >> 20);
}

SIMD_FN vi vi_add(vi a, vi b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
SIMD_FN vi vi_sub(vi a, vi b) { return (int32_t)((uint32_t)a - (uint32_t)b); }
SIMD_FN vi vi_mul16(vi a, vi b) {
    uint32_t lo = ((uint32_t)a & 0xFFFFu) * ((uint32_t)b & 0xFFFFu) & 0xFFFFu;
    uint32_t hi = ((uint32_t)a >> 16) * ((uint32_t)b >> 16);
    return (int32_t)(lo | hi << 16);
}
SIMD_FN vi vi_mul(vi a, vi b) { return (int32_t)((uint32_t)a * (uint32_t)b); }
SIMD_FN vi vi_mul_small(vi a, vi b) { return a * b; }
SIMD_FN vi vi_and(vi a, vi b) { return a & b; }
SIMD_FN vi vi_or(vi a, vi b) { return a | b; }
SIMD_FN vi vi_xor(vi a, vi b) { return a ^ b; }
SIMD_FN vi vi_andnot(vi a, vi b) { return ~a & b; }
SIMD_FN vi vi_shl(vi v, int n) { return (int32_t)((uint32_t)v << n); }
SIMD_FN vi vi_shr(vi v, int n) { return (int32_t)((uint32_t)v >> n); }
SIMD_FN vi vi_sar(vi v, int n) { return v >> n; }
SIMD_FN vi vi_shlv(vi v, vi n) {
    if (n >= 0) {
        return n <= 31 ? (int32_t)((uint32_t)v << n) : 0;
    }
    return n >= -31 ? (int32_t)((uint32_t)v >> -n) : 0;
}
SIMD_FN vi vi_min(vi a, vi b) { return a < b ? a : b; }
SIMD_FN vi vi_max(vi a, vi b) { return a > b ? a : b; }

SIMD_FN vm simd_mask(bool b) { return b ? 0xFFFFFFFFu : 0u; }
SIMD_FN vm vf_lt(vf a, vf b) { return simd_mask(a < b); }
SIMD_FN vm vf_le(vf a, vf b) { return simd_mask(a <= b); }
SIMD_FN vm vf_gt(vf a, vf b) { return simd_mask(a > b); }
SIMD_FN vm vf_ge(vf a, vf b) { return simd_mask(a >= b); }
SIMD_FN vm vf_eq(vf a, vf b) { return simd_mask(a == b); }
SIMD_FN vm vf_ne(vf a, vf b) { return simd_mask(a != b); }
SIMD_FN vm vf_unord(vf a, vf b) { return simd_mask(a != a || b != b); }
SIMD_FN vm vi_eq(vi a, vi b) { return simd_mask(a == b); }
SIMD_FN vm vi_lt(vi a, vi b) { return simd_mask(a < b); }
SIMD_FN vm vi_gt(vi a, vi b) { return simd_mask(a > b); }

SIMD_FN vm vm_and(vm a, vm b) { return a & b; }
SIMD_FN vm vm_or(vm a, vm b) { return a | b; }
SIMD_FN vm vm_xor(vm a, vm b) { return a ^ b; }
SIMD_FN vm vm_not(vm a) { return ~a; }
SIMD_FN vm vm_andnot(vm a, vm b) { return ~a & b; }
SIMD_FN vm vm_true(void) { return 0xFFFFFFFFu; }
SIMD_FN vm vm_false(void) { return 0u; }
SIMD_FN vf vf_sel(vm m, vf a, vf b) { return m ? a : b; }
SIMD_FN vi vi_sel(vm m, vi a, vi b) { return m ? a : b; }
SIMD_FN vf vf_mask01(vm m) { return m ? 1.0f : 0.0f; }
SIMD_FN vi vi_from_vm(vm m) { return (int32_t)m; }
SIMD_FN vm vm_from_vi(vi v) { return simd_mask(v < 0); }
SIMD_FN bool vm_any(vm m) { return m != 0; }
SIMD_FN bool vm_all(vm m) { return m != 0; }
SIMD_FN uint32_t vm_bits(vm m) { return m & 1u; }
SIMD_FN uint64_t vm_bits4(vm a, vm b, vm c, vm d) { return (a & 1u) | (b & 2u) | (c & 4u) | (d & 8u); }
SIMD_FN vm vm_load(const int32_t *p) { return (uint32_t)*p; }
SIMD_FN vm vm_from_bits(uint32_t bits) { return simd_mask(bits & 1u); }
SIMD_FN void vm_storemask_f(float *p, vm m, vf v) { *p = m ? v : *p; }

SIMD_FN int32_t simd_half(vi v, int k) { return (int16_t)((uint32_t)v >> 16 * k & 0xFFFFu); }
SIMD_FN void vi_madd_halves(vi a, vi b, vi w, vi *low, vi *high) {
    const int32_t wa = simd_half(w, 0), wb = simd_half(w, 1);
    *low = simd_half(a, 0) * wa + simd_half(b, 0) * wb;
    *high = simd_half(a, 1) * wa + simd_half(b, 1) * wb;
}
SIMD_FN vi vi_hidden(vi v) { return v; }
SIMD_FN vi vi_low_byte_twice(vi v) { return (v & 255) * 0x00010001; }
SIMD_FN vi vi_odd_bytes(vi v) { return (int32_t)((uint32_t)v >> 8 & 0x00FF00FFu); }
SIMD_FN vi vi_unpack_u8(vi v, int k) { return (int32_t)((uint32_t)v >> (8 * k) & 255u); }
SIMD_FN vi vi_pack_rgba8(vi r, vi g, vi b, vi a) {
    return (int32_t)((uint32_t)r | (uint32_t)g << 8 | (uint32_t)b << 16 | (uint32_t)a << 24);
}

SIMD_FN void vi_load3(const int32_t *p, vi *a, vi *b, vi *c) {
    *a = p[0];
    *b = p[1];
    *c = p[2];
}

SIMD_FN vi vi_load_rows(const void *p0, const void *p1) {
    vi v;
    (void)p1;
    memcpy(&v, p0, sizeof v);
    return v;
}
SIMD_FN vi vi_load_rows_u16(const void *p0, const void *p1) {
    uint16_t v;
    (void)p1;
    memcpy(&v, p0, sizeof v);
    return v;
}
SIMD_FN vi vi_load_u8(const void *p) { return *(const uint8_t *)p; }
SIMD_FN vf vf_spread_u8(const uint8_t *p) { return (float)*p; }
#define SIMD_LANE_STORES 0
#define SIMD_TABLES 0
#define SIMD_PICKS 0
SIMD_FN void vi_store_row_lo(void *p, vi v) { memcpy(p, &v, sizeof v); }
SIMD_FN void vi_store_row_hi(void *p, vi v) {
    (void)p;
    (void)v;
}
SIMD_FN void vi_store_row_lo_u16(void *p, vi v) {
    uint16_t half = (uint16_t)v;
    memcpy(p, &half, sizeof half);
}
SIMD_FN void vi_store_row_hi_u16(void *p, vi v) {
    (void)p;
    (void)v;
}

SIMD_FN void simd_leave(void) { }

#endif
