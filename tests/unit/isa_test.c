/* SPDX-License-Identifier: MIT */
/* Words, rules of single instructions, assembler and disassembler: golden words both ways, sweeps
 * over all fields, the papers' examples, diagnostics, and ISA.md against the tables. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/check.h"
#include "vm/include/vliw.h"
#include "vm/isa/rules.h"
#include "vm/isa/word.h"

static struct vliw_image *assemble(const char *text) {
    struct vliw_image *image;
    struct vliw_error error;
    if (vliw_assemble(text, strlen(text), &image, &error) != VLIW_OK) {
        check_failf(__FILE__, __LINE__, "%s\n  in: %s", error.message, text);
    }
    return image;
}

/* The words that a text assembles to, as "%08x %08x ...". */
static char *words_of(const char *text) {
    static char out[4096];
    struct vliw_image_desc d;
    struct vliw_image *image = assemble(text);
    out[0] = '\0';
    if (image != NULL) {
        vliw_image_describe(image, &d);
        for (uint32_t i = 0; i < d.word_count && i < 400; i++) {
            sprintf(out + strlen(out), i ? " %08x" : "%08x", (unsigned)d.words[i]);
        }
    }
    vliw_image_destroy(image);
    return out;
}

static unsigned instructions_of(const struct vliw_image *image) {
    struct vliw_image_desc d;
    struct isa_inst inst;
    struct isa_fault fault;
    unsigned count = 0;
    vliw_image_describe(image, &d);
    for (uint32_t pc = 0; pc < d.word_count; count++) {
        unsigned units = isa_decode_inst(d.words, d.word_count, pc, &inst, &fault);
        if (units == 0) {
            return 0;
        }
        pc += units;
    }
    return count;
}

/* ---- Golden words ---- */

static const struct {
    const char *text, *words;
} goldens[] = {
    {"MULs A B(0)", "840f0ae4"},
    {"MUL_sat A B(0)", "840f0ae4"},
    {"MUL_sat A,B,A", "840f0ae4"},
    {"ADD A B(0) - C(1)", "060f08e4 800010e4"},
    {"ADD A,B,C", "060f08e4 800010e4"},
    {"ADDR D.w(0) | ADD A B(0) - C(1)", "3e8c1800 460f08e4 c00010e4"},
    {"ADD A,B[D.w],C", "3e8c1800 460f08e4 c00010e4"},
    {"ADDR D.w(1) PRED Z E | ADD A B(0) - C(1)", "3e9c1800 3de020e4 460f08e4 c00010e4"},
    {"ADD_pred(E) A,B,C[D.w]", "3e9c1800 3de020e4 460f08e4 c00010e4"},
    {"MUL A B(0) MOVy C(1) | ADD D E(0) RCPw F(1)", "040f08e4 002010e4 463f20e4 cc8028e4"},
    {"MUL A.xzw,B,C; MOV A.y,C.y; ADD D.xyz,E,F; RCP D.w,F.w", "040f08e4 002010e4 463f20e4 cc8028e4"},
    {"BL R 120", "fc100078"},
    {"BL {PC+120}", "fc100078"},
    {"PRED N A.x(0) ADDR B.x(0) | BL D 120", "3de00200 3f900800 fc000078"},
    {"if (A.x<0) BL {B.x+120}", "3de00200 3f900800 fc000078"},
    {"MVS A.x PC(0) MOV A.yzw A.xyz(0) | BL D 85", "000f0090 021000e4 fc000055"},
    {"CALL 85", "000f0090 021000e4 fc000055"},
    {"MOV A.xyz A.yzw(0) ADDR A.x | BL D 0", "000700f9 3f900000 fc000000"},
    {"RETURN", "000700f9 3f900000 fc000000"},
    {"CMP B.x A.x(0) - A.z(1) | ADD A.x A.y(0)", "14110000 000000aa c6010055"},
    {"PRED GE B.x(0) | BL R 41", "3de00b00 fc100029"},
    {"BL R -46", "fc1f07d2"},
};

TEST(golden_words) {
    for (unsigned i = 0; i < sizeof goldens / sizeof goldens[0]; i++) {
        CHECK_STR(words_of(goldens[i].text), goldens[i].words);
    }
}

TEST(golden_words_through_text) {
    for (unsigned i = 0; i < sizeof goldens / sizeof goldens[0]; i++) {
        struct vliw_image *image = assemble(goldens[i].text);
        char *text = vliw_disassemble(image);
        CHECK(text != NULL && strstr(text, ".word") == NULL);
        CHECK_STR(words_of(text), goldens[i].words);
        vliw_free(text);
        vliw_image_destroy(image);
    }
}

