/* SPDX-License-Identifier: MIT */
/*
 * Whole-image rules (rules.def 40 and up) and the walk that applies the single-instruction rules.
 * In: an image nobody has checked. Out: acceptance or the first violation, and facts about accepted
 * images. Total on any image; allocates nothing.
 */
#include "vm/exec/verify.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vm/isa/rules.h"
#include "vm/isa/word.h"

struct verifier {
    struct vliw_image_desc image;
    struct vliw_error *error;
    uint32_t starts[ISA_MAX_UNITS / 32];    /* bit set: an instruction starts here */
};

/* Reports a broken rule. word and slot are -1 for tables; 'format' says where or which. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
static bool
broken(struct verifier *v, int32_t word, int32_t slot, unsigned rule, const char *format, ...) {
    struct vliw_error *e = v->error;
    if (e == NULL) {
        return false;
    }
    char detail[120];
    va_list args;
    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    e->status = VLIW_ERR_VERIFY;
    e->word = word;
    e->slot = slot;
    e->rule = (int32_t)rule;
    e->line = e->column = -1;
    if (word < 0) {
        snprintf(e->message, sizeof e->message, "%s: rule %u: %s", detail, rule,
                 isa_rule_text(rule));
        return false;
    }
    if (v->image.lines != NULL && (uint32_t)word < v->image.word_count &&
        v->image.lines[word] != 0 && v->image.lines[word] <= INT32_MAX) {
        e->line = (int32_t)v->image.lines[word];
    }
    const char *gap = detail[0] != '\0' ? " " : "";
    if (e->line > 0) {
        snprintf(e->message, sizeof e->message, "word %d slot %d (line %d): rule %u: %s%s%s",
                 (int)word, (int)slot, (int)e->line, rule, isa_rule_text(rule), gap, detail);
    } else {
        snprintf(e->message, sizeof e->message, "word %d slot %d: rule %u: %s%s%s", (int)word,
                 (int)slot, rule, isa_rule_text(rule), gap, detail);
    }
    return false;
}

/* ---- Code ---- */

static bool inst_fault(struct verifier *v, uint32_t pc, const struct isa_inst *inst,
                       const struct isa_fault *f) {
    int32_t word = (int32_t)(pc + f->unit);
    if (f->rule == ISA_RULE_DECODE && f->text != isa_rule_text(ISA_RULE_DECODE)) {
        return broken(v, word, f->unit, f->rule, "(%s)", f->text);
    }
    if (inst == NULL || f->unit >= inst->units) {
        return broken(v, word, f->unit, f->rule, "%s", "");
    }
    const char *name = isa_unit_name(&inst->unit[f->unit]);
    if (f->other < 0 || f->other >= inst->units) {
        return broken(v, word, f->unit, f->rule, "(%s)", name);
    }
    return broken(v, word, f->unit, f->rule, "(%s, with %s in slot %d)", name,
                  isa_unit_name(&inst->unit[f->other]), f->other);
}

static bool is_texture(const struct isa_unit *u) {
    return u->kind == ISA_UNIT_MEM && u->op >= ISA_MEM_TEX;
}

static bool is_implicit_lod(const struct isa_unit *u) {
    return is_texture(u) && u->op != ISA_MEM_TXL && u->op != ISA_MEM_TXLP && u->op != ISA_MEM_TXD;
}

static bool is_derivative(const struct isa_unit *u) {
    return (u->kind == ISA_UNIT_MAIN || u->kind == ISA_UNIT_SUB) &&
           (u->op == ISA_OP_DDX || u->op == ISA_OP_DDY);
}

static bool is_kill(const struct isa_unit *u) {
    return u->kind == ISA_UNIT_BRC && u->op == ISA_BRC_KIL;
}

/* Batches of vertices are filled in any order, so nothing may depend on the neighbours of a lane.
 */
