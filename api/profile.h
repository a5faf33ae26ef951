/* SPDX-License-Identifier: MIT */
/*
 * profile.h: what VLGL_PROFILE collects from all contexts of the process, kept in memory and turned into
 * the text of the file. report.c writes it.
 */
#ifndef API_PROFILE_H
#define API_PROFILE_H

#include "api/report.h"
#include "vm/base/str.h"

enum profile_kind { PROFILE_DRAW, PROFILE_CLEAR };

struct profile_draw {
    uint8_t kind, mode;
    uint32_t frame, framebuffer, width, height;
    uint32_t count, instances;
    int32_t program; /* index of profile_program(), -1: a clear */
    uint64_t begin_ns, end_ns;
    uint64_t counters[RN_COUNTER_COUNT];
};

/* One entry a linked program (by the serial of its link); label may be NULL. -1 when memory is out. */
int32_t profile_program(uint64_t serial, uint32_t name, const char *label, const struct vliw_program *const code[2]);
/* Index of the draw that begins, for the tiles that follow. Spans after it belong to it. */
void profile_add_draw(const struct profile_draw *draw);
void profile_add_tile(unsigned thread, uint32_t x, uint32_t y, uint64_t begin_ns, uint64_t end_ns);
/* All of it as JSON, which is a Chrome trace too; false if nothing was collected. */
bool profile_text(struct str *out);
uint64_t profile_clock(void);

#endif
