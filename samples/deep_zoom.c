/* SPDX-License-Identifier: MIT */
/*
 * The Mandelbrot set, a window of less than a millionth of the plane's unit, twice: left in floats,
 * right in doubles (GL_VLGL_fp64). The next float after 0.7766 is a ninth of a half's width away, so
 * on the left whole blocks of pixels are one point of the plane; the offset from the centre is small
 * enough to be a float on either side. Both halves are made from one shader text.
 */
#include <string.h>

#include "common/app.h"
#include "common/smath.h"

static const char vertex_text[] =
    "attribute vec2 position;\n"
    "uniform vec2 half_size;\n"
    "varying vec2 offset;\n"
    "void main() {\n"
    "    offset = position * half_size;\n"
    "    gl_Position = vec4(position, 0.0, 1.0);\n"
    "}\n";

static const char float_text[] =
    "#define REAL float\n"
    "#define POINT vec2\n";

static const char double_text[] =
    "#extension GL_VLGL_fp64 : require\n"
    "#define REAL double\n"
    "#define POINT dvec2\n";

static const char fragment_text[] =
    "precision highp float;\n"
    "varying vec2 offset;\n"
    "uniform POINT centre;\n"
    "void main() {\n"
    "    POINT c = centre + POINT(offset);\n"
    "    POINT z = POINT(0);\n"
    "    float count = 0.0;\n"
    "    float size = 0.0;\n"
    "    for (int i = 0; i < 900; i++) {\n"
    "        REAL xx = z.x * z.x;\n"
    "        REAL yy = z.y * z.y;\n"
    "        REAL xy = z.x * z.y;\n"
    "        size = float(xx + yy);\n"
    "        if (size > 256.0) {\n"
    "            break;\n"
    "        }\n"
    "        z = POINT(xx - yy, xy + xy) + c;\n"
    "        count += 1.0;\n"
    "    }\n"
    "    vec3 color = vec3(0.02, 0.02, 0.05);\n"
    "    if (size > 256.0) {\n"
    "        float rings = log2(count + 1.0 - log2(log2(size) / 8.0)) - 8.5;\n"
    "        color = 0.5 - 0.5 * cos(rings * vec3(11.0, 9.5, 7.0) + vec3(0.5, 0.2, 0.0));\n"
    "    }\n"
    "    gl_FragColor = vec4(color, 1.0);\n"
    "}\n";

/* A point where arms of the set meet in a spiral: z(25) = z(23). */
static const double centre_x = -0.7766105925997019;
static const double centre_y = 0.13460896167502814;

typedef void (*uniform_2d)(GLint location, double x, double y);

static GLuint floats;
static GLuint doubles;
static uniform_2d set_doubles;

static GLuint make_program(struct app *app, const char *head) {
    char text[sizeof double_text + sizeof fragment_text];
    size_t length = strlen(head);
    memcpy(text, head, length);
    memcpy(text + length, fragment_text, sizeof fragment_text);
    return app_program(app, vertex_text, text);
}

static bool deep_zoom_init(struct app *app) {
    floats = 0;
    doubles = 0;
    set_doubles = (uniform_2d)eglGetProcAddress("glUniform2dVLGL");
    if (!strstr((const char *)glGetString(GL_EXTENSIONS), "GL_VLGL_fp64") || !set_doubles) {
        app_error("%s: this GL library has no doubles in shaders (GL_VLGL_fp64)", app->name);
        return false;
    }
    floats = make_program(app, float_text);
    doubles = floats ? make_program(app, double_text) : 0;
    return doubles != 0;
}

static void deep_zoom_draw(struct app *app, int frame, float time) {
    (void)frame;
    float half_height = 4e-7f * sm_exp(-0.5f * time);
    int half = app->width / 2;
    int widths[2] = {half, app->width - half};
    for (int side = 0; side < 2; side++) {
        GLuint program = side == 0 ? floats : doubles;
        GLint centre = glGetUniformLocation(program, "centre");
        float half_width = half_height * (float)widths[side] / (float)app->height;
        glViewport(side * half, 0, widths[side], app->height);
        glUseProgram(program);
        glUniform2f(glGetUniformLocation(program, "half_size"), half_width, half_height);
        if (side == 0) {
            glUniform2f(centre, (float)centre_x, (float)centre_y);
        } else {
            set_doubles(centre, centre_x, centre_y);
        }
        app_draw_screen();
    }
    glViewport(0, 0, app->width, app->height);
}

static void deep_zoom_fini(struct app *app) {
    (void)app;
    glDeleteProgram(floats);
    glDeleteProgram(doubles);
}

const struct sample sample_deep_zoom = {
    .name = "deep_zoom",
    .summary = "a detail of the Mandelbrot set that needs doubles, in floats and in doubles",
    .time = 0.0f,
    .init = deep_zoom_init,
    .draw = deep_zoom_draw,
    .fini = deep_zoom_fini,
};
