/* SPDX-License-Identifier: MIT */
/*
 * Physical registers. Each web gets a register and a component for each of its slots such that no
 * two live ranges meet. First in order of appearance, going round a window of registers (which
 * keeps unrelated values apart, so that the scheduler is free); if that fails, by size, packed
 * tightly; if that fails too, by weight with the lighter webs beyond the directly addressed
 * registers.
 */
#include "vm/codegen/cg_internal.h"

#include <stdlib.h>
#include <string.h>

struct alloc {
    struct cg *cg;
    uint32_t *webs; /* roots with live ranges */
    uint32_t web_count;
    struct cg_ranges (*file)[4]; /* [register][component] */
    uint32_t file_rows;          /* registers that file[] has */
    uint32_t limit;              /* direct registers in use by this attempt */
};

static bool has_ranges(const struct cg_vreg *web) {
    return web->ranges[0].count || web->ranges[1].count || web->ranges[2].count ||
           web->ranges[3].count;
}

static unsigned slot_count(const struct cg_vreg *web) {
    unsigned count = 0;
    for (unsigned s = 0; s < 4; s++) {
        count += web->ranges[s].count != 0;
    }
    return count;
}

/* Which components of one register are free for the slots of a web, found out when asked. */
struct vacancy {
    const struct cg_ranges *file; /* of the register */
    const struct cg_vreg *web;
    unsigned tested[4], free[4]; /* by slot: components */
};

static bool is_free(struct vacancy *v, unsigned s, unsigned c) {
    const unsigned bit = 1u << c;
    if (!(v->tested[s] & bit)) {
        v->tested[s] |= bit;
        v->free[s] |= cg_ranges_overlap(&v->file[c], &v->web->ranges[s]) ? 0 : bit;
    }
    return (v->free[s] & bit) != 0;
}

/* May slot s be component c beside what stands in 'phys' already? Halves of pairs stay together. */
static bool keeps_pair(struct vacancy *v, unsigned s, unsigned c, const uint8_t phys[4]) {
    if (!(v->web->pairs & 1u << s / 2)) {
        return true;
    }
    if (s & 1u) {
        return phys[s - 1] == 4 ? (c & 1u) != 0 : c == phys[s - 1] + 1u;
    }
    return (c & 1u) == 0 && (!v->web->ranges[s + 1].count || is_free(v, s + 1, c + 1));
}

/* The first choice for every slot, mostly free: where the search below would begin. */
static bool first_choice(struct alloc *alloc, const struct cg_vreg *web, uint32_t reg, unsigned turn, uint8_t phys[4]) {
    turn = web->fixed ? 0 : turn;
    for (unsigned s = 0; s < 4; s++) {
        const unsigned c = (s + turn) & 3;
        phys[s] = (uint8_t)(web->ranges[s].count ? c : 4u);
        if (cg_ranges_overlap(&alloc->file[reg][c], &web->ranges[s])) {
            return false;
        }
    }
    return !web->pairs;
}

/* Components for all slots of a web in one register; 'turn' varies the first choice. */
static bool find_components(struct alloc *alloc, const struct cg_vreg *web, uint32_t reg,
                            unsigned turn, uint8_t phys[4]) {
    if (first_choice(alloc, web, reg, turn, phys)) {
        return true;
    }
    struct vacancy v = {alloc->file[reg], web, {0, 0, 0, 0}, {0, 0, 0, 0}};
    unsigned taken = 0;
    /* At most 4 slots: try the choices for each in turn, depth first. */
    unsigned choice[4] = {0, 0, 0, 0};
    for (unsigned s = 0; s < 4;) {
        if (!web->ranges[s].count) {
            phys[s] = 4;
            s++;
            continue;
        }
        bool found = false;
        for (; choice[s] < 4 && !found; choice[s]++) {
            unsigned c = web->fixed ? s : (choice[s] + s + turn) & 3;
            if (!(taken & 1u << c) && is_free(&v, s, c) && keeps_pair(&v, s, c, phys)) {
                phys[s] = (uint8_t)c;
                taken |= 1u << c;
                found = true;
            }
        }
        if (found) {
            s++;
            continue;
        }
        if (!v.free[s] && v.tested[s] == 15u) {
            return false; /* whatever the others do */
        }
        choice[s] = 0;
        do {
            if (s == 0) {
                return false;
            }
            s--;
        } while (!web->ranges[s].count);
        taken &= ~(1u << phys[s]);
    }
    return true;
}

