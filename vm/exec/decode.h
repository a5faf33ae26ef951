/* SPDX-License-Identifier: MIT */
/*
 * Inside of the decoder, a small optimising translator.
 *
 *   decode.c        finds blocks, runs the stages, packs the result into one allocation
 *   decode_inst.c   one instruction -> nodes (scalar SSA) and a sequence of what has an order;
 *   decode_typed.c  the same for element types other than f32
 *   decode_node.c   nodes: constants, common subexpressions, negations, predicates
 *   decode_live.c   which register components live across blocks
 *   decode_sched.c  uses, depth-first order
 *   decode_fuse.c   several operations as one
 *   decode_loop.c   loops in which lanes may move together
 *   decode_emit.c   accumulator, slots, micro-operations
 *
 * All memory is one arena that lives as long as vm_decode.
 */
#ifndef VM_EXEC_DECODE_H
#define VM_EXEC_DECODE_H

#include "vm/base/arena.h"
#include "vm/exec/exec.h"

/* A value: number of a node, or VAL_CONST | number of a constant, or VAL_NONE. */
typedef uint32_t dc_val;
#define VAL_CONST 0x80000000u
#define VAL_NONE 0xFFFFFFFFu
#define ONE_BITS 0x3F800000u         /* 1.0 */
static inline bool val_is_const(dc_val v) { return v != VAL_NONE && (v & VAL_CONST); }
static inline bool val_is_node(dc_val v) { return !(v & VAL_CONST); }
static inline uint32_t val_const(dc_val v) { return v & ~VAL_CONST; }

#define DC_MAX_CONSTANTS 65000u      /* micro-operations hold 16-bit numbers */
#define DC_MAX_SLOTS 65000u

struct dc_node {
    uint8_t op;                  /* enum vm_op */
    uint8_t args;
    bool live, emitted;
    bool quad;                   /* neighbours see it (an operand of DDX, DDY, implicit LOD, or of such a node) */
    bool zero_add;               /* + 0.0 below that changes at most the sign of a zero */
    bool copied;                 /* HOME: moved to a temporary by item copied_at, as its home is overwritten */
    dc_val src[3];
    int32_t extra;               /* HOME: component; RESULT: component; IDXU, IDXR: base * 4 + component */
    uint32_t version;            /* HOME, IDXR: how often homes had been written before */
    uint32_t next;               /* hash chain; for HOME also the chain of its component */
    uint32_t next_home, copied_at;
    uint32_t commit;             /* number + 1 of the final commit that takes this node */
    uint32_t homed_at;           /* item that wrote the node to home 'homed', for good; UINT32_MAX if none */
    uint32_t homed;
    uint32_t uses, left;         /* by live nodes and the sequence; those not yet emitted */
    uint32_t need;               /* slots that the tree below wants at once */
    uint32_t slot_uses, last;    /* reads from the slot, item of the last one */
    uint16_t slot;
};

/* A condition: 'cond' (enum isa_cond) holds for the float 'value'; VAL_NONE is always true. */
struct dc_cond {
    dc_val value;
    uint8_t cond;
};

/* What must happen in program order. */
enum dc_seq_kind {
    SEQ_COMMIT,                  /* home of component 'ref' = a */
    SEQ_NODE,                    /* node a reads homes as they are now */
    SEQ_STORE,                   /* r[b + base].comp = a where c; ref = base * 4 + comp */
    SEQ_BATCH,                   /* batch operation 'ref' */
    SEQ_CALL,                    /* call 'ref' of a typed function, if its results are wanted */
    SEQ_COND,                    /* bits of the comparison 'ref' (enum vm_op) of a and b */
    SEQ_OUTPUT                   /* straight programs: a is output component 'ref' */
};
struct dc_seq {
    uint8_t kind;
    bool final;                  /* COMMIT at the end of the block: only if the component lives on */
    bool done;                   /* final COMMIT that was made where its value was computed */
    dc_val a, b, c;
    int32_t ref;
    uint32_t version;            /* COMMIT, STORE: homes read before, at most this version, must not see it */
};

