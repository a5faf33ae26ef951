/* SPDX-License-Identifier: MIT */
/*
 * What the stages of the code generator hand to each other. A cg_op is one machine operation. Its
 * operands name, stage by stage: virtual registers and literal requests (after select), then global
 * registers (after literals), then physical registers (after regalloc). All memory is the
 * function's arena.
 *
 *   A virtual register has 1..4 components and may be written by several operations. A selector
 * sel[c] of a source belongs to component c of the destination; after regalloc both count
 * physically.
 *
 *   What only one stage needs is in the scratch arena, which the next stage that needs some empties: less
 * memory is touched, so more of it is in the cache.
 */
#ifndef VM_CODEGEN_CG_INTERNAL_H
#define VM_CODEGEN_CG_INTERNAL_H

#include "vm/codegen/cg.h"
#include "vm/isa/isa.h"

#define CG_NONE UINT32_MAX

enum cg_file {
    CG_FILE_NONE,
    CG_FILE_VREG,    /* reg = virtual register; after regalloc CG_FILE_GPR */
    CG_FILE_GPR,     /* reg = physical register */
    CG_FILE_GLOBAL,  /* reg = uniform or literal register */
    CG_FILE_LITERAL, /* reg = literal request, until literals are placed */
    CG_FILE_ARRAY    /* reg = first element counted from the array area; becomes CG_FILE_GPR */
};

struct cg_src {
    uint8_t file;
    bool neg : 1;
    bool indexed : 1; /* reg + trunc(component index_comp of virtual register 'index') */
    uint8_t index_comp : 2;
    uint8_t sel[4];
    uint32_t reg;
    uint32_t index;
};

enum cg_kind { CG_ARITH, CG_TEX, CG_KILL, CG_JUMP, CG_BRANCH, CG_END };

struct cg_op {
    uint8_t kind; /* enum cg_kind */
    uint8_t op;   /* ARITH: enum isa_op; TEX: enum isa_mem */
    uint8_t xop;  /* ARITH: enum isa_xop */
    uint8_t dtype, stype; /* ARITH: enum isa_type of result and operands (0 is f32) */
    uint8_t mask; /* components of the destination that are written */
    bool saturate;
    bool is_commutative;
    bool tied; /* slot 1 is the destination itself (set by regalloc) */
    bool reads_dest; /* the destination is an operand, too (FMA) */
    uint8_t src_count;
    uint8_t cond;         /* enum isa_cond of pred */
    uint8_t sampler;      /* TEX */
    bool sampler_indexed; /* TEX: + trunc(component of src[3]) */
    uint8_t coord_mask;   /* TEX: components of the coordinate that are read */
    uint8_t dest_file;    /* NONE, VREG, GPR or ARRAY */
    uint8_t dest_index_comp;
    bool dest_indexed; /* ARRAY: + trunc(component of dest_index) */
    uint32_t dest, dest_index;
    struct cg_src src[4]; /* TEX: coordinate, dx, dy, sampler index */
    struct cg_src pred;   /* file NONE = not predicated */
    uint32_t target;      /* JUMP, BRANCH: block order */
    uint32_t line;
};

struct cg_range {
    uint32_t start,
        end; /* positions: operation i reads at 2i and writes at 2i + 1; end is exclusive */
};

struct cg_ranges {
    struct cg_range *items; /* sorted, disjoint, not touching */
    uint32_t count, cap;
};

struct cg_vreg {
    uint8_t comps;
    uint8_t pairs;      /* bit k: components (of a web: slots) 2k, 2k + 1 must be a physical xy or zw */
    bool fixed;         /* component i must be physical component i */
    bool live_at_start; /* an input */
    uint8_t used;       /* components somebody reads or writes */
    struct cg_ranges ranges[4];
    uint32_t web;    /* union-find parent */
    uint8_t slot[4]; /* slot of the parent's web for each component */
    uint32_t weight; /* uses, by loop depth */
    uint32_t first;  /* webs: first position */
    uint32_t reg;    /* webs: physical register after allocation */
    uint8_t phys[4]; /* webs: physical component of each slot; others: of each component */
};

struct cg_literal_request {
    uint8_t count;
    bool pair; /* a double: two words that must stand in xy or zw */
    bool is_word; /* no float: has no negative */
    uint32_t bits[4];
    uint32_t reg; /* index among the literal registers */
    bool negated; /* the register holds the values with the other sign */
    uint8_t comp[4];
};

