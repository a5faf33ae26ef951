/* SPDX-License-Identifier: MIT */
/*
 * Narrow values. First the claims of vm/ir/opt_narrow.c on every combination of bytes: what the float program's
 * colours become in a store is what bytes give. Then pictures: the same scenes with narrow programs and without, on
 * every SIMD level, byte for byte, and whether the narrow program ran where it should.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "renderer/narrow.h"
#include "tests/simd/vmrun.h"
#include "tests/unit/api_util.h"
#include "vm/base/bits.h"

/* ---- every byte ---------------------------------------------------------------------------------------------- */

/* The store to 8 bits a channel (renderer/fragop_tmpl.c). */
static int stored(float v) {
    v = v > 0.0f ? v : 0.0f;
    v = (v < 1.0f ? v : 1.0f) * 255.0f;
    const int n = (int)v;
    const float rest = v - (float)n;
    return n + (rest > 0.5f || (rest == 0.5f && (n & 1)));
}

static float texel(int n) { return (float)n * (1.0f / 255.0f); }
static int by_255(int n) { return (n + 128 + ((n + 128) >> 8)) >> 8; }
static int at_most_255(int n) { return n < 255 ? n : 255; }

TEST(texels_are_what_their_bytes_say) {
    for (int n = 0; n < 256; n++) {
        CHECK_EQ_INT(stored(texel(n)), n);
        CHECK_EQ_INT(stored((float)n / 255.0f), n);
        CHECK_EQ_INT(bits_byte_of(texel(n)), n);
        CHECK_EQ_INT(bits_byte_of((float)n / 255.0f), n);
    }
    CHECK(texel(255) == 1.0f);
    CHECK_EQ_INT(bits_byte_of(0.5f), -1);
    CHECK_EQ_INT(bits_byte_of(-0.1f), -1);
    CHECK_EQ_INT(bits_byte_of(1.0001f), -1);
    CHECK_EQ_INT(bits_byte_of(0.0f / bits_to_float(0)), -1);
}

TEST(two_bytes_sum_differ_and_multiply_exactly) {
    for (int a = 0; a < 256; a++) {
        for (int b = 0; b < 256; b++) {
            for (int k = 0; k < 4; k++) { /* texels and literals, either side */
                const float x = k & 1 ? (float)a / 255.0f : texel(a), y = k & 2 ? (float)b / 255.0f : texel(b);
                const bool same = stored(x * y) == by_255(a * b) && stored(x + y) == at_most_255(a + b) &&
                                  stored(x - y) == (a > b ? a - b : 0) && stored(1.0f - x * y) == 255 - by_255(a * b) &&
                                  stored(x > y ? x : y) == (a > b ? a : b) && stored(x < y ? x : y) == (a < b ? a : b);
                CHECK(same);
                if (!same) {
                    check_failf(__FILE__, __LINE__, "bytes %d and %d", a, b);
                    return;
                }
            }
        }
    }
}

TEST(three_bytes_mix_and_blend_exactly) {
    const float k = 1.0f / 255.0f;
    unsigned wrong = 0;
    for (int t = 0; t < 256; t++) {
        const float f = texel(t), rest = 1.0f - f, fa = (float)t * k, fr = (255.0f - (float)t) * k;
        for (int a = 0; a < 256; a++) {
            for (int b = 0; b < 256; b++) {
                const int mixed = by_255(t * b + (255 - t) * a);
                wrong += stored(texel(a) * rest + texel(b) * f) != mixed;
                /* product, then a sum with a whole one */
                wrong += stored(texel(a) * f + texel(b)) != at_most_255(by_255(a * t) + b);
                /* the renderer's blending of whole steps: over, premultiplied, add alpha */
                const float s = (float)b, d = (float)a;
                const float over = s * fa + d * fr, pre = s + d * fr, add = s * fa + d;
                wrong += stored((over < 255.0f ? over : 255.0f) / 255.0f) != mixed;
                wrong += stored((pre < 255.0f ? pre : 255.0f) / 255.0f) != at_most_255(b + by_255(a * (255 - t)));
                wrong += stored((add < 255.0f ? add : 255.0f) / 255.0f) != at_most_255(by_255(b * t) + a);
            }
        }
    }
    CHECK_EQ_INT(wrong, 0);
}

/* A second product of a rounded value is another number, so the pass must not make one. */
TEST(three_factors_would_round_twice) {
    unsigned differ = 0;
    for (int a = 0; a < 256; a++) {
        for (int b = 0; b < 256; b += 3) {
            differ += stored(texel(a) * texel(b) * texel(a)) != by_255(by_255(a * b) * a);
        }
    }
    CHECK(differ > 100);
}

