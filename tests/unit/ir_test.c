/* SPDX-License-Identifier: MIT */
/* The IR: builder, validator, SSA construction, each pass, and random functions before and after.
 */
#include "tests/unit/ir_random.h"

#include <stdio.h>

static void compare(const struct eval *a, const struct eval *b, const struct ir_fn *fn,
                    const char *what, unsigned seed) {
    if (a->too_long || b->too_long) {
        return;
    }
    for (uint32_t o = 0; o < fn->output_count; o++) {
        for (unsigned c = 0; c < 4; c++) {
            check_count();
            if (!same_float(a->outputs[o][c], b->outputs[o][c])) {
                check_failf(__FILE__, __LINE__, "%s, seed %u: output %u.%c is %08x, not %08x", what,
                            seed, (unsigned)o, "xyzw"[c],
                            (unsigned)bits_from_float(b->outputs[o][c]),
                            (unsigned)bits_from_float(a->outputs[o][c]));
                return;
            }
        }
    }
    if (a->killed != b->killed) {
        check_failf(__FILE__, __LINE__, "%s, seed %u: discard differs", what, seed);
    }
}

static void random_optimise(unsigned seed, bool no_optimise) {
    struct arena arena;
    struct eval before = {0};
    struct eval after = {0};
    arena_init(&arena, 0);
    check_seed(seed);
    struct ir_fn *fn =
        gen_function(&arena, 10 + (int)check_random_below(60), 16, 1 + check_random_below(6));
    eval_data(&before, 16);
    memcpy(after.inputs, before.inputs, sizeof after.inputs);
    memcpy(after.uniforms, before.uniforms, sizeof after.uniforms);
    uint32_t where;
    const char *fault = ir_validate(fn, &where);
    CHECK_STR(fault ? fault : "", "");
    eval_run(&before, fn);
    struct ir_options options = {.no_optimise = no_optimise};
    CHECK(ir_optimise(fn, &options));
    fault = ir_validate(fn, &where);
    CHECK_STR(fault ? fault : "", "");
    eval_run(&after, fn);
    compare(&before, &after, fn, no_optimise ? "plain" : "optimised", seed);
    arena_fini(&arena);
}

static unsigned rounds(unsigned usual) {
    const char *text = getenv("VLGL_FUZZ");
    return text ? (unsigned)strtoul(text, NULL, 10) : usual;
}

TEST(random_functions_keep_their_meaning) {
    for (unsigned seed = 1; seed <= rounds(1500); seed++) {
        random_optimise(seed, false);
        random_optimise(seed, true);
    }
}

/* ---- passes on text
 * ------------------------------------------------------------------------------- */

/* Ids in order of appearance, so that texts compare. */
static void renumber(struct ir_fn *fn) {
    uint32_t next = 1;
    for (uint32_t i = 0; i < fn->block_count; i++) {
        struct ir_block *block = fn->blocks[i];
        block->id = i;
        for (uint32_t k = 0; k < block->param_count; k++) {
            block->params[k]->id = next++;
        }
        for (struct ir_inst *inst = block->first; inst; inst = inst->next) {
            inst->id = next++;
        }
    }
}

typedef bool (*pass_fn)(struct ir_fn *fn);

static bool run_local(struct ir_fn *fn) {
    for (unsigned i = 0; i < 4; i++) {
        ir_opt_simplify(fn);
        ir_opt_dce(fn);
    }
    return true;
}

static bool run_flow(struct ir_fn *fn) {
    for (unsigned i = 0; i < 3; i++) {
        ir_opt_unroll(fn);
        ir_build_ssa(fn);
        ir_opt_blocks(fn);
        ir_opt_ifconv(fn);
        ir_opt_blocks(fn);
        run_local(fn);
    }
    return true;
}

static bool run_lower(struct ir_fn *fn) {
    ir_lower(fn);
    return run_local(fn);
}

static bool run_hoist(struct ir_fn *fn) {
    ir_dominators(fn->blocks, fn->block_count);
    return ir_opt_hoist(fn);
}

static bool run_ssa(struct ir_fn *fn) {
    ir_build_ssa(fn);
    return run_local(fn);
}

