/* SPDX-License-Identifier: MIT */
/* The verifier: for each rule one image that breaks exactly it, with the place; and facts of good
 * images. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/check.h"
#include "vm/exec/verify.h"
#include "vm/isa/rules.h"

static struct vliw_image *assemble(const char *text) {
    struct vliw_image *image;
    struct vliw_error error;
    if (vliw_assemble(text, strlen(text), &image, &error) != VLIW_OK) {
        check_failf(__FILE__, __LINE__, "%s in %s", error.message, text);
    }
    return image;
}

/* 'text' breaks the rule at the unit; with 'repaired' in its place nothing is wrong. */
static const struct {
    unsigned rule;
    int word, slot;
    const char *text, *repaired;
} cases[] = {
    {ISA_RULE_DECODE, 1, 0, "MOV A B\n.word 0xfc400001", "MOV A B\n.word 0xfc400000"},
    {ISA_RULE_DECODE, 1, 1, ".word 0x3de000e4\n.word 0xfc400001", ".word 0x3de000e4\n.word 0xfc400000\nEND"},
    {ISA_RULE_NO_END, 1, 0, "END\n.word 0x000f00e4", "END\n.word 0x000f00e4\n.word 0xfc400000"},
    {ISA_RULE_NO_END, 3, 3, ".word 0x00000000\n.word 0x00000000\n.word 0x40000000\n.word 0x40000000\nEND",
     ".word 0x00000000\n.word 0x00000000\n.word 0x40000000\n.word 0xc0000000\nEND"},
    {ISA_RULE_PHASE_ORDER, 1, 1, ".word 0x400f00e4\n.word 0x800f08e4\nEND", ".word 0x000f00e4\n.word 0xc01f08e4\nEND"},
    {ISA_RULE_PHASE_UNITS, 2, 2, ".word 0x000f00e4\n.word 0x000000e4\n.word 0x800000e4\nEND",
     ".word 0x000f00e4\n.word 0x000000e4\n.word 0xc00000e4\nEND"},
    {ISA_RULE_UNIT_PHASE, 0, 0, ".word 0xf8000000\nEND", ".word 0x38000000\n.word 0xc0000000\nEND"},
    {ISA_RULE_ONE_PROCESS, 1, 1, "| KIL END", "| KIL\nEND"},
    {ISA_RULE_SUB_MASK, 1, 1, "MUL A.x B ADDy C\nEND", "MUL A.xy B ADDy C\nEND"},
    {ISA_RULE_EMPTY_OP, 0, 0, "MUL A._ B\nEND", "MOV A._ B\nEND"},
    {ISA_RULE_EMPTY_OP, 0, 0, "MUL A.x B MOVx C\nEND", "MOV A.x B MOVx C\nEND"},
    {ISA_RULE_EMPTY_OP, 0, 0, "MOVs A._ B\nEND", "MOVs A.x B\nEND"},
    {ISA_RULE_DOUBLE_WRITE, 1, 1, "MOV A.x B | MOV A.xy C\nEND", "MOV A.x B | MOV A.y C\nEND"},
    {ISA_RULE_DOUBLE_WRITE, 1, 1, "MOV A.x B LD A.xy [C.x]\nEND", "MOV A.x B ST A.xy [C.x]\nEND"},
    {ISA_RULE_DOUBLE_WRITE, 2, 2, "MOV r5.x B ADDR +4(d) | MOV r1.x C\nEND", "MOV r5.x B ADDR +5(d) | MOV r1.x C\nEND"},
    {ISA_RULE_DOUBLE_WRITE, 1, 1, "| MOV A.w B TEX A C s0\nEND", "| MOV A.w B TEX A.xyz C s0\nEND"},
    {ISA_RULE_SMASK_PHASE, 1, 1, "ADD A B - C@x\nEND", "ADD A B - C\nEND"},
    {ISA_RULE_SMASK_SOURCE, 1, 1, "| ADD A B - C@x\nEND", "MOV D E | ADD A B - C@x\nEND"},
    {ISA_RULE_MVS_SLOT, 0, 0, "MUL A.xy B MVSx PC\nEND", "MOV A.xy B MVSx PC\nEND"},
    {ISA_RULE_MVS_SLOT, 1, 1, "MVS A.xy PC ADDx B\nEND", "MVS A.xy PC MOVx B\nEND"},
    {ISA_RULE_MVS_SLOT, 2, 2, "MVS D.x PC | ADD A B - C@x\nEND", "MOV D.x B | ADD A B - C@x\nEND"},
    {ISA_RULE_MVS_SLOT, 1, 1, "MVS D.x PC LD A [*.x]\nEND", "MOV D.x B LD A [*.x]\nEND"},
    {ISA_RULE_SPECIAL_SELECT, 0, 0, "RCP A.xy B\nEND", "RCP A.xy B.x\nEND"},
    {ISA_RULE_SPECIAL_SELECT, 2, 2, "MOV D E.x | MOV A B RCPxy C.x@x\nEND", "MOV D E - F.y | MOV A B RCPxy C.x@xy\nEND"},
    {ISA_RULE_PAIR_CLASS, 1, 1, "MUL A B | MUL C B\nEND", "MUL A.xy B | MUL C.zw B\nEND"},
    {ISA_RULE_PAIR_CLASS, 1, 1, "CMP A B | MAX C B\nEND", "CMP A B | ADD C B\nEND"},
    {ISA_RULE_PAIR_CLASS, 1, 1, "ADD A B | DDX C B\nEND", "MUL A B | DDX C B\nEND"},
    {ISA_RULE_PAIR_CLASS, 2, 2, "ADD A B TYPE f32 MAD | MOV C B\nEND", "FLR A B TYPE f32 MAD | MOV C B\nEND"},
    {ISA_RULE_PAIR_SPECIAL, 1, 1, "RCP A.x B.x | RCP C.y B.y\nEND", "RCP A.x B.x | RSQ C.y B.y\nEND"},
    {ISA_RULE_PRED_TARGET, 0, 0, "PRED Z A\nEND", "PRED Z A | MOV B C\nEND"},
    {ISA_RULE_PRED_TARGET, 0, 0, "PRED Z A(1) | MOV B C\nEND", "PRED Z A(1) | MOV B C KIL\nEND"},
    {ISA_RULE_PRED_MASK, 0, 0, ".word 0x3c0000e4\n.word 0xfc400000\nEND", ".word 0x3c2000e4\n.word 0xfc400000\nEND"},
    {ISA_RULE_ADDR_TARGET, 0, 0, "ADDR A.x(1) | MOV A B\nEND", "ADDR A.x(1) | MOV A B - C\nEND"},
    {ISA_RULE_ADDR_TARGET, 0, 0, "ADDR A.x(1) | MOV A B - #1\nEND", "ADDR A.x(0) | MOV A B - #1\nEND"},
    {ISA_RULE_ADDR_TARGET, 0, 0, "ADDR A.x(0) | MVS A PC\nEND", "ADDR A.x(d) | MVS A PC\nEND"},
    {ISA_RULE_ADDR_TARGET, 0, 0, "ADDR A.x(d) | MOV A._ B\nEND", "ADDR A.x(d) | MOV A.x B\nEND"},
    {ISA_RULE_ADDR_TARGET, 0, 0, "ADDR A.x(p) | KIL\nEND", "ADDR A.x(p) | BL D 0\nEND"},
    {ISA_RULE_ADDR_TARGET, 0, 0, "ADDR A.x(p) | MOV A B\nEND", "ADDR A.x(p) | MOV A B LD C [A.x]\nEND"},
    {ISA_RULE_ADDR_TWICE, 1, 1, "ADDR A.x(0) ADDR B.x(0) | MOV C D\nEND", "ADDR A.x(0) ADDR B.x(d) | MOV C D\nEND"},
    {ISA_RULE_ADDR_RANGE, 0, 0, "ADDR +993(d) | MOV r31 A\nEND", "ADDR +992(d) | MOV r31 A\nEND"},
    {ISA_RULE_ADDR_RANGE, 0, 0, "ADDR -1(0) | MOV A c0\nEND", "ADDR +4095(0) | MOV A c0\nEND"},
    {ISA_RULE_TYPE_TARGET, 0, 0, "TYPE f32 | END\nEND", "TYPE f32 | LD A [B.x]\nEND"},
    {ISA_RULE_TYPE_TARGET, 0, 0, "TYPE f32(1) | MOV A B\nEND", "TYPE f32(1) | MOV A B - C\nEND"},
    {ISA_RULE_TYPE_TWICE, 1, 1, "TYPE f32 ABS TYPE f32 | MOV A B\nEND", "TYPE f32 ABS TYPE f32(1) | MOV A B - C\nEND"},
    {ISA_RULE_TYPE_ELEMENT, 0, 0, "TYPE i32 | SIN A B.x\nEND", "TYPE i32 | ADD A B\nEND"},
    {ISA_RULE_TYPE_ELEMENT, 0, 0, "TYPE f32.f64 | MOV A B\nEND", "TYPE f32.f32 | MOV A B\nEND"},
    {ISA_RULE_TYPE_ROUNDING, 0, 0, "TYPE f32 OWN.rz | ADD A B\nEND", "TYPE f32 OWN.rn | ADD A B\nEND"},
    {ISA_RULE_TYPE_XOP, 0, 0, "TYPE f32 IDIV | MOV A B\nEND", "TYPE f32 DIV | MOV A B\nEND"},
    {ISA_RULE_TYPE_MASK, 0, 0, "TYPE f64 | ADD A.yz B\nEND", "TYPE f64 | ADD A.zw B\nEND"},
    {ISA_RULE_TYPE_SELECT, 0, 0, "TYPE f64 | ADD A B.yxwz\nEND", "TYPE f64 | ADD A B.zwxy\nEND"},
    {ISA_RULE_TYPE_SATURATE, 0, 0, "TYPE i32 | ADDs A B\nEND", "TYPE f64 | ADDs A B\nEND"},
    {ISA_RULE_TYPE_OPERATION, 0, 0, "TYPE f32 SQRT | RCP A.x B.x\nEND", "TYPE f32 SQRT | MOV A.x B.x\nEND"},
    {ISA_RULE_TYPE_OPERATION, 0, 0, "TYPE f32 ABS | LD A [B.x]\nEND", "TYPE f32 OWN | LD A [B.x]\nEND"},
    {ISA_RULE_MEM_OPTION, 0, 0, "LD A [*.x]\nEND", "MOV C._ B LD A [*.x]\nEND"},
    {ISA_RULE_MEM_OPTION, 1, 1, ".word 0x000008ff\n.word 0xfe1f0840\nEND", ".word 0x000008ff\n.word 0xfe1f0040\nEND"},
    {ISA_RULE_MEM_MASK, 0, 0, "LD A._ [B.x]\nEND", "LD A.w [B.x]\nEND"},
    {ISA_RULE_TEX_GRADIENTS, 0, 0, "TXD A B s0\nEND", "MOV C._ D - E TXD A B s0\nEND"},
    {ISA_RULE_TEX_GRADIENTS, 1, 1, "MOV C._ D TXD A * s0\nEND", "MOV C._ D TXD A B s0\nEND"},
    {ISA_RULE_CODE_SIZE, -1, -1, "", "END"},
    {ISA_RULE_BRANCH_TARGET, 0, 0, "BL D 2\nADD A B - C\nEND", "BL D 1\nADD A B - C\nEND"},
    {ISA_RULE_BRANCH_TARGET, 0, 0, "BL R 3\nADD A B - C\nEND", "BL R 2\nADD A B - C\nEND"},
    {ISA_RULE_BRANCH_TARGET, 0, 0, "BL R -2\nEND", "BL R -1\nEND"},
    {ISA_RULE_BRANCH_TARGET, 1, 1, "ADDR +1(p) | BL D 2\nEND", "ADDR -2(p) | BL D 2\nEND"},
    {ISA_RULE_FALL_OFF, 1, 0, "END\nMOV A B", "END\nTRAP"},
    {ISA_RULE_FALL_OFF, 0, 0, "PRED Z A | END", "MOV A B | END"},
    {ISA_RULE_FALL_OFF, 0, 0, "KIL", "BL D 0"},
    {ISA_RULE_SAMPLER_USED, 0, 0, "TEX A B s1\nEND", "TEX A B s0\nEND"},
    {ISA_RULE_SAMPLER_USED, 1, 1, "ADDR +1(p) TEX A B s0\nEND", "ADDR C.x+1(p) TEX A B s0\nEND"},
    {ISA_RULE_STAGE_OP, 0, 0, ".stage vertex\nDDX A B\nEND", ".stage fragment\nDDX A B\nEND"},
    {ISA_RULE_STAGE_OP, 0, 0, ".stage vertex\nTEX A B s0\nEND", ".stage vertex\nTXL A B s0\nEND"},
    {ISA_RULE_STAGE_OP, 0, 0, ".stage vertex\nKIL\nEND", ".stage compute\nKIL\nEND"},
    {ISA_RULE_IO_SEMANTIC, -1, -1, ".stage vertex\n.in varying 0 A\nEND", ".stage vertex\n.out varying 0 A\nEND"},
    {ISA_RULE_IO_SEMANTIC, -1, -1, ".stage vertex\n.in attrib 16 A\nEND", ".stage vertex\n.in attrib 15 A\nEND"},
    {ISA_RULE_IO_SEMANTIC, -1, -1, ".stage compute\n.out color 0 A\nEND", ".stage fragment\n.out color 0 A\nEND"},
    {ISA_RULE_IO_SEMANTIC, -1, -1, ".stage fragment\n.out color 4 A\nEND", ".stage fragment\n.out color 3 A\nEND"},
    {ISA_RULE_IO_MASK, -1, -1, ".stage vertex\n.out pointsize A\nEND", ".stage vertex\n.out pointsize A.x\nEND"},
    {ISA_RULE_IO_TWICE, -1, -1, ".in generic 1 A.x\n.in generic 1 A.y\nEND", ".in generic 1 A.x\n.in generic 2 A.y\nEND"},
    {ISA_RULE_IO_TWICE, -1, -1, ".in generic 1 A.xy\n.in generic 2 A.y\nEND", ".in generic 1 A.xy\n.out generic 2 A.y\nEND"},
    {ISA_RULE_LITERAL_TWICE, -1, -1, ".const c1 1 2\n.const c1 _ 3\nEND", ".const c1 1 2\n.const c1 _ _ 3\nEND"},
};

