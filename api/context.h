/* SPDX-License-Identifier: MIT */
/*
 * context.h: the contract between api/egl and the GL side. EGL creates contexts and surfaces
 * through it and makes them current; it never looks inside a context. Everything here may be called
 * from any thread unless a comment says otherwise. "The caller's context" is the one current on
 * this thread.
 *
 * Life of the parts: a share group lives as long as any context of it (reference counted); its
 * mutex is taken by each GL entry point that touches shared objects (entry.def says which). A
 * surface is owned by EGL, which keeps it alive while it is current or bound to a texture
 * (es_surface_fini undoes a binding). A context may be current on one thread at a time; EGL checks
 * that.
 */
#ifndef API_CONTEXT_H
#define API_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include <GLES2/gl2.h>

#include "renderer/renderer.h"

struct es_context;
struct es_texture;
struct es_share;

/* ---- surfaces: the storage of a default framebuffer ------------------------------------------ */

struct es_surface {
    struct rn_image *color;           /* single-sampled or 4 samples; NULL only after fini */
    struct rn_image *depth, *stencil; /* NULL = the config has none */
    struct rn_image
        *resolved; /* single-sampled copy of colour, made by es_surface_pixels; may be NULL */
    uint32_t width, height;
    uint8_t samples;                /* 1 or 4 */
    uint32_t serial;                /* changes whenever an image pointer or the size does */
    struct es_texture *texture;     /* bound by es_bind_tex_image, else NULL */
    struct es_share *texture_share; /* share group of 'texture' */
};

/*
 * Allocates storage: colour format (RGBA8, RGBX8, RGB565, RGBA4, RGB5A1 ...), depth format
 * (RN_FORMAT_NONE, D16, D24), stencil plane or not. Contents are zero. False when memory is out
 * (the surface is then empty and may be given to fini). Sizes may be zero.
 */
bool es_surface_init(struct es_surface *surface, enum rn_format color, enum rn_format depth,
                     bool stencil, unsigned samples, uint32_t width, uint32_t height);
/*
 * Storage of another size (native windows) for a surface that is current with ctx; what both sizes
 * have from the lower left corner is kept of the colours, the rest is zero. False: memory out,
 * surface unchanged.
 */
bool es_surface_resize(struct es_context *ctx, struct es_surface *surface, uint32_t width,
                       uint32_t height);
/*
 * Releases everything, a texture binding included. Safe on a zeroed surface. Not while it is
 * current.
 */
void es_surface_fini(struct es_surface *surface);

/*
 * Runs all pending drawing of the context (its scene), resolves multisampled colour and returns a
 * single-sampled image of the surface's pixels (borrowed until the next call that touches the
 * surface; row 0 is the bottom row; read it with rn_image_read). NULL when memory is out. ctx may
 * be NULL.
 */
struct rn_image *es_surface_pixels(struct es_context *ctx, struct es_surface *surface);
/*
 * eglSwapBuffers, eglWaitClient, eglCreateSync: runs the pending drawing of the context into the
 * surface.
 */
void es_flush_surface(struct es_context *ctx, struct es_surface *surface);
/* eglSwapBuffers, whatever the surface: a frame has ended (VLGL_PROFILE and VLGL_TRACE count them). */
void es_end_frame(struct es_context *ctx);

/* ---- contexts -------------------------------------------------------------------------------- */

struct es_context_desc {
    struct es_context *share; /* context to share objects with, or NULL */
    bool debug;               /* EGL_CONTEXT_OPENGL_DEBUG: GL_DEBUG_OUTPUT on at start */
    bool robust_access;       /* accesses are always robust; only answers the query */
    bool lose_on_reset;       /* EGL_LOSE_CONTEXT_ON_RESET, else no notification */
    bool no_error; /* EGL_CONTEXT_OPENGL_NO_ERROR_KHR: only answers the query, checks stay on */
};

/* NULL when memory (or a thread of the pool) is out. */
struct es_context *es_context_create(const struct es_context_desc *desc);
/*
 * The context must be current nowhere. NULL is fine. Drops unfinished drawing; EGL flushes first if
 * it must.
 */
void es_context_destroy(struct es_context *ctx);

/*
 * Makes ctx (or none, ctx == NULL) current on this thread with its surfaces (both NULL:
 * surfaceless). Flushes the context that was current. The first time, viewport and scissor become
 * the draw surface's size.
 */
void es_make_current(struct es_context *ctx, struct es_surface *draw, struct es_surface *read);
struct es_context *es_get_current(void);

