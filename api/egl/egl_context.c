/* SPDX-License-Identifier: MIT */
/*
 * Contexts: creation with its attributes, making current, queries, waiting. SPEC: EGL 1.5 section 3.7,
 * EGL_KHR_create_context, EGL_EXT_create_context_robustness, EGL_KHR_create_context_no_error.
 */
#include <stdlib.h>

#include "api/egl/egl.h"

void egl_context_free(struct egl_context *context) {
    es_context_destroy(context->es);
    free(context);
}

/* Reads the attributes into 'c'; returns the error. */
static EGLint read_attribs(const EGLint *list, struct egl_context *c) {
    c->major = 1;
    c->priority = EGL_CONTEXT_PRIORITY_MEDIUM_IMG;
    for (; list && list[0] != EGL_NONE; list += 2) {
        EGLint value = list[1];
        switch (list[0]) {
        case EGL_CONTEXT_MAJOR_VERSION: /* = EGL_CONTEXT_CLIENT_VERSION */
            c->major = value;
            break;
        case EGL_CONTEXT_MINOR_VERSION:
            c->minor = value;
            break;
        case EGL_CONTEXT_FLAGS_KHR:
            if (value & ~(EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR | EGL_CONTEXT_OPENGL_ROBUST_ACCESS_BIT_KHR)) {
                return EGL_BAD_ATTRIBUTE;
            }
            c->debug |= (value & EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR) != 0;
            c->robust_access |= (value & EGL_CONTEXT_OPENGL_ROBUST_ACCESS_BIT_KHR) != 0;
            break;
        case EGL_CONTEXT_OPENGL_DEBUG:
            c->debug = value != EGL_FALSE;
            break;
        case EGL_CONTEXT_OPENGL_ROBUST_ACCESS:
        case EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT:
            c->robust_access = value != EGL_FALSE;
            break;
        case EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY:
        case EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT:
            if (value != EGL_NO_RESET_NOTIFICATION && value != EGL_LOSE_CONTEXT_ON_RESET) {
                return EGL_BAD_ATTRIBUTE;
            }
            c->lose_on_reset = value == EGL_LOSE_CONTEXT_ON_RESET;
            break;
        case EGL_CONTEXT_OPENGL_NO_ERROR_KHR:
            c->no_error = value != EGL_FALSE;
            break;
        case EGL_CONTEXT_PRIORITY_LEVEL_IMG:
            if (value < EGL_CONTEXT_PRIORITY_HIGH_IMG || value > EGL_CONTEXT_PRIORITY_LOW_IMG) {
                return EGL_BAD_ATTRIBUTE;
            }
            c->priority = value;
            break;
        default:
            return EGL_BAD_ATTRIBUTE;
        }
    }
    if (c->no_error && (c->debug || c->robust_access)) {
        return EGL_BAD_MATCH;
    }
    return c->major == 2 && c->minor == 0 ? EGL_SUCCESS : EGL_BAD_MATCH;
}

static EGLint create_context(struct egl_display *display, EGLConfig config, EGLContext share, const EGLint *list,
                             struct egl_context **out) {
    const struct egl_config *c = egl_config_get(config);
    if (!c && config != EGL_NO_CONFIG_KHR) {
        return EGL_BAD_CONFIG;
    }
    struct egl_context *shared = NULL;
    if (share != EGL_NO_CONTEXT) {
        shared = (struct egl_context *)egl_object_find(display, EGLI_CONTEXT, share);
        if (!shared) {
            return EGL_BAD_CONTEXT;
        }
    }
    struct egl_context wanted = {.config = c};
    EGLint error = read_attribs(list, &wanted);
    if (error == EGL_SUCCESS && shared &&
        (shared->lose_on_reset != wanted.lose_on_reset || shared->no_error != wanted.no_error)) {
        error = EGL_BAD_MATCH;
    }
    if (error != EGL_SUCCESS) {
        return error;
    }
    struct egl_context *context = malloc(sizeof *context);
    if (!context) {
        return EGL_BAD_ALLOC;
    }
    *context = wanted;
    struct es_context_desc desc = {.share = shared ? shared->es : NULL,
                                   .debug = wanted.debug,
                                   .robust_access = wanted.robust_access,
                                   .lose_on_reset = wanted.lose_on_reset,
                                   .no_error = wanted.no_error};
    context->es = es_context_create(&desc);
    if (!context->es) {
        free(context);
        return EGL_BAD_ALLOC;
    }
    egl_object_add(display, EGLI_CONTEXT, &context->object);
    *out = context;
    return EGL_SUCCESS;
}

