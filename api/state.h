/* SPDX-License-Identifier: MIT */
/*
 * state.h: a context. 'state' is raw state as the GL specification lists it; setters check, store
 * and set a dirty bit. derive.c alone turns it into 'draw' (struct rn_draw_state). The second half
 * lists the functions that the files of api/ use of each other, by file.
 */
#ifndef API_STATE_H
#define API_STATE_H

#include "api/objects.h"
#include "api/report.h"

/* ---- raw state ------------------------------------------------------------------------------- */

struct es_stencil_state {
    GLenum func;
    GLint ref;
    GLuint value_mask, write_mask;
    GLenum fail, depth_fail, pass;
};

struct es_state {
    /* glEnable */
    bool blend, cull_face, depth_test, dither, polygon_offset_fill, sample_alpha_to_coverage;
    bool sample_coverage_on, scissor_test, stencil_test, debug_output, debug_synchronous;
    /* transformation and rasterisation */
    GLint viewport[4], scissor[4];
    GLfloat depth_range[2];
    GLenum clip_origin, clip_depth; /* EXT_clip_control */
    GLenum cull_mode, front_face;
    GLfloat line_width, offset_factor, offset_units;
    GLfloat sample_coverage;
    bool sample_coverage_invert;
    /* fragment operations */
    GLenum depth_func;
    bool depth_mask;
    bool color_mask[4];
    struct es_stencil_state stencil[2]; /* front, back */
    GLenum blend_equation[2];           /* rgb, alpha */
    GLenum blend_src[2], blend_dst[2];
    GLfloat blend_color[4];
    GLfloat clear_color[4], clear_depth;
    GLint clear_stencil;
    /* pixel store and hints */
    GLint pack_alignment, unpack_alignment, unpack_row_length, unpack_skip_rows, unpack_skip_pixels;
    GLenum hint_mipmap, hint_derivatives;
    GLuint active_unit;
};

enum {
    ES_DIRTY_FRAMEBUFFER = 1u << 0, /* binding, attachments, draw buffers, surfaces */
    ES_DIRTY_RASTER = 1u << 1,   /* viewport, depth range, scissor, culling, offset, line width */
    ES_DIRTY_FRAGMENT = 1u << 2, /* fragment operations */
    ES_DIRTY_PROGRAM = 1u << 3,
    ES_DIRTY_TEXTURES = 1u << 4, /* bindings of units */
    ES_DIRTY_ATTRIBS = 1u << 5,  /* arrays, current values */
    ES_DIRTY_ALL = (1u << 6) - 1
};

/* ---- KHR_debug ------------------------------------------------------------------------------- */

struct es_debug; /* debug.c; allocated when first needed */

/* ---- the context ----------------------------------------------------------------------------- */

struct es_context {
    struct es_share *share;
    struct rn_context *renderer;
    const char *call; /* entry point being executed, for messages */

    struct es_state state;
    uint32_t dirty; /* ES_DIRTY_* */

    GLenum error;
    bool lost, lost_reported, reset_reported;
    struct es_context_desc desc;
    bool was_current;
    uint64_t counters_seen[RN_COUNTER_COUNT];

    /* the default framebuffer and its stand-in object (name 0) */
    struct es_surface *draw_surface, *read_surface;
    struct es_framebuffer default_framebuffer;

    /* bindings, each with a reference; never NULL where a default object exists */
    struct es_buffer *array_buffer;
    struct es_renderbuffer *renderbuffer;
    struct es_framebuffer *framebuffer;
    struct es_vao *vao;
    struct es_vao default_vao;
    struct es_texture *textures[ES_MAX_UNITS][ES_TEX_COUNT];
    struct es_texture *default_textures[ES_TEX_COUNT];
    struct es_program *program;
    GLfloat current_attrib[ES_MAX_ATTRIBS][4];

    /* names of container objects */
    struct es_names framebuffers, vaos, queries;
    struct es_query *query;         /* active, or NULL */
    struct es_query *pending_query; /* whose drawing may not have run yet, or NULL */

    /* derived state: written by derive.c only */
    struct rn_draw_state draw;
    struct rn_framebuffer target; /* copy of what is drawn into; draw.framebuffer points here */
    uint32_t seen_image_version, seen_buffer_version, seen_program_version;
    uint64_t serial, serial_end; /* numbers that es_context_serial may give out */
    uint64_t seen_exec, seen_views[2][ES_MAX_STAGE_SAMPLERS];
    unsigned seen_samplers[2]; /* of each stage at the last draw */
    uint32_t feedback[2]; /* samplers of each stage whose texture is attached to the target */

