/* SPDX-License-Identifier: MIT */
/*
 * From ordered items to micro-operations: which operands come from the accumulator and in which form,
 * slots by linear scan, and the streams of the block. In a program with homes there are two streams, which
 * differ only in how homes are written: plainly (often by the producing operation itself), or under the mask.
 */
#include "vm/exec/decode.h"
#include "vm/exec/typed.h"

#include <string.h>

enum { KIND_R = 0, KIND_U = 1, KIND_A = 2 };

/* Handler + 1 of a form (without store), 0 when the form does not exist. */
#define FORM(k0, k1, k2) ((k0) * 9 + (k1) * 3 + (k2))
static const uint16_t forms[VM_OP_COUNT][27] = {
#define VM_FORM1(n, k) [VM_OP_##n][FORM(KIND_##k, 0, 0)] = VM_H_##n##_##k + 1,
#define VM_FORM2(n, k0, k1) [VM_OP_##n][FORM(KIND_##k0, KIND_##k1, 0)] = VM_H_##n##_##k0##k1 + 1,
#define VM_FORM3(n, k0, k1, k2) [VM_OP_##n][FORM(KIND_##k0, KIND_##k1, KIND_##k2)] = VM_H_##n##_##k0##k1##k2 + 1,
#define VM_FORMF(n, k) [VM_OP_##n][FORM(KIND_##k, 0, 0)] = VM_H_##n##_##k + 1,
#define VM_FORMQ(n) [VM_OP_##n][FORM(KIND_R, 0, 0)] = VM_H_##n##_R + 1,
#define VM_FORMC(n, k0, k1) [VM_OP_##n][FORM(KIND_##k0, KIND_##k1, 0)] = VM_H_##n##_##k0##k1 + 1,
#define VM_SYS(n)
#include "vm/exec/forms.def"
};

/* Operations whose first two operands may change places. */
static bool swappable(unsigned op) {
    switch (op) {
    case VM_OP_ADD: case VM_OP_MUL: case VM_OP_NML: case VM_OP_SEQ: case VM_OP_SNE: case VM_OP_AND: case VM_OP_OR:
    case VM_OP_XOR: case VM_OP_MAD: case VM_OP_MSB: case VM_OP_NMA: case VM_OP_CEQ: case VM_OP_CNE: case VM_OP_FRCM:
    case VM_OP_SUMP:
        return true;
    default:
        return false;
    }
}

/* ---- Forms and the accumulator ---- */

/* Chooses the form of an operation when the accumulator holds 'acc': as many operands from it as possible. */
static void choose_form(struct decoder *dc, struct dc_item *item, unsigned op, unsigned args, const dc_val *src,
                        dc_val acc) {
    unsigned match = 0;
    for (unsigned k = 0; k < args; k++) {
        match |= (acc != VAL_NONE && src[k] == acc ? 1u : 0u) << k;
    }
    for (unsigned use = match;; use = (use - 1) & match) {      /* all subsets of the matches, largest first */
        unsigned kind[3] = {0, 0, 0};
        for (unsigned k = 0; k < args; k++) {
            kind[k] = val_is_const(src[k]) ? KIND_U : use >> k & 1u ? KIND_A : KIND_R;
        }
        unsigned straight = forms[op][FORM(kind[0], kind[1], kind[2])];
        unsigned swapped = swappable(op) ? forms[op][FORM(kind[1], kind[0], kind[2])] : 0;
        if (straight != 0 || swapped != 0) {
            item->handler = (uint16_t)((straight != 0 ? straight : swapped) - 1);
            item->swapped = straight == 0;
            item->acc = (uint8_t)use;
            return;
        }
        if (use == 0) {
            dc->failed = true;       /* cannot happen: every operation has its form R, R, R and one for each constant */
            return;
        }
    }
}

/* At this item the value is read from its home; everything else needs a slot of its own. */
static bool in_home(const struct decoder *dc, dc_val v, uint32_t item) {
    const struct dc_node *n = &dc->nodes[v];
    return (n->op == VM_OP_HOME && !dc->straight && (!n->copied || item <= n->copied_at)) ||
           (n->homed_at != UINT32_MAX && item > n->homed_at);
}

static void slot_use(struct decoder *dc, dc_val v, uint32_t item) {
    if (val_is_node(v) && !in_home(dc, v, item)) {
        dc->nodes[v].slot_uses++;
        if (dc->nodes[v].last != UINT32_MAX) {      /* outputs last for ever */
            dc->nodes[v].last = item;
        }
    }
}

