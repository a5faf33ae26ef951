/* SPDX-License-Identifier: MIT */
/*
 * Narrow values. The store of a colour to 8 bits a channel is s(v) = rint(clamp(v, 0, 1) * 255), NaN: 0. A value V is
 * *narrow* when integer arithmetic on bytes gives s(V) exactly; then only the byte is computed.
 *
 * V is described by X = 255 * V in exact arithmetic: a range, whether X is a whole number or a multiple of 1/255 (one
 * product or mix of whole ones: 'once'), and a bound of the float value's distance from it. A multiple of 1/255 is
 * at least 1/510 away from the halves at which rounding changes, because 255 is odd; floats are off by a
 * thousandth of that, so rint of the float is rint of X, and rint(X + n) = rint(X) + n for whole n. A second product of
 * a rounded value would round twice, and there is none: 'once' values are not multiplied, nor added to each other.
 *
 *   whole     texels of nearest filters, literals and uniforms that are n/255; min, max, sums, differences of such
 *   once      whole * whole, mix of whole ones by a whole one; min, max of such; whole +- once
 *   any float is right for copies, selections and clamps alone, since those commute with s: so texels that no
 *             arithmetic touches may come through any filter ('strict' marks the others)
 *
 * Sums above 1 and differences below 0 are clamped early by bytes, so nothing that would see the difference may
 * read them: each rule states the ranges it needs. tests/unit/narrow_test.c tries every combination of bytes.
 */
#include "vm/ir/narrow.h"

#include <string.h>

#include "vm/base/bits.h"
#include "vm/ir/passes.h"

enum { SEM_COLOR = 7, SEM_LAST_FRAG = 9, SEM_COLOR8 = 11, SAMPLER_SHADOW = 3 };

/* Well below 1/510 in steps of 1/255. Each operation adds a little, so the walks below are not deep either. */
static const float error_limit = 0.0007f / 255.0f, error_step = 2e-8f;

struct info {
    bool ok, once, strict;
    float lo, hi;            /* range of 255 * V */
    float error;             /* of V as a float */
    struct ir_inst *word;    /* the narrow value, once made */
};

struct narrow {
    struct ir_fn *fn;
    struct ir_narrow *out;
    struct info *infos;      /* by instruction id */
    uint32_t info_count;
    struct ir_block *block;  /* where new instructions go: before 'before', or at the block's end */
    struct ir_inst *before;
    bool failed;
};

/* ---- what is narrow ---------------------------------------------------------------------------------------- */

static const struct info wide = {.ok = false};

/* Definitions that stand for themselves wherever they are used. */
static bool is_leaf(const struct ir_inst *inst) {
    return ir_is(inst, IR_CONST) || ir_is(inst, IR_UNDEF) || (ir_is(inst, IR_UNIFORM) && inst->arg_count == 0);
}

static struct info constant_info(struct ir_src src) {
    struct info info = {.ok = true, .lo = 255.0f, .error = 1.2e-7f};
    for (unsigned i = 0; i < src.comps; i++) {
        int n = bits_byte_of(ir_src_const(src, i));
        info.ok = info.ok && n >= 0;
        info.lo = (float)n < info.lo ? (float)n : info.lo;
        info.hi = (float)n > info.hi ? (float)n : info.hi;
    }
    return info;
}

/* The value that a source reads, without its sign. */
static struct info info_of(const struct narrow *n, struct ir_src src) {
    src.neg = false;
    if (ir_src_constant(src)) {
        return constant_info(src);
    }
    if (is_leaf(src.def)) {
        return (struct info){.ok = true, .hi = 255.0f, .error = 1.2e-7f};
    }
    return src.def->id < n->info_count ? n->infos[src.def->id] : wide;
}

static struct info joined(struct info a, struct info b) {
    a.ok = a.ok && b.ok;
    a.once = a.once || b.once;
    a.lo = a.lo < b.lo ? a.lo : b.lo;
    a.hi = a.hi > b.hi ? a.hi : b.hi;
    a.error = a.error > b.error ? a.error : b.error;
    return a;
}

