/* SPDX-License-Identifier: MIT */
/*
 * Functions that are no VM operation, expanded by the formulas of vm/base/mathconst.h (which says the
 * accuracy): the sequences here and there must stay the same. All work on vectors, component by component.
 */
#include "vm/base/mathconst.h"
#include "vm/glsl/emit.h"

static struct ir_src mul(struct ir_builder *b, struct ir_src a, struct ir_src c) { return ir_op2(b, IR_MUL, a, c); }
static struct ir_src add(struct ir_builder *b, struct ir_src a, struct ir_src c) { return ir_op2(b, IR_ADD, a, c); }

static struct ir_src madd(struct ir_builder *b, struct ir_src a, struct ir_src c, struct ir_src d) {
    return add(b, mul(b, a, c), d);
}

static struct ir_src sel(struct ir_builder *b, struct ir_src cond, struct ir_src a, struct ir_src c) {
    return ir_op3(b, IR_SEL, cond, a, c);
}

/* Horner: C0 + z * (C1 + z * (...)) */
static struct ir_src polynomial(struct ir_builder *b, const float *coefs, unsigned count, struct ir_src z) {
    struct ir_src p = ir_float(b, coefs[count - 1]);
    for (unsigned i = count - 1; i-- > 0;) {
        p = madd(b, p, z, ir_float(b, coefs[i]));
    }
    return p;
}

struct ir_src glsl_emit_tan(struct ir_builder *b, struct ir_src x) {
    return ir_op2(b, IR_DIV, ir_op1(b, IR_SIN, x), ir_op1(b, IR_COS, x));
}

struct arc {
    struct ir_src big, p;
};

/* The common part of asin and acos. */
static struct arc arc_core(struct ir_builder *b, struct ir_src x) {
    static const float coefs[MATH_ASIN_COUNT] = MATH_ASIN_COEFS;
    struct ir_src half = ir_float(b, 0.5f);
    struct ir_src a = ir_op1(b, IR_ABS, x);
    struct arc arc;
    arc.big = ir_op2(b, IR_SLT, half, a);
    struct ir_src zb = mul(b, ir_sub(b, ir_float(b, 1.0f), a), half);
    struct ir_src z = sel(b, arc.big, zb, mul(b, x, x));
    struct ir_src s = sel(b, arc.big, ir_op1(b, IR_SQRT, zb), x);
    arc.p = madd(b, mul(b, z, polynomial(b, coefs, MATH_ASIN_COUNT, z)), s, s);
    return arc;
}

struct ir_src glsl_emit_asin(struct ir_builder *b, struct ir_src x) {
    struct arc arc = arc_core(b, x);
    struct ir_src h = ir_sub(b, ir_float(b, MATH_PI_2), add(b, arc.p, arc.p));
    struct ir_src negative = ir_op2(b, IR_SLT, x, ir_float(b, 0.0f));
    return sel(b, arc.big, sel(b, negative, ir_neg(h), h), arc.p);
}

struct ir_src glsl_emit_acos(struct ir_builder *b, struct ir_src x) {
    struct arc arc = arc_core(b, x);
    struct ir_src d = add(b, arc.p, arc.p);
    struct ir_src negative = ir_op2(b, IR_SLT, x, ir_float(b, 0.0f));
    struct ir_src outer = sel(b, negative, ir_sub(b, ir_float(b, MATH_PI), d), d);
    return sel(b, arc.big, outer, ir_sub(b, ir_float(b, MATH_PI_2), arc.p));
}

/* t + t * z * ATAN(z), z = t * t, for |t| <= 1 */
static struct ir_src atan_core(struct ir_builder *b, struct ir_src t) {
    static const float coefs[MATH_ATAN_COUNT] = MATH_ATAN_COEFS;
    struct ir_src z = mul(b, t, t);
    return madd(b, mul(b, z, polynomial(b, coefs, MATH_ATAN_COUNT, z)), t, t);
}

struct ir_src glsl_emit_atan(struct ir_builder *b, struct ir_src x) {
    struct ir_src one = ir_float(b, 1.0f), quarter = ir_float(b, MATH_PI_2);
    struct ir_src big = ir_op2(b, IR_SLT, one, ir_op1(b, IR_ABS, x));
    struct ir_src p = atan_core(b, sel(b, big, ir_op2(b, IR_DIV, one, x), x));
    struct ir_src negative = ir_op2(b, IR_SLT, x, ir_float(b, 0.0f));
    struct ir_src end = sel(b, negative, ir_neg(quarter), quarter);
    return sel(b, big, ir_sub(b, end, p), p);
}

struct ir_src glsl_emit_atan2(struct ir_builder *b, struct ir_src y, struct ir_src x) {
    struct ir_src zero = ir_float(b, 0.0f);
    struct ir_src ax = ir_op1(b, IR_ABS, x), ay = ir_op1(b, IR_ABS, y);
    struct ir_src swap = ir_op2(b, IR_SLT, ax, ay);
    struct ir_src lo = ir_op2(b, IR_MIN, ax, ay);
    struct ir_src hi = ir_op2(b, IR_MAX, ir_op2(b, IR_MAX, ax, ay), ir_float(b, MATH_FLT_MIN));
    struct ir_src p = atan_core(b, ir_op2(b, IR_DIV, lo, hi));
    struct ir_src r = sel(b, swap, ir_sub(b, ir_float(b, MATH_PI_2), p), p);
    r = sel(b, ir_op2(b, IR_SLT, x, zero), ir_sub(b, ir_float(b, MATH_PI), r), r);
    return sel(b, ir_op2(b, IR_SLT, y, zero), ir_neg(r), r);
}

/* The literal 1, 2, 3, 4 or 5 in every component, else 0. */
static unsigned small_power(struct ir_src y) {
    for (unsigned n = 1; n <= 5; n++) {
        if (ir_src_is_const(y, (float)n)) {
            return n;
        }
    }
    return 0;
}

/* Small whole powers are products: nearer than 2^(y log2 x), quicker, and right for negative x too, which the
   specification leaves undefined but many a shader counts on. */
struct ir_src glsl_emit_pow(struct ir_builder *b, struct ir_src x, struct ir_src y) {
    unsigned n = small_power(y);
    if (n) {
        struct ir_src square = n > 1 ? mul(b, x, x) : x;
        struct ir_src even = n > 3 ? mul(b, square, square) : square;
        return n % 2 && n > 1 ? mul(b, even, x) : even;
    }
    struct ir_src power = ir_op1(b, IR_EX2, mul(b, y, ir_op1(b, IR_LG2, x)));
    return sel(b, y, power, ir_float(b, 1.0f)); /* pow(0, 0) = 1 */
}
