/* SPDX-License-Identifier: MIT */
/*
 * Binding: from a draw state to what the stages of the front read, doing again only what changed.
 * The API promises that an equal serial means an equal state and an equal globals_serial equal
 * uniforms. Programs that go back and forth between a few states get new serials each time; so
 * fragment data is also found by what it was made of, and rasterisation is compared field by field,
 * which lets small draws of several states wait together.
 */
#include <stdlib.h>
#include <string.h>

#include "renderer/internal.h"
#include "renderer/narrow.h"

/* ---- rasterisation ------------------------------------------------------------------- */

/* All that the front's part of a draw depends on but for programs and vertices. */
static void key_of(struct rn_raster_key *key, const struct rn_draw_state *state) {
    const struct rn_framebuffer *fb = state->framebuffer;
    memset(key, 0, sizeof *key); /* compared with its padding */
    key->width = fb->width;
    key->height = fb->height;
    key->samples = fb->samples;
    key->depth_format = fb->depth.image ? fb->depth.image->format : RN_FORMAT_NONE;
    memcpy(key->viewport, state->viewport, sizeof key->viewport);
    key->scissor = state->scissor;
    key->depth_near = state->depth_near;
    key->depth_far = state->depth_far;
    key->upper_left = state->upper_left;
    key->zero_to_one = state->zero_to_one;
    key->cull = state->cull;
    key->front_cw = state->front_cw;
    key->polygon_offset = state->polygon_offset;
    key->offset_factor = state->offset_factor;
    key->offset_units = state->offset_units;
    key->line_width = state->line_width;
}

static void bind_raster(struct rn_context *context, const struct rn_draw_state *state) {
    struct rn_front_draw *draw = &context->draw;
    const struct rn_framebuffer *fb = state->framebuffer;
    const int32_t *v = state->viewport;
    const struct rn_rect whole = {0, 0, (int32_t)fb->width, (int32_t)fb->height};
    struct rn_rect box = rn_rect_intersect(whole, state->scissor);
    draw->kernels = rn_front_kernels_for(context->level);
    draw->input = rn_input_kernels_for(context->level);
    draw->width = fb->width;
    draw->tiles_x = (fb->width + RN_TILE - 1) >> RN_TILE_SHIFT;
    draw->height = fb->height;
    draw->front_cw = state->front_cw;
    draw->samples = fb->samples > 1 ? fb->samples : 1;
    draw->nothing = v[2] <= 0 || v[3] <= 0;
    if (!draw->nothing) {
        const int64_t x1 = (int64_t)v[0] + v[2], y1 = (int64_t)v[1] + v[3];
        const struct rn_rect viewport = {v[0], v[1], x1 > INT32_MAX ? INT32_MAX : (int32_t)x1,
                                         y1 > INT32_MAX ? INT32_MAX : (int32_t)y1};
        box = rn_rect_intersect(box, viewport);
        draw->nothing = rn_rect_empty(box);
        rn_viewport_set(&draw->viewport, state);
    }
    draw->cull.box = box;
    draw->cull.lo = draw->samples > 1 ? 0 : RN_SUBPIXEL / 2 - 1;
    draw->cull.hi = draw->samples > 1 ? 0 : RN_SUBPIXEL / 2;
    const bool front = state->cull & 1, back = state->cull & 2;
    draw->cull.positive = state->front_cw ? back : front;
    draw->cull.negative = state->front_cw ? front : back;
    const struct rn_image *depth = fb->depth.image;
    const unsigned bits = depth ? rn_format_info((enum rn_format)depth->format)->bits[0] : 0;
    draw->depth_steps = bits ? (double)((UINT64_C(1) << bits) - 1) : 0.0;
    draw->offset_factor = state->polygon_offset && bits ? (double)state->offset_factor : 0.0;
    draw->offset_units = state->polygon_offset && bits ? (double)state->offset_units : 0.0;
    const float width = state->line_width > 1.0f ? state->line_width : 1.0f;
    const float limited = width < RN_MAX_LINE_WIDTH ? width : RN_MAX_LINE_WIDTH;
    draw->line_width = (int32_t)(limited + 0.5f);
    draw->line_width_fixed = (int32_t)(limited * (float)RN_SUBPIXEL + 0.5f);
}

/* What depends on nothing but the state's serial. Draws that wait go on waiting if they are to be
 * set up as this one. */
