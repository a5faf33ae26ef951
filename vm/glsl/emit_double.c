/* SPDX-License-Identifier: MIT */
/*
 * Doubles (GL_VLGL_fp64) as IR: operators, constructors and built-in functions on slots of two words, one for each
 * component. Every operation is one of IEEE 754's, in the order in which the float versions compute.
 */
#include <float.h>
#include <string.h>

#include "vm/glsl/emit.h"

static struct ir_src op1(struct ir_builder *b, enum ir_op op, struct ir_src a) { return ir_double_op(b, op, &a, 1); }
static struct ir_src op2(struct ir_builder *b, enum ir_op op, struct ir_src a, struct ir_src c) {
    const struct ir_src args[2] = {a, c};
    return ir_double_op(b, op, args, 2);
}
static struct ir_src sub(struct ir_builder *b, struct ir_src a, struct ir_src c) {
    return op2(b, IR_DADD, a, op1(b, IR_DNEG, c));
}

void glsl_emit_double_swizzle(const struct ir_src *a, unsigned count, const uint8_t *swz, struct ir_src *out) {
    for (unsigned i = 0; i < count; i++) {
        out[i] = a[swz[i]];
    }
}

struct ir_src glsl_emit_double_step(struct ir_builder *b, struct ir_src a, bool up) {
    return op2(b, IR_DADD, a, ir_double(b, up ? 1.0 : -1.0));
}

/* ((a0 c0 + a1 c1) + a2 c2) + a3 c3, strides in slots */
static struct ir_src sum_of_products(struct ir_builder *b, unsigned n, const struct ir_src *a, unsigned step_a,
                                     const struct ir_src *c, unsigned step_c) {
    struct ir_src sum = op2(b, IR_DMUL, a[0], c[0]);
    for (unsigned i = 1; i < n; i++) {
        sum = op2(b, IR_DADD, sum, op2(b, IR_DMUL, a[i * step_a], c[i * step_c]));
    }
    return sum;
}

/* ---- operators ------------------------------------------------------------------------------------- */

static struct ir_src arithmetic(struct ir_builder *b, unsigned op, struct ir_src a, struct ir_src c) {
    switch (op) {
    case GLSL_T_PLUS: return op2(b, IR_DADD, a, c);
    case GLSL_T_MINUS: return sub(b, a, c);
    case GLSL_T_STAR: return op2(b, IR_DMUL, a, c);
    default: return op2(b, IR_DDIV, a, c);
    }
}

/* Matrices are slots, column after column. 'out' is none of the operands. */
static void linear_product(struct ir_builder *b, const struct glsl_type *ta, const struct ir_src *a,
                           const struct glsl_type *tc, const struct ir_src *c, struct ir_src *out) {
    unsigned n = ta->rows;
    if (ta->cols == 1) {              /* vector * matrix: a row vector */
        for (unsigned col = 0; col < n; col++) {
            out[col] = sum_of_products(b, n, a, 1, c + col * n, 1);
        }
        return;
    }
    for (unsigned col = 0; col < tc->cols; col++) {
        for (unsigned row = 0; row < n; row++) {
            out[col * n + row] = sum_of_products(b, n, a + row, n, c + col * n, 1);
        }
    }
}

void glsl_emit_double_binary(struct ir_builder *b, unsigned op, const struct glsl_type *ta, const struct ir_src *a,
                             const struct glsl_type *tc, const struct ir_src *c, struct ir_src *out) {
    switch (op) {
    case GLSL_T_LT: out[0] = op2(b, IR_DSLT, a[0], c[0]); return;
    case GLSL_T_GT: out[0] = op2(b, IR_DSLT, c[0], a[0]); return;
    case GLSL_T_GE: out[0] = op2(b, IR_DSGE, a[0], c[0]); return;
    case GLSL_T_LE: out[0] = op2(b, IR_DSGE, c[0], a[0]); return;
    default: break;
    }
    if (op == GLSL_T_STAR && (ta->cols > 1 || tc->cols > 1) && ta->slots > 1 && tc->slots > 1) {
        linear_product(b, ta, a, tc, c, out);
        return;
    }
    uint32_t slots = ta->slots > tc->slots ? ta->slots : tc->slots;
    for (uint32_t i = 0; i < slots; i++) {
        out[i] = arithmetic(b, op, a[ta->slots > 1 ? i : 0], c[tc->slots > 1 ? i : 0]);
    }
}

/* ---- constructors ---------------------------------------------------------------------------------- */

