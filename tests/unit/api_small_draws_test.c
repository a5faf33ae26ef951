/* SPDX-License-Identifier: MIT */
/*
 * Many small draws: that the renderer gathers them, launches scenes while others are built and cuts
 * draws into chunks must not be seen in pixels, queries, errors or the call at which a context is
 * lost, for any number of threads. The pictures are random streams of calls; the same stream with a
 * flush after every call gathers and launches nothing and is what the others are compared with.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/api_util.h"

enum { WIDTH = 210, HEIGHT = 150, VERTICES = 6600, SIDE = 70 };

static const char cell_vertex[] =
    "attribute vec4 a_position; uniform vec4 cell; varying vec2 v_uv; varying float v_level;"
    "void main() { v_uv = a_position.xy; v_level = cell.w;"
    "  gl_Position = vec4(a_position.xy * cell.z + cell.xy * a_position.w, a_position.zw); }";
static const char plain_fragment[] =
    "precision mediump float; uniform vec4 tint; varying vec2 v_uv; varying float v_level;"
    "void main() { gl_FragColor = vec4(v_level, fract(v_uv), 0.7) * tint; }";
static const char image_fragment[] =
    "precision mediump float; uniform vec4 tint; uniform sampler2D image; varying vec2 v_uv;"
    "varying float v_level; void main() { gl_FragColor = texture2D(image, v_uv) * tint + 0.1 * v_level; }";

static uint64_t mix(uint64_t hash, const void *data, size_t bytes) {
    const uint8_t *p = data;
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ p[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

static float random_float(float low, float high) {
    return low + (high - low) * (float)check_random_below(10001) / 10000;
}

struct world {
    struct api_fixture f;
    GLuint program[2], buffer[2], texture, fbo, query;
    GLint cell[2], tint[2];
    unsigned used;
    bool outside; /* draws go to the texture */
    float vertices[VERTICES][4];
    uint16_t index[VERTICES];
    uint8_t small_index[64];
    uint64_t hash;
};
static struct world w;

static void random_vertices(unsigned from, unsigned count) {
    for (unsigned k = from; k < from + count; k++) {
        float *v = w.vertices[k];
        v[0] = random_float(-1, 1);
        v[1] = random_float(-1, 1);
        v[2] = random_float(-0.9f, 0.9f);
        v[3] = k % 37 == 5 ? random_float(-0.5f, 1.5f) : k % 5 ? 1.0f : random_float(0.6f, 1.6f);
    }
}

