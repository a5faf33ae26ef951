/* SPDX-License-Identifier: MIT */
/* Every operation of simd.h on every backend against the scalar definition, on random and awkward bits. */
#include <stdio.h>
#include <string.h>

#include "tests/harness/check.h"
#include "tests/simd/simd_ops.h"
#include "vm/base/bits.h"
#include "vm/base/cpu.h"
#include "vm/base/fpenv.h"

extern const struct simd_op simd_ops_scalar[SIMD_OP_COUNT + 1];
#if defined(VLGL_HAS_SSE)
extern const struct simd_op simd_ops_sse[SIMD_OP_COUNT + 1];
#endif
#if defined(VLGL_HAS_AVX2)
extern const struct simd_op simd_ops_avx2[SIMD_OP_COUNT + 1];
#endif
#if defined(VLGL_HAS_AVX512)
extern const struct simd_op simd_ops_avx512[SIMD_OP_COUNT + 1];
#endif
#if defined(VLGL_HAS_NEON)
extern const struct simd_op simd_ops_neon[SIMD_OP_COUNT + 1];
#endif

static bool is_nan(uint32_t u) { return (u & 0x7FFFFFFFu) > 0x7F800000u; }

/* Operations whose result is bits or an integer: NaN patterns must agree too. */
static bool is_exact(const char *name) {
    static const char *const floats[] = {"add", "sub", "mul", "div", "sqrt", "madd", "floor", "ceil", "trunc", "rint", "daddsub",
                                         "dmuldiv", "dminmax", "dfloor", "dfloor_int", "ddx", "ddy", "spread"};
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++) {
        if (strcmp(name, floats[i]) == 0) {
            return false;
        }
    }
    return true;
}

/* Inline, because a machine may have no vectors to compare. */
static inline void compare(const struct simd_op *ops, const char *isa) {
    check_seed(5);
    for (int i = 0; i < SIMD_OP_COUNT; i++) {
        bool exact = is_exact(simd_ops_scalar[i].name);
        unsigned wrong = 0;
        for (int round = 0; round < 3000 && wrong == 0; round++) {
            uint32_t in[3][32], want[16], got[16];
            for (int k = 0; k < 3 * 32; k++) {
                in[k / 32][k % 32] = round % 3 == 0 ? check_random() : bits_from_float(check_random_float());
            }
            const uint32_t *s[3] = {in[0], in[1], in[2]};
            simd_ops_scalar[i].run(s, want);
            ops[i].run(s, got);
            for (int lane = 0; lane < 16; lane++) {
                bool same = want[lane] == got[lane] || (!exact && is_nan(want[lane]) && is_nan(got[lane]));
                if (!same && wrong++ == 0) {
                    check_failf(__FILE__, __LINE__, "%s %s lane %d (%08x %08x %08x): %08x, not %08x", isa, ops[i].name, lane,
                                (unsigned)in[0][lane], (unsigned)in[1][lane], (unsigned)in[2][lane], (unsigned)got[lane],
                                (unsigned)want[lane]);
                }
            }
        }
        CHECK_EQ_INT(wrong, 0);
    }
}

