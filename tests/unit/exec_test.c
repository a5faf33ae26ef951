/* SPDX-License-Identifier: MIT */
/*
 * The executor on hand-written programs: expected values, and every backend against the reference
 * interpreter. Random programs are tests/fuzz/fuzz_diff.c.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/harness/check.h"
#include "tests/simd/vmrun.h"
#include "vm/base/bits.h"
#include "vm/isa/isa.h"

/* Compares 'rounds' times with fresh inputs and masks. */
static void compare_text(const char *text, unsigned rounds, bool quads, bool plain, uint32_t memory, uint32_t budget) {
    struct vliw_image *image = vmrun_assemble(text);
    if (image == NULL) {
        return;
    }
    for (unsigned i = 0; i < rounds; i++) {
        struct vmrun r = {.image = image, .active = vmrun_mask(quads), .plain = plain, .memory_words = memory,
                          .budget = budget != 0 ? budget : 3000};
        if (memory != 0) {      /* lanes of different quads are not ordered: one quad */
            r.active = (struct vliw_mask){{15}};
        }
        bool good = vmrun_compare(&r);
        CHECK(good);
        if (!good) {
            check_failf(__FILE__, __LINE__, "%s\n%s", r.message, text);
            break;
        }
    }
    vliw_image_destroy(image);
}

#define IN4 ".in generic 0 r0\n.in generic 1 r1\n.in generic 2 r2\n.in generic 3 r3\n.globals 8\n.gprs 8\n"

TEST(levels) {
    vmrun_report_missing();
    enum vliw_simd levels[VLIW_SIMD_COUNT];
    CHECK(vmrun_levels(levels) >= 1);
    for (int i = 0; i < VLIW_SIMD_COUNT; i++) {
        enum vliw_simd got = vliw_simd_limit((enum vliw_simd)i);
        CHECK(got <= (enum vliw_simd)i && vliw_simd_name(got) != NULL);
    }
    vliw_simd_limit((enum vliw_simd)(VLIW_SIMD_COUNT - 1));
    CHECK(vliw_simd_name(VLIW_SIMD_COUNT) == NULL);
}

TEST(every_operation) {
    for (int op = 0; op < ISA_OP_COUNT; op++) {
        const struct isa_op_info *info = &isa_op_infos[op];
        char text[600];
        if (op == ISA_OP_MVS) {
            continue;
        }
        if (info->special) {
            snprintf(text, sizeof text, IN4 ".stage compute\n %s r4 r0.x\n %ss r5 -r1.y\n %s r6 c1.z\n END\n", info->name, info->name, info->name);
        } else if (info->sources == 1) {
            snprintf(text, sizeof text, IN4 ".stage compute\n %s r4 r0.wzyx\n %ss r5 -r1\n %s r6 c1\n END\n", info->name, info->name, info->name);
        } else {
            snprintf(text, sizeof text, IN4 ".stage compute\n %s r4 r0 - r1\n %ss r5 -r1 - c2\n %s r6 c1 - c3\n %s r2 r2\n %s r7 c1 - -r3.x\n"
                     " %s r3 r0 - #0.5\n END\n", info->name, info->name, info->name, info->name, info->name, info->name);
        }
        compare_text(text, 200, op == ISA_OP_DDX || op == ISA_OP_DDY, false, 0, 0);
    }
}

TEST(every_xop) {
    for (int xop = 1; xop < ISA_XOP_COUNT; xop++) {
        const struct isa_xop_info *info = &isa_xop_infos[xop];
        char text[600];
        if (!info->f32) {
            continue;
        }
        if (info->sources == 1) {
            snprintf(text, sizeof text, IN4 ".stage compute\n TYPE f32 %s(0) | MOV r4 r0.yxwz\n TYPE f32 %s(0) | MOVs r5 -c1\n"
                     " TYPE f32 %s(1) | MOV r6 r0 MOVyw -r1(1)\n END\n", info->name, info->name, info->name);
        } else {
            snprintf(text, sizeof text, IN4 ".stage compute\n TYPE f32 %s(0) | MOV r2 r0 - r1\n TYPE f32 %s(0) | MOVs r3 -c1 - r0.x\n"
                     " TYPE f32 %s(0) | MOV r4 r0 - #2\n TYPE f32 %s(0) | MOV r5 c1 - c2\n TYPE f32 %s(0) | MOV r0 r0\n END\n",
                     info->name, info->name, info->name, info->name, info->name);
        }
        compare_text(text, 200, false, false, 0, 0);
    }
}

