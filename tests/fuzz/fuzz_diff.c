/* SPDX-License-Identifier: MIT */
/*
 * Random valid programs: the reference interpreter against every SIMD backend. Programs are built from
 * random legal instructions inside random control structure (if, else, loops with a trip count of each
 * lane's own, breaks, calls through registers, discards, early ends), or with branches to anywhere.
 *
 * In long loops lanes that most others have left move together (exec_compact.c).
 *
 *   fuzz_diff            a fixed number of programs (a test); VLGL_SEED changes the sequence
 *   VLGL_FUZZ=100000     that many
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/check.h"
#include "tests/simd/vmrun.h"
#include "vm/base/bits.h"
#include "vm/isa/isa.h"
#include "vm/isa/rules.h"
#include "vm/isa/word.h"

#define MAX_INSTS 400
#define DATA_REGS 10u            /* r0..r9: anything happens here */
#define REG_COUNTER 10           /* loop counters, one component a nesting level */
#define REG_TEST 11
#define REG_LIMIT 12             /* trips of each lane */
#define REG_LINK 13              /* return address */
#define GPRS 14u
#define GLOBALS 6u

struct label {
    int inst;                    /* instruction number, -1 = not placed yet */
};

struct program {
    struct isa_inst inst[MAX_INSTS];
    int target[MAX_INSTS];       /* label that the branch goes to, -1 = none */
    bool absolute[MAX_INSTS];
    unsigned count;
    struct label labels[MAX_INSTS];
    unsigned label_count;
    bool textures, quads, memory, bits, indexing, status, kill, loops, typed;
    bool lasting;                /* many trips, long bodies */
    int sub;                     /* label of the subroutine, -1 = none */
    enum vliw_stage stage;
};

static unsigned below(unsigned n) { return check_random_below(n); }
static bool chance(unsigned percent) { return below(100) < percent; }

/* ---- Random units ---- */

static struct isa_src random_src(void) {
    struct isa_src s = {0};
    s.file = chance(20) ? ISA_FILE_GLOBAL : ISA_FILE_GPR;
    s.reg = (uint8_t)below(s.file == ISA_FILE_GLOBAL ? GLOBALS : DATA_REGS);
    s.negate = chance(20);
    unsigned style = below(3), one = below(4);
    for (unsigned c = 0; c < 4; c++) {
        s.sel[c] = (uint8_t)(style == 0 ? c : style == 1 ? one : below(4));
    }
    return s;
}

static unsigned random_op(const struct program *p) {
    for (;;) {
        unsigned op = below(ISA_OP_COUNT);
        if (chance(50)) {
            static const uint8_t common[] = {ISA_OP_MUL, ISA_OP_ADD, ISA_OP_MOV, ISA_OP_MAX, ISA_OP_SLT};
            op = common[below(5)];
        }
        bool bits = op == ISA_OP_AND || op == ISA_OP_OR || op == ISA_OP_XOR || op == ISA_OP_SHF;
        bool quad = op == ISA_OP_DDX || op == ISA_OP_DDY;
        if ((bits && !p->bits) || (quad && !p->quads) || (op == ISA_OP_MVS && !p->status)) {
            continue;
        }
        return op;
    }
}

static void random_arith(const struct program *p, struct isa_unit *u, bool sub, unsigned phase) {
    u->kind = sub ? ISA_UNIT_SUB : ISA_UNIT_MAIN;
    u->phase = (uint8_t)phase;
    u->op = (uint8_t)random_op(p);
    u->mask = (uint8_t)(chance(60) ? 15 : below(16));
    u->saturate = chance(15);
    u->src = random_src();
    if (!sub) {
        u->dest = (uint8_t)below(DATA_REGS);
    } else {
        if (chance(50)) {
            u->mask = 0;
            u->op = ISA_OP_MOV;
            u->saturate = false;
        }
        u->smask = phase == 1 && chance(25) ? (uint8_t)below(16) : 0;
        if (u->op != ISA_OP_MVS && chance(20)) {
            memset(&u->src, 0, sizeof u->src);
            u->saturate = false;
            u->has_imm = true;
            u->imm16 = (uint16_t)check_random();
        }
    }
    if (u->op == ISA_OP_MVS) {
        memset(&u->src, 0, sizeof u->src);
        u->src.reg = (uint8_t)below(ISA_STATUS_COUNT);
        for (unsigned c = 0; c < 4; c++) {
            u->src.sel[c] = (uint8_t)c;
        }
        if (u->src.reg == ISA_STATUS_SCRATCH && !p->memory) {
            u->src.reg = ISA_STATUS_PC;
        }
    }
}