/* One component as one of another kind. */
static struct ir_src convert(struct ir_builder *b, uint8_t to, uint8_t from, struct ir_src a) {
    if (from != GLSL_DOUBLE) {
        if (to == GLSL_DOUBLE) {
            return op1(b, IR_F2D, a);
        }
        return to == GLSL_BOOL && from != GLSL_BOOL     ? ir_op2(b, IR_SNE, a, ir_float(b, 0.0f))
               : to == GLSL_INT && from == GLSL_FLOAT ? ir_op1(b, IR_TRUNC, a)
                                                      : a;
    }
    switch (to) {
    case GLSL_BOOL: return op2(b, IR_DSNE, a, ir_double(b, 0.0));
    case GLSL_INT: return op1(b, IR_D2F, op1(b, IR_DTRUNC, a));
    case GLSL_FLOAT: return op1(b, IR_D2F, a);
    default: return a;
    }
}

/* Component number 'at' of an argument. */
static struct ir_src component(const struct glsl_type *type, const struct ir_src *slots, unsigned at) {
    return type->kind == GLSL_DOUBLE ? slots[at] : ir_comp(slots[at / type->rows], at % type->rows);
}

static void put(struct ir_builder *b, const struct glsl_type *type, const struct ir_src *parts, struct ir_src *out) {
    for (uint32_t i = 0; i < type->slots; i++) {
        out[i] = type->kind == GLSL_DOUBLE ? parts[i]
                 : type->rows == 1         ? parts[i]
                                           : ir_vec(b, type->rows, parts + i * type->rows);
    }
}

bool glsl_emit_double_construct(struct ir_builder *b, const struct glsl_type *type, uint32_t count,
                                const struct glsl_type *const *types, const struct ir_src *const *args,
                                struct ir_src *out) {
    bool any = type->kind == GLSL_DOUBLE;
    for (uint32_t i = 0; i < count; i++) {
        any = any || types[i]->kind == GLSL_DOUBLE;
    }
    if (!any) {
        return false;
    }
    struct ir_src parts[16];
    unsigned n = type->rows, need = type->components, have = 0;
    bool diagonal = count == 1 && types[0]->components == 1 && type->cols > 1;
    bool resized = count == 1 && type->cols > 1 && types[0]->cols > 1;
    if (diagonal || resized) {
        struct ir_src one = type->kind == GLSL_DOUBLE ? ir_double(b, 1.0) : ir_float(b, 1.0f);
        struct ir_src zero = type->kind == GLSL_DOUBLE ? ir_double(b, 0.0) : ir_float(b, 0.0f);
        struct ir_src value = resized ? one : convert(b, type->kind, types[0]->kind, args[0][0]);
        unsigned old = resized ? types[0]->rows : 0;
        for (unsigned i = 0; i < need; i++) {
            unsigned col = i / n, row = i % n;
            parts[i] = col < old && row < old
                           ? convert(b, type->kind, types[0]->kind, component(types[0], args[0], col * old + row))
                           : col == row ? value : zero;
        }
    } else if (count == 1 && types[0]->components == 1) {
        parts[0] = convert(b, type->kind, types[0]->kind, args[0][0]);
        for (unsigned i = 1; i < need; i++) {
            parts[i] = parts[0];
        }
    } else {
        for (uint32_t i = 0; i < count; i++) {
            for (unsigned k = 0; k < types[i]->components && have < need; k++) {
                parts[have++] = convert(b, type->kind, types[i]->kind, component(types[i], args[i], k));
            }
        }
    }
    put(b, type, parts, out);
    return true;
}

/* ---- built-in functions ------------------------------------------------------------------------------ */

static struct ir_src dot(struct ir_builder *b, unsigned n, const struct ir_src *x, const struct ir_src *y) {
    return sum_of_products(b, n, x, 1, y, 1);
}

static struct ir_src length_of(struct ir_builder *b, unsigned n, const struct ir_src *x) {
    return n == 1 ? op1(b, IR_DABS, x[0]) : op1(b, IR_DSQRT, dot(b, n, x, x));
}

static struct ir_src mix(struct ir_builder *b, struct ir_src x, struct ir_src y, struct ir_src a) {
    struct ir_src rest = sub(b, ir_double(b, 1.0), a);
    return op2(b, IR_DADD, op2(b, IR_DMUL, x, rest), op2(b, IR_DMUL, y, a));
}

static struct ir_src mod(struct ir_builder *b, struct ir_src x, struct ir_src y) {
    return sub(b, x, op2(b, IR_DMUL, y, op1(b, IR_DFLR, op2(b, IR_DDIV, x, y))));
}

/* y < x ? y : x and x < y ? y : x, as the specification words them. */
static struct ir_src least(struct ir_builder *b, struct ir_src x, struct ir_src y) { return op2(b, IR_DMIN, y, x); }
static struct ir_src most(struct ir_builder *b, struct ir_src x, struct ir_src y) { return op2(b, IR_DMAX, y, x); }

static struct ir_src clamp(struct ir_builder *b, struct ir_src x, struct ir_src low, struct ir_src high) {
    return op2(b, IR_DMIN, op2(b, IR_DMAX, x, low), high);
}

