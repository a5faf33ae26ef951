/* SPDX-License-Identifier: MIT */
/*
 * Calls of extensions that no other test needs: discarding, markers, immutable and compressed 3D textures, instances
 * with indices, sized queries; and that api/README.md names every extension.
 */
#include "tests/unit/api_util.h"

static GLuint new_texture(GLenum target) {
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(target, t);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return t;
}

TEST(the_readme_names_every_extension) {
    FILE *file = fopen("api/README.md", "r");
    CHECK(file != NULL);
    if (!file) {
        return;
    }
    char *text = calloc(1, 1 << 16);
    CHECK(fread(text, 1, (1 << 16) - 1, file) > 0 && feof(file));
    fclose(file);
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    const char *place = strstr(text, "\n## Extensions\n");
    CHECK(place != NULL);
    char *names = calloc(1, strlen((const char *)glGetString(GL_EXTENSIONS)) + 1);
    strcpy(names, (const char *)glGetString(GL_EXTENSIONS));
    for (char *name = strtok(names, " "); name && place; name = strtok(NULL, " ")) {
        char wanted[80];
        snprintf(wanted, sizeof wanted, "%s", name + 3); /* without GL_ */
        const char *found = strstr(place, wanted);
        while (found && (found[strlen(wanted)] == '_' || found[-1] == '_')) { /* the start or end of a longer one */
            found = strstr(found + 1, wanted);
        }
        if (!found) {
            printf("api/README.md does not name %s\n", wanted);
        }
        CHECK(found != NULL);
    }
    free(names);
    free(text);
    api_end(&f);
}

/* EXT_discard_framebuffer: contents become undefined, so only errors and what was not named can be looked at. */
TEST(discarding) {
    struct api_fixture f;
    GLuint fb, t;
    CHECK(api_begin(&f, 4, 4));
    static const GLenum own[] = {GL_COLOR_EXT, GL_DEPTH_EXT, GL_STENCIL_EXT};
    static const GLenum points[] = {GL_COLOR_ATTACHMENT0, GL_DEPTH_ATTACHMENT, GL_STENCIL_ATTACHMENT};
    glClearColor(0, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glDiscardFramebufferEXT(GL_FRAMEBUFFER, 2, own + 1);
    CHECK_EQ_INT(api_pixel(1, 1), 0x00FF00FF); /* the colour was not named */
    glDiscardFramebufferEXT(GL_FRAMEBUFFER, 3, own);
    glClear(GL_COLOR_BUFFER_BIT);
    CHECK_EQ_INT(api_pixel(1, 1), 0x00FF00FF); /* and afterwards it is drawn to as ever */
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    glDiscardFramebufferEXT(GL_TEXTURE_2D, 3, own);
    CHECK_ERROR(GL_INVALID_ENUM);
    glDiscardFramebufferEXT(GL_FRAMEBUFFER, -1, own);
    CHECK_ERROR(GL_INVALID_VALUE);
    glDiscardFramebufferEXT(GL_FRAMEBUFFER, 1, points);
    CHECK_ERROR(GL_INVALID_ENUM); /* names of attachment points are for framebuffer objects */
    glGenFramebuffers(1, &fb);
    glBindFramebuffer(GL_FRAMEBUFFER, fb);
    glDiscardFramebufferEXT(GL_FRAMEBUFFER, 3, points); /* nothing attached: nothing to discard */
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    t = new_texture(GL_TEXTURE_2D);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0);
    glDiscardFramebufferEXT(GL_FRAMEBUFFER, 1, own);
    CHECK_ERROR(GL_INVALID_ENUM);
    glClear(GL_COLOR_BUFFER_BIT);
    glDiscardFramebufferEXT(GL_FRAMEBUFFER, 2, points + 1);
    CHECK_EQ_INT(api_pixel(3, 3), 0x00FF00FF);
    glDiscardFramebufferEXT(GL_FRAMEBUFFER, 1, points);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, 1, 4);
    glClear(GL_COLOR_BUFFER_BIT);
    CHECK_EQ_INT(api_pixel(0, 2), 0x00FF00FF);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

static unsigned marks, unterminated;
static char last_mark[64];

static void GL_APIENTRY on_message(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length, const GLchar *message,
                                   const void *user) {
    (void)source;
    (void)id;
    (void)severity;
    (void)user;
    marks += type == GL_DEBUG_TYPE_MARKER_KHR || type == GL_DEBUG_TYPE_PUSH_GROUP_KHR || type == GL_DEBUG_TYPE_POP_GROUP_KHR;
    unterminated += message[length] != '\0';
    snprintf(last_mark, sizeof last_mark, "%.*s", (int)length, message);
}

