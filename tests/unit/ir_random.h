/* SPDX-License-Identifier: MIT */
/*
 * For ir_test.c and codegen_test.c: an evaluator of IR (before or after SSA construction, one lane)
 * that defines what a function computes, and a generator of random well-formed functions with
 * variables, arrays, loops, branches, texture reads and discards.
 */
#ifndef TESTS_UNIT_IR_RANDOM_H
#define TESTS_UNIT_IR_RANDOM_H

#ifndef SIMD_ISA_SCALAR
#define SIMD_ISA_SCALAR 1
#endif
#include <stdlib.h>
#include <string.h>

#include "tests/harness/check.h"
#include "vm/base/bits.h"
#include "vm/base/math_tmpl.h"
#include "vm/include/vliw.h"
#include "vm/ir/ir.h"
#include "vm/ir/passes.h"

#define RANDOM_INPUTS   3u
#define RANDOM_UNIFORMS 8u
#define EVAL_STEPS      200000u

struct eval {
    const struct ir_fn *fn;
    float (*values)[4]; /* by instruction id */
    float **vars;       /* [var][element * 4 + comp] */
    float inputs[16][4];
    float uniforms[64][4];
    float outputs[16][4];
    bool killed;
    bool too_long;
};

/* The texture of the tests: any pure function of what the machine hands over. */
static inline void fake_texel(uint32_t sampler, unsigned kind, const float *coord, unsigned comps,
                              float lod, float out[4]) {
    float s = comps > 0 ? coord[0] : 0.0f;
    float t = comps > 1 ? coord[1] : 0.0f;
    float r = comps > 2 ? coord[2] : 0.0f;
    out[0] = s + 0.5f * t;
    out[1] = t - (float)sampler;
    out[2] = r * 0.25f + lod;
    out[3] = s * t + (float)kind;
}

static inline bool same_float(float a, float b) {
    return (a != a && b != b) || bits_from_float(a) == bits_from_float(b);
}

static inline float eval_component(enum ir_op op, const float *args, unsigned count) {
    float out = 0.0f;
    switch (op) {
    case IR_LG2: return math_log2(args[0]);
    case IR_EX2: return math_exp2(args[0]);
    case IR_SIN: return math_sin(args[0]);
    case IR_COS: return math_cos(args[0]);
    case IR_DDX:
    case IR_DDY: return 0.0f * args[0]; /* all lanes of the tests' quads are alike: x - x */
    default:
        if (!ir_fold_component(op, args, count, &out)) {
            abort();
        }
        return out;
    }
}

static inline void eval_src(const struct eval *ev, const struct ir_src *src, float out[4]) {
    for (unsigned i = 0; i < src->comps; i++) {
        float v = ev->values[src->def->id][src->swz[i]];
        out[i] = src->neg ? bits_to_float(bits_from_float(v) ^ 0x80000000u) : v;
    }
}

static inline int64_t eval_index(const struct eval *ev, const struct ir_src *src, int64_t base,
                                 int64_t low, int64_t high) {
    float v[4];
    eval_src(ev, src, v);
    /* Saturate far away, NaN to 0, then towards zero. */
    double d = v[0] != v[0] ? 0.0 : v[0] > 1e6f ? 1e6 : v[0] < -1e6f ? -1e6 : (double)v[0];
    int64_t at = base + (int64_t)d;
    return at < low ? low : at > high ? high : at;
}

static inline void eval_tex(const struct eval *ev, const struct ir_inst *inst, float out[4]) {
    const struct ir_tex *tex = &inst->tex;
    uint8_t type = ev->fn->samplers[tex->sampler];
    unsigned used = type == VLIW_SAMPLER_CUBE || type == VLIW_SAMPLER_3D ? 3 : 2;
    float coord[4] = {0, 0, 0, 0};
    float lod[4] = {0, 0, 0, 0};
    float q = 1.0f;
    unsigned kind = tex->mode;
    uint32_t sampler = tex->sampler;
    eval_src(ev, &inst->args[0], coord);
    if (tex->projective) {
        q = coord[inst->args[0].comps - 1];
        for (unsigned i = 0; i < used; i++) {
            coord[i] = coord[i] / q;
        }
    }
    if (tex->mode == IR_TEX_BIAS || tex->mode == IR_TEX_LOD) {
        eval_src(ev, &inst->args[1], lod);
    }
    if (tex->has_index) {
        sampler = (uint32_t)eval_index(ev, &inst->args[inst->arg_count - 1], tex->sampler,
                                       tex->sampler, tex->sampler + tex->elements - 1);
    }
    if ((tex->mode == IR_TEX_IMPLICIT || tex->mode == IR_TEX_BIAS) && !ev->fn->is_fragment) {
        kind = IR_TEX_LOD;
    }
    fake_texel(sampler, kind, coord, used, lod[0], out);
}

