/* SPDX-License-Identifier: MIT */
/* Reads, compiles, assembles, verifies and writes files of code, with the messages for people. */
#include "code_file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../common/app.h"

#define CODE_FILE_LIMIT_BYTES ((size_t)16 << 20)

bool code_stage_of(const char *path, const char *stage, enum vliw_stage *out) {
    static const struct {
        const char *extension;
        enum vliw_stage stage;
    } rows[] = {
        {"vert", VLIW_STAGE_VERTEX},   {"vs", VLIW_STAGE_VERTEX},     {"frag", VLIW_STAGE_FRAGMENT},
        {"fs", VLIW_STAGE_FRAGMENT},   {"glsl", VLIW_STAGE_FRAGMENT},
    };
    if (stage != NULL) {
        *out = strcmp(stage, "vertex") == 0 ? VLIW_STAGE_VERTEX : VLIW_STAGE_FRAGMENT;
        return strcmp(stage, "vertex") == 0 || strcmp(stage, "fragment") == 0;
    }
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof rows / sizeof rows[0]; i++) {
        if (strcasecmp(dot + 1, rows[i].extension) == 0) {
            *out = rows[i].stage;
            return true;
        }
    }
    return false;
}

void code_options(struct glslc_options *options) {
    glslc_options_init(options);
    options->extensions = GLSLC_EXT_ALL;
    options->max_draw_buffers = 4;
}

/*
 * Prints a log, the file's name in place of the string number "0" that positions begin with.
 * Control characters, which shader text may smuggle in, become "?".
 */
static void print_log(const char *path, const char *log) {
    bool at_start = true;
    for (; *log != '\0'; log++) {
        unsigned char c = (unsigned char)*log;
        if (at_start && c == '0' && log[1] == ':' && isdigit((unsigned char)log[2])) {
            fputs(path, stderr);
        } else if (c == '\n' || c == '\t' || (c >= 0x20 && c != 0x7f)) {
            putc(c, stderr);
        } else {
            putc('?', stderr);
        }
        at_start = c == '\n';
    }
}

/* "FILE:LINE:COLUMN: message", as far as the error has a place. */
static void report(const char *path, const struct vliw_error *error) {
    char place[64] = "";
    const char *message = error->message[0] != '\0' ? error->message
                                                    : vliw_status_text(error->status);
    if (error->line > 0 && error->column > 0) {
        /* The assembler's messages begin with the same place in words. */
        const char *colon = strchr(message, ':');
        if (strncmp(message, "line ", 5) == 0 && colon != NULL && colon[1] == ' ') {
            message = colon + 2;
        }
        snprintf(place, sizeof place, "%d:%d:", (int)error->line, (int)error->column);
    } else if (error->line > 0) {
        snprintf(place, sizeof place, "%d:", (int)error->line);
    } else if (error->word >= 0) {
        snprintf(place, sizeof place, " word %d:", (int)error->word);
    }
    app_error("%s:%s %s", path, place, message);
}

static char *read_text(const char *path, size_t *size) {
    struct image_error err;
    char *text = (char *)image_read_file(path, CODE_FILE_LIMIT_BYTES, size, &err);
    if (text == NULL) {
        app_error("%s", err.text);
    }
    return text;
}

struct glslc_shader *code_compile(const char *path, enum vliw_stage stage) {
    size_t size = 0;
    struct glslc_options options;
    char *text = read_text(path, &size);
    if (text == NULL) {
        return NULL;
    }
    const char *const strings[1] = {text};
    const int lengths[1] = {(int)size};
    code_options(&options);
    struct glslc_shader *shader = glslc_compile(stage, 1, strings, lengths, &options);
    free(text);
    if (shader == NULL) {
        app_error("%s: out of memory", path);
        return NULL;
    }
    print_log(path, glslc_shader_log(shader));
    if (!glslc_shader_ok(shader)) {
        glslc_shader_destroy(shader);
        return NULL;
    }
    return shader;
}

struct vliw_image *code_generate(const char *path, const struct glslc_shader *shader) {
    struct glslc_options options;
    struct vliw_error error;
    code_options(&options);
    struct vliw_image *image = glslc_shader_image(shader, &options, &error);
    if (image == NULL) {
        report(path, &error);
    }
    return image;
}

struct vliw_image *code_assemble(const char *path) {
    size_t size = 0;
    struct vliw_error error;
    struct vliw_image *image = NULL;
    char *text = read_text(path, &size);
    if (text != NULL && vliw_assemble(text, size, &image, &error) != VLIW_OK) {
        report(path, &error);
    }
    free(text);
    return image;
}

struct vliw_image *code_load(const char *path) {
    size_t size = 0;
    struct vliw_error error;
    struct vliw_image *image = NULL;
    char *bytes = read_text(path, &size);
    if (bytes != NULL && vliw_image_load(bytes, size, &image, &error) != VLIW_OK) {
        report(path, &error);
    }
    free(bytes);
    return image;
}

struct vliw_image *code_open(const char *path, const char *stage) {
    const char *dot = strrchr(path, '.');
    enum vliw_stage kind;
    if (dot != NULL && strcmp(dot, ".s") == 0) {
        return code_assemble(path);
    }
    if (stage == NULL && !code_stage_of(path, NULL, &kind)) {
        return code_load(path);
    }
    if (!code_stage_of(path, stage, &kind)) {
        app_error("%s: the stage is vertex or fragment, not '%s'", path, stage);
        return NULL;
    }
    struct glslc_shader *shader = code_compile(path, kind);
    struct vliw_image *image = shader != NULL ? code_generate(path, shader) : NULL;
    glslc_shader_destroy(shader);
    return image;
}

bool code_verify(const char *path, const struct vliw_image *image) {
    struct vliw_program *program = NULL;
    struct vliw_error error;
    if (vliw_program_create(image, &program, &error) != VLIW_OK) {
        report(path, &error);
        return false;
    }
    vliw_program_destroy(program);
    return true;
}

bool code_write(const char *path, const struct vliw_image *image) {
    size_t size = 0;
    struct image_error err;
    void *bytes = vliw_image_save(image, &size);
    bool ok = bytes != NULL;
    if (!ok) {
        app_error("%s: out of memory", path);
    } else if (!image_write_file(path, bytes, size, &err)) {
        app_error("%s", err.text);
        ok = false;
    }
    vliw_free(bytes);
    return ok;
}
