/* SPDX-License-Identifier: MIT */
/* Copies between images and client memory for the API: rn_image_write and rn_image_read with all threads of the context's
 * device, where there is much to copy and they have nothing else to do. */
#ifndef RENDERER_TRANSFER_H
#define RENDERER_TRANSFER_H

#include "renderer/renderer.h"

void rn_transfer_write(struct rn_context *context, struct rn_image *image, const struct rn_box *box,
                       enum rn_layout layout, const void *pixels, size_t row_stride, size_t slice_stride);
void rn_transfer_read(struct rn_context *context, const struct rn_image *image, const struct rn_box *box,
                      enum rn_layout layout, void *pixels, size_t row_stride);

#endif