TEST(markers) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    glInsertEventMarkerEXT(0, "nobody listens");
    glPopGroupMarkerEXT(); /* without a push: no error, no effect */
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    glEnable(GL_DEBUG_OUTPUT_KHR);
    glDebugMessageCallbackKHR(on_message, NULL);
    glDebugMessageControlKHR(GL_DONT_CARE, GL_DONT_CARE, GL_DONT_CARE, 0, NULL, GL_TRUE);
    marks = 0;
    glInsertEventMarkerEXT(0, "whole string");
    CHECK_STR(last_mark, "whole string");
    glInsertEventMarkerEXT(5, "short string");
    CHECK_STR(last_mark, "short");
    glPushGroupMarkerEXT(0, "group");
    CHECK_STR(last_mark, "group");
    glPopGroupMarkerEXT();
    CHECK_EQ_INT(marks, 4);
    glDebugMessageInsertKHR(GL_DEBUG_SOURCE_APPLICATION_KHR, GL_DEBUG_TYPE_OTHER_KHR, 1, GL_DEBUG_SEVERITY_HIGH_KHR, 3, "onetwo");
    CHECK_STR(last_mark, "one");
    CHECK_EQ_INT(unterminated, 0);
    glInsertEventMarkerEXT(0, NULL);
    CHECK_EQ_INT(marks, 4);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

/* KHR_debug: pointers name sync objects, of which OpenGL ES 2.0 has none. */
TEST(labels_of_pointers) {
    struct api_fixture f;
    GLsizei length = -5;
    char text[8] = "as was";
    CHECK(api_begin(&f, 4, 4));
    glObjectPtrLabelKHR(&f, -1, "x");
    CHECK_ERROR(GL_INVALID_VALUE);
    glGetObjectPtrLabelKHR(&f, sizeof text, &length, text);
    CHECK_ERROR(GL_INVALID_VALUE);
    CHECK_STR(text, "as was");
    CHECK_EQ_INT(length, -5);
    api_end(&f);
}

