/* SPDX-License-Identifier: MIT */
/*
 * Small draws that are rasterised alike: each has its vertices shaded at once, with its own program and
 * uniforms, but their triangles wait, so that projection, culling and set-up run over many draws with all lanes full.
 * Each triangle remembers the fragment data of its draw. Whatever is not another small draw of this
 * state drains what waits first: other draws, clears, launches and flushes. So order, counters,
 * faults and pixels are those of one draw after the other; only an error of memory is told by the next
 * draw or clear (by none, if the program only finishes).
 */
#include "renderer/internal.h"

_Static_assert(RN_GATHER_DRAW * 3 <= VM_LANES && RN_GATHER_DRAW <= RN_GATHER_PRIMS,
               "a gathered draw is one batch");

bool rn_gather_fits(const struct rn_context *context, uint8_t mode, uint64_t total) {
    return total <= RN_GATHER_DRAW && rn_mode_class(mode) == RN_CLASS_TRIANGLE && !context->tap &&
           !context->recorder;
}

enum vliw_status rn_gather_add(struct rn_context *context) {
    struct rn_gather *gather = &context->gather;
    struct rn_front_draw *draw = &context->draw;
    struct rn_front_worker *worker = context->workers[0];
    struct rn_chunk *chunk = &context->chunks[0];
    const uint32_t count = (uint32_t)draw->total;
    if (gather->prims + count > RN_GATHER_PRIMS) {
        rn_gather_drain(context);
    }
    rn_chunk_init(chunk, count);
    worker->draw = draw;
    worker->chunk = chunk;
    worker->base_slot = gather->slots;
    worker->base_prim = gather->prims;
    const uint32_t slots = rn_assemble_small(worker);
    const bool shaded = rn_vertex_shade(worker, gather->slots, slots);
    worker->base_slot = worker->base_prim = 0;
    enum vliw_status status = VLIW_OK;
    rn_chunk_join(context, chunk, &status);
    if (shaded) {
        for (uint32_t k = 0; k < count; k++) {
            gather->frag[gather->prims + k] = draw->frag;
        }
        gather->slots = slots;
        gather->prims += count;
        gather->coefs = draw->coefs > gather->coefs ? draw->coefs : gather->coefs;
        context->work += RN_DRAW_WORK;
    }
    return status;
}

void rn_gather_drain(struct rn_context *context) {
    struct rn_gather *gather = &context->gather;
    if (!gather->prims) {
        return;
    }
    struct rn_front_draw *draw = &context->draw;
    struct rn_front_worker *worker = context->workers[0];
    struct rn_chunk *chunk = &gather->chunk;
    const uint32_t count = gather->prims, coefs = draw->coefs;
    uint32_t codes_and, codes_or;
    draw->coefs = gather->coefs; /* those of which a draw has fewer get planes of nothing */
    draw->prim_bytes = rn_prim_bytes(gather->coefs);
    rn_chunk_init(chunk, 0);
    worker->draw = draw;
    worker->chunk = chunk;
    draw->kernels->project(&draw->viewport, &worker->slots, 0, gather->slots, &codes_and,
                           &codes_or);
    if (codes_and & RN_CODE_OUTSIDE) {
        chunk->culled = count;
    } else {
        worker->frags = gather->frag;
        worker->bins = context->scene.bins;
        if (!rn_chunk_triangles(worker, count)) {
            chunk->status = VLIW_ERR_MEMORY;
        }
        worker->frags = NULL;
    }
    draw->coefs = coefs;
    draw->prim_bytes = rn_prim_bytes(coefs);
    gather->slots = gather->prims = gather->coefs = 0;
    context->work += chunk->binned;
    rn_chunk_join(context, chunk, &gather->late);
}

enum vliw_status rn_gather_status(struct rn_context *context, enum vliw_status status) {
    if (status == VLIW_OK) {
        status = context->gather.late;
        context->gather.late = VLIW_OK;
    }
    return status;
}
