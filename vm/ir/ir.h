/* SPDX-License-Identifier: MIT */
/*
 * The compiler's intermediate representation: one function a stage (all calls are inlined by the
 * front end), a control-flow graph of blocks in SSA form with block parameters, values of 1..4 float
 * components (a double is two of them), sources with a free swizzle and negation (as the ISA has them).
 *
 * The front end builds it through build.c with *variables* (LOAD, STORE); ir_optimise first promotes
 * every variable that is never indexed dynamically to SSA, then runs the passes. Block order in
 * fn->blocks is source order; loops are reducible: the front end emits structured code only, in the
 * order  header, body..., continue, exit,  so that a branch backwards is always a loop's back edge and
 * a block that post-dominates a divergent branch comes after both sides.
 */
#ifndef VM_IR_IR_H
#define VM_IR_IR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "vm/base/arena.h"
#include "vm/base/str.h"

enum { IR_C = 1, IR_P = 2, IR_S = 4, IR_Q = 8, IR_W = 16, IR_D = 32, IR_T = 64, IR_B = 128 };

enum ir_op {
#define IR_OP(id, name, args, flags, meaning) IR_##id,
#include "vm/ir/ir_ops.def"
#undef IR_OP
    IR_OP_COUNT
};

struct ir_op_info {
    const char *name;
    int8_t args;
    uint8_t flags;
    const char *meaning;
};
extern const struct ir_op_info ir_op_infos[IR_OP_COUNT];

struct ir_inst;
struct ir_block;

/* A use of a value: component i of the operand is component swz[i] of 'def', negated if 'neg'. */
struct ir_src {
    struct ir_inst *def;      /* the defining instruction (an instruction is its value) */
    uint8_t comps;            /* how many components this operand has, 1..4 */
    uint8_t swz[4];
    bool neg;
};

/* A texture read. Sources in order: coord; [bias or lod]; [dx, dy]; [reference]. */
enum ir_tex_mode { IR_TEX_IMPLICIT, IR_TEX_BIAS, IR_TEX_LOD, IR_TEX_GRAD };
struct ir_tex {
    uint8_t mode;             /* enum ir_tex_mode */
    bool projective;          /* divide the coordinate by its last component */
    bool has_reference;       /* shadow samplers */
    bool has_index;           /* the last source is a dynamic element index into the sampler array */
    bool bytes;               /* the result is a word of four bytes */
    uint16_t sampler;         /* index into fn->samplers (first element of an array) */
    uint16_t elements;        /* elements of the sampler array: the index is clamped to it */
};

struct ir_inst {
    uint8_t op;               /* enum ir_op */
    uint8_t comps;            /* components of the result; 0 = no value */
    uint8_t mask;             /* OUTPUT, STORE */
    uint8_t comp;             /* UNIFORM: first component read */
    uint16_t arg_count;
    bool precise;             /* part of an invariant computation: no algebra */
    bool is_param;            /* a block parameter (op is MOV, no sources) */
    uint32_t id;              /* unique in the function, for printing */
    uint32_t line;            /* source line: string number << 24 | line, 0 unknown */
    uint32_t base;            /* UNIFORM, LOAD, STORE: register or element */
    uint32_t extent;          /* UNIFORM: number of registers a dynamic index may reach from base */
    uint32_t io;              /* INPUT, OUTPUT: index into fn->inputs / fn->outputs; LOAD, STORE: variable */
    float imm[4];             /* CONST */
    struct ir_tex tex;        /* TEX */
    struct ir_src *args;      /* arg_count sources */
    struct ir_block *block;
    struct ir_inst *prev, *next;
    void *aux;                /* owned by the running pass */
};

/* End of a block. Arguments for the target's parameters are per edge. */
enum ir_term { IR_TERM_NONE, IR_TERM_JUMP, IR_TERM_BRANCH, IR_TERM_RETURN };
struct ir_edge {
    struct ir_block *to;
    struct ir_src *args;      /* one for each parameter of 'to' */
    uint32_t arg_count, arg_cap;
};

