/* SPDX-License-Identifier: MIT */
/*
 * The configs: every colour format with every useful depth and stencil size, and their choice and order.
 * SPEC: EGL 1.5 section 3.4.
 */
#include <string.h>

#include "api/egl/egl.h"

#define DEPTHS(id, r, g, b, a, format, samples)                                                    \
    {(id) + 0, r, g, b, a, 0, 0, samples, RN_FORMAT_##format, RN_FORMAT_NONE},                     \
    {(id) + 1, r, g, b, a, 16, 0, samples, RN_FORMAT_##format, RN_FORMAT_D16},                     \
    {(id) + 2, r, g, b, a, 16, 8, samples, RN_FORMAT_##format, RN_FORMAT_D16},                     \
    {(id) + 3, r, g, b, a, 24, 0, samples, RN_FORMAT_##format, RN_FORMAT_D24},                     \
    {(id) + 4, r, g, b, a, 24, 8, samples, RN_FORMAT_##format, RN_FORMAT_D24},                     \
    {(id) + 5, r, g, b, a, 0, 8, samples, RN_FORMAT_##format, RN_FORMAT_NONE}

const struct egl_config egl_configs[] = {
    DEPTHS(1, 8, 8, 8, 8, RGBA8, 0),  DEPTHS(7, 8, 8, 8, 0, RGBX8, 0),   DEPTHS(13, 5, 6, 5, 0, RGB565, 0),
    DEPTHS(19, 4, 4, 4, 4, RGBA4, 0), DEPTHS(25, 5, 5, 5, 1, RGB5A1, 0), DEPTHS(31, 8, 8, 8, 8, RGBA8, 4),
    DEPTHS(37, 8, 8, 8, 0, RGBX8, 4), DEPTHS(43, 5, 6, 5, 0, RGB565, 4),
};
const unsigned egl_config_count = sizeof egl_configs / sizeof egl_configs[0];

enum criterion { LEAST, EXACT, MASK, SKIP };

static const struct attribute {
    EGLint name, preset;
    uint8_t criterion;
} attributes[] = {
#define EGL_ATTRIBUTE(name, preset, criterion, value) {name, preset, criterion},
#include "api/egl/config.def"
#undef EGL_ATTRIBUTE
};
enum { ATTRIBUTES = sizeof attributes / sizeof attributes[0] };

#define X11_TRUE_COLOR 4 /* the visual class */

/* Visual for windows on an X server, 0 if there is none or the display is headless. */
static EGLint native_visual(const struct egl_display *d, const struct egl_config *c) {
    return d->x11 ? (EGLint)egl_x11_visual(d->x11, c->red, c->green, c->blue) : 0;
}

EGLint egl_config_surface_types(const struct egl_display *d, const struct egl_config *c) {
    const bool window = !d->x11 || native_visual(d, c) != 0;
    return EGL_PBUFFER_BIT | EGL_SWAP_BEHAVIOR_PRESERVED_BIT | (window ? EGL_WINDOW_BIT : 0);
}

static bool config_value(const struct egl_display *d, const struct egl_config *c, EGLint name, EGLint *value) {
    switch (name) {
#define EGL_ATTRIBUTE(name, preset, criterion, what)                                               \
    case name:                                                                                     \
        *value = (what);                                                                           \
        return true;
#include "api/egl/config.def"
#undef EGL_ATTRIBUTE
    default:
        return false;
    }
}

const struct egl_config *egl_config_get(EGLConfig handle) {
    for (unsigned i = 0; i < egl_config_count; i++) {
        if (handle == &egl_configs[i]) {
            return &egl_configs[i];
        }
    }
    return NULL;
}

static EGLConfig config_handle(const struct egl_config *config) { return (EGLConfig)(uintptr_t)config; }

EGLAPI EGLBoolean EGLAPIENTRY eglGetConfigs(EGLDisplay handle, EGLConfig *configs, EGLint size, EGLint *count) {
    egl_lock();
    struct egl_display *display = egl_display_initialised(handle);
    egl_unlock();
    if (!display) {
        return EGL_FALSE;
    }
    if (!count) {
        return egl_fail(EGL_BAD_PARAMETER);
    }
    EGLint n = (EGLint)egl_config_count;
    if (configs) {
        n = size < n ? (size > 0 ? size : 0) : n;
        for (EGLint i = 0; i < n; i++) {
            configs[i] = config_handle(&egl_configs[i]);
        }
    }
    *count = n;
    return egl_succeed();
}
ES_EXPORT(eglGetConfigs);

EGLAPI EGLBoolean EGLAPIENTRY eglGetConfigAttrib(EGLDisplay handle, EGLConfig config, EGLint attribute, EGLint *value) {
    egl_lock();
    struct egl_display *display = egl_display_initialised(handle);
    egl_unlock();
    if (!display) {
        return EGL_FALSE;
    }
    const struct egl_config *c = egl_config_get(config);
    EGLint result;
    if (!c) {
        return egl_fail(EGL_BAD_CONFIG);
    }
    if (attribute == EGL_MATCH_NATIVE_PIXMAP || !config_value(display, c, attribute, &result)) {
        return egl_fail(EGL_BAD_ATTRIBUTE);
    }
    if (!value) {
        return egl_fail(EGL_BAD_PARAMETER);
    }
    *value = result;
    return egl_succeed();
}
ES_EXPORT(eglGetConfigAttrib);

/* ---- choosing -------------------------------------------------------------------------------------------- */

/* Is it one of the values that an attribute of few values can have? */
static bool is_value(EGLint name, EGLint value) {
    switch (name) {
    case EGL_BIND_TO_TEXTURE_RGB:
    case EGL_BIND_TO_TEXTURE_RGBA:
    case EGL_NATIVE_RENDERABLE: return value == EGL_TRUE || value == EGL_FALSE || value == EGL_DONT_CARE;
    case EGL_COLOR_BUFFER_TYPE: return value == EGL_RGB_BUFFER || value == EGL_LUMINANCE_BUFFER || value == EGL_DONT_CARE;
    case EGL_TRANSPARENT_TYPE: return value == EGL_NONE || value == EGL_TRANSPARENT_RGB || value == EGL_DONT_CARE;
    case EGL_CONFIG_CAVEAT:
        return value == EGL_NONE || value == EGL_SLOW_CONFIG || value == EGL_NON_CONFORMANT_CONFIG || value == EGL_DONT_CARE;
    case EGL_LEVEL: /* the two that must be given a value */
    case EGL_MATCH_NATIVE_PIXMAP: return value != EGL_DONT_CARE;
    default: return true;
    }
}

/* Reads an attribute list over the presets. False: unknown attribute or bad value. */
static bool read_wanted(const EGLint *list, EGLint wanted[ATTRIBUTES]) {
    for (int i = 0; i < ATTRIBUTES; i++) {
        wanted[i] = attributes[i].preset;
    }
    for (; list && list[0] != EGL_NONE; list += 2) {
        int i = 0;
        while (i < ATTRIBUTES && attributes[i].name != list[0]) {
            i++;
        }
        if (i == ATTRIBUTES) {
            return false;
        }
        if (!is_value(list[0], list[1])) {
            return false;
        }
        if (attributes[i].criterion == LEAST && list[1] < 0 && list[1] != EGL_DONT_CARE) {
            return false;
        }
        wanted[i] = list[1];
    }
    return true;
}

static EGLint wanted_value(const EGLint wanted[ATTRIBUTES], EGLint name) {
    for (int i = 0; i < ATTRIBUTES; i++) {
        if (attributes[i].name == name) {
            return wanted[i];
        }
    }
    return EGL_DONT_CARE;
}

static bool matches(const struct egl_display *d, const struct egl_config *c, const EGLint wanted[ATTRIBUTES]) {
    for (int i = 0; i < ATTRIBUTES; i++) {
        EGLint value = 0, want = wanted[i];
        if (want == EGL_DONT_CARE || attributes[i].criterion == SKIP) {
            continue;
        }
        config_value(d, c, attributes[i].name, &value);
        bool ok = attributes[i].criterion == LEAST   ? value >= want
                  : attributes[i].criterion == EXACT ? value == want
                                                     : (value & want) == want;
        if (!ok) {
            return false;
        }
    }
    return true;
}

/* Colour bits that count for the order: only of channels asked for with a size other than 0 and don't care. */
static int color_bits(const struct egl_config *c, const EGLint wanted[ATTRIBUTES]) {
    int bits = 0;
    bits += wanted_value(wanted, EGL_RED_SIZE) > 0 ? c->red : 0;
    bits += wanted_value(wanted, EGL_GREEN_SIZE) > 0 ? c->green : 0;
    bits += wanted_value(wanted, EGL_BLUE_SIZE) > 0 ? c->blue : 0;
    bits += wanted_value(wanted, EGL_ALPHA_SIZE) > 0 ? c->alpha : 0;
    return bits;
}

/* Negative when a comes first. Rules 1, 2, 6 to 10 of the specification do not tell our configs apart. */
static int order(const struct egl_config *a, const struct egl_config *b, const EGLint wanted[ATTRIBUTES]) {
    int keys[6] = {color_bits(b, wanted) - color_bits(a, wanted),
                   (a->red + a->green + a->blue + a->alpha) - (b->red + b->green + b->blue + b->alpha),
                   a->samples - b->samples,
                   a->depth - b->depth,
                   a->stencil - b->stencil,
                   a->id - b->id};
    for (int i = 0; i < 6; i++) {
        if (keys[i]) {
            return keys[i];
        }
    }
    return 0;
}

EGLAPI EGLBoolean EGLAPIENTRY eglChooseConfig(EGLDisplay handle, const EGLint *list, EGLConfig *configs, EGLint size,
                                              EGLint *count) {
    egl_lock();
    struct egl_display *display = egl_display_initialised(handle);
    egl_unlock();
    if (!display) {
        return EGL_FALSE;
    }
    EGLint wanted[ATTRIBUTES];
    if (!count) {
        return egl_fail(EGL_BAD_PARAMETER);
    }
    if (!read_wanted(list, wanted)) {
        return egl_fail(EGL_BAD_ATTRIBUTE);
    }
    const struct egl_config *found[sizeof egl_configs / sizeof egl_configs[0]];
    unsigned n = 0;
    EGLint id = wanted_value(wanted, EGL_CONFIG_ID);
    for (unsigned i = 0; i < egl_config_count; i++) {
        const struct egl_config *c = &egl_configs[i];
        if (id != EGL_DONT_CARE ? c->id != id : !matches(display, c, wanted)) {
            continue; /* with a config id every other attribute is ignored */
        }
        unsigned at = n++;
        for (; at > 0 && order(c, found[at - 1], wanted) < 0; at--) {
            found[at] = found[at - 1];
        }
        found[at] = c;
    }
    if (configs) {
        n = size < (EGLint)n ? (size > 0 ? (unsigned)size : 0) : n;
        for (unsigned i = 0; i < n; i++) {
            configs[i] = config_handle(found[i]);
        }
    }
    *count = (EGLint)n;
    return egl_succeed();
}
ES_EXPORT(eglChooseConfig);
