/* SPDX-License-Identifier: MIT */
/*
 * EGL images: pixel storage shared by a source (texture level or renderbuffer) and its targets. A
 * handle is the address of a struct es_image that stands in a process-wide list until
 * eglDestroyImage; siblings keep the storage by its own reference count. Levels with shared storage
 * are always written in place.
 */
#include <pthread.h>
#include <stdlib.h>

#include "api/entry.h"
#include "api/state.h"

struct es_image {
    struct es_image *next;
    struct rn_image *pixels, *stencil; /* the second: of packed depth-stencil, else NULL */
    const struct es_texformat *format; /* as a texture */
    GLenum renderbuffer_format;        /* as a renderbuffer, 0 = not renderable */
    uint32_t width, height;
};

static pthread_mutex_t image_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct es_image *image_list;

void es_images_lock(void) {
    pthread_mutex_lock(&image_mutex);
}

void es_images_unlock(void) {
    pthread_mutex_unlock(&image_mutex);
}

/* Storage formats that can be an EGLImage, and what they look like on both sides. */
static const struct {
    uint8_t storage;
    GLenum format, type, renderbuffer;
} image_formats[] = {
    {RN_FORMAT_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, GL_RGBA8_OES},
    {RN_FORMAT_RGBX8, GL_RGB, GL_UNSIGNED_BYTE, GL_RGB8_OES},
    {RN_FORMAT_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, GL_RGB565},
    {RN_FORMAT_RGBA4, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, GL_RGBA4},
    {RN_FORMAT_RGB5A1, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, GL_RGB5_A1},
    {RN_FORMAT_A8, GL_ALPHA, GL_UNSIGNED_BYTE, 0},
    {RN_FORMAT_L8, GL_LUMINANCE, GL_UNSIGNED_BYTE, 0},
    {RN_FORMAT_LA8, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, 0},
    {RN_FORMAT_R8, GL_RED_EXT, GL_UNSIGNED_BYTE, GL_R8_EXT},
    {RN_FORMAT_RG8, GL_RG_EXT, GL_UNSIGNED_BYTE, GL_RG8_EXT},
    {RN_FORMAT_RGBA16F, GL_RGBA, GL_HALF_FLOAT_OES, GL_RGBA16F_EXT},
    {RN_FORMAT_RGB16F, GL_RGB, GL_HALF_FLOAT_OES, GL_RGB16F_EXT},
    {RN_FORMAT_D16, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, GL_DEPTH_COMPONENT16},
    {RN_FORMAT_D24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, GL_DEPTH_COMPONENT24_OES},
    {RN_FORMAT_S8, 0, 0, GL_STENCIL_INDEX8},
};

static bool image_describe(struct es_image *image) {
    if (image->stencil) {
        image->format = es_texformat_find(GL_DEPTH_STENCIL_OES, GL_UNSIGNED_INT_24_8_OES);
        image->renderbuffer_format = GL_DEPTH24_STENCIL8_OES;
        return true;
    }
    for (size_t i = 0; i < sizeof image_formats / sizeof image_formats[0]; i++) {
        if (image_formats[i].storage == image->pixels->format) {
            image->format = es_texformat_find(image_formats[i].format, image_formats[i].type);
            image->renderbuffer_format = image_formats[i].renderbuffer;
            return true;
        }
    }
    return false;
}

/* 'pixels' is taken over, NULL: memory is out; 'stencil' is not, and may be NULL. */
static struct es_image *image_new(struct rn_image *pixels, struct rn_image *stencil, uint32_t width, uint32_t height) {
    struct es_image *image = calloc(1, sizeof *image);
    if (!image || !pixels) {
        rn_image_unref(pixels);
        free(image);
        return NULL;
    }
    image->pixels = pixels;
    image->stencil = rn_image_ref(stencil);
    image->width = width;
    image->height = height;
    return image;
}

static void image_free(struct es_image *image) {
    if (image) {
        rn_image_unref(image->pixels);
        rn_image_unref(image->stencil);
        free(image);
    }
}

