/* SPDX-License-Identifier: MIT */
/* eglGetProcAddress: EGL's entry points from their table, all others from GL's. */
#include <string.h>

#include "api/egl/egl.h"

static const struct {
    const char *name;
    es_proc_fn address;
} entries[] = {
#define EGL_ENTRY(result, name, params, args) {#name, (es_proc_fn)name},
#include "api/egl/entry_egl.def"
};

EGLAPI __eglMustCastToProperFunctionPointerType EGLAPIENTRY eglGetProcAddress(const char *name) {
    egl_succeed();
    if (!name) {
        return NULL;
    }
    for (unsigned i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        if (strcmp(entries[i].name, name) == 0) {
            return entries[i].address;
        }
    }
    return es_get_proc_address(name);
}
ES_EXPORT(eglGetProcAddress);
