/* SPDX-License-Identifier: MIT */
/*
 * glslc.h: strings the stages together. Compile: text to checked tree, kept in the shader. Link: homes and
 * tables (glsl/link.c), then for each stage IR, optimisation, code. Nothing else knows both the front end
 * and the code generator.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/base/diag.h"
#include "vm/codegen/cg.h"
#include "vm/driver/program.h"
#include "vm/glsl/emit.h"
#include "vm/glsl/link.h"
#include "vm/ir/narrow.h"
#include "vm/isa/ports.h"

enum { MAX_SOURCE = 16 << 20 };

struct glslc_shader {
    struct arena arena;                /* owns the tree */
    enum vliw_stage stage;
    bool ok;
    char *source;
    struct diag_list diags;
    struct glsl_unit *unit;
};

void glslc_options_init(struct glslc_options *options) {
    memset(options, 0, sizeof *options);
    options->size = sizeof *options;
    options->max_attribs = 16;
    options->max_varyings = 16;
    options->max_vertex_uniforms = 1024;
    options->max_fragment_uniforms = 1024;
    options->max_vertex_samplers = 16;
    options->max_fragment_samplers = 16;
    options->max_combined_samplers = 32;
    options->max_draw_buffers = 1;
}

/* The caller's options over the defaults; a struct of an older, shorter version is completed. */
static struct glslc_options full_options(const struct glslc_options *given) {
    struct glslc_options options;
    glslc_options_init(&options);
    if (given && given->size) {
        memcpy(&options, given, given->size < sizeof options ? given->size : sizeof options);
        options.size = sizeof options;
    }
    return options;
}

/* ---- compile ---------------------------------------------------------------------------------------- */

static size_t string_length(const char *const *strings, const int *lengths, unsigned i) {
    if (!strings[i]) {
        return 0;
    }
    return lengths && lengths[i] >= 0 ? (size_t)lengths[i] : strlen(strings[i]);
}

/* Joins the strings; *boundaries are their starts. False when memory is out; *length is over MAX_SOURCE
   (and nothing joined) when they are too long. */
static bool join_strings(struct glslc_shader *shader, unsigned count, const char *const *strings,
                         const int *lengths, uint32_t **boundaries, uint32_t *length) {
    size_t total = 0;
    *boundaries = arena_array(&shader->arena, count + 1, sizeof **boundaries);
    if (!*boundaries) {
        return false;
    }
    for (unsigned i = 0; i < count && total <= MAX_SOURCE; i++) {
        (*boundaries)[i] = (uint32_t)total;
        total += string_length(strings, lengths, i);
    }
    if (total > MAX_SOURCE) {
        *length = MAX_SOURCE + 1;
        return true;
    }
    shader->source = malloc(total + 1);
    if (!shader->source) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        size_t size = string_length(strings, lengths, i);
        if (size) {
            memcpy(shader->source + (*boundaries)[i], strings[i], size);
        }
    }
    shader->source[total] = '\0';
    *length = (uint32_t)total;
    return true;
}

struct glslc_shader *glslc_compile(enum vliw_stage stage, unsigned count, const char *const *strings,
                                   const int *lengths, const struct glslc_options *given) {
    struct glslc_shader *shader = calloc(1, sizeof *shader);
    struct glslc_options options = full_options(given);
    uint32_t *boundaries, length = 0;
    if (!shader) {
        return NULL;
    }
    arena_keep_memory();
    arena_init(&shader->arena, 0);
    shader->stage = stage;
    diag_init(&shader->diags, NULL, 0);
    if (!join_strings(shader, count, strings, lengths, &boundaries, &length)) {
        glslc_shader_destroy(shader);
        return NULL;
    }
    if (length > MAX_SOURCE) {
        struct diag_pos start = {0, 1, 1, UINT32_MAX};
        diag_add(&shader->diags, DIAG_ERROR, start, "the shader's text is longer than %d bytes", MAX_SOURCE);
        return shader;
    }
    shader->diags.source = shader->source;
    shader->diags.source_length = length;
    shader->unit = glsl_compile_unit(&shader->arena, &shader->diags, stage, shader->source, length, boundaries,
                                     count ? count : 1, &options);
    if (!shader->unit || shader->diags.out.failed) {
        glslc_shader_destroy(shader);
        return NULL;
    }
    shader->ok = shader->diags.errors == 0;
    return shader;
}

