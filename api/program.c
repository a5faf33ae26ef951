/* SPDX-License-Identifier: MIT */
/*
 * Program objects: attachment, linking, validation, use, queries. A link makes a new executable
 * (exec.c); a failed relink of a program in use leaves the old one in use until it is replaced
 * (ES 2.0.25 2.10.3).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/entry.h"
#include "api/state.h"

static char *program_strdup(const char *text) {
    size_t n = strlen(text) + 1;
    char *copy = malloc(n);
    if (copy) {
        memcpy(copy, text, n);
    }
    return copy;
}

static void program_set_log(struct es_program *program, const char *text) {
    free(program->log);
    program->log = text && *text ? program_strdup(text) : NULL;
}

/* ---- attachment ------------------------------------------------------------------------------ */

void es_attach_shader(struct es_context *ctx, GLuint program_name, GLuint shader_name) {
    struct es_program *program = es_program_find(ctx, program_name);
    struct es_shader *shader = program ? es_shader_find(ctx, shader_name) : NULL;
    if (!shader) {
        return;
    }
    struct es_shader **slot = &program->shaders[shader->type == GL_FRAGMENT_SHADER];
    if (*slot) {
        es_set_error(ctx, GL_INVALID_OPERATION, "program %u has a shader of this type",
                     program_name);
        return;
    }
    shader->base.refs++;
    *slot = shader;
}

void es_detach_shader(struct es_context *ctx, GLuint program_name, GLuint shader_name) {
    struct es_program *program = es_program_find(ctx, program_name);
    struct es_shader *shader = program ? es_shader_find(ctx, shader_name) : NULL;
    if (!shader) {
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        if (program->shaders[i] == shader) {
            program->shaders[i] = NULL;
            es_shader_base_unref(ctx->share, &shader->base);
            return;
        }
    }
    es_set_error(ctx, GL_INVALID_OPERATION, "shader %u is not attached to program %u", shader_name,
                 program_name);
}

void es_get_attached_shaders(struct es_context *ctx, GLuint name, GLsizei maxCount, GLsizei *count,
                             GLuint *shaders) {
    const struct es_program *program = es_program_find(ctx, name);
    if (!program) {
        return;
    }
    if (maxCount < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "count %d", maxCount);
        return;
    }
    GLsizei n = 0;
    for (unsigned i = 0; i < 2; i++) {
        if (program->shaders[i] && n < maxCount && shaders) {
            shaders[n++] = program->shaders[i]->base.name;
        }
    }
    if (count) {
        *count = n;
    }
}

void es_bind_attrib_location(struct es_context *ctx, GLuint program_name, GLuint index,
                             const GLchar *name) {
    struct es_program *program = es_program_find(ctx, program_name);
    if (!program) {
        return;
    }
    if (index >= ES_MAX_ATTRIBS) {
        es_set_error(ctx, GL_INVALID_VALUE, "attribute %u", index);
        return;
    }
    if (strncmp(name, "gl_", 3) == 0) {
        es_set_error(ctx, GL_INVALID_OPERATION, "'%.60s' is reserved", name);
        return;
    }
    for (unsigned i = 0; i < program->binding_count; i++) {
        if (strcmp(program->bindings[i].name, name) == 0) {
            program->bindings[i].location = index;
            return;
        }
    }
    char *copy = program_strdup(name);
    struct es_attrib_binding *grown =
        copy ? realloc(program->bindings, (program->binding_count + 1u) * sizeof *grown) : NULL;
    if (!grown) {
        free(copy);
        es_out_of_memory(ctx);
        return;
    }
    grown[program->binding_count++] = (struct es_attrib_binding){copy, index};
    program->bindings = grown;
}

/* ---- linking --------------------------------------------------------------------------------- */

/* The outcome of a link or a loaded binary: exec is NULL on failure. */
static void program_set_exec(struct es_context *ctx, struct es_program *program,
                             struct es_exec *exec) {
    program->linked = exec != NULL;
    program->validated = false;
    if (exec || !program->users) {
        es_exec_unref(program->exec);
        program->exec = exec;
    }
    ctx->share->program_version++;
}

static struct glslc_program *program_compile(struct es_program *program) {
    struct glslc_options options;
    es_glslc_options(&options);
    struct glslc_binding *bindings = calloc(program->binding_count + 1u, sizeof *bindings);
    if (!bindings) {
        return NULL;
    }
    for (unsigned i = 0; i < program->binding_count; i++) {
        bindings[i] =
            (struct glslc_binding){program->bindings[i].name, program->bindings[i].location};
    }
    char name[64];
    snprintf(name, sizeof name, "program %u", program->base.name);
    struct glslc_program *linked = glslc_link(
        program->shaders[0]->code, program->shaders[1]->code, bindings, program->binding_count,
        program->base.label ? program->base.label : name, &options);
    free(bindings);
    return linked;
}

