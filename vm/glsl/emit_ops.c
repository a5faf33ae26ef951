/* SPDX-License-Identifier: MIT */
/*
 * Operators and constructors as IR. Integers are floats that hold whole numbers, booleans 1.0 and 0.0;
 * an integer division truncates. SPEC: GLSL ES 1.00.17 sections 5.4 and 5.9 to 5.11.
 */
#include <string.h>

#include "vm/glsl/emit.h"

static struct ir_src low_half(struct ir_src a) {
    static const uint8_t xy[4] = {0, 1, 0, 0};
    return ir_swizzle(a, 2, xy);
}

static struct ir_src high_half(struct ir_src a) {
    static const uint8_t zw[4] = {2, 3, 0, 0};
    return ir_swizzle(a, 2, zw);
}

/* op over all components, in halves. */
static struct ir_src reduce(struct ir_builder *b, enum ir_op op, struct ir_src a) {
    if (a.comps == 4) {
        a = ir_op2(b, op, low_half(a), high_half(a));
    } else if (a.comps == 3) {
        struct ir_src two = ir_op2(b, op, ir_comp(a, 0), ir_comp(a, 1));
        return ir_op2(b, op, two, ir_comp(a, 2));
    }
    return a.comps == 2 ? ir_op2(b, op, ir_comp(a, 0), ir_comp(a, 1)) : a;
}

struct ir_src glsl_emit_all(struct ir_builder *b, struct ir_src a) { return reduce(b, IR_MUL, a); }

struct ir_src glsl_emit_any(struct ir_builder *b, struct ir_src a) { return reduce(b, IR_MAX, a); }

struct ir_src glsl_emit_pick(struct ir_builder *b, struct ir_src a, struct ir_src index) {
    static const float numbers[4] = {0.0f, 1.0f, 2.0f, 3.0f};
    struct ir_src is = ir_op2(b, IR_SEQ, ir_splat(index, a.comps), ir_const(b, a.comps, numbers));
    struct ir_src out = ir_comp(a, 0);
    for (unsigned i = 1; i < a.comps; i++) {
        out = ir_op3(b, IR_SEL, ir_comp(is, i), ir_comp(a, i), out);
    }
    return out;
}

void glsl_emit_unary(struct ir_builder *b, unsigned op, const struct glsl_type *type, const struct ir_src *a,
                     struct ir_src *out) {
    for (uint32_t i = 0; i < type->slots; i++) {
        out[i] = op == GLSL_T_MINUS && type->kind == GLSL_DOUBLE ? ir_double_op(b, IR_DNEG, &a[i], 1)
                 : op == GLSL_T_MINUS ? ir_neg(a[i]) : op == GLSL_T_BANG ? ir_op1(b, IR_NOT, a[i]) : a[i];
    }
}

static struct ir_src arithmetic(struct ir_builder *b, unsigned op, bool whole, struct ir_src a, struct ir_src c) {
    switch (op) {
    case GLSL_T_PLUS: return ir_op2(b, IR_ADD, a, c);
    case GLSL_T_MINUS: return ir_sub(b, a, c);
    case GLSL_T_STAR: return ir_op2(b, IR_MUL, a, c);
    default: {
        struct ir_src quotient = ir_op2(b, IR_DIV, a, c);
        return whole ? ir_op1(b, IR_TRUNC, quotient) : quotient;
    }
    }
}

/* m * v: ((m[0] * v.x + m[1] * v.y) + m[2] * v.z) + m[3] * v.w */
static struct ir_src matrix_vector(struct ir_builder *b, unsigned size, const struct ir_src *m, struct ir_src v) {
    struct ir_src sum = ir_op2(b, IR_MUL, m[0], ir_splat(v, size));
    for (unsigned i = 1; i < size; i++) {
        struct ir_src product = ir_op2(b, IR_MUL, m[i], ir_splat(ir_comp(v, i), size));
        sum = ir_op2(b, IR_ADD, sum, product);
    }
    return sum;
}

