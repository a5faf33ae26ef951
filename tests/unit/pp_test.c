/* SPDX-License-Identifier: MIT */
/* The preprocessor and lexer: text in, tokens or messages out. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/harness/check.h"
#include "vm/base/bits.h"
#include "vm/glsl/decimal.h"
#include "vm/glsl/lex.h"
#include "vm/include/glslc.h"

static struct str tokens_text;
static struct diag_list diags;
static struct glsl_token_list list;
static struct arena arena;

/* Tokenises 'count' strings and prints the tokens with spaces between them into tokens_text. */
static void run_strings(const char *const *strings, uint32_t count) {
    struct str source;
    uint32_t boundaries[8];
    str_init(&source);
    for (uint32_t i = 0; i < count; i++) {
        boundaries[i] = (uint32_t)source.length;
        str_append(&source, strings[i]);
    }
    char *text = arena_strndup(&arena, source.text, source.length);
    diag_init(&diags, text, (uint32_t)source.length);
    struct glsl_atoms atoms;
    CHECK(glsl_atoms_init(&atoms, &arena));
    struct glsl_pp_options options = {GLSLC_EXT_STANDARD_DERIVATIVES, true};
    CHECK(glsl_tokenize(&arena, &atoms, &diags, text, (uint32_t)source.length, boundaries, count, &options, &list));
    str_init(&tokens_text);
    for (uint32_t i = 0; i + 1 < list.count; i++) {
        const struct glsl_token *t = &list.tokens[i];
        str_append(&tokens_text, i ? " " : "");
        if (t->kind == GLSL_T_INT) {
            str_printf(&tokens_text, "%u", (unsigned)t->value.i);
        } else if (t->kind == GLSL_T_FLOAT) {
            str_printf(&tokens_text, "%.9gf", (double)t->value.f);
        } else if (t->kind == GLSL_T_IDENT || t->kind == GLSL_T_RESERVED) {
            str_append(&tokens_text, t->atom->text);
        } else {
            str_append(&tokens_text, glsl_token_kind_text(t->kind));
        }
    }
    str_fini(&source);
}

static void finish(void) {
    str_fini(&tokens_text);
    diag_fini(&diags);
    arena_fini(&arena);
}

static void expect(const char *source, const char *wanted) {
    arena_init(&arena, 0);
    run_strings(&source, 1);
    CHECK_EQ_INT(diags.errors, 0);
    if (diags.errors) {
        printf("%s\n%s", source, diags.out.text);
    }
    CHECK_STR(tokens_text.text, wanted);
    finish();
}

/* The source must give at least one error, and its text must contain 'part'. */
static void refuse(const char *source, const char *part) {
    arena_init(&arena, 0);
    run_strings(&source, 1);
    CHECK(diags.errors > 0);
    if (!strstr(diags.out.text, part)) {
        check_failf(__FILE__, __LINE__, "'%s' is not in:\n%s", part, diags.out.text);
    }
    finish();
}

TEST(words_and_operators) {
    expect("a+b", "a + b");
    expect("ma/**/in", "ma in");
    expect("x+++y", "x ++ + y");
    expect("a<<=1 ^^ b", "a <<= 1 ^^ b");
    expect("v.xy 1.5 .5 2. 1e3 0x1F 017 0", "v . xy 1.5f 0.5f 2f 1000f 31 15 0");
    expect("ab\\\ncd // x \\\n still comment\ny", "abcd y");
    expect("1\\\r\n2", "12");
    expect("", "");
    refuse("a @ b", "'@'");
    refuse("1.0f", "no suffixes");
    refuse("08", "octal");
    refuse("4294967296", "32 bits");
    refuse("1e", "not a number");
    refuse("/* open", "not closed");
    refuse("a # b", "first thing on its line");
}

