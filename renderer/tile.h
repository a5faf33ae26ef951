/* SPDX-License-Identifier: MIT */
/*
 * tile.h: structures that the tile side shares (tile.c, rast.c, collect.c, flat.c, shade.c, frag_kernel.c, depth_stencil.c,
 * fragop.c, tile_clear.c, tile_dispatch.c and the templates rast_tmpl.c, depth_tmpl.c, interp_tmpl.c, small_tmpl.c,
 * fragop_tmpl.c). flat.h is the part of flat.c and flat_tmpl.c. The front never includes it;
 * what crosses the border is scene.h. How a tile works and every formula: renderer/README.md.
 *
 * A tile is 64x64 pixels, cut in 8x8 blocks of 8x8 pixels. Coverage is one 64-bit mask a block, bit
 * y * 8 + x. A quad is 2x2 pixels at even window x and y; its lanes and the bits of its 4-bit mask are
 * (x,y), (x+1,y), (x,y+1), (x+1,y+1).
 */
#ifndef RENDERER_TILE_H
#define RENDERER_TILE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "renderer/blank.h"
#include "renderer/limits.h"
#include "renderer/renderer.h"
#include "renderer/scene.h"
#include "vm/base/bits.h"

#define RN_BLOCK 8
#define RN_BLOCKS (RN_TILE / RN_BLOCK)                 /* along one side */
#define RN_TILE_BLOCKS (RN_BLOCKS * RN_BLOCKS)
#define RN_MAX_SAMPLES 4
#define RN_PAGE 4096
#define RN_TILE_QUADS (RN_TILE / 2 * (RN_TILE / 2))

_Static_assert(RN_TILE_BLOCKS == 64, "one bit a block in a 64-bit word");

/* Offsets of the samples from the pixel centre, in 1/256 pixel; sample 0 of one is the centre. */
struct rn_sample_offset {
    int16_t x, y;
};
const struct rn_sample_offset *rn_sample_offsets(unsigned samples);

/* ---- coverage (rast.c, rast_tmpl.c) -------------------------------------------------------------------------- */

/* Blocks with a bit in 'touched' have a mask, the others nothing. */
struct rn_cover {
    uint64_t touched;
    uint64_t mask[RN_TILE_BLOCKS];
};

/* Up to three edges that cross the box, as values at the tile's first pixel, and the box in the tile. */
struct rn_rast_tri {
    int32_t a[3], b[3], c[3];
    uint32_t edges;
    int32_t x0, y0, x1, y1;                            /* inclusive, 0..63 */
};
/*
 * What a small triangle can cover of a tile: one or two columns and rows of windows of 8x8 pixels at even places. The
 * second ones begin eight pixels on, or sooner where the tile ends; pixels that two have are the first one's.
 */
#define RN_WINDOWS 4
struct rn_windows {
    uint32_t columns, rows;
    uint32_t x[2], y[2];                               /* in the tile */
    uint64_t mask[RN_MAX_SAMPLES][RN_WINDOWS];         /* of window (column, row) at 2 * row + column */
};
struct rn_rast_ops {
    void (*triangle)(const struct rn_rast_tri *tri, struct rn_cover *cover);
    /* Masks of the windows: values and box of 'tri' are relative to the first one, three edges, box within 0..15. */
    void (*windows)(const struct rn_rast_tri *tri, const struct rn_windows *windows, uint64_t mask[RN_WINDOWS]);
};

/* Coverage of a primitive in the tile at window (x, y) for one sample. 'full': of the whole tile. */
void rn_rast_prim(const struct rn_rast_ops *ops, const struct rn_prim *prim, bool full, int32_t x, int32_t y,
                  const struct rn_sample_offset *sample, struct rn_cover *cover);
/*
 * The short way for small triangles: if all that the primitive can cover of the tile at window (x, y) lies in at most
 * four windows left of 'right' (rn_window_right), fills 'windows' and returns true.
 */
bool rn_rast_small(const struct rn_rast_ops *ops, const struct rn_prim *prim, int32_t x, int32_t y, int32_t right,
                   unsigned samples, struct rn_windows *windows);

/* ---- depth of a block (depth_tmpl.c) ------------------------------------------------------------------------- */

/*
 * Depth as an integer of the target, 0..S with S = 2^n - 1 steps: t = (z0 + zx * dx) + zy * dy with the
 * plane scaled by S, rounded to multiples of 2^-20 (by adding and taking away RN_DEPTH_GRID), plus offset,
 * clamped to [lo, hi], rounded to the nearest integer. 'offset', 'lo' and 'hi' carry RN_DEPTH_HALF, so
 * that halves always go up and an offset by a whole number of steps is exactly that many steps.
 */