/* ---- one register, three sizes ------------------------------------------------------------------------------- */

/* The mailing list's example: TEMP[0] holds four floats, then doubles, then four bytes. */
TEST(a_register_changes_its_size) {
    static const char text[] = ".stage fragment\n"
                               ".in varying 0 r0.xy\n"
                               ".out generic 0 r4\n"
                               ".out color8 0 r5.x\n"
                               ".sampler s0 tex2d\n.sampler s1 tex2d\n.sampler s2 tex2d\n"
                               "TEX r1 r0 s0\n"
                               "MAX r4.xy r1 - r1.zwxy\n"
                               "TEX r1 r0 s1\n"
                               "f2d r1, r1\n"
                               "d_max r1.xy, r1.xy, r1.zw\n"
                               "d2f r4.z, r1\n"
                               "TYPE u8x4.f32 | TEX r1.x r0 s2\n"
                               "MOV r5.x r1.x\n"
                               "END\n";
    struct vliw_image *image = NULL;
    struct vliw_error error;
    CHECK_EQ_INT(vliw_assemble(text, strlen(text), &image, &error), VLIW_OK);
    for (unsigned i = 0; image && i < 20; i++) {
        struct vmrun run = {.image = image, .active = vmrun_mask(true), .plain = true};
        CHECK(vmrun_compare(&run));
        CHECK_STR(run.message, "");
        CHECK(run.backends > 0);
    }
    vliw_image_destroy(image);
}

/* ---- pictures ------------------------------------------------------------------------------------------------ */

enum { SIZE = 80 };

#define HEAD "#extension GL_OES_standard_derivatives : enable\n" \
             "precision mediump float; varying vec2 v_uv; uniform sampler2D a, b; uniform vec4 c; uniform float f;"

struct shader {
    const char *body;
    bool narrow; /* the compiler makes a narrow program */
};
static const struct shader shaders[] = {
    {"gl_FragColor = texture2D(a, v_uv);", true},
    {"gl_FragColor = texture2D(a, v_uv) * c;", true},
    {"gl_FragColor = vec4(texture2D(a, v_uv.yx).rgb, 1.0) * c.abgr;", true},
    {"gl_FragColor = vec4(texture2D(a, v_uv).rgb, 1.0);", true},
    {"gl_FragColor = texture2D(a, v_uv) * texture2D(b, v_uv * 3.0);", true},
    {"vec4 t = texture2D(b, v_uv); gl_FragColor = mix(texture2D(a, v_uv.yx), t, t.a);", true},
    {"vec4 t = texture2D(b, v_uv); gl_FragColor = mix(t, c, texture2D(a, v_uv));", true},
    {"gl_FragColor = vec4(texture2D(a, v_uv).gb, 0.0, c.a);", true},
    {"gl_FragColor = vec4(texture2D(a, v_uv).bg, texture2D(b, v_uv).ra);", true},
    {"gl_FragColor = texture2D(a, v_uv).bgra;", true},
    {"gl_FragColor = texture2D(a, v_uv).ggga;", true},
    {"gl_FragColor = texture2D(a, v_uv).aaaa * c;", true},
    {"vec4 t = texture2D(a, v_uv); if (t.a < 0.5) discard; gl_FragColor = t;", true},
    {"vec4 t = texture2D(a, v_uv); if (t.r + v_uv.x < 0.7) discard; gl_FragColor = t * texture2D(b, v_uv);", true},
    {"vec4 t = texture2D(a, v_uv); if (v_uv.x > f) t *= texture2D(b, v_uv); gl_FragColor = t;", true},
    {"vec4 t = v_uv.y > f ? texture2D(a, v_uv) : texture2D(b, v_uv); gl_FragColor = t * c;", true},
    {"gl_FragColor = max(texture2D(a, v_uv) - texture2D(b, v_uv), 0.0);", true},
    {"gl_FragColor = vec4(1.0 - texture2D(a, v_uv).rgb, texture2D(b, v_uv).a * c.g);", true},
    {"gl_FragColor = clamp(texture2D(a, v_uv) + texture2D(b, v_uv), 0.0, 1.0) - c;", true},
    {"gl_FragColor = min(texture2D(a, v_uv) * c + texture2D(b, v_uv), max(c, vec4(1.0, 0.2, 0.4, 0.0)));", true},
    {"vec4 t = texture2D(a, v_uv); gl_FragColor = vec4(t.rgb * t.a, t.a);", true},
    {"vec4 t = texture2D(a, v_uv); gl_FragColor = gl_FrontFacing ? t : t.abgr;", true},
    {"gl_FragColor = texture2D(a, v_uv + gl_FragCoord.xy / 128.0);", true},
    {"gl_FragColor = texture2DProj(a, vec3(v_uv, 0.5 + v_uv.x), 0.5);", true},
    {"gl_FragColor = texture2D(a, gl_PointCoord + v_uv);", true},
    {"vec4 t = texture2D(a, v_uv); if (dFdx(t.r) > 0.1) discard; gl_FragColor = t * c;", true},
    {"gl_FragColor = dFdy(texture2D(b, v_uv).g) < 0.0 ? c : texture2D(a, v_uv);", true},
    {"vec4 t = texture2D(a, v_uv); gl_FragColor = t * t * t;", false},
    {"gl_FragColor = texture2D(a, v_uv) * v_uv.x;", false},
    {"gl_FragColor = texture2D(a, v_uv) * 0.5;", false},
    {"gl_FragColor = (texture2D(a, v_uv) + texture2D(b, v_uv)) * c;", false},
    {"gl_FragColor = texture2D(a, v_uv) * c + texture2D(b, v_uv) * c;", false},
    {"gl_FragColor = c;", false},
};
enum { DIRECT_SHADERS = 4, SHADERS = sizeof shaders / sizeof shaders[0] };

