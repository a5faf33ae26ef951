/* SPDX-License-Identifier: MIT */
/*
 * The trace of a pixel: before a draw of the traced frame is done, it is drawn into images of our own,
 * cut to the pixel. If anything covers it, the primitives that do are found by halving, and each is drawn
 * there alone, once without tests (its values, its depth) and once as it is (what becomes of it). After the
 * draw itself the pixel must be what these steps came to; "consistent" says whether it is.
 */
#include "api/trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/state.h"
#include "api/trace_probe.h"
#include "api/trace_run.h"

#define MAX_SHADERS 256

struct trace_shader {
    uint64_t serial; /* of the linked program */
    char *sources[2];
    int index[2]; /* in "shaders", -1: not told yet */
};

struct es_trace {
    struct es_trace_at at;
    struct trace_probe probe; /* its images go through what the draw does at the pixel */
    struct trace_probe cover; /* its images take every fragment, without tests */
    struct trace_shader programs[MAX_SHADERS];
    unsigned program_count;
    struct str events, shaders;
    unsigned event_count, shader_count;
    uint32_t draw, width, height;
    bool seen;
    struct trace_pixel final;
};

struct es_trace *es_trace_create(const struct es_trace_at *at) {
    struct es_trace *trace = calloc(1, sizeof *trace);
    if (trace) {
        trace->at = *at;
        str_init(&trace->events);
        str_init(&trace->shaders);
        pthread_mutex_init(&trace->probe.lock, NULL);
        pthread_mutex_init(&trace->cover.lock, NULL);
    }
    return trace;
}

void es_trace_destroy(struct es_trace *trace) {
    if (!trace) {
        return;
    }
    for (unsigned i = 0; i < trace->program_count; i++) {
        free(trace->programs[i].sources[0]);
        free(trace->programs[i].sources[1]);
    }
    trace_probe_free(&trace->probe);
    trace_probe_free(&trace->cover);
    pthread_mutex_destroy(&trace->probe.lock);
    pthread_mutex_destroy(&trace->cover.lock);
    str_fini(&trace->events);
    str_fini(&trace->shaders);
    free(trace);
}

/* ---- shaders ---- */

/* All strings of a shader as one text; NULL if there is none or memory is out. */
static char *join_sources(const struct es_shader *shader) {
    struct str text;
    str_init(&text);
    for (unsigned i = 0; shader && i < shader->source_count; i++) {
        const int length = shader->source_lengths ? shader->source_lengths[i] : -1;
        if (length >= 0) {
            str_append_n(&text, shader->sources[i], (size_t)length);
        } else {
            str_append(&text, shader->sources[i]);
        }
    }
    return str_take(&text);
}

void es_trace_link(struct es_trace *trace, const struct es_program *program) {
    if (!program->exec || trace->program_count == MAX_SHADERS) {
        return;
    }
    struct trace_shader *row = &trace->programs[trace->program_count++];
    row->serial = program->exec->serial;
    for (unsigned s = 0; s < 2; s++) {
        row->sources[s] = join_sources(program->shaders[s]);
        row->index[s] = -1;
    }
}

/* Index in "shaders"; the text is added at the first use. The uniforms are those of that draw. */
static int shader_index(struct es_trace *trace, const struct es_context *ctx, enum vliw_stage stage) {
    const struct es_exec *exec = ctx->program->exec;
    struct trace_shader *row = NULL;
    for (unsigned i = 0; !row && i < trace->program_count; i++) {
        row = trace->programs[i].serial == exec->serial ? &trace->programs[i] : NULL;
    }
    if (row && row->index[stage] >= 0) {
        return row->index[stage];
    }
    str_append(&trace->shaders, trace->shader_count ? ",\n    " : "\n    ");
    trace_code_text(&trace->shaders, exec, stage, row ? row->sources[stage] : NULL);
    if (row) {
        row->index[stage] = (int)trace->shader_count;
    }
    return (int)trace->shader_count++;
}

/* ---- pieces of text ---- */

