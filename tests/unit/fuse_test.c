/* SPDX-License-Identifier: MIT */
/*
 * Several operations as one micro-operation (vm/exec/decode_fuse.c): random programs made of what is fused, with
 * neighbours that must not be, in plain code and under masks, on every backend against the reference; and that the
 * micro-operations are really there.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tests/harness/check.h"
#include "tests/simd/vmrun.h"
#include "vm/exec/exec.h"

#define HEAD ".stage compute\n.in generic 0 r0\n.in generic 1 r1\n.in generic 2 r2\n.in generic 3 r3\n.globals 8\n.gprs 9\n" \
             ".const c4 1 3 2 0.5\n"

static const char *const swizzles[] = {"", ".x", ".wzyx", ".yxwz", ".zzxy"};

/* r0..r4 with a swizzle, or sometimes a constant. */
static void source(char *s, size_t size, bool constants) {
    if (constants && check_random_below(5) == 0) {
        snprintf(s, size, "c%u%s", check_random_below(5), swizzles[check_random_below(5)]);
    } else {
        snprintf(s, size, "%sr%u%s", check_random_below(8) == 0 ? "-" : "", check_random_below(5), swizzles[check_random_below(5)]);
    }
}

struct text {
    char s[6000];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...) {
    va_list list;
    va_start(list, format);
    t->used += (size_t)vsnprintf(t->s + t->used, sizeof t->s - t->used, format, list);
    va_end(list);
}

/* d = a op b in either order. */
static void commuted(struct text *t, const char *op, const char *d, const char *a, const char *b) {
    bool other = check_random_below(2) != 0;
    add(t, " %s %s %s - %s\n", op, d, other ? b : a, other ? a : b);
}

/* One idiom; its result goes to r4 (an input of others), its temporaries r5..r8 are overwritten by the next. */
static void idiom(struct text *t, unsigned kind) {
    char a[24], b[24], c[24];
    const char *one = check_random_below(8) == 0 ? "c4.y" : "c4.x";
    source(a, sizeof a, true);
    source(b, sizeof b, true);
    source(c, sizeof c, check_random_below(6) == 0);
    switch (kind) {
    case 0:      /* mix, now and then with another weight in one product */
        add(t, " MOV r8 %s\n ADD r5 %s - -r8\n", c, one);
        commuted(t, "MUL", "r6", a, "r5");
        commuted(t, "MUL", "r7", b, check_random_below(8) == 0 ? "r8.yxwz" : "r8");
        commuted(t, "ADD", "r4", "r6", "r7");
        break;
    case 1:      /* t * t * (3 - 2 * t) */
        add(t, " MOV r8 %s\n", c);
        commuted(t, "MUL", "r5", "r8", check_random_below(8) == 0 ? "r8.y" : "r8");
        commuted(t, "MUL", "r6", "r8", "c4.z");
        add(t, " ADD r6 c4.y - -r6\n");
        commuted(t, "MUL", "r4", "r5", "r6");
        break;
    case 2:      /* sums with a common term */
        commuted(t, "ADD", "r5", a, c);
        commuted(t, "ADD", "r6", b, c);
        commuted(t, "MUL", "r4", "r5", "r6");
        break;
    case 3:
        add(t, " MUL r5 %s - %s\n FRC r4 r5\n", a, b);
        break;
    case 4:      /* floor and fraction, both wanted or one */
        add(t, " MOV r8 %s\n FLR r5 r8\n ADD r6 r8 - -r5\n", c);
        add(t, check_random_below(3) == 0 ? " MOV r4 r6\n" : " MUL r4 r5 - r6\n");
        break;
    default:      /* sums of products */
        add(t, " MUL r5 %s - %s\n", a, b);
        commuted(t, check_random_below(2) ? "ADD" : "MUL", "r4", "r5", c);
        break;
    }
    if (check_random_below(6) == 0) {      /* a second reader of what lies between */
        add(t, " ADD r%u r%u - r%u.wxyz\n", check_random_below(4), 5 + check_random_below(2), 5 + check_random_below(2));
    }
}

static void compare(const struct text *t, bool plain) {
    struct vliw_image *image = vmrun_assemble(t->s);
    for (unsigned i = 0; image != NULL && i < 3; i++) {
        struct vmrun r = {.image = image, .active = vmrun_mask(false), .plain = plain, .budget = 3000};
        bool good = vmrun_compare(&r);
        CHECK(good);
        if (!good) {
            check_failf(__FILE__, __LINE__, "%s\n%s", r.message, t->s);
            break;
        }
    }
    vliw_image_destroy(image);
}

