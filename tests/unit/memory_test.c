/* SPDX-License-Identifier: MIT */
/*
 * Memory of whole frames: what a million triangles on a 4096x4096 target take, and that frames which
 * repeat themselves allocate nothing. The program's own malloc counts calls; sanitizers bring theirs,
 * so they skip.
 */
#define _GNU_SOURCE 1
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/api_util.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#if !defined(SANITIZED) && defined(__GLIBC__) && defined(__LP64__)
#define COUNTS 1
static atomic_uint_fast64_t allocations;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);

static void count_one(void) {
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
}
void *malloc(size_t size) {
    count_one();
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    count_one();
    return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
    count_one();
    return __libc_realloc(old, size);
}
void *aligned_alloc(size_t align, size_t size) {
    count_one();
    return __libc_memalign(align, size);
}
void *mmap(void *at, size_t length, int protection, int flags, int file, off_t offset) {
    count_one();
    return (void *)syscall(SYS_mmap, at, length, protection, flags, file, offset);
}
#endif

enum { GRID = 128, CORNERS = (GRID + 1) * (GRID + 1), INDICES = GRID * GRID * 6 };

static const char mesh_vertex[] =
    "attribute vec4 a_position; uniform vec4 cell; varying vec4 v_color;"
    "void main() { v_color = vec4(a_position.xy * 0.5 + 0.5, cell.w, 1.0);"
    "  gl_Position = vec4(a_position.xy * cell.z + cell.xy, cell.w, 1.0); }";
static const char mesh_fragment[] =
    "precision mediump float; varying vec4 v_color; void main() { gl_FragColor = v_color; }";
static const char image_fragment[] =
    "precision mediump float; uniform sampler2D image; varying vec4 v_color;"
    "void main() { gl_FragColor = texture2D(image, v_color.xy); }";

struct world {
    struct api_fixture f;
    GLuint program[2], buffer[2], texture, fbo;
    GLint cell[2];
};

