/* SPDX-License-Identifier: MIT */
/*
 * glslc.h: the GLSL ES 1.00 compiler as a library, independent of GL. Text of one stage becomes a
 * glslc_shader (with an info log), two shaders link to a glslc_program: two VL-IW images and the
 * reflection that the API needs. Total: any text gives a shader object whose 'ok' says the outcome;
 * nothing is printed, nothing exits. Thread safe: no global state.
 */
#ifndef GLSLC_H
#define GLSLC_H

#include "vm/include/vliw.h"
#include "vm/include/vliw_narrow.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Extensions that a context offers; a shader may enable only these. Bits of glslc_options.extensions. */
enum {
    GLSLC_EXT_STANDARD_DERIVATIVES = 1u << 0,    /* GL_OES_standard_derivatives */
    GLSLC_EXT_SHADER_TEXTURE_LOD = 1u << 1,      /* GL_EXT_shader_texture_lod */
    GLSLC_EXT_FRAG_DEPTH = 1u << 2,              /* GL_EXT_frag_depth */
    GLSLC_EXT_DRAW_BUFFERS = 1u << 3,            /* GL_EXT_draw_buffers */
    GLSLC_EXT_TEXTURE_3D = 1u << 4,              /* GL_OES_texture_3D */
    GLSLC_EXT_SHADOW_SAMPLERS = 1u << 5,         /* GL_EXT_shadow_samplers */
    GLSLC_EXT_FRAMEBUFFER_FETCH = 1u << 6,       /* GL_EXT_shader_framebuffer_fetch */
    GLSLC_EXT_EGL_IMAGE_EXTERNAL = 1u << 7,      /* GL_OES_EGL_image_external */
    GLSLC_EXT_FP64 = 1u << 8,                    /* GL_VLGL_fp64 */
    GLSLC_EXT_ALL = (1u << 9) - 1u
};

/* Limits and switches of a compile; zero-initialise, then glslc_options_init sets the defaults. */
struct glslc_options {
    uint32_t size;                    /* sizeof this struct */
    uint32_t extensions;              /* GLSLC_EXT_* */
    bool no_optimise;                 /* keep only what correctness needs (differential tests) */
    uint32_t max_attribs;             /* 16 */
    uint32_t max_varyings;            /* 16 vectors */
    uint32_t max_vertex_uniforms;     /* 1024 vectors */
    uint32_t max_fragment_uniforms;   /* 1024 vectors */
    uint32_t max_vertex_samplers;     /* 16 */
    uint32_t max_fragment_samplers;   /* 16 */
    uint32_t max_combined_samplers;   /* 32 */
    uint32_t max_draw_buffers;        /* 1, or 4 */
    bool no_narrow;                   /* no second fragment program on words of bytes */
};

VLIW_API void glslc_options_init(struct glslc_options *options);

struct glslc_shader;

/*
 * Compiles 'count' strings of one stage (VLIW_STAGE_VERTEX or _FRAGMENT). lengths may be NULL or hold
 * negative entries for NUL-terminated strings. NULL only when memory is out.
 */
VLIW_API struct glslc_shader *glslc_compile(enum vliw_stage stage, unsigned count,
                                            const char *const *strings, const int *lengths,
                                            const struct glslc_options *options);
VLIW_API void glslc_shader_destroy(struct glslc_shader *shader);
VLIW_API bool glslc_shader_ok(const struct glslc_shader *shader);
/* NUL-terminated messages "0:LINE:COL: error: ...", empty if none; borrowed. */
VLIW_API const char *glslc_shader_log(const struct glslc_shader *shader);