struct ir_block {
    uint32_t id;
    uint32_t order;           /* position in fn->blocks */
    struct ir_inst *first, *last;
    struct ir_inst **params;  /* values with is_param */
    uint32_t param_count, param_cap;
    uint8_t term;             /* enum ir_term */
    struct ir_src cond;       /* BRANCH: scalar; != 0 takes edge[0], else edge[1] */
    struct ir_edge edge[2];
    struct ir_block **preds;
    uint32_t pred_count, pred_cap;
    struct ir_block *idom;    /* by ir_dominators */
    uint32_t dom_first, dom_last, dom_next; /* dominator tree: preorder number, last of the subtree */
    uint32_t loop_depth;
    uint32_t line;            /* of the terminator */
    void *aux;
};

struct ir_var {
    const char *name;
    uint8_t comps;            /* of one element */
    uint32_t elements;        /* 1 if not an array (matrix columns and array elements are flattened) */
    bool dynamic;             /* indexed by a value somewhere; set by the builder */
};

struct ir_io {
    const char *name;
    uint8_t semantic;         /* enum vliw_semantic, as a number (ir does not include vliw.h) */
    uint8_t index;
    uint8_t comps;
};

struct ir_fn {
    struct arena *arena;      /* owns everything below */
    const char *name;
    bool is_fragment;
    struct ir_block **blocks; /* blocks[0] is the entry */
    uint32_t block_count, block_cap;
    struct ir_var *vars;
    uint32_t var_count, var_cap;
    struct ir_io *inputs, *outputs;
    uint32_t input_count, output_count, input_cap, output_cap;
    uint8_t *samplers;        /* enum vliw_sampler_type as numbers */
    uint32_t sampler_count, sampler_cap;
    uint32_t uniform_regs;    /* registers of uniforms; literals go after them */
    uint32_t next_id;
    bool in_ssa;              /* variables have been promoted */
    uint32_t unroll_size;     /* of plain loops (opt_loop.c); 0 until all loops have been looked at */
    struct ir_inst *spare;    /* an UNDEF outside all blocks: the value of dropped instructions */
    struct ir_block *spare_block; /* stands in for blocks when memory is out (arena->failed) */
    struct ir_table { void *data; size_t size; } tables[4]; /* of the running pass: ir_table */
    struct ir_inst *literals[64]; /* by hash: the last CONST that was built; of use in its own block only */
};

/* ---- building (build.c) -------------------------------------------------------------------------- */

struct ir_builder {
    struct ir_fn *fn;
    struct ir_block *block;   /* where instructions are appended; NULL after a terminator */
    uint32_t line;            /* stamped on new instructions */
    bool precise;             /* stamped on new instructions */
};

/* A function without blocks: the first ir_begin places the entry. NULL only when memory is out. All
   other builder calls never return NULL: once arena->failed is set they drop what they are given. */
struct ir_fn *ir_fn_create(struct arena *arena, const char *name, bool is_fragment);
struct ir_block *ir_block_create(struct ir_fn *fn);          /* not yet placed */
void ir_block_append(struct ir_fn *fn, struct ir_block *block); /* places it at the end of fn->blocks */

uint32_t ir_add_var(struct ir_fn *fn, const char *name, uint8_t comps, uint32_t elements);
uint32_t ir_add_input(struct ir_fn *fn, const char *name, uint8_t semantic, uint8_t index, uint8_t comps);
uint32_t ir_add_output(struct ir_fn *fn, const char *name, uint8_t semantic, uint8_t index, uint8_t comps);
uint32_t ir_add_sampler(struct ir_fn *fn, uint8_t type);     /* elements of an array are consecutive */

/* Operands. ir_use: all components of a value in order. */
struct ir_src ir_use(struct ir_inst *def);
struct ir_src ir_swizzle(struct ir_src src, unsigned comps, const uint8_t *swz); /* composes */
struct ir_src ir_comp(struct ir_src src, unsigned comp);      /* one component */
struct ir_src ir_splat(struct ir_src src, unsigned comps);    /* component 0 repeated */
struct ir_src ir_neg(struct ir_src src);
/* True when every component of the source is the literal 'value' (bits compared, negation applied). */
bool ir_src_is_const(struct ir_src src, float value);

