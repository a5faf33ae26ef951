/* SPDX-License-Identifier: MIT */
/*
 * Assembler: the papers' source forms, which name operations and operands instead of units:
 *     MUL_sat A,B,A          ADD A,B[D.w],C          ADD_pred(E) A,B,C[D.w]
 *     MUL A.xzw,B,C; MOV A.y,C.y; ADD D.xyz,E,F; RCP D.w,F.w
 *     BL {PC+120}            if (A.x<0) BL {B.x+120}       CALL 85        RETURN
 * In: tokens of a line. Out: the units of one instruction in an asm_line.
 */
#include <string.h>

#include "vm/isa/asm.h"

struct operand {
    struct isa_src src;
    bool indexed;
    uint8_t index_file, index_reg, index_comp;
};

/* One operation: dst = op(s[0], s[1]) on the components of mask. */
struct statement {
    struct asm_token where;
    int op;
    bool saturate;
    uint8_t dest, mask;
    unsigned sources;
    struct operand s[2];
    bool predicated;
    struct isa_src pred;
};

/* First unit that may still be added, with its place for messages. */
static struct isa_unit *add_unit(struct asm_line *l, unsigned kind, unsigned phase,
                                 const struct asm_token *where) {
    unsigned n = l->inst.units;
    if (n == 4) {
        return NULL;
    }
    l->inst.units++;
    l->where[n] = *where;
    l->inst.unit[n].kind = (uint8_t)kind;
    l->inst.unit[n].phase = (uint8_t)phase;
    return &l->inst.unit[n];
}

/* ---- Branches, calls ---- */

/* {PC+n}, {n} or {R.c+n}; units are appended to the line. */
static bool braced_target(struct assembler *a, struct asm_line *l) {
    const struct asm_token where = a->token;
    struct isa_unit *addr = NULL;
    bool relative = false;
    int32_t imm = 0;
    if (!asm_expect(a, '{')) {
        return false;
    }
    if (asm_is_word(&a->token, "PC")) {
        relative = true;
        asm_next(a);
    } else if (a->token.kind == ASM_IDENT) {
        int slot;
        struct isa_src src = {0};
        addr = add_unit(l, ISA_UNIT_ADDR, 0, &a->token);
        l->slot[l->inst.units - 1] = 'p';
        if (!asm_source(a, 1, &src, &slot)) {
            return false;
        }
        if (src.negate || slot >= 0 || src.sel[1] != src.sel[0]) {
            return asm_error(a, VLIW_ERR_SYNTAX, &where,
                             "an index is one component of a register, as in B.x");
        }
        addr->indexed = true;
        addr->src = (struct isa_src){.reg = src.reg, .file = src.file, .sel = {src.sel[0]}};
    }
    if (!asm_is(&a->token, '}') &&
        !asm_integer(a, relative ? -16384 : 0, relative ? 16383 : 32767, &imm)) {
        return false;
    }
    struct isa_unit *u = add_unit(l, ISA_UNIT_BRC, 1, &where);
    u->op = ISA_BRC_BL;
    u->option = relative;
    u->imm = (int16_t)imm;
    return asm_expect(a, '}');
}

/* if (A.x<0) BL {...} */
static bool if_form(struct assembler *a, struct asm_line *l) {
    static const struct { char first, second; uint8_t cond; } conditions[] = {
        {'<', '=', ISA_COND_LE}, {'>', '=', ISA_COND_GE}, {'=', '=', ISA_COND_Z},
        {'!', '=', ISA_COND_NZ}, {'<', 0, ISA_COND_N},    {'>', 0, ISA_COND_P},
    };
    struct isa_unit *u = add_unit(l, ISA_UNIT_PRED, 0, &a->token);
    int slot;
    int32_t zero;
    asm_next(a);
    u->mask = 15;
    if (!asm_expect(a, '(') || !asm_source(a, 15, &u->src, &slot)) {
        return false;
    }
    if (u->src.negate) {
        return asm_error(a, VLIW_ERR_SYNTAX, &l->where[0], "PRED cannot negate");
    }
    const struct asm_token t = a->token;
    char first = t.kind == ASM_PUNCT ? *t.at : 0, second = 0;
    asm_next(a);
    if (asm_is(&a->token, '=')) {
        second = '=';
        asm_next(a);
    }
    u->cond = ISA_COND_COUNT;
    for (unsigned i = 0; i < sizeof conditions / sizeof conditions[0]; i++) {
        if (conditions[i].first == first && conditions[i].second == second) {
            u->cond = conditions[i].cond;
        }
    }
    if (u->cond == ISA_COND_COUNT) {
        return asm_error(a, VLIW_ERR_SYNTAX, &t, "comparison expected: <, <=, >, >=, == or !=");
    }
    if (!asm_integer(a, 0, 0, &zero) || !asm_expect(a, ')')) {
        return false;
    }
    if (!asm_is_word(&a->token, "BL")) {
        return asm_error(a, VLIW_ERR_SYNTAX, &a->token, "BL expected");
    }
    asm_next(a);
    return braced_target(a, l);
}

