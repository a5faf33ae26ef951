/* SPDX-License-Identifier: MIT */
/*
 * Draws: their errors, robust access, instances, feedback, several targets, lost contexts,
 * counters, cost.
 */
#include <time.h>

#include "tests/unit/api_util.h"

static const char white[] = "void main() { gl_FragColor = vec4(1.0); }";

TEST(errors_in_order) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    glDrawArrays(GL_TRIANGLES, 0, 3); /* no program: nothing, no error */
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    glUseProgram(api_program(api_vertex, white));
    glDrawArrays(GL_TRIANGLE_FAN + 1, -1, -1);
    CHECK_ERROR(GL_INVALID_ENUM);
    glDrawArrays(GL_TRIANGLES, 0, -1);
    CHECK_ERROR(GL_INVALID_VALUE);
    glDrawElements(GL_TRIANGLES, -1, GL_FLOAT, NULL);
    CHECK_ERROR(GL_INVALID_ENUM);
    glDrawElements(GL_TRIANGLES, -1, GL_UNSIGNED_BYTE, NULL);
    CHECK_ERROR(GL_INVALID_VALUE);
    glDrawArraysInstancedEXT(GL_TRIANGLES, 0, 3, -1);
    CHECK_ERROR(GL_INVALID_VALUE);
    GLuint fb;
    glGenFramebuffers(1, &fb);
    glBindFramebuffer(GL_FRAMEBUFFER, fb);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    CHECK_ERROR(GL_INVALID_FRAMEBUFFER_OPERATION);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glEnableVertexAttribArray(0);
    glVertexAttribDivisorANGLE(0, 1);
    glDrawArraysInstancedANGLE(GL_TRIANGLES, 0, 3, 1);
    CHECK_ERROR(GL_INVALID_OPERATION);
    api_end(&f);
}

/* Draws a quad by indices of each type, from client memory and from a buffer. */
TEST(index_types_and_buffers) {
    static const GLfloat corners[8] = {-1, -1, 1, -1, -1, 1, 1, 1};
    static const uint8_t i8[6] = {0, 1, 2, 2, 1, 3};
    static const uint16_t i16[6] = {0, 1, 2, 2, 1, 3};
    static const uint32_t i32[6] = {0, 1, 2, 2, 1, 3};
    static const struct {
        GLenum type;
        const void *data;
        size_t size;
    } kinds[3] = {
        {GL_UNSIGNED_BYTE, i8, 6}, {GL_UNSIGNED_SHORT, i16, 12}, {GL_UNSIGNED_INT, i32, 24}};
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    glUseProgram(api_program(api_vertex, white));
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glEnableVertexAttribArray(0);
    GLuint b;
    glGenBuffers(1, &b);
    for (unsigned k = 0; k < 3; k++) {
        glClear(GL_COLOR_BUFFER_BIT);
        glDrawElements(GL_TRIANGLES, 6, kinds[k].type, kinds[k].data);
        CHECK_EQ_INT(api_pixel(0, 3), 0xFFFFFFFF);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, b);
        glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)kinds[k].size, kinds[k].data,
                     GL_STATIC_DRAW);
        glClear(GL_COLOR_BUFFER_BIT);
        glDrawElements(GL_TRIANGLES, 6, kinds[k].type, NULL);
        CHECK_EQ_INT(api_pixel(3, 0), 0xFFFFFFFF);
        /* Beyond the end indices read 0: the second triangle has no area. */
        glClear(GL_COLOR_BUFFER_BIT);
        glDrawElements(GL_TRIANGLES, 6, kinds[k].type, (const void *)(kinds[k].size / 2));
        CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
        glDrawElements(GL_TRIANGLES, 6, kinds[k].type, (const void *)(uintptr_t)1000000);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
    }
    glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, NULL);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(attributes_outside_a_buffer_read_zero) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint p = api_program("attribute vec4 a_position; attribute vec4 a_color; varying vec4 v;"
                           "void main() { gl_Position = a_position; v = a_color; }",
                           "varying highp vec4 v; void main() { gl_FragColor = v; }");
    glUseProgram(p);
    GLuint color = (GLuint)glGetAttribLocation(p, "a_color");
    GLuint b;
    glGenBuffers(1, &b);
    glBindBuffer(GL_ARRAY_BUFFER, b);
    glBufferData(GL_ARRAY_BUFFER, 4, "\xFF\xFF\xFF\xFF", GL_STATIC_DRAW);
    glVertexAttribPointer(color, 4, GL_UNSIGNED_BYTE, GL_TRUE, 0, (const void *)4);
    glEnableVertexAttribArray(color);
    api_quad();
    CHECK_EQ_INT(api_pixel(1, 1), 0x000000FF);
    glBindBuffer(GL_ARRAY_BUFFER, b);
    glBufferData(GL_ARRAY_BUFFER, 0, NULL, GL_STATIC_DRAW);
    api_quad();
    CHECK_EQ_INT(api_pixel(1, 1), 0x000000FF);
    glDisableVertexAttribArray(color);
    glVertexAttrib3f(color, 1.0f, 0.0f, 1.0f);
    api_quad();
    CHECK_EQ_INT(api_pixel(1, 1), 0xFF00FFFF);
    api_end(&f);
}

