/* SPDX-License-Identifier: MIT */
/*
 * Reports: draws under observation, and the one place of the library that writes files, only when
 * VLGL_PROFILE, VLGL_TRACE or VLGL_WARPS asks. Each observed draw runs to its end at once, so its counters and its
 * time are its own; no result depends on when a flush happens, so the pixels are the same.
 */
#include "api/report.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/entry.h"
#include "api/environment.h"
#include "api/profile.h"
#include "api/state.h"
#include "api/trace.h"
#include "api/view.h"
#include "api/warps.h"

struct es_report {
    unsigned number;             /* of the context among those with reports, in the order of creation */
    bool profile;
    struct es_view *view;
    struct es_warps *warps;
    bool tapped; /* the renderer knows of them */
    struct es_trace *trace;
    uint32_t trace_frame;
    bool trace_written;
    struct rn_recorder recorder; /* what the renderer tells: the profile, the view, or both */
    uint32_t frame;
    bool drawn; /* something since the frame began */
};

/* ---- files ---- */

/*
 * Writes text to a file, in whose name "%p" stands for the process number and "%c" for the context's. The user asked
 * for it, so a failure is told, once.
 */
static void write_file(const char *name, unsigned context, const struct str *text) {
    char path[4096];
    size_t used = 0;
    for (; *name && used + 24 < sizeof path; name++) {
        if (name[0] == '%' && name[1] == 'p') {
            used += (size_t)snprintf(path + used, 24, "%ld", (long)getpid());
            name++;
        } else if (name[0] == '%' && name[1] == 'c') {
            used += (size_t)snprintf(path + used, 24, "%u", context);
            name++;
        } else {
            path[used++] = *name;
        }
    }
    path[used] = '\0';
    FILE *file = text->failed ? NULL : fopen(path, "wb");
    bool ok = file && fwrite(text->text, 1, text->length, file) == text->length;
    ok = file && fclose(file) == 0 && ok;
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (!ok && !atomic_flag_test_and_set(&told)) {
        fprintf(stderr, "vlgl: %s: cannot write: %s\n", path, text->failed ? "out of memory" : strerror(errno));
    }
}

static void write_profile(void) {
    const char *name = getenv("VLGL_PROFILE");
    struct str text;
    if (!name || !*name) {
        return;
    }
    str_init(&text);
    if (profile_text(&text)) {
        write_file(name, 0, &text);
    }
    str_fini(&text);
}

/* Once: when the frame ends, or what there is when the context does. */
static void write_trace(struct es_report *report) {
    const char *name = getenv("VLGL_TRACE_FILE");
    struct str text;
    if (!report->trace || report->trace_written) {
        return;
    }
    report->trace_written = true;
    str_init(&text);
    if (es_trace_text(report->trace, &text)) {
        write_file(name && *name ? name : "vlgl-trace.json", report->number, &text);
    }
    str_fini(&text);
}

static void write_warps(const struct es_report *report) {
    const char *name = getenv("VLGL_WARPS");
    struct str bytes;
    if (!report->warps || !name || !*name) {
        return;
    }
    str_init(&bytes);
    if (es_warps_file(report->warps, &bytes)) {
        write_file(name, report->number, &bytes);
    }
    str_fini(&bytes);
}

/* Programs that never destroy their contexts get their files too; of traces and recordings that of the context which is current in the
 * thread that exits, because others may be drawing. */
static void write_at_exit(void) {
    write_profile();
    const struct es_context *ctx = es_get_current();
    if (ctx && ctx->report) {
        write_trace(ctx->report);
        write_warps(ctx->report);
    }
}

/* ---- what the renderer tells ---- */

static void report_tile(void *user, unsigned thread, uint32_t x, uint32_t y, uint64_t begin_ns, uint64_t end_ns) {
    struct es_report *report = user;
    const struct rn_recorder *view = report->view ? es_view_recorder(report->view) : NULL;
    if (report->profile) {
        profile_add_tile(thread, x, y, begin_ns, end_ns);
    }
    if (view && view->tile) {
        view->tile(view->user, thread, x, y, begin_ns, end_ns);
    }
}