/* Additions of zero vanish only where the sign of a zero cannot be seen; the sums themselves and quotients show it. */
TEST(additions_of_zero) {
    compare_text(IN4 ".const c4 0 1 0.5 0\n ADD r4 r0 - c4.xyxy\n MUL r5 r4 - r1\n FRC r5 r5\n ADD r6 r0 - #0\n FLR r7 r6\n"
                 " MUL r3.xy r7 - c4.z\n TYPE f32 ABS(0) | MOV r3.xy r3\n SIN r7.x r7.x\n COS r7.x r7.x\n SLT r7.y r6.y - r1.y\n SEQ r7.z r6.z - c4.x\n END\n",
                 200, false, true, 0, 0);
    compare_text(IN4 ".const c4 0 1 0.5 0\n ADD r4 r0 - c4.x\n RCP r5.x r4.x\n FRC r6 r4\n RCP r5.y r0.y\n MUL r5.zw r4 - -r4\n END\n",
                 200, false, true, 0, 0);
}

TEST(predicates) {
    static const char *const conds[] = {"Z", "NZ", "N", "GE", "P", "LE"};
    for (int i = 0; i < 36; i++) {
        char text[700];
        const char *a = conds[i / 6], *b = conds[i % 6];
        snprintf(text, sizeof text, IN4 " PRED %s r0 | MOV r4 r1\n PREDxz %s.i r0.wzyx | ADD r5 r1 - r2\n PRED %s r0.x PREDyw %s r1 | MUL r2 r1 - r3\n"
                 " PRED %s c1.x | MOV r6 r1\n PRED %s r3 | MOV r7 c2\n END\n", a, b, a, b, b, a);
        compare_text(text, 60, false, i % 2 == 0, 0, 0);
    }
}

TEST(phases_read_before_writes) {
    compare_text(IN4 " MOV r0 r1(0) | MOV r1 r0(0)\n MOV r2 r2.yzwx MVSw PC(1)\n MUL r0 r0 - r1 | ADD r1 r0 - r1@xw\n END\n", 40, false, true, 0, 0);
}

TEST(branches) {
    /* if / else, nested loops with different trips, early exit */
    compare_text(IN4 " PRED N r0.x | BL else\n MOV r4 r1\n BL join\nelse: MOV r4 r2\n MOV r5 r3\njoin: ADD r6 r4 - r5\n END\n", 60, false, true, 0, 0);
    compare_text(IN4 ".const c7 1 0 40 0\n MOV r4 c7.y\n FLR r5 r0\nloop: ADD r4.x r4.x - c7.x\n MUL r6 r4.x - r1 | ADD r7 r7 - r6\n"
                 " SLT r5.y r4.x - r5.x\n PRED NZ r5.y | BL loop\n END\n", 60, false, true, 0, 0);
    compare_text(IN4 ".const c7 1 0 6 0\n MOV r4 c7.y\nouter: MOV r4.y c7.y\ninner: ADD r4.y r4.y - c7.x\n ADD r5 r5 - r4.y | MUL r6 r5 - r1\n"
                 " ADD r4.w r4.y - r0.x\n PRED P r4.w | BL out\n SLT r4.z r4.y - c7.z\n PRED NZ r4.z | BL inner\nout: ADD r4.x r4.x - c7.x\n"
                 " SLT r4.z r4.x - c7.z\n PRED NZ r4.z | BL outer\n PRED P r0.y | END\n MOV r7 r5\n END\n", 60, false, true, 0, 0);
}

