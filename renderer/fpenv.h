/* SPDX-License-Identifier: MIT */
/*
 * Floating-point environment of the calling thread: round to nearest even, denormals kept, no traps.
 * Every entry function of the renderer that computes runs between enter and leave; pool threads enter
 * once, at their start.
 */
#ifndef RENDERER_FPENV_H
#define RENDERER_FPENV_H

#include <stdint.h>

struct rn_fpenv {
    uint64_t saved;
};

#if defined(__SSE__)
/* MXCSR: exceptions masked, nearest, FTZ and DAZ off; the low six bits are sticky flags. */
static inline void rn_fpenv_enter(struct rn_fpenv *env) {
    unsigned csr = __builtin_ia32_stmxcsr();
    env->saved = csr;
    if ((csr & ~0x3Fu) != 0x1F80u) {
        __builtin_ia32_ldmxcsr(0x1F80u);
    }
}
static inline void rn_fpenv_leave(const struct rn_fpenv *env) {
    if ((env->saved & ~UINT64_C(0x3F)) != 0x1F80u) {
        __builtin_ia32_ldmxcsr((unsigned)env->saved);
    }
}
#elif defined(__aarch64__)
/* FPCR 0: nearest, no flush, no traps, no default NaN, no alternative half format. */
static inline void rn_fpenv_enter(struct rn_fpenv *env) {
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    env->saved = fpcr;
    if (fpcr != 0) {
        __asm__ volatile("msr fpcr, %0" : : "r"(UINT64_C(0)));
    }
}
static inline void rn_fpenv_leave(const struct rn_fpenv *env) {
    if (env->saved != 0) {
        __asm__ volatile("msr fpcr, %0" : : "r"(env->saved));
    }
}
#else
#include <fenv.h>
/* Portable: the rounding direction only; such machines have no flush mode that C could name. */
static inline void rn_fpenv_enter(struct rn_fpenv *env) {
    env->saved = (uint64_t)fegetround();
    fesetround(FE_TONEAREST);
}
static inline void rn_fpenv_leave(const struct rn_fpenv *env) {
    fesetround((int)env->saved);
}
#endif

#endif
