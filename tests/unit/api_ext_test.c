/* SPDX-License-Identifier: MIT */
/*
 * One drawing for each extension whose work is done by compiler or renderer: the whole way, by
 * numbers.
 */
#include "tests/unit/api_util.h"

static GLuint texture_2d(GLenum format, GLenum type, GLsizei w, GLsizei h, const void *pixels) {
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, w, h, 0, format, type, pixels);
    return t;
}

/* Draws the bound texture's texel (0.25, 0.25) over the surface and returns a pixel. */
static uint32_t sample_pixel(void) {
    GLuint p = api_program(
        api_vertex,
        "uniform sampler2D t; void main() { gl_FragColor = texture2D(t, vec2(0.25)); }");
    glUseProgram(p);
    api_quad();
    uint32_t pixel = api_pixel(1, 1);
    glUseProgram(0);
    glDeleteProgram(p);
    return pixel;
}

/* Draws with a fragment shader's main; the pixel at (1, 1). */
static uint32_t draw_pixel(const char *fragment) {
    GLuint p = api_program(api_vertex, fragment);
    glUseProgram(p);
    api_quad();
    uint32_t pixel = p ? api_pixel(1, 1) : 0x12345678;
    glUseProgram(0);
    glDeleteProgram(p);
    return pixel;
}

TEST(standard_derivatives) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    CHECK_EQ_INT(
        draw_pixel(
            "#extension GL_OES_standard_derivatives : require\n"
            "varying highp vec2 v_uv; void main() {"
            "highp vec2 d = vec2(dFdx(v_uv.x), dFdy(v_uv.y));"
            "gl_FragColor = vec4(d, fwidth(v_uv.x) * 2.0, 1.0); }"),
        0x404080FF);
    api_end(&f);
}

TEST(shader_texture_lod) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    static const uint8_t red[16] = {255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255};
    static const uint8_t green[4] = {0, 255, 0, 255};
    texture_2d(GL_RGBA, GL_UNSIGNED_BYTE, 2, 2, red);
    glTexImage2D(GL_TEXTURE_2D, 1, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, green);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    CHECK_EQ_INT(
        draw_pixel(
            "#extension GL_EXT_shader_texture_lod : require\n"
            "uniform sampler2D t; void main() {"
            "gl_FragColor = texture2DLodEXT(t, vec2(0.5), 1.0); }"),
        0x00FF00FF);
    CHECK_EQ_INT(
        draw_pixel(
            "#extension GL_EXT_shader_texture_lod : require\n"
            "uniform sampler2D t; void main() {"
            "gl_FragColor = texture2DLodEXT(t, vec2(0.5), 0.0); }"),
        0xFF0000FF);
    CHECK_EQ_INT(
        draw_pixel(
            "#extension GL_EXT_shader_texture_lod : require\n"
            "uniform sampler2D t; void main() {"
            "gl_FragColor = texture2DGradEXT(t, vec2(0.5), vec2(1.0, 0.0), vec2(0.0, 1.0)); }"),
        0x00FF00FF);
    api_end(&f);
}

TEST(frag_depth) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    glEnable(GL_DEPTH_TEST);
    glClear(GL_DEPTH_BUFFER_BIT);
    CHECK_EQ_INT(
        draw_pixel(
            "#extension GL_EXT_frag_depth : require\n"
            "void main() { gl_FragDepthEXT = 0.25; gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0); }"),
        0xFF0000FF);
    CHECK_EQ_INT(draw_pixel("void main() { gl_FragColor = vec4(0.0, 0.0, 1.0, 1.0); }"),
                 0xFF0000FF); /* at 0.5 */
    CHECK_EQ_INT(
        draw_pixel(
            "#extension GL_EXT_frag_depth : require\n"
            "void main() { gl_FragDepthEXT = 0.125; gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }"),
        0x00FF00FF);
    api_end(&f);
}

