/* SPDX-License-Identifier: MIT */
/* VLGL_TRACE on draws of every kind: which primitives reach the pixel, what stops a fragment, instances, vertices. */
#include <unistd.h>

#include "tests/unit/api_util.h"

enum { SIDE = 32 };

static char path[64];
static char *trace_text;

static const char vertex_text[] =
    "attribute vec4 a_position; attribute vec4 shift; varying vec2 uv;\n"
    "void main() { uv = a_position.xy; gl_PointSize = 5.0; gl_Position = a_position + vec4(shift.xy, 0.0, 0.0); }\n";
static const char fragment_text[] =
    "precision highp float; varying vec2 uv; uniform vec4 c;\n"
    "void main() { if (c.a == 0.0) discard; gl_FragColor = c + vec4(uv, 0.0, 0.0) * 0.0; }\n";

/* A context that traces pixel (x, y from the top), or a vertex. */
static bool begin(struct api_fixture *f, const char *what) {
    snprintf(path, sizeof path, "/tmp/vlgl-trace-%ld.json", (long)getpid());
    setenv("VLGL_TRACE", what, 1);
    setenv("VLGL_TRACE_FILE", path, 1);
    const bool ok = api_begin(f, SIDE, SIDE);
    GLuint program = ok ? api_program(vertex_text, fragment_text) : 0;
    glUseProgram(program);
    glUniform4f(glGetUniformLocation(program, "c"), 1.0f, 0.5f, 0.25f, 1.0f);
    glVertexAttrib4f((GLuint)glGetAttribLocation(program, "shift"), 0, 0, 0, 0);
    return ok && program;
}

/* Ends the context and reads its trace. */
static void end(struct api_fixture *f) {
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    free(trace_text);
    trace_text = NULL;
    api_end(f);
    unsetenv("VLGL_TRACE");
    unsetenv("VLGL_TRACE_FILE");
    FILE *file = fopen(path, "rb");
    if (file) {
        trace_text = calloc(1, 1 << 20);
        trace_text[fread(trace_text, 1, (1 << 20) - 1, file)] = '\0';
        fclose(file);
        unlink(path);
    }
    CHECK(trace_text != NULL);
    CHECK(trace_text && !strstr(trace_text, "\"consistent\": false") && !strstr(trace_text, "\"agrees\": false"));
}

static int count(const char *word) {
    int n = 0;
    for (const char *at = trace_text; at && (at = strstr(at, word)); at++) {
        n++;
    }
    return n;
}

static void draw(GLenum mode, const GLfloat *corners, int n) {
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glEnableVertexAttribArray(0);
    glDrawArrays(mode, 0, n);
}

static const GLfloat strip[12] = {-1, -1, -1, 1, 0, -1, 0, 1, 1, -1, 1, 1};

TEST(strips_and_fans_name_their_primitive) {
    struct api_fixture f;
    CHECK(begin(&f, "0,20,16")); /* right of the middle, above the diagonal of the third triangle */
    draw(GL_TRIANGLE_STRIP, strip, 6);
    end(&f);
    CHECK_EQ_INT(count("\"primitive\": "), 1);
    CHECK_EQ_INT(count("\"primitive\": 2,"), 1);
    CHECK_EQ_INT(count("\"bytes\": [255, 128, 64, 255]"), 3); /* of the fragment, the draw, the end */
    static const GLfloat fan[10] = {-1, -1, 1, -1, 1, 0, 1, 1, -1, 1};
    CHECK(begin(&f, "0,16,2"));
    draw(GL_TRIANGLE_FAN, fan, 5);
    end(&f);
    CHECK_EQ_INT(count("\"primitive\": 2,"), 1);
    CHECK_EQ_INT(count("\"index\": 0,"), 1);
}

TEST(written_when_its_frame_ends) {
    struct api_fixture f;
    CHECK(begin(&f, "1,16,16"));
    draw(GL_TRIANGLE_STRIP, strip, 6);
    glFinish();
    CHECK(access(path, F_OK) != 0); /* that was frame 0 */
    draw(GL_TRIANGLE_STRIP, strip, 6);
    CHECK(access(path, F_OK) != 0);
    glFinish();
    CHECK(access(path, F_OK) == 0); /* the context is still there */
    draw(GL_TRIANGLE_STRIP, strip, 6);
    end(&f);
    CHECK_EQ_INT(count("\"frame\": 1"), 1);
}

TEST(lines_and_points) {
    struct api_fixture f;
    static const GLfloat loop[8] = {-0.5f, -0.51f, 0.5f, -0.51f, 0.5f, 0.5f, -0.49f, 0.5f};
    CHECK(begin(&f, "0,8,16")); /* the left side: from the last vertex to the first */
    glLineWidth(3.0f);
    draw(GL_LINE_LOOP, loop, 4);
    end(&f);
    CHECK_EQ_INT(count("\"primitive\": 3,"), 1);
    static const GLfloat points[4] = {-0.9f, -0.9f, 0.02f, 0.02f};
    CHECK(begin(&f, "0,17,14"));
    draw(GL_POINTS, points, 2);
    end(&f);
    CHECK_EQ_INT(count("\"primitive\": 1,"), 1);
}