struct cg_block {
    uint32_t first, end; /* operations [first, end) */
    uint32_t loop_depth;
};

struct cg {
    struct ir_fn *fn;
    struct arena *arena;
    struct arena scratch; /* of the running stage */
    bool optimise;
    char *message;
    size_t message_size;
    bool failed; /* message set */

    struct cg_op *ops;
    uint32_t op_count, op_cap;
    struct cg_block *blocks; /* one for each IR block */
    uint32_t block_count;
    struct cg_vreg *vregs;
    uint32_t vreg_count, vreg_cap;
    struct cg_literal_request *literals;
    uint32_t literal_count, literal_cap;
    uint32_t (*pool)[4]; /* literal registers' bits */
    uint8_t *pool_used;  /* components in use */
    uint32_t pool_count, pool_cap;
    uint32_t *array_first; /* of an IR variable, in the array area; CG_NONE if not an array */
    uint32_t array_regs;
    uint32_t *input_vreg, *output_vreg; /* CG_NONE = unused */
    uint8_t *input_mask;
    uint32_t line; /* stamped on new operations */

    uint32_t array_base; /* regalloc: first register of the array area */
    uint32_t gprs;
    bool has_scratch; /* registers CG_SCRATCH.. are free for spilled operands */
    uint32_t spills;
};

#define CG_SCRATCH 28u /* first of four scratch registers when something is spilled */

/* Records the first failure; the text must be complete in itself. */
void cg_fail(struct cg *cg, const char *text);

static inline bool cg_has_memory(const struct cg *cg) {
    return !cg->arena->failed && !cg->scratch.failed;
}

/* select.c */
struct cg_op *
cg_new_op(struct cg *cg,
          enum cg_kind kind); /* valid until the next one; a dummy when out of memory */
uint32_t cg_new_vreg(struct cg *cg, unsigned comps);
struct cg_src cg_operand(struct cg *cg, struct ir_src src);
struct cg_op *cg_move(struct cg *cg, uint32_t dest, unsigned mask, struct cg_src src);
uint32_t cg_vreg_of(struct cg *cg, struct ir_inst *inst);
bool cg_select(struct cg *cg);

/* select_double.c: operations whose IR flags have D or T */
void cg_select_double(struct cg *cg, struct ir_inst *inst);
uint32_t cg_literal_pair(struct cg *cg, uint32_t low, uint32_t high);
/* select_bytes.c: operations whose IR flags have B */
void cg_select_bytes(struct cg *cg, struct ir_inst *inst);
static inline bool cg_is_typed(const struct cg_op *op) {
    return op->dtype != ISA_TYPE_F32 || op->stype != ISA_TYPE_F32;
}
/* Packs the four components that the selectors name, whichever component it writes. */
static inline bool cg_packs(const struct cg_op *op) {
    return op->dtype == ISA_TYPE_U8X4 && op->stype == ISA_TYPE_F32 && op->kind == CG_ARITH;
}
/* Components of a source that the operation reads for its components in 'lanes'; sel[c] of a double names its low
   word, and where the result is no pair only that. */
static inline unsigned cg_components_read(const struct cg_op *op, const struct cg_src *src, unsigned lanes) {
    const uint8_t *sel = src->sel;
    const bool high_too = src != &op->pred && op->stype == ISA_TYPE_F64 && op->kind == CG_ARITH && op->dtype != ISA_TYPE_F64;
    lanes = cg_packs(op) && src != &op->pred ? 15 : lanes;
    const unsigned mask = (lanes & 1u) << sel[0] | (lanes >> 1 & 1u) << sel[1] | (lanes >> 2 & 1u) << sel[2] | (lanes >> 3 & 1u) << sel[3];
    return high_too ? mask | mask << 1 : mask;
}

/* edges.c: blocks for edges that need them, before select; the copies of one edge */
bool cg_split_edges(struct cg *cg);
void cg_edge_copies(struct cg *cg, const struct ir_edge *edge);
/* After allocation: short tests are repeated at the ends of loops; useless jumps go. */
bool cg_rotate_loops(struct cg *cg);
void cg_clean_jumps(struct cg *cg);

