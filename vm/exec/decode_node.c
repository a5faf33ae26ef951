/* SPDX-License-Identifier: MIT */
/*
 * Nodes of the decoder: scalar SSA values of one block. Here negations fold into operations, expressions
 * of constants move to the draw's constants (prepare.c computes them once a draw, with the same bits) and
 * equal operations become one. Nothing here changes a rounding.
 */
#include "vm/exec/decode.h"

#include <string.h>

#include "vm/base/bits.h"

static const uint8_t op_args[VM_OP_COUNT] = {
#define VM_COMM2(n) [VM_OP_##n] = 2,
#define VM_ORD2(n) [VM_OP_##n] = 2,
#define VM_FEWC2(n) [VM_OP_##n] = 2,
#define VM_FEW2(n) [VM_OP_##n] = 2,
#define VM_MAD3(n) [VM_OP_##n] = 3,
#define VM_SEL3(n) [VM_OP_##n] = 3,
#define VM_MIX3(n) [VM_OP_##n] = 3,
#define VM_SUM3(n) [VM_OP_##n] = 3,
#define VM_CUB3(n) [VM_OP_##n] = 3,
#define VM_FEW3(n) [VM_OP_##n] = 3,
#define VM_ONE1(n) [VM_OP_##n] = 1,
#define VM_FUN1(n) [VM_OP_##n] = 1,
#define VM_FEW1(n) [VM_OP_##n] = 1,
#define VM_QUAD1(n) [VM_OP_##n] = 1,
#define VM_COND2(n)
#define VM_SYS(n)
#include "vm/exec/microop.def"
};

bool dc_grow(struct decoder *dc, void **array, uint32_t count, uint32_t *cap, size_t size) {
    if (count < *cap) {
        return true;
    }
    void *grown = arena_grow(&dc->arena, *array, count, cap, count + 1, size);
    if (grown == NULL) {
        dc->failed = true;
        return false;
    }
    *array = grown;
    return true;
}

static uint32_t hash(unsigned op, const dc_val *src, uint32_t extra, uint32_t version) {
    uint32_t h = op * 0x9E3779B1u + extra * 0x85EBCA77u + version * 0x27D4EB2Fu;
    for (int i = 0; i < 3; i++) {
        h = (h ^ src[i]) * 0xC2B2AE3Du;
        h ^= h >> 15;
    }
    return h % 1024;
}

void dc_block_begin(struct decoder *dc, struct dc_block *block) {
    dc->block = block;
    block->node_first = dc->node_count;
    block->seq_first = dc->seq_count;
    dc->call_first = dc->call_count;
    memset(dc->heads, 0xFF, sizeof dc->heads);
    for (uint32_t i = 0; i < dc->touched_count; i++) {
        dc->cur[dc->touched[i]] = VAL_NONE;
        dc->dirty[dc->touched[i]] = false;
    }
    dc->touched_count = 0;
    dc->version = 0;
    dc->inst_number = 0;
}

/* ---- Constants of the draw ---- */

/* VAL_NONE when there is no number left. */
static dc_val constant(struct decoder *dc, unsigned op, const dc_val *src, int32_t extra) {
    uint32_t base = dc->program->info.globals * 4, h = hash(op, src, (uint32_t)extra, 0);
    for (uint32_t i = dc->constant_heads[h]; i != UINT32_MAX; i = dc->constant_next[i]) {
        const struct vm_constant *k = &dc->constants[i];
        if (k->op == op && k->extra == extra && k->src[0] == (uint16_t)src[0] && k->src[1] == (uint16_t)src[1] &&
            k->src[2] == (uint16_t)src[2]) {
            return VAL_CONST | (base + i);
        }
    }
    if (base + dc->constant_count >= DC_MAX_CONSTANTS ||
        !dc_grow(dc, (void **)&dc->constants, dc->constant_count, &dc->constant_cap, sizeof *dc->constants) ||
        !dc_grow(dc, (void **)&dc->constant_next, dc->constant_count, &dc->constant_next_cap, sizeof(uint32_t))) {
        return VAL_NONE;
    }
    struct vm_constant *k = &dc->constants[dc->constant_count];
    *k = (struct vm_constant){(uint8_t)op, {(uint16_t)src[0], (uint16_t)src[1], (uint16_t)src[2]}, extra};
    dc->constant_next[dc->constant_count] = dc->constant_heads[h];
    dc->constant_heads[h] = dc->constant_count;
    return VAL_CONST | (base + dc->constant_count++);
}

