/* SPDX-License-Identifier: MIT */
/*
 * The image: words and tables of one shader in memory, and its container as bytes (ISA.md,
 * Container). In: a description, or untrusted bytes. Out: an immutable object in one block of
 * memory, or bytes. Sizes are bounded before anything is allocated. What the words mean is the
 * verifier's business.
 */
#include "vm/isa/image.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/base/bits.h"
#include "vm/include/vliw.h"

struct vliw_image {
    struct vliw_image_desc desc;   /* pointers lead into this block, behind the struct */
};

#define TAG(a, b, c, d)                                                                            \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

enum {
    HEADER_BYTES = 16,    /* magic, version, size of the rest, CRC-32 of the rest */
    SECTION_BYTES = 8,    /* tag, size of the payload */
    HEAD_BYTES = 12, IO_BYTES = 8, LITERAL_BYTES = 24
};

static const uint32_t image_magic = TAG('V', 'L', 'I', 'W');

uint32_t image_crc32(const void *bytes, size_t size) {
    const uint8_t *p = bytes;
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1u)));
        }
    }
    return ~crc;
}

void vliw_free(void *memory) { free(memory); }

/* ---- The object ---- */

static size_t padded(size_t size) { return (size + 7u) & ~(size_t)7u; }

/* Copies an array behind the struct; NULL stays NULL when it is empty. */
static const void *copy_in(uint8_t **cursor, const void *from, size_t size) {
    if (from == NULL || size == 0) {
        return NULL;
    }
    void *to = *cursor;
    memcpy(to, from, size);
    *cursor += padded(size);
    return to;
}

struct vliw_image *vliw_image_create(const struct vliw_image_desc *desc) {
    const char *name = desc->name != NULL ? desc->name : "";
    size_t name_length = strlen(name);
    if (name_length > IMAGE_MAX_NAME) {
        name_length = IMAGE_MAX_NAME;
    }
    if (desc->word_count > IMAGE_MAX_WORDS || desc->input_count > IMAGE_MAX_IO ||
        desc->output_count > IMAGE_MAX_IO || desc->sampler_count > IMAGE_MAX_SAMPLERS ||
        desc->literal_count > IMAGE_MAX_LITERALS) {
        return NULL;
    }
    if ((desc->words == NULL && desc->word_count > 0) ||
        (desc->inputs == NULL && desc->input_count > 0) ||
        (desc->outputs == NULL && desc->output_count > 0) ||
        (desc->samplers == NULL && desc->sampler_count > 0) ||
        (desc->literals == NULL && desc->literal_count > 0)) {
        return NULL;
    }
    size_t words = desc->word_count * sizeof(uint32_t);
    size_t inputs = desc->input_count * sizeof(struct vliw_io);
    size_t outputs = desc->output_count * sizeof(struct vliw_io);
    size_t literals = desc->literal_count * sizeof(struct vliw_literal);
    size_t total = padded(sizeof(struct vliw_image)) + padded(name_length + 1) + 2 * padded(words) +
                   padded(inputs) + padded(outputs) + padded(desc->sampler_count) +
                   padded(literals);
    struct vliw_image *image = calloc(1, total);
    if (image == NULL) {
        return NULL;
    }
    uint8_t *cursor = (uint8_t *)image + padded(sizeof *image);
    struct vliw_image_desc *d = &image->desc;
    *d = *desc;
    char *own_name = (char *)cursor;
    memcpy(own_name, name, name_length);
    cursor += padded(name_length + 1);
    d->name = own_name;
    d->words = copy_in(&cursor, desc->words, words);
    d->lines = copy_in(&cursor, desc->lines, words);
    d->inputs = copy_in(&cursor, desc->inputs, inputs);
    d->outputs = copy_in(&cursor, desc->outputs, outputs);
    d->samplers = copy_in(&cursor, desc->samplers, desc->sampler_count);
    struct vliw_literal *own_literals = (struct vliw_literal *)(void *)cursor;
    d->literals = copy_in(&cursor, desc->literals, literals);
    for (uint32_t i = 0; i < d->literal_count; i++) {   /* equal images have equal bytes */
        for (unsigned c = 0; c < 4; c++) {
            own_literals[i].bits[c] = d->literals[i].mask >> c & 1u ? d->literals[i].bits[c] : 0;
        }
    }
    return image;
}

void vliw_image_destroy(struct vliw_image *image) { free(image); }

void vliw_image_describe(const struct vliw_image *image, struct vliw_image_desc *out) {
    *out = image->desc;
}