TEST(macros) {
    expect("#define A 1\nA A\n", "1 1");
    expect("#define F(a,b) a*(b)\nF(1+2, (3,4))", "1 + 2 * ( ( 3 , 4 ) )");
    expect("#define F(a) <a>\nF\n(1)\nF", "< 1 > F");
    expect("#define F(a) a\nF(\n1\n) 2\n#define B 3\nB", "1 2 3");
    expect("#define A B\n#define B A\nA B", "A B");
    expect("#define f(x) x f\nf(1)(2)", "1 f ( 2 )");
    expect("#define f(x) g(x)\n#define g(x) [x]\nf(f(1))", "[ [ 1 ] ]");
    expect("#define E\nE x E", "x");
    expect("#define F() 7\nF()", "7");
    expect("#define F(a) a\nF()", "");
    expect("#define V (1 + 2)\n#define V   (1 + 2)\nV", "( 1 + 2 )");
    expect("#define V 1\n#undef V\n#define V 2\nV", "2");
    expect("#define t(x,y) x y\nt(,2) t(1,)", "2 1");
    expect("#line 42\n__LINE__ __FILE__ __VERSION__ GL_ES", "42 0 100 1");
    expect("#define N 9\n#line N 4\n__LINE__ __FILE__", "9 4");
    expect("#define B __LINE__\n#define A(a, b) B a b\nA(__LINE__,\n__LINE__\n) B", "5 3 4 5");
    refuse("#define V (1+ 2)\n#define V (1 + 2)\n", "defined differently");
    refuse("#define F(a,b) a\nF(1)", "takes 2 arguments");
    refuse("#define F(a) a\nF(1,2)", "takes 1 argument");
    refuse("#define F(a) a\nF(1", "no closing");
    refuse("#define F(a,a) a\n", "twice");
    refuse("#define F(a a\n", "expected ','");
    refuse("#define A a##b\n", "##");
    refuse("#define GL_x 1\n", "reserved");
    refuse("#undef __LINE__\n", "predefined");
    refuse("#define 1 2\n", "macro name");
}

TEST(conditions) {
    expect("#if 1\na\n#else\nb\n#endif\nc", "a c");
    expect("#if 0\na\n#elif 1\nb\n#elif 1\nx\n#else\nc\n#endif", "b");
    expect("#ifdef A\n1\n#else\n#ifndef B\n2\n#endif\n#endif", "2");
    expect("#if 0 && FOO\n#elif 1 || FOO\ny\n#endif", "y");
    expect("#if 0\n@ ' \" #garbage\n#if X Y\n#endif\n#endif\nz", "z");
    expect("#define A 3\n#if defined A && defined(A) && !defined B && A*2+1==7\ny\n#endif", "y");
    expect("#if (1<<4)-16 == 0 && 7%4==3 && (5>>1)==2 && -1 < 0 && ~0 == -1 && (6&3)==2 && (6^3)==5 && (4|1)==5\ny\n#endif", "y");
    refuse("#if FOO\n#endif", "'FOO' is not defined");
    refuse("#if 1/0\n#endif", "division by zero");
    expect("#if 0 && 1/0\n#endif\nk", "k");
    refuse("#if\n#endif", "missing expression");
    refuse("#if 1 2\n#endif", "unexpected token");
    refuse("#if (1\n#endif", "missing ')'");
    refuse("#if 1.0\n#endif", "floating-point");
    refuse("#if 1\n", "no #endif");
    refuse("#endif\n", "without #if");
    refuse("#if 1\n#else\n#else\n#endif", "#else after #else");
    refuse("#if 1\n#else x\n#endif", "unexpected text");
    refuse("#ifdef\n#endif", "needs a macro name");
    refuse("#if defined(\n#endif", "needs a name");
    refuse("#foo\n", "unknown directive");
}