static struct vliw_image *unchecked(const char *text) {
    char all[600];
    bool has_stage = strstr(text, ".stage") != NULL;
    snprintf(all, sizeof all, ".unchecked\n%s.sampler s0 tex2d\n%s\n",
             has_stage ? "" : ".stage compute\n", text);
    return assemble(all);
}

TEST(each_rule_alone) {
    bool seen[64] = {false};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct vliw_error e;
        memset(&e, 0, sizeof e);
        struct vliw_image *bad = unchecked(cases[i].text), *good = unchecked(cases[i].repaired);
        enum vliw_status status = bad != NULL ? vm_verify(bad, &e) : VLIW_OK;
        if (status != VLIW_ERR_VERIFY || e.rule != (int)cases[i].rule || e.word != cases[i].word ||
            e.slot != cases[i].slot || e.status != status) {
            check_failf(__FILE__, __LINE__, "'%s': not rule %u at %d/%d: %d, rule %d at %d/%d: %s",
                        cases[i].text, cases[i].rule, cases[i].word, cases[i].slot, (int)status,
                        (int)e.rule, (int)e.word, (int)e.slot, e.message);
        }
        status = good != NULL ? vm_verify(good, &e) : VLIW_ERR_SYNTAX;
        if (status != VLIW_OK) {
            check_failf(__FILE__, __LINE__, "'%s': %s", cases[i].repaired, e.message);
        }
        seen[cases[i].rule] = true;
        vliw_image_destroy(bad);
        vliw_image_destroy(good);
    }
    seen[ISA_RULE_SAMPLER_TABLE] = seen[ISA_RULE_IO_REGISTER] = seen[ISA_RULE_LITERAL_RANGE] =
        true; /* rules_of_tables */
    seen[ISA_RULE_GLOBALS_LIMIT] = seen[ISA_RULE_GPRS_LIMIT] = seen[ISA_RULE_STAGE] = true;