static inline void eval_inst(struct eval *ev, const struct ir_inst *inst) {
    float *out = ev->values[inst->id];
    float args[4][4];
    memset(args, 0, sizeof args);
    for (unsigned a = 0; a < inst->arg_count && a < 4; a++) {
        eval_src(ev, &inst->args[a], args[a]);
    }
    switch (inst->op) {
    case IR_CONST: memcpy(out, inst->imm, sizeof inst->imm); return;
    case IR_UNDEF: memset(out, 0, 4 * sizeof *out); return;
    case IR_INPUT: memcpy(out, ev->inputs[inst->io], 4 * sizeof *out); return;
    case IR_VEC:
        for (unsigned c = 0; c < inst->comps; c++) {
            out[c] = args[c][0];
        }
        return;
    case IR_UNIFORM: {
        int64_t reg = inst->base;
        if (inst->arg_count) {
            reg = eval_index(ev, &inst->args[0], reg, reg, reg + inst->extent - 1);
        }
        for (unsigned c = 0; c < inst->comps; c++) {
            out[c] = ev->uniforms[reg][inst->comp + c];
        }
        return;
    }
    case IR_DOT: {
        float p[4] = {0, 0, 0, 0};
        unsigned n = inst->args[0].comps;
        for (unsigned i = 0; i < n; i++) {
            p[i] = args[0][i] * args[1][i];
        }
        out[0] = n == 1   ? p[0]
                 : n == 2 ? p[0] + p[1]
                 : n == 3 ? (p[0] + p[2]) + p[1]
                          : (p[0] + p[2]) + (p[1] + p[3]);
        return;
    }
    case IR_LOAD: {
        int64_t at = inst->base;
        if (inst->arg_count) {
            at =
                eval_index(ev, &inst->args[0], at, 0, (int64_t)ev->fn->vars[inst->io].elements - 1);
        }
        memcpy(out, ev->vars[inst->io] + at * 4, 4 * sizeof *out);
        return;
    }
    case IR_STORE: {
        int64_t at = inst->base;
        if (inst->arg_count > 1) {
            at =
                eval_index(ev, &inst->args[1], at, 0, (int64_t)ev->fn->vars[inst->io].elements - 1);
        }
        unsigned next = 0;
        for (unsigned c = 0; c < 4; c++) {
            if (inst->mask & 1u << c) {
                ev->vars[inst->io][at * 4 + c] = args[0][next++];
            }
        }
        return;
    }
    case IR_OUTPUT: {
        unsigned next = 0;
        for (unsigned c = 0; c < 4; c++) {
            if (inst->mask & 1u << c) {
                ev->outputs[inst->io][c] = args[0][next++];
            }
        }
        return;
    }
    case IR_TEX: eval_tex(ev, inst, out); return;
    case IR_KILL: ev->killed |= args[0][0] != 0.0f; return;
    default:
        if (ir_op_infos[inst->op].flags & (IR_D | IR_T)) {
            uint32_t words[4][2], result[2];
            for (unsigned a = 0; a < 4; a++) {
                memcpy(words[a], args[a], sizeof words[a]);
            }
            if (!ir_fold_double((enum ir_op)inst->op, (const uint32_t(*)[2])words, inst->arg_count, result)) {
                abort();
            }
            memcpy(out, result, inst->comps * sizeof *out);
            return;
        }
        for (unsigned c = 0; c < inst->comps; c++) {
            float one[3];
            for (unsigned a = 0; a < inst->arg_count; a++) {
                one[a] = args[a][inst->args[a].comps == 1 ? 0 : c];
            }
            out[c] = eval_component((enum ir_op)inst->op, one, inst->arg_count);
        }
    }
}

