/* SPDX-License-Identifier: MIT */
/*
 * render LIST OUT: draws the programs of LIST with whatever EGL and GLESv2 the process finds (LD_LIBRARY_PATH)
 * and writes the pictures, for compare.py to compare two libraries. A line of LIST is "VERT FRAG". OUT gets, for
 * each, a line "N status WIDTH HEIGHT" and, when the status is "ok", the RGBA bytes of the picture. All state is a
 * function of names, so both libraries get the same: uniforms and attributes by a hash of their names, textures by
 * formula. "render LIST OUT N" begins with line N and appends (after a crash).
 */
#define GL_GLEXT_PROTOTYPES 1
#include <EGL/egl.h>
#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/read_file.h"

enum { SIZE = 48, GRID = 4, TEXTURE = 16 };

/* 0..1 from a name and a number. */
static float hashed(const char *name, unsigned number) {
    uint32_t h = 2166136261u + number * 0x9E3779B9u;
    for (; *name; name++) {
        h = (h ^ (uint8_t)*name) * 16777619u;
    }
    h ^= h >> 15;
    h *= 0x2C1B3C6Du;
    h ^= h >> 12;
    return (float)(h >> 8 & 0xFFFF) / 65536.0f;
}

static bool make_context(void) {
    static const EGLint config_attributes[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT,
                                               EGL_RED_SIZE, 8, EGL_GREEN_SIZE, 8, EGL_BLUE_SIZE, 8, EGL_ALPHA_SIZE, 8,
                                               EGL_DEPTH_SIZE, 24, EGL_NONE};
    static const EGLint surface_attributes[] = {EGL_WIDTH, SIZE, EGL_HEIGHT, SIZE, EGL_NONE};
    static const EGLint context_attributes[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    EGLConfig config;
    EGLint count = 0;
    if (!eglInitialize(display, NULL, NULL) || !eglChooseConfig(display, config_attributes, &config, 1, &count) || count < 1) {
        return false;
    }
    EGLSurface surface = eglCreatePbufferSurface(display, config, surface_attributes);
    eglBindAPI(EGL_OPENGL_ES_API);
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_attributes);
    return eglMakeCurrent(display, surface, surface, context);
}

/* Soft pictures: neighbouring texels differ little, so that a last bit of a coordinate moves no colour far. */
static void fill_texture(uint8_t *texels, unsigned seed) {
    for (unsigned y = 0; y < TEXTURE; y++) {
        for (unsigned x = 0; x < TEXTURE; x++) {
            unsigned fx = x < TEXTURE / 2 ? x : TEXTURE - 1 - x, fy = y < TEXTURE / 2 ? y : TEXTURE - 1 - y;
            uint8_t *t = texels + 4 * (y * TEXTURE + x);
            t[0] = (uint8_t)(40 + 20 * fx + 10 * seed);
            t[1] = (uint8_t)(60 + 16 * fy);
            t[2] = (uint8_t)(90 + 8 * (fx + fy));
            t[3] = (uint8_t)(200 + 3 * fx);
        }
    }
}

static void make_textures(void) {
    static uint8_t texels[4 * TEXTURE * TEXTURE];
    for (unsigned unit = 0; unit < 16; unit++) {
        GLuint names[2];
        glActiveTexture(GL_TEXTURE0 + unit);
        glGenTextures(2, names);
        fill_texture(texels, unit % 5);
        glBindTexture(GL_TEXTURE_2D, names[0]);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, TEXTURE, TEXTURE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
        glBindTexture(GL_TEXTURE_CUBE_MAP, names[1]);
        for (unsigned face = 0; face < 6; face++) {
            glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA, TEXTURE, TEXTURE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
        }
        glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    }
}

