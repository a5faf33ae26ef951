/* SPDX-License-Identifier: MIT */
/*
 * EGL on the headless platforms: configs and their order, off-screen windows, which platform is meant,
 * surfaces with samples, and variables of the environment that are none.
 */
#include <stdlib.h>

#include "api/egl/egl.h"
#include "tests/unit/api_util.h"

static EGLDisplay start(void) {
    EGLDisplay d = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    EGLint major = 0, minor = 0;
    CHECK(eglInitialize(d, &major, &minor) && major == 1 && minor == 5);
    CHECK(eglBindAPI(EGL_OPENGL_ES_API));
    return d;
}

static EGLint config_int(EGLDisplay d, EGLConfig c, EGLint attribute) {
    EGLint value = -1;
    CHECK(eglGetConfigAttrib(d, c, attribute, &value));
    return value;
}

static EGLConfig choose(EGLDisplay d, EGLint surface, EGLint samples, EGLint alpha) {
    const EGLint list[] = {EGL_SURFACE_TYPE, surface,   EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_RED_SIZE, 8,
                           EGL_ALPHA_SIZE,   alpha,     EGL_DEPTH_SIZE,      24,                 EGL_SAMPLES,  samples,
                           EGL_STENCIL_SIZE, 8,         EGL_NONE};
    EGLConfig config = NULL;
    EGLint n = 0;
    CHECK(eglChooseConfig(d, list, &config, 1, &n) && n == 1);
    return config;
}

