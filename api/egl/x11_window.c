/* SPDX-License-Identifier: MIT */
/*
 * Windows of X servers: from an image of the renderer to the screen. The picture is written top row first
 * into memory shared with the server (MIT-SHM) or, where it refuses that, sent with PutImage in bands.
 * Errors of the server about a window that went away are thrown away: they must not reach the client's
 * error handler, which by default ends the program.
 */
#define _XOPEN_SOURCE 700 /* shmget */
#include "api/egl/x11_internal.h"

#include <stdlib.h>
#include <string.h>

#if defined(VLGL_X11)

#include <sys/ipc.h>
#include <sys/shm.h>

struct egl_window {
    struct egl_x11 *x11;
    xcb_drawable_t id;
    xcb_gcontext_t gc;
    struct egl_x11_pixels pixels;
    xcb_get_geometry_cookie_t asked;
    bool waiting;             /* 'asked' is under way */
    bool no_shm;              /* the server refused once */
    uint8_t *data;            /* rows from the top */
    size_t size;              /* bytes of 'data' */
    uint32_t segment;         /* the server's name of 'data' in shared memory, 0 = ordinary memory */
};

/* ---- MIT-SHM, the four requests we need ------------------------------------------------------------------- */

static xcb_extension_t shm_extension = {"MIT-SHM", 0};
enum { SHM_ATTACH = 1, SHM_DETACH = 2, SHM_PUT_IMAGE = 3 };

struct shm_attach {
    uint8_t major, minor;
    uint16_t length;
    uint32_t segment, id;
    uint8_t read_only, pad[3];
};
struct shm_detach {
    uint8_t major, minor;
    uint16_t length;
    uint32_t segment;
};
struct shm_put_image {
    uint8_t major, minor;
    uint16_t length;
    uint32_t drawable, gc;
    uint16_t total_width, total_height, src_x, src_y, src_width, src_height;
    int16_t dst_x, dst_y;
    uint8_t depth, format, send_event, pad;
    uint32_t segment, offset;
};

/* Sends a request without reply whose errors are not events; returns its number. */
static unsigned shm_send(const struct egl_x11 *x11, uint8_t opcode, void *request, size_t size) {
    const xcb_protocol_request_t protocol = {.count = 2, .ext = &shm_extension, .opcode = opcode, .isvoid = 1};
    struct iovec parts[4] = {{NULL, 0}, {NULL, 0}, {request, size}, {NULL, -size & 3}};
    return x11->xcb->send_request(x11->connection, XCB_REQUEST_CHECKED, parts + 2, &protocol);
}

/* ---- the picture's memory ------------------------------------------------------------------------------- */

static void release_memory(struct egl_window *w) {
    if (w->segment) {
        struct shm_detach request = {.segment = w->segment};
        w->x11->xcb->discard_reply(w->x11->connection, shm_send(w->x11, SHM_DETACH, &request, sizeof request));
        shmdt(w->data);
    } else {
        free(w->data);
    }
    w->data = NULL;
    w->segment = 0;
    w->size = 0;
}

static bool share_memory(struct egl_window *w, size_t size) {
    const struct egl_xcb *xcb = w->x11->xcb;
    const int id = shmget(IPC_PRIVATE, size, IPC_CREAT | 0600);
    if (id < 0) {
        return false;
    }
    void *data = shmat(id, NULL, 0);
    bool ok = data != (void *)-1;
    if (ok) {
        struct shm_attach request = {.segment = xcb->generate_id(w->x11->connection), .id = (uint32_t)id, .read_only = 1};
        const xcb_void_cookie_t cookie = {shm_send(w->x11, SHM_ATTACH, &request, sizeof request)};
        xcb_generic_error_t *error = xcb->request_check(w->x11->connection, cookie);
        ok = !error && !xcb->connection_has_error(w->x11->connection);
        free(error);
        if (ok) {
            w->data = data;
            w->segment = request.segment;
        } else {
            shmdt(data);
        }
    }
    shmctl(id, IPC_RMID, NULL); /* it goes when both sides have let it go */
    return ok;
}

static bool reserve_memory(struct egl_window *w, size_t size) {
    if (w->data && w->size >= size && w->size / 4 <= size) {
        return true;
    }
    release_memory(w);
    if (w->x11->shm && !w->no_shm && !share_memory(w, size)) {
        w->no_shm = true;
    }
    if (!w->data) {
        w->data = malloc(size);
    }
    w->size = w->data ? size : 0;
    return w->data != NULL;
}

/* ---- windows ---------------------------------------------------------------------------------------------- */

static enum egl_window_result set_up(struct egl_window *w, uint32_t visual, uint8_t depth) {
    if (!egl_x11_pixels_of(w->x11, visual, depth, &w->pixels)) {
        return EGL_WINDOW_BAD_MATCH;
    }
    const uint32_t no_exposures = 0;
    w->gc = w->x11->xcb->generate_id(w->x11->connection);
    w->x11->xcb->create_gc(w->x11->connection, w->gc, w->id, XCB_GC_GRAPHICS_EXPOSURES, &no_exposures);
    return EGL_WINDOW_OK;
}

