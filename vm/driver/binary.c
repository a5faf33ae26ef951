/* SPDX-License-Identifier: MIT */
/*
 * Linked programs as bytes (OES_get_program_binary). Little-endian, in this order:
 *
 *   u32 magic "VLGP", u32 version, u32 size of everything, u32 checksum (CRC-32 of all that follows)
 *   u32 size + bytes of the vertex image, the same of the fragment image (containers of their own)
 *   u32 1 and the narrow fragment image, u32 quads, 7 u32 of its direct form, u32 exact samplers, u32 count and (u32 register, u32 mask)
 *   of its uniforms; or u32 0
 *   u32 globals of the two stages
 *   u32 count, then the attributes; the same for uniforms and varyings. A string is u32 length + bytes.
 *
 * Loading trusts nothing: lengths are checked against what is left, every table entry against the images,
 * and all images go through the verifier.
 */
#include <stdlib.h>
#include <string.h>

#include "vm/base/bits.h"
#include "vm/driver/program.h"

enum { MAGIC = 0x50474C56, VERSION = 2, HEADER = 16, MAX_NAME_LENGTH = 1 << 16 };

static uint32_t checksum(const uint8_t *bytes, size_t size) {
    static const uint32_t nibbles[16] = {
        0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
        0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ nibbles[crc & 15];
        crc = crc >> 4 ^ nibbles[crc & 15];
    }
    return ~crc;
}

/* ---- saving ----------------------------------------------------------------------------------------- */

static void put_u32(struct str *out, uint32_t value) {
    uint8_t bytes[4];
    bits_store_le32(bytes, value);
    str_append_n(out, (const char *)bytes, sizeof bytes);
}

static void put_bytes(struct str *out, const void *bytes, size_t size) {
    put_u32(out, (uint32_t)size);
    str_append_n(out, bytes, size);
}

static void put_tables(struct str *out, const struct glslc_program *p) {
    put_u32(out, p->attribute_count);
    for (uint32_t i = 0; i < p->attribute_count; i++) {
        put_bytes(out, p->attributes[i].name, strlen(p->attributes[i].name));
        put_u32(out, (uint32_t)p->attributes[i].type);
        put_u32(out, (uint32_t)p->attributes[i].location);
    }
    put_u32(out, p->uniform_count);
    for (uint32_t i = 0; i < p->uniform_count; i++) {
        const struct glslc_uniform *u = &p->uniforms[i];
        put_bytes(out, u->name, strlen(u->name));
        put_u32(out, (uint32_t)u->type);
        put_u32(out, u->array_size);
        put_u32(out, u->is_array);
        put_u32(out, (uint32_t)u->location);
        for (unsigned stage = 0; stage < 2; stage++) {
            put_u32(out, (uint32_t)u->stage[stage].reg);
            put_u32(out, u->stage[stage].comp);
            put_u32(out, u->stage[stage].stride);
            put_u32(out, u->stage[stage].elements);
        }
    }
    put_u32(out, p->varying_count);
    for (uint32_t i = 0; i < p->varying_count; i++) {
        put_bytes(out, p->varyings[i].name, strlen(p->varyings[i].name));
        put_u32(out, p->varyings[i].reg);
        put_u32(out, p->varyings[i].comp);
        put_u32(out, p->varyings[i].components);
    }
}

/* False when memory is out. */
static bool put_image(struct str *out, const struct vliw_image *from) {
    size_t size = 0;
    void *image = vliw_image_save(from, &size);
    if (image) {
        put_bytes(out, image, size);
    }
    vliw_free(image);
    return image != NULL;
}

