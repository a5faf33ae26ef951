/* SPDX-License-Identifier: MIT */
/*
 * TYPE: words and spellings, one program for each broken rule, and hand-written programs with known values on
 * every backend and the reference. Random operands are tests/simd/check_typed.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/check.h"
#include "tests/simd/vmrun.h"
#include "vm/base/bits.h"
#include "vm/isa/isa.h"
#include "vm/isa/rules.h"

static struct vliw_image *assemble(const char *text) {
    struct vliw_image *image;
    struct vliw_error error;
    if (vliw_assemble(text, strlen(text), &image, &error) != VLIW_OK) {
        check_failf(__FILE__, __LINE__, "%s in %s", error.message, text);
    }
    return image;
}

/* Words of a text, "%08x %08x ...". */
static const char *words_of(const char *text) {
    static char out[2][1000];
    static unsigned turn;
    char *s = out[turn++ & 1u];
    struct vliw_image_desc d = {0};
    struct vliw_image *image = assemble(text);
    s[0] = '\0';
    if (image != NULL) {
        vliw_image_describe(image, &d);
    }
    for (uint32_t i = 0; i < d.word_count && i < 100; i++) {
        sprintf(s + strlen(s), i ? " %08x" : "%08x", (unsigned)d.words[i]);
    }
    vliw_image_destroy(image);
    return s;
}

/* ---- Spellings ---- */

static const struct {
    const char *text, *units, *words;      /* the mail's form, ours, and the words where they are worth stating */
} spellings[] = {
    {"d_add r1.xy, r2.xy, r2.xy", "TYPE f64 | ADD r1.xy r2.xyxy(0) - r2.xyxy(1)", "38420000 46131044 c0001044"},
    {"d_add r1.zw, r2.xy, r2.xy", "TYPE f64 | ADD r1.zw r2.xyxy(0) - r2.xyxy(1)", "38420000 461c1044 c0001044"},
    {"d_mul r1, r2, -r3.zwxy", "TYPE f64 | MUL r1 r2 - -r3.zwxy", NULL},
    {"d_mul r1, r2, r1", "TYPE f64 | MUL r1 r2", NULL},
    {"d_add_sat r1, r2, c3.zw", "TYPE f64 | ADDs r1 r2 - c3.zwzw", NULL},
    {"d_fma r0, r1, r2", "TYPE f64 FMA | MOV r0 r1 - r2", NULL},
    {"d_neg r0.zw, r1.xy", "TYPE f64 | MOV r0.zw -r1.xyxy", NULL},
    {"d_neg r0.zw, -r1.xy", "TYPE f64 | MOV r0.zw r1.xyxy", NULL},
    {"d_rcp r0, r1.zw", "TYPE f64 | RCP r0 r1.zwzw", NULL},
    {"d_slt r0.y, r1.zw, r2.xy", "TYPE f32.f64 | SLT r0.y r1.z - r2.x", NULL},
    {"d2f r0.xy, r1", "TYPE f32.f64 | CONV r0.xy r1.xzxx", NULL},
    {"d2f r0.yw, r1.zwxy", "TYPE f32.f64 | CONV r0.yw r1.zzxx", NULL},
    {"f2d r0, r1", "TYPE f64.f32 | CONV r0 r1.xxyy", NULL},
    {"f2d r0.zw, r1.w", "TYPE f64.f32 | CONV r0.zw r1.w", NULL},
    {"f2d r0, r1.zw", "TYPE f64.f32 | CONV r0 r1.zzww", NULL},
    {"i_mvs r0.x, PC", "TYPE i32 | MVS r0.x PC", NULL},
    {"i_div r0, r1, c2.x", "TYPE i32 IDIV | MOV r0 r1 - c2.x", NULL},
    {"u2f r0.xyz, r1.wyx", "TYPE f32.u32 | CONV r0.xyz r1.wyx", NULL},
    {"b_lerp r0.x, r1.y, r2.z", "TYPE u8x4 LERP | MOV r0.x r1.y - r2.z", NULL},
    {"b_not r0.x, r0.x", "TYPE u8x4 | MOV r0.x -r0.x", NULL},
    {"f2b r0.y, r1", "TYPE u8x4.f32 | CONV r0.y r1", NULL},
    {"b2f r1, r0.y", "TYPE f32.u8x4 | CONV r1 r0.y", NULL},
};