/* Register behind a CALL or RETURN; without one the register that is named A. */
static bool stack_register(struct assembler *a, uint8_t *reg) {
    uint8_t mask;
    if (asm_at_line_end(a)) {
        const struct asm_symbol *s = asm_find(a, 0, "A", 1);
        if (s == NULL || s->kind != ASM_SYM_GPR || s->value >= ISA_DIRECT) {
            return asm_error(a, VLIW_ERR_SYNTAX, &a->token,
                             "the name A is no GPR below 32: name the stack register");
        }
        *reg = (uint8_t)s->value;
        return true;
    }
    const struct asm_token t = a->token;
    if (!asm_dest(a, reg, &mask)) {
        return false;
    }
    return mask == 15 || asm_error(a, VLIW_ERR_SYNTAX, &t, "the stack takes the whole register");
}

static bool call_form(struct assembler *a, struct asm_line *l) {
    const struct asm_token where = a->token;
    int32_t target = 0;
    asm_next(a);
    if (a->token.kind == ASM_IDENT) {
        l->label = a->token;
        asm_next(a);
    } else if (!asm_integer(a, 0, 32767, &target)) {
        return false;
    }
    if (asm_is(&a->token, ',')) {
        asm_next(a);
        if (asm_at_line_end(a)) {
            return asm_error(a, VLIW_ERR_SYNTAX, &a->token, "register expected");
        }
    }
    uint8_t reg;
    if (!stack_register(a, &reg)) {
        return false;
    }
    struct isa_unit *u = add_unit(l, ISA_UNIT_MAIN, 0, &where);
    u->op = ISA_OP_MOV;
    u->dest = reg;
    u->mask = 15;
    u->src = (struct isa_src){.reg = reg, .sel = {0, 0, 1, 2}};
    u = add_unit(l, ISA_UNIT_SUB, 0, &where);
    u->op = ISA_OP_MVS;
    u->mask = 1;
    u->src = (struct isa_src){.reg = ISA_STATUS_PC, .sel = {0, 1, 2, 3}};
    u = add_unit(l, ISA_UNIT_BRC, 1, &where);
    u->op = ISA_BRC_BL;
    u->imm = (int16_t)target;
    return true;
}

static bool return_form(struct assembler *a, struct asm_line *l) {
    const struct asm_token where = a->token;
    uint8_t reg;
    asm_next(a);
    if (!stack_register(a, &reg)) {
        return false;
    }
    struct isa_unit *u = add_unit(l, ISA_UNIT_MAIN, 0, &where);
    u->op = ISA_OP_MOV;
    u->dest = reg;
    u->mask = 7;
    u->src = (struct isa_src){.reg = reg, .sel = {1, 2, 3, 3}};
    u = add_unit(l, ISA_UNIT_ADDR, 0, &where);
    l->slot[l->inst.units - 1] = 'p';
    u->indexed = true;
    u->src.reg = reg;
    u = add_unit(l, ISA_UNIT_BRC, 1, &where);
    u->op = ISA_BRC_BL;
    return true;
}

/* ---- Operations with commas ---- */

