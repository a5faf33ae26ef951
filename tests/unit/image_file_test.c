/* SPDX-License-Identifier: MIT */
/* The image container: what goes in comes out, every damaged file is refused, limits hold. */
#include <stdlib.h>
#include <string.h>

#include "tests/harness/check.h"
#include "vm/include/vliw.h"
#include "vm/isa/image.h"

static const struct vliw_io inputs[] = {{VLIW_SEM_VARYING, 1, 15, 0, 2, 0},
                                        {VLIW_SEM_FRAG_COORD, 0, 3, 0, 700, 0}};
static const struct vliw_io outputs[] = {{VLIW_SEM_COLOR, 0, 15, 0, 1, 0}};
static const uint8_t samplers[] = {VLIW_SAMPLER_2D, VLIW_SAMPLER_CUBE, VLIW_SAMPLER_3D};
static const struct vliw_literal literals[] = {{8, {0x3f800000, 0x7fc00001, 0, 0x80000000}, 15},
                                               {4095, {1, 0, 0, 0}, 1}};
static const uint32_t words[] = {0x060f08e4, 0x800010e4, 0xfc400000};
static const uint32_t lines[] = {3, 3, 0x7fffffff};

static struct vliw_image_desc sample_desc(void) {
    return (struct vliw_image_desc){.stage = VLIW_STAGE_FRAGMENT,
                                    .name = "main.frag",
                                    .words = words,
                                    .word_count = 3,
                                    .lines = lines,
                                    .inputs = inputs,
                                    .input_count = 2,
                                    .outputs = outputs,
                                    .output_count = 1,
                                    .samplers = samplers,
                                    .sampler_count = 3,
                                    .literals = literals,
                                    .literal_count = 2,
                                    .globals = 100,
                                    .gprs = 50};
}

static bool same(const struct vliw_image *p, const struct vliw_image *q) {
    size_t a, b;
    void *x = vliw_image_save(p, &a), *y = vliw_image_save(q, &b);
    bool equal = a == b && memcmp(x, y, a) == 0;
    vliw_free(x);
    vliw_free(y);
    return equal;
}

static uint8_t *saved(size_t *size) {
    struct vliw_image_desc d = sample_desc();
    struct vliw_image *image = vliw_image_create(&d);
    uint8_t *bytes = vliw_image_save(image, size);
    vliw_image_destroy(image);
    return bytes;
}

/* Makes size and checksum right again after a deliberate change. */
static void seal(uint8_t *bytes, size_t size) {
    uint32_t body = (uint32_t)(size - 16), crc = image_crc32(bytes + 16, size - 16);
    for (int i = 0; i < 4; i++) {
        bytes[8 + i] = (uint8_t)(body >> 8 * i);
        bytes[12 + i] = (uint8_t)(crc >> 8 * i);
    }
}

TEST(crc_check_value) {
    CHECK_EQ_INT(image_crc32("123456789", 9), 0xcbf43926);
    CHECK_EQ_INT(image_crc32("", 0), 0);
}

TEST(save_and_load) {
    size_t size;
    uint8_t *bytes = saved(&size);
    struct vliw_image *image;
    struct vliw_image_desc d, want = sample_desc();
    struct vliw_error error;
    CHECK_EQ_INT(size % 4, 0);
    CHECK(memcmp(bytes, "VLIW\1\0\0\0", 8) == 0);
    CHECK_EQ_INT(vliw_image_load(bytes, size, &image, &error), VLIW_OK);
    vliw_image_describe(image, &d);
    CHECK_STR(d.name, want.name);
    CHECK_EQ_INT(d.stage, want.stage);
    CHECK_EQ_INT(d.globals, 100);
    CHECK_EQ_INT(d.gprs, 50);
    CHECK(d.word_count == 3 && memcmp(d.words, words, sizeof words) == 0 &&
          memcmp(d.lines, lines, sizeof lines) == 0);
    CHECK(d.input_count == 2 && memcmp(d.inputs, inputs, sizeof inputs) == 0);
    CHECK(d.output_count == 1 && memcmp(d.outputs, outputs, sizeof outputs) == 0);
    CHECK(d.sampler_count == 3 && memcmp(d.samplers, samplers, sizeof samplers) == 0);
    CHECK(d.literal_count == 2 && memcmp(d.literals, literals, sizeof literals) == 0);
    vliw_image_destroy(image);
    free(bytes);
}

