/* SPDX-License-Identifier: MIT */
/*
 * Linking of two checked shaders: interface rules, homes of attributes, varyings and uniforms, and the
 * tables of glslc.h. Works on data only; the driver lowers and generates code afterwards.
 */
#ifndef VM_GLSL_LINK_H
#define VM_GLSL_LINK_H

#include "vm/base/str.h"
#include "vm/glsl/layout.h"

struct glsl_linked {
    bool ok;
    struct glsl_stage_use use[2];
    struct glsl_stage_layout layout[2];
    struct glslc_attribute *attributes;
    struct glslc_uniform *uniforms;
    struct glslc_varying *varyings;
    uint32_t attribute_count, uniform_count, varying_count;
};

struct glsl_link_input {
    const struct glsl_unit *units[2];          /* by stage; one may be NULL: its partner is compiled alone */
    const struct glslc_binding *bindings;
    uint32_t binding_count;
    const struct glslc_options *options;
};

/* Everything in 'out' belongs to 'arena'. Messages are appended to 'log', out->ok says the outcome.
   False when memory is out. */
bool glsl_link(const struct glsl_link_input *in, struct arena *arena, struct str *log, struct glsl_linked *out);

/* ---- link_pack.c ---- */
struct glsl_pack_item {
    uint8_t comps;             /* of a row, 1..4 */
    bool is_double;            /* pairs of words: in xy or zw */
    uint32_t rows;
    uint32_t weight;           /* the heavier, the lower the register */
    struct glsl_home *home;    /* result */
    uint32_t order;            /* set by the packer */
};
/* Places all items into max_rows registers of four components. False (homes undefined) if they do not fit;
   whatever the algorithm of GLSL ES 1.00.17 Appendix A.7 can place fits. */
bool glsl_pack(struct glsl_pack_item *items, uint32_t count, uint32_t max_rows, struct arena *arena,
               uint32_t *used_rows);

/* ---- reflect.c ---- */
/* Fills the tables of 'out' from its layouts. False when memory is out. */
bool glsl_reflect(const struct glsl_link_input *in, struct arena *arena, struct glsl_linked *out);

/* The global of another shader with the same name and storage, NULL if there is none. */
const struct glsl_var *glsl_find_global(const struct glsl_unit *u, const char *name, enum glsl_storage storage);

#endif