static bool is_byte(struct info a) { return a.ok && !a.once && a.lo >= 0.0f && a.hi <= 255.0f; }

/* 1 - x: the source of x. */
static bool complement_of(struct ir_src src, struct ir_src *x) {
    const struct ir_inst *def = src.def;
    if (!ir_is(def, IR_ADD) || src.neg) {
        return false;
    }
    for (unsigned a = 0; a < 2; a++) {
        if (ir_src_is_const(def->args[a], 1.0f) && def->args[1 - a].neg && !ir_src_constant(def->args[1 - a])) {
            *x = ir_src_through(src, def->args[1 - a]);
            x->neg = false;
            return true;
        }
    }
    return false;
}

/* x * (1 - t) + y * t */
struct mix {
    struct ir_src x, y, t;
};

static bool mix_of(const struct ir_inst *inst, struct mix *mix) {
    for (unsigned side = 0; side < 2; side++) {
        struct ir_src one = inst->args[side], other = inst->args[1 - side];
        if (one.neg || other.neg || !ir_is(one.def, IR_MUL) || !ir_is(other.def, IR_MUL)) {
            return false;
        }
        for (unsigned k = 0; k < 4; k++) {
            struct ir_src rest = ir_src_through(one, one.def->args[k & 1]), t;
            struct ir_src factor = ir_src_through(other, other.def->args[k >> 1]);
            if (complement_of(rest, &t) && ir_src_equal(t, factor)) {
                mix->t = t;
                mix->x = ir_src_through(one, one.def->args[1 - (k & 1)]);
                mix->y = ir_src_through(other, other.def->args[1 - (k >> 1)]);
                return !mix->x.neg && !mix->y.neg;
            }
        }
    }
    return false;
}

static struct info add_info(const struct narrow *n, const struct ir_inst *inst) {
    struct ir_src s = inst->args[0], t = inst->args[1];
    struct mix mix;
    if (mix_of(inst, &mix)) {
        struct info x = info_of(n, mix.x), y = info_of(n, mix.y), f = info_of(n, mix.t);
        if (is_byte(x) && is_byte(y) && is_byte(f)) {
            struct info all = joined(x, y);
            all.once = true;
            all.error = x.error + y.error + 2.0f * f.error + 3e-7f;
            return all;
        }
    }
    struct info a = info_of(n, s), b = info_of(n, t);
    if (!a.ok || !b.ok || (a.once && b.once) || (s.neg && t.neg)) {
        return wide;
    }
    struct info r = {.ok = true, .once = a.once || b.once, .error = a.error + b.error + 1.2e-7f};
    if (!s.neg && !t.neg) {
        r.ok = a.lo >= 0.0f && b.lo >= 0.0f;
        r.lo = a.lo + b.lo;
        r.hi = a.hi + b.hi;
        return r;
    }
    struct info plus = s.neg ? b : a, minus = s.neg ? a : b;
    r.ok = plus.hi <= 255.0f && minus.lo >= 0.0f;
    r.lo = plus.lo - minus.hi;
    r.hi = plus.hi - minus.lo;
    return r;
}

static bool any_negated(const struct ir_inst *inst) {
    for (unsigned i = 0; i < inst->arg_count; i++) {
        if (inst->args[i].neg && !ir_src_constant(inst->args[i])) {
            return true;
        }
    }
    return false;
}

static struct info product_info(struct info a, struct info b) {
    struct info r = {.ok = is_byte(a) && is_byte(b), .once = true, .lo = a.lo * b.lo / 255.0f,
                     .hi = a.hi * b.hi / 255.0f, .error = a.error + b.error + 1.2e-7f};
    return r;
}

static struct info param_info(const struct narrow *n, const struct ir_inst *param) {
    const struct ir_block *block = param->block;
    struct info all = {.ok = block->pred_count > 0, .lo = 255.0f};
    for (uint32_t p = 0; p < block->pred_count; p++) {
        const struct ir_block *pred = block->preds[p];
        for (unsigned e = 0; e < ir_edge_count(pred); e++) {
            if (pred->edge[e].to == block) {
                struct ir_src arg = pred->edge[e].args[param->io];
                all = joined(all, info_of(n, arg));
                all.ok = all.ok && !arg.neg && pred->order < block->order;
            }
        }
    }
    return all;
}