TEST(least_image) {
    static const uint32_t end[] = {0xfc400000};
    struct vliw_image_desc d = {.stage = VLIW_STAGE_COMPUTE, .words = end, .word_count = 1};
    struct vliw_image *image = vliw_image_create(&d), *back;
    size_t size;
    void *bytes = vliw_image_save(image, &size);
    CHECK_EQ_INT(size, 16 + 8 + 12 + 8 + 4);
    CHECK_EQ_INT(vliw_image_load(bytes, size, &back, NULL), VLIW_OK);
    vliw_image_describe(back, &d);
    CHECK(d.lines == NULL && d.inputs == NULL && d.name != NULL && d.name[0] == '\0');
    CHECK(same(image, back));
    vliw_free(bytes);
    vliw_image_destroy(image);
    vliw_image_destroy(back);
}

/* The copy is exactly as long as the damaged file, so that a sanitizer sees any read beyond it. */
static enum vliw_status load_copy(const uint8_t *bytes, size_t size, struct vliw_image **out,
                                  struct vliw_error *error) {
    uint8_t *copy = malloc(size > 0 ? size : 1);
    memcpy(copy, bytes, size);
    enum vliw_status status = vliw_image_load(copy, size, out, error);
    free(copy);
    return status;
}

TEST(every_truncation_is_refused) {
    size_t size;
    uint8_t *bytes = saved(&size);
    for (size_t n = 0; n < size; n++) {
        struct vliw_image *image;
        struct vliw_error error;
        CHECK(load_copy(bytes, n, &image, &error) != VLIW_OK);
        CHECK(image == NULL && error.message[0] != '\0' && error.status != VLIW_OK);
    }
    free(bytes);
}

TEST(every_flip_is_refused) {
    size_t size;
    uint8_t *bytes = saved(&size);
    for (size_t i = 0; i < size; i++) {
        for (int v = 1; v < 256; v++) {
            struct vliw_image *image;
            bytes[i] ^= (uint8_t)v;
            enum vliw_status status = vliw_image_load(bytes, size, &image, NULL);
            bytes[i] ^= (uint8_t)v;
            if (status == VLIW_OK) {
                check_failf(__FILE__, __LINE__, "byte %u ^ %d was accepted", (unsigned)i, v);
            }
            vliw_image_destroy(image);
        }
    }
    CHECK(true);
    free(bytes);
}

/* Damage behind a right checksum: an image or an error, never a wild read. Truncations of the body
 * too. */
TEST(sealed_damage) {
    size_t size;
    uint8_t *bytes = saved(&size), *copy = malloc(size);
    unsigned accepted = 0, refused = 0;
    for (int round = 0; round < 100000; round++) {
        struct vliw_image *image;
        struct vliw_error error;
        size_t n = check_random_below(4) ? size : 16 + check_random_below((uint32_t)size - 15);
        memcpy(copy, bytes, n);
        for (unsigned k = 1 + check_random_below(3); k > 0 && n > 16; k--) {
            uint32_t at = 16 + check_random_below((uint32_t)n - 16);
            copy[at] = check_random_below(2) ? (uint8_t)check_random()
                                             : (uint8_t)(copy[at] ^ 1u << check_random_below(8));
        }
        seal(copy, n);
        if (load_copy(copy, n, &image, &error) == VLIW_OK) {
            struct vliw_image *again;
            size_t m;
            void *out = vliw_image_save(image, &m);
            CHECK_EQ_INT(vliw_image_load(out, m, &again, NULL), VLIW_OK);
            CHECK(same(image, again));
            vliw_free(out);
            vliw_image_destroy(again);
            accepted++;
        } else {
            CHECK(image == NULL && error.message[0] != '\0');
            refused++;
        }
        vliw_image_destroy(image);
    }
    CHECK(accepted > 1000 && refused > 1000);
    free(copy);
    free(bytes);
}

TEST(unknown_sections_are_skipped) {
    size_t size;
    uint8_t *bytes = saved(&size), *more = calloc(1, size + 16);
    struct vliw_image *image, *plain;
    memcpy(more, bytes, 16);
    memcpy(more + 16, "XTRA\5\0\0\0hello\0\0\0", 16);
    memcpy(more + 32, bytes + 16, size - 16);
    seal(more, size + 16);
    CHECK_EQ_INT(vliw_image_load(bytes, size, &plain, NULL), VLIW_OK);
    CHECK_EQ_INT(vliw_image_load(more, size + 16, &image, NULL), VLIW_OK);
    CHECK(same(image, plain));
    vliw_image_destroy(image);
    vliw_image_destroy(plain);
    free(more);
    free(bytes);
}

struct section_case {
    const char *what;
    const char *body;
    size_t size;
    enum vliw_status status;
};

