/* SPDX-License-Identifier: MIT */
/*
 * Disassembler: an image to text that assembles to the same words and tables. Instructions that
 * break a rule appear as .word, so any words survive. Numbers are printed with integers only: no
 * locale.
 */
#include <string.h>

#include "vm/base/str.h"
#include "vm/include/vliw.h"
#include "vm/isa/rules.h"
#include "vm/isa/word.h"

static const char letters[] = "xyzw";

/* ---- Numbers ---- */

/*
 * m * 2^-shift exactly in decimal, 0 < shift <= 24, m < 2^40: at most 24 digits behind the point.
 */
static void print_fixed(struct str *s, uint64_t m, unsigned shift) {
    str_printf(s, "%llu", (unsigned long long)(m >> shift));
    uint64_t fraction = m & ((1ull << shift) - 1);
    if (fraction != 0) {
        str_char(s, '.');
    }
    for (; fraction != 0; fraction &= (1ull << shift) - 1) {
        fraction *= 10;
        str_char(s, (char)('0' + (int)(fraction >> shift)));
    }
}

static void print_half(struct str *s, uint16_t half) {
    unsigned exponent = half >> 10 & 31u;
    uint64_t m = half & 1023u;
    if (exponent == 31) {
        str_printf(s, "0x%04x", half);
        return;
    }
    if (half >> 15) {
        str_char(s, '-');
    }
    /* in steps of 2^-24 */
    print_fixed(s, exponent == 0 ? m : (m | 1024u) << (exponent - 1), 24);
}

/* Short exact numbers in decimal, all others as bits. */
static void print_float(struct str *s, uint32_t bits) {
    int exponent = (int)(bits >> 23 & 255u) - 127;
    uint64_t m = (bits & 0x7fffffu) | 0x800000u;
    bool minus = bits >> 31;
    if ((bits & 0x7fffffffu) == 0) {
        str_append(s, minus ? "-0" : "0");
        return;
    }
    /* m * 2^(exponent - 23), wanted as a multiple of 2^-12 below 2^24 */
    int shift = exponent - 23 + 12;
    if (exponent >= 24 || shift < -23 || (shift < 0 && (m & ((1u << -shift) - 1u)) != 0)) {
        str_printf(s, "0x%08x", (unsigned)bits);
        return;
    }
    if (minus) {
        str_char(s, '-');
    }
    print_fixed(s, shift >= 0 ? m << shift : m >> -shift, 12);
}

/* ---- Operands ---- */

static void print_mask(struct str *s, unsigned mask) {
    for (unsigned c = 0; c < 4; c++) {
        if (mask >> c & 1u) {
            str_char(s, letters[c]);
        }
    }
}

static void print_register(struct str *s, unsigned file, unsigned reg) {
    str_printf(s, "%c%u", file == ISA_FILE_GLOBAL ? 'c' : 'r', reg);
}

static void print_dest(struct str *s, unsigned reg, unsigned mask) {
    str_printf(s, " r%u", reg);
    if (mask == 0) {
        str_append(s, "._");
    } else if (mask != 15) {
        str_char(s, '.');
        print_mask(s, mask);
    }
}

static void print_source(struct str *s, const struct isa_src *src) {
    static const uint8_t identity[4] = {0, 1, 2, 3};
    str_append(s, src->negate ? " -" : " ");
    print_register(s, src->file, src->reg);
    if (memcmp(src->sel, identity, 4) == 0) {
        return;
    }
    bool one =
        src->sel[0] == src->sel[1] && src->sel[0] == src->sel[2] && src->sel[0] == src->sel[3];
    str_char(s, '.');
    for (unsigned c = 0; c < (one ? 1u : 4u); c++) {
        str_char(s, letters[src->sel[c]]);
    }
}

/* ---- Units ---- */

/* 'integer': an immediate is one. */
static void print_arith(struct str *s, const struct isa_unit *u, bool integer) {
    bool sub = u->kind == ISA_UNIT_SUB;
    if (sub && u->mask == 0) {
        str_char(s, '-');
    } else {
        str_append(s, isa_op_infos[u->op].name);
    }
    if (u->saturate) {
        str_char(s, 's');
    }
    if (sub) {
        print_mask(s, u->mask);
    } else {
        print_dest(s, u->dest, u->mask);
    }
    if (u->has_imm) {
        str_append(s, " #");
        if (integer) {
            str_printf(s, "%di", u->imm16 >= 32768 ? (int)u->imm16 - 65536 : (int)u->imm16);
        } else {
            print_half(s, u->imm16);
        }
    } else if (u->op == ISA_OP_MVS) {
        str_printf(s, " %s(%c)", isa_status_name(u->src.reg), sub ? '1' : '0');
    } else {
        print_source(s, &u->src);
        str_append(s, sub ? "(1)" : "(0)");
    }
    if (u->smask != 0) {
        str_char(s, '@');
        print_mask(s, u->smask);
    }
}