    struct es_debug *debug;
    struct es_report *report; /* report.h; NULL: nobody asked */
    char renderer_name[64];
};

static inline void es_lock(struct es_context *ctx) {
    pthread_mutex_lock(&ctx->share->mutex);
}
static inline void es_unlock(struct es_context *ctx) {
    pthread_mutex_unlock(&ctx->share->mutex);
}

/* ---- context.c ------------------------------------------------------------------------------- */

/* Runs pending drawing; notices execution faults. Returns true if the context is still alive. */
bool es_run_pending(struct es_context *ctx);
/* After any renderer call: loses the context on a fault. */
void es_check_fault(struct es_context *ctx);
/* A serial number that no other call of the process returned. */
uint64_t es_next_serial(void);
/* The same, for what every draw may ask: the context takes many at a time. */
uint64_t es_context_serial(struct es_context *ctx);

/* ---- error.c --------------------------------------------------------------------------------- */

void es_out_of_memory(struct es_context *ctx);

/* ---- debug.c, label.c ------------------------------------------------------------------------ */

#define ES_DEBUG_MAX_LENGTH 1024 /* of a message, with NUL */
#define ES_DEBUG_MAX_LOGGED 64
#define ES_DEBUG_MAX_GROUPS 64

void es_debug_fini(struct es_context *ctx);
/* Reports an API error to the debug output of the context, if on. */
void es_debug_error(struct es_context *ctx, GLenum error, const char *text);
/* Tells that the context is lost: a KHR_debug message, and stderr under VLGL_DEBUG=errors. */
void es_debug_lost(struct es_context *ctx, const char *text);
/* Facts for get.c. */
GLint es_debug_group_depth(const struct es_context *ctx);
GLint es_debug_logged(const struct es_context *ctx);
GLint es_debug_next_length(const struct es_context *ctx);
bool es_debug_pointer(const struct es_context *ctx, GLenum pname, void **value);

/* ---- state_raster.c, state_pixel.c ----------------------------------------------------------- */

void es_state_init(struct es_state *state);
/* NaN gives 0. */
float es_clamp01(float value);
/* The switch of a capability, NULL if 'cap' is none. */
bool *es_state_capability(struct es_state *state, GLenum cap, uint32_t *dirty);

/* ---- buffer.c -------------------------------------------------------------------------------- */

struct es_buffer *es_buffer_ref(struct es_buffer *buffer);
void es_buffer_unref(struct es_buffer *buffer);
/* Sets a reference-holding pointer. */
void es_buffer_bind(struct es_buffer **slot, struct es_buffer *buffer);

/* ---- texture.c ------------------------------------------------------------------------------- */

struct es_texture *es_texture_create(GLuint name);
bool es_texture_set_target(struct es_texture *texture, GLenum target);
struct es_texture *es_texture_ref(struct es_texture *texture);
void es_texture_unref(struct es_texture *texture);
struct es_level *es_texture_level(const struct es_texture *texture, unsigned face, unsigned level);
/* Call after storage or a parameter changed: drops the view and bumps the group's version. */
void es_texture_changed(struct es_share *share, struct es_texture *texture);
/* The view for sampling, NULL if the texture is incomplete or memory is out. Borrowed. */
struct rn_view *es_texture_view(struct es_texture *texture);
/* Description of the view (complete textures), for feedback copies. False if incomplete. */
bool es_texture_describe(const struct es_texture *texture, struct rn_view_desc *desc);
/* Texture bound to a target of the active unit; GL_INVALID_ENUM (and NULL) for a bad target. */
struct es_texture *es_texture_bound(struct es_context *ctx, GLenum target);
/*
 * For cube face targets also the face. NULL and GL_INVALID_ENUM if 'target' is no image target of
 * dimension dims.
 */
struct es_texture *es_texture_image_target(struct es_context *ctx, GLenum target, unsigned dims,
                                           unsigned *face);
void es_level_clear(struct es_level *level);
/* Detaches a bound pbuffer (its level becomes undefined). */
void es_texture_release_surface(struct es_share *share, struct es_texture *texture);

