/* SPDX-License-Identifier: MIT */
/* Probe draws: the renderer draws into images of our own, its recorder and tap tell what happened there. */
#include "api/trace_probe.h"

#include <stdlib.h>
#include <string.h>

/* ---- scratch images ---- */

static struct rn_image *like(const struct rn_image *image) {
    return image ? rn_image_create((enum rn_format)image->format, image->width, image->height, 1, image->samples) : NULL;
}

static bool same_shape(const struct rn_attachment *a, const struct rn_attachment *b) {
    return !a->image == !b->image &&
           (!a->image || (a->image->format == b->image->format && a->image->width == b->image->width &&
                          a->image->height == b->image->height && a->image->samples == b->image->samples));
}

static struct rn_attachment *attachment(struct rn_framebuffer *fb, unsigned i) {
    return i < RN_MAX_COLORS ? &fb->color[i] : i == RN_MAX_COLORS ? &fb->depth : &fb->stencil;
}

static void drop_images(struct rn_framebuffer *fb) {
    for (unsigned i = 0; i < RN_MAX_COLORS + 2; i++) {
        rn_image_unref(attachment(fb, i)->image);
    }
    memset(fb, 0, sizeof *fb);
}

bool trace_probe_begin(struct trace_probe *probe, struct es_context *ctx, const struct rn_framebuffer *target,
                       int32_t x, int32_t y) {
    struct rn_framebuffer wanted = *target;
    bool same = probe->scratch.width == target->width && probe->scratch.height == target->height;
    probe->ctx = ctx;
    probe->x = x;
    probe->y = y;
    for (unsigned i = 0; i < RN_MAX_COLORS + 2; i++) {
        same = same && same_shape(attachment(&probe->scratch, i), attachment(&wanted, i));
    }
    if (same) {
        return true;
    }
    drop_images(&probe->scratch);
    bool ok = true;
    probe->scratch = *target;
    for (unsigned i = 0; i < RN_MAX_COLORS + 2; i++) {
        struct rn_attachment *a = attachment(&probe->scratch, i);
        const struct rn_image *from = attachment(&wanted, i)->image;
        a->image = like(from);
        a->slice = 0;
        ok = ok && !a->image == !from;
    }
    if (!ok) {
        drop_images(&probe->scratch);
    }
    return ok;
}

void trace_probe_reset(struct trace_probe *probe) {
    for (uint32_t i = 0; i < probe->shaded_count && i < TRACE_MAX_FRAGMENTS; i++) {
        free(probe->shaded[i].inputs);
        free(probe->shaded[i].outputs);
    }
    memset(probe->shaded, 0, sizeof probe->shaded);
    probe->shaded_count = 0;
    for (unsigned i = 0; i < 3; i++) {
        free(probe->vertices[i].inputs);
        free(probe->vertices[i].outputs);
    }
    memset(probe->vertices, 0, sizeof probe->vertices);
    probe->vertex_count = 0;
}

void trace_probe_free(struct trace_probe *probe) {
    trace_probe_reset(probe);
    drop_images(&probe->scratch);
}

/* ---- pixels ---- */

void trace_pixel_read(const struct rn_framebuffer *fb, int32_t x, int32_t y, struct trace_pixel *out) {
    const struct rn_image *color = fb->color[0].image, *depth = fb->depth.image, *stencil = fb->stencil.image;
    memset(out, 0, sizeof *out);
    if (color) {
        const struct rn_box box = {x, y, (int32_t)fb->color[0].slice, 1, 1, 1};
        rn_image_settle(color, NULL);
        rn_image_read(color, &box, RN_LAYOUT_RGBA_F32, out->color, sizeof out->color);
        rn_image_read(color, &box, RN_LAYOUT_RGBA_U8, out->bytes, sizeof out->bytes);
        out->has_color = true;
    }
    if (depth) {
        const struct rn_box box = {x, y, (int32_t)fb->depth.slice, 1, 1, 1};
        uint32_t value = 0;
        rn_image_settle(depth, NULL);
        rn_image_read(depth, &box, RN_LAYOUT_D_U32, &value, sizeof value);
        const unsigned bits = rn_format_info((enum rn_format)depth->format)->bits[0];
        out->depth = bits == 24 ? (double)(value >> 8) / 16777215.0 : (double)(value >> 16) / 65535.0;
        out->has_depth = true;
    }
    if (stencil) {
        const struct rn_box box = {x, y, (int32_t)fb->stencil.slice, 1, 1, 1};
        rn_image_settle(stencil, NULL);
        rn_image_read(stencil, &box, RN_LAYOUT_S_U8, &out->stencil, 1);
        out->has_stencil = true;
    }
}