/* Runs the function; inputs and uniforms are set by the caller. */
static inline void eval_run(struct eval *ev, const struct ir_fn *fn) {
    ev->fn = fn;
    ev->values = calloc(fn->next_id + 1, sizeof *ev->values);
    ev->vars = calloc(fn->var_count + 1, sizeof *ev->vars);
    for (uint32_t v = 0; v < fn->var_count; v++) {
        ev->vars[v] = calloc((size_t)fn->vars[v].elements * 4, sizeof(float));
    }
    memset(ev->outputs, 0, sizeof ev->outputs);
    ev->killed = false;
    ev->too_long = false;
    const struct ir_block *block = fn->blocks[0];
    uint32_t steps = 0;
    while (block) {
        for (const struct ir_inst *inst = block->first; inst; inst = inst->next) {
            eval_inst(ev, inst);
            steps++;
        }
        if (++steps > EVAL_STEPS) {
            ev->too_long = true;
            break;
        }
        const struct ir_edge *edge = NULL;
        if (block->term == IR_TERM_JUMP) {
            edge = &block->edge[0];
        } else if (block->term == IR_TERM_BRANCH) {
            float cond[4];
            eval_src(ev, &block->cond, cond);
            edge = &block->edge[cond[0] != 0.0f ? 0 : 1];
        }
        if (!edge) {
            break;
        }
        float(*copy)[4] = calloc(edge->arg_count + 1, sizeof *copy);
        for (uint32_t a = 0; a < edge->arg_count; a++) {
            eval_src(ev, &edge->args[a], copy[a]);
        }
        for (uint32_t a = 0; a < edge->arg_count; a++) {
            memcpy(ev->values[edge->to->params[a]->id], copy[a], sizeof *copy);
        }
        free(copy);
        block = edge->to;
    }
    for (uint32_t v = 0; v < fn->var_count; v++) {
        free(ev->vars[v]);
    }
    free(ev->vars);
    free(ev->values);
}

/* ---- random functions
 * ----------------------------------------------------------------------------- */

struct gen {
    struct ir_builder b;
    struct ir_src pool[64]; /* values that dominate the current place */
    unsigned pool_count;
    struct ir_src doubles[16]; /* values of two components that are doubles */
    unsigned double_count;
    uint32_t double_var;       /* a variable of four components in which words of doubles move about */
    unsigned vars; /* the first 'vars' variables are free to use */
    unsigned depth;
    int budget; /* statements left */
    bool plain; /* no discards, textures, arrays */
};

static inline float gen_literal(void) {
    static const float nice[] = {0.0f, 1.0f, 0.5f, 2.0f, -1.0f, 3.0f, 0.25f, 1.5f, -0.0f, 10.0f};
    return check_random_below(8) ? nice[check_random_below(10)] : check_random_float();
}

static inline struct ir_src gen_swizzle(struct ir_src src, unsigned comps) {
    uint8_t swz[4];
    for (unsigned i = 0; i < 4; i++) {
        swz[i] =
            (uint8_t)(check_random_below(2) && i < src.comps ? i : check_random_below(src.comps));
    }
    struct ir_src out = ir_swizzle(src, comps, swz);
    return check_random_below(5) == 0 ? ir_neg(out) : out;
}

static inline struct ir_src gen_value(struct gen *g, unsigned comps) {
    unsigned pick = check_random_below(8);
    if (pick == 0) {
        float v[4];
        for (unsigned i = 0; i < 4; i++) {
            v[i] = i && check_random_below(2) ? v[0] : gen_literal();
        }
        return ir_const(&g->b, comps, v);
    }
    if (pick == 1 && g->vars) {
        uint32_t var = check_random_below(g->vars);
        const struct ir_var *info = &g->b.fn->vars[var];
        if (info->elements > 1 && check_random_below(2)) {
            struct ir_src index = gen_swizzle(g->pool[check_random_below(g->pool_count)], 1);
            index = ir_op1(&g->b, IR_FLR, index);
            return gen_swizzle(ir_load(&g->b, var, 0, &index), comps);
        }
        return gen_swizzle(ir_load(&g->b, var, check_random_below(info->elements), NULL), comps);
    }
    return gen_swizzle(g->pool[check_random_below(g->pool_count)], comps);
}