/* ---- Writing ---- */

struct writer {
    uint8_t *bytes;    /* NULL while only counting */
    size_t size;
};

static void put32(struct writer *w, uint32_t v) {
    if (w->bytes != NULL) {
        bits_store_le32(w->bytes + w->size, v);
    }
    w->size += 4;
}

/* Bytes of a section, zero-padded to a multiple of 4. */
static void put_bytes(struct writer *w, const void *from, size_t size) {
    size_t all = (size + 3u) & ~(size_t)3u;
    if (w->bytes != NULL) {
        memset(w->bytes + w->size, 0, all);
        memcpy(w->bytes + w->size, from, size);
    }
    w->size += all;
}

static void put_words(struct writer *w, uint32_t tag, const uint32_t *words, uint32_t count) {
    put32(w, tag);
    put32(w, count * 4);
    for (uint32_t i = 0; i < count; i++) {
        put32(w, words[i]);
    }
}

static void put_io(struct writer *w, uint32_t tag, const struct vliw_io *io, uint32_t count) {
    if (count == 0) {
        return;
    }
    put32(w, tag);
    put32(w, count * IO_BYTES);
    for (uint32_t i = 0; i < count; i++) {
        put32(w, TAG(io[i].semantic, io[i].index, io[i].mask, io[i].reserved));
        put32(w, io[i].reg | (uint32_t)io[i].reserved2 << 16);
    }
}

static void put_image(struct writer *w, const struct vliw_image_desc *d) {
    w->size = HEADER_BYTES;
    put32(w, TAG('H', 'E', 'A', 'D'));
    put32(w, HEAD_BYTES);
    put32(w, (uint32_t)d->stage);
    put32(w, d->globals);
    put32(w, d->gprs);
    size_t name_length = strlen(d->name);
    if (name_length > 0) {
        put32(w, TAG('N', 'A', 'M', 'E'));
        put32(w, (uint32_t)name_length);
        put_bytes(w, d->name, name_length);
    }
    put_words(w, TAG('C', 'O', 'D', 'E'), d->words, d->word_count);
    if (d->lines != NULL) {
        put_words(w, TAG('L', 'I', 'N', 'E'), d->lines, d->word_count);
    }
    put_io(w, TAG('I', 'N', 'P', 'T'), d->inputs, d->input_count);
    put_io(w, TAG('O', 'U', 'T', 'P'), d->outputs, d->output_count);
    if (d->sampler_count > 0) {
        put32(w, TAG('S', 'M', 'P', 'L'));
        put32(w, d->sampler_count);
        put_bytes(w, d->samplers, d->sampler_count);
    }
    if (d->literal_count > 0) {
        put32(w, TAG('L', 'I', 'T', 'L'));
        put32(w, d->literal_count * LITERAL_BYTES);
        for (uint32_t i = 0; i < d->literal_count; i++) {
            put32(w, d->literals[i].reg);
            for (int c = 0; c < 4; c++) {
                put32(w, d->literals[i].bits[c]);
            }
            put32(w, d->literals[i].mask);
        }
    }
}

void *vliw_image_save(const struct vliw_image *image, size_t *size) {
    struct writer w = {NULL, 0};
    put_image(&w, &image->desc);
    w.bytes = malloc(w.size);
    if (w.bytes == NULL) {
        *size = 0;
        return NULL;
    }
    put_image(&w, &image->desc);
    bits_store_le32(w.bytes, image_magic);
    bits_store_le32(w.bytes + 4, IMAGE_VERSION);
    bits_store_le32(w.bytes + 8, (uint32_t)(w.size - HEADER_BYTES));
    bits_store_le32(w.bytes + 12, image_crc32(w.bytes + HEADER_BYTES, w.size - HEADER_BYTES));
    *size = w.size;
    return w.bytes;
}

/* ---- Reading ---- */

enum section {
    SEC_HEAD,
    SEC_NAME,
    SEC_CODE,
    SEC_LINE,
    SEC_INPT,
    SEC_OUTP,
    SEC_SMPL,
    SEC_LITL,
    SEC_COUNT
};

static const struct {
    char tag[5];
    uint32_t unit;         /* payload is a multiple of this many bytes */
    uint32_t max_units;
} sections[SEC_COUNT] = {
    {"HEAD", HEAD_BYTES, 1},
    {"NAME", 1, IMAGE_MAX_NAME},
    {"CODE", 4, IMAGE_MAX_WORDS},
    {"LINE", 4, IMAGE_MAX_WORDS},
    {"INPT", IO_BYTES, IMAGE_MAX_IO},
    {"OUTP", IO_BYTES, IMAGE_MAX_IO},
    {"SMPL", 1, IMAGE_MAX_SAMPLERS},
    {"LITL", LITERAL_BYTES, IMAGE_MAX_LITERALS},
};