/* A unit holds at most one immediate, so the numbers reserved for them never run out. */
#define IMMEDIATES (ISA_MAX_UNITS + 16u)
_Static_assert(ISA_GLOBALS * 4 + IMMEDIATES <= DC_MAX_CONSTANTS, "constants need 16-bit numbers");

static bool may_hoist(const struct decoder *dc) {
    return dc->program->info.globals * 4 + dc->constant_count < DC_MAX_CONSTANTS - IMMEDIATES;
}

dc_val dc_float(struct decoder *dc, float value) {
    const dc_val none[3] = {0, 0, 0};
    dc_val v = constant(dc, VM_OP_POOL, none, (int32_t)bits_from_float(value));
    return v != VAL_NONE ? v : VAL_CONST | 0;      /* without memory only: decoding fails */
}

/* ---- Additions of zero ---- */

/*
 * cell + vec2(1.0, 0.0) is common in noise. x + 0.0 differs from x in nothing but the sign of a zero (-0.0), so it may
 * go where that cannot be seen: below operations that ignore the sign of a zero operand, through operations that hand
 * it on to a zero result at most. What remains is often an expression that is there already.
 */
#define ZERO_DEPTH 5u

static bool ignores_zero_sign(unsigned op) {
    return op == VM_OP_FRC || op == VM_OP_ABS || op == VM_OP_COS || op == VM_OP_SLT || op == VM_OP_SGE ||
           op == VM_OP_SEQ || op == VM_OP_SNE;
}

static bool passes_zero_sign(unsigned op) {
    return op == VM_OP_MUL || op == VM_OP_NML || op == VM_OP_NEG || op == VM_OP_ADD || op == VM_OP_SUB ||
           op == VM_OP_FLR || op == VM_OP_SIN;
}

static bool is_literal(const struct decoder *dc, dc_val v, const uint64_t *literals, uint32_t bits) {
    if (!val_is_const(v)) {
        return false;
    }
    uint32_t number = val_const(v), globals = dc->program->info.globals * 4;
    if (number < globals) {
        return bit_get(literals, number);
    }
    const struct vm_constant *k = &dc->constants[number - globals];
    return k->op == VM_OP_POOL && k->extra == (int32_t)bits;
}

static bool is_plus_zero(const struct decoder *dc, dc_val v) { return is_literal(dc, v, dc->plus_zero, 0); }
bool dc_is_one(const struct decoder *dc, dc_val v) { return is_literal(dc, v, dc->plus_one, ONE_BITS); }

static bool has_zero_add(const struct decoder *dc, unsigned op, const dc_val *s) {
    bool below = false;
    for (unsigned i = 0; i < 2; i++) {
        below = below || (val_is_node(s[i]) && dc->nodes[s[i]].zero_add);
    }
    return passes_zero_sign(op) && (below || (op == VM_OP_ADD && is_plus_zero(dc, s[1])));
}

/* ---- Nodes ---- */

static dc_val node(struct decoder *dc, unsigned op, unsigned args, const dc_val *src, int32_t extra, uint32_t version) {
    uint32_t h = hash(op, src, (uint32_t)extra, version);
    bool shared = op != VM_OP_RESULT;
    for (uint32_t i = dc->heads[h]; shared && i != UINT32_MAX; i = dc->nodes[i].next) {
        const struct dc_node *n = &dc->nodes[i];
        if (n->op == op && n->extra == extra && n->version == version && memcmp(n->src, src, sizeof n->src) == 0) {
            return i;
        }
    }
    if (!dc_grow(dc, (void **)&dc->nodes, dc->node_count, &dc->node_cap, sizeof *dc->nodes)) {
        return VAL_CONST | 0;
    }
    struct dc_node *n = &dc->nodes[dc->node_count];
    memset(n, 0, sizeof *n);
    n->op = (uint8_t)op;
    n->args = (uint8_t)args;
    memcpy(n->src, src, sizeof n->src);
    n->zero_add = has_zero_add(dc, op, src);
    n->extra = extra;
    n->version = version;
    n->slot = VM_NO_SLOT;
    n->next_home = n->homed_at = UINT32_MAX;
    n->next = dc->heads[h];
    dc->heads[h] = dc->node_count;
    return dc->node_count++;
}

