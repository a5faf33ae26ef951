/* SPDX-License-Identifier: MIT */
/*
 * renderer.h: the one header of the renderer that api/ includes. The renderer speaks its own enums;
 * it knows nothing of GL objects. Images are refcounted pixel storage; views are immutable ways of
 * sampling them; a draw takes an immutable snapshot of state (struct rn_draw_state), runs the vertex
 * side at once and leaves fragments in the context's pending *scene*, which a flush turns into pixels.
 *
 * Row 0 of every image is the bottom row of the window / the first row of a texture upload.
 * No function reports errors by printing; functions that can run out of memory say so. Every entry
 * function sets the floating-point environment for its duration and restores it.
 *
 * Threads: an rn_context is used by one thread at a time; images, views and programs may be shared
 * between contexts (atomic reference counts).
 */
#ifndef RENDERER_RENDERER_H
#define RENDERER_RENDERER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/include/vliw.h"
#include "vm/include/vliw_narrow.h"

/* ---- limits of the contract (renderer/limits.h ties them together by static asserts) ------------- */

#define RN_MAX_SIZE 8192          /* images, viewports */
#define RN_MAX_3D_SIZE 512
#define RN_MAX_LEVELS 14          /* log2(RN_MAX_SIZE) + 1 */
#define RN_MAX_ATTRIBS 16
#define RN_MAX_VARYINGS 16
#define RN_MAX_TEXTURES 16        /* of each stage */
#define RN_MAX_COLORS 4
#define RN_MAX_POINT_SIZE 256.0f
#define RN_MAX_LINE_WIDTH 64.0f
#define RN_MAX_ANISOTROPY 16.0f
#define RN_SUBPIXEL_BITS 8

/* ---- formats -------------------------------------------------------------------------------------- */

enum { RN_FMT_RENDER = 1, RN_FMT_FILTER = 2, RN_FMT_LUM = 4, RN_FMT_ALPHA = 8 };
enum rn_format_kind { RN_KIND_UNORM, RN_KIND_SRGB, RN_KIND_FLOAT, RN_KIND_DEPTH, RN_KIND_STENCIL };

enum rn_format {
#define RN_FORMAT(id, bytes, r, g, b, a, kind, flags, layout) RN_FORMAT_##id,
#include "renderer/format.def"
#undef RN_FORMAT
    RN_FORMAT_COUNT
};

struct rn_format_info {
    const char *name;
    uint8_t bytes;                /* of a pixel */
    uint8_t bits[4];              /* r g b a */
    uint8_t kind;                 /* enum rn_format_kind */
    uint8_t flags;                /* RN_FMT_* */
};
const struct rn_format_info *rn_format_info(enum rn_format format);

enum rn_layout {
#define RN_LAYOUT(id, bytes, channels, type) RN_LAYOUT_##id,
#include "renderer/layout.def"
#undef RN_LAYOUT
    RN_LAYOUT_COUNT
};
unsigned rn_layout_bytes(enum rn_layout layout);

/* ---- device and context ---------------------------------------------------------------------------- */

struct rn_device;                 /* thread pool and function tables; one for a process */
struct rn_context;                /* pending scene, batches and scratch of one GL context */

/* threads: 1 to 64, the caller included. NULL when memory or threads are out. */
struct rn_device *rn_device_create(unsigned threads);
void rn_device_destroy(struct rn_device *device);
/* Around fork(): no drawing runs between them. Only in the parent: the child makes itself new threads and locks. */
void rn_device_hold(struct rn_device *device);
void rn_device_release(struct rn_device *device);
unsigned rn_device_threads(const struct rn_device *device);

struct rn_context *rn_context_create(struct rn_device *device);
void rn_context_destroy(struct rn_context *context);      /* drops the pending scene */

/* Runs the pending scene to the end: all pixels are in the images afterwards. */
void rn_flush(struct rn_context *context);

/* The first execution fault (budget, trap, memory) since creation; status VLIW_OK if none. */
struct rn_fault {
    enum vliw_status status;
    char message[200];            /* names shader and source line */
};
const struct rn_fault *rn_context_fault(const struct rn_context *context);

