/* SPDX-License-Identifier: MIT */
/*
 * Contexts: creation, destruction, the current context of a thread, the share group, the
 * process-wide renderer device, what happens when a shader faults, and fork. Serials come from one
 * process-wide counter, so that equal serials always mean equal state.
 */
#include "api/context.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/entry.h"
#include "api/environment.h"
#include "api/state.h"

static _Thread_local struct es_context *current_context;

static pthread_mutex_t device_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct rn_device *device;
static unsigned device_users;

static atomic_uint_fast64_t next_serial = 1;

uint64_t es_next_serial(void) {
    return atomic_fetch_add_explicit(&next_serial, 1, memory_order_relaxed);
}

uint64_t es_context_serial(struct es_context *ctx) {
    enum { BLOCK = 256 };
    if (ctx->serial == ctx->serial_end) {
        ctx->serial = atomic_fetch_add_explicit(&next_serial, BLOCK, memory_order_relaxed);
        ctx->serial_end = ctx->serial + BLOCK;
    }
    return ctx->serial++;
}

/* ---- device ---------------------------------------------------------------------------------- */

static struct rn_device *device_get_locked(void) {
    if (!device) {
        struct es_environment environment;
        if (!es_environment_read(&environment)) {
            device = rn_device_create(environment.threads);
        }
    }
    return device;
}

struct rn_device *es_device_get(void) {
    pthread_mutex_lock(&device_mutex);
    struct rn_device *result = device_get_locked();
    pthread_mutex_unlock(&device_mutex);
    return result;
}

bool es_device_release(void) {
    pthread_mutex_lock(&device_mutex);
    bool unused = device_users == 0;
    if (unused) {
        rn_device_destroy(device);
        device = NULL;
    }
    pthread_mutex_unlock(&device_mutex);
    return unused;
}

static struct rn_context *device_context_create(void) {
    pthread_mutex_lock(&device_mutex);
    struct rn_device *d = device_get_locked();
    struct rn_context *renderer = d ? rn_context_create(d) : NULL;
    if (renderer) {
        device_users++;
    }
    pthread_mutex_unlock(&device_mutex);
    return renderer;
}

static void device_context_destroy(struct rn_context *renderer) {
    if (!renderer) {
        return;
    }
    rn_context_destroy(renderer);
    pthread_mutex_lock(&device_mutex);
    device_users--;
    pthread_mutex_unlock(&device_mutex);
}

/* ---- share groups ---------------------------------------------------------------------------- */

/* All groups of the process, for fork. Its mutex is taken before that of any group. */
static pthread_mutex_t share_list_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct es_share *share_list;

/* Recursive: a debug callback that calls GL, though undefined, must not hang. */
static bool share_mutex_init(struct es_share *share) {
    pthread_mutexattr_t attributes;
    bool ok = pthread_mutexattr_init(&attributes) == 0;
    if (ok) {
        pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
        ok = pthread_mutex_init(&share->mutex, &attributes) == 0;
        pthread_mutexattr_destroy(&attributes);
    }
    return ok;
}

static struct es_share *share_create(void) {
    struct es_share *share = calloc(1, sizeof *share);
    if (!share) {
        return NULL;
    }
    if (!share_mutex_init(share)) {
        free(share);
        return NULL;
    }
    share->refs = 1;
    pthread_mutex_lock(&share_list_mutex);
    share->next = share_list;
    share_list = share;
    pthread_mutex_unlock(&share_list_mutex);
    return share;
}

static void share_unlist(struct es_share *share) {
    pthread_mutex_lock(&share_list_mutex);
    struct es_share **link = &share_list;
    while (*link != share) {
        link = &(*link)->next;
    }
    *link = share->next;
    pthread_mutex_unlock(&share_list_mutex);
}

/* Drops the references that names hold; everything else has been unbound by then. */
static void share_destroy(struct es_share *share) {
    share_unlist(share);
    uint32_t i = 0;
    void *object;
    while ((object = es_names_next(&share->buffers, &i)) != NULL) {
        es_buffer_unref(object);
    }
    i = 0;
    while ((object = es_names_next(&share->textures, &i)) != NULL) {
        struct es_texture *texture = object;
        es_texture_release_surface(share, texture);
        es_texture_unref(texture);
    }
    i = 0;
    while ((object = es_names_next(&share->renderbuffers, &i)) != NULL) {
        es_renderbuffer_unref(object);
    }
    /* Programs before shaders: a flagged shader goes with its last program and leaves the table. */
    for (unsigned kind = ES_KIND_PROGRAM + 1; kind-- > 0;) {
        bool again = true;
        while (again) {
            again = false;
            i = 0;
            while ((object = es_names_next(&share->programs, &i)) != NULL) {
                struct es_shader_base *base = object;
                if (base->kind == kind && !base->deleted) {
                    base->deleted = true;
                    es_shader_base_unref(share, base);
                    again = true; /* the table changed: start over */
                    break;
                }
            }
        }
    }
    es_names_fini(&share->buffers);
    es_names_fini(&share->textures);
    es_names_fini(&share->renderbuffers);
    es_names_fini(&share->programs);
    pthread_mutex_destroy(&share->mutex);
    free(share);
}