TEST(spellings_of_the_mail) {
    for (unsigned i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        const char *words = words_of(spellings[i].text);
        CHECK_STR(words, words_of(spellings[i].units));
        if (spellings[i].words != NULL) {
            CHECK_STR(words_of(spellings[i].text), spellings[i].words);
        }
        struct vliw_image *image = assemble(spellings[i].text);
        char *text = vliw_disassemble(image);
        CHECK(text != NULL && strstr(text, ".word") == NULL);
        CHECK_STR(words_of(text), words_of(spellings[i].text));
        vliw_free(text);
        vliw_image_destroy(image);
    }
}

TEST(integer_immediates) {
    CHECK_STR(words_of("TYPE i32 | ADD A B - #-3i"), "38840000 460f08e4 c100fffd");
    CHECK_STR(words_of("TYPE u32 | ADD A B - #65535i"), "38c60000 460f08e4 c100ffff");
    struct vliw_image *image = assemble("TYPE i32 | ADD A B - #-3i");
    char *text = vliw_disassemble(image);
    CHECK(text != NULL && strstr(text, "#-3i") != NULL);
    vliw_free(text);
    vliw_image_destroy(image);
}

static const struct {
    const char *text;
    int column;
    const char *part;
} diagnostics[] = {
    {"d_add r1.zw, r2.xy", 19, "',' expected"},
    {"d_add r1.zw, r2.xy, r2.xy, r3", 26, "d_add has 2 sources"},
    {"d_add r1.zw, r2.yx, r2.xy", 16, "xy, zw or two of these pairs"},
    {"d_add r1.zw, r2.x, r2.xy", 16, "xy, zw or two of these pairs"},
    {"d_add r1.yz, r2.xy, r2.xy", 1, "rule 31"},
    {"f2d r1.xy, r2.xy", 14, "one letter for each pair"},
    {"f2b r1.xy, r2", 1, "rule 31"},
    {"i_add_sat r1, r2, r3", 1, "rule 36"},
    {"i_mvs r1, r2", 11, "status register expected"},
    {"TYPE i32 | ADD A B - #99999i", 23, "-32768 to 65535"},
    {"TYPE f64 | ADD A B.x", 1, "rule 35"},
};

TEST(assembler_diagnostics) {
    for (unsigned i = 0; i < sizeof diagnostics / sizeof diagnostics[0]; i++) {
        struct vliw_image *image;
        struct vliw_error error = {.message = ""};
        enum vliw_status status = vliw_assemble(diagnostics[i].text, strlen(diagnostics[i].text), &image, &error);
        if (status == VLIW_OK || error.column != diagnostics[i].column || strstr(error.message, diagnostics[i].part) == NULL) {
            check_failf(__FILE__, __LINE__, "'%s': %d %s", diagnostics[i].text, (int)error.column, error.message);
        }
        vliw_image_destroy(image);
    }
    CHECK(true);
}

/* ---- Rules ---- */

