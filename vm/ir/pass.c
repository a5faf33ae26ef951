/* SPDX-License-Identifier: MIT */
/*
 * The ordered list of passes. SSA construction and lowering always run; the optimiser's passes run in
 * rounds until nothing changes (a handful of rounds at most, so compile time stays linear). In debug
 * builds the function is validated after each pass and a failure names the pass.
 */
#include "vm/ir/passes.h"

#include <stdlib.h>

#ifndef NDEBUG
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

static void run_rounds(struct ir_fn *fn, const struct pass *passes, unsigned count, unsigned rounds) {
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
    bool optimise = !options || !options->no_optimise;
    run_pass(fn, "ssa", ir_build_ssa);
    run_pass(fn, "canonical", ir_canonical);
    run_rounds(fn, simple, 2, optimise ? 3 : 1);
    run_pass(fn, "lower", ir_lower);
    run_rounds(fn, simple, 2, 1);
    return !fn->arena->failed;
}
