/* SPDX-License-Identifier: MIT */
/* Shader objects: names, source, compilation by glslc.h, queries; names shared with programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/entry.h"
#include "api/state.h"

void es_copy_string(const char *text, GLsizei buffer_size, GLsizei *length, GLchar *out) {
    GLsizei n = 0;
    if (buffer_size > 0 && out) {
        size_t all = text ? strlen(text) : 0;
        n = all < (size_t)buffer_size ? (GLsizei)all : buffer_size - 1;
        if (n) {
            memcpy(out, text, (size_t)n);
        }
        out[n] = '\0';
    }
    if (length) {
        *length = n;
    }
}

void es_glslc_options(struct glslc_options *options) {
    *options = (struct glslc_options){0};
    glslc_options_init(options);
    options->extensions = 0
#define ES_EXT(name, bits) | (bits)
#include "api/ext.def"
#undef ES_EXT
        ;
    options->max_attribs = ES_MAX_ATTRIBS;
    options->max_varyings = ES_MAX_VARYINGS;
    options->max_vertex_uniforms = ES_MAX_UNIFORM_VECTORS;
    options->max_fragment_uniforms = ES_MAX_UNIFORM_VECTORS;
    options->max_vertex_samplers = ES_MAX_STAGE_SAMPLERS;
    options->max_fragment_samplers = ES_MAX_STAGE_SAMPLERS;
    options->max_combined_samplers = ES_MAX_UNITS;
    options->max_draw_buffers = ES_MAX_COLORS;
}

/* ---- objects --------------------------------------------------------------------------------- */

static struct es_shader_base *shader_base_find(struct es_context *ctx, GLuint name, unsigned kind) {
    struct es_shader_base *base = es_names_find(&ctx->share->programs, name);
    if (!base) {
        es_set_error(ctx, GL_INVALID_VALUE, "%u is no shader or program", name);
        return NULL;
    }
    if (base->kind != kind) {
        es_set_error(ctx, GL_INVALID_OPERATION, "%u is a %s", name,
                     base->kind == ES_KIND_SHADER ? "shader" : "program");
        return NULL;
    }
    return base;
}

/* base is the first member of both kinds. */
struct es_shader *es_shader_find(struct es_context *ctx, GLuint name) {
    return (struct es_shader *)(void *)shader_base_find(ctx, name, ES_KIND_SHADER);
}

struct es_program *es_program_find(struct es_context *ctx, GLuint name) {
    return (struct es_program *)(void *)shader_base_find(ctx, name, ES_KIND_PROGRAM);
}

static void shader_clear_sources(struct es_shader *shader) {
    for (unsigned i = 0; i < shader->source_count; i++) {
        free(shader->sources[i]);
    }
    free(shader->sources);
    free(shader->source_lengths);
    shader->sources = NULL;
    shader->source_lengths = NULL;
    shader->source_count = 0;
}

static void shader_free(struct es_shader *shader) {
    shader_clear_sources(shader);
    glslc_shader_destroy(shader->code);
    free(shader->base.label);
    free(shader);
}

static void program_free(struct es_share *share, struct es_program *program) {
    for (unsigned i = 0; i < 2; i++) {
        if (program->shaders[i]) {
            es_shader_base_unref(share, &program->shaders[i]->base);
        }
    }
    for (unsigned i = 0; i < program->binding_count; i++) {
        free(program->bindings[i].name);
    }
    free(program->bindings);
    es_exec_unref(program->exec);
    free(program->log);
    free(program->base.label);
    free(program);
}

void es_shader_base_unref(struct es_share *share, struct es_shader_base *base) {
    if (--base->refs) {
        return;
    }
    es_names_remove(&share->programs, base->name);
    if (base->kind == ES_KIND_SHADER) {
        shader_free((struct es_shader *)(void *)base);
    } else {
        program_free(share, (struct es_program *)(void *)base);
    }
}

/* Names a new shader or program; 0 (and 'base' is the caller's) when memory is out. */
static GLuint shader_base_init(struct es_context *ctx, struct es_shader_base *base, unsigned kind) {
    if (!base || !es_names_generate(&ctx->share->programs, 1, &base->name)) {
        es_out_of_memory(ctx);
        return 0;
    }
    base->kind = (uint8_t)kind;
    base->refs = 1;
    es_names_set(&ctx->share->programs, base->name, base);
    return base->name;
}