static struct ir_src each(struct ir_builder *b, unsigned op, struct ir_src x, struct ir_src y, struct ir_src z) {
    const struct ir_src three[3] = {x, y, z};
    switch (op) {
    case GLSL_B_ABS: return op1(b, IR_DABS, x);
    case GLSL_B_SIGN: return op1(b, IR_DSSG, x);
    case GLSL_B_FLOOR: return op1(b, IR_DFLR, x);
    case GLSL_B_CEIL: return op1(b, IR_DCEIL, x);
    case GLSL_B_TRUNC: return op1(b, IR_DTRUNC, x);
    case GLSL_B_FRACT: return op1(b, IR_DFRC, x);
    case GLSL_B_SQRT: return op1(b, IR_DSQRT, x);
    case GLSL_B_INVERSESQRT: return op1(b, IR_DRSQ, x);
    case GLSL_B_MOD: return mod(b, x, y);
    case GLSL_B_MIN: return least(b, x, y);
    case GLSL_B_MAX: return most(b, x, y);
    case GLSL_B_STEP: return op1(b, IR_F2D, op2(b, IR_DSGE, y, x));
    case GLSL_B_CLAMP: return clamp(b, x, y, z);
    case GLSL_B_MIX: return mix(b, x, y, z);
    case GLSL_B_FMA: return ir_double_op(b, IR_DFMA, three, 3);
    default: return op2(b, IR_DMUL, x, y);      /* matrixCompMult */
    }
}

static struct ir_src relation(struct ir_builder *b, unsigned op, struct ir_src x, struct ir_src y) {
    switch (op) {
    case GLSL_B_LESS: return op2(b, IR_DSLT, x, y);
    case GLSL_B_LESS_EQUAL: return op2(b, IR_DSGE, y, x);
    case GLSL_B_GREATER: return op2(b, IR_DSLT, y, x);
    case GLSL_B_GREATER_EQUAL: return op2(b, IR_DSGE, x, y);
    case GLSL_B_EQUAL: return op2(b, IR_DSEQ, x, y);
    default: return op2(b, IR_DSNE, x, y);
    }
}

static void normalize(struct ir_builder *b, unsigned n, const struct ir_src *x, struct ir_src *out) {
    if (n == 1) {
        out[0] = op1(b, IR_DSSG, x[0]);
        return;
    }
    /* As for floats: 1 / |x| is infinite only for 0; made finite, 0 times it is 0. */
    struct ir_src scale = op2(b, IR_DMIN, op1(b, IR_DRSQ, dot(b, n, x, x)), ir_double(b, DBL_MAX));
    for (unsigned i = 0; i < n; i++) {
        out[i] = op2(b, IR_DMUL, x[i], scale);
    }
}

static void cross(struct ir_builder *b, const struct ir_src *x, const struct ir_src *y, struct ir_src *out) {
    for (unsigned i = 0; i < 3; i++) {
        unsigned j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = sub(b, op2(b, IR_DMUL, x[j], y[k]), op2(b, IR_DMUL, y[j], x[k]));
    }
}

void glsl_emit_double_builtin(struct ir_builder *b, const struct glsl_builtin *builtin,
                              const struct glsl_type *const *types, const struct ir_src *const *args,
                              struct ir_src *out) {
    unsigned n = types[0]->slots, count = (unsigned)strlen(builtin->signature) - 2;
    struct ir_src parts[4];
    switch (builtin->op) {
    case GLSL_B_DOT: out[0] = dot(b, n, args[0], args[1]); return;
    case GLSL_B_LENGTH: out[0] = length_of(b, n, args[0]); return;
    case GLSL_B_NORMALIZE: normalize(b, n, args[0], out); return;
    case GLSL_B_CROSS: cross(b, args[0], args[1], out); return;
    case GLSL_B_DISTANCE:
        for (unsigned i = 0; i < n; i++) {
            parts[i] = sub(b, args[0][i], args[1][i]);
        }
        out[0] = length_of(b, n, parts);
        return;
    case GLSL_B_LESS: case GLSL_B_LESS_EQUAL: case GLSL_B_GREATER: case GLSL_B_GREATER_EQUAL: case GLSL_B_EQUAL:
    case GLSL_B_NOT_EQUAL:
        for (unsigned i = 0; i < n; i++) {
            parts[i] = relation(b, builtin->op, args[0][i], args[1][i]);
        }
        out[0] = ir_vec(b, n, parts);
        return;
    default: break;
    }
    for (unsigned k = 1; k < count; k++) {
        n = types[k]->slots > n ? types[k]->slots : n;
    }
    for (unsigned i = 0; i < n; i++) {      /* a scalar beside vectors goes with each component */
        struct ir_src one[3];
        for (unsigned k = 0; k < 3; k++) {
            unsigned from = k < count ? k : 0;
            one[k] = args[from][types[from]->slots > 1 ? i : 0];
        }
        out[i] = each(b, builtin->op, one[0], one[1], one[2]);
    }
}
