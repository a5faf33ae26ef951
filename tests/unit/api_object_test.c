/* SPDX-License-Identifier: MIT */
/* Names, deletion semantics, sharing between contexts, buffers and their mapping, vertex arrays. */
#include "api/names.h"
#include "tests/unit/api_util.h"

TEST(name_table_against_a_plain_array) {
    enum { NAMES = 300 };
    struct es_names names = {0};
    static int objects[NAMES];
    bool used[NAMES] = {false};
    void *holds[NAMES] = {NULL};
    check_seed(7);
    for (unsigned step = 0; step < 20000; step++) {
        uint32_t name = 1 + check_random_below(NAMES - 1);
        switch (check_random_below(3)) {
        case 0:
            CHECK(es_names_set(&names, name, &objects[name]));
            used[name] = true;
            holds[name] = &objects[name];
            break;
        case 1:
            es_names_remove(&names, name);
            used[name] = false;
            holds[name] = NULL;
            break;
        default:
            if (!used[name]) {
                break;
            }
            CHECK(es_names_find(&names, name) == holds[name]);
        }
        uint32_t other = 1 + check_random_below(NAMES - 1);
        CHECK(es_names_is_used(&names, other) == used[other]);
        CHECK(es_names_find(&names, other) == holds[other]);
    }
    uint32_t fresh[50];
    CHECK(es_names_generate(&names, 50, fresh));
    for (unsigned i = 0; i < 50; i++) {
        CHECK(fresh[i] != 0 && (fresh[i] >= NAMES || !used[fresh[i]]));
        CHECK(es_names_is_used(&names, fresh[i]) && !es_names_find(&names, fresh[i]));
        CHECK(i == 0 || fresh[i] > fresh[i - 1]);
    }
    es_names_fini(&names);
}

