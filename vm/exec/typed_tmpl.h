/* SPDX-License-Identifier: MIT */
/* What the typed kernels share (included by templates only): operands of a CALL as rows of vectors. */
#ifndef VM_EXEC_TYPED_TMPL_H
#define VM_EXEC_TYPED_TMPL_H

#include "vm/base/simd.h"

#include "vm/exec/typed.h"

/* An operand: vector i at p + i * step; a constant is one vector in 'same', with step 0. */
struct typed_arg {
    const char *p;
    size_t step;
    BITS_ALIGN(64) int32_t same[SIMD_N];
};

SIMD_FN void typed_arg(struct typed_arg *a, const char *regs, const float *consts, uint32_t o) {
    if (o & VM_TYPED_CONST) {
        vi_store(a->same, vf_as_vi(vf_set1(consts[o & ~VM_TYPED_CONST])));
        a->p = (const char *)a->same;
        a->step = 0;
    } else {
        a->p = regs + o;
        a->step = SIMD_N * 4;
    }
}
SIMD_FN vi typed_load(const struct typed_arg *a, unsigned i) {
    return vi_load((const int32_t *)(const void *)(a->p + i * a->step));
}
SIMD_FN int32_t *typed_row(char *out, unsigned i) { return (int32_t *)(void *)(out + i * SIMD_N * 4); }
/* One lane of a pass, for functions that go through lanes one at a time. */
SIMD_FN uint32_t typed_lane(const struct typed_arg *a, unsigned lane) {
    uint32_t v;
    memcpy(&v, a->p + lane / SIMD_N * a->step + lane % SIMD_N * 4, sizeof v);
    return v;
}
SIMD_FN uint32_t *typed_out(char *out, unsigned lane) { return (uint32_t *)(void *)(out + (size_t)lane * 4); }

#define TYPED_FN(name) \
    static void name(char *regs, const float *consts, const struct vm_uop *u, unsigned vectors)
#define TYPED_ARG(k) \
    struct typed_arg a##k; \
    typed_arg(&a##k, regs, consts, vm_typed_operand(u, k));
#define TYPED_OUT(k) char *const out##k = regs + vm_typed_result(u, k);

#endif
