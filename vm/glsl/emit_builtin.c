/* SPDX-License-Identifier: MIT */
/*
 * Built-in functions as IR, by the formulas of the specification (GLSL ES 1.00.17 section 8). Undefined
 * cases have the values of the project's rules: normalize(0) = 0, pow(0, 0) = 1, atan(0, 0) = 0.
 */
#include <float.h>

#include "vm/base/mathconst.h"
#include "vm/glsl/emit.h"

#define DEGREES_PER_RADIAN 57.2957801818847656f
#define RADIANS_PER_DEGREE 0.0174532923847436905f

static struct ir_src length_of(struct ir_builder *b, struct ir_src a) {
    return a.comps == 1 ? ir_op1(b, IR_ABS, a) : ir_op1(b, IR_SQRT, ir_dot(b, a, a));
}

static struct ir_src dot_of(struct ir_builder *b, struct ir_src a, struct ir_src c) {
    return a.comps == 1 ? ir_op2(b, IR_MUL, a, c) : ir_dot(b, a, c);
}

static struct ir_src normalize(struct ir_builder *b, struct ir_src a) {
    if (a.comps == 1) {
        return ir_op1(b, IR_SSG, a);
    }
    /* 1 / |a| is infinite only for a = 0; made finite, 0 times it is 0. */
    struct ir_src scale = ir_op2(b, IR_MIN, ir_op1(b, IR_RSQ, ir_dot(b, a, a)), ir_float(b, FLT_MAX));
    return ir_op2(b, IR_MUL, a, scale);
}

static struct ir_src clamp(struct ir_builder *b, struct ir_src x, struct ir_src low, struct ir_src high) {
    return ir_op2(b, IR_MIN, ir_op2(b, IR_MAX, x, low), high);
}

static struct ir_src smoothstep(struct ir_builder *b, struct ir_src e0, struct ir_src e1, struct ir_src x) {
    struct ir_src t = ir_op2(b, IR_DIV, ir_sub(b, x, e0), ir_sub(b, e1, e0));
    t = clamp(b, t, ir_float(b, 0.0f), ir_float(b, 1.0f));
    struct ir_src slope = ir_sub(b, ir_float(b, 3.0f), ir_op2(b, IR_ADD, t, t));
    return ir_op2(b, IR_MUL, ir_op2(b, IR_MUL, t, t), slope);
}

static struct ir_src cross(struct ir_builder *b, struct ir_src x, struct ir_src y) {
    static const uint8_t yzx[4] = {1, 2, 0, 0}, zxy[4] = {2, 0, 1, 0};
    struct ir_src first = ir_op2(b, IR_MUL, ir_swizzle(x, 3, yzx), ir_swizzle(y, 3, zxy));
    struct ir_src second = ir_op2(b, IR_MUL, ir_swizzle(y, 3, yzx), ir_swizzle(x, 3, zxy));
    return ir_sub(b, first, second);
}

static struct ir_src refract(struct ir_builder *b, struct ir_src i, struct ir_src n, struct ir_src eta) {
    struct ir_src one = ir_float(b, 1.0f), zero = ir_float(b, 0.0f);
    struct ir_src d = dot_of(b, n, i);
    struct ir_src sine = ir_op2(b, IR_MUL, ir_op2(b, IR_MUL, eta, eta), ir_sub(b, one, ir_op2(b, IR_MUL, d, d)));
    struct ir_src k = ir_sub(b, one, sine);
    struct ir_src along = ir_op2(b, IR_ADD, ir_op2(b, IR_MUL, eta, d), ir_op1(b, IR_SQRT, k));
    struct ir_src bent = ir_sub(b, ir_op2(b, IR_MUL, i, eta), ir_op2(b, IR_MUL, n, along));
    return ir_op3(b, IR_SEL, ir_op2(b, IR_SLT, k, zero), zero, bent);
}

static struct ir_src mix(struct ir_builder *b, struct ir_src x, struct ir_src y, struct ir_src a) {
    struct ir_src rest = ir_sub(b, ir_float(b, 1.0f), a);
    return ir_op2(b, IR_ADD, ir_op2(b, IR_MUL, x, rest), ir_op2(b, IR_MUL, y, a));
}

static struct ir_src mod(struct ir_builder *b, struct ir_src x, struct ir_src y) {
    struct ir_src whole = ir_op1(b, IR_FLR, ir_op2(b, IR_DIV, x, y));
    return ir_sub(b, x, ir_op2(b, IR_MUL, y, whole));
}

static struct ir_src reflect(struct ir_builder *b, struct ir_src i, struct ir_src n) {
    struct ir_src d = dot_of(b, n, i);
    return ir_sub(b, i, ir_op2(b, IR_MUL, ir_op2(b, IR_ADD, d, d), n));
}

static struct ir_src fwidth(struct ir_builder *b, struct ir_src x) {
    return ir_op2(b, IR_ADD, ir_op1(b, IR_ABS, ir_op1(b, IR_DDX, x)), ir_op1(b, IR_ABS, ir_op1(b, IR_DDY, x)));
}

