/* SPDX-License-Identifier: MIT */
/*
 * internal.h: structures that the stages of the front share (context.c, draw.c, bind.c, gather.c, fetch.c,
 * vcache.c, assemble.c, vertex.c, clip.c, viewport.c, setup_*.c, scene.c, bin.c, clear.c). The tile side
 * never includes it: what the tiles read is scene.h.
 *
 * A draw is cut into *chunks* of consecutive primitives, of a size that depends on the draw alone.
 * One thread runs a chunk from indices to binned primitives in the buffers of its rn_front_worker;
 * the calling thread puts together in order what the chunks binned. So nothing depends on the number of threads.
 *
 * Vertices of a chunk live in *slots*: one slot a distinct (index, instance), structure of arrays
 * but for what triangles are judged by (struct rn_spot).
 */
#ifndef RENDERER_INTERNAL_H
#define RENDERER_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "renderer/limits.h"
#include "renderer/renderer.h"
#include "renderer/scene.h"
#include "vm/base/arena.h"
#include "vm/base/bits.h"

/* ---- sizes --------------------------------------------------------------------------- */

#define RN_CHUNK_PRIMS         1024 /* primitives of a chunk: arrays, few points or lines */
#define RN_CHUNK_PRIMS_INDEXED 4096 /* indexed triangles, which share vertices; many points or lines */
#define RN_CHUNK_GROUP         16   /* chunks in flight before they are binned, at most */
#define RN_GROUP_PRIMS         32768 /* primitives of a group, where they are worth handing over */
#define RN_SLOTS               (RN_CHUNK_PRIMS_INDEXED * 3) /* slots of a chunk at most */
#define RN_CLIP_SLOTS          16 /* spare slots behind them for vertices that clipping makes */
#define RN_SLOT_ARRAY          (RN_SLOTS + 128)
#define RN_SCENE_BYTES         ((size_t)64 << 20) /* a scene larger than this is flushed */
/* What a draw of several groups has made is handed over to the tiles between two groups when it is more than this
 * (rn_scene_ripe): about what a second-level cache holds, and enough for each tile that may be visited. */
#define RN_RIPE_BYTES          ((size_t)3 << 19)
#define RN_RIPE_TILE_BYTES     ((size_t)6 << 10)
#define RN_KERNEL_BYTES        ((size_t)4 << 10) /* what the tile side keeps of a state, about */
/* A scene is launched when its draws of one chunk add up to this, RN_DRAW_WORK each and 1 a
 * primitive. Its tiles then cost a multiple of what going over a tile once more does. The first
 * after a flush are launched earlier, each at twice the one before, lest the other threads wait long;
 * but not for less than RN_TILE_WORK a tile. */
#define RN_LAUNCH_WORK         12288
#define RN_LAUNCH_FIRST        1536
#define RN_TILE_WORK           32
#define RN_DRAW_WORK           8
/* Draws of at most so many triangles are gathered, so many triangles at a time (gather.c). */
#define RN_GATHER_DRAW         16
#define RN_GATHER_PRIMS        64

_Static_assert(RN_SLOTS % VM_LANES == 0, "slots are filled by whole batches");
_Static_assert(RN_SLOTS < 65535, "a slot number fits uint16_t with one value to spare");

/* ---- clip codes ---------------------------------------------------------------------- */

enum {
    RN_CODE_NEAR = 1,    /* z < -w, or z < 0 */
    RN_CODE_FAR = 2,     /* z > w */
    RN_CODE_GUARD = 4,   /* window x or y beyond the guard band, or not a number */
    RN_CODE_BAD = 8,     /* a component is infinite or NaN: the primitive is dropped */
    RN_CODE_LEFT = 16,   /* x < -w; the four are for rejection only */
    RN_CODE_RIGHT = 32,  /* x > w */
    RN_CODE_BELOW = 64,  /* y < -w */
    RN_CODE_ABOVE = 128, /* y > w */
    RN_CODE_CLIP = RN_CODE_NEAR | RN_CODE_FAR | RN_CODE_GUARD,
    RN_CODE_OUTSIDE =
        RN_CODE_NEAR | RN_CODE_FAR | RN_CODE_LEFT | RN_CODE_RIGHT | RN_CODE_BELOW | RN_CODE_ABOVE
};

