/* SPDX-License-Identifier: MIT */
/*
 * Assembler: directives, labels and the finished image (ISA.md, Assembly). In: text, untrusted.
 * Out: an image, or the first error with line and column. Names are looked up in hash tables and
 * nothing recurses, so time is linear in the text.
 */
#include "vm/isa/asm.h"

#include <stdlib.h>
#include <string.h>

#include "vm/isa/image.h"
#include "vm/isa/word.h"

bool asm_emit(struct assembler *a, uint32_t word, uint32_t line) {
    uint32_t cap = a->word_cap, line_cap = a->word_cap;
    if (!asm_grow(a, (void **)&a->words, a->word_count, &cap, sizeof *a->words, ISA_MAX_UNITS) ||
        !asm_grow(a, (void **)&a->lines, a->word_count, &line_cap, sizeof *a->lines,
                  ISA_MAX_UNITS)) {
        return false;
    }
    a->word_cap = cap;
    a->words[a->word_count] = word;
    a->lines[a->word_count] = a->explicit_lines ? a->source_line : line;
    a->word_count++;
    if (a->later_count > 0) {
        a->source_line = a->later_lines[0];
        a->later_count--;
        memmove(a->later_lines, a->later_lines + 1, a->later_count * sizeof a->later_lines[0]);
    }
    return true;
}

/* ---- Directives ---- */

/* ".line N": of the units that follow. ".line N N": of the next unit, and of those behind it. */
static bool dir_line(struct assembler *a) {
    a->explicit_lines = true;
    a->later_count = 0;
    bool ok = asm_unsigned(a, UINT32_MAX, &a->source_line);
    while (ok && a->token.kind == ASM_NUMBER && a->later_count < 3) {
        ok = asm_unsigned(a, UINT32_MAX, &a->later_lines[a->later_count]);
        a->later_count += ok;
    }
    return ok;
}

static bool dir_stage(struct assembler *a) {
    static const struct { const char *name; uint32_t stage; } stages[] = {
#define VLIW_STAGE_NAME(stage, name) {name, stage},
#include "vm/isa/io_names.def"
    };
    for (unsigned i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        if (asm_is_word(&a->token, stages[i].name)) {
            a->stage = stages[i].stage;
            asm_next(a);
            return true;
        }
    }
    return asm_error(a, VLIW_ERR_SYNTAX, &a->token, "vertex, fragment or compute expected");
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9'                 ? c - '0'
           : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                : -1;
}

static bool dir_name(struct assembler *a) {
    const struct asm_token t = a->token;
    size_t n = 0;
    if (t.kind != ASM_STRING) {
        return asm_error(a, VLIW_ERR_SYNTAX, &t, "name in double quotes expected");
    }
    for (const char *p = t.at + 1, *end = t.at + t.length - 1; p < end; p++) {
        char c = *p;
        if (c == '\\') {
            if (end - p >= 2 && (p[1] == '"' || p[1] == '\\')) {
                c = *++p;
            } else if (end - p >= 4 && p[1] == 'x' && hex_digit(p[2]) >= 0 &&
                       hex_digit(p[3]) >= 0) {
                c = (char)(hex_digit(p[2]) * 16 + hex_digit(p[3]));
                p += 3;
            } else {
                return asm_error(a, VLIW_ERR_SYNTAX, &t,
                                 "only \\\\, \\\" and \\xNN may follow a backslash");
            }
        }
        if (c == '\0') {
            return asm_error(a, VLIW_ERR_SYNTAX, &t, "a name contains no zero byte");
        }
        if (n + 1 >= sizeof a->name) {
            return asm_error(a, VLIW_ERR_LIMIT, &t, "a name has at most %u bytes", IMAGE_MAX_NAME);
        }
        a->name[n++] = c;
    }
    a->name[n] = '\0';
    asm_next(a);
    return true;
}