/*
 * Runs the pending drawing to the end. After it (glFlush = glFinish here) every pixel is in its
 * image.
 */
void es_flush(struct es_context *ctx);
/*
 * True after an execution fault: calls are no-ops then. eglMakeCurrent may answer EGL_CONTEXT_LOST.
 */
bool es_context_is_lost(const struct es_context *ctx);
/* What lost the context, NULL if nothing did. Valid as long as the context. */
const char *es_context_lost_message(const struct es_context *ctx);
/*
 * Sets a GL error on the context (first one wins); reason goes to VLGL_DEBUG=errors and KHR_debug.
 */
void es_set_error(struct es_context *ctx, GLenum error, const char *reason, ...)
    __attribute__((format(printf, 3, 4)));
/* GL_INVALID_ENUM for the first of these parameters that has no legal value; one of them must be such. */
struct es_enum_check {
    const char *name;
    GLenum value;
    bool legal;
};
void es_set_enum_error(struct es_context *ctx, const struct es_enum_check *checks);

/* Returns true if VLGL_DEBUG, a list of words separated by commas, holds the word. */
bool es_debug_flag(const char *word);

/*
 * The process-wide renderer device, created at first use. eglTerminate of the last display may call
 * es_device_release: it ends the worker threads when no context is left (and returns whether it
 * did).
 */
struct rn_device *es_device_get(void);
bool es_device_release(void);

/* For pthread_atfork: no call that touches shared objects is under way, and no drawing, while fork() copies the process. */
void es_fork_prepare(void);
void es_fork_parent(void);
void es_fork_child(void);

/* ---- entry points ---------------------------------------------------------------------------- */

/*
 * Address of a GL entry point ("glClear", "glBindVertexArrayOES", "vlglGetCounters"), NULL if
 * unknown.
 */
typedef void (*es_proc_fn)(void);
es_proc_fn es_get_proc_address(const char *name);

/*
 * EGL's own entry points are listed by api/egl in the table api/egl/entry_egl.def, from which the
 * thin libEGL.so.1 is generated (api/forward_egl.c), one row each:
 *   EGL_ENTRY(result, name, (parameters), (arguments))
 * libvlgl exports 'name' and, for the thin library, the alias vlgl_'name' (macro ES_EXPORT below).
 */
#define ES_PUBLIC __attribute__((visibility("default")))
/* After the definition of NAME: exports it under its second name vlgl_NAME. */
#define ES_EXPORT(NAME) extern __typeof__(NAME) vlgl_##NAME ES_PUBLIC __attribute__((alias(#NAME)))

/* ---- textures and renderbuffers as EGL images ------------------------------------------------ */

/*
 * Shared pixel storage behind an EGLImage. Its address is the EGLImage handle: glEGLImageTarget*OES
 * looks handles up in a process-wide list, so a stale handle is an error, not a crash.
 */
struct es_image;

enum es_image_result {
    ES_IMAGE_OK,
    ES_IMAGE_BAD_PARAMETER, /* no such object, incomplete, level 0 undefined: EGL_BAD_PARAMETER */
    ES_IMAGE_BAD_MATCH,     /* EGL_BAD_MATCH: level or z offset outside the texture */
    ES_IMAGE_BAD_ACCESS, /* already a sibling of an EGLImage or a bound pbuffer: EGL_BAD_ACCESS */
    ES_IMAGE_BAD_ALLOC
};
/*
 * target: GL_TEXTURE_2D, GL_TEXTURE_CUBE_MAP_POSITIVE_X.., GL_TEXTURE_3D_OES (with z offset), or
 * GL_RENDERBUFFER (level 0). ctx names the share group; it need not be current.
 */
enum es_image_result es_image_create(struct es_context *ctx, GLenum target, GLuint name,
                                     GLint level, GLint z_offset, struct es_image **out);
/* eglDestroyImage: the handle is invalid from now on; siblings keep the storage. */
void es_image_destroy(struct es_image *image);
bool es_image_is_valid(const void *handle);

/* ---- pbuffers as textures -------------------------------------------------------------------- */

enum es_bind_result {
    ES_BIND_OK,
    ES_BIND_BAD_ACCESS /* already bound */,
    ES_BIND_BAD_MATCH /* no current texture */
};
/*
 * eglBindTexImage: colour of the surface becomes level 0 of the 2D texture bound in the caller's
 * context.
 */
enum es_bind_result es_bind_tex_image(struct es_context *ctx, struct es_surface *surface);
/* eglReleaseTexImage: the texture's level 0 becomes undefined. No effect if not bound. */
void es_release_tex_image(struct es_surface *surface);

#endif
