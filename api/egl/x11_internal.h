/* SPDX-License-Identifier: MIT */
/* What x11.c (connections) and x11_window.c (windows, pictures) share. */
#ifndef API_EGL_X11_INTERNAL_H
#define API_EGL_X11_INTERNAL_H

#include "api/egl/x11.h"

#if defined(VLGL_X11)

#include <stdatomic.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>

struct egl_xcb {
#define XCB_FUNCTION(name) __typeof__(xcb_##name) *name;
#include "api/egl/xcb.def"
#undef XCB_FUNCTION
};

struct egl_x11 {
    const struct egl_xcb *xcb;
    xcb_connection_t *connection;
    xcb_screen_t *screen;
    bool own;                 /* we made the connection */
    bool msb_first;           /* byte order of pictures */
    uint8_t shm;              /* the server has MIT-SHM (it may still refuse our memory) */
    atomic_uint refs;
};

/* How pixels of a visual are stored. */
struct egl_x11_pixels {
    uint32_t mask[3];         /* red, green, blue */
    uint32_t alpha_mask;      /* what no channel has, in visuals of depth 32 */
    uint8_t depth, bytes;     /* bytes of a pixel: 2, 3 or 4 */
    uint8_t pad;              /* rows end at multiples of so many bytes */
};
/* False: no TrueColor visual of this screen (visual 0: the one with 'depth'), or a layout we do not write. */
bool egl_x11_pixels_of(const struct egl_x11 *x11, uint32_t visual, uint8_t depth, struct egl_x11_pixels *out);

#endif
#endif
