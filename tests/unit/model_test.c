/* SPDX-License-Identifier: MIT */
/*
 * The dual-phase core by hand: small programs whose clocks were counted on paper, with what each register must hold.
 * A thread issues in every 8th clock and an instruction takes 8 stages, so T threads that use K issue slots each
 * need 8 K + T - 1 clocks when nobody waits. A load that answers L clocks after execute 3 costs its thread
 * ceil((L - 2) / 8) further rotations of 8 clocks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/check.h"
#include "tests/simd/vmrun.h"
#include "vm/base/bits.h"
#include "vm/exec/exec.h"
#include "vm/isa/ports.h"
#include "vm/isa/rules.h"
#include "vm/isa/word.h"
#include "vm/model/sim.h"

struct machine {
    struct vliw_program *program;
    struct sim_core *core;
    struct sim_result result;
    struct vliw_memory memory;
    uint32_t words[256];
};

static bool build(struct machine *m, const char *text, struct sim_config config) {
    struct vliw_image *image = vmrun_assemble(text);
    struct vliw_error error;
    memset(m, 0, sizeof *m);
    if (image == NULL) {
        return false;
    }
    if (vliw_program_create(image, &m->program, &error) != VLIW_OK) {
        check_failf(__FILE__, __LINE__, "%s", error.message);
    }
    vliw_image_destroy(image);
    m->core = m->program != NULL ? sim_core_create(m->program, &config, &error) : NULL;
    if (m->program != NULL && m->core == NULL) {
        check_failf(__FILE__, __LINE__, "%s", error.message);
    }
    if (m->core == NULL) {
        vliw_program_destroy(m->program);
        return false;
    }
    m->memory = (struct vliw_memory){m->words, 256};
    sim_core_attach(m->core, &m->memory, vmrun_sample, NULL);
    return true;
}

static void drop(struct machine *m) {
    sim_core_destroy(m->core);
    vliw_program_destroy(m->program);
}

static void set(struct machine *m, unsigned thread, uint32_t reg, float x, float y, float z, float w) {
    uint32_t *r = sim_core_reg(m->core, thread, reg);
    const float v[4] = {x, y, z, w};
    memcpy(r, v, sizeof v);
}

static float get(struct machine *m, unsigned thread, uint32_t reg, unsigned c) {
    return bits_to_float(sim_core_reg(m->core, thread, reg)[c]);
}

static void run(struct machine *m) { sim_core_run(m->core, &m->result); }

#define CLOCKS(m, slots, threads) CHECK_EQ_INT((m).result.clocks, 8 * (slots) + (threads) - 1)

TEST(straight_line_eight_threads_and_one) {
    const char *text = "MUL A B\nADD A.xy A.zw\nADD A.x A.y\nEND\n";
    struct machine m;
    for (unsigned threads = 1; threads <= 8; threads += 7) {
        if (!build(&m, text, (struct sim_config){.threads = threads})) {
            return;
        }
        for (unsigned t = 0; t < threads; t++) {
            set(&m, t, 0, 1, 2, 3, (float)t);
            set(&m, t, 1, 5, 6, 7, 8);
        }
        run(&m);
        CLOCKS(m, 4, threads);                       /* MUL, ADD, ADD, END */
        CHECK_EQ_INT(m.result.instructions, 4 * threads);
        CHECK_EQ_INT(m.result.use[SIM_ISSUE], 4 * threads);
        CHECK_EQ_INT(m.result.use[SIM_PORT] + m.result.use[SIM_MEMORY], 0);
        for (unsigned t = 0; t < threads; t++) {
            CHECK(get(&m, t, 0, 0) == 38.0f + 8.0f * (float)t);
        }
        drop(&m);
    }
}

TEST(both_phases_read_before_either_writes) {
    struct machine m;
    /* swap in one instruction, then both phases' results feed the next: 3 slots */
    if (!build(&m, "MOV A B | MOV B A\nADD A B | MUL B A\nEND\n", (struct sim_config){.threads = 8})) {
        return;
    }
    for (unsigned t = 0; t < 8; t++) {
        set(&m, t, 0, 3, 3, 3, 3);
        set(&m, t, 1, 10, 20, 30, 40);
    }
    run(&m);
    CLOCKS(m, 3, 8);
    CHECK(get(&m, 5, 0, 1) == 23.0f);                 /* A = 20, B = 3: A + B */
    CHECK(get(&m, 5, 1, 1) == 60.0f);
    drop(&m);
}

