/* SPDX-License-Identifier: MIT */
/*
 * The warp machine by hand: small traces whose clocks were counted on paper, and each scheduler asked directly. A warp
 * issues in rotations of 8 clocks; a load's first line is looked at one clock after its issue.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/harness/check.h"
#include "tests/simd/vmrun.h"
#include "vm/model/sim.h"

/* A trace of 'lanes' lanes of a program whose input r0.x is lane * step. */
static struct sim_trace *make(const char *text, unsigned lanes, float step) {
    struct vliw_image *image = vmrun_assemble(text);
    struct vliw_program *p = NULL;
    struct vliw_error error;
    struct sim_result result;
    static float input[VM_LANES];
    static uint32_t words[65536];
    const float *inputs[4] = {input, input, input, input};
    struct vliw_memory memory = {words, 65536};
    struct sim_trace *t = sim_trace_create();
    struct sim_trace_batch b = {.inputs = inputs};
    b.active.w[0] = lanes >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << lanes) - 1;
    for (unsigned i = 0; i < VM_LANES; i++) {
        input[i] = (float)i * step;
    }
    CHECK(image != NULL && vliw_program_create(image, &p, &error) == VLIW_OK);
    struct sim_core *core = p != NULL ? sim_core_create(p, NULL, &error) : NULL;
    CHECK(core != NULL);
    if (core != NULL) {
        sim_core_attach(core, &memory, vmrun_sample, NULL);
        CHECK(sim_trace_batch(t, core, &b, &result) && result.status == VLIW_OK);
    }
    sim_core_destroy(core);
    vliw_program_destroy(p);
    vliw_image_destroy(image);
    return t;
}

static const struct sim_scheduler *named(const char *name) {
    unsigned count;
    const struct sim_scheduler *s = sim_schedulers(&count);
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(s[i].name, name) == 0) {
            return &s[i];
        }
    }
    return NULL;
}

static struct sim_warp_config machine(uint32_t warps) {
    struct sim_warp_config c;
    sim_warp_defaults(&c);
    c.cores = 1;
    c.warps = warps;
    c.latency = 200;
    return c;
}

static uint64_t clocks(const struct sim_trace *t, const struct sim_warp_config *c, const char *scheduler) {
    struct sim_warp_result r;
    CHECK(sim_warp_run(t, c, named(scheduler), &r));
    uint64_t stalls = r.issued;
    for (unsigned k = 0; k < SIM_STALLS; k++) {
        stalls += r.stall[k];
    }
    CHECK_EQ_INT(stalls, r.slots);
    return r.clocks;
}

TEST(computation_fills_every_slot) {
    struct sim_trace *t = make("ADD B C\nMUL B C\nEND\n", 32, 0);     /* 4 warps of 3 instructions */
    struct sim_trace_size size;
    sim_trace_size(t, &size);
    CHECK_EQ_INT(size.warps, 4);
    CHECK_EQ_INT(size.instructions, 12);
    CHECK_EQ_INT(size.thread_instructions, 96);
    unsigned count;
    const struct sim_scheduler *s = sim_schedulers(&count);
    for (unsigned i = 0; i < count; i++) {
        for (uint32_t warps = 1; warps <= 4; warps++) {
            struct sim_warp_config c = machine(warps);
            CHECK_EQ_INT(clocks(t, &c, s[i].name), 12 * 8);
        }
    }
    struct sim_warp_config two = machine(2);
    two.cores = 2;
    CHECK_EQ_INT(clocks(t, &two, "lrr"), 6 * 8);
    sim_trace_destroy(t);
}

#define INPUT ".in generic 0 r0\n"

