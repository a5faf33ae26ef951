/* SPDX-License-Identifier: MIT */
/*
 * Programs: locations, every uniform setter with its checks and conversions, attributes,
 * validation, binaries.
 */
#include "tests/unit/api_util.h"

static const char all_types_fragment[] =
    "precision mediump float;\n"
    "struct S { float a; vec2 b[2]; };\n"
    "uniform float f; uniform vec4 v; uniform float h[6]; uniform mat3 m; uniform mat2 n[2];\n"
    "uniform int i; uniform ivec3 j; uniform bool b; uniform bvec2 c; uniform sampler2D t;\n"
    "uniform S s[2];\n"
    "void main() {\n"
    "    vec3 x = m * v.xyz; vec2 y = n[0] * v.xy + n[1] * v.zw;\n"
    "    float z = f + h[0] + h[1] + h[2] + h[3] + h[4] + h[5] + float(i);\n"
    "    z += float(j.x + j.y + j.z);\n"
    "    z += s[0].a + s[1].a + s[0].b[0].x + s[0].b[1].y + s[1].b[0].x + s[1].b[1].y;\n"
    "    if (b) { z += 1.0; } if (c.x && c.y) { z += 2.0; }\n"
    "    gl_FragColor = vec4(x, y.x) + texture2D(t, y) * z;\n"
    "}\n";

TEST(locations) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint p = api_program(api_vertex, all_types_fragment);
    CHECK(p != 0);
    GLint h = glGetUniformLocation(p, "h");
    CHECK(h >= 0);
    CHECK_EQ_INT(glGetUniformLocation(p, "h[0]"), h);
    CHECK_EQ_INT(glGetUniformLocation(p, "h[5]"), h + 5);
    CHECK_EQ_INT(glGetUniformLocation(p, "h[6]"), -1);
    CHECK_EQ_INT(glGetUniformLocation(p, "h[00]"), -1);
    CHECK_EQ_INT(glGetUniformLocation(p, "h[0"), -1);
    CHECK_EQ_INT(glGetUniformLocation(p, "h[]"), -1);
    CHECK_EQ_INT(glGetUniformLocation(p, "f[0]"), -1);
    CHECK_EQ_INT(glGetUniformLocation(p, "s"), -1);
    CHECK_EQ_INT(glGetUniformLocation(p, ""), -1);
    CHECK_EQ_INT(glGetUniformLocation(p, "gl_FragCoord"), -1);
    CHECK(glGetUniformLocation(p, "s[1].b[1]") >= 0);
    CHECK_EQ_INT(glGetUniformLocation(p, "s[1].b"), glGetUniformLocation(p, "s[1].b[0]"));
    CHECK(glGetUniformLocation(p, "s[1].a") != glGetUniformLocation(p, "s[0].a"));
    CHECK_EQ_INT(glGetAttribLocation(p, "a_position"), 0);
    CHECK_EQ_INT(glGetAttribLocation(p, "gl_Position"), -1);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    GLuint unlinked = glCreateProgram();
    glGetUniformLocation(unlinked, "f");
    CHECK_ERROR(GL_INVALID_OPERATION);
    glGetAttribLocation(unlinked, "f");
    CHECK_ERROR(GL_INVALID_OPERATION);
    api_end(&f);
}

TEST(active_uniforms) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint p = api_program(api_vertex, all_types_fragment);
    GLint count = 0;
    GLint longest = 0;
    glGetProgramiv(p, GL_ACTIVE_UNIFORMS, &count);
    glGetProgramiv(p, GL_ACTIVE_UNIFORM_MAX_LENGTH, &longest);
    CHECK_EQ_INT(count, 14);
    CHECK_EQ_INT(longest, sizeof "s[0].b[0]");
    bool seen_h = false;
    bool seen_b = false;
    for (GLint u = 0; u < count; u++) {
        char name[100];
        GLsizei length = -1;
        GLint size = -1;
        GLenum type = 0;
        glGetActiveUniform(p, (GLuint)u, sizeof name, &length, &size, &type, name);
        CHECK_EQ_INT(length, strlen(name));
        CHECK(glGetUniformLocation(p, name) >= 0);
        if (strcmp(name, "h[0]") == 0) {
            seen_h = size == 6 && type == GL_FLOAT;
        }
        if (strcmp(name, "s[1].b[0]") == 0) {
            seen_b = size == 2 && type == GL_FLOAT_VEC2;
        }
        glGetActiveUniform(p, (GLuint)u, 3, &length, &size, &type, name);
        CHECK(length <= 2 && strlen(name) == (size_t)length);
    }
    CHECK(seen_h && seen_b);
    glGetActiveUniform(p, (GLuint)count, 0, NULL, NULL, NULL, NULL);
    CHECK_ERROR(GL_INVALID_VALUE);
    api_end(&f);
}