static void add_pixel(struct str *out, const char *name, const struct trace_pixel *p) {
    const char *comma = "";
    str_printf(out, "\"%s\": {", name);
    if (p->has_color) {
        str_append(out, "\"color\": ");
        trace_numbers(out, p->color, 4, 1);
        str_printf(out, ", \"bytes\": [%u, %u, %u, %u]", p->bytes[0], p->bytes[1], p->bytes[2], p->bytes[3]);
        comma = ", ";
    }
    if (p->has_depth) {
        str_printf(out, "%s\"depth\": ", comma);
        trace_number(out, p->depth, false);
        comma = ", ";
    }
    if (p->has_stencil) {
        str_printf(out, "%s\"stencil\": %u", comma, p->stencil);
    }
    str_append(out, "}");
}

static const char *const compare_names[] = {"never", "less", "equal", "lequal", "greater", "notequal", "gequal", "always"};

static bool compare_holds(unsigned func, double a, double b) {
    switch (func) {
    case RN_NEVER: return false;
    case RN_LESS: return a < b;
    case RN_EQUAL: return a == b;
    case RN_LEQUAL: return a <= b;
    case RN_GREATER: return a > b;
    case RN_NOTEQUAL: return a != b;
    case RN_GEQUAL: return a >= b;
    default: return true;
    }
}

/* What the state's tests say of a fragment of this depth over this pixel. */
static void add_tests(struct str *out, const struct rn_fragment_state *f, const struct trace_pixel *before, bool front,
                      bool has_depth, double depth) {
    static const char *const ops[] = {"keep", "zero", "replace", "incr", "decr", "invert", "incr_wrap", "decr_wrap"};
    bool passed = true;
    if (f->stencil_test && before->has_stencil) {
        const struct rn_stencil_side *s = &f->stencil[!front];
        passed = compare_holds(s->func, s->ref & s->read_mask, before->stencil & s->read_mask);
        str_printf(out,
                   ", \"stencil_test\": {\"func\": \"%s\", \"ref\": %u, \"mask\": %u, \"stored\": %u, \"passed\": %s, "
                   "\"fail\": \"%s\", \"depth_fail\": \"%s\", \"pass\": \"%s\"}",
                   compare_names[s->func & 7], s->ref, s->read_mask, before->stencil, passed ? "true" : "false",
                   ops[s->fail & 7], ops[s->depth_fail & 7], ops[s->pass & 7]);
    }
    if (f->depth_test && before->has_depth && has_depth) {
        const bool deep = compare_holds(f->depth_func, depth, before->depth);
        str_printf(out, ", \"depth_test\": {\"func\": \"%s\", \"value\": ", compare_names[f->depth_func & 7]);
        trace_number(out, depth, false);
        str_append(out, ", \"stored\": ");
        trace_number(out, before->depth, false);
        str_printf(out, ", \"passed\": %s, \"write\": %s}", deep ? "true" : "false", f->depth_write ? "true" : "false");
        passed = passed && deep;
    }
    str_printf(out, ", \"passed\": %s", passed ? "true" : "false");
}

static void add_blending(struct str *out, const struct rn_fragment_state *f) {
    static const char *const factors[RN_BLEND_FACTOR_COUNT] = {
        "zero", "one", "src_color", "one_minus_src_color", "dst_color", "one_minus_dst_color", "src_alpha",
        "one_minus_src_alpha", "dst_alpha", "one_minus_dst_alpha", "constant_color", "one_minus_constant_color",
        "constant_alpha", "one_minus_constant_alpha", "src_alpha_saturate"};
    static const char *const ops[] = {"add", "subtract", "reverse_subtract", "min", "max"};
    if (f->blend) {
        str_printf(out, ", \"blend\": {\"rgb\": [\"%s\", \"%s\", \"%s\"], \"alpha\": [\"%s\", \"%s\", \"%s\"]}",
                   factors[f->src_rgb], ops[f->blend_op_rgb % 5], factors[f->dst_rgb], factors[f->src_alpha],
                   ops[f->blend_op_alpha % 5], factors[f->dst_alpha]);
    }
    str_printf(out, ", \"color_mask\": \"%s%s%s%s\"", f->color_mask & 1 ? "r" : "", f->color_mask & 2 ? "g" : "",
               f->color_mask & 4 ? "b" : "", f->color_mask & 8 ? "a" : "");
}

