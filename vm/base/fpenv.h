/* SPDX-License-Identifier: MIT */
/*
 * Floating-point control of the calling thread. Results are defined for round to nearest even,
 * denormals kept and exceptions masked; a client may have set anything else, so whoever computes
 * pixels saves and sets the control first and restores it at the end.
 */
#ifndef VM_BASE_FPENV_H
#define VM_BASE_FPENV_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

struct fpenv {
    uint64_t control;    /* MXCSR or FPCR as it was */
    bool changed;        /* it differed from ours */
};

#if defined(__x86_64__)
/* All exceptions masked, round to nearest, FTZ and DAZ off; sticky flags do not matter. */
#define FPENV_CONTROL 0x1F80u
#define FPENV_MATTERS 0xFFC0u

static inline struct fpenv fpenv_enter(void) {
    struct fpenv saved = {_mm_getcsr(), false};
    if ((saved.control & FPENV_MATTERS) != FPENV_CONTROL) {
        saved.changed = true;
        _mm_setcsr(FPENV_CONTROL);
    }
    return saved;
}
static inline void fpenv_leave(const struct fpenv *saved) {
    if (saved->changed) {
        _mm_setcsr((unsigned)saved->control);
    }
}
#elif defined(__aarch64__)
static inline struct fpenv fpenv_enter(void) {
    struct fpenv saved = {0, false};
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved.control));
    if (saved.control != 0) {
        saved.changed = true;
        __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
    }
    return saved;
}
static inline void fpenv_leave(const struct fpenv *saved) {
    if (saved->changed) {
        __asm__ volatile("msr fpcr, %0" : : "r"(saved->control));
    }
}
#else
#include <fenv.h>
/* Elsewhere only the rounding mode can be set portably. */
static inline struct fpenv fpenv_enter(void) {
    struct fpenv saved = {(uint64_t)fegetround(), false};
    if (saved.control != (uint64_t)FE_TONEAREST) {
        saved.changed = true;
        fesetround(FE_TONEAREST);
    }
    return saved;
}
static inline void fpenv_leave(const struct fpenv *saved) {
    if (saved->changed) {
        fesetround((int)saved->control);
    }
}
#endif

#endif