#define RN_DEPTH_GRID 6442450944.0                     /* 1.5 * 2^32 */
#define RN_DEPTH_HALF 4.76837158203125e-7              /* 2^-21 */
struct rn_depth_plane {
    double z0, zx, zy;                                 /* steps; at the primitive's ox, oy */
    double offset, lo, hi;
    double steps;                                      /* and depth range that lo and hi belong to; 0: none yet */
    float range[2];
};
struct rn_depth_block {
    const struct rn_depth_plane *plane;
    uint8_t *pixels;                                   /* depth of the block's first pixel */
    size_t stride;
    float dx, dy;                                      /* of the block's first pixel (or its sample) */
    int32_t *z;                                        /* 64 depth values out, rows with coverage; may be NULL */
};
/* Tests (and writes) the pixels of 'mask'; returns those that passed. */
typedef uint64_t (*rn_depth_fn)(const struct rn_depth_block *block, uint64_t mask, unsigned func);
enum { RN_DEPTH_LESS, RN_DEPTH_LEQUAL, RN_DEPTH_ANY, RN_DEPTH_CLASSES };   /* specialised functions */
struct rn_depth_ops {
    rn_depth_fn test[2][RN_DEPTH_CLASSES][2];          /* [16 bits, 24 bits][class][write] */
    void (*values)(const struct rn_depth_block *block, uint64_t mask);     /* only fills z */
};

/* One value by the same rule: window depth 0..1 (NaN: 0) to 0..steps. */
uint32_t rn_depth_quantise(double z, double steps);
/* Scales a primitive's plane; 'plane' is zeroed or from another primitive. Without a depth buffer steps is 0 and
 * nothing may be asked of it. */
void rn_depth_plane_set(struct rn_depth_plane *plane, const struct rn_prim *prim, double steps);

/* ---- small triangles (small_tmpl.c) -------------------------------------------------------------------------- */

/* Depth of 8x8 pixels of a small primitive. Rows that the tile does not have are neither read nor written, nor are others
 * than the first four rows and columns if the mask has no lane there. */
struct rn_small {
    /* the same for all triangles of a draw */
    unsigned func;
    bool d24, write;
    size_t stride;
    double steps, lo, hi;                              /* as in struct rn_depth_plane */
    /* a triangle's own */
    const struct rn_prim *prim;
    uint8_t *pixels;                                   /* depth of the first pixel */
    uint32_t rows;                                     /* rows from there on that the tile has */
    float dx, dy;                                      /* of the first pixel */
};
struct rn_tile_worker;
struct rn_small_ops {
    uint64_t (*depth)(const struct rn_small *small, uint64_t mask); /* tests and writes; pixels that passed */
    /* The first of these commands, as long as they are small triangles of the bound draw; returns how many. */
    uint32_t (*run)(struct rn_tile_worker *w, const rn_cmd *cmds, uint32_t count);
};
/* Whether edge values near the triangle are exact modulo 2^32. */
static inline bool rn_rast_short(const struct rn_edge *e) {
    /* Deltas below 2^18 belong to triangles of less than 1024 pixels, whose edge values in their own box and
     * a few pixels around it stay below 2^30. */
    const uint32_t off = 1u << 18;
    return ((((uint32_t)e[0].a + off) | ((uint32_t)e[0].b + off) | ((uint32_t)e[1].a + off) | ((uint32_t)e[1].b + off) |
             ((uint32_t)e[2].a + off) | ((uint32_t)e[2].b + off)) >> 19) == 0;
}

/* ---- interpolation (interp_tmpl.c) --------------------------------------------------------------------------- */

#define RN_QUAD_SLACK 16                               /* entries that may be read and written behind the last quad */

/* Quads of a batch that one primitive has in a row, from 'first' to where the next begins. */
struct rn_segment {
    const struct rn_prim *prim;
    uint32_t first;
};

