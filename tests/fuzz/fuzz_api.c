/* SPDX-License-Identifier: MIT */
/*
 * Bytes as a sequence of GL calls on a small context. Arguments come from tables of legal and
 * illegal values; client pointers point into a buffer large enough for the largest image. Nothing
 * may crash, hang or touch memory outside, whatever the order; two errors in a row from glGetError
 * are impossible.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/entry.h"
#include "api/state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t fuzz_seed(unsigned number, uint8_t *out, size_t capacity);

struct reader {
    const uint8_t *data;
    size_t left;
};

static uint8_t client[1 << 20];
static bool client_arrays; /* some attribute reads client memory: indices would be trusted there */

static uint32_t byte(struct reader *r) {
    if (!r->left) {
        return 0;
    }
    r->left--;
    return *r->data++;
}

static GLenum pick(struct reader *r, const GLenum *table, unsigned count) {
    return table[byte(r) % count];
}
#define PICK(r, ...)                                                                               \
    pick(r, (const GLenum[]){__VA_ARGS__}, sizeof((const GLenum[]){__VA_ARGS__}) / sizeof(GLenum))

/* Small numbers mostly, now and then an awkward one. */
static GLint number(struct reader *r) {
    static const GLint awkward[] = {-1, INT32_MAX, INT32_MIN, 8192, 8193, 65536, 1000000};
    uint32_t b = byte(r);
    return b < 240 ? (GLint)(b % 20) : awkward[b % 7];
}

/* Sizes that fit the client buffer: at most 20, or refused ones. */
static GLsizei extent(struct reader *r) {
    uint32_t b = byte(r);
    return b < 250 ? (GLsizei)(b % 20) : b < 253 ? -1 : 8193;
}

static GLfloat real(struct reader *r) {
    static const GLfloat values[] = {0, 1, -1, 0.5f, 2, -0.25f, 1e30f, -1e30f, 1e-40f};
    return values[byte(r) % 9];
}

static GLenum tex_target(struct reader *r) {
    return PICK(r, GL_TEXTURE_2D, GL_TEXTURE_2D, GL_TEXTURE_2D, GL_TEXTURE_2D, GL_TEXTURE_CUBE_MAP,
                GL_TEXTURE_3D_OES, 0);
}

static GLenum image_target(struct reader *r) {
    return PICK(r, GL_TEXTURE_2D, GL_TEXTURE_2D, GL_TEXTURE_2D, GL_TEXTURE_CUBE_MAP_POSITIVE_X,
                GL_TEXTURE_CUBE_MAP_NEGATIVE_Z, GL_TEXTURE_CUBE_MAP);
}

static GLenum tex_format(struct reader *r) {
    return PICK(r, GL_RGBA, GL_RGBA, GL_RGB, GL_ALPHA, GL_LUMINANCE, GL_LUMINANCE_ALPHA,
                GL_BGRA_EXT, GL_RED_EXT, GL_RG_EXT, GL_DEPTH_COMPONENT, GL_DEPTH_STENCIL_OES,
                GL_SRGB_EXT, GL_SRGB_ALPHA_EXT, 0);
}

static GLenum tex_type(struct reader *r) {
    return PICK(r, GL_UNSIGNED_BYTE, GL_UNSIGNED_BYTE, GL_UNSIGNED_SHORT_5_6_5,
                GL_UNSIGNED_SHORT_4_4_4_4, GL_UNSIGNED_SHORT_5_5_5_1, GL_FLOAT, GL_HALF_FLOAT_OES,
                GL_UNSIGNED_SHORT, GL_UNSIGNED_INT, GL_UNSIGNED_INT_24_8_OES, 0);
}

static GLenum sized(struct reader *r) {
    return PICK(r, GL_RGBA4, GL_RGB565, GL_RGB5_A1, GL_RGBA8_OES, GL_RGB8_OES, GL_DEPTH_COMPONENT16,
                GL_DEPTH24_STENCIL8_OES, GL_STENCIL_INDEX8, GL_RGBA16F_EXT, GL_R8_EXT,
                GL_SRGB8_ALPHA8_EXT, 0);
}

static GLenum point(struct reader *r) {
    return PICK(r, GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1_EXT,
                GL_DEPTH_ATTACHMENT, GL_STENCIL_ATTACHMENT, 0);
}