/* ---- fork -------------------------------------------------------------------------------------
 * Only the calling thread exists in the child. So that no lock and no object is left half way by the others, fork
 * waits until they are between two calls; the child makes the locks anew, because it is no thread that took them.
 */

void es_fork_prepare(void) {
    pthread_mutex_lock(&share_list_mutex);
    for (struct es_share *share = share_list; share; share = share->next) {
        pthread_mutex_lock(&share->mutex);
    }
    es_images_lock();
    pthread_mutex_lock(&device_mutex);
    if (device) {
        rn_device_hold(device);
    }
}

void es_fork_parent(void) {
    if (device) {
        rn_device_release(device);
    }
    pthread_mutex_unlock(&device_mutex);
    es_images_unlock();
    for (struct es_share *share = share_list; share; share = share->next) {
        pthread_mutex_unlock(&share->mutex);
    }
    pthread_mutex_unlock(&share_list_mutex);
}

void es_fork_child(void) {
    pthread_mutex_init(&device_mutex, NULL);
    es_images_unlock();
    for (struct es_share *share = share_list; share; share = share->next) {
        share_mutex_init(share);
    }
    pthread_mutex_init(&share_list_mutex, NULL);
}

/* ---- creation and destruction ---------------------------------------------------------------- */

static void context_init_defaults(struct es_context *ctx) {
    es_state_init(&ctx->state);
    ctx->state.debug_output = ctx->desc.debug;
    for (unsigned i = 0; i < ES_MAX_ATTRIBS; i++) {
        ctx->current_attrib[i][3] = 1.0f;
    }
    es_vao_init(&ctx->default_vao, 0);
    ctx->vao = &ctx->default_vao;
    ctx->default_framebuffer.draw_buffers[0] = GL_BACK;
    ctx->framebuffer = &ctx->default_framebuffer;
    ctx->dirty = ES_DIRTY_ALL;
    snprintf(ctx->renderer_name, sizeof ctx->renderer_name, "VL-IW interpreter (%s, %u threads)",
             vliw_simd_name(vliw_simd_level()), rn_device_threads(es_device_get()));
}

static bool context_init_textures(struct es_context *ctx) {
    static const GLenum targets[ES_TEX_COUNT] = {GL_TEXTURE_2D, GL_TEXTURE_CUBE_MAP,
                                                 GL_TEXTURE_3D_OES};
    for (unsigned t = 0; t < ES_TEX_COUNT; t++) {
        struct es_texture *texture = es_texture_create(0);
        if (!texture || !es_texture_set_target(texture, targets[t])) {
            es_texture_unref(texture);
            return false;
        }
        ctx->default_textures[t] = texture;
        for (unsigned u = 0; u < ES_MAX_UNITS; u++) {
            ctx->textures[u][t] = es_texture_ref(texture);
        }
    }
    return true;
}

struct es_context *es_context_create(const struct es_context_desc *desc) {
    struct es_environment environment;
    if (es_environment_read(&environment)) {
        return NULL;
    }
    struct es_context *ctx = calloc(1, sizeof *ctx);
    if (!ctx) {
        return NULL;
    }
    ctx->desc = *desc;
    if (desc->share) {
        ctx->share = desc->share->share;
        es_lock(ctx);
        ctx->share->refs++;
        es_unlock(ctx);
    } else {
        ctx->share = share_create();
    }
    ctx->desc.share = NULL;
    ctx->renderer = ctx->share ? device_context_create() : NULL;
    if (!ctx->renderer) {
        goto fail;
    }
    rn_context_set_budget(ctx->renderer, environment.budget);
    rn_context_set_narrow(ctx->renderer, environment.narrow);
    context_init_defaults(ctx);
    if (!context_init_textures(ctx) || !es_report_open(ctx)) {
        goto fail;
    }
    return ctx;
fail:
    es_context_destroy(ctx);
    return NULL;
}

