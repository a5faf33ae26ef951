/* SPDX-License-Identifier: MIT */
/*
 * vliw_narrow.h: what must hold where a narrow fragment program runs in the place of the other one, and its form. A
 * narrow program is the same program with colours as words of four bytes (outputs VLIW_SEM_COLOR8), computed four
 * channels at a time. From the pass that makes it (vm/ir) through glslc to the renderer that chooses it per draw.
 */
#ifndef VM_INCLUDE_VLIW_NARROW_H
#define VM_INCLUDE_VLIW_NARROW_H

#include <stdbool.h>
#include <stdint.h>

enum { VLIW_NARROW_UNIFORMS = 16 };

/* Programs that do nothing but: texel at (place[0], place[1] of a varying) | ones_before, times factor, | ones. */
struct vliw_narrow_direct {
    bool valid;
    bool by_uniform;                  /* the factor is these components of a uniform register, else 'factor' */
    uint8_t sampler, varying;
    uint8_t place[2], comp[4];
    uint32_t reg, factor;
    uint32_t ones_before, ones;
};

struct vliw_narrow {
    bool quads;                       /* derivatives are taken: lanes look at their neighbours */
    struct vliw_narrow_direct direct; /* valid: this is all that the program does */
    uint32_t exact_samplers;          /* bit i: sampler i reads texels of 8 bits a channel through no filter but nearest */
    uint32_t uniform_count;           /* uniforms that must be n/255 in the components of the mask, each
                                         as a quotient or as n times the float nearest to 1/255 (bits_byte_of) */
    struct {
        uint32_t reg, mask;
    } uniforms[VLIW_NARROW_UNIFORMS];
};

#endif
