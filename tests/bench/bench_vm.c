/* SPDX-License-Identifier: MIT */
/*
 * Speed of the executor: ns per lane, and ps per micro-operation and lane, of the programs p1..p6 of the
 * design's performance notes, on every backend. Thread CPU time, medians of interleaved rounds, inputs in
 * cache. Usage: bench_vm [rounds [program [dump]]]; VLGL_SIMD takes one backend
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vm/base/cpu.h"
#include "vm/exec/exec.h"

#define MAX_ROUNDS 64
#ifndef WINDOW
#define WINDOW 200e3
#endif
#define PROGRAMS 10

struct subject {
    const char *name;
    char text[8192];
    struct vliw_program *program[VLIW_SIMD_COUNT];
    struct vliw_batch *batch[VLIW_SIMD_COUNT];
    float *constants[VLIW_SIMD_COUNT];
    double ns[VLIW_SIMD_COUNT][MAX_ROUNDS];
};

static struct subject subjects[PROGRAMS];

static void line(struct subject *s, const char *text) {
    strncat(s->text, text, sizeof s->text - strlen(s->text) - 2);
    strcat(s->text, "\n");
}

/* ---- The programs ---- */

static void dot3(struct subject *s, const char *d, const char *a, const char *b) {
    char t[200];
    snprintf(t, sizeof t, " MUL r9.xyz %s - %s\n ADD r9.x r9.x - r9.y\n ADD %s r9.x - r9.z", a, b, d);
    line(s, t);
}
static void normalize(struct subject *s, const char *v) {
    char t[200], masked[20];
    snprintf(masked, sizeof masked, "%s.xyz", v);
    dot3(s, "r9.x", v, v);
    snprintf(t, sizeof t, " RSQ r9.x r9.x\n MUL %s %s - r9.x", masked, v);
    line(s, t);
}

/* Two lights with attenuation and a reflected highlight: 4 rsq, 2 rcp, 2 pow. */
static void make_p3(struct subject *s) {
    line(s, ".stage fragment\n.in varying 0 r0.xyz\n.in varying 1 r1.xyz\n.out color 0 r8\n.globals 10");
    normalize(s, "r0");
    line(s, " ADD r2.xyz -r1 - c2");
    normalize(s, "r2");
    line(s, " MOV r8 c6");
    for (int light = 0; light < 2; light++) {
        char t[300];
        snprintf(t, sizeof t, " ADD r3.xyz -r1 - c%d", light);
        line(s, t);
        dot3(s, "r4.x", "r3", "r3");
        line(s, " RSQ r4.y r4.x\n MUL r3.xyz r3 - r4.y");
        dot3(s, "r4.z", "r0", "r3");
        line(s, " ADD r4.w r4.z - r4.z\n MUL r5.xyz r0 - r4.w\n ADD r5.xyz -r3 - r5");
        dot3(s, "r5.x", "r5", "r2");
        line(s, " MAX r4.z r4.z - #0\n MAX r5.x r5.x - #0\n LG2 r5.x r5.x\n MUL r5.x r5.x - c5.x\n EX2 r5.x r5.x");
        snprintf(t, sizeof t, " MUL r4.x r4.x - c%d.w\n ADD r4.x r4.x - #1\n RCP r4.x r4.x\n MUL r6.xyz r4.z - c3\n MUL r7.xyz r5.x - c4\n"
                 " ADD r6.xyz r6 - r7\n MUL r6.xyz r6 - r4.x\n ADD r8.xyz r8 - r6", light);
        line(s, t);
    }
    line(s, " MOVs r8 r8\n END");
}

/* 64 dependent multiply-adds on vec4, with varying or uniform operands. */
static void make_p4(struct subject *s, const char *a, const char *b) {
    line(s, ".stage fragment\n.in varying 0 r0\n.in varying 1 r1\n.in varying 2 r2\n.in varying 3 r3\n.out color 0 r4\n.globals 4\n MOV r4 r3");
    for (int i = 0; i < 64; i++) {
        char t[100];
        snprintf(t, sizeof t, " MUL r4 r4 - %s\n ADD r4 r4 - %s", i % 2 ? a : b, i % 3 ? b : a);
        line(s, t);
    }
    line(s, " END");
}