/* Types of active attributes and uniforms; values are GL's enums so that the API passes them on. */
enum glslc_type {
    GLSLC_FLOAT = 0x1406, GLSLC_INT = 0x1404, GLSLC_FLOAT_VEC2 = 0x8B50, GLSLC_FLOAT_VEC3 = 0x8B51,
    GLSLC_FLOAT_VEC4 = 0x8B52, GLSLC_INT_VEC2 = 0x8B53, GLSLC_INT_VEC3 = 0x8B54, GLSLC_INT_VEC4 = 0x8B55,
    GLSLC_BOOL = 0x8B56, GLSLC_BOOL_VEC2 = 0x8B57, GLSLC_BOOL_VEC3 = 0x8B58, GLSLC_BOOL_VEC4 = 0x8B59,
    GLSLC_FLOAT_MAT2 = 0x8B5A, GLSLC_FLOAT_MAT3 = 0x8B5B, GLSLC_FLOAT_MAT4 = 0x8B5C,
    GLSLC_SAMPLER_2D = 0x8B5E, GLSLC_SAMPLER_3D = 0x8B5F, GLSLC_SAMPLER_CUBE = 0x8B60,
    GLSLC_SAMPLER_2D_SHADOW = 0x8B62, GLSLC_SAMPLER_EXTERNAL = 0x8D66,
    GLSLC_DOUBLE = 0x140A, GLSLC_DOUBLE_VEC2 = 0x8FFC, GLSLC_DOUBLE_VEC3 = 0x8FFD, GLSLC_DOUBLE_VEC4 = 0x8FFE,
    GLSLC_DOUBLE_MAT2 = 0x8F46, GLSLC_DOUBLE_MAT3 = 0x8F47, GLSLC_DOUBLE_MAT4 = 0x8F48
};

/*
 * The registers of a value: components of a column, and in *columns how many. 1 and 1 for scalars and samplers. Each
 * double is a column of its own, of one component.
 */
VLIW_API unsigned glslc_type_shape(enum glslc_type type, unsigned *columns);
/* Is it a double, or a vector or matrix of them? */
VLIW_API bool glslc_type_is_double(enum glslc_type type);

struct glslc_attribute {
    const char *name;
    enum glslc_type type;             /* FLOAT .. FLOAT_MAT4; attributes are never arrays in ES 2 */
    int32_t location;                 /* first attribute number; matrices take one a column */
};

/*
 * An active uniform: a scalar, vector, matrix or sampler, or an array of one (structs are flattened:
 * "s.a[2].b"; the name of an array ends in "[0]"). Every value is kept as floats (int and bool too:
 * the VM's registers are f32). Where it lives in a stage: element e, column c (matrices), component i
 * is constant float  globals[(reg + e * stride + c) * 4 + comp + i]; reg is -1 where the stage does not use it.
 * A double takes two constants, the low and the high word of its binary64, and a register of its own: number k of a
 * dvec or dmat (columns first) is globals[(reg + e * stride + k) * 4 + comp] and the next, comp 0 or 2.
 * For samplers, element e is sampler number reg + e of the stage.
 */
struct glslc_uniform {
    const char *name;
    enum glslc_type type;
    uint32_t array_size;              /* 1 if not an array: GL's "size" */
    bool is_array;
    int32_t location;                 /* base location; element e has location + e */
    struct {
        int32_t reg;                  /* first global register or sampler, -1 = unused in this stage */
        uint8_t comp;                 /* first component */
        uint8_t stride;               /* registers from one array element to the next */
        uint16_t elements;            /* how many elements the stage holds (<= array_size) */
    } stage[2];                       /* VLIW_STAGE_VERTEX, VLIW_STAGE_FRAGMENT */
};

struct glslc_varying {
    const char *name;
    uint8_t reg;                      /* varying register (VLIW_SEM_VARYING index) */
    uint8_t comp, components;
};

struct glslc_binding {                /* glBindAttribLocation */
    const char *name;
    uint32_t location;
};

struct glslc_program;

/*
 * Links a vertex and a fragment shader (both ok). 'name' goes into the images for messages. NULL only
 * when memory is out; otherwise ok/log say the outcome, as for shaders. The shaders are not kept.
 */
