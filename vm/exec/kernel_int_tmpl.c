/* SPDX-License-Identifier: MIT */
/*
 * Operations on 32-bit integers, compiled once for each ISA. In: a CALL micro-operation (typed.h). Out: words
 * in slots. Bitwise operations and shifts are micro-operations of the f32 kernel.
 */
#include "vm/exec/typed_tmpl.h"

#include <string.h>

#include "vm/base/bits.h"

/* Order of unsigned numbers by a signed comparison. */
SIMD_FN vi flip(vi v) { return vi_xor(v, vi_set1(INT32_MIN)); }

SIMD_FN vi x_ADD(vi a, vi b) { return vi_add(a, b); }
SIMD_FN vi x_MUL(vi a, vi b) { return vi_mul(a, b); }
SIMD_FN vi x_IMIN(vi a, vi b) { return vi_min(a, b); }
SIMD_FN vi x_IMAX(vi a, vi b) { return vi_max(a, b); }
SIMD_FN vi x_UMIN(vi a, vi b) { return flip(vi_min(flip(a), flip(b))); }
SIMD_FN vi x_UMAX(vi a, vi b) { return flip(vi_max(flip(a), flip(b))); }
SIMD_FN vi x_MAD(vi a, vi b, vi c) { return vi_add(vi_mul(a, b), c); }
SIMD_FN vi x_ABS(vi a) { return vi_max(a, vi_sub(vi_zero(), a)); }
SIMD_FN vi x_SSG(vi a) { return vi_max(vi_min(a, vi_set1(1)), vi_set1(-1)); }
SIMD_FN vi truth(vm m) { return vf_as_vi(vf_mask01(m)); }
SIMD_FN vi x_ISLT(vi a, vi b) { return truth(vi_lt(a, b)); }
SIMD_FN vi x_ISGE(vi a, vi b) { return truth(vm_not(vi_lt(a, b))); }
SIMD_FN vi x_USLT(vi a, vi b) { return truth(vi_lt(flip(a), flip(b))); }
SIMD_FN vi x_USGE(vi a, vi b) { return truth(vm_not(vi_lt(flip(a), flip(b)))); }
SIMD_FN vi x_SEQ(vi a, vi b) { return truth(vi_eq(a, b)); }
SIMD_FN vi x_SNE(vi a, vi b) { return truth(vm_not(vi_eq(a, b))); }
SIMD_FN vi x_I2F(vi a) { return vf_as_vi(vf_from_vi(a)); }

