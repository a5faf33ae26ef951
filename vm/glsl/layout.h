/* SPDX-License-Identifier: MIT */
/*
 * What a stage uses and where the linker puts it. use.c walks the functions that main reaches; link.c
 * and link_pack.c assign homes; emit_stage.c and reflect.c read them.
 */
#ifndef VM_GLSL_LAYOUT_H
#define VM_GLSL_LAYOUT_H

#include "vm/glsl/glsl.h"

/* Home of a leaf: element i (arrays and matrix columns counted) is register reg + i, components from
   comp. For samplers: sampler number reg + i. For attributes: location reg + i. */
struct glsl_home {
    int32_t reg;               /* -1: not used, has none */
    uint8_t comp;
};

/* Use of a variable by the code that main reaches. */
struct glsl_use {
    bool used;
    uint32_t *weights;         /* by leaf: 0 unused, else how often, loops estimated */
};

struct glsl_stage_use {
    struct glsl_use *vars;     /* by variable index */
    bool discards;
};

struct glsl_stage_layout {
    const struct glsl_stage_use *use;
    struct glsl_home **homes;  /* by variable index; NULL: no homes. An array by leaf */
    uint32_t uniform_regs;     /* registers of uniforms */
    uint32_t sampler_count;
    uint8_t *sampler_types;    /* enum vliw_sampler_type by number */
    uint32_t varying_regs;
};

/* Walks the reachable code. False when memory is out. */
bool glsl_find_uses(const struct glsl_unit *u, struct arena *arena, struct glsl_stage_use *out);

#endif
