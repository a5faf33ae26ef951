/* SPDX-License-Identifier: MIT */
/*
 * List scheduling, after register allocation, of each block's operations into instructions. Both
 * phases read before either writes, so an operation may share an instruction with one that
 * overwrites its sources (distance 0), but must follow what it reads or overwrites in a later one
 * (distance 1). The first operation of an instruction is the ready one with the longest chain below
 * it; then the next best ready ones are offered to cg_pack_merge. Nothing stalls on this machine
 * (eight threads share the pipeline), so the only aim is few instructions; how many words an
 * operation takes is settled before.
 */
#include "vm/codegen/cg_internal.h"

#include <stdlib.h>
#include <string.h>

#include "vm/isa/word.h"

/* Packed forms that are kept from one offer of an operation to the next. */
#define PACKED 64u

/* Ready operations offered to one instruction; a bound on the work, beyond which hardly any joins.
 */
#define OFFERS 20u

/* Cells that one operation may read: five sources of four components, their indices, what it writes. */
#define READS 32u

struct edge {
    uint32_t to;
    uint32_t next; /* list of the same origin, CG_NONE ends */
    uint8_t distance;
};

struct node {
    uint32_t first_edge;
    uint32_t waits;    /* unscheduled operations that this one must follow */
    uint32_t height;   /* instructions below it, at least */
    uint32_t earliest; /* first instruction of the block that distance-1 edges allow */
};

/* What the block did so far to a component of a register. */
struct cell {
    uint32_t block;   /* of which the rest tells; another one's is nothing */
    uint32_t writer;  /* last writer + 1, 0 none */
    uint32_t readers; /* head of a list of readers since that write, CG_NONE ends */
};

struct sched {
    struct cg *cg;
    struct cg_program *program;
    struct node *nodes; /* by operation - first of the block */
    uint32_t base, count;
    struct edge *edges;
    uint32_t edge_count, edge_cap;
    struct cell *cells; /* by register * 4 + component */
    uint32_t block;     /* number of the block, from 1 */
    struct {
        uint32_t op, next;
    } * reads;
    uint32_t read_count, read_cap;
    uint32_t *rank;    /* by node: longest chain first, then program order */
    uint32_t *by_rank; /* back */
    uint32_t *starts;  /* by height, while ranks are given */
    uint64_t *ready;   /* a bit for each rank */
    uint32_t *later; /* released for the next instruction */
    uint32_t later_count;
    struct cg_work *packed; /* [PACKED] by the low bits of the operation's number */
    uint32_t *packed_op;    /* whose form it is: operation + 1 */
    bool is_fixed; /* count instructions of the fixed format instead of building ours */
    uint32_t fixed_count;
};

static void add_edge(struct sched *s, uint32_t from, uint32_t to, unsigned distance) {
    if (from == to) {
        return;
    }
    uint32_t head = s->nodes[from].first_edge;
    if (head != CG_NONE && s->edges[head].to == to) {
        if (distance > s->edges[head].distance) {
            s->edges[head].distance = (uint8_t)distance;
        }
        return; /* repeated for another component */
    }
    struct edge *grown = arena_grow(&s->cg->scratch, s->edges, s->edge_count, &s->edge_cap,
                                    s->edge_count + 1, sizeof *grown);
    if (!grown) {
        return;
    }
    s->edges = grown;
    s->edges[s->edge_count].to = to;
    s->edges[s->edge_count].distance = (uint8_t)distance;
    s->edges[s->edge_count].next = head;
    s->nodes[from].first_edge = s->edge_count++;
    s->nodes[to].waits++;
}

static struct cell *cell_at(struct sched *s, uint32_t index) {
    struct cell *cell = &s->cells[index];
    if (cell->block != s->block) {
        *cell = (struct cell){s->block, 0, CG_NONE};
    }
    return cell;
}

/* There is room for READS of one operation. */
static void read_cell(struct sched *s, uint32_t op, uint32_t index) {
    struct cell *cell = cell_at(s, index);
    if (cell->writer) {
        add_edge(s, cell->writer - 1, op, 1);
    }
    s->reads[s->read_count].op = op;
    s->reads[s->read_count].next = cell->readers;
    cell->readers = s->read_count++;
}

static void write_cell(struct sched *s, uint32_t op, uint32_t index) {
    struct cell *cell = cell_at(s, index);
    for (uint32_t r = cell->readers; r != CG_NONE; r = s->reads[r].next) {
        add_edge(s, s->reads[r].op, op, 0);
    }
    if (cell->writer) {
        add_edge(s, cell->writer - 1, op, 1);
    }
    cell->writer = op + 1;
    cell->readers = CG_NONE;
}

/* ---- dependences
 * ---------------------------------------------------------------------------------- */