/* What each text breaks; words come from .unchecked, as a binary would bring them. */
static const struct {
    unsigned rule;
    int slot;
    const char *text, *repaired;
} violations[] = {
    {ISA_RULE_TYPE_MASK, 0, "TYPE f64 | ADD A.x B", "TYPE f64 | ADD A.xy B"},
    {ISA_RULE_TYPE_MASK, 0, "TYPE f64 | ADD A.yz B", "TYPE f64 | ADD A.zw B"},
    {ISA_RULE_TYPE_MASK, 0, "TYPE f64 | ADD A.xyz B", "TYPE f64 | ADD A B"},
    {ISA_RULE_TYPE_MASK, 0, "TYPE f64 | ADD A B MOVy C(1)", "TYPE f64 | ADD A B MOVxy C(1)"},
    {ISA_RULE_TYPE_MASK, 0, "TYPE f64(1) | MOV A B ADDyz C(1)", "TYPE f64(1) | MOV A B ADDzw C(1)"},
    {ISA_RULE_TYPE_MASK, 0, "TYPE f64.f32 | CONV A.xyz B.x", "TYPE f64.f32 | CONV A.xy B.x"},
    {ISA_RULE_TYPE_MASK, 0, "TYPE u8x4.f32 | CONV A.xy B", "TYPE u8x4.f32 | CONV A.y B"},
    {ISA_RULE_TYPE_MASK, 0, "TYPE u8x4.f32 | TEX A B s0", "TYPE u8x4.f32 | TEX A.x B s0"},
    {ISA_RULE_TYPE_SELECT, 0, "TYPE f64 | ADD A B.yxwz", "TYPE f64 | ADD A B"},
    {ISA_RULE_TYPE_SELECT, 0, "TYPE f64 | ADD A B.xyyz", "TYPE f64 | ADD A B.xyxy"},
    {ISA_RULE_TYPE_SELECT, 0, "TYPE f64 | ADD A B - C.xxzz", "TYPE f64 | ADD A B - C.zwxy"},
    {ISA_RULE_TYPE_SELECT, 0, "TYPE f32.f64 | SLT A.x B.y - C.x", "TYPE f32.f64 | SLT A.x B.z - C.x"},
    {ISA_RULE_TYPE_SELECT, 0, "TYPE f32.f64 | SLT A.y B.x", "TYPE f32.f64 | SLT A.z B.x"},
    {ISA_RULE_TYPE_SELECT, 0, "TYPE i32.f64 | CONV A B", "TYPE i32.f64 | CONV A B.xzxz"},
    {ISA_RULE_SPECIAL_SELECT, 1, "TYPE f64 | RCP A B", "TYPE f64 | RCP A B.zwzw"},
    {ISA_RULE_TYPE_SATURATE, 0, "TYPE i32 | ADDs A B", "TYPE f64 | ADDs A B"},
    {ISA_RULE_TYPE_SATURATE, 0, "TYPE u8x4 | MULs A B", "TYPE u8x4 | MUL A B"},
    {ISA_RULE_TYPE_ELEMENT, 0, "TYPE f64 | SIN A B.xyxy", "TYPE f64 | RSQ A B.xyxy"},
    {ISA_RULE_TYPE_ELEMENT, 0, "TYPE i32.u8x4 | CONV A B", "TYPE f32.u8x4 | CONV A B"},
    {ISA_RULE_TYPE_ELEMENT, 0, "TYPE f64 | TEX A B s0", "TYPE f32 | TEX A B s0"},
    {ISA_RULE_TYPE_ELEMENT, 0, "TYPE i32 | LD A [B.x]", "TYPE f32 | LD A [B.x]"},
    {ISA_RULE_TYPE_XOP, 0, "TYPE f64 IDIV | MOV A B", "TYPE f64 DIV | MOV A B"},
    {ISA_RULE_TYPE_XOP, 0, "TYPE f32 FMA | MOV A B", "TYPE f64 FMA | MOV A B"},
    {ISA_RULE_TYPE_XOP, 0, "TYPE i32 SQRT | MOV A B", "TYPE i32 ABS | MOV A B"},
    {ISA_RULE_TYPE_OPERATION, 0, "TYPE f64 FMA | ADD A B", "TYPE f64 | ADD A B"},
    {ISA_RULE_EMPTY_OP, 1, "TYPE f64 | MOV A._ B", "TYPE f32 | MOV A._ B"},
    {ISA_RULE_EMPTY_OP, 2, "TYPE i32(1) | ADD A B - C", "TYPE i32(0) | ADD A B - C"},
    {ISA_RULE_PAIR_CLASS, 2, "ADD C D TYPE f64 | ADD A B", "MUL C D TYPE f64 | ADD A B"},
    {ISA_RULE_PAIR_CLASS, 2, "MUL C D TYPE f64 FMA | MOV A B", "MOV C D TYPE f64 FMA | MOV A B"},
};