/* ---- kernels (front_tmpl.c, one table for each ISA) ---------------------------------- */

/* Depths of vertices that lie in the depth range by more than this, 2^-19, need no clamp at any pixel (rn_prim.unclamped). */
#define RN_DEPTH_MARGIN 1.9073486328125e-6f

/* The viewport transform: window = ndc * half + centre in float, each step rounded. */
struct rn_viewport {
    float half_x, half_y, centre_x, centre_y;
    double depth_half, depth_centre; /* window z = ndc z * half + centre in double */
    float depth_lo, depth_hi;        /* the depth range, ordered */
    bool zero_to_one;                /* near plane z >= 0, else z >= -w */
    double guard[4]; /* guard planes: x >= guard[0] w, x <= guard[1] w, y the same */
};

/* A projected vertex; 16 bytes, so that kernels load it whole. */
struct rn_spot {
    int32_t x, y; /* window, 24.8, within the guard band */
    int32_t code;
    float iw; /* 1 / w */
};

/* Vertices in slots: clip coordinates in, window out. */
struct rn_slots {
    float *x, *y, *z, *w; /* clip coordinates */
    struct rn_spot *spot; /* what becomes of them */
    float *size;          /* point size */
};

/* What triangles are tested against before set-up. */
struct rn_cull {
    const struct rn_spot *spot;
    struct rn_rect box; /* viewport, scissor and framebuffer in one */
    int32_t lo, hi;     /* pixel range of [min, max]: (min + lo) >> 8 .. ((max - hi) >> 8) + 1 */
    bool positive, negative; /* reject that sign of the area */
};
/* A bit a triangle: those that are not dropped, and those of them that must be clipped. */
#define RN_VERDICT_WORDS ((RN_CHUNK_PRIMS_INDEXED + 63) / 64)
struct rn_verdicts {
    uint64_t keep[RN_VERDICT_WORDS], clip[RN_VERDICT_WORDS];
};

/* Set-up of up to RN_SETUP_LANES triangles at once, one lane each; setup_tri.c says what it means.
 */
#define RN_SETUP_LANES 16
struct rn_setup {
    int32_t i[3][RN_SETUP_LANES]; /* in: slots; out: in counter-clockwise order */
    /* The gradient of a component p, p1 - p0 = d1 and p2 - p0 = d2: ax = d1 k[0] - d2 k[1],
     * ay = d2 k[2] - d1 k[3], a0 = p0 + (ax off_x + ay off_y); off: origin less first vertex. */
    double k[4][RN_SETUP_LANES], off_x[RN_SETUP_LANES], off_y[RN_SETUP_LANES];
    double z0[RN_SETUP_LANES], zx[RN_SETUP_LANES], zy[RN_SETUP_LANES], slope[RN_SETUP_LANES];
    float weight[3][RN_SETUP_LANES]; /* of the vertices: 1 / w in perspective, else 1 */
    float iw[3][RN_SETUP_LANES];     /* plane of 1 / w */
    uint32_t empty; /* bit a lane: no pixel is covered */
    struct rn_frag_draw *draw[RN_SETUP_LANES]; /* in: whose triangle it is; not for the kernels */
};

struct rn_front_kernels {
    /* Slots first .. first + count - 1 (first a multiple of 16); codes_and/_or over just these. */
    void (*project)(const struct rn_viewport *viewport, const struct rn_slots *slots,
                    uint32_t first, uint32_t count, uint32_t *codes_and, uint32_t *codes_or);
    /* Verdicts of triangles of slots i[0][k], i[1][k], i[2][k], whole words; arrays readable to a
     * multiple of 16. */
    void (*cull)(const struct rn_cull *cull, int32_t *const i[3], uint32_t count,
                 struct rn_verdicts *verdicts);
    /* Fills all but the slots of 'count' lanes, and their primitives but for draw, depth and
     * planes. Whole vectors of primitives are written, so prim[] has RN_SETUP_LANES entries. */
    void (*setup)(const struct rn_slots *slots, const struct rn_viewport *viewport,
                  const struct rn_cull *cull, bool front_cw, uint32_t count,
                  struct rn_setup *setup, struct rn_prim *const *prim);
    /* The planes of 1 / w and of all components, in whole vectors too and whole lines of the cache;
     * component c of a slot is varyings[c * RN_SLOT_ARRAY + slot]. */
    void (*planes)(const struct rn_setup *setup, const float *varyings, uint32_t components,
                   uint32_t count, struct rn_prim *const *prim);
};
extern const struct rn_front_kernels rn_front_scalar, rn_front_sse, rn_front_avx2, rn_front_avx512,
    rn_front_neon;