static bool put_narrow(struct str *out, const struct vliw_image *image, const struct vliw_narrow *narrow) {
    put_u32(out, image != NULL);
    if (!image) {
        return true;
    }
    if (!put_image(out, image)) {
        return false;
    }
    put_u32(out, narrow->quads);
    const struct vliw_narrow_direct *d = &narrow->direct;
    put_u32(out, (uint32_t)(d->valid | d->by_uniform << 1));
    put_u32(out, d->sampler | (uint32_t)d->varying << 8 | (uint32_t)d->place[0] << 16 | (uint32_t)d->place[1] << 24);
    put_u32(out, d->comp[0] | (uint32_t)d->comp[1] << 8 | (uint32_t)d->comp[2] << 16 | (uint32_t)d->comp[3] << 24);
    put_u32(out, d->reg);
    put_u32(out, d->factor);
    put_u32(out, d->ones_before);
    put_u32(out, d->ones);
    put_u32(out, narrow->exact_samplers);
    put_u32(out, narrow->uniform_count);
    for (uint32_t i = 0; i < narrow->uniform_count; i++) {
        put_u32(out, narrow->uniforms[i].reg);
        put_u32(out, narrow->uniforms[i].mask);
    }
    return true;
}

void *glslc_program_save(const struct glslc_program *program, size_t *size) {
    struct str out;
    *size = 0;
    if (!program->ok) {
        return NULL;
    }
    str_init(&out);
    for (unsigned i = 0; i < HEADER / 4; i++) {
        put_u32(&out, 0);
    }
    if (!put_image(&out, program->images[0]) || !put_image(&out, program->images[1]) ||
        !put_narrow(&out, program->narrow_image, &program->narrow)) {
        str_fini(&out);
        return NULL;
    }
    put_u32(&out, program->globals[0]);
    put_u32(&out, program->globals[1]);
    put_tables(&out, program);
    if (out.failed || out.length > UINT32_MAX) {
        str_fini(&out);
        return NULL;
    }
    *size = out.length;
    uint8_t *bytes = (uint8_t *)str_take(&out);
    if (bytes) {
        bits_store_le32(bytes, MAGIC);
        bits_store_le32(bytes + 4, VERSION);
        bits_store_le32(bytes + 8, (uint32_t)*size);
        bits_store_le32(bytes + 12, checksum(bytes + HEADER, *size - HEADER));
    }
    return bytes;
}

/* ---- loading ---------------------------------------------------------------------------------------- */

struct reader {
    const uint8_t *at;
    size_t left;
    struct arena *arena;
    bool bad;                  /* the bytes end too early or say something impossible */
    bool no_memory;
};

static uint32_t get_u32(struct reader *r) {
    if (r->left < 4) {
        r->bad = true;
        return 0;
    }
    uint32_t value = bits_load_le32(r->at);
    r->at += 4;
    r->left -= 4;
    return value;
}

static const uint8_t *get_bytes(struct reader *r, size_t *size) {
    *size = get_u32(r);
    if (r->bad || *size > r->left) {
        r->bad = true;
        *size = 0;
        return NULL;
    }
    const uint8_t *bytes = r->at;
    r->at += *size;
    r->left -= *size;
    return bytes;
}

static const char *get_name(struct reader *r) {
    size_t size;
    const uint8_t *bytes = get_bytes(r, &size);
    if (!bytes || size == 0 || size > MAX_NAME_LENGTH || memchr(bytes, 0, size)) {
        r->bad = true;
        return "";
    }
    const char *name = arena_strndup(r->arena, (const char *)bytes, size);
    r->no_memory |= name == NULL;
    return name ? name : "";
}

/* A value that must not exceed 'limit'. */
static uint32_t get_limited(struct reader *r, uint32_t limit) {
    uint32_t value = get_u32(r);
    r->bad |= value > limit;
    return r->bad ? 0 : value;
}

/* A table of 'count' entries of at least 'least' bytes each in the file. */
static void *get_table(struct reader *r, uint32_t *count, size_t least, size_t entry) {
    *count = get_u32(r);
    if (r->bad || *count > r->left / least) {
        r->bad = true;
        *count = 0;
        return NULL;
    }
    void *table = arena_array(r->arena, (size_t)*count + 1, entry);
    r->no_memory |= table == NULL;
    if (!table) {
        *count = 0;
    }
    return table;
}

