/* SPDX-License-Identifier: MIT */
/*
 * EGL without a window and the frame loop. The display is EGL's default one; where
 * that does not start (no X server, no device) the surfaceless platform is asked for
 * by name. The picture is framebuffer 0 of a pbuffer.
 */
#include "app.h"

#include <EGL/eglext.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define APP_CONTEXT_LOST 0x0507 /* GL_CONTEXT_LOST of KHR_robustness */
#define APP_WARM_UP_FRAMES 5
#define APP_MESSAGE_CHARS 8192

static const char *app_program_name = "sample";

void app_set_program_name(const char *argv0) {
    const char *slash = strrchr(argv0, '/');
    app_program_name = slash != NULL ? slash + 1 : argv0;
}

void app_error(const char *format, ...) {
    char text[APP_MESSAGE_CHARS];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    /* Parts come from files; control characters among them could drive the terminal. */
    for (char *p = text; *p != '\0'; p++) {
        *p = (unsigned char)*p < 0x20 || *p == 0x7f ? '?' : *p;
    }
    fprintf(stderr, "%s: %s\n", app_program_name, text);
}

void *app_alloc(size_t size_bytes) {
    void *memory = calloc(1, size_bytes > 0 ? size_bytes : 1);
    if (memory == NULL) {
        app_error("out of memory (%zu bytes)", size_bytes);
        exit(1);
    }
    return memory;
}

/* ---- EGL ---- */

/* The entry point as a function pointer of the caller's type: C has no cast for that. */
static bool get_entry(const char *name, void *function, size_t size) {
    __eglMustCastToProperFunctionPointerType entry = eglGetProcAddress(name);
    memcpy(function, &entry, size);
    return entry != NULL;
}

/* vlgl says why it does not start, or which shader's line lost the context; other libraries cannot. */
static const char *library_message(void) {
    const char *(*get_message)(void) = NULL;
    const char *message = NULL;
    if (get_entry("vlglGetMessage", &get_message, sizeof get_message)) {
        message = get_message();
    }
    return message != NULL && message[0] != '\0' ? message : NULL;
}

/* Messages are told here, so the library need not. */
static EGLDisplay open_display(void) {
    setenv("VLGL_DEBUG", "quiet", 0);
    EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    if (display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL)) {
        return display;
    }
    PFNEGLGETPLATFORMDISPLAYEXTPROC get_platform_display = NULL;
    if (!get_entry("eglGetPlatformDisplayEXT", &get_platform_display,
                   sizeof get_platform_display)) {
        return EGL_NO_DISPLAY;
    }
    display = get_platform_display(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
    if (display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL)) {
        return display;
    }
    return EGL_NO_DISPLAY;
}

/*
 * The first config that is exactly RGBA8, depth 24, stencil 8 with these samples: eglChooseConfig
 * only promises "at least". Without samples any config will do, with them only an exact one.
 */
static bool choose_config(EGLDisplay display, EGLint wanted_samples, EGLConfig *config) {
    const EGLint wanted[] = {EGL_SURFACE_TYPE,
                             EGL_PBUFFER_BIT,
                             EGL_RENDERABLE_TYPE,
                             EGL_OPENGL_ES2_BIT,
                             EGL_RED_SIZE,
                             8,
                             EGL_GREEN_SIZE,
                             8,
                             EGL_BLUE_SIZE,
                             8,
                             EGL_ALPHA_SIZE,
                             8,
                             EGL_DEPTH_SIZE,
                             24,
                             EGL_STENCIL_SIZE,
                             8,
                             EGL_SAMPLES,
                             wanted_samples,
                             EGL_NONE};
    EGLConfig found[64];
    EGLint count = 0;
    if (!eglChooseConfig(display, wanted, found, 64, &count) || count < 1) {
        return false;
    }
    *config = found[0];
    for (EGLint i = 0; i < count; i++) {
        EGLint red = 0;
        EGLint depth = 0;
        EGLint samples = 0;
        eglGetConfigAttrib(display, found[i], EGL_RED_SIZE, &red);
        eglGetConfigAttrib(display, found[i], EGL_DEPTH_SIZE, &depth);
        eglGetConfigAttrib(display, found[i], EGL_SAMPLES, &samples);
        if (red == 8 && depth == 24 && samples == wanted_samples) {
            *config = found[i];
            return true;
        }
    }
    return wanted_samples == 0;
}

