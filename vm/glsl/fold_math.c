/* SPDX-License-Identifier: MIT */
/* The VM's special functions on one value, for constant expressions: the executor's own text on scalar
   "vectors", so that the bits are the same. */
#define SIMD_ISA_SCALAR 1
#include "vm/exec/math_tmpl.h"

#include "vm/glsl/emit.h"

bool glsl_fold_special(enum ir_op op, float x, float *result) {
    switch (op) {
    case IR_LG2: *result = math_log2(x); return true;
    case IR_EX2: *result = math_exp2(x); return true;
    case IR_SIN: *result = math_sin(x); return true;
    case IR_COS: *result = math_cos(x); return true;
    default: return false;
    }
}
