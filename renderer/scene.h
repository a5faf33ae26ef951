/* SPDX-License-Identifier: MIT */
/*
 * scene.h: what the front (draw, assembly, clip, set-up, bin) writes and the tiles read; the only thing
 * the two share. A scene belongs to one framebuffer: a grid of bins, each a list of commands in
 * submission order, with the bulk data in the scene's arenas. Front never touches a pixel, tiles never
 * touch a vertex.
 */
#ifndef RENDERER_SCENE_H
#define RENDERER_SCENE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "renderer/limits.h"
#include "renderer/renderer.h"
#include "vm/base/arena.h"
#include "vm/base/bits.h"

/* One interpolated component of the fragment program's inputs: input 'io' component 'comp'. */
struct rn_coef_map {
    uint8_t io;              /* index into the fragment program's inputs */
    uint8_t comp;
    uint8_t vs_output;       /* index into the vertex program's outputs; 0xff: gl_PointCoord; 0xfe: no writer, reads 0 */
    uint8_t vs_comp;
};

/* The pair of programs with what draws need to know of it, computed once at creation (program.c, front). */
struct rn_program {
    uint32_t refs;
    struct vliw_program *stage[2];
    const struct vliw_info *info[2];
    uint32_t coef_count;
    struct rn_coef_map coefs[RN_MAX_COEFS];
    int8_t position_output, point_size_output;      /* of the vertex program, -1 = absent */
    int8_t frag_coord_input, front_facing_input;    /* of the fragment program, -1 = absent */
    int8_t point_coord_input;
    int8_t color_output[RN_MAX_COLORS];             /* -1 = not written */
    int8_t depth_output;
    int8_t last_frag_input[RN_MAX_COLORS];
    bool discards;
    struct rn_narrow *narrow;                       /* NULL: none */
};

/*
 * What fragments of a draw need, frozen in the scene when the state's serial or the fragment globals
 * change, and shared by all draws until then. Holds references on program and views until the scene ends.
 */
struct rn_frag_draw {
    struct rn_program *program;
    const float *constants;                         /* prepared fragment constants, in the scene's arena */
    struct rn_view *views[RN_MAX_TEXTURES];         /* fragment stage */
    struct rn_fragment_state state;
    float depth_lo, depth_hi;                       /* clamp of window depth: the depth range, ordered */
    bool early_depth;                               /* test and write before shading */
    bool early_test;                                /* test before, write after */
    /* Tile side: functions chosen by program, state, views and formats (shade.c). Must not depend on
     * constants: the front hands kernel, early_depth and early_test on to later frag_draws of the same
     * scene that differ in constants only. */
    const void *kernel;
    /* narrow.h: one of these two kernels is 'kernel', by the uniforms; narrow is what runs in the program's place, or NULL */
    const void *wide_kernel, *narrow_kernel;
    const struct rn_narrow_code *narrow_code, *narrow;
    uint32_t direct_factor;                         /* of a narrow program in direct form */
    struct rn_frag_draw *next;                      /* list of all of the scene, for release */
};

enum rn_prim_kind { RN_PRIM_TRIANGLE, RN_PRIM_LINE, RN_PRIM_RECT };

/*
 * A set-up primitive. Covered pixels (integer x, y; centres at +0.5):
 *   TRIANGLE  inside 'box' with e[i].a * x + e[i].b * y + e[i].c >= 0 for i = 0..2 (fill rule folded into c,
 *             see limits.h)
 *   LINE      inside 'box'; for major coordinate m: minor in [f(m), f(m) + width - 1],
 *             f(m) = (minor0 + minor_step * m) >> 32 (floor), m along x if major_x else along y.
 *             The front sends a wide line as one LINE of width 1 for each replica, with ox, oy moved along,
 *             because all pixels of a column take the values of the column's root pixel (ES 2.0 3.4.2)
 *   RECT      all of 'box' (points)
 * 'box' is already cut by scissor and framebuffer.
 *
 * Interpolation at pixel (x, y): with dx = (x + 0.5f) - ox and dy = (y + 0.5f) - oy (exact),
 * value = (a0 + ax * dx) + ay * dy in float, each step rounded; depth the same in double. If perspective,
 * component = value * w with w = 1.0f / plane(iw), and iw is 1/w_clip; otherwise component = value. One
 * formula on every path: ox, oy are a pixel centre near the first vertex, so that the constant term of a
 * small triangle far from the window origin loses no bits.
 */
