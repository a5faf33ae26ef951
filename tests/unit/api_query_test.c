/* SPDX-License-Identifier: MIT */
/*
 * EXT_occlusion_query_boolean, EXT_clip_control, EXT_shader_framebuffer_fetch and
 * OES_required_internalformat through the API, with their errors.
 */
#include "tests/unit/api_util.h"

static const char plain[] = "void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }";

static GLuint result_of(GLuint query) {
    GLuint available = 0, result = 77;
    glGetQueryObjectuivEXT(query, GL_QUERY_RESULT_AVAILABLE_EXT, &available);
    CHECK_EQ_INT(available, GL_TRUE);
    glGetQueryObjectuivEXT(query, GL_QUERY_RESULT_EXT, &result);
    return result;
}

TEST(occlusion_queries) {
    struct api_fixture f;
    CHECK(api_begin(&f, 64, 64));
    glUseProgram(api_program(api_vertex, plain));
    glEnable(GL_DEPTH_TEST);
    GLuint q[3];
    glGenQueriesEXT(3, q);
    CHECK(!glIsQueryEXT(q[0]));
    /* Nothing drawn; then something that passes. */
    glBeginQueryEXT(GL_ANY_SAMPLES_PASSED_EXT, q[0]);
    GLint current = 0;
    glGetQueryivEXT(GL_ANY_SAMPLES_PASSED_EXT, GL_CURRENT_QUERY_EXT, &current);
    CHECK_EQ_INT(current, q[0]);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT); /* clears do not count */
    glEndQueryEXT(GL_ANY_SAMPLES_PASSED_EXT);
    CHECK(glIsQueryEXT(q[0]) && result_of(q[0]) == GL_FALSE);
    glBeginQueryEXT(GL_ANY_SAMPLES_PASSED_CONSERVATIVE_EXT, q[1]);
    api_quad();
    glEndQueryEXT(GL_ANY_SAMPLES_PASSED_CONSERVATIVE_EXT);
    api_quad(); /* outside any query: hidden, and not asked */
    glBeginQueryEXT(GL_ANY_SAMPLES_PASSED_EXT, q[2]);
    api_quad(); /* GL_LESS at equal depth fails */
    glEndQueryEXT(GL_ANY_SAMPLES_PASSED_EXT);
    CHECK(result_of(q[2]) == GL_FALSE && result_of(q[1]) == GL_TRUE);
    /* One pixel, no colour and no depth written. */
    glDepthFunc(GL_ALWAYS);
    glDepthMask(GL_FALSE);
    glColorMask(0, 0, 0, 0);
    glEnable(GL_SCISSOR_TEST);
    glScissor(17, 3, 1, 1);
    glBeginQueryEXT(GL_ANY_SAMPLES_PASSED_EXT, q[0]);
    api_quad();
    glEndQueryEXT(GL_ANY_SAMPLES_PASSED_EXT);
    CHECK_EQ_INT(result_of(q[0]), GL_TRUE);
    glScissor(17, 3, 0, 1);
    glBeginQueryEXT(GL_ANY_SAMPLES_PASSED_EXT, q[0]);
    api_quad();
    glEndQueryEXT(GL_ANY_SAMPLES_PASSED_EXT);
    CHECK_EQ_INT(result_of(q[0]), GL_FALSE);
    /* What a program kills does not pass. */
    glDisable(GL_SCISSOR_TEST);
    GLuint kills = api_program(api_vertex, "precision mediump float; varying vec2 v_uv; uniform float least;"
                                           "void main() { if (v_uv.x < least) discard; gl_FragColor = vec4(1.0); }");
    glUseProgram(kills);
    for (int i = 0; i < 2; i++) {
        glUniform1f(glGetUniformLocation(kills, "least"), i ? 2.0f : 0.99f);
        glBeginQueryEXT(GL_ANY_SAMPLES_PASSED_EXT, q[0]);
        api_quad();
        glEndQueryEXT(GL_ANY_SAMPLES_PASSED_EXT);
        CHECK_EQ_INT(result_of(q[0]), !i);
    }
    /* Deleting an active query ends it. */
    glBeginQueryEXT(GL_ANY_SAMPLES_PASSED_EXT, q[0]);
    glDeleteQueriesEXT(1, &q[0]);
    glGetQueryivEXT(GL_ANY_SAMPLES_PASSED_EXT, GL_CURRENT_QUERY_EXT, &current);
    CHECK(current == 0 && !glIsQueryEXT(q[0]));
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(errors_of_queries) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint q[2], value;
    GLint current;
    glGenQueriesEXT(-1, q);
    CHECK_ERROR(GL_INVALID_VALUE);
    glDeleteQueriesEXT(-1, q);
    CHECK_ERROR(GL_INVALID_VALUE);
    glGenQueriesEXT(2, q);
    glBeginQueryEXT(GL_TEXTURE_2D, q[0]);
    CHECK_ERROR(GL_INVALID_ENUM);
    glBeginQueryEXT(GL_ANY_SAMPLES_PASSED_EXT, 0);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glBeginQueryEXT(GL_ANY_SAMPLES_PASSED_EXT, 1234);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glEndQueryEXT(GL_TEXTURE_2D);
    CHECK_ERROR(GL_INVALID_ENUM);
    glEndQueryEXT(GL_ANY_SAMPLES_PASSED_EXT);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glGetQueryObjectuivEXT(q[0], GL_QUERY_RESULT_EXT, &value); /* a name, but no query yet */
    CHECK_ERROR(GL_INVALID_OPERATION);
    glBeginQueryEXT(GL_ANY_SAMPLES_PASSED_EXT, q[0]);
    CHECK_ERROR(GL_NO_ERROR);
    glBeginQueryEXT(GL_ANY_SAMPLES_PASSED_EXT, q[1]);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glBeginQueryEXT(GL_ANY_SAMPLES_PASSED_CONSERVATIVE_EXT, q[1]);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glEndQueryEXT(GL_ANY_SAMPLES_PASSED_CONSERVATIVE_EXT);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glGetQueryObjectuivEXT(q[0], GL_QUERY_RESULT_EXT, &value); /* active */
    CHECK_ERROR(GL_INVALID_OPERATION);
    glEndQueryEXT(GL_ANY_SAMPLES_PASSED_EXT);
    glBeginQueryEXT(GL_ANY_SAMPLES_PASSED_CONSERVATIVE_EXT, q[0]); /* another target */
    CHECK_ERROR(GL_INVALID_OPERATION);
    glGetQueryObjectuivEXT(q[0], GL_TEXTURE_2D, &value);
    CHECK_ERROR(GL_INVALID_ENUM);
    glGetQueryivEXT(GL_ANY_SAMPLES_PASSED_EXT, GL_QUERY_RESULT_EXT, &current);
    CHECK_ERROR(GL_INVALID_ENUM);
    glGetQueryivEXT(GL_QUERY_RESULT_EXT, GL_CURRENT_QUERY_EXT, &current);
    CHECK_ERROR(GL_INVALID_ENUM);
    api_end(&f);
}