/* Instructions an invocation may execute; 0 = default. Set once from VLGL_BUDGET. */
void rn_context_set_budget(struct rn_context *context, uint32_t budget);
/* Whether narrow programs may run (they do, unless false is set). No pixel depends on it. */
void rn_context_set_narrow(struct rn_context *context, bool narrow);
/* Shows every batch from now on to a tool; NULL: to none. The tap is borrowed and must outlive its use. */
void rn_context_set_tap(struct rn_context *context, const struct vliw_tap *tap);

/* Counters by name since the context's creation; index with enum rn_counter. */
enum rn_counter {
#define RN_COUNTER(id, meaning) RN_COUNTER_##id,
#include "renderer/counters.def"
#undef RN_COUNTER
    RN_COUNTER_COUNT
};
/* Flushes and copies RN_COUNTER_COUNT values. */
void rn_context_counters(struct rn_context *context, uint64_t *values);

/* ---- recorders: what a scene does, told while it runs -------------------------------------------------- */

struct rn_prim;

/*
 * A fragment batch that has run. Quad q is at window position x + qx[q], y + qy[q] and uses lanes 4q .. 4q + 3 in
 * the order of vliw.h. inputs and outputs hold VM_LANES floats for each component: [(i * 4 + component) * VM_LANES
 * + lane] with i the index in the program's tables; components outside a mask are 0. Everything is borrowed for the call.
 */
struct rn_record_batch {
    const struct vliw_program *program;
    int32_t x, y;
    uint32_t quads;
    const uint8_t *qx, *qy;
    const uint8_t *covered;       /* lanes of each quad that the primitive covers, before the program ran */
    const struct vliw_mask *live; /* lanes that the program did not discard */
    const float *inputs, *outputs;
    uint64_t instructions;        /* executed, summed over lanes */
    vliw_sample_fn sample;        /* for running lanes again */
    void *sample_context;
};

/*
 * Told by the pool's threads: calls for different tiles may come at the same time, those for one tile in order. With
 * a batch function set, programs without inputs run like all others; no pixel changes by that.
 */
struct rn_recorder {
    void *user;
    void (*batch)(void *user, const struct rn_record_batch *batch);                         /* or NULL */
    void (*tile)(void *user, unsigned thread, uint32_t x, uint32_t y, uint64_t begin_ns, uint64_t end_ns); /* or NULL */
};

/* Flushes, then records what comes, or nothing more (NULL). The recorder must live until it is taken away. */
void rn_context_set_recorder(struct rn_context *context, const struct rn_recorder *recorder);

/*
 * The level of detail of each lane (VM_LANES values) of a texture request as rn_sample chooses it (context: the
 * request's): in 1/256 above level 0, whole levels where the filter takes one, 0 where there are no levels.
 */
void rn_sample_levels(void *context, const struct vliw_tex_request *request, int32_t *levels);
/* Samples the views of a stage (RN_MAX_TEXTURES, borrowed) outside of a draw; the context of what it returns. */
struct rn_sampler;
struct rn_view;
struct rn_sampler *rn_sampler_create(struct rn_view *const *views);
void rn_sampler_destroy(struct rn_sampler *sampler);
vliw_sample_fn rn_sampler_function(void);
/* The texels that a request reads: block is an image's data. The request's results are overwritten. */
void rn_sample_texels(void *context, const struct vliw_tex_request *request, vliw_texel_fn emit, void *user);

/* ---- images ----------------------------------------------------------------------------------------- */

/*
 * Pixel storage: width x height x depth (slices; 1 but for 3D textures), 'samples' 1 or 4. Created with
 * reference count 1 and zeroed contents. Fields are read-only for the API. 'data' holds what was drawn
 * only after rn_image_settle; the functions below see to it themselves.
 */
struct rn_blank;
struct rn_image {
    uint8_t *data;                /* 64-byte aligned */
    uint32_t width, height, depth;
    uint32_t row_bytes;           /* multiple of 64 */
    size_t slice_bytes;           /* of one slice of one sample plane */
    uint8_t format;               /* enum rn_format */
    uint8_t samples;              /* sample s of slice z is at data + (s * depth + z) * slice_bytes */
    uint32_t refs;                /* atomic */
    uint32_t scene_uses;          /* atomic: pending scenes that read or write it */
    struct rn_blank *blank;       /* tiles that a clear left unwritten; NULL: there never are any */
    void *memory;                 /* the block that data lies in; NULL: owner's */
    struct rn_image *owner;       /* of a slice: the image whose storage it is (a reference), else NULL */
};