TEST(setters_and_conversions) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint p = api_program(api_vertex, all_types_fragment);
    GLfloat v[16];
    GLint i[16];
    glUniform1f(glGetUniformLocation(p, "f"), 1.0f);
    CHECK_ERROR(GL_INVALID_OPERATION); /* no program in use */
    glUseProgram(p);
    GLint h = glGetUniformLocation(p, "h");
    static const GLfloat many[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    glUniform1fv(h, 8, many); /* clamped to six, no error */
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    glGetUniformfv(p, h + 5, v);
    CHECK(v[0] == 6.0f);
    glUniform1fv(h + 4, 4, many);
    glGetUniformfv(p, h + 5, v);
    CHECK(v[0] == 2.0f);
    glGetUniformfv(p, h + 3, v);
    CHECK(v[0] == 4.0f);
    glUniform1f(glGetUniformLocation(p, "f"), -2.6f);
    glGetUniformiv(p, glGetUniformLocation(p, "f"), i);
    CHECK_EQ_INT(i[0], -3);
    glUniform3i(glGetUniformLocation(p, "j"), INT32_MAX, INT32_MIN, 16777217);
    glGetUniformiv(p, glGetUniformLocation(p, "j"), i);
    CHECK(i[0] == INT32_MAX && i[1] == INT32_MIN && i[2] == 16777217);
    glUniform1f(glGetUniformLocation(p, "b"), 0.25f);
    glGetUniformiv(p, glGetUniformLocation(p, "b"), i);
    CHECK_EQ_INT(i[0], 1);
    glUniform2i(glGetUniformLocation(p, "c"), 0, -7);
    glGetUniformfv(p, glGetUniformLocation(p, "c"), v);
    CHECK(v[0] == 0.0f && v[1] == 1.0f);
    static const GLfloat matrix[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    glUniformMatrix3fv(glGetUniformLocation(p, "m"), 1, GL_FALSE, matrix);
    glGetUniformfv(p, glGetUniformLocation(p, "m"), v);
    CHECK(memcmp(v, matrix, sizeof matrix) == 0);
    glUniformMatrix2fv(glGetUniformLocation(p, "n"), 2, GL_FALSE, many);
    glGetUniformfv(p, glGetUniformLocation(p, "n[1]"), v);
    CHECK(v[0] == 5.0f && v[3] == 8.0f);
    glUniform1i(glGetUniformLocation(p, "t"), 5);
    glGetUniformiv(p, glGetUniformLocation(p, "t"), i);
    CHECK_EQ_INT(i[0], 5);
    glUniform2fv(glGetUniformLocation(p, "s[1].b"), 2, many);
    glGetUniformfv(p, glGetUniformLocation(p, "s[1].b[1]"), v);
    CHECK(v[0] == 3.0f && v[1] == 4.0f);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    glGetnUniformfvEXT(p, glGetUniformLocation(p, "m"), 35, v);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glGetnUniformfvEXT(p, glGetUniformLocation(p, "m"), 36, v);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(setter_errors) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint p = api_program(api_vertex, all_types_fragment);
    glUseProgram(p);
    static const GLfloat v[16] = {0};
    GLint fl = glGetUniformLocation(p, "f");
    glUniform1f(-1, 1.0f);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    glUniform1f(99999, 1.0f);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniform1f(-2, 1.0f);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniform1fv(fl, -1, v);
    CHECK_ERROR(GL_INVALID_VALUE);
    glUniform1fv(fl, 2, v);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniform2f(fl, 1.0f, 2.0f);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniform1i(fl, 1);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniform1f(glGetUniformLocation(p, "i"), 1.0f);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniform1f(glGetUniformLocation(p, "t"), 1.0f);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniform1i(glGetUniformLocation(p, "t"), 32);
    CHECK_ERROR(GL_INVALID_VALUE);
    glUniform1i(glGetUniformLocation(p, "t"), -1);
    CHECK_ERROR(GL_INVALID_VALUE);
    glUniform3f(glGetUniformLocation(p, "c"), 1, 1, 1);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniformMatrix3fv(glGetUniformLocation(p, "m"), 1, GL_TRUE, v);
    CHECK_ERROR(GL_INVALID_VALUE);
    glUniformMatrix4fv(glGetUniformLocation(p, "m"), 1, GL_FALSE, v);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniform3fv(glGetUniformLocation(p, "m"), 1, v);
    CHECK_ERROR(GL_INVALID_OPERATION);
    GLfloat out[16];
    glGetUniformfv(p, -1, out);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glGetUniformfv(777, 0, out);
    CHECK_ERROR(GL_INVALID_VALUE);
    api_end(&f);
}

TEST(values_reach_the_shader_and_die_with_a_relink) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint p = api_program(
        api_vertex, "precision mediump float; uniform float a[3]; uniform int i; uniform bool b;"
                    "void main() { gl_FragColor = vec4(a[0], a[2], float(i), b ? 1.0 : 0.5); }");
    glUseProgram(p);
    glUniform1fv(glGetUniformLocation(p, "a"), 3, (const GLfloat[]){1.0f, 0.25f, 0.4f});
    glUniform1i(glGetUniformLocation(p, "i"), 1);
    glUniform1i(glGetUniformLocation(p, "b"), 3);
    api_quad();
    CHECK_EQ_INT(api_pixel(1, 2), 0xFF66FFFF);
    glUniform1f(glGetUniformLocation(p, "a[2]"), 0.0f);
    api_quad();
    CHECK_EQ_INT(api_pixel(1, 2), 0xFF00FFFF);
    glLinkProgram(p);
    api_quad();
    CHECK_EQ_INT(api_pixel(1, 2), 0x00000080);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(depth_range_uniform) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint p = api_program(api_vertex, "precision mediump float; void main() {"
                                       "gl_FragColor = vec4(gl_DepthRange.near, gl_DepthRange.far,"
                                       "gl_DepthRange.diff, 1.0); }");
    glUseProgram(p);
    glDepthRangef(0.2f, 1.0f);
    api_quad();
    CHECK_EQ_INT(api_pixel(0, 0), 0x33FFCCFF);
    glDepthRangef(0.0f, 0.4f);
    api_quad();
    CHECK_EQ_INT(api_pixel(0, 0), 0x006666FF);
    api_end(&f);
}

