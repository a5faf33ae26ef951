/* SPDX-License-Identifier: MIT */
/*
 * The narrow fragment program of a program (vm/include/vliw_narrow.h): made when the first draw may run it, chosen per
 * draw. In: what a draw's state, formats and uniforms are. Out: the code, where its interface lies, and a
 * kernel whose stores take words of four bytes.
 */
#ifndef RENDERER_NARROW_H
#define RENDERER_NARROW_H

#include <stdatomic.h>

#include "renderer/scene.h"

struct rn_frag_kernel;

struct rn_narrow {
    struct vliw_image *image;                       /* owned */
    struct vliw_narrow facts;
    _Atomic(struct rn_narrow_code *) code;          /* NULL: not made yet */
};

/* The code, and the same facts as rn_program has of the other one. Inputs and outputs are numbers, -1 = absent. */
struct rn_narrow_code {
    struct vliw_program *program;                   /* NULL: refused; never to be asked again */
    int8_t input[RN_MAX_COEFS];                     /* of the program's coefs */
    int8_t frag_coord_input, front_facing_input;
    int8_t color_output[RN_MAX_COLORS];
    uint32_t instructions;                          /* of its code */
    int16_t direct[2];                              /* coefs of the direct form's coordinates, -1: it has none */
};

void rn_narrow_destroy(struct rn_narrow *narrow);

/*
 * A copy of 'wide' in the scene's arena that writes words, if the draw's state, textures and targets allow the
 * narrow program and there is one; else NULL. draw->narrow_code is set alike.
 */
const struct rn_frag_kernel *rn_narrow_prepare(struct rn_scene *scene, struct rn_frag_draw *draw,
                                               const struct rn_frag_kernel *wide);

/* With these uniforms: the narrow program or the other one. Sets draw->kernel and draw->narrow. */
void rn_narrow_choose(struct rn_frag_draw *draw, const float *globals, uint32_t global_count);

/* The code that a frag_draw runs. */
static inline const struct vliw_program *rn_frag_code(const struct rn_frag_draw *draw) {
    return draw->narrow ? draw->narrow->program : draw->program->stage[VLIW_STAGE_FRAGMENT];
}

#endif
