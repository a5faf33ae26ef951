/* SPDX-License-Identifier: MIT */
/*
 * vlgl info: strings, extensions and limits of the EGL and GL libraries in use. With
 * vlgl's own library the renderer string names the SIMD backend and the threads.
 */
#include <string.h>

#include "cli.h"

static const struct {
    const char *name;
    GLenum what;
    int count;
} limits[] = {
    {"texture size", GL_MAX_TEXTURE_SIZE, 1},
    {"cube map size", GL_MAX_CUBE_MAP_TEXTURE_SIZE, 1},
    {"renderbuffer size", GL_MAX_RENDERBUFFER_SIZE, 1},
    {"viewport", GL_MAX_VIEWPORT_DIMS, 2},
    {"vertex attributes", GL_MAX_VERTEX_ATTRIBS, 1},
    {"varying vectors", GL_MAX_VARYING_VECTORS, 1},
    {"vertex uniforms", GL_MAX_VERTEX_UNIFORM_VECTORS, 1},
    {"fragment uniforms", GL_MAX_FRAGMENT_UNIFORM_VECTORS, 1},
    {"vertex textures", GL_MAX_VERTEX_TEXTURE_IMAGE_UNITS, 1},
    {"fragment textures", GL_MAX_TEXTURE_IMAGE_UNITS, 1},
    {"textures together", GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, 1},
    {"subpixel bits", GL_SUBPIXEL_BITS, 1},
};

/* A label, then the words of a list, wrapped and indented. */
static void print_list(const char *label, const char *list) {
    const size_t wide = 96;
    size_t column = (size_t)printf("%-18s", label);
    const size_t indent = column;
    if (list == NULL || list[0] == '\0') {
        list = "(none)";
    }
    while (*list != '\0') {
        size_t length = strcspn(list, " ");
        if (column + 1 + length > wide && column > indent) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        }
        if (length > 0) {
            column += (size_t)printf(" %.*s", (int)length, list);
        }
        list += length + (list[length] == ' ');
    }
    putchar('\n');
}

static void print_string(const char *label, const char *value) {
    printf("%-18s %s\n", label, value != NULL ? value : "(none)");
}

static void print_limits(void) {
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        GLint value[2] = {0, 0};
        glGetIntegerv(limits[i].what, value);
        if (limits[i].count == 2) {
            printf("%-18s %d x %d\n", limits[i].name, value[0], value[1]);
        } else {
            printf("%-18s %d\n", limits[i].name, value[0]);
        }
    }
    GLfloat range[2] = {0.0f, 0.0f};
    glGetFloatv(GL_ALIASED_POINT_SIZE_RANGE, range);
    printf("%-18s %g to %g\n", "point size", (double)range[0], (double)range[1]);
    glGetFloatv(GL_ALIASED_LINE_WIDTH_RANGE, range);
    printf("%-18s %g to %g\n", "line width", (double)range[0], (double)range[1]);
}

int cmd_info(int argc, char **argv) {
    if (argc > 1) {
        bool help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
        if (help) {
            fputs("usage: vlgl info\n\nWhat the EGL and GL libraries in use say about themselves; another one:\n"
                  "LD_LIBRARY_PATH=DIR vlgl info\n", stdout);
            return CLI_OK;
        }
        app_error("info takes no argument, got '%s'", argv[1]);
        return CLI_USAGE;
    }
    struct app app;
    memset(&app, 0, sizeof app);
    app.name = "info";
    if (!app_open(&app, 16, 16)) {
        return CLI_FAILED;
    }
    print_string("EGL vendor", eglQueryString(app.display, EGL_VENDOR));
    print_string("EGL version", eglQueryString(app.display, EGL_VERSION));
    print_string("EGL client APIs", eglQueryString(app.display, EGL_CLIENT_APIS));
    print_list("EGL client ext.", eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS));
    print_list("EGL extensions", eglQueryString(app.display, EGL_EXTENSIONS));
    print_string("GL vendor", (const char *)glGetString(GL_VENDOR));
    print_string("GL renderer", (const char *)glGetString(GL_RENDERER));
    print_string("GL version", (const char *)glGetString(GL_VERSION));
    print_string("GLSL version", (const char *)glGetString(GL_SHADING_LANGUAGE_VERSION));
    print_list("GL extensions", (const char *)glGetString(GL_EXTENSIONS));
    print_limits();
    app_close(&app);
    return CLI_OK;
}
