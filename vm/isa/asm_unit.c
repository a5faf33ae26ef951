/* SPDX-License-Identifier: MIT */
/*
 * Assembler: one line of units -> one instruction. In: tokens up to the end of the line. Out: words
 * appended to the program, after every single-instruction rule has been checked.
 */
#include <string.h>

#include "vm/isa/asm.h"
#include "vm/isa/rules.h"
#include "vm/isa/word.h"

/* ---- Arithmetic units ---- */

bool asm_mnemonic(const struct asm_token *t, int *op, bool *saturate, unsigned *mask) {
    if (t->kind != ASM_IDENT || t->length < 2) {
        return false;
    }
    uint32_t upper = 0;
    while (upper < t->length && !(t->at[upper] >= 'a' && t->at[upper] <= 'z') &&
           t->at[upper] != '_') {
        upper++;
    }
    *op = -1;
    for (int i = 0; i < ISA_OP_COUNT; i++) {
        if (strlen(isa_op_infos[i].name) == upper &&
            memcmp(isa_op_infos[i].name, t->at, upper) == 0) {
            *op = i;
        }
    }
    if (*op < 0) {
        return false;
    }
    const char *rest = t->at + upper;
    uint32_t length = t->length - upper;
    *saturate = false;
    *mask = 0;
    if (length >= 4 && memcmp(rest, "_sat", 4) == 0) {
        *saturate = true;
        rest += 4;
        length -= 4;
    } else if (length >= 1 && *rest == 's') {
        *saturate = true;
        rest++;
        length--;
    }
    return length == 0 || asm_mask_letters(rest, length, mask);
}

/* MVS: a status register's name instead of a source. */
static bool status_source(struct assembler *a, struct isa_src *src, int *slot) {
    for (unsigned i = 0; i < ISA_STATUS_COUNT; i++) {
        if (asm_is_word(&a->token, isa_status_name(i))) {
            asm_next(a);
            *src = (struct isa_src){.reg = (uint8_t)i, .sel = {0, 1, 2, 3}};
            *slot = -1;
            if (asm_is(&a->token, '(')) {
                int32_t number;
                asm_next(a);
                if (!asm_integer(a, 0, 1, &number) || !asm_expect(a, ')')) {
                    return false;
                }
                *slot = (int)number;
            }
            return true;
        }
    }
    return asm_error(a, VLIW_ERR_SYNTAX, &a->token,
                     "status register expected: PC, THREAD, SCRATCH, CRITICAL or FRONT");
}

static bool arith_source(struct assembler *a, struct isa_unit *u, unsigned mask, int *slot) {
    return u->op == ISA_OP_MVS ? status_source(a, &u->src, slot)
                               : asm_source(a, mask, &u->src, slot);
}

/* '@xyz' behind a Sub: SMASK. */
static bool sub_override(struct assembler *a, struct isa_unit *u) {
    if (!asm_is(&a->token, '@')) {
        return true;
    }
    asm_next(a);
    unsigned mask;
    if (a->token.kind != ASM_IDENT || !asm_mask_letters(a->token.at, a->token.length, &mask)) {
        return asm_error(a, VLIW_ERR_SYNTAX, &a->token, "components expected behind @");
    }
    u->smask = (uint8_t)mask;
    asm_next(a);
    return true;
}

/* A 16-bit integer with the suffix i, as in #-3i; *handled false: no such thing, nothing was read. */
static bool integer_immediate(struct assembler *a, struct isa_unit *u, bool *handled) {
    const struct assembler before = *a;
    if (asm_is(&a->token, '-') || asm_is(&a->token, '+')) {
        asm_next(a);
    }
    asm_next(a);
    *handled = asm_is_word(&a->token, "i") && a->token.at[-1] >= '0' && a->token.at[-1] <= '9';
    *a = before;
    if (!*handled) {
        return true;
    }
    int32_t value;
    u->has_imm = true;
    if (!asm_integer(a, -32768, 65535, &value)) {
        return false;
    }
    u->imm16 = (uint16_t)value;
    asm_next(a);
    return true;
}

