/* SPDX-License-Identifier: MIT */
/*
 * x11.h: the X11 platform's contract with the rest of api/egl: connections and windows. libxcb is loaded
 * on first use (and libX11-xcb when a client gives an Xlib display); without it, or in a build without
 * its headers, egl_x11_open fails and nothing else is ever called. Calls for one window come from one
 * thread at a time; connections may be used by many.
 */
#ifndef API_EGL_X11_H
#define API_EGL_X11_H

#include <stdbool.h>
#include <stdint.h>

#include "renderer/renderer.h"

struct egl_x11;
struct egl_window;

/* Was the platform compiled in? */
bool egl_x11_supported(void);
/*
 * Connection and screen; 'native' is a Display (xlib) or an xcb connection, NULL for one of our own to the
 * server that DISPLAY names. A negative screen is the display's default one. NULL on failure. The result has one reference.
 */
struct egl_x11 *egl_x11_open(void *native, bool xlib, int screen);
struct egl_x11 *egl_x11_ref(struct egl_x11 *x11);
void egl_x11_unref(struct egl_x11 *x11);
/* Visual for a colour format of these channel sizes; 0 when the screen has no TrueColor visual at all. */
uint32_t egl_x11_visual(const struct egl_x11 *x11, unsigned red, unsigned green, unsigned blue);

enum egl_window_result { EGL_WINDOW_OK, EGL_WINDOW_BAD_NATIVE, EGL_WINDOW_BAD_MATCH, EGL_WINDOW_BAD_ALLOC };
/* Takes a reference on x11. The window must exist and have a TrueColor visual of the screen. */
enum egl_window_result egl_window_create(struct egl_x11 *x11, uint32_t id, struct egl_window **window, uint32_t *width,
                                         uint32_t *height);
void egl_window_destroy(struct egl_window *window);
uint32_t egl_window_id(const struct egl_window *window);
/* Asks for the window's size; the answer is fetched by egl_window_size, so drawing in between hides the round trip. */
void egl_window_ask(struct egl_window *window);
/* False when the window is gone. After it the server has taken the picture presented last. */
bool egl_window_size(struct egl_window *window, uint32_t *width, uint32_t *height);
/* Shows the image (row 0 at the bottom) at the window's lower left corner. False when memory is out. */
bool egl_window_present(struct egl_window *window, const struct rn_image *image, uint32_t window_height);
/* eglCopyBuffers: the image into a pixmap. */
enum egl_window_result egl_x11_copy(struct egl_x11 *x11, uint32_t pixmap, const struct rn_image *image);

#endif
