/* SPDX-License-Identifier: MIT */
/* Register components that a program may read before it writes them: a driver that runs it again must clear them. */
#ifndef VM_MODEL_UNINIT_H
#define VM_MODEL_UNINIT_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/include/vliw.h"

/*
 * Sets bit c of masks[reg] for each such component; masks has info->gprs entries, all 0. Inputs count as written.
 * Conservative: an indexed read counts for every register. False when memory is out.
 */
bool uninit_find(const struct vliw_program *program, uint8_t *masks);

#endif
