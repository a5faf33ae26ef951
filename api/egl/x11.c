/* SPDX-License-Identifier: MIT */
/* Connections to X servers, and what their visuals look like. libxcb is loaded here, on first use. */
#include "api/egl/x11_internal.h"

#if defined(VLGL_X11)

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

bool egl_x11_supported(void) { return true; }

static struct egl_xcb table;
static bool loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool find(void *library, const char *name, void *function) {
    void *address = library ? dlsym(library, name) : NULL;
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static void load(void) {
    void *library = dlopen("libxcb.so.1", RTLD_LAZY | RTLD_LOCAL);
    loaded = library != NULL;
#define XCB_FUNCTION(name) loaded = loaded && find(library, "xcb_" #name, &table.name);
#include "api/egl/xcb.def"
#undef XCB_FUNCTION
}

/* The xcb connection inside an Xlib display, NULL if that library is not there. */
static xcb_connection_t *connection_of(void *display) {
    xcb_connection_t *(*get)(void *) = NULL;
    find(dlopen("libX11-xcb.so.1", RTLD_LAZY | RTLD_LOCAL), "XGetXCBConnection", &get);
    return get ? get(display) : NULL;
}

/* The default screen of an Xlib display: as XDefaultScreen, 0 when Xlib cannot be asked. */
static int default_screen_of(void *display) {
    int (*get)(void *) = NULL;
    find(dlopen("libX11.so.6", RTLD_LAZY | RTLD_LOCAL), "XDefaultScreen", &get);
    return get ? get(display) : 0;
}

struct egl_x11 *egl_x11_open(void *native, bool xlib, int screen) {
    pthread_once(&once, load);
    struct egl_x11 *x11 = loaded ? calloc(1, sizeof *x11) : NULL;
    if (!x11) {
        return NULL;
    }
    int preferred = 0;
    x11->xcb = &table;
    atomic_init(&x11->refs, 1);
    if (native && xlib) {
        x11->connection = connection_of(native);
        preferred = default_screen_of(native);
    } else if (native) {
        x11->connection = native;
    } else {
        x11->own = true;
        x11->connection = table.connect(NULL, &preferred);
    }
    if (x11->connection && !table.connection_has_error(x11->connection)) {
        const xcb_setup_t *setup = table.get_setup(x11->connection);
        int index = screen < 0 ? preferred : screen;
        for (xcb_screen_iterator_t i = table.setup_roots_iterator(setup); i.rem; table.screen_next(&i)) {
            if (index-- == 0) {
                x11->screen = i.data;
            }
        }
        x11->msb_first = setup->image_byte_order == XCB_IMAGE_ORDER_MSB_FIRST;
    }
    if (!x11->screen) {
        egl_x11_unref(x11);
        return NULL;
    }
    static xcb_extension_t shm = {"MIT-SHM", 0};
    const xcb_query_extension_reply_t *data = table.get_extension_data(x11->connection, &shm);
    x11->shm = data && data->present ? data->major_opcode : 0;
    return x11;
}

struct egl_x11 *egl_x11_ref(struct egl_x11 *x11) {
    atomic_fetch_add(&x11->refs, 1);
    return x11;
}

void egl_x11_unref(struct egl_x11 *x11) {
    if (!x11 || atomic_fetch_sub(&x11->refs, 1) != 1) {
        return;
    }
    if (x11->own && x11->connection) {
        table.disconnect(x11->connection);
    }
    free(x11);
}

/* ---- visuals -------------------------------------------------------------------------------------------- */

static unsigned bits_of(uint32_t mask) {
    unsigned n = 0;
    for (; mask; mask &= mask - 1) {
        n++;
    }
    return n;
}

/*
 * The best visual: every wanted bit and few more, the root's before others, and depth 32 last, because a
 * compositor takes its fourth channel for opacity.
 */
uint32_t egl_x11_visual(const struct egl_x11 *x11, unsigned red, unsigned green, unsigned blue) {
    const struct egl_xcb *xcb = x11->xcb;
    uint32_t best = 0;
    unsigned least = UINT32_MAX;
    for (xcb_depth_iterator_t d = xcb->screen_allowed_depths_iterator(x11->screen); d.rem; xcb->depth_next(&d)) {
        for (xcb_visualtype_iterator_t v = xcb->depth_visuals_iterator(d.data); v.rem; xcb->visualtype_next(&v)) {
            struct egl_x11_pixels pixels;
            if (v.data->_class != XCB_VISUAL_CLASS_TRUE_COLOR ||
                !egl_x11_pixels_of(x11, v.data->visual_id, d.data->depth, &pixels)) {
                continue;
            }
            const unsigned want[3] = {red, green, blue};
            unsigned cost = (v.data->visual_id != x11->screen->root_visual) + (d.data->depth == 32 ? 8u : 0u);
            for (unsigned c = 0; c < 3; c++) {
                const unsigned have = bits_of(pixels.mask[c]);
                cost += have < want[c] ? 1000 * (want[c] - have) : 10 * (have - want[c]);
            }
            if (cost < least) {
                least = cost;
                best = v.data->visual_id;
            }
        }
    }
    return best;
}

static const xcb_visualtype_t *find_visual(const struct egl_x11 *x11, uint32_t visual, uint8_t depth, uint8_t *found) {
    const struct egl_xcb *xcb = x11->xcb;
    for (xcb_depth_iterator_t d = xcb->screen_allowed_depths_iterator(x11->screen); d.rem; xcb->depth_next(&d)) {
        for (xcb_visualtype_iterator_t v = xcb->depth_visuals_iterator(d.data); v.rem; xcb->visualtype_next(&v)) {
            const bool wanted = visual ? v.data->visual_id == visual : d.data->depth == depth;
            if (wanted && v.data->_class == XCB_VISUAL_CLASS_TRUE_COLOR) {
                *found = d.data->depth;
                return v.data;
            }
        }
    }
    return NULL;
}

bool egl_x11_pixels_of(const struct egl_x11 *x11, uint32_t visual, uint8_t depth, struct egl_x11_pixels *out) {
    const struct egl_xcb *xcb = x11->xcb;
    const xcb_visualtype_t *v = find_visual(x11, visual, depth, &depth);
    if (!v) {
        return false;
    }
    *out = (struct egl_x11_pixels){.mask = {v->red_mask, v->green_mask, v->blue_mask}, .depth = depth};
    out->alpha_mask = depth == 32 ? ~(v->red_mask | v->green_mask | v->blue_mask) : 0;
    const xcb_setup_t *setup = xcb->get_setup(x11->connection);
    const xcb_format_t *formats = xcb->setup_pixmap_formats(setup);
    for (int i = 0; i < xcb->setup_pixmap_formats_length(setup); i++) {
        if (formats[i].depth == depth) {
            out->bytes = formats[i].bits_per_pixel / 8;
            out->pad = formats[i].scanline_pad / 8;
        }
    }
    return out->bytes >= 2 && out->bytes <= 4 && out->pad >= 1;
}

#else

bool egl_x11_supported(void) { return false; }

struct egl_x11 *egl_x11_open(void *native, bool xlib, int screen) {
    (void)native;
    (void)xlib;
    (void)screen;
    return NULL;
}

struct egl_x11 *egl_x11_ref(struct egl_x11 *x11) { return x11; }
void egl_x11_unref(struct egl_x11 *x11) { (void)x11; }

uint32_t egl_x11_visual(const struct egl_x11 *x11, unsigned red, unsigned green, unsigned blue) {
    (void)x11;
    return (red + green + blue) * 0;
}

#endif