/* An indexed access may reach any register of the array area: one cell stands for all of them. */
static uint32_t array_cell(const struct sched *s) {
    return s->cg->gprs * 4;
}

static bool in_arrays(const struct sched *s, uint32_t reg) {
    return reg >= s->cg->array_base && reg < s->cg->array_base + s->cg->array_regs;
}

/* 'comps' are the components read. */
static void read_source(struct sched *s, uint32_t op, const struct cg_src *src, unsigned comps) {
    if (src->indexed) {
        read_cell(s, op, src->index * 4 + src->index_comp);
    }
    if (src->file != CG_FILE_GPR) {
        return;
    }
    if (src->indexed || in_arrays(s, src->reg)) {
        read_cell(s, op, array_cell(s));
        return;
    }
    for (unsigned c = 0; c < 4; c++) {
        if (comps & 1u << c) {
            read_cell(s, op, src->reg * 4 + c);
        }
    }
}

static void depend(struct sched *s, uint32_t n) {
    const struct cg_op *op = &s->cg->ops[s->base + n];
    bool is_arith = op->kind == CG_ARITH;
    void *grown = arena_grow(&s->cg->scratch, s->reads, s->read_count, &s->read_cap, s->read_count + READS, sizeof *s->reads);
    if (!grown) {
        return;
    }
    s->reads = grown;
    for (unsigned k = 0; k < 4; k++) {
        unsigned lanes = is_arith ? op->mask : k == 0 ? op->coord_mask : k == 3 ? 1 : 15;
        if (op->src[k].file != CG_FILE_NONE) {
            read_source(s, n, &op->src[k], cg_components_read(op, &op->src[k], lanes));
        }
    }
    if (op->pred.file != CG_FILE_NONE) {
        read_source(s, n, &op->pred, cg_components_read(op, &op->pred, is_arith ? op->mask : 1));
    }
    if (op->dest_file != CG_FILE_GPR) {
        return;
    }
    if (op->dest_indexed) {
        read_cell(s, n, op->dest_index * 4 + op->dest_index_comp);
    }
    if (op->dest_indexed || in_arrays(s, op->dest)) {
        write_cell(s, n, array_cell(s));
        return;
    }
    for (unsigned c = 0; c < 4; c++) {
        if (op->mask & 1u << c) {
            if (op->tied || op->reads_dest) {
                read_cell(s, n, op->dest * 4 + c);
            }
            write_cell(s, n, op->dest * 4 + c);
        }
    }
}

static void build_graph(struct sched *s, uint32_t base, uint32_t count) {
    s->base = base;
    s->count = count;
    s->edge_count = 0;
    s->read_count = 0;
    s->block++;
    for (uint32_t n = 0; n < count; n++) {
        s->nodes[n].first_edge = CG_NONE;
        s->nodes[n].waits = 0;
        s->nodes[n].height = 0;
        s->nodes[n].earliest = 0;
    }
    uint32_t last_kill = CG_NONE;
    for (uint32_t n = 0; n < count; n++) {
        depend(s, n);
        if (s->cg->ops[base + n].kind == CG_KILL) {
            if (last_kill != CG_NONE) {
                add_edge(s, last_kill, n, 1);
            }
            last_kill = n;
        }
    }
    for (uint32_t n = count; n-- > 0;) {
        for (uint32_t e = s->nodes[n].first_edge; e != CG_NONE; e = s->edges[e].next) {
            uint32_t below = s->nodes[s->edges[e].to].height + s->edges[e].distance;
            s->nodes[n].height = below > s->nodes[n].height ? below : s->nodes[n].height;
        }
    }
}

/* ---- who is ready, in the order of ranks
 * ---------------------------------------------------------------------------------- */

static void rank_nodes(struct sched *s) {
    uint32_t highest = 0, next = 0;
    for (uint32_t n = 0; n < s->count; n++) {
        highest = s->nodes[n].height > highest ? s->nodes[n].height : highest;
    }
    memset(s->starts, 0, ((size_t)highest + 1) * sizeof *s->starts);
    for (uint32_t n = 0; n < s->count; n++) {
        s->starts[s->nodes[n].height]++;
    }
    for (uint32_t h = highest + 1; h-- > 0;) {
        const uint32_t count = s->starts[h];
        s->starts[h] = next;
        next += count;
    }
    for (uint32_t n = 0; n < s->count; n++) {
        const uint32_t rank = s->starts[s->nodes[n].height]++;
        s->rank[n] = rank;
        s->by_rank[rank] = n;
    }
}

static void set_ready(struct sched *s, uint32_t n) {
    s->ready[s->rank[n] / 64] |= (uint64_t)1 << s->rank[n] % 64;
}