TEST(calls_through_registers) {
    compare_text(IN4 " PRED P r0.x | BL other\n MVS r7.x PC(0) MOV r7.yzw r7.xyz(0) | BL D sub\n BL R done\n"
                 "other: MVS r7.x PC(0) MOV r7.yzw r7.xyz(0) | BL D sub\n ADD r5 r4 - r4\ndone: END\n"
                 "sub: MUL r4 r1 - r2\n MOV r7.xyz r7.yzw ADDR r7.x(p) | BL D 0\n TRAP\n", 40, false, true, 0, 0);
}

TEST(indexing) {
    compare_text(IN4 ".const c4 1 2 3 4\n ADDR r0.x(0) | MOV r4 c0\n ADDR r0.y-1(0) | MOV r5 r1\n ADDR r0.z(d) | MOV r3 r1\n ADDR r0.w(1) | ADD r6 r1 - r0\n"
                 " ADDR r1.x(d) PRED P r2 | MUL r2 r0 - r3\n ADDR c4.x(0) | MOV r7 c2\n END\n", 100, false, true, 0, 0);
    compare_text(IN4 "loop: ADDR r0.x(d) | ADD r4 r0 - r1\n ADD r0.y r0.y - #1\n PRED N r0.y | BL loop\n END\n", 60, false, true, 0, 0);
}

/* Derivatives and implicit LOD where lanes part: neighbours show their last written values. */
TEST(quads_in_divergent_code) {
    compare_text(".stage fragment\n.in varying 0 r0\n.in varying 1 r1\n.gprs 8\n.sampler s0 tex2d\n"
                 "loop: ADD r2.x r2.x - #1\n DDX r3 r1\n MUL r1 r1 - r2.x\n DDY r4 r1\n TEX r5 r1 s0\n ADD r6 r6 - r5\n"
                 " SLT r2.y r2.x - r0.x\n PRED NZ r2.y | BL loop\n DDX r7 r2.x\n END\n", 80, true, true, 0, 0);
    compare_text(".stage fragment\n.in varying 0 r0\n.in varying 1 r1\n.gprs 8\n.sampler s0 tex2d\n.sampler s1 cube\n.sampler s2 shadow2d\n"
                 " PRED N r0.x | BL a\n MUL r1 r1 - r0.y\n TXB r2 r1 s1\n BL b\na: ADD r1 r1 - #1\n TEX r2 r1 s0\n DDX r3 r2\n"
                 "b: DDY r4 r1\n TXP r5 r1 s2\n DDX r6 r1 | TEX r7 * s1\n END\n", 80, true, true, 0, 0);
    /* a value that neighbours see and that a register takes, too: in the lanes that went elsewhere only the first is there */
    compare_text(".stage fragment\n.in generic 0 r0\n.in generic 4 r4.yz\n.out generic 5 r5\n.out generic 8 r8\n.sampler s0 tex2d\n"
                 " PRED Z r0.w | BL b\n MUL r0 -r4.y(0) - c0 | TXP r5.xzw * s0\n MOV r8 -r4(0)\nb: END\n", 200, true, true, 0, 0);
    compare_text(".stage fragment\n.in generic 0 r0\n.in generic 4 r4.yz\n.out generic 5 r5\n.out generic 8 r8\n"
                 " PRED N r0.w | BL b\n DDX r5 -r4\n MOV r8 -r4(0)\nb: END\n", 200, true, true, 0, 0);
}

TEST(textures) {
    compare_text(".stage fragment\n.in varying 0 r0\n.in varying 1 r1\n.gprs 8\n.globals 4\n.sampler s0 tex2d\n.sampler s1 cube\n.sampler s2 shadow2d\n.sampler s3 tex3d\n"
                 " TEX r2 r0 s0\n TXB r3 r0 s1\n TXL r4 r0 s2\n MOV r5._ r1 - c1 | TXD r5 r0 s3\n TXP r6.xz r0 s0\n TXBP r7 r1 s2\n TXLP r6.y r1 s3\n"
                 " PRED P r0.x | TEX r2.xy r1 s1\n MOV r0._ c1 | TEX r3 * s0\n ADDR r1.x(p) | TEX r4 r0 s0\n END\n", 80, true, true, 0, 0);
}

