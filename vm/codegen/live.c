/* SPDX-License-Identifier: MIT */
/*
 * Live ranges of every component of every virtual register, as sorted lists of positions: operation
 * i reads at 2i and writes at 2i + 1, a range is [first write, last read + 1). A predicated write
 * keeps the old value alive. Only registers that appear in more than one block take part in the
 * data flow.
 */
#include "vm/codegen/cg_internal.h"

#include <string.h>

/* What an operation does to a virtual register. Those of one operation stand together, reads first. */
enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_WRITE_SOME /* predicated */ };
struct access {
    uint32_t vreg, op;
    uint8_t mask, kind;
};

struct live {
    struct cg *cg;
    struct access *accesses;
    uint32_t access_count, access_cap;
    uint32_t *block_access; /* first access of each block; [block_count] = access_count */
    uint32_t *global; /* dense number of a register seen in several blocks, CG_NONE otherwise */
    uint32_t global_count;
    uint32_t *vreg_of;         /* back */
    uint32_t words;            /* of one set: 16 registers a word */
    uint64_t *in, *gen, *kill; /* [block * words] */
    uint64_t *now;       /* [words]: the global ones that are live where the walk stands */
    uint32_t *seen;      /* by register: first block seen + 1 */
    uint32_t (*end)[4];  /* by register: exclusive end of the range being built */
    uint8_t *open;       /* by register: components of which one is being built */
};

static void note(struct live *live, uint32_t vreg, unsigned mask, uint32_t op, enum access_kind kind) {
    struct access *grown = arena_grow(&live->cg->scratch, live->accesses, live->access_count, &live->access_cap,
                                      live->access_count + 1, sizeof *grown);
    if (grown) {
        live->accesses = grown;
        live->accesses[live->access_count++] = (struct access){vreg, op, (uint8_t)mask, (uint8_t)kind};
    }
}

static void note_op(struct live *live, uint32_t i) {
    const struct cg *cg = live->cg;
    const struct cg_op *op = &cg->ops[i];
    for (unsigned s = 0; s < 4; s++) {
        const struct cg_src *src = &op->src[s];
        unsigned lanes = op->mask;
        if (op->kind == CG_TEX) {
            lanes = s == 0 ? op->coord_mask : s == 3 ? 1 : 15;
        }
        if (src->file == CG_FILE_VREG) {
            note(live, src->reg, cg_components_read(op, src, lanes), i, ACCESS_READ);
        }
        if (src->file != CG_FILE_NONE && src->indexed) {
            note(live, src->index, 1u << src->index_comp, i, ACCESS_READ);
        }
    }
    if (op->pred.file == CG_FILE_VREG) {
        note(live, op->pred.reg, cg_components_read(op, &op->pred, op->kind == CG_ARITH ? op->mask : 1), i, ACCESS_READ);
    }
    if (op->dest_file == CG_FILE_ARRAY && op->dest_indexed) {
        note(live, op->dest_index, 1u << op->dest_index_comp, i, ACCESS_READ);
    }
    for (uint32_t k = 0; op->kind == CG_END && k < cg->fn->output_count; k++) {
        note(live, cg->output_vreg[k], (1u << cg->vregs[cg->output_vreg[k]].comps) - 1u, i, ACCESS_READ);
    }
    if (op->dest_file == CG_FILE_VREG) {
        cg->vregs[op->dest].used |= op->mask;
        if (op->pred.file != CG_FILE_NONE || op->reads_dest) {
            note(live, op->dest, op->mask, i, ACCESS_READ);
        }
        note(live, op->dest, op->mask, i, op->pred.file != CG_FILE_NONE ? ACCESS_WRITE_SOME : ACCESS_WRITE);
    }
}

static bool note_accesses(struct live *live) {
    struct cg *cg = live->cg;
    live->access_cap = cg->op_count * 3 + 16; /* about: most operations have two sources */
    live->accesses = arena_alloc_raw(&cg->scratch, (size_t)live->access_cap * sizeof *live->accesses, 16);
    live->block_access = arena_array(&cg->scratch, (size_t)cg->block_count + 1, sizeof *live->block_access);
    if (!live->accesses || !live->block_access) {
        return false;
    }
    for (uint32_t b = 0; b < cg->block_count; b++) {
        live->block_access[b] = live->access_count;
        for (uint32_t i = cg->blocks[b].first; i < cg->blocks[b].end; i++) {
            note_op(live, i);
        }
    }
    live->block_access[cg->block_count] = live->access_count;
    return cg_has_memory(cg);
}

/* ---- which registers cross blocks
 * ----------------------------------------------------------------- */

