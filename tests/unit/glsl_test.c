/* SPDX-License-Identifier: MIT */
/* The compiler's library interface: linking rules, reflection, packing, binaries, limits. What single
   shaders mean and which are refused stands in tests/glsl. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/check.h"
#include "vm/glsl/builtin.h"
#include "vm/glsl/link.h"
#include "vm/include/glslc.h"

#define VERTEX_HEAD "attribute vec4 p; "
#define FRAGMENT_HEAD "precision mediump float; "

static struct glslc_options defaults(void) {
    struct glslc_options options;
    glslc_options_init(&options);
    options.extensions = GLSLC_EXT_ALL;
    return options;
}

static struct glslc_shader *compile(enum vliw_stage stage, const char *text) {
    struct glslc_options options = defaults();
    struct glslc_shader *shader = glslc_compile(stage, 1, &text, NULL, &options);
    if (shader && !glslc_shader_ok(shader)) {
        printf("%s\n%s\n", text, glslc_shader_log(shader));
    }
    return shader;
}

static struct glslc_program *link_with(const char *vertex, const char *fragment, const struct glslc_binding *bindings,
                                       unsigned count, const struct glslc_options *options) {
    struct glslc_shader *v = compile(VLIW_STAGE_VERTEX, vertex), *f = compile(VLIW_STAGE_FRAGMENT, fragment);
    struct glslc_program *p = glslc_link(v, f, bindings, count, "test", options);
    glslc_shader_destroy(v);
    glslc_shader_destroy(f);
    return p;
}

static struct glslc_program *link(const char *vertex, const char *fragment) {
    struct glslc_options options = defaults();
    return link_with(vertex, fragment, NULL, 0, &options);
}

static bool links(const char *vertex, const char *fragment) {
    struct glslc_program *p = link(vertex, fragment);
    bool ok = glslc_program_ok(p);
    glslc_program_destroy(p);
    return ok;
}

/* The link fails and its log mentions 'part'. */
static bool refused(const char *vertex, const char *fragment, const char *part) {
    struct glslc_program *p = link(vertex, fragment);
    bool good = !glslc_program_ok(p) && strstr(glslc_program_log(p), part);
    if (!good) {
        printf("log: %s\n", glslc_program_log(p));
    }
    glslc_program_destroy(p);
    return good;
}

static const struct glslc_uniform *find_uniform(const struct glslc_program *p, const char *name) {
    const struct glslc_uniform *list;
    unsigned count = glslc_program_uniforms(p, &list);
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0) {
            return &list[i];
        }
    }
    return NULL;
}

static int32_t attribute_location(const struct glslc_program *p, const char *name) {
    const struct glslc_attribute *list;
    unsigned count = glslc_program_attributes(p, &list);
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0) {
            return list[i].location;
        }
    }
    return -1;
}

TEST(builtins_are_sorted) {
    for (uint32_t i = 1; i < glsl_builtin_count; i++) {
        CHECK(strcmp(glsl_builtins[i - 1].name, glsl_builtins[i].name) <= 0);
    }
}

TEST(strings_are_joined) {
    const char *texts[3] = {"void ma", "in() { gl_Position = vec4(1.0); }garbage", NULL};
    int lengths[3] = {-1, 33, 5};
    struct glslc_options options = defaults();
    struct glslc_shader *s = glslc_compile(VLIW_STAGE_VERTEX, 3, texts, lengths, &options);
    CHECK(glslc_shader_ok(s));
    CHECK_STR(glslc_shader_log(s), "");
    glslc_shader_destroy(s);
    const char *bad[2] = {"void main() {\n", "\n  gl_Position = x; }"};
    s = glslc_compile(VLIW_STAGE_VERTEX, 2, bad, NULL, &options);
    CHECK(!glslc_shader_ok(s));
    CHECK(strncmp(glslc_shader_log(s), "1:2:17: error: 'x': undeclared identifier", 40) == 0);
    glslc_shader_destroy(s);
    s = glslc_compile(VLIW_STAGE_VERTEX, 0, NULL, NULL, &options);
    CHECK(glslc_shader_ok(s)); /* nothing is wrong with nothing, until it is linked */
    glslc_shader_destroy(s);
}