static void copy_pixel(const struct rn_attachment *to, const struct rn_attachment *from, int32_t x, int32_t y) {
    const struct rn_box box = {x, y, (int32_t)from->slice, 1, 1, 1};
    if (!to->image || !from->image) {
        return;
    }
    rn_image_settle(from->image, NULL);
    rn_image_settle(to->image, NULL);
    if (rn_format_info((enum rn_format)from->image->format)->kind == RN_KIND_STENCIL) {
        const struct rn_box there = {x, y, 0, 1, 1, 1};
        uint8_t value = 0;
        rn_image_read(from->image, &box, RN_LAYOUT_S_U8, &value, 1);
        rn_image_write(to->image, &there, RN_LAYOUT_S_U8, &value, 1, 1);
    } else {
        rn_image_copy(to->image, x, y, 0, from->image, &box);
    }
}

void trace_probe_copy(struct trace_probe *probe, const struct rn_framebuffer *target) {
    struct rn_framebuffer from = *target;
    rn_flush(probe->ctx->renderer);
    for (unsigned i = 0; i < RN_MAX_COLORS + 2; i++) {
        copy_pixel(attachment(&probe->scratch, i), attachment(&from, i), probe->x, probe->y);
    }
}

/* ---- what the renderer tells ---- */

static float *copy_lanes(const float *from, uint32_t count, uint32_t first, unsigned lanes) {
    float *to = calloc((size_t)count * 4 * lanes + 1, sizeof *to);
    for (size_t i = 0; to && i < (size_t)count * 4; i++) {
        memcpy(to + i * lanes, from + i * VM_LANES + first, lanes * sizeof *to);
    }
    return to;
}

static void note_batch(void *user, const struct rn_record_batch *batch) {
    struct trace_probe *probe = user;
    const struct vliw_info *info = vliw_program_info(batch->program);
    for (uint32_t q = 0; q < batch->quads; q++) {
        const int32_t x = probe->x - batch->x - batch->qx[q], y = probe->y - batch->y - batch->qy[q];
        if (x < 0 || x > 1 || y < 0 || y > 1) {
            continue;
        }
        const unsigned lane = (unsigned)(y * 2 + x);
        if (!(batch->covered[q] >> lane & 1)) {
            continue;
        }
        if (probe->shaded_count < TRACE_MAX_FRAGMENTS) {
            struct trace_shaded *s = &probe->shaded[probe->shaded_count];
            const uint32_t at = 4 * q + lane;
            s->lane = lane;
            s->live = batch->live->w[at / 64] >> at % 64 & 1;
            s->inputs = copy_lanes(batch->inputs, info->input_count, 4 * q, 4);
            s->outputs = copy_lanes(batch->outputs, info->output_count, at, 1);
        }
        probe->shaded_count++;
    }
}

static void note_vertices(struct trace_probe *probe, const struct vliw_tap_batch *batch, bool done) {
    const struct vliw_image_desc *desc = &batch->image;
    for (uint32_t v = 0; v < probe->vertex_count; v++) {
        struct trace_vertex *vertex = &probe->vertices[v];
        for (uint32_t lane = 0; lane < batch->lanes; lane++) {
            if (!(batch->run->active.w[lane / 64] >> lane % 64 & 1) || batch->elements[lane] != vertex->element) {
                continue;
            }
            const uint32_t count = done ? desc->output_count : desc->input_count;
            const float *const *values = done ? batch->outputs : batch->inputs;
            float *to = calloc((size_t)count * 16 + 16, sizeof *to);
            const size_t step = done ? 1 : 4;
            for (size_t i = 0; to && i < (size_t)count * 4; i++) {
                to[i * step] = values[i] ? values[i][lane] : 0.0f;
            }
            float **place = done ? &vertex->outputs : &vertex->inputs;
            free(*place);
            *place = to;
            for (uint32_t i = 0; done && to && i < count; i++) {
                if (desc->outputs[i].semantic == VLIW_SEM_POSITION) {
                    memcpy(vertex->position, to + (size_t)i * 4, sizeof vertex->position);
                }
            }
            vertex->valid = vertex->inputs && vertex->outputs;
            break;
        }
    }
}

static void note_tap(void *user, const struct vliw_tap_batch *batch, bool done) {
    struct trace_probe *probe = user;
    if (batch->stage == VLIW_STAGE_VERTEX && batch->elements) {
        pthread_mutex_lock(&probe->lock);
        note_vertices(probe, batch, done);
        pthread_mutex_unlock(&probe->lock);
    }
}

/* ---- draws ---- */

static void coverage_state(struct rn_fragment_state *f) {
    const uint8_t draw_buffers = f->draw_buffers;
    memset(f, 0, sizeof *f);
    f->draw_buffers = draw_buffers;
    f->color_mask = 15;
    f->depth_test = true; /* without a depth image it is off by itself */
    f->depth_write = true;
    f->depth_func = RN_ALWAYS;
}