static void make_p5(struct subject *s) {
    line(s, ".stage vertex\n.in attrib 0 r0\n.in attrib 1 r1.xyz\n.out position r2\n.out varying 0 r5\n.globals 12\n"
            " MUL r2 c0 - r0.x\n MUL r3 c1 - r0.y\n ADD r2 r2 - r3\n MUL r3 c2 - r0.z\n ADD r2 r2 - r3\n MUL r3 c3 - r0.w\n ADD r2 r2 - r3\n"
            " MUL r4.xyz c4 - r1.x\n MUL r3.xyz c5 - r1.y\n ADD r4.xyz r4 - r3\n MUL r3.xyz c6 - r1.z\n ADD r4.xyz r4 - r3");
    dot3(s, "r3.x", "r4", "r4");
    line(s, " RSQ r3.x r3.x\n MUL r4.xyz r4 - r3.x");
    dot3(s, "r3.x", "r4", "c7");
    line(s, " MAX r3.x r3.x - #0\n MUL r5 c8 - r3.x\n ADD r5 r5 - c9\n END");
}

static void make_p6(struct subject *s) {
    line(s, ".stage fragment\n.in varying 0 r0.xy\n.out color 0 r3\n.globals 2\n.const c1 0 1 64 4\n MOV r1 c1.x\n MOV r2 c1.x\n MOV r3 c1.x\n"
            "loop: MUL r2.xy r1 - r1\n MUL r2.z r1.x - r1.y\n ADD r2.w r2.x - r2.y\n ADD r1.x r2.x - -r2.y\n ADD r1.x r1.x - r0.x\n"
            " ADD r1.y r2.z - r2.z\n ADD r1.y r1.y - r0.y\n SGE r2.w r2.w - c1.w\n PRED NZ r2.w | BL out\n ADD r3.x r3.x - #1\n"
            " SLT r2.w r3.x - c1.z\n PRED NZ r2.w | BL loop\nout: MUL r3.x r3.x - #0.015625\n END");
}

/* p6 in doubles. */
static void make_p6d(struct subject *s) {
    line(s, ".stage fragment\n.in varying 0 r0.xy\n.out color 0 r8\n.globals 2\n.const c1 0 1 64 4\n"
            "f2d r4.xy, r0.x\nf2d r4.zw, r0.y\nf2d r7.xy, c1.w\nf2d r1.xy, c1.x\nf2d r1.zw, c1.x\n MOV r8 c1.x\n"
            "loop: d_mul r2.xy, r1.xy, r1.xy\nd_mul r2.zw, r1.zw, r1.zw\nd_mul r3.xy, r1.xy, r1.zw\nd_add r3.zw, r2.xy, r2.zw\n"
            "d_add r1.xy, r2.xy, -r2.zw\nd_add r1.xy, r1.xy, r4.xy\nd_add r1.zw, r3.xy, r3.xy\nd_add r1.zw, r1.zw, r4.zw\n"
            "d_sge r5.x, r3.zw, r7.xy\n PRED NZ r5.x | BL out\n ADD r8.x r8.x - #1\n"
            " SLT r5.x r8.x - c1.z\n PRED NZ r5.x | BL loop\nout: MUL r8.x r8.x - #0.015625\n END");
}

static void make_all(void) {
    static const char *const names[PROGRAMS] = {"p1", "p2", "p3", "p4", "p4u", "p5", "p6", "tex", "null", "p6d"};
    for (int i = 0; i < PROGRAMS; i++) {
        subjects[i].name = names[i];
    }
    line(&subjects[0], ".stage fragment\n.in varying 0 r0\n.out color 0 r1\n.globals 1\n MUL r1 r0 - c0\n END");
    line(&subjects[1], ".stage fragment\n.in varying 0 r0\n.in varying 1 r1\n.in varying 2 r2.x\n.out color 0 r3\n"
                       " RCP r2.x r2.x\n MUL r3 r0 - r2.x\n MUL r4.xy r1 - r2.x\n MUL r3 r3 - r4.xyxy\n END");
    make_p3(&subjects[2]);
    make_p4(&subjects[3], "r0", "r1");
    make_p4(&subjects[4], "c0", "c1");
    make_p5(&subjects[5]);
    make_p6(&subjects[6]);
    line(&subjects[7], ".stage fragment\n.in varying 0 r0\n.out color 0 r1\n.globals 1\n.sampler s0 tex2d\n TEX r1 r0 s0\n MUL r1 r1 - c0\n END");
    line(&subjects[8], ".stage fragment\n.in varying 0 r0\n.out color 0 r0\n END");
    make_p6d(&subjects[9]);
}