static GLuint compile(GLenum stage, const char *path) {
    char *text = read_file(path);
    const char *string = text ? text : "";
    GLint ok = 0;
    GLuint shader = glCreateShader(stage);
    glShaderSource(shader, 1, &string, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    free(text);
    return ok ? shader : 0;
}

static void set_matrix(GLint location, const char *name, int n, unsigned element) {
    float m[16];
    for (int c = 0; c < n; c++) {
        for (int r = 0; r < n; r++) {
            float off = 0.1f * hashed(name, element * 16 + (unsigned)(c * 4 + r)) - 0.05f;
            m[c * n + r] = c == r ? 1.0f : n == 4 && r == 3 ? 0.0f : off;
        }
    }
    if (n == 2) {
        glUniformMatrix2fv(location, 1, GL_FALSE, m);
    } else if (n == 3) {
        glUniformMatrix3fv(location, 1, GL_FALSE, m);
    } else {
        glUniformMatrix4fv(location, 1, GL_FALSE, m);
    }
}

static void set_uniform(GLint location, GLenum type, const char *name, unsigned element, int *unit) {
    float f[4];
    GLint i[4];
    for (unsigned c = 0; c < 4; c++) {
        f[c] = 0.1f + 0.9f * hashed(name, element * 4 + c);
        i[c] = 1 + (GLint)(hashed(name, element * 4 + c) * 3.0f);
    }
    switch (type) {
    case GL_FLOAT: glUniform1fv(location, 1, f); break;
    case GL_FLOAT_VEC2: glUniform2fv(location, 1, f); break;
    case GL_FLOAT_VEC3: glUniform3fv(location, 1, f); break;
    case GL_FLOAT_VEC4: glUniform4fv(location, 1, f); break;
    case GL_INT: case GL_BOOL: glUniform1iv(location, 1, i); break;
    case GL_INT_VEC2: case GL_BOOL_VEC2: glUniform2iv(location, 1, i); break;
    case GL_INT_VEC3: case GL_BOOL_VEC3: glUniform3iv(location, 1, i); break;
    case GL_INT_VEC4: case GL_BOOL_VEC4: glUniform4iv(location, 1, i); break;
    case GL_FLOAT_MAT2: set_matrix(location, name, 2, element); break;
    case GL_FLOAT_MAT3: set_matrix(location, name, 3, element); break;
    case GL_FLOAT_MAT4: set_matrix(location, name, 4, element); break;
    default: glUniform1i(location, (*unit)++ % 16); break; /* samplers */
    }
}

static int by_text(const void *a, const void *b) { return strcmp((const char *)a, (const char *)b); }

/* All active uniforms, in the order of their names (libraries list them in different orders). */
static void set_uniforms(GLuint program) {
    enum { NAME = 256 };
    GLint count = 0;
    int unit = 0;
    glGetProgramiv(program, GL_ACTIVE_UNIFORMS, &count);
    char(*names)[NAME] = calloc((size_t)count + 1, NAME);
    for (GLint k = 0; names && k < count; k++) {
        GLint size;
        GLenum type;
        glGetActiveUniform(program, (GLuint)k, NAME - 24, NULL, &size, &type, names[k]);
        /* the type and the size ride behind the name */
        memcpy(names[k] + NAME - 8, &size, 4);
        memcpy(names[k] + NAME - 4, &type, 4);
    }
    if (names && count > 0) {
        qsort(names, (size_t)count, NAME, by_text);
    }
    for (GLint k = 0; names && k < count; k++) {
        GLint size;
        GLenum type;
        memcpy(&size, names[k] + NAME - 8, 4);
        memcpy(&type, names[k] + NAME - 4, 4);
        char *bracket = strstr(names[k], "[0]");
        bool is_array = bracket && bracket[3] == '\0';
        if (is_array) {
            *bracket = '\0';
        }
        /* element by element, because libraries may report different sizes of partly used arrays */
        for (unsigned e = 0; e < 256 && (is_array ? true : e == 0); e++) {
            char element[NAME + 16];
            snprintf(element, sizeof element, is_array ? "%s[%u]" : "%s", names[k], e);
            GLint location = glGetUniformLocation(program, element);
            if (location < 0) {
                break;
            }
            set_uniform(location, type, names[k], e, &unit);
        }
    }
    free(names);
}

/* A grid over the target; other attributes than the position are smooth functions of x and y. */
static void set_attributes(GLuint program, float *data) {
    GLint count = 0;
    glGetProgramiv(program, GL_ACTIVE_ATTRIBUTES, &count);
    for (GLint k = 0; k < count; k++) {
        char name[256];
        GLint size;
        GLenum type;
        glGetActiveAttrib(program, (GLuint)k, sizeof name, NULL, &size, &type, name);
        GLint location = glGetAttribLocation(program, name);
        if (location < 0) {
            continue;
        }
        int columns = type == GL_FLOAT_MAT4 ? 4 : type == GL_FLOAT_MAT3 ? 3 : type == GL_FLOAT_MAT2 ? 2 : 1;
        bool is_position = strstr(name, "osition") || strstr(name, "a_pos") || strstr(name, "ertex") == name + 2 ||
                           strcmp(name, "aPos") == 0;
        for (int c = 0; c < columns; c++) {
            float *array = data + (location + c) * 4 * (GRID + 1) * (GRID + 1);
            for (int y = 0, n = 0; y <= GRID; y++) {
                for (int x = 0; x <= GRID; x++, n++) {
                    float u = (float)x / GRID, v = (float)y / GRID;
                    float *a = array + 4 * n;
                    for (unsigned i = 0; i < 4; i++) {
                        a[i] = 0.5f * hashed(name, i + 4u * (unsigned)c) + 0.5f * u * hashed(name, 16 + i) + 0.5f * v * hashed(name, 32 + i);
                    }
                    if (is_position) {
                        a[0] = 2.0f * u - 1.0f, a[1] = 2.0f * v - 1.0f, a[2] = 0.2f * u + 0.1f * v, a[3] = 1.0f;
                    }
                }
            }
            glEnableVertexAttribArray((GLuint)(location + c));
            glVertexAttribPointer((GLuint)(location + c), 4, GL_FLOAT, GL_FALSE, 0, array);
        }
    }
}

static const char *draw(const char *vertex_path, const char *fragment_path, uint8_t *pixels) {
    static float data[16 * 4 * (GRID + 1) * (GRID + 1)];
    GLushort indices[GRID * GRID * 6];
    GLuint v = compile(GL_VERTEX_SHADER, vertex_path), f = compile(GL_FRAGMENT_SHADER, fragment_path);
    const char *status = "ok";
    GLuint program = glCreateProgram();
    GLint linked = 0;
    if (!v || !f) {
        status = v ? "fragment" : "vertex";
    } else {
        glAttachShader(program, v);
        glAttachShader(program, f);
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &linked);
        status = linked ? status : "link";
    }
    if (linked) {
        for (GLuint i = 0; i < 16; i++) {
            glDisableVertexAttribArray(i);
        }
        glUseProgram(program);
        set_uniforms(program);
        set_attributes(program, data);
        for (int y = 0, n = 0; y < GRID; y++) {
            for (int x = 0; x < GRID; x++, n += 6) {
                GLushort a = (GLushort)(y * (GRID + 1) + x), b = (GLushort)(a + 1), c = (GLushort)(a + GRID + 1), d = (GLushort)(c + 1);
                const GLushort corners[6] = {a, b, c, c, b, d};
                memcpy(indices + n, corners, sizeof corners);
            }
        }
        glClearColor(0.25f, 0.5f, 0.75f, 1.0f);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        glDrawElements(GL_TRIANGLES, GRID * GRID * 6, GL_UNSIGNED_SHORT, indices);
        glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    }
    glUseProgram(0);
    glDeleteProgram(program);
    glDeleteShader(v);
    glDeleteShader(f);
    while (glGetError() != GL_NO_ERROR) {
        status = linked ? "error" : status;
    }
    return status;
}