TEST(source_override_brings_four_sources_to_phase_1) {
    struct machine m;
    /* phase 1 multiplies r0 and r1, but takes x and w from phase 0's r2 and r3 */
    if (!build(&m, "MOV r4._ r2 - r3 | MUL r5 r0 - r1@xw\nEND\n", (struct sim_config){.threads = 8})) {
        return;
    }
    for (unsigned t = 0; t < 8; t++) {
        set(&m, t, 0, 1, 2, 3, 4);
        set(&m, t, 1, 10, 10, 10, 10);
        set(&m, t, 2, 5, 6, 7, 8);
        set(&m, t, 3, 100, 100, 100, (float)t);
    }
    run(&m);
    CLOCKS(m, 2, 8);
    CHECK(get(&m, 6, 5, 0) == 500.0f);
    CHECK(get(&m, 6, 5, 1) == 20.0f);
    CHECK(get(&m, 6, 5, 2) == 30.0f);
    CHECK(get(&m, 6, 5, 3) == 48.0f);
    drop(&m);
}

TEST(a_fifth_register_takes_a_second_slot) {
    struct machine m;
    /* reads r0 r1 | r2 r3: fits. With a predicate's r4 as well: 5 registers, 2 slots. r4 named before: 1. */
    if (!build(&m, "ADD r5 r0 - r1 | MUL r6 r2 - r3\nPRED GE r4.x ADD r0 r1 | MUL r6 r2 - r3\n"
                   "PRED GE r0.x ADD r0 r1 | MUL r6 r2 - r3\nEND\n", (struct sim_config){.threads = 8})) {
        return;
    }
    for (unsigned t = 0; t < 8; t++) {
        set(&m, t, 1, 1, 1, 1, 1);
        set(&m, t, 2, 2, 2, 2, 2);
        set(&m, t, 3, (float)t, 4, 4, 4);
    }
    run(&m);
    CHECK_EQ_INT(sim_core_slots(m.core, 0), 1);
    CHECK_EQ_INT(sim_core_slots(m.core, 4), 2);
    CHECK_EQ_INT(sim_core_slots(m.core, 8), 1);
    CLOCKS(m, 5, 8);
    CHECK_EQ_INT(m.result.use[SIM_PORT], 8);
    CHECK_EQ_INT(m.result.use[SIM_ISSUE], 32);
    CHECK(get(&m, 7, 0, 0) == 2.0f);
    CHECK(get(&m, 7, 6, 0) == 14.0f);
    drop(&m);
}

TEST(the_papers_loop_runs_a_hundred_times) {
    struct machine m;
    if (!build(&m, "loop: CMP B.x A.x(0) - A.z(1) | ADD A.x A.y(0)\n PRED GE B.x(0) | BL R out\n"
                   " ADD C.x A.x\n BL R loop\nout: END\n", (struct sim_config){.threads = 8})) {
        return;
    }
    for (unsigned t = 0; t < 8; t++) {
        set(&m, t, 0, 0, 1, 100, 0);
    }
    run(&m);
    CLOCKS(m, 100 * 4 + 2 + 1, 8);                    /* 100 rounds of 4, the last test and branch, END */
    CHECK(get(&m, 3, 0, 0) == 101.0f);
    CHECK(get(&m, 3, 2, 0) == 5050.0f);               /* the body sees 1 .. 100 */
    drop(&m);
}

TEST(conditional_indirect_branch_in_one_slot) {
    struct machine m;
    /* threads with a negative A.x go to B.x + 4: unit 6; the others fall through to unit 3 */
    if (!build(&m, "PRED N A.x(0) ADDR B.x(0) | BL D 4\nMOV C D\nMOV C E\nEND\nMOV C F\nEND\n",
               (struct sim_config){.threads = 8})) {
        return;
    }
    for (unsigned t = 0; t < 8; t++) {
        set(&m, t, 0, t & 1 ? -1 : 1, 0, 0, 0);
        set(&m, t, 1, 2, 0, 0, 0);
        set(&m, t, 4, 4, 4, 4, 4);
        set(&m, t, 5, 5, 5, 5, 5);
    }
    run(&m);
    CLOCKS(m, 4, 7);              /* thread 6 is the last: branch, MOV, MOV, END; thread 7 has ended before */
    CHECK_EQ_INT(m.result.instructions, 4 * 4 + 4 * 3);
    CHECK(get(&m, 0, 2, 0) == 4.0f);
    CHECK(get(&m, 1, 2, 0) == 5.0f);
    drop(&m);
}

