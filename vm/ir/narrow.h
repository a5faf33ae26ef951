/* SPDX-License-Identifier: MIT */
/*
 * The narrow pass: a fragment function whose colours are stored in 8 bits a channel becomes one that computes
 * them four channels to a word. The caller decides when the new function may run in the old one's place.
 */
#ifndef VM_IR_NARROW_H
#define VM_IR_NARROW_H

#include "vm/ir/ir.h"

enum { IR_NARROW_UNIFORMS = 16 };

/* texel (place[0], place[1] of a varying) | ones_before, times factor, | ones: words of bytes. */
struct ir_narrow_direct {
    bool valid;
    bool by_uniform;           /* the factor is these components of a uniform register, else 'factor' */
    uint8_t sampler, varying;
    uint8_t place[2], comp[4];
    uint32_t reg, factor;
    uint32_t ones_before, ones;
};

/* What must hold where the function runs, and figures. */
struct ir_narrow {
    uint32_t exact_samplers;   /* bit i: sampler i must give n * (1/255): 8 bits a channel, no filter but nearest */
    struct {
        uint32_t reg;
        uint8_t mask;          /* components that must be n/255 (bits_byte_of) */
    } uniforms[IR_NARROW_UNIFORMS];
    uint32_t uniform_count;
    bool quads;                /* derivatives are taken: lanes look at their neighbours */
    struct ir_narrow_direct direct;   /* valid: this is all that the function does */
    uint32_t values;           /* values that the function computes or reads from textures */
    uint32_t narrowed;         /* of these, the ones that became words */
};

/*
 * Rewrites 'fn', optimised, so that every colour output (semantic VLIW_SEM_COLOR8 instead of VLIW_SEM_COLOR) is a
 * word of bytes, equal in every bit to what the store of the float colours to 8 bits a channel makes. False: not
 * possible or nothing gained (or memory is out); fn is of no use then. *out is valid in both cases.
 */
bool ir_narrow(struct ir_fn *fn, struct ir_narrow *out);

/* The same question without rewriting; true also where only a limit (IR_NARROW_UNIFORMS) stands against it. */
bool ir_narrow_possible(struct ir_fn *fn);

/* narrow_direct.c: whether a narrow function is of that form. */
void ir_narrow_find_direct(const struct ir_fn *fn, struct ir_narrow_direct *out);

#endif
