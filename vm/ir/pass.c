/* SPDX-License-Identifier: MIT */
/*
 * The ordered list of passes. SSA construction and lowering always run; the optimiser's passes run
 * in rounds until nothing changes (a handful of rounds at most, so compile time stays linear). In
 * debug builds the function is validated after each pass and a failure names the pass.
 */
#include "vm/ir/passes.h"

#include <stdlib.h>

/* Without optimisation or under a sanitizer the compiler distrusts itself. */
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(VLGL_CHECK_PASSES)
#define PASS_CHECK(fn, name) check_after(fn, name)
static void check_after(struct ir_fn *fn, const char *name) {
    uint32_t where = 0;
    const char *fault = fn->arena->failed ? NULL : ir_validate(fn, &where);
    if (fault) {
        struct str text;
        str_init(&text);
        ir_print(fn, &text);
        fprintf(stderr, "ir: after %s: block b%u: %s\n%s", name, (unsigned)where, fault, text.text);
        str_fini(&text);
        abort();
    }
}
#else
#define PASS_CHECK(fn, name) ((void)0)
#endif

typedef bool (*pass_fn)(struct ir_fn *fn);

struct pass {
    const char *name;
    pass_fn run;
};

static bool run_pass(struct ir_fn *fn, const char *name, pass_fn run) {
    if (fn->arena->failed) {
        return false;
    }
    bool changed = run(fn);
    (void)name;
    PASS_CHECK(fn, name);
    return changed;
}

static void run_rounds(struct ir_fn *fn, const struct pass *passes, unsigned count,
                       unsigned rounds) {
    for (unsigned r = 0; r < rounds; r++) {
        bool changed = false;
        for (unsigned i = 0; i < count; i++) {
            changed |= run_pass(fn, passes[i].name, passes[i].run);
        }
        if (!changed) {
            break;
        }
    }
}

bool ir_optimise(struct ir_fn *fn, const struct ir_options *options) {
    static const struct pass simple[] = {
        {"copy", ir_opt_copy},
        {"dce", ir_opt_dce},
    };
    /* Cheap clean-up, to a fixed point. */
    static const struct pass local[] = {
        {"copy", ir_opt_copy}, {"fold", ir_opt_fold}, {"algebra", ir_opt_algebra},
        {"cse", ir_opt_cse},   {"dce", ir_opt_dce},
    };
    bool optimise = !options || !options->no_optimise;
    run_pass(fn, "ssa", ir_build_ssa);
    run_pass(fn, "canonical", ir_canonical);
    if (!optimise) {
        run_rounds(fn, simple, 2, 1);
        run_pass(fn, "lower", ir_lower);
        run_rounds(fn, simple, 2, 1);
        return !fn->arena->failed;
    }
    run_rounds(fn, local, 5, 4);
    bool flow = fn->block_count > 1;
    for (unsigned round = 0; flow && round < 4; round++) {
        bool unrolled = run_pass(fn, "unroll", ir_opt_unroll);
        if (unrolled) {
            run_pass(fn, "ssa", ir_build_ssa); /* indices may be constant now */
        }
        bool changed = unrolled;
        changed |= run_pass(fn, "blocks", ir_opt_blocks);
        changed |= run_pass(fn, "ifconv", ir_opt_ifconv);
        changed |= run_pass(fn, "blocks", ir_opt_blocks);
        if (!changed) {
            break;
        }
        run_rounds(fn, local, 5, 3);
        flow = fn->block_count > 1;
    }
    run_pass(fn, "lower", ir_lower);
    run_rounds(fn, local, 5, 3);
    if (run_pass(fn, "vectorise", ir_opt_vectorise)) {
        run_rounds(fn, simple, 2, 1);
    }
    if (flow) {
        run_pass(fn, "hoist", ir_opt_hoist);
        run_pass(fn, "blocks", ir_opt_blocks);
    }
    return !fn->arena->failed;
}