TEST(calls_nested_two_deep_and_back) {
    struct machine m;
    if (!build(&m, "CALL one\nADD B.x C.x\nEND\none: CALL two\nADD B.x C.x\nRETURN\ntwo: ADD B.y C.x\nRETURN\n",
               (struct sim_config){.threads = 8})) {
        return;
    }
    for (unsigned t = 0; t < 8; t++) {
        set(&m, t, 2, 1, 1, 1, 1);
    }
    run(&m);
    CLOCKS(m, 8, 8);              /* CALL CALL ADD RETURN ADD RETURN ADD END */
    CHECK(get(&m, 4, 1, 0) == 2.0f && get(&m, 4, 1, 1) == 1.0f);
    drop(&m);
}

TEST(a_load_costs_whole_rotations) {
    static const struct { uint32_t latency, rotations; } row[] = {{0, 0}, {2, 0}, {3, 1}, {10, 1}, {11, 2}, {18, 2}, {100, 13}};
    struct machine m;
    for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++) {
        if (!build(&m, "LD B.xy [A.x+1]\nADD B.x B.y\nEND\n", (struct sim_config){.latency = row[i].latency})) {
            return;
        }
        for (unsigned t = 0; t < 8; t++) {
            set(&m, t, 0, (float)t, 0, 0, 0);
        }
        for (unsigned w = 0; w < 64; w++) {
            m.words[w] = bits_from_float((float)w);
        }
        run(&m);
        CLOCKS(m, 3 + row[i].rotations, 8);
        CHECK_EQ_INT(m.result.use[SIM_MEMORY], 8 * row[i].rotations);
        CHECK(get(&m, 5, 1, 0) == 9.0f + 10.0f);
        drop(&m);
    }
}

TEST(one_request_at_a_time) {
    struct machine m;
    /* Thread t sends in clock t + 6; each request keeps the memory busy for 20 clocks, so the request of thread t is
     * accepted at 6 + 20 t and answers at 26 + 20 t. Thread 7: answer at 166, its write clocks are 7 + 7 and 7 + 8
     * modulo 8: 166 is one. It goes on in its slot at 167 (= 7 + 160): MOV, then END at 175, whose last stage is 182. */
    if (!build(&m, "LD B.x [A.x]\nMOV C B\nEND\n", (struct sim_config){.latency = 20, .outstanding = 1})) {
        return;
    }
    run(&m);
    CHECK_EQ_INT(m.result.clocks, 183);
    drop(&m);
}

TEST(a_third_result_waits_for_a_port) {
    struct machine m;
    /* phase 0 and phase 1 write in their clocks; the load's answer takes the next rotation's */
    if (!build(&m, "MOV B C | MOV D E LD F.x [A.x]\nADD F.x F.x\nEND\n", (struct sim_config){.threads = 8})) {
        return;
    }
    m.words[0] = bits_from_float(21.0f);
    run(&m);
    CHECK_EQ_INT(sim_core_slots(m.core, 0), 2);
    CLOCKS(m, 4, 8);
    CHECK(get(&m, 2, 5, 0) == 42.0f);
    drop(&m);
}

TEST(a_load_that_a_predicate_stops_costs_nothing) {
    struct machine m;
    if (!build(&m, "PRED N A.x(0) | LD B.x [A.y]\nMOV C B\nEND\n", (struct sim_config){.latency = 50})) {
        return;
    }
    set(&m, 2, 0, -1, 0, 0, 0);
    m.words[0] = bits_from_float(7.0f);
    run(&m);
    CHECK_EQ_INT(m.result.loads, 1);
    CLOCKS(m, 3 + 6, 3);                              /* thread 2 alone sleeps: ceil(48 / 8) */
    CHECK(get(&m, 2, 2, 0) == 7.0f && get(&m, 3, 2, 0) == 0.0f);
    drop(&m);
}