static char *print_text(struct ir_fn *fn) {
    struct str text;
    str_init(&text);
    renumber(fn);
    ir_print(fn, &text);
    return str_take(&text);
}

#define HEAD "fragment t uniforms 4 ssa\ninput 1 0 4 a\ninput 1 1 4 b\noutput 7 0 4 c\n"
#define VARS                                                                                       \
    "fragment t uniforms 4\ninput 1 0 4 a\ninput 1 1 4 b\noutput 7 0 4 c\nvar 4 1 v\nvar 1 1 "     \
    "i\nvar 1 3 t\n"

static void check_pass(pass_fn pass, const char *head, const char *before, const char *after) {
    struct arena arena;
    char message[200] = "";
    char text[4000];
    arena_init(&arena, 0);
    snprintf(text, sizeof text, "%s%s", head, before);
    struct ir_fn *fn = ir_parse(&arena, text, message, sizeof message);
    CHECK_STR(message, "");
    snprintf(text, sizeof text, "%s%s", head, after);
    struct ir_fn *want = ir_parse(&arena, text, message, sizeof message);
    CHECK_STR(message, "");
    if (fn && want) {
        uint32_t where;
        pass(fn);
        const char *fault = ir_validate(fn, &where);
        CHECK_STR(fault ? fault : "", "");
        want->in_ssa = fn->in_ssa;
        char *got = print_text(fn);
        char *expected = print_text(want);
        CHECK_STR(got, expected);
        free(got);
        free(expected);
    }
    arena_fini(&arena);
}

TEST(print_and_parse_agree) {
    for (unsigned seed = 1; seed < 40; seed++) {
        struct arena arena;
        char message[200] = "";
        arena_init(&arena, 0);
        check_seed(seed);
        struct ir_fn *fn = gen_function(&arena, 60, 16, 4);
        struct ir_options options = {0};
        if (seed % 2) {
            ir_optimise(fn, &options);
        }
        ir_remove_unreachable(fn);
        char *text = print_text(fn);
        struct ir_fn *again = ir_parse(&arena, text, message, sizeof message);
        CHECK_STR(message, "");
        if (again) {
            char *second = print_text(again);
            CHECK_STR(second, text);
            free(second);
        }
        free(text);
        arena_fini(&arena);
    }
}

TEST(parse_names_the_line_of_an_error) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"shader t\n", "line 1: the text begins with 'vertex' or 'fragment'"},
        {"fragment t uniforms 1\nb0:\n  %1:1 = frobnicate\n  return\n",
         "line 3: no such operation"},
        {"fragment t uniforms 1\nb0:\n  %1:1 = add %2.x, %2.x\n  return\n",
         "line 4: a value or block is used but not defined"},
        {"fragment t uniforms 1\nb0:\n  %1:1 = const 1\n", "line 0: a block has no end"},
        {"fragment t uniforms 1\nb0:\n  %1:2 = const 1 2\n  %2:1 = mov %1.z\n  return\n",
         "line 0: a swizzle reads beyond the value"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena arena;
        char message[200] = "";
        arena_init(&arena, 0);
        CHECK(!ir_parse(&arena, cases[i].text, message, sizeof message));
        CHECK_STR(message, cases[i].message);
        arena_fini(&arena);
    }
}

TEST(variables_become_values) {
    check_pass(
        run_ssa, VARS,
        "b0:\n %1:4 = input #0\n store #0+0 xyzw %1.xyzw\n %2:4 = input #1\n store #0+0 yw %2.xz\n"
        " %3:4 = load #0+0\n output #0 xyzw %3.xyzw\n return\n",
        "b0:\n %1:4 = input #0\n %2:4 = input #1\n %3:4 = vec %1.x, %2.x, %1.z, %2.z\n"
        " output #0 xyzw %3.xyzw\n return\n");
    /* A join needs a parameter, an array with literal indices is split, what nobody stored is 0. */
    check_pass(
        run_ssa, VARS,
        "b0:\n %1:4 = input #0\n store #1+0 x %1.x\n %9:1 = const 1\n store #2+1 x %1.y, %9.x\n"
        " branch %1.z b1 b2\nb1:\n store #1+0 x %1.w\n jump b2\nb2:\n %2:1 = load #1+0\n %3:1 = "
        "load #2+2\n"
        " %4:1 = load #2+0\n %5:4 = vec %2.x, %3.x, %4.x, %2.x\n output #0 xyzw %5.xyzw\n return\n",
        "b0:\n %8:4 = undef\n %1:4 = input #0\n branch %1.z b1 b2 (%1.x)\nb1:\n jump b2 (%1.w)\n"
        "b2 (%2:1):\n %3:3 = vec %2.x, %1.y, %8.x\n output #0 xyzw %3.xyzx\n return\n");
}

