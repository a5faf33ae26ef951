/* SPDX-License-Identifier: MIT */
/*
 * Assembler: source forms of typed operations, one a line, named as in typed.def:
 *     d_add r1.zw, r2.xy, r2.xy        TYPE f64 | ADD r1.zw r2.xyxy(0) - r2.xyxy(1)
 *     d_fma_sat r0, r1, r2             d_neg r1.xy, r2.zw          i_mvs r0.x, PC
 * In: tokens of a line. Out: a TYPE unit, a Main and, where there are two sources, a Sub in an asm_line.
 */
#include <string.h>

#include "vm/isa/asm.h"

struct name {
    const char *text;
    uint8_t row;            /* enum isa_typed */
};

/* Negations are copies with N. */
static const struct name negations[] = {
    {"d_neg", ISA_TYPED_D_MOV}, {"i_neg", ISA_TYPED_I_MOV}, {"b_not", ISA_TYPED_B_MOV},
};

static bool is_name(const struct asm_token *t, const char *name, bool *saturate) {
    size_t n = strlen(name);
    if (t->kind != ASM_IDENT || t->length < n || memcmp(t->at, name, n) != 0) {
        return false;
    }
    *saturate = t->length == n + 4 && memcmp(t->at + n, "_sat", 4) == 0;
    return t->length == n || *saturate;
}

/* Row of typed.def that the token names, or -1. */
static int find_row(const struct asm_token *t, bool *saturate, bool *negate) {
    *negate = false;
    for (int i = 0; i < ISA_TYPED_COUNT; i++) {
        if (is_name(t, isa_typed_infos[i].spelling, saturate)) {
            return i;
        }
    }
    *negate = true;
    for (size_t i = 0; i < sizeof negations / sizeof negations[0]; i++) {
        if (is_name(t, negations[i].text, saturate)) {
            return negations[i].row;
        }
    }
    return -1;
}

/* ---- Swizzles ---- */

enum shape { PAIR_TO_PAIR, PAIR_TO_WORD, WORD_TO_PAIR, PACK, WORDS };

static enum shape shape_of(const struct isa_typed_info *t) {
    bool from = t->stype == ISA_TYPE_F64, to = t->dtype == ISA_TYPE_F64;
    if (from || to) {
        return from && to ? PAIR_TO_PAIR : from ? PAIR_TO_WORD : WORD_TO_PAIR;
    }
    return t->dtype == ISA_TYPE_U8X4 && t->stype == ISA_TYPE_F32 ? PACK : WORDS;
}

static bool is_pair(const uint8_t *letters) { return (letters[0] & 1u) == 0 && letters[1] == letters[0] + 1; }

/* Letters xy or zw name a pair for all elements, four letters a pair for each; none: the pairs in order. */
static bool spread_pairs(const uint8_t *given, unsigned n, bool to_pair, unsigned mask, uint8_t sel[4]) {
    uint8_t low[2] = {0, 2};
    if (n != 0) {
        if ((n != 2 && n != 4) || !is_pair(given) || (n == 4 && !is_pair(given + 2))) {
            return false;
        }
        low[0] = given[0];
        low[1] = given[n == 4 ? 2 : 0];
    }
    for (unsigned c = 0, k = 0; c < 4; c++) {
        if (to_pair) {
            sel[c] = (uint8_t)(low[c >> 1] + (c & 1u));
        } else {
            sel[c] = low[k & 1u];
            k += mask >> c & 1u;
        }
    }
    return true;
}

/* A letter for each pair of the mask, or one for all; none: x to xy, y to zw. */
static bool spread_words(const uint8_t *given, unsigned n, unsigned mask, uint8_t sel[4]) {
    uint8_t one[2] = {0, 1};
    if (n == 1 || (n == 2 && mask == 15)) {
        one[0] = given[0];
        one[1] = given[n - 1];
    } else if (n != 0) {
        return false;
    }
    for (unsigned c = 0; c < 4; c++) {
        sel[c] = one[c >> 1];
    }
    return true;
}

/* 32-bit elements: as in units. A packing operation takes a letter for each channel. */
static bool spread_each(const uint8_t *given, unsigned n, unsigned mask, uint8_t sel[4]) {
    unsigned bits = 0;
    for (unsigned c = 0; c < 4; c++) {
        bits += mask >> c & 1u;
        sel[c] = (uint8_t)(n == 0 ? c : given[n == 4 ? c : 0]);
    }
    if (n == 0 || n == 1 || n == 4) {
        return true;
    }
    for (unsigned c = 0, k = 0; n == bits && c < 4; c++) {
        k += mask >> c & 1u;
        sel[c] = given[k > 0 ? k - 1 : 0];
    }
    return n == bits;
}

