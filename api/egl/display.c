/* SPDX-License-Identifier: MIT */
/*
 * Displays, devices and strings. The headless platforms (default, surfaceless, device) have one display each
 * and need no window system; an X11 display is one of a connection and screen. Which platform eglGetDisplay
 * means: EGL_PLATFORM, if it names one of ours; else X11 for a native display, headless for the default one.
 * SPEC: EGL 1.5 sections 3.2 and 3.3, EGL_EXT_platform_base, EGL_EXT_device_*, EGL_KHR_platform_x11.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/egl/egl.h"
#include "api/environment.h"

static struct egl_display headless[EGLI_HEADLESS_COUNT] = {
    {.platform = EGLI_DEFAULT}, {.platform = EGLI_SURFACELESS}, {.platform = EGLI_DEVICE}};
static struct egl_display *x11_displays;

/* The one device: the CPU. Its address is the handle. */
static const char the_device;

#define CLIENT_EXTENSIONS                                                                          \
    "EGL_EXT_client_extensions EGL_EXT_platform_base EGL_EXT_platform_device EGL_EXT_device_base " \
    "EGL_EXT_device_enumeration EGL_EXT_device_query EGL_MESA_platform_surfaceless "               \
    "EGL_KHR_client_get_all_proc_addresses"
static const char client_extensions[] = CLIENT_EXTENSIONS;
static const char client_extensions_x11[] = CLIENT_EXTENSIONS
    " EGL_KHR_platform_x11 EGL_EXT_platform_x11 EGL_EXT_platform_xcb";
static const char display_extensions[] =
    "EGL_EXT_buffer_age EGL_EXT_create_context_robustness EGL_EXT_swap_buffers_with_damage EGL_KHR_create_context "
    "EGL_KHR_create_context_no_error EGL_KHR_fence_sync EGL_KHR_get_all_proc_addresses EGL_KHR_gl_colorspace "
    "EGL_KHR_gl_renderbuffer_image EGL_KHR_gl_texture_2D_image EGL_KHR_gl_texture_3D_image EGL_KHR_gl_texture_cubemap_image "
    "EGL_KHR_image_base EGL_KHR_partial_update EGL_KHR_reusable_sync EGL_KHR_surfaceless_context "
    "EGL_KHR_swap_buffers_with_damage EGL_KHR_wait_sync EGL_IMG_context_priority EGL_MESA_configless_context";
static const char device_extensions[] = "EGL_MESA_device_software EGL_EXT_device_query_name";

struct egl_display *egl_display_get(EGLDisplay handle) {
    for (unsigned i = 0; i < EGLI_HEADLESS_COUNT; i++) {
        if (handle == &headless[i]) {
            return &headless[i];
        }
    }
    for (struct egl_display *d = x11_displays; d; d = d->next) {
        if (handle == d) {
            return d;
        }
    }
    egl_fail(EGL_BAD_DISPLAY);
    return NULL;
}

struct egl_display *egl_display_initialised(EGLDisplay handle) {
    struct egl_display *display = egl_display_get(handle);
    if (display && !display->initialised) {
        egl_fail(EGL_NOT_INITIALIZED);
        return NULL;
    }
    return display;
}

/* The display of a native one and a screen, made when first asked for. NULL: memory is out. */
static struct egl_display *x11_display(uint8_t platform, void *native, int screen) {
    egl_lock();
    struct egl_display *d = x11_displays;
    while (d && (d->platform != platform || d->native != native || d->screen != screen)) {
        d = d->next;
    }
    if (!d && (d = calloc(1, sizeof *d)) != NULL) {
        d->platform = platform;
        d->native = native;
        d->screen = screen;
        d->next = x11_displays;
        x11_displays = d;
    }
    egl_unlock();
    return d;
}

/* EGL_PLATFORM as a platform; -1 if it is unset or names none of ours. */
static int environment_platform(void) {
    static const struct {
        const char *name;
        enum egl_platform platform;
    } names[] = {{"surfaceless", EGLI_SURFACELESS}, {"device", EGLI_DEVICE}, {"x11", EGLI_X11}, {"xcb", EGLI_XCB}};
    const char *text = getenv("EGL_PLATFORM");
    for (unsigned i = 0; text && i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i].name) == 0) {
            return (int)names[i].platform;
        }
    }
    return -1;
}

EGLAPI EGLDisplay EGLAPIENTRY eglGetDisplay(EGLNativeDisplayType native) {
    egl_succeed();
    int platform = environment_platform();
    if (platform < 0) {
        platform = native == EGL_DEFAULT_DISPLAY ? EGLI_DEFAULT : EGLI_X11;
    }
    if (platform < EGLI_HEADLESS_COUNT) {
        return &headless[platform];
    }
    return egl_x11_supported() ? x11_display((uint8_t)platform, (void *)native, -1) : EGL_NO_DISPLAY;
}
ES_EXPORT(eglGetDisplay);

