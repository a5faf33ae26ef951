/* SPDX-License-Identifier: MIT */
/*
 * One GLSL expression over the functions of a shader file, evaluated by the VM: the file's text, a
 * main function around the expression, compile, link, run. Numbers in the expression go in through
 * uniforms, so that the VM computes with them and not the compiler beforehand.
 */
#ifndef SAMPLES_CLI_CALL_H
#define SAMPLES_CLI_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/include/glslc.h"

#define CALL_MAX_SETTINGS 64
#define CALL_MAX_VALUES 64
#define CALL_ERROR_CHARS 2048

/* A value for a uniform, varying or attribute of the file, or for gl_FragCoord and the like. */
struct call_setting {
    char name[128];
    float values[CALL_MAX_VALUES]; /* component after component, element after element */
    double doubles[CALL_MAX_VALUES]; /* the same, for uniforms of doubles (GL_VLGL_fp64) */
    unsigned count;
};

struct call_file {
    const char *path; /* for messages; "" if there is no file */
    char *text;       /* owned; "" if there is no file */
    enum vliw_stage stage;
    struct call_setting settings[CALL_MAX_SETTINGS];
    unsigned setting_count;
    bool fold; /* leave the numbers in the text: the compiler may compute beforehand */
};

enum call_base { CALL_FLOAT, CALL_INT, CALL_BOOL, CALL_DOUBLE };

struct call_value {
    enum call_base base;
    unsigned columns; /* 1 but for matrices */
    unsigned rows;
    double components[16]; /* column after column; but for doubles, each is a float */
    bool discarded;       /* the function executed discard: there is no value */
    uint64_t instructions; /* VL-IW instructions that one invocation executed */
    uint32_t words;        /* of the code, main included */
};

/*
 * Reads "name=1,2,3" into the file's settings; numbers are separated by commas or blanks, `true` and
 * `false` are 1 and 0. False, with a message, if it makes no sense.
 */
bool call_file_set(struct call_file *file, const char *text, char error[CALL_ERROR_CHARS]);

/* False, with a message of one or more lines, on any fault of the file or the expression. */
bool call_evaluate(const struct call_file *file, const char *expression, struct call_value *value,
                   char error[CALL_ERROR_CHARS]);

/* "float", "vec3", "bvec2", "mat4". */
const char *call_type_name(const struct call_value *value);

/* The shortest decimal text that reads back as the same float, or double; nan, inf. */
void call_format_number(enum call_base base, double value, char text[32]);

/* Distance in representable floats, or doubles; 0 for two NaNs, UINT32_MAX if one is a NaN or it is greater. */
uint32_t call_ulp_distance(enum call_base base, double a, double b);

#endif