void glslc_shader_destroy(struct glslc_shader *shader) {
    if (shader) {
        diag_fini(&shader->diags);
        arena_fini(&shader->arena);
        free(shader->source);
        free(shader);
    }
}

bool glslc_shader_ok(const struct glslc_shader *shader) { return shader->ok; }

const char *glslc_shader_log(const struct glslc_shader *shader) { return shader->diags.out.text; }

/* ---- code ------------------------------------------------------------------------------------------- */

/* Room for the messages of one stage. */
enum { MESSAGE_SIZE = 240 };

/* A program that never ends writes nothing: its interface must not promise registers. */
static void drop_dead_outputs(struct ir_fn *fn) {
    for (uint32_t i = 0; i < fn->block_count; i++) {
        if (fn->blocks[i]->term == IR_TERM_RETURN) {
            return;
        }
    }
    fn->output_count = 0;
}

/* Lowers and optimises; NULL with a message ("" when memory is out). */
static struct ir_fn *build_ir(const struct glsl_unit *unit, const struct glsl_stage_layout *layout,
                              struct arena *arena, const char *name, const struct glslc_options *options,
                              char *message) {
    const char *reason;
    uint32_t line;
    const struct ir_options ir_options = {.no_optimise = options->no_optimise};
    message[0] = '\0';
    struct ir_fn *fn = glsl_emit_stage(unit, layout, arena, name, &reason, &line);
    if (!fn) {
        if (reason) {
            snprintf(message, MESSAGE_SIZE, "line %u: %s", line, reason);
        }
        return NULL;
    }
    if (!ir_optimise(fn, &ir_options)) {
        return NULL;
    }
    drop_dead_outputs(fn);
    return fn;
}

/* Instructions beyond which nobody looks for a narrow program: so much work is not spent on texels alone. */
enum { NARROW_SIZE = 600 };

static bool worth_narrowing(const struct ir_fn *fn, const struct glslc_options *options) {
    unsigned count = 0;
    for (uint32_t i = 0; i < fn->block_count; i++) {
        for (const struct ir_inst *inst = fn->blocks[i]->first; inst && count <= NARROW_SIZE; inst = inst->next) {
            count++;
        }
    }
    return !options->no_narrow && !options->no_optimise && count <= NARROW_SIZE;
}

/* *may_narrow, if asked: whether build_narrow would find something. */
static struct vliw_image *build_image(const struct glsl_unit *unit, const struct glsl_stage_layout *layout,
                                      const char *name, const struct glslc_options *options,
                                      struct cg_stats *stats, bool *may_narrow, char *message) {
    struct arena arena;
    arena_init(&arena, 0);
    struct vliw_image *image = NULL;
    struct ir_fn *fn = build_ir(unit, layout, &arena, name, options, message);
    if (fn) {
        const struct cg_options cg_options = {.no_optimise = options->no_optimise, .name = name};
        if (may_narrow) {
            const struct arena_mark mark = arena_mark(&arena);
            *may_narrow = worth_narrowing(fn, options) && ir_narrow_possible(fn);
            arena_release(&arena, mark); /* it has only looked */
        }
        image = cg_compile(fn, &cg_options, stats, message, MESSAGE_SIZE);
    }
    arena_fini(&arena);
    return image;
}

/* Figures of a narrow program. */
struct narrow_stats {
    struct cg_stats code;
    uint32_t values, narrowed;
};

/* The narrow fragment program; NULL if there is none. Nobody depends on it, so no failure is told. */
static struct vliw_image *build_narrow(const struct glsl_unit *unit, const struct glsl_stage_layout *layout,
                                       const char *name, const struct glslc_options *options,
                                       struct vliw_narrow *out, struct narrow_stats *stats) {
    struct arena arena;
    struct ir_narrow made;
    char message[MESSAGE_SIZE];
    arena_init(&arena, 0);
    struct vliw_image *image = NULL;
    struct ir_fn *fn = build_ir(unit, layout, &arena, name, options, message);
    memset(out, 0, sizeof *out);
    if (fn && ir_narrow(fn, &made)) {
        const struct cg_options cg_options = {.name = name};
        image = cg_compile(fn, &cg_options, &stats->code, message, MESSAGE_SIZE);
        stats->values = made.values;
        stats->narrowed = made.narrowed;
        *out = made.facts;
    }
    arena_fini(&arena);
    return image;
}

