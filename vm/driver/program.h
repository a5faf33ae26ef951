/* SPDX-License-Identifier: MIT */
/* Internal: what compile.c and binary.c share, the linked program of glslc.h. */
#ifndef VM_DRIVER_PROGRAM_H
#define VM_DRIVER_PROGRAM_H

#include "vm/base/arena.h"
#include "vm/base/str.h"
#include "vm/include/glslc.h"

struct glslc_program {
    struct arena arena;                /* owns the tables */
    bool ok;
    struct str log;
    struct vliw_image *images[2];      /* by stage */
    struct vliw_image *narrow_image;   /* of the fragment stage; NULL: none */
    struct vliw_narrow narrow;         /* its facts, if there is one */
    uint32_t globals[2];
    uint32_t attribute_count, uniform_count, varying_count;
    struct glslc_attribute *attributes;
    struct glslc_uniform *uniforms;
    struct glslc_varying *varyings;
};

#endif