TEST(immutable_and_compressed_3d) {
    struct api_fixture f;
    uint8_t texels[4 * 2 * 3 * 4];
    GLint immutable = 0;
    CHECK(api_begin(&f, 4, 4));
    glTexStorage3DEXT(GL_TEXTURE_2D, 1, GL_RGBA8_OES, 4, 2, 3);
    CHECK_ERROR(GL_INVALID_ENUM);
    glTexStorage3DEXT(GL_TEXTURE_3D_OES, 1, GL_RGBA8_OES, 4, 2, 3);
    CHECK_ERROR(GL_INVALID_OPERATION); /* texture 0 */
    new_texture(GL_TEXTURE_3D_OES);
    glTexStorage3DEXT(GL_TEXTURE_3D_OES, 4, GL_RGBA8_OES, 4, 2, 3);
    CHECK_ERROR(GL_INVALID_OPERATION); /* 4 x 2 x 3 has three levels */
    glTexStorage3DEXT(GL_TEXTURE_3D_OES, 1, GL_RGBA8_OES, 4, 2, 0);
    CHECK_ERROR(GL_INVALID_VALUE);
    glTexStorage3DEXT(GL_TEXTURE_3D_OES, 1, GL_DEPTH_COMPONENT16, 4, 2, 3);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glTexStorage3DEXT(GL_TEXTURE_3D_OES, 3, GL_RGBA8_OES, 4, 2, 3);
    glGetTexParameteriv(GL_TEXTURE_3D_OES, GL_TEXTURE_IMMUTABLE_FORMAT_EXT, &immutable);
    CHECK_EQ_INT(immutable, 1);
    glTexImage3DOES(GL_TEXTURE_3D_OES, 0, GL_RGBA, 4, 2, 3, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    CHECK_ERROR(GL_INVALID_OPERATION);
    memset(texels, 0x40, sizeof texels);
    glTexSubImage3DOES(GL_TEXTURE_3D_OES, 0, 0, 0, 0, 4, 2, 3, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glTexSubImage3DOES(GL_TEXTURE_3D_OES, 2, 0, 0, 0, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, "\xFF\x00\xFF\xFF");
    glTexSubImage3DOES(GL_TEXTURE_3D_OES, 2, 0, 0, 0, 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    CHECK_ERROR(GL_INVALID_VALUE); /* level 2 is 1 x 1 x 1 */
    glUseProgram(api_program(api_vertex, "#extension GL_OES_texture_3D : require\nprecision mediump float; uniform mediump sampler3D t;"
                                         "void main() { gl_FragColor = texture3D(t, vec3(0.5)); }"));
    api_quad();
    CHECK_EQ_INT(api_pixel(2, 2), 0x40404040);
    /* S3TC and ETC1 have no 3D images. */
    static const uint8_t block[16] = {0};
    new_texture(GL_TEXTURE_3D_OES);
    glCompressedTexImage3DOES(GL_TEXTURE_3D_OES, 0, GL_RGBA, 4, 4, 1, 0, 16, block);
    CHECK_ERROR(GL_INVALID_ENUM);
    glCompressedTexImage3DOES(GL_TEXTURE_2D, 0, GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, 4, 4, 1, 0, 16, block);
    CHECK_ERROR(GL_INVALID_ENUM);
    glCompressedTexImage3DOES(GL_TEXTURE_3D_OES, 0, GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, 4, 4, 1, 0, 16, block);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glTexImage3DOES(GL_TEXTURE_3D_OES, 0, GL_RGBA, 4, 4, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glCompressedTexSubImage3DOES(GL_TEXTURE_3D_OES, 0, 0, 0, 0, 4, 4, 1, GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, 16, block);
    CHECK_ERROR(GL_INVALID_OPERATION);
    api_end(&f);
}

/* Four columns by instances, each with a colour of its own; the third vertex order comes from indices. */
TEST(instances_with_indices) {
    struct api_fixture f;
    static const GLubyte indices[6] = {0, 1, 2, 2, 1, 3};
    static const GLfloat corners[8] = {-1, -1, -0.5f, -1, -1, 1, -0.5f, 1};
    static const GLfloat moved[4] = {0, 0.5f, 1, 1.5f};
    CHECK(api_begin(&f, 4, 4));
    glUseProgram(api_program("attribute vec4 a_position; attribute float a_move; varying float v;"
                             "void main() { gl_Position = a_position + vec4(a_move, 0, 0, 0); v = a_move * 0.5; }",
                             "precision mediump float; varying float v; void main() { gl_FragColor = vec4(v, 1.0 - v, 0, 1); }"));
    GLint program = 0;
    glGetIntegerv(GL_CURRENT_PROGRAM, &program);
    const GLuint move = (GLuint)glGetAttribLocation((GLuint)program, "a_move");
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glVertexAttribPointer(move, 1, GL_FLOAT, GL_FALSE, 0, moved);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(move);
    glVertexAttribDivisorANGLE(move, 1);
    glDrawElementsInstancedANGLE(GL_TRIANGLES, 6, GL_UNSIGNED_BYTE, indices, -1);
    CHECK_ERROR(GL_INVALID_VALUE);
    glDrawElementsInstancedANGLE(GL_TRIANGLES, 6, GL_FLOAT, indices, 4);
    CHECK_ERROR(GL_INVALID_ENUM);
    glVertexAttribDivisorANGLE(0, 1);
    glDrawElementsInstancedANGLE(GL_TRIANGLES, 6, GL_UNSIGNED_BYTE, indices, 4);
    CHECK_ERROR(GL_INVALID_OPERATION); /* ANGLE: some enabled array must have divisor 0 */
    glVertexAttribDivisorANGLE(0, 0);
    glDrawElementsInstancedANGLE(GL_TRIANGLES, 6, GL_UNSIGNED_BYTE, indices, 4);
    static const uint32_t expected[4] = {0x00FF00FF, 0x40BF00FF, 0x808000FF, 0xBF4000FF};
    for (GLint x = 0; x < 4; x++) {
        CHECK_EQ_INT(api_pixel(x, 1), expected[x]);
    }
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

/* EXT_robustness: a query that does not fit writes nothing. */
TEST(sized_queries_of_uniforms) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint p = api_program(api_vertex, "precision mediump float; uniform ivec3 i; void main() { gl_FragColor = vec4(vec3(i), 1); }");
    glUseProgram(p);
    GLint location = glGetUniformLocation(p, "i"), values[4] = {9, 9, 9, 9};
    glUniform3i(location, 1, -2, 300);
    glGetnUniformivEXT(p, location, 8, values);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glGetnUniformivEXT(p, location, -1, values);
    CHECK_ERROR(GL_INVALID_OPERATION);
    CHECK_EQ_INT(values[0], 9);
    glGetnUniformivEXT(p, location, 12, values);
    CHECK(values[0] == 1 && values[1] == -2 && values[2] == 300 && values[3] == 9);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}