struct rn_box {
    int32_t x, y, z;
    uint32_t width, height, depth;
};

/* NULL when memory is out. Zero sizes are legal (no storage). */
struct rn_image *rn_image_create(enum rn_format format, uint32_t width, uint32_t height, uint32_t depth,
                                 unsigned samples);
/* Slice z of a 3D image as an image of its own that shares the storage. NULL when memory is out. */
struct rn_image *rn_image_slice(struct rn_image *image, uint32_t z);
/* Is there a pixel that both hold? */
bool rn_image_overlaps(const struct rn_image *a, const struct rn_image *b);
struct rn_image *rn_image_ref(struct rn_image *image);    /* NULL-safe, returns its argument */
void rn_image_unref(struct rn_image *image);              /* NULL-safe */

/* Brings 'data' up to date in a box, or everywhere (NULL): clears leave tiles unwritten until then. */
void rn_image_settle(const struct rn_image *image, const struct rn_box *box);

/*
 * An image that may be written now in place of *image: flushes this context's scene if it uses the
 * image; if another context's pending scene still does, *image is replaced by a private copy.
 * False when memory is out.
 */
bool rn_image_make_writable(struct rn_context *context, struct rn_image **image);

/*
 * Copies client pixels into a box of an image (which must be writable and contain the box), converting
 * from 'layout'. Rows are row_stride bytes apart, slices slice_stride. For DS_U24_8 the image's kind
 * chooses the plane.
 */
void rn_image_write(struct rn_image *image, const struct rn_box *box, enum rn_layout layout,
                    const void *pixels, size_t row_stride, size_t slice_stride);
/* The reverse: sample 0 of a box to client memory. Normalised -> float and float -> normalised clamp and round. */
void rn_image_read(const struct rn_image *image, const struct rn_box *box, enum rn_layout layout,
                   void *pixels, size_t row_stride);
/* Copies a box between images of any colour formats (or equal depth formats); both contain it. */
void rn_image_copy(struct rn_image *dst, int32_t dst_x, int32_t dst_y, int32_t dst_z,
                   const struct rn_image *src, const struct rn_box *box);
/* Fills dst (a level) from src (the level above) by the box filter of any size (ES 2.0.25 3.7.11). */
void rn_image_downsample(struct rn_image *dst, const struct rn_image *src);
/* Average of the samples of src into the single-sampled dst of equal size and format. */
void rn_image_resolve(struct rn_context *context, struct rn_image *dst, struct rn_image *src, const struct rn_box *box);
/* Every sample of dst takes the pixels of the single-sampled src of equal size, depth and format. */
void rn_image_broadcast(struct rn_context *context, struct rn_image *dst, const struct rn_image *src);
/* Decodes ETC1 blocks (8 bytes each, rows of ceil(width / 4)) into an RGBX8 image of width x height. */
void rn_image_write_etc1(struct rn_image *image, const uint8_t *blocks);

/* ---- views: how a texture is sampled ------------------------------------------------------------------ */

enum rn_texture_type { RN_TEXTURE_2D, RN_TEXTURE_CUBE, RN_TEXTURE_3D };
enum rn_filter { RN_FILTER_NEAREST, RN_FILTER_LINEAR };
enum rn_mip { RN_MIP_NONE, RN_MIP_NEAREST, RN_MIP_LINEAR };
enum rn_wrap { RN_WRAP_REPEAT, RN_WRAP_CLAMP, RN_WRAP_MIRROR };
enum rn_compare { RN_NEVER, RN_LESS, RN_EQUAL, RN_LEQUAL, RN_GREATER, RN_NOTEQUAL, RN_GEQUAL, RN_ALWAYS };