void es_link_program(struct es_context *ctx, GLuint name) {
    struct es_program *program = es_program_find(ctx, name);
    if (!program) {
        return;
    }
    static const char *const stage_names[2] = {"vertex", "fragment"};
    program_set_log(program, NULL);
    for (unsigned i = 0; i < 2; i++) {
        if (!program->shaders[i] || !program->shaders[i]->compiled) {
            char text[100];
            snprintf(text, sizeof text, "error: %s %s shader",
                     program->shaders[i] ? "not compiled:" : "no", stage_names[i]);
            program_set_log(program, text);
            program_set_exec(ctx, program, NULL);
            return;
        }
    }
    struct glslc_program *linked = program_compile(program);
    struct es_exec *exec = NULL;
    if (!linked) {
        es_out_of_memory(ctx);
    } else {
        program_set_log(program, glslc_program_log(linked));
        if (glslc_program_ok(linked)) {
            char *message;
            exec = es_exec_create(linked, &message);
            if (message) {
                program_set_log(program, message);
                free(message);
            } else if (!exec) {
                es_out_of_memory(ctx);
            }
        } else {
            if (es_debug_flag("shaders")) {
                fprintf(stderr, "vlgl: program %u:\n%s\n", name, glslc_program_log(linked));
            }
            glslc_program_destroy(linked);
        }
    }
    program_set_exec(ctx, program, exec);
    es_report_link(ctx, program);
}

void es_program_use(struct es_context *ctx, struct es_program *program) {
    struct es_program *old = ctx->program;
    if (old == program) {
        return;
    }
    if (program) {
        program->base.refs++;
        program->users++;
    }
    ctx->program = program;
    ctx->dirty |= ES_DIRTY_PROGRAM;
    if (old) {
        if (--old->users == 0 && !old->linked) {
            es_exec_unref(old->exec);
            old->exec = NULL;
        }
        es_shader_base_unref(ctx->share, &old->base);
    }
}

void es_use_program(struct es_context *ctx, GLuint name) {
    struct es_program *program = NULL;
    if (name) {
        program = es_program_find(ctx, name);
        if (!program) {
            return;
        }
        if (!program->linked) {
            es_set_error(ctx, GL_INVALID_OPERATION, "program %u is not linked", name);
            return;
        }
    }
    es_program_use(ctx, program);
}

void es_validate_program(struct es_context *ctx, GLuint name) {
    struct es_program *program = es_program_find(ctx, name);
    if (!program) {
        return;
    }
    program->validated = program->linked && !program->exec->sampler_conflict;
    program_set_log(program, program->validated ? NULL
                             : program->linked
                                 ? "error: samplers of different types use one texture unit"
                                 : "error: the program is not linked");
}

/* ---- queries --------------------------------------------------------------------------------- */

static size_t program_binary_length(const struct es_program *program) {
    size_t size = 0;
    if (program->linked) {
        void *bytes = glslc_program_save(program->exec->linked, &size);
        size = bytes ? size : 0;
        vliw_free(bytes);
    }
    return size;
}

static GLint program_longest_name(const struct es_program *program, bool uniforms) {
    size_t longest = 0;
    unsigned count = !program->linked ? 0
                     : uniforms       ? program->exec->uniform_count
                                      : program->exec->attrib_count;
    for (unsigned i = 0; i < count; i++) {
        size_t n = strlen(uniforms ? program->exec->uniforms[i].info.name
                                   : program->exec->attribs[i].name) +
                   1;
        longest = n > longest ? n : longest;
    }
    return (GLint)longest;
}

void es_get_programiv(struct es_context *ctx, GLuint name, GLenum pname, GLint *params) {
    const struct es_program *program = es_program_find(ctx, name);
    if (!program) {
        return;
    }
    switch (pname) {
    case GL_DELETE_STATUS: *params = program->base.deleted; break;
    case GL_LINK_STATUS: *params = program->linked; break;
    case GL_VALIDATE_STATUS: *params = program->validated; break;
    case GL_INFO_LOG_LENGTH: *params = program->log ? (GLint)strlen(program->log) + 1 : 0; break;
    case GL_ATTACHED_SHADERS:
        *params = (program->shaders[0] != NULL) + (program->shaders[1] != NULL);
        break;
    case GL_ACTIVE_ATTRIBUTES:
        *params = program->linked ? (GLint)program->exec->attrib_count : 0;
        break;
    case GL_ACTIVE_ATTRIBUTE_MAX_LENGTH: *params = program_longest_name(program, false); break;
    case GL_ACTIVE_UNIFORMS:
        *params = program->linked ? (GLint)program->exec->uniform_count : 0;
        break;
    case GL_ACTIVE_UNIFORM_MAX_LENGTH: *params = program_longest_name(program, true); break;
    case GL_PROGRAM_BINARY_LENGTH_OES: *params = (GLint)program_binary_length(program); break;
    default: es_set_error(ctx, GL_INVALID_ENUM, "parameter 0x%04x", pname);
    }
}

void es_get_program_info_log(struct es_context *ctx, GLuint name, GLsizei bufSize, GLsizei *length,
                             GLchar *infoLog) {
    const struct es_program *program = es_program_find(ctx, name);
    if (!program) {
        return;
    }
    if (bufSize < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "buffer size %d", bufSize);
        return;
    }
    es_copy_string(program->log, bufSize, length, infoLog);
}

