/* SPDX-License-Identifier: MIT */
/*
 * trace_probe.h: draws that change nothing of the client's: into images of the trace's own, cut to one
 * pixel, to see which primitives reach it, with what values, and what the tests do with them.
 */
#ifndef API_TRACE_PROBE_H
#define API_TRACE_PROBE_H

#include "api/state.h"

#define TRACE_MAX_FRAGMENTS 64 /* of one draw at the pixel; more are counted */

/* Pixel of a framebuffer: what is stored there. */
struct trace_pixel {
    bool has_color, has_depth, has_stencil;
    float color[4];
    uint8_t bytes[4];  /* as glReadPixels(GL_RGBA, GL_UNSIGNED_BYTE) gives it */
    double depth;      /* 0 to 1 */
    uint8_t stencil;
};

/* A quad that was shaded; lane is the traced pixel's. Arrays are owned. */
struct trace_shaded {
    unsigned lane;
    bool live;
    float *inputs;  /* [(input * 4 + component) * 4 + lane] */
    float *outputs; /* of the lane, [output * 4 + component] */
};

struct trace_vertex {
    uint32_t element;
    bool valid;
    unsigned lane; /* always 0: its values fill lane 0 */
    float *inputs; /* [(input * 4 + component) * 4], owned */
    float *outputs;
    float position[4];
};

struct trace_probe {
    struct es_context *ctx;
    int32_t x, y;                       /* window position, from the bottom */
    struct rn_framebuffer scratch;      /* as the target; owned images */
    struct trace_shaded shaded[TRACE_MAX_FRAGMENTS];
    uint32_t shaded_count;              /* may be above the maximum */
    /* vertices that are looked for: elements of the primitive, or the traced one */
    struct trace_vertex vertices[3];
    uint32_t vertex_count;
    pthread_mutex_t lock;
};

/* Images like those of the target; false when memory is out. Keeps those of an equal target. */
bool trace_probe_begin(struct trace_probe *probe, struct es_context *ctx, const struct rn_framebuffer *target,
                       int32_t x, int32_t y);
void trace_probe_free(struct trace_probe *probe);
/* Forgets what was shaded and the vertices' values. */
void trace_probe_reset(struct trace_probe *probe);

void trace_pixel_read(const struct rn_framebuffer *fb, int32_t x, int32_t y, struct trace_pixel *out);
/* The pixel's quad of the target to the scratch images. */
void trace_probe_copy(struct trace_probe *probe, const struct rn_framebuffer *target);

enum trace_probe_kind {
    TRACE_AS_IS,     /* all state as the draw has it */
    TRACE_COVERAGE,  /* no tests, no blending, all channels; depth is written */
};
/* Draws into the scratch images, cut to the pixel; what is shaded there is noted. */
enum vliw_status trace_probe_draw(struct trace_probe *probe, const struct rn_draw_state *state,
                                  const struct rn_draw_call *call, enum trace_probe_kind kind);

/* Primitives of a draw, and the indices of one: 1 to 3; 'first' as the draw has it. */
uint32_t trace_primitives(const struct rn_draw_call *call);
unsigned trace_corners(const struct rn_draw_call *call, uint32_t primitive, uint32_t corners[3]);
/* A call that draws some primitives of another one as a list. 'indices' has room for 3 * count. */
struct rn_draw_call trace_part(const struct rn_draw_call *call, uint32_t first, uint32_t count, uint32_t *indices);
/* The state for one instance of the draw alone. */
void trace_instance(struct rn_draw_state *state, uint32_t instance);

#endif
