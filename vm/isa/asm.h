/* SPDX-License-Identifier: MIT */
/*
 * Inside of the assembler: tokens, symbols and the state that its files share.
 * asm_lex.c characters -> tokens, names, numbers; asm_operand.c registers, masks, swizzles;
 * asm_unit.c one line -> one instruction;
 * asm_source.c the papers' source forms, asm_typed.c those of typed operations; asm.c directives, labels and the finished image.
 */
#ifndef VM_ISA_ASM_H
#define VM_ISA_ASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/include/vliw.h"
#include "vm/isa/isa.h"

#define ASM_MAX_TEXT (16u << 20)    /* bytes of source text */
#define ASM_MAX_IDENT 63u           /* bytes of a name */
#define ASM_MAX_SYMBOLS 65536u      /* labels and registers together */

enum asm_token_kind { ASM_END, ASM_NEWLINE, ASM_IDENT, ASM_NUMBER, ASM_STRING, ASM_PUNCT };

struct asm_token {
    enum asm_token_kind kind;
    const char *at;         /* into the text */
    uint32_t length;
    uint32_t line, column;  /* 1-based, column in bytes */
};

enum asm_symbol_kind { ASM_SYM_NONE, ASM_SYM_GPR, ASM_SYM_GLOBAL, ASM_SYM_LABEL };

struct asm_symbol {
    const char *at;         /* into the text (or a static default name) */
    uint32_t length;
    uint32_t kind;          /* enum asm_symbol_kind */
    uint32_t value;         /* register number or unit index */
};

/* A branch whose label was not known yet, patched at the end. */
struct asm_fixup {
    struct asm_token label;
    uint32_t word;          /* unit to patch */
    uint32_t next;          /* unit after the instruction */
    bool relative;
};

struct assembler {
    const char *text, *end;             /* source */
    const char *cursor, *line_start;    /* lexer */
    uint32_t line;
    struct asm_token token;             /* current token */
    struct vliw_error *error;
    bool failed;

    struct asm_symbol *symbols[2];      /* registers, labels: hash tables */
    uint32_t symbol_cap[2], symbol_count[2];
    struct asm_fixup *fixups;
    uint32_t fixup_count, fixup_cap;

    uint32_t *words, *lines;
    uint32_t word_count, word_cap;
    uint32_t source_line;               /* by .line: of the next unit */
    uint32_t later_lines[3];            /* and of the units behind it, later_count in all */
    uint32_t later_count;
    bool explicit_lines;                /* .line was used; otherwise the text's own lines count */
    bool no_lines;                      /* .nolines: no line table */
    bool unchecked; /* .unchecked: instructions may break rules (tests of verifiers) */

    struct vliw_io *io[2];
    uint32_t io_count[2], io_cap[2];
    struct vliw_literal *literals;
    uint32_t literal_count, literal_cap;
    uint8_t samplers[ISA_SAMPLERS];
    uint32_t sampler_count;
    uint32_t stage, globals, gprs;
    char name[1024];
};

/* First error wins; always returns false. The token gives line and column. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
bool asm_error(struct assembler *a, enum vliw_status status, const struct asm_token *where,
               const char *format, ...);

/* Reads the next token into a->token. */
void asm_next(struct assembler *a);
bool asm_is(const struct asm_token *t, char punct);
bool asm_is_word(const struct asm_token *t, const char *word);
bool asm_at_line_end(const struct assembler *a);
/* Steps over the punctuation, or reports that it is missing. */
bool asm_expect(struct assembler *a, char punct);
/* Integer with optional sign within [min, max]. */
bool asm_integer(struct assembler *a, int32_t min, int32_t max, int32_t *out);
/* Integer without sign up to max. */
bool asm_unsigned(struct assembler *a, uint32_t max, uint32_t *out);
/* Float literal with optional sign as bits, or raw bits when written in hexadecimal. */
bool asm_float(struct assembler *a, uint32_t *bits);
/* Exact binary16 of a float; false when there is none. */
bool asm_half_from_float(uint32_t bits, uint16_t *half);
/* Grows an array by doubling up to 'limit' entries; false (with an error) when it cannot. */
bool asm_grow(struct assembler *a, void **array, uint32_t count, uint32_t *cap, size_t size,
              uint32_t limit);

/* Register names are table 0, labels table 1. A register may be named again, a label may not. */
const struct asm_symbol *asm_find(const struct assembler *a, unsigned table, const char *at,
                                  uint32_t length);
bool asm_define(struct assembler *a, unsigned table, const struct asm_token *name, uint32_t kind,
                uint32_t value);

/* Letters of "xyzw" in rising order as a mask; false when 't' is something else. */
bool asm_mask_letters(const char *at, uint32_t length, unsigned *mask);

/* Register by rN, cN or a name: *kind ASM_SYM_GPR or ASM_SYM_GLOBAL, *reg below 1024 or 4096. */
bool asm_register(struct assembler *a, uint32_t *kind, uint32_t *reg);

/* One instruction under construction. */
struct asm_line {
    struct isa_inst inst;
    struct asm_token where[4];       /* first token of each unit */
    struct asm_token dest[4];        /* Main: its destination, for messages */
    char slot[4];                    /* ADDR: '0', '1', 'd', 'p' as written, 0 = not written */
    struct asm_token label;          /* kind ASM_IDENT when the branch names a label */
    bool barred;                     /* '|' was seen */
};

/* Assembles one instruction up to the end of the line and appends its words. */
bool asm_instruction(struct assembler *a);

/*
 * The papers' source forms (asm_source.c): CALL n, RETURN, three-operand operations, predicates and
 * indices in brackets. *handled says whether the line was one; if not, nothing was read.
 */
bool asm_source_form(struct assembler *a, struct asm_line *l, bool *handled);

/* Source forms of typed operations (asm_typed.c), such as d_add r1.zw, r2.xy, r2.xy; *handled as above. */
bool asm_typed_form(struct assembler *a, struct asm_line *l, bool *handled);

/* Operation of a mnemonic such as MULs, ADD_sat, RCPw; false when it is none. *mask 0 when not
 * given. */
bool asm_mnemonic(const struct asm_token *t, int *op, bool *saturate, unsigned *mask);
/* [-] register [.swizzle] [(slot)]; letters are spread over 'mask'. Slot -1 = not written. */
bool asm_source(struct assembler *a, unsigned mask, struct isa_src *src, int *slot);
/* register [.mask]; a GPR below 32. */
bool asm_dest(struct assembler *a, uint8_t *reg, uint8_t *mask);
/* Register below 32 with its file; a global only where global_too. */
bool asm_field_register(struct assembler *a, bool global_too, uint8_t *file, uint8_t *reg);
/* A prefix letter and a decimal number, such as r12 or s3. */
bool asm_numbered(const struct asm_token *t, char prefix, uint32_t *number);
/* One letter of xyzw after a '.'. */
bool asm_component(struct assembler *a, uint8_t *component);

/* Appends one raw word. */
bool asm_emit(struct assembler *a, uint32_t word, uint32_t line);

#endif