/* Clip coordinates to the window, as the renderer does it. */
static void window_of(const struct rn_draw_state *s, const float clip[4], double window[3]) {
    const double w = (double)clip[3];
    window[0] = (double)clip[0] / w * s->viewport[2] / 2.0 + s->viewport[0] + s->viewport[2] / 2.0;
    window[1] = (double)clip[1] / w * s->viewport[3] / 2.0 + s->viewport[1] + s->viewport[3] / 2.0;
    window[2] = (double)clip[2] / w * ((double)s->depth_far - (double)s->depth_near) / 2.0 +
                ((double)s->depth_far + (double)s->depth_near) / 2.0;
}

/* The primitive's corners; true if it faces the viewer (points and lines always do). */
static bool add_vertices(struct str *out, const struct rn_draw_state *state, const struct trace_probe *probe) {
    double window[3][3] = {{0}};
    str_append(out, ", \"vertices\": [");
    for (uint32_t v = 0; v < probe->vertex_count; v++) {
        const struct trace_vertex *vertex = &probe->vertices[v];
        window_of(state, vertex->position, window[v]);
        str_printf(out, "%s{\"index\": %u, \"clip\": ", v ? ", " : "", vertex->element);
        trace_numbers(out, vertex->position, 4, 1);
        str_append(out, ", \"window\": [");
        for (unsigned c = 0; c < 3; c++) {
            str_append(out, c ? ", " : "");
            trace_number(out, (double)(float)window[v][c], true);
        }
        str_append(out, "]}");
    }
    str_append(out, "]");
    const double area = (window[1][0] - window[0][0]) * (window[2][1] - window[0][1]) -
                        (window[2][0] - window[0][0]) * (window[1][1] - window[0][1]);
    const bool front = probe->vertex_count < 3 || (area > 0.0) != state->front_cw;
    str_printf(out, ", \"facing\": \"%s\"", front ? "front" : "back");
    return front;
}

static void begin_event(struct es_trace *trace, const char *kind) {
    str_append(&trace->events, trace->event_count++ ? ",\n  {" : "\n  {");
    str_printf(&trace->events, "\"kind\": \"%s\"", kind);
}

/* ---- one primitive at the pixel ---- */

static void look_for(struct trace_probe *probe, const uint32_t *elements, unsigned count) {
    trace_probe_reset(probe);
    probe->vertex_count = count;
    for (unsigned i = 0; i < count; i++) {
        probe->vertices[i].element = elements[i];
    }
}

