/* SPDX-License-Identifier: MIT */
/*
 * libEGL.so.1: each EGL entry point of api/egl/entry_egl.def as a jump to libvlgl.so.0, which holds
 * all code and state.
 */
#define EGL_EGLEXT_PROTOTYPES 1
#include <EGL/egl.h>
#include <EGL/eglext.h>

#define VLGL_PROTOTYPES 1
#include "api/vlgl.h"

#define ES_PUBLIC __attribute__((visibility("default")))
#define EGL_LIST(...) __VA_ARGS__

#define EGL_ENTRY(ret, name, params, args)                \
    extern __typeof__(name) vlgl_##name;                  \
    ES_PUBLIC ret EGLAPIENTRY name(EGL_LIST params) { return vlgl_##name args; }
#include "api/egl/entry_egl.def"