struct rn_edge {
    int32_t a, b;
    int64_t c;
};
struct rn_plane {
    float a0, ax, ay;
    float unused;                                   /* 16 bytes, so that a plane is loaded and stored whole */
};
struct rn_box16 {                                   /* as rn_rect, within a framebuffer */
    uint16_t x0, y0, x1, y1;
};
struct rn_prim {
    /* What tiles need of a small triangle: the first 64 bytes, then iw and coef. */
    struct rn_box16 box;
    uint8_t kind;                                   /* enum rn_prim_kind */
    bool front_facing;
    bool perspective;
    bool major_x;
    uint8_t width;                                  /* LINE, 1 */
    /* Low 8 bits cut off c by the floor: the exact edge value at the centre plus (sx, sy) sub-pixels is
     * (a * x + b * y + c) * 256 + edge_low + a * sx + b * sy (for multisampling). */
    uint8_t edge_low[3];
    int16_t px, py;                                 /* ox - 0.5, oy - 0.5 */
    bool unclamped;                                 /* no z_offset, and the depth of covered pixels is well within the draw's range */
    uint8_t unused[3];
    /* Not 0: all pixels that it covers, in the 8x8 from (box.x0 & ~1, box.y0 & ~1) on; bit y * 8 + x. Then there may be
     * no edges. */
    uint64_t mask;
    double z0, zx, zy;                              /* window depth 0..1 before offset and clamp */
    struct rn_frag_draw *draw;
    union {
        struct rn_edge e[3];                        /* TRIANGLE */
        struct {
            int64_t minor0, minor_step;             /* LINE: 32.32 */
        };
    };
    double z_offset;                                /* polygon offset in depth units of the target (steps of 1 / (2^n - 1)), unless unclamped */
    uint64_t unused2;
    struct rn_plane iw;                             /* 1 / w_clip */
    struct rn_plane coef[];                         /* program->coef_count planes, divided by w if perspective */
};
_Static_assert(offsetof(struct rn_prim, e) == 64 && offsetof(struct rn_prim, iw) == 128, "lines of the cache");

/* Records lie at whole lines of the cache and are so long: what is behind the last plane is read with it. */
static inline size_t rn_prim_bytes(uint32_t coefs) {
    return (sizeof(struct rn_prim) + coefs * sizeof(struct rn_plane) + 63) & ~(size_t)63;
}
static inline float rn_prim_ox(const struct rn_prim *prim) {
    return (float)prim->px + 0.5f;
}
static inline float rn_prim_oy(const struct rn_prim *prim) {
    return (float)prim->py + 0.5f;
}
static inline double rn_prim_z_offset(const struct rn_prim *prim) {
    return prim->unclamped ? 0.0 : prim->z_offset;
}
static inline struct rn_rect rn_prim_rect(const struct rn_prim *prim) {
    return (struct rn_rect){prim->box.x0, prim->box.y0, prim->box.x1, prim->box.y1};
}
/* Whether the box lies in the 8x8 pixels that a mask has. */
static inline bool rn_prim_is_small(const struct rn_prim *prim) {
    return prim->box.x1 - (prim->box.x0 & ~1) <= 8 && prim->box.y1 - (prim->box.y0 & ~1) <= 8;
}
/* The box must lie in a framebuffer. */
static inline void rn_prim_set_box(struct rn_prim *prim, struct rn_rect box) {
    prim->box = (struct rn_box16){(uint16_t)box.x0, (uint16_t)box.y0, (uint16_t)box.x1, (uint16_t)box.y1};
}

enum rn_cmd_kind { RN_CMD_PRIM, RN_CMD_PRIM_FULL, RN_CMD_CLEAR, RN_CMD_PRIM_SMALL };
/* A bin entry: pointer to rn_prim or rn_clear_cmd (8-byte aligned) with the kind in the low 2 bits.
 * PRIM_FULL: the primitive covers every pixel of the tile (inside the framebuffer). PRIM_SMALL: prim->mask is not 0. */
