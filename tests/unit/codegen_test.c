/* SPDX-License-Identifier: MIT */
/* The code generator: random functions compiled with and without the optimiser, verified, run by
   the reference interpreter and compared with the evaluator of IR, bit for bit; limits; code size.
 */
#include "tests/unit/ir_random.h"

#include <stdio.h>

#include "vm/codegen/cg.h"

/* Flags of compile_and_compare: something must spill; run by the executor. */
enum { SPILLS = 1, BATCH = 2 };

/* Four equal lanes, so that derivatives are x - x. */
static void sample(void *context, const struct vliw_tex_request *request) {
    (void)context;
    for (unsigned lane = 0; lane < 4; lane++) {
        float coord[3] = {0.0f, 0.0f, 0.0f};
        float out[4];
        unsigned comps = 0;
        while (comps < 3 && request->coord[comps]) {
            coord[comps] = request->coord[comps][lane];
            comps++;
        }
        /* 2D reads two coordinates even when the machine hands over three. */
        unsigned used = request->sampler == 2 ? 3 : 2;
        fake_texel(request->sampler, request->kind, coord, used < comps ? used : comps,
                   request->lod ? request->lod[lane] : 0.0f, out);
        for (unsigned c = 0; c < 4; c++) {
            request->result[c][lane] = out[c];
        }
    }
}

struct outcome {
    enum vliw_status status;
    float outputs[16][4];
    bool killed;
};

static unsigned output_number(const struct vliw_io *io) {
    return io->semantic == VLIW_SEM_VARYING ? 1 : 0;
}

static void start_run(struct vliw_run *run) {
    memset(run, 0, sizeof *run);
    run->active.w[0] = 15;
    run->sample = sample;
    run->budget = 1000000;
}

/* By the reference interpreter. */
static void run_reference(const struct vliw_program *program, const struct eval *data,
                          struct outcome *out) {
    const struct vliw_info *info = vliw_program_info(program);
    uint32_t *gpr = calloc((size_t)(info->gprs + 1) * 16, sizeof *gpr);
    for (uint32_t i = 0; i < info->input_count; i++) {
        const struct vliw_io *io = &info->inputs[i];
        for (unsigned c = 0; c < 4; c++) {
            for (unsigned lane = 0; lane < 4 && io->mask & 1u << c; lane++) {
                gpr[(io->reg * 4u + c) * 4u + lane] = bits_from_float(data->inputs[io->index][c]);
            }
        }
    }
    struct vliw_run run;
    start_run(&run);
    out->status = vliw_ref_run(program, gpr, (const uint32_t *)data->uniforms, 64, &run);
    out->killed = (run.live.w[0] & 15) == 0;
    for (uint32_t i = 0; i < info->output_count; i++) {
        const struct vliw_io *io = &info->outputs[i];
        for (unsigned c = 0; c < 4; c++) {
            out->outputs[output_number(io)][c] = bits_to_float(gpr[(io->reg * 4u + c) * 4u]);
        }
    }
    free(gpr);
}

/* By the executor, on whatever backend is chosen. */
static void run_batch(const struct vliw_program *program, const struct eval *data,
                      struct outcome *out) {
    const struct vliw_info *info = vliw_program_info(program);
    struct vliw_batch *batch = vliw_batch_create();
    float *constants = calloc(vliw_program_constants(program) + 16, sizeof *constants);
    CHECK_EQ_INT(vliw_batch_bind(batch, program), VLIW_OK);
    vliw_program_prepare(program, &data->uniforms[0][0], 64, constants);
    for (uint32_t i = 0; i < info->input_count; i++) {
        for (unsigned c = 0; c < 4; c++) {
            float *in = vliw_batch_input(batch, i, c);
            for (unsigned lane = 0; in && lane < 4; lane++) {
                in[lane] = data->inputs[info->inputs[i].index][c];
            }
        }
    }
    struct vliw_run run;
    start_run(&run);
    run.constants = constants;
    out->status = vliw_batch_run(batch, &run);
    out->killed = (run.live.w[0] & 15) == 0;
    for (uint32_t i = 0; i < info->output_count; i++) {
        for (unsigned c = 0; c < 4; c++) {
            const float *from = vliw_batch_output(batch, i, c);
            out->outputs[output_number(&info->outputs[i])][c] = from ? from[0] : 0.0f;
        }
    }
    free(constants);
    vliw_batch_destroy(batch);
}

static bool run_image(const struct vliw_image *image, const struct eval *data, bool in_batch,
                      struct outcome *out, unsigned seed) {
    struct vliw_program *program = NULL;
    struct vliw_error error;
    memset(out, 0, sizeof *out);
    enum vliw_status status = vliw_program_create(image, &program, &error);
    check_count();
    if (status != VLIW_OK) {
        check_failf(__FILE__, __LINE__, "seed %u: refused by the verifier: %s", seed,
                    error.message);
        return false;
    }
    if (in_batch) {
        run_batch(program, data, out);
    } else {
        run_reference(program, data, out);
    }
    vliw_program_destroy(program);
    return true;
}