static bool parse_operand(struct assembler *a, unsigned mask, struct operand *o) {
    int slot;
    const struct asm_token t = a->token;
    if (!asm_source(a, mask, &o->src, &slot)) {
        return false;
    }
    if (slot >= 0) {
        return asm_error(a, VLIW_ERR_SYNTAX, &t,
                         "a slot number belongs to the form without commas");
    }
    if (!asm_is(&a->token, '[')) {
        return true;
    }
    asm_next(a);
    uint32_t kind, reg;
    const struct asm_token index = a->token;
    if (!asm_register(a, &kind, &reg) || !asm_component(a, &o->index_comp)) {
        return false;
    }
    if (reg >= ISA_DIRECT) {
        return asm_error(a, VLIW_ERR_SYNTAX, &index, "an index register lies below 32");
    }
    o->indexed = true;
    o->index_file = kind == ASM_SYM_GLOBAL ? ISA_FILE_GLOBAL : ISA_FILE_GPR;
    o->index_reg = (uint8_t)reg;
    return asm_expect(a, ']');
}

static bool parse_statement(struct assembler *a, struct statement *s) {
    struct asm_token t = a->token;
    unsigned suffix;
    int slot;
    memset(s, 0, sizeof *s);
    s->where = t;
    if (t.kind == ASM_IDENT && t.length > 5 && memcmp(t.at + t.length - 5, "_pred", 5) == 0) {
        t.length -= 5;
        s->predicated = true;
    }
    if (!asm_mnemonic(&t, &s->op, &s->saturate, &suffix) || suffix != 0 || s->op == ISA_OP_MVS) {
        return asm_error(a, VLIW_ERR_SYNTAX, &t,
                         "operation of the form with commas expected, such as ADD or MUL_sat");
    }
    asm_next(a);
    if (s->predicated &&
        (!asm_expect(a, '(') || !asm_source(a, 15, &s->pred, &slot) || !asm_expect(a, ')'))) {
        return false;
    }
    if (s->pred.negate) {
        return asm_error(a, VLIW_ERR_SYNTAX, &t, "PRED cannot negate");
    }
    if (!asm_dest(a, &s->dest, &s->mask)) {
        return false;
    }
    for (; asm_is(&a->token, ','); s->sources++) {
        asm_next(a);
        if (s->sources == 2) {
            return asm_error(a, VLIW_ERR_SYNTAX, &a->token, "an operation has at most two sources");
        }
        if (!parse_operand(a, s->mask, &s->s[s->sources])) {
            return false;
        }
    }
    if (s->sources != isa_op_infos[s->op].sources) {
        return asm_error(a, VLIW_ERR_SYNTAX, &t, "%s has %u source%s", isa_op_infos[s->op].name,
                         isa_op_infos[s->op].sources, isa_op_infos[s->op].sources == 1 ? "" : "s");
    }
    return true;
}

static bool is_plain(const struct operand *o, unsigned reg) {
    static const uint8_t identity[4] = {0, 1, 2, 3};
    return o->src.file == ISA_FILE_GPR && o->src.reg == reg && !o->src.negate && !o->indexed &&
           memcmp(o->src.sel, identity, 4) == 0;
}

/* Lets the second statement's operand read the same slot: same register, selects taken over on its
 * mask. */
static bool share_slot(struct operand *slot, bool *used, const struct operand *o, unsigned mask) {
    if (!*used) {
        *slot = *o;
        *used = true;
        return true;
    }
    if (slot->src.reg != o->src.reg || slot->src.file != o->src.file ||
        slot->src.negate != o->src.negate || slot->indexed != o->indexed ||
        slot->index_file != o->index_file || slot->index_reg != o->index_reg ||
        slot->index_comp != o->index_comp) {
        return false;
    }
    for (unsigned c = 0; c < 4; c++) {
        if (mask >> c & 1u) {
            slot->src.sel[c] = o->src.sel[c];
        }
    }
    return true;
}

static bool too_many(struct assembler *a, const struct statement *s) {
    return asm_error(a, VLIW_ERR_SYNTAX, &s->where,
                     "these operations do not fit into one instruction of four units");
}

