/* SPDX-License-Identifier: MIT */
/*
 * Uniforms: glUniform* with all checks and conversions (ES 2.0.25 2.10.4), glGetUniform*. Values
 * live in the register files of the executable; a stage becomes dirty only when a value really
 * changed, so that setting the same value again costs nothing at the draw.
 */
#include <string.h>

#include "api/entry.h"
#include "api/state.h"
#include "vm/base/bits.h"

struct uniform_target {
    struct es_exec *exec;
    struct es_uniform *uniform;
    uint32_t element;
    uint32_t count; /* elements to set, clamped to the array's end */
};

/* Checks common to all setters. False if there is nothing to do (an error, or location -1). */
static bool uniform_locate(struct es_context *ctx, GLint location, GLsizei count,
                           struct uniform_target *t) {
    if (count < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "count %d", count);
        return false;
    }
    struct es_exec *exec = ctx->program ? ctx->program->exec : NULL;
    if (!exec) {
        es_set_error(ctx, GL_INVALID_OPERATION, "no program is in use");
        return false;
    }
    if (location == -1) {
        return false;
    }
    if (location < 0 || (uint32_t)location >= exec->location_count ||
        exec->locations[location].uniform < 0) {
        es_set_error(ctx, GL_INVALID_OPERATION, "location %d", location);
        return false;
    }
    t->exec = exec;
    t->uniform = &exec->uniforms[exec->locations[location].uniform];
    t->element = exec->locations[location].element;
    if (count > 1 && !t->uniform->info.is_array) {
        es_set_error(ctx, GL_INVALID_OPERATION, "count %d for '%s', which is no array", count,
                     t->uniform->info.name);
        return false;
    }
    uint32_t room = t->uniform->info.array_size - t->element;
    t->count = (uint32_t)count < room ? (uint32_t)count : room;
    return true;
}

static void uniform_bad_type(struct es_context *ctx, const struct uniform_target *t) {
    es_set_error(ctx, GL_INVALID_OPERATION, "wrong type or size for '%s' (0x%04x)",
                 t->uniform->info.name, (unsigned)t->uniform->info.type);
}

/* Stores one column of floats in both stages. */
static void uniform_store(const struct uniform_target *t, uint32_t element, unsigned column,
                          const float *values) {
    const unsigned components = t->uniform->components;
    for (unsigned s = 0; s < 2; s++) {
        float *place = es_exec_registers(t->exec, t->uniform, s, element, column);
        uint32_t other = 0;
        for (unsigned i = 0; place && i < components; i++) {
            uint32_t before, now; /* words: half a double may be any */
            memcpy(&before, &place[i], sizeof before);
            memcpy(&now, &values[i], sizeof now);
            memcpy(&place[i], &now, sizeof now);
            other |= before ^ now;
        }
        if (other) {
            t->exec->globals_dirty[s] = true;
        }
    }
}

static void uniform_set_floats(struct es_context *ctx, GLint location, GLsizei count,
                               unsigned components, const GLfloat *values) {
    struct uniform_target t;
    if (!uniform_locate(ctx, location, count, &t)) {
        return;
    }
    bool is_bool = t.uniform->base == ES_BASE_BOOL;
    if (t.uniform->components != components || t.uniform->columns != 1 ||
        (t.uniform->base != ES_BASE_FLOAT && !is_bool)) {
        uniform_bad_type(ctx, &t);
        return;
    }
    for (uint32_t e = 0; e < t.count; e++) {
        float bools[4];
        const float *v = values + (size_t)e * components;
        for (unsigned i = 0; is_bool && i < components; i++) {
            bools[i] = v[i] != 0.0f ? 1.0f : 0.0f;
        }
        uniform_store(&t, t.element + e, 0, is_bool ? bools : v);
    }
}

static void uniform_set_samplers(struct es_context *ctx, const struct uniform_target *t,
                                 unsigned components, const GLint *values) {
    if (components != 1) {
        uniform_bad_type(ctx, t);
        return;
    }
    for (uint32_t e = 0; e < t->count; e++) {
        if (values[e] < 0 || values[e] >= ES_MAX_UNITS) {
            es_set_error(ctx, GL_INVALID_VALUE, "texture unit %d for '%s'", values[e],
                         t->uniform->info.name);
            return;
        }
    }
    bool changed = false;
    for (uint32_t e = 0; e < t->count; e++) {
        changed = changed || t->uniform->ints[t->element + e] != values[e];
        t->uniform->ints[t->element + e] = values[e];
    }
    if (changed) {
        es_exec_update_samplers(t->exec);
        ctx->share->program_version++;
    }
}

