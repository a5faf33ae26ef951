/* SPDX-License-Identifier: MIT */
/*
 * Constants of a draw: uniforms, literals over them, immediates, and every expression of these that the
 * decoder found. The scalar backend computes them with the functions that kernels use, so that an
 * expression has the same bits whether it is constant or not.
 */
#define SIMD_ISA_SCALAR 1
#include "vm/base/simd.h"

#include <string.h>

#include "vm/base/fpenv.h"
#include "vm/exec/exec.h"
#include "vm/exec/microop_expr.h"

size_t vliw_program_constants(const struct vliw_program *program) {
    return (size_t)program->info.globals * 4 + program->constant_count + 1;      /* never 0 */
}

static float indexed(const struct vliw_program *program, const float *constants, float index, int32_t extra) {
    int64_t reg = (int64_t)vi_from_vf_trunc(index) + (extra >> 2), last = (int64_t)program->info.globals - 1;
    reg = reg < 0 ? 0 : reg > last ? last : reg;
    return constants[reg * 4 + (extra & 3)];
}

static float evaluate(const struct vliw_program *program, const struct vm_constant *k, const float *c) {
    float a = c[k->src[0]], b = c[k->src[1]], d = c[k->src[2]];
    switch (k->op) {
#define VM_COMM2(n) case VM_OP_##n: return e_##n(a, b);
#define VM_ORD2(n) case VM_OP_##n: return e_##n(a, b);
#define VM_FEWC2(n) case VM_OP_##n: return e_##n(a, b);
#define VM_FEW2(n) case VM_OP_##n: return e_##n(a, b);
#define VM_MAD3(n) case VM_OP_##n: return e_##n(a, b, d);
#define VM_SEL3(n) case VM_OP_##n: return e_##n(a, b, d);
#define VM_MIX3(n) case VM_OP_##n: return e_##n(a, b, d);
#define VM_SUM3(n) case VM_OP_##n: return e_##n(a, b, d);
#define VM_CUB3(n) case VM_OP_##n: return e_##n(a, b, d);
#define VM_FEW3(n) case VM_OP_##n: return e_##n(a, b, d);
#define VM_ONE1(n) case VM_OP_##n: return e_##n(a);
#define VM_FUN1(n) case VM_OP_##n: return e_##n(a);
#define VM_FEW1(n) case VM_OP_##n: return e_##n(a);
#define VM_QUAD1(n)
#define VM_COND2(n)
#define VM_SYS(n)
#include "vm/exec/microop.def"
    case VM_OP_IDXU: return indexed(program, c, a, k->extra);
    default: return bits_to_float((uint32_t)k->extra);      /* VM_OP_POOL */
    }
}

void vliw_program_prepare(const struct vliw_program *program, const float *globals, uint32_t global_count,
                          float *constants) {
    uint32_t n = program->info.globals, given = global_count < n ? global_count : n;
    struct fpenv saved = fpenv_enter();
    if (given > 0) {
        memcpy(constants, globals, (size_t)given * 4 * sizeof(float));
    }
    memset(constants + (size_t)given * 4, 0,
           ((size_t)(n - given) * 4 + program->constant_count + 1) * sizeof(float));
    for (uint32_t i = 0; i < program->info.literal_count; i++) {
        const struct vliw_literal *l = &program->info.literals[i];
        for (unsigned c = 0; c < 4; c++) {
            if (l->mask >> c & 1u) {
                memcpy(&constants[l->reg * 4 + c], &l->bits[c], sizeof(float));
            }
        }
    }
    for (uint32_t i = 0; i < program->constant_count; i++) {
        float v = evaluate(program, &program->constants[i], constants);
        memcpy(&constants[n * 4 + i], &v, sizeof v);
    }
    fpenv_leave(&saved);
}