/* All that happens to one fragment. The scratch images hold what was before, and then what is after. */
static void trace_fragment(struct es_trace *trace, struct es_context *ctx, const struct rn_draw_state *state,
                           const struct rn_draw_call *call, uint32_t instance, uint32_t primitive, bool first) {
    struct trace_probe *probe = &trace->probe, *cover = &trace->cover;
    struct str *out = &trace->events;
    uint32_t indices[3], corners[3];
    struct trace_pixel before, after, covered;
    const struct vliw_program *code[2];
    const struct rn_draw_call part = trace_part(call, primitive, 1, indices);
    const unsigned count = trace_corners(call, primitive, corners);
    rn_program_code(ctx->program->exec->program, code);
    const int shader = shader_index(trace, ctx, VLIW_STAGE_FRAGMENT);
    trace_pixel_read(&probe->scratch, probe->x, probe->y, &before);

    /* As it is: what becomes of the pixel, and whether the program ran. */
    look_for(probe, corners, 0);
    trace_probe_draw(probe, state, &part, TRACE_AS_IS);
    const bool shaded = probe->shaded_count > 0;
    trace_pixel_read(&probe->scratch, probe->x, probe->y, &after);

    /* Without tests: values and depth, of fragments too that a test throws away. */
    look_for(cover, corners, count);
    trace_probe_copy(cover, state->framebuffer); /* framebuffer fetch reads the color */
    trace_probe_draw(cover, state, &part, TRACE_COVERAGE);
    trace_pixel_read(&cover->scratch, probe->x, probe->y, &covered);
    const struct trace_shaded *s = cover->shaded_count > 0 ? &cover->shaded[0] : NULL;

    str_printf(out, "%s\n    {\"primitive\": %u, \"instance\": %u", first ? "" : ",", primitive, instance);
    const bool front = add_vertices(out, state, cover);
    str_append(out, ",\n     ");
    add_pixel(out, "before", &before);
    add_tests(out, &state->fragment, &before, front, covered.has_depth && s && s->live, covered.depth);
    add_blending(out, &state->fragment);
    str_printf(out, ", \"shaded\": %s, \"shader\": %d,\n     ", shaded ? "true" : "false", shader);
    if (s && s->inputs && s->outputs) {
        struct trace_quad quad = {.exec = ctx->program->exec,
                                  .stage = VLIW_STAGE_FRAGMENT,
                                  .program = code[VLIW_STAGE_FRAGMENT],
                                  .lane = s->lane,
                                  .inputs = s->inputs,
                                  .outputs = s->outputs,
                                  .live = s->live,
                                  .ctx = ctx};
        struct rn_sampler *sampler = rn_sampler_create(state->views[VLIW_STAGE_FRAGMENT]);
        quad.sample = rn_sampler_function();
        quad.sample_context = sampler;
        trace_run_text(out, &quad);
        rn_sampler_destroy(sampler);
        str_append(out, ",\n     ");
    }
    add_pixel(out, "after", &after);
    str_append(out, "}");
}

/* ---- finding primitives ---- */

struct search {
    struct es_trace *trace;
    struct es_context *ctx;
    const struct rn_draw_call *call;
    uint32_t *indices;
    uint32_t instance;
    struct rn_draw_state state;
    uint32_t found;
};

/* How many fragments a part of the draw has at the pixel. */
static uint32_t covers(struct search *search, uint32_t first, uint32_t count) {
    const struct rn_draw_call part = trace_part(search->call, first, count, search->indices);
    struct trace_probe *cover = &search->trace->cover;
    trace_probe_reset(cover);
    trace_probe_draw(cover, &search->state, &part, TRACE_COVERAGE);
    return cover->shaded_count;
}

static void halve(struct search *search, uint32_t first, uint32_t count) {
    if (search->found >= TRACE_MAX_FRAGMENTS || !count || !covers(search, first, count)) {
        return;
    }
    if (count == 1) {
        trace_fragment(search->trace, search->ctx, &search->state, search->call, search->instance, first,
                       search->found++ == 0);
        return;
    }
    halve(search, first, count / 2);
    halve(search, first + count / 2, count - count / 2);
}

/* ---- draws and clears ---- */

/* Whether this is the frame and the framebuffer, and the pixel is in it. */
static bool wanted(struct es_trace *trace, const struct es_context *ctx, uint32_t frame,
                   const struct rn_framebuffer *target, int32_t *x, int32_t *y) {
    if (frame != trace->at.frame || (ctx->framebuffer != &ctx->default_framebuffer && ctx->draw_surface)) {
        return false;
    }
    trace->seen = true;
    trace->width = target->width;
    trace->height = target->height;
    *x = (int32_t)trace->at.x;
    *y = (int32_t)target->height - 1 - (int32_t)trace->at.y;
    return trace->at.is_vertex || (trace->at.x < target->width && trace->at.y < target->height);
}

static void add_draw(struct es_trace *trace, const struct es_context *ctx, const struct rn_draw_call *call) {
    static const char *const modes[] = {"points", "lines", "line loop", "line strip", "triangles", "triangle strip",
                                        "triangle fan"};
    struct str *out = &trace->events;
    str_printf(out, ", \"draw\": %u, \"program\": %u, \"label\": ", trace->draw, ctx->program->base.name);
    trace_string(out, ctx->program->base.label ? ctx->program->base.label : "");
    str_printf(out, ", \"mode\": \"%s\", \"count\": %u, \"instances\": %u", modes[call->mode % 7], call->count,
               call->instances);
}