EGLAPI EGLContext EGLAPIENTRY eglCreateContext(EGLDisplay handle, EGLConfig config, EGLContext share, const EGLint *list) {
    struct egl_context *context = NULL;
    egl_lock();
    struct egl_display *display = egl_display_initialised(handle);
    if (display) {
        egl_thread()->error = create_context(display, config, share, list, &context);
    }
    egl_unlock();
    return context;
}
ES_EXPORT(eglCreateContext);

/* With the lock held: the context of a handle, or the error set and NULL. */
static struct egl_context *find_context(EGLDisplay handle, EGLContext context) {
    struct egl_display *display = egl_display_initialised(handle);
    struct egl_object *object = display ? egl_object_find(display, EGLI_CONTEXT, context) : NULL;
    if (display && !object) {
        egl_fail(EGL_BAD_CONTEXT);
    }
    return (struct egl_context *)object;
}

EGLAPI EGLBoolean EGLAPIENTRY eglDestroyContext(EGLDisplay handle, EGLContext context) {
    egl_lock();
    struct egl_context *c = find_context(handle, context);
    if (c) {
        egl_object_destroy(&c->object);
    }
    egl_unlock();
    return c ? egl_succeed() : EGL_FALSE;
}
ES_EXPORT(eglDestroyContext);

/* ---- current -------------------------------------------------------------------------------------------------- */

static bool compatible(const struct egl_context *context, const struct egl_surface *surface) {
    const struct egl_config *c = context->config, *s = surface->config;
    return !c || c == s ||
           (c->color_format == s->color_format && c->depth_format == s->depth_format && c->stencil == s->stencil &&
            c->samples == s->samples);
}

/* Checks of eglMakeCurrent with all objects found; returns the error. */
static EGLint check_current(const struct egl_thread *t, const struct egl_context *context, const struct egl_surface *draw,
                            const struct egl_surface *read) {
    if (!draw != !read) {
        return EGL_BAD_MATCH; /* surfaceless means neither */
    }
    if (context->object.current && t->context != context) {
        return EGL_BAD_ACCESS;
    }
    const struct egl_surface *surfaces[2] = {draw, read};
    for (int i = 0; i < 2 && draw; i++) {
        const struct egl_surface *s = surfaces[i];
        uint32_t mine = (uint32_t)(t->draw == s) + (uint32_t)(t->read == s);
        if (s->object.current > mine) {
            return EGL_BAD_ACCESS;
        }
        if (!compatible(context, s)) {
            return EGL_BAD_MATCH;
        }
        if (s->es.texture) {
            return EGL_BAD_ACCESS;
        }
    }
    return EGL_SUCCESS;
}

static void hold(struct egl_object *object, int change) {
    if (object) {
        object->current = (uint32_t)((int)object->current + change);
    }
}

/* Makes the (checked) objects current, releases the old ones. With the lock held. */
static void switch_current(struct egl_thread *t, struct egl_context *context, struct egl_surface *draw,
                           struct egl_surface *read) {
    struct egl_object *old[3] = {(struct egl_object *)t->context, (struct egl_object *)t->draw, (struct egl_object *)t->read};
    hold((struct egl_object *)context, 1);
    hold((struct egl_object *)draw, 1);
    hold((struct egl_object *)read, 1);
    es_make_current(context ? context->es : NULL, draw ? &draw->es : NULL, read ? &read->es : NULL);
    t->context = context;
    t->draw = draw;
    t->read = read;
    for (int i = 0; i < 3; i++) {
        hold(old[i], -1);
    }
    bool same = old[1] == old[2];
    for (int i = 0; i < 3; i++) {
        if (old[i] && !(i == 2 && same)) {
            egl_object_settle(old[i]);
        }
    }
}

/* Finds the objects of eglMakeCurrent and switches; returns the error. With the lock held. */
static EGLint make_current(EGLDisplay handle, EGLSurface draw, EGLSurface read, EGLContext context) {
    struct egl_thread *t = egl_thread();
    bool release = context == EGL_NO_CONTEXT && draw == EGL_NO_SURFACE && read == EGL_NO_SURFACE;
    struct egl_display *display = egl_display_get(handle);
    if (!display) {
        return EGL_BAD_DISPLAY;
    }
    if (release) { /* allowed on a display that is not initialised any more */
        switch_current(t, NULL, NULL, NULL);
        return EGL_SUCCESS;
    }
    if (!display->initialised) {
        return EGL_NOT_INITIALIZED;
    }
    struct egl_context *c = (struct egl_context *)egl_object_find(display, EGLI_CONTEXT, context);
    struct egl_surface *d = (struct egl_surface *)egl_object_find(display, EGLI_SURFACE, draw);
    struct egl_surface *r = (struct egl_surface *)egl_object_find(display, EGLI_SURFACE, read);
    if ((draw != EGL_NO_SURFACE && !d) || (read != EGL_NO_SURFACE && !r)) {
        return EGL_BAD_SURFACE;
    }
    if (context == EGL_NO_CONTEXT) {
        return EGL_BAD_MATCH;
    }
    if (!c) {
        return EGL_BAD_CONTEXT;
    }
    EGLint error = check_current(t, c, d, r);
    if (error == EGL_SUCCESS) {
        switch_current(t, c, d, r);
    }
    return error;
}