TEST(varying_rules) {
    CHECK(links("varying vec2 v; void main() { gl_Position = vec4(v, v); }",
                FRAGMENT_HEAD "varying vec2 v; void main() { gl_FragColor = vec4(v, v); }"));
    CHECK(links("varying highp vec2 v; void main() { v = vec2(1.0); gl_Position = vec4(1.0); }",
                "varying lowp vec2 v; void main() { gl_FragColor = vec4(v, v); }"));
    CHECK(links("varying vec2 v; void main() { v = vec2(1.0); gl_Position = vec4(1.0); }",
                FRAGMENT_HEAD "void main() { gl_FragColor = vec4(1.0); }"));
    CHECK(links("void main() { gl_Position = vec4(1.0); }",
                FRAGMENT_HEAD "varying vec2 v; void main() { gl_FragColor = vec4(1.0); }"));
    CHECK(refused("void main() { gl_Position = vec4(1.0); }",
                  FRAGMENT_HEAD "varying vec2 v; void main() { gl_FragColor = vec4(v, v); }", "'v' is used in"));
    CHECK(refused("void main() { gl_Position = vec4(1.0); }",
                  FRAGMENT_HEAD "varying vec2 v; void f() { v; } void main() { gl_FragColor = vec4(1.0); }", "'v' is used in"));
    CHECK(refused("varying vec2 v; void main() { gl_Position = vec4(1.0); }",
                  FRAGMENT_HEAD "varying vec3 v; void main() { gl_FragColor = vec4(1.0); }", "'vec2'"));
    CHECK(refused("varying vec2 v[2]; void main() { gl_Position = vec4(1.0); }",
                  FRAGMENT_HEAD "varying vec2 v[3]; void main() { gl_FragColor = vec4(1.0); }", "'vec2[2]'"));
    CHECK(refused("invariant varying vec2 v; void main() { gl_Position = vec4(1.0); }",
                  FRAGMENT_HEAD "varying vec2 v; void main() { gl_FragColor = vec4(v, v); }", "invariant"));
    CHECK(refused("void main() { gl_Position = vec4(1.0); }",
                  FRAGMENT_HEAD "invariant gl_FragCoord; void main() { gl_FragColor = gl_FragCoord; }", "gl_Position"));
}

TEST(dead_varyings_are_dropped) {
    struct glslc_program *p = link(VERTEX_HEAD "varying vec4 a, b; void main() { a = p; b = p; gl_Position = p; }",
                                   FRAGMENT_HEAD "varying vec4 a, b; void main() { gl_FragColor = b; }");
    const struct glslc_varying *list;
    struct vliw_image_desc desc;
    CHECK(glslc_program_ok(p));
    CHECK_EQ_INT(glslc_program_varyings(p, &list), 1);
    CHECK_STR(list[0].name, "b");
    vliw_image_describe(glslc_program_image(p, VLIW_STAGE_VERTEX), &desc);
    CHECK_EQ_INT(desc.output_count, 2);
    glslc_program_destroy(p);
}

TEST(varyings_are_packed) {
    struct glslc_program *p = link(
        "varying vec3 a; varying float b; varying vec2 c, d; varying mat2 e; varying float f[2];"
        "void main() { a = vec3(1.0); b = 1.0; c = d = vec2(1.0); e = mat2(1.0); f[0] = f[1] = 1.0; gl_Position = vec4(1.0); }",
        FRAGMENT_HEAD
        "varying vec3 a; varying float b; varying vec2 c, d; varying mat2 e; varying float f[2];"
        "void main() { gl_FragColor = vec4(a, b) + vec4(c, d) + vec4(e[0], e[1]) + vec4(f[0] + f[1]); }");
    const struct glslc_varying *list;
    CHECK(glslc_program_ok(p));
    unsigned count = glslc_program_varyings(p, &list), used[16] = {0};
    CHECK_EQ_INT(count, 8);
    for (unsigned i = 0; i < count; i++) {
        unsigned mask = ((1u << list[i].components) - 1u) << list[i].comp;
        CHECK(list[i].comp + list[i].components <= 4);
        CHECK_EQ_INT(used[list[i].reg] & mask, 0);
        used[list[i].reg] |= mask;
        CHECK(list[i].reg < 5);
    }
    glslc_program_destroy(p);
    struct glslc_options options = defaults();
    options.max_varyings = 2;
    p = link_with("varying vec4 a[2]; varying float b; void main() { a[0] = a[1] = vec4(b = 1.0); gl_Position = vec4(1.0); }",
                  FRAGMENT_HEAD "varying vec4 a[2]; varying float b; void main() { gl_FragColor = a[0] + a[1] + vec4(b); }",
                  NULL, 0, &options);
    CHECK(!glslc_program_ok(p));
    glslc_program_destroy(p);
}

