/* SPDX-License-Identifier: MIT */
/*
 * Random frames through the API: many small and large triangles, points and lines with random state, on targets of odd
 * sizes and formats, with textures, programs and framebuffers that change or go while draws wait. Drawn with every SIMD
 * level, several numbers of threads and with flushes between calls, they must leave the same bits in all images, the
 * same answers of queries and reads, and the same counters.
 *
 *   fuzz_frames          a fixed number of frames (a test); VLGL_SEED changes the sequence
 *   VLGL_FUZZ=10000      that many
 *   VLGL_FRAME=123       only that one
 */
#include <string.h>

#include "tests/unit/api_util.h"
#include "vm/base/cpu.h"

enum { VERTICES = 6000, INDICES = 9000, PROGRAMS = 4, TEXTURE = 37, TARGETS = 3 };

/* ---- random things ------------------------------------------------------------------- */

static uint32_t below(uint32_t n) { return check_random_below(n); }
static bool chance(uint32_t percent) { return below(100) < percent; }
static float between(float low, float high) {
    return low + (high - low) * (float)below(4097) / 4096.0f;
}

static uint64_t mix(uint64_t hash, const void *data, size_t bytes) {
    const uint8_t *p = data;
    for (; bytes >= 8; bytes -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ p[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

/* ---- programs ------------------------------------------------------------------------ */

#define VARYINGS "varying vec4 v_color; varying vec2 v_uv;"
static const char *const vertex_text[] = {
    "attribute vec4 a_position, a_color, a_offset; attribute vec2 a_uv;" VARYINGS
    "void main() { v_color = a_color; v_uv = a_uv; gl_PointSize = 1.0 + 9.0 * a_color.w;"
    "  gl_Position = a_position + a_offset * a_position.w; }",
    "attribute vec4 a_position, a_color, a_offset; attribute vec2 a_uv;" VARYINGS
    "void main() { vec4 p = a_position; float sum = 0.0;"
    "  for (int i = 0; i < 100; i++) { if (float(i) > a_color.x * a_color.y * 90.0) break;"
    "    sum += fract(sum * 1.7 + a_uv.x + a_color.z * 0.3); if (sum > 20.0 + 20.0 * a_color.w) { p.x += 0.01; break; }"
    "    p.y += 0.001 * sum - 0.0005 * p.x; }"
    "  v_color = vec4(fract(sum), a_color.yzw); v_uv = a_uv * 2.0; gl_PointSize = 4.0; gl_Position = p + a_offset * p.w; }"};

/* Each writes gl_FragColor but where it says; u is a uniform, often of n / 255. */
static const char *const fragment_text[] = {
    "void main() { gl_FragColor = u; }",
    "void main() { gl_FragColor = v_color; }",
    "void main() { gl_FragColor = texture2D(t, v_uv) * u; }",
    "void main() { if (v_color.x < 0.4) discard; gl_FragColor = v_color * u; }",
    "void main() { gl_FragDepthEXT = v_color.y * 1.1; gl_FragColor = v_color; }",
    "void main() { gl_FragColor = vec4(fract(gl_FragCoord.xy * 0.1), gl_FragCoord.z, gl_FragCoord.w); }",
    "void main() { gl_FragColor = gl_LastFragData[0] * 0.5 + v_color * 0.3; }",
    "void main() { gl_FragData[0] = v_color; gl_FragData[1] = texture2D(t, v_uv); }",
    "void main() { gl_FragColor = gl_FrontFacing ? v_color : vec4(gl_PointCoord, u.xy); }",
    "void main() { gl_FragColor = vec4(texture2D(t, v_uv).xyz, u.w); }",
    "void main() { gl_FragColor = textureCube(cube, vec3(v_uv, 0.6)) + 0.1 * v_color; }",
    "void main() { vec3 a = v_color.xyz; vec2 q = v_uv;"
    "  for (int i = 0; i < 120; i++) { if (float(i) > v_color.x * v_color.x * v_color.y * 130.0) break;"
    "    q = fract(q * 1.3 + a.xy); a += 0.02 * texture2D(t, q).xyz + 0.01 * dFdx(q.x) - 0.01 * dFdy(a.z);"
    "    for (int k = 0; k < 6; k++) { if (float(k) > a.x * 4.0) break; a.y = mix(a.y, q.x, 0.2); if (a.y > 1.2) break; }"
    "    if (a.x > 2.5) { a.z += 0.1; break; } }"
    "  gl_FragColor = vec4(fract(a), 0.8) + 0.1 * texture2D(t, v_uv).x + fwidth(a.y) * 0.1; }",
    "void main() { float x = v_uv.x; for (int i = 0; i < 90; i++) { x = fract(x * 1.9 + 0.37);"
    "    if (x < v_color.x * 0.1) { if (v_color.z > 0.7) discard; break; } if (x > 0.99) continue; x += 0.001; }"
    "  gl_FragColor = vec4(x, v_color.yz, 1.0); }"};
enum { FRAGMENTS = sizeof fragment_text / sizeof fragment_text[0], LOOPS = FRAGMENTS - 2 }; /* which are the last two */

/* Runs to the limit where v_color.x says so. */
static const char endless[] =
    "void main() { float x = v_uv.x; if (v_color.x > 0.9) for (int i = 0; i < 100000; i++) x = fract(x + 0.1);"
    "  gl_FragColor = vec4(x); }";

static GLuint program_of(const char *vertex, const char *fragment) {
    char text[2000];
    snprintf(text, sizeof text,
             "#extension GL_EXT_frag_depth : enable\n#extension GL_EXT_shader_framebuffer_fetch : enable\n"
             "#extension GL_OES_standard_derivatives : enable\n#extension GL_EXT_draw_buffers : enable\n"
             "precision %s float; uniform vec4 u; uniform sampler2D t; uniform samplerCube cube;" VARYINGS "%s",
             chance(50) ? "mediump" : "highp", fragment);
    const GLuint program = glCreateProgram();
    const GLuint shaders[2] = {api_shader(GL_VERTEX_SHADER, vertex), api_shader(GL_FRAGMENT_SHADER, text)};
    static const char *const attributes[] = {"a_position", "a_color", "a_uv", "a_offset"};
    for (GLuint i = 0; i < 4; i++) {
        glBindAttribLocation(program, i, attributes[i]);
    }
    for (unsigned i = 0; i < 2; i++) {
        glAttachShader(program, shaders[i]);
        glDeleteShader(shaders[i]);
    }
    glLinkProgram(program);
    GLint linked = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    CHECK(linked);
    return program;
}

/* ---- the world ----------------------------------------------------------------------- */

struct vertex {
    float position[4];
    uint8_t color[4];
    float uv[2];
};
struct setting {
    enum vliw_simd level;
    const char *threads;
    unsigned flush; /* after one call in so many; 0: never */
};
struct outcome {
    uint64_t hash;
    uint64_t counters[2 + RN_COUNTER_COUNT];
    unsigned lost_at;
};
static struct {
    struct api_fixture f;
    struct es_context *other; /* shares the objects */
    bool second;              /* it is current */
    uint32_t width, height;   /* of the surface */
    bool strange;             /* positions may be anything */
    bool crowd;               /* small triangles, in draws of many chunks */
    GLuint program[PROGRAMS], texture, cube, buffer[2], fbo[TARGETS], depth[TARGETS], color[TARGETS][2];
    unsigned target;
    struct vertex vertices[VERTICES];
    uint32_t index[INDICES];
    uint8_t texels[TEXTURE * TEXTURE * 4];
    uint64_t hash;
} w;

static const float reaches[] = {0.6f, 1.5f, 3, 5, 9, 20, 70, 400};

/* Triangle after triangle, of all sizes; sometimes on the grid of half pixels, sometimes of one colour each. */
static void make_vertices(uint32_t from, uint32_t count) {
    const uint32_t sizes = w.crowd ? 4 : 8;
    const float usual = reaches[below(sizes)];
    const bool flat = chance(40);
    for (uint32_t k = from; k < from + count && k < VERTICES; k++) {
        struct vertex *v = &w.vertices[k];
        static float x, y, z, reach;
        if (k % 3 == 0 || k == from) {
            x = between(-8, (float)w.width + 8);
            y = between(-8, (float)w.height + 8);
            z = chance(10) ? 1.0f : between(-1, 1);
            reach = chance(w.crowd ? 80 : 95) ? usual : reaches[below(sizes)];
        }
        float px = x + between(-reach, reach), py = y + between(-reach, reach);
        if (k % 8 == 3) {
            px = (float)(int32_t)px + 0.5f;
            py = (float)(int32_t)(2 * py) * 0.5f;
        }
        const float vw = chance(80) ? 1.0f : chance(90) ? between(0.3f, 3) : between(-1, 2);
        v->position[0] = (px / (float)w.width * 2 - 1) * vw;
        v->position[1] = (py / (float)w.height * 2 - 1) * vw;
        v->position[2] = (chance(70) ? z : between(-1.1f, 1.1f)) * vw;
        v->position[3] = vw;
        if (w.strange && chance(2)) {
            v->position[below(4)] = check_random_float();
        }
        for (unsigned c = 0; c < 4; c++) {
            v->color[c] = (uint8_t)(chance(20) ? 255 : below(256));
        }
        v->uv[0] = between(-1, 2);
        v->uv[1] = between(-1, 2);
        if (flat && k % 3 && k > from) {
            memcpy(v->color, v[-1].color, sizeof v->color);
            memcpy(v->uv, v[-1].uv, sizeof v->uv);
        }
    }
}

static void texture_state(GLenum target) {
    static const GLint filters[] = {GL_NEAREST, GL_LINEAR, GL_NEAREST_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_LINEAR};
    static const GLint wraps[] = {GL_REPEAT, GL_CLAMP_TO_EDGE, GL_MIRRORED_REPEAT};
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, filters[below(4)]);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, filters[below(2)]);
    glTexParameteri(target, GL_TEXTURE_WRAP_S, wraps[below(3)]);
    glTexParameteri(target, GL_TEXTURE_WRAP_T, wraps[below(3)]);
}

static void make_texture(void) {
    static const GLenum formats[] = {GL_RGBA, GL_RGB, GL_LUMINANCE, GL_ALPHA};
    const GLenum format = formats[below(4)];
    glGenTextures(1, &w.texture);
    glBindTexture(GL_TEXTURE_2D, w.texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, TEXTURE, TEXTURE, 0, format, GL_UNSIGNED_BYTE, w.texels);
    glGenerateMipmap(GL_TEXTURE_2D);
    texture_state(GL_TEXTURE_2D);
}

/* A cube of 32 pixels with all levels, a framebuffer on one of its faces; two textures; a renderbuffer. */
static void make_targets(void) {
    glGenTextures(1, &w.cube);
    glBindTexture(GL_TEXTURE_CUBE_MAP, w.cube);
    for (GLenum face = 0; face < 6; face++) {
        for (GLint level = 0; level < 6; level++) {
            glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, level, GL_RGBA, 32 >> level, 32 >> level, 0, GL_RGBA,
                         GL_UNSIGNED_BYTE, w.texels);
        }
    }
    texture_state(GL_TEXTURE_CUBE_MAP);
    glGenFramebuffers(TARGETS, w.fbo);
    glGenRenderbuffers(TARGETS, w.depth);
    for (unsigned i = 1; i < TARGETS; i++) {
        const GLsizei width = i == 1 ? 32 : (GLsizei)(1 + below(150)), height = i == 1 ? 32 : (GLsizei)(1 + below(90));
        const bool both = chance(50);
        glBindFramebuffer(GL_FRAMEBUFFER, w.fbo[i]);
        glBindRenderbuffer(GL_RENDERBUFFER, w.depth[i]);
        glRenderbufferStorage(GL_RENDERBUFFER, both ? GL_DEPTH24_STENCIL8_OES : GL_DEPTH_COMPONENT16, width, height);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, w.depth[i]);
        if (both) {
            glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, w.depth[i]);
        }
        if (i == 1) {
            glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_CUBE_MAP_POSITIVE_X + below(6), w.cube, 0);
            continue;
        }
        static const GLenum buffers[2] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT0 + 1};
        glGenTextures(2, w.color[i]);
        for (unsigned k = 0; k < 2; k++) {
            const bool small = chance(30);
            glBindTexture(GL_TEXTURE_2D, w.color[i][k]);
            glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA,
                         small ? GL_UNSIGNED_SHORT_5_5_5_1 : GL_UNSIGNED_BYTE, NULL);
            glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
            glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
            glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
            glFramebufferTexture2D(GL_FRAMEBUFFER, buffers[k], GL_TEXTURE_2D, w.color[i][k], 0);
        }
        glDrawBuffersEXT(2, buffers);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