typedef uintptr_t rn_cmd;

struct rn_clear_cmd {
    struct rn_clear clear;                          /* rect within the framebuffer; bins hold it where it touches */
    struct {
        uint8_t channels;                           /* that the format has and the clear writes; 0: not cleared */
        bool all;                                   /* of the format's */
        uint8_t pixel[16];                          /* the clear colour in the format, if all */
    } color[RN_MAX_COLORS];
    uint32_t depth;                                 /* in steps of the depth target, if it is cleared */
};

/* Encodes the clear for a framebuffer's formats, once a command (tile_clear.c). */
void rn_clear_encode(struct rn_clear_cmd *cmd, const struct rn_framebuffer *fb);

/* Blocks of a bin: whole lines of the cache; the first is small, for scenes that are spread thinly. */
#define RN_BIN_FIRST 14
#define RN_BIN_BLOCK 62
struct rn_bin_block {
    struct rn_bin_block *next;
    uint32_t count, capacity;
    rn_cmd cmds[];
};
struct rn_bin {
    struct rn_bin_block *head, *tail;
    uint32_t owner;                                 /* the thread that set up the last of its primitives, if scene->owned */
};

struct rn_scene {
    struct rn_framebuffer fb;                       /* references held on its images */
    uint32_t tiles_x, tiles_y;
    struct rn_bin *bins;                            /* tiles_x * tiles_y, row-major from the bottom */
    uint32_t bin_capacity;
    struct arena arena;                             /* everything above and below, reset after a flush */
    struct rn_frag_draw *draws;
    bool empty;
    bool owned;                                     /* bins have owners */
    size_t bytes;                                   /* of primitives, commands and what draws need: what decides when it is run,
                                                       so the same for any number of threads, which arenas are not */
    uint32_t budget;
    const struct vliw_tap *tap;
    const struct rn_recorder *recorder;             /* NULL: nobody listens */
    bool wide;                                      /* narrow programs are not wanted */
};

/* ---- tile side (tile.c): runs all tiles on the pool; counters and the first fault come back ------- */

struct rn_device;
struct rn_tile_result {
    uint64_t counters[RN_COUNTER_COUNT];
    struct rn_fault fault;
};
/* Runs every bin. Order inside a tile is submission order. Deterministic for any thread count. */
void rn_scene_run(struct rn_device *device, struct rn_scene *scene, struct rn_tile_result *result);
/* The same in two steps: other threads run the tiles from rn_scene_start on, and nobody may touch scene, its
 * images or what its draws refer to until rn_scene_finish, which lends a hand. */
struct rn_tile_run;
struct rn_tile_run *rn_tile_run_create(void);       /* NULL when memory is out */
void rn_tile_run_destroy(struct rn_tile_run *run);
void rn_scene_start(struct rn_device *device, struct rn_scene *scene, struct rn_tile_run *run, bool open);
void rn_scene_finish(struct rn_device *device, struct rn_tile_run *run, struct rn_tile_result *result);
/* The same as part of a job of the caller's: between these two each number below what the first returns is run once. */
uint32_t rn_scene_prepare(struct rn_device *device, struct rn_scene *scene, struct rn_tile_run *run);
void rn_scene_tile(struct rn_tile_run *run, unsigned worker, uint32_t number);
void rn_scene_result(struct rn_tile_run *run, struct rn_tile_result *result);

/*
 * Chooses the tile side's functions for a frag_draw on this framebuffer and fills kernel, early_depth,
 * early_test (called by the front when it freezes a frag_draw; allocates from the scene's arena).
 * False when memory is out.
 */
bool rn_frag_draw_prepare(struct rn_device *device, struct rn_scene *scene, struct rn_frag_draw *draw);

/* ---- texture side (texture.c): the sampling callback of both stages ------------------------------- */

