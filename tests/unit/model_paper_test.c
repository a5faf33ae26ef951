/* SPDX-License-Identifier: MIT */
/*
 * The papers' figures, as the model gives them, and the static costs of shaders: what design and issue promise must be
 * reached by running. The table itself is made by sim_paper_run, which also checks every computed value.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/harness/check.h"
#include "vm/include/glslc.h"
#include "vm/model/sim.h"

static const struct sim_paper_row *find(const struct sim_paper *p, const char *name, const char *form, const char *unit) {
    for (unsigned i = 0; i < p->count; i++) {
        const struct sim_paper_row *r = &p->row[i];
        if (strcmp(r->name, name) == 0 && strstr(r->form, form) != NULL && strcmp(r->unit, unit) == 0) {
            return r;
        }
    }
    check_failf(__FILE__, __LINE__, "no row %s, %s, %s", name, form, unit);
    return &p->row[0];
}

/* Name, form, unit, here, 128-bit, 64-bit (-1: not asked). */
TEST(kernels_of_the_papers) {
    static const struct { const char *name, *form, *unit; double here, wide, narrow; } want[] = {
        {"DOT4", "consumed", "words", 3, 12, 6},           {"DOT4", "consumed", "cycles", 3, -1, 3},
        {"DOT4", "kept", "words", 4, 12, 6},               {"matrix 4x4", "consumed", "words", 7, -1, -1},
        {"matrix 4x4", "consumed", "cycles", 5, -1, -1},   {"matrix 4x4", "w = 1", "words", 9, 24, -1},
        {"matrix 4x4", "w = 1", "cycles", 4, -1, -1},      {"matrix 4x4", "general", "words", 11, -1, -1},
        {"matrix 4x4", "general", "cycles", 5, -1, -1},    {"matrix 3x3", "consumed", "words", 5, -1, -1},
        {"matrix 3x3", "consumed", "cycles", 4, -1, -1},   {"matrix 3x3", "globals", "words", 8, -1, -1},
        {"matrix 3x3", "globals", "cycles", 4, -1, -1},    {"indirect branch", "", "words", 3, 8, 4},
        {"indirect branch", "", "cycles", 1, -1, 2},       {"call, return", "", "words", 12, 16, -1},
        {"call, return", "", "cycles", 4, -1, -1},         {"code size, DOT4", "", "%", 25, -1, -1},
        {"code size, matrix 4x4", "", "%", 37.5, -1, -1},  {"fixed format", "", "bits", 102, -1, -1},
        {"pipeline stages", "", "", 8, -1, -1},            {"threads", "", "", 8, -1, -1},
        {"issue rate", "", "per clock", 1, -1, -1},
    };
    struct vliw_error error = {.status = VLIW_OK};
    struct sim_paper *p = sim_paper_run(&error);
    if (p == NULL) {
        check_failf(__FILE__, __LINE__, "%s", error.message);
        CHECK(false);
        return;
    }
    for (unsigned i = 0; i < sizeof want / sizeof want[0]; i++) {
        const struct sim_paper_row *r = find(p, want[i].name, want[i].form, want[i].unit);
        bool good = r->ours == want[i].here && (want[i].wide < 0 || r->other[SIM_VLIW128] == want[i].wide) &&
                    (want[i].narrow < 0 || r->other[SIM_VLIW64] == want[i].narrow);
        CHECK(good);
        if (!good) {
            check_failf(__FILE__, __LINE__, "%s, %s: %g, %g, %g", r->name, r->form, r->ours, r->other[0], r->other[1]);
        }
    }
    /* The headline figures: reached or better. */
    CHECK(find(p, "vertex, user code", "divide", "cycles")->ours <= 17);
    CHECK(find(p, "vertex, user code", "ambient", "cycles")->ours <= 17);
    CHECK(find(p, "vertex, driver code", "", "cycles")->ours <= 14);
    CHECK(find(p, "vertex, in all", "divide", "cycles")->ours <= 31);
    CHECK(find(p, "vertex, in all", "ambient", "cycles")->ours <= 31);
    CHECK(find(p, "vertex rate at 100 MHz", "divide", "M/s")->ours >= 3.2);
    CHECK(find(p, "vertex rate at 100 MHz", "ambient", "M/s")->ours >= 3.2);
    CHECK(find(p, "vertex latency", "", "clocks")->ours <= 31 * 8);
    CHECK(find(p, "raster rate at 100 MHz", "depth test", "M/s")->ours >= 44);
    CHECK(find(p, "raster rate at 100 MHz", "colour only", "M/s")->ours >= 44);
    CHECK(find(p, "bare transform rate", "no driver", "M/s")->ours >= 16.6);
    CHECK(find(p, "speed, most", "", "x")->ours >= 2);
    sim_paper_destroy(p);
}

/* ---- Static costs ---- */

static const char *const straight[] = {
    "precision highp float; varying vec2 uv; uniform sampler2D a, b; uniform vec4 k;"
    "void main() { vec4 c = texture2D(a, uv) * k + texture2D(b, uv.yx * 2.0); gl_FragColor = c / (c.w + 0.5); }",
    "precision highp float; varying vec3 n; uniform vec3 l, e;"
    "void main() { vec3 m = normalize(n); float d = max(dot(m, l), 0.0), s = pow(max(dot(reflect(-l, m), e), 0.0), 20.0);"
    " gl_FragColor = vec4(vec3(0.1, 0.2, 0.3) * d + s, 1.0); }",
    "precision highp float; varying vec2 p; void main() { float x = p.x, y = p.y;"
    " for (int i = 0; i < 8; i++) { float t = x * x - y * y; y = 2.0 * x * y + p.y; x = t + p.x; }"
    " gl_FragColor = vec4(fract(x), fract(y), sin(x * y), 1.0); }",
    "precision highp float; varying vec4 v; uniform mat4 m, n; void main() { gl_FragColor = m * (n * v) + fract(v.wzyx); }",
};