static void attribute_arrays(void) {
    const struct vertex *at = NULL;
    const bool client = chance(20); /* arrays in client memory, indices too */
    glBindBuffer(GL_ARRAY_BUFFER, client ? 0 : w.buffer[0]);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, client ? 0 : w.buffer[1]);
    at = client ? w.vertices : NULL;
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof *at, at ? (const void *)at->position : NULL);
    glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof *at, (const char *)at + offsetof(struct vertex, color));
    glVertexAttribPointer(2, 2, GL_FLOAT, GL_FALSE, sizeof *at, (const char *)at + offsetof(struct vertex, uv));
    glVertexAttribPointer(3, 2, GL_FLOAT, GL_FALSE, sizeof *at, (const char *)at + offsetof(struct vertex, uv));
    glVertexAttribDivisorEXT(3, 1);
    for (GLuint i = 0; i < 3; i++) {
        glEnableVertexAttribArray(i);
    }
    glDisableVertexAttribArray(3);
    glVertexAttrib4f(3, 0, 0, 0, 0);
}

static void make_context_state(void) {
    glBindTexture(GL_TEXTURE_2D, w.texture);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_CUBE_MAP, w.cube);
    glActiveTexture(GL_TEXTURE0);
    attribute_arrays();
    glUseProgram(w.program[0]);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glViewport(0, 0, (GLsizei)w.width, (GLsizei)w.height);
}

