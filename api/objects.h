/* SPDX-License-Identifier: MIT */
/*
 * Objects of a share group (buffers, textures, renderbuffers, shaders, programs) and the container
 * objects of one context (framebuffers, vertex arrays). Reference counts of shared objects change
 * only under the group's mutex: the name table holds one reference, each binding or attachment
 * another. An object whose name is deleted lives on until its last reference goes.
 */
#ifndef API_OBJECTS_H
#define API_OBJECTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>

#include "api/context.h"
#include "api/names.h"
#include "renderer/renderer.h"
#include "vm/include/glslc.h"

#define ES_MAX_ATTRIBS         RN_MAX_ATTRIBS
#define ES_MAX_UNITS           32 /* texture units, both stages together */
#define ES_MAX_STAGE_SAMPLERS  RN_MAX_TEXTURES
#define ES_MAX_UNIFORM_VECTORS 1024
#define ES_MAX_VARYINGS        RN_MAX_VARYINGS
#define ES_MAX_COLORS          RN_MAX_COLORS
#define ES_MAX_LABEL           256

/* ---- the share group ------------------------------------------------------------------------- */

struct es_share {
    struct es_share *next; /* of all groups (context.c) */
    pthread_mutex_t mutex;
    unsigned refs; /* contexts; under the mutex */
    struct es_names buffers, textures, renderbuffers;
    struct es_names programs; /* shaders and programs share one name space */
    /* Versions: a context compares them with what it saw when it last derived its state. */
    uint32_t image_version;   /* storage or parameters of any texture or renderbuffer */
    uint32_t buffer_version;  /* storage of any buffer */
    uint32_t program_version; /* any program was linked, or its samplers changed */
    unsigned mapped_buffers;  /* buffers mapped now: draws look for them only if there are any */
};

/* ---- buffers --------------------------------------------------------------------------------- */

struct es_buffer {
    GLuint name;
    unsigned refs;
    uint8_t *data;
    size_t size;
    GLenum usage;
    bool mapped;
    GLbitfield map_access; /* GL_MAP_*_BIT_EXT */
    size_t map_offset, map_length;
    char *label;
};

/* ---- images of textures ---------------------------------------------------------------------- */

/* A row of texformat.def: a client format and type, and how such a texture is stored. */
struct es_texformat {
    GLenum format, type;
    uint8_t layout;  /* enum rn_layout */
    uint8_t storage; /* enum rn_format */
    bool stencil;    /* has a stencil plane beside the depth */
};

struct es_level {
    bool defined;
    const struct es_texformat *format; /* NULL if not defined */
    GLenum compressed;                 /* GL_ETC1_RGB8_OES ..., 0 = not */
    uint32_t width, height, depth;
    struct rn_image *image;   /* owned reference; NULL if a size is zero */
    struct rn_image *stencil; /* of depth-stencil textures */
    bool shared;              /* storage of an EGLImage or pbuffer: written in place */
};

enum es_tex_index { ES_TEX_2D, ES_TEX_CUBE, ES_TEX_3D, ES_TEX_COUNT };

struct es_texture {
    GLuint name;
    unsigned refs;
    GLenum target;  /* 0 until first bound */
    uint8_t index;  /* enum es_tex_index */
    uint8_t faces;  /* 6 for cubes, else 1 */
    bool immutable; /* glTexStorage */
    uint8_t immutable_levels;
    bool egl_sibling;           /* source or target of an EGLImage */
    struct es_surface *surface; /* pbuffer bound by eglBindTexImage, else NULL */
    struct es_level *levels;    /* [face * RN_MAX_LEVELS + level]; NULL until first bound */
    GLenum min_filter, mag_filter, wrap[3];
    GLenum compare_mode, compare_func;
    GLenum srgb_decode;
    float max_anisotropy;
    GLint max_level; /* APPLE_texture_max_level: no level beyond it is used */
    struct rn_view *view; /* how it is sampled; NULL if incomplete */
    bool view_valid;      /* 'view' is up to date (it may be NULL and valid) */
    uint64_t view_serial; /* of the view; 0 if there is none */
    char *label;
};

struct es_renderbuffer {
    GLuint name;
    unsigned refs;
    GLenum internal_format; /* as given to glRenderbufferStorage */
    uint32_t width, height;
    struct rn_image *image;    /* colour, depth or (stencil-only formats) stencil; NULL if empty */
    struct rn_image *stencil;  /* second plane of packed formats */
    struct rn_image *resolved; /* of a multisampled colour image, for reading; NULL until needed */
    uint8_t samples;           /* 4, or 0 = single-sampled */
    bool egl_sibling;
    bool shared; /* storage of an EGLImage */
    char *label;
};

/* ---- programs -------------------------------------------------------------------------------- */

enum es_program_kind { ES_KIND_SHADER, ES_KIND_PROGRAM };