int main(int argc, char **argv) {
    static char line[8192], vertex_path[4096], fragment_path[4096];
    static uint8_t pixels[4 * SIZE * SIZE];
    int first = argc > 3 ? atoi(argv[3]) : 0;
    FILE *list = argc > 2 ? fopen(argv[1], "r") : NULL, *out = argc > 2 ? fopen(argv[2], first ? "ab" : "wb") : NULL;
    if (!list || !out || !make_context()) {
        fprintf(stderr, "usage: render LIST OUT [FIRST]; LIST must be there, and an EGL\n");
        return 2;
    }
    fprintf(stderr, "%s\n", (const char *)glGetString(GL_RENDERER));
    make_textures();
    glViewport(0, 0, SIZE, SIZE);
    for (int n = 0; fgets(line, sizeof line, list); n++) {
        if (n < first || sscanf(line, "%4095s %4095s", vertex_path, fragment_path) != 2) {
            continue;
        }
        memset(pixels, 0, sizeof pixels);
        const char *status = draw(vertex_path, fragment_path, pixels);
        fprintf(out, "%d %s %d %d\n", n, status, SIZE, SIZE);
        if (strcmp(status, "ok") == 0) {
            fwrite(pixels, 1, sizeof pixels, out);
        }
        fflush(out);
    }
    fclose(out);
    fclose(list);
    return 0;
}
