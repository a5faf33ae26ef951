/* SPDX-License-Identifier: MIT */
/*
 * The arithmetic of one operation on one component: bits in, bits out. This, and nothing else, is shared by the
 * reference interpreter and the cycle-accurate model (vm/model); how operands reach an operation and results leave it
 * each of them does in its own way.
 */
#ifndef VM_EXEC_REF_OPS_H
#define VM_EXEC_REF_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/base/bits.h"
#include "vm/exec/ref_math.h"
#include "vm/isa/isa.h"

static inline float ref_float(uint32_t bits) { return bits_to_float(bits); }
/* NaN is one class (ISA.md); here it is one pattern. */
static inline uint32_t ref_bits(float x) { return ref_is_nan(x) ? REF_NAN : bits_from_float(x); }

/* Does the condition of PRED unit u hold for this value? */
static inline bool ref_holds(const struct isa_unit *u, uint32_t bits) {
    int32_t i = (int32_t)bits;
    float f = ref_float(bits);
    switch (u->cond) {
    case ISA_COND_Z: return u->int_compare ? i == 0 : f == 0.0f;
    case ISA_COND_NZ: return u->int_compare ? i != 0 : !(f == 0.0f);
    case ISA_COND_N: return u->int_compare ? i < 0 : f < 0.0f;
    case ISA_COND_GE: return u->int_compare ? i >= 0 : f >= 0.0f;
    case ISA_COND_P: return u->int_compare ? i > 0 : f > 0.0f;
    default: return u->int_compare ? i <= 0 : f <= 0.0f;
    }
}

static inline uint32_t ref_shift(uint32_t v, int32_t n) {
    return n >= 0 ? (n < 32 ? v << n : 0) : (n > -32 ? v >> -n : 0);
}

/* Operation op on slots s0 and s1; one-slot operations take 'one'. DDX, DDY and MVS give 0: they are no arithmetic. */
static inline uint32_t ref_operation(unsigned op, uint32_t s0, uint32_t s1, uint32_t one) {
    float a = ref_float(s0), b = ref_float(s1), x = ref_float(one);
    switch (op) {
    case ISA_OP_MOV: return one;
    case ISA_OP_MUL: return ref_bits(a * b);
    case ISA_OP_ADD: return ref_bits(a + b);
    case ISA_OP_MIN: return ref_bits(a < b ? a : b);
    case ISA_OP_MAX: return ref_bits(a > b ? a : b);
    case ISA_OP_RCP: return ref_bits(1.0f / x);
    case ISA_OP_MAN: return ref_bits(ref_mantissa(x));
    case ISA_OP_RSQ: return ref_bits(1.0f / __builtin_sqrtf(x));
    case ISA_OP_EXP: return ref_bits(ref_exponent(x));
    case ISA_OP_CMP: return ref_bits(a < b ? -1.0f : a > b ? 1.0f : a == b ? 0.0f : ref_float(REF_NAN));
    case ISA_OP_FLR: return ref_bits(ref_floor(x));
    case ISA_OP_CONV: return (uint32_t)ref_to_int(x);
    case ISA_OP_FRC: return ref_bits(x - ref_floor(x));
    case ISA_OP_SLT: return ref_bits(a < b ? 1.0f : 0.0f);
    case ISA_OP_SGE: return ref_bits(a >= b ? 1.0f : 0.0f);
    case ISA_OP_SEQ: return ref_bits(a == b ? 1.0f : 0.0f);
    case ISA_OP_SNE: return ref_bits(a == b ? 0.0f : 1.0f);
    case ISA_OP_LG2: return ref_bits(ref_log2(x));
    case ISA_OP_EX2: return ref_bits(ref_exp2(x));
    case ISA_OP_SIN: return ref_bits(ref_sincos(x, 0));
    case ISA_OP_COS: return ref_bits(ref_sincos(x, 1));
    case ISA_OP_AND: return s0 & s1;
    case ISA_OP_OR: return s0 | s1;
    case ISA_OP_XOR: return s0 ^ s1;
    case ISA_OP_SHF: return ref_shift(s1, (int32_t)s0);
    default: return 0;                /* DDX, DDY and MVS are done elsewhere */
    }
}

/* The operation that TYPE puts in place; dest is the old value of the component. */
static inline uint32_t ref_typed_operation(unsigned xop, uint32_t s0, uint32_t s1, uint32_t one, uint32_t dest) {
    float x = ref_float(one), product;
    switch (xop) {
    case ISA_XOP_MAD:
        product = ref_float(s0) * ref_float(s1);
        return ref_bits(product + ref_float(dest));
    case ISA_XOP_DIV: return ref_bits(ref_float(s0) / ref_float(s1));
    case ISA_XOP_SQRT: return ref_bits(__builtin_sqrtf(x));
    case ISA_XOP_ABS: return ref_bits(ref_abs(x));
    case ISA_XOP_SSG: return ref_bits(x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : 0.0f);
    case ISA_XOP_TRUNC: return ref_bits(ref_trunc(x));
    case ISA_XOP_CEIL: return ref_bits(ref_ceil(x));
    case ISA_XOP_ROUND: return ref_bits(ref_round(x));
    default: return 0;
    }
}

static inline uint32_t ref_saturate(uint32_t bits) {
    float v = ref_float(bits);
    return ref_bits(v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f);
}

/* ---- Element types other than f32 (ref_typed.c) ---- */

/*
 * Operation 'row' (enum isa_typed) on elements of slots s0 and s1, 64 bits where they are doubles; one-slot operations take
 * 'one', d is the old element of DEST. B2F takes the channel's number as d; F2B is ref_pack_color of four components.
 */
uint64_t ref_element_op(unsigned row, uint64_t s0, uint64_t s1, uint64_t one, uint64_t d);
/* Sa of a float (wide: a double). */
uint64_t ref_element_saturate(uint64_t bits, bool wide);
/* Four floats as 8-bit channels of a word. */
uint32_t ref_pack_color(const uint32_t bits[4]);

#endif