TEST(version_extension_pragma) {
    expect("/* c */\n\n#version 100\nx", "x");
    refuse("x\n#version 100\n", "must come before");
    refuse("#version 300 es\n", "not supported");
    refuse("#version 100 foo\n", "unexpected text");
    refuse("#version\n", "needs a number");
    refuse("int a;\n#extension all : warn\n", "must come before");
    refuse("#extension all : enable\n", "can only be warn");
    refuse("#extension GL_foo : require\n", "not supported");
    refuse("#extension GL_foo ; require\n", "expected ':'");
    refuse("#extension GL_foo : REQUIRE\n", "behaviour");
    refuse("#error no way\n", "#error no way");
    expect("#extension GL_foo : enable\n#pragma anything @ goes\nx", "x");
    arena_init(&arena, 0);
    const char *source = "#pragma STDGL invariant(all)\n#pragma optimize(off)\n#extension GL_OES_standard_derivatives : enable\n"
                         "x\n";
    run_strings(&source, 1);
    CHECK_EQ_INT(diags.errors, 0);
    CHECK(list.invariant_all && list.optimize_off && !list.debug);
    CHECK_EQ_INT(list.change_count, 1);
    CHECK_EQ_INT(list.changes[0].extensions, GLSLC_EXT_STANDARD_DERIVATIVES);
    CHECK_EQ_INT(list.changes[0].behaviour, GLSL_BEHAVIOUR_ENABLE);
    finish();
}

TEST(positions) {
    const char *const strings[] = {"a\n  b", "c\n@", "\n\t$"};
    arena_init(&arena, 0);
    run_strings(strings, 3);
    CHECK_EQ_INT(list.tokens[1].pos.line, 2);
    CHECK_EQ_INT(list.tokens[1].pos.column, 3);
    CHECK(strstr(diags.out.text, "1:2:1: error: character '@'") != NULL);
    CHECK(strstr(diags.out.text, "2:2:2: error: character '$'") != NULL);
    finish();
}

TEST(limits_give_messages) {
    struct str s;
    str_init(&s);
    str_append(&s, "#define a0 x x\n");
    for (int i = 1; i < 40; i++) {
        str_printf(&s, "#define a%d a%d a%d\n", i, i - 1, i - 1);
    }
    str_append(&s, "a39\n");
    refuse(s.text, "too many tokens");
    str_clear(&s);
    str_append(&s, "#define f(x) x\n");
    for (int i = 0; i < 5000; i++) {
        str_append(&s, "f(");
    }
    refuse(s.text, "");
    str_clear(&s);
    for (int i = 0; i < 5000; i++) {
        str_append(&s, "#if 1\n");
    }
    refuse(s.text, "nests deeper");
    str_clear(&s);
    str_append(&s, "#if ");
    for (int i = 0; i < 5000; i++) {
        str_append(&s, "(-");
    }
    refuse(s.text, "too many nested");
    str_fini(&s);
}

TEST(decimal_is_correctly_rounded) {
    static const char *const awkward[] = {
        "0", "0.0", "1e-46", "1.4e-45", "7.0064923216240853e-46", "7.0064923216240854e-46", "1.1754943508222875e-38",
        "3.4028235677973366e38", "3.4028235677973365e38", "3.40282356779733661637539395458142568448e38", "1e39", "1e400",
        "16777217.0", "16777219.0", "16777217.00000000000000000000000000000000000000000001", "9007199254740993.0",
        "0.000000000000000000000000000000000000000000000000001e60", "123456789012345678901234567890.0e-20",
        "0.1", "0.3", "2.718281828459045", "3.14159265358979", "8388608.5", "8388609.5", "1e-400", "00001.5"};
    for (unsigned i = 0; i < sizeof awkward / sizeof awkward[0]; i++) {
        float got = -1.0f, want = strtof(awkward[i], NULL);
        CHECK_EQ_INT(glsl_parse_decimal(awkward[i], (uint32_t)strlen(awkward[i]), &got), strlen(awkward[i]));
        if (bits_from_float(got) != bits_from_float(want)) {
            check_failf(__FILE__, __LINE__, "%s gives %a, not %a", awkward[i], (double)got, (double)want);
        }
    }
    for (int i = 0; i < 20000; i++) {
        char text[64];
        uint32_t bits = check_random();
        float f = bits_to_float(bits & 0x7FFFFFFFu);
        if (!(f < 3.4e38f)) {
            continue;
        }
        snprintf(text, sizeof text, "%.*e", (int)check_random_below(25), (double)f * (check_random_below(2) ? 1.0 : 1.0 + 1e-9));
        float got = -1.0f, want = strtof(text, NULL);
        glsl_parse_decimal(text, (uint32_t)strlen(text), &got);
        if (bits_from_float(got) != bits_from_float(want)) {
            check_failf(__FILE__, __LINE__, "%s gives %a, not %a", text, (double)got, (double)want);
        }
    }
}