static struct info vec_info(const struct narrow *n, const struct ir_inst *inst) {
    struct info all = info_of(n, inst->args[0]);
    for (unsigned i = 1; i < inst->arg_count; i++) {
        all = joined(all, info_of(n, inst->args[i]));
    }
    return all;
}

/* One condition for all components. */
static bool is_scalar(struct ir_src src) {
    for (unsigned i = 1; i < src.comps; i++) {
        if (src.swz[i] != src.swz[0]) {
            return false;
        }
    }
    return true;
}

static struct info classify(const struct narrow *n, const struct ir_inst *inst) {
    if (inst->is_param) {
        return param_info(n, inst);
    }
    if (inst->op == IR_ADD) {
        return add_info(n, inst);
    }
    if (any_negated(inst)) {
        return wide;
    }
    struct info a = inst->arg_count > 0 ? info_of(n, inst->args[0]) : wide;
    struct info b = inst->arg_count > 1 ? info_of(n, inst->args[1]) : wide, r;
    switch (inst->op) {
    case IR_TEX:
        if (inst->tex.has_index || inst->tex.has_reference || n->fn->samplers[inst->tex.sampler] == SAMPLER_SHADOW ||
            inst->tex.bytes) {
            return wide;
        }
        return (struct info){.ok = true, .hi = 255.0f, .error = 1.2e-7f};
    case IR_MOV: return a;
    case IR_VEC: return vec_info(n, inst);
    case IR_MUL: return product_info(a, b);
    case IR_SAT:
        a.lo = a.lo > 0.0f ? a.lo : 0.0f;
        a.hi = a.hi < 255.0f ? a.hi : 255.0f;
        return a;
    case IR_MIN:
    case IR_MAX:
        r = joined(a, b);
        if (inst->op == IR_MIN) {
            r.hi = a.hi < b.hi ? a.hi : b.hi;
        } else {
            r.lo = a.lo > b.lo ? a.lo : b.lo;
        }
        return r;
    case IR_SEL:
        r = joined(b, info_of(n, inst->args[2]));
        r.ok = r.ok && is_scalar(inst->args[0]);
        return r;
    default: return wide;
    }
}

/* Classes of all values; false when the colours are not narrow. */
static bool analyse(struct narrow *n) {
    struct ir_fn *fn = n->fn;
    unsigned colors = 0;
    bool textured = false;
    if (!fn->is_fragment) {
        return false;
    }
    for (uint32_t i = 0; i < fn->input_count; i++) {
        if (fn->inputs[i].semantic == SEM_LAST_FRAG) {
            return false;
        }
    }
    n->info_count = fn->next_id;
    n->infos = arena_array(fn->arena, (size_t)fn->next_id + 1, sizeof *n->infos);
    if (!n->infos) {
        return false;
    }
    for (uint32_t i = 0; i < fn->block_count; i++) {
        struct ir_block *block = fn->blocks[i];
        for (uint32_t k = 0; k < block->param_count; k++) {
            struct info info = classify(n, block->params[k]);
            info.error += error_step;
            info.ok = info.ok && info.error < error_limit;
            n->infos[block->params[k]->id] = info;
        }
        for (const struct ir_inst *inst = block->first; inst; inst = inst->next) {
            if (inst->op == IR_OUTPUT) {
                const struct ir_src src = inst->args[0];
                if (fn->outputs[inst->io].semantic != SEM_COLOR || inst->mask != 15 || src.neg ||
                    !info_of(n, src).ok) {
                    return false;
                }
                colors++;
            } else if (inst->comps && !is_leaf(inst)) {
                struct info info = classify(n, inst);
                info.error += error_step;
                info.ok = info.ok && info.error < error_limit;
                n->infos[inst->id] = info;
                n->out->values += !ir_is(inst, IR_INPUT);
                textured |= inst->op == IR_TEX && info.ok;
            }
        }
    }
    return colors > 0 && textured;
}