/* Slots that nobody uses get what is left. */
static void fill_places(uint8_t phys[4]) {
    unsigned taken = 0;
    for (unsigned s = 0; s < 4; s++) {
        taken |= 1u << phys[s];
    }
    for (unsigned s = 0; s < 4; s++) {
        for (unsigned c = 0; c < 4 && phys[s] == 4; c++) {
            if (!(taken & 1u << c)) {
                phys[s] = (uint8_t)c;
                taken |= 1u << c;
            }
        }
    }
}

static bool place(struct alloc *alloc, struct cg_vreg *web, uint32_t reg, const uint8_t phys[4]) {
    web->reg = reg;
    memcpy(web->phys, phys, 4);
    for (unsigned s = 0; s < 4; s++) {
        if (web->ranges[s].count && !cg_ranges_add(&alloc->cg->scratch, &alloc->file[reg][phys[s]], &web->ranges[s])) {
            return false;
        }
    }
    return true;
}

/* An empty register file of 'rows' registers. */
static bool clear_file(struct alloc *alloc, uint32_t rows) {
    if (rows > alloc->file_rows) {
        alloc->file = arena_array(&alloc->cg->scratch, rows, sizeof *alloc->file);
        alloc->file_rows = alloc->file ? rows : 0;
    }
    for (uint32_t r = 0; r < alloc->file_rows; r++) {
        for (unsigned c = 0; c < 4; c++) {
            alloc->file[r][c].count = 0;
        }
    }
    return alloc->file_rows >= rows;
}

static bool try_registers(struct alloc *alloc, struct cg_vreg *web, uint32_t low, uint32_t high,
                          uint32_t start, unsigned turn) {
    uint8_t phys[4];
    for (uint32_t k = 0; k < high - low; k++) {
        uint32_t reg = low + (start + k) % (high - low);
        if (find_components(alloc, web, reg, turn, phys)) {
            fill_places(phys);
            return place(alloc, web, reg, phys);
        }
    }
    return false;
}

/* Attempt 1: in order of appearance, going round. */
static bool allocate_round(struct alloc *alloc) {
    uint32_t next = 0;
    for (uint32_t i = 0; i < alloc->web_count; i++) {
        struct cg_vreg *web = &alloc->cg->vregs[alloc->webs[i]];
        if (!try_registers(alloc, web, 0, alloc->limit, next, i)) {
            return false;
        }
        next = (web->reg + 1) % alloc->limit;
    }
    return true;
}

/* Attempt 2: as tightly as possible, the given order. */
static bool allocate_tight(struct alloc *alloc) {
    for (uint32_t i = 0; i < alloc->web_count; i++) {
        if (!try_registers(alloc, &alloc->cg->vregs[alloc->webs[i]], 0, ISA_DIRECT, 0, 0)) {
            return false;
        }
    }
    return true;
}

/* Attempt 3: what does not fit goes beyond the direct registers. */
static bool allocate_spilling(struct alloc *alloc) {
    struct cg *cg = alloc->cg;
    cg->has_scratch = true;
    for (uint32_t i = 0; i < alloc->web_count; i++) {
        struct cg_vreg *web = &cg->vregs[alloc->webs[i]];
        if (try_registers(alloc, web, 0, CG_SCRATCH, 0, 0)) {
            continue;
        }
        if (!try_registers(alloc, web, ISA_DIRECT, ISA_GPRS - cg->array_regs, 0, 0)) {
            cg_fail(cg, !cg_has_memory(cg)
                            ? "out of memory"
                            : "too many values live at once: the register file is full");
            return false;
        }
        cg->spills++;
    }
    return true;
}

/* ---- orders
 * --------------------------------------------------------------------------------------- */

struct key {
    uint64_t key;
    uint32_t web;
};

static int compare_keys(const void *a, const void *b) {
    const struct key *x = a;
    const struct key *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return x->web < y->web ? -1 : x->web > y->web;
}

enum order { BY_SIZE, BY_WEIGHT };

