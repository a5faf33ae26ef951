/* SPDX-License-Identifier: MIT */
/* VLGL_WARPS on a program whose addresses are known: what the file says, and what the warp machine's reader makes of it. */
#include <unistd.h>

#include "tests/unit/api_util.h"
#include "vm/include/vlgl_warps.h"
#include "vm/model/sim.h"

enum { SIDE = 8, MOST = 1 << 20 };

static char path[64];
static uint8_t *file;
static size_t size;

static const char vertex_text[] =
    "attribute vec2 a_position; varying vec2 uv;\n"
    "void main() { uv = a_position * 0.5 + 0.5; gl_Position = vec4(a_position, 0.0, 1.0); }\n";
static const char fragment_text[] =
    "precision highp float; varying vec2 uv; uniform sampler2D t;\n"
    "void main() { gl_FragColor = texture2D(t, uv); }\n";

/* Draws an 8x8 texture onto 8x8 pixels, texel by texel, 'draws' times, and reads what was recorded. */
static bool record(unsigned draws) {
    static const GLfloat corners[6] = {-1, -1, 3, -1, -1, 3};
    uint8_t texels[SIDE * SIDE * 4] = {0}, pixels[SIDE * SIDE * 4];
    struct api_fixture f;
    snprintf(path, sizeof path, "/tmp/vlgl-warps-%ld.warps", (long)getpid());
    setenv("VLGL_WARPS", path, 1);
    if (!api_begin(&f, SIDE, SIDE)) {
        return false;
    }
    for (unsigned i = 0; i < sizeof texels; i++) {
        texels[i] = (uint8_t)(i * 7);
    }
    glUseProgram(api_program(vertex_text, fragment_text));
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIDE, SIDE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glEnableVertexAttribArray(0);
    for (unsigned i = 0; i < draws; i++) {
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    CHECK(memcmp(pixels, texels, sizeof pixels) == 0); /* recording changes no pixel */
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    CHECK(access(path, F_OK) != 0);
    api_end(&f);
    unsetenv("VLGL_WARPS");
    FILE *in = fopen(path, "rb");
    if (!in) {
        return false;
    }
    free(file);
    file = malloc(MOST);
    size = fread(file, 1, MOST, in);
    fclose(in);
    unlink(path);
    return size > VLGL_WARPS_HEADER && size < MOST;
}

static uint32_t get(size_t at) {
    return file[at] | (uint32_t)file[at + 1] << 8 | (uint32_t)file[at + 2] << 16 | (uint32_t)file[at + 3] << 24;
}

/* ---- reading steps, once more and apart from the model's reader ---- */

static const uint8_t *at;

static uint64_t number(void) {
    uint64_t value = 0;
    unsigned shift = 0;
    do {
        value |= (uint64_t)(*at & 127) << shift;
        shift += 7;
    } while (*at++ & 128);
    return value;
}

struct sums {
    uint32_t steps, quads, batches, reads, lines, fetches;
    uint64_t first, last; /* lowest and highest line */
    uint32_t of[SIDE];    /* reads of line base + i */
};

static struct sums count(const uint8_t *steps, size_t bytes, uint32_t units, uint64_t base, unsigned lanes) {
    struct sums s = {.first = UINT64_MAX};
    uint64_t line = 0;
    for (at = steps; at < steps + bytes;) {
        const uint64_t head = number();
        s.quads += head == VLGL_WARPS_QUAD;
        s.batches += head == VLGL_WARPS_BATCH;
        if (head == VLGL_WARPS_QUAD || head == VLGL_WARPS_BATCH) {
            line = head == VLGL_WARPS_BATCH ? 0 : line;
            continue;
        }
        CHECK_EQ_INT(head & 15u, lanes);
        s.steps++;
        s.fetches += head >> 5 >= units;
        for (uint64_t n = head & 16u ? number() : 0; n > 0; n--) {
            const uint64_t d = number();
            line += d & 1 ? ~(d >> 1) : d >> 1;
            s.lines++;
            s.first = line < s.first ? line : s.first;
            s.last = line > s.last ? line : s.last;
            if (line - base < SIDE) {
                s.of[line - base]++;
            }
        }
        s.reads += head >> 4 & 1;
    }
    return s;
}

TEST(lines_of_a_known_texture) {
    CHECK(record(1));
    CHECK(memcmp(file, VLGL_WARPS_MAGIC, 8) == 0);
    CHECK_EQ_INT(get(16), VLGL_WARPS_LINE);
    CHECK_EQ_INT(get(20), 2);
    size_t program = VLGL_WARPS_HEADER;
    for (unsigned i = 0; i < 2; i++) {
        const uint8_t *container = file + program + VLGL_WARPS_PROGRAM;
        const size_t container_size = get(program), bytes = get(program + 4);
        struct vliw_image *image = NULL;
        struct vliw_program *p = NULL;
        struct vliw_error error;
        CHECK_EQ_INT(get(program + 8), 1);  /* one batch, and it is recorded */
        CHECK_EQ_INT(get(program + 12), 1);
        CHECK(vliw_image_load(container, container_size, &image, &error) == VLIW_OK);
        CHECK(vliw_program_create(image, &p, &error) == VLIW_OK);
        const struct vliw_info *info = vliw_program_info(p);
        /* Blocks in the order in which they are met: the vertices, then the texture, 2^32 bytes and 17 lines on. */
        const uint64_t base = ((uint64_t)(i + 1) << 32) / 64 + i * 17;
        const struct sums s = count(container + container_size, bytes, info->units, base, i == 0 ? 7 : 15);
        struct sim_core *core = sim_core_create(p, NULL, &error);
        struct sim_trace *trace = sim_trace_create();
        struct sim_trace_size measured;
        size_t where;
        CHECK(sim_trace_recorded(trace, core, container + container_size, bytes, &where) == NULL);
        sim_trace_size(trace, &measured);
        CHECK_EQ_INT(s.batches, 1);
        CHECK_EQ_INT(s.first, base);
        if (i == 0) { /* three vertices of 8 bytes: one quad, one line */
            CHECK_EQ_INT(info->stage, VLIW_STAGE_VERTEX);
            CHECK_EQ_INT(s.quads, 1);
            CHECK_EQ_INT(s.fetches, 1);
            CHECK_EQ_INT(s.lines, 1);
            CHECK_EQ_INT(measured.warps, 1);
        } else { /* 16 quads; each row of texels begins a line: a quad reads two, each is read by four quads */
            CHECK_EQ_INT(info->stage, VLIW_STAGE_FRAGMENT);
            CHECK_EQ_INT(s.quads, 16);
            CHECK_EQ_INT(s.reads, 16);
            CHECK_EQ_INT(s.lines, 32);
            CHECK_EQ_INT(s.last, base + SIDE - 1);
            for (unsigned k = 0; k < SIDE; k++) {
                CHECK_EQ_INT(s.of[k], 4);
            }
            CHECK_EQ_INT(measured.warps, 8);
            CHECK_EQ_INT(measured.reads, 8);
            CHECK_EQ_INT(s.steps, 16 * info->instructions);
            CHECK_EQ_INT(measured.thread_instructions, 64 * info->instructions);
        }
        sim_trace_destroy(trace);
        sim_core_destroy(core);
        vliw_program_destroy(p);
        vliw_image_destroy(image);
        program += VLGL_WARPS_PROGRAM + container_size + bytes;
    }
    CHECK_EQ_INT(program, size);
}

TEST(the_same_in_every_run_and_bounded) {
    CHECK(record(3));
    uint8_t *before = malloc(size);
    const size_t before_size = size;
    memcpy(before, file, size);
    CHECK(record(3));
    CHECK(size == before_size && memcmp(before, file, size) == 0);
    free(before);
    CHECK(record(1000)); /* 8000 warps of fragments */
    const size_t second = VLGL_WARPS_HEADER + VLGL_WARPS_PROGRAM + get(VLGL_WARPS_HEADER) + get(VLGL_WARPS_HEADER + 4);
    CHECK(get(second + 8) >= 64000 / VM_LANES); /* batches that ran */
    CHECK_EQ_INT(get(second + 12), (VLGL_WARPS_WARPS + VM_LANES / 8 - 1) / (VM_LANES / 8));
}

TEST(bad_steps_are_refused) {
    static const struct {
        const char *what;
        uint8_t bytes[12];
        size_t size;
    } rows[] = {
        {"middle", {0x8F}, 1},
        {"within a batch", {0x0F, 0x00}, 2},
        {"within a quad", {0x0F, 0x10}, 2},
        {"no instruction", {0xEF, 0xFF, 0x7F, 0x00, 0x10}, 5},
        {"without lanes", {0x20, 0x00, 0x10}, 3},
        {"too many lines", {0x1F, 0x81, 0x04, 0x00, 0x10}, 5},
        {"64 bits", {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02}, 10},
        {"middle", {0x1F, 0x02, 0x02}, 3},
    };
    CHECK(record(1));
    const size_t container_size = get(VLGL_WARPS_HEADER);
    struct vliw_image *image = NULL;
    struct vliw_program *p = NULL;
    struct vliw_error error;
    CHECK(vliw_image_load(file + VLGL_WARPS_HEADER + VLGL_WARPS_PROGRAM, container_size, &image, &error) == VLIW_OK);
    CHECK(vliw_program_create(image, &p, &error) == VLIW_OK);
    struct sim_core *core = sim_core_create(p, NULL, &error);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sim_trace *trace = sim_trace_create();
        size_t where;
        const char *fault = sim_trace_recorded(trace, core, rows[i].bytes, rows[i].size, &where);
        CHECK(fault && strstr(fault, rows[i].what));
        CHECK(where <= rows[i].size);
        sim_trace_destroy(trace);
    }
    sim_core_destroy(core);
    vliw_program_destroy(p);
    vliw_image_destroy(image);
    free(file);
    file = NULL;
}