static void note_block(struct live *live, uint32_t vreg, uint32_t block) {
    if (!live->seen[vreg]) {
        live->seen[vreg] = block + 1;
    } else if (live->seen[vreg] != block + 1 && live->global[vreg] == CG_NONE) {
        live->global[vreg] = live->global_count++;
    }
}

static void find_globals(struct live *live, bool has_flow) {
    struct cg *cg = live->cg;
    for (uint32_t v = 0; v < cg->vreg_count; v++) {
        live->global[v] = CG_NONE;
    }
    if (!has_flow) {
        return; /* nothing leaves the one block */
    }
    for (uint32_t i = 0; i < cg->fn->input_count; i++) {
        if (cg->input_vreg[i] != CG_NONE) {
            live->seen[cg->input_vreg[i]] = UINT32_MAX; /* "another block": the start */
        }
    }
    for (uint32_t i = 0; i < cg->fn->output_count; i++) {
        live->seen[cg->output_vreg[i]] = UINT32_MAX;
    }
    for (uint32_t b = 0; b < cg->block_count; b++) {
        for (uint32_t k = live->block_access[b]; k < live->block_access[b + 1]; k++) {
            note_block(live, live->accesses[k].vreg, b);
        }
    }
}

/* ---- data flow
 * ------------------------------------------------------------------------------------ */

static void flow(struct live *live) {
    struct cg *cg = live->cg;
    for (uint32_t b = 0; b < cg->block_count; b++) {
        uint64_t *gen = live->gen + (size_t)b * live->words, *kill = live->kill + (size_t)b * live->words;
        for (uint32_t k = live->block_access[b]; k < live->block_access[b + 1]; k++) {
            const struct access *access = &live->accesses[k];
            const uint32_t g = live->global[access->vreg];
            if (g == CG_NONE) {
                continue;
            }
            const uint64_t bits = (uint64_t)access->mask << (g % 16 * 4);
            if (access->kind == ACCESS_READ) {
                gen[g / 16] |= bits & ~kill[g / 16];
            } else if (access->kind == ACCESS_WRITE) {
                kill[g / 16] |= bits;
            }
        }
    }
    memcpy(live->in, live->gen, (size_t)cg->block_count * live->words * sizeof *live->in);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = cg->block_count; b-- > 0;) {
            const struct ir_block *block = cg->fn->blocks[b];
            unsigned edges = block->term == IR_TERM_BRANCH ? 2
                             : block->term == IR_TERM_JUMP ? 1
                                                           : 0;
            for (unsigned e = 0; e < edges; e++) {
                const uint64_t *to = live->in + (size_t)block->edge[e].to->order * live->words;
                for (uint32_t w = 0; w < live->words; w++) {
                    size_t at = (size_t)b * live->words + w;
                    uint64_t more = (to[w] & ~live->kill[at]) | live->in[at];
                    changed |= more != live->in[at];
                    live->in[at] = more;
                }
            }
        }
    }
}

/* ---- ranges
 * --------------------------------------------------------------------------------------- */

/* Ranges are found from the end of the program backwards: appended here, reversed at the end. */
static void push_range(struct live *live, struct cg_ranges *r, uint32_t start, uint32_t end) {
    if (r->count && r->items[r->count - 1].start <= end) {
        r->items[r->count - 1].start =
            start < r->items[r->count - 1].start ? start : r->items[r->count - 1].start;
        return;
    }
    struct cg_range *grown =
        arena_grow(live->cg->arena, r->items, r->count, &r->cap, r->count + 1, sizeof *grown);
    if (grown) {
        r->items = grown;
        r->items[r->count].start = start;
        r->items[r->count++].end = end;
    }
}

static void open_range(struct live *live, uint32_t vreg, unsigned mask, uint32_t end) {
    for (unsigned c = 0; mask; c++, mask >>= 1) {
        if (mask & 1u) {
            live->end[vreg][c] = end;
        }
    }
}

/* Reads: what is not live yet behind 'at' begins to be. */
static void open_use(struct live *live, uint32_t vreg, unsigned mask, uint32_t at) {
    mask &= ~(unsigned)live->open[vreg];
    if (mask) {
        live->open[vreg] |= (uint8_t)mask;
        open_range(live, vreg, mask, at + 1);
    }
}

/* The ranges of 'mask', all open, begin at 'start'. */
static void close_ranges(struct live *live, uint32_t vreg, unsigned mask, uint32_t start) {
    live->open[vreg] &= (uint8_t)~mask;
    for (unsigned c = 0; mask; c++, mask >>= 1) {
        if (mask & 1u) {
            push_range(live, &live->cg->vregs[vreg].ranges[c], start, live->end[vreg][c]);
        }
    }
}