static uint64_t key_of(const struct cg_vreg *web, enum order order) {
    if (order == BY_SIZE) {
        unsigned width = slot_count(web) + (web->fixed ? 1 : 0);
        return (uint64_t)(8 - width) << 32 | web->first;
    }
    /* Uses by loop depth over the length of life: heavy and short first. */
    uint64_t length = 1;
    for (unsigned s = 0; s < 4; s++) {
        for (uint32_t i = 0; i < web->ranges[s].count; i++) {
            length += web->ranges[s].items[i].end - web->ranges[s].items[i].start;
        }
    }
    uint64_t density = ((uint64_t)web->weight << 16) / length;
    return UINT64_MAX - (density > UINT32_MAX ? UINT32_MAX : density);
}

/* By first position, then number: a counting sort, as the positions are few. */
static bool sort_by_appearance(struct alloc *alloc) {
    struct cg *cg = alloc->cg;
    uint32_t positions = cg->op_count * 2 + 2;
    uint32_t *start = arena_array(&cg->scratch, (size_t)positions + 1, sizeof *start);
    uint32_t *sorted = arena_alloc_raw(&cg->scratch, (alloc->web_count + 1) * sizeof *sorted, 16);
    if (!start || !sorted) {
        return false;
    }
    for (uint32_t i = 0; i < alloc->web_count; i++) {
        start[cg->vregs[alloc->webs[i]].first + 1]++;
    }
    for (uint32_t p = 0; p < positions; p++) {
        start[p + 1] += start[p];
    }
    for (uint32_t i = 0; i < alloc->web_count; i++) {
        sorted[start[cg->vregs[alloc->webs[i]].first]++] = alloc->webs[i];
    }
    alloc->webs = sorted;
    return true;
}

static bool sort_webs(struct alloc *alloc, enum order order) {
    struct cg *cg = alloc->cg;
    struct key *keys = arena_array(&cg->scratch, alloc->web_count + 1, sizeof *keys);
    if (!keys) {
        return false;
    }
    for (uint32_t i = 0; i < alloc->web_count; i++) {
        keys[i].key = key_of(&cg->vregs[alloc->webs[i]], order);
        keys[i].web = alloc->webs[i];
    }
    qsort(keys, alloc->web_count, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < alloc->web_count; i++) {
        alloc->webs[i] = keys[i].web;
    }
    return true;
}

/* Most components live at once. */
static uint32_t pressure(struct alloc *alloc) {
    struct cg *cg = alloc->cg;
    uint32_t positions = cg->op_count * 2 + 2;
    int32_t *delta = arena_array(&cg->scratch, positions + 1, sizeof *delta);
    if (!delta) {
        return 0;
    }
    for (uint32_t i = 0; i < alloc->web_count; i++) {
        const struct cg_vreg *web = &cg->vregs[alloc->webs[i]];
        for (unsigned s = 0; s < 4; s++) {
            for (uint32_t k = 0; k < web->ranges[s].count; k++) {
                delta[web->ranges[s].items[k].start]++;
                delta[web->ranges[s].items[k].end]--;
            }
        }
    }
    int32_t now = 0;
    int32_t most = 0;
    for (uint32_t p = 0; p < positions; p++) {
        now += delta[p];
        most = now > most ? now : most;
    }
    return (uint32_t)most;
}

static void weigh(struct cg *cg) {
    for (uint32_t b = 0; b < cg->block_count; b++) {
        uint32_t depth = cg->blocks[b].loop_depth > 4 ? 4 : cg->blocks[b].loop_depth;
        uint32_t weight = 1u << (depth * 3);
        for (uint32_t i = cg->blocks[b].first; i < cg->blocks[b].end; i++) {
            const struct cg_op *op = &cg->ops[i];
            for (unsigned s = 0; s < 4; s++) {
                if (op->src[s].file == CG_FILE_VREG) {
                    cg->vregs[op->src[s].reg].weight += weight;
                }
                if (op->src[s].file != CG_FILE_NONE && op->src[s].indexed) {
                    cg->vregs[op->src[s].index].weight += weight * 2;
                }
            }
            if (op->pred.file == CG_FILE_VREG) {
                cg->vregs[op->pred.reg].weight += weight * 2;
            }
            if (op->dest_file == CG_FILE_VREG) {
                cg->vregs[op->dest].weight += weight;
            }
        }
    }
}

/* ---- rewriting
 * ------------------------------------------------------------------------------------ */

