/* SPDX-License-Identifier: MIT */
/*
 * When the narrow program runs. It computes the bytes that the store of the other program's colours makes, if the
 * targets have 8 bits a channel, what it multiplies are texels of 8 bits read by nearest filters, and the uniforms that
 * it multiplies are n/255. Blending goes on from those bytes. State and formats are looked at once a frag_draw,
 * uniforms when they change.
 */
#include "renderer/narrow.h"

#include <stdlib.h>
#include <string.h>

#include "renderer/rows.h"
#include "renderer/sample_bytes.h"
#include "renderer/texture.h"
#include "renderer/tile.h"

/* ---- the code ---------------------------------------------------------------------------------------------- */

bool rn_program_set_narrow(struct rn_program *program, struct vliw_image *image, const struct vliw_narrow *facts) {
    struct rn_narrow *narrow = calloc(1, sizeof *narrow);
    if (!narrow) {
        vliw_image_destroy(image);
        return false;
    }
    narrow->image = image;
    narrow->facts = *facts;
    atomic_init(&narrow->code, NULL);
    program->narrow = narrow;
    return true;
}

static void code_destroy(struct rn_narrow_code *code) {
    if (code) {
        vliw_program_destroy(code->program);
        free(code);
    }
}

void rn_narrow_destroy(struct rn_narrow *narrow) {
    if (narrow) {
        code_destroy(atomic_load(&narrow->code));
        vliw_image_destroy(narrow->image);
        free(narrow);
    }
}

static int find_io(const struct vliw_io *io, uint32_t count, unsigned semantic, unsigned index) {
    for (uint32_t i = 0; i < count && i < 127; i++) {
        if (io[i].semantic == semantic && io[i].index == index) {
            return (int)i;
        }
    }
    return -1;
}

static void map_code(const struct rn_program *program, struct rn_narrow_code *code) {
    const struct vliw_info *info = vliw_program_info(code->program), *wide = program->info[VLIW_STAGE_FRAGMENT];
    code->instructions = info->instructions;
    for (uint32_t i = 0; i < program->coef_count; i++) {
        const struct vliw_io *io = &wide->inputs[program->coefs[i].io];
        code->input[i] = (int8_t)find_io(info->inputs, info->input_count, io->semantic, io->index);
    }
    code->frag_coord_input = (int8_t)find_io(info->inputs, info->input_count, VLIW_SEM_FRAG_COORD, 0);
    code->front_facing_input = (int8_t)find_io(info->inputs, info->input_count, VLIW_SEM_FRONT_FACING, 0);
    const struct vliw_narrow_direct *direct = &program->narrow->facts.direct;
    for (unsigned k = 0; k < 2; k++) {
        code->direct[k] = -1;
        for (uint32_t i = 0; i < program->coef_count && direct->valid; i++) {
            const struct vliw_io *io = &wide->inputs[program->coefs[i].io];
            if (io->semantic == VLIW_SEM_VARYING && io->index == direct->varying &&
                program->coefs[i].comp == direct->place[k]) {
                code->direct[k] = (int16_t)i;
            }
        }
    }
    bool several = false;
    for (unsigned i = 0; i < RN_MAX_COLORS; i++) {
        code->color_output[i] = (int8_t)find_io(info->outputs, info->output_count, VLIW_SEM_COLOR8, i);
        several = several || (i > 0 && code->color_output[i] >= 0);
    }
    for (unsigned i = 1; i < RN_MAX_COLORS && !several; i++) { /* as program.c has it */
        code->color_output[i] = code->color_output[0];
    }
}

/* The code, made now if nobody has; NULL if there is none. */
static const struct rn_narrow_code *code_of(const struct rn_program *program) {
    struct rn_narrow *narrow = program->narrow;
    struct rn_narrow_code *known = atomic_load_explicit(&narrow->code, memory_order_acquire);
    if (known) {
        return known->program ? known : NULL;
    }
    struct rn_narrow_code *made = calloc(1, sizeof *made);
    if (!made) {
        return NULL;
    }
    if (vliw_program_create(narrow->image, &made->program, NULL) == VLIW_OK) {
        map_code(program, made);
    }
    if (!atomic_compare_exchange_strong(&narrow->code, &known, made)) { /* another context's draw was first */
        code_destroy(made);
        return known->program ? known : NULL;
    }
    return made->program ? made : NULL;
}

/* ---- the conditions ---------------------------------------------------------------------------------------- */

/* Texels are n * (1/255), the float, whatever the coordinates. */
static bool is_exact(const struct rn_view *view) {
    if (!view || view->empty) {
        return true; /* 0, 0, 0, 1 */
    }
    return (view->kind == RN_FETCH_WORDS || view->kind == RN_FETCH_BYTE || view->kind == RN_FETCH_PAIR) &&
           view->desc.min_filter == RN_FILTER_NEAREST && view->desc.mag_filter == RN_FILTER_NEAREST &&
           view->desc.mip != RN_MIP_LINEAR && !(view->desc.max_anisotropy > 1.0f);
}