dc_val dc_leaf(struct decoder *dc, unsigned op, dc_val src, int32_t extra) {
    const dc_val s[3] = {src, VAL_NONE, VAL_NONE};
    if (op == VM_OP_IDXU && val_is_const(src)) {
        const dc_val k[3] = {val_const(src), 0, 0};
        dc_val v = may_hoist(dc) ? constant(dc, op, k, extra) : VAL_NONE;
        if (v != VAL_NONE) {
            return v;
        }
        return dc_leaf(dc, op, dc_in_slot(dc, src), extra);
    }
    bool reads_homes = op == VM_OP_HOME || op == VM_OP_IDXR;
    return node(dc, op, src != VAL_NONE, s, extra, reads_homes ? dc->version : 0);
}

dc_val dc_in_slot(struct decoder *dc, dc_val v) {
    const dc_val s[3] = {v, VAL_NONE, VAL_NONE};
    return val_is_const(v) ? node(dc, VM_OP_COPY, 1, s, 0, 0) : v;
}

/* The operand of a negation, or VAL_NONE. */
static dc_val negated(const struct decoder *dc, dc_val v) {
    return val_is_node(v) && dc->nodes[v].op == VM_OP_NEG ? dc->nodes[v].src[0] : VAL_NONE;
}

/* Folds negations of operands into the operation; exact, since rounding is symmetric. */
static unsigned fold_negations(const struct decoder *dc, unsigned op, dc_val *s) {
    dc_val na = negated(dc, s[0]), nb = s[1] != VAL_NONE ? negated(dc, s[1]) : VAL_NONE;
    switch (op) {
    case VM_OP_ADD:
        if (nb != VAL_NONE) {
            s[1] = nb;
            return VM_OP_SUB;
        }
        if (na != VAL_NONE) {
            s[0] = s[1];
            s[1] = na;
            return VM_OP_SUB;
        }
        return op;
    case VM_OP_SUB:
        if (nb != VAL_NONE) {
            s[1] = nb;
            return VM_OP_ADD;
        }
        return op;
    case VM_OP_MUL:
        if (na != VAL_NONE) {
            s[0] = na;
        }
        if (nb != VAL_NONE) {
            s[1] = nb;
        }
        return (na != VAL_NONE) != (nb != VAL_NONE) ? VM_OP_NML : VM_OP_MUL;
    case VM_OP_ABS:
        if (na != VAL_NONE) {
            s[0] = na;
        }
        return op;
    default:
        return op;
    }
}

/* The value without additions of zero, some levels down. */
static dc_val strip_zeros(struct decoder *dc, dc_val v, unsigned depth) {
    if (!val_is_node(v) || !dc->nodes[v].zero_add || depth == 0) {
        return v;
    }
    const struct dc_node n = dc->nodes[v];      /* a copy: the array moves */
    dc_val a = strip_zeros(dc, n.src[0], depth - 1);
    if (n.op == VM_OP_ADD && is_plus_zero(dc, n.src[1])) {
        return a;
    }
    return dc_op(dc, n.op, a, n.args > 1 ? strip_zeros(dc, n.src[1], depth - 1) : VAL_NONE, VAL_NONE);
}

static bool commutes(unsigned op) {
    switch (op) {
#define VM_COMM2(n) case VM_OP_##n:
#define VM_FEWC2(n) case VM_OP_##n:
#define VM_ORD2(n)
#define VM_FEW2(n)
#define VM_MAD3(n)
#define VM_SEL3(n)
#define VM_MIX3(n)
#define VM_SUM3(n)
#define VM_CUB3(n)
#define VM_FEW3(n)
#define VM_ONE1(n)
#define VM_FUN1(n)
#define VM_FEW1(n)
#define VM_QUAD1(n)
#define VM_COND2(n)
#define VM_SYS(n)
#include "vm/exec/microop.def"
        return true;
    default:
        return false;
    }
}

