/* SPDX-License-Identifier: MIT */
/* Views (vlgl.h) on scenes whose figures can be counted by hand, and that watching changes no pixel. */
#include "tests/unit/api_util.h"

#include "api/vlgl.h"

static const char vertex_text[] =
    "attribute vec4 a_position; varying vec2 uv;\n"
    "void main() { uv = a_position.xy * 0.5 + 0.5; gl_Position = a_position; }\n";
static const char plain_text[] =
    "precision mediump float; uniform vec4 c; void main() { gl_FragColor = c; }\n";
/* Left half: one read; right half: three, and none of what is below the middle. */
static const char reads_text[] =
    "precision highp float; varying vec2 uv; uniform sampler2D t;\n"
    "void main() {\n"
    "    vec4 c = texture2D(t, vec2(0.5));\n"
    "    if (uv.x > 0.5) { c += texture2D(t, vec2(0.25)) + texture2D(t, vec2(0.75)); }\n"
    "    if (uv.y < 0.5) { discard; }\n"
    "    gl_FragColor = c;\n"
    "}\n";
static const char mip_text[] =
    "precision highp float; varying vec2 uv; uniform sampler2D t;\n"
    "void main() { gl_FragColor = texture2D(t, uv); }\n";

enum { SIDE = 16 };

static uint32_t figures[SIDE * SIDE];

static uint32_t at(int x, int y) {
    return figures[y * SIDE + x];
}

static GLuint use(const char *fragment) {
    GLuint program = api_program(vertex_text, fragment);
    glUseProgram(program);
    return program;
}

TEST(overdraw) {
    struct api_fixture f;
    CHECK(api_begin(&f, SIDE, SIDE));
    use(plain_text); /* no input at all: the fastest way, which must not hide fragments */
    api_quad();
    CHECK_EQ_INT(vlglViewBegin(VLGL_VIEW_OVERDRAW), 1);
    glClear(GL_COLOR_BUFFER_BIT);
    api_quad();
    glEnable(GL_SCISSOR_TEST);
    glScissor(3, 5, 2, 4);
    api_quad();
    api_quad();
    CHECK_EQ_INT(vlglViewRead(figures, SIDE * SIDE), SIDE * SIDE);
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            const bool inside = x >= 3 && x < 5 && y >= 5 && y < 9;
            CHECK_EQ_INT(at(x, y), inside ? 3 : 1);
        }
    }
    api_quad(); /* the view is over */
    CHECK_EQ_INT(vlglViewRead(figures, SIDE * SIDE), 0);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(hidden_fragments_cost_nothing) {
    struct api_fixture f;
    CHECK(api_begin(&f, SIDE, SIDE));
    use(plain_text);
    glEnable(GL_DEPTH_TEST);
    glClear(GL_DEPTH_BUFFER_BIT);
    CHECK_EQ_INT(vlglViewBegin(VLGL_VIEW_OVERDRAW), 1);
    api_quad();
    api_quad(); /* at the same depth: GL_LESS fails */
    CHECK_EQ_INT(vlglViewRead(figures, SIDE * SIDE), SIDE * SIDE);
    CHECK_EQ_INT(at(7, 7), 1);
    CHECK_EQ_INT(vlglViewBegin(VLGL_VIEW_DEPTH), 1);
    CHECK_EQ_INT(vlglViewRead(figures, SIDE * SIDE), SIDE * SIDE);
    CHECK_EQ_INT(at(0, 0), 8388608); /* z = 0: half way, halves up */
    api_end(&f);
}

static void make_texture(int side) {
    static uint8_t texels[64 * 64 * 4];
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    memset(texels, 200, sizeof texels);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, side, side, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glGenerateMipmap(GL_TEXTURE_2D);
}

TEST(texture_reads_of_each_pixel) {
    struct api_fixture f;
    CHECK(api_begin(&f, SIDE, SIDE));
    make_texture(4);
    use(reads_text);
    CHECK_EQ_INT(vlglViewBegin(VLGL_VIEW_TEXTURE_READS), 1);
    api_quad();
    CHECK_EQ_INT(vlglViewRead(figures, SIDE * SIDE), SIDE * SIDE);
    CHECK_EQ_INT(at(0, 0), 1);
    CHECK_EQ_INT(at(7, 15), 1);
    CHECK_EQ_INT(at(8, 0), 3);
    CHECK_EQ_INT(at(15, 15), 3);
    api_end(&f);
}

TEST(level_of_detail) {
    struct api_fixture f;
    CHECK(api_begin(&f, SIDE, SIDE));
    make_texture(64); /* four texels a pixel in each direction: level 2 */
    use(mip_text);
    CHECK_EQ_INT(vlglViewBegin(VLGL_VIEW_MIP), 1);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, SIDE, SIDE / 2);
    api_quad();
    CHECK_EQ_INT(vlglViewRead(figures, SIDE * SIDE), SIDE * SIDE);
    CHECK_EQ_INT(at(5, 5), 2 * 256 + 1);
    CHECK_EQ_INT(at(5, SIDE - 1), 0);
    api_end(&f);
}

TEST(cycles_and_batches) {
    struct api_fixture f;
    uint64_t counters[2 + RN_COUNTER_COUNT];
    CHECK(api_begin(&f, SIDE, SIDE));
    use(plain_text);
    vlglGetCounters(counters, 2 + RN_COUNTER_COUNT);
    CHECK_EQ_INT(vlglViewBegin(VLGL_VIEW_CYCLES), 1);
    api_quad();
    CHECK_EQ_INT(vlglViewRead(figures, SIDE * SIDE), SIDE * SIDE);
    vlglGetCounters(counters, 2 + RN_COUNTER_COUNT);
    uint64_t sum = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        sum += figures[i];
    }
    /* One instruction each; the counter adds helpers: of the 64 quads the 8 on the diagonal ran twice. */
    CHECK_EQ_INT(sum, SIDE * SIDE);
    CHECK_EQ_INT(counters[2 + RN_COUNTER_FS_INSTRUCTIONS], (64 + 8) * 4);
    CHECK_EQ_INT(vlglViewBegin(VLGL_VIEW_BATCHES), 1);
    glEnable(GL_SCISSOR_TEST);
    glScissor(2, 2, 3, 1);
    api_quad();
    CHECK_EQ_INT(vlglViewRead(figures, SIDE * SIDE), SIDE * SIDE);
    CHECK_EQ_INT(at(3, 2), 3); /* three fragments alone */
    CHECK_EQ_INT(at(8, 8), 0);
    api_end(&f);
}

TEST(bad_calls) {
    struct api_fixture f;
    CHECK(api_begin(&f, SIDE, SIDE));
    CHECK_EQ_INT(vlglViewBegin(0), 0);
    CHECK_EQ_INT(vlglViewBegin(8), 0);
    CHECK_EQ_INT(vlglViewBegin(-1), 0);
    CHECK_EQ_INT(vlglViewRead(figures, SIDE * SIDE), 0);
    CHECK_EQ_INT(vlglViewBegin(VLGL_VIEW_TILES), 1);
    CHECK_EQ_INT(vlglViewRead(NULL, SIDE * SIDE), 0);
    CHECK_EQ_INT(vlglViewBegin(VLGL_VIEW_TILES), 1);
    CHECK_EQ_INT(vlglViewRead(figures, SIDE * SIDE - 1), 0);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}