TEST(attribute_bindings) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint p = glCreateProgram();
    glBindAttribLocation(p, 16, "x");
    CHECK_ERROR(GL_INVALID_VALUE);
    glBindAttribLocation(p, 1, "gl_x");
    CHECK_ERROR(GL_INVALID_OPERATION);
    glAttachShader(p, api_shader(GL_VERTEX_SHADER,
                                 "attribute vec4 x; attribute mat3 y; attribute float z;"
                                 "void main() { gl_Position = x + vec4(y[0] + y[1] + y[2], z); }"));
    glAttachShader(p, api_shader(GL_FRAGMENT_SHADER, "void main() { gl_FragColor = vec4(1.0); }"));
    glBindAttribLocation(p, 7, "z");
    glBindAttribLocation(p, 3, "y");
    glBindAttribLocation(p, 9, "unknown");
    glLinkProgram(p);
    GLint ok = 0;
    glGetProgramiv(p, GL_LINK_STATUS, &ok);
    CHECK_EQ_INT(ok, 1);
    CHECK_EQ_INT(glGetAttribLocation(p, "z"), 7);
    CHECK_EQ_INT(glGetAttribLocation(p, "y"), 3);
    GLint x = glGetAttribLocation(p, "x");
    CHECK(x >= 0 && x != 7 && (x < 3 || x > 5));
    glBindAttribLocation(p, 12, "z"); /* takes effect at the next link */
    CHECK_EQ_INT(glGetAttribLocation(p, "z"), 7);
    glLinkProgram(p);
    CHECK_EQ_INT(glGetAttribLocation(p, "z"), 12);
    GLint count = 0;
    glGetProgramiv(p, GL_ACTIVE_ATTRIBUTES, &count);
    CHECK_EQ_INT(count, 3);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(sampler_conflicts) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint p = api_program(api_vertex,
                           "precision mediump float; uniform sampler2D a; uniform samplerCube b;"
                           "void main() { gl_FragColor = texture2D(a, vec2(0.0)) +"
                           "textureCube(b, vec3(1.0)); }");
    glUseProgram(p);
    glClear(GL_COLOR_BUFFER_BIT);
    api_quad();
    CHECK_ERROR(GL_INVALID_OPERATION);
    GLint ok = 1;
    glValidateProgram(p);
    glGetProgramiv(p, GL_VALIDATE_STATUS, &ok);
    CHECK_EQ_INT(ok, 0);
    glUniform1i(glGetUniformLocation(p, "b"), 1);
    glValidateProgram(p);
    glGetProgramiv(p, GL_VALIDATE_STATUS, &ok);
    CHECK_EQ_INT(ok, 1);
    api_quad();
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    CHECK_EQ_INT(api_pixel(0, 0), 0x000000FF); /* two incomplete textures: 0,0,0,1 each */
    api_end(&f);
}