static struct es_level *image_source_level(struct es_context *ctx, GLenum target, GLuint name,
                                           GLint number, GLint z_offset,
                                           struct es_texture **texture,
                                           enum es_image_result *result) {
    bool cube =
        target >= GL_TEXTURE_CUBE_MAP_POSITIVE_X && target <= GL_TEXTURE_CUBE_MAP_NEGATIVE_Z;
    unsigned face = cube ? target - GL_TEXTURE_CUBE_MAP_POSITIVE_X : 0;
    GLenum object_target = cube ? GL_TEXTURE_CUBE_MAP : target;
    *texture = es_names_find(&ctx->share->textures, name);
    *result = ES_IMAGE_BAD_PARAMETER;
    if (!*texture || (*texture)->target != object_target) {
        return NULL;
    }
    if (number < 0 || number >= RN_MAX_LEVELS) {
        *result = ES_IMAGE_BAD_MATCH;
        return NULL;
    }
    struct es_level *level = es_texture_level(*texture, face, (unsigned)number);
    struct rn_view_desc desc;
    bool only_base = number == 0;
    for (unsigned f = 0; f < (*texture)->faces && only_base; f++) {
        for (unsigned l = 1; l < RN_MAX_LEVELS; l++) {
            only_base = only_base && !es_texture_level(*texture, f, l)->defined;
        }
    }
    /* EGL_KHR_gl_texture_2D_image: an incomplete texture is an error unless only level 0 exists. */
    if (!level->defined || !level->image || (!only_base && !es_texture_describe(*texture, &desc))) {
        if (level->defined || number == 0) {
            return NULL;
        }
        *result = ES_IMAGE_BAD_MATCH;
        return NULL;
    }
    if (target == GL_TEXTURE_3D_OES && (z_offset < 0 || (uint32_t)z_offset >= level->depth)) {
        *result = ES_IMAGE_BAD_PARAMETER;
        return NULL;
    }
    if ((*texture)->surface || (*texture)->egl_sibling) {
        *result = ES_IMAGE_BAD_ACCESS;
        return NULL;
    }
    if (level->compressed) {
        *result = ES_IMAGE_BAD_PARAMETER; /* no other texture may say what it holds */
        return NULL;
    }
    *result = ES_IMAGE_OK;
    return level;
}

static enum es_image_result image_create_locked(struct es_context *ctx, GLenum target, GLuint name,
                                                GLint level_number, GLint z_offset,
                                                struct es_image **out) {
    struct es_image *image;
    struct es_texture *texture = NULL;
    struct es_level *level = NULL;
    struct es_renderbuffer *renderbuffer = NULL;
    if (target == GL_RENDERBUFFER) {
        renderbuffer = es_names_find(&ctx->share->renderbuffers, name);
        if (!renderbuffer || !renderbuffer->image || renderbuffer->samples) {
            return ES_IMAGE_BAD_PARAMETER;
        }
        if (renderbuffer->egl_sibling) {
            return ES_IMAGE_BAD_ACCESS;
        }
        image = image_new(rn_image_ref(renderbuffer->image), renderbuffer->stencil, renderbuffer->width, renderbuffer->height);
    } else {
        enum es_image_result result;
        level = image_source_level(ctx, target, name, level_number, z_offset, &texture, &result);
        if (!level) {
            return result;
        }
        struct rn_image *pixels = level->depth > 1 ? rn_image_slice(level->image, (uint32_t)z_offset) : rn_image_ref(level->image);
        image = image_new(pixels, level->stencil, level->width, level->height);
    }
    if (!image) {
        return ES_IMAGE_BAD_ALLOC;
    }
    if (!image_describe(image)) {
        image_free(image);
        return ES_IMAGE_BAD_PARAMETER;
    }
    if (renderbuffer) {
        renderbuffer->egl_sibling = renderbuffer->shared = true;
    } else {
        texture->egl_sibling = level->shared = true;
    }
    *out = image;
    return ES_IMAGE_OK;
}

enum es_image_result es_image_create(struct es_context *ctx, GLenum target, GLuint name,
                                     GLint level, GLint z_offset, struct es_image **out) {
    *out = NULL;
    es_lock(ctx);
    enum es_image_result result = image_create_locked(ctx, target, name, level, z_offset, out);
    es_unlock(ctx);
    if (result == ES_IMAGE_OK) {
        pthread_mutex_lock(&image_mutex);
        (*out)->next = image_list;
        image_list = *out;
        pthread_mutex_unlock(&image_mutex);
    }
    return result;
}

