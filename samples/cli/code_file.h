/* SPDX-License-Identifier: MIT */
/*
 * Files of code, for the subcommands compile, asm, dis and sim: shaders, assembler text, containers.
 * Each function prints what is wrong, with the file's name, line and column where there are any.
 */
#ifndef SAMPLES_CLI_CODE_FILE_H
#define SAMPLES_CLI_CODE_FILE_H

#include <stdbool.h>

#include "vm/include/glslc.h"
#include "vm/include/vliw.h"

/*
 * The stage that `stage` ("vertex" or "fragment") or else the file's extension names. False,
 * without a message, if neither does.
 */
bool code_stage_of(const char *path, const char *stage, enum vliw_stage *out);

/* All extensions and limits that a vlgl context offers. */
void code_options(struct glslc_options *options);

/* NULL after messages. Warnings of a good shader are printed too. */
struct glslc_shader *code_compile(const char *path, enum vliw_stage stage);
/* The shader as an image of its own; NULL after a message. */
struct vliw_image *code_generate(const char *path, const struct glslc_shader *shader);

/* Assembler text (.s), a container, or a shader of the stage that its name or `stage` says; NULL after messages. */
struct vliw_image *code_open(const char *path, const char *stage);
struct vliw_image *code_assemble(const char *path);
struct vliw_image *code_load(const char *path);

/* True if the verifier accepts the image. */
bool code_verify(const char *path, const struct vliw_image *image);
bool code_write(const char *path, const struct vliw_image *image);

#endif