static void uniform_set_ints(struct es_context *ctx, GLint location, GLsizei count,
                             unsigned components, const GLint *values) {
    struct uniform_target t;
    if (!uniform_locate(ctx, location, count, &t)) {
        return;
    }
    if (t.uniform->base == ES_BASE_SAMPLER) {
        uniform_set_samplers(ctx, &t, components, values);
        return;
    }
    if (t.uniform->components != components || t.uniform->columns != 1 ||
        t.uniform->base == ES_BASE_FLOAT || t.uniform->base == ES_BASE_DOUBLE) {
        uniform_bad_type(ctx, &t);
        return;
    }
    bool is_bool = t.uniform->base == ES_BASE_BOOL;
    for (uint32_t e = 0; e < t.count; e++) {
        float floats[4];
        const GLint *v = values + (size_t)e * components;
        for (unsigned i = 0; i < components; i++) {
            floats[i] = is_bool ? (v[i] ? 1.0f : 0.0f) : (float)v[i];
        }
        if (t.uniform->ints) {
            memcpy(&t.uniform->ints[(size_t)(t.element + e) * components], v,
                   components * sizeof *v);
        }
        uniform_store(&t, t.element + e, 0, floats);
    }
}

static void uniform_set_matrices(struct es_context *ctx, GLint location, GLsizei count,
                                 GLboolean transpose, unsigned size, const GLfloat *values) {
    if (transpose != GL_FALSE) {
        es_set_error(ctx, GL_INVALID_VALUE, "transpose must be GL_FALSE");
        return;
    }
    struct uniform_target t;
    if (!uniform_locate(ctx, location, count, &t)) {
        return;
    }
    if (t.uniform->columns != size || t.uniform->components != size ||
        t.uniform->base != ES_BASE_FLOAT) {
        uniform_bad_type(ctx, &t);
        return;
    }
    for (uint32_t e = 0; e < t.count; e++) {
        for (unsigned c = 0; c < size; c++) {
            uniform_store(&t, t.element + e, c, values + ((size_t)e * size + c) * size);
        }
    }
}

/* GL_VLGL_fp64: 'type' is the only one that fits. */
static void uniform_set_doubles(struct es_context *ctx, GLint location, GLsizei count, unsigned type,
                                const double *values) {
    struct uniform_target t;
    unsigned n = es_uniform_doubles(type);
    if (!uniform_locate(ctx, location, count, &t)) {
        return;
    }
    if (t.uniform->info.type != type) {
        uniform_bad_type(ctx, &t);
        return;
    }
    for (uint32_t e = 0; e < t.count; e++) {
        for (unsigned k = 0; k < n; k++) {
            uint64_t bits;
            uint32_t words[2];
            float parts[2];
            memcpy(&bits, &values[(size_t)e * n + k], sizeof bits);
            words[0] = (uint32_t)bits;
            words[1] = (uint32_t)(bits >> 32);
            memcpy(parts, words, sizeof parts);
            uniform_store(&t, t.element + e, k, parts);
        }
    }
}

static void uniform_set_double_matrices(struct es_context *ctx, GLint location, GLsizei count,
                                        GLboolean transpose, unsigned type, const double *values) {
    if (transpose != GL_FALSE) {
        es_set_error(ctx, GL_INVALID_VALUE, "transpose must be GL_FALSE");
        return;
    }
    uniform_set_doubles(ctx, location, count, type, values);
}

/* ---- entry points ---------------------------------------------------------------------------- */

#define UNIFORM_VECTORS(n)                                                                         \
    void es_uniform_##n##fv(struct es_context *ctx, GLint location, GLsizei count,                 \
                            const GLfloat *value) {                                                \
        uniform_set_floats(ctx, location, count, n, value);                                        \
    }                                                                                              \
    void es_uniform_##n##iv(struct es_context *ctx, GLint location, GLsizei count,                 \
                            const GLint *value) {                                                  \
        uniform_set_ints(ctx, location, count, n, value);                                          \
    }
UNIFORM_VECTORS(1)
UNIFORM_VECTORS(2)
UNIFORM_VECTORS(3)
UNIFORM_VECTORS(4)

void es_uniform_1f(struct es_context *ctx, GLint location, GLfloat v0) {
    uniform_set_floats(ctx, location, 1, 1, &v0);
}

void es_uniform_2f(struct es_context *ctx, GLint location, GLfloat v0, GLfloat v1) {
    uniform_set_floats(ctx, location, 1, 2, (const GLfloat[]){v0, v1});
}

void es_uniform_3f(struct es_context *ctx, GLint location, GLfloat v0, GLfloat v1, GLfloat v2) {
    uniform_set_floats(ctx, location, 1, 3, (const GLfloat[]){v0, v1, v2});
}

