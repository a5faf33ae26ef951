/* SPDX-License-Identifier: MIT */
/*
 * GL_VLGL_fp64 through the API: setting and reading uniforms, what is refused, and that a picture sees bits of a
 * double that no float has.
 */
#include <string.h>

#include "tests/unit/api_util.h"

#define FP64 "#extension GL_VLGL_fp64 : require\nprecision highp float;\n"

static const char shows_all[] = FP64
    "uniform double one; uniform dvec2 two; uniform dvec3 three; uniform dvec4 four; uniform double list[3];"
    "uniform dmat2 m2; uniform dmat3 m3; uniform dmat4 m4; uniform float single; uniform vec2 pair;"
    "void main() {"
    "    double sum = one + two.x + two.y + dot(three, three) + dot(four, four) + list[0] + list[1] + list[2];"
    "    sum += m2[0][0] + m2[1][1] + m3[2][1] + m4[3][3] + double(single) + double(pair.y);"
    "    gl_FragColor = vec4(float(sum)); }";

static double next_of(double d) {
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    bits++;
    memcpy(&d, &bits, sizeof d);
    return d;
}

TEST(the_extension_is_listed) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    CHECK(strstr((const char *)glGetString(GL_EXTENSIONS), "GL_VLGL_fp64") != NULL);
    api_end(&f);
}

/* A difference in the last bit of a double decides the colour, so no part of the way is a float. */
TEST(every_bit_reaches_the_shader) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint p = api_program(api_vertex, FP64
                           "uniform double a; uniform dvec3 b; uniform dmat2 m; uniform double c[2];"
                           "void main() { gl_FragColor = vec4(a < b.z, b.y > b.z, m[1][0] == c[1], m[0][1] != c[1]); }");
    CHECK(p != 0);
    glUseProgram(p);
    double x = 0.1, y = next_of(0.1), z = next_of(y);
    const double b[3] = {9, z, y}, m[4] = {1, x, y, 4}, c[2] = {7, y};
    glUniform1dVLGL(glGetUniformLocation(p, "a"), x);
    glUniform3dvVLGL(glGetUniformLocation(p, "b"), 1, b);
    glUniformMatrix2dvVLGL(glGetUniformLocation(p, "m"), 1, GL_FALSE, m);
    glUniform1dvVLGL(glGetUniformLocation(p, "c"), 2, c);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_quad();
    CHECK_EQ_INT(api_pixel(1, 2), 0xFFFFFFFF);
    glUniform1dVLGL(glGetUniformLocation(p, "a"), y);
    glUniform3dVLGL(glGetUniformLocation(p, "b"), 9, y, y);
    glUniform1dVLGL(glGetUniformLocation(p, "c[1]"), x);
    api_quad();
    CHECK_EQ_INT(api_pixel(1, 2), 0x00000000);
    api_end(&f);
}

static void check_back(GLuint p, const char *name, const double *want, unsigned n) {
    double got[17];
    for (unsigned i = 0; i < 17; i++) {
        got[i] = -5;
    }
    glGetUniformdvVLGL(p, glGetUniformLocation(p, name), got);
    for (unsigned i = 0; i < 17; i++) {
        if (got[i] != (i < n ? want[i] : -5)) {
            check_failf(__FILE__, __LINE__, "%s: value %u is %a", name, i, got[i]);
        }
    }
}

