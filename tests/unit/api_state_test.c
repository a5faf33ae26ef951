/* SPDX-License-Identifier: MIT */
/* Raw state: defaults, setters, glGet with its conversions, errors of setters, the entry table. */
#include "tests/unit/api_util.h"

TEST(every_entry_has_an_address) {
    unsigned count = 0;
#define ES_V(name, impl, lock, params, args)                                                       \
    CHECK(es_get_proc_address(#name) == (es_proc_fn)name);                                         \
    count++;
#define ES_R(ret, name, impl, lock, params, args) ES_V(name, impl, lock, params, args)
#define ES_V0(name, impl, lock)                   ES_V(name, impl, lock, 0, 0)
#define ES_R0(ret, name, impl, lock)              ES_V(name, impl, lock, 0, 0)
#include "api/entry.def"
#undef ES_V
#undef ES_R
#undef ES_V0
#undef ES_R0
    CHECK(count > 142);
    CHECK(es_get_proc_address("glNoSuchFunction") == NULL);
    CHECK(es_get_proc_address(NULL) == NULL);
}

TEST(without_context_nothing_happens) {
    GLint value = 77;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &value);
    CHECK_EQ_INT(value, 77);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    CHECK(glGetString(GL_VENDOR) == NULL);
    glClear(GL_COLOR_BUFFER_BIT);
}

TEST(every_get_name_answers) {
    struct api_fixture f;
    CHECK(api_begin(&f, 8, 8));
    /* Every name in every type, without an error and without writing more than its count. */
#define CHECK_NAME(pname, n)                                                                       \
    do {                                                                                           \
        GLint i[5] = {-99, -99, -99, -99, -99};                                                    \
        GLfloat v[5] = {-99, -99, -99, -99, -99};                                                  \
        GLboolean b[5] = {77, 77, 77, 77, 77};                                                     \
        glGetIntegerv(pname, i);                                                                   \
        glGetFloatv(pname, v);                                                                     \
        glGetBooleanv(pname, b);                                                                   \
        CHECK_EQ_INT(glGetError(), GL_NO_ERROR);                                                   \
        CHECK(i[n] == -99 && v[n] == -99.0f && b[n] == 77);                                        \
        CHECK(b[n - 1] != 77 && v[n - 1] != -99.0f);                                               \
    } while (0);
#define ES_GET_B(pname, n, ...) CHECK_NAME(pname, n)
#define ES_GET_I(pname, n, ...) CHECK_NAME(pname, n)
#define ES_GET_U(pname, n, ...) CHECK_NAME(pname, n)
#define ES_GET_F(pname, n, ...) CHECK_NAME(pname, n)
#define ES_GET_N(pname, n, ...) CHECK_NAME(pname, n)
#include "api/get.def"
    GLint value = 5;
    glGetIntegerv(0x821B, &value); /* GL_MAJOR_VERSION is not of ES 2.0 */
    CHECK_ERROR(GL_INVALID_ENUM);
    CHECK_EQ_INT(value, 5);
    api_end(&f);
}

TEST(conversions) {
    struct api_fixture f;
    CHECK(api_begin(&f, 8, 8));
    GLint i[4];
    GLfloat v[4];
    GLboolean b[4];
    glClearColor(1.0f, 0.0f, -1.0f, 0.5f);
    glGetIntegerv(GL_COLOR_CLEAR_VALUE, i);
    CHECK_EQ_INT(i[0], INT32_MAX);
    CHECK(i[1] >= -1 && i[1] <= 0);
    CHECK_EQ_INT(i[2], INT32_MIN);
    CHECK(i[3] > 1073741000 && i[3] < 1073742000);
    glGetBooleanv(GL_COLOR_CLEAR_VALUE, b);
    CHECK(b[0] && !b[1] && b[2] && b[3]);
    glLineWidth(2.5f);
    glGetIntegerv(GL_LINE_WIDTH, i);
    CHECK_EQ_INT(i[0], 3);
    glGetFloatv(GL_VIEWPORT, v);
    CHECK(v[2] == 8.0f && v[3] == 8.0f);
    glStencilMask(0xFFFFFFFFu);
    glGetFloatv(GL_STENCIL_WRITEMASK, v);
    CHECK(v[0] > 4.2e9f);
    glGetIntegerv(GL_STENCIL_WRITEMASK, i);
    CHECK_EQ_INT(i[0], -1);
    glDepthRangef(-3.0f, 7.0f);
    glGetFloatv(GL_DEPTH_RANGE, v);
    CHECK(v[0] == 0.0f && v[1] == 1.0f);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(limits) {
    static const struct {
        GLenum name;
        GLint value;
    } limits[] = {
        {GL_MAX_TEXTURE_SIZE, 8192},
        {GL_MAX_CUBE_MAP_TEXTURE_SIZE, 8192},
        {GL_MAX_RENDERBUFFER_SIZE, 8192},
        {GL_MAX_VERTEX_ATTRIBS, 16},
        {GL_MAX_VARYING_VECTORS, 16},
        {GL_MAX_VERTEX_UNIFORM_VECTORS, 1024},
        {GL_MAX_FRAGMENT_UNIFORM_VECTORS, 1024},
        {GL_MAX_TEXTURE_IMAGE_UNITS, 16},
        {GL_MAX_VERTEX_TEXTURE_IMAGE_UNITS, 16},
        {GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, 32},
        {GL_SUBPIXEL_BITS, 8},
        {GL_MAX_DRAW_BUFFERS_EXT, 4},
        {GL_RED_BITS, 8},
        {GL_DEPTH_BITS, 24},
        {GL_STENCIL_BITS, 8},
        {GL_SAMPLE_BUFFERS, 0},
    };
    struct api_fixture f;
    CHECK(api_begin(&f, 8, 8));
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        GLint value = -1;
        glGetIntegerv(limits[i].name, &value);
        CHECK_EQ_INT(value, limits[i].value);
    }
    GLfloat range[2];
    glGetFloatv(GL_ALIASED_POINT_SIZE_RANGE, range);
    CHECK(range[0] == 1.0f && range[1] == 256.0f);
    glGetFloatv(GL_ALIASED_LINE_WIDTH_RANGE, range);
    CHECK(range[0] == 1.0f && range[1] == 64.0f);
    GLint counted = -1;
    GLint formats[16];
    glGetIntegerv(GL_NUM_COMPRESSED_TEXTURE_FORMATS, &counted);
    CHECK(counted > 0 && counted <= 16);
    glGetIntegerv(GL_COMPRESSED_TEXTURE_FORMATS, formats);
    CHECK_EQ_INT(formats[0], GL_ETC1_RGB8_OES);
    CHECK_STR((const char *)glGetString(GL_VENDOR), "vlgl");
    CHECK_STR((const char *)glGetString(GL_VERSION), "OpenGL ES 2.0 vlgl-0.1");
    CHECK(strstr((const char *)glGetString(GL_SHADING_LANGUAGE_VERSION),
                 "OpenGL ES GLSL ES 1.00") != NULL);
    const char *extensions = (const char *)glGetString(GL_EXTENSIONS);
    CHECK(extensions && strncmp(extensions, "GL_", 3) == 0 && !strstr(extensions, "  "));
    CHECK(glGetString(GL_TEXTURE) == NULL);
    CHECK_ERROR(GL_INVALID_ENUM);
    api_end(&f);
}

TEST(first_error_wins_and_changes_nothing) {
    struct api_fixture f;
    CHECK(api_begin(&f, 8, 8));
    glEnable(GL_TEXTURE_2D);
    glViewport(0, 0, -1, 1);
    glBlendFunc(GL_ONE, GL_SRC_ALPHA_SATURATE);
    CHECK_ERROR(GL_INVALID_ENUM);
    GLint box[4];
    glGetIntegerv(GL_VIEWPORT, box);
    CHECK_EQ_INT(box[2], 8);
    GLint factor;
    glGetIntegerv(GL_BLEND_SRC_RGB, &factor);
    CHECK_EQ_INT(factor, GL_ONE);
    glViewport(0, 0, -1, 1);
    glCullFace(GL_CCW);
    CHECK_ERROR(GL_INVALID_VALUE);
    glLineWidth(0.0f);
    CHECK_ERROR(GL_INVALID_VALUE);
    glStencilOp(GL_KEEP, GL_KEEP, GL_FRONT);
    CHECK_ERROR(GL_INVALID_ENUM);
    glStencilFuncSeparate(0x0406, GL_ALWAYS, 0, 0);
    CHECK_ERROR(GL_INVALID_ENUM);
    glPixelStorei(GL_PACK_ALIGNMENT, 3);
    CHECK_ERROR(GL_INVALID_VALUE);
    glPixelStorei(GL_PACK_ALIGNMENT + 100, 4);
    CHECK_ERROR(GL_INVALID_ENUM);
    glHint(GL_GENERATE_MIPMAP_HINT, GL_TRUE);
    CHECK_ERROR(GL_INVALID_ENUM);
    glActiveTexture(GL_TEXTURE0 + 32);
    CHECK_ERROR(GL_INVALID_ENUM);
    glClear(0x1u);
    CHECK_ERROR(GL_INVALID_VALUE);
    CHECK(!glIsEnabled(GL_TEXTURE));
    CHECK_ERROR(GL_INVALID_ENUM);
    api_end(&f);
}

TEST(derive_is_idempotent) {
    struct api_fixture f;
    CHECK(api_begin(&f, 8, 8));
    GLuint program = api_program(api_vertex, "uniform sampler2D t; varying highp vec2 v_uv;"
                                             "void main() { gl_FragColor = texture2D(t, v_uv); }");
    CHECK(program != 0);
    glUseProgram(program);
    glEnable(GL_BLEND);
    glEnable(GL_STENCIL_TEST);
    glScissor(-5, 2, 9, 100);
    glEnable(GL_SCISSOR_TEST);
    CHECK_EQ_INT(es_framebuffer_status(f.ctx, f.ctx->framebuffer), GL_FRAMEBUFFER_COMPLETE);
    es_derive(f.ctx);
    struct rn_draw_state first = f.ctx->draw;
    CHECK_EQ_INT(f.ctx->dirty, 0);
    CHECK(first.scissor.x0 == 0 && first.scissor.y0 == 2 && first.scissor.x1 == 4 &&
          first.scissor.y1 == 8);
    es_derive(f.ctx);
    CHECK_EQ_INT(f.ctx->draw.serial, first.serial);
    f.ctx->dirty = ES_DIRTY_FRAMEBUFFER | ES_DIRTY_FRAGMENT | ES_DIRTY_PROGRAM | ES_DIRTY_TEXTURES |
                   ES_DIRTY_ATTRIBS;
    es_derive(f.ctx);
    CHECK(memcmp(&f.ctx->draw, &first, sizeof first) == 0);
    glEnable(GL_BLEND); /* no change */
    es_derive(f.ctx);
    CHECK_EQ_INT(f.ctx->draw.serial, first.serial);
    glDisable(GL_BLEND);
    es_derive(f.ctx);
    CHECK(f.ctx->draw.serial != first.serial);
    api_end(&f);
}
