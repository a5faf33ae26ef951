/* SPDX-License-Identifier: MIT */
/*
 * Executables: what a link gives. Holds the verified programs of both stages, uniform registers
 * with the reflection that maps locations to them, and the texture units of samplers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/state.h"

unsigned es_uniform_doubles(unsigned type) {
    unsigned columns;
    glslc_type_shape(type, &columns);
    return glslc_type_is_double(type) ? columns : 0;
}

/* Components of a column, columns and base of a type. */
static void exec_classify(struct es_uniform *u) {
    const enum glslc_type type = u->info.type;
    unsigned columns;
    u->components = (uint8_t)glslc_type_shape(type, &columns);
    u->columns = (uint8_t)columns;
    if (glslc_type_is_double(type)) {
        u->base = ES_BASE_DOUBLE;
        u->components = 2; /* words */
    } else if (type == GLSLC_FLOAT || (type >= GLSLC_FLOAT_VEC2 && type <= GLSLC_FLOAT_VEC4) ||
               (type >= GLSLC_FLOAT_MAT2 && type <= GLSLC_FLOAT_MAT4)) {
        u->base = ES_BASE_FLOAT;
    } else if (type == GLSLC_INT || (type >= GLSLC_INT_VEC2 && type <= GLSLC_INT_VEC4)) {
        u->base = ES_BASE_INT;
    } else {
        u->base = type >= GLSLC_BOOL && type <= GLSLC_BOOL_VEC4 ? ES_BASE_BOOL : ES_BASE_SAMPLER;
    }
}

static uint8_t exec_texture_index(GLenum sampler) {
    return sampler == GLSLC_SAMPLER_CUBE ? ES_TEX_CUBE
           : sampler == GLSLC_SAMPLER_3D ? ES_TEX_3D
                                         : ES_TEX_2D;
}

static void exec_free(struct es_exec *exec) {
    for (unsigned i = 0; exec->uniforms && i < exec->uniform_count; i++) {
        free(exec->uniforms[i].ints);
    }
    free(exec->uniforms);
    free(exec->locations);
    free(exec->globals[0]);
    free(exec->globals[1]);
    rn_program_unref(exec->program);
    glslc_program_destroy(exec->linked);
    free(exec);
}

void es_exec_unref(struct es_exec *exec) {
    if (exec && --exec->refs == 0) {
        exec_free(exec);
    }
}

static char *exec_message(const char *stage, const struct vliw_error *error) {
    char text[320];
    snprintf(text, sizeof text, "error: %s shader: code refused: %s", stage, error->message);
    size_t n = strlen(text) + 1;
    char *copy = malloc(n);
    if (copy) {
        memcpy(copy, text, n);
    }
    return copy;
}

/* Hands a copy of the narrow program to the renderer, if there is one; false: memory is out. */
static bool exec_add_narrow(struct es_exec *exec) {
    struct vliw_narrow facts;
    struct vliw_image_desc desc;
    const struct vliw_image *narrow = glslc_program_narrow(exec->linked, &facts);
    if (!narrow) {
        return true;
    }
    vliw_image_describe(narrow, &desc);
    struct vliw_image *copy = vliw_image_create(&desc);
    return copy && rn_program_set_narrow(exec->program, copy, &facts);
}

static bool exec_create_programs(struct es_exec *exec, char **log) {
    struct vliw_program *stages[2] = {NULL, NULL};
    static const char *const names[2] = {"vertex", "fragment"};
    for (unsigned s = 0; s < 2; s++) {
        struct vliw_error error = {0};
        const struct vliw_image *image = glslc_program_image(exec->linked, (enum vliw_stage)s);
        if (!image || vliw_program_create(image, &stages[s], &error) != VLIW_OK) {
            *log = exec_message(names[s], &error);
            vliw_program_destroy(stages[0]);
            return false;
        }
    }
    exec->program = rn_program_create(stages[0], stages[1]);
    return exec->program != NULL && exec_add_narrow(exec);
}