const struct rn_front_kernels *rn_front_kernels_for(enum vliw_simd level);

/* ---- kernels (input_tmpl.c) ------------------------------------------------------------ */

struct rn_index_range {
    uint32_t low, high;
};

/* The slot of each of many indices: table[index - low], or index + offset without a table. */
struct rn_slot_map {
    const uint32_t *index;
    const int32_t *table;
    uint32_t low;
    int32_t offset;
    bool consecutive; /* the new slots' indices are low, low + 1, ... */
};
static inline int32_t rn_slot_of(const struct rn_slot_map *map, uint32_t index) {
    return map->table ? map->table[index - map->low] : (int32_t)(index + (uint32_t)map->offset);
}

struct rn_input_kernels {
    /* Widens 'count' indices of 1, 2, 4 bytes to words, and *range by them. */
    void (*indices[3])(const uint8_t *from, uint32_t count, uint32_t *out,
                       struct rn_index_range *range);
    /* Slots of 'count' triples of indices. */
    void (*triples)(const struct rn_slot_map *map, uint32_t count, int32_t *a, int32_t *b,
                    int32_t *c);
    /* Elements of 1..4 floats to one array each. The first 'wide' of them have 16 readable bytes;
     * 'run': the indices are consecutive. */
    void (*floats)(const uint8_t *data, size_t stride, const uint32_t *index, uint32_t wide,
                   uint32_t count, float *const out[4], unsigned components, bool run);
};
extern const struct rn_input_kernels rn_input_scalar, rn_input_sse, rn_input_avx2, rn_input_avx512,
    rn_input_neon;
const struct rn_input_kernels *rn_input_kernels_for(enum vliw_simd level);

/* ---- a draw, as every worker sees it ------------------------------------------------- */

/* How one vertex input register is filled. */
struct rn_fetch {
    const uint8_t *data; /* NULL: all lanes read 'value' */
    uint64_t stride;
    uint32_t elements; /* readable ones; beyond: 0,0,0,1 */
    uint32_t divisor;
    uint8_t components;  /* of the array */
    uint8_t bytes;       /* of one component */
    uint8_t input, mask; /* number in the program's table, components it reads */
    uint8_t floats;      /* of floats by vertex: the first so many are read, and no others; 0: other arrays */
    bool overlap;        /* 16 bytes from an element on do not end behind the next one */
    uint32_t reach;      /* elements with 16 readable bytes */
    void (*convert)(const uint8_t *const *element, size_t offset, uint32_t count, float *out);
    float value[4];
};

/* Everything about a draw that does not change between chunks. Lives in the context; the upper part
 * is kept while the state's serial stays. */
struct rn_front_draw {
    const struct rn_program *program;
    const struct rn_front_kernels *kernels;
    const struct rn_input_kernels *input;
    struct rn_viewport viewport;
    struct rn_cull cull; /* 'spot' is filled in by the worker */
    bool front_cw;
    uint32_t width, height; /* of the framebuffer */
    uint32_t tiles_x;
    bool nothing;           /* no pixel can be covered */
    uint8_t samples;
    uint32_t coefs; /* interpolated components */
    size_t prim_bytes;
    double depth_steps;                 /* 2^n - 1 of the depth attachment, 0 = none */
    double offset_factor, offset_units; /* both 0 when polygon offset is off */
    int32_t line_width;       /* whole pixels */
    int32_t line_width_fixed; /* 24.8, for targets with samples */
    /* per draw */
    struct rn_view *const *views; /* of the vertex stage */
    struct rn_frag_draw *frag;
    const float *constants;
    uint32_t budget;
    const struct vliw_tap *tap;
    struct rn_fetch fetch[RN_MAX_ATTRIBS];
    uint32_t fetch_count;
    uint64_t fetch_serial; /* of the attributes that 'fetch' is made of; 0: of no other draw */
    const struct rn_draw_call *call;
    uint32_t prims; /* of one instance */
    uint64_t total; /* of all instances */
    uint32_t chunk_prims;
    uint64_t first_chunk; /* of the group in flight */
    uint32_t group;       /* its chunks */
    uint32_t indices;     /* of the job: chunks and tiles */
    const struct rn_pool *pool;
    struct rn_tile_run *tiles; /* of the scene that was handed over, if one was */
    atomic_uint stop;     /* first chunk of the group that failed; later ones are not begun */
    struct rn_chunk *chunks;
    struct rn_front_worker *const *workers;
};