/* The example of Appendix A.7 in spirit: every list that the algorithm can place must fit. */
TEST(packing_accepts_what_the_appendix_does) {
    static const struct {
        uint8_t comps;
        uint32_t rows;
    } wanted[] = {{4, 1}, {3, 1}, {3, 2}, {2, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, {1, 3}};
    enum { COUNT = sizeof wanted / sizeof wanted[0] };
    struct glsl_pack_item items[COUNT];
    struct glsl_home homes[COUNT];
    struct arena arena;
    uint32_t used;
    arena_init(&arena, 0);
    for (unsigned i = 0; i < COUNT; i++) {
        items[i] = (struct glsl_pack_item){.comps = wanted[i].comps, .rows = wanted[i].rows, .weight = 1, .home = &homes[i]};
    }
    CHECK(glsl_pack(items, COUNT, 8, &arena, &used));
    CHECK(used <= 8);
    uint8_t taken[8] = {0};
    for (unsigned i = 0; i < COUNT; i++) {
        for (uint32_t row = 0; row < items[i].rows; row++) {
            uint8_t mask = (uint8_t)(((1u << items[i].comps) - 1u) << items[i].home->comp);
            CHECK_EQ_INT(taken[items[i].home->reg + (int32_t)row] & mask, 0);
            taken[items[i].home->reg + (int32_t)row] |= mask;
        }
    }
    arena_fini(&arena);
}

TEST(packing_at_random) {
    for (unsigned round = 0; round < 300; round++) {
        struct glsl_pack_item items[24];
        struct glsl_home homes[24];
        struct arena arena;
        uint32_t used, area = 0, rows = 4 + check_random_below(28);
        unsigned count = 1 + check_random_below(24);
        uint8_t taken[32] = {0};
        arena_init(&arena, 0);
        for (unsigned i = 0; i < count; i++) {
            items[i] = (struct glsl_pack_item){.comps = (uint8_t)(1 + check_random_below(4)), .rows = 1 + check_random_below(4),
                                               .weight = 1 + check_random_below(9), .home = &homes[i]};
            area += items[i].comps * items[i].rows;
        }
        bool fits = glsl_pack(items, count, rows, &arena, &used);
        CHECK(!fits || area <= rows * 4);
        for (unsigned i = 0; fits && i < count; i++) {
            for (uint32_t row = 0; row < items[i].rows; row++) {
                uint8_t mask = (uint8_t)(((1u << items[i].comps) - 1u) << items[i].home->comp);
                CHECK((uint32_t)items[i].home->reg + row < rows && !(taken[items[i].home->reg + (int32_t)row] & mask));
                taken[items[i].home->reg + (int32_t)row] |= mask;
            }
        }
        arena_fini(&arena);
    }
}

TEST(attributes) {
    const char *v = "attribute vec4 a; attribute mat4 m; attribute vec2 unused; attribute float c;"
                    "void main() { gl_Position = m * a + vec4(c); }";
    const char *f = "void main() { gl_FragColor = vec4(1.0); }";
    struct glslc_options options = defaults();
    const struct glslc_binding bindings[2] = {{"c", 3}, {"unused", 99}};
    struct glslc_program *p = link_with(v, f, bindings, 2, &options);
    const struct glslc_attribute *list;
    CHECK(glslc_program_ok(p));
    CHECK_EQ_INT(glslc_program_attributes(p, &list), 3);
    CHECK_EQ_INT(attribute_location(p, "c"), 3);
    int32_t m = attribute_location(p, "m"), a = attribute_location(p, "a");
    CHECK(m >= 0 && (m + 3 < 3 || m > 3) && a >= 0 && a != 3 && (a < m || a > m + 3));
    glslc_program_destroy(p);
    const struct glslc_binding aliased[2] = {{"a", 5}, {"c", 5}};
    p = link_with(v, f, aliased, 2, &options);
    CHECK(glslc_program_ok(p));
    CHECK_EQ_INT(attribute_location(p, "a"), 5);
    CHECK_EQ_INT(attribute_location(p, "c"), 5);
    glslc_program_destroy(p);
    const struct glslc_binding beyond[1] = {{"m", 13}};
    p = link_with(v, f, beyond, 1, &options);
    CHECK(!glslc_program_ok(p));
    glslc_program_destroy(p);
    CHECK(refused("attribute mat4 a, b, c, d; attribute float e; void main() { gl_Position = (a + b + c + d)[0] * e; }", f,
                  "no location is left"));
}

TEST(uniform_rules) {
    const char *v = "uniform highp vec2 u; void main() { gl_Position = vec4(u, u); }";
    CHECK(links(v, "uniform highp vec2 u; void main() { gl_FragColor = vec4(u, u); }"));
    CHECK(refused(v, "uniform mediump vec2 u; void main() { gl_FragColor = vec4(u, u); }",
                  "'u' is highp in the vertex shader and mediump in the fragment shader"));
    CHECK(refused(v, "uniform highp vec3 u; void main() { gl_FragColor = vec4(u, 1.0); }", "'vec3'"));
    struct glslc_program *p = link(v, "uniform mediump vec2 u; void main() { gl_FragColor = vec4(1.0); }");
    CHECK(glslc_program_ok(p)); /* used in only one: a warning */
    CHECK(strstr(glslc_program_log(p), "warning: uniform 'u'") != NULL);
    glslc_program_destroy(p);
    const char *s = "struct S { mediump float a; mediump int b; }; uniform S s; void main() { gl_Position = vec4(s.a); }";
    CHECK(links(s, "struct S { mediump float a; mediump int b; }; uniform S s; void main() { gl_FragColor = vec4(s.b); }"));
    CHECK(refused(s, "struct S { lowp float a; mediump int b; }; uniform S s; void main() { gl_FragColor = vec4(s.b); }", "precision"));
    CHECK(refused(s, "struct S { mediump float c; mediump int b; }; uniform S s; void main() { gl_FragColor = vec4(s.b); }", "another"));
    CHECK(refused(s, "struct T { mediump float a; mediump int b; }; uniform T s; void main() { gl_FragColor = vec4(s.b); }", "'T'"));
}

TEST(reflection) {
    struct glslc_program *p = link(
        "struct I { vec2 b[3]; mat3 m; }; struct S { float a; I i[2]; sampler2D t; };"
        "uniform S s; uniform vec4 arr[5]; uniform mat4 mvp; uniform bool unused;"
        "void main() { gl_Position = mvp * arr[2] + vec4(s.i[1].b[2], s.i[0].m[1].xy); }",
        "struct I { mediump vec2 b[3]; mediump mat3 m; };"
        FRAGMENT_HEAD "uniform sampler2D tex[2]; uniform ivec3 k; uniform samplerCube cube;"
        "void main() { gl_FragColor = texture2D(tex[1], vec2(k.xy)) + textureCube(cube, vec3(gl_DepthRange.near)); }");
    CHECK(glslc_program_ok(p));
    const struct glslc_uniform *list;
    unsigned count = glslc_program_uniforms(p, &list);
    CHECK_EQ_INT(count, 10);
    const struct glslc_uniform *b = find_uniform(p, "s.i[1].b[0]"), *m = find_uniform(p, "s.i[0].m");
    CHECK(b && b->type == GLSLC_FLOAT_VEC2 && b->array_size == 3 && b->is_array && b->stage[0].stride == 1);
    CHECK(m && m->type == GLSLC_FLOAT_MAT3 && m->array_size == 1 && m->stage[0].stride == 3);
    const struct glslc_uniform *b0 = find_uniform(p, "s.i[0].b[0]");
    CHECK(b && b0 && b->stage[0].reg == b0->stage[0].reg + 3 && b->stage[1].reg == -1);
    const struct glslc_uniform *tex = find_uniform(p, "tex[0]"), *range = find_uniform(p, "gl_DepthRange.near");
    CHECK(tex && tex->type == GLSLC_SAMPLER_2D && tex->array_size == 2 && tex->stage[1].elements == 2);
    CHECK(range && range->location == -1);
    CHECK(!find_uniform(p, "s.a") && !find_uniform(p, "unused") && !find_uniform(p, "s.t"));
    CHECK(find_uniform(p, "arr[0]") && find_uniform(p, "mvp") && find_uniform(p, "k") && find_uniform(p, "cube"));
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < i; k++) { /* locations do not overlap */
            CHECK(list[i].location < 0 || list[k].location < 0 ||
                  list[i].location >= list[k].location + (int32_t)list[k].array_size ||
                  list[k].location >= list[i].location + (int32_t)list[i].array_size);
        }
    }
    glslc_program_destroy(p);
}

