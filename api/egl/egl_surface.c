/* SPDX-License-Identifier: MIT */
/*
 * Surfaces: pbuffers, and everything that queries or uses surfaces of any kind (windows are made in
 * egl_window.c). Pixmap surfaces do not exist. SPEC: EGL 1.5 sections 3.5, 3.6, 3.9 and 3.10.
 */
#include <stdlib.h>

#include "api/egl/egl.h"

void egl_surface_free(struct egl_surface *surface) {
    es_surface_fini(&surface->es);
    egl_window_destroy(surface->window);
    free(surface);
}

struct egl_surface *egl_surface_make(const struct egl_config *config, EGLint colorspace, uint32_t width, uint32_t height) {
    struct egl_surface *surface = calloc(1, sizeof *surface);
    enum rn_format color = colorspace == EGL_GL_COLORSPACE_SRGB ? RN_FORMAT_SRGB8_A8 : (enum rn_format)config->color_format;
    if (!surface || !es_surface_init(&surface->es, color, (enum rn_format)config->depth_format, config->stencil != 0,
                                     config->samples ? config->samples : 1, width, height)) {
        free(surface);
        return NULL;
    }
    surface->config = config;
    surface->texture_format = EGL_NO_TEXTURE;
    surface->texture_target = EGL_NO_TEXTURE;
    surface->swap_behavior = EGL_BUFFER_PRESERVED;
    surface->multisample_resolve = EGL_MULTISAMPLE_RESOLVE_DEFAULT;
    surface->gl_colorspace = colorspace;
    surface->swap_interval = 1;
    return surface;
}

struct pbuffer_attribs {
    EGLint width, height, largest, texture_format, texture_target, mipmap, colorspace;
};

/* Reads a pbuffer's attributes; returns the error. */
static EGLint read_attribs(const EGLint *list, struct pbuffer_attribs *out) {
    *out = (struct pbuffer_attribs){0, 0, EGL_FALSE, EGL_NO_TEXTURE, EGL_NO_TEXTURE, EGL_FALSE, EGL_GL_COLORSPACE_LINEAR};
    for (; list && list[0] != EGL_NONE; list += 2) {
        EGLint value = list[1];
        switch (list[0]) {
        case EGL_WIDTH:
            out->width = value;
            break;
        case EGL_HEIGHT:
            out->height = value;
            break;
        case EGL_LARGEST_PBUFFER:
            out->largest = value;
            break;
        case EGL_TEXTURE_FORMAT:
            if (value != EGL_NO_TEXTURE && value != EGL_TEXTURE_RGB && value != EGL_TEXTURE_RGBA) {
                return EGL_BAD_ATTRIBUTE;
            }
            out->texture_format = value;
            break;
        case EGL_TEXTURE_TARGET:
            if (value != EGL_NO_TEXTURE && value != EGL_TEXTURE_2D) {
                return EGL_BAD_ATTRIBUTE;
            }
            out->texture_target = value;
            break;
        case EGL_MIPMAP_TEXTURE:
            out->mipmap = value;
            break;
        case EGL_GL_COLORSPACE:
            if (value != EGL_GL_COLORSPACE_LINEAR && value != EGL_GL_COLORSPACE_SRGB) {
                return EGL_BAD_ATTRIBUTE;
            }
            out->colorspace = value;
            break;
        case EGL_VG_COLORSPACE:
        case EGL_VG_ALPHA_FORMAT:
            break;
        default:
            return EGL_BAD_ATTRIBUTE;
        }
    }
    if (out->width < 0 || out->height < 0) {
        return EGL_BAD_PARAMETER;
    }
    return EGL_SUCCESS;
}

static EGLint check_attribs(const struct egl_config *config, struct pbuffer_attribs *a) {
    if ((a->texture_format == EGL_NO_TEXTURE) != (a->texture_target == EGL_NO_TEXTURE)) {
        return EGL_BAD_MATCH;
    }
    bool rgba = a->texture_format == EGL_TEXTURE_RGBA;
    if (a->texture_format != EGL_NO_TEXTURE && (config->samples || rgba != (config->alpha != 0))) {
        return EGL_BAD_MATCH;
    }
    if (a->colorspace == EGL_GL_COLORSPACE_SRGB && (config->red != 8 || config->alpha != 8)) {
        return EGL_BAD_MATCH;
    }
    if (a->width > EGLI_MAX_PBUFFER || a->height > EGLI_MAX_PBUFFER) {
        if (!a->largest) {
            return EGL_BAD_ALLOC;
        }
        a->width = a->width < EGLI_MAX_PBUFFER ? a->width : EGLI_MAX_PBUFFER;
        a->height = a->height < EGLI_MAX_PBUFFER ? a->height : EGLI_MAX_PBUFFER;
    }
    return EGL_SUCCESS;
}

