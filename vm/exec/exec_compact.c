/* SPDX-License-Identifier: MIT */
/*
 * Lanes that go on in a loop which most have left move together, so that they take fewer passes: the homes that the
 * loop touches are copied to the low lanes of the second register file, the loop runs there, and when all have left it
 * (or still fewer are in it) what it wrote goes back. Nothing that a lane computes changes; who meets whom is decided by
 * blocks alone, as before. In loops with derivatives or textures whole quads move, those lanes of them included that
 * have left: their neighbours still read them.
 *
 * When: nobody knows how long the rest will take, so as much is assumed as the loop has taken already. Once what that
 * would save exceeds what the moves cost, the lanes move.
 */
#include "vm/exec/exec_run.h"

/* Clocks, roughly: of an instruction in a long and in a short pass, of moving, of a slot of a lane there and back. */
enum { LONG_PASS = 12, SHORT_PASS = 5, MOVE = 1000, MOVE_SLOT = 3 };

static struct vliw_mask first_lanes(unsigned count) {
    struct vliw_mask m;
    for (unsigned i = 0; i < VM_MASK_WORDS; i++) {
        m.w[i] = count >= 64 * (i + 1) ? ~0ull : count > 64 * i ? (1ull << (count - 64 * i)) - 1 : 0;
    }
    return m;
}

/* Clocks of an instruction for these lanes. */
static int64_t cost(const struct vm_kernel *kernel, const struct vliw_mask *lanes) {
    uint32_t passes;
    int64_t wide = (int64_t)vm_find_passes(kernel, lanes, VM_LANES, &passes) * LONG_PASS;
    int64_t narrow = (int64_t)vm_find_passes(kernel->narrow, lanes, VM_LANES, &passes) * SHORT_PASS;
    return narrow < wide ? narrow : wide;
}

/* Lanes that wait within the loop; whole quads of them if the loop moves quads. */
static struct vliw_mask lanes_in(const struct runner *r, const struct vm_loop *loop) {
    struct vliw_mask m = {{0}};
    for (uint32_t i = 0; i < r->wait_count && r->wait[i].block <= loop->last; i++) {
        for (int k = 0; k < VM_MASK_WORDS; k++) {
            m.w[k] |= r->wait[i].lanes.w[k];
        }
    }
    for (int k = 0; loop->quads && k < VM_MASK_WORDS; k++) {
        uint64_t q = m.w[k] | m.w[k] >> 1;
        m.w[k] = ((q | q >> 2) & 0x1111111111111111ull) * 15;
    }
    return m;
}

/* ---- Moves ---- */

static void move_lanes(struct runner *r, const struct vliw_mask *lanes) {
    struct moved *m = &r->moved;
    m->count = 0;
    for (unsigned i = 0; i < VM_MASK_WORDS; i++) {
        for (uint64_t rest = lanes->w[i]; rest != 0; rest &= rest - 1) {
            m->from[m->count++] = (uint8_t)(64 * i + bits_ctz64(rest));
        }
    }
    char *to = m->regs + (((size_t)r->program->slots + 1) << VM_SLOT_SHIFT);
    for (uint32_t k = 0; k < m->loop->slot_count; k++) {
        const float *s = (const float *)(const void *)(m->regs + ((size_t)m->loop->slots[k] << VM_SLOT_SHIFT));
        float *d = (float *)(void *)(to + ((size_t)m->loop->slots[k] << VM_SLOT_SHIFT));
        for (unsigned i = 0; i < m->count; i++) {
            d[i] = s[m->from[i]];
        }
    }
    r->frame.regs = to;
}

/* The mask of moved lanes in the lanes' own places, and the other way round. */
static struct vliw_mask placed(const struct moved *m, const struct vliw_mask *lanes) {
    struct vliw_mask own = {{0}};
    for (unsigned i = 0; i < m->count; i++) {
        uint64_t bit = lanes->w[i / 64] >> i % 64 & 1u;
        own.w[m->from[i] / 64] |= bit << m->from[i] % 64;
    }
    return own;
}
static struct vliw_mask gathered(const struct moved *m, const struct vliw_mask *own) {
    struct vliw_mask lanes = {{0}};
    for (unsigned i = 0; i < m->count; i++) {
        lanes.w[i / 64] |= (own->w[m->from[i] / 64] >> m->from[i] % 64 & 1u) << i % 64;
    }
    return lanes;
}

/* Moves the lanes in which the waiting groups of the loop are. */
static void pack(struct runner *r, const struct vm_loop *loop) {
    struct moved *m = &r->moved;
    const struct vliw_mask lanes = lanes_in(r, loop);
    uint32_t inside = 0;
    m->loop = loop;
    m->regs = r->frame.regs;
    m->whole = r->whole;
    move_lanes(r, &lanes);
    while (inside < r->wait_count && r->wait[inside].block <= loop->last) {
        r->wait[inside].lanes = gathered(m, &r->wait[inside].lanes);
        inside++;
    }
    m->wait_count = r->wait_count - inside;
    memcpy(m->wait, &r->wait[inside], m->wait_count * sizeof m->wait[0]);
    r->wait_count = inside;
    r->whole = first_lanes(m->count);
    int32_t *counts = r->count;
    memcpy(m->counts, counts, sizeof m->counts);
    for (unsigned i = 0; i < m->count; i++) {
        counts[i] = m->counts[m->from[i]];
    }
    r->loop_start = r->nest_start = r->bound;
}