TEST(constants_fold_as_the_machine_computes) {
    check_pass(
        run_local, HEAD,
        "b0:\n %1:2 = const 3 -2\n %2:2 = const 2 2\n %3:2 = div %1.xy, %2.xy\n %4:2 = flr %3.xy\n"
        " %5:1 = dot %4.xy, %1.xy\n %6:2 = sat %4.xy\n %7:4 = vec %5.x, %6.x, %6.y, %4.y\n"
        " output #0 xyzw %7.xyzw\n return\n",
        "b0:\n %3:4 = const 5 1 0 -1\n output #0 xyzw %3.xyzw\n return\n");
}

TEST(identities_keep_every_bit) {
    /* x*1, x + -0, --x, double comparison, clamp; x + 0 stays unless x cannot be -0. */
    check_pass(
        run_local, HEAD,
        "b0:\n %1:4 = input #0\n %2:1 = const 1\n %3:1 = const 0x80000000\n %4:1 = const 0\n"
        " %5:1 = mul %1.x, %2.x\n %6:1 = add %5.x, %3.x\n %7:1 = max %1.y, %4.x\n %8:1 = min %7.x, "
        "%2.x\n"
        " %9:1 = add %1.z, %4.x\n %10:1 = add %8.x, %4.x\n %11:4 = vec %6.x, %8.x, %9.x, %10.x\n"
        " output #0 xyzw %11.xyzw\n return\n",
        "b0:\n %1:4 = input #0\n %4:1 = const 0\n %8:1 = sat %1.y\n %9:1 = add %1.z, %4.x\n"
        " %11:3 = vec %1.x, %8.x, %9.x\n output #0 xyzw %11.xyzy\n return\n");
    check_pass(
        run_local, HEAD,
        "b0:\n %1:4 = input #0\n %2:1 = const 8\n %3:1 = div %1.x, %2.x\n %4:1 = const 3\n"
        " %5:1 = div %1.y, %4.x\n %6:1 = const 1\n %7:1 = sqrt %1.z\n %8:1 = div %6.x, %7.x\n"
        " %9:3 = vec %3.x, %5.x, %8.x\n output #0 xyz %9.xyz\n return\n",
        "b0:\n %1:4 = input #0\n %2:1 = const 0x3e000000\n %3:1 = mul %1.x, %2.x\n %4:1 = const 3\n"
        " %5:1 = div %1.y, %4.x\n %8:1 = rsq %1.z\n %9:3 = vec %3.x, %5.x, %8.x\n output #0 xyz "
        "%9.xyz\n return\n");
}

TEST(equal_values_are_computed_once) {
    check_pass(run_local, HEAD,
               "b0:\n %1:4 = input #0\n %2:4 = input #1\n %3:2 = add %1.xy, %2.zw\n %4:2 = add "
               "%2.zw, %1.xy\n"
               " %5:2 = mul %3.xy, -%4.yx\n output #0 xy %5.xy\n return\n",
               "b0:\n %1:4 = input #0\n %2:4 = input #1\n %3:2 = add %1.xy, %2.zw\n %5:2 = mul "
               "%3.xy, -%3.yx\n"
               " output #0 xy %5.xy\n return\n");
}

TEST(dead_components_go) {
    check_pass(run_local, HEAD,
               "b0:\n %1:4 = input #0\n %2:4 = mul %1.xyzw, %1.wzyx\n %3:4 = sqrt %1.xyzw\n output "
               "#0 x %2.z\n return\n",
               "b0:\n %1:4 = input #0\n %2:1 = mul %1.z, %1.y\n output #0 x %2.x\n return\n");
}

