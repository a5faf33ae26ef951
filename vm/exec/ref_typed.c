/* SPDX-License-Identifier: MIT */
/*
 * The reference interpreter on element types other than f32: one lane, one element at a time, in plain C.
 * In: the instruction that ref.c executes. Out: bits to write. Like ref.c it shares no code with decoder
 * and kernels; fused multiplication is done in a long fixed-point number.
 */
#include <string.h>

#include "vm/exec/ref.h"
#include "vm/exec/ref_math.h"
#include "vm/exec/ref_ops.h"

static const uint64_t nan64 = 0x7FF8000000000000ull;

static double as_double(uint64_t bits) {
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}
static uint64_t double_bits(double d) {
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return d != d ? nan64 : bits;
}

/* ---- Operands ---- */

static uint64_t immediate(uint16_t imm, unsigned type) {
    switch (type) {
    case ISA_TYPE_F64: return double_bits((double)bits_to_float(ref_half_bits(imm)));
    case ISA_TYPE_I32: return (uint32_t)(int32_t)(int16_t)imm;
    case ISA_TYPE_U32: return imm;
    case ISA_TYPE_U8X4: return (imm & 255u) * 0x10101u | (uint32_t)(imm >> 8) << 24;
    default: return ref_half_bits(imm);
    }
}

static uint64_t negated(uint64_t v, unsigned type) {
    switch (type) {
    case ISA_TYPE_F64: return v ^ 1ull << 63;
    case ISA_TYPE_I32:
    case ISA_TYPE_U32: return (uint32_t)(0u - (uint32_t)v);
    case ISA_TYPE_U8X4: return (uint32_t)~(uint32_t)v;
    default: return v ^ 0x80000000u;
    }
}

/* Element of component c of a slot of phase 1: one component, or an f64 pair that begins there. */
static uint64_t element(const struct ref *r, unsigned slot, unsigned c, unsigned type, unsigned lane) {
    const struct isa_inst *in = &r->inst;
    const struct isa_unit *sub = in->sub[1] >= 0 ? &in->unit[in->sub[1]] : NULL;
    unsigned phase = sub != NULL && (sub->smask >> c & 1u) ? 0 : 1, file = ISA_FILE_GPR, comp = c;
    sub = in->sub[phase] >= 0 ? &in->unit[in->sub[phase]] : NULL;
    const struct isa_unit *u = slot == 0 ? &in->unit[in->main[phase]] : sub;
    int64_t number;
    if (u == NULL) {
        number = ref_dest_of(r, phase, lane);
    } else if (u->has_imm) {
        return immediate(u->imm16, type);
    } else if (u->op == ISA_OP_MVS) {
        return 0;
    } else {
        number = u->src.reg;
        number += phase == 1 ? ref_offset_of(r, slot == 0 ? ISA_ADDR_SLOT0 : ISA_ADDR_SLOT1, lane) : 0;
        file = u->src.file;
        comp = u->src.sel[c];
    }
    uint64_t v = ref_read_file(r, file, number, comp, lane);
    if (type == ISA_TYPE_F64) {
        v |= (uint64_t)ref_read_file(r, file, number, (comp + 1) & 3u, lane) << 32;
    }
    return u != NULL && u->src.negate ? negated(v, type) : v;
}

static uint64_t dest_before(const struct ref *r, unsigned c, unsigned type, unsigned lane) {
    uint32_t number = (uint32_t)ref_dest_of(r, 1, lane);
    uint64_t v = ref_read_file(r, ISA_FILE_GPR, number, c, lane);
    return type == ISA_TYPE_F64 ? v | (uint64_t)ref_read_file(r, ISA_FILE_GPR, number, c + 1, lane) << 32 : v;
}

/* ---- f64 ---- */

/* Integral part towards zero. */
static double trunc64(double x) {
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    unsigned e = (unsigned)(u >> 52 & 2047u);
    if (e >= 1075) {
        return x;
    }
    return as_double(e < 1023 ? u & 1ull << 63 : u & ~(0xFFFFFFFFFFFFFull >> (e - 1023)));
}
static double with_sign(double magnitude, double sign) {
    return as_double((double_bits(magnitude) & ~(1ull << 63)) | (double_bits(sign) & 1ull << 63));
}
static double floor64(double x) {
    double t = trunc64(x);
    return x < t ? t - 1.0 : t;
}
static double ceil64(double x) {
    double t = trunc64(x);
    return x > t ? with_sign(t + 1.0, x) : t;
}
static double round64(double x) {
    double t = trunc64(x), rest = x - t, half = t * 0.5;
    if (x - x != 0.0 || rest == 0.0) {
        return x;
    }
    rest = rest < 0.0 ? -rest : rest;
    bool up = rest > 0.5 || (rest == 0.5 && trunc64(half) != half);
    return up ? with_sign(with_sign(t, 1.0) + 1.0, x) : t;
}