struct payload {
    const uint8_t *at;     /* NULL: section absent */
    uint32_t size;
};

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static enum vliw_status
refuse(struct vliw_error *error, enum vliw_status status, const char *format, ...) {
    if (error != NULL) {
        va_list args;
        error->status = status;
        error->word = error->slot = error->rule = error->line = error->column = -1;
        va_start(args, format);
        vsnprintf(error->message, sizeof error->message, format, args);
        va_end(args);
    }
    return status;
}

/* Finds the known sections of a checked container body; unknown ones are stepped over. */
static enum vliw_status find_sections(const uint8_t *body, size_t size, struct payload *out,
                                      struct vliw_error *error) {
    size_t pos = 0;
    while (pos < size) {
        if (size - pos < SECTION_BYTES) {
            return refuse(error, VLIW_ERR_FORMAT, "image: section header cut off at byte %zu",
                          pos + HEADER_BYTES);
        }
        uint32_t length = bits_load_le32(body + pos + 4);
        const uint8_t *tag = body + pos, *payload = body + pos + SECTION_BYTES;
        size_t room = size - pos - SECTION_BYTES;
        if (length > room || ((length + 3u) & ~3u) > room) {
            return refuse(error, VLIW_ERR_FORMAT,
                          "image: section at byte %zu is longer than the file", pos + HEADER_BYTES);
        }
        for (unsigned s = 0; s < SEC_COUNT; s++) {
            if (memcmp(tag, sections[s].tag, 4) != 0) {
                continue;
            }
            if (out[s].at != NULL) {
                return refuse(error, VLIW_ERR_FORMAT, "image: section %s appears twice",
                              sections[s].tag);
            }
            if (length % sections[s].unit != 0) {
                return refuse(error, VLIW_ERR_FORMAT, "image: section %s has a wrong size",
                              sections[s].tag);
            }
            if (length / sections[s].unit > sections[s].max_units) {
                return refuse(error, VLIW_ERR_LIMIT, "image: section %s holds more than %u entries",
                              sections[s].tag, (unsigned)sections[s].max_units);
            }
            out[s].at = payload;
            out[s].size = length;
        }
        pos += SECTION_BYTES + ((length + 3u) & ~3u);
    }
    return VLIW_OK;
}

static void read_words(uint32_t *to, const struct payload *from) {
    for (uint32_t i = 0; i < from->size / 4; i++) {
        to[i] = bits_load_le32(from->at + 4 * (size_t)i);
    }
}

static void read_io(struct vliw_io *to, const struct payload *from) {
    for (uint32_t i = 0; i < from->size / IO_BYTES; i++) {
        const uint8_t *p = from->at + (size_t)IO_BYTES * i;
        to[i] = (struct vliw_io){
            p[0], p[1], p[2], p[3], (uint16_t)(p[4] | p[5] << 8), (uint16_t)(p[6] | p[7] << 8)};
    }
}

static void read_literals(struct vliw_literal *to, const struct payload *from) {
    for (uint32_t i = 0; i < from->size / LITERAL_BYTES; i++) {
        const uint8_t *p = from->at + (size_t)LITERAL_BYTES * i;
        to[i].reg = bits_load_le32(p);
        for (unsigned c = 0; c < 4; c++) {
            to[i].bits[c] = bits_load_le32(p + 4 + 4 * c);
        }
        to[i].mask = bits_load_le32(p + 20);
    }
}

