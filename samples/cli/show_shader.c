/* SPDX-License-Identifier: MIT */
/*
 * A fragment-shader file, drawn over the whole picture. The shader may use gl_FragCoord
 * and these uniforms: resolution (pixels), time (seconds), mouse (0 to 1). On a
 * terminal the picture is drawn in bands of rows, so that progress can be shown; the
 * bands keep whole 2x2 quads together, hence the same pixels.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "show.h"

#define SHADER_LIMIT_BYTES ((size_t)4 << 20)
#define BAND_ROWS 64

static const char vertex_text[] =
    "attribute vec2 position;\n"
    "uniform vec2 vlgl_aspect;\n"
    "varying vec2 surfacePosition;\n"
    "void main() {\n"
    "    surfacePosition = position * vlgl_aspect;\n"
    "    gl_Position = vec4(position, 0.0, 1.0);\n"
    "}\n";

bool shader_file_load(struct shader_file *shader, const char *path, struct image_error *err) {
    size_t size = 0;
    shader->text = (char *)image_read_file(path, SHADER_LIMIT_BYTES, &size, err);
    if (shader->text == NULL) {
        return false;
    }
    const char *zero = memchr(shader->text, '\0', size);
    if (zero != NULL) {
        int line = 1;
        for (const char *p = shader->text; p < zero; p++) {
            line += *p == '\n';
        }
        snprintf(err->text, sizeof err->text, "%s:%d: a zero byte: this is no shader text", path,
                 line);
        shader_file_free(shader);
        return false;
    }
    return true;
}

void shader_file_free(struct shader_file *shader) {
    free(shader->text);
    shader->text = NULL;
}

bool shader_setting_parse(const char *text, struct shader_setting *out) {
    struct shader_setting unused;
    const char *equals = strchr(text, '=');
    out = out != NULL ? out : &unused;
    const size_t length = equals != NULL ? (size_t)(equals - text) : 0;
    if (length == 0 || length >= sizeof out->name) {
        return false;
    }
    memcpy(out->name, text, length);
    out->name[length] = '\0';
    out->count = 0;
    for (const char *at = equals + 1; out->count < 64;) {
        char number[40];
        const size_t size = strcspn(at, ",");
        if (size >= sizeof number) {
            return false;
        }
        memcpy(number, at, size);
        number[size] = '\0';
        if (!app_parse_time(number, &out->values[out->count])) {
            return false;
        }
        out->doubles[out->count++] = strtod(number, NULL);
        if (at[size] == '\0') {
            return true;
        }
        at += size + 1;
    }
    return false;
}

/* Uniforms of doubles (GL_VLGL_fp64), types and functions as in api/vlgl.h. */
typedef void (*set_doubles_fn)(int location, int count, const double *value);
typedef void (*set_double_matrix_fn)(int location, int count, unsigned char transpose, const double *value);