/* Inputs of a batch: components by number, with the lanes to write. */
struct rn_interp_list {
    uint32_t count;
    uint16_t coef[RN_MAX_COEFS];                       /* index into the primitive's planes */
    float *dst[RN_MAX_COEFS];
    float *coord[4];                                   /* gl_FragCoord x, y, z, 1/w; NULL if not asked */
    float *front_facing;                               /* NULL if not asked */
};
struct rn_interp_job {
    const struct rn_interp_list *list;
    uint32_t quads, segments;
    const struct rn_segment *segment;                  /* the first begins at quad 0 */
    const uint8_t *qx, *qy;                            /* of each quad's first pixel in the tile, valid
                                                          RN_QUAD_SLACK beyond */
    int32_t x, y;                                      /* window position of the tile */
};
struct rn_interp_ops {
    void (*planes)(const struct rn_interp_job *job);   /* list->dst and coord[3] */
    /* The same of the 16 quads of a window that begins at window (x, y), for the lanes from 'lane' (0 or 64) on. */
    void (*window)(const struct rn_interp_list *list, const struct rn_prim *prim, int32_t x, int32_t y, uint32_t lane);
};

/* ---- collecting (quads_tmpl.c) ------------------------------------------------------------------------------- */

struct rn_quads_ops {
    /* The quads of a window at even (x, y) with a pixel in 'mask', in rows from the lower left one on: places and
     * lanes to qx[], qy[] and lanes[], of which up to 16 entries are written. Returns how many they are. */
    uint32_t (*append)(uint64_t mask, uint32_t x, uint32_t y, uint8_t *qx, uint8_t *qy, uint8_t *lanes);
};

/* ---- fragment operations (fragop_tmpl.c, fragop.c) ----------------------------------------------------------- */

struct rn_color_op;
struct rn_lane_scratch;

/* Quads first .. first + count - 1 of a batch, no two of them at one place, into one attachment. */
struct rn_write_job {
    const struct rn_color_op *op;
    const float *src[4];                               /* r g b a as the program left them */
    uint32_t first, count;
    const uint8_t *qx, *qy;                            /* in the tile; VM_QUADS entries can be read */
    const uint8_t *mask;                               /* lanes to write, likewise */
    uint8_t *pixels;                                   /* of the tile's first pixel */
    size_t stride;
    struct rn_lane_scratch *scratch;
};
typedef void (*rn_write_fn)(const struct rn_write_job *job);
/* One colour over the pixels of 'mask' in the 8x8 window that begins at 'pixels'. */
typedef void (*rn_window_fn)(const struct rn_color_op *op, const float rgba[4], uint8_t *pixels, size_t stride,
                             uint64_t mask);

/* Rows of up to sixteen pixels of a flat primitive (flat.c), number 'prim' of those that wait. */
struct rn_fill_window {
    uint16_t rows[16];                                 /* bit x each */
    uint8_t x, y;                                      /* even, in the tile; x is at most rn_window_right less what the rows reach */
    uint8_t height;                                    /* rows behind it have no bit */
    uint8_t prim;
};
/* Words of four bytes over windows: words[2 * prim] is that of a window's primitive. */
typedef void (*rn_fill_fn)(uint8_t *pixels, size_t stride, const uint32_t *words, const struct rn_fill_window *window,
                           uint32_t count);
/* Four rows as one word, the first lowest. */
static inline uint64_t rn_four_rows(const uint16_t *rows) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t four;
    memcpy(&four, rows, sizeof four);
    return four;
#else
    return rows[0] | (uint64_t)rows[1] << 16 | (uint64_t)rows[2] << 32 | (uint64_t)rows[3] << 48;
#endif
}

/* 64 words of four bytes, (word | before) * factor | after, to 64 pixels side by side, those of the mask (rows.h). */
struct rn_row_words {
    const struct rn_color_op *op;
    const int32_t *words;
    uint32_t before, factor, after;
};
typedef void (*rn_row_fn)(const struct rn_row_words *row, uint8_t *pixels, uint64_t mask);

/* The 16 quads of an 8x8 window that begins at 'pixels', all of whose pixels are overwritten. */
typedef void (*rn_block_fn)(const float *const src[4], uint8_t *pixels, size_t stride);

/* A blend factor in the canonical form (off + sign * v) * k, v an operand by number. */
enum rn_operand {
    RN_OP_NONE, RN_OP_SRC, RN_OP_SRC_ALPHA, RN_OP_DST, RN_OP_DST_ALPHA, RN_OP_SATURATE
};
struct rn_factor {
    uint8_t operand;                                   /* enum rn_operand */
    float sign, off, k;
};