static void print_coord(struct str *s, const struct isa_unit *u) {
    static const char targets[4] = {'0', '1', 'd', 'p'};
    static const char *const rounding[4] = {"", ".rz", ".ru", ".rd"};
    switch (u->kind) {
    case ISA_UNIT_PRED:
        str_append(s, "PRED");
        if (u->mask != 15) {
            print_mask(s, u->mask);
        }
        str_printf(s, " %s%s", isa_cond_name(u->cond), u->int_compare ? ".i" : "");
        print_source(s, &u->src);
        str_append(s, u->sl ? "(1)" : "(0)");
        break;
    case ISA_UNIT_ADDR:
        str_append(s, "ADDR ");
        if (u->indexed) {
            print_register(s, u->src.file, u->src.reg);
            str_printf(s, ".%c", letters[u->src.sel[0]]);
        }
        if (!u->indexed || u->base != 0) {
            str_printf(s, "%+d", u->base);
        }
        str_printf(s, "(%c)", targets[u->target]);
        break;
    default:
        str_printf(s, "TYPE %s", isa_type_name(u->dtype));
        if (u->stype != u->dtype) {
            str_printf(s, ".%s", isa_type_name(u->stype));
        }
        str_printf(s, " %s%s(%c)", isa_xop_infos[u->xop].name, rounding[u->rounding],
                   u->sl ? '1' : '0');
        break;
    }
}

static void print_process(struct str *s, const struct isa_unit *u) {
    str_append(s, isa_unit_name(u));
    if (u->kind == ISA_UNIT_BRC) {
        if (u->op == ISA_BRC_BL) {
            str_printf(s, " %c", u->option ? 'R' : 'D');
        }
        if (u->op == ISA_BRC_BL || u->op == ISA_BRC_WAIT || u->op == ISA_BRC_WAKE) {
            str_printf(s, " %d", u->imm);
        }
        return;
    }
    print_dest(s, u->dest, u->mask);
    if (u->op >= ISA_MEM_TEX) {
        if (u->option) {
            str_append(s, " *");
        } else {
            str_printf(s, " r%u", u->src.reg);
        }
        str_printf(s, " s%u", u->offset);
        return;
    }
    str_append(s, " [");
    if (u->option) {
        str_char(s, '*');
    } else {
        print_register(s, ISA_FILE_GPR, u->src.reg);
    }
    str_printf(s, ".%c", letters[u->src.sel[0]]);
    if (u->offset != 0) {
        str_printf(s, "+%u", u->offset);
    }
    str_char(s, ']');
}

/* Does an operation of phase 1 read 32-bit integers? */
static bool reads_integers(const struct isa_inst *inst) {
    for (int k = 0; k < 2; k++) {
        const struct isa_unit *u = inst->coord[k] >= 0 ? &inst->unit[inst->coord[k]] : NULL;
        if (u != NULL && u->kind == ISA_UNIT_TYPE && (u->stype == ISA_TYPE_I32 || u->stype == ISA_TYPE_U32)) {
            return true;
        }
    }
    return false;
}

static void print_inst(struct str *s, const struct isa_inst *inst) {
    unsigned phase = 0;
    for (unsigned i = 0; i < inst->units; i++) {
        const struct isa_unit *u = &inst->unit[i];
        if (u->phase == 1 && phase == 0) {
            str_append(s, i == 0 ? "| " : " | ");
            phase = 1;
        } else if (i > 0) {
            str_char(s, ' ');
        }
        switch (u->kind) {
        case ISA_UNIT_MAIN:
        case ISA_UNIT_SUB: print_arith(s, u, u->phase == 1 && reads_integers(inst)); break;
        case ISA_UNIT_BRC:
        case ISA_UNIT_MEM: print_process(s, u); break;
        default: print_coord(s, u); break;
        }
    }
}

/* ---- Image ---- */

static void print_name(struct str *s, const char *name) {
    if (*name == '\0') {
        return;
    }
    str_append(s, ".name \"");
    for (; *name != '\0'; name++) {
        unsigned char c = (unsigned char)*name;
        if (c == '"' || c == '\\') {
            str_char(s, '\\');
            str_char(s, *name);
        } else if (c < 32 || c == 127) {
            str_printf(s, "\\x%02x", c);
        } else {
            str_char(s, *name);
        }
    }
    str_append(s, "\"\n");
}

static const char *stage_name(unsigned stage) {
    switch (stage) {
#define VLIW_STAGE_NAME(id, name) case id: return name;
#include "vm/isa/io_names.def"
    default: return "?";
    }
}