static bool swizzle(struct assembler *a, enum shape shape, unsigned mask, uint8_t sel[4]) {
    static const char *const expected[] = {
        [PAIR_TO_PAIR] = "an f64 operand is written xy, zw or two of these pairs",
        [PAIR_TO_WORD] = "an f64 operand is written xy, zw or two of these pairs",
        [WORD_TO_PAIR] = "one letter for each pair of the destination, or one",
        [PACK] = "one letter or four, one for each channel",
        [WORDS] = "one letter, four, or one for each component of the mask",
    };
    static const char letters[] = "xyzw";
    uint8_t given[4] = {0, 0, 0, 0};
    unsigned n = 0;
    const struct asm_token t = a->token;
    if (asm_is(&a->token, '.')) {
        asm_next(a);
        n = a->token.kind == ASM_IDENT && a->token.length <= 4 ? a->token.length : 5;
        for (unsigned i = 0; i < n && n <= 4; i++) {
            const char *found = strchr(letters, a->token.at[i]);
            if (found == NULL) {
                n = 5;
                break;
            }
            given[i] = (uint8_t)(found - letters);
        }
        asm_next(a);
    }
    bool ok = n <= 4;
    if (ok && (shape == PAIR_TO_PAIR || shape == PAIR_TO_WORD)) {
        ok = spread_pairs(given, n, shape == PAIR_TO_PAIR, mask, sel);
    } else if (ok && shape == WORD_TO_PAIR) {
        ok = spread_words(given, n, mask, sel);
    } else if (ok) {
        ok = spread_each(given, n, shape == PACK ? 15 : mask, sel);
    }
    return ok || asm_error(a, VLIW_ERR_SYNTAX, &t, "swizzle expected: %s", expected[shape]);
}

/* ---- Operands ---- */

static bool status_operand(struct assembler *a, struct isa_src *src) {
    for (unsigned i = 0; i < ISA_STATUS_COUNT; i++) {
        if (asm_is_word(&a->token, isa_status_name(i))) {
            asm_next(a);
            *src = (struct isa_src){.reg = (uint8_t)i, .sel = {0, 1, 2, 3}};
            return true;
        }
    }
    return asm_error(a, VLIW_ERR_SYNTAX, &a->token,
                     "status register expected: PC, THREAD, SCRATCH, CRITICAL or FRONT");
}

static bool operand(struct assembler *a, const struct isa_typed_info *t, unsigned mask, struct isa_src *src) {
    if (!asm_is(&a->token, ',')) {
        return asm_error(a, VLIW_ERR_SYNTAX, &a->token, "',' expected");
    }
    asm_next(a);
    if (t->op == ISA_OP_MVS) {
        return status_operand(a, src);
    }
    if (asm_is(&a->token, '-')) {
        src->negate = true;
        asm_next(a);
    }
    return asm_field_register(a, true, &src->file, &src->reg) && swizzle(a, shape_of(t), mask, src->sel);
}

static struct isa_unit *put_unit(struct asm_line *l, unsigned kind, unsigned phase, const struct asm_token *where) {
    unsigned n = l->inst.units++;
    l->where[n] = *where;
    l->inst.unit[n].kind = (uint8_t)kind;
    l->inst.unit[n].phase = (uint8_t)phase;
    return &l->inst.unit[n];
}

/* DEST without swizzle and negation is slot 1 anyway when there is no Sub. */
static bool is_dest(const struct isa_src *src, const struct isa_unit *main) {
    static const uint8_t identity[4] = {0, 1, 2, 3};
    return src->file == ISA_FILE_GPR && src->reg == main->dest && !src->negate && memcmp(src->sel, identity, 4) == 0;
}

bool asm_typed_form(struct assembler *a, struct asm_line *l, bool *handled) {
    bool saturate = false, negate = false;
    const struct asm_token where = a->token;
    int row = find_row(&where, &saturate, &negate);
    *handled = row >= 0;
    if (row < 0) {
        return true;
    }
    const struct isa_typed_info *t = &isa_typed_infos[row];
    unsigned sources = t->xop != ISA_XOP_OWN ? isa_xop_infos[t->xop].sources : isa_op_infos[t->op].sources;
    struct isa_unit *type = put_unit(l, ISA_UNIT_TYPE, 0, &where), *main = put_unit(l, ISA_UNIT_MAIN, 1, &where);
    struct isa_src second = {0};
    type->dtype = t->dtype;
    type->stype = t->stype;
    type->xop = t->xop;
    main->op = t->op;
    main->saturate = saturate;
    asm_next(a);
    if (!asm_dest(a, &main->dest, &main->mask) || !operand(a, t, main->mask, &main->src) ||
        (sources == 2 && !operand(a, t, main->mask, &second))) {
        return false;
    }
    main->src.negate = main->src.negate != negate;
    if (sources == 2 && !is_dest(&second, main)) {
        struct isa_unit *sub = put_unit(l, ISA_UNIT_SUB, 1, &where);
        sub->op = ISA_OP_MOV;
        sub->src = second;
    }
    return asm_at_line_end(a) ||
           asm_error(a, VLIW_ERR_SYNTAX, &a->token, "end of line expected: %s has %u source%s", t->spelling, sources,
                     sources == 1 ? "" : "s");
}
