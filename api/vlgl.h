/* SPDX-License-Identifier: MIT */
/*
 * vlgl.h: what vlgl offers beyond OpenGL ES and EGL. All functions come from eglGetProcAddress, so that a
 * client runs on any library:
 *
 *     PFNVLGLGETMESSAGEPROC get_message = (PFNVLGLGETMESSAGEPROC)eglGetProcAddress("vlglGetMessage");
 *     if (get_message && get_message()) { ... }
 */
#ifndef VLGL_H
#define VLGL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Why the context current on this thread was lost (which shader, which source line), else why this thread's last
 * eglInitialize failed; NULL when neither happened. The text stays until the context goes or this thread's next eglInitialize.
 */
typedef const char *(*PFNVLGLGETMESSAGEPROC)(void);

/*
 * Work of the current context since its last call: values[0] triangles in, values[1] fragments shaded, then
 * every counter of api/README.md. Writes at most n values, returns how many. It runs pending drawing first.
 */
typedef int (*PFNVLGLGETCOUNTERSPROC)(uint64_t *values, int n);

/*
 * For tools: shows every shader batch of the current context to 'tap' (vm/include/vliw.h) before and after it
 * runs, on the thread that runs it; NULL ends that. The struct is borrowed. It runs pending drawing first.
 */
struct vliw_tap;
typedef void (*PFNVLGLSETTAPPROC)(const struct vliw_tap *tap);

#ifdef VLGL_PROTOTYPES
extern void vlglSetTap(const struct vliw_tap *tap);
extern const char *vlglGetMessage(void);
extern int vlglGetCounters(uint64_t *values, int n);
#endif

#ifdef __cplusplus
}
#endif

#endif