static void triangle(float x0, float y0, float x1, float y1, float x2, float y2, float z) {
    const float at[12] = {x0, y0, z, 1, x1, y1, z, 1, x2, y2, z, 1};
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, at);
    glEnableVertexAttribArray(0);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

TEST(clip_control) {
    struct api_fixture f;
    CHECK(api_begin(&f, 16, 16));
    glUseProgram(api_program(api_vertex, plain));
    GLint value = 0;
    glGetIntegerv(GL_CLIP_ORIGIN_EXT, &value);
    CHECK_EQ_INT(value, GL_LOWER_LEFT_EXT);
    glGetIntegerv(GL_CLIP_DEPTH_MODE_EXT, &value);
    CHECK_EQ_INT(value, GL_NEGATIVE_ONE_TO_ONE_EXT);
    glClipControlEXT(GL_UPPER_LEFT_EXT, GL_CCW);
    CHECK_ERROR(GL_INVALID_ENUM);
    glClipControlEXT(GL_CCW, GL_ZERO_TO_ONE_EXT);
    CHECK_ERROR(GL_INVALID_ENUM);
    glGetIntegerv(GL_CLIP_ORIGIN_EXT, &value);
    CHECK_EQ_INT(value, GL_LOWER_LEFT_EXT); /* an error changes nothing */
    /* Upside down, and faces stay what they are. */
    glEnable(GL_CULL_FACE);
    for (int upper = 0; upper < 2; upper++) {
        glClipControlEXT(upper ? GL_UPPER_LEFT_EXT : GL_LOWER_LEFT_EXT, GL_NEGATIVE_ONE_TO_ONE_EXT);
        glClear(GL_COLOR_BUFFER_BIT);
        triangle(-1, -1, 1, -1, -1, 1, 0); /* counter-clockwise in clip space */
        CHECK_EQ_INT(api_pixel(2, 1), upper ? 0 : 0x00FF00FF);
        CHECK_EQ_INT(api_pixel(2, 12), 0x00FF00FF);
        CHECK_EQ_INT(api_pixel(12, 13), upper ? 0x00FF00FF : 0);
        glClear(GL_COLOR_BUFFER_BIT);
        triangle(-1, -1, -1, 1, 1, -1, 0);
        CHECK_EQ_INT(api_pixel(2, 12), 0);
    }
    glDisable(GL_CULL_FACE);
    glEnable(GL_DEPTH_TEST);
    /* Depth: z = 0.25 is 0.25 or 0.625; z = -0.5 is outside or 0.25. */
    for (int zero = 0; zero < 2; zero++) {
        glClipControlEXT(GL_LOWER_LEFT_EXT, zero ? GL_ZERO_TO_ONE_EXT : GL_NEGATIVE_ONE_TO_ONE_EXT);
        glClearDepthf(0.5f);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        triangle(-1, -1, 3, -1, -1, 3, 0.25f);
        CHECK_EQ_INT(api_pixel(8, 8), zero ? 0x00FF00FF : 0);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        triangle(-1, -1, 3, -1, -1, 3, -0.5f);
        CHECK_EQ_INT(api_pixel(8, 8), zero ? 0 : 0x00FF00FF);
    }
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(framebuffer_fetch) {
    struct api_fixture f;
    CHECK(api_begin(&f, 32, 32));
    GLuint program = api_program(api_vertex, "#extension GL_EXT_shader_framebuffer_fetch : require\n"
                                             "precision highp float;"
                                             "void main() { gl_FragColor = gl_LastFragData[0] + vec4(0.2, 0.0, 0.0, 0.0); }");
    CHECK(program != 0);
    glUseProgram(program);
    glClearColor(0, 0.4f, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    api_quad();
    CHECK_EQ_INT(api_pixel(3, 3), 0x336600FF);
    /* Triangles of one draw that cover the same pixels see each other. */
    static const GLfloat twice[] = {-1, -1, 3, -1, -1, 3, -1, -1, 3, -1, -1, 3, -1, -1, 3, -1, -1, 3};
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, twice);
    glDrawArrays(GL_TRIANGLES, 0, 9);
    CHECK_EQ_INT(api_pixel(3, 3), 0xCC6600FF);
    CHECK_EQ_INT(api_pixel(31, 31), 0xCC6600FF);
    GLboolean samples = GL_FALSE;
    glGetBooleanv(GL_FRAGMENT_SHADER_DISCARDS_SAMPLES_EXT, &samples);
    CHECK_EQ_INT(samples, GL_TRUE);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(texture_max_level) {
    struct api_fixture f;
    CHECK(api_begin(&f, 8, 8));
    static const uint8_t red[4 * 4 * 4] = {255, 0, 0, 255}, green[2 * 2 * 4] = {0, 255, 0, 255}, blue[4] = {0, 0, 255, 255};
    GLuint t;
    GLint level = 0;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, red);
    glTexImage2D(GL_TEXTURE_2D, 1, GL_RGBA, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, green);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glGetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL_APPLE, &level);
    CHECK_EQ_INT(level, 1000);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL_APPLE, INT32_MAX);
    glGetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL_APPLE, &level);
    CHECK_EQ_INT(level, INT32_MAX);
    GLfloat as_float = 0;
    glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL_APPLE, 1e8f);
    glGetTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL_APPLE, &as_float);
    CHECK(as_float == 1e8f);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL_APPLE, -1.0f);
    CHECK_ERROR(GL_INVALID_VALUE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL_APPLE, 1000);
    glUseProgram(api_program(api_vertex, "#extension GL_EXT_shader_texture_lod : require\n"
                                         "uniform sampler2D t; void main() { gl_FragColor = texture2DLodEXT(t, vec2(0.1), 5.0); }"));
    api_quad();
    CHECK_EQ_INT(api_pixel(4, 4), 0x000000FF); /* level 2 is missing: incomplete */
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL_APPLE, 1);
    api_quad();
    CHECK_EQ_INT(api_pixel(4, 4), 0x00FF00FF);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL_APPLE, 0);
    api_quad();
    CHECK_EQ_INT(api_pixel(4, 4), 0xFF0000FF);
    glTexImage2D(GL_TEXTURE_2D, 2, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, blue);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL_APPLE, 1);
    glGenerateMipmap(GL_TEXTURE_2D); /* does not touch level 2 */
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL_APPLE, 2);
    api_quad();
    CHECK_EQ_INT(api_pixel(4, 4), 0x0000FFFF);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL_APPLE, -1);
    CHECK_ERROR(GL_INVALID_VALUE);
    api_end(&f);
}

