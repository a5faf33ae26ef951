/* SPDX-License-Identifier: MIT */
/* Assembler: registers, masks, swizzles and slots -> operand fields. */
#include <string.h>

#include "vm/isa/asm.h"

bool asm_numbered(const struct asm_token *t, char prefix, uint32_t *number) {
    if (t->kind != ASM_IDENT || t->length < 2 || t->length > 6 || t->at[0] != prefix) {
        return false;
    }
    uint32_t v = 0;
    for (uint32_t i = 1; i < t->length; i++) {
        if (t->at[i] < '0' || t->at[i] > '9') {
            return false;
        }
        v = v * 10 + (uint32_t)(t->at[i] - '0');
    }
    *number = v;
    return true;
}

bool asm_register(struct assembler *a, uint32_t *kind, uint32_t *reg) {
    const struct asm_token t = a->token;
    const struct asm_symbol *s = t.kind == ASM_IDENT ? asm_find(a, 0, t.at, t.length) : NULL;
    if (s != NULL) {
        *kind = s->kind;
        *reg = s->value;
    } else if (asm_numbered(&t, 'r', reg)) {
        *kind = ASM_SYM_GPR;
    } else if (asm_numbered(&t, 'c', reg)) {
        *kind = ASM_SYM_GLOBAL;
    } else if (t.kind == ASM_IDENT) {
        return asm_error(a, VLIW_ERR_SYNTAX, &t, "'%.*s' is not a register",
                         (int)(t.length < 60 ? t.length : 60), t.at);
    } else {
        return asm_error(a, VLIW_ERR_SYNTAX, &t, "register expected");
    }
    if (*reg >= (*kind == ASM_SYM_GPR ? ISA_GPRS : ISA_GLOBALS)) {
        return asm_error(a, VLIW_ERR_SYNTAX, &t, "the highest %s",
                         *kind == ASM_SYM_GPR ? "GPR is r1023" : "global is c4095");
    }
    asm_next(a);
    return true;
}

/* Register in a 5-bit field. */
bool asm_field_register(struct assembler *a, bool global_too, uint8_t *file, uint8_t *reg) {
    const struct asm_token t = a->token;
    uint32_t kind, number;
    if (!asm_register(a, &kind, &number)) {
        return false;
    }
    if (kind == ASM_SYM_GLOBAL && !global_too) {
        return asm_error(a, VLIW_ERR_SYNTAX, &t, "a GPR must stand here, not a global");
    }
    if (number >= ISA_DIRECT) {
        return asm_error(a, VLIW_ERR_SYNTAX, &t,
                         "a unit reaches registers 0 to 31; hint: name a register below 32 and "
                         "add ADDR %+d for this operand",
                         (int)number - 31);
    }
    *file = kind == ASM_SYM_GLOBAL ? ISA_FILE_GLOBAL : ISA_FILE_GPR;
    *reg = (uint8_t)number;
    return true;
}

bool asm_component(struct assembler *a, uint8_t *component) {
    static const char letters[] = "xyzw";
    if (!asm_expect(a, '.')) {
        return false;
    }
    const char *found =
        a->token.kind == ASM_IDENT && a->token.length == 1 ? strchr(letters, *a->token.at) : NULL;
    if (found == NULL) {
        return asm_error(a, VLIW_ERR_SYNTAX, &a->token, "one component of x, y, z, w expected");
    }
    *component = (uint8_t)(found - letters);
    asm_next(a);
    return true;
}

/*
 * Spreads n letters over the four selects: four by component, one to all, otherwise one for each
 * component of 'mask' in order. Components outside the mask repeat the select below them (or the
 * first).
 */
static bool spread(struct assembler *a, const struct asm_token *t, unsigned mask, uint8_t sel[4]) {
    static const char letters[] = "xyzw";
    uint8_t given[4];
    if (t->kind != ASM_IDENT || t->length > 4) {
        return asm_error(a, VLIW_ERR_SYNTAX, t,
                         "swizzle of one to four letters x, y, z, w expected");
    }
    for (uint32_t i = 0; i < t->length; i++) {
        const char *found = strchr(letters, t->at[i]);
        if (found == NULL) {
            return asm_error(a, VLIW_ERR_SYNTAX, t,
                             "swizzle of one to four letters x, y, z, w expected");
        }
        given[i] = (uint8_t)(found - letters);
    }
    unsigned bits = 0;
    for (unsigned c = 0; c < 4; c++) {
        bits += mask >> c & 1u;
    }
    if (t->length == 1 || t->length == 4) {
        for (unsigned c = 0; c < 4; c++) {
            sel[c] = given[t->length == 1 ? 0 : c];
        }
        return true;
    }
    if (t->length != bits) {
        return asm_error(a, VLIW_ERR_SYNTAX, t,
                         "swizzle has %u letters for %u components; hint: write one letter, four, "
                         "or one for each component of the mask",
                         (unsigned)t->length, bits);
    }
    for (unsigned c = 0, k = 0; c < 4; c++) {
        k += mask >> c & 1u;
        sel[c] = given[k > 0 ? k - 1 : 0];
    }
    return true;
}

bool asm_source(struct assembler *a, unsigned mask, struct isa_src *src, int *slot) {
    if (asm_is(&a->token, '-')) {
        src->negate = true;
        asm_next(a);
    }
    if (!asm_field_register(a, true, &src->file, &src->reg)) {
        return false;
    }
    for (unsigned c = 0; c < 4; c++) {
        src->sel[c] = (uint8_t)c;
    }
    if (asm_is(&a->token, '.')) {
        asm_next(a);
        if (!spread(a, &a->token, mask, src->sel)) {
            return false;
        }
        asm_next(a);
    }
    *slot = -1;
    if (asm_is(&a->token, '(')) {
        asm_next(a);
        int32_t number;
        if (!asm_integer(a, 0, 1, &number) || !asm_expect(a, ')')) {
            return false;
        }
        *slot = (int)number;
    }
    return true;
}

/* .xyz or ._ after a destination; all four when absent. */
static bool dest_mask(struct assembler *a, uint8_t *mask) {
    unsigned m = 15;
    if (asm_is(&a->token, '.')) {
        asm_next(a);
        if (asm_is_word(&a->token, "_")) {
            m = 0;
        } else if (a->token.kind != ASM_IDENT ||
                   !asm_mask_letters(a->token.at, a->token.length, &m)) {
            return asm_error(a, VLIW_ERR_SYNTAX, &a->token,
                             "mask expected: letters of xyzw in this order, or _");
        }
        asm_next(a);
    }
    *mask = (uint8_t)m;
    return true;
}

bool asm_dest(struct assembler *a, uint8_t *reg, uint8_t *mask) {
    uint8_t file;
    return asm_field_register(a, false, &file, reg) && dest_mask(a, mask);
}
