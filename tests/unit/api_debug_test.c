/* SPDX-License-Identifier: MIT */
/* KHR_debug: log, callback, filters, groups, labels; EXT_debug_marker. */
#include "tests/unit/api_util.h"

struct seen {
    unsigned count;
    GLenum source, type, severity;
    GLuint id;
    char text[ES_DEBUG_MAX_LENGTH];
};

static void GL_APIENTRY on_message(GLenum source, GLenum type, GLuint id, GLenum severity,
                                   GLsizei length, const GLchar *message, const void *user) {
    struct seen *s = (struct seen *)(uintptr_t)user;
    s->count++;
    s->source = source;
    s->type = type;
    s->severity = severity;
    s->id = id;
    snprintf(s->text, sizeof s->text, "%.*s", (int)length, message);
}

TEST(errors_become_messages) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    struct seen s = {0};
    glDebugMessageCallbackKHR(on_message, &s);
    glEnable(GL_TEXTURE_2D);
    CHECK_ERROR(GL_INVALID_ENUM);
    CHECK_EQ_INT(s.count, 0); /* off outside debug contexts */
    glEnable(GL_DEBUG_OUTPUT_KHR);
    glEnable(GL_TEXTURE_2D);
    CHECK_ERROR(GL_INVALID_ENUM);
    CHECK_EQ_INT(s.count, 1);
    CHECK(s.source == GL_DEBUG_SOURCE_API_KHR && s.type == GL_DEBUG_TYPE_ERROR_KHR);
    CHECK(strstr(s.text, "glEnable") && strstr(s.text, "0x0de1") &&
          strstr(s.text, "GL_INVALID_ENUM"));
    void *pointer = NULL;
    glGetPointervKHR(GL_DEBUG_CALLBACK_USER_PARAM_KHR, &pointer);
    CHECK(pointer == &s);
    api_end(&f);
}

/* Of calls with several parameters the message names the one that is wrong, and no other. */
TEST(the_wrong_parameter_is_named) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    struct seen s = {0};
    char pixel[4] = {0};
    glDebugMessageCallbackKHR(on_message, &s);
    glEnable(GL_DEBUG_OUTPUT_KHR);
#define NAMES(call, error, part)                                                                   \
    do {                                                                                           \
        const unsigned before = s.count;                                                           \
        call;                                                                                      \
        CHECK_ERROR(error);                                                                        \
        CHECK_EQ_INT(s.count, before + 1);                                                         \
        const char *colon = strchr(s.text, ':');                                                   \
        CHECK_STR(colon ? colon + 2 : s.text, part);                                               \
    } while (0)
    NAMES(glBlendFunc(GL_ONE, GL_SRC_ALPHA_SATURATE), GL_INVALID_ENUM, "destination RGB factor 0x0308");
    NAMES(glBlendFuncSeparate(GL_ONE, GL_ONE, 2, GL_ONE), GL_INVALID_ENUM, "source alpha factor 0x0002");
    NAMES(glBlendEquationSeparate(GL_FUNC_ADD, 3), GL_INVALID_ENUM, "alpha equation 0x0003");
    NAMES(glStencilOp(GL_KEEP, 4, GL_KEEP), GL_INVALID_ENUM, "operation where depth fails 0x0004");
    NAMES(glHint(GL_GENERATE_MIPMAP_HINT, 5), GL_INVALID_ENUM, "mode 0x0005");
    NAMES(glTexParameteri(GL_TEXTURE_2D, 6, GL_REPEAT), GL_INVALID_ENUM, "parameter 0x0006");
    NAMES(glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, 7), GL_INVALID_ENUM, "value 0x0007 of parameter 0x2802");
    NAMES(glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, 8, pixel), GL_INVALID_ENUM, "type 0x0008");
    NAMES(glReadPixels(0, 0, 1, 1, 9, GL_UNSIGNED_BYTE, pixel), GL_INVALID_ENUM, "format 0x0009");
    NAMES(glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, -1, NULL), GL_INVALID_VALUE, "stride -1");
    NAMES(glVertexAttribPointer(0, 5, GL_FLOAT, GL_FALSE, 0, NULL), GL_INVALID_VALUE, "size 5");
    NAMES(glDrawArrays(GL_POINTS, 0, -2), GL_INVALID_VALUE, "count -2");
    NAMES(glDrawElements(GL_POINTS, -3, GL_UNSIGNED_BYTE, NULL), GL_INVALID_VALUE, "count -3");
    NAMES(glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, 10, 1), GL_INVALID_ENUM,
          "renderbuffer target 0x000a");
    NAMES(glClipControlEXT(GL_LOWER_LEFT_EXT, 11), GL_INVALID_ENUM, "depth 0x000b");
    NAMES(glMapBufferRangeEXT(GL_ARRAY_BUFFER, 0, -1, GL_MAP_READ_BIT_EXT), GL_INVALID_VALUE, "negative length");
    NAMES(glDebugMessageInsertKHR(GL_DEBUG_SOURCE_APPLICATION_KHR, 12, 1, GL_DEBUG_SEVERITY_LOW_KHR, 1, "x"),
          GL_INVALID_ENUM, "type 0x000c");
    api_end(&f);
}