TEST(asynchronous_loads_need_a_wait) {
    struct machine m;
    for (unsigned waits = 0; waits < 2; waits++) {
        if (!build(&m, waits ? "LD B.x [A.x]\nADD C.x C.x\nWAIT 1\nMOV D B\nEND\n" : "LD B.x [A.x]\nADD C.x C.x\nMOV D B\nEND\n",
                   (struct sim_config){.latency = 18, .asynchronous = true})) {
            return;
        }
        m.words[0] = bits_from_float(7.0f);
        run(&m);
        /* with: LD, ADD, WAIT, then the answer is there (2 rotations after the LD's own): nobody sleeps */
        CHECK(get(&m, 1, 3, 0) == (waits ? 7.0f : 0.0f));
        CHECK_EQ_INT(m.result.hazards, waits ? 0 : 8);
        CLOCKS(m, waits ? 5 : 4, 8);
        drop(&m);
    }
}

TEST(threads_sleep_until_one_wakes_them) {
    struct machine m;
    /* The host starts thread 0; 1..7 sleep in WAIT until it has done its 2 ADDs and the WAKE. */
    if (!build(&m, "WAIT 2\nMVS B.x THREAD\nPRED NZ B.x(0) | BL rest\nADD A.x C.x\nADD A.x C.x\nrest: WAKE 2\nEND\n",
               (struct sim_config){.threads = 8, .waiting = 2})) {
        return;
    }
    run(&m);
    /* Thread 0: WAIT MVS BL ADD ADD WAKE END, WAKE in clock 40 and its execute 1 in 44; threads 1..3 have had their
     * slots of this rotation (41, 42, 43), 4..7 go on in it. Thread 3: MVS in 51, BL 59, WAKE 67, END 75, 83 clocks. */
    CHECK_EQ_INT(m.result.clocks, 83);
    CHECK_EQ_INT(m.result.instructions, 7 + 7 * 5);
    CHECK_EQ_INT(m.result.use[SIM_WAIT], 7 * 4 + 3);  /* rotations 1 to 4, and for three threads the fifth */
    drop(&m);
}

TEST(nobody_left_to_wake_is_a_stop) {
    struct machine m;
    if (!build(&m, "WAIT 2\nEND\n", (struct sim_config){.threads = 8, .waiting = 2})) {
        return;
    }
    run(&m);
    CHECK_EQ_INT(m.result.status, VLIW_ERR_BUDGET);
    CHECK(m.result.note != NULL);
    drop(&m);
}

TEST(the_scratch_counter_gives_each_thread_another_index) {
    struct machine m;
    if (!build(&m, "MVS A.x SCRATCH\nMVS A.y SCRATCH\nEND\n", (struct sim_config){.threads = 8})) {
        return;
    }
    run(&m);
    for (unsigned t = 0; t < 8; t++) {
        CHECK(get(&m, t, 0, 0) == (float)t && get(&m, t, 0, 1) == (float)(t + 8));
    }
    drop(&m);
}

TEST(derivatives_exchange_operands_in_the_quad) {
    struct machine m;
    if (!build(&m, ".stage fragment\nDDX B A\nDDY C A\nEND\n", (struct sim_config){.threads = 8})) {
        return;
    }
    for (unsigned t = 0; t < 8; t++) {
        set(&m, t, 0, (float)(t * t), 0, 0, 0);
    }
    run(&m);
    CLOCKS(m, 3, 8);
    CHECK_EQ_INT(m.result.use[SIM_GHOST] + m.result.use[SIM_QUAD], 0);
    CHECK(get(&m, 0, 1, 0) == 1.0f && get(&m, 1, 1, 0) == 1.0f);     /* 1 - 0 */
    CHECK(get(&m, 2, 1, 0) == 5.0f && get(&m, 7, 1, 0) == 13.0f);    /* 9 - 4, 49 - 36 */
    CHECK(get(&m, 1, 2, 0) == 8.0f && get(&m, 4, 2, 0) == 20.0f);    /* 9 - 1, 36 - 16 */
    drop(&m);
}