EGLAPI EGLBoolean EGLAPIENTRY eglMakeCurrent(EGLDisplay handle, EGLSurface draw, EGLSurface read, EGLContext context) {
    egl_lock();
    EGLint error = make_current(handle, draw, read, context);
    egl_thread()->error = error;
    egl_unlock();
    return error == EGL_SUCCESS;
}
ES_EXPORT(eglMakeCurrent);

EGLAPI EGLBoolean EGLAPIENTRY eglReleaseThread(void) {
    egl_lock();
    struct egl_thread *t = egl_thread();
    if (t->context) {
        switch_current(t, NULL, NULL, NULL);
    }
    t->api = EGL_OPENGL_ES_API;
    t->error = EGL_SUCCESS;
    egl_unlock();
    return EGL_TRUE;
}
ES_EXPORT(eglReleaseThread);

EGLAPI EGLContext EGLAPIENTRY eglGetCurrentContext(void) {
    egl_succeed();
    return egl_thread()->context;
}
ES_EXPORT(eglGetCurrentContext);

EGLAPI EGLDisplay EGLAPIENTRY eglGetCurrentDisplay(void) {
    const struct egl_thread *t = egl_thread();
    egl_succeed();
    return t->context ? t->context->object.display : EGL_NO_DISPLAY;
}
ES_EXPORT(eglGetCurrentDisplay);

EGLAPI EGLSurface EGLAPIENTRY eglGetCurrentSurface(EGLint which) {
    if (which != EGL_DRAW && which != EGL_READ) {
        return egl_fail_handle(EGL_BAD_PARAMETER);
    }
    egl_succeed();
    return which == EGL_DRAW ? egl_thread()->draw : egl_thread()->read;
}
ES_EXPORT(eglGetCurrentSurface);

static bool context_value(const struct egl_context *c, EGLint attribute, EGLint *value) {
    switch (attribute) {
    case EGL_CONFIG_ID: *value = c->config ? c->config->id : 0; return true;
    case EGL_CONTEXT_CLIENT_TYPE: *value = EGL_OPENGL_ES_API; return true;
    case EGL_CONTEXT_CLIENT_VERSION: *value = 2; return true;
    case EGL_RENDER_BUFFER: {
        const struct egl_thread *t = egl_thread();
        *value = t->context == c && t->draw ? EGL_BACK_BUFFER : EGL_NONE;
        return true;
    }
    case EGL_CONTEXT_PRIORITY_LEVEL_IMG: *value = c->priority; return true;
    case EGL_CONTEXT_OPENGL_NO_ERROR_KHR: *value = c->no_error; return true;
    default: return false;
    }
}

EGLAPI EGLBoolean EGLAPIENTRY eglQueryContext(EGLDisplay handle, EGLContext context, EGLint attribute, EGLint *value) {
    EGLBoolean ok = EGL_FALSE;
    EGLint result;
    egl_lock();
    struct egl_context *c = find_context(handle, context);
    if (c && !context_value(c, attribute, &result)) {
        egl_fail(EGL_BAD_ATTRIBUTE);
    } else if (c && !value) {
        egl_fail(EGL_BAD_PARAMETER);
    } else if (c) {
        *value = result;
        ok = egl_succeed();
    }
    egl_unlock();
    return ok;
}
ES_EXPORT(eglQueryContext);

EGLAPI EGLBoolean EGLAPIENTRY eglWaitClient(void) {
    struct egl_thread *t = egl_thread();
    uint32_t width, height;
    if (t->context) {
        es_flush(t->context->es);
    }
    if (t->draw && t->draw->window && !egl_window_size(t->draw->window, &width, &height)) {
        return egl_fail(EGL_BAD_NATIVE_WINDOW); /* the answer says also that the server has all pictures */
    }
    return egl_succeed();
}
ES_EXPORT(eglWaitClient);

EGLAPI EGLBoolean EGLAPIENTRY eglWaitGL(void) { return eglWaitClient(); }
ES_EXPORT(eglWaitGL);

EGLAPI EGLBoolean EGLAPIENTRY eglWaitNative(EGLint engine) {
    return engine == EGL_CORE_NATIVE_ENGINE ? egl_succeed() : egl_fail(EGL_BAD_PARAMETER);
}
ES_EXPORT(eglWaitNative);
