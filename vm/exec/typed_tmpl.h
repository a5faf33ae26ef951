/* SPDX-License-Identifier: MIT */
/* What the typed kernels share (included by templates only): operands of a CALL as rows of vectors. */
#ifndef VM_EXEC_TYPED_TMPL_H
#define VM_EXEC_TYPED_TMPL_H

#include <string.h>

#include "vm/base/bits.h"
#include "vm/base/simd.h"

#include "vm/exec/typed.h"

/* A constant is spread over a row of its own, so that loops step through all operands alike. */
static __attribute__((noinline)) const char *typed_spread(int32_t *row, float value, unsigned vectors) {
    for (unsigned i = 0; i < vectors; i++) {
        vi_store(row + i * SIMD_N, vf_as_vi(vf_set1(value)));
    }
    return (const char *)row;
}
/* An operand: vector i at p + i * SIMD_N * 4. */
SIMD_FN const char *typed_arg(const char *regs, const float *consts, uint32_t o, int32_t *row, unsigned vectors) {
    return BITS_UNLIKELY(o & VM_TYPED_CONST) ? typed_spread(row, consts[o & ~VM_TYPED_CONST], vectors) : regs + o;
}
SIMD_FN vi typed_load(const char *p, unsigned i) {
    return vi_load((const int32_t *)(const void *)(p + (size_t)i * SIMD_N * 4));
}
SIMD_FN int32_t *typed_row(char *out, unsigned i) { return (int32_t *)(void *)(out + (size_t)i * SIMD_N * 4); }
/* One lane of a pass, for functions that go through lanes one at a time. */
SIMD_FN uint32_t typed_lane(const char *p, unsigned lane) {
    uint32_t v;
    memcpy(&v, p + (size_t)lane * 4, sizeof v);
    return v;
}
SIMD_FN uint32_t *typed_out(char *out, unsigned lane) { return (uint32_t *)(void *)(out + (size_t)lane * 4); }

#define TYPED_FN(name) \
    static void name(char *regs, const float *consts, const struct vm_uop *u, unsigned vectors)
#define TYPED_ARG(k) \
    BITS_ALIGN(64) int32_t row##k[VM_TYPED_VECTORS * SIMD_N]; \
    const char *const a##k = typed_arg(regs, consts, vm_typed_operand(u, k), row##k, vectors);
#define TYPED_OUT(k) char *const out##k = regs + vm_typed_result(u, k);

#endif
