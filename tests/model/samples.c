/* SPDX-License-Identifier: MIT */
/*
 * Every shader of every sample on the cycle-accurate model: each batch that the renderer runs is run again by the core,
 * as a distributed program, and (some quads) by the reference interpreter; every output of every live lane must have
 * the same bits. Built like the golden test, from the samples' sources and the static library.
 *
 *   model_samples                  all samples at 64x48
 *   model_samples NAME [WxH]       one of them
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../samples/common/app.h"
#include "api/vlgl.h"
#include "vm/base/bits.h"
#include "vm/include/vliw.h"
#include "vm/model/sim.h"

#define SAMPLE(name) extern const struct sample sample_##name;
#include "../../samples/samples.def"
#undef SAMPLE
#define SAMPLE(name) &sample_##name,
static const struct sample *const samples[] = {
#include "../../samples/samples.def"
};
#undef SAMPLE

#define PROGRAMS 32

struct known {
    const struct vliw_program *theirs;
    uint32_t words;
    struct vliw_program *program;
    struct sim_core *core;
    unsigned distributed;        /* batches that were run as distributed programs */
};

struct watch {
    struct known known[PROGRAMS];
    unsigned count, faults;
    float *inputs;
    struct vliw_mask live;
    uint64_t lanes, instructions, wrapped, references, refused;
    double seconds;
};

static bool same(uint32_t a, uint32_t b) {
    bool nan_a = (a & 0x7FFFFFFFu) > 0x7F800000u, nan_b = (b & 0x7FFFFFFFu) > 0x7F800000u;
    return a == b || (nan_a && nan_b);
}

static void fault(struct watch *w, const struct known *k, const char *what) {
    if (w->faults++ < 5) {
        printf("  program %u: %s\n", (unsigned)(k - w->known), what);
    }
}

static struct known *find(struct watch *w, const struct vliw_tap_batch *b) {
    struct vliw_error error;
    for (unsigned i = 0; i < w->count; i++) {
        if (w->known[i].theirs == b->program && w->known[i].words == b->image.word_count) {
            return &w->known[i];
        }
    }
    if (w->count == PROGRAMS) {
        return NULL;
    }
    struct known *k = &w->known[w->count++];
    struct vliw_image *image = vliw_image_create(&b->image);
    struct sim_config config = {.latency = 20};
    k->theirs = b->program;
    k->words = b->image.word_count;
    if (image == NULL || vliw_program_create(image, &k->program, &error) != VLIW_OK ||
        (k->core = sim_core_create(k->program, &config, &error)) == NULL) {
        fault(w, k, "cannot be made");
    }
    vliw_image_destroy(image);
    return k;
}

static bool active(const struct vliw_mask *m, unsigned lane) { return m->w[lane / 64] >> lane % 64 & 1u; }

static void compare(struct watch *w, const struct known *k, const struct vliw_tap_batch *b, const float *outputs,
                    const char *who) {
    const struct vliw_info *info = vliw_program_info(k->program);
    for (uint32_t i = 0; i < info->output_count * 4; i++) {
        for (unsigned lane = 0; b->outputs[i] != NULL && lane < VM_LANES; lane++) {
            uint32_t got = bits_from_float(outputs[i * VM_LANES + lane]), want = bits_from_float(b->outputs[i][lane]);
            if (active(&b->run->live, lane) && !same(got, want)) {
                char text[200];
                snprintf(text, sizeof text, "%s: output %u.%c of lane %u is %08x, the renderer's is %08x", who,
                         (unsigned)(i / 4), "xyzw"[i % 4], lane, (unsigned)got, (unsigned)want);
                fault(w, k, text);
                return;
            }
        }
    }
}