/* What a chunk adds to a tile's bin. */
struct rn_bin_part {
    struct rn_bin_block *head, *tail;
    uint32_t tile;
};

/* What came out of a chunk. The thread whose it is counts in it with each primitive, beside another's with the next. */
struct rn_chunk {
    _Alignas(BITS_APART) struct rn_bin_part *part; /* for the calling thread to put together, of chunks that ran beside others */
    uint32_t parts;
    uint32_t worker;            /* who ran it */
    enum vliw_status status;
    struct rn_fault fault;
    uint64_t vertices, instructions;
    size_t bytes; /* of primitives and commands, see scene.h */
    uint32_t in, culled, clipped, binned;
    atomic_bool ready; /* its worker is done with it */
};

/* One thread's buffers, sized once for the largest chunk. */
struct rn_front_worker {
    struct vliw_batch *batch;
    const struct rn_program *bound;   /* the context holds a reference */
    float *inputs[RN_MAX_ATTRIBS][4]; /* by fetch entry */
    const float *position[4], *size, *varying[RN_MAX_COEFS]; /* outputs of the batch */
    struct rn_sample_context sample;
    struct arena arena; /* primitives and what bins are made of, reset with the scene */
    uint8_t *prim_next, *prim_end;
    /* A primitive for lanes that have none. */
    _Alignas(BITS_APART) uint8_t spare[(sizeof(struct rn_prim) + RN_MAX_COEFS * sizeof(struct rn_plane) + 63) / 64 * 64];
    struct rn_slots slots;
    uint32_t *element, *instance; /* vertex index and instance of a slot */
    uint32_t element_high;        /* the greatest of them */
    bool run;                     /* they are consecutive */
    float *varyings;              /* [component][slot] */
    int32_t *corner;              /* slots of the corners of a segment */
    int32_t *prim[3];             /* slots of the chunk's primitives */
    struct rn_verdicts verdicts;
    uint32_t *index; /* indices of a segment */
    struct rn_vcache *vcache;
    uint32_t base_slot, base_prim; /* where assembly begins: 0 but for gathered draws */
    struct rn_frag_draw *const *frags; /* of the chunk's triangles, if they are of several draws */
    struct rn_frag_draw *frag;         /* then: of the triangle that is being clipped */
    struct rn_bin *bins; /* where primitives go: the scene's, or the worker's own */
    struct rn_bin *own;  /* empty between chunks */
    uint32_t *touched;   /* of these, since the chunk began */
    uint32_t own_count, touched_count;
    struct rn_chunk *chunk; /* being worked on */
    const struct rn_front_draw *draw;
    void *memory; /* all arrays are in here */
};
struct rn_front_worker *rn_front_worker_create(void);
void rn_front_worker_destroy(struct rn_front_worker *worker);

/* ---- vcache.c: distinct indices ------------------------------------------------------ */

struct rn_vcache;
size_t rn_vcache_bytes(void);
/* Gives each of count indices (all within range) a slot: equal for equal indices, numbered from
 * *slots on; the index of each new slot is stored in element[], which has room for one more. *slots
 * is advanced. The map refers to the cache and to index[], whose contents may change. */
struct rn_slot_map rn_vcache_assign(struct rn_vcache *cache, uint32_t *index, uint32_t count,
                                    struct rn_index_range range, uint32_t *element,
                                    uint32_t *slots);

/* ---- fetch.c ------------------------------------------------------------------------- */

/* Fills draw->fetch for this state's attributes. */
void rn_fetch_plan(struct rn_front_draw *draw, const struct rn_draw_state *state);
/* Fills the batch's inputs for slots first .. first + count - 1. */
void rn_fetch_batch(const struct rn_front_worker *worker, uint32_t first, uint32_t count);
/* Reads count indices from position 'first' on, positions beyond the buffer as 0, and widens *range
 * by them. */
