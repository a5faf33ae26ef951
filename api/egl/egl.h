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
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "api/context.h"

enum egl_platform { EGLI_DEFAULT, EGLI_SURFACELESS, EGLI_DEVICE, EGLI_PLATFORM_COUNT };

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

struct egl_display {
    uint8_t platform;
    bool initialised;
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

/* config.c */
extern const struct egl_config egl_configs[];
extern const unsigned egl_config_count;
const struct egl_config *egl_config_get(EGLConfig handle);
/* EGL_SURFACE_TYPE bits of every config. */
EGLint egl_config_surface_types(const struct egl_config *config);

#define EGLI_MAX_PBUFFER RN_MAX_SIZE

#endif
