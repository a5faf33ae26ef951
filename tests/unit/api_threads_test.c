/* SPDX-License-Identifier: MIT */
/*
 * Eight contexts of one share group on eight threads: creation, upload, drawing and deletion at
 * once. Each thread checks pixels that only it writes; shared objects are changed by all of them.
 * Meant for ThreadSanitizer and AddressSanitizer as much as for its own checks.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "tests/unit/api_util.h"

enum { THREADS = 8, ROUNDS = 60, SIZE = 16, SHARED = 4 };

struct worker {
    pthread_t thread;
    unsigned number;
    struct es_context *ctx;
    struct es_surface surface;
    GLuint program;
    GLint color;
    unsigned wrong, errors;
};

static GLuint shared_textures[SHARED], shared_buffer;
static pthread_barrier_t barrier;

/* Draws with a texture of this thread's own and looks at the result. */
static void draw_own(struct worker *w, uint32_t random) {
    GLuint t;
    const uint8_t color[4] = {(uint8_t)random, (uint8_t)(random >> 8), (uint8_t)w->number, 255};
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, color);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glUniform4f(w->color, 1, 1, 1, 1);
    api_quad();
    if (random & 0x10000) {
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE,
                        "\x01\x02\x03\x04");
    }
    glDeleteTextures(1, &t);
    uint32_t expected =
        (uint32_t)color[0] << 24 | (uint32_t)color[1] << 16 | (uint32_t)color[2] << 8 | 255u;
    w->wrong += api_pixel((GLint)(random >> 4) % SIZE, 3) != expected;
}

/*
 * Uses and changes what all threads share; what it draws is anybody's guess, but nothing may break.
 */
static void touch_shared(struct worker *w, uint32_t random) {
    GLuint t = shared_textures[random % SHARED];
    glBindTexture(GL_TEXTURE_2D, t);
    if (random & 0x100) {
        uint8_t pixels[64];
        memset(pixels, (int)random, sizeof pixels);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    }
    if (random & 0x200) {
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
                        (random & 0x400) ? GL_NEAREST : GL_LINEAR);
    }
    glBindBuffer(GL_ARRAY_BUFFER, shared_buffer);
    if (random & 0x800) {
        GLfloat corners[64] = {-1, -1, 1, -1, -1, 1, 1, 1};
        glBufferData(GL_ARRAY_BUFFER, 32 + (GLsizeiptr)(random >> 24) % 4 * 32, corners,
                     GL_DYNAMIC_DRAW);
    }
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
    glUniform4f(w->color, 0.5f, 0.5f, 0.5f, 1);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    if ((random & 0xF000) == 0) {
        glGenerateMipmap(GL_TEXTURE_2D);
    }
}

static void *work(void *argument) {
    struct worker *w = argument;
    es_make_current(w->ctx, &w->surface, &w->surface);
    w->program =
        api_program(api_vertex, "precision mediump float; uniform sampler2D t; uniform vec4 c;"
                                "void main() { gl_FragColor = texture2D(t, vec2(0.5)) * c; }");
    glUseProgram(w->program);
    w->color = glGetUniformLocation(w->program, "c");
    pthread_barrier_wait(&barrier);
    uint32_t random = 12345 + w->number * 7919;
    for (unsigned i = 0; i < ROUNDS; i++) {
        random = random * 1664525u + 1013904223u;
        touch_shared(w, random >> 3);
        draw_own(w, random >> 5);
    }
    glUseProgram(0);
    glDeleteProgram(w->program);
    w->errors += glGetError() != GL_NO_ERROR;
    es_make_current(NULL, NULL, NULL);
    return NULL;
}

TEST(eight_contexts_on_eight_threads) {
    struct api_fixture f;
    static struct worker workers[THREADS];
    CHECK(api_begin(&f, 4, 4));
    glGenTextures(SHARED, shared_textures);
    for (unsigned i = 0; i < SHARED; i++) {
        glBindTexture(GL_TEXTURE_2D, shared_textures[i]);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    }
    static const GLfloat corners[8] = {-1, -1, 1, -1, -1, 1, 1, 1};
    glGenBuffers(1, &shared_buffer);
    glBindBuffer(GL_ARRAY_BUFFER, shared_buffer);
    glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
    CHECK_EQ_INT(pthread_barrier_init(&barrier, NULL, THREADS), 0);
    const struct es_context_desc desc = {.share = f.ctx};
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.number = i, .ctx = es_context_create(&desc)};
        CHECK(workers[i].ctx != NULL);
        CHECK(es_surface_init(&workers[i].surface, RN_FORMAT_RGBA8, RN_FORMAT_NONE, false, 1, SIZE,
                              SIZE));
        CHECK_EQ_INT(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        CHECK_EQ_INT(workers[i].wrong, 0);
        CHECK_EQ_INT(workers[i].errors, 0);
        es_context_destroy(workers[i].ctx);
        es_surface_fini(&workers[i].surface);
    }
    CHECK(glIsTexture(shared_textures[0]) && glIsBuffer(shared_buffer));
    CHECK_EQ_INT(f.ctx->share->refs, 1);
    pthread_barrier_destroy(&barrier);
    api_end(&f);
}
