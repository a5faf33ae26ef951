/* SPDX-License-Identifier: MIT */
/* EGLImages from textures and renderbuffers. SPEC: EGL 1.5 section 3.9, EGL_KHR_gl_*_image. */
#include <stdlib.h>

#include "api/egl/egl.h"

static EGLint read_attribs(const struct egl_attribs *a, EGLint *level, EGLint *z_offset) {
    *level = 0;
    *z_offset = 0;
    for (unsigned i = 0; egl_attrib_at(a, i) != EGL_NONE; i += 2) {
        EGLint value = (EGLint)egl_attrib_at(a, i + 1);
        switch (egl_attrib_at(a, i)) {
        case EGL_GL_TEXTURE_LEVEL: *level = value; break;
        case EGL_GL_TEXTURE_ZOFFSET: *z_offset = value; break;
        case EGL_IMAGE_PRESERVED: break;
        default: return EGL_BAD_PARAMETER;
        }
    }
    return EGL_SUCCESS;
}

static GLenum gl_target(EGLenum target) {
    switch (target) {
    case EGL_GL_TEXTURE_2D: return GL_TEXTURE_2D;
    case EGL_GL_TEXTURE_3D: return 0x806F; /* GL_TEXTURE_3D_OES */
    case EGL_GL_RENDERBUFFER: return GL_RENDERBUFFER;
    case EGL_GL_TEXTURE_CUBE_MAP_POSITIVE_X: return GL_TEXTURE_CUBE_MAP_POSITIVE_X;
    case EGL_GL_TEXTURE_CUBE_MAP_NEGATIVE_X: return GL_TEXTURE_CUBE_MAP_NEGATIVE_X;
    case EGL_GL_TEXTURE_CUBE_MAP_POSITIVE_Y: return GL_TEXTURE_CUBE_MAP_POSITIVE_Y;
    case EGL_GL_TEXTURE_CUBE_MAP_NEGATIVE_Y: return GL_TEXTURE_CUBE_MAP_NEGATIVE_Y;
    case EGL_GL_TEXTURE_CUBE_MAP_POSITIVE_Z: return GL_TEXTURE_CUBE_MAP_POSITIVE_Z;
    case EGL_GL_TEXTURE_CUBE_MAP_NEGATIVE_Z: return GL_TEXTURE_CUBE_MAP_NEGATIVE_Z;
    default: return 0;
    }
}

static EGLint image_error(enum es_image_result result) {
    switch (result) {
    case ES_IMAGE_OK: return EGL_SUCCESS;
    case ES_IMAGE_BAD_MATCH: return EGL_BAD_MATCH;
    case ES_IMAGE_BAD_ACCESS: return EGL_BAD_ACCESS;
    case ES_IMAGE_BAD_ALLOC: return EGL_BAD_ALLOC;
    default: return EGL_BAD_PARAMETER;
    }
}

static EGLint make_image(struct egl_display *display, EGLContext context, EGLenum target, EGLClientBuffer buffer,
                         const struct egl_attribs *attribs, struct egl_image **out) {
    struct egl_context *c = (struct egl_context *)egl_object_find(display, EGLI_CONTEXT, context);
    GLenum gl = gl_target(target);
    EGLint level, z_offset;
    if (!c) {
        return EGL_BAD_CONTEXT;
    }
    if (!gl) {
        return EGL_BAD_PARAMETER;
    }
    EGLint error = read_attribs(attribs, &level, &z_offset);
    if (error != EGL_SUCCESS) {
        return error;
    }
    struct egl_image *image = calloc(1, sizeof *image);
    if (!image) {
        return EGL_BAD_ALLOC;
    }
    error = image_error(es_image_create(c->es, gl, (GLuint)(uintptr_t)buffer, level, z_offset, &image->es));
    if (error != EGL_SUCCESS) {
        free(image);
        return error;
    }
    egl_object_add(display, EGLI_IMAGE, &image->object);
    *out = image;
    return EGL_SUCCESS;
}

/* The handle given out is the es_image, which glEGLImageTarget*OES looks up. */
static EGLImage create_image(EGLDisplay handle, EGLContext context, EGLenum target, EGLClientBuffer buffer,
                             const struct egl_attribs *attribs) {
    struct egl_image *image = NULL;
    egl_lock();
    struct egl_display *display = egl_display_initialised(handle);
    if (display) {
        egl_thread()->error = make_image(display, context, target, buffer, attribs, &image);
    }
    EGLImage result = image ? (EGLImage)image->es : EGL_NO_IMAGE;
    egl_unlock();
    return result;
}

EGLAPI EGLImage EGLAPIENTRY eglCreateImage(EGLDisplay d, EGLContext c, EGLenum target, EGLClientBuffer buffer,
                                           const EGLAttrib *list) {
    struct egl_attribs attribs = {list, NULL};
    return create_image(d, c, target, buffer, &attribs);
}
ES_EXPORT(eglCreateImage);

EGLAPI EGLImageKHR EGLAPIENTRY eglCreateImageKHR(EGLDisplay d, EGLContext c, EGLenum target, EGLClientBuffer buffer,
                                                 const EGLint *list) {
    struct egl_attribs attribs = {NULL, list};
    return create_image(d, c, target, buffer, &attribs);
}
ES_EXPORT(eglCreateImageKHR);

EGLAPI EGLBoolean EGLAPIENTRY eglDestroyImage(EGLDisplay handle, EGLImage image) {
    EGLBoolean ok = EGL_FALSE;
    egl_lock();
    struct egl_display *display = egl_display_initialised(handle);
    if (display) {
        struct egl_object *o = display->objects[EGLI_IMAGE];
        while (o && (EGLImage)((struct egl_image *)o)->es != image) {
            o = o->next;
        }
        if (o) {
            egl_object_destroy(o);
            ok = egl_succeed();
        } else {
            ok = egl_fail(EGL_BAD_PARAMETER);
        }
    }
    egl_unlock();
    return ok;
}
ES_EXPORT(eglDestroyImage);

EGLAPI EGLBoolean EGLAPIENTRY eglDestroyImageKHR(EGLDisplay d, EGLImageKHR image) { return eglDestroyImage(d, image); }
ES_EXPORT(eglDestroyImageKHR);