/* How fragments are written to one attachment, decided once a frag_draw. */
struct rn_color_op {
    uint8_t format;                                    /* enum rn_format */
    uint8_t bytes;
    uint8_t channels;                                  /* colour mask, bit 0 = red, channels that exist */
    bool all;                                          /* every bit of a pixel is written */
    bool dither;
    bool blend;
    bool fillable;                                     /* a colour is the same bits wherever it is written, and replaces a pixel */
    uint8_t fast;                                      /* enum RN_BLEND_FAST_* where write_bytes blends */
    uint8_t blend_op[2];                               /* rgb, alpha */
    struct rn_factor src[4], dst[4];                   /* by channel */
    uint32_t word_mask;                                /* bits of a pixel of up to 4 bytes that are written */
    int32_t lane_masks[16][4] BITS_ALIGN(16);          /* the same of a quad's lanes, by its mask */
    rn_write_fn write;
    rn_write_fn write_bytes;                           /* the same for src[0] of words of four bytes; NULL: there is none */
    rn_window_fn window;                               /* the same for one colour; NULL: there is none */
    rn_block_fn block, block_bytes;                    /* the same for whole windows; NULL: there is none */
    rn_fill_fn fill;                                   /* fillable, with pixels of four bytes; or NULL */
};

/* Lanes at work while a run is written: operands in units of the channel's steps. */
struct rn_lane_scratch {
    float s[4][VM_LANES + 16], d[4][VM_LANES + 16];
    float sa[VM_LANES + 16];                           /* source alpha as a factor */
    float saturate[VM_LANES + 16];
    float dither[VM_LANES + 16];
    float zero[VM_LANES + 16];
    uint32_t words[VM_LANES + 16];
} BITS_ALIGN(64);

enum {
    RN_BLEND_FAST_OVER,
    RN_BLEND_FAST_PREMULTIPLIED,
    RN_BLEND_FAST_ADD,
    RN_BLEND_FAST_ADD_ALPHA,
    RN_BLEND_FAST_COUNT
};
#define RN_FRAGOP_FORMATS 7                            /* formats with a kernel, in the order of rn_fragop_slot */
struct rn_fragop_ops {
    rn_write_fn store[RN_FRAGOP_FORMATS][2];           /* [format][dither] */
    rn_write_fn blend[RN_FRAGOP_FORMATS];
    rn_write_fn fast[2][RN_BLEND_FAST_COUNT];          /* RGBA8, RGBX8 */
    rn_window_fn window[2][RN_BLEND_FAST_COUNT];
    rn_write_fn store_bytes[2], blend_bytes[2][RN_BLEND_FAST_COUNT];
    rn_block_fn block[2], block_bytes[2];
    rn_fill_fn fill;
    /* Pixels and quads of windows. */
    void (*count)(const struct rn_fill_window *window, uint32_t count, uint64_t *pixels, uint64_t *quads);
};
struct rn_flat_ops {
    /* The first of these commands, as long as they are flat primitives of the bound draw, which has no tests, within
     * sixteen pixels each way; returns how many. */
    uint32_t (*run)(struct rn_tile_worker *w, const rn_cmd *cmds, uint32_t count);
};
/* Index of a format in the tables above, -1: fragop.c does it with floats (half floats, sRGB). */
int rn_fragop_slot(enum rn_format format);
/* Stores and blends in floats, formats without a kernel. */
void rn_fragop_write_float(const struct rn_write_job *job);
/* Thresholds of the 4x4 ordered dither, of a quad's four lanes: [y / 2 & 1][x / 2 & 1]. */
extern const float rn_dither_pattern[2][2][4];
/* Moves pixels of quads between a surface and words (formats of one and two bytes). */
void rn_fragop_gather(const struct rn_write_job *job, uint32_t *words);
void rn_fragop_scatter(const struct rn_write_job *job, const uint32_t *words);
/* Fills 'op' for an attachment of this format. */
void rn_color_op_set(struct rn_color_op *op, const struct rn_fragop_ops *ops, enum rn_format format,
                     const struct rn_fragment_state *state);
/* Reads the colours of 'count' quads into floats (framebuffer fetch). */
void rn_fragop_fetch(enum rn_format format, const uint8_t *pixels, size_t stride, uint32_t count, const uint8_t *qx,
                     const uint8_t *qy, const uint8_t *mask, float *const dst[4]);

/* ---- stencil ------------------------------------------------------------------------------------------------- */

/* One side's tables: what a stencil value does. */
struct rn_stencil_tables {
    uint8_t passes[256];                               /* 0 or 1 */
    uint8_t fail[256], depth_fail[256], pass[256];     /* new values, write mask applied */
};
struct rn_stencil {
    struct rn_stencil_tables side[2];                  /* front, back */
    bool only_pass[2];                                 /* neither kind of failure changes a value */
    bool changes[2];                                   /* passing may */
};
void rn_stencil_set(struct rn_stencil *stencil, const struct rn_stencil_side side[2]);