void rn_fetch_indices(const struct rn_front_draw *draw, uint32_t first, uint32_t count,
                      uint32_t *out, struct rn_index_range *range);

/* ---- assemble.c ---------------------------------------------------------------------- */

enum rn_prim_class { RN_CLASS_POINT, RN_CLASS_LINE, RN_CLASS_TRIANGLE };
static inline enum rn_prim_class rn_mode_class(uint8_t mode) {
    return mode == RN_POINTS ? RN_CLASS_POINT
           : mode == RN_LINES || mode == RN_LINE_LOOP || mode == RN_LINE_STRIP ? RN_CLASS_LINE
                                                                              : RN_CLASS_TRIANGLE;
}
/* Primitives that 'count' vertices make. */
uint32_t rn_mode_prims(uint8_t mode, uint32_t count);
/* Fills slots (element, instance) and prim[] from base_slot and base_prim on for primitives
 * first .. first + count - 1 of all instances; returns the end of the slots. */
uint32_t rn_assemble(struct rn_front_worker *worker, uint64_t first, uint32_t count);
/* The same for all triangles of a draw that has a few. */
uint32_t rn_assemble_small(struct rn_front_worker *worker);

/* ---- vertex.c ------------------------------------------------------------------------ */

/* Shades slots 0 .. count - 1 and projects them. False: worker->chunk holds status and fault. */
bool rn_vertex_run(struct rn_front_worker *worker, uint32_t count, uint32_t *codes_and,
                   uint32_t *codes_or);
/* Shades slots first .. end - 1 only. */
bool rn_vertex_shade(struct rn_front_worker *worker, uint32_t first, uint32_t end);

/* ---- viewport.c ---------------------------------------------------------------------- */

/* The state's viewport, depth range, upper_left and zero_to_one. */
void rn_viewport_set(struct rn_viewport *out, const struct rn_draw_state *state);

/* ---- clip.c -------------------------------------------------------------------------- */

/*
 * Clips a convex polygon of 'count' slots (2 = a line) against near, far and the guard band, in
 * this order; new vertices go to the spare slots and are projected. Returns the number of vertices
 * left in poly[] (room for RN_CLIP_POLY), 0 if nothing is left or a vertex has no window position.
 */
#define RN_CLIP_POLY 12
uint32_t rn_clip(struct rn_front_worker *worker, int32_t *poly, uint32_t count);

/* ---- set-up -------------------------------------------------------------------------- */

/*
 * Set up primitives of slots and push them to the worker's chunk; false when memory is out. Triangles: the first
 * 'count' lanes of setup->i and setup->draw, not culled.
 */
bool rn_setup_triangles(struct rn_front_worker *worker, struct rn_setup *setup, uint32_t count);
/* A convex polygon of count >= 3 slots, culled as a whole. */
bool rn_setup_polygon(struct rn_front_worker *worker, const int32_t *poly, uint32_t count);
bool rn_setup_line(struct rn_front_worker *worker, int32_t i0, int32_t i1);
bool rn_setup_point(struct rn_front_worker *worker, int32_t slot);
/* The same on targets with samples; a point's 'prim' has everything but kind, box and edges. */
bool rn_setup_line_samples(struct rn_front_worker *worker, int32_t i0, int32_t i1);
bool rn_setup_point_samples(struct rn_front_worker *worker, int32_t slot, int32_t size, struct rn_prim *prim);
/* Planes (varyings, 1/w, depth) of the line between two slots that do not coincide. */
void rn_line_planes(struct rn_front_worker *worker, int32_t i0, int32_t i1, struct rn_prim *prim);

/* A primitive of the draw with room for its planes, fields of the draw filled in; NULL: no memory.
 */
struct rn_prim *rn_prim_new(struct rn_front_worker *worker);
/* 'count' of them, with nothing filled in. False when memory is out. */
bool rn_prims_new(struct rn_front_worker *worker, uint32_t count, struct rn_prim **prims);

/* ---- bind.c, draw.c, gather.c ---------------------------------------------------------------- */