static struct ir_src expand1(struct ir_builder *b, unsigned op, struct ir_src x) {
    switch (op) {
    case GLSL_B_RADIANS: return ir_op2(b, IR_MUL, x, ir_float(b, RADIANS_PER_DEGREE));
    case GLSL_B_DEGREES: return ir_op2(b, IR_MUL, x, ir_float(b, DEGREES_PER_RADIAN));
    case GLSL_B_SIN: return ir_op1(b, IR_SIN, x);
    case GLSL_B_COS: return ir_op1(b, IR_COS, x);
    case GLSL_B_TAN: return glsl_emit_tan(b, x);
    case GLSL_B_ASIN: return glsl_emit_asin(b, x);
    case GLSL_B_ACOS: return glsl_emit_acos(b, x);
    case GLSL_B_ATAN: return glsl_emit_atan(b, x);
    case GLSL_B_EXP: return ir_op1(b, IR_EX2, ir_op2(b, IR_MUL, x, ir_float(b, MATH_LOG2_E)));
    case GLSL_B_LOG: return ir_op2(b, IR_MUL, ir_op1(b, IR_LG2, x), ir_float(b, MATH_LN_2));
    case GLSL_B_EXP2: return ir_op1(b, IR_EX2, x);
    case GLSL_B_LOG2: return ir_op1(b, IR_LG2, x);
    case GLSL_B_SQRT: return ir_op1(b, IR_SQRT, x);
    case GLSL_B_INVERSESQRT: return ir_op1(b, IR_RSQ, x);
    case GLSL_B_ABS: return ir_op1(b, IR_ABS, x);
    case GLSL_B_SIGN: return ir_op1(b, IR_SSG, x);
    case GLSL_B_FLOOR: return ir_op1(b, IR_FLR, x);
    case GLSL_B_CEIL: return ir_op1(b, IR_CEIL, x);
    case GLSL_B_FRACT: return ir_op1(b, IR_FRC, x);
    case GLSL_B_LENGTH: return length_of(b, x);
    case GLSL_B_NORMALIZE: return normalize(b, x);
    case GLSL_B_ANY: return glsl_emit_any(b, x);
    case GLSL_B_ALL: return glsl_emit_all(b, x);
    case GLSL_B_NOT: return ir_op1(b, IR_NOT, x);
    case GLSL_B_DFDX: return ir_op1(b, IR_DDX, x);
    case GLSL_B_DFDY: return ir_op1(b, IR_DDY, x);
    default: return fwidth(b, x);
    }
}

static struct ir_src expand2(struct ir_builder *b, unsigned op, struct ir_src x, struct ir_src y) {
    switch (op) {
    case GLSL_B_ATAN2: return glsl_emit_atan2(b, x, y);
    case GLSL_B_POW: return glsl_emit_pow(b, x, y);
    case GLSL_B_MOD: return mod(b, x, y);
    case GLSL_B_MIN: return ir_op2(b, IR_MIN, y, x); /* y < x ? y : x */
    case GLSL_B_MAX: return ir_op2(b, IR_MAX, y, x); /* x < y ? y : x */
    case GLSL_B_STEP: return ir_op2(b, IR_SGE, y, x);
    case GLSL_B_DISTANCE: return length_of(b, ir_sub(b, x, y));
    case GLSL_B_DOT: return dot_of(b, x, y);
    case GLSL_B_CROSS: return cross(b, x, y);
    case GLSL_B_REFLECT: return reflect(b, x, y);
    case GLSL_B_LESS: return ir_op2(b, IR_SLT, x, y);
    case GLSL_B_LESS_EQUAL: return ir_op2(b, IR_SGE, y, x);
    case GLSL_B_GREATER: return ir_op2(b, IR_SLT, y, x);
    case GLSL_B_GREATER_EQUAL: return ir_op2(b, IR_SGE, x, y);
    case GLSL_B_EQUAL: return ir_op2(b, IR_SEQ, x, y);
    case GLSL_B_NOT_EQUAL: return ir_op2(b, IR_SNE, x, y);
    default: return ir_op2(b, IR_MUL, x, y); /* a column of matrixCompMult */
    }
}

static struct ir_src expand3(struct ir_builder *b, unsigned op, struct ir_src x, struct ir_src y, struct ir_src z) {
    switch (op) {
    case GLSL_B_CLAMP: return clamp(b, x, y, z);
    case GLSL_B_MIX: return mix(b, x, y, z);
    case GLSL_B_SMOOTHSTEP: return smoothstep(b, x, y, z);
    case GLSL_B_FACEFORWARD:
        return ir_op3(b, IR_SEL, ir_op2(b, IR_SLT, dot_of(b, z, y), ir_float(b, 0.0f)), x, ir_neg(x));
    default: return refract(b, x, y, z);
    }
}

void glsl_emit_builtin(struct ir_builder *b, const struct glsl_builtin *builtin,
                       const struct glsl_type *const *types, const struct ir_src *const *args,
                       struct ir_src *out) {
    unsigned count = 0;
    if (types[0]->kind == GLSL_DOUBLE) {
        glsl_emit_double_builtin(b, builtin, types, args, out);
        return;
    }
    while (builtin->signature[2 + count]) {
        count++;
    }
    if (count == 1) {
        out[0] = expand1(b, builtin->op, args[0][0]);
    } else if (count == 2) {
        for (uint32_t i = 0; i < types[0]->slots; i++) {
            out[i] = expand2(b, builtin->op, args[0][i], args[1][i]);
        }
    } else {
        out[0] = expand3(b, builtin->op, args[0][0], args[1][0], args[2][0]);
    }
}