static dc_val use_node(struct decoder *dc, struct dc_item *item, uint32_t index, dc_val acc) {
    struct dc_node *n = &dc->nodes[item->ref];
    switch (n->op) {
    case VM_OP_HOME:                     /* copy to a temporary */
    case VM_OP_LANE:
        n->slot_uses++;                  /* always stored */
        break;
    case VM_OP_COPY:
        break;                           /* of a constant */
    case VM_OP_IDXU:
    case VM_OP_IDXR:
        n->slot_uses++;
        slot_use(dc, n->src[0], index);
        break;
    default:
        choose_form(dc, item, n->op, n->args, n->src, acc);
        for (unsigned k = 0; k < n->args; k++) {
            if (!(item->acc >> k & 1u)) {
                slot_use(dc, n->src[k], index);
            }
        }
        break;
    }
    return item->ref;
}

static void find_uses(struct decoder *dc) {
    dc_val acc = VAL_NONE;
    for (uint32_t i = 0; i < dc->item_count; i++) {
        struct dc_item *item = &dc->items[i];
        switch (item->kind) {
        case ITEM_NODE:
            acc = use_node(dc, item, i, acc);
            break;
        case ITEM_COMMIT:
            item->acc = val_is_node(item->value) && item->value == acc;
            if (!item->acc) {
                slot_use(dc, item->value, i);
                acc = VAL_NONE;          /* the plain stream moves through the accumulator */
            }
            break;
        case ITEM_COND: {
            const struct dc_seq *s = &dc->seqs[item->ref];
            const dc_val src[2] = {s->a, s->b};
            choose_form(dc, item, (unsigned)s->ref, 2, src, acc);
            for (unsigned k = 0; k < 2; k++) {
                if (!(item->acc >> k & 1u)) {
                    slot_use(dc, src[k], i);
                }
            }
            break;
        }
        case ITEM_STORE: {
            const struct dc_seq *s = &dc->seqs[item->ref];
            slot_use(dc, s->a, i);
            slot_use(dc, s->b, i);
            slot_use(dc, s->c, i);
            acc = VAL_NONE;
            break;
        }
        case ITEM_BATCH:
            for (unsigned k = 0; k < VM_BATCH_INPUTS; k++) {
                slot_use(dc, dc->batch[item->ref].in[k], i);
            }
            acc = VAL_NONE;
            break;
        case ITEM_CALL:
            for (unsigned k = 0; k < 6; k++) {
                slot_use(dc, dc->calls[item->ref].in[k], i);
            }
            acc = VAL_NONE;
            break;
        default:
            slot_use(dc, item->value, UINT32_MAX);      /* kept to the end */
            break;
        }
    }
}

/* ---- Slots ---- */

static uint16_t take_slot(struct decoder *dc) {
    if (dc->free_count > 0) {
        return dc->free_slots[--dc->free_count];
    }
    if (dc->slot_count >= DC_MAX_SLOTS) {
        dc->overflow = true;
        return 0;
    }
    return (uint16_t)dc->slot_count++;
}

static void give_slot(struct decoder *dc, uint16_t slot) {
    if (dc_grow(dc, (void **)&dc->free_slots, dc->free_count, &dc->free_cap, sizeof *dc->free_slots)) {
        dc->free_slots[dc->free_count++] = slot;
    }
}

/* Frees the slot of an operand that is read for the last time. */
static void release(struct decoder *dc, dc_val v, uint32_t item) {
    if (val_is_node(v) && !in_home(dc, v, item)) {
        struct dc_node *n = &dc->nodes[v];
        if (n->slot_uses > 0 && n->last == item && item != UINT32_MAX) {
            n->last = UINT32_MAX;
            give_slot(dc, n->slot);
        }
    }
}

static void give_result_slots(struct decoder *dc, struct dc_batch *b) {
    for (unsigned k = 0; k < 4; k++) {
        b->op.out[k] = VM_NO_SLOT;
        if (val_is_node(b->out[k])) {
            b->op.out[k] = dc->nodes[b->out[k]].slot = take_slot(dc);
        }
    }
    for (unsigned k = 0; k < 4; k++) {      /* results that nobody reads: the slot is free again */
        if (val_is_node(b->out[k]) && dc->nodes[b->out[k]].slot_uses == 0) {
            give_slot(dc, b->op.out[k]);
        }
    }
}

/*
 * Operands first: a function may write a result over an operand. A result that is not wanted has no slot of
 * B2F, which tests for it, and one for the moment of all others.
 */
