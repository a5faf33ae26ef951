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
    GLuint program; /* made and deleted by the sample */
};

extern const struct sample sample_shader_file;

/* Reads the file. False, with a message, if it cannot be read or is no text. */
bool shader_file_load(struct shader_file *shader, const char *path, struct image_error *err);
void shader_file_free(struct shader_file *shader);

/* Job data: a struct model_scene. */
extern const struct sample sample_model_file;

struct model_scene {
    struct model model;
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