/* ---- Measurement ---- */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/*
 * Clock rate now, by a chain of dependent additions: shared machines change it all the time, so each
 * measurement is scaled to 3.5 GHz, the clock of the design's table.
 */
static double gigahertz(void) {
    uint64_t x = 1;
    double start = now();
    for (int i = 0; i < 10000; i++) {
#if defined(__GNUC__) && defined(__x86_64__)
        __asm__ volatile("add %0, %0\n add %0, %0\n add %0, %0\n add %0, %0\n add %0, %0\n add %0, %0\n add %0, %0\n add %0, %0" : "+r"(x));
#endif
    }
    double t = now() - start;
    return x == 0 && t > 0.0 ? 80000.0 / t : 3.5;
}

static void no_sample(void *context, const struct vliw_tex_request *request) {
    (void)context;
    for (int c = 0; c < 4; c++) {
        memcpy(request->result[c], request->coord[0], VM_LANES * sizeof(float));
    }
}

static void fill(struct subject *s, struct vliw_batch *batch, const struct vliw_program *p, bool mandelbrot) {
    const struct vliw_info *info = vliw_program_info(p);
    (void)s;
    for (uint32_t i = 0; i < info->input_count * 4; i++) {
        float *in = vliw_batch_input(batch, i / 4, i % 4);
        for (unsigned lane = 0; in != NULL && lane < VM_LANES; lane++) {
            unsigned x = lane / 4 % 8 * 2 + lane % 2, y = lane / 4 / 8 * 2 + lane / 2 % 2;
            in[lane] = s == &subjects[0] || s == &subjects[1] ? 1.0f : mandelbrot ? (i % 4 == 0 ? -0.75f + (float)x * 0.004f : 0.12f + (float)y * 0.02f)
                                  : 0.25f + 0.01f * (float)((lane * 7 + i * 3) % 61);
        }
    }
}

static void create(struct subject *s, enum vliw_simd level, bool mandelbrot) {
    struct vliw_image *image;
    struct vliw_error error;
    vliw_simd_limit(level);
    if (vliw_assemble(s->text, strlen(s->text), &image, &error) != VLIW_OK ||
        vliw_program_create(image, &s->program[level], &error) != VLIW_OK) {
        printf("%s: %d:%d %s\n", s->name, (int)error.line, (int)error.column, error.message);
        exit(1);
    }
    vliw_image_destroy(image);
    struct vliw_program *p = s->program[level];
    s->batch[level] = vliw_batch_create();
    if (vliw_batch_bind(s->batch[level], p) != VLIW_OK) {
        exit(1);
    }
    s->constants[level] = calloc(vliw_program_constants(p), sizeof(float));
    float globals[48];
    for (int i = 0; i < 48; i++) {
        globals[i] = s == &subjects[0] ? 1.0f : 0.5f + 0.01f * (float)i;
    }
    vliw_program_prepare(p, globals, 12, s->constants[level]);
    fill(s, s->batch[level], p, mandelbrot);
}