static void call_texture(struct reader *r) {
    GLuint name = byte(r) % 6;
    GLint a = number(r);
    GLint b = number(r);
    GLsizei w = extent(r);
    GLsizei h = byte(r) & 1 ? w : extent(r);
    switch (byte(r) % 14) {
    case 0: glBindTexture(tex_target(r), name); break;
    case 1: glDeleteTextures(1, &name); break;
    case 2: {
        GLenum format = tex_format(r);
        glTexImage2D(image_target(r), byte(r) % 5, (GLint)format, w, h, 0, format, tex_type(r),
                     byte(r) & 3 ? client : NULL);
        break;
    }
    case 3:
        glTexSubImage2D(image_target(r), byte(r) % 5, a, b, w, h, tex_format(r), tex_type(r),
                        client);
        break;
    case 4: glCopyTexImage2D(image_target(r), byte(r) % 5, tex_format(r), a, b, w, h, 0); break;
    case 5: glCopyTexSubImage2D(image_target(r), byte(r) % 5, a % 20, b % 20, a, b, w, h); break;
    case 6: glGenerateMipmap(tex_target(r)); break;
    case 7:
        glTexParameteri(tex_target(r),
                        PICK(r, GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER, GL_TEXTURE_WRAP_S,
                             GL_TEXTURE_COMPARE_MODE_EXT, GL_TEXTURE_MAX_ANISOTROPY_EXT, 0),
                        (GLint)PICK(r, GL_NEAREST, GL_LINEAR, GL_LINEAR_MIPMAP_LINEAR,
                                    GL_NEAREST_MIPMAP_NEAREST, GL_REPEAT, GL_CLAMP_TO_EDGE,
                                    GL_COMPARE_REF_TO_TEXTURE_EXT, 4));
        break;
    case 8: glTexStorage2DEXT(tex_target(r), byte(r) % 6, sized(r), w, h); break;
    case 9: {
        GLenum format = PICK(r, GL_ETC1_RGB8_OES, GL_COMPRESSED_RGB_S3TC_DXT1_EXT,
                             GL_COMPRESSED_RGBA_S3TC_DXT5_EXT);
        GLsizei block = format == GL_COMPRESSED_RGBA_S3TC_DXT5_EXT ? 16 : 8;
        glCompressedTexImage2D(image_target(r), byte(r) % 3, format, w, h, 0,
                               (w + 3) / 4 * ((h + 3) / 4) * block, client);
        break;
    }
    case 10:
        glCompressedTexSubImage2D(image_target(r), 0, a / 4 * 4, b / 4 * 4, 4, 4,
                                  GL_COMPRESSED_RGB_S3TC_DXT1_EXT, 8, client);
        break;
    case 11:
        glTexImage3DOES(GL_TEXTURE_3D_OES, byte(r) % 3, GL_RGBA, w, h, a, 0, GL_RGBA,
                        GL_UNSIGNED_BYTE, NULL);
        break;
    case 12:
        glTexSubImage3DOES(GL_TEXTURE_3D_OES, 0, 0, 0, a, w, h, 1, GL_RGBA, GL_UNSIGNED_BYTE,
                           client);
        break;
    default: glActiveTexture(GL_TEXTURE0 + byte(r) % 3); break;
    }
}

static void call_target(struct reader *r) {
    GLuint name = byte(r) % 4;
    GLsizei w = extent(r);
    GLsizei h = byte(r) & 3 ? w : extent(r);
    switch (byte(r) % 11) {
    case 0: glBindFramebuffer(GL_FRAMEBUFFER, name); break;
    case 1: glDeleteFramebuffers(1, &name); break;
    case 2: glBindRenderbuffer(GL_RENDERBUFFER, name); break;
    case 3: glDeleteRenderbuffers(1, &name); break;
    case 4: glRenderbufferStorage(GL_RENDERBUFFER, sized(r), w, h); break;
    case 5:
        glRenderbufferStorageMultisampleEXT(GL_RENDERBUFFER, byte(r) % 6, sized(r), w, h);
        break;
    case 6: glFramebufferRenderbuffer(GL_FRAMEBUFFER, point(r), GL_RENDERBUFFER, name); break;
    case 7:
        glFramebufferTexture2D(GL_FRAMEBUFFER, point(r), image_target(r), byte(r) % 6, byte(r) % 4);
        break;
    case 8:
        glFramebufferTexture2DMultisampleEXT(GL_FRAMEBUFFER, point(r), image_target(r), byte(r) % 6,
                                             0, byte(r) % 6);
        break;
    case 9: glDiscardFramebufferEXT(GL_FRAMEBUFFER, 1, (const GLenum[]){point(r)}); break;
    default: {
        const GLenum buffers[2] = {PICK(r, GL_NONE, GL_BACK, GL_COLOR_ATTACHMENT0),
                                   PICK(r, GL_NONE, GL_COLOR_ATTACHMENT1_EXT)};
        glDrawBuffersEXT(byte(r) % 3, buffers);
    }
    }
}