static EGLDisplay platform_x11(uint8_t platform, void *native, const struct egl_attribs *list) {
    int screen = -1;
    for (unsigned i = 0; egl_attrib_at(list, i) != EGL_NONE; i += 2) {
        const EGLAttrib name = egl_attrib_at(list, i), value = egl_attrib_at(list, i + 1);
        if (name != (platform == EGLI_X11 ? EGL_PLATFORM_X11_SCREEN_EXT : EGL_PLATFORM_XCB_SCREEN_EXT) || value < 0 ||
            value > INT16_MAX) {
            return egl_fail_handle(EGL_BAD_ATTRIBUTE);
        }
        screen = (int)value;
    }
    struct egl_display *display = x11_display(platform, native, screen);
    return display ? (egl_succeed(), display) : egl_fail_handle(EGL_BAD_ALLOC);
}

static EGLDisplay platform_display(EGLenum platform, void *native, const struct egl_attribs *list) {
    if (platform == EGL_PLATFORM_X11_EXT && egl_x11_supported()) {
        return platform_x11(EGLI_X11, native, list);
    }
    if (platform == EGL_PLATFORM_XCB_EXT && egl_x11_supported()) {
        return platform_x11(EGLI_XCB, native, list);
    }
    bool surfaceless = platform == EGL_PLATFORM_SURFACELESS_MESA;
    if (!surfaceless && platform != EGL_PLATFORM_DEVICE_EXT) {
        return egl_fail_handle(EGL_BAD_PARAMETER);
    }
    if (egl_attrib_at(list, 0) != EGL_NONE) {
        return egl_fail_handle(EGL_BAD_ATTRIBUTE);
    }
    if (native != (surfaceless ? (const void *)EGL_DEFAULT_DISPLAY : &the_device)) {
        return egl_fail_handle(EGL_BAD_PARAMETER);
    }
    egl_succeed();
    return &headless[surfaceless ? EGLI_SURFACELESS : EGLI_DEVICE];
}

EGLAPI EGLDisplay EGLAPIENTRY eglGetPlatformDisplay(EGLenum platform, void *native, const EGLAttrib *attribs) {
    const struct egl_attribs list = {attribs, NULL};
    return platform_display(platform, native, &list);
}
ES_EXPORT(eglGetPlatformDisplay);

EGLAPI EGLDisplay EGLAPIENTRY eglGetPlatformDisplayEXT(EGLenum platform, void *native, const EGLint *attribs) {
    const struct egl_attribs list = {NULL, attribs};
    return platform_display(platform, native, &list);
}
ES_EXPORT(eglGetPlatformDisplayEXT);

/* ---- starting and ending ------------------------------------------------------------------------------------ */

static _Thread_local char start_message[256];

/* Why eglInitialize fails. A wrong variable is also answered on stderr, once: who set it looks there. */
static EGLBoolean start_fails(const char *message, bool variable) {
    static atomic_flag told = ATOMIC_FLAG_INIT;
    snprintf(start_message, sizeof start_message, "%s", message);
    if (variable && !es_debug_flag("quiet") && !atomic_flag_test_and_set(&told)) {
        fprintf(stderr, "vlgl: %s\n", message);
    }
    return egl_fail(EGL_NOT_INITIALIZED);
}

/* With the lock held. */
static EGLBoolean initialise(struct egl_display *display) {
    struct es_environment environment;
    start_message[0] = '\0';
    if (display->initialised) {
        return egl_succeed();
    }
    const char *message = es_environment_read(&environment);
    if (message) {
        return start_fails(message, true);
    }
    if (display->platform >= EGLI_HEADLESS_COUNT) {
        display->x11 = egl_x11_open(display->native, display->platform == EGLI_X11, display->screen);
        if (!display->x11) {
            return start_fails("no X server can be reached", false);
        }
    }
    display->window_width = environment.window_width;
    display->window_height = environment.window_height;
    display->initialised = true;
    return egl_succeed();
}

EGLAPI EGLBoolean EGLAPIENTRY eglInitialize(EGLDisplay handle, EGLint *major, EGLint *minor) {
    egl_lock();
    struct egl_display *display = egl_display_get(handle);
    const EGLBoolean ok = display && initialise(display);
    egl_unlock();
    if (ok && major) {
        *major = 1;
    }
    if (ok && minor) {
        *minor = 5;
    }
    return ok;
}
ES_EXPORT(eglInitialize);

EGLAPI const char *EGLAPIENTRY vlglGetMessage(void) {
    const struct egl_thread *t = egl_thread();
    const char *lost = t->context ? es_context_lost_message(t->context->es) : NULL;
    return lost ? lost : start_message[0] ? start_message : NULL;
}
ES_EXPORT(vlglGetMessage);