static void pred_unit(struct isa_unit *u, unsigned reg, unsigned comp, unsigned cond) {
    memset(u, 0, sizeof *u);
    u->kind = ISA_UNIT_PRED;
    u->mask = 15;
    u->cond = (uint8_t)cond;
    u->src.reg = (uint8_t)reg;
    memset(u->src.sel, (int)comp, 4);
}

static void random_coord(const struct program *p, struct isa_unit *u) {
    unsigned kind = below(3);
    if (kind == 0) {
        pred_unit(u, below(DATA_REGS), below(4), below(ISA_COND_COUNT));
        u->mask = (uint8_t)(1 + below(15));
        u->sl = chance(20);
        u->int_compare = p->bits && chance(20);
        u->src = random_src();
        u->src.negate = false;
    } else if (kind == 1 && p->indexing) {
        u->kind = ISA_UNIT_ADDR;
        u->target = (uint8_t)below(4);
        u->indexed = chance(80);
        u->base = (int16_t)((int)below(9) - 4);
        if (u->indexed) {
            struct isa_src s = random_src();
            u->src.reg = s.reg;
            u->src.file = s.file;
            u->src.sel[0] = s.sel[0];
        }
    } else {
        static const uint8_t xops[] = {ISA_XOP_OWN, ISA_XOP_MAD, ISA_XOP_DIV, ISA_XOP_SQRT, ISA_XOP_ABS,
                                       ISA_XOP_SSG, ISA_XOP_TRUNC, ISA_XOP_CEIL, ISA_XOP_ROUND, ISA_XOP_MAD};
        u->kind = ISA_UNIT_TYPE;
        u->sl = chance(30);
        u->xop = xops[below(sizeof xops)];
    }
}

static bool random_process(const struct program *p, struct isa_unit *u) {
    static const uint8_t tex[] = {ISA_MEM_TEX, ISA_MEM_TXB, ISA_MEM_TXL, ISA_MEM_TXD, ISA_MEM_TXP, ISA_MEM_TXBP, ISA_MEM_TXLP};
    u->phase = 1;
    if (p->kill && chance(10)) {
        u->kind = ISA_UNIT_BRC;
        u->op = ISA_BRC_KIL;
        return true;
    }
    u->kind = ISA_UNIT_MEM;
    u->mask = (uint8_t)(1 + below(15));
    u->src.reg = (uint8_t)below(DATA_REGS);
    u->dest = (uint8_t)below(DATA_REGS);
    if (p->memory && chance(50)) {
        u->op = (uint8_t)below(3);
        u->src.sel[0] = (uint8_t)below(4);
        u->offset = (uint8_t)below(4);
    } else if (p->textures) {
        u->op = tex[p->quads ? below(7) : 2 + below(2)];
        u->offset = (uint8_t)below(3);
    } else {
        return false;
    }
    u->option = chance(30);
    if (u->option) {
        u->src.reg = 0;
    }
    return true;
}