static void bind_state(struct rn_context *context, const struct rn_draw_state *state) {
    struct rn_front_draw *draw = &context->draw;
    struct rn_raster_key key;
    key_of(&key, state);
    if (!context->draw_valid || memcmp(&key, &context->raster, sizeof key) != 0) {
        rn_gather_drain(context);
        bind_raster(context, state);
        context->raster = key;
    }
    draw->program = state->program;
    draw->coefs = state->program->coef_count;
    draw->prim_bytes = rn_prim_bytes(draw->coefs);
    context->draw_valid = true;
    context->draw_serial = state->serial;
}

/* ---- fragment data ------------------------------------------------------------------- */

static uint32_t samplers_of(const struct rn_program *program, unsigned stage) {
    const uint32_t count = program->info[stage]->sampler_count;
    return count < RN_MAX_TEXTURES ? count : RN_MAX_TEXTURES;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    return (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
}

/* Where the frag_draw of a state may be found. */
static struct rn_frag_known *known_of(struct rn_context *context,
                                      const struct rn_draw_state *state) {
    uint64_t hash = mix(0, (uint64_t)(uintptr_t)state->program);
    uint64_t word;
    const uint8_t *bytes = (const uint8_t *)&state->fragment;
    for (size_t at = 0; at + sizeof word <= sizeof state->fragment; at += sizeof word) {
        memcpy(&word, bytes + at, sizeof word);
        hash = mix(hash, word);
    }
    const uint32_t samplers = samplers_of(state->program, VLIW_STAGE_FRAGMENT);
    for (uint32_t i = 0; i < samplers; i++) {
        hash = mix(hash, (uint64_t)(uintptr_t)state->views[VLIW_STAGE_FRAGMENT][i]);
    }
    return &context->known[hash >> 40 & (RN_FRAG_KNOWN - 1)];
}

/* Whether a frag_draw is what this state would make, but for the constants. */
static bool is_same(const struct rn_context *context, const struct rn_frag_draw *frag,
                    const struct rn_draw_state *state) {
    const uint32_t samplers = samplers_of(state->program, VLIW_STAGE_FRAGMENT);
    const struct rn_viewport *viewport = &context->draw.viewport;
    return frag->program == state->program && frag->depth_lo == viewport->depth_lo &&
           frag->depth_hi == viewport->depth_hi &&
           memcmp(&frag->state, &state->fragment, sizeof frag->state) == 0 &&
           memcmp(frag->views, state->views[VLIW_STAGE_FRAGMENT],
                  samplers * sizeof frag->views[0]) == 0;
}

static bool fill_frag(struct rn_context *context, const struct rn_draw_state *state,
                      struct rn_frag_draw *frag) {
    struct rn_program *program = state->program;
    memset(frag, 0, sizeof *frag);
    frag->program = program;
    frag->state = state->fragment;
    frag->depth_lo = context->draw.viewport.depth_lo;
    frag->depth_hi = context->draw.viewport.depth_hi;
    if (!rn_scene_hold_program(context, program)) {
        return false;
    }
    const uint32_t samplers = samplers_of(program, VLIW_STAGE_FRAGMENT);
    for (uint32_t i = 0; i < samplers; i++) {
        struct rn_view *view = state->views[VLIW_STAGE_FRAGMENT][i];
        if (view && !rn_scene_hold_view(context, view)) {
            return false;
        }
        frag->views[i] = view;
    }
    return rn_frag_draw_prepare(context->device, &context->scene, frag);
}

/* Freezes what fragments need, or goes on with what a draw before froze. */
static bool bind_fragments(struct rn_context *context, const struct rn_draw_state *state) {
    struct rn_scene *scene = &context->scene;
    const uint64_t globals = state->globals_serial[VLIW_STAGE_FRAGMENT];
    struct rn_frag_draw *before = NULL;
    const bool again =
        context->frag_scene == context->scene_id && context->frag_serial == state->serial;
    struct rn_frag_known *known = again ? context->frag_known : known_of(context, state);
    if (!again || known->globals != globals) { /* as if nothing were found: where that lies depends on addresses */
        const size_t constants = vliw_program_constants(state->program->stage[VLIW_STAGE_FRAGMENT]) * sizeof(float);
        scene->bytes += sizeof *before + constants + (again ? 0 : RN_KERNEL_BYTES);
    }
    if (again || (known->frag && known->scene == context->scene_id &&
                  is_same(context, known->frag, state))) {
        before = known->frag;
    }
    if (!before || known->globals != globals) {
        struct rn_frag_draw *frag = arena_alloc_raw(&scene->arena, sizeof *frag, 64);
        if (!frag) {
            return false;
        }
        if (before) {
            *frag = *before; /* only constants differ */
        } else if (!fill_frag(context, state, frag)) {
            return false;
        }
        const float *values = state->globals[VLIW_STAGE_FRAGMENT];
        const uint32_t count = state->global_count[VLIW_STAGE_FRAGMENT];
        rn_narrow_choose(frag, values, count);
        const struct vliw_program *code = rn_frag_code(frag);
        float *constants = arena_alloc_raw(
            &scene->arena, (vliw_program_constants(code) + 1) * sizeof(float), 64);
        if (!constants) {
            return false;
        }
        vliw_program_prepare(code, values, count, constants);
        frag->constants = constants;
        frag->next = scene->draws;
        scene->draws = frag;
        *known = (struct rn_frag_known){frag, context->scene_id, globals};
    }
    context->draw.frag = known->frag;
    context->frag_known = known;
    context->frag_scene = context->scene_id;
    context->frag_serial = state->serial;
    return true;
}

/* ---- vertices ------------------------------------------------------------------------ */

/* Prepares the vertex program's constants. */
static bool bind_vertices(struct rn_context *context, const struct rn_draw_state *state) {
    struct rn_front_draw *draw = &context->draw;
    struct rn_program *program = state->program;
    const struct vliw_program *code = program->stage[VLIW_STAGE_VERTEX];
    const bool same_program = context->vertex_program == program;
    if (!same_program || context->vertex_globals != state->globals_serial[VLIW_STAGE_VERTEX]) {
        const size_t need = (vliw_program_constants(code) + 1) * sizeof(float);
        if (need > context->vertex_constants_size) {
            /* 64-byte alignment is not promised to the VM, which loads single floats. */
            float *grown = realloc(context->vertex_constants, need);
            if (!grown) {
                return false;
            }
            context->vertex_constants = grown;
            context->vertex_constants_size = need;
        }
        vliw_program_prepare(code, state->globals[VLIW_STAGE_VERTEX],
                             state->global_count[VLIW_STAGE_VERTEX], context->vertex_constants);
        context->vertex_globals = state->globals_serial[VLIW_STAGE_VERTEX];
    }
    if (!same_program) {
        for (unsigned i = 0; i < rn_pool_threads(context->device->pool); i++) {
            if (context->workers[i]) {
                context->workers[i]->bound = NULL;
            }
        }
        rn_program_ref(program);
        rn_program_unref(context->vertex_program);
        context->vertex_program = program;
    }
    draw->constants = context->vertex_constants;
    draw->budget = context->budget;
    draw->tap = context->tap;
    draw->views =
        state->views[VLIW_STAGE_VERTEX]; /* the state may be another copy with this serial */
    return true;
}

/* Brings the pixels up to date that the draw samples. */
static void settle_views(const struct rn_draw_state *state) {
    for (unsigned stage = 0; stage < 2; stage++) {
        const uint32_t samplers = samplers_of(state->program, stage);
        for (uint32_t i = 0; i < samplers; i++) {
            const struct rn_view *view = state->views[stage][i];
            const struct rn_view_desc *desc = view ? rn_view_description(view) : NULL;
            const unsigned faces = !desc ? 0 : desc->type == RN_TEXTURE_CUBE ? 6 : 1;
            for (unsigned f = 0; f < faces; f++) {
                for (unsigned l = 0; l < desc->levels; l++) {
                    rn_image_settle(desc->images[f][l], NULL);
                }
            }
        }
    }
}

bool rn_bind(struct rn_context *context, const struct rn_draw_state *state) {
    const bool known = context->draw_valid && context->draw_serial == state->serial;
    if (!known || !context->scene_open || context->draw_scene != context->scene_id) {
        bool reads = false;
        for (unsigned stage = 0; stage < 2; stage++) {
            const uint32_t samplers = samplers_of(state->program, stage);
            for (uint32_t i = 0; i < samplers && !reads; i++) {
                reads = rn_scene_writes_view(context, state->views[stage][i]);
            }
        }
        if (reads) {
            rn_scene_flush(context);
        }
        if (!rn_scene_open(context, state->framebuffer)) {
            return false;
        }
        settle_views(state);
        if (!known) {
            bind_state(context, state);
        }
        context->draw_scene = context->scene_id;
    }
    return context->draw.nothing ||
           (bind_vertices(context, state) && bind_fragments(context, state));
}