static bool world_begin(const char *threads) {
    static const char *const fragment[2] = {plain_fragment, image_fragment};
    CHECK(setenv("VLGL_THREADS", threads, 1) == 0 && es_device_release());
    memset(&w, 0, sizeof w);
    if (!api_begin(&w.f, WIDTH, HEIGHT)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        w.program[i] = api_program(cell_vertex, fragment[i]);
        w.cell[i] = glGetUniformLocation(w.program[i], "cell");
        w.tint[i] = glGetUniformLocation(w.program[i], "tint");
        glUseProgram(w.program[i]);
        glUniform4f(w.cell[i], 0, 0, 0.2f, 0.5f);
        glUniform4f(w.tint[i], 1, 0.9f, 0.8f, 0.7f);
    }
    random_vertices(0, VERTICES);
    for (unsigned k = 0; k < VERTICES; k++) {
        w.index[k] = (uint16_t)(k - k % 12 + check_random_below(12));
    }
    for (unsigned k = 0; k < sizeof w.small_index; k++) {
        w.small_index[k] = (uint8_t)check_random_below(20);
    }
    glGenBuffers(2, w.buffer);
    glBindBuffer(GL_ARRAY_BUFFER, w.buffer[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof w.vertices, w.vertices, GL_DYNAMIC_DRAW);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 16, NULL);
    glEnableVertexAttribArray(0);
    glGenTextures(1, &w.texture);
    glBindTexture(GL_TEXTURE_2D, w.texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIDE, SIDE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glGenFramebuffers(1, &w.fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, w.fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, w.texture, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glGenQueriesEXT(1, &w.query);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glUseProgram(w.program[0]);
    w.used = 0;
    w.hash = UINT64_C(14695981039346656037);
    return w.program[0] && w.program[1] && glGetError() == GL_NO_ERROR;
}

static void world_end(void) {
    glDeleteProgram(w.program[0]);
    glDeleteProgram(w.program[1]);
    glDeleteBuffers(2, w.buffer);
    glDeleteTextures(1, &w.texture);
    glDeleteFramebuffers(1, &w.fbo);
    glDeleteQueriesEXT(1, &w.query);
    api_end(&w.f);
}

static void draw_something(void) {
    const GLint first = (GLint)check_random_below(VERTICES - 2000);
    switch (check_random_below(16)) {
    case 0: glDrawArrays(GL_TRIANGLES, first, (GLsizei)check_random_below(60)); break;
    case 1: glDrawArrays(GL_TRIANGLE_FAN, first, (GLsizei)check_random_below(20)); break;
    case 2: glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_BYTE, w.small_index + check_random_below(50)); break;
    case 3: glDrawElements(GL_TRIANGLE_STRIP, 9, GL_UNSIGNED_SHORT, w.index + first); break;
    case 4:
        glDrawElements(GL_TRIANGLES, (GLsizei)check_random_below(60), GL_UNSIGNED_SHORT, w.index + first);
        break;
    case 5: glDrawArraysInstancedEXT(GL_TRIANGLE_STRIP, first, 4, (GLsizei)check_random_below(12)); break;
    case 6: glDrawArrays(GL_POINTS, first, 3); break;
    case 7: glDrawArrays(GL_LINE_STRIP, first, 4); break;
    default: glDrawArrays(GL_TRIANGLE_STRIP, first, 4); break;
    }
}

static void change_state(void) {
    switch (check_random_below(8)) {
    case 0: (check_random_below(2) ? glEnable : glDisable)(GL_CULL_FACE); break;
    case 1: glScissor((GLint)check_random_below(60), (GLint)check_random_below(60), 90, 60); break;
    case 2: (check_random_below(3) ? glDisable : glEnable)(GL_SCISSOR_TEST); break;
    case 3: glViewport((GLint)check_random_below(40) - 20, 0, WIDTH, HEIGHT); break;
    case 4: glDepthFunc(check_random_below(4) ? GL_LEQUAL : GL_GREATER); break;
    case 5: glPolygonOffset(1.0f, random_float(-9, 9)); break;
    case 6: (check_random_below(2) ? glEnable : glDisable)(GL_POLYGON_OFFSET_FILL); break;
    default: (check_random_below(4) ? glEnable : glDisable)(GL_BLEND); break;
    }
}

static void use(unsigned program) {
    w.used = program;
    glUseProgram(w.program[program]);
}

/* To the texture and back; now and then it is sampled while it is the target. */
static void change_target(void) {
    w.outside = !w.outside;
    glBindFramebuffer(GL_FRAMEBUFFER, w.outside ? w.fbo : 0);
    use(check_random_below(4) ? !w.outside : 1);
}

static void look_back(void) {
    uint8_t pixels[8][4];
    GLuint passed = 7;
    switch (check_random_below(4)) {
    case 0:
        glBeginQueryEXT(GL_ANY_SAMPLES_PASSED_EXT, w.query);
        draw_something();
        glEndQueryEXT(GL_ANY_SAMPLES_PASSED_EXT);
        draw_something();
        glGetQueryObjectuivEXT(w.query, GL_QUERY_RESULT_EXT, &passed);
        w.hash = mix(w.hash, &passed, sizeof passed);
        break;
    case 1:
        memset(pixels, 0, sizeof pixels);
        glReadPixels((GLint)check_random_below(60), (GLint)check_random_below(60), 4, 2, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
        w.hash = mix(w.hash, pixels, sizeof pixels);
        break;
    case 2:
        glTexSubImage2D(GL_TEXTURE_2D, 0, 3, 4, 10, 10, GL_RGBA, GL_UNSIGNED_BYTE, w.vertices);
        break;
    default: glDrawArrays(GL_TRIANGLES, 0, (GLsizei)check_random_below(VERTICES)); break;
    }
}

static void call_something(void) {
    const uint32_t what = check_random_below(1000);
    if (what < 600) {
        glUniform4f(w.cell[w.used], random_float(-1, 1), random_float(-1, 1), random_float(0.02f, 0.2f),
                    random_float(0, 1));
        if (what < 150) {
            glUniform4f(w.tint[w.used], 1, random_float(0, 1), 1, 1);
        }
    }
    if (what < 900) {
        draw_something();
    } else if (what < 940) { /* the buffer changes under draws that wait */
        const unsigned at = check_random_below(VERTICES - 40);
        random_vertices(at, 40);
        glBufferSubData(GL_ARRAY_BUFFER, (GLintptr)(at * 16), 40 * 16, w.vertices[at]);
    } else if (what < 975) {
        change_state();
    } else if (what < 980) {
        glClear(check_random_below(2) ? GL_DEPTH_BUFFER_BIT : GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    } else if (what < 985) {
        glDrawArrays(GL_TRIANGLE_FAN + 1, 0, 4);
        const GLenum error = glGetError();
        w.hash = mix(w.hash, &error, sizeof error);
    } else if (what < 988) {
        use(!w.used && !w.outside);
    } else if (what < 994) {
        change_target();
    } else {
        look_back();
    }
}

/* A stream of calls from one seed, flushed after a call once in 'flushes' (0: never). */
static uint64_t stream(const char *threads, uint64_t seed, unsigned calls, unsigned flushes) {
    static uint8_t pixels[WIDTH * HEIGHT * 4];
    check_seed(seed);
    CHECK(world_begin(threads));
    for (unsigned i = 0; i < calls; i++) {
        call_something();
        if (flushes && i % flushes == 0) {
            glFlush();
        }
    }
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    w.hash = mix(w.hash, pixels, sizeof pixels);
    glBindFramebuffer(GL_FRAMEBUFFER, w.fbo);
    glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    const uint64_t hash = mix(w.hash, pixels, SIDE * SIDE * 4);
    world_end();
    return hash;
}

TEST(streams_of_small_draws_agree_with_draws_alone) {
    for (uint64_t seed = 1; seed <= 3; seed++) {
        const uint64_t alone = stream("1", seed, 2500, 1);
        CHECK(stream("1", seed, 2500, 0) == alone);
        CHECK(stream("2", seed, 2500, 0) == alone);
        CHECK(stream("5", seed, 2500, 0) == alone);
        CHECK(stream("3", seed, 2500, 17) == alone);
        CHECK(stream("4", seed, 2500, 1) == alone);
    }
    CHECK(stream("1", 1, 2500, 1) != stream("1", 2, 2500, 1)); /* the hash sees something */
}

/* A uniform draw after the other, as in the bench's row: scenes are launched, at the same calls everywhere. */
static uint64_t cells(const char *threads, uint64_t counters[2 + RN_COUNTER_COUNT]) {
    enum { CELLS = 3000 };
    static uint8_t pixels[WIDTH * HEIGHT * 4];
    check_seed(9);
    CHECK(world_begin(threads));
    glDisable(GL_DEPTH_TEST);
    vlglGetCounters(counters, 2 + RN_COUNTER_COUNT);
    for (unsigned i = 0; i < CELLS; i++) {
        glUniform4f(w.cell[0], random_float(-1, 1), random_float(-1, 1), 0.05f, random_float(0, 1));
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
    vlglGetCounters(counters, 2 + RN_COUNTER_COUNT);
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    world_end();
    CHECK_EQ_INT(counters[2 + RN_COUNTER_DRAWS], CELLS);
    CHECK_EQ_INT(counters[2 + RN_COUNTER_TRIANGLES_IN], 2 * CELLS);
    CHECK_EQ_INT(counters[2 + RN_COUNTER_VERTICES], 4 * CELLS);
    return mix(0, pixels, sizeof pixels);
}

TEST(scenes_are_launched_at_the_same_calls_everywhere) {
    uint64_t one[2 + RN_COUNTER_COUNT], more[2 + RN_COUNTER_COUNT];
    const uint64_t hash = cells("1", one);
    CHECK(one[2 + RN_COUNTER_FLUSHES] > 2);
    CHECK(cells("2", more) == hash && memcmp(one, more, sizeof one) == 0);
    CHECK(cells("6", more) == hash && memcmp(one, more, sizeof one) == 0);
}

/* A texture is drawn to, mostly cleared, and sampled by the next draw: somewhere in this range that draw
 * launches the texture's scene. */
static uint64_t sampled_after(unsigned draws, bool flushed) {
    static uint8_t pixels[WIDTH * HEIGHT * 4];
    glBindFramebuffer(GL_FRAMEBUFFER, w.fbo);
    use(0);
    glViewport(0, 0, SIDE, SIDE);
    glClearColor(0.2f, 0.6f, flushed ? 0.4f : 0.0f, 1); /* what is under the blank tiles differs */
    glClear(GL_COLOR_BUFFER_BIT);
    glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    glClearColor(0.2f, 0.6f, (float)(draws % 8) / 8, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    for (unsigned i = 0; i < draws; i++) {
        glUniform4f(w.cell[0], -0.6f, -0.6f, 0.2f, (float)(i + draws) / 2500);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
    if (flushed) {
        glFinish();
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    use(1);
    glViewport(0, 0, WIDTH, HEIGHT);
    glUniform4f(w.cell[1], 0, 0, 0.9f, 0);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    return mix(0, pixels, sizeof pixels);
}

TEST(a_texture_is_sampled_by_the_draw_that_launches_its_scene) {
    static const float corners[4][4] = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}, {1, 1, 0, 1}};
    CHECK(world_begin("2"));
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_BLEND);
    glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof corners, corners);
    for (unsigned draws = 1205; draws < 1240; draws++) {
        const uint64_t hash = sampled_after(draws, true);
        CHECK(sampled_after(draws, false) == hash && sampled_after(0, true) != hash);
    }
    world_end();
}

/* The call at which the loss of the context is seen, and what the first tile holds then. */
static unsigned loses(const char *threads, unsigned bad, uint64_t *hash) {
    static const char endless[] =
        "precision mediump float; uniform vec4 tint; void main() { float x = 0.0;"
        "  for (int i = 0; i < 10000; i++) { x += tint.x; } gl_FragColor = vec4(x); }";
    uint8_t tile[32][32][4];
    unsigned seen = 0;
    setenv("VLGL_BUDGET", "5000", 1);
    check_seed(9);
    CHECK(world_begin(threads));
    const GLuint program = api_program(cell_vertex, endless);
    const GLint cell = glGetUniformLocation(program, "cell");
    glDisable(GL_DEPTH_TEST);
    for (unsigned i = 0; i < 4000 && !w.f.ctx->lost; i++, seen++) {
        const bool is_bad = i == bad;
        glUseProgram(is_bad ? program : w.program[0]);
        glUniform4f(is_bad ? cell : w.cell[0], is_bad ? 0.3f : -0.8f, is_bad ? 0.4f : -0.8f, 0.1f,
                    (float)(i % 97) / 97);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
    CHECK(w.f.ctx->lost || seen == 4000);
    glFinish();
    CHECK(w.f.ctx->lost);
    const struct rn_image *image = w.f.surface.color;
    rn_image_settle(image, NULL);
    for (unsigned y = 0; y < 32; y++) {
        memcpy(tile[y], image->data + y * image->row_bytes, sizeof tile[y]);
    }
    *hash = mix(1, tile, sizeof tile);
    glDeleteProgram(program);
    world_end();
    unsetenv("VLGL_BUDGET");
    return seen;
}

TEST(a_fault_is_seen_at_the_same_call_everywhere) {
    static const unsigned bad[3] = {5, 1400, 3999};
    for (unsigned b = 0; b < 3; b++) {
        uint64_t hash, again;
        const unsigned call = loses("1", bad[b], &hash);
        CHECK(call > bad[b]);
        CHECK(b == 2 || call < 4000); /* one that a launch or a join told */
        CHECK_EQ_INT(loses("2", bad[b], &again), call);
        CHECK(again == hash);
        CHECK_EQ_INT(loses("5", bad[b], &again), call);
        CHECK(again == hash);
    }
}

#if !defined(__SANITIZE_THREAD__)
/* A child has the pixels of draws that its parent's threads had in hand. */
TEST(a_fork_with_a_scene_in_flight) {
#if defined(CHECK_EMULATED)
    SKIP("qemu-user cannot fork a process with threads");
#endif
    static uint8_t pixels[2][WIDTH * HEIGHT * 4];
    check_seed(9);
    CHECK(world_begin("3"));
    glDisable(GL_DEPTH_TEST);
    for (unsigned i = 0; i < 2600; i++) {
        glUniform4f(w.cell[0], random_float(-1, 1), random_float(-1, 1), 0.4f, random_float(0, 1));
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
    int ends[2];
    CHECK(pipe(ends) == 0);
    es_fork_prepare(); /* as EGL does */
    const pid_t child = fork();
    if (child == 0) {
        es_fork_child();
        glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels[1]);
        const uint64_t hash = mix(0, pixels[1], sizeof pixels[1]);
        _exit(write(ends[1], &hash, sizeof hash) == (ssize_t)sizeof hash ? 0 : 1);
    }
    es_fork_parent();
    close(ends[1]); /* the child's end is now the only one: if it dies, the read below ends */
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels[0]);
    uint64_t hash = 1;
    int status = 1;
    CHECK(read(ends[0], &hash, sizeof hash) == (ssize_t)sizeof hash);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(hash == mix(0, pixels[0], sizeof pixels[0]));
    close(ends[0]);
    world_end();
}
#endif