#define VLIW_RULE(id, number, text)                                           \
    if (!seen[number]) {                                                       \
        check_failf(__FILE__, __LINE__, "no image breaks rule %d", number);    \
    }
#include "vm/isa/rules.def"
#undef VLIW_RULE
    CHECK(true);
}

static void check_desc(const struct vliw_image_desc *d, unsigned rule) {
    struct vliw_error e;
    struct vliw_image *image = vliw_image_create(d);
    CHECK(image != NULL);
    if (rule == 0) {
        CHECK_EQ_INT(vm_verify(image, &e), VLIW_OK);
    } else {
        CHECK_EQ_INT(vm_verify(image, &e), VLIW_ERR_VERIFY);
        CHECK_EQ_INT(e.rule, rule);
        CHECK_EQ_INT(e.word, -1);
    }
    vliw_image_destroy(image);
}

/* What the assembler cannot even write. */
TEST(rules_of_tables) {
    static const uint32_t words[] = {0xfc400000};
    const struct vliw_image_desc plain = {
        .stage = VLIW_STAGE_FRAGMENT, .words = words, .word_count = 1};
    struct vliw_image_desc d = plain;
    check_desc(&d, 0);
    d.stage = (enum vliw_stage)3;
    check_desc(&d, ISA_RULE_STAGE);
    d = plain;
    d.globals = 4097;
    check_desc(&d, ISA_RULE_GLOBALS_LIMIT);
    d.globals = 4096;
    d.gprs = 1025;
    check_desc(&d, ISA_RULE_GPRS_LIMIT);
    d.gprs = 1024;
    check_desc(&d, 0);

    uint8_t samplers[40] = {0};
    d = plain;
    d.samplers = samplers;
    d.sampler_count = 33;
    check_desc(&d, ISA_RULE_SAMPLER_TABLE);
    d.sampler_count = 32;
    check_desc(&d, 0);
    samplers[31] = 5;
    check_desc(&d, ISA_RULE_SAMPLER_TABLE);

    struct vliw_io io = {.semantic = VLIW_SEM_VARYING, .mask = 15, .reg = 1023};
    d = plain;
    d.inputs = &io;
    d.input_count = 1;
    check_desc(&d, 0);
    io.reg = 1024;
    check_desc(&d, ISA_RULE_IO_REGISTER);
    io.reg = 5;
    io.mask = 0;
    check_desc(&d, ISA_RULE_IO_MASK);
    io.mask = 16;
    check_desc(&d, ISA_RULE_IO_MASK);
    io.mask = 15;
    io.semantic = 11;
    check_desc(&d, ISA_RULE_IO_SEMANTIC);
    io.semantic = 255;
    check_desc(&d, ISA_RULE_IO_SEMANTIC);
    io.semantic = VLIW_SEM_VARYING;
    io.reserved = 1;
    check_desc(&d, ISA_RULE_IO_SEMANTIC);
    io.reserved = 0;
    io.reserved2 = 1;
    check_desc(&d, ISA_RULE_IO_SEMANTIC);

    struct vliw_literal literal = {.reg = 4095, .bits = {0x7fc00001, 0xffffffff, 0, 1}, .mask = 15};
    d = plain;
    d.literals = &literal;
    d.literal_count = 1;
    check_desc(&d, 0); /* any bits are fine */
    literal.reg = 4096;
    check_desc(&d, ISA_RULE_LITERAL_RANGE);
    literal.reg = 0;
    literal.mask = 0;
    check_desc(&d, ISA_RULE_LITERAL_RANGE);
    literal.mask = 16;
    check_desc(&d, ISA_RULE_LITERAL_RANGE);
}