static bool same_pixel(const struct trace_pixel *a, const struct trace_pixel *b) {
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0 && memcmp(a->color, b->color, sizeof a->color) == 0 &&
           a->depth == b->depth && a->stencil == b->stencil;
}

/* Why a draw that could have reached the pixel did not: NULL if it lies elsewhere. Before the draw is done. */
static const char *missed_by(struct es_trace *trace, struct es_context *ctx, const struct rn_draw_call *call) {
    static const char *const reasons[2] = {"culled", "scissor"};
    struct trace_probe *cover = &trace->cover;
    for (unsigned i = 0; i < 2; i++) {
        struct rn_draw_state state = ctx->draw;
        state.cull = 0;
        if (i == 1) {
            state.scissor = (struct rn_rect){0, 0, (int32_t)state.framebuffer->width, (int32_t)state.framebuffer->height};
        }
        trace_probe_reset(cover);
        trace_probe_draw(cover, &state, call, TRACE_COVERAGE);
        if (cover->shaded_count) {
            return reasons[i];
        }
    }
    return NULL;
}

static enum vliw_status trace_pixel_draw(struct es_trace *trace, struct es_context *ctx,
                                         const struct rn_draw_call *call, es_draw_fn draw, int32_t x, int32_t y) {
    struct trace_probe *probe = &trace->probe;
    const struct rn_framebuffer target = *ctx->draw.framebuffer;
    const uint32_t primitives = trace_primitives(call);
    struct trace_pixel before, after, expected;
    struct search search = {.trace = trace, .ctx = ctx, .call = call};
    rn_flush(ctx->renderer);
    trace_pixel_read(&target, x, y, &before);
    search.indices = malloc(((size_t)primitives * 3 + 3) * sizeof *search.indices);
    if (!search.indices || !trace_probe_begin(probe, ctx, &target, x, y) ||
        !trace_probe_begin(&trace->cover, ctx, &target, x, y)) {
        free(search.indices);
        return VLIW_ERR_MEMORY;
    }
    trace_probe_copy(probe, &target);
    const size_t mark = trace->events.length;
    begin_event(trace, "draw");
    add_draw(trace, ctx, call);
    str_append(&trace->events, ", \"fragments\": [");
    for (uint32_t instance = 0; instance < call->instances && primitives; instance++) {
        search.state = ctx->draw;
        search.instance = instance;
        trace_instance(&search.state, instance);
        halve(&search, 0, primitives);
    }
    free(search.indices);
    trace_pixel_read(&probe->scratch, x, y, &expected);
    const char *missed = search.found ? NULL : missed_by(trace, ctx, call);
    const enum vliw_status status = draw(ctx, call);
    rn_flush(ctx->renderer);
    trace_pixel_read(&target, x, y, &after);
    trace->final = after;
    if (!search.found && !missed && same_pixel(&before, &after)) {
        trace->events.text[trace->events.length = mark] = '\0'; /* the draw did not reach the pixel */
        trace->event_count--;
        return status;
    }
    str_append(&trace->events, "],\n   ");
    if (missed) {
        str_printf(&trace->events, "\"missed\": \"%s\", ", missed);
    }
    add_pixel(&trace->events, "before", &before);
    str_append(&trace->events, ", ");
    add_pixel(&trace->events, "after", &after);
    str_printf(&trace->events, ", \"more\": %s, \"consistent\": %s}", search.found >= TRACE_MAX_FRAGMENTS ? "true" : "false",
               same_pixel(&expected, &after) ? "true" : "false");
    return status;
}

