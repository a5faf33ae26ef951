/* SPDX-License-Identifier: MIT */
/*
 * trace_run.h: runs one quad in the reference interpreter and tells every step of one lane: instruction,
 * source line, registers before and after, texture reads with level and texels. Also the small pieces of
 * JSON that all of the trace is made of.
 */
#ifndef API_TRACE_RUN_H
#define API_TRACE_RUN_H

#include "api/state.h"
#include "vm/base/str.h"

/* A quad to run, in lane order; values as in struct rn_record_batch but 4 lanes apart. */
struct trace_quad {
    const struct es_exec *exec;
    enum vliw_stage stage;
    const struct vliw_program *program;
    unsigned lane;             /* which one is told of */
    const float *inputs;       /* [(input * 4 + component) * 4 + lane] */
    const float *outputs;      /* what the executor gave for that lane, [output * 4 + component]; NULL: not known */
    bool live;                 /* with outputs: the executor did not discard it */
    vliw_sample_fn sample;
    void *sample_context;
    struct es_context *ctx;    /* its textures */
};

/* Appends the members "inputs", "steps", "outputs", "discarded", "agrees" of an object. */
void trace_run_text(struct str *out, const struct trace_quad *quad);

/* Appends an object: stage, source, code by unit, uniforms. 'source' may be NULL. */
void trace_code_text(struct str *out, const struct es_exec *exec, enum vliw_stage stage, const char *source);

/* Values as JSON; NaN and infinities as strings. */
void trace_number(struct str *out, double value, bool is_float);
void trace_numbers(struct str *out, const float *values, unsigned count, unsigned step);
void trace_string(struct str *out, const char *text);

#endif