TEST(idioms) {
    vmrun_report_missing();
    for (unsigned n = 0; n < 400; n++) {
        struct text t = {.used = 0};
        bool masked = n % 2 != 0;
        add(&t, HEAD);
        add(&t, masked ? " MOV r4 r3\n SLT r5.x r0.x - r1.x\n PRED NZ r5.x | BL there\n" : " MOV r4 r3\n");
        for (unsigned k = 2 + check_random_below(4); k > 0; k--) {
            idiom(&t, check_random_below(6));
        }
        if (masked) {
            add(&t, "there: ADD r4 r4 - r0\n");
            idiom(&t, check_random_below(6));
        }
        add(&t, " MOV r5 r4\n MOV r6 r4\n MOV r7 r4\n MOV r8 r4\n END\n");
        compare(&t, n % 3 != 0);
    }
}

/* ---- They are there ---- */

/* Counts micro-operations with one of the handlers first..last in a program of one block. */
static unsigned count_handlers(const struct vliw_program *p, unsigned first, unsigned last) {
    const void *const *labels = p->kernel->labels();
    unsigned found = 0;
    for (const struct vm_uop *u = p->blocks[0].stream[0];; u++) {
        uintptr_t h = u->h.index;
        if (labels != NULL) {
            for (h = 0; h < VM_H_COUNT && labels[h] != u->h.handler; h++) {
            }
        }
        if (h == VM_H_EXIT) {
            return found;
        }
        found += h >= first && h <= last;
    }
}

static unsigned fused(const char *body, unsigned first, unsigned last) {
    struct text t = {.used = 0};
    struct vliw_program *p = NULL;
    struct vliw_error error;
    struct vliw_image *image;
    add(&t, ".stage fragment\n.in varying 0 r0\n.in varying 1 r1\n.in varying 2 r2\n.out color 0 r3\n.globals 8\n"
            ".const c4 1 3 2 0.5\n%s END\n", body);
    if (vliw_assemble(t.s, strlen(t.s), &image, &error) != VLIW_OK) {
        check_failf(__FILE__, __LINE__, "%s\n%s", error.message, t.s);
        return 0;
    }
    CHECK(vliw_program_create(image, &p, &error) == VLIW_OK);
    unsigned n = p != NULL ? count_handlers(p, first, last) : 0;
    vliw_program_destroy(p);
    vliw_image_destroy(image);
    return n;
}

TEST(presence) {
    static const char mix[] = " ADD r4 c4.x - -r2\n MUL r5 r0 - r4\n MUL r6 r1 - r2\n ADD r3 r5 - r6\n";
    static const char other[] = " ADD r4 c4.y - -r2\n MUL r5 r0 - r4\n MUL r6 r1 - r2\n ADD r3 r5 - r6\n";
    static const char cubic[] = " MUL r4 r0 - r0\n MUL r5 r0 - c4.z\n ADD r5 c4.y - -r5\n MUL r3 r4 - r5\n";
    static const char sums[] = " ADD r4 r0 - r2\n ADD r5 r1 - r2\n MUL r3 r4 - r5\n";
    static const char fraction[] = " MUL r4 r0 - r1\n FRC r3 r4\n";
    static const char both[] = " FLR r4 r0\n ADD r5 r0 - -r4\n MUL r3 r4 - r5\n";
    CHECK_EQ_INT(fused(mix, VM_H_MIX_RRR, VM_H_MIX_UUA_S), 4);
    CHECK_EQ_INT(fused(other, VM_H_MIX_RRR, VM_H_MIX_UUA_S), 0);
    CHECK_EQ_INT(fused(cubic, VM_H_CUBIC_RUU, VM_H_CUBIC_AUU_S), 4);
    CHECK_EQ_INT(fused(sums, VM_H_SUMP_RRR, VM_H_SUMP_RRA_S), 4);
    CHECK_EQ_INT(fused(fraction, VM_H_FRCM_RR, VM_H_FRCM_AA_S), 4);
    CHECK_EQ_INT(fused(both, VM_H_FLRF_R, VM_H_FLRF_R_S), 4);
}
