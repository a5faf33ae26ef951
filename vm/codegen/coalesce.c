/* SPDX-License-Identifier: MIT */
/*
 * Coalescing: virtual registers join into webs of at most four slots that will share a physical
 * register, so that moves disappear and two-operand operations take the one-unit form A = B op A. A
 * web is a union-find tree with a slot number for each component; two webs join when the slots that
 * they would share are never live at the same time. Innermost loops go first, moves before
 * operands.
 */
#include "vm/codegen/cg_internal.h"

#include <string.h>

uint32_t cg_find_web(struct cg *cg, uint32_t vreg, uint8_t slot_of[4]) {
    uint8_t map[4] = {0, 1, 2, 3};
    uint32_t at = vreg;
    while (cg->vregs[at].web != at) {
        struct cg_vreg *node = &cg->vregs[at];
        const struct cg_vreg *up = &cg->vregs[node->web];
        if (up->web != node->web) {
            /* Path halving: lead past the parent. */
            for (unsigned i = 0; i < 4; i++) {
                node->slot[i] = up->slot[node->slot[i]];
            }
            node->web = up->web;
        }
        for (unsigned i = 0; i < 4; i++) {
            map[i] = node->slot[map[i]];
        }
        at = node->web;
    }
    if (slot_of) {
        memcpy(slot_of, map, sizeof map);
    }
    return at;
}

struct pairing {
    int8_t to[4];   /* slot of A for each slot of B, -1 = not yet */
    unsigned taken; /* slots of A in use by B */
};

static bool fits(const struct cg_vreg *a, unsigned sa, const struct cg_vreg *b, unsigned sb) {
    return !cg_ranges_overlap(&a->ranges[sa], &b->ranges[sb]);
}

static bool is_free(const struct cg_vreg *a, unsigned sa, const struct cg_vreg *b, unsigned sb,
                    const struct pairing *pair) {
    return !(pair->taken & 1u << sa) && fits(a, sa, b, sb);
}

/* A slot that is half of a pair: beside its other half (in slot 'partner' of A, -1 = free as well). */
static bool place_in_pair(const struct cg_vreg *a, const struct cg_vreg *b, unsigned sb, int partner,
                          struct pairing *pair) {
    for (unsigned sa = sb & 1u; sa < 4; sa += 2) {
        bool here = partner >= 0 ? (int)(sa ^ 1u) == partner : is_free(a, sa ^ 1u, b, sb ^ 1u, pair);
        if (here && is_free(a, sa, b, sb, pair)) {
            pair->to[sb] = (int8_t)sa;
            pair->taken |= 1u << sa;
            if (partner < 0) {
                pair->to[sb ^ 1] = (int8_t)(sa ^ 1u);
                pair->taken |= 1u << (sa ^ 1u);
            }
            return true;
        }
    }
    return false;
}

/* Places the slots of B that the affinity leaves free. */
static bool place_rest(const struct cg_vreg *a, const struct cg_vreg *b, struct pairing *pair) {
    for (unsigned sb = 0; sb < 4; sb++) {
        if (pair->to[sb] >= 0) {
            continue;
        }
        int partner = b->pairs & 1u << sb / 2 ? pair->to[sb ^ 1] : -1;
        if (partner >= 0 || b->pairs & 1u << sb / 2) {
            if (!place_in_pair(a, b, sb, partner, pair)) {
                return false;
            }
            continue;
        }
        if (!b->ranges[sb].count) {
            continue; /* filled in by the caller: nobody reads or writes it */
        }
        int best = -1;
        for (unsigned sa = 0; sa < 4; sa++) {
            if (pair->taken & 1u << sa || !fits(a, sa, b, sb)) {
                continue;
            }
            /* A slot that A already has keeps the web narrow. */
            if (best < 0 || (a->ranges[sa].count && !a->ranges[best].count)) {
                best = (int)sa;
            }
        }
        if (best < 0) {
            return false;
        }
        pair->to[sb] = (int8_t)best;
        pair->taken |= 1u << best;
    }
    /* Empty slots get what is left, so that the map stays a permutation. */
    for (unsigned sb = 0; sb < 4; sb++) {
        for (unsigned sa = 0; sa < 4 && pair->to[sb] < 0; sa++) {
            if (!(pair->taken & 1u << sa)) {
                pair->to[sb] = (int8_t)sa;
                pair->taken |= 1u << sa;
            }
        }
    }
    return true;
}

/* Slots of B that must be pairs, where the pairing puts them; false if they would be none. */
static bool keep_pairs(struct cg_vreg *a, const struct cg_vreg *b, const struct pairing *pair) {
    for (unsigned p = 0; p < 2; p++) {
        if (b->pairs & 1u << p) {
            if ((pair->to[2 * p] & 1) || pair->to[2 * p + 1] != pair->to[2 * p] + 1) {
                return false;
            }
            a->pairs |= (uint8_t)(1u << pair->to[2 * p] / 2);
        }
    }
    return true;
}