static void assign_call(struct decoder *dc, struct dc_call *c, uint32_t i) {
    uint16_t slot[4];
    bool spare[4] = {false, false, false, false};
    for (unsigned k = 0; k < 6; k++) {
        release(dc, c->in[k], i);
    }
    for (unsigned k = 0; k < 4; k++) {
        c->out_offset[k] = VM_NO_OFFSET;
        if (val_is_node(c->out[k])) {
            struct dc_node *n = &dc->nodes[c->out[k]];
            spare[k] = n->slot_uses == 0;
            if (!spare[k] || c->row != ISA_TYPED_B2F) {
                slot[k] = take_slot(dc);
                n->slot = slot[k];
                c->out_offset[k] = (uint32_t)slot[k] << VM_SLOT_SHIFT;
            }
        }
    }
    for (unsigned k = 0; k < 4; k++) {
        if (spare[k] && c->out_offset[k] != VM_NO_OFFSET) {
            give_slot(dc, slot[k]);
        }
    }
}

static void assign_slots(struct decoder *dc) {
    for (uint32_t i = 0; i < dc->item_count; i++) {
        struct dc_item *item = &dc->items[i];
        if (item->kind == ITEM_NODE) {
            struct dc_node *n = &dc->nodes[item->ref];
            for (unsigned k = 0; k < n->args && n->op != VM_OP_HOME; k++) {
                release(dc, n->src[k], i);
            }
            if (n->slot_uses > 0) {
                n->slot = take_slot(dc);
                if (n->last == 0 && i > 0) {      /* stored only because its handler always stores */
                    n->last = UINT32_MAX;
                    give_slot(dc, n->slot);
                }
            }
        } else if (item->kind == ITEM_STORE || item->kind == ITEM_COND) {
            const struct dc_seq *s = &dc->seqs[item->ref];
            release(dc, s->a, i);
            release(dc, s->b, i);
            release(dc, s->c, i);
        } else if (item->kind == ITEM_CALL) {
            assign_call(dc, &dc->calls[item->ref], i);
        } else if (item->kind == ITEM_BATCH) {
            give_result_slots(dc, &dc->batch[item->ref]);      /* before inputs are freed: no sharing */
            for (unsigned k = 0; k < VM_BATCH_INPUTS; k++) {
                release(dc, dc->batch[item->ref].in[k], i);
            }
        } else if (item->kind != ITEM_OUTPUT) {
            release(dc, item->value, i);
        }
    }
}

/* ---- Micro-operations ---- */

static struct vm_uop *add_uop(struct decoder *dc, unsigned handler) {
    if (!dc_grow(dc, (void **)&dc->uops, dc->uop_count, &dc->uop_cap, sizeof *dc->uops)) {
        return NULL;
    }
    struct vm_uop *u = &dc->uops[dc->uop_count++];
    memset(u, 0, sizeof *u);
    u->h.index = handler;
    return u;
}

static void put(struct decoder *dc, unsigned handler, uint32_t o0, uint32_t o1, uint32_t o2, uint32_t o3) {
    struct vm_uop *u = add_uop(dc, handler);
    if (u != NULL) {
        u->o[0] = o0;
        u->o[1] = o1;
        u->o[2] = o2;
        u->o[3] = o3;
    }
}

/* Slot or constant in which the value is at item i. */
static uint16_t place_of(const struct decoder *dc, dc_val v, uint32_t i) {
    if (v == VAL_NONE) {
        return VM_NO_SLOT;
    }
    if (val_is_const(v)) {
        return (uint16_t)val_const(v);
    }
    if (!in_home(dc, v, i)) {
        return dc->nodes[v].slot;
    }
    return dc->home[dc->nodes[v].op == VM_OP_HOME ? (uint32_t)dc->nodes[v].extra : dc->nodes[v].homed];
}

static uint32_t offset_of(uint16_t slot) { return slot == VM_NO_SLOT ? VM_NO_OFFSET : (uint32_t)slot << VM_SLOT_SHIFT; }

/* What stands for the value in a micro-operation of item i. */
static uint32_t operand(const struct decoder *dc, dc_val v, uint32_t i) {
    return val_is_const(v) ? val_const(v) : offset_of(place_of(dc, v, i));
}

