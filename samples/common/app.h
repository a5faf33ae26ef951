/* SPDX-License-Identifier: MIT */
/*
 * The frame around a sample: EGL without a window, a loop over frames, read back,
 * messages, and small helpers for programs and textures. A sample is an ordinary
 * GLES2 client that fills a `struct sample`; the same module is part of the vlgl
 * command and a program of its own.
 */
#ifndef SAMPLES_APP_H
#define SAMPLES_APP_H

#include <EGL/egl.h>
#include <GLES2/gl2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image.h"

/* Larger pictures than the renderer's viewport limit are refused by the option parser. */
#define APP_MAX_SIDE 8192
#define APP_DEFAULT_WIDTH 640
#define APP_DEFAULT_HEIGHT 480
#define APP_FRAMES_PER_SECOND 60.0f

struct app {
    int width;
    int height;
    int samples; /* of a pixel: 4, or 0 for one */
    const char *name; /* for messages: the sample's name, or the file being shown */
    void *data;       /* whatever the job passed */
    EGLDisplay display;
    EGLSurface surface;
    EGLContext context;
};

struct sample {
    const char *name;
    const char *summary; /* one line */
    float time;          /* the moment, in seconds, that makes the best still picture */
    /* Makes GL objects. False after app_error() has said what is wrong. */
    bool (*init)(struct app *app);
    /* Draws one frame into framebuffer 0, whose size is app->width x app->height. */
    void (*draw)(struct app *app, int frame, float time);
    /* Deletes what init made; also called after an init that failed half-way. */
    void (*fini)(struct app *app);
};

struct app_job {
    const struct sample *sample;
    const char *name;
    void *data;
    int width;
    int height;
    int samples; /* as app.samples */
    int frames;  /* at least 1; the last one is the picture */
    float time;  /* of the first frame */
    bool show_progress;
    int view; /* of the last frame's pixels (vlgl's enum vlgl_view), 0: none */
    /* Called with each frame's picture, if not NULL; false, after a message, ends the run. */
    bool (*frame_done)(const struct app_job *job, int frame, const struct image *image);
    const void *frame_data; /* for frame_done */
};

struct app_result {
    struct image image;
    double frame_ms;    /* median over the frames, from draw to glFinish */
    bool has_counters;  /* the library counts triangles and fragments */
    uint64_t triangles; /* of the last frame */
    uint64_t fragments;
    uint32_t *figures; /* of the view, width * height, rows from the bottom; owned, or NULL */
};

/* The prefix of messages, normally argv[0] without its folders. */
void app_set_program_name(const char *argv0);
/* Prints "program: message" as one line to standard error; control characters become "?". */
__attribute__((format(printf, 1, 2))) void app_error(const char *format, ...);
/* Memory, zeroed; ends the program with a message when there is none. */
void *app_alloc(size_t size_bytes);

/*
 * Opens a context with a pbuffer (RGBA8, depth 24, stencil 8, app->samples). False after a message.
 */
bool app_open(struct app *app, int width, int height);
void app_close(struct app *app);

/*
 * Runs a job in a context of its own: init, the frames, read back, fini. False after
 * a message; then result->image is empty. Otherwise the caller frees image and figures.
 */
bool app_run(const struct app_job *job, struct app_result *result);

/*
 * Compiles and links. Attributes named position, normal, tangent, uv and color get
 * locations 0 to 4. Returns 0 after a message made of app->name, the stage and the
 * compiler's log.
 */
GLuint app_program(const struct app *app, const char *vertex_text, const char *fragment_text);

/* A 2D texture of a picture of power-of-two size, repeating, mip-mapped; frees the picture. */
GLuint app_texture(struct image *img);

/* A picture of the given size, for texture generators; ends the program without memory. */
struct image app_image(int width, int height);

/* An RGBA8 texture with a framebuffer around it, for rendering to. */
struct app_target {
    GLuint framebuffer;
    GLuint texture;
    GLuint depth; /* a 16-bit depth renderbuffer */
    int width;
    int height;
};

/* False after a message if the framebuffer is not complete. */
bool app_target_create(const struct app *app, struct app_target *target, int width, int height,
                       GLint filter);
void app_target_delete(struct app_target *target);

/* Draws one triangle that covers the viewport; attribute 0 is a vec2 that runs from -1 to 1. */
void app_draw_screen(void);

/* Reads "WxH", whole numbers from 1 to APP_MAX_SIDE. */
bool app_parse_size(const char *text, int *width, int *height);
/* Reads a whole number from low to high. */
bool app_parse_int(const char *text, int low, int high, int *value);
/* Reads a finite decimal number of seconds, at most 1e6 in size. */
bool app_parse_time(const char *text, float *value);

/* The main function of a program made of one sample. Returns the exit status. */
int app_sample_main(int argc, char **argv, const struct sample *sample);

#endif