TEST(limits_of_uniforms_and_samplers) {
    CHECK(refused("uniform vec4 a[1025]; uniform int i; void main() { gl_Position = a[i]; }", "void main() { }", "do not fit"));
    CHECK(refused("void main() { gl_Position = vec4(1.0); }",
                  "uniform sampler2D s[17]; void main() { gl_FragColor = texture2D(s[16], vec2(0.0)); }", "17 samplers"));
    CHECK(links("uniform vec4 a[1000]; uniform int i; void main() { gl_Position = a[i]; }", "void main() { }"));
}

/* The most used uniforms have the registers below 32. */
TEST(hot_uniforms_come_first) {
    struct glslc_program *p = link("uniform vec4 cold[40]; uniform vec4 hot; uniform int k; void main() {"
                                   "vec4 s = vec4(0.0); for (int i = 0; i < 9; i++) { s += hot * s; s *= hot; } gl_Position = s + cold[k]; }",
                                   "void main() { }");
    CHECK(glslc_program_ok(p));
    const struct glslc_uniform *hot = find_uniform(p, "hot");
    CHECK(hot && hot->stage[0].reg == 0);
    glslc_program_destroy(p);
}

TEST(main_is_needed_to_link) {
    CHECK(refused("void f() { }", "void main() { }", "vertex shader has no 'void main()'"));
    CHECK(refused("void main() { gl_Position = vec4(1.0); }", "void main();", "fragment shader has no 'void main()'"));
}