dc_val dc_op(struct decoder *dc, unsigned op, dc_val a, dc_val b, dc_val c) {
    dc_val s[3] = {a, b, c};
    unsigned args = op_args[op];
    if (op == VM_OP_NEG && negated(dc, a) != VAL_NONE) {
        return negated(dc, a);
    }
    op = fold_negations(dc, op, s);
    for (unsigned i = 0; i < args && ignores_zero_sign(op); i++) {
        s[i] = strip_zeros(dc, s[i], ZERO_DEPTH);
    }
    bool all_const = true;
    for (unsigned i = 0; i < args; i++) {
        all_const = all_const && val_is_const(s[i]);
    }
    if (all_const) {
        const dc_val k[3] = {val_const(s[0]), args > 1 ? val_const(s[1]) : 0, args > 2 ? val_const(s[2]) : 0};
        dc_val v = may_hoist(dc) ? constant(dc, op, k, 0) : VAL_NONE;
        if (v != VAL_NONE || dc->failed) {
            return v != VAL_NONE ? v : s[0];
        }
        s[0] = dc_in_slot(dc, s[0]);     /* no form reads constants only */
    }
    if (commutes(op) && (val_is_const(s[0]) || (val_is_node(s[1]) && s[0] > s[1]))) {
        dc_val t = s[0];
        s[0] = s[1];
        s[1] = t;
    }
    return node(dc, op, args, s, 0, 0);
}

/* Operations that can give a NaN whose bits depend on the host. */
static bool may_be_nan(unsigned op) {
    switch (op) {
    case VM_OP_SLT: case VM_OP_SGE: case VM_OP_SEQ: case VM_OP_SNE: case VM_OP_SSG: case VM_OP_SAT:
    case VM_OP_CONV: case VM_OP_CMP: case VM_OP_AND: case VM_OP_OR: case VM_OP_XOR: case VM_OP_SHF:
    case VM_OP_BADD: case VM_OP_BMUL: case VM_OP_BMIN: case VM_OP_BMAX: case VM_OP_BLERP: case VM_OP_BALPHA:
        return false;
    default:
        return true;
    }
}

dc_val dc_arith(struct decoder *dc, unsigned op, dc_val a, dc_val b, dc_val c) {
    dc_val v = dc_op(dc, op, a, b, c);
    return dc->canon && may_be_nan(op) ? dc_op(dc, VM_OP_CANON, v, VAL_NONE, VAL_NONE) : v;
}

/* ---- Predicates ---- */

dc_val dc_select(struct decoder *dc, struct dc_cond cond, dc_val a, dc_val b) {
    static const uint8_t ops[ISA_COND_COUNT] = {
        [ISA_COND_Z] = VM_OP_SELNZ, [ISA_COND_NZ] = VM_OP_SELNZ, [ISA_COND_N] = VM_OP_SELN,
        [ISA_COND_GE] = VM_OP_SELGE, [ISA_COND_P] = VM_OP_SELP, [ISA_COND_LE] = VM_OP_SELLE,
    };
    if (cond.value == VAL_NONE || a == b) {
        return a;
    }
    bool swap = cond.cond == ISA_COND_Z;
    return dc_op(dc, ops[cond.cond], cond.value, swap ? b : a, swap ? a : b);
}

dc_val dc_cond_value(struct decoder *dc, struct dc_cond cond, bool integer) {
    dc_val v = cond.value, zero = dc_float(dc, 0.0f), one = dc_float(dc, 1.0f), n = VAL_NONE;
    if (integer) {
        static const uint8_t ops[ISA_COND_COUNT] = {VM_OP_ISZ, VM_OP_ISZ, VM_OP_ISN, VM_OP_ISN, VM_OP_ISP, VM_OP_ISP};
        v = dc_op(dc, ops[cond.cond], v, n, n);
        bool inverse = cond.cond == ISA_COND_NZ || cond.cond == ISA_COND_GE || cond.cond == ISA_COND_LE;
        return inverse ? dc_op(dc, VM_OP_SUB, one, v, n) : v;
    }
    switch (cond.cond) {
    case ISA_COND_Z: return dc_op(dc, VM_OP_SEQ, v, zero, n);
    case ISA_COND_NZ: return dc_op(dc, VM_OP_SNE, v, zero, n);
    case ISA_COND_N: return dc_op(dc, VM_OP_SLT, v, zero, n);
    case ISA_COND_GE: return dc_op(dc, VM_OP_SGE, v, zero, n);
    case ISA_COND_P: return dc_op(dc, VM_OP_SLT, zero, v, n);
    default: return dc_op(dc, VM_OP_SGE, zero, v, n);
    }
}

/*
 * A comparison that only decides is not computed as 1 or 0 first. Returns true when the bits are those of
 * the opposite condition.
 */
