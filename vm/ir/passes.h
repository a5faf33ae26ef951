/* SPDX-License-Identifier: MIT */
/*
 * What the IR's own files share: low-level construction that the builder and the passes use, and
 * one function for each pass. A pass returns true when it changed something; every pass leaves a
 * function that ir_validate accepts. When the arena runs out the helpers hand out the function's
 * spare objects, so a pass may go on with nonsense but never with a null pointer; pass.c looks at
 * arena->failed.
 */
#ifndef VM_IR_PASSES_H
#define VM_IR_PASSES_H

#include <string.h>

#include "vm/ir/ir.h"

/* ---- construction
 * -------------------------------------------------------------------------------- */

/* A detached instruction with room for 'arg_count' sources. Never NULL. */
struct ir_inst *ir_new_inst(struct ir_fn *fn, enum ir_op op, unsigned comps, unsigned arg_count);
void ir_append_inst(struct ir_block *block, struct ir_inst *inst);
void ir_insert_before(struct ir_inst *place, struct ir_inst *inst);
/* Before the first instruction of a block. */
void ir_prepend_inst(struct ir_block *block, struct ir_inst *inst);
void ir_unlink_inst(struct ir_inst *inst);

/* Memory for the tables of a pass, used again by the next one: slot 0..3, not zeroed. NULL when memory is out. */
void *ir_table(struct ir_fn *fn, unsigned slot, size_t count, size_t size);

/* Adds a parameter (a value with is_param) to a block; the edges must then get one argument each.
 */
struct ir_inst *ir_add_param(struct ir_fn *fn, struct ir_block *block, unsigned comps);
void ir_remove_param(struct ir_block *block,
                     uint32_t index); /* and the arguments on all edges to it */
void ir_edge_add_arg(struct ir_fn *fn, struct ir_edge *edge, struct ir_src src);
void ir_add_pred(struct ir_fn *fn, struct ir_block *block, struct ir_block *pred);
void ir_remove_pred(struct ir_block *block, const struct ir_block *pred); /* one occurrence */

static inline unsigned ir_edge_count(const struct ir_block *block) {
    return block->term == IR_TERM_BRANCH ? 2u : block->term == IR_TERM_JUMP ? 1u : 0u;
}
static inline bool ir_is(const struct ir_inst *inst, enum ir_op op) {
    return inst->op == op && !inst->is_param;
}
/* The literal value of component i of a source whose definition is CONST or UNDEF. */
float ir_src_const(struct ir_src src, unsigned i);
static inline bool ir_src_constant(struct ir_src src) {
    return ir_is(src.def, IR_CONST) || ir_is(src.def, IR_UNDEF);
}
/* The components that a source names as one number, for comparing and hashing. */
static inline uint32_t ir_src_lanes(const struct ir_src *src) {
    static const uint8_t kept[5][4] = {{0}, {255}, {255, 255}, {255, 255, 255}, {255, 255, 255, 255}};
    uint32_t lanes, mask;
    memcpy(&lanes, src->swz, sizeof lanes);
    memcpy(&mask, kept[src->comps], sizeof mask);
    return lanes & mask;
}
static inline bool ir_src_equal(struct ir_src a, struct ir_src b) {
    return a.def == b.def && a.comps == b.comps && a.neg == b.neg && ir_src_lanes(&a) == ir_src_lanes(&b);
}
/* 'inner' seen through the swizzle and negation of 'outer', whose definition is what inner stands
 * for. */
struct ir_src ir_src_through(struct ir_src outer, struct ir_src inner);

/* Takes a literal index into the base of LOAD, STORE or UNIFORM, clamped as the VM would. */
bool ir_fold_index(const struct ir_fn *fn, struct ir_inst *inst);
/* Makes a branch a jump along one of its edges; unreachable blocks are left to
 * ir_remove_unreachable. */
void ir_take_edge(struct ir_block *block, unsigned taken);

/* ---- analysis
 * ------------------------------------------------------------------------------------- */

/* Removes blocks that the entry does not reach and renumbers 'order'. */
bool ir_remove_unreachable(struct ir_fn *fn);
/* Immediate dominators (blocks must be in an order where a forward edge goes forward) and loop
 * depth. */
void ir_dominators(struct ir_block **blocks, uint32_t count);
bool ir_dominates(const struct ir_block *a, const struct ir_block *b);
/* Calls 'visit' for each source of the function: arguments, conditions, edge arguments. */
typedef void (*ir_src_fn)(void *context, struct ir_src *src);
void ir_each_src(struct ir_fn *fn, ir_src_fn visit, void *context);

/* ---- steps of opt_simplify.c, one instruction at a time
 * ---------------------------------------------------------------------------------------- */

/* opt_copy.c: rewrites a source to what is behind moves, vectors and trivial parameters. */
bool ir_resolve(struct ir_src *src);
/* A parameter that always receives one value; param->aux is that source until ir_drop_trivial. */
bool ir_param_is_trivial(struct ir_fn *fn, struct ir_inst *param);
void ir_forget_trivial(struct ir_fn *fn);
void ir_drop_trivial(struct ir_fn *fn);

bool ir_fold_inst(const struct ir_fn *fn, struct ir_inst *inst);     /* opt_fold.c: literal sources */
bool ir_simplify_inst(struct ir_fn *fn, struct ir_inst *inst);       /* opt_algebra.c; may put literals before it */
bool ir_simplify_branch(struct ir_block *block);                     /* the same of the condition */

/* opt_cse.c */
struct ir_number_entry {
    struct ir_inst *inst;
    uint32_t hash;
    uint32_t next; /* entry + 1 of the same bucket, 0 ends */
};
struct ir_numbers {
    uint32_t *heads;
    struct ir_number_entry *entries;
    uint32_t buckets, used, cap;
};
bool ir_numbers_init(struct ir_fn *fn, struct ir_numbers *numbers);
/* A dominating instruction of the same value, or NULL and 'inst' is remembered. */
struct ir_inst *ir_number(struct ir_numbers *numbers, struct ir_inst *inst);

/* ---- passes
 * --------------------------------------------------------------------------------------- */

bool ir_build_ssa(struct ir_fn *fn);   /* ssa.c: variables to values */
bool ir_canonical(struct ir_fn *fn);   /* opt_copy.c: whole-register inputs and uniforms */
bool ir_lower(struct ir_fn *fn);       /* lower.c: DOT, index clamps, what code generation wants */
bool ir_opt_copy(struct ir_fn *fn);     /* copies, swizzles, trivial parameters */
/* opt_simplify.c: copies, literals, identities and value numbering in one walk; true when a branch was cut, so that
   another walk may find more. */
bool ir_opt_simplify(struct ir_fn *fn);
bool ir_opt_dce(struct ir_fn *fn);     /* dead values, components and parameters; true when values were narrowed */
bool ir_opt_ifconv(struct ir_fn *fn);  /* short branches to SEL */
bool ir_opt_blocks(struct ir_fn *fn);  /* merges and skips blocks */
bool ir_opt_unroll(struct ir_fn *fn);  /* small counted loops */
bool ir_opt_twins(struct ir_fn *fn);   /* parameters that always hold the same value */
bool ir_opt_hoist(struct ir_fn *fn);   /* loop-invariant pure values */
bool ir_opt_vectorise(struct ir_fn *fn); /* scalar operations of one kind merged */

#endif