static const GLenum formats[] = {GL_RGBA, GL_RGB, GL_LUMINANCE, GL_ALPHA, GL_LUMINANCE_ALPHA};
static const uint8_t format_bytes[] = {4, 3, 1, 1, 2};

struct world {
    struct api_fixture api;
    GLuint program[SHADERS], texture[2], target, frame, color;
    bool feedback; /* what is drawn to may be sampled */
};

static GLuint world_program(unsigned i) {
    char text[600];
    snprintf(text, sizeof text, "%s void main() { %s }", HEAD, shaders[i].body);
    static const char vertex[] = "attribute vec4 a_position; varying vec2 v_uv; uniform vec4 turn; uniform float size;"
                                 "void main() { gl_Position = a_position; gl_PointSize = size;"
                                 "v_uv = vec2(dot(turn.xy, a_position.xy), dot(turn.zw, a_position.xy)) + 0.37; }";
    return api_program(vertex, text);
}

static bool world_begin(struct world *w, bool narrow) {
    setenv("VLGL_NARROW", narrow ? "1" : "0", 1);
    memset(w, 0, sizeof *w);
    if (!api_begin(&w->api, SIZE, SIZE)) {
        return false;
    }
    for (unsigned i = 0; i < SHADERS; i++) {
        w->program[i] = world_program(i);
    }
    glGenTextures(2, w->texture);
    glGenTextures(1, &w->target);
    glGenFramebuffers(1, &w->frame);
    glGenRenderbuffers(1, &w->color);
    return true;
}

static void world_end(struct world *w) {
    api_end(&w->api);
    unsetenv("VLGL_NARROW");
}

/* The narrow program of a GL program: 0 none, 1 not made, 2 made. */
static unsigned narrow_state(struct world *w, GLuint name) {
    const struct es_program *program = es_names_find(&w->api.ctx->share->programs, name);
    const struct rn_program *code = program ? program->exec->program : NULL;
    return !code || !code->narrow ? 0 : atomic_load(&code->narrow->code) ? 2 : 1;
}

static void random_texture(GLuint texture, bool nearest) {
    static uint8_t data[4 * SIZE * SIZE * 4];
    const unsigned kind = nearest && check_random_below(2) ? 0 : check_random_below(5);
    static const GLint wraps[3] = {GL_REPEAT, GL_CLAMP_TO_EDGE, GL_MIRRORED_REPEAT};
    /* some so large that a texel a pixel is seen of them (random_geometry) */
    const GLsizei width = check_random_below(4) ? 1 << check_random_below(7) : 2 * SIZE;
    const GLsizei height = check_random_below(4) ? 1 << check_random_below(7) : 2 * SIZE;
    const bool mip = !check_random_below(8);
    for (size_t i = 0; i < (size_t)width * (size_t)height * format_bytes[kind]; i++) {
        data[i] = (uint8_t)(check_random_below(4) ? check_random() >> 9 : check_random_below(2) * 255);
    }
    glBindTexture(GL_TEXTURE_2D, texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)formats[kind], width, height, 0, formats[kind], GL_UNSIGNED_BYTE, data);
    if (mip) {
        glGenerateMipmap(GL_TEXTURE_2D);
    }
    const GLint filter = nearest ? GL_NEAREST : GL_LINEAR;
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
                    !mip ? filter : nearest ? GL_NEAREST_MIPMAP_NEAREST : GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wraps[check_random_below(3)]);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wraps[check_random_below(3)]);
}