static bool check_stage_ops(struct verifier *v, uint32_t pc, const struct isa_inst *inst) {
    if (v->image.stage != VLIW_STAGE_VERTEX) {
        return true;
    }
    for (unsigned i = 0; i < inst->units; i++) {
        const struct isa_unit *u = &inst->unit[i];
        if (is_derivative(u) || is_kill(u) || is_implicit_lod(u)) {
            return broken(v, (int32_t)(pc + i), (int32_t)i, ISA_RULE_STAGE_OP, "(%s)",
                          isa_unit_name(u));
        }
    }
    return true;
}

static bool check_sampler(struct verifier *v, uint32_t pc, const struct isa_inst *inst) {
    if (inst->process < 0 || !is_texture(&inst->unit[inst->process])) {
        return true;
    }
    const struct isa_unit *addr = isa_addr_for(inst, ISA_ADDR_PROCESS);
    int32_t sampler = inst->unit[inst->process].offset + (addr != NULL ? addr->base : 0);
    /* With an index the number is clamped at run time, so one declared sampler is enough. */
    bool ok = addr != NULL && addr->indexed
                  ? v->image.sampler_count > 0
                  : sampler >= 0 && sampler < (int64_t)v->image.sampler_count;
    return ok || broken(v, (int32_t)pc + inst->process, inst->process, ISA_RULE_SAMPLER_USED,
                        "(sampler %d of %u)", (int)sampler, (unsigned)v->image.sampler_count);
}

/* True when execution never goes on behind the instruction. */
static bool ends_flow(const struct isa_inst *inst) {
    if (inst->process < 0 || inst->unit[inst->process].kind != ISA_UNIT_BRC ||
        isa_process_predicated(inst)) {
        return false;
    }
    unsigned op = inst->unit[inst->process].op;
    return op == ISA_BRC_END || op == ISA_BRC_TRAP || op == ISA_BRC_BL;
}

static bool check_code(struct verifier *v) {
    const struct vliw_image_desc *d = &v->image;
    if (d->word_count < 1 || d->word_count > ISA_MAX_UNITS) {
        return broken(v, -1, -1, ISA_RULE_CODE_SIZE, "%u units", (unsigned)d->word_count);
    }
    struct isa_inst inst;
    struct isa_fault fault;
    uint32_t pc = 0, last = 0;
    while (pc < d->word_count) {
        unsigned units = isa_decode_inst(d->words, d->word_count, pc, &inst, &fault);
        if (units == 0) {
            return inst_fault(
                v, pc,
                fault.rule == ISA_RULE_DECODE || fault.rule == ISA_RULE_NO_END ? NULL : &inst,
                &fault);
        }
        if (!isa_check_inst(&inst, &fault)) {
            return inst_fault(v, pc, &inst, &fault);
        }
        if (!check_stage_ops(v, pc, &inst) || !check_sampler(v, pc, &inst)) {
            return false;
        }
        v->starts[pc / 32] |= 1u << pc % 32;
        last = pc;
        pc += units;
    }
    return ends_flow(&inst) || broken(v, (int32_t)last, 0, ISA_RULE_FALL_OFF, "%s", "");
}

static bool check_targets(struct verifier *v) {
    const struct vliw_image_desc *d = &v->image;
    struct isa_inst inst;
    struct isa_fault fault;
    for (uint32_t pc = 0; pc < d->word_count;) {
        unsigned units = isa_decode_inst(d->words, d->word_count, pc, &inst, &fault);
        const struct isa_unit *u = inst.process >= 0 ? &inst.unit[inst.process] : NULL;
        const struct isa_unit *addr = isa_addr_for(&inst, ISA_ADDR_PROCESS);
        if (u != NULL && u->kind == ISA_UNIT_BRC && u->op == ISA_BRC_BL &&
            (addr == NULL || !addr->indexed)) {
            int64_t target = (int64_t)u->imm + (addr != NULL ? addr->base : 0) +
                             (u->option ? (int64_t)pc + units : 0);
            if (target < 0 || target >= (int64_t)d->word_count ||
                !(v->starts[target / 32] >> target % 32 & 1u)) {
                return broken(v, (int32_t)pc + inst.process, inst.process, ISA_RULE_BRANCH_TARGET,
                              "(to unit %lld)", (long long)target);
            }
        }
        pc += units;
    }
    return true;
}