TEST(texture_3d) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    uint8_t slices[2][4][4];
    for (unsigned z = 0; z < 2; z++) {
        for (unsigned i = 0; i < 4; i++) {
            memcpy(slices[z][i], z ? "\x00\xC8\x00\xFF" : "\x64\x00\x00\xFF", 4);
        }
    }
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_3D_OES, t);
    glTexParameteri(GL_TEXTURE_3D_OES, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexImage3DOES(GL_TEXTURE_3D_OES, 0, GL_RGBA, 2, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, slices);
    CHECK_EQ_INT(
        draw_pixel(
            "#extension GL_OES_texture_3D : require\n"
            "uniform mediump sampler3D t; void main() { gl_FragColor = texture3D(t, vec3(0.5)); }"),
        0x326400FF);
    GLuint fb;
    glGenFramebuffers(1, &fb);
    glBindFramebuffer(GL_FRAMEBUFFER, fb);
    glFramebufferTexture3DOES(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_3D_OES, t, 0, 1);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    CHECK_EQ_INT(api_pixel(0, 0), 0x00C800FF);
    glClearColor(0, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glFramebufferTexture3DOES(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_3D_OES, t, 0, 0);
    CHECK_EQ_INT(api_pixel(0, 0), 0x640000FF);
    glCopyTexSubImage3DOES(GL_TEXTURE_3D_OES, 0, 0, 0, 1, 0, 0, 2, 1);
    glFramebufferTexture3DOES(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_3D_OES, t, 0, 1);
    CHECK_EQ_INT(api_pixel(1, 0), 0x640000FF);
    CHECK_EQ_INT(api_pixel(1, 1), 0x0000FFFF);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(shadow_samplers) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    static const uint16_t depth = 0x8000;
    texture_2d(GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, 1, 1, &depth);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE_EXT, GL_COMPARE_REF_TO_TEXTURE_EXT);
    const char *shader =
        "#extension GL_EXT_shadow_samplers : require\n"
        "uniform mediump sampler2DShadow t; void main() {"
        "gl_FragColor = vec4(shadow2DEXT(t, vec3(0.5, 0.5, 0.25)),"
        "shadow2DEXT(t, vec3(0.5, 0.5, 0.75)),"
        "shadow2DProjEXT(t, vec4(1.0, 1.0, 0.8, 2.0)), 1.0); }";
    CHECK_EQ_INT(draw_pixel(shader), 0xFF00FFFF); /* GL_LEQUAL */
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC_EXT, GL_GREATER);
    CHECK_EQ_INT(draw_pixel(shader), 0x00FF00FF);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE_EXT, GL_NONE);
    CHECK_EQ_INT(sample_pixel(), 0x808080FF); /* OES_depth_texture: d, d, d, 1 */
    api_end(&f);
}

TEST(depth_texture_as_target) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint depth = texture_2d(GL_DEPTH_STENCIL_OES, GL_UNSIGNED_INT_24_8_OES, 4, 4, NULL);
    GLuint color = texture_2d(GL_RGBA, GL_UNSIGNED_BYTE, 4, 4, NULL);
    GLuint fb;
    glGenFramebuffers(1, &fb);
    glBindFramebuffer(GL_FRAMEBUFFER, fb);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color, 0);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    glClearDepthf(0.2f);
    glClearStencil(5);
    glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_EQUAL, 5, 0xFF);
    CHECK_EQ_INT(draw_pixel("void main() { gl_FragColor = vec4(1.0); }"), 0xFFFFFFFF);
    glDisable(GL_STENCIL_TEST);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glBindTexture(GL_TEXTURE_2D, depth);
    CHECK_EQ_INT(sample_pixel(), 0x333333FF);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(float_textures_and_targets) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    static const GLfloat values[4] = {0.2f, 0.4f, 0.6f, 0.8f};
    texture_2d(GL_RGBA, GL_FLOAT, 1, 1, values);
    CHECK_EQ_INT(sample_pixel(), 0x336699CC);
    texture_2d(GL_LUMINANCE_ALPHA, GL_FLOAT, 1, 1, values);
    CHECK_EQ_INT(sample_pixel(), 0x33333366);
    texture_2d(GL_RG_EXT, GL_FLOAT, 1, 1, values);
    CHECK_EQ_INT(sample_pixel(), 0x336600FF);
    static const uint16_t halves[4] = {0x3C00, 0x3800, 0x0000, 0x3400}; /* 1, 1/2, 0, 1/4 */
    texture_2d(GL_RGBA, GL_HALF_FLOAT_OES, 1, 1, halves);
    CHECK_EQ_INT(sample_pixel(), 0xFF800040);
    texture_2d(GL_ALPHA, GL_HALF_FLOAT_OES, 1, 1, halves);
    CHECK_EQ_INT(sample_pixel(), 0x000000FF);
    /* A half-float target keeps values beyond 1; blending on it too. */
    GLuint t = texture_2d(GL_RGBA, GL_HALF_FLOAT_OES, 2, 2, NULL);
    GLuint fb;
    glGenFramebuffers(1, &fb);
    glBindFramebuffer(GL_FRAMEBUFFER, fb);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    glBindTexture(GL_TEXTURE_2D, 0);
    glClearColor(3.0f, -2.0f, 0.5f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glUseProgram(api_program(
        api_vertex,
        "precision highp float; void main() { gl_FragColor = vec4(1000.0, 0.5, 0.0, 0.0); }"));
    api_quad();
    GLfloat out[4] = {0};
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_FLOAT, out);
    CHECK(out[0] == 1003.0f && out[1] == -1.5f && out[2] == 0.5f && out[3] == 1.0f);
    uint16_t half[4] = {0};
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_HALF_FLOAT_OES, half);
    CHECK(half[0] == 0x63D6 && half[1] == 0xBE00 && half[2] == 0x3800 && half[3] == 0x3C00);
    GLint type = 0;
    glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                          GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE_EXT, &type);
    CHECK_EQ_INT(type, GL_FLOAT);
    /* 32-bit floats are sampled, never rendered to. */
    static const struct {
        GLenum format, status;
    } never[] = {{GL_RGBA, GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT},
                 {GL_RGB, GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT},
                 {GL_LUMINANCE, GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT},
                 {GL_RED_EXT, GL_FRAMEBUFFER_UNSUPPORTED},
                 {GL_RG_EXT, GL_FRAMEBUFFER_UNSUPPORTED}};
    for (unsigned i = 0; i < sizeof never / sizeof never[0]; i++) {
        t = texture_2d(never[i].format, GL_FLOAT, 2, 2, NULL);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0);
        CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), never[i].status);
        CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
        glClear(GL_COLOR_BUFFER_BIT);
        CHECK_ERROR(GL_INVALID_FRAMEBUFFER_OPERATION);
    }
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(linear_filter_of_float_textures) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    static const GLfloat two[2] = {0.0f, 0.8f};
    texture_2d(GL_LUMINANCE, GL_FLOAT, 2, 1, two);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    CHECK_EQ_INT(
        draw_pixel("uniform sampler2D t; void main() { gl_FragColor = texture2D(t, vec2(0.5)); }"),
        0x666666FF);
    api_end(&f);
}