void es_uniform_4f(struct es_context *ctx, GLint location, GLfloat v0, GLfloat v1, GLfloat v2,
                   GLfloat v3) {
    uniform_set_floats(ctx, location, 1, 4, (const GLfloat[]){v0, v1, v2, v3});
}

void es_uniform_1i(struct es_context *ctx, GLint location, GLint v0) {
    uniform_set_ints(ctx, location, 1, 1, &v0);
}

void es_uniform_2i(struct es_context *ctx, GLint location, GLint v0, GLint v1) {
    uniform_set_ints(ctx, location, 1, 2, (const GLint[]){v0, v1});
}

void es_uniform_3i(struct es_context *ctx, GLint location, GLint v0, GLint v1, GLint v2) {
    uniform_set_ints(ctx, location, 1, 3, (const GLint[]){v0, v1, v2});
}

void es_uniform_4i(struct es_context *ctx, GLint location, GLint v0, GLint v1, GLint v2, GLint v3) {
    uniform_set_ints(ctx, location, 1, 4, (const GLint[]){v0, v1, v2, v3});
}

#define UNIFORM_MATRICES(n)                                                                        \
    void es_uniform_matrix_##n##fv(struct es_context *ctx, GLint location, GLsizei count,          \
                                   GLboolean transpose, const GLfloat *value) {                    \
        uniform_set_matrices(ctx, location, count, transpose, n, value);                           \
    }
UNIFORM_MATRICES(2)
UNIFORM_MATRICES(3)
UNIFORM_MATRICES(4)

#define UNIFORM_DOUBLES(n, type)                                                                   \
    void es_uniform_##n##dv(struct es_context *ctx, GLint location, GLsizei count,                 \
                            const double *value) {                                                 \
        uniform_set_doubles(ctx, location, count, type, value);                                    \
    }
UNIFORM_DOUBLES(1, GLSLC_DOUBLE)
UNIFORM_DOUBLES(2, GLSLC_DOUBLE_VEC2)
UNIFORM_DOUBLES(3, GLSLC_DOUBLE_VEC3)
UNIFORM_DOUBLES(4, GLSLC_DOUBLE_VEC4)

void es_uniform_1d(struct es_context *ctx, GLint location, double x) {
    uniform_set_doubles(ctx, location, 1, GLSLC_DOUBLE, &x);
}

void es_uniform_2d(struct es_context *ctx, GLint location, double x, double y) {
    uniform_set_doubles(ctx, location, 1, GLSLC_DOUBLE_VEC2, (const double[]){x, y});
}

void es_uniform_3d(struct es_context *ctx, GLint location, double x, double y, double z) {
    uniform_set_doubles(ctx, location, 1, GLSLC_DOUBLE_VEC3, (const double[]){x, y, z});
}

void es_uniform_4d(struct es_context *ctx, GLint location, double x, double y, double z, double w) {
    uniform_set_doubles(ctx, location, 1, GLSLC_DOUBLE_VEC4, (const double[]){x, y, z, w});
}