static void linear_product(struct ir_builder *b, const struct glsl_type *ta, const struct ir_src *a,
                           const struct glsl_type *tc, const struct ir_src *c, struct ir_src *out) {
    unsigned size = ta->rows;
    if (tc->cols == 1) { /* matrix * vector */
        out[0] = matrix_vector(b, size, a, c[0]);
    } else if (ta->cols == 1) { /* vector * matrix: a row vector */
        struct ir_src dots[4];
        for (unsigned i = 0; i < size; i++) {
            dots[i] = ir_dot(b, a[0], c[i]);
        }
        out[0] = ir_vec(b, size, dots);
    } else {
        struct ir_src product[4];
        for (unsigned i = 0; i < size; i++) {
            product[i] = matrix_vector(b, size, a, c[i]);
        }
        memcpy(out, product, size * sizeof *out);
    }
}

static struct ir_src slots_equal(struct ir_builder *b, const struct glsl_type *type, uint32_t slot,
                                 const struct ir_src *a, const struct ir_src *c) {
    const struct ir_src pair[2] = {a[slot], c[slot]};
    return glsl_type_of_slot(type, slot)->kind == GLSL_DOUBLE ? ir_double_op(b, IR_DSEQ, pair, 2)
                                                              : glsl_emit_all(b, ir_op2(b, IR_SEQ, pair[0], pair[1]));
}

static struct ir_src equality(struct ir_builder *b, const struct glsl_type *type, const struct ir_src *a,
                              const struct ir_src *c) {
    struct ir_src equal = slots_equal(b, type, 0, a, c);
    for (uint32_t i = 1; i < type->slots; i++) {
        equal = ir_op2(b, IR_MUL, equal, slots_equal(b, type, i, a, c));
    }
    return equal;
}

void glsl_emit_binary(struct ir_builder *b, unsigned op, const struct glsl_type *ta, const struct ir_src *a,
                      const struct glsl_type *tc, const struct ir_src *c, struct ir_src *out) {
    if (ta->kind == GLSL_DOUBLE && op != GLSL_T_EQ && op != GLSL_T_NE) {
        glsl_emit_double_binary(b, op, ta, a, tc, c, out);
        return;
    }
    switch (op) {
    case GLSL_T_LT: out[0] = ir_op2(b, IR_SLT, a[0], c[0]); return;
    case GLSL_T_GT: out[0] = ir_op2(b, IR_SLT, c[0], a[0]); return;
    case GLSL_T_GE: out[0] = ir_op2(b, IR_SGE, a[0], c[0]); return;
    case GLSL_T_LE: out[0] = ir_op2(b, IR_SGE, c[0], a[0]); return;
    case GLSL_T_EQ: out[0] = equality(b, ta, a, c); return;
    case GLSL_T_NE:
        out[0] = ta->components == 1 && ta->kind != GLSL_DOUBLE && ta->kind != GLSL_STRUCT
                     ? ir_op2(b, IR_SNE, a[0], c[0])
                     : ir_op1(b, IR_NOT, equality(b, ta, a, c));
        return;
    case GLSL_T_AND_AND: out[0] = ir_op2(b, IR_MUL, a[0], c[0]); return;
    case GLSL_T_OR_OR: out[0] = ir_op2(b, IR_MAX, a[0], c[0]); return;
    case GLSL_T_XOR_XOR: out[0] = ir_op2(b, IR_SNE, a[0], c[0]); return;
    default: break;
    }
    bool matrix = ta->cols > 1 || tc->cols > 1;
    if (op == GLSL_T_STAR && matrix && ta->components > 1 && tc->components > 1) {
        linear_product(b, ta, a, tc, c, out);
        return;
    }
    uint32_t slots = ta->slots > tc->slots ? ta->slots : tc->slots;
    for (uint32_t i = 0; i < slots; i++) {
        out[i] = arithmetic(b, op, ta->kind == GLSL_INT, a[ta->slots > 1 ? i : 0], c[tc->slots > 1 ? i : 0]);
    }
}