/* First members of both, so that one name table can hold them. */
struct es_shader_base {
    uint8_t kind; /* enum es_program_kind */
    GLuint name;
    unsigned refs; /* 1 for the name while not deleted, + attachments or uses */
    bool deleted;
    char *label;
};

struct es_shader {
    struct es_shader_base base;
    GLenum type;
    unsigned source_count; /* strings as glShaderSource got them */
    char **sources;
    int *source_lengths;
    bool compiled;
    struct glslc_shader *code; /* result of the last compile, or NULL */
};

/* An active uniform with the API's own copy of integer values (registers hold floats). */
struct es_uniform {
    struct glslc_uniform info; /* name and table borrowed from exec->linked */
    uint8_t components;        /* floats of one column: of a double its two words */
    uint8_t columns;           /* each has a register: columns of matrices, single doubles */
    uint8_t base;  /* enum es_uniform_base */
    int32_t *ints; /* [array_size * components] for ints and samplers, else NULL */
};
enum es_uniform_base { ES_BASE_FLOAT, ES_BASE_INT, ES_BASE_BOOL, ES_BASE_SAMPLER, ES_BASE_DOUBLE };
/* Doubles of a value of a type (enum glslc_type); 0 for types that are not of doubles. */
unsigned es_uniform_doubles(unsigned type);

struct es_location {
    int32_t uniform; /* -1 = unused location */
    uint32_t element;
};

/*
 * The result of a link: what contexts execute. Reference counted, so that a program in use survives
 * relinking.
 */
struct es_exec {
    unsigned refs;
    uint64_t serial;              /* unique in the process */
    struct glslc_program *linked; /* owns names and tables */
    struct rn_program *program;
    unsigned attrib_count;
    const struct glslc_attribute *attribs;
    uint32_t attrib_mask; /* attribute numbers read */
    unsigned uniform_count;
    struct es_uniform *uniforms;
    unsigned location_count;
    struct es_location *locations;
    float *globals[2]; /* uniform registers of each stage */
    uint32_t global_count[2];
    uint64_t globals_serial[2];
    bool globals_dirty[2];
    unsigned sampler_count[2];
    uint8_t sampler_type[2][ES_MAX_STAGE_SAMPLERS]; /* enum es_tex_index */
    uint8_t sampler_unit[2][ES_MAX_STAGE_SAMPLERS];
    bool sampler_conflict;  /* two sampler types on one unit */
    int32_t depth_range[3]; /* uniform index of gl_DepthRange.near, .far, .diff; -1 = not used */
};

struct es_attrib_binding {
    char *name;
    GLuint location;
};

struct es_program {
    struct es_shader_base base;
    struct es_shader *shaders[2]; /* vertex, fragment */
    struct es_attrib_binding *bindings;
    unsigned binding_count;
    bool linked; /* GL_LINK_STATUS */
    bool validated;
    char *log;            /* of the last link or validation; NULL = empty */
    struct es_exec *exec; /* result of the last successful link, or NULL */
    unsigned users;       /* contexts in which it is current (each holds a reference too) */
};

/* ---- framebuffers ---------------------------------------------------------------------------- */

struct es_attachment {
    GLenum type; /* GL_NONE, GL_TEXTURE, GL_RENDERBUFFER */
    struct es_texture *texture;
    struct es_renderbuffer *renderbuffer;
    uint8_t face;
    uint8_t level;
    uint32_t layer; /* z offset of 3D textures */
    /* EXT_multisampled_render_to_texture: a texture drawn to through samples of its own (msaa.c) */
    uint8_t samples;              /* 4, or 0 = not */
    struct rn_image *multisample; /* made when the framebuffer is complete */
    bool stale;                   /* the samples must take the texels before the next drawing */
    bool unresolved;              /* the texels must take the samples before the next reading */
};

enum { ES_ATTACH_DEPTH = ES_MAX_COLORS, ES_ATTACH_STENCIL, ES_ATTACH_COUNT };

struct es_framebuffer {
    GLuint name;
    struct es_attachment attachments[ES_ATTACH_COUNT]; /* colours, depth, stencil */
    GLenum draw_buffers[ES_MAX_COLORS];
    GLenum status; /* of the last check */
    bool checked;  /* 'status' and 'target' are right for image_version */
    uint32_t image_version;
    bool has_multisample;         /* an attachment has 'multisample' */
    struct rn_framebuffer target; /* borrowed images */
    char *label;
};

/* ---- vertex arrays --------------------------------------------------------------------------- */

struct es_vertex_attrib {
    bool enabled;
    bool normalized;
    uint8_t size;
    GLenum type;
    GLsizei stride;      /* as given */
    const void *pointer; /* or offset into the buffer */
    GLuint divisor;
    struct es_buffer *buffer; /* NULL = client memory */
};

struct es_vao {
    GLuint name;
    struct es_vertex_attrib attribs[ES_MAX_ATTRIBS];
    uint32_t enabled; /* bit mask of attribs[].enabled */
    struct es_buffer *elements;
    char *label;
};

#endif
