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