TEST(a_parted_quad_waits_and_lends_its_registers) {
    struct machine m;
    /* lanes 1 of each quad skip the derivative: in its slot the quad operation reads its registers (a ghost) */
    if (!build(&m, ".stage fragment\nPRED NZ A.y(0) | BL over\nDDX B A\nMOV A A.z\nover: DDY C A\nEND\n",
               (struct sim_config){.threads = 8})) {
        return;
    }
    for (unsigned t = 0; t < 8; t++) {
        set(&m, t, 0, (float)(t * t), t % 4 == 1, -2, 0);
    }
    run(&m);
    CLOCKS(m, 5, 8);                                  /* BL, DDX, MOV, DDY, END */
    CHECK_EQ_INT(m.result.use[SIM_GHOST], 2);         /* DDX, in two quads */
    CHECK_EQ_INT(m.result.use[SIM_QUAD], 2);          /* MOV */
    CHECK(get(&m, 0, 1, 0) == 1.0f && get(&m, 1, 1, 0) == 0.0f);
    CHECK(get(&m, 1, 2, 0) == -3.0f && get(&m, 0, 2, 0) == 0.0f);    /* lane 3 - lane 1 = -2 - 1 */
    drop(&m);
}

TEST(a_texture_read_in_time_and_late) {
    static const struct { uint32_t latency, rotations; } row[] = {{0, 0}, {2, 0}, {20, 3}};
    struct machine m;
    for (unsigned i = 0; i < 3; i++) {
        if (!build(&m, ".stage fragment\n.sampler s0 tex2d\nTEX B A s0\nADD C B\nEND\n", (struct sim_config){.latency = row[i].latency})) {
            return;
        }
        for (unsigned t = 0; t < 8; t++) {
            set(&m, t, 0, (float)t, 8, 0, 0);
        }
        run(&m);
        CLOCKS(m, 3 + row[i].rotations, 8);
        CHECK_EQ_INT(m.result.texture_reads, 8);
        CHECK(get(&m, 6, 2, 0) == 3.0f && get(&m, 6, 2, 1) == 2.0f);   /* vmrun_sample: s / 2, t / 4 - kind */
        drop(&m);
    }
}

TEST(traps_and_endless_programs_stop) {
    struct machine m;
    if (!build(&m, "MOV A B\ntop: BL top\n", (struct sim_config){.budget = 1000})) {
        return;
    }
    run(&m);
    CHECK_EQ_INT(m.result.status, VLIW_ERR_BUDGET);
    CHECK_EQ_INT(m.result.fault_unit, 1);
    CHECK(m.result.instructions <= 8 * 1000);
    drop(&m);
    if (!build(&m, "ADDR A.x(0) | BL D 0\nTRAP\n", (struct sim_config){.threads = 8})) {
        return;
    }
    set(&m, 3, 0, 900, 0, 0, 0);
    for (unsigned t = 0; t < 3; t++) {
        set(&m, t, 0, 2, 0, 0, 0);
    }
    run(&m);
    CHECK_EQ_INT(m.result.status, VLIW_ERR_TRAP);
    CHECK_EQ_INT(m.result.fault_unit, 0);
    drop(&m);
}

TEST(what_makes_no_sense_is_refused) {
    struct vliw_error error = {.status = VLIW_OK};
    struct vliw_image *image = vmrun_assemble(".stage fragment\nDDX A B\nEND\n");
    struct vliw_program *p = NULL;
    struct sim_config c = {.threads = 9};
    CHECK(vliw_program_create(image, &p, &error) == VLIW_OK);
    CHECK(sim_core_create(p, &c, &error) == NULL && strstr(error.message, "8 threads") != NULL);
    c = (struct sim_config){.threads = 6};
    CHECK(sim_core_create(p, &c, &error) == NULL && strstr(error.message, "quads") != NULL);
    c = (struct sim_config){.lock = SIM_LOCK_FREE};
    CHECK(sim_core_create(p, &c, &error) == NULL && strstr(error.message, "free") != NULL);
    vliw_program_destroy(p);
    vliw_image_destroy(image);
    /* A program that breaks pairing never becomes a vliw_program; a forged one meets the core's own check. */
    image = vmrun_assemble("ADD A B | MUL C D\nEND\n");
    CHECK(vliw_program_create(image, &p, &error) == VLIW_OK);
    uint32_t words[3];
    memcpy(words, p->words, sizeof words);
    words[1] |= 1u << 25;                             /* MUL becomes ADD */
    struct vliw_program forged = *p;
    forged.words = words;
    c = (struct sim_config){.threads = 8};
    CHECK(sim_core_create(&forged, &c, &error) == NULL && strstr(error.message, "the same adder") != NULL);
    vliw_program_destroy(p);
    vliw_image_destroy(image);
}