static bool dir_reg(struct assembler *a) {
    const struct asm_token name = a->token;
    if (name.kind != ASM_IDENT) {
        return asm_error(a, VLIW_ERR_SYNTAX, &name, "name expected");
    }
    asm_next(a);
    uint32_t kind, reg;
    return asm_register(a, &kind, &reg) && asm_define(a, 0, &name, kind, reg);
}

/* .in / .out semantic [index] register[.mask] */
static bool dir_io(struct assembler *a, unsigned out) {
    static const struct { const char *name; uint8_t semantic, indexed; } names[] = {
#define VLIW_IO_NAME(semantic, name, indexed) {name, semantic, indexed},
#include "vm/isa/io_names.def"
    };
    const struct asm_token t = a->token;
    struct vliw_io io = {.mask = 15};
    unsigned i = 0;
    while (i < sizeof names / sizeof names[0] && !asm_is_word(&t, names[i].name)) {
        i++;
    }
    if (i == sizeof names / sizeof names[0]) {
        return asm_error(a, VLIW_ERR_SYNTAX, &t,
                         "semantic expected, such as attrib, varying, position or color");
    }
    io.semantic = names[i].semantic;
    asm_next(a);
    if (names[i].indexed) {
        int32_t index;
        if (!asm_integer(a, 0, 255, &index)) {
            return false;
        }
        io.index = (uint8_t)index;
    }
    const struct asm_token where = a->token;
    uint32_t kind, reg;
    unsigned mask = 15;
    if (!asm_register(a, &kind, &reg)) {
        return false;
    }
    if (kind != ASM_SYM_GPR) {
        return asm_error(a, VLIW_ERR_SYNTAX, &where, "inputs and outputs are GPRs");
    }
    if (asm_is(&a->token, '.')) {
        asm_next(a);
        if (a->token.kind != ASM_IDENT || !asm_mask_letters(a->token.at, a->token.length, &mask)) {
            return asm_error(a, VLIW_ERR_SYNTAX, &a->token,
                             "mask expected: letters of xyzw in this order");
        }
        asm_next(a);
    }
    io.reg = (uint16_t)reg;
    io.mask = (uint8_t)mask;
    if (!asm_grow(a, (void **)&a->io[out], a->io_count[out], &a->io_cap[out], sizeof io,
                  IMAGE_MAX_IO)) {
        return false;
    }
    a->io[out][a->io_count[out]++] = io;
    return true;
}

static bool dir_sampler(struct assembler *a) {
    static const struct { const char *name; uint8_t type; } types[] = {
#define VLIW_SAMPLER_NAME(type, name) {name, type},
#include "vm/isa/io_names.def"
    };
    const struct asm_token t = a->token;
    uint32_t number = 0;
    bool digits = t.kind == ASM_IDENT && t.length >= 2 && t.length <= 3 && t.at[0] == 's';
    for (uint32_t i = 1; digits && i < t.length; i++) {
        digits = t.at[i] >= '0' && t.at[i] <= '9';
        number = number * 10 + (uint32_t)(t.at[i] - '0');
    }
    if (!digits || number != a->sampler_count || number >= ISA_SAMPLERS) {
        return a->sampler_count < ISA_SAMPLERS
                   ? asm_error(a, VLIW_ERR_SYNTAX, &t, "the next sampler is s%u",
                               (unsigned)a->sampler_count)
                   : asm_error(a, VLIW_ERR_LIMIT, &t, "at most %u samplers", ISA_SAMPLERS);
    }
    asm_next(a);
    for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (asm_is_word(&a->token, types[i].name)) {
            a->samplers[a->sampler_count++] = types[i].type;
            asm_next(a);
            return true;
        }
    }
    return asm_error(a, VLIW_ERR_SYNTAX, &a->token,
                     "sampler type expected: tex2d, cube, tex3d, shadow2d or external");
}