/* Context of rn_sample: the views of a stage by sampler number; NULL entries read 0,0,0,1. */
struct rn_sample_context {
    struct rn_view *const *views;
    uint64_t reads;                                 /* lanes sampled, added up */
    int32_t trail[RN_MAX_TEXTURES];                 /* texel that was read last, a guess for prefetching */
};
void rn_sample(void *context, const struct vliw_tex_request *request); /* a vliw_sample_fn */
/* What a view was created from, borrowed (the front asks which images a draw reads). */
const struct rn_view_desc *rn_view_description(const struct rn_view *view);

/* Nothing asked for and nothing found yet. Field by field: clearing it as memory takes longer, once a batch. */
static inline void rn_run_clear(struct vliw_run *run) {
    for (uint32_t i = 0; i < VM_MASK_WORDS; i++) {
        run->active.w[i] = run->live.w[i] = 0;
    }
    run->constants = NULL;
    run->sample = run->sample_bytes = NULL;
    run->sample_context = run->step_context = NULL;
    run->memory = NULL;
    run->budget = run->fault_unit = 0;
    run->step = NULL;
    run->instructions = 0;
}

/* ---- pool (pool.c) ---------------------------------------------------------------------------------- */

struct rn_pool;
typedef void (*rn_job_fn)(void *context, unsigned worker, uint32_t index);
#define RN_POOL_THREADS 64                          /* at most */
struct rn_pool *rn_pool_create(unsigned threads);   /* threads - 1 workers; the caller works too */
void rn_pool_destroy(struct rn_pool *pool);
unsigned rn_pool_threads(const struct rn_pool *pool);
/* A job that the other threads work on while its caller does something else. The caller owns the memory
 * and calls rn_pool_finish before it goes; the fields are the pool's. */
struct rn_pool_job {
    rn_job_fn fn;
    void *context;
    uint32_t count;
    unsigned users;                                 /* threads in it */
    bool open, woken;                               /* other threads may join; who slept has been called */
    uint64_t begin, opened;                         /* ns */
    uint32_t mine;                                  /* indices that the caller has done */
    unsigned parts, grain;                          /* part i: from count * i / parts on */
    _Alignas(BITS_APART) atomic_bool done;
    struct {                                        /* a part begins with one thread, others come when theirs are empty */
        _Alignas(BITS_APART) atomic_uint next;
        uint32_t end;
    } part[RN_POOL_THREADS];
};
/* Calls fn(context, worker, i) for i in 0..count-1 on all threads; returns when all are done. Jobs of
 * different callers (contexts) are serialised. worker < rn_pool_threads, 0 is the caller. */
void rn_pool_run(struct rn_pool *pool, rn_job_fn fn, void *context, uint32_t count);
/* The same, unless a job is under way: then false, and nothing is done. */
bool rn_pool_try_run(struct rn_pool *pool, rn_job_fn fn, void *context, uint32_t count);
/* The same in two steps. A caller with a job under way starts no other and calls no rn_pool_run. */
enum {
    RN_POOL_OPEN = 1,   /* the others begin at once; else the caller begins, helping or finishing, and calls them if enough is left */
    RN_POOL_SINGLE = 4, /* indices are much work: a thread takes one at a time */
    RN_POOL_PARTED = 2  /* each thread begins in a part of its own, the same one each time, in whose memory its cache may be; else in order */
};
void rn_pool_start(struct rn_pool *pool, struct rn_pool_job *job, rn_job_fn fn, void *context, uint32_t count,
                   unsigned flags);
void rn_pool_finish(struct rn_pool *pool, struct rn_pool_job *job);
/* The caller does one index of its job; false: none is left to take. */
bool rn_pool_help(struct rn_pool *pool, struct rn_pool_job *job);
/* Around fork(): waits until no job is under way and keeps others from starting; the second undoes it in the parent. */
void rn_pool_hold(struct rn_pool *pool);
void rn_pool_release(struct rn_pool *pool);

/* The device: pool, per-worker tile state (tile.c), function tables. */
struct rn_tile_workers;
struct rn_device {
    struct rn_pool *pool;
    struct rn_tile_workers *workers;                /* created by rn_tile_workers_create, one a pool thread */
};
struct rn_tile_workers *rn_tile_workers_create(unsigned threads);
void rn_tile_workers_destroy(struct rn_tile_workers *workers, unsigned threads);

#endif