/* With image_mutex held: the place in the list that points to the image, NULL if it is none. */
static struct es_image **image_find(const void *handle) {
    for (struct es_image **p = &image_list; *p; p = &(*p)->next) {
        if (*p == handle) {
            return p;
        }
    }
    return NULL;
}

void es_image_destroy(struct es_image *image) {
    pthread_mutex_lock(&image_mutex);
    struct es_image **place = image_find(image);
    if (place) {
        *place = image->next;
    }
    pthread_mutex_unlock(&image_mutex);
    if (place) {
        image_free(image);
    }
}

bool es_image_is_valid(const void *handle) {
    pthread_mutex_lock(&image_mutex);
    bool valid = image_find(handle) != NULL;
    pthread_mutex_unlock(&image_mutex);
    return valid;
}

/* A private view of a handle's fields with its own reference to the pixels; false if invalid. */
static bool image_acquire(const void *handle, struct es_image *out) {
    pthread_mutex_lock(&image_mutex);
    struct es_image **place = handle ? image_find(handle) : NULL;
    if (place) {
        *out = **place;
        rn_image_ref(out->pixels);
        rn_image_ref(out->stencil);
    }
    pthread_mutex_unlock(&image_mutex);
    return place != NULL;
}

static void image_release(const struct es_image *image) {
    rn_image_unref(image->pixels);
    rn_image_unref(image->stencil);
}

void es_egl_image_target_texture_2d(struct es_context *ctx, GLenum target, GLeglImageOES handle) {
    if (target != GL_TEXTURE_2D) {
        es_set_error(ctx, GL_INVALID_ENUM, "target 0x%04x", target);
        return;
    }
    struct es_image image;
    if (!image_acquire(handle, &image)) {
        es_set_error(ctx, GL_INVALID_VALUE, "%p is no EGLImage", (void *)handle);
        return;
    }
    struct es_texture *texture = es_texture_bound(ctx, target);
    if (texture->immutable || !image.format) {
        es_set_error(ctx, GL_INVALID_OPERATION,
                     texture->immutable ? "the texture is immutable"
                                        : "the image cannot be a texture");
        image_release(&image);
        return;
    }
    es_texture_release_surface(ctx->share, texture);
    for (unsigned l = 0; l < RN_MAX_LEVELS; l++) {
        es_level_clear(es_texture_level(texture, 0, l));
    }
    *es_texture_level(texture, 0, 0) = (struct es_level){.defined = true,
                                                         .format = image.format,
                                                         .width = image.width,
                                                         .height = image.height,
                                                         .depth = 1,
                                                         .image = image.pixels,
                                                         .stencil = image.stencil,
                                                         .shared = true};
    texture->egl_sibling = true;
    es_texture_changed(ctx->share, texture);
}

void es_egl_image_target_renderbuffer_storage(struct es_context *ctx, GLenum target,
                                              GLeglImageOES handle) {
    if (target != GL_RENDERBUFFER) {
        es_set_error(ctx, GL_INVALID_ENUM, "target 0x%04x", target);
        return;
    }
    struct es_image image;
    if (!image_acquire(handle, &image)) {
        es_set_error(ctx, GL_INVALID_VALUE, "%p is no EGLImage", (void *)handle);
        return;
    }
    struct es_renderbuffer *renderbuffer = ctx->renderbuffer;
    if (!renderbuffer || !image.renderbuffer_format) {
        es_set_error(ctx, GL_INVALID_OPERATION,
                     renderbuffer ? "the image cannot be rendered to" : "no renderbuffer is bound");
        image_release(&image);
        return;
    }
    rn_image_unref(renderbuffer->image);
    rn_image_unref(renderbuffer->stencil);
    rn_image_unref(renderbuffer->resolved);
    renderbuffer->image = image.pixels;
    renderbuffer->stencil = image.stencil;
    renderbuffer->resolved = NULL;
    renderbuffer->samples = 0;
    renderbuffer->internal_format = image.renderbuffer_format;
    renderbuffer->width = image.width;
    renderbuffer->height = image.height;
    renderbuffer->egl_sibling = renderbuffer->shared = true;
    ctx->share->image_version++;
    ctx->dirty |= ES_DIRTY_FRAMEBUFFER;
}
