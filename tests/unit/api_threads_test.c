/* SPDX-License-Identifier: MIT */
/*
 * Eight contexts of one share group on eight threads: creation, upload, drawing and deletion at
 * once. Each thread checks pixels that only it writes; shared objects are changed by all of them.
 * Meant for ThreadSanitizer and AddressSanitizer as much as for its own checks.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "api/egl/egl.h"
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

/* ---- another context that looks at a target while it is drawn must not change what is drawn ---- */

enum { PICTURE = 1024, PICTURES = 1000 };

static atomic_bool looking;
static GLuint picture;

static void *look(void *argument) {
    struct worker *w = argument;
    es_make_current(w->ctx, &w->surface, &w->surface);
    w->program = api_program(api_vertex, "precision mediump float; uniform sampler2D t; varying vec2 v_uv;"
                                         "void main() { gl_FragColor = texture2D(t, v_uv); }");
    static const GLfloat nowhere[6] = {0};
    glUseProgram(w->program);
    glBindTexture(GL_TEXTURE_2D, picture);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, nowhere);
    glEnableVertexAttribArray(0);
    while (atomic_load(&looking)) { /* what it would see is undefined, so there is no pixel that does */
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glFlush();
    }
    glDeleteProgram(w->program);
    es_make_current(NULL, NULL, NULL);
    return NULL;
}