/* x = m * 2^e with 1 <= |m| < 2; x finite and not 0. */
static double split64(double x, int *e) {
    uint64_t u = double_bits(x);
    *e = 0;
    if ((u >> 52 & 2047u) == 0) {
        u = double_bits(x * 0x1p54);
        *e = -54;
    }
    *e += (int)(u >> 52 & 2047u) - 1023;
    return as_double((u & ~(2047ull << 52)) | 1023ull << 52);
}

static double mantissa64(double x) {
    int e;
    return x - x != 0.0 || x == 0.0 ? x : split64(x, &e);
}
static double exponent64(double x) {
    int e;
    if (x == 0.0) {
        return 0.0;
    }
    if (x - x != 0.0) {
        return x * x;                 /* infinities give +inf */
    }
    split64(x, &e);
    return e;
}

/* A fixed-point number of 4352 bits in units of 2^-2176, wide enough for every product and sum of doubles. */
#define LIMBS 136
#define POINT 2176

struct wide {
    uint32_t limb[LIMBS];
};

/* Adds (or subtracts) m * 2^e. */
static void wide_add(struct wide *w, uint64_t m, int e, bool minus) {
    unsigned at = (unsigned)(e + POINT), first = at / 32, shift = at % 32;
    uint32_t part[3] = {(uint32_t)(m << shift), (uint32_t)(m << shift >> 32), shift ? (uint32_t)(m >> (64 - shift)) : 0};
    uint64_t carry = minus;
    for (unsigned i = first; i < LIMBS; i++) {
        uint32_t v = i - first < 3 ? part[i - first] : 0;
        carry += (uint64_t)w->limb[i] + (minus ? ~v : v);
        w->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* The number, not negative, as the nearest double with the given sign. */
static uint64_t wide_round(const struct wide *w, bool minus) {
    int top = LIMBS * 32 - 1;
    while (top >= 0 && !(w->limb[top / 32] >> top % 32 & 1u)) {
        top--;
    }
    if (top < 0) {
        return 0;                     /* the terms cancel: +0 */
    }
    int last = top - 52 < POINT - 1074 ? POINT - 1074 : top - 52;      /* bit that counts least */
    uint64_t m = 0;
    for (int i = top; i >= last; i--) {
        m = m << 1 | (w->limb[i / 32] >> i % 32 & 1u);
    }
    bool half = w->limb[(last - 1) / 32] >> (last - 1) % 32 & 1u, rest = false;
    for (int i = last - 2; i >= 0 && !rest; i--) {
        rest = w->limb[i / 32] >> i % 32 & 1u;
    }
    m += half && (rest || (m & 1u));
    int exponent = last - (POINT - 1074);       /* m = 2^52.. belongs to biased exponent + 1 */
    uint64_t bits = m + ((uint64_t)exponent << 52);
    return (bits >= 2047ull << 52 ? 2047ull << 52 : bits) | (uint64_t)minus << 63;
}

static void parts(double x, uint64_t *m, int *e) {
    uint64_t u = double_bits(x);
    unsigned biased = (unsigned)(u >> 52 & 2047u);
    *m = (u & 0xFFFFFFFFFFFFFull) | (biased != 0 ? 1ull << 52 : 0);
    *e = (biased != 0 ? (int)biased : 1) - 1075;
}

static uint64_t fma64(double a, double b, double c) {
    if (a - a != 0.0 || b - b != 0.0 || a == 0.0 || b == 0.0) {
        return double_bits(a * b + c);
    }
    if (c - c != 0.0) {
        return double_bits(c);
    }
    struct wide w;
    uint64_t ma, mb, mc;
    int ea, eb, ec;
    bool minus = (double_bits(a) ^ double_bits(b)) >> 63, other = double_bits(c) >> 63;
    memset(&w, 0, sizeof w);
    parts(a, &ma, &ea);
    parts(b, &mb, &eb);
    parts(c, &mc, &ec);
    for (unsigned k = 0; k < 53; k += 8) {      /* the product, eight bits of b at a time, relative to its sign */
        wide_add(&w, (mb >> k & 0xFFu) * ma, ea + eb + (int)k, false);
    }
    wide_add(&w, mc, ec, other != minus);
    if (w.limb[LIMBS - 1] >> 31) {              /* the addend was larger: negate */
        uint64_t carry = 1;
        for (unsigned i = 0; i < LIMBS; i++) {
            carry += (uint32_t)~w.limb[i];
            w.limb[i] = (uint32_t)carry;
            carry >>= 32;
        }
        minus = !minus;
    }
    return wide_round(&w, minus);
}

static double power_of_two(int e) { return as_double((uint64_t)(e + 1023) << 52); }

static double ldexp64(double x, double by) {
    if (x == 0.0 || x - x != 0.0) {
        return x;
    }
    int e, n = by != by ? 0 : by > 5000.0 ? 5000 : by < -5000.0 ? -5000 : (int)by;
    double m = split64(x, &e);
    n += e;
    if (n > 1023) {
        return with_sign(0x1p1023 * 2.0, x);
    }
    /* below the normal range one multiplication rounds: m * 2^-1022 * 2^(n + 1022) */
    return n >= -1022 ? m * power_of_two(n) : n < -1100 ? with_sign(0.0, x) : (m * 0x1p-900) * power_of_two(n + 900);
}

static int32_t to_int(double x) {
    return x != x ? 0 : x >= 2147483647.0 ? INT32_MAX : x <= -2147483648.0 ? INT32_MIN : (int32_t)x;
}
static uint32_t to_unsigned(double x) {
    return !(x > 0.0) ? 0 : x >= 4294967295.0 ? UINT32_MAX : (uint32_t)x;
}

static uint64_t double_op(unsigned row, uint64_t e0, uint64_t e1, uint64_t one, uint64_t dest) {
    double a = as_double(e0), b = as_double(e1), x = as_double(one), d = as_double(dest), product;
    switch (row) {
    case ISA_TYPED_D_MOV: return one;
    case ISA_TYPED_D_ABS: return one & ~(1ull << 63);
    case ISA_TYPED_D_ADD: return double_bits(a + b);
    case ISA_TYPED_D_MUL: return double_bits(a * b);
    case ISA_TYPED_D_MIN: return a < b ? e0 : e1;
    case ISA_TYPED_D_MAX: return a > b ? e0 : e1;
    case ISA_TYPED_D_RCP: return double_bits(1.0 / x);
    case ISA_TYPED_D_RSQ: return double_bits(1.0 / __builtin_sqrt(x));
    case ISA_TYPED_D_MAN: return double_bits(mantissa64(x));
    case ISA_TYPED_D_EXP: return double_bits(exponent64(x));
    case ISA_TYPED_D_FLR: return double_bits(floor64(x));
    case ISA_TYPED_D_FRC: return double_bits(x - floor64(x));
    case ISA_TYPED_D_FMA: return fma64(a, b, d);
    case ISA_TYPED_D_MAD:
        product = a * b;
        return double_bits(product + d);
    case ISA_TYPED_D_DIV: return double_bits(a / b);
    case ISA_TYPED_D_SQRT: return double_bits(__builtin_sqrt(x));
    case ISA_TYPED_D_SSG: return double_bits(x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0);
    case ISA_TYPED_D_TRUNC: return double_bits(trunc64(x));
    case ISA_TYPED_D_CEIL: return double_bits(ceil64(x));
    case ISA_TYPED_D_ROUND: return double_bits(round64(x));
    case ISA_TYPED_D_LDEXP: return double_bits(ldexp64(a, b));
    case ISA_TYPED_F2D: return double_bits((double)bits_to_float((uint32_t)one));
    case ISA_TYPED_I2D: return double_bits((double)(int32_t)(uint32_t)one);
    default: return double_bits((double)(uint32_t)one);      /* U2D */
    }
}

static uint32_t float_bits(float x) { return ref_is_nan(x) ? REF_NAN : bits_from_float(x); }
static uint32_t truth(bool b) { return b ? 0x3F800000u : 0u; }

static uint32_t from_double(unsigned row, double a, double b, double x) {
    switch (row) {
    case ISA_TYPED_D_SLT: return truth(a < b);
    case ISA_TYPED_D_SGE: return truth(a >= b);
    case ISA_TYPED_D_SEQ: return truth(a == b);
    case ISA_TYPED_D_SNE: return truth(!(a == b));
    case ISA_TYPED_D2F: return float_bits((float)x);
    case ISA_TYPED_D2I: return (uint32_t)to_int(x);
    default: return to_unsigned(x);                          /* D2U */
    }
}

/* ---- i32, u32 ---- */

static uint32_t shifted(uint32_t v, int32_t n) {
    return n >= 0 ? (n < 32 ? v << n : 0) : (n > -32 ? v >> -n : 0);
}

static uint32_t integer_op(unsigned row, uint32_t a, uint32_t b, uint32_t x, uint32_t d) {
    int32_t sa = (int32_t)a, sb = (int32_t)b, sx = (int32_t)x;
    switch (row) {
    case ISA_TYPED_I_MOV: case ISA_TYPED_U_MOV: return x;
    case ISA_TYPED_I_ADD: case ISA_TYPED_U_ADD: return a + b;
    case ISA_TYPED_I_MUL: case ISA_TYPED_U_MUL: return a * b;
    case ISA_TYPED_I_AND: case ISA_TYPED_U_AND: return a & b;
    case ISA_TYPED_I_OR: case ISA_TYPED_U_OR: return a | b;
    case ISA_TYPED_I_XOR: case ISA_TYPED_U_XOR: return a ^ b;
    case ISA_TYPED_I_SHF: case ISA_TYPED_U_SHF: return shifted(b, sa);
    case ISA_TYPED_I_MAD: case ISA_TYPED_U_MAD: return a * b + d;
    case ISA_TYPED_I_MIN: return sa < sb ? a : b;
    case ISA_TYPED_I_MAX: return sa > sb ? a : b;
    case ISA_TYPED_U_MIN: return a < b ? a : b;
    case ISA_TYPED_U_MAX: return a > b ? a : b;
    case ISA_TYPED_I_ABS: return sx < 0 ? 0u - x : x;
    case ISA_TYPED_I_SSG: return sx > 0 ? 1u : sx < 0 ? UINT32_MAX : 0u;
    case ISA_TYPED_I_MULHI: return (uint32_t)((uint64_t)((int64_t)sa * sb) >> 32);
    case ISA_TYPED_U_MULHI: return (uint32_t)((uint64_t)a * b >> 32);
    case ISA_TYPED_I_DIV: return sb == 0 ? UINT32_MAX : sb == -1 ? 0u - a : (uint32_t)(sa / sb);
    case ISA_TYPED_I_MOD: return sb == 0 ? a : sb == -1 ? 0u : (uint32_t)(sa % sb);
    case ISA_TYPED_U_DIV: return b == 0 ? UINT32_MAX : a / b;
    case ISA_TYPED_U_MOD: return b == 0 ? a : a % b;
    case ISA_TYPED_I_SAR: {
        unsigned n = sa < 0 ? 0 : sa > 31 ? 31 : (unsigned)sa;
        return sb < 0 ? ~(~b >> n) : b >> n;
    }
    case ISA_TYPED_I_SLT: return truth(sa < sb);
    case ISA_TYPED_I_SGE: return truth(sa >= sb);
    case ISA_TYPED_U_SLT: return truth(a < b);
    case ISA_TYPED_U_SGE: return truth(a >= b);
    case ISA_TYPED_I_SEQ: case ISA_TYPED_U_SEQ: return truth(a == b);
    case ISA_TYPED_I_SNE: case ISA_TYPED_U_SNE: return truth(a != b);
    case ISA_TYPED_F2I: return (uint32_t)ref_to_int(bits_to_float(x));
    case ISA_TYPED_F2U: return to_unsigned((double)bits_to_float(x));
    case ISA_TYPED_I2F: return bits_from_float((float)sx);
    default: return bits_from_float((float)x);               /* U2F */
    }
}

/* ---- u8x4 ---- */

/* n / 255 to nearest; a tie cannot be. */
static unsigned by_255(unsigned n) { return (2 * n + 255) / 510; }

static unsigned channel_op(unsigned row, unsigned a, unsigned b, unsigned x, unsigned d) {
    switch (row) {
    case ISA_TYPED_B_MOV: return x;
    case ISA_TYPED_B_ADD: return a + b < 255 ? a + b : 255;
    case ISA_TYPED_B_MUL: return by_255(a * b);
    case ISA_TYPED_B_MIN: return a < b ? a : b;
    case ISA_TYPED_B_MAX: return a > b ? a : b;
    case ISA_TYPED_B_MAD: return by_255(a * b) + d < 255 ? by_255(a * b) + d : 255;
    default: return by_255(a * b + (255 - a) * d);           /* LERP */
    }
}

static uint32_t packed_op(unsigned row, uint32_t a, uint32_t b, uint32_t x, uint32_t d) {
    uint32_t out = 0;
    for (unsigned k = 0; k < 32; k += 8) {
        unsigned v = row == ISA_TYPED_B_ALPHA ? x >> 24
                                              : channel_op(row, a >> k & 255u, b >> k & 255u, x >> k & 255u, d >> k & 255u);
        out |= (uint32_t)v << k;
    }
    return out;
}

uint32_t ref_pack_color(const uint32_t bits[4]) {
    uint32_t out = 0;
    for (unsigned k = 0; k < 4; k++) {
        float v = bits_to_float(bits[k]);
        v = v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f;
        out |= (uint32_t)ref_round(v * 255.0f) << 8 * k;
    }
    return out;
}

/* ---- Units ---- */

uint64_t ref_element_saturate(uint64_t bits, bool wide) {
    double v = wide ? as_double(bits) : (double)bits_to_float((uint32_t)bits);
    v = v > 0.0 ? (v < 1.0 ? v : 1.0) : 0.0;
    return wide ? double_bits(v) : bits_from_float((float)v);
}

uint64_t ref_element_op(unsigned row, uint64_t s0, uint64_t s1, uint64_t one, uint64_t d) {
    const struct isa_typed_info *t = &isa_typed_infos[row];
    if (row == ISA_TYPED_B2F) {
        return bits_from_float((float)(one >> 8 * d & 255u) * (1.0f / 255.0f));
    }
    if (t->dtype == ISA_TYPE_F64) {
        return double_op(row, s0, s1, one, d);
    }
    if (t->stype == ISA_TYPE_F64) {
        return from_double(row, as_double(s0), as_double(s1), as_double(one));
    }
    return t->dtype == ISA_TYPE_U8X4 ? packed_op(row, (uint32_t)s0, (uint32_t)s1, (uint32_t)one, (uint32_t)d)
                                     : integer_op(row, (uint32_t)s0, (uint32_t)s1, (uint32_t)one, (uint32_t)d);
}

static uint64_t result(const struct ref *r, int i, unsigned row, unsigned c, unsigned lane) {
    const struct isa_typed_info *t = &isa_typed_infos[row];
    const struct isa_unit *u = &r->inst.unit[i];
    unsigned own = u->kind == ISA_UNIT_SUB;
    if (row == ISA_TYPED_F2B) {
        uint32_t color[4];
        for (unsigned k = 0; k < 4; k++) {
            color[k] = (uint32_t)element(r, own, k, ISA_TYPE_F32, lane);
        }
        return ref_pack_color(color);
    }
    uint64_t e0 = element(r, 0, c, t->stype, lane), e1 = element(r, 1, c, t->stype, lane);
    return ref_element_op(row, e0, e1, own ? e1 : e0, row == ISA_TYPED_B2F ? c : dest_before(r, c, t->dtype, lane));
}

void ref_typed_results(const struct ref *r, int i, unsigned row, struct ref_write writes[4][4]) {
    unsigned mask = isa_unit_mask(&r->inst, i);
    bool wide = isa_typed_infos[row].dtype == ISA_TYPE_F64;
    for (unsigned c = 0; c < 4; c += wide ? 2 : 1) {
        for (unsigned lane = 0; (mask >> c & 1u) && lane < 4; lane++) {
            uint32_t comp = (uint32_t)ref_dest_of(r, 1, lane) * 4 + c;
            uint64_t v = result(r, i, row, c, lane);
            v = r->inst.unit[i].saturate ? ref_element_saturate(v, wide) : v;
            writes[c][lane] = (struct ref_write){ref_permitted(r, c, lane), comp, (uint32_t)v};
            if (wide) {
                writes[c + 1][lane] = (struct ref_write){ref_permitted(r, c + 1, lane), comp + 1, (uint32_t)(v >> 32)};
            }
        }
    }
}