TEST(srgb) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    static const uint8_t encoded[4] = {188, 255, 0, 128};
    GLuint t = texture_2d(GL_SRGB_ALPHA_EXT, GL_UNSIGNED_BYTE, 1, 1, encoded);
    CHECK_EQ_INT(sample_pixel(), 0x80FF0080); /* 188 decodes to about one half */
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SRGB_DECODE_EXT, GL_SKIP_DECODE_EXT);
    CHECK_EQ_INT(sample_pixel(), 0xBCFF0080);
    glGenerateMipmap(GL_TEXTURE_2D);
    CHECK_ERROR(GL_INVALID_OPERATION);
    GLuint fb;
    glGenFramebuffers(1, &fb);
    glBindFramebuffer(GL_FRAMEBUFFER, fb);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    glBindTexture(GL_TEXTURE_2D, 0);
    glUseProgram(
        api_program(api_vertex, "void main() { gl_FragColor = vec4(0.5, 1.0, 0.0, 0.5); }"));
    api_quad();
    CHECK_EQ_INT(api_pixel(0, 0), 0xBCFF0080); /* encoded at the store, read as stored */
    GLint encoding = 0;
    glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                          GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING_EXT, &encoding);
    CHECK_EQ_INT(encoding, GL_SRGB_EXT);
    api_end(&f);
}

TEST(bgra_and_rg) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    static const uint8_t bytes[4] = {10, 20, 30, 40};
    texture_2d(GL_BGRA_EXT, GL_UNSIGNED_BYTE, 1, 1, bytes);
    CHECK_EQ_INT(sample_pixel(), 0x1E140A28);
    texture_2d(GL_RED_EXT, GL_UNSIGNED_BYTE, 1, 1, bytes);
    CHECK_EQ_INT(sample_pixel(), 0x0A0000FF);
    texture_2d(GL_RG_EXT, GL_UNSIGNED_BYTE, 1, 1, bytes);
    CHECK_EQ_INT(sample_pixel(), 0x0A1400FF);
    api_end(&f);
}

TEST(blend_minmax) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    glClearColor(0.2f, 0.8f, 0.2f, 0.8f);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ZERO, GL_ZERO); /* factors do not count */
    glBlendEquationSeparate(GL_MIN_EXT, GL_MAX_EXT);
    CHECK_EQ_INT(draw_pixel("void main() { gl_FragColor = vec4(0.4, 0.4, 0.0, 1.0); }"),
                 0x336600FF);
    api_end(&f);
}