static void compile_and_compare(unsigned seed, bool no_optimise, int budget, uint32_t uniforms,
                                unsigned variables, unsigned flags) {
    struct arena arena;
    struct eval ev = {0};
    struct cg_stats stats;
    char message[200];
    arena_init(&arena, 0);
    check_seed(seed);
    struct ir_fn *fn = gen_function(&arena, budget, uniforms, variables);
    eval_data(&ev, uniforms);
    eval_run(&ev, fn);
    struct ir_options ir_options = {.no_optimise = no_optimise};
    struct cg_options options = {.no_optimise = no_optimise};
    CHECK(ir_optimise(fn, &ir_options));
    struct vliw_image *image = cg_compile(fn, &options, &stats, message, sizeof message);
    check_count();
    if (!image) {
        check_failf(__FILE__, __LINE__, "seed %u: %s", seed, message);
    } else {
        struct outcome out;
        CHECK(!(flags & SPILLS) || stats.spills > 0);
        if (run_image(image, &ev, flags & BATCH, &out, seed) && !ev.too_long) {
            CHECK_EQ_INT(out.status, VLIW_OK);
            CHECK_EQ_INT(out.killed, ev.killed);
            /* A discarded fragment's outputs are nobody's. */
            for (uint32_t o = 0; !ev.killed && o < fn->output_count; o++) {
                for (unsigned c = 0; c < fn->outputs[o].comps; c++) {
                    if (!same_float(ev.outputs[o][c], out.outputs[o][c])) {
                        check_failf(__FILE__, __LINE__, "seed %u%s: output %u.%c is %08x, not %08x",
                                    seed, no_optimise ? " plain" : "", (unsigned)o, "xyzw"[c],
                                    (unsigned)bits_from_float(out.outputs[o][c]),
                                    (unsigned)bits_from_float(ev.outputs[o][c]));
                        o = fn->output_count - 1;
                        break;
                    }
                }
            }
        }
    }
    vliw_image_destroy(image);
    arena_fini(&arena);
}

static unsigned rounds(unsigned usual) {
    const char *text = getenv("VLGL_FUZZ");
    return text ? (unsigned)strtoul(text, NULL, 10) : usual;
}

TEST(random_programs_compute_what_the_ir_says) {
    for (unsigned seed = 1; seed <= rounds(1000); seed++) {
        compile_and_compare(seed, seed % 3 == 0, 10 + (int)(seed % 60), 16, 1 + seed % 6, 0);
    }
}

/* Uniforms and literals beyond the directly addressed registers. */
TEST(random_programs_with_many_uniforms) {
    for (unsigned seed = 1; seed <= rounds(300); seed++) {
        compile_and_compare(seed + 100000, seed % 3 == 0, 20 + (int)(seed % 50), 60, 1 + seed % 6,
                            0);
    }
}

/* More live values than the file has direct registers. */
TEST(random_programs_with_high_pressure) {
    for (unsigned seed = 1; seed <= rounds(60); seed++) {
        compile_and_compare(seed + 200000, false, 200 + (int)(seed % 200), 40, 80 + seed % 40, 0);
    }
}

/* The same programs by the executor's decoder and kernels. */
TEST(random_programs_in_batches) {
    for (unsigned seed = 1; seed <= rounds(400); seed++) {
        compile_and_compare(seed, seed % 3 == 0, 10 + (int)(seed % 60), 16, 1 + seed % 6, BATCH);
        if (seed % 4 == 0) {
            compile_and_compare(seed + 100000, false, 20 + (int)(seed % 50), 60, 1 + seed % 6,
                                BATCH);
        }
        if (seed % 20 == 0) {
            compile_and_compare(seed + 200000, false, 200 + (int)(seed % 200), 40, 80 + seed % 40,
                                BATCH);
        }
    }
}

/* ---- limits
 * --------------------------------------------------------------------------------------- */

/* Memory may run out at any allocation: a message or an image, and nothing else happens. */
TEST(memory_that_runs_out) {
    for (unsigned seed = 1; seed <= 8; seed++) {
        size_t step = 300 + seed * 97;
        bool done = false;
        for (size_t extra = 0; !done; extra += step) {
            struct arena arena;
            char message[200] = "";
            arena_init(&arena, 0);
            check_seed(seed);
            struct ir_fn *fn = gen_function(&arena, 30, 40, 3);
            arena.limit = arena.used + extra;
            struct ir_options ir_options = {.no_optimise = seed % 3 == 0};
            bool optimised = ir_optimise(fn, &ir_options);
            struct vliw_image *image = cg_compile(fn, NULL, NULL, message, sizeof message);
            CHECK(!image || optimised);
            CHECK(image ? message[0] == '\0' : message[0] != '\0');
            done = image != NULL;
            vliw_image_destroy(image);
            arena_fini(&arena);
        }
    }
}