static bool exec_create_locations(struct es_exec *exec) {
    uint32_t count = 0;
    for (unsigned i = 0; i < exec->uniform_count; i++) {
        const struct glslc_uniform *u = &exec->uniforms[i].info;
        if (u->location >= 0 && (uint32_t)u->location + u->array_size > count) {
            count = (uint32_t)u->location + u->array_size;
        }
    }
    exec->locations = malloc(((size_t)count + 1) * sizeof *exec->locations);
    if (!exec->locations) {
        return false;
    }
    exec->location_count = count;
    for (uint32_t i = 0; i < count; i++) {
        exec->locations[i].uniform = -1;
    }
    for (unsigned i = 0; i < exec->uniform_count; i++) {
        const struct glslc_uniform *u = &exec->uniforms[i].info;
        for (uint32_t e = 0; u->location >= 0 && e < u->array_size; e++) {
            exec->locations[(uint32_t)u->location + e] = (struct es_location){(int32_t)i, e};
        }
    }
    return true;
}

static bool exec_create_uniforms(struct es_exec *exec) {
    static const char *const range_names[3] = {"gl_DepthRange.near", "gl_DepthRange.far",
                                               "gl_DepthRange.diff"};
    const struct glslc_uniform *table;
    exec->uniform_count = glslc_program_uniforms(exec->linked, &table);
    exec->uniforms = calloc((size_t)exec->uniform_count + 1, sizeof *exec->uniforms);
    if (!exec->uniforms) {
        return false;
    }
    exec->depth_range[0] = exec->depth_range[1] = exec->depth_range[2] = -1;
    for (unsigned i = 0; i < exec->uniform_count; i++) {
        struct es_uniform *u = &exec->uniforms[i];
        u->info = table[i];
        exec_classify(u);
        if (u->base == ES_BASE_INT || u->base == ES_BASE_SAMPLER) {
            u->ints = calloc((size_t)u->info.array_size * u->components, sizeof *u->ints);
            if (!u->ints) {
                return false;
            }
        }
        for (unsigned r = 0; r < 3; r++) {
            if (strcmp(u->info.name, range_names[r]) == 0) {
                exec->depth_range[r] = (int32_t)i;
            }
        }
    }
    for (unsigned s = 0; s < 2; s++) {
        exec->global_count[s] = glslc_program_globals(exec->linked, (enum vliw_stage)s);
        exec->globals[s] = calloc((size_t)exec->global_count[s] * 4 + 4, sizeof(float));
        exec->globals_dirty[s] = true;
        if (!exec->globals[s]) {
            return false;
        }
    }
    return exec_create_locations(exec);
}

/* A safe table: registers and samplers of every uniform lie inside what the stage has. */
static bool exec_check_tables(struct es_exec *exec) {
    for (unsigned i = 0; i < exec->uniform_count; i++) {
        const struct es_uniform *u = &exec->uniforms[i];
        for (unsigned s = 0; s < 2; s++) {
            if (u->info.stage[s].reg < 0) {
                continue;
            }
            uint64_t reg = (uint64_t)u->info.stage[s].reg;
            uint64_t elements = u->info.stage[s].elements;
            uint64_t end =
                u->base == ES_BASE_SAMPLER
                    ? reg + elements
                    : reg + (elements ? elements - 1 : 0) * u->info.stage[s].stride + u->columns;
            uint64_t limit =
                u->base == ES_BASE_SAMPLER ? ES_MAX_STAGE_SAMPLERS : exec->global_count[s];
            if (end > limit || elements > u->info.array_size ||
                u->info.stage[s].comp + u->components > 4) {
                return false;
            }
        }
    }
    return true;
}

void es_exec_update_samplers(struct es_exec *exec) {
    GLenum unit_type[ES_MAX_UNITS] = {0};
    exec->sampler_conflict = false;
    exec->sampler_count[0] = exec->sampler_count[1] = 0;
    for (unsigned i = 0; i < exec->uniform_count; i++) {
        const struct es_uniform *u = &exec->uniforms[i];
        for (unsigned s = 0; s < 2 && u->base == ES_BASE_SAMPLER; s++) {
            for (uint32_t e = 0; u->info.stage[s].reg >= 0 && e < u->info.stage[s].elements; e++) {
                unsigned sampler = (unsigned)u->info.stage[s].reg + e;
                unsigned unit = (unsigned)u->ints[e];
                exec->sampler_type[s][sampler] = exec_texture_index(u->info.type);
                exec->sampler_unit[s][sampler] = (uint8_t)unit;
                if (sampler + 1 > exec->sampler_count[s]) {
                    exec->sampler_count[s] = sampler + 1;
                }
                if (unit_type[unit] && unit_type[unit] != (GLenum)u->info.type) {
                    exec->sampler_conflict = true;
                }
                unit_type[unit] = (GLenum)u->info.type;
            }
        }
    }
}