/* False if this is none of them, or its numbers do not fit. */
static bool set_doubles(GLenum type, GLint location, GLint elements, const struct shader_setting *setting) {
    static const struct {
        GLenum type;
        int size;
        bool is_matrix;
        const char *function;
    } rows[] = {
        {0x140A, 1, false, "glUniform1dvVLGL"},
        {0x8FFC, 2, false, "glUniform2dvVLGL"},
        {0x8FFD, 3, false, "glUniform3dvVLGL"},
        {0x8FFE, 4, false, "glUniform4dvVLGL"},
        {0x8F46, 4, true, "glUniformMatrix2dvVLGL"},
        {0x8F47, 9, true, "glUniformMatrix3dvVLGL"},
        {0x8F48, 16, true, "glUniformMatrix4dvVLGL"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const int given = setting->count / rows[i].size;
        if (rows[i].type != type || setting->count % rows[i].size != 0 || given > elements) {
            continue;
        }
        __eglMustCastToProperFunctionPointerType function = eglGetProcAddress(rows[i].function);
        if (function == NULL) {
            return false;
        }
        if (rows[i].is_matrix) {
            ((set_double_matrix_fn)function)(location, given, GL_FALSE, setting->doubles);
        } else {
            ((set_doubles_fn)function)(location, given, setting->doubles);
        }
        return true;
    }
    return false;
}

/* Gives a uniform of any type but a sampler its numbers; false, after a message, if they do not fit. */
static bool set_uniform(const struct app *app, GLuint program, const struct shader_setting *setting) {
    static const struct {
        GLenum type;
        int size;
    } shapes[] = {
        {GL_FLOAT, 1},      {GL_FLOAT_VEC2, 2}, {GL_FLOAT_VEC3, 3}, {GL_FLOAT_VEC4, 4},
        {GL_INT, 1},        {GL_INT_VEC2, 2},   {GL_INT_VEC3, 3},   {GL_INT_VEC4, 4},
        {GL_BOOL, 1},       {GL_BOOL_VEC2, 2},  {GL_BOOL_VEC3, 3},  {GL_BOOL_VEC4, 4},
        {GL_FLOAT_MAT2, 4}, {GL_FLOAT_MAT3, 9}, {GL_FLOAT_MAT4, 16},
    };
    GLint count = 0;
    const GLint location = glGetUniformLocation(program, setting->name);
    glGetProgramiv(program, GL_ACTIVE_UNIFORMS, &count);
    for (GLint i = 0; location >= 0 && i < count; i++) {
        char name[160];
        GLint elements = 0;
        GLenum type = 0;
        glGetActiveUniform(program, (GLuint)i, sizeof name, NULL, &elements, &type, name);
        const size_t length = strlen(setting->name);
        if (strncmp(name, setting->name, length) != 0 ||
            (name[length] != '\0' && strcmp(name + length, "[0]") != 0)) {
            continue;
        }
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
            const int given = setting->count / shapes[s].size;
            if (shapes[s].type != type || setting->count % shapes[s].size != 0 || given > elements) {
                continue;
            }
            GLint whole[64];
            for (int k = 0; k < setting->count; k++) {
                whole[k] = (GLint)setting->values[k];
            }
            const bool is_whole = s >= 4 && s < 12;
            switch (shapes[s].size + (is_whole ? 100 : 0)) {
            case 1: glUniform1fv(location, given, setting->values); break;
            case 2: glUniform2fv(location, given, setting->values); break;
            case 3: glUniform3fv(location, given, setting->values); break;
            case 101: glUniform1iv(location, given, whole); break;
            case 102: glUniform2iv(location, given, whole); break;
            case 103: glUniform3iv(location, given, whole); break;
            case 104: glUniform4iv(location, given, whole); break;
            case 9: glUniformMatrix3fv(location, given, GL_FALSE, setting->values); break;
            case 16: glUniformMatrix4fv(location, given, GL_FALSE, setting->values); break;
            default:
                if (type == GL_FLOAT_MAT2) {
                    glUniformMatrix2fv(location, given, GL_FALSE, setting->values);
                } else {
                    glUniform4fv(location, given, setting->values);
                }
            }
            return true;
        }
        if (set_doubles(type, location, elements, setting)) {
            return true;
        }
        app_error("%s: --set %s: %d numbers do not fit this uniform", app->name, setting->name, setting->count);
        return false;
    }
    app_error("%s: --set %s: the shader uses no uniform of this name", app->name, setting->name);
    return false;
}

static bool shader_init(struct app *app) {
    struct shader_file *shader = app->data;
    shader->program = app_program(app, vertex_text, shader->text);
    bool ok = shader->program != 0;
    glUseProgram(shader->program);
    for (size_t i = 0; ok && i < shader->setting_count; i++) {
        struct shader_setting setting;
        ok = shader_setting_parse(shader->settings[i], &setting) &&
             set_uniform(app, shader->program, &setting);
    }
    return ok;
}

static void shader_draw(struct app *app, int frame, float time) {
    struct shader_file *shader = app->data;
    GLuint program = shader->program;
    (void)frame;
    glClearColor(0.0f, 0.0f, 0.0f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(program);
    glUniform2f(glGetUniformLocation(program, "resolution"), (float)app->width, (float)app->height);
    glUniform1f(glGetUniformLocation(program, "time"), time);
    glUniform2f(glGetUniformLocation(program, "mouse"), shader->mouse[0], shader->mouse[1]);
    glUniform2f(glGetUniformLocation(program, "vlgl_aspect"),
                0.5f * (float)app->width / (float)app->height, 0.5f);
    if (!shader->show_progress || !isatty(STDERR_FILENO)) {
        app_draw_screen();
        return;
    }
    glEnable(GL_SCISSOR_TEST);
    for (int y = 0; y < app->height; y += BAND_ROWS) {
        glScissor(0, y, app->width, BAND_ROWS);
        app_draw_screen();
        glFinish();
        int done = y + BAND_ROWS < app->height ? y + BAND_ROWS : app->height;
        fprintf(stderr, "\r%s: %3d%%", app->name, done * 100 / app->height);
    }
    glDisable(GL_SCISSOR_TEST);
    fprintf(stderr, "\r\033[K");
}

static void shader_fini(struct app *app) {
    struct shader_file *shader = app->data;
    glDeleteProgram(shader->program);
    shader->program = 0;
}

const struct sample sample_shader_file = {
    .name = "shader",
    .summary = "a fragment-shader file",
    .time = 0.0f,
    .init = shader_init,
    .draw = shader_draw,
    .fini = shader_fini,
};
