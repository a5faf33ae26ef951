/* SPDX-License-Identifier: MIT */
/*
 * Displays, devices and strings. There is one display a platform (default, surfaceless, device); they
 * need no window system. SPEC: EGL 1.5 sections 3.2 and 3.3, EGL_EXT_platform_base, EGL_EXT_device_*.
 */
#include <string.h>

#include "api/egl/egl.h"

static struct egl_display displays[EGLI_PLATFORM_COUNT] = {
    {.platform = EGLI_DEFAULT}, {.platform = EGLI_SURFACELESS}, {.platform = EGLI_DEVICE}};

/* The one device: the CPU. Its address is the handle. */
static const char the_device;

static const char client_extensions[] =
    "EGL_EXT_client_extensions EGL_EXT_platform_base EGL_EXT_platform_device EGL_EXT_device_base "
    "EGL_EXT_device_enumeration EGL_EXT_device_query EGL_MESA_platform_surfaceless "
    "EGL_KHR_client_get_all_proc_addresses";
static const char display_extensions[] =
    "EGL_EXT_create_context_robustness EGL_KHR_cl_event2 EGL_KHR_create_context EGL_KHR_create_context_no_error "
    "EGL_KHR_fence_sync EGL_KHR_get_all_proc_addresses EGL_KHR_gl_colorspace EGL_KHR_gl_renderbuffer_image "
    "EGL_KHR_gl_texture_2D_image EGL_KHR_gl_texture_3D_image EGL_KHR_gl_texture_cubemap_image EGL_KHR_image_base "
    "EGL_KHR_no_config_context EGL_KHR_reusable_sync EGL_KHR_surfaceless_context EGL_KHR_wait_sync "
    "EGL_IMG_context_priority";
static const char device_extensions[] = "EGL_MESA_device_software EGL_EXT_device_query_name";

struct egl_display *egl_display_get(EGLDisplay handle) {
    for (unsigned i = 0; i < EGLI_PLATFORM_COUNT; i++) {
        if (handle == &displays[i]) {
            return &displays[i];
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

EGLAPI EGLDisplay EGLAPIENTRY eglGetDisplay(EGLNativeDisplayType native) {
    egl_succeed();
    return native == EGL_DEFAULT_DISPLAY ? &displays[EGLI_DEFAULT] : EGL_NO_DISPLAY;
}
ES_EXPORT(eglGetDisplay);

/* 'first' is the first attribute of the list, EGL_NONE if there is none. */
static EGLDisplay platform_display(EGLenum platform, const void *native, EGLAttrib first) {
    bool surfaceless = platform == EGL_PLATFORM_SURFACELESS_MESA;
    if (!surfaceless && platform != EGL_PLATFORM_DEVICE_EXT) {
        return egl_fail_handle(EGL_BAD_PARAMETER);
    }
    if (first != EGL_NONE) {
        return egl_fail_handle(EGL_BAD_ATTRIBUTE);
    }
    if (native != (surfaceless ? (const void *)EGL_DEFAULT_DISPLAY : &the_device)) {
        return egl_fail_handle(EGL_BAD_PARAMETER);
    }
    egl_succeed();
    return &displays[surfaceless ? EGLI_SURFACELESS : EGLI_DEVICE];
}

EGLAPI EGLDisplay EGLAPIENTRY eglGetPlatformDisplay(EGLenum platform, void *native, const EGLAttrib *attribs) {
    return platform_display(platform, native, attribs ? attribs[0] : EGL_NONE);
}
ES_EXPORT(eglGetPlatformDisplay);

EGLAPI EGLDisplay EGLAPIENTRY eglGetPlatformDisplayEXT(EGLenum platform, void *native, const EGLint *attribs) {
    return platform_display(platform, native, attribs ? attribs[0] : EGL_NONE);
}
ES_EXPORT(eglGetPlatformDisplayEXT);

EGLAPI EGLBoolean EGLAPIENTRY eglInitialize(EGLDisplay handle, EGLint *major, EGLint *minor) {
    egl_lock();
    struct egl_display *display = egl_display_get(handle);
    if (display) {
        display->initialised = true;
    }
    egl_unlock();
    if (!display) {
        return EGL_FALSE;
    }
    if (major) {
        *major = 1;
    }
    if (minor) {
        *minor = 5;
    }
    return egl_succeed();
}
ES_EXPORT(eglInitialize);

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
        bool any = false;
        for (unsigned i = 0; i < EGLI_PLATFORM_COUNT; i++) {
            any |= displays[i].initialised;
        }
        if (!any) {
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
        return name == EGL_EXTENSIONS ? client_extensions : "1.5 vlgl";
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
    if (attribute != EGL_DEVICE_EXT) {
        return egl_fail(EGL_BAD_ATTRIBUTE);
    }
    if (!value) {
        return egl_fail(EGL_BAD_PARAMETER);
    }
    *value = (EGLAttrib)(uintptr_t)&the_device;
    return egl_succeed();
}
ES_EXPORT(eglQueryDisplayAttribEXT);