/* Every virtual register's place, from now on in vregs[].reg and .phys. */
static void spread_places(struct cg *cg) {
    for (uint32_t v = 0; v < cg->vreg_count; v++) {
        struct cg_vreg *vreg = &cg->vregs[v];
        uint8_t slot[4];
        const uint32_t root = cg_find_web(cg, v, slot);
        if (root == v) {
            continue;
        }
        vreg->reg = cg->vregs[root].reg;
        for (unsigned i = 0; i < 4; i++) {
            vreg->phys[i] = cg->vregs[root].phys[slot[i]];
        }
    }
}

static void note_gpr(struct cg *cg, uint32_t reg) {
    cg->gprs = reg + 1 > cg->gprs ? reg + 1 : cg->gprs;
}

static void rewrite_index(struct cg *cg, uint32_t *index, uint8_t *comp) {
    const struct cg_vreg *vreg = &cg->vregs[*index];
    *index = vreg->reg;
    *comp = vreg->phys[*comp];
}

/* place[c] = physical component of the destination's component c. */
static void rewrite_src(struct cg *cg, struct cg_src *src, unsigned mask, const uint8_t place[4]) {
    uint8_t phys[4] = {0, 1, 2, 3};
    uint8_t sel[5]; /* the last for those that are not written */
    if (src->file == CG_FILE_VREG) {
        memcpy(phys, cg->vregs[src->reg].phys, sizeof phys);
        src->reg = cg->vregs[src->reg].reg;
        src->file = CG_FILE_GPR;
        note_gpr(cg, src->reg);
    } else if (src->file == CG_FILE_ARRAY) {
        src->reg += cg->array_base;
        src->file = CG_FILE_GPR;
    }
    if (src->indexed) {
        uint8_t comp = src->index_comp;
        rewrite_index(cg, &src->index, &comp);
        src->index_comp = comp & 3;
    }
    /* Components that are not written read what the first one reads. */
    const unsigned first = mask & 1u ? 0 : mask & 2u ? 1 : mask & 4u ? 2 : 3;
    memset(sel, phys[src->sel[first]], sizeof sel);
    for (unsigned c = 0; c < 4; c++) {
        sel[mask >> c & 1u ? place[c] : 4u] = phys[src->sel[c]];
    }
    memcpy(src->sel, sel, sizeof src->sel);
}

static bool in_place(const struct cg_op *op, const struct cg_src *src) {
    if (op->dest_file != CG_FILE_GPR || op->dest_indexed || src->file != CG_FILE_GPR ||
        src->reg != op->dest || src->neg || src->indexed) {
        return false;
    }
    for (unsigned c = 0; c < 4; c++) {
        if (op->mask & 1u << c && src->sel[c] != c) {
            return false;
        }
    }
    return op->stype == op->dtype || !cg_is_typed(op);      /* a comparison of doubles names its pairs */
}

/* False when the operation does nothing any more. */
static bool finish_op(struct cg_op *op) {
    if (op->kind != CG_ARITH) {
        return true;
    }
    if (op->op == ISA_OP_MOV && op->xop == ISA_XOP_OWN && !op->saturate && !cg_is_typed(op) &&
        op->src[0].file == CG_FILE_GPR && op->dest_file == CG_FILE_GPR && !op->src[0].indexed &&
        !op->dest_indexed && !op->src[0].neg && op->src[0].reg == op->dest) {
        for (unsigned c = 0; c < 4; c++) {
            if (op->src[0].sel[c] == c) {
                op->mask &= (uint8_t) ~(1u << c);
            }
        }
        return op->mask != 0;
    }
    if (op->src_count == 2) {
        op->tied = in_place(op, &op->src[1]);
        if (!op->tied && op->is_commutative && in_place(op, &op->src[0])) {
            struct cg_src swap = op->src[0];
            op->src[0] = op->src[1];
            op->src[1] = swap;
            op->tied = true;
        }
    }
    return true;
}

