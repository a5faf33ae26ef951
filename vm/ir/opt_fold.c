/* SPDX-License-Identifier: MIT */
/*
 * Constant folding with the VM's own arithmetic: vm/base/simd_scalar.h is its definition, one
 * rounding an operation, and the special functions are the executor's own text on one value.
 */
#define SIMD_ISA_SCALAR 1
#include "vm/ir/passes.h"

#include "vm/base/math_tmpl.h"
#include "vm/base/simd.h"

bool ir_fold_component(enum ir_op op, const float *args, unsigned count, float *result) {
    float a = count > 0 ? args[0] : 0.0f;
    float b = count > 1 ? args[1] : 0.0f;
    switch (op) {
    case IR_MOV: *result = a; return true;
    case IR_ADD: *result = vf_add(a, b); return true;
    case IR_MUL: *result = vf_mul(a, b); return true;
    case IR_DIV: *result = vf_div(a, b); return true;
    case IR_MIN: *result = vf_min(a, b); return true;
    case IR_MAX: *result = vf_max(a, b); return true;
    case IR_RCP: *result = vf_div(1.0f, a); return true;
    case IR_RSQ: *result = vf_div(1.0f, vf_sqrt(a)); return true;
    case IR_SQRT: *result = vf_sqrt(a); return true;
    case IR_FLR: *result = vf_floor(a); return true;
    case IR_FRC: *result = vf_sub(a, vf_floor(a)); return true;
    case IR_TRUNC: *result = vf_trunc(a); return true;
    case IR_CEIL: *result = vf_ceil(a); return true;
    case IR_ABS: *result = vf_abs(a); return true;
    case IR_SSG: *result = a > 0.0f ? 1.0f : a < 0.0f ? -1.0f : 0.0f; return true;
    case IR_LG2: *result = math_log2(a); return true;
    case IR_EX2: *result = math_exp2(a); return true;
    case IR_SIN: *result = math_sin(a); return true;
    case IR_COS: *result = math_cos(a); return true;
    case IR_SAT: *result = vf_min(vf_max(a, 0.0f), 1.0f); return true;
    case IR_SLT: *result = a < b ? 1.0f : 0.0f; return true;
    case IR_SGE: *result = a >= b ? 1.0f : 0.0f; return true;
    case IR_SEQ: *result = a == b ? 1.0f : 0.0f; return true;
    case IR_SNE: *result = a != b ? 1.0f : 0.0f; return true;
    case IR_NOT: *result = a == 0.0f ? 1.0f : 0.0f; return true;
    case IR_SEL: *result = a != 0.0f ? b : args[2]; return true;
    default: return false;
    }
}

static double double_of(const uint32_t words[2]) { return vd_a_from_words((vi)words[0], (vi)words[1]); }

static bool fold_to_double(enum ir_op op, double a, double b, double c, double *result) {
    switch (op) {
    case IR_DADD: *result = vd_add(a, b); return true;
    case IR_DMUL: *result = vd_mul(a, b); return true;
    case IR_DDIV: *result = vd_div(a, b); return true;
    case IR_DFMA: *result = vd_fma(a, b, c); return true;
    case IR_DSQRT: *result = vd_sqrt(a); return true;
    case IR_DRSQ: *result = vd_div(1.0, vd_sqrt(a)); return true;
    case IR_DFLR: *result = vd_floor(a); return true;
    case IR_DFRC: *result = vd_sub(a, vd_floor(a)); return true;
    case IR_DTRUNC: *result = vd_trunc(a); return true;
    case IR_DCEIL: *result = vd_ceil(a); return true;
    case IR_DSSG: *result = a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : 0.0; return true;
    default: return false;
    }
}

bool ir_fold_double(enum ir_op op, const uint32_t (*args)[2], unsigned count, uint32_t result[2]) {
    static const uint32_t none[2] = {0, 0};
    const uint32_t *x = args[0], *y = count > 1 ? args[1] : none;
    double a = double_of(x), b = double_of(y), c = count > 2 ? double_of(args[2]) : 0.0, out;
    float f;
    result[1] = 0;
    switch (op) {
    case IR_DNEG:
    case IR_DABS:
        result[0] = x[0];
        result[1] = op == IR_DNEG ? x[1] ^ 0x80000000u : x[1] & 0x7FFFFFFFu;
        return true;
    case IR_DMIN: memcpy(result, a < b ? x : y, 8); return true;
    case IR_DMAX: memcpy(result, a > b ? x : y, 8); return true;
    case IR_DSLT: result[0] = bits_from_float(a < b); return true;
    case IR_DSGE: result[0] = bits_from_float(a >= b); return true;
    case IR_DSEQ: result[0] = bits_from_float(a == b); return true;
    case IR_DSNE: result[0] = bits_from_float(!(a == b)); return true;
    case IR_D2F: result[0] = a != a ? 0x7FC00000u : bits_from_float((float)a); return true;
    case IR_F2D:
        memcpy(&f, x, sizeof f);
        out = (double)f;
        break;
    default:
        if (!fold_to_double(op, a, b, c, &out)) {
            return false;
        }
        break;
    }
    out = out != out ? vd_a_from_words(0, 0x7FF80000) : out;
    result[0] = (uint32_t)vi_low_words(out, 0.0);
    result[1] = (uint32_t)vi_high_words(out, 0.0);
    return true;
}

