/* SPDX-License-Identifier: MIT */
/* Running a batch under the eyes of a tool (vliw.h, struct vliw_tap). */
#ifndef RENDERER_TAP_H
#define RENDERER_TAP_H

#include "vm/include/vliw.h"

/* vliw_batch_run, with tap->batch called before and after. 'shown' holds what only the caller knows (elements ...). */
enum vliw_status rn_tap_run(const struct vliw_tap *tap, struct vliw_batch *batch, const struct vliw_program *program,
                            struct vliw_run *run, struct vliw_tap_batch *shown);

/* Texels that the request reads: a vliw_tap_batch's 'texels'. sample_context is a struct rn_sample_context. */
void rn_tap_texels(void *sample_context, const struct vliw_tex_request *request, vliw_texel_fn emit, void *user);

#endif
