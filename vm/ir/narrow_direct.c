/* SPDX-License-Identifier: MIT */
/*
 * Finds narrow functions of the commonest form: one texel at a varying's coordinates, times a uniform or literal, with
 * channels set to ones before and after. Whoever draws many pixels with one may do without a processor.
 */
#include "vm/ir/narrow.h"

#include "vm/base/bits.h"
#include "vm/ir/passes.h"

enum { SEM_VARYING = 1, SAMPLER_2D = 0, SAMPLER_EXTERNAL = 4 };

static bool constant_word(struct ir_src src, uint32_t *word) {
    if (!ir_src_constant(src)) {
        return false;
    }
    *word = bits_from_float(ir_src_const(src, 0));
    return true;
}

/* Takes a WOR with a literal off. */
static struct ir_inst *without_ones(struct ir_inst *word, uint32_t *ones) {
    for (unsigned a = 0; ir_is(word, IR_WOR) && a < 2; a++) {
        if (constant_word(word->args[a], ones)) {
            return word->args[1 - a].def;
        }
    }
    return word;
}

static bool factor_of(struct ir_src src, struct vliw_narrow_direct *out) {
    if (constant_word(src, &out->factor)) {
        return true;
    }
    if (!ir_is(src.def, IR_TO_BYTES)) {
        return false;
    }
    const struct ir_src four = src.def->args[0];
    if (!ir_is(four.def, IR_UNIFORM) || four.def->arg_count != 0 || four.neg) {
        return false;
    }
    out->by_uniform = true;
    out->reg = four.def->base;
    for (unsigned i = 0; i < 4; i++) {
        out->comp[i] = (uint8_t)(four.def->comp + four.swz[i]);
    }
    return true;
}

static struct ir_inst *without_factor(struct ir_inst *word, struct vliw_narrow_direct *out) {
    for (unsigned a = 0; ir_is(word, IR_BMUL) && a < 2; a++) {
        if (factor_of(word->args[a], out)) {
            return word->args[1 - a].def;
        }
    }
    return word;
}

static bool texel_of(const struct ir_fn *fn, const struct ir_inst *word, struct vliw_narrow_direct *out) {
    if (!ir_is(word, IR_TEX) || word->tex.mode != IR_TEX_IMPLICIT || word->tex.projective || word->tex.has_index) {
        return false;
    }
    const struct ir_src coord = word->args[0];
    const uint8_t type = fn->samplers[word->tex.sampler];
    if (!ir_is(coord.def, IR_INPUT) || coord.neg || coord.comps < 2 || (type != SAMPLER_2D && type != SAMPLER_EXTERNAL) ||
        fn->inputs[coord.def->io].semantic != SEM_VARYING) {
        return false;
    }
    out->sampler = (uint8_t)word->tex.sampler;
    out->varying = fn->inputs[coord.def->io].index;
    out->place[0] = coord.swz[0];
    out->place[1] = coord.swz[1];
    return true;
}

void ir_narrow_find_direct(const struct ir_fn *fn, struct vliw_narrow_direct *out) {
    static const struct vliw_narrow_direct none = {.factor = UINT32_MAX};
    *out = none;
    struct ir_inst *word = NULL;
    unsigned effects = 0;
    for (struct ir_inst *inst = fn->block_count == 1 ? fn->blocks[0]->first : NULL; inst; inst = inst->next) {
        if (ir_op_infos[inst->op].flags & IR_S) {
            effects++;
            word = inst->op == IR_OUTPUT ? inst->args[0].def : NULL;
        }
    }
    if (effects != 1 || !word) {
        return;
    }
    word = without_factor(without_ones(word, &out->ones), out);
    word = without_ones(word, &out->ones_before);
    out->valid = texel_of(fn, word, out);
}