VLIW_API struct glslc_program *glslc_link(const struct glslc_shader *vertex,
                                          const struct glslc_shader *fragment,
                                          const struct glslc_binding *bindings, unsigned binding_count,
                                          const char *name, const struct glslc_options *options);
VLIW_API void glslc_program_destroy(struct glslc_program *program);
VLIW_API bool glslc_program_ok(const struct glslc_program *program);
VLIW_API const char *glslc_program_log(const struct glslc_program *program);

/* Borrowed; NULL if the link failed. */
VLIW_API const struct vliw_image *glslc_program_image(const struct glslc_program *program, enum vliw_stage stage);

VLIW_API unsigned glslc_program_attributes(const struct glslc_program *program, const struct glslc_attribute **out);
VLIW_API unsigned glslc_program_uniforms(const struct glslc_program *program, const struct glslc_uniform **out);
VLIW_API unsigned glslc_program_varyings(const struct glslc_program *program, const struct glslc_varying **out);
/*
 * The narrow fragment program (vliw_narrow.h), borrowed; NULL if there is none. Where *out holds it makes the bytes that
 * a target of 8 bits a channel stores of the float program's colours; everything else (discard) is the same.
 */
VLIW_API const struct vliw_image *glslc_program_narrow(const struct glslc_program *program, struct vliw_narrow *out);

/* Number of uniform registers of a stage (literals come after them). */
VLIW_API uint32_t glslc_program_globals(const struct glslc_program *program, enum vliw_stage stage);

/*
 * Saves and loads a linked program (OES_get_program_binary): both images and the reflection in one
 * versioned, checksummed container. Load is total and verifies both images.
 */
VLIW_API void *glslc_program_save(const struct glslc_program *program, size_t *size);
VLIW_API enum vliw_status glslc_program_load(const void *bytes, size_t size, struct glslc_program **out,
                                             struct vliw_error *error);

/* Compile one stage alone to an image, as the linker would with nothing known of the other (tools). */
VLIW_API struct vliw_image *glslc_shader_image(const struct glslc_shader *shader,
                                               const struct glslc_options *options, struct vliw_error *error);

/* The narrow program of a fragment shader alone; NULL if there is none (or memory is out). */
VLIW_API struct vliw_image *glslc_shader_narrow_image(const struct glslc_shader *shader,
                                                      const struct glslc_options *options);

/* Figures of a shader's code, as glslc_shader_image makes it. */
struct glslc_stats {
    uint32_t words;                   /* 32-bit units */
    uint32_t instructions;            /* of one to four words */
    uint32_t operations;              /* instructions of a machine that does one operation in each */
    uint32_t fixed_instructions;      /* the same code in a fixed format: up to two operations in 4 words */
    uint32_t dual;                    /* instructions that do work in more than one place */
    uint32_t gprs;                    /* one more than the highest register used */
    uint32_t globals, literals;       /* uniform and literal registers; literals among them */
    uint32_t spills;                  /* values beyond the directly addressed registers */
    uint32_t cycles;                  /* issue slots of one pass over the code on the VL-IW core (isa/ports.h) */
    /* fragment shaders: the narrow program; words 0: there is none */
    uint32_t narrow_words, narrow_instructions;
    uint32_t values, narrowed;        /* values computed or read from textures; those that became words of bytes */
    uint32_t narrow_samplers;         /* vliw_narrow.exact_samplers */
    uint32_t narrow_uniforms;         /* uniform registers that must hold n/255 */
};

/* False with *error as glslc_shader_image gives it. */
VLIW_API bool glslc_shader_stats(const struct glslc_shader *shader, const struct glslc_options *options,
                                 struct glslc_stats *out, struct vliw_error *error);

/* Optimised IR of a stage as text (tools and tests); caller frees with vliw_free. */
VLIW_API char *glslc_shader_dump(const struct glslc_shader *shader, const struct glslc_options *options);

#ifdef __cplusplus
}
#endif
#endif
