/* SPDX-License-Identifier: MIT */
/*
 * Before the API writes an image: pending drawing of this context that reads or writes it is carried out;
 * what another context still has pending keeps the old pixels, and the writer gets a copy.
 */
#include <stdatomic.h>
#include <string.h>

#include "renderer/internal.h"

static bool in_use(const struct rn_image *image) {
    return atomic_load((const _Atomic(uint32_t) *)&image->scene_uses) != 0;
}

bool rn_image_make_writable(struct rn_context *context, struct rn_image **image) {
    struct rn_image *old = *image;
    if (!in_use(old)) {
        return true;
    }
    rn_flush(context);
    if (!in_use(old)) {
        return true;
    }
    struct rn_image *copy = rn_image_create((enum rn_format)old->format, old->width, old->height, old->depth, old->samples);
    if (!copy) {
        return false;
    }
    if (copy->data) {
        rn_image_settle(old, NULL);
        memcpy(copy->data, old->data, old->slice_bytes * old->depth * old->samples);
    }
    *image = copy;
    rn_image_unref(old);
    return true;
}