/* .const cN v [v [v [v]]], '_' leaves a component to the uniform */
static bool dir_const(struct assembler *a) {
    const struct asm_token where = a->token;
    struct vliw_literal literal = {0};
    uint32_t kind;
    if (!asm_register(a, &kind, &literal.reg)) {
        return false;
    }
    if (kind != ASM_SYM_GLOBAL) {
        return asm_error(a, VLIW_ERR_SYNTAX, &where,
                         "constants are globals, as in .const c8 1 0 0.5 2");
    }
    for (unsigned c = 0; c < 4 && !asm_at_line_end(a); c++) {
        if (asm_is_word(&a->token, "_")) {
            asm_next(a);
        } else if (!asm_float(a, &literal.bits[c])) {
            return false;
        } else {
            literal.mask |= 1u << c;
        }
    }
    if (literal.mask == 0) {
        return asm_error(a, VLIW_ERR_SYNTAX, &a->token, "value expected");
    }
    if (!asm_grow(a, (void **)&a->literals, a->literal_count, &a->literal_cap, sizeof literal,
                  IMAGE_MAX_LITERALS)) {
        return false;
    }
    a->literals[a->literal_count++] = literal;
    return true;
}

static bool dir_word(struct assembler *a) {
    const struct asm_token t = a->token;
    uint32_t bits;
    if (t.kind != ASM_NUMBER || t.length < 3 || (t.at[1] != 'x' && t.at[1] != 'X')) {
        return asm_error(a, VLIW_ERR_SYNTAX, &t,
                         "hexadecimal word expected, as in .word 0x840f0ae4");
    }
    return asm_float(a, &bits) && asm_emit(a, bits, t.line);
}

static bool directive(struct assembler *a) {
    const struct asm_token t = a->token;
    asm_next(a);
    if (asm_is_word(&t, "stage")) {
        return dir_stage(a);
    }
    if (asm_is_word(&t, "name")) {
        return dir_name(a);
    }
    if (asm_is_word(&t, "reg")) {
        return dir_reg(a);
    }
    if (asm_is_word(&t, "in") || asm_is_word(&t, "out")) {
        return dir_io(a, asm_is_word(&t, "out"));
    }
    if (asm_is_word(&t, "sampler")) {
        return dir_sampler(a);
    }
    if (asm_is_word(&t, "const")) {
        return dir_const(a);
    }
    if (asm_is_word(&t, "gprs")) {
        return asm_unsigned(a, ISA_GPRS, &a->gprs);
    }
    if (asm_is_word(&t, "globals")) {
        return asm_unsigned(a, ISA_GLOBALS, &a->globals);
    }
    if (asm_is_word(&t, "line")) {
        return dir_line(a);
    }
    if (asm_is_word(&t, "nolines")) {
        a->no_lines = true;
        return true;
    }
    if (asm_is_word(&t, "unchecked")) {
        a->unchecked = true;
        return true;
    }
    if (asm_is_word(&t, "word")) {
        return dir_word(a);
    }
    return asm_error(a, VLIW_ERR_SYNTAX, &t, "unknown directive");
}

/* ---- Lines ---- */

/* name: at the start of a line. The token after the name decides, so one token is read ahead. */
static bool parse_labels(struct assembler *a) {
    while (a->token.kind == ASM_IDENT && a->cursor < a->end && *a->cursor == ':') {
        if (!asm_define(a, 1, &a->token, ASM_SYM_LABEL, a->word_count)) {
            return false;
        }
        asm_next(a);
        asm_next(a);
    }
    return true;
}

static bool parse_text_line(struct assembler *a) {
    if (!parse_labels(a)) {
        return false;
    }
    if (asm_is(&a->token, '.')) {
        asm_next(a);
        if (!directive(a)) {
            return false;
        }
    } else if (!asm_at_line_end(a) && !asm_instruction(a)) {
        return false;
    }
    if (!asm_at_line_end(a)) {
        return asm_error(a, VLIW_ERR_SYNTAX, &a->token, "end of line expected");
    }
    if (a->token.kind == ASM_NEWLINE) {
        asm_next(a);
    }
    return true;
}