static void random_blend(void) {
    static const GLenum factors[6][2] = {{GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA}, {GL_ONE, GL_ONE_MINUS_SRC_ALPHA},
                                         {GL_ONE, GL_ONE}, {GL_SRC_ALPHA, GL_ONE}, {GL_DST_COLOR, GL_ZERO},
                                         {GL_ONE, GL_ZERO}};
    const unsigned k = check_random_below(6);
    if (check_random_below(2)) {
        glEnable(GL_BLEND);
    } else {
        glDisable(GL_BLEND);
    }
    glBlendFunc(factors[k][0], factors[k][1]);
    const unsigned m = check_random_below(4) ? 15 : check_random_below(16);
    glColorMask(m & 1, m >> 1 & 1, m >> 2 & 1, m >> 3 & 1);
}

static float unit(void) { return (float)(check_random() >> 8) / 8388608.0f - 1.0f; }

static void random_geometry(GLuint program) {
    GLfloat corners[24];
    const unsigned kind = check_random_below(5);
    static const GLfloat whole[8] = {-1, -1, 1, -1, -1, 1, 1, 1};
    const float z = 1.0f / (float)(1u << check_random_below(3));
    GLfloat turn[4] = {z, 0, 0, check_random_below(2) ? z : -z};
    for (unsigned i = 0; i < 24; i++) {
        corners[i] = kind < 2 && i < 8 ? whole[i] * (kind ? 0.93f : 1.0f) : unit() * 1.2f;
    }
    for (unsigned i = 0; i < 4 && check_random_below(2); i++) {
        turn[i] += unit();
    }
    glUniform4fv(glGetUniformLocation(program, "turn"), 1, turn);
    glUniform1f(glGetUniformLocation(program, "size"), 1.0f + (float)check_random_below(40));
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glEnableVertexAttribArray(0);
    const GLenum modes[5] = {GL_TRIANGLE_STRIP, GL_TRIANGLE_STRIP, GL_TRIANGLES, GL_POINTS, GL_LINES};
    glDrawArrays(modes[kind], 0, kind < 2 ? 4 : 12);
}

/* A random draw; what it draws depends on the random state alone. */
static unsigned random_draw(struct world *w, bool nearest) {
    /* every other time one of the first, which are drawn without the processor */
    const unsigned i = check_random_below(check_random_below(2) ? DIRECT_SHADERS : SHADERS);
    const GLuint program = w->program[i];
    glUseProgram(program);
    for (unsigned t = 0; t < 2; t++) {
        glActiveTexture(GL_TEXTURE0 + t);
        if (check_random_below(3)) {
            random_texture(w->texture[t], nearest || check_random_below(2));
        } else {
            glBindTexture(GL_TEXTURE_2D, w->texture[t]);
        }
    }
    if (w->feedback && check_random_below(2)) {
        glBindTexture(GL_TEXTURE_2D, w->target);
    }
    glUniform1i(glGetUniformLocation(program, "a"), (GLint)check_random_below(2));
    glUniform1i(glGetUniformLocation(program, "b"), (GLint)check_random_below(2));
    GLfloat c[4];
    const bool exact = check_random_below(3) != 0;
    for (unsigned k = 0; k < 4; k++) {
        const float n = (float)check_random_below(256);
        c[k] = exact ? n / 255.0f : unit() * 1.5f;
    }
    glUniform4fv(glGetUniformLocation(program, "c"), 1, c);
    glUniform1f(glGetUniformLocation(program, "f"), unit());
    random_blend();
    if (check_random_below(4) == 0) {
        glEnable(GL_DEPTH_TEST);
    } else {
        glDisable(GL_DEPTH_TEST);
    }
    random_geometry(program);
    if (check_random_below(3) == 0) { /* the same state with other uniforms */
        glUniform4f(glGetUniformLocation(program, "c"), unit(), 1.0f, 0.25f, 1.0f);
        random_geometry(program);
    }
    return i;
}