static inline void gen_keep(struct gen *g, struct ir_src value) {
    if (g->pool_count < 64) {
        g->pool[g->pool_count++] = value;
    } else {
        g->pool[check_random_below(64)] = value;
    }
}

static inline struct ir_src gen_double_value(struct gen *g) {
    if (g->double_count == 0 || check_random_below(6) == 0) {
        struct ir_src value = gen_value(g, 1);
        return check_random_below(4) ? ir_double_op(&g->b, IR_F2D, &value, 1)
                                     : ir_double(&g->b, (double)gen_literal() * (check_random_below(2) ? 1.0 : 1e-9));
    }
    return g->doubles[check_random_below(g->double_count)];
}

static inline void gen_keep_double(struct gen *g, struct ir_src value) {
    unsigned at = g->double_count < 16 ? g->double_count++ : check_random_below(16);
    g->doubles[at] = value;
}

/* Computes with doubles, moves their words through components of a variable, or gives one back as a float. */
static inline struct ir_src gen_double(struct gen *g) {
    static const uint8_t two[] = {IR_DADD, IR_DMUL, IR_DDIV, IR_DMIN, IR_DMAX, IR_DADD, IR_DMUL};
    static const uint8_t one[] = {IR_DNEG, IR_DABS, IR_DSQRT, IR_DRSQ, IR_DFLR, IR_DFRC, IR_DTRUNC, IR_DCEIL, IR_DSSG, IR_DNEG};
    static const uint8_t compare[] = {IR_DSLT, IR_DSGE, IR_DSEQ, IR_DSNE};
    static const uint8_t places[][2] = {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 2}};
    struct ir_builder *b = &g->b;
    struct ir_src args[3] = {gen_double_value(g), gen_double_value(g), gen_double_value(g)};
    switch (check_random_below(8)) {
    case 0:
    case 1: gen_keep_double(g, ir_double_op(b, (enum ir_op)two[check_random_below(sizeof two)], args, 2)); break;
    case 2: gen_keep_double(g, ir_double_op(b, (enum ir_op)one[check_random_below(sizeof one)], args, 1)); break;
    case 3: gen_keep_double(g, ir_double_op(b, IR_DFMA, args, 3)); break;
    case 4: {
        struct ir_src cond = ir_double_op(b, (enum ir_op)compare[check_random_below(4)], args, 2);
        gen_keep_double(g, ir_op3(b, IR_SEL, cond, args[1], args[2]));
        return cond;
    }
    case 5: {      /* in at some place, out again */
        const uint8_t *at = places[check_random_below(5)];
        uint8_t swz[4] = {at[0], at[1], 0, 0};
        ir_store(b, g->double_var, 0, NULL, (uint8_t)(1u << at[0] | 1u << at[1]), args[0]);
        gen_keep_double(g, ir_swizzle(ir_load(b, g->double_var, 0, NULL), 2, swz));
        break;
    }
    case 6: return ir_double_op(b, (enum ir_op)compare[check_random_below(4)], args, 2);
    default: break;
    }
    return ir_double_op(b, IR_D2F, args, 1);
}