static bool patch_branches(struct assembler *a) {
    for (uint32_t i = 0; i < a->fixup_count; i++) {
        const struct asm_fixup *f = &a->fixups[i];
        const struct asm_symbol *s = asm_find(a, 1, f->label.at, f->label.length);
        if (s == NULL) {
            return asm_error(a, VLIW_ERR_SYNTAX, &f->label, "label '%.*s' is not defined",
                             (int)(f->label.length < 60 ? f->label.length : 60), f->label.at);
        }
        int32_t target = (int32_t)s->value - (f->relative ? (int32_t)f->next : 0);
        if (f->relative ? target < -16384 || target > 16383 : target > 32767) {
            return asm_error(a, VLIW_ERR_LIMIT, &f->label,
                             "the label is too far away for a relative branch; hint: use BL D");
        }
        struct isa_unit u;
        isa_unpack_unit(a->words[f->word], false, &u);
        u.imm = (int16_t)target;
        a->words[f->word] = isa_pack_unit(&u);
    }
    return true;
}

static bool define_aliases(struct assembler *a) {
    static const char letters[] = "ABCDEF";
    for (uint32_t i = 0; i < 6; i++) {
        struct asm_token name = {
            .kind = ASM_IDENT, .at = letters + i, .length = 1, .line = 1, .column = 1};
        if (!asm_define(a, 0, &name, ASM_SYM_GPR, i)) {
            return false;
        }
    }
    return true;
}

static bool build_image(struct assembler *a, struct vliw_image **out) {
    struct vliw_image_desc d = {
        .stage = (enum vliw_stage)a->stage,
        .name = a->name,
        .words = a->words,
        .word_count = a->word_count,
        .lines = a->no_lines ? NULL : a->lines,
        .inputs = a->io[0],
        .outputs = a->io[1],
        .input_count = a->io_count[0],
        .output_count = a->io_count[1],
        .samplers = a->samplers,
        .sampler_count = a->sampler_count,
        .literals = a->literals,
        .literal_count = a->literal_count,
        .globals = a->globals,
        .gprs = a->gprs,
    };
    *out = vliw_image_create(&d);
    return *out != NULL || asm_error(a, VLIW_ERR_MEMORY, &a->token, "out of memory");
}

enum vliw_status vliw_assemble(const char *text, size_t length, struct vliw_image **out,
                               struct vliw_error *error) {
    struct vliw_error own;
    struct assembler *a = calloc(1, sizeof *a);
    *out = NULL;
    if (error == NULL) {
        error = &own;
    }
    if (a == NULL) {
        *error = (struct vliw_error){.status = VLIW_ERR_MEMORY,
                                     .word = -1,
                                     .slot = -1,
                                     .rule = -1,
                                     .line = -1,
                                     .column = -1,
                                     .message = "out of memory"};
        return VLIW_ERR_MEMORY;
    }
    a->error = error;
    a->text = a->cursor = a->line_start = text != NULL ? text : "";
    a->end = a->text + (text != NULL ? length : 0);
    a->line = 1;
    a->stage = VLIW_STAGE_COMPUTE;
    a->token = (struct asm_token){.kind = ASM_END, .at = a->text, .line = 1, .column = 1};
    bool ok = length <= ASM_MAX_TEXT || asm_error(a, VLIW_ERR_LIMIT, &a->token,
                                                  "the text is longer than %u bytes", ASM_MAX_TEXT);
    ok = ok && define_aliases(a);
    if (ok) {
        asm_next(a);
    }
    while (ok && a->token.kind != ASM_END) {
        ok = parse_text_line(a);
    }
    ok = ok && patch_branches(a) && build_image(a, out);
    enum vliw_status status = ok ? VLIW_OK : error->status;
    free(a->symbols[0]);
    free(a->symbols[1]);
    free(a->fixups);
    free(a->words);
    free(a->lines);
    free(a->io[0]);
    free(a->io[1]);
    free(a->literals);
    free(a);
    return status;
}
