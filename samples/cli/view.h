/* SPDX-License-Identifier: MIT */
/* Cost pictures of `vlgl render --view`: what the library counted for each pixel, as a heat map with a legend. */
#ifndef SAMPLES_CLI_VIEW_H
#define SAMPLES_CLI_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "../common/image.h"

/* The number of a view by its name, for app_job.view; 0 if there is none of this name. */
int view_number(const char *name);

/*
 * Turns the figures (rows from the bottom) into *out, `picture` being what was drawn. False, with a
 * message, if the picture would be too large. The caller frees *out.
 */
bool view_picture(int view, const uint32_t *figures, const struct image *picture, struct image *out,
                  struct image_error *err);

#endif