/* ---- making words ------------------------------------------------------------------------------------------- */

static struct ir_inst *emit(struct narrow *n, enum ir_op op, unsigned comps, unsigned count, const struct ir_src *args) {
    struct ir_inst *inst = ir_new_inst(n->fn, op, comps, count);
    for (unsigned i = 0; i < count; i++) {
        inst->args[i] = args[i];
    }
    inst->line = n->before ? n->before->line : n->block->line;
    if (n->before) {
        ir_insert_before(n->before, inst);
    } else {
        ir_append_inst(n->block, inst);
    }
    return inst;
}

static struct ir_inst *emit1(struct narrow *n, enum ir_op op, struct ir_inst *a) {
    const struct ir_src args[1] = {ir_use(a)};
    return emit(n, op, 1, 1, args);
}
static struct ir_inst *emit2(struct narrow *n, enum ir_op op, struct ir_inst *a, struct ir_inst *b) {
    const struct ir_src args[2] = {ir_use(a), ir_use(b)};
    return emit(n, op, 1, 2, args);
}

static struct ir_inst *literal(struct narrow *n, uint32_t bits) {
    struct ir_inst *inst = emit(n, IR_CONST, 1, 0, NULL);
    inst->imm[0] = bits_to_float(bits);
    return inst;
}

static struct ir_inst *masked(struct narrow *n, struct ir_inst *word, uint32_t mask) {
    return mask == UINT32_MAX ? word : emit2(n, IR_WAND, word, literal(n, mask));
}
static struct ir_inst *shifted(struct narrow *n, struct ir_inst *word, int by) {
    return by == 0 ? word : emit2(n, IR_WSHF, literal(n, (uint32_t)by), word);
}

/* Channel c in all channels. */
static struct ir_inst *spread(struct narrow *n, struct ir_inst *word, unsigned c) {
    if (c == 3) {
        return emit1(n, IR_BALPHA, word);
    }
    word = masked(n, shifted(n, word, -8 * (int)c), 255);
    word = emit2(n, IR_WOR, word, shifted(n, word, 8));
    return emit2(n, IR_WOR, word, shifted(n, word, 16));
}

/* Channel i of the result, for the channels of 'want', is channel from[i] of the word; the others are 0 if 'clean'. */
static struct ir_inst *shuffled(struct narrow *n, struct ir_inst *word, const uint8_t from[4], unsigned want, bool clean) {
    bool in_place = true, same = true;
    unsigned first = bits_ctz32(want);
    uint32_t keep = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (want >> i & 1u) {
            in_place = in_place && from[i] == i;
            same = same && from[i] == from[first];
            keep |= UINT32_C(255) << 8 * i;
        }
    }
    if (in_place || (same && bits_popcount32(want) > 2)) {
        word = in_place ? word : spread(n, word, from[first]);
        return clean ? masked(n, word, keep) : word;
    }
    struct ir_inst *all = NULL;
    for (int by = -3; by <= 3; by++) {
        uint32_t mask = 0;
        for (unsigned i = 0; i < 4; i++) {
            mask |= (want >> i & 1u) && (int)i - (int)from[i] == by ? UINT32_C(255) << 8 * from[i] : 0;
        }
        if (mask) {
            struct ir_inst *part = shifted(n, masked(n, word, mask), 8 * by);
            all = all ? emit2(n, IR_WOR, all, part) : part;
        }
    }
    return all;
}

static struct ir_inst *word_of_def(struct narrow *n, struct ir_inst *def, bool strict);

static uint32_t constant_word(struct ir_src src) {
    uint32_t word = 0;
    for (unsigned i = 0; i < src.comps; i++) {
        word |= (uint32_t)bits_byte_of(ir_src_const(src, i)) << 8 * i;
    }
    return word;
}

