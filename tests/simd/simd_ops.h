/* SPDX-License-Identifier: MIT */
/* Names of the operations that simd_ops_tmpl.c tests, and the tables it exports. */
#ifndef TESTS_SIMD_SIMD_OPS_H
#define TESTS_SIMD_SIMD_OPS_H

#include <stdint.h>

#define SIMD_OPS(X) \
    X(load) X(iload) X(set1) X(iset1) X(iota) X(iiota) X(gather) X(igather) X(gather_bytes) X(squares) X(bytes) X(madd_halves) X(deal) X(add) X(sub) X(mul) X(div) \
    X(sqrt) X(neg) X(abs) X(min) X(max) X(floor) X(ceil) X(trunc) X(rint) X(madd) X(to_int) X(to_int_fast) X(to_int_rint) \
    X(from_int) X(iadd) X(isub) X(imul) X(imul16) X(and) X(or) X(xor) X(andnot) X(shl5) X(shr9) X(sar31) X(shl_var) \
    X(shr_var) X(sar_var) X(shlv) X(shlv_wild) X(imin) X(imax) X(lt) X(le) X(gt) X(ge) X(eq) X(ne) X(unord) X(ieq) X(ilt) \
    X(igt) X(mand) X(mor) X(mxor) X(mnot) X(mandnot) X(mtrue) X(sel) X(isel) X(mask01) X(from_sign) X(from_bits) X(mload) \
    X(storemask) X(unpack) X(pack) X(daddsub) X(dmuldiv) X(dminmax) X(dfloor) X(dfloor_int) X(drint) X(dwhole) X(ddx) X(ddy) \
    X(bits) X(bits4) X(load3) X(fours) X(transpose) X(quads) X(quads_u16) X(blend_quad) X(put_quad) X(tables) X(block) X(spread) X(spread_u8) X(bytes16) \
    X(badd) X(bmin) X(bmax) X(bmul) X(blerp) X(balpha) X(dwords) X(dround) X(dcompare) X(dfma)

#define SIMD_COUNT_ONE(name) +1
enum { SIMD_OP_COUNT = 0 SIMD_OPS(SIMD_COUNT_ONE) };

struct simd_op {
    const char *name;
    void (*run)(const uint32_t *const *in, uint32_t *out);      /* three arrays of 16 to one of 16 */
};

#endif