/*
 * Registers of an element of a type and the components it takes in each; false for a value that is no type.
 * A double takes two components of a register of its own.
 */
static bool type_shape(uint32_t type, unsigned *columns, unsigned *comps, bool *sampler) {
    *columns = 1;
    *comps = 1;
    *sampler = false;
    switch (type) {
    case GLSLC_FLOAT: case GLSLC_INT: case GLSLC_BOOL: return true;
    case GLSLC_FLOAT_VEC2: case GLSLC_INT_VEC2: case GLSLC_BOOL_VEC2: *comps = 2; return true;
    case GLSLC_FLOAT_VEC3: case GLSLC_INT_VEC3: case GLSLC_BOOL_VEC3: *comps = 3; return true;
    case GLSLC_FLOAT_VEC4: case GLSLC_INT_VEC4: case GLSLC_BOOL_VEC4: *comps = 4; return true;
    case GLSLC_FLOAT_MAT2: case GLSLC_FLOAT_MAT3: case GLSLC_FLOAT_MAT4:
        *comps = *columns = type - GLSLC_FLOAT_MAT2 + 2u;
        return true;
    case GLSLC_DOUBLE: case GLSLC_DOUBLE_VEC2: case GLSLC_DOUBLE_VEC3: case GLSLC_DOUBLE_VEC4:
        *columns = type == GLSLC_DOUBLE ? 1 : type - GLSLC_DOUBLE_VEC2 + 2u;
        *comps = 2;
        return true;
    case GLSLC_DOUBLE_MAT2: case GLSLC_DOUBLE_MAT3: case GLSLC_DOUBLE_MAT4:
        *columns = (type - GLSLC_DOUBLE_MAT2 + 2u) * (type - GLSLC_DOUBLE_MAT2 + 2u);
        *comps = 2;
        return true;
    case GLSLC_SAMPLER_2D: case GLSLC_SAMPLER_3D: case GLSLC_SAMPLER_CUBE: case GLSLC_SAMPLER_2D_SHADOW:
    case GLSLC_SAMPLER_EXTERNAL:
        *sampler = true;
        return true;
    default: return false;
    }
}

static bool is_double_type(uint32_t type) {
    return type == GLSLC_DOUBLE || (type >= GLSLC_DOUBLE_VEC2 && type <= GLSLC_DOUBLE_VEC4) ||
           (type >= GLSLC_DOUBLE_MAT2 && type <= GLSLC_DOUBLE_MAT4);
}

static void read_attributes(struct reader *r, struct glslc_program *p) {
    p->attributes = get_table(r, &p->attribute_count, 12, sizeof *p->attributes);
    for (uint32_t i = 0; i < p->attribute_count && !r->bad; i++) {
        struct glslc_attribute *a = &p->attributes[i];
        unsigned columns, comps;
        bool sampler;
        a->name = get_name(r);
        a->type = (enum glslc_type)get_u32(r);
        r->bad |= !type_shape((uint32_t)a->type, &columns, &comps, &sampler) || sampler ||
                  is_double_type((uint32_t)a->type);
        a->location = (int32_t)get_limited(r, 32 - (r->bad ? 1 : columns));
    }
}

/* Where a uniform lives in a stage must lie inside that stage's registers or samplers. */
static void read_home(struct reader *r, const struct glslc_program *p, struct glslc_uniform *u, unsigned stage,
                      uint32_t sampler_count) {
    unsigned columns = 1, comps = 1;
    bool sampler = false;
    r->bad |= !type_shape((uint32_t)u->type, &columns, &comps, &sampler);
    int32_t reg = (int32_t)get_u32(r);
    uint32_t comp = get_limited(r, 4 - comps), stride = get_limited(r, 16), elements = get_limited(r, UINT16_MAX);
    u->stage[stage].reg = reg;
    u->stage[stage].comp = (uint8_t)comp;
    u->stage[stage].stride = (uint8_t)stride;
    u->stage[stage].elements = (uint16_t)elements;
    if (reg == -1 || r->bad) {
        return;
    }
    uint32_t limit = sampler ? sampler_count : p->globals[stage];
    uint64_t end = (uint64_t)(uint32_t)reg + (uint64_t)elements * columns;
    r->bad |= reg < 0 || elements == 0 || elements > u->array_size || stride != columns || end > limit;
}