/* ---- Tables ---- */

struct semantic_rule {
    uint8_t stages_in, stages_out;    /* a bit for each enum vliw_stage */
    uint16_t indices;                 /* how many there are */
    uint8_t mask;                     /* components that exist */
};

#define IN_V (1u << VLIW_STAGE_VERTEX)
#define IN_F (1u << VLIW_STAGE_FRAGMENT)
#define IN_ALL (IN_V | IN_F | 1u << VLIW_STAGE_COMPUTE)

static const struct semantic_rule semantic_rules[] = {
    [VLIW_SEM_ATTRIB] = {IN_V, 0, ISA_ATTRIBS, 15},
    [VLIW_SEM_VARYING] = {IN_F, IN_V, ISA_VARYINGS, 15},
    [VLIW_SEM_POSITION] = {0, IN_V, 1, 15},
    [VLIW_SEM_POINT_SIZE] = {0, IN_V, 1, 1},
    [VLIW_SEM_FRAG_COORD] = {IN_F, 0, 1, 15},
    [VLIW_SEM_FRONT_FACING] = {IN_F, 0, 1, 1},
    [VLIW_SEM_POINT_COORD] = {IN_F, 0, 1, 3},
    [VLIW_SEM_COLOR] = {0, IN_F, ISA_COLORS, 15},
    [VLIW_SEM_DEPTH] = {0, IN_F, 1, 1},
    [VLIW_SEM_LAST_FRAG] = {IN_F, 0, ISA_COLORS, 15},
    [VLIW_SEM_GENERIC] = {IN_ALL, IN_ALL, 256, 15},
    [VLIW_SEM_COLOR8] = {0, IN_F, ISA_COLORS, 1},
};

static bool check_io(struct verifier *v, const struct vliw_io *io, uint32_t count, bool is_output) {
    const char *what = is_output ? "output" : "input";
    /* Semantics and registers seen so far; both fit bitmaps, so no search is quadratic. */
    uint32_t seen[sizeof semantic_rules / sizeof semantic_rules[0]][8] = {{0}};
    uint8_t used[ISA_GPRS] = {0};
    for (uint32_t i = 0; i < count; i++) {
        const struct vliw_io *x = &io[i];
        const struct semantic_rule *rule =
            x->semantic < sizeof semantic_rules / sizeof semantic_rules[0]
                ? &semantic_rules[x->semantic]
                : NULL;
        unsigned stages = rule == NULL ? 0 : is_output ? rule->stages_out : rule->stages_in;
        if (!(stages >> v->image.stage & 1u) || x->index >= rule->indices || x->reserved != 0 ||
            x->reserved2 != 0) {
            return broken(v, -1, -1, ISA_RULE_IO_SEMANTIC, "%s %u", what, (unsigned)i);
        }
        if (x->mask == 0 || (x->mask & ~(unsigned)rule->mask) != 0) {
            return broken(v, -1, -1, ISA_RULE_IO_MASK, "%s %u", what, (unsigned)i);
        }
        if (x->reg >= ISA_GPRS) {
            return broken(v, -1, -1, ISA_RULE_IO_REGISTER, "%s %u", what, (unsigned)i);
        }
        uint32_t *seen_word = &seen[x->semantic][x->index / 32];
        if ((*seen_word >> x->index % 32 & 1u) || (used[x->reg] & x->mask) != 0) {
            return broken(v, -1, -1, ISA_RULE_IO_TWICE, "%s %u", what, (unsigned)i);
        }
        *seen_word |= 1u << x->index % 32;
        used[x->reg] |= x->mask;
    }
    return true;
}