static double run_once(struct subject *s, enum vliw_simd level, bool mandelbrot) {
    struct vliw_run run = {.constants = s->constants[level], .sample = no_sample};
    memset(&run.active, 0xFF, sizeof run.active);
    double best = 0.0;
    for (unsigned n = 1;; n *= 2) {
        double start = now();
        for (unsigned i = 0; i < n; i++) {
            if (mandelbrot) {
                vliw_batch_run(s->batch[level], &run);
            } else {      /* inputs stay as they are: slots of dead inputs may be reused, contents do not matter */
                vliw_batch_run(s->batch[level], &run);
            }
        }
        double t = now() - start;
        best = t / n / VM_LANES;
        if (t > WINDOW) {
            return best * gigahertz() / 3.5;
        }
    }
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static const char *const handler_names[VM_H_COUNT] = {
#define VM_N(n) [VM_H_##n] = #n,
#define VM_FORM1(n, k) VM_N(n##_##k) VM_N(n##_##k##_S)
#define VM_FORM2(n, k0, k1) VM_N(n##_##k0##k1) VM_N(n##_##k0##k1##_S)
#define VM_FORM3(n, k0, k1, k2) VM_N(n##_##k0##k1##k2) VM_N(n##_##k0##k1##k2##_S)
#define VM_FORMF(n, k) VM_N(n##_##k) VM_N(n##_##k##_S)
#define VM_FORMQ(n) VM_N(n##_R) VM_N(n##_R_S)
#define VM_FORMC(n, k0, k1) VM_N(n##_##k0##k1)
#define VM_SYS(n) VM_N(n)
#include "vm/exec/forms.def"
};

static uintptr_t handler_of(const struct vliw_program *p, const struct vm_uop *u) {
    const void *const *labels = p->kernel->labels();
    uintptr_t h = u->h.index;
    if (labels != NULL) {
        for (h = 0; h < VM_H_COUNT && labels[h] != u->h.handler; h++) {
        }
    }
    return h;
}

static void dump(const struct vliw_program *p) {
    for (uint32_t b = 0; b < p->block_count; b++) {
        for (unsigned m = 0; m < (p->one_block ? 1u : 2u); m++) {
            printf("block %u, %u instructions%s\n", b, p->blocks[b].count, m ? ", masked" : "");
            for (const struct vm_uop *u = p->blocks[b].stream[m];; u++) {
                uintptr_t h = handler_of(p, u);
                printf("  %-14s %6x %6x %6x %6x\n", handler_names[h], u->o[0], u->o[1], u->o[2], u->o[3]);
                if (h == VM_H_JUMP || h == VM_H_BRANCH || (h == VM_H_EXIT && u->o[0] == VM_EXIT_END)) {
                    break;
                }
            }
        }
    }
}

/* Micro-operations of the first block's plain stream, flow not counted. */
static unsigned micro_ops(const struct vliw_program *p) {
    const struct vm_uop *u = p->blocks[0].stream[0];
    unsigned n = 0;
    for (;; u++) {
        uintptr_t h = handler_of(p, u);
        if (h == VM_H_EXIT || h == VM_H_JUMP || h == VM_H_BRANCH) {
            return n;
        }
        n++;
    }
}

int main(int argc, char **argv) {
    unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 15;
    rounds = rounds < 1 ? 1 : rounds > MAX_ROUNDS ? MAX_ROUNDS : rounds;
    unsigned available = getenv("VLGL_SIMD") != NULL ? 1u << cpu_simd_level() : cpu_simd_available();
    make_all();
    for (int i = 0; i < PROGRAMS; i++) {
        for (int l = 0; l < VLIW_SIMD_COUNT; l++) {
            if (available >> l & 1u) {
                create(&subjects[i], (enum vliw_simd)l, i == 6 || i == 9);
            }
        }
    }
    for (int i = 0; argc > 3 && i < PROGRAMS; i++) {      /* bench_vm 1 p6 dump */
        if (strcmp(argv[2], subjects[i].name) == 0) {
            dump(subjects[i].program[cpu_simd_level()]);
        }
    }
    for (unsigned r = 0; r < rounds; r++) {
        for (int i = 0; i < PROGRAMS; i++) {
            for (int l = 0; l < VLIW_SIMD_COUNT; l++) {
                if ((available >> l & 1u) && (argc < 3 || strcmp(argv[2], subjects[i].name) == 0)) {
                    subjects[i].ns[l][r] = run_once(&subjects[i], (enum vliw_simd)l, i == 6 || i == 9);
                }
            }
        }
    }
    printf("VM_LANES %d, median of %u, ns a lane at 3.5 GHz (ps a micro-operation and lane)\n%-6s%8s", VM_LANES, rounds, "", "u-ops");
    for (int l = 0; l < VLIW_SIMD_COUNT; l++) {
        if (available >> l & 1u) {
            printf("%18s", vliw_simd_name((enum vliw_simd)l));
        }
    }
    printf("\n");
    for (int i = 0; i < PROGRAMS; i++) {
        unsigned n = 0;
        if (argc >= 3 && strcmp(argv[2], subjects[i].name) != 0) {
            continue;
        }
        for (int l = 0; l < VLIW_SIMD_COUNT; l++) {
            if (available >> l & 1u) {
                n = micro_ops(subjects[i].program[l]);
            }
        }
        printf("%-6s%8u", subjects[i].name, n);
        for (int l = 0; l < VLIW_SIMD_COUNT; l++) {
            if (available >> l & 1u) {
                qsort(subjects[i].ns[l], rounds, sizeof(double), by_value);
                double ns = subjects[i].ns[l][rounds / 2];
                printf("%10.3f (%5.0f)", ns, n != 0 ? ns * 1e3 / n : 0.0);
            }
        }
        printf("\n");
    }
    return 0;
}
