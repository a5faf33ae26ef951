/* SPDX-License-Identifier: MIT */
/*
 * Reads the text form that print.c writes, so that a pass can be tested alone. Ids become new ones
 * in order of appearance; values may be used before their line (loop parameters), which is resolved
 * at the end. Total: any text gives a function or a message with its line.
 */
#include "vm/ir/ir.h"

#include <string.h>

#include "vm/base/bits.h"
#include "vm/ir/passes.h"

/* Ids in a text are below this; a table by id is simplest for what tests write. */
#define MAX_ID 100000u

struct parser {
    struct ir_fn *fn;
    const char *at;
    uint32_t line;
    const char *fault; /* first error */
    uint32_t fault_line;
    struct ir_inst **values; /* by id: placeholders until defined */
    struct ir_block **blocks;
};

static void fail(struct parser *p, const char *text) {
    if (!p->fault) {
        p->fault = text;
        p->fault_line = p->line;
    }
}

static void skip_blanks(struct parser *p) {
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\r') {
        p->at++;
    }
}

static bool accept(struct parser *p, const char *text) {
    size_t n = strlen(text);
    skip_blanks(p);
    if (strncmp(p->at, text, n) != 0) {
        return false;
    }
    p->at += n;
    return true;
}

static void expect(struct parser *p, const char *text) {
    if (!accept(p, text)) {
        fail(p, "unexpected text");
    }
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool accept_word(struct parser *p, const char *text) {
    const char *keep = p->at;
    if (accept(p, text) && !is_word(*p->at)) {
        return true;
    }
    p->at = keep;
    return false;
}

static uint32_t number(struct parser *p) {
    uint64_t value = 0;
    skip_blanks(p);
    if (*p->at < '0' || *p->at > '9') {
        fail(p, "a number is missing");
        return 0;
    }
    while (*p->at >= '0' && *p->at <= '9') {
        value = value * 10 + (uint64_t)(*p->at++ - '0');
        if (value > UINT32_MAX) {
            fail(p, "a number is too large");
            return 0;
        }
    }
    return (uint32_t)value;
}

static int comp_of(char c) {
    switch (c) {
    case 'x': return 0;
    case 'y': return 1;
    case 'z': return 2;
    case 'w': return 3;
    default: return -1;
    }
}

static uint32_t id(struct parser *p) {
    uint32_t value = number(p);
    if (value >= MAX_ID) {
        fail(p, "an id is too large");
        return 0;
    }
    return value;
}

static struct ir_inst *value_of(struct parser *p, uint32_t number_of) {
    if (!p->values[number_of]) {
        p->values[number_of] = ir_new_inst(p->fn, IR_MOV, 0, 0);
    }
    return p->values[number_of];
}

static struct ir_block *block_of(struct parser *p, uint32_t number_of) {
    if (!p->blocks[number_of]) {
        p->blocks[number_of] = ir_block_create(p->fn);
    }
    return p->blocks[number_of];
}

static bool at_src(struct parser *p) {
    skip_blanks(p);
    return *p->at == '%' || (*p->at == '-' && p->at[1] == '%');
}

static struct ir_src source(struct parser *p) {
    struct ir_src src;
    memset(&src, 0, sizeof src);
    src.neg = accept(p, "-");
    expect(p, "%");
    src.def = value_of(p, id(p));
    expect(p, ".");
    while (src.comps < 4 && comp_of(*p->at) >= 0) {
        src.swz[src.comps++] = (uint8_t)comp_of(*p->at++);
    }
    if (!src.comps) {
        fail(p, "a source has no components");
        src.comps = 1;
    }
    return src;
}

static uint8_t mask(struct parser *p) {
    uint8_t bits = 0;
    skip_blanks(p);
    while (comp_of(*p->at) >= 0) {
        bits |= (uint8_t)(1u << comp_of(*p->at++));
    }
    return bits;
}

static float literal(struct parser *p) {
    skip_blanks(p);
    if (accept(p, "0x")) {
        uint32_t bits = 0;
        for (unsigned digits = 0; digits < 8; digits++) {
            char c = *p->at;
            unsigned d = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : 16;
            if (d == 16) {
                fail(p, "a literal needs eight digits");
                break;
            }
            bits = bits << 4 | d;
            p->at++;
        }
        return bits_to_float(bits);
    }
    bool is_negative = accept(p, "-");
    float value = (float)number(p);
    return is_negative ? -value : value;
}

/* ---- instructions
 * --------------------------------------------------------------------------------- */

static void tex_details(struct parser *p, struct ir_inst *inst) {
    static const char *const modes[] = {"implicit", "bias", "lod", "grad"};
    bool found = false;
    expect(p, "#");
    inst->tex.sampler = (uint16_t)number(p);
    expect(p, "[");
    inst->tex.elements = (uint16_t)number(p);
    expect(p, "]");
    for (uint8_t m = 0; m < 4 && !found; m++) {
        found = accept_word(p, modes[m]);
        inst->tex.mode = m;
    }
    if (!found) {
        fail(p, "a texture mode is missing");
    }
    inst->tex.projective = accept_word(p, "proj");
    inst->tex.has_reference = accept_word(p, "ref");
    inst->tex.has_index = accept_word(p, "index");
    inst->tex.bytes = accept_word(p, "bytes");
}

static void details(struct parser *p, struct ir_inst *inst) {
    switch (inst->op) {
    case IR_CONST:
        for (unsigned i = 0; i < inst->comps; i++) {
            inst->imm[i] = literal(p);
        }
        break;
    case IR_INPUT:
        expect(p, "#");
        inst->io = number(p);
        break;
    case IR_OUTPUT:
        expect(p, "#");
        inst->io = number(p);
        inst->mask = mask(p);
        break;
    case IR_UNIFORM:
        expect(p, "#");
        inst->base = number(p);
        expect(p, ".");
        inst->comp = (uint8_t)(comp_of(*p->at) < 0 ? 0 : comp_of(*p->at));
        p->at += comp_of(*p->at) >= 0;
        expect(p, "[");
        inst->extent = number(p);
        expect(p, "]");
        break;
    case IR_LOAD:
    case IR_STORE:
        expect(p, "#");
        inst->io = number(p);
        expect(p, "+");
        inst->base = number(p);
        inst->mask = inst->op == IR_STORE ? mask(p) : 0;
        break;
    case IR_TEX: tex_details(p, inst); break;
    default: break;
    }
}

static void parse_inst(struct parser *p, struct ir_block *block) {
    struct ir_inst *inst = NULL;
    if (accept(p, "%")) {
        inst = value_of(p, id(p));
        if (inst->comps) {
            fail(p, "a value is defined twice");
        }
        expect(p, ":");
        inst->comps = (uint8_t)number(p);
        expect(p, "=");
        if (inst->comps < 1 || inst->comps > 4) {
            fail(p, "a value has 1 to 4 components");
            inst->comps = 1;
        }
    } else {
        inst = ir_new_inst(p->fn, IR_MOV, 0, 0);
    }
    unsigned op = 0;
    while (op < IR_OP_COUNT && !accept_word(p, ir_op_infos[op].name)) {
        op++;
    }
    if (op == IR_OP_COUNT) {
        fail(p, "no such operation");
        return;
    }
    inst->op = (uint8_t)op;
    details(p, inst);
    struct ir_src args[8];
    unsigned count = 0;
    while (count < 8 && at_src(p)) {
        args[count++] = source(p);
        accept(p, ",");
    }
    inst->args = arena_array(p->fn->arena, count + 1, sizeof *inst->args);
    if (!inst->args) {
        fail(p, "out of memory");
        return;
    }
    memcpy(inst->args, args, count * sizeof *args);
    inst->arg_count = (uint16_t)count;
    inst->precise = accept(p, "!");
    inst->line = accept(p, "@") ? number(p) : 0;
    if (!p->fault && !inst->block) {
        ir_append_inst(block, inst);
    }
}

/* ---- blocks
 * --------------------------------------------------------------------------------------- */

static void parse_edge(struct parser *p, struct ir_block *block, unsigned e) {
    expect(p, "b");
    block->edge[e].to = block_of(p, id(p));
    ir_add_pred(p->fn, block->edge[e].to, block);
    if (accept(p, "(")) {
        while (!p->fault && !accept(p, ")")) {
            ir_edge_add_arg(p->fn, &block->edge[e], source(p));
            accept(p, ",");
        }
    }
}

static bool parse_end(struct parser *p, struct ir_block *block) {
    if (accept_word(p, "jump")) {
        block->term = IR_TERM_JUMP;
        parse_edge(p, block, 0);
    } else if (accept_word(p, "branch")) {
        block->term = IR_TERM_BRANCH;
        block->cond = source(p);
        parse_edge(p, block, 0);
        parse_edge(p, block, 1);
    } else if (accept_word(p, "return")) {
        block->term = IR_TERM_RETURN;
    } else {
        return false;
    }
    block->line = accept(p, "@") ? number(p) : 0;
    return true;
}

static struct ir_block *parse_label(struct parser *p) {
    struct ir_block *block = block_of(p, id(p));
    if (block->order != UINT32_MAX) {
        fail(p, "a block is defined twice");
    }
    ir_block_append(p->fn, block);
    if (accept(p, "(")) {
        while (!p->fault && !accept(p, ")")) {
            expect(p, "%");
            uint32_t number_of = id(p);
            expect(p, ":");
            uint32_t comps = number(p);
            if (comps < 1 || comps > 4) {
                fail(p, "a value has 1 to 4 components");
                return block;
            }
            struct ir_inst *param = ir_add_param(p->fn, block, comps);
            if (p->values[number_of]) {
                fail(p, "a parameter is defined twice or used before its block");
            }
            p->values[number_of] = param;
            accept(p, ",");
        }
    }
    expect(p, ":");
    return block;
}

static void parse_name(struct parser *p, char *name, size_t size) {
    size_t n = 0;
    skip_blanks(p);
    while (*p->at && *p->at != ' ' && *p->at != '\n' && n + 1 < size) {
        name[n++] = *p->at++;
    }
    name[n] = '\0';
}

static bool parse_declaration(struct parser *p) {
    char name[64];
    bool is_input = accept_word(p, "input");
    if (is_input || accept_word(p, "output")) {
        uint8_t semantic = (uint8_t)number(p);
        uint8_t index = (uint8_t)number(p);
        uint8_t comps = (uint8_t)number(p);
        parse_name(p, name, sizeof name);
        if (comps < 1 || comps > 4) {
            fail(p, "an interface register has 1 to 4 components");
        } else if (is_input) {
            ir_add_input(p->fn, name, semantic, index, comps);
        } else {
            ir_add_output(p->fn, name, semantic, index, comps);
        }
    } else if (accept_word(p, "sampler")) {
        ir_add_sampler(p->fn, (uint8_t)number(p));
    } else if (accept_word(p, "var")) {
        uint8_t comps = (uint8_t)number(p);
        uint32_t elements = number(p);
        parse_name(p, name, sizeof name);
        if (comps < 1 || comps > 4 || !elements || elements > 65536) {
            fail(p, "a variable has 1 to 4 components and up to 65536 elements");
        } else {
            uint32_t v = ir_add_var(p->fn, name, comps, elements);
            p->fn->vars[v].dynamic = accept_word(p, "dynamic");
        }
    } else {
        return false;
    }
    return true;
}

static void parse_line(struct parser *p, struct ir_block **block) {
    skip_blanks(p);
    if (*p->at == '\n' || !*p->at) {
        return;
    }
    if (!*block && parse_declaration(p)) {
        return;
    }
    if (*p->at == 'b' && p->at[1] >= '0' && p->at[1] <= '9') {
        p->at++;
        *block = parse_label(p);
    } else if (!*block) {
        fail(p, "a block label is missing");
    } else if ((*block)->term != IR_TERM_NONE) {
        fail(p, "a block goes on after its end");
    } else if (!parse_end(p, *block)) {
        parse_inst(p, *block);
    }
    skip_blanks(p);
    if (*p->at && *p->at != '\n') {
        fail(p, "unexpected text at the end of the line");
    }
}

static void parse_text(struct parser *p) {
    struct ir_block *block = NULL;
    while (*p->at && !p->fault) {
        p->line++;
        parse_line(p, &block);
        while (*p->at && *p->at != '\n') {
            p->at++;
        }
        p->at += *p->at == '\n';
    }
    for (uint32_t i = 0; i < MAX_ID && !p->fault; i++) {
        if ((p->values[i] && !p->values[i]->block) ||
            (p->blocks[i] && p->blocks[i]->order == UINT32_MAX)) {
            fail(p, "a value or block is used but not defined");
        }
    }
}

struct ir_fn *ir_parse(struct arena *arena, const char *text, char *message, size_t message_size) {
    struct parser p = {.at = text, .line = 1};
    char name[64] = "";
    bool is_fragment = accept_word(&p, "fragment");
    if (!is_fragment && !accept_word(&p, "vertex")) {
        fail(&p, "the text begins with 'vertex' or 'fragment'");
    }
    parse_name(&p, name, sizeof name);
    p.fn = ir_fn_create(arena, name, is_fragment);
    p.values = arena_array(arena, MAX_ID, sizeof *p.values);
    p.blocks = arena_array(arena, MAX_ID, sizeof *p.blocks);
    if (!p.fn || !p.values || !p.blocks) {
        snprintf(message, message_size, "out of memory");
        return NULL;
    }
    if (accept_word(&p, "uniforms")) {
        p.fn->uniform_regs = number(&p);
    }
    p.fn->in_ssa = accept_word(&p, "ssa");
    skip_blanks(&p);
    if (!p.fault && *p.at == '\n') {
        p.at++;
        parse_text(&p);
    } else {
        fail(&p, "unexpected text in the first line");
    }
    uint32_t where;
    const char *fault = p.fault;
    if (!fault && !arena->failed) {
        fault = ir_validate(p.fn, &where);
        p.fault_line = 0;
    }
    if (fault || arena->failed) {
        snprintf(message, message_size, "line %u: %s", (unsigned)p.fault_line,
                 fault ? fault : "out of memory");
        return NULL;
    }
    return p.fn;
}