TEST(gen_bind_is) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint b[2];
    glGenBuffers(2, b);
    CHECK(b[0] && b[1] && b[0] != b[1] && !glIsBuffer(b[0]));
    glBindBuffer(GL_ARRAY_BUFFER, b[0]);
    CHECK(glIsBuffer(b[0]) && !glIsBuffer(b[1]) && !glIsBuffer(0));
    glBindBuffer(GL_ARRAY_BUFFER, 4711); /* any name may be bound */
    CHECK(glIsBuffer(4711));
    glGenBuffers(-1, b);
    CHECK_ERROR(GL_INVALID_VALUE);
    GLuint t;
    glGenTextures(1, &t);
    CHECK(!glIsTexture(t));
    glBindTexture(GL_TEXTURE_2D, t);
    CHECK(glIsTexture(t));
    glBindTexture(GL_TEXTURE_CUBE_MAP, t);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glDeleteTextures(1, &t);
    CHECK(!glIsTexture(t));
    GLint bound = -1;
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
    CHECK_EQ_INT(bound, 0);
    glDeleteBuffers(2, b);
    const GLuint zero[2] = {0, 99999};
    glDeleteBuffers(2, zero); /* silently ignored */
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(deleted_attachments_live_on) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint fb[2];
    GLuint rb;
    glGenFramebuffers(2, fb);
    glGenRenderbuffers(1, &rb);
    glBindRenderbuffer(GL_RENDERBUFFER, rb);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA4, 4, 4);
    for (unsigned i = 0; i < 2; i++) {
        glBindFramebuffer(GL_FRAMEBUFFER, fb[i]);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, rb);
        CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    }
    glDeleteRenderbuffers(1, &rb);
    /* Detached from the bound framebuffer, still attached to the other one. */
    GLint type = -1;
    glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                          GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, &type);
    CHECK_EQ_INT(type, GL_NONE);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER),
                 GL_FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT);
    glBindFramebuffer(GL_FRAMEBUFFER, fb[0]);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    glClearColor(0, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    CHECK_EQ_INT(api_pixel(1, 1), 0x00FF00FF);
    glDeleteFramebuffers(2, fb);
    GLint bound = -1;
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &bound);
    CHECK_EQ_INT(bound, 0);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(programs_and_shaders_are_flagged) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint program = api_program(api_vertex, "void main() { gl_FragColor = vec4(1.0); }");
    CHECK(program != 0);
    GLuint shaders[2];
    GLsizei count = 0;
    glGetAttachedShaders(program, 2, &count, shaders);
    CHECK_EQ_INT(count, 2);
    CHECK(glIsShader(shaders[0])); /* deleted, but attached */
    GLint flagged = 0;
    glGetShaderiv(shaders[0], GL_DELETE_STATUS, &flagged);
    CHECK_EQ_INT(flagged, 1);
    glUseProgram(program);
    glDeleteProgram(program);
    CHECK(glIsProgram(program)); /* current */
    glGetProgramiv(program, GL_DELETE_STATUS, &flagged);
    CHECK_EQ_INT(flagged, 1);
    api_quad();
    CHECK_EQ_INT(api_pixel(2, 2), 0xFFFFFFFF);
    glUseProgram(0);
    CHECK(!glIsProgram(program) && !glIsShader(shaders[0]) && !glIsShader(shaders[1]));
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    GLuint shader = glCreateShader(GL_VERTEX_SHADER);
    glUseProgram(shader);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glLinkProgram(12345);
    CHECK_ERROR(GL_INVALID_VALUE);
    glDeleteShader(shader);
    glDeleteShader(0);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(failed_relink_keeps_the_executable_in_use) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint program =
        api_program(api_vertex, "void main() { gl_FragColor = vec4(0.0, 0.0, 1.0, 1.0); }");
    glUseProgram(program);
    GLuint shaders[2];
    glGetAttachedShaders(program, 2, NULL, shaders);
    glDetachShader(program, shaders[1]);
    glLinkProgram(program);
    GLint ok = 1;
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    CHECK_EQ_INT(ok, 0);
    api_quad();
    CHECK_EQ_INT(api_pixel(0, 0), 0x0000FFFF);
    glUseProgram(0);
    glUseProgram(program);
    CHECK_ERROR(GL_INVALID_OPERATION);
    api_end(&f);
}

TEST(shared_objects) {
    struct api_fixture a;
    CHECK(api_begin(&a, 4, 4));
    const struct es_context_desc desc = {.share = a.ctx};
    struct es_context *second = es_context_create(&desc);
    CHECK(second != NULL);
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    static const uint8_t red[4] = {255, 0, 0, 255};
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, red);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    es_make_current(second, &a.surface, &a.surface);
    CHECK(glIsTexture(t));
    glBindTexture(GL_TEXTURE_2D, t);
    GLuint program = api_program(api_vertex, "uniform sampler2D s; void main() {"
                                             "gl_FragColor = texture2D(s, vec2(0.5)); }");
    glUseProgram(program);
    api_quad();
    CHECK_EQ_INT(api_pixel(1, 1), 0xFF0000FF);
    /* Deleted and changed by the other context: still bound here, and the change is seen. */
    es_make_current(a.ctx, &a.surface, &a.surface);
    static const uint8_t green[4] = {0, 255, 0, 255};
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, green);
    glDeleteTextures(1, &t);
    es_make_current(second, &a.surface, &a.surface);
    CHECK(!glIsTexture(t));
    api_quad();
    CHECK_EQ_INT(api_pixel(1, 1), 0x00FF00FF);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    es_make_current(NULL, NULL, NULL);
    es_context_destroy(a.ctx); /* the group lives on */
    es_make_current(second, &a.surface, &a.surface);
    api_quad();
    CHECK_EQ_INT(api_pixel(1, 1), 0x00FF00FF);
    es_make_current(NULL, NULL, NULL);
    es_context_destroy(second);
    es_surface_fini(&a.surface);
}

