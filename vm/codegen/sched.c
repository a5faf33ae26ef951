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
    uint64_t *heap; /* keys, largest first */
    uint32_t heap_count;
    uint64_t refused[OFFERS]; /* keys that did not join the last instruction, largest first: ready as well */
    uint32_t refused_count;
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

/* ---- the ready heap: highest first, then program order
 * ---------------------------------------------- */

static uint64_t key_of(const struct sched *s, uint32_t n) {
    return (uint64_t)s->nodes[n].height << 32 | (UINT32_MAX - n);
}

static void push_key(struct sched *s, uint64_t key) {
    uint32_t at = s->heap_count++;
    for (; at && s->heap[(at - 1) / 2] < key; at = (at - 1) / 2) {
        s->heap[at] = s->heap[(at - 1) / 2];
    }
    s->heap[at] = key;
}

static void push(struct sched *s, uint32_t n) {
    push_key(s, key_of(s, n));
}

static uint64_t pop(struct sched *s) {
    const uint64_t top = s->heap[0];
    uint32_t count = --s->heap_count, at = 0;
    uint64_t last = s->heap[count]; /* sinks from the root */
    for (uint32_t kid = 1; kid < count; kid = at * 2 + 1) {
        kid += kid + 1 < count && s->heap[kid + 1] > s->heap[kid];
        if (s->heap[kid] <= last) {
            break;
        }
        s->heap[at] = s->heap[kid];
        at = kid;
    }
    s->heap[at] = last;
    return top;
}

/* ---- scheduling
 * ----------------------------------------------------------------------------------- */

static void release(struct sched *s, uint32_t n, uint32_t now) {
    for (uint32_t e = s->nodes[n].first_edge; e != CG_NONE; e = s->edges[e].next) {
        struct node *to = &s->nodes[s->edges[e].to];
        uint32_t earliest = now + s->edges[e].distance;
        to->earliest = earliest > to->earliest ? earliest : to->earliest;
        if (--to->waits == 0 && to->earliest <= now) {
            push(s, s->edges[e].to);
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
    s->heap_count = 0;
    s->later_count = 0;
    s->refused_count = 0;
    for (uint32_t n = 0; n < s->count; n++) {
        if (!s->nodes[n].waits) {
            push(s, n);
        }
    }
    for (uint32_t now = 0; left; now++) {
        uint64_t refused[OFFERS];
        uint32_t refused_count = 0, next = 0;
        bool is_open = false;
        if (*has_last && !finish(s, last)) {
            return false;
        }
        *has_last = false;
        while (s->later_count) {
            push(s, s->later[--s->later_count]);
        }
        while (refused_count < OFFERS && (s->heap_count || next < s->refused_count)) {
            const bool again = next < s->refused_count && !(s->heap_count && s->heap[0] > s->refused[next]);
            const uint64_t key = again ? s->refused[next++] : pop(s);
            const uint32_t n = UINT32_MAX - (uint32_t)key;
            bool taken = false;
            const struct cg_work *one = packed(s, n);
            if (!is_open) {
                cg_pack_copy(last, one);
                is_open = taken = true;
            } else {
                taken = s->is_fixed ? cg_pack_merge_fixed(last, one) : cg_pack_merge(last, one);
            }
            if (taken) {
                left--;
                release(s, n, now);
            } else {
                refused[refused_count++] = key;
            }
        }
        for (; next < s->refused_count; next++) {
            push_key(s, s->refused[next]);
        }
        memcpy(s->refused, refused, refused_count * sizeof *refused);
        s->refused_count = refused_count;
        if (!is_open) {
            return false; /* a cycle, which program order excludes, or memory is out */
        }
        *has_last = true;
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
    s->heap = arena_array(&cg->scratch, (size_t)longest + OFFERS, sizeof *s->heap);
    s->later = arena_array(&cg->scratch, longest, sizeof *s->later);
    s->packed = arena_alloc_raw(&cg->scratch, PACKED * sizeof *s->packed, 16);
    s->packed_op = arena_array(&cg->scratch, PACKED, sizeof *s->packed_op);
    if (!s->cells || !s->nodes || !s->heap || !s->later || !s->packed || !s->packed_op) {
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
