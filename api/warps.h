/* SPDX-License-Identifier: MIT */
/*
 * warps.h: VLGL_WARPS: every shader batch of a context runs once more in the reference interpreter, quad by quad; which
 * instructions ran and which lines of memory they touched become the file of vm/include/vlgl_warps.h. report.c writes it.
 */
#ifndef API_WARPS_H
#define API_WARPS_H

#include <stdbool.h>

#include "vm/base/str.h"
#include "vm/include/vliw.h"

struct es_warps;

struct es_warps *es_warps_create(void);      /* NULL when memory is out */
void es_warps_destroy(struct es_warps *warps);
/* What the renderer shows its batches to; it wants one thread, because batches have an order. */
const struct vliw_tap *es_warps_tap(const struct es_warps *warps);
/* The file's bytes. False when no batch has run; out->failed when memory is or was out. */
bool es_warps_file(const struct es_warps *warps, struct str *out);

#endif