struct rn_view_desc {
    uint8_t type;                 /* enum rn_texture_type */
    uint8_t min_filter, mag_filter, mip;
    uint8_t wrap[3];              /* s, t, r */
    bool compare;                 /* shadow lookup with compare_func */
    uint8_t compare_func;
    bool srgb_decode;             /* false: sample encoded values (EXT_texture_sRGB_decode) */
    float max_anisotropy;         /* 1 = off */
    uint8_t levels;               /* 1 .. RN_MAX_LEVELS; level 0 first */
    struct rn_image *images[6][RN_MAX_LEVELS]; /* [face or 0][level], all of one format */
};
struct rn_view;
/* Takes references to the images. NULL when memory is out. Immutable. */
struct rn_view *rn_view_create(const struct rn_view_desc *desc);
struct rn_view *rn_view_ref(struct rn_view *view);
void rn_view_unref(struct rn_view *view);

/* ---- programs ------------------------------------------------------------------------------------------ */

struct rn_program;
/* A linked pair, owned from now on by the result (destroyed even on failure). NULL when memory is out. */
struct rn_program *rn_program_create(struct vliw_program *vertex, struct vliw_program *fragment);
/*
 * The narrow program that may run in the fragment program's place (glslc_program_narrow); once, before the first draw.
 * The image belongs to the program from now on (it is destroyed even on failure: false, memory is out).
 */
bool rn_program_set_narrow(struct rn_program *program, struct vliw_image *image, const struct vliw_narrow *facts);
struct rn_program *rn_program_ref(struct rn_program *program);
void rn_program_unref(struct rn_program *program);
/* The code of both stages, borrowed. */
void rn_program_code(const struct rn_program *program, const struct vliw_program *code[2]);

/* ---- draw state ------------------------------------------------------------------------------------------ */

struct rn_attachment {
    struct rn_image *image;       /* NULL = none */
    uint32_t slice;
};

struct rn_framebuffer {
    uint32_t width, height;       /* smallest of the attachments */
    uint8_t samples;
    uint8_t color_count;          /* attachments used, colour i at color[i] */
    struct rn_attachment color[RN_MAX_COLORS];
    struct rn_attachment depth, stencil;
};

struct rn_rect {                  /* x1, y1 exclusive */
    int32_t x0, y0, x1, y1;
};

enum rn_attrib_type {
    RN_ATTRIB_S8, RN_ATTRIB_U8, RN_ATTRIB_S16, RN_ATTRIB_U16, RN_ATTRIB_FIXED, RN_ATTRIB_F32, RN_ATTRIB_F16
};

struct rn_attrib {
    const uint8_t *data;          /* NULL: every vertex reads 'value' */
    size_t size;                  /* readable bytes from data; SIZE_MAX for client arrays. Elements beyond read 0,0,0,1 */
    uint32_t stride;              /* bytes between elements, never 0 unless all read the same element */
    uint8_t type;                 /* enum rn_attrib_type */
    uint8_t components;           /* 1..4; missing ones are 0, 0, 1 */
    bool normalized;
    uint32_t divisor;             /* 0 = per vertex */
    float value[4];               /* current value when the array is off */
};

enum rn_blend_factor {
    RN_ZERO, RN_ONE, RN_SRC_COLOR, RN_ONE_MINUS_SRC_COLOR, RN_DST_COLOR, RN_ONE_MINUS_DST_COLOR,
    RN_SRC_ALPHA, RN_ONE_MINUS_SRC_ALPHA, RN_DST_ALPHA, RN_ONE_MINUS_DST_ALPHA, RN_CONSTANT_COLOR,
    RN_ONE_MINUS_CONSTANT_COLOR, RN_CONSTANT_ALPHA, RN_ONE_MINUS_CONSTANT_ALPHA, RN_SRC_ALPHA_SATURATE,
    RN_BLEND_FACTOR_COUNT
};
enum rn_blend_op { RN_BLEND_ADD, RN_BLEND_SUBTRACT, RN_BLEND_REVERSE_SUBTRACT, RN_BLEND_MIN, RN_BLEND_MAX };
enum rn_stencil_op {
    RN_STENCIL_KEEP, RN_STENCIL_ZERO, RN_STENCIL_REPLACE, RN_STENCIL_INCR, RN_STENCIL_DECR,
    RN_STENCIL_INVERT, RN_STENCIL_INCR_WRAP, RN_STENCIL_DECR_WRAP
};

struct rn_stencil_side {
    uint8_t func, fail, depth_fail, pass;   /* enum rn_compare, enum rn_stencil_op */
    uint8_t ref;                            /* already clamped to 0..255 */
    uint8_t read_mask, write_mask;
};