static void context_release_objects(struct es_context *ctx) {
    es_program_use(ctx, NULL);
    es_buffer_bind(&ctx->array_buffer, NULL);
    es_renderbuffer_unref(ctx->renderbuffer);
    for (unsigned t = 0; t < ES_TEX_COUNT; t++) {
        for (unsigned u = 0; u < ES_MAX_UNITS; u++) {
            es_texture_unref(ctx->textures[u][t]);
        }
        if (ctx->default_textures[t]) {
            es_texture_release_surface(ctx->share, ctx->default_textures[t]);
        }
        es_texture_unref(ctx->default_textures[t]);
    }
    uint32_t i = 0;
    void *object;
    while ((object = es_names_next(&ctx->framebuffers, &i)) != NULL) {
        es_framebuffer_destroy(object);
    }
    i = 0;
    while ((object = es_names_next(&ctx->vaos, &i)) != NULL) {
        es_vao_fini(object);
        free(object);
    }
    es_vao_fini(&ctx->default_vao);
    es_names_fini(&ctx->framebuffers);
    es_names_fini(&ctx->vaos);
    es_queries_fini(ctx);
}

void es_context_destroy(struct es_context *ctx) {
    if (!ctx) {
        return;
    }
    es_report_close(ctx);
    if (ctx->share) {
        es_lock(ctx);
        context_release_objects(ctx);
        bool last = --ctx->share->refs == 0;
        es_unlock(ctx);
        if (last) {
            share_destroy(ctx->share);
        }
    }
    device_context_destroy(ctx->renderer);
    es_debug_fini(ctx);
    free(ctx);
}

/* ---- the current context --------------------------------------------------------------------- */

struct es_context *es_get_current(void) {
    return current_context;
}

void es_make_current(struct es_context *ctx, struct es_surface *draw, struct es_surface *read) {
    struct es_context *old = current_context;
    if (old && (old != ctx || old->draw_surface != draw)) {
        es_flush(old);
    }
    if (old && old != ctx) {
        old->draw_surface = NULL;
        old->read_surface = NULL;
        old->dirty |= ES_DIRTY_FRAMEBUFFER;
    }
    current_context = ctx;
    if (!ctx) {
        return;
    }
    ctx->draw_surface = draw;
    ctx->read_surface = read;
    ctx->dirty |= ES_DIRTY_FRAMEBUFFER | ES_DIRTY_RASTER;
    if (!ctx->was_current) {
        ctx->was_current = true;
        if (draw) {
            ctx->state.viewport[2] = ctx->state.scissor[2] = (GLint)draw->width;
            ctx->state.viewport[3] = ctx->state.scissor[3] = (GLint)draw->height;
        }
    }
}

/* ---- flushing and faults --------------------------------------------------------------------- */

bool es_context_is_lost(const struct es_context *ctx) {
    return ctx->lost;
}

const char *es_context_lost_message(const struct es_context *ctx) {
    return ctx->lost ? rn_context_fault(ctx->renderer)->message : NULL;
}

void es_check_fault(struct es_context *ctx) {
    const struct rn_fault *fault = rn_context_fault(ctx->renderer);
    if (fault->status == VLIW_OK || ctx->lost) {
        return;
    }
    if (fault->status == VLIW_ERR_MEMORY) {
        es_set_error(ctx, GL_OUT_OF_MEMORY, "the renderer is out of memory: %s", fault->message);
    }
    ctx->lost = true;
    es_debug_lost(ctx, fault->message);
}

bool es_run_pending(struct es_context *ctx) {
    if (!ctx->lost) {
        rn_flush(ctx->renderer);
        es_check_fault(ctx);
    }
    return !ctx->lost;
}

void es_flush(struct es_context *ctx) {
    if (es_run_pending(ctx) && ctx->framebuffer->has_multisample) {
        es_lock(ctx);
        es_msaa_resolve(ctx, ctx->framebuffer);
        es_unlock(ctx);
    }
}

void es_finish(struct es_context *ctx) {
    es_flush(ctx);
    es_report_frame(ctx);
}

void es_set_tap(struct es_context *ctx, const struct vliw_tap *tap) {
    rn_context_set_tap(ctx->renderer, tap);
    es_check_fault(ctx);
}

int es_get_counters(struct es_context *ctx, uint64_t *values, int n) {
    uint64_t now[RN_COUNTER_COUNT];
    rn_context_counters(ctx->renderer, now);
    es_check_fault(ctx);
    uint64_t out[2 + RN_COUNTER_COUNT];
    out[0] = now[RN_COUNTER_TRIANGLES_IN] - ctx->counters_seen[RN_COUNTER_TRIANGLES_IN];
    out[1] = now[RN_COUNTER_FRAGMENTS] - ctx->counters_seen[RN_COUNTER_FRAGMENTS];
    for (unsigned i = 0; i < RN_COUNTER_COUNT; i++) {
        out[2 + i] = now[i] - ctx->counters_seen[i];
        ctx->counters_seen[i] = now[i];
    }
    int written = 0;
    for (; values && written < n && written < 2 + RN_COUNTER_COUNT; written++) {
        values[written] = out[written];
    }
    return written;
}