/* ---- Sizes of the papers' kernels ---- */

static const struct {
    const char *name, *text;
    unsigned words, instructions;
} kernels[] = {
    {"DOT4", "MUL A B\n ADD A.xy A.zw\n ADD A.x A.y", 3, 3},
    {"DOT4, both operands kept", "MUL C A - B\n ADD C.xy C.zw\n ADD C.x C.y", 4, 3},
    {"4x4, matrix consumed",
     ".reg v r4\nMUL r0 v.x\nMUL r1 v.y\nMUL r2 v.z | ADD r0 r1\nMUL r3 v.w | ADD r0 r2\nADD r0 r3",
     7, 5},
    {"4x4, w = 1, columns in globals",
     ".reg v r4\nMUL r0 c0 -v.x\nMUL r1 c1 -v.y | ADD r0 c3\nMUL r2 c2 -v.z | ADD r0 r1\nADD r0 r2",
     9, 4},
    {"4x4, general, v kept",
     ".reg v r4\nMUL r0 c0 -v.x\nMUL r1 c1 -v.y\nMUL r2 c2 -v.z | ADD r0 r1\nMUL r3 c3 -v.w | ADD "
     "r0 r2\nADD r0 r3",
     11, 5},
    {"3x3, matrix consumed",
     ".reg v r4\nMUL r0.xyz v.x\nMUL r1.xyz v.y\nMUL r2.xyz v.z | ADD r0.xyz r1\nADD r0.xyz r2", 5,
     4},
    {"3x3, columns in globals",
     ".reg v r4\nMUL r0.xyz c0 -v.x\nMUL r1.xyz c1 -v.y\nMUL r2.xyz c2 -v.z | ADD r0.xyz r1\nADD "
     "r0.xyz r2",
     8, 4},
    {"conditional indirect branch", "PRED N A.x ADDR B.x | BL D 120", 3, 1},
    {"call", "CALL 85", 3, 1},
    {"return", "RETURN", 3, 1},
    {"loop head and back edge",
     "loop: CMP B.x A.x(0) - A.z(1) | ADD A.x A.y(0)\nPRED GE B.x(0) | BL R out\nMUL C D\nBL R "
     "loop\nout: END",
     8, 5},
};

TEST(kernel_sizes) {
    for (unsigned i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        struct vliw_image *image = assemble(kernels[i].text);
        struct vliw_image_desc d = {0};
        if (image != NULL) {
            vliw_image_describe(image, &d);
            if (d.word_count != kernels[i].words ||
                instructions_of(image) != kernels[i].instructions) {
                check_failf(__FILE__, __LINE__, "%s: %u words, %u instructions", kernels[i].name,
                            (unsigned)d.word_count, instructions_of(image));
            }
        }
        CHECK(image != NULL);
        vliw_image_destroy(image);
    }
}

/* P1 Fig. 11: exit from 5 to 46, back edge from 45 to 0. */
TEST(loop_labels) {
    char text[2048] = "top: CMP B.x A.x(0) - A.z(1) | ADD A.x A.y(0)\nPRED GE B.x(0) | BL R out\n";
    for (int i = 0; i < 40; i++) {
        strcat(text, "MOV D E\n");
    }
    strcat(text, "BL R top\nout: END\n");
    struct vliw_image *image = assemble(text);
    struct vliw_image_desc d;
    vliw_image_describe(image, &d);
    CHECK_EQ_INT(d.word_count, 47);
    CHECK_EQ_INT(d.words[4], 0xfc100029);
    CHECK_EQ_INT(d.words[45], 0xfc1f07d2);
    vliw_image_destroy(image);
}

/* ---- Sweeps ---- */

static void random_src(struct isa_src *src, bool all) {
    src->reg = (uint8_t)check_random_below(32);
    src->file = (uint8_t)check_random_below(2);
    src->negate = all && check_random_below(2);
    for (int c = 0; c < 4; c++) {
        src->sel[c] = (uint8_t)check_random_below(4);
    }
}

static void random_arith(struct isa_unit *u, unsigned kind) {
    u->kind = (uint8_t)kind;
    u->op = (uint8_t)check_random_below(ISA_OP_COUNT);
    u->mask = (uint8_t)check_random_below(16);
    if (kind == ISA_UNIT_MAIN) {
        u->dest = (uint8_t)check_random_below(32);
    } else {
        u->smask = (uint8_t)(check_random_below(4) ? 0 : check_random_below(16));
        u->has_imm = u->op != ISA_OP_MVS && check_random_below(3) == 0;
        if (u->has_imm) {
            u->imm16 = (uint16_t)check_random();
            return;
        }
    }
    u->saturate = check_random_below(2);
    random_src(&u->src, true);
    if (u->op == ISA_OP_MVS) {
        u->src = (struct isa_src){.reg = (uint8_t)check_random_below(ISA_STATUS_COUNT),
                                  .sel = {0, 1, 2, 3}};
    }
}