static int refusal(const char *text, int *slot) {
    char program[400];
    struct vliw_program *p = NULL;
    struct vliw_error error = {.rule = 0, .slot = -1};
    snprintf(program, sizeof program, ".stage fragment\n.sampler s0 tex2d\n.unchecked\n%s\nEND\n", text);
    struct vliw_image *image = assemble(program);
    enum vliw_status status = vliw_program_create(image, &p, &error);
    vliw_program_destroy(p);
    vliw_image_destroy(image);
    *slot = error.slot;
    return status == VLIW_OK ? 0 : error.rule;
}

TEST(violations_are_refused_by_number) {
    for (unsigned i = 0; i < sizeof violations / sizeof violations[0]; i++) {
        int slot, rule;
        rule = refusal(violations[i].text, &slot);
        if (rule != (int)violations[i].rule || slot != violations[i].slot) {
            check_failf(__FILE__, __LINE__, "'%s': rule %d at unit %d", violations[i].text, rule, slot);
        }
        rule = refusal(violations[i].repaired, &slot);
        if (rule != 0) {
            check_failf(__FILE__, __LINE__, "'%s': rule %d at unit %d", violations[i].repaired, rule, slot);
        }
    }
    CHECK(true);
}

/* SMASK must override whole pairs, and with pairs. */
TEST(overrides_of_pairs) {
    int slot;
    CHECK_EQ_INT(refusal("MOV D E TYPE f64 | ADD A B - C@x", &slot), ISA_RULE_TYPE_SELECT);
    CHECK_EQ_INT(refusal("MOV D E.yxwz TYPE f64 | ADD A B - C@xy", &slot), ISA_RULE_TYPE_SELECT);
    CHECK_EQ_INT(refusal("MOV D E TYPE f64 | ADD A B - C@xy", &slot), 0);
}

/* ---- Values ---- */

/* Runs the text on all backends and the reference with random inputs. */
static void compare_text(const char *text, unsigned rounds) {
    struct vliw_image *image = vmrun_assemble(text);
    for (unsigned i = 0; image != NULL && i < rounds; i++) {
        struct vmrun r = {.image = image, .active = vmrun_mask(true), .budget = 3000};
        bool good = vmrun_compare(&r);
        CHECK(good);
        if (!good) {
            check_failf(__FILE__, __LINE__, "%s\n%s", r.message, text);
            break;
        }
    }
    vliw_image_destroy(image);
}

/* r0 of lane 0 after the text, from the reference; and all backends agree. */
static void run_text(const char *text, uint32_t out[4]) {
    char program[1000];
    struct vliw_error error;
    struct vliw_program *p = NULL;
    uint32_t gpr[16 * 16];
    memset(gpr, 0, sizeof gpr);
    snprintf(program, sizeof program, ".gprs 16\n%s\nEND\n", text);
    struct vliw_image *image = assemble(program);
    CHECK_EQ_INT(vliw_program_create(image, &p, &error), VLIW_OK);
    struct vliw_run run = {.active = {{15}}};
    CHECK_EQ_INT(vliw_ref_run(p, gpr, NULL, 0, &run), VLIW_OK);
    for (unsigned c = 0; c < 4; c++) {
        out[c] = gpr[c * 4];
    }
    vliw_program_destroy(p);
    vliw_image_destroy(image);
    compare_text(program, 2);
}

#define CHECK_R0(text, x, y, z, w) { \
    uint32_t got[4]; \
    run_text(text, got); \
    CHECK_EQ_INT(got[0], x); CHECK_EQ_INT(got[1], y); CHECK_EQ_INT(got[2], z); CHECK_EQ_INT(got[3], w); }