bool app_open(struct app *app, int width, int height) {
    static const EGLint context_attributes[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    EGLint surface_attributes[] = {EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE};
    EGLConfig config;
    app->width = width;
    app->height = height;
    app->display = open_display();
    app->surface = EGL_NO_SURFACE;
    app->context = EGL_NO_CONTEXT;
    if (app->display == EGL_NO_DISPLAY) {
        const EGLint error = eglGetError();
        const char *message = library_message();
        if (message != NULL) {
            app_error("EGL does not start: %s", message);
        } else {
            app_error("EGL: no display can be opened (error 0x%04x)", (unsigned)error);
        }
        return false;
    }
    const char *step = app->samples ? "no config with RGBA8, depth 24, stencil 8, 4 samples and pbuffers"
                                    : "no config with RGBA8, depth 24, stencil 8 and pbuffers";
    if (choose_config(app->display, app->samples, &config)) {
        step = "cannot make a pbuffer";
        app->surface = eglCreatePbufferSurface(app->display, config, surface_attributes);
        if (app->surface != EGL_NO_SURFACE && eglBindAPI(EGL_OPENGL_ES_API)) {
            step = "cannot make an OpenGL ES 2 context";
            app->context =
                eglCreateContext(app->display, config, EGL_NO_CONTEXT, context_attributes);
        }
        if (app->context != EGL_NO_CONTEXT) {
            step = "cannot make the context current";
            if (eglMakeCurrent(app->display, app->surface, app->surface, app->context)) {
                return true;
            }
        }
    }
    app_error("EGL: %s for %dx%d (error 0x%04x)", step, width, height, (unsigned)eglGetError());
    app_close(app);
    return false;
}

void app_close(struct app *app) {
    if (app->display == EGL_NO_DISPLAY) {
        return;
    }
    eglMakeCurrent(app->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (app->context != EGL_NO_CONTEXT) {
        eglDestroyContext(app->display, app->context);
    }
    if (app->surface != EGL_NO_SURFACE) {
        eglDestroySurface(app->display, app->surface);
    }
    eglTerminate(app->display);
    eglReleaseThread();
    app->display = EGL_NO_DISPLAY;
    app->surface = EGL_NO_SURFACE;
    app->context = EGL_NO_CONTEXT;
}

/* ---- errors ---- */

static const char *gl_error_name(GLenum error) {
    switch (error) {
    case GL_INVALID_ENUM: return "GL_INVALID_ENUM";
    case GL_INVALID_VALUE: return "GL_INVALID_VALUE";
    case GL_INVALID_OPERATION: return "GL_INVALID_OPERATION";
    case GL_OUT_OF_MEMORY: return "GL_OUT_OF_MEMORY";
    case GL_INVALID_FRAMEBUFFER_OPERATION: return "GL_INVALID_FRAMEBUFFER_OPERATION";
    default: return "unknown error";
    }
}

static void report_lost_context(const struct app *app) {
    const char *message = library_message();
    app_error("%s: the GL context was lost: %s", app->name,
              message != NULL ? message : "a shader ran too long or the driver reset");
}

static bool context_is_lost(GLenum error) {
    GLenum (*get_status)(void) = NULL;
    if (error == APP_CONTEXT_LOST) {
        return true;
    }
    const char *extensions = (const char *)glGetString(GL_EXTENSIONS);
    bool has_status = extensions != NULL && strstr(extensions, "GL_EXT_robustness") != NULL &&
                      get_entry("glGetGraphicsResetStatusEXT", &get_status, sizeof get_status);
    return has_status && get_status() != GL_NO_ERROR;
}

/* True when GL has no error to tell; else prints the first one. */
static bool frame_is_good(const struct app *app, const char *when) {
    GLenum error = glGetError();
    if (context_is_lost(error)) {
        report_lost_context(app);
        return false;
    }
    if (error != GL_NO_ERROR) {
        app_error("%s: %s (0x%04x) %s", app->name, gl_error_name(error), error, when);
        return false;
    }
    return true;
}

/* ---- the frame loop ---- */

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int compare_double(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median, without the first frames when enough others are left. */
static double median_ms(double *ms, int count) {
    int skip = count > 2 * APP_WARM_UP_FRAMES ? APP_WARM_UP_FRAMES : count > 1 ? 1 : 0;
    qsort(ms + skip, (size_t)(count - skip), sizeof ms[0], compare_double);
    return ms[skip + (count - skip) / 2];
}

static void read_counters(struct app_result *result) {
    int (*get_counters)(uint64_t *, int) = NULL;
    uint64_t values[2] = {0, 0};
    if (get_entry("vlglGetCounters", &get_counters, sizeof get_counters) &&
        get_counters(values, 2) >= 2) {
        result->has_counters = true;
        result->triangles = values[0];
        result->fragments = values[1];
    }
}

static bool read_back(const struct app *app, struct image *img) {
    struct image_error err;
    if (!image_alloc(img, app->width, app->height, &err)) {
        app_error("%s: %s", app->name, err.text);
        return false;
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, app->width, app->height, GL_RGBA, GL_UNSIGNED_BYTE, img->pixels);
    if (!frame_is_good(app, "while reading the picture back")) {
        image_free(img);
        return false;
    }
    image_flip(img);
    return true;
}

/* Hands a frame's picture to the job, if it wants it. */
static bool hand_over(const struct app *app, const struct app_job *job, int frame) {
    struct image image;
    if (job->frame_done == NULL) {
        return true;
    }
    if (!read_back(app, &image)) {
        return false;
    }
    bool ok = job->frame_done(job, frame, &image);
    image_free(&image);
    return ok;
}

/* Per-pixel figures: vlgl alone has them. False after a message. */
static bool begin_view(const struct app *app, const struct app_job *job) {
    int (*begin)(int) = NULL;
    if (job->view == 0) {
        return true;
    }
    if (!get_entry("vlglViewBegin", &begin, sizeof begin)) {
        app_error("%s: this GL library counts nothing for a view: it is not vlgl", app->name);
        return false;
    }
    if (!begin(job->view)) {
        app_error("%s: the view cannot be made", app->name);
        return false;
    }
    return true;
}

static bool end_view(const struct app *app, const struct app_job *job, struct app_result *result) {
    int (*read)(uint32_t *, int) = NULL;
    const int count = app->width * app->height;
    if (job->view == 0) {
        return true;
    }
    result->figures = app_alloc((size_t)count * sizeof result->figures[0]);
    if (get_entry("vlglViewRead", &read, sizeof read) && read(result->figures, count) == count) {
        return true;
    }
    free(result->figures);
    result->figures = NULL;
    app_error("%s: the view cannot be read", app->name);
    return false;
}

static bool run_frames(struct app *app, const struct app_job *job, struct app_result *result) {
    double *ms = app_alloc((size_t)job->frames * sizeof ms[0]);
    bool ok = true;
    bool show = job->show_progress && job->frames > 1 && isatty(STDERR_FILENO);
    double shown_ms = now_ms();
    for (int frame = 0; ok && frame < job->frames; frame++) {
        if (frame == job->frames - 1) {
            read_counters(result); /* counting starts again with this frame */
            ok = begin_view(app, job);
        }
        double start = now_ms();
        job->sample->draw(app, frame, job->time + (float)frame / APP_FRAMES_PER_SECOND);
        glFinish();
        double end = now_ms();
        ms[frame] = end - start;
        ok = ok && frame_is_good(app, "while drawing") && hand_over(app, job, frame);
        if (show && end - shown_ms > 200.0) {
            shown_ms = end;
            fprintf(stderr, "\r%s: frame %d of %d", app->name, frame + 1, job->frames);
        }
    }
    if (show) {
        fprintf(stderr, "\r\033[K");
    }
    if (ok) {
        read_counters(result);
        result->frame_ms = median_ms(ms, job->frames);
        ok = end_view(app, job, result);
    }
    free(ms);
    return ok;
}

bool app_run(const struct app_job *job, struct app_result *result) {
    struct app app;
    memset(&app, 0, sizeof app);
    memset(result, 0, sizeof *result);
    app.name = job->name;
    app.data = job->data;
    app.samples = job->samples;
    if (!app_open(&app, job->width, job->height)) {
        return false;
    }
    glViewport(0, 0, app.width, app.height);
    bool ok = job->sample->init(&app) && frame_is_good(&app, "while starting") &&
              run_frames(&app, job, result) && read_back(&app, &result->image);
    job->sample->fini(&app);
    app_close(&app);
    if (!ok) {
        free(result->figures);
        result->figures = NULL;
    }
    return ok;
}