TEST(longest_program) {
    uint32_t *words = malloc(32769 * sizeof *words);
    for (unsigned i = 0; i < 32769; i++) {
        words[i] = 0xfc400000;
    }
    struct vliw_image_desc d = {.stage = VLIW_STAGE_VERTEX, .words = words, .word_count = 32769};
    check_desc(&d, ISA_RULE_CODE_SIZE);
    d.word_count = 32768;
    words[0] = 0xfc0f07ff; /* BL D 32767 */
    check_desc(&d, 0);
    free(words);
}

TEST(messages) {
    struct vliw_error e;
    struct vliw_image *image =
        assemble(".unchecked\n.line 42\nMOV A B\n.line 43\nMUL A B | MUL C B\nEND");
    CHECK_EQ_INT(vm_verify(image, &e), VLIW_ERR_VERIFY);
    CHECK_EQ_INT(e.line, 43);
    CHECK_STR(e.message, "word 2 slot 1 (line 43): rule 17: a component uses each operation class "
                         "once in an instruction "
                         "(MUL, with MUL in slot 0)");
    CHECK_EQ_INT(vm_verify(image, NULL), VLIW_ERR_VERIFY);
    vliw_image_destroy(image);
    image = assemble(".unchecked\n.nolines\nEND\n.word 0xfcc00000");
    CHECK_EQ_INT(vm_verify(image, &e), VLIW_ERR_VERIFY);
    CHECK_EQ_INT(e.line, -1);
    CHECK(strncmp(e.message, "word 1 slot 0: rule 1: ", 23) == 0 &&
          strstr(e.message, "BRC: no such operation") != NULL);
    vliw_image_destroy(image);
}