static void active_error(struct es_context *ctx, const char *kind, GLuint index, GLsizei size) {
    if (size < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "buffer size %d", size);
    } else {
        es_set_error(ctx, GL_INVALID_VALUE, "there is no active %s %u", kind, index);
    }
}

void es_get_active_attrib(struct es_context *ctx, GLuint program_name, GLuint index,
                          GLsizei bufSize, GLsizei *length, GLint *size, GLenum *type,
                          GLchar *name) {
    const struct es_program *program = es_program_find(ctx, program_name);
    if (!program) {
        return;
    }
    if (bufSize < 0 || !program->linked || index >= program->exec->attrib_count) {
        active_error(ctx, "attribute", index, bufSize);
        return;
    }
    const struct glslc_attribute *a = &program->exec->attribs[index];
    es_copy_string(a->name, bufSize, length, name);
    if (size) {
        *size = 1;
    }
    if (type) {
        *type = (GLenum)a->type;
    }
}

void es_get_active_uniform(struct es_context *ctx, GLuint program_name, GLuint index,
                           GLsizei bufSize, GLsizei *length, GLint *size, GLenum *type,
                           GLchar *name) {
    const struct es_program *program = es_program_find(ctx, program_name);
    if (!program) {
        return;
    }
    if (bufSize < 0 || !program->linked || index >= program->exec->uniform_count) {
        active_error(ctx, "uniform", index, bufSize);
        return;
    }
    const struct glslc_uniform *u = &program->exec->uniforms[index].info;
    es_copy_string(u->name, bufSize, length, name);
    if (size) {
        *size = (GLint)u->array_size;
    }
    if (type) {
        *type = (GLenum)u->type;
    }
}

GLint es_get_attrib_location(struct es_context *ctx, GLuint program_name, const GLchar *name) {
    const struct es_program *program = es_program_find(ctx, program_name);
    if (!program) {
        return -1;
    }
    if (!program->linked) {
        es_set_error(ctx, GL_INVALID_OPERATION, "program %u is not linked", program_name);
        return -1;
    }
    for (unsigned i = 0; i < program->exec->attrib_count; i++) {
        if (strcmp(program->exec->attribs[i].name, name) == 0) {
            return program->exec->attribs[i].location;
        }
    }
    return -1;
}

GLint es_get_uniform_location(struct es_context *ctx, GLuint program_name, const GLchar *name) {
    const struct es_program *program = es_program_find(ctx, program_name);
    if (!program) {
        return -1;
    }
    if (!program->linked) {
        es_set_error(ctx, GL_INVALID_OPERATION, "program %u is not linked", program_name);
        return -1;
    }
    return es_exec_location(program->exec, name);
}

/* ---- binaries (OES_get_program_binary) ------------------------------------------------------- */

void es_get_program_binary(struct es_context *ctx, GLuint name, GLsizei bufSize, GLsizei *length,
                           GLenum *binaryFormat, void *binary) {
    const struct es_program *program = es_program_find(ctx, name);
    if (!program) {
        return;
    }
    if (bufSize < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "buffer size %d", bufSize);
        return;
    }
    if (!program->linked) {
        es_set_error(ctx, GL_INVALID_OPERATION, "program %u is not linked", name);
        return;
    }
    size_t size = 0;
    void *bytes = glslc_program_save(program->exec->linked, &size);
    if (!bytes) {
        es_out_of_memory(ctx);
        return;
    }
    if (size > (size_t)bufSize) {
        es_set_error(ctx, GL_INVALID_OPERATION, "buffer of %d bytes for a binary of %zu", bufSize,
                     size);
    } else {
        memcpy(binary, bytes, size);
        *binaryFormat = ES_PROGRAM_BINARY_VLGL;
        if (length) {
            *length = (GLsizei)size;
        }
    }
    vliw_free(bytes);
}

void es_program_binary(struct es_context *ctx, GLuint name, GLenum binaryFormat, const void *binary,
                       GLint length) {
    struct es_program *program = es_program_find(ctx, name);
    if (!program) {
        return;
    }
    if (binaryFormat != ES_PROGRAM_BINARY_VLGL) {
        es_set_error(ctx, GL_INVALID_ENUM, "binary format 0x%04x", binaryFormat);
        return;
    }
    if (length < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "length %d", length);
        return;
    }
    struct glslc_program *linked = NULL;
    struct vliw_error error = {0};
    struct es_exec *exec = NULL;
    char *message = NULL;
    program_set_log(program, NULL);
    if (glslc_program_load(binary, (size_t)length, &linked, &error) == VLIW_OK) {
        exec = es_exec_create(linked, &message);
        program_set_log(program, exec      ? NULL
                                 : message ? message
                                           : "error: the binary does not fit this library");
        free(message);
    } else {
        program_set_log(program,
                        error.message[0] ? error.message : "error: damaged program binary");
    }
    program_set_exec(ctx, program, exec);
}
