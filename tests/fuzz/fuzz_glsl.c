/* SPDX-License-Identifier: MIT */
/*
 * Any text through the compiler: it must give a shader or a log, an image that the verifier takes or a
 * message, and free everything. The first byte chooses stage, extensions and optimisation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/include/glslc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t fuzz_seed(unsigned number, uint8_t *out, size_t capacity);

static const char *current;
static int current_length;

static void check(bool good, const char *what, const char *message) {
    if (!good) {
        printf("%.*s\n%s: %s\n", current_length, current, what, message);
        fflush(stdout);
        abort();
    }
}

static void check_image(const struct glslc_shader *shader, const struct glslc_options *options) {
    struct vliw_error error = {0};
    struct vliw_program *program = NULL;
    struct vliw_image *image = glslc_shader_image(shader, options, &error);
    check(image || error.message[0], "no image and no message", "");
    if (image) {
        check(vliw_program_create(image, &program, &error) == VLIW_OK, "the verifier refuses", error.message);
    }
    vliw_program_destroy(program);
    vliw_image_destroy(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    struct glslc_options options;
    glslc_options_init(&options);
    options.extensions = data[0] & 2 ? GLSLC_EXT_ALL : 0;
    options.no_optimise = (data[0] & 4) != 0;
    options.max_draw_buffers = data[0] & 8 ? 4 : 1;
    const char *text = (const char *)data + 1;
    int length = (int)size - 1;
    current = text;
    current_length = length;
    enum vliw_stage stage = data[0] & 1 ? VLIW_STAGE_FRAGMENT : VLIW_STAGE_VERTEX;
    struct glslc_shader *shader = glslc_compile(stage, 1, &text, &length, &options);
    check(shader != NULL, "no shader", "");
    check(glslc_shader_ok(shader) || glslc_shader_log(shader)[0], "refused without a message", "");
    if (glslc_shader_ok(shader)) {
        check_image(shader, &options);
    }
    glslc_shader_destroy(shader);
    return 0;
}

static const char *const seeds[] = {
    "\3#version 100\n#extension GL_OES_standard_derivatives : enable\nprecision mediump float;\nvarying vec2 v;\n"
    "uniform sampler2D s[2]; uniform int k;\nvoid main() {\n  vec4 c = texture2D(s[k], v * fwidth(v));\n"
    "  if (c.a < 0.5) discard;\n  gl_FragColor = vec4(c.rgb * pow(c.a, 2.0), 1.0);\n}\n",
    "\2#define N 4\n#define SUM(a, b) ((a) + (b))\nstruct L { vec3 p; float q[N]; };\nuniform L l[2]; uniform mat4 m;\n"
    "attribute vec4 a; varying vec3 n;\nfloat f(inout vec3 x, const float y) { x.zy += y; for (int i = 0; i < N; i++) { if (x.x > y) continue;"
    " x *= l[1].q[i]; } return dot(x, x); }\nvoid main() { n = a.xyz; gl_Position = m * vec4(n, f(n, 2.0)); gl_PointSize = float(N); }\n",
    "\7precision highp float; const mat3 k = mat3(1, 2, 3, 4, 5, 6, 7, 8, 9); const vec3 z = k * vec3(1.0, 2.0, 3.0);\n"
    "bool g(int i) { return i / 2 * 2 == i || i > 7 && !(i < 3); }\nvoid main() { float a[3]; int i = 0; do { a[i] = z[i]; i++; } while (g(i) != true && i < 3);\n"
    "while (a[0] < 100.0) { a[0] *= 1.5; if (a[0] > 50.0) break; }\ngl_FragColor = vec4(a[0], a[1], a[2], (i++, i) > 2 ? 1. : .5e-1); }\n",
    "\13#ifdef GL_ES\nprecision lowp float;\n#endif\n#if __VERSION__ >= 100 && defined(GL_EXT_draw_buffers)\n#extension GL_EXT_draw_buffers : require\n#endif\n"
    "void main() { for (int i = 0; i < 4; ++i) gl_FragData[i] = vec4(i) / (gl_FragCoord + 0x10 + 017); }\n",
    "\2invariant gl_Position; attribute mat2 m; uniform struct { lowp ivec2 a; bvec3 b; } u; vec4 w(vec2 x, vec2 y);\n"
    "void main() { mat2 t = m; t[u.a.x] -= 1.0; gl_Position = w(t[0], t[1]) * (any(u.b) ? 1.0 : -1.0); }\n"
    "vec4 w(vec2 x, vec2 y) { vec4 r; r.xz = x; r.yw = y.yx; return r.wzyx; }\n",
};

size_t fuzz_seed(unsigned number, uint8_t *out, size_t capacity) {
    if (number >= sizeof seeds / sizeof seeds[0] || strlen(seeds[number]) > capacity) {
        return 0;
    }
    memcpy(out, seeds[number], strlen(seeds[number]));
    return strlen(seeds[number]);
}