/* Culls, clips and sets up the triangles in worker->prim. False when memory is out. */
bool rn_chunk_triangles(struct rn_front_worker *worker, uint32_t count);
/* An empty chunk. */
static inline void rn_chunk_init(struct rn_chunk *chunk, uint32_t in) {
    chunk->part = NULL;
    chunk->parts = chunk->worker = 0;
    chunk->status = chunk->fault.status = VLIW_OK;
    chunk->vertices = chunk->instructions = 0;
    chunk->bytes = 0;
    chunk->in = in;
    chunk->culled = chunk->clipped = chunk->binned = 0;
}
/* Counts and bins a finished chunk. False ends the draw, with its status. */
bool rn_chunk_join(struct rn_context *context, const struct rn_chunk *chunk,
                   enum vliw_status *status);

/* Makes scene, draw and frag_draw agree with the state. False when memory is out. */
bool rn_bind(struct rn_context *context, const struct rn_draw_state *state);

/* The part of a state that rasterisation is made of. */
struct rn_raster_key {
    uint32_t width, height;
    int32_t viewport[4];
    struct rn_rect scissor;
    float depth_near, depth_far, offset_factor, offset_units, line_width;
    uint8_t samples, depth_format, cull;
    bool upper_left, zero_to_one, front_cw, polygon_offset;
};

/* Fragment data of an open scene, found by what it was made of. */
#define RN_FRAG_KNOWN 64
struct rn_frag_known {
    struct rn_frag_draw *frag;
    uint64_t scene, globals;
};

/* Small draws whose vertices are shaded and whose triangles wait for the rest, all rasterised alike. */
struct rn_gather {
    uint32_t slots, prims;
    uint32_t coefs; /* the most of a draw */
    struct rn_frag_draw *frag[RN_GATHER_PRIMS];
    struct rn_chunk chunk;
    enum vliw_status late; /* what the next call returns */
};
/* Whether a call's triangles can wait. */
bool rn_gather_fits(const struct rn_context *context, uint8_t mode, uint64_t total);
/* The bound draw joins those that wait. */
enum vliw_status rn_gather_add(struct rn_context *context);
/* Sets up and bins what waits. */
void rn_gather_drain(struct rn_context *context);
/* The error that no call has returned yet. */
enum vliw_status rn_gather_status(struct rn_context *context, enum vliw_status status);

/* Set of pointers (views, programs) that a scene holds references on. */
struct rn_ptr_set {
    void **slots;
    uint32_t capacity, count; /* capacity is a power of two */
};
/* 1 = was new, 0 = was there, -1 = no memory. */
int rn_ptr_set_add(struct rn_ptr_set *set, void *pointer);

/* A scene whose tiles run while the next one is built, with what is the scene's in rn_context and
 * its workers; all of it spare while none is up. */
struct rn_flight {
    bool up;
    bool held; /* handed over, its tiles not begun */
    uint32_t tiles; /* then: how many there are to run */
    bool ran;  /* not up: a scene that was handed over, has been run and is gone but for its result */
    struct rn_tile_result result;
    struct rn_tile_run *run;
    struct rn_scene scene;
    struct rn_ptr_set views, programs;
    struct arena *arenas; /* one a worker */
};

struct rn_context {
    struct rn_device *device;
    enum vliw_simd level; /* whose kernels are used */
    struct rn_scene scene;
    bool scene_open;
    uint64_t scene_id;                 /* counts scenes */
    uint32_t work;                     /* of the scene, that one thread did: see RN_LAUNCH_WORK */
    uint32_t launch_at;                /* when to think of a launch */
    struct rn_flight flight;
    struct rn_ptr_set views, programs; /* referenced by the open scene */
    struct rn_front_worker **workers;  /* one a pool thread; made when first needed */
    struct rn_front_draw draw;
    bool draw_valid; /* draw's upper part belongs to draw_serial */
    uint64_t draw_serial;
    uint64_t draw_scene; /* scene_id for which draw_serial was checked */
    struct rn_raster_key raster; /* draw's, if it is valid */
    struct rn_frag_known known[RN_FRAG_KNOWN];
    struct rn_frag_known *frag_known; /* of the last draw, that of frag_serial in frag_scene */
    uint64_t frag_serial, frag_scene;
    struct rn_program *vertex_program; /* referenced: whose constants these are */
    uint64_t vertex_globals;
    float *vertex_constants;
    size_t vertex_constants_size;
    struct rn_chunk chunks[RN_CHUNK_GROUP];
    struct rn_gather gather;
    uint64_t counters[RN_COUNTER_COUNT];
    struct rn_fault fault;
    uint32_t budget;
    const struct vliw_tap *tap;        /* or NULL */
    const struct rn_recorder *recorder;
};

