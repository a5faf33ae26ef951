/* SPDX-License-Identifier: MIT */
/*
 * vlgl behind the system's own libEGL and libGLESv2 (libglvnd): found through
 * __EGL_VENDOR_LIBRARY_FILENAMES, drawn with, extension functions called. Linked with no GL library.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define EGL_EGLEXT_PROTOTYPES 1
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>

#include "tests/harness/check.h"

static void *find(void *library, const char *name) { return library ? dlsym(library, name) : NULL; }

/* Declares a function of a library under its own name with an underscore. */
#define USE(library, name)                              \
    __typeof__(name) *name##_ = NULL;                   \
    do {                                                \
        void *address_ = find(library, #name);          \
        memcpy(&name##_, &address_, sizeof address_);   \
        CHECK(address_ != NULL);                        \
    } while (0)
#define USE_PROC(name)                                                                   \
    __typeof__(name) *name##_ = NULL;                                                    \
    do {                                                                                 \
        __eglMustCastToProperFunctionPointerType address_ = eglGetProcAddress_(#name);   \
        memcpy(&name##_, &address_, sizeof address_);                                    \
        CHECK(address_ != NULL);                                                         \
    } while (0)

TEST(system_libegl) {
    void *egl = dlopen("libEGL.so.1", RTLD_NOW | RTLD_GLOBAL);
    void *gles = dlopen("libGLESv2.so.2", RTLD_NOW | RTLD_GLOBAL);
    if (!egl || !gles || !dlopen("libGLdispatch.so.0", RTLD_NOW | RTLD_NOLOAD)) {
        SKIP("the system has no libglvnd");
    }
    USE(egl, eglGetProcAddress);
    USE(egl, eglGetPlatformDisplay);
    USE(egl, eglGetDisplay);
    USE(egl, eglInitialize);
    USE(egl, eglQueryString);
    USE(egl, eglGetError);
    USE(egl, eglChooseConfig);
    USE(egl, eglCreatePbufferSurface);
    USE(egl, eglBindAPI);
    USE(egl, eglCreateContext);
    USE(egl, eglMakeCurrent);
    USE(egl, eglTerminate);
    USE(gles, glClearColor);
    USE(gles, glClear);
    USE(gles, glReadPixels);
    USE(gles, glGetString);
    EGLDisplay d = eglGetPlatformDisplay_(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
    CHECK(d != EGL_NO_DISPLAY && eglInitialize_(d, NULL, NULL));
    CHECK_STR(eglQueryString_(d, EGL_VENDOR), "vlgl");
    CHECK(eglGetDisplay_(EGL_DEFAULT_DISPLAY) != EGL_NO_DISPLAY);
    CHECK(strstr(eglQueryString_(EGL_NO_DISPLAY, EGL_EXTENSIONS), "EGL_KHR_platform_x11") != NULL);
    const EGLint list[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_ALPHA_SIZE, 8, EGL_NONE};
    const EGLint size[] = {EGL_WIDTH, 8, EGL_HEIGHT, 8, EGL_NONE};
    const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    EGLConfig config;
    EGLint n = 0;
    CHECK(eglChooseConfig_(d, list, &config, 1, &n) && n == 1);
    CHECK(eglBindAPI_(EGL_OPENGL_ES_API));
    EGLSurface surface = eglCreatePbufferSurface_(d, config, size);
    EGLContext context = eglCreateContext_(d, config, EGL_NO_CONTEXT, version);
    CHECK(eglMakeCurrent_(d, surface, surface, context));
    CHECK_STR((const char *)glGetString_(GL_VENDOR), "vlgl");
    uint8_t pixel[4] = {0};
    glClearColor_(1.0f, 0.2f, 0.0f, 1.0f);
    glClear_(GL_COLOR_BUFFER_BIT);
    glReadPixels_(3, 3, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    CHECK(pixel[0] == 255 && pixel[1] == 51 && pixel[2] == 0 && pixel[3] == 255);
    /* Functions of extensions: stubs of the vendor library. */
    USE_PROC(eglCreateSyncKHR);
    USE_PROC(eglDestroySyncKHR);
    USE_PROC(eglClientWaitSyncKHR);
    USE_PROC(eglCreateImageKHR);
    USE_PROC(eglSetDamageRegionKHR);
    USE_PROC(eglSwapBuffersWithDamageKHR);
    USE_PROC(eglQueryDevicesEXT);
    USE_PROC(eglQueryDeviceStringEXT);
    USE_PROC(eglQueryDisplayAttribEXT);
    EGLDeviceEXT device = EGL_NO_DEVICE_EXT;
    EGLAttrib of_display = 0;
    CHECK(eglQueryDevicesEXT_(1, &device, &n) && n == 1);
    CHECK(strstr(eglQueryDeviceStringEXT_(device, EGL_EXTENSIONS), "EGL_MESA_device_software") != NULL);
    CHECK(eglQueryDeviceStringEXT_(&n, EGL_EXTENSIONS) == NULL);
    CHECK_EQ_INT(eglGetError_(), EGL_BAD_DEVICE_EXT);
    CHECK(eglQueryDisplayAttribEXT_(d, EGL_DEVICE_EXT, &of_display) && (EGLDeviceEXT)of_display == device);
    EGLSyncKHR sync = eglCreateSyncKHR_(d, EGL_SYNC_FENCE_KHR, NULL);
    CHECK(sync != EGL_NO_SYNC_KHR);
    CHECK_EQ_INT(eglClientWaitSyncKHR_(d, sync, 0, 0), EGL_CONDITION_SATISFIED_KHR);
    CHECK(eglDestroySyncKHR_(d, sync));
    CHECK(!eglDestroySyncKHR_(d, sync));
    CHECK_EQ_INT(eglGetError_(), EGL_BAD_PARAMETER); /* the vendor's error, asked of libEGL */
    CHECK(eglCreateSyncKHR_(EGL_NO_DISPLAY, EGL_SYNC_FENCE_KHR, NULL) == EGL_NO_SYNC_KHR);
    CHECK_EQ_INT(eglGetError_(), EGL_BAD_DISPLAY);
    CHECK(eglCreateImageKHR_(d, context, EGL_GL_TEXTURE_2D, NULL, NULL) == EGL_NO_IMAGE_KHR);
    CHECK_EQ_INT(eglGetError_(), EGL_BAD_PARAMETER);
    CHECK(!eglSetDamageRegionKHR_(d, surface, NULL, 0));
    CHECK_EQ_INT(eglGetError_(), EGL_BAD_MATCH);
    CHECK(eglSwapBuffersWithDamageKHR_(d, surface, NULL, 0));
    /* A GL function that libGLESv2 does not export. */
    void (*bind_array)(GLuint) = NULL;
    __eglMustCastToProperFunctionPointerType address = eglGetProcAddress_("glBindVertexArrayOES");
    memcpy(&bind_array, &address, sizeof address);
    CHECK(bind_array != NULL);
    bind_array(0);
    CHECK(eglMakeCurrent_(d, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
    CHECK(eglTerminate_(d));
}