TEST(not_compiled_shaders_do_not_link) {
    struct glslc_options options = defaults();
    const char *bad = "nonsense";
    struct glslc_shader *v = glslc_compile(VLIW_STAGE_VERTEX, 1, &bad, NULL, &options);
    struct glslc_program *p = glslc_link(v, NULL, NULL, 0, "x", &options);
    CHECK(!glslc_program_ok(p));
    CHECK(strstr(glslc_program_log(p), "vertex shader is not compiled") && strstr(glslc_program_log(p), "missing"));
    CHECK(glslc_program_image(p, VLIW_STAGE_VERTEX) == NULL);
    glslc_program_destroy(p);
    glslc_shader_destroy(v);
}

/* Calls that double at each level: refused by size, quickly. */
TEST(exponential_inlining_ends) {
    char text[8192];
    int used = snprintf(text, sizeof text, "float f0(float x) { return sin(x); }\n");
    for (int i = 1; i < 60; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "float f%d(float x) { return f%d(x) + f%d(x + 1.0); }\n", i, i - 1,
                         i - 1);
    }
    snprintf(text + used, sizeof text - (size_t)used, "void main() { gl_Position = vec4(f59(1.0)); }\n");
    CHECK(refused(text, "void main() { }", "too large"));
}

TEST(binaries) {
    struct glslc_program *p = link("uniform mat4 m; attribute vec4 a; varying vec2 v; void main() { v = a.xy; gl_Position = m * a; }",
                                   FRAGMENT_HEAD "varying vec2 v; uniform sampler2D s; uniform vec3 c[4]; uniform int i;"
                                   "void main() { gl_FragColor = texture2D(s, v) + vec4(c[i], 1.0); }");
    size_t size = 0, size2 = 0;
    uint8_t *bytes = glslc_program_save(p, &size);
    struct glslc_program *q = NULL;
    struct vliw_error error;
    CHECK(bytes && size > 100);
    CHECK_EQ_INT(glslc_program_load(bytes, size, &q, &error), VLIW_OK);
    void *again = q ? glslc_program_save(q, &size2) : NULL;
    CHECK(q && again && size2 == size && memcmp(bytes, again, size) == 0);
    vliw_free(again);
    glslc_program_destroy(q);
    for (size_t i = 0; i < size; i++) { /* one wrong bit anywhere is noticed */
        bytes[i] ^= (uint8_t)(1u << (i & 7));
        q = NULL;
        CHECK(glslc_program_load(bytes, size, &q, &error) != VLIW_OK && !q && error.message[0]);
        bytes[i] ^= (uint8_t)(1u << (i & 7));
    }
    for (size_t i = 0; i < size; i += 7) {
        CHECK(glslc_program_load(bytes, i, &q, &error) != VLIW_OK);
    }
    vliw_free(bytes);
    glslc_program_destroy(p);
}