#define UNIFORM_DOUBLE_MATRICES(n)                                                                 \
    void es_uniform_matrix_##n##dv(struct es_context *ctx, GLint location, GLsizei count,          \
                                   GLboolean transpose, const double *value) {                     \
        uniform_set_double_matrices(ctx, location, count, transpose, GLSLC_DOUBLE_MAT##n, value);  \
    }
UNIFORM_DOUBLE_MATRICES(2)
UNIFORM_DOUBLE_MATRICES(3)
UNIFORM_DOUBLE_MATRICES(4)

/* ---- queries --------------------------------------------------------------------------------- */

/* The uniform at a location of a program; false if an error was set. */
static bool uniform_find(struct es_context *ctx, GLuint program_name, GLint location,
                         struct uniform_target *t) {
    struct es_program *program = es_program_find(ctx, program_name);
    if (!program) {
        return false;
    }
    if (!program->linked) {
        es_set_error(ctx, GL_INVALID_OPERATION, "program %u is not linked", program_name);
        return false;
    }
    struct es_exec *exec = program->exec;
    if (location < 0 || (uint32_t)location >= exec->location_count ||
        exec->locations[location].uniform < 0) {
        es_set_error(ctx, GL_INVALID_OPERATION, "location %d", location);
        return false;
    }
    t->exec = exec;
    t->uniform = &exec->uniforms[exec->locations[location].uniform];
    t->element = exec->locations[location].element;
    return true;
}

/* Copies the value of one element as floats, column by column, and returns how many there are. */
static unsigned uniform_read(const struct uniform_target *t, float *out) {
    unsigned n = 0;
    for (unsigned c = 0; c < t->uniform->columns; c++) {
        const float *place = es_exec_registers(t->exec, t->uniform, 0, t->element, c);
        if (!place) {
            place = es_exec_registers(t->exec, t->uniform, 1, t->element, c);
        }
        for (unsigned i = 0; i < t->uniform->components; i++) {
            out[n++] = place ? place[i] : 0.0f;
        }
    }
    return n;
}

/* The doubles of one element of a uniform of doubles. */
static unsigned uniform_read_doubles(const struct uniform_target *t, double *out) {
    float words[32];
    unsigned n = uniform_read(t, words) / 2;
    for (unsigned i = 0; i < n; i++) {
        uint64_t bits = (uint64_t)bits_from_float(words[2 * i + 1]) << 32 | bits_from_float(words[2 * i]);
        memcpy(&out[i], &bits, sizeof out[i]);
    }
    return n;
}

static const int32_t *uniform_ints(const struct uniform_target *t) {
    return t->uniform->ints ? &t->uniform->ints[(size_t)t->element * t->uniform->components] : NULL;
}

static unsigned uniform_size(const struct uniform_target *t) {
    return t->uniform->base == ES_BASE_DOUBLE ? t->uniform->columns
                                              : (unsigned)t->uniform->components * t->uniform->columns;
}

static void uniform_get_floats(const struct uniform_target *t, GLfloat *params) {
    const int32_t *ints = uniform_ints(t);
    if (t->uniform->base == ES_BASE_DOUBLE) {
        double doubles[16];
        unsigned n = uniform_read_doubles(t, doubles);
        for (unsigned i = 0; i < n; i++) {
            params[i] = (float)doubles[i];
        }
        return;
    }
    if (!ints) {
        uniform_read(t, params);
        return;
    }
    for (unsigned i = 0; i < t->uniform->components; i++) {
        params[i] = (float)ints[i];
    }
}

static void uniform_get_ints(const struct uniform_target *t, GLint *params) {
    const int32_t *ints = uniform_ints(t);
    if (ints) {
        memcpy(params, ints, t->uniform->components * sizeof *ints);
        return;
    }
    if (t->uniform->base == ES_BASE_DOUBLE) {
        double doubles[16];
        unsigned n = uniform_read_doubles(t, doubles);
        for (unsigned i = 0; i < n; i++) {
            params[i] = es_round_to_int(doubles[i]);
        }
        return;
    }
    float values[16];
    unsigned n = uniform_read(t, values);
    for (unsigned i = 0; i < n; i++) {
        params[i] = es_round_to_int((double)values[i]);
    }
}

void es_get_uniformfv(struct es_context *ctx, GLuint program, GLint location, GLfloat *params) {
    struct uniform_target t;
    if (uniform_find(ctx, program, location, &t)) {
        uniform_get_floats(&t, params);
    }
}

void es_get_uniformiv(struct es_context *ctx, GLuint program, GLint location, GLint *params) {
    struct uniform_target t;
    if (uniform_find(ctx, program, location, &t)) {
        uniform_get_ints(&t, params);
    }
}

void es_get_uniformdv(struct es_context *ctx, GLuint program, GLint location, double *params) {
    struct uniform_target t;
    if (!uniform_find(ctx, program, location, &t)) {
        return;
    }
    if (t.uniform->base == ES_BASE_DOUBLE) {
        uniform_read_doubles(&t, params);
        return;
    }
    float values[16];
    uniform_get_floats(&t, values);
    for (unsigned i = 0; i < uniform_size(&t); i++) {
        params[i] = (double)values[i];
    }
}

/* EXT_robustness: the result must fit into bufSize bytes. */
static bool uniform_fits(struct es_context *ctx, const struct uniform_target *t, GLsizei bufSize) {
    if (bufSize < 0 || (size_t)bufSize < uniform_size(t) * 4) {
        es_set_error(ctx, GL_INVALID_OPERATION, "buffer of %d bytes for %u values", bufSize,
                     uniform_size(t));
        return false;
    }
    return true;
}

void es_getn_uniformfv(struct es_context *ctx, GLuint program, GLint location, GLsizei bufSize,
                       GLfloat *params) {
    struct uniform_target t;
    if (uniform_find(ctx, program, location, &t) && uniform_fits(ctx, &t, bufSize)) {
        uniform_get_floats(&t, params);
    }
}

void es_getn_uniformiv(struct es_context *ctx, GLuint program, GLint location, GLsizei bufSize,
                       GLint *params) {
    struct uniform_target t;
    if (uniform_find(ctx, program, location, &t) && uniform_fits(ctx, &t, bufSize)) {
        uniform_get_ints(&t, params);
    }
}
