/* SPDX-License-Identifier: MIT */
/*
 * Windows: of an X server, or off-screen on the headless displays, where window 0 is a surface of a size of
 * its own (VLGL_WINDOW) and no other window exists. Swapping and copying; the calls for pixmaps and client
 * buffers, which have nothing to work on. SPEC: EGL 1.5 sections 3.5.1, 3.5.4, 3.10.
 */
#include "api/egl/egl.h"

/* Reads a window's attributes; returns the error. */
static EGLint read_attribs(const struct egl_attribs *list, const struct egl_config *config, EGLint *colorspace) {
    *colorspace = EGL_GL_COLORSPACE_LINEAR;
    for (unsigned i = 0; egl_attrib_at(list, i) != EGL_NONE; i += 2) {
        const EGLAttrib value = egl_attrib_at(list, i + 1);
        switch (egl_attrib_at(list, i)) {
        case EGL_RENDER_BUFFER: /* a wish: drawing goes to the back buffer in any case */
            if (value != EGL_BACK_BUFFER && value != EGL_SINGLE_BUFFER) {
                return EGL_BAD_ATTRIBUTE;
            }
            break;
        case EGL_GL_COLORSPACE:
            if (value != EGL_GL_COLORSPACE_LINEAR && value != EGL_GL_COLORSPACE_SRGB) {
                return EGL_BAD_ATTRIBUTE;
            }
            *colorspace = (EGLint)value;
            break;
        case EGL_VG_COLORSPACE:
        case EGL_VG_ALPHA_FORMAT:
            break;
        default:
            return EGL_BAD_ATTRIBUTE;
        }
    }
    const bool srgb = *colorspace == EGL_GL_COLORSPACE_SRGB;
    return srgb && (config->red != 8 || config->alpha != 8) ? EGL_BAD_MATCH : EGL_SUCCESS;
}

static EGLint window_error(enum egl_window_result result) {
    switch (result) {
    case EGL_WINDOW_OK: return EGL_SUCCESS;
    case EGL_WINDOW_BAD_NATIVE: return EGL_BAD_NATIVE_WINDOW;
    case EGL_WINDOW_BAD_MATCH: return EGL_BAD_MATCH;
    default: return EGL_BAD_ALLOC;
    }
}

/* A window has one surface at a time. */
static bool has_surface(const struct egl_display *display, uint32_t id) {
    for (const struct egl_object *o = display->objects[EGLI_SURFACE]; o; o = o->next) {
        const struct egl_surface *s = (const struct egl_surface *)o;
        if (s->window && egl_window_id(s->window) == id) {
            return true;
        }
    }
    return false;
}

static EGLint make_window(struct egl_display *display, const struct egl_config *config, uintptr_t id,
                          const struct egl_attribs *list, struct egl_surface **out) {
    EGLint colorspace;
    EGLint error = read_attribs(list, config, &colorspace);
    if (error != EGL_SUCCESS) {
        return error;
    }
    if (!(egl_config_surface_types(display, config) & EGL_WINDOW_BIT)) {
        return EGL_BAD_MATCH;
    }
    struct egl_window *window = NULL;
    uint32_t width = display->window_width, height = display->window_height;
    if (display->x11) {
        if (id > UINT32_MAX) {
            return EGL_BAD_NATIVE_WINDOW;
        }
        if (has_surface(display, (uint32_t)id)) {
            return EGL_BAD_ALLOC;
        }
        error = window_error(egl_window_create(display->x11, (uint32_t)id, &window, &width, &height));
    } else if (id) {
        error = EGL_BAD_NATIVE_WINDOW;
    }
    if (error != EGL_SUCCESS) {
        return error;
    }
    struct egl_surface *surface = egl_surface_make(config, colorspace, width, height);
    if (!surface) {
        egl_window_destroy(window);
        return EGL_BAD_ALLOC;
    }
    surface->is_window = true;
    surface->swap_behavior = EGL_BUFFER_DESTROYED; /* the usual default; what is drawn is kept in any case */
    surface->window = window;
    egl_object_add(display, EGLI_SURFACE, &surface->object);
    *out = surface;
    return EGL_SUCCESS;
}

/* 'id' is the window, or where it lies if 'indirect' (platform calls). */
static EGLSurface create_window(EGLDisplay handle, EGLConfig config, uintptr_t id, bool indirect,
                                const struct egl_attribs *list) {
    struct egl_surface *surface = NULL;
    egl_lock();
    struct egl_display *display = egl_display_initialised(handle);
    if (display) {
        const struct egl_config *c = egl_config_get(config);
        if (indirect && id && display->platform == EGLI_X11) {
            id = *(const unsigned long *)id;
        } else if (indirect && id && display->platform == EGLI_XCB) {
            id = *(const uint32_t *)id;
        }
        /* EGL_MESA_platform_surfaceless wants this error before any other, but for window 0 with a config. */
        const EGLint bad = indirect && display->platform == EGLI_SURFACELESS ? EGL_BAD_NATIVE_WINDOW : EGL_BAD_CONFIG;
        egl_thread()->error = c ? make_window(display, c, id, list, &surface) : bad;
    }
    egl_unlock();
    return surface;
}