TEST(values_come_back) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint p = api_program(api_vertex, shows_all);
    CHECK(p != 0);
    glUseProgram(p);
    double v[20];
    for (unsigned i = 0; i < 20; i++) {
        v[i] = 1.0 / (i + 3);
    }
    check_back(p, "m4", (const double[16]){0}, 16);
    glUniform1dVLGL(glGetUniformLocation(p, "one"), v[0]);
    glUniform2dVLGL(glGetUniformLocation(p, "two"), v[1], v[2]);
    glUniform3dVLGL(glGetUniformLocation(p, "three"), v[3], v[4], v[5]);
    glUniform4dVLGL(glGetUniformLocation(p, "four"), v[6], v[7], v[8], v[9]);
    check_back(p, "one", v, 1);
    check_back(p, "two", v + 1, 2);
    check_back(p, "three", v + 3, 3);
    check_back(p, "four", v + 6, 4);
    glUniform2dvVLGL(glGetUniformLocation(p, "two"), 1, v + 2);
    glUniform4dvVLGL(glGetUniformLocation(p, "four"), 1, v + 7);
    check_back(p, "two", v + 2, 2);
    check_back(p, "four", v + 7, 4);
    glUniformMatrix2dvVLGL(glGetUniformLocation(p, "m2"), 1, GL_FALSE, v);
    glUniformMatrix3dvVLGL(glGetUniformLocation(p, "m3"), 1, GL_FALSE, v + 1);
    glUniformMatrix4dvVLGL(glGetUniformLocation(p, "m4"), 1, GL_FALSE, v + 2);
    check_back(p, "m2", v, 4);
    check_back(p, "m3", v + 1, 9);
    check_back(p, "m4", v + 2, 16);
    /* An array from its middle; what lies behind its end is dropped, as for floats. */
    glUniform1dvVLGL(glGetUniformLocation(p, "list[1]"), 5, v);
    check_back(p, "list[0]", (const double[1]){0}, 1);
    check_back(p, "list[1]", v, 1);
    check_back(p, "list[2]", v + 1, 1);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);

    /* The other types of query convert; doubles read floats. */
    GLfloat floats[3] = {0, 0, 0};
    GLint ints[3] = {0, 0, 0};
    glUniform3dVLGL(glGetUniformLocation(p, "three"), 0.1, -2.5, 1e300);
    glGetUniformfv(p, glGetUniformLocation(p, "three"), floats);
    CHECK(floats[0] == 0.1f && floats[1] == -2.5f && floats[2] > 3.4e38f);
    glGetUniformiv(p, glGetUniformLocation(p, "three"), ints);
    CHECK_EQ_INT(ints[0], 0);
    CHECK_EQ_INT(ints[2], INT32_MAX);
    glUniform2f(glGetUniformLocation(p, "pair"), 0.1f, 7);
    check_back(p, "pair", (const double[2]){(double)0.1f, 7}, 2);
    GLfloat four[4] = {9, 9, 9, 9};
    glGetnUniformfvEXT(p, glGetUniformLocation(p, "three"), 11, four);
    CHECK_ERROR(GL_INVALID_OPERATION);
    CHECK(four[0] == 9);
    glGetnUniformfvEXT(p, glGetUniformLocation(p, "three"), 12, four);
    CHECK(four[0] == 0.1f && four[3] == 9);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(active_types) {
    static const struct {
        const char *name;
        GLenum type;
        GLint size;
    } want[] = {{"one", GL_DOUBLE_VLGL, 1}, {"two", GL_DOUBLE_VEC2_VLGL, 1}, {"three", GL_DOUBLE_VEC3_VLGL, 1},
                {"four", GL_DOUBLE_VEC4_VLGL, 1}, {"list[0]", GL_DOUBLE_VLGL, 3}, {"m2", GL_DOUBLE_MAT2_VLGL, 1},
                {"m3", GL_DOUBLE_MAT3_VLGL, 1}, {"m4", GL_DOUBLE_MAT4_VLGL, 1}, {"single", GL_FLOAT, 1},
                {"pair", GL_FLOAT_VEC2, 1}};
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint p = api_program(api_vertex, shows_all);
    GLint count = 0, found = 0;
    glGetProgramiv(p, GL_ACTIVE_UNIFORMS, &count);
    for (GLint i = 0; i < count; i++) {
        char name[64];
        GLsizei length = 0;
        GLint size = 0;
        GLenum type = 0;
        glGetActiveUniform(p, (GLuint)i, sizeof name, &length, &size, &type, name);
        for (unsigned k = 0; k < sizeof want / sizeof want[0]; k++) {
            if (strcmp(name, want[k].name) == 0) {
                CHECK_EQ_INT(type, want[k].type);
                CHECK_EQ_INT(size, want[k].size);
                found++;
            }
        }
    }
    CHECK_EQ_INT(found, 10);
    api_end(&f);
}