TEST(short_branches_become_selects) {
    check_pass(run_flow, HEAD,
               "b0:\n %1:4 = input #0\n branch %1.x b1 b2 (%1.z)\nb1:\n %2:1 = add %1.y, %1.w\n "
               "jump b2 (%2.x)\n"
               "b2 (%3:1):\n output #0 x %3.x\n return\n",
               "b0:\n %1:4 = input #0\n %2:1 = add %1.y, %1.w\n %3:1 = sel %1.x, %2.x, %1.z\n "
               "output #0 x %3.x\n return\n");
    /* A discard gets the branch's condition. */
    check_pass(
        run_flow, HEAD,
        "b0:\n %1:4 = input #0\n branch %1.x b1 b2\nb1:\n %2:1 = const 1\n kill %2.x\n jump b2\n"
        "b2:\n output #0 x %1.y\n return\n",
        "b0:\n %1:4 = input #0\n kill %1.x\n output #0 x %1.y\n return\n");
    /* A derivative must not move. */
    check_pass(
        run_flow, HEAD,
        "b0:\n %1:4 = input #0\n branch %1.x b1 b2 (%1.z)\nb1:\n %2:1 = ddx %1.y\n jump b2 (%2.x)\n"
        "b2 (%3:1):\n output #0 x %3.x\n return\n",
        "b0:\n %1:4 = input #0\n branch %1.x b1 b2 (%1.z)\nb1:\n %2:1 = ddx %1.y\n jump b2 (%2.x)\n"
        "b2 (%3:1):\n output #0 x %3.x\n return\n");
}

TEST(counted_loops_unroll) {
    check_pass(run_flow, HEAD,
               "b0:\n %1:4 = input #0\n %2:1 = const 0\n %3:1 = const 3\n %4:1 = const 1\n jump b1 "
               "(%2.x, %1.x)\n"
               "b1 (%5:1, %6:1):\n %7:1 = slt %5.x, %3.x\n branch %7.x b2 b3\n"
               "b2:\n %8:1 = mul %6.x, %1.y\n %9:1 = add %5.x, %4.x\n jump b1 (%9.x, %8.x)\n"
               "b3:\n output #0 x %6.x\n return\n",
               "b0:\n %1:4 = input #0\n %2:1 = mul %1.x, %1.y\n %3:1 = mul %2.x, %1.y\n %4:1 = mul "
               "%3.x, %1.y\n"
               " output #0 x %4.x\n return\n");
}

static bool run_twins(struct ir_fn *fn) {
    ir_opt_twins(fn);
    return run_local(fn);
}

/* A loop whose counters start at %2 and 'start', and step by %4 and 'step'; the second is the result. */
#define TWIN_LOOP(start, step) \
    "b0:\n %1:4 = input #0\n %2:1 = const 0\n %3:1 = const 1\n %4:1 = const 2\n jump b1 (%2.x, " start ")\n" \
    "b1 (%5:1, %6:1):\n %7:1 = slt %5.x, %1.x\n branch %7.x b2 b3\n" \
    "b2:\n %8:1 = add %5.x, %4.x\n %9:1 = add %6.x, " step "\n jump b1 (%8.x, %9.x)\n" \
    "b3:\n output #0 x %6.x\n return\n"

TEST(counters_that_agree_are_one) {
    check_pass(run_twins, HEAD, TWIN_LOOP("%2.x", "%4.x"),
               "b0:\n %1:4 = input #0\n %2:1 = const 0\n %4:1 = const 2\n jump b1 (%2.x)\n"
               "b1 (%5:1):\n %7:1 = slt %5.x, %1.x\n branch %7.x b2 b3\n"
               "b2:\n %8:1 = add %5.x, %4.x\n jump b1 (%8.x)\nb3:\n output #0 x %5.x\n return\n");
    /* Another start, another step, another sign: two counters. */
    static const char *const differ[] = {TWIN_LOOP("%3.x", "%4.x"), TWIN_LOOP("%2.x", "%3.x"), TWIN_LOOP("%2.x", "-%4.x"),
                                         TWIN_LOOP("-%2.x", "%4.x")};
    for (size_t i = 0; i < sizeof differ / sizeof differ[0]; i++) {
        struct arena arena;
        char message[200] = "", text[4000];
        arena_init(&arena, 0);
        snprintf(text, sizeof text, "%s%s", HEAD, differ[i]);
        struct ir_fn *fn = ir_parse(&arena, text, message, sizeof message);
        CHECK(fn != NULL && !ir_opt_twins(fn));
        arena_fini(&arena);
    }
}

