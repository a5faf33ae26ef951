/* SPDX-License-Identifier: MIT */
/*
 * The interpreter's inner loop, compiled once for each ISA. In: a frame and a stream of micro-operations.
 * Out: results in the register file, and the reason why it stopped. One handler for each form of
 * microop.def; each works on VM_NV host vectors (a pass) and leaves its result in the accumulator, VM_NV
 * vectors that stay in host registers from one handler to the next.
 *
 * Compiled a second time with VM_NARROW: passes of two vectors (four lanes where a vector is one). A batch or a group
 * with lanes in few places takes less time in one or two short passes than in a long one.
 *
 * What matters for speed (performance.md part A): operand pointers and the next handler are read into
 * locals before anything is stored, since the compiler must assume that a store changes micro-operations;
 * all results are computed before the first is stored; the accumulator is separate variables.
 */
#include "vm/base/simd.h"

#include "vm/exec/exec.h"
#include "vm/exec/typed.h"
#include "vm/exec/microop_expr.h"

#if defined(__GNUC__) && !defined(VM_NO_COMPUTED_GOTO)
#define VM_GOTO 1
#else
#define VM_GOTO 0
#endif

/* Eight vectors hide the latency of dependent operations; a batch of 64 lanes has only four of 16. */
#if !defined(VM_NARROW)
#define VM_NARROW 0
#endif
#if VM_NARROW && SIMD_N > 1
#define VM_NV 2
#define VM_REP(M, ...) M(0, __VA_ARGS__) M(1, __VA_ARGS__)
#elif VM_LANES / SIMD_N >= 8 && !VM_NARROW
#define VM_NV 8
#define VM_REP(M, ...) \
    M(0, __VA_ARGS__) M(1, __VA_ARGS__) M(2, __VA_ARGS__) M(3, __VA_ARGS__) \
    M(4, __VA_ARGS__) M(5, __VA_ARGS__) M(6, __VA_ARGS__) M(7, __VA_ARGS__)
#else
#define VM_NV 4
#define VM_REP(M, ...) M(0, __VA_ARGS__) M(1, __VA_ARGS__) M(2, __VA_ARGS__) M(3, __VA_ARGS__)
#endif

#define VM_PASS_LANES (VM_NV * SIMD_N)
#define VM_PASS_BYTES (VM_PASS_LANES * 4)
#define VM_PASSES (VM_LANES / VM_PASS_LANES)
#define VM_VB (SIMD_N * 4)

/* Operand k of kind R, U, A: what is read once, and the value for vector i. */
#define VM_SLOT(o) (regs + (o))
#define VM_ARG_R(k) const char *p##k = VM_SLOT(u->o[k]);
#define VM_ARG_U(k) const vf w##k = vf_set1(consts[u->o[k]]);
#define VM_ARG_A(k)
#define VM_VAL_R(k, i) vf_load((const float *)(const void *)(p##k + (i) * VM_VB))
#define VM_VAL_U(k, i) w##k
#define VM_VAL_A(k, i) a##i
#define VM_DST char *d = VM_SLOT(u->o[0]);
#define VM_PUT(i, unused) vf_store((float *)(void *)(d + (i) * VM_VB), a##i);

#if VM_GOTO
#define VM_L(name) L_##name:
#define VM_NEXT const void *next = u[1].h.handler;
#define VM_GO u++; goto *next;
#define VM_DISPATCH goto *u->h.handler;
#else
#define VM_L(name) case VM_H_##name:
#define VM_NEXT
#define VM_GO u++; continue;
#define VM_DISPATCH continue;
#endif