/* Any legal values in a unit of the kind. */
static struct isa_unit random_unit(unsigned kind) {
    static const uint8_t mems[] = {0, 1, 2, 8, 9, 10, 11, 12, 13, 14};
    struct isa_unit u;
    memset(&u, 0, sizeof u);
    u.kind = (uint8_t)kind;
    switch (kind) {
    case ISA_UNIT_MAIN:
    case ISA_UNIT_SUB: random_arith(&u, kind); break;
    case ISA_UNIT_PRED:
        random_src(&u.src, false);
        u.mask = (uint8_t)check_random_below(16);
        u.sl = check_random_below(2);
        u.int_compare = check_random_below(2);
        u.cond = (uint8_t)check_random_below(ISA_COND_COUNT);
        break;
    case ISA_UNIT_ADDR:
        u.target = (uint8_t)check_random_below(4);
        u.base = (int16_t)((int)check_random_below(8192) - 4096);
        u.indexed = check_random_below(2);
        if (u.indexed) {
            u.src.reg = (uint8_t)check_random_below(32);
            u.src.file = (uint8_t)check_random_below(2);
            u.src.sel[0] = (uint8_t)check_random_below(4);
        }
        break;
    case ISA_UNIT_TYPE:
        u.sl = check_random_below(2);
        u.dtype = (uint8_t)check_random_below(ISA_TYPE_COUNT);
        u.stype = (uint8_t)check_random_below(ISA_TYPE_COUNT);
        u.xop = (uint8_t)check_random_below(ISA_XOP_COUNT);
        u.rounding = (uint8_t)check_random_below(4);
        break;
    case ISA_UNIT_BRC:
        u.op = (uint8_t)check_random_below(ISA_BRC_COUNT);
        u.option = u.op == ISA_BRC_BL && check_random_below(2);
        if (u.op == ISA_BRC_BL || u.op == ISA_BRC_WAIT || u.op == ISA_BRC_WAKE) {
            u.imm = (int16_t)((int)check_random_below(32768) - (u.option ? 16384 : 0));
        }
        u.phase = 1;
        break;
    default:
        u.op = mems[check_random_below(sizeof mems)];
        u.option = check_random_below(2);
        u.mask = (uint8_t)check_random_below(16);
        u.src.reg = (uint8_t)check_random_below(32);
        u.dest = (uint8_t)check_random_below(32);
        if (u.op < ISA_MEM_TEX) {
            u.src.sel[0] = (uint8_t)check_random_below(4);
        }
        u.offset = (uint8_t)check_random_below(u.op >= ISA_MEM_TEX ? 32 : 16);
        u.phase = 1;
        break;
    }
    return u;
}

TEST(units_pack_and_unpack) {
    for (int i = 0; i < 200000; i++) {
        struct isa_unit u = random_unit(check_random_below(ISA_UNIT_MEM + 1)), back;
        if (u.kind <= ISA_UNIT_SUB) {
            u.phase = (uint8_t)check_random_below(2);
        }
        u.end = check_random_below(2);
        const char *why = isa_unpack_unit(isa_pack_unit(&u), u.kind == ISA_UNIT_SUB, &back);
        if (why != NULL || memcmp(&u, &back, sizeof u) != 0) {
            check_failf(__FILE__, __LINE__, "unit %08x: %s", (unsigned)isa_pack_unit(&u),
                        why ? why : "differs");
            return;
        }
    }
    CHECK(true);
}

/* Every word either unpacks to something that packs to the same word, or is refused. */
TEST(words_unpack_and_pack) {
    unsigned refused = 0;
    for (int i = 0; i < 400000; i++) {
        struct isa_unit u;
        uint32_t word = check_random() ^ check_random() << 16;
        if (check_random_below(2)) {
            word |= 0xfu << 26; /* more coordinate and process units */
        }
        bool is_sub = check_random_below(2);
        if (isa_unpack_unit(word, is_sub, &u) != NULL) {
            refused++;
        } else if (isa_pack_unit(&u) != word) {
            check_failf(__FILE__, __LINE__, "word %08x comes back as %08x", (unsigned)word,
                        (unsigned)isa_pack_unit(&u));
            return;
        }
    }
    CHECK(refused > 1000);
}