static const char *sampler_name(unsigned type) {
    switch (type) {
#define VLIW_SAMPLER_NAME(id, name) case id: return name;
#include "vm/isa/io_names.def"
    default: return "?";
    }
}

static void print_io(struct str *s, const char *directive, const struct vliw_io *io,
                     uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const char *what = "?";
        bool has_index = false;
        switch (io[i].semantic) {
#define VLIW_IO_NAME(id, name, is_indexed) case id: what = name; has_index = is_indexed; break;
#include "vm/isa/io_names.def"
        default: break;
        }
        str_printf(s, "%s %s", directive, what);
        if (has_index) {
            str_printf(s, " %u", io[i].index);
        }
        print_dest(s, io[i].reg, io[i].mask & 15u);
        str_char(s, '\n');
    }
}

static void print_tables(struct str *s, const struct vliw_image_desc *d) {
    str_printf(s, ".stage %s\n", stage_name((unsigned)d->stage));
    print_name(s, d->name);
    if (d->globals != 0) {
        str_printf(s, ".globals %u\n", (unsigned)d->globals);
    }
    if (d->gprs != 0) {
        str_printf(s, ".gprs %u\n", (unsigned)d->gprs);
    }
    print_io(s, ".in", d->inputs, d->input_count);
    print_io(s, ".out", d->outputs, d->output_count);
    for (uint32_t i = 0; i < d->sampler_count; i++) {
        str_printf(s, ".sampler s%u %s\n", (unsigned)i, sampler_name(d->samplers[i]));
    }
    for (uint32_t i = 0; i < d->literal_count; i++) {
        str_printf(s, ".const c%u", (unsigned)d->literals[i].reg);
        for (unsigned c = 0; c < 4 && d->literals[i].mask >> c != 0; c++) {
            str_char(s, ' ');
            if (d->literals[i].mask >> c & 1u) {
                print_float(s, d->literals[i].bits[c]);
            } else {
                str_char(s, '_');
            }
        }
        str_char(s, '\n');
    }
    if (d->lines == NULL) {
        str_append(s, ".nolines\n");
    }
}

/* The source lines of the next units, if they are not that of the unit before: one number, or
 * one for each unit. */
static void print_line(struct str *s, const struct vliw_image_desc *d, uint32_t pc,
                       unsigned units) {
    bool one = true, changed = pc == 0 || (d->lines != NULL && d->lines[pc] != d->lines[pc - 1]);
    for (unsigned i = 1; d->lines != NULL && i < units; i++) {
        one = one && d->lines[pc + i] == d->lines[pc];
    }
    if (d->lines == NULL || (one && !changed)) {
        return;
    }
    str_printf(s, ".line");
    for (unsigned i = 0; i < (one ? 1 : units); i++) {
        str_printf(s, " %u", (unsigned)d->lines[pc + i]);
    }
    str_char(s, '\n');
}

static void print_code(struct str *s, const struct vliw_image_desc *d) {
    for (uint32_t pc = 0; pc < d->word_count;) {
        struct isa_inst inst;
        struct isa_fault fault;
        unsigned units = isa_decode_inst(d->words, d->word_count, pc, &inst, &fault);
        if (units == 0 || !isa_check_inst(&inst, &fault)) {
            print_line(s, d, pc, 1);
            str_printf(s, ".word 0x%08x\n", (unsigned)d->words[pc]);
            pc++;
            continue;
        }
        print_line(s, d, pc, units);
        size_t start = s->length;
        print_inst(s, &inst);
        for (size_t width = s->length - start; width < 56; width++) {
            str_char(s, ' ');
        }
        str_printf(s, " // %u:", (unsigned)pc);
        for (unsigned i = 0; i < units; i++) {
            str_printf(s, " %08x", (unsigned)d->words[pc + i]);
        }
        const struct isa_unit *process = inst.process >= 0 ? &inst.unit[inst.process] : NULL;
        if (process != NULL && process->kind == ISA_UNIT_BRC && process->op == ISA_BRC_BL &&
            process->option && isa_addr_for(&inst, ISA_ADDR_PROCESS) == NULL) {
            str_printf(s, " -> %d", (int)(pc + units) + process->imm);
        }
        str_char(s, '\n');
        pc += units;
    }
}

char *vliw_disassemble(const struct vliw_image *image) {
    struct vliw_image_desc d;
    struct str s;
    vliw_image_describe(image, &d);
    str_init(&s);
    print_tables(&s, &d);
    print_code(&s, &d);
    if (s.failed) {
        str_fini(&s);
        return NULL;
    }
    return str_take(&s);
}
