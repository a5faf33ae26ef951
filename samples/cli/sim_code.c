/* SPDX-License-Identifier: MIT */
/*
 * vlgl sim FILE: a shader, assembler text or a container on the core, one element a thread, with made-up inputs,
 * constants and textures. What it costs: in all, by source line, and as a pipeline diagram.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/app.h"
#include "cli.h"
#include "code_file.h"
#include "sim_cli.h"

#define MEMORY_WORDS 65536u
#define DIAGRAM_COLUMNS 128u /* of a picture, if --diagram says nothing */

/* ---- Made-up surroundings ---- */

/* A smooth picture, so that any texture read gives something. */
static void sample(void *context, const struct vliw_tex_request *q) {
    (void)context;
    for (unsigned lane = 0; lane < VM_LANES; lane++) {
        if (q->mask.w[lane / 64] >> lane % 64 & 1u) {
            float s = q->coord[0][lane], t = q->coord[1][lane];
            q->result[0][lane] = 0.5f + 0.25f * s;
            q->result[1][lane] = 0.5f - 0.25f * t;
            q->result[2][lane] = 0.25f;
            q->result[3][lane] = 1.0f;
        }
    }
}

/* Inputs of lanes that stand in two rows of pixels, quad by quad. */
static float input_value(const struct vliw_io *io, unsigned c, unsigned lane) {
    float x = (float)(lane / 4 * 2 + (lane & 1u)) + 0.5f;
    float y = (float)(lane >> 1 & 1u) + 0.5f;
    switch (io->semantic) {
    case VLIW_SEM_FRAG_COORD: return c == 0 ? x : c == 1 ? y : c == 2 ? 0.5f : 1.0f;
    case VLIW_SEM_FRONT_FACING: return 1.0f;
    case VLIW_SEM_POINT_COORD: return c == 0 ? x / 16.0f : y / 2.0f;
    default: return c == 3 ? 1.0f : (c == 0 ? x : y) / 16.0f + 0.125f * (float)c;
    }
}

struct surroundings {
    float *inputs;           /* [input * 4 + component][lane] */
    const float **pointers;
    float *outputs;
    float *globals;
    uint32_t *memory;
};

static void surround(struct surroundings *s, const struct vliw_info *info) {
    s->inputs = app_alloc((size_t)info->input_count * 4 * VM_LANES * sizeof(float) + 4);
    s->pointers = app_alloc((size_t)info->input_count * 4 * sizeof s->pointers[0] + sizeof s->pointers[0]);
    s->outputs = app_alloc((size_t)info->output_count * 4 * VM_LANES * sizeof(float) + 4);
    s->globals = app_alloc((size_t)info->globals * 16 + 16);
    s->memory = app_alloc(MEMORY_WORDS * sizeof s->memory[0]);
    for (uint32_t i = 0; i < info->input_count * 4; i++) {
        s->pointers[i] = s->inputs + (size_t)i * VM_LANES;
        for (unsigned lane = 0; lane < VM_LANES; lane++) {
            s->inputs[(size_t)i * VM_LANES + lane] = input_value(&info->inputs[i / 4], i % 4, lane);
        }
    }
    for (uint32_t i = 0; i < info->globals * 4; i++) {
        s->globals[i] = (i % 5 == i % 4 ? 1.0f : 0.25f) + 0.0625f * (float)(i % 7);
    }
}

static void release(struct surroundings *s) {
    free(s->inputs);
    free(s->pointers);
    free(s->outputs);
    free(s->globals);
    free(s->memory);
}

/* ---- Reports ---- */

void sim_report(const char *name, const struct vliw_program *program, const struct sim_result *result) {
    uint32_t line = vliw_program_line(program, result->fault_unit);
    char place[40] = "";
    if (line != 0) {
        snprintf(place, sizeof place, ", line %u", (unsigned)line);
    }
    app_error("%s: %s at unit %u%s%s%s", name, vliw_status_text(result->status), (unsigned)result->fault_unit, place,
              result->note != NULL ? ": " : "", result->note != NULL ? result->note : "");
}

void sim_print_use(const struct sim_result *result) {
    uint64_t all = 0;
    for (unsigned u = 0; u < SIM_USES; u++) {
        all += result->use[u];
    }
    printf("  slots         ");
    for (unsigned u = 0; u < SIM_USES; u++) {
        if (result->use[u] > 0) {
            printf(" %s %llu (%.1f %%)", sim_use_name(u), (unsigned long long)result->use[u],
                   100.0 * (double)result->use[u] / (double)all);
        }
    }
    putchar('\n');
}

struct line {
    uint32_t instructions, static_cycles;
    uint64_t cycles, textures;
};

