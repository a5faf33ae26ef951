/* SPDX-License-Identifier: MIT */
/*
 * Order of one block: which nodes are needed, and a depth-first order in which a producer stands directly before its only consumer, so
 * that the value stays in the accumulator. The sequence (memory, textures, writes of homes) is kept.
 *
 * In: nodes and sequence of a block. Out: dc->items.
 */
#include "vm/exec/decode.h"

#include <stdlib.h>
#include <string.h>

static struct dc_item *add_item(struct decoder *dc, unsigned kind, uint32_t ref, dc_val value) {
    if (!dc_grow(dc, (void **)&dc->items, dc->item_count, &dc->item_cap, sizeof *dc->items)) {
        return NULL;
    }
    struct dc_item *item = &dc->items[dc->item_count++];
    *item = (struct dc_item){.kind = (uint8_t)kind, .ref = ref, .value = value};
    return item;
}

static bool push(struct decoder *dc, uint32_t *depth, uint32_t node) {
    if (!dc_grow(dc, (void **)&dc->stack, *depth, &dc->stack_cap, sizeof *dc->stack)) {
        return false;
    }
    dc->stack[(*depth)++] = node;
    return true;
}

/* ---- Uses ---- */

static void mark(struct decoder *dc, dc_val root) {
    if (!val_is_node(root)) {
        return;
    }
    uint32_t depth = 0;
    dc->nodes[root].uses++;
    if (dc->nodes[root].live || !push(dc, &depth, root)) {
        return;
    }
    dc->nodes[root].live = true;
    while (depth > 0) {
        const struct dc_node *n = &dc->nodes[dc->stack[--depth]];
        for (unsigned k = 0; k < n->args; k++) {
            if (val_is_node(n->src[k])) {
                struct dc_node *s = &dc->nodes[n->src[k]];
                s->uses++;
                if (!s->live) {
                    s->live = true;
                    push(dc, &depth, n->src[k]);
                }
            }
        }
    }
}

/* Commits at the end of the block matter only for components that live on. */
static bool wanted(const struct decoder *dc, const struct dc_block *b, const struct dc_seq *s) {
    return s->kind != SEQ_COMMIT || !s->final || dc_lives(dc, b, (uint32_t)s->ref);
}

static bool call_wanted(const struct decoder *dc, const struct dc_call *c) {
    bool any = false;
    for (unsigned k = 0; k < 4; k++) {
        any = any || (val_is_node(c->out[k]) && dc->nodes[c->out[k]].live);
    }
    return any;
}

static void mark_roots(struct decoder *dc, const struct dc_block *b) {
    for (uint32_t i = b->seq_first; i < b->seq_first + b->seq_count; i++) {
        const struct dc_seq *s = &dc->seqs[i];
        if (s->kind == SEQ_NODE || s->kind == SEQ_CALL || !wanted(dc, b, s)) {
            continue;
        }
        mark(dc, s->a);
        mark(dc, s->b);
        mark(dc, s->c);
        uint32_t here = (uint32_t)(b - dc->blocks) + 1;
        if (s->kind == SEQ_COMMIT && !s->final) {
            dc->written_within[s->ref] = here;
        } else if (s->kind == SEQ_COMMIT && val_is_node(s->a) && !dc->indexed && dc->written_within[s->ref] != here) {
            dc->nodes[s->a].commit = i + 1;
        }
        for (unsigned k = 0; s->kind == SEQ_BATCH && k < VM_BATCH_INPUTS; k++) {
            mark(dc, dc->batch[s->ref].in[k]);
        }
    }
    for (uint32_t i = b->seq_first + b->seq_count; i-- > b->seq_first;) {      /* results are used further on only */
        const struct dc_seq *s = &dc->seqs[i];
        const struct dc_call *c = s->kind == SEQ_CALL ? &dc->calls[s->ref] : NULL;
        for (unsigned k = 0; c != NULL && call_wanted(dc, c) && k < 6; k++) {
            mark(dc, c->in[k]);
        }
    }
}

/*
 * Values that neighbours see must be right in lanes outside the group, too. A home written under the mask is
 * not: such values keep a slot of their own. Sources stand before the nodes that use them.
 */