/* Values. Component-wise operations splat scalar operands to the widest operand. */
struct ir_src ir_const(struct ir_builder *b, unsigned comps, const float *values);
struct ir_src ir_float(struct ir_builder *b, float value);
struct ir_src ir_op1(struct ir_builder *b, enum ir_op op, struct ir_src a);
struct ir_src ir_op2(struct ir_builder *b, enum ir_op op, struct ir_src a, struct ir_src c);
struct ir_src ir_op3(struct ir_builder *b, enum ir_op op, struct ir_src a, struct ir_src c, struct ir_src d);
struct ir_src ir_sub(struct ir_builder *b, struct ir_src a, struct ir_src c);         /* add(a, -c) */
struct ir_src ir_dot(struct ir_builder *b, struct ir_src a, struct ir_src c);
/* Operations on doubles: two components a source or result as the operation's flags say. */
struct ir_src ir_double_op(struct ir_builder *b, enum ir_op op, const struct ir_src *args, unsigned count);
/* A literal double: words of its binary64. */
struct ir_src ir_double(struct ir_builder *b, double value);
struct ir_src ir_vec(struct ir_builder *b, unsigned comps, const struct ir_src *scalars);
struct ir_src ir_input(struct ir_builder *b, uint32_t io);
void ir_output(struct ir_builder *b, uint32_t io, uint8_t mask, struct ir_src value);
/* index may be NULL (no dynamic part). extent: registers reachable from base, for clamping. */
struct ir_src ir_uniform(struct ir_builder *b, uint32_t base, uint8_t comp, unsigned comps,
                         const struct ir_src *index, uint32_t extent);
struct ir_src ir_load(struct ir_builder *b, uint32_t var, uint32_t element, const struct ir_src *index);
void ir_store(struct ir_builder *b, uint32_t var, uint32_t element, const struct ir_src *index,
              uint8_t mask, struct ir_src value);
struct ir_src ir_texture(struct ir_builder *b, const struct ir_tex *tex, const struct ir_src *args, unsigned count);
void ir_kill(struct ir_builder *b, struct ir_src cond);

/* Terminators; they add predecessors and leave b->block NULL. Instructions built with block NULL are
   dropped (unreachable code), the builder returning an UNDEF value. */
void ir_jump(struct ir_builder *b, struct ir_block *to);
void ir_branch(struct ir_builder *b, struct ir_src cond, struct ir_block *then_to, struct ir_block *else_to);
void ir_return(struct ir_builder *b);
void ir_begin(struct ir_builder *b, struct ir_block *block);  /* append to fn->blocks and continue there */

/* ---- analysis and transformation ------------------------------------------------------------------ */

struct ir_options {
    bool no_optimise;         /* SSA construction and what code generation needs only */
};

/* SSA construction, then the pass list of pass.c to a fixed point. False only when memory is out. */
bool ir_optimise(struct ir_fn *fn, const struct ir_options *options);

/* Appends the text form (stable, for tests); NULL-safe on partly built functions. */
void ir_print(const struct ir_fn *fn, struct str *out);
/* Parses the text form (tests). NULL and a message with line on error. */
struct ir_fn *ir_parse(struct arena *arena, const char *text, char *message, size_t message_size);
/* Checks every invariant; NULL if fine, else a static text, *where the block id. */
const char *ir_validate(const struct ir_fn *fn, uint32_t *where);

/* Folds an operation on constant components exactly as the VM computes it; false when it cannot. */
bool ir_fold_component(enum ir_op op, const float *args, unsigned count, float *result);
/* The same for operations on doubles (flags D, T): words of each source, low first; words of the result. */
bool ir_fold_double(enum ir_op op, const uint32_t (*args)[2], unsigned count, uint32_t result[2]);

#endif