bool dc_push_cond(struct decoder *dc, struct dc_cond cond) {
    static const uint8_t of_set[VM_OP_COUNT] = {
        [VM_OP_SLT] = VM_OP_CLT, [VM_OP_SGE] = VM_OP_CGE, [VM_OP_SEQ] = VM_OP_CEQ, [VM_OP_SNE] = VM_OP_CNE,
    };
    static const struct { uint8_t op; bool swap; } of_cond[ISA_COND_COUNT] = {
        [ISA_COND_Z] = {VM_OP_CEQ, false}, [ISA_COND_NZ] = {VM_OP_CNE, false}, [ISA_COND_N] = {VM_OP_CLT, false},
        [ISA_COND_GE] = {VM_OP_CGE, false}, [ISA_COND_P] = {VM_OP_CLT, true}, [ISA_COND_LE] = {VM_OP_CGE, true},
    };
    dc_val v = cond.value;
    const struct dc_node *n = val_is_node(v) && dc->nodes[v].op < VM_OP_COUNT ? &dc->nodes[v] : NULL;
    if (n != NULL && of_set[n->op] != 0 && (cond.cond == ISA_COND_NZ || cond.cond == ISA_COND_Z)) {
        dc_val b = n->src[1];
        dc_push_seq(dc, SEQ_COND, n->src[0], of_set[n->op])->b = b;
        return cond.cond == ISA_COND_Z;
    }
    dc_val zero = dc_float(dc, 0.0f);
    bool swap = of_cond[cond.cond].swap;
    dc_push_seq(dc, SEQ_COND, swap ? zero : v, of_cond[cond.cond].op)->b = swap ? v : zero;
    return false;
}

/* ---- Registers ---- */

struct dc_seq *dc_push_seq(struct decoder *dc, unsigned kind, dc_val a, int32_t ref) {
    if (!dc_grow(dc, (void **)&dc->seqs, dc->seq_count, &dc->seq_cap, sizeof *dc->seqs)) {
        return &dc->no_seq;
    }
    struct dc_seq *seq = &dc->seqs[dc->seq_count++];
    *seq = (struct dc_seq){.kind = (uint8_t)kind, .a = a, .b = VAL_NONE, .c = VAL_NONE, .ref = ref,
                           .version = dc->version};
    return seq;
}

static void touch(struct decoder *dc, uint32_t comp) {
    if (dc->cur[comp] == VAL_NONE) {
        dc->touched[dc->touched_count++] = comp;
    }
}

dc_val dc_reg(struct decoder *dc, uint32_t comp) {
    if (dc->cur[comp] == VAL_NONE) {
        bool zero = dc->straight && comp < dc->comps && !dc->input_comp[comp];
        dc_val v = zero ? dc_float(dc, 0.0f) : dc_leaf(dc, VM_OP_HOME, VAL_NONE, (int32_t)comp);
        touch(dc, comp);
        dc->cur[comp] = v;
    }
    return dc->cur[comp];
}

void dc_reg_set(struct decoder *dc, uint32_t comp, dc_val v) {
    touch(dc, comp);
    if (dc->cur[comp] != v) {
        dc->cur[comp] = v;
        dc->dirty[comp] = true;
    }
}

/* Reads of the home made so far (this version) must not see the new value. */
static void commit(struct decoder *dc, uint32_t comp) {
    dc_push_seq(dc, SEQ_COMMIT, dc->cur[comp], (int32_t)comp);
    dc->dirty[comp] = false;
    dc->version++;
}

dc_val dc_reg_home(struct decoder *dc, uint32_t comp) {
    if (dc->one_block) {
        return dc_reg(dc, comp);
    }
    bit_set(dc->quad_set, comp);
    if (dc->cur[comp] == VAL_NONE) {
        return dc_reg(dc, comp);
    }
    if (dc->dirty[comp]) {
        commit(dc, comp);
    }
    dc_val v = dc->cur[comp];
    if (val_is_node(v) && dc->nodes[v].op == VM_OP_HOME && dc->nodes[v].extra == (int32_t)comp) {
        return v;
    }
    return dc_leaf(dc, VM_OP_HOME, VAL_NONE, (int32_t)comp);
}

void dc_commit_all(struct decoder *dc) {
    for (uint32_t i = 0; i < dc->touched_count; i++) {
        if (dc->dirty[dc->touched[i]]) {
            commit(dc, dc->touched[i]);
        }
    }
}

void dc_forget_all(struct decoder *dc) {
    for (uint32_t i = 0; i < dc->touched_count; i++) {
        dc->cur[dc->touched[i]] = VAL_NONE;
        dc->dirty[dc->touched[i]] = false;
    }
    dc->touched_count = 0;
    dc->version++;
}