/* Clears and looks at a pixel of each tile. */
static unsigned clear_picture(unsigned number) {
    const uint32_t expected = number << 24 | 255u;
    unsigned wrong = 0;
    glClearColor((GLfloat)number / 255.0f, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glFinish();
    for (GLint y = 5; y < PICTURE; y += 64) {
        for (GLint x = 5; x < PICTURE; x += 64) {
            wrong += api_pixel(x, y) != expected;
        }
    }
    return wrong;
}

TEST(who_looks_too_early_changes_nothing) {
    struct api_fixture f;
    struct worker w = {.number = 0};
    GLuint fbo;
    unsigned wrong = 0;
    CHECK(api_begin(&f, 4, 4));
    glGenTextures(1, &picture);
    glBindTexture(GL_TEXTURE_2D, picture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, PICTURE, PICTURE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, picture, 0);
    const struct es_context_desc desc = {.share = f.ctx};
    w.ctx = es_context_create(&desc);
    CHECK(w.ctx && es_surface_init(&w.surface, RN_FORMAT_RGBA8, RN_FORMAT_NONE, false, 1, SIZE, SIZE));
    atomic_store(&looking, true);
    CHECK_EQ_INT(pthread_create(&w.thread, NULL, look, &w), 0);
    for (unsigned i = 0; i < PICTURES; i++) {
        wrong += clear_picture(i * 77 % 251);
    }
    atomic_store(&looking, false);
    pthread_join(w.thread, NULL);
    CHECK_EQ_INT(wrong, 0);
    es_context_destroy(w.ctx);
    es_surface_fini(&w.surface);
    api_end(&f);
}

/* ---- the same through EGL: contexts, surfaces, images and shared objects come and go while others draw ---- */

enum { TURNS = 12, KEPT = 6 };

struct egl_worker {
    pthread_t thread;
    unsigned number, wrong, errors;
};

static EGLDisplay display;
static EGLConfig config;
static EGLContext main_context;
static atomic_uint kept[KEPT]; /* names of textures, of all threads; 0 = none */
static atomic_uint kept_program;
static _Atomic(void *) kept_image;

/* Draws with whatever shared texture is there; another thread may delete or redefine it meanwhile. */
static void use_kept(uint32_t random) {
    GLuint name = atomic_load(&kept[random % KEPT]);
    glBindTexture(GL_TEXTURE_2D, name);
    if (glIsTexture(name) && (random & 0x10)) {
        const GLsizei size = 1 << ((random >> 8) & 3);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
        glGenerateMipmap(GL_TEXTURE_2D);
    }
    api_quad();
    if ((random & 0xE0) == 0) {
        GLuint fresh, old;
        glGenTextures(1, &fresh);
        glBindTexture(GL_TEXTURE_2D, fresh);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
        old = atomic_exchange(&kept[random % KEPT], fresh);
        glDeleteTextures(1, &old);
    }
}

/* Relinks and sets uniforms of a program that other threads draw with. */
static void use_program(uint32_t random) {
    GLuint name = atomic_load(&kept_program);
    glUseProgram(name);
    glUniform4f(glGetUniformLocation(name, "c"), (float)(random & 1), 0, 0, 1);
    api_quad();
    if ((random & 0xF00) == 0) {
        glLinkProgram(name);
    }
    while (glGetError() != GL_NO_ERROR) { /* a location of before a relink may not fit: INVALID_OPERATION */
    }
    glUseProgram(0);
}

/* An EGLImage of a texture of this context's, taken up by whoever comes next. */
static void use_image(EGLContext context, uint32_t random) {
    GLuint t;
    static const uint8_t pixel[4] = {9, 8, 7, 6};
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    if (random & 1) {
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
        const EGLAttrib level[] = {EGL_GL_TEXTURE_LEVEL, 0, EGL_NONE};
        EGLImage image = eglCreateImage(display, context, EGL_GL_TEXTURE_2D, (EGLClientBuffer)(uintptr_t)t, level);
        EGLImage old = atomic_exchange(&kept_image, image);
        if (old) {
            eglDestroyImage(display, old);
        }
    } else {
        glEGLImageTargetTexture2DOES(GL_TEXTURE_2D, atomic_load(&kept_image)); /* may be gone: an error */
        api_quad();
    }
    while (glGetError() != GL_NO_ERROR) {
    }
    glDeleteTextures(1, &t);
}

static const char tint[] = "precision mediump float; uniform sampler2D t; uniform vec4 c;"
                           "void main() { gl_FragColor = texture2D(t, vec2(0.5)) * 0.0 + c; }";

/* One context's life: a few rounds of everything, then a picture that only this thread can have made. */
static void live(struct egl_worker *w, uint32_t random) {
    static const EGLint es2[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    const EGLint size[] = {EGL_WIDTH, 16 + (EGLint)(random & 31), EGL_HEIGHT, 16, EGL_NONE};
    EGLContext context = eglCreateContext(display, config, main_context, es2);
    EGLSurface surface = eglCreatePbufferSurface(display, config, size);
    if (!context || !surface || !eglMakeCurrent(display, surface, surface, context)) {
        w->errors++;
        return;
    }
    GLuint own = api_program(api_vertex, tint);
    for (unsigned i = 0; i < 20; i++) {
        random = random * 1664525u + 1013904223u;
        glUseProgram(own);
        use_kept(random >> 4);
        use_program(random >> 6);
        use_image(context, random >> 8);
        EGLSync sync = eglCreateSync(display, EGL_SYNC_FENCE, NULL);
        w->errors += eglClientWaitSync(display, sync, 0, EGL_FOREVER) != EGL_CONDITION_SATISFIED;
        eglDestroySync(display, sync);
    }
    const uint8_t blue = (uint8_t)(w->number * 30 + 10);
    glBindTexture(GL_TEXTURE_2D, 0);
    glUseProgram(own);
    glUniform4f(glGetUniformLocation(own, "c"), 0, 1, (float)blue / 255.0f, 1);
    api_quad();
    w->wrong += api_pixel(3, 3) != (0x00FF00FFu | (uint32_t)blue << 8);
    glDeleteProgram(own);
    w->errors += glGetError() != GL_NO_ERROR;
    if (random & 0x100000) { /* destroyed while current, or after */
        eglDestroySurface(display, surface);
        eglDestroyContext(display, context);
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    } else {
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(display, context);
        eglDestroySurface(display, surface);
    }
}

static void *egl_work(void *argument) {
    struct egl_worker *w = argument;
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < TURNS; i++) {
        live(w, w->number * 7919 + i * 104729);
    }
    eglReleaseThread();
    return NULL;
}

TEST(eight_threads_of_contexts_that_come_and_go) {
    static struct egl_worker workers[THREADS];
    static const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT,
                                    EGL_ALPHA_SIZE,   8,               EGL_DEPTH_SIZE,      24,
                                    EGL_NONE};
    static const EGLint es2[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    static const EGLint size[] = {EGL_WIDTH, 8, EGL_HEIGHT, 8, EGL_NONE};
    EGLint n = 0;
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    CHECK(eglInitialize(display, NULL, NULL) && eglChooseConfig(display, wanted, &config, 1, &n) && n == 1);
    main_context = eglCreateContext(display, config, EGL_NO_CONTEXT, es2);
    EGLSurface surface = eglCreatePbufferSurface(display, config, size);
    CHECK(eglMakeCurrent(display, surface, surface, main_context));
    atomic_store(&kept_program, api_program(api_vertex, tint));
    glFinish();
    CHECK_EQ_INT(pthread_barrier_init(&barrier, NULL, THREADS), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct egl_worker){.number = i};
        CHECK_EQ_INT(pthread_create(&workers[i].thread, NULL, egl_work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        CHECK_EQ_INT(workers[i].wrong, 0);
        CHECK_EQ_INT(workers[i].errors, 0);
    }
    pthread_barrier_destroy(&barrier);
    CHECK(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
    CHECK(eglTerminate(display));
    atomic_store(&kept_image, NULL);
}
