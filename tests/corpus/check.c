/* SPDX-License-Identifier: MIT */
/* See check.h. */
#include "tests/corpus/check.h"

#include <stdlib.h>
#include <string.h>

#include "vm/base/bits.h"

enum { MAX_OUTPUTS = 40, BUDGET = 1 << 20 };

/* Random numbers that depend on what they are for, so that both programs get the same in whatever order they ask. */
static float value_of(uint32_t round, uint32_t kind, uint32_t index, uint32_t comp, uint32_t lane) {
    static const float odd[] = {0.0f, 1.0f, -1.0f, 0.5f, 2.0f, -0.0f, 100.0f, 1e-3f};
    uint32_t h = round * 0x9E3779B9u ^ kind * 0x85EBCA6Bu ^ index * 0xC2B2AE35u ^ comp * 0x27D4EB2Fu ^ lane * 0x165667B1u;
    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    h = (h ^ h >> 12) * 0x297A2D39u;
    h ^= h >> 15;
    return (h & 7) == 0 ? odd[h >> 3 & 7] : (float)(int32_t)(h >> 8) / 8388608.0f * 2.0f - 1.0f;
}

static void sample(void *context, const struct vliw_tex_request *request) {
    (void)context;
    for (unsigned lane = 0; lane < VM_LANES; lane++) {
        float s = request->coord[0][lane], t = request->coord[1][lane];
        s = s > -8.0f && s < 8.0f ? s : 0.25f;
        t = t > -8.0f && t < 8.0f ? t : 0.75f;
        request->result[0][lane] = s * 0.25f + 0.5f;
        request->result[1][lane] = t * 0.25f + 0.5f;
        request->result[2][lane] = (float)request->sampler * 0.125f;
        request->result[3][lane] = (s + t) * 0.0625f + 0.5f;
    }
}

struct side {
    struct vliw_image *image;
    struct vliw_program *program;
    struct vliw_batch *batch;
    float *constants;
    struct vliw_run run;
    enum vliw_status status;
};

static bool side_init(struct side *side, const struct glslc_shader *shader, const struct glslc_options *options, bool no_optimise) {
    struct glslc_options changed = *options;
    struct vliw_error error;
    changed.no_optimise = no_optimise;
    memset(side, 0, sizeof *side);
    side->image = glslc_shader_image(shader, &changed, &error);
    if (!side->image || vliw_program_create(side->image, &side->program, &error) != VLIW_OK) {
        return false;
    }
    side->constants = aligned_alloc(64, (vliw_program_constants(side->program) * sizeof(float) + 64) & ~(size_t)63);
    side->batch = vliw_batch_create();
    return side->constants && side->batch && vliw_batch_bind(side->batch, side->program) == VLIW_OK;
}

static void side_fini(struct side *side) {
    vliw_batch_destroy(side->batch);
    vliw_program_destroy(side->program);
    vliw_image_destroy(side->image);
    free(side->constants);
}

static void side_run(struct side *side, uint32_t round) {
    const struct vliw_info *info = vliw_program_info(side->program);
    float *globals = calloc((size_t)info->globals * 4 + 1, sizeof *globals);
    for (uint32_t i = 0; globals && i < info->globals * 4; i++) {
        globals[i] = value_of(round, 1, i / 4, i % 4, 0);
    }
    vliw_program_prepare(side->program, globals, globals ? info->globals : 0, side->constants);
    free(globals);
    memset(&side->run, 0, sizeof side->run);
    side->run.constants = side->constants;
    side->run.sample = sample;
    side->run.budget = BUDGET;
    for (unsigned lane = 0; lane < VM_LANES; lane++) {
        side->run.active.w[lane / 64] |= (uint64_t)1 << lane % 64;
    }
    for (uint32_t i = 0; i < info->input_count; i++) {
        for (unsigned c = 0; c < 4; c++) {
            float *lanes = vliw_batch_input(side->batch, i, c);
            for (unsigned lane = 0; lanes && lane < VM_LANES; lane++) {
                lanes[lane] = value_of(round, 2u + info->inputs[i].semantic, info->inputs[i].index, c, lane);
            }
        }
    }
    side->status = vliw_batch_run(side->batch, &side->run);
}

/* The number of the output that means the same in the other program, -1 if it has none. */
static int find_output(const struct vliw_info *info, const struct vliw_io *wanted) {
    for (uint32_t i = 0; i < info->output_count; i++) {
        if (info->outputs[i].semantic == wanted->semantic && info->outputs[i].index == wanted->index) {
            return (int)i;
        }
    }
    return -1;
}

static uint32_t canonical(float value) {
    return value != value ? 0x7fc00000u : bits_from_float(value);
}

static bool same_outputs(struct side *a, struct side *b) {
    const struct vliw_info *info = vliw_program_info(a->program), *other = vliw_program_info(b->program);
    if (memcmp(&a->run.live, &b->run.live, sizeof a->run.live) != 0 || info->output_count != other->output_count) {
        return false;
    }
    for (uint32_t i = 0; i < info->output_count; i++) {
        int k = find_output(other, &info->outputs[i]);
        for (unsigned c = 0; k >= 0 && c < 4; c++) {
            const float *x = vliw_batch_output(a->batch, i, c), *y = vliw_batch_output(b->batch, (uint32_t)k, c);
            for (unsigned lane = 0; x && y && lane < VM_LANES; lane++) {
                bool live = a->run.live.w[lane / 64] >> lane % 64 & 1;
                if (live && canonical(x[lane]) != canonical(y[lane])) {
                    return false;
                }
            }
        }
        if (k < 0) {
            return false;
        }
    }
    return true;
}

const char *corpus_check(const struct glslc_shader *shader, const struct glslc_options *options, unsigned rounds) {
    struct side fast, slow;
    const char *result = NULL;
    bool ready = side_init(&fast, shader, options, false);
    ready = side_init(&slow, shader, options, true) && ready;
    for (unsigned round = 1; ready && !result && round <= rounds; round++) {
        side_run(&fast, round);
        side_run(&slow, round);
        if (fast.status == VLIW_OK && slow.status == VLIW_OK) {
            result = same_outputs(&fast, &slow) ? NULL : "the optimiser changes what it computes";
        } else {
            result = "";
        }
    }
    side_fini(&fast);
    side_fini(&slow);
    return ready ? result : "";
}
