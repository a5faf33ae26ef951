/* SPDX-License-Identifier: MIT */
/*
 * The reverse of a resolve: a multisampled image whose samples all take the value of a single-sampled one
 * (EXT_multisampled_render_to_texture: rendering to a texture again starts from its texels).
 */
#include <string.h>

#include "renderer/renderer.h"

void rn_image_broadcast(struct rn_context *context, struct rn_image *dst, const struct rn_image *src) {
    rn_flush(context);
    rn_image_settle(src, NULL);
    rn_image_settle(dst, NULL);
    size_t plane = (size_t)dst->depth * dst->slice_bytes;
    for (unsigned s = 0; s < dst->samples && plane; s++) {
        memcpy(dst->data + s * plane, src->data, plane);
    }
}