/* ---- the kernel of a frag_draw ------------------------------------------------------------------------------- */

/* Bits of rn_frag_kernel.special: before the program runs, and after. */
enum {
    RN_SPECIAL_FETCH = 1,
    RN_SPECIAL_RECORD = 2,
    RN_SPECIAL_ALPHA = 4,
    RN_SPECIAL_LATE = 8,
    RN_SPECIAL_COUNT = 16,
    RN_SPECIAL_BEFORE = RN_SPECIAL_FETCH | RN_SPECIAL_RECORD,
    RN_SPECIAL_AFTER = RN_SPECIAL_RECORD | RN_SPECIAL_ALPHA | RN_SPECIAL_LATE | RN_SPECIAL_COUNT
};

enum rn_track { RN_TRACK_NONE, RN_TRACK_RUNS, RN_TRACK_FLUSH };

struct rn_row_ops;
struct rn_direct_ops;

/* Everything the tile loop asks about a frag_draw; immutable, shared by workers. */
struct rn_frag_kernel {
    const struct rn_rast_ops *rast;
    const struct rn_depth_ops *depth_ops;
    const struct rn_interp_ops *interp;
    const struct rn_quads_ops *quads_ops;
    const struct rn_small_ops *small; /* NULL: small triangles have no way of their own */
    uint8_t samples;
    bool constant;                /* the program's outputs are the same in every lane: run once a tile */
    bool fill;                    /* constant, and pixels are overwritten with it */
    bool blend_windows;           /* constant, and every attachment has a blend of windows */
    bool shade;                   /* false: no colour can change, no program runs */
    bool nothing;                 /* no surface can change */
    bool plain;                   /* one sample, no tracking, nothing late */
    bool windows;                 /* plain, and a whole window is a batch of its own */
    const struct rn_flat_ops *flat;  /* a flat primitive needs the program once (flat.c); NULL: none does */
    void (*flat_count)(const struct rn_fill_window *window, uint32_t count, uint64_t *pixels, uint64_t *quads);
    bool late;                    /* tests (unless tested early) and writes depth, stencil after shading */
    bool late_test;               /* late, and the test too */
    bool tests;                   /* depth or stencil are tested at all */
    bool alpha_to_coverage;       /* with samples */
    uint8_t sample_mask;          /* samples that fragments may cover (sample coverage) */
    uint8_t track;                /* enum rn_track */
    /* depth */
    bool depth_test, depth_write;
    bool depth_24;
    bool hiz;                     /* a rejected block has no effect at all */
    bool lowers, raises;          /* a depth write can make the stored value smaller, larger */
    uint8_t depth_func;
    double depth_steps;
    rn_depth_fn depth_fn;         /* test, and write when early */
    struct rn_stencil *stencil;   /* NULL: no test */
    /* colour */
    uint32_t color_count;         /* entries of color[] */
    uint8_t attachment[RN_MAX_COLORS];
    struct rn_color_op color[RN_MAX_COLORS];
    bool fetches;                 /* framebuffer fetch */
    bool counts;                  /* samples that pass are counted */
    uint8_t special;              /* RN_SPECIAL_*: what batches of this kernel need besides */
    const struct rn_row_ops *rows;   /* NULL: quads only (rows.h) */
    rn_row_fn row[RN_MAX_COLORS]; /* by entry of color[] */
    const struct rn_direct_ops *direct;   /* rows: texels go to pixels without the processor; or NULL */
    bool covers;                  /* by rows, and every bit of a covered pixel is written unread */
    uint8_t targets;              /* whose pixels the draw may read or write, as bits */
};

const struct rn_rast_ops *rn_rast_ops_for(enum vliw_simd level);
const struct rn_depth_ops *rn_depth_ops_for(enum vliw_simd level);
const struct rn_small_ops *rn_small_ops_for(enum vliw_simd level);
const struct rn_interp_ops *rn_interp_ops_for(enum vliw_simd level);
const struct rn_quads_ops *rn_quads_ops_for(enum vliw_simd level);
const struct rn_fragop_ops *rn_fragop_ops_for(enum vliw_simd level);
const struct rn_flat_ops *rn_flat_ops_for(enum vliw_simd level);

/* ---- a worker ------------------------------------------------------------------------------------------------ */