TEST(program_binaries) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint p = api_program(api_vertex, "precision mediump float; uniform vec4 color[2];"
                                       "void main() { gl_FragColor = color[1]; }");
    GLint size = 0;
    glGetProgramiv(p, GL_PROGRAM_BINARY_LENGTH_OES, &size);
    CHECK(size > 0);
    char *bytes = malloc((size_t)size + 1);
    GLenum format = 0;
    GLsizei length = 0;
    glGetProgramBinaryOES(p, size - 1, &length, &format, bytes);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glGetProgramBinaryOES(p, size, &length, &format, bytes);
    CHECK_EQ_INT(length, size);
    GLuint q = glCreateProgram();
    glProgramBinaryOES(q, format + 1, bytes, length);
    CHECK_ERROR(GL_INVALID_ENUM);
    bytes[size / 2] = (char)(bytes[size / 2] ^ 1);
    glProgramBinaryOES(q, format, bytes, length);
    GLint ok = 1;
    glGetProgramiv(q, GL_LINK_STATUS, &ok);
    CHECK_EQ_INT(ok, 0);
    bytes[size / 2] = (char)(bytes[size / 2] ^ 1);
    glProgramBinaryOES(q, format, bytes, length);
    glGetProgramiv(q, GL_LINK_STATUS, &ok);
    CHECK_EQ_INT(ok, 1);
    free(bytes);
    glUseProgram(q);
    glUniform4f(glGetUniformLocation(q, "color[1]"), 0, 1, 1, 1);
    api_quad();
    CHECK_EQ_INT(api_pixel(3, 3), 0x00FFFFFF);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

/* A linked program as a binary of malloc; its length in *length. */
static char *binary_of(GLuint program, GLsizei *length) {
    GLint size = 0;
    GLenum format = 0;
    glGetProgramiv(program, GL_PROGRAM_BINARY_LENGTH_OES, &size);
    char *bytes = malloc((size_t)size + 1);
    glGetProgramBinaryOES(program, size, length, &format, bytes);
    CHECK(*length == size && format == ES_PROGRAM_BINARY_VLGL);
    return bytes;
}

static GLint program_int(GLuint program, GLenum pname) {
    GLint value = -1;
    glGetProgramiv(program, pname, &value);
    return value;
}