static struct ir_builder start(struct arena *arena, uint32_t uniforms, uint8_t out_comps) {
    arena_init(arena, 0);
    struct ir_fn *fn = ir_fn_create(arena, "test", true);
    struct ir_builder b = {.fn = fn};
    fn->uniform_regs = uniforms;
    ir_add_input(fn, "a", VLIW_SEM_VARYING, 0, 4);
    ir_add_input(fn, "b", VLIW_SEM_VARYING, 1, 4);
    ir_add_output(fn, "o", out_comps == 1 ? VLIW_SEM_DEPTH : VLIW_SEM_COLOR, 0, out_comps);
    ir_begin(&b, ir_block_create(fn));
    return b;
}

/* Ends the function and compiles it. */
static struct vliw_image *finish(struct ir_builder *b, uint8_t mask, struct ir_src result,
                                 struct cg_stats *stats, char *message, size_t size) {
    ir_output(b, 0, mask, result);
    ir_return(b);
    CHECK(ir_optimise(b->fn, NULL));
    return cg_compile(b->fn, NULL, stats, message, size);
}

TEST(limits_have_messages) {
    struct arena arena;
    char message[200];
    struct ir_builder b = start(&arena, 1, 4);
    uint32_t var = ir_add_var(b.fn, "huge", 4, 2000);
    struct ir_src a = ir_input(&b, 0);
    struct ir_src index = ir_comp(a, 0);
    ir_store(&b, var, 0, &index, 15, a);
    struct vliw_image *image =
        finish(&b, 15, ir_load(&b, var, 7, &index), NULL, message, sizeof message);
    CHECK(!image);
    CHECK_STR(message,
              "too many array elements: dynamically indexed arrays exceed the register file");
    arena_fini(&arena);

    b = start(&arena, 1, 4);
    a = ir_input(&b, 0);
    for (unsigned i = 0; i < 20000; i++) {
        a = ir_op2(&b, IR_ADD,
                   ir_op2(&b, IR_MUL, a, ir_swizzle(a, 4, (const uint8_t[]){1, 2, 3, 0})),
                   ir_input(&b, 1));
    }
    image = finish(&b, 15, a, NULL, message, sizeof message);
    CHECK(!image);
    CHECK_STR(message, "program too long: more than 32768 instruction words");
    arena_fini(&arena);

    b = start(&arena, 4090, 4);
    a = ir_input(&b, 0);
    for (unsigned i = 0; i < 40; i++) {
        a = ir_op2(&b, IR_ADD, a, ir_float(&b, 1000.25f + (float)i));
    }
    image = finish(&b, 15, a, NULL, message, sizeof message);
    CHECK(!image);
    CHECK_STR(message, "too many uniforms and literals: the constant file has 4096 registers");
    arena_fini(&arena);
}

/* ---- code size: the kernels of the papers
 * --------------------------------------------------------- */

TEST(dot4_takes_three_words) {
    struct arena arena;
    struct cg_stats stats;
    char message[200];
    struct ir_builder b = start(&arena, 1, 1);
    struct ir_src dot = ir_dot(&b, ir_input(&b, 0), ir_input(&b, 1));
    struct vliw_image *image = finish(&b, 1, dot, &stats, message, sizeof message);
    CHECK(image != NULL);
    CHECK_EQ_INT(stats.words, 4); /* MUL A B, ADD A.xy A.zw, ADD A.x A.y with END beside it */
    CHECK_EQ_INT(stats.instructions, 3);
    vliw_image_destroy(image);
    arena_fini(&arena);
}

TEST(matrix_times_vector) {
    struct arena arena;
    struct cg_stats stats;
    char message[200];
    struct ir_builder b = start(&arena, 4, 4);
    struct ir_src v = ir_input(&b, 0);
    struct ir_src sum = ir_op2(&b, IR_MUL, ir_uniform(&b, 0, 0, 4, NULL, 1), ir_comp(v, 0));
    for (unsigned i = 1; i < 4; i++) {
        sum = ir_op2(&b, IR_ADD, sum,
                     ir_op2(&b, IR_MUL, ir_uniform(&b, i, 0, 4, NULL, 1), ir_comp(v, i)));
    }
    struct vliw_image *image = finish(&b, 15, sum, &stats, message, sizeof message);
    CHECK(image != NULL);
    CHECK_EQ_INT(stats.words, 12); /* isa.md section 5: 11 words, 5 instructions, and END */
    CHECK_EQ_INT(stats.instructions, 5);
    vliw_image_destroy(image);
    arena_fini(&arena);
}