struct dc_batch {
    struct vm_batch_op op;
    dc_val in[VM_BATCH_INPUTS];
    dc_val out[4];               /* RESULT nodes */
    struct dc_cond cond;
};

/* A call of the function of a row of typed.def. */
struct dc_call {
    uint8_t row;
    uint32_t extra;
    dc_val in[6];
    dc_val out[4];               /* RESULT nodes */
    uint32_t out_offset[4];      /* slots, once assigned */
};

enum dc_term { TERM_NEXT, TERM_JUMP, TERM_BRANCH, TERM_END, TERM_BATCH };

struct dc_block {
    uint32_t pc, first, count;   /* unit, number and count of instructions */
    uint32_t end;                /* unit behind the last instruction */
    bool reachable;
    uint8_t term;                /* enum dc_term */
    uint32_t taken;              /* JUMP, BRANCH: block */
    uint32_t batch;              /* BATCH: operation that ends the block */
    struct dc_cond cond;         /* BRANCH */
    bool inverted;               /* BRANCH: the bits are those of the opposite condition */
    bool falls;                  /* control may reach the next block */
    bool indirect, ends;         /* may go anywhere; lanes may end here */
    uint32_t node_first, node_count, seq_first, seq_count;
    uint32_t stream[2];          /* first micro-operation */
    uint32_t loop;               /* number + 1 of the innermost loop in dc->loops */
    uint64_t *live_out;          /* components; NULL = all */
};

enum dc_item_kind { ITEM_NODE, ITEM_COMMIT, ITEM_STORE, ITEM_BATCH, ITEM_CALL, ITEM_COND, ITEM_OUTPUT };
struct dc_item {
    uint8_t kind;
    uint8_t acc;                 /* bit k set: operand k comes from the accumulator */
    bool swapped;                /* NODE: first two operands in the other order */
    uint16_t handler;            /* NODE, COND: form without store */
    uint32_t ref;                /* node, component, or number of the sequence entry or batch operation */
    dc_val value;                /* COMMIT, OUTPUT: what */
};

struct decoder {
    struct vliw_program *program;
    const struct vliw_image_desc *image;
    struct arena arena;
    bool failed;                 /* memory */
    bool overflow;               /* more slots than a micro-operation can name */
    bool in_order;               /* second try: instructions in program order */

    bool straight, one_block, indexed, canon, indirect, reads_front;
    int32_t front_comp;          /* component that holds FRONT_FACING at the start, -1 if none */
    uint32_t comps;              /* GPR components, without the pseudo component FRONT that follows */
    uint32_t inst_count;
    uint16_t *inst_pc;
    uint64_t *leaders;           /* units that start a block */
    uint16_t *block_at;
    struct dc_block *blocks;
    uint32_t block_count;

    struct dc_node *nodes;
    uint32_t node_count, node_cap;
    struct dc_seq *seqs;
    uint32_t seq_count, seq_cap;
    struct dc_seq no_seq;        /* taken when memory is out */
    struct dc_batch *batch;
    uint32_t batch_count, batch_cap;
    struct dc_call *calls;
    uint32_t call_count, call_cap, call_first;      /* first of the block */
    struct vm_constant *constants;
    uint32_t *constant_next;     /* hash chains */
    uint32_t constant_count, constant_cap, constant_next_cap;
    uint32_t constant_heads[1024];
    struct vm_loop *loops;
    uint32_t loop_count, loop_cap;
    struct vm_uop *uops;
    uint32_t uop_count, uop_cap;

    /* the block being built */
    struct dc_block *block;
    uint32_t inst_number;        /* within the block */
    dc_val *cur;                 /* value of each component, VAL_NONE = in its home */
    bool *dirty;                 /* the home is older than cur */
    uint32_t *touched;           /* components with an entry in cur */
    uint32_t touched_count;
    uint32_t version;
    uint32_t heads[1024];        /* hash chains of nodes */
    uint8_t *input_comp;         /* 1: component belongs to an input */
    uint64_t *entry_live;        /* components that the first block may read before writing; NULL = all */
    uint64_t *plus_zero, *plus_one;      /* global components that hold the literal +0.0, 1.0 */
    uint64_t *quad_set;          /* components that neighbours read: their homes are always current */