/* The first ready rank from 'from' on, CG_NONE if there is none. */
static uint32_t next_ready(const struct sched *s, uint32_t from) {
    const uint32_t words = (s->count + 63) / 64;
    uint32_t w = from / 64;
    if (w >= words) {
        return CG_NONE;
    }
    uint64_t bits = s->ready[w] & ~(uint64_t)0 << from % 64;
    while (!bits) {
        if (++w == words) {
            return CG_NONE;
        }
        bits = s->ready[w];
    }
    return w * 64 + (uint32_t)__builtin_ctzll(bits);
}

/* ---- scheduling
 * ----------------------------------------------------------------------------------- */

static void release(struct sched *s, uint32_t n, uint32_t now) {
    for (uint32_t e = s->nodes[n].first_edge; e != CG_NONE; e = s->edges[e].next) {
        struct node *to = &s->nodes[s->edges[e].to];
        uint32_t earliest = now + s->edges[e].distance;
        to->earliest = earliest > to->earliest ? earliest : to->earliest;
        if (--to->waits == 0 && to->earliest <= now) {
            set_ready(s, s->edges[e].to); /* not as high as n, or behind it: its rank is yet to come */
        } else if (to->waits == 0) {
            s->later[s->later_count++] = s->edges[e].to;
        }
    }
}

static bool finish(struct sched *s, const struct cg_work *work) {
    struct cg_program *program = s->program;
    if (s->is_fixed) {
        s->fixed_count++;
        return true;
    }
    struct cg_inst *grown = arena_grow(s->cg->arena, program->insts, program->count, &program->cap,
                                       program->count + 1, sizeof *grown);
    if (!grown) {
        return false;
    }
    program->insts = grown;
    struct cg_inst *inst = &program->insts[program->count++];
    struct isa_inst unpacked;
    cg_pack_finish(work, &unpacked, inst->line);
    inst->units = (uint8_t)isa_pack_inst(&unpacked, inst->word);
    inst->operations = work->operations;
    inst->branch = CG_NONE;
    if (work->target != CG_NONE) {
        struct cg_branch *branches = arena_grow(s->cg->arena, program->branches, program->branch_count,
                                                &program->branch_cap, program->branch_count + 1, sizeof *branches);
        if (!branches) {
            return false;
        }
        program->branches = branches;
        inst->branch = program->branch_count++;
        branches[inst->branch] =
            (struct cg_branch){work->target, (uint32_t)unpacked.process, unpacked.unit[unpacked.process]};
    }
    return true;
}

static const struct cg_work *packed(struct sched *s, uint32_t n) {
    uint32_t op = s->base + n, slot = op % PACKED;
    if (s->packed_op[slot] != op + 1) {
        s->packed_op[slot] = op + 1;
        cg_pack_op(s->cg, &s->cg->ops[op], &s->packed[slot]);
    }
    return &s->packed[slot];
}

static bool schedule_ops(struct sched *s, struct cg_work *last, bool *has_last) {
    uint32_t left = s->count;
    *has_last = false;
    s->later_count = 0;
    rank_nodes(s);
    memset(s->ready, 0, (s->count / 64 + 1) * sizeof *s->ready);
    for (uint32_t n = 0; n < s->count; n++) {
        if (!s->nodes[n].waits) {
            set_ready(s, n);
        }
    }
    for (uint32_t now = 0; left; now++) {
        uint32_t refused = 0;
        if (*has_last && !finish(s, last)) {
            return false;
        }
        *has_last = false;
        while (s->later_count) {
            set_ready(s, s->later[--s->later_count]);
        }
        for (uint32_t r = next_ready(s, 0); r != CG_NONE && refused < OFFERS; r = next_ready(s, r + 1)) {
            const uint32_t n = s->by_rank[r];
            const struct cg_work *one = packed(s, n);
            bool taken = true;
            if (!*has_last) {
                cg_pack_copy(last, one);
                *has_last = true;
            } else {
                taken = s->is_fixed ? cg_pack_merge_fixed(last, one) : cg_pack_merge(last, one);
            }
            if (taken) {
                left--;
                s->ready[r / 64] &= ~((uint64_t)1 << r % 64);
                release(s, n, now);
            } else {
                refused++;
            }
        }
        if (!*has_last) {
            return false; /* a cycle, which program order excludes, or memory is out */
        }
    }
    return true;
}

/* The operations that end a block stay last, but may share the last instruction. */
static uint32_t end_ops(const struct cg *cg, uint32_t b) {
    uint32_t count = 0;
    for (uint32_t i = cg->blocks[b].end; i > cg->blocks[b].first; i--) {
        uint8_t kind = cg->ops[i - 1].kind;
        if (kind != CG_JUMP && kind != CG_BRANCH && kind != CG_END) {
            break;
        }
        count++;
    }
    return count;
}

