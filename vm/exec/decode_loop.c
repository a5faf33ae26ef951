/* SPDX-License-Identifier: MIT */
/*
 * Loops in which the driver may move lanes together (exec_compact.c): ranges of blocks that are entered at the first
 * and left to later blocks only, without operations that know where a lane stands (discards, traps, memory, counters,
 * lane numbers). For each, the homes that its blocks touch, and whether lanes must move as whole quads because one of
 * its blocks reads derivatives or textures.
 *
 * In: blocks with their nodes and sequences, homes assigned. Out: dc->loops, and the innermost one of each block.
 */
#include "vm/exec/decode.h"

#include <string.h>

/* Where all lanes are one pass anyway less is won: a loop of fewer instructions waits for its splits, not for its lanes. */
#define LONG_BODY 12u

static bool in_loop(const struct vm_loop *loop, uint32_t block) { return block >= loop->first && block <= loop->last; }

static unsigned successors(const struct dc_block *b, uint32_t k, uint32_t *next) {
    unsigned n = 0;
    if (b->falls) {
        next[n++] = k + 1;
    }
    if (b->term == TERM_JUMP || b->term == TERM_BRANCH) {
        next[n++] = b->taken;
    }
    return n;
}

/* Nothing in the block keeps lanes from moving; notes whether quads must stay together. */
static bool may_move(const struct decoder *dc, const struct dc_block *b, struct vm_loop *loop) {
    if (b->term == TERM_BATCH || b->term == TERM_END) {
        return false;
    }
    for (uint32_t i = b->node_first; i < b->node_first + b->node_count; i++) {
        unsigned op = dc->nodes[i].op;
        if (op == VM_OP_LANE || op == VM_OP_IDXR) {
            return false;
        }
        loop->quads = loop->quads || op == VM_OP_DDX || op == VM_OP_DDY;
    }
    for (uint32_t i = b->seq_first; i < b->seq_first + b->seq_count; i++) {
        const struct dc_seq *s = &dc->seqs[i];
        if (s->kind == SEQ_STORE || (s->kind == SEQ_BATCH && dc->batch[s->ref].op.kind != VM_BATCH_TEX)) {
            return false;
        }
        loop->quads = loop->quads || s->kind == SEQ_BATCH;
    }
    return true;
}

/* Entered at the first block, left forwards, nothing in it that stands in the way. */
static bool qualifies(const struct decoder *dc, struct vm_loop *loop) {
    uint32_t body = 0;
    for (uint32_t k = 0; k < dc->block_count; k++) {
        const struct dc_block *b = &dc->blocks[k];
        uint32_t next[2];
        bool inside = in_loop(loop, k);
        if (!b->reachable) {
            continue;
        }
        if (inside && !may_move(dc, b, loop)) {
            return false;
        }
        for (unsigned n = successors(b, k, next); n > 0; n--) {
            uint32_t to = next[n - 1];
            if (inside ? to < loop->first : in_loop(loop, to) && to != loop->first) {
                return false;
            }
        }
        body += inside ? b->count : 0;
    }
    return dc->program->kernel->passes > 1 || body >= LONG_BODY;
}

/* Homes that the blocks touch: those that they write first. False without memory. */
static bool find_slots(struct decoder *dc, struct vm_loop *loop) {
    uint8_t *touched = arena_array(&dc->arena, dc->comps + 1, 1);
    uint16_t *slots = arena_array(&dc->arena, dc->comps + 1, sizeof *slots);
    if (touched == NULL || slots == NULL) {
        return false;
    }
    for (uint32_t k = loop->first; k <= loop->last; k++) {
        const struct dc_block *b = &dc->blocks[k];
        for (uint32_t i = b->node_first; i < b->node_first + b->node_count; i++) {
            if (dc->nodes[i].op == VM_OP_HOME) {
                touched[dc->nodes[i].extra] |= 1;
            }
        }
        for (uint32_t i = b->seq_first; i < b->seq_first + b->seq_count; i++) {
            if (dc->seqs[i].kind == SEQ_COMMIT) {
                touched[dc->seqs[i].ref] |= 2;
            }
        }
    }
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t c = 0; c < dc->comps + 1; c++) {
            bool written = touched[c] & 2;
            if (touched[c] != 0 && dc->home[c] != VM_NO_SLOT && written == (pass == 0)) {
                slots[loop->slot_count++] = dc->home[c];
            }
        }
        loop->written = pass == 0 ? loop->slot_count : loop->written;
    }
    loop->slots = slots;
    return true;
}

static void add_loop(struct decoder *dc, uint32_t first, uint32_t last) {
    struct vm_loop loop = {.first = first, .last = last};
    if (!qualifies(dc, &loop)) {
        return;
    }
    if (!find_slots(dc, &loop) ||
        !dc_grow(dc, (void **)&dc->loops, dc->loop_count, &dc->loop_cap, sizeof *dc->loops)) {
        dc->failed = true;
        return;
    }
    loop.outermost = dc->loop_count;
    for (uint32_t i = dc->loop_count; i-- > 0;) {
        if (dc->loops[i].first <= first && dc->loops[i].last >= last) {
            loop.outermost = i;
        }
    }
    for (uint32_t k = first; k <= last; k++) {      /* inner ones come later and take their blocks */
        dc->blocks[k].loop = dc->loop_count + 1;
    }
    dc->loops[dc->loop_count++] = loop;
}

/* Programs beyond this have loops of thousands of blocks within each other: not worth the search. */
#define MAX_BLOCKS 400u

void dc_find_loops(struct decoder *dc) {
    if (dc->one_block || dc->indexed || dc->indirect || dc->block_count > MAX_BLOCKS) {
        return;
    }
    for (uint32_t first = 0; first < dc->block_count && !dc->failed; first++) {
        uint32_t last = 0, next[2];
        bool found = false;
        for (uint32_t k = first; k < dc->block_count; k++) {
            const struct dc_block *b = &dc->blocks[k];
            for (unsigned n = b->reachable ? successors(b, k, next) : 0; n > 0; n--) {
                if (next[n - 1] == first) {
                    last = k;
                    found = true;
                }
            }
        }
        if (found) {
            add_loop(dc, first, last);
        }
    }
}
