/* SPDX-License-Identifier: MIT */
/*
 * libGLESv2.so.2: each GL entry point of entry.def as a jump to libvlgl.so.0, which holds all code
 * and state, so that any mixture of our libraries in one process shares one state.
 */
#define GL_GLEXT_PROTOTYPES 1
#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>
#include <stdint.h>

#define ES_PUBLIC __attribute__((visibility("default")))
#define ES_LIST(...) __VA_ARGS__

#define VLGL_PROTOTYPES 1
#include "api/vlgl.h" /* our own functions */

#define ES_V(name, impl, lock, params, args)              \
    extern __typeof__(name) vlgl_##name;                  \
    ES_PUBLIC void name(ES_LIST params) { vlgl_##name args; }
#define ES_R(ret, name, impl, lock, params, args)         \
    extern __typeof__(name) vlgl_##name;                  \
    ES_PUBLIC ret name(ES_LIST params) { return vlgl_##name args; }
#define ES_V0(name, impl, lock)                           \
    extern __typeof__(name) vlgl_##name;                  \
    ES_PUBLIC void name(void) { vlgl_##name(); }
#define ES_R0(ret, name, impl, lock)                      \
    extern __typeof__(name) vlgl_##name;                  \
    ES_PUBLIC ret name(void) { return vlgl_##name(); }
#include "api/entry.def"