static void mark_quads(struct decoder *dc, const struct dc_block *b) {
    for (uint32_t i = b->seq_first; i < b->seq_first + b->seq_count; i++) {
        const struct dc_batch *t = dc->seqs[i].kind == SEQ_BATCH ? &dc->batch[dc->seqs[i].ref] : NULL;
        if (t == NULL || t->op.kind != VM_BATCH_TEX) {
            continue;
        }
        for (unsigned k = VM_TEX_COORD; k < VM_TEX_COORD + 3; k++) {
            if (val_is_node(t->in[k])) {
                dc->nodes[t->in[k]].quad = true;
            }
        }
    }
    for (uint32_t i = b->node_first + b->node_count; i-- > b->node_first;) {
        const struct dc_node *n = &dc->nodes[i];
        for (unsigned k = 0; k < n->args && (n->quad || n->op == VM_OP_DDX || n->op == VM_OP_DDY); k++) {
            if (val_is_node(n->src[k])) {
                dc->nodes[n->src[k]].quad = true;
            }
        }
    }
}

/* ---- Needs ---- */

/* Slots that must be held at once to compute the tree below the node (Sethi, Ullman). */
static uint32_t need_of(const struct decoder *dc, const struct dc_node *n) {
    uint32_t needs[3] = {0, 0, 0}, need = 1;
    for (unsigned k = 0; k < n->args; k++) {
        uint32_t v = val_is_node(n->src[k]) && dc->nodes[n->src[k]].uses == 1 ? dc->nodes[n->src[k]].need : 0;
        for (unsigned i = 0; i < 3; i++) {      /* keep sorted, largest first */
            if (v > needs[i]) {
                uint32_t t = needs[i];
                needs[i] = v;
                v = t;
            }
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        need = needs[i] != 0 && needs[i] + i > need ? needs[i] + i : need;
    }
    return need;
}

static void prepare(struct decoder *dc, const struct dc_block *b) {
    dc->home_node_count = dc->home_node_done = 0;
    dc_fuse(dc, b);
    for (uint32_t i = b->node_first; i < b->node_first + b->node_count; i++) {
        struct dc_node *n = &dc->nodes[i];
        if (!n->live) {
            continue;
        }
        n->left = n->uses;
        n->need = n->op >= VM_OP_COUNT ? 0 : need_of(dc, n);
        if (n->op == VM_OP_HOME) {
            n->emitted = true;
            n->next_home = dc->home_chain[n->extra];
            dc->home_chain[n->extra] = i;
            if (dc_grow(dc, (void **)&dc->home_nodes, dc->home_node_count, &dc->home_node_cap, sizeof(uint32_t))) {
                dc->home_nodes[dc->home_node_count++] = i;
            }
        }
    }
}

/* ---- Emission ---- */

static bool is_home_of(const struct decoder *dc, dc_val v, uint32_t comp) {
    return val_is_node(v) && dc->nodes[v].op == VM_OP_HOME && !dc->nodes[v].copied &&
           dc->nodes[v].extra == (int32_t)comp;
}

/* Reads of the home, up to the version, that are still to come. */
static uint32_t reads_left(const struct decoder *dc, uint32_t comp, uint32_t version) {
    uint32_t left = 0;
    for (uint32_t i = dc->home_chain[comp]; i != UINT32_MAX; i = dc->nodes[i].next_home) {
        const struct dc_node *n = &dc->nodes[i];
        left += n->version <= version && !n->copied ? n->left : 0;
    }
    return left;
}

static void consume(struct decoder *dc, dc_val v) {
    if (val_is_node(v)) {
        dc->nodes[v].left--;
    }
}

/*
 * A value that ends the block in a home goes there at once, from the accumulator, if nobody reads the old
 * value any more; later readers find it there (neighbours would not).
 */
static void commit_early(struct decoder *dc, struct dc_node *n) {
    if (n->commit == 0 || n->quad) {
        return;
    }
    struct dc_seq *s = &dc->seqs[n->commit - 1];
    if (reads_left(dc, (uint32_t)s->ref, s->version) == 0) {
        s->done = true;
        n->left--;
        n->homed = (uint32_t)s->ref;
        n->homed_at = dc->item_count;
        add_item(dc, ITEM_COMMIT, (uint32_t)s->ref, s->a);
    }
}

static void emit_node(struct decoder *dc, uint32_t i) {
    struct dc_node *n = &dc->nodes[i];
    n->emitted = true;
    for (unsigned k = 0; k < n->args; k++) {
        consume(dc, n->src[k]);
    }
    add_item(dc, ITEM_NODE, i, VAL_NONE);
    commit_early(dc, n);
}

/*
 * Operand to compute next, or VAL_NONE when all are there. Shared values go first, since they need a slot
 * anyway; then the tree that needs most; what comes last is taken from the accumulator.
 */
static dc_val pending(const struct decoder *dc, const struct dc_node *n) {
    dc_val best = VAL_NONE;
    for (unsigned k = 0; k < n->args; k++) {
        dc_val v = n->src[k];
        if (!val_is_node(v) || dc->nodes[v].emitted) {
            continue;
        }
        if (best == VAL_NONE) {
            best = v;
            continue;
        }
        const struct dc_node *x = &dc->nodes[v], *y = &dc->nodes[best];
        if ((x->uses > 1) != (y->uses > 1) ? x->uses > 1 : x->need > y->need) {
            best = v;
        }
    }
    return best;
}

static void emit_value(struct decoder *dc, dc_val v) {
    if (!val_is_node(v)) {
        return;
    }
    if (dc->in_order) {
        for (; dc->next_in_order <= v; dc->next_in_order++) {
            const struct dc_node *n = &dc->nodes[dc->next_in_order];
            if (n->live && !n->emitted && n->op != VM_OP_RESULT && n->op != VM_OP_IDXR) {
                emit_node(dc, dc->next_in_order);
            }
        }
        return;
    }
    uint32_t depth = 0;
    if (dc->nodes[v].emitted || !push(dc, &depth, v)) {
        return;
    }
    while (depth > 0 && !dc->failed) {
        uint32_t top = dc->stack[depth - 1];
        dc_val next = dc->nodes[top].emitted ? VAL_NONE : pending(dc, &dc->nodes[top]);
        if (next != VAL_NONE) {
            push(dc, &depth, next);
            continue;
        }
        if (!dc->nodes[top].emitted) {
            emit_node(dc, top);
        }
        depth--;
    }
}

/* ---- Homes ---- */

static void copy_home(struct decoder *dc, uint32_t i) {
    dc->nodes[i].copied = true;
    dc->nodes[i].copied_at = dc->item_count;
    add_item(dc, ITEM_NODE, i, VAL_NONE);
}

static void save_reads(struct decoder *dc, uint32_t comp, uint32_t version) {
    for (uint32_t i = dc->home_chain[comp]; i != UINT32_MAX; i = dc->nodes[i].next_home) {
        const struct dc_node *n = &dc->nodes[i];
        if (n->version <= version && !n->copied && n->left > 0) {
            copy_home(dc, i);
        }
    }
}

/* Before an indexed write, which may hit any home. */
static void save_all_reads(struct decoder *dc, uint32_t version) {
    for (; dc->home_node_done < dc->home_node_count; dc->home_node_done++) {
        uint32_t i = dc->home_nodes[dc->home_node_done];
        const struct dc_node *n = &dc->nodes[i];
        if (n->version > version) {
            return;
        }
        if (!n->copied && n->left > 0) {
            copy_home(dc, i);
        }
    }
}

static void commit(struct decoder *dc, const struct dc_seq *s) {
    uint32_t comp = (uint32_t)s->ref;
    emit_value(dc, s->a);
    consume(dc, s->a);
    if (is_home_of(dc, s->a, comp)) {
        return;          /* the home has this value already */
    }
    save_reads(dc, comp, s->version);
    add_item(dc, ITEM_COMMIT, comp, s->a);
}

/*
 * Writes at the end of the block: first components whose old value is read least, and none while its old
 * value is still to be read; what remains are moves among homes, whose sources are saved first.
 */
static int by_key(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void commit_final(struct decoder *dc, const struct dc_block *b, uint32_t first, uint32_t count) {
    uint64_t *order = arena_alloc_raw(&dc->arena, count * sizeof *order + 8, 8);
    uint32_t n = 0, deferred = 0;
    if (order == NULL) {
        dc->failed = true;
        return;
    }
    for (uint32_t i = first; i < first + count; i++) {
        const struct dc_seq *s = &dc->seqs[i];
        if (wanted(dc, b, s) && !s->done) {
            order[n++] = (uint64_t)reads_left(dc, (uint32_t)s->ref, s->version) << 32 | i;
        }
    }
    qsort(order, n, sizeof *order, by_key);
    for (uint32_t k = 0; k < n; k++) {
        const struct dc_seq *s = &dc->seqs[(uint32_t)order[k]];
        emit_value(dc, s->a);
        if (s->done) {
            continue;
        }
        bool own = is_home_of(dc, s->a, (uint32_t)s->ref);
        if (!own && reads_left(dc, (uint32_t)s->ref, s->version) > 0) {
            order[deferred++] = order[k];
        } else {
            commit(dc, s);
        }
    }
    for (uint32_t k = 0; k < deferred; k++) {
        commit(dc, &dc->seqs[(uint32_t)order[k]]);
    }
}

/* ---- The block ---- */

static void batch(struct decoder *dc, uint32_t number) {
    struct dc_batch *op = &dc->batch[number];
    for (unsigned k = 0; k < VM_BATCH_INPUTS; k++) {
        emit_value(dc, op->in[k]);
    }
    for (unsigned k = 0; k < VM_BATCH_INPUTS; k++) {
        consume(dc, op->in[k]);
    }
    for (unsigned k = 0; k < 4; k++) {
        if (val_is_node(op->out[k])) {
            dc->nodes[op->out[k]].emitted = true;
        }
    }
    add_item(dc, ITEM_BATCH, number, VAL_NONE);
}

static void call(struct decoder *dc, uint32_t number) {
    struct dc_call *c = &dc->calls[number];
    if (!call_wanted(dc, c)) {
        return;
    }
    for (unsigned k = 0; k < 6; k++) {
        emit_value(dc, c->in[k]);
    }
    for (unsigned k = 0; k < 6; k++) {
        consume(dc, c->in[k]);
    }
    for (unsigned k = 0; k < 4; k++) {
        if (val_is_node(c->out[k])) {
            dc->nodes[c->out[k]].emitted = true;
        }
    }
    add_item(dc, ITEM_CALL, number, VAL_NONE);
    for (unsigned k = 0; k < 4; k++) {
        if (val_is_node(c->out[k]) && dc->nodes[c->out[k]].live) {
            commit_early(dc, &dc->nodes[c->out[k]]);
        }
    }
}

static void step(struct decoder *dc, const struct dc_seq *s, uint32_t number) {
    switch (s->kind) {
    case SEQ_COMMIT:
        commit(dc, s);
        break;
    case SEQ_NODE:
        if (val_is_node(s->a) && dc->nodes[s->a].live && !dc->nodes[s->a].emitted) {
            emit_value(dc, dc->nodes[s->a].src[0]);
            emit_node(dc, s->a);
        }
        break;
    case SEQ_STORE:
        emit_value(dc, s->a);
        emit_value(dc, s->b);
        emit_value(dc, s->c);
        save_all_reads(dc, s->version);
        consume(dc, s->a);
        consume(dc, s->b);
        consume(dc, s->c);
        add_item(dc, ITEM_STORE, number, VAL_NONE);
        break;
    case SEQ_BATCH:
        batch(dc, (uint32_t)s->ref);
        break;
    case SEQ_CALL:
        call(dc, (uint32_t)s->ref);
        break;
    case SEQ_COND: {
        bool b_first = val_is_node(s->a) && val_is_node(s->b) && dc->nodes[s->b].need > dc->nodes[s->a].need;
        emit_value(dc, b_first ? s->b : s->a);
        emit_value(dc, b_first ? s->a : s->b);
        consume(dc, s->a);
        consume(dc, s->b);
        add_item(dc, ITEM_COND, number, VAL_NONE);
        break;
    }
    default:
        emit_value(dc, s->a);
        add_item(dc, ITEM_OUTPUT, (uint32_t)s->ref, s->a);
        break;
    }
}

void dc_schedule(struct decoder *dc, struct dc_block *b) {
    dc->item_count = 0;
    dc->next_in_order = b->node_first;
    mark_roots(dc, b);
    if (dc->program->info.flags & VLIW_USES_DERIVATIVES) {
        mark_quads(dc, b);
    }
    prepare(dc, b);
    uint32_t end = b->seq_first + b->seq_count;
    for (uint32_t i = b->seq_first; i < end && !dc->failed;) {
        if (dc->seqs[i].kind == SEQ_COMMIT && dc->seqs[i].final) {
            uint32_t n = 0;
            while (i + n < end && dc->seqs[i + n].kind == SEQ_COMMIT && dc->seqs[i + n].final) {
                n++;
            }
            commit_final(dc, b, i, n);
            i += n;
        } else {
            step(dc, &dc->seqs[i], i);
            i++;
        }
    }
    for (uint32_t i = 0; i < dc->home_node_count; i++) {
        dc->home_chain[dc->nodes[dc->home_nodes[i]].extra] = UINT32_MAX;
    }
}