/* A TYPE other than f32 for phase 1's Main, and what its row wants of operation, mask and selects. */
static void make_typed(struct isa_inst *inst) {
    if (inst->main[1] < 0 || inst->coord[0] < 0) {
        return;
    }
    const struct isa_typed_info *t = &isa_typed_infos[below(ISA_TYPED_COUNT)];
    struct isa_unit *type = &inst->unit[inst->coord[0]], *m = &inst->unit[inst->main[1]];
    bool from = t->stype == ISA_TYPE_F64, to = t->dtype == ISA_TYPE_F64;
    if (t->op == ISA_OP_MVS) {
        return;
    }
    memset(type, 0, sizeof *type);
    type->kind = ISA_UNIT_TYPE;
    type->dtype = t->dtype;
    type->stype = t->stype;
    type->xop = t->xop;
    m->op = t->op;
    m->saturate = chance(20);
    m->mask = to ? (uint8_t)(chance(50) ? 15 : chance(50) ? 3 : 12) : m->mask;
    if (t->dtype == ISA_TYPE_U8X4 && t->stype == ISA_TYPE_F32) {
        m->mask = (uint8_t)(1u << below(4));
    }
    for (int i = 0; from && i < inst->units; i++) {
        struct isa_unit *u = &inst->unit[i];
        bool reads = u->kind <= ISA_UNIT_SUB && !u->has_imm && u->op != ISA_OP_MVS;
        for (unsigned c = 0, pair = 2 * below(2); reads && c < 4; c++) {
            pair = chance(50) ? pair : 2 * below(2);
            u->src.sel[c] = (uint8_t)(to ? u->src.sel[c & 2u] / 2u * 2u + (c & 1u) : pair);
        }
    }
}

/* One random legal instruction. The sampler number of an indexed texture read is always legal. */
static struct isa_inst random_inst(const struct program *p) {
    for (;;) {
        static const char *const shapes[] = {"0", "00", "01", "001", "011", "0011", "1", "11"};
        const char *shape = shapes[below(8)];
        struct isa_inst inst;
        struct isa_fault fault;
        bool arith[2] = {false, false}, process = false, bad = false;
        memset(&inst, 0, sizeof inst);
        for (unsigned i = 0; shape[i] != '\0'; i++) {
            struct isa_unit *u = &inst.unit[inst.units++];
            unsigned phase = (unsigned)(shape[i] - '0');
            if (phase == 0 && chance(35) && shape[strlen(shape) - 1] == '1') {
                random_coord(p, u);
            } else if (phase == 1 && !process && chance(15)) {
                process = random_process(p, u);
                bad = bad || !process;
            } else {
                random_arith(p, u, arith[phase], phase);
                arith[phase] = true;
            }
        }
        isa_index_inst(&inst);
        if (p->typed && chance(60)) {
            make_typed(&inst);
        }
        const struct isa_unit *addr = isa_addr_for(&inst, ISA_ADDR_PROCESS);
        if (addr != NULL && !addr->indexed && inst.process >= 0) {
            continue;
        }
        if (!bad && isa_check_inst(&inst, &fault)) {
            return inst;
        }
    }
}

/* ---- Structure ---- */

static int new_label(struct program *p) {
    p->labels[p->label_count].inst = -1;
    return (int)p->label_count++;
}
static void place(struct program *p, int label) { p->labels[label].inst = (int)p->count; }

static struct isa_inst *append(struct program *p, const struct isa_inst *inst, int target, bool absolute) {
    p->inst[p->count] = *inst;
    p->target[p->count] = target;
    p->absolute[p->count] = absolute;
    return &p->inst[p->count++];
}

static bool room(const struct program *p) { return p->count < MAX_INSTS - 60 && p->label_count < MAX_INSTS - 30; }

static void brc_unit(struct isa_unit *u, unsigned op) {
    memset(u, 0, sizeof *u);
    u->kind = ISA_UNIT_BRC;
    u->phase = 1;
    u->op = (uint8_t)op;
}

/* Branch (or END, KIL, TRAP) with an optional predicate; reg < 0: none. */
static void jump(struct program *p, unsigned op, int target, int reg, unsigned comp, unsigned cond) {
    struct isa_inst inst;
    memset(&inst, 0, sizeof inst);
    if (reg >= 0) {
        pred_unit(&inst.unit[inst.units++], (unsigned)reg, comp, cond);
    }
    brc_unit(&inst.unit[inst.units], op);
    inst.unit[inst.units++].option = op == ISA_BRC_BL;
    isa_index_inst(&inst);
    append(p, &inst, target, false);
}
static void random_jump(struct program *p, unsigned op, int target) {
    jump(p, op, target, (int)below(DATA_REGS), below(4), below(ISA_COND_COUNT));
}