TEST(a_miss_by_hand) {
    /* all lanes of a warp read one line: LD in clock 0, line looked at in 1, there in 201: ADD in 208, END 216, over 224 */
    struct sim_trace *t = make(INPUT "LD B.x [A.x]\nADD C B\nEND\n", 8, 0);
    struct sim_warp_config c = machine(1);
    CHECK_EQ_INT(clocks(t, &c, "lrr"), 224);
    c.blocking = true;
    CHECK_EQ_INT(clocks(t, &c, "gto"), 224);
    sim_trace_destroy(t);
    /* An instruction between load and use runs at once, unless the warp waits at its load. */
    t = make(INPUT "LD B.x [A.x]\nADD D E\nADD C B\nEND\n", 8, 0);
    c = machine(1);
    CHECK_EQ_INT(clocks(t, &c, "lrr"), 224);
    c.blocking = true;
    CHECK_EQ_INT(clocks(t, &c, "lrr"), 232);
    sim_trace_destroy(t);
    /* Eight lanes, eight lines (64 words apart, two of 32 lanes' cache sets): looked at in clocks 1 .. 8, the memory
     * starts one every 4 clocks: the last at 29, there in 229: ADD 232, END 240. */
    t = make(INPUT "LD B.x [A.x]\nADD C B\nEND\n", 8, 64);
    c = machine(1);
    CHECK_EQ_INT(clocks(t, &c, "lrr"), 248);
    /* with one miss in flight each waits for the one before: 8 * 200 + 1 = 1601: ADD 1608 */
    c.outstanding = 1;
    CHECK_EQ_INT(clocks(t, &c, "lrr"), 1624);
    sim_trace_destroy(t);
}

TEST(a_second_warp_hides_latency) {
    /* Warp 0: LD 0. Warp 1: LD 8, the same line, there in 201. ADDs in 208 and 216, ENDs in 224 and 232. */
    struct sim_trace *t = make(INPUT "LD B.x [A.x]\nADD C B\nEND\n", 16, 0);
    struct sim_warp_result r;
    struct sim_warp_config c = machine(2);
    CHECK_EQ_INT(clocks(t, &c, "lrr"), 240);
    CHECK(sim_warp_run(t, &c, named("lrr"), &r));
    CHECK_EQ_INT(r.misses, 1);
    CHECK_EQ_INT(r.merged, 1);
    CHECK_EQ_INT(r.stall[SIM_STALL_DATA], 24);        /* rotations at 16 .. 200 */
    /* One at a time: the second finds the line in the cache: LD 224, ready 225 + 16 = 241: ADD 248, END 256. */
    c.warps = 1;
    CHECK_EQ_INT(clocks(t, &c, "lrr"), 264);
    CHECK(sim_warp_run(t, &c, named("lrr"), &r));
    CHECK_EQ_INT(r.hits, 1);
    /* Greedy stays with the older warp when both are ready: ADD, END of one, then of the other; the same time here. */
    c.warps = 2;
    CHECK_EQ_INT(clocks(t, &c, "gto"), 240);
    sim_trace_destroy(t);
}

TEST(strict_round_robin_loses_slots) {
    /* Warp 0 waits from 16 on, but every other slot stays its own: warp 1 computes in half of them. */
    struct sim_trace *t = make(INPUT "PRED NZ A.x(0) | BL work\nLD B.x [A.y]\nADD C B\nEND\nwork: ADD D E\nADD D E\nADD D E\nADD D E\nEND\n",
                               16, 0);
    struct sim_warp_config c = machine(2);
    CHECK(clocks(t, &c, "rr") >= clocks(t, &c, "lrr"));
    sim_trace_destroy(t);
}

/* ---- Schedulers asked directly ---- */

#define COUNT 4u

struct question {
    struct sim_sched_state state;
    struct sim_warp_config config;
    struct sim_warp_view warp[COUNT];
};

/* All present and ready to compute, launched in the order of their ids. */
static struct question ask(void) {
    struct question q;
    memset(&q, 0, sizeof q);
    sim_warp_defaults(&q.config);
    for (unsigned i = 0; i < COUNT; i++) {
        q.warp[i] = (struct sim_warp_view){.present = true, .ready = true, .age = i};
    }
    return q;
}

static int pick(struct question *q, const char *name, bool stalled, uint64_t now) {
    return named(name)->pick(&q->state, &q->config, q->warp, COUNT, stalled, now);
}

