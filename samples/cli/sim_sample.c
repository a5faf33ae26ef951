/* SPDX-License-Identifier: MIT */
/*
 * vlgl sim SAMPLE: draws one frame and runs every batch of its shaders on the core again, with the frame's own inputs,
 * uniforms and textures. The values must be the renderer's; the clocks are what the frame costs on the processor.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/app.h"
#include "api/vlgl.h"
#include "cli.h"
#include "sim_cli.h"

#define PROGRAMS 256u

struct known {
    const struct vliw_program *theirs;
    struct vliw_program *program;
    struct sim_core *core;
    struct sim_result sum;
    uint64_t elements, batches, differ;
};

struct watch {
    const struct sim_options *options;
    const char *name;
    struct known known[PROGRAMS];
    unsigned count;
    float *inputs; /* of the batch that runs */
    bool failed;
};

static void fail(struct watch *w, const char *text) {
    if (!w->failed) {
        app_error("%s: %s", w->name, text);
    }
    w->failed = true;
}

static struct known *find(struct watch *w, const struct vliw_tap_batch *b) {
    struct vliw_error error;
    for (unsigned i = 0; i < w->count; i++) {
        const struct vliw_info *info = vliw_program_info(w->known[i].program);
        if (w->known[i].theirs == b->program && info->units == b->image.word_count) {
            return &w->known[i];
        }
    }
    if (w->count == PROGRAMS) {
        fail(w, "more than 256 programs in a frame");
        return NULL;
    }
    struct known *k = &w->known[w->count];
    struct sim_config config = {.threads = (uint32_t)w->options->threads, .latency = (uint32_t)w->options->latency,
                                .outstanding = (uint32_t)w->options->outstanding, .budget = (uint32_t)w->options->budget};
    struct vliw_image *image = vliw_image_create(&b->image);
    memset(k, 0, sizeof *k);
    k->theirs = b->program;
    if (image == NULL || vliw_program_create(image, &k->program, &error) != VLIW_OK ||
        (k->core = sim_core_create(k->program, &config, &error)) == NULL) {
        fail(w, image != NULL ? error.message : "out of memory");
        vliw_program_destroy(k->program);
        k = NULL;
    } else {
        w->count++;
    }
    vliw_image_destroy(image);
    return k;
}

static bool is_nan(uint32_t bits) { return (bits & 0x7FFFFFFFu) > 0x7F800000u; }

/* Outputs of live lanes that are not the renderer's. */
static uint64_t differences(const struct vliw_tap_batch *b, const float *outputs) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < b->image.output_count * 4; i++) {
        for (unsigned lane = 0; b->outputs[i] != NULL && lane < VM_LANES; lane++) {
            uint32_t got, want;
            memcpy(&got, &outputs[(size_t)i * VM_LANES + lane], 4);
            memcpy(&want, &b->outputs[i][lane], 4);
            bool live = b->run->live.w[lane / 64] >> lane % 64 & 1u;
            n += live && got != want && !(is_nan(got) && is_nan(want));
        }
    }
    return n;
}

static void add(struct known *k, const struct sim_result *r) {
    k->sum.clocks += r->clocks;
    k->sum.instructions += r->instructions;
    k->sum.texture_reads += r->texture_reads;
    for (unsigned u = 0; u < SIM_USES; u++) {
        k->sum.use[u] += r->use[u];
    }
}

static void run(struct watch *w, struct known *k, const struct vliw_tap_batch *b) {
    const float **inputs = app_alloc((size_t)b->image.input_count * 4 * sizeof inputs[0] + sizeof inputs[0]);
    float *outputs = app_alloc((size_t)b->image.output_count * 4 * VM_LANES * sizeof(float) + 4);
    struct vliw_mask live;
    struct sim_result result;
    struct sim_batch batch = {.active = b->run->active, .inputs = inputs, .outputs = outputs, .live = &live};
    for (uint32_t i = 0; i < b->image.input_count * 4; i++) {
        inputs[i] = b->inputs[i] != NULL ? w->inputs + (size_t)i * VM_LANES : NULL;
    }
    sim_core_globals(k->core, (const uint32_t *)(const void *)b->run->constants, vliw_program_info(k->program)->globals);
    sim_core_attach(k->core, NULL, b->run->sample, b->run->sample_context);
    sim_batch_run(k->core, &batch, &result);
    add(k, &result);
    k->batches++;
    for (unsigned lane = 0; lane < VM_LANES; lane++) {
        k->elements += b->run->active.w[lane / 64] >> lane % 64 & 1u;
    }
    if (result.status != VLIW_OK) {
        sim_report(w->name, k->program, &result);
        w->failed = true;
    } else {
        k->differ += differences(b, outputs) + (memcmp(&live, &b->run->live, sizeof live) != 0);
    }
    free(inputs);
    free(outputs);
}