/* Notes that components of a uniform must be n/255. */
static void need_uniform(struct narrow *n, uint32_t reg, unsigned mask) {
    struct vliw_narrow *out = &n->out->facts;
    uint32_t i = 0;
    while (i < out->uniform_count && out->uniforms[i].reg != reg) {
        i++;
    }
    if (i == VLIW_NARROW_UNIFORMS) {
        n->failed = true;
        return;
    }
    out->uniforms[i].reg = reg;
    out->uniforms[i].mask = i == out->uniform_count ? mask : out->uniforms[i].mask | mask;
    out->uniform_count += i == out->uniform_count;
}

/* A uniform or literal as a word: channel i is component i of the source. */
static struct ir_inst *leaf_word(struct narrow *n, struct ir_src src) {
    if (ir_src_constant(src)) {
        return literal(n, constant_word(src));
    }
    struct ir_src four = src;
    unsigned mask = 0;
    four.neg = false;
    for (unsigned i = 0; i < 4; i++) {
        four.swz[i] = src.swz[i < src.comps ? i : 0];
        mask |= 1u << (src.def->comp + four.swz[i]);
    }
    four.comps = 4;
    need_uniform(n, src.def->base, mask);
    return emit(n, IR_TO_BYTES, 1, 1, &four);
}

/* The source as a word in its own order; 'width' channels, a scalar in all of them. */
static struct ir_inst *word_of(struct narrow *n, struct ir_src src, unsigned width, bool strict) {
    src.neg = false;
    for (unsigned i = src.comps; i < width; i++) {
        src.swz[i] = src.swz[0];
    }
    src.comps = (uint8_t)width;
    if (is_leaf(src.def)) {
        return leaf_word(n, src);
    }
    struct ir_inst *word = word_of_def(n, src.def, strict);
    return word == n->fn->spare ? word : shuffled(n, word, src.swz, (1u << width) - 1u, false);
}

/* Parts that come from one definition are placed together. */
static struct ir_inst *vec_word(struct narrow *n, const struct ir_inst *inst) {
    unsigned left = (1u << inst->comps) - 1u;
    uint32_t fixed = 0, ones = 0;
    struct ir_inst *all = NULL;
    for (unsigned i = 0; i < inst->comps; i++) {
        if (ir_src_constant(inst->args[i])) {
            fixed |= constant_word(inst->args[i]) << 8 * i;
            ones |= UINT32_C(255) << 8 * i;
            left &= ~(1u << i);
        }
    }
    unsigned groups = 0;
    for (unsigned i = 0, seen = 0; i < inst->comps; i++) {
        if (left >> i & ~seen >> i & 1u) {
            for (unsigned k = i; k < inst->comps; k++) {
                seen |= (left >> k & 1u) && inst->args[k].def == inst->args[i].def ? 1u << k : 0;
            }
            groups++;
        }
    }
    while (left) {
        const unsigned first = bits_ctz32(left);
        struct ir_inst *def = inst->args[first].def;
        struct ir_src leaf = inst->args[first];
        uint8_t from[4] = {0, 0, 0, 0};
        unsigned want = 0;
        leaf.comps = 4;
        for (unsigned i = 0; i < 4; i++) {
            const bool mine = (left >> i & 1u) && inst->args[i].def == def;
            from[i] = mine ? inst->args[i].swz[0] : 0;
            leaf.swz[i] = mine ? inst->args[i].swz[0] : leaf.swz[0];
            want |= mine ? 1u << i : 0;
        }
        for (unsigned i = 0; i < 4; i++) {
            leaf.swz[i] = want >> i & 1u ? leaf.swz[i] : inst->args[first].swz[0];
        }
        const bool clean = groups > 1 || fixed != ones;
        static const uint8_t in_order[4] = {0, 1, 2, 3};
        struct ir_inst *part = is_leaf(def) ? shuffled(n, leaf_word(n, leaf), in_order, want, clean)
                                            : shuffled(n, word_of_def(n, def, false), from, want, clean);
        all = all ? emit2(n, IR_WOR, all, part) : part;
        left &= ~want;
    }
    if (!all) {
        return literal(n, fixed);
    }
    return fixed ? emit2(n, IR_WOR, all, literal(n, fixed)) : all;
}

