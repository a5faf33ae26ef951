/* SPDX-License-Identifier: MIT */
/*
 * Operations on four normalised bytes a component, compiled once for each ISA: 16, 32 or 64 channels a host
 * vector. In: a CALL micro-operation (typed.h). Out: words in slots. simd_bytes.h states the rounding.
 */
#include "vm/exec/typed_tmpl.h"

#include <string.h>

#include "vm/base/bits.h"

SIMD_FN vi x_ADD(vi a, vi b) { return vb_add(a, b); }
SIMD_FN vi x_MUL(vi a, vi b) { return vb_mul(a, b); }
SIMD_FN vi x_MIN(vi a, vi b) { return vb_min(a, b); }
SIMD_FN vi x_MAX(vi a, vi b) { return vb_max(a, b); }
SIMD_FN vi x_MAD(vi a, vi b, vi c) { return vb_add(vb_mul(a, b), c); }
SIMD_FN vi x_LERP(vi a, vi b, vi c) { return vb_lerp(a, b, c); }
SIMD_FN vi x_ALPHA(vi a) { return vb_alpha(a); }

#define EACH_VECTOR for (unsigned i = 0; i < vectors; i++)
#define BYTES1(n) \
    TYPED_FN(f_##n) { \
        TYPED_ARG(0) TYPED_OUT(0) \
        EACH_VECTOR { vi_store(typed_row(out0, i), x_##n(typed_load(a0, i))); } \
    }
#define BYTES2(n) \
    TYPED_FN(f_##n) { \
        TYPED_ARG(0) TYPED_ARG(1) TYPED_OUT(0) \
        EACH_VECTOR { vi_store(typed_row(out0, i), x_##n(typed_load(a0, i), typed_load(a1, i))); } \
    }
#define BYTES3(n) \
    TYPED_FN(f_##n) { \
        TYPED_ARG(0) TYPED_ARG(1) TYPED_ARG(2) TYPED_OUT(0) \
        EACH_VECTOR { \
            vi_store(typed_row(out0, i), x_##n(typed_load(a0, i), typed_load(a1, i), typed_load(a2, i))); \
        } \
    }
BYTES2(ADD) BYTES2(MUL) BYTES2(MIN) BYTES2(MAX) BYTES3(MAD) BYTES3(LERP) BYTES1(ALPHA)

/* Clamped to [0,1], NaN gives 0, then 255 steps to nearest even: as colours are stored. */
SIMD_FN vi to_byte(vi bits) {
    vf v = vf_min(vf_max(vi_as_vf(bits), vf_zero()), vf_set1(1.0f));
    return vi_from_vf_rint_fast(vf_mul(v, vf_set1(255.0f)));
}
TYPED_FN(f_F2B) {
    TYPED_ARG(0) TYPED_ARG(1) TYPED_ARG(2) TYPED_ARG(3) TYPED_OUT(0)
    EACH_VECTOR {
        vi r = to_byte(typed_load(a0, i)), g = to_byte(typed_load(a1, i));
        vi b = to_byte(typed_load(a2, i)), a = to_byte(typed_load(a3, i));
        vi_store(typed_row(out0, i), vi_pack_rgba8(r, g, b, a));
    }
}
/* Result k is channel k; those not wanted have no offset. */
TYPED_FN(f_B2F) {
    TYPED_ARG(0)
    uint32_t out[VM_TYPED_OUTPUTS];
    for (unsigned k = 0; k < VM_TYPED_OUTPUTS; k++) {
        out[k] = vm_typed_result(u, k);
    }
    EACH_VECTOR {
        vi v = typed_load(a0, i);
        for (unsigned k = 0; k < VM_TYPED_OUTPUTS; k++) {
            if (out[k] != VM_NO_OFFSET) {
                vf f = vf_mul(vf_from_vi(vi_unpack_u8(v, (int)k)), vf_set1(1.0f / 255.0f));
                vi_store(typed_row(regs + out[k], i), vf_as_vi(f));
            }
        }
    }
}

extern const vm_typed_fn SIMD_NAME(vm_u8_functions)[ISA_TYPED_COUNT];
const vm_typed_fn SIMD_NAME(vm_u8_functions)[ISA_TYPED_COUNT] = {
    [ISA_TYPED_B_ADD] = f_ADD, [ISA_TYPED_B_MUL] = f_MUL, [ISA_TYPED_B_MIN] = f_MIN, [ISA_TYPED_B_MAX] = f_MAX,
    [ISA_TYPED_B_MAD] = f_MAD, [ISA_TYPED_B_LERP] = f_LERP, [ISA_TYPED_B_ALPHA] = f_ALPHA,
    [ISA_TYPED_F2B] = f_F2B, [ISA_TYPED_B2F] = f_B2F,
};