static bool sub_operand(struct assembler *a, struct isa_unit *u, unsigned mask) {
    if (asm_is(&a->token, '#')) {
        asm_next(a);
        const struct asm_token t = a->token;
        bool integer;
        if (!integer_immediate(a, u, &integer)) {
            return false;
        }
        if (integer) {
            return u->op != ISA_OP_MVS ? sub_override(a, u)
                                       : asm_error(a, VLIW_ERR_SYNTAX, &t, "MVS takes no immediate");
        }
        bool raw = t.kind == ASM_NUMBER && t.length > 2 && (t.at[1] == 'x' || t.at[1] == 'X');
        uint32_t bits;
        if (!asm_float(a, &bits)) {
            return false;
        }
        u->has_imm = true;
        if (raw) {
            u->imm16 = (uint16_t)bits;
            if (bits > 0xffff) {
                return asm_error(a, VLIW_ERR_SYNTAX, &t, "an immediate has 16 bits");
            }
        } else if (!asm_half_from_float(bits, &u->imm16)) {
            return asm_error(
                a, VLIW_ERR_SYNTAX, &t,
                "the number is no 16-bit float; hint: put it into a global with .const");
        }
        if (u->op == ISA_OP_MVS) {
            return asm_error(a, VLIW_ERR_SYNTAX, &t, "MVS takes no immediate");
        }
        return sub_override(a, u);
    }
    const struct asm_token t = a->token;
    int slot;
    if (!arith_source(a, u, mask, &slot)) {
        return false;
    }
    if (slot == 0) {
        return asm_error(a, VLIW_ERR_SYNTAX, &t, "the second unit of a phase supplies slot (1)");
    }
    return sub_override(a, u);
}

/*
 * Two units with destinations in one phase (the papers' CALL): same register, disjoint masks, one
 * operand each. The one that is not MVS becomes Main and gets both masks, the other its Sub.
 */
static bool merge_mains(struct assembler *a, struct asm_line *l, int first, int second) {
    struct isa_unit *m = &l->inst.unit[first], *s = &l->inst.unit[second];
    const struct asm_token *where = &l->where[second];
    if (m->dest != s->dest || (m->mask & s->mask) != 0) {
        return asm_error(a, VLIW_ERR_SYNTAX, where,
                         "two units with destinations in a phase need the same register and "
                         "different components");
    }
    if (isa_op_infos[m->op].sources != 1 || isa_op_infos[s->op].sources != 1) {
        return asm_error(a, VLIW_ERR_SYNTAX, where,
                         "two units with destinations in a phase need one-operand operations; "
                         "hint: write the second as a Sub, like ADDx B");
    }
    if (m->op == ISA_OP_MVS) {
        struct isa_unit swap = *m;
        *m = *s;
        *s = swap;
    }
    m->mask |= s->mask;
    s->kind = ISA_UNIT_SUB;
    s->dest = 0;
    return true;
}

static bool parse_arith(struct assembler *a, struct asm_line *l, int n, int op, bool saturate,
                        unsigned suffix) {
    struct isa_unit *u = &l->inst.unit[n];
    int main = -1;
    for (int i = 0; i < n; i++) {
        if (l->inst.unit[i].phase == u->phase && l->inst.unit[i].kind == ISA_UNIT_MAIN) {
            main = i;
        }
    }
    u->op = (uint8_t)op;
    u->saturate = saturate;
    asm_next(a);
    if (suffix != 0) {
        if (main < 0) {
            return asm_error(a, VLIW_ERR_SYNTAX, &l->where[n],
                             "the first unit of a phase has its mask at the destination, "
                             "as in MUL A.x B");
        }
        u->kind = ISA_UNIT_SUB;
        u->mask = (uint8_t)suffix;
        return sub_operand(a, u, suffix);
    }
    u->kind = ISA_UNIT_MAIN;
    l->dest[n] = a->token;
    if (!asm_dest(a, &u->dest, &u->mask)) {
        return false;
    }
    const struct asm_token t = a->token;
    int slot;
    if (!arith_source(a, u, u->mask, &slot)) {
        return false;
    }
    if (slot == 1) {
        return asm_error(a, VLIW_ERR_SYNTAX, &t, "the first unit of a phase supplies slot (0)");
    }
    return main < 0 || merge_mains(a, l, main, n);
}

