/* SPDX-License-Identifier: MIT */
/*
 * Lanes that move together in loops (vm/exec/exec_compact.c): long loops with trip counts of each lane's own, with
 * branches, inner loops, derivatives and textures in divergent code, on every backend against the reference; and that
 * they really move where they should, and nowhere else.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/check.h"
#include "tests/simd/vmrun.h"
#include "vm/exec/exec.h"

/* r4.x = trips of the lane: mostly few, at most 200. r5 = trip. */
#define HEAD ".stage fragment\n.in generic 0 r0\n.in generic 1 r1\n.in generic 2 r2\n.in generic 3 r3\n.globals 8\n.gprs 9\n" \
             ".const c4 437.58 200 1 0.5\n.const c5 0 0.01 0 0\n.sampler s0 tex2d\n" \
             " SIN r4.x r0.x\n MUL r4.x r4.x - c4.x\n FRC r4.x r4.x\n MUL r4.x r4.x - r4.x\n MUL r4.x r4.x - c4.y\n" \
             " MOV r5 c5.x\n MOV r6 r1\n MOV r7 r2\n MOV r8 r3\n"
#define STEP " ADD r5.x r5.x - c4.z\n"
#define BACK " SLT r8.w r5.x - r4.x\n PRED NZ r8.w | BL loop\n"
#define WORK " MUL r6 r6 - c4.w\n ADD r6 r6 - r1.yzwx\n MUL r7.xy r6.zw - r6.xy\n FRC r7 r7\n ADD r8.xyz r8.xyz - r7.xyz\n" \
             " MUL r6.x r6.x - r7.y\n FRC r6 r6\n MAX r7.zw r6.xy - r7.xy\n MIN r6.y r6.z - r7.w\n ADD r6.z r6.x - -r7.y\n"

static const char plain_loop[] = HEAD "loop:" WORK STEP BACK " END\n";
static const char branches[] = HEAD "loop:" WORK
    " SLT r8.w r7.x - c4.w\n PRED NZ r8.w | BL other\n MUL r6 r6 - r7.x\n BL join\nother: ADD r6 r6 - r7\njoin:" STEP BACK " END\n";
static const char exits[] = HEAD "loop:" WORK
    " SLT r8.w r4.x - r5.x\n PRED NZ r8.w | BL out\n ADD r7.x r7.x - c4.z\n" STEP
    " SLT r8.w r5.x - c4.y\n PRED NZ r8.w | BL loop\n ADD r6 r6 - r7\nout: ADD r8 r8 - r6\n END\n";
static const char inner[] = HEAD "loop: MOV r5.y c5.x\ninner:" WORK " ADD r5.y r5.y - c4.z\n FRC r8.w r7.x\n MUL r8.w r8.w - #9\n"
    " SLT r8.w r5.y - r8.w\n PRED NZ r8.w | BL inner\n" STEP BACK " END\n";
static const char derivatives[] = HEAD "loop:" WORK " DDX r7 r6\n DDY r6.xy r8.zw\n ADD r8.x r7.w - r6.x\n" STEP BACK " END\n";
static const char textures[] = HEAD "loop:" WORK " TEX r7 r6 s0\n ADD r8.xyz r8.xyz - r7.xyz\n" STEP BACK " TEX r6 r8 s0\n END\n";
static const char quads_behind[] = HEAD "loop:" WORK STEP BACK " DDX r7 r6\n DDY r6 r8\n TEX r8 r7 s0\n END\n";
static const char discard[] = HEAD "loop:" WORK " SLT r8.w r7.x - c5.y\n PRED NZ r8.w | KIL\n" STEP BACK " END\n";

struct subject {
    const char *name, *text;
    bool quads, moves;
};
static const struct subject subjects[] = {
    {"plain", plain_loop, false, true}, {"branches", branches, false, true}, {"exits", exits, false, true},
    {"inner", inner, false, true}, {"derivatives", derivatives, true, true}, {"textures", textures, true, true},
    {"quads behind", quads_behind, true, true}, {"discard", discard, false, false},
};