/* The node of item i; 'direct' is the home that its result goes to at once, or VM_NO_SLOT. */
static void put_node(struct decoder *dc, uint32_t i, uint16_t direct) {
    const struct dc_item *item = &dc->items[i];
    const struct dc_node *n = &dc->nodes[item->ref];
    uint32_t dest = offset_of(n->slot_uses > 0 ? n->slot : direct);
    switch (n->op) {
    case VM_OP_HOME:
        put(dc, VM_H_MOV_R_S, offset_of(n->slot), offset_of(dc->home[n->extra]), 0, 0);
        break;
    case VM_OP_COPY:
        put(dc, dest != VM_NO_OFFSET ? VM_H_MOV_U_S : VM_H_MOV_U, dest, operand(dc, n->src[0], i), 0, 0);
        break;
    case VM_OP_LANE:
        put(dc, VM_H_LANE, offset_of(n->slot), 0, 0, 0);
        break;
    case VM_OP_IDXU:
    case VM_OP_IDXR:
        put(dc, n->op == VM_OP_IDXU ? VM_H_IDXU : VM_H_IDXR, offset_of(n->slot), operand(dc, n->src[0], i),
            (uint32_t)(n->extra >> 2), (unsigned)n->extra & 3u);
        break;
    default: {
        uint32_t o[3] = {0, 0, 0};
        for (unsigned k = 0; k < n->args; k++) {
            o[item->swapped && k < 2 ? 1 - k : k] = item->acc >> k & 1u ? 0 : operand(dc, n->src[k], i);
        }
        put(dc, item->handler + (dest != VM_NO_OFFSET ? 1u : 0u), dest, o[0], o[1], o[2]);
        break;
    }
    }
}

static void put_commit(struct decoder *dc, uint32_t i, bool masked) {
    const struct dc_item *item = &dc->items[i];
    uint32_t home = offset_of(dc->home[item->ref]);
    unsigned handler = item->acc ? (masked ? VM_H_CMT_A : VM_H_MOV_A_S)
                     : val_is_const(item->value) ? (masked ? VM_H_CMT_U : VM_H_MOV_U_S)
                                                 : (masked ? VM_H_CMT_R : VM_H_MOV_R_S);
    put(dc, handler, home, item->acc ? 0 : operand(dc, item->value, i), 0, 0);
}

static void put_cond(struct decoder *dc, uint32_t i) {
    const struct dc_item *item = &dc->items[i];
    const struct dc_seq *s = &dc->seqs[item->ref];
    uint32_t a = item->acc & 1u ? 0 : operand(dc, s->a, i), b = item->acc & 2u ? 0 : operand(dc, s->b, i);
    put(dc, item->handler, 0, item->swapped ? b : a, item->swapped ? a : b, 0);
}

static void put_call(struct decoder *dc, uint32_t i) {
    const struct dc_call *c = &dc->calls[dc->items[i].ref];
    uint32_t in[6];
    for (unsigned k = 0; k < 6; k++) {
        in[k] = val_is_const(c->in[k]) ? val_const(c->in[k]) | VM_TYPED_CONST : operand(dc, c->in[k], i);
    }
    unsigned handler = isa_typed_infos[c->row].dtype == ISA_TYPE_F64 || isa_typed_infos[c->row].stype == ISA_TYPE_F64
                           ? VM_H_CALL_F64
                       : isa_typed_infos[c->row].dtype == ISA_TYPE_U8X4 || isa_typed_infos[c->row].stype == ISA_TYPE_U8X4
                           ? VM_H_CALL_U8
                           : VM_H_CALL_INT;
    put(dc, handler, c->row, c->out_offset[0], c->out_offset[1], c->out_offset[2]);
    put(dc, handler, c->out_offset[3], in[0], in[1], in[2]);
    put(dc, handler, in[3], in[4], in[5], c->extra);
}

/* A floor, of a value in a slot, and directly after it the value less its floor. */
static bool is_floor_fraction(const struct decoder *dc, uint32_t i) {
    const struct dc_item *item = &dc->items[i], *next = item + 1;
    if (i + 1 >= dc->item_count || item->kind != ITEM_NODE || next->kind != ITEM_NODE || next->acc != 2) {
        return false;
    }
    const struct dc_node *n = &dc->nodes[item->ref], *m = &dc->nodes[next->ref];
    return n->op == VM_OP_FLR && n->slot_uses > 0 && m->op == VM_OP_SUB && m->src[1] == item->ref &&
           m->src[0] == n->src[0];
}