TEST(invariants_leave_loops) {
    check_pass(run_hoist, HEAD,
               "b0:\n %1:4 = input #0\n jump b1 (%1.x)\nb1 (%6:1):\n %7:1 = slt %6.x, %1.z\n "
               "branch %7.x b2 b3\n"
               "b2:\n %8:1 = mul %1.w, %1.y\n %9:1 = add %6.x, %8.x\n jump b1 (%9.x)\nb3:\n output "
               "#0 x %6.x\n return\n",
               "b0:\n %1:4 = input #0\n %8:1 = mul %1.w, %1.y\n jump b1 (%1.x)\nb1 (%6:1):\n %7:1 "
               "= slt %6.x, %1.z\n"
               " branch %7.x b2 b3\nb2:\n %9:1 = add %6.x, %8.x\n jump b1 (%9.x)\nb3:\n output #0 "
               "x %6.x\n return\n");
}

TEST(lowering) {
    check_pass(
        run_lower, HEAD,
        "b0:\n %1:4 = input #0\n %2:4 = input #1\n %3:1 = dot %1.xyzw, %2.xyzw\n %4:2 = rcp %1.xy\n"
        " %5:1 = dot %1.xyz, %2.zyx\n %6:4 = vec %3.x, %4.x, %4.y, %5.x\n output #0 xyzw %6.xyzw\n "
        "return\n",
        "b0:\n %1:4 = input #0\n %2:4 = input #1\n %3:4 = mul %1.xyzw, %2.xyzw\n %4:2 = add %3.zw, "
        "%3.xy\n"
        " %5:1 = add %4.y, %4.x\n %6:1 = rcp %1.x\n %7:1 = rcp %1.y\n %8:3 = mul %1.xyz, %2.zyx\n"
        " %9:1 = add %8.z, %8.x\n %10:1 = add %8.y, %9.x\n %11:4 = vec %5.x, %6.x, %7.x, %10.x\n"
        " output #0 xyzw %11.xyzw\n return\n");
}

static bool run_vectorise(struct ir_fn *fn) {
    ir_opt_vectorise(fn);
    return run_local(fn);
}

TEST(scalar_operations_become_vectors) {
    /* Literals are gathered, what is chained behind follows, an equal component is shared. */
    check_pass(
        run_vectorise, HEAD,
        "b0:\n %1:4 = input #0\n %2:4 = input #1\n %3:1 = const 2\n %4:1 = const 3\n"
        " %5:1 = mul %1.x, %3.x\n %6:1 = mul %4.x, %1.z\n %7:1 = add %5.x, %2.y\n %8:1 = add %6.x, "
        "%2.w\n"
        " %9:2 = mul %1.xw, %3.xx\n %10:4 = vec %7.x, %8.x, %9.x, %9.y\n output #0 xyzw %10.xyzw\n "
        "return\n",
        "b0:\n %1:4 = input #0\n %2:4 = input #1\n %3:2 = const 2 3\n %5:3 = mul %1.xzw, %3.xyx\n"
        " %7:2 = add %5.xy, %2.yw\n %10:4 = vec %7.x, %7.y, %5.x, %5.z\n output #0 xyzw %10.xyzw\n "
        "return\n");
    /* Other operations, other values: nothing joins. */
    check_pass(
        run_vectorise, HEAD,
        "b0:\n %1:4 = input #0\n %2:4 = input #1\n %5:1 = mul %1.x, %2.x\n %6:1 = mul %1.y, -%2.x\n"
        " %7:2 = vec %5.x, %6.x\n output #0 xy %7.xy\n return\n",
        "b0:\n %1:4 = input #0\n %2:4 = input #1\n %5:1 = mul %1.x, %2.x\n %6:1 = mul %1.y, -%2.x\n"
        " %7:2 = vec %5.x, %6.x\n output #0 xy %7.xy\n return\n");
}