/* select_fold.c: what is merged into its user; see there. */
struct cg_value {
    uint32_t vreg;
    uint32_t uses;
    uint8_t need;            /* components used */
    bool saturate;           /* its only user is SAT */
    bool folded;             /* produces no operation of its own */
    struct ir_inst *delayed; /* the SEL into which this operation goes, predicated */
    bool predicated_else;    /* SEL: the delayed operation is the 'else' source */
    uint32_t pending;        /* parallel copies */
};
bool cg_prepare_values(struct cg *cg);
static inline struct cg_value *cg_value(const struct ir_inst *inst) {
    return inst->aux;
}
/* A condition: which source to test and how. 'invert' asks for the opposite; false if not exact. */
bool cg_condition(struct ir_src cond, bool invert, struct ir_src *tested, enum isa_cond *test);

/* literals.c: places requests in registers and turns LITERAL operands into GLOBAL ones. */
bool cg_place_literals(struct cg *cg);
/* legal.c: operands that need more coordinate units than an instruction has go through registers:
   before allocation virtual ones, afterwards the scratch registers. */
bool cg_legalise(struct cg *cg);
bool cg_expand_spills(struct cg *cg);
/* True when a literal operand is one binary16 value in all components of 'mask'. */
bool cg_immediate(const struct cg *cg, const struct cg_src *src, unsigned mask, uint16_t *half);

/* live.c */
bool cg_build_ranges(struct cg *cg);
bool cg_ranges_meet(const struct cg_ranges *a, const struct cg_ranges *b); /* neither is empty */
static inline bool cg_ranges_overlap(const struct cg_ranges *a, const struct cg_ranges *b) {
    /* Most lie one behind the other. */
    return a->count && b->count && a->items[0].start < b->items[b->count - 1].end &&
           b->items[0].start < a->items[a->count - 1].end && cg_ranges_meet(a, b);
}
bool cg_ranges_add(struct arena *arena, struct cg_ranges *to, const struct cg_ranges *from);

/* coalesce.c */
bool cg_coalesce(struct cg *cg);
uint32_t cg_find_web(struct cg *cg, uint32_t vreg, uint8_t slot_of[4]);

/* regalloc.c: physical registers; afterwards ops name them. */
bool cg_allocate(struct cg *cg);

/* pack.c: units of one operation, and of an instruction under construction. */
struct cg_group { /* the arithmetic units of one phase */
    struct isa_unit main, sub;
    bool has_main, has_sub;
    uint32_t line, sub_line;
};
struct cg_work {
    struct cg_group arith[2];
    struct isa_unit coord[2];
    uint32_t coord_line;
    uint8_t coords;
    struct isa_unit process;
    bool has_process;
    uint32_t process_line, target;
    uint8_t operations;
};
/* The operation alone: arithmetic in phase 0 unless it needs coordinate units. */
void cg_pack_op(const struct cg *cg, const struct cg_op *op, struct cg_work *work);
/* What is there of 'from'; a quarter of the struct mostly. */
void cg_pack_copy(struct cg_work *to, const struct cg_work *from);
/* Adds a packed operation to an instruction if the ISA allows it together; else false, nothing
 * changed. */
bool cg_pack_merge(struct cg_work *into, const struct cg_work *op);
/* The same for the fixed format: any two operations that the core's units can do at once. */
bool cg_pack_merge_fixed(struct cg_work *into, const struct cg_work *op);
/* The finished instruction; line[i] is the source line of unit i. */
void cg_pack_finish(const struct cg_work *work, struct isa_inst *inst, uint32_t line[4]);

/* sched.c: instructions of all blocks, in words; a branch's distance is filled in later. */
struct cg_inst {
    uint32_t word[4];
    uint32_t line[4];
    uint32_t branch;  /* its entry among the branches, CG_NONE if it has no target */
    uint8_t units, operations;
};
struct cg_branch { /* a BRC that leads to a block */
    uint32_t target;
    uint32_t place; /* the unit's, in the instruction */
    struct isa_unit unit;
};
struct cg_program {
    struct cg_inst *insts;
    uint32_t count, cap;
    struct cg_branch *branches;
    uint32_t branch_count, branch_cap;
    uint32_t *block_first; /* index of the first instruction of each block; [block_count] = count */
};
bool cg_schedule(struct cg *cg, struct cg_program *program);
/* Instructions of the same operations in the papers' fixed two-operation format (--stats). */
uint32_t cg_schedule_fixed(struct cg *cg);

/* emit.c */
struct vliw_image *cg_emit(struct cg *cg, struct cg_program *program, const char *name,
                           struct cg_stats *stats);

#endif