TEST(diagrams_show_one_stage_a_thread_and_clock) {
    struct machine m;
    struct sim_diagram *d = calloc(1, sizeof *d);
    if (!build(&m, "MOV A B | ADD C D\nEND\n", (struct sim_config){.threads = 2, .observe = sim_diagram_note, .observer = d})) {
        return;
    }
    run(&m);
    char *text = sim_diagram_text(d);
    CHECK_STR(text, "clock    00000000001111111\n         01234567890123456\n"
                    "thread 0 F01MEEEWF01MEEEW.\nthread 1 .F01MEEEWF01MEEEW\n"
                    "thread 2 .................\nthread 3 .................\nthread 4 .................\n"
                    "thread 5 .................\nthread 6 .................\nthread 7 .................\n");
    CHECK(d->cell[0][8].writes && !d->cell[0][7].writes);
    free(text);
    free(d);
    drop(&m);
}

/* The port plan of vm/isa/ports.c and the core's own agree on every shape that random units make. */
TEST(static_and_simulated_slots_agree) {
    unsigned seen[4] = {0, 0, 0, 0};
    for (unsigned round = 0; round < 300; round++) {
        char text[4096] = ".gprs 8\n";
        size_t n = strlen(text);
        for (unsigned i = 0; i < 12; i++) {
            unsigned r[8];
            for (unsigned k = 0; k < 8; k++) {
                r[k] = check_random_below(6);
            }
            static const char *const forms[] = {
                "ADD r%u.xy r%u - r%u | MUL r%u.zw r%u - r%u\n",
                "PRED GE r%u.x ADD r%u.xy r%u | MUL r%u.zw r%u - r%u\n",
                "ADDR r%u.x(0) ADD r%u.xy r%u | MUL r%u.zw r%u - r%u\n",
                "TYPE f32 MAD(0) ADD r%u.xy r%u | MOV r%u.zw r%u - r%u\n",
                "MOV r%u.x r%u | MOV r%u.y r%u LD r%u.zw [r%u.x]\n",
                "ADD r%u.xy r%u | ADD r%u.zw r%u ST r%u.x [r%u.y]\n",
                "MOV r%u._ r%u - r%u | MUL r%u.zw r%u - r%u@xz\n",
                "PRED GE r%u.x MOV r%u.x r%u | ADD r%u.y r%u LD r%u.zw [r%u.x]\n",
            };
            n += (size_t)snprintf(text + n, sizeof text - n, forms[check_random_below(8)], r[0], r[1], r[2], r[3], r[4], r[5], r[6]);
        }
        snprintf(text + n, sizeof text - n, "END\n");
        struct vliw_image *image = NULL;
        struct vliw_program *p = NULL;
        struct vliw_error error;
        if (vliw_assemble(text, strlen(text), &image, &error) != VLIW_OK) {
            continue;                                 /* a double write, by chance */
        }
        struct sim_core *core = NULL;
        if (vliw_program_create(image, &p, &error) == VLIW_OK) {
            core = sim_core_create(p, NULL, &error);
        }
        CHECK(core != NULL);
        for (uint32_t pc = 0; core != NULL && pc < p->info.units; pc++) {
            struct isa_inst inst;
            struct isa_fault fault;
            if (!(p->starts[pc / 32] >> pc % 32 & 1u)) {
                continue;
            }
            isa_decode_inst(p->words, p->info.units, pc, &inst, &fault);
            unsigned slots = isa_inst_ports(&inst).slots;
            seen[slots]++;
            CHECK_EQ_INT(sim_core_slots(core, pc), slots);
        }
        sim_core_destroy(core);
        vliw_program_destroy(p);
        vliw_image_destroy(image);
    }
    CHECK(seen[1] > 0 && seen[2] > 0 && seen[3] > 0);
}