static EGLint create_pbuffer(struct egl_display *display, const struct egl_config *config, const EGLint *list,
                             struct egl_surface **out) {
    struct pbuffer_attribs a;
    EGLint error = read_attribs(list, &a);
    if (error == EGL_SUCCESS) {
        error = check_attribs(config, &a);
    }
    if (error != EGL_SUCCESS) {
        return error;
    }
    struct egl_surface *surface = egl_surface_make(config, a.colorspace, (uint32_t)a.width, (uint32_t)a.height);
    if (!surface) {
        return EGL_BAD_ALLOC;
    }
    surface->texture_format = a.texture_format;
    surface->texture_target = a.texture_target;
    surface->mipmap_texture = a.mipmap ? EGL_TRUE : EGL_FALSE;
    surface->largest = a.largest ? EGL_TRUE : EGL_FALSE;
    egl_object_add(display, EGLI_SURFACE, &surface->object);
    *out = surface;
    return EGL_SUCCESS;
}

EGLAPI EGLSurface EGLAPIENTRY eglCreatePbufferSurface(EGLDisplay handle, EGLConfig config, const EGLint *list) {
    struct egl_surface *surface = NULL;
    egl_lock();
    struct egl_display *display = egl_display_initialised(handle);
    if (display) {
        const struct egl_config *c = egl_config_get(config);
        EGLint error = c ? create_pbuffer(display, c, list, &surface) : EGL_BAD_CONFIG;
        egl_thread()->error = error;
    }
    egl_unlock();
    return surface;
}
ES_EXPORT(eglCreatePbufferSurface);

/* ---- use ------------------------------------------------------------------------------------------------------- */

struct egl_surface *egl_surface_find(EGLDisplay handle, EGLSurface surface) {
    struct egl_display *display = egl_display_initialised(handle);
    struct egl_object *object = display ? egl_object_find(display, EGLI_SURFACE, surface) : NULL;
    if (display && !object) {
        egl_fail(EGL_BAD_SURFACE);
    }
    return (struct egl_surface *)object;
}

EGLAPI EGLBoolean EGLAPIENTRY eglDestroySurface(EGLDisplay handle, EGLSurface surface) {
    egl_lock();
    struct egl_surface *s = egl_surface_find(handle, surface);
    if (s) {
        egl_object_destroy(&s->object);
    }
    egl_unlock();
    return s ? egl_succeed() : EGL_FALSE;
}
ES_EXPORT(eglDestroySurface);

/* EGL_EXT_buffer_age: asked of the draw surface; pbuffers are never swapped, so they have no age. */
static EGLint buffer_age(struct egl_surface *s) {
    s->age_asked = true;
    return s->is_window && s->swapped ? 1 : 0;
}

/* Attributes of pbuffers: asked of windows they leave the value as it is (EGL 1.5 section 3.5.6). */
static bool is_pbuffer_attribute(EGLint attribute) {
    return attribute == EGL_LARGEST_PBUFFER || attribute == EGL_TEXTURE_FORMAT || attribute == EGL_TEXTURE_TARGET ||
           attribute == EGL_MIPMAP_TEXTURE || attribute == EGL_MIPMAP_LEVEL;
}

static bool surface_value(struct egl_surface *s, EGLint attribute, EGLint *value) {
    bool textured = s->texture_format != EGL_NO_TEXTURE;
    switch (attribute) {
    case EGL_CONFIG_ID: *value = s->config->id; return true;
    case EGL_WIDTH: *value = (EGLint)s->es.width; return true;
    case EGL_HEIGHT: *value = (EGLint)s->es.height; return true;
    case EGL_LARGEST_PBUFFER: *value = s->largest; return true;
    case EGL_TEXTURE_FORMAT: *value = s->texture_format; return true;
    case EGL_TEXTURE_TARGET: *value = s->texture_target; return true;
    case EGL_MIPMAP_TEXTURE: *value = s->mipmap_texture; return true;
    case EGL_MIPMAP_LEVEL: *value = textured ? s->mipmap_level : 0; return true;
    case EGL_RENDER_BUFFER: *value = EGL_BACK_BUFFER; return true;
    case EGL_SWAP_BEHAVIOR: *value = s->swap_behavior; return true;
    case EGL_MULTISAMPLE_RESOLVE: *value = s->multisample_resolve; return true;
    case EGL_GL_COLORSPACE: *value = s->gl_colorspace; return true;
    case EGL_BUFFER_AGE_EXT: *value = buffer_age(s); return true;
    case EGL_VG_COLORSPACE: *value = EGL_VG_COLORSPACE_sRGB; return true;
    case EGL_VG_ALPHA_FORMAT: *value = EGL_VG_ALPHA_FORMAT_NONPRE; return true;
    case EGL_HORIZONTAL_RESOLUTION:
    case EGL_VERTICAL_RESOLUTION:
    case EGL_PIXEL_ASPECT_RATIO: *value = EGL_UNKNOWN; return true;
    default: return false;
    }
}