/* ---- constructors --------------------------------------------------------------------------------- */

static struct ir_src convert(struct ir_builder *b, uint8_t to, uint8_t from, struct ir_src a) {
    if (to == GLSL_BOOL && from != GLSL_BOOL) {
        return ir_op2(b, IR_SNE, a, ir_float(b, 0.0f));
    }
    return to == GLSL_INT && from == GLSL_FLOAT ? ir_op1(b, IR_TRUNC, a) : a;
}

/* A vector of single components: a swizzle where they all come from one value, as vec2(v.y, v.x). */
static struct ir_src gather(struct ir_builder *b, unsigned count, const struct ir_src *parts) {
    struct ir_src out = parts[0];
    bool same = true;
    out.comps = (uint8_t)count;
    for (unsigned i = 0; i < count; i++) {
        same &= parts[i].def == parts[0].def && parts[i].neg == parts[0].neg;
        out.swz[i] = parts[i].swz[0];
    }
    return count == 1 || same ? out : ir_vec(b, count, parts);
}

static void construct_diagonal(struct ir_builder *b, unsigned size, struct ir_src value, struct ir_src *out) {
    struct ir_src zero = ir_float(b, 0.0f), parts[4];
    for (unsigned c = 0; c < size; c++) {
        for (unsigned r = 0; r < size; r++) {
            parts[r] = r == c ? value : zero;
        }
        out[c] = ir_vec(b, size, parts);
    }
}

/* A matrix of another size: the common part, and the unit matrix around it. */
static void construct_resized(struct ir_builder *b, unsigned size, unsigned old, const struct ir_src *m,
                              struct ir_src *out) {
    struct ir_src zero = ir_float(b, 0.0f), one = ir_float(b, 1.0f), parts[4];
    for (unsigned c = 0; c < size; c++) {
        for (unsigned r = 0; r < size; r++) {
            parts[r] = c < old && r < old ? ir_comp(m[c], r) : r == c ? one : zero;
        }
        out[c] = gather(b, size, parts);
    }
}

void glsl_emit_construct(struct ir_builder *b, const struct glsl_type *type, uint32_t count,
                         const struct glsl_type *const *types, const struct ir_src *const *args,
                         struct ir_src *out) {
    if (type->kind == GLSL_STRUCT) {
        for (uint32_t i = 0; i < count; i++) {
            memcpy(out + type->record->fields[i].first_slot, args[i], types[i]->slots * sizeof *out);
        }
        return;
    }
    if (glsl_emit_double_construct(b, type, count, types, args, out)) {
        return;
    }
    if (count == 1 && types[0]->components == 1) {
        struct ir_src value = convert(b, type->kind, types[0]->kind, args[0][0]);
        if (type->cols > 1) {
            construct_diagonal(b, type->rows, value, out);
        } else {
            out[0] = ir_splat(value, type->rows);
        }
        return;
    }
    if (type->cols > 1 && types[0]->cols > 1) {
        construct_resized(b, type->rows, types[0]->rows, args[0], out);
        return;
    }
    struct ir_src parts[16];
    uint32_t have = 0, need = type->components;
    for (uint32_t i = 0; i < count && have < need; i++) {
        for (uint32_t s = 0; s < types[i]->slots && have < need; s++) {
            struct ir_src slot = args[i][s];
            if (have + slot.comps > need) {
                slot.comps = (uint8_t)(need - have); /* what is not used is not converted either */
            }
            slot = convert(b, type->kind, types[i]->kind, slot);
            for (unsigned k = 0; k < slot.comps; k++) {
                parts[have++] = ir_comp(slot, k);
            }
        }
    }
    for (uint32_t s = 0; s < type->slots; s++) {
        out[s] = gather(b, type->rows, parts + s * type->rows);
    }
}