/* ---- link ------------------------------------------------------------------------------------------- */

static bool copy_tables(struct glslc_program *p, const struct glsl_linked *linked) {
    p->attribute_count = linked->attribute_count;
    p->uniform_count = linked->uniform_count;
    p->varying_count = linked->varying_count;
    p->attributes = arena_array(&p->arena, p->attribute_count + 1, sizeof *p->attributes);
    p->uniforms = arena_array(&p->arena, p->uniform_count + 1, sizeof *p->uniforms);
    p->varyings = arena_array(&p->arena, p->varying_count + 1, sizeof *p->varyings);
    if (!p->attributes || !p->uniforms || !p->varyings) {
        return false;
    }
    for (uint32_t i = 0; i < p->attribute_count; i++) {
        p->attributes[i] = linked->attributes[i];
        p->attributes[i].name = arena_strndup(&p->arena, p->attributes[i].name, strlen(p->attributes[i].name));
    }
    for (uint32_t i = 0; i < p->uniform_count; i++) {
        p->uniforms[i] = linked->uniforms[i];
        p->uniforms[i].name = arena_strndup(&p->arena, p->uniforms[i].name, strlen(p->uniforms[i].name));
    }
    for (uint32_t i = 0; i < p->varying_count; i++) {
        p->varyings[i] = linked->varyings[i];
        p->varyings[i].name = arena_strndup(&p->arena, p->varyings[i].name, strlen(p->varyings[i].name));
    }
    return !p->arena.failed;
}

/* False when memory is out. */
static bool link_into(struct glslc_program *p, const struct glsl_link_input *in, struct arena *arena,
                      const char *name) {
    struct glsl_linked linked;
    if (!glsl_link(in, arena, &p->log, &linked)) {
        return false;
    }
    if (!linked.ok) {
        return true;
    }
    for (unsigned stage = 0; stage < 2; stage++) {
        char message[MESSAGE_SIZE];
        bool may_narrow = false;
        p->images[stage] =
            build_image(in->units[stage], &linked.layout[stage], name, in->options, NULL, &may_narrow, message);
        if (p->images[stage] && may_narrow) {
            struct narrow_stats unused;
            p->narrow_image =
                build_narrow(in->units[stage], &linked.layout[stage], name, in->options, &p->narrow, &unused);
        }
        p->globals[stage] = linked.layout[stage].uniform_regs;
        if (!p->images[stage]) {
            if (!message[0]) {
                return false;
            }
            str_printf(&p->log, "error: %s shader: %s\n", stage == VLIW_STAGE_VERTEX ? "vertex" : "fragment",
                       message);
            return true;
        }
    }
    p->ok = copy_tables(p, &linked);
    return p->ok;
}

static bool check_shader(struct glslc_program *p, const struct glslc_shader *shader, enum vliw_stage stage) {
    const char *what = stage == VLIW_STAGE_VERTEX ? "vertex" : "fragment";
    if (!shader || shader->stage != stage || !shader->ok) {
        str_printf(&p->log, "error: the %s shader is %s\n", what,
                   shader && shader->stage == stage ? "not compiled" : "missing");
        return false;
    }
    return true;
}

struct glslc_program *glslc_link(const struct glslc_shader *vertex, const struct glslc_shader *fragment,
                                 const struct glslc_binding *bindings, unsigned binding_count, const char *name,
                                 const struct glslc_options *given) {
    struct glslc_program *p = calloc(1, sizeof *p);
    struct glslc_options options = full_options(given);
    if (!p) {
        return NULL;
    }
    arena_init(&p->arena, 0);
    str_init(&p->log);
    bool good = check_shader(p, vertex, VLIW_STAGE_VERTEX);
    good = check_shader(p, fragment, VLIW_STAGE_FRAGMENT) && good;
    bool has_memory = true;
    if (good) {
        struct arena arena;
        const struct glsl_link_input in = {{vertex->unit, fragment->unit}, bindings, binding_count, &options};
        arena_init(&arena, 0);
        has_memory = link_into(p, &in, &arena, name ? name : "");
        arena_fini(&arena);
    }
    if (!has_memory || p->log.failed) {
        glslc_program_destroy(p);
        return NULL;
    }
    return p;
}