TEST(vertex_half_float_and_fixed) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint p = api_program(
        "attribute vec4 a_position; attribute vec4 a_half; attribute vec2 a_fixed; varying vec4 v;"
        "void main() { gl_Position = a_position; v = vec4(a_half.xy, a_fixed); }",
        "varying highp vec4 v; void main() { gl_FragColor = v; }");
    glUseProgram(p);
    static const uint16_t halves[8] = {0x3C00, 0x3400, 0x3C00, 0x3400,
                                       0x3C00, 0x3400, 0x3C00, 0x3400};
    static const GLint fixed[8] = {0x8000, 0x10000, 0x8000, 0x10000,
                                   0x8000, 0x10000, 0x8000, 0x10000};
    GLuint h = (GLuint)glGetAttribLocation(p, "a_half");
    GLuint x = (GLuint)glGetAttribLocation(p, "a_fixed");
    glVertexAttribPointer(h, 2, GL_HALF_FLOAT_OES, GL_FALSE, 0, halves);
    glVertexAttribPointer(x, 2, GL_FIXED, GL_FALSE, 0, fixed);
    glEnableVertexAttribArray(h);
    glEnableVertexAttribArray(x);
    api_quad();
    CHECK_EQ_INT(api_pixel(2, 2), 0xFF4080FF);
    api_end(&f);
}

TEST(one_color_goes_to_all_draw_buffers) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint fb[2];
    glGenFramebuffers(2, fb);
    GLuint t[2];
    glBindFramebuffer(GL_FRAMEBUFFER, fb[0]);
    for (unsigned i = 0; i < 2; i++) {
        t[i] = texture_2d(GL_RGBA, GL_UNSIGNED_BYTE, 4, 4, NULL);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0_EXT + i, GL_TEXTURE_2D, t[i],
                               0);
    }
    glBindTexture(GL_TEXTURE_2D, 0);
    glDrawBuffersEXT(2, (const GLenum[]){GL_COLOR_ATTACHMENT0_EXT, GL_COLOR_ATTACHMENT1_EXT});
    CHECK_EQ_INT(draw_pixel("void main() { gl_FragColor = vec4(1.0, 0.0, 1.0, 1.0); }"),
                 0xFF00FFFF);
    glBindFramebuffer(GL_FRAMEBUFFER, fb[1]);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t[1], 0);
    CHECK_EQ_INT(api_pixel(1, 1), 0xFF00FFFF);
    api_end(&f);
}

TEST(multisampled_edges) {
    struct api_fixture f;
    CHECK(api_begin(&f, 8, 8));
    GLuint t = texture_2d(GL_RGBA, GL_UNSIGNED_BYTE, 8, 8, NULL);
    GLuint fb;
    glGenFramebuffers(1, &fb);
    glBindFramebuffer(GL_FRAMEBUFFER, fb);
    glFramebufferTexture2DMultisampleEXT(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0,
                                         4);
    glBindTexture(GL_TEXTURE_2D, 0);
    glUseProgram(api_program(api_vertex, "void main() { gl_FragColor = vec4(1.0); }"));
    static const GLfloat triangle[6] = {-1, -1, 1, -1, -1, 1};
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, triangle);
    glEnableVertexAttribArray(0);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    CHECK_EQ_INT(api_pixel(0, 0), 0xFFFFFFFF);
    CHECK_EQ_INT(api_pixel(7, 7), 0);
    unsigned edge = api_pixel(4, 3) >> 24; /* on the diagonal: some of the four samples */
    CHECK(edge == 64 || edge == 128 || edge == 191);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glBindTexture(GL_TEXTURE_2D, t);
    CHECK_EQ_INT(sample_pixel(), 0xFFFFFFFF);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(anisotropy_is_accepted_and_samples) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    static const uint8_t gray[16] = {100, 100, 100, 255, 100, 100, 100, 255,
                                     100, 100, 100, 255, 100, 100, 100, 255};
    texture_2d(GL_RGBA, GL_UNSIGNED_BYTE, 2, 2, gray);
    glGenerateMipmap(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY_EXT, 100.0f);
    GLfloat value = 0;
    glGetTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY_EXT, &value);
    CHECK(value == 16.0f);
    CHECK_EQ_INT(draw_pixel("uniform sampler2D t; varying highp vec2 v_uv;"
                            "void main() { gl_FragColor = texture2D(t, v_uv * vec2(9.0, 1.0)); }"),
                 0x646464FF);
    api_end(&f);
}