static void read_uniforms(struct reader *r, struct glslc_program *p, const uint32_t *sampler_counts) {
    p->uniforms = get_table(r, &p->uniform_count, 52, sizeof *p->uniforms);
    for (uint32_t i = 0; i < p->uniform_count && !r->bad; i++) {
        struct glslc_uniform *u = &p->uniforms[i];
        u->name = get_name(r);
        u->type = (enum glslc_type)get_u32(r);
        u->array_size = get_limited(r, UINT16_MAX);
        u->is_array = get_limited(r, 1) != 0;
        u->location = (int32_t)get_u32(r);
        r->bad |= u->array_size == 0 || u->location < -1 || u->location > 1 << 24;
        for (unsigned stage = 0; stage < 2; stage++) {
            read_home(r, p, u, stage, sampler_counts[stage]);
        }
    }
}

static void read_varyings(struct reader *r, struct glslc_program *p) {
    p->varyings = get_table(r, &p->varying_count, 16, sizeof *p->varyings);
    for (uint32_t i = 0; i < p->varying_count && !r->bad; i++) {
        struct glslc_varying *v = &p->varyings[i];
        v->name = get_name(r);
        v->reg = (uint8_t)get_limited(r, 63);
        v->comp = (uint8_t)get_limited(r, 3);
        v->components = (uint8_t)get_limited(r, 4u - v->comp);
    }
}

static enum vliw_status fail(struct glslc_program *p, struct vliw_error *error, enum vliw_status status,
                             const char *message) {
    glslc_program_destroy(p);
    memset(error, 0, sizeof *error);
    error->status = status;
    error->word = error->slot = error->rule = error->line = error->column = -1;
    strncpy(error->message, message, sizeof error->message - 1);
    return status;
}

/* Loads and verifies one image; its stage must be the expected one. VLIW_OK without an image: r->bad says it. */
static enum vliw_status read_image(struct reader *r, unsigned stage, struct vliw_image **out,
                                   struct vliw_image_desc *desc, struct vliw_error *error) {
    size_t size;
    const uint8_t *bytes = get_bytes(r, &size);
    struct vliw_program *program;
    memset(desc, 0, sizeof *desc);
    if (!bytes) {
        return VLIW_OK;
    }
    enum vliw_status status = vliw_image_load(bytes, size, out, error);
    if (status != VLIW_OK) {
        return status;
    }
    status = vliw_program_create(*out, &program, error);
    if (status != VLIW_OK) {
        return status;
    }
    vliw_program_destroy(program);
    vliw_image_describe(*out, desc);
    r->bad |= (unsigned)desc->stage != stage;
    return VLIW_OK;
}

/* Whoever uses it looks whether sampler, varying and register exist. */
static void read_direct(struct reader *r, struct vliw_narrow_direct *out) {
    const uint32_t flags = get_limited(r, 3), from = get_u32(r), comp = get_u32(r);
    out->valid = flags & 1u;
    out->by_uniform = flags >> 1 & 1u;
    out->sampler = (uint8_t)from;
    out->varying = (uint8_t)(from >> 8);
    for (unsigned i = 0; i < 4; i++) {
        out->comp[i] = comp >> 8 * i & 3u;
        out->place[i & 1] = from >> (16 + 8 * (i & 1)) & 3u;
    }
    out->reg = get_u32(r);
    out->factor = get_u32(r);
    out->ones_before = get_u32(r);
    out->ones = get_u32(r);
}