/* A surface as this tile sees it. */
struct rn_target {
    uint8_t *pixels;              /* of the tile's first pixel, sample 0; NULL: no attachment */
    size_t stride, sample_stride;
    uint8_t format, bytes;
    struct rn_image *image;
    struct rn_blank_tile *blank;  /* NULL: it never is */
};
/* Targets as bits: colour attachments by number, then these. */
enum { RN_TARGET_DEPTH = 1 << RN_MAX_COLORS, RN_TARGET_STENCIL = 2 << RN_MAX_COLORS };

struct rn_tile_run;

enum { RN_BATCH_WINDOWS = VM_QUADS / 16 };             /* whole windows in a batch */
struct rn_whole_window {
    const struct rn_prim *prim;
    uint32_t x, y;                                     /* of the tile */
};

/* Flat primitives that wait, and their windows; no quad and no whole window waits beside them. */
#define RN_FLAT_WINDOWS 128
struct rn_flats {
    uint32_t count, windows;                           /* primitives, each a quad of the batch */
    uint32_t turns;                                    /* changes from quads to them, of the draw in this tile */
    const struct rn_prim *prim;                        /* the last one */
    struct rn_fill_window window[RN_FLAT_WINDOWS];
};

struct rn_tile_worker {
    /* the batch being filled */
    const struct rn_frag_draw *draw;                   /* NULL: nothing bound */
    const struct rn_frag_kernel *kernel;
    uint32_t quads, runs;
    uint32_t run_serial;
    uint32_t segments;
    uint64_t pending;                                  /* blocks that quads of a plain kernel may lie in */
    /* Whole windows that wait until they fill a batch: no quad that waits lies in their blocks. */
    uint32_t windows;
    struct rn_whole_window window[RN_BATCH_WINDOWS];
    uint64_t window_blocks;                            /* what they touch, if there is one */
    bool flat;                                         /* the primitive being drawn is flat, and goes that way */
    struct rn_flats flats;
    bool outputs_valid;                                /* constant program: outputs are there already */
    bool by_quad;                                      /* prim[] must be filled before the batch runs */
    struct rn_segment segment[VM_QUADS];
    const struct rn_prim *prim[VM_QUADS];              /* by quad, if by_quad */
    uint8_t qx[VM_QUADS + RN_QUAD_SLACK], qy[VM_QUADS + RN_QUAD_SLACK];
    uint8_t mask[RN_MAX_SAMPLES][VM_QUADS + RN_QUAD_SLACK];
    uint8_t run_first[VM_QUADS + 1];
    int32_t z[RN_MAX_SAMPLES][VM_LANES];               /* depth of late writes */
    uint32_t stamp[RN_TILE_QUADS];                     /* run_serial of the last run that holds the quad */
    struct rn_interp_list inputs;
    const float *outputs[RN_MAX_COLORS][4];            /* by kernel->color entry; never NULL */
    const float *depth_output;
    float *last_frag[RN_MAX_COLORS][4];                /* by attachment */
    const float *alpha;                                /* of colour 0, for alpha to coverage */
    struct vliw_batch *batch;
    const struct vliw_program *bound;                  /* program the batch is bound to */
    struct rn_sample_context sample;
    struct rn_record *record;                          /* record.c; made by the first batch that is recorded */
    uint64_t instructions_lane;                        /* of a constant program, per lane */
    uint8_t fill[RN_MAX_COLORS][RN_TILE * 8];          /* a row of the constant colour */
    /* the tile */
    struct rn_tile_run *run;
    uint32_t index;
    int32_t x, y;                                      /* window position of its first pixel */
    int32_t width, height;                             /* inside the framebuffer */
    struct rn_target color[RN_MAX_COLORS], depth, stencil;
    bool color_asked, depth_asked;                     /* prefetched */
    uint8_t blank;                                     /* targets of which nothing is written yet */
    uint8_t owed;                                      /* targets that were blank at the beginning (blank.h) */
    uint32_t z_max[RN_TILE_BLOCKS], z_min[RN_TILE_BLOCKS];   /* bounds of the depth in each block */
    bool z_max_known, z_min_known;                     /* false: nothing is known of any block */
    bool stopped;                                      /* a fault: the rest of the tile is dropped */
    /* the primitive being drawn */
    float rel_x, rel_y;                                /* centre of the tile's first pixel less ox, oy */
    struct rn_depth_plane plane;
    struct rn_cover cover[RN_MAX_SAMPLES];
    int32_t block_z[RN_MAX_SAMPLES][64];
    /* results */
    uint64_t *counters;                                /* the run's for this worker */
    uint64_t serial;                                   /* of the run that this state belongs to */
    struct rn_lane_scratch scratch;
} BITS_ALIGN(RN_PAGE);                                 /* processors read ahead, but not beyond a page */