/* A lone '-': a Sub that only supplies slot 1. */
static bool parse_supplier(struct assembler *a, struct asm_line *l, int n) {
    struct isa_unit *u = &l->inst.unit[n];
    const struct isa_unit *main = NULL;
    for (int i = 0; i < n; i++) {
        if (l->inst.unit[i].phase == u->phase && l->inst.unit[i].kind == ISA_UNIT_MAIN) {
            main = &l->inst.unit[i];
        }
    }
    if (main == NULL) {
        return asm_error(a, VLIW_ERR_SYNTAX, &a->token,
                         "'-' needs an arithmetic unit before it in its phase");
    }
    asm_next(a);
    u->kind = ISA_UNIT_SUB;
    u->op = ISA_OP_MOV;
    return sub_operand(a, u, main->mask);
}

/* ---- Coordinate units ---- */

static bool parse_pred(struct assembler *a, struct asm_line *l, int n, unsigned mask) {
    struct isa_unit *u = &l->inst.unit[n];
    u->kind = ISA_UNIT_PRED;
    u->mask = (uint8_t)mask;
    asm_next(a);
    for (u->cond = 0; u->cond < ISA_COND_COUNT && !asm_is_word(&a->token, isa_cond_name(u->cond));
         u->cond++) {
    }
    if (u->cond == ISA_COND_COUNT) {
        return asm_error(a, VLIW_ERR_SYNTAX, &a->token,
                         "condition expected: Z, NZ, N, GE, P or LE");
    }
    asm_next(a);
    if (asm_is(&a->token, '.')) {
        asm_next(a);
        if (!asm_is_word(&a->token, "i")) {
            return asm_error(a, VLIW_ERR_SYNTAX, &a->token,
                             "only .i (integer) may follow a condition");
        }
        u->int_compare = true;
        asm_next(a);
    }
    const struct asm_token t = a->token;
    int slot;
    if (!asm_source(a, mask, &u->src, &slot)) {
        return false;
    }
    if (u->src.negate) {
        return asm_error(a, VLIW_ERR_SYNTAX, &t, "PRED cannot negate");
    }
    u->sl = slot == 1;
    return true;
}

static bool addr_slot(struct assembler *a, struct asm_line *l, int n) {
    if (!asm_is(&a->token, '(')) {
        return true;
    }
    asm_next(a);
    const struct asm_token *t = &a->token;
    if (t->length == 1 && memchr("01dp", *t->at, 4) != NULL) {
        l->slot[n] = *t->at;
        asm_next(a);
        return asm_expect(a, ')');
    }
    return asm_error(a, VLIW_ERR_SYNTAX, t,
                     "(0), (1), (d) destination or (p) process unit expected");
}

static bool parse_addr(struct assembler *a, struct asm_line *l, int n) {
    struct isa_unit *u = &l->inst.unit[n];
    u->kind = ISA_UNIT_ADDR;
    asm_next(a);
    bool has_base = a->token.kind == ASM_NUMBER || asm_is(&a->token, '+') || asm_is(&a->token, '-');
    if (!has_base) {
        u->indexed = true;
        if (!asm_field_register(a, true, &u->src.file, &u->src.reg) ||
            !asm_component(a, &u->src.sel[0])) {
            return false;
        }
        has_base = asm_is(&a->token, '+') || asm_is(&a->token, '-');
    }
    if (has_base) {
        int32_t base;
        if (!asm_integer(a, ISA_ADDR_BASE_MIN, ISA_ADDR_BASE_MAX, &base)) {
            return false;
        }
        u->base = (int16_t)base;
    }
    return addr_slot(a, l, n);
}

