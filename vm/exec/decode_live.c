/* SPDX-License-Identifier: MIT */
/*
 * Which register components live from block to block: only these are written back to their homes.
 * A component that neighbours read (derivatives, implicit level of detail) counts as live everywhere,
 * because a lane that waits elsewhere must show its last written value. When the sets would be large, or
 * a target can be anything, all components live everywhere: slower code, same results.
 */
#include "vm/exec/decode.h"

#include <string.h>

#define MAX_SET_WORDS (1u << 20)     /* 8 MB for each of three families of sets */
#define MAX_SWEEPS 200u

bool dc_lives(const struct decoder *dc, const struct dc_block *block, uint32_t comp) {
    (void)dc;
    return block->live_out == NULL || bit_get(block->live_out, comp);
}

/* Reads of homes before the block writes them, and components that the block writes for all its lanes. */
static void use_and_def(struct decoder *dc, const struct dc_block *b, uint64_t *use, uint64_t *def) {
    for (uint32_t i = b->node_first; i < b->node_first + b->node_count; i++) {
        if (dc->nodes[i].op == VM_OP_HOME) {
            bit_set(use, (uint32_t)dc->nodes[i].extra);      /* later versions too: harmless */
        }
    }
    for (uint32_t i = b->seq_first; i < b->seq_first + b->seq_count; i++) {
        if (dc->seqs[i].kind == SEQ_COMMIT) {
            bit_set(def, (uint32_t)dc->seqs[i].ref);
        }
    }
}

static bool join(uint64_t *to, const uint64_t *from, uint32_t words) {
    uint64_t changed = 0;
    for (uint32_t w = 0; w < words; w++) {
        changed |= from[w] & ~to[w];
        to[w] |= from[w];
    }
    return changed != 0;
}

void dc_liveness(struct decoder *dc) {
    uint32_t words = (dc->comps + 1 + 63) / 64, n = dc->block_count;
    if (dc->indexed || dc->indirect || (uint64_t)words * n > MAX_SET_WORDS) {
        return;      /* live_out stays NULL: all */
    }
    uint64_t *in = arena_array(&dc->arena, (size_t)n * words, sizeof *in);
    uint64_t *out = arena_array(&dc->arena, (size_t)n * words, sizeof *out);
    uint64_t *def = arena_array(&dc->arena, (size_t)n * words, sizeof *def);
    uint64_t *ends = arena_array(&dc->arena, words, sizeof *ends);
    if (in == NULL || out == NULL || def == NULL || ends == NULL) {
        dc->failed = true;
        return;
    }
    for (uint32_t i = 0; i < dc->image->output_count; i++) {
        const struct vliw_io *io = &dc->image->outputs[i];
        for (unsigned c = 0; c < 4; c++) {
            if (io->mask >> c & 1u) {
                bit_set(ends, io->reg * 4u + c);
            }
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        struct dc_block *b = &dc->blocks[i];
        use_and_def(dc, b, in + (size_t)i * words, def + (size_t)i * words);
        join(out + (size_t)i * words, dc->quad_set, words);
        if (b->ends) {
            join(out + (size_t)i * words, ends, words);
        }
    }
    bool changed = true;
    for (unsigned sweep = 0; changed; sweep++) {
        if (sweep == MAX_SWEEPS) {
            return;
        }
        changed = false;
        for (uint32_t k = n; k-- > 0;) {
            struct dc_block *b = &dc->blocks[k];
            uint64_t *o = out + (size_t)k * words, *i = in + (size_t)k * words, *d = def + (size_t)k * words;
            if (!b->reachable) {
                continue;
            }
            if (b->falls) {
                join(o, in + (size_t)(k + 1) * words, words);
            }
            if (b->term == TERM_JUMP || b->term == TERM_BRANCH) {
                join(o, in + (size_t)b->taken * words, words);
            }
            for (uint32_t w = 0; w < words; w++) {
                uint64_t more = o[w] & ~d[w] & ~i[w];
                if (more != 0) {
                    i[w] |= more;
                    changed = true;
                }
            }
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        dc->blocks[k].live_out = out + (size_t)k * words;
    }
    dc->entry_live = in;
}