/* True when the ending operation reads nothing that the open instruction writes. */
static bool may_join(const struct cg_op *op, const struct cg_work *work) {
    for (unsigned phase = 0; phase < 2; phase++) {
        const struct cg_group *group = &work->arith[phase];
        if (!group->has_main || op->pred.file != CG_FILE_GPR) {
            continue;
        }
        for (unsigned i = 0; i < work->coords; i++) {
            if (work->coord[i].kind == ISA_UNIT_ADDR && work->coord[i].target == ISA_ADDR_DEST) {
                return false;
            }
        }
        if (group->main.dest == op->pred.reg && group->main.mask & 1u << op->pred.sel[0]) {
            return false;
        }
    }
    return !work->has_process;
}

static bool schedule_block(struct sched *s, uint32_t b) {
    struct cg *cg = s->cg;
    uint32_t ends = end_ops(cg, b);
    uint32_t first = cg->blocks[b].first;
    uint32_t count = cg->blocks[b].end - first - ends;
    struct cg_work last;
    struct cg_work one;
    bool has_last = false;
    build_graph(s, first, count);
    if (cg->optimise) {
        if (!schedule_ops(s, &last, &has_last)) {
            return false;
        }
    } else {
        for (uint32_t i = 0; i < count; i++) {
            cg_pack_op(cg, &cg->ops[first + i], &one);
            if (!finish(s, &one)) {
                return false;
            }
        }
    }
    for (uint32_t i = first + count; i < cg->blocks[b].end; i++) {
        cg_pack_op(cg, &cg->ops[i], &one);
        if (has_last && i == first + count && may_join(&cg->ops[i], &last) &&
            (s->is_fixed ? cg_pack_merge_fixed(&last, &one) : cg_pack_merge(&last, &one))) {
            continue;
        }
        if (has_last && !finish(s, &last)) {
            return false;
        }
        cg_pack_copy(&last, &one);
        has_last = true;
    }
    return !has_last || finish(s, &last);
}

static bool sched_init(struct sched *s, struct cg *cg) {
    uint32_t cells = cg->gprs * 4 + 1;
    uint32_t longest = 1;
    for (uint32_t b = 0; b < cg->block_count; b++) {
        uint32_t size = cg->blocks[b].end - cg->blocks[b].first;
        longest = size > longest ? size : longest;
    }
    s->cg = cg;
    arena_reset(&cg->scratch);
    s->cells = arena_array(&cg->scratch, cells, sizeof *s->cells);
    s->nodes = arena_array(&cg->scratch, longest, sizeof *s->nodes);
    s->rank = arena_array(&cg->scratch, longest, sizeof *s->rank);
    s->by_rank = arena_array(&cg->scratch, longest, sizeof *s->by_rank);
    s->starts = arena_array(&cg->scratch, (size_t)longest + 1, sizeof *s->starts);
    s->ready = arena_array(&cg->scratch, longest / 64 + 1, sizeof *s->ready);
    s->later = arena_array(&cg->scratch, longest, sizeof *s->later);
    s->packed = arena_alloc_raw(&cg->scratch, PACKED * sizeof *s->packed, 16);
    s->packed_op = arena_array(&cg->scratch, PACKED, sizeof *s->packed_op);
    if (!s->cells || !s->nodes || !s->rank || !s->by_rank || !s->starts || !s->ready || !s->later || !s->packed || !s->packed_op) {
        return false;
    }
    return true;
}

bool cg_schedule(struct cg *cg, struct cg_program *program) {
    struct sched s = {.program = program};
    program->cap = cg->op_count / 8 * 5 + 16; /* about what remains when operations have been joined */
    program->insts = arena_alloc_raw(cg->arena, program->cap * sizeof *program->insts, 16);
    program->cap = program->insts ? program->cap : 0;
    program->block_first =
        arena_array(cg->arena, (size_t)cg->block_count + 1, sizeof *program->block_first);
    if (!program->block_first || !sched_init(&s, cg)) {
        return false;
    }
    for (uint32_t b = 0; b < cg->block_count; b++) {
        program->block_first[b] = program->count;
        if (!schedule_block(&s, b)) {
            return false;
        }
    }
    program->block_first[cg->block_count] = program->count;
    return cg_has_memory(cg);
}

uint32_t cg_schedule_fixed(struct cg *cg) {
    struct sched s = {.is_fixed = true};
    bool done = sched_init(&s, cg);
    for (uint32_t b = 0; done && b < cg->block_count; b++) {
        done = schedule_block(&s, b);
    }
    return done ? s.fixed_count : 0;
}