/* All back: what the loop wrote, counts, waiting groups. */
static void unpack(struct runner *r) {
    struct moved *m = &r->moved;
    int32_t *counts = r->count;
    for (uint32_t k = 0; k < m->loop->written; k++) {
        size_t at = (size_t)m->loop->slots[k] << VM_SLOT_SHIFT;
        const float *s = (const float *)(const void *)(r->frame.regs + at);
        float *d = (float *)(void *)(m->regs + at);
        for (unsigned i = 0; i < m->count; i++) {
            d[m->from[i]] = s[i];
        }
    }
    for (unsigned i = 0; i < m->count; i++) {
        m->counts[m->from[i]] = counts[i];
    }
    memcpy(counts, m->counts, sizeof m->counts);
    struct waiting wait[VM_LANES];
    const uint32_t wait_count = r->wait_count;
    memcpy(wait, r->wait, wait_count * sizeof wait[0]);
    memcpy(r->wait, m->wait, m->wait_count * sizeof m->wait[0]);
    r->wait_count = m->wait_count;
    r->whole = m->whole;
    r->frame.regs = m->regs;
    for (uint32_t i = 0; i < wait_count; i++) {
        const struct vliw_mask own = placed(m, &wait[i].lanes);
        vm_wait_at(r, wait[i].block, &own);
    }
    m->loop = NULL;
    r->loop_start = r->nest_start = r->bound;
}

/* ---- When ---- */

/* How many more instructions the loop must take before the move of these lanes pays; INT64_MAX: it never does. */
static int64_t pays_in(const struct runner *r, const struct vm_loop *loop, int64_t start) {
    const struct vliw_mask lanes = lanes_in(r, loop);
    const unsigned count = mask_count(&lanes);
    const struct vliw_mask dense = first_lanes(count);
    int64_t now = cost(r->program->kernel, &lanes), then = cost(r->program->kernel, &dense);
    if (then * 2 > now) {
        return INT64_MAX;
    }
    int64_t move = MOVE + (int64_t)count * (loop->slot_count + loop->written) * MOVE_SLOT / 2;
    int64_t more = move / (now - then) + 1 - (r->bound - start);
    return more > 0 ? more : 0;
}

/* Instructions between two looks: what the cheapest move would have to save. */
static int64_t least(const struct vm_kernel *kernel) { return 2 * MOVE / (kernel->passes * LONG_PASS); }

/* So many lanes, or less, could do with fewer passes if they stood together. */
static unsigned few(const struct runner *r) {
    const struct vm_kernel *kernel = r->program->kernel;
    const unsigned all = r->moved.loop != NULL ? r->moved.count : VM_LANES, short_pass = kernel->narrow->pass_lanes;
    return all > kernel->pass_lanes ? all / 2 : all > short_pass ? short_pass : 0;
}

/* Notes which loops the lowest group is in. */
static void enter(struct runner *r) {
    const struct vliw_program *p = r->program;
    const uint32_t number = p->blocks[r->wait[0].block].loop;
    const struct vm_loop *loop = r->moved.loop != NULL ? r->moved.loop : number != 0 ? &p->loops[number - 1] : NULL;
    const struct vm_loop *nest = loop != NULL ? &p->loops[loop->outermost] : NULL;
    if (nest != r->nest) {
        r->nest = nest;
        r->nest_start = r->bound;
        r->next_look = r->bound + least(p->kernel);
    }
    if (loop != r->loop) {
        r->loop = loop;
        r->loop_start = r->bound;
    }
}

void vm_compact(struct runner *r) {
    const bool tight = r->exact || r->budget - r->bound < 2 * (int64_t)r->program->info.instructions;
    r->look = 0;
    if (r->moved.loop != NULL && (tight || r->wait[0].block > r->moved.loop->last)) {
        unpack(r);
    }
    enter(r);
    if (r->loop == NULL || tight) {
        return;
    }
    if (r->bound < r->next_look) {      /* what most splits come to */
        r->look = mask_count(&r->wait[0].lanes) <= few(r) ? r->next_look - r->bound : 0;
        return;
    }
    const struct vm_loop *loop = r->moved.loop != NULL ? r->loop : r->nest;      /* the larger one first */
    int64_t more = pays_in(r, loop, loop == r->nest ? r->nest_start : r->loop_start);
    if (more != 0 && loop != r->loop) {
        int64_t inner = pays_in(r, r->loop, r->loop_start);
        loop = inner < more ? r->loop : loop;
        more = inner < more ? inner : more;
    }
    if (more == 0) {
        if (r->moved.loop != NULL) {      /* fewer than before: move what is left */
            unpack(r);
        }
        pack(r, loop);
        r->loop = loop;
        more = least(r->program->kernel);
    } else if (more == INT64_MAX) {
        more = least(r->program->kernel);
    } else {
        r->look = more;
    }
    r->next_look = r->bound + more;
}
