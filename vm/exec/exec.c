/* SPDX-License-Identifier: MIT */
/* Programs and batches as objects: creation, facts, register files. The run itself is exec_run.c. */
#include "vm/exec/exec.h"

#include <stdlib.h>
#include <string.h>

#include "vm/exec/verify.h"
#include "vm/isa/isa.h"
#include "vm/isa/ports.h"
#include "vm/isa/word.h"

static enum vliw_status refuse(struct vliw_error *error, enum vliw_status status, const char *text) {
    if (error != NULL) {
        error->status = status;
        error->word = error->slot = error->rule = error->line = error->column = -1;
        strncpy(error->message, text, sizeof error->message - 1);
        error->message[sizeof error->message - 1] = '\0';
    }
    return status;
}

enum vliw_status vliw_program_create(const struct vliw_image *image, struct vliw_program **out,
                                     struct vliw_error *error) {
    *out = NULL;
    if (error != NULL) {
        memset(error, 0, sizeof *error);
        error->word = error->slot = error->rule = error->line = error->column = -1;
    }
    enum vliw_status status = vm_verify(image, error);
    if (status != VLIW_OK) {
        return status;
    }
    struct vliw_program *program = calloc(1, sizeof *program);
    if (program == NULL) {
        return refuse(error, VLIW_ERR_MEMORY, "out of memory");
    }
    struct vliw_image_desc desc;
    vliw_image_describe(image, &desc);
    vm_verify_info(image, &program->info);
    program->kernel = vm_kernel_get(cpu_simd_level());
    status = vm_decode(program, &desc);
    if (status != VLIW_OK) {
        vliw_program_destroy(program);
        return refuse(error, status,
                      status == VLIW_ERR_MEMORY ? "out of memory" : "the program needs too many temporaries");
    }
    *out = program;
    return VLIW_OK;
}

void vliw_program_destroy(struct vliw_program *program) {
    if (program != NULL) {
        free(program->memory);
        free(program);
    }
}

const struct vliw_info *vliw_program_info(const struct vliw_program *program) { return &program->info; }

void vliw_program_describe(const struct vliw_program *program, struct vliw_image_desc *out) {
    const struct vliw_info *info = &program->info;
    *out = (struct vliw_image_desc){
        .stage = info->stage, .name = info->name, .words = program->words, .word_count = info->units,
        .lines = program->lines, .inputs = info->inputs, .outputs = info->outputs, .input_count = info->input_count,
        .output_count = info->output_count, .samplers = info->samplers, .sampler_count = info->sampler_count,
        .literals = info->literals, .literal_count = info->literal_count, .globals = info->globals, .gprs = info->gprs};
}

uint32_t vliw_program_cycles(const struct vliw_program *program) {
    return isa_code_slots(program->words, program->info.units);
}

uint32_t vliw_program_line(const struct vliw_program *program, uint32_t unit) {
    return program->lines != NULL && unit < program->info.units ? program->lines[unit] : 0;
}

unsigned vliw_program_doubles(const struct vliw_program *program, uint32_t unit, uint32_t *reg) {
    struct isa_inst inst;
    const char *fault;
    unsigned fault_unit, mask = 0;
    *reg = 0;
    if (!isa_unpack_inst(program->words, program->info.units, unit, &inst, &fault, &fault_unit) || inst.main[1] < 0) {
        return 0;
    }
    const struct isa_unit *addr = isa_addr_for(&inst, ISA_ADDR_DEST);
    if (addr && addr->indexed) {
        return 0;
    }
    const int units[2] = {inst.main[1], inst.sub[1]};
    for (unsigned i = 0; i < 2; i++) {
        const struct isa_unit *type = units[i] >= 0 ? isa_type_for(&inst, units[i]) : NULL;
        mask |= type && type->dtype == ISA_TYPE_F64 ? isa_unit_mask(&inst, units[i]) : 0;
    }
    *reg = (uint32_t)(inst.unit[inst.main[1]].dest + (addr ? addr->base : 0));
    return mask;
}

struct vliw_batch *vliw_batch_create(void) {
    struct vliw_batch *batch = aligned_alloc(BITS_APART, sizeof *batch);
    return batch ? memset(batch, 0, sizeof *batch) : NULL;
}

void vliw_batch_destroy(struct vliw_batch *batch) {
    if (batch != NULL) {
        free(batch->regs);
        free(batch);
    }
}

enum vliw_status vliw_batch_bind(struct vliw_batch *batch, const struct vliw_program *program) {
    size_t need = ((size_t)program->slots + 1) << VM_SLOT_SHIFT << (program->loop_count != 0);
    if (need > batch->size) {
        /* The old contents do not matter; 0 keeps lanes that nobody fills from holding slow numbers. */
        need = (need + BITS_APART - 1) & ~(size_t)(BITS_APART - 1);
        char *regs = aligned_alloc(BITS_APART, need);
        if (regs == NULL) {
            return VLIW_ERR_MEMORY;
        }
        memset(regs, 0, need);
        free(batch->regs);
        batch->regs = regs;
        batch->size = need;
    }
    batch->program = program;
    return VLIW_OK;
}

static float *io_slot(const struct vliw_batch *batch, const uint16_t *slots, uint32_t count, uint32_t index,
                      unsigned comp) {
    if (index >= count || comp > 3 || slots[index * 4 + comp] == VM_NO_SLOT) {
        return NULL;
    }
    return (float *)(void *)(batch->regs + ((size_t)slots[index * 4 + comp] << VM_SLOT_SHIFT));
}

float *vliw_batch_input(struct vliw_batch *batch, uint32_t index, unsigned comp) {
    const struct vliw_program *p = batch->program;
    return p != NULL ? io_slot(batch, p->input_slot, p->info.input_count, index, comp) : NULL;
}

const float *vliw_batch_output(const struct vliw_batch *batch, uint32_t index, unsigned comp) {
    const struct vliw_program *p = batch->program;
    return p != NULL ? io_slot(batch, p->output_slot, p->info.output_count, index, comp) : NULL;
}