static bool check_literals(struct verifier *v) {
    uint8_t used[ISA_GLOBALS] = {0};
    for (uint32_t i = 0; i < v->image.literal_count; i++) {
        const struct vliw_literal *x = &v->image.literals[i];
        if (x->reg >= ISA_GLOBALS || x->mask == 0 || x->mask > 15) {
            return broken(v, -1, -1, ISA_RULE_LITERAL_RANGE, "literal %u", (unsigned)i);
        }
        if ((used[x->reg] & x->mask) != 0) {
            return broken(v, -1, -1, ISA_RULE_LITERAL_TWICE, "literal %u", (unsigned)i);
        }
        used[x->reg] |= (uint8_t)x->mask;
    }
    return true;
}

static bool check_tables(struct verifier *v) {
    const struct vliw_image_desc *d = &v->image;
    if ((unsigned)d->stage > VLIW_STAGE_COMPUTE) {
        return broken(v, -1, -1, ISA_RULE_STAGE, "stage %u", (unsigned)d->stage);
    }
    if (d->globals > ISA_GLOBALS) {
        return broken(v, -1, -1, ISA_RULE_GLOBALS_LIMIT, "%u globals", (unsigned)d->globals);
    }
    if (d->gprs > ISA_GPRS) {
        return broken(v, -1, -1, ISA_RULE_GPRS_LIMIT, "%u GPRs", (unsigned)d->gprs);
    }
    if (d->sampler_count > ISA_SAMPLERS) {
        return broken(v, -1, -1, ISA_RULE_SAMPLER_TABLE, "%u samplers", (unsigned)d->sampler_count);
    }
    for (uint32_t i = 0; i < d->sampler_count; i++) {
        if (d->samplers[i] > VLIW_SAMPLER_EXTERNAL) {
            return broken(v, -1, -1, ISA_RULE_SAMPLER_TABLE, "sampler %u", (unsigned)i);
        }
    }
    return check_io(v, d->inputs, d->input_count, false) &&
           check_io(v, d->outputs, d->output_count, true) && check_literals(v);
}

enum vliw_status vm_verify(const struct vliw_image *image, struct vliw_error *error) {
    struct verifier v = {.error = error};
    vliw_image_describe(image, &v.image);
    return check_tables(&v) && check_code(&v) && check_targets(&v) ? VLIW_OK : VLIW_ERR_VERIFY;
}

/* ---- Facts of accepted images ---- */

uint32_t vm_verify_starts(const struct vliw_image *image, uint32_t *starts) {
    struct vliw_image_desc d;
    struct isa_inst inst;
    struct isa_fault fault;
    uint32_t count = 0;
    vliw_image_describe(image, &d);
    memset(starts, 0, (d.word_count + 31) / 32 * sizeof *starts);
    for (uint32_t pc = 0; pc < d.word_count; count++) {
        starts[pc / 32] |= 1u << pc % 32;
        pc += isa_decode_inst(d.words, d.word_count, pc, &inst, &fault);
    }
    return count;
}

struct extent {
    uint32_t file[2];    /* one more than the highest register named, by enum isa_file */
};

static void name_register(struct extent *x, unsigned file, int reg) {
    int limit = file == ISA_FILE_GPR ? (int)ISA_GPRS : (int)ISA_GLOBALS;
    reg = reg < 0 ? 0 : reg >= limit ? limit - 1 : reg;
    if ((uint32_t)reg + 1 > x->file[file]) {
        x->file[file] = (uint32_t)reg + 1;
    }
}

/* Register field of phase 'phase' with the base of the ADDR that qualifies it. */
static int with_base(const struct isa_inst *inst, const struct isa_unit *u, unsigned reg,
                     unsigned target) {
    const struct isa_unit *addr = u->phase == 1 ? isa_addr_for(inst, target) : NULL;
    return (int)reg + (addr != NULL ? addr->base : 0);
}