/* d.c = a.c op b.c (negated), with b a register, or an immediate when b < 0. */
static void scalar(struct program *p, unsigned op, unsigned d, unsigned a, unsigned c, int b, bool negate, uint16_t imm) {
    struct isa_inst inst;
    memset(&inst, 0, sizeof inst);
    inst.units = 2;
    struct isa_unit *m = &inst.unit[0], *s = &inst.unit[1];
    m->kind = ISA_UNIT_MAIN;
    m->op = (uint8_t)op;
    m->dest = (uint8_t)d;
    m->mask = (uint8_t)(1u << c);
    m->src.reg = (uint8_t)a;
    s->kind = ISA_UNIT_SUB;
    s->op = ISA_OP_MOV;
    for (unsigned i = 0; i < 4; i++) {
        m->src.sel[i] = (uint8_t)i;
        s->src.sel[i] = b >= 0 ? (uint8_t)i : 0;
    }
    if (b >= 0) {
        s->src.reg = (uint8_t)b;
        s->src.negate = negate;
    } else {
        s->has_imm = true;
        s->imm16 = imm;
    }
    isa_index_inst(&inst);
    append(p, &inst, -1, false);
}

static void add(struct program *p, unsigned d, unsigned a, unsigned c, int b, bool negate, uint16_t imm) {
    scalar(p, ISA_OP_ADD, d, a, c, b, negate, imm);
}

static void random_run(struct program *p) {
    for (unsigned n = p->lasting ? 3 + below(9) : 1 + below(6); n > 0 && room(p); n--) {
        struct isa_inst inst = random_inst(p);
        append(p, &inst, -1, false);
    }
}

static void call(struct program *p) {
    struct isa_inst inst;
    memset(&inst, 0, sizeof inst);
    struct isa_unit *m = &inst.unit[0];
    m->kind = ISA_UNIT_MAIN;
    m->op = ISA_OP_MVS;
    m->dest = REG_LINK;
    m->mask = 1;
    for (unsigned i = 0; i < 4; i++) {
        m->src.sel[i] = (uint8_t)i;
    }
    inst.units = 2;
    brc_unit(&inst.unit[1], ISA_BRC_BL);
    isa_index_inst(&inst);
    append(p, &inst, p->sub, true);
}

static void body(struct program *p, unsigned depth, unsigned loops);

static void statement(struct program *p, unsigned depth, unsigned loops) {
    unsigned kind = depth > 0 ? below(7) : 6;
    if (!room(p)) {
        return;
    }
    if (kind == 0 || kind == 1) {             /* if, maybe else */
        int other = new_label(p), join = kind == 1 ? new_label(p) : -1;
        random_jump(p, ISA_BRC_BL, other);
        body(p, depth - 1, loops);
        if (kind == 1) {
            jump(p, ISA_BRC_BL, join, -1, 0, 0);
        }
        place(p, other);
        if (kind == 1) {
            body(p, depth - 1, loops);
            place(p, join);
        }
    } else if (kind == 2 && p->loops && loops < 3) {      /* loop, a trip count for each lane, maybe a break */
        int top = new_label(p), out = new_label(p);
        if (p->lasting) {                     /* from 0 each time */
            add(p, REG_COUNTER, REG_COUNTER, loops, REG_COUNTER, true, 0);
        }
        place(p, top);
        body(p, depth - 1, loops + 1);
        if (chance(p->lasting ? 20 : 40)) {
            random_jump(p, ISA_BRC_BL, out);
        }
        if (chance(40)) {
            body(p, depth - 1, loops + 1);
        }
        add(p, REG_COUNTER, REG_COUNTER, loops, -1, false, 0x3C00);
        add(p, REG_TEST, REG_COUNTER, loops, REG_LIMIT, true, 0);
        jump(p, ISA_BRC_BL, top, REG_TEST, loops, ISA_COND_N);
        place(p, out);
    } else if (kind == 3 && p->sub >= 0) {
        call(p);
    } else if (kind == 4 && chance(20)) {
        random_jump(p, ISA_BRC_END, -1);
    } else if (kind == 5 && chance(5)) {
        random_jump(p, ISA_BRC_TRAP, -1);
    } else {
        random_run(p);
    }
}