static inline struct ir_src gen_expression(struct gen *g) {
    static const uint8_t two[] = {IR_ADD, IR_MUL, IR_ADD, IR_MUL, IR_MIN, IR_MAX,
                                  IR_SLT, IR_SGE, IR_SEQ, IR_SNE, IR_DIV};
    static const uint8_t one[] = {IR_FLR, IR_FRC, IR_TRUNC, IR_CEIL, IR_ABS, IR_SSG,
                                  IR_SAT, IR_SAT, IR_SQRT,  IR_RCP,  IR_RSQ, IR_LG2,
                                  IR_EX2, IR_SIN, IR_COS,   IR_MOV};
    struct ir_builder *b = &g->b;
    unsigned comps = 1 + check_random_below(4);
    switch (check_random_below(14)) {
    case 12:
    case 13: return gen_double(g);
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
        return ir_op2(b, (enum ir_op)two[check_random_below(sizeof two)], gen_value(g, comps),
                      gen_value(g, check_random_below(4) ? comps : 1));
    case 5:
    case 6: return ir_op1(b, (enum ir_op)one[check_random_below(sizeof one)], gen_value(g, comps));
    case 7: return ir_dot(b, gen_value(g, comps), gen_value(g, comps));
    case 8: {
        struct ir_src parts[4];
        for (unsigned i = 0; i < comps; i++) {
            parts[i] = gen_value(g, 1);
        }
        return ir_vec(b, comps, parts);
    }
    case 9: {
        struct ir_src cond =
            ir_op2(b, (enum ir_op)two[6 + check_random_below(4)], gen_value(g, 1), gen_value(g, 1));
        if (check_random_below(4) == 0) {
            cond = ir_op1(b, IR_NOT, cond);
        }
        struct ir_src args[3] = {cond, gen_value(g, comps), gen_value(g, comps)};
        return ir_op3(b, IR_SEL, args[0], args[1], args[2]);
    }
    case 10: {
        if (check_random_below(3) == 0) {
            struct ir_src index = ir_op1(b, IR_FLR, gen_value(g, 1));
            uint32_t base = check_random_below(RANDOM_UNIFORMS);
            return ir_uniform(b, base, 0, comps, &index,
                              1 + check_random_below(RANDOM_UNIFORMS - base));
        }
        return ir_uniform(b, check_random_below(b->fn->uniform_regs), 0, comps, NULL, 1);
    }
    default: {
        if (g->plain || !b->fn->sampler_count) {
            return ir_op2(b, IR_ADD, gen_value(g, comps), gen_value(g, comps));
        }
        struct ir_tex tex = {.sampler = 0, .elements = 1};
        unsigned kind = check_random_below(5);
        struct ir_src args[4];
        unsigned n = 1;
        tex.sampler = (uint16_t)check_random_below(b->fn->sampler_count);
        unsigned used = b->fn->samplers[tex.sampler] == VLIW_SAMPLER_CUBE ? 3 : 2;
        args[0] = gen_value(g, used);
        if (kind == 1 || kind == 2) {
            tex.mode = kind == 1 ? IR_TEX_BIAS : IR_TEX_LOD;
            args[n++] = gen_value(g, 1);
        } else if (kind == 3 && used == 2) {
            tex.projective = true;
            args[0] = gen_value(g, 3);
        } else if (kind == 4) {
            tex.mode = IR_TEX_GRAD;
            args[n++] = gen_value(g, used);
            args[n++] = gen_value(g, used);
        }
        if (tex.sampler == 0 && check_random_below(4) == 0) {
            tex.has_index = true;
            tex.elements = 2; /* samplers 0 and 1 are both 2D */
            args[n++] = ir_op1(b, IR_FLR, gen_value(g, 1));
        }
        return ir_texture(b, &tex, args, n);
    }
    }
}

static inline void gen_statements(struct gen *g);

static inline void gen_store(struct gen *g) {
    uint32_t var = check_random_below(g->vars);
    const struct ir_var *info = &g->b.fn->vars[var];
    uint8_t mask = (uint8_t)(1 + check_random_below((1u << info->comps) - 1));
    if (check_random_below(2)) {
        mask = (uint8_t)((1u << info->comps) - 1);
    }
    struct ir_src value = gen_value(g, bits_popcount32(mask));
    if (info->elements > 1 && check_random_below(2)) {
        struct ir_src index = ir_op1(&g->b, IR_FLR, gen_value(g, 1));
        ir_store(&g->b, var, 0, &index, mask, value);
    } else {
        ir_store(&g->b, var, check_random_below(info->elements), NULL, mask, value);
    }
}

struct scope {
    struct ir_src pool[64], doubles[16];
    unsigned count, double_count;
};