    /* the block being scheduled */
    struct dc_item *items;
    uint32_t item_count, item_cap;
    uint32_t *stack;
    uint32_t stack_cap;
    uint32_t *home_chain;        /* newest HOME node of each component, UINT32_MAX */
    uint32_t *written_within;    /* number + 1 of the last block that writes the home before its end, too */
    uint32_t *home_nodes;        /* HOME nodes of the block, oldest first */
    uint32_t home_node_count, home_node_cap, home_node_done;
    uint32_t next_in_order;
    uint16_t *home;              /* slot of each component, VM_NO_SLOT */
    uint16_t *free_slots;
    uint32_t free_count, free_cap;
    uint32_t slot_count, slot_base;
    uint16_t *output_slot;       /* 4 an output */
};

/* ---- decode_node.c ---- */

void dc_block_begin(struct decoder *dc, struct dc_block *block);
dc_val dc_float(struct decoder *dc, float value);
/* Operation on values: folded, hoisted to the draw's constants or shared with an equal one. */
dc_val dc_op(struct decoder *dc, unsigned op, dc_val a, dc_val b, dc_val c);
/* As dc_op for float operations: a NaN result is made canonical if the program looks at bits anywhere. */
dc_val dc_arith(struct decoder *dc, unsigned op, dc_val a, dc_val b, dc_val c);
dc_val dc_leaf(struct decoder *dc, unsigned op, dc_val src, int32_t extra);
/* A value in a slot: constants are copied. */
dc_val dc_in_slot(struct decoder *dc, dc_val v);
dc_val dc_select(struct decoder *dc, struct dc_cond cond, dc_val a, dc_val b);
/* The condition as 1 or 0. */
dc_val dc_cond_value(struct decoder *dc, struct dc_cond cond, bool integer);
/* Computes the condition's bits at this place of the sequence; true: the opposite's. */
bool dc_push_cond(struct decoder *dc, struct dc_cond cond);
struct dc_seq *dc_push_seq(struct decoder *dc, unsigned kind, dc_val a, int32_t ref);

/* Is the value the constant 1.0, whatever the draw? */
bool dc_is_one(const struct decoder *dc, dc_val v);

/* Registers. dc_reg_home gives the component as all lanes have it in their homes (quad operations). */
dc_val dc_reg(struct decoder *dc, uint32_t comp);
dc_val dc_reg_home(struct decoder *dc, uint32_t comp);
void dc_reg_set(struct decoder *dc, uint32_t comp, dc_val v);
void dc_commit_all(struct decoder *dc);
void dc_forget_all(struct decoder *dc);

/* ---- decode_inst.c ---- */

/* Adds the instruction at unit 'pc' to the block; 'last' when it ends the block. */
void dc_inst(struct decoder *dc, const struct isa_inst *inst, uint32_t pc, bool last);

/* ---- decode_live.c, decode_sched.c, decode_fuse.c, decode_loop.c, decode_emit.c ---- */

void dc_liveness(struct decoder *dc);
bool dc_lives(const struct decoder *dc, const struct dc_block *block, uint32_t comp);
void dc_schedule(struct decoder *dc, struct dc_block *block);
void dc_find_loops(struct decoder *dc);
void dc_fuse(struct decoder *dc, const struct dc_block *block);
void dc_assign_homes(struct decoder *dc);
void dc_emit(struct decoder *dc, struct dc_block *block);

/* Array growth inside the arena; false (and failed) without memory. */
bool dc_grow(struct decoder *dc, void **array, uint32_t count, uint32_t *cap, size_t size);

static inline bool bit_get(const uint64_t *set, uint32_t i) { return set[i / 64] >> i % 64 & 1u; }
static inline void bit_put(uint64_t *set, uint32_t i, bool on) {
    set[i / 64] = (set[i / 64] & ~(1ull << i % 64)) | (uint64_t)on << i % 64;
}
static inline void bit_set(uint64_t *set, uint32_t i) { set[i / 64] |= 1ull << i % 64; }

#endif