TEST(reserved_bits_are_refused) {
    static const struct {
        uint32_t word;
        bool is_sub;
    } bad[] = {
        {0x020001e4, false},  /* MVS with negate */
        {0x020004e4, false},  /* MVS with file */
        {0x020000e5, false},  /* MVS with a swizzle */
        {0x020028e4, false},  /* MVS of status register 5 */
        {0x03000000, true},   /* MVS with an immediate */
        {0x3c0100e4, false},  /* PRED bit 16 */
        {0x3c0200e4, false},  /* PRED bit 17 */
        {0x3c0006e4, false},  /* PRED condition 6 */
        {0x3c0007e4, false},  /* PRED condition 7 */
        {0x3e200000, false},  /* ADDR bit 21 */
        {0x3e000800, false},  /* ADDR without index names a register */
        {0x3e040000, false},  /* ... or a component */
        {0x3e400000, false},  /* ... or a file */
        {0x3a000000, false},  /* row 14, A = 1 */
        {0x38000001, false},  /* TYPE bit 0 */
        {0x38000080, false},  /* TYPE bit 7 */
        {0x38010000, false},  /* TYPE bit 16 */
        {0x38200000, false},  /* TYPE bit 21 */
        {0x39400000, false},  /* TYPE destination type 5 */
        {0x380a0000, false},  /* TYPE source type 5 */
        {0x38008800, false},  /* TYPE XOP 17 */
        {0x3800f800, false},  /* TYPE XOP 31 */
        {0x38000400, false},  /* TYPE rounding 4 */
        {0x7c000800, false},  /* BRC bit 11 */
        {0x7cc00000, false},  /* BRC operation 6 */
        {0x7de00000, false},  /* BRC operation 15 */
        {0x7c200001, false},  /* KIL with an immediate */
        {0x7c300000, false},  /* KIL with O */
        {0x7c400001, false},  /* END with an immediate */
        {0x7ca00001, false},  /* TRAP with an immediate */
        {0x7c700001, false},  /* WAIT with O */
        {0x7e6f0000, false},  /* MEM operation 3 */
        {0x7eef0000, false},  /* MEM operation 7 */
        {0x7fef0000, false},  /* MEM operation 15 */
        {0x7f0f0020, false},  /* TEX bit 5 */
    };
    struct isa_unit u;
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (isa_unpack_unit(bad[i].word, bad[i].is_sub, &u) == NULL) {
            check_failf(__FILE__, __LINE__, "word %08x was accepted", (unsigned)bad[i].word);
        }
    }
    CHECK(isa_unpack_unit(0x00000000, false, &u) == NULL); /* an instruction, not "nothing" */
    CHECK_EQ_INT(u.op, ISA_OP_MOV);
}

TEST(shapes) {
    /* unit words: phase in bit 30, end in bit 31; arithmetic units without effect */
    static const struct {
        const char *shape;
        bool legal;
    } shapes[] = {
        {"0", true},    {"00", true},   {"01", true},   {"001", true}, {"011", true},  {"0011", true}, {"1", true},
        {"11", true},   {"10", false},  {"000", false}, {"111", false}, {"0001", false}, {"0111", false}, {"010", false},
        {"0110", false}, {"1111", false},
    };
    for (unsigned i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        uint32_t words[4];
        struct isa_inst inst;
        const char *why;
        unsigned n = (unsigned)strlen(shapes[i].shape), unit;
        for (unsigned k = 0; k < n; k++) {
            words[k] =
                (shapes[i].shape[k] == '1' ? 0x40000000u : 0u) | (k + 1 == n ? 0x80000000u : 0u);
        }
        CHECK_EQ_INT(isa_unpack_inst(words, n, 0, &inst, &why, &unit), shapes[i].legal ? n : 0);
        CHECK_EQ_INT(isa_unpack_inst(words, n - 1, 0, &inst, &why, &unit),
                     0); /* cut off before E */
    }
}