/* A write ends what is live; a dead one still takes the place. */
static void close_def(struct live *live, uint32_t vreg, unsigned mask, uint32_t at) {
    open_use(live, vreg, mask, at);
    close_ranges(live, vreg, mask, at);
}

/* From the start of the block behind, where now[] was live, to the end of block b: what is live at both goes on. */
static void cross(struct live *live, uint32_t b, uint32_t at) {
    const struct ir_block *block = live->cg->fn->blocks[b];
    unsigned edges = block->term == IR_TERM_BRANCH ? 2 : block->term == IR_TERM_JUMP ? 1 : 0;
    for (uint32_t w = 0; w < live->words; w++) {
        uint64_t out = 0;
        for (unsigned e = 0; e < edges; e++) {
            out |= live->in[(size_t)block->edge[e].to->order * live->words + w];
        }
        for (uint64_t bits = out ^ live->now[w]; bits;) {
            const unsigned shift = (unsigned)__builtin_ctzll(bits) & ~3u;
            const uint32_t vreg = live->vreg_of[w * 16 + shift / 4];
            close_ranges(live, vreg, (unsigned)((live->now[w] & ~out) >> shift & 15), at);
            open_use(live, vreg, (unsigned)(out >> shift & 15), at - 1);
            bits &= ~((uint64_t)15 << shift);
        }
    }
}

static void block_ranges(struct live *live, uint32_t b) {
    struct cg *cg = live->cg;
    if (cg->blocks[b].first == cg->blocks[b].end) {
        return; /* live through an empty block is no position */
    }
    cross(live, b, cg->blocks[b].end * 2);
    for (uint32_t k = live->block_access[b + 1]; k-- > live->block_access[b];) {
        const struct access *access = &live->accesses[k];
        if (access->kind == ACCESS_WRITE) {
            close_def(live, access->vreg, access->mask, access->op * 2 + 1);
        } else {
            open_use(live, access->vreg, access->mask, access->op * 2 + (access->kind == ACCESS_WRITE_SOME));
        }
    }
    memcpy(live->now, live->in + (size_t)b * live->words, live->words * sizeof *live->now);
    /* A register of this block alone that is read before it is written: no value, but a place. */
    for (uint32_t k = live->block_access[b]; k < live->block_access[b + 1]; k++) {
        const uint32_t vreg = live->accesses[k].vreg;
        if (live->open[vreg] && live->global[vreg] == CG_NONE) {
            close_ranges(live, vreg, live->open[vreg], cg->blocks[b].first * 2);
        }
    }
}

static void close_all(struct live *live) {
    for (uint32_t g = 0; g < live->global_count; g++) {
        close_ranges(live, live->vreg_of[g], live->open[live->vreg_of[g]], 0);
    }
}

/* The order of the program; and an output that some path does not write, like an input, holds its value from the
   start on. */
static void finish_ranges(struct cg *cg) {
    for (uint32_t v = 0; v < cg->vreg_count; v++) {
        struct cg_vreg *vreg = &cg->vregs[v];
        for (unsigned c = 0; c < 4; c++) {
            struct cg_ranges *r = &vreg->ranges[c];
            for (uint32_t i = 0; r->count > 1 && i < r->count / 2; i++) {
                struct cg_range swap = r->items[i];
                r->items[i] = r->items[r->count - 1 - i];
                r->items[r->count - 1 - i] = swap;
            }
            if (vreg->live_at_start && r->count) {
                r->items[0].start = 0;
            }
        }
    }
}

/* A place for one range of every component that is used: most have no more. */
static bool first_places(struct cg *cg) {
    size_t count = 0;
    for (uint32_t v = 0; v < cg->vreg_count; v++) {
        count += cg->vregs[v].comps;
    }
    struct cg_range *place = arena_array(cg->arena, count + 1, sizeof *place);
    for (uint32_t v = 0; place && v < cg->vreg_count; v++) {
        for (unsigned c = 0; c < cg->vregs[v].comps; c++) {
            cg->vregs[v].ranges[c].items = place++;
            cg->vregs[v].ranges[c].cap = 1;
        }
    }
    return place != NULL;
}