void glslc_program_destroy(struct glslc_program *program) {
    if (program) {
        vliw_image_destroy(program->images[0]);
        vliw_image_destroy(program->images[1]);
        vliw_image_destroy(program->narrow_image);
        str_fini(&program->log);
        arena_fini(&program->arena);
        free(program);
    }
}

bool glslc_program_ok(const struct glslc_program *program) { return program->ok; }

const char *glslc_program_log(const struct glslc_program *program) { return program->log.text; }

const struct vliw_image *glslc_program_image(const struct glslc_program *program, enum vliw_stage stage) {
    return program->ok && stage <= VLIW_STAGE_FRAGMENT ? program->images[stage] : NULL;
}

bool glslc_type_is_double(enum glslc_type type) {
    return type == GLSLC_DOUBLE || (type >= GLSLC_DOUBLE_MAT2 && type <= GLSLC_DOUBLE_MAT4) ||
           (type >= GLSLC_DOUBLE_VEC2 && type <= GLSLC_DOUBLE_VEC4);
}

/* The numbers of vectors and matrices are in the order of their sizes. */
unsigned glslc_type_shape(enum glslc_type type, unsigned *columns) {
    const unsigned t = type;
    *columns = 1;
    if (t >= GLSLC_DOUBLE_MAT2 && t <= GLSLC_DOUBLE_MAT4) {
        const unsigned n = t - GLSLC_DOUBLE_MAT2 + 2;
        *columns = n * n;
        return 1;
    }
    if (t >= GLSLC_DOUBLE_VEC2 && t <= GLSLC_DOUBLE_VEC4) {
        *columns = t - GLSLC_DOUBLE_VEC2 + 2;
        return 1;
    }
    if (t >= GLSLC_FLOAT_MAT2 && t <= GLSLC_FLOAT_MAT4) {
        *columns = t - GLSLC_FLOAT_MAT2 + 2;
        return *columns;
    }
    return t >= GLSLC_FLOAT_VEC2 && t <= GLSLC_FLOAT_VEC4 ? t - GLSLC_FLOAT_VEC2 + 2
           : t >= GLSLC_INT_VEC2 && t <= GLSLC_INT_VEC4   ? t - GLSLC_INT_VEC2 + 2
           : t >= GLSLC_BOOL_VEC2 && t <= GLSLC_BOOL_VEC4 ? t - GLSLC_BOOL_VEC2 + 2
                                                          : 1;
}

const struct vliw_image *glslc_program_narrow(const struct glslc_program *program, struct vliw_narrow *out) {
    *out = program->narrow;
    return program->ok ? program->narrow_image : NULL;
}

unsigned glslc_program_attributes(const struct glslc_program *program, const struct glslc_attribute **out) {
    *out = program->attributes;
    return program->ok ? program->attribute_count : 0;
}

unsigned glslc_program_uniforms(const struct glslc_program *program, const struct glslc_uniform **out) {
    *out = program->uniforms;
    return program->ok ? program->uniform_count : 0;
}

unsigned glslc_program_varyings(const struct glslc_program *program, const struct glslc_varying **out) {
    *out = program->varyings;
    return program->ok ? program->varying_count : 0;
}

uint32_t glslc_program_globals(const struct glslc_program *program, enum vliw_stage stage) {
    return program->ok && stage <= VLIW_STAGE_FRAGMENT ? program->globals[stage] : 0;
}

/* ---- one stage alone -------------------------------------------------------------------------------- */

/* Links a shader without a partner. False with a message ("" when memory is out). */
static bool link_alone(const struct glslc_shader *shader, const struct glslc_options *options,
                       struct arena *arena, struct glsl_linked *linked, char *message) {
    struct glsl_link_input in = {{NULL, NULL}, NULL, 0, options};
    struct str log;
    message[0] = '\0';
    if (!shader->ok) {
        snprintf(message, MESSAGE_SIZE, "the shader is not compiled");
        return false;
    }
    in.units[shader->stage] = shader->unit;
    str_init(&log);
    bool done = glsl_link(&in, arena, &log, linked);
    if (done && !linked->ok) {
        snprintf(message, MESSAGE_SIZE, "%.*s", (int)strcspn(log.text, "\n"), log.text);
    }
    str_fini(&log);
    return done && linked->ok;
}