TEST(words_of_a_double) {
    /* 3.0 is 4008000000000000, high word in w (the mail's example) */
    CHECK_R0(".const c0 3\nf2d r0.zw, c0.x", 0, 0, 0, 0x40080000);
    CHECK_R0(".const c0 0 0x40080000\nd_add r0.zw, c0.xy, c0.xy", 0, 0, 0, 0x40180000);
    CHECK_R0(".const c0 0 0x40080000\nd_neg r0.xy, c0.xy\nd2f r0.z, r0.xy", 0, 0xC0080000, 0xC0400000, 0);
    /* 1/3 and three times it */
    CHECK_R0(".const c0 3\nf2d r1.xy, c0.x\nd_rcp r0.xy, r1.xy\nd_mul r0.zw, r0.xy, r1.xy", 0x55555555, 0x3FD55555, 0, 0x3FF00000);
    /* fused and not: (1 + 2^-52)^2 - (1 + 2^-51) is 2^-104 or 0 */
    CHECK_R0(".const c0 0x1 0x3FF00000 0x2 0xBFF00000\nd_mov r0, c0.zw\nd_fma r0.xy, c0.xy, c0.xy\nd_mad r0.zw, c0.xy, c0.xy",
             0, 0x39700000, 0, 0);
    CHECK_R0("TYPE f64 | ADD r0 r0 - #0.5", 0, 0x3FE00000, 0, 0x3FE00000);
    CHECK_R0(".const c0 0x7FC12345\nf2d r0.xy, c0.x", 0, 0x7FF80000, 0, 0);
}

TEST(integers) {
    CHECK_R0("TYPE i32 | ADD r0.x r1 - #-3i\nTYPE u32 | ADD r0.y r1 - #-3i\nTYPE i32 | MOV r0.z -r0.z\ni_neg r0.w, r0.x",
             0xFFFFFFFD, 0x0000FFFD, 0, 3);
    CHECK_R0(".const c0 0x80000000 0xFFFFFFFF 0 0x7\ni_div r0.x, c0.x, c0.y\ni_mod r0.y, c0.x, c0.y\ni_div r0.z, c0.w, c0.z\n"
             "i_mod r0.w, c0.w, c0.z", 0x80000000, 0, 0xFFFFFFFF, 7);
    CHECK_R0(".const c0 1e20 -5 4294967040 0x7FC00000\nf2i r0.x, c0.x\nf2u r0.y, c0.y\nf2u r0.z, c0.z\nf2u r0.w, c0.w",
             0x7FFFFFFF, 0, 0xFFFFFF00, 0);
    CHECK_R0("MOV r1 r1\ni_mvs r0.xy, PC", 3, 3, 0, 0);
}

TEST(bytes) {
    CHECK_R0(".const c0 0x80FF0040 0x8080FF10\nb_mul r0.x, c0.x, c0.y\nb_add r0.y, c0.x, c0.y\nb_not r0.z, c0.x\nb_alpha r0.w, c0.y",
             0x40800004, 0xFFFFFF50, 0x7F00FFBF, 0x80808080);
    /* halfway between black and white: 255 * 128 / 255 */
    CHECK_R0(".const c0 0x80808080 0xFFFFFFFF\nb_lerp r0.x, c0.x, c0.y\nb2f r0.yzw, c0.x", 0x80808080, 0x3F008081, 0x3F008081, 0x3F008081);
    CHECK_R0(".const c0 0.5 -1 2 1\nf2b r0.x, c0\nb2f r0.yz, r0.x", 0xFFFF0080, 0, 0x3F800000, 0);
    CHECK_R0("TYPE u8x4 | ADD r0.x r1 - #0x8040", 0x80404040, 0, 0, 0);
}

/* All pairs of channels, against the quotient as it is defined. */
TEST(byte_products_are_rounded) {
    for (unsigned a = 0; a < 256; a++) {
        for (unsigned b = 0; b < 256; b += 15) {
            char text[300];
            uint32_t got[4];
            unsigned want = (2 * a * b + 255) / 510;
            if ((a * 17 + b) % 97 != 0) {      /* a run costs some microseconds */
                continue;
            }
            snprintf(text, sizeof text, ".const c0 0x%08x 0x%08x\nb_mul r0.x, c0.x, c0.y\n", a * 0x01010101u, b * 0x01010101u);
            run_text(text, got);
            CHECK_EQ_INT(got[0], want * 0x01010101u);
        }
    }
}

