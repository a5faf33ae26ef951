/* SPDX-License-Identifier: MIT */
/*
 * fork() in a process that draws: the child, in which the other threads and the pool's do not exist, draws with a
 * context of its own and with the one it inherits, and ends EGL; the parent goes on. In a child nothing may hang,
 * whatever the other threads were about at the moment of the fork.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/egl/egl.h"
#include "tests/unit/api_util.h"

enum { THREADS = 3, FORKS = 25, SIZE = 64 };

static const EGLint es2[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
static const EGLint size[] = {EGL_WIDTH, SIZE, EGL_HEIGHT, SIZE, EGL_NONE};
static const char paint[] = "precision mediump float; uniform vec4 c; uniform sampler2D t;"
                            "void main() { gl_FragColor = c * texture2D(t, gl_FragCoord.xy / 64.0); }";

static EGLDisplay display;
static EGLConfig config;
static EGLContext shared; /* the main thread's; the others share its objects */
static GLuint texture;
static atomic_bool stop;
static atomic_uint wrong, rounds;

static void set_color(float red, float green) {
    GLint program = 0;
    glGetIntegerv(GL_CURRENT_PROGRAM, &program);
    glUniform4f(glGetUniformLocation((GLuint)program, "c"), red, green, 0, 1);
}

/* Is a pixel of the target not of this colour? */
static int pixels_wrong(uint32_t expected) {
    uint8_t pixels[SIZE * SIZE * 4];
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (unsigned i = 0; i < sizeof pixels; i += 4) {
        const uint8_t *p = &pixels[i];
        if (((uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]) != expected) {
            return 1;
        }
    }
    return glGetError() != GL_NO_ERROR;
}

/* The whole target in one colour through the current program; 0 if every pixel is right. */
static int draw_wrong(float red, uint32_t expected) {
    set_color(red, 1);
    api_quad();
    return pixels_wrong(expected);
}

/* Drawing that nobody waits for: at the fork some of it is done, some under way, some pending. */
static void draw_many(void) {
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    set_color(0, 1.0f / 255.0f);
    for (unsigned i = 0; i < 200; i++) {
        api_quad();
    }
    glDisable(GL_BLEND);
}

static int begin(EGLContext share, EGLContext *context, EGLSurface *surface) {
    *context = eglCreateContext(display, config, share, es2);
    *surface = eglCreatePbufferSurface(display, config, size);
    if (!*context || !*surface || !eglMakeCurrent(display, *surface, *surface, *context)) {
        return 1;
    }
    glUseProgram(api_program(api_vertex, paint));
    return 0;
}

static void white_texture(void) {
    static const uint8_t white[4] = {255, 255, 255, 255};
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, white);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
}

/* Calls of every kind of lock, all the time. */
static void *work(void *unused) {
    (void)unused;
    while (!atomic_load(&stop)) {
        EGLContext context;
        EGLSurface surface;
        if (begin(shared, &context, &surface)) {
            atomic_fetch_add(&wrong, 1);
            return NULL;
        }
        glBindTexture(GL_TEXTURE_2D, texture);
        for (unsigned i = 0; i < 10; i++) {
            atomic_fetch_add(&wrong, (unsigned)draw_wrong(1, 0xFFFF00FF));
            GLuint t;
            glGenTextures(1, &t);
            glBindTexture(GL_TEXTURE_2D, t);
            glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 32, 32, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
            glGenerateMipmap(GL_TEXTURE_2D);
            EGLImage image = eglCreateImage(display, context, EGL_GL_TEXTURE_2D, (EGLClientBuffer)(uintptr_t)t, NULL);
            eglDestroyImage(display, image);
            glDeleteTextures(1, &t);
            glBindTexture(GL_TEXTURE_2D, texture);
        }
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(display, context);
        eglDestroySurface(display, surface);
        atomic_fetch_add(&rounds, 1);
    }
    return NULL;
}

/* What a child does; the result is its exit status, 0 = all is well. SIGALRM ends one that hangs. */
static int child(unsigned number) {
    EGLContext context;
    EGLSurface surface;
    alarm(60);
    if (number % 4 != 0 && pixels_wrong(0x00C800FF)) {
        return 1; /* what the parent has drawn so far */
    }
    if (number % 3 != 0 && draw_wrong(0, 0x00FF00FF)) {
        return 2; /* the inherited context, current on this thread */
    }
    if (begin(number % 2 ? shared : EGL_NO_CONTEXT, &context, &surface)) {
        return 3;
    }
    if (number % 2) {
        glBindTexture(GL_TEXTURE_2D, texture);
    } else {
        white_texture();
    }
    if (draw_wrong(1, 0xFFFF00FF)) {
        return 4;
    }
    if (number % 5 == 0) { /* a child's child */
        pid_t pid = fork();
        if (pid == 0) {
            _exit(draw_wrong(0, 0x00FF00FF));
        }
        int status = -1;
        if (waitpid(pid, &status, 0) != pid || status != 0) {
            return 5;
        }
    }
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (!eglTerminate(display) || !eglInitialize(display, NULL, NULL)) {
        return 6;
    }
    return begin(EGL_NO_CONTEXT, &context, &surface) ? 7 : (white_texture(), draw_wrong(1, 0xFFFF00FF)) ? 8 : 0;
}

TEST(a_child_draws_while_others_did) {
#if defined(CHECK_EMULATED)
    SKIP("qemu-user cannot fork a process with threads");
#endif
    static const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_RED_SIZE,   8,
                                    EGL_ALPHA_SIZE,      8,                  EGL_DEPTH_SIZE, 0, EGL_NONE};
    EGLSurface surface;
    EGLint n = 0;
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    CHECK(eglInitialize(display, NULL, NULL) && eglChooseConfig(display, wanted, &config, 1, &n) && n == 1);
    CHECK(begin(EGL_NO_CONTEXT, &shared, &surface) == 0);
    white_texture();
    CHECK_EQ_INT(draw_wrong(0, 0x00FF00FF), 0);
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        CHECK_EQ_INT(pthread_create(&threads[i], NULL, work, NULL), 0);
    }
    for (unsigned i = 0; i < FORKS; i++) {
        fflush(stdout);
        draw_many();
        pid_t pid = fork();
        if (pid == 0) {
            _exit(child(i));
        }
        CHECK(pid > 0);
        int status = -1;
        CHECK_EQ_INT(waitpid(pid, &status, 0), pid);
        CHECK_EQ_INT(status, 0);
        CHECK_EQ_INT(pixels_wrong(0x00C800FF), 0);
        CHECK_EQ_INT(draw_wrong(0, 0x00FF00FF), 0);
    }
    atomic_store(&stop, true);
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    CHECK_EQ_INT(atomic_load(&wrong), 0);
    CHECK(atomic_load(&rounds) > 0);
    CHECK(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT) && eglTerminate(display));
}