/* False when the operation does nothing any more. */
static bool rewrite_op(struct cg *cg, struct cg_op *op) {
    static const uint8_t in_order[4] = {0, 1, 2, 3};
    const unsigned mask = op->mask;
    uint8_t place_of[4];
    memcpy(place_of, in_order, sizeof place_of);
    if (op->dest_file == CG_FILE_VREG) {
        memcpy(place_of, cg->vregs[op->dest].phys, sizeof place_of);
        op->dest = cg->vregs[op->dest].reg;
        op->dest_file = CG_FILE_GPR;
        note_gpr(cg, op->dest);
        op->mask = 0;
        for (unsigned c = 0; c < 4; c++) {
            op->mask |= (uint8_t)((mask >> c & 1u) << place_of[c]);
        }
    } else if (op->dest_file == CG_FILE_ARRAY) {
        op->dest += cg->array_base;
        op->dest_file = CG_FILE_GPR;
        if (op->dest_indexed) {
            rewrite_index(cg, &op->dest_index, &op->dest_index_comp);
        }
    }
    /* Coordinates and gradients count components themselves, a sampler index has one. */
    const bool is_arith = op->kind == CG_ARITH, own_order = is_arith && !cg_packs(op);
    for (unsigned s = 0; s < 4; s++) {
        if (op->src[s].file != CG_FILE_NONE) {
            rewrite_src(cg, &op->src[s], own_order ? mask : s == 3 ? 1 : 15, own_order ? place_of : in_order);
        }
    }
    if (op->pred.file != CG_FILE_NONE) {
        rewrite_src(cg, &op->pred, is_arith ? mask : 1, is_arith ? place_of : in_order);
    }
    return finish_op(op);
}

static void rewrite(struct cg *cg) {
    uint32_t kept = 0;
    for (uint32_t b = 0; b < cg->block_count; b++) {
        uint32_t first = kept;
        for (uint32_t i = cg->blocks[b].first; i < cg->blocks[b].end; i++) {
            struct cg_op *op = &cg->ops[kept];
            if (kept != i) {
                *op = cg->ops[i];
            }
            kept += rewrite_op(cg, op);
        }
        cg->blocks[b].first = first;
        cg->blocks[b].end = kept;
    }
    cg->op_count = kept;
}

bool cg_allocate(struct cg *cg) {
    struct alloc alloc = {.cg = cg};
    arena_reset(&cg->scratch);
    alloc.webs = arena_array(&cg->scratch, cg->vreg_count + 1, sizeof *alloc.webs);
    if (!alloc.webs || !clear_file(&alloc, ISA_DIRECT)) {
        cg_fail(cg, "out of memory");
        return false;
    }
    weigh(cg);
    for (uint32_t v = 0; v < cg->vreg_count; v++) {
        uint32_t root = cg_find_web(cg, v, NULL);
        if (root != v) {
            cg->vregs[root].weight += cg->vregs[v].weight;
            continue;
        }
        struct cg_vreg *web = &cg->vregs[v];
        web->first = UINT32_MAX;
        for (unsigned s = 0; s < 4; s++) {
            if (web->ranges[s].count && web->ranges[s].items[0].start < web->first) {
                web->first = web->ranges[s].items[0].start;
            }
        }
        if (has_ranges(web)) {
            alloc.webs[alloc.web_count++] = v;
        } else {
            web->reg = 0;
            for (unsigned s = 0; s < 4; s++) {
                web->phys[s] = (uint8_t)s;
            }
        }
    }
    uint32_t need = (pressure(&alloc) + 3) / 4;
    alloc.limit = need + need / 4 + 10 > ISA_DIRECT ? ISA_DIRECT : need + need / 4 + 10;
    bool done = need <= ISA_DIRECT && sort_by_appearance(&alloc) && allocate_round(&alloc);
    if (!done && need <= ISA_DIRECT && cg_has_memory(cg)) {
        done = clear_file(&alloc, ISA_DIRECT) && sort_webs(&alloc, BY_SIZE) && allocate_tight(&alloc);
    }
    if (!done && cg_has_memory(cg)) {
        done = clear_file(&alloc, ISA_GPRS) && sort_webs(&alloc, BY_WEIGHT) && allocate_spilling(&alloc);
    }
    if (!done) {
        cg_fail(cg, "out of memory");
        return false;
    }
    uint32_t top = cg->has_scratch ? ISA_DIRECT : 0;
    for (uint32_t i = 0; i < alloc.web_count; i++) {
        uint32_t reg = cg->vregs[alloc.webs[i]].reg;
        top = reg + 1 > top ? reg + 1 : top;
    }
    cg->array_base = top;
    if (top + cg->array_regs > ISA_GPRS) {
        cg_fail(cg, "too many registers: arrays and live values exceed the register file");
        return false;
    }
    spread_places(cg);
    rewrite(cg);
    note_gpr(cg, top + cg->array_regs ? top + cg->array_regs - 1 : 0);
    return !cg->failed;
}