static struct ir_inst *add_word(struct narrow *n, const struct ir_inst *inst) {
    struct ir_src a = inst->args[0], b = inst->args[1];
    struct mix mix;
    if (mix_of(inst, &mix) && is_byte(info_of(n, mix.x)) && is_byte(info_of(n, mix.y)) && is_byte(info_of(n, mix.t))) {
        struct ir_inst *t = word_of(n, mix.t, inst->comps, true), *y = word_of(n, mix.y, inst->comps, true);
        const struct ir_src args[3] = {ir_use(t), ir_use(y), ir_use(word_of(n, mix.x, inst->comps, true))};
        return emit(n, IR_BLERP, 1, 3, args);
    }
    if (a.neg) {
        struct ir_src t = a;
        a = b;
        b = t;
    }
    struct ir_inst *x = word_of(n, a, inst->comps, true);
    if (!b.neg) {
        return emit2(n, IR_BADD, x, word_of(n, b, inst->comps, true));
    }
    struct ir_inst *y = word_of(n, b, inst->comps, true);
    if (ir_src_is_const(a, 1.0f)) {
        return emit1(n, IR_BNOT, y);
    }
    return emit1(n, IR_BNOT, emit2(n, IR_BADD, emit1(n, IR_BNOT, x), y));
}

static struct ir_inst *binary(struct narrow *n, const struct ir_inst *inst, enum ir_op op) {
    struct ir_inst *a = word_of(n, inst->args[0], inst->comps, true);
    return emit2(n, op, a, word_of(n, inst->args[1], inst->comps, true));
}

static struct ir_inst *tex_word(struct narrow *n, struct ir_inst *inst) {
    struct ir_inst *word = emit(n, IR_TEX, 1, inst->arg_count, inst->args);
    word->tex = inst->tex;
    word->tex.bytes = true;
    word->line = inst->line;
    word->precise = inst->precise;
    return word;
}

static struct ir_inst *param_word(struct narrow *n, struct ir_inst *param) {
    struct ir_block *block = param->block;
    struct ir_inst *word = ir_add_param(n->fn, block, 1);
    n->infos[param->id].word = word;
    for (uint32_t p = 0; p < block->pred_count; p++) {
        struct ir_block *pred = block->preds[p];
        for (unsigned e = 0; e < ir_edge_count(pred); e++) {
            struct ir_edge *edge = &pred->edge[e];
            if (edge->to == block && edge->arg_count < block->param_count) {
                n->block = pred;
                n->before = NULL;
                ir_edge_add_arg(n->fn, edge, ir_use(word_of(n, edge->args[param->io], param->comps, false)));
            }
        }
    }
    return word;
}

static struct ir_inst *make_word(struct narrow *n, struct ir_inst *inst) {
    if (inst->is_param) {
        return param_word(n, inst);
    }
    n->block = inst->block;
    n->before = inst->next;
    switch (inst->op) {
    case IR_TEX: return tex_word(n, inst);
    case IR_VEC: return vec_word(n, inst);
    case IR_ADD: return add_word(n, inst);
    case IR_MUL: return binary(n, inst, IR_BMUL);
    case IR_MIN: return binary(n, inst, IR_BMIN);
    case IR_MAX: return binary(n, inst, IR_BMAX);
    case IR_SEL: {
        struct ir_inst *b = word_of(n, inst->args[1], inst->comps, false);
        const struct ir_src args[3] = {ir_comp(inst->args[0], 0), ir_use(b),
                                       ir_use(word_of(n, inst->args[2], inst->comps, false))};
        return emit(n, IR_SEL, 1, 3, args);
    }
    default: return word_of(n, inst->args[0], inst->comps, false); /* MOV, SAT */
    }
}