static void report_batch(void *user, const struct rn_record_batch *batch) {
    struct es_report *report = user;
    const struct rn_recorder *view = es_view_recorder(report->view);
    view->batch(view->user, batch);
}

/* Says what is wanted of the next draw; the view looks at the window's pixels only. */
static void listen(struct es_context *ctx) {
    struct es_report *report = ctx->report;
    const struct rn_recorder *view = report->view ? es_view_recorder(report->view) : NULL;
    const bool window = ctx->framebuffer == &ctx->default_framebuffer;
    report->recorder.user = report;
    report->recorder.batch = view && view->batch && window ? report_batch : NULL;
    report->recorder.tile = report->profile || (view && view->tile && window) ? report_tile : NULL;
    rn_context_set_recorder(ctx->renderer, &report->recorder);
}

/* ---- life ---- */

static struct es_report *report_create(struct es_context *ctx) {
    ctx->report = calloc(1, sizeof *ctx->report);
    return ctx->report;
}

bool es_report_open(struct es_context *ctx) {
    struct es_environment environment;
    if (es_environment_read(&environment) || (!environment.profile && !environment.trace && !environment.warps)) {
        return true;
    }
    if (!report_create(ctx)) {
        return false;
    }
    static atomic_uint contexts;
    ctx->report->number = atomic_fetch_add(&contexts, 1);
    ctx->report->profile = environment.profile != NULL;
    if (environment.trace) {
        ctx->report->trace = es_trace_create(&environment.trace_at);
        if (!ctx->report->trace) {
            return false;
        }
        ctx->report->trace_frame = environment.trace_at.frame;
    }
    if (environment.warps) {
        ctx->report->warps = es_warps_create();
        if (!ctx->report->warps) {
            return false;
        }
    }
    static bool registered; /* contexts are made under the device's lock or in one thread; twice would be harmless */
    if (!registered) {
        registered = true;
        atexit(write_at_exit);
    }
    return true;
}

void es_report_close(struct es_context *ctx) {
    struct es_report *report = ctx->report;
    if (!report) {
        return;
    }
    if (report->profile) {
        write_profile();
    }
    write_trace(report);
    write_warps(report);
    es_trace_destroy(report->trace);
    es_warps_destroy(report->warps);
    es_view_destroy(report->view);
    free(report);
    ctx->report = NULL;
}

void es_report_frame(struct es_context *ctx) {
    struct es_report *report = ctx->report;
    if (report && report->drawn) {
        report->drawn = false;
        if (report->frame == report->trace_frame) {
            write_trace(report);
        }
        report->frame++;
    }
}

void es_report_link(struct es_context *ctx, const struct es_program *program) {
    if (ctx->report && ctx->report->trace) {
        es_trace_link(ctx->report->trace, program);
    }
}

void es_end_frame(struct es_context *ctx) {
    es_report_frame(ctx);
}

/* ---- draws ---- */

static void describe(const struct es_context *ctx, struct profile_draw *out, const struct rn_framebuffer *target) {
    out->frame = ctx->report->frame;
    out->framebuffer = ctx->framebuffer->name;
    out->width = target->width;
    out->height = target->height;
}

/* Is each draw watched by itself? A recording alone wants them as they are: it is of the order in which they are shaded. */
static bool watches(struct es_context *ctx) {
    struct es_report *report = ctx->report;
    if (report->warps && !report->tapped) {
        report->tapped = true;
        rn_context_set_tap(ctx->renderer, es_warps_tap(report->warps));
    }
    return report->profile || report->trace || report->view;
}