TEST(discard) {
    compare_text(".stage fragment\n.in varying 0 r0\n.in varying 1 r1\n.gprs 8\n PRED N r0.x | KIL\n DDX r2 r0\n MUL r3 r2 - r1\n PRED N r0.y | KIL\n"
                 " DDY r4 r3\n END\n", 60, true, true, 0, 0);
    compare_text(".stage fragment\n.in varying 0 r0\n.in varying 1 r1\n.gprs 8\nloop: ADD r2.x r2.x - #1\n PRED N r0.x | KIL\n ADD r0.x r0.x - r1.x\n DDX r3 r0\n"
                 " ADD r4 r4 - r3\n SLT r2.y r2.x - #9\n PRED NZ r2.y | BL loop\n END\n", 60, true, true, 0, 0);
    compare_text(".stage fragment\n.in varying 0 r0\n.gprs 8\n KIL\nloop: BL loop\n", 10, true, true, 0, 0);
}

TEST(memory) {
    compare_text(IN4 " ST r1 [r0.x]\n LD r4 [r0.y+1]\n FADD r5.xz [r0.z]\n PRED P r1 | ST r2.yw [r0.x+2]\n ADDR r0.w-3(p) | LD r6 [r0.x]\n"
                 " MOV r0._ -r0 | LD r7.xy [*.y]\n MVS r3 SCRATCH\n MVS r2 SCRATCH(0) | MVS r1.x SCRATCH\n MVS r0 THREAD\n END\n", 60, false, true, 40, 0);
    compare_text(".stage fragment\n.in varying 0 r0\n.gprs 8\n PRED N r0.x | KIL\n ST r0 [r0.y]\n FADD r1 [r0.y]\n MVS r2 SCRATCH\n END\n", 60, false, true, 40, 0);
}

/* NaNs are canonical before bits can be seen. */
TEST(nan_bits) {
    compare_text(IN4 " ADD r4 r0 - r1\n XOR r4 r4 - c1\n MUL r5 r0 - r1\n SHF r5 c1.x - r5\n RSQ r6 r0.x\n OR r6 r6 - r2\n AND r7 r3 - r6\n END\n", 100, false, false, 0, 0);
}

TEST(traps) {
    compare_text(IN4 " PRED P r0.x | TRAP\n MOV r4 r1\n END\n", 60, false, true, 0, 0);
    compare_text(IN4 "top: ADDR r0.x+1(p) | BL D 1\n MOV r4 r1 - r2\n MOV r5 r1\n ADD r0.x r0.x - #1\n END\n", 60, false, true, 0, 40);
}

TEST(budget) {
    compare_text(IN4 " ADD r0 r0 - r1\n ADD r0 r0 - r1\n ADD r0 r0 - r1\n END\n", 1, false, true, 0, 3);
    compare_text(IN4 " ADD r0 r0 - r1\n ADD r0 r0 - r1\n ADD r0 r0 - r1\n END\n", 1, false, true, 0, 4);
    for (uint32_t budget = 1; budget < 60; budget += 3) {
        compare_text(IN4 "loop: ADD r4.x r4.x - #1\n PRED P r0.x | ADD r0.x r0.x - #-0.5\n SLT r4.y r4.x - r1.x\n PRED NZ r4.y | BL loop\n END\n", 8, false, true, 0, budget);
        compare_text(".stage fragment\n.in varying 0 r0\n.gprs 8\nloop: ADD r0.x r0.x - #1\n PRED P r0.x | KIL\n SLT r0.y r0.x - #5\n PRED NZ r0.y | BL loop\n END\n",
                     8, true, true, 0, budget);
    }
    compare_text(IN4 "loop: BL loop\n", 2, false, true, 0, 1000);
}

/*
 * Quads of one batch that fail in different ways: the lowest one's status and unit are the run's, on every
 * backend. vmrun_compare checks that; here also that all mixtures came up.
 */