static void check_double(const char *text) {
    double got = -1.0, want = strtod(text, NULL);
    CHECK_EQ_INT(glsl_parse_decimal64(text, (uint32_t)strlen(text), &got), strlen(text));
    if (memcmp(&got, &want, sizeof got) != 0) {
        check_failf(__FILE__, __LINE__, "%s gives %a, not %a", text, got, want);
    }
}

TEST(decimal_of_doubles_is_correctly_rounded) {
    static const char *const awkward[] = {
        "0", "0.0", "1e-330", "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
        "2.2250738585072014e-308", "2.2250738585072011e-308", "2.2250738585072012e-308", "1.7976931348623157e308",
        "1.7976931348623158e308", "1.7976931348623159e308", "1e309", "1e4000", "1e-4000", "9007199254740993.0",
        "9007199254740992.9999999999999999999999999999999999", "9007199254740993.00000000000000000000000000000000000001",
        "9007199254740995", "4503599627370496.5", "4503599627370497.5", "0.1", "0.3", "1e22", "1e23", "8.41e21",
        "89255e-22", "7.2057594037927933e16", "6.02214076e23", "0.500000000000000166533453693773481063544750213623046875",
        "0.000000000000000000000000000000000000000000000000001e60", "123456789012345678901234567890.0e-20", "00001.5"};
    for (unsigned i = 0; i < sizeof awkward / sizeof awkward[0]; i++) {
        check_double(awkward[i]);
    }
    for (int i = 0; i < 20000; i++) {
        char text[400];
        uint64_t bits = ((uint64_t)check_random() << 32 | check_random()) & INT64_MAX;
        double d;
        memcpy(&d, &bits, sizeof d);
        if (!(d < 1.7e308)) {
            continue;
        }
        snprintf(text, sizeof text, "%.*e", (int)check_random_below(30), d);
        check_double(text);
        if (bits >> 52 > 1020 && bits >> 52 < 1100) {
            /* Exactly half-way to the next double: all its digits, and then a digit more. */
            double next;
            bits++;
            memcpy(&next, &bits, sizeof next);
            snprintf(text, sizeof text, "%.120Lf", ((long double)d + (long double)next) / 2);
            check_double(text);
            text[strlen(text) - 1] = '1';
            check_double(text);
        }
    }
}

TEST(noise_never_crashes) {
    static const char *const parts[] = {"#", "define ", "if ", "endif", "\n", "A", "(", ")", ",", "F(", "1", "1.e", "/*", "*/", "//",
                                        "\\\n", "else", "elif ", "defined", "__LINE__", "\"", "\xC3\xA4", "##", "undef ", "line ", "+", "0x",
                                        "#define F(a,b) a b F(a\n", "#define A F\n", "#if 1\n", " "};
    for (int round = 0; round < 3000; round++) {
        struct str s;
        str_init(&s);
        for (uint32_t n = check_random_below(60); n > 0; n--) {
            str_append(&s, parts[check_random_below(sizeof parts / sizeof parts[0])]);
        }
        const char *source = s.text;
        arena_init(&arena, 0);
        run_strings(&source, 1);
        CHECK(list.count > 0 && list.tokens[list.count - 1].kind == GLSL_T_EOF);
        finish();
        str_fini(&s);
    }
}