#define COMPARE(level, table) \
    if (!(cpu_simd_available() >> (level) & 1u)) { \
        SKIP("no " #table); \
    } \
    compare(simd_ops_##table, #table)

#if defined(VLGL_HAS_SSE)
TEST(sse) { COMPARE(CPU_SIMD_SSE, sse); }
#endif
#if defined(VLGL_HAS_AVX2)
TEST(avx2) { COMPARE(CPU_SIMD_AVX2, avx2); }
#endif
#if defined(VLGL_HAS_AVX512)
TEST(avx512) { COMPARE(CPU_SIMD_AVX512, avx512); }
#endif
#if defined(VLGL_HAS_NEON)
TEST(neon) { COMPARE(CPU_SIMD_NEON, neon); }
#endif

/* The scalar definition itself on the cases that instruction sets differ in. */
TEST(definition) {
    static const struct { const char *name; uint32_t a, b, want; } cases[] = {
        {"min", 0x7FC00000, 0x3F800000, 0x3F800000}, {"min", 0x3F800000, 0x7FC00001, 0x7FC00001},
        {"min", 0x80000000, 0x00000000, 0x00000000}, {"max", 0x00000000, 0x80000000, 0x80000000},
        {"max", 0x7FC00000, 0xBF800000, 0xBF800000}, {"to_int", 0x7FC00000, 0, 0}, {"to_int", 0x4F000000, 0, 0x7FFFFFFF},
        {"to_int", 0xCF000000, 0, 0x80000000}, {"to_int", 0x7F800000, 0, 0x7FFFFFFF}, {"to_int", 0xFF800000, 0, 0x80000000},
        {"to_int", 0xBF7FFFFF, 0, 0}, {"floor", 0x80000000, 0, 0x80000000}, {"floor", 0xBF000000, 0, 0xBF800000},
        {"ceil", 0xBF000000, 0, 0x80000000}, {"rint", 0x3F000000, 0, 0}, {"rint", 0x3FC00000, 0, 0x40000000},
        {"rint", 0xBF000000, 0, 0x80000000}, {"trunc", 0xBF400000, 0, 0x80000000}, {"floor", 0x4B000001, 0, 0x4B000001},
        {"add", 0x00000001, 0x00000001, 0x00000002}, {"mul", 0x00800000, 0x3F000000, 0x00400000},
        {"unord", 0x7FC00000, 0, 0xFFFFFFFF}, {"ne", 0x7FC00000, 0x7FC00000, 0xFFFFFFFF}, {"eq", 0x80000000, 0, 0xFFFFFFFF},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        uint32_t a[32], b[32], out[16];
        for (int i = 0; i < 32; i++) {
            a[i] = cases[k].a;
            b[i] = cases[k].b;
        }
        const uint32_t *s[3] = {a, b, a};
        for (int i = 0; i < SIMD_OP_COUNT; i++) {
            if (strcmp(simd_ops_scalar[i].name, cases[k].name) == 0) {
                simd_ops_scalar[i].run(s, out);
                CHECK_EQ_INT(out[3], cases[k].want);
            }
        }
    }
}

/* The control word is ours inside, and the client's again afterwards. */
TEST(fpenv) {
    struct fpenv outer = fpenv_enter();
    volatile float tiny = 1e-40f, one = 1.0f;
#if defined(__x86_64__)
    _mm_setcsr(0x1F80u | 0x8040u | 0x6000u);      /* FTZ, DAZ, towards zero */
    CHECK(tiny * one == 0.0f);
    struct fpenv inner = fpenv_enter();
    CHECK(inner.changed && tiny * one != 0.0f);
    fpenv_leave(&inner);
    CHECK((_mm_getcsr() & 0xFFC0u) == (0x1F80u | 0x8040u | 0x6000u));
    _mm_setcsr(0x1F80u);
#endif
    struct fpenv same = fpenv_enter();
    CHECK(!same.changed && tiny * one != 0.0f);
    fpenv_leave(&same);
    fpenv_leave(&outer);
}

TEST(levels) {
    CHECK((cpu_simd_available() & 1u) == 1u);
    CHECK_STR(cpu_simd_name(CPU_SIMD_AVX512), "avx512");
    CHECK(cpu_simd_name(CPU_SIMD_COUNT) == NULL);
    CHECK_EQ_INT(cpu_simd_limit(CPU_SIMD_SCALAR), CPU_SIMD_SCALAR);
    CHECK_EQ_INT(cpu_simd_level(), CPU_SIMD_SCALAR);
    cpu_simd_limit((enum cpu_simd)(CPU_SIMD_COUNT - 1));
    CHECK(cpu_simd_available() >> cpu_simd_level() & 1u);
}