EGLAPI EGLSurface EGLAPIENTRY eglCreateWindowSurface(EGLDisplay d, EGLConfig c, EGLNativeWindowType w, const EGLint *a) {
    const struct egl_attribs list = {NULL, a};
    return create_window(d, c, (uintptr_t)w, false, &list);
}
ES_EXPORT(eglCreateWindowSurface);

EGLAPI EGLSurface EGLAPIENTRY eglCreatePlatformWindowSurface(EGLDisplay d, EGLConfig c, void *w, const EGLAttrib *a) {
    const struct egl_attribs list = {a, NULL};
    return create_window(d, c, (uintptr_t)w, true, &list);
}
ES_EXPORT(eglCreatePlatformWindowSurface);

EGLAPI EGLSurface EGLAPIENTRY eglCreatePlatformWindowSurfaceEXT(EGLDisplay d, EGLConfig c, void *w, const EGLint *a) {
    const struct egl_attribs list = {NULL, a};
    return create_window(d, c, (uintptr_t)w, true, &list);
}
ES_EXPORT(eglCreatePlatformWindowSurfaceEXT);

/* ---- surfaces that do not exist ----------------------------------------------------------------------------- */

/* No config has EGL_PIXMAP_BIT, so a valid one is a bad match (EGL 1.5 section 3.5.4). */
static EGLSurface no_pixmap_surface(EGLDisplay handle, EGLConfig config, bool platform_call) {
    egl_lock();
    struct egl_display *display = egl_display_initialised(handle);
    egl_unlock();
    if (!display) {
        return EGL_NO_SURFACE;
    }
    if (platform_call && display->platform == EGLI_SURFACELESS) {
        return egl_fail_handle(EGL_BAD_NATIVE_PIXMAP);
    }
    return egl_fail_handle(egl_config_get(config) ? EGL_BAD_MATCH : EGL_BAD_CONFIG);
}

EGLAPI EGLSurface EGLAPIENTRY eglCreatePixmapSurface(EGLDisplay d, EGLConfig c, EGLNativePixmapType p, const EGLint *a) {
    (void)p;
    (void)a;
    return no_pixmap_surface(d, c, false);
}
ES_EXPORT(eglCreatePixmapSurface);

EGLAPI EGLSurface EGLAPIENTRY eglCreatePlatformPixmapSurface(EGLDisplay d, EGLConfig c, void *p, const EGLAttrib *a) {
    (void)p;
    (void)a;
    return no_pixmap_surface(d, c, true);
}
ES_EXPORT(eglCreatePlatformPixmapSurface);

EGLAPI EGLSurface EGLAPIENTRY eglCreatePlatformPixmapSurfaceEXT(EGLDisplay d, EGLConfig c, void *p, const EGLint *a) {
    (void)p;
    (void)a;
    return no_pixmap_surface(d, c, true);
}
ES_EXPORT(eglCreatePlatformPixmapSurfaceEXT);

EGLAPI EGLSurface EGLAPIENTRY eglCreatePbufferFromClientBuffer(EGLDisplay handle, EGLenum type, EGLClientBuffer buffer,
                                                               EGLConfig config, const EGLint *list) {
    (void)type; /* OpenVG images are the only client buffers, and there is no OpenVG */
    (void)buffer;
    (void)config;
    (void)list;
    egl_lock();
    struct egl_display *display = egl_display_initialised(handle);
    egl_unlock();
    return display ? egl_fail_handle(EGL_BAD_PARAMETER) : EGL_NO_SURFACE;
}
ES_EXPORT(eglCreatePbufferFromClientBuffer);

/* ---- swapping and copying --------------------------------------------------------------------------------------- */

/*
 * Shows the surface, which is current on this thread and so stays while we work on it without the lock. A
 * window that was resized is followed first (3.10.1.1).
 */
static EGLint show(struct egl_context *context, struct egl_surface *s) {
    uint32_t width, height;
    if (!egl_window_size(s->window, &width, &height)) {
        return EGL_BAD_NATIVE_WINDOW;
    }
    if (width != s->es.width || height != s->es.height) {
        s->swapped = false;
        if (!es_surface_resize(context->es, &s->es, width, height)) {
            return EGL_BAD_ALLOC;
        }
    }
    const struct rn_image *image = es_surface_pixels(context->es, &s->es);
    return image && egl_window_present(s->window, image, height) ? EGL_SUCCESS : EGL_BAD_ALLOC;
}

/* With the lock held: the thread's draw surface by its handle; else 'error' is set and NULL. */
static struct egl_surface *draw_surface(EGLDisplay handle, EGLSurface surface, EGLint error) {
    struct egl_surface *s = egl_surface_find(handle, surface);
    if (s && s != egl_thread()->draw) {
        egl_fail(error);
        return NULL;
    }
    return s;
}

