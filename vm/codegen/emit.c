/* SPDX-License-Identifier: MIT */
/*
 * The image: instruction addresses, branch displacements, words with their line table, literals and
 * the interface tables. Blocks without instructions share the address of what follows them.
 */
#include "vm/codegen/cg_internal.h"

#include <string.h>

#include "vm/isa/word.h"

static bool place_branches(struct cg *cg, struct cg_program *program, uint32_t *words) {
    uint32_t *address = arena_array(cg->arena, (size_t)program->count + 1, sizeof *address);
    if (!address) {
        return false;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < program->count; i++) {
        address[i] = at;
        at += program->insts[i].units;
    }
    address[program->count] = at;
    *words = at;
    if (at > ISA_MAX_UNITS) {
        cg_fail(cg, "program too long: more than 32768 instruction words");
        return false;
    }
    for (uint32_t i = 0; i < program->count; i++) {
        struct cg_inst *inst = &program->insts[i];
        if (inst->branch == CG_NONE) {
            continue;
        }
        struct cg_branch *branch = &program->branches[inst->branch];
        uint32_t target = address[program->block_first[branch->target]];
        int32_t distance = (int32_t)target - (int32_t)address[i + 1]; /* relative to the next PC */
        branch->unit.option = distance >= -16384 && distance <= 16383;
        branch->unit.imm = (int16_t)(branch->unit.option ? distance : (int32_t)target);
        inst->word[branch->place] = isa_pack_unit(&branch->unit);
    }
    return true;
}

static void fill_io(const struct cg *cg, const struct ir_io *ios, uint32_t count,
                    const uint32_t *vregs, const uint8_t *masks, struct vliw_io *out,
                    uint32_t *out_count) {
    for (uint32_t i = 0; i < count; i++) {
        if (vregs[i] == CG_NONE) {
            continue;
        }
        unsigned mask = masks ? masks[i] : (1u << ios[i].comps) - 1u;
        if (!mask) {
            continue;
        }
        struct vliw_io *io = &out[(*out_count)++];
        io->semantic = ios[i].semantic;
        io->index = ios[i].index;
        io->mask = (uint8_t)mask;
        io->reg =
            (uint16_t)cg->vregs[vregs[i]].reg; /* its web's register (regalloc leaves it there) */
    }
}

static void count_up(struct cg *cg, const struct cg_program *program, uint32_t words,
                     struct cg_stats *stats) {
    memset(stats, 0, sizeof *stats);
    stats->words = words;
    stats->instructions = program->count;
    for (uint32_t i = 0; i < program->count; i++) {
        stats->operations += program->insts[i].operations;
        stats->dual += program->insts[i].operations > 1;
    }
    stats->fixed_instructions = cg_schedule_fixed(cg);
    stats->gprs = cg->gprs;
    stats->globals = cg->fn->uniform_regs + cg->pool_count;
    stats->literals = cg->pool_count;
    stats->spills = cg->spills;
}

struct vliw_image *cg_emit(struct cg *cg, struct cg_program *program, const char *name,
                           struct cg_stats *stats) {
    struct ir_fn *fn = cg->fn;
    uint32_t words = 0;
    if (!place_branches(cg, program, &words)) {
        return NULL;
    }
    uint32_t *code = arena_array(cg->arena, (size_t)words + 4, sizeof *code);
    uint32_t *lines = arena_array(cg->arena, (size_t)words + 4, sizeof *lines);
    struct vliw_io *inputs = arena_array(cg->arena, (size_t)fn->input_count + 1, sizeof *inputs);
    struct vliw_io *outputs = arena_array(cg->arena, (size_t)fn->output_count + 1, sizeof *outputs);
    struct vliw_literal *literals =
        arena_array(cg->arena, (size_t)cg->pool_count + 1, sizeof *literals);
    if (!code || !lines || !inputs || !outputs || !literals) {
        return NULL;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < program->count; i++) {
        const struct cg_inst *inst = &program->insts[i];
        memcpy(lines + at, inst->line, inst->units * sizeof *lines);
        memcpy(code + at, inst->word, inst->units * sizeof *code);
        at += inst->units;
    }
    struct vliw_image_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.stage = fn->is_fragment ? VLIW_STAGE_FRAGMENT : VLIW_STAGE_VERTEX;
    desc.name = name;
    desc.words = code;
    desc.word_count = words;
    desc.lines = lines;
    desc.inputs = inputs;
    desc.outputs = outputs;
    fill_io(cg, fn->inputs, fn->input_count, cg->input_vreg, cg->input_mask, inputs,
            &desc.input_count);
    fill_io(cg, fn->outputs, fn->output_count, cg->output_vreg, NULL, outputs, &desc.output_count);
    desc.samplers = fn->samplers;
    desc.sampler_count = fn->sampler_count;
    for (uint32_t i = 0; i < cg->pool_count; i++) {
        literals[i].reg = fn->uniform_regs + i;
        literals[i].mask = cg->pool_used[i];
        memcpy(literals[i].bits, cg->pool[i], sizeof literals[i].bits);
        for (unsigned c = 0; c < 4; c++) {
            literals[i].bits[c] = cg->pool_used[i] & 1u << c ? literals[i].bits[c] : 0;
        }
    }
    desc.literals = literals;
    desc.literal_count = cg->pool_count;
    desc.globals = fn->uniform_regs;
    desc.gprs = cg->array_regs ? cg->gprs : 0;
    if (stats) {
        count_up(cg, program, words, stats);
    }
    return vliw_image_create(&desc);
}