/*
 * The thread's example: one register name holds 4 x 32-bit floats, doubles, and 4 x 8 bits by turns. The size
 * belongs to the value. (Textures hold no doubles here, so F2D makes them.)
 */
TEST(one_register_of_three_sizes) {
    static const char text[] =
        ".stage fragment\n.in generic 0 r1\n.in generic 1 r5\n.gprs 8\n"
        ".sampler s0 tex2d\n.sampler s1 tex2d\n.sampler s2 tex2d\n"
        "TEX r0 r1 s0\n"
        "MAX r2 r0 - r5\n"
        "TEX r0 r1 s1\n"
        "f2d r0, r0.xy\n"
        "f2d r6, r5.xy\n"
        "d_max r3, r0, r6\n"
        "TYPE u8x4.f32 | TEX r0.x r1 s2\n"
        "b_mov r4.x, r0.x\n"
        "END\n";
    compare_text(text, 100);
}

TEST(typed_with_predicates_indices_and_overrides) {
    static const char *const texts[] = {
        ".in generic 0 r0\n.in generic 1 r1\n.in generic 2 r2\n.gprs 8\n.globals 8\n"
        "PREDxyzw N r2.x TYPE f64 | ADDs r0 r1 - -r2.zwxy\nEND\n",
        ".in generic 0 r0\n.in generic 1 r1\n.in generic 2 r2\n.gprs 8\n.globals 8\n"
        "ADDR r2.x(0) TYPE f64 | MUL r0 r0 - c1\nADDR r2.y(d) TYPE i32 | ADD r0 r1 - c1.x\nEND\n",
        ".in generic 0 r0\n.in generic 1 r1\n.in generic 2 r2\n.gprs 8\n.globals 8\n"
        "MOV r5 -r1.zwxy TYPE f64 | ADD r0 r0 - r2@zw\n"
        "TYPE f64 TYPE f32.f64(1) | MUL r3.xyz r1.xyxy SLTz r2.xyxy(1)\nEND\n",
        ".in generic 0 r0\n.in generic 1 r1\n.in generic 2 r2\n.gprs 8\n.globals 8\n"
        "TYPE u8x4 MAD | MOV r0 r1 - -r2.wzyx\nTYPE u8x4 LERP TYPE u8x4(1) | MOV r0 r1 MULxy r2(1)\n"
        "TYPE f32.u8x4 | CONVs r4 -r1.xyxy\nTYPE u8x4.f32(1) | MOV r5 r1 CONVy r2(1)\nTYPE i32 SAR | MOV r6 -r1 - r2\nEND\n",
        ".in generic 0 r0\n.in generic 1 r1\n.gprs 8\n"
        "i_mvs r2.y, FRONT\nTYPE i32(1) | MOV r3 r1 MVSx PC(1)\nEND\n",
    };
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        compare_text(texts[i], 100);
    }
}

/* A loop whose state is a double: z = z * z + c until |z|^2 > 4 or 30 rounds. */
TEST(double_loop) {
    static const char text[] =
        ".in generic 0 r0.xy\n.gprs 8\n.const c0 0.03125 1 30 4\n"
        "MUL r0.xy c0.x\n"
        "f2d r1, r0.xy\n"
        "f2d r5.xy, c0.w\n"
        "d_mov r2, r1\n"
        "top: d_mul r3, r2, r2\n"
        "d_add r4.xy, r3.xy, r3.zw\n"
        "d_slt r6.x, r5.xy, r4.xy\n"
        "PRED NZ r6.x | BL out\n"
        "d_mul r3.zw, r2.xy, r2.zw\n"
        "d_mul r7.xy, r2.zw, r2.zw\n"
        "d_mul r3.xy, r2.xy, r2.xy\n"
        "d_add r2.xy, r3.xy, -r7.xy\n"
        "d_add r2.zw, r3.zw, r3.zw\n"
        "d_add r2, r2, r1\n"
        "ADD r6.y c0.y\n"
        "CMP r6.z r6.y - c0.z\n"
        "PRED N r6.z | BL top\n"
        "out: END\n";
    compare_text(text, 60);
}