static bool world_begin(const struct setting *s, bool loses) {
    static const uint16_t sizes[][2] = {{1, 1},   {63, 65},  {1, 700}, {900, 1},  {8, 8},    {130, 70},
                                        {257, 3}, {64, 128}, {65, 63}, {200, 150}, {200, 150}, {150, 200}};
    static const enum rn_format colors[] = {RN_FORMAT_RGBA8, RN_FORMAT_RGBA8, RN_FORMAT_RGBX8, RN_FORMAT_RGB565, RN_FORMAT_RGBA4};
    static const enum rn_format depths[] = {RN_FORMAT_D24, RN_FORMAT_D24, RN_FORMAT_D16, RN_FORMAT_NONE};
    const unsigned size = below(sizeof sizes / sizeof sizes[0]);
    CHECK(setenv("VLGL_THREADS", s->threads, 1) == 0 && es_device_release());
    vliw_simd_limit(s->level);
    memset(&w, 0, sizeof w);
    w.width = sizes[size][0];
    w.height = sizes[size][1];
    w.strange = chance(50);
    w.crowd = chance(40);
    w.hash = 1;
    struct es_context_desc desc = {0};
    w.f.ctx = es_context_create(&desc);
    desc.share = w.f.ctx;
    w.other = es_context_create(&desc);
    const enum rn_format color = colors[below(5)], depth = depths[below(4)];
    const bool stencil = chance(50);
    const unsigned samples = chance(20) ? 4 : 1;
    if (!w.f.ctx || !w.other || !es_surface_init(&w.f.surface, color, depth, stencil, samples, w.width, w.height)) {
        return false;
    }
    es_make_current(w.f.ctx, &w.f.surface, &w.f.surface);
    for (unsigned i = 0; i < PROGRAMS; i++) {
        const unsigned kind = below(w.crowd ? LOOPS : FRAGMENTS);
        w.program[i] = program_of(vertex_text[chance(25)], loses && i == 0 ? endless : fragment_text[kind]);
        glUseProgram(w.program[i]);
        glUniform1i(glGetUniformLocation(w.program[i], "cube"), 1);
        glUniform4f(glGetUniformLocation(w.program[i], "u"), 1, 0.6f, 0.2f, chance(50) ? 1 : 0.4f);
    }
    for (size_t i = 0; i < sizeof w.texels; i++) {
        w.texels[i] = (uint8_t)below(256);
    }
    make_vertices(0, VERTICES);
    for (uint32_t k = 0; k < INDICES; k++) {
        w.index[k] = chance(90) ? (k - k % 3 + below(7)) % VERTICES : below(VERTICES + 3);
    }
    make_texture();
    make_targets();
    glBindTexture(GL_TEXTURE_2D, w.texture);
    glGenBuffers(2, w.buffer);
    glBindBuffer(GL_ARRAY_BUFFER, w.buffer[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof w.vertices, w.vertices, GL_DYNAMIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, w.buffer[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof w.index, w.index, GL_DYNAMIC_DRAW);
    make_context_state();
    return glGetError() == GL_NO_ERROR;
}

static void hash_image(const struct rn_image *image) {
    if (!image) {
        return;
    }
    const size_t bytes = rn_format_info((enum rn_format)image->format)->bytes;
    rn_image_settle(image, NULL);
    for (size_t z = 0; z < (size_t)image->depth * image->samples; z++) {
        for (uint32_t y = 0; y < image->height; y++) {
            w.hash = mix(w.hash, image->data + z * image->slice_bytes + (size_t)y * image->row_bytes, image->width * bytes);
        }
    }
}

static void world_end(struct outcome *out) {
    glFinish();
    hash_image(w.f.surface.color);
    hash_image(w.f.surface.depth);
    hash_image(w.f.surface.stencil);
    es_make_current(w.f.ctx, &w.f.surface, &w.f.surface);
    for (unsigned i = 1; i < TARGETS; i++) {
        glBindFramebuffer(GL_FRAMEBUFFER, w.fbo[i]);
        const struct rn_framebuffer *target = es_framebuffer_target(w.f.ctx);
        for (unsigned k = 0; k < target->color_count; k++) {
            hash_image(target->color[k].image);
        }
        hash_image(target->depth.image);
        hash_image(target->stencil.image);
    }
    vlglGetCounters(out->counters, 2 + RN_COUNTER_COUNT);
    out->hash = w.hash;
    es_make_current(NULL, NULL, NULL);
    es_context_destroy(w.other);
    es_context_destroy(w.f.ctx);
    es_surface_fini(&w.f.surface);
}

/* ---- calls --------------------------------------------------------------------------- */

static void draw_small(void) {
    static const GLenum modes[] = {GL_TRIANGLES, GL_TRIANGLES, GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN,
                                   GL_POINTS,    GL_LINES,     GL_LINE_LOOP, GL_LINE_STRIP,     GL_TRIANGLES};
    const GLenum mode = modes[below(10)];
    const GLint first = (GLint)below(VERTICES - 300);
    const GLsizei count = (GLsizei)(chance(70) ? below(20) : below(300));
    GLint bound = 0;
    glGetIntegerv(GL_ELEMENT_ARRAY_BUFFER_BINDING, &bound);
    const void *indices = bound ? (const void *)((uintptr_t)first * 4) : (const void *)(w.index + first);
    if (chance(60)) {
        glDrawArrays(mode, first, count);
    } else if (chance(80)) {
        glDrawElements(mode, count, GL_UNSIGNED_INT, indices);
    } else {
        glEnableVertexAttribArray(3);
        glDrawElementsInstancedEXT(mode, count / 3, GL_UNSIGNED_INT, indices, (GLsizei)below(5));
        glDisableVertexAttribArray(3);
    }
}

static void draw_large(void) {
    GLint bound = 0;
    glGetIntegerv(GL_ELEMENT_ARRAY_BUFFER_BINDING, &bound);
    const void *indices = bound ? NULL : w.index;
    const GLsizei instances = (GLsizei)(chance(50) ? 1 + below(4) : 12 + below(12));
    switch (w.crowd ? below(4) : 0) {
    case 0: glDrawArrays(GL_TRIANGLES, 0, (GLsizei)below(w.crowd ? VERTICES : 400)); break;
    case 1: glDrawElements(GL_TRIANGLES, INDICES, GL_UNSIGNED_INT, indices); break;
    case 2: glDrawArraysInstancedEXT(GL_TRIANGLES, 0, VERTICES, instances); break;
    default: glDrawElementsInstancedEXT(GL_TRIANGLES, INDICES, GL_UNSIGNED_INT, indices, instances); break;
    }
}

static void enable(GLenum what, uint32_t percent) { (chance(percent) ? glEnable : glDisable)(what); }

static void stencil_state(void) {
    static const GLenum ops[] = {GL_KEEP, GL_ZERO, GL_REPLACE, GL_INCR, GL_DECR, GL_INVERT, GL_INCR_WRAP, GL_DECR_WRAP};
    const GLenum face = chance(50) ? GL_FRONT_AND_BACK : GL_BACK;
    enable(GL_STENCIL_TEST, 50);
    glStencilFuncSeparate(face, chance(40) ? GL_ALWAYS : GL_NEVER + below(8), (GLint)below(4), chance(50) ? 255 : 3);
    glStencilOpSeparate(face, ops[below(8)], ops[below(8)], ops[below(8)]);
    glStencilMaskSeparate(face, chance(70) ? 255 : below(256));
}

static void blend_state(void) {
    static const GLenum factors[] = {GL_ZERO, GL_ONE, GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_DST_COLOR, GL_SRC_ALPHA_SATURATE};
    static const GLenum equations[] = {GL_FUNC_ADD, GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_MAX_EXT};
    enable(GL_BLEND, 50);
    if (chance(50)) {
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    } else {
        glBlendFuncSeparate(factors[below(6)], factors[below(5)], factors[below(6)], factors[below(5)]);
    }
    glBlendEquation(equations[below(4)]);
}

static void change_state(void) {
    static const float ranges[] = {0, 0, 0.3f, 0.5f, 1, 1, 0.99999f, 0.000003f};
    switch (below(12)) {
    case 0: stencil_state(); break;
    case 1: blend_state(); break;
    case 2:
        enable(GL_CULL_FACE, 40);
        glCullFace(chance(50) ? GL_BACK : GL_FRONT);
        glFrontFace(chance(50) ? GL_CW : GL_CCW);
        break;
    case 3:
        enable(GL_SCISSOR_TEST, 40);
        glScissor((GLint)below(w.width) - 3, (GLint)below(w.height) - 3, (GLsizei)below(w.width + 9), (GLsizei)below(w.height + 9));
        break;
    case 4:
        if (chance(50)) {
            glViewport(0, 0, (GLsizei)w.width, (GLsizei)w.height);
        } else if (chance(80)) {
            glViewport((GLint)below(40) - 20, (GLint)below(40) - 20, (GLsizei)below(w.width + 50), (GLsizei)below(w.height + 50));
        } else {
            glViewport(-4000, -3000, 8000, 8000);
        }
        break;
    case 5: glDepthFunc(GL_NEVER + below(8)); break;
    case 6: glDepthMask(chance(70)); break;
    case 7:
        enable(GL_POLYGON_OFFSET_FILL, 40);
        glPolygonOffset(between(-2, 2), chance(50) ? (float)below(9) - 4 : between(-1e6f, 1e6f));
        break;
    case 8: glDepthRangef(ranges[below(8)], ranges[below(8)]); break;
    case 9:
        enable(GL_SAMPLE_ALPHA_TO_COVERAGE, 30);
        enable(GL_SAMPLE_COVERAGE, 30);
        glSampleCoverage(between(0, 1), chance(50));
        break;
    case 10:
        enable(GL_DITHER, 50);
        glColorMask(chance(80), chance(80), chance(80), chance(80));
        break;
    default: enable(GL_DEPTH_TEST, 75); break;
    }
    glLineWidth(chance(80) ? 1.0f : between(0.5f, 7));
}

static void change_program(void) {
    const unsigned i = below(PROGRAMS);
    glUseProgram(w.program[i]);
    if (chance(30)) {
        glUniform4f(glGetUniformLocation(w.program[i], "u"), (float)below(256) / 255.0f, between(0, 1), 0.2f, (float)below(2));
    }
}

static void change_target(void) {
    w.target = below(TARGETS);
    glBindFramebuffer(GL_FRAMEBUFFER, w.target ? w.fbo[w.target] : 0);
    if (w.target == 1) {
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_CUBE_MAP_POSITIVE_X + below(6), w.cube, 0);
    }
}

static void change_texture(void) {
    switch (below(7)) {
    case 0:
        glDeleteTextures(1, &w.texture); /* with draws that read it under way */
        make_texture();
        break;
    case 1: glTexSubImage2D(GL_TEXTURE_2D, 0, 3, 5, 9, 7, GL_RGBA, GL_UNSIGNED_BYTE, w.texels + below(99)); break;
    case 2: glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 1, 1, 0, 0, 20, 20); break;
    case 3: glGenerateMipmap(GL_TEXTURE_2D); break;
    case 4: texture_state(GL_TEXTURE_2D); break;
    case 5: /* a target's */
        glBindTexture(GL_TEXTURE_2D, w.color[2][below(2)]);
        draw_small();
        glBindTexture(GL_TEXTURE_2D, w.texture);
        break;
    default: glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 0, 0, TEXTURE, TEXTURE, 0); break;
    }
    while (glGetError()) { /* formats that do not fit */
    }
}

