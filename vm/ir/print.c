/* SPDX-License-Identifier: MIT */
/*
 * The text form of a function, which parse.c reads back. Independent of locale: literals are
 * printed as whole numbers where they are, otherwise as their bits. A line ends in "@LINE" when the
 * source line is known and in "!" when the value is precise.
 */
#include "vm/ir/ir.h"

#include "vm/base/bits.h"
#include "vm/ir/passes.h"

static const char comp_names[4] = {'x', 'y', 'z', 'w'};

static void print_src(struct ir_src src, struct str *out) {
    str_printf(out, "%s%%%u.", src.neg ? "-" : "", src.def ? (unsigned)src.def->id : 0u);
    for (unsigned i = 0; i < src.comps && i < 4; i++) {
        str_char(out, comp_names[src.swz[i] & 3]);
    }
}

static void print_srcs(const struct ir_src *args, unsigned count, struct str *out) {
    for (unsigned i = 0; i < count; i++) {
        str_append(out, i ? ", " : " ");
        print_src(args[i], out);
    }
}

static void print_mask(unsigned mask, struct str *out) {
    for (unsigned i = 0; i < 4; i++) {
        if (mask & 1u << i) {
            str_char(out, comp_names[i]);
        }
    }
}

static void print_float(float value, struct str *out) {
    uint32_t bits = bits_from_float(value);
    /* The range test also keeps NaN and infinity away from the conversion. */
    if (value > -1e6f && value < 1e6f && bits != 0x80000000u && (float)(int32_t)value == value) {
        str_printf(out, " %d", (int)value);
    } else {
        str_printf(out, " 0x%08x", (unsigned)bits);
    }
}

static void print_details(const struct ir_inst *inst, struct str *out) {
    switch (inst->op) {
    case IR_CONST:
        for (unsigned i = 0; i < inst->comps; i++) {
            print_float(inst->imm[i], out);
        }
        break;
    case IR_INPUT: str_printf(out, " #%u", (unsigned)inst->io); break;
    case IR_OUTPUT:
        str_printf(out, " #%u ", (unsigned)inst->io);
        print_mask(inst->mask, out);
        break;
    case IR_UNIFORM:
        str_printf(out, " #%u.%c [%u]", (unsigned)inst->base, comp_names[inst->comp & 3],
                   (unsigned)inst->extent);
        break;
    case IR_LOAD: str_printf(out, " #%u+%u", (unsigned)inst->io, (unsigned)inst->base); break;
    case IR_STORE:
        str_printf(out, " #%u+%u ", (unsigned)inst->io, (unsigned)inst->base);
        print_mask(inst->mask, out);
        break;
    case IR_TEX: {
        static const char *const modes[] = {"implicit", "bias", "lod", "grad"};
        str_printf(out, " #%u [%u] %s%s%s%s", (unsigned)inst->tex.sampler,
                   (unsigned)inst->tex.elements, modes[inst->tex.mode & 3],
                   inst->tex.projective ? " proj" : "", inst->tex.has_reference ? " ref" : "",
                   inst->tex.has_index ? " index" : "");
        str_append(out, inst->tex.bytes ? " bytes" : "");
        break;
    }
    default: break;
    }
}

static void print_inst(const struct ir_inst *inst, struct str *out) {
    str_append(out, "  ");
    if (inst->comps) {
        str_printf(out, "%%%u:%u = ", (unsigned)inst->id, (unsigned)inst->comps);
    }
    str_append(out, inst->op < IR_OP_COUNT ? ir_op_infos[inst->op].name : "?");
    print_details(inst, out);
    print_srcs(inst->args, inst->arg_count, out);
    if (inst->precise) {
        str_append(out, " !");
    }
    if (inst->line) {
        str_printf(out, " @%u", (unsigned)inst->line);
    }
    str_char(out, '\n');
}

static void print_edge(const struct ir_edge *edge, struct str *out) {
    str_printf(out, " b%u", edge->to ? (unsigned)edge->to->id : 0u);
    if (edge->arg_count) {
        str_append(out, " (");
        print_srcs(edge->args, edge->arg_count, out);
        str_append(out, " )");
    }
}

static void print_block(const struct ir_block *block, struct str *out) {
    str_printf(out, "b%u", (unsigned)block->id);
    for (uint32_t i = 0; i < block->param_count; i++) {
        str_printf(out, "%s%%%u:%u", i ? ", " : " ( ", (unsigned)block->params[i]->id,
                   (unsigned)block->params[i]->comps);
    }
    str_append(out, block->param_count ? " ):\n" : ":\n");
    for (const struct ir_inst *inst = block->first; inst; inst = inst->next) {
        print_inst(inst, out);
    }
    switch (block->term) {
    case IR_TERM_JUMP:
        str_append(out, "  jump");
        print_edge(&block->edge[0], out);
        break;
    case IR_TERM_BRANCH:
        str_append(out, "  branch ");
        print_src(block->cond, out);
        print_edge(&block->edge[0], out);
        print_edge(&block->edge[1], out);
        break;
    case IR_TERM_RETURN: str_append(out, "  return"); break;
    default: str_append(out, "  none"); break;
    }
    if (block->line) {
        str_printf(out, " @%u", (unsigned)block->line);
    }
    str_char(out, '\n');
}

static void print_ios(const char *word, const struct ir_io *list, uint32_t count, struct str *out) {
    for (uint32_t i = 0; i < count; i++) {
        str_printf(out, "%s %u %u %u %s\n", word, (unsigned)list[i].semantic,
                   (unsigned)list[i].index, (unsigned)list[i].comps,
                   list[i].name && list[i].name[0] ? list[i].name : "_");
    }
}

void ir_print(const struct ir_fn *fn, struct str *out) {
    if (!fn) {
        return;
    }
    str_printf(out, "%s %s uniforms %u%s\n", fn->is_fragment ? "fragment" : "vertex",
               fn->name && fn->name[0] ? fn->name : "_", (unsigned)fn->uniform_regs,
               fn->in_ssa ? " ssa" : "");
    print_ios("input", fn->inputs, fn->input_count, out);
    print_ios("output", fn->outputs, fn->output_count, out);
    for (uint32_t i = 0; i < fn->sampler_count; i++) {
        str_printf(out, "sampler %u\n", (unsigned)fn->samplers[i]);
    }
    for (uint32_t i = 0; i < fn->var_count; i++) {
        str_printf(out, "var %u %u %s%s\n", (unsigned)fn->vars[i].comps,
                   (unsigned)fn->vars[i].elements,
                   fn->vars[i].name && fn->vars[i].name[0] ? fn->vars[i].name : "_",
                   fn->vars[i].dynamic ? " dynamic" : "");
    }
    for (uint32_t i = 0; i < fn->block_count; i++) {
        print_block(fn->blocks[i], out);
    }
}