TEST(against_the_reference) {
    vmrun_report_missing();
    for (size_t k = 0; k < sizeof subjects / sizeof subjects[0]; k++) {
        struct vliw_image *image = vmrun_assemble(subjects[k].text);
        for (unsigned i = 0; image != NULL && i < 12; i++) {
            struct vmrun r = {.image = image, .active = vmrun_mask(subjects[k].quads), .plain = i % 4 != 0, .budget = 1u << 20};
            if (i % 3 == 0) {
                memset(&r.active, 0xFF, sizeof r.active);
            }
            bool good = vmrun_compare(&r);
            CHECK(good);
            if (!good) {
                check_failf(__FILE__, __LINE__, "%s: %s", subjects[k].name, r.message);
                break;
            }
        }
        vliw_image_destroy(image);
    }
}

/* The budget may end in the middle of a loop whose lanes have moved. */
TEST(budget_runs_out) {
    struct vliw_image *image = vmrun_assemble(plain_loop);
    for (unsigned i = 0; image != NULL && i < 40; i++) {
        struct vmrun r = {.image = image, .active = vmrun_mask(false), .plain = true, .budget = 300 + 171 * i};
        CHECK(vmrun_compare(&r));
    }
    vliw_image_destroy(image);
}

/* Did a run with these inputs use the second register file? */
static bool moved(const struct subject *s, enum vliw_simd level) {
    struct vliw_image *image = vmrun_assemble(s->text);
    struct vliw_program *p = NULL;
    struct vliw_error error;
    bool found = false;
    vliw_simd_limit(level);
    CHECK(image != NULL && vliw_program_create(image, &p, &error) == VLIW_OK);
    struct vliw_batch *batch = vliw_batch_create();
    float *constants = p != NULL ? calloc(vliw_program_constants(p), sizeof *constants) : NULL;
    if (constants != NULL && vliw_batch_bind(batch, p) == VLIW_OK) {
        vliw_program_prepare(p, NULL, 0, constants);
        for (uint32_t i = 0; i < 16; i++) {
            float *in = vliw_batch_input(batch, i / 4, i % 4);
            for (unsigned lane = 0; in != NULL && lane < VM_LANES; lane++) {
                in[lane] = 0.37f * (float)lane + 0.11f * (float)i;
            }
        }
        struct vliw_run run = {.constants = constants, .sample = vmrun_sample};
        memset(&run.active, 0xFF, sizeof run.active);
        CHECK_EQ_INT(vliw_batch_run(batch, &run), VLIW_OK);
        const size_t first = ((size_t)p->slots + 1) << VM_SLOT_SHIFT;
        for (size_t i = first; i < batch->size && i < 2 * first; i++) {
            found = found || batch->regs[i] != 0;
        }
    }
    free(constants);
    vliw_batch_destroy(batch);
    vliw_program_destroy(p);
    vliw_image_destroy(image);
    return found;
}

TEST(they_move) {
    enum vliw_simd levels[VLIW_SIMD_COUNT];
    unsigned n = vmrun_levels(levels);
    for (unsigned l = 0; l < n; l++) {
        for (size_t k = 0; k < sizeof subjects / sizeof subjects[0]; k++) {
            bool yes = moved(&subjects[k], levels[l]);
            if (levels[l] == VLIW_SIMD_SCALAR && subjects[k].quads) {
                continue;      /* a pass is two quads: little to win */
            }
            if (yes != subjects[k].moves) {
                check_failf(__FILE__, __LINE__, "%s, %s: lanes %s", subjects[k].name, vliw_simd_name(levels[l]),
                            yes ? "moved" : "stayed");
            }
            CHECK(yes == subjects[k].moves);
        }
    }
    vliw_simd_limit((enum vliw_simd)(VLIW_SIMD_COUNT - 1));
}