TEST(log_filters_and_groups) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    glEnable(GL_DEBUG_OUTPUT_KHR);
    const GLenum app = GL_DEBUG_SOURCE_APPLICATION_KHR;
    glDebugMessageInsertKHR(app, GL_DEBUG_TYPE_OTHER_KHR, 1, GL_DEBUG_SEVERITY_HIGH_KHR, -1,
                            "first");
    glDebugMessageInsertKHR(app, GL_DEBUG_TYPE_OTHER_KHR, 2, GL_DEBUG_SEVERITY_LOW_KHR, -1,
                            "low is off");
    glDebugMessageInsertKHR(GL_DEBUG_SOURCE_API_KHR, GL_DEBUG_TYPE_OTHER_KHR, 2,
                            GL_DEBUG_SEVERITY_LOW_KHR, -1, "");
    CHECK_EQ_INT(glGetError(), GL_INVALID_ENUM);
    GLint value = 0;
    glGetIntegerv(GL_DEBUG_LOGGED_MESSAGES_KHR, &value);
    CHECK_EQ_INT(value, 2); /* the first and the error */
    glGetIntegerv(GL_DEBUG_NEXT_LOGGED_MESSAGE_LENGTH_KHR, &value);
    CHECK_EQ_INT(value, 6);
    char text[200];
    GLuint id = 0;
    GLsizei length = 0;
    CHECK_EQ_INT(glGetDebugMessageLogKHR(5, 5, NULL, NULL, NULL, NULL, NULL, text),
                 0); /* too small */
    CHECK_EQ_INT(glGetDebugMessageLogKHR(1, sizeof text, NULL, NULL, &id, NULL, &length, text), 1);
    CHECK_STR(text, "first");
    CHECK(id == 1 && length == 6);
    glPushDebugGroupKHR(app, 9, -1, "group");
    glGetIntegerv(GL_DEBUG_GROUP_STACK_DEPTH_KHR, &value);
    CHECK_EQ_INT(value, 2);
    glDebugMessageControlKHR(GL_DONT_CARE, GL_DONT_CARE, GL_DONT_CARE, 0, NULL, GL_FALSE);
    glDebugMessageInsertKHR(app, GL_DEBUG_TYPE_OTHER_KHR, 3, GL_DEBUG_SEVERITY_HIGH_KHR, -1,
                            "silenced");
    const GLuint ids[1] = {4};
    glDebugMessageControlKHR(app, GL_DEBUG_TYPE_OTHER_KHR, GL_DONT_CARE, 1, ids, GL_TRUE);
    glDebugMessageInsertKHR(app, GL_DEBUG_TYPE_OTHER_KHR, 4, GL_DEBUG_SEVERITY_HIGH_KHR, 4,
                            "onlyxxx");
    glPopDebugGroupKHR(); /* the filter is as before */
    glPopDebugGroupKHR();
    CHECK_ERROR(GL_STACK_UNDERFLOW_KHR);
    const char *expected[] = {"enum", "group", "only", "group", "underflow"};
    for (unsigned i = 0; i < 5; i++) {
        CHECK_EQ_INT(glGetDebugMessageLogKHR(1, sizeof text, NULL, NULL, &id, NULL, &length, text),
                     1);
        if (i != 0 && i != 4) {
            CHECK_STR(text, expected[i]);
        }
    }
    for (unsigned i = 0; i < 100; i++) {
        glDebugMessageInsertKHR(app, GL_DEBUG_TYPE_OTHER_KHR, i, GL_DEBUG_SEVERITY_HIGH_KHR, -1,
                                "many");
    }
    glGetIntegerv(GL_DEBUG_LOGGED_MESSAGES_KHR, &value);
    CHECK_EQ_INT(value, ES_DEBUG_MAX_LOGGED);
    for (unsigned i = 0; i < 100; i++) {
        glPushDebugGroupKHR(app, 9, -1, "deep");
    }
    CHECK_ERROR(GL_STACK_OVERFLOW_KHR);
    api_end(&f);
}

TEST(labels) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint b;
    char text[32];
    GLsizei length = -1;
    glGenBuffers(1, &b);
    glObjectLabelKHR(GL_BUFFER_KHR, b, -1, "not yet an object");
    CHECK_ERROR(GL_INVALID_VALUE);
    glBindBuffer(GL_ARRAY_BUFFER, b);
    glObjectLabelKHR(GL_BUFFER_KHR, b, 4, "vertices");
    glGetObjectLabelKHR(GL_BUFFER_KHR, b, sizeof text, &length, text);
    CHECK_STR(text, "vert");
    CHECK_EQ_INT(length, 4);
    glObjectLabelKHR(GL_BUFFER_KHR, b, 0, NULL);
    glGetObjectLabelKHR(GL_BUFFER_KHR, b, sizeof text, &length, text);
    CHECK_STR(text, "");
    glObjectLabelKHR(GL_TEXTURE_2D, b, 0, NULL);
    CHECK_ERROR(GL_INVALID_ENUM);
    GLuint p = glCreateProgram();
    glObjectLabelKHR(GL_SHADER_KHR, p, -1, "x");
    CHECK_ERROR(GL_INVALID_VALUE);
    glObjectLabelKHR(GL_PROGRAM_KHR, p, -1, "my program");
    glGetObjectLabelKHR(GL_PROGRAM_KHR, p, 3, &length, text);
    CHECK_STR(text, "my");
    GLuint q;
    glGenQueriesEXT(1, &q);
    glObjectLabelKHR(GL_QUERY_KHR, q, -1, "not yet an object");
    CHECK_ERROR(GL_INVALID_VALUE);
    glBeginQueryEXT(GL_ANY_SAMPLES_PASSED_EXT, q);
    glObjectLabelKHR(GL_QUERY_KHR, q, -1, "is it hidden?");
    glGetObjectLabelKHR(GL_QUERY_KHR, q, sizeof text, &length, text);
    CHECK_STR(text, "is it hidden?");
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f); /* with the query still active, its label freed with it */
}