/* The traced vertex of a draw: its program step by step. */
static void trace_vertex_draw(struct es_trace *trace, struct es_context *ctx, const struct rn_draw_call *call) {
    struct trace_probe *probe = &trace->probe;
    struct str *out = &trace->events;
    const struct vliw_program *code[2];
    const struct rn_rect r = ctx->draw.scissor;
    rn_program_code(ctx->program->exec->program, code);
    if (!trace_probe_begin(probe, ctx, ctx->draw.framebuffer, r.x0, r.y0)) {
        return;
    }
    look_for(probe, &trace->at.vertex, 1);
    trace_probe_draw(probe, &ctx->draw, call, TRACE_COVERAGE);
    if (!probe->vertices[0].valid) {
        return;
    }
    const int shader = shader_index(trace, ctx, VLIW_STAGE_VERTEX);
    begin_event(trace, "vertex");
    add_draw(trace, ctx, call);
    str_printf(out, ", \"vertex\": %u, \"shader\": %d", trace->at.vertex, shader);
    add_vertices(out, &ctx->draw, probe);
    str_append(out, ",\n     ");
    struct rn_sampler *sampler = rn_sampler_create(ctx->draw.views[VLIW_STAGE_VERTEX]);
    const struct trace_quad quad = {.exec = ctx->program->exec,
                                    .stage = VLIW_STAGE_VERTEX,
                                    .program = code[VLIW_STAGE_VERTEX],
                                    .inputs = probe->vertices[0].inputs,
                                    .outputs = probe->vertices[0].outputs,
                                    .live = true,
                                    .sample = rn_sampler_function(),
                                    .sample_context = sampler,
                                    .ctx = ctx};
    trace_run_text(out, &quad);
    rn_sampler_destroy(sampler);
    str_append(out, "}");
}

enum vliw_status es_trace_draw(struct es_trace *trace, struct es_context *ctx, uint32_t frame,
                               const struct rn_draw_call *call, es_draw_fn draw) {
    int32_t x, y;
    enum vliw_status status;
    if (!wanted(trace, ctx, frame, ctx->draw.framebuffer, &x, &y)) {
        return draw(ctx, call);
    }
    if (trace->at.is_vertex) {
        trace_vertex_draw(trace, ctx, call);
        status = draw(ctx, call);
    } else {
        status = trace_pixel_draw(trace, ctx, call, draw, x, y);
    }
    trace->draw++;
    return status;
}

enum vliw_status es_trace_clear(struct es_trace *trace, struct es_context *ctx, uint32_t frame,
                                const struct rn_clear *clear) {
    int32_t x, y;
    struct trace_pixel before, after;
    const struct rn_framebuffer target = *clear->framebuffer;
    if (!wanted(trace, ctx, frame, &target, &x, &y) || trace->at.is_vertex || x < clear->rect.x0 ||
        x >= clear->rect.x1 || y < clear->rect.y0 || y >= clear->rect.y1) {
        return rn_clear(ctx->renderer, clear);
    }
    rn_flush(ctx->renderer);
    trace_pixel_read(&target, x, y, &before);
    const enum vliw_status status = rn_clear(ctx->renderer, clear);
    rn_flush(ctx->renderer);
    trace_pixel_read(&target, x, y, &after);
    trace->final = after;
    begin_event(trace, "clear");
    str_append(&trace->events, ", ");
    add_pixel(&trace->events, "before", &before);
    str_append(&trace->events, ", ");
    add_pixel(&trace->events, "after", &after);
    str_append(&trace->events, ", \"consistent\": true}");
    return status;
}

bool es_trace_text(const struct es_trace *trace, struct str *out) {
    if (!trace->seen) {
        return false;
    }
    str_printf(out, "{\"vlgl_trace\": 1, \"frame\": %u, \"size\": [%u, %u], ", trace->at.frame, trace->width,
               trace->height);
    if (trace->at.is_vertex) {
        str_printf(out, "\"vertex\": %u,\n \"events\": [", trace->at.vertex);
    } else {
        str_printf(out, "\"pixel\": [%u, %u], ", trace->at.x, trace->at.y);
        add_pixel(out, "final", &trace->final);
        str_append(out, ",\n \"events\": [");
    }
    str_append_n(out, trace->events.text, trace->events.length);
    str_append(out, "],\n \"shaders\": [");
    str_append_n(out, trace->shaders.text, trace->shaders.length);
    str_append(out, "]}\n");
    return true;
}