/* Whether all inputs of the narrow image are filled: renderers interpolate what the other one reads. */
static bool inputs_fit(const struct vliw_image_desc *narrow, const struct vliw_image *fragment) {
    struct vliw_image_desc wide;
    vliw_image_describe(fragment, &wide);
    for (uint32_t i = 0; i < narrow->input_count; i++) {
        const struct vliw_io *in = &narrow->inputs[i];
        bool filled = in->semantic == VLIW_SEM_FRAG_COORD || in->semantic == VLIW_SEM_FRONT_FACING;
        for (uint32_t k = 0; k < wide.input_count && !filled; k++) {
            const struct vliw_io *io = &wide.inputs[k];
            filled = io->semantic == in->semantic && io->index == in->index && !(in->mask & ~io->mask);
        }
        if (!filled) {
            return false;
        }
    }
    return true;
}

static enum vliw_status read_narrow(struct reader *r, struct glslc_program *p, struct vliw_error *error) {
    struct vliw_image_desc desc;
    if (get_limited(r, 1) == 0) {
        return VLIW_OK;
    }
    enum vliw_status status = read_image(r, VLIW_STAGE_FRAGMENT, &p->narrow_image, &desc, error);
    if (status != VLIW_OK || r->bad) {
        return status;
    }
    r->bad |= !inputs_fit(&desc, p->images[VLIW_STAGE_FRAGMENT]);
    p->narrow.quads = get_limited(r, 1) != 0;
    read_direct(r, &p->narrow.direct);
    p->narrow.exact_samplers = get_u32(r);
    p->narrow.uniform_count = get_limited(r, VLIW_NARROW_UNIFORMS);
    for (uint32_t i = 0; i < p->narrow.uniform_count; i++) {
        p->narrow.uniforms[i].reg = get_limited(r, p->globals[VLIW_STAGE_FRAGMENT] - 1);
        p->narrow.uniforms[i].mask = get_limited(r, 15);
    }
    return status;
}

enum vliw_status glslc_program_load(const void *bytes, size_t size, struct glslc_program **out,
                                    struct vliw_error *error) {
    struct vliw_error local;
    const uint8_t *at = bytes;
    error = error ? error : &local;
    *out = NULL;
    struct glslc_program *p = calloc(1, sizeof *p);
    if (!p) {
        return fail(NULL, error, VLIW_ERR_MEMORY, "out of memory");
    }
    arena_init(&p->arena, 0);
    str_init(&p->log);
    if (size < HEADER || bits_load_le32(at) != MAGIC) {
        return fail(p, error, VLIW_ERR_FORMAT, "not a program binary");
    }
    if (bits_load_le32(at + 4) != VERSION) {
        return fail(p, error, VLIW_ERR_FORMAT, "program binary of another version");
    }
    if (bits_load_le32(at + 8) != size || bits_load_le32(at + 12) != checksum(at + HEADER, size - HEADER)) {
        return fail(p, error, VLIW_ERR_FORMAT, "program binary is damaged: size or checksum");
    }
    struct reader r = {at + HEADER, size - HEADER, &p->arena, false, false};
    uint32_t samplers[2] = {0, 0};
    for (unsigned stage = 0; stage < 3; stage++) {
        struct vliw_image_desc desc;
        enum vliw_status status = stage == 2 ? read_narrow(&r, p, error)
                                             : read_image(&r, stage, &p->images[stage], &desc, error);
        if (status != VLIW_OK) {
            glslc_program_destroy(p);
            return status;
        }
        if (stage < 2) {
            p->globals[stage] = desc.globals;
            samplers[stage] = desc.sampler_count;
        }
    }
    for (unsigned stage = 0; stage < 2; stage++) {
        /* Registers of uniforms: not more than the image declares. */
        p->globals[stage] = get_limited(&r, p->globals[stage]);
    }
    read_attributes(&r, p);
    read_uniforms(&r, p, samplers);
    read_varyings(&r, p);
    if (r.no_memory) {
        return fail(p, error, VLIW_ERR_MEMORY, "out of memory");
    }
    if (r.bad || r.left) {
        return fail(p, error, VLIW_ERR_FORMAT, "program binary is damaged: tables");
    }
    p->ok = true;
    *out = p;
    return VLIW_OK;
}