static void look(void) {
    uint8_t pixels[8 * 5 * 4];
    memset(pixels, 0, sizeof pixels);
    if (chance(50)) {
        glReadPixels((GLint)below(w.width) - 2, (GLint)below(w.height) - 2, 8, 5, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
        w.hash = mix(w.hash, pixels, sizeof pixels);
        return;
    }
    GLuint query = 0, passed = 7;
    glGenQueriesEXT(1, &query);
    glBeginQueryEXT(GL_ANY_SAMPLES_PASSED_EXT, query);
    draw_small();
    glEndQueryEXT(GL_ANY_SAMPLES_PASSED_EXT);
    draw_small();
    glGetQueryObjectuivEXT(query, GL_QUERY_RESULT_EXT, &passed);
    w.hash = mix(w.hash, &passed, sizeof passed);
    glDeleteQueriesEXT(1, &query);
}

/* The other context draws to the same framebuffers for a while; each has a state of its own. */
static void change_context(void) {
    w.second = !w.second;
    es_make_current(w.second ? w.other : w.f.ctx, &w.f.surface, &w.f.surface);
    make_context_state();
    w.target = 0;
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

static void call_something(void) {
    const uint32_t what = below(1000);
    if (what < 600) {
        draw_small();
    } else if (what < 760) {
        change_state();
    } else if (what < 820) {
        change_program();
    } else if (what < 850) {
        attribute_arrays();
    } else if (what < 880) {
        const uint32_t at = below(VERTICES - 90), count = 3 * below(30);
        GLint bound = 0;
        make_vertices(at, count);
        glGetIntegerv(GL_ARRAY_BUFFER_BINDING, &bound);
        glBindBuffer(GL_ARRAY_BUFFER, w.buffer[0]);
        glBufferSubData(GL_ARRAY_BUFFER, (GLintptr)(at * sizeof w.vertices[0]), (GLsizeiptr)(count * sizeof w.vertices[0]), &w.vertices[at]);
        glBindBuffer(GL_ARRAY_BUFFER, (GLuint)bound);
    } else if (what < 910) {
        glClearColor(between(0, 1), 0.3f, between(0, 1), 1);
        glClearDepthf(chance(70) ? 1.0f : between(0, 1));
        glClear(chance(50) ? GL_DEPTH_BUFFER_BIT : GL_COLOR_BUFFER_BIT | (below(2) ? GL_STENCIL_BUFFER_BIT : GL_DEPTH_BUFFER_BIT));
    } else if (what < 930) {
        change_target();
    } else if (what < 955) {
        change_texture();
    } else if (what < 975) {
        look();
    } else if (what < 979) {
        change_context();
    } else if (what < 987) {
        draw_large();
    } else if (what < 992) {
        glFlush();
    } else {
        glBindFramebuffer(GL_FRAMEBUFFER, w.fbo[2]); /* another framebuffer between draws to the same one */
        glClear(GL_COLOR_BUFFER_BIT);
        glBindFramebuffer(GL_FRAMEBUFFER, w.target ? w.fbo[w.target] : 0);
    }
}

static void frame(uint64_t number, const struct setting *s, bool loses, struct outcome *out) {
    memset(out, 0, sizeof *out);
    check_seed(number);
    if (!world_begin(s, loses)) {
        check_failf(__FILE__, __LINE__, "frame %llu does not begin", (unsigned long long)number);
        return;
    }
    const unsigned calls = 20 + below(chance(30) ? 1500 : 250);
    const bool fast = chance(30);
    for (unsigned i = 0; i < calls && !w.f.ctx->lost && !w.other->lost; i++, out->lost_at++) {
        fast ? draw_small() : call_something();
        if (s->flush && i % s->flush == 0) {
            glFlush();
        }
    }
    if (w.f.ctx->lost || w.other->lost) {
        out->lost_at |= 1u << 31;
    }
    CHECK(loses || !(out->lost_at >> 31));
    world_end(out);
}

/* ---- comparison ---------------------------------------------------------------------- */

/* Counters that do not depend on flushes: a clear drops what is under it unless it has been run. (How many batches there
 * were is the one thing that may depend on addresses: of two states that go by one place in the table of those that are
 * known, each draw makes its own anew, and starts a batch.) */
static bool is_of_front(unsigned i) {
    return i <= RN_COUNTER_PRIMITIVES_BINNED || i == RN_COUNTER_VS_INSTRUCTIONS;
}

static bool same(uint64_t number, const struct setting *s, const struct outcome *a, const struct outcome *b, bool all) {
    bool good = a->hash == b->hash && a->lost_at == b->lost_at;
    check_count();
    if (!good) {
        check_failf(__FILE__, __LINE__, "frame %llu: %s, %s threads, flush %u: other pixels or answers", (unsigned long long)number,
                    vliw_simd_name(s->level), s->threads, s->flush);
    }
    for (unsigned i = 0; i < RN_COUNTER_COUNT && good; i++) {
        good = a->counters[2 + i] == b->counters[2 + i] || !(all ? i != RN_COUNTER_BATCHES : is_of_front(i));
        if (!good) {
            check_failf(__FILE__, __LINE__, "frame %llu: %s, %s threads, flush %u: counter %u is %llu, not %llu",
                        (unsigned long long)number, vliw_simd_name(s->level), s->threads, s->flush, i,
                        (unsigned long long)b->counters[2 + i], (unsigned long long)a->counters[2 + i]);
        }
    }
    return good;
}

static bool one_frame(uint64_t number) {
    static const char *const threads[] = {"1", "2", "7"};
    static const unsigned flushes[] = {0, 5, 1, 40};
    const enum vliw_simd best = vliw_simd_limit((enum vliw_simd)(VLIW_SIMD_COUNT - 1));
    const struct setting alone = {VLIW_SIMD_SCALAR, "1", 1};
    struct outcome first, other, plain;
    bool good = true;
    frame(number, &alone, false, &first);
    for (unsigned l = 0; l < VLIW_SIMD_COUNT && good; l++) {
        const struct setting s = {(enum vliw_simd)l, threads[(number + l) % 3], flushes[(number + 3 * l) % 4]};
        if (cpu_simd_available() >> l & 1u) {
            frame(number, &s, false, &other);
            good = same(number, &s, &first, &other, false);
        }
    }
    for (unsigned t = 0; t < 4 && good; t++) { /* the same calls: work is cut in the same way */
        const enum vliw_simd level = t < 3 ? best : (enum vliw_simd)(number % VLIW_SIMD_COUNT);
        const struct setting s = {level, threads[t % 3], 0};
        if (cpu_simd_available() >> level & 1u) {
            frame(number, &s, false, t ? &other : &plain);
            good = same(number, &s, t ? &plain : &first, t ? &other : &plain, t > 0);
        }
    }
    return good;
}

TEST(frames) {
    const char *text = getenv("VLGL_FUZZ"), *only = getenv("VLGL_FRAME"), *seed = getenv("VLGL_SEED");
    const uint64_t from = only ? strtoull(only, NULL, 10) : seed ? strtoull(seed, NULL, 10) * 1000000 : 1;
    const uint64_t count = only ? 1 : text ? strtoull(text, NULL, 10) : 40;
    for (uint64_t i = from; i < from + count && one_frame(i); i++) {
    }
    vliw_simd_limit((enum vliw_simd)(VLIW_SIMD_COUNT - 1));
}

/* A program runs to the limit somewhere: every number of threads sees it at the same call. */
TEST(losses) {
    const char *text = getenv("VLGL_FUZZ"), *only = getenv("VLGL_FRAME"), *seed = getenv("VLGL_SEED");
    const uint64_t from = only ? strtoull(only, NULL, 10) : seed ? strtoull(seed, NULL, 10) * 1000000 : 1;
    const uint64_t count = only ? 1 : text ? strtoull(text, NULL, 10) : 20;
    static const char *const threads[] = {"1", "2", "7"};
    setenv("VLGL_BUDGET", "20000", 1);
    for (uint64_t i = from, good = 1; i < from + count && good; i++) {
        unsigned lost[3] = {0};
        for (unsigned t = 0; t < 3; t++) {
            const struct setting s = {(enum vliw_simd)(VLIW_SIMD_COUNT - 1), threads[t], 0};
            struct outcome out;
            frame(i, &s, true, &out);
            lost[t] = out.lost_at;
        }
        good = lost[0] == lost[1] && lost[0] == lost[2];
        check_count();
        if (!good) {
            check_failf(__FILE__, __LINE__, "frame %llu is lost at call %x, %x, %x", (unsigned long long)i, lost[0], lost[1], lost[2]);
        }
    }
    unsetenv("VLGL_BUDGET");
}