static EGLContext context_of(EGLDisplay d, EGLConfig config) {
    const EGLint list[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    return eglCreateContext(d, config, EGL_NO_CONTEXT, list);
}

#define CHECK_EGL_ERROR(error) CHECK_EQ_INT(eglGetError(), error)

TEST(configs_are_sorted_and_complete) {
    EGLDisplay d = start();
    static const EGLint any[] = {EGL_NONE};
    EGLConfig configs[100];
    EGLint n = 0;
    CHECK(eglChooseConfig(d, any, NULL, 0, &n) && n == 0); /* the default asks for OpenGL ES 1 */
    static const EGLint es2[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_RED_SIZE, 1, EGL_NONE};
    CHECK(eglChooseConfig(d, es2, configs, 100, &n) && n > 20);
    unsigned multisampled = 0;
    for (EGLint i = 0; i < n; i++) {
        const EGLint samples = config_int(d, configs[i], EGL_SAMPLES);
        CHECK_EQ_INT(config_int(d, configs[i], EGL_SAMPLE_BUFFERS), samples != 0);
        CHECK(samples == 0 || samples == 4);
        CHECK(samples == 0 || (!config_int(d, configs[i], EGL_BIND_TO_TEXTURE_RGB) &&
                               !config_int(d, configs[i], EGL_BIND_TO_TEXTURE_RGBA)));
        multisampled += samples != 0;
        CHECK_EQ_INT(config_int(d, configs[i], EGL_NATIVE_VISUAL_TYPE), EGL_NONE);
        if (i > 0) {
            /* red counts first, largest first; then buffer size, samples, depth, stencil, id, smallest first */
            static const EGLint keys[] = {EGL_BUFFER_SIZE, EGL_SAMPLES, EGL_DEPTH_SIZE, EGL_STENCIL_SIZE, EGL_CONFIG_ID};
            EGLint order = config_int(d, configs[i], EGL_RED_SIZE) - config_int(d, configs[i - 1], EGL_RED_SIZE);
            for (unsigned k = 0; k < 5 && order == 0; k++) {
                order = config_int(d, configs[i - 1], keys[k]) - config_int(d, configs[i], keys[k]);
            }
            CHECK(order < 0);
        }
    }
    CHECK(multisampled > 0);
    EGLConfig four = choose(d, EGL_PBUFFER_BIT, 1, 8);
    CHECK_EQ_INT(config_int(d, four, EGL_SAMPLES), 4);
    static const EGLint too_many[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_SAMPLES, 5, EGL_NONE};
    CHECK(eglChooseConfig(d, too_many, configs, 100, &n) && n == 0);
    eglTerminate(d);
}

TEST(off_screen_windows) {
    setenv("VLGL_WINDOW", "100x60", 1);
    EGLDisplay d = start();
    EGLConfig config = choose(d, EGL_WINDOW_BIT, 0, 8);
    EGLContext context = context_of(d, config);
    EGLSurface s = eglCreateWindowSurface(d, config, 0, NULL);
    EGLint width = 0, height = 0;
    CHECK(s != EGL_NO_SURFACE);
    CHECK(eglQuerySurface(d, s, EGL_WIDTH, &width) && width == 100);
    CHECK(eglQuerySurface(d, s, EGL_HEIGHT, &height) && height == 60);
    CHECK(eglMakeCurrent(d, s, s, context));
    for (EGLint value = 99; value == 99; value--) { /* attributes of pbuffers leave the value alone */
        CHECK(eglQuerySurface(d, s, EGL_LARGEST_PBUFFER, &value) && eglQuerySurface(d, s, EGL_MIPMAP_LEVEL, &value));
        CHECK_EQ_INT(value, 99);
    }
    CHECK(eglCreateSync(d, EGL_NONE, NULL) == EGL_NO_SYNC && eglGetError() == EGL_BAD_PARAMETER);
    CHECK(eglCreateSyncKHR(d, EGL_NONE, NULL) == EGL_NO_SYNC_KHR && eglGetError() == EGL_BAD_ATTRIBUTE);
    glClearColor(1, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    CHECK(eglSwapInterval(d, 7));
    CHECK(eglSwapBuffers(d, s));
    CHECK_EQ_INT(api_pixel(99, 59), 0xFF00FFFF); /* the buffer is kept */
    CHECK(eglCreateWindowSurface(d, config, (EGLNativeWindowType)1, NULL) == EGL_NO_SURFACE);
    CHECK_EGL_ERROR(EGL_BAD_NATIVE_WINDOW);
    const EGLint bad[] = {EGL_WIDTH, 5, EGL_NONE};
    CHECK(eglCreateWindowSurface(d, config, 0, bad) == EGL_NO_SURFACE);
    CHECK_EGL_ERROR(EGL_BAD_ATTRIBUTE);
    CHECK(eglCreateWindowSurface(d, NULL, 0, NULL) == EGL_NO_SURFACE);
    CHECK_EGL_ERROR(EGL_BAD_CONFIG);
    CHECK(eglCreatePixmapSurface(d, config, 0, NULL) == EGL_NO_SURFACE);
    CHECK_EGL_ERROR(EGL_BAD_MATCH);
    CHECK(!eglCopyBuffers(d, s, 0));
    CHECK_EGL_ERROR(EGL_BAD_NATIVE_PIXMAP);
    const EGLAttrib srgb[] = {EGL_GL_COLORSPACE, EGL_GL_COLORSPACE_SRGB, EGL_NONE};
    EGLSurface second = eglCreatePlatformWindowSurface(d, config, NULL, srgb);
    CHECK(second != EGL_NO_SURFACE && second != s);
    EGLint space = 0;
    CHECK(eglQuerySurface(d, second, EGL_GL_COLORSPACE, &space) && space == EGL_GL_COLORSPACE_SRGB);
    CHECK(eglDestroySurface(d, s)); /* current: goes at release */
    CHECK(eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
    CHECK(eglTerminate(d));
    unsetenv("VLGL_WINDOW");
}

/* A context that was first current without surfaces draws into one that comes later. */
TEST(surface_after_none) {
    EGLDisplay d = start();
    EGLConfig config = choose(d, EGL_PBUFFER_BIT, 0, 8);
    EGLContext context = context_of(d, EGL_NO_CONFIG_KHR);
    const EGLint size[] = {EGL_WIDTH, 4, EGL_HEIGHT, 4, EGL_NONE};
    EGLSurface s = eglCreatePbufferSurface(d, config, size);
    CHECK(eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_UNDEFINED_OES);
    glClear(GL_COLOR_BUFFER_BIT);
    CHECK_ERROR(GL_INVALID_FRAMEBUFFER_OPERATION);
    GLuint program = api_program(api_vertex, "void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }");
    CHECK(eglMakeCurrent(d, s, s, context));
    glUseProgram(program);
    glViewport(0, 0, 4, 4);
    api_quad();
    CHECK_EQ_INT(api_pixel(2, 2), 0x00FF00FF);
    glClearColor(1, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    CHECK_EQ_INT(api_pixel(2, 2), 0xFF0000FF);
    eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglTerminate(d);
}

TEST(damage_and_age) {
    EGLDisplay d = start();
    EGLConfig config = choose(d, EGL_WINDOW_BIT, 0, 8);
    EGLContext context = context_of(d, config);
    EGLSurface s = eglCreateWindowSurface(d, config, 0, NULL);
    const EGLint one[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
    EGLSurface pbuffer = eglCreatePbufferSurface(d, config, one);
    EGLint age = 7, rects[] = {0, 0, 10, 10};
    CHECK(!eglQuerySurface(d, s, EGL_BUFFER_AGE_EXT, &age) && eglGetError() == EGL_BAD_SURFACE && age == 7);
    CHECK(!eglSetDamageRegionKHR(d, s, rects, 1) && eglGetError() == EGL_BAD_MATCH);
    CHECK(eglMakeCurrent(d, s, s, context));
    CHECK(!eglSetDamageRegionKHR(d, s, rects, 1) && eglGetError() == EGL_BAD_ACCESS); /* the age first */
    CHECK(eglQuerySurface(d, s, EGL_BUFFER_AGE_EXT, &age) && age == 0);
    CHECK(!eglSetDamageRegionKHR(d, s, NULL, 1) && eglGetError() == EGL_BAD_PARAMETER);
    CHECK(eglSetDamageRegionKHR(d, s, rects, 1));
    CHECK(!eglSetDamageRegionKHR(d, s, rects, 1) && eglGetError() == EGL_BAD_ACCESS); /* once a frame */
    CHECK(eglSwapBuffersWithDamageKHR(d, s, rects, 1));
    CHECK(eglQuerySurface(d, s, EGL_BUFFER_AGE_EXT, &age) && age == 1);
    CHECK(eglSetDamageRegionKHR(d, s, NULL, 0) && eglSwapBuffersWithDamageEXT(d, s, NULL, 0));
    CHECK(!eglSwapBuffersWithDamageKHR(d, s, NULL, 1) && eglGetError() == EGL_BAD_PARAMETER);
    CHECK(!eglSwapBuffersWithDamageKHR(d, s, rects, -1) && eglGetError() == EGL_BAD_PARAMETER);
    CHECK(!eglSwapBuffersWithDamageKHR(d, pbuffer, rects, 1) && eglGetError() == EGL_BAD_SURFACE);
    CHECK(eglSurfaceAttrib(d, s, EGL_SWAP_BEHAVIOR, EGL_BUFFER_PRESERVED));
    CHECK(eglQuerySurface(d, s, EGL_BUFFER_AGE_EXT, &age) && age == 1);
    CHECK(!eglSetDamageRegionKHR(d, s, rects, 1) && eglGetError() == EGL_BAD_MATCH);
    CHECK(eglMakeCurrent(d, pbuffer, pbuffer, context));
    CHECK(eglQuerySurface(d, pbuffer, EGL_BUFFER_AGE_EXT, &age) && age == 0);
    CHECK(!eglSetDamageRegionKHR(d, pbuffer, rects, 1) && eglGetError() == EGL_BAD_MATCH);
    eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglTerminate(d);
}

/* Attributes that have only some values refuse others. */
TEST(bad_values_of_config_attributes) {
    EGLDisplay d = start();
    static const EGLint bad[][2] = {{EGL_BIND_TO_TEXTURE_RGB, 4}, {EGL_NATIVE_RENDERABLE, 2}, {EGL_COLOR_BUFFER_TYPE, 0},
                                    {EGL_TRANSPARENT_TYPE, 6},    {EGL_CONFIG_CAVEAT, 1},     {EGL_LEVEL, EGL_DONT_CARE},
                                    {EGL_RED_SIZE, -2},           {0x1234, 1}};
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const EGLint list[] = {bad[i][0], bad[i][1], EGL_NONE};
        EGLint n = 5;
        CHECK(!eglChooseConfig(d, list, NULL, 0, &n) && eglGetError() == EGL_BAD_ATTRIBUTE && n == 5);
    }
    eglTerminate(d);
}

TEST(which_platform) {
    static const char not_a_display;
    unsetenv("EGL_PLATFORM");
    EGLDisplay headless = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    EGLDisplay surfaceless = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
    CHECK(headless != EGL_NO_DISPLAY && surfaceless != EGL_NO_DISPLAY && headless != surfaceless);
    setenv("EGL_PLATFORM", "surfaceless", 1);
    CHECK(eglGetDisplay(EGL_DEFAULT_DISPLAY) == surfaceless);
    CHECK(eglGetDisplay((EGLNativeDisplayType)(uintptr_t)&not_a_display) == surfaceless);
    setenv("EGL_PLATFORM", "of another library", 1);
    CHECK(eglGetDisplay(EGL_DEFAULT_DISPLAY) == headless);
    unsetenv("EGL_PLATFORM");
    EGLDeviceEXT device = EGL_NO_DEVICE_EXT;
    EGLint n = 0;
    CHECK(eglQueryDevicesEXT(1, &device, &n) && n == 1);
    EGLDisplay of_device = eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, device, NULL);
    CHECK(of_device != EGL_NO_DISPLAY && of_device != headless && of_device != surfaceless);
    CHECK(eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, NULL, NULL) == EGL_NO_DISPLAY);
    CHECK_EGL_ERROR(EGL_BAD_PARAMETER);
    const EGLAttrib attribute[] = {EGL_WIDTH, 1, EGL_NONE};
    CHECK(eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, attribute) == EGL_NO_DISPLAY);
    CHECK_EGL_ERROR(EGL_BAD_ATTRIBUTE);
    CHECK(eglGetPlatformDisplay(EGL_PLATFORM_WAYLAND_EXT, NULL, NULL) == EGL_NO_DISPLAY);
    CHECK_EGL_ERROR(EGL_BAD_PARAMETER);
    if (egl_x11_supported()) {
        setenv("DISPLAY", ":no-server", 1);
        EGLDisplay x11 = eglGetPlatformDisplay(EGL_PLATFORM_X11_EXT, NULL, NULL);
        CHECK(x11 != EGL_NO_DISPLAY && x11 == eglGetPlatformDisplay(EGL_PLATFORM_X11_EXT, NULL, NULL));
        CHECK(eglGetPlatformDisplay(EGL_PLATFORM_XCB_EXT, NULL, NULL) != x11);
        CHECK(!eglInitialize(x11, NULL, NULL));
        CHECK_EGL_ERROR(EGL_NOT_INITIALIZED);
        CHECK_STR(vlglGetMessage(), "no X server can be reached");
        CHECK(eglGetPlatformDisplay(EGL_PLATFORM_X11_EXT, NULL, attribute) == EGL_NO_DISPLAY);
        CHECK_EGL_ERROR(EGL_BAD_ATTRIBUTE);
        CHECK(eglGetDisplay(EGL_DEFAULT_DISPLAY) == headless); /* even with DISPLAY set */
        unsetenv("DISPLAY");
    }
}

/* Sum over all pixels of red, in 255ths, and the number of pixels neither black nor white. */
static double red_sum(int size, unsigned *between) {
    uint8_t *pixels = calloc((size_t)size * (size_t)size, 4);
    double sum = 0;
    *between = 0;
    glReadPixels(0, 0, size, size, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (int i = 0; i < size * size; i++) {
        sum += pixels[4 * i] / 255.0;
        *between += pixels[4 * i] > 0 && pixels[4 * i] < 255;
    }
    free(pixels);
    return sum;
}

/* Draws vertices given in pixels of a 64 x 64 target, added up, white. */
static double draw_added(GLenum mode, const float *xy, int count, unsigned *between) {
    float at[32];
    for (int i = 0; i < 2 * count; i++) {
        at[i] = xy[i] / 32.0f - 1.0f;
    }
    glClear(GL_COLOR_BUFFER_BIT);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, at);
    glEnableVertexAttribArray(0);
    glDrawArrays(mode, 0, count);
    return red_sum(64, between);
}

TEST(four_samples) {
    EGLDisplay d = start();
    EGLConfig config = choose(d, EGL_PBUFFER_BIT, 4, 8);
    EGLContext context = context_of(d, config);
    const EGLint list[] = {EGL_WIDTH, 64, EGL_HEIGHT, 64, EGL_NONE};
    EGLSurface s = eglCreatePbufferSurface(d, config, list);
    CHECK(eglMakeCurrent(d, s, s, context));
    GLint samples = 0, buffers = 0;
    glGetIntegerv(GL_SAMPLES, &samples);
    glGetIntegerv(GL_SAMPLE_BUFFERS, &buffers);
    CHECK(samples == 4 && buffers == 1);
    GLuint program = api_program("attribute vec2 a_position; uniform float size;"
                                 "void main() { gl_Position = vec4(a_position, 0.0, 1.0); gl_PointSize = size; }",
                                 "void main() { gl_FragColor = vec4(0.25); }");
    glUseProgram(program);
    GLint size = glGetUniformLocation(program, "size");
    glClearColor(0, 0, 0, 0);
    glEnable(GL_BLEND); /* added, so that a sample covered twice is seen */
    glBlendFunc(GL_ONE, GL_ONE);
    unsigned between;
    const double unit = 64 / 255.0; /* 0.25 in 8 bits */
    const float triangle[] = {3.3f, 5.1f, 60.7f, 20.2f, 17.9f, 51.4f};
    const double area = 0.5 * ((60.7 - 3.3) * (51.4 - 5.1) - (17.9 - 3.3) * (20.2 - 5.1));
    double sum = draw_added(GL_TRIANGLES, triangle, 3, &between) / unit;
    CHECK(between > 50 && sum > area - 10 && sum < area + 10);
    /* Lines are rectangles: 40 x 3 pixels whatever the direction; each sample at most once. */
    glLineWidth(3);
    const float lines[3][4] = {{10, 20.5f, 50, 20.5f}, {20, 10, 44, 42}, {30.2f, 52.5f, 30.2f, 12.5f}};
    for (int i = 0; i < 3; i++) {
        sum = draw_added(GL_LINES, lines[i], 2, &between) / unit;
        CHECK(sum > 118 && sum < 122);
    }
    glLineWidth(1);
    const float twice[] = {10, 10, 10, 10};
    CHECK(draw_added(GL_LINES, twice, 2, &between) == 0.0);
    /* Points are squares of any size. */
    glUniform1f(size, 5.0f);
    const float aligned[] = {20.5f, 30.5f};
    CHECK(draw_added(GL_POINTS, aligned, 1, &between) / unit == 25.0);
    const float moved[] = {20.25f, 30.0f};
    sum = draw_added(GL_POINTS, moved, 1, &between) / unit;
    CHECK(sum > 24 && sum < 26);
    /* Bind to texture is for single-sampled surfaces. */
    const EGLint bindable[] = {EGL_WIDTH, 8, EGL_HEIGHT, 8, EGL_TEXTURE_FORMAT, EGL_TEXTURE_RGBA, EGL_TEXTURE_TARGET,
                               EGL_TEXTURE_2D, EGL_NONE};
    CHECK(eglCreatePbufferSurface(d, config, bindable) == EGL_NO_SURFACE);
    CHECK_EGL_ERROR(EGL_BAD_MATCH);
    EGLSurface single = eglCreatePbufferSurface(d, choose(d, EGL_PBUFFER_BIT, 0, 8), list);
    CHECK(!eglMakeCurrent(d, single, single, context));
    CHECK_EGL_ERROR(EGL_BAD_MATCH);
    glDeleteProgram(program);
    CHECK(glGetError() == GL_NO_ERROR);
    eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglTerminate(d);
}

TEST(bad_variables_stop_the_start) {
    static const struct {
        const char *name, *value;
    } bad[] = {{"VLGL_THREADS", "0"},   {"VLGL_THREADS", "65"},   {"VLGL_THREADS", "2x"}, {"VLGL_THREADS", "-1"},
               {"VLGL_BUDGET", "many"}, {"VLGL_BUDGET", "-5"},    {"VLGL_BUDGET", "4294967296"},
               {"VLGL_SIMD", "mmx"},    {"VLGL_WINDOW", "80"},    {"VLGL_WINDOW", "0x5"}, {"VLGL_WINDOW", "10x20x30"},
               {"VLGL_WINDOW", "9000x10"}, {"VLGL_BUDGET", "0"}, {"VLGL_NARROW", "2"},  {"VLGL_TRACE", "1,2"},
               {"VLGL_DEBUG", "quiet,error"}};
    setenv("VLGL_DEBUG", "quiet", 1);
    EGLDisplay d = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *before = getenv(bad[i].name);
        char kept[100] = "", quoted[100];
        snprintf(kept, sizeof kept, "%s", before ? before : "");
        setenv(bad[i].name, bad[i].value, 1);
        EGLint major = 77;
        CHECK(!eglInitialize(d, &major, NULL) && major == 77);
        CHECK_EGL_ERROR(EGL_NOT_INITIALIZED);
        snprintf(quoted, sizeof quoted, "%s=%s ", bad[i].name, bad[i].value);
        CHECK(vlglGetMessage() && strncmp(vlglGetMessage(), quoted, strlen(quoted)) == 0);
        CHECK(before ? !setenv(bad[i].name, kept, 1) : !unsetenv(bad[i].name));
        CHECK(eglInitialize(d, NULL, NULL) && vlglGetMessage() == NULL);
        CHECK(eglTerminate(d));
    }
    unsetenv("VLGL_DEBUG");
}