/* Joins the webs of two registers so that component ca[i] of va and cb[i] of vb share a place. */
static bool join(struct cg *cg, uint32_t va, const uint8_t *ca, uint32_t vb, const uint8_t *cb,
                 unsigned count) {
    uint8_t map_a[4];
    uint8_t map_b[4];
    uint32_t ra = cg_find_web(cg, va, map_a);
    uint32_t rb = cg_find_web(cg, vb, map_b);
    if (ra == rb) {
        return false;
    }
    struct cg_vreg *a = &cg->vregs[ra];
    struct cg_vreg *b = &cg->vregs[rb];
    const uint8_t *first = ca;
    const uint8_t *second = cb;
    if (b->fixed && !a->fixed) {
        struct cg_vreg *swap = a;
        uint8_t swap_map[4];
        a = b;
        b = swap;
        memcpy(swap_map, map_a, sizeof swap_map);
        memcpy(map_a, map_b, sizeof map_a);
        memcpy(map_b, swap_map, sizeof map_b);
        first = cb;
        second = ca;
        ra = rb;
    }
    struct pairing pair = {{-1, -1, -1, -1}, 0};
    for (unsigned i = 0; i < count; i++) {
        unsigned sa = map_a[first[i]];
        unsigned sb = map_b[second[i]];
        if (pair.to[sb] >= 0 || pair.taken & 1u << sa) {
            if (pair.to[sb] != (int8_t)sa) {
                return false;
            }
            continue;
        }
        if (!fits(a, sa, b, sb) || (b->fixed && sa != sb)) {
            return false;
        }
        pair.to[sb] = (int8_t)sa;
        pair.taken |= 1u << sa;
    }
    if (b->fixed) {
        for (unsigned s = 0; s < 4; s++) {
            if (pair.to[s] < 0 && !fits(a, s, b, s)) {
                return false;
            }
            pair.to[s] = (int8_t)s;
        }
    } else if (!place_rest(a, b, &pair)) {
        return false;
    }
    if (!keep_pairs(a, b, &pair)) {
        return false;
    }
    for (unsigned s = 0; s < 4; s++) {
        if (b->ranges[s].count && !cg_ranges_add(cg->arena, &a->ranges[pair.to[s]], &b->ranges[s])) {
            return false;
        }
        b->slot[s] = (uint8_t)pair.to[s];
    }
    a->weight += b->weight;
    b->web = ra;
    return true;
}

/* The components of a source that the destination's components read, if no two read the same. */
static unsigned list_pairs(const struct cg_op *op, const struct cg_src *src, uint8_t *dest,
                           uint8_t *from) {
    unsigned count = 0;
    unsigned seen = 0;
    for (unsigned c = 0; c < 4; c++) {
        if (!(op->mask & 1u << c)) {
            continue;
        }
        if (seen & 1u << src->sel[c]) {
            return 0;
        }
        seen |= 1u << src->sel[c];
        dest[count] = (uint8_t)c;
        from[count++] = src->sel[c];
    }
    return count;
}

static bool can_join(const struct cg_op *op, const struct cg_src *src) {
    return op->kind == CG_ARITH && op->dest_file == CG_FILE_VREG && src->file == CG_FILE_VREG &&
           !src->neg && !src->indexed;
}

static bool join_source(struct cg *cg, const struct cg_op *op, const struct cg_src *src) {
    uint8_t dest[4];
    uint8_t from[4];
    if (!can_join(op, src) || src->reg == op->dest) {
        return false;
    }
    unsigned count = list_pairs(op, src, dest, from);
    return count && join(cg, op->dest, dest, src->reg, from, count);
}

static bool is_move(const struct cg_op *op) {
    return op->kind == CG_ARITH && op->op == ISA_OP_MOV && op->xop == ISA_XOP_OWN &&
           !op->saturate && op->src_count == 1 && !cg_is_typed(op);
}

bool cg_coalesce(struct cg *cg) {
    if (!cg->optimise) {
        return true;
    }
    uint32_t deepest = 0;
    for (uint32_t b = 0; b < cg->block_count; b++) {
        deepest = cg->blocks[b].loop_depth > deepest ? cg->blocks[b].loop_depth : deepest;
    }
    deepest = deepest > 3 ? 3 : deepest;
    for (uint32_t depth = deepest + 1; depth-- > 0;) {
        for (unsigned kind = 0; kind < 2; kind++) {
            for (uint32_t b = 0; b < cg->block_count; b++) {
                uint32_t own = cg->blocks[b].loop_depth > 3 ? 3 : cg->blocks[b].loop_depth;
                if (own != depth) {
                    continue;
                }
                for (uint32_t i = cg->blocks[b].first; i < cg->blocks[b].end; i++) {
                    const struct cg_op *op = &cg->ops[i];
                    if (kind == 0 && is_move(op)) {
                        join_source(cg, op, &op->src[0]);
                    } else if (kind == 1 && op->kind == CG_ARITH && op->src_count == 2 &&
                               op->pred.file == CG_FILE_NONE) {
                        /* Lowering puts the source that should be overwritten second. */
                        if (!join_source(cg, op, &op->src[1]) && op->is_commutative) {
                            join_source(cg, op, &op->src[0]);
                        }
                    }
                }
            }
        }
    }
    return !cg->arena->failed;
}