/* Fragment-side state in canonical form: disabled features carry zeros, so equal behaviour is equal bytes. */
struct rn_fragment_state {
    bool depth_test;              /* with a depth attachment present */
    bool depth_write;
    uint8_t depth_func;
    bool stencil_test;
    struct rn_stencil_side stencil[2];      /* front, back */
    bool blend;
    uint8_t blend_op_rgb, blend_op_alpha;
    uint8_t src_rgb, dst_rgb, src_alpha, dst_alpha;
    float blend_color[4];         /* clamped for fixed-point targets by the renderer */
    uint8_t color_mask;           /* bit 0 = red ... bit 3 = alpha */
    bool dither;
    bool count_passed;            /* count what passes all tests in SAMPLES_PASSED (occlusion queries) */
    bool alpha_to_coverage;
    bool sample_coverage;
    bool sample_coverage_invert;
    float sample_coverage_value;
    uint8_t draw_buffers;         /* bit i: colour output i is written to attachment i */
};

struct rn_draw_state {
    const struct rn_framebuffer *framebuffer;
    struct rn_program *program;
    const float *globals[2];      /* VLIW_STAGE_VERTEX, _FRAGMENT uniform registers */
    uint32_t global_count[2];     /* in registers */
    uint64_t globals_serial[2];   /* changes when the values do; equal serial = equal values, unique in the process */
    struct rn_view *views[2][RN_MAX_TEXTURES]; /* by sampler number of the stage; NULL = incomplete: 0,0,0,1 */
    struct rn_attrib attribs[RN_MAX_ATTRIBS];
    uint64_t attribs_serial;      /* changes when attribs or program do, unique in the process; 0 = unknown */

    int32_t viewport[4];          /* x, y, width, height */
    float depth_near, depth_far;  /* clamped to 0..1 */
    bool upper_left;              /* y = +w is at the bottom of the viewport, not at the top */
    bool zero_to_one;             /* the near plane is z = 0 and maps to depth_near, not z = -w */
    struct rn_rect scissor;       /* intersected with the framebuffer; whole framebuffer when off */
    uint8_t cull;                 /* 0 none, 1 front, 2 back, 3 both */
    bool front_cw;                /* front faces are clockwise */
    bool polygon_offset;
    float offset_factor, offset_units;
    float line_width;             /* clamped to the limits */

    struct rn_fragment_state fragment;
    uint64_t serial;              /* changes when anything above but attribs and globals does; unique in the process */
};

enum rn_mode { RN_POINTS, RN_LINES, RN_LINE_LOOP, RN_LINE_STRIP, RN_TRIANGLES, RN_TRIANGLE_STRIP, RN_TRIANGLE_FAN };

struct rn_draw_call {
    uint8_t mode;                 /* enum rn_mode */
    uint8_t index_bytes;          /* 0 = arrays, 1, 2, 4 */
    uint32_t first;               /* arrays: first vertex */
    uint32_t count;
    uint32_t instances;           /* 1 */
    const void *indices;
    size_t indices_size;          /* readable bytes; SIZE_MAX for client memory. Indices beyond read 0 */
};

/* Draws. Client memory is read before it returns. VLIW_ERR_MEMORY, or VLIW_OK (execution faults: rn_context_fault). */
enum vliw_status rn_draw(struct rn_context *context, const struct rn_draw_state *state,
                         const struct rn_draw_call *call);

struct rn_clear {
    const struct rn_framebuffer *framebuffer;
    struct rn_rect rect;          /* within the framebuffer */
    uint8_t color_mask;           /* channels to write, 0 = no colour clear */
    uint8_t color_buffers;        /* bit i: attachment i */
    float color[4];
    bool depth, stencil;
    float depth_value;            /* 0..1 */
    uint8_t stencil_value, stencil_mask;
};
enum vliw_status rn_clear(struct rn_context *context, const struct rn_clear *clear);

/* The contents of these attachments need not be kept (EXT_discard_framebuffer); a hint. */
void rn_invalidate(struct rn_context *context, const struct rn_framebuffer *framebuffer,
                   uint8_t colors, bool depth, bool stencil);

#endif
