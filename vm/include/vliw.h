/* SPDX-License-Identifier: MIT */
/*
 * vliw.h: the VL-IW virtual machine as a library, independent of GL.
 *
 * Bytes become a vliw_image (untrusted), the verifier alone turns an image into a vliw_program, and
 * only a program can run. A program runs over batches of VM_LANES lanes; lanes 4k..4k+3 are a 2x2
 * quad in the order (x,y), (x+1,y), (x,y+1), (x+1,y+1), which derivatives and implicit LOD use.
 * Nothing here starts a thread, keeps a writable global or does I/O. All objects are created and
 * destroyed by explicit calls; a batch may be used by one thread at a time, images and programs are
 * immutable and may be shared.
 */
#ifndef VLIW_H
#define VLIW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define VLIW_API __attribute__((visibility("default")))
#else
#define VLIW_API
#endif

/* Lanes of a batch: a build constant, 64 or 128. No result depends on it. */
#ifndef VM_LANES
#define VM_LANES 128
#endif
#define VM_QUADS (VM_LANES / 4)
#define VM_MASK_WORDS (VM_LANES / 64)

/* One bit a lane; lane i is bit i % 64 of w[i / 64]. */
struct vliw_mask {
    uint64_t w[VM_MASK_WORDS];
};

/* Status codes; the texts live in vm/base/status.def, which is checked against these numbers. */
enum vliw_status {
    VLIW_OK = 0,
    VLIW_ERR_MEMORY = 1,      /* out of memory */
    VLIW_ERR_ARGUMENT = 2,    /* a parameter breaks the call's contract */
    VLIW_ERR_FORMAT = 3,      /* container damaged: magic, version, sizes, checksum */
    VLIW_ERR_VERIFY = 4,      /* words break a rule of the ISA */
    VLIW_ERR_SYNTAX = 5,      /* assembler text */
    VLIW_ERR_LIMIT = 6,       /* a documented limit is exceeded */
    VLIW_ERR_TRAP = 7,        /* TRAP executed, or an indirect branch to no instruction start */
    VLIW_ERR_BUDGET = 8       /* an invocation executed more instructions than its budget */
};

/* Where and why something was refused. word/slot/rule/line/column are -1 where they do not apply. */
struct vliw_error {
    enum vliw_status status;
    int32_t word;             /* unit index in the program */
    int32_t slot;             /* unit within its instruction, 0..3 */
    int32_t rule;             /* verifier rule number (ISA.md) */
    int32_t line, column;     /* assembler text, or the source line of the word by the line table */
    char message[240];        /* one line, no newline */
};

/* Text of a status code. */
VLIW_API const char *vliw_status_text(enum vliw_status status);

/* ---- Interface tables of a program ---------------------------------------------------------- */

enum vliw_stage { VLIW_STAGE_VERTEX = 0, VLIW_STAGE_FRAGMENT = 1, VLIW_STAGE_COMPUTE = 2 };

/* What an input or output register means. */
enum vliw_semantic {
    VLIW_SEM_ATTRIB = 0,       /* in: vertex attribute 'index' */
    VLIW_SEM_VARYING = 1,      /* vertex out, fragment in: interpolated register 'index' */
    VLIW_SEM_POSITION = 2,     /* vertex out: gl_Position */
    VLIW_SEM_POINT_SIZE = 3,   /* vertex out: gl_PointSize in .x */
    VLIW_SEM_FRAG_COORD = 4,   /* fragment in: x, y, z, 1/w */
    VLIW_SEM_FRONT_FACING = 5, /* fragment in: .x = 1.0 front, 0.0 back */
    VLIW_SEM_POINT_COORD = 6,  /* fragment in: .xy */
    VLIW_SEM_COLOR = 7,        /* fragment out: colour attachment 'index' */
    VLIW_SEM_DEPTH = 8,        /* fragment out: depth in .x */
    VLIW_SEM_LAST_FRAG = 9,    /* fragment in: the target's colour 'index' (framebuffer fetch) */
    VLIW_SEM_GENERIC = 10,     /* hand-written programs */
    VLIW_SEM_COLOR8 = 11       /* fragment out: colour attachment 'index', four bytes (u8x4) in .x */
};

struct vliw_io {
    uint8_t semantic;          /* enum vliw_semantic */
    uint8_t index;             /* attribute, varying or colour number */
    uint8_t mask;              /* components that the program reads or writes, bit 0 = x */
    uint8_t reserved;
    uint16_t reg;              /* GPR that holds it at start (inputs) or at END (outputs) */
    uint16_t reserved2;
};