static bool textures_allow(const struct rn_frag_draw *draw, uint32_t exact) {
    for (uint32_t i = 0; i < 32; i++) {
        if (exact >> i & 1u && !is_exact(i < RN_MAX_TEXTURES ? draw->views[i] : NULL)) {
            return false;
        }
    }
    return true;
}

/* Whether texels depend on their lane's coordinates alone. */
static bool is_lane(const struct rn_view *view) {
    return !view || view->empty || (view->plain && !(view->desc.max_anisotropy > 1.0f));
}

/* Pixels without the processor, where the program only fetches words, one a pixel. */
static void direct_set(struct rn_frag_kernel *k, const struct rn_frag_draw *draw, const struct vliw_info *info) {
    const struct vliw_narrow_direct *direct = &draw->program->narrow->facts.direct;
    const struct rn_narrow_code *code = draw->narrow_code;
    const struct rn_view *view = direct->sampler < RN_MAX_TEXTURES ? draw->views[direct->sampler] : NULL;
    if (direct->valid && code->direct[0] >= 0 && code->direct[1] >= 0 && k->color_count == 1 &&
        direct->sampler < info->sampler_count && view && view->kind == RN_FETCH_WORDS && rn_sample_is_direct(view)) {
        k->direct = rn_direct_ops_for(vliw_simd_level());
    }
}

/* Rows, where no lane looks at another and nothing but colours is asked for. */
static void rows_set(struct rn_frag_kernel *k, const struct rn_frag_draw *draw) {
    const struct vliw_info *info = vliw_program_info(draw->narrow_code->program);
    bool lanes = !draw->program->narrow->facts.quads && draw->narrow_code->frag_coord_input < 0;
    for (uint32_t i = 0; i < info->sampler_count && lanes; i++) {
        lanes = is_lane(i < RN_MAX_TEXTURES ? draw->views[i] : NULL);
    }
    if (!lanes || k->tests || k->samples > 1 || k->special || k->counts || info->flags & VLIW_USES_MEMORY) {
        return;
    }
    k->rows = rn_row_ops_for(vliw_simd_level());
    k->covers = !draw->program->discards;
    for (uint32_t i = 0; i < k->color_count; i++) {
        k->row[i] = k->rows->write[k->color[i].format == RN_FORMAT_RGBX8][rn_row_kind(&k->color[i])];
        k->covers = k->covers && k->color[i].all && !k->color[i].blend;
    }
    direct_set(k, draw, info);
}

const struct rn_frag_kernel *rn_narrow_prepare(struct rn_scene *scene, struct rn_frag_draw *draw,
                                               const struct rn_frag_kernel *wide) {
    const struct rn_program *program = draw->program;
    draw->narrow_code = NULL;
    if (!program->narrow || scene->wide || scene->tap || scene->recorder || wide->constant || !wide->shade ||
        wide->color_count == 0 || wide->alpha_to_coverage || wide->fetches || program->depth_output >= 0) {
        return NULL;
    }
    for (uint32_t i = 0; i < wide->color_count; i++) {
        if (!wide->color[i].write_bytes) {
            return NULL;
        }
    }
    if (!textures_allow(draw, program->narrow->facts.exact_samplers)) {
        return NULL;
    }
    draw->narrow_code = code_of(program);
    struct rn_frag_kernel *k = draw->narrow_code ? arena_alloc_raw(&scene->arena, sizeof *k, 64) : NULL;
    if (k) {
        *k = *wide;
        k->flat = NULL;
        for (uint32_t i = 0; i < k->color_count; i++) {
            k->color[i].write = k->color[i].write_bytes;
            k->color[i].block = k->color[i].block_bytes;
        }
        rows_set(k, draw);
    }
    return k;
}

void rn_narrow_choose(struct rn_frag_draw *draw, const float *globals, uint32_t global_count) {
    const struct vliw_narrow *facts = draw->narrow_kernel ? &draw->program->narrow->facts : NULL;
    bool holds = facts != NULL;
    for (uint32_t i = 0; holds && i < facts->uniform_count; i++) {
        const uint32_t reg = facts->uniforms[i].reg;
        for (uint32_t c = 0; holds && c < 4; c++) {
            holds = !(facts->uniforms[i].mask >> c & 1u) || (reg < global_count && bits_byte_of(globals[reg * 4 + c]) >= 0);
        }
    }
    if (holds && facts->direct.valid) {
        const struct vliw_narrow_direct *d = &facts->direct;
        draw->direct_factor = d->by_uniform ? 0 : d->factor;
        for (unsigned c = 0; c < 4 && d->by_uniform; c++) {
            const int n = d->reg < global_count ? bits_byte_of(globals[d->reg * 4 + d->comp[c]]) : -1;
            holds = holds && n >= 0;
            draw->direct_factor |= (uint32_t)(n & 255) << 8 * c;
        }
    }
    draw->narrow = holds ? draw->narrow_code : NULL;
    draw->kernel = holds ? draw->narrow_kernel : draw->wide_kernel;
}