/* Both at once; 'direct' is the home of the fraction, as put_node has it. */
static void put_floor_fraction(struct decoder *dc, uint32_t i, uint16_t direct) {
    const struct dc_node *n = &dc->nodes[dc->items[i].ref], *m = &dc->nodes[dc->items[i + 1].ref];
    uint32_t whole = offset_of(n->slot), dest = offset_of(m->slot_uses > 0 ? m->slot : direct);
    uint32_t from = operand(dc, m->src[0], i + 1);
    if (dest == VM_NO_OFFSET) {
        put(dc, VM_H_FLRF_R, whole, from, 0, 0);
    } else {
        put(dc, VM_H_FLRF_R_S, dest, from, whole, 0);
    }
}

static void put_stream(struct decoder *dc, const struct dc_block *b, bool masked) {
    for (uint32_t i = 0; i < dc->item_count; i++) {
        const struct dc_item *item = &dc->items[i];
        switch (item->kind) {
        case ITEM_NODE: {
            bool pair = is_floor_fraction(dc, i);
            uint32_t last = i + pair;
            const struct dc_item *next = last + 1 < dc->item_count ? &dc->items[last + 1] : NULL;
            bool fused = !masked && next != NULL && next->kind == ITEM_COMMIT && next->acc &&
                         dc->nodes[dc->items[last].ref].slot_uses == 0;
            uint16_t direct = fused ? dc->home[next->ref] : VM_NO_SLOT;
            if (pair) {
                put_floor_fraction(dc, i, direct);
            } else {
                put_node(dc, i, direct);
            }
            i = last + fused;
            break;
        }
        case ITEM_COMMIT:
            put_commit(dc, i, masked);
            break;
        case ITEM_STORE: {
            const struct dc_seq *s = &dc->seqs[item->ref];
            put(dc, VM_H_IDXW, operand(dc, s->a, i), operand(dc, s->b, i), (uint32_t)(s->ref >> 2),
                (unsigned)s->ref & 3u);
            put(dc, VM_H_IDXW, operand(dc, s->c, i), 0, 0, 0);
            break;
        }
        case ITEM_COND:
            put_cond(dc, i);
            break;
        case ITEM_CALL:
            put_call(dc, i);
            break;
        case ITEM_BATCH:
            put(dc, VM_H_EXIT, VM_EXIT_BATCH, item->ref, 0, 0);
            break;
        default:
            break;
        }
    }
    uint32_t next = (uint32_t)(b - dc->blocks) + 1;
    switch (b->term) {
    case TERM_NEXT: put(dc, VM_H_JUMP, next, 0, 0, 0); break;
    case TERM_JUMP: put(dc, VM_H_JUMP, b->taken, 0, 0, 0); break;
    case TERM_BRANCH:
        put(dc, VM_H_BRANCH, b->inverted ? next : b->taken, b->inverted ? b->taken : next, 0, 0);
        break;
    default: put(dc, VM_H_EXIT, VM_EXIT_END, 0, 0, 0); break;
    }
}

/* Operands of the batch operations are resolved while slots are known. */
static void resolve_batch(struct decoder *dc) {
    for (uint32_t i = 0; i < dc->item_count; i++) {
        if (dc->items[i].kind == ITEM_BATCH) {
            struct dc_batch *b = &dc->batch[dc->items[i].ref];
            for (unsigned k = 0; k < VM_BATCH_INPUTS; k++) {
                b->op.in[k] = place_of(dc, b->in[k], i);
            }
        }
    }
}

void dc_emit(struct decoder *dc, struct dc_block *b) {
    find_uses(dc);
    dc->free_count = 0;
    uint32_t most = dc->slot_count;
    dc->slot_count = dc->slot_base;
    if (dc->straight) {      /* inputs lie in slots from the start; they are free after their last use */
        for (uint32_t i = 0; i < dc->home_node_count; i++) {
            dc->nodes[dc->home_nodes[i]].slot = dc->home[dc->nodes[dc->home_nodes[i]].extra];
        }
    }
    assign_slots(dc);
    resolve_batch(dc);
    dc->slot_count = dc->slot_count > most ? dc->slot_count : most;
    if (dc->straight) {
        const struct dc_item *item = dc->items;
        for (uint32_t i = 0; i < dc->item_count; i++, item++) {
            if (item->kind == ITEM_OUTPUT) {
                dc->output_slot[item->ref] = place_of(dc, item->value, i);
            }
        }
    }
    for (unsigned m = 0; m < (dc->one_block ? 1u : 2u); m++) {
        b->stream[m] = dc->uop_count;
        put_stream(dc, b, m != 0);
    }
    if (dc->one_block) {
        b->stream[1] = b->stream[0];
    }
}