/* One phase from one or two statements on the same register. 'y' may be NULL. */
static bool emit_phase(struct assembler *a, struct asm_line *l, const struct statement *x,
                       const struct statement *y, unsigned phase) {
    struct operand slot[2] = {x->s[0], x->s[1]};
    bool used[2] = {true, x->sources == 2};
    if (y != NULL) {
        bool fits = y->sources == 1 ? share_slot(&slot[1], &used[1], &y->s[0], y->mask)
                                    : share_slot(&slot[0], &used[0], &y->s[0], y->mask) &&
                                          share_slot(&slot[1], &used[1], &y->s[1], y->mask);
        if (!fits) {
            return asm_error(a, VLIW_ERR_SYNTAX, &y->where,
                             "the two operations of a phase must read the same two sources");
        }
    }
    for (unsigned k = 0; k < 2; k++) {
        if (used[k] && slot[k].indexed) {
            struct isa_unit *u = add_unit(l, ISA_UNIT_ADDR, 0, &x->where);
            if (u == NULL) {
                return too_many(a, x);
            }
            l->slot[l->inst.units - 1] = (char)('0' + (int)k);
            u->indexed = true;
            u->src = (struct isa_src){
                .reg = slot[k].index_reg, .file = slot[k].index_file, .sel = {slot[k].index_comp}};
        }
    }
    if (x->predicated) {
        struct isa_unit *u = add_unit(l, ISA_UNIT_PRED, 0, &x->where);
        if (u == NULL) {
            return too_many(a, x);
        }
        u->mask = 15;
        u->cond = ISA_COND_Z;
        u->src = x->pred;
    }
    struct isa_unit *m = add_unit(l, ISA_UNIT_MAIN, phase, &x->where);
    if (m == NULL) {
        return too_many(a, x);
    }
    m->op = (uint8_t)x->op;
    m->saturate = x->saturate;
    m->dest = x->dest;
    m->mask = (uint8_t)(x->mask | (y != NULL ? y->mask : 0));
    m->src = slot[0].src;
    if (!used[1] || (y == NULL && is_plain(&slot[1], x->dest))) {
        return true;
    }
    struct isa_unit *s = add_unit(l, ISA_UNIT_SUB, phase, y != NULL ? &y->where : &x->where);
    if (s == NULL) {
        return too_many(a, x);
    }
    s->op = (uint8_t)(y != NULL ? y->op : ISA_OP_MOV);
    s->saturate = y != NULL && y->saturate;
    s->mask = y != NULL ? y->mask : 0;
    s->src = slot[1].src;
    return true;
}

static bool comma_form(struct assembler *a, struct asm_line *l) {
    struct statement s[4];
    unsigned count = 0;
    for (;;) {
        if (count == 4) {
            return asm_error(a, VLIW_ERR_SYNTAX, &a->token,
                             "an instruction has at most four operations");
        }
        if (!parse_statement(a, &s[count++])) {
            return false;
        }
        if (!asm_is(&a->token, ';')) {
            break;
        }
        asm_next(a);
    }
    unsigned phase = 0, i = 0;
    while (i < count) {
        const struct statement *x = &s[i], *y = i + 1 < count ? &s[i + 1] : NULL;
        if (y != NULL && (y->dest != x->dest || (y->mask & x->mask) != 0 || y->predicated)) {
            y = NULL;
        }
        bool qualified = x->predicated || x->s[0].indexed || x->s[1].indexed;
        if (phase > 1 || (qualified && i > 0)) {
            return too_many(a, x);
        }
        if (!emit_phase(a, l, x, y, qualified ? 1 : phase)) {
            return false;
        }
        phase = qualified ? 2 : phase + 1;
        i += y != NULL ? 2 : 1;
    }
    return true;
}

/* True when the line holds the character outside a comment. */
static bool line_has(const struct assembler *a, char wanted) {
    for (const char *p = a->token.at; p < a->end && *p != '\n'; p++) {
        if (*p == '/' && a->end - p >= 2 && p[1] == '/') {
            return false;
        }
        if (*p == wanted) {
            return true;
        }
    }
    return false;
}

bool asm_source_form(struct assembler *a, struct asm_line *l, bool *handled) {
    bool ok = asm_typed_form(a, l, handled);
    if (*handled || !ok) {
        return ok;
    }
    *handled = true;
    if (asm_is_word(&a->token, "CALL")) {
        ok = call_form(a, l);
    } else if (asm_is_word(&a->token, "RETURN")) {
        ok = return_form(a, l);
    } else if (asm_is_word(&a->token, "if")) {
        ok = if_form(a, l);
    } else if (asm_is_word(&a->token, "BL") && line_has(a, '{')) {
        asm_next(a);
        ok = braced_target(a, l);
    } else if (line_has(a, ',')) {
        ok = comma_form(a, l);
    } else {
        *handled = false;
        return true;
    }
    if (ok && !asm_at_line_end(a)) {
        return asm_error(a, VLIW_ERR_SYNTAX, &a->token, "end of line expected");
    }
    return ok;
}