TEST(baselines_pick_as_they_say) {
    struct question q = ask();
    q.warp[1].ready = false;
    CHECK_EQ_INT(pick(&q, "rr", false, 0), 0);
    CHECK_EQ_INT(pick(&q, "rr", false, 8), -1);       /* warp 1's slot */
    CHECK_EQ_INT(pick(&q, "rr", false, 16), 2);
    q = ask();
    q.warp[1].ready = false;
    q.state.last = 0;
    CHECK_EQ_INT(pick(&q, "lrr", false, 0), 2);
    CHECK_EQ_INT(pick(&q, "lrr", false, 8), 3);
    CHECK_EQ_INT(pick(&q, "lrr", false, 16), 0);
    q = ask();
    q.state.last = 2;
    CHECK_EQ_INT(pick(&q, "gto", false, 0), 2);       /* greedy */
    q.warp[2].ready = false;
    q.warp[3].age = 0;
    q.warp[0].age = 3;
    CHECK_EQ_INT(pick(&q, "gto", false, 0), 3);       /* then oldest */
    q = ask();
    q.config.active = 2;
    int first = pick(&q, "two-level", false, 0), second = pick(&q, "two-level", false, 8);
    CHECK(first != second);
    CHECK_EQ_INT(pick(&q, "two-level", false, 16), first);           /* only two take turns */
    q.warp[first].waits = true;
    q.warp[first].ready = false;
    int third = pick(&q, "two-level", false, 24), fourth = pick(&q, "two-level", false, 32);
    CHECK(third != first && fourth != first && third != fourth && (third == second || fourth == second));
}

TEST(memory_first_by_its_claims) {
    struct question q = ask();
    q.config.long_latency = 100;
    q.config.long_wait = 50;
    /* 1, 11: a memory instruction of long latency before computation */
    q.warp[2].memory = true;
    q.warp[2].latency = 100;
    CHECK_EQ_INT(pick(&q, "memory-first", false, 0), 2);
    /* below the first threshold it is like computation: by warp id (6, 7, 16, 17) */
    q.warp[2].latency = 99;
    CHECK_EQ_INT(pick(&q, "memory-first", false, 0), 0);
    /* 5, 15: a stall of the memory pipeline leaves the slot to computation */
    q.warp[2].latency = 100;
    CHECK_EQ_INT(pick(&q, "memory-first", true, 0), 0);
    /* 9, 19: by latency ... */
    q.warp[3].memory = true;
    q.warp[3].latency = 300;
    q.warp[2].assigned = 10;
    q.warp[3].assigned = 20;
    CHECK_EQ_INT(pick(&q, "memory-first", false, 40), 3);
    /* 2, 12: ... but who waits for the second threshold comes first of all */
    CHECK_EQ_INT(pick(&q, "memory-first", false, 60), 2);
    /* 3, 4, 13, 14: of those, in the order of their assigned time */
    CHECK_EQ_INT(pick(&q, "memory-first", false, 500), 2);
    q.warp[2].assigned = 30;
    CHECK_EQ_INT(pick(&q, "memory-first", false, 500), 3);
    /* 8, 18: computation by recency bits: who issued lately goes on */
    q = ask();
    q.config.recency = 1;
    CHECK_EQ_INT(pick(&q, "memory-first", false, 0), 0);
    q.warp[0].ready = false;
    CHECK_EQ_INT(pick(&q, "memory-first", false, 8), 1);
    q.warp[0].ready = true;
    CHECK_EQ_INT(pick(&q, "memory-first", false, 16), 1);            /* by id it would be 0 */
    q.config.recency = 0;
    q.state.recent = 0;
    CHECK_EQ_INT(pick(&q, "memory-first", false, 24), 0);
    /* 10, 20: separate buffers: with room for one computation, the earliest assigned holds it until it issues */
    q = ask();
    q.config.compute_buffer = 1;
    q.warp[0].assigned = 9;
    q.warp[1].assigned = 5;
    q.warp[2].assigned = q.warp[3].assigned = 7;
    CHECK_EQ_INT(pick(&q, "memory-first", false, 16), 1);
    q.warp[1].ready = false;
    CHECK_EQ_INT(pick(&q, "memory-first", false, 24), -1);
    q.warp[1].present = false;
    CHECK_EQ_INT(pick(&q, "memory-first", false, 32), 2);
    CHECK(named("memory-first")->patented);
}

TEST(senseless_machines_are_refused) {
    struct sim_warp_config c;
    sim_warp_defaults(&c);
    CHECK(sim_warp_config_fault(&c) == NULL);
    c.warps = 65;
    CHECK(sim_warp_config_fault(&c) != NULL);
    sim_warp_defaults(&c);
    c.cache_bytes = 1000;
    CHECK(sim_warp_config_fault(&c) != NULL);
    sim_warp_defaults(&c);
    c.outstanding = 0;
    CHECK(sim_warp_config_fault(&c) != NULL);
}
