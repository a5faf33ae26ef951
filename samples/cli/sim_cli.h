/* SPDX-License-Identifier: MIT */
/* What the parts of vlgl sim share: the options, the modes, pictures. */
#ifndef SAMPLES_CLI_SIM_CLI_H
#define SAMPLES_CLI_SIM_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "../common/image.h"
#include "vm/include/vliw.h"
#include "vm/model/sim.h"

struct sim_options {
    const char **names; /* files or samples */
    size_t name_count;
    const char *stage;
    const char *output;  /* picture: diagram or chart */
    const char *csv;
    bool paper;
    bool warps;
    bool memory_first; /* the memory-first policy takes part */
    int threads;
    int latency;
    int outstanding;
    int budget;
    int clocks; /* columns of a diagram, 0 = none */
    int width;
    int height;
    struct sim_warp_config machine; /* --warps */
};

/* Each prints its results, or a message of what is wrong, and returns an exit status. */
int sim_run_code(const struct sim_options *options, const char *path);
int sim_run_sample(const struct sim_options *options, const char *name);
int sim_run_paper(const struct sim_options *options);
int sim_run_warps(const struct sim_options *options);

/* "name: status, at unit N (source line L)" for a run that did not end well. */
void sim_report(const char *name, const struct vliw_program *program, const struct sim_result *result);
/* Issue slots by what became of them, one line. */
void sim_print_use(const struct sim_result *result);

/* ---- Pictures (sim_draw.c) ---- */

extern const uint8_t sim_ink[3], sim_faint[3], sim_paper_color[3];
/* Colours of the stages, or of bars and curves. */
const uint8_t *sim_color(unsigned number);
#define SIM_TEXT 2                     /* scale of the font */
#define SIM_CHAR (6 * SIM_TEXT)

/* Threads by clocks, stages coloured, the unit's number where an instruction starts. */
bool sim_write_diagram(const char *path, const char *title, const struct sim_diagram *diagram);
/* Writes and frees; false after a message. */
bool sim_write_picture(const char *path, struct image *img);

#endif
