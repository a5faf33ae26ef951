/* SPDX-License-Identifier: MIT */
/* cg_compile: the stages of the code generator in order. */
#include "vm/codegen/cg_internal.h"

#include <stdio.h>
#include <string.h>

struct vliw_image *cg_compile(struct ir_fn *fn, const struct cg_options *options,
                              struct cg_stats *stats, char *message, size_t message_size) {
    struct cg cg;
    struct cg_program program;
    memset(&cg, 0, sizeof cg);
    memset(&program, 0, sizeof program);
    cg.fn = fn;
    cg.arena = fn->arena;
    arena_init(&cg.scratch, 0);
    cg.optimise = !options || !options->no_optimise;
    cg.message = message;
    cg.message_size = message_size;
    if (message && message_size) {
        message[0] = '\0';
    }
    const char *name = options && options->name ? options->name : fn->name;
    struct vliw_image *image = NULL;
    bool done = !fn->arena->failed && cg_split_edges(&cg) && cg_select(&cg) &&
                cg_place_literals(&cg) && cg_legalise(&cg) && cg_build_ranges(&cg) &&
                cg_coalesce(&cg) && cg_allocate(&cg) && cg_expand_spills(&cg) &&
                cg_rotate_loops(&cg);
    if (done) {
        cg_clean_jumps(&cg);
        image = cg_schedule(&cg, &program) ? cg_emit(&cg, &program, name, stats) : NULL;
    }
    if (!image) {
        cg_fail(&cg, "out of memory");
    }
    arena_fini(&cg.scratch);
    return image;
}
