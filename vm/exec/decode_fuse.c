/* SPDX-License-Identifier: MIT */
/*
 * Several operations become one micro-operation that computes the same, rounding by rounding: a product that only an
 * addition reads (MAD), and what shaders say all the time: mix, the cubic of smoothstep, fractions of products, the
 * product of two sums with a common term. What lies between needs no slot then, and no store.
 *
 * In: live nodes of a block with their uses. Out: the same, some of them fused and others not live any more.
 */
#include "vm/exec/decode.h"

static bool is_single(const struct decoder *dc, dc_val v, unsigned op) {
    return val_is_node(v) && dc->nodes[v].uses == 1 && dc->nodes[v].op == op;
}

static bool single_product(const struct decoder *dc, dc_val v) {
    return is_single(dc, v, VM_OP_MUL) || is_single(dc, v, VM_OP_NML);
}

/* The node takes over what its only reader did with it. */
static void absorb(struct decoder *dc, dc_val v) {
    dc->nodes[v].live = false;
    dc->nodes[v].uses = 0;
}

static void become(struct dc_node *n, unsigned op, dc_val a, dc_val b, dc_val c) {
    n->op = (uint8_t)op;
    n->args = c == VAL_NONE ? 2 : 3;
    n->src[0] = a;
    n->src[1] = b;
    n->src[2] = c;
}

static void unuse(struct decoder *dc, dc_val v) {
    if (val_is_node(v)) {
        dc->nodes[v].uses--;
    }
}

/* ---- Two operations ---- */

static void fuse_with(struct decoder *dc, struct dc_node *n, unsigned product, unsigned op) {
    const struct dc_node *m = &dc->nodes[n->src[product]];
    dc_val other = n->src[1 - product];
    absorb(dc, n->src[product]);
    become(n, op, m->src[0], m->src[1], other);
}

static void fuse_sum(struct decoder *dc, struct dc_node *n) {
    bool first = single_product(dc, n->src[0]), second = single_product(dc, n->src[1]);
    if (n->op == VM_OP_ADD && (first || second)) {
        unsigned p = second ? 1 : 0;
        fuse_with(dc, n, p, dc->nodes[n->src[p]].op == VM_OP_MUL ? VM_OP_MAD : VM_OP_NMA);
    } else if (n->op == VM_OP_SUB && second) {
        fuse_with(dc, n, 1, dc->nodes[n->src[1]].op == VM_OP_MUL ? VM_OP_NMA : VM_OP_MAD);
    } else if (n->op == VM_OP_SUB && first && dc->nodes[n->src[0]].op == VM_OP_MUL) {
        fuse_with(dc, n, 0, VM_OP_MSB);
    }
}

/* FRC of a product. */
static void fuse_fraction(struct decoder *dc, struct dc_node *n) {
    if (is_single(dc, n->src[0], VM_OP_MUL)) {
        const struct dc_node *m = &dc->nodes[n->src[0]];
        absorb(dc, n->src[0]);
        become(n, VM_OP_FRCM, m->src[0], m->src[1], VAL_NONE);
    }
}

/* ---- mix ---- */

/* Is v 1 - c? */
static bool is_rest_of(const struct decoder *dc, dc_val v, dc_val c) {
    return val_is_node(v) && dc->nodes[v].op == VM_OP_SUB && dc->nodes[v].src[1] == c &&
           dc_is_one(dc, dc->nodes[v].src[0]);
}

/* a * (1 - c) + b * c; the sum's operands come in either order, the products' too. */
static bool fuse_mix(struct decoder *dc, struct dc_node *n) {
    if (!is_single(dc, n->src[0], VM_OP_MUL) || !is_single(dc, n->src[1], VM_OP_MUL)) {
        return false;
    }
    for (unsigned way = 0; way < 8; way++) {
        dc_val p = n->src[way & 1u], q = n->src[~way & 1u];
        const struct dc_node *x = &dc->nodes[p], *y = &dc->nodes[q];
        dc_val a = x->src[way >> 1 & 1u], rest = x->src[~way >> 1 & 1u];
        dc_val b = y->src[way >> 2 & 1u], c = y->src[~way >> 2 & 1u];
        if (!val_is_node(c) || !is_rest_of(dc, rest, c)) {
            continue;
        }
        absorb(dc, p);
        absorb(dc, q);
        if (--dc->nodes[rest].uses == 0) {
            absorb(dc, rest);
            unuse(dc, c);
        }
        become(n, VM_OP_MIX, a, b, c);
        return true;
    }
    return false;
}

/* ---- Products ---- */

/* (a + c) * (b + c) */
static bool fuse_product_of_sums(struct decoder *dc, struct dc_node *n) {
    if (n->src[0] == n->src[1] || !is_single(dc, n->src[0], VM_OP_ADD) || !is_single(dc, n->src[1], VM_OP_ADD)) {
        return false;
    }
    const struct dc_node *x = &dc->nodes[n->src[0]], *y = &dc->nodes[n->src[1]];
    for (unsigned way = 0; way < 4; way++) {
        dc_val a = x->src[way & 1u], c = x->src[~way & 1u], b = y->src[way >> 1];
        if (y->src[~way >> 1 & 1u] != c || !val_is_node(a) || !val_is_node(b) || !val_is_node(c)) {
            continue;
        }
        absorb(dc, n->src[0]);
        absorb(dc, n->src[1]);
        unuse(dc, c);
        become(n, VM_OP_SUMP, a, b, c);
        return true;
    }
    return false;
}

/* a * a * (c - a * b) with constants b and c */
static void fuse_cubic(struct decoder *dc, struct dc_node *n) {
    for (unsigned way = 0; way < 2; way++) {
        dc_val square = n->src[way], rest = n->src[1 - way];
        if (!is_single(dc, square, VM_OP_MUL) || !is_single(dc, rest, VM_OP_NMA)) {
            continue;
        }
        const struct dc_node *x = &dc->nodes[square], *y = &dc->nodes[rest];
        dc_val a = x->src[0], b = y->src[0] == a ? y->src[1] : y->src[0];
        if (x->src[1] != a || !val_is_node(a) || (y->src[0] != a && y->src[1] != a) || !val_is_const(b) ||
            !val_is_const(y->src[2])) {
            continue;
        }
        absorb(dc, square);
        absorb(dc, rest);
        unuse(dc, a);
        unuse(dc, a);
        become(n, VM_OP_CUBIC, a, b, y->src[2]);
        return;
    }
}

void dc_fuse(struct decoder *dc, const struct dc_block *b) {
    for (uint32_t i = b->node_first; i < b->node_first + b->node_count; i++) {
        struct dc_node *n = &dc->nodes[i];
        if (!n->live) {
            continue;
        }
        if (n->op == VM_OP_ADD || n->op == VM_OP_SUB) {
            if (n->op == VM_OP_SUB || !fuse_mix(dc, n)) {
                fuse_sum(dc, n);
            }
        } else if (n->op == VM_OP_MUL) {
            if (!fuse_product_of_sums(dc, n)) {
                fuse_cubic(dc, n);
            }
        } else if (n->op == VM_OP_FRC) {
            fuse_fraction(dc, n);
        }
    }
}