/* Arguments of a DOT, in the defined order (ir_ops.def). */
static float fold_dot(const struct ir_inst *inst) {
    float p[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    unsigned width = inst->args[0].comps;
    for (unsigned i = 0; i < width; i++) {
        p[i] = vf_mul(ir_src_const(inst->args[0], i), ir_src_const(inst->args[1], i));
    }
    switch (width) {
    case 1: return p[0];
    case 2: return vf_add(p[0], p[1]);
    case 3: return vf_add(vf_add(p[0], p[2]), p[1]);
    default: return vf_add(vf_add(p[0], p[2]), vf_add(p[1], p[3]));
    }
}

/* A literal element of a sampler array. */
static bool fold_sampler(struct ir_inst *inst) {
    struct ir_tex *tex = &inst->tex;
    if (!tex->has_index || !ir_src_constant(inst->args[inst->arg_count - 1u])) {
        return false;
    }
    float value = ir_src_const(inst->args[inst->arg_count - 1u], 0);
    float last = (float)(tex->elements - 1);
    value = value > 0.0f ? (value < last ? value : last) : 0.0f; /* NaN is 0 */
    tex->sampler = (uint16_t)(tex->sampler + (uint32_t)value);
    tex->elements = 1;
    tex->has_index = false;
    inst->arg_count--;
    return true;
}

static bool all_constant(const struct ir_inst *inst) {
    for (unsigned a = 0; a < inst->arg_count; a++) {
        if (!ir_src_constant(inst->args[a])) {
            return false;
        }
    }
    return inst->arg_count != 0;
}

static bool fold_words(const struct ir_inst *inst, float values[4]) {
    uint32_t args[3][2] = {{0, 0}, {0, 0}, {0, 0}}, result[2];
    for (unsigned a = 0; a < inst->arg_count && a < 3; a++) {
        for (unsigned c = 0; c < inst->args[a].comps && c < 2; c++) {
            args[a][c] = bits_from_float(ir_src_const(inst->args[a], c));
        }
    }
    if (!ir_fold_double((enum ir_op)inst->op, (const uint32_t(*)[2])args, inst->arg_count, result)) {
        return false;
    }
    memcpy(values, result, sizeof result);
    return true;
}

static bool fold_value(struct ir_inst *inst) {
    float values[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    if (!all_constant(inst)) {
        return false;
    }
    if (inst->op == IR_DOT) {
        values[0] = fold_dot(inst);
    } else if (inst->op == IR_VEC) {
        for (unsigned c = 0; c < inst->comps; c++) {
            values[c] = ir_src_const(inst->args[c], 0);
        }
    } else if (ir_op_infos[inst->op].flags & (IR_D | IR_T)) {
        if (!fold_words(inst, values)) {
            return false;
        }
    } else if (ir_op_infos[inst->op].flags & IR_W && ir_op_infos[inst->op].flags & IR_P) {
        for (unsigned c = 0; c < inst->comps; c++) {
            float args[3];
            for (unsigned a = 0; a < inst->arg_count && a < 3; a++) {
                args[a] = ir_src_const(inst->args[a], inst->args[a].comps == 1 ? 0 : c);
            }
            if (!ir_fold_component((enum ir_op)inst->op, args, inst->arg_count, &values[c])) {
                return false;
            }
        }
    } else {
        return false;
    }
    inst->op = IR_CONST;
    inst->arg_count = 0;
    for (unsigned c = 0; c < 4; c++) {
        inst->imm[c] = values[c];
    }
    return true;
}

/* The edge not taken loses its place among the predecessors. */
void ir_take_edge(struct ir_block *block, unsigned taken) {
    struct ir_block *other = block->edge[1 - taken].to;
    ir_remove_pred(other, block);
    block->edge[0] = block->edge[taken];
    block->edge[1].to = NULL;
    block->edge[1].arg_count = 0;
    block->term = IR_TERM_JUMP;
}

bool ir_fold_inst(const struct ir_fn *fn, struct ir_inst *inst) {
    switch (inst->op) {
    case IR_LOAD:
    case IR_STORE:
    case IR_UNIFORM: return ir_fold_index(fn, inst);
    case IR_TEX: return fold_sampler(inst);
    default: return fold_value(inst);
    }
}