/* Builds the image from sections that were found and bounded. */
static enum vliw_status build(const struct payload *s, struct vliw_image **out,
                              struct vliw_error *error) {
    size_t words = padded(s[SEC_CODE].size), lines = padded(s[SEC_LINE].size);
    size_t inputs = padded(s[SEC_INPT].size / IO_BYTES * sizeof(struct vliw_io));
    size_t outputs = padded(s[SEC_OUTP].size / IO_BYTES * sizeof(struct vliw_io));
    size_t literals = padded(s[SEC_LITL].size / LITERAL_BYTES * sizeof(struct vliw_literal));
    uint8_t *scratch = calloc(1, words + lines + inputs + outputs + literals + IMAGE_MAX_NAME + 1u);
    if (scratch == NULL) {
        return refuse(error, VLIW_ERR_MEMORY, "image: out of memory");
    }
    uint8_t *p = scratch;
    struct vliw_image_desc d = {.stage = (enum vliw_stage)bits_load_le32(s[SEC_HEAD].at)};
    d.globals = bits_load_le32(s[SEC_HEAD].at + 4);
    d.gprs = bits_load_le32(s[SEC_HEAD].at + 8);
    d.word_count = s[SEC_CODE].size / 4;
    read_words((uint32_t *)(void *)p, &s[SEC_CODE]);
    d.words = (const uint32_t *)(const void *)p;
    p += words;
    if (s[SEC_LINE].at != NULL) {
        read_words((uint32_t *)(void *)p, &s[SEC_LINE]);
        d.lines = (const uint32_t *)(const void *)p;
        p += lines;
    }
    d.input_count = s[SEC_INPT].size / IO_BYTES;
    read_io((struct vliw_io *)(void *)p, &s[SEC_INPT]);
    d.inputs = (const struct vliw_io *)(const void *)p;
    p += inputs;
    d.output_count = s[SEC_OUTP].size / IO_BYTES;
    read_io((struct vliw_io *)(void *)p, &s[SEC_OUTP]);
    d.outputs = (const struct vliw_io *)(const void *)p;
    p += outputs;
    d.literal_count = s[SEC_LITL].size / LITERAL_BYTES;
    read_literals((struct vliw_literal *)(void *)p, &s[SEC_LITL]);
    d.literals = (const struct vliw_literal *)(const void *)p;
    p += literals;
    if (s[SEC_NAME].size > 0) {
        memcpy(p, s[SEC_NAME].at, s[SEC_NAME].size);
    }
    d.name = (const char *)p;
    d.samplers = s[SEC_SMPL].at;
    d.sampler_count = s[SEC_SMPL].size;
    *out = vliw_image_create(&d);
    free(scratch);
    return *out != NULL ? VLIW_OK : refuse(error, VLIW_ERR_MEMORY, "image: out of memory");
}

enum vliw_status vliw_image_load(const void *bytes, size_t size, struct vliw_image **out,
                                 struct vliw_error *error) {
    const uint8_t *p = bytes;
    *out = NULL;
    if (p == NULL || size < HEADER_BYTES || bits_load_le32(p) != image_magic) {
        return refuse(error, VLIW_ERR_FORMAT, "image: not a VL-IW image (no VLIW at its start)");
    }
    if (bits_load_le32(p + 4) != IMAGE_VERSION) {
        return refuse(error, VLIW_ERR_FORMAT, "image: version %lu, this library reads version %u",
                      (unsigned long)bits_load_le32(p + 4), IMAGE_VERSION);
    }
    if (size > IMAGE_MAX_BYTES) {
        return refuse(error, VLIW_ERR_LIMIT, "image: larger than %u bytes", IMAGE_MAX_BYTES);
    }
    if (bits_load_le32(p + 8) != size - HEADER_BYTES) {
        return refuse(error, VLIW_ERR_FORMAT, "image: header says %lu bytes, file has %zu",
                      (unsigned long)bits_load_le32(p + 8) + HEADER_BYTES, size);
    }
    if (bits_load_le32(p + 12) != image_crc32(p + HEADER_BYTES, size - HEADER_BYTES)) {
        return refuse(error, VLIW_ERR_FORMAT, "image: checksum is wrong, the file is damaged");
    }
    struct payload found[SEC_COUNT] = {{NULL, 0}};
    enum vliw_status status = find_sections(p + HEADER_BYTES, size - HEADER_BYTES, found, error);
    if (status != VLIW_OK) {
        return status;
    }
    if (found[SEC_HEAD].at == NULL || found[SEC_HEAD].size != HEAD_BYTES ||
        found[SEC_CODE].at == NULL) {
        return refuse(error, VLIW_ERR_FORMAT, "image: section HEAD or CODE is missing");
    }
    if (found[SEC_LINE].at != NULL && found[SEC_LINE].size != found[SEC_CODE].size) {
        return refuse(error, VLIW_ERR_FORMAT, "image: line table and code have different lengths");
    }
    if (bits_load_le32(found[SEC_HEAD].at) > INT32_MAX) {
        return refuse(error, VLIW_ERR_FORMAT, "image: no such stage");
    }
    if (found[SEC_NAME].size > 0 && memchr(found[SEC_NAME].at, 0, found[SEC_NAME].size) != NULL) {
        return refuse(error, VLIW_ERR_FORMAT, "image: the name contains a zero byte");
    }
    return build(found, out, error);
}
