/* SPDX-License-Identifier: MIT */
/*
 * A model in memory: parts of at most 65,535 vertices with 16-bit indices, materials,
 * textures. Files are read by libassimp, found at run time, in a process of its own:
 * a damaged file may make it crash or eat memory, and then there is a message here.
 */
#ifndef SAMPLES_CLI_MODEL_H
#define SAMPLES_CLI_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../common/image.h"

#define MODEL_NO_TEXTURE UINT32_MAX

struct model_vertex {
    float position[3];
    float normal[3];
    float uv[2]; /* v runs down the picture, as its rows do */
    uint8_t color[4];
};

struct model_material {
    float color[4]; /* diffuse colour and opacity */
    float emission[3];
    float gloss;      /* strength of the highlight, 0 to 1 */
    uint32_t texture; /* index, or MODEL_NO_TEXTURE */
};

struct model_part {
    struct model_vertex *vertices;
    uint16_t *indices;
    uint32_t vertex_count;
    uint32_t index_count;
    uint32_t material;
};

struct model_texture {
    char *name;
    struct image image; /* empty if the file is missing */
};

struct model {
    struct model_part *parts;
    struct model_material *materials;
    struct model_texture *textures;
    uint32_t part_count;
    uint32_t material_count;
    uint32_t texture_count;
    /* The box around all finite positions. */
    float low[3];
    float high[3];
};

/*
 * Reads a model file with its materials and textures. False, with a message that
 * names the file, if it is missing, damaged, has no triangles, one of its pictures is
 * damaged, or libassimp cannot be loaded. A picture that is missing only gives a
 * warning on standard error. Free with model_free().
 */
bool model_load(const char *path, struct model *model, struct image_error *err);
/*
 * Turns the model so that one of its axes points up (to +y): "x", "y", "z", or with a
 * minus sign. Formats and programs differ in what they call up. False for another text.
 */
bool model_set_up(struct model *model, const char *axis);
void model_free(struct model *model);

/*
 * The half that runs in the child: writes the file's contents as records to `out`
 * (see model_import.c). False after filling err.
 */
bool model_import(const char *path, FILE *out, struct image_error *err);

/* What the records begin with. All are written and read by the same program. */
struct model_header {
    uint32_t texture_count;
    uint32_t material_count;
    uint32_t part_count;
};

/* Followed by the name (without NUL), then the data. */
struct model_texture_record {
    uint32_t name_bytes;
    uint32_t width; /* 0: the data is a picture file; else RGBA8 of width x height */
    uint32_t height;
    uint64_t data_bytes; /* 0: the picture was not found */
};

/* Followed by the vertices, then the indices. */
struct model_part_record {
    uint32_t material;
    uint32_t vertex_count;
    uint32_t index_count;
};

#endif