static bool random_legal_inst(struct isa_inst *inst) {
    static const uint8_t kinds[2][4] = {
        {ISA_UNIT_MAIN, ISA_UNIT_PRED, ISA_UNIT_ADDR, ISA_UNIT_TYPE},
        {ISA_UNIT_MAIN, ISA_UNIT_MAIN, ISA_UNIT_BRC, ISA_UNIT_MEM}};
    struct isa_fault fault;
    memset(inst, 0, sizeof *inst);
    for (unsigned phase = 0; phase < 2; phase++) {
        bool has_main = false;
        for (unsigned n = check_random_below(3); n > 0; n--) {
            unsigned kind = kinds[phase][check_random_below(4)];
            if (kind == ISA_UNIT_MAIN && has_main) {
                kind = ISA_UNIT_SUB;
            }
            has_main = has_main || kind == ISA_UNIT_MAIN;
            struct isa_unit u = random_unit(kind);
            u.phase = (uint8_t)phase;
            if (u.kind == ISA_UNIT_TYPE) {
                u.dtype = u.stype = ISA_TYPE_F32;
                u.rounding = 0;
            }
            if (u.kind == ISA_UNIT_ADDR && check_random_below(2)) {
                u.base = (int16_t)(u.base % 900);
            }
            inst->unit[inst->units++] = u;
        }
    }
    if (inst->units == 0) {
        return false;
    }
    isa_index_inst(inst);
    return isa_check_inst(inst, &fault);
}

static bool same_desc(const struct vliw_image_desc *x, const struct vliw_image_desc *y) {
    return x->stage == y->stage && strcmp(x->name, y->name) == 0 &&
           x->word_count == y->word_count && memcmp(x->words, y->words, x->word_count * 4) == 0 &&
           (x->lines == NULL) == (y->lines == NULL) &&
           (x->lines == NULL || memcmp(x->lines, y->lines, x->word_count * 4) == 0) &&
           x->input_count == y->input_count && x->output_count == y->output_count &&
           (x->input_count == 0 ||
            memcmp(x->inputs, y->inputs, x->input_count * sizeof *x->inputs) == 0) &&
           (x->output_count == 0 ||
            memcmp(x->outputs, y->outputs, x->output_count * sizeof *x->outputs) == 0) &&
           x->sampler_count == y->sampler_count &&
           (x->sampler_count == 0 || memcmp(x->samplers, y->samplers, x->sampler_count) == 0) &&
           x->literal_count == y->literal_count &&
           (x->literal_count == 0 ||
            memcmp(x->literals, y->literals, x->literal_count * sizeof *x->literals) == 0) &&
           x->globals == y->globals && x->gprs == y->gprs;
}

static void check_text_round_trip(const struct vliw_image_desc *desc, bool with_raw_words) {
    struct vliw_image *image = vliw_image_create(desc), *back = NULL;
    struct vliw_error error;
    struct vliw_image_desc x, y;
    CHECK(image != NULL);
    char *text = vliw_disassemble(image);
    CHECK(text != NULL);
    CHECK(with_raw_words || strstr(text, ".word") == NULL);
    if (vliw_assemble(text, strlen(text), &back, &error) != VLIW_OK) {
        check_failf(__FILE__, __LINE__, "%s in\n%.2000s", error.message, text);
    } else {
        vliw_image_describe(image, &x);
        vliw_image_describe(back, &y);
        CHECK(same_desc(&x, &y));
    }
    vliw_free(text);
    vliw_image_destroy(image);
    vliw_image_destroy(back);
}

TEST(random_instructions_through_text) {
    static uint32_t words[4096], lines[4096];
    unsigned legal = 0;
    for (int round = 0; round < 40; round++) {
        uint32_t n = 0;
        for (int tries = 0; tries < 20000 && n < 4000; tries++) {
            struct isa_inst inst, again;
            struct isa_fault fault;
            if (random_legal_inst(&inst)) {
                legal++;
                unsigned units = isa_pack_inst(&inst, words + n);
                CHECK_EQ_INT(isa_decode_inst(words, n + units, n, &again, &fault), units);
                CHECK(memcmp(&inst, &again, sizeof inst) == 0);
                uint32_t line = check_random_below(3) ? 7 : check_random_below(1000);
                for (unsigned k = 0; k < units; k++) {
                    lines[n + k] = line + (round % 4 == 3 ? check_random_below(2) : 0);
                }
                n += units;
            }
        }
        struct vliw_image_desc d = {.stage = VLIW_STAGE_COMPUTE,
                                    .name = "",
                                    .words = words,
                                    .word_count = n,
                                    .lines = round % 2 ? lines : NULL};
        check_text_round_trip(&d, false);
    }
    CHECK(legal > 20000);
}

TEST(random_words_through_text) {
    static uint32_t words[512], lines[512];
    for (int round = 0; round < 100; round++) {
        for (unsigned i = 0; i < 512; i++) {
            words[i] = check_random() ^ check_random() << 16;
            lines[i] = check_random_below(4);
        }
        struct vliw_image_desc d = {.stage = VLIW_STAGE_VERTEX,
                                    .name = "",
                                    .words = words,
                                    .word_count = 512,
                                    .lines = lines};
        check_text_round_trip(&d, true);
    }
}