TEST(sized_formats_of_teximage) {
    struct api_fixture f;
    CHECK(api_begin(&f, 8, 8));
    static const struct {
        GLenum sized, format, type, error;
    } cases[] = {{GL_RGBA8_OES, GL_RGBA, GL_UNSIGNED_BYTE, GL_NO_ERROR},
                 {GL_RGBA8_OES, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, GL_INVALID_OPERATION},
                 {GL_RGBA8_OES, GL_RGB, GL_UNSIGNED_BYTE, GL_INVALID_OPERATION},
                 {GL_RGBA4, GL_RGBA, GL_UNSIGNED_BYTE, GL_NO_ERROR},
                 {GL_RGBA4, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, GL_INVALID_OPERATION},
                 {GL_RGB5_A1, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, GL_NO_ERROR},
                 {GL_RGB565, GL_RGB, GL_UNSIGNED_BYTE, GL_NO_ERROR},
                 {GL_RGB8_OES, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, GL_INVALID_OPERATION},
                 {GL_LUMINANCE4_ALPHA4_OES, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, GL_NO_ERROR},
                 {GL_LUMINANCE8_OES, GL_LUMINANCE, GL_UNSIGNED_BYTE, GL_NO_ERROR},
                 {GL_ALPHA8_OES, GL_ALPHA, GL_UNSIGNED_BYTE, GL_NO_ERROR},
                 {GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, GL_NO_ERROR},
                 {GL_DEPTH_COMPONENT24_OES, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, GL_INVALID_OPERATION},
                 {GL_DEPTH24_STENCIL8_OES, GL_DEPTH_STENCIL_OES, GL_UNSIGNED_INT_24_8_OES, GL_NO_ERROR},
                 {0x1234, GL_RGBA, GL_UNSIGNED_BYTE, GL_INVALID_VALUE}};
    static const uint8_t pixels[4 * 4 * 4];
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        glTexImage2D(GL_TEXTURE_2D, 0, (GLint)cases[i].sized, 4, 4, 0, cases[i].format, cases[i].type, pixels);
        CHECK_ERROR(cases[i].error);
    }
    glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGB565, 0, 0, 4, 4, 0);
    CHECK_ERROR(GL_NO_ERROR);
    glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT16, 0, 0, 4, 4, 0);
    CHECK_ERROR(GL_INVALID_ENUM);
    api_end(&f);
}