TEST(buffer_data_and_mapping) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint b;
    GLint value;
    glBufferData(GL_ARRAY_BUFFER, 4, NULL, GL_STATIC_DRAW);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glGenBuffers(1, &b);
    glBindBuffer(GL_ARRAY_BUFFER, b);
    glBufferData(GL_ARRAY_BUFFER, -1, NULL, GL_STATIC_DRAW);
    CHECK_ERROR(GL_INVALID_VALUE);
    glBufferData(GL_ARRAY_BUFFER, 16, NULL, GL_ARRAY_BUFFER);
    CHECK_ERROR(GL_INVALID_ENUM);
    glBufferData(GL_ARRAY_BUFFER, 16, "0123456789abcde", GL_DYNAMIC_DRAW);
    glGetBufferParameteriv(GL_ARRAY_BUFFER, GL_BUFFER_SIZE, &value);
    CHECK_EQ_INT(value, 16);
    glGetBufferParameteriv(GL_ARRAY_BUFFER, GL_BUFFER_USAGE, &value);
    CHECK_EQ_INT(value, GL_DYNAMIC_DRAW);
    glBufferSubData(GL_ARRAY_BUFFER, 10, 7, "xxxxxxx");
    CHECK_ERROR(GL_INVALID_VALUE);
    glBufferSubData(GL_ARRAY_BUFFER, -1, 1, "x");
    CHECK_ERROR(GL_INVALID_VALUE);
    glBufferSubData(GL_ARRAY_BUFFER, 10, 6, "ABCDEF");
    char *p = glMapBufferRangeEXT(GL_ARRAY_BUFFER, 8, 8, GL_MAP_READ_BIT_EXT);
    CHECK(p && memcmp(p, "89ABCDEF", 8) == 0);
    glGetBufferParameteriv(GL_ARRAY_BUFFER, GL_BUFFER_MAPPED_OES, &value);
    CHECK_EQ_INT(value, 1);
    void *pointer = NULL;
    glGetBufferPointervOES(GL_ARRAY_BUFFER, GL_BUFFER_MAP_POINTER_OES, &pointer);
    CHECK(pointer == p);
    glBufferSubData(GL_ARRAY_BUFFER, 0, 1, "x");
    CHECK_ERROR(GL_INVALID_OPERATION);
    CHECK(glMapBufferOES(GL_ARRAY_BUFFER, GL_WRITE_ONLY_OES) == NULL);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glFlushMappedBufferRangeEXT(GL_ARRAY_BUFFER, 0, 1);
    CHECK_ERROR(GL_INVALID_OPERATION);
    CHECK(glUnmapBufferOES(GL_ARRAY_BUFFER));
    CHECK(!glUnmapBufferOES(GL_ARRAY_BUFFER));
    CHECK_ERROR(GL_INVALID_OPERATION);
    CHECK(glMapBufferRangeEXT(GL_ARRAY_BUFFER, 0, 17, GL_MAP_READ_BIT_EXT) == NULL);
    CHECK_ERROR(GL_INVALID_VALUE);
    CHECK(glMapBufferRangeEXT(GL_ARRAY_BUFFER, 0, 4, 0) == NULL);
    CHECK_ERROR(GL_INVALID_OPERATION);
    /* New data out of the mapping that they end: read before it goes, larger or smaller or in place. */
    for (GLsizeiptr size = 4; size <= 16; size += 6) {
        glBufferData(GL_ARRAY_BUFFER, 16, "0123456789abcde", GL_DYNAMIC_DRAW);
        p = glMapBufferOES(GL_ARRAY_BUFFER, GL_WRITE_ONLY_OES);
        glBufferData(GL_ARRAY_BUFFER, size, size < 16 ? p + 6 : p, GL_DYNAMIC_DRAW);
        CHECK_EQ_INT(f.ctx->share->mapped_buffers, 0);
        p = glMapBufferRangeEXT(GL_ARRAY_BUFFER, 0, size, GL_MAP_READ_BIT_EXT);
        CHECK(p && memcmp(p, &"0123456789abcde"[size < 16 ? 6 : 0], (size_t)size) == 0);
        CHECK(glUnmapBufferOES(GL_ARRAY_BUFFER));
    }
    CHECK(glMapBufferOES(GL_ARRAY_BUFFER, GL_WRITE_ONLY_OES) != NULL);
    CHECK_EQ_INT(f.ctx->share->mapped_buffers, 1);
    glDeleteBuffers(1, &b);
    CHECK_EQ_INT(f.ctx->share->mapped_buffers, 0);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(mapped_buffers_cannot_be_drawn) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint program = api_program(api_vertex, "void main() { gl_FragColor = vec4(1.0); }");
    glUseProgram(program);
    static const GLfloat corners[8] = {-1, -1, 1, -1, -1, 1, 1, 1};
    GLuint b;
    glGenBuffers(1, &b);
    glBindBuffer(GL_ARRAY_BUFFER, b);
    glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(0);
    glMapBufferOES(GL_ARRAY_BUFFER, GL_WRITE_ONLY_OES);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glUnmapBufferOES(GL_ARRAY_BUFFER);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    CHECK_EQ_INT(api_pixel(3, 3), 0xFFFFFFFF);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(vertex_arrays) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint v;
    GLuint b;
    GLint value;
    glGenVertexArraysOES(1, &v);
    CHECK(!glIsVertexArrayOES(v));
    glBindVertexArrayOES(v + 77);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glBindVertexArrayOES(v);
    CHECK(glIsVertexArrayOES(v));
    glGenBuffers(1, &b);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, b);
    glBindBuffer(GL_ARRAY_BUFFER, b);
    glVertexAttribPointer(3, 2, GL_SHORT, GL_TRUE, 8, (const void *)4);
    glEnableVertexAttribArray(3);
    glVertexAttribDivisorEXT(3, 2);
    glBindVertexArrayOES(0);
    glGetIntegerv(GL_ELEMENT_ARRAY_BUFFER_BINDING, &value);
    CHECK_EQ_INT(value, 0);
    glGetVertexAttribiv(3, GL_VERTEX_ATTRIB_ARRAY_ENABLED, &value);
    CHECK_EQ_INT(value, 0);
    glBindVertexArrayOES(v);
    glGetIntegerv(GL_ELEMENT_ARRAY_BUFFER_BINDING, &value);
    CHECK_EQ_INT(value, b);
    glGetVertexAttribiv(3, GL_VERTEX_ATTRIB_ARRAY_STRIDE, &value);
    CHECK_EQ_INT(value, 8);
    glGetVertexAttribiv(3, GL_VERTEX_ATTRIB_ARRAY_TYPE, &value);
    CHECK_EQ_INT(value, GL_SHORT);
    glGetVertexAttribiv(3, GL_VERTEX_ATTRIB_ARRAY_DIVISOR_EXT, &value);
    CHECK_EQ_INT(value, 2);
    glGetVertexAttribiv(3, GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING, &value);
    CHECK_EQ_INT(value, b);
    void *pointer = NULL;
    glGetVertexAttribPointerv(3, GL_VERTEX_ATTRIB_ARRAY_POINTER, &pointer);
    CHECK(pointer == (void *)4);
    glVertexAttribPointer(16, 2, GL_FLOAT, GL_FALSE, 0, NULL);
    CHECK_ERROR(GL_INVALID_VALUE);
    glVertexAttribPointer(1, 5, GL_FLOAT, GL_FALSE, 0, NULL);
    CHECK_ERROR(GL_INVALID_VALUE);
    glVertexAttribPointer(1, 2, GL_DEPTH_TEST, GL_FALSE, 0, NULL);
    CHECK_ERROR(GL_INVALID_ENUM);
    glDeleteVertexArraysOES(1, &v);
    glGetIntegerv(GL_VERTEX_ARRAY_BINDING_OES, &value);
    CHECK_EQ_INT(value, 0);
    api_end(&f);
}