/* Lanes with every input 0.5; a texture of one colour. */
static void sample(void *context, const struct vliw_tex_request *q) {
    (void)context;
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned lane = 0; lane < 4; lane++) {
            q->result[c][lane] = 0.5f;
        }
    }
}

TEST(static_cycles_are_the_simulated_ones) {
    for (unsigned i = 0; i < sizeof straight / sizeof straight[0]; i++) {
        struct glslc_options options;
        struct glslc_stats stats;
        struct vliw_error error = {.status = VLIW_OK};
        struct vliw_program *p = NULL;
        struct sim_result r;
        glslc_options_init(&options);
        struct glslc_shader *s = glslc_compile(VLIW_STAGE_FRAGMENT, 1, &straight[i], NULL, &options);
        CHECK(glslc_shader_ok(s));
        CHECK(glslc_shader_stats(s, &options, &stats, &error));
        struct vliw_image *image = glslc_shader_image(s, &options, &error);
        CHECK(image != NULL && vliw_program_create(image, &p, &error) == VLIW_OK);
        struct sim_core *core = p != NULL ? sim_core_create(p, NULL, &error) : NULL;
        CHECK(core != NULL);
        if (core != NULL) {
            CHECK(!(vliw_program_info(p)->flags & VLIW_HAS_BRANCHES));
            sim_core_attach(core, NULL, sample, NULL);
            sim_core_run(core, &r);
            CHECK_EQ_INT(r.status, VLIW_OK);
            CHECK_EQ_INT(r.clocks, 8 * stats.cycles + 7);
            CHECK(stats.cycles >= stats.instructions && stats.instructions > 3);
        }
        sim_core_destroy(core);
        vliw_program_destroy(p);
        vliw_image_destroy(image);
        glslc_shader_destroy(s);
    }
}

/* ---- Other machines ---- */

/* Trace of one thread through 'text' and what each machine makes of it. */
static bool others(const char *text, const uint32_t *way, size_t count, struct sim_baseline out[SIM_MACHINES]) {
    struct vliw_image *image = NULL;
    struct vliw_program *p = NULL;
    struct vliw_error error;
    struct sim_baseline_config config = {.latency = 3, .load_latency = 10, .penalty = 4};
    bool ok = vliw_assemble(text, strlen(text), &image, &error) == VLIW_OK && vliw_program_create(image, &p, &error) == VLIW_OK;
    struct sim_core *core = ok ? sim_core_create(p, NULL, &error) : NULL;
    CHECK(core != NULL);
    for (unsigned m = 0; core != NULL && m < SIM_MACHINES; m++) {
        CHECK(sim_baseline_run(core, m, &config, way, count, &out[m]));
    }
    sim_core_destroy(core);
    vliw_program_destroy(p);
    vliw_image_destroy(image);
    return core != NULL;
}

TEST(other_machines_by_hand) {
    struct sim_baseline b[SIM_MACHINES];
    /* MUL; 3 cycles; ADD: issues in 0 and 3. Two words each on the narrow machine. */
    if (others("MUL A B\nADD A C\nEND\n", (const uint32_t[]){0, 1, 2}, 3, b)) {
        CHECK_EQ_INT(b[SIM_VLIW128].cycles, 4);
        CHECK_EQ_INT(b[SIM_VLIW128].bits, 2 * 128);
        CHECK_EQ_INT(b[SIM_VLIW64].cycles, 2);
        CHECK_EQ_INT(b[SIM_FIXED102].bits, 2 * 102);
    }
    /* Independent: one wide instruction; two multiplications never share one. */
    if (others("MUL A B | ADD C D\nMUL E F\nEND\n", (const uint32_t[]){0, 2, 3}, 3, b)) {
        CHECK_EQ_INT(b[SIM_VLIW128].instructions, 2);
        CHECK_EQ_INT(b[SIM_VLIW128].cycles, 2);
        CHECK_EQ_INT(b[SIM_VLIW64].instructions, 3);
        CHECK_EQ_INT(b[SIM_FIXED102].instructions, 2);
    }
    /* A swap: two moves in one wide instruction, a copy more where operations go one by one. */
    if (others("MOV A B | MOV B A\nEND\n", (const uint32_t[]){0, 2}, 2, b)) {
        CHECK_EQ_INT(b[SIM_VLIW128].instructions, 1);
        CHECK_EQ_INT(b[SIM_VLIW64].instructions, 3);
    }
    /* Ten rounds of a loop of one block (ADD, CMP | branch): the wide machine pays 4 cycles for each way back. */
    uint32_t way[21];
    for (unsigned i = 0; i < 10; i++) {
        way[2 * i] = 0;
        way[2 * i + 1] = 1;
    }
    way[20] = 3;
    if (others("top: ADD A.x B\nPRED N A.x(0) | BL R top\nEND\n", way, 21, b)) {
        /* ADD 0, set predicate 3, branch 6, 4 lost: 11 a round, the last without: 10 * 11 - 4 */
        CHECK_EQ_INT(b[SIM_VLIW128].cycles, 10 * 11 - 4);
        CHECK_EQ_INT(b[SIM_VLIW64].cycles, 30);
        CHECK_EQ_INT(b[SIM_FIXED102].cycles, 30);
    }
    /* A load is waited for. */
    if (others("LD A.x [B.x]\nADD C.x A.x\nEND\n", (const uint32_t[]){0, 1, 2}, 3, b)) {
        CHECK_EQ_INT(b[SIM_VLIW128].cycles, 11);
    }
}