enum vliw_sampler_type {
    VLIW_SAMPLER_2D = 0, VLIW_SAMPLER_CUBE = 1, VLIW_SAMPLER_3D = 2, VLIW_SAMPLER_2D_SHADOW = 3,
    VLIW_SAMPLER_EXTERNAL = 4
};

/* A global register that the program itself fills (literals). */
struct vliw_literal {
    uint32_t reg;
    uint32_t bits[4];          /* component bits; components outside 'mask' stay the uniform's */
    uint32_t mask;
};

enum {
    VLIW_USES_DISCARD = 1u << 0,      /* contains KIL */
    VLIW_USES_DERIVATIVES = 1u << 1,  /* DDX, DDY or implicit-LOD sampling */
    VLIW_USES_TEXTURE = 1u << 2,
    VLIW_USES_MEMORY = 1u << 3,
    VLIW_HAS_BRANCHES = 1u << 4
};

/* Facts of a verified program; pointers are borrowed and live as long as the program. */
struct vliw_info {
    enum vliw_stage stage;
    uint32_t flags;                   /* VLIW_USES_* */
    uint32_t units, instructions;     /* code size */
    uint32_t gprs, globals;           /* one more than the highest register used or declared */
    uint32_t input_count, output_count, sampler_count, literal_count;
    const struct vliw_io *inputs;
    const struct vliw_io *outputs;
    const uint8_t *samplers;          /* enum vliw_sampler_type of sampler i */
    const struct vliw_literal *literals;
    const char *name;                 /* shader name for messages, "" if none */
};

/* ---- Images: words in a container ----------------------------------------------------------- */

struct vliw_image;

/* Everything an image holds, for writers (compiler, assembler). All pointers are copied. */
struct vliw_image_desc {
    enum vliw_stage stage;
    const char *name;
    const uint32_t *words;
    uint32_t word_count;
    const uint32_t *lines;            /* source line of each word, or NULL */
    const struct vliw_io *inputs, *outputs;
    uint32_t input_count, output_count;
    const uint8_t *samplers;
    uint32_t sampler_count;
    const struct vliw_literal *literals;
    uint32_t literal_count;
    uint32_t globals;                 /* uniform registers that the program may read */
    uint32_t gprs;                    /* GPRs that indexed access may reach; 0 = those the code names */
};

/* Builds an image; checks sizes only (the verifier checks the rest). NULL when memory is out. */
VLIW_API struct vliw_image *vliw_image_create(const struct vliw_image_desc *desc);

/* Reads a container: little-endian, versioned, checksummed. Total: any bytes give an image or an error. */
VLIW_API enum vliw_status vliw_image_load(const void *bytes, size_t size, struct vliw_image **out,
                                          struct vliw_error *error);

/* Serialises; *size receives the size. The caller frees the result with vliw_free. NULL: no memory. */
VLIW_API void *vliw_image_save(const struct vliw_image *image, size_t *size);

VLIW_API void vliw_image_destroy(struct vliw_image *image);

/* Borrowed view of what an image holds. */
VLIW_API void vliw_image_describe(const struct vliw_image *image, struct vliw_image_desc *out);

/* Frees what this library returned as 'caller frees'. NULL is fine. */
VLIW_API void vliw_free(void *memory);

/* Assembles text (ISA.md, assembly syntax). On error *out is NULL and error has line and column. */
VLIW_API enum vliw_status vliw_assemble(const char *text, size_t length, struct vliw_image **out,
                                        struct vliw_error *error);

/* Disassembles an image to text that assembles to the same words; caller frees with vliw_free. */
VLIW_API char *vliw_disassemble(const struct vliw_image *image);

/* ---- Programs -------------------------------------------------------------------------------- */

struct vliw_program;

/*
 * Verifies an image and decodes it for the executor. Total. On refusal *out is NULL and *error names
 * word, slot and rule. The program does not keep the image.
 */
VLIW_API enum vliw_status vliw_program_create(const struct vliw_image *image,
                                              struct vliw_program **out, struct vliw_error *error);
VLIW_API void vliw_program_destroy(struct vliw_program *program);
VLIW_API const struct vliw_info *vliw_program_info(const struct vliw_program *program);

/* Issue slots of one pass over the code on the VL-IW core: its static cost, the same everywhere. */
VLIW_API uint32_t vliw_program_cycles(const struct vliw_program *program);