GLuint es_create_shader(struct es_context *ctx, GLenum type) {
    if (type != GL_VERTEX_SHADER && type != GL_FRAGMENT_SHADER) {
        es_set_error(ctx, GL_INVALID_ENUM, "shader type 0x%04x", type);
        return 0;
    }
    struct es_shader *shader = calloc(1, sizeof *shader);
    GLuint name = shader_base_init(ctx, shader ? &shader->base : NULL, ES_KIND_SHADER);
    if (!name) {
        free(shader);
        return 0;
    }
    shader->type = type;
    return name;
}

GLuint es_create_program(struct es_context *ctx) {
    struct es_program *program = calloc(1, sizeof *program);
    GLuint name = shader_base_init(ctx, program ? &program->base : NULL, ES_KIND_PROGRAM);
    if (!name) {
        free(program);
    }
    return name;
}

static void shader_base_delete(struct es_context *ctx, struct es_shader_base *base) {
    if (base && !base->deleted) {
        base->deleted = true;
        es_shader_base_unref(ctx->share, base);
    }
}

void es_delete_shader(struct es_context *ctx, GLuint name) {
    if (name) {
        shader_base_delete(ctx, shader_base_find(ctx, name, ES_KIND_SHADER));
    }
}

void es_delete_program(struct es_context *ctx, GLuint name) {
    if (name) {
        shader_base_delete(ctx, shader_base_find(ctx, name, ES_KIND_PROGRAM));
    }
}

static GLboolean shader_base_is(struct es_context *ctx, GLuint name, unsigned kind) {
    const struct es_shader_base *base = es_names_find(&ctx->share->programs, name);
    return base && base->kind == kind;
}

GLboolean es_is_shader(struct es_context *ctx, GLuint shader) {
    return shader_base_is(ctx, shader, ES_KIND_SHADER);
}

GLboolean es_is_program(struct es_context *ctx, GLuint program) {
    return shader_base_is(ctx, program, ES_KIND_PROGRAM);
}

/* ---- source and compilation ------------------------------------------------------------------ */

void es_shader_source(struct es_context *ctx, GLuint name, GLsizei count,
                      const GLchar *const *strings, const GLint *lengths) {
    struct es_shader *shader = es_shader_find(ctx, name);
    if (!shader) {
        return;
    }
    if (count < 0 || (count > 0 && !strings)) {
        es_set_error(ctx, GL_INVALID_VALUE, "%d strings", count);
        return;
    }
    struct es_shader fresh = {.source_count = (unsigned)count};
    fresh.sources = calloc((size_t)count + 1, sizeof *fresh.sources);
    fresh.source_lengths = calloc((size_t)count + 1, sizeof *fresh.source_lengths);
    bool ok = fresh.sources && fresh.source_lengths;
    for (GLsizei i = 0; ok && i < count; i++) {
        const char *text = strings[i] ? strings[i] : "";
        size_t n = !strings[i] ? 0 : lengths && lengths[i] >= 0 ? (size_t)lengths[i] : strlen(text);
        ok = n < INT32_MAX && (fresh.sources[i] = malloc(n + 1)) != NULL;
        if (ok) {
            memcpy(fresh.sources[i], text, n);
            fresh.sources[i][n] = '\0';
            fresh.source_lengths[i] = (int)n;
        }
    }
    if (!ok) {
        fresh.source_count = fresh.sources ? fresh.source_count : 0;
        shader_clear_sources(&fresh);
        es_out_of_memory(ctx);
        return;
    }
    shader_clear_sources(shader);
    shader->sources = fresh.sources;
    shader->source_lengths = fresh.source_lengths;
    shader->source_count = fresh.source_count;
}

void es_compile_shader(struct es_context *ctx, GLuint name) {
    struct es_shader *shader = es_shader_find(ctx, name);
    if (!shader) {
        return;
    }
    struct glslc_options options;
    es_glslc_options(&options);
    enum vliw_stage stage =
        shader->type == GL_VERTEX_SHADER ? VLIW_STAGE_VERTEX : VLIW_STAGE_FRAGMENT;
    glslc_shader_destroy(shader->code);
    shader->code = glslc_compile(stage, shader->source_count, (const char *const *)shader->sources,
                                 shader->source_lengths, &options);
    shader->compiled = shader->code && glslc_shader_ok(shader->code);
    if (!shader->code) {
        es_out_of_memory(ctx);
    }
    if (!shader->compiled && shader->code && es_debug_flag("shaders")) {
        fprintf(stderr, "vlgl: shader %u:\n%s\n", name, glslc_shader_log(shader->code));
    }
}