enum vliw_status es_report_draw(struct es_context *ctx, const struct rn_draw_call *call, es_draw_fn draw) {
    struct es_report *report = ctx->report;
    uint64_t before[RN_COUNTER_COUNT], after[RN_COUNTER_COUNT];
    report->drawn = true;
    if (!watches(ctx)) {
        return draw(ctx, call);
    }
    listen(ctx);
    if (report->view) {
        es_view_begin_draw(report->view, &ctx->draw);
    }
    rn_context_counters(ctx->renderer, before);
    struct profile_draw row = {.kind = PROFILE_DRAW,
                               .mode = call->mode,
                               .count = call->count,
                               .instances = call->instances,
                               .begin_ns = profile_clock()};
    enum vliw_status status =
        report->trace ? es_trace_draw(report->trace, ctx, report->frame, call, draw) : draw(ctx, call);
    rn_context_counters(ctx->renderer, after);
    row.end_ns = profile_clock();
    rn_context_set_recorder(ctx->renderer, NULL);
    if (report->profile) {
        const struct es_exec *exec = ctx->program->exec;
        const struct vliw_program *code[2];
        rn_program_code(exec->program, code);
        describe(ctx, &row, ctx->draw.framebuffer);
        row.program = profile_program(exec->serial, ctx->program->base.name, ctx->program->base.label, code);
        for (unsigned i = 0; i < RN_COUNTER_COUNT; i++) {
            row.counters[i] = after[i] - before[i];
        }
        profile_add_draw(&row);
    }
    return status;
}

enum vliw_status es_report_clear(struct es_context *ctx, const struct rn_clear *clear) {
    struct es_report *report = ctx->report;
    report->drawn = true;
    if (!watches(ctx)) {
        return rn_clear(ctx->renderer, clear);
    }
    listen(ctx);
    struct profile_draw row = {.kind = PROFILE_CLEAR, .program = -1, .begin_ns = profile_clock()};
    const enum vliw_status status = report->trace ? es_trace_clear(report->trace, ctx, report->frame, clear)
                                                  : rn_clear(ctx->renderer, clear);
    rn_flush(ctx->renderer);
    row.end_ns = profile_clock();
    rn_context_set_recorder(ctx->renderer, NULL);
    if (report->profile) {
        describe(ctx, &row, clear->framebuffer);
        profile_add_draw(&row);
    }
    return status;
}

/* ---- views (vlgl.h) ---- */

int es_view_begin(struct es_context *ctx, int kind) {
    const struct es_surface *surface = ctx->draw_surface;
    if (kind < VLGL_VIEW_OVERDRAW || kind > VLGL_VIEW_TEXTURE_READS || !surface || !surface->color ||
        (!ctx->report && !report_create(ctx))) {
        return 0;
    }
    es_view_destroy(ctx->report->view);
    ctx->report->view = es_view_create(kind, surface->width, surface->height);
    return ctx->report->view != NULL;
}

static bool read_depth(struct es_context *ctx, uint32_t *values) {
    const struct es_surface *surface = ctx->draw_surface;
    const struct rn_image *image = surface ? surface->depth : NULL;
    if (!image) {
        return false;
    }
    es_run_pending(ctx);
    const struct rn_box box = {0, 0, 0, image->width, image->height, 1};
    rn_image_settle(image, NULL);
    rn_image_read(image, &box, RN_LAYOUT_D_U32, values, (size_t)image->width * sizeof *values);
    for (size_t i = 0; i < (size_t)image->width * image->height; i++) {
        values[i] >>= 8;
    }
    return true;
}

int es_view_read_values(struct es_context *ctx, uint32_t *values, int n) {
    struct es_report *report = ctx->report;
    struct es_view *view = report ? report->view : NULL;
    if (!view) {
        return 0;
    }
    const uint64_t count = (uint64_t)es_view_width(view) * es_view_height(view);
    bool ok = values && n >= 0 && (uint64_t)n >= count && count <= INT32_MAX;
    if (ok && es_view_kind(view) == VLGL_VIEW_DEPTH) {
        ok = ctx->draw_surface && ctx->draw_surface->width == es_view_width(view) &&
             ctx->draw_surface->height == es_view_height(view) && read_depth(ctx, values);
    } else if (ok) {
        es_view_read(view, values);
    }
    es_view_destroy(view);
    report->view = NULL;
    return ok ? (int)count : 0;
}