static bool any_initialised(void) {
    bool any = false;
    for (unsigned i = 0; i < EGLI_HEADLESS_COUNT; i++) {
        any |= headless[i].initialised;
    }
    for (const struct egl_display *d = x11_displays; d; d = d->next) {
        any |= d->initialised;
    }
    return any;
}

EGLAPI EGLBoolean EGLAPIENTRY eglTerminate(EGLDisplay handle) {
    egl_lock();
    struct egl_display *display = egl_display_get(handle);
    if (display) {
        /* Syncs first: their waiters are told; then what may be current and lives on until released. */
        for (int kind = EGLI_OBJECT_KINDS - 1; kind >= 0; kind--) {
            while (display->objects[kind]) {
                struct egl_object *object = display->objects[kind];
                if (kind == EGLI_SYNC) {
                    ((struct egl_sync *)object)->status = EGL_SIGNALED;
                    egl_wake_all();
                }
                egl_object_destroy(object);
            }
        }
        display->initialised = false;
        egl_x11_unref(display->x11);
        display->x11 = NULL;
        if (!any_initialised()) {
            es_device_release();
        }
    }
    egl_unlock();
    return display ? egl_succeed() : EGL_FALSE;
}
ES_EXPORT(eglTerminate);

EGLAPI const char *EGLAPIENTRY eglQueryString(EGLDisplay handle, EGLint name) {
    if (handle == EGL_NO_DISPLAY && (name == EGL_EXTENSIONS || name == EGL_VERSION)) {
        egl_succeed();
        const char *extensions = egl_x11_supported() ? client_extensions_x11 : client_extensions;
        return name == EGL_EXTENSIONS ? extensions : "1.5 vlgl";
    }
    egl_lock();
    struct egl_display *display = egl_display_initialised(handle);
    egl_unlock();
    if (!display) {
        return NULL;
    }
    egl_succeed();
    switch (name) {
    case EGL_CLIENT_APIS: return "OpenGL_ES";
    case EGL_EXTENSIONS: return display_extensions;
    case EGL_VENDOR: return "vlgl";
    case EGL_VERSION: return "1.5 vlgl";
    default: return egl_fail_handle(EGL_BAD_PARAMETER);
    }
}
ES_EXPORT(eglQueryString);

/* ---- devices ---------------------------------------------------------------------------------------------- */

static EGLDeviceEXT device_handle(void) { return (EGLDeviceEXT)(uintptr_t)&the_device; }

EGLAPI EGLBoolean EGLAPIENTRY eglQueryDevicesEXT(EGLint max, EGLDeviceEXT *devices, EGLint *count) {
    if (!count || (devices && max <= 0)) {
        return egl_fail(EGL_BAD_PARAMETER);
    }
    if (devices) {
        devices[0] = device_handle();
    }
    *count = 1;
    return egl_succeed();
}
ES_EXPORT(eglQueryDevicesEXT);

EGLAPI const char *EGLAPIENTRY eglQueryDeviceStringEXT(EGLDeviceEXT device, EGLint name) {
    if (device != device_handle()) {
        return egl_fail_handle(EGL_BAD_DEVICE_EXT);
    }
    egl_succeed();
    switch (name) {
    case EGL_EXTENSIONS: return device_extensions;
    case EGL_VENDOR: return "vlgl";
    case EGL_RENDERER_EXT: return "vlgl";
    default: return egl_fail_handle(EGL_BAD_PARAMETER);
    }
}
ES_EXPORT(eglQueryDeviceStringEXT);

EGLAPI EGLBoolean EGLAPIENTRY eglQueryDeviceAttribEXT(EGLDeviceEXT device, EGLint attribute, EGLAttrib *value) {
    (void)attribute;
    (void)value;
    return egl_fail(device != device_handle() ? EGL_BAD_DEVICE_EXT : EGL_BAD_ATTRIBUTE);
}
ES_EXPORT(eglQueryDeviceAttribEXT);

EGLAPI EGLBoolean EGLAPIENTRY eglQueryDisplayAttribEXT(EGLDisplay handle, EGLint attribute, EGLAttrib *value) {
    egl_lock();
    struct egl_display *display = egl_display_initialised(handle);
    egl_unlock();
    if (!display) {
        return EGL_FALSE;
    }
    if (attribute != EGL_DEVICE_EXT || display->x11) {
        return egl_fail(EGL_BAD_ATTRIBUTE);
    }
    if (!value) {
        return egl_fail(EGL_BAD_PARAMETER);
    }
    *value = (EGLAttrib)(uintptr_t)&the_device;
    return egl_succeed();
}
ES_EXPORT(eglQueryDisplayAttribEXT);