TEST(tables_through_text) {
    static const struct vliw_io inputs[] = {{VLIW_SEM_VARYING, 3, 7, 0, 0, 0},
                                            {VLIW_SEM_FRAG_COORD, 0, 15, 0, 500, 0},
                                            {VLIW_SEM_LAST_FRAG, 1, 8, 0, 1, 0},
                                            {VLIW_SEM_GENERIC, 255, 5, 0, 1023, 0}};
    static const struct vliw_io outputs[] = {{VLIW_SEM_COLOR, 2, 15, 0, 4, 0},
                                             {VLIW_SEM_DEPTH, 0, 1, 0, 5, 0}};
    static const uint8_t samplers[] = {VLIW_SAMPLER_CUBE, VLIW_SAMPLER_2D, VLIW_SAMPLER_3D,
                                       VLIW_SAMPLER_2D_SHADOW, VLIW_SAMPLER_EXTERNAL};
    struct vliw_literal literals[64];
    memset(literals, 0, sizeof literals);
    for (unsigned i = 0; i < 64; i++) {
        literals[i].reg = i;
        literals[i].mask = 1 + check_random_below(15);
        for (unsigned c = 0; c < 4; c++) {
            float f = check_random_float();
            if (literals[i].mask >> c & 1u) {
                memcpy(&literals[i].bits[c], &f, 4);
            }
        }
    }
    static const uint32_t words[] = {0xfc400000};
    struct vliw_image_desc d = {.stage = VLIW_STAGE_FRAGMENT,
                                .name = "a \"b\" \\ \n\x01 \xc3\xa4",
                                .words = words,
                                .word_count = 1,
                                .inputs = inputs,
                                .input_count = 4,
                                .outputs = outputs,
                                .output_count = 2,
                                .samplers = samplers,
                                .sampler_count = 5,
                                .literals = literals,
                                .literal_count = 64,
                                .globals = 4096,
                                .gprs = 1024};
    check_text_round_trip(&d, false);
}

/* ---- Numbers ---- */

static uint32_t const_bits(const char *number) {
    char text[200];
    snprintf(text, sizeof text, ".const c0 %s", number);
    struct vliw_image *image = assemble(text);
    struct vliw_image_desc d = {0};
    uint32_t bits = 0xdeadbeef;
    if (image != NULL) {
        vliw_image_describe(image, &d);
        bits = d.literals[0].bits[0];
    }
    vliw_image_destroy(image);
    return bits;
}

TEST(float_literals) {
    static const char *const texts[] = {
        "0",
        "-0",
        "1",
        "0.5",
        "0.1",
        "3.14159265358979",
        "1e10",
        "1e-10",
        "16777217",
        "16777219",
        "33554431",
        "3.4028234e38",
        "1.17549435e-38",
        "1.4e-45",
        "7.1e-46",
        "6e-46",
        "1e-60",
        "0.000000000000000000000001",
        "123456789012345678901234567890",
        "8388608.5",
        "8388609.5",
        "1.00000005960464477539062500000000000000000001",
        "1.000000059604644775390625",
        "9.999999e37",
        "2.3509887e-38",
        "340282346638528859811704183484516925440",
    };
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        float f = strtof(texts[i], NULL);
        uint32_t bits;
        memcpy(&bits, &f, 4);
        CHECK_EQ_INT(const_bits(texts[i]), bits);
    }
    for (int i = 0; i < 3000; i++) {
        char text[64];
        uint32_t bits = check_random(), exact;
        float f;
        memcpy(&f, &bits, 4);
        if (f != f || f - f != 0) {
            continue;
        }
        snprintf(text, sizeof text, check_random_below(2) ? "%.9g" : "%.5e", (double)f);
        f = strtof(text, NULL);
        memcpy(&exact, &f, 4);
        if (f - f == 0) { /* %.5e may round beyond the largest float */
            CHECK_EQ_INT(const_bits(text), exact);
        }
    }
    CHECK_EQ_INT(const_bits("0x7fc12345"), 0x7fc12345);
}

/* All 65536 immediates survive printing. */
TEST(half_immediates) {
    static uint32_t words[2 * 4096];
    for (unsigned base = 0; base < 65536; base += 4096) {
        for (unsigned i = 0; i < 4096; i++) {
            words[2 * i] = 0x060f08e4;
            words[2 * i + 1] = 0x81000000 | (base + i);
        }
        struct vliw_image_desc d = {
            .stage = VLIW_STAGE_COMPUTE, .name = "", .words = words, .word_count = 2 * 4096};
        check_text_round_trip(&d, false);
    }
    CHECK_STR(words_of("ADD A B - #0.5"), "060f08e4 81003800");
    CHECK_STR(words_of("ADD A B - #-2"), "060f08e4 8100c000");
    CHECK_STR(words_of("ADD A B - #65504"), "060f08e4 81007bff");
    CHECK_STR(words_of("ADD A B - #0x7e00"), "060f08e4 81007e00");
}