static void print_lines(const struct sim_core *core, const struct vliw_program *program, unsigned threads) {
    const struct vliw_info *info = vliw_program_info(program);
    const uint64_t *counts = sim_core_counts(core);
    uint32_t last = 0;
    for (uint32_t u = 0; u < info->units; u++) {
        uint32_t line = vliw_program_line(program, u);
        last = line > last ? line : last;
    }
    struct line *lines = app_alloc((last + 1) * sizeof lines[0]);
    for (uint32_t u = 0; u < info->units; u++) {
        unsigned slots = sim_core_slots(core, u);
        struct line *l = &lines[vliw_program_line(program, u)];
        l->instructions += slots != 0;
        l->static_cycles += slots;
        l->cycles += slots * counts[u];
        l->textures += sim_core_samples(core, u) ? counts[u] : 0;
    }
    printf("  line  instructions  static cycles  cycles a thread  texture reads a thread\n");
    for (uint32_t i = 0; i <= last; i++) {
        if (lines[i].instructions > 0) {
            printf("  %4u  %12u  %13u  %15.2f  %22.2f\n", (unsigned)i, (unsigned)lines[i].instructions,
                   (unsigned)lines[i].static_cycles, (double)lines[i].cycles / threads, (double)lines[i].textures / threads);
        }
    }
    free(lines);
}

static int run(const struct sim_options *o, const char *path, const struct vliw_program *program) {
    static const char *const stages[] = {"vertex", "fragment", "compute"};
    const struct vliw_info *info = vliw_program_info(program);
    struct sim_diagram *diagram = app_alloc(sizeof *diagram);
    struct sim_config config = {.threads = (uint32_t)o->threads, .latency = (uint32_t)o->latency,
                                .outstanding = (uint32_t)o->outstanding, .budget = (uint32_t)o->budget};
    struct surroundings s;
    struct sim_result result;
    struct vliw_error error;
    struct vliw_mask live;
    if (o->output != NULL || o->clocks > 0) {
        config.observe = sim_diagram_note;
        config.observer = diagram;
    }
    struct sim_core *core = sim_core_create(program, &config, &error);
    if (core == NULL) {
        app_error("%s: %s", path, error.message);
        free(diagram);
        return CLI_FAILED;
    }
    surround(&s, info);
    struct vliw_memory memory = {s.memory, MEMORY_WORDS};
    struct sim_batch batch = {.inputs = s.pointers, .outputs = s.outputs, .live = &live};
    batch.active.w[0] = (UINT64_C(1) << o->threads) - 1;
    sim_core_globals(core, (const uint32_t *)(const void *)s.globals, info->globals);
    sim_core_attach(core, &memory, sample, NULL);
    sim_batch_run(core, &batch, &result);
    bool ok = result.status == VLIW_OK;
    if (!ok) {
        sim_report(path, program, &result);
    } else {
        uint64_t cycles = 0, once = 0;
        for (uint32_t u = 0; u < info->units; u++) {
            cycles += sim_core_counts(core)[u] * sim_core_slots(core, u);
            once += sim_core_slots(core, u);
        }
        printf("%s: %s, %u instructions in %u words\n", path, stages[info->stage], (unsigned)info->instructions,
               (unsigned)info->units);
        printf("  cycles a thread %.2f, static %llu%s\n", (double)cycles / o->threads, (unsigned long long)once,
               info->flags & VLIW_HAS_BRANCHES ? " (has branches)" : "");
        printf("  %d threads      %llu clocks, latency %d, at 100 MHz %.2f M elements/s\n", o->threads,
               (unsigned long long)result.clocks, o->latency, 100.0 * o->threads / (double)result.clocks);
        sim_print_use(&result);
        print_lines(core, program, (unsigned)o->threads);
    }
    const uint32_t columns = o->clocks > 0 ? (uint32_t)o->clocks : DIAGRAM_COLUMNS;
    diagram->clocks = diagram->clocks > columns ? columns : diagram->clocks;
    if (ok && o->clocks > 0) {
        char *text = sim_diagram_text(diagram);
        printf("%s", text != NULL ? text : "");
        free(text);
    }
    if (ok && o->output != NULL) {
        ok = sim_write_diagram(o->output, path, diagram);
    }
    sim_core_destroy(core);
    release(&s);
    free(diagram);
    return ok ? CLI_OK : CLI_FAILED;
}

int sim_run_code(const struct sim_options *options, const char *path) {
    struct vliw_program *program = NULL;
    struct vliw_error error;
    struct vliw_image *image = code_open(path, options->stage);
    if (image == NULL) {
        return CLI_FAILED;
    }
    int status = CLI_FAILED;
    if (!code_verify(path, image)) {
        vliw_image_destroy(image);
        return status;
    }
    if (vliw_program_create(image, &program, &error) == VLIW_OK) {
        status = run(options, path, program);
    } else {
        app_error("%s: %s", path, error.message);
    }
    vliw_program_destroy(program);
    vliw_image_destroy(image);
    return status;
}