#define VM_STEP1(i, n, k) a##i = e_##n(VM_VAL_##k(1, i));
#define VM_STEP2(i, n, k0, k1) a##i = e_##n(VM_VAL_##k0(1, i), VM_VAL_##k1(2, i));
#define VM_STEP3(i, n, k0, k1, k2) a##i = e_##n(VM_VAL_##k0(1, i), VM_VAL_##k1(2, i), VM_VAL_##k2(3, i));
#define VM_HANDLER1(n, k) \
    VM_L(n##_##k) { VM_NEXT VM_ARG_##k(1) VM_REP(VM_STEP1, n, k) VM_GO } \
    VM_L(n##_##k##_S) { VM_NEXT VM_DST VM_ARG_##k(1) VM_REP(VM_STEP1, n, k) VM_REP(VM_PUT, 0) VM_GO }
#define VM_HANDLER2(n, k0, k1) \
    VM_L(n##_##k0##k1) { VM_NEXT VM_ARG_##k0(1) VM_ARG_##k1(2) VM_REP(VM_STEP2, n, k0, k1) VM_GO } \
    VM_L(n##_##k0##k1##_S) { \
        VM_NEXT VM_DST VM_ARG_##k0(1) VM_ARG_##k1(2) VM_REP(VM_STEP2, n, k0, k1) VM_REP(VM_PUT, 0) VM_GO }
#define VM_HANDLER3(n, k0, k1, k2) \
    VM_L(n##_##k0##k1##k2) { \
        VM_NEXT VM_ARG_##k0(1) VM_ARG_##k1(2) VM_ARG_##k2(3) VM_REP(VM_STEP3, n, k0, k1, k2) VM_GO } \
    VM_L(n##_##k0##k1##k2##_S) { \
        VM_NEXT VM_DST VM_ARG_##k0(1) VM_ARG_##k1(2) VM_ARG_##k2(3) \
        VM_REP(VM_STEP3, n, k0, k1, k2) VM_REP(VM_PUT, 0) VM_GO }

/* Long functions are loops over a copy of the operand: unrolled eight times they would fill the cache. */
#define VM_TO_T(i, k) t[i] = VM_VAL_##k(1, i);
#define VM_FROM_T(i, unused) a##i = t[i];
#define VM_LOOP(n) \
    for (int i = 0; i < VM_NV; i += 2) { vf x = e_##n(t[i]), y = e_##n(t[i + 1]); t[i] = x; t[i + 1] = y; }
#define VM_HANDLERF(n, k) \
    VM_L(n##_##k) { VM_NEXT VM_ARG_##k(1) VM_REP(VM_TO_T, k) VM_LOOP(n) VM_REP(VM_FROM_T, 0) VM_GO } \
    VM_L(n##_##k##_S) { \
        VM_NEXT VM_DST VM_ARG_##k(1) VM_REP(VM_TO_T, k) VM_LOOP(n) VM_REP(VM_FROM_T, 0) VM_REP(VM_PUT, 0) VM_GO }

#if SIMD_N == 1
/* One lane a vector: the neighbours are other vectors of the same pass. */
#define VM_QUAD(n) { const float *q = (const float *)(const void *)p1; \
    for (int i = 0; i < VM_NV; i++) { t[i] = q[i | n] - q[i & ~n]; } }
#define VM_QUAD_DDX VM_QUAD(1)
#define VM_QUAD_DDY VM_QUAD(2)
#define VM_HANDLERQ(n) \
    VM_L(n##_R) { VM_NEXT VM_ARG_R(1) VM_QUAD_##n VM_REP(VM_FROM_T, 0) VM_GO } \
    VM_L(n##_R_S) { VM_NEXT VM_DST VM_ARG_R(1) VM_QUAD_##n VM_REP(VM_FROM_T, 0) VM_REP(VM_PUT, 0) VM_GO }
#else
SIMD_FN vf e_DDX(vf a) { return vf_quad_ddx(a); }
SIMD_FN vf e_DDY(vf a) { return vf_quad_ddy(a); }
#define VM_HANDLERQ(n) VM_HANDLER1(n, R)
#endif

/* Conditions: a bit for each lane of the pass, merged into the frame's mask. */
SIMD_FN vm e_CLT(vf a, vf b) { return vf_lt(a, b); }
SIMD_FN vm e_CGE(vf a, vf b) { return vf_ge(a, b); }
SIMD_FN vm e_CEQ(vf a, vf b) { return vf_eq(a, b); }
SIMD_FN vm e_CNE(vf a, vf b) { return vf_ne(a, b); }
#define VM_STEPC(i, n, k0, k1) vm m##i = e_##n(VM_VAL_##k0(1, i), VM_VAL_##k1(2, i));
#if VM_NV == 8
#define VM_ALL_BITS uint64_t lo = vm_bits4(m0, m1, m2, m3), hi = vm_bits4(m4, m5, m6, m7);
#elif VM_NV == 2
#define VM_ALL_BITS uint64_t lo = vm_bits(m0) | (uint64_t)vm_bits(m1) << SIMD_N, hi = 0;
#else
#define VM_ALL_BITS uint64_t lo = vm_bits4(m0, m1, m2, m3), hi = 0;
#endif
#define VM_HANDLERC(n, k0, k1) \
    VM_L(n##_##k0##k1) { \
        VM_NEXT VM_ARG_##k0(1) VM_ARG_##k1(2) VM_REP(VM_STEPC, n, k0, k1) VM_ALL_BITS \
        merge_bits(&f->cond, pass, lo, hi); \
        VM_GO }

/* gcc likes to do 64-bit logic in mask registers, which takes longer than the branch that waits for it. */
static inline uint64_t in_gpr(uint64_t word) {
#if defined(__GNUC__)
    __asm__("" : "+r"(word));
#endif
    return word;
}

/* lo and hi are the bits of the first and the last four vectors. */
static inline void merge_bits(struct vliw_mask *mask, unsigned pass, uint64_t lo, uint64_t hi) {
#if VM_PASS_LANES == 128
    mask->w[0] = lo;
    mask->w[1] = hi;
    (void)pass;
#elif VM_PASS_LANES == 64
    mask->w[pass] = VM_NV == 8 ? lo | hi << 32 : lo;
#else
    unsigned lane = pass * VM_PASS_LANES, shift = lane % 64;
    uint64_t field = ((1ull << VM_PASS_LANES) - 1) << shift;
    mask->w[lane / 64] = (mask->w[lane / 64] & ~field) | (VM_NV == 8 ? lo | hi << (4 * SIMD_N) % 64 : lo) << shift;
#endif
}

#define VM_CMT(i, k) { \
    float *q = (float *)(void *)(d + (i) * VM_VB); \
    vm lanes = vm_load((const int32_t *)(const void *)(m + (i) * VM_VB)); \
    vf_store(q, vf_sel(lanes, VM_VAL_##k(1, i), vf_load(q))); }
#define VM_COMMIT(k) \
    VM_L(CMT_##k) { VM_NEXT VM_DST VM_ARG_##k(1) const char *m = VM_SLOT(f->mask_offset); VM_REP(VM_CMT, k) VM_GO }

/* Typed operations are functions of kernels of their own. The accumulator does not outlive them. */
extern const vm_typed_fn SIMD_NAME(vm_f64_functions)[ISA_TYPED_COUNT];
extern const vm_typed_fn SIMD_NAME(vm_int_functions)[ISA_TYPED_COUNT];
extern const vm_typed_fn SIMD_NAME(vm_u8_functions)[ISA_TYPED_COUNT];
#define VM_FORGET(i, unused) a##i = vf_zero();
#define VM_CALL(kind, table) \
    VM_L(CALL_##kind) { \
        SIMD_NAME(vm_##table##_functions)[u->o[0]](regs, consts, u, VM_NV); \
        VM_REP(VM_FORGET, 0) \
        u += VM_TYPED_UOPS; \
        VM_DISPATCH \
    }

#define VM_COPY(i, k) a##i = VM_VAL_##k(1, i);
#define VM_NUMBER(i, unused) a##i = vf_add(vf_iota(), vf_set1((float)(pass * VM_PASS_LANES + (i) * SIMD_N)));

/* Floor and fraction, stored vector by vector: all slots begin alike, so none hides a later vector's operand. */
#define VM_FLOOR_FRACT(i, n) { \
    vf x = VM_VAL_R(1, i), whole = e_##n(x); \
    vf_store((float *)(void *)(whole_slot + (i) * VM_VB), whole); \
    a##i = vf_sub(x, whole); }

#define VM_BOTH(name, n) \
    VM_L(name##_R) { VM_NEXT char *whole_slot = VM_SLOT(u->o[0]); VM_ARG_R(1) VM_REP(VM_FLOOR_FRACT, n) VM_GO } \
    VM_L(name##_R_S) { \
        VM_NEXT VM_DST char *whole_slot = VM_SLOT(u->o[2]); \
        VM_ARG_R(1) VM_REP(VM_FLOOR_FRACT, n) VM_REP(VM_PUT, 0) VM_GO }

/* Handlers of SSE that floor by SSE4.1's instruction: names with 41, in a table of their own. */
#if defined(SIMD_FLOOR_SSE41) && VM_GOTO
#define VM_SSE41 1
SIMD_FN vf e_FLR41(vf a) { return simd_floor_sse41(a); }
SIMD_FN vf e_FRC41(vf a) { return vf_sub(a, simd_floor_sse41(a)); }
SIMD_FN vf e_FRCM41(vf a, vf b) { return e_FRC41(vf_mul(a, b)); }
#define VM_41_FLR ~, FLR41
#define VM_41_FRC ~, FRC41
#define VM_41_FRCM ~, FRCM41
#define VM_41_FLRF_R ~, FLRF41_R
#define VM_41_FLRF_R_S ~, FLRF41_R_S
#define VM_SECOND(a, b, ...) b
#define VM_SECOND_OF(...) VM_SECOND(__VA_ARGS__)
#define VM_BEST(n) VM_SECOND_OF(VM_41_##n, n, ~)      /* n41 where there is one, else n */
#else
#define VM_SSE41 0
#endif

/* Register number of an index: trunc, NaN = 0, plus base, clamped to 0..last; no step can overflow. */
SIMD_FN vi clamp_index(vf index, int base, int last) {
    vi limit = vi_set1(1 << 20);
    vi i = vi_max(vi_min(vi_from_vf_trunc(index), limit), vi_sub(vi_zero(), limit));
    return vi_min(vi_max(vi_add(i, vi_set1(base)), vi_zero()), vi_set1(last));
}
/* Constants are four floats a register; a GPR component is VM_LANES floats of which a lane reads its own. */
#define VM_INDEXED_U(i, unused) { \
    vi n = clamp_index(VM_VAL_R(1, i), base, f->global_last); \
    a##i = vf_gather(consts, vi_add(vi_shl(n, 2), vi_set1(comp))); }
#define VM_INDEXED_R(i, unused) { \
    vi n = vi_add(vi_shl(clamp_index(VM_VAL_R(1, i), base, f->gpr_last), 2), vi_set1(comp)); \
    vi lane = vi_add(vi_iota(), vi_set1((int)(pass * VM_PASS_LANES) + (i) * SIMD_N)); \
    a##i = vf_gather(file, vi_add(vi_mul(n, vi_set1(VM_LANES)), lane)); }

static void store_indexed(const struct vm_frame *f, const struct vm_uop *u, const char *regs, unsigned pass) {
    const int32_t *mask = (const int32_t *)(const void *)VM_SLOT(f->mask_offset);
    const float *value = (const float *)(const void *)VM_SLOT(u->o[0]);
    const float *index = (const float *)(const void *)VM_SLOT(u->o[1]);
    const float *pred = u[1].o[0] == VM_NO_OFFSET ? NULL : (const float *)(const void *)VM_SLOT(u[1].o[0]);
    float *file = (float *)(void *)(f->regs + f->home_offset);
    for (unsigned k = 0; k < VM_PASS_LANES; k++) {
        if (mask[k] != 0 && (pred == NULL || pred[k] != 0.0f)) {
            float x = index[k];
            int i = x >= 1048576.0f ? 1048576 : x > -1048576.0f ? (int)x : x == x ? -1048576 : 0;
            i += (int)u->o[2];
            i = i < 0 ? 0 : i > f->gpr_last ? f->gpr_last : i;
            file[((size_t)i * 4 + u->o[3]) * VM_LANES + pass * VM_PASS_LANES + k] = value[k];
        }
    }
}

#define VM_PASS_SET \
    pass = VM_PASSES > 1 ? bits_ctz32(rest) : 0; \
    rest &= rest - 1; \
    regs = f->regs + (size_t)pass * VM_PASS_BYTES;
#define VM_SEGMENT { seg = u; rest = f->passes; VM_PASS_SET }

/* Before anything that concerns the whole batch: the segment's next pass, if there is one. */
#define VM_PASS \
    if (VM_PASSES > 1 && rest != 0) { \
        u = seg; \
        VM_PASS_SET \
        VM_DISPATCH \
    }

#define VM_DECLARE(i, unused) vf a##i = vf_zero();

/* With u = NULL only frame->labels is set. */
static uint32_t kernel_run(struct vm_frame *f, const struct vm_uop *u) {
#if VM_GOTO
    static const void *const table[VM_H_COUNT] = {
#define VM_T(name) [VM_H_##name] = &&L_##name,
#define VM_FORM1(n, k) VM_T(n##_##k) VM_T(n##_##k##_S)
#define VM_FORM2(n, k0, k1) VM_T(n##_##k0##k1) VM_T(n##_##k0##k1##_S)
#define VM_FORM3(n, k0, k1, k2) VM_T(n##_##k0##k1##k2) VM_T(n##_##k0##k1##k2##_S)
#define VM_FORMF(n, k) VM_T(n##_##k) VM_T(n##_##k##_S)
#define VM_FORMQ(n) VM_T(n##_R) VM_T(n##_R_S)
#define VM_FORMC(n, k0, k1) VM_T(n##_##k0##k1)
#define VM_SYS(n) VM_T(n)
#include "vm/exec/forms.def"
    };
#if VM_SSE41
    static const void *const table41[VM_H_COUNT] = {
#undef VM_T
#define VM_P1(name, form) &&L_##name##_##form
#define VM_P(name, form) VM_P1(name, form)
#define VM_Q1(name) &&L_##name
#define VM_Q(name) VM_Q1(name)
#define VM_T(n, form) [VM_H_##n##_##form] = VM_P(VM_BEST(n), form),
#define VM_FORM1(n, k) VM_T(n, k) VM_T(n, k##_S)
#define VM_FORM2(n, k0, k1) VM_T(n, k0##k1) VM_T(n, k0##k1##_S)
#define VM_FORM3(n, k0, k1, k2) VM_T(n, k0##k1##k2) VM_T(n, k0##k1##k2##_S)
#define VM_FORMF(n, k) VM_T(n, k) VM_T(n, k##_S)
#define VM_FORMQ(n) VM_T(n, R) VM_T(n, R_S)
#define VM_FORMC(n, k0, k1) VM_T(n, k0##k1)
#define VM_SYS(n) [VM_H_##n] = VM_Q(VM_BEST(n)),
#include "vm/exec/forms.def"
    };
#endif
    if (u == NULL) {
#if VM_SSE41
        f->labels = cpu_rounds() ? table41 : table;
#else
        f->labels = table;
#endif
        return 0;
    }
#else
    if (u == NULL) {
        f->labels = NULL;
        return 0;
    }
#endif
    VM_REP(VM_DECLARE, 0)
    vf t[VM_NV];
    const float *const consts = f->consts;
    const struct vm_uop *seg;
    uint32_t rest, target;
    unsigned pass;
    char *regs;
    VM_SEGMENT
#if VM_GOTO
    VM_DISPATCH
#else
    for (;;) { switch ((enum vm_handler)u->h.index) {
#endif

#define VM_FORM1 VM_HANDLER1
#define VM_FORM2 VM_HANDLER2
#define VM_FORM3 VM_HANDLER3
#define VM_FORMF VM_HANDLERF
#define VM_FORMQ VM_HANDLERQ
#define VM_FORMC VM_HANDLERC
#define VM_SYS(n)
#include "vm/exec/forms.def"

    VM_L(MOV_R) { VM_NEXT VM_ARG_R(1) VM_REP(VM_COPY, R) VM_GO }
    VM_L(MOV_R_S) { VM_NEXT VM_DST VM_ARG_R(1) VM_REP(VM_COPY, R) VM_REP(VM_PUT, 0) VM_GO }
    VM_L(MOV_U) { VM_NEXT VM_ARG_U(1) VM_REP(VM_COPY, U) VM_GO }
    VM_L(MOV_U_S) { VM_NEXT VM_DST VM_ARG_U(1) VM_REP(VM_COPY, U) VM_REP(VM_PUT, 0) VM_GO }
    VM_L(MOV_A_S) { VM_NEXT VM_DST VM_REP(VM_PUT, 0) VM_GO }
    VM_BOTH(FLRF, FLR)
#if VM_SSE41
    VM_HANDLER1(FLR41, R)
    VM_HANDLER1(FLR41, A)
    VM_HANDLER1(FRC41, R)
    VM_HANDLER1(FRC41, A)
    VM_HANDLER2(FRCM41, R, R)
    VM_HANDLER2(FRCM41, R, U)
    VM_HANDLER2(FRCM41, A, R)
    VM_HANDLER2(FRCM41, A, U)
    VM_HANDLER2(FRCM41, A, A)
    VM_BOTH(FLRF41, FLR41)
#endif
    VM_COMMIT(R)
    VM_COMMIT(U)
    VM_COMMIT(A)

    VM_L(IDXU) {
        VM_NEXT VM_DST VM_ARG_R(1)
        int base = (int)u->o[2], comp = (int)u->o[3];
        VM_REP(VM_INDEXED_U, 0) VM_REP(VM_PUT, 0) VM_GO
    }
    VM_L(IDXR) {
        VM_NEXT VM_DST VM_ARG_R(1)
        int base = (int)u->o[2], comp = (int)u->o[3];
        const float *file = (const float *)(const void *)(f->regs + f->home_offset);
        VM_REP(VM_INDEXED_R, 0) VM_REP(VM_PUT, 0) VM_GO
    }
    VM_L(IDXW) {
        store_indexed(f, u, regs, pass);
        u += 2;
        VM_DISPATCH
    }
    VM_L(LANE) { VM_NEXT VM_DST VM_REP(VM_NUMBER, 0) VM_REP(VM_PUT, 0) VM_GO }

    VM_CALL(F64, f64)
    VM_CALL(INT, int)
    VM_CALL(U8, u8)

    VM_L(EXIT) {
        VM_PASS
        f->resume = u + 1;
        simd_leave();
        return u->o[0] | u->o[1] << 16;
    }
    VM_L(JUMP) {
        VM_PASS
        target = u->o[0];
        goto jump;
    }
    VM_L(BRANCH) {
        VM_PASS
        uint64_t with = 0, without = 0;
        for (int i = 0; i < VM_MASK_WORDS; i++) {
            uint64_t cond = in_gpr(f->cond.w[i]), group = in_gpr(f->group.w[i]);
            with |= cond & group;
            without |= ~cond & group;
        }
        if (with != 0 && without != 0) {
            f->taken = u->o[0];
            f->other = u->o[1];
            simd_leave();
            return VM_EXIT_SPLIT;
        }
        target = u->o[with != 0 ? 0 : 1];
        goto jump;
    }
#if !VM_GOTO
    case VM_H_COUNT: return VM_EXIT_END;
    } continue;
#endif
jump:;
    const struct vm_block *block = &f->blocks[target];
    if (target >= f->min_wait || f->left < (int64_t)block->count) {
        f->target = target;
        simd_leave();
        return VM_EXIT_JUMP;
    }
    f->left -= block->count;
    u = block->stream[f->stream];
    VM_SEGMENT
    VM_DISPATCH
#if !VM_GOTO
    }
#endif
}

static const void *const *kernel_labels(void) {
    struct vm_frame frame;
    kernel_run(&frame, NULL);
    return frame.labels;
}

#if !VM_NARROW
static void kernel_expand(const struct vm_frame *f) {
    int32_t *mask = (int32_t *)(void *)(f->regs + f->mask_offset);
    for (unsigned lane = 0; lane < VM_LANES; lane += SIMD_N) {
        uint32_t bits = (uint32_t)(f->group.w[lane / 64] >> lane % 64);
        vi_store(mask + lane, vi_from_vm(vm_from_bits(bits)));
    }
    simd_leave();
}

static void kernel_credit(const struct vm_frame *f, int32_t *count, int32_t done) {
    const int32_t *mask = (const int32_t *)(const void *)(f->regs + f->mask_offset);
    for (unsigned lane = 0; lane < VM_LANES; lane += SIMD_N) {
        vi add = vi_set1(done);
        add = f->stream & VM_STREAM_MASKED ? vi_and(add, vi_load(mask + lane)) : add;
        vi_storeu(count + lane, vi_add(vi_loadu(count + lane), add));
    }
    simd_leave();
}
#endif

extern const struct vm_kernel SIMD_NAME(vm_kernel), SIMD_NAME(vm_kernel_narrow);
#if defined(SIMD_ISA_SCALAR)
#define VM_LEVEL CPU_SIMD_SCALAR
#elif defined(SIMD_ISA_SSE)
#define VM_LEVEL CPU_SIMD_SSE
#elif defined(SIMD_ISA_AVX2)
#define VM_LEVEL CPU_SIMD_AVX2
#elif defined(SIMD_ISA_AVX512)
#define VM_LEVEL CPU_SIMD_AVX512
#else
#define VM_LEVEL CPU_SIMD_NEON
#endif
#if VM_NARROW
const struct vm_kernel SIMD_NAME(vm_kernel_narrow) = {
    VM_LEVEL, VM_PASSES, VM_PASS_LANES, kernel_run, kernel_labels, NULL, NULL, NULL,
};
#else
const struct vm_kernel SIMD_NAME(vm_kernel) = {
    VM_LEVEL, VM_PASSES, VM_PASS_LANES, kernel_run, kernel_labels, kernel_expand, kernel_credit,
    &SIMD_NAME(vm_kernel_narrow),
};
#endif
