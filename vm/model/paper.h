/* SPDX-License-Identifier: MIT */
/* What the papers' tables are made of: a kernel, how to run it, and the rows that come out. */
#ifndef VM_MODEL_PAPER_H
#define VM_MODEL_PAPER_H

#include "vm/model/core.h"

/* Adds a row. 'name', 'form', 'unit', 'paper' and 'why' are static texts. Values < 0 are absent. */
struct sim_paper_row *paper_row(struct sim_paper *paper, const char *name, const char *form, const char *unit);

/* Adds a row with our value, the papers' text and value, and why they differ. NULL when there is no room. */
struct sim_paper_row *paper_put(struct sim_paper *paper, const char *name, const char *form, const char *unit, double ours,
                                const char *text, double value, const char *why);

/* The parts of the table; false with *error when something cannot be run, or computes a wrong value. */
bool paper_kernels(struct sim_paper *paper, struct vliw_error *error);
bool paper_programs(struct sim_paper *paper, struct vliw_error *error);
bool paper_machine(struct sim_paper *paper, struct vliw_error *error);

/* Assembles and verifies. NULL with *error. */
struct vliw_program *paper_program(const char *text, struct vliw_error *error);
/* Sets *error to "name: text"; returns false. */
bool paper_fail(struct vliw_error *error, const char *name, const char *text);

#endif
