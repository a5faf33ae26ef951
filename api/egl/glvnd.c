/* SPDX-License-Identifier: MIT */
/*
 * libEGL_vlgl.so.0, the vendor library by which a system's own libEGL (libglvnd) finds vlgl. libEGL calls
 * EGL functions of the core by their addresses; for extension functions that take a display, which it
 * does not know, it takes a stub from here that asks it for the display's vendor and calls that.
 * Everything is done by libvlgl.so.0, through its second names (vlgl_egl*): the plain ones are libEGL's in
 * a process that uses it. SPEC: glvnd/libeglabi.h, ABI version 0.
 */
#define EGL_EGLEXT_PROTOTYPES 1
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <glvnd/libeglabi.h>
#include <string.h>

#define EGL_LIST(...) __VA_ARGS__

static const __EGLapiExports *libegl;

/* The functions of displays and devices, each with the index that libEGL gives it. */
enum stub {
#define EGL_ENTRY(ret, name, params, args)
#define EGL_DISPLAY_ENTRY(ret, name, params, args) STUB_##name,
#define EGL_DEVICE_ENTRY EGL_DISPLAY_ENTRY
#include "api/egl/entry_egl.def"
    STUB_COUNT
};
static int stub_index[STUB_COUNT];

/* The vendor's function, NULL and an error if there is no vendor. */
static __eglMustCastToProperFunctionPointerType vendor_function(__EGLvendorInfo *vendor, enum stub stub, EGLint error) {
    __eglMustCastToProperFunctionPointerType function = NULL;
    if (vendor) {
        libegl->setLastVendor(vendor);
        function = libegl->fetchDispatchEntry(vendor, stub_index[stub]);
    }
    if (!function) {
        libegl->setEGLError(error);
    }
    return function;
}

#define EGL_ENTRY(ret, name, params, args)
#define STUB(ret, name, params, args, vendor, error)                                                 \
    static ret EGLAPIENTRY stub_##name(EGL_LIST params) {                                            \
        libegl->threadInit();                                                                        \
        __typeof__(&name) function = (__typeof__(&name))vendor_function(vendor, STUB_##name, error); \
        return function ? function args : (ret)0;                                                    \
    }
#define EGL_DISPLAY_ENTRY(ret, name, params, args) \
    STUB(ret, name, params, args, libegl->getVendorFromDisplay(d), EGL_BAD_DISPLAY)
#define EGL_DEVICE_ENTRY(ret, name, params, args) \
    STUB(ret, name, params, args, libegl->getVendorFromDevice(v), EGL_BAD_DEVICE_EXT)
#include "api/egl/entry_egl.def"

static const struct {
    const char *name;
    __eglMustCastToProperFunctionPointerType address;
} stubs[STUB_COUNT] = {
#define EGL_ENTRY(ret, name, params, args)
#define EGL_DISPLAY_ENTRY(ret, name, params, args) {#name, (__eglMustCastToProperFunctionPointerType)stub_##name},
#define EGL_DEVICE_ENTRY EGL_DISPLAY_ENTRY
#include "api/egl/entry_egl.def"
};

static int find_stub(const char *name) {
    for (int i = 0; i < STUB_COUNT; i++) {
        if (strcmp(stubs[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* ---- what libEGL asks ------------------------------------------------------------------------------------- */

extern __typeof__(eglGetDisplay) vlgl_eglGetDisplay;
extern __typeof__(eglGetPlatformDisplay) vlgl_eglGetPlatformDisplay;
extern __typeof__(eglGetProcAddress) vlgl_eglGetProcAddress;

/* EGL_NONE: eglGetDisplay(EGL_DEFAULT_DISPLAY) without EGL_PLATFORM, which libEGL reads itself. */
static EGLDisplay get_platform_display(EGLenum platform, void *native, const EGLAttrib *attributes) {
    return platform == EGL_NONE ? vlgl_eglGetDisplay((EGLNativeDisplayType)native)
                                : vlgl_eglGetPlatformDisplay(platform, native, attributes);
}

static EGLBoolean supports_api(EGLenum api) { return api == EGL_OPENGL_ES_API; }

static const char *vendor_string(int name) {
    return name == __EGL_VENDOR_STRING_PLATFORM_EXTENSIONS
               ? "EGL_EXT_platform_device EGL_MESA_platform_surfaceless EGL_KHR_platform_x11 EGL_EXT_platform_x11 "
                 "EGL_EXT_platform_xcb"
               : NULL;
}

/* A function pointer in a void *, as this interface has it. */
static void *as_pointer(__eglMustCastToProperFunctionPointerType function) {
    void *pointer;
    memcpy(&pointer, &function, sizeof pointer);
    return pointer;
}

static void *proc_address(const char *name) { return as_pointer(vlgl_eglGetProcAddress(name)); }

static void *dispatch_address(const char *name) {
    const int stub = find_stub(name);
    return stub >= 0 ? as_pointer(stubs[stub].address) : NULL;
}

static void set_dispatch_index(const char *name, int index) {
    const int stub = find_stub(name);
    if (stub >= 0) {
        stub_index[stub] = index;
    }
}

__attribute__((visibility("default"))) EGLBoolean __egl_Main(uint32_t version, const __EGLapiExports *exports,
                                                             __EGLvendorInfo *vendor, __EGLapiImports *imports) {
    (void)vendor;
    if (EGL_VENDOR_ABI_GET_MAJOR_VERSION(version) != EGL_VENDOR_ABI_MAJOR_VERSION) {
        return EGL_FALSE;
    }
    libegl = exports;
    imports->getPlatformDisplay = get_platform_display;
    imports->getSupportsAPI = supports_api;
    imports->getVendorString = vendor_string;
    imports->getProcAddress = proc_address;
    imports->getDispatchAddress = dispatch_address;
    imports->setDispatchIndex = set_dispatch_index;
    return EGL_TRUE;
}