static bool type_name(struct assembler *a, uint8_t *type) {
    for (unsigned i = 0; i < ISA_TYPE_COUNT; i++) {
        if (asm_is_word(&a->token, isa_type_name(i))) {
            *type = (uint8_t)i;
            asm_next(a);
            return true;
        }
    }
    return asm_error(a, VLIW_ERR_SYNTAX, &a->token,
                     "element type expected: f32, f64, i32, u32 or u8x4");
}

static bool parse_type(struct assembler *a, struct asm_line *l, int n) {
    static const char *const rounding[4] = {"rn", "rz", "ru", "rd"};
    struct isa_unit *u = &l->inst.unit[n];
    u->kind = ISA_UNIT_TYPE;
    asm_next(a);
    if (!type_name(a, &u->dtype)) {
        return false;
    }
    u->stype = u->dtype;
    if (asm_is(&a->token, '.')) {
        asm_next(a);
        if (!type_name(a, &u->stype)) {
            return false;
        }
    }
    for (unsigned i = 0; i < ISA_XOP_COUNT; i++) {
        if (asm_is_word(&a->token, isa_xop_infos[i].name)) {
            u->xop = (uint8_t)i;
            asm_next(a);
            break;
        }
    }
    if (asm_is(&a->token, '.')) {
        asm_next(a);
        for (u->rounding = 0; u->rounding < 4 && !asm_is_word(&a->token, rounding[u->rounding]);
             u->rounding++) {
        }
        if (u->rounding == 4) {
            return asm_error(a, VLIW_ERR_SYNTAX, &a->token,
                             "rounding mode expected: rn, rz, ru or rd");
        }
        asm_next(a);
    }
    if (asm_is(&a->token, '(')) {
        int32_t slot;
        asm_next(a);
        if (!asm_integer(a, 0, 1, &slot) || !asm_expect(a, ')')) {
            return false;
        }
        u->sl = slot == 1;
    }
    return true;
}

/* ---- Process units ---- */

static bool parse_brc(struct assembler *a, struct asm_line *l, int n, unsigned op) {
    struct isa_unit *u = &l->inst.unit[n];
    int32_t imm = 0;
    u->kind = ISA_UNIT_BRC;
    u->op = (uint8_t)op;
    asm_next(a);
    if (op == ISA_BRC_WAIT || op == ISA_BRC_WAKE) {
        if (!asm_integer(a, 0, 32767, &imm)) {
            return false;
        }
        u->imm = (int16_t)imm;
        return true;
    }
    if (op != ISA_BRC_BL) {
        return true;
    }
    u->option = true;
    struct asm_token mode = a->token;
    if (asm_is_word(&mode, "D") || asm_is_word(&mode, "R")) {
        asm_next(a);
        if (a->token.kind == ASM_IDENT || a->token.kind == ASM_NUMBER || asm_is(&a->token, '-') ||
            asm_is(&a->token, '+')) {
            u->option = *mode.at == 'R';
        } else {
            l->label = mode; /* a label that is called D or R */
            return true;
        }
    }
    if (a->token.kind == ASM_IDENT) {
        l->label = a->token;
        asm_next(a);
        return true;
    }
    if (!asm_integer(a, u->option ? -16384 : 0, u->option ? 16383 : 32767, &imm)) {
        return false;
    }
    u->imm = (int16_t)imm;
    return true;
}

