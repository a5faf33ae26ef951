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

static bool shader_init(struct app *app) {
    struct shader_file *shader = app->data;
    shader->program = app_program(app, vertex_text, shader->text);
    return shader->program != 0;
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