/* Some draws into the surface or another target, and what is there then. */
static void scene(struct world *w, uint64_t seed, bool nearest, uint8_t *out) {
    static const GLenum storages[3] = {GL_RGBA8_OES, GL_RGB8_OES, GL_RGB565};
    check_seed(seed);
    const unsigned target = check_random_below(5);
    glBindFramebuffer(GL_FRAMEBUFFER, target ? w->frame : 0);
    w->feedback = target == 4;
    if (w->feedback) {
        glBindTexture(GL_TEXTURE_2D, w->target);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, w->target, 0);
    } else if (target) {
        glBindRenderbuffer(GL_RENDERBUFFER, w->color);
        glRenderbufferStorage(GL_RENDERBUFFER, storages[target - 1], SIZE, SIZE);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, w->color);
    }
    glViewport(0, 0, SIZE, SIZE);
    glColorMask(1, 1, 1, 1);
    glClearColor(0.3f, 0.6f, 0.2f, 0.7f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    for (unsigned i = 0; i < 6; i++) {
        random_draw(w, nearest);
    }
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, out);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
}

static void compare_scenes(unsigned scenes) {
    static uint8_t narrow[SIZE * SIZE * 4], wide[SIZE * SIZE * 4];
    struct world on, off;
    CHECK(world_begin(&off, false));
    CHECK(world_begin(&on, true));
    for (unsigned i = 0; i < scenes; i++) {
        const uint64_t seed = 7700u + i;
        es_make_current(off.api.ctx, &off.api.surface, &off.api.surface);
        scene(&off, seed, i % 3 != 0, wide);
        es_make_current(on.api.ctx, &on.api.surface, &on.api.surface);
        scene(&on, seed, i % 3 != 0, narrow);
        if (memcmp(narrow, wide, sizeof wide)) {
            for (unsigned p = 0; p < SIZE * SIZE; p++) {
                if (memcmp(narrow + 4 * p, wide + 4 * p, 4)) {
                    check_failf(__FILE__, __LINE__, "scene %u pixel %u,%u: %02x%02x%02x%02x, not %02x%02x%02x%02x", i,
                                p % SIZE, p / SIZE, narrow[4 * p], narrow[4 * p + 1], narrow[4 * p + 2],
                                narrow[4 * p + 3], wide[4 * p], wide[4 * p + 1], wide[4 * p + 2], wide[4 * p + 3]);
                    break;
                }
            }
            break;
        }
    }
    for (unsigned i = 0; i < SHADERS; i++) {
        CHECK_EQ_INT(narrow_state(&off, off.program[i]), shaders[i].narrow ? 1 : 0);
        CHECK_EQ_INT(narrow_state(&on, on.program[i]) != 0, shaders[i].narrow);
        if (scenes >= 300 && shaders[i].narrow) { /* it ran somewhere */
            CHECK_EQ_INT(narrow_state(&on, on.program[i]), 2);
        }
    }
    es_make_current(off.api.ctx, &off.api.surface, &off.api.surface);
    world_end(&off);
    es_make_current(on.api.ctx, &on.api.surface, &on.api.surface);
    world_end(&on);
}

TEST(scenes_are_the_same_with_and_without) {
    enum vliw_simd levels[VLIW_SIMD_COUNT];
    const unsigned count = vmrun_levels(levels);
    for (unsigned i = 0; i < count; i++) {
        vliw_simd_limit(levels[i]);
        compare_scenes(i + 1 == count ? 300 : 80);
    }
    vliw_simd_limit(VLIW_SIMD_COUNT - 1);
}

/* Uniforms decide draw by draw; a filter keeps the program wide where texels are multiplied. */
TEST(uniforms_and_filters_decide) {
    struct world w;
    CHECK(world_begin(&w, true));
    const GLuint program = w.program[1];
    static const uint8_t texels[4] = {200, 100, 50, 255};
    glUseProgram(program);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, w.texture[0]);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glUniform4f(glGetUniformLocation(program, "c"), 1, 1, 1, 1);
    api_quad();
    CHECK_EQ_INT(api_pixel(3, 3), 0xC86432FF);
    CHECK_EQ_INT(narrow_state(&w, program), 1);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glUniform4f(glGetUniformLocation(program, "c"), 128.0f / 255.0f, 0, 1, 1);
    api_quad();
    CHECK_EQ_INT(api_pixel(3, 3), 0x640032FF);
    CHECK_EQ_INT(narrow_state(&w, program), 2);
    glUniform4f(glGetUniformLocation(program, "c"), 0.3f, 0.5f, 2.0f, 0.1f);
    api_quad();
    CHECK_EQ_INT(api_pixel(3, 3), 0x3C32641A);
    world_end(&w);
}