/* ---- eglimage.c ------------------------------------------------------------------------------ */

/* Around fork: the list of images. Unlocking in the child is by the thread that locked it. */
void es_images_lock(void);
void es_images_unlock(void);

/* ---- texformat.c ----------------------------------------------------------------------------- */

/* Row for a client format and type, or NULL. */
const struct es_texformat *es_texformat_find(GLenum format, GLenum type);
bool es_texformat_is_format(GLenum format);
bool es_texformat_is_type(GLenum type);
/* Rows for sized internal formats; 'use' is one of the flags below. NULL if not allowed there. */
enum { ES_SIZED_TEXTURE = 1, ES_SIZED_RENDERBUFFER = 2, ES_SIZED_TEXIMAGE = 4 };
struct es_sized_format {
    GLenum sized;
    GLenum format, type; /* of the texformat row for textures */
    uint8_t storage;     /* enum rn_format of the (colour, depth or stencil) plane */
    bool stencil;        /* second plane */
    uint8_t use;
};
const struct es_sized_format *es_sized_find(GLenum sized, unsigned use);
/* Bytes between rows of client memory with a row of 'width' pixels; alignment 1, 2, 4, 8. */
size_t es_row_stride(enum rn_layout layout, uint32_t width, int32_t row_length, int32_t alignment);
/* Compressed formats; find gives NULL for other enums. */
struct es_compressed_format {
    GLenum format;
    GLenum base;         /* GL_RGB or GL_RGBA: stored decoded, 8 bits a channel */
    uint8_t block_bytes; /* of 4 x 4 pixels */
    bool partial;        /* glCompressedTexSubImage2D is allowed */
};
const struct es_compressed_format *es_compressed_find(GLenum format);
unsigned es_compressed_count(void);
GLenum es_compressed_name(unsigned index);

/* ---- renderbuffer.c -------------------------------------------------------------------------- */

struct es_renderbuffer *es_renderbuffer_ref(struct es_renderbuffer *renderbuffer);
void es_renderbuffer_unref(struct es_renderbuffer *renderbuffer);
/*
 * A single-sampled copy of a multisampled colour renderbuffer; NULL and GL_OUT_OF_MEMORY when
 * memory is out.
 */
struct rn_image *es_renderbuffer_resolved(struct es_context *ctx,
                                          struct es_renderbuffer *renderbuffer);

/* ---- framebuffer.c --------------------------------------------------------------------------- */

/* Status of the bound framebuffer; brings framebuffer->target up to date if complete. */
GLenum es_framebuffer_status(struct es_context *ctx, struct es_framebuffer *framebuffer);
/*
 * Sets GL_INVALID_FRAMEBUFFER_OPERATION and returns false if the bound framebuffer is not complete.
 */
bool es_framebuffer_require(struct es_context *ctx);
/*
 * Target to draw into / image to read from (NULL if no colour). The framebuffer must be complete.
 */
const struct rn_framebuffer *es_framebuffer_target(struct es_context *ctx);
/*
 * Colour image and slice that reads come from; single-sampled. NULL: none (no error set) or memory
 * (set).
 */
struct rn_image *es_framebuffer_read_image(struct es_context *ctx, uint32_t *slice);
/* Format of the read image, RN_FORMAT_NONE if there is none. */
enum rn_format es_framebuffer_read_format(struct es_context *ctx);
/* Image planes of an attachment for point 'index' (ES_ATTACH_*); NULL if none. */
struct rn_image *es_attachment_image(const struct es_attachment *attachment, unsigned index,
                                     uint32_t *slice);
void es_framebuffer_destroy(struct es_framebuffer *framebuffer);
void es_attachment_clear(struct es_attachment *attachment);
/*
 * Bits of channel 0..3 of the colour buffer, or of depth (4), stencil (5), of the bound
 * framebuffer.
 */
GLint es_framebuffer_bits(struct es_context *ctx, unsigned channel);
GLint es_framebuffer_samples(struct es_context *ctx);
/* Detaches an object from the bound framebuffer when its name is deleted. */
void es_framebuffer_detach_texture(struct es_context *ctx, struct es_texture *texture);
void es_framebuffer_detach_renderbuffer(struct es_context *ctx,
                                        struct es_renderbuffer *renderbuffer);