bool cg_build_ranges(struct cg *cg) {
    struct live live = {.cg = cg};
    uint32_t n = cg->vreg_count + 1;
    arena_reset(&cg->scratch);
    if (!first_places(cg) || !note_accesses(&live)) {
        return false;
    }
    live.global = arena_array(&cg->scratch, n, sizeof *live.global);
    live.seen = arena_array(&cg->scratch, n, sizeof *live.seen);
    live.end = arena_alloc_raw(&cg->scratch, n * sizeof *live.end, 16);
    live.open = arena_array(&cg->scratch, n, sizeof *live.open);
    if (!live.global || !live.seen || !live.end || !live.open) {
        return false;
    }
    find_globals(&live, cg->block_count > 1);
    live.words = live.global_count / 16 + 1;
    size_t total = (size_t)live.words * cg->block_count;
    live.vreg_of = arena_array(&cg->scratch, (size_t)live.words * 16, sizeof *live.vreg_of);
    live.in = arena_array(&cg->scratch, total, sizeof *live.in);
    live.gen = arena_array(&cg->scratch, total, sizeof *live.gen);
    live.kill = arena_array(&cg->scratch, total, sizeof *live.kill);
    live.now = arena_array(&cg->scratch, live.words, sizeof *live.now);
    if (!live.vreg_of || !live.in || !live.gen || !live.kill || !live.now) {
        return false;
    }
    for (uint32_t v = 0; v < cg->vreg_count; v++) {
        if (live.global[v] != CG_NONE) {
            live.vreg_of[live.global[v]] = v;
        }
    }
    if (live.global_count) {
        flow(&live);
    }
    for (uint32_t b = cg->block_count; b-- > 0;) {
        block_ranges(&live, b);
    }
    close_all(&live);
    finish_ranges(cg);
    return cg_has_memory(cg);
}

/* ---- lists
 * ---------------------------------------------------------------------------------------- */

/* First range that ends after 'at'. */
static uint32_t seek(const struct cg_ranges *r, uint32_t at) {
    uint32_t low = 0;
    uint32_t high = r->count;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (r->items[mid].end > at) {
            high = mid;
        } else {
            low = mid + 1;
        }
    }
    return low;
}

bool cg_ranges_meet(const struct cg_ranges *a, const struct cg_ranges *b) {
    if (a->count > b->count) {
        const struct cg_ranges *swap = a;
        a = b;
        b = swap;
    }
    uint32_t k = seek(b, a->items[0].start);
    for (uint32_t i = 0; i < a->count && k < b->count; i++) {
        if (b->items[k].end <= a->items[i].start) {
            k = b->count - k > 8 ? seek(b, a->items[i].start) : k;
            while (k < b->count && b->items[k].end <= a->items[i].start) {
                k++;
            }
        }
        if (k < b->count && b->items[k].start < a->items[i].end) {
            return true;
        }
    }
    return false;
}

/* Two lists of which one lies behind the other, as most do: put together where there is room, joined where they touch. */
static bool concatenate(struct cg_ranges *to, const struct cg_ranges *from) {
    struct cg_range *last = &to->items[to->count - 1];
    const struct cg_range *from_last = &from->items[from->count - 1];
    if (from->items[0].start >= last->end) {
        const bool touches = from->items[0].start == last->end;
        if (to->count + from->count - touches > to->cap) {
            return false;
        }
        if (touches) {
            last->end = from->items[0].end;
        }
        memcpy(last + 1, from->items + touches, (from->count - touches) * sizeof *last);
        to->count += from->count - touches;
        return true;
    }
    if (from_last->end <= to->items[0].start) {
        const bool touches = from_last->end == to->items[0].start;
        const uint32_t more = from->count - touches;
        if (to->count + more > to->cap) {
            return false;
        }
        if (touches) {
            to->items[0].start = from_last->start;
        }
        memmove(to->items + more, to->items, to->count * sizeof *to->items);
        memcpy(to->items, from->items, more * sizeof *to->items);
        to->count += more;
        return true;
    }
    return false;
}

bool cg_ranges_add(struct arena *arena, struct cg_ranges *to, const struct cg_ranges *from) {
    if (!from->count || (to->count && concatenate(to, from))) {
        return true;
    }
    struct cg_range *grown =
        arena_grow(arena, to->items, to->count, &to->cap, to->count + from->count, sizeof *grown);
    if (!grown) {
        return false;
    }
    to->items = grown;
    /* Merge from the back; usually everything goes behind what is there. */
    uint32_t i = to->count;
    uint32_t j = from->count;
    uint32_t out = i + j;
    uint32_t total = out;
    while (j) {
        if (i && to->items[i - 1].start > from->items[j - 1].start) {
            to->items[--out] = to->items[--i];
        } else {
            to->items[--out] = from->items[--j];
        }
    }
    /* Join touching neighbours. */
    uint32_t first = out ? out - 1 : 0;
    uint32_t write = first;
    for (uint32_t read = first + 1; read < total; read++) {
        if (to->items[read].start <= to->items[write].end) {
            if (to->items[read].end > to->items[write].end) {
                to->items[write].end = to->items[read].end;
            }
        } else {
            to->items[++write] = to->items[read];
        }
    }
    to->count = write + 1;
    return true;
}