/* A word that arithmetic reads: marks the texels that it copies. */
static void mark_strict(struct narrow *n, struct ir_inst *def) {
    if (is_leaf(def) || n->infos[def->id].strict) {
        return;
    }
    n->infos[def->id].strict = true;
    for (uint32_t p = 0; def->is_param && p < def->block->pred_count; p++) {
        const struct ir_block *pred = def->block->preds[p];
        for (unsigned e = 0; e < ir_edge_count(pred); e++) {
            if (pred->edge[e].to == def->block) {
                mark_strict(n, pred->edge[e].args[def->io].def);
            }
        }
    }
    if (ir_is(def, IR_TEX)) {
        n->out->facts.exact_samplers |= 1u << def->tex.sampler;
    } else if (ir_is(def, IR_MOV) || ir_is(def, IR_SAT) || ir_is(def, IR_VEC) || ir_is(def, IR_SEL)) {
        for (unsigned i = ir_is(def, IR_SEL); i < def->arg_count; i++) {
            mark_strict(n, def->args[i].def);
        }
    }
}

static struct ir_inst *word_of_def(struct narrow *n, struct ir_inst *def, bool strict) {
    struct info *info = &n->infos[def->id];
    if (strict) {
        mark_strict(n, def);
    }
    if (!info->word && !n->failed) {
        struct ir_block *block = n->block;
        struct ir_inst *before = n->before;
        struct ir_inst *word = make_word(n, def);
        info->word = word;
        n->out->narrowed++;
        n->block = block;
        n->before = before;
    }
    return info->word ? info->word : n->fn->spare;
}

/* Other uses of a texel that is read as a word unpack it. */
static void unpack_texels(struct narrow *n) {
    for (uint32_t i = 0; i < n->fn->block_count; i++) {
        for (struct ir_inst *inst = n->fn->blocks[i]->first, *next; inst; inst = next) {
            next = inst->next;
            if (!ir_is(inst, IR_TEX) || inst->tex.bytes || inst->id >= n->info_count || !n->infos[inst->id].word) {
                continue;
            }
            struct ir_inst *word = n->infos[inst->id].word;
            ir_unlink_inst(word);
            ir_insert_before(inst, word);
            inst->op = IR_FROM_BYTES;
            inst->arg_count = 1;
            inst->args[0] = ir_use(word);
            memset(&inst->tex, 0, sizeof inst->tex);
        }
    }
}

/* Texels that are still unpacked somewhere must be n/255 as well. Notes derivatives. */
static void note_uses(struct narrow *n) {
    for (uint32_t i = 0; i < n->fn->block_count; i++) {
        for (const struct ir_inst *inst = n->fn->blocks[i]->first; inst; inst = inst->next) {
            n->out->facts.quads = n->out->facts.quads || ((ir_op_infos[inst->op].flags & IR_Q) && !inst->is_param);
            if (ir_is(inst, IR_FROM_BYTES)) {
                n->out->facts.exact_samplers |= 1u << inst->args[0].def->tex.sampler;
            }
        }
    }
}

bool ir_narrow_possible(struct ir_fn *fn) {
    struct ir_narrow out;
    memset(&out, 0, sizeof out);
    struct narrow n = {.fn = fn, .out = &out};
    return !fn->arena->failed && fn->sampler_count <= 32 && analyse(&n);
}

bool ir_narrow(struct ir_fn *fn, struct ir_narrow *out) {
    struct narrow n = {.fn = fn, .out = out};
    memset(out, 0, sizeof *out);
    if (fn->arena->failed || fn->sampler_count > 32 || !analyse(&n)) {
        return false;
    }
    for (uint32_t i = 0; i < fn->block_count; i++) {
        for (struct ir_inst *inst = fn->blocks[i]->first; inst; inst = inst->next) {
            if (inst->op == IR_OUTPUT) {
                n.block = fn->blocks[i];
                n.before = inst;
                inst->args[0] = ir_use(word_of(&n, inst->args[0], 4, false));
                inst->mask = 1;
            }
        }
    }
    for (uint32_t i = 0; i < fn->output_count; i++) {
        if (fn->outputs[i].semantic == SEM_COLOR) {
            fn->outputs[i].semantic = SEM_COLOR8;
            fn->outputs[i].comps = 1;
        }
    }
    unpack_texels(&n);
    ir_opt_copy(fn);
    ir_opt_dce(fn);
    note_uses(&n);
    ir_narrow_find_direct(fn, &out->facts.direct);
    return !n.failed && !fn->arena->failed;
}
