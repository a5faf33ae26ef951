/* SPDX-License-Identifier: MIT */
/*
 * The X11 platform on an Xvfb of the test's own: pictures on screen, resizing, windows that go away,
 * servers without shared memory and with 16 bits a pixel. Skipped where Xvfb is not installed.
 */
#define _XOPEN_SOURCE 700
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include "api/egl/egl.h"
#include "tests/unit/api_util.h"

extern char **environ;

struct server {
    pid_t pid;
    xcb_connection_t *c;
    xcb_screen_t *screen;
};

/* Starts Xvfb and connects to it; false if it is not there. */
static bool server_start(struct server *s, const char *screen, const char *extension) {
    int ends[2];
    char number[16] = "", fd[16];
    if (pipe(ends) != 0) {
        return false;
    }
    snprintf(fd, sizeof fd, "%d", ends[1]);
    const char *arguments[] = {"Xvfb", "-displayfd", fd, "-screen", "0", screen, "-nolisten", "tcp", "-noreset", "-extension",
                               extension, NULL};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    const int failed = posix_spawnp(&s->pid, "Xvfb", &files, NULL, (char **)(uintptr_t)arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    size_t n = 0;
    while (!failed && n + 1 < sizeof number - 1 && read(ends[0], number + 1 + n, 1) == 1 && number[1 + n] != '\n') {
        n++;
    }
    close(ends[0]);
    number[0] = ':';
    number[1 + n] = '\0';
    if (failed || n == 0) {
        return false;
    }
    setenv("DISPLAY", number, 1);
    s->c = xcb_connect(NULL, NULL);
    s->screen = xcb_setup_roots_iterator(xcb_get_setup(s->c)).data;
    return !xcb_connection_has_error(s->c);
}

static void server_stop(struct server *s) {
    xcb_disconnect(s->c);
    kill(s->pid, SIGTERM);
    waitpid(s->pid, NULL, 0);
}

static xcb_window_t window_open(const struct server *s, uint32_t visual, uint16_t width, uint16_t height) {
    const xcb_window_t w = xcb_generate_id(s->c);
    const xcb_colormap_t colors = xcb_generate_id(s->c);
    const uint32_t values[] = {0, colors};
    xcb_create_colormap(s->c, XCB_COLORMAP_ALLOC_NONE, colors, s->screen->root, visual);
    uint8_t depth = s->screen->root_depth;
    for (xcb_depth_iterator_t d = xcb_screen_allowed_depths_iterator(s->screen); d.rem; xcb_depth_next(&d)) {
        for (xcb_visualtype_iterator_t v = xcb_depth_visuals_iterator(d.data); v.rem; xcb_visualtype_next(&v)) {
            depth = v.data->visual_id == visual ? d.data->depth : depth;
        }
    }
    xcb_create_window(s->c, depth, w, s->screen->root, 10, 10, width, height, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, visual,
                      XCB_CW_BORDER_PIXEL | XCB_CW_COLORMAP, values);
    xcb_map_window(s->c, w);
    free(xcb_get_geometry_reply(s->c, xcb_get_geometry(s->c, w), NULL));
    return w;
}

/* Pixel of a drawable from its upper left corner, as the server stores it; ~0 if it cannot be read. */
static uint32_t screen_pixel(const struct server *s, xcb_drawable_t w, int16_t x, int16_t y) {
    xcb_get_image_reply_t *r = xcb_get_image_reply(
        s->c, xcb_get_image(s->c, XCB_IMAGE_FORMAT_Z_PIXMAP, w, x, y, 1, 1, ~0u), NULL);
    uint32_t value = ~0u;
    if (r && xcb_get_image_data_length(r) >= 4) {
        const uint8_t *b = xcb_get_image_data(r);
        value = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        value &= s->screen->root_depth == 16 ? 0xFFFFu : 0xFFFFFFu;
    }
    free(r);
    return value;
}

struct client {
    EGLDisplay d;
    EGLConfig config;
    EGLContext context;
    EGLSurface surface;
    xcb_window_t window;
};

/* The window has the visual that the config names, or the root's. */
static bool client_open(struct client *k, const struct server *s, EGLDisplay d, EGLint samples, EGLint red, bool root) {
    const EGLint list[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_SURFACE_TYPE, EGL_WINDOW_BIT, EGL_RED_SIZE, red,
                           EGL_SAMPLES,         samples,            EGL_NONE};
    const EGLint es2[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    EGLConfig configs[100];
    EGLint n = 0, visual = 0, have = 0;
    k->d = d;
    if (!eglInitialize(d, NULL, NULL) || !eglChooseConfig(d, list, configs, 100, &n) || n < 1) {
        return false;
    }
    k->config = configs[0];
    for (EGLint i = n; i-- > 0;) {
        eglGetConfigAttrib(d, configs[i], EGL_RED_SIZE, &have);
        k->config = have == red ? configs[i] : k->config;
    }
    eglGetConfigAttrib(d, k->config, EGL_NATIVE_VISUAL_ID, &visual);
    k->window = window_open(s, root ? s->screen->root_visual : (uint32_t)visual, 60, 40);
    k->surface = eglCreateWindowSurface(d, k->config, k->window, NULL);
    k->context = eglCreateContext(d, k->config, EGL_NO_CONTEXT, es2);
    return eglMakeCurrent(d, k->surface, k->surface, k->context);
}

static void client_close(struct client *k) {
    CHECK(eglMakeCurrent(k->d, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
    CHECK(eglTerminate(k->d));
}

/* Lower left quarter red, the rest blue. */
static void draw_quarters(GLint width, GLint height) {
    glDisable(GL_SCISSOR_TEST);
    glClearColor(0, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, width / 2, height / 2);
    glClearColor(1, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

static void check_pictures(const struct server *s, EGLDisplay d, EGLint samples) {
    struct client k;
    CHECK(client_open(&k, s, d, samples, 8, false));
    EGLint width = 0, type = 0;
    CHECK(eglQuerySurface(d, k.surface, EGL_WIDTH, &width) && width == 60);
    CHECK(eglGetConfigAttrib(d, k.config, EGL_NATIVE_VISUAL_TYPE, &type) && type == 4);
    for (int frame = 0; frame < 3; frame++) {
        draw_quarters(60, 40);
        CHECK(eglSwapBuffers(d, k.surface) && eglWaitGL());
        CHECK_EQ_INT(screen_pixel(s, k.window, 0, 39), 0xFF0000);
        CHECK_EQ_INT(screen_pixel(s, k.window, 29, 20), 0xFF0000);
        CHECK_EQ_INT(screen_pixel(s, k.window, 0, 19), 0x0000FF);
        CHECK_EQ_INT(screen_pixel(s, k.window, 59, 39), 0x0000FF);
    }
    /* A larger window: followed at the swap, which shows what was drawn before at the lower left. */
    const uint32_t size[] = {100, 80};
    xcb_configure_window(s->c, k.window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
    free(xcb_get_geometry_reply(s->c, xcb_get_geometry(s->c, k.window), NULL));
    CHECK(eglSwapBuffers(d, k.surface) && eglWaitGL());
    CHECK(eglQuerySurface(d, k.surface, EGL_WIDTH, &width) && width == 100);
    CHECK_EQ_INT(screen_pixel(s, k.window, 0, 79), 0xFF0000);
    CHECK_EQ_INT(screen_pixel(s, k.window, 0, 59), 0x0000FF);
    draw_quarters(100, 80);
    CHECK(eglSwapBuffers(d, k.surface) && eglWaitGL());
    CHECK_EQ_INT(screen_pixel(s, k.window, 49, 40), 0xFF0000);
    CHECK_EQ_INT(screen_pixel(s, k.window, 99, 0), 0x0000FF);
    /* A pixmap takes a copy. */
    const xcb_pixmap_t pixmap = xcb_generate_id(s->c);
    xcb_create_pixmap(s->c, s->screen->root_depth, pixmap, s->screen->root, 100, 80);
    free(xcb_get_geometry_reply(s->c, xcb_get_geometry(s->c, pixmap), NULL));
    CHECK(eglCopyBuffers(d, k.surface, pixmap) && eglWaitGL());
    CHECK_EQ_INT(screen_pixel(s, pixmap, 49, 40), 0xFF0000);
    CHECK_EQ_INT(screen_pixel(s, pixmap, 99, 0), 0x0000FF);
    CHECK(!eglCopyBuffers(d, k.surface, 12345) && eglGetError() == EGL_BAD_NATIVE_PIXMAP);
    /* One surface for a window; no surface without a window. */
    CHECK(eglCreateWindowSurface(d, k.config, k.window, NULL) == EGL_NO_SURFACE && eglGetError() == EGL_BAD_ALLOC);
    CHECK(eglCreateWindowSurface(d, k.config, 12345, NULL) == EGL_NO_SURFACE && eglGetError() == EGL_BAD_NATIVE_WINDOW);
    /* The window goes: the swap says so, and nothing else happens. */
    xcb_destroy_window(s->c, k.window);
    free(xcb_get_geometry_reply(s->c, xcb_get_geometry(s->c, s->screen->root), NULL));
    CHECK(!eglSwapBuffers(d, k.surface) && eglGetError() == EGL_BAD_NATIVE_WINDOW);
    CHECK(eglDestroySurface(d, k.surface));
    client_close(&k);
}

TEST(windows) {
    struct server s;
    if (!server_start(&s, "320x200x24", "GLX")) {
        SKIP("Xvfb is not installed");
    }
    check_pictures(&s, eglGetPlatformDisplay(EGL_PLATFORM_X11_EXT, NULL, NULL), 0);
    check_pictures(&s, eglGetPlatformDisplay(EGL_PLATFORM_XCB_EXT, s.c, NULL), 4);
    setenv("EGL_PLATFORM", "x11", 1);
    check_pictures(&s, eglGetDisplay(EGL_DEFAULT_DISPLAY), 0);
    unsetenv("EGL_PLATFORM");
    /* Platform calls get the window's address. */
    EGLDisplay d = eglGetPlatformDisplay(EGL_PLATFORM_XCB_EXT, s.c, NULL);
    struct client k;
    CHECK(client_open(&k, &s, d, 0, 8, false));
    eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    CHECK(eglDestroySurface(d, k.surface));
    CHECK(eglCreatePlatformWindowSurface(d, k.config, &k.window, NULL) != EGL_NO_SURFACE);
    client_close(&k);
    const EGLAttrib second_screen[] = {EGL_PLATFORM_X11_SCREEN_EXT, 1, EGL_NONE};
    EGLDisplay none = eglGetPlatformDisplay(EGL_PLATFORM_X11_EXT, NULL, second_screen);
    CHECK(none != EGL_NO_DISPLAY && !eglInitialize(none, NULL, NULL) && eglGetError() == EGL_NOT_INITIALIZED);
    server_stop(&s);
}

TEST(xlib_display) {
    struct server s;
    void *xlib = dlopen("libX11.so.6", RTLD_LAZY);
    void *(*open_display)(const char *) = NULL;
    int (*close_display)(void *) = NULL;
    void *address = xlib ? dlsym(xlib, "XOpenDisplay") : NULL;
    memcpy(&open_display, &address, sizeof address);
    address = xlib ? dlsym(xlib, "XCloseDisplay") : NULL;
    memcpy(&close_display, &address, sizeof address);
    if (!address || !dlopen("libX11-xcb.so.1", RTLD_LAZY)) {
        SKIP("Xlib is not installed");
    }
    if (!server_start(&s, "320x200x24", "GLX")) {
        SKIP("Xvfb is not installed");
    }
    void *display = open_display(NULL);
    CHECK(display != NULL);
    check_pictures(&s, eglGetDisplay((EGLNativeDisplayType)display), 0);
    close_display(display);
    server_stop(&s);
}

TEST(without_shared_memory) {
    struct server s;
    if (!server_start(&s, "320x200x24", "MIT-SHM")) {
        SKIP("Xvfb is not installed");
    }
    check_pictures(&s, eglGetPlatformDisplay(EGL_PLATFORM_XCB_EXT, s.c, NULL), 0);
    /* A picture larger than one request. */
    struct client k;
    EGLDisplay d = eglGetPlatformDisplay(EGL_PLATFORM_XCB_EXT, s.c, NULL);
    CHECK(client_open(&k, &s, d, 0, 8, false));
    const uint32_t size[] = {3000, 2000};
    xcb_configure_window(s.c, k.window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
    CHECK(eglSwapBuffers(d, k.surface) && eglWaitGL());
    draw_quarters(3000, 2000);
    CHECK(eglSwapBuffers(d, k.surface) && eglWaitGL());
    CHECK_EQ_INT(screen_pixel(&s, k.window, 5, 100), 0x0000FF);
    CHECK_EQ_INT(screen_pixel(&s, k.window, 300, 100), 0x0000FF);
    client_close(&k);
    server_stop(&s);
}

TEST(sixteen_bits) {
    struct server s;
    if (!server_start(&s, "320x200x16", "GLX")) {
        SKIP("Xvfb is not installed");
    }
    EGLDisplay d = eglGetPlatformDisplay(EGL_PLATFORM_XCB_EXT, s.c, NULL);
    for (EGLint red = 5; red <= 8; red += 3) {
        struct client k;
        CHECK(client_open(&k, &s, d, 0, red, red == 8));
        draw_quarters(60, 40);
        CHECK(eglSwapBuffers(d, k.surface) && eglWaitGL());
        CHECK_EQ_INT(screen_pixel(&s, k.window, 0, 39), 0xF800);
        CHECK_EQ_INT(screen_pixel(&s, k.window, 58, 0), 0x001F);
        client_close(&k);
    }
    server_stop(&s);
}
