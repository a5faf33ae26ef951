/* SPDX-License-Identifier: MIT */
/*
 * The SIMD vocabulary of all kernels. A kernel (*_tmpl.c) is compiled once for each ISA with
 * -DSIMD_ISA_SCALAR=1, -DSIMD_ISA_SSE=1, -DSIMD_ISA_AVX2=1, -DSIMD_ISA_AVX512=1 or -DSIMD_ISA_NEON=1
 * and that ISA's flags, and exports one const table named SIMD_NAME(prefix) (prefix_scalar,
 * prefix_sse ...). simd_scalar.h is the definition of every operation; the other backends give the
 * same bits (NaN payloads excepted). No intrinsic stands outside simd_*.h.
 *
 * Types (SIMD_N lanes: 1, 4, 8, 16):
 *   vf  float lanes     vi  int32 lanes     vm  a boolean a lane (all-ones vectors, or k-registers)
 *   vd  SIMD_N/2 double lanes (1 when SIMD_N is 1): two of them, lo and hi, cover a vf
 *
 * Memory (p need only be aligned to 4 bytes unless said):
 *   vf_load vf_store vf_loadu vf_storeu      aligned to the vector / unaligned
 *   vi_load vi_store vi_loadu vi_storeu
 *   vf_set1(float) vi_set1(int32) vd_set1(double) vf_zero vi_zero
 *   vf_iota()                                0,1,2,...   vi_iota()
 *   vi_gather(const int32_t *base, vi index) lane i = base[index i] (4-byte elements)
 *   vi_gather_bytes(const void *base, vi byte_offset)   unaligned 32-bit loads
 *   vf_gather(const float *base, vi index)
 *   vi_gather_squares(const void *p0, const void *p1, vi index, vi v[4])   index in 0..INT32_MAX / 4:
 *                                            v[0], v[1] = words index and index + 1 from p0 on, v[2], v[3] from p1 on
 *   vm_storemask_f(float *p, vm, vf)         p[i] = m ? v : p[i]   (SSE, NEON: reads and writes all of p)
 * Float arithmetic, each rounded to nearest even, never contracted:
 *   vf_add vf_sub vf_mul vf_div vf_sqrt vf_neg (sign flip) vf_abs
 *   vf_min(a,b) = a < b ? a : b    vf_max(a,b) = a > b ? a : b      (second operand on NaN and on equals)
 *   vf_floor vf_ceil vf_trunc vf_rint (nearest even; all keep -0, NaN, inf and |x| >= 2^23)
 *   vf_madd(a,b,c) = a*b rounded + c rounded
 *   vd_add vd_sub vd_mul vd_div vd_min vd_max vd_floor
 * Doubles as pairs of 32-bit words (simd_double.h): two vectors a and b cover the lanes of a vf, in an order of their own
 *   vd_a_from_words(lo, hi) vd_b_from_words(lo, hi)   vi_low_words(a, b) vi_high_words(a, b)
 *   vd_a_from_vf(v) vd_b_from_vf(v)   vf_from_vd_ab(a, b)
 *   vd_sqrt vd_abs vd_rint vd_trunc vd_ceil   vd_lt vd_le vd_eq vd_unord -> vdm   vd_sel(vdm, a, b)
 *   vd_fma(a,b,c) = a*b + c, rounded once: the instruction where the ISA has it, softfma.h elsewhere. The only fused
 *   operation of the tree, for programs that ask for it (FMA under TYPE f64).
 * Conversions:
 *   vi_from_vf_trunc   NaN -> 0, out of range saturates to INT32_MIN / INT32_MAX, on every ISA
 *   vi_from_vf_fast    towards zero, defined only for |x| < 2^31 (tests call it so)
 *   vi_from_vf_rint_fast  nearest even, |x| < 2^31 (else anything below 0 or above 2^31 - 256, or with a NaN 0)
 *   vf_from_vi
 *   vd_lo_from_vf vd_hi_from_vf vd_lo_from_vi vd_hi_from_vi
 *   vf_from_vd(lo, hi)   vi_from_vd_rint(lo, hi)  nearest even, |x| < 2^31
 *   vi_from_vd_whole(lo, hi)   of 2^32 + t the whole part of t, 0 <= t < 2^31
 *   vf_as_vi vi_as_vf  bit casts
 * Integers (wrap around): vi_add vi_sub vi_mul (low 32 bits) vi_mul_small (both in 0..32767) vi_mul16 (two 16-bit halves, low bits of each) vi_and vi_or vi_xor vi_andnot(a,b) = ~a & b
 *   vi_shl(v, n) vi_shr(v, n) vi_sar(v, n)   n constant or variable, same for all lanes, 0..31
 *   vi_shlv(v, counts)  per lane: count 0..31 left, -1..-31 right logical, anything else gives 0
 *   vi_min vi_max (signed)
 * Comparisons give vm: vf_lt vf_le vf_gt vf_ge vf_eq (ordered) vf_ne (true on NaN) vf_unord
 *   vi_eq vi_lt vi_gt
 * Masks: vm_and vm_or vm_xor vm_not vm_andnot(a,b) = ~a & b   vm_true() vm_false()
 *   vm_bits4(a, b, c, d) -> uint64             lanes of a first: 4 * SIMD_N bits
 *   vm_load(const int32_t *p)                aligned; every p[i] is 0 or -1
 *   vf_sel(m,a,b) = m ? a : b   vi_sel
 *   vf_mask01(m) = m ? 1.0f : 0.0f    vi_from_vm(m) = m ? -1 : 0   vm_from_vi(v) = v < 0
 *   vm_any vm_all (bool)   vm_bits(m) -> uint32 (lane 0 is bit 0)   vm_from_bits(uint32)
 * Quads (lanes 4k..4k+3):
 *   vf_quad_ddx(v): lanes 0,1 = v1 - v0; lanes 2,3 = v3 - v2     vf_quad_ddy(v): lanes 0,2 = v2 - v0; 1,3 = v3 - v1
 *   vf_quad_first(v): v0 in all four lanes
 *   (SIMD_N == 1 has none: kernels that need them process four lanes by hand under #if SIMD_N == 1)
 * Bytes:
 *   vi_unpack_u8(vi v, int k) = (v >> 8k) & 255         vi_pack_rgba8(r,g,b,a) = r | g<<8 | b<<16 | a<<24
 *   vi_madd_halves(a, b, w, &low, &high)   signed 16-bit halves: low = a.low * w.low + b.low * w.high, high with a's and b's
 *                                          high ones; the halves of a or of b must not all be -32768 with w's
 *   vi_low_byte_twice(v) = (v & 255) * 0x00010001       vi_odd_bytes(v) = v >> 8 & 0x00FF00FF
 *   vb_add (saturates) vb_min vb_max vb_mul (a * b / 255 to nearest)   four unsigned bytes a lane (simd_bytes.h)
 *   vb_lerp(s, b, a) = (s * b + (255 - s) * a) / 255 to nearest   vb_alpha(v) = byte 3 in all four
 *   vb_over(b, a) = vb_lerp(vb_alpha(b), b, a)
 * Rows of eight (a vector of 16 lanes is two rows, at p0 and p1; a shorter one lies at p0, unaligned):
 *   vi_load_rows(p0, p1)   vi_load_rows_u16(p0, p1)   32-bit or unsigned 16-bit elements
 *   vi_store_row_lo(p, v)   vi_store_row_hi(p, v)     the first row or all, the second row or nothing;
 *   vi_store_row_lo_u16   vi_store_row_hi_u16         the same for values 0..65535
 * Groups of four lanes (not with SIMD_N 1), group g at p[g], unaligned:
 *   vi_load_fours(p)   vi_load_fours_u16(p)   vi_store_four(p, v, g)   vi_store_four_u16   g constant
 *   vi_transpose4(v)   v[4]: in each group of four lanes, row r of the 4x4 words v[r] becomes column r
 *   vi_deal4(v)   lane r * SIMD_N / 4 + g = lane 4 * g + r of v: what four vectors were transposed into, in their order
 *   vi_load_quads(p0, p1)   vi_load_quads_u16(p0, p1)   group g: two elements at p0[g], then two at p1[g]
 *   vi_store_quad(p0, p1, v, g)   vi_store_quad_u16   the reverse for one group, g constant; first to p1, then to p0
 *   vi_blend_quad(p0, p1, v, g, mask)   vi_store_quad of only the bits of mask[4] (aligned to 16 bytes)
 *   vi_put_quad(p0, p1, v, g, lanes)   vi_store_quad of the lanes in four bits; nothing else is read or written. Only
 *   where SIMD_LANE_STORES is 1 (AVX-512)
 *   vi_load_block(p0, p1)   vi_store_block(p0, p1, v)   the same with groups side by side: SIMD_N / 2 words a row
 *   vf_spread(p)   lanes of group g: p[g]        vf_spread_u8(p)   the same of bytes, as floats
 *   vi_load_u8(p)   lane i: byte p[i]            vf_quad_pick(v, k)   lane k of each group in all four, k constant
 *   Only where SIMD_TABLES is 1 (AVX-512): vi_pick16(v, i)   lane n = lane i n of v, 0..15   vf_pick32(a, b, i)   of a and then b,
 *   0..31   vi_popcount16(v)   bits that are set, of words below 2^16
 * Sixteen bytes, only where SIMD_PICKS is 1 (AVX2, AVX-512):
 *   vh_load(p) vh_set1(n) vh_add(a, b)   vh_nibbles(uint64_t): byte i = bits 4i..4i+3   vh_some(v): bit i: byte i is not 0
 *   vh_pick(v, k): byte i = v[k[i] & 15], 0 where k[i] >= 128   vh_load2(lo, hi)   vh_store2(lo, hi, v): eight bytes each, first to lo
 *   simd_pick_bytes(v, n, k): of the four bytes of v those that are 255 in n, packed, then anything (k: their numbers)
 * Triples:
 *   vi_load3(p, &a, &b, &c)   a, b, c = every third of 3 * SIMD_N words, from the first, second, third on
 * A constant that stays in a register or in memory (gcc 12 would make it anew in each round of a loop): vi_hidden(v) = v
 * End of a wide run: simd_leave()   (vzeroupper on AVX, else nothing)
 */
#ifndef VM_BASE_SIMD_H
#define VM_BASE_SIMD_H

#include "vm/base/bits.h"

#if defined(SIMD_ISA_SCALAR)
#include "vm/base/simd_scalar.h"
#define SIMD_NAME(prefix) prefix##_scalar
#elif defined(SIMD_ISA_SSE)
#include "vm/base/simd_sse.h"
#define SIMD_NAME(prefix) prefix##_sse
#elif defined(SIMD_ISA_AVX2)
#include "vm/base/simd_avx2.h"
#define SIMD_NAME(prefix) prefix##_avx2
#elif defined(SIMD_ISA_AVX512)
#include "vm/base/simd_avx512.h"
#define SIMD_NAME(prefix) prefix##_avx512
#elif defined(SIMD_ISA_NEON)
#include "vm/base/simd_neon.h"
#define SIMD_NAME(prefix) prefix##_neon
#else
#error "simd.h needs one of SIMD_ISA_SCALAR, _SSE, _AVX2, _AVX512, _NEON"
#endif

#include "vm/base/simd_bytes.h"
#include "vm/base/simd_double.h"

#endif