enum egl_window_result egl_window_create(struct egl_x11 *x11, uint32_t id, struct egl_window **window, uint32_t *width,
                                         uint32_t *height) {
    const struct egl_xcb *xcb = x11->xcb;
    struct egl_window *w = calloc(1, sizeof *w);
    if (!w) {
        return EGL_WINDOW_BAD_ALLOC;
    }
    w->x11 = egl_x11_ref(x11);
    w->id = id;
    xcb_generic_error_t *error = NULL;
    egl_window_ask(w);
    xcb_get_window_attributes_reply_t *a =
        xcb->get_window_attributes_reply(x11->connection, xcb->get_window_attributes(x11->connection, id), &error);
    enum egl_window_result result = EGL_WINDOW_BAD_NATIVE;
    if (egl_window_size(w, width, height) && a) {
        result = a->_class == XCB_WINDOW_CLASS_INPUT_ONLY ? EGL_WINDOW_BAD_MATCH : set_up(w, a->visual, 0);
    }
    free(a);
    free(error);
    if (result != EGL_WINDOW_OK) {
        egl_window_destroy(w);
        return result;
    }
    *window = w;
    return EGL_WINDOW_OK;
}

void egl_window_destroy(struct egl_window *w) {
    if (!w) {
        return;
    }
    const struct egl_xcb *xcb = w->x11->xcb;
    if (w->waiting) {
        xcb->discard_reply(w->x11->connection, w->asked.sequence);
    }
    release_memory(w);
    if (w->gc) {
        xcb->free_gc(w->x11->connection, w->gc);
        xcb->flush(w->x11->connection);
    }
    egl_x11_unref(w->x11);
    free(w);
}

uint32_t egl_window_id(const struct egl_window *w) { return w->id; }

void egl_window_ask(struct egl_window *w) {
    if (!w->waiting) {
        w->asked = w->x11->xcb->get_geometry(w->x11->connection, w->id);
        w->x11->xcb->flush(w->x11->connection);
        w->waiting = true;
    }
}

bool egl_window_size(struct egl_window *w, uint32_t *width, uint32_t *height) {
    egl_window_ask(w);
    xcb_generic_error_t *error = NULL;
    xcb_get_geometry_reply_t *reply = w->x11->xcb->get_geometry_reply(w->x11->connection, w->asked, &error);
    const bool ok = reply != NULL;
    if (ok) {
        *width = reply->width;
        *height = reply->height;
    }
    w->waiting = false;
    free(reply);
    free(error);
    return ok;
}

/* ---- pictures --------------------------------------------------------------------------------------------- */

static uint32_t scale(uint32_t value8, uint32_t mask) {
    if (!mask) {
        return 0;
    }
    const uint32_t low = mask & -mask;
    const uint64_t most = mask / low;
    return (uint32_t)((value8 * most + 127) / 255) * low;
}

/* One row of RGBA bytes, in place of which any layout of the server is written. */
static void convert_row(const struct egl_x11 *x11, const struct egl_x11_pixels *p, const uint8_t *rgba, uint32_t width,
                        uint8_t *out) {
    for (uint32_t x = 0; x < width; x++, rgba += 4) {
        uint32_t v = scale(rgba[0], p->mask[0]) | scale(rgba[1], p->mask[1]) | scale(rgba[2], p->mask[2]);
        v |= scale(rgba[3], p->alpha_mask);
        for (unsigned b = 0; b < p->bytes; b++) {
            const unsigned shift = 8 * (x11->msb_first ? p->bytes - 1u - b : b);
            *out++ = (uint8_t)(v >> shift);
        }
    }
}

static size_t row_size(const struct egl_window *w, uint32_t width) {
    const size_t pad = w->pixels.pad;
    return ((size_t)width * w->pixels.bytes + pad - 1) / pad * pad;
}

/* All rows, the top one first. False when memory is out. */
static bool write_picture(struct egl_window *w, const struct rn_image *image) {
    const struct egl_x11_pixels *p = &w->pixels;
    const size_t stride = row_size(w, image->width);
    const bool usual = p->bytes == 4 && p->mask[0] == 0xFF0000 && p->mask[1] == 0xFF00 && p->mask[2] == 0xFF &&
                       !w->x11->msb_first;
    uint8_t *row = usual ? NULL : malloc((size_t)image->width * 4);
    if (!reserve_memory(w, stride * image->height) || (!usual && !row)) {
        free(row);
        return false;
    }
    for (uint32_t y = 0; y < image->height; y++) {
        const struct rn_box box = {0, (int32_t)y, 0, image->width, 1, 1};
        uint8_t *out = w->data + (image->height - 1 - y) * stride;
        if (usual) {
            rn_image_read(image, &box, RN_LAYOUT_BGRA_U8, out, stride);
        } else {
            rn_image_read(image, &box, RN_LAYOUT_RGBA_U8, row, (size_t)image->width * 4);
            convert_row(w->x11, p, row, image->width, out);
        }
    }
    free(row);
    return true;
}