static void see(void *user, const struct vliw_tap_batch *b, bool done) {
    struct watch *w = user;
    if (b->lanes != VM_LANES) {
        fail(w, "the GL library was built with another number of lanes than this command");
    }
    struct known *k = w->failed ? NULL : find(w, b);
    if (k == NULL) {
        return;
    }
    if (done) {
        run(w, k, b);
        return;
    }
    free(w->inputs);
    w->inputs = app_alloc((size_t)b->image.input_count * 4 * VM_LANES * sizeof(float) + 4);
    for (uint32_t i = 0; i < b->image.input_count * 4; i++) {
        if (b->inputs[i] != NULL) {
            memcpy(w->inputs + (size_t)i * VM_LANES, b->inputs[i], VM_LANES * sizeof(float));
        }
    }
}

static void print(const struct watch *w) {
    struct sim_result all = {.clocks = 0};
    printf("%s, %dx%d, %d threads, latency %d\n", w->name, w->options->width, w->options->height, w->options->threads,
           w->options->latency);
    printf("  program     words  elements  instructions  an element       clocks  an element   slots used  texture reads\n");
    for (unsigned i = 0; i < w->count; i++) {
        const struct known *k = &w->known[i];
        const struct vliw_info *info = vliw_program_info(k->program);
        double slots = 0.0;
        for (unsigned u = 0; u < SIM_USES; u++) {
            slots += (double)k->sum.use[u];
            all.use[u] += k->sum.use[u];
        }
        printf("  %-8s %2u %6u %9llu %13llu %11.1f %12llu %11.2f %10.1f %% %14llu\n",
               info->stage == VLIW_STAGE_VERTEX ? "vertex" : "fragment", i, (unsigned)info->units,
               (unsigned long long)k->elements, (unsigned long long)k->sum.instructions,
               (double)k->sum.instructions / (double)k->elements, (unsigned long long)k->sum.clocks,
               (double)k->sum.clocks / (double)k->elements,
               100.0 * (double)(k->sum.use[SIM_ISSUE] + k->sum.use[SIM_PORT]) / slots,
               (unsigned long long)k->sum.texture_reads);
        all.clocks += k->sum.clocks;
        all.instructions += k->sum.instructions;
        if (k->differ > 0) {
            printf("    %llu values are not the renderer's\n", (unsigned long long)k->differ);
        }
    }
    sim_print_use(&all);
    printf("  frame          %llu instructions, %llu clocks, at 100 MHz %.1f frames/s\n", (unsigned long long)all.instructions,
           (unsigned long long)all.clocks, all.clocks > 0 ? 1e8 / (double)all.clocks : 0.0);
}

/* Draws the frame with the tap on. False after a message. */
static bool draw(struct watch *w, const struct sample *sample, int width, int height) {
    struct app app = {.name = sample->name};
    struct vliw_tap tap = {w, see};
    PFNVLGLSETTAPPROC set_tap = NULL;
    if (!app_open(&app, width, height)) {
        return false;
    }
    void (*entry)(void) = eglGetProcAddress("vlglSetTap");
    memcpy(&set_tap, &entry, sizeof set_tap);
    bool ok = set_tap != NULL;
    if (!ok) {
        app_error("%s: this GL library does not show its shaders; vlgl's own is needed", sample->name);
    } else {
        set_tap(&tap);
        ok = sample->init(&app);
        if (ok) {
            sample->draw(&app, 0, sample->time);
            glFinish();
        }
        sample->fini(&app);
        set_tap(NULL);
    }
    app_close(&app);
    return ok && !w->failed;
}

int sim_run_sample(const struct sim_options *options, const char *name) {
    const struct sample *sample = cli_find_sample(name);
    struct watch *w = app_alloc(sizeof *w);
    w->options = options;
    w->name = name;
    setenv("VLGL_THREADS", "1", 1); /* batches come in one order, on this thread */
    bool ok = draw(w, sample, options->width, options->height);
    if (ok) {
        print(w);
    }
    for (unsigned i = 0; i < w->count; i++) {
        ok = ok && w->known[i].differ == 0;
        sim_core_destroy(w->known[i].core);
        vliw_program_destroy(w->known[i].program);
    }
    free(w->inputs);
    free(w);
    return ok ? CLI_OK : CLI_FAILED;
}