static void body(struct program *p, unsigned depth, unsigned loops) {
    for (unsigned n = 1 + below(3); n > 0; n--) {
        statement(p, depth, loops);
    }
}

static void subroutine(struct program *p) {
    struct isa_inst inst;
    int sub = p->sub;
    p->sub = -1;                                /* no recursion: the link register is one */
    place(p, sub);
    body(p, 1, 3);
    memset(&inst, 0, sizeof inst);
    inst.units = 2;
    inst.unit[0].kind = ISA_UNIT_ADDR;
    inst.unit[0].target = ISA_ADDR_PROCESS;
    inst.unit[0].indexed = true;
    inst.unit[0].src.reg = REG_LINK;
    brc_unit(&inst.unit[1], ISA_BRC_BL);
    isa_index_inst(&inst);
    append(p, &inst, -1, false);
    jump(p, ISA_BRC_TRAP, -1, -1, 0, 0);
}

/* Trips from small numbers: few for most lanes, up to 125 for some, in the first two loops of a nest. */
static void lasting_loops(struct program *p) {
    p->lasting = true;
    p->memory = p->status = p->indexing = false;
    p->kill = chance(10);
    p->stage = VLIW_STAGE_FRAGMENT;
    for (unsigned c = 0; c < 2; c++) {
        scalar(p, ISA_OP_MUL, REG_TEST, REG_LIMIT, c, REG_LIMIT, false, 0);
        scalar(p, ISA_OP_MUL, REG_LIMIT, REG_LIMIT, c, REG_TEST, false, 0);
    }
}

static void generate(struct program *p, bool branches, bool wild, bool lasting) {
    memset(p, 0, sizeof *p);
    p->sub = -1;
    p->textures = chance(40);
    p->quads = chance(50);
    p->bits = chance(30);
    p->indexing = chance(25);
    p->memory = chance(15);
    p->status = chance(30);
    p->kill = chance(25);
    p->typed = chance(40);
    p->loops = true;
    p->stage = p->memory && chance(50) ? VLIW_STAGE_COMPUTE : VLIW_STAGE_FRAGMENT;
    if (lasting) {
        lasting_loops(p);
    } else if (branches && !wild && chance(15)) {
        p->sub = new_label(p);
    }
    int sub = p->sub;
    if (wild) {
        unsigned n = 5 + below(25);
        for (unsigned i = 0; i < n; i++) {
            place(p, new_label(p));
            if (chance(35)) {
                p->target[p->count] = -1;
                unsigned before = p->count;
                if (chance(80)) {
                    random_jump(p, ISA_BRC_BL, -1);
                } else {
                    jump(p, ISA_BRC_BL, -1, -1, 0, 0);
                }
                p->target[before] = -2;         /* any label, chosen at the end */
            } else {
                struct isa_inst inst = random_inst(p);
                append(p, &inst, -1, false);
            }
        }
        for (unsigned i = 0; i < p->count; i++) {
            p->target[i] = p->target[i] == -2 ? (int)below(p->label_count) : p->target[i];
        }
    } else {
        body(p, branches ? 3 : 0, 0);
        for (unsigned i = 0; !branches && i < 3; i++) {
            random_run(p);
        }
    }
    jump(p, ISA_BRC_END, -1, -1, 0, 0);
    if (sub >= 0) {
        subroutine(p);
    }
}

/* ---- Words ---- */