static bool world_begin(struct world *w, const char *threads, uint32_t size) {
    static float corner[CORNERS][2];
    static uint16_t index[INDICES];
    CHECK(setenv("VLGL_THREADS", threads, 1) == 0 && es_device_release());
    if (!api_begin(&w->f, size, size)) {
        return false;
    }
    for (unsigned k = 0; k < CORNERS; k++) {
        corner[k][0] = (float)(k % (GRID + 1)) * 2 / GRID - 1;
        corner[k][1] = (float)(k / (GRID + 1)) * 2 / GRID - 1;
    }
    for (unsigned k = 0; k < GRID * GRID; k++) {
        const unsigned from = k / GRID * (GRID + 1) + k % GRID, up = from + GRID + 1;
        const unsigned corners[6] = {from, from + 1, up, up, from + 1, up + 1};
        for (unsigned i = 0; i < 6; i++) {
            index[6 * k + i] = (uint16_t)corners[i];
        }
    }
    glGenBuffers(2, w->buffer);
    glBindBuffer(GL_ARRAY_BUFFER, w->buffer[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof corner, corner, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, w->buffer[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof index, index, GL_STATIC_DRAW);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(0);
    for (int i = 0; i < 2; i++) {
        w->program[i] = api_program(mesh_vertex, i ? image_fragment : mesh_fragment);
        w->cell[i] = glGetUniformLocation(w->program[i], "cell");
    }
    glGenTextures(1, &w->texture);
    glBindTexture(GL_TEXTURE_2D, w->texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 128, 128, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glGenFramebuffers(1, &w->fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, w->fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, w->texture, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glEnable(GL_DEPTH_TEST);
    return w->program[0] && w->program[1] && glGetError() == GL_NO_ERROR;
}

static void world_end(struct world *w) {
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    glDeleteProgram(w->program[0]);
    glDeleteProgram(w->program[1]);
    glDeleteBuffers(2, w->buffer);
    glDeleteTextures(1, &w->texture);
    glDeleteFramebuffers(1, &w->fbo);
    api_end(&w->f);
}

static void mesh(const struct world *w, float x, float y, float size, float level) {
    glUseProgram(w->program[0]);
    glUniform4f(w->cell[0], x, y, size, level);
    glDrawElements(GL_TRIANGLES, INDICES, GL_UNSIGNED_SHORT, NULL);
}

/* Runs first: the peak is the process's. */
TEST(a_million_triangles_on_a_large_target_take_less_than_400_MB) {
#if !defined(SANITIZED)
    struct world w;
    uint64_t counters[2 + RN_COUNTER_COUNT];
    CHECK(world_begin(&w, "3", 4096));
    glClearColor(0.1f, 0.2f, 0.3f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    vlglGetCounters(counters, 2 + RN_COUNTER_COUNT);
    mesh(&w, 0, 0, 1, 0.95f); /* every pixel and its depth */
    for (int i = 0; i < 30; i++) { /* 31 x 32768 in all */
        mesh(&w, (float)(i % 8) / 8 - 0.9f, (float)i / 32 - 0.5f, 0.09f, 0.9f - (float)i / 32);
    }
    CHECK_EQ_INT(api_pixel(1, 1), 0x0000F2FF);
    vlglGetCounters(counters, 2 + RN_COUNTER_COUNT);
    CHECK(counters[2 + RN_COUNTER_TRIANGLES_IN] > 1000000 && counters[2 + RN_COUNTER_PRIMITIVES_BINNED] > 1000000);
    struct rusage usage;
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
    printf("peak: %ld MB\n", usage.ru_maxrss / 1024);
    CHECK(usage.ru_maxrss < 400 * 1024);
    world_end(&w);
#else
    SKIP("sanitizers have their own memory");
#endif
}

/* Small draws enough for launches, a mesh in chunks, a target that is sampled, lines, points, readback. */
static void frame(const struct world *w) {
    uint8_t pixels[16][4];
    glBindFramebuffer(GL_FRAMEBUFFER, w->fbo);
    glClear(GL_COLOR_BUFFER_BIT);
    mesh(w, 0, 0, 1, 0.5f);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    for (int i = 0; i < 2000; i++) {
        const int which = i % 50 == 0;
        glUseProgram(w->program[which]);
        glUniform4f(w->cell[which], (float)(i % 40) / 20 - 1, (float)i / 1000 - 1, 3.0f, (float)i / 2500);
        (i % 7 ? glEnable : glDisable)(GL_BLEND);
        glDrawArrays(i % 11 ? GL_TRIANGLE_STRIP : GL_LINE_STRIP, (i * 3) % 9000, 4);
    }
    mesh(w, 0.1f, 0.1f, 0.7f, 0.3f);
    glDrawArrays(GL_POINTS, 0, 3000);
    glReadPixels(0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    glFinish();
}

TEST(frames_that_repeat_allocate_nothing) {
#if defined(COUNTS)
    struct world w;
    for (int threads = 1; threads <= 3; threads += 2) {
        CHECK(world_begin(&w, threads == 1 ? "1" : "3", 256));
        const uint64_t start = atomic_load(&allocations);
        for (int i = 0; i < (threads == 1 ? 2 : 12); i++) {
            frame(&w);
        }
        const uint64_t before = atomic_load(&allocations);
        CHECK(before > start); /* it does count */
        for (int i = 0; i < 5; i++) {
            frame(&w);
        }
        /* With threads, one may happen to get more chunks than ever before. */
        const uint64_t during = atomic_load(&allocations) - before;
        CHECK(threads == 1 ? during == 0 : during <= 8);
        if (during) {
            printf("%llu allocations in 5 frames, %d threads\n", (unsigned long long)during, threads);
        }
        world_end(&w);
    }
#else
    SKIP("malloc is not ours here");
#endif
}