TEST(instances) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint p = api_program(
        "attribute vec4 a_position; attribute vec2 a_offset;"
        "void main() { gl_Position = a_position * vec4(0.5, 0.5, 1.0, 1.0) +"
        "vec4(a_offset, 0.0, 0.0); }",
        white);
    glUseProgram(p);
    GLuint offset = (GLuint)glGetAttribLocation(p, "a_offset");
    static const GLfloat corners[8] = {-1, -1, 1, -1, -1, 1, 1, 1};
    static const GLfloat offsets[4] = {-0.5f, -0.5f, 0.5f, 0.5f};
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(offset, 2, GL_FLOAT, GL_FALSE, 0, offsets);
    glEnableVertexAttribArray(offset);
    glVertexAttribDivisorEXT(offset, 1);
    glDrawArraysInstancedEXT(GL_TRIANGLE_STRIP, 0, 4, 2);
    CHECK_EQ_INT(api_pixel(0, 0), 0xFFFFFFFF);
    CHECK_EQ_INT(api_pixel(3, 3), 0xFFFFFFFF);
    CHECK_EQ_INT(api_pixel(3, 0), 0);
    CHECK_EQ_INT(api_pixel(0, 3), 0);
    api_end(&f);
}

TEST(feedback_reads_the_values_before_the_draw) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint p = api_program(api_vertex, "uniform sampler2D t; varying highp vec2 v_uv; void main() {"
                                       "gl_FragColor = texture2D(t, vec2(1.0) - v_uv); }");
    glUseProgram(p);
    GLuint t;
    GLuint fb;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    uint8_t pixels[16][4];
    for (unsigned i = 0; i < 16; i++) {
        pixels[i][0] = (uint8_t)(i * 16);
        pixels[i][1] = pixels[i][2] = 0;
        pixels[i][3] = 255;
    }
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    glGenFramebuffers(1, &fb);
    glBindFramebuffer(GL_FRAMEBUFFER, fb);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0);
    api_quad();
    for (GLint i = 0; i < 16; i++) {
        CHECK_EQ_INT(api_pixel(i % 4, i / 4) >> 24, (15 - i) * 16);
    }
    api_quad(); /* and back */
    for (GLint i = 0; i < 16; i++) {
        CHECK_EQ_INT(api_pixel(i % 4, i / 4) >> 24, i * 16);
    }
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(draw_buffers) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint fb;
    GLuint t[2];
    glGenFramebuffers(1, &fb);
    glBindFramebuffer(GL_FRAMEBUFFER, fb);
    glGenTextures(2, t);
    for (unsigned i = 0; i < 2; i++) {
        glBindTexture(GL_TEXTURE_2D, t[i]);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0_EXT + i, GL_TEXTURE_2D, t[i],
                               0);
    }
    glBindTexture(GL_TEXTURE_2D, 0);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    const GLenum swapped[2] = {GL_COLOR_ATTACHMENT1_EXT, GL_COLOR_ATTACHMENT0_EXT};
    glDrawBuffersEXT(2, swapped);
    CHECK_ERROR(GL_INVALID_OPERATION);
    const GLenum both[2] = {GL_COLOR_ATTACHMENT0_EXT, GL_COLOR_ATTACHMENT1_EXT};
    glDrawBuffersEXT(5, both);
    CHECK_ERROR(GL_INVALID_VALUE);
    glDrawBuffersEXT(2, both);
    glClearColor(0, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    const GLenum second[2] = {GL_NONE, GL_COLOR_ATTACHMENT1_EXT};
    glDrawBuffersEXT(2, second);
    GLint value = -1;
    glGetIntegerv(GL_DRAW_BUFFER1_EXT, &value);
    CHECK_EQ_INT(value, GL_COLOR_ATTACHMENT1_EXT);
    glUseProgram(api_program(
        api_vertex,
        "#extension GL_EXT_draw_buffers : require\n"
        "void main() { gl_FragData[0] = vec4(1.0); gl_FragData[1] = vec4(1.0, 0.0, 0.0, 1.0); }"));
    api_quad();
    CHECK_EQ_INT(api_pixel(1, 1), 0x0000FFFF);
    GLuint other;
    glGenFramebuffers(1, &other);
    glBindFramebuffer(GL_FRAMEBUFFER, other);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t[1], 0);
    CHECK_EQ_INT(api_pixel(1, 1), 0xFF0000FF);
    /* gl_FragColor is for all buffers, gl_FragData[0] for the first alone, whether the extension is enabled or not. */
    static const struct {
        const char *shader;
        uint32_t first, second;
    } cases[] = {
        {"void main() { gl_FragColor = vec4(1.0); }", 0xFFFFFFFF, 0xFFFFFFFF},
        {"void main() { gl_FragData[0] = vec4(1.0); }", 0xFFFFFFFF, 0},
        {"#extension GL_EXT_draw_buffers : enable\nvoid main() { gl_FragColor = vec4(1.0); }", 0xFFFFFFFF, 0xFFFFFFFF},
        {"#extension GL_EXT_draw_buffers : enable\nvoid main() { gl_FragData[0] = vec4(1.0); }", 0xFFFFFFFF, 0},
        {"#extension GL_EXT_draw_buffers : enable\nvoid main() { gl_FragData[1] = vec4(1.0); }", 0, 0xFFFFFFFF},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        glBindFramebuffer(GL_FRAMEBUFFER, fb);
        glDrawBuffersEXT(2, both);
        glClear(GL_COLOR_BUFFER_BIT);
        glUseProgram(api_program(api_vertex, cases[i].shader));
        api_quad();
        CHECK_EQ_INT(api_pixel(1, 1), cases[i].first);
        glBindFramebuffer(GL_FRAMEBUFFER, other);
        CHECK_EQ_INT(api_pixel(1, 1), cases[i].second);
    }
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

