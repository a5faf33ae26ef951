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

static bool run_pass(struct ir_fn *fn, const char *name, pass_fn run) {
    if (fn->arena->failed) {
        return false;
    }
    bool changed = run(fn);
    (void)name;
    PASS_CHECK(fn, name);
    return changed;
}

/* What must be done in any case after a pass that left moves and dead values. */
static void tidy(struct ir_fn *fn) {
    run_pass(fn, "copy", ir_opt_copy);
    run_pass(fn, "dce", ir_opt_dce);
}

/* The cheap passes. Dead code narrows values, which makes more of them equal, so two rounds; more only while
   branches go. */
static void clean(struct ir_fn *fn, unsigned rounds) {
    bool again = true;
    for (unsigned r = 0; r < rounds && again; r++) {
        bool cut = run_pass(fn, "simplify", ir_opt_simplify);
        again = run_pass(fn, "dce", ir_opt_dce) || cut;
    }
}

/* Arrays whose indices have all become literals turn into values. */
static bool promote(struct ir_fn *fn) {
    bool any = false;
    for (uint32_t i = 0; i < fn->block_count && !any; i++) {
        for (const struct ir_inst *inst = fn->blocks[i]->first; inst && !any; inst = inst->next) {
            any = inst->op == IR_LOAD || inst->op == IR_STORE;
        }
    }
    return any && run_pass(fn, "ssa", ir_build_ssa);
}

bool ir_optimise(struct ir_fn *fn, const struct ir_options *options) {
    bool optimise = !options || !options->no_optimise;
    run_pass(fn, "ssa", ir_build_ssa);
    run_pass(fn, "canonical", ir_canonical);
    if (!optimise) {
        tidy(fn);
        run_pass(fn, "lower", ir_lower);
        tidy(fn);
        return !fn->arena->failed;
    }
    clean(fn, 1);
    if (promote(fn)) {
        clean(fn, 1);
    }
    bool flow = fn->block_count > 1;
    /* What if-conversion leaves behind is cleaned after lowering; the next round can do without. */
    for (unsigned round = 0; flow && round < 4; round++) {
        bool changed = run_pass(fn, "unroll", ir_opt_unroll);
        if (changed) {
            clean(fn, 2); /* indices become literals */
            promote(fn);
        }
        changed |= run_pass(fn, "blocks", ir_opt_blocks);
        changed |= run_pass(fn, "ifconv", ir_opt_ifconv);
        changed |= run_pass(fn, "blocks", ir_opt_blocks);
        if (!changed) {
            break;
        }
        flow = fn->block_count > 1;
    }
    if (flow) {
        run_pass(fn, "twins", ir_opt_twins);
    }
    run_pass(fn, "lower", ir_lower);
    clean(fn, 1);
    if (run_pass(fn, "vectorise", ir_opt_vectorise)) {
        tidy(fn);
    }
    if (flow) {
        run_pass(fn, "hoist", ir_opt_hoist);
        run_pass(fn, "blocks", ir_opt_blocks);
    }
    return !fn->arena->failed;
}