/* ---- Assembly syntax ---- */

TEST(unit_spellings) {
    CHECK_STR(words_of("MOV r1 -c2.wzyx"), "801f151b");
    CHECK_STR(words_of("| MOV r1 r2"), "c01f10e4");
    CHECK_STR(words_of("PRED N A.x BL R 5"), words_of("PRED N A.x | BL R 5"));
    CHECK_STR(words_of("PREDxz NZ.i c3(1) | MOV A B KIL"), "3cbc19e4 400f08e4 fc200000");
    CHECK_STR(words_of("ADDR r5.y-3(d) | MOV A B"), "3f872ffd c00f08e4");
    CHECK_STR(words_of("ADDR +40(0) ADDR c1.z+4095(1) | ADD A B - C"),
              "3e000028 3ed90fff 460f08e4 c00010e4");
    CHECK_STR(words_of("MOV A B - C | ADD D E - F@xw"), "000f08e4 000010e4 463f20e4 c00928e4");
    CHECK_STR(words_of("TYPE f32 MAD(0) | MOV A B - C"), "38001000 400f08e4 c00010e4");
    CHECK_STR(words_of("LD A.xy [B.z+3]"), "fe030823");
    CHECK_STR(words_of("MOV A._ B.w ST C [*.x]"), "000008ff fe3f0080");
    CHECK_STR(words_of(".sampler s0 cube\nTEX C.xyz B s0"), "ff070880");
    CHECK_STR(words_of(".sampler s0 tex2d\nMOV A._ B.xyyy TXL C * s0"), "00000854 ff5f0080");
    CHECK_STR(words_of("END // done\n\n  KIL\nTRAP"), "fc400000 fc200000 fca00000");
    CHECK_STR(words_of("WAIT 5\nWAKE 32767"), "fc600005 fc8f07ff");
    CHECK_STR(words_of(".reg p r7\n.reg A r8\nMOV p A"), "807f40e4");
    CHECK_STR(words_of("a: b: BL a\nBL D b\nBL R end\nend: END"),
              "fc1f07ff fc000000 fc100000 fc400000");
    CHECK_STR(words_of("RCPw: MOV A B"), "800f08e4"); /* a label may look like a mnemonic */
    CHECK_STR(words_of("RETURN r9\nCALL 3, r9"),
              "009748f9 3f904800 fc000000 009f4890 021000e4 fc000003");
    CHECK_STR(words_of("if (A.y >= 0) BL {12}"), "3de00355 fc00000c");
}

static const struct {
    const char *text;
    int line, column;
    const char *part;
} diagnostics[] = {
    {"FOO A B", 1, 1, "unknown operation 'FOO'"},
    {"MOV A\n", 1, 6, "register expected"},
    {"\n\nMOV A q", 3, 7, "'q' is not a register"},
    {"MOV r32 A", 1, 5, "add ADDR +1"},
    {"ADD A B - r40", 1, 11, "add ADDR +9"},
    {"MOV r1024 A", 1, 5, "highest GPR is r1023"},
    {"MOV c1 A", 1, 5, "GPR must stand here"},
    {"MOV A.yx B", 1, 7, "in this order"},
    {"MOV A B.xq", 1, 9, "swizzle"},
    {"MOV A.x B.xy", 1, 11, "2 letters for 1 components"},
    {"MOV A B(1)", 1, 7, "slot (0)"},
    {"ADD A B - C(0)", 1, 11, "slot (1)"},
    {"- C", 1, 1, "needs an arithmetic unit before it"},
    {"MULx A", 1, 1, "mask at the destination"},
    {"ADD A B - #0.1", 1, 12, ".const"},
    {"MOV A B MOV C D", 1, 9, "same register"},
    {"MUL A.x B MOV A.y C", 1, 11, "one-operand"},
    {"MOV A B | MOV C D | END", 1, 19, "phase 1 has begun"},
    {"ADDR A.x | MOV A B", 1, 1, "say what ADDR qualifies"},
    {"BL D 32768", 1, 6, "0 to 32767"},
    {"BL R 16384", 1, 6, "-16384 to 16383"},
    {"BL nowhere", 1, 4, "not defined"},
    {"x: END\nx: END", 2, 1, "defined twice"},
    {".stage pixel", 1, 8, "vertex, fragment or compute"},
    {".bogus", 1, 2, "unknown directive"},
    {".name x", 1, 7, "double quotes"},
    {".name \"x", 1, 7, "double quotes"},
    {".const c0", 1, 10, "value expected"},
    {".const r0 1", 1, 8, "constants are globals"},
    {".const c0 1e39", 1, 11, "outside the range"},
    {".const c0 1 2 3 4 5", 1, 19, "end of line"},
    {".sampler s1 cube", 1, 10, "the next sampler is s0"},
    {".in color A", 1, 11, "integer expected"},
    {".out position c1", 1, 15, "are GPRs"},
    {".gprs 1025", 1, 7, "0 to 1024"},
    {".word 12", 1, 7, "hexadecimal"},
    {"MVS A.x FOO", 1, 9, "status register expected"},
    {"PRED Q A.x | END", 1, 6, "condition expected"},
    {"PRED Z -A.x | END", 1, 8, "cannot negate"},
    {"TYPE f16 | MOV A B", 1, 6, "element type expected"},
    {"TEX A B 3", 1, 9, "sampler expected"},
    {"LD A [B.xy]", 1, 9, "one component"},
    {"MUL A B | MUL C D", 1, 11, "rule 17"},
    {"RCP A.x B.x | MOV C D RCPx E.x", 1, 23, "rule 18"},
    {"MUL A,B,C,D", 1, 11, "at most two sources"},
    {"MUL A,B", 1, 1, "MUL has 2 sources"},
    {"MUL A,B,C; MUL D,E,F; MOV A,B", 1, 23, "do not fit"},
    {"MUL A.x,B,C; MOV A.y,D", 1, 14, "same two sources"},
    {"if (A.x ~ 0) BL {3}", 1, 9, "comparison expected"},
    {"MOV A B $", 1, 9, "operation expected"},
};