static void mixed_faults(const char *text, uint32_t budget, unsigned *seen) {
    struct vliw_image *image = vmrun_assemble(text);
    CHECK(image != NULL);
    for (unsigned i = 0; image != NULL && i < 150; i++) {
        struct vmrun r = {.image = image, .active = vmrun_mask(true), .plain = true, .budget = budget};
        bool good = vmrun_compare(&r);
        CHECK(good);
        if (!good) {
            check_failf(__FILE__, __LINE__, "budget %u: %s\n%s", (unsigned)budget, r.message, text);
            break;
        }
        seen[r.status == VLIW_OK ? 0 : r.status == VLIW_ERR_TRAP ? 1 : 2]++;
    }
    vliw_image_destroy(image);
}

TEST(faults_of_several_quads) {
    static const char *const texts[] = {
        /* traps, loops without end and ends, by input */
        IN4 " ADD r4.x r0.x - #-4.5\n PRED P r4.x | TRAP\n ADD r4.x r1.x - #-4\n PRED P r4.x | BL loop\n ADD r5 r0 - r1\n END\n"
            "loop: ADD r6 r6 - r0\n ADD r2.x r2.x - #0.25\n PRED LE r2.x | BL loop\n ADD r4.x r3.x - #-4\n PRED P r4.x | TRAP\n PRED P r1.y | BL loop\n END\n",
        /* bad jumps beside good ones, some after long ways */
        IN4 "top: ADD r4.x r4.x - #1\n ADD r0.x r0.x - #0.5\n ADDR r0.x(p) | BL D 40\n ADD r5 r5 - r4\n BL top\n TRAP\n END\n",
        /* all lanes at one PC, a trap in the middle of a block whose end some do not reach */
        IN4 "loop: ADD r4.x r4.x - #1\n SLT r5.x r4.x - r0.x\n ADD r6.x r4.x - #-3\n PRED Z r6.x PRED P r1.x | TRAP\n PRED P r2.x | BL loop\n PRED NZ r5.x | BL loop\n END\n",
        /* one block */
        IN4 " ADD r4 r0 - r1\n ADD r5.x r0.x - #-4\n PRED P r5.x | TRAP\n ADD r5.x r1.x - #-4\n PRED P r5.x | TRAP\n ADD r6 r4 - r2\n END\n",
        ".stage fragment\n.in varying 0 r0\n.in varying 1 r1\n.gprs 8\n PRED LE r0.x | KIL\n ADD r4 r0 - r1\n ADD r5.x r1.x - #-4\n PRED P r5.x | TRAP\n"
        " PRED LE r1.y | KIL\n ADD r6 r4 - r0\n END\n",
        ".stage fragment\n.in varying 0 r0\n.in varying 1 r1\n.gprs 8\nloop: ADD r2.x r2.x - #1\n PRED LE r0.x | KIL\n ADD r0.x r0.x - r1.x\n"
        " ADD r3.x r1.y - #-4\n PRED P r3.x | TRAP\n SLT r2.y r2.x - #9\n PRED NZ r2.y | BL loop\n END\n",
    };
    unsigned seen[3] = {0, 0, 0};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        for (uint32_t budget = 4; budget < 64; budget += budget < 10 ? 1 : 9) {
            mixed_faults(texts[i], budget, seen);
        }
    }
    CHECK(seen[0] > 100 && seen[1] > 100 && seen[2] > 100);
}

/* The rule itself: quad 1 traps at once, quad 0 runs on until its budget is used up, or the other way round. */
TEST(lowest_quad_decides) {
    struct vliw_image *image = vmrun_assemble(".in generic 0 r0\n.gprs 8\n PRED P r0.x | TRAP\nloop: PRED N r0.x | BL loop\n END\n");
    struct vliw_program *p = NULL;
    struct vliw_error error;
    CHECK(image != NULL && vliw_program_create(image, &p, &error) == VLIW_OK);
    struct vliw_batch *batch = vliw_batch_create();
    CHECK(vliw_batch_bind(batch, p) == VLIW_OK);
    float *constants = calloc(vliw_program_constants(p) + 1, sizeof *constants);
    vliw_program_prepare(p, NULL, 0, constants);
    for (unsigned first = 0; first < VM_QUADS - 1; first++) {
        for (int order = 0; order < 2; order++) {
            float *in = vliw_batch_input(batch, 0, 0);
            memset(in, 0, VM_LANES * sizeof *in);
            in[4 * first + 3] = order == 0 ? 1.0f : -1.0f;
            in[4 * (VM_QUADS - 1)] = order == 0 ? -1.0f : 1.0f;
            struct vliw_run run = {.constants = constants, .budget = 1000};
            memset(&run.active, 0xFF, sizeof run.active);
            CHECK_EQ_INT(vliw_batch_run(batch, &run), order == 0 ? VLIW_ERR_TRAP : VLIW_ERR_BUDGET);
            CHECK_EQ_INT(run.fault_unit, order == 0 ? 0 : 2);
        }
    }
    free(constants);
    vliw_batch_destroy(batch);
    vliw_program_destroy(p);
    vliw_image_destroy(image);
}