/* Source line of a unit by the line table, 0 if unknown. */
VLIW_API uint32_t vliw_program_line(const struct vliw_program *program, uint32_t unit);
/* Components of a register that the instruction at 'unit' fills with doubles (TYPE f64; pairs xy and zw), as bits, and
 * which register; 0: none, or the register depends on an index. */
VLIW_API unsigned vliw_program_doubles(const struct vliw_program *program, uint32_t unit, uint32_t *reg);

/*
 * Constants of one draw. vliw_program_constants gives the number of floats; vliw_program_prepare
 * fills them from 'globals' (4 floats a register, at least info->globals - literals' registers; the
 * first 'global_count' registers are read, the rest count as zero), adds the literals and computes
 * every expression that depends on uniforms only. Deterministic, allocates nothing.
 */
VLIW_API size_t vliw_program_constants(const struct vliw_program *program);
VLIW_API void vliw_program_prepare(const struct vliw_program *program, const float *globals,
                                   uint32_t global_count, float *constants);

/* ---- Batches --------------------------------------------------------------------------------- */

/*
 * A texture read of a batch. Arrays have VM_LANES entries; lanes outside 'mask' may hold anything
 * and need no result, but for implicit LOD the coordinates of all four lanes of a quad with any lane
 * in the mask are valid. Projective division has been done.
 */
struct vliw_tex_request {
    uint32_t sampler;             /* index into the program's samplers */
    uint32_t kind;                /* enum vliw_tex_kind */
    struct vliw_mask mask;
    const float *coord[3];        /* s, t, r (cube and 3D) */
    const float *reference;       /* shadow samplers: compare value, else NULL */
    const float *lod;             /* bias or explicit LOD, NULL for the other kinds */
    const float *ddx[3];          /* gradients, VLIW_TEX_GRAD only */
    const float *ddy[3];
    float *result[4];             /* r, g, b, a; always all four are written for lanes in the mask */
};

enum vliw_tex_kind { VLIW_TEX_IMPLICIT, VLIW_TEX_BIAS, VLIW_TEX_LOD, VLIW_TEX_GRAD };

typedef void (*vliw_sample_fn)(void *context, const struct vliw_tex_request *request);

/* Memory for LD, ST and fetch-add. Addresses beyond 'words' read 0 and write nothing. */
struct vliw_memory {
    uint32_t *data;
    size_t words;
};

/*
 * An instruction has executed in the lanes of a mask (bits 0..3): it stands at 'unit', the next one in memory at
 * 'next'. 'gpr' are the registers after it, as vliw_ref_run lays them out.
 */
typedef void (*vliw_step_fn)(void *context, uint32_t unit, uint32_t next, unsigned lanes, const uint32_t *gpr);

/* One run of a batch. */
struct vliw_run {
    struct vliw_mask active;      /* lanes that exist; whole quads if the program uses derivatives or
                                     implicit LOD. The others compute nothing that can be seen. */
    const float *constants;       /* from vliw_program_prepare */
    vliw_sample_fn sample;        /* may be NULL when the program has no samplers */
    void *sample_context;
    vliw_sample_fn sample_bytes;  /* reads under TYPE u8x4.f32: results 0 to 3 are one array, of words; NULL: what
                                     'sample' gives is packed. vliw_ref_run does not call it */
    struct vliw_memory *memory;   /* may be NULL */
    uint32_t budget;              /* instructions per invocation, 0 = VLIW_BUDGET_DEFAULT */
    vliw_step_fn step;            /* vliw_ref_run alone: told of every instruction; NULL: nobody */
    void *step_context;
    /* results */
    struct vliw_mask live;        /* lanes of 'active' that did not execute KIL */
    uint32_t fault_unit;          /* first unit of the instruction that trapped or exceeded the budget */
    uint64_t instructions;        /* executed VL-IW instructions, summed over active lanes */
};

#define VLIW_BUDGET_DEFAULT (1u << 26)

struct vliw_batch;

/* A batch is one thread's register file. Bind sizes it for a program (allocates only when it must grow). */
VLIW_API struct vliw_batch *vliw_batch_create(void);
VLIW_API void vliw_batch_destroy(struct vliw_batch *batch);
VLIW_API enum vliw_status vliw_batch_bind(struct vliw_batch *batch, const struct vliw_program *program);