static const char binary_vertex[] = "attribute vec4 a_position; attribute mat2 a_turn; attribute float a_last; varying float v;"
                                    "void main() { gl_Position = vec4(a_turn * a_position.xy, 0.0, 1.0); v = a_last; }";
static const char binary_fragment[] =
    "precision mediump float; struct light { vec3 color; float power; }; uniform light lights[2]; uniform ivec2 i; uniform bool b;"
    "uniform sampler2D t; varying float v; uniform mat3 m;"
    "void main() { gl_FragColor = vec4(lights[1].color * lights[1].power + m[2], v) + texture2D(t, vec2(0.5)) + vec4(i, b, 0); }";

/* What a binary brings back: attributes where they were bound, uniforms with names and locations and their defaults. */
TEST(binaries_bring_back_the_whole_link) {
    struct api_fixture f;
    GLsizei length = 0;
    GLint formats[2] = {-1, -1};
    CHECK(api_begin(&f, 4, 4));
    glGetIntegerv(GL_NUM_PROGRAM_BINARY_FORMATS_OES, formats);
    CHECK_EQ_INT(formats[0], 1);
    glGetIntegerv(GL_PROGRAM_BINARY_FORMATS_OES, formats);
    CHECK(formats[0] == ES_PROGRAM_BINARY_VLGL && formats[1] == -1);
    GLuint p = glCreateProgram();
    glGetProgramBinaryOES(p, 100, &length, (GLenum *)formats, NULL);
    CHECK_ERROR(GL_INVALID_OPERATION);
    CHECK_EQ_INT(program_int(p, GL_PROGRAM_BINARY_LENGTH_OES), 0);
    glAttachShader(p, api_shader(GL_VERTEX_SHADER, binary_vertex));
    glAttachShader(p, api_shader(GL_FRAGMENT_SHADER, binary_fragment));
    glBindAttribLocation(p, 5, "a_position");
    glBindAttribLocation(p, 9, "a_turn");
    glBindAttribLocation(p, 0, "a_last");
    glLinkProgram(p);
    CHECK_EQ_INT(program_int(p, GL_LINK_STATUS), 1);
    glUseProgram(p);
    glUniform1f(glGetUniformLocation(p, "lights[1].power"), 3);
    char *bytes = binary_of(p, &length);
    GLuint q = glCreateProgram();
    glBindAttribLocation(q, 2, "a_position"); /* for a later link: the binary has its own */
    glProgramBinaryOES(q, ES_PROGRAM_BINARY_VLGL, bytes, length);
    CHECK_EQ_INT(program_int(q, GL_LINK_STATUS), 1);
    CHECK(glGetAttribLocation(q, "a_position") == 5 && glGetAttribLocation(q, "a_turn") == 9 &&
          glGetAttribLocation(q, "a_last") == 0);
    static const GLenum counts[] = {GL_ACTIVE_ATTRIBUTES, GL_ACTIVE_ATTRIBUTE_MAX_LENGTH, GL_ACTIVE_UNIFORMS,
                                    GL_ACTIVE_UNIFORM_MAX_LENGTH};
    for (unsigned i = 0; i < 4; i++) {
        CHECK_EQ_INT(program_int(q, counts[i]), program_int(p, counts[i]));
    }
    for (GLint i = 0; i < program_int(p, GL_ACTIVE_UNIFORMS); i++) {
        GLint sizes[2];
        GLenum types[2];
        char names[2][64];
        glGetActiveUniform(p, (GLuint)i, 64, NULL, &sizes[0], &types[0], names[0]);
        glGetActiveUniform(q, (GLuint)i, 64, NULL, &sizes[1], &types[1], names[1]);
        CHECK(sizes[0] == sizes[1] && types[0] == types[1]);
        CHECK_STR(names[1], names[0]);
        CHECK_EQ_INT(glGetUniformLocation(q, names[0]), glGetUniformLocation(p, names[0]));
    }
    GLfloat power = -1;
    glGetUniformfv(q, glGetUniformLocation(q, "lights[1].power"), &power);
    CHECK(power == 0.0f); /* values are no part of a link */
    /* Loading again gives uniforms their defaults, also to a program in use. */
    glUseProgram(q);
    glUniform1f(glGetUniformLocation(q, "lights[1].power"), 2);
    glProgramBinaryOES(q, ES_PROGRAM_BINARY_VLGL, bytes, length);
    glGetUniformfv(q, glGetUniformLocation(q, "lights[1].power"), &power);
    CHECK(power == 0.0f);
    GLsizei again = 0;
    char *copy = binary_of(q, &again);
    CHECK(again == length && memcmp(copy, bytes, (size_t)length) == 0); /* a binary of a binary is the same */
    free(copy);
    free(bytes);
    glLinkProgram(q); /* it has no shaders */
    CHECK_EQ_INT(program_int(q, GL_LINK_STATUS), 0);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

/* Whatever is wrong with a binary: no link, a log that says so, no GL error, and what is in use goes on. */
TEST(damaged_binaries) {
    struct api_fixture f;
    GLsizei length = 0;
    CHECK(api_begin(&f, 4, 4));
    GLuint p = api_program(api_vertex, "precision mediump float; uniform vec4 c; void main() { gl_FragColor = c; }");
    char *bytes = binary_of(p, &length);
    char *bad = malloc((size_t)length + 1);
    GLuint q = glCreateProgram();
    glProgramBinaryOES(q, ES_PROGRAM_BINARY_VLGL, bytes, length);
    glUseProgram(q);
    glUniform4f(glGetUniformLocation(q, "c"), 0, 1, 0, 1);
    for (GLsizei i = 0; i < length; i++) {
        memcpy(bad, bytes, (size_t)length);
        bad[i] = (char)(bad[i] ^ (1 << (i % 8)));
        glProgramBinaryOES(q, ES_PROGRAM_BINARY_VLGL, bad, length);
        CHECK_EQ_INT(program_int(q, GL_LINK_STATUS), 0);
        CHECK(program_int(q, GL_INFO_LOG_LENGTH) > 1);
    }
    for (GLsizei n = 0; n < length; n++) {
        glProgramBinaryOES(q, ES_PROGRAM_BINARY_VLGL, bytes, n);
        CHECK_EQ_INT(program_int(q, GL_LINK_STATUS), 0);
    }
    memcpy(bad, bytes, (size_t)length);
    bad[length] = 0; /* a byte more than there was */
    glProgramBinaryOES(q, ES_PROGRAM_BINARY_VLGL, bad, length + 1);
    CHECK_EQ_INT(program_int(q, GL_LINK_STATUS), 0);
    glProgramBinaryOES(q, ES_PROGRAM_BINARY_VLGL, NULL, 0);
    CHECK_EQ_INT(program_int(q, GL_LINK_STATUS), 0);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    glProgramBinaryOES(q, ES_PROGRAM_BINARY_VLGL, bytes, -1);
    CHECK_ERROR(GL_INVALID_VALUE);
    api_quad();
    CHECK_EQ_INT(api_pixel(2, 2), 0x00FF00FF); /* the executable in use, ES 2.0.25 2.10.3 */
    glUseProgram(0);
    glUseProgram(q);
    CHECK_ERROR(GL_INVALID_OPERATION);
    free(bytes);
    free(bad);
    api_end(&f);
}

static uint32_t word_at(const char *bytes) {
    const uint8_t *b = (const uint8_t *)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void put_word(char *bytes, uint32_t word) {
    for (unsigned i = 0; i < 4; i++) {
        bytes[i] = (char)(word >> 8 * i);
    }
}

/* The binary with another narrow program and checksums that fit; free the result. */
static char *with_narrow(const char *bytes, GLsizei length, const char *text, GLsizei *out_length) {
    struct vliw_image *image = NULL;
    size_t size = 0;
    CHECK_EQ_INT(vliw_assemble(text, strlen(text), &image, NULL), VLIW_OK);
    char *narrow = vliw_image_save(image, &size);
    size_t at = 16;
    for (unsigned stage = 0; stage < 2; stage++) {
        at += 4 + word_at(bytes + at);
    }
    CHECK_EQ_INT(word_at(bytes + at), 1);
    at += 4;
    const size_t rest = at + 4 + word_at(bytes + at), total = at + 4 + size + ((size_t)length - rest);
    char *out = malloc(total);
    memcpy(out, bytes, at);
    put_word(out + at, (uint32_t)size);
    memcpy(out + at + 4, narrow, size);
    memcpy(out + at + 4 + size, bytes + rest, (size_t)length - rest);
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 16; i < total; i++) {
        crc ^= (uint8_t)out[i];
        for (unsigned bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
        }
    }
    put_word(out + 8, (uint32_t)total);
    put_word(out + 12, ~crc);
    vliw_free(narrow);
    vliw_image_destroy(image);
    *out_length = (GLsizei)total;
    return out;
}

/* A second image may read no input that nobody fills: what lies in the register is another program's. */
TEST(narrow_programs_read_what_the_other_reads) {
    static const struct {
        const char *input;
        GLint links;
    } cases[] = {{".in varying 0 r0.xy", 1}, {".in varying 0 r0.x", 1},    {".in varying 0 r0", 0},
                 {".in varying 7 r0.xy", 0}, {".in lastfrag 0 r0", 0}, {".in pointcoord r0.xy", 0}};
    struct api_fixture f;
    GLsizei length = 0, changed = 0;
    CHECK(api_begin(&f, 4, 4));
    GLuint p = api_program(api_vertex, "precision mediump float; varying vec2 v_uv; uniform sampler2D t;"
                                       "void main() { gl_FragColor = texture2D(t, v_uv); }");
    char *bytes = binary_of(p, &length);
    GLuint q = glCreateProgram();
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, ".stage fragment\n%s\n.out color8 0 r1.x\nMOV r1.x r0.x\nEND\n", cases[i].input);
        char *other = with_narrow(bytes, length, text, &changed);
        glProgramBinaryOES(q, ES_PROGRAM_BINARY_VLGL, other, changed);
        CHECK_EQ_INT(program_int(q, GL_LINK_STATUS), cases[i].links);
        free(other);
    }
    free(bytes);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(sources_and_logs) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint s = glCreateShader(GL_FRAGMENT_SHADER);
    const char *parts[3] = {"void main() {", "  junkjunk", "} xx"};
    const GLint lengths[3] = {-1, 2, 1};
    glShaderSource(s, 3, parts, lengths);
    char text[64];
    GLsizei length = 0;
    glGetShaderSource(s, sizeof text, &length, text);
    CHECK_STR(text, "void main() {  }");
    CHECK_EQ_INT(length, 16);
    glGetShaderSource(s, 15, &length, text);
    CHECK_STR(text, "void main() { ");
    GLint value = 0;
    glGetShaderiv(s, GL_SHADER_SOURCE_LENGTH, &value);
    CHECK_EQ_INT(value, 17);
    const char *bad = "void main() { gl_FragColor = ; }";
    glShaderSource(s, 1, &bad, NULL);
    glCompileShader(s);
    glGetShaderiv(s, GL_COMPILE_STATUS, &value);
    CHECK_EQ_INT(value, 0);
    glGetShaderiv(s, GL_INFO_LOG_LENGTH, &value);
    CHECK(value > 1);
    char log[1000];
    glGetShaderInfoLog(s, sizeof log, &length, log);
    CHECK(strncmp(log, "0:1:", 4) == 0 && strstr(log, "error") != NULL);
    GLuint p = glCreateProgram();
    glAttachShader(p, s);
    glAttachShader(p, s);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glLinkProgram(p);
    glGetProgramiv(p, GL_LINK_STATUS, &value);
    CHECK_EQ_INT(value, 0);
    glGetProgramiv(p, GL_INFO_LOG_LENGTH, &value);
    CHECK(value > 1);
    glShaderSource(s, -1, parts, NULL);
    CHECK_ERROR(GL_INVALID_VALUE);
    glCreateShader(GL_TEXTURE_2D);
    CHECK_ERROR(GL_INVALID_ENUM);
    glDetachShader(p, s);
    glDetachShader(p, s);
    CHECK_ERROR(GL_INVALID_OPERATION);
    api_end(&f);
}