static void name_unit(struct extent *x, const struct isa_inst *inst, const struct isa_unit *u) {
    switch (u->kind) {
    case ISA_UNIT_MAIN:
        name_register(x, ISA_FILE_GPR, with_base(inst, u, u->dest, ISA_ADDR_DEST));
        if (u->op != ISA_OP_MVS) {
            name_register(x, u->src.file, with_base(inst, u, u->src.reg, ISA_ADDR_SLOT0));
        }
        break;
    case ISA_UNIT_SUB:
        if (!u->has_imm && u->op != ISA_OP_MVS) {
            name_register(x, u->src.file, with_base(inst, u, u->src.reg, ISA_ADDR_SLOT1));
        }
        break;
    case ISA_UNIT_PRED:
        name_register(x, u->src.file, u->src.reg);
        break;
    case ISA_UNIT_ADDR:
        if (u->indexed) {
            name_register(x, u->src.file, u->src.reg);
        }
        break;
    case ISA_UNIT_MEM:
        name_register(x, ISA_FILE_GPR, u->dest);
        if (!u->option) {
            name_register(x, ISA_FILE_GPR, u->src.reg);
        }
        break;
    default:
        break;
    }
}

static uint32_t flags_of(const struct isa_inst *inst, bool is_last) {
    uint32_t flags = 0;
    for (unsigned i = 0; i < inst->units; i++) {
        const struct isa_unit *u = &inst->unit[i];
        if (is_kill(u)) {
            flags |= VLIW_USES_DISCARD;
        }
        if (is_derivative(u) || is_implicit_lod(u)) {
            flags |= VLIW_USES_DERIVATIVES;
        }
        if (u->kind == ISA_UNIT_MEM) {
            flags |= is_texture(u) ? VLIW_USES_TEXTURE : VLIW_USES_MEMORY;
        }
        if (u->kind == ISA_UNIT_BRC &&
            (u->op == ISA_BRC_BL || (u->op == ISA_BRC_END && !is_last))) {
            flags |= VLIW_HAS_BRANCHES;
        }
    }
    return flags;
}

void vm_verify_info(const struct vliw_image *image, struct vliw_info *info) {
    struct vliw_image_desc d;
    struct isa_inst inst;
    struct isa_fault fault;
    vliw_image_describe(image, &d);
    struct extent x = {{d.gprs, d.globals}};
    memset(info, 0, sizeof *info);
    for (uint32_t pc = 0; pc < d.word_count; info->instructions++) {
        pc += isa_decode_inst(d.words, d.word_count, pc, &inst, &fault);
        for (unsigned i = 0; i < inst.units; i++) {
            name_unit(&x, &inst, &inst.unit[i]);
        }
        info->flags |= flags_of(&inst, pc == d.word_count);
    }
    for (uint32_t i = 0; i < d.input_count; i++) {
        name_register(&x, ISA_FILE_GPR, d.inputs[i].reg);
    }
    for (uint32_t i = 0; i < d.output_count; i++) {
        name_register(&x, ISA_FILE_GPR, d.outputs[i].reg);
    }
    for (uint32_t i = 0; i < d.literal_count; i++) {
        name_register(&x, ISA_FILE_GLOBAL, (int)d.literals[i].reg);
    }
    info->stage = d.stage;
    info->units = d.word_count;
    info->gprs = x.file[ISA_FILE_GPR];
    info->globals = x.file[ISA_FILE_GLOBAL];
    info->input_count = d.input_count;
    info->output_count = d.output_count;
    info->sampler_count = d.sampler_count;
    info->literal_count = d.literal_count;
    info->inputs = d.inputs;
    info->outputs = d.outputs;
    info->samplers = d.samplers;
    info->literals = d.literals;
    info->name = d.name;
}
