/* SPDX-License-Identifier: MIT */
/*
 * environment.h: the VLGL_* variables that change how the library works (VLGL_DEBUG only prints). They are
 * read when a display starts and when a context is made; a value that is none is an error, never a guess.
 */
#ifndef API_ENVIRONMENT_H
#define API_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

#define ES_MAX_THREADS 64

/* VLGL_TRACE=frame,x,y or frame,vN: which pixel (y from the top) or which vertex of every draw. */
struct es_trace_at {
    uint32_t frame;
    bool is_vertex;
    uint32_t x, y;
    uint32_t vertex;
};

struct es_environment {
    unsigned threads;          /* VLGL_THREADS; unset: what the machine lets this process use */
    uint32_t budget;           /* VLGL_BUDGET: instructions an invocation may execute; 0 = the default */
    uint32_t window_width, window_height; /* VLGL_WINDOW: size of off-screen windows; unset: 800x600 */
    bool narrow;               /* VLGL_NARROW: 0 keeps narrow fragment programs from running; unset or 1: they may */
    const char *profile;       /* VLGL_PROFILE: the file to write, NULL: none */
    const char *trace;         /* VLGL_TRACE, NULL: none */
    struct es_trace_at trace_at;
    const char *warps;         /* VLGL_WARPS: the file to write, NULL: none; then one thread draws */
};

/* Fills all fields. NULL, or a message that quotes the bad value; it belongs to the calling thread until its next call. */
const char *es_environment_read(struct es_environment *out);

/* CPUs that this process may use: the affinity mask and the quotas of its control groups; 1 .. ES_MAX_THREADS. */
unsigned es_machine_threads(void);

#endif