struct es_exec *es_exec_create(struct glslc_program *linked, char **log) {
    *log = NULL;
    struct es_exec *exec = calloc(1, sizeof *exec);
    if (!exec) {
        glslc_program_destroy(linked);
        return NULL;
    }
    exec->refs = 1;
    exec->serial = es_next_serial();
    exec->linked = linked;
    if (!exec_create_programs(exec, log) || !exec_create_uniforms(exec) ||
        !exec_check_tables(exec)) {
        exec_free(exec);
        return NULL;
    }
    exec->attrib_count = glslc_program_attributes(linked, &exec->attribs);
    for (unsigned i = 0; i < exec->attrib_count; i++) {
        const struct glslc_attribute *a = &exec->attribs[i];
        unsigned columns;
        glslc_type_shape(a->type, &columns);
        for (unsigned c = 0;
             c < columns && a->location >= 0 && (unsigned)a->location + c < ES_MAX_ATTRIBS; c++) {
            exec->attrib_mask |= 1u << ((unsigned)a->location + c);
        }
    }
    es_exec_update_samplers(exec);
    return exec;
}

/* ---- uniforms -------------------------------------------------------------------------------- */

float *es_exec_registers(const struct es_exec *exec, const struct es_uniform *u, unsigned stage,
                         uint32_t element, unsigned column) {
    if (u->info.stage[stage].reg < 0 || element >= u->info.stage[stage].elements ||
        u->base == ES_BASE_SAMPLER) {
        return NULL;
    }
    size_t reg =
        (size_t)u->info.stage[stage].reg + (size_t)element * u->info.stage[stage].stride + column;
    return exec->globals[stage] + reg * 4 + u->info.stage[stage].comp;
}

GLint es_exec_location(const struct es_exec *exec, const char *name) {
    size_t n = strlen(name);
    uint32_t element = 0;
    bool indexed = false;
    /* "h[12]": the base name and a decimal number without sign or leading zeros. */
    if (n > 3 && name[n - 1] == ']') {
        size_t open = n - 2;
        while (open > 0 && name[open] >= '0' && name[open] <= '9') {
            open--;
        }
        size_t digits = n - 2 - open;
        if (name[open] != '[' || digits == 0 || digits > 6 ||
            (digits > 1 && name[open + 1] == '0')) {
            return -1;
        }
        for (size_t i = open + 1; i < n - 1; i++) {
            element = element * 10 + (uint32_t)(name[i] - '0');
        }
        indexed = true;
        n = open;
    }
    for (unsigned i = 0; i < exec->uniform_count; i++) {
        const struct glslc_uniform *u = &exec->uniforms[i].info;
        size_t length = strlen(u->name);
        if (u->is_array) {
            length -= 3; /* "[0]" */
        }
        if (u->location >= 0 && length == n && memcmp(u->name, name, n) == 0) {
            if (indexed && (!u->is_array || element >= u->array_size)) {
                return -1;
            }
            return u->location + (GLint)element;
        }
    }
    return -1;
}

void es_exec_set_depth_range(struct es_exec *exec, float near_value, float far_value) {
    const float values[3] = {near_value, far_value, far_value - near_value};
    for (unsigned r = 0; r < 3; r++) {
        if (exec->depth_range[r] < 0) {
            continue;
        }
        for (unsigned s = 0; s < 2; s++) {
            float *place = es_exec_registers(exec, &exec->uniforms[exec->depth_range[r]], s, 0, 0);
            if (place && memcmp(place, &values[r], sizeof values[r]) != 0) {
                *place = values[r];
                exec->globals_dirty[s] = true;
            }
        }
    }
}