static void call_buffer(struct reader *r) {
    GLuint name = byte(r) % 4;
    GLenum target = PICK(r, GL_ARRAY_BUFFER, GL_ELEMENT_ARRAY_BUFFER, 0);
    GLint a = number(r);
    switch (byte(r) % 12) {
    case 0: glBindBuffer(target, name); break;
    case 1: glDeleteBuffers(1, &name); break;
    case 2: glBufferData(target, a % 70000, client, GL_DYNAMIC_DRAW); break;
    case 3: glBufferSubData(target, a, byte(r), client); break;
    case 4: glMapBufferRangeEXT(target, a, byte(r), byte(r)); break;
    case 5: glUnmapBufferOES(target); break;
    case 6: glBindVertexArrayOES(name); break;
    case 7: glDeleteVertexArraysOES(1, &name); break;
    case 8: {
        GLuint v;
        glGenVertexArraysOES(1, &v);
        break;
    }
    case 9: {
        GLint bound = 0;
        glGetIntegerv(GL_ARRAY_BUFFER_BINDING, &bound);
        /* Client memory is trusted by GL: only offsets into buffers are wild. */
        const void *p = bound ? (const void *)(uintptr_t)(unsigned)a : client;
        client_arrays |= !bound;
        glVertexAttribPointer(
            byte(r) % 3, (GLint)(byte(r) % 5),
            PICK(r, GL_FLOAT, GL_SHORT, GL_UNSIGNED_BYTE, GL_FIXED, GL_HALF_FLOAT_OES, 0), GL_TRUE,
            (GLsizei)byte(r), p);
        break;
    }
    case 10:
        byte(r) & 3 ? glEnableVertexAttribArray(byte(r) % 3)
                    : glDisableVertexAttribArray(byte(r) % 3);
        break;
    default: glVertexAttribDivisorEXT(byte(r) % 3, byte(r) % 3); break;
    }
}

static void call_state(struct reader *r) {
    switch (byte(r) % 12) {
    case 0:
        glEnable(PICK(r, GL_BLEND, GL_DEPTH_TEST, GL_STENCIL_TEST, GL_CULL_FACE,
                      GL_POLYGON_OFFSET_FILL, GL_SCISSOR_TEST, GL_SAMPLE_COVERAGE,
                      GL_DEBUG_OUTPUT_KHR, 0));
        break;
    case 1:
        glDisable(
            PICK(r, GL_BLEND, GL_DEPTH_TEST, GL_STENCIL_TEST, GL_CULL_FACE, GL_SCISSOR_TEST, 0));
        break;
    case 2: glViewport(number(r), number(r), number(r), number(r)); break;
    case 3: glScissor(number(r), number(r), number(r), number(r)); break;
    case 4: glBlendFunc(byte(r) % 12 + 0x300, byte(r) % 12 + 0x300); break;
    case 5: glStencilOp(GL_KEEP, PICK(r, GL_REPLACE, GL_INCR_WRAP, 0), GL_INVERT); break;
    case 6: glDepthFunc(GL_NEVER + byte(r) % 9); break;
    case 7: glColorMask(byte(r) & 1, byte(r) & 1, 1, 1); break;
    case 8: glClearColor(real(r), real(r), real(r), real(r)); break;
    case 9:
        glPixelStorei(PICK(r, GL_UNPACK_ALIGNMENT, GL_PACK_ALIGNMENT, GL_UNPACK_ROW_LENGTH_EXT,
                           GL_UNPACK_SKIP_ROWS_EXT),
                      (GLint)(byte(r) % 9));
        break;
    case 10: glPolygonOffset(real(r), real(r)); break;
    default: glLineWidth(real(r) * 8.0f); break;
    }
}

static void call_draw(struct reader *r, const GLuint *programs) {
    GLenum mode = byte(r) % 8;
    GLsizei count = (GLsizei)(byte(r) % 60);
    switch (byte(r) % 8) {
    case 0:
    case 1: glDrawArrays(mode, (GLint)(byte(r) % 100), count); break;
    case 2: {
        GLint bound = 0;
        glGetIntegerv(GL_ELEMENT_ARRAY_BUFFER_BINDING, &bound);
        if (bound && !client_arrays) { /* indices of client memory would be trusted too */
            glDrawElements(mode, count,
                           PICK(r, GL_UNSIGNED_BYTE, GL_UNSIGNED_SHORT, GL_UNSIGNED_INT, 0),
                           (const void *)(uintptr_t)(unsigned)number(r));
        }
        break;
    }
    case 3: glDrawArraysInstancedEXT(mode, 0, count, (GLsizei)(byte(r) % 4)); break;
    case 4:
        glClear(byte(r) & 7 ? GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT
                            : 1);
        break;
    case 5:
        glReadPixels(number(r), number(r), extent(r), extent(r), GL_RGBA,
                     byte(r) & 3 ? GL_UNSIGNED_BYTE : tex_type(r), client + (1 << 19));
        break;
    case 6: glUseProgram(programs[byte(r) % 3]); break;
    default: glUniform1i((GLint)(byte(r) % 4), (GLint)(byte(r) % 4)); break;
    }
}