static bool mem_address(struct assembler *a, struct isa_unit *u) {
    uint8_t file;
    int32_t offset;
    if (!asm_expect(a, '[')) {
        return false;
    }
    if (asm_is(&a->token, '*')) {
        u->option = true;
        asm_next(a);
    } else if (!asm_field_register(a, false, &file, &u->src.reg)) {
        return false;
    }
    if (!asm_component(a, &u->src.sel[0])) {
        return false;
    }
    if (asm_is(&a->token, '+')) {
        if (!asm_integer(a, 0, 15, &offset)) {
            return false;
        }
        u->offset = (uint8_t)offset;
    }
    return asm_expect(a, ']');
}

static bool parse_mem(struct assembler *a, struct asm_line *l, int n, unsigned op) {
    struct isa_unit *u = &l->inst.unit[n];
    uint8_t file;
    u->kind = ISA_UNIT_MEM;
    u->op = (uint8_t)op;
    asm_next(a);
    if (!asm_dest(a, &u->dest, &u->mask)) {
        return false;
    }
    if (op < ISA_MEM_TEX) {
        return mem_address(a, u);
    }
    if (asm_is(&a->token, '*')) {
        u->option = true;
        asm_next(a);
    } else if (!asm_field_register(a, false, &file, &u->src.reg)) {
        return false;
    }
    uint32_t sampler;
    if (!asm_numbered(&a->token, 's', &sampler) || sampler >= ISA_SAMPLERS) {
        return asm_error(a, VLIW_ERR_SYNTAX, &a->token, "sampler expected: s0 to s31");
    }
    u->offset = (uint8_t)sampler;
    asm_next(a);
    return true;
}

/* ---- Lines ---- */

/* Kind of a process mnemonic; -1 when it is none. */
static int process_kind(const struct asm_token *t, unsigned *op) {
    for (unsigned i = 0; i < 16; i++) {
        if (isa_brc_name(i) != NULL && asm_is_word(t, isa_brc_name(i))) {
            *op = i;
            return ISA_UNIT_BRC;
        }
        if (isa_mem_name(i) != NULL && asm_is_word(t, isa_mem_name(i))) {
            *op = i;
            return ISA_UNIT_MEM;
        }
    }
    return -1;
}

static bool parse_unit(struct assembler *a, struct asm_line *l, int n, unsigned *phase) {
    const struct asm_token *t = &a->token;
    struct isa_unit *u = &l->inst.unit[n];
    unsigned op, mask = 15;
    int arith;
    bool saturate;
    l->where[n] = *t;
    u->phase = (uint8_t)*phase;
    if (asm_is(t, '-')) {
        return parse_supplier(a, l, n);
    }
    if (asm_mnemonic(t, &arith, &saturate, &mask)) {
        return parse_arith(a, l, n, arith, saturate, mask);
    }
    mask = 15;
    if (t->kind == ASM_IDENT && t->length >= 4 && memcmp(t->at, "PRED", 4) == 0 &&
        (t->length == 4 || asm_mask_letters(t->at + 4, t->length - 4, &mask))) {
        return parse_pred(a, l, n, mask);
    }
    if (asm_is_word(t, "ADDR")) {
        return parse_addr(a, l, n);
    }
    if (asm_is_word(t, "TYPE")) {
        return parse_type(a, l, n);
    }
    int kind = process_kind(t, &op);
    if (kind < 0) {
        return t->kind == ASM_IDENT ? asm_error(a, VLIW_ERR_SYNTAX, t, "unknown operation '%.*s'",
                                                (int)(t->length < 60 ? t->length : 60), t->at)
                                    : asm_error(a, VLIW_ERR_SYNTAX, t, "operation expected");
    }
    if (!l->barred) {
        *phase = 1; /* process units stand in phase 1, with or without a bar */
    }
    u->phase = (uint8_t)*phase;
    return kind == ISA_UNIT_BRC ? parse_brc(a, l, n, op) : parse_mem(a, l, n, op);
}

