/* SPDX-License-Identifier: MIT */
/*
 * Small GL helpers of the samples: programs with readable errors, textures from
 * pictures, render targets, a triangle over the whole screen.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "mesh.h"

/*
 * Prints a compiler's log with the file's name in front of each position: logs say
 * "0:12" for line 12 of string 0, and one string is all that is ever given.
 */
static void print_log(const char *name, const char *log) {
    while (*log != '\0') {
        size_t length = strcspn(log, "\n");
        const char *place = NULL;
        for (size_t i = 0; place == NULL && i + 2 < length; i++) {
            if (log[i] == '0' && log[i + 1] == ':' && isdigit((unsigned char)log[i + 2]) &&
                (i == 0 || log[i - 1] == ' ')) {
                place = log + i;
            }
        }
        if (place != NULL) {
            int before = (int)(place - log);
            fprintf(stderr, "  %.*s%s%.*s\n", before, log, name, (int)length - before - 1,
                    place + 1);
        } else if (length > 0) {
            fprintf(stderr, "  %.*s\n", (int)length, log);
        }
        log += length + (log[length] == '\n');
    }
}

static GLuint compile_shader(const struct app *app, GLenum type, const char *text) {
    GLint compiled = GL_FALSE;
    GLuint shader = glCreateShader(type);
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (compiled) {
        return shader;
    }
    GLint size = 0;
    glGetShaderiv(shader, GL_INFO_LOG_LENGTH, &size);
    char *log = app_alloc((size_t)size + 1);
    glGetShaderInfoLog(shader, size + 1, NULL, log);
    app_error("%s: the %s shader does not compile:", app->name,
              type == GL_VERTEX_SHADER ? "vertex" : "fragment");
    print_log(app->name, log[0] != '\0' ? log : "(the library gave no reason)");
    free(log);
    glDeleteShader(shader);
    return 0;
}

static bool link_program(const struct app *app, GLuint program) {
    GLint linked = GL_FALSE;
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (linked) {
        return true;
    }
    GLint size = 0;
    glGetProgramiv(program, GL_INFO_LOG_LENGTH, &size);
    char *log = app_alloc((size_t)size + 1);
    glGetProgramInfoLog(program, size + 1, NULL, log);
    app_error("%s: the shaders do not link:", app->name);
    print_log(app->name, log[0] != '\0' ? log : "(the library gave no reason)");
    free(log);
    return false;
}

GLuint app_program(const struct app *app, const char *vertex_text, const char *fragment_text) {
    GLuint vertex = compile_shader(app, GL_VERTEX_SHADER, vertex_text);
    if (vertex == 0) {
        return 0;
    }
    GLuint fragment = compile_shader(app, GL_FRAGMENT_SHADER, fragment_text);
    if (fragment == 0) {
        glDeleteShader(vertex);
        return 0;
    }
    GLuint program = glCreateProgram();
    glAttachShader(program, vertex);
    glAttachShader(program, fragment);
    glBindAttribLocation(program, MESH_POSITION, "position");
    glBindAttribLocation(program, MESH_NORMAL, "normal");
    glBindAttribLocation(program, MESH_TANGENT, "tangent");
    glBindAttribLocation(program, MESH_UV, "uv");
    glBindAttribLocation(program, MESH_ATTRIBUTE_COUNT, "color");
    bool linked = link_program(app, program);
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    if (!linked) {
        glDeleteProgram(program);
        return 0;
    }
    return program;
}

struct image app_image(int width, int height) {
    struct image img;
    struct image_error err;
    if (!image_alloc(&img, width, height, &err)) {
        app_error("%s", err.text);
        exit(1);
    }
    return img;
}

GLuint app_texture(struct image *img) {
    GLuint texture = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, img->width, img->height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 img->pixels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_REPEAT);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_REPEAT);
    glGenerateMipmap(GL_TEXTURE_2D);
    image_free(img);
    return texture;
}

bool app_target_create(const struct app *app, struct app_target *target, int width, int height,
                       GLint filter) {
    target->width = width;
    target->height = height;
    glGenTextures(1, &target->texture);
    glBindTexture(GL_TEXTURE_2D, target->texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    /* Sizes that are no power of two need clamping and no mipmaps in ES 2.0. */
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glGenRenderbuffers(1, &target->depth);
    glBindRenderbuffer(GL_RENDERBUFFER, target->depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT16, width, height);
    glGenFramebuffers(1, &target->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target->texture, 0);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, target->depth);
    GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    if (status != GL_FRAMEBUFFER_COMPLETE) {
        app_error("%s: a framebuffer of %dx%d is not complete (0x%04x)", app->name, width, height,
                  status);
        return false;
    }
    return true;
}

void app_target_delete(struct app_target *target) {
    glDeleteFramebuffers(1, &target->framebuffer);
    glDeleteRenderbuffers(1, &target->depth);
    glDeleteTextures(1, &target->texture);
    memset(target, 0, sizeof *target);
}

void app_draw_screen(void) {
    static const GLfloat corners[] = {-1.0f, -1.0f, 3.0f, -1.0f, -1.0f, 3.0f};
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    for (GLuint i = 1; i < MESH_ATTRIBUTE_COUNT; i++) {
        glDisableVertexAttribArray(i);
    }
    glEnableVertexAttribArray(MESH_POSITION);
    glVertexAttribPointer(MESH_POSITION, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}