/*
 * VM_LANES floats, 64-byte aligned: component 'comp' of input/output number 'index' of the bound
 * program's tables. Inputs must be written before every run (a run may overwrite them); a component
 * not in the io's mask gives NULL. Outputs are valid after a run until the next.
 */
VLIW_API float *vliw_batch_input(struct vliw_batch *batch, uint32_t index, unsigned comp);
VLIW_API const float *vliw_batch_output(const struct vliw_batch *batch, uint32_t index, unsigned comp);

/*
 * Runs the bound program. VLIW_OK, or VLIW_ERR_BUDGET or VLIW_ERR_TRAP: the fault of the lowest quad that
 * fails (ISA.md section 9), at run->fault_unit; the other results are then meaningless.
 */
VLIW_API enum vliw_status vliw_batch_run(struct vliw_batch *batch, struct vliw_run *run);

/* ---- Reference interpreter: one quad, straight from words ------------------------------------ */

/*
 * The oracle: four lanes, each with its own PC and mask, no SIMD, no micro-ops. 'gpr' is
 * info->gprs registers: gpr[(reg * 4 + component) * 4 + lane] as bits, preset by the caller (inputs;
 * all others 0) and left as the program leaves them. 'globals' as bits, 4 a register, literals are
 * added by the call. Sampling goes through run->sample with VM_LANES arrays of which lanes 0..3 count.
 */
VLIW_API enum vliw_status vliw_ref_run(const struct vliw_program *program, uint32_t *gpr,
                                       const uint32_t *globals, uint32_t global_count,
                                       struct vliw_run *run);

/* ---- Taps: tools that look at a renderer's batches ---------------------------------------------- */

/* Borrowed view of a program's words and tables, as vliw_image_describe has it. */
VLIW_API void vliw_program_describe(const struct vliw_program *program, struct vliw_image_desc *out);

/* Called for each texel that a request reads in a lane: which block of memory, where in it, how many bytes. */
typedef void (*vliw_texel_fn)(void *user, unsigned lane, const void *block, uint64_t offset, uint32_t bytes);

/* A batch that a renderer runs. All pointers are borrowed for the time of the call. */
struct vliw_tap_batch {
    uint32_t lanes;                   /* VM_LANES of the library */
    enum vliw_stage stage;
    const struct vliw_program *program;   /* to be told apart only: a tool may have a VM of its own */
    struct vliw_image_desc image;
    const float *const *inputs;       /* [number * 4 + component] of the input table; NULL outside the mask.
                                         Valid before the run */
    const float *const *outputs;      /* valid after it */
    const struct vliw_run *run;       /* its first constants are the globals, 4 floats each, with the literals */
    enum vliw_status status;          /* after the run */
    /* Texels of a read; sample_context as in run. The request's results are overwritten. */
    void (*texels)(void *sample_context, const struct vliw_tex_request *request, vliw_texel_fn emit, void *user);
    /* Vertex programs: where each lane's attributes lie. */
    const uint32_t *elements;         /* number of the vertex in its arrays, a lane */
    const struct vliw_tap_array {
        uint32_t input;               /* number in the input table */
        const void *data;             /* NULL: no array, the same value for all */
        uint64_t stride;
        uint32_t bytes;               /* of one element */
    } *arrays;
    uint32_t array_count;
};

struct vliw_tap {
    void *user;
    /* Before each batch (done = false) and after it, by the thread that runs it. */
    void (*batch)(void *user, const struct vliw_tap_batch *batch, bool done);
};

/* ---- SIMD level ------------------------------------------------------------------------------- */

enum vliw_simd { VLIW_SIMD_SCALAR, VLIW_SIMD_SSE, VLIW_SIMD_AVX2, VLIW_SIMD_AVX512, VLIW_SIMD_NEON, VLIW_SIMD_COUNT };

/* Level in use: the best that the CPU, the build and the ceiling VLGL_SIMD allow. */
VLIW_API enum vliw_simd vliw_simd_level(void);

/* "scalar", "sse", "avx2", "avx512", "neon". */
VLIW_API const char *vliw_simd_name(enum vliw_simd level);

/*
 * Sets the ceiling for programs created from now on (tests). Returns the level that results. Not
 * thread safe against running batches.
 */
VLIW_API enum vliw_simd vliw_simd_limit(enum vliw_simd ceiling);

/* NULL when VLGL_SIMD is unset or valid, else a message naming the bad value. */
VLIW_API const char *vliw_simd_environment_error(void);

#ifdef __cplusplus
}
#endif
#endif