/* By PutImage, as many rows at a time as a request holds. */
static void send_picture(const struct egl_window *w, const struct rn_image *image, int16_t dst_y) {
    const struct egl_x11 *x11 = w->x11;
    const size_t stride = row_size(w, image->width);
    const size_t most = (size_t)x11->xcb->get_maximum_request_length(x11->connection) * 4 - 64;
    const uint32_t band = stride > most ? 0 : (uint32_t)(most / stride);
    for (uint32_t y = 0; band && y < image->height; y += band) {
        const uint32_t rows = image->height - y < band ? image->height - y : band;
        const xcb_void_cookie_t cookie = x11->xcb->put_image_checked(
            x11->connection, XCB_IMAGE_FORMAT_Z_PIXMAP, w->id, w->gc, (uint16_t)image->width, (uint16_t)rows, 0,
            (int16_t)(dst_y + (int32_t)y), 0, w->pixels.depth, (uint32_t)(stride * rows), w->data + y * stride);
        x11->xcb->discard_reply(x11->connection, cookie.sequence);
    }
}

static bool present(struct egl_window *w, const struct rn_image *image, int16_t dst_y) {
    if (!image->width || !image->height) {
        return true;
    }
    if (!write_picture(w, image)) {
        return false;
    }
    if (w->segment) {
        struct shm_put_image request = {.drawable = w->id,
                                        .gc = w->gc,
                                        .total_width = (uint16_t)image->width,
                                        .total_height = (uint16_t)image->height,
                                        .src_width = (uint16_t)image->width,
                                        .src_height = (uint16_t)image->height,
                                        .dst_y = dst_y,
                                        .depth = w->pixels.depth,
                                        .format = XCB_IMAGE_FORMAT_Z_PIXMAP,
                                        .segment = w->segment};
        w->x11->xcb->discard_reply(w->x11->connection, shm_send(w->x11, SHM_PUT_IMAGE, &request, sizeof request));
    } else {
        send_picture(w, image, dst_y);
    }
    w->x11->xcb->flush(w->x11->connection);
    return true;
}

bool egl_window_present(struct egl_window *w, const struct rn_image *image, uint32_t window_height) {
    return present(w, image, (int16_t)((int32_t)window_height - (int32_t)image->height));
}

enum egl_window_result egl_x11_copy(struct egl_x11 *x11, uint32_t pixmap, const struct rn_image *image) {
    struct egl_window w = {.x11 = x11, .id = pixmap, .no_shm = true};
    xcb_generic_error_t *error = NULL;
    xcb_get_geometry_reply_t *reply =
        x11->xcb->get_geometry_reply(x11->connection, x11->xcb->get_geometry(x11->connection, pixmap), &error);
    enum egl_window_result result = reply ? set_up(&w, 0, reply->depth) : EGL_WINDOW_BAD_NATIVE;
    if (result == EGL_WINDOW_OK) {
        const int32_t dst_y = (int32_t)reply->height - (int32_t)image->height;
        result = present(&w, image, (int16_t)dst_y) ? EGL_WINDOW_OK : EGL_WINDOW_BAD_ALLOC;
        release_memory(&w);
        x11->xcb->free_gc(x11->connection, w.gc);
        x11->xcb->flush(x11->connection);
    }
    free(reply);
    free(error);
    return result;
}

#else

enum egl_window_result egl_window_create(struct egl_x11 *x11, uint32_t id, struct egl_window **window, uint32_t *width,
                                         uint32_t *height) {
    (void)x11;
    (void)id;
    (void)window;
    (void)width;
    (void)height;
    return EGL_WINDOW_BAD_NATIVE;
}

void egl_window_destroy(struct egl_window *w) { (void)w; }
uint32_t egl_window_id(const struct egl_window *w) { return w ? 1 : 0; }
void egl_window_ask(struct egl_window *w) { (void)w; }

bool egl_window_size(struct egl_window *w, uint32_t *width, uint32_t *height) {
    (void)w;
    *width = *height = 0;
    return false;
}

bool egl_window_present(struct egl_window *w, const struct rn_image *image, uint32_t window_height) {
    (void)w;
    (void)window_height;
    return image != NULL;
}

enum egl_window_result egl_x11_copy(struct egl_x11 *x11, uint32_t pixmap, const struct rn_image *image) {
    (void)x11;
    (void)pixmap;
    (void)image;
    return EGL_WINDOW_BAD_NATIVE;
}

#endif