static void run_core(struct watch *w, struct known *k, const struct vliw_tap_batch *b) {
    const struct vliw_info *info = vliw_program_info(k->program);
    const float **inputs = calloc(info->input_count * 4 + 1, sizeof *inputs);
    float *outputs = calloc((size_t)info->output_count * 4 * VM_LANES + 1, sizeof *outputs);
    struct vliw_mask live;
    struct sim_result result;
    struct timespec from, to;
    for (uint32_t i = 0; i < info->input_count * 4; i++) {
        inputs[i] = b->inputs[i] != NULL ? w->inputs + (size_t)i * VM_LANES : NULL;
    }
    struct sim_batch batch = {.active = b->run->active, .inputs = inputs, .outputs = outputs, .live = &live};
    sim_core_globals(k->core, (const uint32_t *)(const void *)b->run->constants, info->globals);
    sim_core_attach(k->core, NULL, b->run->sample, b->run->sample_context);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    sim_batch_run(k->core, &batch, &result);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    w->seconds += (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    w->instructions += result.instructions;
    if (result.status != VLIW_OK || memcmp(&live, &b->run->live, sizeof live) != 0 ||
        result.instructions != b->run->instructions) {
        fault(w, k, "core: another end, other live lanes or another number of instructions than the renderer's");
    } else {
        compare(w, k, b, outputs, "core");
    }
    free(inputs);
    free(outputs);
}

static void run_distributed(struct watch *w, struct known *k, const struct vliw_tap_batch *b) {
    const struct vliw_info *info = vliw_program_info(k->program);
    struct sim_distributed d;
    struct vliw_error error;
    struct sim_result result;
    struct sim_config config = {.latency = 5};
    if (!active(&b->run->active, VM_LANES - 1) || k->distributed++ >= 2) {
        return;                       /* whole batches only, and not all */
    }
    if (!sim_distribute(k->program, VM_LANES, 8, &d, &error)) {
        w->refused++;
        fault(w, k, error.message);
        return;
    }
    uint32_t *words = calloc(sim_distributed_memory(&d), 4);
    struct vliw_memory memory = {words, sim_distributed_memory(&d)};
    for (uint32_t i = 0; i < info->input_count * 4; i++) {
        for (unsigned lane = 0; b->inputs[i] != NULL && lane < VM_LANES; lane++) {
            memcpy(&words[lane * d.stride + i], &w->inputs[(size_t)i * VM_LANES + lane], 4);
        }
    }
    float *outputs = calloc((size_t)info->output_count * 4 * VM_LANES + 1, sizeof *outputs);
    bool ok = sim_distributed_run(&d, &config, (const uint32_t *)(const void *)b->run->constants, info->globals, &memory,
                                  b->run->sample, b->run->sample_context, &result, &error);
    if (!ok || result.status != VLIW_OK || !sim_distributed_done(&d, words)) {
        fault(w, k, ok ? "distributed: did not end well" : error.message);
    } else {
        for (uint32_t i = 0; i < info->output_count * 4; i++) {
            for (unsigned lane = 0; lane < VM_LANES; lane++) {
                memcpy(&outputs[i * VM_LANES + lane], &words[lane * d.stride + info->input_count * 4 + i], 4);
            }
        }
        compare(w, k, b, outputs, "distributed");
        w->wrapped++;
    }
    free(outputs);
    free(words);
    sim_distributed_destroy(&d);
}

/* The first quad of the batch by the reference interpreter. */
static void run_reference(struct watch *w, struct known *k, const struct vliw_tap_batch *b) {
    const struct vliw_info *info = vliw_program_info(k->program);
    uint32_t *gpr = calloc((size_t)info->gprs * 16 + 16, 4);
    float *outputs = calloc((size_t)info->output_count * 4 * VM_LANES + 1, sizeof *outputs);
    struct vliw_run run = {.sample = b->run->sample, .sample_context = b->run->sample_context};
    run.active.w[0] = b->run->active.w[0] & 15u;
    for (uint32_t i = 0; i < info->input_count * 4; i++) {
        for (unsigned lane = 0; b->inputs[i] != NULL && lane < 4; lane++) {
            memcpy(&gpr[(info->inputs[i / 4].reg * 4u + i % 4) * 4 + lane], &w->inputs[(size_t)i * VM_LANES + lane], 4);
        }
    }
    if (vliw_ref_run(k->program, gpr, (const uint32_t *)(const void *)b->run->constants, info->globals, &run) != VLIW_OK) {
        fault(w, k, "reference: did not end well");
    }
    for (uint32_t i = 0; i < info->output_count * 4; i++) {
        for (unsigned lane = 0; lane < VM_LANES; lane++) {
            if (lane < 4) {
                memcpy(&outputs[i * VM_LANES + lane], &gpr[(info->outputs[i / 4].reg * 4u + i % 4) * 4 + lane], 4);
            } else if (b->outputs[i] != NULL) {
                outputs[i * VM_LANES + lane] = b->outputs[i][lane];
            }
        }
    }
    compare(w, k, b, outputs, "reference");
    w->references++;
    free(outputs);
    free(gpr);
}

static void see(void *user, const struct vliw_tap_batch *b, bool done) {
    struct watch *w = user;
    struct known *k = find(w, b);
    if (k == NULL || k->core == NULL) {
        w->faults++;
        return;
    }
    uint32_t count = b->image.input_count * 4;
    if (!done) {
        w->inputs = realloc(w->inputs, ((size_t)count * VM_LANES + 1) * sizeof(float));
        for (uint32_t i = 0; i < count; i++) {
            if (b->inputs[i] != NULL) {
                memcpy(w->inputs + (size_t)i * VM_LANES, b->inputs[i], VM_LANES * sizeof(float));
            }
        }
        return;
    }
    for (unsigned i = 0; i < VM_LANES; i++) {
        w->lanes += active(&b->run->active, i);
    }
    run_core(w, k, b);
    run_distributed(w, k, b);
    run_reference(w, k, b);
}

static bool one(const struct sample *sample, int width, int height) {
    struct app app = {.name = sample->name};
    struct watch w = {.count = 0};
    struct vliw_tap tap = {&w, see};
    PFNVLGLSETTAPPROC set_tap = NULL;
    if (!app_open(&app, width, height)) {
        return false;
    }
    *(void (**)(void))&set_tap = (void (*)(void))eglGetProcAddress("vlglSetTap");
    bool ok = set_tap != NULL;
    if (ok) {
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
    printf("%-16s %2u programs %7llu lanes %9llu instructions %6.1f M/s, %llu batches distributed, %llu quads referenced%s\n",
           sample->name, w.count, (unsigned long long)w.lanes, (unsigned long long)w.instructions,
           w.seconds > 0 ? 1e-6 * (double)w.instructions / w.seconds : 0.0, (unsigned long long)w.wrapped,
           (unsigned long long)w.references, w.faults ? ": FAULTS" : "");
    for (unsigned i = 0; i < w.count; i++) {
        sim_core_destroy(w.known[i].core);
        vliw_program_destroy(w.known[i].program);
    }
    free(w.inputs);
    return ok && w.faults == 0 && w.lanes > 0 && w.wrapped > 0 && w.references > 0;
}

int main(int argc, char **argv) {
    int width = 64, height = 48, passed = 0, failed = 0;
    setenv("VLGL_THREADS", "1", 1);   /* batches come in one order, on this thread */
    app_set_program_name("model_samples");
    if (argc > 2 && sscanf(argv[2], "%dx%d", &width, &height) != 2) {
        return 2;
    }
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        if (argc < 2 || strcmp(argv[1], samples[i]->name) == 0) {
            *(one(samples[i], width, height) ? &passed : &failed) += 1;
        }
    }
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed > 0 || passed == 0;
}