TEST(refusals) {
    static const double v[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    static const float s[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    glUniform1dVLGL(0, 1);
    CHECK_ERROR(GL_INVALID_OPERATION); /* no program */
    GLuint p = api_program(api_vertex, shows_all);
    glUseProgram(p);
    GLint one = glGetUniformLocation(p, "one"), two = glGetUniformLocation(p, "two");
    GLint m2 = glGetUniformLocation(p, "m2"), m3 = glGetUniformLocation(p, "m3");
    GLint single = glGetUniformLocation(p, "single"), pair = glGetUniformLocation(p, "pair");
    glUniform1dVLGL(one, 42);
    /* Size, type, count, transposition; each leaves the value alone. */
    glUniform2dVLGL(one, 1, 2);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniform1dVLGL(two, 1);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniform4dvVLGL(m2, 1, v);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniformMatrix2dvVLGL(glGetUniformLocation(p, "four"), 1, GL_FALSE, v);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniformMatrix2dvVLGL(m3, 1, GL_FALSE, v);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniformMatrix2dvVLGL(m2, 1, GL_TRUE, v);
    CHECK_ERROR(GL_INVALID_VALUE);
    glUniform1dvVLGL(one, 2, v);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniform1dvVLGL(one, -1, v);
    CHECK_ERROR(GL_INVALID_VALUE);
    glUniform1dVLGL(9999, 1);
    CHECK_ERROR(GL_INVALID_OPERATION);
    /* Floats and doubles do not stand in for each other; neither do integers. */
    glUniform1f(one, 1);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniform2f(one, 1, 2);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniform1i(one, 1);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniform2i(two, 1, 1);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniformMatrix2fv(m2, 1, GL_FALSE, s);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniform1dVLGL(single, 1);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniform1dVLGL(pair, 1);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUniform1dVLGL(-1, 1);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    check_back(p, "one", (const double[1]){42}, 1);
    check_back(p, "m2", (const double[4]){0}, 4);
    double none = -5;
    glGetUniformdvVLGL(p, 9999, &none);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glGetUniformdvVLGL(0, one, &none);
    CHECK_ERROR(GL_INVALID_VALUE);
    CHECK(none == -5);
    api_end(&f);
}

/* Writes a word into a program binary and makes the checksum right again. */
static void patch_word(uint8_t *bytes, size_t size, size_t at, uint32_t value) {
    uint32_t crc = 0xFFFFFFFFu;
    for (unsigned k = 0; k < 4; k++) {
        bytes[at + k] = (uint8_t)(value >> 8 * k);
    }
    for (size_t i = 16; i < size; i++) {
        crc ^= bytes[i];
        for (unsigned bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
        }
    }
    for (unsigned k = 0; k < 4; k++) {
        bytes[12 + k] = (uint8_t)(~crc >> 8 * k);
    }
}

/* Where the word stands first, 0 if nowhere. */
static size_t find_word(const uint8_t *bytes, size_t size, uint32_t value) {
    const uint8_t pattern[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    for (size_t i = 16; i + 4 <= size; i++) {
        if (memcmp(bytes + i, pattern, 4) == 0) {
            return i;
        }
    }
    return 0;
}

TEST(program_binaries_with_doubles) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint p = api_program(api_vertex, FP64 "uniform double first; uniform dmat4 m; void main() {"
                                            "gl_FragColor = vec4(m[3][2] > first, m[0][0] == first, 0.0, 1.0); }");
    GLint size = 0, ok = 0;
    GLenum format = 0;
    GLsizei length = 0;
    glGetProgramiv(p, GL_PROGRAM_BINARY_LENGTH_OES, &size);
    uint8_t *bytes = malloc((size_t)size);
    glGetProgramBinaryOES(p, size, &length, &format, bytes);
    GLuint q = glCreateProgram();
    glProgramBinaryOES(q, format, bytes, length);
    glGetProgramiv(q, GL_LINK_STATUS, &ok);
    CHECK_EQ_INT(ok, 1);
    glUseProgram(q);
    double m[16] = {0.1};
    m[14] = next_of(0.1);
    glUniform1dVLGL(glGetUniformLocation(q, "first"), 0.1);
    glUniformMatrix4dvVLGL(glGetUniformLocation(q, "m"), 1, GL_FALSE, m);
    api_quad();
    CHECK_EQ_INT(api_pixel(0, 0), 0xFFFF00FF);
    size_t at = find_word(bytes, (size_t)size, GL_DOUBLE_MAT4_VLGL);
    CHECK(at != 0);
    /* Types that do not fit the registers of the entry: as floats 4 instead of 16, and no type at all. */
    static const uint32_t others[] = {0x8B5C, GL_DOUBLE_MAT3_VLGL, GL_DOUBLE_VLGL, 0x8F49, 0x140B, 0x8FFF, 0x8FFB};
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++) {
        patch_word(bytes, (size_t)size, at, others[i]);
        glProgramBinaryOES(q, format, bytes, length);
        glGetProgramiv(q, GL_LINK_STATUS, &ok);
        CHECK_EQ_INT(ok, 0);
    }
    patch_word(bytes, (size_t)size, at, GL_DOUBLE_MAT4_VLGL);
    glProgramBinaryOES(q, format, bytes, length);
    glGetProgramiv(q, GL_LINK_STATUS, &ok);
    CHECK_EQ_INT(ok, 1);
    free(bytes);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

/* Arrays of doubles in a loop, a struct with doubles, both stages sharing one uniform. */
TEST(stages_share_uniforms) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint p = api_program(
        FP64 "attribute vec4 a_position; uniform double shared_value; struct S { float f; double d[2]; }; uniform S s;"
             "varying float same;"
             "void main() { same = float((shared_value - 0.1lf) * 1e17lf + s.d[1]); gl_Position = a_position; }",
        FP64 "uniform double shared_value; varying float same; uniform double w[4];"
             "void main() { double sum = 0.0lf; for (int i = 0; i < 4; i++) { sum += w[i]; }"
             "gl_FragColor = vec4(same, float((shared_value - 0.1lf) * 1e17lf), float(sum), 1.0); }");
    CHECK(p != 0);
    glUseProgram(p);
    const double w[4] = {1e20, 0.25, -1e20, 1.0};
    glUniform1dVLGL(glGetUniformLocation(p, "shared_value"), next_of(0.1));
    glUniform1dVLGL(glGetUniformLocation(p, "s.d[1]"), -1.0);
    glUniform1dvVLGL(glGetUniformLocation(p, "w"), 4, w);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_quad();
    /* One step of 0.1 is 1.39e-17. */
    CHECK_EQ_INT(api_pixel(2, 2), 0x63FFFFFF);
    api_end(&f);
}
