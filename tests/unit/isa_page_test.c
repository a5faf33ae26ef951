/* SPDX-License-Identifier: MIT */
/* ISA.md repeats the tables of opcodes.def, xops.def, typed.def and rules.def: every row must stand in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/check.h"
#include "tests/harness/read_file.h"
#include "vm/isa/isa.h"
#include "vm/isa/rules.h"

/* Tests run in the root of the source tree. */
static char *read_isa_md(void) {
    char *text = read_file("vm/ISA.md");
    CHECK(text != NULL);
    return text;
}

/* As the assembler writes it. */
static const char *type_pair(unsigned dtype, unsigned stype) {
    static char out[20];
    snprintf(out, sizeof out, dtype == stype ? "%s" : "%s.%s", isa_type_name(dtype), isa_type_name(stype));
    return out;
}

TEST(isa_md_repeats_the_tables) {
    char *text = read_isa_md();
    if (text == NULL) {
        CHECK(false);
        return;
    }
    char row[400];
    unsigned rows = 0, expected = 0;
#define VLIW_RULE(id, number, words)                                          \
    snprintf(row, sizeof row, "\n| %d | %s | %s |", number, #id, words);     \
    if (strstr(text, row) == NULL) {                                           \
        check_failf(__FILE__, __LINE__, "ISA.md lacks the row%s", row);        \
    }                                                                          \
    expected++;
#include "vm/isa/rules.def"
#undef VLIW_RULE
#define VLIW_OP(id, mo, a, sources, class, latency, meaning)                                       \
    snprintf(row, sizeof row, "\n| %s | %d | %d | %d | %s | `%s` |", #id, mo, a, sources, #class,  \
             meaning);                                                                             \
    if (strstr(text, row) == NULL) {                                                               \
        check_failf(__FILE__, __LINE__, "ISA.md lacks the row%s", row);                            \
    }
#include "vm/isa/opcodes.def"
#undef VLIW_OP
#define VLIW_XOP(id, number, sources, class, f32, meaning)                                         \
    snprintf(row, sizeof row, "\n| %s | %d | %d | %s | %s | `%s` |", #id, number, sources, #class, \
             f32 ? "yes" : "no", meaning);                                                         \
    if (strstr(text, row) == NULL) {                                                               \
        check_failf(__FILE__, __LINE__, "ISA.md lacks the row%s", row);                            \
    }
#include "vm/isa/xops.def"
#undef VLIW_XOP
#define VLIW_TYPED(id, spelling, op, xop, dtype, stype, meaning)                                   \
    snprintf(row, sizeof row, "\n| `%s` | %s | %s | `%s` |", spelling,                             \
             strcmp(#xop, "OWN") == 0 ? #op : "MOV, " #xop, type_pair(ISA_TYPE_##dtype, ISA_TYPE_##stype), meaning); \
    if (strstr(text, row) == NULL) {                                                               \
        check_failf(__FILE__, __LINE__, "ISA.md lacks the row%s", row);                            \
    }
#include "vm/isa/typed.def"
#undef VLIW_TYPED
    /* and no rule more than the table has */
    for (const char *p = strstr(text, "\n| rule |"); p != NULL && p[1] == '|';
         p = strchr(p + 1, '\n')) {
        rows++;
    }
    CHECK_EQ_INT(rows, expected + 2); /* heading and separator */
    free(text);
}