EGLAPI EGLBoolean EGLAPIENTRY eglQuerySurface(EGLDisplay handle, EGLSurface surface, EGLint attribute, EGLint *value) {
    EGLBoolean ok = EGL_FALSE;
    EGLint result;
    egl_lock();
    struct egl_surface *s = egl_surface_find(handle, surface);
    if (s && attribute == EGL_BUFFER_AGE_EXT && s != egl_thread()->draw) {
        egl_fail(EGL_BAD_SURFACE);
    } else if (s && !surface_value(s, attribute, &result)) {
        egl_fail(EGL_BAD_ATTRIBUTE);
    } else if (s && !value) {
        egl_fail(EGL_BAD_PARAMETER);
    } else if (s) {
        if (!s->is_window || !is_pbuffer_attribute(attribute)) {
            *value = result;
        }
        ok = egl_succeed();
    }
    egl_unlock();
    return ok;
}
ES_EXPORT(eglQuerySurface);

static EGLint set_attribute(struct egl_surface *s, EGLint attribute, EGLint value) {
    switch (attribute) {
    case EGL_MIPMAP_LEVEL:
        s->mipmap_level = value;
        return EGL_SUCCESS;
    case EGL_MULTISAMPLE_RESOLVE:
        if (value != EGL_MULTISAMPLE_RESOLVE_DEFAULT && value != EGL_MULTISAMPLE_RESOLVE_BOX) {
            return EGL_BAD_ATTRIBUTE;
        }
        if (value == EGL_MULTISAMPLE_RESOLVE_BOX) {
            return EGL_BAD_MATCH; /* no config has EGL_MULTISAMPLE_RESOLVE_BOX_BIT */
        }
        s->multisample_resolve = value;
        return EGL_SUCCESS;
    case EGL_SWAP_BEHAVIOR:
        if (value != EGL_BUFFER_PRESERVED && value != EGL_BUFFER_DESTROYED) {
            return EGL_BAD_ATTRIBUTE;
        }
        s->swap_behavior = value;
        return EGL_SUCCESS;
    default:
        return EGL_BAD_ATTRIBUTE;
    }
}

EGLAPI EGLBoolean EGLAPIENTRY eglSurfaceAttrib(EGLDisplay handle, EGLSurface surface, EGLint attribute, EGLint value) {
    egl_lock();
    struct egl_surface *s = egl_surface_find(handle, surface);
    EGLint error = s ? set_attribute(s, attribute, value) : egl_thread()->error;
    egl_thread()->error = error;
    egl_unlock();
    return s && error == EGL_SUCCESS;
}
ES_EXPORT(eglSurfaceAttrib);

/* ---- pbuffers as textures ----------------------------------------------------------------------------------------- */

/* With the lock held: checks what eglBindTexImage and eglReleaseTexImage share. NULL: error set. */
static struct egl_surface *texture_surface(EGLDisplay handle, EGLSurface surface, EGLint buffer) {
    struct egl_surface *s = egl_surface_find(handle, surface);
    if (!s) {
        return NULL;
    }
    if (buffer != EGL_BACK_BUFFER) {
        return egl_fail_handle(EGL_BAD_PARAMETER);
    }
    if (s->texture_format == EGL_NO_TEXTURE) {
        return egl_fail_handle(EGL_BAD_MATCH);
    }
    return s;
}

EGLAPI EGLBoolean EGLAPIENTRY eglBindTexImage(EGLDisplay handle, EGLSurface surface, EGLint buffer) {
    EGLBoolean ok = EGL_FALSE;
    egl_lock();
    struct egl_surface *s = texture_surface(handle, surface, buffer);
    struct egl_thread *t = egl_thread();
    if (s && !t->context) {
        ok = egl_succeed(); /* "If there is no current rendering context, the call has no effect" */
    } else if (s) {
        switch (es_bind_tex_image(t->context->es, &s->es)) {
        case ES_BIND_OK: ok = egl_succeed(); break;
        case ES_BIND_BAD_ACCESS: ok = egl_fail(EGL_BAD_ACCESS); break;
        default: ok = egl_fail(EGL_BAD_MATCH); break;
        }
    }
    egl_unlock();
    return ok;
}
ES_EXPORT(eglBindTexImage);

EGLAPI EGLBoolean EGLAPIENTRY eglReleaseTexImage(EGLDisplay handle, EGLSurface surface, EGLint buffer) {
    egl_lock();
    struct egl_surface *s = texture_surface(handle, surface, buffer);
    if (s) {
        es_release_tex_image(&s->es);
    }
    egl_unlock();
    return s ? egl_succeed() : EGL_FALSE;
}
ES_EXPORT(eglReleaseTexImage);