/* Lives in the device; contexts that flush at the same time are serialised by the pool only while their
 * jobs run, so nothing of a run stays here once its last tile is done. */
struct rn_tile_workers {
    struct rn_tile_worker *worker;                     /* array of 'threads' */
    atomic_ullong serial;                              /* runs so far */
};

/* A scene being run. */
struct rn_tile_run {
    struct rn_pool_job job;
    struct rn_scene *scene;
    const uint32_t *tiles;                             /* those with commands, in order; NULL: all */
    struct rn_tile_worker *workers;
    uint64_t serial;
    unsigned threads;
    struct {
        _Alignas(BITS_APART) uint64_t of[RN_COUNTER_COUNT];
    } counters[RN_POOL_THREADS];                       /* by worker, so that no tile waits for another thread's */
    _Alignas(BITS_APART) atomic_uint fault_tile;                    /* lowest tile with a fault so far, UINT32_MAX: none */
    pthread_mutex_t lock;                              /* guards the fault, which is that tile's */
    struct rn_fault fault;
};
/* Notes a fault of this tile and stops it. */
void rn_tile_fault(struct rn_tile_worker *w, enum vliw_status status, const char *message);

/* ---- shade.c ------------------------------------------------------------------------------------------------- */

/* Makes 'draw' the one whose quads are collected; runs what another draw left. */
void rn_shade_begin(struct rn_tile_worker *w, const struct rn_frag_draw *draw);
/* Runs the bound program; 'run' has the active lanes. False after a fault. */
bool rn_shade_run(struct rn_tile_worker *w, struct vliw_run *run);
/* The same for the first 'quads' quads, with everything in 'run' set. */
bool rn_shade_program(struct rn_tile_worker *w, uint32_t quads, struct vliw_run *run);
/* Shades and writes all collected quads, windows and flat primitives. */
void rn_shade_flush(struct rn_tile_worker *w);
/* The quads only; the windows only. */
void rn_shade_quads(struct rn_tile_worker *w);
void rn_shade_windows(struct rn_tile_worker *w);
/* Takes a whole window at even (x, y) that touches 'blocks', none of a quad that waits (kernel->windows). */
void rn_shade_window(struct rn_tile_worker *w, const struct rn_prim *prim, uint32_t x, uint32_t y, uint64_t blocks);
/* The constant colour of a fill kernel is in w->fill after this; false: a fault. */
bool rn_shade_constant(struct rn_tile_worker *w);
/* Samples that a coverage value (sample coverage, or alpha) stands for, of four. */
uint8_t rn_sample_coverage(float value);

/* ---- record.c ------------------------------------------------------------------------------------------------ */

/* Keeps inputs and coverage of the batch that is about to run; tells the recorder what it did. */
void rn_record_before(struct rn_tile_worker *w, uint32_t quads);
void rn_record_after(struct rn_tile_worker *w, uint32_t quads, const struct vliw_run *run);
void rn_record_destroy(struct rn_record *record);
uint64_t rn_record_clock(void);

/* ---- collect.c ----------------------------------------------------------------------------------------------- */

/* Takes 8x8 pixels at even (x, y) in the tile of a primitive of the draw: tests them, fills them or collects
 * their quads. mask[s] by sample. */
void rn_collect_window(struct rn_tile_worker *w, const struct rn_prim *prim, uint32_t x, uint32_t y,
                       const uint64_t *mask);
/* Pixels of a kernel of constant colour that passed. */
void rn_collect_constant(struct rn_tile_worker *w, uint32_t x, uint32_t y, uint64_t mask);
/* The batch is about to get quads of this primitive. */
static inline void rn_batch_enter(struct rn_tile_worker *w, const struct rn_prim *prim) {
    if (w->quads == 0) {
        w->runs = 1;
        w->run_first[0] = 0;
        w->segments = 0;
        w->pending = 0;
    } else if (w->segment[w->segments - 1].prim == prim) {
        return;
    }
    w->segment[w->segments++] = (struct rn_segment){prim, w->quads};
}
/* The primitive's quads were put behind the batch, which makes 'all', at least a batch: it runs, and what is left
 * begins the next. 'blocks': where that may lie. */