enum vliw_status trace_probe_draw(struct trace_probe *probe, const struct rn_draw_state *state,
                                  const struct rn_draw_call *call, enum trace_probe_kind kind) {
    struct rn_context *renderer = probe->ctx->renderer;
    struct rn_draw_state s = *state;
    const struct rn_recorder recorder = {.user = probe, .batch = note_batch};
    const struct vliw_tap tap = {.user = probe, .batch = note_tap};
    const struct rn_rect r = state->scissor;
    if (probe->x < r.x0 || probe->x >= r.x1 || probe->y < r.y0 || probe->y >= r.y1) {
        return VLIW_OK;
    }
    s.framebuffer = &probe->scratch;
    s.scissor = (struct rn_rect){probe->x, probe->y, probe->x + 1, probe->y + 1};
    s.serial = es_next_serial();
    s.fragment.count_passed = false;
    if (kind == TRACE_COVERAGE) {
        coverage_state(&s.fragment);
        s.fragment.depth_test = s.fragment.depth_write = s.framebuffer->depth.image != NULL;
        s.fragment.depth_func = s.fragment.depth_test ? RN_ALWAYS : 0;
    }
    rn_context_set_recorder(renderer, &recorder);
    rn_context_set_tap(renderer, &tap);
    const enum vliw_status status = rn_draw(renderer, &s, call);
    rn_context_set_tap(renderer, NULL);
    rn_context_set_recorder(renderer, NULL);
    return status;
}

/* ---- primitives ---- */

uint32_t trace_primitives(const struct rn_draw_call *call) {
    const uint32_t n = call->count;
    switch (call->mode) {
    case RN_POINTS: return n;
    case RN_LINES: return n / 2;
    case RN_LINE_LOOP: return n < 2 ? 0 : n;
    case RN_LINE_STRIP: return n < 2 ? 0 : n - 1;
    case RN_TRIANGLES: return n / 3;
    default: return n < 3 ? 0 : n - 2;
    }
}

/* The vertex number at a place of the stream. Indices beyond what is readable are 0. */
static uint32_t element_at(const struct rn_draw_call *call, uint32_t at) {
    const uint8_t *p = (const uint8_t *)call->indices + (size_t)at * call->index_bytes;
    if (!call->index_bytes) {
        return call->first + at;
    }
    if (((uint64_t)at + 1) * call->index_bytes > call->indices_size) {
        return 0;
    }
    uint32_t wide;
    uint16_t half;
    switch (call->index_bytes) {
    case 1: return *p;
    case 2: memcpy(&half, p, sizeof half); return half;
    default: memcpy(&wide, p, sizeof wide); return wide;
    }
}

unsigned trace_corners(const struct rn_draw_call *call, uint32_t p, uint32_t corners[3]) {
    uint32_t at[3] = {p, p + 1, p + 2};
    unsigned count = 3;
    switch (call->mode) {
    case RN_POINTS: count = 1; break;
    case RN_LINES:
        at[0] = 2 * p;
        at[1] = 2 * p + 1;
        count = 2;
        break;
    case RN_LINE_LOOP: at[1] = p + 1 == call->count ? 0 : p + 1; count = 2; break;
    case RN_LINE_STRIP: count = 2; break;
    case RN_TRIANGLES:
        at[0] = 3 * p;
        at[1] = 3 * p + 1;
        at[2] = 3 * p + 2;
        break;
    case RN_TRIANGLE_STRIP: /* odd ones are turned */
        at[1] = p + 1 + (p & 1);
        at[2] = p + 2 - (p & 1);
        break;
    default: at[0] = 0; break;
    }
    for (unsigned i = 0; i < count; i++) {
        corners[i] = element_at(call, at[i]);
    }
    return count;
}

struct rn_draw_call trace_part(const struct rn_draw_call *call, uint32_t first, uint32_t count, uint32_t *indices) {
    uint32_t used = 0;
    for (uint32_t p = first; p < first + count; p++) {
        used += trace_corners(call, p, indices + used);
    }
    const unsigned corners = count ? used / count : 3;
    return (struct rn_draw_call){.mode = corners == 1 ? RN_POINTS : corners == 2 ? RN_LINES : RN_TRIANGLES,
                                 .index_bytes = 4,
                                 .count = used,
                                 .instances = 1,
                                 .indices = indices,
                                 .indices_size = (size_t)used * sizeof *indices};
}

void trace_instance(struct rn_draw_state *state, uint32_t instance) {
    state->attribs_serial = 0;
    for (unsigned i = 0; i < RN_MAX_ATTRIBS; i++) {
        struct rn_attrib *a = &state->attribs[i];
        if (!a->divisor || !a->data) {
            continue;
        }
        const uint64_t skip = (uint64_t)(instance / a->divisor) * a->stride;
        if (a->size == SIZE_MAX) {
            a->data += skip;
        } else if (skip < a->size) {
            a->data += skip;
            a->size -= (size_t)skip;
        } else {
            a->size = 0;
        }
    }
}