/* ---- msaa.c ---------------------------------------------------------------------------------- */

#define ES_MAX_SAMPLES 4

/* Samples that a request gets: 0 or 4; -1 and GL_INVALID_VALUE for a bad one. */
int es_msaa_samples(struct es_context *ctx, GLsizei samples);
/*
 * Before drawing into a framebuffer (complete): stale samples take the texels. False when nothing
 * can be drawn.
 */
bool es_msaa_begin(struct es_context *ctx, struct es_framebuffer *framebuffer);
/* Before the texels are looked at, or the framebuffer is left: they take the samples. */
void es_msaa_resolve(struct es_context *ctx, struct es_framebuffer *framebuffer);
/*
 * The image that an attachment is drawn to in place of 'image' (texels); NULL when memory is out.
 */
struct rn_image *es_msaa_image(struct es_attachment *attachment, struct rn_image *image);

/* ---- readpixels.c ---------------------------------------------------------------------------- */

/* GL_IMPLEMENTATION_COLOR_READ_FORMAT and _TYPE. */
void es_read_format(struct es_context *ctx, GLenum *format, GLenum *type);

/* ---- shader.c, program.c, exec.c, uniform.c -------------------------------------------------- */

/* The one format of program binaries (vlgl's own container), outside Khronos's ranges. */
#define ES_PROGRAM_BINARY_VLGL 0x564C

/*
 * Objects by name with the errors of calls that need one: unknown INVALID_VALUE, other kind
 * INVALID_OPERATION.
 */
struct es_shader *es_shader_find(struct es_context *ctx, GLuint name);
struct es_program *es_program_find(struct es_context *ctx, GLuint name);
/* Drops a reference; the last one frees the object, its name and what is attached. */
void es_shader_base_unref(struct es_share *share, struct es_shader_base *base);
/* Makes a program (or none) current in the context. */
void es_program_use(struct es_context *ctx, struct es_program *program);
/* Text into a client's buffer of buffer_size with NUL; *length (may be NULL) without it. */
void es_copy_string(const char *text, GLsizei buffer_size, GLsizei *length, GLchar *out);
void es_glslc_options(struct glslc_options *options);

/*
 * Takes over 'linked' (destroyed on failure). NULL and a message in *log (malloc'ed) if the code is
 * refused.
 */
struct es_exec *es_exec_create(struct glslc_program *linked, char **log);
void es_exec_unref(struct es_exec *exec);
/* Recomputes sampler units and conflicts after sampler uniforms changed. */
void es_exec_update_samplers(struct es_exec *exec);
/* Location of a uniform by name, -1 if there is none. */
GLint es_exec_location(const struct es_exec *exec, const char *name);
/* Registers of one column of an element in a stage, NULL if the stage does not hold it. */
float *es_exec_registers(const struct es_exec *exec, const struct es_uniform *uniform,
                         unsigned stage, uint32_t element, unsigned column);
/* Gives gl_DepthRange its values. */
void es_exec_set_depth_range(struct es_exec *exec, float near_value, float far_value);

/* ---- vao.c, attrib.c ------------------------------------------------------------------------- */

void es_vao_init(struct es_vao *vao, GLuint name);
void es_vao_fini(struct es_vao *vao);

/* ---- query.c --------------------------------------------------------------------------------- */

void es_queries_fini(struct es_context *ctx);
/* Where the label of a query lives; NULL if there is no such query. */
char **es_query_label(struct es_context *ctx, GLuint name);

/* ---- derive.c -------------------------------------------------------------------------------- */

/*
 * Brings ctx->target up to date with the bound framebuffer, which must be complete
 * (es_framebuffer_require). For clears; es_derive does it for draws.
 */
void es_derive_target(struct es_context *ctx);
/*
 * Brings all of ctx->draw up to date for a draw with the current program and framebuffer, both
 * valid.
 */
void es_derive(struct es_context *ctx);
enum rn_compare es_derive_compare(GLenum func);
/* Scissor rectangle within a target. */
struct rn_rect es_derive_scissor(const struct es_context *ctx, uint32_t width, uint32_t height);

/* ---- get.c ----------------------------------------------------------------------------------- */

const char *es_extension_string(struct es_context *ctx);
/* To the nearest integer, halves away from zero, clamped to the range; NaN gives 0. */
GLint es_round_to_int(double value);

#endif