void rn_batch_full(struct rn_tile_worker *w, const struct rn_prim *prim, uint32_t all, uint64_t blocks);
/* The lines of a primitive that are always read. */
static inline void rn_prim_prefetch(rn_cmd cmd) {
    const uint8_t *ahead = (const uint8_t *)(cmd & ~(rn_cmd)3);
    BITS_PREFETCH(ahead);
    BITS_PREFETCH(ahead + 128);
    if ((cmd & 3) != RN_CMD_PRIM_SMALL) {
        BITS_PREFETCH(ahead + 64);
    }
}
/* Overwrites the whole tile with a constant colour; false: this kernel is none that can. */
bool rn_collect_fill_tile(struct rn_tile_worker *w);

/*
 * Where windows at any even x must end: kernels load and store whole rows of them, and behind the last pixel of an
 * image's row the next row may begin, which is another thread's tile. An odd pixel more is padding of the row.
 */
static inline int32_t rn_window_right(const struct rn_tile_worker *w) {
    return (w->width + 1) & ~1;
}

/* The part of a small triangle that lies in the tile: pixels of the window at (*x, *y). */
static inline uint64_t rn_small_window(const struct rn_tile_worker *w, const struct rn_prim *prim, uint32_t *x, uint32_t *y) {
    const int32_t right = rn_window_right(w), last = right > RN_BLOCK ? right - RN_BLOCK : 0;
    int32_t left = (prim->box.x0 & ~1) - w->x, low = (prim->box.y0 & ~1) - w->y;
    uint64_t mask = prim->mask;
    if (BITS_UNLIKELY((uint32_t)left > (uint32_t)last || (uint32_t)low > RN_TILE - RN_BLOCK)) {
        const uint64_t each = UINT64_C(0x0101010101010101);
        if (left < 0) {
            mask = mask >> -left & (0xFFu >> -left) * each;
            left = 0;
        } else if (left > last) { /* columns of the next tile have nothing to say */
            const int32_t columns = RN_TILE - left < RN_BLOCK ? RN_TILE - left : RN_BLOCK;
            mask = (mask & (0xFFu >> (RN_BLOCK - columns)) * each) << (left - last);
            left = last;
        }
        if (low < 0) {
            mask >>= 8 * -low;
            low = 0;
        } else if (low > RN_TILE - RN_BLOCK) {
            mask &= UINT64_MAX >> 8 * (low - (RN_TILE - RN_BLOCK));
        }
    }
    *x = (uint32_t)left;
    *y = (uint32_t)low;
    return mask;
}

/* ---- depth_stencil.c ----------------------------------------------------------------------------------------- */

/* Early tests (and writes, unless the kernel is late) of the pixels in 'mask' of the window at (x, y); returns
 * those that passed. */
uint64_t rn_test_window(struct rn_tile_worker *w, const struct rn_prim *prim, uint32_t x, uint32_t y, unsigned sample,
                        uint64_t mask);
/* Fills w->block_z[sample] for rows with coverage. */
void rn_depth_values(struct rn_tile_worker *w, uint32_t x, uint32_t y, unsigned sample, uint64_t mask);
/* All of the tile has this depth. */
void rn_depth_bounds_set(struct rn_tile_worker *w, uint32_t value);
/* Depth of this tile is about to be written by the kernel: keeps the bounds true. A function that only lets
 * depth fall keeps the upper bounds, and the other way round. */
void rn_depth_bounds_forget(struct rn_tile_worker *w);
static inline void rn_depth_bounds_loosen(struct rn_tile_worker *w) {
    if ((w->z_min_known && w->kernel->lowers) || (w->z_max_known && w->kernel->raises)) {
        rn_depth_bounds_forget(w);
    }
}
/* Late tests and writes of the batch's quads in order; masks are reduced to the lanes that passed. */
void rn_late_quads(struct rn_tile_worker *w, uint32_t quads, unsigned sample);

/* ---- tile_clear.c -------------------------------------------------------------------------------------------- */

/* Blank targets of this tile become pixels, or are about to be overwritten. */
void rn_tile_settle(struct rn_tile_worker *w, unsigned targets);
void rn_tile_overwrite(struct rn_tile_worker *w, unsigned targets);
/* At the end of a tile: what is blank still is so for everybody. */
void rn_tile_give_blank(struct rn_tile_worker *w);
void rn_tile_clear(struct rn_tile_worker *w, const struct rn_clear_cmd *cmd);

#endif