TEST(info) {
    struct vliw_info info;
    struct vliw_image *image = assemble(
        ".stage fragment\n.name \"n\"\n.in varying 0 r3\n.out color 0 r200\n.sampler s0 cube\n"
        ".const c77 1\nMOV A c9\nADDR +100(0) ADDR B.x+300(d) | MOV r1 r2\nTEX A B s0\n"
        "DDX A B\nPRED Z A KIL\nBL next\nnext: END");
    CHECK_EQ_INT(vm_verify(image, NULL), VLIW_OK);
    vm_verify_info(image, &info);
    CHECK_EQ_INT(info.stage, VLIW_STAGE_FRAGMENT);
    CHECK_EQ_INT(info.units, 10);
    CHECK_EQ_INT(info.instructions, 7);
    CHECK_EQ_INT(info.gprs, 302);
    CHECK_EQ_INT(info.globals, 78);
    CHECK_EQ_INT(info.flags,
                 VLIW_USES_DISCARD | VLIW_USES_DERIVATIVES | VLIW_USES_TEXTURE | VLIW_HAS_BRANCHES);
    CHECK_EQ_INT(info.input_count + info.output_count + info.sampler_count + info.literal_count, 4);
    CHECK_STR(info.name, "n");
    uint32_t starts[1];
    CHECK_EQ_INT(vm_verify_starts(image, starts), 7);
    CHECK_EQ_INT(starts[0], 1 | 2 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 8 | 1 << 9);
    vliw_image_destroy(image);
    image = assemble(".gprs 64\n.globals 32\nLD A [B.x]\nEND");
    vm_verify_info(image, &info);
    CHECK_EQ_INT(info.gprs, 64);
    CHECK_EQ_INT(info.globals, 32);
    CHECK_EQ_INT(info.flags, VLIW_USES_MEMORY);
    vliw_image_destroy(image);
}

