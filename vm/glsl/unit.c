/* SPDX-License-Identifier: MIT */
/* The compile of one shader: text to checked tree, with everything the stages share. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vm/glsl/parse.h"
#include "vm/glsl/sema.h"

void *glsl_alloc_array(struct glsl_unit *u, size_t count, size_t size) {
    void *memory = arena_array(u->arena, count ? count : 1, size);
    if (!memory) {
        longjmp(u->out_of_memory, 1);
    }
    return memory;
}

struct glsl_atom *glsl_intern(struct glsl_unit *u, const char *text) {
    struct glsl_atom *atom = glsl_atom_get(&u->atoms, text, (uint32_t)strlen(text));
    if (!atom) {
        longjmp(u->out_of_memory, 1);
    }
    return atom;
}

static void message(struct glsl_unit *u, enum diag_severity severity, struct diag_pos pos, const char *format,
                    va_list args) {
    char text[512];
    vsnprintf(text, sizeof text, format, args);
    diag_add(u->diags, severity, pos, "%s", text);
}

void glsl_error(struct glsl_unit *u, struct diag_pos pos, const char *format, ...) {
    va_list args;
    va_start(args, format);
    message(u, DIAG_ERROR, pos, format, args);
    va_end(args);
}

void glsl_warning(struct glsl_unit *u, struct diag_pos pos, const char *format, ...) {
    va_list args;
    va_start(args, format);
    message(u, DIAG_WARNING, pos, format, args);
    va_end(args);
}

const char *glsl_extension_name(uint32_t ext) {
    switch (ext) {
    case GLSLC_EXT_STANDARD_DERIVATIVES: return "GL_OES_standard_derivatives";
    case GLSLC_EXT_SHADER_TEXTURE_LOD: return "GL_EXT_shader_texture_lod";
    case GLSLC_EXT_FRAG_DEPTH: return "GL_EXT_frag_depth";
    case GLSLC_EXT_DRAW_BUFFERS: return "GL_EXT_draw_buffers";
    case GLSLC_EXT_TEXTURE_3D: return "GL_OES_texture_3D";
    case GLSLC_EXT_SHADOW_SAMPLERS: return "GL_EXT_shadow_samplers";
    case GLSLC_EXT_FRAMEBUFFER_FETCH: return "GL_EXT_shader_framebuffer_fetch";
    case GLSLC_EXT_EGL_IMAGE_EXTERNAL: return "GL_OES_EGL_image_external";
    case GLSLC_EXT_FP64: return "GL_VLGL_fp64";
    default: return "?";
    }
}

bool glsl_extension(struct glsl_unit *u, uint32_t ext, struct diag_pos pos) {
    if (!(u->ext_enabled & ext)) {
        return false;
    }
    if (u->ext_warn & ext) {
        glsl_warning(u, pos, "extension %s is used here", glsl_extension_name(ext));
        u->ext_warn &= ~ext; /* once is enough */
    }
    return true;
}

const struct glsl_type *glsl_array_of(struct glsl_unit *u, const struct glsl_type *element, uint32_t length,
                                      struct diag_pos pos) {
    if (element->kind == GLSL_ERROR) {
        return &glsl_type_error;
    }
    if (element->kind == GLSL_ARRAY || element->kind == GLSL_VOID) {
        glsl_error(u, pos, element->kind == GLSL_VOID ? "an array of void is not possible"
                                                      : "arrays of arrays are not supported");
        return &glsl_type_error;
    }
    if (length > GLSL_MAX_TYPE_SLOTS / element->slots) {
        glsl_error(u, pos, "array of %u elements of '%s' is too large", length, element->name);
        return &glsl_type_error;
    }
    struct glsl_array_entry **chain = &u->arrays[((uintptr_t)element / 16 + length) % GLSL_ARRAY_CHAINS];
    for (struct glsl_array_entry *entry = *chain; entry; entry = entry->next) {
        if (entry->type.element == element && entry->type.length == length) {
            return &entry->type;
        }
    }
    struct glsl_array_entry *entry = glsl_alloc(u, sizeof *entry);
    struct glsl_type *type = &entry->type;
    entry->next = *chain;
    *chain = entry;
    type->kind = GLSL_ARRAY;
    type->rows = type->cols = 1;
    type->element = element;
    type->length = length;
    type->has_array = true;
    type->has_sampler = element->has_sampler;
    type->depth = (uint16_t)(element->depth + 1);
    type->leaves = element->leaves;
    type->slots = element->slots * length;
    type->components = element->components * length;
    type->words = element->words * length;
    type->name = "array";
    return type;
}

/* Runs the stages on a unit that is set up; separate from its caller because of setjmp. 'text': memory of the tokens. */
static bool run_stages(struct glsl_unit *u, struct arena *text, const char *source, uint32_t length, const uint32_t *boundaries,
                       uint32_t boundary_count) {
    struct glsl_pp_options pp = {.extensions = u->options.extensions, .is_fragment = u->is_fragment};
    if (!glsl_tokenize(text, &u->atoms, u->diags, source, length, boundaries, boundary_count, &pp,
                       &u->tokens)) {
        return false;
    }
    if (setjmp(u->out_of_memory)) {
        return false;
    }
    if (u->tokens.invariant_all && !u->is_fragment) {
        u->any_invariant = true;
    }
    glsl_scope_push(u); /* built-in */
    glsl_scope_push(u); /* global */
    glsl_parse_unit(u);
    if (!u->diags->stopped) {
        glsl_sema_finish(u);
    }
    return true;
}

struct glsl_unit *glsl_compile_unit(struct arena *arena, struct diag_list *diags, enum vliw_stage stage,
                                    const char *source, uint32_t length, const uint32_t *boundaries,
                                    uint32_t boundary_count, const struct glslc_options *options) {
    struct glsl_unit *u = arena_alloc(arena, sizeof *u);
    if (!u) {
        return NULL;
    }
    u->arena = arena;
    u->diags = diags;
    u->options = *options;
    u->is_fragment = stage == VLIW_STAGE_FRAGMENT;
    u->globals_tail = &u->globals;
    u->functions_tail = &u->functions;
    /* Tokens are half of the memory and of no use to the tree: what comes next gets it while it is in the cache. */
    struct arena text;
    arena_init(&text, 0);
    bool done = glsl_atoms_init(&u->atoms, arena) &&
                run_stages(u, &text, source, length, boundaries, boundary_count);
    arena_fini(&text);
    u->tokens.tokens = NULL;
    u->tokens.changes = NULL;
    u->tokens.count = u->tokens.change_count = 0;
    if (u->scratch_ready) {
        arena_fini(&u->scratch);
        u->scratch_ready = false;
    }
    return done ? u : NULL;
}
