/* SPDX-License-Identifier: MIT */
/*
 * Files as samples: a fragment-shader file and a model file each get a descriptor
 * that draws them; what they draw is passed as the job's data.
 */
#ifndef SAMPLES_CLI_SHOW_H
#define SAMPLES_CLI_SHOW_H

#include "../common/app.h"
#include "../common/mat4.h"
#include "model.h"

/* Job data of sample_shader_file. */
struct shader_file {
    char *text; /* the fragment shader, NUL at the end; owned */
    float mouse[2];
    bool show_progress;
    const char *const *settings; /* NAME=N,N,...; borrowed */
    size_t setting_count;
    GLuint program; /* made and deleted by the sample */
};

extern const struct sample sample_shader_file;

/* A value for a uniform. */
struct shader_setting {
    char name[128];
    float values[64];
    double doubles[64]; /* the same, for uniforms of doubles */
    int count;
};
/* Reads NAME=N,N,... (out may be NULL). False if it makes no sense. */
bool shader_setting_parse(const char *text, struct shader_setting *out);

/* Reads the file. False, with a message, if it cannot be read or is no text. */
bool shader_file_load(struct shader_file *shader, const char *path, struct image_error *err);
void shader_file_free(struct shader_file *shader);

/* Job data: a struct model_scene. */
extern const struct sample sample_model_file;

struct model_scene {
    struct model model;
    float camera[3]; /* yaw and pitch in degrees, distance, if has_camera */
    bool has_camera;
    /* How it is framed, worked out once. */
    struct mat4 fitted;
    float radius;
    float half_height;
    /* GL objects, made and deleted by the sample. */
    GLuint program;
    GLuint backdrop;
    GLuint white;
    GLuint *textures;
    GLuint *buffers; /* two for each part: vertices, indices */
};

#endif