/* Any words: an answer, never a crash; what is accepted has facts and starts. */
TEST(random_words) {
    uint32_t words[64];
    unsigned accepted = 0;
    for (int round = 0; round < 200000; round++) {
        unsigned n = 1 + check_random_below(6);
        for (unsigned i = 0; i < n; i++) {
            words[i] = check_random() ^ check_random() << 16;
            if (check_random_below(3) == 0) {
                words[i] &= 0xfe1f07ff | 0x80000000;
            }
        }
        words[n] = 0xfc400000;
        struct vliw_image_desc d = {
            .stage = VLIW_STAGE_COMPUTE, .words = words, .word_count = n + check_random_below(2)};
        struct vliw_image *image = vliw_image_create(&d);
        struct vliw_error e;
        if (vm_verify(image, &e) == VLIW_OK) {
            struct vliw_info info;
            uint32_t starts[2];
            accepted++;
            vm_verify_info(image, &info);
            if (info.instructions != vm_verify_starts(image, starts) || info.gprs > 1024 ||
                info.globals > 4096) {
                check_failf(__FILE__, __LINE__, "facts");
            }
        } else if (e.rule < 1 || e.rule > 54 || e.word >= (int)d.word_count) {
            check_failf(__FILE__, __LINE__, "rule %d word %d", (int)e.rule, (int)e.word);
        }
        vliw_image_destroy(image);
    }
    CHECK(accepted > 100);
}