static inline void scope_save(const struct gen *g, struct scope *scope) {
    memcpy(scope->pool, g->pool, sizeof scope->pool);
    scope->count = g->pool_count;
    memcpy(scope->doubles, g->doubles, sizeof scope->doubles);
    scope->double_count = g->double_count;
}

static inline void scope_restore(struct gen *g, const struct scope *scope) {
    memcpy(g->pool, scope->pool, sizeof scope->pool);
    g->pool_count = scope->count;
    memcpy(g->doubles, scope->doubles, sizeof scope->doubles);
    g->double_count = scope->double_count;
}

static inline void gen_if(struct gen *g) {
    struct ir_fn *fn = g->b.fn;
    struct scope scope;
    struct ir_block *then_block = ir_block_create(fn);
    struct ir_block *else_block = check_random_below(2) ? ir_block_create(fn) : NULL;
    struct ir_block *join = ir_block_create(fn);
    scope_save(g, &scope);
    ir_branch(&g->b, ir_op2(&g->b, IR_SLT, gen_value(g, 1), gen_value(g, 1)), then_block,
              else_block ? else_block : join);
    ir_begin(&g->b, then_block);
    gen_statements(g);
    ir_jump(&g->b, join);
    scope_restore(g, &scope);
    if (else_block) {
        ir_begin(&g->b, else_block);
        gen_statements(g);
        ir_jump(&g->b, join);
        scope_restore(g, &scope);
    }
    ir_begin(&g->b, join);
}

/* for (i = 0; i < limit; i++) with an optional break; limit is a literal or a clamped value. */
static inline void gen_loop(struct gen *g) {
    struct ir_fn *fn = g->b.fn;
    uint32_t counter = ir_add_var(fn, "i", 1, 1);
    struct ir_block *head = ir_block_create(fn);
    struct ir_block *body = ir_block_create(fn);
    struct ir_block *next = ir_block_create(fn);
    struct ir_block *out = ir_block_create(fn);
    struct scope scope;
    scope_save(g, &scope);
    struct ir_src limit = ir_float(&g->b, (float)check_random_below(6));
    if (check_random_below(2)) {
        struct ir_src raw = ir_op2(&g->b, IR_MAX, gen_value(g, 1), ir_float(&g->b, 0.0f));
        limit = ir_op2(&g->b, IR_MIN, raw, ir_float(&g->b, 5.0f));
    }
    ir_store(&g->b, counter, 0, NULL, 1, ir_float(&g->b, 0.0f));
    ir_jump(&g->b, head);
    ir_begin(&g->b, head);
    ir_branch(&g->b, ir_op2(&g->b, IR_SLT, ir_load(&g->b, counter, 0, NULL), limit), body, out);
    ir_begin(&g->b, body);
    gen_keep(g, ir_load(&g->b, counter, 0, NULL));
    if (check_random_below(2)) {
        /* Elements by the counter, within the array or beyond it. */
        struct ir_src index = ir_load(&g->b, counter, 0, NULL);
        gen_keep(g,
                 ir_uniform(&g->b, 1, 0, 4, &index, 1 + check_random_below(RANDOM_UNIFORMS - 1)));
    }
    gen_statements(g);
    if (check_random_below(3) == 0) {
        struct ir_block *rest = ir_block_create(fn);
        ir_branch(&g->b, ir_op2(&g->b, IR_SGE, gen_value(g, 1), gen_value(g, 1)), out, rest);
        ir_begin(&g->b, rest);
        gen_statements(g);
    }
    ir_jump(&g->b, next);
    ir_begin(&g->b, next);
    ir_store(&g->b, counter, 0, NULL, 1,
             ir_op2(&g->b, IR_ADD, ir_load(&g->b, counter, 0, NULL), ir_float(&g->b, 1.0f)));
    ir_jump(&g->b, head);
    scope_restore(g, &scope);
    ir_begin(&g->b, out);
}