static GLuint make_program(const char *fragment) {
    static const char *const vertex =
        "attribute vec4 p; attribute vec4 q; varying vec4 v; uniform float z;"
        "void main() { gl_Position = p * (1.0 + z); v = q; gl_PointSize = 5.0; }";
    GLuint program = glCreateProgram();
    const char *text[2] = {vertex, fragment};
    const GLenum types[2] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER};
    for (unsigned i = 0; i < 2; i++) {
        GLuint shader = glCreateShader(types[i]);
        glShaderSource(shader, 1, &text[i], NULL);
        glCompileShader(shader);
        glAttachShader(program, shader);
    }
    glLinkProgram(program);
    return program;
}

/* Something valid of each kind, so that many calls get past their checks. */
static void make_objects(GLuint cube_program) {
    glBindTexture(GL_TEXTURE_CUBE_MAP, 5);
    for (unsigned face = 0; face < 6; face++) {
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGB, 4, 4, 0, GL_RGB,
                     GL_UNSIGNED_BYTE, client);
    }
    glGenerateMipmap(GL_TEXTURE_CUBE_MAP);
    for (GLuint t = 1; t < 4; t++) {
        glBindTexture(GL_TEXTURE_2D, t);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
        glGenerateMipmap(GL_TEXTURE_2D);
    }
    for (GLuint i = 1; i < 4; i++) {
        glBindRenderbuffer(GL_RENDERBUFFER, i);
        glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8_OES, 16, 16);
        glBindFramebuffer(GL_FRAMEBUFFER, i);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, i, 0);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, i);
        glBindBuffer(GL_ARRAY_BUFFER, i);
        glBufferData(GL_ARRAY_BUFFER, 100 * (GLsizeiptr)i, client, GL_STATIC_DRAW);
        glEnableVertexAttribArray(i - 1);
        glVertexAttribPointer(i - 1, 4, GL_BYTE, GL_TRUE, 0, NULL);
    }
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 2);
    glUseProgram(cube_program);
    glUniform1i(glGetUniformLocation(cube_program, "c"), 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (size_t i = 0; i < 4096; i++) {
        client[i] = (uint8_t)(i * 37 >> 3);
    }
    struct es_surface surface;
    client_arrays = false;
    struct es_context *ctx = es_context_create(&(struct es_context_desc){0});
    if (!ctx || !es_surface_init(&surface, RN_FORMAT_RGBA8, RN_FORMAT_D24, true, size & 1 ? 4 : 1,
                                 16, 16)) {
        abort();
    }
    es_make_current(ctx, &surface, &surface);
    const GLuint programs[3] = {
        0,
        make_program(
            "precision mediump float; varying vec4 v; uniform sampler2D s; uniform samplerCube c;"
            "void main() { gl_FragColor = v + texture2D(s, v.xy) + textureCube(c, v.xyz); }"),
        make_program("precision mediump float; varying vec4 v; uniform sampler2D s;"
                     "void main() { gl_FragColor = texture2D(s, gl_FragCoord.xy / 8.0) * v.w; }"),
    };
    make_objects(programs[1]);
    struct reader r = {data, size < 2000 ? size : 2000};
    while (r.left) {
        switch (byte(&r) % 8) {
        case 0:
        case 1: call_texture(&r); break;
        case 2: call_target(&r); break;
        case 3: call_buffer(&r); break;
        case 4: call_state(&r); break;
        default: call_draw(&r, programs); break;
        }
        if (glGetError() != GL_NO_ERROR && glGetError() != GL_NO_ERROR) {
            abort();
        }
    }
    es_make_current(NULL, NULL, NULL);
    es_context_destroy(ctx);
    es_surface_fini(&surface);
    return 0;
}

size_t fuzz_seed(unsigned number, uint8_t *out, size_t capacity) {
    if (number >= 8) {
        return 0;
    }
    size_t n = capacity < 400 ? capacity : 400;
    uint32_t x = number * 2654435761u + 17;
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        out[i] = (uint8_t)(x >> 24);
    }
    return n;
}