/* Pbuffers and off-screen windows have one buffer: swapping has no effect but that of glFlush. */
EGLAPI EGLBoolean EGLAPIENTRY eglSwapBuffers(EGLDisplay handle, EGLSurface surface) {
    egl_lock();
    struct egl_surface *s = draw_surface(handle, surface, EGL_BAD_SURFACE);
    egl_unlock();
    if (!s) {
        return EGL_FALSE;
    }
    struct egl_thread *t = egl_thread();
    if (s->window) {
        egl_window_ask(s->window);
    }
    es_flush_surface(t->context->es, &s->es);
    es_end_frame(t->context->es);
    EGLint error = es_context_is_lost(t->context->es) ? EGL_CONTEXT_LOST : EGL_SUCCESS;
    s->swapped = true;
    s->age_asked = false;
    s->damage_set = false;
    if (error == EGL_SUCCESS && s->window) {
        error = show(t->context, s);
    }
    return error == EGL_SUCCESS ? egl_succeed() : egl_fail(error);
}
ES_EXPORT(eglSwapBuffers);

/* The damage is a hint about what changed; everything is shown. */
EGLAPI EGLBoolean EGLAPIENTRY eglSwapBuffersWithDamageKHR(EGLDisplay handle, EGLSurface surface, const EGLint *rects, EGLint n) {
    if (n < 0 || (n > 0 && !rects)) {
        return egl_fail(EGL_BAD_PARAMETER);
    }
    return eglSwapBuffers(handle, surface);
}
ES_EXPORT(eglSwapBuffersWithDamageKHR);

EGLAPI EGLBoolean EGLAPIENTRY eglSwapBuffersWithDamageEXT(EGLDisplay handle, EGLSurface surface, const EGLint *rects, EGLint n) {
    return eglSwapBuffersWithDamageKHR(handle, surface, rects, n);
}
ES_EXPORT(eglSwapBuffersWithDamageEXT);

/* EGL_KHR_partial_update: a promise to draw only there. Nothing is gained from it, so only its rules are kept. */
EGLAPI EGLBoolean EGLAPIENTRY eglSetDamageRegionKHR(EGLDisplay handle, EGLSurface surface, EGLint *rects, EGLint n) {
    EGLBoolean ok = EGL_FALSE;
    egl_lock();
    struct egl_surface *s = draw_surface(handle, surface, EGL_BAD_MATCH);
    if (s && (!s->is_window || s->swap_behavior != EGL_BUFFER_DESTROYED)) {
        egl_fail(EGL_BAD_MATCH);
    } else if (s && (n < 0 || (n > 0 && !rects))) {
        egl_fail(EGL_BAD_PARAMETER);
    } else if (s && (s->damage_set || !s->age_asked)) {
        egl_fail(EGL_BAD_ACCESS);
    } else if (s) {
        s->damage_set = true;
        ok = egl_succeed();
    }
    egl_unlock();
    return ok;
}
ES_EXPORT(eglSetDamageRegionKHR);

/* Kept and clamped; nothing here waits for a screen. */
EGLAPI EGLBoolean EGLAPIENTRY eglSwapInterval(EGLDisplay handle, EGLint interval) {
    egl_lock();
    struct egl_display *display = egl_display_initialised(handle);
    egl_unlock();
    if (!display) {
        return EGL_FALSE;
    }
    struct egl_thread *t = egl_thread();
    if (!t->context) {
        return egl_fail(EGL_BAD_CONTEXT);
    }
    if (!t->draw) {
        return egl_fail(EGL_BAD_SURFACE);
    }
    t->draw->swap_interval = interval < 0 ? 0 : interval > 1 ? 1 : interval;
    return egl_succeed();
}
ES_EXPORT(eglSwapInterval);

/* Copies into a pixmap of an X server; there are no others. */
EGLAPI EGLBoolean EGLAPIENTRY eglCopyBuffers(EGLDisplay handle, EGLSurface surface, EGLNativePixmapType target) {
    egl_lock();
    struct egl_surface *s = egl_surface_find(handle, surface);
    struct egl_thread *t = egl_thread();
    EGLint error = t->error;
    if (s) {
        struct es_context *es = t->draw == s ? t->context->es : NULL;
        const uintptr_t id = (uintptr_t)target;
        error = EGL_BAD_NATIVE_PIXMAP;
        if (s->object.current && !es) {
            error = EGL_BAD_ACCESS; /* another thread draws into it */
        } else if (s->object.display->x11 && id && id <= UINT32_MAX) {
            const struct rn_image *image = es_surface_pixels(es, &s->es);
            const bool single = image && image->samples <= 1;
            error = window_error(single ? egl_x11_copy(s->object.display->x11, (uint32_t)id, image) : EGL_WINDOW_BAD_ALLOC);
            error = error == EGL_BAD_NATIVE_WINDOW ? EGL_BAD_NATIVE_PIXMAP : error;
        }
    }
    t->error = error;
    egl_unlock();
    return error == EGL_SUCCESS;
}
ES_EXPORT(eglCopyBuffers);