TEST(assembler_diagnostics) {
    for (unsigned i = 0; i < sizeof diagnostics / sizeof diagnostics[0]; i++) {
        struct vliw_image *image;
        struct vliw_error error;
        memset(&error, 0, sizeof error);
        enum vliw_status status =
            vliw_assemble(diagnostics[i].text, strlen(diagnostics[i].text), &image, &error);
        if (status == VLIW_OK || image != NULL || error.line != diagnostics[i].line ||
            error.column != diagnostics[i].column ||
            strstr(error.message, diagnostics[i].part) == NULL || error.status != status) {
            check_failf(__FILE__, __LINE__, "'%s': %d:%d %s", diagnostics[i].text, (int)error.line,
                        (int)error.column, error.message);
        }
        vliw_image_destroy(image);
    }
    CHECK(true);
}

TEST(assembler_lines) {
    struct vliw_image *image = assemble("END\n\nADD A B - C\n.line 99\nEND\n");
    struct vliw_image_desc d;
    vliw_image_describe(image, &d);
    CHECK_EQ_INT(d.lines[0], 1);
    CHECK_EQ_INT(d.lines[1], 3);
    CHECK_EQ_INT(d.lines[2], 3);
    CHECK_EQ_INT(d.lines[3], 99);
    vliw_image_destroy(image);
}

TEST(assembler_limits) {
    struct vliw_error error;
    struct vliw_image *image;
    size_t size = 4 * 40000;
    char *text = malloc(size + 1);
    for (size_t i = 0; i < size; i += 4) {
        memcpy(text + i, "END\n", 4);
    }
    CHECK_EQ_INT(vliw_assemble(text, size, &image, &error), VLIW_ERR_LIMIT);
    CHECK_EQ_INT(vliw_assemble(text, 4 * 32768, &image, &error), VLIW_OK);
    vliw_image_destroy(image);
    free(text);
    CHECK_EQ_INT(vliw_assemble(NULL, 0, &image, NULL), VLIW_OK);
    vliw_image_destroy(image);
    CHECK_EQ_INT(vliw_assemble("", (size_t)17 << 20, &image, &error), VLIW_ERR_LIMIT);
}

/* ---- Tables against each other and against ISA.md ---- */

TEST(opcode_rows) {
    for (int op = 0; op < ISA_OP_COUNT; op++) {
        CHECK_EQ_INT(isa_op_from_fields(isa_op_infos[op].mo, isa_op_infos[op].a), op);
        CHECK_EQ_INT(isa_op_infos[op].special, isa_op_infos[op].op_class >= ISA_CLASS_RCP);
    }
    CHECK_EQ_INT(ISA_OP_COUNT, 28);
    CHECK_EQ_INT(isa_op_from_fields(14, 0), -1);
    CHECK_EQ_INT(isa_op_from_fields(15, 1), -1);
}