static struct vliw_image *build(struct program *p) {
    uint32_t pc[MAX_INSTS + 1], words[4 * MAX_INSTS];
    pc[0] = 0;
    for (unsigned i = 0; i < p->count; i++) {
        pc[i + 1] = pc[i] + p->inst[i].units;
    }
    for (unsigned i = 0; i < p->count; i++) {
        if (p->target[i] >= 0) {
            int inst = p->labels[p->target[i]].inst;
            int32_t to = (int32_t)pc[inst < 0 ? 0 : inst];
            p->inst[i].unit[p->inst[i].process].imm = (int16_t)(p->absolute[i] ? to : to - (int32_t)pc[i + 1]);
        }
        isa_pack_inst(&p->inst[i], words + pc[i]);
    }
    struct vliw_io in[GPRS], out[GPRS];
    uint32_t in_count = 0, out_count = 0;
    for (uint32_t i = 0; i < GPRS; i++) {
        unsigned mask = i == REG_COUNTER ? 0 : i == REG_LIMIT ? 7 : below(16);
        if (mask != 0 && i != REG_TEST && i != REG_LINK) {
            in[in_count++] = (struct vliw_io){.semantic = VLIW_SEM_GENERIC, .index = (uint8_t)i, .mask = (uint8_t)mask, .reg = (uint16_t)i};
        }
        out[out_count++] = (struct vliw_io){.semantic = VLIW_SEM_GENERIC, .index = (uint8_t)i, .mask = 15, .reg = (uint16_t)i};
    }
    if (p->stage == VLIW_STAGE_FRAGMENT && p->status && in[0].reg == 0) {
        in[0] = (struct vliw_io){.semantic = VLIW_SEM_FRONT_FACING, .mask = 1};
    }
    if (chance(50)) {      /* few outputs: more is dead */
        out_count = 1 + below(3);
    }
    static const uint8_t samplers[3] = {VLIW_SAMPLER_2D, VLIW_SAMPLER_CUBE, VLIW_SAMPLER_2D_SHADOW};
    struct vliw_literal literal = {1, {0x3F800000u, 0xBF000000u, 0, 0x40000000u}, 13};
    struct vliw_image_desc d = {
        .stage = p->stage, .name = "fuzz", .words = words, .word_count = pc[p->count], .inputs = in, .outputs = out,
        .input_count = in_count, .output_count = out_count, .samplers = samplers, .sampler_count = 3,
        .literals = &literal, .literal_count = 1, .globals = GLOBALS, .gprs = GPRS,
    };
    return vliw_image_create(&d);
}

static unsigned programs(unsigned ordinary) {
    const char *text = getenv("VLGL_FUZZ");
    return text != NULL ? (unsigned)strtoul(text, NULL, 10) : ordinary;
}

static unsigned finished, faulted;

static bool one(unsigned number, bool branches, bool wild, bool lasting) {
    static struct program p;
    generate(&p, branches, wild, lasting);
    struct vliw_image *image = build(&p);
    if (image == NULL) {
        return false;
    }
    bool good = true;
    for (unsigned round = 0; round < 3 && good; round++) {
        struct vmrun r = {.image = image, .active = vmrun_mask(p.quads), .plain = lasting || round != 1, .models = 5 * number + round,
                          .budget = lasting ? 3000u << 2 * below(4) : wild ? 400 : 4000,
                          .memory_words = p.memory ? 40 : 0};
        if (p.memory || p.status) {             /* order and lane numbers agree with the reference in quad 0 only */
            r.active = (struct vliw_mask){{p.quads ? 15 : 1 + below(15)}};
        }
        good = vmrun_compare(&r);
        finished += r.status == VLIW_OK;
        faulted += r.status != VLIW_OK;
        if (!good) {
            char *text = vliw_disassemble(image);
            check_failf(__FILE__, __LINE__, "program %u: %s (mask %016llx)\n%s", number, r.message,
                        (unsigned long long)r.active.w[0], text != NULL ? text : "");
            vliw_free(text);
        }
    }
    vliw_image_destroy(image);
    return good;
}

static void many(unsigned count, bool branches, bool wild, bool lasting) {
    finished = faulted = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!one(i, branches, wild, lasting)) {
            break;
        }
    }
    printf("    %u runs finished, %u ended by trap or budget\n", finished, faulted);
    CHECK(finished > 0);
}

TEST(straight_programs) { many(programs(1500), false, false, false); }
TEST(structured_programs) { many(programs(1500), true, false, false); }
TEST(wild_programs) { many(programs(1000), true, true, false); }
TEST(lasting_loops) { many(programs(1000) / 5, true, false, true); }