/* The limit is per invocation: a batch of all lanes does not reach it sooner. */
TEST(budget_is_per_lane) {
    struct vliw_image *image = vmrun_assemble(".in generic 0 r0\n.gprs 8\nloop: ADD r0.x r0.x - #-1\n PRED P r0.x | BL loop\n END\n");
    struct vliw_program *p = NULL;
    struct vliw_error error;
    CHECK(image != NULL && vliw_program_create(image, &p, &error) == VLIW_OK);
    struct vliw_batch *batch = vliw_batch_create();
    CHECK(vliw_batch_bind(batch, p) == VLIW_OK);
    float *constants = calloc(vliw_program_constants(p), sizeof *constants);
    vliw_program_prepare(p, NULL, 0, constants);
    for (uint32_t budget = 2 * VM_LANES; budget <= 2 * VM_LANES + 2; budget++) {
        for (unsigned lane = 0; lane < VM_LANES; lane++) {
            vliw_batch_input(batch, 0, 0)[lane] = (float)(lane + 1);      /* 2 * (lane + 1) + 1 instructions */
        }
        struct vliw_run run = {.constants = constants, .budget = budget};
        memset(&run.active, 0xFF, sizeof run.active);
        enum vliw_status status = vliw_batch_run(batch, &run);
        CHECK_EQ_INT(status, budget < 2 * VM_LANES + 1 ? VLIW_ERR_BUDGET : VLIW_OK);
        if (status == VLIW_OK) {
            CHECK_EQ_INT(run.instructions, (uint64_t)VM_LANES * (VM_LANES + 1) + VM_LANES);
        }
    }
    free(constants);
    vliw_batch_destroy(batch);
    vliw_program_destroy(p);
    vliw_image_destroy(image);
}

TEST(objects) {
    struct vliw_image *image = vmrun_assemble(".stage vertex\n.in attrib 3 r1.xz\n.out position r0\n MOV r0 r1\n END\n");
    struct vliw_program *p = NULL;
    struct vliw_error error;
    CHECK(vliw_program_create(image, &p, &error) == VLIW_OK);
    struct vliw_batch *batch = vliw_batch_create();
    struct vliw_run none;
    memset(&none, 0, sizeof none);
    CHECK_EQ_INT(vliw_batch_run(batch, &none), VLIW_ERR_ARGUMENT);
    CHECK(vliw_batch_input(batch, 0, 0) == NULL && vliw_batch_bind(batch, p) == VLIW_OK);
    CHECK(vliw_batch_input(batch, 0, 0) != NULL && vliw_batch_input(batch, 0, 1) == NULL && vliw_batch_input(batch, 1, 0) == NULL);
    CHECK(vliw_batch_input(batch, 0, 2) != NULL && vliw_batch_input(batch, 0, 4) == NULL);
    CHECK((uintptr_t)vliw_batch_input(batch, 0, 2) % 64 == 0 && vliw_batch_output(batch, 0, 3) != NULL);
    CHECK_EQ_INT(vliw_batch_run(batch, &none), VLIW_OK);      /* nobody active: nothing to do */
    CHECK_EQ_INT(vliw_program_line(p, 0), 4);
    vliw_batch_destroy(batch);
    vliw_program_destroy(p);
    vliw_program_destroy(NULL);
    vliw_batch_destroy(NULL);
    vliw_image_destroy(image);
}