static char lost_text[200];
static void GL_APIENTRY lost_callback(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
                                      const GLchar *message, const void *user) {
    (void)source;
    (void)type;
    (void)length;
    if (id == GL_CONTEXT_LOST_KHR && severity == GL_DEBUG_SEVERITY_HIGH_KHR && user == lost_text) {
        snprintf(lost_text, sizeof lost_text, "%s", message);
    }
}

TEST(an_endless_shader_loses_the_context) {
    struct api_fixture f;
    setenv("VLGL_BUDGET", "10000", 1);
    CHECK(api_begin(&f, 4, 4));
    f.ctx->desc.lose_on_reset = true;
    glEnable(GL_DEBUG_OUTPUT_KHR);
    glDebugMessageCallbackKHR(lost_callback, lost_text);
    CHECK(es_context_lost_message(f.ctx) == NULL);
    glUseProgram(api_program(
        api_vertex,
        "precision highp float; uniform float u; void main() {"
        "float a = 0.0; float z = u; while (z < 1.0) { a += 0.0001; if (a < -1.0) z = a; }"
        "gl_FragColor = vec4(a); }"));
    CHECK_EQ_INT(glGetGraphicsResetStatusEXT(), GL_NO_ERROR);
    api_quad();
    glFinish();
    CHECK(es_context_is_lost(f.ctx));
    CHECK_STR(es_context_lost_message(f.ctx), lost_text);
    CHECK(strstr(lost_text, "fragment shader") && strstr(lost_text, "line 1"));
    CHECK_ERROR(GL_CONTEXT_LOST_KHR);
    CHECK_EQ_INT(glGetGraphicsResetStatusEXT(), GL_GUILTY_CONTEXT_RESET_EXT);
    CHECK_EQ_INT(glGetGraphicsResetStatusEXT(), GL_NO_ERROR);
    GLint value = 123;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &value);
    CHECK_EQ_INT(value, 123);
    CHECK_EQ_INT(glCreateProgram(), 0);
    glClear(GL_COLOR_BUFFER_BIT);
    CHECK_EQ_INT(api_pixel(0, 0), 0x01020304); /* nothing was written */
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    unsetenv("VLGL_BUDGET");
    api_end(&f);
    struct api_fixture g; /* other contexts live */
    CHECK(api_begin(&g, 4, 4));
    glUseProgram(api_program(api_vertex, white));
    api_quad();
    CHECK_EQ_INT(api_pixel(0, 0), 0xFFFFFFFF);
    api_end(&g);
}

TEST(counters) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    glUseProgram(api_program(api_vertex, white));
    uint64_t values[4] = {0};
    CHECK_EQ_INT(vlglGetCounters(values, 4), 4);
    api_quad();
    api_quad();
    CHECK_EQ_INT(vlglGetCounters(values, 3), 3);
    CHECK_EQ_INT(values[0], 4);
    CHECK_EQ_INT(values[1], 32);
    CHECK_EQ_INT(vlglGetCounters(values, 2), 2);
    CHECK_EQ_INT(values[1], 0);
    api_end(&f);
}

/*
 * Not a benchmark with a verdict, only a printed number: the API's part of a small draw with one
 * uniform.
 */
TEST(cost_of_a_small_draw) {
    enum { DRAWS = 100000 };
    struct api_fixture f;
    CHECK(api_begin(&f, 16, 16));
    glUseProgram(api_program(
        api_vertex, "precision mediump float; uniform vec4 c; void main() { gl_FragColor = c; }"));
    GLint c = glGetUniformLocation(f.ctx->program->base.name, "c");
    api_quad();
    glViewport(0, 0, 0, 0); /* the renderer is not entered */
    struct timespec a;
    struct timespec b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (unsigned i = 0; i < DRAWS; i++) {
        glUniform4f(c, (GLfloat)i, 0, 0, 1);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
    clock_gettime(CLOCK_MONOTONIC, &b);
    double ns = ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / DRAWS;
    printf("API time of a draw with one uniform: %.0f ns\n", ns);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}