static inline void gen_statements(struct gen *g) {
    unsigned count = 1 + check_random_below(6);
    g->depth++;
    for (unsigned i = 0; i < count && g->budget > 0; i++, g->budget--) {
        g->b.line++;
        unsigned pick = check_random_below(16);
        if (pick < 8) {
            gen_keep(g, gen_expression(g));
        } else if (pick < 12) {
            gen_store(g);
        } else if (pick == 12 && g->depth < 4) {
            gen_loop(g);
        } else if (pick == 13 && !g->plain && g->b.fn->is_fragment) {
            ir_kill(&g->b, ir_op2(&g->b, IR_SLT, gen_value(g, 1), gen_value(g, 1)));
        } else if (g->depth < 5) {
            gen_if(g);
        } else {
            gen_keep(g, gen_expression(g));
        }
    }
    g->depth--;
}

/* One random function; 'uniforms' registers of uniforms (at least RANDOM_UNIFORMS). */
static inline struct ir_fn *gen_function(struct arena *arena, int budget, uint32_t uniforms,
                                         unsigned variables) {
    bool is_fragment = check_random_below(2);
    struct ir_fn *fn = ir_fn_create(arena, "random", is_fragment);
    struct gen g = {.b = {.fn = fn}, .budget = budget};
    fn->uniform_regs = uniforms;
    g.plain = check_random_below(3) == 0;
    for (uint32_t i = 0; i < RANDOM_INPUTS; i++) {
        ir_add_input(fn, "in", is_fragment ? VLIW_SEM_VARYING : VLIW_SEM_ATTRIB, (uint8_t)i,
                     (uint8_t)(4 - i % 2));
    }
    ir_add_output(fn, "out", is_fragment ? VLIW_SEM_COLOR : VLIW_SEM_POSITION, 0, 4);
    if (!is_fragment) {
        ir_add_output(fn, "v", VLIW_SEM_VARYING, 0, 3);
    }
    if (!g.plain) {
        ir_add_sampler(fn, VLIW_SAMPLER_2D);
        ir_add_sampler(fn, VLIW_SAMPLER_2D);
        ir_add_sampler(fn, VLIW_SAMPLER_CUBE);
    }
    ir_begin(&g.b, ir_block_create(fn));
    for (unsigned i = 0; i < variables; i++) {
        bool is_array = !g.plain && check_random_below(5) == 0;
        ir_add_var(fn, "v", (uint8_t)(1 + check_random_below(4)),
                   is_array ? 2 + check_random_below(3) : 1);
    }
    g.vars = variables;
    g.double_var = ir_add_var(fn, "words", 4, 1);
    for (uint32_t i = 0; i < RANDOM_INPUTS; i++) {
        gen_keep(&g, ir_input(&g.b, i));
    }
    gen_keep(&g, ir_uniform(&g.b, 1, 0, 4, NULL, 1));
    while (g.budget > 0) {
        gen_statements(&g);
    }
    for (uint32_t o = 0; o < fn->output_count; o++) {
        unsigned comps = fn->outputs[o].comps;
        struct ir_src sum = gen_value(&g, comps);
        for (unsigned v = 0; v < variables; v++) {
            struct ir_src var = ir_load(&g.b, v, 0, NULL);
            sum = ir_op2(&g.b, v % 3 ? IR_ADD : IR_MAX, sum, gen_swizzle(var, comps));
        }
        uint8_t mask = (uint8_t)((1u << comps) - 1);
        ir_output(&g.b, o, check_random_below(6) ? mask : (uint8_t)(mask & 5),
                  check_random_below(6) ? sum : ir_op1(&g.b, IR_SAT, sum));
    }
    ir_return(&g.b);
    return fn;
}

static inline void eval_data(struct eval *ev, uint32_t uniforms) {
    for (uint32_t i = 0; i < 16; i++) {
        for (unsigned c = 0; c < 4; c++) {
            ev->inputs[i][c] = check_random_below(6)
                                   ? gen_literal() + 0.125f * (float)check_random_below(9)
                                   : check_random_float();
        }
    }
    for (uint32_t i = 0; i < 64 && i < uniforms; i++) {
        for (unsigned c = 0; c < 4; c++) {
            ev->uniforms[i][c] = check_random_below(6) ? gen_literal() : check_random_float();
        }
    }
}

#endif
