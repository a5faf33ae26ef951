/* SPDX-License-Identifier: MIT */
/*
 * Internal to api/egl: displays, objects, the thread's state. All displays and objects are guarded by one
 * mutex (egl_lock); handles are addresses looked up in the display's lists, so a stale one is an error,
 * never a crash. What is destroyed while current lives on until it is released. SPEC: EGL 1.5.
 */
#ifndef API_EGL_EGL_H
#define API_EGL_EGL_H

#include <stdbool.h>
#include <stdint.h>

#define EGL_EGLEXT_PROTOTYPES 1
#define EGLAPI __attribute__((visibility("default"))) /* libvlgl exports the plain names too */
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "api/context.h"
#include "api/egl/x11.h"
#define VLGL_PROTOTYPES 1
#include "api/vlgl.h"

/* The first three are headless: one display each. */
enum egl_platform { EGLI_DEFAULT, EGLI_SURFACELESS, EGLI_DEVICE, EGLI_HEADLESS_COUNT, EGLI_X11 = EGLI_HEADLESS_COUNT, EGLI_XCB };

struct egl_config {
    EGLint id;
    uint8_t red, green, blue, alpha, depth, stencil, samples;
    uint8_t color_format, depth_format;   /* enum rn_format */
};

enum egl_object_kind { EGLI_CONTEXT, EGLI_SURFACE, EGLI_SYNC, EGLI_IMAGE, EGLI_OBJECT_KINDS };

/* The head of every object: its list in the display. */
struct egl_object {
    struct egl_object *next;
    struct egl_display *display;
    uint8_t kind;
    bool destroyed;                       /* the handle is gone; freed when no thread holds it */
    uint32_t current;                     /* threads that hold it as current */
};

struct egl_context {
    struct egl_object object;
    const struct egl_config *config;      /* NULL: EGL_NO_CONFIG_KHR */
    struct es_context *es;
    EGLint major, minor;
    bool robust_access, lose_on_reset, no_error, debug;
    EGLint priority;
};

struct egl_surface {
    struct egl_object object;
    const struct egl_config *config;
    struct es_surface es;
    EGLint texture_format, texture_target;
    EGLBoolean mipmap_texture, largest;
    EGLint mipmap_level, swap_behavior, multisample_resolve, gl_colorspace;
    EGLint swap_interval;
    bool is_window;
    bool swapped;                         /* the buffer holds the last frame */
    bool age_asked, damage_set;           /* in this frame (EGL_KHR_partial_update) */
    struct egl_window *window;            /* a window of an X server; NULL: pbuffers, off-screen windows */
};

struct egl_sync {
    struct egl_object object;
    EGLenum type;
    EGLint status;
};

struct egl_image {
    struct egl_object object;
    struct es_image *es;
};

/* Never freed: a handle stays one for the life of the process. */
struct egl_display {
    struct egl_display *next;             /* X11 displays */
    uint8_t platform;
    bool initialised;
    void *native;                         /* X11: what the client gave, NULL = the default server */
    int screen;                           /* X11: -1 = the default one */
    struct egl_x11 *x11;                  /* while initialised */
    uint32_t window_width, window_height; /* of off-screen windows */
    struct egl_object *objects[EGLI_OBJECT_KINDS];
};

/* The thread's EGL state. */
struct egl_thread {
    EGLint error;
    EGLenum api;
    struct egl_context *context;
    struct egl_surface *draw, *read;
};
struct egl_thread *egl_thread(void);

void egl_lock(void);
void egl_unlock(void);
/* Waits for the next egl_wake_all with the lock held; 'deadline' absolute CLOCK_MONOTONIC ns or UINT64_MAX. False on time-out. */
bool egl_wait_until(uint64_t deadline);
void egl_wake_all(void);
uint64_t egl_now(void);

/* Attribute lists of both kinds (EGLint of extensions and old calls, EGLAttrib of EGL 1.5). */
struct egl_attribs {
    const EGLAttrib *wide;
    const EGLint *narrow;
};
static inline EGLAttrib egl_attrib_at(const struct egl_attribs *a, unsigned i) {
    return a->wide ? a->wide[i] : (a->narrow ? a->narrow[i] : EGL_NONE);
}

/* Sets the thread's error; both return what the caller returns. */
EGLBoolean egl_fail(EGLint error);
EGLBoolean egl_succeed(void);
/* As egl_fail and egl_succeed for handles. */
void *egl_fail_handle(EGLint error);

/* With the lock held: the display of a handle if it exists (and is initialised), else the error is set and NULL. */
struct egl_display *egl_display_get(EGLDisplay handle);
struct egl_display *egl_display_initialised(EGLDisplay handle);

/* With the lock held: objects by handle; NULL when the display has no such live object. */
struct egl_object *egl_object_find(struct egl_display *display, enum egl_object_kind kind, const void *handle);
void egl_object_add(struct egl_display *display, enum egl_object_kind kind, struct egl_object *object);
/* Takes it from the list, frees it now or when it is no longer current. */
void egl_object_destroy(struct egl_object *object);
/* Frees it if it is destroyed and current nowhere. */
void egl_object_settle(struct egl_object *object);
void egl_context_free(struct egl_context *context);
void egl_surface_free(struct egl_surface *surface);
/* A surface of either kind with its defaults, not yet in any list. NULL: memory is out. */
struct egl_surface *egl_surface_make(const struct egl_config *config, EGLint colorspace, uint32_t width, uint32_t height);
/* With the lock held: display and surface, or the error set and NULL. */
struct egl_surface *egl_surface_find(EGLDisplay handle, EGLSurface surface);

/* config.c */
extern const struct egl_config egl_configs[];
extern const unsigned egl_config_count;
const struct egl_config *egl_config_get(EGLConfig handle);
/* EGL_SURFACE_TYPE bits of a config on a display. */
EGLint egl_config_surface_types(const struct egl_display *display, const struct egl_config *config);

#define EGLI_MAX_PBUFFER RN_MAX_SIZE

#endif