#define EACH_VECTOR for (unsigned i = 0; i < vectors; i++)
#define WORD1(n) \
    TYPED_FN(f_##n) { \
        TYPED_ARG(0) TYPED_OUT(0) \
        EACH_VECTOR { vi_store(typed_row(out0, i), x_##n(typed_load(a0, i))); } \
    }
#define WORD2(n) \
    TYPED_FN(f_##n) { \
        TYPED_ARG(0) TYPED_ARG(1) TYPED_OUT(0) \
        EACH_VECTOR { vi_store(typed_row(out0, i), x_##n(typed_load(a0, i), typed_load(a1, i))); } \
    }
#define WORD3(n) \
    TYPED_FN(f_##n) { \
        TYPED_ARG(0) TYPED_ARG(1) TYPED_ARG(2) TYPED_OUT(0) \
        EACH_VECTOR { \
            vi_store(typed_row(out0, i), x_##n(typed_load(a0, i), typed_load(a1, i), typed_load(a2, i))); \
        } \
    }
WORD2(ADD) WORD2(MUL) WORD2(IMIN) WORD2(IMAX) WORD2(UMIN) WORD2(UMAX) WORD3(MAD) WORD1(ABS) WORD1(SSG) WORD1(I2F)
WORD2(ISLT) WORD2(ISGE) WORD2(USLT) WORD2(USGE) WORD2(SEQ) WORD2(SNE)

/* ---- One lane at a time: rare or not in every instruction set ---- */

static uint32_t s_IMULHI(uint32_t a, uint32_t b) {
    return (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32);
}
static uint32_t s_UMULHI(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); }
static uint32_t s_IDIV(uint32_t a, uint32_t b) {
    if (b == 0 || b == UINT32_MAX) {      /* by 0: -1; by -1: the hardware would trap on the least number */
        return b == 0 ? UINT32_MAX : 0u - a;
    }
    return (uint32_t)((int32_t)a / (int32_t)b);
}
static uint32_t s_IMOD(uint32_t a, uint32_t b) {
    return b == 0 ? a : b == UINT32_MAX ? 0 : (uint32_t)((int32_t)a % (int32_t)b);
}
static uint32_t s_UDIV(uint32_t a, uint32_t b) { return b == 0 ? UINT32_MAX : a / b; }
static uint32_t s_UMOD(uint32_t a, uint32_t b) { return b == 0 ? a : a % b; }
static uint32_t s_SAR(uint32_t a, uint32_t b) {
    int32_t n = (int32_t)a;
    return (uint32_t)((int32_t)b >> (n < 0 ? 0 : n > 31 ? 31 : n));
}
static uint32_t s_F2U(uint32_t a) {
    float x = bits_to_float(a);
    return x >= 4294967296.0f ? UINT32_MAX : x > 0.0f ? (uint32_t)x : 0;
}
static uint32_t s_U2F(uint32_t a) { return bits_from_float((float)a); }

#define EACH_LANE for (unsigned lane = 0; lane < vectors * SIMD_N; lane++)
#define LANE1(n) \
    TYPED_FN(f_##n) { \
        TYPED_ARG(0) TYPED_OUT(0) \
        EACH_LANE { *typed_out(out0, lane) = s_##n(typed_lane(a0, lane)); } \
    }
#define LANE2(n) \
    TYPED_FN(f_##n) { \
        TYPED_ARG(0) TYPED_ARG(1) TYPED_OUT(0) \
        EACH_LANE { *typed_out(out0, lane) = s_##n(typed_lane(a0, lane), typed_lane(a1, lane)); } \
    }
LANE2(IMULHI) LANE2(UMULHI) LANE2(IDIV) LANE2(IMOD) LANE2(UDIV) LANE2(UMOD) LANE2(SAR) LANE1(F2U) LANE1(U2F)

extern const vm_typed_fn SIMD_NAME(vm_int_functions)[ISA_TYPED_COUNT];
const vm_typed_fn SIMD_NAME(vm_int_functions)[ISA_TYPED_COUNT] = {
    [ISA_TYPED_I_ADD] = f_ADD, [ISA_TYPED_I_MUL] = f_MUL, [ISA_TYPED_I_MIN] = f_IMIN, [ISA_TYPED_I_MAX] = f_IMAX,
    [ISA_TYPED_I_MAD] = f_MAD, [ISA_TYPED_I_ABS] = f_ABS, [ISA_TYPED_I_SSG] = f_SSG, [ISA_TYPED_I_MULHI] = f_IMULHI,
    [ISA_TYPED_I_DIV] = f_IDIV, [ISA_TYPED_I_MOD] = f_IMOD, [ISA_TYPED_I_SAR] = f_SAR, [ISA_TYPED_I_SLT] = f_ISLT,
    [ISA_TYPED_I_SGE] = f_ISGE, [ISA_TYPED_I_SEQ] = f_SEQ, [ISA_TYPED_I_SNE] = f_SNE, [ISA_TYPED_I2F] = f_I2F,
    [ISA_TYPED_U_ADD] = f_ADD, [ISA_TYPED_U_MUL] = f_MUL, [ISA_TYPED_U_MIN] = f_UMIN, [ISA_TYPED_U_MAX] = f_UMAX,
    [ISA_TYPED_U_MAD] = f_MAD, [ISA_TYPED_U_MULHI] = f_UMULHI, [ISA_TYPED_U_DIV] = f_UDIV, [ISA_TYPED_U_MOD] = f_UMOD,
    [ISA_TYPED_U_SLT] = f_USLT, [ISA_TYPED_U_SGE] = f_USGE, [ISA_TYPED_U_SEQ] = f_SEQ, [ISA_TYPED_U_SNE] = f_SNE,
    [ISA_TYPED_F2U] = f_F2U, [ISA_TYPED_U2F] = f_U2F,
};