static struct vliw_image *shader_image(const struct glslc_shader *shader, const struct glslc_options *given,
                                       struct cg_stats *stats, struct vliw_error *error) {
    struct glslc_options options = full_options(given);
    struct arena arena;
    struct glsl_linked linked;
    char message[MESSAGE_SIZE];
    struct vliw_image *image = NULL;
    arena_init(&arena, 0);
    if (link_alone(shader, &options, &arena, &linked, message)) {
        image = build_image(shader->unit, &linked.layout[shader->stage], "shader", &options, stats, NULL, message);
    }
    arena_fini(&arena);
    if (!image && error) {
        memset(error, 0, sizeof *error);
        error->status = message[0] ? VLIW_ERR_LIMIT : VLIW_ERR_MEMORY;
        error->word = error->slot = error->rule = error->line = error->column = -1;
        snprintf(error->message, sizeof error->message, "%s", message[0] ? message : "out of memory");
    }
    return image;
}

struct vliw_image *glslc_shader_image(const struct glslc_shader *shader, const struct glslc_options *options,
                                      struct vliw_error *error) {
    return shader_image(shader, options, NULL, error);
}

static struct vliw_image *shader_narrow(const struct glslc_shader *shader, const struct glslc_options *given,
                                        struct vliw_narrow *out, struct narrow_stats *stats) {
    struct glslc_options options = full_options(given);
    struct arena arena;
    struct glsl_linked linked;
    char message[MESSAGE_SIZE];
    struct vliw_image *image = NULL;
    arena_init(&arena, 0);
    memset(out, 0, sizeof *out);
    memset(stats, 0, sizeof *stats);
    if (shader->stage == VLIW_STAGE_FRAGMENT && link_alone(shader, &options, &arena, &linked, message)) {
        image = build_narrow(shader->unit, &linked.layout[shader->stage], "shader", &options, out, stats);
    }
    arena_fini(&arena);
    return image;
}

struct vliw_image *glslc_shader_narrow_image(const struct glslc_shader *shader, const struct glslc_options *options) {
    struct vliw_narrow facts;
    struct narrow_stats stats;
    return shader_narrow(shader, options, &facts, &stats);
}

bool glslc_shader_stats(const struct glslc_shader *shader, const struct glslc_options *options,
                        struct glslc_stats *out, struct vliw_error *error) {
    struct cg_stats stats;
    struct vliw_image *image = shader_image(shader, options, &stats, error);
    if (!image) {
        return false;
    }
    struct vliw_image_desc desc;
    vliw_image_describe(image, &desc);
    *out = (struct glslc_stats){
        .cycles = isa_code_slots(desc.words, desc.word_count),
        .words = stats.words, .instructions = stats.instructions, .operations = stats.operations,
        .fixed_instructions = stats.fixed_instructions, .dual = stats.dual, .gprs = stats.gprs,
        .globals = stats.globals, .literals = stats.literals, .spills = stats.spills,
    };
    vliw_image_destroy(image);
    struct vliw_narrow facts;
    struct narrow_stats narrow;
    image = options && options->no_narrow ? NULL : shader_narrow(shader, options, &facts, &narrow);
    if (image) {
        out->narrow_words = narrow.code.words;
        out->narrow_instructions = narrow.code.instructions;
        out->values = narrow.values;
        out->narrowed = narrow.narrowed;
        out->narrow_samplers = facts.exact_samplers;
        out->narrow_uniforms = facts.uniform_count;
        vliw_image_destroy(image);
    }
    return true;
}

char *glslc_shader_dump(const struct glslc_shader *shader, const struct glslc_options *given) {
    struct glslc_options options = full_options(given);
    struct arena arena;
    struct glsl_linked linked;
    char message[MESSAGE_SIZE];
    struct str text;
    str_init(&text);
    arena_init(&arena, 0);
    if (link_alone(shader, &options, &arena, &linked, message)) {
        struct ir_fn *fn = build_ir(shader->unit, &linked.layout[shader->stage], &arena, "shader", &options, message);
        uint32_t where = 0;
        const char *fault = fn ? ir_validate(fn, &where) : NULL;
        if (fn) {
            ir_print(fn, &text);
        }
        if (fault) {
            str_printf(&text, "invalid in block %u: %s\n", where, fault);
        }
    }
    str_append(&text, message);
    arena_fini(&arena);
    return str_take(&text);
}