TEST(fragments_of_one_draw_in_order) {
    struct api_fixture f;
    static const GLfloat twice[12] = {-1, -1, 3, -1, -1, 3, -1, -1, 3, -1, -1, 3};
    CHECK(begin(&f, "0,3,3"));
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glUniform4f(0, 0.25f, 0.0f, 0.0f, 0.5f);
    draw(GL_TRIANGLES, twice, 6);
    end(&f);
    const char *one = strstr(trace_text, "\"primitive\": 0,");
    const char *two = strstr(trace_text, "\"primitive\": 1,");
    CHECK(one && two && one < two);
    CHECK_EQ_INT(count("\"bytes\": [64, 0, 0, 128]"), 2);      /* after the first, before the second */
    CHECK_EQ_INT(count("\"bytes\": [128, 0, 0, 255]"), 3);
    CHECK(strstr(trace_text, "\"blend\": {\"rgb\": [\"one\", \"add\", \"one\"]") != NULL);
}

TEST(what_stops_a_fragment) {
    struct api_fixture f;
    static const GLfloat all[6] = {-1, -1, 3, -1, -1, 3};
    CHECK(begin(&f, "0,3,3"));
    glEnable(GL_DEPTH_TEST);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    draw(GL_TRIANGLES, all, 3);
    draw(GL_TRIANGLES, all, 3); /* the same depth: less fails */
    glDisable(GL_DEPTH_TEST);
    glUniform4f(0, 1.0f, 1.0f, 1.0f, 0.0f);
    draw(GL_TRIANGLES, all, 3); /* discarded */
    glUniform4f(0, 0.0f, 1.0f, 0.0f, 1.0f);
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_EQUAL, 7, 255);
    glStencilOp(GL_INCR, GL_KEEP, GL_KEEP);
    draw(GL_TRIANGLES, all, 3);
    glDisable(GL_STENCIL_TEST);
    glEnable(GL_CULL_FACE);
    glCullFace(GL_FRONT);
    draw(GL_TRIANGLES, all, 3);
    glDisable(GL_CULL_FACE);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, 4, 4);
    draw(GL_TRIANGLES, all, 3);
    end(&f);
    CHECK_EQ_INT(count("\"kind\": \"clear\""), 1);
    CHECK_EQ_INT(count("\"kind\": \"draw\""), 6);
    CHECK_EQ_INT(count("\"depth_test\": {\"func\": \"less\", \"value\": 0.5"), 2);
    CHECK_EQ_INT(count("\"discarded\": true"), 1);
    CHECK(strstr(trace_text, "\"stencil_test\": {\"func\": \"equal\", \"ref\": 7, \"mask\": 255, \"stored\": 0, \"passed\": false, "
                             "\"fail\": \"incr\"") != NULL);
    CHECK_EQ_INT(count("\"stencil\": 1}"), 7); /* the stencil's own draw and all after it */
    CHECK_EQ_INT(count("\"missed\": \"culled\""), 1);
    CHECK_EQ_INT(count("\"missed\": \"scissor\""), 1);
    /* The depth test came first; the stencil test came last, since its failure changes the stencil and the program discards. */
    CHECK_EQ_INT(count("\"shaded\": false"), 1);
}

TEST(instances_and_indices) {
    struct api_fixture f;
    static const GLfloat corners[8] = {-1, -1, -0.6f, -1, -1, -0.6f, -0.6f, -0.6f};
    static const GLfloat shifts[8] = {0, 0, 0.4f, 0.4f, 0.9f, 0.9f, 1.5f, 1.5f};
    static const GLubyte indices[6] = {0, 1, 2, 2, 1, 3};
    CHECK(begin(&f, "0,17,14")); /* in the third of four little squares */
    const GLuint shift = (GLuint)glGetAttribLocation(f.ctx->program->base.name, "shift");
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glVertexAttribPointer(shift, 2, GL_FLOAT, GL_FALSE, 0, shifts);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(shift);
    glVertexAttribDivisorEXT(shift, 1);
    glDrawElementsInstancedEXT(GL_TRIANGLES, 6, GL_UNSIGNED_BYTE, indices, 4);
    end(&f);
    CHECK_EQ_INT(count("\"instance\": 2"), 1);
    CHECK_EQ_INT(count("\"instances\": 4"), 1);
}

TEST(vertices) {
    struct api_fixture f;
    CHECK(begin(&f, "0,v4"));
    draw(GL_TRIANGLE_STRIP, strip, 6);
    draw(GL_TRIANGLE_STRIP, strip, 4); /* has no vertex 4 */
    end(&f);
    CHECK_EQ_INT(count("\"kind\": \"vertex\""), 1);
    CHECK(strstr(trace_text, "\"name\": \"gl_Position\"") != NULL);
    CHECK(strstr(trace_text, "\"clip\": [1, -1, 0, 1]") != NULL);
    CHECK(strstr(trace_text, "gl_PointSize = 5.0;") != NULL); /* the source */
}

TEST(only_its_frame_and_framebuffer) {
    struct api_fixture f;
    static const GLfloat all[6] = {-1, -1, 3, -1, -1, 3};
    CHECK(begin(&f, "1,3,3"));
    draw(GL_TRIANGLES, all, 3);
    glFinish();
    glFinish(); /* nothing drawn: no frame */
    GLuint texture, fbo;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIDE, SIDE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    draw(GL_TRIANGLES, all, 3);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    draw(GL_TRIANGLES, all, 3);
    glFinish();
    draw(GL_TRIANGLES, all, 3);
    end(&f);
    CHECK_EQ_INT(count("\"kind\": \"draw\""), 1);
    CHECK(strstr(trace_text, "\"frame\": 1, ") != NULL);
}