static uint32_t crc_of(const uint8_t *bytes, size_t size) {
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; k++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
        }
    }
    return ~crc;
}

/* Bytes with a right checksum but wrong content: refused or harmless, never a crash. */
TEST(hostile_binaries) {
    struct glslc_program *p = link("uniform vec4 m[3]; attribute vec4 a; void main() { gl_Position = m[1] + a; }",
                                   "uniform sampler2D s; void main() { gl_FragColor = texture2D(s, vec2(0.5)); }");
    size_t size = 0;
    uint8_t *bytes = glslc_program_save(p, &size), *copy = malloc(size);
    for (unsigned round = 0; copy && round < 3000; round++) {
        struct glslc_program *q = NULL;
        struct vliw_error error;
        memcpy(copy, bytes, size);
        for (unsigned k = 1 + check_random_below(3); k > 0; k--) {
            copy[16 + check_random_below((uint32_t)size - 16)] = (uint8_t)check_random();
        }
        uint32_t crc = crc_of(copy + 16, size - 16);
        memcpy(copy + 12, (uint8_t[]){(uint8_t)crc, (uint8_t)(crc >> 8), (uint8_t)(crc >> 16), (uint8_t)(crc >> 24)}, 4);
        enum vliw_status status = glslc_program_load(copy, size, &q, &error);
        CHECK((status == VLIW_OK) == (q != NULL));
        glslc_program_destroy(q);
    }
    free(copy);
    vliw_free(bytes);
    glslc_program_destroy(p);
}

/* The same expressions with an invariant output give the same code for the position in two programs. */
/* A loop that is large when unrolled is unrolled alone, not beside others: compiling three of them took twice as long. */
TEST(large_loops_unroll_alone) {
    static const char *const ends[2] = {"vec4(f(u.x))", "vec4(f(u.x), f(u.y), f(u.z), 1.0)"};
    struct glslc_options options = defaults();
    for (unsigned i = 0; i < 2; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 FRAGMENT_HEAD "uniform vec4 u; float f(float x) { float s = 0.0; for (int i = 0; i < 36; i++) { s += sin(s * x) * x;"
                 " x = fract(x * 1.7 + s); } return s; } void main() { gl_FragColor = %s; }", ends[i]);
        struct glslc_shader *shader = compile(VLIW_STAGE_FRAGMENT, text);
        char *dump = glslc_shader_dump(shader, &options);
        CHECK(dump != NULL && (strstr(dump, "branch") != NULL) == (i == 1));
        vliw_free(dump);
        glslc_shader_destroy(shader);
    }
}

TEST(point_size_output) {
    struct glslc_program *p = link("void main() { gl_Position = vec4(1.0); gl_PointSize = 4.0; }", "void main() { }");
    struct vliw_image_desc desc;
    vliw_image_describe(glslc_program_image(p, VLIW_STAGE_VERTEX), &desc);
    CHECK_EQ_INT(desc.output_count, 2);
    glslc_program_destroy(p);
}

TEST(dump_is_valid) {
    struct glslc_options options = defaults();
    struct glslc_shader *s = compile(VLIW_STAGE_FRAGMENT, FRAGMENT_HEAD "varying vec2 v; uniform sampler2D t; void main() {"
                                     "vec4 c = vec4(0.0); for (int i = 0; i < 20; i++) { if (c.x > 1.0) break; c += texture2D(t, v); }"
                                     "if (c.y < 0.5) discard; gl_FragColor = c; }");
    for (int round = 0; round < 2; round++) {
        options.no_optimise = round == 1;
        char *text = glslc_shader_dump(s, &options);
        CHECK(text && strstr(text, "tex #0") && !strstr(text, "invalid"));
        vliw_free(text);
    }
    glslc_shader_destroy(s);
}