static size_t shader_source_length(const struct es_shader *shader) {
    size_t n = 0;
    for (unsigned i = 0; i < shader->source_count; i++) {
        n += (size_t)shader->source_lengths[i];
    }
    return n;
}

static const char *shader_log(const struct es_shader *shader) {
    return shader->code ? glslc_shader_log(shader->code) : "";
}

void es_get_shaderiv(struct es_context *ctx, GLuint name, GLenum pname, GLint *params) {
    const struct es_shader *shader = es_shader_find(ctx, name);
    if (!shader) {
        return;
    }
    size_t n;
    switch (pname) {
    case GL_SHADER_TYPE: *params = (GLint)shader->type; break;
    case GL_DELETE_STATUS: *params = shader->base.deleted; break;
    case GL_COMPILE_STATUS: *params = shader->compiled; break;
    case GL_INFO_LOG_LENGTH:
        n = strlen(shader_log(shader));
        *params = n ? (GLint)n + 1 : 0;
        break;
    case GL_SHADER_SOURCE_LENGTH:
        n = shader_source_length(shader);
        *params = n ? (GLint)n + 1 : 0;
        break;
    default: es_set_error(ctx, GL_INVALID_ENUM, "parameter 0x%04x", pname);
    }
}

void es_get_shader_info_log(struct es_context *ctx, GLuint name, GLsizei bufSize, GLsizei *length,
                            GLchar *infoLog) {
    const struct es_shader *shader = es_shader_find(ctx, name);
    if (!shader) {
        return;
    }
    if (bufSize < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "buffer size %d", bufSize);
        return;
    }
    es_copy_string(shader_log(shader), bufSize, length, infoLog);
}

void es_get_shader_source(struct es_context *ctx, GLuint name, GLsizei bufSize, GLsizei *length,
                          GLchar *source) {
    const struct es_shader *shader = es_shader_find(ctx, name);
    if (!shader) {
        return;
    }
    if (bufSize < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "buffer size %d", bufSize);
        return;
    }
    size_t used = 0;
    size_t room = bufSize > 0 && source ? (size_t)bufSize - 1 : 0;
    for (unsigned i = 0; i < shader->source_count; i++) {
        size_t n = (size_t)shader->source_lengths[i];
        n = n < room - used ? n : room - used;
        if (n) {
            memcpy(source + used, shader->sources[i], n);
        }
        used += n;
    }
    if (bufSize > 0 && source) {
        source[used] = '\0';
    }
    if (length) {
        *length = (GLsizei)used;
    }
}

/* ---- other ----------------------------------------------------------------------------------- */

void es_shader_binary(struct es_context *ctx, GLsizei count, const GLuint *shaders, GLenum format,
                      const void *binary, GLsizei length) {
    (void)shaders;
    (void)binary;
    if (count < 0 || length < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "negative count or length");
    } else {
        es_set_error(ctx, GL_INVALID_ENUM,
                     "binary format 0x%04x: there are no shader binary formats", format);
    }
}

void es_release_shader_compiler(struct es_context *ctx) {
    (void)ctx; /* the compiler keeps nothing between compiles */
}

/* highp and mediump are binary32 with integers to 2^24, lowp as well: the VM has one precision. */
void es_get_shader_precision_format(struct es_context *ctx, GLenum shadertype, GLenum precisiontype,
                                    GLint *range, GLint *precision) {
    if (shadertype != GL_VERTEX_SHADER && shadertype != GL_FRAGMENT_SHADER) {
        es_set_error(ctx, GL_INVALID_ENUM, "shader type 0x%04x", shadertype);
        return;
    }
    switch (precisiontype) {
    case GL_LOW_FLOAT:
    case GL_MEDIUM_FLOAT:
    case GL_HIGH_FLOAT:
        range[0] = range[1] = 127;
        *precision = 23;
        break;
    case GL_LOW_INT:
    case GL_MEDIUM_INT:
    case GL_HIGH_INT:
        range[0] = range[1] = 24;
        *precision = 0;
        break;
    default: es_set_error(ctx, GL_INVALID_ENUM, "precision type 0x%04x", precisiontype);
    }
}