TEST(broken_sections) {
#define HEAD "HEAD\14\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0"
#define CODE "CODE\4\0\0\0\0\0\x40\xfc"
#define CASE(what, body, status) {what, body, sizeof(body) - 1, status}
    static const struct section_case cases[] = {
        CASE("good", HEAD CODE, VLIW_OK),
        CASE("other order", CODE HEAD, VLIW_OK),
        CASE("no HEAD", CODE, VLIW_ERR_FORMAT),
        CASE("no CODE", HEAD, VLIW_ERR_FORMAT),
        CASE("nothing", "", VLIW_ERR_FORMAT),
        CASE("CODE twice", HEAD CODE CODE, VLIW_ERR_FORMAT),
        CASE("CODE of 3 bytes", HEAD "CODE\3\0\0\0abcd", VLIW_ERR_FORMAT),
        CASE("section header cut", HEAD CODE "NAM", VLIW_ERR_FORMAT),
        CASE("section longer than file", HEAD CODE "NAME\5\0\0\0abcd", VLIW_ERR_FORMAT),
        CASE("size near 2^32", HEAD CODE "NAME\377\377\377\377abcd", VLIW_ERR_FORMAT),
        CASE("unknown size near 2^32", HEAD CODE "QQQQ\375\377\377\377abcd", VLIW_ERR_FORMAT),
        CASE("padding missing", HEAD CODE "NAME\1\0\0\0a", VLIW_ERR_FORMAT),
        CASE("name with zero", HEAD CODE "NAME\3\0\0\0a\0b\0", VLIW_ERR_FORMAT),
        CASE("line table too long", HEAD CODE "LINE\10\0\0\0aaaabbbb", VLIW_ERR_FORMAT),
        CASE("stage negative", "HEAD\14\0\0\0\2\0\0\200\0\0\0\0\0\0\0\0" CODE, VLIW_ERR_FORMAT),
        CASE("HEAD empty", "HEAD\0\0\0\0" CODE, VLIW_ERR_FORMAT),
        CASE("input of 7 bytes", HEAD CODE "INPT\7\0\0\0abcdefgh", VLIW_ERR_FORMAT),
        CASE("empty tables",
             HEAD CODE "INPT\0\0\0\0OUTP\0\0\0\0SMPL\0\0\0\0LITL\0\0\0\0NAME\0\0\0\0", VLIW_OK),
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t file[256] = "VLIW\1\0\0\0";
        struct vliw_image *image;
        struct vliw_error error = {.message = ""};
        memcpy(file + 16, cases[i].body, cases[i].size);
        seal(file, 16 + cases[i].size);
        enum vliw_status status = load_copy(file, 16 + cases[i].size, &image, &error);
        if (status != cases[i].status) {
            check_failf(__FILE__, __LINE__, "%s: status %d (%s)", cases[i].what, (int)status,
                        error.message);
        }
        CHECK((image != NULL) == (status == VLIW_OK));
        vliw_image_destroy(image);
    }
}

TEST(size_limits) {
    uint32_t *many = calloc(IMAGE_MAX_WORDS + 1, 4);
    struct vliw_image_desc d = {
        .stage = VLIW_STAGE_COMPUTE, .words = many, .word_count = IMAGE_MAX_WORDS + 1};
    CHECK(vliw_image_create(&d) == NULL);
    d.word_count = IMAGE_MAX_WORDS;
    struct vliw_image *image = vliw_image_create(&d), *back;
    CHECK(image != NULL);
    size_t size;
    uint8_t *bytes = vliw_image_save(image, &size);
    CHECK_EQ_INT(vliw_image_load(bytes, size, &back, NULL), VLIW_OK);
    vliw_image_destroy(back);
    /* one word more in the file: refused before it is read */
    uint8_t *more = calloc(1, size + 4);
    memcpy(more, bytes, size);
    more[16 + 8 + 12 + 4] += 4;
    seal(more, size + 4);
    struct vliw_error error;
    CHECK_EQ_INT(vliw_image_load(more, size + 4, &back, &error), VLIW_ERR_LIMIT);
    vliw_image_destroy(image);
    free(more);
    free(bytes);
    free(many);
    d = (struct vliw_image_desc){.word_count = 1};
    CHECK(vliw_image_create(&d) == NULL); /* a count without an array */
    char name[3000];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    d = sample_desc();
    d.name = name;
    image = vliw_image_create(&d);
    vliw_image_describe(image, &d);
    CHECK_EQ_INT(strlen(d.name), IMAGE_MAX_NAME);
    vliw_image_destroy(image);
    vliw_image_destroy(NULL);
    vliw_free(NULL);
}