/* Makes the open scene one of this framebuffer (flushing another). False when memory is out. */
bool rn_scene_open(struct rn_context *context, const struct rn_framebuffer *fb);
/* Joins the scene in flight, runs the open scene, if any, and closes it. */
void rn_scene_flush(struct rn_context *context);
/* Work has reached launch_at: lets the other threads begin with the open scene, which is closed here, unless it is
 * too thinly spread. */
void rn_scene_launch(struct rn_context *context);
/* Waits for the scene in flight, if any, and takes its result. After a fault the open scene is
 * dropped. */
void rn_scene_join(struct rn_context *context);
/* A draw of many chunks hands what it has made so far over, to run the tiles beside its next chunks: the
 * scene is in flight, but nobody runs it until the caller does (rn_scene_tile, of flight.run) and says so.
 * False: all stays as it was. */
bool rn_scene_hand_over(struct rn_context *context);
void rn_scene_landed(struct rn_context *context);
void rn_flight_fini(struct rn_context *context);
/* Drops the open scene without running it. */
void rn_scene_close(struct rn_context *context);
/* Whether the open scene or the one in flight writes an image that the view reads. */
bool rn_scene_writes_view(const struct rn_context *context, const struct rn_view *view);
/* The open scene holds a reference on the view / program from now on. False when memory is out. */
bool rn_scene_hold_view(struct rn_context *context, struct rn_view *view);
bool rn_scene_hold_program(struct rn_context *context, struct rn_program *program);
/* Bytes of the open scene and the one in flight (struct rn_scene). */
size_t rn_scene_bytes(const struct rn_context *context);
/* Whether the open scene is large enough to be handed over. */
bool rn_scene_ripe(const struct rn_context *context);

/* ---- bin.c --------------------------------------------------------------------------- */

/* False when memory is out: */
bool rn_bin_append(struct rn_bin *bin, struct arena *arena, rn_cmd cmd);
bool rn_bin_put_slow(struct rn_front_worker *worker, uint32_t tile, rn_cmd cmd);
static inline bool rn_bin_put(struct rn_front_worker *worker, uint32_t tile, rn_cmd cmd) {
    worker->chunk->bytes += sizeof cmd;
    struct rn_bin_block *block = worker->bins[tile].tail;
    if (block && block->count < block->capacity) {
        block->cmds[block->count++] = cmd;
        return true;
    }
    return rn_bin_put_slow(worker, tile, cmd);
}
/* Appends a primitive, its box final, to the bins of all tiles that it touches. */
bool rn_bin_prim(struct rn_front_worker *worker, struct rn_prim *prim);
/* The worker has bins of its own for so many tiles. */
bool rn_bins_own(struct rn_front_worker *worker, uint32_t tiles);
/* What is in them becomes the chunk's parts, and they are empty again. */
bool rn_bins_take(struct rn_front_worker *worker);
/* The chunk's parts join the scene's bins. */
void rn_bins_join(struct rn_scene *scene, const struct rn_chunk *chunk);

/* ---- small helpers ------------------------------------------------------------------- */

static inline struct rn_rect rn_rect_intersect(struct rn_rect a, struct rn_rect b) {
    struct rn_rect r = {a.x0 > b.x0 ? a.x0 : b.x0, a.y0 > b.y0 ? a.y0 : b.y0,
                        a.x1 < b.x1 ? a.x1 : b.x1, a.y1 < b.y1 ? a.y1 : b.y1};
    return r;
}
static inline bool rn_rect_empty(struct rn_rect r) {
    return r.x0 >= r.x1 || r.y0 >= r.y1;
}
static inline float *rn_slot_varying(const struct rn_front_worker *worker, int32_t slot,
                                     uint32_t component) {
    return worker->varyings + (size_t)component * RN_SLOT_ARRAY + (size_t)slot;
}

#endif