static bool parse_line(struct assembler *a, struct asm_line *l) {
    unsigned phase = 0;
    int n = 0;
    while (!asm_at_line_end(a)) {
        if (asm_is(&a->token, '|')) {
            if (l->barred || phase == 1) {
                return asm_error(a, VLIW_ERR_SYNTAX, &a->token, "phase 1 has begun already");
            }
            l->barred = true;
            phase = 1;
            asm_next(a);
            continue;
        }
        if (n == 4) {
            return asm_error(a, VLIW_ERR_SYNTAX, &a->token,
                             "an instruction has at most four units");
        }
        if (!parse_unit(a, l, n, &phase)) {
            return false;
        }
        n++;
    }
    l->inst.units = (uint8_t)n;
    return n > 0 || asm_error(a, VLIW_ERR_SYNTAX, &a->token, "operation expected");
}

/* What each ADDR qualifies depends on the whole instruction. */
static bool resolve_addr(struct assembler *a, struct asm_line *l) {
    bool only_process = l->inst.main[1] < 0 && l->inst.process >= 0;
    for (int i = 0; i < l->inst.units; i++) {
        struct isa_unit *u = &l->inst.unit[i];
        if (u->kind != ISA_UNIT_ADDR) {
            continue;
        }
        switch (l->slot[i]) {
        case '0': u->target = only_process ? ISA_ADDR_PROCESS : ISA_ADDR_SLOT0; break;
        case '1': u->target = ISA_ADDR_SLOT1; break;
        case 'd': u->target = ISA_ADDR_DEST; break;
        case 'p': u->target = ISA_ADDR_PROCESS; break;
        default:
            u->target = ISA_ADDR_PROCESS;
            if (!only_process) {
                return asm_error(a, VLIW_ERR_SYNTAX, &l->where[i],
                                 "say what ADDR qualifies: (0), (1), (d) or (p)");
            }
            break;
        }
    }
    return true;
}

bool asm_instruction(struct assembler *a) {
    struct asm_line l;
    memset(&l, 0, sizeof l);
    uint32_t line = a->token.line;
    bool handled = false;
    if (!asm_source_form(a, &l, &handled) || (!handled && !parse_line(a, &l))) {
        return false;
    }
    isa_index_inst(&l.inst);
    if (!resolve_addr(a, &l)) {
        return false;
    }
    struct isa_fault fault;
    if (!a->unchecked && !isa_check_inst(&l.inst, &fault)) {
        const struct asm_token *where = &l.where[fault.unit & 3];
        if (fault.other >= 0) {
            asm_error(a, VLIW_ERR_VERIFY, where, "rule %u: %s (%s, with %s in slot %d)", fault.rule,
                      fault.text, isa_unit_name(&l.inst.unit[fault.unit & 3]),
                      isa_unit_name(&l.inst.unit[fault.other & 3]), fault.other);
        } else {
            asm_error(a, VLIW_ERR_VERIFY, where, "rule %u: %s (%s)", fault.rule, fault.text,
                      isa_unit_name(&l.inst.unit[fault.unit & 3]));
        }
        if (a->error != NULL) {
            a->error->rule = fault.rule;
            a->error->slot = fault.unit;
            a->error->word = (int32_t)a->word_count + fault.unit;
        }
        return false;
    }
    if (l.label.kind == ASM_IDENT) {
        if (!asm_grow(a, (void **)&a->fixups, a->fixup_count, &a->fixup_cap, sizeof *a->fixups,
                      ISA_MAX_UNITS)) {
            return false;
        }
        a->fixups[a->fixup_count++] =
            (struct asm_fixup){l.label, a->word_count + (uint32_t)l.inst.process,
                               a->word_count + l.inst.units, l.inst.unit[l.inst.process].option};
    }
    uint32_t words[4];
    unsigned count = isa_pack_inst(&l.inst, words);
    for (unsigned i = 0; i < count; i++) {
        if (!asm_emit(a, words[i], line)) {
            return false;
        }
    }
    return true;
}
